// lsp_hover.h: what an editor is told of an op under its cursor.

#ifndef SINTER_TOOLS_LSP_HOVER_H
#define SINTER_TOOLS_LSP_HOVER_H

#include "llvm/ADT/STLFunctionalExtras.h"

// Runs a language server on stdin and stdout; its hover answers get the documentation of Sinter's ops. Answers what it
// answers.
int lspWithHover(llvm::function_ref<int()> server);

#endif

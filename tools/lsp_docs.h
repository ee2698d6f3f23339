// lsp_docs.h: what the reference says of an op, for an editor.

#ifndef SINTER_TOOLS_LSP_DOCS_H
#define SINTER_TOOLS_LSP_DOCS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// The section of an op's name ("sinter.pick") in build/docs/library.md or build/docs/dialect.md, in Markdown: its
// length, and where it begins. 0 where there is none.
size_t lsp_docs(const char *op, size_t length, const char **text);

#ifdef __cplusplus
}
#endif

#endif

// version.h: what --version prints in the tools that are built on LLVM, for their mains, which are C++.

#ifndef SINTER_TOOLS_VERSION_H
#define SINTER_TOOLS_VERSION_H

#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "sinter_config.h"
#include <string>

// Before the command line is parsed.
inline void setVersion(const char *program) {
  std::string name = llvm::sys::path::filename(program).str();
  llvm::cl::SetVersionPrinter([name](llvm::raw_ostream &out) {
    out << name << " " SINTER_VERSION " (LLVM and MLIR " LLVM_VERSION_STRING ")\n";
  });
}

#endif

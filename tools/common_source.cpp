// common_source.cpp: a file parsed so that errors show its lines, now and later.

#include "mlir/CAPI/IR.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "tools/common.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

namespace {
struct Source {
  explicit Source(mlir::MLIRContext *ctx) : handler(files, ctx) {}
  llvm::SourceMgr files;
  mlir::SourceMgrDiagnosticHandler handler;
};
} // namespace

void *tool_source_parse(MlirContext ctx, const char *path, const char *text, size_t size,
                        MlirModule *module) {
  // The line of the text says enough, unless the whole op was asked for.
  llvm::cl::Option *whole = llvm::cl::getRegisteredOptions().lookup("mlir-print-op-on-diagnostic");
  if (!whole || !whole->getNumOccurrences())
    unwrap(ctx)->printOpOnDiagnostic(false);
  auto *source = new Source(unwrap(ctx));
  source->files.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy({text, size}, path),
                                   llvm::SMLoc());
  *module =
      wrap(mlir::parseSourceFile<mlir::ModuleOp>(source->files, mlir::ParserConfig(unwrap(ctx)))
               .release());
  return source;
}

void tool_source_free(void *source) { delete static_cast<Source *>(source); }

// common_source.cpp: a file parsed so that errors show its lines, now and later.

#include "capi/shim.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/CAPI/IR.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "tools/common.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include <cerrno>

namespace {
struct Source {
  explicit Source(mlir::MLIRContext *ctx) : files(std::make_shared<llvm::SourceMgr>()), handler(*files, ctx) {}
  std::shared_ptr<llvm::SourceMgr> files; // shared, so that constants of bytecode are bytes of the file
  mlir::SourceMgrDiagnosticHandler handler;
};
} // namespace

void *tool_source_parse(MlirContext ctx, const char *path, bool names, MlirModule *module) {
  *module = {nullptr};
  auto text = llvm::MemoryBuffer::getFileOrSTDIN(path);
  if (!text) {
    errno = text.getError().value();
    return nullptr;
  }
  // The line of the text says enough, unless the whole op was asked for.
  llvm::cl::Option *whole = llvm::cl::getRegisteredOptions().lookup("mlir-print-op-on-diagnostic");
  if (!whole || !whole->getNumOccurrences())
    unwrap(ctx)->printOpOnDiagnostic(false);
  auto *source = new Source(unwrap(ctx));
  // What stdin is called in messages is what it is called in the command.
  if (llvm::StringRef(path) == "-")
    *text = llvm::MemoryBuffer::getMemBufferCopy((*text)->getBuffer(), path);
  llvm::MemoryBuffer *pages = text->get();
  source->files->AddNewSourceBuffer(std::move(*text), llvm::SMLoc());
  if (names && !mlir::isBytecode(*pages))
    *module = sn_shim_parse_names(ctx, source->files.get());
  else
    *module = wrap(mlir::parseSourceFile<mlir::ModuleOp>(source->files, mlir::ParserConfig(unwrap(ctx))).release());
  pages->dontNeedIfMmap(); // where weights are text, most of it is not looked at again
  return source;
}

void tool_source_free(void *source) { delete static_cast<Source *>(source); }

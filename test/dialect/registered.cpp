// registered.cpp: every operation that dialects register, one a line: test-registered-ops scf linalg ...
//
// mlir-c 22 has no entry that lists them.

#include "dialect/dialect.h"
#include "mlir/CAPI/IR.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/InitAllDialects.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  sn_register_dialects(wrap(&registry));
  mlir::MLIRContext context(registry);
  for (int k = 1; k < argc; ++k)
    if (!context.getOrLoadDialect(argv[k])) {
      llvm::errs() << "no dialect " << argv[k] << '\n';
      return 1;
    }
  llvm::ArrayRef<char *> asked(argv + 1, argc - 1);
  for (mlir::RegisteredOperationName name : context.getRegisteredOperations())
    if (llvm::is_contained(asked, name.getDialectNamespace()))
      llvm::outs() << name.getStringRef() << '\n';
  return 0;
}

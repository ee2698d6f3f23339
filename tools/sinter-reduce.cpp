// sinter-reduce: mlir-reduce that knows Sinter's dialect and passes: makes a program
// smaller while a script of yours still finds it interesting.

#include "dialect/dialect.h"
#include "mlir/CAPI/IR.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"
#include "tools/version.h"

extern "C" void sn_register_all(void);

int main(int argc, char **argv) {
  setVersion(argv[0]);
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllPasses();
  sn_register_dialects(wrap(&registry));
  sn_register_all();
  mlir::MLIRContext context(registry);
  return mlir::failed(mlir::mlirReduceMain(argc, argv, context));
}

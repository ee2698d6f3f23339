// sinter-opt: mlir-opt with Sinter's dialect, passes and pipelines built in.

#include "dialect/dialect.h"
#include "mlir/CAPI/IR.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "tools/version.h"

extern "C" void sn_register_all(void);

int main(int argc, char **argv) {
  setVersion(argv[0]);
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllGPUToLLVMIRTranslations(registry);
  mlir::registerAllPasses();
  sn_register_dialects(wrap(&registry));
  sn_register_all();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "Sinter optimizer driver\n", registry));
}

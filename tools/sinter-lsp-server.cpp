// sinter-lsp-server: mlir-lsp-server that knows Sinter's dialect, for editors.

#include "dialect/dialect.h"
#include "mlir/CAPI/IR.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "tools/lsp_hover.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  sn_register_dialects(wrap(&registry));
  return lspWithHover([&] { return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry)); });
}

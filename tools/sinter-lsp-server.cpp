// sinter-lsp-server: mlir-lsp-server that knows Sinter's dialect, for editors.

#include "dialect/dialect.h"
#include "mlir/CAPI/IR.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "tools/lsp_hover.h"
#include "tools/version.h"

int main(int argc, char **argv) {
  setVersion(argv[0]);
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  sn_register_dialects(wrap(&registry));
  auto server = [&]() -> int { return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry)); };
  // Help and the version are printed by a function that ends the process: nobody would copy them.
  for (int i = 1; i < argc; ++i)
    if (llvm::StringRef word = llvm::StringRef(argv[i]).ltrim('-'); word.starts_with("help") || word == "version")
      return server();
  return lspWithHover(server);
}

// registration.c: what a context and a process know before they compile.

#include "compiler/job.h"
#include "dialect/dialect.h"
#include "mlir-c/RegisterEverything.h"
#include "pipelines/pipelines.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void register_passes(void) {
  mlirRegisterAllPasses();
  sn_register_all();
}

void sinter_register_passes(void) { pthread_once(&once, register_passes); }

void sinter_register_dialects(MlirDialectRegistry registry) {
  mlirRegisterAllDialects(registry);
  sn_register_dialects(registry);
}

void sinter_prepare_context(MlirContext ctx) {
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  sinter_register_dialects(registry);
  mlirContextAppendDialectRegistry(ctx, registry);
  mlirDialectRegistryDestroy(registry);
  mlirRegisterAllLLVMTranslations(ctx);
}

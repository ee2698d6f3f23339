// plugin.c: the two entry points that stock mlir-opt looks up in libSinter.so.
// The structs mirror mlir/Tools/Plugins/{Pass,Dialect}Plugin.h, API version 1.

#include "dialect/dialect.h"
#include "pipelines/pipelines.h"
#include "sinter_config.h"

#define EXPORT __attribute__((visibility("default")))

typedef struct {
  uint32_t api;
  const char *name, *version;
  void (*enter)(void);
} PassPlugin;
typedef struct {
  uint32_t api;
  const char *name, *version;
  void (*enter)(void *registry);
} DialectPlugin;

static void add_dialect(void *registry) {
  sn_register_dialects((MlirDialectRegistry){registry});
}

EXPORT PassPlugin mlirGetPassPluginInfo(void) {
  return (PassPlugin){1, "sinter", SINTER_VERSION, sn_register_all};
}
EXPORT DialectPlugin mlirGetDialectPluginInfo(void) {
  return (DialectPlugin){1, "sinter", SINTER_VERSION, add_dialect};
}

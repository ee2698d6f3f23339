// runtime_library.c: the runtime as a shared library that shows its table of symbols, for programs in memory.

#include "runtime/runtime.h"
#include "runtime/symbols.h"

#define SHOWN __attribute__((visibility("default"))) extern

SHOWN const SinterRtSymbol *const sinter_runtime_symbols;
const SinterRtSymbol *const sinter_runtime_symbols = sinter_rt_symbols;

// Before it is closed.
SHOWN void (*const sinter_runtime_close)(void);
void (*const sinter_runtime_close)(void) = sinter_rt_close;

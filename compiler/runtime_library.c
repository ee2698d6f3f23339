// runtime_library.c: the runtime as a shared library that shows its table of symbols, for programs in memory.

#include "runtime/symbols.h"

__attribute__((visibility("default"))) extern const SinterRtSymbol *const sinter_runtime_symbols;
const SinterRtSymbol *const sinter_runtime_symbols = sinter_rt_symbols;

// symbols.h: the runtime by name, for a JIT; free of MLIR.

#ifndef SINTER_RUNTIME_SYMBOLS_H
#define SINTER_RUNTIME_SYMBOLS_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SinterRtSymbol {
  const char *name;
  void *address;
} SinterRtSymbol;

// Everything that compiled code may refer to, and what it stands for in this
// process. Ends with a name of NULL.
extern const SinterRtSymbol sinter_rt_symbols[];

#ifdef __cplusplus
}
#endif

#endif

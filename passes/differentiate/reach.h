// reach.h: private to passes/differentiate. Host code in front of differentiation: what it reaches, and as tensors.

#ifndef SINTER_PASSES_DIFFERENTIATE_REACH_H
#define SINTER_PASSES_DIFFERENTIATE_REACH_H

#include "capi/pass.h"

// Floats and conditions that depend on what the gradients of a function are by.
typedef struct {
  SnTable values;
  bool changed;
} SnReach;
// Free `values` with sn_table_free.
SnReach sn_reach_of(MlirOperation func);
bool sn_is_reached(const SnReach *r, MlirValue v);
// The op reads memory, and something that is reached is written to some in the same function.
bool sn_reads_reached_memory(MlirOperation op);

// ---- differentiate/host_numbers.c -----------------------------------------------------------------

// Numbers that are reached become tensors. Whether there were any: arith on tensors is left then.
bool sn_take_numbers(MlirOperation func);
// The number v, an argument or result, is a tensor from now on; who reads it reads what is in that, taken out at `b`.
void sn_become_tensor(SnBuilder b, MlirValue v);

// ---- differentiate/foralls.c -----------------------------------------------------------------

// Each scf.forall and scf.parallel that is reached becomes loops.
void sn_take_foralls(MlirOperation func);

#endif

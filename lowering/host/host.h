// host.h: what the passes over host code share.
//
// Host code is what stands between kernels: the public functions, and what they
// call, down to the kernels themselves (functions with sinter.kernel) and to
// declarations. These passes run after bufferization, so a public function has
// memref arguments: inputs, outputs, then the workspace.
//
// decides: what host code does around kernels: memory, sizes, errors, counts, names.

#ifndef SINTER_LOWERING_HOST_H
#define SINTER_LOWERING_HOST_H

#include "capi/pass.h"
#include "dialect/attributes.h"

// The functions of host code in a module, public ones first. Free with
// sn_vec_free.
SnOpVec sn_host_functions(MlirOperation module);

// Who calls each function of a module, found in one walk.
typedef struct {
  SnTable of_callee; // 1 + place in `lists`
  SN_VEC(SnOpVec) lists;
} SnCalls;
SnCalls sn_calls(MlirOperation module);
void sn_calls_free(SnCalls *calls);
// In order; the list stays with `calls`.
SnOpVec sn_calls_of(const SnCalls *calls, MlirOperation func);

// What an operation of host code is, to those who count.
typedef struct {
  enum { SN_HOST_NOTHING, SN_HOST_KERNEL, SN_HOST_LIBRARY, SN_HOST_MEMORY } what;
  int64_t n;            // kernels, calls; of memory bytes of an element
  MlirOperation kernel; // its function, null where it has none
} SnHostWork;
// A module whose kernel functions stay the same meanwhile.
typedef struct {
  MlirOperation module;
  MlirSymbolTable symbols; // of functions that had bodies, or were declared, when it was begun, and of costs
  SnTable kernels;         // of a kernel function, how many kernels it starts
} SnHost;
SnHost sn_host_begin(MlirOperation module); // these in host/counters.c
void sn_host_end(SnHost *host);
SnHostWork sn_host_work(SnHost *host, MlirOperation op);

// In host/call_costs.c. Gives a public function its SN_COSTS.
void sn_host_costs(SnHost *host, MlirOperation func);

// A call of a runtime function, declared in the module at its first call.
// Every argument has a type that LLVM has.
MlirOperation sn_call_runtime(SnBuilder *b, MlirOperation module, const char *name,
                              SnValues arguments);

// LLVM neither optimises nor inlines this function, and allocates its registers as fast as it can: for what runs once
// in a call and is long (docs/debugging.md).
void sn_host_keep_as_it_stands(MlirOperation func);

// What was said of the arguments and results of a public function, kept as SN_INPUT_FACTS and
// SN_OUTPUT_FACTS. A function that returns gradients alone belongs to another that returns
// values: its upstream_of counts that one's results.
MlirLogicalResult sn_host_keep_facts(MlirOperation func, intptr_t num_inputs, const MlirType *inputs,
                                     intptr_t num_outputs, const MlirType *outputs);

// Bytes of a memref with a static shape and no layout; -1 of any other.
int64_t sn_memref_bytes(MlirType memref);

// The symbol of a pointer to the first large constant (place_constants.c).
#define SN_CONSTANTS_POINTER "sinter_constants"

// The module that holds an op.
MlirOperation sn_module_of(MlirOperation op);

#endif

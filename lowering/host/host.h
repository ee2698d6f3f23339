// host.h: what the passes over host code share.
//
// Host code is what stands between kernels: the public functions, and what they
// call, down to the kernels themselves (functions with sinter.kernel) and to
// declarations. These passes run after bufferization, so a public function has
// memref arguments: inputs, outputs, then the workspace.

#ifndef SINTER_LOWERING_HOST_H
#define SINTER_LOWERING_HOST_H

#include "passes/passes.h"

// On a public function, from sinter-boundary on: the tensor types of its
// arguments and of its results, as arrays of types.
#define SN_INPUTS "sinter.inputs"
#define SN_OUTPUTS "sinter.outputs"
// On a public function, from sinter-boundary on: what the table says of each argument and each
// result, as arrays of dictionaries {name = "x", gradient_of = 0, range = array<f64>}.
#define SN_INPUT_FACTS "sinter.input_facts"
#define SN_OUTPUT_FACTS "sinter.output_facts"
// Of an argument or a result: its name in the table.
#define SN_NAME "sinter.name"
// Of a result: the argument that it is the gradient of. Of an argument: the result whose
// upstream gradient it is.
#define SN_GRADIENT_OF "sinter.gradient_of"
#define SN_UPSTREAM_OF "sinter.upstream_of"
// Of an argument, from sinter-ranges on: {low, high, input, dim} of SinterRange in runtime/abi.h, as array<f64>.
#define SN_RANGE "sinter.range"
// On a public function, from sinter-workspace on: bytes of its last argument.
#define SN_WORKSPACE_BYTES "sinter.workspace_bytes"
// On a `memref.alloc`: memory inside of one kernel, not between kernels.
#define SN_WORKSPACE "sinter.workspace"
// On a function: a kernel.
#define SN_KERNEL "sinter.kernel"
// On a public function with results of sizes `?`, from sinter-boundary on: the name of the
// function that computes their sizes.
#define SN_SHAPES "sinter.shapes"
// On a public function, from sinter-count on: an array of {name = "main_kernel0", kind = "rowwise"} for each place
// that runs kernels, and the name of the function that computes what they cost; no name where that depends on data.
#define SN_KERNELS "sinter.kernels"
#define SN_COSTS "sinter.costs"
// On a public function, from sinter-names on, and on the entry that sinter-entry makes of it: its name in the program.
#define SN_FUNCTION "sinter.function"

bool sn_is_public(MlirOperation func);

// The functions of host code in a module, public ones first. Free with
// sn_vec_free.
SnOpVec sn_host_functions(MlirOperation module);

// Calls each for every op of that name in a module, or for every public function that has a
// body, until one fails.
typedef MlirLogicalResult (*SnEach)(MlirOperation module, MlirOperation op);
MlirLogicalResult sn_each(MlirOperation module, const char *name, SnEach each);
MlirLogicalResult sn_each_public(MlirOperation module, SnEach each);

// What an operation of host code is, to those who count.
typedef struct {
  enum { SN_HOST_NOTHING, SN_HOST_KERNEL, SN_HOST_LIBRARY, SN_HOST_MEMORY } what;
  int64_t n;            // kernels, calls; of memory bytes of an element
  MlirOperation kernel; // its function, null where it has none
} SnHostWork;
SnHostWork sn_host_work(MlirOperation module, MlirOperation op); // in host/counters.c

// In host/call_costs.c. Gives a public function its SN_COSTS.
void sn_host_costs(MlirOperation module, MlirOperation func);

// A call of a runtime function, declared in the module at its first call.
// Every argument has a type that LLVM has.
MlirOperation sn_call_runtime(SnBuilder *b, MlirOperation module, const char *name,
                              SnValues arguments);

// What was said of the arguments and results of a public function, kept as SN_INPUT_FACTS and
// SN_OUTPUT_FACTS. A function that returns gradients alone belongs to another that returns
// values: its upstream_of counts that one's results.
MlirLogicalResult sn_host_keep_facts(MlirOperation func, intptr_t num_inputs, const MlirType *inputs,
                                     intptr_t num_outputs, const MlirType *outputs);

// A type as it is written. Free with free.
char *sn_type_text(MlirType type);

// Bytes of a memref with a static shape and no layout; -1 of any other.
int64_t sn_memref_bytes(MlirType memref);

// The module that holds an op.
MlirOperation sn_module_of(MlirOperation op);

#endif

// deallocations.c: what is allocated is freed, in programs that allocate.
//
//   %m = memref.alloc(%n) : memref<?xf32>
//   ...
//   ->
//   %m = memref.alloc(%n) : memref<?xf32>
//   ...
//   memref.dealloc %m : memref<?xf32>
//
// Upstream's passes find where, and walk over the program ten times. Where every buffer has become a part of the
// workspace (sinter-workspace) there is nothing to free, and they are not run.
//
// relies on: sinter-workspace
// runs in: sinter-cpu, sinter-gpu    test: test/lowering/host_deallocations.mlir

#include "lowering/host/host.h"

// What gives no buffer to own.
static const char *const views[] = {"builtin.unrealized_conversion_cast",
                                    "memref.alloca",
                                    "memref.cast",
                                    "memref.collapse_shape",
                                    "memref.expand_shape",
                                    "memref.get_global",
                                    "memref.reinterpret_cast",
                                    "memref.subview",
                                    "memref.transpose",
                                    "memref.view",
                                    NULL};

static bool is_view(MlirOperation op) {
  bool is = false;
  for (const char *const *view = views; *view; ++view)
    is |= sn_is(op, *view);
  return is;
}

// An op that gives a buffer to own, or frees one: an allocation, or a call or a loop that may hand one on.
static MlirWalkResult find_owned(MlirOperation op, void *user) {
  bool owned = sn_is(op, "memref.dealloc") || sn_is(op, "bufferization.dealloc"), memref = false;
  for (intptr_t k = 0; k < sn_num_results(op); ++k) {
    MlirType t = sn_type_of(sn_result(op, k));
    memref |= mlirTypeIsAMemRef(t) || mlirTypeIsAUnrankedMemRef(t);
  }
  owned |= memref && !is_view(op);
  *(bool *)user |= owned;
  return owned ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

static MlirLogicalResult run(const SnRun *run, MlirOperation module) {
  bool owned = false;
  mlirOperationWalk(module, find_owned, &owned, MlirWalkPreOrder);
  *run->then = owned ? "buffer-deallocation-pipeline" : "cse,canonicalize";
  return SN_OK;
}

MlirDialectHandle mlirGetDialectHandle__arith__(void);
MlirDialectHandle mlirGetDialectHandle__bufferization__(void);
MlirDialectHandle mlirGetDialectHandle__func__(void);
MlirDialectHandle mlirGetDialectHandle__memref__(void);
MlirDialectHandle mlirGetDialectHandle__scf__(void);
static MlirDialectHandle (*const dialects[])(void) = {
    mlirGetDialectHandle__arith__,  mlirGetDialectHandle__bufferization__, mlirGetDialectHandle__func__,
    mlirGetDialectHandle__memref__, mlirGetDialectHandle__scf__,           NULL};

const SnPass sn_pass_host_deallocations = {
    .argument = "sinter-deallocations",
    .summary = "runs buffer-deallocation-pipeline where something is allocated, and cleans up",
    .anchor = "builtin.module",
    .dialects = dialects,
    .run = run,
};

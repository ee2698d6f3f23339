// cse.c: one operation for each value.
//
//   %1 = linalg.generic ins(%x) outs(%e) { ... * %c1 }      %1
//   %2 = linalg.generic ins(%x) outs(%e) { ... * %c2 }  ->  %2
//   %3 = linalg.generic ins(%x) outs(%e) { ... * %c1 }      %1 again
//
// Upstream's cse tells operations apart by their operands and attributes, and looks at regions of those that have the
// same: where n read one tensor, it compares each with all. Here what a region does, and what it takes from outside, is
// part of the hash.
//
// What stands in front of an operation, in its block or around it, is known there. Blocks of one region know nothing of
// each other.
//
// runs in: prepare    test: test/passes/program/cse.mlir, test/limits/growth.test

#include "capi/pass.h"

typedef struct {
  MlirOperation op;
  const void *key;
  uintptr_t next; // 1 + place of the last one before with this key
} Seen;
typedef struct {
  SN_VEC(Seen) all; // that stand in front, in this block and those around it
  SnTable last;     // of a key: 1 + place of the last one
} Cse;

static bool has_blocks(MlirOperation op) {
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); ++r) {
    MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r));
    if (block.ptr && mlirBlockGetNextInRegion(block).ptr)
      return true;
  }
  return false;
}

// The same as one in front: that is used instead.
static bool use_earlier(Cse *c, MlirOperation op) {
  if (!sn_num_results(op) || has_blocks(op) || !sn_shim_is_pure(op))
    return false;
  uintptr_t last = 0;
  const void *key = (const void *)(sn_shim_hash(op) | 1);
  sn_table_get(&c->last, key, &last);
  for (uintptr_t at = last; at; at = c->all.data[at - 1].next) {
    MlirOperation earlier = c->all.data[at - 1].op;
    if (!sn_shim_same(earlier, op))
      continue;
    sn_replace_results(op, earlier);
    return true;
  }
  sn_push(&c->all, ((Seen){op, key, last}));
  sn_table_put(&c->last, key, c->all.size);
  return false;
}

static void cse_block(Cse *c, MlirBlock block);

static void cse_regions(Cse *c, MlirOperation op) {
  Cse own = {0};
  bool isolated = sn_shim_is_isolated(op);
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); ++r)
    for (MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r)); block.ptr;
         block = mlirBlockGetNextInRegion(block))
      cse_block(isolated ? &own : c, block);
  sn_vec_free(&own.all);
  sn_table_free(&own.last);
}

static void cse_block(Cse *c, MlirBlock block) {
  size_t before = c->all.size;
  for (MlirOperation op = mlirBlockGetFirstOperation(block), next; !sn_null(op); op = next) {
    next = mlirOperationGetNextInBlock(op);
    bool dead = sn_shim_is_dead(op);
    if (!dead)
      cse_regions(c, op);
    if (dead || use_earlier(c, op))
      mlirOperationDestroy(op);
  }
  for (; c->all.size > before; --c->all.size) {
    const Seen *seen = &c->all.data[c->all.size - 1];
    sn_table_put(&c->last, seen->key, seen->next);
  }
}

static MlirLogicalResult run(const SnRun *run, MlirOperation module) {
  Cse none = {0};
  cse_regions(&none, module);
  return SN_OK;
}

const SnPass sn_pass_cse = {
    .argument = "sinter-cse",
    .summary = "one operation for each value",
    .anchor = "builtin.module",
    .run = run,
};

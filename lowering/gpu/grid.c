// grid.c: values of all blocks combined into one, by the block that is done last.
//
//   partial[block] = x
//   if the counter says that all others are done:
//     x = partial[0] . partial[1] . ...     threads take turns, then block.c
//
// The order is the same whichever block is last: equal inputs give equal bits.
//
// The counter lies in the caller's workspace, which holds anything at first and
// may be another's for every call, so no memory is zeroed and no second kernel
// runs. Its upper half says whose count it is: a tag, different for every
// launch, comes as an argument. A block that finds another's tag puts its own, with a
// count of 0, by one compare-and-swap (if that fails, another block of this launch just
// did), and then counts itself. The last block leaves 0 behind, which is no tag: a
// captured launch may be replayed with the tag that it has. Memory that held a launch's tag by
// chance, one in 2^32, would make it go wrong.

#include "lowering/gpu/gpu.h"

#define TAG_BITS 32
#define ALIGN 64

static int64_t bytes_of(const SnGpuReduction *r) { return (sn_bits(r->type) + 7) / 8; }
static int64_t aligned(int64_t bytes) { return (bytes + ALIGN - 1) / ALIGN * ALIGN; }

int64_t sn_gpu_grid_scratch(const SnGpuKernel *k, size_t n, const SnGpuReduction *reductions) {
  int64_t bytes = ALIGN;
  if (!n || k->blocks == 1)
    return 0;
  for (size_t i = 0; i < n; ++i)
    bytes += aligned(bytes_of(&reductions[i]) * k->blocks);
  return bytes;
}

static MlirValue compare(SnBuilder *b, int64_t predicate, MlirValue x, MlirValue y) {
  return sn(b, "arith.cmpi", x, y, mlirIntegerTypeGet(b->ctx, 1), sn_attr("predicate", sn_i64(b->ctx, predicate)));
}

// Memory operations of a scope that neither memref nor llvm.atomicrmw reaches without full fences.
MlirOperation sn_gpu_ptx(SnBuilder *b, const char *text, const char *constraints, SnValues operands, MlirType result) {
  return sn_op(b, "llvm.inline_asm", operands, sn_types(result.ptr != NULL, &result), sn_attr("asm_string", sn_string(b->ctx, text)),
               sn_attr("constraints", sn_string(b->ctx, constraints)), sn_attr("has_side_effects", sn_unit(b->ctx)));
}

static MlirValue ptx(SnBuilder *b, const char *text, const char *constraints, SnValues operands) {
  return sn_result(sn_gpu_ptx(b, text, constraints, operands, mlirIntegerTypeGet(b->ctx, 64)), 0);
}

// i1: this block is the last of its launch to come here. For one thread of the block.
static MlirValue is_last(SnBuilder *b, SnGpuKernel *k, MlirValue scratch, MlirValue tag) {
  MlirType i64 = mlirIntegerTypeGet(b->ctx, 64);
  MlirValue address = sn(b, "memref.extract_aligned_pointer_as_index", scratch, sn_index_type(b->ctx));
  MlirValue counter = sn(b, "llvm.inttoptr", sn(b, "arith.index_cast", address, i64), sn_type(b->ctx, "!llvm.ptr<1>"));
  MlirValue bits = sn_int(b, i64, TAG_BITS);
  MlirValue found = ptx(b, "ld.relaxed.gpu.global.b64 $0, [$1];", "=l,l,~{memory}", sn_values(1, &counter));
  SnIf strange = sn_if(b, compare(b, 1, sn(b, "arith.shrui", found, bits), sn(b, "arith.shrui", tag, bits)));
  ptx(b, "atom.relaxed.gpu.global.cas.b64 $0, [$1], $2, $3;", "=l,l,l,l,~{memory}", sn_values(3, (MlirValue[]){counter, found, tag}));
  sn_end_if(b, &strange);
  MlirValue before = ptx(b, "atom.acq_rel.gpu.global.add.u64 $0, [$1], $2;", "=l,l,l,~{memory}", sn_values(2, (MlirValue[]){counter, sn_int(b, i64, 1)}));
  MlirValue last = compare(b, 0, before, sn(b, "arith.addi", tag, sn_int(b, i64, k->blocks - 1)));
  SnIf reset = sn_if(b, last);
  ptx(b, "atom.relaxed.gpu.global.exch.b64 $0, [$1], $2;", "=l,l,l,~{memory}", sn_values(2, (MlirValue[]){counter, sn_int(b, i64, 0)}));
  sn_end_if(b, &reset);
  return last;
}

SnIf sn_gpu_reduce_grid(SnBuilder *b, SnGpuKernel *k, size_t n, const SnGpuReduction *reductions, MlirValue *values, MlirValue scratch, MlirValue tag) {
  if (k->blocks == 1)
    return sn_if(b, k->first);
  MlirType i32 = mlirIntegerTypeGet(b->ctx, 32);
  MlirValue *partials = sn_alloc((n + 1) * sizeof *partials);
  int64_t offset = ALIGN, one = 1;
  for (size_t i = 0; i < n; ++i) {
    partials[i] = sn(b, "memref.view", scratch, sn_index(b, offset), sn_memref(reductions[i].type, 1, &k->blocks));
    offset += aligned(bytes_of(&reductions[i]) * k->blocks);
  }
  MlirValue flag = sn_gpu_shared(k, 1, &one, i32), zero = sn_index(b, 0);
  SnIf leader = sn_if(b, k->first);
  for (size_t i = 0; i < n; ++i)
    sn_op(b, "memref.store", values[i], partials[i], k->block);
  sn_op(b, "memref.store", sn(b, "arith.extui", is_last(b, k, scratch, tag), i32), flag, zero);
  sn_end_if(b, &leader);
  sn_op(b, "gpu.barrier");

  // The whole last block: what thread 0 acquired, the barrier hands on.
  SnIf last = sn_if(b, compare(b, 1, sn(b, "memref.load", flag, zero, i32), sn_int(b, i32, 0)));
  MlirValue *start = sn_alloc((n + 1) * sizeof *start);
  for (size_t i = 0; i < n; ++i)
    start[i] = sn_gpu_identity(b, &reductions[i]);
  SnLoop g = sn_for_values(b, k->thread, sn_index(b, k->blocks), sn_index(b, k->threads), sn_values((intptr_t)n, start));
  for (size_t i = 0; i < n; ++i)
    start[i] = sn_gpu_combine(b, &reductions[i], g.carried[i], sn(b, "memref.load", partials[i], g.index, reductions[i].type));
  sn_next_values(b, &g, sn_values((intptr_t)n, start));
  for (size_t i = 0; i < n; ++i)
    values[i] = sn_result(g.op, (intptr_t)i);
  sn_gpu_reduce_block(b, k, n, reductions, values, false);
  SnIf once = sn_if(b, k->first);
  SnBuilder end = once.outside; // closing the inner branch closes both
  sn_op(&end, "scf.yield", sn_types(0, NULL));
  once.outside = last.outside;
  free(partials);
  free(start);
  return once;
}

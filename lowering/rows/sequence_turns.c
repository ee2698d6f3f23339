// sequence_turns.c: a loop of a sequence, written out: which memory its values are in each turn.
//
//   scf.for %t = 0 to 100 iter_args(%from = %x, %to = %a, %next = %b)       the sequence's
//     %s = memref.subview %w[%t, 0] ...
// ->
//   for %n = 0 to 100 carrying addresses of %x, %a, %b:
//     %s is at: address of %w + (0 + %n * 1) * bytes of a part
//
// test: test/lowering/cpu/sequence_loops.mlir, test/lowering/gpu/sequence_loops.mlir

#include "lowering/rows/sequence_turns.h"
#include "lowering/rows/memrefs.h"
#include <assert.h>

static MlirBlock body_of(const SnTurns *t) {
  return mlirRegionGetFirstBlock(mlirOperationGetRegion(t->loop->op, 0));
}

void sn_turns_begin(SnBuilder *b, SnTurns *t) {
  SnValueVec init = {0};
  for (intptr_t k = 3; k < sn_num_operands(t->loop->op); ++k)
    sn_push(&init, t->base(b, sn_operand(t->loop->op, k), t->user));
  t->at = sn_for_values(b, sn_index(b, 0), sn_index(b, t->loop->turns), sn_index(b, 1),
                        sn_values((intptr_t)init.size, init.data));
  t->index = t->at.index;
  if (t->loop->step != 1)
    t->index = sn(b, "arith.muli", t->index, sn_index(b, t->loop->step));
  if (t->loop->from)
    t->index = sn(b, "arith.addi", t->index, sn_index(b, t->loop->from));
  sn_vec_free(&init);
}

void sn_turns_end(SnBuilder *b, SnTurns *t) {
  MlirOperation yield = mlirBlockGetTerminator(body_of(t));
  SnValueVec next = {0};
  for (intptr_t k = 0; k < sn_num_operands(yield); ++k)
    sn_push(&next, sn_turns_address(b, t, sn_operand(yield, k)));
  sn_next_values(b, &t->at, sn_values((intptr_t)next.size, next.data));
  sn_vec_free(&next);
}

bool sn_turns_make(const SnTurns *t, MlirValue v) {
  MlirBlock block =
      mlirValueIsABlockArgument(v) ? mlirBlockArgumentGetOwner(v) : mlirOperationGetBlock(mlirOpResultGetOwner(v));
  return mlirBlockEqual(block, body_of(t));
}

MlirValue sn_turns_address(SnBuilder *b, const SnTurns *t, MlirValue v) {
  if (!sn_turns_make(t, v))
    return t->base(b, v, t->user);
  if (mlirValueIsABlockArgument(v))
    return t->at.carried[mlirBlockArgumentGetArgNumber(v) - 1];
  MlirOperation op = sn_definer(v);
  assert((sn_is_view(op) || sn_is_slice(op)) && "the verifier checks what a loop holds");
  MlirValue from = sn_turns_address(b, t, sn_operand(op, 0));
  SnSlice slice;
  if (!sn_is(op, "memref.subview") || !sn_slice_read(op, t->loop, &slice))
    return from;
  MlirType i64 = mlirIntegerTypeGet(b->ctx, 64), element = sn_element(sn_type_of(v));
  int64_t bytes = sn_times(slice.inner, mlirTypeIsAIndex(element) ? 8 : (sn_bits(element) + 7) / 8);
  MlirValue at = sn(b, "arith.muli", sn(b, "arith.index_cast", t->index, i64), sn_int(b, i64, bytes));
  return sn(b, "arith.addi", from, at);
}

MlirValue sn_turns_memref(SnBuilder *b, const SnTurns *t, MlirValue v) {
  if (!sn_turns_make(t, v))
    return v;
  MlirType pointer = sn_type(b->ctx, "!llvm.ptr");
  MlirValue address = sn_turns_address(b, t, v);
  if (!t->space)
    return sn_memref_at(b, sn(b, "llvm.inttoptr", address, pointer), sn_type_of(v), NULL);
  MlirValue there = sn(b, "llvm.inttoptr", address, sn_type(b->ctx, "!llvm.ptr<%d>", t->space));
  return sn_memref_at(b, sn(b, "llvm.addrspacecast", there, pointer), sn_type_of(v), NULL);
}

// side_makers.c: which kernels become programs of the products' sides that read them.
//
//   %n = rowwise { %x * %g }     %q = contract (%n, %wq)     %k = contract (%n, %wk)
//     ->  two contracts with side(%x, %g) { mulf }, if that is cheaper than %n written once and read twice
//
// All readers of a result take it, or none: it is stored as long as there is one left. What that costs is
// fuse/worth.c, whether it is legal merge/into_sides.c.
//
// runs in: fuse, explain    test: test/passes/fuse/into_sides.mlir

#include "passes/fuse/fuse.h"

typedef SN_VEC(SnIntoSide) Moves;

static void free_moves(Moves *moves) {
  for (size_t i = 0; i < moves->size; ++i)
    sn_into_side_free(&moves->data[i]);
  sn_vec_free(moves);
}

static bool is_side(MlirOperation reader, size_t input) {
  SnForm f = sn_form_read(reader);
  bool side = input < sn_first_input(&f);
  sn_form_free(&f);
  return side;
}

// The first form that reads the result by a side, or null.
static MlirOperation side_reader(MlirOperation op, intptr_t result) {
  MlirOperation found = {0};
  for (MlirOpOperand use = mlirValueGetFirstUse(sn_result(op, result)); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation reader = mlirOpOperandGetOwner(use);
    if (sn_is_form(reader) && is_side(reader, (size_t)mlirOpOperandGetOperandNumber(use)))
      found = reader;
  }
  return found;
}

// Every reader of the result takes it into a side.
static bool can_move(MlirOperation op, intptr_t result, Moves *moves) {
  for (MlirOpOperand use = mlirValueGetFirstUse(sn_result(op, result)); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation reader = mlirOpOperandGetOwner(use);
    size_t input = (size_t)mlirOpOperandGetOperandNumber(use);
    if (!sn_is_form(reader) || !mlirBlockEqual(mlirOperationGetBlock(reader), mlirOperationGetBlock(op)) ||
        !is_side(reader, input))
      return sn_refuse(side_reader(op, result), SN_WHY_SIDE_READERS);
    SnIntoSide m;
    bool ok = sn_can_move_into_side(reader, input, &m);
    sn_push(moves, m);
    if (!ok)
      return false;
  }
  return moves->size > 0;
}

// Of a form without results that somebody else needs, once `result` is gone.
static bool is_last(MlirOperation op, intptr_t result) {
  SnForm f = sn_form_read(op);
  bool last = !sn_form_asserts(&f);
  for (intptr_t k = 0; k < sn_num_results(op); ++k)
    last &= k == result || !mlirValueGetFirstUse(sn_result(op, k)).ptr;
  sn_form_free(&f);
  return last;
}

bool sn_can_fuse_side(MlirOperation op, intptr_t result, const SnPolicy *policy) {
  Moves moves = {0};
  bool ok = can_move(op, result, &moves) && sn_side_worth(moves.data, moves.size, is_last(op, result), policy);
  free_moves(&moves);
  return ok;
}

// Moves the result into all sides that read it.
static void move(MlirOperation op, intptr_t result) {
  MlirValue v = sn_result(op, result);
  for (MlirOpOperand use; use = mlirValueGetFirstUse(v), !mlirOpOperandIsNull(use);) {
    SnIntoSide m;
    bool ok = sn_can_move_into_side(mlirOpOperandGetOwner(use), (size_t)mlirOpOperandGetOperandNumber(use), &m);
    MlirOperation made = ok ? sn_move_into_side(&m) : (MlirOperation){0};
    sn_into_side_free(&m);
    if (!ok) // it has grown with another of its sides
      return;
    sn_tidy(made);
  }
}

bool sn_fuse_sides(MlirBlock block, const SnPolicy *policy) {
  bool changed = false;
  for (bool again = true; again; changed |= again) {
    again = false;
    for (MlirOperation op = mlirBlockGetFirstOperation(block), next; !sn_null(op); op = next) {
      next = mlirOperationGetNextInBlock(op);
      for (intptr_t k = 0; sn_is(op, "sinter.rowwise") && k < sn_num_results(op); ++k)
        if (!sn_null(side_reader(op, k)) && sn_can_fuse_side(op, k, policy)) {
          move(op, k);
          again |= !mlirValueGetFirstUse(sn_result(op, k)).ptr;
          next = mlirOperationGetNextInBlock(op); // readers were made anew
        }
      if (sn_is(op, "sinter.rowwise"))
        sn_tidy(op);
    }
  }
  return changed;
}

// side_makers.c: which kernels become programs of the products' sides that read them.
//
//   %n = rowwise { %x * %g }     %q = contract (%n, %wq)     %k = contract (%n, %wk)
//     ->  two contracts with side(%x, %g) { mulf }, if that is cheaper than %n written once and read twice
//
// All readers of a result take it, or none: it is stored as long as there is one left. What that costs is
// fuse/worth.c, whether it is legal merge/into_sides.c. Where tensor cores multiply, what several sides read and more
// than scale (queries that are rotated, with gradients) is stored too, if one of them has rows that are multiplied
// again: such a kernel takes sides that copies fetch, and the others would compute each element a second time.
//
// runs in: fuse, explain    test: test/passes/fuse/into_sides.mlir

#include "dialect/row_ops.h"
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

// A number of the program, in each column perhaps.
static bool is_number(MlirValue v) {
  MlirValue scalar = sn_broadcast_of(v);
  double number;
  return sn_attr_number(sn_constant_of(sn_none(scalar) ? v : scalar), &number);
}

// The side is what it reads, widened and times numbers: a product takes that as it lies (arrange/behind_products.c).
static bool only_scales(const SnIntoSide *m) {
  size_t read = 0;
  bool scales = true;
  for (size_t k = 0; k < m->p.inputs.size; ++k)
    read += m->reads[k];
  for (size_t i = 0; i < m->ops.size; ++i) {
    MlirOperation op = m->ops.data[i];
    bool number = sn_is(op, "arith.mulf") && (is_number(sn_operand(op, 0)) || is_number(sn_operand(op, 1)));
    scales &= number || sn_row_op_cost(op) == SN_COST_NONE || sn_is(op, "arith.extf");
  }
  return scales && read == 1;
}

bool sn_is_multiplied_again(MlirOperation form) {
  SnForm f = sn_form_read(form);
  bool again = f.matrices.size > 0;
  sn_form_free(&f);
  for (intptr_t k = 0; k < sn_num_results(form) && !again; ++k)
    again = !sn_null(side_reader(form, k));
  return again;
}

// Several sides read it, and tensor cores multiply rows of one of these again.
static bool is_copied(const Moves *moves, const SnPolicy *policy) {
  bool again = false;
  for (size_t i = 0; i < moves->size; ++i)
    again |= sn_is_multiplied_again(moves->data[i].f.op);
  return policy->tensor_cores && moves->size > 1 && again && !only_scales(&moves->data[0]);
}

bool sn_can_fuse_side(MlirOperation op, intptr_t result, const SnPolicy *policy) {
  Moves moves = {0};
  bool ok = can_move(op, result, &moves) &&
            (!is_copied(&moves, policy) || sn_refuse(moves.data[0].f.op, SN_WHY_SIDE_COPIED)) &&
            sn_side_worth(moves.data, moves.size, is_last(op, result), policy);
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

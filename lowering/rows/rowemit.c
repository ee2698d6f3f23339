// rowemit.c: the elements and scalars of a row program, one emitter for each line of dialect/row_ops.h.
//
//   %b = sinter.broadcast %m          at columns j .. j + 15   ->   vector.broadcast %m
//   %j = sinter.index j                                        ->   j + vector.step
//   %d = arith.subf %x, %b                                     ->   arith.subf of x's lanes and b's
//   %p = sinter.pick %x[%t] else %z   once for the row         ->   scf.if t is inside { x at column t } else { z }
//
// A row's operation is emitted where a column asks for it (sn_row_element), a scalar's once for each row
// (sn_row_scalars). Loops are the lowering's, of a CPU or of a GPU.
//
// new row operation: its element at a column, or its scalar; for CPU and GPU.
//
// test: test/lowering/cpu, test/lowering/gpu

#include "lowering/rows/rowmemory.h"
#include <assert.h>

// ---- elements ----------------------------------------------------------------------------

intptr_t sn_row_named_dim(const SnForm *f, MlirOperation index) {
  MlirStringRef name = mlirStringAttrGetValue(sn_get_attr(index, "dim"));
  for (size_t d = 0; d < f->dims.size; ++d)
    if (mlirStringRefEqual(name, f->dims.data[d].name))
      return (intptr_t)d;
  assert(!"the verifier checks that the dimension is there");
  return 0;
}

MlirOperation sn_row_on_lanes(SnBuilder *b, MlirOperation op, const MlirValue *operands, int64_t width) {
  MlirType types[SN_MAX_ELEMENTWISE];
  assert(sn_num_results(op) <= SN_MAX_ELEMENTWISE);
  for (intptr_t k = 0; k < sn_num_results(op); ++k)
    types[k] = sn_lanes_of(sn_element(sn_type_of(sn_result(op, k))), width);
  return sn_clone_as(b, op, sn_values(sn_num_operands(op), operands), sn_types(sn_num_results(op), types));
}

void sn_row_know(SnRowProgram *p, MlirValue v, MlirValue made) { sn_fragment_give(&p->row, v, made); }

MlirValue sn_row_scalar(const SnRowProgram *p, MlirValue v) {
  MlirValue s = sn_mapped(&p->row.made, v);
  assert(!sn_none(s) && "scalars of a phase are emitted before its loops");
  return s;
}

static const SnKept *kept(const SnRowProgram *p, MlirValue v) {
  for (size_t i = 0; i < p->kept.size; ++i)
    if (sn_same(p->kept.data[i].value, v))
      return &p->kept.data[i];
  return NULL;
}

// Where a vector is kept. With factors they lie one behind the other, and what a row's last one has of the one before
// it has twice.
static MlirValue place_of_kept(SnBuilder *b, const SnKept *k, const SnFragment *c) {
  return sn_none(k->factors) || c->columns == 1 ? c->column
                                                : sn_size_mul(b, sn_row_kept_factor(b, k, c), sn_index(b, k->per));
}

MlirValue sn_row_kept_factor(SnBuilder *b, const SnKept *k, const SnFragment *c) {
  MlirValue per = sn_index(b, k->per);
  return c->columns == 1 ? sn(b, "arith.divui", c->column, per) : sn_size_ceil(b, c->column, per);
}

static void keep(SnBuilder *b, SnRowProgram *p, SnFragment *c, MlirValue v) {
  const SnKept *k = kept(p, v);
  if (k && c->keeps && p->phase == k->first) {
    MlirValue at = place_of_kept(b, k, c);
    sn_scratch_store(b, sn_mapped(&c->made, v), k->memref, sn_values(1, &at), sn_no_attr());
  }
}

// The scalar that a row of integers is a broadcast of, or null.
static MlirValue broadcast_int(MlirValue v) {
  MlirOperation cast = sn_def(v, "arith.index_cast");
  MlirValue none = {0}, s = sn_broadcast_of(sn_null(cast) ? v : sn_operand(cast, 0));
  return sn_none(s) || sn_bits(sn_type_of(s)) < 32 ? none : s;
}

static int64_t predicate_of(MlirOperation compare) {
  return mlirIntegerAttrGetValueInt(sn_get_attr(compare, "predicate"));
}

MlirValue sn_row_label(const SnRowProgram *p, MlirOperation op) {
  MlirValue none = {0};
  if (!sn_is(op, "arith.cmpi") || p->row.rows > 1 || p->form->num_cols != 1 || predicate_of(op) > 1)
    return none; // eq, ne
  for (int k = 0; k < 2; ++k) {
    MlirValue index = sn_operand(op, k), t = broadcast_int(sn_operand(op, 1 - k));
    MlirOperation cast = sn_def(index, "arith.index_cast"),
                  at = sn_def(sn_null(cast) ? index : sn_operand(cast, 0), "sinter.index");
    if (!sn_none(t) && !sn_null(at) && sn_bits(sn_element(sn_type_of(index))) >= 64)
      return t;
  }
  return none;
}

MlirValue sn_row_element(SnBuilder *b, SnRowProgram *p, SnFragment *c, MlirValue v) {
  if (!sn_is_row(v))
    return sn_fragment_spread(b, c, sn_row_scalar(p, v));
  MlirValue made = sn_mapped(&c->made, v);
  if (!sn_none(made))
    return made;
  MlirOperation op = sn_definer(v);
  for (int i = 0; i < 2 && !sn_null(op); ++i)
    if (!sn_null(p->known[i].op) && mlirOperationEqual(op, p->known[i].op)) {
      made = sn_splat(b, sn_fragment_type(c, mlirIntegerTypeGet(b->ctx, 1)),
                      mlirIntegerAttrGet(mlirIntegerTypeGet(b->ctx, 1), p->known[i].truth));
      sn_map(&c->made, v, made);
      return made;
    }
  const SnKept *stored = kept(p, v);
  if (stored && p->phase > stored->first) {
    SnFragment there = *c;
    there.column = place_of_kept(b, stored, c);
    made = sn_row_load_scratch(b, &there, &(SnRowSource){.memref = stored->memref}, sn_element(sn_type_of(v)));
    if (!sn_none(stored->factors)) {
      MlirValue at = sn_row_kept_factor(b, stored, c);
      MlirValue factor = sn(b, "memref.load", stored->factors, at, sn_element(sn_type_of(stored->factors)));
      made = sn(b, "arith.mulf", made, sn_fragment_spread(b, c, factor));
    }
  } else if (sn_null(op)) {
    const SnRowSource *s = &p->sources.data[mlirBlockArgumentGetArgNumber(v)];
    made =
        s->scratch ? sn_row_load_scratch(b, c, s, sn_element(sn_type_of(v))) : sn_row_load_lanes(b, p, c, &s->access);
  } else {
    sn_row_emit(b, p, c, op);
    return sn_mapped(&c->made, v);
  }
  sn_map(&c->made, v, made);
  return made;
}

// At columns a row's elements; of a scalar, and where there are no columns, its value: the condition of a select may be
// one.
static MlirValue operand_at(SnBuilder *b, SnRowProgram *p, SnFragment *c, MlirOperation op, intptr_t k) {
  MlirValue x = sn_operand(op, k);
  return c->columns && sn_is_row(x) ? sn_row_element(b, p, c, x) : sn_row_scalar(p, x);
}

static bool is_one_scalar(const SnFragment *c) { return !c->columns && c->rows == 1; }

// ---- emitters, one for each line of dialect/row_ops.h -----------------------------------------

static void emit_constant(SnBuilder *b, SnRowProgram *p, SnFragment *c, MlirOperation op) {
  MlirValue v = sn_result(op, 0);
  if (is_one_scalar(c))
    sn_clone(b, op, &c->made);
  else
    sn_fragment_give(c, v, sn_splat(b, sn_fragment_type(c, sn_element(sn_type_of(v))), sn_constant_of(v)));
}

// A comparison of columns with a label, lane by lane; null if it is nothing of the kind.
static MlirValue one_hot(SnBuilder *b, SnRowProgram *p, SnFragment *c, MlirOperation op) {
  MlirValue label = sn_row_label(p, op);
  if (sn_none(label) || c->columns < 2)
    return (MlirValue){0};
  return sn_fragment_at(b, c, p->form, sn_row_as_index(b, sn_row_scalar(p, label)), predicate_of(op));
}

// What a select takes where no lane is at the label that its condition looks for; null if it is nothing of the kind.
static MlirValue without_label(const SnRowProgram *p, const SnFragment *c, MlirOperation op) {
  MlirOperation compare = c->no_label && sn_is(op, "arith.select") && sn_is_row(sn_operand(op, 0))
                              ? sn_definer(sn_operand(op, 0))
                              : (MlirOperation){0};
  if (sn_null(compare) || sn_none(sn_row_label(p, compare)))
    return (MlirValue){0};
  return sn_operand(op, predicate_of(compare) ? 1 : 2);
}

// A short number that all rows of a vector share, as a weight of a window, is widened once and not on each lane. Null:
// it is none.
static MlirValue widened_once(SnBuilder *b, const SnFragment *c, MlirOperation op, MlirValue x) {
  MlirOperation spread = c->rows > 1 && sn_is(op, "arith.extf") ? sn_def(x, "vector.broadcast") : (MlirOperation){0};
  if (sn_null(spread) || mlirTypeIsAVector(sn_type_of(sn_operand(spread, 0))))
    return (MlirValue){0};
  MlirValue wide = sn_row_convert(b, sn_operand(spread, 0), sn_element(sn_type_of(sn_result(op, 0))));
  return sn_lanes_broadcast(b, wide, sn_fragment_lanes(c));
}

static void emit_elementwise(SnBuilder *b, SnRowProgram *p, SnFragment *c, MlirOperation op) {
  if (is_one_scalar(c)) {
    sn_clone(b, op, &c->made);
    return;
  }
  MlirValue operands[SN_MAX_ELEMENTWISE], hot = one_hot(b, p, c, op), other = without_label(p, c, op);
  if (!sn_none(hot) || !sn_none(other)) {
    sn_fragment_give(c, sn_result(op, 0), sn_none(hot) ? sn_row_element(b, p, c, other) : hot);
    return;
  }
  MlirValue steady = sn_row_steady(b, p, c, op);
  if (!sn_none(steady)) {
    sn_fragment_give(c, sn_result(op, 0), steady);
    return;
  }
  MlirValue chosen = sn_row_chosen(p->form, c, op);
  if (!sn_none(chosen)) {
    sn_fragment_give(c, sn_result(op, 0), sn_row_element(b, p, c, chosen));
    keep(b, p, c, sn_result(op, 0));
    return;
  }
  assert(sn_num_operands(op) <= SN_MAX_ELEMENTWISE && "an elementwise op has few operands");
  for (intptr_t k = 0; k < sn_num_operands(op); ++k)
    operands[k] = operand_at(b, p, c, op, k);
  MlirValue wide = widened_once(b, c, op, operands[0]);
  if (!sn_none(wide)) {
    sn_fragment_give(c, sn_result(op, 0), wide);
    return;
  }
  MlirOperation copy = sn_row_on_lanes(b, op, operands, sn_fragment_lanes(c));
  for (intptr_t k = 0; k < sn_num_results(op); ++k)
    sn_fragment_give(c, sn_result(op, k), sn_result(copy, k));
  for (intptr_t k = 0; c->columns && k < sn_num_results(op); ++k)
    keep(b, p, c, sn_result(op, k));
}

// sn_math_random makes it of arith, in lanes.
static void emit_random(SnBuilder *b, SnRowProgram *p, SnFragment *c, MlirOperation op) {
  emit_elementwise(b, p, c, op);
}

static void emit_cf_assert(SnBuilder *b, SnRowProgram *p, SnFragment *c, MlirOperation op) {
  assert(!c->columns && "an assert is of a scalar, and gives nothing that a column would ask for");
  if (is_one_scalar(c)) {
    sn_clone(b, op, &c->made);
    return;
  }
  MlirValue all = sn(b, "vector.reduction", sn_row_scalar(p, sn_operand(op, 0)), mlirIntegerTypeGet(b->ctx, 1),
                     sn_attr("kind", sn_parse_attr(b->ctx, "#vector.kind<and>")));
  sn_op(b, "cf.assert", all, sn_types(0, NULL), sn_attr("msg", sn_get_attr(op, "msg")));
}

static void emit_detach(SnBuilder *b, SnRowProgram *p, SnFragment *c, MlirOperation op) {
  sn_fragment_give(c, sn_result(op, 0), operand_at(b, p, c, op, 0));
}

static void emit_broadcast(SnBuilder *b, SnRowProgram *p, SnFragment *c, MlirOperation op) {
  sn_fragment_give(c, sn_result(op, 0), sn_fragment_spread(b, c, sn_row_scalar(p, sn_operand(op, 0))));
}

static void emit_index(SnBuilder *b, SnRowProgram *p, SnFragment *c, MlirOperation op) {
  intptr_t d = sn_row_named_dim(p->form, op);
  sn_fragment_give(c, sn_result(op, 0), sn_fragment_index(b, c, p->form, p->dims, d));
}

// Each lane's own element, or `otherwise`: lanes that are outside read column 0.
static MlirValue pick_lanes(SnBuilder *b, SnRowProgram *p, SnFragment *row, MlirOperation op, MlirValue t) {
  MlirValue zero = sn_zero(b, sn_type_of(t)), n = sn_fragment_spread(b, row, sn_form_columns(b, p->form));
  MlirValue in = sn_row_below(b, t, n);
  SnFragment c = sn_fragment_of_rows(sn(b, "arith.select", in, t, zero), row->rows);
  MlirValue element = sn_row_element(b, p, &c, sn_operand(op, 0));
  sn_fragment_free(&c);
  return sn(b, "arith.select", in, element, sn_row_scalar(p, sn_operand(op, 2)));
}

// The element of a row at t, or `otherwise`: no column is compared with t.
static MlirValue pick_one(SnBuilder *b, SnRowProgram *p, MlirOperation op, MlirValue t) {
  MlirValue in = sn_row_below(b, t, sn_form_columns(b, p->form));
  SnIf inside = sn_if(b, in, sn_type_of(sn_result(op, 0)));
  SnFragment c = sn_fragment(t, 1);
  MlirValue element = sn_row_element(b, p, &c, sn_operand(op, 0));
  sn_fragment_free(&c);
  sn_else(b, &inside, element);
  sn_end_if(b, &inside, sn_row_scalar(p, sn_operand(op, 2)));
  return sn_result(inside.op, 0);
}

static void emit_pick(SnBuilder *b, SnRowProgram *p, SnFragment *c, MlirOperation op) {
  MlirValue t = sn_row_as_index(b, sn_row_scalar(p, sn_operand(op, 1)));
  assert(!c->columns && "it gives a scalar");
  MlirValue x = p->pick       ? p->pick(b, p, op, t, p->pick_user)
                : c->rows > 1 ? pick_lanes(b, p, c, op, t)
                              : pick_one(b, p, op, t);
  sn_fragment_give(c, sn_result(op, 0), x);
}

static void emit_gather(SnBuilder *b, SnRowProgram *p, SnFragment *c, MlirOperation op) {
  sn_fragment_give(c, sn_result(op, 0), sn_row_gather(b, p, c, op));
}

// Its loop is the lowering's: sn_row_identity, sn_row_reduced and sn_row_combine are what that holds.
static void emit_row_reduce(SnBuilder *b, SnRowProgram *p, SnFragment *c, MlirOperation op) {
  (void)sn_row_scalar(p, sn_result(op, 0));
}

// sinter-split leaves none.
static void emit_row_product(SnBuilder *b, SnRowProgram *p, SnFragment *c, MlirOperation op) {
  assert(!"a form that is lowered is plain");
}

#define EMIT(id, ...) [SN_OP_##id] = emit_##id,
static void (*const emitters[SN_NUM_ROW_OPS])(SnBuilder *, SnRowProgram *, SnFragment *,
                                              MlirOperation) = {SN_ROW_OPS(EMIT)};
#undef EMIT

void sn_row_emit(SnBuilder *b, SnRowProgram *p, SnFragment *c, MlirOperation op) {
  emitters[sn_row_op_of(op)->id](b, p, c, op);
}

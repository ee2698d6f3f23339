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

SnColumn sn_column(MlirValue index, int64_t width) { return (SnColumn){.index = index, .width = width}; }
void sn_column_free(SnColumn *c) { sn_map_free(&c->made); }

intptr_t sn_row_named_dim(const SnForm *f, MlirOperation index) {
  MlirStringRef name = mlirStringAttrGetValue(sn_get_attr(index, "dim"));
  for (size_t d = 0; d < f->dims.size; ++d)
    if (mlirStringRefEqual(name, f->dims.data[d].name))
      return (intptr_t)d;
  assert(!"the verifier checks that the dimension is there");
  return 0;
}

static MlirValue column_index(SnBuilder *b, SnRowProgram *p, SnColumn *c, intptr_t d) {
  const SnForm *f = p->form;
  MlirValue v = c->index, dims[SN_MAX_DIMS];
  if (p->row_lanes > 1) {
    v = sn_lanes_broadcast(b, v, c->width);
  } else if (c->width > 1) {
    MlirType t = sn_vector(sn_index_type(b->ctx), c->width);
    v = sn(b, "arith.addi", sn_lanes_broadcast(b, c->index, c->width), sn(b, "vector.step", t));
  }
  sn_form_point(b, f, f->num_rows, f->num_cols, v, dims);
  return dims[d - f->num_rows];
}

MlirOperation sn_row_on_lanes(SnBuilder *b, MlirOperation op, const MlirValue *operands, int64_t width) {
  MlirType types[SN_MAX_ELEMENTWISE];
  assert(sn_num_results(op) <= SN_MAX_ELEMENTWISE);
  for (intptr_t k = 0; k < sn_num_results(op); ++k)
    types[k] = sn_lanes_of(sn_element(sn_type_of(sn_result(op, k))), width);
  return sn_clone_as(b, op, sn_values(sn_num_operands(op), operands), sn_types(sn_num_results(op), types));
}

MlirValue sn_row_scalar(const SnRowProgram *p, MlirValue v) {
  MlirValue s = sn_mapped(&p->scalars, v);
  assert(!sn_none(s) && "scalars of a phase are emitted before its loops");
  return s;
}

static const SnKept *kept(const SnRowProgram *p, MlirValue v) {
  for (size_t i = 0; i < p->kept.size; ++i)
    if (sn_same(p->kept.data[i].value, v))
      return &p->kept.data[i];
  return NULL;
}

static void keep(SnBuilder *b, SnRowProgram *p, SnColumn *c, MlirValue v) {
  const SnKept *k = kept(p, v);
  if (k && c->store && p->phase == k->first)
    sn_scratch_store(b, sn_mapped(&c->made, v), k->memref, sn_values(1, &c->index), sn_no_attr());
}

// The scalar that a row of integers is a broadcast of, or null.
static MlirValue broadcast_int(MlirValue v) {
  MlirOperation cast = sn_def(v, "arith.index_cast");
  MlirValue none = {0}, s = sn_broadcast_of(sn_null(cast) ? v : sn_operand(cast, 0));
  return sn_none(s) || sn_bits(sn_type_of(s)) < 32 ? none : s;
}

MlirValue sn_row_label(const SnRowProgram *p, MlirOperation op) {
  MlirValue none = {0};
  if (!p->one_hot_by_lane || !sn_is(op, "arith.cmpi") || p->row_lanes > 1 || p->form->num_cols != 1 ||
      mlirIntegerAttrGetValueInt(sn_get_attr(op, "predicate")) > 1)
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

// index == t in a vector of columns j, j + 1, ...: lane == min(t - j, 255), for which i32 are wide enough. Indices of
// 64 bits would take two registers and their comparison four times as long. Null if the op is nothing of the kind.
static MlirValue one_hot(SnBuilder *b, SnRowProgram *p, SnColumn *c, MlirOperation op) {
  MlirValue t = sn_row_label(p, op), lane;
  if (c->width < 2 || sn_none(t))
    return (MlirValue){0};
  int64_t predicate = mlirIntegerAttrGetValueInt(sn_get_attr(op, "predicate")), n = sn_row_length(p->form);
  MlirType i32 = mlirIntegerTypeGet(b->ctx, 32);
  if (p->no_hot_one)
    return sn_lanes_broadcast(b, sn_int(b, mlirIntegerTypeGet(b->ctx, 1), predicate), c->width);
  if (p->one_hot_in_i32 && n != SN_DYNAMIC && n < (int64_t)1 << 29) { // t - j, or far off
    MlirValue at = sn_row_as_index(b, sn_row_scalar(p, t)), inside = sn_row_below(b, at, sn_index(b, n));
    MlirValue near =
        sn(b, "arith.select", inside, sn(b, "arith.index_cast", at, i32), sn_int(b, i32, -((int64_t)1 << 30)));
    lane = sn(b, "arith.subi", near, sn(b, "arith.index_cast", c->index, i32));
  } else {
    MlirValue far = sn(b, "arith.subi", sn_row_as_index(b, sn_row_scalar(p, t)), c->index);
    lane = sn(b, "arith.index_cast", sn(b, "arith.minui", far, sn_index(b, 255)), i32);
  }
  MlirValue lanes = sn(b, "arith.index_cast", sn(b, "vector.step", sn_vector(sn_index_type(b->ctx), c->width)),
                       sn_vector(i32, c->width));
  return sn(b, "arith.cmpi", lanes, sn_lanes_broadcast(b, lane, c->width),
            sn_attr("predicate", sn_i64(b->ctx, predicate)));
}

// What an operation of the row program gives: at the column, or without one (null) once for the row.
static void becomes(SnRowProgram *p, SnColumn *c, MlirOperation op, MlirValue made) {
  sn_map(c ? &c->made : &p->scalars, sn_result(op, 0), made);
}

MlirValue sn_row_element(SnBuilder *b, SnRowProgram *p, SnColumn *c, MlirValue v) {
  if (!sn_is_row(v))
    return sn_lanes_broadcast(b, sn_row_scalar(p, v), c->width);
  MlirValue made = sn_mapped(&c->made, v);
  if (!sn_none(made))
    return made;
  MlirOperation op = sn_definer(v);
  const SnKept *stored = kept(p, v);
  if (stored && p->phase > stored->first) {
    made = sn_row_load_scratch(b, c, &(SnRowSource){.memref = stored->memref}, sn_element(sn_type_of(v)));
    if (!sn_none(stored->factors)) {
      MlirValue at = sn(b, "arith.divui", c->index, sn_index(b, stored->per));
      MlirValue factor = sn(b, "memref.load", stored->factors, at, sn_element(sn_type_of(stored->factors)));
      made = sn(b, "arith.mulf", made, sn_lanes_broadcast(b, factor, c->width));
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

static MlirValue operand_at(SnBuilder *b, SnRowProgram *p, SnColumn *c, MlirOperation op, intptr_t k) {
  MlirValue x = sn_operand(op, k);
  return c && sn_is_row(x) ? sn_row_element(b, p, c, x)
                           : sn_row_scalar(p, x); // the condition of a select may be a scalar
}

// ---- emitters, one for each line of dialect/row_ops.h -----------------------------------------

static void emit_constant(SnBuilder *b, SnRowProgram *p, SnColumn *c, MlirOperation op) {
  MlirValue v = sn_result(op, 0);
  if (!c && p->row_lanes <= 1)
    sn_clone(b, op, &p->scalars);
  else
    becomes(p, c, op,
            sn_splat(b, sn_lanes_of(sn_element(sn_type_of(v)), c ? c->width : p->row_lanes), sn_constant_of(v)));
}

static void emit_elementwise(SnBuilder *b, SnRowProgram *p, SnColumn *c, MlirOperation op) {
  if (!c && p->row_lanes <= 1) {
    sn_clone(b, op, &p->scalars);
    return;
  }
  MlirValue operands[SN_MAX_ELEMENTWISE], hot = c ? one_hot(b, p, c, op) : (MlirValue){0};
  if (!sn_none(hot)) {
    becomes(p, c, op, hot);
    return;
  }
  assert(sn_num_operands(op) <= SN_MAX_ELEMENTWISE && "an elementwise op has few operands");
  if (c && p->no_hot_one && sn_is(op, "arith.select") && sn_is_row(sn_operand(op, 0)) &&
      !sn_null(sn_definer(sn_operand(op, 0))) && !sn_none(sn_row_label(p, sn_definer(sn_operand(op, 0))))) {
    bool ne = mlirIntegerAttrGetValueInt(sn_get_attr(sn_definer(sn_operand(op, 0)), "predicate"));
    becomes(p, c, op, sn_row_element(b, p, c, sn_operand(op, ne ? 1 : 2)));
    return;
  }
  for (intptr_t k = 0; k < sn_num_operands(op); ++k)
    operands[k] = operand_at(b, p, c, op, k);
  MlirOperation copy = sn_row_on_lanes(b, op, operands, c ? c->width : p->row_lanes);
  for (intptr_t k = 0; k < sn_num_results(op); ++k)
    sn_map(c ? &c->made : &p->scalars, sn_result(op, k), sn_result(copy, k));
  for (intptr_t k = 0; c && k < sn_num_results(op); ++k)
    keep(b, p, c, sn_result(op, k));
}

static void emit_cf_assert(SnBuilder *b, SnRowProgram *p, SnColumn *c, MlirOperation op) {
  assert(!c && "an assert is of a scalar, and gives nothing that a column would ask for");
  if (p->row_lanes <= 1) {
    sn_clone(b, op, &p->scalars);
    return;
  }
  MlirValue all = sn(b, "vector.reduction", sn_row_scalar(p, sn_operand(op, 0)), mlirIntegerTypeGet(b->ctx, 1),
                     sn_attr("kind", sn_parse_attr(b->ctx, "#vector.kind<and>")));
  sn_op(b, "cf.assert", all, sn_types(0, NULL), sn_attr("msg", sn_get_attr(op, "msg")));
}

static void emit_detach(SnBuilder *b, SnRowProgram *p, SnColumn *c, MlirOperation op) {
  becomes(p, c, op, operand_at(b, p, c, op, 0));
}

static void emit_broadcast(SnBuilder *b, SnRowProgram *p, SnColumn *c, MlirOperation op) {
  becomes(p, c, op, sn_lanes_broadcast(b, sn_row_scalar(p, sn_operand(op, 0)), c->width));
}

static void emit_index(SnBuilder *b, SnRowProgram *p, SnColumn *c, MlirOperation op) {
  intptr_t d = sn_row_named_dim(p->form, op);
  MlirValue v = c ? column_index(b, p, c, d) : p->dims[d];
  if (!c && p->row_lanes > 1) {
    v = sn_lanes_broadcast(b, v, p->row_lanes);
    if (d == p->form->num_rows - 1)
      v = sn(b, "arith.addi", v, sn(b, "vector.step", sn_vector(sn_index_type(b->ctx), p->row_lanes)));
  }
  becomes(p, c, op, v);
}

// Each lane's own element, or `otherwise`: lanes that are outside read column 0.
static MlirValue pick_lanes(SnBuilder *b, SnRowProgram *p, MlirOperation op, MlirValue t) {
  MlirValue zero = sn_zero(b, sn_type_of(t)), n = sn_lanes_broadcast(b, sn_form_columns(b, p->form), p->row_lanes);
  MlirValue in = sn_row_below(b, t, n);
  SnColumn c = sn_column(sn(b, "arith.select", in, t, zero), p->row_lanes);
  MlirValue element = sn_row_element(b, p, &c, sn_operand(op, 0));
  sn_column_free(&c);
  return sn(b, "arith.select", in, element, sn_row_scalar(p, sn_operand(op, 2)));
}

// The element of a row at t, or `otherwise`: no column is compared with t.
static MlirValue pick_one(SnBuilder *b, SnRowProgram *p, MlirOperation op, MlirValue t) {
  MlirValue in = sn_row_below(b, t, sn_form_columns(b, p->form));
  SnIf inside = sn_if(b, in, sn_type_of(sn_result(op, 0)));
  SnColumn c = sn_column(t, 1);
  MlirValue element = sn_row_element(b, p, &c, sn_operand(op, 0));
  sn_column_free(&c);
  sn_else(b, &inside, element);
  sn_end_if(b, &inside, sn_row_scalar(p, sn_operand(op, 2)));
  return sn_result(inside.op, 0);
}

static void emit_pick(SnBuilder *b, SnRowProgram *p, SnColumn *c, MlirOperation op) {
  MlirValue t = sn_row_as_index(b, sn_row_scalar(p, sn_operand(op, 1)));
  assert(!c && "it gives a scalar");
  becomes(p, c, op, p->row_lanes > 1 ? pick_lanes(b, p, op, t) : pick_one(b, p, op, t));
}

static void emit_gather(SnBuilder *b, SnRowProgram *p, SnColumn *c, MlirOperation op) {
  becomes(p, c, op, sn_row_gather(b, p, c, op));
}

// Its loop is the lowering's: sn_row_identity, sn_row_reduced and sn_row_combine are what that holds.
static void emit_row_reduce(SnBuilder *b, SnRowProgram *p, SnColumn *c, MlirOperation op) {
  (void)sn_row_scalar(p, sn_result(op, 0));
}

// sinter-split leaves none.
static void emit_row_product(SnBuilder *b, SnRowProgram *p, SnColumn *c, MlirOperation op) {
  assert(!"a form that is lowered is plain");
}

#define EMIT(id, ...) [SN_OP_##id] = emit_##id,
static void (*const emitters[SN_NUM_ROW_OPS])(SnBuilder *, SnRowProgram *, SnColumn *,
                                              MlirOperation) = {SN_ROW_OPS(EMIT)};
#undef EMIT

void sn_row_emit(SnBuilder *b, SnRowProgram *p, SnColumn *c, MlirOperation op) {
  emitters[sn_row_op_of(op)->id](b, p, c, op);
}

// rowprogram.c: a row program written out, value by value. See rowprogram.h.
//
//   ^row(%x: tensor<8xf32>):
//     %m = sinter.row_reduce maximumf %x       phase 0: loop { accumulate m over x }
//     %b = sinter.broadcast %m
//     %e = math.exp (arith.subf %x, %b)
//     %s = sinter.row_reduce add %e            phase 1: loop { accumulate s over exp(x - m) }
//     sinter.yield (arith.divf %e, %s)         phase 2: loop { store exp(x - m) / s }
//
// Rows are recomputed in each phase: only scalars live between loops.

#include "lowering/rowmemory.h"
#include <assert.h>

// ---- the program -------------------------------------------------------------

static MlirOperation first_op(MlirBlock block) { return mlirBlockGetFirstOperation(block); }
static MlirOperation next_op(MlirOperation op) { return mlirOperationGetNextInBlock(op); }

int sn_row_level(const SnRowProgram *p, MlirValue v) {
  for (size_t i = 0; i < p->values.size; ++i)
    if (sn_same(p->values.data[i], v))
      return p->levels.data[i];
  return 0;
}

// Values that a combiner region takes from outside of it count as operands.
typedef struct {
  const SnRowProgram *p;
  int level;
} Level;
static MlirWalkResult raise_level(MlirOperation op, void *user) {
  Level *l = user;
  for (intptr_t k = 0; k < sn_num_operands(op); ++k) {
    int level = sn_row_level(l->p, sn_operand(op, k));
    l->level = level > l->level ? level : l->level;
  }
  return MlirWalkResultAdvance;
}

static SnPhase *phase(SnRowProgram *p, int level) {
  while (p->phases.size <= (size_t)level)
    sn_push(&p->phases, (SnPhase){0});
  return &p->phases.data[level];
}

static void analyse(SnRowProgram *p) {
  phase(p, 0);
  MlirOperation end = mlirBlockGetTerminator(p->block);
  for (MlirOperation op = first_op(p->block); !sn_null(op) && !mlirOperationEqual(op, end); op = next_op(op)) {
    Level l = {p, 0};
    mlirOperationWalk(op, raise_level, &l, MlirWalkPreOrder);
    bool reduce = sn_row_op_has(op, SN_READS_ALL);
    if (reduce && !sn_unused(op))
      sn_push(&phase(p, l.level)->reduces, op);
    else
      phase(p, l.level);
    for (intptr_t k = 0; k < sn_num_results(op); ++k) {
      sn_push(&p->values, sn_result(op, k));
      sn_push(&p->levels, l.level + reduce);
    }
    phase(p, l.level + (reduce && !sn_unused(op)));
  }
  for (intptr_t k = 0; k < sn_num_operands(end); ++k)
    if (sn_is_row(sn_operand(end, k)))
      sn_push(&phase(p, sn_row_level(p, sn_operand(end, k)))->yields, k);
}

static SnRowSource from_access(const SnAccess *a, MlirValue memref) {
  SnRowSource s = {.memref = memref, .access = *a};
  s.access.value = memref;
  return s;
}

SnRowProgram sn_row_program(const SnForm *form, SnValues operands) {
  SnRowProgram p = {.form = form, .block = form->body};
  for (size_t k = 0; k < form->products.size; ++k)
    sn_push(&p.sources, (SnRowSource){.scratch = true});
  for (size_t k = sn_first_input(form); k < form->inputs.size; ++k)
    sn_push(&p.sources, from_access(&form->inputs.data[k], operands.n ? operands.data[k] : form->inputs.data[k].value));
  analyse(&p);
  return p;
}

SnRowProgram sn_finish_program(const SnForm *form, SnValues operands) {
  SnRowProgram p = {.form = form, .block = form->finish};
  for (size_t k = 0; k < form->accumulators.size; ++k)
    sn_push(&p.sources, (SnRowSource){.scratch = true});
  for (size_t k = sn_first_input(form); k < form->inputs.size; ++k)
    if (sn_is_uniform(form, k))
      sn_push(&p.sources, from_access(&form->inputs.data[k], operands.n ? operands.data[k] : form->inputs.data[k].value));
  analyse(&p);
  return p;
}

void sn_row_default_finish(SnForm *f, MlirLocation loc) {
  if (f->finish.ptr)
    return;
  SN_VEC(MlirType) types = {0};
  SN_VEC(MlirLocation) locs = {0};
  SnValueVec values = {0};
  for (size_t k = 0; k < f->accumulators.size; ++k) {
    sn_push(&types, sn_uses_cols(f, f->accumulators.data[k].map) ? sn_row_type(f, f->accumulators.data[k].type) : f->accumulators.data[k].type);
    sn_push(&locs, loc);
  }
  f->finish = mlirBlockCreate((intptr_t)types.size, types.data, locs.data);
  mlirRegionAppendOwnedBlock(mlirOperationGetRegion(f->op, 1), f->finish);
  for (size_t k = 0; k < types.size; ++k)
    sn_push(&values, mlirBlockGetArgument(f->finish, (intptr_t)k));
  SnBuilder b = sn_at_end(f->finish, loc);
  sn_op(&b, "sinter.yield", sn_values((intptr_t)values.size, values.data));
  sn_vec_free(&types);
  sn_vec_free(&locs);
  sn_vec_free(&values);
}

void sn_row_program_free(SnRowProgram *p) {
  for (size_t i = 0; i < p->phases.size; ++i) {
    sn_vec_free(&p->phases.data[i].reduces);
    sn_vec_free(&p->phases.data[i].yields);
  }
  sn_vec_free(&p->phases);
  sn_vec_free(&p->sources);
  sn_vec_free(&p->levels);
  sn_vec_free(&p->values);
  sn_vec_free(&p->kept);
  sn_map_free(&p->scalars);
}

void sn_row_set_scratch(SnRowProgram *p, intptr_t argument, MlirValue memref, MlirValue first, MlirValue offset) {
  p->sources.data[argument] = (SnRowSource){.memref = memref, .scratch = true, .first = first, .offset = offset};
}

MlirValue sn_row_yield(const SnRowProgram *p, intptr_t k) { return sn_operand(mlirBlockGetTerminator(p->block), k); }

bool sn_row_needs_whole_row(const SnRowProgram *p) {
  for (MlirOperation op = first_op(p->block); !sn_null(op); op = next_op(op))
    if (sn_row_op_has(op, SN_READS_ONE))
      return true;
  return p->phases.size > 1;
}

void sn_row_begin(SnRowProgram *p) { p->scalars.from.size = p->scalars.to.size = 0; }

// ---- refusals ------------------------------------------------------------------

static MlirLogicalResult check_block(MlirBlock block) {
  if (!sn_row_ops_known(block))
    return SN_FAIL;
  for (MlirOperation op = first_op(block); !sn_null(op); op = next_op(op))
    if (sn_is(op, "arith.constant") && sn_is_row(sn_result(op, 0)) && !sn_constant_of(sn_result(op, 0)).ptr)
      return sn_error(op, "a row constant of different elements is not lowered yet");
  return SN_OK;
}

MlirLogicalResult sn_row_program_check_sizes(const SnForm *f) {
  for (size_t d = 0; d < f->dims.size; ++d)
    if (f->dims.data[d].size == SN_DYNAMIC)
      return sn_error(f->op, "dimension '%.*s' of size `?` is not lowered yet: make it static", (int)f->dims.data[d].name.length, f->dims.data[d].name.data);
  for (size_t k = 0; k < f->inputs.size; ++k) {
    MlirType t = sn_type_of(f->inputs.data[k].value);
    for (intptr_t i = 0; i < sn_rank(t); ++i)
      if (sn_dim(t, i) == SN_DYNAMIC)
        return sn_error(f->op, "input %zu has a size `?`, which is not lowered yet: make it static", k);
  }
  return SN_OK;
}

MlirLogicalResult sn_row_program_check(const SnForm *f) {
  if (sn_failed(check_block(f->body)))
    return SN_FAIL;
  return f->finish.ptr ? check_block(f->finish) : SN_OK;
}

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

// A copy of an elementwise op on lanes: `operands` are emitted, results are given lanes.
static MlirOperation on_lanes(SnBuilder *b, MlirOperation op, const MlirValue *operands, int64_t width) {
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
  if (!p->one_hot_by_lane || !sn_is(op, "arith.cmpi") || p->row_lanes > 1 || p->form->num_cols != 1 || mlirIntegerAttrGetValueInt(sn_get_attr(op, "predicate")) > 1)
    return none; // eq, ne
  for (int k = 0; k < 2; ++k) {
    MlirValue index = sn_operand(op, k), t = broadcast_int(sn_operand(op, 1 - k));
    MlirOperation cast = sn_def(index, "arith.index_cast"), at = sn_def(sn_null(cast) ? index : sn_operand(cast, 0), "sinter.index");
    if (!sn_none(t) && !sn_null(at) && sn_bits(sn_element(sn_type_of(index))) >= 64)
      return t;
  }
  return none;
}

// index == t in a vector of columns j, j + 1, ...: lane == min(t - j, 255), for which i32 are wide enough. Indices of 64 bits would take
// two registers and their comparison four times as long. Null if the op is nothing of the kind.
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
    MlirValue near = sn(b, "arith.select", inside, sn(b, "arith.index_cast", at, i32), sn_int(b, i32, -((int64_t)1 << 30)));
    lane = sn(b, "arith.subi", near, sn(b, "arith.index_cast", c->index, i32));
  } else {
    MlirValue far = sn(b, "arith.subi", sn_row_as_index(b, sn_row_scalar(p, t)), c->index);
    lane = sn(b, "arith.index_cast", sn(b, "arith.minui", far, sn_index(b, 255)), i32);
  }
  MlirValue lanes = sn(b, "arith.index_cast", sn(b, "vector.step", sn_vector(sn_index_type(b->ctx), c->width)), sn_vector(i32, c->width));
  return sn(b, "arith.cmpi", lanes, sn_lanes_broadcast(b, lane, c->width), sn_attr("predicate", sn_i64(b->ctx, predicate)));
}

// What an operation of the row program gives: at the column, or without one (null) once for the row.
static void becomes(SnRowProgram *p, SnColumn *c, MlirOperation op, MlirValue made) { sn_map(c ? &c->made : &p->scalars, sn_result(op, 0), made); }

static void emit(SnBuilder *b, SnRowProgram *p, SnColumn *c, MlirOperation op);

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
    made = s->scratch ? sn_row_load_scratch(b, c, s, sn_element(sn_type_of(v))) : sn_row_load_lanes(b, p, c, &s->access);
  } else {
    emit(b, p, c, op);
    return sn_mapped(&c->made, v);
  }
  sn_map(&c->made, v, made);
  return made;
}

static MlirValue operand_at(SnBuilder *b, SnRowProgram *p, SnColumn *c, MlirOperation op, intptr_t k) {
  MlirValue x = sn_operand(op, k);
  return c && sn_is_row(x) ? sn_row_element(b, p, c, x) : sn_row_scalar(p, x); // the condition of a select may be a scalar
}

// ---- emitters, one for each line of dialect/row_ops.h -----------------------------------------

static void emit_constant(SnBuilder *b, SnRowProgram *p, SnColumn *c, MlirOperation op) {
  MlirValue v = sn_result(op, 0);
  if (!c && p->row_lanes <= 1)
    sn_clone(b, op, &p->scalars);
  else
    becomes(p, c, op, sn_splat(b, sn_lanes_of(sn_element(sn_type_of(v)), c ? c->width : p->row_lanes), sn_constant_of(v)));
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
  if (c && p->no_hot_one && sn_is(op, "arith.select") && sn_is_row(sn_operand(op, 0)) && !sn_null(sn_definer(sn_operand(op, 0))) &&
      !sn_none(sn_row_label(p, sn_definer(sn_operand(op, 0))))) {
    bool ne = mlirIntegerAttrGetValueInt(sn_get_attr(sn_definer(sn_operand(op, 0)), "predicate"));
    becomes(p, c, op, sn_row_element(b, p, c, sn_operand(op, ne ? 1 : 2)));
    return;
  }
  for (intptr_t k = 0; k < sn_num_operands(op); ++k)
    operands[k] = operand_at(b, p, c, op, k);
  MlirOperation copy = on_lanes(b, op, operands, c ? c->width : p->row_lanes);
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

static void emit_detach(SnBuilder *b, SnRowProgram *p, SnColumn *c, MlirOperation op) { becomes(p, c, op, operand_at(b, p, c, op, 0)); }

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

static void emit_gather(SnBuilder *b, SnRowProgram *p, SnColumn *c, MlirOperation op) { becomes(p, c, op, sn_row_gather(b, p, c, op)); }

// Its loop is the lowering's: sn_row_identity, sn_row_reduced and sn_row_combine are what that holds.
static void emit_row_reduce(SnBuilder *b, SnRowProgram *p, SnColumn *c, MlirOperation op) {
  (void)sn_row_scalar(p, sn_result(op, 0));
}

#define EMIT(id, ...) [SN_OP_##id] = emit_##id,
static void (*const emitters[SN_NUM_ROW_OPS])(SnBuilder *, SnRowProgram *, SnColumn *, MlirOperation) = {SN_ROW_OPS(EMIT)};
#undef EMIT

static void emit(SnBuilder *b, SnRowProgram *p, SnColumn *c, MlirOperation op) { emitters[sn_row_op_of(op)->id](b, p, c, op); }

// ---- scalars ---------------------------------------------------------------------------------

static bool is_scalar_op(MlirOperation op) {
  if (sn_row_op_has(op, SN_READS_ALL)) // known behind the phase's loop
    return false;
  for (intptr_t k = 0; k < sn_num_results(op); ++k)
    if (sn_is_row(sn_result(op, k)))
      return false;
  return true;
}

void sn_row_scalars(SnBuilder *b, SnRowProgram *p, int at) {
  for (intptr_t k = 0; at == 0 && k < mlirBlockGetNumArguments(p->block); ++k) {
    MlirValue argument = mlirBlockGetArgument(p->block, k);
    const SnRowSource *s = &p->sources.data[k];
    if (s->scratch || sn_is_row(argument) || !sn_none(sn_mapped(&p->scalars, argument)))
      continue;
    if (mlirTypeIsAMemRef(sn_type_of(argument))) { // a table
      sn_map(&p->scalars, argument, s->memref);
      continue;
    }
    if (p->row_lanes > 1) {
      sn_map(&p->scalars, argument, sn_row_load_rows(b, p, NULL, &s->access));
      continue;
    }
    MlirValue dims[SN_MAX_DIMS];
    sn_row_dims(b, p, NULL, 0, dims);
    sn_map(&p->scalars, argument, sn_row_load(b, p->form, &s->access, dims));
  }
  MlirOperation end = mlirBlockGetTerminator(p->block);
  for (MlirOperation op = first_op(p->block); !mlirOperationEqual(op, end); op = next_op(op)) {
    if (!is_scalar_op(op))
      continue;
    Level l = {p, 0};
    mlirOperationWalk(op, raise_level, &l, MlirWalkPreOrder);
    if (l.level == at)
      emit(b, p, NULL, op);
  }
}

// ---- reductions ----------------------------------------------------------------------------------

static const SnCombiner *combiner(MlirOperation reduce) {
  MlirAttribute kind = sn_get_attr(reduce, "kind");
  return kind.ptr ? sn_combiner(mlirStringAttrGetValue(kind)) : NULL;
}

MlirValue sn_row_identity(SnBuilder *b, SnRowProgram *p, MlirOperation reduce, int64_t width) {
  MlirType t = sn_type_of(sn_result(reduce, 0));
  const SnCombiner *c = combiner(reduce);
  return c ? sn_splat(b, sn_lanes_of(t, width), sn_combiner_identity(c, t))
           : sn_lanes_broadcast(b, sn_row_scalar(p, sn_operand(reduce, 1)), width);
}

MlirValue sn_row_reduced(SnBuilder *b, SnRowProgram *p, SnColumn *c, MlirOperation reduce) {
  MlirValue x = sn_row_element(b, p, c, sn_operand(reduce, 0));
  MlirType to = sn_type_of(sn_result(reduce, 0));
  // Only floats may be reduced in a wider type.
  return mlirTypeEqual(sn_element(sn_type_of(x)), to) ? x : sn(b, "arith.extf", x, sn_lanes_of(to, c->width));
}

// A combiner region on two accumulators, lane by lane.
static MlirValue combine_region(SnBuilder *b, SnRowProgram *p, MlirOperation reduce, MlirValue acc, MlirValue x) {
  MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(reduce, 0));
  MlirOperation end = mlirBlockGetTerminator(block);
  int64_t width = mlirTypeIsAVector(sn_type_of(x)) ? sn_dim(sn_type_of(x), 0) : 1;
  SnMap map = {0};
  sn_map(&map, mlirBlockGetArgument(block, 0), acc);
  sn_map(&map, mlirBlockGetArgument(block, 1), x);
  for (MlirOperation op = first_op(block); !mlirOperationEqual(op, end); op = next_op(op)) {
    if (sn_is(op, "arith.constant")) {
      MlirValue v = sn_result(op, 0);
      sn_map(&map, v, sn_splat(b, sn_lanes_of(sn_type_of(v), width), sn_constant_of(v)));
      continue;
    }
    MlirValue operands[SN_MAX_ELEMENTWISE];
    assert(sn_num_operands(op) <= 8);
    for (intptr_t k = 0; k < sn_num_operands(op); ++k) {
      MlirValue v = sn_operand(op, k);
      operands[k] = sn_mapped(&map, v);
      if (sn_none(operands[k])) // a scalar of the row program
        operands[k] = sn_lanes_broadcast(b, sn_row_scalar(p, v), width);
    }
    MlirOperation copy = on_lanes(b, op, operands, width);
    for (intptr_t k = 0; k < sn_num_results(op); ++k)
      sn_map(&map, sn_result(op, k), sn_result(copy, k));
  }
  MlirValue v = sn_operand(end, 0), result = sn_mapped(&map, v);
  if (sn_none(result))
    result = sn_lanes_broadcast(b, sn_row_scalar(p, v), width);
  sn_map_free(&map);
  return result;
}

MlirValue sn_row_combine(SnBuilder *b, SnRowProgram *p, MlirOperation reduce, MlirValue acc, MlirValue x) {
  const SnCombiner *c = combiner(reduce);
  return c ? sn_combine(b, c, acc, x) : combine_region(b, p, reduce, acc, x);
}

MlirValue sn_row_horizontal(SnBuilder *b, SnRowProgram *p, MlirOperation reduce, MlirValue v) {
  for (int64_t n = sn_dim(sn_type_of(v), 0); n > 2; n /= 2) {
    int64_t low[SN_MAX_LANES], high[SN_MAX_LANES];
    assert(n <= 128 && n % 2 == 0 && "a schedule's lanes are a power of two");
    for (int64_t i = 0; i < n / 2; ++i) {
      low[i] = i;
      high[i] = i + n / 2;
    }
    MlirValue l = sn(b, "vector.shuffle", v, v, sn_attr("mask", mlirDenseI64ArrayGet(b->ctx, n / 2, low)));
    MlirValue h = sn(b, "vector.shuffle", v, v, sn_attr("mask", mlirDenseI64ArrayGet(b->ctx, n / 2, high)));
    v = sn_row_combine(b, p, reduce, l, h);
  }
  MlirValue low = sn_lane(b, v, 0), high = sn_lane(b, v, 1); // a vector of one lane is no scalar
  return sn_row_combine(b, p, reduce, low, high);
}

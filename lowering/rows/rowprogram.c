// rowprogram.c: a row program written out, value by value. See rowprogram.h.
//
//   ^row(%x: tensor<8xf32>):
//     %m = sinter.row_reduce maximumf %x       phase 0: loop { accumulate m over x }
//     %b = sinter.broadcast %m
//     %e = math.exp (arith.subf %x, %b)
//     %s = sinter.row_reduce add %e            phase 1: loop { accumulate s over exp(x - m) }
//     sinter.yield (arith.divf %e, %s)         phase 2: loop { store exp(x - m) / s }
//
// Rows are recomputed in each phase: only scalars live between loops. How phases are cut and walked is in rowphases.c,
// what an operation becomes in rowemit.c.

#include "lowering/rows/rowmemory.h"
#include "lowering/rows/rowparts.h"
#include <assert.h>

// ---- the program -------------------------------------------------------------

static MlirOperation first_op(MlirBlock block) { return mlirBlockGetFirstOperation(block); }
static MlirOperation next_op(MlirOperation op) { return mlirOperationGetNextInBlock(op); }

static SnRowSource from_access(const SnAccess *a, MlirValue memref) {
  SnRowSource s = {.memref = memref, .access = *a};
  s.access.value = memref;
  return s;
}

SnRowProgram sn_row_program(const SnForm *form, SnValues operands) {
  SnRowProgram p = {.form = form, .block = form->body, .row = {.rows = 1}};
  for (size_t k = 0; k < form->products.size; ++k)
    sn_push(&p.sources, (SnRowSource){.scratch = true});
  for (size_t k = sn_first_input(form); k < form->inputs.size; ++k)
    sn_push(&p.sources, from_access(&form->inputs.data[k], operands.n ? operands.data[k] : form->inputs.data[k].value));
  sn_row_cut(&p);
  return p;
}

SnRowProgram sn_finish_program(const SnForm *form, SnValues operands) {
  SnRowProgram p = {.form = form, .block = form->finish, .row = {.rows = 1}};
  for (size_t k = 0; k < form->accumulators.size; ++k)
    sn_push(&p.sources, (SnRowSource){.scratch = true});
  for (size_t k = sn_first_input(form); k < form->inputs.size; ++k)
    if (sn_is_uniform(form, k))
      sn_push(&p.sources,
              from_access(&form->inputs.data[k], operands.n ? operands.data[k] : form->inputs.data[k].value));
  sn_row_cut(&p);
  return p;
}

void sn_row_default_finish(SnForm *f, MlirLocation loc) {
  if (f->finish.ptr)
    return;
  SN_VEC(MlirType) types = {0};
  SN_VEC(MlirLocation) locs = {0};
  SnValueVec values = {0};
  for (size_t k = 0; k < f->accumulators.size; ++k) {
    sn_push(&types, sn_uses_cols(f, f->accumulators.data[k].map) ? sn_row_type(f, f->accumulators.data[k].type)
                                                                 : f->accumulators.data[k].type);
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
  sn_table_free(&p->levels);
  sn_vec_free(&p->values);
  sn_vec_free(&p->kept);
  sn_fragment_free(&p->row);
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

void sn_row_begin(SnRowProgram *p) { sn_map_clear(&p->row.made); }

// ---- refusals ------------------------------------------------------------------

// What of a block has no lowering yet, and why; null: nothing.
static MlirOperation refused(MlirBlock block, const char **why) {
  for (MlirOperation op = first_op(block); !sn_null(op); op = next_op(op))
    if (sn_is(op, "arith.constant") && sn_is_row(sn_result(op, 0)) && !sn_constant_of(sn_result(op, 0)).ptr) {
      *why = "a row constant of different elements is not lowered yet";
      return op;
    }
  return (MlirOperation){0};
}

static MlirLogicalResult check_block(MlirBlock block) {
  const char *why = NULL;
  if (!sn_row_ops_known(block))
    return SN_FAIL;
  MlirOperation op = refused(block, &why);
  return sn_null(op) ? SN_OK : sn_error(op, "%s", why);
}

const char *sn_row_program_refusal(const SnForm *f) {
  const char *why = NULL;
  refused(f->body, &why);
  for (size_t s = 0; s < f->sides.size; ++s)
    if (f->sides.data[s].program.ptr)
      refused(f->sides.data[s].program, &why);
  if (f->finish.ptr)
    refused(f->finish, &why);
  return why;
}

MlirLogicalResult sn_row_program_check_sizes(const SnForm *f) {
  for (size_t d = 0; d < f->dims.size; ++d)
    if (f->dims.data[d].size == SN_DYNAMIC)
      return sn_error(f->op, "dimension '%.*s' of size `?` is not lowered yet: make it static",
                      (int)f->dims.data[d].name.length, f->dims.data[d].name.data);
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
  for (size_t s = 0; s < f->sides.size; ++s)
    if (f->sides.data[s].program.ptr && sn_failed(check_block(f->sides.data[s].program)))
      return SN_FAIL;
  return f->finish.ptr ? check_block(f->finish) : SN_OK;
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

MlirValue sn_row_reduced(SnBuilder *b, SnRowProgram *p, SnFragment *c, MlirOperation reduce) {
  MlirValue x = sn_row_element(b, p, c, sn_operand(reduce, 0));
  MlirType to = sn_type_of(sn_result(reduce, 0));
  // Only floats may be reduced in a wider type.
  return mlirTypeEqual(sn_element(sn_type_of(x)), to) ? x : sn(b, "arith.extf", x, sn_fragment_type(c, to));
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
    MlirOperation copy = sn_row_on_lanes(b, op, operands, width);
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
  SnReduction r = sn_reduction_of(p, reduce);
  return sn_reduction_lanes(b, &r, v);
}

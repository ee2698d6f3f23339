// finish.c: what a form computes once, behind all rows, where its accumulators are in several pieces.
//
//   finish { %m = %s / %n; %g }   ->   the piece that accumulates s and n divides,
//                                      the one that accumulates g hands it on
//
// A result of which no piece has all is a form of its own over what all pieces have accumulated.
//
// runs in: split    test: test/passes/split/split.mlir

#include "passes/split/pieces.h"

// Which arguments of the finish a value of it is made of.
static void made_of(MlirValue v, bool *of) {
  MlirOperation op = sn_definer(v);
  if (sn_null(op))
    of[mlirBlockArgumentGetArgNumber(v)] = true;
  for (intptr_t k = 0; !sn_null(op) && k < sn_num_operands(op); ++k)
    made_of(sn_operand(op, k), of);
}

// Which accumulators a reduced result needs, and behind them which inputs of the finish; with those of all that the
// finish asserts. Free them.
static bool *needs_of(const SnForm *f, size_t output) {
  bool *of = sn_alloc(f->accumulators.size + f->inputs.size + 1);
  size_t position = sn_output_position(f, output);
  if (!f->finish.ptr) {
    of[position] = true;
    return of;
  }
  made_of(sn_operand(mlirBlockGetTerminator(f->finish), (intptr_t)position), of);
  for (MlirOperation op = mlirBlockGetFirstOperation(f->finish); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    if (sn_is(op, "cf.assert"))
      made_of(sn_operand(op, 0), of);
  return of;
}

static bool accumulates_here(const SnPiece *p, size_t accumulator) {
  for (size_t i = 0; i < p->accumulators.size; ++i)
    if (p->accumulators.data[i] == accumulator)
      return true;
  return false;
}

// A reduced result of which all that it needs is here, and its rows are of the piece's group.
bool sn_finishes(const SnPiece *p, size_t output) {
  const SnForm *f = &p->s->f;
  int64_t group = p->s->finish_group;
  if (!sn_is_reduced(f, output) || p->s->done[output] || !p->accumulators.size ||
      (f->finish.ptr && group != SN_NO_GROUP && group != p->group))
    return false;
  bool *of = needs_of(f, output), here = true;
  for (size_t k = 0; k < f->accumulators.size; ++k)
    here &= !of[k] || accumulates_here(p, k);
  free(of);
  return here;
}

bool sn_has_finish(const SnPiece *p) {
  for (size_t k = 0; k < p->s->f.outputs.size && p->s->f.finish.ptr; ++k)
    if (sn_finishes(p, k))
      return true;
  return false;
}

// A result that is finished elsewhere needs the accumulator.
bool sn_is_needed_elsewhere(const SnPiece *p, size_t accumulator) {
  const SnForm *f = &p->s->f;
  bool needed = false;
  for (size_t k = 0; k < f->outputs.size && !needed; ++k) {
    if (!sn_is_reduced(f, k) || sn_finishes(p, k))
      continue;
    bool *of = needs_of(f, k);
    needed = of[accumulator];
    free(of);
  }
  return needed;
}

// What the part of the finish that is here reads of the form's inputs.
void sn_need_uniform(SnPiece *p) {
  const SnForm *f = &p->s->f;
  for (size_t output = 0; output < f->outputs.size; ++output) {
    if (!sn_finishes(p, output))
      continue;
    bool *of = needs_of(f, output);
    for (size_t k = sn_first_input(f), argument = f->accumulators.size; k < f->inputs.size; ++k)
      if (sn_is_uniform(f, k) && of[argument++])
        sn_need(p, sn_input_argument(f, k));
    free(of);
  }
}

// Copies what makes the value, and each thing once.
static MlirValue copy_made(SnBuilder *b, MlirValue v, SnMap *map) {
  MlirOperation op = sn_definer(v);
  if (sn_none(sn_mapped(map, v)) && !sn_null(op)) {
    for (intptr_t k = 0; k < sn_num_operands(op); ++k)
      copy_made(b, sn_operand(op, k), map);
    sn_clone(b, op, map);
  }
  return sn_lookup(map, v);
}

static void copy_asserts(SnBuilder *b, const SnForm *f, SnMap *map) {
  for (MlirOperation op = mlirBlockGetFirstOperation(f->finish); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    if (sn_is(op, "cf.assert")) {
      copy_made(b, sn_operand(op, 0), map);
      sn_clone(b, op, map);
    }
}

// The part of the finish that is about accumulators of the piece: those that are handed on, then the results.
void sn_copy_finish(SnPiece *p, const SnForm *f, const SnValueVec *handed_on) {
  SnMap map = {0};
  intptr_t from = (intptr_t)f->accumulators.size, to = 0;
  for (size_t i = 0; i < p->accumulators.size; ++i)
    sn_map(&map, mlirBlockGetArgument(f->finish, (intptr_t)p->accumulators.data[i]),
           mlirBlockGetArgument(p->to.finish, to++));
  size_t first = sn_first_input(&p->to);
  for (size_t k = sn_first_input(f); k < f->inputs.size; ++k)
    if (sn_is_uniform(f, k)) {
      intptr_t at = to;
      for (size_t i = 0; i < p->reads.size; ++i) {
        if (sn_same(p->reads.data[i], sn_input_argument(f, k)))
          sn_map(&map, mlirBlockGetArgument(f->finish, from), mlirBlockGetArgument(p->to.finish, at));
        at += sn_is_uniform(&p->to, first + i);
      }
      ++from;
    }
  SnBuilder in = sn_at_end(p->to.finish, p->s->b.loc);
  SnValueVec yields = {0};
  copy_asserts(&in, f, &map);
  for (size_t i = 0; i < handed_on->size; ++i)
    sn_push(&yields, sn_lookup(&map, handed_on->data[i]));
  for (size_t k = 0; k < f->outputs.size; ++k)
    if (sn_finishes(p, k)) {
      intptr_t position = (intptr_t)sn_output_position(f, k);
      sn_push(&yields, copy_made(&in, sn_operand(mlirBlockGetTerminator(f->finish), position), &map));
    }
  sn_op(&in, "sinter.yield", sn_values((intptr_t)yields.size, yields.data), sn_types(0, NULL));
  sn_vec_free(&yields);
  sn_map_free(&map);
}

// ---- the finish, where no piece has all of it ----------------------------------------------------------

// A form without rows: the finish is its body, and the totals of all pieces come in.
bool sn_finish_form(SnCut *s, const SnTotals *totals) {
  SnForm *f = &s->f;
  SnForm to = {.num_cols = f->num_cols};
  MlirAffineExpr dims[SN_MAX_DIMS];
  int64_t from[SN_MAX_DIMS];
  for (int64_t d = 0; d < (int64_t)f->dims.size; ++d) {
    bool column = sn_is_col_dim(f, d);
    dims[d] = column ? mlirAffineDimExprGet(s->b.ctx, d - f->num_rows) : mlirAffineConstantExprGet(s->b.ctx, 0);
    if (!column)
      continue;
    from[to.dims.size] = d;
    sn_push(&to.dims, f->dims.data[d]);
  }
  for (size_t g = 0; g < f->groups.size; ++g)
    sn_push(&to.groups, ((SnGroup){f->groups.data[g].first - f->num_rows, f->groups.data[g].num_dims}));
  SnValueVec arguments = {0}; // of the finish, that come in
  for (size_t k = 0; k < f->accumulators.size; ++k)
    if (!sn_none(totals->data[k])) {
      sn_push(&to.inputs, ((SnAccess){.value = totals->data[k], .map = f->accumulators.data[k].map}));
      sn_push(&arguments, mlirBlockGetArgument(f->finish, (intptr_t)k));
    }
  intptr_t next = (intptr_t)f->accumulators.size;
  for (size_t k = sn_first_input(f); k < f->inputs.size; ++k)
    if (sn_is_uniform(f, k)) {
      sn_push(&to.inputs, f->inputs.data[k]);
      sn_push(&arguments, mlirBlockGetArgument(f->finish, next++));
    }
  for (size_t k = 0; k < f->outputs.size; ++k)
    if (sn_is_reduced(f, k) && !s->done[k])
      sn_push(&to.outputs, f->outputs.data[k]);
  for (size_t k = 0; k < to.inputs.size; ++k)
    to.inputs.data[k].map = sn_map_replace(to.inputs.data[k].map, f->num_cols, dims);
  for (size_t k = 0; k < to.outputs.size; ++k)
    to.outputs.data[k].map = sn_map_replace(to.outputs.data[k].map, f->num_cols, dims);
  sn_add_sizes(s, &to, from);
  MlirOperation made = sn_create_piece(s, &to, false);
  SnBuilder in = sn_at_end(to.body, s->b.loc);
  SnMap map = {0};
  for (size_t k = 0; k < arguments.size; ++k)
    sn_map(&map, arguments.data[k], sn_input_argument(&to, k));
  sn_vec_free(&arguments);
  SnValueVec yields = {0};
  copy_asserts(&in, f, &map);
  for (size_t k = 0; k < f->outputs.size; ++k)
    if (sn_is_reduced(f, k) && !s->done[k]) {
      intptr_t position = (intptr_t)sn_output_position(f, k);
      sn_replace_result(s, k, sn_written(&to, yields.size));
      sn_push(&yields, copy_made(&in, sn_operand(mlirBlockGetTerminator(f->finish), position), &map));
    }
  sn_op(&in, "sinter.yield", sn_values((intptr_t)yields.size, yields.data), sn_types(0, NULL));
  sn_vec_free(&yields);
  sn_map_free(&map);
  bool several = to.groups.size > 1;
  sn_form_free(&to);
  if (!several && s->crossing)
    sn_push(&s->crossing->ends, made);
  else if (!several)
    sn_tidy(made);
  if (!several)
    return true;
  SnCut end = {.f = sn_form_read(made), .how = s->how, .crossing = s->crossing, .ending = true, .b = s->b, .stages = 1};
  bool ok = sn_cut(&end);
  mlirOperationDestroy(made);
  return ok;
}

// The group of all rows of the finish.
int64_t sn_group_of_finish(const SnForm *f) {
  SnRowGroups groups;
  int64_t one, other, found = SN_NO_GROUP;
  sn_separate_loose(f, true);
  sn_row_groups(f, true, &groups, &one, &other);
  for (size_t i = 0; i < groups.n; ++i)
    found = found == SN_NO_GROUP || found == groups.group[i] ? groups.group[i] : SN_SEVERAL_GROUPS;
  sn_row_groups_free(&groups);
  return found;
}

// chained.c: two kernels made one, where a product goes on from a row of the first.
//
//   %h = contract (i) by (j) { tanh }             %o = contract (i) by (j) by (e) matrix (j) to (e) (%w[e, j]) {
//   %o = contract (i) by (e)                ->      %h = tanh
//     product (k) (%h[i, k], %w[e, k])              %u = row_product %h, %w
//     { %u + %bias }                                %u + %bias }
//
// Rows keep their lengths, so both bodies are copied as they are; only names of dimensions change. A side with a
// program becomes operations on the row, and what it reads becomes inputs.
//
// runs in: fuse    test: test/passes/fuse/chains.mlir

#include "dialect/row_ops.h"
#include "passes/merge/merge.h"

// ---- names of dimensions -----------------------------------------------------------

// What an operation of b names, as the merged form does.
static void rename_index(const SnChain *c, MlirOperation op) {
  const SnForm *b = &c->b;
  const SnRowOp *line = sn_row_op_of(op);
  for (size_t d = 0; line && line->names_dim && d < b->dims.size; ++d)
    if (sn_row_op_names(op, b->dims.data[d].name)) {
      SnDim to = c->merged.dims.data[mlirAffineDimExprGetPosition(c->b_dims[d])];
      sn_set_attr(op, "dim", mlirStringAttrGet(mlirOperationGetContext(op), to.name));
      return;
    }
}

// In programs of b's sides, which the merged form has copies of.
static void rename_in_sides(const SnChain *c) {
  size_t products = c->merged.products.size, first = 2 * c->a.products.size,
         matrices = 2 * products + c->a.matrices.size;
  for (size_t s = first; s < c->merged.sides.size; ++s) {
    MlirBlock program = c->merged.sides.data[s].program;
    if (!program.ptr || (s >= 2 * products && s < matrices))
      continue;
    for (MlirOperation op = mlirBlockGetFirstOperation(program); !sn_null(op); op = mlirOperationGetNextInBlock(op))
      rename_index(c, op);
  }
}

// ---- the body ----------------------------------------------------------------------

static MlirValue yielded(const SnForm *f, size_t output, const SnMap *map) {
  return sn_lookup(map, sn_operand(mlirBlockGetTerminator(f->body), (intptr_t)sn_output_position(f, output)));
}

// What b reads by input k, in the merged body.
static MlirValue read_by(const SnChain *c, size_t k, const SnMap *a_map) {
  if (c->b_place[k] >= 0)
    return sn_input_argument(&c->merged, (size_t)c->b_place[k]);
  return yielded(&c->a, (size_t)mlirOpResultGetResultNumber(c->b.inputs.data[k].value), a_map);
}

static void copy_renamed(const SnChain *c, SnBuilder *b, MlirBlock from, SnMap *map) {
  MlirOperation end = mlirBlockGetTerminator(from);
  for (MlirOperation op = mlirBlockGetFirstOperation(from); !mlirOperationEqual(op, end);
       op = mlirOperationGetNextInBlock(op))
    rename_index(c, sn_clone(b, op, map));
}

// Where an argument stands in the program that the form comes from.
static MlirLocation place_of(const SnForm *f, MlirValue argument) {
  return sn_is_plain(f) ? mlirOperationGetLocation(f->op) : mlirValueGetLocation(argument);
}

// Product p of b: the row that a makes, by its program if the side has one, times the other side.
static MlirValue multiply(const SnChain *c, SnBuilder *b, size_t p, size_t matrix, const SnMap *a_map) {
  SnSide side = sn_side(&c->b, 2 * p + (size_t)c->side[p]);
  MlirValue row;
  if (side.program.ptr) {
    SnMap map = {0};
    for (size_t k = 0; k < side.count; ++k)
      sn_map(&map, mlirBlockGetArgument(side.program, (intptr_t)k), read_by(c, side.first + k, a_map));
    copy_renamed(c, b, side.program, &map);
    row = sn_lookup(&map, sn_operand(mlirBlockGetTerminator(side.program), 0));
    sn_map_free(&map);
  } else {
    row = read_by(c, side.first, a_map);
  }
  SnBuilder at = *b;
  at.loc = place_of(&c->b, sn_product_argument(&c->b, p));
  return sn_row_product(&at, row, sn_matrix_argument(&c->merged, matrix), sn_type_of(sn_product_argument(&c->b, p)));
}

// Each argument of the merged body keeps its place in the program: so what is cut out again (sinter-split) has its own.
static void map_argument(const SnForm *f, SnMap *map, MlirValue from, MlirValue to) {
  sn_map(map, from, to);
  mlirBlockArgumentSetLocation(to, place_of(f, from));
}

static void map_a(const SnChain *c, SnMap *map) {
  const SnForm *a = &c->a;
  for (size_t p = 0; p < a->products.size; ++p)
    map_argument(a, map, sn_product_argument(a, p), sn_product_argument(&c->merged, p));
  for (size_t m = 0; m < a->matrices.size; ++m)
    map_argument(a, map, sn_matrix_argument(a, m), sn_matrix_argument(&c->merged, m));
  for (size_t k = sn_first_input(a); k < a->inputs.size; ++k)
    map_argument(a, map, sn_input_argument(a, k), sn_input_argument(&c->merged, (size_t)c->a_place[k]));
}

static void map_b(const SnChain *c, SnBuilder *body, const SnMap *a_map, SnMap *map) {
  const SnForm *b = &c->b;
  size_t product = c->a.products.size, matrix = c->a.matrices.size;
  for (size_t p = 0; p < b->products.size; ++p) {
    MlirValue from = sn_product_argument(b, p);
    if (c->side[p] < 0)
      map_argument(b, map, from, sn_product_argument(&c->merged, product++));
    else
      sn_map(map, from, multiply(c, body, p, matrix++, a_map));
  }
  for (size_t m = 0; m < b->matrices.size; ++m)
    map_argument(b, map, sn_matrix_argument(b, m), sn_matrix_argument(&c->merged, matrix++));
  for (size_t k = sn_first_input(b); k < b->inputs.size; ++k)
    if (c->b_place[k] >= 0)
      map_argument(b, map, sn_input_argument(b, k), read_by(c, k, a_map));
    else
      sn_map(map, sn_input_argument(b, k), read_by(c, k, a_map));
}

// What the merged form accumulates and gives of f's.
static bool has_accumulators(const SnChain *c, const SnForm *f) {
  bool reduces = f == &c->b;
  for (size_t k = 0; k < f->outputs.size && !reduces; ++k)
    reduces = c->keep[k] && sn_is_reduced(f, k);
  return reduces;
}
static bool gives(const SnChain *c, const SnForm *f, size_t output) { return f == &c->b || c->keep[output]; }

static void yield(const SnChain *c, SnBuilder *body, const SnMap *a_map, const SnMap *b_map) {
  const SnForm *forms[] = {&c->a, &c->b};
  const SnMap *maps[] = {a_map, b_map};
  SnValueVec all = {0};
  for (int i = 0; i < 2; ++i)
    for (size_t k = 0; k < forms[i]->accumulators.size && has_accumulators(c, forms[i]); ++k)
      sn_push(&all, sn_lookup(maps[i], sn_operand(mlirBlockGetTerminator(forms[i]->body), (intptr_t)k)));
  for (int i = 0; i < 2; ++i)
    for (size_t k = 0; k < forms[i]->outputs.size; ++k)
      if (gives(c, forms[i], k) && !sn_is_reduced(forms[i], k))
        sn_push(&all, yielded(forms[i], k, maps[i]));
  sn_op(body, "sinter.yield", sn_values((intptr_t)all.size, all.data), sn_types(0, NULL));
  sn_vec_free(&all);
}

// ---- the finish ------------------------------------------------------------------------

// The place of uniform input k among the arguments of f's finish.
static intptr_t finish_argument(const SnForm *f, size_t input) {
  intptr_t place = (intptr_t)f->accumulators.size;
  for (size_t k = sn_first_input(f); k < input; ++k)
    place += sn_is_uniform(f, k);
  return place;
}

// What f's finish gives of the accumulators from `first` on.
static void finish_of(const SnChain *c, SnBuilder *end, const SnForm *f, size_t first, SnValueVec *to) {
  const intptr_t *place = f == &c->a ? c->a_place : c->b_place;
  SnMap map = {0};
  for (size_t k = 0; k < f->accumulators.size && f->finish.ptr; ++k)
    sn_map(&map, mlirBlockGetArgument(f->finish, (intptr_t)k),
           mlirBlockGetArgument(c->merged.finish, (intptr_t)(first + k)));
  for (size_t k = sn_first_input(f); k < f->inputs.size && f->finish.ptr; ++k)
    if (sn_is_uniform(f, k))
      sn_map(&map, mlirBlockGetArgument(f->finish, finish_argument(f, k)),
             mlirBlockGetArgument(c->merged.finish, finish_argument(&c->merged, (size_t)place[k])));
  if (f->finish.ptr)
    sn_copy_ops(end, f->finish, &map);
  for (size_t k = 0; k < f->outputs.size; ++k) {
    if (!gives(c, f, k) || !sn_is_reduced(f, k))
      continue;
    intptr_t position = (intptr_t)sn_output_position(f, k);
    sn_push(to, f->finish.ptr ? sn_lookup(&map, sn_operand(mlirBlockGetTerminator(f->finish), position))
                              : mlirBlockGetArgument(c->merged.finish, (intptr_t)first + position));
  }
  sn_map_free(&map);
}

static void finish(const SnChain *c, MlirLocation loc) {
  SnBuilder end = sn_at_end(c->merged.finish, loc);
  SnValueVec all = {0};
  bool both = has_accumulators(c, &c->a);
  if (both)
    finish_of(c, &end, &c->a, 0, &all);
  finish_of(c, &end, &c->b, both ? c->a.accumulators.size : 0, &all);
  sn_op(&end, "sinter.yield", sn_values((intptr_t)all.size, all.data), sn_types(0, NULL));
  sn_vec_free(&all);
}

MlirOperation sn_chain(SnChain *c) {
  SnForm *a = &c->a, *b = &c->b, *to = &c->merged;
  SnBuilder at = sn_before(b->op);
  at.loc = sn_fuse_loc(mlirOperationGetLocation(a->op), at.loc);
  bool finishes = (a->finish.ptr && has_accumulators(c, a)) || b->finish.ptr;
  sn_form_create(&at, to, finishes);
  rename_in_sides(c);
  SnBuilder body = sn_at_end(to->body, at.loc);
  SnMap a_map = {0}, b_map = {0};
  map_a(c, &a_map);
  sn_copy_ops(&body, a->body, &a_map);
  body.loc = mlirOperationGetLocation(b->op);
  map_b(c, &body, &a_map, &b_map);
  copy_renamed(c, &body, b->body, &b_map);
  yield(c, &body, &a_map, &b_map);
  if (finishes)
    finish(c, at.loc);
  size_t result = 0;
  for (size_t k = 0; k < a->outputs.size; ++k)
    if (c->keep[k])
      mlirValueReplaceAllUsesOfWith(sn_result(a->op, (intptr_t)k), sn_result(to->op, (intptr_t)result++));
  for (size_t k = 0; k < b->outputs.size; ++k)
    mlirValueReplaceAllUsesOfWith(sn_result(b->op, (intptr_t)k), sn_result(to->op, (intptr_t)result++));
  sn_map_free(&a_map);
  sn_map_free(&b_map);
  mlirOperationDestroy(b->op);
  mlirOperationDestroy(a->op);
  return to->op;
}

// decompose.c: each kernel form becomes plain linalg, one op for each row operation.
//
//   ^row(%x: tensor<8xf32>):                              %0 = linalg.generic subf over (i, j)
//     %d = arith.subf %x, %y                       ->     %1 = linalg.generic mulf over (i, j)
//     %q = arith.mulf %d, %d                              %2 = linalg.generic addf over (i), j reduced
//     %s = sinter.row_reduce add %q
//
// This is what a form means: nothing is fused, and every value of a row program
// is a tensor over the dimensions that it depends on. Numbers of every other
// road are compared with those of this one. Schedules are ignored.
//
// new row operation: what it means, in linalg.
//
// runs in: sinter-cpu with policy=disabled, sinter-run --verify    test: test/passes/decompose/decompose.mlir

#include "dialect/row_ops.h"
#include "lowering/rows/rowprogram.h"
#include "passes/decompose/decompose.h"
#include <assert.h>

static SnDimSet row_dims(const SnDecompose *d) { return sn_dims_between(0, d->form.num_rows); }
static SnDimSet group_dims(SnGroup g) { return sn_dims_between(g.first, g.first + g.num_dims); }
// The columns of a row of a region.
static SnGroup group_of(const SnDecompose *d, MlirValue row) {
  if (!d->now)
    return d->summed;
  int64_t g = sn_row_group(d->now, row);
  return sn_group(&d->form, g > 0 ? (size_t)g : 0);
}
static SnDimSet col_dims(const SnDecompose *d, MlirValue row) { return group_dims(group_of(d, row)); }

static void become(SnDecompose *d, MlirValue v, SnGrid g) {
  sn_push(&d->from, v);
  sn_push(&d->to, g);
}
static SnGrid *grid_of(const SnDecompose *d, MlirValue v) {
  for (size_t k = d->from.size; k-- > 0;)
    if (sn_same(d->from.data[k], v))
      return &d->to.data[k];
  return NULL;
}

// ---- row operations ------------------------------------------------------------------

// `v` in type `to`, as a reduction or a product converts what it takes.
static MlirValue widened(SnBuilder *b, MlirValue v, MlirType to, bool is_unsigned) {
  MlirType from = sn_type_of(v);
  if (mlirTypeEqual(from, to))
    return v;
  if (sn_is_float(from))
    return sn(b, "arith.extf", v, to);
  return sn(b, is_unsigned || sn_bits(from) == 1 ? "arith.extui" : "arith.extsi", v, to);
}

static void decompose_constant(SnDecompose *d, MlirOperation op) {
  MlirAttribute value = sn_get_attr(op, "value"), scalar = sn_constant_of(sn_result(op, 0));
  if (scalar.ptr) {
    become(d, sn_result(op, 0), (SnGrid){.value = sn_constant(&d->b, scalar)});
    return;
  }
  // Not one value: a row that was flattened from the columns.
  SnGrid shape = sn_grid_empty(d, col_dims(d, sn_result(op, 0)), sn_element(mlirAttributeGetType(value)));
  SnGrid g = {sn_constant(&d->b, mlirDenseElementsAttrReshapeGet(value, sn_type_of(shape.value))), shape.map, false};
  become(d, sn_result(op, 0), g);
}

static void decompose_elementwise(SnDecompose *d, MlirOperation op) {
  SnGrid in[SN_MAX_ELEMENTWISE];
  SnDimSet dims = 0;
  intptr_t n = sn_num_operands(op);
  bool uniform = true;
  assert(n <= SN_MAX_ELEMENTWISE && "a row operation has few operands");
  for (intptr_t k = 0; k < n; ++k) {
    in[k] = *grid_of(d, sn_operand(op, k));
    dims |= sn_grid_dims(&in[k]);
    uniform &= !in[k].map.ptr;
  }
  MlirType types[SN_MAX_ELEMENTWISE];
  for (intptr_t k = 0; k < sn_num_results(op); ++k)
    types[k] = sn_element(sn_type_of(sn_result(op, k)));
  for (intptr_t k = 0; k < sn_num_results(op); ++k) {
    SnGrid made = {0};
    if (uniform) {
      MlirValue values[SN_MAX_ELEMENTWISE];
      for (intptr_t i = 0; i < n; ++i)
        values[i] = in[i].value;
      made.value = sn_result(sn_clone_as(&d->b, op, sn_values(n, values), sn_types(sn_num_results(op), types)), k);
    } else {
      SnGeneric g = sn_generic(d, dims, 0, n, in, sn_grid_empty(d, dims, types[k]));
      MlirOperation copy = sn_clone_as(&g.b, op, sn_values(n, g.args), sn_types(sn_num_results(op), types));
      made = sn_generic_end(&g, sn_result(copy, k));
    }
    become(d, sn_result(op, k), made);
  }
}

static void decompose_random(SnDecompose *d, MlirOperation op) { decompose_elementwise(d, op); }

static void decompose_index(SnDecompose *d, MlirOperation op) {
  MlirStringRef name = mlirStringAttrGetValue(sn_get_attr(op, "dim"));
  intptr_t k = 0;
  while (!mlirStringRefEqual(d->form.dims.data[k].name, name))
    ++k;
  SnDimSet dims = (SnDimSet)1 << k;
  SnGeneric g = sn_generic(d, dims, 0, 0, NULL, sn_grid_empty(d, dims, sn_index_type(d->ctx)));
  become(d, sn_result(op, 0), sn_generic_end(&g, sn_generic_index(&g, k)));
}

// `x` combined over `dims`, in type `to`. What a combiner region reads from around it comes as `captured`.
typedef struct {
  const SnCombiner *combiner; // NULL: the block
  MlirBlock block;
  SnValueVec captured;
} How;

static SnGrid reduce(SnDecompose *d, SnGrid x, SnDimSet dims, MlirType to, SnGrid init, const How *how) {
  SnGrid *in = sn_alloc((how->captured.size + 1) * sizeof *in);
  intptr_t n = 1;
  in[0] = sn_grid_cover(d, x, dims);
  SnDimSet left = (sn_grid_dims(&in[0]) | sn_grid_dims(&init)) & ~dims;
  for (size_t k = 0; k < how->captured.size; ++k) {
    in[n] = *grid_of(d, how->captured.data[k]);
    left |= sn_grid_dims(&in[n++]);
  }
  SnGeneric g = sn_generic(d, dims | left, dims, n, in, sn_grid_cover(d, init, left));
  free(in);
  const SnCombiner *c = how->combiner;
  MlirValue acc = g.args[n],
            v = widened(&g.b, g.args[0], to, c && (!strcmp(c->kind, "maxui") || !strcmp(c->kind, "minui")));
  if (c)
    return sn_generic_end(&g, sn_combine(&g.b, c, acc, v));
  SnMap map = {0};
  sn_map(&map, mlirBlockGetArgument(how->block, 0), acc);
  sn_map(&map, mlirBlockGetArgument(how->block, 1), v);
  for (size_t k = 0; k < how->captured.size; ++k)
    sn_map(&map, how->captured.data[k], g.args[k + 1]);
  MlirOperation end = mlirBlockGetTerminator(how->block);
  for (MlirOperation op = mlirBlockGetFirstOperation(how->block); !mlirOperationEqual(op, end);
       op = mlirOperationGetNextInBlock(op))
    sn_clone(&g.b, op, &map);
  SnGrid made = sn_generic_end(&g, sn_lookup(&map, sn_operand(end, 0)));
  sn_map_free(&map);
  return made;
}

static void captured(SnDecompose *d, MlirOperation user, How *how) {
  for (intptr_t i = 0; i < sn_num_operands(user); ++i)
    if (grid_of(d, sn_operand(user, i)))
      sn_push(&how->captured, sn_operand(user, i));
}

static void decompose_row_reduce(SnDecompose *d, MlirOperation op) {
  MlirAttribute kind = sn_get_attr(op, "kind");
  MlirType to = sn_type_of(sn_result(op, 0));
  How how = {.combiner = kind.ptr ? sn_combiner(mlirStringAttrGetValue(kind)) : NULL};
  SnGrid init;
  if (how.combiner) {
    init = (SnGrid){.value = sn_constant(&d->b, sn_combiner_identity(how.combiner, to))};
  } else {
    how.block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
    init = *grid_of(d, sn_operand(op, 1));
    for (MlirOperation in = mlirBlockGetFirstOperation(how.block); !sn_null(in); in = mlirOperationGetNextInBlock(in))
      captured(d, in, &how);
  }
  SnGrid made = reduce(d, *grid_of(d, sn_operand(op, 0)), col_dims(d, sn_operand(op, 0)), to, init, &how);
  become(d, sn_result(op, 0), made);
  sn_vec_free(&how.captured);
}

static MlirValue as_index(SnBuilder *b, MlirValue v) {
  return mlirTypeIsAIndex(sn_type_of(v)) ? v : sn(b, "arith.index_cast", v, sn_index_type(b->ctx));
}

// pick: the element of a row at t, guarded; the flattened t is split over the columns.
static void decompose_pick(SnDecompose *d, MlirOperation op) {
  SnGrid x = *grid_of(d, sn_operand(op, 0)), t = *grid_of(d, sn_operand(op, 1)),
         otherwise = *grid_of(d, sn_operand(op, 2));
  MlirType element = sn_type_of(sn_result(op, 0));
  SnGroup group = group_of(d, sn_operand(op, 0));
  SnDimSet cols = group_dims(group);
  SnDimSet dims = (sn_grid_dims(&x) & ~cols) | sn_grid_dims(&t) | sn_grid_dims(&otherwise);
  bool whole = x.map.ptr && !(sn_grid_dims(&x) & cols); // the same in each column: read as an operand
  int64_t first = group.first, end = first + group.num_dims;
  MlirValue sizes[SN_MAX_DIMS], at[SN_MAX_DIMS], n = sn_index(&d->b, 1);
  for (int64_t k = first; k < end; ++k)
    n = sn(&d->b, "arith.muli", n, sizes[k] = sn_grid_size(d, k));

  SnGrid in[] = {t, otherwise, whole ? x : (SnGrid){.value = x.value}};
  SnGeneric g = sn_generic(d, dims, 0, 3, in, sn_grid_empty(d, dims, element));
  SnBuilder *b = &g.b;
  MlirValue j = as_index(b, g.args[0]);
  MlirValue inside = sn(b, "arith.cmpi", j, n, sn_attr("predicate", sn_i64(b->ctx, 6))); // ult
  if (!x.map.ptr || whole) {
    become(d, sn_result(op, 0), sn_generic_end(&g, sn(b, "arith.select", inside, g.args[2], g.args[1])));
    return;
  }
  intptr_t rank = mlirAffineMapGetNumResults(x.map);
  for (intptr_t i = 0; i < rank; ++i) {
    intptr_t k = sn_map_dim(x.map, i);
    if (k < 0 || !(cols >> k & 1))
      at[i] =
          k < 0 ? sn_index(b, 0) : sn_generic_index(&g, k); // not inside of scf.if: linalg.index wants its op around it
  }
  SnIf branch = sn_if(b, inside, element);
  MlirValue col[SN_MAX_DIMS];
  for (int64_t k = end; k-- > first;) {
    col[k] = k == first ? j : sn(b, "arith.remui", j, sizes[k]);
    j = k == first ? j : sn(b, "arith.divui", j, sizes[k]);
  }
  for (intptr_t i = 0; i < rank; ++i) {
    intptr_t k = sn_map_dim(x.map, i);
    if (k >= 0 && cols >> k & 1)
      at[i] = col[k];
  }
  sn_else(b, &branch, sn(b, "tensor.extract", x.value, sn_values(rank, at), element));
  sn_end_if(b, &branch, g.args[1]);
  become(d, sn_result(op, 0), sn_generic_end(&g, sn_result(branch.op, 0)));
}

// gather: an element of the operand itself, guarded in each dimension.
static void decompose_gather(SnDecompose *d, MlirOperation op) {
  intptr_t rank = sn_num_operands(op) - 2;
  MlirValue table = grid_of(d, sn_operand(op, 0))->value, sizes[SN_MAX_DIMS], at[SN_MAX_DIMS];
  MlirType element = sn_element(sn_type_of(table));
  SnGrid in[SN_MAX_DIMS + 1];
  SnDimSet dims = 0;
  for (intptr_t k = 0; k <= rank; ++k) {
    in[k] = *grid_of(d, sn_operand(op, k + 1));
    dims |= sn_grid_dims(&in[k]);
  }
  for (intptr_t k = 0; k < rank; ++k)
    sizes[k] = sn(&d->b, "tensor.dim", table, sn_index(&d->b, k));
  SnGeneric g = sn_generic(d, dims, 0, rank + 1, in, sn_grid_empty(d, dims, element));
  SnBuilder *b = &g.b;
  MlirValue inside = sn_int(b, mlirIntegerTypeGet(b->ctx, 1), 1);
  for (intptr_t k = 0; k < rank; ++k) {
    at[k] = as_index(b, g.args[k]);
    inside = sn(b, "arith.andi", inside,
                sn(b, "arith.cmpi", at[k], sizes[k], sn_attr("predicate", sn_i64(b->ctx, 6)))); // ult
  }
  SnIf branch = sn_if(b, inside, element);
  sn_else(b, &branch, sn(b, "tensor.extract", table, sn_values(rank, at), element));
  sn_end_if(b, &branch, g.args[rank]);
  become(d, sn_result(op, 0), sn_generic_end(&g, sn_result(branch.op, 0)));
}

// cf.assert, at each point that its condition depends on.
static void decompose_cf_assert(SnDecompose *d, MlirOperation op) {
  SnGrid in = *grid_of(d, sn_operand(op, 0));
  SnGeneric g = sn_generic(d, 0, 0, 1, &in, sn_grid_empty(d, sn_grid_dims(&in), sn_element(sn_type_of(in.value))));
  sn_op(&g.b, "cf.assert", g.args[0], sn_attr("msg", sn_get_attr(op, "msg")), sn_types(0, NULL));
  sn_generic_end(&g, g.args[0]);
}

// The sum over `own` of x * y in type `type`, whatever else the two depend on.
static SnGrid multiplied(SnDecompose *d, SnGrid x, SnGrid y, SnDimSet own, MlirType type) {
  SnGrid in[] = {sn_grid_cover(d, x, own), y};
  SnDimSet left = (sn_grid_dims(&in[0]) | sn_grid_dims(&in[1])) & ~own;
  SnGrid zero = sn_grid_cover(d, (SnGrid){.value = sn_zero(&d->b, type)}, left);
  SnGeneric g = sn_generic(d, 0, own, 2, in, zero);
  MlirValue a = widened(&g.b, g.args[0], type, false), b = widened(&g.b, g.args[1], type, false);
  bool floats = sn_is_float(type);
  MlirValue m = sn(&g.b, floats ? "arith.mulf" : "arith.muli", a, b);
  return sn_generic_end(&g, sn(&g.b, floats ? "arith.addf" : "arith.addi", g.args[2], m));
}

static void decompose_row_product(SnDecompose *d, MlirOperation op) {
  MlirValue x = sn_operand(op, 0);
  MlirType type = sn_element(sn_type_of(sn_result(op, 0)));
  become(d, sn_result(op, 0),
         multiplied(d, *grid_of(d, x), *grid_of(d, sn_operand(op, 1)), col_dims(d, x), type));
}

static void same(SnDecompose *d, MlirOperation op) { become(d, sn_result(op, 0), *grid_of(d, sn_operand(op, 0))); }
static void decompose_broadcast(SnDecompose *d, MlirOperation op) { same(d, op); }
static void decompose_detach(SnDecompose *d, MlirOperation op) { same(d, op); }

#define DECOMPOSE(id, ...) [SN_OP_##id] = decompose_##id,
static void (*const meanings[SN_NUM_ROW_OPS])(SnDecompose *, MlirOperation) = {SN_ROW_OPS(DECOMPOSE)};
#undef DECOMPOSE

static void decompose_ops(SnDecompose *d, MlirBlock block) {
  MlirOperation end = mlirBlockGetTerminator(block);
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationEqual(op, end);
       op = mlirOperationGetNextInBlock(op)) {
    d->b.loc = mlirOperationGetLocation(op);
    meanings[sn_row_op_of(op)->id](d, op);
  }
  d->b.loc = mlirOperationGetLocation(d->form.op);
}

static void decompose_region(SnDecompose *d, bool finish) {
  SnRowGroups groups;
  int64_t one, other;
  sn_separate_loose(&d->form, finish);
  sn_row_groups(&d->form, finish, &groups, &one, &other);
  d->now = &groups;
  decompose_ops(d, finish ? d->form.finish : d->form.body);
  d->now = NULL;
  sn_row_groups_free(&groups);
}

// ---- forms -------------------------------------------------------------------------------

// A side's elements: what its access reads, or what its program makes of them.
static SnGrid side(SnDecompose *d, size_t number) {
  SnSide s = sn_side(&d->form, number);
  if (!s.program.ptr)
    return sn_grid_access(d, &d->form.inputs.data[s.first]);
  for (size_t k = 0; k < s.count; ++k)
    become(d, mlirBlockGetArgument(s.program, (intptr_t)k), sn_grid_access(d, &d->form.inputs.data[s.first + k]));
  d->summed = sn_side_summed(&d->form, number);
  decompose_ops(d, s.program);
  return *grid_of(d, sn_operand(mlirBlockGetTerminator(s.program), 0));
}

static SnGrid product(SnDecompose *d, size_t p) {
  SnGrid x = side(d, 2 * p), y = side(d, 2 * p + 1);
  return multiplied(d, x, y, group_dims(sn_side_summed(&d->form, 2 * p)), d->form.products.data[p].type);
}

static bool is_known(MlirOperation form) {
  SnForm f = sn_form_read(form);
  bool known = sn_row_ops_known(f.body) && (!f.finish.ptr || sn_row_ops_known(f.finish));
  for (size_t s = 0; s < f.sides.size && known; ++s)
    known = !f.sides.data[s].program.ptr || sn_row_ops_known(f.sides.data[s].program);
  sn_form_free(&f);
  return known;
}

static void decompose(MlirOperation op) {
  SnDecompose d = {.form = sn_form_read(op), .ctx = mlirOperationGetContext(op), .b = sn_before(op)};
  SnForm *f = &d.form;
  assert(f->dims.size <= SN_MAX_DIMS && "no form has so many dimensions");
  for (size_t p = 0; p < f->products.size; ++p)
    become(&d, sn_product_argument(f, p), product(&d, p));
  for (size_t m = 0; m < f->matrices.size; ++m)
    become(&d, sn_matrix_argument(f, m), side(&d, 2 * f->products.size + m));
  for (size_t k = sn_first_input(f); k < f->inputs.size; ++k)
    become(&d, sn_input_argument(f, k),
           sn_is_table(&f->inputs.data[k]) ? (SnGrid){.value = f->inputs.data[k].value}
                                           : sn_grid_access(&d, &f->inputs.data[k]));
  decompose_region(&d, false);

  // What is combined over all rows, then the finish.
  MlirOperation yield = mlirBlockGetTerminator(f->body),
                end = f->finish.ptr ? mlirBlockGetTerminator(f->finish) : yield;
  SN_VEC(SnGrid) reduced = {0};
  for (size_t k = 0; k < f->accumulators.size; ++k) {
    SnAccumulator *a = &f->accumulators.data[k];
    How how = {.combiner = sn_combiner(a->kind)};
    SnGrid identity = {.value = sn_constant(&d.b, sn_combiner_identity(how.combiner, a->type))};
    int64_t group = sn_group_of_map(f, a->map);
    SnDimSet cols = group >= 0 ? group_dims(sn_group(f, (size_t)group)) : 0;
    SnGrid x = sn_grid_cover(&d, *grid_of(&d, sn_operand(yield, (intptr_t)k)), row_dims(&d) | cols);
    sn_push(&reduced, reduce(&d, x, row_dims(&d), a->type, identity, &how));
  }
  if (f->finish.ptr) {
    intptr_t n = 0;
    for (size_t k = 0; k < reduced.size; ++k)
      become(&d, mlirBlockGetArgument(f->finish, n++), reduced.data[k]);
    for (size_t k = sn_first_input(f); k < f->inputs.size; ++k)
      if (sn_is_uniform(f, k))
        become(&d, mlirBlockGetArgument(f->finish, n++), *grid_of(&d, sn_input_argument(f, k)));
    decompose_region(&d, true);
  }
  for (size_t k = 0; k < f->outputs.size; ++k) {
    intptr_t at = (intptr_t)sn_output_position(f, k);
    bool over_rows = sn_is_reduced(f, k);
    SnGrid *g = over_rows && !f->finish.ptr ? &reduced.data[at] : grid_of(&d, sn_operand(over_rows ? end : yield, at));
    mlirValueReplaceAllUsesOfWith(sn_result(op, (intptr_t)k), sn_grid_store(&d, g, &f->outputs.data[k]));
  }
  mlirOperationDestroy(op);
  sn_vec_free(&reduced);
  sn_vec_free(&d.from);
  sn_vec_free(&d.to);
  sn_form_free(f);
}

bool sn_decompose_form(MlirOperation form) {
  bool known = is_known(form);
  if (known)
    decompose(form);
  return known;
}

// ---- the pass --------------------------------------------------------------------------------

typedef struct {
  const char *forms;
} Options;

static const char *const which[] = {"all", "refused", NULL};
static const SnOption options[] = {
    {SN_OPTION_STRING, "forms", "all, or those that no kernel can be yet, each with a remark", "all", which,
     offsetof(Options, forms)},
    {0},
};

// The form is legal, and no kernel can be it: said, and then it runs as what it means.
static bool is_refused(MlirOperation form) {
  SnForm f = sn_form_read(form);
  const char *why = sn_row_program_refusal(&f);
  if (why)
    sn_remark(form, "becomes linalg, as no kernel can be the form: %s", why);
  sn_form_free(&f);
  return why;
}

static MlirLogicalResult decompose_function(MlirOperation func, void *user) {
  const Options *o = user;
  bool all = !strcmp(o->forms, "all");
  const char *names[] = {"sinter.rowwise", "sinter.contract"};
  bool known = true;
  for (int i = 0; i < 2; ++i) {
    SnOpVec forms = sn_collect(func, names[i]);
    for (size_t k = 0; k < forms.size && known; ++k)
      if (sn_num_results(forms.data[k]) && (known = is_known(forms.data[k])) && // a form on memrefs is a kernel already
          (all || is_refused(forms.data[k])))
        decompose(forms.data[k]);
    sn_vec_free(&forms);
  }
  if (!known)
    return SN_FAIL;
  SnOpVec steps = sn_collect(func, "sinter.steps");
  for (size_t k = 0; k < steps.size && all; ++k)
    if (sn_num_results(steps.data[k]))
      sn_decompose_steps(steps.data[k]);
  sn_vec_free(&steps);
  sn_erase_dead(sn_function_body(func));
  return SN_OK;
}

static MlirLogicalResult run(const SnRun *run, MlirOperation op) {
  return sn_each_function(op, decompose_function, (void *)run->options);
}

MlirDialectHandle mlirGetDialectHandle__arith__(void);
MlirDialectHandle mlirGetDialectHandle__bufferization__(void);
MlirDialectHandle mlirGetDialectHandle__linalg__(void);
MlirDialectHandle mlirGetDialectHandle__memref__(void);
MlirDialectHandle mlirGetDialectHandle__scf__(void);
MlirDialectHandle mlirGetDialectHandle__tensor__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__arith__,
                                                      mlirGetDialectHandle__bufferization__,
                                                      mlirGetDialectHandle__linalg__,
                                                      mlirGetDialectHandle__memref__,
                                                      mlirGetDialectHandle__scf__,
                                                      mlirGetDialectHandle__tensor__,
                                                      NULL};

const SnPass sn_pass_decompose = {
    .argument = "sinter-decompose",
    .summary = "kernel forms as plain linalg, one op for each row operation",
    .dialects = dialects,
    .options = options,
    .options_size = sizeof(Options),
    .run = run,
};

// cost.c: what one run of a kernel moves and computes.
//
//   sinter.rowwise (i = 37) by (j = ?) ins(%x[i, j]) outs(%y[i]) { row_reduce add }
//   ->
//   {kind = "rowwise", flops = [array<i64: 37, 0, 1>], reads = [array<i64: 0, 37, 0, 1>], writes = [array<i64: 1, 37>]}
//
// Written down while the form is there to be read, made into numbers where its function is called (sinter-count). What
// is counted is in cost.h.
//
// relies on: sinter-outline
// runs in: sinter-cpu, sinter-gpu    test: test/lowering/cost.mlir

#include "dialect/row_groups.h"
#include "dialect/row_ops.h"
#include "lowering/host/cost.h"
#include "lowering/host/host.h"
#include "lowering/rows/rowsteps.h"
#include "mlir-c/Dialect/Linalg.h"

// ---- a form's numbers ----------------------------------------------------------------

typedef SN_VEC(int64_t) Product; // of cost.h

static int64_t times(int64_t x, int64_t y) {
  int64_t z;
  return __builtin_mul_overflow(x, y, &z) ? INT64_MAX : z;
}

typedef struct {
  MlirContext ctx;
  const SnForm *form;
} Reader;

// The argument of the kernel's function that an operand is.
static int64_t argument_of(const SnAccess *a) { return mlirBlockArgumentGetArgNumber(a->value); }

// The argument and the dimension that have the size of dimension d of the form (rule F7: there is one).
static bool find_size(const SnAccess *a, int64_t d, Product *p) {
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(a->map) && !a->fill.ptr; ++i)
    if (sn_map_dim(a->map, i) == d) {
      sn_push(p, argument_of(a));
      sn_push(p, i);
      return true;
    }
  return false;
}

static void times_size(const Reader *r, int64_t d, Product *p) {
  const SnForm *f = r->form;
  bool found = f->dims.data[d].size != SN_DYNAMIC;
  if (found)
    p->data[0] = times(p->data[0], f->dims.data[d].size);
  for (size_t k = 0; k < f->inputs.size && !found; ++k)
    found = find_size(&f->inputs.data[k], d, p);
  for (size_t k = 0; k < f->indices.size && !found; ++k)
    found = find_size(&f->indices.data[k], d, p);
  for (size_t k = 0; k < f->outputs.size && !found; ++k)
    found = find_size(&f->outputs.data[k], d, p);
}

static MlirAttribute taken(const Reader *r, Product *p) {
  MlirAttribute a = mlirDenseI64ArrayGet(r->ctx, (intptr_t)p->size, p->data);
  sn_vec_free(p);
  return a;
}

static bool uses(const SnForm *f, const SnAccess *a, int64_t d) {
  if (d < mlirAffineMapGetNumDims(a->map) && sn_map_uses(a->map, d))
    return true;
  for (intptr_t k = 0; a->through.ptr && k < mlirDenseArrayGetNumElements(a->through); ++k)
    if (uses(f, &f->indices.data[mlirDenseI64ArrayGetElement(a->through, k)], d))
      return true;
  return false;
}

// An access touches an element for each point of the dimensions that its subscripts use, directly or through index
// tensors. A table is read once for each element of the form: the body has its subscripts.
static MlirAttribute access_cost(const Reader *r, const SnAccess *a) {
  Product p = {0};
  const SnForm *f = r->form;
  sn_push(&p, argument_of(a));
  Product n = {0};
  sn_push(&n, 1);
  for (int64_t d = 0; d < (int64_t)f->dims.size; ++d)
    if (sn_is_table(a) ? d < f->num_rows + f->num_cols : uses(f, a, d))
      times_size(r, d, &n);
  for (size_t i = 0; i < n.size; ++i)
    sn_push(&p, n.data[i]);
  sn_vec_free(&n);
  return taken(r, &p);
}

static bool is_float_value(MlirValue v) { return sn_is_float(sn_element(sn_type_of(v))); }

// Operations on floats that one operation of a row program stands for, for each of its elements.
static int64_t flops_of(MlirOperation op) {
  static const char *const none[] = {"arith.constant", "arith.select", "arith.extf",    "arith.truncf",
                                     "arith.sitofp",   "arith.uitofp", "arith.bitcast", NULL};
  const SnRowOp *line = sn_row_op_of(op);
  if (!line || !sn_num_results(op) || !is_float_value(sn_result(op, 0)) || line->last == SN_READS_MATRIX)
    return 0;
  if (sn_row_op_has(op, SN_READS_ALL))
    return 1;
  for (const char *const *name = none; *name; ++name)
    if (sn_is(op, *name))
      return 0;
  if (sn_is(op, "math.fma"))
    return 2;
  return line->id == SN_OP_elementwise;
}

// Of rows, and of scalars once for each row. `rows` has a number for each group of columns, which `groups` tells apart
// (null: there is one).
static void count_body(MlirBlock body, const SnRowGroups *groups, int64_t *rows, int64_t *scalars) {
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !sn_null(op); op = mlirOperationGetNextInBlock(op)) {
    int64_t n = flops_of(op);
    bool all = n && sn_row_op_has(op, SN_READS_ALL), row = all || (n && sn_is_row(sn_result(op, 0)));
    int64_t group = groups && row ? sn_row_group(groups, all ? sn_operand(op, 0) : sn_result(op, 0)) : 0;
    *(row ? &rows[group > 0 ? group : 0] : scalars) += n;
  }
}

// `factor` for each row and each point of these columns and of others.
static MlirAttribute points(const Reader *r, int64_t factor, SnGroup columns, SnGroup others) {
  Product p = {0};
  sn_push(&p, factor);
  for (int64_t d = 0; d < r->form->num_rows; ++d)
    times_size(r, d, &p);
  for (int64_t d = columns.first; d < columns.first + columns.num_dims; ++d)
    times_size(r, d, &p);
  for (int64_t d = others.first; d < others.first + others.num_dims; ++d)
    times_size(r, d, &p);
  return taken(r, &p);
}

// The program of a side, once for each point of the dimensions that the side uses.
static MlirAttribute side_points(const Reader *r, size_t side, int64_t factor, bool rows) {
  Product p = {0};
  SnGroup summed = sn_side_summed(r->form, side);
  sn_push(&p, factor);
  for (int64_t d = 0; d < (int64_t)r->form->dims.size; ++d)
    if (sn_side_uses(r->form, side, d) && (rows || d < summed.first || d >= summed.first + summed.num_dims))
      times_size(r, d, &p);
  return taken(r, &p);
}

typedef SN_VEC(MlirAttribute) Attributes;

static MlirNamedAttribute listed(MlirContext ctx, const char *name, Attributes *all) {
  MlirNamedAttribute named = mlirNamedAttributeGet(mlirIdentifierGet(ctx, SN_STR(name)),
                                                   mlirArrayAttrGet(ctx, (intptr_t)all->size, all->data));
  sn_vec_free(all);
  return named;
}

static MlirAttribute cost_of_form(MlirContext ctx, const SnForm *f) {
  Reader r = {ctx, f};
  Attributes flops = {0}, reads = {0}, writes = {0};
  SnGroup none = {0, 0};
  int64_t rows[SN_MAX_DIMS + 1] = {0}, scalars = 0, one, other;
  SnMultiplied m;
  for (size_t k = 0; sn_multiplied(f, k, &m); ++k)
    sn_push(&flops, points(&r, 2, sn_group(f, m.group), m.summed));
  for (size_t s = 0; s < f->sides.size; ++s)
    if (f->sides.data[s].program.ptr) {
      int64_t of_rows = 0, of_scalars = 0;
      count_body(f->sides.data[s].program, NULL, &of_rows, &of_scalars);
      if (of_rows)
        sn_push(&flops, side_points(&r, s, of_rows, true));
      if (of_scalars)
        sn_push(&flops, side_points(&r, s, of_scalars, false));
    }
  SnRowGroups groups;
  sn_row_groups(f, false, &groups, &one, &other);
  count_body(f->body, &groups, rows, &scalars);
  sn_row_groups_free(&groups);
  for (size_t k = 0; k < f->accumulators.size; ++k) { // a row is added to the sum over rows
    int64_t group = sn_group_of_map(f, f->accumulators.data[k].map);
    if (sn_is_float(f->accumulators.data[k].type))
      *(group >= 0 ? &rows[group] : &scalars) += 1;
  }
  for (size_t g = 0; g < sn_num_groups(f); ++g)
    if (rows[g])
      sn_push(&flops, points(&r, rows[g], sn_group(f, g), none));
  if (scalars)
    sn_push(&flops, points(&r, scalars, none, none));
  for (size_t k = 0; k < f->inputs.size; ++k)
    sn_push(&reads, access_cost(&r, &f->inputs.data[k]));
  for (size_t k = 0; k < f->indices.size; ++k)
    sn_push(&reads, access_cost(&r, &f->indices.data[k]));
  for (size_t k = 0; k < f->outputs.size; ++k)
    sn_push(&writes, access_cost(&r, &f->outputs.data[k]));
  MlirNamedAttribute all[] = {listed(ctx, "flops", &flops),
                              mlirNamedAttributeGet(mlirIdentifierGet(ctx, SN_STR("kind")),
                                                    sn_string(ctx, f->contract ? "contract" : "rowwise")),
                              listed(ctx, "reads", &reads), listed(ctx, "writes", &writes)};
  return mlirDictionaryAttrGet(ctx, 4, all);
}

// Of a function that reads its first `inputs` arguments of n, and writes the others.
static MlirAttribute cost_of_arguments(MlirContext ctx, const char *kind, intptr_t inputs, intptr_t n) {
  Attributes reads = {0}, writes = {0};
  for (intptr_t k = 0; k < n; ++k) {
    int64_t whole[] = {k, INT64_MAX};
    sn_push(k < inputs ? &reads : &writes, mlirDenseI64ArrayGet(ctx, 2, whole));
  }
  MlirNamedAttribute all[] = {mlirNamedAttributeGet(mlirIdentifierGet(ctx, SN_STR("kind")), sn_string(ctx, kind)),
                              listed(ctx, "reads", &reads), listed(ctx, "writes", &writes)};
  return mlirDictionaryAttrGet(ctx, 3, all);
}

// ---- numbers of a call ------------------------------------------------------------------

static SnNumber number(int64_t n) { return (SnNumber){.known = n}; }
static bool is_known(SnNumber n) { return sn_none(n.value); }

MlirValue sn_number_value(SnBuilder *b, SnNumber n) {
  return is_known(n) ? sn_int(b, sn_type(b->ctx, "i64"), n.known) : n.value;
}

static SnNumber computed(SnBuilder *b, const char *op, SnNumber x, SnNumber y) {
  return (SnNumber){.value = sn(b, op, sn_number_value(b, x), sn_number_value(b, y))};
}

static SnNumber multiply(SnBuilder *b, SnNumber x, SnNumber y) {
  if (is_known(x) && is_known(y))
    return number(times(x.known, y.known));
  return is_known(y) && y.known == 1 ? x : computed(b, "arith.muli", x, y);
}

static SnNumber sum(SnBuilder *b, SnNumber x, SnNumber y) {
  int64_t both;
  if (!is_known(x) || !is_known(y))
    return computed(b, "arith.addi", x, y);
  return number(__builtin_add_overflow(x.known, y.known, &both) ? INT64_MAX : both);
}

static SnNumber least(SnBuilder *b, SnNumber x, SnNumber y) {
  if (is_known(x) && (is_known(y) || x.known == INT64_MAX))
    return x.known == INT64_MAX || x.known > y.known ? y : x;
  return computed(b, "arith.minsi", x, y);
}

static SnNumber size_of(SnBuilder *b, MlirValue memref, intptr_t d) {
  int64_t n = sn_dim(sn_type_of(memref), d);
  if (n != SN_DYNAMIC)
    return number(n);
  return (SnNumber){.value = sn(b, "arith.index_cast", sn_type(b->ctx, "i64"), sn_dim_of(b, memref, d))};
}

static SnNumber elements_of(SnBuilder *b, MlirValue memref) {
  SnNumber n = number(1);
  for (intptr_t d = 0; d < sn_rank(sn_type_of(memref)); ++d)
    n = multiply(b, n, size_of(b, memref, d));
  return n;
}

static SnNumber bytes_of(SnBuilder *b, MlirValue memref, SnNumber elements) {
  return multiply(b, elements, number((sn_bits(sn_element(sn_type_of(memref))) + 7) / 8));
}

static SnNumber product_at(SnBuilder *b, MlirOperation call, MlirAttribute p, intptr_t first) {
  SnNumber n = number(mlirDenseI64ArrayGetElement(p, first));
  for (intptr_t k = first + 1; k + 1 < mlirDenseArrayGetNumElements(p); k += 2)
    n = multiply(
        b, n, size_of(b, sn_operand(call, mlirDenseI64ArrayGetElement(p, k)), mlirDenseI64ArrayGetElement(p, k + 1)));
  return n;
}

// All accesses of one argument together move no more than it has.
static SnNumber moved(SnBuilder *b, MlirOperation call, MlirAttribute accesses) {
  SnNumber all = number(0);
  for (intptr_t argument = 0; argument < sn_num_operands(call); ++argument) {
    bool any = false;
    SnNumber n = number(0);
    MlirValue memref = sn_operand(call, argument);
    for (intptr_t k = 0; k < mlirArrayAttrGetNumElements(accesses); ++k) {
      MlirAttribute a = mlirArrayAttrGetElement(accesses, k);
      if (mlirDenseI64ArrayGetElement(a, 0) != argument || !mlirTypeIsAMemRef(sn_type_of(memref)))
        continue;
      SnNumber some = product_at(b, call, a, 1);
      n = any ? sum(b, n, some) : some;
      any = true;
    }
    if (any)
      all = sum(b, all, bytes_of(b, memref, least(b, n, elements_of(b, memref))));
  }
  return all;
}

SnKernelCost sn_cost_of_call(SnBuilder *b, MlirOperation call, MlirOperation kernel) {
  MlirAttribute cost = sn_get_attr(kernel, SN_COST);
  if (!cost.ptr) { // a kernel function of somebody else's
    SnNumber none = number(-1);
    return (SnKernelCost){none, none, none};
  }
  MlirAttribute flops = mlirDictionaryAttrGetElementByName(cost, SN_STR("flops"));
  SnKernelCost c = {moved(b, call, mlirDictionaryAttrGetElementByName(cost, SN_STR("reads"))),
                    moved(b, call, mlirDictionaryAttrGetElementByName(cost, SN_STR("writes"))),
                    number(flops.ptr ? 0 : -1)};
  for (intptr_t k = 0; flops.ptr && k < mlirArrayAttrGetNumElements(flops); ++k)
    c.flops = sum(b, c.flops, product_at(b, call, mlirArrayAttrGetElement(flops, k), 0));
  return c;
}

// ---- numbers of what stayed linalg ---------------------------------------------------------

// How often the body runs; -1 if a loop's size is not that of an operand.
static SnNumber iterations(SnBuilder *b, MlirOperation op) {
  MlirAttribute maps = mlirLinalgGetIndexingMapsAttribute(op);
  SnNumber n = number(1);
  intptr_t loops = maps.ptr && mlirArrayAttrGetNumElements(maps)
                       ? mlirAffineMapGetNumDims(mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(maps, 0)))
                       : 0;
  for (intptr_t d = 0; d < loops; ++d) {
    bool found = false;
    for (intptr_t k = 0; k < mlirArrayAttrGetNumElements(maps) && !found; ++k) {
      MlirAffineMap map = mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(maps, k));
      for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map) && !found; ++i)
        if ((found = sn_map_dim(map, i) == d))
          n = multiply(b, n, size_of(b, sn_operand(op, k), i));
    }
    if (!found)
      return number(-1);
  }
  return n;
}

SnKernelCost sn_cost_of_op(SnBuilder *b, MlirOperation op) {
  SnKernelCost c = {number(0), number(0), number(0)};
  bool linalg = sn_in_dialect(op, "linalg"), copy = sn_is(op, "memref.copy");
  MlirAttribute segments = sn_get_attr(op, "operandSegmentSizes");
  intptr_t outputs = linalg && segments.ptr && mlirDenseArrayGetNumElements(segments) > 1
                         ? mlirDenseI32ArrayGetElement(segments, 1)
                         : 1;
  if (!linalg && !copy) { // a launch or a loop: what it moves is not known
    SnNumber none = number(-1);
    return (SnKernelCost){none, none, none};
  }
  intptr_t n = sn_num_operands(op);
  for (intptr_t k = 0; k < n; ++k) {
    MlirValue v = sn_operand(op, k);
    if (!mlirTypeIsAMemRef(sn_type_of(v)))
      continue;
    SnNumber *to = k < n - outputs ? &c.read : &c.written;
    *to = sum(b, *to, bytes_of(b, v, elements_of(b, v)));
  }
  int64_t flops = 0, scalars = 0;
  if (linalg && mlirOperationGetNumRegions(op)) {
    count_body(mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0)), NULL, &flops, &scalars);
    SnNumber runs = scalars ? iterations(b, op) : number(0);
    c.flops = is_known(runs) && runs.known < 0 ? runs : multiply(b, runs, number(scalars));
  }
  return c;
}

// ---- the pass -------------------------------------------------------------------------

static MlirLogicalResult record(MlirOperation module, MlirOperation func) {
  if (!sn_get_attr(func, SN_KERNEL).ptr || !sn_function_body(func).ptr)
    return SN_OK;
  MlirContext ctx = mlirOperationGetContext(func);
  for (MlirOperation op = mlirBlockGetFirstOperation(sn_function_body(func)); !sn_null(op);
       op = mlirOperationGetNextInBlock(op)) {
    if (sn_is_steps(op)) {
      SnSteps s = sn_steps_read(op);
      sn_set_attr(func, SN_COST, cost_of_arguments(ctx, "steps", s.inputs, sn_num_operands(op)));
    } else if (sn_is_form(op)) {
      SnForm f = sn_form_read(op);
      sn_set_attr(func, SN_COST, cost_of_form(ctx, &f));
      sn_form_free(&f);
    }
  }
  return SN_OK;
}

static MlirLogicalResult run(const SnRun *run, MlirOperation module) { return sn_each(module, "func.func", record); }

const SnPass sn_pass_cost = {
    .argument = "sinter-cost",
    .summary = "each kernel function says what a run of it moves and computes",
    .anchor = "builtin.module",
    .run = run,
};

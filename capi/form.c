// form.c: a kernel form in plain C. See form.h.

#include "capi/form.h"
#include <assert.h>
#include <stdio.h>

bool sn_is_form(MlirOperation op) { return sn_is(op, "sinter.rowwise") || sn_is(op, "sinter.contract"); }

// ---- reading ------------------------------------------------------------------

static MlirAttribute element(MlirAttribute array, size_t i) {
  return array.ptr ? mlirArrayAttrGetElement(array, (intptr_t)i) : mlirAttributeGetNull();
}

// Groups, matrices and sides: attributes and regions that a plain form does not have.
static void read_groups(SnForm *f, MlirOperation op) {
  MlirAttribute groups = sn_get_attr(op, "groups"), matrices = sn_get_attr(op, "matrices"),
                counts = sn_get_attr(op, "side_sizes");
  int64_t first = f->num_rows;
  for (intptr_t i = 0; groups.ptr && i < mlirDenseArrayGetNumElements(groups); ++i) {
    SnGroup g = {first, mlirDenseI64ArrayGetElement(groups, i)};
    sn_push(&f->groups, g);
    first += g.num_dims;
  }
  for (intptr_t i = 0; matrices.ptr && i + 1 < mlirDenseArrayGetNumElements(matrices); i += 2)
    sn_push(&f->matrices,
            (SnMatrix){mlirDenseI64ArrayGetElement(matrices, i), mlirDenseI64ArrayGetElement(matrices, i + 1)});
  size_t input = 0;
  for (intptr_t i = 0; counts.ptr && i < mlirDenseArrayGetNumElements(counts); ++i) {
    SnSide s = {.first = input, .count = (size_t)mlirDenseI64ArrayGetElement(counts, i)};
    s.program = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 2 + i));
    sn_push(&f->sides, s);
    input += s.count;
  }
}

SnForm sn_form_read(MlirOperation op) {
  SnForm f = {.op = op, .contract = sn_is(op, "sinter.contract")};
  f.num_rows = sn_int_attr(op, "num_rows", 0);
  f.num_cols = sn_int_attr(op, "num_cols", 0);
  MlirAttribute names = sn_get_attr(op, "dims"), sizes = sn_get_attr(op, "sizes"), maps = sn_get_attr(op, "maps"),
                fills = sn_get_attr(op, "fills"), indirect = sn_get_attr(op, "indirect"),
                segments = sn_get_attr(op, "operandSegmentSizes");
  for (intptr_t i = 0; i < mlirArrayAttrGetNumElements(names); ++i)
    sn_push(&f.dims,
            (SnDim){mlirStringAttrGetValue(mlirArrayAttrGetElement(names, i)), mlirDenseI64ArrayGetElement(sizes, i)});
  if (f.contract) {
    MlirAttribute own = sn_get_attr(op, "product_dims"), types = sn_get_attr(op, "product_types");
    for (intptr_t i = 0; i < mlirArrayAttrGetNumElements(types); ++i)
      sn_push(&f.products, (SnProduct){mlirDenseI64ArrayGetElement(own, i),
                                       mlirTypeAttrGetValue(mlirArrayAttrGetElement(types, i))});
  }
  read_groups(&f, op);
  size_t inputs = (size_t)mlirDenseI32ArrayGetElement(segments, 0),
         indices = (size_t)mlirDenseI32ArrayGetElement(segments, 1);
  for (size_t k = 0; k < (size_t)sn_num_operands(op); ++k) {
    SnAccess a = {.value = sn_operand(op, (intptr_t)k), .map = mlirAffineMapAttrGetValue(element(maps, k))};
    if (k < inputs) {
      MlirAttribute fill = element(fills, k);
      a.fill = fill.ptr && mlirAttributeIsAUnit(fill) ? mlirAttributeGetNull() : fill;
      MlirAttribute through = element(indirect, k);
      a.through = through.ptr && mlirDenseArrayGetNumElements(through) ? through : mlirAttributeGetNull();
      sn_push(&f.inputs, a);
    } else if (k < inputs + indices) {
      sn_push(&f.indices, a);
    } else {
      sn_push(&f.outputs, a);
    }
  }
  MlirAttribute kinds = sn_get_attr(op, "accumulators"), acc_maps = sn_get_attr(op, "accumulator_maps"),
                acc_types = sn_get_attr(op, "accumulator_types");
  for (intptr_t i = 0; i < mlirArrayAttrGetNumElements(kinds); ++i)
    sn_push(&f.accumulators, (SnAccumulator){mlirStringAttrGetValue(mlirArrayAttrGetElement(kinds, i)),
                                             mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(acc_maps, i)),
                                             mlirTypeAttrGetValue(mlirArrayAttrGetElement(acc_types, i))});
  f.schedule = sn_get_attr(op, "schedule");
  f.body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  f.finish = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 1));
  return f;
}

void sn_form_free(SnForm *f) {
  sn_vec_free(&f->groups);
  sn_vec_free(&f->matrices);
  sn_vec_free(&f->sides);
  sn_vec_free(&f->dims);
  sn_vec_free(&f->products);
  sn_vec_free(&f->inputs);
  sn_vec_free(&f->indices);
  sn_vec_free(&f->outputs);
  sn_vec_free(&f->accumulators);
}

// ---- what a form's parts mean ----------------------------------------------------------

static bool uses_any(MlirAffineMap map, int64_t first, int64_t end) {
  for (int64_t d = first; d < end; ++d)
    if (sn_map_uses(map, d))
      return true;
  return false;
}
bool sn_uses_rows(const SnForm *f, MlirAffineMap map) { return uses_any(map, 0, f->num_rows); }
bool sn_uses_cols(const SnForm *f, MlirAffineMap map) { return uses_any(map, f->num_rows, f->num_rows + f->num_cols); }
bool sn_uses_all_rows(const SnForm *f, MlirAffineMap map) {
  for (int64_t d = 0; d < f->num_rows; ++d)
    if (!sn_map_uses(map, d))
      return false;
  return true;
}
bool sn_is_reduced(const SnForm *f, size_t output) { return !sn_uses_all_rows(f, f->outputs.data[output].map); }
size_t sn_num_reduced(const SnForm *f) {
  size_t n = 0;
  for (size_t k = 0; k < f->outputs.size; ++k)
    n += sn_is_reduced(f, k);
  return n;
}
size_t sn_output_position(const SnForm *f, size_t output) {
  bool reduced = sn_is_reduced(f, output);
  size_t n = reduced ? 0 : f->accumulators.size;
  for (size_t k = 0; k < output; ++k)
    n += sn_is_reduced(f, k) == reduced;
  return n;
}
size_t sn_next_position(const SnForm *f, size_t output, size_t seen[2]) {
  bool reduced = sn_is_reduced(f, output);
  return seen[reduced]++ + (reduced ? 0 : f->accumulators.size);
}
static int64_t product_of(const SnForm *f, int64_t first, int64_t end) {
  int64_t n = 1;
  for (int64_t d = first; d < end; ++d) {
    if (f->dims.data[d].size == SN_DYNAMIC)
      return SN_DYNAMIC;
    n = sn_times(n, f->dims.data[d].size);
  }
  return n;
}
int64_t sn_row_length(const SnForm *f) { return sn_group_length(f, 0); }
int64_t sn_num_rows(const SnForm *f) { return product_of(f, 0, f->num_rows); }
MlirType sn_row_type(const SnForm *f, MlirType element) { return sn_group_type(f, 0, element); }

// ---- groups and sides ------------------------------------------------------------------

SnGroup sn_group(const SnForm *f, size_t group) {
  return f->groups.size ? f->groups.data[group] : (SnGroup){f->num_rows, f->num_cols};
}
int64_t sn_group_length(const SnForm *f, size_t group) {
  SnGroup g = sn_group(f, group);
  return product_of(f, g.first, g.first + g.num_dims);
}
MlirType sn_group_type(const SnForm *f, size_t group, MlirType element) {
  int64_t n = sn_group_length(f, group);
  return sn_tensor(element, 1, &n);
}
int64_t sn_group_of_dim(const SnForm *f, int64_t d) {
  for (size_t g = 0; g < sn_num_groups(f); ++g) {
    SnGroup group = sn_group(f, g);
    if (d >= group.first && d < group.first + group.num_dims)
      return (int64_t)g;
  }
  return SN_NO_GROUP;
}
int64_t sn_group_of_map(const SnForm *f, MlirAffineMap map) {
  int64_t found = SN_NO_GROUP;
  for (size_t g = 0; g < sn_num_groups(f); ++g) {
    SnGroup group = sn_group(f, g);
    if (uses_any(map, group.first, group.first + group.num_dims))
      found = found == SN_NO_GROUP ? (int64_t)g : SN_SEVERAL_GROUPS;
  }
  return found;
}
int64_t sn_group_of_access(const SnForm *f, const SnAccess *a) {
  int64_t found = sn_group_of_map(f, a->map);
  for (intptr_t s = 0; a->through.ptr && s < mlirDenseArrayGetNumElements(a->through); ++s) {
    int64_t other = sn_group_of_map(f, f->indices.data[mlirDenseI64ArrayGetElement(a->through, s)].map);
    if (other != SN_NO_GROUP && other != found)
      found = found == SN_NO_GROUP ? other : SN_SEVERAL_GROUPS;
  }
  return found;
}
int64_t sn_group_of_product(const SnForm *f, size_t product) {
  for (int64_t d = f->num_rows; d < f->num_rows + f->num_cols && f->groups.size > 1; ++d)
    if (sn_side_uses(f, 2 * product, d) || sn_side_uses(f, 2 * product + 1, d))
      return sn_group_of_dim(f, d);
  return 0;
}

SnSide sn_side(const SnForm *f, size_t side) {
  return f->sides.size ? f->sides.data[side] : (SnSide){.first = side, .count = 1};
}
size_t sn_first_input(const SnForm *f) {
  size_t n = sn_num_sides(f);
  if (!n)
    return 0;
  SnSide last = sn_side(f, n - 1);
  return last.first + last.count;
}
int64_t sn_first_own(const SnForm *f, size_t product) {
  int64_t first = f->num_rows + f->num_cols;
  for (size_t p = 0; p < product; ++p)
    first += f->products.data[p].num_dims;
  return first;
}
SnGroup sn_side_summed(const SnForm *f, size_t side) {
  size_t products = f->products.size;
  if (side < 2 * products)
    return (SnGroup){sn_first_own(f, side / 2), f->products.data[side / 2].num_dims};
  return sn_group(f, (size_t)f->matrices.data[side - 2 * products].from);
}
bool sn_side_uses(const SnForm *f, size_t side, int64_t d) {
  SnSide s = sn_side(f, side);
  for (size_t k = s.first; k < s.first + s.count; ++k)
    if (sn_access_uses(f, &f->inputs.data[k], d))
      return true;
  MlirOperation op = s.program.ptr ? mlirBlockGetFirstOperation(s.program) : (MlirOperation){0};
  for (; !sn_null(op); op = mlirOperationGetNextInBlock(op)) {
    bool read = sn_is(op, "sinter.index") && mlirValueGetFirstUse(sn_result(op, 0)).ptr;
    MlirAttribute dim = read ? sn_get_attr(op, "dim") : mlirAttributeGetNull();
    if (dim.ptr && mlirAttributeIsAString(dim) && mlirStringRefEqual(mlirStringAttrGetValue(dim), f->dims.data[d].name))
      return true;
  }
  return false;
}
void sn_spell_sides(SnForm *f) {
  size_t n = sn_num_sides(f);
  for (size_t s = f->sides.size; s < n; ++s)
    sn_push(&f->sides, ((SnSide){.first = s, .count = 1}));
}

static SnAccess with_dims(const SnForm *f, SnAccess a, const MlirAffineExpr *dims) {
  a.map = sn_map_replace(a.map, (intptr_t)f->dims.size, dims);
  return a;
}

SnForm sn_side_form(const SnForm *f, size_t side, int64_t *dims) {
  SnSide s = sn_side(f, side);
  SnGroup summed = sn_side_summed(f, side);
  SnForm to = {.num_cols = summed.num_dims, .body = s.program};
  MlirAffineExpr exprs[SN_MAX_DIMS];
  MlirContext ctx = mlirAffineMapGetContext(f->inputs.data[s.first].map);
  to.num_rows = (int64_t)f->dims.size - summed.num_dims;
  for (int own = 0; own < 2; ++own) // rows, then columns
    for (int64_t d = 0; d < (int64_t)f->dims.size; ++d)
      if ((d >= summed.first && d < summed.first + summed.num_dims) == own) {
        dims[d] = (int64_t)to.dims.size;
        exprs[d] = mlirAffineDimExprGet(ctx, dims[d]);
        sn_push(&to.dims, f->dims.data[d]);
      }
  for (size_t k = s.first; k < s.first + s.count; ++k)
    sn_push(&to.inputs, with_dims(f, f->inputs.data[k], exprs));
  for (size_t k = 0; k < f->indices.size; ++k)
    sn_push(&to.indices, with_dims(f, f->indices.data[k], exprs));
  return to;
}

MlirType sn_side_element(const SnForm *f, size_t side) {
  SnSide s = sn_side(f, side);
  MlirValue v = s.program.ptr ? sn_operand(mlirBlockGetTerminator(s.program), 0) : f->inputs.data[s.first].value;
  return sn_element(sn_type_of(v));
}

MlirType sn_matrix_type(const SnForm *f, size_t matrix) {
  SnMatrix m = f->matrices.data[matrix];
  int64_t sizes[] = {sn_group_length(f, (size_t)m.from), sn_group_length(f, (size_t)m.to)};
  return sn_tensor(sn_side_element(f, 2 * f->products.size + matrix), 2, sizes);
}

// ---- accesses ------------------------------------------------------------------------------

MlirAffineMap sn_table_map(MlirContext ctx, intptr_t dims, intptr_t rank) {
  MlirAffineExpr given[SN_MAX_DIMS];
  assert(rank <= SN_MAX_DIMS && "the verifier checks the rank");
  for (intptr_t i = 0; i < rank; ++i)
    given[i] = mlirAffineSymbolExprGet(ctx, i);
  return mlirAffineMapGet(ctx, dims, rank, rank, given);
}
MlirType sn_access_type(const SnForm *f, const SnAccess *a) {
  if (sn_is_table(a))
    return sn_memref_like(sn_type_of(a->value), sn_element(sn_type_of(a->value)));
  MlirType e = sn_element(sn_type_of(a->value));
  int64_t group = sn_group_of_access(f, a);
  return group == SN_NO_GROUP ? e : sn_group_type(f, group < 0 ? 0 : (size_t)group, e);
}
bool sn_gives_size(const SnAccess *a, int64_t d) {
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(a->map) && !a->fill.ptr; ++i)
    if (sn_map_dim(a->map, i) == d)
      return true;
  return false;
}
const SnAccess *sn_form_access(const SnForm *f, size_t k) {
  size_t inputs = f->inputs.size, indices = f->indices.size;
  return k < inputs             ? &f->inputs.data[k]
         : k < inputs + indices ? &f->indices.data[k - inputs]
                                : &f->outputs.data[k - inputs - indices];
}
bool sn_access_uses(const SnForm *f, const SnAccess *a, int64_t d) {
  bool uses = sn_map_uses(a->map, d);
  for (intptr_t s = 0; a->through.ptr && s < mlirDenseArrayGetNumElements(a->through); ++s)
    uses |= sn_map_uses(f->indices.data[mlirDenseI64ArrayGetElement(a->through, s)].map, d);
  return uses;
}
MlirValue sn_input_argument(const SnForm *f, size_t input) {
  return mlirBlockGetArgument(f->body, (intptr_t)(f->products.size + f->matrices.size + input - sn_first_input(f)));
}
MlirValue sn_matrix_argument(const SnForm *f, size_t matrix) {
  return mlirBlockGetArgument(f->body, (intptr_t)(f->products.size + matrix));
}
MlirValue sn_product_argument(const SnForm *f, size_t product) {
  return mlirBlockGetArgument(f->body, (intptr_t)product);
}
bool sn_is_uniform(const SnForm *f, size_t input) {
  return input >= sn_first_input(f) && !uses_any(f->inputs.data[input].map, 0, (int64_t)f->dims.size) &&
         !f->inputs.data[input].through.ptr && !sn_is_table(&f->inputs.data[input]);
}
MlirStringRef sn_fresh_name(MlirContext ctx, const SnForm *f, const char *like) {
  char name[64];
  snprintf(name, sizeof name, "%s", like);
  for (int n = 1;; ++n) {
    bool taken = false;
    for (size_t d = 0; d < f->dims.size; ++d)
      taken |= mlirStringRefEqual(f->dims.data[d].name, SN_STR(name));
    if (!taken)
      return mlirIdentifierStr(mlirIdentifierGet(ctx, SN_STR(name)));
    snprintf(name, sizeof name, "%s%d", like, n);
  }
}

// ---- row programs ---------------------------------------------------------------------------

bool sn_is_row(MlirValue v) { return mlirTypeIsARankedTensor(sn_type_of(v)) && sn_rank(sn_type_of(v)) == 1; }

MlirValue sn_as_row(SnBuilder *b, MlirValue v, MlirType row) {
  if (sn_is_row(v))
    return v;
  int64_t n = sn_dim(row, 0);
  return sn(b, "sinter.broadcast", v, sn_tensor(sn_type_of(v), 1, &n));
}

MlirValue sn_broadcast_of(MlirValue v) {
  MlirOperation broadcast = sn_def(v, "sinter.broadcast");
  return sn_null(broadcast) ? (MlirValue){0} : sn_operand(broadcast, 0);
}

MlirValue sn_row_reduce(SnBuilder *b, const char *kind, MlirValue row, MlirType to) {
  return sn(b, "sinter.row_reduce", row, to, sn_attr("kind", sn_string(b->ctx, kind)), mlirRegionCreate());
}

MlirValue sn_row_product(SnBuilder *b, MlirValue row, MlirValue matrix, MlirType to) {
  return sn(b, "sinter.row_product", row, matrix, to);
}

bool sn_is_reduce(MlirOperation op, const char *kind) {
  if (!sn_is(op, "sinter.row_reduce"))
    return false;
  MlirAttribute is = sn_get_attr(op, "kind");
  return !kind || (is.ptr && mlirStringRefEqual(mlirStringAttrGetValue(is), SN_STR(kind)));
}

MlirOperation sn_reduce_of(MlirValue v, const char *kind) {
  MlirOperation op = sn_definer(v);
  return !sn_null(op) && sn_is_reduce(op, kind) ? op : (MlirOperation){0};
}

MlirValue sn_position(SnBuilder *b, const SnForm *f, intptr_t d) {
  MlirType index = sn_index_type(b->ctx);
  int64_t group = sn_group_of_dim(f, d);
  return sn(b, "sinter.index", group >= 0 ? sn_group_type(f, (size_t)group, index) : index,
            sn_attr("dim", mlirStringAttrGet(b->ctx, f->dims.data[d].name)));
}

MlirValue sn_under_broadcast(SnBuilder *b, MlirValue v) {
  MlirValue scalar = sn_broadcast_of(v);
  if (!sn_none(scalar))
    return scalar;
  MlirAttribute constant = sn_is_row(v) ? sn_constant_of(v) : mlirAttributeGetNull();
  return constant.ptr ? sn_constant(b, constant) : v;
}

typedef struct {
  MlirValue operands[SN_MAX_ELEMENTWISE];
  MlirType row; // null if all are scalars
} Lifted;

static Lifted lift(SnBuilder *b, const char *name, intptr_t n, const MlirValue *operands) {
  Lifted l = {.row = {0}};
  assert(n <= SN_MAX_ELEMENTWISE && "an elementwise op has few operands");
  for (intptr_t i = 0; i < n; ++i)
    if (sn_is_row(operands[i]))
      l.row = sn_type_of(operands[i]);
  bool select = !strcmp(name, "arith.select");
  for (intptr_t i = 0; i < n; ++i)
    l.operands[i] = l.row.ptr && !(select && i == 0) ? sn_as_row(b, operands[i], l.row) : operands[i];
  return l;
}

MlirValue sn_elementwise(SnBuilder *b, MlirOperation like, intptr_t n, const MlirValue *operands) {
  Lifted l = lift(b, sn_name(like), n, operands);
  MlirType result = sn_element(sn_type_of(sn_result(like, 0)));
  if (l.row.ptr) {
    int64_t size = sn_dim(l.row, 0);
    result = sn_tensor(result, 1, &size);
  }
  return sn_result(sn_clone_as(b, like, sn_values(n, l.operands), sn_types(1, &result)), 0);
}

void sn_row_assert(SnBuilder *b, MlirValue condition, MlirAttribute message) {
  if (sn_is_row(condition))
    condition = sn_row_reduce(b, "and", condition, sn_element(sn_type_of(condition)));
  sn_op(b, "cf.assert", condition, sn_attr("msg", message), sn_types(0, NULL));
}

MlirValue sn_row_op(SnBuilder *b, const char *name, MlirType element, intptr_t n, const MlirValue *operands) {
  Lifted l = lift(b, name, n, operands);
  if (!element.ptr)
    return sn(b, name, sn_values(n, l.operands));
  if (l.row.ptr) {
    int64_t size = sn_dim(l.row, 0);
    element = sn_tensor(element, 1, &size);
  }
  return sn(b, name, sn_values(n, l.operands), element);
}

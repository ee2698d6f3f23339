// form.c: a kernel form in plain C. See form.h.

#include "capi/form.h"
#include "capi/shim.h"
#include <assert.h>
#include <stdio.h>

bool sn_is_form(MlirOperation op) { return sn_is(op, "sinter.rowwise") || sn_is(op, "sinter.contract"); }

// ---- reading ------------------------------------------------------------------

static MlirAttribute element(MlirAttribute array, size_t i) {
  return array.ptr ? mlirArrayAttrGetElement(array, (intptr_t)i) : mlirAttributeGetNull();
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
  sn_vec_free(&f->dims);
  sn_vec_free(&f->products);
  sn_vec_free(&f->inputs);
  sn_vec_free(&f->indices);
  sn_vec_free(&f->outputs);
  sn_vec_free(&f->accumulators);
}

// ---- making ----------------------------------------------------------------------

typedef SN_VEC(MlirAttribute) Attrs;
typedef SN_VEC(MlirType) Types;

static SnAttr array(MlirContext ctx, const char *name, Attrs *attrs) {
  SnAttr a = sn_attr(name, mlirArrayAttrGet(ctx, (intptr_t)attrs->size, attrs->data));
  sn_vec_free(attrs);
  return a;
}

static MlirBlock block_of(MlirRegion region, Types *types, MlirLocation loc) {
  MlirLocation *locs = sn_alloc(types->size * sizeof *locs);
  for (size_t i = 0; i < types->size; ++i)
    locs[i] = loc;
  MlirBlock block = mlirBlockCreate((intptr_t)types->size, types->data, locs);
  mlirRegionAppendOwnedBlock(region, block);
  free(locs);
  sn_vec_free(types);
  return block;
}

MlirOperation sn_form_create(SnBuilder *b, SnForm *f, bool with_finish) {
  MlirContext ctx = b->ctx;
  Attrs names = {0}, maps = {0}, fills = {0}, indirect = {0}, kinds = {0}, acc_maps = {0}, acc_types = {0},
        product_types = {0};
  SN_VEC(int64_t) sizes = {0}, own = {0};
  SnValueVec operands = {0};
  Types results = {0}, body = {0}, finish = {0};
  bool filled = false;
  for (size_t i = 0; i < f->dims.size; ++i) {
    sn_push(&names, mlirStringAttrGet(ctx, f->dims.data[i].name));
    sn_push(&sizes, f->dims.data[i].size);
  }
  for (size_t p = 0; p < f->products.size; ++p) {
    sn_push(&own, f->products.data[p].num_dims);
    sn_push(&product_types, mlirTypeAttrGet(f->products.data[p].type));
    sn_push(&body, sn_row_type(f, f->products.data[p].type));
  }
  for (size_t k = 0; k < f->inputs.size; ++k) {
    SnAccess *a = &f->inputs.data[k];
    sn_push(&operands, a->value);
    sn_push(&maps, mlirAffineMapAttrGet(a->map));
    sn_push(&fills, a->fill.ptr ? a->fill : mlirUnitAttrGet(ctx));
    sn_push(&indirect, a->through.ptr ? a->through : mlirDenseI64ArrayGet(ctx, 0, NULL));
    filled |= a->fill.ptr != NULL;
    if (k >= sn_first_input(f))
      sn_push(&body, sn_access_type(f, a));
  }
  for (size_t k = 0; k < f->indices.size; ++k) {
    sn_push(&operands, f->indices.data[k].value);
    sn_push(&maps, mlirAffineMapAttrGet(f->indices.data[k].map));
  }
  for (size_t k = 0; k < f->outputs.size; ++k) {
    MlirType t = sn_type_of(f->outputs.data[k].value);
    sn_push(&operands, f->outputs.data[k].value);
    sn_push(&maps, mlirAffineMapAttrGet(f->outputs.data[k].map));
    if (mlirTypeIsARankedTensor(t))
      sn_push(&results, t);
  }
  for (size_t k = 0; k < f->accumulators.size; ++k) {
    SnAccumulator *a = &f->accumulators.data[k];
    sn_push(&kinds, mlirStringAttrGet(ctx, a->kind));
    sn_push(&acc_maps, mlirAffineMapAttrGet(a->map));
    sn_push(&acc_types, mlirTypeAttrGet(a->type));
    sn_push(&finish, sn_uses_cols(f, a->map) ? sn_row_type(f, a->type) : a->type);
  }
  for (size_t k = sn_first_input(f); k < f->inputs.size; ++k)
    if (sn_is_uniform(f, k))
      sn_push(&finish, sn_access_type(f, &f->inputs.data[k]));
  MlirRegion regions[2] = {mlirRegionCreate(), mlirRegionCreate()};
  f->body = block_of(regions[0], &body, b->loc);
  if (with_finish) {
    f->finish = block_of(regions[1], &finish, b->loc);
  } else {
    f->finish = (MlirBlock){0};
    sn_vec_free(&finish);
  }
  SnArg args[24], *a = args;
#define ADD(x) *a++ = SN_ARG(x)
  ADD(sn_values((intptr_t)operands.size, operands.data));
  ADD(sn_types((intptr_t)results.size, results.data));
  ADD(array(ctx, "dims", &names));
  ADD(sn_attr("sizes", mlirDenseI64ArrayGet(ctx, (intptr_t)sizes.size, sizes.data)));
  ADD(sn_attr("num_rows", sn_i64(ctx, f->num_rows)));
  ADD(sn_attr("num_cols", sn_i64(ctx, f->num_cols)));
  ADD(array(ctx, "maps", &maps));
  SnAttr fill_attr = array(ctx, "fills", &fills), indirect_attr = array(ctx, "indirect", &indirect);
  if (filled)
    ADD(fill_attr);
  if (f->indices.size)
    ADD(indirect_attr);
  ADD(array(ctx, "accumulators", &kinds));
  ADD(array(ctx, "accumulator_maps", &acc_maps));
  ADD(array(ctx, "accumulator_types", &acc_types));
  SnAttr product_attr = array(ctx, "product_types", &product_types);
  if (f->contract) {
    ADD(product_attr);
    ADD(sn_attr("product_dims", mlirDenseI64ArrayGet(ctx, (intptr_t)own.size, own.data)));
  }
  if (f->schedule.ptr)
    ADD(sn_attr("schedule", f->schedule));
  int32_t segments[] = {(int32_t)f->inputs.size, (int32_t)f->indices.size, (int32_t)f->outputs.size};
  ADD(sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(ctx, 3, segments)));
  ADD(regions[0]);
  ADD(regions[1]);
#undef ADD
  *a = (SnArg){.kind = SN_END};
  f->op = sn_build(b, f->contract ? "sinter.contract" : "sinter.rowwise", args);
  sn_vec_free(&sizes);
  sn_vec_free(&own);
  sn_vec_free(&operands);
  sn_vec_free(&results);
  return f->op;
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
static int64_t product_of(const SnForm *f, int64_t first, int64_t end) {
  int64_t n = 1;
  for (int64_t d = first; d < end; ++d) {
    if (f->dims.data[d].size == SN_DYNAMIC)
      return SN_DYNAMIC;
    n = sn_times(n, f->dims.data[d].size);
  }
  return n;
}
int64_t sn_row_length(const SnForm *f) { return product_of(f, f->num_rows, f->num_rows + f->num_cols); }
int64_t sn_num_rows(const SnForm *f) { return product_of(f, 0, f->num_rows); }
MlirType sn_row_type(const SnForm *f, MlirType element) {
  int64_t n = sn_row_length(f);
  return sn_tensor(element, 1, &n);
}
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
  bool row = sn_uses_cols(f, a->map);
  for (intptr_t s = 0; a->through.ptr && s < mlirDenseArrayGetNumElements(a->through); ++s)
    row |= sn_uses_cols(f, f->indices.data[mlirDenseI64ArrayGetElement(a->through, s)].map);
  return row ? sn_row_type(f, e) : e;
}
MlirValue sn_input_argument(const SnForm *f, size_t input) {
  return mlirBlockGetArgument(f->body, (intptr_t)(input - f->products.size));
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
  return sn(b, "sinter.index", sn_is_col_dim(f, d) ? sn_row_type(f, index) : index,
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

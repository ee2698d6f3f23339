// again_parts.c: a part of a product's rows at a time, in one buffer, and who multiplies it (again.c says which).
//
//   scf.for each 8064 of j
//     %d = contract (i) by (j = 8064) product (k) (h, a slice of w) { elementwise of numbers of rows } -> %buffer
//     %sum = contract (i) by (k) product (j) (%d, the same slice) { %sum + %acc }
//     a slice of %b = contract (j = 8064) by (k) product (i) (%d, h)
//
// runs in: split    test: test/passes/split/again.mlir, test/gpu/heads.test

#include "lowering/rows/rowmemory.h"
#include "passes/split/again.h"

// ---- memory ------------------------------------------------------------------------------------------

static MlirValue memory_of(SnBuilder *b, MlirValue v) {
  MlirType t = sn_type_of(v);
  return sn(b, "bufferization.to_buffer", v, sn_memref_like(t, sn_element(t)), sn_attr("read_only", sn_unit(b->ctx)));
}
static MlirValue tensor_of(SnBuilder *b, MlirValue memory) {
  MlirType t = sn_type_of(memory);
  return sn(b, "bufferization.to_tensor", memory, sn_tensor_like(t, sn_element(t)),
            sn_attr("restrict", sn_unit(b->ctx)), sn_attr("writable", sn_unit(b->ctx)));
}
static MlirValue allocated(SnBuilder *b, MlirType memref) {
  return sn(b, "memref.alloc", memref, sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b->ctx, 2, (int[]){0, 0})));
}
static MlirValue seen_as(SnBuilder *b, MlirValue memory, MlirType memref) {
  return sn(b, "builtin.unrealized_conversion_cast", memory, memref);
}

// So many of the first dimension's from `first` on, as memory by itself. A rank of one less: one of them.
static MlirValue slice(SnBuilder *b, MlirValue memory, MlirValue first, int64_t count, bool one) {
  MlirType t = sn_type_of(memory);
  intptr_t rank = sn_rank(t);
  int64_t shape[SN_MAX_DIMS], offsets[SN_MAX_DIMS] = {SN_DYNAMIC}, ones[SN_MAX_DIMS], stride = 1;
  int64_t strides[SN_MAX_DIMS];
  for (intptr_t d = rank; d-- > 0;) {
    shape[d] = d ? sn_dim(t, d) : count;
    ones[d] = 1;
    strides[d] = stride;
    stride *= sn_dim(t, d);
  }
  MlirAttribute layout = mlirStridedLayoutAttrGet(b->ctx, SN_DYNAMIC, rank, strides);
  MlirType view = mlirMemRefTypeGet(sn_element(t), rank, shape, layout, mlirAttributeGetNull());
  MlirValue seen = sn(b, "memref.subview", memory, first, view,
                      sn_attr("static_offsets", mlirDenseI64ArrayGet(b->ctx, rank, offsets)),
                      sn_attr("static_sizes", mlirDenseI64ArrayGet(b->ctx, rank, shape)),
                      sn_attr("static_strides", mlirDenseI64ArrayGet(b->ctx, rank, ones)),
                      sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b->ctx, 4, (int[]){1, 1, 0, 0})));
  return seen_as(b, seen, sn_memref(sn_element(t), rank - one, shape + one));
}

// ---- a part --------------------------------------------------------------------------------------------

// Where a part is: its number, the first of what is cut, how many.
typedef struct {
  MlirValue number, first;
  int64_t count;
} Part;

typedef struct {
  SnPartCopy in;
  SnForm to;
  MlirValue start; // where the part begins, an argument of the body
} Copy;

static MlirValue position_in_part(SnBuilder *b, const SnPartCopy *in) {
  const Copy *c = (const Copy *)in;
  MlirValue both[] = {sn_position(b, &c->to, in->dim), c->start};
  return sn_row_op(b, "arith.addi", (MlirType){0}, 2, both);
}

static SnAccess part_of_access(SnBuilder *b, const SnForm *f, const SnAccess *a, int64_t dim, const Part *part,
                               const SnMap *memory) {
  SnAccess to = *a;
  to.value = sn_lookup(memory, a->value);
  if (sn_access_uses(f, a, dim))
    to.value = slice(b, to.value, part->first, part->count, false);
  return to;
}

// The form's dimensions and products, with a part of the one that is cut.
static SnForm cut_dims(const SnForm *f, int64_t dim, int64_t count) {
  SnForm to = {.contract = true, .num_rows = f->num_rows, .num_cols = f->num_cols};
  for (size_t d = 0; d < f->dims.size; ++d) {
    sn_push(&to.dims, f->dims.data[d]);
    if ((int64_t)d == dim)
      to.dims.data[d].size = count;
  }
  sn_push(&to.products, f->products.data[0]);
  return to;
}

static void yield_row(SnBuilder *b, const SnForm *to, MlirValue v, MlirType element) {
  sn_op(b, "sinter.yield", sn_as_row(b, v, sn_row_type(to, element)), sn_types(0, NULL));
}

static bool names_position(const SnForm *f, int64_t dim) {
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    if (sn_is(op, "sinter.index") && sn_row_named_dim(f, op) == dim)
      return true;
  return false;
}

// A part of what would be stored, into `into`.
static void make_part(SnBuilder *b, const SnAgain *s, const Part *part, MlirValue into, const SnMap *memory) {
  const SnForm *f = &s->f;
  Copy c = {.in = {.f = f, .dim = s->dim, .position = position_in_part}, .to = cut_dims(f, s->dim, part->count)};
  c.in.to = &c.to;
  intptr_t first = sn_num_results(s->values) - (intptr_t)s->numbers.size;
  for (size_t k = 0; k < f->inputs.size; ++k) {
    SnAccess a = part_of_access(b, f, &f->inputs.data[k], s->dim, part, memory);
    sn_push(&c.to.inputs, a);
  }
  for (size_t k = 0; k < s->numbers.size; ++k) {
    MlirAffineExpr row = mlirAffineDimExprGet(b->ctx, 0);
    SnAccess a = {.value = sn_result(s->values, first + (intptr_t)k),
                  .map = mlirAffineMapGet(b->ctx, (intptr_t)f->dims.size, 0, 1, &row)};
    a = part_of_access(b, f, &a, s->dim, part, memory);
    sn_push(&c.to.inputs, a);
  }
  if (!sn_none(s->starts))
    sn_push(&c.to.inputs, ((SnAccess){.value = slice(b, s->starts, part->number, 1, true),
                                      .map = mlirAffineMapGet(b->ctx, (intptr_t)f->dims.size, 0, 0, NULL)}));
  sn_push(&c.to.outputs, ((SnAccess){.value = into, .map = f->outputs.data[s->output].map}));
  sn_form_create(b, &c.to, false);
  SnBuilder in = sn_at_end(c.to.body, b->loc);
  sn_map(&c.in.made, sn_product_argument(f, 0), sn_product_argument(&c.to, 0));
  for (size_t k = sn_first_input(f); k < f->inputs.size; ++k)
    sn_map(&c.in.made, sn_input_argument(f, k), sn_input_argument(&c.to, k));
  for (size_t k = 0; k < s->numbers.size; ++k)
    sn_map(&c.in.made, s->numbers.data[k], sn_input_argument(&c.to, f->inputs.size + k));
  if (!sn_none(s->starts))
    c.start =
        sn(&in, "arith.index_cast", sn_input_argument(&c.to, f->inputs.size + s->numbers.size), sn_index_type(b->ctx));
  MlirValue given = sn_operand(mlirBlockGetTerminator(f->body), (intptr_t)sn_output_position(f, s->output));
  yield_row(&in, &c.to, sn_copy_in_part(&in, &c.in, given), sn_element(sn_type_of(given)));
  sn_map_free(&c.in.made);
  sn_form_free(&c.to);
}

// What a reader makes of a part: a part of its own, or more of its sums, which are at `into`.
static void read_part(SnBuilder *b, const SnAgain *s, const SnAgainReader *r, const Part *part, MlirValue stored,
                      MlirValue into, const SnMap *memory) {
  SnForm f = sn_form_read(r->op);
  int64_t dim = r->dims[s->dim];
  Copy c = {.in = {.f = &f, .dim = dim, .position = position_in_part}, .to = cut_dims(&f, dim, part->count)};
  c.in.to = &c.to;
  for (size_t k = 0; k < f.inputs.size; ++k) {
    bool is_stored = sn_same(f.inputs.data[k].value, sn_result(s->f.op, (intptr_t)s->output));
    SnAccess a = f.inputs.data[k];
    if (is_stored)
      a.value = stored;
    else
      a = part_of_access(b, &f, &a, dim, part, memory);
    sn_push(&c.to.inputs, a);
  }
  MlirAffineMap map = f.outputs.data[0].map;
  MlirType t = sn_type_of(into);
  int64_t shape[SN_MAX_DIMS] = {1};
  for (intptr_t d = 0; d < sn_rank(t); ++d)
    shape[d + 1] = sn_dim(t, d);
  if (r->sums) { // what is there is read as another value: an element before it is written
    MlirAffineExpr exprs[SN_MAX_DIMS] = {mlirAffineConstantExprGet(b->ctx, 0)};
    for (intptr_t d = 0; d < sn_rank(t); ++d)
      exprs[d + 1] = mlirAffineMapGetResult(map, d);
    sn_push(&c.to.inputs,
            ((SnAccess){.value = seen_as(b, into, sn_memref(sn_element(t), sn_rank(t) + 1, shape)),
                        .map = mlirAffineMapGet(b->ctx, (intptr_t)f.dims.size, 0, sn_rank(t) + 1, exprs)}));
  } else {
    into = slice(b, into, part->first, part->count, false);
  }
  sn_push(&c.to.outputs, ((SnAccess){.value = into, .map = map}));
  sn_form_create(b, &c.to, false);
  SnBuilder in = sn_at_end(c.to.body, b->loc);
  MlirValue given = sn_operand(mlirBlockGetTerminator(f.body), 0), sum = sn_product_argument(&c.to, 0);
  if (r->sums) {
    MlirValue both[] = {sn_input_argument(&c.to, f.inputs.size), sum};
    given = sn_row_op(&in, sn_is_float(f.products.data[0].type) ? "arith.addf" : "arith.addi", (MlirType){0}, 2, both);
    yield_row(&in, &c.to, given, f.products.data[0].type);
  } else {
    sn_map(&c.in.made, sn_product_argument(&f, 0), sum);
    for (size_t k = sn_first_input(&f); k < f.inputs.size; ++k)
      sn_map(&c.in.made, sn_input_argument(&f, k), sn_input_argument(&c.to, k));
    yield_row(&in, &c.to, sn_copy_in_part(&in, &c.in, given), sn_element(sn_type_of(given)));
  }
  sn_map_free(&c.in.made);
  sn_form_free(&c.to);
  sn_form_free(&f);
}

// ---- all of them -----------------------------------------------------------------------------------------

// Zeros, over the rows and columns of the form, as its result lies.
static void fill_with_zeros(SnBuilder *b, const SnForm *f, MlirValue into) {
  SnForm to = {.num_rows = f->num_rows, .num_cols = f->num_cols};
  intptr_t n = (intptr_t)(f->num_rows + f->num_cols);
  MlirAffineExpr same[SN_MAX_DIMS];
  for (intptr_t d = 0; d < (intptr_t)f->dims.size; ++d)
    same[d] = d < n ? mlirAffineDimExprGet(b->ctx, d) : mlirAffineConstantExprGet(b->ctx, 0);
  for (intptr_t d = 0; d < n; ++d)
    sn_push(&to.dims, f->dims.data[d]);
  sn_push(&to.outputs, ((SnAccess){.value = into, .map = sn_map_replace(f->outputs.data[0].map, n, same)}));
  sn_form_create(b, &to, false);
  SnBuilder in = sn_at_end(to.body, b->loc);
  MlirType element = sn_element(sn_type_of(into));
  yield_row(&in, &to, sn_zero(&in, element), element);
  sn_form_free(&to);
}

// Where each part begins: on the device, as kernels read it.
static MlirValue make_starts(SnBuilder *b, const SnAgain *s) {
  SnForm to = {.num_rows = 1};
  MlirType i64 = mlirIntegerTypeGet(b->ctx, 64);
  sn_push(&to.dims, ((SnDim){sn_fresh_name(b->ctx, &s->f, "p"), s->parts}));
  MlirValue empty = sn(b, "tensor.empty", sn_tensor(i64, 1, &s->parts));
  sn_push(&to.outputs, ((SnAccess){.value = empty, .map = mlirAffineMapMultiDimIdentityGet(b->ctx, 1)}));
  MlirOperation made = sn_form_create(b, &to, false);
  SnBuilder in = sn_at_end(to.body, b->loc);
  MlirValue first = sn(&in, "arith.muli", sn_position(&in, &to, 0), sn_index(&in, s->part));
  sn_op(&in, "sinter.yield", sn(&in, "arith.index_cast", first, i64), sn_types(0, NULL));
  sn_form_free(&to);
  return memory_of(b, sn_result(made, 0));
}

static void make_one(SnBuilder *b, const SnAgain *s, const Part *part, MlirValue stored, const SnValueVec *into,
                     const SnMap *memory) {
  make_part(b, s, part, stored, memory);
  for (size_t i = 0; i < s->readers.size; ++i)
    read_part(b, s, &s->readers.data[i], part, stored, into->data[i], memory);
}

// All that parts read, as memory.
static void take_memory(SnBuilder *b, MlirValue v, SnMap *memory) {
  if (sn_none(sn_mapped(memory, v)))
    sn_map(memory, v, memory_of(b, v));
}
static void take_inputs(SnBuilder *b, const SnForm *f, MlirValue but, SnMap *memory) {
  for (size_t k = 0; k < f->inputs.size + f->indices.size; ++k)
    if (!sn_same(sn_form_access(f, k)->value, but))
      take_memory(b, sn_form_access(f, k)->value, memory);
}

static MlirType part_type(const SnAgain *s, int64_t count) {
  MlirType t = sn_type_of(sn_result(s->f.op, (intptr_t)s->output));
  int64_t shape[2];
  for (intptr_t d = 0; d < 2; ++d)
    shape[d] = sn_map_dim(s->f.outputs.data[s->output].map, d) == s->dim ? count : sn_dim(t, d);
  return sn_memref(sn_element(t), 2, shape);
}

void sn_make_again_parts(SnAgain *s, MlirAttribute cut) {
  for (size_t i = 0; i < s->readers.size; ++i)
    if (s->readers.data[i].sums)
      s->readers.data[i].op = sn_store_sums(s->readers.data[i].op, cut);
  SnBuilder b = sn_before(s->readers.data[0].op);
  SnMap memory = {0};
  SnValueVec into = {0};
  take_inputs(&b, &s->f, (MlirValue){0}, &memory);
  for (intptr_t k = sn_num_results(s->values) - (intptr_t)s->numbers.size; k < sn_num_results(s->values); ++k)
    take_memory(&b, sn_result(s->values, k), &memory);
  if (names_position(&s->f, s->dim))
    s->starts = make_starts(&b, s);
  for (size_t i = 0; i < s->readers.size; ++i) {
    SnForm f = sn_form_read(s->readers.data[i].op);
    MlirType t = sn_type_of(sn_result(f.op, 0));
    take_inputs(&b, &f, sn_result(s->f.op, (intptr_t)s->output), &memory);
    sn_push(&into, allocated(&b, sn_memref_like(t, sn_element(t))));
    if (s->readers.data[i].sums)
      fill_with_zeros(&b, &f, into.data[i]);
    sn_form_free(&f);
  }
  int64_t whole = s->size / s->part, rest = s->size % s->part;
  MlirValue stored = allocated(&b, part_type(s, s->part));
  SnLoop loop = sn_for(&b, sn_index(&b, 0), sn_index(&b, whole), sn_index(&b, 1));
  Part part = {loop.index, sn(&b, "arith.muli", loop.index, sn_index(&b, s->part)), s->part};
  make_one(&b, s, &part, stored, &into, &memory);
  sn_next(&b, &loop);
  if (rest) {
    part = (Part){sn_index(&b, whole), sn_index(&b, whole * s->part), rest};
    make_one(&b, s, &part, allocated(&b, part_type(s, rest)), &into, &memory);
  }
  for (size_t i = 0; i < s->readers.size; ++i)
    mlirValueReplaceAllUsesOfWith(sn_result(s->readers.data[i].op, 0), tensor_of(&b, into.data[i]));
  for (size_t i = 0; i < s->readers.size; ++i)
    mlirOperationDestroy(s->readers.data[i].op);
  sn_map_free(&memory);
  sn_vec_free(&into);
}

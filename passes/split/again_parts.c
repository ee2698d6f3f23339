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

MlirValue sn_memory_of(SnBuilder *b, MlirValue v) {
  MlirType t = sn_type_of(v);
  return sn(b, "bufferization.to_buffer", v, sn_memref_like(t, sn_element(t)), sn_attr("read_only", sn_unit(b->ctx)));
}
MlirValue sn_tensor_of(SnBuilder *b, MlirValue memory) {
  MlirType t = sn_type_of(memory);
  return sn(b, "bufferization.to_tensor", memory, sn_tensor_like(t, sn_element(t)),
            sn_attr("restrict", sn_unit(b->ctx)), sn_attr("writable", sn_unit(b->ctx)));
}
MlirValue sn_allocated(SnBuilder *b, MlirType memref) {
  return sn(b, "memref.alloc", memref, sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b->ctx, 2, (int[]){0, 0})));
}
MlirValue sn_seen_as(SnBuilder *b, MlirValue memory, MlirType memref) {
  return sn(b, "builtin.unrealized_conversion_cast", memory, memref);
}

MlirValue sn_part_of_memory(SnBuilder *b, MlirValue memory, MlirValue first, int64_t count, MlirType as) {
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
  return sn_seen_as(b, seen, as);
}

// The same with the memory's other dimensions. A rank of one less: one of them.
static MlirValue slice(SnBuilder *b, MlirValue memory, MlirValue first, int64_t count, bool one) {
  MlirType t = sn_type_of(memory);
  int64_t shape[SN_MAX_DIMS] = {count};
  for (intptr_t d = 1; d < sn_rank(t); ++d)
    shape[d] = sn_dim(t, d);
  return sn_part_of_memory(b, memory, first, count, sn_memref(sn_element(t), sn_rank(t) - one, shape + one));
}

// ---- a part --------------------------------------------------------------------------------------------

SnAgainPart sn_again_part(SnBuilder *b, const SnAgain *s, MlirValue number) {
  return (SnAgainPart){number, sn(b, "arith.muli", number, sn_index(b, s->part)), s->part};
}

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

SnAccess sn_part_of_access(SnBuilder *b, const SnForm *f, const SnAccess *a, int64_t dim, const SnAgainPart *part,
                               const SnMap *memory) {
  SnAccess to = *a;
  to.value = sn_lookup(memory, a->value);
  if (sn_access_uses(f, a, dim))
    to.value = slice(b, to.value, part->first, part->count, false);
  return to;
}

SnForm sn_cut_dims(const SnForm *f, int64_t dim, int64_t count) {
  SnForm to = {.contract = true, .num_rows = f->num_rows, .num_cols = f->num_cols};
  for (size_t d = 0; d < f->dims.size; ++d) {
    sn_push(&to.dims, f->dims.data[d]);
    if ((int64_t)d == dim)
      to.dims.data[d].size = count;
  }
  sn_push(&to.products, f->products.data[0]);
  return to;
}

void sn_yield_row(SnBuilder *b, const SnForm *to, MlirValue v, MlirType element) {
  sn_op(b, "sinter.yield", sn_as_row(b, v, sn_row_type(to, element)), sn_types(0, NULL));
}

void sn_rows_alone(const SnForm *f, SnForm *to) {
  to->contract = false;
  to->products.size = 0;
  to->dims.size = (size_t)(f->num_rows + f->num_cols);
  for (size_t k = 0; k < to->inputs.size + to->indices.size + to->outputs.size; ++k) {
    SnAccess *a = (SnAccess *)sn_form_access(to, k);
    a->map = sn_without_sums(f, a->map);
  }
}

bool sn_names_position(const SnForm *f, int64_t dim) {
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    if (sn_is(op, "sinter.index") && sn_row_named_dim(f, op) == dim)
      return true;
  return false;
}

// What a part is made of: the product or what is kept of it, other inputs, numbers of rows, where it begins.
static void read_for_part(SnBuilder *b, const SnAgain *s, Copy *c, const SnAgainPart *part, MlirValue kept,
                          const SnMap *memory) {
  const SnForm *f = &s->f;
  intptr_t first = sn_num_results(s->values) - (intptr_t)s->numbers.size, n = (intptr_t)f->dims.size;
  if (!sn_none(kept)) { // what is made of it may be in its place: it is read as another value
    MlirType t = sn_type_of(kept);
    MlirAffineExpr at[] = {mlirAffineConstantExprGet(b->ctx, 0), mlirAffineDimExprGet(b->ctx, 0),
                           mlirAffineDimExprGet(b->ctx, 1)};
    kept = sn_seen_as(b, kept, sn_memref(sn_element(t), 3, (int64_t[]){1, sn_dim(t, 0), sn_dim(t, 1)}));
    sn_push(&c->to.inputs, ((SnAccess){.value = kept, .map = mlirAffineMapGet(b->ctx, n, 0, 3, at)}));
  }
  for (size_t k = sn_none(kept) ? 0 : sn_first_input(f); k < f->inputs.size; ++k) {
    SnAccess a = sn_part_of_access(b, f, &f->inputs.data[k], s->dim, part, memory);
    sn_push(&c->to.inputs, a);
  }
  for (size_t k = 0; k < s->numbers.size; ++k) {
    MlirAffineExpr row = mlirAffineDimExprGet(b->ctx, 0);
    SnAccess a = {.value = sn_result(s->values, first + (intptr_t)k), .map = mlirAffineMapGet(b->ctx, n, 0, 1, &row)};
    a = sn_part_of_access(b, f, &a, s->dim, part, memory);
    sn_push(&c->to.inputs, a);
  }
  if (sn_names_position(f, s->dim))
    sn_push(&c->to.inputs,
            ((SnAccess){.value = sn_start_of(b, s, part), .map = mlirAffineMapGet(b->ctx, n, 0, 0, NULL)}));
}

// A part of what would be stored, into `into`. `kept`: its product in memory; or null.
static void make_part(SnBuilder *b, const SnAgain *s, const SnAgainPart *part, MlirValue kept, MlirValue into,
                      const SnMap *memory) {
  const SnForm *f = &s->f;
  Copy c = {.in = {.f = f, .dim = s->dim, .position = position_in_part}, .to = sn_cut_dims(f, s->dim, part->count)};
  c.in.to = &c.to;
  read_for_part(b, s, &c, part, kept, memory);
  sn_push(&c.to.outputs, ((SnAccess){.value = into, .map = f->outputs.data[s->output].map}));
  if (!sn_none(kept))
    sn_rows_alone(f, &c.to);
  sn_form_create(b, &c.to, false);
  SnBuilder in = sn_at_end(c.to.body, b->loc);
  size_t at = sn_none(kept) ? sn_first_input(f) : 1;
  sn_map(&c.in.made, sn_product_argument(f, 0),
         sn_none(kept) ? sn_product_argument(&c.to, 0)
                       : sn_unrounded(&in, sn_input_argument(&c.to, 0), sn_row_type(&c.to, f->products.data[0].type)));
  for (size_t k = sn_first_input(f); k < f->inputs.size; ++k)
    sn_map(&c.in.made, sn_input_argument(f, k), sn_input_argument(&c.to, at++));
  for (size_t k = 0; k < s->numbers.size; ++k)
    sn_map(&c.in.made, s->numbers.data[k], sn_input_argument(&c.to, at++));
  if (sn_names_position(f, s->dim))
    c.start = sn(&in, "arith.index_cast", sn_input_argument(&c.to, at), sn_index_type(b->ctx));
  MlirValue given = sn_operand(mlirBlockGetTerminator(f->body), (intptr_t)sn_output_position(f, s->output));
  sn_yield_row(&in, &c.to, sn_copy_in_part(&in, &c.in, given), sn_element(sn_type_of(given)));
  sn_map_free(&c.in.made);
  sn_form_free(&c.to);
}

// What a reader makes of a part: a part of its own, or more of its sums, which are at `into`.
static void read_part(SnBuilder *b, const SnAgain *s, const SnAgainReader *r, const SnAgainPart *part, MlirValue stored,
                      MlirValue into, const SnMap *memory) {
  SnForm f = sn_form_read(r->op);
  int64_t dim = r->dims[s->dim];
  Copy c = {.in = {.f = &f, .dim = dim, .position = position_in_part}, .to = sn_cut_dims(&f, dim, part->count)};
  c.in.to = &c.to;
  for (size_t k = 0; k < f.inputs.size; ++k) {
    bool is_stored = sn_same(f.inputs.data[k].value, sn_result(s->f.op, (intptr_t)s->output));
    SnAccess a = f.inputs.data[k];
    if (is_stored)
      a.value = stored;
    else
      a = sn_part_of_access(b, &f, &a, dim, part, memory);
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
            ((SnAccess){.value = sn_seen_as(b, into, sn_memref(sn_element(t), sn_rank(t) + 1, shape)),
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
    sn_yield_row(&in, &c.to, given, f.products.data[0].type);
  } else {
    sn_map(&c.in.made, sn_product_argument(&f, 0), sum);
    for (size_t k = sn_first_input(&f); k < f.inputs.size; ++k)
      sn_map(&c.in.made, sn_input_argument(&f, k), sn_input_argument(&c.to, k));
    sn_yield_row(&in, &c.to, sn_copy_in_part(&in, &c.in, given), sn_element(sn_type_of(given)));
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
  sn_yield_row(&in, &to, sn_zero(&in, element), element);
  sn_form_free(&to);
}

// Where each part begins: on the device, as kernels read it.
MlirValue sn_make_starts(SnBuilder *b, const SnAgain *s) {
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
  return sn_memory_of(b, sn_result(made, 0));
}

MlirValue sn_start_of(SnBuilder *b, const SnAgain *s, const SnAgainPart *part) {
  return slice(b, s->starts, part->number, 1, true);
}

static void make_one(SnBuilder *b, const SnAgain *s, const SnAgainPart *part, MlirValue kept, MlirValue stored,
                     const SnValueVec *into, const SnMap *memory) {
  make_part(b, s, part, kept, stored, memory);
  for (size_t i = 0; i < s->readers.size; ++i)
    read_part(b, s, &s->readers.data[i], part, stored, into->data[i], memory);
}

// All that parts read, as memory.
static void take_memory(SnBuilder *b, MlirValue v, SnMap *memory) {
  if (sn_none(sn_mapped(memory, v)))
    sn_map(memory, v, sn_memory_of(b, v));
}
void sn_take_inputs(SnBuilder *b, const SnForm *f, MlirValue but, SnMap *memory) {
  for (size_t k = 0; k < f->inputs.size + f->indices.size; ++k)
    if (!sn_same(sn_form_access(f, k)->value, but))
      take_memory(b, sn_form_access(f, k)->value, memory);
}

MlirType sn_part_type(const SnAgain *s, int64_t count) {
  MlirType t = sn_type_of(sn_result(s->f.op, (intptr_t)s->output));
  int64_t shape[2];
  for (intptr_t d = 0; d < 2; ++d)
    shape[d] = sn_map_dim(s->f.outputs.data[s->output].map, d) == s->dim ? count : sn_dim(t, d);
  return sn_memref(sn_element(t), 2, shape);
}

static void make_all(SnBuilder *b, const SnAgain *s, const SnValueVec *into, const SnMap *memory) {
  int64_t whole = s->size / s->part, rest = s->size % s->part;
  MlirValue stored = s->kept ? s->stored : sn_allocated(b, sn_part_type(s, s->part)), one = sn_index(b, 1);
  if (s->kept_in_part) {
    SnAgainPart part = sn_again_part(b, s, sn_index(b, 0));
    make_one(b, s, &part, sn_kept_product(b, s, part.number, true), stored, into, memory);
  }
  if (s->kept > s->kept_in_part) {
    SnLoop loop = sn_for(b, sn_index(b, s->kept_in_part), sn_index(b, s->kept), one);
    SnAgainPart part = sn_again_part(b, s, loop.index);
    make_one(b, s, &part, sn_kept_product(b, s, part.number, false), stored, into, memory);
    sn_next(b, &loop);
  }
  if (s->kept < whole) {
    SnLoop loop = sn_for(b, sn_index(b, s->kept), sn_index(b, whole), one);
    SnAgainPart part = sn_again_part(b, s, loop.index);
    make_one(b, s, &part, (MlirValue){0}, stored, into, memory);
    sn_next(b, &loop);
  }
  if (rest) {
    SnAgainPart part = {sn_index(b, whole), sn_index(b, whole * s->part), rest};
    make_one(b, s, &part, (MlirValue){0}, sn_allocated(b, sn_part_type(s, rest)), into, memory);
  }
}

void sn_make_again_parts(SnAgain *s, MlirAttribute cut) {
  for (size_t i = 0; i < s->readers.size; ++i)
    if (s->readers.data[i].sums)
      s->readers.data[i].op = sn_store_sums(s->readers.data[i].op, cut);
  SnBuilder b = sn_before(s->readers.data[0].op);
  SnMap memory = {0};
  SnValueVec into = {0};
  sn_take_inputs(&b, &s->f, (MlirValue){0}, &memory);
  for (intptr_t k = sn_num_results(s->values) - (intptr_t)s->numbers.size; k < sn_num_results(s->values); ++k)
    take_memory(&b, sn_result(s->values, k), &memory);
  if (sn_none(s->starts) && sn_names_position(&s->f, s->dim))
    s->starts = sn_make_starts(&b, s);
  for (size_t i = 0; i < s->readers.size; ++i) {
    SnForm f = sn_form_read(s->readers.data[i].op);
    MlirType t = sn_type_of(sn_result(f.op, 0));
    sn_take_inputs(&b, &f, sn_result(s->f.op, (intptr_t)s->output), &memory);
    sn_push(&into, s->kept && i == s->keeper ? s->keeping : sn_allocated(&b, sn_memref_like(t, sn_element(t))));
    if (s->readers.data[i].sums)
      fill_with_zeros(&b, &f, into.data[i]);
    sn_form_free(&f);
  }
  make_all(&b, s, &into, &memory);
  for (size_t i = 0; i < s->readers.size; ++i)
    mlirValueReplaceAllUsesOfWith(sn_result(s->readers.data[i].op, 0), sn_tensor_of(&b, into.data[i]));
  for (size_t i = 0; i < s->readers.size; ++i)
    mlirOperationDestroy(s->readers.data[i].op);
  sn_map_free(&memory);
  sn_vec_free(&into);
}

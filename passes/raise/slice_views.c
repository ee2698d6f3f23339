// slice_views.c: a slice is its tensor, read at other places.
//
//   %s = tensor.extract_slice %x[2, 0] [3, %n] [1, 2]     %s[i, j]   ->   %x[i + 2, 2 * j]
//
// Where a slice begins, whether it ends inside of its tensor, and whether it takes all of it, follows from numbers or
// from how sizes `?` are computed.
//
// runs in: raise    test: test/passes/raise/views.mlir

#include "passes/raise/slice_views.h"
#include "passes/edit/inside.h"
#include "passes/edit/size_terms.h"

int64_t sn_slice_number(MlirOperation op, const char *name, intptr_t i) {
  return mlirDenseI64ArrayGetElement(sn_get_attr(op, name), i);
}

// Which dimension of a slice each of its source's is; -1 where a size of 1 is dropped.
bool sn_slice_dims(MlirOperation op, MlirType small, MlirType big, intptr_t *dims) {
  intptr_t r = 0, rank = sn_rank(small);
  for (intptr_t d = 0; d < sn_rank(big); ++d) {
    int64_t size = sn_slice_number(op, "static_sizes", d);
    dims[d] = r < rank && size == sn_dim(small, r) ? r++ : -1;
    if (dims[d] < 0 && size != 1)
      return false;
  }
  return r == rank;
}

bool sn_slice_is_static(MlirOperation op, const char *name) {
  MlirAttribute all = sn_get_attr(op, name);
  for (intptr_t i = 0; i < mlirDenseArrayGetNumElements(all); ++i)
    if (mlirDenseI64ArrayGetElement(all, i) == SN_DYNAMIC)
      return false;
  return true;
}

// Where among the operands the one for dimension d is, of those for offsets (group 0) or sizes (1) that are not known.
static MlirValue operand_of(MlirOperation op, const char *name, intptr_t group, intptr_t d) {
  intptr_t tensors = sn_is(op, "tensor.insert_slice") ? 2 : 1, k = tensors;
  for (intptr_t g = 0; g < group; ++g)
    k += mlirDenseI32ArrayGetElement(sn_get_attr(op, "operandSegmentSizes"), tensors + g);
  for (intptr_t i = 0; i < d; ++i)
    k += sn_slice_number(op, name, i) == SN_DYNAMIC;
  return sn_operand(op, k);
}

// Where in dimension d of the tensor the slice begins; SN_DYNAMIC if that is not known. An exporter begins at min(n,
// c), of n places: to the end from there, that is c where the slice has anything.
int64_t sn_slice_begins(MlirOperation op, MlirValue of, intptr_t d) {
  int64_t offset = sn_slice_number(op, "static_offsets", d), number = SN_DYNAMIC;
  if (offset != SN_DYNAMIC || sn_slice_number(op, "static_sizes", d) != SN_DYNAMIC ||
      sn_slice_number(op, "static_strides", d) != 1)
    return offset;
  SnSizeReader r = {.forgets = true};
  SnSize whole = sn_size_of_dim(&r, of, d), at = sn_size_of_value(&r, operand_of(op, "static_offsets", 0, d)),
         takes = sn_size_of_value(&r, operand_of(op, "static_sizes", 1, d)), end = sn_size_sum(&at, 1, &takes);
  bool one = at.known && at.n == 1 && at.terms[0].n == 1 && at.terms[0].factor == 1;
  const SnSizeAtom *less = one ? &r.atoms.data[at.terms[0].atoms[0]] : NULL;
  if (one && less->dim == SN_SIZE_LESS && sn_size_equal(&end, &whole)) {
    const SnSize *p = &r.sizes.data[less->part], *q = &r.sizes.data[less->other];
    if (!(sn_size_is_number(p, &number) && sn_size_equal(q, &whole)) &&
        !(sn_size_is_number(q, &number) && sn_size_equal(p, &whole)))
      number = SN_DYNAMIC;
  }
  sn_size_reader_free(&r);
  return number;
}

// Whether the slice takes all of a dimension of a tensor; of those with a size `?`, by how that size was made.
bool sn_slice_takes_all(MlirOperation op, MlirValue of, intptr_t d) {
  int64_t size = sn_slice_number(op, "static_sizes", d);
  if (size != SN_DYNAMIC && sn_dim(sn_type_of(of), d) != SN_DYNAMIC)
    return size == sn_dim(sn_type_of(of), d);
  SnSizeReader r = {.forgets = true};
  SnSize is = size == SN_DYNAMIC ? sn_size_of_value(&r, operand_of(op, "static_sizes", 1, d)) : sn_size_number(size),
         whole = sn_size_of_dim(&r, of, d);
  sn_size_reader_free(&r);
  return sn_size_equal(&is, &whole);
}

// A form's dimension has the size of the operands that are read by it alone: a slice that takes the beginning
// of a dimension is no view of it unless both sizes are known.
static bool is_beginning(MlirOperation op, intptr_t d) {
  int64_t size = sn_slice_number(op, "static_sizes", d), whole = sn_dim(sn_type_of(sn_operand(op, 0)), d);
  bool plain = !sn_slice_number(op, "static_offsets", d) && sn_slice_number(op, "static_strides", d) == 1;
  return (size == SN_DYNAMIC || (whole == SN_DYNAMIC && plain)) &&
         !(plain && sn_slice_takes_all(op, sn_operand(op, 0), d));
}

bool sn_view_slice(SnView *v) {
  MlirOperation op = sn_def(v->value, "tensor.extract_slice");
  if (sn_null(op) || !sn_slice_is_static(op, "static_offsets") || !sn_slice_is_static(op, "static_strides"))
    return false;
  MlirType source = sn_type_of(sn_operand(op, 0));
  MlirContext ctx = mlirOperationGetContext(op);
  intptr_t rank = sn_rank(source), dims[SN_MAX_DIMS];
  MlirAffineExpr at[SN_MAX_DIMS];
  if (rank > SN_MAX_DIMS || !sn_slice_dims(op, sn_type_of(v->value), source, dims))
    return false;
  for (intptr_t d = 0; d < rank; ++d) {
    if (dims[d] >= 0 && is_beginning(op, d))
      return false;
    at[d] = mlirAffineConstantExprGet(ctx, sn_slice_number(op, "static_offsets", d));
    if (dims[d] >= 0) {
      MlirAffineExpr stride = mlirAffineConstantExprGet(ctx, sn_slice_number(op, "static_strides", d));
      at[d] = mlirAffineAddExprGet(mlirAffineMulExprGet(mlirAffineMapGetResult(v->map, dims[d]), stride), at[d]);
    }
  }
  sn_view_go_to(v, sn_operand(op, 0), rank, at);
  return true;
}

// Whether the slice is known to end inside of dimension d of the tensor.
bool sn_slice_ends_inside(MlirOperation op, MlirValue of, intptr_t d) {
  int64_t offset = sn_slice_number(op, "static_offsets", d), size = sn_slice_number(op, "static_sizes", d);
  SnSizeReader r = {.forgets = true};
  SnSize step = sn_size_number(sn_slice_number(op, "static_strides", d)), one = sn_size_number(1);
  SnSize at = offset == SN_DYNAMIC ? sn_size_of_value(&r, operand_of(op, "static_offsets", 0, d))
                                   : sn_size_number(offset),
         takes = size == SN_DYNAMIC ? sn_size_of_value(&r, operand_of(op, "static_sizes", 1, d)) : sn_size_number(size),
         left = sn_size_of_dim(&r, of, d); // behind its last element
  takes = sn_size_sum(&takes, -1, &one);
  takes = sn_size_product(&takes, &step);
  left = sn_size_sum(&left, -1, &at);
  left = sn_size_sum(&left, -1, &takes);
  bool inside = left.known && sn_size_at_least(&r, &left, 1);
  sn_size_reader_free(&r);
  return inside;
}

// The size of a loop of the op, as a result says it.
static SnSize size_of_loop(SnSizeReader *reader, const SnRaise *r, intptr_t loop) {
  for (intptr_t u = 0; u < r->num_used; ++u) {
    MlirAffineMap map = sn_raise_map(r, r->num_inputs + r->used[u]);
    for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map); ++i)
      if (sn_map_dim(map, i) == loop)
        return sn_size_of_dim(reader, sn_raise_init(r, r->used[u]), i);
  }
  return (SnSize){0};
}

// The op is known to read dimension d of the slice by a loop as long as it. Behind the slice nobody could compare them.
static bool is_as_long(const SnRaise *r, MlirOperation op, intptr_t d, MlirAffineExpr by) {
  int64_t size = sn_slice_number(op, "static_sizes", d);
  bool known = size != SN_DYNAMIC;
  for (intptr_t i = 0; i < r->num_loops && known; ++i)
    known = r->sizes[i] != SN_DYNAMIC || !mlirAffineExprIsFunctionOfDim(by, i);
  if (known || !mlirAffineExprIsADim(by))
    return known; // the verifier has seen both
  SnSizeReader reader = {.forgets = true};
  SnSize loop = size_of_loop(&reader, r, mlirAffineDimExprGetPosition(by)),
         takes = size == SN_DYNAMIC ? sn_size_of_value(&reader, operand_of(op, "static_sizes", 1, d))
                                    : sn_size_number(size);
  sn_size_reader_free(&reader);
  return loop.known && takes.known && sn_size_equal(&loop, &takes);
}

// Also a part that takes the beginning of a dimension `?`, or the middle of it: of an op whose results say all sizes.
// What is read by a dimension alone is read with bounds, which nothing is outside of: it says no size then, and nobody
// else would compare sizes where that is not known.
static bool through_part(const SnRaise *r, SnView *v) {
  MlirOperation op = sn_def(v->value, "tensor.extract_slice");
  if (sn_null(op) || v->fill.ptr || !sn_slice_is_static(op, "static_strides"))
    return false;
  MlirType source = sn_type_of(sn_operand(op, 0));
  MlirContext ctx = mlirOperationGetContext(op);
  intptr_t rank = sn_rank(source);
  MlirAffineExpr at[SN_MAX_DIMS];
  bool bounds = false, inside = true;
  if (rank > SN_MAX_DIMS || rank != sn_rank(sn_type_of(v->value)))
    return false;
  for (intptr_t d = 0; d < rank; ++d) {
    int64_t offset = sn_slice_begins(op, sn_operand(op, 0), d), stride = sn_slice_number(op, "static_strides", d);
    MlirAffineExpr by = mlirAffineMapGetResult(v->map, d);
    if (offset < 0 || stride < 1 || !is_as_long(r, op, d, by)) // SN_DYNAMIC, too
      return false;
    at[d] = mlirAffineMulExprGet(by, mlirAffineConstantExprGet(ctx, stride));
    at[d] = mlirAffineAddExprGet(at[d], mlirAffineConstantExprGet(ctx, offset));
    bounds |= mlirAffineExprIsADim(at[d]) && !sn_slice_takes_all(op, sn_operand(op, 0), d);
    inside &= sn_slice_ends_inside(op, sn_operand(op, 0), d);
  }
  if (bounds && !inside)
    sn_guard_slice(op, sn_operand(op, 0), 1);
  sn_view_go_to(v, sn_operand(op, 0), rank, at);
  v->fill = bounds ? sn_view_zero(sn_element(source)) : v->fill;
  return true;
}

SnView sn_raise_part(const SnRaise *r, SnView v) {
  MlirType t = sn_type_of(v.value);
  if (!v.constant.ptr && mlirTypeIsARankedTensor(t) && (sn_is_float(sn_element(t)) || sn_is_int(sn_element(t))))
    through_part(r, &v);
  return v;
}

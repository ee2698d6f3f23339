// size_parts.c: where the size of a tensor comes from, one step up.
//
//   tensor.expand_shape %x [[0, 1]] output_shape [%n, 4]     dimension 0 is %n, 1 is 4
//   tensor.collapse_shape %x [[0, 1], [2]]                   dimension 0 is that of %x in 0 times that in 1
//   linalg.matmul ins(%x, %w) outs(%e)                       each is that of %e
//
// One line for each op that has tensors or memrefs as results.
//
// test: test/lowering/host_boundary.mlir, test/passes/program/known_sizes.mlir

#include "capi/size_parts.h"
#include "capi/form.h"
#include "capi/shim.h"

static void add_number(SnSizeParts *p, int64_t n) { sn_push(&p->parts, (SnSizePart){.number = n, .dim = -1}); }
static void add_index(SnSizeParts *p, MlirValue v) { sn_push(&p->parts, (SnSizePart){.value = v, .dim = -1}); }
static void add_dim(SnSizeParts *p, MlirValue v, intptr_t i) { sn_push(&p->parts, (SnSizePart){.value = v, .dim = i}); }

// First operand of group `g` of an op with operand segments.
static intptr_t segment(MlirOperation op, int g) {
  MlirAttribute all = sn_get_attr(op, "operandSegmentSizes");
  intptr_t first = 0;
  for (int k = 0; k < g; ++k)
    first += mlirDenseI32ArrayGetElement(all, k);
  return first;
}

// Element i of `fixed`, where kDynamic stands for the next of the operands from `first` on.
static void add_mixed(SnSizeParts *p, MlirOperation op, const char *fixed, intptr_t first, intptr_t i) {
  MlirAttribute all = sn_get_attr(op, fixed);
  for (intptr_t k = 0; k < i; ++k)
    first += mlirDenseI64ArrayGetElement(all, k) == SN_DYNAMIC;
  int64_t n = mlirDenseI64ArrayGetElement(all, i);
  if (n == SN_DYNAMIC)
    add_index(p, sn_operand(op, first));
  else
    add_number(p, n);
}

// An allocation has one operand for each `?`, in order, from `k` on, and none for a number: one may be asked for behind
// a cast to `?`.
static void add_allocated(SnSizeParts *p, MlirOperation op, intptr_t k, MlirType t, intptr_t i) {
  if (sn_dim(t, i) != SN_DYNAMIC) {
    add_number(p, sn_dim(t, i));
    return;
  }
  for (intptr_t d = 0; d < i; ++d)
    k += sn_dim(t, d) == SN_DYNAMIC;
  add_index(p, sn_operand(op, k));
}

static void add_group(SnSizeParts *p, MlirOperation collapse, intptr_t i) {
  MlirAttribute group = mlirArrayAttrGetElement(sn_get_attr(collapse, "reassociation"), i);
  p->product = true;
  if (!mlirArrayAttrGetNumElements(group))
    add_number(p, 1);
  for (intptr_t k = 0; k < mlirArrayAttrGetNumElements(group); ++k)
    add_dim(p, sn_operand(collapse, 0), (intptr_t)mlirIntegerAttrGetValueInt(mlirArrayAttrGetElement(group, k)));
}

// The dimension that a slice takes its dimension i from: sizes of 1 may be dropped.
static intptr_t sliced_dim(MlirOperation slice, MlirType t, intptr_t i) {
  MlirAttribute sizes = sn_get_attr(slice, "static_sizes");
  intptr_t d = 0;
  for (intptr_t k = 0;; ++d)
    if (mlirDenseI64ArrayGetElement(sizes, d) == sn_dim(t, k) && k++ == i)
      return d;
}

static void add_concatenated(SnSizeParts *p, MlirOperation op, intptr_t i) {
  intptr_t n = i == sn_int_attr(op, "dim", -1) ? sn_num_operands(op) : 1;
  for (intptr_t k = 0; k < n; ++k)
    add_dim(p, sn_operand(op, k), i);
}

// Another tensor that has the size of this one in a dimension, by what it is made of; false if that is not seen.
static bool step_up(MlirValue *v, intptr_t *dim) {
  SnSizeParts all = sn_size_parts(*v, *dim);
  bool one = all.parts.size == 1 && !sn_none(all.parts.data[0].value);
  SnSizePart part = one ? all.parts.data[0] : (SnSizePart){0};
  sn_vec_free(&all.parts);
  MlirOperation of = one && part.dim < 0 ? sn_def(part.value, "tensor.dim") : (MlirOperation){0};
  if (!one || (part.dim < 0 && (sn_null(of) || !sn_known_dim(of, &part.dim))))
    return false;
  *v = sn_null(of) ? part.value : sn_operand(of, 0);
  *dim = part.dim;
  return true;
}

// What a loop hands on as number k has the size of what it was handed, or of what it begins with.
static bool is_kept(MlirOperation loop, intptr_t k, intptr_t i) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0));
  MlirValue place = mlirBlockGetArgument(body, k + 1), v = sn_operand(mlirBlockGetTerminator(body), k);
  MlirValue init = sn_operand(loop, sn_num_operands(loop) - sn_num_results(loop) + k);
  intptr_t dim = i, of_init = i;
  while (!sn_same(v, place) || dim != i)
    if (!step_up(&v, &dim)) {
      while (step_up(&init, &of_init))
        ;
      return sn_same(v, init) && dim == of_init;
    }
  return true;
}

SnSizeParts sn_size_parts(MlirValue v, intptr_t i) {
  SnSizeParts p = {0};
  MlirOperation op = sn_definer(v);
  if (sn_null(op))
    return p;
  MlirType t = sn_type_of(v);
  intptr_t n = sn_num_operands(op), results = sn_num_results(op), which = mlirOpResultGetResultNumber(v);
  if (sn_is_form(op) || sn_in_dialect(op, "linalg") || sn_in_dialect(op, "tm_tensor")) { // the destination
    if (n >= results)
      add_dim(&p, sn_operand(op, n - results + which), i);
  } else if (sn_is(op, "tensor.empty") || sn_is(op, "memref.alloc") || sn_is(op, "tensor.generate")) {
    add_allocated(&p, op, 0, t, i);
  } else if (sn_is(op, "tensor.splat")) {
    add_allocated(&p, op, 1, t, i);
  } else if (sn_is(op, "bufferization.alloc_tensor")) {
    if (mlirDenseI32ArrayGetElement(sn_get_attr(op, "operandSegmentSizes"), 1))
      add_dim(&p, sn_operand(op, segment(op, 1)), i);
    else
      add_allocated(&p, op, 0, t, i);
  } else if (sn_is(op, "tensor.expand_shape") || sn_is(op, "memref.expand_shape")) {
    add_mixed(&p, op, "static_output_shape", 1, i);
  } else if (sn_is(op, "tensor.collapse_shape") || sn_is(op, "memref.collapse_shape")) {
    add_group(&p, op, i);
  } else if (sn_is(op, "tensor.extract_slice")) {
    add_mixed(&p, op, "static_sizes", segment(op, 2), sliced_dim(op, t, i));
  } else if (sn_is(op, "tensor.insert_slice") || sn_is(op, "tensor.insert") || sn_is(op, "arith.select") ||
             sn_is(op, "bufferization.materialize_in_destination")) {
    add_dim(&p, sn_operand(op, 1), i);
  } else if (sn_is(op, "tensor.concat")) {
    add_concatenated(&p, op, i);
  } else if (sn_is(op, "tensor.pad")) {
    add_dim(&p, sn_operand(op, 0), i);
    add_mixed(&p, op, "static_low", segment(op, 1), i);
    add_mixed(&p, op, "static_high", segment(op, 2), i);
  } else if (sn_is(op, "scf.for") && is_kept(op, which, i)) { // what it starts from
    add_dim(&p, sn_operand(op, n - results + which), i);
  } else if (n && (sn_shim_is_elementwise(op) || sn_is(op, "tensor.cast") || sn_is(op, "memref.cast") ||
                   sn_is(op, "bufferization.to_tensor") || sn_is(op, "bufferization.to_buffer"))) {
    add_dim(&p, sn_operand(op, 0), i);
  }
  return p;
}

static MlirValue emit_part(SnBuilder *b, const SnSizePart *p) {
  if (sn_none(p->value))
    return sn_index(b, p->number);
  return p->dim < 0 ? p->value : sn_emit_size(b, p->value, p->dim);
}

MlirValue sn_emit_size(SnBuilder *b, MlirValue v, intptr_t i) {
  if (sn_dim(sn_type_of(v), i) != SN_DYNAMIC)
    return sn_index(b, sn_dim(sn_type_of(v), i));
  SnSizeParts all = sn_size_parts(v, i);
  MlirValue size = {0};
  for (size_t k = 0; k < all.parts.size; ++k) {
    MlirValue part = emit_part(b, &all.parts.data[k]);
    size = k ? sn(b, all.product ? "arith.muli" : "arith.addi", size, part) : part;
  }
  sn_vec_free(&all.parts);
  return sn_none(size) ? sn(b, "tensor.dim", v, sn_index(b, i), sn_index_type(b->ctx)) : size;
}

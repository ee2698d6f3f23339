// host_sizes.c: sizes of host code's tensors, from those of its arguments.
//
//   %n = tensor.dim %x, %c0 : tensor<?x9xf32>
//   %e = tensor.empty(%n) : tensor<?x5xf32>
//   %y = linalg.matmul ... outs(%e)
//
// Dimension 0 of %y is dimension 0 of %x: destinations are followed to where their sizes come from.
// A size that depends on data is not followed.
//
// test: test/lowering/host_boundary.mlir

#include "lowering/host/host_sizes.h"
#include "capi/form.h"
#include "mlir-c/Dialect/Linalg.h"

static const MlirValue none = {0};

static MlirValue index_of(SnSizes *s, MlirValue v);

static MlirValue add(SnSizes *s, MlirValue x, MlirValue y) {
  return sn_none(x) || sn_none(y) ? none : sn(&s->b, "arith.addi", x, y);
}

// Operand `static_sizes`, where kDynamic stands for the next of the operands from `first` on.
static MlirValue mixed(SnSizes *s, MlirOperation op, const char *fixed, intptr_t first, intptr_t i) {
  MlirAttribute all = sn_get_attr(op, fixed);
  for (intptr_t k = 0; k < i; ++k)
    first += mlirDenseI64ArrayGetElement(all, k) == SN_DYNAMIC;
  int64_t n = mlirDenseI64ArrayGetElement(all, i);
  return n == SN_DYNAMIC ? index_of(s, sn_operand(op, first)) : sn_index(&s->b, n);
}

// First operand of group `g` of an op with operand segments.
static intptr_t segment(MlirOperation op, int g) {
  MlirAttribute all = sn_get_attr(op, "operandSegmentSizes");
  intptr_t first = 0;
  for (int k = 0; k < g; ++k)
    first += mlirDenseI32ArrayGetElement(all, k);
  return first;
}

// Sizes of an allocation: one operand for each `?`, in order.
static MlirValue allocated(SnSizes *s, MlirOperation op, MlirType t, intptr_t i) {
  intptr_t k = 0;
  for (intptr_t d = 0; d < i; ++d)
    k += sn_dim(t, d) == SN_DYNAMIC;
  return index_of(s, sn_operand(op, k));
}

static MlirValue collapsed(SnSizes *s, MlirOperation op, intptr_t i) {
  MlirAttribute group = mlirArrayAttrGetElement(sn_get_attr(op, "reassociation"), i);
  MlirValue all = sn_index(&s->b, 1);
  for (intptr_t k = 0; k < mlirArrayAttrGetNumElements(group); ++k) {
    MlirValue n =
        sn_size_of(s, sn_operand(op, 0), (intptr_t)mlirIntegerAttrGetValueInt(mlirArrayAttrGetElement(group, k)));
    if (sn_none(n))
      return none;
    all = k ? sn(&s->b, "arith.muli", all, n) : n;
  }
  return all;
}

static MlirValue concatenated(SnSizes *s, MlirOperation op, intptr_t i) {
  if (i != sn_int_attr(op, "dim", -1))
    return sn_size_of(s, sn_operand(op, 0), i);
  MlirValue all = sn_size_of(s, sn_operand(op, 0), i);
  for (intptr_t k = 1; k < sn_num_operands(op); ++k)
    all = add(s, all, sn_size_of(s, sn_operand(op, k), i));
  return all;
}

static intptr_t result_number(MlirOperation op, MlirValue v) {
  for (intptr_t k = 0; k < sn_num_results(op); ++k)
    if (sn_same(sn_result(op, k), v))
      return k;
  return -1;
}

static MlirValue of_result(SnSizes *s, MlirOperation op, MlirValue v, intptr_t i) {
  MlirType t = sn_type_of(v);
  intptr_t n = sn_num_operands(op), results = sn_num_results(op);
  if (sn_is_form(op) || sn_in_dialect(op, "linalg")) // the destination
    return n >= results ? sn_size_of(s, sn_operand(op, n - results + result_number(op, v)), i) : none;
  if (sn_is(op, "tensor.empty") || sn_is(op, "memref.alloc"))
    return allocated(s, op, t, i);
  if (sn_is(op, "bufferization.alloc_tensor"))
    return mlirDenseI32ArrayGetElement(sn_get_attr(op, "operandSegmentSizes"), 1)
               ? sn_size_of(s, sn_operand(op, segment(op, 1)), i)
               : allocated(s, op, t, i);
  if (sn_is(op, "bufferization.to_tensor") || sn_is(op, "bufferization.to_buffer") || sn_is(op, "tensor.cast") ||
      sn_is(op, "memref.cast"))
    return sn_size_of(s, sn_operand(op, 0), i);
  if (sn_is(op, "tensor.expand_shape") || sn_is(op, "memref.expand_shape"))
    return mixed(s, op, "static_output_shape", 1, i);
  if (sn_is(op, "tensor.collapse_shape") || sn_is(op, "memref.collapse_shape"))
    return collapsed(s, op, i);
  if (sn_is(op, "tensor.extract_slice") && sn_rank(t) == sn_rank(sn_type_of(sn_operand(op, 0))))
    return mixed(s, op, "static_sizes", segment(op, 2), i);
  if (sn_is(op, "tensor.insert_slice"))
    return sn_size_of(s, sn_operand(op, 1), i);
  if (sn_is(op, "tensor.insert"))
    return sn_size_of(s, sn_operand(op, 1), i);
  if (sn_is(op, "tensor.concat"))
    return concatenated(s, op, i);
  if (sn_is(op, "tensor.pad"))
    return add(s, add(s, sn_size_of(s, sn_operand(op, 0), i), mixed(s, op, "static_low", segment(op, 1), i)),
               mixed(s, op, "static_high", segment(op, 2), i));
  if (sn_is(op, "tensor.generate"))
    return allocated(s, op, t, i);
  if (sn_is(op, "arith.select"))
    return sn_size_of(s, sn_operand(op, 1), i);
  if (sn_is(op, "scf.for")) // what it starts from
    return sn_size_of(s, sn_operand(op, n - results + result_number(op, v)), i);
  if (sn_in_dialect(op, "arith") || sn_in_dialect(op, "math"))
    return sn_size_of(s, sn_operand(op, 0), i);
  return none;
}

static MlirValue of_argument(SnSizes *s, MlirValue v, intptr_t i) {
  intptr_t argument = mlirBlockArgumentGetArgNumber(v);
  if (!sn_is(mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(v)), "func.func"))
    return none;
  for (size_t k = 0; k < s->known.size; ++k)
    if (s->known.data[k].argument == argument && s->known.data[k].dim == i)
      return s->known.data[k].value;
  SnArgumentSize size = {argument, i, s->argument(s, v, i)};
  sn_push(&s->known, size);
  return size.value;
}

MlirValue sn_size_of(SnSizes *s, MlirValue v, intptr_t i) {
  MlirType t = sn_type_of(v);
  if (!mlirTypeIsAShaped(t) || !mlirShapedTypeHasRank(t))
    return none;
  if (sn_dim(t, i) != SN_DYNAMIC)
    return sn_index(&s->b, sn_dim(t, i));
  return mlirValueIsABlockArgument(v) ? of_argument(s, v, i) : of_result(s, sn_definer(v), v, i);
}

// Arithmetic on sizes, again on what was emitted for its operands.
static MlirValue again(SnSizes *s, MlirOperation op) {
  MlirValue operands[8];
  bool arithmetic =
      sn_in_dialect(op, "arith") || sn_is(op, "affine.apply") || sn_is(op, "affine.min") || sn_is(op, "affine.max");
  intptr_t n = sn_num_operands(op);
  MlirType t = sn_type_of(sn_result(op, 0));
  if (!arithmetic || n > 8 || mlirTypeIsAShaped(t))
    return none;
  for (intptr_t k = 0; k < n; ++k) {
    operands[k] = index_of(s, sn_operand(op, k));
    if (sn_none(operands[k]))
      return none;
  }
  return sn_result(sn_clone_as(&s->b, op, sn_values(n, operands), sn_types(1, &t)), 0);
}

static MlirValue index_of(SnSizes *s, MlirValue v) {
  MlirValue made = sn_mapped(&s->made, v);
  MlirOperation op = sn_definer(v);
  if (!sn_none(made) || sn_null(op))
    return made;
  if (sn_is(op, "tensor.dim") || sn_is(op, "memref.dim")) {
    intptr_t i;
    made = sn_known_dim(op, &i) ? sn_size_of(s, sn_operand(op, 0), i) : none;
  } else {
    made = again(s, op);
  }
  if (!sn_none(made))
    sn_map(&s->made, v, made);
  return made;
}

bool sn_size_same(MlirValue a, MlirValue b) {
  if (sn_same(a, b))
    return true;
  MlirOperation x = sn_definer(a), y = sn_definer(b);
  if (sn_null(x) || sn_null(y) || !sn_is(x, sn_name(y)) || sn_num_operands(x) != sn_num_operands(y) ||
      sn_is(x, "tensor.dim"))
    return false;
  if (sn_is(x, "arith.constant"))
    return mlirAttributeEqual(sn_get_attr(x, "value"), sn_get_attr(y, "value"));
  for (intptr_t k = 0; k < sn_num_operands(x); ++k)
    if (!sn_size_same(sn_operand(x, k), sn_operand(y, k)))
      return false;
  return sn_in_dialect(x, "arith") && !sn_is(x, "arith.cmpi");
}

void sn_sizes_free(SnSizes *s) {
  sn_vec_free(&s->known);
  sn_map_free(&s->made);
}

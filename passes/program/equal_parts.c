// equal_parts.c: equal parts of a size `?` are a dimension by themselves.
//
//   %c = tensor.concat dim(0) %x, %y : ?x9, ?x9       %x1, %y1 = tensor.expand_shape : 1x?x9, 1x?x9
//                                                ->   %d = tensor.concat dim(0) %x1, %y1 : 2x?x9
//                                                     %c = tensor.collapse_shape %d [[0, 1], [2]]
//
//   %s = tensor.extract_slice %x[%2n, 0] [%n, 9]      %e = tensor.expand_shape %x [[0, 1], [2]] : 3x?x9
//   of 3 * %n rows                               ->   %t = tensor.extract_slice %e[2, 0, 0] [1, %n, 9]
//                                                     %s = tensor.collapse_shape %t [[0, 1], [2]]
//
// Where a part begins is a number then: a form reads it in place, and has the place of its own element among the parts.
// A number of rows that nobody knows is no bound that a form could ask for.
//
// runs in: sinter-known-sizes    test: test/passes/program/equal_parts.mlir

#include "capi/limits.h"
#include "capi/size_parts.h"
#include "passes/program/known_sizes.h"
#include "passes/program/tensor_steps.h"

// A type with dimension d as two, `first` of `?`, and how both are folded into one again.
typedef struct {
  MlirType type;
  MlirAttribute groups;
  int64_t shape[SN_MAX_DIMS];
} Unfolded;

static Unfolded unfolded(MlirContext ctx, MlirType t, intptr_t d, int64_t first) {
  Unfolded u;
  MlirAttribute groups[SN_MAX_DIMS];
  intptr_t rank = sn_rank(t);
  for (intptr_t i = 0; i < rank; ++i) {
    groups[i] = sn_members(ctx, i + (i > d), i + 1 + (i >= d));
    u.shape[i + (i > d)] = sn_dim(t, i);
  }
  u.shape[d] = first;
  u.shape[d + 1] = SN_DYNAMIC;
  u.type = sn_tensor(sn_element(t), rank + 1, u.shape);
  u.groups = mlirArrayAttrGet(ctx, rank, groups);
  return u;
}

// x with dimension d as `first` times `rest`.
static MlirValue unfold(SnBuilder *b, MlirValue x, intptr_t d, int64_t first, MlirValue rest) {
  Unfolded u = unfolded(b->ctx, sn_type_of(x), d, first);
  MlirValue sizes[SN_MAX_DIMS];
  intptr_t n = 0;
  for (intptr_t i = 0; i < sn_rank(sn_type_of(x)); ++i)
    if (i == d)
      sizes[n++] = rest;
    else if (sn_dim(sn_type_of(x), i) == SN_DYNAMIC)
      sizes[n++] = sn_emit_size(b, x, i);
  return sn(b, "tensor.expand_shape", x, sn_values(n, sizes), u.type, sn_attr("reassociation", u.groups),
            sn_attr("static_output_shape", mlirDenseI64ArrayGet(b->ctx, sn_rank(u.type), u.shape)));
}

static void replace(SnBuilder *b, MlirOperation op, MlirValue parts, intptr_t d) {
  MlirType t = sn_type_of(sn_result(op, 0));
  Unfolded u = unfolded(b->ctx, t, d, sn_dim(sn_type_of(parts), d));
  MlirValue whole = sn(b, "tensor.collapse_shape", parts, t, sn_attr("reassociation", u.groups));
  mlirValueReplaceAllUsesOfWith(sn_result(op, 0), whole);
}

// ---- put side by side ---------------------------------------------------------------------------

// Whether the concatenation's operands have one size, which is no number.
static bool has_equal_parts(SnSizeReader *r, MlirOperation concat, intptr_t d) {
  MlirType t = sn_type_of(sn_result(concat, 0));
  intptr_t n = sn_num_operands(concat);
  bool equal = n > 1 && n <= SN_FUSED_OPERANDS && sn_rank(t) < SN_MAX_DIMS && sn_dim(t, d) == SN_DYNAMIC;
  SnSize first = equal ? sn_size_of_dim(r, sn_operand(concat, 0), d) : (SnSize){0};
  int64_t number;
  for (intptr_t k = 0; k < n && equal; ++k) {
    SnSize size = sn_size_of_dim(r, sn_operand(concat, k), d);
    equal = sn_dim(sn_type_of(sn_operand(concat, k)), d) == SN_DYNAMIC && sn_size_equal(&size, &first) &&
            !sn_size_is_number(&size, &number);
  }
  return equal;
}

static void unfold_concat(SnSizeReader *r, MlirOperation concat) {
  intptr_t d = (intptr_t)sn_int_attr(concat, "dim", 0), n = sn_num_operands(concat);
  if (!has_equal_parts(r, concat, d))
    return;
  SnBuilder b = sn_before(concat);
  MlirValue parts[SN_FUSED_OPERANDS], rest = sn_emit_size(&b, sn_operand(concat, 0), d);
  for (intptr_t k = 0; k < n; ++k)
    parts[k] = unfold(&b, sn_operand(concat, k), d, 1, rest);
  Unfolded whole = unfolded(b.ctx, sn_type_of(sn_result(concat, 0)), d, n);
  replace(&b, concat, sn(&b, "tensor.concat", sn_values(n, parts), whole.type, sn_attr("dim", sn_i64(b.ctx, d))), d);
}

// ---- cut in parts -------------------------------------------------------------------------------

// A place or a size that a slice has in dimension d.
static SnSize sliced(SnSizeReader *r, MlirOperation slice, const char *fixed, int group, intptr_t d, MlirValue *value) {
  MlirAttribute all = sn_get_attr(slice, fixed), segments = sn_get_attr(slice, "operandSegmentSizes");
  int64_t number = mlirDenseI64ArrayGetElement(all, d);
  *value = (MlirValue){0};
  if (number != SN_DYNAMIC)
    return sn_size_number(number);
  intptr_t at = 0;
  for (int g = 0; g < group; ++g)
    at += mlirDenseI32ArrayGetElement(segments, g);
  for (intptr_t i = 0; i < d; ++i)
    at += mlirDenseI64ArrayGetElement(all, i) == SN_DYNAMIC;
  *value = sn_operand(slice, at);
  return sn_size_of_value(r, *value);
}

enum { OFFSETS = 1, SIZES, STRIDES };

// Dimension d is `*n` parts of what the slice takes of it, which is the part of number `*part`.
static bool takes_part(SnSizeReader *r, MlirOperation slice, intptr_t d, int64_t *n, int64_t *part, MlirValue *size) {
  MlirValue of;
  if (mlirDenseI64ArrayGetElement(sn_get_attr(slice, "static_strides"), d) != 1)
    return false;
  SnSize takes = sliced(r, slice, "static_sizes", SIZES, d, size),
         from = sliced(r, slice, "static_offsets", OFFSETS, d, &of), whole = sn_size_of_dim(r, sn_operand(slice, 0), d);
  if (sn_none(*size) || sn_dim(sn_type_of(sn_operand(slice, 0)), d) != SN_DYNAMIC || !sn_size_of_tensors(r, &takes))
    return false;
  SnSize parts = sn_size_quotient(&whole, &takes), place = sn_size_quotient(&from, &takes);
  return sn_size_is_number(&parts, n) && sn_size_is_number(&place, part) && *n > 1 && *part >= 0 && *part < *n;
}

// The numbers of the slice, two in place of that of dimension d.
static MlirAttribute replaced(MlirOperation slice, const char *fixed, intptr_t d, int64_t first, int64_t second) {
  int64_t numbers[SN_MAX_DIMS];
  MlirAttribute all = sn_get_attr(slice, fixed);
  intptr_t rank = mlirDenseArrayGetNumElements(all);
  for (intptr_t i = 0; i < rank; ++i)
    numbers[i + (i > d)] = mlirDenseI64ArrayGetElement(all, i);
  numbers[d] = first;
  numbers[d + 1] = second;
  return mlirDenseI64ArrayGet(mlirOperationGetContext(slice), rank + 1, numbers);
}

static void unfold_slice(SnSizeReader *r, MlirOperation slice) {
  MlirType t = sn_type_of(sn_result(slice, 0));
  MlirValue x = sn_operand(slice, 0), size;
  intptr_t rank = sn_rank(sn_type_of(x)), d = 0;
  int64_t n, part;
  while (d < rank && !takes_part(r, slice, d, &n, &part, &size))
    ++d;
  if (d == rank || rank >= SN_MAX_DIMS || sn_rank(t) != rank)
    return;
  SnBuilder b = sn_before(slice);
  MlirValue operands[3 * SN_MAX_DIMS + 1], unused;
  int32_t segments[] = {1, 0, 0, 0};
  operands[0] = unfold(&b, x, d, n, size);
  intptr_t count = 1;
  static const char *const names[] = {"", "static_offsets", "static_sizes", "static_strides"};
  for (int g = OFFSETS; g <= STRIDES; ++g) {
    for (intptr_t i = 0; i < rank; ++i) {
      (void)sliced(r, slice, names[g], g, i, &unused);
      if (!sn_none(unused) && (g != OFFSETS || i != d)) {
        operands[count++] = unused;
        ++segments[g];
      }
    }
  }
  Unfolded u = unfolded(b.ctx, t, d, 1);
  MlirValue taken = sn(&b, "tensor.extract_slice", sn_values(count, operands), u.type,
                       sn_attr("static_offsets", replaced(slice, "static_offsets", d, part, 0)),
                       sn_attr("static_sizes", replaced(slice, "static_sizes", d, 1, SN_DYNAMIC)),
                       sn_attr("static_strides", replaced(slice, "static_strides", d, 1, 1)),
                       sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b.ctx, 4, segments)));
  replace(&b, slice, taken, d);
}

void sn_unfold_equal_parts(SnSizeReader *r, MlirOperation op) {
  if (sn_is(op, "tensor.concat"))
    unfold_concat(r, op);
  else
    unfold_slice(r, op);
}

// outside.c: what is 0 wherever all that it reads is outside.
//
//   %g = rowwise (i) by (j) ins(%dy[i, j]) { %dy / 125.0 }
//   rowwise (i) by (k) ins(%g[i - k] else 0.0) { ... }
// ->
//   rowwise (i) by (k) ins(%dy[i - k] else 0.0) { %dy / 125.0 ... }        and no select by the bounds of i - k
//
// The gradient of a window is such: of 125 taps each would compare six numbers to choose a 0 that it has.
//
// runs in: fuse    test: test/passes/fuse/bounds.mlir, test/run/windows_lines.test

#include "passes/merge/merge.h"
#include <math.h>

static bool is_zero(MlirAttribute constant) {
  double n;
  return constant.ptr && mlirAttributeIsAFloat(constant) && sn_attr_number(constant, &n) && n == 0 && !signbit(n);
}

static bool is_positive(MlirValue v) {
  double n;
  return sn_attr_number(sn_constant_of(v), &n) && n > 0 && isfinite(n);
}

// Where a subscript of the bounds is outside of type t, so is one of the input's.
static bool is_outside(const SnForm *f, const SnAccess *a, MlirAffineMap bounds, MlirType t) {
  int64_t sizes[SN_MAX_DIMS], low, high;
  MlirType of = sn_type_of(a->value);
  for (size_t d = 0; d < f->dims.size; ++d)
    sizes[d] = f->dims.data[d].size;
  for (intptr_t p = 0; p < mlirAffineMapGetNumResults(bounds); ++p) {
    MlirAffineExpr e = mlirAffineMapGetResult(bounds, p);
    int64_t size = sn_dim(t, p);
    bool found = size != SN_DYNAMIC && sn_affine_range(e, sizes, &low, &high) && low >= 0 && high < size;
    for (intptr_t q = 0; q < mlirAffineMapGetNumResults(a->map) && !found; ++q)
      found = size != SN_DYNAMIC && sn_dim(of, q) == size && mlirAffineExprEqual(mlirAffineMapGetResult(a->map, q), e);
    if (!found)
      return false;
  }
  return true;
}

enum { MOST_OPS = 64 }; // looked at; a value that is read twice is looked at twice

static bool vanishes(const SnForm *f, MlirValue v, MlirAffineMap bounds, MlirType t, int *left) {
  if (mlirValueIsABlockArgument(v)) {
    for (size_t k = sn_first_input(f); k < f->inputs.size; ++k)
      if (sn_same(sn_input_argument(f, k), v)) {
        const SnAccess *a = &f->inputs.data[k];
        return is_zero(a->fill) && !a->through.ptr && is_outside(f, a, bounds, t);
      }
    return false;
  }
  if (is_zero(sn_constant_of(v)))
    return true;
  MlirOperation op = mlirOpResultGetOwner(v);
  bool all[3] = {false};
  intptr_t n = sn_num_operands(op);
  for (intptr_t k = n == 3; k < n && k < 3 && --*left > 0; ++k)
    all[k] = vanishes(f, sn_operand(op, k), bounds, t, left);
  if (sn_is(op, "sinter.broadcast") || sn_is(op, "arith.extf") || sn_is(op, "arith.truncf"))
    return all[0];
  if (sn_is(op, "arith.addf") || sn_is(op, "arith.subf") || sn_is(op, "arith.maximumf"))
    return all[0] && all[1];
  if (sn_is(op, "arith.mulf"))
    return (all[0] && (all[1] || is_positive(sn_operand(op, 1)))) || (all[1] && is_positive(sn_operand(op, 0)));
  if (sn_is(op, "arith.divf"))
    return all[0] && is_positive(sn_operand(op, 1));
  return sn_is(op, "arith.select") && all[1] && all[2];
}

// The input stands in a subscript of its own wherever the result does, so both end at one place.
static bool ends_alike(const SnForm *f, const SnAccess *a, MlirAffineMap result) {
  bool all = !a->fill.ptr && !a->through.ptr;
  for (intptr_t p = 0; p < mlirAffineMapGetNumResults(result) && all; ++p) {
    intptr_t d = sn_map_dim(result, p), q = 0;
    while (d >= 0 && q < mlirAffineMapGetNumResults(a->map) && sn_map_dim(a->map, q) != d)
      ++q;
    all = d >= 0 && q < mlirAffineMapGetNumResults(a->map) &&
          sn_dim(sn_type_of(a->value), q) == f->dims.data[d].size;
  }
  return all;
}

typedef struct {
  const SnForm *f;
  MlirAffineMap result;
  int8_t *zeros; // of each input
  int left;
} Zeros;

// Whether v is a zero of this sign where inputs are zeros of theirs.
static bool is_zero_of_zeros(Zeros *z, MlirValue v, int8_t sign) {
  if (mlirValueIsABlockArgument(v)) {
    for (size_t k = sn_first_input(z->f); k < z->f->inputs.size; ++k)
      if (sn_same(sn_input_argument(z->f, k), v)) {
        bool may = z->zeros[k] != -sign && ends_alike(z->f, &z->f->inputs.data[k], z->result);
        z->zeros[k] = may ? sign : z->zeros[k];
        return may;
      }
    return false;
  }
  MlirOperation op = mlirOpResultGetOwner(v);
  if (--z->left < 0)
    return false;
  if (sn_is(op, "arith.extf") || sn_is(op, "arith.truncf"))
    return is_zero_of_zeros(z, sn_operand(op, 0), sign);
  if (sn_is(op, "arith.negf"))
    return is_zero_of_zeros(z, sn_operand(op, 0), (int8_t)-sign);
  if (sn_is(op, "arith.mulf")) {
    int by = is_positive(sn_operand(op, 0)) ? 0 : 1;
    return is_positive(sn_operand(op, by)) && is_zero_of_zeros(z, sn_operand(op, 1 - by), sign);
  }
  // 0 + 0 is 0, -0 + -0 is -0; 0 - 0 is 0, and -0 - 0 is -0.
  bool takes = sn_is(op, "arith.subf");
  return (takes || sn_is(op, "arith.addf")) && is_zero_of_zeros(z, sn_operand(op, 0), sign) &&
         is_zero_of_zeros(z, sn_operand(op, 1), takes ? 1 : sign);
}

bool sn_makes_zero_outside(const SnForm *f, size_t result, MlirAttribute fill, int8_t *zeros) {
  double n;
  Zeros z = {f, f->outputs.data[result].map, zeros, MOST_OPS};
  return fill.ptr && mlirAttributeIsAFloat(fill) && sn_attr_number(fill, &n) && n == 0 && sn_is_elementwise_form(f) &&
         !f->indices.size &&
         is_zero_of_zeros(&z, sn_operand(mlirBlockGetTerminator(f->body), (intptr_t)result), signbit(n) ? -1 : 1);
}

bool sn_is_fill_outside(const SnForm *f, MlirValue v, MlirAttribute fill, MlirAffineMap bounds, MlirType t) {
  int left = MOST_OPS;
  return is_zero(fill) && vanishes(f, v, bounds, t, &left);
}

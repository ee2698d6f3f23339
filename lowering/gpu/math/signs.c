// signs.c: what is done to a float's sign bit, and which of two floats is more, without leaving their type.
//
//   math.absf %x : bf16                                       ->   the bits of %x and 0x7fff
//   math.copysign %x, %y : bf16                               ->   those, or the bits of %y and 0x8000
//   arith.select (cmpf ugt %x, %c), %x, %c, a constant %c     ->   arith.maximumf %x, %c
//   arith.select (cmpf olt %x, %c), %x, %c                    ->   arith.minnumf %x, %c, and six more
//
// Upstream widens functions of half types to f32: a magnitude of two bf16 is seven instructions so, four of them
// conversions, which a multiprocessor makes at a quarter of the rate of others. Their bits are one instruction for two.
// A maximum of two halves is one, and comparing and choosing are four. They differ in what a NaN gives, `ugt` takes it,
// as maximumf does, `ogt` takes %c, as maxnumf does; and in zeros: +0 is more than -0 to a maximum, not to a
// comparison. A constant +0 is what both take of -0 and it; others are no 0.
//
// test: test/lowering/gpu/signs.mlir

#include "lowering/gpu/math/gpu_math.h"
#include "mlir-c/BuiltinAttributes.h"
#include <string.h>

static bool is_half(MlirType t) { return mlirTypeIsABF16(sn_element(t)) || mlirTypeIsAF16(sn_element(t)); }

static MlirType of_bits(MlirType t) {
  MlirType i16 = mlirIntegerTypeGet(mlirTypeGetContext(t), 16);
  return mlirTypeIsAVector(t) ? sn_vector(i16, sn_dim(t, 0)) : i16;
}

static MlirValue masked(SnBuilder *b, MlirValue x, int64_t mask) {
  MlirType t = of_bits(sn_type_of(x));
  MlirValue bits = sn(b, "arith.bitcast", x, t);
  return sn(b, "arith.andi", bits, sn_splat(b, t, mlirIntegerAttrGet(sn_element(t), mask)));
}

void sn_gpu_sign_of_half(MlirOperation op) {
  enum { SIGN = 1 << 15 };
  MlirType t = sn_type_of(sn_result(op, 0));
  if (!is_half(t))
    return;
  SnBuilder b = sn_before(op);
  MlirValue y = masked(&b, sn_operand(op, 0), SIGN - 1);
  if (sn_is(op, "math.copysign"))
    y = sn(&b, "arith.ori", y, masked(&b, sn_operand(op, 1), -SIGN));
  mlirValueReplaceAllUsesOfWith(sn_result(op, 0), sn(&b, "arith.bitcast", y, t));
  mlirOperationDestroy(op);
}

// What a choice between x and a constant c is that `x < c` and the like decides, by what it takes where that holds:
// x, or c. NaN gives x or c; so does 0 of another sign than c's, where c is 0.
static const struct {
  int64_t predicate; // ogt, olt, ugt, ult
  const char *takes_x, *takes_c;
} choices[] = {{2, "arith.maxnumf", "arith.minimumf"},
               {4, "arith.minnumf", "arith.maximumf"},
               {9, "arith.maximumf", "arith.minnumf"},
               {11, "arith.minimumf", "arith.maxnumf"}};

void sn_gpu_chosen(MlirOperation select) {
  MlirOperation compare = sn_def(sn_operand(select, 0), "arith.cmpf");
  MlirType t = sn_type_of(sn_result(select, 0));
  double c;
  if (sn_null(compare) || !(is_half(t) || mlirTypeIsAF32(sn_element(t))) ||
      !sn_gpu_constant(sn_operand(compare, 1), &c) || c != c)
    return;
  MlirValue x = sn_operand(compare, 0), other = sn_operand(compare, 1), yes = sn_operand(select, 1),
            no = sn_operand(select, 2);
  bool takes_x = sn_same(yes, x) && sn_same(no, other), takes_c = sn_same(yes, other) && sn_same(no, x);
  int64_t predicate = mlirIntegerAttrGetValueInt(sn_get_attr(compare, "predicate"));
  for (size_t i = 0; (takes_x || takes_c) && i < sizeof choices / sizeof *choices; ++i) {
    if (choices[i].predicate != predicate)
      continue;
    const char *name = takes_x ? choices[i].takes_x : choices[i].takes_c;
    bool more = takes_x && strstr(name, "max"); // 0 where x is 0 of either sign, as the choice
    if (c == 0 && (!more || __builtin_signbit(c)))
      return;
    SnBuilder b = sn_before(select);
    mlirValueReplaceAllUsesOfWith(sn_result(select, 0), sn(&b, name, x, other));
    mlirOperationDestroy(select);
    return;
  }
}

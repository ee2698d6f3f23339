// lanes.c: what vectors need an instruction for, and upstream's expansions several.
//
//   arith.extf (arith.truncf %x)     ->   %x     of arithmetic in half types, which is f32's
//   arith.divf %x, 2.5 of half types     ->   arith.mulf %x, 0.4
//   arith.maximumf %x, 2.0           ->   arith.select (arith.cmpf ogt 2.0, %x), 2.0, %x
//   arith.maximumf %m, %x            ->   llvm.intr.maximum(%x, %m)     with the sign of a zero left open
//   arith.truncf %x : f32 to bf16    ->   llvm.fptrunc %x
//   two of 16 lanes, shuffled into 32     ->   vcvtne2ps2bf16
//   arith.select (arith.cmpf ogt %x, %y), %x, %y : vector<16xf32>  ->  vmaxps
//
// The constant is neither a NaN nor a zero, so a NaN in x is what is not greater, and no sign is in doubt. Of two
// numbers upstream's expansion is two selects, which LLVM for AVX-512 makes one of, by two comparisons and an or of
// masks: nine cycles from one maximum to the next. LLVM's own is vmaxps and a move under x's mask, three. The
// conversion to bf16 is left to LLVM only where the processor has one: elsewhere it would call a function for each
// lane.

#include "passes/math/math.h"
#include <math.h>

bool sn_math_contracts(MlirOperation op) {
  MlirAttribute flags = sn_get_attr(op, "fastmath");
  return flags.ptr &&
         mlirAttributeEqual(flags, sn_parse_attr(mlirOperationGetContext(op), "#arith.fastmath<contract>"));
}

bool sn_math_constant(MlirValue v, double *number) {
  static const char *const same[] = {"arith.extf", "vector.broadcast"};
  for (int i = 0; i < 2; ++i)
    if (!sn_null(sn_def(v, same[i])))
      return sn_math_constant(sn_operand(sn_definer(v), 0), number);
  return sn_attr_number(sn_constant_of(v), number);
}

// All that reads the number rounds it to a half type.
static bool is_of_half(MlirValue v) {
  for (MlirOpOperand u = mlirValueGetFirstUse(v); !mlirOpOperandIsNull(u); u = mlirOpOperandGetNextUse(u)) {
    MlirOperation user = mlirOpOperandGetOwner(u);
    if (!sn_is(user, "arith.truncf") || !sn_math_contracts(user) ||
        sn_bits(sn_element(sn_type_of(sn_result(user, 0)))) != 16)
      return false;
  }
  return true;
}

// Where the reciprocal is a number of full length, and so within half an ulp.
static void quotients_of_halves(MlirOperation root) {
  SnOpVec ops = sn_collect(root, "arith.divf");
  for (size_t k = 0; k < ops.size; ++k) {
    MlirOperation op = ops.data[k];
    MlirType t = sn_type_of(sn_result(op, 0));
    double c;
    if (!mlirTypeIsAF32(sn_element(t)) || !is_of_half(sn_result(op, 0)) || !sn_math_constant(sn_operand(op, 1), &c) ||
        !(fabs(c) >= 0x1p-126 && fabs(c) <= 0x1p126))
      continue;
    SnBuilder b = sn_before(op);
    MlirValue inverse = sn_splat(&b, t, mlirFloatAttrDoubleGet(b.ctx, sn_element(t), 1 / c));
    mlirValueReplaceAllUsesOfWith(sn_result(op, 0), sn(&b, "arith.mulf", sn_operand(op, 0), inverse));
    mlirOperationDestroy(op);
  }
  sn_vec_free(&ops);
}

void sn_math_unrounded(MlirOperation root) {
  quotients_of_halves(root);
  SnOpVec ops = sn_collect(root, "arith.extf");
  for (size_t k = 0; k < ops.size; ++k) {
    MlirOperation op = ops.data[k], rounds = sn_def(sn_operand(op, 0), "arith.truncf");
    if (sn_null(rounds) || !sn_math_contracts(op) || !sn_math_contracts(rounds) ||
        !mlirTypeEqual(sn_type_of(sn_operand(rounds, 0)), sn_type_of(sn_result(op, 0))))
      continue;
    mlirValueReplaceAllUsesOfWith(sn_result(op, 0), sn_operand(rounds, 0));
    mlirOperationDestroy(op);
    if (sn_unused(rounds))
      mlirOperationDestroy(rounds);
  }
  sn_vec_free(&ops);
}

static bool is_ordinary(MlirValue v) {
  double number;
  MlirAttribute constant = sn_constant_of(v);
  return constant.ptr && sn_attr_number(constant, &number) && !isnan(number) && number != 0;
}

static MlirValue one_comparison(SnBuilder *b, MlirValue x, MlirValue c, bool maximum) {
  MlirValue beyond = sn(b, "arith.cmpf", c, x, sn_attr("predicate", sn_i64(b->ctx, maximum ? 2 : 4))); // ogt, olt
  return sn(b, "arith.select", beyond, c, x);
}

static bool has_an_instruction(MlirType t) {
  MlirType e = sn_element(t);
  return (mlirTypeIsAF32(e) || mlirTypeIsAF64(e)) && (!mlirTypeIsAVector(t) || sn_rank(t) == 1);
}

// The first operand is compared with itself, while the other one may be on its way: of a reduction a number of the row.
static MlirValue one_instruction(SnBuilder *b, MlirValue x, MlirValue m, bool maximum) {
  return sn(b, maximum ? "llvm.intr.maximum" : "llvm.intr.minimum", x, m,
            sn_attr("fastmathFlags", sn_parse_attr(b->ctx, "#llvm.fastmath<nsz>")));
}

static void extremum(MlirOperation op) {
  MlirValue m = sn_operand(op, 0), x = sn_operand(op, 1), found = {0};
  bool maximum = sn_is(op, "arith.maximumf");
  SnBuilder b = sn_before(op);
  if (is_ordinary(x) || is_ordinary(m))
    found = is_ordinary(x) ? one_comparison(&b, m, x, maximum) : one_comparison(&b, x, m, maximum);
  else if (!sn_constant_of(x).ptr && !sn_constant_of(m).ptr && has_an_instruction(sn_type_of(x)))
    found = one_instruction(&b, x, m, maximum);
  if (sn_none(found))
    return;
  mlirValueReplaceAllUsesOfWith(sn_result(op, 0), found);
  mlirOperationDestroy(op);
}

void sn_math_maxima(MlirOperation root) {
  static const char *const names[] = {"arith.maximumf", "arith.minimumf"};
  for (int i = 0; i < 2; ++i) {
    SnOpVec ops = sn_collect(root, names[i]);
    for (size_t k = 0; k < ops.size; ++k)
      extremum(ops.data[k]);
    sn_vec_free(&ops);
  }
}

// LLVM knows this by itself, but not behind a conversion from bf16, whose cast it moves behind the select.
void sn_math_greater(MlirOperation root) {
  SnOpVec ops = sn_collect(root, "arith.select");
  for (size_t k = 0; k < ops.size; ++k) {
    MlirOperation op = ops.data[k], compare = sn_def(sn_operand(op, 0), "arith.cmpf");
    MlirValue x = sn_operand(op, 1), y = sn_operand(op, 2);
    MlirType t = sn_type_of(x);
    if (sn_null(compare) || !sn_same(sn_operand(compare, 0), x) || !sn_same(sn_operand(compare, 1), y) ||
        mlirIntegerAttrGetValueInt(sn_get_attr(compare, "predicate")) != 2 || !mlirTypeIsAVector(t) ||
        sn_rank(t) != 1 || sn_dim(t, 0) != 16 || !mlirTypeIsAF32(sn_element(t)) || sn_constant_of(x).ptr ||
        sn_constant_of(y).ptr)
      continue;
    SnBuilder b = sn_before(op);
    int32_t none = 0, segments[] = {3, 0};
    MlirValue as_is = sn_int(&b, mlirIntegerTypeGet(b.ctx, 32), 4); // the rounding mode
    MlirValue larger =
        sn(&b, "llvm.call_intrinsic", x, y, as_is, t, sn_attr("intrin", sn_string(b.ctx, "llvm.x86.avx512.max.ps.512")),
           sn_attr("op_bundle_sizes", mlirDenseI32ArrayGet(b.ctx, 0, &none)),
           sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b.ctx, 2, segments)));
    mlirValueReplaceAllUsesOfWith(sn_result(op, 0), larger);
    mlirOperationDestroy(op);
  }
  sn_vec_free(&ops);
}

// What a bf16 vector of 16 lanes is rounded from, or null.
static MlirValue rounded_from(MlirValue v) {
  MlirOperation op = sn_def(v, "arith.truncf");
  MlirType t = sn_type_of(v);
  MlirValue none = {0};
  bool is = !sn_null(op) && mlirTypeIsAVector(t) && sn_rank(t) == 1 && sn_dim(t, 0) == 16 &&
            mlirTypeIsABF16(sn_element(t)) && mlirTypeIsAF32(sn_element(sn_type_of(sn_operand(op, 0))));
  return is ? sn_operand(op, 0) : none;
}

// A vector.shuffle, or a vector.interleave.
static void two_at_once(MlirOperation shuffle) {
  MlirValue low = rounded_from(sn_operand(shuffle, 0)), high = rounded_from(sn_operand(shuffle, 1));
  MlirAttribute mask = sn_get_attr(shuffle, "mask");
  if (sn_none(low) || sn_none(high) || sn_dim(sn_type_of(sn_result(shuffle, 0)), 0) != 32)
    return;
  bool in_order = true;
  int64_t lanes[32];
  for (intptr_t l = 0; l < 32; ++l) {
    lanes[l] = mask.ptr ? mlirDenseI64ArrayGetElement(mask, l) : l / 2 + l % 2 * 16;
    in_order &= lanes[l] == l;
  }
  SnBuilder b = sn_before(shuffle);
  int32_t none = 0, segments[] = {2, 0};
  MlirValue both = sn(&b, "llvm.call_intrinsic", high, low, sn_type_of(sn_result(shuffle, 0)),
                      sn_attr("intrin", sn_string(b.ctx, "llvm.x86.avx512bf16.cvtne2ps2bf16.512")),
                      sn_attr("op_bundle_sizes", mlirDenseI32ArrayGet(b.ctx, 0, &none)),
                      sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b.ctx, 2, segments)));
  mlirValueReplaceAllUsesOfWith(
      sn_result(shuffle, 0),
      in_order ? both : sn(&b, "vector.shuffle", both, both, sn_attr("mask", mlirDenseI64ArrayGet(b.ctx, 32, lanes))));
  mlirOperationDestroy(shuffle);
}

void sn_math_native_bf16(MlirOperation root) {
  static const char *const names[] = {"vector.shuffle", "vector.interleave"};
  for (int i = 0; i < 2; ++i) {
    SnOpVec pairs = sn_collect(root, names[i]);
    for (size_t k = 0; k < pairs.size; ++k)
      two_at_once(pairs.data[k]);
    sn_vec_free(&pairs);
  }
  SnOpVec ops = sn_collect(root, "arith.truncf");
  for (size_t k = 0; k < ops.size; ++k) {
    MlirOperation op = ops.data[k];
    MlirValue x = sn_operand(op, 0);
    MlirType from = sn_type_of(x), to = sn_type_of(sn_result(op, 0));
    bool lanes = mlirTypeIsAVector(from) && sn_rank(from) == 1 && sn_dim(from, 0) >= 4;
    if (!mlirTypeIsAF32(sn_element(from)) || !mlirTypeIsABF16(sn_element(to)) || (mlirTypeIsAVector(from) && !lanes))
      continue;
    SnBuilder b = sn_before(op);
    mlirValueReplaceAllUsesOfWith(sn_result(op, 0), sn(&b, "llvm.fptrunc", x, to));
    mlirOperationDestroy(op);
  }
  sn_vec_free(&ops);
}

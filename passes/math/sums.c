// sums.c: what loops add up: products, and logarithms.
//
//   %p = arith.mulf %a, %b
//   %s = arith.addf %carried, %p                        ->   %s = llvm.intr.fmuladd(%a, %b, %carried)
//
// the same where loops are written out: %s = arith.addf %t, %p fastmath<contract>, which the lowering says
//
//   %s0 = %carried0 + (%a0 + log1p(exp(-|x0|)))         ->   %s0 = %carried0 + %a0
//   %s1 = %carried1 + (%a1 + log1p(exp(-|x1|)))         ->   %s1 = %carried1 + (%a1 + log1p(%q)),   1 + %q = (1 + e0)
//   (1 + e1)
//
// Sums alone: a + b * c elsewhere is rounded twice, as it is written. Logarithms of a step are taken together where
// all they are added to is added up itself behind the loop. 1 + e is between 1 and 2, so that 16 of them are no large
// number; q = e0 + e1 + e0 e1 has no cancellation, and where every e is small the sum is as precise as it was.

#include "passes/math/parts.h"

#define MOST 16 // factors

static MlirOperation loop_that_carries(MlirValue v) {
  MlirOperation none = {0};
  if (!mlirValueIsABlockArgument(v))
    return none;
  MlirOperation owner = mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(v));
  return sn_is(owner, "scf.for") ? owner : none;
}

// ---- products --------------------------------------------------------------------------

static bool add_product(MlirOperation add, int k) {
  MlirOperation mul = sn_def(sn_operand(add, k), "arith.mulf");
  bool goes_on = sn_math_contracts(add) || !sn_null(loop_that_carries(sn_operand(add, 1 - k)));
  if (sn_null(mul) || !sn_one_use(sn_result(mul, 0)) || !goes_on)
    return false;
  SnBuilder b = sn_before(add);
  MlirValue s = sn(&b, "llvm.intr.fmuladd", sn_operand(mul, 0), sn_operand(mul, 1), sn_operand(add, 1 - k),
                   sn_type_of(sn_result(add, 0)));
  mlirValueReplaceAllUsesOfWith(sn_result(add, 0), s);
  mlirOperationDestroy(add);
  mlirOperationDestroy(mul);
  return true;
}

void sn_math_products(MlirOperation root) {
  SnOpVec ops = sn_collect(root, "arith.addf");
  for (size_t i = 0; i < ops.size; ++i) {
    int64_t bits = sn_bits(sn_element(sn_type_of(sn_result(ops.data[i], 0))));
    if (bits == 32 || bits == 64)
      (void)(add_product(ops.data[i], 0) || add_product(ops.data[i], 1));
  }
  sn_vec_free(&ops);
}

// ---- logarithms ------------------------------------------------------------------------

// A log1p of what is between 0 and 1, that is a term of what a loop adds up.
typedef struct {
  MlirOperation log, outer; // outer: the sum that is carried on
  MlirValue total;          // the sum behind the loop that its sum is part of
} Term;

static MlirOperation only_user(MlirValue v) {
  MlirOperation none = {0};
  return sn_one_use(v) ? mlirOpOperandGetOwner(mlirValueGetFirstUse(v)) : none;
}

// Of sums of sums that are for nothing else, the last one.
static MlirValue total_of(MlirValue v) {
  for (MlirOperation user = only_user(v); !sn_null(user) && sn_is(user, "arith.addf"); user = only_user(v))
    v = sn_result(user, 0);
  return v;
}

static bool is_term(MlirOperation log, Term *term) {
  MlirValue v = sn_result(log, 0);
  MlirOperation exp = sn_def(sn_operand(log, 0), "math.exp"), user;
  if (sn_null(exp) || !sn_math_is_negated_magnitude(sn_operand(exp, 0)) || !mlirTypeIsAF32(sn_element(sn_type_of(v))) ||
      !mlirTypeIsAVector(sn_type_of(v)))
    return false;
  for (user = only_user(v); !sn_null(user) && sn_is(user, "arith.addf"); user = only_user(v)) {
    for (int k = 0; k < 2; ++k) {
      MlirValue carried = sn_operand(user, k);
      MlirOperation loop = loop_that_carries(carried), yield = only_user(sn_result(user, 0));
      if (sn_null(loop) || sn_null(yield) || !sn_is(yield, "scf.yield") || !sn_one_use(carried))
        continue;
      intptr_t at = mlirBlockArgumentGetArgNumber(carried) - 1;
      if (!mlirBlockEqual(mlirOperationGetBlock(log), mlirOperationGetBlock(user)) ||
          !sn_same(sn_operand(yield, at), sn_result(user, 0)))
        return false;
      *term = (Term){log, user, total_of(sn_result(loop, at))};
      return true;
    }
    v = sn_result(user, 0);
  }
  return false;
}

// (1 + x) (1 + y) - 1
static MlirValue both(SnBuilder *b, MlirValue x, MlirValue y) {
  return sn(b, "math.fma", x, y, sn(b, "arith.addf", x, y));
}

// a + log -> a
static void leave_out(MlirOperation log) {
  MlirOperation add = only_user(sn_result(log, 0));
  MlirValue rest = sn_operand(add, sn_same(sn_operand(add, 0), sn_result(log, 0)));
  mlirValueReplaceAllUsesOfWith(sn_result(add, 0), rest);
  mlirOperationDestroy(add);
  mlirOperationDestroy(log);
}

// The logarithms of one loop that belong to one total, by pairs, at the last one's place.
static void together(size_t n, const Term *terms) {
  MlirValue factors[MOST];
  SnBuilder b = sn_before(terms[n - 1].log);
  for (size_t i = 0; i < n; ++i)
    factors[i] = sn_operand(terms[i].log, 0);
  for (size_t left = n; left > 1; left = (left + 1) / 2)
    for (size_t i = 0; i < left / 2 + left % 2; ++i)
      factors[i] = 2 * i + 1 < left ? both(&b, factors[2 * i], factors[2 * i + 1]) : factors[2 * i];
  mlirOperationSetOperand(terms[n - 1].log, 0, factors[0]);
  for (size_t i = 0; i + 1 < n; ++i)
    leave_out(terms[i].log);
}

void sn_math_logarithms(MlirOperation root) {
  SnOpVec ops = sn_collect(root, "math.log1p");
  SN_VEC(Term) terms = {0};
  for (size_t i = 0; i < ops.size; ++i) {
    Term t;
    if (is_term(ops.data[i], &t))
      sn_push(&terms, t);
  }
  for (size_t i = 0; i < terms.size; ++i) {
    Term group[MOST];
    size_t n = 0;
    for (size_t k = i; k < terms.size && n < MOST && !sn_null(terms.data[i].log); ++k)
      if (!sn_null(terms.data[k].log) && sn_same(terms.data[k].total, terms.data[i].total) &&
          mlirBlockEqual(mlirOperationGetBlock(terms.data[k].log), mlirOperationGetBlock(terms.data[i].log))) {
        group[n++] = terms.data[k];
        if (k != i)
          terms.data[k].log.ptr = NULL;
      }
    if (n > 1)
      together(n, group);
  }
  sn_vec_free(&terms);
  sn_vec_free(&ops);
}

// rules.c: the derivative of each operation of a row program.
//
//   %y = math.exp %x                        ->  adjoint of x += g * y
//   %s = sinter.row_reduce add %x           ->  adjoint of x += broadcast g
//   %p = sinter.pick %x[%t] else %z         ->  adjoint of x += (j == t ? g : 0)
//
// g is the adjoint of the operation's result: the gradient of the loss with respect to it. One table
// has a rule for each operation; a rule hands to each operand its part. At corners, where a derivative
// does not exist, the rules are PyTorch's, and a test names each of them.
//
// new row operation: what its operands get of its gradient.
//
// runs in: differentiate    test: test/run/differentiate_rules.test, test/passes/differentiate/errors.mlir

#include "dialect/row_ops.h"
#include "passes/differentiate/differentiate.h"
#include <math.h>

// ---- adjoints --------------------------------------------------------------------------

MlirType sn_wide_type(MlirType t) { return sn_bits(t) < 32 ? mlirF32TypeGet(mlirTypeGetContext(t)) : t; }

MlirValue sn_to_float(SnBuilder *b, MlirValue v, MlirType element) {
  MlirType is = sn_element(sn_type_of(v));
  if (mlirTypeEqual(is, element))
    return v;
  MlirOperation up = sn_def(v, "arith.extf"); // there and back again
  if (!sn_null(up) && mlirTypeEqual(sn_element(sn_type_of(sn_operand(up, 0))), element))
    return sn_operand(up, 0);
  return sn_row_op(b, sn_bits(is) < sn_bits(element) ? "arith.extf" : "arith.truncf", element, 1, &v);
}

bool sn_is_active(const SnReverse *r, MlirValue v) { return sn_table_has(&r->is_active, v.ptr); }

void sn_activate(SnReverse *r, MlirValue v) {
  sn_push(&r->active, v);
  sn_table_put(&r->is_active, v.ptr, 1);
}

MlirValue sn_adjoint_of(const SnReverse *r, MlirValue v) { return sn_mapped(&r->adjoints, v); }

void sn_add_adjoint(SnReverse *r, MlirValue v, MlirValue g) {
  if (!sn_is_active(r, v))
    return;
  MlirValue parts[] = {sn_adjoint_of(r, v), sn_to_float(r->b, g, sn_wide_type(sn_element(sn_type_of(v))))};
  sn_map(&r->adjoints, v, sn_none(parts[0]) ? parts[1] : sn_row_op(r->b, "arith.addf", (MlirType){0}, 2, parts));
}

void sn_reverse_free(SnReverse *r) {
  sn_map_free(&r->copies);
  sn_map_free(&r->adjoints);
  sn_vec_free(&r->active);
  sn_table_free(&r->is_active);
}

// ---- what rules are written in ----------------------------------------------------------------

typedef struct {
  SnReverse *r;
  SnBuilder *b;
  MlirOperation op; // of the block that is reversed
  MlirType type;    // of the arithmetic: an element
  MlirValue y, g;   // its result, and the adjoint of that
} Step;

static MlirValue x(Step *s, intptr_t k) {
  return sn_to_float(s->b, sn_lookup(&s->r->copies, sn_operand(s->op, k)), s->type);
}
static MlirValue as_is(Step *s, intptr_t k) { return sn_lookup(&s->r->copies, sn_operand(s->op, k)); }
static void give(Step *s, intptr_t k, MlirValue g) { sn_add_adjoint(s->r, sn_operand(s->op, k), g); }

static MlirValue number(Step *s, double v) { return sn_float(s->b, s->type, v); }
static MlirValue of(Step *s, const char *op, MlirValue u) { return sn_row_op(s->b, op, (MlirType){0}, 1, &u); }
static MlirValue two(Step *s, const char *op, MlirValue u, MlirValue v) {
  MlirValue both[] = {u, v};
  return sn_row_op(s->b, op, (MlirType){0}, 2, both);
}
static MlirValue add(Step *s, MlirValue u, MlirValue v) { return two(s, "arith.addf", u, v); }
static MlirValue sub(Step *s, MlirValue u, MlirValue v) { return two(s, "arith.subf", u, v); }
static MlirValue mul(Step *s, MlirValue u, MlirValue v) { return two(s, "arith.mulf", u, v); }
static MlirValue quotient(Step *s, MlirValue u, MlirValue v) { return two(s, "arith.divf", u, v); }
static MlirValue negated(Step *s, MlirValue u) { return of(s, "arith.negf", u); }
static MlirValue square(Step *s, MlirValue u) { return mul(s, u, u); }
static MlirValue where(Step *s, MlirValue c, MlirValue u, MlirValue v) {
  MlirValue all[] = {c, u, v};
  if (sn_is_row(c)) { // a scalar condition chooses whole rows, a row of them elements
    all[1] = sn_as_row(s->b, u, sn_type_of(c));
    all[2] = sn_as_row(s->b, v, sn_type_of(c));
  }
  return sn_row_op(s->b, "arith.select", (MlirType){0}, 3, all);
}

typedef enum { EQ = 1, GT, GE, LT, LE, UNORDERED = 14 } Predicate; // arith.cmpf's numbers
typedef enum { INT_EQ = 0, INT_ULT = 6 } IntPredicate;
static MlirValue compared(Step *s, const char *op, int predicate, MlirValue u, MlirValue v) {
  MlirType row = sn_is_row(u) ? sn_type_of(u) : sn_type_of(v);
  if (mlirTypeIsARankedTensor(row)) {
    u = sn_as_row(s->b, u, row);
    v = sn_as_row(s->b, v, row);
  }
  return sn(s->b, op, u, v, sn_attr("predicate", sn_i64(s->b->ctx, predicate)));
}
static MlirValue is(Step *s, MlirValue u, Predicate p, MlirValue v) { return compared(s, "arith.cmpf", p, u, v); }
static MlirValue either(Step *s, MlirValue u, MlirValue v) { return two(s, "arith.ori", u, v); }
static MlirValue both(Step *s, MlirValue u, MlirValue v) { return two(s, "arith.andi", u, v); }

static MlirValue reduced(Step *s, const char *kind, MlirValue row, MlirType to) {
  return sn_row_reduce(s->b, kind, row, to);
}
static bool no(Step *s, const char *why) {
  sn_error(s->op, "has no gradient here: %s", why);
  return false;
}

// ---- arith --------------------------------------------------------------------------------------

static bool nothing(Step *s) { return true; } // the derivative is zero wherever there is one
static bool pass(Step *s) { return give(s, 0, s->g), true; }
static bool add_(Step *s) { return give(s, 0, s->g), give(s, 1, s->g), true; }
static bool sub_(Step *s) { return give(s, 0, s->g), give(s, 1, negated(s, s->g)), true; }
static bool neg_(Step *s) { return give(s, 0, negated(s, s->g)), true; }
static bool mul_(Step *s) {
  give(s, 0, mul(s, s->g, x(s, 1)));
  give(s, 1, mul(s, s->g, x(s, 0)));
  return true;
}
// e / (1 + e) for an e that may be infinite: above 2^64 it is 1 anyway.
static MlirValue saturated(Step *s, MlirValue e) {
  MlirValue finite = two(s, "arith.minimumf", sn_to_float(s->b, e, s->type), number(s, 0x1p64));
  return quotient(s, finite, add(s, finite, number(s, 1)));
}
// -|x|, or x < 0 ? x : -x.
static bool is_never_positive(MlirValue v) {
  MlirOperation minus = sn_def(v, "arith.negf"), select = sn_def(v, "arith.select");
  if (!sn_null(minus))
    return !sn_null(sn_def(sn_operand(minus, 0), "math.absf"));
  if (sn_null(select))
    return false;
  MlirValue x = sn_operand(select, 1);
  MlirOperation compare = sn_def(sn_operand(select, 0), "arith.cmpf");
  minus = sn_def(sn_operand(select, 2), "arith.negf");
  enum { OLT = 4, OLE = 5 };
  int64_t predicate = sn_null(compare) ? 0 : sn_int_attr(compare, "predicate", 0);
  return !sn_null(minus) && sn_same(sn_operand(minus, 0), x) && (predicate == OLT || predicate == OLE) &&
         sn_same(sn_operand(compare, 0), x) && sn_is_constant(sn_operand(compare, 1), 0);
}
// The exponential that v is, if it may overflow; else null.
static MlirOperation overflowing(MlirValue v) {
  MlirOperation exp = sn_def(v, "math.exp");
  return sn_null(exp) || is_never_positive(sn_operand(exp, 0)) ? (MlirOperation){0} : exp;
}

static bool div_(Step *s) {
  // A sigmoid, 1 / (1 + exp(t)): where exp(t) overflows, y / (1 + exp(t)) is 0 and that times exp(t) no number.
  MlirOperation sum = sn_def(sn_operand(s->op, 1), "arith.addf"), exp = {0};
  for (intptr_t k = 0; k < 2 && sn_null(exp) && !sn_null(sum) && sn_is_constant(sn_operand(s->op, 0), 1); ++k)
    if (sn_is_constant(sn_operand(sum, 1 - k), 1))
      exp = overflowing(sn_operand(sum, k));
  if (!sn_null(exp)) {
    MlirValue slope = mul(s, s->y, saturated(s, sn_lookup(&s->r->copies, sn_result(exp, 0))));
    sn_add_adjoint(s->r, sn_operand(exp, 0), negated(s, mul(s, s->g, slope)));
    return true;
  }
  give(s, 0, quotient(s, s->g, x(s, 1)));
  give(s, 1, negated(s, mul(s, s->g, quotient(s, s->y, x(s, 1)))));
  return true;
}
static bool rem_(Step *s) {
  give(s, 0, s->g);
  give(s, 1, negated(s, mul(s, s->g, of(s, "math.trunc", quotient(s, x(s, 0), x(s, 1))))));
  return true;
}
static bool fma_(Step *s) {
  mul_(s);
  return give(s, 2, s->g), true;
}
static bool select_(Step *s) {
  give(s, 1, where(s, as_is(s, 0), s->g, number(s, 0)));
  give(s, 2, where(s, as_is(s, 0), number(s, 0), s->g));
  return true;
}
// The one that is not taken gets 0, of equal ones each gets half (torch.maximum, torch.minimum); a NaN takes nothing
// away.
static bool extremum(Step *s, Predicate loses, Predicate wins) {
  MlirValue u = x(s, 0), v = x(s, 1), zero = number(s, 0);
  MlirValue g = where(s, is(s, u, EQ, v), mul(s, s->g, number(s, 0.5)), s->g);
  give(s, 0, where(s, is(s, u, loses, v), zero, g));
  give(s, 1, where(s, is(s, u, wins, v), zero, g));
  return true;
}
static bool maximum_(Step *s) { return extremum(s, LT, GT); }
static bool minimum_(Step *s) { return extremum(s, GT, LT); }
// Of equal ones the first gets all, and what stands beside a NaN (torch.fmax, torch.fmin).
static bool number_extremum(Step *s, Predicate first) {
  MlirValue u = x(s, 0), v = x(s, 1), zero = number(s, 0);
  MlirValue taken = either(s, is(s, u, first, v), is(s, v, UNORDERED, v));
  give(s, 0, where(s, taken, s->g, zero));
  give(s, 1, where(s, taken, zero, s->g));
  return true;
}
static bool maxnum_(Step *s) { return number_extremum(s, GE); }
static bool minnum_(Step *s) { return number_extremum(s, LE); }

// ---- math ------------------------------------------------------------------------------------------

#define GIVES(name, gradient)                                                                                          \
  static bool name(Step *s) { return give(s, 0, gradient), true; }
GIVES(exp_, mul(s, s->g, s->y))
GIVES(exp2_, mul(s, s->g, mul(s, s->y, number(s, M_LN2))))
GIVES(expm1_, mul(s, s->g, add(s, s->y, number(s, 1))))

// Read by maxima with constants alone: where the logarithm is -inf, the bound is taken, and 0 comes back, not 0 / 0.
static bool is_bounded(MlirValue logarithm) {
  MlirOpOperand use = mlirValueGetFirstUse(logarithm);
  bool bounded = !mlirOpOperandIsNull(use);
  for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation reader = mlirOpOperandGetOwner(use);
    bounded &= sn_is(reader, "arith.maxnumf") && sn_constant_of(sn_operand(reader, 1)).ptr;
  }
  return bounded;
}
static bool logarithm(Step *s, MlirValue u) {
  MlirValue g = quotient(s, s->g, u);
  if (is_bounded(sn_result(s->op, 0)))
    g = where(s, is(s, u, EQ, number(s, 0)), number(s, 0), g);
  return give(s, 0, g), true;
}
static bool log_(Step *s) { return logarithm(s, x(s, 0)); }
static bool log1p_(Step *s) {
  MlirOperation exp = overflowing(sn_operand(s->op, 0)); // softplus: 0 * inf where exp overflows
  if (!sn_null(exp)) {
    sn_add_adjoint(s->r, sn_operand(exp, 0), mul(s, s->g, saturated(s, sn_lookup(&s->r->copies, sn_result(exp, 0)))));
    return true;
  }
  return logarithm(s, add(s, x(s, 0), number(s, 1)));
}
GIVES(log2_, quotient(s, s->g, mul(s, x(s, 0), number(s, M_LN2))))
GIVES(log10_, quotient(s, s->g, mul(s, x(s, 0), number(s, M_LN10))))
GIVES(sqrt_, quotient(s, s->g, mul(s, s->y, number(s, 2)))) // inf at 0
GIVES(rsqrt_, mul(s, mul(s, s->g, number(s, -0.5)), mul(s, s->y, square(s, s->y))))
GIVES(cbrt_, quotient(s, s->g, mul(s, square(s, s->y), number(s, 3))))
GIVES(sin_, mul(s, s->g, of(s, "math.cos", x(s, 0))))
GIVES(cos_, negated(s, mul(s, s->g, of(s, "math.sin", x(s, 0)))))
GIVES(tan_, mul(s, s->g, add(s, square(s, s->y), number(s, 1))))
GIVES(asin_, mul(s, s->g, of(s, "math.rsqrt", sub(s, number(s, 1), square(s, x(s, 0))))))
GIVES(acos_, negated(s, mul(s, s->g, of(s, "math.rsqrt", sub(s, number(s, 1), square(s, x(s, 0)))))))
GIVES(atan_, quotient(s, s->g, add(s, square(s, x(s, 0)), number(s, 1))))
GIVES(sinh_, mul(s, s->g, of(s, "math.cosh", x(s, 0))))
GIVES(cosh_, mul(s, s->g, of(s, "math.sinh", x(s, 0))))
GIVES(tanh_, mul(s, s->g, sub(s, number(s, 1), square(s, s->y))))
GIVES(asinh_, quotient(s, s->g, of(s, "math.sqrt", add(s, square(s, x(s, 0)), number(s, 1)))))
GIVES(acosh_, quotient(s, s->g, of(s, "math.sqrt", sub(s, square(s, x(s, 0)), number(s, 1)))))
GIVES(atanh_, quotient(s, s->g, sub(s, number(s, 1), square(s, x(s, 0)))))
#define TWO_OVER_ROOT_PI 1.12837916709551257390
GIVES(erf_, mul(s, s->g, mul(s, of(s, "math.exp", negated(s, square(s, x(s, 0)))), number(s, TWO_OVER_ROOT_PI))))
GIVES(erfc_, mul(s, s->g, mul(s, of(s, "math.exp", negated(s, square(s, x(s, 0)))), number(s, -TWO_OVER_ROOT_PI))))

// sign(0) is 0, and that of a NaN.
static bool abs_(Step *s) {
  MlirValue u = x(s, 0), zero = number(s, 0);
  MlirValue sign = where(s, is(s, u, GT, zero), number(s, 1), where(s, is(s, u, LT, zero), number(s, -1), zero));
  return give(s, 0, mul(s, s->g, sign)), true;
}
static bool copysign_(Step *s) {
  MlirValue u = x(s, 0), zero = number(s, 0);
  return give(s, 0, mul(s, s->g, where(s, is(s, u, EQ, zero), zero, quotient(s, s->y, u)))), true;
}
static bool atan2_(Step *s) {
  MlirValue u = x(s, 0), v = x(s, 1), scaled = quotient(s, s->g, add(s, square(s, u), square(s, v)));
  give(s, 0, mul(s, scaled, v));
  give(s, 1, negated(s, mul(s, scaled, u)));
  return true;
}
// x^0 is constant, at x = 0 too; 0^p is for p >= 0.
static bool power_(Step *s) {
  MlirValue u = x(s, 0), p = x(s, 1), zero = number(s, 0);
  MlirValue slope = mul(s, p, two(s, "math.powf", u, sub(s, p, number(s, 1))));
  give(s, 0, where(s, is(s, p, EQ, zero), zero, mul(s, s->g, slope)));
  MlirValue constant = both(s, is(s, u, EQ, zero), is(s, p, GE, zero));
  give(s, 1, mul(s, s->g, where(s, constant, zero, mul(s, s->y, of(s, "math.log", u)))));
  return true;
}
static bool int_power_(Step *s) {
  MlirValue n = as_is(s, 1);
  MlirType type = sn_element(sn_type_of(n));
  MlirValue less = two(s, "arith.subi", n, sn_int(s->b, type, 1));
  MlirValue p = sn_row_op(s->b, "arith.sitofp", s->type, 1, &n);
  MlirValue slope = mul(s, p, two(s, "math.fpowi", x(s, 0), less));
  MlirValue constant = compared(s, "arith.cmpi", INT_EQ, n, sn_int(s->b, type, 0));
  return give(s, 0, where(s, constant, number(s, 0), mul(s, s->g, slope))), true;
}
// Inside and at the bounds the value gets all; outside the bound that is met.
static bool clamp_(Step *s) {
  MlirValue u = x(s, 0), low = x(s, 1), high = x(s, 2), zero = number(s, 0);
  MlirValue below = is(s, u, LT, low), above = is(s, u, GT, high);
  give(s, 0, where(s, both(s, is(s, u, GE, low), is(s, u, LE, high)), s->g, zero));
  give(s, 1, where(s, below, s->g, zero));
  give(s, 2, where(s, above, s->g, zero));
  return true;
}

// ---- row operations -----------------------------------------------------------------------------------

static bool differentiate_broadcast(Step *s) {
  MlirValue row = sn_as_row(s->b, s->g, sn_type_of(sn_result(s->op, 0)));
  return give(s, 0, reduced(s, "add", row, s->type)), true;
}

// Evenly among those that are equal to it (torch.amax); of a NaN all are NaN.
static void row_extremum(Step *s) {
  MlirValue zero = number(s, 0), here = is(s, x(s, 0), EQ, s->y);
  MlirValue count = reduced(s, "add", where(s, here, number(s, 1), zero), s->type);
  give(s, 0, where(s, here, quotient(s, s->g, count), quotient(s, mul(s, s->g, zero), count)));
}
// All elements but itself. One zero leaves a product for itself, two leave none.
static void product_of_row(Step *s) {
  MlirValue u = x(s, 0), zero = number(s, 0), one = number(s, 1), is_zero = is(s, u, EQ, zero);
  MlirValue zeros = reduced(s, "add", where(s, is_zero, one, zero), s->type);
  MlirValue others = mul(s, s->g, reduced(s, "mul", where(s, is_zero, one, u), s->type));
  MlirValue alone = where(s, is(s, zeros, EQ, one), others, zero),
            none = where(s, is(s, zeros, EQ, zero), others, zero);
  give(s, 0, where(s, is_zero, alone, quotient(s, none, u)));
}
static bool differentiate_row_reduce(Step *s) {
  MlirAttribute kind = sn_get_attr(s->op, "kind");
  if (!kind.ptr)
    return no(s, "its combiner is a region; take one with a name, or write what it computes with those");
  MlirStringRef name = mlirStringAttrGetValue(kind);
  if (mlirStringRefEqual(name, SN_STR("add")))
    give(s, 0, s->g);
  else if (mlirStringRefEqual(name, SN_STR("mul")))
    product_of_row(s);
  else
    row_extremum(s);
  return true;
}

// The place in the row, over all of its columns.
static MlirValue row_position(Step *s, MlirType row) {
  const SnForm *f = s->r->form;
  MlirType index = sn_index_type(s->b->ctx);
  MlirValue at = {0};
  for (intptr_t d = f->num_rows; d < f->num_rows + f->num_cols; ++d) {
    MlirValue here = sn_position(s->b, f, d);
    if (!sn_none(at)) {
      MlirValue size = f->dims.data[d].size == SN_DYNAMIC
                           ? two(s, "arith.addi", reduced(s, "maxsi", here, index), sn_index(s->b, 1))
                           : sn_index(s->b, f->dims.data[d].size);
      here = two(s, "arith.addi", two(s, "arith.muli", at, size), here);
    }
    at = here;
  }
  return sn_none(at) ? sn_as_row(s->b, sn_index(s->b, 0), row) : at;
}

static bool differentiate_pick(Step *s) {
  MlirType row = sn_type_of(sn_operand(s->op, 0)), index = sn_index_type(s->b->ctx);
  MlirValue t = as_is(s, 1);
  if (!mlirTypeIsAIndex(sn_type_of(t)))
    t = sn(s->b, "arith.index_cast", t, index);
  MlirValue zero = number(s, 0);
  give(s, 0, where(s, compared(s, "arith.cmpi", INT_EQ, row_position(s, row), t), s->g, zero));
  if (sn_is_active(s->r, sn_operand(s->op, 2))) {
    MlirValue n = sn_dim(row, 0) != SN_DYNAMIC ? sn_index(s->b, sn_dim(row, 0))
                                               : reduced(s, "add", sn_as_row(s->b, sn_index(s->b, 1), row), index);
    give(s, 2,
         where(s, compared(s, "arith.cmpi", INT_ULT, t, n), zero,
               s->g)); // as unsigned numbers, negative ones are outside too
  }
  return true;
}
// The table's gradient is yielded (gathered.c).
static bool differentiate_gather(Step *s) {
  MlirValue otherwise = sn_operand(s->op, sn_num_operands(s->op) - 1);
  return !sn_is_active(s->r, otherwise) ||
         no(s, "what it gives where a subscript is outside depends on what is differentiated by; choose it by "
               "arith.select");
}
// sinter-differentiate works on plain forms.
static bool differentiate_row_product(Step *s) {
  return no(s, "it stands in a form of several groups of columns; run sinter-split before");
}

// ---- the table -----------------------------------------------------------------------------------------

static const struct {
  const char *op;
  bool (*rule)(Step *);
} rules[] = {{"arith.addf", add_},         {"arith.subf", sub_},
             {"arith.mulf", mul_},         {"arith.divf", div_},
             {"arith.negf", neg_},         {"arith.remf", rem_},
             {"arith.maximumf", maximum_}, {"arith.minimumf", minimum_},
             {"arith.maxnumf", maxnum_},   {"arith.minnumf", minnum_},
             {"arith.select", select_},    {"arith.extf", pass},
             {"arith.truncf", pass},       {"math.absf", abs_},
             {"math.acos", acos_},         {"math.acosh", acosh_},
             {"math.asin", asin_},         {"math.asinh", asinh_},
             {"math.atan", atan_},         {"math.atan2", atan2_},
             {"math.atanh", atanh_},       {"math.cbrt", cbrt_},
             {"math.ceil", nothing},       {"math.clampf", clamp_},
             {"math.copysign", copysign_}, {"math.cos", cos_},
             {"math.cosh", cosh_},         {"math.erf", erf_},
             {"math.erfc", erfc_},         {"math.exp", exp_},
             {"math.exp2", exp2_},         {"math.expm1", expm1_},
             {"math.floor", nothing},      {"math.fma", fma_},
             {"math.fpowi", int_power_},   {"math.log", log_},
             {"math.log10", log10_},       {"math.log1p", log1p_},
             {"math.log2", log2_},         {"math.powf", power_},
             {"math.round", nothing},      {"math.roundeven", nothing},
             {"math.rsqrt", rsqrt_},       {"math.sin", sin_},
             {"math.sinh", sinh_},         {"math.sqrt", sqrt_},
             {"math.tan", tan_},           {"math.tanh", tanh_},
             {"math.trunc", nothing},      {0}};

static bool differentiate_elementwise(Step *s) {
  return no(s, "no rule is known for this operation; write it with others, or detach it by sinter.detach");
}
static bool differentiate_constant(Step *s) { return nothing(s); }
static bool differentiate_cf_assert(Step *s) { return nothing(s); }
static bool differentiate_detach(Step *s) { return nothing(s); }
static bool differentiate_random(Step *s) { return nothing(s); } // the same number again, wherever it is asked for
static bool differentiate_index(Step *s) { return nothing(s); }

#define DIFFERENTIATE(id, ...) [SN_OP_##id] = differentiate_##id,
static bool (*const row_rules[SN_NUM_ROW_OPS])(Step *) = {SN_ROW_OPS(DIFFERENTIATE)};
#undef DIFFERENTIATE

static bool (*rule_of(MlirOperation op))(Step *) {
  const SnRowOp *line = sn_row_op_of(op);
  for (size_t i = 0; line && line->id == SN_OP_elementwise && rules[i].op; ++i)
    if (sn_is(op, rules[i].op))
      return rules[i].rule;
  return line ? row_rules[line->id] : differentiate_elementwise;
}

// ---- blocks ----------------------------------------------------------------------------------------------

static bool reads_active(const SnReverse *r, MlirOperation op) {
  for (intptr_t i = 0; i < sn_num_operands(op); ++i)
    if (sn_is_active(r, sn_operand(op, i)))
      return true;
  for (intptr_t k = 0; k < mlirOperationGetNumRegions(op); ++k) { // a combiner reads from around it
    MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, k));
    for (MlirOperation in = block.ptr ? mlirBlockGetFirstOperation(block) : (MlirOperation){0}; !sn_null(in);
         in = mlirOperationGetNextInBlock(in))
      if (reads_active(r, in))
        return true;
  }
  return false;
}

bool sn_passes_on(MlirOperation op) {
  bool (*rule)(Step *) = rule_of(op);
  return rule != nothing && rule != differentiate_detach;
}

void sn_find_active(SnReverse *r, MlirBlock block) {
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    if (sn_passes_on(op) && reads_active(r, op))
      for (intptr_t k = 0; k < sn_num_results(op); ++k)
        if (sn_is_float(sn_element(sn_type_of(sn_result(op, k)))))
          sn_activate(r, sn_result(op, k));
}

void sn_copy_forward(SnReverse *r, MlirBlock block) {
  MlirOperation end = mlirBlockGetTerminator(block);
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationEqual(op, end);
       op = mlirOperationGetNextInBlock(op))
    if (!sn_is(op, "cf.assert")) // the forward has it
      sn_clone(r->b, op, &r->copies);
}

static bool reverse_op(SnReverse *r, MlirOperation op) {
  MlirValue result = sn_num_results(op) ? sn_result(op, 0) : (MlirValue){0};
  for (intptr_t k = 1; k < sn_num_results(op); ++k)
    if (!sn_none(sn_adjoint_of(r, sn_result(op, k))))
      result = sn_result(op, k); // no rule has several results
  MlirValue g = sn_none(result) ? (MlirValue){0} : sn_adjoint_of(r, result);
  if (sn_none(g))
    return true;
  bool (*rule)(Step *) = rule_of(op);
  Step s = {r, r->b, op, sn_wide_type(sn_element(sn_type_of(result)))};
  r->b->loc = mlirOperationGetLocation(op);
  s.y = sn_to_float(s.b, sn_lookup(&r->copies, result), s.type);
  s.g = g;
  return rule(&s);
}

// The operations of a block from its last, in an array: MLIR's list is walked forward.
bool sn_reverse_block(SnReverse *r, MlirBlock block) {
  SnOpVec ops = {0};
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    sn_push(&ops, op);
  bool ok = true;
  for (size_t i = ops.size; i-- > 0 && ok;)
    ok = reverse_op(r, ops.data[i]);
  sn_vec_free(&ops);
  return ok;
}

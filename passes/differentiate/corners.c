// corners.c: what exporters spell out keeps PyTorch's gradient where a derivative does not exist.
//
//   %p = arith.cmpf ogt, %a, %b                    %n = arith.cmpf uno, %a, %a
//   %m = arith.select %p, %a, %b          ->       %w = arith.maximumf %a, %b       (half to each of equal ones)
//                                                  %m = arith.select %n, %b, %w
//
//   spelled by an exporter                         what equal ones, or the function at its corner, get
//   select(a > b, a, b) in one body                torch.maximum: half to each
//   f(max(0, x)) + g(min(0, x))                    leaky_relu, elu, selu: all to g
//   min(high, max(x, low)), both constants         hardtanh, relu6: nothing to x
//   clamp(x + 3, 0, 6) / 6, perhaps times x        hardsigmoid, hardswish: nothing to the clamped
//   max(a, b), but the other beside a NaN          torch.fmax: all to a
//   powf(sum of powf(|x|, p), 1 / p)               a norm: 0 where it is 0
//   x > 0 ? x : a expm1(x / a)                     celu: the branch that is not taken does not overflow
//   log1p(exp(x)), max(log(p), low)                one body, whose gradient does not overflow
//   all of a row is -inf ? 0 : its softmax         nothing where all is (dead_rows.c)
//
// A value is what it was, for a NaN too (of zeros the sign may change); only what is differentiated is rewritten.
// An exporter writes torch.where as two ops, and clamp and relu with unordered comparisons, so those stay one-sided.
// That is how they are told apart; what cannot be told apart is in docs/differentiation.md.
//
// runs in: sinter-cpu, sinter-gpu    test: test/passes/differentiate/corners.mlir

#include "passes/differentiate/corners.h"
#include "passes/differentiate/differentiate.h"
#include <math.h>

// ---- maxima and minima -------------------------------------------------------------------------

static bool is_extremum(MlirOperation generic, int predicate, SnChoice *c) {
  return !sn_null(generic) && sn_read_choice(generic, c) && c->predicate == predicate && c->first;
}
static bool is_clamp(MlirOperation generic, int predicate, double bound, SnChoice *c) {
  return !sn_null(generic) && sn_read_choice(generic, c) && c->predicate == predicate && !c->first &&
         sn_spelled_is(c->b, bound);
}
static void compare_by(const SnChoice *c, int predicate) {
  MlirContext ctx = mlirOperationGetContext(c->compare);
  sn_set_attr(c->compare, "predicate", sn_i64(ctx, predicate));
}
// The same choice the other way around, which is no maximum of PyTorch's any more: equal ones stay with the second.
static void settle(const SnChoice *c, int opposite) {
  MlirValue a = sn_operand(c->select, 1), b = sn_operand(c->select, 2);
  compare_by(c, opposite);
  mlirOperationSetOperand(c->select, 1, b);
  mlirOperationSetOperand(c->select, 2, a);
}

// Of equal ones each gets half. A comparison passes over a NaN in front of it, arith.maximumf does not.
static void share_ties(MlirOperation generic) {
  SnChoice c;
  bool maximum = is_extremum(generic, SN_OGT, &c);
  if (!maximum && !is_extremum(generic, SN_OLT, &c))
    return;
  SnBuilder b = sn_before(c.select);
  double number;
  MlirValue x = sn_operand(c.compare, 0), y = sn_operand(c.compare, 1);
  MlirValue wins = sn(&b, maximum ? "arith.maximumf" : "arith.minimumf", x, y);
  if (!sn_spelled_number(c.a, &number) || isnan(number))
    wins = sn(&b, "arith.select", sn(&b, "arith.cmpf", x, x, sn_attr("predicate", sn_i64(b.ctx, SN_UNO))), y, wins);
  mlirValueReplaceAllUsesOfWith(sn_result(c.select, 0), wins);
  mlirOperationDestroy(c.select);
  mlirOperationDestroy(c.compare);
}

// ---- paths -----------------------------------------------------------------------------------------

static bool is_one_of(MlirOperation op, const char *const *names) {
  while (*names && !sn_is(op, *names))
    ++names;
  return *names;
}

// The only input of a generic that is made of these operations and constants; -1 if there is none such.
static intptr_t only_input(MlirOperation generic, const char *const *names) {
  MlirBlock body = sn_spelled_body(generic);
  MlirOperation end = mlirBlockGetTerminator(body);
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationEqual(op, end);
       op = mlirOperationGetNextInBlock(op))
    if (!is_one_of(op, names))
      return -1;
  intptr_t found = -1;
  for (intptr_t k = 0; k < sn_num_operands(generic) - 1; ++k) {
    MlirValue argument = mlirBlockGetArgument(body, k);
    if (sn_constant_of(sn_operand(generic, k)).ptr || !mlirValueGetFirstUse(argument).ptr)
      continue;
    if (found >= 0 || sn_none(sn_read_in_place(generic, argument)))
      return -1;
    found = k;
  }
  return found;
}

// Follows input `at` of the path's end through such generics to one that is `wanted`.
typedef bool (*Wanted)(MlirOperation generic, SnChoice *found);
static bool find(SnSpelledPath *path, MlirOperation reader, intptr_t at, const char *const *through, Wanted wanted,
                 SnChoice *found) {
  for (path->n = 0; path->n < SN_MOST_STEPS && at >= 0;) {
    path->steps[path->n++] = (SnStepTo){reader, at};
    MlirValue tensor = sn_read_in_place(reader, mlirBlockGetArgument(sn_spelled_body(reader), at));
    reader = sn_none(tensor) ? (MlirOperation){0} : sn_spelled_by(tensor);
    if (sn_null(reader))
      return false;
    if (wanted(reader, found))
      return true;
    at = only_input(reader, through);
  }
  return false;
}

// ---- f(max(0, x)) + g(min(0, x)) -----------------------------------------------------------------------

static bool is_above(MlirOperation generic, SnChoice *c) {
  return is_extremum(generic, SN_OGT, c) && sn_spelled_is(c->a, 0);
}
static bool is_below(MlirOperation generic, SnChoice *c) {
  return is_extremum(generic, SN_OLT, c) && sn_spelled_is(c->a, 0);
}

// x, or x times a positive number (rrelu).
static bool is_part_of(SnSpelled v, SnSpelled x) {
  double slope;
  if (sn_spelled_same(v, x))
    return true;
  return !sn_null(sn_spelled_op(v, "arith.mulf")) && sn_spelled_same(sn_spelled_operand(v, 0), x) &&
         sn_spelled_number(sn_spelled_operand(v, 1), &slope) && slope > 0;
}

// max(0, x) takes 0 at the corner and min(0, x) takes x: that is the branch of x <= 0.
static bool two_sided(MlirOperation root) {
  static const char *const sum[] = {"arith.addf", NULL};
  static const char *const scaled[] = {"arith.mulf", "arith.truncf", "arith.extf", NULL};
  static const char *const bent[] = {"arith.mulf", "arith.divf",   "arith.subf", "math.exp",
                                     "math.expm1", "arith.truncf", "arith.extf", NULL};
  if (!sn_body_is(root, sum))
    return false;
  for (intptr_t k = 0; k < 2; ++k) {
    SnSpelledPath up, down;
    SnChoice above, below;
    if (sn_num_operands(root) != 3 || !find(&up, root, k, scaled, is_above, &above) ||
        !find(&down, root, 1 - k, bent, is_below, &below))
      continue;
    if (!is_part_of(below.b, above.b))
      return sn_no(root, "a maximum and a minimum of different values");
    sn_read_choice(sn_own(&up), &above);
    compare_by(&above, SN_OGE);
    sn_read_choice(sn_own(&down), &below);
    settle(&below, SN_UGE);
    return true;
  }
  return false;
}

// ---- min(high, max(x, low)) -----------------------------------------------------------------------------

static bool is_lower_bound(MlirOperation generic, SnChoice *c) {
  double low;
  return is_extremum(generic, SN_OGT, c) && sn_spelled_number(c->b, &low);
}
// At the bounds the constants win.
static bool bounded(MlirOperation root) {
  static const char *const nothing[] = {NULL};
  SnChoice outer, inner;
  SnSpelledPath path;
  double low, high;
  if (!is_extremum(root, SN_OLT, &outer) || !sn_spelled_number(outer.a, &high))
    return false;
  MlirValue limited = sn_operand(outer.compare, 1);
  if (!mlirValueIsABlockArgument(limited) ||
      !find(&path, root, mlirBlockArgumentGetArgNumber(limited), nothing, is_lower_bound, &inner) || path.n != 1)
    return false;
  if (sn_spelled_number(inner.a, &low) || !sn_spelled_number(inner.b, &low) || low > high)
    return sn_no(root, "a minimum of a maximum, but not of two bounds");
  compare_by(&outer, SN_OLE);
  sn_read_choice(sn_own(&path), &inner);
  settle(&inner, SN_ULE);
  return true;
}

// ---- clamp(x + 3, 0, 6) / 6 ----------------------------------------------------------------------------

static bool is_six(MlirOperation generic, SnChoice *c) { return is_clamp(generic, SN_UGT, 6, c); }
static bool is_zero(MlirOperation generic, SnChoice *c) { return is_clamp(generic, SN_ULT, 0, c); }

static bool hard(MlirOperation root) {
  static const char *const quotient[] = {"arith.divf", NULL}, *const product[] = {"arith.mulf", NULL},
                           *const nothing[] = {NULL};
  if (!sn_body_is(root, quotient) || !sn_spelled_is(sn_spelled_operand(sn_spelled_result(root), 1), 6))
    return false;
  SnSpelled top = sn_spelled_operand(sn_spelled_result(root), 0);
  bool swish = !sn_null(sn_spelled_op(top, "arith.mulf")) && sn_body_is(top.generic, product);
  for (intptr_t k = 0; k < 1 + swish; ++k) {
    SnSpelledPath path = {.steps = {{root, 0}}, .n = 1}, to;
    SnChoice high, low;
    if (!find(&to, swish ? top.generic : root, k, nothing, is_six, &high) || to.n != 1)
      continue;
    if (swish)
      path.steps[path.n++] = to.steps[0];
    if (!find(&to, high.generic, 0, nothing, is_zero, &low) || to.n != 1)
      continue;
    path.steps[path.n++] = to.steps[0];
    SnSpelled moved = low.a;
    if (sn_null(sn_spelled_op(moved, "arith.addf")) || !sn_spelled_is(sn_spelled_operand(moved, 1), 3))
      continue;
    if (swish && !sn_spelled_same(sn_spelled_operand(moved, 0), sn_spelled_operand(top, 1 - k)))
      return sn_no(root, "what is multiplied is not what is clamped");
    sn_read_choice(sn_own(&path), &low);
    compare_by(&low, SN_ULE);
    path.n--;
    sn_read_choice(sn_own(&path), &high);
    compare_by(&high, SN_UGE);
    return true;
  }
  return false;
}

// ---- a NaN loses (fmax, fmin) ---------------------------------------------------------------------------

static bool is_nan_of(SnSpelled mask, SnSpelled x) {
  MlirOperation compare = sn_spelled_op(mask, "arith.cmpf");
  return !sn_null(compare) && sn_int_attr(compare, "predicate", -1) == SN_UNE &&
         sn_spelled_same(sn_spelled_operand(mask, 0), x) && sn_spelled_same(sn_spelled_operand(mask, 1), x);
}

static bool numbers_win(MlirOperation root) {
  static const char *const body[] = {"arith.select", NULL};
  if (!sn_body_is(root, body))
    return false;
  SnSpelled outer = sn_spelled_result(root), second = sn_spelled_operand(outer, 1),
            inner = sn_spelled_operand(outer, 2);
  SnChoice c;
  if (sn_null(sn_spelled_op(inner, "arith.select")))
    return false;
  SnSpelled first = sn_spelled_operand(inner, 1), extremum = sn_spelled_operand(inner, 2);
  bool maximum = is_extremum(extremum.generic, SN_OGT, &c);
  if (!maximum && !is_extremum(extremum.generic, SN_OLT, &c))
    return false;
  if (!is_nan_of(sn_spelled_operand(outer, 0), first) || !is_nan_of(sn_spelled_operand(inner, 0), second) ||
      !sn_spelled_same(c.a, first) || !sn_spelled_same(c.b, second))
    return sn_no(root, "a maximum, but not of what is compared with itself");
  SnBuilder b = sn_before(root);
  SnMap map = {0};
  MlirOperation copy = sn_clone(&b, c.generic, &map);
  sn_read_choice(copy, &c);
  b = sn_before(c.select);
  MlirValue wins =
      sn(&b, maximum ? "arith.maxnumf" : "arith.minnumf", sn_operand(c.compare, 0), sn_operand(c.compare, 1));
  mlirValueReplaceAllUsesOfWith(sn_result(c.select, 0), wins);
  mlirOperationDestroy(c.select);
  mlirOperationDestroy(c.compare);
  mlirValueReplaceAllUsesOfWith(sn_result(root, 0), sn_result(copy, 0));
  sn_map_free(&map);
  return true;
}

// ---- norms ---------------------------------------------------------------------------------------------------

// p, if v is sum |x|^p over a dimension.
static bool is_sum_of_powers(MlirValue v, double *p) {
  static const char *const powers[] = {"math.absf", "math.powf", "arith.addf", NULL};
  MlirOperation op = sn_definer(v);
  while (!sn_null(op) &&
         (sn_is(op, "tensor.expand_shape") || sn_is(op, "tensor.collapse_shape") || sn_is(op, "tensor.cast")))
    op = sn_definer(sn_operand(op, 0));
  if (sn_null(op) || !sn_is(op, "linalg.generic") || sn_num_results(op) != 1 || !sn_body_is(op, powers))
    return false;
  MlirOperation power = mlirOperationGetNextInBlock(mlirBlockGetFirstOperation(sn_spelled_body(op)));
  return sn_spelled_number((SnSpelled){op, sn_operand(power, 1)}, p);
}

// The root of 0 has an infinite slope, times 0. PyTorch's norms have 0 there; torch.sqrt of a sum has NaN.
static bool norm(MlirOperation root) {
  static const char *const body[] = {"math.powf", NULL};
  double p, q;
  if (!sn_body_is(root, body) || !sn_spelled_number(sn_spelled_operand(sn_spelled_result(root), 1), &q))
    return false;
  MlirOperation power = mlirBlockGetFirstOperation(sn_spelled_body(root));
  MlirValue sum = sn_operand(power, 0), tensor = sn_read_in_place(root, sum);
  if (sn_none(tensor) || !is_sum_of_powers(tensor, &p))
    return false;
  if (fabs(p * q - 1) > 1e-6)
    return sn_no(root, "a power of a sum of powers, but not its root");
  SnBuilder b = sn_before(power);
  MlirType t = sn_type_of(sum);
  MlirValue zero = sn_zero(&b, t), one = sn_float(&b, t, 1);
  MlirValue none = sn(&b, "arith.cmpf", sum, zero, sn_attr("predicate", sn_i64(b.ctx, SN_OEQ)));
  mlirOperationSetOperand(power, 0, sn(&b, "arith.select", none, one, sum));
  b = sn_after(power);
  MlirOperation guarded = sn_op(&b, "arith.select", none, zero, sn_result(power, 0));
  mlirValueReplaceAllUsesExcept(sn_result(power, 0), sn_result(guarded, 0), 1, &guarded);
  return true;
}

// ---- x > 0 ? x : a expm1(x / a) ----------------------------------------------------------------------------

static bool is_expm1(MlirOperation generic, SnChoice *none) {
  static const char *const body[] = {"math.expm1", NULL};
  return sn_body_is(generic, body);
}
static bool is_positive_part(SnSpelled v, SnSpelled x) {
  double divisor;
  return sn_spelled_same(v, x) ||
         (!sn_null(sn_spelled_op(v, "arith.divf")) && sn_spelled_same(sn_spelled_operand(v, 0), x) &&
          sn_spelled_number(sn_spelled_operand(v, 1), &divisor) && divisor > 0);
}

static bool bent_below(MlirOperation root) {
  static const char *const body[] = {"arith.select", NULL}, *const scaled[] = {"arith.mulf", "arith.truncf", NULL};
  if (!sn_body_is(root, body))
    return false;
  SnSpelled chosen = sn_spelled_result(root), mask = sn_spelled_operand(chosen, 0), x = sn_spelled_operand(chosen, 1);
  MlirOperation compare = sn_spelled_op(mask, "arith.cmpf");
  MlirValue other = sn_operand(sn_definer(chosen.v), 2);
  SnSpelledPath path;
  SnChoice none;
  if (sn_null(compare) || sn_int_attr(compare, "predicate", -1) != SN_OGT ||
      !sn_spelled_same(sn_spelled_operand(mask, 0), x) || !sn_spelled_is(sn_spelled_operand(mask, 1), 0) ||
      sn_none(sn_read_in_place(root, other)) ||
      !find(&path, root, mlirBlockArgumentGetArgNumber(other), scaled, is_expm1, &none))
    return false;
  const SnStepTo *last = &path.steps[path.n - 1];
  MlirOperation bend = sn_spelled_by(sn_operand(last->reader, last->operand));
  if (!is_positive_part(sn_spelled_operand(sn_spelled_result(bend), 0), x))
    return sn_no(root, "an exponential of another value than what is compared");
  MlirOperation exp = mlirBlockGetFirstOperation(sn_spelled_body(sn_own(&path)));
  SnBuilder b = sn_before(exp);
  MlirValue t = sn_operand(exp, 0), zero = sn_zero(&b, sn_type_of(t));
  MlirValue above = sn(&b, "arith.cmpf", t, zero, sn_attr("predicate", sn_i64(b.ctx, SN_OGT)));
  mlirOperationSetOperand(exp, 0, sn(&b, "arith.select", above, zero, t));
  return true;
}

// ---- one body for what belongs together ------------------------------------------------------------------------

// The only operation of input k's maker moves into the reader.
static void pull_in(MlirOperation reader, intptr_t k) {
  MlirOperation maker = sn_spelled_by(sn_operand(reader, k)), op = mlirBlockGetFirstOperation(sn_spelled_body(maker));
  MlirValue argument = mlirBlockGetArgument(sn_spelled_body(reader), k);
  SnBuilder b = sn_at_start(sn_spelled_body(reader), mlirOperationGetLocation(op));
  SnMap map = {0};
  sn_map(&map, sn_operand(op, 0), argument);
  MlirOperation copy = sn_clone(&b, op, &map);
  mlirValueReplaceAllUsesExcept(argument, sn_result(copy, 0), 1, &copy);
  mlirOperationSetOperand(reader, k, sn_operand(maker, mlirBlockArgumentGetArgNumber(sn_operand(op, 0))));
  sn_map_free(&map);
}

// Input k of the reader is made by one operation of these alone, from what stands in its place and has its type.
static bool is_made_by(MlirOperation reader, intptr_t k, const char *const *names) {
  MlirValue tensor = sn_read_in_place(reader, mlirBlockGetArgument(sn_spelled_body(reader), k));
  MlirOperation maker = sn_none(tensor) ? (MlirOperation){0} : sn_spelled_by(tensor);
  if (sn_null(maker) || only_input(maker, names) < 0 || sn_num_operands(maker) != 2)
    return false;
  MlirOperation op = mlirBlockGetFirstOperation(sn_spelled_body(maker));
  return sn_is(mlirOperationGetNextInBlock(op), "linalg.yield") &&
         mlirTypeEqual(sn_type_of(sn_operand(op, 0)), sn_type_of(sn_result(op, 0)));
}

static void smooth_in_one_body(MlirOperation generic) {
  static const char *const log1p[] = {"math.log1p", NULL}, *const exp[] = {"math.exp", NULL};
  if (sn_body_is(generic, log1p) && sn_num_operands(generic) == 2 && is_made_by(generic, 0, exp))
    pull_in(generic, 0);
}

// max(log(p), low): arith.maxnumf gives a NaN the bound, as the comparison does.
static bool bounded_logarithm(MlirOperation generic) {
  static const char *const logs[] = {"math.log", "math.log1p", NULL};
  SnChoice c;
  double low;
  if (!is_extremum(generic, SN_OGT, &c) || !sn_spelled_number(c.b, &low))
    return false;
  MlirValue a = sn_operand(c.compare, 0);
  if (!mlirValueIsABlockArgument(a) || !is_made_by(generic, mlirBlockArgumentGetArgNumber(a), logs))
    return false;
  SnBuilder b = sn_before(c.select);
  mlirValueReplaceAllUsesOfWith(sn_result(c.select, 0), sn(&b, "arith.maxnumf", a, sn_operand(c.compare, 1)));
  mlirOperationDestroy(c.select);
  mlirOperationDestroy(c.compare);
  pull_in(generic, mlirBlockArgumentGetArgNumber(a));
  return true;
}

// ---- the pass ------------------------------------------------------------------------------------------------------

static bool is_elementwise(MlirOperation op) {
  return sn_num_results(op) == 1 && !sn_null(sn_spelled_by(sn_result(op, 0)));
}

void sn_corners(MlirOperation root) {
  static bool (*const spelled[])(MlirOperation) = {numbers_win, two_sided,         bounded,      hard, norm,
                                                   bent_below,  bounded_logarithm, sn_dead_rows, NULL};
  SnOpVec all = sn_collect(root, "linalg.generic");
  for (size_t i = 0; i < all.size; ++i)
    if (is_elementwise(all.data[i]))
      for (int k = 0; spelled[k] && !spelled[k](all.data[i]);)
        ++k;
  sn_vec_free(&all);
  all = sn_collect(root, "linalg.generic"); // copies too
  for (size_t i = 0; i < all.size; ++i)
    if (is_elementwise(all.data[i])) {
      share_ties(all.data[i]);
      smooth_in_one_body(all.data[i]);
    }
  sn_vec_free(&all);
}

typedef struct {
  const char *wrt;
  bool remarks;
} Options;
static const SnOption options[] = {
    {SN_OPTION_STRING, "wrt",
     "arguments that the program is differentiated by later; without them and without sinter.differentiate nothing "
     "changes",
     "", NULL, offsetof(Options, wrt)},
    {SN_OPTION_BOOL, "remarks", "say at each op why a rule did not apply", "false", NULL, offsetof(Options, remarks)},
    {0},
};

static MlirLogicalResult run(const SnRun *run, MlirOperation root) {
  const Options *o = run->options;
  SnOpVec asked = sn_collect(root, "sinter.differentiate");
  sn_show_refusals(o->remarks);
  if (*o->wrt || asked.size)
    sn_corners(root);
  sn_show_refusals(false);
  sn_vec_free(&asked);
  return SN_OK;
}

MlirDialectHandle mlirGetDialectHandle__arith__(void);
MlirDialectHandle mlirGetDialectHandle__sinter__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__arith__, mlirGetDialectHandle__sinter__,
                                                      NULL};

const SnPass sn_pass_corners = {
    .argument = "sinter-corners",
    .summary = "what exporters spell out keeps PyTorch's gradient where a derivative does not exist",
    .options = options,
    .options_size = sizeof(Options),
    .dialects = dialects,
    .run = run,
};

// behind_products.c: what keeps values from being multiplied as they lie goes behind their product.
//
//   row_product (select %dead, 0, %w), %v                       ->    select %dead, 0, (row_product %w, %v)
//   row_reduce add (%w * select %dead, 0, %x)                   ->    select %dead, 0, (row_reduce add (%w * %x))
//   row_product (truncf (%w * c)), %v                           ->    (row_product (truncf %w), %v) * c       to bf16
//   row_reduce and (%x == -inf)                                 ->    (row_reduce maximumf %x) == -inf, or false
//   %x + extf(select(%m, %b, -inf))                             ->    select %m, (%x + extf %b), -inf
//   %x + select(%m, %b, -3.4e38)                                ->    select %m, (%x + %b), (%x + -3.4e38)
//
// So does torch-mlir write scaled_dot_product_attention: a row of nothing but -inf is 0. A row that is 0 is not
// multiplied, nor summed: what is no number in the matrix, or in a factor, is not asked for then. Nor is a score that a
// mask leaves out; of a finite number in which scores are lost (sn_cpu_swallows) the sum stays as it is. A row of
// finite scores that a mask leaves something of is never all -inf (live_rows.c).
//
// Factors of sides go the same way (half_sides.c). With `weights=half` rows in f32 that a half matrix multiplies are
// rounded to its type; else they are multiplied in two parts (lowering/gpu/chains).
//
// What is stored for several sides, and products of which rows alone are made, lie as shared_sides.c says.
//
// decides: where factors, masks and rows of 0 stand beside products.
//
// runs in: sinter-cpu, sinter-gpu    test: test/passes/arrange/behind_products.mlir, test/gpu/chains.test

#include "capi/form.h"
#include "capi/pass.h"
#include "lowering/facts/gpu_chains.h"
#include "passes/arrange/arrange.h"
#include "passes/edit/rewrite.h"
#include "passes/simplify/simplify.h"
#include <math.h>

enum { OEQ = 1 }; // of arith.cmpf

static bool is_half(MlirType t) { return mlirTypeIsABF16(t) || mlirTypeIsAF16(t); }

static bool is_splat(MlirValue row, double number) {
  MlirValue scalar = sn_broadcast_of(row);
  return sn_is_constant(sn_none(scalar) ? row : scalar, number);
}

static bool is_number(MlirValue row, double *number) {
  MlirValue scalar = sn_broadcast_of(row);
  return sn_attr_number(sn_constant_of(sn_none(scalar) ? row : scalar), number);
}

static MlirValue without_extensions(MlirValue x) {
  for (MlirOperation op = sn_def(x, "arith.extf"); !sn_null(op); op = sn_def(x, "arith.extf"))
    x = sn_operand(op, 0);
  return x;
}

// The maximum of x that is there, in front of `op` now.
static MlirValue maximum_in_front(SnRewriter *rw, MlirOperation op, MlirValue x) {
  for (MlirOpOperand use = mlirValueGetFirstUse(x); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (!sn_is_reduce(user, "maximumf") || !mlirBlockEqual(mlirOperationGetBlock(user), mlirOperationGetBlock(op)))
      continue;
    if (!mlirOperationIsBeforeInBlock(user, op))
      mlirOperationMoveBefore(user, op);
    return sn_result(user, 0);
  }
  return sn_row_reduce(rw->b, "maximumf", x, sn_element(sn_type_of(x)));
}

static bool all_least(SnRewriter *rw, MlirOperation reduce) {
  MlirOperation compare =
      sn_is_reduce(reduce, "and") ? sn_def(sn_operand(reduce, 0), "arith.cmpf") : (MlirOperation){0};
  if (sn_null(compare) || sn_int_attr(compare, "predicate", -1) != OEQ || !is_splat(sn_operand(compare, 1), -INFINITY))
    return false;
  MlirValue x = without_extensions(sn_operand(compare, 0));
  if (!sn_is_row(x))
    return false;
  if (sn_row_lives(x)) {
    sn_replace(rw, reduce, sn_int(rw->b, sn_type_of(sn_result(reduce, 0)), 0));
    return true;
  }
  MlirValue m = maximum_in_front(rw, reduce, x), least = sn_float(rw->b, sn_type_of(m), -INFINITY);
  sn_replace(rw, reduce, sn(rw->b, "arith.cmpf", m, least, sn_attr("predicate", sn_i64(rw->b->ctx, OEQ))));
  return true;
}

// The row that `select` with one condition for all gives where it is not 0; null if it is nothing of the kind.
static MlirValue unless_zero(MlirValue row, MlirOperation *select, int *at) {
  *select = sn_def(row, "arith.select");
  if (sn_null(*select) || sn_is_row(sn_operand(*select, 0)))
    return (MlirValue){0};
  for (*at = 1; *at < 3; ++*at)
    if (is_splat(sn_operand(*select, *at), 0))
      return sn_operand(*select, 3 - *at);
  return (MlirValue){0};
}

// select(c, 0, y), or select(c, y, 0), as `select` has it.
static void replace_selected(SnRewriter *rw, MlirOperation op, MlirOperation select, int at, MlirValue y) {
  MlirValue zero = sn_zero(rw->b, sn_is_row(y) ? sn_element(sn_type_of(y)) : sn_type_of(y));
  zero = sn_is_row(y) ? sn_as_row(rw->b, zero, sn_type_of(y)) : zero;
  MlirOperation made =
      sn_op(rw->b, "arith.select", sn_operand(select, 0), at == 1 ? zero : y, at == 1 ? y : zero, sn_type_of(y));
  sn_replace(rw, op, sn_result(made, 0));
}

static bool dead_rows(SnRewriter *rw, MlirOperation op) {
  MlirOperation select;
  int at;
  MlirValue w = unless_zero(sn_operand(op, 0), &select, &at);
  if (sn_none(w))
    return false;
  replace_selected(rw, op, select, at, sn_row_product(rw->b, w, sn_operand(op, 1), sn_type_of(sn_result(op, 0))));
  return true;
}

// A row of products, of which one factor is 0 by one condition for all: the same without that choice. Else null.
static MlirValue without_choice(SnBuilder *b, MlirValue row, MlirOperation *select, int *at) {
  MlirValue x = sn_is_row(row) ? unless_zero(row, select, at) : (MlirValue){0};
  MlirOperation op = sn_definer(row);
  if (!sn_none(x) || sn_null(op))
    return x;
  MlirType t = sn_type_of(row);
  if (sn_is(op, "arith.negf") && !sn_none(x = without_choice(b, sn_operand(op, 0), select, at)))
    return sn(b, "arith.negf", x, t);
  for (int k = 0; k < 2 && sn_is(op, "arith.mulf"); ++k)
    if (!sn_none(x = without_choice(b, sn_operand(op, k), select, at)))
      return sn(b, "arith.mulf", x, sn_operand(op, 1 - k), t);
  return (MlirValue){0};
}

static bool dead_sums(SnRewriter *rw, MlirOperation reduce) {
  MlirOperation select;
  int at;
  MlirValue row =
      sn_is_reduce(reduce, "add") ? without_choice(rw->b, sn_operand(reduce, 0), &select, &at) : (MlirValue){0};
  if (sn_none(row))
    return false;
  replace_selected(rw, reduce, select, at, sn_row_reduce(rw->b, "add", row, sn_type_of(sn_result(reduce, 0))));
  return true;
}

static bool rounded_rows(SnRewriter *rw, MlirOperation op) {
  MlirOperation select;
  int at;
  MlirValue w = sn_is_row(sn_operand(op, 0)) ? unless_zero(sn_operand(op, 0), &select, &at) : (MlirValue){0};
  if (sn_none(w))
    return false;
  replace_selected(rw, op, select, at, sn(rw->b, "arith.truncf", w, sn_type_of(sn_result(op, 0))));
  return true;
}

// x + b, in x's type, which b was widened to.
static MlirValue with_added(SnBuilder *b, MlirValue x, MlirValue added) {
  MlirType t = sn_type_of(x);
  if (is_splat(added, 0))
    return x;
  added = mlirTypeEqual(sn_type_of(added), t) ? added : sn(b, "arith.extf", added, t);
  return sn(b, "arith.addf", x, added);
}

static bool added_mask(SnRewriter *rw, MlirOperation add) {
  for (int k = 0; k < 2; ++k) {
    MlirValue x = sn_operand(add, 1 - k);
    MlirOperation select = sn_def(without_extensions(sn_operand(add, k)), "arith.select");
    for (int at = 1; at < 3 && !sn_null(select) && sn_is_row(x); ++at) {
      double number;
      if (!sn_is_row(sn_operand(select, at)) || !is_number(sn_operand(select, 3 - at), &number) ||
          !(number == -INFINITY || sn_cpu_swallows(sn_element(sn_type_of(x)), number)))
        continue;
      MlirType t = sn_type_of(x);
      MlirValue least = sn_as_row(rw->b, sn_float(rw->b, sn_element(t), number), t);
      least = isinf(number) ? least : sn(rw->b, "arith.addf", x, least);
      MlirValue y = with_added(rw->b, x, sn_operand(select, at));
      MlirOperation made =
          sn_op(rw->b, "arith.select", sn_operand(select, 0), at == 1 ? y : least, at == 1 ? least : y, t);
      sn_replace(rw, add, sn_result(made, 0));
      return true;
    }
  }
  return false;
}

static bool half_weights(SnRewriter *rw, MlirOperation op) {
  MlirValue w = sn_operand(op, 0), v = sn_operand(op, 1);
  MlirType half = sn_element(sn_type_of(v)), row = sn_type_of(w);
  if (!mlirTypeIsAF32(sn_element(row)) || !is_half(half))
    return false;
  MlirValue rounded = sn(rw->b, "arith.truncf", w, sn_tensor_like(row, half));
  sn_replace(rw, op, sn_row_product(rw->b, rounded, v, sn_type_of(sn_result(op, 0))));
  return true;
}

// bf16 has f32's range: a factor in front of rounding to it is the same behind.
static bool scaled_rows(SnRewriter *rw, MlirOperation op) {
  MlirOperation round = sn_def(sn_operand(op, 0), "arith.truncf"),
                mul = sn_null(round) ? round : sn_def(sn_operand(round, 0), "arith.mulf");
  MlirType t = sn_type_of(sn_operand(op, 0)), sums = sn_type_of(sn_result(op, 0));
  double factor;
  for (int k = 0; k < 2 && !sn_null(mul) && mlirTypeIsABF16(sn_element(t)) && mlirTypeIsAF32(sn_element(sums)); ++k) {
    MlirValue scalar = sn_broadcast_of(sn_operand(mul, k)), x = sn_operand(mul, 1 - k);
    if (sn_none(scalar) || !sn_attr_number(sn_constant_of(scalar), &factor) || fabs(factor) < 0x1p-20 ||
        fabs(factor) > 0x1p20)
      continue;
    MlirValue y = sn_row_product(rw->b, sn(rw->b, "arith.truncf", x, t), sn_operand(op, 1), sums);
    sn_replace(rw, op, sn(rw->b, "arith.mulf", y, sn_as_row(rw->b, sn_float(rw->b, sn_element(sums), factor), sums)));
    return true;
  }
  return false;
}

static SnRules behind = {{"sinter.row_reduce", all_least},
                         {"sinter.row_product", dead_rows},
                         {"sinter.row_product", scaled_rows},
                         {"arith.truncf", rounded_rows},
                         {"arith.addf", added_mask},
                         {"sinter.row_reduce", dead_sums},
                         {0}};
static SnRules weights_as_half = {{"sinter.row_product", half_weights}, {0}};

// ---- the pass --------------------------------------------------------------------------------------

typedef struct {
  const char *weights;
  bool floats;
  int64_t parts_from;
} Options;
static const char *const weights[] = {"parts", "half", NULL};
static const SnOption options[] = {
    {SN_OPTION_STRING, "weights", "rows in f32 that a half matrix multiplies: in two parts, or rounded", "parts",
     weights, offsetof(Options, weights)},
    {SN_OPTION_BOOL, "floats", "factors of sides in f32 go behind their product, too", "false", NULL,
     offsetof(Options, floats)},
    {SN_OPTION_INT, "parts-from",
     "do nothing in a program without products of so many bytes that a GPU may multiply in parts; 0: in any", "0",
     NULL, offsetof(Options, parts_from)},
    {0},
};

// `store`, of each result of each form: what it gives stands in the form's place.
static void store_all(MlirOperation root, MlirOperation (*store)(MlirOperation op, intptr_t result)) {
  static const char *const names[] = {"sinter.rowwise", "sinter.contract"};
  for (int i = 0; i < 2; ++i) {
    SnOpVec forms = sn_collect(root, names[i]);
    for (size_t k = 0; k < forms.size; ++k)
      for (intptr_t r = 0; r < sn_num_results(forms.data[k]); ++r)
        forms.data[k] = store(forms.data[k], r);
    sn_vec_free(&forms);
  }
}

static void part_all(MlirOperation root, bool floats) {
  SnOpVec forms = sn_collect(root, "sinter.contract");
  for (size_t k = 0; k < forms.size; ++k)
    sn_part_sides(forms.data[k], floats);
  sn_vec_free(&forms);
}

static MlirLogicalResult run(const SnRun *run, MlirOperation op) {
  const Options *o = run->options;
  bool half = !strcmp(o->weights, "half");
  if (o->parts_from && !sn_gpu_any_parts(op, o->parts_from))
    return SN_OK;
  if (half)
    store_all(op, sn_round_stored);
  store_all(op, sn_share_halves);
  store_all(op, sn_lie_by_columns);
  if (half || o->floats)
    part_all(op, o->floats);
  SnOpVec forms = sn_collect(op, "sinter.contract");
  for (size_t k = 0; k < forms.size; ++k)
    sn_bare_sides(forms.data[k], o->floats);
  sn_vec_free(&forms);
  const SnRule *const rules[] = {behind, half ? weights_as_half : NULL, NULL};
  return sn_apply_rules(op, rules);
}

MlirDialectHandle mlirGetDialectHandle__arith__(void);
MlirDialectHandle mlirGetDialectHandle__tensor__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__arith__, mlirGetDialectHandle__tensor__,
                                                      NULL};

const SnPass sn_pass_behind_products = {
    .argument = "sinter-behind-products",
    .summary = "factors, masks and rows of 0 that keep halves from tensor cores -> behind their product",
    .dialects = dialects,
    .options = options,
    .options_size = sizeof(Options),
    .run = run,
};

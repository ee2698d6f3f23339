// behind_products.c: what keeps values from being multiplied as they lie goes behind their product.
//
//   product (k) (side(extf %q * c), side(extf %k * d)) : f32    ->    product (k) (%q, %k) : f32,  times c * d
//   outs(f32) { yield extf %h * c } for such sides              ->    outs(bf16) { yield %h }
//   row_product (select %dead, 0, %w), %v                       ->    select %dead, 0, (row_product %w, %v)
//   row_reduce add (%w * select %dead, 0, %x)                   ->    select %dead, 0, (row_reduce add (%w * %x))
//   row_product (truncf (%w * c)), %v                           ->    (row_product (truncf %w), %v) * c       to bf16
//   row_reduce and (%x == -inf)                                 ->    (row_reduce maximumf %x) == -inf, or false
//   %x + extf(select(%m, %b, -inf))                             ->    select %m, (%x + extf %b), -inf
//
// So does torch-mlir write scaled_dot_product_attention: q, k and v are widened, both sides are scaled, and a row of
// nothing but -inf is 0. Tensor cores multiply halves and sum in f32, so no digit is lost. A sum that only its factor
// kept in f32's range becomes an infinity, so factors are from 2^-20 to 2^20. A row that is 0 is not multiplied, nor
// summed: what is no number in the matrix, or in a factor, is not asked for then. Nor is a score that a mask leaves
// out. A row of finite scores that a mask leaves something of is never all -inf (live_rows.c).
//
// With `floats` factors of operands in f32 go behind their product, too: a CPU then has one program for rows of all
// types, and kernels that read a side where it lies. And results of two products that one form makes of the same rows
// are parted in f32 as well, so that only one of them goes on from those.
//
// With `weights=half` rows in f32 that a half matrix multiplies are rounded to its type, also where they are stored for
// such products alone; else they are multiplied in two parts (lowering/gpu/chains).
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
#include "passes/edit/edit.h"
#include "passes/edit/rewrite.h"
#include "passes/simplify/simplify.h"
#include <math.h>

enum { OEQ = 1 }; // of arith.cmpf

static bool is_half(MlirType t) { return mlirTypeIsABF16(t) || mlirTypeIsAF16(t); }

// ---- sides ------------------------------------------------------------------------------------

// v without the constant numbers that it is times: their product is the factor.
static MlirValue without_factors(MlirValue v, double *factor) {
  *factor = 1;
  for (MlirOperation mul = sn_def(v, "arith.mulf"); !sn_null(mul); mul = sn_def(v, "arith.mulf")) {
    double number = 0;
    int of = sn_none(sn_broadcast_of(sn_operand(mul, 1))) ? 0 : 1;
    MlirValue scalar = sn_broadcast_of(sn_operand(mul, of));
    if (sn_none(scalar) || !sn_attr_number(sn_constant_of(scalar), &number))
      return (MlirValue){0};
    *factor *= number;
    v = sn_operand(mul, 1 - of);
  }
  return v;
}

// x in a half type, where v is x widened to f32, times constant numbers: their product is the factor. Else null.
static MlirValue without_scale(MlirValue v, double *factor) {
  MlirValue x = without_factors(v, factor);
  MlirOperation wide = sn_none(x) ? (MlirOperation){0} : sn_def(x, "arith.extf");
  bool fits = !sn_null(wide) && sn_is_row(x) && is_half(sn_element(sn_type_of(sn_operand(wide, 0)))) &&
              mlirTypeIsAF32(sn_element(sn_type_of(x)));
  return fits ? sn_operand(wide, 0) : (MlirValue){0};
}

// A side of halves times a number.
typedef struct {
  double factor;
  MlirType half;
  MlirOperation producer; // a form that stores them so; null: the side's program widens them
  intptr_t result;
} Scaled;

static bool is_scaled_by_program(SnSide s, Scaled *to) {
  MlirValue x = without_scale(sn_operand(mlirBlockGetTerminator(s.program), 0), &to->factor);
  if (sn_none(x))
    return false;
  to->half = sn_element(sn_type_of(x));
  return true;
}

static bool is_scaled_by_producer(MlirValue v, Scaled *to) {
  MlirOperation op = sn_definer(v);
  if (sn_null(op) || !sn_is_form(op))
    return false;
  SnForm f = sn_form_read(op);
  to->producer = op;
  to->result = mlirOpResultGetResultNumber(v);
  bool fits = !f.schedule.ptr && !sn_is_reduced(&f, (size_t)to->result);
  if (fits) {
    intptr_t at = (intptr_t)sn_output_position(&f, (size_t)to->result);
    MlirValue x = without_scale(sn_operand(mlirBlockGetTerminator(f.body), at), &to->factor);
    fits = !sn_none(x);
    to->half = fits ? sn_element(sn_type_of(x)) : (MlirType){0};
  }
  sn_form_free(&f);
  return fits;
}

// The side is of halves, or a form stores it so: for this product alone, if `alone`.
static bool is_scaled_half(const SnForm *f, size_t side, bool alone, Scaled *to) {
  SnSide s = sn_side(f, side);
  MlirType t = sn_element(sn_type_of(f->inputs.data[s.first].value));
  *to = (Scaled){.factor = 1, .half = t};
  if (!s.program.ptr && is_half(t))
    return true;
  MlirValue v = f->inputs.data[s.first].value;
  return s.program.ptr ? is_scaled_by_program(s, to) : (!alone || sn_one_use(v)) && is_scaled_by_producer(v, to);
}

static bool can_go_behind(double factor) { return fabs(factor) >= 0x1p-20 && fabs(factor) <= 0x1p20; }

// Both sides of product p.
static bool is_of_halves(const SnForm *f, size_t p, Scaled *x, Scaled *y) {
  return mlirTypeIsAF32(f->products.data[p].type) && is_scaled_half(f, 2 * p, true, x) &&
         is_scaled_half(f, 2 * p + 1, true, y) && mlirTypeEqual(x->half, y->half) &&
         can_go_behind(x->factor * y->factor);
}

// The form in its place stores `value` of the body, in a half type, as this result. All that reads it then reads that.
static MlirOperation store_as(MlirOperation op, intptr_t result, MlirType half, MlirValue value) {
  SnForm f = sn_form_read(op), to = sn_form_read(op);
  SnBuilder b = sn_before(op);
  SnAccess *out = &to.outputs.data[result];
  MlirType t = sn_type_of(out->value);
  MlirValue sizes[SN_MAX_DIMS];
  intptr_t n = 0;
  for (intptr_t d = 0; d < sn_rank(t); ++d)
    if (sn_dim(t, d) == SN_DYNAMIC)
      sizes[n++] = sn(&b, "tensor.dim", out->value, sn_index(&b, d), sn_index_type(b.ctx));
  out->value = sn(&b, "tensor.empty", sn_values(n, sizes), sn_tensor_like(t, half));
  mlirOperationSetOperand(mlirBlockGetTerminator(f.body), (intptr_t)sn_output_position(&f, (size_t)result), value);
  MlirOperation made = sn_with_other_sides(&b, &f, &to); // and another destination
  mlirOperationDestroy(op);
  sn_erase_dead(to.body);
  sn_form_free(&f);
  sn_form_free(&to);
  return made;
}

// What a result of the form is, in its body.
static MlirValue yielded(MlirOperation op, intptr_t result) {
  SnForm f = sn_form_read(op);
  MlirValue v = sn_operand(mlirBlockGetTerminator(f.body), (intptr_t)sn_output_position(&f, (size_t)result));
  sn_form_free(&f);
  return v;
}

// The form stores the halves that a result is of.
static void store_halves(const Scaled *s) {
  double factor;
  store_as(s->producer, s->result, s->half, without_scale(yielded(s->producer, s->result), &factor));
}

// What reads the product reads it times the factor, in one multiplication with a number that it is times already.
static void multiply_readers(SnForm *f, size_t p, double factor) {
  MlirValue product = sn_product_argument(f, p);
  SnBuilder b = sn_at_start(f->body, mlirOperationGetLocation(f->op));
  MlirType t = sn_type_of(product);
  MlirOperation mul = sn_one_use(product) ? mlirOpOperandGetOwner(mlirValueGetFirstUse(product)) : (MlirOperation){0};
  double more;
  if (!sn_null(mul) && sn_is(mul, "arith.mulf") && !sn_none(without_factors(sn_result(mul, 0), &more)) &&
      sn_same(without_factors(sn_result(mul, 0), &more), product)) {
    MlirValue row = sn_as_row(&b, sn_float(&b, sn_element(t), factor * more), t);
    mlirOperationSetOperand(mul, sn_same(sn_operand(mul, 0), product), row);
    return;
  }
  mul = sn_op(&b, "arith.mulf", product, sn_as_row(&b, sn_float(&b, sn_element(t), factor), t), t);
  mlirValueReplaceAllUsesExcept(product, sn_result(mul, 0), 1, &mul);
}

// Product p of halves: producers store them. What its sides' products are to be multiplied by, 0: it is of something
// else.
static double store_sides(MlirOperation op, size_t p) {
  Scaled x, y;
  SnForm f = sn_form_read(op);
  bool bare = !sn_side(&f, 2 * p).program.ptr && !sn_side(&f, 2 * p + 1).program.ptr;
  bool fits = is_of_halves(&f, p, &x, &y) && (!bare || !sn_null(x.producer) || !sn_null(y.producer));
  sn_form_free(&f);
  if (!fits)
    return 0;
  if (!sn_null(x.producer))
    store_halves(&x);
  f = sn_form_read(op); // both sides may have had one producer
  is_scaled_half(&f, 2 * p + 1, true, &y);
  sn_form_free(&f);
  if (!sn_null(y.producer))
    store_halves(&y);
  return x.factor * y.factor;
}

// The program gives what is scaled; there is none where that is what it reads.
static void yield_unscaled(SnSide *s) {
  double factor;
  if (!s->program.ptr)
    return;
  MlirOperation end = mlirBlockGetTerminator(s->program);
  MlirValue x = without_factors(sn_operand(end, 0), &factor);
  MlirOperation wide = sn_def(x, "arith.extf");
  x = sn_null(wide) ? x : sn_operand(wide, 0);
  mlirOperationSetOperand(end, 0, x);
  if (s->count == 1 && sn_same(x, mlirBlockGetArgument(s->program, 0)))
    s->program = (MlirBlock){0};
  else
    sn_erase_dead(s->program);
}

// ---- sides in f32 ---------------------------------------------------------------------------------

// The side is an operand in f32, times the factor.
static bool is_scaled_operand(SnSide s, MlirType t, double *factor) {
  *factor = 1;
  if (!mlirTypeIsAF32(t) || !s.program.ptr)
    return mlirTypeIsAF32(t);
  MlirValue x = without_factors(sn_operand(mlirBlockGetTerminator(s.program), 0), factor);
  return s.count == 1 && !sn_none(x) && sn_same(x, mlirBlockGetArgument(s.program, 0));
}

// What product p of operands in f32 is to be multiplied by for their factors; 0: it is of something else.
static double factor_of_floats(MlirOperation op, size_t p) {
  double x = 1, y = 1;
  SnForm f = sn_form_read(op);
  bool fits =
      mlirTypeIsAF32(f.products.data[p].type) && (sn_side(&f, 2 * p).program.ptr || sn_side(&f, 2 * p + 1).program.ptr);
  for (size_t s = 2 * p; s < 2 * p + 2 && fits; ++s) {
    SnSide side = sn_side(&f, s);
    fits = is_scaled_operand(side, sn_element(sn_type_of(f.inputs.data[side.first].value)), s % 2 ? &y : &x);
  }
  sn_form_free(&f);
  return fits && can_go_behind(x * y) ? x * y : 0;
}

// Products of the form whose sides are halves, as they lie; with `floats` of f32, too.
static void bare_sides(MlirOperation op, bool floats) {
  SnForm f = sn_form_read(op);
  size_t n = f.schedule.ptr ? 0 : f.products.size;
  sn_form_free(&f);
  double *factors = sn_alloc((n + 1) * sizeof *factors);
  bool some = false;
  for (size_t p = 0; p < n; ++p) {
    factors[p] = store_sides(op, p);
    if (floats && factors[p] == 0)
      factors[p] = factor_of_floats(op, p);
    some |= factors[p] != 0;
  }
  if (some) {
    SnForm from = sn_form_read(op), to = sn_form_read(op);
    SnBuilder b = sn_before(op);
    for (size_t p = 0; p < n; ++p)
      for (size_t side = 2 * p; side < 2 * p + 2 && factors[p] != 0 && to.sides.size; ++side)
        yield_unscaled(&to.sides.data[side]);
    bool programs = false;
    for (size_t side = 0; side < to.sides.size; ++side)
      programs |= to.sides.data[side].program.ptr != NULL;
    if (!programs)
      sn_vec_free(&to.sides);
    sn_with_other_sides(&b, &from, &to);
    for (size_t p = 0; p < n; ++p)
      if (factors[p] != 0 && factors[p] != 1)
        multiply_readers(&to, p, factors[p]);
    mlirOperationDestroy(op);
    sn_form_free(&from);
    sn_form_free(&to);
  }
  free(factors);
}

// ---- rows that are stored -----------------------------------------------------------------------

// The other side of the product that reads it is of this half type, or is such times a number.
static bool multiplies_half(MlirOpOperand use, MlirType *half) {
  MlirOperation reader = mlirOpOperandGetOwner(use);
  size_t at = (size_t)mlirOpOperandGetOperandNumber(use);
  if (!sn_is(reader, "sinter.contract"))
    return false;
  bool fits = false;
  SnForm f = sn_form_read(reader);
  for (size_t p = 0; p < f.products.size && !f.schedule.ptr; ++p)
    for (size_t s = 2 * p; s < 2 * p + 2; ++s) {
      Scaled other;
      SnSide side = sn_side(&f, s);
      if (side.first != at || side.program.ptr || !mlirTypeIsAF32(f.products.data[p].type) ||
          !is_scaled_half(&f, s ^ 1, false, &other) || (half->ptr && !mlirTypeEqual(*half, other.half)))
        continue;
      *half = other.half;
      fits = true;
    }
  sn_form_free(&f);
  return fits;
}

// Rows in f32 that are read by nothing but products with halves are stored as such. The form in op's place.
static MlirOperation round_stored(MlirOperation op, intptr_t result) {
  MlirValue v = sn_result(op, result);
  MlirType half = {0}, t = sn_type_of(v);
  bool fits = mlirTypeIsARankedTensor(t) && mlirTypeIsAF32(sn_element(t)) && mlirValueGetFirstUse(v).ptr;
  for (MlirOpOperand use = mlirValueGetFirstUse(v); fits && !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use))
    fits = multiplies_half(use, &half);
  SnForm f = sn_form_read(op);
  fits = fits && !f.schedule.ptr && !sn_is_reduced(&f, (size_t)result);
  SnBuilder b = sn_before(mlirBlockGetTerminator(f.body));
  sn_form_free(&f);
  if (!fits)
    return op;
  MlirValue row = yielded(op, result);
  MlirType narrow = sn_is_row(row) ? sn_tensor_like(sn_type_of(row), half) : half;
  return store_as(op, result, half, sn(&b, "arith.truncf", row, narrow));
}

static bool is_multiplied(MlirType t, bool floats) { return is_half(t) || (floats && mlirTypeIsAF32(t)); }

// Two of the products read one operand, which is multiplied, at different places.
static bool share_a_side(const SnForm *f, bool floats) {
  for (size_t a = 0; a < 2 * f->products.size; ++a)
    for (size_t b = 2 * (a / 2 + 1); b < 2 * f->products.size; ++b)
      if (sn_same(f->inputs.data[a].value, f->inputs.data[b].value) &&
          is_multiplied(sn_element(sn_type_of(f->inputs.data[a].value)), floats) &&
          !mlirAffineMapEqual(f->inputs.data[a].map, f->inputs.data[b].map))
        return true;
  return false;
}

// Results of products that have nothing to do with each other, made of the same rows: each by itself, as only one of
// them goes on from these where they are made.
static void part(MlirOperation op, bool floats) {
  SnForm f = sn_form_read(op);
  bool shared = share_a_side(&f, floats);
  sn_form_free(&f);
  if (shared)
    sn_part_results(op);
}

static void part_all(MlirOperation root, bool floats) {
  SnOpVec forms = sn_collect(root, "sinter.contract");
  for (size_t k = 0; k < forms.size; ++k)
    part(forms.data[k], floats);
  sn_vec_free(&forms);
}


// ---- halves that several products read, times a number -----------------------------------------

// The use is a side, as it lies, of a product of halves of the type.
static bool is_side_of_halves(MlirOpOperand use, MlirType half) {
  MlirType other = half;
  return multiplies_half(use, &other);
}

// The product that reads it so is multiplied by the factor.
static void multiply_product(MlirOpOperand use, double factor) {
  size_t at = (size_t)mlirOpOperandGetOperandNumber(use);
  SnForm f = sn_form_read(mlirOpOperandGetOwner(use));
  for (size_t p = 0; p < f.products.size; ++p)
    if (sn_side(&f, 2 * p).first == at || sn_side(&f, 2 * p + 1).first == at)
      multiply_readers(&f, p, factor);
  sn_form_free(&f);
}

// The form in op's place stores the halves, if nothing but such products reads the result.
static MlirOperation share_halves(MlirOperation op, intptr_t result) {
  MlirValue v = sn_result(op, result);
  Scaled s = {0};
  bool fits = mlirValueGetFirstUse(v).ptr && !sn_one_use(v) && is_scaled_by_producer(v, &s) && can_go_behind(s.factor);
  for (MlirOpOperand use = mlirValueGetFirstUse(v); fits && !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use))
    fits = is_side_of_halves(use, s.half);
  if (!fits)
    return op;
  for (MlirOpOperand use = mlirValueGetFirstUse(v); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    multiply_product(use, s.factor);
  double factor;
  return sn_share_side(store_as(op, result, s.half, without_scale(yielded(op, result), &factor)), result);
}

// ---- rules --------------------------------------------------------------------------------------

static bool is_splat(MlirValue row, double number) {
  MlirValue scalar = sn_broadcast_of(row);
  return sn_is_constant(sn_none(scalar) ? row : scalar, number);
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
      if (!sn_is_row(sn_operand(select, at)) || !is_splat(sn_operand(select, 3 - at), -INFINITY))
        continue;
      MlirType t = sn_type_of(x);
      MlirValue least = sn_as_row(rw->b, sn_float(rw->b, sn_element(t), -INFINITY), t);
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

static MlirLogicalResult run(const SnRun *run, MlirOperation op) {
  const Options *o = run->options;
  bool half = !strcmp(o->weights, "half");
  if (o->parts_from && !sn_gpu_any_parts(op, o->parts_from))
    return SN_OK;
  if (half)
    store_all(op, round_stored);
  store_all(op, share_halves);
  store_all(op, sn_lie_by_columns);
  if (half || o->floats)
    part_all(op, o->floats);
  SnOpVec forms = sn_collect(op, "sinter.contract");
  for (size_t k = 0; k < forms.size; ++k)
    bare_sides(forms.data[k], o->floats);
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

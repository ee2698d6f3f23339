// half_sides.c: sides of products are stored and multiplied as halves, and their factors go behind the product.
//
//   product (k) (side(extf %q * c), side(extf %k * d)) : f32    ->    product (k) (%q, %k) : f32,  times c * d
//   outs(f32) { yield extf %h * c } for such sides              ->    outs(bf16) { yield %h }
//
// So does torch-mlir write scaled_dot_product_attention: q, k and v are widened, and both sides are scaled. Tensor
// cores multiply halves and sum in f32, so no digit is lost. A sum that only its factor kept in f32's range becomes an
// infinity, so factors are from 2^-20 to 2^20.
//
// With `floats` factors of operands in f32 go behind their product, too: a CPU then has one program for rows of all
// types, and kernels that read a side where it lies. And results of two products that one form makes of the same rows
// are parted in f32 as well, so that only one of them goes on from those.
//
// With `weights=half` rows in f32 that a half matrix multiplies are stored in its type, if such products alone read
// them, and products with rows of which the same is true.
//
// runs in: sinter-behind-products    test: test/passes/arrange/behind_products.mlir, test/gpu/chains.test

#include "passes/arrange/arrange.h"
#include "passes/edit/edit.h"
#include "passes/simplify/simplify.h"
#include <math.h>

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
void sn_bare_sides(MlirOperation op, bool floats) {
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

// The product, of f32, that the use is a side of, as it lies: the other side; null where it is nothing of the kind.
static bool other_side(const SnForm *f, MlirOpOperand use, size_t *other) {
  size_t at = (size_t)mlirOpOperandGetOperandNumber(use);
  bool found = false;
  for (size_t s = 0; s < 2 * f->products.size && !f->schedule.ptr && !found; ++s) {
    SnSide side = sn_side(f, s);
    found = side.first == at && !side.program.ptr && mlirTypeIsAF32(f->products.data[s / 2].type);
    *other = s ^ 1;
  }
  return found;
}

// The other side of the product that reads it is of this half type, or is such times a number.
static bool multiplies_half(MlirOpOperand use, MlirType *half) {
  MlirOperation reader = mlirOpOperandGetOwner(use);
  if (!sn_is(reader, "sinter.contract"))
    return false;
  SnForm f = sn_form_read(reader);
  size_t other;
  Scaled x;
  bool fits = other_side(&f, use, &other) && is_scaled_half(&f, other, false, &x) &&
              (!half->ptr || mlirTypeEqual(*half, x.half));
  *half = fits ? x.half : *half;
  sn_form_free(&f);
  return fits;
}

// What a form stores in f32, and the use multiplies it by; null: something else.
static MlirValue multiplied_rows(MlirOpOperand use) {
  MlirOperation reader = mlirOpOperandGetOwner(use);
  MlirValue v = {0};
  if (!sn_is(reader, "sinter.contract"))
    return v;
  SnForm f = sn_form_read(reader);
  size_t other;
  if (other_side(&f, use, &other) && !sn_side(&f, other).program.ptr)
    v = f.inputs.data[sn_side(&f, other).first].value;
  sn_form_free(&f);
  MlirOperation maker = sn_none(v) ? (MlirOperation){0} : sn_definer(v);
  bool rows = !sn_null(maker) && sn_is_form(maker) && mlirTypeIsAF32(sn_element(sn_type_of(v)));
  return rows ? v : (MlirValue){0};
}

// Nothing but products read it: some with halves, others with rows of which that is true, too (`with`, which ask), as
// a gradient by values multiplies weights by what comes from behind attention. What is a half times a number stays so.
static bool can_round(MlirValue v, MlirValue with, MlirType *half) {
  MlirType t = sn_type_of(v);
  Scaled scaled;
  bool fits = mlirTypeIsARankedTensor(t) && mlirTypeIsAF32(sn_element(t)), some = false,
       of_half = is_scaled_by_producer(v, &scaled);
  for (MlirOpOperand use = mlirValueGetFirstUse(v); fits && !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    bool by_half = multiplies_half(use, half);
    some |= by_half;
    if (by_half)
      continue;
    MlirValue rows = multiplied_rows(use);
    fits = !of_half && !sn_none(rows) && !sn_same(rows, v) &&
           (sn_none(with) ? can_round(rows, v, half) : sn_same(rows, with));
  }
  return fits && some;
}

// Rows in f32 that are read by nothing but products with halves are stored as such. The form in op's place.
MlirOperation sn_round_stored(MlirOperation op, intptr_t result) {
  MlirType half = {0};
  SnForm f = sn_form_read(op);
  bool fits = !f.schedule.ptr && !sn_is_reduced(&f, (size_t)result) &&
              can_round(sn_result(op, result), (MlirValue){0}, &half);
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
void sn_part_sides(MlirOperation op, bool floats) {
  SnForm f = sn_form_read(op);
  bool shared = share_a_side(&f, floats);
  sn_form_free(&f);
  if (shared)
    sn_part_results(op);
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
MlirOperation sn_share_halves(MlirOperation op, intptr_t result) {
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

// half_sums.c: what is added up in f64 of half elements is added in f32 first, a few elements of a thread; and what is
// made of them there alone, for each element, in f32.
//
//   %w = arith.extf %x : f16 to f64                        %y = arith.extf %x : f16 to f32
//   %s = sinter.row_reduce add %w : f64             ->     %s = sinter.row_reduce add %y : f32 -> f64 {lanes_first}
//   %d = arith.subf %w, %m                                 %d = (%y - f32(%m)) - f32(%m - f32(%m))
//   %q = sinter.row_reduce add (%d * %d) : f64             %q = row_reduce add (%d * %d) : f32 -> f64 {lanes_first}
//
// A multiprocessor makes 16 f64 of narrower elements in a cycle, and reads twice as many halves from memory in that
// time. What is lost is 2^-24 of each group of at most 32 elements (lowering/gpu/rows/vectors.c). Elements of f16 have
// 11 bits: where those of a group are within a factor of 2^8 their sum is exact, so a mean that is large beside the
// deviation stays as exact as it was, and so do differences from it, which are taken from both parts of the mean. Where
// they are further apart, the deviation is as large as they are. bf16 has 8 bits, and f32's range: squares of
// differences over 1.8e19 are infinite, as they are in PyTorch, which has f32 there.
//
// So is what is made of such a difference, element by element, and goes to f32: in the gradient of a norm that is
// spelled in f64, 2 c (x - m). A difference from both parts of m errs by 2^-23 of itself at most, however much of m
// cancels, and so do products with a number by 2^-24 each.
//
//   %t = arith.truncf (c * (%w - %m)) : f32         ->     %t = f32(c) * ((%y - f32(%m)) - f32(%m - f32(%m)))
//
// runs in: sinter-gpu    test: test/passes/arrange/half_sums.mlir, test/gpu/emulate_rows.test

#include "capi/form.h"
#include "capi/pass.h"
#include "dialect/attributes.h"

// The half elements that are widened to w in one step or two; null if they are nothing of the kind.
static MlirValue halves_of(MlirValue w) {
  MlirValue x = w;
  for (MlirOperation op = sn_def(x, "arith.extf"); !sn_null(op); op = sn_def(x, "arith.extf"))
    x = sn_operand(op, 0);
  MlirType t = sn_element(sn_type_of(x));
  return sn_is_row(x) && !sn_same(x, w) && sn_bits(t) == 16 ? x : (MlirValue){0};
}

// A scalar in f64 that f32 holds: a widened one, or that or 0.
static bool fits_f32(MlirValue v) {
  MlirOperation extf = sn_def(v, "arith.extf"), select = sn_def(v, "arith.select");
  double number;
  if (!sn_null(select))
    return fits_f32(sn_operand(select, 1)) && fits_f32(sn_operand(select, 2));
  if (sn_attr_number(sn_constant_of(v), &number))
    return (double)(float)number == number;
  return !sn_null(extf) && sn_bits(sn_type_of(sn_operand(extf, 0))) <= 32;
}

static MlirValue subtract(SnBuilder *b, MlirValue row, MlirValue scalar) {
  return sn(b, "arith.subf", row, sn_as_row(b, scalar, sn_type_of(row)));
}

// row - m, where m is a number in f64. What is left of an infinite one is nothing.
static MlirValue minus(SnBuilder *b, MlirValue row, MlirValue m) {
  enum { EQUAL = 1 }; // ordered
  MlirType f32 = mlirF32TypeGet(b->ctx), f64 = mlirF64TypeGet(b->ctx);
  MlirValue high = sn(b, "arith.truncf", m, f32), d = subtract(b, row, high);
  if (fits_f32(m))
    return d;
  MlirValue low = sn(b, "arith.truncf", sn(b, "arith.subf", m, sn(b, "arith.extf", high, f64)), f32),
            zero = sn_float(b, f32, 0), none = sn(b, "arith.subf", high, high),
            finite = sn(b, "arith.cmpf", none, zero, sn_attr("predicate", sn_i64(b->ctx, EQUAL)));
  return subtract(b, d, sn(b, "arith.select", finite, low, zero));
}

// The row in f32 that stands for v, a row in f64; null if there is none. `made` has those that are there.
static MlirValue in_f32(SnMap *made, MlirValue v) {
  MlirValue none = {0}, known = sn_mapped(made, v), x = halves_of(v);
  MlirOperation op = sn_definer(v);
  if (!sn_none(known) || sn_null(op))
    return known;
  SnBuilder b = sn_after(op);
  MlirType t = sn_type_of(v), row = sn_tensor_like(t, mlirF32TypeGet(b.ctx));
  MlirValue narrow = none;
  if (!sn_none(x)) {
    MlirValue of = sn_operand(op, 0);
    narrow = mlirTypeEqual(sn_type_of(of), row) ? of : sn(&b, "arith.extf", x, row);
  } else if (sn_is(op, "arith.subf")) {
    MlirValue m = sn_broadcast_of(sn_operand(op, 1));
    MlirValue y = sn_none(m) || sn_none(halves_of(sn_operand(op, 0))) ? none : in_f32(made, sn_operand(op, 0));
    narrow = sn_none(y) ? none : minus(&b, y, m);
  } else if (sn_is(op, "arith.mulf") && sn_same(sn_operand(op, 0), sn_operand(op, 1))) {
    MlirValue y = in_f32(made, sn_operand(op, 0));
    narrow = sn_none(y) ? none : sn(&b, "arith.mulf", y, y);
  }
  if (!sn_none(narrow))
    sn_map(made, v, narrow);
  return narrow;
}

// A number of f64 that is within f32's range, if what it is made of is: a widened one, times constants of 1 at most.
static bool is_in_range(MlirValue c) {
  MlirOperation mul = sn_def(c, "arith.mulf");
  double number;
  for (int k = 0; k < 2 && !sn_null(mul); ++k)
    if (sn_attr_number(sn_constant_of(sn_operand(mul, k)), &number) && number >= -1 && number <= 1)
      return is_in_range(sn_operand(mul, 1 - k));
  return fits_f32(c);
}

// The row in f32 that stands for v, a difference as above times numbers; null if v is anything else.
static MlirValue scaled_in_f32(SnMap *made, MlirValue v) {
  MlirOperation op = sn_definer(v);
  bool doubles = sn_is(op, "arith.addf") && sn_same(sn_operand(op, 0), sn_operand(op, 1)),
       scales = sn_is(op, "arith.mulf");
  if (sn_is(op, "arith.subf"))
    return in_f32(made, v);
  for (int k = 0; k < 2 && (doubles || scales); ++k) {
    MlirValue c = doubles ? (MlirValue){0} : sn_broadcast_of(sn_operand(op, 1 - k));
    if (!doubles && (sn_none(c) || !is_in_range(c)))
      continue;
    MlirValue y = scaled_in_f32(made, sn_operand(op, k));
    if (sn_none(y))
      continue;
    SnBuilder b = sn_after(op);
    MlirType row = sn_type_of(y);
    return doubles ? sn(&b, "arith.addf", y, y)
                   : sn(&b, "arith.mulf", y, sn_as_row(&b, sn(&b, "arith.truncf", c, sn_element(row)), row));
  }
  return (MlirValue){0};
}

static void narrow_elements(SnMap *made, MlirOperation truncf) {
  MlirValue x = sn_operand(truncf, 0), narrow = {0};
  if (sn_is_row(x) && mlirTypeIsAF64(sn_element(sn_type_of(x))) &&
      mlirTypeIsAF32(sn_element(sn_type_of(sn_result(truncf, 0)))))
    narrow = scaled_in_f32(made, x);
  if (sn_none(narrow))
    return;
  mlirValueReplaceAllUsesOfWith(sn_result(truncf, 0), narrow);
  mlirOperationDestroy(truncf);
}

static void narrow_form(MlirOperation form) {
  SnForm f = sn_form_read(form);
  SnMap made = {0};
  bool fits = sn_is_plain(&f) && !f.schedule.ptr;
  for (MlirOperation op = mlirBlockGetFirstOperation(f.body), next; fits && !sn_null(op); op = next) {
    next = mlirOperationGetNextInBlock(op);
    if (sn_is(op, "arith.truncf")) {
      narrow_elements(&made, op);
      continue;
    }
    if (!sn_is_reduce(op, "add") || !mlirTypeIsAF64(sn_type_of(sn_result(op, 0))) ||
        !mlirTypeIsAF64(sn_element(sn_type_of(sn_operand(op, 0)))))
      continue;
    MlirValue narrow = in_f32(&made, sn_operand(op, 0));
    if (sn_none(narrow))
      continue;
    SnBuilder b = sn_before(op);
    MlirValue sum = sn_row_reduce(&b, "add", narrow, mlirF64TypeGet(b.ctx));
    sn_set_attr(sn_definer(sum), SN_LANES_FIRST, sn_unit(b.ctx));
    mlirValueReplaceAllUsesOfWith(sn_result(op, 0), sum);
    mlirOperationDestroy(op);
  }
  sn_erase_dead(f.body);
  sn_map_free(&made);
  sn_form_free(&f);
}

static MlirLogicalResult function(MlirOperation func, void *user) {
  (void)user;
  SnOpVec forms = sn_collect(func, "sinter.rowwise");
  for (size_t k = 0; k < forms.size; ++k)
    narrow_form(forms.data[k]);
  sn_vec_free(&forms);
  return SN_OK;
}

static MlirLogicalResult run(const SnRun *run, MlirOperation op) {
  (void)run;
  return sn_each_function(op, function, NULL);
}

MlirDialectHandle mlirGetDialectHandle__arith__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__arith__, NULL};

const SnPass sn_pass_half_sums = {
    .argument = "sinter-half-sums",
    .summary = "sums in f64 of half elements -> of f32, a few of a thread before they are f64; elements -> in f32",
    .dialects = dialects,
    .run = run,
};

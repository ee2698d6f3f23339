// log_sums.c: exponentials over their sum are those of one difference, where both are numbers of each column.
//
//   d: r = 1 / z, n                                   d: r, n, l = m + log z, k = n z
//   b: e = exp(x - m)                           ->    b: p = exp(x - l)
//      p = e r,  s = e (y r + n)                         s = p (y + k)
//
// What is made again by columns, as gradients by keys are, has m, r and n of each column, of one access: a product less
// for each element, and a number less for each column. By rows it is the same as before.
//
// Where z is a sum of exponentials, so that it has a logarithm, and x is a product times numbers, or -inf: beside a
// score as large as -1e9, as masks of a finite number have them, log z would be lost.
//
// runs in: fuse    test: test/passes/fuse/log_sums.mlir

#include "dialect/row_ops.h"
#include "passes/fuse/fuse.h"
#include <math.h>

typedef struct {
  SnForm f;             // makes them again
  MlirOperation exp;    // of it
  size_t m, r, n;       // its inputs
  SnForm d;             // makes r and n
  size_t r_of, n_of, z; // its results, and the input that the sum is
} LogSums;

static size_t num_uses(MlirValue v) {
  size_t n = 0;
  for (MlirOpOperand use = mlirValueGetFirstUse(v); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    ++n;
  return n;
}

// The input, of f32, that v is; the number of inputs where it is none.
static size_t input_of(const SnForm *f, MlirValue v) {
  size_t k = sn_first_input(f);
  while (k < f->inputs.size && !sn_same(v, sn_input_argument(f, k)))
    ++k;
  return k < f->inputs.size && mlirTypeIsAF32(sn_element(sn_type_of(v))) ? k : f->inputs.size;
}

static bool is_same_place(const SnForm *f, size_t a, size_t b) {
  const SnAccess *x = &f->inputs.data[a], *y = &f->inputs.data[b];
  return mlirAffineMapEqual(x->map, y->map) && !x->through.ptr && !y->through.ptr && !x->fill.ptr && !y->fill.ptr;
}

static bool is_minus_infinity(MlirValue v) {
  MlirValue scalar = sn_broadcast_of(v);
  return sn_is_constant(sn_none(scalar) ? v : scalar, -INFINITY);
}

// A product times numbers, or -inf.
static bool is_score(const SnForm *f, MlirValue v) {
  MlirOperation op = sn_definer(v);
  for (size_t p = 0; p < f->products.size; ++p)
    if (sn_same(v, sn_product_argument(f, p)))
      return true;
  for (int k = 0; k < 2 && sn_is(op, "arith.mulf"); ++k) {
    MlirValue scalar = sn_broadcast_of(sn_operand(op, k));
    double number;
    if (!sn_none(scalar) && sn_attr_number(sn_constant_of(scalar), &number) && isnormal(number))
      return is_score(f, sn_operand(op, 1 - k));
  }
  for (int k = 1; k < 3 && sn_is(op, "arith.select"); ++k)
    if (is_minus_infinity(sn_operand(op, k)))
      return is_score(f, sn_operand(op, 3 - k));
  return false;
}

// The other factor, where op is a product of v; null where it is none.
static MlirValue beside(MlirOperation op, const char *name, MlirValue v) {
  if (!sn_is(op, name))
    return (MlirValue){0};
  return sn_operand(op, sn_same(sn_operand(op, 0), v));
}

// y, where v is y r + n and nobody else reads that, or the product. Sets n.
static MlirValue without_factor(const LogSums *s, MlirValue v, size_t *n) {
  MlirOperation sum = sn_def(v, "arith.addf");
  for (int k = 0; k < 2 && !sn_null(sum) && num_uses(v) == 1; ++k) {
    *n = input_of(&s->f, sn_operand(sum, k));
    MlirValue product = sn_operand(sum, 1 - k);
    MlirOperation mul = sn_def(product, "arith.mulf");
    for (int i = 0; i < 2 && !sn_null(mul) && num_uses(product) == 1 && *n < s->f.inputs.size; ++i)
      if (input_of(&s->f, sn_operand(mul, i)) == s->r)
        return sn_operand(mul, 1 - i);
  }
  return (MlirValue){0};
}

// All that is asked of the exponential are its products with r and with y r + n, and of r and n nothing else.
static bool find_uses(LogSums *s) {
  size_t of_r = 0, of_n = 0;
  s->n = s->f.inputs.size;
  MlirValue e = sn_result(s->exp, 0);
  for (MlirOpOperand use = mlirValueGetFirstUse(e); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirValue by = beside(mlirOpOperandGetOwner(use), "arith.mulf", e);
    size_t n;
    if (sn_none(by) || sn_same(by, e))
      return false;
    if (input_of(&s->f, by) == s->r) {
      ++of_r;
      continue;
    }
    if (sn_none(without_factor(s, by, &n)) || (s->n < s->f.inputs.size && s->n != n))
      return false;
    s->n = n;
    ++of_r, ++of_n;
  }
  return of_n && of_r == num_uses(sn_input_argument(&s->f, s->r)) && of_n == num_uses(sn_input_argument(&s->f, s->n)) &&
         is_same_place(&s->f, s->m, s->r) && is_same_place(&s->f, s->m, s->n);
}

// The exponential of f, and an input that it is multiplied by.
static bool find_exponential(LogSums *s, MlirOperation op) {
  MlirOperation sub = sn_def(sn_operand(op, 0), "arith.subf");
  if (sn_null(sub) || !sn_is_row(sn_result(op, 0)) || num_uses(sn_operand(op, 0)) != 1)
    return false;
  s->exp = op;
  s->m = input_of(&s->f, sn_operand(sub, 1));
  if (s->m == s->f.inputs.size || num_uses(sn_operand(sub, 1)) != 1 ||
      !sn_uses_cols(&s->f, s->f.inputs.data[s->m].map) || !is_score(&s->f, sn_operand(sub, 0)))
    return false;
  for (MlirOpOperand use = mlirValueGetFirstUse(sn_result(op, 0)); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirValue by = beside(mlirOpOperandGetOwner(use), "arith.mulf", sn_result(op, 0));
    s->r = sn_none(by) ? s->f.inputs.size : input_of(&s->f, by);
    if (s->r < s->f.inputs.size && find_uses(s))
      return true;
  }
  return false;
}

static MlirOperation maker_of(MlirValue v, size_t *result) {
  MlirOperation op = sn_definer(v);
  *result = sn_null(op) ? 0 : (size_t)mlirOpResultGetResultNumber(v);
  return op;
}

// A sum of exponentials, as some form stored it.
static bool is_sum_of_exponentials(MlirValue v) {
  size_t result;
  MlirOperation op = maker_of(v, &result);
  if (sn_null(op) || !sn_is_form(op))
    return false;
  SnForm f = sn_form_read(op);
  bool is = !sn_is_reduced(&f, result);
  MlirOperation sum =
      is ? sn_definer(sn_operand(mlirBlockGetTerminator(f.body), (intptr_t)sn_output_position(&f, result)))
         : (MlirOperation){0};
  is = is && sn_is_reduce(sum, "add") && sn_is(sn_definer(sn_operand(sum, 0)), "math.exp");
  sn_form_free(&f);
  return is;
}

static MlirValue yielded(const SnForm *f, size_t result) {
  return sn_operand(mlirBlockGetTerminator(f->body), (intptr_t)sn_output_position(f, result));
}

// The form that makes r = 1 / z and n, and may read m.
static bool find_maker(LogSums *s) {
  MlirOperation op = maker_of(s->f.inputs.data[s->r].value, &s->r_of),
                other = maker_of(s->f.inputs.data[s->n].value, &s->n_of), m = sn_definer(s->f.inputs.data[s->m].value);
  if (sn_null(op) || !mlirOperationEqual(op, other) || !sn_is(op, "sinter.rowwise") ||
      !mlirBlockEqual(mlirOperationGetBlock(op), mlirOperationGetBlock(s->f.op)) || sn_get_attr(op, "schedule").ptr ||
      (!sn_null(m) && mlirBlockEqual(mlirOperationGetBlock(m), mlirOperationGetBlock(op)) &&
       !mlirOperationIsBeforeInBlock(m, op)))
    return false;
  s->d = sn_form_read(op);
  const SnForm *d = &s->d;
  bool fits = sn_is_plain(d) && !d->accumulators.size && !d->indices.size && !sn_num_reduced(d) &&
              mlirAffineMapEqual(d->outputs.data[s->r_of].map, d->outputs.data[s->n_of].map);
  MlirOperation div = fits ? sn_def(yielded(d, s->r_of), "arith.divf") : (MlirOperation){0};
  fits = !sn_null(div) && sn_is_constant(sn_operand(div, 0), 1);
  s->z = fits ? input_of(d, sn_operand(div, 1)) : 0;
  fits = fits && s->z < d->inputs.size && !sn_is_row(sn_operand(div, 1)) &&
         mlirAffineMapEqual(d->inputs.data[s->z].map, d->outputs.data[s->r_of].map) && !d->inputs.data[s->z].fill.ptr &&
         !d->inputs.data[s->z].through.ptr && is_sum_of_exponentials(d->inputs.data[s->z].value);
  if (!fits)
    sn_form_free(&s->d);
  return fits;
}

// d, which reads m, and gives l and k behind its results.
static MlirOperation with_logs(const LogSums *s) {
  const SnForm *d = &s->d;
  MlirAffineMap map = d->outputs.data[s->r_of].map;
  SnForm to = {.num_rows = d->num_rows, .num_cols = d->num_cols, .dims = d->dims};
  SnBuilder b = sn_before(d->op);
  for (size_t k = 0; k < d->inputs.size; ++k)
    sn_push(&to.inputs, d->inputs.data[k]);
  sn_push(&to.inputs, ((SnAccess){.value = s->f.inputs.data[s->m].value, .map = map}));
  for (size_t k = 0; k < d->outputs.size; ++k)
    sn_push(&to.outputs, d->outputs.data[k]);
  for (int i = 0; i < 2; ++i)
    sn_push(&to.outputs, ((SnAccess){.value = sn_empty_at(&b, d, map, mlirF32TypeGet(b.ctx)), .map = map}));
  MlirOperation op = sn_form_create(&b, &to, false), yield = mlirBlockGetTerminator(d->body);
  SnBuilder in = sn_at_end(to.body, b.loc);
  SnMap copied = {0};
  for (size_t k = 0; k < d->inputs.size; ++k)
    sn_map(&copied, sn_input_argument(d, k), sn_input_argument(&to, k));
  sn_copy_ops(&in, d->body, &copied);
  SnValueVec values = {0};
  for (intptr_t k = 0; k < sn_num_operands(yield); ++k)
    sn_push(&values, sn_lookup(&copied, sn_operand(yield, k)));
  MlirValue z = sn_input_argument(&to, s->z), m = sn_input_argument(&to, d->inputs.size);
  sn_push(&values, sn(&in, "arith.addf", m, sn(&in, "math.log", z)));
  sn_push(&values, sn(&in, "arith.mulf", sn_lookup(&copied, yielded(d, s->n_of)), z));
  sn_op(&in, "sinter.yield", sn_values((intptr_t)values.size, values.data), sn_types(0, NULL));
  sn_vec_free(&values);
  sn_map_free(&copied);
  sn_vec_free(&to.inputs);
  sn_vec_free(&to.outputs);
  return op;
}

static void take_logs(LogSums *s) {
  MlirOperation d = with_logs(s), f = s->f.op;
  intptr_t results = sn_num_results(s->d.op);
  for (intptr_t k = 0; k < results; ++k)
    mlirValueReplaceAllUsesOfWith(sn_result(s->d.op, k), sn_result(d, k));
  mlirOperationDestroy(s->d.op);
  MlirValue e = sn_result(s->exp, 0);
  SnOpVec products = {0};
  for (MlirOpOperand use = mlirValueGetFirstUse(e); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    sn_push(&products, mlirOpOperandGetOwner(use));
  for (size_t i = 0; i < products.size; ++i) {
    MlirOperation op = products.data[i];
    MlirValue by = beside(op, "arith.mulf", e);
    size_t n;
    if (input_of(&s->f, by) == s->r) {
      mlirValueReplaceAllUsesOfWith(sn_result(op, 0), e);
      continue;
    }
    SnBuilder b = sn_before(op);
    MlirValue sum = sn(&b, "arith.addf", without_factor(s, by, &n), sn_input_argument(&s->f, s->n));
    mlirOperationSetOperand(op, sn_same(sn_operand(op, 0), e), sum);
  }
  sn_vec_free(&products);
  sn_erase_dead(s->f.body);
  mlirOperationSetOperand(f, (intptr_t)s->m, sn_result(d, results));
  mlirOperationSetOperand(f, (intptr_t)s->n, sn_result(d, results + 1));
  sn_tidy(f);
}

static bool log_sums_of(MlirOperation op) {
  LogSums s = {.f = sn_form_read(op)};
  bool found = false;
  for (MlirOperation row = mlirBlockGetFirstOperation(s.f.body); !sn_null(row) && !found && s.f.matrices.size;
       row = mlirOperationGetNextInBlock(row))
    found = sn_is(row, "math.exp") && find_exponential(&s, row) && find_maker(&s);
  if (found) {
    take_logs(&s);
    sn_form_free(&s.d);
  }
  sn_form_free(&s.f);
  return found;
}

bool sn_fuse_log_sums(MlirBlock block, const SnPolicy *policy) {
  bool changed = false;
  for (MlirOperation op = mlirBlockGetFirstOperation(block), next; !sn_null(op) && policy->tensor_cores; op = next) {
    bool found = sn_is(op, "sinter.contract") && !sn_get_attr(op, "schedule").ptr && log_sums_of(op);
    changed |= found;
    next = found ? mlirBlockGetFirstOperation(block) : mlirOperationGetNextInBlock(op); // forms were made anew
  }
  return changed;
}

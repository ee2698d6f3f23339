// live_rows.c: rows of scores of which something is above -inf, whatever is multiplied.
//
//   %m = arith.cmpi sle, (sinter.index j), broadcast (sinter.index i)
//   %x = %s + select(%m, 0, -inf)                          ->    column i of row i is not masked
//
// %s are sums of products: of finite numbers, but where a sum leaves f32's range. A mask is asked at a few columns of
// each row, its own, the first and the last; it has to be made of positions and constants alone.
//
// test: test/passes/arrange/behind_products.mlir

#include "capi/form.h"
#include "dialect/row_ops.h"
#include "passes/arrange/arrange.h"
#include <math.h>

enum { MOST_MASKS = 4, MOST_ROWS = 1 << 16, DEEPEST = 64 };

// Where a row lives: all of these conditions are as they say.
typedef struct {
  const SnForm *f;
  intptr_t row; // dimension that they are about, beside the columns; -1: none
  size_t n;
  MlirValue condition[MOST_MASKS];
  bool truth[MOST_MASKS];
  int64_t i, j; // the position that is asked
} Masks;

// ---- numbers at a position ------------------------------------------------------------------------

static bool number_at(Masks *m, MlirValue v, int depth, int64_t *x);

static bool is_position(Masks *m, MlirOperation index, int64_t *x) {
  for (intptr_t d = 0; d < m->f->num_rows + m->f->num_cols; ++d) {
    if (!sn_row_op_names(index, m->f->dims.data[d].name))
      continue;
    bool column = d == m->f->num_rows;
    if (!column && (d > m->f->num_rows || (m->row >= 0 && m->row != d)))
      return false;
    if (!column)
      m->row = d;
    *x = column ? m->j : m->i;
    return true;
  }
  return false;
}

static bool compared(int64_t predicate, int64_t a, int64_t b, int64_t *x) {
  const bool of[] = {a == b, a != b, a<b, a <= b, a> b, a >= b};
  bool known = predicate >= 0 && predicate < 6;
  *x = known && of[predicate];
  return known;
}

static bool combined(Masks *m, MlirOperation op, int depth, int64_t *x) {
  int64_t a, b;
  if (sn_num_operands(op) != 2 || !number_at(m, sn_operand(op, 0), depth, &a) ||
      !number_at(m, sn_operand(op, 1), depth, &b) || llabs(a) > INT32_MAX || llabs(b) > INT32_MAX)
    return false;
  if (sn_is(op, "arith.cmpi"))
    return compared(sn_int_attr(op, "predicate", -1), a, b, x);
  static const char *const names[] = {"arith.addi", "arith.subi", "arith.muli",
                                      "arith.andi", "arith.ori",  "arith.xori"};
  const int64_t of[] = {a + b, a - b, a * b, a & b, a | b, a ^ b};
  for (int k = 0; k < 6; ++k)
    if (sn_is(op, names[k])) {
      *x = of[k];
      return true;
    }
  return false;
}

// An integer of at least 32 bits, or a truth; false where it is not known.
static bool number_at(Masks *m, MlirValue v, int depth, int64_t *x) {
  MlirOperation op = sn_definer(v);
  MlirType t = sn_element(sn_type_of(v));
  double number;
  bool wide = mlirTypeIsAIndex(t) || (sn_is_int(t) && (sn_bits(t) >= 32 || sn_bits(t) == 1));
  if (sn_null(op) || !wide || depth > DEEPEST)
    return false;
  if (sn_attr_number(sn_constant_of(v), &number)) {
    *x = sn_bits(t) == 1 ? number != 0 : (int64_t)number;
    return fabs(number) <= INT32_MAX;
  }
  if (sn_row_op_of(op) && sn_row_op_of(op)->names_dim)
    return is_position(m, op, x);
  if (!sn_none(sn_broadcast_of(v)))
    return number_at(m, sn_broadcast_of(v), depth + 1, x);
  if (sn_is(op, "arith.index_cast") || sn_is(op, "arith.extsi") || sn_is(op, "arith.extui"))
    return sn_bits(sn_element(sn_type_of(sn_operand(op, 0)))) > 1 && number_at(m, sn_operand(op, 0), depth + 1, x);
  return combined(m, op, depth + 1, x) && (mlirTypeIsAIndex(t) || sn_bits(t) != 1 || *x == 0 || *x == 1);
}

// ---- what is added to products ----------------------------------------------------------------------

static bool is_finite(MlirValue v) {
  double number;
  return sn_attr_number(sn_constant_of(v), &number) && isfinite(number);
}

static bool is_least(MlirValue v) { return sn_is_constant(v, -INFINITY); }

static bool masks(Masks *m, MlirValue condition, bool truth) {
  if (m->n == MOST_MASKS)
    return false;
  m->condition[m->n] = condition;
  m->truth[m->n++] = truth;
  return true;
}

// 0, or another finite number, where masks say so; -inf elsewhere.
static bool is_mask(Masks *m, MlirValue v) {
  MlirOperation op = sn_definer(v);
  if (is_finite(v))
    return true;
  if (sn_null(op))
    return false;
  if (sn_is(op, "arith.extf"))
    return is_mask(m, sn_operand(op, 0));
  for (int k = 1; k < 3 && sn_is(op, "arith.select"); ++k)
    if (is_least(sn_operand(op, k)) && is_finite(sn_operand(op, 3 - k)))
      return masks(m, sn_operand(op, 0), k == 2);
  return false;
}

// A sum of products, times and plus numbers, masked.
static bool is_score(Masks *m, MlirValue x) {
  MlirOperation op = sn_definer(x);
  for (size_t p = 0; p < m->f->products.size; ++p)
    if (sn_same(x, sn_product_argument(m->f, p)))
      return true;
  if (sn_null(op))
    return false;
  if (sn_is(op, "arith.extf") || sn_is(op, "arith.truncf") || sn_is(op, "math.tanh"))
    return is_score(m, sn_operand(op, 0));
  if (sn_is(op, "arith.mulf") || sn_is(op, "arith.divf"))
    return is_finite(sn_operand(op, 1)) && !sn_is_constant(sn_operand(op, 1), 0) && is_score(m, sn_operand(op, 0));
  if (sn_is(op, "arith.addf"))
    return is_score(m, sn_operand(op, 0)) && is_mask(m, sn_operand(op, 1));
  for (int k = 1; k < 3 && sn_is(op, "arith.select"); ++k)
    if (is_least(sn_operand(op, k)))
      return masks(m, sn_operand(op, 0), k == 2) && is_score(m, sn_operand(op, 3 - k));
  return false;
}

// Nothing is masked there.
static bool lives_at(Masks *m, int64_t i, int64_t j, bool *known) {
  bool lives = true;
  m->i = i;
  m->j = j;
  for (size_t k = 0; k < m->n && *known && lives; ++k) {
    int64_t x;
    *known = number_at(m, m->condition[k], 0, &x);
    lives = *known && (x != 0) == m->truth[k];
  }
  return lives;
}

bool sn_row_lives(MlirValue x) {
  MlirOperation body = sn_definer(x), op = sn_null(body) ? body : mlirOperationGetParentOperation(body);
  if (sn_null(body)) {
    MlirBlock block = mlirValueIsABlockArgument(x) ? mlirBlockArgumentGetOwner(x) : (MlirBlock){0};
    op = block.ptr ? mlirBlockGetParentOperation(block) : op;
  }
  if (sn_null(op) || !sn_is(op, "sinter.contract"))
    return false;
  SnForm f = sn_form_read(op);
  Masks m = {.f = &f, .row = -1};
  SnDim *columns = &f.dims.data[f.num_rows];
  bool lives = f.num_cols >= 1 && columns->size > 0 && is_score(&m, x), known = true;
  int64_t rows = 1;
  for (int64_t i = 0; i < rows && lives && m.n; ++i) {
    const int64_t at[] = {i < columns->size ? i : 0, columns->size - 1, 0};
    lives = false;
    for (int k = 0; k < 3 && known && !lives; ++k)
      lives = lives_at(&m, i, at[k], &known);
    if (lives && rows == 1 && m.row >= 0)
      rows = f.dims.data[m.row].size;
    lives &= known && rows != SN_DYNAMIC && rows <= MOST_ROWS;
  }
  sn_form_free(&f);
  return lives;
}

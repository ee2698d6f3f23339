// zeros_between.c: a form that puts zeros between the elements of what it reads.
//
//   rowwise (i = 4, k = 15) by (l = 17) ins(%x[i, k floordiv 2, (l - 1) floordiv 2]) {
//     select (k mod 2 == 0 and l >= 1 and l < 16 and (l + 1) mod 2 == 0), %x, 0
//   }
//   ->  dimension 1 from 0 on by 2, dimension 2 from 1 on by 2
//
// The comparisons of one dimension are computed at each of its places: how they are spelled does not matter.
//
// test: test/passes/arrange/transposed_convolutions.mlir

#include "lowering/rows/rowmemory.h"
#include "passes/arrange/arrange.h"
#include "passes/merge/merge.h"

enum {
  MOST_PLACES = 1 << 16, // of a dimension that are computed one by one
  EQUAL = 0,             // arith.cmpi's predicates
  NOT_EQUAL,
  LESS,
  AT_MOST,
  MORE,
  AT_LEAST,
  BELOW,
  NOT_ABOVE,
  ABOVE,
  NOT_BELOW,
};

typedef struct {
  const SnForm *f;
  bool *holds[SN_MAX_DIMS]; // at each place of the dimension; null where no comparison speaks of it
} Conditions;

static MlirValue under(MlirValue v) {
  MlirValue scalar = sn_broadcast_of(v);
  return sn_none(scalar) ? v : scalar;
}

// The one dimension whose positions the value is made of; -1 if of none, -2 if of several, or of anything else.
static int64_t dim_of(const SnForm *f, MlirValue v) {
  v = under(v);
  MlirOperation op = sn_definer(v);
  int64_t dim = -1;
  if (sn_constant_of(v).ptr)
    return dim;
  if (sn_is(op, "sinter.index"))
    return sn_row_named_dim(f, op);
  if (sn_null(op) || !sn_in_dialect(op, "arith"))
    return -2;
  for (intptr_t k = 0; k < sn_num_operands(op); ++k) {
    int64_t d = dim_of(f, sn_operand(op, k));
    if (d == -2 || (d >= 0 && dim >= 0 && d != dim))
      return -2;
    dim = d >= 0 ? d : dim;
  }
  return dim;
}

static bool compare(int64_t predicate, int64_t x, int64_t y) {
  uint64_t a = (uint64_t)x, b = (uint64_t)y;
  switch (predicate) {
  case EQUAL: return x == y;
  case NOT_EQUAL: return x != y;
  case LESS: return x < y;
  case AT_MOST: return x <= y;
  case MORE: return x > y;
  case AT_LEAST: return x >= y;
  case BELOW: return a < b;
  case NOT_ABOVE: return a <= b;
  case ABOVE: return a > b;
  default: return a >= b;
  }
}

// The value where the position is `at`; false where nobody here can say.
static bool value_at(MlirValue v, int64_t at, int64_t *is) {
  v = under(v);
  MlirOperation op = sn_definer(v);
  int64_t x, y;
  double number;
  if (sn_attr_number(sn_constant_of(v), &number)) {
    *is = (int64_t)number;
    return true;
  }
  if (sn_is(op, "sinter.index")) {
    *is = at;
    return true;
  }
  if (sn_null(op) || sn_num_operands(op) != 2 || !value_at(sn_operand(op, 0), at, &x) ||
      !value_at(sn_operand(op, 1), at, &y))
    return false;
  if (sn_is(op, "arith.addi"))
    *is = x + y;
  else if (sn_is(op, "arith.subi"))
    *is = x - y;
  else if (sn_is(op, "arith.remui") && x >= 0 && y > 0)
    *is = x % y;
  else if (sn_is(op, "arith.cmpi"))
    *is = compare(sn_int_attr(op, "predicate", 0), x, y);
  else
    return false;
  return true;
}

static bool add_condition(Conditions *c, MlirValue v) {
  MlirOperation both = sn_def(under(v), "arith.andi");
  if (!sn_null(both))
    return add_condition(c, sn_operand(both, 0)) && add_condition(c, sn_operand(both, 1));
  int64_t d = dim_of(c->f, v), size = d < 0 ? 0 : c->f->dims.data[d].size;
  if (d < 0 || size < 1 || size > MOST_PLACES)
    return false;
  if (!c->holds[d]) {
    c->holds[d] = sn_alloc((size_t)size);
    memset(c->holds[d], true, (size_t)size);
  }
  for (int64_t at = 0; at < size; ++at) {
    int64_t is;
    if (!value_at(v, at, &is))
      return false;
    c->holds[d][at] &= is != 0;
  }
  return true;
}

// What the body gives where all conditions hold; elsewhere 0.
static MlirValue chosen(Conditions *c, MlirValue v) {
  for (;;) {
    v = under(v);
    MlirOperation select = sn_def(v, "arith.select");
    if (sn_null(select))
      return v;
    if (!sn_is_constant(sn_operand(select, 2), 0) || !add_condition(c, sn_operand(select, 0)))
      return (MlirValue){0};
    v = sn_operand(select, 1);
  }
}

// A subscript of one dimension at one place of it.
static bool subscript_at(MlirAffineExpr e, int64_t at, int64_t *is) {
  if (mlirAffineExprIsAConstant(e)) {
    *is = mlirAffineConstantExprGetValue(e);
    return true;
  }
  if (mlirAffineExprIsADim(e)) {
    *is = at;
    return true;
  }
  int64_t x, y;
  if (!mlirAffineExprIsABinary(e) || !subscript_at(mlirAffineBinaryOpExprGetLHS(e), at, &x) ||
      !subscript_at(mlirAffineBinaryOpExprGetRHS(e), at, &y))
    return false;
  if (mlirAffineExprIsAAdd(e))
    *is = x + y;
  else if (mlirAffineExprIsAMul(e))
    *is = x * y;
  else if (mlirAffineExprIsAFloorDiv(e) && y > 0)
    *is = x / y - (x % y < 0);
  else
    return false;
  return true;
}

// The places of dimension d that are no zeros are all n elements of what the subscript reads, in order, at one
// distance.
static bool read_places(const Conditions *c, intptr_t d, MlirAffineExpr e, int64_t n, int64_t *first, int64_t *step) {
  int64_t next = 0, last = 0;
  *first = 0;
  *step = 1;
  if (!c->holds[d])
    return mlirAffineExprIsADim(e) && n == c->f->dims.data[d].size;
  for (int64_t at = 0; at < c->f->dims.data[d].size; ++at) {
    int64_t is;
    if (!c->holds[d][at])
      continue;
    if (!subscript_at(e, at, &is) || is != next)
      return false;
    if (next == 0)
      *first = at;
    else if (next == 1)
      *step = at - last;
    else if (at - last != *step)
      return false;
    last = at;
    ++next;
  }
  return next == n && n > 1;
}

// The only dimension that the expression is made of; -1 if there is none such.
static intptr_t only_dim(const SnForm *f, MlirAffineExpr e) {
  intptr_t only = -1;
  for (intptr_t d = 0; d < (intptr_t)f->dims.size; ++d)
    if (mlirAffineExprIsFunctionOfDim(e, d)) {
      if (only >= 0)
        return -1;
      only = d;
    }
  return only;
}

static bool read_access(const Conditions *c, const SnAccess *in, MlirAffineMap out, SnSpaced *to) {
  const SnForm *f = c->f;
  MlirType t = sn_type_of(in->value);
  intptr_t rank = mlirAffineMapGetNumResults(out), place[SN_MAX_DIMS];
  if (in->through.ptr || sn_is_table(in) || sn_rank(t) != rank)
    return false;
  for (size_t d = 0; d < f->dims.size; ++d)
    place[d] = -1;
  for (intptr_t p = 0; p < rank; ++p) {
    intptr_t d = sn_map_dim(out, p);
    if (d < 0)
      return false;
    place[d] = p;
    to->from[p] = -1;
  }
  bool far = false;
  for (intptr_t r = 0; r < rank; ++r) {
    MlirAffineExpr e = mlirAffineMapGetResult(in->map, r);
    intptr_t d = only_dim(f, e), p = d < 0 ? -1 : place[d];
    if (p < 0 || to->from[p] >= 0 || !read_places(c, d, e, sn_dim(t, r), &to->first[p], &to->step[p]))
      return false;
    to->from[p] = r;
    far |= to->step[p] > 1;
  }
  to->value = in->value;
  return far;
}

bool sn_find_spaced(MlirValue v, SnSpaced *to) {
  MlirOperation op = sn_definer(v);
  if (!sn_is(op, "sinter.rowwise"))
    return false;
  SnForm f = sn_form_read(op);
  Conditions c = {.f = &f};
  bool is = sn_is_elementwise_form(&f) && !f.schedule.ptr && !f.indices.size;
  if (is) {
    size_t output = (size_t)mlirOpResultGetResultNumber(v);
    MlirValue element = chosen(&c, sn_operand(mlirBlockGetTerminator(f.body), (intptr_t)output));
    is = false;
    for (size_t k = 0; k < f.inputs.size && !is && !sn_none(element); ++k)
      is = sn_same(element, sn_input_argument(&f, k)) &&
           read_access(&c, &f.inputs.data[k], f.outputs.data[output].map, to);
  }
  for (size_t d = 0; d < f.dims.size; ++d)
    free(c.holds[d]);
  sn_form_free(&f);
  return is;
}

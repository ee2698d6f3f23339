// products.c: a sum of products becomes sinter.contract.
//
//   out[m, n] = out[m, n] + sum over k of A[m, k] * B[k, n]
//     ->  sinter.contract (i) by (j) product (k) (%A[i, k], %B[k, j]) : f32
//
//   out[n, f, y, x] = out[n, f, y, x] + sum over c, p, q of X[n, c, 2 y + p, 2 x + q] * W[f, c, p, q]
//     ->  sinter.contract (i = n, j = f) by (k = y, l = x) product (m = c, n = p, o = q)
//             (%W[j, m, n, o], %X[i, m, k * 2 + n, l * 2 + o]) : f32
//
// Columns are the last dimensions of the result that one side has alone, rows all
// others: of a convolution the channels where these are last, else the pixels. A
// product without a dimension of its own on each side (a dot product, a matrix times a
// vector, a depthwise convolution) is an ordinary reduction. Sides that the body widens
// first stay narrow: the product converts them. f16 and bf16 are summed in f32.
//
// runs in: raise    test: test/passes/raise/products.mlir

#include "passes/raise/raise.h"

typedef enum { NEITHER, LEFT, RIGHT, BOTH } Side;

typedef struct {
  SnView a, b;
  intptr_t output;
  Side side[SN_MAX_DIMS];
} Product;

// What is under exact conversions to wider types of its kind.
static MlirValue narrow(MlirValue v) {
  MlirOperation cast = sn_definer(v);
  return sn_is(cast, "arith.extf") || sn_is(cast, "arith.extsi") ? narrow(sn_operand(cast, 0)) : v;
}

// The input that `v` is an element of, or -1.
static intptr_t input_of(const SnRaise *r, MlirValue v) {
  if (!mlirValueIsABlockArgument(v) || !mlirBlockEqual(mlirBlockArgumentGetOwner(v), r->body))
    return -1;
  intptr_t k = mlirBlockArgumentGetArgNumber(v);
  return k < r->num_inputs ? k : -1;
}

// A view through reshapes forgets which loops its dimensions of size 1 are: a loop of one turn that the input `k` uses
// is the first of them again. A weight of one column is a product's side then, however it is transposed.
static void name_ones(const SnRaise *r, intptr_t k, SnView *v) {
  MlirType t = sn_type_of(v->value);
  intptr_t rank = mlirAffineMapGetNumResults(v->map), at = 0;
  MlirAffineExpr exprs[SN_MAX_DIMS];
  if (v->fill.ptr || rank > SN_MAX_DIMS || !mlirTypeIsARankedTensor(t))
    return;
  for (intptr_t i = 0; i < rank; ++i)
    exprs[i] = mlirAffineMapGetResult(v->map, i);
  for (intptr_t d = 0; d < r->num_loops; ++d) {
    if (r->sizes[d] != 1 || !sn_map_uses(sn_raise_map(r, k), d) || sn_map_uses(v->map, d))
      continue;
    while (at < rank && (sn_dim(t, at) != 1 || !mlirAffineExprIsAConstant(exprs[at])))
      ++at;
    if (at < rank)
      exprs[at++] = mlirAffineDimExprGet(r->ctx, d);
  }
  v->map = mlirAffineMapGet(r->ctx, mlirAffineMapGetNumDims(v->map), mlirAffineMapGetNumSymbols(v->map), rank, exprs);
}

// A loop of one turn over which is summed, of a dimension that a view of one side has no more: a convolution of one tap
// whose weights are converted without their taps. Its place is 0 in both.
static void drop_ones(const SnRaise *r, SnView *a, SnView *b) {
  MlirAffineExpr zero = mlirAffineConstantExprGet(r->ctx, 0);
  for (intptr_t d = 0; d < r->num_loops; ++d) {
    if (r->parallel[d] || r->sizes[d] != 1 || sn_map_uses(a->map, d) == sn_map_uses(b->map, d))
      continue;
    MlirAffineExpr one = mlirAffineDimExprGet(r->ctx, d);
    a->map = mlirAffineMapReplace(a->map, one, zero, r->num_loops, mlirAffineMapGetNumSymbols(a->map));
    b->map = mlirAffineMapReplace(b->map, one, zero, r->num_loops, mlirAffineMapGetNumSymbols(b->map));
  }
}

// out + a * b in any order, of two of the op's inputs.
static bool multiplies(SnRaise *r, Product *p) {
  if (r->num_used != 1)
    return false;
  p->output = r->used[0];
  MlirOperation add = sn_definer(sn_operand(r->yield, p->output));
  if (!sn_is(add, "arith.addf") && !sn_is(add, "arith.addi"))
    return false;
  MlirValue out = sn_raise_out_argument(r, p->output);
  intptr_t at = sn_same(sn_operand(add, 0), out) ? 1 : 0;
  MlirOperation mul = sn_definer(sn_operand(add, at));
  if (!sn_same(sn_operand(add, 1 - at), out) || (!sn_is(mul, "arith.mulf") && !sn_is(mul, "arith.muli")))
    return false;
  intptr_t x = input_of(r, narrow(sn_operand(mul, 0))), y = input_of(r, narrow(sn_operand(mul, 1)));
  if (x < 0 || y < 0)
    return false;
  if (x > y) { // a product reads better in the op's own order
    intptr_t swap = x;
    x = y;
    y = swap;
  }
  p->a = sn_raise_view(sn_operand(r->op, x), sn_raise_map(r, x));
  p->b = sn_raise_view(sn_operand(r->op, y), sn_raise_map(r, y));
  if (p->a.constant.ptr || p->b.constant.ptr)
    return false; // a sum with a factor
  name_ones(r, x, &p->a);
  name_ones(r, y, &p->b);
  drop_ones(r, &p->a, &p->b);
  for (intptr_t d = 0; d < r->num_loops; ++d)
    p->side[d] = (sn_map_uses(p->a.map, d) ? LEFT : 0) | (sn_map_uses(p->b.map, d) ? RIGHT : 0);
  return true;
}

bool sn_raise_is_product(SnRaise *r) {
  Product p;
  bool m = false, n = false, k = false;
  if (!multiplies(r, &p))
    return false;
  for (intptr_t d = 0; d < r->num_loops; ++d) {
    m |= r->parallel[d] && p.side[d] == LEFT;
    n |= r->parallel[d] && p.side[d] == RIGHT;
    k |= !r->parallel[d] && p.side[d] == BOTH;
  }
  return m && n && k;
}

typedef struct {
  intptr_t rows[SN_MAX_DIMS], cols[SN_MAX_DIMS], own[SN_MAX_DIMS];
  intptr_t num_rows, num_cols, num_own;
  Side columns; // which side has them
} Split;

// Each side has more than one row of its own: no vector times a matrix.
static bool is_of_matrices(const SnRaise *r, const Product *p) {
  int sides = 0;
  for (intptr_t i = 0; i < r->num_parallel; ++i)
    sides |= r->sizes[r->order[i]] != 1 && p->side[r->order[i]] != BOTH ? 1 << p->side[r->order[i]] : 0;
  return sides == (1 << LEFT | 1 << RIGHT);
}

// Columns are the last dimensions of the result that one side has alone, as many as stand
// together; not the pixels of images of one pixel. Rows that only the other side has come last: panels of the columns'
// side serve all of them.
static void split(const SnRaise *r, const Product *p, Split *s) {
  intptr_t end = r->num_parallel, first;
  bool matrices = is_of_matrices(r, p);
  while (p->side[r->order[end - 1]] == BOTH || (matrices && r->sizes[r->order[end - 1]] == 1))
    --end;
  s->columns = p->side[r->order[end - 1]];
  for (first = end; first && p->side[r->order[first - 1]] == s->columns;)
    --first;
  for (int other = 0; other < 2; ++other)
    for (intptr_t i = 0; i < r->num_parallel; ++i) {
      bool alone = p->side[r->order[i]] != BOTH && p->side[r->order[i]] != s->columns;
      if ((i < first || i >= end) && alone == other)
        s->rows[s->num_rows++] = r->order[i];
    }
  for (intptr_t i = first; i < end; ++i)
    s->cols[s->num_cols++] = r->order[i];
  for (intptr_t d = 0; d < r->num_loops; ++d)
    if (!r->parallel[d] && p->side[d] == BOTH)
      s->own[s->num_own++] = d;
}

static MlirValue converted(SnBuilder *b, MlirValue v, MlirType to) {
  MlirType from = sn_element(sn_type_of(v));
  if (mlirTypeEqual(from, to))
    return v;
  return sn_row_op(b, sn_bits(from) < sn_bits(to) ? "arith.extf" : "arith.truncf", to, 1, &v);
}

bool sn_raise_contract(SnRaise *r) {
  Product p;
  if (!multiplies(r, &p))
    return false;
  for (intptr_t d = 0; d < r->num_loops; ++d) {
    bool fits = r->parallel[d] || p.side[d] == BOTH;
    if (p.side[d] == NEITHER ? r->sizes[d] != 1 : !fits)
      return sn_no(r->op, "dimension %ld is on one side of the product alone, or on none", (long)d);
  }
  SnView init = sn_raise_view(sn_raise_init(r, p.output), sn_raise_map(r, r->num_inputs + p.output));
  if (init.unwritten)
    return sn_no(r->op, "adds to a destination that nothing has written");
  double number;
  bool added = !sn_attr_number(init.constant, &number) || number != 0;
  MlirType type = sn_type_of(sn_raise_out_argument(r, p.output));
  MlirType wide = sn_is_float(type) && sn_bits(type) < 32 ? mlirF32TypeGet(r->ctx) : type;

  Split s = {0};
  split(r, &p, &s);
  SnForm *f = &r->form;
  f->contract = true;
  sn_raise_layout(r, s.num_rows, s.rows, s.num_cols, s.cols, s.num_own, s.own);
  SnBuilder b = sn_before(r->op);
  sn_raise_input(r, &b, s.columns == RIGHT ? p.a : p.b);
  sn_raise_input(r, &b, s.columns == RIGHT ? p.b : p.a);
  sn_push(&f->products, (SnProduct){s.num_own, wide});
  size_t input = added && !init.constant.ptr ? sn_raise_input(r, &b, init) : 0;
  sn_raise_destination(r, &b, p.output);
  if (!sn_raise_sized(r))
    return false;
  sn_form_create(&b, f, false);

  SnBuilder in = sn_at_end(f->body, b.loc);
  MlirValue v = sn_product_argument(f, 0);
  if (added) {
    MlirValue start = init.constant.ptr ? sn_constant(&in, init.constant) : sn_input_argument(f, input);
    MlirValue both[] = {converted(&in, start, wide), v};
    v = sn_row_op(&in, sn_is_float(wide) ? "arith.addf" : "arith.addi", (MlirType){0}, 2, both);
  }
  sn_op(&in, "sinter.yield", converted(&in, v, type), sn_types(0, NULL));
  sn_raise_replace(r);
  return true;
}

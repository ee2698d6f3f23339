// raise_contract.c: a sum of products becomes sinter.contract.
//
//   out[m, n] = out[m, n] + sum over k of A[m, k] * B[k, n]
//     ->  sinter.contract (i) by (j) product (k) (%A[i, k], %B[k, j]) : f32
//
// Rows are the dimensions of A in the result (and those of both sides: a
// batch), columns those of B alone. A product without a dimension of its own on
// each side (a dot product, a matrix times a vector) is an ordinary reduction.
//
// runs in: raise    test: test/passes/raise_contract.mlir

#include "passes/raise.h"

typedef enum { NEITHER, LEFT, RIGHT, BOTH } Side;

typedef struct {
  SnView a, b;
  Side side[SN_MAX_LOOPS];
} Product;

static bool uses(MlirAffineMap map, intptr_t d) { return sn_map_uses(map, d); }

// out + a * b in any order, of the op's two inputs.
static bool multiplies(SnRaise *r, Product *p) {
  if (r->num_inputs != 2 || r->num_outputs != 1)
    return false;
  MlirOperation add = sn_definer(sn_operand(r->yield, 0));
  if (!sn_is(add, "arith.addf") && !sn_is(add, "arith.addi"))
    return false;
  MlirValue out = sn_raise_out_argument(r, 0);
  intptr_t at = sn_same(sn_operand(add, 0), out) ? 1 : 0;
  MlirOperation mul = sn_definer(sn_operand(add, at));
  if (!sn_same(sn_operand(add, 1 - at), out) || (!sn_is(mul, "arith.mulf") && !sn_is(mul, "arith.muli")))
    return false;
  MlirValue side[2];
  for (intptr_t i = 0; i < 2; ++i) {
    side[i] = sn_operand(mul, i);
    MlirOperation cast = sn_definer(side[i]);
    if (sn_is(cast, "arith.extf") || sn_is(cast, "arith.extsi") || sn_is(cast, "arith.extui") || sn_is(cast, "arith.sitofp"))
      side[i] = sn_operand(cast, 0);
  }
  MlirValue x = mlirBlockGetArgument(r->body, 0), y = mlirBlockGetArgument(r->body, 1);
  if (!(sn_same(side[0], x) && sn_same(side[1], y)) && !(sn_same(side[0], y) && sn_same(side[1], x)))
    return false;
  p->a = sn_raise_view(sn_operand(r->op, 0), sn_raise_map(r, 0));
  p->b = sn_raise_view(sn_operand(r->op, 1), sn_raise_map(r, 1));
  if (p->a.constant.ptr || p->b.constant.ptr)
    return false; // a sum with a factor
  for (intptr_t d = 0; d < r->num_loops; ++d)
    p->side[d] = (uses(p->a.map, d) ? LEFT : 0) | (uses(p->b.map, d) ? RIGHT : 0);
  return true;
}

bool sn_raise_is_product(SnRaise *r) {
  Product p;
  bool m = false, n = false, k = false;
  if (r->num_used != 1 || !multiplies(r, &p))
    return false;
  for (intptr_t d = 0; d < r->num_loops; ++d) {
    m |= r->parallel[d] && p.side[d] == LEFT;
    n |= r->parallel[d] && p.side[d] == RIGHT;
    k |= !r->parallel[d] && p.side[d] == BOTH;
  }
  return m && n && k;
}

// The dimensions of the result that only `cols` has are its last ones.
static bool trailing(const SnRaise *r, const Product *p, Side cols) {
  bool seen = false;
  for (intptr_t i = 0; i < r->num_parallel; ++i) {
    bool is = p->side[r->order[i]] == cols;
    if (seen && !is)
      return false;
    seen = is;
  }
  return seen;
}

bool sn_raise_contract(SnRaise *r) {
  Product p;
  if (!multiplies(r, &p))
    return false;
  MlirType type = sn_type_of(sn_raise_out_argument(r, 0));
  SnView *views[] = {&p.a, &p.b};
  for (int i = 0; i < 2; ++i) {
    MlirType t = sn_element(sn_type_of(views[i]->value));
    if (!mlirTypeIsAF32(t) && !mlirTypeIsAF64(t)) {
      MlirStringRef name = mlirTypeIsABF16(t) ? SN_STR("bf16") : mlirTypeIsAF16(t) ? SN_STR("f16") : SN_STR("integers");
      return sn_no(r->op, "product of %.*s is not raised yet", (int)name.length, name.data);
    }
    if (!mlirTypeEqual(t, type))
      return sn_no(r->op, "the sides of the product are converted before they are multiplied");
    for (intptr_t s = 0; s < mlirAffineMapGetNumResults(views[i]->map); ++s)
      if (sn_map_dim(views[i]->map, s) < 0 && !mlirAffineExprIsAConstant(mlirAffineMapGetResult(views[i]->map, s)))
        return sn_no(r->op, "a subscript of the product is not a dimension");
  }
  intptr_t inner[SN_MAX_LOOPS], own = 0;
  for (intptr_t d = 0; d < r->num_loops; ++d) {
    if (r->parallel[d] ? p.side[d] == NEITHER : p.side[d] != BOTH)
      return sn_no(r->op, "dimension %ld is on one side of the product alone, or on none", (long)d);
    if (!r->parallel[d])
      inner[own++] = d;
  }
  Side columns = trailing(r, &p, RIGHT) ? RIGHT : LEFT;
  if (!trailing(r, &p, columns))
    return sn_no(r->op, "the last dimensions of the product belong to neither side alone");
  SnView init = sn_raise_view(sn_raise_init(r, 0), sn_raise_map(r, 2));
  if (init.unwritten)
    return sn_no(r->op, "adds to a destination that nothing has written");
  double number;
  bool added = !sn_attr_number(init.constant, &number) || number != 0;

  intptr_t cols = 0;
  for (intptr_t i = 0; i < r->num_parallel; ++i)
    cols += p.side[r->order[i]] == columns;
  SnForm *f = &r->form;
  f->contract = true;
  sn_raise_layout(r, r->num_parallel - cols, r->order, cols, r->order + r->num_parallel - cols, own, inner);
  SnBuilder b = sn_before(r->op);
  sn_raise_input(r, &b, columns == RIGHT ? p.a : p.b);
  sn_raise_input(r, &b, columns == RIGHT ? p.b : p.a);
  sn_push(&f->products, (SnProduct){own, type});
  size_t input = added && !init.constant.ptr ? sn_raise_input(r, &b, init) : 0;
  sn_raise_destination(r, &b, 0);
  if (!sn_raise_sized(r))
    return false;
  sn_form_create(&b, f, false);

  SnBuilder in = sn_at_end(f->body, b.loc);
  MlirValue v = sn_product_argument(f, 0);
  if (added) {
    MlirValue both[] = {init.constant.ptr ? sn_constant(&in, init.constant) : sn_input_argument(f, input), v};
    v = sn_row_op(&in, "arith.addf", (MlirType){0}, 2, both);
  }
  sn_op(&in, "sinter.yield", v, sn_types(0, NULL));
  sn_raise_replace(r);
  return true;
}

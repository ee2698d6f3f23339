// attention.c: torch-mlir's attention as products and a softmax.
//
//   tm_tensor.attention ins(%q, %k, %v, %m)  ->  %s = %q %k^T;  %p = %s / sqrt(d) + %m;  softmax;  %p %v
//
// A mask of bools hides where it is false. A row of which all is hidden is 0.
//
// runs in: sinter-prepare    test: test/passes/program/ordinary.mlir

#include "passes/edit/rewrite.h"
#include "passes/program/tensor_steps.h"
#include <math.h>

#define MAX_RANK 16

typedef struct {
  SnBuilder *b;
  intptr_t batch; // dimensions
  MlirType wide;  // what is computed in
  MlirValue q, k, v;
  MlirValue root; // of the depth, where that is not known; else null
  double known_root;
} Attention;

MlirLogicalResult sn_check_attention(MlirOperation op) {
  intptr_t inputs = mlirDenseI32ArrayGetElement(sn_get_attr(op, "operandSegmentSizes"), 0);
  if (inputs < 3 || inputs > 4 || sn_num_operands(op) != inputs + 1 || sn_num_results(op) != 1)
    return sn_error(op,
                    "has %td inputs and %td destinations; expected query, key, value, a mask or none, and one "
                    "destination",
                    inputs, sn_num_operands(op) - inputs);
  intptr_t rank = sn_rank(sn_type_of(sn_operand(op, 0)));
  if (rank < 2 || rank > MAX_RANK)
    return sn_error(op, "has a query of %td dimensions; 2 to %d are known", rank, MAX_RANK);
  for (intptr_t k = 0; k <= inputs; ++k) {
    MlirType t = sn_type_of(sn_operand(op, k));
    bool mask = inputs == 4 && k == 3;
    if (sn_rank(t) != rank ||
        !(sn_is_float(sn_element(t)) || (mask && sn_is_int(sn_element(t)) && sn_bits(sn_element(t)) == 1)))
      return sn_error(op, "has operand %td of another rank than the query, or of elements that are no floats", k);
  }
  return SN_OK;
}

// affine_map<(batch.., m, n, d) -> (batch.., those of `last`)>; loops are batch, then m, n, d as far as `loops` says.
static MlirAttribute map(const Attention *a, intptr_t loops, const char *last) {
  MlirAffineExpr to[MAX_RANK + 3];
  intptr_t n = 0;
  for (; n < a->batch; ++n)
    to[n] = mlirAffineDimExprGet(a->b->ctx, n);
  for (const char *c = last; *c; ++c)
    to[n++] = mlirAffineDimExprGet(a->b->ctx, a->batch + (*c - '0'));
  return mlirAffineMapAttrGet(mlirAffineMapGet(a->b->ctx, a->batch + loops, 0, n, to));
}

typedef MlirValue (*Body)(SnBuilder *b, const Attention *a, const MlirValue *x);

// Over batch and `loops` more, of which those in `sums` are summed (or whatever the body does) into `out`.
static MlirValue generic(const Attention *a, intptr_t loops, const char *sums, intptr_t n, const MlirValue *in,
                         const char *const *maps, MlirValue out, const char *out_map, Body body) {
  SnBuilder *b = a->b;
  MlirAttribute all_maps[5], kinds[MAX_RANK + 3];
  MlirValue operands[5];
  MlirType types[5];
  MlirLocation locs[] = {b->loc, b->loc, b->loc, b->loc, b->loc};
  for (intptr_t k = 0; k <= n; ++k) {
    operands[k] = k < n ? in[k] : out;
    all_maps[k] = map(a, loops, k < n ? maps[k] : out_map);
    types[k] = sn_element(sn_type_of(operands[k]));
  }
  for (intptr_t d = 0; d < a->batch + loops; ++d)
    kinds[d] = sn_parse_attr(b->ctx, "#linalg.iterator_type<%s>",
                             d >= a->batch && strchr(sums, (int)('0' + d - a->batch)) ? "reduction" : "parallel");
  MlirBlock block = mlirBlockCreate(n + 1, types, locs);
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, block);
  SnBuilder inside = sn_at_end(block, b->loc);
  MlirValue x[5];
  for (intptr_t k = 0; k <= n; ++k) {
    x[k] = mlirBlockGetArgument(block, k);
    if (sn_is_float(types[k]) && sn_bits(types[k]) < sn_bits(a->wide))
      x[k] = sn(&inside, "arith.extf", x[k], a->wide);
  }
  MlirValue y = body(&inside, a, x);
  if (sn_bits(types[n]) < sn_bits(a->wide)) // a product's sum is of the wide type already
    y = sn(&inside, "arith.truncf", y, types[n]);
  sn_op(&inside, "linalg.yield", y, sn_types(0, NULL));
  int32_t segments[] = {(int32_t)n, 1};
  return sn(b, "linalg.generic", sn_values(n + 1, operands), sn_type_of(out), region,
            sn_attr("indexing_maps", mlirArrayAttrGet(b->ctx, n + 1, all_maps)),
            sn_attr("iterator_types", mlirArrayAttrGet(b->ctx, a->batch + loops, kinds)),
            sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b->ctx, 2, segments)));
}

// Batch and these dimensions of q, k or v, as in q1, k0; `fill` or nothing in it.
static MlirValue destination(const Attention *a, intptr_t n, const MlirValue *of, const intptr_t *dims,
                             const double *fill) {
  SnBuilder *b = a->b;
  int64_t shape[MAX_RANK];
  SnValueVec sizes = {0};
  for (intptr_t d = 0; d < a->batch + n; ++d) {
    MlirValue from = d < a->batch ? a->q : of[d - a->batch];
    intptr_t p = d < a->batch ? d : a->batch + dims[d - a->batch];
    if ((shape[d] = sn_dim(sn_type_of(from), p)) == SN_DYNAMIC)
      sn_push(&sizes, sn(b, "tensor.dim", from, sn_index(b, p), sn_index_type(b->ctx)));
  }
  MlirValue e =
      sn(b, "tensor.empty", sn_values((intptr_t)sizes.size, sizes.data), sn_tensor(a->wide, a->batch + n, shape));
  sn_vec_free(&sizes);
  if (!fill)
    return e;
  MlirType t = a->wide;
  MlirLocation locs[] = {b->loc, b->loc};
  MlirBlock block = mlirBlockCreate(2, (MlirType[]){t, t}, locs);
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, block);
  SnBuilder in = sn_at_end(block, b->loc);
  sn_op(&in, "linalg.yield", mlirBlockGetArgument(block, 0), sn_types(0, NULL));
  return sn(b, "linalg.fill", sn_float(b, t, *fill), e, sn_type_of(e), region,
            sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b->ctx, 2, (int32_t[]){1, 1})));
}

static MlirValue multiply_add(SnBuilder *b, const Attention *a, const MlirValue *x) {
  return sn(b, "arith.addf", x[2], sn(b, "arith.mulf", x[0], x[1]));
}
static MlirValue scale(SnBuilder *b, const Attention *a, const MlirValue *x) {
  MlirValue root = sn_none(a->root) ? sn_float(b, a->wide, a->known_root) : a->root;
  return sn(b, "arith.divf", x[0], root);
}
static MlirValue add_mask(SnBuilder *b, const Attention *a, const MlirValue *x) {
  MlirValue m = x[1];
  if (!sn_is_float(sn_type_of(m)))
    m = sn(b, "arith.select", m, sn_float(b, a->wide, 0), sn_float(b, a->wide, -INFINITY));
  return sn(b, "arith.addf", x[0], m);
}
static MlirValue larger(SnBuilder *b, const Attention *a, const MlirValue *x) {
  return sn(b, "arith.maximumf", x[1], x[0]);
}
static MlirValue exponential(SnBuilder *b, const Attention *a, const MlirValue *x) {
  return sn(b, "math.exp", sn(b, "arith.subf", x[0], x[1]));
}
static MlirValue add(SnBuilder *b, const Attention *a, const MlirValue *x) { return sn(b, "arith.addf", x[1], x[0]); }
static MlirValue unless_hidden(SnBuilder *b, const Attention *a, const MlirValue *x) {
  MlirValue hidden =
      sn(b, "arith.cmpf", x[1], sn_float(b, a->wide, -INFINITY), sn_attr("predicate", sn_i64(b->ctx, 1 /* oeq */)));
  return sn(b, "arith.select", hidden, sn_float(b, a->wide, 0), x[0]);
}
static MlirValue as_it_is(SnBuilder *b, const Attention *a, const MlirValue *x) { return x[0]; }

static MlirValue divide(SnBuilder *b, const Attention *a, const MlirValue *x) {
  return sn(b, "arith.divf", x[0], x[1]);
}

static void find_root(Attention *a) {
  SnBuilder *b = a->b;
  int64_t known = sn_dim(sn_type_of(a->q), a->batch + 1);
  a->known_root = sqrt((double)known);
  if (known != SN_DYNAMIC)
    return;
  MlirValue n = sn(b, "tensor.dim", a->q, sn_index(b, a->batch + 1), sn_index_type(b->ctx));
  n = sn(b, "arith.index_cast", n, mlirIntegerTypeGet(b->ctx, 64));
  a->root = sn(b, "math.sqrt", sn(b, "arith.sitofp", n, a->wide));
}

bool sn_attention_linalg(SnBuilder *b, MlirRewriterBase base, MlirOperation op) {
  MlirValue out = sn_operand(op, sn_num_operands(op) - 1);
  MlirType element = sn_element(sn_type_of(out));
  Attention a = {.b = b,
                 .batch = sn_rank(sn_type_of(out)) - 2,
                 .wide = sn_bits(element) < 32 ? mlirF32TypeGet(b->ctx) : element,
                 .q = sn_operand(op, 0),
                 .k = sn_operand(op, 1),
                 .v = sn_operand(op, 2)};
  find_root(&a);
  const double zero = 0, least = -INFINITY;
  const MlirValue keys[] = {a.q, a.k}, values[] = {a.q, a.v};
  const intptr_t firsts[] = {0, 0}, result[] = {0, 1};
  const char *const whole[] = {"01", "0", "01"}, *const products[][2] = {{"02", "12"}, {"02", "21"}};
  MlirValue s = destination(&a, 2, keys, firsts, &zero), e = destination(&a, 2, keys, firsts, NULL), both[2];
  s = generic(&a, 3, "2", 2, (MlirValue[]){a.q, a.k}, products[0], s, "01", multiply_add);
  s = generic(&a, 2, "", 1, &s, whole, e, "01", scale);
  if (sn_num_operands(op) == 5) {
    both[0] = s;
    both[1] = sn_operand(op, 3);
    s = generic(&a, 2, "", 2, both, (const char *const[]){"01", "01"}, e, "01", add_mask);
  }
  MlirValue m = generic(&a, 2, "1", 1, &s, whole, destination(&a, 1, keys, firsts, &least), "0", larger);
  both[0] = s;
  both[1] = m;
  MlirValue p = generic(&a, 2, "", 2, both, whole, e, "01", exponential);
  both[0] = p;
  both[1] = generic(&a, 2, "1", 1, &p, whole, destination(&a, 1, keys, firsts, &zero), "0", add);
  both[0] = p = generic(&a, 2, "", 2, both, whole, e, "01", divide);
  both[1] = m;
  if (sn_num_operands(op) == 5)
    both[0] = generic(&a, 2, "", 2, both, whole, e, "01", unless_hidden);
  both[1] = a.v;
  MlirValue y = destination(&a, 2, values, result, &zero);
  y = generic(&a, 3, "2", 2, both, products[1], y, "01", multiply_add);
  if (!mlirTypeEqual(sn_type_of(y), sn_type_of(out)))
    y = generic(&a, 2, "", 1, &y, whole, out, "01", as_it_is);
  mlirRewriterBaseReplaceOpWithValues(base, op, 1, &y);
  return true;
}

// philox.c: random numbers by seed and position.
//
//   %u = sinter.random %seed[%i, %j]   ->   Philox 4x32-10 in arith, on lanes of 64 bits that hold 32
//
// A round is two products of 32 by 32 bits, each in a lane of 64: one instruction on a CPU's vectors (vpmuludq) and on
// a GPU (mul.wide.u32). Four vectors that are 16 columns apart, in 64 that begin at a multiple of 64, ask for the four
// words of the same calls: LLVM sees that their counters are equal, and the calls are made once. A thread of a GPU has
// such columns, too, where rows lie as products make them; its words are of 32 bits, so that xors and sums are one
// instruction each.
//
// Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3 (SC 2011). dialect/Sinter.td says what the
// counter is.
//
// runs in: sinter-cpu, sinter-lower-gpu    test: test/passes/math/philox.mlir, and test/run/random.test against NumPy

#include "passes/math/math.h"

enum { ROUNDS = 10, NE = 1 };

static const int64_t factors[] = {0xD2511F53, 0xCD9E8D57}, steps[] = {0x9E3779B9, 0xBB67AE85};

// The operation in lanes: of the type of a 64-bit integer in each.
typedef struct {
  SnBuilder b;
  MlirType t;
} Lanes;

static MlirType lanes_like(MlirType t, MlirType element) {
  return mlirTypeIsAVector(t) ? sn_vector(element, sn_dim(t, 0)) : element;
}
static MlirValue number(Lanes *l, int64_t v) { return sn_splat(&l->b, l->t, mlirIntegerAttrGet(sn_element(l->t), v)); }
static MlirValue both(Lanes *l, const char *name, MlirValue x, MlirValue y) { return sn(&l->b, name, x, y); }
static MlirValue with(Lanes *l, const char *name, MlirValue x, int64_t y) { return both(l, name, x, number(l, y)); }
static MlirValue low(Lanes *l, MlirValue x) { return with(l, "arith.andi", x, UINT32_MAX); }
static MlirValue high(Lanes *l, MlirValue x) { return with(l, "arith.shrui", x, 32); }

static MlirValue widened(Lanes *l, MlirValue x) {
  MlirType e = sn_element(sn_type_of(x));
  if (mlirTypeIsAIndex(e))
    return sn(&l->b, "arith.index_cast", x, l->t);
  return sn_bits(e) < 64 ? sn(&l->b, "arith.extsi", x, l->t) : x;
}

// In lanes of 64 bits, of which 32 count.
static void philox(Lanes *l, MlirValue c[4], MlirValue key[2]) {
  for (int round = 0; round < ROUNDS; ++round) {
    MlirValue p = with(l, "arith.muli", c[0], factors[0]), q = with(l, "arith.muli", c[2], factors[1]);
    c[0] = both(l, "arith.xori", both(l, "arith.xori", high(l, q), c[1]), key[0]);
    c[2] = both(l, "arith.xori", both(l, "arith.xori", high(l, p), c[3]), key[1]);
    c[1] = low(l, q);
    c[3] = low(l, p);
    for (int k = 0; k < 2 && round + 1 < ROUNDS; ++k)
      key[k] = low(l, with(l, "arith.addi", key[k], steps[k]));
  }
}

// In lanes of 32 bits, `l` being of these, but for the products, which are of the type `wide`.
static void narrow_philox(Lanes *l, MlirType wide, MlirValue c[4], MlirValue key[2]) {
  Lanes w = {l->b, wide};
  for (int round = 0; round < ROUNDS; ++round) {
    MlirValue upper[2], lower[2];
    for (int k = 0; k < 2; ++k) {
      MlirValue x = with(&w, "arith.muli", sn(&l->b, "arith.extui", c[2 * k], wide), factors[k]);
      upper[k] = sn(&l->b, "arith.trunci", high(&w, x), l->t);
      lower[k] = sn(&l->b, "arith.trunci", x, l->t);
    }
    c[0] = both(l, "arith.xori", both(l, "arith.xori", upper[1], c[1]), key[0]);
    c[2] = both(l, "arith.xori", both(l, "arith.xori", upper[0], c[3]), key[1]);
    c[1] = lower[1];
    c[3] = lower[0];
    for (int k = 0; k < 2 && round + 1 < ROUNDS; ++k)
      key[k] = with(l, "arith.addi", key[k], steps[k]);
  }
}

// words[n]
static MlirValue chosen(Lanes *l, const MlirValue words[4], MlirValue n) {
  MlirValue bits[2];
  for (int k = 0; k < 2; ++k)
    bits[k] = sn(&l->b, "arith.cmpi", with(l, "arith.andi", n, 1 << k), number(l, 0),
                 sn_attr("predicate", sn_i64(l->b.ctx, NE)));
  MlirValue of_two[2];
  for (int k = 0; k < 2; ++k)
    of_two[k] = sn(&l->b, "arith.select", bits[0], words[2 * k + 1], words[2 * k]);
  return sn(&l->b, "arith.select", bits[1], of_two[1], of_two[0]);
}

// x + c, of an index, without the multiples of 16 in c.
static MlirValue without_sixteens(Lanes *l, MlirValue x) {
  MlirOperation add = sn_def(x, "arith.addi");
  double c = 0;
  if (sn_null(add) || !sn_attr_number(sn_constant_of(sn_operand(add, 1)), &c) || c < 16)
    return x;
  int64_t left = (int64_t)c % 16;
  return left ? sn(&l->b, "arith.addi", sn_operand(add, 0), sn_index(&l->b, left)) : sn_operand(add, 0);
}

// j & 15, as the same operations on the same values for columns that are 16 apart, so that it is seen to be equal:
// j is x + c, or on lanes broadcast (x + c) + [0, 1, ...].
static MlirValue column_of_call(Lanes *l, MlirValue operand, MlirValue j) {
  MlirOperation cast = sn_def(operand, "arith.index_cast");
  MlirValue x = sn_null(cast) ? operand : sn_operand(cast, 0), moved = x;
  MlirOperation add = sn_def(x, "arith.addi"),
                first = sn_null(add) ? add : sn_def(sn_operand(add, 0), "vector.broadcast");
  if (mlirTypeIsAIndex(sn_type_of(x)))
    moved = without_sixteens(l, x);
  else if (!sn_null(first) && mlirTypeIsAIndex(sn_type_of(sn_operand(first, 0))))
    moved =
        sn(&l->b, "arith.addi", sn(&l->b, "vector.broadcast", without_sixteens(l, sn_operand(first, 0)), sn_type_of(x)),
           sn_operand(add, 1));
  return with(l, "arith.andi", sn_same(moved, x) ? j : widened(l, moved), 15);
}

static MlirValue random_number(MlirOperation op, bool narrow) {
  MlirType y = sn_type_of(sn_result(op, 0));
  MlirContext ctx = mlirOperationGetContext(op);
  Lanes l = {sn_before(op), lanes_like(y, mlirIntegerTypeGet(ctx, 64))};
  MlirType words = lanes_like(y, mlirIntegerTypeGet(ctx, 32)), wide = l.t;
  MlirValue seed = widened(&l, sn_operand(op, 0)), i = widened(&l, sn_operand(op, 1)),
            j = widened(&l, sn_operand(op, 2));
  MlirValue call = with(&l, "arith.shli", with(&l, "arith.shrsi", j, 6), 4);
  call = both(&l, "arith.ori", call, column_of_call(&l, sn_operand(op, 2), j));
  MlirValue c[] = {low(&l, call), high(&l, call), low(&l, i), high(&l, i)}, key[] = {low(&l, seed), high(&l, seed)},
            which = with(&l, "arith.shrui", j, 4), word;
  if (narrow) {
    for (int k = 0; k < 4; ++k)
      c[k] = sn(&l.b, "arith.trunci", c[k], words);
    for (int k = 0; k < 2; ++k)
      key[k] = sn(&l.b, "arith.trunci", key[k], words);
    l.t = words;
    narrow_philox(&l, wide, c, key);
    word = chosen(&l, c, sn(&l.b, "arith.trunci", which, words));
  } else {
    philox(&l, c, key);
    word = sn(&l.b, "arith.trunci", chosen(&l, c, which), words);
  }
  if (!sn_is_float(sn_element(y)))
    return word;
  l.t = words;
  MlirValue upper = sn(&l.b, "arith.sitofp", with(&l, "arith.shrui", word, 8), y);
  return sn(&l.b, "arith.mulf", upper, sn_splat(&l.b, y, mlirFloatAttrDoubleGet(ctx, sn_element(y), 0x1p-24)));
}

void sn_math_random(MlirOperation root, bool narrow) {
  SnOpVec ops = sn_collect(root, "sinter.random");
  for (size_t k = 0; k < ops.size; ++k) {
    mlirValueReplaceAllUsesOfWith(sn_result(ops.data[k], 0), random_number(ops.data[k], narrow));
    mlirOperationDestroy(ops.data[k]);
  }
  sn_vec_free(&ops);
}

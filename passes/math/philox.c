// philox.c: random numbers by seed and position.
//
//   %u = sinter.random %seed[%i, %j]   ->   Philox 4x32-10 in arith, on lanes of 64 bits that hold 32
//
// A round is two products of 32 by 32 bits, each in a lane of 64: one instruction on a CPU's vectors (vpmuludq) and on
// a GPU (mul.wide.u32). Four vectors that are 16 columns apart, in 64 that begin at a multiple of 64, ask for the four
// words of the same calls: LLVM sees that their counters are equal, and the calls are made once.
//
// Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3 (SC 2011). dialect/Sinter.td says what the
// counter is.
//
// runs in: sinter-cpu, sinter-lower-gpu    test: test/passes/math/philox.mlir, and test/run/random.test against NumPy

#include "passes/math/math.h"

enum { ROUNDS = 10, NE = 1 };

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

static void philox(Lanes *l, MlirValue c[4], MlirValue key[2]) {
  static const int64_t factors[] = {0xD2511F53, 0xCD9E8D57}, steps[] = {0x9E3779B9, 0xBB67AE85};
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

static MlirValue random_number(MlirOperation op) {
  MlirType y = sn_type_of(sn_result(op, 0));
  MlirContext ctx = mlirOperationGetContext(op);
  Lanes l = {sn_before(op), lanes_like(y, mlirIntegerTypeGet(ctx, 64))};
  MlirValue seed = widened(&l, sn_operand(op, 0)), i = widened(&l, sn_operand(op, 1)),
            j = widened(&l, sn_operand(op, 2));
  MlirValue call = with(&l, "arith.shli", with(&l, "arith.shrsi", j, 6), 4);
  call = both(&l, "arith.ori", call, with(&l, "arith.andi", j, 15));
  MlirValue c[] = {low(&l, call), high(&l, call), low(&l, i), high(&l, i)}, key[] = {low(&l, seed), high(&l, seed)};
  philox(&l, c, key);
  MlirType words = lanes_like(y, mlirIntegerTypeGet(ctx, 32));
  MlirValue word = sn(&l.b, "arith.trunci", chosen(&l, c, with(&l, "arith.shrui", j, 4)), words);
  if (!sn_is_float(sn_element(y)))
    return word;
  l.t = words;
  MlirValue upper = sn(&l.b, "arith.sitofp", with(&l, "arith.shrui", word, 8), y);
  return sn(&l.b, "arith.mulf", upper, sn_splat(&l.b, y, mlirFloatAttrDoubleGet(ctx, sn_element(y), 0x1p-24)));
}

void sn_math_random(MlirOperation root) {
  SnOpVec ops = sn_collect(root, "sinter.random");
  for (size_t k = 0; k < ops.size; ++k) {
    mlirValueReplaceAllUsesOfWith(sn_result(ops.data[k], 0), random_number(ops.data[k]));
    mlirOperationDestroy(ops.data[k]);
  }
  sn_vec_free(&ops);
}

// short_floats.c: floats of 8 bits are what memory holds; arithmetic is of f32.
//
//   arith.extf %x : f8E5M2 to f32      ->   its bits are the upper half of an f16's: shifted, then widened
//   arith.extf %x : f8E4M3FN to f32    ->   bits of an f16 that is 2^8 too small, widened, times 2^8; of seven ones a
//   NaN arith.truncf %x : f32 to f8...     ->   integers, as below; f64 and f16 come by way of f32
//
// Rounding is to the nearest, of two to the even one, and as PyTorch's .to() (2.13): beyond the largest number f8E5M2
// has infinities, and f8E4M3FN, which has none, its largest number, of infinities too.
//
// A number whose exponent the type has is shifted to its place, and half of a last bit's worth, less one where the bit
// is even, is added first: a carry goes into the exponent, where it should. One below is added to a power of two whose
// last bit is the smallest number's: the processor rounds it.
//
//   arith.extf %x : vector<8xbf16> to vector<8xf32>   ->   on a GPU, lower and upper halves of four words of 32 bits
//
// From sm_89 on a GPU converts pairs by one instruction. It gives the largest number where there are infinities, too:
// the next in the order of bits is meant.
//
// runs in: sinter-cpu, sinter-gpu    test: test/passes/math/short_floats.mlir, test/run/float8.test against PyTorch

#include "capi/pass.h"
#include "target/chips.h"
#include <math.h>
#include <stdio.h>

typedef struct {
  const char *chip;
} Options;

static const SnOption options[] = {
    {SN_OPTION_STRING, "chip", "a GPU's architecture, as ptxas names it; empty: a CPU", "", NULL,
     offsetof(Options, chip)},
    {0},
};

// What of a format the conversions need.
typedef struct {
  int digits;        // of the fraction, which are stored
  int bias;          // of the exponent
  uint32_t beyond;   // f32's bits of the least number that is rounded beyond the largest of the type
  int64_t overflow;  // what is there instead
  const char *pairs; // as PTX names two
} Format;

static const Format e4m3 = {3, 7, 0x43e80001, 0x7e, "e4m3x2"}, e5m2 = {2, 15, 0x47700000, 0x7c, "e5m2x2"};

enum { EQ = 0, ULT = 6, ULE = 7, UGT = 8, UGE = 9 };
enum { F32_DIGITS = 23, F32_BIAS = 127, F32_INFINITY = 0x7f800000, NAN_OF_8 = 0x7f, MOST_LANES = 64 };

static const Format *format_of(MlirType t) {
  return mlirTypeIsAFloat8E4M3FN(sn_element(t)) ? &e4m3 : mlirTypeIsAFloat8E5M2(sn_element(t)) ? &e5m2 : NULL;
}

// The type with other elements: a scalar, or a vector of the same shape.
static MlirType with(MlirType t, MlirType element) {
  int64_t shape[SN_MAX_DIMS];
  if (!mlirTypeIsAVector(t))
    return element;
  for (intptr_t i = 0; i < sn_rank(t); ++i)
    shape[i] = sn_dim(t, i);
  return mlirVectorTypeGet(sn_rank(t), shape, element);
}
static MlirType ints(SnBuilder *b, MlirType t, unsigned bits) { return with(t, mlirIntegerTypeGet(b->ctx, bits)); }

static MlirValue number(SnBuilder *b, MlirType t, int64_t v) {
  return sn_splat(b, t, mlirIntegerAttrGet(sn_element(t), v));
}
static MlirValue with_number(SnBuilder *b, const char *op, MlirValue x, int64_t v) {
  return sn(b, op, x, number(b, sn_type_of(x), v));
}
static MlirValue compare(SnBuilder *b, int predicate, MlirValue x, int64_t v) {
  return sn(b, "arith.cmpi", x, number(b, sn_type_of(x), v), sn_attr("predicate", sn_i64(b->ctx, predicate)));
}
static MlirValue real(SnBuilder *b, MlirType t, double v) {
  return sn_splat(b, t, mlirFloatAttrDoubleGet(b->ctx, sn_element(t), v));
}

// ---- to f32 --------------------------------------------------------------------------------------

static MlirValue widened(SnBuilder *b, MlirValue x) {
  MlirType t = sn_type_of(x), f32 = with(t, mlirF32TypeGet(b->ctx)), f16 = with(t, mlirF16TypeGet(b->ctx));
  const Format *f = format_of(t);
  MlirValue bits = sn(b, "arith.bitcast", x, ints(b, t, 8)), wide = sn(b, "arith.extui", bits, ints(b, t, 16));
  if (f == &e5m2)
    return sn(b, "arith.extf", sn(b, "arith.bitcast", with_number(b, "arith.shli", wide, 8), f16), f32);
  MlirValue sign = with_number(b, "arith.shli", with_number(b, "arith.andi", wide, 0x80), 8),
            size = with_number(b, "arith.andi", wide, 0x7f),
            half = sn(b, "arith.ori", sign, with_number(b, "arith.shli", size, 7)),
            y = sn(b, "arith.mulf", sn(b, "arith.extf", sn(b, "arith.bitcast", half, f16), f32), real(b, f32, 256));
  return sn(b, "arith.select", compare(b, EQ, size, NAN_OF_8), real(b, f32, NAN), y);
}

// ---- from f32 ------------------------------------------------------------------------------------

static MlirValue narrowed(SnBuilder *b, MlirValue x, MlirType to) {
  MlirType t = sn_type_of(x), i32 = ints(b, t, 32);
  const Format *f = format_of(to);
  int drop = F32_DIGITS - f->digits, shift = F32_BIAS - f->bias;
  MlirValue all = sn(b, "arith.bitcast", x, i32), size = with_number(b, "arith.andi", all, 0x7fffffff),
            sign = with_number(b, "arith.andi", with_number(b, "arith.shrui", all, 24), 0x80);

  MlirValue odd = with_number(b, "arith.andi", with_number(b, "arith.shrui", size, drop), 1),
            half = with_number(b, "arith.addi", odd, (1 << (drop - 1)) - 1 - ((int64_t)shift << F32_DIGITS)),
            normal = with_number(b, "arith.shrui", sn(b, "arith.addi", size, half), drop);

  // 2^(1 - bias - digits) is the smallest number, and the last bit of this power of two.
  int64_t power = (int64_t)(F32_BIAS + 1 - f->bias - f->digits + F32_DIGITS) << F32_DIGITS;
  MlirValue magic = sn(b, "arith.bitcast", number(b, i32, power), t),
            sum = sn(b, "arith.addf", sn(b, "arith.bitcast", size, t), magic),
            small = with_number(b, "arith.subi", sn(b, "arith.bitcast", sum, i32), power);

  MlirValue y = sn(b, "arith.select", compare(b, ULT, size, (int64_t)(shift + 1) << F32_DIGITS), small, normal);
  y = sn(b, "arith.select", compare(b, UGE, size, f->beyond), number(b, i32, f->overflow), y);
  y = sn(b, "arith.select", compare(b, UGT, size, F32_INFINITY), number(b, i32, NAN_OF_8), y);
  y = sn(b, "arith.trunci", sn(b, "arith.ori", y, sign), ints(b, t, 8));
  return sn(b, "arith.bitcast", y, to);
}

// ---- pairs, by PTX -------------------------------------------------------------------------------

static MlirValue ptx(SnBuilder *b, const char *text, const char *constraints, SnValues operands, MlirType result) {
  return sn(b, "llvm.inline_asm", operands, result, sn_attr("asm_string", sn_string(b->ctx, text)),
            sn_attr("constraints", sn_string(b->ctx, constraints)));
}

// Of a vector or a scalar: so many of them.
static int64_t lanes_of(MlirType t) { return mlirTypeIsAVector(t) ? sn_dim(t, 0) : 1; }

// vector<n x t> of n scalars.
static MlirValue joined(SnBuilder *b, const MlirValue *x, int64_t n) {
  return sn(b, "vector.from_elements", sn_values(n, x), sn_vector(sn_type_of(x[0]), n));
}
static MlirValue lane(SnBuilder *b, MlirValue v, int64_t i) {
  return sn(b, "vector.extract", v, sn_element(sn_type_of(v)),
            sn_attr("static_position", mlirDenseI64ArrayGet(b->ctx, 1, &i)));
}

// Vectors have an even number of lanes; of a scalar the other one of the pair is 0.
static MlirValue widened_pairs(SnBuilder *b, MlirValue x) {
  MlirType t = sn_type_of(x), i8 = mlirIntegerTypeGet(b->ctx, 8), i16 = mlirIntegerTypeGet(b->ctx, 16),
           f32 = with(t, mlirF32TypeGet(b->ctx)), i32 = mlirIntegerTypeGet(b->ctx, 32), f16 = mlirF16TypeGet(b->ctx);
  MlirValue bits = sn(b, "arith.bitcast", x, with(t, i8)), pairs[MOST_LANES];
  int64_t n = lanes_of(t);
  char text[60];
  snprintf(text, sizeof text, "cvt.rn.f16x2.%s $0, $1;", format_of(t)->pairs);
  if (n > 1)
    bits = sn(b, "vector.bitcast", bits, sn_vector(i16, n / 2));
  for (int64_t i = 0; i < n; i += 2) {
    MlirValue pair = n > 1 ? lane(b, bits, i / 2) : sn(b, "arith.extui", bits, i16);
    pairs[i / 2] = ptx(b, text, "=r,h", sn_values(1, &pair), i32);
  }
  x = n > 1 ? sn(b, "vector.bitcast", joined(b, pairs, n / 2), sn_vector(f16, n))
            : sn(b, "arith.bitcast", sn(b, "arith.trunci", pairs[0], i16), f16);
  return sn(b, "arith.extf", x, f32);
}

static MlirValue narrowed_pairs(SnBuilder *b, MlirValue x, MlirType to) {
  MlirType t = sn_type_of(x), i8 = mlirIntegerTypeGet(b->ctx, 8), i16 = mlirIntegerTypeGet(b->ctx, 16),
           i32 = ints(b, t, 32);
  MlirValue pairs[MOST_LANES], y, zero = real(b, mlirF32TypeGet(b->ctx), 0);
  const Format *f = format_of(to);
  int64_t n = lanes_of(t);
  char text[60];
  snprintf(text, sizeof text, "cvt.rn.satfinite.%s.f32 $0, $1, $2;", f->pairs);
  for (int64_t i = 0; i < n; i += 2) {
    MlirValue both[] = {n > 1 ? lane(b, x, i + 1) : zero, n > 1 ? lane(b, x, i) : x}; // the upper one first
    pairs[i / 2] = ptx(b, text, "=h,f,f", sn_values(2, both), i16);
  }
  y = n > 1 ? sn(b, "vector.bitcast", joined(b, pairs, n / 2), sn_vector(i8, n)) : sn(b, "arith.trunci", pairs[0], i8);
  if (f == &e4m3)
    return sn(b, "arith.bitcast", y, to);
  MlirValue size = with_number(b, "arith.andi", sn(b, "arith.bitcast", x, i32), 0x7fffffff),
            above = with_number(b, "arith.subi", size, f->beyond),
            is_beyond = compare(b, ULE, above, F32_INFINITY - (int64_t)f->beyond);
  y = sn(b, "arith.addi", y, sn(b, "arith.extui", is_beyond, with(t, i8)));
  return sn(b, "arith.bitcast", y, to);
}

static bool by_pairs(MlirType t) {
  return !mlirTypeIsAVector(t) || (sn_rank(t) == 1 && sn_dim(t, 0) % 2 == 0 && sn_dim(t, 0) <= MOST_LANES);
}

// ---- all of them ---------------------------------------------------------------------------------

static MlirValue to_f32(SnBuilder *b, MlirValue x) {
  MlirType t = sn_type_of(x), f32 = with(t, mlirF32TypeGet(b->ctx));
  unsigned bits = sn_bits(sn_element(t));
  return bits == 32 ? x : sn(b, bits < 32 ? "arith.extf" : "arith.truncf", x, f32);
}

static void convert(MlirOperation op, bool ptx) {
  SnBuilder b = sn_before(op);
  MlirValue x = sn_operand(op, 0), y;
  MlirType to = sn_type_of(sn_result(op, 0));
  unsigned bits = sn_bits(sn_element(to));
  ptx &= by_pairs(to);
  if (format_of(sn_type_of(x)))
    x = ptx ? widened_pairs(&b, x) : widened(&b, x);
  if (format_of(to))
    y = ptx ? narrowed_pairs(&b, to_f32(&b, x), to) : narrowed(&b, to_f32(&b, x), to);
  else
    y = bits == 32 ? x : sn(&b, bits < 32 ? "arith.truncf" : "arith.extf", x, to);
  mlirValueReplaceAllUsesOfWith(sn_result(op, 0), y);
  mlirOperationDestroy(op);
}

// A GPU takes a word of two bf16 apart by a shift and a mask; by elements the upper one takes a move and a shift. Of
// vectors whose words are in registers already.
static bool has_words(MlirOperation extf) {
  MlirValue x = sn_operand(extf, 0);
  MlirType t = sn_type_of(x);
  MlirOperation made = sn_definer(x);
  return mlirTypeIsAVector(t) && sn_rank(t) == 1 && sn_dim(t, 0) % 2 == 0 && mlirTypeIsABF16(sn_element(t)) &&
         mlirTypeIsAF32(sn_element(sn_type_of(sn_result(extf, 0)))) && !sn_null(made) &&
         (sn_is(made, "vector.load") || sn_is(made, "vector.bitcast") || sn_is(made, "arith.truncf"));
}

static void widen_words(MlirOperation extf) {
  SnBuilder at = sn_before(extf), *b = &at;
  MlirType to = sn_type_of(sn_result(extf, 0)), i32 = mlirIntegerTypeGet(b->ctx, 32);
  int64_t n = sn_dim(to, 0) / 2;
  MlirValue words = sn(b, "vector.bitcast", sn_operand(extf, 0), sn_vector(i32, n)),
            lower = with_number(b, "arith.shli", words, 16),
            upper = with_number(b, "arith.andi", words, 0xffff0000);
  MlirType halves = sn_vector(mlirF32TypeGet(b->ctx), n);
  MlirValue y = sn(b, "vector.interleave", sn(b, "arith.bitcast", lower, halves),
                   sn(b, "arith.bitcast", upper, halves), to);
  mlirValueReplaceAllUsesOfWith(sn_result(extf, 0), y);
  mlirOperationDestroy(extf);
}

static MlirLogicalResult run(const SnRun *run, MlirOperation root) {
  static const char *const names[] = {"arith.extf", "arith.truncf"};
  const char *chip = ((const Options *)run->options)->chip;
  bool ptx = *chip && sn_gpu_chip_has(chip, "sm_89");
  for (int i = 0; i < 2; ++i) {
    SnOpVec ops = sn_collect(root, names[i]);
    for (size_t k = 0; k < ops.size; ++k)
      if (format_of(sn_type_of(sn_operand(ops.data[k], 0))) || format_of(sn_type_of(sn_result(ops.data[k], 0))))
        convert(ops.data[k], ptx);
      else if (*chip && !i && has_words(ops.data[k]))
        widen_words(ops.data[k]);
    sn_vec_free(&ops);
  }
  return SN_OK;
}

MlirDialectHandle mlirGetDialectHandle__arith__(void);
MlirDialectHandle mlirGetDialectHandle__llvm__(void);
MlirDialectHandle mlirGetDialectHandle__vector__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__arith__, mlirGetDialectHandle__llvm__,
                                                      mlirGetDialectHandle__vector__, NULL};

const SnPass sn_pass_short_floats = {
    .argument = "sinter-short-floats",
    .summary = "conversions of floats of 8 bits as integers, or as the processor has them",
    .options = options,
    .options_size = sizeof(Options),
    .dialects = dialects,
    .run = run,
};

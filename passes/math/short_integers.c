// short_integers.c: a few bits of a byte as a float, by way of an f16 whose exponent says how far up they are.
//
//   %u = arith.andi %bytes, dense<15>        %v = arith.subi %u, dense<8>        arith.sitofp %v : vector<4xi8> to ...
// ->
//   %h = ((word >> s) & 0x000f000f) | 0x64006400          two f16: 1024 + u, exactly
//   extf (%h + dense<-1032.0>)                            two f32: u - 8
//
// A GPU has one instruction for each byte to be taken out, one to widen it, one to subtract, and a slow one that
// converts; like this two elements of a word of four bytes share all but the last. Elements are bytes of a vector of
// whole words, of which a shift, a mask and a choice with constants take bits, and to which a constant is added.
//
// runs in: sinter-gpu    test: test/passes/math/short_integers.mlir, test/gpu/emulate_rows.test

#include "capi/pass.h"
#include <stdio.h>

typedef struct {
  const char *chip;
} Options;

static const SnOption options[] = {
    {SN_OPTION_STRING, "chip", "a GPU's architecture, as ptxas names it; empty: no PTX", "", NULL,
     offsetof(Options, chip)},
    {0},
};

enum {
  WORD = 4,        // bytes
  HALF = 16,       // bits
  MAGIC = 0x6400,  // 1024 in f16, of which the last bit is 1
  MAGIC_IS = 1024, // and so much more is still one
};

// One lane: (((bytes[element] ^ flip) >> shift) & mask) + offset.
typedef struct {
  MlirValue bytes;
  int64_t element, shift, mask, offset, flip;
} Bits;

// The number on this lane, which the constant has; false: it has none.
static bool number_at(MlirValue v, int64_t lane, int64_t *n) {
  MlirOperation op = sn_def(v, "arith.constant");
  MlirAttribute all = sn_null(op) ? (MlirAttribute){0} : sn_get_attr(op, "value");
  if (!all.ptr || !mlirAttributeIsADenseElements(all))
    return false;
  if (mlirDenseElementsAttrIsSplat(all)) {
    *n = mlirIntegerAttrGetValueInt(mlirDenseElementsAttrGetSplatValue(all));
    return true;
  }
  unsigned bits = sn_bits(sn_element(sn_type_of(v)));
  *n = bits == 1   ? mlirDenseElementsAttrGetBoolValue(all, lane)
       : bits == 8 ? mlirDenseElementsAttrGetInt8Value(all, lane)
                   : 0;
  return bits == 1 || bits == 8;
}

static bool element_of(MlirValue v, Bits *to) {
  MlirOperation extract = sn_def(v, "vector.extract");
  MlirAttribute at = sn_null(extract) ? (MlirAttribute){0} : sn_get_attr(extract, "static_position");
  if (!at.ptr || mlirDenseArrayGetNumElements(at) != 1 || sn_num_operands(extract) != 1)
    return false;
  MlirValue from = sn_operand(extract, 0);
  int64_t element = mlirDenseI64ArrayGetElement(at, 0);
  if (sn_rank(sn_type_of(from)) != 1 || sn_dim(sn_type_of(from), 0) % WORD || element < 0)
    return false;
  *to = (Bits){.bytes = from, .element = element, .mask = 255};
  return true;
}

static bool bits_of(MlirValue v, int64_t lane, Bits *to) {
  MlirOperation op = sn_definer(v);
  int64_t n;
  if (sn_null(op))
    return false;
  if (sn_is(op, "vector.from_elements"))
    return element_of(sn_operand(op, lane), to);
  if (sn_is(op, "arith.select"))
    return number_at(sn_operand(op, 0), lane, &n) && bits_of(sn_operand(op, n ? 1 : 2), lane, to);
  bool adds = sn_is(op, "arith.addi"), subtracts = sn_is(op, "arith.subi"), masks = sn_is(op, "arith.andi"),
       shifts = sn_is(op, "arith.shrui");
  if ((!adds && !subtracts && !masks && !shifts) || !number_at(sn_operand(op, 1), lane, &n) ||
      !bits_of(sn_operand(op, 0), lane, to) || ((masks || shifts) && to->offset))
    return false;
  if (shifts && (n < 0 || n > 7))
    return false;
  to->offset += adds ? n : subtracts ? -n : 0;
  to->mask = masks ? to->mask & n : shifts ? to->mask >> n : to->mask;
  to->shift += shifts ? n : 0;
  return true;
}

// A whole byte with a sign is 128 less than it is with that bit flipped.
static void take_sign(Bits *x) {
  if (x->mask != 255 || x->offset)
    return;
  x->flip = 128;
  x->offset = -128;
}

// What is added up is what a byte holds, so nothing was cut off; and bits lie together from the last one on.
static bool is_exact(const Bits *x, bool is_signed) {
  int64_t least = is_signed ? -128 : 0;
  return x->mask > 0 && !(x->mask & (x->mask + 1)) && x->offset >= least && x->mask + x->offset <= least + 255;
}

static MlirValue number(SnBuilder *b, MlirValue x, const char *op, int64_t n) {
  return sn(b, op, x, sn_int(b, sn_type_of(x), n));
}

// (w & mask) | magic. As two operations ptxas makes two of them, each with a number of its own.
static MlirValue masked(SnBuilder *b, MlirValue w, int64_t mask, bool ptx) {
  char text[60];
  if (!ptx)
    return number(b, number(b, w, "arith.andi", mask), "arith.ori", MAGIC | MAGIC << HALF);
  snprintf(text, sizeof text, "lop3.b32 $0, $1, %lld, %d, 0xea;", (long long)mask, MAGIC | MAGIC << HALF);
  return sn(b, "llvm.inline_asm", w, sn_type_of(w), sn_attr("asm_string", sn_string(b->ctx, text)),
            sn_attr("constraints", sn_string(b->ctx, "=r,r")));
}

// vector<2xf32>: the lane, and the one of the bytes two further or in front.
static MlirValue pair_of(SnBuilder *b, const Bits *x, int64_t at, bool ptx) {
  MlirType i32 = mlirIntegerTypeGet(b->ctx, 32), halves = sn_vector(mlirF16TypeGet(b->ctx), 2);
  int64_t words = sn_dim(sn_type_of(x->bytes), 0) / WORD, word = x->element / WORD;
  MlirValue all = sn(b, "vector.bitcast", x->bytes, sn_vector(i32, words)),
            w = sn(b, "vector.extract", all, i32, sn_attr("static_position", mlirDenseI64ArrayGet(b->ctx, 1, &word)));
  if (x->flip)
    w = number(b, w, "arith.xori", (int32_t)(0x01010101u * (uint32_t)x->flip));
  if (at % HALF)
    w = number(b, w, "arith.shrui", at % HALF);
  w = masked(b, w, x->mask | x->mask << HALF, ptx);
  MlirValue h = sn(b, "vector.bitcast", sn(b, "vector.from_elements", sn_values(1, &w), sn_vector(i32, 1)), halves);
  MlirAttribute less = mlirFloatAttrDoubleGet(b->ctx, sn_element(halves), (double)(x->offset - MAGIC_IS));
  return sn(b, "arith.extf", sn(b, "arith.addf", h, sn_splat(b, halves, less)),
            sn_vector(mlirF32TypeGet(b->ctx), 2));
}

static void convert(MlirOperation op, bool is_signed, bool ptx) {
  MlirType t = sn_type_of(sn_result(op, 0)), from = sn_type_of(sn_operand(op, 0));
  enum { MOST = 16 };
  Bits lanes[MOST];
  if (!mlirTypeIsAVector(t) || sn_rank(t) != 1 || sn_dim(t, 0) > MOST || !mlirTypeIsAF32(sn_element(t)) ||
      sn_bits(sn_element(from)) != 8)
    return;
  for (int64_t l = 0; l < sn_dim(t, 0); ++l) {
    bool are = bits_of(sn_operand(op, 0), l, &lanes[l]);
    if (are && is_signed)
      take_sign(&lanes[l]);
    if (!are || !is_exact(&lanes[l], is_signed))
      return;
  }
  SnBuilder b = sn_before(op);
  MlirValue each[MOST];
  for (int64_t l = 0; l < sn_dim(t, 0); ++l) {
    int64_t at = 8 * (lanes[l].element % WORD) + lanes[l].shift, half = at / HALF;
    each[l] = sn(&b, "vector.extract", pair_of(&b, &lanes[l], at, ptx), sn_element(t),
                 sn_attr("static_position", mlirDenseI64ArrayGet(b.ctx, 1, &half)));
  }
  MlirValue all = sn(&b, "vector.from_elements", sn_values(sn_dim(t, 0), each), t);
  mlirValueReplaceAllUsesOfWith(sn_result(op, 0), all);
  mlirOperationDestroy(op);
}

static MlirLogicalResult run(const SnRun *run, MlirOperation root) {
  static const char *const names[] = {"arith.uitofp", "arith.sitofp"};
  for (int is_signed = 0; is_signed < 2; ++is_signed) {
    SnOpVec ops = sn_collect(root, names[is_signed]);
    for (size_t k = 0; k < ops.size; ++k)
      convert(ops.data[k], is_signed, *((const Options *)run->options)->chip);
    sn_vec_free(&ops);
  }
  return SN_OK;
}

MlirDialectHandle mlirGetDialectHandle__arith__(void);
MlirDialectHandle mlirGetDialectHandle__llvm__(void);
MlirDialectHandle mlirGetDialectHandle__vector__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__arith__, mlirGetDialectHandle__llvm__,
                                                      mlirGetDialectHandle__vector__, NULL};

const SnPass sn_pass_short_integers = {
    .argument = "sinter-short-integers",
    .summary = "bits of bytes to f32, two of a word at a time, where constants say which",
    .options = options,
    .options_size = sizeof(Options),
    .dialects = dialects,
    .run = run,
};

// product_fragments.c: fragments of both sides in a warp's registers, and mma.sync on them.
//
//   lines of shared memory  -> ldmatrix -> a: 16 rows, b: 2 times 8 columns, of 8 words of the sum -> mma.sync
//   lines of f64            -> vector.load of pairs of the sum                                      -> mma.sync
//
// In words of 32 bits the fragments of all types are the same. Lines are along the sum, or, where neighbours in memory
// are rows or columns, along these: of 16 bits ldmatrix turns them, of 64 bits each lane takes its own elements.
//
// Of f64 a lane has neighbours of the sum where the instruction's figures have elements 4 apart: both sides are in the
// same order, and that of the sums in one instruction is nobody's.
// (PTX ISA, "Matrix Fragments for mma.m16n8k16", ".m8n8k4 with .f64 floating point type" and "ldmatrix".)
//
// test: test/lowering/gpu/product_fragments.mlir, product_warps.mlir, test/gpu/emulate_products.test

#include "lowering/gpu/products/product_fragments.h"
#include "lowering/rows/index.h"
#include "lowering/rows/rowmemory.h"
#include "mlir-c/Dialect/LLVM.h"
#include <stdio.h>

enum { WORDS = 8, HALF = 8, PAIRS = 8 }; // of an instruction's k; of its rows; of k that all lanes' pairs have

static bool is_double(const SnMicroKernel *line) { return line->sum == SN_F64; }
static bool is_parts(const SnMicroKernel *line) { return line->a == SN_PARTS; }
// Lanes have pairs of neighbours of the sum.
static bool by_pairs(const SnMicroKernel *line) { return is_double(line) || is_parts(line); }
static bool is_tf32(const SnMicroKernel *line) { return line->a == SN_TF32; }
// Each lane takes its own elements of the side; else ldmatrix gives them to all lanes.
static bool by_lanes(const SnMicroKernel *line, const SnGpuWarpSide *s) {
  return by_pairs(line) || (is_tf32(line) && s->turned);
}

bool sn_gpu_may_turn(const SnMicroKernel *line, MlirType element) {
  return sn_bits(element) == 16 || by_pairs(line) || is_tf32(line);
}

MlirType sn_gpu_word_type(SnBuilder *b, const SnMicroKernel *line) {
  return is_double(line)  ? mlirF64TypeGet(b->ctx)
         : is_parts(line) ? mlirF32TypeGet(b->ctx)
                          : mlirIntegerTypeGet(b->ctx, 32);
}

// Which lines and words this lane names. For ldmatrix: of a the lines of both halves of the 16, then the other words;
// of b both halves of the words, then the next 8 columns. Turned, lines are those of k.
void sn_gpu_place_fragments(SnBuilder *b, const SnGpuKernel *k, const SnMicroKernel *line, bool is_a, MlirValue outer,
                            SnGpuWarpSide *s) {
  MlirValue lane = k->lane, eight = sn_index(b, 8), four = sn_index(b, 4), two = sn_index(b, 2),
            low = sn(b, "arith.remui", lane, eight), high = sn(b, "arith.divui", lane, sn_index(b, 16)),
            middle = sn(b, "arith.remui", sn(b, "arith.divui", lane, eight), two);
  if (by_lanes(line, s)) {
    MlirValue at = plus(b, outer, sn(b, "arith.divui", lane, four)), sum = sn(b, "arith.remui", lane, four);
    sum = by_pairs(line) ? times(b, sum, 2) : sum;
    s->line = s->turned ? sum : at;
    s->word = s->turned ? at : sum;
    return;
  }
  MlirValue of_sum = is_a ? high : middle, of_outer = is_a ? middle : high;
  if (s->turned) {
    s->line = plus(b, low, times(b, of_sum, HALF));
    s->word = plus(b, sn(b, "arith.divui", outer, two), times(b, of_outer, WORDS / 2));
  } else {
    s->line = plus(b, outer, plus(b, low, times(b, of_outer, HALF)));
    s->word = times(b, of_sum, WORDS / 2);
  }
}

static MlirType struct_of(SnBuilder *b, MlirType t, intptr_t n) {
  MlirType types[] = {t, t, t, t};
  return mlirLLVMStructTypeLiteralGet(b->ctx, n, types, false);
}

static void parts_of(SnBuilder *b, MlirValue of, MlirType t, int64_t n, MlirValue *to) {
  for (int64_t i = 0; i < n; ++i)
    to[i] = sn(b, "llvm.extractvalue", of, t, sn_attr("position", mlirDenseI64ArrayGet(b->ctx, 1, &i)));
}

void sn_gpu_load_matrices(SnBuilder *b, MlirValue address, bool turned, MlirValue *to) {
  MlirType i32 = mlirIntegerTypeGet(b->ctx, 32);
  MlirOperation op = sn_gpu_ptx(b,
                                turned ? "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {$0, $1, $2, $3}, [$4];"
                                       : "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {$0, $1, $2, $3}, [$4];",
                                "=r,=r,=r,=r,r,~{memory}", sn_values(1, &address), struct_of(b, i32, 4));
  parts_of(b, sn_result(op, 0), i32, 4, to);
}

static void load_matrices(SnBuilder *b, const SnGpuWarpSide *s, MlirValue line, MlirValue word, MlirValue *to) {
  int64_t words = sn_dim(sn_type_of(s->memory), 1);
  MlirValue offset = times(b, plus(b, times(b, line, words), word), 4),
            i32 = sn(b, "arith.index_cast", offset, mlirIntegerTypeGet(b->ctx, 32));
  sn_gpu_load_matrices(b, plus(b, sn_gpu_shared_address(b, s->memory), i32), s->turned, to);
}

static void load_by_matrices(SnBuilder *b, const SnGpuWarpSide *s, MlirValue first, int64_t step, int64_t outer,
                             MlirValue *to) {
  int64_t lines = s->turned ? step * 2 * WORDS : outer, words = s->turned ? outer / 2 : step * WORDS;
  load_matrices(b, s, plus_n(b, plus(b, first, s->line), lines), plus_n(b, s->word, words), to);
}

// For 8 rows or columns: the lane's line->k / 4 elements of the sum, to[0], to[apart], ...
static void load_pairs(SnBuilder *b, const SnMicroKernel *line, const SnGpuWarpSide *s, MlirValue first, int64_t step,
                       int64_t outer, int64_t apart, MlirValue *to) {
  MlirType element = sn_gpu_word_type(b, line);
  int64_t bytes = (int64_t)sn_bits(element) / 8;
  MlirValue at_line = plus(b, first, s->line);
  for (int64_t i = 0; i < line->k / PAIRS; ++i) {
    int64_t sum = step * line->k + i * PAIRS;
    if (!s->turned) {
      MlirValue at[] = {plus_n(b, at_line, outer), plus_n(b, s->word, sum)},
                pair = sn_scratch_load(b, s->memory, sn_values(2, at), sn_vector(element, 2),
                                       sn_attr("alignment", sn_i64(b->ctx, 2 * bytes)));
      for (int64_t l = 0; l < 2; ++l)
        to[(2 * i + l) * apart] = sn_lane(b, pair, l);
      continue;
    }
    for (int64_t l = 0; l < 2; ++l) {
      MlirValue at[] = {plus_n(b, at_line, sum + l), plus_n(b, s->word, outer)};
      to[(2 * i + l) * apart] =
          sn_scratch_load(b, s->memory, sn_values(2, at), element, sn_attr("alignment", sn_i64(b->ctx, bytes)));
    }
  }
}

// The same of words whose lines are along rows or columns.
static void load_words(SnBuilder *b, const SnMicroKernel *line, const SnGpuWarpSide *s, MlirValue first, int64_t step,
                       int64_t outer, int64_t apart, MlirValue *to) {
  for (int64_t i = 0; i < line->k / 4; ++i) {
    MlirValue at[] = {plus_n(b, plus(b, first, s->line), step * line->k + 4 * i), plus_n(b, s->word, outer)};
    to[i * apart] = sn_scratch_load(b, s->memory, sn_values(2, at), mlirIntegerTypeGet(b->ctx, 32), sn_no_attr());
  }
}

// The nearest of tf32, of two equally near ones the greater: what multiplies leaves lower bits out.
static void round_words(SnBuilder *b, int64_t n, MlirValue *words) {
  MlirType i32 = mlirIntegerTypeGet(b->ctx, 32);
  for (int64_t i = 0; i < n; ++i)
    words[i] = sn_result(sn_op(b, "llvm.inline_asm", sn_values(1, &words[i]), sn_types(1, &i32),
                               sn_attr("asm_string", sn_string(b->ctx, "cvt.rna.tf32.f32 $0, $1;")),
                               sn_attr("constraints", sn_string(b->ctx, "=r,r"))),
                         0);
}

static void load_own(SnBuilder *b, const SnMicroKernel *line, const SnGpuWarpSide *s, MlirValue first, int64_t step,
                     int64_t outer, int64_t apart, MlirValue *to) {
  (by_pairs(line) ? load_pairs : load_words)(b, line, s, first, step, outer, apart, to);
}

// ---- f32 as three bf16 -------------------------------------------------------------------------------
//
//   x = high + middle + low: each has the next 8 bits of x, and nothing is rounded. Infinities become NaN.

enum { PART_A = 4, PART_B = 2 }; // registers of a part of a and of b

static MlirValue word_of(SnBuilder *b, MlirValue x) {
  return sn(b, "arith.bitcast", x, mlirIntegerTypeGet(b->ctx, 32));
}

// The upper halves of both, as a register has a pair of bf16.
static MlirValue upper_halves(SnBuilder *b, MlirValue x, MlirValue y) {
  MlirType i32 = mlirIntegerTypeGet(b->ctx, 32);
  MlirValue operands[] = {word_of(b, x), word_of(b, y), sn_int(b, i32, 0x7632)};
  return sn(b, "llvm.call_intrinsic", operands[0], operands[1], operands[2], i32,
            sn_attr("intrin", sn_string(b->ctx, "llvm.nvvm.prmt")),
            sn_attr("op_bundle_sizes", mlirDenseI32ArrayGet(b->ctx, 0, NULL)),
            sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b->ctx, 2, (int32_t[]){3, 0})));
}

// What its upper half leaves of x.
static MlirValue rest_of(SnBuilder *b, MlirValue x) {
  MlirType i32 = mlirIntegerTypeGet(b->ctx, 32);
  MlirValue high = sn(b, "arith.andi", word_of(b, x), sn_int(b, i32, -65536));
  return sn(b, "arith.subf", x, sn(b, "arith.bitcast", high, mlirF32TypeGet(b->ctx)));
}

void sn_gpu_split_pair(SnBuilder *b, MlirValue x, MlirValue y, int64_t apart, MlirValue *to) {
  for (int part = 0; part < 3; ++part) {
    to[part * apart] = upper_halves(b, x, y);
    if (part < 2)
      x = rest_of(b, x), y = rest_of(b, y);
  }
}

static void split_pairs(SnBuilder *b, const MlirValue *from, int64_t first, int64_t apart, int64_t registers,
                        int64_t part, MlirValue *to) {
  for (int64_t i = 0; i < registers; ++i)
    sn_gpu_split_pair(b, from[first + 2 * i * apart], from[first + (2 * i + 1) * apart], part, to + i * apart + first);
}

// The greatest parts last.
static const int8_t part_products[][2] = {{2, 0}, {1, 1}, {0, 2}, {1, 0}, {0, 1}, {0, 0}};

void sn_gpu_load_a(SnBuilder *b, const SnMicroKernel *line, const SnGpuWarpSide *s, MlirValue first, int64_t step,
                   int64_t outer, MlirValue *to) {
  if (!by_lanes(line, s))
    load_by_matrices(b, s, first, step, outer, to);
  for (int64_t half = 0; half < 2 && by_lanes(line, s); ++half)
    load_own(b, line, s, first, step, outer + half * HALF, 2, to + half);
  if (is_tf32(line))
    round_words(b, 4, to);
  if (is_parts(line)) {
    MlirValue whole[8];
    memcpy(whole, to, sizeof whole);
    for (int64_t half = 0; half < 2; ++half)
      split_pairs(b, whole, half, 2, 2, PART_A, to);
  }
}

void sn_gpu_load_b(SnBuilder *b, const SnMicroKernel *line, const SnGpuWarpSide *s, MlirValue first, int64_t step,
                   int64_t outer, MlirValue *to) {
  MlirValue both[4];
  if (!by_lanes(line, s))
    load_by_matrices(b, s, first, step, outer, both);
  for (int64_t half = 0; half < 2; ++half)
    if (by_lanes(line, s))
      load_own(b, line, s, first, step, outer + half * HALF, 1, to + half * SN_GPU_MMA_B);
    else
      memcpy(to + half * SN_GPU_MMA_B, both + 2 * half, 2 * sizeof *both);
  for (int64_t half = 0; half < 2 && is_tf32(line); ++half)
    round_words(b, 2, to + half * SN_GPU_MMA_B);
  for (int64_t half = 0; half < 2 && is_parts(line); ++half) {
    MlirValue whole[4], *of_half = to + half * SN_GPU_MMA_B;
    memcpy(whole, of_half, sizeof whole);
    split_pairs(b, whole, 0, 1, 2, PART_B, of_half);
  }
}

// ---- the instruction ---------------------------------------------------------------------------

// {$n, $n + 1, ...}
static int list(char *to, size_t size, int first, int count) {
  int at = 0;
  for (int i = 0; i < count; ++i)
    at += snprintf(to + at, size - (size_t)at, "%s$%d", i ? ", " : "{", first + i);
  return at + snprintf(to + at, size - (size_t)at, "}");
}

// So many registers of each; sums are the instruction's results, too.
static void multiply(SnBuilder *b, const char *name, MlirType sum, int of_sums, const MlirValue *x, int of_x,
                     const MlirValue *y, int of_y, MlirValue *sums) {
  MlirValue operands[SN_GPU_MMA_A + SN_GPU_MMA_B + SN_GPU_MMA_SUMS];
  char text[300], constraints[100] = "";
  int at = snprintf(text, sizeof text, "%s ", name), counts[] = {of_sums, of_x, of_y, of_sums}, n = 0;
  for (int i = 0; i < 4; n += counts[i++]) {
    at += list(text + at, sizeof text - (size_t)at, n, counts[i]);
    at += snprintf(text + at, sizeof text - (size_t)at, i < 3 ? ", " : ";");
  }
  const char *of_side = mlirTypeIsAF64(sum) ? "d" : "r", *of_sum = mlirTypeIsAF32(sum) ? "f" : of_side;
  for (int i = 0; i < n; ++i) {
    size_t end = strlen(constraints);
    snprintf(constraints + end, sizeof constraints - end, "%s%s%s", i ? "," : "", i < of_sums ? "=" : "",
             i < of_sums || i >= n - of_sums ? of_sum : of_side);
  }
  memcpy(operands, x, (size_t)of_x * sizeof *x);
  memcpy(operands + of_x, y, (size_t)of_y * sizeof *y);
  memcpy(operands + of_x + of_y, sums, (size_t)of_sums * sizeof *sums);
  MlirType type = struct_of(b, sum, of_sums);
  MlirOperation op =
      sn_op(b, "llvm.inline_asm", sn_values(of_x + of_y + of_sums, operands), sn_types(1, &type),
            sn_attr("asm_string", sn_string(b->ctx, text)), sn_attr("constraints", sn_string(b->ctx, constraints)));
  parts_of(b, sn_result(op, 0), sum, of_sums, sums);
}

void sn_gpu_multiply_fragments(SnBuilder *b, const SnMicroKernel *line, const MlirValue *x, const MlirValue *y,
                               MlirValue *sums) {
  MlirType sum = sn_type_of(sums[0]);
  const char *of = mlirTypeIsAF64(sum) ? "f64" : mlirTypeIsAF32(sum) ? "f32" : "s32", *t = line->instruction;
  char name[100];
  if (is_double(line) && line->m == HALF) { // 4 of the sum, and 8 rows
    for (int64_t i = 0; i < line->k / 4; ++i)
      for (int64_t half = 0; half < 2; ++half)
        multiply(b, "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", sum, 2, &x[2 * i + half], 1, &y[i], 1,
                 &sums[2 * half]);
    return;
  }
  snprintf(name, sizeof name, "mma.sync.aligned.m16n8k%d.row.col.%s.%s.%s.%s", line->k, of, t, t, of);
  for (size_t i = 0; i < sizeof part_products / sizeof *part_products && is_parts(line); ++i)
    multiply(b, name, sum, SN_GPU_MMA_SUMS, x + part_products[i][0] * PART_A, PART_A, y + part_products[i][1] * PART_B,
             PART_B, sums);
  if (is_parts(line))
    return;
  multiply(b, name, sum, SN_GPU_MMA_SUMS, x, is_double(line) ? line->k / 2 : 4, y, is_double(line) ? line->k / 4 : 2,
           sums);
}

// microkernels.c: one line for each instruction that multiplies, and for each library's kernel.
//
//   #sinter.brgemm<kernel = "fma512", ...>      the line "fma512" of the product's types: 6 x 64 sums in registers
//
// A new instruction is a line here, and an emitter if none of those in lowering/ writes it.
//
// new instruction that multiplies: its line: types, sizes, how sides are packed, where sums are.
//
// test: test/passes/schedule/kernels.mlir, test/lowering/cpu/kernels.mlir, test/run/kernels.test

#include "target/microkernels.h"
#include "mlir-c/BuiltinTypes.h"
#include <string.h>

#define CPU SN_TARGET_CPU
#define GPU SN_TARGET_GPU
#define CALL SN_WRITTEN_AS_CALL
#define FMA SN_WRITTEN_AS_FMA
#define MULTIPLY_ADD SN_WRITTEN_AS_MULTIPLY_ADD
#define DOT SN_WRITTEN_AS_DOT
#define DOT_UNSIGNED SN_WRITTEN_AS_DOT_UNSIGNED
#define DOT_ADD SN_WRITTEN_AS_DOT_ADD
#define BY_TILES SN_WRITTEN_AS_TILES
#define BY_THREADS SN_WRITTEN_BY_THREADS
#define BY_WARPS SN_WRITTEN_BY_WARPS
#define BY_STREAMS SN_WRITTEN_BY_STREAMS
#define BY_WINDOWS SN_WRITTEN_BY_WINDOWS
#define BY_WARPGROUPS SN_WRITTEN_BY_WARPGROUPS
#define NOT_YET SN_WRITTEN_NOT_YET
#define ROWS SN_PACK_ROWS
#define COLUMNS SN_PACK_COLUMNS
#define GROUPS SN_PACK_GROUPS
#define SWIZZLED SN_PACK_SWIZZLED
#define FRAGMENTS SN_PACK_FRAGMENTS
#define MEMORY SN_SUMS_IN_MEMORY
#define VECTORS SN_SUMS_IN_VECTORS
#define ALONG_K SN_SUMS_ALONG_K
#define TILES SN_SUMS_IN_TILES
#define IN_THREADS SN_SUMS_IN_THREADS
#define PAIRS SN_SUMS_IN_PAIRS_OF_LANES
#define F64 SN_F64
#define F32 SN_F32
#define TF32 SN_TF32
#define PARTS SN_PARTS
#define F16 SN_F16
#define BF16 SN_BF16
#define E4M3 SN_F8E4M3
#define E5M2 SN_F8E5M2
#define I32 SN_I32
#define I16 SN_I16
#define I8 SN_I8
#define ANY SN_ANY

// Sums of 6 x 4 vectors, 4 of b and one of a are 29 of 32 registers; of 6 x 2 they are 15 of 16. (AMX: 16 rows of 64
// bytes; Intel 64 and IA-32 Architectures Software Developer's Manual, volume 1, chapter 18. wgmma and mma.sync: PTX
// ISA, chapters 9.7.15 and 9.7.14.)
const SnMicroKernel sn_micro_kernels[] = {
    // name, target, needs, unless, a, b, sum, m, n, k, bits, group, pack a, pack b, sums, written, instruction, parts
    // Few rows: weights [j, k] are read once, and nothing is copied. Narrower ones are widened as they are read.
    {"inner.dot512", CPU, "avx512bf16", "amx-bf16", BF16, BF16, F32, 4, 4, 1, 512, 2, ROWS, COLUMNS, ALONG_K, DOT,
     "llvm.x86.avx512bf16.dpbf16ps.512"},
    {"inner512", CPU, "avx512f", "", F32, F32, F32, 4, 4, 1, 512, 1, ROWS, COLUMNS, ALONG_K, FMA, ""},
    {"inner512", CPU, "avx512f", "", F64, F64, F64, 4, 4, 1, 512, 1, ROWS, COLUMNS, ALONG_K, FMA, ""},
    {"inner512", CPU, "avx512bw", "", I16, I16, I32, 4, 4, 1, 512, 2, ROWS, COLUMNS, ALONG_K, DOT_ADD,
     "llvm.x86.avx512.pmaddw.d.512"},
    {"inner256", CPU, "avx2 fma", "", F32, F32, F32, 2, 4, 1, 256, 1, ROWS, COLUMNS, ALONG_K, FMA, ""},
    {"inner256", CPU, "avx2 fma", "", F64, F64, F64, 2, 4, 1, 256, 1, ROWS, COLUMNS, ALONG_K, FMA, ""},
    {"inner256", CPU, "avx2", "", I16, I16, I32, 2, 4, 1, 256, 2, ROWS, COLUMNS, ALONG_K, DOT_ADD,
     "llvm.x86.avx2.pmadd.wd"},
    // Tiles of weights where they lie are left sides, those of rows right ones.
    {"inner.amx", CPU, "amx-bf16 avx512f", "", BF16, BF16, F32, 16, 16, 32, 0, 2, ROWS, COLUMNS, TILES, BY_TILES,
     "llvm.x86.tdpbf16ps.internal"},
    {"inner.amx", CPU, "amx-int8 avx512f", "", I8, I8, I32, 16, 16, 64, 0, 4, ROWS, COLUMNS, TILES, BY_TILES,
     "llvm.x86.tdpbssd.internal"},
    {"amx", CPU, "amx-bf16", "", BF16, BF16, F32, 16, 16, 32, 0, 2, ROWS, GROUPS, TILES, BY_TILES,
     "llvm.x86.tdpbf16ps.internal"},
    {"amx", CPU, "amx-int8", "", I8, I8, I32, 16, 16, 64, 0, 4, ROWS, GROUPS, TILES, BY_TILES,
     "llvm.x86.tdpbssd.internal"},
    // An f16 is the sum of two bf16. An f32 is that of three: what is left out is up to 2^-21 of a product.
    {"amx.f16", CPU, "amx-bf16 avx512f", "", F16, F16, F32, 16, 16, 32, 0, 2, ROWS, GROUPS, TILES, BY_TILES,
     "llvm.x86.tdpbf16ps.internal", 2},
    {"amx.f32", CPU, "amx-bf16 avx512f", "", F32, F32, F32, 16, 16, 32, 0, 2, ROWS, GROUPS, TILES, BY_TILES,
     "llvm.x86.tdpbf16ps.internal", 3},
    // On processors with AMX it has half the rate of fma512.
    {"dot512", CPU, "avx512bf16", "amx-bf16", BF16, BF16, F32, 6, 64, 2, 512, 2, ROWS, GROUPS, VECTORS, DOT,
     "llvm.x86.avx512bf16.dpbf16ps.512"},
    // Unsigned by signed bytes. 5 rows: registers hold sums of b's columns, too.
    {"vnni512", CPU, "avx512vnni", "", I8, I8, I32, 5, 64, 4, 512, 4, ROWS, GROUPS, VECTORS, DOT_UNSIGNED,
     "llvm.x86.avx512.vpdpbusd.512"},
    {"vnni256", CPU, "avxvnni", "", I8, I8, I32, 4, 16, 4, 256, 4, ROWS, GROUPS, VECTORS, DOT_UNSIGNED,
     "llvm.x86.avx512.vpdpbusd.256"},
    // Sums of two products fit in 32 bits; LLVM makes vpdpwssd of it where there is VNNI.
    {"dot512", CPU, "avx512bw", "", I16, I16, I32, 6, 64, 2, 512, 2, ROWS, GROUPS, VECTORS, DOT_ADD,
     "llvm.x86.avx512.pmaddw.d.512"},
    {"dot256", CPU, "avx2", "", I16, I16, I32, 6, 16, 2, 256, 2, ROWS, GROUPS, VECTORS, DOT_ADD,
     "llvm.x86.avx2.pmadd.wd"},
    {"libxsmm", CPU, "", "", F32, F32, F32, 0, 0, 0, 0, 1, ROWS, ROWS, MEMORY, CALL, "sinter_rt_brgemm_f32"},
    {"fma512", CPU, "avx512f", "", F32, F32, F32, 6, 64, 1, 512, 1, ROWS, ROWS, VECTORS, FMA, ""},
    {"fma512", CPU, "avx512f", "", F64, F64, F64, 6, 32, 1, 512, 1, ROWS, ROWS, VECTORS, FMA, ""},
    {"fma256", CPU, "avx2 fma", "", F32, F32, F32, 6, 16, 1, 256, 1, ROWS, ROWS, VECTORS, FMA, ""},
    {"fma256", CPU, "avx2 fma", "", F64, F64, F64, 6, 8, 1, 256, 1, ROWS, ROWS, VECTORS, FMA, ""},
    // Any type; n is of elements of 32 bits.
    {"any512", CPU, "avx512f", "", ANY, ANY, ANY, 6, 64, 1, 512, 1, ROWS, ROWS, VECTORS, MULTIPLY_ADD, ""},
    {"any256", CPU, "avx2", "", ANY, ANY, ANY, 6, 16, 1, 256, 1, ROWS, ROWS, VECTORS, MULTIPLY_ADD, ""},
    {"any128", CPU, "", "", ANY, ANY, ANY, 6, 8, 1, 128, 1, ROWS, ROWS, VECTORS, MULTIPLY_ADD, ""},
    {"wgmma", GPU, "sm_90a", "", E4M3, E4M3, F32, 64, 256, 32, 0, 1, SWIZZLED, SWIZZLED, PAIRS, BY_WARPGROUPS, "e4m3"},
    {"wgmma", GPU, "sm_90a", "", E4M3, E5M2, F32, 64, 256, 32, 0, 1, SWIZZLED, SWIZZLED, PAIRS, BY_WARPGROUPS, "e4m3"},
    {"wgmma", GPU, "sm_90a", "", E5M2, E4M3, F32, 64, 256, 32, 0, 1, SWIZZLED, SWIZZLED, PAIRS, BY_WARPGROUPS, "e5m2"},
    {"wgmma", GPU, "sm_90a", "", E5M2, E5M2, F32, 64, 256, 32, 0, 1, SWIZZLED, SWIZZLED, PAIRS, BY_WARPGROUPS, "e5m2"},
    {"wgmma", GPU, "sm_90a", "", BF16, BF16, F32, 64, 256, 16, 0, 1, SWIZZLED, SWIZZLED, PAIRS, BY_WARPGROUPS, "bf16"},
    {"wgmma", GPU, "sm_90a", "", F16, F16, F32, 64, 256, 16, 0, 1, SWIZZLED, SWIZZLED, PAIRS, BY_WARPGROUPS, "f16"},
    {"wgmma.tf32", GPU, "sm_90a", "", TF32, TF32, F32, 64, 256, 8, 0, 1, SWIZZLED, SWIZZLED, PAIRS, BY_WARPGROUPS,
     "tf32"},
    {"wgmma", GPU, "sm_90a", "", I8, I8, I32, 64, 256, 32, 0, 1, SWIZZLED, SWIZZLED, PAIRS, BY_WARPGROUPS, "s8"},
    {"mma.sync", GPU, "sm_80", "", BF16, BF16, F32, 16, 8, 16, 0, 1, FRAGMENTS, FRAGMENTS, PAIRS, BY_WARPS, "bf16"},
    {"mma.sync", GPU, "sm_80", "", F16, F16, F32, 16, 8, 16, 0, 1, FRAGMENTS, FRAGMENTS, PAIRS, BY_WARPS, "f16"},
    {"mma.stream", GPU, "sm_80", "", BF16, BF16, F32, 16, 8, 16, 0, 1, FRAGMENTS, FRAGMENTS, PAIRS, BY_STREAMS, "bf16"},
    {"mma.stream", GPU, "sm_80", "", F16, F16, F32, 16, 8, 16, 0, 1, FRAGMENTS, FRAGMENTS, PAIRS, BY_STREAMS, "f16"},
    {"mma.tf32", GPU, "sm_80", "", TF32, TF32, F32, 16, 8, 8, 0, 1, FRAGMENTS, FRAGMENTS, PAIRS, BY_WARPS, "tf32"},
    {"mma.parts", GPU, "sm_80", "", PARTS, PARTS, F32, 16, 8, 16, 0, 1, FRAGMENTS, FRAGMENTS, PAIRS, BY_WARPS, "bf16"},
    {"mma.sync", GPU, "sm_80", "", I8, I8, I32, 16, 8, 32, 0, 1, FRAGMENTS, FRAGMENTS, PAIRS, BY_WARPS, "s8"},
    {"mma.f64", GPU, "sm_90", "", F64, F64, F64, 16, 8, 16, 0, 1, FRAGMENTS, FRAGMENTS, PAIRS, BY_WARPS, "f64"},
    {"mma.f64.small", GPU, "sm_80", "", F64, F64, F64, 8, 8, 8, 0, 1, FRAGMENTS, FRAGMENTS, PAIRS, BY_WARPS, "f64"},
    {"fma", GPU, "", "", ANY, ANY, ANY, 0, 0, 1, 0, 1, ROWS, ROWS, IN_THREADS, BY_THREADS, ""},
    {"fma.window", GPU, "", "", F32, F32, F32, 0, 0, 1, 0, 1, ROWS, ROWS, IN_THREADS, BY_WINDOWS, ""},
    {NULL},
};

const char *const sn_micro_gpu_names[] = {"fma",   "mma.sync",   "mma.f64", "mma.f64.small", "mma.tf32", "mma.parts",
                                          "mma.stream", "fma.window", "wgmma", "wgmma.tf32", NULL};
const char *const sn_micro_kernel_names[] = {"inner.dot512", "inner512", "inner256", "inner.amx", "amx",    "amx.f16",
                                             "amx.f32",      "dot512",   "vnni512",  "vnni256",   "dot256", "libxsmm",
                                             "fma512",       "fma256",   "any512",   "any256",    "any128", NULL};

SnElement sn_element_kind(MlirType t) {
  if (mlirTypeIsAInteger(t)) {
    unsigned width = mlirIntegerTypeIsSignless(t) ? mlirIntegerTypeGetWidth(t) : 0;
    return width == 32 ? SN_I32 : width == 16 ? SN_I16 : width == 8 ? SN_I8 : SN_ANY;
  }
  return mlirTypeIsAF64(t)            ? SN_F64
         : mlirTypeIsAF32(t)          ? SN_F32
         : mlirTypeIsAF16(t)          ? SN_F16
         : mlirTypeIsABF16(t)         ? SN_BF16
         : mlirTypeIsAFloat8E4M3FN(t) ? SN_F8E4M3
         : mlirTypeIsAFloat8E5M2(t)   ? SN_F8E5M2
                                      : SN_ANY;
}

static MlirType type_of(SnElement e, MlirContext ctx) {
  switch (e) {
  case SN_F64:
    return mlirF64TypeGet(ctx);
  case SN_F32:
  case SN_TF32:
  case SN_PARTS:
    return mlirF32TypeGet(ctx);
  case SN_F16:
    return mlirF16TypeGet(ctx);
  case SN_BF16:
    return mlirBF16TypeGet(ctx);
  case SN_F8E4M3:
    return mlirFloat8E4M3FNTypeGet(ctx);
  case SN_F8E5M2:
    return mlirFloat8E5M2TypeGet(ctx);
  case SN_I32:
    return mlirIntegerTypeGet(ctx, 32);
  case SN_I16:
    return mlirIntegerTypeGet(ctx, 16);
  case SN_I8:
    return mlirIntegerTypeGet(ctx, 8);
  case SN_ANY:
    break;
  }
  return (MlirType){NULL};
}

MlirType sn_micro_packed(SnElement e, MlirType sum) { return e == SN_ANY ? sum : type_of(e, mlirTypeGetContext(sum)); }

MlirType sn_micro_memory(const SnMicroKernel *line, SnElement e, MlirType sum) {
  return line->parts ? mlirBF16TypeGet(mlirTypeGetContext(sum)) : sn_micro_packed(e, sum);
}

int64_t sn_micro_parts(const SnMicroKernel *line) { return line->parts ? line->parts : 1; }

static unsigned bits_of(MlirType t) {
  return mlirTypeIsAInteger(t) ? mlirIntegerTypeGetWidth(t) : mlirTypeIsAFloat(t) ? mlirFloatTypeGetWidth(t) : 64;
}

// A side of these elements is kept whole by the packed ones. The verifier knows that it is of the accumulator's kind.
static bool takes(SnElement packed, MlirType side, MlirType sum) {
  MlirType t = sn_micro_packed(packed, sum);
  return mlirTypeEqual(t, side) || mlirTypeEqual(t, sum) || bits_of(side) < bits_of(t);
}

bool sn_micro_kernel_fits(const SnMicroKernel *line, MlirType a, MlirType b, MlirType sum) {
  return (line->sum == SN_ANY || mlirTypeEqual(type_of(line->sum, mlirTypeGetContext(sum)), sum)) &&
         takes(line->a, a, sum) && takes(line->b, b, sum);
}

const SnMicroKernel *sn_micro_kernel(const char *name, MlirType a, MlirType b, MlirType sum) {
  for (const SnMicroKernel *line = sn_micro_kernels; line->name; ++line)
    if (line->written != SN_WRITTEN_NOT_YET && !strcmp(line->name, name) && sn_micro_kernel_fits(line, a, b, sum))
      return line;
  return NULL;
}

static bool has_word(const char *features, const char *word, size_t length) {
  for (const char *at = features; *at; at += strcspn(at, ","), at += *at == ',')
    if (strcspn(at, ",") == length && !memcmp(at, word, length))
      return true;
  return false;
}

bool sn_micro_kernel_runs(const SnMicroKernel *line, const char *features) {
  for (const char *at = line->needs; *at; at += strcspn(at, " "), at += *at == ' ')
    if (!has_word(features, at, strcspn(at, " ")))
      return false;
  return true;
}

bool sn_micro_kernel_pays(const SnMicroKernel *line, const char *features) {
  return sn_micro_kernel_runs(line, features) &&
         !(*line->unless && has_word(features, line->unless, strlen(line->unless)));
}

int64_t sn_micro_lanes(const SnMicroKernel *line, MlirType sum) {
  unsigned bits = bits_of(sum);
  bool vectors = line->bits && bits >= 8 && !(bits & (bits - 1));
  return vectors && (unsigned)line->bits > bits ? line->bits / (int64_t)bits : 1;
}

int64_t sn_micro_column_unit(const SnMicroKernel *line, MlirType sum) {
  return line->sums == SN_SUMS_IN_TILES ? line->n : line->sums == SN_SUMS_ALONG_K ? 1 : sn_micro_lanes(line, sum);
}

int64_t sn_micro_row_unit(const SnMicroKernel *line) { return line->sums == SN_SUMS_IN_TILES ? line->m : 1; }

int64_t sn_micro_k_unit(const SnMicroKernel *line) { return line->k ? line->k : 1; }

int64_t sn_micro_vectors(const SnMicroKernel *line) {
  int element = line->sum == SN_F64 ? 64 : 32;
  return line->bits ? line->n * element / line->bits : 0;
}

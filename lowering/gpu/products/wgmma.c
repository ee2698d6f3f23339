// wgmma.c: see wgmma.h. (PTX ISA, "Matrix Descriptor Format", "Strides" and "Register Fragments" of wgmma.mma_async.)
//
// test: test/lowering/gpu/product_warpgroups.mlir, chain_warpgroups.mlir, test/gpu/emulate_warpgroups.test

#include "lowering/gpu/products/wgmma.h"
#include "lowering/rows/rowmemory.h"
#include "mlir-c/Dialect/LLVM.h"
#include <stdio.h>

static MlirType i32_type(SnBuilder *b) { return mlirIntegerTypeGet(b->ctx, 32); }
static MlirType i64_type(SnBuilder *b) { return mlirIntegerTypeGet(b->ctx, 64); }
static MlirValue i32_of(SnBuilder *b, int64_t v) { return sn_int(b, i32_type(b), v); }

MlirValue sn_wgmma_descriptor(SnBuilder *b, MlirValue address, bool along_sum) {
  int64_t stride = (along_sum ? 1 : SN_WGMMA_PIECE >> 4) << 16;
  MlirValue place = sn(b, "arith.andi", sn(b, "arith.shrui", address, i32_of(b, 4)), i32_of(b, 0x3fff));
  return sn(b, "arith.ori", place, i32_of(b, stride));
}

MlirValue sn_wgmma_further(SnBuilder *b, MlirValue descriptor, int64_t bytes) {
  return bytes ? sn(b, "arith.addi", descriptor, i32_of(b, bytes >> 4)) : descriptor;
}

// Eight lines are 1024 bytes apart, and swizzled. What is added to a descriptor never reaches this word: it is put
// beside the sum, and not a part of it (ptxas 13.0 loses the high word of a 64-bit sum with such a constant).
static MlirValue whole_descriptor(SnBuilder *b, MlirValue low) {
  int64_t high = (int64_t)1 << 62 | (int64_t)(1024 >> 4) << 32;
  return sn(b, "arith.ori", sn(b, "arith.extui", low, i64_type(b)), sn_int(b, i64_type(b), high));
}

MlirType sn_wgmma_sums(SnBuilder *b, MlirType sum, int64_t n) {
  MlirType *types = sn_alloc((size_t)(n / 2) * sizeof *types);
  for (int64_t i = 0; i < n / 2; ++i)
    types[i] = sum;
  MlirType t = mlirLLVMStructTypeLiteralGet(b->ctx, n / 2, types, false);
  free(types);
  return t;
}

// As wgmma names the elements of side b; a's are the line's.
static const char *type_of_b(const SnMicroKernel *line) {
  return line->b == line->a ? line->instruction : line->b == SN_F8E5M2 ? "e5m2" : "e4m3";
}

MlirValue sn_wgmma(SnBuilder *b, const SnMicroKernel *line, int64_t n, MlirValue sums, MlirValue x, bool a_along_sum,
                   MlirValue y, bool b_along_sum, bool fresh) {
  bool is_float = line->sum == SN_F32;
  MlirOperation op =
      sn_op(b, "nvvm.wgmma.mma_async", sums, whole_descriptor(b, x), whole_descriptor(b, y), sn_type_of(sums),
            sn_attr("shape", sn_parse_attr(b->ctx, "#nvvm.shape<m = 64, n = %lld, k = %d>", (long long)n, line->k)),
            sn_attr("typeA", sn_parse_attr(b->ctx, "#nvvm.wgmma_type<%s>", line->instruction)),
            sn_attr("typeB", sn_parse_attr(b->ctx, "#nvvm.wgmma_type<%s>", type_of_b(line))),
            sn_attr("typeD", sn_parse_attr(b->ctx, "#nvvm.wgmma_type<%s>", is_float ? "f32" : "s32")),
            sn_attr("scaleD", sn_parse_attr(b->ctx, "#nvvm.wgmma_scale_out<%s>", fresh ? "zero" : "one")),
            sn_attr("scaleA", sn_parse_attr(b->ctx, "#nvvm.wgmma_scale_in<one>")),
            sn_attr("scaleB", sn_parse_attr(b->ctx, "#nvvm.wgmma_scale_in<one>")),
            sn_attr("layoutA", sn_parse_attr(b->ctx, "#nvvm.mma_layout<%s>", a_along_sum ? "row" : "col")),
            sn_attr("layoutB", sn_parse_attr(b->ctx, "#nvvm.mma_layout<%s>", b_along_sum ? "col" : "row")));
  return sn_result(op, 0);
}

// The instructions' text: {$0, ..., $n/2 - 1}, four words, a descriptor, whether sums are added to, plain, the layout
// of b.
static char *text_of(const SnMicroKernel *line, int64_t n, int64_t steps, bool b_along_sum, bool fresh) {
  size_t size = (size_t)(steps * (n / 2 * 6 + 160)), at = 0;
  char *text = sn_alloc(size);
  for (int64_t s = 0; s < steps; ++s) {
    at += (size_t)snprintf(text + at, size - at, "%swgmma.mma_async.sync.aligned.m64n%lldk%d.f32.%s.%s {", s ? " " : "",
                           (long long)n, line->k, line->instruction, type_of_b(line));
    for (int64_t i = 0; i < n / 2; ++i)
      at += (size_t)snprintf(text + at, size - at, "%s$%lld", i ? "," : "", (long long)i);
    long long word = n / 2 + 4 * s, descriptor = n / 2 + 4 * steps + s;
    at += (size_t)snprintf(text + at, size - at, "}, {$%lld,$%lld,$%lld,$%lld}, $%lld, %d, 1, 1, %d;", word, word + 1,
                           word + 2, word + 3, descriptor, s || !fresh, !b_along_sum);
  }
  return text;
}

static char *constraints_of(int64_t n, int64_t steps, bool fresh) {
  size_t size = (size_t)(n / 2 * 10 + steps * 10 + 16), at = 0;
  char *text = sn_alloc(size);
  for (int64_t i = 0; i < n / 2; ++i)
    at += (size_t)snprintf(text + at, size - at, "=f,");
  for (int64_t i = 0; i < 4 * steps; ++i)
    at += (size_t)snprintf(text + at, size - at, "r,");
  for (int64_t i = 0; i < steps; ++i)
    at += (size_t)snprintf(text + at, size - at, "l,");
  for (int64_t i = 0; i < n / 2 && !fresh; ++i)
    at += (size_t)snprintf(text + at, size - at, "%lld,", (long long)i);
  text[at - 1] = 0; // the last comma
  return text;
}

MlirValue sn_wgmma_of_registers(SnBuilder *b, const SnMicroKernel *line, int64_t n, int64_t steps,
                                const MlirValue *words, const MlirValue *descriptors, bool b_along_sum,
                                const MlirValue *values) {
  SnValueVec operands = {0};
  for (int64_t i = 0; i < 4 * steps; ++i)
    sn_push(&operands, words[i]);
  for (int64_t i = 0; i < steps; ++i)
    sn_push(&operands, whole_descriptor(b, descriptors[i]));
  for (int64_t i = 0; i < n / 2 && values; ++i)
    sn_push(&operands, values[i]);
  char *text = text_of(line, n, steps, b_along_sum, !values), *constraints = constraints_of(n, steps, !values);
  MlirOperation op = sn_gpu_ptx(b, text, constraints, sn_values((intptr_t)operands.size, operands.data),
                                sn_wgmma_sums(b, mlirF32TypeGet(b->ctx), n));
  sn_vec_free(&operands);
  free(text);
  free(constraints);
  return sn_result(op, 0);
}

void sn_wgmma_fence(SnBuilder *b) { sn_op(b, "nvvm.wgmma.fence.aligned"); }
void sn_wgmma_commit(SnBuilder *b) { sn_op(b, "nvvm.wgmma.commit.group.sync.aligned"); }
void sn_wgmma_await(SnBuilder *b, int64_t left) {
  sn_op(b, "nvvm.wgmma.wait.group.sync.aligned", sn_attr("group", sn_i64(b->ctx, left)));
}

void sn_wgmma_pin_values(SnBuilder *b, int64_t n, MlirValue *values) {
  size_t size = (size_t)n * 8 + 16, at = 0;
  char *ties = sn_alloc(size);
  MlirType *types = sn_alloc((size_t)n * sizeof *types);
  for (int64_t i = 0; i < n; ++i) {
    types[i] = sn_type_of(values[i]);
    at += (size_t)snprintf(ties + at, size - at, "%s=%s", i ? "," : "", sn_is_float(types[i]) ? "f" : "r");
  }
  for (int64_t i = 0; i < n; ++i)
    at += (size_t)snprintf(ties + at, size - at, ",%lld", (long long)i);
  MlirType type = mlirLLVMStructTypeLiteralGet(b->ctx, n, types, false);
  MlirValue pinned = sn_result(sn_gpu_ptx(b, "", ties, sn_values(n, values), type), 0);
  for (int64_t i = 0; i < n; ++i)
    values[i] = sn(b, "llvm.extractvalue", pinned, types[i], sn_attr("position", mlirDenseI64ArrayGet(b->ctx, 1, &i)));
  free(ties);
  free(types);
}

void sn_wgmma_pin(SnBuilder *b, MlirValue sums, MlirType of_sum, int64_t n, MlirValue *to) {
  for (int64_t i = 0; i < n; ++i)
    to[i] = sn(b, "llvm.extractvalue", sums, of_sum, sn_attr("position", mlirDenseI64ArrayGet(b->ctx, 1, &i)));
  sn_wgmma_pin_values(b, n, to);
}

void sn_wgmma_registers(SnBuilder *b, const char *action, int64_t count) {
  sn_op(b, "nvvm.setmaxregister", sn_types(0, NULL), sn_attr("regCount", mlirIntegerAttrGet(i32_type(b), count)),
        sn_attr("action", sn_parse_attr(b->ctx, "#nvvm<action %s>", action)));
}

MlirValue sn_wgmma_same_in_warp(SnBuilder *b, MlirValue i32) {
  MlirValue shuffled[] = {i32_of(b, -1), i32, i32_of(b, 0), i32_of(b, 31)};
  return sn(b, "nvvm.shfl.sync", sn_values(4, shuffled), i32_type(b),
            sn_attr("kind", sn_parse_attr(b->ctx, "#nvvm<shfl_kind idx>")));
}

void sn_wgmma_copy_at(SnBuilder *b, const SnGpuSideMap *m, MlirValue map, const MlirValue *at, const MlirValue *behind,
                      MlirValue to, MlirValue full, MlirValue blocks) {
  SnValueVec operands = {0};
  char places[40] = "", taps[32] = "", mask[8] = "", text[240], constraints[48] = "r,l,";
  bool one = sn_none(blocks);
  int rank = m->map.rank, windows = m->map.num_windows;
  sn_push(&operands, to);
  sn_push(&operands, map);
  for (int i = 0; i < rank; ++i) {
    sn_push(&operands, at[i]);
    snprintf(places + strlen(places), sizeof places - strlen(places), "%s$%d", i ? ", " : "", i + 2);
    strcat(constraints, "r,");
  }
  sn_push(&operands, full);
  strcat(constraints, "r,");
  for (int i = 0; i < windows; ++i) {
    sn_push(&operands, behind[i]);
    snprintf(taps + strlen(taps), sizeof taps - strlen(taps), "%s$%d", i ? ", " : ", {", rank + 3 + i);
    strcat(constraints, "h,");
  }
  if (!one) {
    sn_push(&operands, blocks);
    snprintf(mask, sizeof mask, ", $%d", rank + 3 + windows);
    strcat(constraints, "h,");
  }
  strcat(constraints, "~{memory}");
  snprintf(text, sizeof text,
           "cp.async.bulk.tensor.%dd.shared::cluster.global.%s.mbarrier::complete_tx::bytes%s [$0], [$1, {%s}], "
           "[$%d]%s%s%s;",
           rank, windows ? "im2col" : "tile", one ? "" : ".multicast::cluster", places, rank + 2, taps,
           windows ? "}" : "", mask);
  sn_gpu_ptx(b, text, constraints, sn_values((intptr_t)operands.size, operands.data), (MlirType){0});
  sn_vec_free(&operands);
}

void sn_wgmma_copy_box(SnBuilder *b, const SnGpuSideMap *m, MlirValue map, const SnAccess *access,
                       const MlirValue *dims, MlirValue to, MlirValue outer, MlirValue sum, MlirValue full,
                       MlirValue blocks) {
  MlirValue places[SN_GPU_MAP_DIMS];
  for (int i = 0; i < m->map.rank; ++i) {
    MlirValue at = i == m->sum ? sum : i == m->outer ? outer : (MlirValue){0};
    if (sn_none(at))
      at = sn_affine(b, mlirAffineMapGetResult(access->map, m->map.dims[i].first), dims);
    places[i] = sn(b, "arith.index_cast", at, i32_type(b));
  }
  sn_wgmma_copy_at(b, m, map, places, NULL, to, full, blocks);
}

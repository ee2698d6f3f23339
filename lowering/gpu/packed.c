// packed.c: rows of bf16 in registers as they are in memory.
//
//   phase 0        %w = arith.extf %x : vector<8xbf16> to vector<8xf32>         used, and forgotten
//   phase 1, 2     %w = prmt of the four words of %x                            each by another instruction
//
// 8 elements take 4 registers from phase to phase instead of 8, so that twice as much of a row fits; what was made of them is made
// again. Widened by the same instruction twice, LLVM or ptxas would keep the first's results. A bf16 is the upper half of an f32: prmt takes two
// bytes of the word and two of a zero, of which there are four.
//
// test: test/lowering/gpu/packed.mlir

#include "lowering/gpu/rows.h"
#include "lowering/rowmemory.h"

static bool is_bf16(MlirValue v) { return mlirTypeIsABF16(sn_element(sn_type_of(v))); }

// What it is extended by, if nothing else takes it.
static MlirOperation extended(MlirValue v) {
  MlirOperation none = {0}, user = sn_one_use(v) ? mlirOpOperandGetOwner(mlirValueGetFirstUse(v)) : none;
  return !sn_null(user) && sn_is(user, "arith.extf") ? user : none;
}

bool sn_gpu_is_packed(const SnForm *f) {
  bool any = false;
  for (intptr_t k = 0; k < mlirBlockGetNumArguments(f->body); ++k) {
    MlirValue v = mlirBlockGetArgument(f->body, k);
    if (!sn_is_row(v))
      continue;
    if (!is_bf16(v) || !sn_uses_rows(f, f->inputs.data[k].map) || sn_null(extended(v)))
      return false;
    any = true;
  }
  for (size_t a = 0; a < f->accumulators.size; ++a)
    any &= !sn_uses_cols(f, f->accumulators.data[a].map);
  return any;
}

static MlirValue widen(SnBuilder *b, MlirValue x, size_t phase) {
  int64_t width = sn_dim(sn_type_of(x), 0);
  MlirType i32 = mlirIntegerTypeGet(b->ctx, 32), f32 = mlirF32TypeGet(b->ctx);
  MlirValue words = sn(b, "vector.bitcast", x, sn_vector(i32, width / 2)), zero = sn_int(b, i32, 0), lanes[64];
  int64_t zeros = 0x44 + 0x11 * (int64_t)((phase - 1) % 4);
  for (int64_t l = 0; l < width; ++l) {
    MlirValue selector = sn_int(b, i32, (l % 2 ? 0x3200 : 0x1000) + zeros);
    MlirValue bits = sn(b, "llvm.call_intrinsic", sn_lane(b, words, l / 2), zero, selector, i32, sn_attr("intrin", sn_string(b->ctx, "llvm.nvvm.prmt")),
                        sn_attr("op_bundle_sizes", mlirDenseI32ArrayGet(b->ctx, 0, NULL)), sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b->ctx, 2, (int32_t[]){3, 0})));
    lanes[l] = sn(b, "arith.bitcast", bits, f32);
  }
  return sn(b, "vector.from_elements", sn_values(width, lanes), sn_vector(f32, width));
}

void sn_gpu_unpack(SnBuilder *b, SnGpuRowKernel *g, size_t i) {
  for (size_t u = 0; u < g->num_resident; ++u) {
    SnMap *made = &g->resident[u].made, kept = {0};
    for (intptr_t k = 0; k < mlirBlockGetNumArguments(g->form->body); ++k) {
      MlirValue v = mlirBlockGetArgument(g->form->body, k), x = sn_mapped(made, v);
      if (!sn_is_row(v) || sn_none(x))
        continue;
      sn_map(&kept, v, x);
      sn_map(&kept, sn_result(extended(v), 0), widen(b, x, i));
    }
    sn_map_free(made);
    *made = kept;
  }
}

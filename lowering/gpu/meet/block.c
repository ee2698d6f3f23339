// block.c: values of all threads of a block combined into one that all have.
//
//   warp:   x = x . shuffle(x, lane ^ 16), then ^ 8, 4, 2, 1
//   block:  lane 0 of each warp leaves its value in shared memory; barrier;
//           every warp reads all of them, one a lane, and combines them likewise
//
// Butterflies give every lane the same bits, in an order that only the number
// of threads decides.

#include "lowering/gpu/meet/online.h"

MlirValue sn_gpu_bits(SnBuilder *b, MlirValue x) {
  MlirType type = sn_type_of(x);
  unsigned bits = sn_bits(type);
  MlirType same = mlirIntegerTypeGet(b->ctx, bits);
  if (mlirTypeIsAIndex(type))
    x = sn(b, "arith.index_cast", x, same);
  else if (sn_is_float(type))
    x = sn(b, "arith.bitcast", x, same);
  return bits < 32 ? sn(b, "arith.extui", x, mlirIntegerTypeGet(b->ctx, 32)) : x;
}

MlirValue sn_gpu_from_bits(SnBuilder *b, MlirValue x, MlirType type) {
  unsigned bits = sn_bits(type);
  if (bits < 32)
    x = sn(b, "arith.trunci", x, mlirIntegerTypeGet(b->ctx, bits));
  if (mlirTypeIsAIndex(type))
    return sn(b, "arith.index_cast", x, type);
  return sn_is_float(type) ? sn(b, "arith.bitcast", x, type) : x;
}

static MlirValue shuffle(SnBuilder *b, MlirValue x, int64_t offset) {
  MlirType type = sn_type_of(x), i32 = mlirIntegerTypeGet(b->ctx, 32);
  bool as_it_is = !mlirTypeIsAIndex(type) && sn_bits(type) >= 32;
  MlirValue bits = as_it_is ? x : sn_gpu_bits(b, x);
  MlirType results[] = {sn_type_of(bits), mlirIntegerTypeGet(b->ctx, 1)};
  bits = sn(b, "gpu.shuffle", bits, sn_int(b, i32, offset), sn_int(b, i32, 32), sn_types(2, results),
            sn_attr("mode", sn_parse_attr(b->ctx, "#gpu<shuffle_mode xor>")));
  return as_it_is ? bits : sn_gpu_from_bits(b, bits, type);
}

MlirValue sn_gpu_butterfly(SnBuilder *b, const SnReduction *r, MlirValue x, int64_t lanes) {
  for (int64_t offset = lanes / 2; offset; offset /= 2)
    x = sn_reduction_combine(b, r, x, shuffle(b, x, offset));
  return x;
}

MlirValue sn_gpu_butterfly_of_teams(SnBuilder *b, const SnReduction *r, MlirValue x, int64_t team) {
  for (int64_t offset = 16; offset >= team; offset /= 2)
    x = sn_reduction_combine(b, r, x, shuffle(b, x, offset));
  return x;
}

MlirValue sn_gpu_any_lane(SnBuilder *b, MlirValue x) {
  MlirValue operands[] = {sn_int(b, mlirIntegerTypeGet(b->ctx, 32), -1), x};
  return sn(b, "nvvm.vote.sync", sn_values(2, operands), mlirIntegerTypeGet(b->ctx, 1),
            sn_attr("kind", sn_parse_attr(b->ctx, "#nvvm<vote_sync_kind any>")));
}

void sn_gpu_butterflies(SnBuilder *b, size_t n, const SnReduction *r, MlirValue *values, int64_t lanes, bool last) {
  MlirValue own[SN_GPU_MAX_VALUES];
  for (size_t i = 0; i < n; ++i) {
    own[i] = values[i];
    if (!r[i].under && !r[i].about)
      values[i] = sn_gpu_butterfly(b, &r[i], values[i], lanes);
  }
  for (size_t i = 0; i < n && lanes > 1; ++i)
    if (r[i].under || r[i].about)
      values[i] = sn_gpu_butterfly(b, &r[i], sn_reduction_moved(b, &sn_gpu_moves, &r[i], values[i], own, values, last),
                                   lanes);
}

void sn_gpu_reduce_block(SnBuilder *b, SnGpuKernel *k, size_t n, const SnReduction *reductions, MlirValue *values,
                         bool barrier) {
  sn_gpu_butterflies(b, n, reductions, values, 32, k->warps == 1);
  if (!n || k->warps == 1)
    return;
  sn_gpu_know_lanes(k);
  MlirValue *slots = sn_alloc(n * sizeof *slots);
  for (size_t i = 0; i < n; ++i)
    slots[i] = sn_gpu_shared(k, "values of warps", 1, &k->warps, reductions[i].type, SN_GPU_FOR_VECTORS);
  if (barrier && !k->single_tile)
    sn_gpu_sync(b, k);
  SnIf leader = sn_if(b, k->first_of_warp);
  for (size_t i = 0; i < n; ++i)
    sn_op(b, "memref.store", values[i], slots[i], k->warp);
  sn_end_if(b, &leader);
  sn_gpu_sync(b, k);
  MlirValue at = sn(b, "arith.remui", k->lane, sn_index(b, k->warps));
  for (size_t i = 0; i < n; ++i)
    values[i] = sn(b, "memref.load", slots[i], at, reductions[i].type);
  sn_gpu_butterflies(b, n, reductions, values, k->warps, true);
  free(slots);
}

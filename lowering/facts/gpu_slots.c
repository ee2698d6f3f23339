// gpu_slots.c: see gpu_slots.h.
//
// test: test/lowering/gpu/gpu_slots.mlir, test/passes/schedule/gpu_tiles.mlir

#include "lowering/facts/gpu_slots.h"
#include "lowering/rows/rowmemory.h"

// Neighbours of the last of these dimensions that is not 1 lie together.
static bool lie_together(const SnForm *f, const SnAccess *a, const int64_t *dims, size_t n) {
  for (size_t i = n; i-- > 0;)
    if (f->dims.data[dims[i]].size != 1)
      return !a->through.ptr && sn_unit_stride(a->map, dims[i]);
  return false;
}

static bool is_zero(MlirAttribute fill) {
  return mlirAttributeIsAFloat(fill) ? mlirFloatAttrGetValueDouble(fill) == 0
                                     : mlirAttributeIsAInteger(fill) && mlirIntegerAttrGetValueSInt(fill) == 0;
}

// How many from every multiple of so many of dimension d on are one aligned piece of memory, all of it in the tensor
// or beside it: d is the last subscript, and of no other.
static int64_t piece_of(const SnForm *f, const SnAccess *a, int64_t d) {
  MlirType t = sn_type_of(a->value);
  intptr_t last = sn_rank(t) - 1;
  int64_t bytes = (int64_t)sn_bits(sn_element(t)) / 8, size = f->dims.data[d].size, lanes = bytes ? 16 / bytes : 0;
  if (last < 0 || !sn_fills_bytes(sn_element(t)) || size == SN_DYNAMIC || sn_dim(t, last) == SN_DYNAMIC ||
      (a->fill.ptr && (!is_zero(a->fill) || size > sn_dim(t, last))))
    return 0;
  MlirAffineExpr at = mlirAffineMapGetResult(a->map, last);
  if (!mlirAffineExprIsADim(at) || mlirAffineDimExprGetPosition(at) != d)
    return 0;
  for (intptr_t i = 0; i < last; ++i)
    if (mlirAffineExprIsFunctionOfDim(mlirAffineMapGetResult(a->map, i), d))
      return 0;
  if (a->through.ptr)
    for (intptr_t i = 0; i < mlirDenseArrayGetNumElements(a->through); ++i)
      if (sn_map_uses(f->indices.data[mlirDenseI64ArrayGetElement(a->through, i)].map, d))
        return 0;
  while (lanes * bytes >= 4 && (size % lanes || sn_dim(t, last) % lanes))
    lanes /= 2;
  return lanes * bytes >= 4 ? lanes : 0;
}

static bool is_empty(const SnForm *f, const SnAccess *a, const SnGroup *sum) {
  MlirType t = sn_type_of(a->value);
  bool empty = !sum->num_dims;
  for (intptr_t i = 0; i < sn_rank(t); ++i)
    empty |= !sn_dim(t, i);
  for (int64_t d = sum->first; d < sum->first + sum->num_dims; ++d)
    empty |= f->dims.data[d].size == 0 || f->dims.data[d].size == SN_DYNAMIC;
  return empty;
}

static bool by_threads(const SnForm *f, const SnGpuPoints *points, const SnGpuProduct *p, bool is_a, int64_t extent,
                       SnGpuSlot *to, const char **why) {
  const SnAccess *a = &f->inputs.data[sn_side(f, is_a ? p->a : p->b).first];
  const SnGpuDims *outer = is_a ? &points->rows : &points->columns;
  MlirType element = sn_element(sn_type_of(a->value)),
           packed = sn_micro_packed(is_a ? p->line->a : p->line->b, p->type);
  int64_t bytes = (int64_t)sn_bits(packed) / 8, line = SN_GPU_SWIZZLED_BYTES / bytes, sum[SN_MAX_DIMS];
  size_t n = 0;
  for (int64_t d = p->summed.first; d < p->summed.first + p->summed.num_dims; ++d)
    sum[n++] = d;
  if (p->line->a == SN_TF32) {
    *why = "threads do not round to tf32, as copies do";
    return false;
  }
  if (is_empty(f, a, &p->summed)) {
    *why = "nothing is summed, or how much is not known";
    return false;
  }
  bool may_turn = bytes == 2 && extent % line == 0; // lines along rows or columns
  *to = (SnGpuSlot){.fetch = SN_GPU_BY_PIECES, .from_sum = lie_together(f, a, sum, n)};
  if (!to->from_sum && !lie_together(f, a, outer->dims, outer->n))
    to->from_sum = !outer->n;
  bool converted = !mlirTypeEqual(element, packed);
  to->lanes = to->from_sum           ? piece_of(f, a, sum[n - 1])
              : outer->n && may_turn ? piece_of(f, a, outer->dims[outer->n - 1])
                                     : 0;
  to->along_sum = to->from_sum;
  if (to->lanes && !converted)
    return true;
  to->fetch = SN_GPU_BY_VECTORS;
  while (to->lanes * bytes > 16 && extent * line / to->lanes < 2 * SN_GPU_WARPGROUP) // each thread has one
    to->lanes /= 2;
  if (to->lanes * bytes >= 16 && mlirShapedTypeHasStaticShape(sn_type_of(a->value)))
    return true;
  to->fetch = SN_GPU_BY_ELEMENTS;
  to->along_sum = !to->from_sum || !may_turn;
  to->lanes = to->along_sum == to->from_sum ? 1 : 16 / bytes;
  return true;
}

bool sn_gpu_slot(const SnForm *f, const SnGpuPoints *points, const SnGpuProduct *p, bool is_a, int64_t extent,
                 SnGpuSlot *to, const char **why) {
  const char *unsaid = NULL;
  *to = (SnGpuSlot){.fetch = SN_GPU_BY_COPIES};
  if (!sn_gpu_side_map(f, points, p, is_a, extent, &to->map, NULL) &&
      !sn_gpu_image_map(f, points, p, is_a, extent, &to->map))
    return by_threads(f, points, p, is_a, extent, to, why ? why : &unsaid);
  to->along_sum = to->from_sum = to->map.along_sum;
  return true;
}

int64_t sn_gpu_parts_read_once(const SnForm *f) {
  enum { SLOT = 32, SLOTS = 16, LONG = 64, MOST = 32 };
  int64_t parts = MOST;
  for (size_t i = 0; i < f->products.size; ++i) {
    int64_t slots = sn_gpu_pieces(f, i, SLOT, 1);
    bool window = false;
    for (size_t side = 2 * i; side < 2 * i + 2; ++side)
      window |= f->inputs.data[sn_side(f, side).first].fill.ptr || sn_side_summed(f, side).num_dims > 1;
    parts = window || slots == SN_DYNAMIC || slots < LONG ? 1 : slots / SLOTS < parts ? slots / SLOTS : parts;
  }
  return parts;
}

bool sn_gpu_reads_once(const SnForm *f, const SnGpuPoints *points, bool few_rows) {
  enum { FEW = 8, FEW_OF_LONG = 16, ACROSS = 128, MANY_TILES = 64, ALL_TILES = 132 };
  int64_t few = sn_gpu_dims_size(f, few_rows ? &points->rows : &points->columns), most = MANY_TILES,
          parts = sn_gpu_parts_read_once(f);
  bool by_elements = false;
  if (few == SN_DYNAMIC || few > (parts > 1 ? FEW_OF_LONG : FEW) || !sn_gpu_has_kernel(f, "mma.sync"))
    return false;
  for (size_t i = 0; i < f->products.size; ++i) {
    SnGpuSlot slot;
    SnGpuProduct p = sn_gpu_product(f, i, "wgmma");
    if (!p.line || !sn_gpu_slot(f, points, &p, !few_rows, ACROSS, &slot, NULL))
      return false;
    by_elements |= slot.fetch == SN_GPU_BY_ELEMENTS;
    most = f->inputs.data[sn_side(f, few_rows ? p.b : p.a).first].fill.ptr ? ALL_TILES : most;
  }
  int64_t rows = parts > 1 ? FEW_OF_LONG : FEW, // of a tile
      tiles = sn_gpu_num_tiles(f, points, few_rows ? rows : ACROSS, few_rows ? ACROSS : rows);
  return by_elements && tiles != SN_DYNAMIC && sn_times(tiles, parts) >= (parts > 1 ? ALL_TILES : most);
}

int64_t sn_gpu_fetchers(const SnForm *f, const SnGpuPoints *points, int64_t m, int64_t n) {
  SnGpuSlotFetch most = SN_GPU_BY_COPIES;
  for (size_t i = 0; i < f->products.size; ++i)
    for (int is_a = 0; is_a < 2; ++is_a) {
      SnGpuSlot slot;
      SnGpuProduct p = sn_gpu_product(f, i, "wgmma");
      if (p.line && sn_gpu_slot(f, points, &p, is_a, is_a ? m : n, &slot, NULL) && slot.fetch > most)
        most = slot.fetch;
    }
  return (most == SN_GPU_BY_PIECES || most == SN_GPU_BY_VECTORS) && n <= SN_GPU_MANY_FETCHERS_COLUMNS
             ? 2 * SN_GPU_WARPGROUP
             : SN_GPU_WARPGROUP;
}

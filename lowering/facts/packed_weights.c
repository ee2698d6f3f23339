// packed_weights.c: weights that lie as a CPU's kernel multiplies them, before the program runs.
//
//   (i) by (j = 512) product (k = 300) (%x[i, k], %w[k, j])     kernel = "fma512", n = 64, k = 256
//   %w : tensor<300x512xf32>  ->  tensor<8x2x256x64xf32>, read at [j floordiv 64, k floordiv 256, k mod 256, j mod 64]
//
//   kernel = "amx": pairs of k beside each other, tiles of 16 columns behind each other
//   %w : tensor<300x512xbf16>  ->  tensor<8x2x512x32xbf16>
//
// test: test/passes/schedule/packed_weights.mlir, test/lowering/cpu/packed_weights.mlir

#include "lowering/facts/packed_weights.h"
#include "capi/shim.h"
#include "dialect/attributes.h"
#include "dialect/schedules.h"

MlirAttribute sn_weights_said(MlirOperation func, intptr_t argument, const char *name) {
  MlirAttribute all = sn_is(func, "func.func") ? sn_get_attr(func, "arg_attrs") : mlirAttributeGetNull();
  return all.ptr ? mlirDictionaryAttrGetElementByName(mlirArrayAttrGetElement(all, argument), SN_STR(name)) : all;
}

bool sn_cpu_weights_asked_for(MlirValue v) {
  return mlirValueIsABlockArgument(v) && sn_weights_said(mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(v)),
                                                         mlirBlockArgumentGetArgNumber(v), SN_PACK)
                                             .ptr;
}

const void *sn_cpu_weights_key(MlirValue v) {
  MlirOperation op = sn_def(v, "arith.constant");
  MlirAttribute value = sn_null(op) ? mlirAttributeGetNull() : sn_get_attr(op, "value");
  if (value.ptr)
    return mlirAttributeIsADenseResourceElements(value) && sn_shim_resource(value).known ? value.ptr : NULL;
  return sn_cpu_weights_asked_for(v) ? v.ptr : NULL;
}

static bool is_fixed(const SnForm *f, const SnCpuProduct *p) {
  return p->sum != SN_DYNAMIC && p->sum > 0 && sn_group_length(f, p->group) != SN_DYNAMIC &&
         sn_group_length(f, p->group) > 0 && mlirShapedTypeHasStaticShape(sn_type_of(p->b->value));
}

static bool uses_rows(const SnForm *f, const SnCpuProduct *p) {
  bool any = false;
  for (int64_t d = 0; d < f->num_rows; ++d)
    any |= sn_side_uses(f, p->b_side, d);
  return any;
}

const char *sn_cpu_cannot_pack(const SnForm *f, const SnCpuProduct *p) {
  if (!sn_has_one_group(f))
    return "a kernel multiplies rows by it and by other matrices";
  if (!p->b)
    return "a kernel computes something of it before it multiplies";
  if (p->b->fill.ptr || p->b->through.ptr || sn_is_table(p->b))
    return "a kernel reads it through indices, or beyond its end";
  if (p->line->pack_b == SN_PACK_COLUMNS)
    return "a kernel reads it where it lies";
  if (p->line->parts)
    return "a kernel multiplies parts of its numbers";
  if (!is_fixed(f, p))
    return "a size of it is not known, or 0";
  if (uses_rows(f, p))
    return "it has a matrix for each row or batch";
  if (!sn_fills_bytes(p->b_type) || !mlirTypeEqual(sn_element(sn_type_of(p->b->value)), p->b_type))
    return "a kernel widens its numbers before it multiplies";
  return NULL;
}

bool sn_cpu_can_pack(const SnForm *f, const SnCpuProduct *p) { return !sn_cpu_cannot_pack(f, p); }

bool sn_cpu_packed_weights(const SnForm *f, const SnCpuProduct *p, MlirAttribute schedule, SnPackedWeights *w) {
  const SnMicroKernel *line = p->line;
  bool by_runs = sn_schedule_word_is(schedule, "pack", "windows") && p->run % line->group; // groups of each run
  if (!sn_cpu_can_pack(f, p) || by_runs)
    return false;
  bool tiles = line->sums == SN_SUMS_IN_TILES;
  int64_t unit_n = sn_micro_column_unit(line, p->type), unit_k = sn_micro_k_unit(line);
  *w = (SnPackedWeights){.n = sn_schedule_number(schedule, "n"),
                         .k = sn_schedule_number(schedule, "k"),
                         .group = line->group,
                         .tile = tiles ? line->n : 0};
  int64_t room = sn_pieces(w->n, unit_n) * unit_n, groups = sn_pieces(w->k, unit_k) * unit_k / line->group;
  w->panels = sn_pieces(sn_group_length(f, p->group), w->n);
  w->steps = sn_pieces(p->sum, w->k);
  w->groups = tiles ? groups : 0;
  w->rows = tiles ? groups * (room / line->n) : groups;
  w->columns = (tiles ? line->n : room) * line->group;
  return true;
}

void sn_cpu_packed_shape(const SnPackedWeights *w, int64_t *shape) {
  memcpy(shape, (int64_t[]){w->panels, w->steps, w->rows, w->columns}, 4 * sizeof *shape);
}

// Dimensions first .. first + n, flattened.
static MlirAffineExpr flat(const SnForm *f, MlirContext ctx, int64_t first, int64_t n) {
  MlirAffineExpr e = mlirAffineConstantExprGet(ctx, 0);
  for (int64_t d = first; d < first + n; ++d)
    e = mlirAffineAddExprGet(mlirAffineMulExprGet(e, mlirAffineConstantExprGet(ctx, f->dims.data[d].size)),
                             mlirAffineDimExprGet(ctx, d));
  return e;
}

static MlirAffineExpr by(MlirAffineExpr (*make)(MlirAffineExpr, MlirAffineExpr), MlirAffineExpr e, int64_t number) {
  return make(e, mlirAffineConstantExprGet(mlirAffineExprGetContext(e), number));
}

MlirAffineMap sn_cpu_packed_map(const SnForm *f, const SnCpuProduct *p, const SnPackedWeights *w) {
  MlirContext ctx = mlirAffineMapGetContext(p->b->map);
  MlirAffineExpr j = flat(f, ctx, p->columns.first, p->columns.num_dims), s = flat(f, ctx, p->first_dim, p->num_dims);
  MlirAffineExpr column = by(mlirAffineModExprGet, j, w->n), step = by(mlirAffineModExprGet, s, w->k);
  MlirAffineExpr row = by(mlirAffineFloorDivExprGet, step, w->group),
                 in_group = by(mlirAffineModExprGet, step, w->group);
  if (w->tile) {
    MlirAffineExpr tile = by(mlirAffineFloorDivExprGet, column, w->tile);
    row = mlirAffineAddExprGet(by(mlirAffineMulExprGet, tile, w->groups), row);
    column = by(mlirAffineModExprGet, column, w->tile);
  }
  column = mlirAffineAddExprGet(by(mlirAffineMulExprGet, column, w->group), in_group);
  MlirAffineExpr at[] = {by(mlirAffineFloorDivExprGet, j, w->n), by(mlirAffineFloorDivExprGet, s, w->k), row, column};
  return mlirAffineMapGet(ctx, (intptr_t)f->dims.size, 0, 4, at);
}

bool sn_cpu_is_packed(const SnForm *f, const SnCpuProduct *p, MlirAttribute schedule) {
  SnPackedWeights w;
  int64_t shape[4];
  if (!sn_schedule_word_is(schedule, "weights", "packed") || !sn_cpu_packed_weights(f, p, schedule, &w))
    return false;
  sn_cpu_packed_shape(&w, shape);
  MlirType t = sn_type_of(p->b->value);
  bool same = sn_rank(t) == 4 && mlirAffineMapEqual(p->b->map, sn_cpu_packed_map(f, p, &w));
  for (intptr_t d = 0; same && d < 4; ++d)
    same = sn_dim(t, d) == shape[d];
  return same;
}

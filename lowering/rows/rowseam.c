// rowseam.c: vectors of columns that lie in two pieces of memory.
//
//   %x[i, j, k], columns (i = 2, k = 49), at columns c .. c + 15; piece i ends behind `left` of them
//     ->   vector.maskedload %x[i, j, c mod 49 ..] of lanes 0 .. left - 1
//          vector.maskedload %x[i + 1, j, -left ..] of the others
//   %s[i]
//     ->   arith.select of %s[i] and %s[i + 1] by the same mask
//
// A batch of images, a channel at a time: the columns of an image lie together, and the next image is far away. Lane by
// lane that is a division and a load for each, in every vector of every operand.
//
// test: test/lowering/cpu/seams.mlir, test/run/seams.test

#include "lowering/rows/rowmemory.h"

// What all processors with so wide vectors mask: AVX-512 has masks for all elements, AVX2 for 32 bits and more.
static bool has_masks(int64_t bits, int64_t lanes) { return lanes >= 16 || (lanes >= 8 && bits >= 32); }

// `same`: the columns of a piece are one element.
static int64_t seam(const SnForm *f, const SnAccess *a, int64_t lanes, bool *same) {
  int64_t factors[SN_MAX_DIMS], piece = 1, d = f->num_rows + f->num_cols - 1;
  MlirType t = sn_type_of(a->value), element = sn_element(t);
  if (a->fill.ptr || a->through.ptr || sn_is_table(a) || !sn_fills_bytes(element) || mlirTypeIsAIndex(element) ||
      !has_masks(sn_bits(element), lanes) || sn_row_length(f) == SN_DYNAMIC || !mlirShapedTypeHasStaticShape(t) ||
      !sn_linear_factors(a->map, t, factors))
    return 0;
  while (d > f->num_rows && f->dims.data[d].size == 1)
    --d;
  *same = !factors[d];
  for (; d >= f->num_rows && (f->dims.data[d].size == 1 || factors[d] == (*same ? 0 : piece)); --d)
    piece = sn_times(piece, f->dims.data[d].size);
  return piece + 1 >= lanes && piece < SN_NARROW_MOST ? piece : 0; // lanes are in two pieces at most
}

int64_t sn_row_seam(const SnForm *f, const SnAccess *a, int64_t lanes) {
  bool same;
  return seam(f, a, lanes, &same);
}

// The columns that a piece has from this one on.
static MlirValue left_of(SnBuilder *b, const SnFragment *c, int64_t piece) {
  return sn(b, "arith.subi", sn_index(b, piece), sn(b, "arith.remui", c->column, sn_index(b, piece)));
}

// All dimensions at a column.
static void dims_at(SnBuilder *b, const SnRowProgram *p, MlirValue column, MlirValue *dims) {
  memcpy(dims, p->dims, (size_t)p->form->num_rows * sizeof *dims);
  sn_form_point(b, p->form, p->form->num_rows, p->form->num_cols, column, dims + p->form->num_rows);
}

// A vector's two places in an operand of one dimension, and the lanes that are at each.
typedef struct {
  MlirValue whole, at[2], mask[2];
} Places;

static Places places(SnBuilder *b, SnRowProgram *p, SnFragment *c, const SnAccess *a, int64_t piece) {
  MlirValue dims[SN_MAX_DIMS], at[SN_MAX_DIMS + 1], no_bounds, left = left_of(b, c, piece);
  Places s;
  s.at[0] = sn_row_offset(b, p, c, a, &s.whole);
  MlirValue next = sn(b, "arith.addi", c->column, left);
  dims_at(b, p, next, dims);
  sn_row_subscripts(b, p->form, a, dims, at, &no_bounds);
  sn_row_flat(b, a->value, at, &s.at[1]);
  // Behind the last piece there is no other, and no lane: an access without lanes takes microseconds where nothing is.
  s.at[1] = sn(b, "arith.select", sn_row_below(b, next, sn_index(b, sn_row_length(p->form))),
               sn(b, "arith.subi", s.at[1], left), s.at[0]);
  s.mask[0] = sn_row_lanes_below(b, sn_index(b, 0), left, c->columns, true);
  s.mask[1] = sn(b, "arith.xori", s.mask[0], sn_splat(b, sn_type_of(s.mask[0]), mlirBoolAttrGet(b->ctx, true)));
  return s;
}

// Elements of two pieces; of the last one where there is no other.
static MlirValue load_same(SnBuilder *b, SnRowProgram *p, SnFragment *c, const SnAccess *a, int64_t piece) {
  MlirValue dims[SN_MAX_DIMS], left = left_of(b, c, piece), last = sn_index(b, sn_row_length(p->form) - 1);
  sn_row_dims(b, p, c, 0, dims);
  MlirValue here = sn_lanes_broadcast(b, sn_row_load(b, p->form, a, dims), c->columns);
  dims_at(b, p, sn(b, "arith.minui", sn(b, "arith.addi", c->column, left), last), dims);
  MlirValue next = sn_lanes_broadcast(b, sn_row_load(b, p->form, a, dims), c->columns);
  return sn(b, "arith.select", sn_row_lanes_below(b, sn_index(b, 0), left, c->columns, true), here, next);
}

MlirValue sn_row_load_seam(SnBuilder *b, SnRowProgram *p, SnFragment *c, const SnAccess *a) {
  bool same;
  int64_t piece = seam(p->form, a, c->columns, &same);
  if (same)
    return load_same(b, p, c, a, piece);
  Places s = places(b, p, c, a, piece);
  MlirType t = sn_vector(sn_element(sn_type_of(a->value)), c->columns);
  MlirValue x = sn(b, "vector.maskedload", s.whole, s.at[0], s.mask[0], sn_zero(b, t), t);
  return sn(b, "vector.maskedload", s.whole, s.at[1], s.mask[1], x, t);
}

void sn_row_store_seam(SnBuilder *b, SnRowProgram *p, SnFragment *c, MlirValue x, const SnAccess *a) {
  Places s = places(b, p, c, a, sn_row_seam(p->form, a, c->columns));
  for (int i = 0; i < 2; ++i)
    sn_op(b, "vector.maskedstore", s.whole, s.at[i], s.mask[i], x);
}

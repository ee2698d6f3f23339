// arrange.c: sides of a GPU's products whose neighbours lie where no copy can take them together are stored first.
//
//   product (c, r, s) (%w[o, c, r, s], %x[n, c, h + r - 1, w + s - 1] else 0.0)
// ->
//   %v[o, r, s, c] = rowwise %w[o, c, r, s]        %y[n, h, w, c] = rowwise %x[n, c, h, w]
//   product (r, s, c) (%v[o, r, s, c], %y[n, h + r - 1, w + s - 1, c] else 0.0)
//
//   product (k = 4097) (%a[i, k], ...)    ->    %p = rowwise (i) by (k = 4104) (%a[i, k] else 0.0)
//                                               product (k = 4097) (%p[i, k], ...)
//
//   %s = rowwise (i) by (k = 6694) { ... }        %s = rowwise (i) by (k = 6696) { ... }
//   product (k = 6694) (%s[i, k], ...)      ->    product (k = 6694) (%s[i, k], ...)
//
// wgmma's slots can have any side, but an element at a time it costs a thread up to 400 cycles (lowering/facts/
// gpu_slots.h). Where all that cost comes to more than reading the side once and writing it, it is written: with a
// summed dimension that both sides name as the last one, in lines that are multiples of what cp.async moves; a last
// dimension that is one already is only made longer. Zeros are behind what was there, in both sides, so that sums are
// the same. A side that a form computes for this product alone is written in longer lines at once, which costs
// nothing. So are windows, and large sides, whose lines are multiples of 8 or 4 bytes, where these small pieces cost
// as much. Windows of f32, which no copies take, are written so for the sake of vectors. Before, summed dimensions that
// lie behind one another are made one (merge_sums.c), and a convolution of few filters is a product of its image by all
// taps of them (tap_products.c).
//
// decides: which sides of products are written in another order in front of them.
//
// runs in: sinter-gpu    test: test/passes/arrange/arrange.mlir, test/passes/arrange/computed_sides.mlir,
// test/gpu/emulate_rows.test

#include "passes/arrange/arrange.h"
#include "dialect/sequence.h"
#include "lowering/facts/gpu_slots.h"
#include "lowering/facts/gpu_streams.h"
#include "lowering/facts/gpu_window_tiles.h"
#include "passes/split/pieces.h"
#include "target/chips.h"

enum {
  TILE = 128,                // rows or columns of a tile; each tile of the other side reads a side again
  COPY_BYTES = 1800,         // that all multiprocessors read or write in a cycle, in the same order or turned by tiles
  APART_BYTES = 900,         // the same where what is read has gaps between neighbours (written_sides.c)
  ONCE_BYTES = 900,          // of a side that is read once by elements, and would be written first
  COPY_CYCLES = 7000,        // of one more launch
  STREAMED_BYTES = 4 << 20,  // of weights, for which so few rows are written another way
  STREAMED_ROWS = 16,
  STREAMED_PIECES = 32,      // where these would come in small pieces, or narrow boxes
  MOST_PADDED = 2,           // times the summed elements
  F32_LANES = 4,             // of a vector
  ONCE_ELEMENT_CYCLES = 50, // of mma.sync, whose threads wait for nobody
  WRITTEN_CYCLES = 21,      // of such an element where it is brought in pieces of 16 bytes, written before
  LINE_PIECE_CYCLES = 12,    // of a piece of a line beside what else goes on: it is asked for, and not waited for
  WINDOW_PIECE_CYCLES = 120, // of a thread that asks for a piece of a window, as long as a multiple of cp.async's
  F32_ELEMENT_CYCLES = 40,   // of a thread that reads one, by `fma`; in a window
  F32_WINDOW_CYCLES = 75,
};

// Of a convolution of half types. A slot that the copy engine fills is there in so many cycles of a thread less for
// each element of a window; but a line of it is of one tap, so that what channels lack is multiplied, too.
static const double copied_saves = 11, zero_costs = 8;

// A tensor that was written in another order: dimension `moved` is its last one, and `length` long; of each other one
// every steps[i]-th element is there.
typedef struct {
  MlirValue from, to;
  intptr_t moved;
  int64_t length, steps[SN_MAX_DIMS];
} Arranged;
typedef SN_VEC(Arranged) ArrangedVec;

typedef struct {
  SnForm f;
  SnGpuPoints points;
  SnGpuProduct product;
  int64_t padded, inner; // of the sum: which dimension becomes the last one, and its size then; -1: lines only grow
  intptr_t moved[2];     // of sides a and b: the tensor's dimension that becomes the last one; -1: the side stays
  double cycles[2];      // of a thread, for each element that it brings
  bool once[2];          // it is read once, and not again for the product, where it stays
  bool few_tiles;        // so few that those of a multiprocessor wait for what they read
  bool exact;            // f32 is multiplied by nothing but f32
} Plan;

static const SnAccess *side_of(const Plan *p, int is_b) {
  return &p->f.inputs.data[sn_side(&p->f, is_b ? p->product.b : p->product.a).first];
}

static bool is_summed(const Plan *p, int64_t d) {
  SnGroup g = p->product.summed;
  return d >= g.first && d < g.first + g.num_dims;
}

// The subscript that is dimension d by itself, of no other subscript and no index tensor; -1: there is none.
static intptr_t subscript_of(const SnForm *f, const SnAccess *a, int64_t d) {
  intptr_t at = -1;
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(a->map); ++i) {
    MlirAffineExpr e = mlirAffineMapGetResult(a->map, i);
    if (!mlirAffineExprIsFunctionOfDim(e, d))
      continue;
    if (at >= 0 || !mlirAffineExprIsADim(e))
      return -1;
    at = i;
  }
  for (intptr_t i = 0; a->through.ptr && i < mlirDenseArrayGetNumElements(a->through); ++i)
    if (sn_map_uses(f->indices.data[mlirDenseI64ArrayGetElement(a->through, i)].map, d))
      return -1;
  return at;
}

static int64_t side_bits(const Plan *p, int is_b) {
  return (int64_t)sn_bits(sn_element(sn_type_of(side_of(p, is_b)->value)));
}

// No other subscript uses these dimensions.
static bool is_alone(const SnAccess *a, intptr_t at, const SnGpuDims *dims) {
  bool alone = true;
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(a->map); ++i)
    for (size_t d = 0; d < dims->n && i != at; ++d)
      alone &= !mlirAffineExprIsFunctionOfDim(mlirAffineMapGetResult(a->map, i), (intptr_t)dims->dims[d]);
  return alone;
}

// The copy engine takes lines that only grow: the last subscript is all of the sum, or all rows or columns.
static bool may_grow(const Plan *p, int is_b) {
  const SnAccess *a = side_of(p, is_b);
  const SnGpuDims *outer = is_b ? &p->points.columns : &p->points.rows;
  intptr_t last = sn_rank(sn_type_of(a->value)) - 1;
  MlirAffineExpr e = last < 0 ? (MlirAffineExpr){0} : mlirAffineMapGetResult(a->map, last);
  if (last < 0 || a->through.ptr || !sn_gpu_copies_fill(&p->f, a, outer))
    return false;
  if (sn_gpu_is_flat(&p->f, e, outer))
    return side_bits(p, is_b) == 16 && is_alone(a, last, outer);
  if (!mlirAffineExprIsADim(e))
    return false;
  int64_t d = mlirAffineDimExprGetPosition(e);
  if (subscript_of(&p->f, a, d) != last)
    return false;
  return is_summed(p, d) ? p->product.summed.num_dims == 1
                         : side_bits(p, is_b) == 16 && outer->n == 1 && outer->dims[0] == d;
}

// So long that pieces of 16, 8 or 4 bytes fill it.
static int64_t padded_size(int64_t size, int64_t bits) {
  int64_t lanes = SN_LINE_BYTES * 8 / bits;
  while (lanes > 1 && size <= lanes / 2)
    lanes /= 2;
  return lanes * bits >= 32 ? sn_pieces(size, lanes) * lanes : 0;
}

// Taps beside the channels, of half types by tensor cores.
static bool is_window(const Plan *p) {
  int64_t sums = 0;
  for (int64_t d = p->product.summed.first; d < p->product.summed.first + p->product.summed.num_dims; ++d)
    sums += p->f.dims.data[d].size > 1;
  return p->product.line && side_bits(p, 0) == 16 && sums > 1;
}

// So long that lines of a slot are whole, and the copy engine takes windows of it (lowering/facts/gpu_image_maps.c); 0:
// too many of it would be zeros.
static int64_t whole_lines(const Plan *p) {
  int64_t size = p->f.dims.data[p->inner].size, line = is_window(p) ? sn_gpu_map_sum(&p->product) : 0,
          length = line ? sn_pieces(size, line) * line : 0;
  for (int is_b = 0; is_b < 2 && length; ++is_b)
    length = sn_gpu_may_be_image(&p->f, &p->points, &p->product, !is_b, p->inner) ? length : 0;
  return 2 * length <= 3 * size ? length : 0;
}

// A summed dimension that both sides name: the largest one.
static bool choose_inner(Plan *p) {
  SnGroup g = p->product.summed;
  p->inner = -1;
  for (int64_t d = g.first; d < g.first + g.num_dims; ++d)
    if (subscript_of(&p->f, side_of(p, 0), d) >= 0 && subscript_of(&p->f, side_of(p, 1), d) >= 0 &&
        (p->inner < 0 || p->f.dims.data[d].size > p->f.dims.data[p->inner].size))
      p->inner = d;
  if (p->inner < 0)
    return false;
  int64_t size = p->f.dims.data[p->inner].size;
  p->padded = whole_lines(p);
  if (!p->padded)
    p->padded = padded_size(size, side_bits(p, 0));
  for (int is_b = 0; is_b < 2; ++is_b) {
    const SnAccess *a = side_of(p, is_b);
    intptr_t at = subscript_of(&p->f, a, p->inner), last = sn_rank(sn_type_of(a->value)) - 1;
    if (sn_dim(sn_type_of(a->value), at) != size)
      return false; // a part of the dimension
    p->moved[is_b] = at == last && size == p->padded ? -1 : at;
  }
  return p->padded && p->padded <= MOST_PADDED * size;
}

static bool is_static(const SnForm *f) {
  bool known = true;
  for (size_t d = 0; d < f->dims.size; ++d)
    known &= f->dims.data[d].size > 0;
  for (size_t i = 0; i < sn_first_input(f); ++i)
    known &= mlirShapedTypeHasStaticShape(sn_type_of(f->inputs.data[i].value)) &&
             sn_rank(sn_type_of(f->inputs.data[i].value)) + 1 < SN_MAX_DIMS;
  return known;
}

static int64_t elements_of(MlirType t) {
  int64_t n = 1;
  for (intptr_t i = 0; i < sn_rank(t); ++i)
    n = sn_times(n, sn_dim(t, i));
  return n;
}

// Elements that threads load, over all tiles.
static double loads(const Plan *p, int is_b) {
  const SnForm *f = &p->f;
  int64_t all = sn_gpu_dims_size(f, &p->points.batch), other;
  all = sn_times(all, sn_gpu_dims_size(f, is_b ? &p->points.columns : &p->points.rows));
  other = sn_pieces(sn_gpu_dims_size(f, is_b ? &p->points.rows : &p->points.columns), TILE);
  for (int64_t d = p->product.summed.first; d < p->product.summed.first + p->product.summed.num_dims; ++d)
    all = sn_times(all, f->dims.data[d].size);
  return (double)all * (double)other;
}

// A form that computes one element from others, for nobody else: lines of its result may be longer at no cost.
static bool may_write_longer(MlirValue side) {
  if (!mlirValueIsAOpResult(side) || !sn_one_use(side) || !sn_is(mlirOpResultGetOwner(side), "sinter.rowwise"))
    return false;
  SnForm f = sn_form_read(mlirOpResultGetOwner(side));
  bool can = sn_num_results(f.op) == 1 && f.num_cols == 1 && sn_is_plain(&f) && !f.schedule.ptr && !f.indices.size &&
             !f.accumulators.size && !f.finish.ptr && is_static(&f) && sn_goes_by_elements(&f);
  if (can) {
    MlirAffineMap map = f.outputs.data[0].map;
    can = sn_map_dim(map, mlirAffineMapGetNumResults(map) - 1) == f.num_rows;
  }
  sn_form_free(&f);
  return can;
}

static double fetch_cycles(const Plan *p, int is_b, double each, const SnGpuChip *chip) {
  return loads(p, is_b) * each / (double)(SN_GPU_WARPGROUP * chip->multiprocessors);
}

// Subscript i where dimensions of one point are left out: that is their only one.
static MlirAffineExpr without_ones(const SnForm *f, MlirAffineExpr e) {
  MlirAffineExpr dims[SN_MAX_DIMS];
  MlirContext ctx = mlirAffineExprGetContext(e);
  for (intptr_t d = 0; d < (intptr_t)f->dims.size; ++d)
    dims[d] = f->dims.data[d].size == 1 ? mlirAffineConstantExprGet(ctx, 0) : mlirAffineDimExprGet(ctx, d);
  MlirAffineMap map = mlirAffineMapGet(ctx, (intptr_t)f->dims.size, 0, 1, &e);
  return mlirAffineMapGetResult(sn_map_replace(map, (intptr_t)f->dims.size, dims), 0);
}

// The subscript over `step`, which it is a multiple of; dimensions of one point are in it still.
static MlirAffineExpr over_step(const SnForm *f, MlirAffineExpr e, int64_t step) {
  MlirContext ctx = mlirAffineExprGetContext(e);
  MlirAffineExpr to = mlirAffineFloorDivExprGet(without_ones(f, e), mlirAffineConstantExprGet(ctx, step));
  for (intptr_t d = 0; d < (intptr_t)f->dims.size; ++d)
    if (f->dims.data[d].size == 1 && mlirAffineExprIsFunctionOfDim(e, d))
      to = mlirAffineAddExprGet(to, mlirAffineDimExprGet(ctx, d));
  return to;
}

// Of each dimension of a side that is written in another order: which multiple of a number all its places are (a
// convolution in steps of two reads every second line, whose others need not be there). How many times fewer they are.
static int64_t steps_of(const Plan *p, int is_b, int64_t *steps) {
  const SnAccess *a = side_of(p, is_b);
  int64_t fewer = 1, rank = sn_rank(sn_type_of(a->value));
  for (intptr_t i = 0; i < rank; ++i) {
    MlirAffineExpr e = without_ones(&p->f, mlirAffineMapGetResult(a->map, i));
    bool whole = i == p->moved[is_b] || p->inner < 0 || p->moved[is_b] == rank - 1 || a->through.ptr ||
                 mlirAffineExprIsAConstant(e);
    steps[i] = whole ? 1 : mlirAffineExprGetLargestKnownDivisor(e);
    fewer *= steps[i];
  }
  return fewer;
}

static double copy_cycles(const Plan *p, int is_b) {
  MlirType t = sn_type_of(side_of(p, is_b)->value);
  int64_t steps[SN_MAX_DIMS], elements = elements_of(t) / steps_of(p, is_b, steps);
  double bytes_of_a_cycle = steps[sn_rank(t) - 1] == 1 ? COPY_BYTES : APART_BYTES;
  return COPY_CYCLES + 2 * (double)elements * (double)side_bits(p, is_b) / 8 / bytes_of_a_cycle;
}

static bool pays(const Plan *p, const SnGpuChip *chip) {
  double fetch = 0, copy = 0;
  for (int is_b = 0; is_b < 2; ++is_b) {
    fetch += fetch_cycles(p, is_b, p->cycles[is_b], chip);
    MlirValue side = side_of(p, is_b)->value;
    if (p->moved[is_b] >= 0 && (p->inner >= 0 || !may_write_longer(side)))
      copy += copy_cycles(p, is_b);
    if (p->once[is_b])
      copy += p->few_tiles ? fetch_cycles(p, is_b, WRITTEN_CYCLES, chip)
                       : 2 * loads(p, is_b) * (double)side_bits(p, is_b) / 8 / ONCE_BYTES;
  }
  return fetch > copy;
}

// ---- products of f32 by ordinary arithmetic ------------------------------------------------------

static bool by_vectors(const Plan *p, int is_b) {
  SnGpuDims sum = {0};
  for (int64_t d = p->product.summed.first; d < p->product.summed.first + p->product.summed.num_dims; ++d)
    sum.dims[sum.n++] = d;
  const SnAccess *a = side_of(p, is_b);
  const SnGpuDims *outer = is_b ? &p->points.columns : &p->points.rows;
  return sn_gpu_are_vectors(&p->f, a, sn_gpu_is_along(&p->f, a, &sum) ? &sum : outer, F32_LANES);
}

// Windows: a thread that names each element by itself takes three times as long as it multiplies (a convolution of 5 x
// 5 on an H200: 15.7 TFLOP/s, and 34.4 by vectors).
static bool plan_f32(Plan *p, size_t number, const SnGpuChip *chip) {
  SnGpuWindowTile window;
  if (sn_gpu_window_tile(&p->f, chip, p->exact, &window)) // threads read them where they lie
    return false;
  p->product = sn_gpu_product(&p->f, number, "fma");
  if (!mlirTypeIsAF32(p->product.type) || p->product.summed.num_dims < 2 || side_bits(p, 0) != 32 ||
      side_bits(p, 1) != 32)
    return false;
  for (int is_b = 0; is_b < 2; ++is_b)
    p->cycles[is_b] = by_vectors(p, is_b) ? 0 : side_of(p, is_b)->fill.ptr ? F32_WINDOW_CYCLES : F32_ELEMENT_CYCLES;
  return (p->cycles[0] > 0 || p->cycles[1] > 0) && choose_inner(p) && p->padded % F32_LANES == 0 &&
         2 * p->padded <= 3 * p->f.dims.data[p->inner].size && pays(p, chip);
}

// Of a side that threads bring in small pieces, and that would be copies in longer lines; 0: it stays. One that is
// computed has them for nothing. Another one is written where that is less than its pieces (an H200: 12886 x 3520 of
// 5412 in bf16 857 us by pieces of 8 bytes, 771 written; 15720 x 131 of 658 25.6 us by pieces of 4 bytes, 33 written).
static double piece_cycles(Plan *p, int is_b, const SnGpuSlot *slot, const SnGpuChip *chip) {
  if (slot->fetch != SN_GPU_BY_PIECES || slot->lanes * side_bits(p, is_b) >= SN_LINE_BYTES * 8 || !may_grow(p, is_b))
    return 0;
  if (may_write_longer(side_of(p, is_b)->value))
    return (double)SN_GPU_PIECE_CYCLES / (double)slot->lanes;
  double each = (double)LINE_PIECE_CYCLES / (double)slot->lanes;
  return fetch_cycles(p, is_b, each, chip) > copy_cycles(p, is_b) ? each : 0;
}

// The same of a window, each of whose pieces a thread has to find: what longer ones would save. (An H200: a convolution
// 3 x 3 of 34 channels in bf16 25.7 us by pieces of 4 bytes; 14.6 with 40 channels, writing them included.)
static double window_cycles(const Plan *p, int is_b, const SnGpuSlot *slot) {
  int64_t bits = slot->lanes * side_bits(p, is_b);
  if (slot->fetch != SN_GPU_BY_PIECES || may_grow(p, is_b))
    return 0;
  double saved = WINDOW_PIECE_CYCLES * (1.0 - (double)bits / (SN_LINE_BYTES * 8)) / (double)slot->lanes;
  Plan longer = *p;
  if (choose_inner(&longer) && whole_lines(&longer)) {
    double zeros = (double)longer.padded / (double)p->f.dims.data[longer.inner].size - 1;
    saved += copied_saves > zeros * zero_costs ? copied_saves - zeros * zero_costs : 0;
  }
  return saved;
}

// Windows that come in small pieces are written in longer lines, and what they are multiplied by.
static bool plan_windows(Plan *p, const double *windows, const SnGpuChip *chip) {
  Plan longer = *p;
  for (int is_b = 0; is_b < 2; ++is_b)
    longer.cycles[is_b] += windows[is_b];
  if ((windows[0] == 0 && windows[1] == 0) || !choose_inner(&longer) || longer.moved[0] < 0 || longer.moved[1] < 0 ||
      !pays(&longer, chip))
    return false;
  *p = longer;
  return true;
}

// What has no price of its own is written longer, whatever becomes of the other side.
static bool keep_free(Plan *p) {
  for (int is_b = 0; is_b < 2; ++is_b)
    if (p->moved[is_b] >= 0 && !may_write_longer(side_of(p, is_b)->value))
      p->moved[is_b] = -1;
  return p->moved[0] >= 0 || p->moved[1] >= 0;
}

// The form would be a stream (lowering/facts/gpu_streams.h) if the sum were the last of this side's dimensions, and its
// weights have pieces of 16 bytes, or come element by element otherwise.
static bool streams_along(Plan *p, int is_b, intptr_t at, SnGpuStream *stream) {
  size_t number = is_b ? p->product.b : p->product.a;
  SnAccess *a = &p->f.inputs.data[sn_side(&p->f, number).first], was = *a;
  MlirType t = sn_type_of(a->value);
  intptr_t rank = sn_rank(t), n = 0;
  int64_t shape[SN_MAX_DIMS];
  MlirAffineExpr e[SN_MAX_DIMS];
  for (intptr_t i = 0; i < rank; ++i) {
    intptr_t d = i == at ? rank - 1 : n++;
    shape[d] = sn_dim(t, i);
    e[d] = mlirAffineMapGetResult(a->map, i);
  }
  SnBuilder b = sn_before(p->f.op);
  a->value = sn(&b, "tensor.empty", sn_tensor(sn_element(t), rank, shape));
  a->map = mlirAffineMapGet(b.ctx, mlirAffineMapGetNumDims(a->map), mlirAffineMapGetNumSymbols(a->map), rank, e);
  bool streams = sn_gpu_stream_is_wanted(&p->f, stream) && stream->rows == number;
  if (streams && stream->odd) {
    SnGpuSlot slot;
    streams = sn_gpu_slot(&p->f, &p->points, &p->product, is_b, TILE, &slot, NULL) && slot.fetch == SN_GPU_BY_ELEMENTS;
  }
  mlirOperationDestroy(sn_definer(a->value));
  *a = was;
  return streams;
}

// Few rows [k, i] by large weights that could be streamed: a tile of wgmma would have threads bring 64 of them for each
// slot, or copies as wide. (An H200, weights [j, k] of half types, over writing them: 3 x 5056 of 1376 4.8, 8 x 3000 of
// 1024 2.6, 7 x 5000 of 1377 1.8, 12 x 4096 of 4096 1.28, 16 x 2048 of 1200 1.12, 24 x 2000 of 1100 1.01, 30 x 2500 of
// 2000 0.95; lines of 8 bytes' multiples, 2 x 9000 of 700, 0.71; bench/results/gpu_streams.md. Of more rows those that
// are copied in boxes of 48 bytes: 24 x 4096 of 1024 2.1, 24 x 8192 of 512 1.8, 24 x 2000 of 1104 1.2; of 64 bytes 32 x
// 2500 of 2000 0.90, 32 x 4096 of 4096 0.89. By weights whose lines begin anywhere those that come by elements: 33 x
// 6034 of 459 1.4; by pieces 20 x 6000 of 777 1.07, 50 x 3000 of 2001 0.81; copied 64 x 4000 of 2001 0.78.)
static bool are_few(const Plan *p, int is_b, int64_t rows, const SnGpuStream *stream) {
  int64_t line = rows * side_bits(p, is_b) / 8, most = STREAMED_ROWS;
  if (stream->odd)
    most = rows % 2 ? SN_GPU_STREAM_FEW_ROWS : line % SN_LINE_BYTES ? STREAMED_PIECES : STREAMED_ROWS;
  else if (line % SN_LINE_BYTES == 0 && line % (4 * SN_LINE_BYTES))
    most = STREAMED_PIECES;
  return rows <= most;
}

static bool plan_stream(Plan *p) {
  SnGroup g = p->product.summed;
  if (p->f.products.size != 1 || g.num_dims != 1)
    return false;
  for (int is_b = 0; is_b < 2; ++is_b) {
    int64_t rows = sn_gpu_dims_size(&p->f, is_b ? &p->points.columns : &p->points.rows);
    SnGpuStream stream;
    if (rows > SN_GPU_STREAM_FEW_ROWS)
      continue;
    const SnAccess *a = side_of(p, is_b);
    MlirType of_weights = sn_type_of(side_of(p, !is_b)->value);
    intptr_t at = subscript_of(&p->f, a, g.first);
    int64_t bytes = sn_times(elements_of(of_weights), side_bits(p, !is_b) / 8);
    if (at < 0 || at + 1 == sn_rank(sn_type_of(a->value)) || bytes < STREAMED_BYTES ||
        !streams_along(p, is_b, at, &stream) || !are_few(p, is_b, rows, &stream))
      continue;
    p->inner = g.first;
    p->padded = p->f.dims.data[g.first].size;
    p->moved[is_b] = at;
    p->moved[!is_b] = -1;
    return true;
  }
  return false;
}

static bool plan_product(Plan *p, size_t number, const SnGpuChip *chip) {
  bool grow = true;
  double by_pieces[2], windows[2];
  p->few_tiles = sn_gpu_num_tiles(&p->f, &p->points, TILE, TILE) < 2 * chip->multiprocessors;
  if (sn_gpu_sums_are_short(&p->f))
    return false;
  p->product = sn_gpu_product(&p->f, number, "wgmma");
  if (!p->product.line)
    return plan_f32(p, number, chip);
  SnGpuStream stream;
  if (sn_gpu_stream_is_wanted(&p->f, &stream)) // lines stay as they lie
    return false;
  if (plan_stream(p))
    return true;
  for (int is_b = 0; is_b < 2; ++is_b) {
    SnGpuSlot slot;
    if (!sn_gpu_slot(&p->f, &p->points, &p->product, !is_b, TILE, &slot, NULL))
      return false;
    p->cycles[is_b] = slot.fetch == SN_GPU_BY_ELEMENTS ? SN_GPU_ELEMENT_CYCLES : 0;
    p->once[is_b] = p->cycles[is_b] > 0 && sn_gpu_reads_once(&p->f, &p->points, is_b);
    p->cycles[is_b] = p->once[is_b] ? ONCE_ELEMENT_CYCLES : p->cycles[is_b];
    by_pieces[is_b] = piece_cycles(p, is_b, &slot, chip);
    windows[is_b] = window_cycles(p, is_b, &slot);
    grow &= slot.fetch != SN_GPU_BY_ELEMENTS || may_grow(p, is_b);
  }
  if (plan_windows(p, windows, chip))
    return true;
  p->inner = -1;
  for (int is_b = 0; is_b < 2; ++is_b) {
    p->cycles[is_b] += grow ? by_pieces[is_b] : 0;
    p->moved[is_b] = p->cycles[is_b] > 0 ? sn_rank(sn_type_of(side_of(p, is_b)->value)) - 1 : -1;
  }
  if ((p->moved[0] < 0 && p->moved[1] < 0) || (!grow && !choose_inner(p)))
    return false;
  return pays(p, chip) || (grow && keep_free(p));
}

// ---- what is written ---------------------------------------------------------------------------------

// Of the same block, so that it is there for whoever comes later.
static MlirValue arranged(SnBuilder *b, ArrangedVec *all, MlirOperation user, MlirValue from, intptr_t moved,
                          int64_t length, const int64_t *steps) {
  size_t rank = (size_t)sn_rank(sn_type_of(from));
  for (size_t i = 0; i < all->size; ++i) {
    Arranged *x = &all->data[i];
    MlirBlock block = mlirOperationGetBlock(mlirOpResultGetOwner(x->to));
    if (sn_same(x->from, from) && x->moved == moved && x->length == length &&
        !memcmp(x->steps, steps, rank * sizeof *steps) &&
        mlirBlockEqual(block, mlirOperationGetBlock(user)))
      return x->to;
  }
  Arranged made = {from, sn_write_arranged(b, from, moved, length, steps), moved, length, {0}};
  memcpy(made.steps, steps, rank * sizeof *steps);
  sn_push(all, made);
  return made.to;
}

static void rearrange_side(SnBuilder *b, const Plan *p, int is_b, SnAccess *a, ArrangedVec *all) {
  intptr_t moved = p->moved[is_b], rank = sn_rank(sn_type_of(a->value)), n = 0;
  int64_t lanes = SN_LINE_BYTES * 8 / side_bits(p, is_b),
          length = p->inner >= 0 ? p->padded : sn_pieces(sn_dim(sn_type_of(a->value), moved), lanes) * lanes;
  MlirAffineExpr e[SN_MAX_DIMS];
  int64_t steps[SN_MAX_DIMS];
  steps_of(p, is_b, steps);
  for (intptr_t i = 0; i < rank; ++i)
    if (i != moved) {
      MlirAffineExpr was = mlirAffineMapGetResult(a->map, i);
      e[n++] = steps[i] == 1 ? was : over_step(&p->f, was, steps[i]);
    }
  e[n] = mlirAffineMapGetResult(a->map, moved);
  bool computed = p->inner < 0 && may_write_longer(a->value);
  a->value = computed ? sn_compute_longer(a->value, length) : arranged(b, all, p->f.op, a->value, moved, length, steps);
  a->map = mlirAffineMapGet(b->ctx, mlirAffineMapGetNumDims(a->map), mlirAffineMapGetNumSymbols(a->map), rank, e);
}

// The form with the inner dimension as the last of its product's, and longer.
static void reorder(SnBuilder *b, const Plan *p, SnForm *to) {
  int64_t first = p->product.summed.first, last = first + p->product.summed.num_dims - 1;
  MlirAffineExpr e[SN_MAX_DIMS];
  for (int64_t d = 0; d < (int64_t)to->dims.size; ++d) {
    int64_t is = d == p->inner ? last : d > p->inner && d <= last ? d - 1 : d;
    e[d] = mlirAffineDimExprGet(b->ctx, is);
    to->dims.data[is] = p->f.dims.data[d];
  }
  to->dims.data[last].size = p->padded;
  for (size_t k = 0; k < to->inputs.size + to->indices.size + to->outputs.size; ++k) {
    SnAccess *a = (SnAccess *)sn_form_access(to, k);
    a->map = sn_map_replace(a->map, (intptr_t)to->dims.size, e);
  }
  for (size_t k = 0; k < to->accumulators.size; ++k)
    to->accumulators.data[k].map = sn_map_replace(to->accumulators.data[k].map, (intptr_t)to->dims.size, e);
}

static MlirOperation arrange(const Plan *p, ArrangedVec *all) {
  SnBuilder b = sn_before(p->f.op);
  SnForm to = sn_form_read(p->f.op);
  for (int is_b = 0; is_b < 2; ++is_b)
    if (p->moved[is_b] >= 0)
      rearrange_side(&b, p, is_b, &to.inputs.data[sn_side(&to, is_b ? p->product.b : p->product.a).first], all);
  if (p->inner >= 0)
    reorder(&b, p, &to);
  MlirOperation made = sn_with_other_sides(&b, &p->f, &to), computed[2] = {0};
  for (int is_b = 0; is_b < 2; ++is_b) {
    MlirValue side = side_of(p, is_b)->value;
    if (p->moved[is_b] >= 0 && p->inner < 0 && may_write_longer(side))
      computed[is_b] = mlirOpResultGetOwner(side);
  }
  mlirOperationDestroy(p->f.op);
  for (int is_b = 0; is_b < 2; ++is_b)
    if (computed[is_b].ptr)
      mlirOperationDestroy(computed[is_b]);
  sn_form_free(&to);
  return made;
}

static void arrange_form(MlirOperation op, const SnGpuChip *chip, bool exact, ArrangedVec *all) {
  for (size_t number = 0, products = 1; number < products; ++number) {
    Plan p = {.f = sn_form_read(op), .exact = exact};
    bool can =
        sn_num_results(op) && !sn_in_sequence(op) && !p.f.schedule.ptr && !sn_gpu_not_products(&p.f) && is_static(&p.f);
    products = p.f.products.size;
    p.points = sn_gpu_points(&p.f);
    if (can && plan_product(&p, number, chip))
      op = arrange(&p, all);
    sn_form_free(&p.f);
    if (!can)
      return;
  }
}

// ---- the pass ------------------------------------------------------------------------------------------------

typedef struct {
  const char *chip;
  bool allow_tf32, f32_parts;
} Options;
static const SnOption options[] = {
    {SN_OPTION_STRING, "chip", "the GPU's architecture, as ptxas names it", SN_GPU_CHIP_DEFAULT, NULL,
     offsetof(Options, chip)},
    {SN_OPTION_BOOL, "allow-tf32", "a GPU may round the sides of products in f32 to tf32", "false", NULL,
     offsetof(Options, allow_tf32)},
    {SN_OPTION_BOOL, "f32-parts", "a GPU's products in f32 may take sides as sums of three bf16", "false", NULL,
     offsetof(Options, f32_parts)},
    {0},
};

typedef struct {
  const SnGpuChip *chip; // where wgmma has slots, or NULL
  bool exact;
} Arrange;

static MlirLogicalResult arrange_function(MlirOperation func, void *user) {
  const Arrange *how = user;
  SnOpVec rows = sn_collect(func, "sinter.rowwise");
  for (size_t k = 0; k < rows.size; ++k)
    sn_spread_columns(sn_merge_columns(sn_longer_rows(sn_order_rows(sn_order_columns(sn_one_row(rows.data[k]))))));
  sn_vec_free(&rows);
  SnOpVec forms = sn_collect(func, "sinter.contract");
  ArrangedVec all = {0};
  for (size_t k = 0; k < forms.size; ++k) {
    MlirOperation form = sn_merge_sums(forms.data[k]);
    if (how->chip)
      arrange_form(sn_multiply_taps(form), how->chip, how->exact, &all);
  }
  sn_vec_free(&all);
  sn_vec_free(&forms);
  return SN_OK;
}

static MlirLogicalResult run(const SnRun *run, MlirOperation op) {
  const Options *o = run->options;
  const SnGpuChip *chip = sn_gpu_chip(o->chip);
  if (!chip)
    return sn_error(op, SN_GPU_CHIP_ERROR, o->chip);
  Arrange how = {.chip = strcmp(o->chip, "sm_90a") ? NULL : chip, .exact = !o->allow_tf32 && !o->f32_parts};
  return sn_each_function(op, arrange_function, &how);
}

MlirDialectHandle mlirGetDialectHandle__tensor__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__tensor__, NULL};

const SnPass sn_pass_arrange = {
    .argument = "sinter-arrange",
    .summary = "sides of a GPU's products -> tensors whose neighbours copies take together, where that costs less",
    .options = options,
    .options_size = sizeof(Options),
    .dialects = dialects,
    .run = run,
};

// product_windows.c: convolutions whose windows threads load from where they lie.
//
//   product (c, r, s) (%w[o, c, r, s], %x[n, c, y + r - 1, x + s - 1] else 0.0)
//     for each k channels of the sum:
//       w of the tile's filters    ->   shared memory: lines of m filters for each tap
//       for each of them, a warp every n-th:
//         for each tap (written out):
//           a lane's points of x, that no tap before has loaded: ld.global, or 0 beside the image
//           sum[o][point] += w[tap][o] . x[point + tap]
//     sums of warps that share the channels, one behind the other -> sums[m][n]
//
// Lanes are neighbours of the last dimension, so what a warp loads lies together. Points of a lane lie below each
// other: what one reads for a tap the next one has for another, in a register. A load that is beside the image is not
// made: whether lines and columns are inside is a word each, outside of the loop.
//
// test: test/lowering/gpu/product_windows.mlir, test/gpu/emulate_streams.test

#include "lowering/facts/gpu_windows.h"
#include "lowering/gpu/products/product_fetch.h"
#include "lowering/rows/index.h"
#include "lowering/rows/rowmemory.h"

enum {
  LANES = 32,
  AT_ONCE = 8,    // weights of a thread under way to shared memory
  TOGETHER = 4,   // filters whose weights a thread loads at once
  SIGN = 31,      // of a word
  WORD_BYTES = 4, // of f32
};

// What a lane has loaded of x: its subscripts, beside those of the lane's first point at the first tap.
typedef struct {
  int64_t at[SN_MAX_DIMS];
  MlirValue value;
} Loaded;
typedef SN_VEC(Loaded) LoadedVec;

// The word of a subscript that may be outside, where it is so far from that of the first point.
typedef struct {
  intptr_t subscript;
  int64_t distance;
  MlirValue word; // i32: all bits, or none
} Inside;
typedef SN_VEC(Inside) InsideVec;

typedef struct {
  SnGpuProducts *g;
  const SnGpuProduct *product;
  SnGpuWindow window;
  const SnAccess *x;
  int64_t filters, points; // of a thread
  int64_t line;            // elements of a tap in shared memory
  int64_t across;          // warps that have different filters; others share what is summed
  int64_t shares;          // so many
  MlirValue memory;        // memref<taps x line>
  MlirValue lane_x, lane_y, first_filter, share;
} Windows;

// ---- filters ---------------------------------------------------------------------------------------

// Dimensions of the sum lie behind one another in the weights: the last one says by itself where.
static bool weights_lie_flat(const Windows *w, const SnAccess *a) {
  const SnForm *f = w->g->form;
  SnGroup sum = w->product->summed;
  int64_t factors[SN_MAX_DIMS];
  bool flat = sn_linear_factors(a->map, sn_type_of(a->value), factors);
  for (int64_t d = sum.first; d + 1 < sum.first + sum.num_dims && flat; ++d)
    flat = factors[d] == sn_times(factors[d + 1], f->dims.data[d + 1].size);
  return flat;
}

// Where the weights of summed element `summed` begin, of the tile's filter `filter`: elements from the first one on.
static MlirValue weight_offset(SnBuilder *b, const Windows *w, const SnAccess *a, MlirValue filter, MlirValue summed,
                               MlirValue *whole) {
  SnGpuProducts *g = w->g;
  SnGroup sum = w->product->summed;
  SnGpuDims of_sum = {.n = (size_t)sum.num_dims};
  MlirValue dims[SN_MAX_DIMS], at[SN_MAX_DIMS + 1], unused, offset;
  memcpy(dims, g->dims, sizeof dims);
  for (int64_t d = 0; d < sum.num_dims; ++d) {
    of_sum.dims[d] = sum.first + d;
    dims[sum.first + d] = d + 1 < sum.num_dims ? sn_index(b, 0) : summed;
  }
  if (!weights_lie_flat(w, a))
    sn_gpu_point(b, g->form, &of_sum, summed, dims);
  sn_gpu_point(b, g->form, &g->plan->points.rows, filter, dims);
  sn_row_subscripts(b, g->form, a, dims, at, &unused);
  *whole = sn_row_flat(b, a->value, at, &offset);
  return offset;
}

// Those of the summed elements from `first` on, below `end`: 0 beside the ends. Eight taps of four filters are a warp's
// at a time, whole sectors of memory, and different banks; a thread has every fourth filter of a tap.
static void fetch_filters(SnBuilder *b, const Windows *w, MlirValue first, MlirValue end) {
  SnGpuProducts *g = w->g;
  const SnGpuProductPlan *plan = g->plan;
  const SnAccess *a = &g->form->inputs.data[sn_side(g->form, w->product->a).first];
  int64_t low = plan->m < TOGETHER ? plan->m : TOGETHER, each = plan->m / low, lines = AT_ONCE / each,
          all = plan->k * w->window.taps, apart = g->k->threads / low;
  lines = lines < 1 ? 1 : lines;
  MlirType f32 = w->product->type;
  MlirValue own = modulo(b, g->k->thread, low), taps = sn_index(b, all), x[SN_GPU_WINDOW_MOST_FILTERS],
            in[SN_GPU_WINDOW_MOST_FILTERS];
  SnLoop l = sn_for(b, over(b, g->k->thread, low), taps, sn_index(b, apart * lines));
  for (int64_t n = 0; n < lines * each; ++n) {
    MlirValue filter = plus(b, g->first_row, plus_n(b, own, n % each * low)),
              summed = plus(b, first, plus_n(b, l.index, n / each * apart)), whole,
              offset = weight_offset(b, w, a, filter, summed, &whole);
    in[n] = sn(b, "arith.andi", sn_row_below(b, summed, end), sn_gpu_inside(b, filter, g->num_rows, plan->m));
    offset = sn(b, "arith.select", in[n], offset, sn_index(b, 0));
    x[n] = sn(b, "memref.load", whole, offset, sn_element(sn_type_of(a->value)));
  }
  for (int64_t n = 0; n < lines * each; ++n) {
    MlirValue at[] = {plus_n(b, l.index, n / each * apart), plus_n(b, own, n % each * low)};
    bool partly = lines > 1 && all % (apart * lines);
    SnIf some;
    if (partly)
      some = sn_if(b, sn_row_below(b, at[0], taps));
    sn_scratch_store(b, sn(b, "arith.select", in[n], sn_row_convert(b, x[n], f32), sn_gpu_zero(b, f32)), w->memory,
                     sn_values(2, at), sn_no_attr());
    if (partly)
      sn_end_if(b, &some);
  }
  sn_next(b, &l);
}

// The weights of a tap, of the thread's filters.
static void load_filters(SnBuilder *b, const Windows *w, MlirValue tap, MlirValue *to) {
  int64_t lanes = w->filters < TOGETHER ? w->filters : TOGETHER;
  for (int64_t o = 0; o < w->filters; o += lanes) {
    MlirValue at[] = {tap, plus_n(b, w->first_filter, o)},
              x = sn_scratch_load(b, w->memory, sn_values(2, at), sn_lanes_of(w->product->type, lanes),
                                  sn_attr("alignment", sn_i64(b->ctx, lanes * WORD_BYTES)));
    for (int64_t l = 0; l < lanes; ++l)
      to[o + l] = lanes > 1 ? sn_lane(b, x, l) : x;
  }
}

// ---- windows ---------------------------------------------------------------------------------------

// A subscript of x may be outside of it, at a point of the patch or at a tap.
static bool may_be_outside(const Windows *w, intptr_t i) {
  const SnForm *f = w->g->form;
  const SnGpuPoints *points = &w->g->plan->points;
  MlirAffineExpr e = mlirAffineMapGetResult(w->x->map, i);
  int64_t sizes[SN_MAX_DIMS], low, high;
  for (size_t d = 0; d < f->dims.size; ++d)
    sizes[d] = f->dims.data[d].size;
  if (w->window.y >= 0) // patches may go on behind the ends
    sizes[w->window.y] = sn_pieces(sizes[w->window.y], w->g->plan->n / points->patch) * (w->g->plan->n / points->patch);
  sizes[w->window.x] = sn_pieces(sizes[w->window.x], points->patch) * points->patch;
  return !sn_affine_range(e, sizes, &low, &high) || low < 0 || high >= sn_dim(sn_type_of(w->x->value), i);
}

// i32: all bits where 0 <= at + distance < size.
static MlirValue word_of(SnBuilder *b, MlirValue at, int64_t distance, int64_t size) {
  MlirType i32 = mlirIntegerTypeGet(b->ctx, 32);
  MlirValue i = sn(b, "arith.addi", sn(b, "arith.index_cast", at, i32), sn_int(b, i32, distance)),
            outside = sn(b, "arith.ori", i, sn(b, "arith.subi", sn_int(b, i32, size - 1), i));
  return sn(b, "arith.xori", sn(b, "arith.shrsi", outside, sn_int(b, i32, SIGN)), sn_int(b, i32, -1));
}

typedef struct {
  MlirValue at[SN_MAX_DIMS + 1]; // subscripts of the lane's first point at the first tap
  MlirValue address;             // i64: in memory
  LoadedVec loaded;
  InsideVec inside;
} Place;

static MlirValue inside_of(SnBuilder *b, const Windows *w, Place *p, intptr_t i, int64_t distance) {
  for (size_t n = 0; n < p->inside.size; ++n)
    if (p->inside.data[n].subscript == i && p->inside.data[n].distance == distance)
      return p->inside.data[n].word;
  MlirValue word = word_of(b, p->at[i], distance, sn_dim(sn_type_of(w->x->value), i));
  sn_push(&p->inside, ((Inside){i, distance, word}));
  return word;
}

// x where subscripts are so far from the first ones; 0 beside it.
static MlirValue load_x(SnBuilder *b, const Windows *w, Place *p, const int64_t *distance) {
  MlirType t = sn_type_of(w->x->value), i64 = mlirIntegerTypeGet(b->ctx, 64);
  intptr_t rank = sn_rank(t);
  MlirValue operands[1 + SN_MAX_DIMS];
  int64_t offset = 0;
  intptr_t words = 0;
  for (intptr_t i = 0; i < rank; ++i) {
    offset = offset * sn_dim(t, i) + distance[i];
    if (may_be_outside(w, i))
      operands[1 + words++] = inside_of(b, w, p, i, distance[i]);
  }
  operands[0] = sn(b, "arith.addi", p->address, sn_int(b, i64, offset * WORD_BYTES));
  return sn_gpu_load_inside(b, words, operands);
}

static MlirValue x_of(SnBuilder *b, const Windows *w, Place *p, const int64_t *distance) {
  intptr_t rank = sn_rank(sn_type_of(w->x->value));
  for (size_t n = 0; n < p->loaded.size; ++n)
    if (!memcmp(p->loaded.data[n].at, distance, (size_t)rank * sizeof *distance))
      return p->loaded.data[n].value;
  Loaded made = {.value = load_x(b, w, p, distance)};
  memcpy(made.at, distance, (size_t)rank * sizeof *distance);
  sn_push(&p->loaded, made);
  return made.value;
}

// Tap `number` of all that are written out, the last dimension slowest: what a tap of the next line reads is near. To
// `tap`: which one it is in memory; to `distance`: how far it moves each subscript.
static void place_tap(const Windows *w, int64_t number, int64_t *tap, int64_t *distance) {
  const SnForm *f = w->g->form;
  SnGroup sum = w->product->summed;
  int64_t end = sum.first + sum.num_dims, at[SN_MAX_DIMS] = {0}, last = f->dims.data[end - 1].size,
          others = w->window.taps / last;
  at[end - 1] = number / others;
  number %= others;
  for (int64_t d = end - 1; d-- > w->window.first_tap;) {
    at[d] = number % f->dims.data[d].size;
    number /= f->dims.data[d].size;
  }
  *tap = 0;
  for (int64_t d = w->window.first_tap; d < end; ++d)
    *tap = *tap * f->dims.data[d].size + at[d];
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(w->x->map); ++i) {
    int64_t factors[SN_MAX_DIMS];
    sn_gpu_subscript(f, w->x, i, factors);
    distance[i] = 0;
    for (int64_t d = w->window.first_tap; d < end; ++d)
      distance[i] += at[d] * factors[d];
  }
}

// How far point `point` of a lane is from its first one: lines below it, or columns.
static int64_t step_of(const Windows *w, int64_t point) {
  return w->window.down ? point : point * sn_gpu_window_lanes(&w->window, w->g->plan->n, w->g->plan->points.patch);
}

// Where the lane is at point `number` of the loop.
static Place place_of(SnBuilder *b, const Windows *w, MlirValue number) {
  SnGpuProducts *g = w->g;
  SnGroup sum = w->product->summed;
  MlirValue dims[SN_MAX_DIMS], unused, offset;
  MlirType i64 = mlirIntegerTypeGet(b->ctx, 64);
  SnGpuDims loop = {.n = (size_t)(w->window.first_tap - sum.first)};
  Place p = {0};
  memcpy(dims, g->dims, sizeof dims);
  for (int64_t d = 0; d < sum.num_dims; ++d) {
    if (d < (int64_t)loop.n)
      loop.dims[d] = sum.first + d;
    dims[sum.first + d] = sn_index(b, 0);
  }
  sn_gpu_point(b, g->form, &loop, number, dims);
  dims[w->window.x] = plus(b, dims[w->window.x], w->lane_x);
  if (w->window.y >= 0)
    dims[w->window.y] = plus(b, dims[w->window.y], w->lane_y);
  sn_row_subscripts(b, g->form, w->x, dims, p.at, &unused);
  sn_row_flat(b, w->x->value, p.at, &offset);
  p.address = plus(b, g->addresses[w->window.input],
                   sn(b, "arith.muli", sn(b, "arith.index_cast", offset, i64), sn_int(b, i64, WORD_BYTES)));
  return p;
}

static void free_place(Place *p) {
  sn_vec_free(&p->loaded);
  sn_vec_free(&p->inside);
}

// x of point i of the lane at tap t; `tap`: which one it is in memory.
static MlirValue x_of_tap(SnBuilder *b, const Windows *w, Place *p, int64_t t, int64_t i, int64_t *tap) {
  int64_t distance[SN_MAX_DIMS], factors[SN_MAX_DIMS];
  place_tap(w, t, tap, distance);
  for (intptr_t s = 0; s < mlirAffineMapGetNumResults(w->x->map); ++s) {
    sn_gpu_subscript(w->g->form, w->x, s, factors);
    distance[s] += step_of(w, i) * factors[w->window.down ? w->window.y : w->window.x];
  }
  return x_of(b, w, p, distance);
}

// One point of the loop, whose filters begin at line `line` of shared memory.
static void multiply_taps(SnBuilder *b, const Windows *w, Place *p, MlirValue line, MlirValue *sums) {
  MlirValue weights[SN_GPU_WINDOW_FILTERS];
  for (int64_t t = 0; t < w->window.taps; ++t)
    for (int64_t i = 0; i < w->points; ++i) {
      int64_t tap;
      MlirValue x = x_of_tap(b, w, p, t, i, &tap);
      if (!i)
        load_filters(b, w, plus_n(b, line, tap), weights);
      for (int64_t o = 0; o < w->filters; ++o)
        sums[o * w->points + i] = sn(b, "math.fma", weights[o], x, sums[o * w->points + i]);
    }
}

// All that a lane reads at a point of the loop.
static void load_all(SnBuilder *b, const Windows *w, Place *p) {
  int64_t tap;
  for (int64_t t = 0; t < w->window.taps; ++t)
    for (int64_t i = 0; i < w->points; ++i)
      x_of_tap(b, w, p, t, i, &tap);
}

// The points from `first` on, each `shares`-th below `end`, of the slot that begins at `slot`. What the next one reads
// is on its way meanwhile, where a thread has registers for both.
static void multiply_points(SnBuilder *b, const Windows *w, MlirValue slot, MlirValue end, MlirValue *sums) {
  int64_t values = w->filters * w->points;
  MlirValue first = plus(b, slot, w->share), step = sn_index(b, w->shares),
            last = sn(b, "arith.subi", end, sn_index(b, 1)), carried[SN_GPU_WINDOW_REGISTERS];
  Place now = {0};
  int64_t loads = sn_gpu_window_loads(w->g->form, &w->window, w->points),
          ahead = values + 2 * loads <= SN_GPU_WINDOW_REGISTERS ? loads : 0;
  memcpy(carried, sums, (size_t)values * sizeof *sums);
  if (ahead) {
    now = place_of(b, w, sn(b, "arith.minui", first, last));
    load_all(b, w, &now);
    ahead = (int64_t)now.loaded.size;
    for (int64_t i = 0; i < ahead; ++i)
      carried[values + i] = now.loaded.data[i].value;
  }
  SnLoop c = sn_for_values(b, first, end, step, sn_values(values + ahead, ahead ? carried : sums));
  memcpy(sums, c.carried, (size_t)values * sizeof *sums);
  Place next = place_of(b, w, ahead ? sn(b, "arith.minui", plus(b, c.index, step), last) : c.index);
  if (ahead)
    load_all(b, w, &next);
  for (int64_t i = 0; i < ahead; ++i)
    now.loaded.data[i].value = c.carried[values + i];
  multiply_taps(b, w, ahead ? &now : &next, times(b, sn(b, "arith.subi", c.index, slot), w->window.taps), sums);
  memcpy(carried, sums, (size_t)values * sizeof *sums);
  for (int64_t i = 0; i < ahead; ++i)
    carried[values + i] = next.loaded.data[i].value;
  sn_next_values(b, &c, sn_values(values + ahead, carried));
  for (int64_t v = 0; v < values; ++v)
    sums[v] = sn_result(c.op, v);
  free_place(&now);
  free_place(&next);
}

// ---- a tile ----------------------------------------------------------------------------------------

// Warps that share the channels add theirs one behind the other.
static void store_sums(SnBuilder *b, const Windows *w, const MlirValue *sums, MlirValue memory) {
  int64_t patch = w->g->plan->points.patch;
  for (int64_t turn = 0; turn < w->shares; ++turn) {
    SnIf mine;
    if (turn)
      sn_gpu_sync(b, w->g->k);
    if (w->shares > 1)
      mine = sn_if(b, sn(b, "arith.cmpi", w->share, sn_index(b, turn), sn_attr("predicate", sn_i64(b->ctx, 0))));
    for (int64_t o = 0; o < w->filters; ++o)
      for (int64_t i = 0; i < w->points; ++i) {
        MlirValue y = plus_n(b, w->lane_y, w->window.down ? step_of(w, i) : 0),
                  x = plus_n(b, w->lane_x, w->window.down ? 0 : step_of(w, i)), sum = sums[o * w->points + i],
                  at[] = {plus_n(b, w->first_filter, o), plus(b, times(b, y, patch), x)};
        if (turn)
          sum = sn(b, "arith.addf", sn_scratch_load(b, memory, sn_values(2, at), w->product->type, sn_no_attr()), sum);
        sn_scratch_store(b, sum, memory, sn_values(2, at), sn_no_attr());
      }
    if (w->shares > 1)
      sn_end_if(b, &mine);
  }
}

void sn_gpu_sum_by_windows(SnBuilder *b, SnGpuProducts *g, const SnGpuProduct *p, MlirValue memory) {
  const SnGpuProductPlan *plan = g->plan;
  Windows w = {.g = g,
               .product = p,
               .filters = sn_gpu_window_filters(plan->m),
               .points = plan->n / LANES,
               .line = sn_gpu_window_line(plan->m)};
  sn_gpu_not_window(g->form, w.filters * w.points, &w.window);
  w.x = &g->form->inputs.data[w.window.input];
  w.across = plan->m / w.filters;
  w.shares = g->k->warps / w.across;
  w.memory = sn_gpu_side_view(b, g->a, plan->k * w.window.taps, w.line, sn_scratch_type(p->type));
  int64_t lanes = sn_gpu_window_lanes(&w.window, plan->n, plan->points.patch), values = w.filters * w.points;
  w.lane_x = modulo(b, g->k->lane, lanes);
  w.lane_y = times(b, over(b, g->k->lane, lanes), w.window.down ? w.points : 1);
  w.first_filter = times(b, modulo(b, g->k->warp, w.across), w.filters);
  w.share = over(b, g->k->warp, w.across);
  MlirValue first, end, step = sn_index(b, plan->k), *sums = sn_alloc((size_t)values * sizeof *sums);
  sn_gpu_part_of_sum(b, g, sn_index(b, w.window.loop), &first, &end);
  for (int64_t v = 0; v < values; ++v)
    sums[v] = sn_gpu_zero(b, p->type);
  SnLoop l = sn_for_values(b, first, end, step, sn_values(values, sums));
  MlirValue all = sn(b, "arith.minui", end, plus(b, l.index, step));
  sn_gpu_sync(b, g->k); // nobody reads those before
  fetch_filters(b, &w, times(b, l.index, w.window.taps), times(b, all, w.window.taps));
  sn_gpu_sync(b, g->k);
  memcpy(sums, l.carried, (size_t)values * sizeof *sums);
  multiply_points(b, &w, l.index, all, sums);
  sn_next_values(b, &l, sn_values(values, sums));
  for (int64_t v = 0; v < values; ++v)
    sums[v] = sn_result(l.op, v);
  store_sums(b, &w, sums, memory);
  free(sums);
}

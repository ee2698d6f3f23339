// product_sums.c: what a block's threads sum of a tile.
//
//   for each k summed elements, those of the next ones being on their way in registers:
//     a[k][m], b[k][n] -> shared memory              each thread some elements, zeros beside the ends
//     for each of the k: sum[r][c] += a[k][r] . b[k][c]    each thread its rectangles of the tile
//   sums[m][n] <- sum
//
// A side is read element by element, so any access can be one; neighbouring threads read along the dimension in which
// the side's neighbours lie together.
//
// test: test/lowering/gpu/products.mlir, test/gpu/emulate.test

#include "lowering/gpu/products/products_gpu.h"
#include "lowering/rows/rowmemory.h"

// ---- a side ----------------------------------------------------------------------------------

typedef struct {
  SnGpuProducts *g;
  const SnAccess *access;
  MlirType type;          // of the sums
  const SnGpuDims *outer; // rows or columns of the tile
  SnGpuDims summed;
  MlirValue first, size; // of the outer points: the tile's first, and how many there are
  MlirValue sum;         // how many are summed
  MlirValue memory;      // memref<k x extent>
  int64_t extent;        // m or n
  bool along_sum;        // neighbouring threads read neighbours of the sum
  int64_t count;         // elements of a thread
} Side;

MlirValue sn_gpu_side_memory(SnBuilder *b, SnGpuProducts *g, int64_t elements, int64_t bytes) {
  int64_t all = g->plan->k * (elements + SN_GPU_PADDED) * bytes;
  return sn_gpu_launched_shared(b, g->k, "sides of a product", 1, &all, mlirIntegerTypeGet(b->ctx, 8),
                                SN_GPU_FOR_VECTORS);
}

static MlirValue view(SnBuilder *b, MlirValue bytes, int64_t lines, int64_t elements, MlirType element) {
  int64_t shape[] = {lines, elements};
  MlirType t =
      mlirMemRefTypeContiguousGet(sn_scratch_type(element), 2, shape, mlirMemRefTypeGetMemorySpace(sn_type_of(bytes)));
  return sn(b, "memref.view", bytes, sn_index(b, 0), t);
}

// Neighbours of the last of these dimensions lie together.
static bool is_along(const SnForm *f, const SnAccess *a, const SnGpuDims *dims) {
  for (size_t i = dims->n; i-- > 0;)
    if (f->dims.data[dims->dims[i]].size != 1)
      return !a->through.ptr && sn_unit_stride(a->map, dims->dims[i]);
  return false;
}

static Side side_of(SnBuilder *b, SnGpuProducts *g, const SnGpuProduct *p, bool is_a) {
  const SnForm *f = g->form;
  SnSide side = sn_side(f, is_a ? p->a : p->b);
  Side s = {.g = g,
            .access = &f->inputs.data[side.first],
            .type = p->type,
            .outer = is_a ? &g->plan->points.rows : &g->plan->points.columns,
            .first = is_a ? g->first_row : g->first_column,
            .size = is_a ? g->num_rows : g->num_columns,
            .sum = sn_form_sizes(b, f, p->summed.first, p->summed.num_dims),
            .extent = is_a ? g->plan->m : g->plan->n};
  for (int64_t d = p->summed.first; d < p->summed.first + p->summed.num_dims; ++d)
    s.summed.dims[s.summed.n++] = d;
  s.memory = view(b, is_a ? g->a : g->b, g->plan->k, s.extent + SN_GPU_PADDED, p->type);
  s.along_sum = is_along(f, s.access, &s.summed);
  s.count = s.extent * g->plan->k / g->k->threads;
  return s;
}

// Where the thread's element i is: which of the k, and which of the tile's rows or columns.
static void place_of(SnBuilder *b, const Side *s, int64_t i, MlirValue *summed, MlirValue *outer) {
  const SnGpuKernel *k = s->g->k;
  MlirValue number = i ? sn(b, "arith.addi", k->thread, sn_index(b, i * k->threads)) : k->thread,
            inner = sn_index(b, s->along_sum ? s->g->plan->k : s->extent), low = sn(b, "arith.remui", number, inner),
            high = sn(b, "arith.divui", number, inner);
  *summed = s->along_sum ? low : high;
  *outer = s->along_sum ? high : low;
}

static MlirValue zero_of(SnBuilder *b, MlirType t) {
  return sn_constant(b, sn_is_float(t) ? mlirFloatAttrDoubleGet(b->ctx, t, 0) : mlirIntegerAttrGet(t, 0));
}

// Element i of the thread, of the k from `first` on; zero where the side has none.
static MlirValue fetch(SnBuilder *b, const Side *s, MlirValue first, int64_t i) {
  const SnForm *f = s->g->form;
  MlirValue dims[SN_MAX_DIMS], summed, outer;
  place_of(b, s, i, &summed, &outer);
  summed = sn(b, "arith.addi", first, summed);
  outer = sn(b, "arith.addi", s->first, outer);
  SnIf inside =
      sn_if(b, sn(b, "arith.andi", sn_row_below(b, summed, s->sum), sn_row_below(b, outer, s->size)), s->type);
  memcpy(dims, s->g->dims, sizeof dims);
  sn_gpu_point(b, f, s->outer, outer, dims);
  sn_gpu_point(b, f, &s->summed, summed, dims);
  sn_else(b, &inside, sn_row_convert(b, sn_row_load(b, f, s->access, dims), s->type));
  sn_end_if(b, &inside, zero_of(b, s->type));
  return sn_result(inside.op, 0);
}

static void fetch_all(SnBuilder *b, const Side *s, MlirValue first, MlirValue *to) {
  for (int64_t i = 0; i < s->count; ++i)
    to[i] = fetch(b, s, first, i);
}

static void put_all(SnBuilder *b, const Side *s, const MlirValue *from) {
  for (int64_t i = 0; i < s->count; ++i) {
    MlirValue at[2];
    place_of(b, s, i, &at[0], &at[1]);
    sn_scratch_store(b, from[i], s->memory, sn_values(2, at), sn_no_attr());
  }
}

// ---- sums --------------------------------------------------------------------------------------

typedef struct {
  const SnLayout *layout;
  MlirType type;
  MlirValue row, column; // of the thread's first value
  int64_t lanes, lines;  // columns, and rows, one behind the other
} Sums;

static MlirValue digits(SnBuilder *b, const SnLayout *l, MlirValue number, bool rows) {
  MlirValue at = sn_index(b, 0);
  for (int i = 0; i < SN_LAYOUT_DIGITS && l->threads[i].count; ++i) {
    SnDigit d = l->threads[i];
    MlirValue digit = sn(b, "arith.remui", number, sn_index(b, d.count));
    number = sn(b, "arith.divui", number, sn_index(b, d.count));
    at = sn(b, "arith.addi", at, sn(b, "arith.muli", digit, sn_index(b, rows ? d.row : d.column)));
  }
  return at;
}

static MlirValue multiply_add(SnBuilder *b, MlirType t, MlirValue x, MlirValue y, MlirValue sum) {
  if (mlirTypeIsAF32(t) || mlirTypeIsAF64(t))
    return sn(b, "math.fma", x, y, sum);
  bool is_float = sn_is_float(t);
  return sn(b, is_float ? "arith.addf" : "arith.addi", sum, sn(b, is_float ? "arith.mulf" : "arith.muli", x, y));
}

// What a thread needs of line s of a side: for its value v, in to[v]; neighbours by one load.
static void take(SnBuilder *b, const Sums *t, const Side *side, int64_t s, bool rows, MlirValue *to) {
  int64_t values = sn_layout_values(t->layout), lanes = rows ? t->lines : t->lanes,
          bytes = lanes * sn_scratch_bytes(t->type);
  for (int64_t v = 0; v < values; ++v) {
    SnPlace place = sn_layout_place(t->layout, 0, v);
    int64_t offset = rows ? place.row : place.column, first = v;
    for (int64_t u = 0; u < v && first == v; ++u) {
      SnPlace other = sn_layout_place(t->layout, 0, u);
      if ((rows ? other.row : other.column) == offset)
        first = u;
    }
    if (first < v) {
      to[v] = to[first];
      continue;
    }
    if (offset % lanes)
      continue; // of the vector that was loaded for the one in front
    MlirValue at[] = {sn_index(b, s), sn(b, "arith.addi", rows ? t->row : t->column, sn_index(b, offset))};
    MlirValue x = sn_scratch_load(b, side->memory, sn_values(2, at), sn_lanes_of(t->type, lanes),
                                  sn_attr("alignment", sn_i64(b->ctx, bytes < 16 ? bytes : 16)));
    for (int64_t l = 0; l < lanes; ++l)
      for (int64_t u = v; u < values; ++u) {
        SnPlace other = sn_layout_place(t->layout, 0, u);
        if ((rows ? other.row : other.column) == offset + l) {
          to[u] = lanes > 1 ? sn_lane(b, x, l) : x;
          break;
        }
      }
  }
}

static void multiply(SnBuilder *b, const Sums *t, const Side *a, const Side *c, int64_t k, MlirValue *sums) {
  int64_t values = sn_layout_values(t->layout);
  MlirValue *x = sn_alloc((size_t)values * sizeof *x), *y = sn_alloc((size_t)values * sizeof *y);
  for (int64_t s = 0; s < k; ++s) {
    take(b, t, a, s, true, x);
    take(b, t, c, s, false, y);
    for (int64_t v = 0; v < values; ++v)
      sums[v] = multiply_add(b, t->type, x[v], y[v], sums[v]);
  }
  free(x);
  free(y);
}

static void store_sums(SnBuilder *b, const Sums *t, const MlirValue *sums, MlirValue memory) {
  for (int64_t v = 0; v < sn_layout_values(t->layout); ++v) {
    SnPlace place = sn_layout_place(t->layout, 0, v);
    MlirValue at[] = {sn(b, "arith.addi", t->row, sn_index(b, place.row)),
                      sn(b, "arith.addi", t->column, sn_index(b, place.column))};
    sn_scratch_store(b, sums[v], memory, sn_values(2, at), sn_no_attr());
  }
}

void sn_gpu_sum_product(SnBuilder *b, SnGpuProducts *g, size_t number) {
  SnGpuKernel *k = g->k;
  const SnGpuProductPlan *plan = g->plan;
  SnGpuProduct p = sn_gpu_product(g->form, number, plan->kernel);
  Side a = side_of(b, g, &p, true), c = side_of(b, g, &p, false);
  Sums t = {
      .layout = &plan->sums, .type = p.type, .lanes = plan->sums.values[0].count, .lines = plan->sums.values[2].count};
  t.row = digits(b, t.layout, k->thread, true);
  t.column = digits(b, t.layout, k->thread, false);
  int64_t values = sn_layout_values(t.layout), all = values + a.count + c.count;
  MlirValue *carried = sn_alloc((size_t)all * sizeof *carried), *next_a = carried + values, *next_c = next_a + a.count,
            zero = sn_index(b, 0), step = sn_index(b, plan->k);
  for (int64_t v = 0; v < values; ++v)
    carried[v] = zero_of(b, p.type);
  fetch_all(b, &a, zero, next_a);
  fetch_all(b, &c, zero, next_c);
  SnLoop l = sn_for_values(b, zero, a.sum, step, sn_values(all, carried));
  memcpy(carried, l.carried, (size_t)all * sizeof *carried);
  put_all(b, &a, next_a);
  put_all(b, &c, next_c);
  sn_gpu_sync(b, k);
  MlirValue next = sn(b, "arith.addi", l.index, step);
  fetch_all(b, &a, next, next_a);
  fetch_all(b, &c, next, next_c);
  multiply(b, &t, &a, &c, plan->k, carried);
  sn_gpu_sync(b, k);
  sn_next_values(b, &l, sn_values(all, carried));
  for (int64_t v = 0; v < values; ++v)
    carried[v] = sn_result(l.op, v);
  store_sums(b, &t, carried, g->sums[number]);
  free(carried);
}

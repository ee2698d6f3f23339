// product_sums.c: what a block's threads sum of a tile, each of them rectangles of it.
//
//   for each k summed elements, those of the next ones being on their way in registers:
//     a[k][m], b[k][n] -> one of two slots in shared memory
//     for each of the k: sum[r][c] += a[k][r] . b[k][c]
//   sums[m][n] <- sum
//
// Two products of the same rows (a gate) are summed in one loop where a thread has room for both: a goes through shared
// memory once, and each of its elements is multiplied by twice as many.
//
// test: test/lowering/gpu/products.mlir, test/gpu/emulate_products.test

#include "lowering/gpu/products/product_fetch.h"
#include "lowering/rows/rowmemory.h"

typedef struct {
  const SnLayout *layout;
  MlirType type;
  MlirValue row, column; // of the thread's first value
  int64_t lanes, lines;  // columns, and rows, one behind the other
} Sums;

static MlirValue multiply_add(SnBuilder *b, MlirType t, MlirValue x, MlirValue y, MlirValue sum) {
  if (mlirTypeIsAF32(t) || mlirTypeIsAF64(t))
    return sn(b, "math.fma", x, y, sum);
  bool is_float = sn_is_float(t);
  return sn(b, is_float ? "arith.addf" : "arith.addi", sum, sn(b, is_float ? "arith.mulf" : "arith.muli", x, y));
}

// What a thread needs of line `first` + s of a side: for its value v, in to[v]; neighbours by one load.
static void take(SnBuilder *b, const Sums *t, MlirValue side, MlirValue first_line, int64_t s, bool rows,
                 MlirValue *to) {
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
    MlirValue at[] = {sn(b, "arith.addi", first_line, sn_index(b, s)),
                      sn(b, "arith.addi", rows ? t->row : t->column, sn_index(b, offset))};
    MlirValue x = sn_scratch_load(b, side, sn_values(2, at), sn_lanes_of(t->type, lanes),
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

// A product's columns, in slots of their own.
typedef struct {
  SnGpuSide side;
  MlirValue memory;
  MlirValue *next; // what is on its way
  int64_t count;   // of that
} Columns;

// The k lines of the rows from `line` on, by those of each product's columns from lines[i] on.
static void multiply(SnBuilder *b, const Sums *t, MlirValue a, MlirValue line, const Columns *columns,
                     const MlirValue *lines, size_t together, int64_t k, MlirValue *sums) {
  int64_t values = sn_layout_values(t->layout);
  MlirValue *x = sn_alloc((size_t)values * sizeof *x), *y = sn_alloc((size_t)values * sizeof *y);
  for (int64_t s = 0; s < k; ++s) {
    take(b, t, a, line, s, true, x);
    for (size_t i = 0; i < together; ++i) {
      MlirValue *to = sums + (int64_t)i * values;
      take(b, t, columns[i].memory, lines[i], s, false, y);
      for (int64_t v = 0; v < values; ++v)
        to[v] = multiply_add(b, t->type, x[v], y[v], to[v]);
    }
  }
  free(x);
  free(y);
}

enum { MOST_TOGETHER = 2 };

static Columns columns_of(SnBuilder *b, SnGpuProducts *g, const SnGpuProduct *p) {
  const SnGpuProductPlan *plan = g->plan;
  int64_t slots = 2 * (plan->together ? (int64_t)g->form->products.size : 1); // of all products
  Columns c = {.side = sn_gpu_side(b, g, p, false, p->type)};
  c.count = c.side.count + c.side.masks;
  c.memory = sn_gpu_side_view(b, g->b, slots * plan->k, plan->n + SN_GPU_PADDED, sn_scratch_type(p->type));
  return c;
}

void sn_gpu_sum_by_threads(SnBuilder *b, SnGpuProducts *g, const SnGpuProduct *p, MlirValue memory) {
  SnGpuKernel *k = g->k;
  const SnGpuProductPlan *plan = g->plan;
  size_t together = plan->together ? g->form->products.size : 1;
  SnGpuProduct products[MOST_TOGETHER] = {*p};
  Columns columns[MOST_TOGETHER];
  SnGpuSide a = sn_gpu_side(b, g, p, true, p->type);
  MlirValue a_memory = sn_gpu_side_view(b, g->a, 2 * plan->k, plan->m + SN_GPU_PADDED, sn_scratch_type(p->type));
  Sums t = {
      .layout = &plan->sums, .type = p->type, .lanes = plan->sums.values[0].count, .lines = plan->sums.values[2].count};
  sn_gpu_sums_place(b, t.layout, k->thread, &t.row, &t.column);
  int64_t each = sn_layout_values(t.layout), values = (int64_t)together * each, of_a = a.count + a.masks,
          all = values + of_a;
  for (size_t i = 0; i < together; ++i) {
    if (i)
      products[i] = sn_gpu_product(g->form, i, plan->kernel);
    columns[i] = columns_of(b, g, &products[i]);
    all += columns[i].count;
  }
  MlirValue *carried = sn_alloc((size_t)all * sizeof *carried), *next_a = carried + values, first, end,
            step = sn_index(b, plan->k), *next = next_a + of_a;
  for (size_t i = 0; i < together; ++i) {
    columns[i].next = next;
    next += columns[i].count;
  }
  sn_gpu_part_of_sum(b, g, a.sum, &first, &end);
  for (int64_t v = 0; v < values; ++v)
    carried[v] = sn_gpu_zero(b, p->type);
  sn_gpu_fetch_side(b, &a, first, next_a);
  for (size_t i = 0; i < together; ++i)
    sn_gpu_fetch_side(b, &columns[i].side, first, columns[i].next);
  SnLoop l = sn_for_values(b, first, end, step, sn_values(all, carried));
  memcpy(carried, l.carried, (size_t)all * sizeof *carried);
  MlirValue slot = sn(b, "arith.remui", sn(b, "arith.divui", l.index, step), sn_index(b, 2)),
            line = sn(b, "arith.muli", slot, step), lines[MOST_TOGETHER];
  sn_gpu_put_side(b, &a, a_memory, true, line, next_a);
  for (size_t i = 0; i < together; ++i) {
    lines[i] = i ? sn(b, "arith.addi", line, sn_index(b, (int64_t)i * 2 * plan->k)) : line;
    sn_gpu_put_side(b, &columns[i].side, columns[i].memory, true, lines[i], columns[i].next);
  }
  sn_gpu_sync(b, k); // the other slot may still be read
  MlirValue following = sn(b, "arith.addi", l.index, step);
  sn_gpu_fetch_side(b, &a, following, next_a);
  for (size_t i = 0; i < together; ++i)
    sn_gpu_fetch_side(b, &columns[i].side, following, columns[i].next);
  multiply(b, &t, a_memory, line, columns, lines, together, plan->k, carried);
  sn_next_values(b, &l, sn_values(all, carried));
  for (int64_t v = 0; v < values; ++v)
    carried[v] = sn_result(l.op, v);
  for (size_t i = 0; i < together; ++i)
    sn_gpu_store_sums(b, t.layout, k->thread, carried + (int64_t)i * each, together > 1 ? g->sums[i] : memory);
  free(carried);
}

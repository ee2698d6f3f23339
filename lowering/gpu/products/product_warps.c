// product_warps.c: what a block's warps sum of a tile by mma.sync, each of them one part of it.
//
//   for each k summed elements, those of the next ones being on their way to the other slot, or in registers:
//     a[m][k], b[n][k] -> one of two slots in shared memory
//     for each of the instruction's k: fragments of 16 rows and of 8 columns; sum += a . b    product_fragments.c
//   sums[m][n] <- sum
//
// Lines of shared memory are along k, or, where neighbours in memory are rows or columns, along these. They are some
// words longer than that: neighbouring lines meet in no bank.
//
// test: test/lowering/gpu/product_warps.mlir, test/gpu/emulate_products.test

#include "lowering/gpu/products/product_fetch.h"
#include "lowering/gpu/products/product_fragments.h"
#include "lowering/rows/index.h"
#include "lowering/rows/rowmemory.h"

typedef struct {
  const SnGpuProductPlan *plan;
  const SnMicroKernel *line;
  int64_t rows, columns; // of a warp's part
  SnGpuWarpSide a, b;
} Warps;

// All k of a slot, whose first lines are given.
static void multiply_slot(SnBuilder *b, const Warps *w, MlirValue a_first, MlirValue b_first, MlirValue *sums) {
  int64_t down = w->rows / SN_GPU_MMA_ROWS, across = w->columns / SN_GPU_MMA_COLUMNS, steps = w->plan->k / w->line->k;
  MlirValue(*x)[SN_GPU_MMA_A] = sn_alloc((size_t)down * sizeof *x),
  (*y)[SN_GPU_MMA_B] = sn_alloc((size_t)across * sizeof *y);
  for (int64_t s = 0; s < steps; ++s) {
    for (int64_t i = 0; i < down; ++i)
      sn_gpu_load_a(b, w->line, &w->a, a_first, s, i * SN_GPU_MMA_ROWS, x[i]);
    for (int64_t j = 0; j < across; j += 2)
      sn_gpu_load_b(b, w->line, &w->b, b_first, s, j * SN_GPU_MMA_COLUMNS, y[j]);
    for (int64_t i = 0; i < down; ++i)
      for (int64_t j = 0; j < across; ++j)
        sn_gpu_multiply_fragments(b, w->line, x[i], y[j], &sums[(i * across + j) * SN_GPU_MMA_SUMS]);
  }
  free(x);
  free(y);
}

typedef struct {
  SnGpuSide side;
  MlirValue memory; // two slots of lines of its elements
  bool lines_of_sum, copied;
  int64_t lines, carried; // of a slot; where its elements are among what the loop carries, if they are not copied
} Fetched;

static MlirValue slot_of(SnBuilder *b, MlirValue sum, MlirValue step) {
  return sn(b, "arith.remui", sn(b, "arith.divui", sum, step), sn_index(b, 2));
}

// Both sides' elements of the sum from `first` on: on their way to the slot, or into registers.
static void fetch(SnBuilder *b, const Fetched *sides, MlirValue first, MlirValue step, MlirValue *carried) {
  for (int i = 0; i < 2; ++i) {
    const Fetched *f = &sides[i];
    if (f->copied)
      sn_gpu_copy_side(b, &f->side, first, f->memory, f->lines_of_sum, times(b, slot_of(b, first, step), f->lines));
    else
      sn_gpu_fetch_side(b, &f->side, first, carried + f->carried);
  }
}

static void await(SnBuilder *b, const Fetched *sides) {
  if (sides[0].copied || sides[1].copied)
    sn_gpu_await_copies(b, 0);
}

// Two slots of lines, as elements of this type.
static MlirValue memory_of(SnBuilder *b, MlirValue bytes, int64_t extent, bool turned, const SnGpuProduct *p, int64_t k,
                           MlirType element) {
  int64_t lines = turned ? k : extent, words = turned ? sn_gpu_turned_words(p, extent) : sn_gpu_line_words(p, k);
  return sn_gpu_side_view(b, bytes, 2 * lines, words * 32 / sn_bits(element), element);
}

void sn_gpu_sum_by_warps(SnBuilder *b, SnGpuProducts *g, const SnGpuProduct *p, MlirValue memory) {
  const SnGpuProductPlan *plan = g->plan;
  MlirType word = sn_gpu_word_type(b, p->line), ta = sn_micro_packed(p->line->a, p->type),
           tb = sn_micro_packed(p->line->b, p->type);
  SnGpuSide a = sn_gpu_side(b, g, p, true, ta), c = sn_gpu_side(b, g, p, false, tb);
  int64_t of_warps = g->k->warps / plan->warps_down;
  Warps w = {.plan = plan, .line = p->line, .rows = plan->m / plan->warps_down, .columns = plan->n / of_warps};
  MlirValue across = sn_index(b, of_warps), row = times(b, sn(b, "arith.divui", g->k->warp, across), w.rows),
            column = times(b, sn(b, "arith.remui", g->k->warp, across), w.columns);
  w.a.turned = !a.along_sum && sn_gpu_may_turn(p->line, ta);
  w.b.turned = !c.along_sum && sn_gpu_may_turn(p->line, tb);
  w.a.memory = memory_of(b, g->a, plan->m, w.a.turned, p, plan->k, word);
  w.b.memory = memory_of(b, g->b, plan->n, w.b.turned, p, plan->k, word);
  MlirValue a_memory = memory_of(b, g->a, plan->m, w.a.turned, p, plan->k, ta),
            c_memory = memory_of(b, g->b, plan->n, w.b.turned, p, plan->k, tb);
  sn_gpu_place_fragments(b, g->k, p->line, true, row, &w.a);
  sn_gpu_place_fragments(b, g->k, p->line, false, column, &w.b);
  Fetched sides[] = {
      {.side = a, .memory = a_memory, .lines_of_sum = w.a.turned, .lines = w.a.turned ? plan->k : plan->m},
      {.side = c, .memory = c_memory, .lines_of_sum = w.b.turned, .lines = w.b.turned ? plan->k : plan->n}};
  int64_t values = sn_layout_values(&plan->sums), all = values;
  for (int i = 0; i < 2; ++i) {
    sides[i].copied = sn_gpu_side_copies(&sides[i].side, sides[i].lines_of_sum);
    sides[i].carried = all;
    all += sides[i].copied ? 0 : sides[i].side.count + sides[i].side.masks;
  }
  MlirValue *carried = sn_alloc((size_t)all * sizeof *carried), first, end, step = sn_index(b, plan->k);
  sn_gpu_part_of_sum(b, g, a.sum, &first, &end);
  for (int64_t v = 0; v < values; ++v)
    carried[v] = sn_gpu_zero(b, p->type);
  fetch(b, sides, first, step, carried);
  SnLoop l = sn_for_values(b, first, end, step, sn_values(all, carried));
  memcpy(carried, l.carried, (size_t)all * sizeof *carried);
  MlirValue slot = slot_of(b, l.index, step),
            lines[] = {times(b, slot, sides[0].lines), times(b, slot, sides[1].lines)};
  for (int i = 0; i < 2; ++i)
    if (!sides[i].copied)
      sn_gpu_put_side(b, &sides[i].side, sides[i].memory, sides[i].lines_of_sum, lines[i], carried + sides[i].carried);
  await(b, sides);
  sn_gpu_sync(b, g->k);
  fetch(b, sides, sn(b, "arith.addi", l.index, step), step, carried);
  multiply_slot(b, &w, lines[0], lines[1], carried);
  sn_next_values(b, &l, sn_values(all, carried));
  for (int64_t v = 0; v < values; ++v)
    carried[v] = sn_result(l.op, v);
  await(b, sides); // zeros from beyond the end
  sn_gpu_store_sums(b, &plan->sums, g->k->thread, carried, memory);
  free(carried);
}

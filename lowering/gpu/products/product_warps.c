// product_warps.c: what a block's warps sum of a tile by mma.sync, each of them one part of it.
//
//   for each k summed elements, those of the next ones being on their way in registers:
//     a[m][k], b[n][k] -> one of two slots in shared memory
//     for each of the instruction's k: fragments of 16 rows and of 8 columns by ldmatrix; sum += a . b
//   sums[m][n] <- sum
//
// Lines of shared memory are along k, or, of 16 bits whose neighbours in memory are rows or columns, along these, and
// ldmatrix turns them. They are four words longer than that: eight neighbouring lines meet in no bank. (PTX ISA,
// "Matrix Fragments for mma.m16n8k16" and "ldmatrix": in words of 32 bits these are the same for all types.)
//
// test: test/lowering/gpu/product_warps.mlir, test/gpu/emulate.test

#include "lowering/gpu/products/product_fetch.h"
#include "lowering/rows/rowmemory.h"
#include "mlir-c/Dialect/LLVM.h"
#include <stdio.h>

enum { WORDS = 8, ROWS = 16, COLUMNS = 8, VALUES = 4 }; // of an instruction: of k; of a; of b; of a thread's sums

typedef struct {
  SnGpuKernel *k;
  const SnGpuProductPlan *plan;
  const SnGpuProduct *product;
  MlirType sum;
  int64_t rows, columns;    // of a warp's part
  MlirValue row, column;    // its first ones
  bool a_turned, b_turned;  // lines are along rows, or columns
  MlirValue a, b;           // memref<2 m x words>, memref<2 n x words>; turned: memref<2 k x words>
  MlirValue a_line, a_word; // what ldmatrix is given by this lane, from the part's first on
  MlirValue b_line, b_word;
} Warps;

static MlirValue plus(SnBuilder *b, MlirValue x, MlirValue y) { return sn(b, "arith.addi", x, y); }
static MlirValue times(SnBuilder *b, MlirValue x, int64_t n) { return sn(b, "arith.muli", x, sn_index(b, n)); }

static MlirType struct_of(SnBuilder *b, MlirType t) {
  MlirType types[] = {t, t, t, t};
  return mlirLLVMStructTypeLiteralGet(b->ctx, 4, types, false);
}

static void parts_of(SnBuilder *b, MlirValue of, MlirType t, MlirValue *to) {
  for (int64_t i = 0; i < 4; ++i)
    to[i] = sn(b, "llvm.extractvalue", of, t, sn_attr("position", mlirDenseI64ArrayGet(b->ctx, 1, &i)));
}

// Four matrices of 8 lines by 4 words; this lane names a line. Turned: lines are columns.
static void load_matrices(SnBuilder *b, MlirValue memory, MlirValue line, MlirValue word, bool turned, MlirValue *to) {
  MlirType i32 = mlirIntegerTypeGet(b->ctx, 32);
  int64_t words = sn_dim(sn_type_of(memory), 1);
  MlirValue offset = times(b, plus(b, times(b, line, words), word), 4),
            address = plus(b, sn_gpu_shared_address(b, memory), sn(b, "arith.index_cast", offset, i32));
  MlirOperation op = sn_gpu_ptx(b,
                                turned ? "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {$0, $1, $2, $3}, [$4];"
                                       : "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {$0, $1, $2, $3}, [$4];",
                                "=r,=r,=r,=r,r,~{memory}", sn_values(1, &address), struct_of(b, i32));
  parts_of(b, sn_result(op, 0), i32, to);
}

static void multiply(SnBuilder *b, const Warps *w, const MlirValue *x, const MlirValue *y, MlirValue *sum) {
  const SnMicroKernel *line = w->product->line;
  bool is_float = sn_is_float(w->sum);
  const char *of = is_float ? "f32" : "s32", *t = line->instruction;
  char text[200];
  snprintf(text, sizeof text,
           "mma.sync.aligned.m16n8k%d.row.col.%s.%s.%s.%s {$0, $1, $2, $3}, {$4, $5, $6, $7}, {$8, $9}, {$10, $11, "
           "$12, $13};",
           line->k, of, t, t, of);
  MlirValue operands[] = {x[0], x[1], x[2], x[3], y[0], y[1], sum[0], sum[1], sum[2], sum[3]};
  MlirType type = struct_of(b, w->sum);
  MlirOperation op = sn_op(b, "llvm.inline_asm", sn_values(10, operands), sn_types(1, &type),
                           sn_attr("asm_string", sn_string(b->ctx, text)),
                           sn_attr("constraints", sn_string(b->ctx, is_float ? "=f,=f,=f,=f,r,r,r,r,r,r,f,f,f,f"
                                                                             : "=r,=r,=r,=r,r,r,r,r,r,r,r,r,r,r")));
  parts_of(b, sn_result(op, 0), w->sum, sum);
}

// Of step `step` of k, from row or column `outer` of the part on.
static void load_at(SnBuilder *b, MlirValue memory, MlirValue line, MlirValue word, bool turned, int64_t step,
                    int64_t outer, MlirValue *to) {
  int64_t lines = turned ? step * 2 * WORDS : outer, words = turned ? outer / 2 : step * WORDS;
  load_matrices(b, memory, plus(b, line, sn_index(b, lines)), plus(b, word, sn_index(b, words)), turned, to);
}

// All k of a slot, whose first lines are given.
static void multiply_slot(SnBuilder *b, const Warps *w, MlirValue a_first, MlirValue b_first, MlirValue *sums) {
  int64_t down = w->rows / ROWS, across = w->columns / COLUMNS, steps = w->plan->k / w->product->line->k;
  MlirValue a_line = plus(b, a_first, w->a_line), b_line = plus(b, b_first, w->b_line);
  MlirValue(*x)[4] = sn_alloc((size_t)down * sizeof *x), (*y)[4] = sn_alloc((size_t)across * sizeof *y);
  for (int64_t s = 0; s < steps; ++s) {
    for (int64_t i = 0; i < down; ++i)
      load_at(b, w->a, a_line, w->a_word, w->a_turned, s, i * ROWS, x[i]);
    for (int64_t j = 0; j < across; j += 2)
      load_at(b, w->b, b_line, w->b_word, w->b_turned, s, j * COLUMNS, y[j / 2]);
    for (int64_t i = 0; i < down; ++i)
      for (int64_t j = 0; j < across; ++j)
        multiply(b, w, x[i], &y[j / 2][j % 2 * 2], &sums[(i * across + j) * VALUES]);
  }
  free(x);
  free(y);
}

// Which lines and words this lane names: of a the lines of both halves of the 16, then the other words; of b both
// halves of the words, then the next 8 columns. Turned, lines are those of k.
static void place_lanes(SnBuilder *b, Warps *w) {
  MlirValue lane = w->k->lane, eight = sn_index(b, 8), sixteen = sn_index(b, 16), two = sn_index(b, 2),
            low = sn(b, "arith.remui", lane, eight), high = sn(b, "arith.divui", lane, sixteen),
            middle = sn(b, "arith.remui", sn(b, "arith.divui", lane, eight), two);
  if (w->a_turned) {
    w->a_line = plus(b, low, times(b, high, 8));
    w->a_word = plus(b, sn(b, "arith.divui", w->row, two), times(b, middle, WORDS / 2));
  } else {
    w->a_line = plus(b, w->row, sn(b, "arith.remui", lane, sixteen));
    w->a_word = times(b, high, WORDS / 2);
  }
  if (w->b_turned) {
    w->b_line = plus(b, low, times(b, middle, 8));
    w->b_word = plus(b, sn(b, "arith.divui", w->column, two), times(b, high, WORDS / 2));
  } else {
    w->b_line = plus(b, w->column, plus(b, low, times(b, high, 8)));
    w->b_word = times(b, middle, WORDS / 2);
  }
}

// Two slots of lines, as elements of this type.
static MlirValue memory_of(SnBuilder *b, MlirValue bytes, int64_t extent, bool turned, const Warps *w,
                           MlirType element) {
  int64_t lines = turned ? w->plan->k : extent,
          words = turned ? sn_gpu_turned_words(extent) : sn_gpu_line_words(w->product, w->plan->k);
  return sn_gpu_side_view(b, bytes, 2 * lines, words * 32 / sn_bits(element), element);
}

void sn_gpu_sum_by_warps(SnBuilder *b, SnGpuProducts *g, const SnGpuProduct *p, MlirValue memory) {
  const SnGpuProductPlan *plan = g->plan;
  MlirType i32 = mlirIntegerTypeGet(b->ctx, 32), ta = sn_micro_packed(p->line->a, p->type),
           tb = sn_micro_packed(p->line->b, p->type);
  SnGpuSide a = sn_gpu_side(b, g, p, true, ta), c = sn_gpu_side(b, g, p, false, tb);
  Warps w = {.k = g->k,
             .plan = plan,
             .product = p,
             .sum = p->type,
             .rows = plan->m / plan->warps_down,
             .columns = plan->n / (g->k->warps / plan->warps_down)};
  MlirValue across = sn_index(b, g->k->warps / plan->warps_down);
  w.row = times(b, sn(b, "arith.divui", g->k->warp, across), w.rows);
  w.column = times(b, sn(b, "arith.remui", g->k->warp, across), w.columns);
  w.a_turned = !a.along_sum && sn_bits(ta) == 16;
  w.b_turned = !c.along_sum && sn_bits(tb) == 16;
  w.a = memory_of(b, g->a, plan->m, w.a_turned, &w, i32);
  w.b = memory_of(b, g->b, plan->n, w.b_turned, &w, i32);
  MlirValue a_memory = memory_of(b, g->a, plan->m, w.a_turned, &w, ta),
            c_memory = memory_of(b, g->b, plan->n, w.b_turned, &w, tb);
  place_lanes(b, &w);
  int64_t values = sn_layout_values(&plan->sums), all = values + a.count + c.count;
  MlirValue *carried = sn_alloc((size_t)all * sizeof *carried), *next_a = carried + values, *next_c = next_a + a.count,
            first, end, step = sn_index(b, plan->k);
  sn_gpu_part_of_sum(b, g, a.sum, &first, &end);
  for (int64_t v = 0; v < values; ++v)
    carried[v] = sn_gpu_zero(b, p->type);
  sn_gpu_fetch_side(b, &a, first, next_a);
  sn_gpu_fetch_side(b, &c, first, next_c);
  SnLoop l = sn_for_values(b, first, end, step, sn_values(all, carried));
  memcpy(carried, l.carried, (size_t)all * sizeof *carried);
  MlirValue slot = sn(b, "arith.remui", sn(b, "arith.divui", l.index, step), sn_index(b, 2)),
            a_first = times(b, slot, w.a_turned ? plan->k : plan->m),
            c_first = times(b, slot, w.b_turned ? plan->k : plan->n), next = plus(b, l.index, step);
  sn_gpu_put_side(b, &a, a_memory, w.a_turned, a_first, next_a);
  sn_gpu_put_side(b, &c, c_memory, w.b_turned, c_first, next_c);
  sn_gpu_sync(b, g->k);
  sn_gpu_fetch_side(b, &a, next, next_a);
  sn_gpu_fetch_side(b, &c, next, next_c);
  multiply_slot(b, &w, a_first, c_first, carried);
  sn_next_values(b, &l, sn_values(all, carried));
  for (int64_t v = 0; v < values; ++v)
    carried[v] = sn_result(l.op, v);
  sn_gpu_store_sums(b, &plan->sums, g->k->thread, carried, memory);
  free(carried);
}

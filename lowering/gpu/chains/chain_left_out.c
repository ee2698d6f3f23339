// chain_left_out.c: columns that a mask of a finite number leaves out of a tile count where nothing greater was kept.
//
//   %x = arith.select %mask, %s, -1e9        blocks of columns that the mask leaves nothing of are not made
//   a tile's end, rows under their own maximum:    reference > -1e9 + 104 of each row
//   gradients, by columns' references:             reference > -1e9 + 104 of each column that was left out
//   gradients, by rows' references:                reference > -1e9 + 104 of each row
//   else the tile is made again, and nothing is left out
//
// Above that number exponentials of what was left out are 0 (sn_cpu_above). The reference of a row is never above its
// maximum by more than the power that sums are scaled by, so a row whose maximum is not known to be high is made again.
// A reference that is no number counts as low.
//
// test: test/lowering/gpu/chain_finite.mlir, test/gpu/finite_masks.test

#include "lowering/gpu/chains/chain_rows.h"
#include "lowering/gpu/meet/meet.h"
#include "lowering/rows/index.h"

enum { EQ = 0, NE = 1, ULT = 6 }; // of arith.cmpi
enum { ULE = 12 };                // of arith.cmpf
enum { AT_ONCE = 8 };             // loads of a thread that are under way together

static MlirValue compare(SnBuilder *b, const char *op, int predicate, MlirValue x, MlirValue y) {
  return sn(b, op, x, y, sn_attr("predicate", sn_i64(b->ctx, predicate)));
}
static MlirValue is_low(SnBuilder *b, MlirValue reference, double above) {
  MlirValue least = sn_float(b, sn_type_of(reference), above);
  return compare(b, "arith.cmpf", ULE, reference, least);
}

bool sn_gpu_chain_may_count(const SnGpuChain *c) { return c->plan->above != 0; }

// The input that has references has them of columns.
static bool is_of_columns(const SnGpuChain *c) {
  return sn_map_uses(c->plan->under_at, (intptr_t)sn_group(&c->first, 0).first);
}

// The reference that an input gives, of these row dimensions and the column, if it is one of columns.
static MlirValue reference_at(SnBuilder *b, const SnGpuChain *c, const MlirValue *rows, MlirValue column) {
  size_t k = (size_t)c->plan->under - 1;
  MlirValue dims[SN_MAX_DIMS], at[SN_MAX_DIMS], memory = c->k->operands[k];
  MlirAffineMap map = c->plan->under_at;
  memcpy(dims, rows, (size_t)c->first.num_rows * sizeof *dims);
  dims[sn_group(&c->first, 0).first] = column;
  intptr_t rank = mlirAffineMapGetNumResults(map);
  for (intptr_t p = 0; p < rank; ++p)
    at[p] = sn_affine(b, mlirAffineMapGetResult(map, p), dims);
  return sn(b, "memref.load", memory, sn_values(rank, at), sn_element(sn_type_of(memory)));
}

// Columns below `first` and from `end` on, by all threads that multiply.
static MlirValue any_column_is_low(SnBuilder *b, SnGpuChain *c, MlirValue first, MlirValue end) {
  MlirType i1 = mlirIntegerTypeGet(b->ctx, 1);
  int64_t threads = c->k->warps * 32;
  MlirValue n = plus(b, first, sn(b, "arith.subi", c->num_columns, end)), no = sn_int(b, i1, 0);
  SnLoop l = sn_for_values(b, c->k->thread, n, sn_index(b, AT_ONCE * threads), sn_values(1, &no));
  MlirValue low = l.carried[0];
  for (int64_t i = 0; i < AT_ONCE; ++i) {
    MlirValue at = plus(b, l.index, sn_index(b, i * threads)), is = compare(b, "arith.cmpi", ULT, at, n),
              place = sn(b, "arith.select", is, at, l.index),
              in_front = compare(b, "arith.cmpi", ULT, place, first),
              behind = plus(b, sn(b, "arith.subi", place, first), end),
              reference = reference_at(b, c, c->dims, sn(b, "arith.select", in_front, place, behind));
    low = sn(b, "arith.ori", low, is_low(b, reference, c->plan->above));
  }
  sn_next_values(b, &l, sn_values(1, &low));
  return sn_result(l.op, 0);
}

// A thread's rows: what grows there is under references that are so much above maxima, or under those of an input.
static MlirValue any_row_is_low(SnBuilder *b, SnGpuChain *c, const MlirValue *states) {
  size_t n = sn_gpu_chain_states(c);
  MlirValue low = {0};
  for (int h = 0; h < 2; ++h) {
    bool own = !c->plan->under;
    MlirValue reference = own ? states[(size_t)h * n + n - 1] : reference_at(b, c, c->rows[h].dims, (MlirValue){0}),
              is = sn(b, "arith.andi", c->row_is[h],
                      is_low(b, reference, c->plan->above + (own ? sn_gpu_chain_above_maximum(c) : 0)));
    low = h ? sn(b, "arith.ori", low, is) : is;
  }
  return low;
}

MlirValue sn_gpu_chain_counts(SnBuilder *b, SnGpuChain *c, MlirValue first, MlirValue end, const MlirValue *states) {
  MlirValue n = sn_index(b, c->plan->n), begin = sn(b, "arith.muli", first, n),
            to = sn(b, "arith.minui", sn(b, "arith.muli", end, n), c->num_columns),
            low = c->plan->under && is_of_columns(c) ? any_column_is_low(b, c, begin, to)
                                                     : any_row_is_low(b, c, states),
            left = plus(b, begin, sn(b, "arith.subi", c->num_columns, to)),
            some = compare(b, "arith.cmpi", NE, left, sn_index(b, 0));
  return sn_gpu_any_lane(b, sn(b, "arith.andi", some, low));
}

// ---- what warps say to each other ------------------------------------------------------------------

MlirValue sn_gpu_chain_words_of_warps(SnBuilder *b, SnGpuKernel *k) {
  int64_t warps = k->warps;
  return sn_gpu_shared(k, "tiles that are made again", 1, &warps, mlirIntegerTypeGet(b->ctx, 32), 8);
}

void sn_gpu_chain_put_word(SnBuilder *b, SnGpuChain *c, MlirValue words, MlirValue word) {
  SnIf one = sn_if(b, c->k->first_of_warp);
  sn_op(b, "memref.store", word, words, c->k->warp);
  sn_end_if(b, &one);
}

MlirValue sn_gpu_chain_all_words(SnBuilder *b, SnGpuChain *c, MlirValue words) {
  MlirValue all = {0};
  for (int64_t w = 0; w < c->k->warps; ++w) {
    MlirValue word = sn(b, "memref.load", words, sn_index(b, w), mlirIntegerTypeGet(b->ctx, 32));
    all = w ? sn(b, "arith.ori", all, word) : word;
  }
  return all;
}

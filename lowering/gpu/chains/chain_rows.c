// chain_rows.c: row programs on the rows that a warp has in its registers, before and behind they are multiplied again.
//
//   sums of mma.sync, of wgmma     a thread has two rows, 8 apart, and of each pairs of columns, 8 apart
//   reductions                     over the thread's columns, then over the four threads that share its rows
//
//   columns n0 .. n0 + n:  x = the first program;  m = max(m, x)
//                          where m is by 2^8 greater than what r stands for, in some row of the warp:
//                            s = s * exp(r - r'), u = u * exp(r - r'), r = r'
//                          e = exp(x - r);  s = s + e;  words = e, rounded to what is multiplied
//   the row's end:         chain_ends.c
//
// Behind a tile's first block warpgroups do not look for m, where nobody else asks for it: where some thread's part of
// s says that m is far above r, a branch does, and makes e again.
//
// That this is the same is asked by sn_cpu_streams, and any r gives the same quotients. r is so much above the maximum
// that sums stay in range which would only by a factor (power), and a finite number. What is multiplied has a half
// type, or is f32 that is multiplied in parts, so exponentials are one instruction's.
//
// test: test/lowering/gpu/chains.mlir, test/gpu/chains.test

#include "lowering/gpu/chains/chain_rows.h"
#include "dialect/attributes.h"
#include "dialect/under_maximum.h"
#include "lowering/gpu/math/gpu_math.h"
#include "lowering/gpu/meet/meet.h"
#include "lowering/rows/index.h"
#include "lowering/rows/rowmemory.h"
#include "passes/split/split.h"
#include <math.h>

enum { HALF = 8 }; // rows between a thread's two

size_t sn_chain_num_reduces(const SnRowProgram *p, size_t phase) {
  return phase < p->phases.size ? p->phases.data[phase].reduces.size : 0;
}

static size_t num_reductions(const SnGpuChain *c) {
  return sn_chain_num_reduces(&c->rows[0], 0) + sn_chain_num_reduces(&c->rows[0], 1);
}

size_t sn_gpu_chain_states(const SnGpuChain *c) { return num_reductions(c) + !sn_null(c->maximum); }

// Reduction i of the first two phases.
MlirOperation sn_chain_state_of(const SnRowProgram *p, size_t i) {
  size_t first = sn_chain_num_reduces(p, 0);
  return i < first ? p->phases.data[0].reduces.data[i] : p->phases.data[1].reduces.data[i - first];
}

int64_t sn_gpu_chain_pairs(const SnGpuChain *c) { return sn_gpu_chain_whole(sn_row_length(&c->second)) / 8; }

size_t sn_gpu_chain_grown(const SnGpuChain *c) {
  return c->second.products.size * (size_t)sn_gpu_chain_pairs(c) * SN_GPU_MMA_SUMS;
}

size_t sn_gpu_chain_words_before(const SnGpuChain *c, size_t p) {
  size_t parts = 0;
  for (size_t i = 0; i < p; ++i)
    parts += c->products[c->first.products.size + i].parts;
  return parts * (size_t)c->plan->n / 4;
}

// ---- a thread's rows --------------------------------------------------------------------------

void sn_gpu_chain_rows(SnBuilder *b, SnGpuChain *c) {
  const SnGpuPoints *points = &c->plan->points;
  MlirValue of_warp = plus(b, sn(b, "arith.muli", c->k->warp, sn_index(b, SN_GPU_CHAIN_WARP_ROWS)),
                           sn(b, "arith.divui", c->k->lane, sn_index(b, SN_CHAIN_QUAD)));
  for (int h = 0; h < 2; ++h) {
    MlirValue i = plus(b, plus(b, c->first_row, of_warp), sn_index(b, h * HALF)), dims[SN_MAX_DIMS];
    c->row_is[h] = sn_gpu_inside(b, i, c->num_rows, c->plan->m);
    c->row[h] = sn(b, "arith.select", c->row_is[h], i, sn_index(b, 0));
    memcpy(dims, c->dims, sizeof dims);
    sn_gpu_point(b, &c->first, &points->rows, c->row[h], dims);
    memcpy(c->rows[h].dims, dims, (size_t)c->first.num_rows * sizeof *dims);
    memcpy(c->results[h].dims, dims, (size_t)c->first.num_rows * sizeof *dims);
  }
}

// Pairs end with the last dimension of columns: their elements are neighbours.
int64_t sn_chain_lanes_of(const SnForm *f) {
  int64_t last = f->dims.data[f->num_rows + f->num_cols - 1].size;
  return last != SN_DYNAMIC && last % 2 == 0 ? 2 : 1;
}

// ---- a row's columns ------------------------------------------------------------------------------

SnChainColumns sn_chain_columns_of(SnBuilder *b, const SnGpuChain *c, const SnGpuOwnColumns *own) {
  size_t n = (size_t)(own->pairs * 2 / own->lanes);
  SnChainColumns to = {.own = *own, .at = sn_alloc(n * sizeof *to.at), .is = sn_alloc(n * sizeof *to.is), .n = n};
  MlirValue pair = sn(b, "arith.muli", sn(b, "arith.remui", c->k->lane, sn_index(b, SN_CHAIN_QUAD)), sn_index(b, 2)),
            first = plus(b, own->first, pair), zero = sn_index(b, 0);
  for (size_t i = 0; i < n; ++i) {
    int64_t column = (int64_t)i * own->lanes / 2 * 8 + (int64_t)i * own->lanes % 2;
    MlirValue j = column ? plus(b, first, sn_index(b, column)) : first;
    to.is[i] = (MlirValue){0};
    if (!own->whole) {
      to.is[i] = sn(b, "arith.cmpi", j, own->size, sn_attr("predicate", sn_i64(b->ctx, 6))); // ult
      j = sn(b, "arith.select", to.is[i], j, zero);
    }
    to.at[i] = sn_fragment(j, own->lanes);
    to.at[i].near = first;
    to.at[i].past = column;
  }
  return to;
}

void sn_chain_free_columns(SnChainColumns *c) {
  for (size_t i = 0; i < c->n; ++i)
    sn_fragment_free(&c->at[i]);
  free(c->at);
  free(c->is);
}

// Where columns are beside the row: `otherwise`, on so many lanes.
static MlirValue inside(SnBuilder *b, const SnChainColumns *c, size_t i, MlirValue x, MlirValue otherwise) {
  if (sn_none(c->is[i]))
    return x;
  return sn(b, "arith.select", c->is[i], x, sn_lanes_broadcast(b, otherwise, c->own.lanes));
}

// Sums that are rounded to a half type are so in pairs, by an intrinsic that LLVM leaves as it is. Where each is
// rounded, ptxas makes one instruction of two, and then does not see when wgmma is done with what it reads: each wgmma
// is waited for where it is.
static void give_rounded(SnBuilder *b, SnChainColumns *c, MlirOperation round, const MlirValue *sums, int h) {
  MlirType t = sn_element(sn_type_of(sn_result(round, 0)));
  bool f16 = mlirTypeIsAF16(t);
  for (size_t pair = 0; pair < (size_t)c->own.pairs && (f16 || mlirTypeIsABF16(t)); ++pair) {
    const MlirValue *x = &sums[pair * SN_GPU_MMA_SUMS + (size_t)h * 2];
    MlirValue rounded =
        sn(b, "llvm.call_intrinsic", x[1], x[0], sn_vector(t, 2),
           sn_attr("intrin", sn_string(b->ctx, f16 ? "llvm.nvvm.ff2f16x2.rn" : "llvm.nvvm.ff2bf16x2.rn")),
           sn_attr("op_bundle_sizes", mlirDenseI32ArrayGet(b->ctx, 0, NULL)),
           sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b->ctx, 2, (int32_t[]){2, 0})));
    for (size_t l = 0; l < 2 && c->own.lanes == 1; ++l)
      sn_fragment_give(&c->at[2 * pair + l], sn_result(round, 0), sn_lane(b, rounded, (int64_t)l));
    if (c->own.lanes == 2)
      sn_fragment_give(&c->at[pair], sn_result(round, 0), rounded);
  }
}

// Four sums of a pair of columns for two rows -> those of row h, as the fragment has them.
void sn_chain_give_sums(SnBuilder *b, SnChainColumns *c, MlirValue argument, const MlirValue *sums, int h) {
  for (size_t i = 0; i < c->n; ++i) {
    const MlirValue *pair = &sums[(i * (size_t)c->own.lanes / 2) * SN_GPU_MMA_SUMS + (size_t)h * 2];
    MlirValue x = c->own.lanes == 1
                      ? pair[i % 2]
                      : sn(b, "vector.from_elements", sn_values(2, pair), sn_vector(sn_type_of(pair[0]), 2));
    sn_fragment_give(&c->at[i], argument, x);
  }
  for (MlirOpOperand use = mlirValueGetFirstUse(argument); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use))
    if (sn_is(mlirOpOperandGetOwner(use), "arith.truncf"))
      give_rounded(b, c, mlirOpOperandGetOwner(use), sums, h);
}

// The thread's part of a reduction.
MlirValue sn_chain_reduce_columns(SnBuilder *b, SnRowProgram *p, SnChainColumns *c, MlirOperation reduce) {
  MlirValue identity = sn_row_identity(b, p, reduce, 1), acc = {0};
  for (size_t i = 0; i < c->n; ++i) {
    MlirValue x = inside(b, c, i, sn_row_reduced(b, p, &c->at[i], reduce), identity);
    acc = i ? sn_row_combine(b, p, reduce, acc, x) : x;
  }
  return c->own.lanes > 1 ? sn_row_horizontal(b, p, reduce, acc) : acc;
}

MlirValue sn_chain_over_quad(SnBuilder *b, SnRowProgram *p, MlirOperation reduce, MlirValue x) {
  SnReduction r = sn_reduction_of(p, reduce);
  return sn_gpu_butterfly(b, &r, x, SN_CHAIN_QUAD);
}

// ---- rows that grow -----------------------------------------------------------------------------

static const double LEAST = -3.4028234663852886e38, LN2 = 0.6931471805599453;
enum { LAZY_BITS = 8, OEQ = 1, UGT = 10 }; // so far may a maximum be above its reference; of arith.cmpf

void sn_gpu_chain_begin(SnBuilder *b, SnGpuChain *c, MlirValue *states) {
  size_t n = sn_gpu_chain_states(c), reductions = num_reductions(c);
  for (size_t i = 0; i < 2 * n; ++i)
    states[i] = i % n < reductions ? sn_row_identity(b, &c->rows[0], sn_chain_state_of(&c->rows[0], i % n), 1)
                                   : sn_float(b, mlirF32TypeGet(b->ctx), LEAST);
}

MlirValue sn_chain_number(SnBuilder *b, double x) { return sn_float(b, mlirF32TypeGet(b->ctx), x); }
// What e to the power of x is, one instruction and a multiplication.
MlirValue sn_chain_exponential(SnBuilder *b, MlirValue x) {
  MlirType t = sn_type_of(x);
  MlirValue log2e = sn_splat(b, t, mlirFloatAttrDoubleGet(b->ctx, sn_element(t), SN_CHAIN_LOG2E));
  return sn_gpu_each_lane(b, "llvm.nvvm.ex2.approx.ftz", sn(b, "arith.mulf", x, log2e));
}
// No exponential is taken under -inf.
MlirValue sn_chain_under(SnBuilder *b, MlirValue maximum) {
  return sn(b, "arith.maximumf", maximum, sn_chain_number(b, LEAST));
}

double sn_gpu_chain_above_maximum(const SnGpuChain *c) {
  double bits = c->power ? LAZY_BITS : 0;
  for (int64_t n = c->power; n > 1; n /= 2)
    ++bits;
  return bits * LN2;
}

size_t sn_chain_place_of_maximum(const SnGpuChain *c) {
  size_t i = 0;
  while (!mlirOperationEqual(sn_chain_state_of(&c->rows[0], i), c->maximum))
    ++i;
  return i;
}

MlirValue *sn_chain_reference_of(SnChainRow *r) { return r->states + num_reductions(r->c); }

// Of the thread's row h, under another reference: sums of exponentials, and what grows.
static void scale(SnBuilder *b, SnChainRow *r, MlirValue by) {
  for (size_t i = sn_chain_num_reduces(r->program, 0); i < num_reductions(r->c); ++i)
    r->states[i] = sn(b, "arith.mulf", r->states[i], sn_row_convert(b, by, sn_type_of(r->states[i])));
  for (size_t i = 0; i < r->num_grown; ++i)
    if (i % SN_GPU_MMA_SUMS / 2 == (size_t)r->h)
      r->grown[i] = sn(b, "arith.mulf", r->grown[i], by);
}

// Both rows' references, where a maximum is too far above one: sums so far come under them.
static void raise_references(SnBuilder *b, SnGpuChain *c, SnChainRow *rows) {
  size_t num_states = 2 * sn_gpu_chain_states(c), n = num_states + rows->num_grown, at = sn_chain_place_of_maximum(c);
  MlirValue *states = rows[0].states, *grown = rows[0].grown, *was = sn_alloc(2 * n * sizeof *was), *is = was + n,
            next[2], far = {0};
  MlirType *types = sn_alloc(n * sizeof *types);
  for (int h = 0; h < 2; ++h) {
    MlirValue most = sn_chain_under(b, rows[h].states[at]), r = *sn_chain_reference_of(&rows[h]);
    next[h] = sn(b, "arith.addf", most, sn_chain_number(b, sn_gpu_chain_above_maximum(c)));
    MlirValue less = sn(b, "arith.subf", next[h], sn_chain_number(b, LAZY_BITS * LN2)),
              is_far = sn(b, "arith.cmpf", less, r, sn_attr("predicate", sn_i64(b->ctx, UGT)));
    far = h ? sn(b, "arith.ori", far, is_far) : is_far;
  }
  memcpy(was, states, num_states * sizeof *was);
  memcpy(was + num_states, grown, rows->num_grown * sizeof *was);
  for (size_t i = 0; i < n; ++i)
    types[i] = sn_type_of(was[i]);
  SnIf raise = sn_if_types(b, sn_gpu_any_lane(b, far), sn_types((intptr_t)n, types));
  for (int h = 0; h < 2; ++h) {
    MlirValue *r = sn_chain_reference_of(&rows[h]);
    scale(b, &rows[h], sn_chain_exponential(b, sn(b, "arith.subf", *r, next[h])));
    *r = next[h];
  }
  memcpy(is, states, num_states * sizeof *is);
  memcpy(is + num_states, grown, rows->num_grown * sizeof *is);
  sn_else_values(b, &raise, sn_values((intptr_t)n, is));
  sn_end_if_values(b, &raise, sn_values((intptr_t)n, was));
  for (size_t i = 0; i < n; ++i)
    *(i < num_states ? &states[i] : &grown[i - num_states]) = sn_result(raise.op, (intptr_t)i);
  free(was);
  free(types);
}

// In front of a mask, and behind it, nobody compares.
static void stream_masks(SnBuilder *b, SnChainRow *r) {
  const SnCpuCompare *masks[] = {&r->c->end, &r->c->begin};
  for (size_t m = 0; m < 2 && r->unmasked; ++m)
    for (size_t i = 0; i < r->columns.n && !sn_null(masks[m]->op); ++i) {
      SnFragment *at = &r->columns.at[i];
      MlirValue says = sn_int(b, mlirIntegerTypeGet(b->ctx, 1), !masks[m]->truth);
      sn_fragment_give(at, sn_result(masks[m]->op, 0), sn_fragment_spread(b, at, says));
    }
}

static void stream_phase(SnBuilder *b, size_t phase, SnChainRow *r) {
  SnRowProgram *p = r->program;
  size_t first = phase ? sn_chain_num_reduces(p, 0) : 0;
  p->phase = (int)phase;
  if (!phase) {
    sn_row_scalars(b, p, 0);
    stream_masks(b, r);
    sn_chain_give_powers(b, r);
  }
  for (size_t i = first; i < first + sn_chain_num_reduces(p, phase); ++i) {
    MlirOperation reduce = sn_chain_state_of(p, i);
    bool is_maximum = mlirOperationEqual(reduce, r->c->maximum);
    if (is_maximum && r->guesses)
      continue;
    MlirValue x = sn_chain_reduce_columns(b, p, &r->columns, reduce);
    if (is_maximum)
      x = sn_chain_over_quad(b, p, reduce, x);
    r->states[i] = sn_row_combine(b, p, reduce, r->states[i], x);
  }
}

// A pair of elements of the row, and zeros beside it, as a vector of two.
static MlirValue pair_of(SnBuilder *b, SnChainRow *r, size_t pair, MlirValue row) {
  MlirType element = sn_element(sn_type_of(row));
  MlirValue zero = sn_zero(b, element), x[2];
  SnChainColumns *c = &r->columns;
  for (size_t l = 0; l < (size_t)(2 / c->own.lanes); ++l) {
    size_t i = pair * (size_t)(2 / c->own.lanes) + l;
    x[l] = inside(b, c, i, sn_row_element(b, r->program, &c->at[i], row), zero);
  }
  return c->own.lanes > 1 ? x[0] : sn(b, "vector.from_elements", sn_values(2, x), sn_vector(element, 2));
}

// Two halves, as a register has them.
static MlirValue word_of(SnBuilder *b, MlirValue pair) {
  MlirType i32 = mlirIntegerTypeGet(b->ctx, 32);
  int64_t none = 0;
  return sn(b, "vector.extract", sn(b, "vector.bitcast", pair, sn_vector(i32, 1)), i32,
            sn_attr("static_position", mlirDenseI64ArrayGet(b->ctx, 1, &none)));
}

// Numbers of columns that copies have fetched, from the slot.
static void give_numbers(SnBuilder *b, const SnGpuChain *c, SnChainColumns *columns) {
  enum { LINE = 64 };
  int64_t lines = c->plan->slot_bytes / (LINE * (int64_t)sizeof(float)), place = 0, n = c->plan->n;
  if (!c->plan->numbers)
    return;
  MlirValue quad = sn(b, "arith.muli", sn(b, "arith.remui", c->k->lane, sn_index(b, SN_CHAIN_QUAD)), sn_index(b, 2)),
            first = sn(b, "arith.muli", c->slot, sn_index(b, lines));
  for (size_t k = 0; k < c->first.inputs.size; ++k) {
    if (!sn_gpu_chain_is_numbers(&c->first, &c->plan->points, k))
      continue;
    for (size_t i = 0; i < columns->n; ++i) {
      int64_t column = (int64_t)i * columns->own.lanes / 2 * 8 + (int64_t)i * columns->own.lanes % 2,
              line = c->plan->numbers_at / (LINE * (int64_t)sizeof(float)) + (place * n + column) / LINE;
      MlirValue at[] = {c->numbers, plus(b, first, sn_index(b, line)), plus(b, quad, sn_index(b, column % LINE))},
                x = columns->own.lanes > 1
                        ? sn(b, "vector.load", sn_values(3, at), sn_vector(mlirF32TypeGet(b->ctx), 2))
                        : sn(b, "memref.load", sn_values(3, at), mlirF32TypeGet(b->ctx));
      sn_fragment_give(&columns->at[i], sn_input_argument(&c->first, k), x);
    }
    ++place;
  }
}

// A thread's two rows at so many columns: what is known of each by itself.
static void begin_rows(SnBuilder *b, SnGpuChain *c, const SnGpuOwnColumns *own, const MlirValue *sums, bool masked,
                       SnChainRow *rows) {
  for (int h = 0; h < 2; ++h) {
    SnChainRow *r = &rows[h];
    r->columns = sn_chain_columns_of(b, c, own);
    r->unmasked = !masked;
    give_numbers(b, c, &r->columns);
    for (size_t p = 0; p < c->first.products.size; ++p)
      sn_chain_give_sums(b, &r->columns, sn_product_argument(&c->first, p),
                         sums + p * (size_t)own->pairs * SN_GPU_MMA_SUMS, h);
  }
}

static void words_of_row(SnBuilder *b, SnChainRow *r, MlirValue *words) {
  SnGpuChain *c = r->c;
  size_t pairs = (size_t)c->plan->n / 8;
  for (size_t p = 0; p < c->second.products.size; ++p) {
    MlirValue row = sn_row_yield(r->program, c->products[c->first.products.size + p].yield);
    const SnGpuChained *q = &c->products[c->first.products.size + p];
    MlirType half = sn_vector(sn_side_element(&c->second, q->product.b), 2);
    MlirValue *to = words + sn_gpu_chain_words_before(c, p) + (size_t)r->h;
    for (size_t pair = 0; pair < pairs; ++pair) {
      MlirValue x = pair_of(b, r, pair, row), rest = x;
      if (q->product.line->a == SN_PARTS) {
        sn_gpu_split_pair(b, sn_lane(b, x, 0), sn_lane(b, x, 1), (int64_t)(2 * pairs), to + 2 * pair);
        continue;
      }
      for (size_t part = 0; part < q->parts; ++part) { // rounded, and what that left
        MlirValue rounded = q->parts > 1 ? sn(b, "arith.truncf", rest, half) : x;
        to[(part * pairs + pair) * 2] = word_of(b, rounded);
        if (part + 1 < q->parts)
          rest = sn(b, "arith.subf", rest, sn(b, "arith.extf", rounded, sn_type_of(x)));
      }
    }
  }
}

// Exponentials under the reference, the thread's parts of their sums: `parts` of both rows, and the words.
static void make_rows(SnBuilder *b, SnChainRow *rows, MlirValue *parts, MlirValue *words) {
  SnGpuChain *c = rows->c;
  size_t first = sn_chain_num_reduces(rows->program, 0), n = sn_chain_num_reduces(rows->program, 1);
  for (int h = 0; h < 2; ++h) {
    SnChainRow *r = &rows[h];
    sn_chain_give_exponentials(b, r);
    r->program->phase = 1;
    for (size_t i = 0; i < n; ++i)
      parts[(size_t)h * n + i] =
          sn_chain_reduce_columns(b, r->program, &r->columns, sn_chain_state_of(&c->rows[0], first + i));
    words_of_row(b, r, words);
  }
}

// References that these columns' maxima are not far above.
static void follow(SnBuilder *b, SnChainRow *rows) {
  SnGpuChain *c = rows->c;
  for (int h = 0; h < 2; ++h) {
    SnChainRow *r = &rows[h];
    MlirValue most = sn_chain_over_quad(b, r->program, c->maximum,
                                        sn_chain_reduce_columns(b, r->program, &r->columns, c->maximum)),
              next = sn(b, "arith.maximumf", *sn_chain_reference_of(r),
                        sn(b, "arith.addf", sn_chain_under(b, most),
                           sn_chain_number(b, sn_gpu_chain_above_maximum(c))));
    scale(b, r, sn_chain_exponential(b, sn(b, "arith.subf", *sn_chain_reference_of(r), next)));
    *sn_chain_reference_of(r) = next;
  }
}

// Without maxima, unless some part of a sum says that one is far above its reference.
static void guess_rows(SnBuilder *b, SnGpuChain *c, const SnGpuOwnColumns *own, const MlirValue *sums, bool masked,
                       SnChainRow *rows, MlirValue *words) {
  size_t num_states = 2 * sn_gpu_chain_states(c), first = sn_chain_num_reduces(&c->rows[0], 0),
         num_parts = sn_chain_num_reduces(&c->rows[0], 1),
         num_words = sn_gpu_chain_words_before(c, c->second.products.size),
         n = num_states + rows->num_grown + 2 * num_parts + num_words;
  MlirValue *was = sn_alloc(2 * n * sizeof *was), *is = was + n, far = {0},
            most = sn_chain_number(b, c->power ? 1.0 / (double)c->power : 1 << LAZY_BITS);
  MlirType *types = sn_alloc(n * sizeof *types);
  MlirValue *places[] = {rows->states, rows->grown, is + num_states + rows->num_grown, words};
  size_t counts[] = {num_states, rows->num_grown, 2 * num_parts, num_words};
  make_rows(b, rows, places[2], words);
  for (int h = 0; h < 2; ++h) {
    MlirValue sum = places[2][(size_t)h * num_parts + (size_t)c->sum - first],
              is_far = sn(b, "arith.cmpf", sum, most, sn_attr("predicate", sn_i64(b->ctx, UGT)));
    far = h ? sn(b, "arith.ori", far, is_far) : is_far;
  }
  for (size_t k = 0, at = 0; k < 4; at += counts[k++])
    memcpy(was + at, places[k], counts[k] * sizeof *was);
  for (size_t i = 0; i < n; ++i)
    types[i] = sn_type_of(was[i]);
  SnIf again = sn_if_types(b, sn_gpu_any_lane(b, far), sn_types((intptr_t)n, types));
  SnChainRow others[2] = {rows[0], rows[1]};
  begin_rows(b, c, own, sums, masked, others);
  for (int h = 0; h < 2; ++h)
    stream_masks(b, &others[h]);

  follow(b, others);
  make_rows(b, others, places[2], words);
  for (int h = 0; h < 2; ++h)
    sn_chain_free_columns(&others[h].columns);
  MlirValue *now = sn_alloc(n * sizeof *now);
  for (size_t k = 0, at = 0; k < 4; at += counts[k++])
    memcpy(now + at, places[k], counts[k] * sizeof *now);
  sn_else_values(b, &again, sn_values((intptr_t)n, now));
  sn_end_if_values(b, &again, sn_values((intptr_t)n, was));
  for (size_t k = 0, at = 0; k < 4; ++k)
    for (size_t i = 0; i < counts[k]; ++i, ++at)
      places[k][i] = sn_result(again.op, (intptr_t)at);
  for (int h = 0; h < 2; ++h)
    for (size_t i = 0; i < num_parts; ++i)
      rows[h].states[first + i] = sn_row_combine(b, rows[h].program, sn_chain_state_of(&c->rows[0], first + i),
                                                 rows[h].states[first + i], places[2][(size_t)h * num_parts + i]);
  free(now);
  free(was);
  free(types);
}

void sn_gpu_chain_columns(SnBuilder *b, SnGpuChain *c, MlirValue first, bool masked, bool further,
                          const MlirValue *sums, MlirValue *states, size_t num_grown, MlirValue *grown,
                          MlirValue *words) {
  int64_t length = sn_row_length(&c->first);
  SnGpuOwnColumns own = {.pairs = c->plan->n / 8,
                         .lanes = sn_chain_lanes_of(&c->first),
                         .first = first,
                         .size = c->num_columns,
                         .whole = !masked || (c->plan->split == 1 && length > 0 && length % c->plan->n == 0)};
  SnChainRow rows[2];
  for (int h = 0; h < 2; ++h)
    rows[h] = (SnChainRow){.c = c,
                           .program = &c->rows[h],
                           .h = h,
                           .states = states + (size_t)h * sn_gpu_chain_states(c),
                           .num_grown = num_grown,
                           .grown = grown,
                           .guesses = further && c->sum >= 0};
  begin_rows(b, c, &own, sums, masked, rows);
  for (int h = 0; h < 2; ++h) {
    sn_row_begin(rows[h].program);
    stream_phase(b, 0, &rows[h]);
  }
  if (rows->guesses) {
    guess_rows(b, c, &own, sums, masked, rows, words);
  } else {
    if (!sn_null(c->maximum))
      raise_references(b, c, rows);
    for (int h = 0; h < 2; ++h) {
      if (!sn_null(c->maximum)) {
        sn_chain_give_exponentials(b, &rows[h]);
        stream_phase(b, 1, &rows[h]);
      }
      words_of_row(b, &rows[h], words);
    }
  }
  for (int h = 0; h < 2; ++h)
    sn_chain_free_columns(&rows[h].columns);
}

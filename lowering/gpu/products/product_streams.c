// product_streams.c: few rows by weights that go through shared memory as they lie in memory.
//
//   %w[j, k * 64 + l] : i8, %s[j, k] : f32
//     cp.async, some slots ahead   ->   n lines of 64 or 128 bytes of the weights, m lines of the rows
//     each lane of a warp          ->   16 bytes of two lines; the side's program on them, 4 summed elements at a time
//                                       = rows of mma.sync, 16 weights' columns; m rows are its columns
//
// Of two products of the same rows (a gate) a slot has the lines of both, and the rows once.
//
// Which summed elements an instruction takes together is nobody's: lane t of the four that share a line has the
// elements that its 16 bytes give, and takes the same ones of the rows. So weights are turned nowhere, and what memory
// moves is what memory has. What is one number for such a piece (a group's scale) a lane loads one slot ahead.
//
// Units of 16 bytes of every second line are exchanged with those 64 bytes further: two lines' are in different banks.
//
// Lines that begin anywhere (`odd`) come by the units of memory around them, one more than a line has. A lane takes
// five words of which its 16 bytes are a part, and shifts them. What is behind the sum's end is not copied, and so 0.
//
// Few columns by many rows (`turned`): weights are rows of the tile, and sums are stored turned.
//
// test: test/lowering/gpu/product_streams.mlir, test/gpu/emulate_streams.test

#include "lowering/gpu/products/product_streams.h"
#include "lowering/gpu/products/product_fetch.h"
#include "lowering/gpu/products/product_fragments.h"
#include "lowering/rows/index.h"

enum {
  UNIT = SN_GPU_STREAM_BYTES,
  HALF_BYTES = SN_GPU_STREAM_HALF,
  STEP = 4, // summed elements of a lane in one instruction
  PAIR = 2,
};

// ---- numbers of pieces of the sum ------------------------------------------------------------------

// The weights' column of block `i` of the warp, half `half` of it, that this lane has; the first one of all, where it
// is beside the end.
static MlirValue column_of(SnBuilder *b, const SnGpuStreams *s, int64_t i, int64_t half) {
  MlirValue in_tile = plus_n(b, plus(b, times(b, s->warp, s->blocks * SN_GPU_STREAM_COLUMNS), s->quad),
                             i * SN_GPU_STREAM_COLUMNS + half * SN_GPU_STREAM_COLUMNS / 2),
            outer;
  sn_gpu_stream_outer(b, s, false, in_tile, &outer);
  return outer;
}

// The lane's piece `turn` of a line, of those that its group of warps has.
static MlirValue unit_of(SnBuilder *b, const SnGpuStreams *s, int64_t turn) {
  MlirValue unit = plus_n(b, s->of_quad, turn * SN_GPU_STREAM_LANES);
  return s->groups > 1 ? plus(b, unit, times(b, s->group, s->turns * SN_GPU_STREAM_LANES)) : unit;
}

// The first summed element of the lane's piece `turn` of those from `first` on.
static MlirValue summed_of(SnBuilder *b, const SnGpuStreams *s, MlirValue first, int64_t turn) {
  return plus(b, first, times(b, unit_of(b, s, turn), s->stream.lanes));
}

static bool uses_sum(const SnGpuStreams *s, size_t i) {
  bool uses = false;
  for (int64_t d = s->product->summed.first; d < s->product->summed.first + s->product->summed.num_dims; ++d)
    uses |= sn_access_uses(s->g->form, sn_gpu_stream_input(s, i), d);
  return uses;
}

// Input i of the side's program at this column, at a summed element that may be beyond the end.
static MlirValue load_number(SnBuilder *b, const SnGpuStreams *s, size_t i, MlirValue column, MlirValue summed) {
  SnGpuProducts *g = s->g;
  MlirValue dims[SN_MAX_DIMS], in;
  memcpy(dims, g->dims, sizeof dims);
  sn_gpu_point(b, g->form, &g->plan->points.rows, sn_index(b, 0), dims);
  sn_gpu_point(b, g->form, &g->plan->points.columns, column, dims);
  in = sn_row_below(b, summed, s->sum);
  summed = sn(b, "arith.select", in, summed, sn_index(b, 0));
  SnGroup sum = s->product->summed;
  SnGpuDims of_sum = {.n = (size_t)sum.num_dims};
  for (int64_t d = 0; d < sum.num_dims; ++d)
    of_sum.dims[d] = sum.first + d;
  sn_gpu_point(b, g->form, &of_sum, summed, dims);
  return sn_row_load(b, g->form, sn_gpu_stream_input(s, i), dims);
}

// Those of a slot, or those that are the same in all slots: one for each input, block, half and turn.
static int64_t load_numbers(SnBuilder *b, const SnGpuStreams *s, bool of_slot, MlirValue first, MlirValue *to) {
  int64_t n = 0;
  for (size_t i = s->weights.first; i < s->weights.first + s->weights.count; ++i)
    if (i != s->stream.input && uses_sum(s, i) == of_slot)
      for (int64_t block = 0; block < s->blocks; ++block)
        for (int64_t half = 0; half < 2; ++half)
          for (int64_t turn = 0; turn < (of_slot ? s->turns : 1); ++turn)
            to[n++] = load_number(b, s, i, column_of(b, s, block, half), summed_of(b, s, first, turn));
  return n;
}

// So many does it load.
static int64_t count_numbers(const SnGpuStreams *s, bool of_slot) {
  int64_t n = 0;
  for (size_t i = s->weights.first; i < s->weights.first + s->weights.count; ++i)
    n += i != s->stream.input && uses_sum(s, i) == of_slot ? s->blocks * 2 * (of_slot ? s->turns : 1) : 0;
  return n;
}

// The same, of input i: where load_numbers put it.
static MlirValue number_of(const SnGpuStreams *s, size_t i, int64_t block, int64_t half, int64_t turn,
                           const MlirValue *same, const MlirValue *of_slot) {
  bool uses = uses_sum(s, i);
  int64_t turns = uses ? s->turns : 1, at = 0;
  for (size_t o = s->weights.first; o < i; ++o)
    if (o != s->stream.input && uses_sum(s, o) == uses)
      at += s->blocks * 2 * turns;
  return (uses ? of_slot : same)[at + (block * 2 + half) * turns + (uses ? turn : 0)];
}

// ---- fragments -------------------------------------------------------------------------------------

// Indices of summed dimensions that a lane's piece begins at multiples of are numbers of the place in it.
static void give_indices(SnBuilder *b, const SnGpuStreams *s, int64_t first, SnFragment *at) {
  int64_t behind = 1;
  for (int64_t d = s->product->summed.first + s->product->summed.num_dims; d-- > s->product->summed.first;) {
    int64_t size = s->g->form->dims.data[d].size;
    MlirAttribute each[STEP];
    MlirType t = sn_vector(sn_index_type(b->ctx), STEP);
    for (int64_t l = 0; l < STEP; ++l)
      each[l] = mlirIntegerAttrGet(sn_element(t), (first + l) / behind % size);
    if (s->stream.lanes % (behind * size))
      return;
    behind *= size;
    for (MlirOperation op = mlirBlockGetFirstOperation(s->weights.program); !sn_null(op);
         op = mlirOperationGetNextInBlock(op)) {
      const SnRowOp *line = sn_row_op_of(op);
      if (line && line->names_dim && sn_row_named_dim(s->g->form, op) == d)
        sn_fragment_give(at, sn_result(op, 0), sn_constant(b, mlirDenseElementsAttrGet(t, STEP, each)));
    }
  }
}

// 4 summed elements of a column, from its vector's `step`: two words. `inside`: null, or whether they are in the sum.
static void convert(SnBuilder *b, SnGpuStreams *s, MlirValue vector, int64_t step, MlirValue summed, MlirValue inside,
                    const MlirValue *numbers_of, MlirValue *low, MlirValue *high) {
  MlirType element = sn_element(sn_type_of(vector)), type = sn_micro_packed(s->product->line->b, s->product->type);
  MlirValue each[STEP], x, y;
  for (int64_t l = 0; l < STEP; ++l)
    each[l] = sn_lane(b, vector, (step * STEP + l) / s->stream.repeat);
  x = sn(b, "vector.from_elements", sn_values(STEP, each), sn_vector(element, STEP));
  if (s->weights.program.ptr) {
    SnFragment at = sn_fragment(plus_n(b, summed, step * STEP), STEP);
    for (size_t i = 0; i < s->weights.count; ++i) {
      MlirValue argument = mlirBlockGetArgument(s->weights.program, (intptr_t)i);
      if (s->weights.first + i == s->stream.input)
        sn_fragment_give(&at, argument, x);
      else if (sn_is_row(argument))
        sn_fragment_give(&at, argument, sn_lanes_broadcast(b, numbers_of[i], STEP));
    }
    give_indices(b, s, step * STEP, &at);
    y = sn_row_element(b, &s->program, &at, sn_row_yield(&s->program, 0));
    sn_fragment_free(&at);
  } else {
    y = sn_row_convert(b, x, type);
  }
  if (!sn_none(inside))
    y = sn(b, "arith.select", inside, y, sn_zero(b, sn_type_of(y)));
  y = sn(b, "vector.bitcast", y, sn_vector(mlirIntegerTypeGet(b->ctx, 32), PAIR));
  *low = sn_lane(b, y, 0);
  *high = sn_lane(b, y, 1);
}

// What is one for the lane's piece: scalars of the side's program.
static void begin_piece(SnBuilder *b, SnGpuStreams *s, const MlirValue *numbers_of) {
  if (!s->weights.program.ptr)
    return;
  sn_row_begin(&s->program);
  for (size_t i = 0; i < s->weights.count; ++i) {
    MlirValue argument = mlirBlockGetArgument(s->weights.program, (intptr_t)i);
    if (!sn_is_row(argument))
      sn_row_know(&s->program, argument, numbers_of[i]);
  }
  s->program.phase = 0;
  sn_row_scalars(b, &s->program, 0);
}

// 16 bytes of memory at a unit of a line of a slot, as so many elements.
static MlirValue load_unit(SnBuilder *b, const SnGpuStreams *s, const SnGpuCopied *c, MlirType element, MlirValue slot,
                           MlirValue line, MlirValue unit) {
  MlirType byte = mlirIntegerTypeGet(b->ctx, 8);
  MlirValue at = plus(b, times(b, slot, c->slot_bytes),
                      plus(b, sn_gpu_stream_line_at(b, c, line),
                           times(b, sn_gpu_stream_place(b, s, c, line, unit), UNIT))),
            x = sn(b, "vector.load", c->memory, at, sn_vector(byte, UNIT),
                   sn_attr("alignment", sn_i64(b->ctx, UNIT)));
  int64_t bits = (int64_t)sn_bits(element);
  if (mlirTypeIsAInteger(element) && bits == 8)
    return x;
  return sn(b, "vector.bitcast", x, sn_vector(element, UNIT * 8 / bits));
}

// The same of a line that begins anywhere, `shift` elements behind the unit.
static MlirValue load_odd(SnBuilder *b, const SnGpuStreams *s, const SnGpuCopied *c, MlirType element, MlirValue slot,
                          MlirValue line, MlirValue unit, MlirValue shift) {
  enum { WORD = 4, WORDS = UNIT / WORD };
  MlirType byte = mlirIntegerTypeGet(b->ctx, 8), i32 = mlirIntegerTypeGet(b->ctx, 32),
           i64 = mlirIntegerTypeGet(b->ctx, 64);
  MlirValue words[WORDS + 1], out[WORDS],
      at = plus(b, plus(b, times(b, slot, c->slot_bytes), sn_gpu_stream_line_at(b, c, line)),
                plus(b, times(b, unit, UNIT), times(b, over(b, shift, WORD / c->bytes), WORD))),
      bits = sn(b, "arith.index_castui", times(b, modulo(b, shift, WORD / c->bytes), 8 * c->bytes), i64);
  for (int64_t w = 0; w <= WORDS; ++w) {
    MlirValue x = sn(b, "vector.load", c->memory, plus_n(b, at, w * WORD), sn_vector(byte, WORD),
                     sn_attr("alignment", sn_i64(b->ctx, WORD)));
    words[w] = sn_lane(b, sn(b, "vector.bitcast", x, sn_vector(i32, 1)), 0);
    words[w] = sn(b, "arith.extui", words[w], i64);
  }
  for (int64_t w = 0; w < WORDS; ++w) {
    MlirValue pair = sn(b, "arith.ori", words[w], sn(b, "arith.shli", words[w + 1], sn_int(b, i64, 8 * WORD)));
    out[w] = sn(b, "arith.trunci", sn(b, "arith.shrui", pair, bits), i32);
  }
  MlirValue all = sn(b, "vector.from_elements", sn_values(WORDS, out), sn_vector(i32, WORDS));
  return sn(b, "vector.bitcast", all, sn_vector(element, 8 * UNIT / (int64_t)sn_bits(element)));
}

// The words of the rows that a lane multiplies its piece by: 2 for each 4 summed elements, of each 8 rows.
static void load_rows(SnBuilder *b, const SnGpuStreams *s, MlirValue slot, int64_t turn, MlirValue *to) {
  int64_t units = s->stream.lanes * HALF_BYTES / UNIT;
  MlirType i32 = mlirIntegerTypeGet(b->ctx, 32);
  for (int64_t r = 0; r < s->rows; ++r)
    for (int64_t u = 0; u < units; ++u) {
      MlirValue unit = plus_n(b, times(b, unit_of(b, s, turn), units), u),
                line = plus_n(b, s->quad, r * SN_GPU_STREAM_ROWS),
                x = s->stream.odd ? load_odd(b, s, &s->a, i32, slot, line, unit, s->row_shifts[r])
                                  : load_unit(b, s, &s->a, i32, slot, line, unit);
      for (int64_t w = 0; w < UNIT / 4; ++w)
        to[(r * units + u) * (UNIT / 4) + w] = sn_lane(b, x, w);
    }
}

// A product's pieces of a slot, those of this turn, by the words of the rows.
static void multiply_turn(SnBuilder *b, SnGpuStreams *s, MlirValue slot, MlirValue first, int64_t turn,
                          const MlirValue *rows, const MlirValue *same, const MlirValue *of_slot, MlirValue *sums) {
  int64_t steps = s->stream.lanes / STEP, words = 2 * steps;
  MlirType element = sn_element(sn_type_of(s->b.access->value));
  MlirValue numbers_of[2][SN_GPU_STREAM_MOST] = {0},
            lines = plus(b, times(b, s->warp, s->blocks * SN_GPU_STREAM_COLUMNS), s->quad),
            summed = summed_of(b, s, first, turn), inside = sn_gpu_stream_below_end(b, s, summed),
            unit = unit_of(b, s, turn);
  for (int64_t block = 0; block < s->blocks; ++block) {
    MlirValue(*x)[SN_GPU_MMA_A] = sn_alloc((size_t)steps * sizeof *x);
    for (int64_t half = 0; half < 2; ++half) {
      MlirValue line = plus_n(b, lines, block * SN_GPU_STREAM_COLUMNS + half * SN_GPU_STREAM_COLUMNS / 2),
                vector = s->stream.odd ? load_odd(b, s, &s->b, element, slot, line, unit, s->shifts[block * 2 + half])
                                       : load_unit(b, s, &s->b, element, slot, line, unit);
      for (size_t i = 0; i < s->weights.count; ++i)
        if (s->weights.first + i != s->stream.input)
          numbers_of[half][i] = number_of(s, s->weights.first + i, block, half, turn, same, of_slot);
      begin_piece(b, s, numbers_of[half]);
      for (int64_t step = 0; step < steps; ++step)
        convert(b, s, vector, step, summed, inside, numbers_of[half], &x[step][half], &x[step][2 + half]);
    }
    for (int64_t step = 0; step < steps; ++step)
      for (int64_t r = 0; r < s->rows; ++r)
        sn_gpu_multiply_fragments(b, s->product->line, x[step], &rows[r * words + 2 * step],
                                  &sums[(block * s->rows + r) * SN_GPU_MMA_SUMS]);
    free(x);
  }
}

// What all products have in lists behind each other, `most` numbers and `values` sums of each.
static void multiply_slot(SnBuilder *b, SnGpuStreams *s, MlirValue slot, MlirValue first, int64_t most,
                          const MlirValue *same, const MlirValue *of_slot, int64_t values, MlirValue *sums) {
  MlirValue *rows = sn_alloc((size_t)(s->rows * 2 * s->stream.lanes / STEP) * sizeof *rows);
  for (int64_t turn = 0; turn < s->turns; ++turn) {
    load_rows(b, s, slot, turn, rows);
    for (int64_t p = 0; p < (int64_t)s->g->form->products.size; ++p)
      multiply_turn(b, &s[p], slot, first, turn, rows, same + p * most, of_slot + p * most, sums + p * values);
  }
  free(rows);
}

// ---- a tile ----------------------------------------------------------------------------------------

// Columns of an instruction's sums are the tile's rows; of turned tiles they are columns.
static void store_sums(SnBuilder *b, const SnGpuStreams *s, const MlirValue *sums, MlirValue memory, bool add) {
  MlirValue row = times(b, s->of_quad, PAIR),
            column = plus(b, times(b, s->warp, s->blocks * SN_GPU_STREAM_COLUMNS), s->quad);
  for (int64_t block = 0; block < s->blocks; ++block)
    for (int64_t r = 0; r < s->rows; ++r)
      for (int64_t v = 0; v < SN_GPU_MMA_SUMS; ++v) {
        MlirValue few = plus_n(b, row, r * SN_GPU_STREAM_ROWS + v % PAIR),
                  many = plus_n(b, column, block * SN_GPU_STREAM_COLUMNS + v / PAIR * SN_GPU_STREAM_COLUMNS / 2),
                  at[] = {s->stream.turned ? many : few, s->stream.turned ? few : many},
                  sum = sums[(block * s->rows + r) * SN_GPU_MMA_SUMS + v];
        if (add)
          sum = sn(b, "arith.addf", sn_scratch_load(b, memory, sn_values(2, at), s->product->type, sn_no_attr()), sum);
        sn_scratch_store(b, sum, memory, sn_values(2, at), sn_no_attr());
      }
}

// Groups of warps add theirs one behind the other.
static void store_groups(SnBuilder *b, const SnGpuStreams *s, const MlirValue *sums, int64_t each) {
  for (int64_t turn = 0; turn < s->groups; ++turn) {
    SnIf mine;
    if (turn)
      sn_gpu_sync(b, s->g->k);
    if (s->groups > 1)
      mine = sn_if(b, sn(b, "arith.cmpi", s->group, sn_index(b, turn), sn_attr("predicate", sn_i64(b->ctx, 0))));
    for (size_t p = 0; p < s->g->form->products.size; ++p)
      store_sums(b, &s[p], sums + (int64_t)p * each, s->g->sums[p], turn > 0);
    if (s->groups > 1)
      sn_end_if(b, &mine);
  }
}

// The numbers of a slot of all products, and how many: behind each other, as loops carry them; else a list each.
static int64_t load_all_numbers(SnBuilder *b, const SnGpuStreams *s, bool of_slot, MlirValue first, int64_t most,
                                MlirValue *to) {
  int64_t all = 0;
  for (size_t p = 0; p < s->g->form->products.size; ++p)
    all += load_numbers(b, &s[p], of_slot, first, to + (most ? (int64_t)p * most : all));
  return all;
}

// What a loop carries of them, a list for each product.
static void as_lists(const SnGpuStreams *s, const MlirValue *carried, int64_t most, MlirValue *to) {
  for (size_t p = 0; p < s->g->form->products.size; ++p) {
    int64_t n = count_numbers(&s[p], true);
    memcpy(to + (int64_t)p * most, carried, (size_t)n * sizeof *to);
    carried += n;
  }
}

// Of the lines that a lane takes its pieces of.
static void find_shifts(SnBuilder *b, SnGpuStreams *s) {
  s->row_shifts = s->stream.odd ? sn_alloc((size_t)s->rows * sizeof *s->row_shifts) : NULL;
  for (int64_t r = 0; s->row_shifts && r < s->rows; ++r) {
    MlirValue row;
    sn_gpu_stream_outer(b, s, true, plus_n(b, s->quad, r * SN_GPU_STREAM_ROWS), &row);
    s->row_shifts[r] = sn_gpu_stream_shift(b, &s->a, sn_gpu_stream_offset(b, s, &s->a, row));
  }
  s->shifts = s->stream.odd ? sn_alloc((size_t)(2 * s->blocks) * sizeof *s->shifts) : NULL;
  for (int64_t i = 0; s->shifts && i < 2 * s->blocks; ++i)
    s->shifts[i] = sn_gpu_stream_shift(b, &s->b, sn_gpu_stream_offset(b, s, &s->b, column_of(b, s, i / 2, i % 2)));
}

static void sum_slots(SnBuilder *b, SnGpuStreams *s) {
  SnGpuProducts *g = s->g;
  const SnGpuProductPlan *plan = g->plan;
  int64_t products = (int64_t)g->form->products.size, each = s->blocks * s->rows * SN_GPU_MMA_SUMS,
          values = products * each, ahead = plan->stages - 1, most = SN_GPU_STREAM_MOST * s->blocks * 2 * s->turns;
  MlirValue first, end, step = sn_index(b, plan->k), *same = sn_alloc((size_t)(products * most) * sizeof *same),
                        *carried = sn_alloc((size_t)(values + products * most) * sizeof *carried),
                        *of_slot = carried + values;
  sn_gpu_part_of_sum(b, g, s->sum, &first, &end);
  for (int64_t p = 0; p < products; ++p)
    find_shifts(b, &s[p]);
  load_all_numbers(b, s, false, first, most, same);
  for (int64_t i = 0; i < ahead; ++i)
    sn_gpu_stream_copy(b, s, plus_n(b, first, i * plan->k), end, sn_index(b, i));
  for (int64_t v = 0; v < values; ++v)
    carried[v] = sn_gpu_zero(b, s->product->type);
  int64_t all = values + load_all_numbers(b, s, true, first, 0, of_slot);
  SnLoop l = sn_for_values(b, first, end, step, sn_values(all, carried));
  memcpy(carried, l.carried, (size_t)all * sizeof *carried);
  MlirValue piece = over(b, sn(b, "arith.subi", l.index, first), plan->k), slot = modulo(b, piece, plan->stages);
  sn_gpu_await_copies(b, ahead - 1);
  sn_gpu_sync(b, g->k); // everybody's are there, and nobody reads the slot before
  sn_gpu_stream_copy(b, s, plus_n(b, l.index, ahead * plan->k), end,
                     modulo(b, plus_n(b, piece, ahead), plan->stages));
  MlirValue *now = sn_alloc((size_t)(products * most) * sizeof *now);
  as_lists(s, of_slot, most, now);
  load_all_numbers(b, s, true, plus(b, l.index, step), 0, of_slot);
  multiply_slot(b, s, slot, l.index, most, same, now, each, carried);
  sn_next_values(b, &l, sn_values(all, carried));
  for (int64_t v = 0; v < values; ++v)
    carried[v] = sn_result(l.op, v);
  sn_gpu_await_copies(b, 0);
  store_groups(b, s, carried, each);
  for (int64_t p = 0; p < products; ++p) {
    free(s[p].shifts);
    free(s[p].row_shifts);
  }
  free(now);
  free(same);
  free(carried);
}

static SnGpuStreams streams_of(SnBuilder *b, SnGpuProducts *g, const SnGpuProduct *p, size_t number) {
  const SnGpuProductPlan *plan = g->plan;
  SnGpuStreams s = {.g = g, .product = p};
  sn_gpu_stream_of(g->form, number, &s.stream);
  bool turned = s.stream.turned;
  s.weights = sn_side(g->form, s.stream.weights);
  s.rows = sn_gpu_stream_extent(&s, true) / SN_GPU_STREAM_ROWS;
  s.groups = sn_gpu_stream_groups(sn_gpu_stream_extent(&s, false), g->k->threads);
  s.turns = sn_gpu_stream_turns(&s.stream, plan->k) / s.groups;
  int64_t of_group = g->k->warps / s.groups;
  s.blocks = sn_gpu_stream_extent(&s, false) / SN_GPU_STREAM_COLUMNS / of_group;
  s.warp = s.groups > 1 ? modulo(b, g->k->warp, of_group) : g->k->warp;
  s.group = over(b, g->k->warp, of_group);
  s.sum = sn_form_sizes(b, g->form, p->summed.first, p->summed.num_dims);
  s.quad = over(b, g->k->lane, SN_GPU_STREAM_LANES);
  s.of_quad = modulo(b, g->k->lane, SN_GPU_STREAM_LANES);
  s.a = sn_gpu_stream_copied(b, &s, sn_side(g->form, s.stream.rows).first, turned ? g->b : g->a, true);
  s.b = sn_gpu_stream_copied(b, &s, s.stream.input, turned ? g->a : g->b, false);
  return s;
}

void sn_gpu_sum_by_streams(SnBuilder *b, SnGpuProducts *g) {
  SnGpuProduct products[SN_GPU_STREAM_PRODUCTS];
  SnGpuStreams s[SN_GPU_STREAM_PRODUCTS];
  for (size_t p = 0; p < g->form->products.size; ++p) {
    products[p] = sn_gpu_product(g->form, p, g->plan->kernel);
    s[p] = streams_of(b, g, &products[p], p);
    if (!s[p].weights.program.ptr)
      continue;
    s[p].side = sn_side_form(g->form, products[p].b, s[p].at);
    s[p].program = sn_row_program(&s[p].side, sn_values(0, NULL));
  }
  sum_slots(b, s);
  for (size_t p = 0; p < g->form->products.size; ++p)
    if (s[p].weights.program.ptr) {
      sn_row_program_free(&s[p].program);
      sn_form_free(&s[p].side);
    }
}

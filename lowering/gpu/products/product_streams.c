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
// test: test/lowering/gpu/product_streams.mlir, test/gpu/emulate_products.test

#include "lowering/facts/gpu_streams.h"
#include "lowering/gpu/products/product_fetch.h"
#include "lowering/gpu/products/product_fragments.h"
#include "lowering/rows/rowmemory.h"

enum {
  UNIT = SN_GPU_STREAM_BYTES,
  HALF_BYTES = 2, // of what is multiplied
  STEP = 4,       // summed elements of a lane in one instruction
  PAIR = 2,
};

// Copies of a side: unit i of the thread is `unit` of line `line` + i * `lines`.
typedef struct {
  const SnAccess *access;
  MlirValue memory;                 // bytes: of all slots, a slot's begin
  int64_t stride, slot_bytes, first; // of a line; of a slot, and where in it these lines begin
  int64_t line_units, all;          // units of a line, of all lines
  int64_t elements, bytes, repeat;  // rows or columns; bytes of an element; neighbours of the sum that read it
  MlirValue address, line, unit;
  bool exchanged, of_rows;
} Copied;

typedef struct {
  SnGpuProducts *g;
  const SnGpuProduct *product;
  SnGpuStream stream;
  SnSide weights;
  SnForm side; // the weights' side by itself, and where its dimensions are
  SnRowProgram program;
  int64_t at[SN_MAX_DIMS];
  int64_t turns, blocks, rows; // pieces of a lane in a slot; 16 columns of a warp, 8 rows of the tile: so many
  int64_t groups;              // of warps that share a slot's sum: each has so many pieces of a line
  MlirValue group, warp;       // index: which of them, and which warp of it
  Copied a, b;
  MlirValue quad, of_quad; // which four lanes, which of them
  MlirValue sum;           // index: all that is summed
  MlirValue *shifts, *row_shifts; // of lines that begin anywhere: elements behind a unit, of those of each half of a
                                  // block, and of each 8 rows; or null
} Streams;

static MlirValue plus(SnBuilder *b, MlirValue x, MlirValue y) { return sn(b, "arith.addi", x, y); }
static MlirValue plus_n(SnBuilder *b, MlirValue x, int64_t n) { return n ? plus(b, x, sn_index(b, n)) : x; }
static MlirValue times(SnBuilder *b, MlirValue x, int64_t n) {
  return n == 1 ? x : sn(b, "arith.muli", x, sn_index(b, n));
}
static MlirValue over(SnBuilder *b, MlirValue x, int64_t n) {
  return n == 1 ? x : sn(b, "arith.divui", x, sn_index(b, n));
}
static MlirValue modulo(SnBuilder *b, MlirValue x, int64_t n) { return sn(b, "arith.remui", x, sn_index(b, n)); }
static MlirValue minus(SnBuilder *b, MlirValue x, MlirValue y) { return sn(b, "arith.subi", x, y); }

// ---- copies ----------------------------------------------------------------------------------------

static const SnAccess *input(const Streams *s, size_t i) { return &s->g->form->inputs.data[i]; }

// The lines of a side are rows of the tile, or its columns.
static bool are_rows(const SnGpuStream *s, bool of_rows) { return of_rows != s->turned; }
static int64_t extent_of(const Streams *s, bool of_rows) {
  return are_rows(&s->stream, of_rows) ? s->g->plan->m : s->g->plan->n;
}
static const SnGpuDims *points_of(const Streams *s, bool of_rows) {
  const SnGpuPoints *points = &s->g->plan->points;
  return are_rows(&s->stream, of_rows) ? &points->rows : &points->columns;
}

static Copied copied(SnBuilder *b, const Streams *s, size_t number, MlirValue memory, bool of_rows) {
  const SnGpuProductPlan *plan = s->g->plan;
  MlirType element = sn_element(sn_type_of(input(s, number)->value));
  int64_t bytes = (int64_t)sn_bits(element) / 8, units = plan->k / (of_rows ? UNIT / HALF_BYTES : s->stream.lanes);
  Copied c = {.access = input(s, number),
              .memory = memory,
              .line_units = units,
              .all = units * extent_of(s, of_rows),
              .elements = extent_of(s, of_rows),
              .bytes = bytes,
              .repeat = of_rows ? 1 : s->stream.repeat,
              .address = s->g->addresses[number],
              .of_rows = of_rows,
              .exchanged = !of_rows && !s->stream.odd && s->turns * s->groups % 2 == 0,
              .stride = sn_gpu_stream_line(&s->stream, of_rows, plan->k)};
  int64_t sides = of_rows ? 1 : (int64_t)s->g->form->products.size;
  c.slot_bytes = sides * c.stride * c.elements;
  c.first = of_rows ? 0 : (int64_t)(s->product->b / 2) * c.stride * c.elements;
  c.line = over(b, s->g->k->thread, units);
  c.unit = modulo(b, s->g->k->thread, units);
  return c;
}

// Where a line of a slot begins, in bytes.
static MlirValue line_of(SnBuilder *b, const Copied *c, MlirValue line) {
  return plus_n(b, times(b, line, c->stride), c->first);
}

// Where unit u of a line is, in units. Of rows of which a lane has 64 bytes: lanes 2 and 3 have the other banks.
static MlirValue place_of(SnBuilder *b, const Streams *s, const Copied *c, MlirValue line, MlirValue u) {
  if (c->exchanged)
    return sn(b, "arith.xori", u, times(b, modulo(b, line, 2), 4));
  if (c->of_rows && s->stream.lanes * HALF_BYTES == 4 * UNIT)
    return sn(b, "arith.xori", u, times(b, modulo(b, over(b, u, 8), 2), 2));
  return u;
}

// The access's first summed element at a row or column, in elements of its memory; all others at the tile's batch.
static MlirValue line_offset(SnBuilder *b, const Streams *s, const Copied *c, MlirValue outer) {
  SnGpuProducts *g = s->g;
  MlirValue dims[SN_MAX_DIMS], at[SN_MAX_DIMS + 1], unused, offset;
  memcpy(dims, g->dims, sizeof dims);
  for (int64_t d = s->product->summed.first; d < s->product->summed.first + s->product->summed.num_dims; ++d)
    dims[d] = sn_index(b, 0);
  sn_gpu_point(b, g->form, points_of(s, !c->of_rows), sn_index(b, 0), dims);
  sn_gpu_point(b, g->form, points_of(s, c->of_rows), outer, dims);
  sn_row_subscripts(b, g->form, c->access, dims, at, &unused);
  sn_row_flat(b, c->access->value, at, &offset);
  return offset;
}

// The row or column, or the first one where it is beside the end: null, or whether it is there.
static MlirValue outer_of(SnBuilder *b, const Streams *s, bool of_rows, MlirValue in_tile, MlirValue *outer) {
  SnGpuProducts *g = s->g;
  bool rows = are_rows(&s->stream, of_rows);
  *outer = plus(b, rows ? g->first_row : g->first_column, in_tile);
  MlirValue in = sn_gpu_inside(b, *outer, rows ? g->num_rows : g->num_columns, extent_of(s, of_rows));
  int64_t known;
  if (sn_known(in, &known))
    return (MlirValue){0};
  *outer = sn(b, "arith.select", in, *outer, sn_index(b, 0));
  return in;
}

static MlirValue both(SnBuilder *b, MlirValue x, MlirValue y) {
  return sn_none(x) ? y : sn_none(y) ? x : sn(b, "arith.andi", x, y);
}

// Null: all pieces of the sum are whole.
static MlirValue below_end(SnBuilder *b, const Streams *s, MlirValue summed) {
  return s->stream.sum % s->g->plan->k ? sn_row_below(b, summed, s->sum) : (MlirValue){0};
}

// A unit of a line: 16 bytes at element `offset` of memory, of which `there` are copied (null: all); the others are 0.
static void copy_unit(SnBuilder *b, const Copied *c, MlirValue memory, MlirValue to, MlirValue offset,
                      MlirValue there) {
  MlirType i32 = mlirIntegerTypeGet(b->ctx, 32), i64 = mlirIntegerTypeGet(b->ctx, 64);
  MlirValue from = sn(b, "arith.muli", sn(b, "arith.index_castui", offset, i64), sn_int(b, i64, c->bytes));
  sn_gpu_copy_async(b, plus(b, memory, sn(b, "arith.index_cast", to, i32)), plus(b, c->address, from), UNIT, there);
}

// Of lines that begin anywhere: by how many elements a line's are behind the units around them.
static MlirValue shift_of(SnBuilder *b, const Copied *c, MlirValue offset) {
  return modulo(b, offset, UNIT / c->bytes);
}

// Bytes of a unit that are of the sum, from its element `summed` on, which may be beyond its end or before its begin.
static MlirValue bytes_of_sum(SnBuilder *b, const Streams *s, const Copied *c, MlirValue summed, MlirValue in) {
  MlirType i32 = mlirIntegerTypeGet(b->ctx, 32);
  int64_t elements = UNIT / c->bytes;
  MlirValue n = sn(b, "arith.minsi", minus(b, s->sum, summed), sn_index(b, elements));
  n = sn(b, "arith.maxsi", n, sn_index(b, 0));
  if (!sn_none(in))
    n = sn(b, "arith.select", in, n, sn_index(b, 0));
  return sn(b, "arith.index_cast", times(b, n, c->bytes), i32);
}

// Unit `unit` of a line that begins anywhere.
static void copy_odd(SnBuilder *b, const Streams *s, const Copied *c, MlirValue first, MlirValue memory, MlirValue line,
                     MlirValue unit) {
  int64_t elements = UNIT / c->bytes;
  MlirValue outer, in = outer_of(b, s, c->of_rows, line, &outer), offset = line_offset(b, s, c, outer),
                   shift = shift_of(b, c, offset),
                   summed = minus(b, plus(b, first, times(b, unit, elements)), shift),
                   there = bytes_of_sum(b, s, c, summed, in), i32_zero = sn_int(b, sn_type_of(there), 0),
                   none = sn(b, "arith.cmpi", there, i32_zero, sn_attr("predicate", sn_i64(b->ctx, 0)));
  offset = sn(b, "arith.select", none, sn_index(b, 0), plus(b, offset, summed));
  copy_unit(b, c, memory, plus(b, line_of(b, c, line), times(b, place_of(b, s, c, line, unit), UNIT)), offset, there);
}

// The unit behind the last one of each line that begins anywhere: a thread a line.
static void copy_last(SnBuilder *b, const Streams *s, const Copied *c, MlirValue first, MlirValue memory) {
  int64_t threads = s->g->k->threads;
  for (int64_t i = 0; i * threads < c->elements; ++i) {
    MlirValue line = plus_n(b, s->g->k->thread, i * threads);
    SnIf some;
    bool partly = (i + 1) * threads > c->elements;
    if (partly)
      some = sn_if(b, sn_row_below(b, line, sn_index(b, c->elements)));
    copy_odd(b, s, c, first, memory, line, sn_index(b, c->line_units));
    if (partly)
      sn_end_if(b, &some);
  }
}

// The thread's units of a slot; `first`: of the sum; `slot`: which.
static void copy_units(SnBuilder *b, const Streams *s, const Copied *c, MlirValue first, MlirValue slot) {
  MlirType i32 = mlirIntegerTypeGet(b->ctx, 32);
  int64_t threads = s->g->k->threads, elements = UNIT / c->bytes * c->repeat;
  MlirValue memory = plus(b, sn_gpu_shared_address(b, c->memory),
                          sn(b, "arith.index_cast", times(b, slot, c->slot_bytes), i32)),
            summed = plus(b, first, times(b, c->unit, elements)), at_end = below_end(b, s, summed);
  for (int64_t i = 0; i * threads < c->all; ++i) {
    MlirValue line = plus_n(b, c->line, i * threads / c->line_units), outer, there = {0};
    SnIf some;
    bool partly = (i + 1) * threads > c->all;
    if (partly)
      some = sn_if(b, sn_row_below(b, line, sn_index(b, c->elements)));
    if (s->stream.odd) {
      copy_odd(b, s, c, first, memory, line, c->unit);
    } else {
      MlirValue in = both(b, outer_of(b, s, c->of_rows, line, &outer), at_end);
      MlirValue offset = plus(b, line_offset(b, s, c, outer), over(b, summed, c->repeat));
      if (!sn_none(in)) {
        there = sn(b, "arith.select", in, sn_int(b, i32, UNIT), sn_int(b, i32, 0));
        offset = sn(b, "arith.select", in, offset, sn_index(b, 0));
      }
      copy_unit(b, c, memory, plus(b, line_of(b, c, line), times(b, place_of(b, s, c, line, c->unit), UNIT)), offset,
                there);
    }
    if (partly)
      sn_end_if(b, &some);
  }
  if (s->stream.odd)
    copy_last(b, s, c, first, memory);
}

// Piece `piece` of the sum into its slot, if there is one; a group of copies either way.
static void copy_piece(SnBuilder *b, const Streams *s, MlirValue first, MlirValue end, MlirValue slot) {
  SnIf in = sn_if(b, sn(b, "arith.cmpi", first, end, sn_attr("predicate", sn_i64(b->ctx, 6)))); // ult
  for (size_t p = 0; p < s->g->form->products.size; ++p)
    copy_units(b, &s[p], &s[p].b, first, slot);
  copy_units(b, s, &s->a, first, slot);
  sn_end_if(b, &in);
  sn_gpu_commit_copies(b);
}

// ---- numbers of pieces of the sum ------------------------------------------------------------------

// The weights' column of block `i` of the warp, half `half` of it, that this lane has; the first one of all, where it
// is beside the end.
static MlirValue column_of(SnBuilder *b, const Streams *s, int64_t i, int64_t half) {
  MlirValue in_tile = plus_n(b, plus(b, times(b, s->warp, s->blocks * SN_GPU_STREAM_COLUMNS), s->quad),
                             i * SN_GPU_STREAM_COLUMNS + half * SN_GPU_STREAM_COLUMNS / 2),
            outer;
  outer_of(b, s, false, in_tile, &outer);
  return outer;
}

// The lane's piece `turn` of a line, of those that its group of warps has.
static MlirValue unit_of(SnBuilder *b, const Streams *s, int64_t turn) {
  MlirValue unit = plus_n(b, s->of_quad, turn * SN_GPU_STREAM_LANES);
  return s->groups > 1 ? plus(b, unit, times(b, s->group, s->turns * SN_GPU_STREAM_LANES)) : unit;
}

// The first summed element of the lane's piece `turn` of those from `first` on.
static MlirValue summed_of(SnBuilder *b, const Streams *s, MlirValue first, int64_t turn) {
  return plus(b, first, times(b, unit_of(b, s, turn), s->stream.lanes));
}

static bool uses_sum(const Streams *s, size_t i) {
  bool uses = false;
  for (int64_t d = s->product->summed.first; d < s->product->summed.first + s->product->summed.num_dims; ++d)
    uses |= sn_access_uses(s->g->form, input(s, i), d);
  return uses;
}

// Input i of the side's program at this column, at a summed element that may be beyond the end.
static MlirValue load_number(SnBuilder *b, const Streams *s, size_t i, MlirValue column, MlirValue summed) {
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
  return sn_row_load(b, g->form, input(s, i), dims);
}

// Those of a slot, or those that are the same in all slots: one for each input, block, half and turn.
static int64_t load_numbers(SnBuilder *b, const Streams *s, bool of_slot, MlirValue first, MlirValue *to) {
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
static int64_t count_numbers(const Streams *s, bool of_slot) {
  int64_t n = 0;
  for (size_t i = s->weights.first; i < s->weights.first + s->weights.count; ++i)
    n += i != s->stream.input && uses_sum(s, i) == of_slot ? s->blocks * 2 * (of_slot ? s->turns : 1) : 0;
  return n;
}

// The same, of input i: where load_numbers put it.
static MlirValue number_of(const Streams *s, size_t i, int64_t block, int64_t half, int64_t turn, const MlirValue *same,
                           const MlirValue *of_slot) {
  bool uses = uses_sum(s, i);
  int64_t turns = uses ? s->turns : 1, at = 0;
  for (size_t o = s->weights.first; o < i; ++o)
    if (o != s->stream.input && uses_sum(s, o) == uses)
      at += s->blocks * 2 * turns;
  return (uses ? of_slot : same)[at + (block * 2 + half) * turns + (uses ? turn : 0)];
}

// ---- fragments -------------------------------------------------------------------------------------

// Indices of summed dimensions that a lane's piece begins at multiples of are numbers of the place in it.
static void give_indices(SnBuilder *b, const Streams *s, int64_t first, SnFragment *at) {
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
static void convert(SnBuilder *b, Streams *s, MlirValue vector, int64_t step, MlirValue summed, MlirValue inside,
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
static void begin_piece(SnBuilder *b, Streams *s, const MlirValue *numbers_of) {
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
static MlirValue load_unit(SnBuilder *b, const Streams *s, const Copied *c, MlirType element, MlirValue slot,
                           MlirValue line, MlirValue unit) {
  MlirType byte = mlirIntegerTypeGet(b->ctx, 8);
  MlirValue at = plus(b, times(b, slot, c->slot_bytes),
                      plus(b, line_of(b, c, line), times(b, place_of(b, s, c, line, unit), UNIT))),
            x = sn(b, "vector.load", c->memory, at, sn_vector(byte, UNIT),
                   sn_attr("alignment", sn_i64(b->ctx, UNIT)));
  int64_t bits = (int64_t)sn_bits(element);
  if (mlirTypeIsAInteger(element) && bits == 8)
    return x;
  return sn(b, "vector.bitcast", x, sn_vector(element, UNIT * 8 / bits));
}

// The same of a line that begins anywhere, `shift` elements behind the unit.
static MlirValue load_odd(SnBuilder *b, const Streams *s, const Copied *c, MlirType element, MlirValue slot,
                          MlirValue line, MlirValue unit, MlirValue shift) {
  enum { WORD = 4, WORDS = UNIT / WORD };
  MlirType byte = mlirIntegerTypeGet(b->ctx, 8), i32 = mlirIntegerTypeGet(b->ctx, 32),
           i64 = mlirIntegerTypeGet(b->ctx, 64);
  MlirValue words[WORDS + 1], out[WORDS],
      at = plus(b, plus(b, times(b, slot, c->slot_bytes), line_of(b, c, line)),
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
static void load_rows(SnBuilder *b, const Streams *s, MlirValue slot, int64_t turn, MlirValue *to) {
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
static void multiply_turn(SnBuilder *b, Streams *s, MlirValue slot, MlirValue first, int64_t turn,
                          const MlirValue *rows, const MlirValue *same, const MlirValue *of_slot, MlirValue *sums) {
  int64_t steps = s->stream.lanes / STEP, words = 2 * steps;
  MlirType element = sn_element(sn_type_of(s->b.access->value));
  MlirValue numbers_of[2][SN_GPU_STREAM_MOST] = {0},
            lines = plus(b, times(b, s->warp, s->blocks * SN_GPU_STREAM_COLUMNS), s->quad),
            summed = summed_of(b, s, first, turn), inside = below_end(b, s, summed),
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
static void multiply_slot(SnBuilder *b, Streams *s, MlirValue slot, MlirValue first, int64_t most,
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
static void store_sums(SnBuilder *b, const Streams *s, const MlirValue *sums, MlirValue memory, bool add) {
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
static void store_groups(SnBuilder *b, const Streams *s, const MlirValue *sums, int64_t each) {
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
static int64_t load_all_numbers(SnBuilder *b, const Streams *s, bool of_slot, MlirValue first, int64_t most,
                                MlirValue *to) {
  int64_t all = 0;
  for (size_t p = 0; p < s->g->form->products.size; ++p)
    all += load_numbers(b, &s[p], of_slot, first, to + (most ? (int64_t)p * most : all));
  return all;
}

// What a loop carries of them, a list for each product.
static void as_lists(const Streams *s, const MlirValue *carried, int64_t most, MlirValue *to) {
  for (size_t p = 0; p < s->g->form->products.size; ++p) {
    int64_t n = count_numbers(&s[p], true);
    memcpy(to + (int64_t)p * most, carried, (size_t)n * sizeof *to);
    carried += n;
  }
}

// Of the lines that a lane takes its pieces of.
static void find_shifts(SnBuilder *b, Streams *s) {
  s->row_shifts = s->stream.odd ? sn_alloc((size_t)s->rows * sizeof *s->row_shifts) : NULL;
  for (int64_t r = 0; s->row_shifts && r < s->rows; ++r) {
    MlirValue row;
    outer_of(b, s, true, plus_n(b, s->quad, r * SN_GPU_STREAM_ROWS), &row);
    s->row_shifts[r] = shift_of(b, &s->a, line_offset(b, s, &s->a, row));
  }
  s->shifts = s->stream.odd ? sn_alloc((size_t)(2 * s->blocks) * sizeof *s->shifts) : NULL;
  for (int64_t i = 0; s->shifts && i < 2 * s->blocks; ++i)
    s->shifts[i] = shift_of(b, &s->b, line_offset(b, s, &s->b, column_of(b, s, i / 2, i % 2)));
}

static void sum_slots(SnBuilder *b, Streams *s) {
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
    copy_piece(b, s, plus_n(b, first, i * plan->k), end, sn_index(b, i));
  for (int64_t v = 0; v < values; ++v)
    carried[v] = sn_gpu_zero(b, s->product->type);
  int64_t all = values + load_all_numbers(b, s, true, first, 0, of_slot);
  SnLoop l = sn_for_values(b, first, end, step, sn_values(all, carried));
  memcpy(carried, l.carried, (size_t)all * sizeof *carried);
  MlirValue piece = over(b, sn(b, "arith.subi", l.index, first), plan->k), slot = modulo(b, piece, plan->stages);
  sn_gpu_await_copies(b, ahead - 1);
  sn_gpu_sync(b, g->k); // everybody's are there, and nobody reads the slot before
  copy_piece(b, s, plus_n(b, l.index, ahead * plan->k), end, modulo(b, plus_n(b, piece, ahead), plan->stages));
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

static Streams streams_of(SnBuilder *b, SnGpuProducts *g, const SnGpuProduct *p, size_t number) {
  const SnGpuProductPlan *plan = g->plan;
  Streams s = {.g = g, .product = p};
  sn_gpu_stream_of(g->form, number, &s.stream);
  bool turned = s.stream.turned;
  s.weights = sn_side(g->form, s.stream.weights);
  s.rows = extent_of(&s, true) / SN_GPU_STREAM_ROWS;
  s.groups = sn_gpu_stream_groups(extent_of(&s, false), g->k->threads);
  s.turns = sn_gpu_stream_turns(&s.stream, plan->k) / s.groups;
  int64_t of_group = g->k->warps / s.groups;
  s.blocks = extent_of(&s, false) / SN_GPU_STREAM_COLUMNS / of_group;
  s.warp = s.groups > 1 ? modulo(b, g->k->warp, of_group) : g->k->warp;
  s.group = over(b, g->k->warp, of_group);
  s.sum = sn_form_sizes(b, g->form, p->summed.first, p->summed.num_dims);
  s.quad = over(b, g->k->lane, SN_GPU_STREAM_LANES);
  s.of_quad = modulo(b, g->k->lane, SN_GPU_STREAM_LANES);
  s.a = copied(b, &s, sn_side(g->form, s.stream.rows).first, turned ? g->b : g->a, true);
  s.b = copied(b, &s, s.stream.input, turned ? g->a : g->b, false);
  return s;
}

void sn_gpu_sum_by_streams(SnBuilder *b, SnGpuProducts *g) {
  SnGpuProduct products[SN_GPU_STREAM_PRODUCTS];
  Streams s[SN_GPU_STREAM_PRODUCTS];
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

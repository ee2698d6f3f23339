// stream_copies.c: lines of weights and of rows into slots, of a tile whose weights are streamed (product_streams.c).
//
// test: test/lowering/gpu/product_streams.mlir, test/gpu/emulate_streams.test

#include "lowering/gpu/products/product_streams.h"
#include "lowering/rows/index.h"

enum { UNIT = SN_GPU_STREAM_BYTES, HALF_BYTES = SN_GPU_STREAM_HALF };

static MlirValue minus(SnBuilder *b, MlirValue x, MlirValue y) { return sn(b, "arith.subi", x, y); }

const SnAccess *sn_gpu_stream_input(const SnGpuStreams *s, size_t i) { return &s->g->form->inputs.data[i]; }

// The lines of a side are rows of the tile, or its columns.
static bool are_rows(const SnGpuStream *s, bool of_rows) { return of_rows != s->turned; }
int64_t sn_gpu_stream_extent(const SnGpuStreams *s, bool of_rows) {
  return are_rows(&s->stream, of_rows) ? s->g->plan->m : s->g->plan->n;
}
static const SnGpuDims *points_of(const SnGpuStreams *s, bool of_rows) {
  const SnGpuPoints *points = &s->g->plan->points;
  return are_rows(&s->stream, of_rows) ? &points->rows : &points->columns;
}

SnGpuCopied sn_gpu_stream_copied(SnBuilder *b, const SnGpuStreams *s, size_t number, MlirValue memory, bool of_rows) {
  const SnGpuProductPlan *plan = s->g->plan;
  MlirType element = sn_element(sn_type_of(sn_gpu_stream_input(s, number)->value));
  int64_t bytes = (int64_t)sn_bits(element) / 8, units = plan->k / (of_rows ? UNIT / HALF_BYTES : s->stream.lanes);
  SnGpuCopied c = {.access = sn_gpu_stream_input(s, number),
              .memory = memory,
              .line_units = units,
              .all = units * sn_gpu_stream_extent(s, of_rows),
              .elements = sn_gpu_stream_extent(s, of_rows),
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

MlirValue sn_gpu_stream_line_at(SnBuilder *b, const SnGpuCopied *c, MlirValue line) {
  return plus_n(b, times(b, line, c->stride), c->first);
}

MlirValue sn_gpu_stream_place(SnBuilder *b, const SnGpuStreams *s, const SnGpuCopied *c, MlirValue line, MlirValue u) {
  if (c->exchanged)
    return sn(b, "arith.xori", u, times(b, modulo(b, line, 2), 4));
  if (c->of_rows && s->stream.lanes * HALF_BYTES == 4 * UNIT)
    return sn(b, "arith.xori", u, times(b, modulo(b, over(b, u, 8), 2), 2));
  return u;
}

// Of a slot, in bytes.
static MlirValue place_in_slot(SnBuilder *b, const SnGpuStreams *s, const SnGpuCopied *c, MlirValue line, MlirValue u) {
  return plus(b, sn_gpu_stream_line_at(b, c, line), times(b, sn_gpu_stream_place(b, s, c, line, u), UNIT));
}

MlirValue sn_gpu_stream_offset(SnBuilder *b, const SnGpuStreams *s, const SnGpuCopied *c, MlirValue outer) {
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

MlirValue sn_gpu_stream_outer(SnBuilder *b, const SnGpuStreams *s, bool of_rows, MlirValue in_tile, MlirValue *outer) {
  SnGpuProducts *g = s->g;
  bool rows = are_rows(&s->stream, of_rows);
  *outer = plus(b, rows ? g->first_row : g->first_column, in_tile);
  MlirValue in = sn_gpu_inside(b, *outer, rows ? g->num_rows : g->num_columns, sn_gpu_stream_extent(s, of_rows));
  int64_t known;
  if (sn_known(in, &known))
    return (MlirValue){0};
  *outer = sn(b, "arith.select", in, *outer, sn_index(b, 0));
  return in;
}

static MlirValue both(SnBuilder *b, MlirValue x, MlirValue y) {
  return sn_none(x) ? y : sn_none(y) ? x : sn(b, "arith.andi", x, y);
}

MlirValue sn_gpu_stream_below_end(SnBuilder *b, const SnGpuStreams *s, MlirValue summed) {
  return s->stream.sum % s->g->plan->k ? sn_row_below(b, summed, s->sum) : (MlirValue){0};
}

// A unit of a line: 16 bytes at element `offset` of memory, of which `there` are copied (null: all); the others are 0.
static void copy_unit(SnBuilder *b, const SnGpuCopied *c, MlirValue memory, MlirValue to, MlirValue offset,
                      MlirValue there) {
  MlirType i32 = mlirIntegerTypeGet(b->ctx, 32), i64 = mlirIntegerTypeGet(b->ctx, 64);
  MlirValue from = sn(b, "arith.muli", sn(b, "arith.index_castui", offset, i64), sn_int(b, i64, c->bytes));
  sn_gpu_copy_async(b, plus(b, memory, sn(b, "arith.index_cast", to, i32)), plus(b, c->address, from), UNIT, there);
}

MlirValue sn_gpu_stream_shift(SnBuilder *b, const SnGpuCopied *c, MlirValue offset) {
  return modulo(b, offset, UNIT / c->bytes);
}

// Bytes of a unit that are of the sum, from its element `summed` on, which may be beyond its end or before its begin.
static MlirValue bytes_of_sum(SnBuilder *b, const SnGpuStreams *s, const SnGpuCopied *c, MlirValue summed,
                              MlirValue in) {
  MlirType i32 = mlirIntegerTypeGet(b->ctx, 32);
  int64_t elements = UNIT / c->bytes;
  MlirValue n = sn(b, "arith.minsi", minus(b, s->sum, summed), sn_index(b, elements));
  n = sn(b, "arith.maxsi", n, sn_index(b, 0));
  if (!sn_none(in))
    n = sn(b, "arith.select", in, n, sn_index(b, 0));
  return sn(b, "arith.index_cast", times(b, n, c->bytes), i32);
}

// Unit `unit` of a line that begins anywhere.
static void copy_odd(SnBuilder *b, const SnGpuStreams *s, const SnGpuCopied *c, MlirValue first, MlirValue memory,
                     MlirValue line, MlirValue unit) {
  int64_t elements = UNIT / c->bytes;
  MlirValue outer, in = sn_gpu_stream_outer(b, s, c->of_rows, line, &outer),
                   offset = sn_gpu_stream_offset(b, s, c, outer),
                   shift = sn_gpu_stream_shift(b, c, offset),
                   summed = minus(b, plus(b, first, times(b, unit, elements)), shift),
                   there = bytes_of_sum(b, s, c, summed, in), i32_zero = sn_int(b, sn_type_of(there), 0),
                   none = sn(b, "arith.cmpi", there, i32_zero, sn_attr("predicate", sn_i64(b->ctx, 0)));
  offset = sn(b, "arith.select", none, sn_index(b, 0), plus(b, offset, summed));
  copy_unit(b, c, memory, place_in_slot(b, s, c, line, unit), offset, there);
}

// The unit behind the last one of each line that begins anywhere: a thread a line.
static void copy_last(SnBuilder *b, const SnGpuStreams *s, const SnGpuCopied *c, MlirValue first, MlirValue memory) {
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
static void copy_units(SnBuilder *b, const SnGpuStreams *s, const SnGpuCopied *c, MlirValue first, MlirValue slot) {
  MlirType i32 = mlirIntegerTypeGet(b->ctx, 32);
  int64_t threads = s->g->k->threads, elements = UNIT / c->bytes * c->repeat;
  MlirValue memory = plus(b, sn_gpu_shared_address(b, c->memory),
                          sn(b, "arith.index_cast", times(b, slot, c->slot_bytes), i32)),
            summed = plus(b, first, times(b, c->unit, elements)), at_end = sn_gpu_stream_below_end(b, s, summed);
  for (int64_t i = 0; i * threads < c->all; ++i) {
    MlirValue line = plus_n(b, c->line, i * threads / c->line_units), outer, there = {0};
    SnIf some;
    bool partly = (i + 1) * threads > c->all;
    if (partly)
      some = sn_if(b, sn_row_below(b, line, sn_index(b, c->elements)));
    if (s->stream.odd) {
      copy_odd(b, s, c, first, memory, line, c->unit);
    } else {
      MlirValue in = both(b, sn_gpu_stream_outer(b, s, c->of_rows, line, &outer), at_end);
      MlirValue offset = plus(b, sn_gpu_stream_offset(b, s, c, outer), over(b, summed, c->repeat));
      if (!sn_none(in)) {
        there = sn(b, "arith.select", in, sn_int(b, i32, UNIT), sn_int(b, i32, 0));
        offset = sn(b, "arith.select", in, offset, sn_index(b, 0));
      }
      copy_unit(b, c, memory, place_in_slot(b, s, c, line, c->unit), offset, there);
    }
    if (partly)
      sn_end_if(b, &some);
  }
  if (s->stream.odd)
    copy_last(b, s, c, first, memory);
}

void sn_gpu_stream_copy(SnBuilder *b, const SnGpuStreams *s, MlirValue first, MlirValue end, MlirValue slot) {
  SnIf in = sn_if(b, sn(b, "arith.cmpi", first, end, sn_attr("predicate", sn_i64(b->ctx, 6)))); // ult
  for (size_t p = 0; p < s->g->form->products.size; ++p)
    copy_units(b, &s[p], &s[p].b, first, slot);
  copy_units(b, s, &s->a, first, slot);
  sn_end_if(b, &in);
  sn_gpu_commit_copies(b);
}

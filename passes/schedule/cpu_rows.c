// cpu_rows.c: a rowwise form on a CPU.
//
//   #sinter.rows<chunk = 16, lanes = 16, unroll = 4, residency = "reread">
//   #sinter.rows<along = "rows", chunk = 4096, lanes = 64, unroll = 1, residency = "reread">
//
// Lanes run along what lies together in memory: columns, or rows of the last row
// dimension (a sum over a middle dimension, a convolution's window, classes in
// dimension 1). Steps and loads of a row are counted for both.
//
// A task is `chunk` rows, about as many elements as pay for handing it to a thread; of a length known at run time as
// many as have `elements`. Where the count of rows is known at run time, a task has more of them so that there are
// `tasks` at most. The count of tasks depends on sizes alone, so that results reduced over rows have equal bits for any
// number of threads.
//
// new schedule key: of a CPU's rows: when it is said.

#include "dialect/row_ops.h"
#include "lowering/facts/cpu_forms.h"
#include "lowering/rows/rowjoint.h"
#include "lowering/rows/rowmemory.h"
#include "passes/schedule/cpu_row_lanes.h"
#include "passes/schedule/schedule.h"
#include <stdio.h>

#define TASK_ELEMENTS 16384 // a few microseconds; measure before relying on it
#define MOST_TASKS 256
#define LEAST_STREAMED (32 << 20) // bytes
#define MOST_WRITTEN_OUT 1000
#define WINDOW_SUMS 4 // accumulators of a long window: each of its steps would wait for the one before
#define STRIP 512             // rows: two kilobytes of f32
#define EQUAL_STRIP 256       // where 512 leave some
#define LEAST_STRIP_COLUMNS 64 // fewer stay in a cache until the next vector of rows
#define FEW_STRIPS 8
#define FEW_ROWS 64
#define FEW_REDUCED_ROWS 16
#define FEW_ROWS_OF_ANY_LENGTH 4 // where something is reduced; more are shared whole, in one loop where that can be
#define LEAST_ONLINE 36      // vectors of a row from which on one loop is as fast as a maximum by itself,
#define LEAST_ONLINE_KEPT 64 // and as one that keeps exponentials under it (bench/results/cpu_rows_online.md)
#define PLAIN_OF_ANY_LENGTH 4 // vectors: of a length that is known LLVM writes out several by itself
#define LEAST_ROW (32 << 10) // bytes
#define LEAST_PREFETCHED (4 << 20) // bytes of inputs
#define PAGE 4096        // bytes
#define ABREAST 2        // rows,
#define ABREAST_UNROLL 2 // and vectors of each
#define AHEAD 8192 // bytes: two pages
#define MOST_BUFFERED (1 << 20) // bytes
// The same of exponentials under a maximum that grows, which are quickly computed again: a third of a first cache, with
// inputs and results beside.
#define MOST_BUFFERED_LIGHT (10 << 10)
#define CACHE (768 << 10)       // bytes of a core's own cache that two rows and what is kept of one may take
#define MOST_TASKS_WITH_ROWS 32 // each task keeps a row of partial sums for each accumulator with columns

int64_t sn_schedule_lanes(const SnForm *f, int64_t vector_bits, int64_t length) {
  unsigned floats = 0, ints = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    for (intptr_t k = 0; k < sn_num_operands(op); ++k) {
      MlirType t = sn_type_of(sn_operand(op, k)), e = sn_element(t);
      unsigned *widest = sn_is_float(e) ? &floats : &ints;
      if (sn_is_row(sn_operand(op, k)) && sn_bits(e) > *widest)
        *widest = sn_bits(e);
    }
  unsigned bits = floats ? floats : ints;
  if (bits < 8)
    bits = 32;
  int64_t lanes = 1;
  while (lanes < 64 && lanes * 2 * bits <= vector_bits && (length == SN_DYNAMIC || lanes * 2 <= length))
    lanes *= 2;
  return lanes;
}

int64_t sn_schedule_unroll(const SnForm *f, int64_t lanes) {
  int64_t length = sn_row_length(f),
          reduces = sn_row_op_count(f->body, SN_READS_ALL) - sn_row_op_count(f->body, SN_READS_MATRIX);
  // One accumulator would wait for itself; 4 hide the latency of an add.
  return lanes > 1 && reduces && (length == SN_DYNAMIC || length >= 4 * lanes) ? 4 : 1;
}

// Neighbouring rows that are reduced together, in memory: where a vector of them would touch the memory of many
// columns, far apart from each other. 0: no more than a cache holds.
static int64_t strip_of(const SnForm *f, int64_t lanes) {
  int64_t size = f->dims.data[f->num_rows - 1].size, outer = 1, strip = STRIP, bytes = 0;
  if (sn_row_length(f) < LEAST_STRIP_COLUMNS || sn_cpu_row_work(f) > SIMPLE)
    return 0;
  for (int64_t d = 0; d + 1 < f->num_rows; ++d)
    outer = outer == SN_DYNAMIC || f->dims.data[d].size == SN_DYNAMIC ? SN_DYNAMIC : outer * f->dims.data[d].size;
  for (size_t k = 0; k < f->inputs.size; ++k) {
    if (!sn_uses_cols(f, f->inputs.data[k].map) || !sn_cpu_together(&f->inputs.data[k], f->num_rows - 1))
      continue;
    if (sn_cpu_together(&f->inputs.data[k], f->num_rows - 1) < 0)
      return 0;
    bytes += sn_bits(sn_element(sn_type_of(f->inputs.data[k].value))) / 8;
  }
  SnRowProgram p = sn_row_program(f, sn_values(0, NULL));
  bool fits = sn_cpu_has_strips(&p);
  sn_row_program_free(&p);
  if (!fits || (double)bytes * (double)sn_row_length(f) * (double)size < CACHE)
    return 0;
  while (strip > 2 * lanes && (strip > size || (outer != SN_DYNAMIC && sn_times(outer, size / strip) < FEW_STRIPS)))
    strip /= 2;
  // Equal ones of whole vectors leave nothing to a strip of its own.
  for (int64_t n = sn_pieces(size, EQUAL_STRIP); size % strip && n * 2 * lanes <= size; ++n)
    if (size % n == 0 && size / n % lanes == 0 && (outer == SN_DYNAMIC || sn_times(outer, n) >= FEW_STRIPS))
      return size / n;
  return strip <= size && strip % lanes == 0 ? strip : 0;
}

// Columns that are written out one behind the other are quick where their subscripts become numbers and bounds checks
// go: in windows. Elsewhere much code is no quicker, and takes LLVM time that grows with its square.
static bool too_long_to_write_out(const SnForm *f, int64_t lanes, const SnScheduleOptions *options) {
  for (size_t k = 0; k < f->inputs.size; ++k)
    if (f->inputs.data[k].fill.ptr && sn_uses_cols(f, f->inputs.data[k].map))
      return false;
  double loads = sn_cpu_row_accesses(f, f->num_rows - 1, lanes, false, sn_cpu_loads_steps(options));
  return (double)sn_row_length(f) * (sn_cpu_row_work(f) + loads) > MOST_WRITTEN_OUT;
}

// ---- the schedule -----------------------------------------------------------------

static bool keeps_columns(const SnForm *f) {
  for (size_t k = 0; k < f->accumulators.size; ++k)
    if (sn_uses_cols(f, f->accumulators.data[k].map))
      return true;
  return false;
}

// Some result is larger than what a cache keeps of it until it is read. (One task alone runs without a fence.)
static bool streaming(const SnForm *f, int64_t lanes) {
  for (size_t k = 0; k < f->outputs.size; ++k) {
    MlirType t = sn_type_of(f->outputs.data[k].value);
    if (!sn_row_streams(f, &f->outputs.data[k], lanes) || !mlirShapedTypeHasStaticShape(t))
      continue;
    int64_t bytes = sn_bits(sn_element(t)) / 8;
    for (intptr_t i = 0; i < sn_rank(t); ++i)
      bytes = sn_times(bytes, sn_dim(t, i));
    if (bytes >= LEAST_STREAMED)
      return true;
  }
  return false;
}

// The loops of a row program; whether a maximum and the sums under it can share one.
typedef struct {
  int64_t loops, kept; // kept: bytes for each column that later loops load
  bool reduces, own_combiner, online, online_kept;
  bool only_reduces; // there is one, always, which stores nothing
} Loops;

static Loops loops(const SnForm *f) {
  SnRowProgram p = sn_row_program(f, sn_values(0, NULL));
  Loops l = {0};
  for (size_t i = 0; i < p.phases.size; ++i) {
    l.loops += p.phases.data[i].reduces.size || p.phases.data[i].yields.size;
    for (size_t k = 0; k < p.phases.data[i].reduces.size; ++k)
      l.own_combiner |= !sn_get_attr(p.phases.data[i].reduces.data[k], "kind").ptr;
    l.reduces |= p.phases.data[i].reduces.size > 0;
  }
  l.only_reduces =
      l.loops == 1 && p.phases.data[0].reduces.size && !p.phases.data[0].yields.size && sn_none(sn_row_guard(&p, 0));
  SnRowJoints joints = {0}, with_kept = {0};
  sn_row_join_phases(&joints, &p);
  sn_row_keep(&p);
  sn_row_join_phases(&with_kept, &p);
  l.online = joints.n;
  l.online_kept = with_kept.n;
  for (size_t i = 0; i < p.kept.size; ++i)
    l.kept += sn_bits(sn_element(sn_type_of(p.kept.data[i].value))) / 8;
  sn_row_program_free(&p);
  return l;
}

// Bytes of one row's inputs that are read in one piece.
static int64_t row_bytes(const SnForm *f) {
  int64_t bytes = 0;
  for (size_t k = 0; k < f->inputs.size; ++k)
    if (sn_uses_cols(f, f->inputs.data[k].map) && sn_row_in_one_piece(f, &f->inputs.data[k]))
      bytes += sn_bits(sn_element(sn_type_of(f->inputs.data[k].value))) / 8;
  return bytes && sn_row_length(f) != SN_DYNAMIC ? sn_times(bytes, sn_row_length(f)) : bytes ? SN_DYNAMIC : 0;
}

// Columns of a task where few long rows would leave threads idle; 0: whole rows. Where something is reduced, each
// loop of the row program is a parallel region of its own.
static int64_t share_columns(const SnForm *f, const Loops *l, int64_t rows) {
  int64_t length = sn_row_length(f);
  int64_t few = !l->reduces ? FEW_ROWS : length == SN_DYNAMIC ? FEW_ROWS_OF_ANY_LENGTH : FEW_REDUCED_ROWS;
  if (rows == SN_DYNAMIC || rows > few || (length != SN_DYNAMIC && length < 2 * TASK_ELEMENTS) || !l->loops ||
      l->own_combiner)
    return 0;
  for (size_t k = 0; k < f->accumulators.size; ++k)
    if (sn_uses_cols(f, f->accumulators.data[k].map))
      return 0;
  if (length == SN_DYNAMIC)
    return l->reduces ? 4 * TASK_ELEMENTS : TASK_ELEMENTS;
  int64_t share = sn_pieces(sn_times(length, rows), MOST_TASKS);
  if (share > SN_MAX_OF_TASK)
    return SN_MAX_OF_TASK;
  return share <= TASK_ELEMENTS ? TASK_ELEMENTS : sn_pieces(share, 1024) * 1024;
}

static int functions(const SnForm *f) {
  int n = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    n += sn_num_results(op) && sn_is_row(sn_result(op, 0)) && sn_row_op_cost(op) == SN_COST_FUNCTION;
  return n;
}

// Sums of log1p(exp(...)), of which a step computes one for all of its vectors (math/sums.c).
static bool adds_logarithms(const SnForm *f) {
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    if (sn_is(op, "math.log1p") && !sn_null(sn_def(sn_operand(op, 0), "math.exp")) && sn_is_row(sn_result(op, 0)))
      return true;
  return false;
}

static bool stores_rows(const SnForm *f) {
  for (size_t k = 0; k < f->outputs.size; ++k)
    if (sn_uses_cols(f, f->outputs.data[k].map))
      return true;
  return false;
}

// In dimension d, which lanes are along.
static bool steps_narrowly(const SnForm *f, int64_t d, int64_t lanes) {
  bool any = false;
  for (size_t i = 0; i < f->inputs.size; ++i)
    any |= sn_cpu_steps(f, &f->inputs.data[i], d, lanes);
  return any;
}

// Vectors of some input begin again in their middle.
static bool repeats(const SnForm *f, int64_t lanes) {
  bool some = false;
  for (size_t k = 0; k < f->inputs.size && lanes > 1; ++k)
    some |= sn_row_is_repeated(f, &f->inputs.data[k]) && !sn_row_has_vectors(f, &f->inputs.data[k], lanes);
  return some;
}

// How a form runs, while it is decided.
typedef struct {
  const SnForm *f;
  const SnScheduleOptions *options;
  Loops l;
  int64_t rows, length, bytes; // of the form, or SN_DYNAMIC
  int64_t most;                // tasks, where nobody knows how many rows there are
  int64_t most_kept;           // elements of all that is kept of a row
  bool by_columns;             // vectors are along columns
  bool light;                  // an exponential for each element at most
  int64_t chunk, of_rows, line, lanes, unroll, strip, places, columns, abreast; // keys of #sinter.rows; of_rows: lanes
                                                                                // of rows
  bool buffer, online, again, ahead;
} Choice;

static void choose_chunk(Choice *c) {
  c->chunk = c->length == SN_DYNAMIC || c->length < 1 ? 1 : sn_pieces(TASK_ELEMENTS, c->length);
  if (c->rows != SN_DYNAMIC) {
    int64_t least = sn_pieces(c->rows, c->most);
    c->chunk = c->chunk < least ? least : c->chunk;
    c->chunk = c->chunk > c->rows ? c->rows : c->chunk;
    c->chunk = c->chunk > SN_MAX_OF_TASK ? SN_MAX_OF_TASK : c->chunk;
  }
  c->chunk = c->chunk < 1 ? 1 : c->chunk;
}

static void choose_lanes(Choice *c) {
  const SnForm *f = c->f;
  int64_t bits = c->options->vector_bits;
  c->of_rows = sn_cpu_row_lanes(f, c->options);
  if (c->of_rows) {
    c->places = sn_cpu_window_places(f);
    c->lanes = c->places > 1 && c->of_rows > bits / 32 ? bits / 32 : c->of_rows;
    c->line = sn_cpu_window_line(f);
    c->unroll = (c->line || sn_cpu_long_window(f)) && c->l.reduces ? WINDOW_SUMS : 1;
    c->strip = strip_of(f, c->of_rows);
    c->chunk = c->chunk < c->strip ? c->strip : c->chunk;
  } else {
    c->line = sn_cpu_lines(f, c->options);
    c->lanes = c->line ? sn_schedule_lanes(f, bits, sn_cpu_line_length(f, c->line)) : sn_cpu_column_lanes(f, bits);
    c->unroll = sn_schedule_unroll(f, c->lanes);
    c->columns = c->line ? 0 : share_columns(f, &c->l, c->rows);
    c->chunk = c->columns ? 1 : c->chunk;
  }
  c->by_columns = !c->of_rows && c->lanes > 1;
}

// All that is read of a row alone is a page or more of memory by itself.
static bool has_pages(const SnForm *f, int64_t length) {
  for (size_t k = 0; k < f->inputs.size; ++k) {
    const SnAccess *a = &f->inputs.data[k];
    if (sn_uses_cols(f, a->map) && sn_uses_rows(f, a->map) &&
        (!sn_row_in_one_piece(f, a) || length * sn_bits(sn_element(sn_type_of(a->value))) < 8 * PAGE))
      return false;
  }
  return true;
}

// Rows from memory that are only added up come faster two at a time: hardware follows pages by themselves. Not where
// something has to be computed meanwhile, or asserted of each row.
static bool comes_abreast(const Choice *c) {
  const SnForm *f = c->f;
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    if (sn_is(op, "cf.assert"))
      return false;
  int64_t vectors = c->unroll < ABREAST_UNROLL ? c->unroll : ABREAST_UNROLL;
  bool rows = c->chunk >= ABREAST && (c->rows == SN_DYNAMIC || c->rows >= ABREAST),
       columns = c->length != SN_DYNAMIC && c->length % (vectors * c->lanes) == 0 && !c->columns && !c->line;
  return c->ahead && !c->again && c->l.only_reduces && rows && columns && functions(f) == 0 && !f->indices.size &&
         has_pages(f, c->length);
}

static int64_t least_online(const Choice *c) { return (c->buffer ? LEAST_ONLINE_KEPT : LEAST_ONLINE) * c->lanes; }

static void choose_loops(Choice *c) {
  int64_t length = c->length, lanes = c->lanes;
  bool any = length == SN_DYNAMIC, columns = c->by_columns && !c->columns,
       large = c->bytes != SN_DYNAMIC && (c->rows == SN_DYNAMIC || sn_times(c->bytes, c->rows) >= LEAST_PREFETCHED);
  // What an earlier loop computed is loaded, where it stays in a cache of the core. Long rows of a length that is not
  // known are computed again, so what is kept of short ones may not stand in the way of one loop for both, unless it is
  // more than an exponential.
  c->light = functions(c->f) <= 1;
  c->most_kept = c->l.online && c->light ? MOST_BUFFERED_LIGHT : MOST_BUFFERED;
  c->buffer = !c->of_rows && !c->columns && c->l.kept &&
              (any ? c->l.online_kept == c->l.online || !c->light : sn_times(length, c->l.kept) <= c->most_kept);
  c->online = columns && !c->line && (c->buffer ? c->l.online_kept : c->l.online) && (any || length >= least_online(c));
  // Hardware prefetching follows one loop over rows by itself. Between the loops of a long row it loses its way.
  c->again = columns && c->l.loops - c->online > 1 && large && c->bytes >= LEAST_ROW;
  c->ahead = c->options->prefetch && c->by_columns && large;
  if (c->online)
    c->unroll = c->options->vector_bits >= 512 && (any || length >= 8 * lanes) ? 8 : 4;
  else if (functions(c->f) == 2 && adds_logarithms(c->f) && c->unroll == 4 &&
           (c->options->registers >= 32 || !stores_rows(c->f)))
    c->unroll = 4;
  else if (functions(c->f) > 0) // they fill a processor by themselves, and several its registers
    c->unroll = c->unroll < 2 || functions(c->f) > 1 ? 1 : 2;
  c->abreast = comes_abreast(c) ? ABREAST : 1;
  if (c->abreast > 1 && c->unroll > ABREAST_UNROLL)
    c->unroll = ABREAST_UNROLL;
}

// Vectors at once of loops that reduce nothing.
static int64_t plain_unroll(const Choice *c) {
  // What is asked for is a line, and a vector may be half of one.
  int64_t plain = c->by_columns ? sn_row_op_shared_columns(c->f->body) / c->lanes : 1;
  if (plain > 1)
    return plain > SN_MAX_UNROLL ? SN_MAX_UNROLL : plain;
  // A function fills a processor by itself; where rows are reduced, too, it is rather in that loop.
  bool several = c->by_columns && !c->columns && !c->line && c->length == SN_DYNAMIC &&
                 (functions(c->f) == 0 || (c->light && c->l.reduces));
  return several ? PLAIN_OF_ANY_LENGTH : (c->again || c->ahead) && c->unroll > 1 ? 2 : 1;
}

typedef struct {
  char text[600];
  size_t n;
} Words;

static void number(Words *w, const char *key, int64_t value) {
  w->n +=
      (size_t)snprintf(w->text + w->n, sizeof w->text - w->n, "%s%s = %lld", w->n ? ", " : "{", key, (long long)value);
}

static void word(Words *w, const char *key, const char *value) {
  w->n += (size_t)snprintf(w->text + w->n, sizeof w->text - w->n, ", %s = \"%s\"", key, value);
}

static MlirAttribute attribute_of(const Choice *c) {
  const SnForm *f = c->f;
  Words w = {0};
  number(&w, "chunk", c->chunk);
  number(&w, "lanes", c->lanes);
  number(&w, "unroll", c->unroll);
  word(&w, "residency", c->buffer ? "buffer" : "reread");
  if (c->of_rows) {
    word(&w, "along", "rows");
    if (too_long_to_write_out(f, c->of_rows, c->options))
      number(&w, "written_out", 0);
    else if (sn_cpu_long_window(f))
      number(&w, "written_out", sn_cpu_long_window(f));
  }
  int64_t along = c->of_rows ? f->num_rows - 1 : c->line == 1 ? f->num_rows + f->num_cols - 1 : -1;
  if (along >= 0 && sn_cpu_loads_steps(c->options) && steps_narrowly(f, along, c->lanes))
    word(&w, "steps", "together");
  if (c->line)
    number(&w, "line", c->line);
  else if (!c->of_rows && repeats(f, c->lanes))
    word(&w, "repeats", "stored");
  if (c->strip)
    number(&w, "strip", c->strip);
  else if (c->places > 1)
    number(&w, "places", c->places);
  if (c->rows == SN_DYNAMIC)
    number(&w, "tasks", c->most);
  if (c->length == SN_DYNAMIC && !c->of_rows && !c->columns)
    number(&w, "elements", TASK_ELEMENTS);
  if (c->columns)
    number(&w, "columns", c->columns);
  if (c->online)
    word(&w, "maximum", "online");
  if (c->online && c->length == SN_DYNAMIC)
    number(&w, "online_from", least_online(c));
  if (c->buffer && c->length == SN_DYNAMIC)
    number(&w, "buffer_to", c->most_kept / c->l.kept);
  if (c->again || c->ahead)
    number(&w, "prefetch", c->again ? AHEAD : c->options->prefetch);
  if (c->abreast > 1)
    number(&w, "abreast", c->abreast);
  int64_t plain = plain_unroll(c);
  if (plain > 1)
    number(&w, "plain", plain);
  if (c->again && 2 * c->bytes + (c->buffer ? c->l.kept * c->length : 0) <= CACHE)
    word(&w, "next", "early");
  if (!c->of_rows && (c->columns || c->rows > c->chunk) && streaming(f, c->lanes))
    word(&w, "stores", "streaming");
  MlirLocation loc = mlirOperationGetLocation(f->op);
  return sn_schedule_attr(loc, "rows", sn_parse_attr(mlirLocationGetContext(loc), "%s}", w.text));
}

MlirAttribute sn_schedule_cpu_rows(const SnForm *f, const SnScheduleOptions *options) {
  Choice c = {.f = f,
              .options = options,
              .l = loops(f),
              .rows = sn_num_rows(f),
              .length = sn_row_length(f),
              .bytes = row_bytes(f),
              .most = keeps_columns(f) ? MOST_TASKS_WITH_ROWS : MOST_TASKS};
  choose_chunk(&c);
  choose_lanes(&c);
  choose_loops(&c);
  return attribute_of(&c);
}

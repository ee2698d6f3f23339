// turned_sums.c: what is reduced over rows, a number for each column, becomes rows by itself.
//
//   (i = 64) by (j = 131072) reduce(add [j])          %y[j] = rowwise (j = 131072) by (i = 64) row_reduce add f(%x[i,
//   j])
// ->
//   (i = 16384) by (j = 2048) reduce(add [j])         %p[c, j] = rowwise (c = 64, j = 2048) by (i = 256)
//                                                                  row_reduce add f(%x[256 c + i, j])
//                                                     %y[j] = rowwise (j = 2048) by (c = 64) row_reduce add %p[c, j]
//                                                     or, of more chunks, (c = 640) by (j) reduce(add [j])
//
// Where rows are reduced to nothing of their own, columns are neighbours in memory and independent of each other: a
// thread has some, with no sums that go from row to row in registers and meet at the end. Where there are fewer columns
// than threads, rows are cut into chunks, whose results are a second form's; a last chunk that has fewer is read with
// zeros, which the combiner's identity replaces.
//
// Columns whose number is `?` are turned whatever they are, in front of fusion: no kernel has sums over rows of as many
// columns.
//
// In front of fusion (`of=waiting`) those are turned whose results something waits for at every element that was
// reduced, a softmax or a norm over the first dimension, where few elements are: then one kernel has the reduction and
// the rest. So are those that read what was turned: a variance's sum of squares is in the kernel of its mean.
// Where kernels share a launch (`launches=one`) so are those that reduce to one number: what makes the
// elements would add them up by its last block, for which all others wait longer than for a phase more. And in any case
// those of few elements: a maximum, and the sum of exponentials under it, are one block's, not two launches.
//
//   %s = (i = 2048) by () reduce(add []) %x[i] * %x[i]       %y[i] = rowwise () by (i = 2048)
//   %y[i] = %x[i] * rsqrt(%s)                          ->             %x * rsqrt(row_reduce add %x * %x)
//
// decides: which reductions over a GPU's rows are those of rows instead.
//
// runs in: sinter-gpu    test: test/passes/arrange/turned_sums.mlir, test/gpu/emulate_rows.test

#include "dialect/row_ops.h"
#include "dialect/sequence.h"
#include "lowering/rows/rowmemory.h"
#include "passes/arrange/arrange.h"
#include "passes/edit/edit.h"
#include "passes/merge/merge.h"
#include "target/chips.h"
#include <stdio.h>

enum {
  THREADS = 1024,        // of a multiprocessor
  LEAST_NEIGHBOURS = 16, // columns that are neighbours in memory
  LEAST_BYTES = 4 << 20, // of what is read; two launches take longer than less
  LEAST_COLUMNS = 4096,  // of less, in one launch
  MOST_BLOCKS = 264,     // that leave sums of columns
  LEAST_COMBINED = 12000, // of their parts
  MOST_ROWS = 256,       // then,
  MOST_OF_LAUNCH = 512,  // or of fewer columns,
  MOST_OF_FEW = 4096,    // or of so few columns that their parts are few
  HALVES = 4,            // times as many threads, each with several columns, where elements have 16 bits
  MOST_PARTS = 1024,     // of a column that a thread combines by itself, or the warps of a block
  LEAST_ROWS = 16,       // of a chunk
  MOST_WAITING = 1024,   // elements of a column that something waits for,
  MOST_OF_MANY = 16384,  // or so many of as many columns as these
  MANY_WAITING = 1024,
  MOST_NUMBER = 16384, // elements that one number is made of, by one block of a shared launch,
  MOST_OF_BLOCK = 8192, // or of a launch of its own
  MOST_STEPS = 8,      // from a result to what reads it beside what was reduced
};

typedef struct {
  SnForm f;
  intptr_t row;         // the row dimension that is cut
  int64_t chunks, size; // size: of a chunk, in rows of that dimension
} Turn;

static bool goes_by_elements(MlirBlock block) {
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !sn_null(op); op = mlirOperationGetNextInBlock(op)) {
    if (sn_is(op, "sinter.yield"))
      continue;
    if (!sn_row_op_of(op) || sn_row_op_has(op, SN_READS_ALL) || sn_row_op_has(op, SN_READS_ONE) ||
        sn_row_op_has(op, SN_READS_TABLE) || sn_row_op_has(op, SN_READS_MATRIX) || sn_is(op, "cf.assert"))
      return false;
  }
  return true;
}

// The number of columns is `?`.
static bool is_open(const SnForm *f) { return sn_row_length(f) == SN_DYNAMIC; }

// All that is made are columns of the whole grid.
static bool makes_columns(const SnForm *f, bool waiting) {
  if (!sn_is_plain(f) || f->contract || f->schedule.ptr || !f->num_rows || !f->num_cols || !f->accumulators.size ||
      f->indices.size || f->dims.size + 2 > SN_MAX_DIMS || !goes_by_elements(f->body) ||
      (f->finish.ptr && !goes_by_elements(f->finish)))
    return false;
  for (size_t k = 0; k < f->accumulators.size; ++k)
    if (!sn_uses_cols(f, f->accumulators.data[k].map) || !sn_combiner(f->accumulators.data[k].kind))
      return false;
  for (size_t k = 0; k < f->outputs.size; ++k)
    if (!sn_uses_cols(f, f->outputs.data[k].map) ||
        (!sn_is_reduced(f, k) && (!waiting || !sn_uses_all_rows(f, f->outputs.data[k].map))))
      return false;
  for (size_t k = 0; k < f->inputs.size; ++k)
    if (sn_is_table(&f->inputs.data[k]) || f->inputs.data[k].through.ptr)
      return false;
  return true;
}

// All that is made are numbers, of elements that one block has in its registers.
static bool makes_numbers(const SnForm *f) {
  if (!sn_is_plain(f) || f->contract || f->schedule.ptr || !f->num_rows || f->num_cols || !f->accumulators.size ||
      f->indices.size || sn_num_reduced(f) != f->outputs.size || !goes_by_elements(f->body) ||
      (f->finish.ptr && !goes_by_elements(f->finish)) || sn_num_rows(f) < 1 || sn_num_rows(f) > MOST_NUMBER)
    return false;
  for (size_t k = 0; k < f->accumulators.size; ++k)
    if (mlirAffineMapGetNumResults(f->accumulators.data[k].map) || !sn_combiner(f->accumulators.data[k].kind))
      return false;
  for (size_t k = 0; k < f->inputs.size; ++k)
    if (sn_is_table(&f->inputs.data[k]) || f->inputs.data[k].through.ptr)
      return false;
  return true;
}

// Columns whose elements follow each other in all that is read of each row: the last, and those in front of it as long
// as they have no gaps.
static int64_t neighbours(const SnForm *f) {
  intptr_t last = (intptr_t)(f->num_rows + f->num_cols - 1);
  int64_t all = f->dims.data[last].size;
  for (intptr_t d = last - 1; d >= (intptr_t)f->num_rows; --d) {
    for (size_t k = 0; k < f->inputs.size; ++k) {
      const SnAccess *a = &f->inputs.data[k];
      int64_t factors[SN_MAX_DIMS];
      if (sn_uses_rows(f, a->map) && sn_uses_cols(f, a->map) &&
          (!sn_linear_factors(a->map, sn_type_of(a->value), factors) || factors[d] != all))
        return all;
    }
    all = sn_times(all, f->dims.data[d].size);
  }
  return all;
}

// What blocks leave of the columns, which the last of them combine, takes longer than a second launch. (An H200, by one
// kernel and by two: sums of f32 1000x64 0.0048 and 0.0030 ms, 64x250 0.0043 and 0.0026, 2000x256 0.0100 and 0.0035,
// 300x2048 0.0094 and 0.0035, maxima of 12,780x50 0.0055 and 0.0044.)
static bool is_much_to_combine(const SnForm *f) {
  int64_t rows = sn_num_rows(f), blocks = rows < MOST_BLOCKS ? rows : MOST_BLOCKS;
  return blocks >= 2 * LEAST_ROWS &&
         sn_times(blocks * (int64_t)f->accumulators.size, sn_row_length(f)) >= LEAST_COMBINED;
}

// They are many, of inputs whose last subscript is the last column, or that are a number of each row.
static bool fits(const SnForm *f, bool *little, bool waiting) {
  intptr_t last = (intptr_t)(f->num_rows + f->num_cols - 1);
  int64_t bytes = 0;
  *little = true;
  if (!makes_columns(f, waiting))
    return false;
  for (size_t d = 0; d < f->dims.size; ++d)
    if (!f->dims.data[d].size || (f->dims.data[d].size == SN_DYNAMIC && !is_open(f)))
      return false;
  if (is_open(f))
    return true;
  if (!waiting && neighbours(f) < LEAST_NEIGHBOURS)
    return false;
  for (size_t k = 0; k < f->inputs.size; ++k) {
    const SnAccess *a = &f->inputs.data[k];
    MlirType t = sn_type_of(a->value);
    if (sn_uses_rows(f, a->map) && sn_uses_cols(f, a->map))
      bytes = sn_times(sn_times(sn_num_rows(f), sn_row_length(f)), (int64_t)sn_bits(sn_element(t)) / 8);
    bool lines = sn_uses_rows(f, a->map) && sn_uses_cols(f, a->map);
    if (!mlirShapedTypeHasStaticShape(t) || (a->fill.ptr && sn_uses_rows(f, a->map)) ||
        (lines && !sn_unit_stride(a->map, last)))
      return false;
  }
  bool combined = is_much_to_combine(f),
       one_launch = sn_num_rows(f) <= (sn_row_length(f) >= LEAST_COLUMNS ? MOST_ROWS
                                       : combined                      ? MOST_OF_LAUNCH
                                                                       : MOST_OF_FEW);
  *little = bytes < LEAST_BYTES && (one_launch || waiting || !combined);
  return bytes >= LEAST_BYTES || one_launch || combined || waiting;
}

// ---- what waits for a reduction --------------------------------------------------------------------------------

static bool goes_on(MlirOperation op) {
  bool same = sn_is(op, "tensor.expand_shape") || sn_is(op, "tensor.collapse_shape") || sn_is(op, "tensor.cast");
  if (sn_is(op, "sinter.rowwise")) {
    SnForm f = sn_form_read(op);
    same = sn_is_elementwise_form(&f);
    sn_form_free(&f);
  }
  return same;
}

// How often the op reads each element of the value.
static int64_t reads_each(MlirOperation op, MlirValue v) {
  int64_t others = 1;
  if (!sn_is(op, "sinter.rowwise"))
    return others;
  SnForm f = sn_form_read(op);
  size_t k = 0;
  while (k < f.inputs.size && !sn_same(f.inputs.data[k].value, v))
    ++k;
  for (intptr_t d = 0; k < f.inputs.size && d < (intptr_t)f.dims.size; ++d)
    others = sn_access_uses(&f, &f.inputs.data[k], d) ? others : sn_times(others, f.dims.data[d].size);
  sn_form_free(&f);
  return others;
}

// Something reads the value, or what is made of it element by element, once for each of so many elements that were
// reduced. Values are looked at once each, the nearest first.
static bool is_read_beside(MlirValue v, int64_t reduced) {
  SnValueVec near = {0};
  SnTable known = {0};
  bool found = false;
  sn_push(&near, v);
  size_t next = 0;
  for (int steps = 0; steps < MOST_STEPS && !found; ++steps)
    for (size_t end = near.size; next < end && !found; ++next)
      for (MlirOpOperand use = mlirValueGetFirstUse(near.data[next]); !mlirOpOperandIsNull(use) && !found;
           use = mlirOpOperandGetNextUse(use)) {
        MlirOperation op = mlirOpOperandGetOwner(use);
        found = reads_each(op, near.data[next]) == reduced;
        if (found || sn_table_has(&known, op.ptr) || !goes_on(op))
          continue;
        sn_table_put(&known, op.ptr, 1);
        for (intptr_t k = 0; k < sn_num_results(op); ++k)
          sn_push(&near, sn_result(op, k));
      }
  sn_vec_free(&near);
  sn_table_free(&known);
  return found;
}

static bool is_waited_for(const SnForm *f) {
  int64_t reduced = sn_num_rows(f);
  int64_t most = !f->num_cols ? MOST_NUMBER : sn_row_length(f) >= MANY_WAITING ? MOST_OF_MANY : MOST_WAITING;
  bool any = false;
  for (intptr_t k = 0; k < sn_num_results(f->op) && reduced > 1 && reduced <= most; ++k)
    any |= is_read_beside(sn_result(f->op, k), reduced);
  return any;
}

// What was turned, and of what else was looked at how many operations of elements are on the way from there: each is
// looked at once, since what may read a form stands behind it.
typedef struct {
  SnTable turned, steps;
} Seen;
enum { FAR = MOST_STEPS + 1 }; // or nowhere

static uintptr_t steps_to(Seen *seen, MlirOperation op);

// From what was turned to this one, which reads it.
static uintptr_t steps_behind(Seen *seen, MlirOperation op) {
  uintptr_t least = FAR;
  for (intptr_t k = 0; k < sn_num_operands(op) && least > 1; ++k) {
    MlirOperation from = sn_definer(sn_operand(op, k));
    uintptr_t steps = sn_null(from) ? FAR : 1 + steps_to(seen, from);
    least = steps < least ? steps : least;
  }
  return least;
}

static uintptr_t steps_to(Seen *seen, MlirOperation op) {
  uintptr_t steps = 0;
  if (!sn_table_has(&seen->turned, op.ptr) && !sn_table_get(&seen->steps, op.ptr, &steps)) {
    steps = goes_on(op) ? steps_behind(seen, op) : FAR;
    sn_table_put(&seen->steps, op.ptr, steps);
  }
  return steps;
}

// Something that the form reads is made, element by element, of what was turned: a sum of squares about a mean.
static bool reads_turned(Seen *seen, MlirOperation form) { return steps_behind(seen, form) <= MOST_STEPS; }

// As many chunks as make a thread of all that there are: of equal sizes, if there are some not far from that.
static void cut(Turn *t, const SnGpuChip *chip, bool little) {
  const SnForm *f = &t->f;
  int64_t columns = sn_row_length(f), most = sn_num_rows(f) / LEAST_ROWS, bits = 16;
  for (size_t k = 0; k < f->inputs.size; ++k) {
    int64_t own = (int64_t)sn_bits(sn_element(sn_type_of(f->inputs.data[k].value)));
    bits = own > bits ? own : bits;
  }
  int64_t wanted = sn_pieces((int64_t)chip->multiprocessors * THREADS * (bits > 16 ? 1 : HALVES), columns);
  for (intptr_t d = 0; d < f->num_rows; ++d)
    if (f->dims.data[d].size > f->dims.data[t->row].size)
      t->row = d;
  int64_t size = f->dims.data[t->row].size;
  most = most < size ? most : size;
  wanted = little ? 1 : wanted < most ? wanted : most;
  t->chunks = wanted < 2 ? 1 : wanted;
  for (int64_t more = 0; more < wanted; ++more) // half as many, or twice
    if (wanted + more <= most && size % (wanted + more) == 0) {
      t->chunks = wanted + more;
      break;
    } else if (wanted - more > 1 && 2 * (wanted - more) >= wanted && size % (wanted - more) == 0) {
      t->chunks = wanted - more;
      break;
    }
  t->size = sn_pieces(size, t->chunks);
  if (t->size * t->chunks != size && t->size > LEAST_ROWS) // loads that are under way at once, and none behind them
    t->size = (t->size + LEAST_ROWS / 2) / LEAST_ROWS * LEAST_ROWS;
  t->chunks = sn_pieces(size, t->size);
}

// ---- what is made ----------------------------------------------------------------------------------------------

static MlirAffineExpr dim(const SnForm *f, intptr_t d) {
  return mlirAffineDimExprGet(mlirOperationGetContext(f->op), d);
}

// The dimensions of the form that reduces: chunks if there are several, f's columns; then f's rows, cut, as columns.
// `dims` are f's in it.
static SnForm turned(const Turn *t, MlirAffineExpr *dims) {
  const SnForm *f = &t->f;
  MlirContext ctx = mlirOperationGetContext(f->op);
  SnForm to = {.num_rows = f->num_cols + (t->chunks > 1), .num_cols = f->num_rows};
  if (t->chunks > 1)
    sn_push(&to.dims, ((SnDim){.name = sn_fresh_name(ctx, f, "chunk"), .size = t->chunks}));
  for (intptr_t i = 0; i < (intptr_t)f->dims.size; ++i) {
    intptr_t d = (i + (intptr_t)f->num_rows) % (intptr_t)f->dims.size; // columns first
    dims[d] = dim(f, (intptr_t)to.dims.size);
    SnDim own = f->dims.data[d];
    if (d == t->row && t->chunks > 1) {
      dims[d] = mlirAffineAddExprGet(mlirAffineMulExprGet(dim(f, 0), mlirAffineConstantExprGet(ctx, t->size)), dims[d]);
      own.size = t->size;
    }
    sn_push(&to.dims, own);
  }
  return to;
}

static SnAccess moved(const SnForm *to, SnAccess a, const MlirAffineExpr *dims) {
  a.map = sn_map_replace(a.map, (intptr_t)to->dims.size, dims);
  return a;
}

// Whether the last chunk ends behind the rows.
static bool overhangs(const Turn *t) { return t->size * t->chunks > t->f.dims.data[t->row].size; }

static void add_inputs(const Turn *t, SnForm *to, const MlirAffineExpr *dims) {
  for (size_t k = 0; k < t->f.inputs.size; ++k) {
    SnAccess a = moved(to, t->f.inputs.data[k], dims);
    MlirType e = sn_element(sn_type_of(a.value));
    if (overhangs(t) && sn_map_uses(t->f.inputs.data[k].map, t->row))
      a.fill = sn_is_float(e) ? mlirFloatAttrDoubleGet(mlirTypeGetContext(e), e, 0) : mlirIntegerAttrGet(e, 0);
    sn_push(&to->inputs, a);
  }
}

// The row that accumulator k adds up, its identity where a chunk has no row.
static MlirValue reduced_row(SnBuilder *b, const Turn *t, SnForm *to, const MlirAffineExpr *dims, size_t k,
                             SnMap *map) {
  enum { BELOW = 2 }; // signed
  const SnForm *f = &t->f;
  MlirValue v = sn_operand(mlirBlockGetTerminator(f->body), (intptr_t)k);
  v = sn_move_value(b, f, v, dims, to, map);
  MlirType element = sn_element(sn_type_of(v)), row = sn_row_type(to, element);
  if (!overhangs(t))
    return sn_as_row(b, v, row);
  MlirValue at = sn_affine_value(b, to, dims[t->row]),
            end = sn_as_row(b, sn_index(b, f->dims.data[t->row].size), sn_type_of(at));
  MlirValue in = sn(b, "arith.cmpi", at, end, sn_attr("predicate", sn_i64(b->ctx, BELOW)));
  MlirValue none = sn_constant(b, sn_combiner_identity(sn_combiner(f->accumulators.data[k].kind), element));
  return sn(b, "arith.select", in, sn_as_row(b, v, row), sn_as_row(b, none, row));
}

static MlirValue reduce(SnBuilder *b, const SnAccumulator *a, MlirValue row) {
  char kind[32];
  snprintf(kind, sizeof kind, "%.*s", (int)a->kind.length, a->kind.data);
  return sn_row_reduce(b, kind, row, a->type);
}

// What finish makes of the accumulators, `all`, in the form `to`, where `first` is where f's uniform inputs are; beside
// that what the body stores, whose values are in `body` (null: it stores nothing).
static void finish(SnBuilder *b, const Turn *t, SnForm *to, const MlirAffineExpr *dims, const MlirValue *all,
                   size_t first, SnMap *body, SnValueVec *results) {
  const SnForm *f = &t->f;
  SnMap map = {0};
  intptr_t place = (intptr_t)f->accumulators.size;
  for (intptr_t k = 0; f->finish.ptr && k < place; ++k)
    sn_map(&map, mlirBlockGetArgument(f->finish, k), all[k]);
  for (size_t k = 0, at = first; f->finish.ptr && k < f->inputs.size; ++k) {
    bool uniform = sn_is_uniform(f, k);
    if (uniform)
      sn_map(&map, mlirBlockGetArgument(f->finish, place++), sn_input_argument(to, at));
    at += uniform || first == 0;
  }
  for (size_t k = 0; k < f->outputs.size; ++k) {
    size_t from = sn_output_position(f, k);
    if (!sn_is_reduced(f, k)) {
      MlirValue v = sn_operand(mlirBlockGetTerminator(f->body), (intptr_t)from);
      v = sn_move_value(b, f, v, dims, to, body);
      sn_push(results, sn_as_row(b, v, sn_row_type(to, sn_element(sn_type_of(v)))));
      continue;
    }
    sn_push(results, f->finish.ptr ? sn_move_value(b, f, sn_operand(mlirBlockGetTerminator(f->finish), (intptr_t)from),
                                                   dims, to, &map)
                                   : all[from]);
  }
  sn_map_free(&map);
}

static void yield(SnBuilder *b, SnValueVec *values) {
  sn_op(b, "sinter.yield", sn_values((intptr_t)values->size, values->data), sn_types(0, NULL));
}

// The inputs of what combines the chunks' parts: [chunk, columns] each, and what finish reads; and its outputs.
static void add_parts(SnForm *to, const Turn *t, const SnForm *parts, MlirAffineMap read, const MlirAffineExpr *dims) {
  const SnForm *f = &t->f;
  for (size_t k = 0; k < f->accumulators.size; ++k)
    sn_push(&to->inputs, ((SnAccess){.value = sn_result(parts->op, (intptr_t)k), .map = read}));
  for (size_t k = 0; k < f->inputs.size; ++k)
    if (sn_is_uniform(f, k))
      sn_push(&to->inputs, moved(to, f->inputs.data[k], dims));
  for (size_t k = 0; k < f->outputs.size; ++k)
    sn_push(&to->outputs, moved(to, f->outputs.data[k], dims));
}

// What chunks leave, combined by threads that have columns.
static MlirOperation combined(SnBuilder *b, const Turn *t, const SnForm *parts) {
  const SnForm *f = &t->f;
  SnForm to = {.num_rows = f->num_cols, .num_cols = 1};
  MlirAffineExpr dims[SN_MAX_DIMS], at[SN_MAX_DIMS];
  for (intptr_t d = 0; d < f->num_rows; ++d)
    dims[d] = mlirAffineConstantExprGet(b->ctx, 0);
  for (intptr_t c = 0; c < f->num_cols; ++c) {
    dims[f->num_rows + c] = dim(f, c);
    sn_push(&to.dims, f->dims.data[f->num_rows + c]);
  }
  sn_push(&to.dims, parts->dims.data[0]);
  for (intptr_t d = 0; d <= f->num_cols; ++d)
    at[d] = dim(f, d ? d - 1 : (intptr_t)f->num_cols);
  intptr_t n = (intptr_t)to.dims.size;
  add_parts(&to, t, parts, mlirAffineMapGet(b->ctx, n, 0, n, at), dims);
  MlirOperation made = sn_form_create(b, &to, false);
  SnBuilder in = sn_at_end(to.body, b->loc);
  MlirValue *all = sn_alloc((f->accumulators.size + 1) * sizeof *all);
  for (size_t k = 0; k < f->accumulators.size; ++k)
    all[k] = reduce(&in, &f->accumulators.data[k], sn_input_argument(&to, k));
  SnValueVec results = {0};
  finish(&in, t, &to, dims, all, f->accumulators.size, NULL, &results);
  yield(&in, &results);
  sn_vec_free(&results);
  free(all);
  sn_form_free(&to);
  return made;
}

// The same where a column has many parts: they are rows, whose columns are reduced as before, but there are few now.
static MlirOperation combined_by_rows(SnBuilder *b, const Turn *t, const SnForm *parts) {
  const SnForm *f = &t->f;
  SnForm to = {.num_rows = 1, .num_cols = f->num_cols};
  MlirAffineExpr dims[SN_MAX_DIMS];
  sn_push(&to.dims, parts->dims.data[0]);
  for (intptr_t d = 0; d < f->num_rows; ++d)
    dims[d] = mlirAffineConstantExprGet(b->ctx, 0);
  for (intptr_t c = 0; c < f->num_cols; ++c) {
    dims[f->num_rows + c] = dim(f, c + 1);
    sn_push(&to.dims, f->dims.data[f->num_rows + c]);
  }
  add_parts(&to, t, parts, mlirAffineMapMultiDimIdentityGet(b->ctx, (intptr_t)to.dims.size), dims);
  for (size_t k = 0; k < f->accumulators.size; ++k) {
    SnAccumulator a = f->accumulators.data[k];
    a.map = sn_map_replace(a.map, (intptr_t)to.dims.size, dims);
    sn_push(&to.accumulators, a);
  }
  MlirOperation made = sn_form_create(b, &to, f->finish.ptr);
  SnBuilder in = sn_at_end(to.body, b->loc);
  SnValueVec values = {0};
  for (size_t k = 0; k < f->accumulators.size; ++k)
    sn_push(&values, sn_input_argument(&to, k));
  yield(&in, &values);
  values.size = 0;
  SnMap map = {0};
  for (intptr_t k = 0; f->finish.ptr && k < mlirBlockGetNumArguments(f->finish); ++k)
    sn_map(&map, mlirBlockGetArgument(f->finish, k), mlirBlockGetArgument(to.finish, k));
  if (f->finish.ptr) {
    in = sn_at_end(to.finish, b->loc);
    sn_copy_ops(&in, f->finish, &map);
    MlirOperation end = mlirBlockGetTerminator(f->finish);
    for (intptr_t k = 0; k < sn_num_operands(end); ++k)
      sn_push(&values, sn_lookup(&map, sn_operand(end, k)));
    yield(&in, &values);
  }
  sn_map_free(&map);
  sn_vec_free(&values);
  sn_form_free(&to);
  return made;
}

// A tensor of what chunks leave of accumulator k.
static SnAccess part(SnBuilder *b, const SnForm *to, MlirType element) {
  int64_t shape[SN_MAX_DIMS];
  MlirAffineExpr at[SN_MAX_DIMS];
  for (intptr_t d = 0; d < to->num_rows; ++d) {
    shape[d] = to->dims.data[d].size;
    at[d] = mlirAffineDimExprGet(b->ctx, d);
  }
  return (SnAccess){.value = sn(b, "tensor.empty", sn_values(0, NULL), sn_tensor(element, to->num_rows, shape)),
                    .map = mlirAffineMapGet(b->ctx, (intptr_t)to->dims.size, 0, to->num_rows, at)};
}

static MlirOperation turn(Turn *t) {
  SnForm *f = &t->f;
  SnBuilder b = sn_before(f->op);
  MlirAffineExpr dims[SN_MAX_DIMS];
  SnForm to = turned(t, dims);
  bool whole = t->chunks == 1;
  add_inputs(t, &to, dims);
  for (size_t k = 0; k < (whole ? f->outputs.size : f->accumulators.size); ++k)
    sn_push(&to.outputs, whole ? moved(&to, f->outputs.data[k], dims) : part(&b, &to, f->accumulators.data[k].type));
  MlirOperation made = sn_form_create(&b, &to, false);
  SnBuilder in = sn_at_end(to.body, b.loc);
  SnMap map = {0};
  SnValueVec results = {0};
  MlirValue *all = sn_alloc((f->accumulators.size + 1) * sizeof *all);
  for (size_t k = 0; k < f->inputs.size; ++k)
    sn_map(&map, sn_input_argument(f, k), sn_input_argument(&to, k));
  for (size_t k = 0; k < f->accumulators.size; ++k) {
    all[k] = reduce(&in, &f->accumulators.data[k], reduced_row(&in, t, &to, dims, k, &map));
    if (!whole)
      sn_push(&results, all[k]);
  }
  if (whole)
    finish(&in, t, &to, dims, all, 0, &map, &results);
  yield(&in, &results);
  if (!whole)
    made = t->chunks > MOST_PARTS ? combined_by_rows(&b, t, &to) : combined(&b, t, &to);
  sn_replace_results(f->op, made);
  mlirOperationDestroy(f->op);
  sn_map_free(&map);
  sn_vec_free(&results);
  free(all);
  sn_form_free(&to);
  return made;
}

// ---- the pass --------------------------------------------------------------------------------------------------

typedef struct {
  const SnGpuChip *chip;
  bool waiting, one_launch;
} What;

// reads: columns that were turned.
static bool is_turned(const SnForm *f, const What *what, bool reads, bool *little) {
  *little = true;
  if (what->waiting && makes_numbers(f) && (what->one_launch || sn_num_rows(f) <= MOST_OF_BLOCK))
    return is_waited_for(f) || (!what->one_launch && reads);
  return fits(f, little, what->waiting) && (!what->waiting || is_open(f) || is_waited_for(f) || reads);
}

static MlirLogicalResult function(MlirOperation func, void *user) {
  const What *what = user;
  SnOpVec forms = sn_collect(func, "sinter.rowwise");
  Seen seen = {0};
  for (size_t k = 0; k < forms.size; ++k) {
    Turn t = {.f = sn_form_read(forms.data[k])};
    bool little;
    if (sn_num_results(forms.data[k]) && !sn_in_sequence(forms.data[k]) &&
        is_turned(&t.f, what, reads_turned(&seen, forms.data[k]), &little)) {
      if (!what->waiting) { // what lies behind one another is cut as one
        MlirOperation merged = sn_merge_rows(forms.data[k]);
        sn_form_free(&t.f);
        t.f = sn_form_read(merged);
      }
      cut(&t, what->chip, little || what->waiting);
      sn_table_put(&seen.turned, turn(&t).ptr, 1);
    }
    sn_form_free(&t.f);
  }
  sn_vec_free(&forms);
  sn_table_free(&seen.turned);
  sn_table_free(&seen.steps);
  return SN_OK;
}

typedef struct {
  const char *chip, *of, *launches;
} Options;
static const char *const which[] = {"all", "waiting", NULL};
static const char *const launches[] = {"given", "separate", "one", "worth", NULL};
static const SnOption options[] = {
    {SN_OPTION_STRING, "of",
     "all: reductions that are faster by themselves; waiting: in front of fusion, those that something waits for at "
     "every element",
     "all", which, offsetof(Options, of)},
    {SN_OPTION_STRING, "launches", "of kernels, as of sinter-sequence: one number waits where a launch is shared",
     "given", launches, offsetof(Options, launches)},
    {SN_OPTION_STRING, "chip", "the GPU's architecture, as ptxas names it", SN_GPU_CHIP_DEFAULT, NULL,
     offsetof(Options, chip)},
    {0},
};

static MlirLogicalResult run(const SnRun *run, MlirOperation op) {
  const Options *o = run->options;
  const SnGpuChip *chip = sn_gpu_chip(o->chip);
  What what = {chip, !strcmp(o->of, "waiting"), !strcmp(o->launches, "one") || !strcmp(o->launches, "worth")};
  return chip ? sn_each_function(op, function, &what) : sn_error(op, SN_GPU_CHIP_ERROR, o->chip);
}

MlirDialectHandle mlirGetDialectHandle__tensor__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__tensor__, NULL};

const SnPass sn_pass_turned_sums = {
    .argument = "sinter-turned-sums",
    .summary = "columns that are reduced over a GPU's rows -> rows of their own, where there are neighbours",
    .options = options,
    .options_size = sizeof(Options),
    .dialects = dialects,
    .run = run,
};

// long_rows.c: elements that have nothing to do with each other are as few rows as memory has pieces.
//
//   rowwise (i = 14, j = 13, k = 7) by (l = 2) ins(%x[i, j, k, l], %a[i]) outs(%y[i, j, k, l])
// ->
//   rowwise (i = 14) by (j = 13, k = 7, l = 2), the same
//
//   rowwise (i = 1000) by (j = 3) ins(%x[i, j], %w[j]) outs(%y[i, j])    ->    rowwise () by (i = 1000, j = 3), the
//   same
//
//   rowwise (h, w, c) by (u) ins(%x[c, h, w + u]) outs(%y[c, h, w])    ->    rowwise (c, h, w) by (u), the same
//
//   rowwise (i = 7, j = 168, k = 30) by (l = 27) ins(%x[i, k, l, j]) outs(%y[i, j, k, l])
// ->
//   rowwise (i = 7, j = 168) by (k = 30, l = 27), the same
//
//   rowwise (i = 950, j = 1273) by () ins(%x[i, j floordiv 2])    ->    rowwise (i = 950) by (j = 1273), the same
//
//   rowwise (i = ?) by () ins(%x[i]) reduce(add [])    ->    rowwise (one = 1) by (i = ?), the same (one_row.c)
//
// (On a GPU, sn_longer_rows: short rows alone, and up to what a block has. There what is in one piece may be turned.)
//
// A CPU's vectors run along a row, and what is left behind the last one is the row's own: of rows of two elements that
// is all. What has nothing of the columns is one number for each row, and stays one; what has the last of them alone is
// read again and again (lowering/cpu/rowrepeats.c). Rows of one element, of a known
// number, are the lanes themselves; where it is `?` they have none (283,048 f16 added up took 33 times as long).
//
// runs in: sinter-cpu, sinter-gpu    test: test/passes/arrange/long_rows.mlir, test/passes/arrange/longer_rows.mlir,
// test/run/long_rows.test

#include "dialect/sequence.h"
#include "lowering/facts/gpu_forms.h"
#include "lowering/rows/rowmemory.h"
#include "passes/arrange/arrange.h"
#include "passes/merge/merge.h"

enum {
  LONG = 4096, // columns: the end of such a row is nothing beside it
  LESS = 256,  // columns: a GPU's threads have some of such a row and are done
  MOST_OF_BLOCK = 16384, // columns that a GPU's block has in registers, where rows have vectors for it alone,
  LEAST_BLOCKS = 1056,   // and there are so many of them
  MANY_ELEMENTS = 1 << 17, // more than a GPU has threads at once
  SHORT_LINE = 64, // columns: where lines have gaps
  SHORT = 128, // columns: longer ones had better be rows than be read again and again from a copy
};

static bool is_short(const SnForm *f) { return sn_row_length(f) == SN_DYNAMIC || sn_row_length(f) < SHORT; }

// With so many row dimensions, all others columns, what has columns is in one piece, or, where it may be repeated, is
// short and read again and again.
static bool in_pieces(const SnForm *f, int64_t rows, bool repeated) {
  SnForm split = *f;
  split.num_rows = rows;
  split.num_cols = f->num_rows + f->num_cols - rows;
  for (size_t k = 0; k < f->inputs.size + f->outputs.size; ++k) {
    const SnAccess *a = k < f->inputs.size ? &f->inputs.data[k] : &f->outputs.data[k - f->inputs.size];
    if (sn_is_table(a) || (sn_uses_cols(&split, a->map) && !sn_row_in_one_piece(&split, a) &&
                           !(repeated && k < f->inputs.size && is_short(f) && sn_row_is_repeated(&split, a))))
      return false;
  }
  return true;
}

static bool fits(MlirOperation op, const SnForm *f) {
  int64_t length = sn_row_length(f);
  return sn_num_results(op) && !sn_in_sequence(op) && !f->schedule.ptr && f->num_cols && f->num_rows &&
         !f->indices.size && (length == SN_DYNAMIC || length < LONG) && sn_is_elementwise_form(f) &&
         !sn_names_dims(f->body) && in_pieces(f, f->num_rows, true);
}

// With so many row dimensions, all others columns, each operand has the columns at one distance from each other, or has
// nothing of them.
static bool at_one_distance(const SnForm *f, int64_t rows) {
  int64_t factors[SN_MAX_DIMS], last = f->num_rows + f->num_cols - 1;
  for (size_t k = 0; k < f->inputs.size + f->outputs.size; ++k) {
    const SnAccess *a = k < f->inputs.size ? &f->inputs.data[k] : &f->outputs.data[k - f->inputs.size];
    bool uses = false;
    for (int64_t d = rows; d <= last; ++d)
      uses |= sn_map_uses(a->map, d);
    if (!uses)
      continue;
    if (a->fill.ptr || sn_is_table(a) || !sn_linear_factors(a->map, sn_type_of(a->value), factors) || !factors[last])
      return false;
    for (int64_t d = last; d-- > rows;)
      if (factors[d] != sn_times(factors[d + 1], f->dims.data[d + 1].size))
        return false;
  }
  return true;
}

// Short lines of which some is read with a gap behind it, wherever it begins: no vector is loaded as one, and a part of
// a warp that has such a row leaves threads idle and takes several lines at once. Nothing is a number of a row, which
// its elements would have to read each.
static bool lie_apart(const SnForm *f) {
  int64_t factors[SN_MAX_DIMS], last = f->num_rows + f->num_cols - 1;
  bool apart = false;
  if (f->num_cols != 1 || sn_row_length(f) >= SHORT_LINE)
    return false;
  for (size_t k = 0; k < f->inputs.size + f->outputs.size; ++k) {
    const SnAccess *a = k < f->inputs.size ? &f->inputs.data[k] : &f->outputs.data[k - f->inputs.size];
    MlirType t = sn_type_of(a->value);
    if (a->fill.ptr || sn_is_table(a) || !sn_linear_factors(a->map, t, factors) || factors[last] != 1)
      return false;
    for (int64_t d = 0; d < last; ++d)
      if (f->dims.data[d].size > 1 && !factors[d])
        return false;
    apart |= k < f->inputs.size && !sn_row_is_aligned(f, a, 128 / (int64_t)sn_bits(sn_element(t)), false);
  }
  return apart && f->inputs.size > 0;
}

// Elements without columns that are many, and have nothing to do with each other, as the gradient of a window has
// them: those of the last dimension are columns, of which a thread has several under way. Fewer are left to a thread
// each (spread.c).
static MlirOperation with_columns(MlirOperation op) {
  SnForm f = sn_form_read(op);
  bool is_column[SN_MAX_DIMS] = {0};
  int64_t rows = sn_num_rows(&f);
  bool may = sn_num_results(op) && !sn_in_sequence(op) && !f.schedule.ptr && !f.num_cols && f.num_rows &&
             !f.indices.size && sn_is_elementwise_form(&f) && rows != SN_DYNAMIC && rows > MANY_ELEMENTS &&
             f.dims.data[f.num_rows - 1].size > 1;
  if (may)
    is_column[f.num_rows - 1] = true;
  if (may && sn_can_resplit(&f, is_column))
    op = sn_resplit(op, is_column);
  sn_form_free(&f);
  return op;
}

// Rows that do not begin with vectors, of this length with one row dimension more, have some if they are longer: a
// block's, whatever it has in front of the first and behind the last. (On an H200, f16 16x158x77x7x13 by elements, 16
// threads for each row of 91, took 0.0335 ms, 82 % of a copy; torch.compile 0.0268.)
static bool may_begin_anywhere(const SnForm *f, int64_t rows, int64_t length) {
  SnForm longer = *f;
  int64_t bits = 16;
  longer.num_rows = rows;
  longer.num_cols = f->num_rows + f->num_cols - rows;
  for (size_t k = 0; k < f->inputs.size + f->outputs.size; ++k) {
    MlirType t = sn_type_of(k < f->inputs.size ? f->inputs.data[k].value : f->outputs.data[k - f->inputs.size].value);
    bits = (int64_t)sn_bits(sn_element(t)) > bits ? (int64_t)sn_bits(sn_element(t)) : bits;
  }
  return bits < 128 && length % (128 / bits) && sn_row_is_placed(&longer) &&
         sn_num_rows(&longer) >= LEAST_BLOCKS;
}

MlirOperation sn_longer_rows(MlirOperation op) {
  op = with_columns(op);
  SnForm f = sn_form_read(op);
  bool is_column[SN_MAX_DIMS];
  int64_t rows = f.num_rows, length = sn_row_length(&f);
  bool may = sn_num_results(op) && !sn_in_sequence(op) && !f.schedule.ptr && f.num_cols && f.num_rows &&
             !f.indices.size && sn_is_elementwise_form(&f) && !sn_names_dims(f.body) && sn_gpu_not_flat(&f);
  bool open = false;
  for (size_t d = 0; d < f.dims.size; ++d) {
    open |= f.dims.data[d].size == SN_DYNAMIC;
    may &= f.dims.data[d].size > 0 || f.dims.data[d].size == SN_DYNAMIC;
  }
  for (size_t k = 0; k < f.inputs.size; ++k)
    may &= !f.inputs.data[k].through.ptr && !(open && f.inputs.data[k].fill.ptr);
  while (may && open && rows > 1 && in_pieces(&f, rows - 1, false)) // whatever is in one piece is counted, not divided
    --rows;
  may &= !open;
  while (may && rows > 1 && length < LESS && length * f.dims.data[rows - 1].size <= LONG &&
         at_one_distance(&f, rows - 1))
    length *= f.dims.data[--rows].size;
  if (may && rows > 1 && length < LESS && length * f.dims.data[rows - 1].size <= MOST_OF_BLOCK &&
      at_one_distance(&f, rows - 1) && may_begin_anywhere(&f, rows - 1, length))
    length *= f.dims.data[--rows].size;
  if (rows == f.num_rows && may && lie_apart(&f))
    while (rows > 1 && length < LESS && length * f.dims.data[rows - 1].size <= LONG)
      length *= f.dims.data[--rows].size;
  for (int64_t d = 0; d < (int64_t)f.dims.size; ++d)
    is_column[d] = rows <= d;
  if (rows < f.num_rows && sn_can_resplit(&f, is_column))
    op = sn_resplit(op, is_column);
  sn_form_free(&f);
  return op;
}

static MlirLogicalResult function(MlirOperation func, void *user) {
  (void)user;
  SnOpVec forms = sn_collect(func, "sinter.rowwise");
  for (size_t k = 0; k < forms.size; ++k) {
    SnForm f = sn_form_read(forms.data[k]);
    if (!sn_is_elementwise_form(&f)) {
      bool open = !f.num_cols && f.num_rows && f.dims.data[f.num_rows - 1].size == SN_DYNAMIC;
      sn_form_free(&f);
      sn_order_rows_as_read(open ? sn_one_row(forms.data[k]) : forms.data[k]);
      continue;
    }
    int64_t rows = f.num_rows;
    bool is_column[SN_MAX_DIMS];
    while (rows && fits(forms.data[k], &f) && in_pieces(&f, rows - 1, true))
      --rows;
    for (int64_t d = 0; d < (int64_t)f.dims.size; ++d)
      is_column[d] = d >= rows;
    if (rows < f.num_rows && sn_can_resplit(&f, is_column))
      sn_resplit(forms.data[k], is_column);
    sn_form_free(&f);
  }
  sn_vec_free(&forms);
  return SN_OK;
}

static MlirLogicalResult run(const SnRun *run, MlirOperation op) {
  (void)run;
  return sn_each_function(op, function, NULL);
}

MlirDialectHandle mlirGetDialectHandle__sinter__(void);
MlirDialectHandle mlirGetDialectHandle__tensor__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__sinter__, mlirGetDialectHandle__tensor__,
                                                      NULL};

const SnPass sn_pass_long_rows = {
    .argument = "sinter-long-rows",
    .summary = "elements that have nothing to do with each other -> as few rows as memory has pieces; other rows as "
               "their results follow each other",
    .dialects = dialects,
    .run = run,
};

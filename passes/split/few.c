// few.c: a product of few elements with long sums is a row's sum for each of them.
//
//   contract (i = 3) by (j = 1) product (k = 6168) (%x[i, k], %w[k, j]) { gelu(%acc + %b[j]) }
// ->
//   rowwise (i = 3, j = 1) by (k = 6168) { gelu(row_reduce add (%x * %w) + %b) }
//
// Tiles of a GPU's products have 64 rows or columns at least, and here almost all of them would be beside the ends.
// Rows have blocks of their own that share a sum. Programs of sides are row programs over what is summed: they become
// part of the row's.
//
// Of one row, or one column, nothing is read twice but by windows. So sums may be short there (a convolution of one
// filter), and what lies together may be columns (one row by weights [k, j] whose lines no copy takes): neighbouring
// threads have them. A window of half types and many taps along an image's lines stays a product, though most of a tile
// is beside the ends, as each tap would read the image again. (One filter 7 x 7 of 417 channels on an H200: 965 us as
// rows, 227 as a product. Where channels are last, rows take 0.47 to 0.91 of the time:
// bench/results/gpu_contract_197.md.)
//
// test: test/passes/split/few.mlir

#include "lowering/facts/gpu_taps.h"
#include "lowering/facts/gpu_windows.h"
#include "lowering/facts/product_sides.h"
#include "lowering/rows/rowmemory.h"
#include "passes/split/pieces.h"

enum {
  MOST_OUTPUTS = 512, // a few for each multiprocessor; of one row or column any number: nothing is read twice
  MOST_ACROSS = 8,    // rows, or columns: so often is the other side's line read
  LEAST_SUM = 256,
  MOST_TAPS = 128,      // of a window that a thread reads by itself (passes/schedule/gpu_neighbours.c)
  SMALL_SIDE = 1 << 14, // elements that the first cache has, in whatever order they lie
  MANY = 1 << 22,       // multiplications by a window, that take longer than another launch
  LITTLE = 1 << 17,     // multiplications for which no copy of tiles has to begin
  CACHED = 1 << 22,     // elements of 4 bytes
  OFTEN = 4,            // read by a window: more than writing the image anew, and a tile of a product of it
  LEAST_NEIGHBOURS = 16,
  MOST_NEIGHBOURS = 1 << 14, // columns, of which a warp has 32, and others the rest of their sums
  COPIED_BYTES = 16,         // of lines that copies take
};

// ---- which ---------------------------------------------------------------------------------------

static int64_t size_of(const SnForm *f, int64_t first, int64_t n) {
  int64_t all = 1;
  for (int64_t d = first; d < first + n; ++d)
    all = all == SN_DYNAMIC || f->dims.data[d].size == SN_DYNAMIC ? SN_DYNAMIC : sn_times(all, f->dims.data[d].size);
  return all;
}

// Neighbours of the sum are neighbours in memory, or there is little of it.
static bool lies_along(const SnForm *f, const SnAccess *a, SnGroup sum) {
  MlirType t = sn_type_of(a->value);
  int64_t elements = 1;
  for (intptr_t i = 0; i < sn_rank(t); ++i)
    elements = sn_dim(t, i) == SN_DYNAMIC ? SMALL_SIDE : sn_times(elements, sn_dim(t, i));
  if (elements < SMALL_SIDE)
    return true;
  for (int64_t d = sum.first + sum.num_dims; d-- > sum.first;)
    if (f->dims.data[d].size != 1 && sn_access_uses(f, a, d)) {
      int64_t factors[SN_MAX_DIMS];
      return !a->through.ptr && sn_linear_factors(a->map, t, factors) && factors[d] == 1;
    }
  return true; // one number for all of the sum
}

// Neighbours of the last column (of one column: of the last row) are neighbours in memory, in lines that no copy takes
// or of which no tensor core is, or there is little to multiply.
static bool lies_across(const SnForm *f, const SnAccess *a, bool little) {
  int64_t last = f->num_rows + f->num_cols - 1, size;
  while (last > 0 && f->dims.data[last].size == 1)
    --last;
  size = f->dims.data[last].size;
  MlirType t = sn_type_of(a->value);
  int64_t bytes = (int64_t)sn_bits(sn_element(t)) / 8, line = sn_rank(t) ? sn_dim(t, sn_rank(t) - 1) : 1;
  return size >= LEAST_NEIGHBOURS && size <= MOST_NEIGHBOURS && !a->through.ptr && !a->fill.ptr &&
         sn_unit_stride(a->map, last) && line != SN_DYNAMIC &&
         (little || bytes >= 4 || line * bytes % COPIED_BYTES);
}

// It moves with what is summed and with the element.
static bool is_window(const SnForm *f, SnGroup sum, MlirAffineExpr e) {
  bool summed = false, outer = false;
  for (int64_t d = sum.first; d < sum.first + sum.num_dims; ++d)
    summed |= f->dims.data[d].size != 1 && mlirAffineExprIsFunctionOfDim(e, (intptr_t)d);
  for (int64_t d = 0; d < f->num_rows + f->num_cols; ++d)
    outer |= f->dims.data[d].size != 1 && mlirAffineExprIsFunctionOfDim(e, (intptr_t)d);
  return summed && outer;
}

static bool has_window(const SnForm *f, SnGroup sum) {
  bool has = false;
  for (size_t k = 0; k < sn_first_input(f); ++k)
    for (intptr_t i = 0; i < mlirAffineMapGetNumResults(f->inputs.data[k].map); ++i)
      has |= is_window(f, sum, mlirAffineMapGetResult(f->inputs.data[k].map, i));
  return has;
}

// How often the elements of an image are read, in whose lines a window moves, by so many multiplications; 0: there is
// none. (Where the lines are channels a row's sum reads them whole.)
static int64_t times_read(const SnForm *f, SnGroup sum, int64_t multiplications) {
  int64_t most = 0;
  for (size_t k = 0; k < sn_first_input(f); ++k) {
    MlirAffineMap map = f->inputs.data[k].map;
    MlirType t = sn_type_of(f->inputs.data[k].value);
    intptr_t n = mlirAffineMapGetNumResults(map);
    int64_t elements = 1;
    for (intptr_t i = 0; i < sn_rank(t); ++i)
      elements = elements == SN_DYNAMIC || sn_dim(t, i) == SN_DYNAMIC ? SN_DYNAMIC : sn_times(elements, sn_dim(t, i));
    bool along = n && elements > 0 && is_window(f, sum, mlirAffineMapGetResult(map, n - 1));
    most = along && multiplications / elements > most ? multiplications / elements : most;
  }
  return most;
}

// Two rows by weights of f32 that the second cache has: no tensor core waits for these, and what is read again costs
// less than parts of a tile's sum that blocks share. (An H200, 33 of 2 x 192 and 256: 7.3 us by tiles, 4.1 so.)
static bool reads_twice(const SnForm *f, int64_t rows) {
  int64_t elements = 1;
  MlirType t = sn_type_of(f->inputs.data[sn_gpu_product(f, 0, "fma").b].value);
  for (intptr_t i = 0; i < sn_rank(t); ++i)
    elements = elements < 0 || sn_dim(t, i) == SN_DYNAMIC ? -1 : sn_times(elements, sn_dim(t, i));
  return rows == 2 && sn_bits(sn_element(t)) == 32 && elements > 0 && elements <= CACHED;
}

// Several products (a gate) are so of one column, whose rows are read once for all of them. (An H200, f32 6161 x 1 of
// 273: 14.4 us by two products of tiles, 3.3 so; bench/results/gpu_contract_200.md.)
static bool sum_alike(const SnForm *f, int64_t columns) {
  SnGroup first = sn_side_summed(f, 0);
  bool alike = f->products.size == 1 || columns == 1;
  for (size_t p = 1; p < f->products.size && alike; ++p) {
    SnGroup sum = sn_side_summed(f, 2 * p);
    alike = sum.num_dims == first.num_dims && !has_window(f, sum) && !has_window(f, first);
    for (int64_t i = 0; i < sum.num_dims && alike; ++i)
      alike = f->dims.data[sum.first + i].size == f->dims.data[first.first + i].size;
  }
  return alike;
}

// Each side of all products.
static bool lie_so(const SnForm *f, bool across, bool little) {
  bool so = true;
  for (size_t side = 0; side < 2 * f->products.size; ++side) {
    SnGroup sum = sn_side_summed(f, side);
    SnSide is = sn_side(f, side);
    for (size_t k = is.first; k < is.first + is.count; ++k)
      so &= lies_along(f, &f->inputs.data[k], sum) || (across && lies_across(f, &f->inputs.data[k], little));
    so &= sn_side_uses_all(f, side, sum);
  }
  return so;
}

bool sn_has_few_sums(const SnForm *f) {
  if (!f->contract || !f->products.size || !sn_has_one_group(f) || f->matrices.size || f->accumulators.size ||
      !sn_cpu_by_columns(f) || !sn_goes_by_elements(f))
    return false;
  SnGroup sum = sn_side_summed(f, 0);
  SnGpuPoints points = sn_gpu_points(f);
  int64_t outputs = size_of(f, 0, f->num_rows + f->num_cols), sums = size_of(f, sum.first, sum.num_dims),
          rows = sn_gpu_dims_size(f, &points.rows), columns = sn_gpu_dims_size(f, &points.columns);
  bool one = rows == 1 || columns == 1, twice = reads_twice(f, rows), few = outputs <= MOST_OUTPUTS || one || twice;
  if (outputs == SN_DYNAMIC || outputs < 1 || !few || sums == SN_DYNAMIC || sums < 1 ||
      (rows > MOST_ACROSS && columns > MOST_ACROSS) || !sum_alike(f, columns))
    return false;
  if (sums < LEAST_SUM && (!one || (sums > MOST_TAPS && has_window(f, sum))))
    return false;
  int64_t multiplications = sn_times(outputs, sums);
  if (outputs > MOST_OUTPUTS && sums > MOST_TAPS && multiplications >= MANY && sn_gpu_has_kernel(f, "wgmma") &&
      times_read(f, sum, multiplications) >= OFTEN)
    return false; // a product of tiles has the image in shared memory
  SnGpuTaps taps;
  if (!sn_gpu_not_taps(f, &taps))
    return false; // the image is read once, for all taps (passes/arrange/tap_products.c)
  SnGpuWindow window;
  if (outputs > MOST_OUTPUTS && sums >= LEAST_SUM && !sn_gpu_not_window(f, 1, &window))
    return false; // threads read it where it lies, each element once for several
  return lie_so(f, one || twice, multiplications <= LITTLE);
}

// ---- the row -------------------------------------------------------------------------------------

MlirValue sn_side_row(SnBuilder *b, const SnForm *f, const SnForm *to, size_t number, MlirType type) {
  SnSide side = sn_side(f, number);
  MlirValue x = sn_input_argument(to, side.first);
  if (side.program.ptr) {
    SnMap map = {0};
    for (size_t k = 0; k < side.count; ++k)
      sn_map(&map, mlirBlockGetArgument(side.program, (intptr_t)k), sn_input_argument(to, side.first + k));
    sn_copy_ops(b, side.program, &map);
    x = sn_lookup(&map, sn_operand(mlirBlockGetTerminator(side.program), 0));
    sn_map_free(&map);
  }
  MlirType from = sn_element(sn_type_of(x));
  if (mlirTypeEqual(from, type))
    return x;
  return sn_row_op(b,
                   sn_is_float(type)    ? "arith.extf"
                   : sn_bits(from) == 1 ? "arith.extui"
                                        : "arith.extsi",
                   type, 1, &x);
}

// Product p's own dimension i is column i of what takes the form's place.
static SnAccess summed_as_columns(const SnForm *f, SnAccess a, intptr_t dims) {
  MlirContext ctx = mlirOperationGetContext(f->op);
  MlirAffineExpr to[SN_MAX_DIMS];
  intptr_t points = (intptr_t)(f->num_rows + f->num_cols);
  for (intptr_t d = 0; d < points; ++d)
    to[d] = mlirAffineDimExprGet(ctx, d);
  for (size_t p = 0; p < f->products.size; ++p)
    for (intptr_t i = 0; i < f->products.data[p].num_dims; ++i)
      to[sn_first_own(f, p) + i] = mlirAffineDimExprGet(ctx, points + i);
  a.map = sn_map_replace(a.map, dims, to);
  return a;
}

void sn_sum_by_rows(MlirOperation contract, MlirAttribute cut) {
  SnForm f = sn_form_read(contract);
  SnBuilder b = sn_before(contract);
  SnForm to = {.num_rows = f.num_rows + f.num_cols, .num_cols = sn_side_summed(&f, 0).num_dims};
  intptr_t dims = (intptr_t)(to.num_rows + to.num_cols);
  for (intptr_t d = 0; d < dims; ++d)
    sn_push(&to.dims, f.dims.data[d]);
  for (size_t k = 0; k < f.inputs.size; ++k)
    sn_push(&to.inputs, summed_as_columns(&f, f.inputs.data[k], dims));
  for (size_t k = 0; k < f.indices.size; ++k)
    sn_push(&to.indices, summed_as_columns(&f, f.indices.data[k], dims));
  for (size_t k = 0; k < f.outputs.size; ++k)
    sn_push(&to.outputs, summed_as_columns(&f, f.outputs.data[k], dims));
  MlirOperation made = sn_form_create(&b, &to, false);
  SnBuilder in = sn_at_end(to.body, b.loc);
  MlirValue *sums = sn_alloc(f.products.size * sizeof *sums);
  for (size_t p = 0; p < f.products.size; ++p) {
    MlirType type = f.products.data[p].type;
    MlirValue both[] = {sn_side_row(&in, &f, &to, 2 * p, type), sn_side_row(&in, &f, &to, 2 * p + 1, type)},
              x = sn_row_op(&in, sn_is_float(type) ? "arith.mulf" : "arith.muli", (MlirType){0}, 2, both);
    sums[p] = sn_row_reduce(&in, "add", x, type);
  }
  sn_copy_body_by_elements(&in, &f, &to, sums);
  free(sums);
  sn_replace_results(contract, made);
  if (cut.ptr)
    sn_set_attr(made, "sinter.cut", cut);
  mlirOperationDestroy(contract);
  sn_form_free(&to);
  sn_form_free(&f);
}

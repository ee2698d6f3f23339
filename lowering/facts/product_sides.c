// product_sides.c: one product of a form on a CPU: which line of the table makes it, and where its sides are.
//
//   (i) by (j) product (k) (%x[i, k], %w[k, j])   ->   x is read where it lies, rows 4096 apart; w is packed
//
// test: test/lowering/cpu/contract.mlir, test/passes/schedule/cpu_products.mlir

#include "lowering/facts/product_sides.h"
#include "lowering/rows/rowmemory.h"
#include <assert.h>

// The side uses some of these dimensions.
static bool uses(const SnForm *f, size_t side, int64_t first, int64_t n) {
  bool found = false;
  for (int64_t d = first; d < first + n; ++d)
    found |= sn_side_uses(f, side, d);
  return found;
}

static const SnAccess *only_access(const SnForm *f, size_t side) {
  SnSide s = sn_side(f, side);
  return s.program.ptr ? NULL : &f->inputs.data[s.first];
}

// The same of a side whose program is nothing but a conversion of whole numbers, all of which the side's type has: 8
// bits are none other in bf16.
static const SnAccess *converted_access(const SnForm *f, size_t side) {
  SnSide s = sn_side(f, side);
  MlirOperation cast = s.program.ptr && s.count == 1
                           ? sn_def(sn_operand(mlirBlockGetTerminator(s.program), 0), "arith.sitofp")
                           : (MlirOperation){0};
  if (sn_null(cast) || !sn_same(sn_operand(cast, 0), mlirBlockGetArgument(s.program, 0)))
    return NULL;
  MlirType to = sn_element(sn_type_of(sn_result(cast, 0)));
  unsigned digits = mlirTypeIsABF16(to) ? 8 : mlirTypeIsAF16(to) ? 11 : mlirTypeIsAF32(to) ? 24 : 53;
  return sn_bits(sn_element(sn_type_of(sn_operand(cast, 0)))) <= digits ? &f->inputs.data[s.first] : NULL;
}

// Distance of consecutive points of the dimensions, flattened, in elements; 0 if there is not one.
int64_t sn_cpu_stride(const SnForm *f, const int64_t *factors, int64_t first, int64_t n) {
  int64_t found = 0, expected = 0;
  bool any = false;
  for (int64_t d = first + n; d-- > first;) {
    if (f->dims.data[d].size == 1)
      continue;
    if (!any)
      found = factors[d];
    else if (factors[d] != expected || !expected)
      return 0;
    expected = f->dims.data[d].size == SN_DYNAMIC ? 0 : sn_times(factors[d], f->dims.data[d].size);
    any = true;
  }
  return any ? found : 1;
}

// %x[.., r, c] with plain dimensions c and r, the last of n (0: none), that are nowhere else: rows are the last size
// apart. The others of the n stand in front of r, and all but the first are whole.
static bool is_matrix(const SnForm *f, const SnAccess *side, int64_t r, int64_t n, int64_t c) {
  intptr_t results = mlirAffineMapGetNumResults(side->map);
  MlirType t = sn_type_of(side->value);
  if (side->fill.ptr || side->through.ptr || results < n + 1 || sn_map_dim(side->map, results - 1) != c ||
      !sn_unit_stride(side->map, c))
    return false;
  for (int64_t k = 0; k < n; ++k) {
    intptr_t at = results - 2 - k;
    if (sn_map_dim(side->map, at) != r - k ||
        (k + 1 < n && (sn_dim(t, at) == SN_DYNAMIC || sn_dim(t, at) != f->dims.data[r - k].size)))
      return false;
    for (intptr_t i = 0; i < results; ++i)
      if (i != at && mlirAffineExprIsFunctionOfDim(mlirAffineMapGetResult(side->map, i), r - k))
        return false;
  }
  return true;
}

// The same where sizes are known at run time.
static void read_matrices_in_place(const SnForm *f, SnCpuProduct *p, int64_t together, bool a, bool b) {
  if (a && p->num_dims == 1 && is_matrix(f, p->a, f->num_rows - 1, together, p->first_dim))
    p->lda = SN_AT_RUN_TIME;
  bool lines = p->line->pack_b == SN_PACK_COLUMNS;
  int64_t rows = lines ? p->columns.first : p->first_dim, columns = lines ? p->first_dim : p->columns.first;
  if (b && p->num_dims == 1 && p->columns.num_dims == 1 && is_matrix(f, p->b, rows, 1, columns))
    p->ldb = SN_AT_RUN_TIME;
}

static bool is_whole(int64_t size, int64_t unit) { return unit == 1 || (size != SN_DYNAMIC && size % unit == 0); }

// Its elements in memory are as the line wants them packed, and nothing behind them is read.
static bool is_as_packed(const SnCpuProduct *p, const SnAccess *side, MlirType packed, SnMicroPack layout,
                         int64_t rows) {
  bool whole = is_whole(p->sum, sn_micro_k_unit(p->line)) && is_whole(rows, sn_micro_row_unit(p->line));
  return side && layout == SN_PACK_ROWS && whole && !p->line->parts && !side->fill.ptr && sn_fills_bytes(packed) &&
         mlirTypeEqual(sn_element(sn_type_of(side->value)), packed);
}

static bool is_wide_or_readable(const SnAccess *side, MlirType packed, bool *widens) {
  if (!side)
    return false;
  MlirType element = sn_element(sn_type_of(side->value));
  *widens = !mlirTypeEqual(element, packed);
  return !side->fill.ptr && !side->through.ptr && sn_fills_bytes(element);
}

// The same of b. Kernels that load vectors of it, one element of k on each lane, can widen them.
static bool is_readable(const SnForm *f, SnCpuProduct *p) {
  const SnMicroKernel *line = p->line;
  bool columns = line->pack_b == SN_PACK_COLUMNS && line->sums != SN_SUMS_IN_TILES,
       vectors = columns || (line->sums == SN_SUMS_IN_VECTORS && line->pack_b == SN_PACK_ROWS);
  if (p->b && line->pack_b == SN_PACK_COLUMNS && !columns) { // whole tiles of columns, as they lie
    int64_t n = sn_group_length(f, p->group);
    return !p->b->through.ptr && n != SN_DYNAMIC && n >= line->n &&
           is_as_packed(p, p->b, p->b_type, SN_PACK_ROWS, line->m);
  }
  if (!p->b || !vectors)
    return is_as_packed(p, p->b, p->b_type, line->pack_b, 1);
  return is_wide_or_readable(p->b, p->b_type, &p->widens);
}

static bool is_fixed(const SnForm *f, const SnCpuProduct *p) {
  return p->sum != SN_DYNAMIC && sn_group_length(f, p->group) != SN_DYNAMIC &&
         (!p->a || mlirShapedTypeHasStaticShape(sn_type_of(p->a->value))) &&
         (!p->b || mlirShapedTypeHasStaticShape(sn_type_of(p->b->value)));
}

static void read_in_place(const SnForm *f, SnCpuProduct *p, int64_t together) {
  int64_t all_rows = 1;
  for (int64_t d = f->num_rows - together; d < f->num_rows; ++d) {
    int64_t size = f->dims.data[d].size;
    all_rows = all_rows == SN_DYNAMIC || size == SN_DYNAMIC ? SN_DYNAMIC : sn_times(all_rows, size);
  }
  bool tiles = p->line->sums == SN_SUMS_IN_TILES;
  bool a = p->line->pack_b == SN_PACK_COLUMNS && tiles ? false // tiles of it are turned
           : p->line->pack_b == SN_PACK_COLUMNS ? is_wide_or_readable(p->a, p->a_type, &p->widens_a)
                                              : is_as_packed(p, p->a, p->a_type, p->line->pack_a, all_rows);
  bool b = is_readable(f, p);
  p->lda = p->ldb = 0;
  if (!is_fixed(f, p)) {
    read_matrices_in_place(f, p, together, a, b);
    return;
  }
  int64_t fa[SN_MAX_DIMS], fb[SN_MAX_DIMS], n = sn_group_length(f, p->group);
  if (a && sn_linear_factors(p->a->map, sn_type_of(p->a->value), fa) &&
      sn_cpu_stride(f, fa, p->first_dim, p->num_dims) == 1) {
    int64_t lda = all_rows == 1 || !together ? p->sum : sn_cpu_stride(f, fa, f->num_rows - together, together);
    p->lda = lda >= p->sum ? lda : 0;
  }
  SnGroup summed = {p->first_dim, p->num_dims};
  bool lines = p->line->pack_b == SN_PACK_COLUMNS;
  SnGroup rows = lines ? p->columns : summed, columns = lines ? summed : p->columns;
  int64_t width = lines ? p->sum : n, count = lines ? n : p->sum;
  if (b && sn_linear_factors(p->b->map, sn_type_of(p->b->value), fb) &&
      sn_cpu_stride(f, fb, columns.first, columns.num_dims) == 1) {
    int64_t ldb = sn_cpu_stride(f, fb, rows.first, rows.num_dims);
    p->ldb = ldb >= width ? ldb : count == 1 ? width : 0;
  }
}

// Kernels that read a row of a by itself, a number for all lanes or a vector, need not know how far apart rows are.
static int64_t run_of(const SnForm *f, const SnCpuProduct *p) {
  int64_t factors[SN_MAX_DIMS], run = 1;
  const SnMicroKernel *line = p->line;
  bool lines = line->sums == SN_SUMS_ALONG_K, vectors = lines || line->sums == SN_SUMS_IN_VECTORS, widens;
  if (!vectors || line->parts || !is_fixed(f, p) || p->sum < 1 || !is_wide_or_readable(p->a, p->a_type, &widens) ||
      (widens && !lines) || sn_is_table(p->a) || !sn_linear_factors(p->a->map, sn_type_of(p->a->value), factors))
    return 0;
  for (int64_t d = p->first_dim + p->num_dims; d-- > p->first_dim;) {
    int64_t size = f->dims.data[d].size;
    if (size != 1 && factors[d] != run)
      break;
    run *= size;
  }
  return run;
}

int64_t sn_cpu_groups_of(const SnCpuProduct *p, int64_t summed) {
  int64_t group = p->line->group;
  return p->lda == SN_BY_TABLES ? sn_pieces(summed, p->run) * sn_pieces(p->run, group) : sn_pieces(summed, group);
}

bool sn_cpu_has_side_of_rows(const SnForm *f, size_t k) {
  return !uses(f, 2 * k, f->num_rows, f->num_cols) || !uses(f, 2 * k + 1, f->num_rows, f->num_cols);
}

MlirLogicalResult sn_cpu_wants_split(const SnForm *f, size_t k) {
  return sn_error(f->op, "product %zu uses columns in both sides; sinter-split=target=cpu gives it rows", k);
}

// A is without columns, B without the rows that count as one.
static bool find_sides(const SnForm *f, size_t k, int64_t together, size_t *a) {
  for (*a = 2 * k; *a < 2 * k + 2; ++*a)
    if (!uses(f, *a, f->num_rows, f->num_cols) && (!together || !uses(f, *a ^ 1, f->num_rows - 1, 1)))
      return true;
  return false;
}

MlirLogicalResult sn_cpu_read_product(const SnForm *f, size_t k, int64_t together, const char *kernel,
                                      SnCpuProduct *p) {
  *p = (SnCpuProduct){.type = f->products.data[k].type, .num_dims = f->products.data[k].num_dims, .sum = 1};
  p->first_dim = sn_first_own(f, k);
  p->group = (size_t)sn_group_of_product(f, k);
  p->columns = sn_group(f, p->group);
  for (int64_t d = p->first_dim; d < p->first_dim + p->num_dims; ++d)
    p->sum = p->sum == SN_DYNAMIC || f->dims.data[d].size == SN_DYNAMIC ? SN_DYNAMIC : p->sum * f->dims.data[d].size;
  if (!find_sides(f, k, together, &p->a_side))
    return sn_cpu_wants_split(f, k);
  p->b_side = p->a_side ^ 1;
  p->a = only_access(f, p->a_side);
  p->b = only_access(f, p->b_side);
  MlirType a = sn_side_element(f, p->a_side), b = sn_side_element(f, p->b_side);
  p->line = sn_micro_kernel(kernel, a, b, p->type);
  assert(p->line && "the verifier and the scheduler look for one");
  p->a_type = p->line->parts ? p->type : sn_micro_packed(p->line->a, p->type);
  p->b_type = p->line->parts ? p->type : sn_micro_packed(p->line->b, p->type);
  // In registers, to numbers that are multiplied one by one.
  bool converts = !p->b && p->line->sums == SN_SUMS_ALONG_K && p->line->group == 1;
  if (converts)
    p->b = converted_access(f, p->b_side);
  read_in_place(f, p, together);
  if (converts && !p->ldb)
    p->b = NULL;
  p->run = run_of(f, p);
  return SN_OK;
}

// The matrices use the row dimension.
static bool matrices_use(const SnForm *f, int64_t d) {
  bool used = false;
  for (size_t s = 2 * f->products.size; s < sn_num_sides(f); ++s)
    used |= uses(f, s, d, 1);
  return used;
}

// How many of the last row dimensions count as one: B uses none of them, and A stays where it is if it could. Where
// both sides use the last one, each row is a block.
int64_t sn_cpu_rows_together(const SnForm *f, const char *kernel) {
  int64_t n = f->num_rows && !matrices_use(f, f->num_rows - 1) ? 1 : 0;
  size_t a;
  for (size_t k = 0; k < f->products.size && n; ++k)
    n = find_sides(f, k, 1, &a) || !find_sides(f, k, 0, &a);
  for (bool more = n; more && n < f->num_rows;) {
    more = !matrices_use(f, f->num_rows - n - 1);
    for (size_t k = 0; k < f->products.size && more; ++k) {
      SnCpuProduct p, q;
      more = !sn_failed(sn_cpu_read_product(f, k, n, kernel, &p)) &&
             !sn_failed(sn_cpu_read_product(f, k, n + 1, kernel, &q)) &&
             !uses(f, p.b_side, f->num_rows - n - 1, 1) && (!p.lda || q.lda);
    }
    n += more;
  }
  return n;
}

bool sn_cpu_packs_rows(const SnForm *f, const char *kernel) {
  bool any = false;
  int64_t together = sn_cpu_rows_together(f, kernel);
  for (size_t p = 0; p < f->products.size; ++p) {
    SnCpuProduct product;
    any |= sn_failed(sn_cpu_read_product(f, p, together, kernel, &product)) || !product.lda || product.widens_a;
  }
  return any;
}

bool sn_cpu_packs_weights(const SnForm *f, const char *kernel) {
  bool any = false;
  int64_t together = sn_cpu_rows_together(f, kernel);
  for (size_t p = 0; p < f->products.size; ++p) {
    SnCpuProduct product;
    any |= !sn_failed(sn_cpu_read_product(f, p, together, kernel, &product)) &&
           product.line->pack_b != SN_PACK_COLUMNS && (!product.ldb || product.widens);
  }
  return any;
}

int64_t sn_cpu_line_of_columns(const SnForm *f, const char *kernel) {
  SnCpuProduct p;
  int64_t factors[SN_MAX_DIMS];
  if (sn_failed(sn_cpu_read_product(f, 0, sn_cpu_rows_together(f, kernel), kernel, &p)) || !p.b ||
      p.b->through.ptr || sn_is_table(p.b) || !mlirShapedTypeHasStaticShape(sn_type_of(p.b->value)) ||
      !sn_linear_factors(p.b->map, sn_type_of(p.b->value), factors) ||
      sn_cpu_stride(f, factors, p.columns.first, p.columns.num_dims))
    return 0;
  int64_t d = p.columns.first + p.columns.num_dims - 1;
  while (d > p.columns.first && f->dims.data[d].size == 1)
    --d;
  return d > p.columns.first && f->dims.data[d].size != SN_DYNAMIC ? f->dims.data[d].size : 0;
}

const char *sn_cpu_cannot_share(const SnForm *f, const SnCpuProduct *p) {
  return !sn_has_one_group(f)                                     ? "rows go through several products"
         : p->line->parts                                         ? "the kernel multiplies parts of numbers"
         : p->sum == SN_DYNAMIC || sn_row_length(f) == SN_DYNAMIC ? "sums or rows have a length that is not known"
                                                                  : NULL;
}

static bool reads(const SnForm *f, const char *kernel, bool both) {
  int64_t together = sn_cpu_rows_together(f, kernel);
  bool all = true;
  for (size_t k = 0; k < f->products.size && all; ++k) {
    SnCpuProduct p;
    all = !sn_failed(sn_cpu_read_product(f, k, together, kernel, &p)) && p.ldb && (p.lda || !both);
  }
  return all;
}

bool sn_cpu_reads_weights(const SnForm *f, const char *kernel) { return reads(f, kernel, false); }

bool sn_cpu_reads_both(const SnForm *f, const char *kernel) { return reads(f, kernel, true); }

int64_t sn_cpu_reads_windows(const SnForm *f, const char *kernel) {
  int64_t together = sn_cpu_rows_together(f, kernel), first = 0;
  for (size_t k = 0; k < f->products.size; ++k) {
    SnCpuProduct p;
    if (sn_failed(sn_cpu_read_product(f, k, together, kernel, &p)) || !p.run || p.lda)
      return 0;
    first = k ? first : p.run;
  }
  return first;
}

bool sn_cpu_weights_in_rows(const SnForm *f, const char *kernel) {
  int64_t together = sn_cpu_rows_together(f, kernel);
  bool all = f->num_cols > 0;
  for (size_t k = 0; k < f->products.size && all; ++k) {
    SnCpuProduct p;
    all = !sn_failed(sn_cpu_read_product(f, k, together, kernel, &p)) && p.b && !p.b->through.ptr &&
          sn_unit_stride(p.b->map, f->num_rows + f->num_cols - 1);
  }
  return all;
}

int64_t sn_cpu_lines_of(const SnForm *f, const SnCpuProduct *p) {
  int64_t factors[SN_MAX_DIMS];
  if (!p->b || p->b->fill.ptr || p->b->through.ptr || sn_is_table(p->b) || !is_fixed(f, p) || p->sum < 2 ||
      sn_element_kind(sn_element(sn_type_of(p->b->value))) != p->line->b ||
      !sn_linear_factors(p->b->map, sn_type_of(p->b->value), factors) ||
      sn_cpu_stride(f, factors, p->first_dim, p->num_dims) != 1)
    return 0;
  return sn_cpu_stride(f, factors, p->columns.first, p->columns.num_dims);
}

int64_t sn_cpu_lines_apart(const SnForm *f, const char *kernel) {
  SnCpuProduct p;
  return sn_failed(sn_cpu_read_product(f, 0, sn_cpu_rows_together(f, kernel), kernel, &p)) ? 0 : sn_cpu_lines_of(f, &p);
}

bool sn_cpu_by_columns(const SnForm *f) {
  if (!sn_has_one_group(f))
    return false;
  SnRowProgram p = sn_row_program(f, sn_values(0, NULL));
  bool result = !sn_row_needs_whole_row(&p) &&
                p.phases.data[0].yields.size == (size_t)sn_num_operands(mlirBlockGetTerminator(f->body));
  sn_row_program_free(&p);
  return result;
}

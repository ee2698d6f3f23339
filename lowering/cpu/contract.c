// contract.c: blocks of products, on a CPU. What goes through them is in chain.c.
//
//   A block [m][sum], packed unless it lies so in memory
//   for k0 by k:
//     B panel [k][n], packed unless it lies so in memory
//     c[m][n] (+)= A . B           by the schedule's line of the table of micro-kernels
//
// new schedule key: of a CPU's products: where it is read.

#include "dialect/row_groups.h"
#include "dialect/schedules.h"
#include "lowering/cpu/contract.h"
#include "lowering/rows/rowmemory.h"
#include <assert.h>

// ---- what can be lowered -----------------------------------------------------------

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
static void read_matrices_in_place(const SnForm *f, Product *p, int64_t together, bool a, bool b) {
  if (a && p->num_dims == 1 && is_matrix(f, p->a, f->num_rows - 1, together, p->first_dim))
    p->lda = AT_RUN_TIME;
  if (b && p->num_dims == 1 && p->columns.num_dims == 1 && is_matrix(f, p->b, p->first_dim, 1, p->columns.first))
    p->ldb = AT_RUN_TIME;
}

static bool is_whole(int64_t size, int64_t unit) { return unit == 1 || (size != SN_DYNAMIC && size % unit == 0); }

// Its elements in memory are as the line wants them packed, and nothing behind them is read.
static bool is_as_packed(const Product *p, const SnAccess *side, MlirType packed, SnMicroPack layout, int64_t rows) {
  bool whole = is_whole(p->sum, sn_micro_k_unit(p->line)) && is_whole(rows, sn_micro_row_unit(p->line));
  return side && layout == SN_PACK_ROWS && whole && !side->fill.ptr && sn_fills_bytes(packed) &&
         mlirTypeEqual(sn_element(sn_type_of(side->value)), packed);
}

static bool is_fixed(const SnForm *f, const Product *p) {
  return p->sum != SN_DYNAMIC && sn_group_length(f, p->group) != SN_DYNAMIC &&
         (!p->a || mlirShapedTypeHasStaticShape(sn_type_of(p->a->value))) &&
         (!p->b || mlirShapedTypeHasStaticShape(sn_type_of(p->b->value)));
}

static void read_in_place(const SnForm *f, Product *p, int64_t together) {
  int64_t all_rows = 1;
  for (int64_t d = f->num_rows - together; d < f->num_rows; ++d) {
    int64_t size = f->dims.data[d].size;
    all_rows = all_rows == SN_DYNAMIC || size == SN_DYNAMIC ? SN_DYNAMIC : sn_times(all_rows, size);
  }
  bool a = is_as_packed(p, p->a, p->a_type, p->line->pack_a, all_rows),
       b = is_as_packed(p, p->b, p->b_type, p->line->pack_b, all_rows);
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
  if (b && sn_linear_factors(p->b->map, sn_type_of(p->b->value), fb) &&
      sn_cpu_stride(f, fb, p->columns.first, p->columns.num_dims) == 1) {
    int64_t ldb = sn_cpu_stride(f, fb, p->first_dim, p->num_dims);
    p->ldb = ldb >= n ? ldb : p->sum == 1 ? n : 0;
  }
}

// A is without columns, B without the rows that count as one.
static bool find_sides(const SnForm *f, size_t k, int64_t together, size_t *a) {
  for (*a = 2 * k; *a < 2 * k + 2; ++*a)
    if (!uses(f, *a, f->num_rows, f->num_cols) && (!together || !uses(f, *a ^ 1, f->num_rows - 1, 1)))
      return true;
  return false;
}

MlirLogicalResult sn_cpu_read_product(const SnForm *f, size_t k, int64_t together, const char *kernel, Product *p) {
  *p = (Product){.type = f->products.data[k].type, .num_dims = f->products.data[k].num_dims, .sum = 1};
  p->first_dim = sn_first_own(f, k);
  p->group = (size_t)sn_group_of_product(f, k);
  p->columns = sn_group(f, p->group);
  for (int64_t d = p->first_dim; d < p->first_dim + p->num_dims; ++d)
    p->sum = p->sum == SN_DYNAMIC || f->dims.data[d].size == SN_DYNAMIC ? SN_DYNAMIC : p->sum * f->dims.data[d].size;
  if (!find_sides(f, k, together, &p->a_side))
    return sn_error(f->op, "product %zu is not lowered yet: one side has to be without column dimensions", k);
  p->b_side = p->a_side ^ 1;
  p->a = only_access(f, p->a_side);
  p->b = only_access(f, p->b_side);
  MlirType a = sn_side_element(f, p->a_side), b = sn_side_element(f, p->b_side);
  p->line = sn_micro_kernel(kernel, a, b, p->type);
  assert(p->line && "the verifier and the scheduler look for one");
  p->a_type = sn_micro_packed(p->line->a, p->type);
  p->b_type = sn_micro_packed(p->line->b, p->type);
  read_in_place(f, p, together);
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
      Product p, q;
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
    Product product;
    any |= sn_failed(sn_cpu_read_product(f, p, together, kernel, &product)) || !product.lda;
  }
  return any;
}

MlirValue sn_cpu_smaller(SnBuilder *b, MlirValue size, int64_t block, MlirValue at, MlirValue whole) {
  int64_t known;
  return sn_known(whole, &known) && known % block == 0 ? size
                                                       : sn(b, "arith.minsi", size, sn(b, "arith.subi", whole, at));
}

MlirValue sn_cpu_sum_of(SnBuilder *b, const SnForm *f, const Product *p) {
  return sn_form_sizes(b, f, p->first_dim, p->num_dims);
}

static MlirValue plus(SnBuilder *b, MlirValue x, MlirValue y) { return sn(b, "arith.addi", x, y); }

// ---- products -------------------------------------------------------------------------------

// A side's block where it lies in memory: rows are `known` apart, or as far as its last size says.
static SnPanel in_place(Contract *c, const Product *p, const SnAccess *side, int64_t known, MlirValue i, MlirValue j,
                        MlirValue s) {
  SnBuilder *b = &c->t.b;
  MlirValue dims[SN_MAX_DIMS], at[SN_MAX_DIMS + 1], memref = side->value;
  sn_cpu_point(c, p, i, j, s, dims);
  for (intptr_t r = 0; r < sn_rank(sn_type_of(memref)); ++r)
    at[r] = sn_affine(b, mlirAffineMapGetResult(side->map, r), dims);
  return sn_cpu_panel_at(
      b, memref, at, known > 0 ? sn_index(b, known) : sn_dim_of(b, memref, sn_rank(sn_type_of(memref)) - 1));
}

// c[0 .. mm][column .. column + nn] (+)= A[.. mm][k0 .. k0 + kk] . B[k0 .. k0 + kk][n0 .. n0 + nn]
static void multiply(Contract *c, Product *p, MlirValue k0, MlirValue kk, MlirValue n0, MlirValue nn,
                     MlirValue column) {
  SnBuilder *b = &c->t.b;
  MlirValue zero = sn_index(b, 0), first_row = sn_cpu_scratch_row(c, c->m, zero);
  SnMicroBlock block = {.line = p->line,
                        .sum = p->type,
                        .m = c->mm,
                        .n = nn,
                        .k = kk,
                        .b_has_room = !p->ldb,
                        .c_has_room = true,
                        .again = sn(b, "arith.cmpi", k0, zero, sn_attr("predicate", sn_i64(b->ctx, 1)))}; // ne
  MlirValue in_pack = sn_none(p->a_from) ? k0 : sn(b, "arith.subi", k0, p->a_from);
  block.a = p->lda ? in_place(c, p, p->a, p->lda, c->i0, zero, k0) : sn_cpu_panel(b, p->a_pack, first_row, in_pack);
  block.b = p->ldb ? in_place(c, p, p->b, p->ldb, zero, n0, k0)
                   : sn_cpu_panel(b, p->b_pack, sn_cpu_scratch_row(c, sn_cpu_b_rows(c, p), zero), zero);
  block.c = sn_cpu_panel(b, p->c, first_row, column);
  sn_cpu_micro_kernel(c->kernel, b, &block);
}

void sn_cpu_product_zero(Contract *c, Product *p, MlirValue nn, MlirValue column) {
  SnBuilder *b = &c->t.b;
  MlirValue zero = sn_index(b, 0), one = sn_index(b, 1);
  SnLoop r = sn_for(b, zero, c->mm, one);
  SnLoop j = sn_for(b, zero, nn, one);
  MlirValue at[] = {sn_cpu_scratch_row(c, c->m, r.index), plus(b, column, j.index)};
  sn_scratch_store(b, sn_zero(b, p->type), p->c, sn_values(2, at), sn_no_attr());
  sn_next(b, &j);
  sn_next(b, &r);
}

void sn_cpu_product(Contract *c, Product *p, MlirValue n0, MlirValue nn, MlirValue column) {
  SnBuilder *b = &c->t.b;
  if (!p->sum) {
    sn_cpu_product_zero(c, p, nn, column);
    return;
  }
  MlirValue sum = sn_cpu_sum_of(b, &c->f, p), zero = sn_index(b, 0);
  if (p->sum == SN_DYNAMIC) {
    SnIf nothing = sn_if(b, sn(b, "arith.cmpi", sum, zero, sn_attr("predicate", sn_i64(b->ctx, 0))));
    sn_cpu_product_zero(c, p, nn, column);
    sn_end_if(b, &nothing);
  }
  sn_cpu_product_part(c, p, zero, sum, n0, nn, column);
}

void sn_cpu_product_part(Contract *c, Product *p, MlirValue from, MlirValue to, MlirValue n0, MlirValue nn,
                         MlirValue column) {
  SnBuilder *b = &c->t.b;
  MlirValue k = sn_index(b, c->k);
  SnLoop k0 = sn_for(b, from, to, k);
  {
    MlirValue kk = sn_cpu_smaller(b, k, c->k, k0.index, to);
    if (!p->ldb)
      sn_cpu_pack_b(c, p, k0.index, kk, n0, nn);
    multiply(c, p, k0.index, kk, n0, nn, column);
  }
  sn_next(b, &k0);
}

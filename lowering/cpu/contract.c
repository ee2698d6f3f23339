// contract.c: a row program over products, on a CPU.
//
//   #sinter.brgemm<kernel = "libxsmm", m = 32, n = 64, k = 256, tasks = 64, lanes = 16, unroll = 4>
//
//   task t: for its blocks of m rows (all of one batch index; several row dimensions that B does not use count as
//   one), or of `columns` columns of such a block where there are few:
//     A block [m][sum], packed unless it lies so in memory
//     for n0 by n:
//       for each product, for k0 by k:
//         B panel [k][n], packed unless it lies so in memory
//         c[m][n] (+)= A . B           by the schedule's line of the table of micro-kernels
//       for each row of the block: the row program over these columns of c
//
// Where the row program reduces or picks, c holds whole rows and it runs after all
// of them. Blocks are dealt to tasks in order: results do not depend on threads.

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
  if (b && p->num_dims == 1 && f->num_cols == 1 && is_matrix(f, p->b, p->first_dim, 1, f->num_rows))
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
  return p->sum != SN_DYNAMIC && sn_row_length(f) != SN_DYNAMIC &&
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
  int64_t fa[SN_MAX_DIMS], fb[SN_MAX_DIMS], rows = f->num_rows, n = sn_row_length(f);
  if (a && sn_linear_factors(p->a->map, sn_type_of(p->a->value), fa) &&
      sn_cpu_stride(f, fa, p->first_dim, p->num_dims) == 1) {
    int64_t lda = rows ? sn_cpu_stride(f, fa, rows - together, together) : p->sum;
    p->lda = lda >= p->sum ? lda : 0;
  }
  if (b && sn_linear_factors(p->b->map, sn_type_of(p->b->value), fb) &&
      sn_cpu_stride(f, fb, rows, f->num_cols) == 1) {
    int64_t ldb = sn_cpu_stride(f, fb, p->first_dim, p->num_dims);
    p->ldb = ldb >= n ? ldb : p->sum == 1 ? n : 0;
  }
}

// `together` row dimensions count as one.
static MlirLogicalResult read_product(const SnForm *f, size_t k, int64_t together, const char *kernel, Product *p) {
  *p = (Product){.type = f->products.data[k].type, .num_dims = f->products.data[k].num_dims, .sum = 1};
  p->first_dim = f->num_rows + f->num_cols;
  for (size_t i = 0; i < k; ++i)
    p->first_dim += f->products.data[i].num_dims;
  for (int64_t d = p->first_dim; d < p->first_dim + p->num_dims; ++d)
    p->sum = p->sum == SN_DYNAMIC || f->dims.data[d].size == SN_DYNAMIC ? SN_DYNAMIC : p->sum * f->dims.data[d].size;
  for (int swap = 0; swap < 2; ++swap) {
    p->a_side = 2 * k + (size_t)swap;
    p->b_side = 2 * k + 1 - (size_t)swap;
    p->a = only_access(f, p->a_side);
    p->b = only_access(f, p->b_side);
    bool a_fits = !uses(f, p->a_side, f->num_rows, f->num_cols);
    bool b_fits = !f->num_rows || !uses(f, p->b_side, f->num_rows - 1, 1);
    if (a_fits && b_fits) {
      MlirType a = sn_side_element(f, p->a_side), b = sn_side_element(f, p->b_side);
      p->line = sn_micro_kernel(kernel, a, b, p->type);
      assert(p->line && "the verifier and the scheduler look for one");
      p->a_type = sn_micro_packed(p->line->a, p->type);
      p->b_type = sn_micro_packed(p->line->b, p->type);
      read_in_place(f, p, together);
      return SN_OK;
    }
  }
  return sn_error(f->op,
                  "product %zu is not lowered yet: one side has to be without column dimensions, the other without the "
                  "last row dimension",
                  k);
}

// How many of the last row dimensions count as one: B uses none of them, and A stays where it is if it could.
int64_t sn_cpu_rows_together(const SnForm *f, const char *kernel) {
  int64_t n = f->num_rows ? 1 : 0;
  for (bool more = n; more && n < f->num_rows;) {
    for (size_t k = 0; k < f->products.size && more; ++k) {
      Product p, q;
      more = !sn_failed(read_product(f, k, n, kernel, &p)) && !sn_failed(read_product(f, k, n + 1, kernel, &q)) &&
             !uses(f, p.b_side, f->num_rows - n - 1, 1) && (!p.lda || q.lda);
    }
    n += more;
  }
  return n;
}

static MlirValue scratch(Contract *c, MlirType type, int64_t rows, MlirValue columns) {
  SnBuilder *b = &c->kernel->b;
  MlirValue sizes[] = {sn_size_mul(b, c->tasks, sn_index(b, rows)), columns};
  return sn_cpu_scratch(c->kernel, type, 2, sizes);
}

// size, or what is left of `whole` at `at`, which is a multiple of the block.
static MlirValue smaller(SnBuilder *b, MlirValue size, int64_t block, MlirValue at, MlirValue whole) {
  int64_t known;
  return sn_known(whole, &known) && known % block == 0 ? size
                                                       : sn(b, "arith.minsi", size, sn(b, "arith.subi", whole, at));
}

static MlirValue sum_of(SnBuilder *b, const SnForm *f, const Product *p) {
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
  block.a = p->lda ? in_place(c, p, p->a, p->lda, c->i0, zero, k0) : sn_cpu_panel(b, p->a_pack, first_row, k0);
  block.b = p->ldb ? in_place(c, p, p->b, p->ldb, zero, n0, k0)
                   : sn_cpu_panel(b, p->b_pack, sn_cpu_scratch_row(c, sn_cpu_b_rows(c, p), zero), zero);
  block.c = sn_cpu_panel(b, p->c, first_row, column);
  sn_cpu_micro_kernel(c->kernel, b, &block);
}

static void zero_block(Contract *c, Product *p, MlirValue nn, MlirValue column) {
  SnBuilder *b = &c->t.b;
  MlirValue zero = sn_index(b, 0), one = sn_index(b, 1);
  SnLoop r = sn_for(b, zero, c->mm, one);
  SnLoop j = sn_for(b, zero, nn, one);
  MlirValue at[] = {sn_cpu_scratch_row(c, c->m, r.index), plus(b, column, j.index)};
  sn_scratch_store(b, sn_zero(b, p->type), p->c, sn_values(2, at), sn_no_attr());
  sn_next(b, &j);
  sn_next(b, &r);
}

// Columns n0 .. n0 + nn of a product, to columns of c from `column` on.
static void emit_product(Contract *c, Product *p, MlirValue n0, MlirValue nn, MlirValue column) {
  SnBuilder *b = &c->t.b;
  if (!p->sum) {
    zero_block(c, p, nn, column);
    return;
  }
  MlirValue k = sn_index(b, c->k), sum = sum_of(b, &c->f, p), zero = sn_index(b, 0);
  if (p->sum == SN_DYNAMIC) {
    SnIf nothing = sn_if(b, sn(b, "arith.cmpi", sum, zero, sn_attr("predicate", sn_i64(b->ctx, 0))));
    zero_block(c, p, nn, column);
    sn_end_if(b, &nothing);
  }
  SnLoop k0 = sn_for(b, zero, sum, k);
  {
    MlirValue kk = smaller(b, k, c->k, k0.index, sum);
    if (!p->ldb)
      sn_cpu_pack_b(c, p, k0.index, kk, n0, nn);
    multiply(c, p, k0.index, kk, n0, nn, column);
  }
  sn_next(b, &k0);
}

// ---- the kernel -----------------------------------------------------------------------------------

// The row program over each row of the block; of the columns from `offset` on that c holds.
static void emit_rows(Contract *c, Product *products, SnCpuRow *row, MlirValue offset, MlirValue *scalars, intptr_t n) {
  SnBuilder *b = &c->t.b;
  int64_t batch_dims = c->f.num_rows - c->together;
  SnLoop r = sn_for_values(b, sn_index(b, 0), c->mm, sn_index(b, 1), sn_values(n, scalars));
  {
    memcpy(row->program->dims, c->dims, (size_t)batch_dims * sizeof *c->dims);
    sn_form_point(b, &c->f, batch_dims, c->together, plus(b, c->i0, r.index), row->program->dims + batch_dims);
    for (size_t p = 0; p < c->f.products.size; ++p)
      sn_row_set_scratch(row->program, (intptr_t)p, products[p].c, sn_cpu_scratch_row(c, c->m, r.index), offset);
    sn_cpu_row(b, row, r.carried);
  }
  sn_next_values(b, &r, sn_values(n, r.carried));
  for (intptr_t i = 0; i < n; ++i)
    scalars[i] = sn_result(r.op, i);
}

static void emit_block(Contract *c, Product *products, SnCpuRow *row, MlirValue block, MlirValue *scalars, intptr_t n) {
  SnBuilder *b = &c->t.b;
  int64_t batch_dims = c->f.num_rows - c->together;
  MlirValue blocks = c->row_blocks, from = sn_index(b, 0), to = sn_form_columns(b, &c->f), m = sn_index(b, c->m),
            width = sn_index(b, c->n);
  if (c->columns) {
    MlirValue columns = sn_index(b, c->columns);
    from = sn(b, "arith.muli", sn(b, "arith.remui", block, c->pieces), columns);
    to = sn_cpu_end(b, from, columns, to);
    block = sn(b, "arith.divui", block, c->pieces);
  }
  c->i0 = sn(b, "arith.muli", sn(b, "arith.remui", block, blocks), m);
  c->mm = smaller(b, m, c->m, c->i0, c->rows);
  sn_form_point(b, &c->f, 0, batch_dims, sn(b, "arith.divui", block, blocks), c->dims);
  for (size_t p = 0; p < c->f.products.size; ++p)
    if (!products[p].lda)
      sn_cpu_pack_a(c, &products[p]);
  SnLoop n0 = sn_for(b, from, to, width);
  {
    MlirValue nn = smaller(b, width, c->n, n0.index, to);
    for (size_t p = 0; p < c->f.products.size; ++p)
      emit_product(c, &products[p], n0.index, nn, c->whole_rows ? n0.index : sn_index(b, 0));
    if (!c->whole_rows) {
      row->from = n0.index;
      row->count = nn;
      emit_rows(c, products, row, n0.index, NULL, 0);
    }
  }
  sn_next(b, &n0);
  if (c->whole_rows)
    emit_rows(c, products, row, (MlirValue){0}, scalars, n);
}

// The row program sees one column at a time, so it can run on parts of a row.
bool sn_cpu_by_columns(const SnForm *f) {
  SnRowProgram p = sn_row_program(f, sn_values(0, NULL));
  bool result = !sn_row_needs_whole_row(&p) &&
                p.phases.data[0].yields.size == (size_t)sn_num_operands(mlirBlockGetTerminator(f->body));
  sn_row_program_free(&p);
  return result;
}

// A block is a multiple of what the kernel takes, or all there is.
static MlirLogicalResult check_unit(const SnForm *f, const SnMicroKernel *line, const char *key, int64_t unit,
                                    int64_t all) {
  int64_t size = sn_schedule_number(f->schedule, key);
  if (size % unit == 0 || (all != SN_DYNAMIC && all <= size))
    return SN_OK;
  return sn_error(f->op, "%s = %lld, but kernel = \"%s\" takes multiples of %lld", key, (long long)size, line->name,
                  (long long)unit);
}

static MlirLogicalResult check(const SnForm *f) {
  for (size_t p = 0; p < f->products.size; ++p) {
    Product product;
    if (sn_failed(read_product(f, p, f->num_rows ? 1 : 0, sn_schedule_word(f->schedule, "kernel"), &product)))
      return SN_FAIL;
    if (sn_failed(check_unit(f, product.line, "m", sn_micro_row_unit(product.line), SN_DYNAMIC)) ||
        sn_failed(check_unit(f, product.line, "k", sn_micro_k_unit(product.line), product.sum)))
      return SN_FAIL;
  }
  int64_t columns = sn_schedule_number(f->schedule, "columns"), n = sn_schedule_number(f->schedule, "n");
  if (columns % n)
    return sn_error(f->op, "columns = %lld, but a multiple of n = %lld is needed", (long long)columns, (long long)n);
  if (columns && (f->accumulators.size || !sn_cpu_by_columns(f)))
    return sn_error(f->op, "columns = %lld, but something is reduced over the row or over rows: leave columns out",
                    (long long)columns);
  return SN_OK;
}

// Blocks of rows, and their shares: of the kernel, and again inside of a task.
static void count_blocks(Contract *c, SnBuilder *b, const SnForm *f) {
  int64_t batch_dims = f->num_rows - c->together;
  MlirValue one = sn_index(b, 1);
  c->rows = sn_form_sizes(b, f, batch_dims, c->together);
  MlirValue row_blocks = sn_size_ceil(b, c->rows, sn_index(b, c->m));
  c->blocks = sn_size_mul(b, sn_form_sizes(b, f, 0, batch_dims), row_blocks);
  c->row_blocks = sn_size_max(b, row_blocks, one); // where there is none nothing runs; nothing is divided by it
  if (c->columns) {
    c->pieces = sn_size_max(b, sn_size_ceil(b, sn_form_columns(b, f), sn_index(b, c->columns)), one);
    c->blocks = sn_size_mul(b, c->blocks, c->pieces);
  }
  c->share = sn_size_max(b, sn_size_ceil(b, c->blocks, sn_index(b, sn_schedule_number(f->schedule, "tasks"))), one);
  c->tasks = sn_size_ceil(b, c->blocks, c->share);
}

static MlirValue with_room(SnBuilder *b, MlirValue columns, int64_t more) {
  int64_t known;
  return sn_known(columns, &known) ? sn_index(b, known + more) : plus(b, columns, sn_index(b, more));
}

MlirLogicalResult sn_cpu_lower_contract(SnKernel *k) {
  const SnForm *form = &k->form;
  if (sn_failed(check(form)))
    return SN_FAIL;
  MlirAttribute s = form->schedule;
  const char *kernel = sn_schedule_word(s, "kernel");
  Contract c = {.kernel = k,
                .m = sn_schedule_number(s, "m"),
                .n = sn_schedule_number(s, "n"),
                .k = sn_schedule_number(s, "k"),
                .lanes = sn_schedule_number(s, "lanes"),
                .columns = sn_schedule_number(s, "columns"),
                .together = sn_cpu_rows_together(form, kernel),
                .whole_rows = !sn_cpu_by_columns(form)};
  count_blocks(&c, &k->b, form);
  MlirValue unit = sn_index(&k->b, c.n),
            width =
                c.whole_rows ? sn_size_mul(&k->b, sn_size_ceil(&k->b, sn_form_columns(&k->b, form), unit), unit) : unit;

  SnPartials partials = sn_cpu_partials(k, c.tasks, c.lanes);
  Product *products = sn_alloc(form->products.size * sizeof *products);
  MlirValue none = {0};
  for (size_t p = 0; p < form->products.size; ++p) {
    (void)read_product(form, p, c.together, kernel, &products[p]);
    Product *q = &products[p];
    int64_t columns = sn_micro_column_unit(q->line, q->type), room = sn_pieces(c.n, columns) * columns;
    int64_t group = q->line->group, unit = sn_micro_k_unit(q->line);
    q->c = scratch(&c, q->type, c.m, with_room(&k->b, width, room - c.n));
    q->a_pack = q->lda ? none : scratch(&c, q->a_type, c.m, sn_cpu_whole(&k->b, sum_of(&k->b, form, q), unit));
    q->b_pack = q->ldb ? none : scratch(&c, q->b_type, sn_cpu_b_rows(&c, q), sn_index(&k->b, room * group));
    q->b_rows = group == 1 ? none : scratch(&c, q->b_type, group, sn_index(&k->b, room));
  }

  c.t = sn_cpu_task_begin(k);
  SnBuilder *b = &c.t.b;
  MlirValue tasks = c.tasks;
  c.f = sn_cpu_form_in_task(form, &c.t);
  count_blocks(&c, b, &c.f);
  for (size_t p = 0; p < form->products.size; ++p) {
    Product old = products[p];
    (void)read_product(&c.f, p, c.together, kernel, &products[p]);
    products[p].c = sn_lookup(&c.t.map, old.c);
    products[p].a_pack = products[p].lda ? old.a_pack : sn_lookup(&c.t.map, old.a_pack);
    products[p].b_pack = products[p].ldb ? old.b_pack : sn_lookup(&c.t.map, old.b_pack);
    products[p].b_rows = sn_none(old.b_rows) ? old.b_rows : sn_lookup(&c.t.map, old.b_rows);
  }
  SnRowProgram program = sn_row_program(&c.f, sn_values(0, NULL));
  SnCpuRow row = sn_cpu_scheduled_loops(&c.f, &program);
  MlirValue scalars[SN_MAX_ACCUMULATORS];
  intptr_t n = sn_cpu_partials_begin(&c.f, &c.t, &partials, scalars);
  sn_cpu_body_targets(&c.f, &c.t, &partials, &row);
  MlirValue lo = sn(b, "arith.muli", c.t.index, c.share), hi = sn_cpu_end(b, lo, c.share, c.blocks);
  SnLoop block = sn_for_values(b, lo, hi, sn_index(b, 1), sn_values(n, scalars));
  emit_block(&c, products, &row, block.index, block.carried, n);
  sn_next_values(b, &block, sn_values(n, block.carried));
  for (intptr_t i = 0; i < n; ++i)
    scalars[i] = sn_result(block.op, i);
  sn_cpu_partials_end(&c.f, &c.t, &partials, scalars);
  sn_cpu_task_end(k, &c.t, tasks);
  sn_cpu_finish(k, &partials);

  free(products);
  sn_vec_free(&row.targets);
  sn_vec_free(&partials.buffers);
  sn_vec_free(&partials.inside);
  sn_row_program_free(&program);
  sn_form_free(&c.f);
  return SN_OK;
}

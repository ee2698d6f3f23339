// products_gpu.c: a form with products becomes a kernel.
//
//   for each tile of m rows by n columns of a block                      shell/tiles.c
//     for each product: sums[m][n] = a . b                               product_sums.c, product_warps.c
//     for each element (i, j) of the tile, by neighbouring threads:
//       the row program at (i, j), a product's element from sums         lowering/rows
//
// What are rows and columns of a tile, the form's dimensions say (lowering/facts/gpu_products.h): they need not be its
// rows and columns. Sums go through shared memory on their way to the row program, so that neighbouring threads have
// neighbouring columns of what it reads and stores, whoever summed them.
//
// test: test/lowering/gpu/products.mlir, test/gpu/emulate.test

#include "lowering/gpu/products/products_gpu.h"
#include "lowering/facts/gpu_forms.h"
#include "lowering/rows/rowmemory.h"

void sn_gpu_point(SnBuilder *b, const SnForm *f, const SnGpuDims *dims, MlirValue linear, MlirValue *to) {
  for (size_t i = dims->n; i-- > 0;) {
    MlirValue size = i ? sn_form_size(b, f, dims->dims[i]) : (MlirValue){0};
    to[dims->dims[i]] = i ? sn(b, "arith.remui", linear, size) : linear;
    linear = i ? sn(b, "arith.divui", linear, size) : linear;
  }
}

static MlirValue size_of(SnBuilder *b, const SnForm *f, const SnGpuDims *dims) {
  MlirValue all = sn_index(b, 1);
  for (size_t i = 0; i < dims->n; ++i)
    all = sn_size_mul(b, all, sn_form_size(b, f, dims->dims[i]));
  return all;
}

// ---- sums ----------------------------------------------------------------------------------------

void sn_gpu_sums_place(SnBuilder *b, const SnLayout *l, MlirValue thread, MlirValue *row, MlirValue *column) {
  *row = *column = sn_index(b, 0);
  for (int i = 0; i < SN_LAYOUT_DIGITS && l->threads[i].count; ++i) {
    SnDigit d = l->threads[i];
    MlirValue digit = sn(b, "arith.remui", thread, sn_index(b, d.count));
    thread = sn(b, "arith.divui", thread, sn_index(b, d.count));
    *row = sn(b, "arith.addi", *row, sn(b, "arith.muli", digit, sn_index(b, d.row)));
    *column = sn(b, "arith.addi", *column, sn(b, "arith.muli", digit, sn_index(b, d.column)));
  }
}

void sn_gpu_store_sums(SnBuilder *b, const SnLayout *l, MlirValue thread, const MlirValue *sums, MlirValue memory) {
  MlirValue row, column;
  sn_gpu_sums_place(b, l, thread, &row, &column);
  int64_t lanes = sn_layout_lanes(l), bytes = lanes * sn_scratch_bytes(sn_type_of(sums[0]));
  for (int64_t v = 0; v < sn_layout_values(l); v += lanes) {
    SnPlace place = sn_layout_place(l, 0, v);
    MlirValue at[] = {sn(b, "arith.addi", row, sn_index(b, place.row)),
                      sn(b, "arith.addi", column, sn_index(b, place.column))},
              x = sums[v];
    if (lanes > 1)
      x = sn(b, "vector.from_elements", sn_values(lanes, &sums[v]), sn_vector(sn_type_of(x), lanes));
    sn_scratch_store(b, x, memory, sn_values(2, at), sn_attr("alignment", sn_i64(b->ctx, bytes < 16 ? bytes : 16)));
  }
}

static void (*const emitters[SN_WRITTEN_COUNT])(SnBuilder *, SnGpuProducts *, const SnGpuProduct *, MlirValue) = {
    [SN_WRITTEN_BY_THREADS] = sn_gpu_sum_by_threads,
    [SN_WRITTEN_BY_WARPS] = sn_gpu_sum_by_warps,
};

// ---- a tile ----------------------------------------------------------------------------------

static MlirValue column_of(SnBuilder *b, const SnForm *f, const MlirValue *dims) {
  MlirValue column = sn_index(b, 0);
  for (int64_t d = f->num_rows; d < f->num_rows + f->num_cols; ++d) {
    if (d > f->num_rows)
      column = sn(b, "arith.muli", column, sn_form_size(b, f, d));
    column = sn(b, "arith.addi", column, dims[d]);
  }
  return column;
}

typedef struct {
  SnGpuProducts *g;
  SnFragment at;
} Element;

static void store_results(SnBuilder *b, size_t i, void *user) {
  Element *e = user;
  SnGpuProducts *g = e->g;
  const SnForm *f = g->form;
  for (size_t o = 0; o < f->outputs.size; ++o) {
    MlirValue v = sn_row_yield(&g->program, (intptr_t)sn_output_position(f, o));
    sn_row_store(b, &g->program, &e->at, sn_row_element(b, &g->program, &e->at, v), &f->outputs.data[o]);
  }
}

// The row program at one element of the tile.
static void emit_element(SnBuilder *b, SnGpuProducts *g, MlirValue row, MlirValue column) {
  const SnForm *f = g->form;
  const SnGpuPoints *points = &g->plan->points;
  MlirValue dims[SN_MAX_DIMS], i = sn(b, "arith.addi", g->first_row, row),
                               j = sn(b, "arith.addi", g->first_column, column);
  SnIf inside = sn_if(b, sn(b, "arith.andi", sn_row_below(b, i, g->num_rows), sn_row_below(b, j, g->num_columns)));
  memcpy(dims, g->dims, sizeof dims);
  sn_gpu_point(b, f, &points->rows, i, dims);
  sn_gpu_point(b, f, &points->columns, j, dims);
  sn_row_begin(&g->program);
  memcpy(g->program.dims, dims, (size_t)f->num_rows * sizeof *dims);
  Element e = {.g = g, .at = sn_fragment(column_of(b, f, dims), 1)};
  memcpy(e.at.dims, dims + f->num_rows, (size_t)f->num_cols * sizeof *dims);
  for (size_t p = 0; p < f->products.size; ++p) {
    MlirValue at[] = {row, column};
    sn_fragment_give(&e.at, sn_product_argument(f, p),
                     sn_scratch_load(b, g->sums[p], sn_values(2, at), f->products.data[p].type, sn_no_attr()));
  }
  SnRowWalk walk = {.columns = store_results, .user = &e};
  sn_row_walk(b, &g->program, 1, &walk);
  sn_fragment_free(&e.at);
  sn_end_if(b, &inside);
}

static void emit_tile(SnBuilder *b, SnGpuKernel *k, const SnGpuTile *tile, void *user) {
  SnGpuProducts *g = user;
  const SnGpuProductPlan *p = g->plan;
  MlirValue m = sn_index(b, p->m), n = sn_index(b, p->n), across = sn_size_ceil(b, g->num_columns, n),
            down = sn_size_ceil(b, g->num_rows, m), line = sn(b, "arith.divui", tile->number, across);
  g->first_column = sn(b, "arith.muli", sn(b, "arith.remui", tile->number, across), n);
  g->first_row = sn(b, "arith.muli", sn(b, "arith.remui", line, down), m);
  sn_gpu_point(b, g->form, &p->points.batch, sn(b, "arith.divui", line, down), g->dims);
  for (size_t i = 0; i < g->form->products.size; ++i) {
    SnGpuProduct product = sn_gpu_product(g->form, i, p->kernel);
    emitters[product.line->written](b, g, &product, g->sums[i]);
  }
  sn_gpu_sync(b, k);
  SnLoop e = sn_for(b, k->thread, sn_index(b, p->m * p->n), sn_index(b, k->threads));
  emit_element(b, g, sn(b, "arith.divui", e.index, n), sn(b, "arith.remui", e.index, n));
  sn_next(b, &e);
  if (!k->single_tile)
    sn_gpu_sync(b, k);
}

// ---- the kernel --------------------------------------------------------------------------------

static MlirValue side_memory(SnBuilder *b, SnGpuProducts *g, bool is_a) {
  const SnGpuProductPlan *plan = g->plan;
  int64_t bytes = 0;
  for (size_t i = 0; i < g->form->products.size; ++i) {
    SnGpuProduct p = sn_gpu_product(g->form, i, plan->kernel);
    int64_t of_this = sn_gpu_side_bytes(&p, is_a ? plan->m : plan->n, plan->k);
    bytes = of_this > bytes ? of_this : bytes;
  }
  return sn_gpu_launched_shared(b, g->k, "sides of a product", 1, &bytes, mlirIntegerTypeGet(b->ctx, 8),
                                SN_GPU_FOR_VECTORS);
}

static void make_memory(SnBuilder *b, SnGpuProducts *g) {
  const SnForm *f = g->form;
  int64_t shape[] = {g->plan->m, g->plan->n};
  for (size_t i = 0; i < f->products.size; ++i)
    g->sums[i] = sn_gpu_launched_shared(b, g->k, "sums of a tile", 2, shape, sn_scratch_type(f->products.data[i].type),
                                        SN_GPU_FOR_VECTORS);
  g->a = side_memory(b, g, true);
  g->b = side_memory(b, g, false);
}

// The form over the kernel's operands.
static void set_operands(SnForm *f, const MlirValue *operands) {
  for (size_t k = 0; k < f->inputs.size; ++k)
    f->inputs.data[k].value = *operands++;
  for (size_t k = 0; k < f->indices.size; ++k)
    f->indices.data[k].value = *operands++;
  for (size_t k = 0; k < f->outputs.size; ++k)
    f->outputs.data[k].value = *operands++;
}

typedef struct {
  MlirOperation op; // of the host
  const SnGpuProductPlan *plan;
} Contract;

static void emit(SnBuilder *b, SnGpuKernel *k, const void *user) {
  const Contract *c = user;
  const SnGpuPoints *points = &c->plan->points;
  SnForm f = sn_form_read(c->op);
  set_operands(&f, k->operands);
  SnGpuProducts g = {.k = k,
                     .form = &f,
                     .plan = c->plan,
                     .program = sn_row_program(&f, sn_values((intptr_t)k->num_operands, k->operands)),
                     .sums = sn_alloc((f.products.size + 1) * sizeof *g.sums)};
  g.num_batch = size_of(b, &f, &points->batch);
  g.num_rows = size_of(b, &f, &points->rows);
  g.num_columns = size_of(b, &f, &points->columns);
  make_memory(b, &g);
  sn_gpu_know_lanes(k);
  MlirValue across = sn_size_ceil(b, g.num_columns, sn_index(b, c->plan->n)),
            down = sn_size_ceil(b, g.num_rows, sn_index(b, c->plan->m)),
            all = sn_size_mul(b, g.num_batch, sn_size_mul(b, down, across));
  SnGpuTiles tiles =
      c->plan->tickets ? sn_gpu_tiles_by_ticket(b, all) : sn_gpu_tiles_in_steps(k, k->block, all, k->blocks);
  sn_gpu_each_tile(b, k, &tiles, NULL, 0, emit_tile, &g);
  free(g.sums);
  sn_row_program_free(&g.program);
  sn_form_free(&f);
}

MlirLogicalResult sn_gpu_lower_products(MlirOperation module, MlirOperation func, MlirOperation op) {
  SnForm f = sn_form_read(op);
  SnGpuProductPlan plan;
  MlirLogicalResult result = sn_gpu_plan_products(&f, &plan);
  if (!sn_failed(result))
    result = sn_row_program_check(&f);
  if (!sn_failed(result))
    result = sn_gpu_check_tables(&f);
  if (!sn_failed(result)) {
    Contract user = {op, &plan};
    SnGpuBody body = {.launch = &plan.launch,
                      .scratch = plan.tickets ? SN_GPU_TICKETS : 0,
                      .asserts = sn_gpu_asserts(&f),
                      .emit = emit,
                      .user = &user};
    result = sn_gpu_make_kernel(module, func, op, &body);
  }
  sn_form_free(&f);
  if (!sn_failed(result))
    mlirOperationDestroy(op);
  return result;
}

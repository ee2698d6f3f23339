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
// test: test/lowering/gpu/products.mlir, test/gpu/emulate_products.test

#include "lowering/gpu/products/products_gpu.h"
#include "lowering/facts/gpu_forms.h"
#include "lowering/facts/gpu_streams.h"
#include "lowering/facts/gpu_windows.h"
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
    [SN_WRITTEN_BY_WINDOWS] = sn_gpu_sum_by_windows,
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
} Elements;

static void store_results(SnBuilder *b, size_t i, void *user) {
  Elements *e = user;
  SnGpuProducts *g = e->g;
  const SnForm *f = g->form;
  for (size_t o = 0; o < f->outputs.size; ++o) {
    MlirValue v = sn_row_yield(&g->program, (intptr_t)sn_output_position(f, o));
    sn_row_store(b, &g->program, &e->at, sn_row_element(b, &g->program, &e->at, v), &f->outputs.data[o]);
  }
}

int64_t sn_gpu_product_lanes(const SnForm *f, const SnGpuProductPlan *p) {
  const SnGpuDims *columns = &p->points.columns;
  int64_t last = f->num_rows + f->num_cols - 1, lanes = SN_GPU_PRODUCT_LANES;
  if (!f->num_cols || !columns->n || columns->dims[columns->n - 1] != last || f->dims.data[last].size == SN_DYNAMIC)
    return 1;
  while (lanes > 1 && (p->n % lanes || f->dims.data[last].size % lanes))
    lanes /= 2;
  return lanes;
}

MlirValue sn_gpu_inside(SnBuilder *b, MlirValue i, MlirValue size, int64_t tile) {
  int64_t known;
  bool whole = sn_known(size, &known) && known % tile == 0;
  return whole ? sn_int(b, mlirIntegerTypeGet(b->ctx, 1), 1) : sn_row_below(b, i, size);
}

MlirValue sn_gpu_column_point(SnBuilder *b, const SnGpuProducts *g, MlirValue column, MlirValue *to) {
  const SnGpuPoints *points = &g->plan->points;
  if (!points->patch) {
    column = sn(b, "arith.addi", g->first_column, column);
    sn_gpu_point(b, g->form, &points->columns, column, to);
    return sn_gpu_inside(b, column, g->num_columns, g->plan->n);
  }
  MlirValue patch = sn_index(b, points->patch), at[] = {sn(b, "arith.remui", column, patch),
                                                        sn(b, "arith.divui", column, patch)},
            inside = {0};
  int64_t sizes[] = {points->patch, g->plan->n / points->patch};
  for (size_t i = 0; i < 2 && i < points->columns.n; ++i) {
    int64_t d = points->columns.dims[points->columns.n - 1 - i];
    to[d] = sn(b, "arith.addi", g->dims[d], at[i]);
    MlirValue in = sn_gpu_inside(b, to[d], sn_form_size(b, g->form, d), sizes[i]);
    inside = i ? sn(b, "arith.andi", inside, in) : in;
  }
  return inside;
}

// The row program on elements that are there: the point of `dims`.
static void emit_there(SnBuilder *b, SnGpuProducts *g, const MlirValue *dims, int64_t lanes, const MlirValue *sums) {
  const SnForm *f = g->form;
  sn_row_begin(&g->program);
  for (size_t k = 0; g->numbers && k < g->program.sources.size; ++k)
    if (!sn_none(g->numbers[k]))
      sn_row_know(&g->program, mlirBlockGetArgument(f->body, (intptr_t)k), g->numbers[k]);
  memcpy(g->program.dims, dims, (size_t)f->num_rows * sizeof *dims);
  Elements e = {.g = g, .at = sn_fragment(column_of(b, f, dims), lanes)};
  memcpy(e.at.dims, dims + f->num_rows, (size_t)f->num_cols * sizeof *dims);
  for (size_t p = 0; p < f->products.size; ++p)
    sn_fragment_give(&e.at, sn_product_argument(f, p), sums[p]);
  SnRowWalk walk = {.columns = store_results, .user = &e};
  sn_row_walk(b, &g->program, 1, &walk);
  sn_fragment_free(&e.at);
}

// An argument of no dimension, which is no table.
static bool is_one_number(const SnGpuProducts *g, intptr_t k) {
  const SnForm *f = g->form;
  MlirValue argument = mlirBlockGetArgument(f->body, k);
  const SnRowSource *s = &g->program.sources.data[k];
  bool is = !s->scratch && !sn_none(s->access.value) && !sn_is_row(argument) &&
            !mlirTypeIsAMemRef(sn_type_of(argument)) && !s->access.through.ptr;
  for (size_t d = 0; d < f->dims.size && is; ++d)
    is = !sn_access_uses(f, &s->access, (int64_t)d);
  return is;
}

void sn_gpu_know_numbers(SnBuilder *b, SnGpuProducts *g) {
  sn_row_begin(&g->program);
  for (size_t k = 0; g->numbers && k < g->program.sources.size; ++k)
    if (is_one_number(g, (intptr_t)k))
      g->numbers[k] = sn_row_load_lanes(b, &g->program, &g->program.row, &g->program.sources.data[k].access);
}

void sn_gpu_emit_elements(SnBuilder *b, SnGpuProducts *g, MlirValue row, MlirValue column, int64_t lanes,
                          const MlirValue *sums) {
  MlirValue dims[SN_MAX_DIMS], i = sn(b, "arith.addi", g->first_row, row);
  memcpy(dims, g->dims, sizeof dims);
  MlirValue inside = sn_gpu_column_point(b, g, column, dims);
  SnIf in = sn_if(b, sn(b, "arith.andi", sn_gpu_inside(b, i, g->num_rows, g->plan->m * g->plan->cluster), inside));
  sn_gpu_point(b, g->form, &g->plan->points.rows, i, dims);
  emit_there(b, g, dims, lanes, sums);
  sn_end_if(b, &in);
}

static void load_sums(SnBuilder *b, const SnGpuProducts *g, const MlirValue *memory, MlirValue line, MlirValue element,
                      int64_t lanes, MlirValue *sums) {
  const SnForm *f = g->form;
  MlirValue at[] = {line, element};
  for (size_t p = 0; p < f->products.size; ++p) {
    MlirType t = f->products.data[p].type;
    int64_t bytes = lanes * sn_scratch_bytes(t);
    sums[p] = sn_scratch_load(b, memory[p], sn_values(2, at), sn_lanes_of(t, lanes),
                              sn_attr("alignment", sn_i64(b->ctx, bytes < 16 ? bytes : 16)));
  }
}

void sn_gpu_emit_stored(SnBuilder *b, SnGpuProducts *g, const MlirValue *memory, MlirValue line, MlirValue element,
                        MlirValue row, MlirValue column, int64_t lanes) {
  MlirValue *sums = sn_alloc((g->form->products.size + 1) * sizeof *sums);
  load_sums(b, g, memory, line, element, lanes, sums);
  sn_gpu_emit_elements(b, g, row, column, lanes, sums);
  free(sums);
}

int64_t sn_gpu_rows_below(const SnForm *f, int64_t lanes, int64_t most) {
  enum { ALL = 4, MANY = 16, ELEMENTS_OF_LONG = 8 };
  int64_t all = sn_gpu_program_weight(f), count = ALL;
  while (all > MANY && count * lanes > ELEMENTS_OF_LONG)
    count /= 2;
  while (count > 1 && most % count)
    count /= 2;
  return count;
}

void sn_gpu_emit_below(SnBuilder *b, SnGpuProducts *g, const MlirValue *memory, const SnGpuBelow *at) {
  size_t products = g->form->products.size;
  int64_t end_of = (at->count - 1) * at->apart, tile = g->plan->m * g->plan->cluster;
  MlirValue dims[SN_MAX_DIMS], *sums = sn_alloc(((size_t)at->count * products + 1) * sizeof *sums),
                               i = sn(b, "arith.addi", g->first_row, at->row),
                               end = sn(b, "arith.addi", i, sn_index(b, end_of));
  memcpy(dims, g->dims, sizeof dims);
  MlirValue inside = sn_gpu_column_point(b, g, at->column, dims);
  SnIf all = sn_if(b, sn(b, "arith.andi", sn_gpu_inside(b, end, g->num_rows, tile), inside));
  for (int64_t u = 0; u < at->count; ++u)
    load_sums(b, g, memory, sn(b, "arith.addi", at->line, sn_index(b, u * at->apart)), at->element, at->lanes,
              sums + (size_t)u * products);
  for (int64_t u = 0; u < at->count; ++u) {
    sn_gpu_point(b, g->form, &g->plan->points.rows, sn(b, "arith.addi", i, sn_index(b, u * at->apart)), dims);
    emit_there(b, g, dims, at->lanes, sums + (size_t)u * products);
  }
  sn_else(b, &all); // where the first is beside an end, all are
  SnIf first = sn_if(b, sn(b, "arith.andi", sn_gpu_inside(b, i, g->num_rows, tile), inside));
  SnLoop l = sn_for(b, sn_index(b, 0), sn_index(b, at->count), sn_index(b, 1));
  MlirValue further = sn(b, "arith.muli", l.index, sn_index(b, at->apart));
  sn_gpu_emit_stored(b, g, memory, sn(b, "arith.addi", at->line, further), at->element,
                     sn(b, "arith.addi", at->row, further), at->column, at->lanes);
  sn_next(b, &l);
  sn_end_if(b, &first);
  sn_end_if(b, &all);
  free(sums);
}

// Tiles beside each other, of all columns.
static MlirValue tiles_across(SnBuilder *b, const SnGpuProducts *g) {
  const SnGpuProductPlan *p = g->plan;
  int64_t across, down, others;
  if (!p->points.patch)
    return sn_size_ceil(b, g->num_columns, sn_index(b, p->n));
  sn_gpu_num_patches(g->form, &p->points, p->n, &across, &down, &others);
  return sn_index(b, sn_times(sn_times(across, down), others));
}

// The patch's first point.
static void place_patch(SnBuilder *b, SnGpuProducts *g, MlirValue number) {
  const SnGpuPoints *points = &g->plan->points;
  SnGpuDims others = {.n = points->columns.n > 2 ? points->columns.n - 2 : 0};
  memcpy(others.dims, points->columns.dims, others.n * sizeof *others.dims);
  int64_t across, down, all, sizes[] = {points->patch, g->plan->n / points->patch};
  sn_gpu_num_patches(g->form, points, g->plan->n, &across, &down, &all);
  int64_t counts[] = {across, down};
  for (size_t i = 0; i < 2 && i < points->columns.n; ++i) {
    MlirValue count = sn_index(b, counts[i]), at = sn(b, "arith.remui", number, count);
    number = sn(b, "arith.divui", number, count);
    g->dims[points->columns.dims[points->columns.n - 1 - i]] = sn(b, "arith.muli", at, sn_index(b, sizes[i]));
  }
  sn_gpu_point(b, g->form, &others, number, g->dims);
}

// Tiles below each other, as many for each block of a cluster.
static MlirValue tiles_down(SnBuilder *b, const SnGpuProducts *g) {
  const SnGpuProductPlan *p = g->plan;
  return sn_size_mul(b, sn_size_ceil(b, g->num_rows, sn_index(b, p->m * p->cluster)), sn_index(b, p->cluster));
}

void sn_gpu_place_tile(SnBuilder *b, SnGpuProducts *g, MlirValue number) {
  const SnGpuProductPlan *p = g->plan;
  MlirValue m = sn_index(b, p->m), n = sn_index(b, p->n), across = tiles_across(b, g),
            down = tiles_down(b, g), all = sn_size_mul(b, down, across), line, column;
  g->tile = number;
  if (p->split > 1) {
    g->part = sn(b, "arith.remui", number, sn_index(b, p->split));
    g->tile = number = sn(b, "arith.divui", number, sn_index(b, p->split));
  }
  MlirValue batch = sn(b, "arith.divui", number, all), tile = sn(b, "arith.remui", number, all);
  if (p->group == 1) {
    line = sn(b, "arith.divui", tile, across);
    column = sn(b, "arith.remui", tile, across);
  } else { // so many lines at a time, down and then across
    MlirValue group = sn_index(b, p->group), of_group = sn_size_mul(b, across, group),
              first = sn(b, "arith.muli", sn(b, "arith.divui", tile, of_group), group),
              in = sn(b, "arith.remui", tile, of_group),
              lines = sn(b, "arith.minui", group, sn(b, "arith.subi", down, first));
    line = sn(b, "arith.addi", first, sn(b, "arith.remui", in, lines));
    column = sn(b, "arith.divui", in, lines);
  }
  g->first_column = sn(b, "arith.muli", column, n);
  g->first_row = sn(b, "arith.muli", line, m);
  if (p->points.patch)
    place_patch(b, g, column);
  sn_gpu_point(b, g->form, &p->points.batch, batch, g->dims);
}

// Sums of all products of the tile, known to all threads.
static void sum_products(SnBuilder *b, SnGpuProducts *g) {
  bool streams = sn_gpu_product(g->form, 0, g->plan->kernel).line->written == SN_WRITTEN_BY_STREAMS;
  if (streams)
    sn_gpu_sum_by_streams(b, g);
  for (size_t i = 0; i < (g->plan->together ? 1 : g->form->products.size) && !streams; ++i) {
    SnGpuProduct product = sn_gpu_product(g->form, i, g->plan->kernel);
    if (i) // slots are free
      sn_gpu_sync(b, g->k);
    emitters[product.line->written](b, g, &product, g->sums[i]);
  }
  sn_gpu_sync(b, g->k);
}

static void emit_program(SnBuilder *b, SnGpuProducts *g) {
  const SnGpuProductPlan *p = g->plan;
  if (p->whole_rows) {
    sn_gpu_emit_rows_of_tile(b, g);
    return;
  }
  sn_gpu_know_numbers(b, g);
  int64_t lanes = sn_gpu_product_lanes(g->form, p), vectors = p->m * p->n / lanes, of_line = p->n / lanes,
          threads = g->k->threads;
  // Neighbouring threads have neighbours; what a thread has next is whole lines below.
  bool even = threads % of_line == 0 && vectors % threads == 0;
  int64_t apart = even ? threads / of_line : 1, count = even ? sn_gpu_rows_below(g->form, lanes, vectors / threads) : 1;
  SnLoop e = sn_for(b, g->k->thread, sn_index(b, vectors / count), sn_index(b, threads));
  MlirValue across = sn_index(b, of_line), row = sn(b, "arith.divui", e.index, across),
            column = sn(b, "arith.muli", sn(b, "arith.remui", e.index, across), sn_index(b, lanes));
  if (count > 1) { // threads go on where the last of these ends
    MlirValue in = sn(b, "arith.remui", row, sn_index(b, apart));
    row = sn(b, "arith.addi", in, sn(b, "arith.muli", sn(b, "arith.subi", row, in), sn_index(b, count)));
  }
  sn_gpu_emit_below(b, g, g->sums,
                    &(SnGpuBelow){row, column, row, column, .lanes = lanes, .count = count, .apart = apart});
  sn_next(b, &e);
}

void sn_gpu_emit_tile(SnBuilder *b, SnGpuProducts *g) {
  sum_products(b, g);
  emit_program(b, g);
}

static void emit_tile(SnBuilder *b, SnGpuKernel *k, const SnGpuTile *tile, void *user) {
  SnGpuProducts *g = user;
  sn_gpu_place_tile(b, g, tile->number);
  sum_products(b, g);
  SnIf last;
  if (g->plan->split > 1)
    last = sn_gpu_meet_in_tile(b, g);
  emit_program(b, g);
  if (g->plan->split > 1)
    sn_end_if(b, &last);
  if (!k->single_tile)
    sn_gpu_sync(b, k);
}

// ---- its memory ---------------------------------------------------------------------------------

// Windows stay where they are.
static int64_t filter_bytes(const SnGpuProducts *g, bool is_a) {
  SnGpuWindow w;
  sn_gpu_not_window(g->form, g->plan->n / 32 * sn_gpu_window_filters(g->plan->m), &w);
  return is_a ? sn_gpu_window_bytes(&w, g->plan->m, g->plan->k) : 0;
}

static MlirValue side_memory(SnBuilder *b, SnGpuProducts *g, bool is_a) {
  const SnGpuProductPlan *plan = g->plan;
  int64_t bytes = 0;
  for (size_t i = 0; i < g->form->products.size; ++i) {
    SnGpuProduct p = sn_gpu_product(g->form, i, plan->kernel);
    int64_t extent = is_a ? plan->m : plan->n, of_this;
    of_this = p.line->written == SN_WRITTEN_BY_STREAMS
                  ? plan->stages * sn_gpu_stream_side_bytes(g->form, is_a, extent, plan->k)
              : p.line->written == SN_WRITTEN_BY_WINDOWS ? filter_bytes(g, is_a)
                                                         : sn_gpu_side_bytes(&p, extent, plan->k);
    bytes = of_this > bytes ? of_this : bytes;
  }
  if (!bytes)
    return (MlirValue){0};
  bytes *= plan->together && !is_a ? (int64_t)g->form->products.size : 1;
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

static void emit_tiles(SnBuilder *b, SnGpuProducts *g, MlirValue all) {
  SnGpuKernel *k = g->k;
  make_memory(b, g);
  SnGpuTiles tiles =
      g->plan->tickets ? sn_gpu_tiles_by_ticket(b, all) : sn_gpu_tiles_in_steps(k, k->block, all, k->blocks);
  sn_gpu_each_tile(b, k, &tiles, NULL, 0, emit_tile, g);
}

// ---- the kernel --------------------------------------------------------------------------------

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
  size_t num_maps; // of sides that copies fetch
} Contract;

static void emit(SnBuilder *b, SnGpuKernel *k, const void *user) {
  const Contract *c = user;
  const SnGpuPoints *points = &c->plan->points;
  SnForm f = sn_form_read(c->op);
  set_operands(&f, k->operands);
  SnGpuProducts g = {.k = k,
                     .form = &f,
                     .plan = c->plan,
                     .addresses = k->addresses,
                     .program = sn_row_program(&f, sn_values((intptr_t)k->num_operands, k->operands)),
                     .sums = sn_alloc((f.products.size + 1) * sizeof *g.sums)};
  g.numbers = sn_alloc((g.program.sources.size + 1) * sizeof *g.numbers);
  g.num_batch = size_of(b, &f, &points->batch);
  g.num_rows = size_of(b, &f, &points->rows);
  g.num_columns = size_of(b, &f, &points->columns);
  sn_gpu_know_lanes(k);
  g.program.aligned = SN_GPU_OPERANDS_ALIGNED;
  MlirValue across = tiles_across(b, &g),
            down = tiles_down(b, &g),
            all =
                sn_size_mul(b, sn_size_mul(b, g.num_batch, sn_size_mul(b, down, across)), sn_index(b, c->plan->split));
  (c->plan->launch.more_threads ? sn_gpu_emit_staged : emit_tiles)(b, &g, all);
  free(g.sums);
  free(g.numbers);
  sn_row_program_free(&g.program);
  sn_form_free(&f);
}

// Of both sides of each product, in order, that copies fetch.
static size_t find_maps(const SnForm *f, const SnGpuProductPlan *plan, SnGpuTensorMap *maps) {
  size_t n = 0;
  for (size_t i = 0; i < f->products.size; ++i) {
    SnGpuProduct p = sn_gpu_product(f, i, plan->kernel);
    for (int is_a = 1; is_a >= 0 && p.line->written == SN_WRITTEN_BY_WARPGROUPS; --is_a) {
      SnGpuSlot side;
      sn_gpu_slot(f, &plan->points, &p, is_a, is_a ? plan->m : plan->n, &side, NULL);
      if (plan->cluster > 1 && !is_a)
        sn_gpu_divide_copies(&side.map);
      if (side.fetch == SN_GPU_BY_COPIES)
        maps[n++] = side.map.map;
    }
  }
  return n;
}

// Threads name addresses of some side.
static bool by_pieces(const SnForm *f, const SnGpuProductPlan *plan) {
  bool some = false;
  for (size_t i = 0; i < f->products.size; ++i) {
    SnGpuProduct p = sn_gpu_product(f, i, plan->kernel);
    for (int is_a = 0; is_a < 2; ++is_a) {
      SnGpuSlot side;
      some |= p.line->written == SN_WRITTEN_BY_WARPS || p.line->written == SN_WRITTEN_BY_STREAMS ||
              p.line->written == SN_WRITTEN_BY_WINDOWS ||
              (p.line->written == SN_WRITTEN_BY_WARPGROUPS &&
               sn_gpu_slot(f, &plan->points, &p, is_a, is_a ? plan->m : plan->n, &side, NULL) &&
               side.fetch == SN_GPU_BY_PIECES);
    }
  }
  return some;
}

MlirLogicalResult sn_gpu_lower_products(MlirOperation op, SnGpuTakeBody take, void *taker) {
  SnForm f = sn_form_read(op);
  SnGpuProductPlan plan;
  MlirLogicalResult result = sn_gpu_plan_products(&f, &plan);
  if (!sn_failed(result))
    result = sn_row_program_check(&f);
  if (!sn_failed(result))
    result = sn_gpu_check_tables(&f);
  if (!sn_failed(result)) {
    SnGpuTensorMap *maps = sn_alloc((2 * f.products.size + 1) * sizeof *maps);
    Contract user = {op, &plan, find_maps(&f, &plan, maps)};
    SnGpuBody body = {.launch = &plan.launch,
                      .scratch = plan.tickets ? SN_GPU_TICKETS : sn_gpu_parts_scratch(&f, &plan),
                      .asserts = sn_gpu_asserts(&f),
                      .addresses = by_pieces(&f, &plan),
                      .maps = maps,
                      .num_maps = user.num_maps,
                      .emit = emit,
                      .user = &user};
    result = take(op, &body, taker);
    free(maps);
  }
  sn_form_free(&f);
  return result;
}

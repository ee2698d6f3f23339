// product_parts.c: sums that several blocks share, each of them a part of k.
//
//   partial[tile][part] = sums
//   if the tile's counter says that all other parts are there:
//     sums = partial[tile][0] + partial[tile][1] + ...
//     the row program
//
// The order is that of k whichever block is last: equal inputs give equal bits. Nobody waits. (Counters:
// shell/tag_counters.c.)
//
// test: test/lowering/gpu/product_parts.mlir, test/gpu/emulate_products.test

#include "lowering/gpu/products/products_gpu.h"
#include "lowering/rows/rowmemory.h"

static int64_t aligned(int64_t bytes) { return (bytes + 63) / 64 * 64; }

int64_t sn_gpu_parts_units(const SnGpuProductPlan *p) {
  return p->launch.more_threads && !p->by_turns ? p->launch.threads / SN_GPU_WARPGROUP : 1;
}

static int64_t counters(const SnForm *f, const SnGpuProductPlan *p) {
  return aligned(sn_times(8 * sn_gpu_parts_units(p), sn_gpu_num_tiles(f, &p->points, p->m, p->n)));
}

// Parts whose sums a thread asks for before it adds the first of them: words of so many at most.
enum { WORDS_ASKED_FOR = 64 };
static int64_t parts_at_once(int64_t split, int64_t words) {
  int64_t most = WORDS_ASKED_FOR / words > 1 ? WORDS_ASKED_FOR / words : 1;
  return split - 1 < most ? split - 1 : most;
}

// Where product i's partial sums begin; behind the last one: where all of them end.
static int64_t offset_of(const SnForm *f, const SnGpuProductPlan *p, size_t i) {
  int64_t offset = counters(f, p), parts = sn_times(sn_gpu_num_tiles(f, &p->points, p->m, p->n), p->split);
  for (size_t o = 0; o < i; ++o)
    offset += sn_times(parts, p->m * p->n * sn_scratch_bytes(f->products.data[o].type));
  return offset;
}

int64_t sn_gpu_parts_scratch(const SnForm *f, const SnGpuProductPlan *p) {
  return p->split > 1 ? offset_of(f, p, f->products.size) : 0;
}

void sn_gpu_part_of_sum(SnBuilder *b, const SnGpuProducts *g, MlirValue sum, MlirValue *first, MlirValue *end) {
  *first = sn_index(b, 0);
  *end = sum;
  if (g->plan->split == 1)
    return;
  int64_t all, k = g->plan->k;
  sn_known(sum, &all);
  MlirValue each = sn_index(b, sn_pieces(sn_pieces(all, k), g->plan->split) * k);
  *first = sn(b, "arith.muli", g->part, each);
  *end = sn(b, "arith.minui", sum, sn(b, "arith.addi", *first, each));
}

static MlirValue add(SnBuilder *b, MlirType t, MlirValue x, MlirValue y) {
  return sn(b, sn_is_float(t) ? "arith.addf" : "arith.addi", x, y);
}

// memref<parts x units x elements> of product i's.
static MlirValue partials(SnBuilder *b, const SnGpuProducts *g, size_t i, int64_t units) {
  const SnGpuProductPlan *p = g->plan;
  int64_t shape[] = {sn_gpu_num_tiles(g->form, &p->points, p->m, p->n) * p->split, units, p->m * p->n / units};
  return sn(b, "memref.view", g->k->scratch, sn_index(b, offset_of(g->form, p, i)),
            sn_memref(sn_scratch_type(g->form->products.data[i].type), 3, shape));
}

static MlirValue number_of(SnBuilder *b, const SnGpuProducts *g, MlirValue part) {
  return sn(b, "arith.addi", sn(b, "arith.muli", g->tile, sn_index(b, g->plan->split)), part);
}

// One thread says whether the part is the last of the unit, at the counter of this number.
static void count(SnBuilder *b, SnGpuProducts *g, MlirValue counter, MlirValue flag, MlirValue at) {
  MlirType i64 = mlirIntegerTypeGet(b->ctx, 64), i32 = mlirIntegerTypeGet(b->ctx, 32);
  MlirValue last = sn_gpu_is_last(b, g->k, counter, sn_int(b, i64, g->plan->split));
  sn_op(b, "memref.store", sn(b, "arith.extui", last, i32), flag, at, sn_types(0, NULL));
}

static SnIf if_last(SnBuilder *b, MlirValue flag, MlirValue at) {
  MlirType i32 = mlirIntegerTypeGet(b->ctx, 32);
  MlirValue set = sn(b, "memref.load", flag, at, i32);
  return sn_if(b, sn(b, "arith.cmpi", set, sn_int(b, i32, 1), sn_attr("predicate", sn_i64(b->ctx, 0))));
}

// ---- tiles in shared memory ----------------------------------------------------------------------

// What adds parts: a thread's words of one of them.
typedef struct {
  SnGpuProducts *g;
  int64_t n; // words, or vectors
  void (*load)(SnBuilder *b, void *user, MlirValue part, MlirValue *into);
  void *user;
} Parts;

// `count` parts from `first` on: all are asked for, then added to the sums in their order.
static void add_parts(SnBuilder *b, const Parts *p, MlirValue first, int64_t count, MlirValue *sums) {
  MlirValue *x = sn_alloc((size_t)(p->n * count + 1) * sizeof *x);
  for (int64_t i = 0; i < count; ++i)
    p->load(b, p->user, i ? sn(b, "arith.addi", first, sn_index(b, i)) : first, x + i * p->n);
  for (int64_t i = 0; i < count * p->n; ++i)
    sums[i % p->n] = add(b, sn_element(sn_type_of(x[i])), sums[i % p->n], x[i]);
  free(x);
}

// The sums of all parts, of which so many are asked for at once.
static void sum_parts(SnBuilder *b, const Parts *p, int64_t at_once, MlirValue *sums) {
  int64_t split = p->g->plan->split, looped = 1 + (split - 1) / at_once * at_once;
  p->load(b, p->user, sn_index(b, 0), sums);
  SnLoop l = sn_for_values(b, sn_index(b, 1), sn_index(b, looped), sn_index(b, at_once), sn_values(p->n, sums));
  for (int64_t v = 0; v < p->n; ++v)
    sums[v] = l.carried[v];
  add_parts(b, p, l.index, at_once, sums);
  sn_next_values(b, &l, sn_values(p->n, sums));
  for (int64_t v = 0; v < p->n; ++v)
    sums[v] = sn_result(l.op, v);
  add_parts(b, p, sn_index(b, looped), split - looped, sums);
}

// All of the tile's vectors of product i that are sums: to its partial sums, or the sum of all parts back.
typedef struct {
  SnGpuProducts *g;
  MlirValue memory, element;
  MlirType vector;
  SnAttr alignment;
} TileParts;

static void load_of_tile(SnBuilder *b, void *user, MlirValue part, MlirValue *into) {
  TileParts *t = user;
  MlirValue from[] = {number_of(b, t->g, part), sn_index(b, 0), t->element};
  *into = sn_scratch_load(b, t->memory, sn_values(3, from), t->vector, t->alignment);
}

// Rows of a tile; where all rows are fewer than it has, as many as there are.
static int64_t rows_of_tile(const SnGpuProducts *g) {
  int64_t rows = sn_gpu_dims_size(g->form, &g->plan->points.rows);
  return rows != SN_DYNAMIC && rows < g->plan->m ? rows : g->plan->m;
}

static void move_tile(SnBuilder *b, SnGpuProducts *g, size_t i, int64_t lanes, bool back) {
  SnGpuKernel *k = g->k;
  const SnGpuProductPlan *p = g->plan;
  MlirType t = g->form->products.data[i].type, vector = sn_lanes_of(t, lanes);
  int64_t bytes = lanes * sn_scratch_bytes(t);
  SnAttr alignment = sn_attr("alignment", sn_i64(b->ctx, bytes < 16 ? bytes : 16));
  MlirValue memory = partials(b, g, i, 1), zero = sn_index(b, 0);
  SnLoop l = sn_for(b, k->thread, sn_index(b, rows_of_tile(g) * p->n / lanes), sn_index(b, k->threads));
  MlirValue across = sn_index(b, p->n / lanes), row = sn(b, "arith.divui", l.index, across),
            column = sn(b, "arith.muli", sn(b, "arith.remui", l.index, across), sn_index(b, lanes)),
            at[] = {row, column}, element = sn(b, "arith.muli", l.index, sn_index(b, lanes));
  if (back) {
    TileParts from = {g, memory, element, vector, alignment};
    MlirValue sum;
    sum_parts(b, &(Parts){g, 1, load_of_tile, &from}, parts_at_once(p->split, lanes), &sum);
    sn_scratch_store(b, sum, g->sums[i], sn_values(2, at), alignment);
  } else {
    MlirValue to[] = {number_of(b, g, g->part), zero, element};
    sn_scratch_store(b, sn_scratch_load(b, g->sums[i], sn_values(2, at), vector, alignment), memory, sn_values(3, to),
                     alignment);
  }
  sn_next(b, &l);
}

SnIf sn_gpu_meet_in_tile(SnBuilder *b, SnGpuProducts *g) {
  SnGpuKernel *k = g->k;
  int64_t one = 1, lanes = g->plan->n % 4 ? 1 : 4;
  MlirValue flag = sn_gpu_shared(k, "the last part", 1, &one, mlirIntegerTypeGet(b->ctx, 32), 8), zero = sn_index(b, 0);
  for (size_t i = 0; i < g->form->products.size; ++i)
    move_tile(b, g, i, lanes, false);
  sn_gpu_sync(b, k);
  SnIf first = sn_if(b, k->first);
  count(b, g, g->tile, flag, zero);
  sn_end_if(b, &first);
  sn_gpu_sync(b, k);
  SnIf last = if_last(b, flag, zero);
  for (size_t i = 0; i < g->form->products.size; ++i)
    move_tile(b, g, i, lanes, true);
  sn_gpu_sync(b, k);
  return last;
}

// ---- sums in registers ---------------------------------------------------------------------------

typedef struct {
  SnGpuProducts *g;
  MlirValue unit;
  const MlirValue *places, *memory;
  const MlirType *types;
  int64_t n, all; // words of a list, and of all of them
} RegisterParts;

static void load_of_registers(SnBuilder *b, void *user, MlirValue part, MlirValue *into) {
  RegisterParts *r = user;
  for (int64_t v = 0; v < r->all; ++v) {
    MlirValue at[] = {number_of(b, r->g, part), r->unit, r->places[v]};
    into[v] = sn_scratch_load(b, r->memory[v], sn_values(3, at), r->types[v / r->n], sn_no_attr());
  }
}

SnIf sn_gpu_meet_in_registers(SnBuilder *b, SnGpuProducts *g, MlirValue unit, int64_t lists, int64_t n, MlirType *types,
                              MlirValue *values, MlirValue flag, MlirValue flag_at,
                              void (*sync)(SnBuilder *b, void *user), void *user) {
  SnGpuKernel *k = g->k;
  int64_t units = sn_gpu_parts_units(g->plan), blocks = lists / (int64_t)g->form->products.size, all = lists * n;
  MlirValue thread = sn(b, "arith.remui", k->thread, sn_index(b, SN_GPU_WARPGROUP)), zero = sn_index(b, 0);
  MlirValue *places = sn_alloc((size_t)all * sizeof *places), *memory = sn_alloc((size_t)all * sizeof *memory),
            *sums = sn_alloc((size_t)all * sizeof *sums);
  for (int64_t v = 0; v < all; ++v) { // neighbouring threads, neighbouring words
    int64_t of_product = v % (blocks * n);
    memory[v] = of_product ? memory[v - 1] : partials(b, g, (size_t)(v / (blocks * n)), units);
    places[v] = sn(b, "arith.addi", thread, sn_index(b, of_product * SN_GPU_WARPGROUP));
    MlirValue at[] = {number_of(b, g, g->part), unit, places[v]};
    sn_scratch_store(b, values[v], memory[v], sn_values(3, at), sn_no_attr());
  }
  sync(b, user);
  SnIf first = sn_if(b, sn(b, "arith.cmpi", thread, zero, sn_attr("predicate", sn_i64(b->ctx, 0))));
  MlirValue counter = sn(b, "arith.addi", sn(b, "arith.muli", g->tile, sn_index(b, units)), unit);
  count(b, g, counter, flag, flag_at);
  sn_end_if(b, &first);
  sync(b, user);
  SnIf last = if_last(b, flag, flag_at);
  RegisterParts from = {g, unit, places, memory, types, n, all};
  sum_parts(b, &(Parts){g, all, load_of_registers, &from}, parts_at_once(g->plan->split, all), sums);
  for (int64_t v = 0; v < all; ++v)
    values[v] = sums[v];
  free(places);
  free(memory);
  free(sums);
  return last;
}

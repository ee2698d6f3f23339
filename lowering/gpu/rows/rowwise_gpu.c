// rowwise_gpu.c: a rowwise form becomes a kernel.
//
//   for each row of a team                                     shell/tiles.c
//     scalars of the row
//     for each phase of the row program:
//       partials of all columns, combined over the team        phases.c, vectors.c
//     accumulator = accumulator . value of the row             accumulate.c
//   accumulators combined over the block and the grid; finish; reduced outputs
//
// Rows whose length is `?` may have a kernel for each of several lengths at most, of which the host takes one:
//
//   scf.if %short { launch of @main_kernel0_most128 } else { launch of @main_kernel0 }
//
// Who shares a row is the schedule's: a team of 1 to 32 threads of a block (short rows; one thread where neighbours in
// memory are neighbours in the last row dimension, and for a form without columns), a block, a cluster of blocks, or
// blocks that meet by way of memory (grid_rows.c). Rows that several phases read come from memory again, from L2 if
// they are short, or stay with all that was computed of them: then the column loop is unrolled, and each thread has the
// same few vectors in all phases. lowering/facts/gpu_forms.c says which.
//
// new family of rows: where a row is walked; what is its own is a file of this folder.
//
// test: test/lowering/gpu/lower_gpu.mlir, registers.mlir, teams.mlir, refused.mlir

#include "lowering/gpu/rows/rowwise_gpu.h"
#include "dialect/dialect.h"
#include "dialect/schedules.h"
#include "dialect/sequence.h"
#include "lowering/gpu/rows/exchange.h"
#include "lowering/gpu/rows/row_checks.h"
#include "lowering/rows/rowmemory.h"
#include <stdio.h>

// ---- one row -----------------------------------------------------------------------

// The teams of a block go from rows to rows together, so that all of a warp meet in a shuffle: a team without a row has
// the last one again, and neither stores nor adds it.
static MlirValue row_of_team(SnBuilder *b, SnGpuRowKernel *g, MlirValue first_row) {
  SnGpuKernel *k = g->k;
  int64_t at_once = k->threads / k->team, known;
  bool apart = k->teams == SN_GPU_ACROSS_WARPS;
  MlirValue row = sn(b, "arith.addi", first_row,
                     sn(b, apart ? "arith.remui" : "arith.divui", k->thread, sn_index(b, apart ? 32 : k->team)));
  if (sn_known(g->num_rows, &known) && known % at_once == 0)
    return row;
  g->valid = sn(b, "arith.cmpi", row, g->num_rows, sn_attr("predicate", sn_i64(b->ctx, 6))); // ult
  return sn(b, "arith.minui", row, sn(b, "arith.subi", g->num_rows, sn_index(b, 1)));
}

// Neighbours of one thread in the last row dimension: where they do not divide its size, the last thread's begin
// earlier, and its neighbour writes some of them, too.
static int64_t threads_of_line(const SnGpuRowKernel *g) {
  return sn_pieces(g->form->dims.data[g->form->num_rows - 1].size, g->plan->rows);
}

// x, of which LLVM knows no range. Where it knows that x has 16 bits it adds x + 0 and x + 1 as halves of one word, and
// ptxas 13.0 takes the constants 0 and 1 of `add.s16x2` for 0 and 0 (VIADD.16x2 R9, R0, 0x0): x + 1 would be x.
static MlirValue of_any_range(SnBuilder *b, MlirValue x) {
  MlirType i32 = mlirIntegerTypeGet(b->ctx, 32);
  MlirValue word = sn(b, "arith.index_cast", x, i32);
  word = sn_result(sn_gpu_ptx(b, "mov.b32 $0, $1;", "=r,r", sn_values(1, &word), i32), 0);
  return sn(b, "arith.index_castui", word, sn_index_type(b->ctx));
}

static void begin_rows_of_thread(SnBuilder *b, SnGpuRowKernel *g, MlirValue number) {
  int64_t last = g->form->num_rows - 1, size = g->form->dims.data[last].size;
  MlirValue rows = sn_index(b, g->plan->rows), *dims = g->program.dims;
  if (size == SN_DYNAMIC || size % g->plan->rows == 0) {
    sn_form_point(b, g->form, 0, g->form->num_rows, sn(b, "arith.muli", number, rows), dims);
    return;
  }
  MlirValue each = sn_index(b, threads_of_line(g)),
            first = sn(b, "arith.muli", last ? sn(b, "arith.remui", number, each) : number, rows);
  if (last)
    sn_form_point(b, g->form, 0, last, sn(b, "arith.divui", number, each), dims);
  dims[last] = sn(b, "arith.minui", first, sn_index(b, size - g->plan->rows));
  if (size <= UINT16_MAX + 1) // more is no number of 16 bits
    dims[last] = of_any_range(b, dims[last]);
}

static MlirValue threads_of_rows(SnBuilder *b, const SnGpuRowKernel *g) {
  int64_t size = g->form->dims.data[g->form->num_rows - 1].size;
  if (size == SN_DYNAMIC || size % g->plan->rows == 0)
    return sn(b, "arith.divui", g->num_rows, sn_index(b, g->plan->rows));
  return sn(b, "arith.muli", sn(b, "arith.divui", g->num_rows, sn_index(b, size)), sn_index(b, threads_of_line(g)));
}

// The row's dimensions.
static void point(SnBuilder *b, SnGpuRowKernel *g, MlirValue row) {
  int64_t n = g->form->num_rows;
  if (!sn_row_rows_follow(g->form)) {
    sn_form_point(b, g->form, 0, n, row, g->program.dims);
    return;
  }
  for (int64_t d = 0; d < n; ++d)
    g->program.dims[d] = d + 1 < n ? sn_index(b, 0) : row;
}

static void emit_row(SnBuilder *b, SnGpuKernel *k, const SnGpuTile *tile, void *user) {
  SnGpuRowKernel *g = user;
  bool shared = g->mine.in_shared, ahead = sn_gpu_has_slots(g) && !shared;
  int64_t at_once = k->team < k->threads ? k->threads / k->team : 1;
  MlirValue next = ahead ? sn(b, "arith.addi", tile->number, sn_index(b, k->blocks / k->cluster)) : (MlirValue){0},
            row = k->team > 1 && at_once > 1 ? row_of_team(b, g, tile->number) : tile->number;
  sn_row_begin(&g->program);
  if (g->plan->rows > 1)
    begin_rows_of_thread(b, g, row);
  else
    point(b, g, row);
  sn_gpu_begin_turns(b, k, tile);
  if (g->mine.resident)
    sn_gpu_begin_resident(b, g, row, g->resident, g->inside);
  if (g->mine.held && k->held)
    sn_gpu_give_held(g);
  if (k->early)
    sn_gpu_give_early(g);
  if (shared) {
    sn_gpu_begin_shared_row(b, g, tile);
  } else if (ahead) {
    sn_gpu_fetched(b, g);
    g->next = next;
  }
  sn_gpu_run_program(b, g);
  if (shared)
    sn_gpu_end_shared_row(b, g);
  for (size_t u = 0; u < g->mine.resident; ++u)
    sn_fragment_free(&g->resident[u]);
}

// ---- all rows ------------------------------------------------------------------------

// A team's first row, and how far it is to its next. All threads share one row where elements are all alike.
static SnGpuTiles tiles_of(SnBuilder *b, const SnGpuRowKernel *g) {
  SnGpuKernel *k = g->k;
  int64_t at_once = k->team < k->threads ? k->threads / k->team : 1;
  if (k->teams == SN_GPU_GRID)
    return sn_gpu_tiles_in_steps(k, sn_index(b, 0), g->num_rows, 1);
  MlirValue first = k->group;
  if (at_once > 1)
    first = sn(b, "arith.muli", k->block, sn_index(b, at_once));
  if (k->team == 1)
    first = sn(b, "arith.addi", first, k->thread);
  if (g->plan->launch.one_each)
    return (SnGpuTiles){.deal = SN_GPU_ONE_EACH, .first = first, .end = g->num_rows};
  MlirValue tiles = g->plan->rows > 1 ? threads_of_rows(b, g) : g->num_rows;
  return sn_gpu_tiles_in_steps(k, first, tiles, k->blocks / k->cluster * at_once);
}

// Threads of a multiprocessor that have registers for what they asked early.
#define MOST_EARLY 1536

// `alone`: the launch is the form's own.
static void run_rows(SnBuilder *b, SnGpuRowKernel *g, bool alone) {
  SnGpuKernel *k = g->k;
  if (alone && g->plan->launch.occupancy * k->threads <= MOST_EARLY)
    sn_gpu_ask_early(b, k, &g->all);
  sn_gpu_begin_accumulators(b, g);
  SnGpuTiles tiles = tiles_of(b, g);
  if (g->mine.in_shared) {
    sn_gpu_make_slots(b, g);
    g->slots.ring = sn_gpu_ring(b, k, "pieces of a row", g->plan->fetch.slots, 1, 0);
    sn_gpu_fence_mbarriers(b);
    sn_gpu_sync(b, k);
  }
  if (tiles.deal != SN_GPU_ONE_EACH)
    sn_gpu_await_cluster(b, k);
  if (!g->mine.in_shared && g->plan->fetch.n && tiles.deal != SN_GPU_ONE_EACH) {
    sn_gpu_make_slots(b, g);
    sn_gpu_fetch(b, g, tiles.first);
  }
  sn_gpu_each_tile(b, k, &tiles, g->carried, g->num_carried, emit_row, g);
  g->valid = (MlirValue){0};
  sn_gpu_await_cluster(b, k);
  sn_gpu_finish(b, g);
}

static size_t count_row_barriers(const SnGpuRowKernel *g) {
  size_t count = 0;
  for (size_t i = 0; i < g->program.phases.size; ++i) {
    size_t shared = 0;
    for (size_t r = 0; r < g->program.phases.data[i].reduces.size; ++r) {
      MlirOperation reduce = g->program.phases.data[i].reduces.data[r];
      shared += !sn_gpu_feeds_accumulator(g, reduce) && !sn_gpu_is_only_asserted(reduce) &&
                !sn_row_joint_of_second(&g->joints, reduce);
    }
    count += shared > 0 && !sn_gpu_may_skip(g, i);
  }
  return count;
}

// The row program, and what of it is reduced over rows and how; without IR.
static void begin(SnGpuRowKernel *g, SnForm *f, const SnGpuRowPlan *plan, SnValues operands) {
  *g = (SnGpuRowKernel){.form = f, .plan = plan, .mine = plan->columns, .program = sn_row_program(f, operands)};
  g->program.row.rows = plan->rows;
  g->program.selects = true;
  sn_gpu_split_accumulators(g);
  if (g->mine.online)
    sn_row_join_exponentials(&g->joints, &g->program);
  if (g->mine.squares)
    sn_row_join_squares(&g->joints, &g->program);
  sn_gpu_find_own_parts(g);
  g->row_barriers = count_row_barriers(g);
}

static int64_t scratch_bytes(SnForm *f, const SnGpuRowPlan *plan) {
  SnGpuRowKernel g;
  begin(&g, f, plan, sn_values(0, NULL));
  SnGpuKernel k = {.blocks = plan->launch.blocks, .cluster = plan->launch.cluster};
  int64_t bytes = sn_gpu_grid_scratch(&k, &g.all);
  if (plan->launch.teams == SN_GPU_GROUP)
    bytes += sn_gpu_exchange_scratch(&g, &k);
  sn_row_program_free(&g.program);
  return bytes;
}

// ---- the kernel ------------------------------------------------------------------------

SnAccess *sn_gpu_access(SnForm *f, size_t o) {
  size_t inputs = f->inputs.size, indices = f->indices.size;
  return o < inputs             ? &f->inputs.data[o]
         : o < inputs + indices ? &f->indices.data[o - inputs]
                                : &f->outputs.data[o - inputs - indices];
}

typedef struct {
  MlirOperation op; // of the host
  const SnGpuRowPlan *plan;
} Rowwise;

// The form in the kernel's memory, and its row program. Free with end_kernel.
static void begin_kernel(SnBuilder *b, SnGpuKernel *k, const Rowwise *r, SnForm *f, SnGpuRowKernel *g) {
  *f = sn_form_read(r->op);
  MlirValue *operands = sn_alloc((k->num_operands + 1) * sizeof *operands);
  memcpy(operands, k->operands, k->num_operands * sizeof *operands);
  for (size_t o = 0; o < k->num_operands; ++o)
    sn_gpu_access(f, o)->value = operands[o];
  if (k->teams == SN_GPU_GRID)
    sn_gpu_flatten(b, f, operands);
  k->operands = operands;
  begin(g, f, r->plan, sn_values((intptr_t)k->num_operands, operands));
  g->program.aligned = SN_GPU_OPERANDS_ALIGNED;
  g->program.multiple = r->plan->columns.multiple;
  g->k = k;
  sn_gpu_mark_exponentials(&g->program);
  g->length = sn_form_columns(b, f);
  g->num_rows = sn_form_sizes(b, f, 0, f->num_rows);
}

static void end_kernel(SnGpuKernel *k, SnForm *f, SnGpuRowKernel *g) {
  sn_row_program_free(&g->program);
  sn_form_free(f);
  free((void *)k->operands);
}

static void emit(SnBuilder *b, SnGpuKernel *k, const void *user) {
  const Rowwise *r = user;
  SnForm f;
  SnGpuRowKernel g;
  begin_kernel(b, k, r, &f, &g);
  if (k->teams == SN_GPU_GROUP)
    sn_gpu_grid_rows(b, &g);
  else if (r->plan->turned.n)
    sn_gpu_turned_rows(b, &g);
  else
    run_rows(b, &g, !sn_in_sequence(r->op));
  end_kernel(k, &f, &g);
}

static void hold(SnBuilder *b, SnGpuKernel *k, bool numbers, const bool *may, SnValueVec *held, const void *user) {
  SnForm f;
  SnGpuRowKernel g;
  begin_kernel(b, k, user, &f, &g);
  (numbers ? sn_gpu_read_early : sn_gpu_hold)(b, &g, may, held);
  end_kernel(k, &f, &g);
}

// As many as have work; of those that go from row to row as many as the schedule says at most, and one at least, which
// writes what is reduced over no rows.
static MlirValue count_blocks(MlirOperation op, const SnForm *f, const SnGpuLaunch *l) {
  SnBuilder b = sn_before(op);
  MlirValue all = sn_form_sizes(&b, f, 0, l->teams == SN_GPU_GRID ? f->num_rows + f->num_cols : f->num_rows),
            teams = sn_size_ceil(&b, all, sn_index(&b, l->at_once));
  if (l->fitted)
    teams = sn_size_max(&b, sn(&b, "arith.minui", teams, sn_index(&b, l->blocks / l->cluster)), sn_index(&b, 1));
  return sn_size_mul(&b, teams, sn_index(&b, l->cluster));
}

// One kernel, by one schedule.
static MlirLogicalResult lower(MlirOperation op, const char *name, SnGpuTakeBody take, void *taker) {
  SnForm f = sn_form_read(op);
  SnGpuRows s = {0};
  if (!sn_is_plain(&f)) {
    sn_form_free(&f);
    return sn_error(op, "has several groups of columns, or a side that is computed: run sinter-split first");
  }
  MlirLogicalResult result = sn_gpu_read_rows(&f, &s);
  if (!sn_failed(result))
    result = sn_gpu_check_rows(&f, &s);
  if (!sn_failed(result)) {
    SnGpuRowPlan plan = sn_gpu_plan_rows(&f, &s);
    Rowwise user = {op, &plan};
    bool counted = (plan.launch.one_each || plan.launch.fitted) && !sn_in_sequence(op);
    SnGpuBody body = {.name = name,
                      .launch = &plan.launch,
                      .blocks = counted ? count_blocks(op, &f, &plan.launch) : (MlirValue){0},
                      .scratch = scratch_bytes(&f, &plan),
                      .addresses = plan.fetch.in_bulk && plan.fetch.n,
                      .asserts = sn_gpu_asserts(&f),
                      .mbarriers = plan.columns.in_shared || (plan.fetch.in_bulk && plan.fetch.n),
                      .emit = emit,
                      .hold = plan.columns.held ? hold : NULL,
                      .user = &user};
    result = take(op, &body, taker);
  }
  sn_form_free(&f);
  return result;
}

// ---- rows of any length ----------------------------------------------------------------

// As many rows as `least`, or more.
static MlirValue is_many(SnBuilder *b, MlirOperation op, int64_t least) {
  SnForm f = sn_form_read(op);
  MlirValue rows = sn_form_sizes(b, &f, 0, f.num_rows);
  sn_form_free(&f);
  return sn_row_below(b, sn_index(b, least - 1), rows);
}

// 1 to `most` columns, as the host sees it; of elements that are all alike as many in all rows.
static MlirValue is_short(SnBuilder *b, MlirOperation op, MlirAttribute shorter) {
  SnForm f = sn_form_read(op);
  int64_t most = sn_schedule_number(shorter, "most");
  MlirValue length = sn_schedule_word_is(shorter, "shape", "flat") ? sn_form_sizes(b, &f, 0, f.num_rows + f.num_cols)
                                                                   : sn_form_columns(b, &f);
  sn_form_free(&f);
  return sn_row_below(b, sn(b, "arith.subi", length, sn_index(b, 1)), sn_index(b, most));
}

// The size whose neighbours lanes are, and the last one of each operand that has them as neighbours, are multiples of
// `multiple`, a power of two; and there are `least` rows.
static MlirValue is_even(SnBuilder *b, MlirOperation op, MlirAttribute even) {
  SnForm f = sn_form_read(op);
  int64_t multiple = sn_schedule_number(even, "multiple"), least = sn_schedule_number(even, "least"),
          lane = sn_schedule_number(even, "rows") > 1 ? f.num_rows - 1 : f.num_rows + f.num_cols - 1;
  MlirValue sizes = sn_form_size(b, &f, lane), rows = sn_form_sizes(b, &f, 0, f.num_rows);
  for (size_t k = 0; k < f.inputs.size + f.outputs.size; ++k) {
    const SnAccess *a = k < f.inputs.size ? &f.inputs.data[k] : &f.outputs.data[k - f.inputs.size];
    intptr_t last = mlirAffineMapGetNumResults(a->map) - 1;
    if (sn_map_uses(a->map, lane) && sn_dim(sn_type_of(a->value), last) == SN_DYNAMIC)
      sizes = sn(b, "arith.ori", sizes, sn_dim_of(b, a->value, last));
  }
  MlirValue is = sn(b, "arith.cmpi", sn(b, "arith.andi", sizes, sn_index(b, multiple - 1)), sn_index(b, 0),
                    sn_attr("predicate", sn_i64(b->ctx, 0))); // eq
  if (least)
    is = sn(b, "arith.andi", is, sn_row_below(b, sn_index(b, least - 1), rows));
  sn_form_free(&f);
  return is;
}

static MlirLogicalResult lower_any(MlirOperation op, SnGpuTakeBody take, void *taker);

// A copy of the form, by this schedule.
static MlirLogicalResult lower_copy(SnBuilder *b, MlirOperation op, MlirAttribute schedule, SnGpuTakeBody take,
                                    void *taker) {
  SnMap map = {0};
  MlirOperation copy = sn_clone(b, op, &map);
  sn_map_free(&map);
  sn_set_attr(copy, "schedule", schedule);
  MlirLogicalResult result = lower_any(copy, take, taker);
  if (!sn_failed(result))
    mlirOperationDestroy(copy);
  return result;
}

// The schedule without one of those beside it.
static MlirAttribute without(MlirLocation loc, MlirAttribute schedule, const char *key) {
  MlirAttribute params = sn_schedule_params(schedule);
  SN_VEC(MlirNamedAttribute) kept = {0};
  for (intptr_t i = 0; i < mlirDictionaryAttrGetNumElements(params); ++i) {
    MlirNamedAttribute entry = mlirDictionaryAttrGetElement(params, i);
    if (!mlirStringRefEqual(mlirIdentifierStr(entry.name), SN_STR(key)))
      sn_push(&kept, entry);
  }
  MlirAttribute dict = mlirDictionaryAttrGet(mlirLocationGetContext(loc), (intptr_t)kept.size, kept.data);
  sn_vec_free(&kept);
  return sn_schedule_attr(loc, "gpu_rows", dict);
}

// What a kernel is called after the lengths and numbers that it is for; null: as its function.
static const char *name_of(MlirOperation op, MlirAttribute schedule, char *name, size_t size) {
  static const char *const keys[] = {"multiple", "most", "least"}, *const words[] = {"even", "most", "least"};
  bool any = false;
  MlirOperation func = op;
  while (!sn_is(func, "func.func"))
    func = mlirOperationGetParentOperation(func);
  size_t n = (size_t)snprintf(name, size, "%s", mlirStringAttrGetValue(sn_get_attr(func, "sym_name")).data);
  for (int k = 0; k < 3; ++k) {
    int64_t value = sn_schedule_number(schedule, keys[k]);
    if (value > (k == 0) && n < size) {
      n += (size_t)snprintf(name + n, size - n, "_%s%lld", words[k], (long long)value);
      any = true;
    }
  }
  return any ? name : NULL;
}

// The schedules that a schedule may have beside itself, of which the host takes one: in the order in which it asks.
static const struct {
  const char *key, *needs, *of;
  int64_t least; // of what it needs
} others[] = {{"even", "multiple", "for even sizes that does not say of what they are multiples", 2},
              {"shorter", "most", "for shorter rows that does not say how long they are", 1},
              {"many", "least", "for many rows that does not say how many they are", 1}};

static MlirValue is_other(SnBuilder *b, MlirOperation op, size_t which, MlirAttribute other) {
  return which == 0   ? is_even(b, op, other)
         : which == 1 ? is_short(b, op, other)
                      : is_many(b, op, sn_schedule_number(other, "least"));
}

static MlirLogicalResult lower_any(MlirOperation op, SnGpuTakeBody take, void *taker) {
  MlirAttribute schedule = sn_get_attr(op, "schedule"), other = {0};
  size_t which = 0;
  while (which < sizeof others / sizeof *others && !(other = sn_schedule_nested(schedule, others[which].key)).ptr)
    ++which;
  if (!other.ptr) {
    char name[320];
    return lower(op, name_of(op, schedule, name, sizeof name), take, taker);
  }
  if (sn_schedule_number(other, others[which].needs) < others[which].least)
    return sn_error(op, "has a schedule %s: it needs %s", others[which].of, others[which].needs);
  SnBuilder b = sn_before(op);
  SnIf branch = sn_if(&b, is_other(&b, op, which, other));
  MlirLogicalResult result = lower_copy(&b, op, other, take, taker);
  sn_else(&b, &branch);
  if (!sn_failed(result))
    result = lower_copy(&b, op, without(b.loc, schedule, others[which].key), take, taker);
  sn_end_if(&b, &branch);
  return result;
}

MlirLogicalResult sn_gpu_lower_rows(MlirOperation op, SnGpuTakeBody take, void *taker) {
  const char *mnemonic = sn_schedule_mnemonic(sn_get_attr(op, "schedule"));
  bool read = mnemonic && !strcmp(mnemonic, "gpu_rows");
  return read ? lower_any(op, take, taker) : lower(op, NULL, take, taker); // which says what is wrong
}

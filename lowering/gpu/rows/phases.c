// phases.c: the phases of a row program, and what they reduce.
//
//   for each phase:
//     scalars of the row that are known
//     j = vector * thread; j < N; j += vector * threads       consecutive threads, consecutive columns
//       partial = partial . element(j);  output[row, j]       vectors.c
//     row_reduce = partials combined over the block           block.c, cluster.c; many blocks: exchange.c
//   scalars stored by one thread
//
// A row_reduce that does nothing but feed an accumulator of its kind is not combined row by row: each thread
// goes on with its own part. A maximum and the sum of exponentials under it take one phase instead of two (online.c).
//
// test: test/lowering/gpu/lower_gpu.mlir, columns.mlir, online.mlir

#include "lowering/gpu/rows/gpu_rows.h"
#include "lowering/gpu/meet/words.h"
#include "lowering/rows/rowmemory.h"
#include <assert.h>

// ---- what a phase reduces ---------------------------------------------------------

// The scalar accumulator that this row_reduce feeds and nothing else reads, or -1.
static intptr_t feeds_only(const SnGpuRowKernel *g, MlirOperation reduce) {
  for (size_t a = 0; !g->finishing && a < g->all.scalars; ++a)
    if (!sn_null(g->own_part[a]) && mlirOperationEqual(g->own_part[a], reduce))
      return (intptr_t)a;
  return -1;
}

void sn_gpu_find_own_parts(SnGpuRowKernel *g) {
  const SnGpuLaunch *l = &g->plan->launch;
  int64_t rows = sn_num_rows(g->form);
  bool alone = l->teams != SN_GPU_GRID && l->team >= l->threads && rows != SN_DYNAMIC &&
               l->blocks == sn_times(rows, l->cluster); // with one row
  g->all.of_groups = true;
  for (size_t a = 0; a < g->all.scalars; ++a) {
    MlirValue v = sn_row_yield(&g->program, (intptr_t)g->of_scalar[a]);
    MlirOperation reduce = sn_reduce_of(v, NULL);
    bool joint =
        !sn_null(reduce) && (sn_row_joint_of_second(&g->joints, reduce) || sn_row_joint_of_first(&g->joints, reduce));
    bool same = !alone && !sn_null(reduce) && !joint && sn_one_use(v) &&
                mlirTypeEqual(sn_type_of(v), g->scalars[a].type) &&
                sn_reduction_of(&g->program, reduce).combiner == g->scalars[a].combiner;
    g->own_part[a] = same ? reduce : (MlirOperation){0};
    g->all.of_groups &= !same;
  }
}

bool sn_gpu_feeds_accumulator(const SnGpuRowKernel *g, MlirOperation reduce) { return feeds_only(g, reduce) >= 0; }

bool sn_gpu_keep_own_part(SnBuilder *b, SnGpuRowKernel *g, const SnGpuPart *part) {
  intptr_t a = feeds_only(g, part->reduce);
  if (a < 0)
    return false;
  const SnReduction *all = &g->scalars[a];
  MlirValue mine = sn_gpu_select(b, g->valid, part->value, sn_reduction_identity(b, all, 1));
  g->carried[a] = sn_reduction_combine(b, all, g->carried[a], mine);
  return true;
}

size_t sn_gpu_parts(const SnGpuRowKernel *g, size_t i, SnGpuPart *parts) {
  const SnPhase *phase = &g->program.phases.data[i];
  size_t n = 0;
  for (size_t r = 0; r < phase->reduces.size; ++r) {
    MlirOperation reduce = phase->reduces.data[r];
    if (sn_row_joint_of_second(&g->joints, reduce))
      continue; // done with its maximum
    assert(n < SN_MAX_REDUCTIONS && "checked before");
    const SnRowJoint *joint = sn_row_joint_of_first(&g->joints, reduce);
    parts[n++] = (SnGpuPart){
        .reduce = reduce, .sum = joint ? joint->second : (MlirOperation){0}, .squares = sn_row_joint_is_squares(joint)};
  }
  return n;
}

void sn_gpu_begin_phase(SnBuilder *b, SnGpuRowKernel *g, SnGpuPart *parts, size_t n) {
  for (size_t r = 0; r < n; ++r) {
    bool online = !sn_null(parts[r].sum), one = sn_gpu_adds_lanes_first(&parts[r]) || (online && !parts[r].squares);
    parts[r].value =
        sn_row_identity(b, &g->program, parts[r].reduce, one ? g->plan->rows : g->mine.width * g->plan->rows);
    if (online)
      parts[r].exponentials = parts[r].count = sn_row_identity(b, &g->program, parts[r].sum, g->mine.width);
  }
}

// What each lane of a part has, in one value.
static void to_scalars(SnBuilder *b, SnGpuRowKernel *g, SnGpuPart *parts, size_t n) {
  if (g->plan->rows > 1) // each lane is a row's
    return;
  for (size_t r = 0; r < n; ++r) {
    if (parts[r].squares) {
      sn_gpu_squares_lanes(b, &parts[r].value, &parts[r].exponentials, &parts[r].count);
      continue;
    }
    MlirValue *lanes = sn_null(parts[r].sum) ? &parts[r].value : &parts[r].exponentials;
    if (mlirTypeIsAVector(sn_type_of(*lanes)))
      *lanes = sn_row_horizontal(b, &g->program, sn_null(parts[r].sum) ? parts[r].reduce : parts[r].sum, *lanes);
  }
}

void sn_gpu_end_phase(SnBuilder *b, SnGpuRowKernel *g, SnGpuPart *parts, size_t n) {
  to_scalars(b, g, parts, n);
  for (size_t r = 0; r < n; ++r)
    if (!sn_null(parts[r].sum) && !parts[r].squares)
      parts[r].exponentials = sn_gpu_online_end(b, parts[r].value, parts[r].exponentials);
}

size_t sn_gpu_meet(SnGpuRowKernel *g, const SnGpuPart *part, size_t n, SnReduction *reductions, MlirValue *values,
                   MlirOperation *shared) {
  size_t first = n;
  shared[n] = part->reduce;
  values[n] = part->value;
  reductions[n++] = sn_reduction_of(&g->program, part->reduce);
  if (sn_null(part->sum))
    return n;
  if (part->squares) {
    shared[n] = (MlirOperation){0};
    values[n] = part->count;
    reductions[n] = reductions[first];
    ++n;
  }
  shared[n] = part->sum;
  values[n] = part->exponentials;
  reductions[n] = sn_reduction_of(&g->program, part->sum);
  *(part->squares ? &reductions[n].about : &reductions[n].under) = first + 1;
  return n + 1;
}

// ---- columns -----------------------------------------------------------------------

// The carried values of parts, to and from a flat list.
static intptr_t pack(const SnGpuPart *parts, size_t n, MlirValue *list) {
  intptr_t size = 0;
  for (size_t p = 0; p < n; ++p) {
    list[size++] = parts[p].value;
    if (!sn_null(parts[p].sum))
      list[size++] = parts[p].exponentials;
    if (parts[p].squares)
      list[size++] = parts[p].count;
  }
  return size;
}
static void unpack(SnGpuPart *parts, size_t n, const MlirValue *list) {
  for (size_t p = 0; p < n; ++p) {
    parts[p].value = *list++;
    if (!sn_null(parts[p].sum))
      parts[p].exponentials = *list++;
    if (parts[p].squares)
      parts[p].count = *list++;
  }
}

static SnFragment fragment_at(const SnGpuRowKernel *g, MlirValue j) {
  return g->plan->rows > 1 ? sn_fragment_of_rows(j, g->plan->rows) : sn_fragment(j, g->mine.width);
}

// One phase on vectors at j, j + step, ..., where nothing is known from before.
static void columns_at(SnBuilder *b, SnGpuRowKernel *g, const SnPhase *phase, SnGpuPart *parts, size_t n, MlirValue j,
                       int64_t count, int64_t step) {
  SnFragment *at = sn_alloc((size_t)count * sizeof *at);
  for (int64_t u = 0; u < count; ++u)
    at[u] = fragment_at(g, u ? sn(b, "arith.addi", j, sn_index(b, u * step)) : j);
  sn_gpu_run_vectors(b, g, phase, parts, n, (size_t)count, at, NULL);
  for (int64_t u = 0; u < count; ++u)
    sn_fragment_free(&at[u]);
  free(at);
}

// Column loop from `from` to `to` by `count` vectors of each thread. What is added to accumulators in registers does
// not get here.
static void column_loop(SnBuilder *b, SnGpuRowKernel *g, const SnPhase *phase, SnGpuPart *parts, size_t n,
                        MlirValue from, MlirValue to, int64_t count) {
  int64_t step = g->mine.width * g->k->team, low, high;
  MlirValue list[SN_GPU_MAX_VALUES];
  bool known = sn_known(from, &low);
  if (known && sn_known(to, &high) && low >= high)
    return;
  MlirValue mine = sn(b, "arith.muli", g->k->member, sn_index(b, g->mine.width));
  if (!known || low)
    mine = sn(b, "arith.addi", mine, from);
  SnLoop j = sn_for_values(b, mine, to, sn_index(b, step * count), sn_values(pack(parts, n, list), list));
  unpack(parts, n, j.carried);
  columns_at(b, g, phase, parts, n, j.index, count, step);
  intptr_t carried = pack(parts, n, list);
  sn_next_values(b, &j, sn_values(carried, list));
  for (intptr_t i = 0; i < carried; ++i)
    list[i] = sn_result(j.op, i);
  unpack(parts, n, list);
}

// Vectors whose places a row may not have may be read from its last place instead, and do not count.
static bool may_mask(const SnGpuRowKernel *g, const SnGpuPart *parts, size_t n) {
  for (size_t r = 0; r < n; ++r)
    if (sn_gpu_is_packed_maximum(g, parts[r].reduce))
      return false;
  return g->plan->rows < 2 && g->k->team > 1 && !sn_gpu_sums_columns(g->form);
}

// What is left behind whole steps of `unroll` vectors, up to `to`: less than a step, all of which is read at once.
static void last_columns(SnBuilder *b, SnGpuRowKernel *g, const SnPhase *phase, SnGpuPart *parts, size_t n,
                         MlirValue from, MlirValue to) {
  int64_t lanes = g->mine.width, step = lanes * g->k->team, low, high, count = g->mine.unroll;
  MlirValue list[SN_GPU_MAX_VALUES], inside[SN_GPU_MOST_UNROLLED];
  SnFragment at[SN_GPU_MOST_UNROLLED];
  if (sn_known(from, &low) && sn_known(to, &high)) {
    if (low >= high)
      return;
    count = sn_pieces(high - low, step);
  }
  MlirValue mine = sn(b, "arith.addi", sn(b, "arith.muli", g->k->member, sn_index(b, lanes)), from);
  // (It runs once, or not at all.)
  SnLoop j = sn_for_values(b, mine, to, sn_index(b, step * count), sn_values(pack(parts, n, list), list));
  unpack(parts, n, j.carried);
  MlirValue last = sn(b, "arith.subi", to, sn_index(b, lanes));
  for (int64_t u = 0; u < count; ++u) {
    MlirValue place = u ? sn(b, "arith.addi", j.index, sn_index(b, u * step)) : j.index;
    inside[u] = u ? sn_row_below(b, place, to) : (MlirValue){0};
    at[u] = sn_fragment(u ? sn(b, "arith.minui", place, last) : place, lanes);
  }
  sn_gpu_run_vectors(b, g, phase, parts, n, (size_t)count, at, inside);
  for (int64_t u = 0; u < count; ++u)
    sn_fragment_free(&at[u]);
  intptr_t carried = pack(parts, n, list);
  sn_next_values(b, &j, sn_values(carried, list));
  for (intptr_t i = 0; i < carried; ++i)
    list[i] = sn_result(j.op, i);
  unpack(parts, n, list);
}

void sn_gpu_run_columns(SnBuilder *b, SnGpuRowKernel *g, size_t i, SnGpuPart *parts, size_t n, size_t first,
                        size_t count) {
  sn_gpu_run_vectors(b, g, &g->program.phases.data[i], parts, n, count, g->resident + first, g->inside + first);
}

void sn_gpu_run_all_columns(SnBuilder *b, SnGpuRowKernel *g, size_t i, SnGpuPart *parts, size_t n) {
  const SnPhase *phase = &g->program.phases.data[i];
  if (!n && !phase->yields.size)
    return;
  if (g->plan->rows_are_lanes) { // a row of one column
    columns_at(b, g, phase, parts, n, sn_index(b, 0), 1, 1);
    return;
  }
  int64_t all;
  if (g->k->team == 1 && !g->mine.resident && sn_known(g->length, &all) && all <= g->mine.unroll) { // no loop
    columns_at(b, g, phase, parts, n, sn_index(b, 0), all, 1);
    return;
  }
  if (g->mine.resident && g->mine.in_shared) {
    sn_gpu_shared_columns(b, g, i, parts, n);
    return;
  }
  if (g->mine.resident) {
    sn_gpu_run_vectors(b, g, phase, parts, n, g->mine.resident, g->resident, g->inside);
    return;
  }
  int64_t unroll = g->mine.unroll, lanes = g->mine.width, known;
  MlirValue whole = sn_index(b, 0), vectors = g->mine.multiple % lanes ? sn_size_whole(b, g->length, lanes) : g->length;
  if (unroll > 1) {
    whole = sn_size_whole(b, g->length, lanes * g->k->team * unroll);
    column_loop(b, g, phase, parts, n, sn_index(b, 0), whole, unroll);
  }
  if (unroll > 1 && unroll <= SN_GPU_MOST_UNROLLED && may_mask(g, parts, n))
    last_columns(b, g, phase, parts, n, whole, vectors);
  else
    column_loop(b, g, phase, parts, n, whole, vectors, 1);
  if (lanes == 1 || (sn_known(g->length, &known) ? known : g->mine.multiple) % lanes == 0)
    return;
  // What is less than a vector, an element each.
  to_scalars(b, g, parts, n);
  g->mine.width = 1;
  column_loop(b, g, phase, parts, n, vectors, g->length, 1);
  g->mine.width = lanes;
}

// ---- the program -------------------------------------------------------------------

// In front of a phase: what waits of the row is as the phase finds it.
static void before_phase(SnBuilder *b, size_t i, void *user) {
  SnGpuRowKernel *g = user;
  // What is on its way delays what blocks of a cluster post to each other: they ask behind the last of it.
  if (!sn_none(g->next) && (g->k->cluster == 1 || i + 1 == g->program.phases.size)) {
    sn_gpu_fetch(b, g, g->next);
    g->next = (MlirValue){0};
  }
  if (g->mine.packed)
    sn_gpu_unpack(b, g, i);
  else if (i && g->mine.remade)
    sn_gpu_forget(b, g, i);
}

static void all_columns(SnBuilder *b, SnGpuRowKernel *g, size_t i, SnGpuPart *parts, size_t n) {
  sn_gpu_begin_phase(b, g, parts, n);
  sn_gpu_run_all_columns(b, g, i, parts, n);
  sn_gpu_end_phase(b, g, parts, n);
}

// The condition without which a phase that reads the row again need not; null: none. All who share a row know it. (An
// H200, argmin of 116,712 rows of 320 elements apart: 0.166 ms without, 0.040 with.)
static MlirValue guard_of(const SnGpuRowKernel *g, size_t i, const SnGpuPart *parts, size_t n) {
  MlirValue none = {0};
  for (size_t r = 0; r < n; ++r)
    if (!sn_null(parts[r].sum))
      return none;
  return g->mine.in_shared ? none : sn_row_guard(&g->program, (int)i);
}

// What a branch makes of resident vectors is not known behind it: there they know what they were read as, and what they
// knew in front of it comes back.
static SnFragment *begin_branch(SnGpuRowKernel *g) {
  SnFragment *before = sn_alloc((g->mine.resident + 1) * sizeof *before);
  for (size_t u = 0; u < g->mine.resident; ++u) {
    SnMap read = {0};
    before[u] = g->resident[u];
    for (intptr_t k = 0; k < mlirBlockGetNumArguments(g->form->body); ++k) {
      MlirValue v = mlirBlockGetArgument(g->form->body, k), x = sn_mapped(&before[u].made, v);
      if (!sn_none(x))
        sn_map(&read, v, x);
    }
    g->resident[u].made = read;
  }
  return before;
}

static void end_branch(SnGpuRowKernel *g, SnFragment *before) {
  for (size_t u = 0; u < g->mine.resident; ++u) {
    sn_fragment_free(&g->resident[u]);
    g->resident[u] = before[u];
  }
  free(before);
}

static MlirValue any_of_warp(SnBuilder *b, MlirValue holds) {
  return sn(b, "nvvm.vote.sync", sn_int(b, mlirIntegerTypeGet(b->ctx, 32), -1), holds, sn_type_of(holds),
            sn_attr("kind", sn_parse_attr(b->ctx, "#nvvm<vote_sync_kind any>")));
}

// Whether the condition is made the same for all who wait for each other where they meet, so that they meet under it.
static bool meets_under_guard(const SnGpuLaunch *l) { return l->teams != SN_GPU_GROUP && l->cluster == 1; }

bool sn_gpu_may_skip(const SnGpuRowKernel *g, size_t i) {
  return meets_under_guard(&g->plan->launch) && !g->mine.in_shared && !sn_none(sn_row_guard(&g->program, (int)i));
}

// What the phase reduces, under a condition: what it is of no elements where that does not hold.
static void guarded_phase(SnBuilder *b, SnGpuRowKernel *g, size_t i, MlirValue guard, SnGpuPart *parts, size_t n) {
  MlirValue values[SN_GPU_MAX_VALUES], holds = sn_row_scalar(&g->program, guard);
  MlirOperation shared[SN_GPU_MAX_VALUES];
  SnReduction reductions[SN_GPU_MAX_VALUES];
  MlirType types[SN_MAX_REDUCTIONS];
  bool inside = meets_under_guard(&g->plan->launch);
  size_t met = 0;
  if (mlirTypeIsAVector(sn_type_of(holds))) // of some row of a thread
    holds = sn(b, "vector.reduction", holds, mlirIntegerTypeGet(b->ctx, 1),
               sn_attr("kind", sn_parse_attr(b->ctx, "#vector.kind<or>")));
  // Of some row of a warp: of a tile all warps have the same rows.
  if (g->k->teams == SN_GPU_ACROSS_WARPS || (inside && g->k->team > 1 && g->k->team < 32))
    holds = any_of_warp(b, holds);
  for (size_t r = 0; r < n; ++r) {
    MlirType t = sn_type_of(sn_result(parts[r].reduce, 0));
    types[r] = g->plan->rows > 1 ? sn_vector(t, g->plan->rows) : t;
  }
  SnIf run = sn_if_types(b, holds, (SnTypes){(intptr_t)n, types});
  SnFragment *before = begin_branch(g);
  all_columns(b, g, i, parts, n);
  end_branch(g, before);
  for (size_t r = 0; r < n; ++r)
    met = sn_gpu_meet(g, &parts[r], met, reductions, values, shared);
  if (inside)
    sn_gpu_reduce_group(b, g->k, n, reductions, values, g->row_barriers <= 1);
  sn_else_values(b, &run, sn_values((intptr_t)n, values));
  for (size_t r = 0; r < n; ++r)
    values[r] = sn_row_identity(b, &g->program, parts[r].reduce, g->plan->rows);
  sn_end_if_values(b, &run, sn_values((intptr_t)n, values));
  for (size_t r = 0; r < n; ++r)
    values[r] = sn_result(run.op, (intptr_t)r);
  if (!inside)
    sn_gpu_reduce_group(b, g->k, n, reductions, values, g->row_barriers <= 1);
  for (size_t r = 0; r < n; ++r)
    sn_row_know(&g->program, sn_result(parts[r].reduce, 0), values[r]);
}

// One phase of one row: what it reduces is known to the whole team behind it.
// A row without elements has no maximum that an exponential could be taken under: the sum is of none.
static void end_without_elements(SnBuilder *b, const SnGpuRowKernel *g, size_t n, const SnReduction *reductions,
                                 MlirValue *values) {
  int64_t known;
  if (sn_known(g->length, &known) && known)
    return;
  for (size_t r = 0; r < n; ++r)
    if (reductions[r].under) {
      MlirType t = sn_type_of(values[r]);
      MlirValue none = sn(b, "arith.cmpi", g->length, sn_index(b, 0), sn_attr("predicate", sn_i64(b->ctx, 0 /* eq */)));
      values[r] = sn(b, "arith.select", none, sn_float(b, t, 0), values[r]);
    }
}

static void run_phase(SnBuilder *b, size_t i, void *user) {
  SnGpuRowKernel *g = user;
  SnRowProgram *p = &g->program;
  SnGpuPart parts[SN_MAX_REDUCTIONS];
  SnReduction reductions[SN_GPU_MAX_VALUES];
  MlirValue values[SN_GPU_MAX_VALUES];
  MlirOperation shared[SN_GPU_MAX_VALUES];
  size_t num_shared = 0, n = sn_gpu_parts(g, i, parts);
  MlirValue guard = guard_of(g, i, parts, n);
  if (!sn_none(guard)) {
    guarded_phase(b, g, i, guard, parts, n);
    return;
  }
  all_columns(b, g, i, parts, n);
  for (size_t r = 0; r < n; ++r) {
    if (sn_gpu_is_only_asserted(parts[r].reduce)) { // each thread asserts what it has seen
      sn_row_know(p, sn_result(parts[r].reduce, 0), parts[r].value);
      continue;
    }
    if (!sn_gpu_keep_own_part(b, g, &parts[r]))
      num_shared = sn_gpu_meet(g, &parts[r], num_shared, reductions, values, shared);
  }
  sn_gpu_reduce_group(b, g->k, num_shared, reductions, values, g->row_barriers <= 1);
  end_without_elements(b, g, num_shared, reductions, values);
  for (size_t r = 0; r < num_shared; ++r)
    sn_row_know(p, sn_result(shared[r], 0), values[r]);
}

// The row's element to who waits for it in the next turn.
static void send_words(SnBuilder *b, const SnGpuRowKernel *g, size_t o, MlirValue element) {
  const SnAccess *a = &g->form->outputs.data[o];
  for (size_t i = 0; i < g->k->num_sent; ++i) {
    int64_t factors[SN_MAX_DIMS];
    MlirValue index = sn_index(b, 0);
    if (g->k->sent[i].output != o || !sn_linear_factors(a->map, sn_type_of(a->value), factors))
      continue;
    for (int64_t d = 0; d < g->form->num_rows; ++d)
      if (factors[d])
        index = sn(b, "arith.addi", index, sn(b, "arith.muli", g->program.dims[d], sn_index(b, factors[d])));
    sn_gpu_send_word(b, &g->k->sent[i], index, element);
  }
}

// Those of a row that are one for the row: by all threads where each has a row, else by the first that share it.
void sn_gpu_store_scalars(SnBuilder *b, SnGpuRowKernel *g) {
  const SnForm *f = g->form;
  MlirValue who = g->k->team == 1 && !g->finishing ? (MlirValue){0} : g->k->first_of_team;
  if (!sn_none(g->valid))
    who = sn_none(who) ? g->valid : sn(b, "arith.andi", who, g->valid);
  bool any = false;
  SnIf leader;
  size_t seen[2] = {0};
  for (size_t o = 0; o < f->outputs.size; ++o) {
    size_t position = sn_next_position(f, o, seen);
    if (sn_is_reduced(f, o) != g->finishing || sn_uses_cols(f, f->outputs.data[o].map))
      continue;
    MlirValue v = sn_row_yield(&g->program, (intptr_t)position);
    if (!any && !sn_none(who))
      leader = sn_if(b, who);
    any = true;
    SnAccess access = sn_gpu_output(g, o);
    SnFragment at =
        g->plan->rows > 1 ? sn_fragment_of_rows(sn_index(b, 0), g->plan->rows) : sn_fragment(sn_index(b, 0), 1);
    sn_row_store(b, &g->program, &at, sn_row_scalar(&g->program, v), &access);
    send_words(b, g, o, sn_row_scalar(&g->program, v));
    sn_fragment_free(&at);
  }
  if (any && !sn_none(who))
    sn_end_if(b, &leader);
}

void sn_gpu_run_program(SnBuilder *b, SnGpuRowKernel *g) {
  // A loop over columns would wait for what a branch in front of it asks, as a label; where there is none, ptxas loads
  // the row in front of the branch, and the label in front of the row.
  SnRowWalk walk = {.before = before_phase, .columns = run_phase, .user = g, .asserts_behind = !g->mine.resident};
  sn_row_walk(b, &g->program, g->program.phases.size, &walk);
  if (!g->finishing)
    sn_gpu_accumulate_scalars(b, g);
  sn_gpu_store_scalars(b, g);
}

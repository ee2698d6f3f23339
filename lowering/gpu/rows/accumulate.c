// accumulate.c: what is reduced over rows.
//
//   scalars        carried by each thread from row to row; then over the block (block.c) and the grid (grid.c)
//   columns [j]    a thread has the same columns in every row:
//                    in registers    carried; at the end combined over the block's teams in shared memory, row[group] =
//                    sum or in memory    row[group, j] = row[group, j] . x, by the one thread that has j
//                  then over the grid
//   finish         the last block runs it like a row of its own
//
// Every order is fixed by sizes and schedule: equal inputs give equal bits, without atomics on values.
//
// test: test/lowering/gpu/columns.mlir

#include "lowering/gpu/rows/gpu_rows.h"
#include "lowering/rows/rowmemory.h"
#include <assert.h>

void sn_gpu_split_accumulators(SnGpuRowKernel *g) {
  const SnForm *f = g->form;
  size_t scalars = 0, columns = 0;
  for (size_t k = 0; k < f->accumulators.size; ++k) {
    SnReduction r = sn_reduction_of_accumulator(f, k);
    if (sn_uses_cols(f, f->accumulators.data[k].map)) {
      g->columns[columns] = r;
      g->of_column[columns++] = k;
    } else {
      g->scalars[scalars] = r;
      g->of_scalar[scalars++] = k;
    }
  }
  g->all = (SnGpuAccumulators){.scalars = scalars,
                               .columns = columns,
                               .of_scalars = g->scalars,
                               .of_columns = g->columns,
                               .length = columns ? sn_row_length(f) : 0,
                               .width = g->mine.width};
}

// All columns that a thread has of a row, by vectors; the builder stands inside.
static SnLoop each_vector(SnBuilder *b, SnGpuRowKernel *g) {
  MlirValue w = sn_index(b, g->mine.width);
  return sn_for(b, sn(b, "arith.muli", g->k->member, w), g->length, sn(b, "arith.muli", sn_index(b, g->k->team), w));
}

static SnAttr alignment(SnBuilder *b, MlirType element, int64_t width) {
  int64_t bytes = width * sn_scratch_bytes(element);
  return sn_attr("alignment", width > 1 ? sn_i64(b->ctx, bytes < 16 ? bytes : 16) : mlirAttributeGetNull());
}

static void store(SnBuilder *b, SnGpuRowKernel *g, size_t c, MlirValue x, MlirValue column) {
  MlirValue at[] = {g->k->group, column};
  sn_scratch_store(b, x, g->rows[c], sn_values(2, at), alignment(b, g->columns[c].type, g->mine.width));
}

void sn_gpu_begin_accumulators(SnBuilder *b, SnGpuRowKernel *g) {
  g->num_carried = g->all.scalars;
  for (size_t a = 0; a < g->all.scalars; ++a)
    g->carried[a] = sn_reduction_identity(b, &g->scalars[a], 1);
  for (size_t c = 0; c < g->all.columns; ++c) {
    g->rows[c] = sn_gpu_grid_columns(b, g->k, &g->all, c);
    MlirValue none = sn_reduction_identity(b, &g->columns[c], g->mine.width);
    for (size_t u = 0; u < g->mine.resident; ++u)
      g->carried[g->num_carried++] = none;
    if (g->mine.resident)
      continue;
    SnLoop j = each_vector(b, g);
    store(b, g, c, none, j.index);
    sn_next(b, &j);
  }
}

intptr_t sn_gpu_column_accumulator(const SnGpuRowKernel *g, intptr_t yield) {
  for (size_t c = 0; !g->finishing && c < g->all.columns; ++c)
    if (g->of_column[c] == (size_t)yield)
      return (intptr_t)c;
  return -1;
}

void sn_gpu_accumulate_columns(SnBuilder *b, SnGpuRowKernel *g, size_t c, size_t u, SnFragment *at, MlirValue x) {
  const SnReduction *r = &g->columns[c];
  MlirType t = g->mine.width > 1 ? sn_vector(r->type, g->mine.width) : r->type;
  if (!mlirTypeEqual(sn_type_of(x), t)) // only floats may be reduced in a wider type
    x = sn(b, "arith.extf", x, t);
  if (g->mine.resident) {
    MlirValue *sum = &g->carried[g->all.scalars + c * g->mine.resident + u];
    *sum = sn_reduction_combine(b, r, *sum, sn_gpu_select(b, g->valid, x, sn_reduction_identity(b, r, g->mine.width)));
    return;
  }
  MlirValue place[] = {g->k->group, at->column};
  MlirValue sum = sn_scratch_load(b, g->rows[c], sn_values(2, place), t, alignment(b, r->type, g->mine.width));
  store(b, g, c, sn_reduction_combine(b, r, sum, x), at->column);
}

void sn_gpu_accumulate_scalars(SnBuilder *b, SnGpuRowKernel *g) {
  for (size_t a = 0; a < g->all.scalars; ++a) {
    if (!sn_null(g->own_part[a]))
      continue;
    const SnReduction *r = &g->scalars[a];
    MlirValue x = sn_row_scalar(&g->program, sn_row_yield(&g->program, (intptr_t)g->of_scalar[a]));
    if (!mlirTypeEqual(sn_type_of(x), r->type))
      x = sn(b, "arith.extf", x, r->type);
    x = sn_gpu_select(b, g->valid, x, sn_reduction_identity(b, r, 1));
    g->carried[a] = sn_reduction_combine(b, r, g->carried[a], x);
  }
}

// ---- after all rows ------------------------------------------------------------------

static MlirValue is_zero(SnBuilder *b, MlirValue x) {
  return sn(b, "arith.cmpi", x, sn_index(b, 0), sn_attr("predicate", sn_i64(b->ctx, 0)));
}

// What a thread carries is a part of its own, or the same for all threads that share rows: then one of them stands for
// all.
static void reduce_scalars(SnBuilder *b, SnGpuRowKernel *g) {
  SnGpuKernel *k = g->k;
  SnReduction parts[SN_MAX_ACCUMULATORS];
  MlirValue values[SN_MAX_ACCUMULATORS], leader = {0};
  bool teams = k->team < k->threads;
  size_t n = 0;
  for (size_t a = 0; a < g->all.scalars; ++a) {
    bool own = !sn_null(g->own_part[a]);
    if (!own && (k->cluster > 1 || (teams && k->team > 1))) {
      if (sn_none(leader))
        leader = is_zero(b, teams ? k->member : k->rank);
      g->carried[a] = sn_gpu_select(b, leader, g->carried[a], sn_reduction_identity(b, &g->scalars[a], 1));
    }
    if (own || teams) {
      parts[n] = g->scalars[a];
      values[n++] = g->carried[a];
    }
  }
  sn_gpu_reduce_block(b, k, n, parts, values, false);
  for (size_t a = 0, i = 0; a < g->all.scalars; ++a)
    if (teams || !sn_null(g->own_part[a]))
      g->carried[a] = values[i++];
}

// What the teams of a warp carry of the same columns, combined: each of them has it.
static MlirValue meet_teams(SnBuilder *b, const SnReduction *r, MlirValue x, int64_t team) {
  if (!mlirTypeIsAVector(sn_type_of(x)))
    return sn_gpu_butterfly_of_teams(b, r, x, team);
  MlirValue all = x;
  for (int64_t l = 0; l < sn_dim(sn_type_of(x), 0); ++l)
    all = sn(b, "vector.insert", sn_gpu_butterfly_of_teams(b, r, sn_lane(b, x, l), team), all, sn_type_of(x),
             sn_attr("static_position", mlirDenseI64ArrayGet(b->ctx, 1, &l)));
  return all;
}

// row[group] = what the teams of this block carry of column accumulator c: first those of a warp, then the warps.
static void reduce_teams(SnBuilder *b, SnGpuRowKernel *g, size_t c, MlirValue shared, const MlirValue *sums) {
  SnGpuKernel *k = g->k;
  const SnReduction *r = &g->columns[c];
  if (c)
    sn_gpu_sync(b, k);
  sn_gpu_know_lanes(k);
  MlirValue leads = sn(b, "arith.cmpi", k->lane, sn_index(b, k->team), sn_attr("predicate", sn_i64(b->ctx, 6)));
  for (size_t u = 0; u < g->mine.resident; ++u) {
    MlirValue all = meet_teams(b, r, sums[u], k->team);
    SnIf in_row = sn_if(b, sn_none(g->inside[u]) ? leads : sn(b, "arith.andi", leads, g->inside[u]));
    MlirValue at[] = {k->warp, g->resident[u].column};
    sn_scratch_store(b, all, shared, sn_values(2, at), sn_no_attr());
    sn_end_if(b, &in_row);
  }
  sn_gpu_sync(b, k);
  SnLoop j = sn_for(b, k->thread, g->length, sn_index(b, k->threads));
  MlirValue to[] = {k->group, j.index},
            sum = sn_reduction_in_memory(b, r, shared, sn_index(b, 0), sn_index(b, k->warps), &j.index);
  sn_scratch_store(b, sum, g->rows[c], sn_values(2, to), sn_no_attr());
  sn_next(b, &j);
}

static void reduce_columns(SnBuilder *b, SnGpuRowKernel *g) {
  SnGpuKernel *k = g->k;
  if (!g->mine.resident || !g->all.columns)
    return;
  MlirValue shared[SN_MAX_ACCUMULATORS] = {0};
  int64_t shape[] = {k->warps, g->all.length};
  sn_gpu_begin_resident(b, g, (MlirValue){0}, g->resident, g->inside);
  for (size_t c = 0; c < g->all.columns; ++c) {
    const MlirValue *sums = g->carried + g->all.scalars + c * g->mine.resident;
    if (k->team < k->threads) {
      for (size_t d = 0; d < c && sn_none(shared[c]); ++d) // accumulators of one type take turns
        if (mlirTypeEqual(g->columns[d].type, g->columns[c].type))
          shared[c] = shared[d];
      if (sn_none(shared[c]))
        shared[c] =
            sn_gpu_shared(k, "sums of teams", 2, shape, sn_scratch_type(g->columns[c].type), SN_GPU_FOR_VECTORS);
      reduce_teams(b, g, c, shared[c], sums);
      continue;
    }
    for (size_t u = 0; u < g->mine.resident; ++u) {
      if (sn_none(g->inside[u])) {
        store(b, g, c, sums[u], g->resident[u].column);
        continue;
      }
      SnIf in_row = sn_if(b, g->inside[u]);
      store(b, g, c, sums[u], g->resident[u].column);
      sn_end_if(b, &in_row);
    }
  }
  for (size_t u = 0; u < g->mine.resident; ++u)
    sn_fragment_free(&g->resident[u]);
}

void sn_gpu_finish(SnBuilder *b, SnGpuRowKernel *g) {
  SnForm *f = g->form;
  if (!sn_num_reduced(f))
    return;
  reduce_scalars(b, g);
  reduce_columns(b, g);
  SnIf last = sn_gpu_reduce_grid(b, g->k, &g->all, g->carried);
  sn_row_default_finish(f, b->loc);
  SnGpuKernel block = sn_gpu_one_warp_is_left(g->k, &g->all) ? sn_gpu_first_warp(g->k) : *g->k;
  block.team = block.threads;
  block.member = block.thread;
  block.cluster = 1;
  block.first_of_team = block.first;
  SnGpuRowKernel done = {.k = &block,
                         .form = f,
                         .plan = g->plan,
                         .mine = {.width = g->mine.width, .unroll = 1},
                         .program = sn_finish_program(f, sn_values(0, NULL)),
                         .finishing = true,
                         .length = g->length};
  done.program.aligned = g->program.aligned;
  done.program.multiple = g->program.multiple;
  for (size_t a = 0; a < g->all.scalars; ++a)
    sn_row_know(&done.program, mlirBlockGetArgument(f->finish, (intptr_t)g->of_scalar[a]), g->carried[a]);
  for (size_t c = 0; c < g->all.columns; ++c)
    sn_row_set_scratch(&done.program, (intptr_t)g->of_column[c], g->rows[c], sn_index(b, 0), (MlirValue){0});
  sn_gpu_run_program(b, &done);
  sn_row_program_free(&done.program);
  sn_end_if(b, &last);
}

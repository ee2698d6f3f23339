// row_checks.c: what of a form and its schedule cannot become a kernel.
//
// The scheduler writes no such thing; a schedule may also come from a person or from a tuning file.
//
// new family of rows: what of a form it cannot run.
//
// test: test/lowering/gpu/refused.mlir

#include "lowering/gpu/rows/row_checks.h"
#include "dialect/sequence.h"
#include "lowering/rows/rowprogram.h"

#define TEAM_SHARED (40 << 10) // bytes of sums of columns of the teams of a block
#define MOST_TURNED_BYTES (48 << 10)

static size_t sums_of_columns(const SnForm *f) {
  size_t count = 0;
  for (size_t k = 0; k < f->accumulators.size; ++k)
    count += sn_uses_cols(f, f->accumulators.data[k].map);
  return count;
}

static MlirLogicalResult check_columns(const SnForm *f, const SnGpuRows *s, const SnGpuRowPlan *p) {
  int64_t n = sn_row_length(f), bytes = 0, team = p->launch.team;
  size_t resident = p->columns.resident, carried = sums_of_columns(f) * resident;
  if (n == SN_DYNAMIC)
    return sn_error(f->op, "keeps columns of rows whose length is `?` over all rows: a GPU kernel needs scratch memory "
                           "of a known size; make it static");
  if (team < s->threads && !resident)
    return sn_error(f->op,
                    "team = %lld of %lld threads keeps sums of columns in registers only: schedule with residency = "
                    "\"registers\", or without team",
                    (long long)team, (long long)s->threads);
  if (carried > SN_GPU_MOST_SUMS)
    return sn_error(f->op,
                    "carries %zu vectors of sums from row to row; a GPU kernel at most %d: more threads or residency = "
                    "\"reread\" are needed",
                    carried, SN_GPU_MOST_SUMS);
  for (size_t k = 0; k < f->accumulators.size; ++k)
    if (sn_uses_cols(f, f->accumulators.data[k].map) && bytes < sn_scratch_bytes(f->accumulators.data[k].type))
      bytes = sn_scratch_bytes(f->accumulators.data[k].type);
  if (team < s->threads && s->threads / team * n * bytes > TEAM_SHARED)
    return sn_error(
        f->op, "%lld teams of a block with %lld columns each are more than its shared memory: larger teams are needed",
        (long long)(s->threads / team), (long long)n);
  return SN_OK;
}

static MlirLogicalResult check_shared(const SnForm *f, const SnGpuRows *s, const SnGpuRowPlan *p) {
  if (s->shape != SN_GPU_SHAPE_ROWS || p->rows_are_lanes || p->launch.team < s->threads)
    return sn_error(f->op, "residency = \"shared\" needs columns and no team: rows of a block or a cluster");
  if (sn_gpu_sums_columns(f))
    return sn_error(
        f->op,
        "residency = \"shared\" keeps no sums of columns over all rows: schedule with residency = \"registers\"");
  if (s->ahead)
    return sn_error(f->op, "residency = \"shared\" has one row at a time: schedule without ahead");
  if (!p->fetch.n)
    return sn_error(
        f->op, "residency = \"shared\" needs an input with rows of a multiple of 16 bytes, or vectors of 16 bytes");
  return SN_OK;
}

static MlirLogicalResult check_rows_of_thread(const SnForm *f, const SnGpuRows *s, const SnGpuRowPlan *p) {
  int64_t last = f->num_rows ? f->dims.data[f->num_rows - 1].size : 1;
  if (p->launch.team != 1 || p->columns.resident || s->vector > 1)
    return sn_error(f->op,
                    "rows = %lld needs team = 1, vector = 1 and residency = \"reread\": rows of a thread by itself",
                    (long long)s->rows);
  const char *why = last < s->rows ? "they are more" : sn_gpu_not_overlapped(f);
  if ((last == SN_DYNAMIC ? s->multiple : last) % s->rows && why)
    return sn_error(f->op, "rows = %lld of a thread do not divide the last row dimension, which has %lld, and %s",
                    (long long)s->rows, (long long)last, why);
  if (sn_joins_rows(f) || sn_gpu_asserts(f))
    return sn_error(f->op, "rows = %lld of a thread are for forms that assert nothing and reduce nothing over rows",
                    (long long)s->rows);
  return SN_OK;
}

static MlirLogicalResult check_grid(const SnForm *f, const SnGpuRows *s, const SnGpuRowPlan *p) {
  size_t values, count;
  int64_t rows, pieces = (int64_t)p->columns.resident;
  if (p->rows_are_lanes || p->launch.team < s->threads)
    return sn_error(f->op, "shape = \"grid\" needs columns and no team: blocks share a row");
  if (p->launch.threads + p->launch.more_threads > 1024)
    return sn_error(f->op, "shape = \"grid\" has %lld threads beside threads = %lld, and a block has 1024 at most",
                    (long long)p->launch.more_threads, (long long)s->threads);
  if (s->group < 2 || s->blocks < s->group)
    return sn_error(f->op,
                    "shape = \"grid\" with group = %lld of blocks = %lld: two blocks or more share a row, and no more "
                    "than there are",
                    (long long)s->group, (long long)s->blocks);
  count = sn_gpu_exchanges(f, s->before, &values);
  if (!count)
    return sn_error(f->op,
                    "shape = \"grid\" is for rows whose reductions blocks have to share: nothing is reduced here");
  if (count > SN_GPU_EXCHANGES)
    return sn_error(f->op, "blocks that share a row meet at most %d times: schedule with shape = \"rows\"",
                    SN_GPU_EXCHANGES);
  if (values > SN_GPU_EXCHANGED)
    return sn_error(f->op, "a phase reduces %zu values; blocks exchange at most %d at a time", values,
                    SN_GPU_EXCHANGED);
  if (sn_gpu_sums_columns(f))
    return sn_error(f->op, "shape = \"grid\" keeps no sums of columns over all rows: schedule with shape = \"rows\"");
  if (!sn_gpu_counts(f, s->group, count, &rows))
    return sn_error(
        f->op,
        "%lld rows with %zu exchanges of %lld blocks each are more than 2^32: smaller groups of blocks are needed",
        (long long)rows, count, (long long)s->group);
  if (s->ahead && (s->residency != SN_GPU_REGISTERS || !p->fetch.n))
    return sn_error(f->op, "ahead = 1 of shape = \"grid\" needs residency = \"registers\", and an input with rows of a "
                           "multiple of 16 bytes or vectors of 16 bytes");
  if (s->ahead && s->depth > s->slots)
    return sn_error(
        f->op, "depth = %lld pieces on their way are more than slots = %lld: one would wait for another in its place",
        (long long)s->depth, (long long)s->slots);
  if (s->ahead && s->slots < pieces)
    return sn_error(f->op,
                    "a block's part of a row is %lld pieces, and slots = %lld do not hold them: larger groups of "
                    "blocks or more slots are needed",
                    (long long)pieces, (long long)s->slots);
  return SN_OK;
}

static MlirLogicalResult check_turned(const SnForm *f, const SnGpuRows *s) {
  const char *why = sn_gpu_not_turned(f);
  int64_t n = sn_row_length(f), all = s->tile_rows * s->tile_columns, bytes;
  if (why)
    return sn_error(f->op, "is not turned: %s", why);
  if (s->residency != SN_GPU_REREAD || s->cluster > 1 || s->team < s->threads)
    return sn_error(f->op,
                    "shape = \"turned\" needs residency = \"reread\", and no cluster or team: a block has a tile");
  if (s->tile_columns % s->vector || (n == SN_DYNAMIC ? s->vector > 1 : n % s->vector))
    return sn_error(f->op, "rows and tile_columns = %lld are no multiples of the schedule's vector = %lld",
                    (long long)s->tile_columns, (long long)s->vector);
  if (all > s->threads * SN_GPU_MOST_TILE)
    return sn_error(f->op, "a tile of %lld x %lld is more than %d elements of each of %lld threads",
                    (long long)s->tile_rows, (long long)s->tile_columns, SN_GPU_MOST_TILE, (long long)s->threads);
  bytes = sn_gpu_turned(f, s->tile_rows, s->tile_columns).bytes;
  if (bytes > MOST_TURNED_BYTES)
    return sn_error(f->op, "a tile of %lld x %lld is %lld bytes of shared memory, of %d", (long long)s->tile_rows,
                    (long long)s->tile_columns, (long long)bytes, MOST_TURNED_BYTES);
  return SN_OK;
}

// What the keys say of each other.
static MlirLogicalResult check_schedule(const SnForm *f, const SnGpuRows *s) {
  if (s->shape == SN_GPU_SHAPE_TILE &&
      (s->residency == SN_GPU_SHARED || s->vector > 1 || s->cluster > 1 || s->threads < 64))
    return sn_error(f->op,
                    "shape = \"tile\" needs residency = \"registers\" or \"reread\", vector = 1, cluster = 1 and "
                    "64 threads or more");
  if (s->shape == SN_GPU_SHAPE_FLAT && s->cluster > 1)
    return sn_error(f->op,
                    "shape = \"flat\" with cluster = %lld: all threads share what there is, and clusters nothing",
                    (long long)s->cluster);
  if (s->shape != SN_GPU_SHAPE_TILE && s->team > 32 && s->team < s->threads)
    return sn_error(
        f->op,
        "team = %lld of %lld threads: a row is shared by up to 32 threads, which is a warp, or by all of the block",
        (long long)s->team, (long long)s->threads);
  bool dealt = s->shape == SN_GPU_SHAPE_ROWS || s->shape == SN_GPU_SHAPE_TILE;
  if (s->each && (!dealt || sn_joins_rows(f) || s->ahead || s->team == 1 || !f->num_cols))
    return sn_error(f->op, "deal = \"each\" is for rows of teams, of which nothing is reduced over all rows");
  if (s->each && sn_in_sequence(f->op))
    return sn_error(f->op, "deal = \"each\" needs a launch of its own: in a sequence blocks go from row to row");
  if (s->occupancy * s->threads > 2048)
    return sn_error(f->op, "occupancy = %lld with threads = %lld: a multiprocessor holds 2048 threads",
                    (long long)s->occupancy, (long long)s->threads);
  return SN_OK;
}

MlirLogicalResult sn_gpu_check_rows(const SnForm *f, const SnGpuRows *s) {
  if (sn_failed(check_schedule(f, s)) || sn_failed(sn_row_program_check(f)))
    return SN_FAIL;
  if (sn_failed(sn_gpu_check_tables(f)))
    return SN_FAIL;
  if (s->shape == SN_GPU_SHAPE_FLAT) {
    const char *why = sn_gpu_not_flat(f);
    return why ? sn_error(f->op, "is not flat: %s", why) : SN_OK;
  }
  if (s->shape == SN_GPU_SHAPE_TURNED)
    return check_turned(f, s);
  SnGpuRowPlan p = sn_gpu_plan_rows(f, s);
  int64_t n = sn_row_length(f);
  if (!p.rows_are_lanes && !p.columns.peeled && (n == SN_DYNAMIC ? s->multiple % s->vector : n % s->vector))
    return n == SN_DYNAMIC ? sn_error(f->op, "rows of unknown length are no multiple of the schedule's vector = %lld",
                                      (long long)s->vector)
                           : sn_error(f->op, "rows of %lld columns are no multiple of the schedule's vector = %lld",
                                      (long long)n, (long long)s->vector);
  if ((s->shape == SN_GPU_SHAPE_GRID && sn_failed(check_grid(f, s, &p))) ||
      (s->residency == SN_GPU_SHARED && sn_failed(check_shared(f, s, &p))))
    return SN_FAIL;
  if (s->rows > 1 && sn_failed(check_rows_of_thread(f, s, &p)))
    return SN_FAIL;
  if (p.launch.cluster > 1 && (p.rows_are_lanes || p.launch.team < s->threads))
    return sn_error(f->op, "cluster = %lld needs columns and no team: only then do blocks share a row",
                    (long long)p.launch.cluster);
  int64_t cluster = p.launch.cluster;
  if (p.launch.teams == SN_GPU_CLUSTER && (cluster > SN_GPU_MOST_OF_CLUSTER || (cluster & (cluster - 1))))
    return sn_error(f->op, "cluster = %lld, and blocks that share a row meet in it: they are 2, 4 or 8",
                    (long long)cluster);
  if (s->most && n != SN_DYNAMIC)
    return sn_error(f->op, "most = %lld is of rows whose length is `?`, and these have %lld columns",
                    (long long)s->most, (long long)n);
  if (s->residency == SN_GPU_SHARED && n == SN_DYNAMIC)
    return sn_error(f->op, "rows of unknown length have no shared memory: schedule with residency = \"reread\"");
  if (s->residency != SN_GPU_REREAD && n == SN_DYNAMIC && !s->most)
    return sn_error(f->op, "a row of unknown length has no registers: schedule with residency = \"reread\", or say how "
                           "long it is at most");
  if (p.columns.resident > SN_GPU_MOST_RESIDENT)
    return sn_error(f->op,
                    "rows of %lld columns are %zu vectors for each thread: registers hold %d; more threads or a larger "
                    "cluster are needed",
                    (long long)n, p.columns.resident, SN_GPU_MOST_RESIDENT);
  if (s->shape == SN_GPU_SHAPE_TILE && (sn_gpu_sums_columns(f) || p.rows_are_lanes))
    return sn_error(f->op, "shape = \"tile\" needs columns, and no sums of columns over all rows");
  return sn_gpu_sums_columns(f) ? check_columns(f, s, &p) : SN_OK;
}

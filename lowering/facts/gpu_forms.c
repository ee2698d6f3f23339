// gpu_forms.c: a schedule, decoded, and what forms are like.
//
//   #sinter.gpu_rows<threads = 256, blocks = 264, vector = 4, residency = "registers", cluster = 2>, rows of 8192 f32
//   ->
//   launch: 264 blocks of 256 threads, in clusters of 2      columns: 4 vectors of 4 wait in registers of each thread
//
// new family of rows: what its schedule makes of a form.
// new schedule key: of a GPU's rows: where it is read.
//
// test: test/passes/schedule/gpu_families.mlir, test/lowering/gpu/families.test, refused.mlir

#include "lowering/facts/gpu_forms.h"
#include "dialect/dialect.h"
#include "dialect/row_ops.h"
#include "dialect/schedules.h"

#define MORE_WARPS 2 // of a block that shares rows by way of memory: one fetches, one exchanges

MlirLogicalResult sn_gpu_read_rows(const SnForm *f, SnGpuRows *s) {
  MlirAttribute a = f->schedule;
  const char *mnemonic = sn_schedule_mnemonic(a);
  if (!mnemonic || strcmp(mnemonic, "gpu_rows"))
    return sn_error(f->op, "has no #sinter.gpu_rows schedule: run sinter-schedule{target=gpu} before sinter-lower-gpu");
  *s = (SnGpuRows){.threads = sn_schedule_number(a, "threads"),
                   .blocks = sn_schedule_number(a, "blocks"),
                   .occupancy = sn_schedule_number(a, "occupancy"),
                   .vector = sn_schedule_number(a, "vector"),
                   .unroll = sn_schedule_number(a, "unroll"),
                   .rows = sn_schedule_number(a, "rows"),
                   .team = sn_schedule_number(a, "team"),
                   .cluster = sn_schedule_number(a, "cluster"),
                   .group = sn_schedule_number(a, "group"),
                   .depth = sn_schedule_number(a, "depth"),
                   .slots = sn_schedule_number(a, "slots"),
                   .tile_rows = sn_schedule_number(a, "tile_rows"),
                   .tile_columns = sn_schedule_number(a, "tile_columns"),
                   .shape = sn_schedule_word_is(a, "shape", "flat")     ? SN_GPU_SHAPE_FLAT
                            : sn_schedule_word_is(a, "shape", "tile")   ? SN_GPU_SHAPE_TILE
                            : sn_schedule_word_is(a, "shape", "grid")   ? SN_GPU_SHAPE_GRID
                            : sn_schedule_word_is(a, "shape", "turned") ? SN_GPU_SHAPE_TURNED
                                                                        : SN_GPU_SHAPE_ROWS,
                   .residency = sn_schedule_word_is(a, "residency", "registers") ? SN_GPU_REGISTERS
                                : sn_schedule_word_is(a, "residency", "shared")  ? SN_GPU_SHARED
                                                                                 : SN_GPU_REREAD,
                   .ahead = sn_schedule_number(a, "ahead"),
                   .remake = sn_schedule_number(a, "remake"),
                   .before = sn_schedule_word_is(a, "maximum", "before"),
                   .wide = sn_schedule_word_is(a, "halves", "wide"),
                   .held = sn_schedule_number(a, "held"),
                   .most = sn_schedule_number(a, "most"),
                   .multiple = sn_schedule_number(a, "multiple"),
                   .each = sn_schedule_word_is(a, "deal", "each")};
  return SN_OK;
}

// ---- launch ----------------------------------------------------------------------------------

static bool rows_are_lanes(const SnForm *f) { return f->num_cols == 0; }

// Threads of a block that share a row.
static int64_t team_of(const SnForm *f, const SnGpuRows *s) {
  int64_t all = s->shape == SN_GPU_SHAPE_TILE ? s->threads / 32 : s->threads;
  return rows_are_lanes(f) ? 1 : s->shape != SN_GPU_SHAPE_TILE && s->team < all ? s->team : all;
}

// Blocks that share a row.
static int64_t cluster_of(const SnGpuRows *s) { return s->shape == SN_GPU_SHAPE_GRID ? s->group : s->cluster; }

// Rows of a thread that has rows by itself.
static int64_t rows_of_thread(const SnGpuRows *s) { return s->rows > 1 ? s->rows : 1; }

// What a block, or a cluster, has in each turn: rows, or vectors of a block where all elements are alike.
static int64_t at_once_of(const SnForm *f, const SnGpuRows *s) {
  return s->shape == SN_GPU_SHAPE_FLAT ? s->threads * s->vector : s->threads / team_of(f, s) * rows_of_thread(s);
}

// Of all that is dealt to blocks.
static int64_t count_of(const SnForm *f, const SnGpuRows *s) {
  int64_t rows = sn_num_rows(f), length = s->shape == SN_GPU_SHAPE_FLAT ? sn_row_length(f) : 1;
  return rows == SN_DYNAMIC || length == SN_DYNAMIC ? SN_DYNAMIC : sn_times(rows, length);
}

// Blocks that have work, and no more than the schedule says.
static int64_t blocks_of(const SnForm *f, const SnGpuRows *s) {
  int64_t cluster = cluster_of(s), rows = count_of(f, s), most = s->blocks / cluster, at_once = at_once_of(f, s);
  if (s->shape == SN_GPU_SHAPE_TURNED) { // tiles
    int64_t length = sn_row_length(f);
    rows = rows == SN_DYNAMIC || length == SN_DYNAMIC
               ? SN_DYNAMIC
               : sn_times(sn_pieces(rows, s->tile_rows), sn_pieces(length, s->tile_columns));
    at_once = 1;
  }
  int64_t wanted = rows == SN_DYNAMIC ? most : sn_pieces(rows, at_once);
  wanted = wanted < most ? wanted : most;
  return (wanted > 1 ? wanted : 1) * cluster;
}

bool sn_gpu_row_threads_meet(const SnForm *f) {
  return f->accumulators.size || sn_row_op_count(f->body, SN_READS_ALL);
}

static SnGpuLaunch launch_of(const SnForm *f, const SnGpuRows *s) {
  bool meets = sn_gpu_row_threads_meet(f);
  return (SnGpuLaunch){.blocks = blocks_of(f, s),
                       .cluster = cluster_of(s),
                       .threads = s->threads,
                       .more_threads = s->shape == SN_GPU_SHAPE_GRID ? 32 * MORE_WARPS : 0,
                       .occupancy = s->occupancy,
                       .teams = s->shape == SN_GPU_SHAPE_GRID   ? SN_GPU_GROUP
                                : s->shape == SN_GPU_SHAPE_TILE ? SN_GPU_ACROSS_WARPS
                                : s->shape == SN_GPU_SHAPE_FLAT ? SN_GPU_GRID
                                : s->cluster > 1 && meets       ? SN_GPU_CLUSTER
                                : s->cluster > 1                ? SN_GPU_BESIDE
                                                                : SN_GPU_NEIGHBOURS,
                       .team = team_of(f, s),
                       .at_once = at_once_of(f, s),
                       .one_each = s->each && sn_num_rows(f) == SN_DYNAMIC,
                       .fitted = !s->each && count_of(f, s) == SN_DYNAMIC && !sn_gpu_sums_columns(f) &&
                                 s->shape != SN_GPU_SHAPE_GRID && s->shape != SN_GPU_SHAPE_TURNED};
}

// ---- columns -----------------------------------------------------------------------------------

// Rows are no multiple of the schedule's vector, and can be read by such vectors all the same.
static bool peels(const SnForm *f, const SnGpuRows *s) {
  int64_t n = sn_row_length(f);
  bool shape = s->shape == SN_GPU_SHAPE_ROWS || s->shape == SN_GPU_SHAPE_GRID;
  return s->residency != SN_GPU_REREAD && shape && s->vector > 1 && n != SN_DYNAMIC && n % s->vector &&
         n >= s->vector && s->team > 1 && sn_row_is_placed(f);
}

static SnGpuColumns columns_of(const SnForm *f, const SnGpuRows *s) {
  bool registers = s->residency == SN_GPU_REGISTERS;
  int64_t team = team_of(f, s), at_once = s->vector * team * cluster_of(s), n = sn_row_length(f);
  if (n == SN_DYNAMIC && s->most)
    n = s->most;
  SnGpuColumns c = {.width = rows_are_lanes(f) ? 1 : s->vector,
                    .unroll = s->unroll,
                    .multiple = s->multiple,
                    .in_shared = s->residency == SN_GPU_SHARED,
                    .peeled = peels(f, s),
                    .squares = s->shape == SN_GPU_SHAPE_GRID};
  if (s->residency != SN_GPU_REREAD && !rows_are_lanes(f) && n != SN_DYNAMIC)
    c.resident = (size_t)sn_pieces(n + (c.peeled ? s->vector - 1 : 0), at_once); // what stands in front of a row too
  c.held = c.resident && registers && s->held;
  c.packed = c.resident && registers && !s->wide && !c.held && c.width % 2 == 0 && sn_gpu_packed_rows(f);
  c.remade = c.resident && registers && s->remake && !c.packed;
  c.online = !rows_are_lanes(f) && !s->before && s->rows <= 1; // one maximum for all lanes
  return c;
}

// ---- what is fetched ---------------------------------------------------------------------------

static int64_t bytes_of(const SnAccess *a, int64_t width) {
  return width * sn_bits(sn_element(sn_type_of(a->value))) / 8;
}

static bool is_own_row(const SnForm *f, size_t k) {
  const SnAccess *a = &f->inputs.data[k];
  return sn_row_is_whole(f, a) && mlirTypeIsARankedTensor(sn_access_type(f, a));
}

// By its thread: vectors of 4, 8 or 16 bytes.
static bool is_copied(const SnForm *f, const SnGpuRows *s, size_t k) {
  int64_t bytes = bytes_of(&f->inputs.data[k], s->vector);
  return (bytes == 4 || bytes == 8 || bytes == 16) && (sn_row_length(f) % s->vector == 0 || peels(f, s));
}

// Bulk copies take multiples of 16 bytes, from such places: rows begin with one, or vectors are of 16 bytes wherever
// rows begin.
static bool is_copied_in_bulk(const SnForm *f, const SnGpuRows *s, size_t k) {
  int64_t n = sn_row_length(f), bytes = bytes_of(&f->inputs.data[k], s->vector);
  if (n == SN_DYNAMIC)
    return false;
  return peels(f, s)
             ? bytes == 16
             : n % s->vector == 0 && bytes_of(&f->inputs.data[k], n) % 16 == 0 && bytes * 4 % 16 == 0 && bytes <= 16;
}

static SnGpuFetch fetch_of(const SnForm *f, const SnGpuRows *s, size_t resident) {
  bool grid = s->shape == SN_GPU_SHAPE_GRID, shared = s->residency == SN_GPU_SHARED;
  SnGpuFetch x = {.in_bulk = (grid && s->ahead) || shared,
                  .depth = s->depth,
                  .slots = grid && !shared ? s->slots : (int64_t)resident};
  bool copies = s->ahead && !grid && resident && s->team >= s->threads;
  for (size_t k = 0; (x.in_bulk || copies) && k < f->inputs.size && x.n < SN_GPU_MOST_FETCHED; ++k)
    if (is_own_row(f, k) && (x.in_bulk ? is_copied_in_bulk(f, s, k) : is_copied(f, s, k))) {
      x.inputs[x.n++] = k;
      x.piece_bytes += s->threads * bytes_of(&f->inputs.data[k], s->vector);
    }
  return x;
}

// A slice begins at a multiple of 16 bytes if the row does: four vectors of any width.
static SnGpuSlices slices_of(const SnForm *f, const SnGpuRows *s) {
  int64_t n = sn_row_length(f), front = peels(f, s) ? s->vector - 1 : 0;
  SnGpuSlices x = {.vectors = sn_pieces(n + front, s->vector)};
  x.slice = sn_pieces(sn_pieces(x.vectors, s->group), 4) * 4;
  x.whole = n / s->vector - (s->group - 1) * x.slice;
  x.whole = x.whole < 0 ? 0 : x.whole;
  return x;
}

// A team's threads take turns with vectors. But a warp of a tile has columns one behind the other, so that their places
// in memory differ by constants that instructions hold, and a block of a group has a slice of its own.
static SnLayout layout_of(const SnGpuRowPlan *p) {
  int64_t lanes = p->columns.width, vectors = (int64_t)p->columns.resident, threads = p->launch.threads;
  if (p->launch.teams == SN_GPU_ACROSS_WARPS)
    return (SnLayout){.threads = {{p->launch.team, 0, vectors}}, .values = {{1, 0, 1}, {vectors, 0, 1}}};
  if (p->launch.teams == SN_GPU_GROUP)
    return (SnLayout){.threads = {{threads, 0, lanes}, {p->launch.cluster, 0, p->slices.slice * lanes}},
                      .values = {{lanes, 0, 1}, {vectors, 0, threads * lanes}}};
  return sn_layout_of_row(p->launch.team * p->launch.cluster, lanes, vectors);
}

SnGpuRowPlan sn_gpu_plan_rows(const SnForm *f, const SnGpuRows *s) {
  SnGpuRowPlan p = {.launch = launch_of(f, s),
                    .columns = columns_of(f, s),
                    .rows_are_lanes = rows_are_lanes(f),
                    .rows = rows_of_thread(s)};
  p.fetch = fetch_of(f, s, p.columns.resident);
  if (s->shape == SN_GPU_SHAPE_GRID && p.columns.resident)
    p.slices = slices_of(f, s);
  if (s->shape == SN_GPU_SHAPE_TURNED)
    p.turned = sn_gpu_turned(f, s->tile_rows, s->tile_columns);
  p.columns.layout = layout_of(&p);
  return p;
}

// ---- what forms are like -----------------------------------------------------------------------

bool sn_gpu_sums_columns(const SnForm *f) {
  for (size_t k = 0; k < f->accumulators.size; ++k)
    if (sn_uses_cols(f, f->accumulators.data[k].map))
      return true;
  return false;
}

bool sn_gpu_is_only_asserted(MlirOperation reduce) {
  MlirAttribute kind = sn_get_attr(reduce, "kind");
  MlirValue v = sn_result(reduce, 0);
  if (!kind.ptr || !mlirStringRefEqual(mlirStringAttrGetValue(kind), SN_STR("and")) || sn_bits(sn_type_of(v)) != 1)
    return false;
  bool any = false;
  for (MlirOpOperand use = mlirValueGetFirstUse(v); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    if (!sn_is(mlirOpOperandGetOwner(use), "cf.assert"))
      return false;
    any = true;
  }
  return any;
}

// All dimensions in their order, or none.
static bool is_whole(const SnForm *f, const SnAccess *a) {
  int64_t n = f->num_rows + f->num_cols;
  intptr_t rank = mlirAffineMapGetNumResults(a->map);
  if (a->through.ptr || a->fill.ptr || sn_is_table(a))
    return false;
  if (!rank)
    return true;
  for (intptr_t i = 0; rank == n && i < rank; ++i)
    if (sn_map_dim(a->map, i) != i || sn_dim(sn_type_of(a->value), i) != f->dims.data[i].size)
      return false;
  return rank == n;
}

// It feeds an accumulator of its kind, and nothing else: the order of rows in it says nothing.
static bool feeds_accumulator(const SnForm *f, MlirOperation reduce) {
  MlirOperation end = mlirBlockGetTerminator(f->body);
  MlirValue v = sn_result(reduce, 0);
  MlirAttribute kind = sn_get_attr(reduce, "kind");
  if (!kind.ptr || !sn_one_use(v))
    return false;
  for (size_t a = 0; a < f->accumulators.size; ++a)
    if (sn_same(sn_operand(end, (intptr_t)a), v))
      return mlirStringRefEqual(mlirStringAttrGetValue(kind), f->accumulators.data[a].kind) &&
             mlirTypeEqual(sn_type_of(v), f->accumulators.data[a].type);
  return false;
}

const char *sn_gpu_not_overlapped(const SnForm *f) {
  for (size_t o = 0; o < f->outputs.size; ++o)
    for (size_t k = 0; k < f->inputs.size; ++k)
      if (mlirAffineMapEqual(f->outputs.data[o].map, f->inputs.data[k].map)) // it may be one buffer
        return "what one thread has written another would read";
  return NULL;
}

const char *sn_gpu_not_flat(const SnForm *f) {
  if (!f->num_cols || f->indices.size)
    return "it has no columns, or index tensors";
  for (size_t k = 0; k < f->inputs.size + f->outputs.size; ++k)
    if (!is_whole(f, k < f->inputs.size ? &f->inputs.data[k] : &f->outputs.data[k - f->inputs.size]))
      return "an operand is not one element for each of all, or one for all, in order";
  for (size_t a = 0; a < f->accumulators.size; ++a)
    if (sn_uses_cols(f, f->accumulators.data[a].map) ||
        sn_null(sn_reduce_of(sn_operand(mlirBlockGetTerminator(f->body), (intptr_t)a), NULL)))
      return "an accumulator is not of all elements alike";
  for (size_t k = 0; k < f->outputs.size; ++k)
    if (!sn_is_reduced(f, k) && !sn_uses_cols(f, f->outputs.data[k].map))
      return "a result is one for each row";
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !sn_null(op); op = mlirOperationGetNextInBlock(op)) {
    if (sn_row_op_has(op, SN_READS_ALL) && !feeds_accumulator(f, op) && !sn_gpu_is_only_asserted(op))
      return "something is reduced over a row";
    const SnRowOp *line = sn_row_op_of(op);
    if (line && line->position)
      return "it knows where in a row it is";
  }
  return NULL;
}

// By one operation that nothing else stands beside.
static bool is_extended(MlirValue v) {
  return sn_one_use(v) && sn_is(mlirOpOperandGetOwner(mlirValueGetFirstUse(v)), "arith.extf");
}

int64_t sn_gpu_packed_rows(const SnForm *f) {
  int64_t count = 0;
  for (intptr_t k = 0; k < mlirBlockGetNumArguments(f->body); ++k) {
    MlirValue v = mlirBlockGetArgument(f->body, k);
    // One that is a row for all rows is loaded where it is used.
    if (!sn_is_row(v) || !sn_uses_rows(f, f->inputs.data[k].map))
      continue;
    if (!mlirTypeIsABF16(sn_element(sn_type_of(v))) || !is_extended(v))
      return 0;
    ++count;
  }
  return sn_gpu_sums_columns(f) ? 0 : count;
}

// ---- blocks that share rows by way of memory ------------------------------------------------

size_t sn_gpu_exchanges(const SnForm *f, bool before, size_t *values) {
  SnRowProgram p = sn_row_program(f, sn_values(0, NULL));
  SnRowJoints joints = {0};
  size_t count = 0;
  if (!before)
    sn_row_join_exponentials(&joints, &p);
  sn_row_join_squares(&joints, &p);
  *values = 0;
  for (size_t i = 0; i < p.phases.size; ++i) {
    size_t n = 0;
    for (size_t r = 0; r < p.phases.data[i].reduces.size; ++r)
      n += sn_row_joint_values(&joints, p.phases.data[i].reduces.data[r]);
    count += n > 0;
    *values = n > *values ? n : *values;
  }
  bool few = p.phases.size <= SN_GPU_EXCHANGES;
  sn_row_program_free(&p);
  return few ? count : SN_GPU_EXCHANGES + 1;
}

bool sn_gpu_counts(const SnForm *f, int64_t group, size_t exchanges, int64_t *rows) {
  int64_t n = sn_row_length(f);
  *rows = sn_num_rows(f);
  if (*rows == SN_DYNAMIC)
    *rows = n == SN_DYNAMIC ? 0 : ((int64_t)1 << 38) / (n > 0 ? n : 1);
  return *rows <= ((int64_t)1 << 32) / group / (int64_t)exchanges;
}

bool sn_gpu_may_share_rows(const SnForm *f, int64_t group) {
  size_t values = 0, count = f->num_cols && !sn_gpu_sums_columns(f) ? sn_gpu_exchanges(f, false, &values) : 0;
  int64_t rows;
  return count && count <= SN_GPU_EXCHANGES && values <= SN_GPU_EXCHANGED && sn_gpu_counts(f, group, count, &rows);
}

bool sn_gpu_asserts(const SnForm *f) {
  for (size_t k = 0; k < f->inputs.size; ++k)
    if (f->inputs.data[k].through.ptr && !f->inputs.data[k].fill.ptr)
      return true;
  for (size_t k = 0; k < f->outputs.size; ++k)
    if (f->outputs.data[k].through.ptr)
      return true;
  for (int part = 0; part < 2; ++part) {
    MlirBlock block = part ? f->finish : f->body;
    for (MlirOperation op = block.ptr ? mlirBlockGetFirstOperation(block) : (MlirOperation){0}; !sn_null(op);
         op = mlirOperationGetNextInBlock(op))
      if (sn_is(op, "cf.assert"))
        return true;
  }
  return false;
}

// Elements of a table that turns out empty are outside, but there is none to read instead.
static MlirLogicalResult check_table(const SnForm *f, const SnAccess *a, const char *what, size_t k) {
  MlirType t = sn_type_of(a->value);
  for (intptr_t i = 0; a->through.ptr && !a->fill.ptr && i < mlirAffineMapGetNumResults(a->map); ++i)
    if (mlirAffineExprIsASymbol(mlirAffineMapGetResult(a->map, i)) && sn_dim(t, i) < 1)
      return sn_error(f->op,
                      "%s %zu is read through an index tensor in dimension %lld, whose size a GPU kernel has to know: "
                      "make it static, 1 or more",
                      what, k, (long long)i);
  return SN_OK;
}

MlirLogicalResult sn_gpu_check_tables(const SnForm *f) {
  for (size_t k = 0; k < f->inputs.size; ++k)
    if (sn_failed(check_table(f, &f->inputs.data[k], "input", k)))
      return SN_FAIL;
  return SN_OK;
}

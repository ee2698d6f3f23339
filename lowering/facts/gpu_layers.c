// gpu_layers.c: forms whose rows go through several products whole, as one kernel of a GPU.
//
//   (i) by (j) by (e) by (f)   product (k) (%x[i, k], %u[j, k])   matrix (j) to (e) (%v[e, j])   matrix (e) to (f)
//   (...)
//   ->  m rows of a block; rows of j and of e in its shared memory
//
// test: test/passes/split/gpu_layers.mlir, test/lowering/gpu/layers.mlir

#include "lowering/facts/gpu_layers.h"
#include "dialect/dialect.h"
#include "dialect/row_groups.h"
#include "dialect/row_ops.h"
#include "dialect/schedules.h"
#include "lowering/rows/rowmemory.h"

enum {
  LEAST_ROWS = 16,           // that a block has where a chip's shared memory is small
  CROSSING_BYTES = 96 << 10, // that they take at most
};

// ---- what can be one --------------------------------------------------------------------------

static bool uses(const SnForm *f, size_t side, int64_t first, int64_t n) {
  bool used = false;
  for (int64_t d = first; d < first + n; ++d)
    used |= sn_side_uses(f, side, d);
  return used;
}

// The other side has the columns, and is the same for all rows.
static bool is_of_rows(const SnForm *f, size_t side, size_t other) {
  return !uses(f, side, f->num_rows, f->num_cols) && !uses(f, other, 0, f->num_rows);
}

static bool reads_whole_rows(const SnForm *f) {
  bool some = false;
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    some |= !sn_row_op_has(op, SN_READS_MATRIX) &&
            (sn_row_op_has(op, SN_READS_ALL) || sn_row_op_has(op, SN_READS_ONE) || !sn_num_results(op)) &&
            !sn_is(op, "sinter.yield");
  return some;
}

int64_t sn_gpu_layer_rows(const SnForm *f) {
  SnGpuDims rows = {.n = (size_t)f->num_rows};
  for (int64_t d = 0; d < f->num_rows; ++d)
    rows.dims[d] = d;
  return sn_gpu_dims_size(f, &rows);
}

int64_t sn_gpu_layer_widest(const SnForm *f) {
  int64_t most = 0;
  for (size_t g = 0; g < sn_num_groups(f); ++g)
    most = sn_group_length(f, g) > most ? sn_group_length(f, g) : most;
  return most;
}

// Products, and row products behind them, that give rows of a group: at most.
static int64_t most_products(const SnForm *f) {
  int64_t most = 0;
  SnMultiplied m;
  for (size_t g = 0; g < sn_num_groups(f); ++g) {
    int64_t n = 0;
    for (size_t i = 0; sn_multiplied(f, i, &m); ++i)
      n += m.group == g;
    most = n > most ? n : most;
  }
  return most;
}

// ---- what crosses ---------------------------------------------------------------------------------

// Row products that a value waits for, in a line; -1: none, nor a product, it is made of inputs.
typedef struct {
  const SnForm *f;
  SN_VEC(MlirOperation) ops;
  SN_VEC(int64_t) of;
} Levels;

static int64_t level_of(const Levels *l, MlirValue v) {
  MlirOperation op = sn_definer(v);
  if (sn_null(op))
    return mlirBlockArgumentGetArgNumber(v) < (intptr_t)l->f->products.size ? 0 : -1;
  size_t i = 0;
  while (!mlirOperationEqual(l->ops.data[i], op))
    ++i;
  return l->of.data[i];
}

static Levels levels_of(const SnForm *f) {
  Levels l = {.f = f};
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !sn_null(op); op = mlirOperationGetNextInBlock(op)) {
    int64_t level = -1;
    for (intptr_t k = 0; k < sn_num_operands(op); ++k) {
      int64_t of = level_of(&l, sn_operand(op, k));
      level = of > level ? of : level;
    }
    sn_push(&l.ops, op);
    sn_push(&l.of, level + sn_row_op_has(op, SN_READS_MATRIX));
  }
  return l;
}

static bool is_read_later(const Levels *l, MlirValue v) {
  int64_t level = level_of(l, v);
  bool later = false;
  for (MlirOpOperand use = mlirValueGetFirstUse(v); level >= 0 && !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    later |= sn_row_op_has(user, SN_READS_MATRIX) || (sn_num_results(user) && level_of(l, sn_result(user, 0)) > level);
  }
  return later;
}

// Of a row that one piece makes and another reads; 0: it is none.
static int64_t row_bytes(const Levels *l, MlirValue v) {
  MlirType t = sn_type_of(v);
  if (!mlirTypeIsARankedTensor(t) || sn_rank(t) != 1 || sn_dim(t, 0) == SN_DYNAMIC || !is_read_later(l, v))
    return 0;
  return sn_times(sn_dim(t, 0), ((int64_t)sn_bits(sn_element(t)) + 7) / 8);
}

// Of all that cross; and whether each is a multiple of 8 bytes, and so many columns of it.
static int64_t crossing_bytes(const SnForm *f, int64_t n, bool *words) {
  Levels l = levels_of(f);
  int64_t bytes = 0;
  for (size_t i = 0; i < f->products.size + l.ops.size; ++i) {
    bool product = i < f->products.size;
    if (!product && sn_num_results(l.ops.data[i - f->products.size]) != 1)
      continue;
    MlirValue v = product ? sn_product_argument(f, i) : sn_result(l.ops.data[i - f->products.size], 0);
    int64_t of_this = row_bytes(&l, v);
    bytes += of_this;
    *words &= !of_this || (of_this % 8 == 0 && n * (int64_t)sn_bits(sn_element(sn_type_of(v))) % 64 == 0);
  }
  sn_vec_free(&l.ops);
  sn_vec_free(&l.of);
  return bytes;
}

bool sn_gpu_layers_exchange(const SnForm *f, int64_t n) {
  bool words = true;
  (void)crossing_bytes(f, n, &words);
  return words;
}

// ---- what can be one, all in all ------------------------------------------------------------------------

bool sn_gpu_layers_have(const SnForm *f, const char *kernel) {
  SnMultiplied m;
  bool has = true;
  for (size_t i = 0; sn_multiplied(f, i, &m); ++i)
    has &= sn_micro_kernel(kernel, m.a, m.b, m.sum) != NULL;
  return has;
}

const char *sn_gpu_not_layers(const SnForm *f) {
  SnMultiplied m;
  bool words;
  if (!f->contract || !f->products.size || !f->matrices.size)
    return "it does not multiply rows of products again";
  if (sn_joins_rows(f))
    return "it reduces over rows";
  if (reads_whole_rows(f))
    return "its rows are needed whole";
  for (size_t i = 0; i < sn_num_sides(f); ++i)
    if (sn_side(f, i).program.ptr)
      return "a side is computed";
  for (size_t p = 0; p < f->products.size; ++p)
    if (!is_of_rows(f, 2 * p, 2 * p + 1) && !is_of_rows(f, 2 * p + 1, 2 * p))
      return "a product has no side that all rows share";
  for (size_t i = 0; i < f->matrices.size; ++i)
    if (uses(f, 2 * f->products.size + i, 0, f->num_rows))
      return "rows are multiplied by matrices of their own";
  for (size_t i = 0; sn_multiplied(f, i, &m); ++i)
    if (!mlirTypeIsAF32(m.sum))
      return "its sums are not f32";
  for (size_t g = 0; g < sn_num_groups(f); ++g)
    if (sn_group_length(f, g) == SN_DYNAMIC || !sn_group_length(f, g))
      return "rows of `?` elements do not fit a block's shared memory for sure";
  for (int64_t d = 1; d < f->num_rows; ++d)
    if (f->dims.data[d].size == SN_DYNAMIC)
      return "its rows have several dimensions `?`";
  for (size_t o = 0; o < f->outputs.size; ++o)
    if (sn_group_of_access(f, &f->outputs.data[o]) < 0)
      return "it gives a number for a row";
  if (sn_times(LEAST_ROWS, crossing_bytes(f, 1, &words)) > CROSSING_BYTES)
    return "rows that cross from a product to the next do not fit a block's shared memory";
  return NULL;
}

// ---- the schedule -----------------------------------------------------------------------------------

int64_t sn_gpu_layer_bytes(const SnForm *f, const char *kernel, int64_t m, int64_t n, int64_t k) {
  int64_t a = 0, b = 0;
  bool words;
  SnMultiplied x;
  for (size_t i = 0; sn_multiplied(f, i, &x); ++i) {
    SnGpuProduct p = {.type = x.sum, .line = sn_micro_kernel(kernel, x.a, x.b, x.sum)};
    int64_t of_a = sn_gpu_side_bytes(&p, m, k), of_b = sn_gpu_side_bytes(&p, n, k);
    a = of_a > a ? of_a : a;
    b = of_b > b ? of_b : b;
  }
  return a + b + sn_times(m, crossing_bytes(f, 1, &words)) + 4 * m * n * most_products(f) + 1024;
}

static MlirLogicalResult check_numbers(const SnForm *f, SnGpuLayerPlan *p) {
  int64_t threads = p->launch.threads;
  bool warps = strcmp(p->kernel, "fma");
  if (strcmp(p->kernel, "mma.sync") && warps)
    return sn_error(f->op,
                    "has a schedule with kernel = \"%s\", but rows go through several products by \"mma.sync\" or "
                    "\"fma\"",
                    p->kernel);
  if (!sn_gpu_layers_have(f, p->kernel))
    return sn_error(f->op, "has a schedule with kernel = \"%s\", which does not multiply its types", p->kernel);
  if (p->launch.cluster > 1 && !sn_gpu_layers_exchange(f, p->n))
    return sn_error(f->op, "has a schedule with cluster = %lld, but lines of its rows are no multiples of 8 bytes",
                    (long long)p->launch.cluster);
  if (!(warps ? p->k % 16 == 0 && sn_layout_of_warps(p->m, p->n, threads / 32, &p->warps_down, &p->sums)
              : sn_layout_of_threads(p->m, p->n, threads, &p->sums)))
    return sn_error(f->op, "has a schedule with m = %lld, n = %lld, k = %lld, which threads = %lld cannot share",
                    (long long)p->m, (long long)p->n, (long long)p->k, (long long)threads);
  if (p->m * p->k % threads || p->n * p->k % threads)
    return sn_error(f->op, "has a schedule with k = %lld, of which threads = %lld cannot fetch equal parts",
                    (long long)p->k, (long long)threads);
  return SN_OK;
}

MlirLogicalResult sn_gpu_plan_layers(const SnForm *f, SnGpuLayerPlan *p) {
  MlirAttribute a = f->schedule;
  if (sn_failed(sn_gpu_check_mma(f, sn_gpu_not_layers(f))))
    return SN_FAIL;
  int64_t threads = sn_schedule_number(a, "threads"), cluster = sn_schedule_number(a, "cluster"),
          rows = sn_gpu_layer_rows(f), most = sn_schedule_number(a, "blocks") / cluster;
  *p = (SnGpuLayerPlan){.m = sn_schedule_number(a, "m"),
                        .n = sn_schedule_number(a, "n"),
                        .k = sn_schedule_number(a, "k"),
                        .kernel = sn_schedule_word(a, "kernel")};
  int64_t groups = rows == SN_DYNAMIC ? most : sn_pieces(rows, p->m);
  groups = groups < most ? groups : most;
  p->launch = (SnGpuLaunch){.blocks = cluster * (groups < 1 ? 1 : groups),
                            .cluster = cluster,
                            .threads = threads,
                            .occupancy = sn_schedule_number(a, "occupancy"),
                            .teams = cluster > 1 ? SN_GPU_CLUSTER : SN_GPU_NEIGHBOURS,
                            .team = threads};
  return check_numbers(f, p);
}

// steps_gpu.c: rows whose work is a sequence of steps, on a GPU.
//
//   #sinter.gpu_rows<threads = 256, blocks = 264>
//
//   row = block; row < rows; row += blocks                 a block works on one row
//     each thread runs the body; a step is shared:
//       lane = from + by * thread; lane < to; lane += by * threads
//       what it combines, over the block; barrier
//   sums over the grid, finish
//
// Every thread computes what stands between steps, and has the same. Scratch memory is the block's own: shared memory
// while that lasts, then a piece of the workspace. A barrier stands behind a step that stores, and also in front of it
// where threads may still be reading outside of steps what it stores to.
//
// runs in: sinter-gpu    test: test/lowering/gpu/steps.mlir

#include "dialect/dialect.h"
#include "dialect/schedules.h"
#include "lowering/gpu/lower_gpu.h"
#include "lowering/gpu/meet/meet.h"
#include "lowering/rows/rowsteps.h"
#include <assert.h>

#define ALIGN 64
#define SHARED_BYTES 32768 // of scratch in shared memory; a block has 48 KiB without asking
#define LARGEST_SHARED 16384

typedef struct {
  const SnSteps *s;
  SnOpVec arrays;
  SN_VEC(MlirType) types;  // of scratch, with known sizes
  SN_VEC(int64_t) offsets; // in the block's piece; -1: in shared memory
  int64_t piece;           // bytes of the workspace for each block
  SnReduction sums[SN_MAX_ACCUMULATORS];
  SnGpuAccumulators accumulators;
} Steps;

static MlirType memref_like(SnBuilder *b, const SnSteps *s, const MlirValue *operands, MlirOperation alloca,
                            bool *known) {
  MlirType t = sn_type_of(sn_result(alloca, 0));
  int64_t shape[SN_MAX_DIMS];
  for (intptr_t i = 0; i < sn_rank(t); ++i)
    *known &= sn_known(sn_steps_scratch_size(b, s, operands, alloca, i), &shape[i]);
  return *known ? sn_memref(sn_element(t), sn_rank(t), shape) : t;
}

static int64_t bytes_of(MlirType t) {
  int64_t n = (sn_bits(sn_element(t)) + 7) / 8;
  for (intptr_t i = 0; i < sn_rank(t); ++i)
    n = sn_times(n, sn_dim(t, i));
  return n;
}

// Where every array lies; an error where a size is known only at run time.
static MlirLogicalResult place_scratch(Steps *x) {
  const SnSteps *s = x->s;
  SnBuilder b = sn_before(s->op);
  SnValueVec operands = {0};
  int64_t shared = 0;
  MlirLogicalResult result = SN_OK;
  for (intptr_t k = 0; k < sn_num_operands(s->op); ++k)
    sn_push(&operands, sn_operand(s->op, k));
  x->arrays = sn_steps_scratch(s);
  for (size_t k = 0; k < x->arrays.size && !sn_failed(result); ++k) {
    bool known = true;
    MlirType t = memref_like(&b, s, operands.data, x->arrays.data[k], &known);
    if (!known) {
      result = sn_error(x->arrays.data[k], "has a size that is known only when it runs, and a GPU's scratch memory is "
                                           "allocated before: make the sizes static");
      break;
    }
    int64_t bytes = (bytes_of(t) + ALIGN - 1) / ALIGN * ALIGN;
    bool fits = bytes <= LARGEST_SHARED && shared + bytes <= SHARED_BYTES;
    sn_push(&x->types, t);
    sn_push(&x->offsets, fits ? -1 : x->piece);
    shared += fits ? bytes : 0;
    x->piece += fits ? 0 : bytes;
  }
  sn_vec_free(&operands);
  return result;
}

static MlirValue scratch(SnBuilder *b, SnGpuKernel *k, const Steps *x, size_t array) {
  MlirType t = x->types.data[array];
  int64_t shape[SN_MAX_DIMS];
  for (intptr_t i = 0; i < sn_rank(t); ++i)
    shape[i] = sn_dim(t, i);
  if (!bytes_of(t)) { // shared memory of no bytes would be an array of unknown size to LLVM
    int64_t one = 1;
    MlirValue some = sn_gpu_shared(k, "scratch", 1, &one, sn_element(t), SN_GPU_FOR_VECTORS);
    return sn_gpu_view(
        b, some,
        mlirMemRefTypeContiguousGet(sn_element(t), sn_rank(t), shape, mlirMemRefTypeGetMemorySpace(sn_type_of(some))),
        NULL);
  }
  if (x->offsets.data[array] < 0)
    return sn_gpu_shared(k, "scratch", sn_rank(t), shape, sn_element(t), SN_GPU_FOR_VECTORS);
  int64_t first = sn_gpu_grid_scratch(k, &x->accumulators) + x->offsets.data[array];
  MlirValue at = sn(b, "arith.addi", sn(b, "arith.muli", k->block, sn_index(b, x->piece)), sn_index(b, first));
  return sn(b, "memref.view", k->scratch, at, t);
}

// ---- steps ---------------------------------------------------------------------------

static bool in_step(MlirOperation op, MlirOperation row) {
  for (MlirOperation p = mlirOperationGetParentOperation(op); !mlirOperationEqual(p, row);
       p = mlirOperationGetParentOperation(p))
    if (sn_is(p, "scf.parallel"))
      return true;
  return false;
}

typedef struct {
  MlirOperation row; // the loop over rows: the kernel may have other forms beside it
  SnValueVec read; // memory that is loaded outside of steps
  SnOpVec stores;  // outside of steps
} Outside;

static void find_outside(Outside *o) {
  const char *names[] = {"memref.load", "memref.store"};
  for (int i = 0; i < 2; ++i) {
    SnOpVec all = sn_collect(o->row, names[i]);
    for (size_t k = 0; k < all.size; ++k) {
      if (in_step(all.data[k], o->row))
        continue;
      if (i)
        sn_push(&o->stores, all.data[k]);
      else
        sn_push(&o->read, sn_operand(all.data[k], 0));
    }
    sn_vec_free(&all);
  }
}

// Whether a step stores, and whether to what is read outside of steps.
static bool stores(MlirOperation step, const Outside *o, bool *is_read) {
  SnOpVec all = sn_collect(step, "memref.store");
  for (size_t k = 0; k < all.size; ++k)
    for (size_t i = 0; i < o->read.size; ++i)
      *is_read |= sn_same(o->read.data[i], sn_operand(all.data[k], 1));
  bool any = all.size;
  sn_vec_free(&all);
  return any;
}

static void run_step(SnGpuKernel *k, MlirOperation op, const Outside *o) {
  SnLanes lanes = sn_step_read(op);
  SnBuilder b = sn_before(op);
  SnReduction of[SN_MAX_ACCUMULATORS];
  MlirValue init[SN_MAX_ACCUMULATORS], combined[SN_MAX_ACCUMULATORS];
  bool is_read = false, any = stores(op, o, &is_read);
  for (intptr_t i = 0; i < lanes.n; ++i) {
    of[i] = (SnReduction){.type = sn_type_of(sn_step_init(&lanes, i)), .combiner = sn_step_combiner(&lanes, i)};
    init[i] = sn_reduction_identity(&b, &of[i], 1);
  }
  if (is_read)
    sn_gpu_sync(&b, k);
  MlirValue from = sn(&b, "arith.addi", lanes.from, sn(&b, "arith.muli", k->thread, lanes.by));
  sn_step_loop(&b, &lanes, from, sn(&b, "arith.muli", lanes.by, sn_index(&b, k->threads)), init, combined);
  sn_gpu_reduce_block(&b, k, (size_t)lanes.n, of, combined, true);
  for (intptr_t i = 0; i < lanes.n; ++i)
    combined[i] = sn_reduction_combine(&b, &of[i], sn_step_init(&lanes, i), combined[i]);
  if (any)
    sn_gpu_sync(&b, k);
  sn_step_become(&lanes, combined);
}

// A step of one lane.
static void run_store(SnGpuKernel *k, MlirOperation op) {
  SnBuilder b = sn_before(op);
  sn_gpu_sync(&b, k);
  SnIf one = sn_if(&b, k->first);
  mlirOperationRemoveFromParent(op);
  sn_insert(&b, op);
  sn_end_if(&b, &one);
  SnBuilder behind = sn_after(one.op); // b stands before the store, which is inside now
  sn_gpu_sync(&behind, k);
}

// ---- the kernel ------------------------------------------------------------------------

static void run_row(SnBuilder *b, SnGpuKernel *k, const Steps *x, const SnLoop *loop, const MlirValue *memory,
                    MlirValue *sums) {
  const SnSteps *s = x->s;
  MlirValue yields[SN_MAX_ACCUMULATORS];
  SnOpVec steps = {0};
  MlirValue row = loop->index;
  sn_steps_copy(b, s, row, k->operands, memory, yields, &steps);
  Outside o = {.row = loop->op};
  find_outside(&o);
  for (size_t i = 0; i < o.stores.size; ++i)
    run_store(k, o.stores.data[i]);
  SnIf one;
  bool open = false;
  for (intptr_t i = 0, n = 0; i < s->values; ++i)
    if (sn_steps_is_sum(s, i)) {
      sums[n] = sn_reduction_combine(b, &x->sums[n], sums[n], yields[i]);
      ++n;
    }
  for (intptr_t i = 0; i < s->values; ++i) {
    if (sn_steps_is_sum(s, i))
      continue;
    if (!open)
      one = sn_if(b, k->first);
    open = true;
    sn_op(b, "memref.store", yields[i], k->operands[s->inputs + s->outputs + i], row);
  }
  if (open)
    sn_end_if(b, &one);
  for (size_t i = 0; i < steps.size; ++i)
    run_step(k, steps.data[i], &o);
  sn_gpu_sync(b, k); // the next row's steps store to the same scratch memory
  sn_vec_free(&steps);
  sn_vec_free(&o.read);
  sn_vec_free(&o.stores);
}

static void emit(SnBuilder *b, SnGpuKernel *k, const void *user) {
  const Steps *x = user;
  const SnSteps *s = x->s;
  size_t n = x->accumulators.scalars;
  MlirValue sums[SN_MAX_ACCUMULATORS];
  SnValueVec memory = {0};
  for (size_t i = 0; i < x->arrays.size; ++i)
    sn_push(&memory, scratch(b, k, x, i));
  for (size_t i = 0; i < n; ++i)
    sums[i] = sn_reduction_identity(b, &x->sums[i], 1);
  MlirValue rows = sn_dim_of(b, k->operands[0], s->rows);
  SnLoop row = sn_for_values(b, k->block, rows, sn_index(b, k->blocks), sn_values((intptr_t)n, sums));
  memcpy(sums, row.carried, n * sizeof *sums);
  run_row(b, k, x, &row, memory.data, sums);
  sn_next_values(b, &row, sn_values((intptr_t)n, sums));
  for (size_t i = 0; i < n; ++i)
    sums[i] = sn_result(row.op, (intptr_t)i);
  if (n) {
    SnIf last = sn_gpu_reduce_grid(b, k, &x->accumulators, sums);
    SnIf one = sn_if(b, k->first);
    sn_steps_finish(b, s, rows, k->operands, sums);
    sn_end_if(b, &one);
    sn_end_if(b, &last);
  }
  sn_vec_free(&memory);
}

MlirLogicalResult sn_gpu_lower_steps(MlirOperation op, SnGpuTakeBody take, void *taker) {
  SnSteps s = sn_steps_read(op);
  Steps x = {.s = &s};
  const char *mnemonic = sn_schedule_mnemonic(s.schedule);
  if (!mnemonic || strcmp(mnemonic, "gpu_rows"))
    return sn_error(op, "has no #sinter.gpu_rows schedule: run sinter-schedule{target=gpu} before sinter-lower-gpu");
  for (intptr_t k = 0; k < s.values; ++k)
    if (sn_steps_is_sum(&s, k)) {
      MlirType t = sn_element(sn_type_of(sn_steps_value(&s, k)));
      x.sums[x.accumulators.scalars++] = (SnReduction){.type = t, .combiner = sn_combiner(SN_STR("add"))};
    }
  x.accumulators.of_scalars = x.sums;
  MlirLogicalResult result = place_scratch(&x);
  if (!sn_failed(result)) {
    int64_t threads = sn_schedule_number(s.schedule, "threads"), most = sn_schedule_number(s.schedule, "blocks"),
            rows = sn_dim(sn_type_of(sn_operand(op, 0)), s.rows);
    SnGpuLaunch launch = {.blocks = rows == SN_DYNAMIC || rows > most ? most
                                    : rows < 1                        ? 1
                                                                      : rows,
                          .cluster = 1,
                          .threads = threads,
                          .occupancy = sn_schedule_number(s.schedule, "occupancy"),
                          .team = threads};
    SnOpVec asserts = sn_collect(op, "cf.assert");
    SnGpuKernel shape = {.blocks = launch.blocks, .cluster = 1};
    SnGpuBody body = {.launch = &launch,
                      .scratch = sn_gpu_grid_scratch(&shape, &x.accumulators) + launch.blocks * x.piece,
                      .asserts = asserts.size,
                      .emit = emit,
                      .user = &x};
    result = take(op, &body, taker);
    sn_vec_free(&asserts);
  }
  sn_vec_free(&x.arrays);
  sn_vec_free(&x.types);
  sn_vec_free(&x.offsets);
  return result;
}

// steps_cpu.c: rows whose work is a sequence of steps, on a CPU.
//
//   #sinter.rows<chunk = 1>
//
//   task t:
//     scratch memory
//     for r in t * chunk .. min((t + 1) * chunk, rows):
//       the body, each step a loop over its lanes
//     p[t] = sum of what the rows yield
//   after: p[0] + p[1] + ..., finish
//
// runs in: sinter-cpu    test: test/lowering/cpu/steps.mlir

#include "dialect/schedules.h"
#include "lowering/cpu/lower_cpu.h"
#include "lowering/rows/rowsteps.h"
#include <assert.h>

#define ON_STACK 4096 // bytes of one scratch array; a longer one is allocated

static void share_rows(SnBuilder *b, const SnSteps *s, MlirValue rows, MlirValue *chunk, MlirValue *tasks) {
  int64_t known;
  *chunk = sn_index(b, sn_schedule_number(s->schedule, "chunk"));
  if (!sn_known(rows, &known))
    *chunk = sn_size_max(b, *chunk, sn_size_ceil(b, rows, sn_index(b, sn_schedule_number(s->schedule, "tasks"))));
  *tasks = sn_size_ceil(b, rows, *chunk);
}

// Memory of the task; what is freed, and where, upstream's deallocation says.
static MlirValue scratch(SnBuilder *b, const SnSteps *s, const MlirValue *operands, MlirOperation alloca) {
  MlirType t = sn_type_of(sn_result(alloca, 0));
  int64_t shape[SN_MAX_DIMS], bytes = (sn_bits(sn_element(t)) + 7) / 8;
  MlirValue unknown[SN_MAX_DIMS];
  int32_t segments[] = {0, 0};
  assert(sn_rank(t) <= SN_MAX_DIMS && "the verifier checks the rank");
  for (intptr_t i = 0; i < sn_rank(t); ++i) {
    MlirValue n = sn_steps_scratch_size(b, s, operands, alloca, i);
    if (!sn_known(n, &shape[i])) {
      shape[i] = SN_DYNAMIC;
      unknown[segments[0]++] = n;
    }
    bytes = sn_times(bytes, shape[i] == SN_DYNAMIC ? ON_STACK + 1 : shape[i]);
  }
  return sn(b, bytes <= ON_STACK ? "memref.alloca" : "memref.alloc", sn_values(segments[0], unknown),
            sn_memref(sn_element(t), sn_rank(t), shape), sn_attr("alignment", sn_i64(b->ctx, 64)),
            sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b->ctx, 2, segments)));
}

static void run_steps(SnOpVec *steps) {
  for (size_t k = 0; k < steps->size; ++k) {
    SnLanes lanes = sn_step_read(steps->data[k]);
    SnBuilder b = sn_before(lanes.op);
    MlirValue init[SN_MAX_ACCUMULATORS], combined[SN_MAX_ACCUMULATORS];
    for (intptr_t i = 0; i < lanes.n; ++i)
      init[i] = sn_step_init(&lanes, i);
    sn_step_loop(&b, &lanes, lanes.from, lanes.by, init, combined);
    sn_step_become(&lanes, combined);
  }
}

// One row; sums have what it yields added.
static void run_row(SnBuilder *b, const SnSteps *s, MlirValue row, const MlirValue *operands, const MlirValue *memory,
                    MlirValue *sums) {
  MlirValue yields[SN_MAX_ACCUMULATORS];
  SnOpVec steps = {0};
  sn_steps_copy(b, s, row, operands, memory, yields, &steps);
  for (intptr_t k = 0; k < s->values; ++k) {
    if (sn_steps_is_sum(s, k)) {
      *sums = sn(b, sn_is_float(sn_type_of(*sums)) ? "arith.addf" : "arith.addi", *sums, yields[k]);
      ++sums;
    } else {
      sn_op(b, "memref.store", yields[k], operands[s->inputs + s->outputs + k], row);
    }
  }
  run_steps(&steps);
  sn_vec_free(&steps);
}

// Rows from .. to on memory of their own.
static void run_rows(SnBuilder *b, const SnSteps *s, MlirValue from, MlirValue to, const MlirValue *operands,
                     MlirValue *sums) {
  SnOpVec arrays = sn_steps_scratch(s);
  SnValueVec memory = {0};
  intptr_t n = sn_steps_sums(s);
  for (size_t k = 0; k < arrays.size; ++k)
    sn_push(&memory, scratch(b, s, operands, arrays.data[k]));
  SnLoop r = sn_for_values(b, from, to, sn_index(b, 1), sn_values(n, sums));
  memcpy(sums, r.carried, (size_t)n * sizeof *sums);
  run_row(b, s, r.index, operands, memory.data, sums);
  sn_next_values(b, &r, sn_values(n, sums));
  for (intptr_t i = 0; i < n; ++i)
    sums[i] = sn_result(r.op, i);
  sn_vec_free(&arrays);
  sn_vec_free(&memory);
}

static void zeros(SnBuilder *b, const SnSteps *s, MlirValue *sums) {
  for (intptr_t k = 0, i = 0; k < s->values; ++k)
    if (sn_steps_is_sum(s, k))
      sums[i++] = sn_zero(b, sn_element(sn_type_of(sn_steps_value(s, k))));
}

MlirLogicalResult sn_cpu_lower_steps(SnKernel *k, MlirOperation op) {
  SnSteps s = sn_steps_read(op);
  SnBuilder *b = &k->b;
  intptr_t n = sn_num_operands(op), num_sums = sn_steps_sums(&s);
  MlirValue *operands = sn_alloc((size_t)n * sizeof *operands), *inside = sn_alloc((size_t)n * sizeof *inside);
  MlirValue partials[SN_MAX_ACCUMULATORS], sums[SN_MAX_ACCUMULATORS], chunk, tasks;
  for (intptr_t i = 0; i < n; ++i)
    operands[i] = sn_operand(op, i);
  MlirValue rows = sn_dim_of(b, operands[0], s.rows);
  share_rows(b, &s, rows, &chunk, &tasks);
  zeros(b, &s, sums);
  for (intptr_t i = 0; i < num_sums; ++i) {
    MlirValue size = sn_size_max(b, tasks, sn_index(b, 1));
    partials[i] = sn_cpu_scratch(k, sn_type_of(sums[i]), 1, &size);
  }

  SnTask t = sn_cpu_task_begin(k);
  for (intptr_t i = 0; i < n; ++i)
    inside[i] = sn_lookup(&t.map, operands[i]);
  MlirValue all = sn_dim_of(&t.b, inside[0], s.rows), part, count;
  share_rows(&t.b, &s, all, &part, &count);
  MlirValue from = sn(&t.b, "arith.muli", t.index, part), to = sn_cpu_end(&t.b, from, part, all);
  zeros(&t.b, &s, sums);
  run_rows(&t.b, &s, from, to, inside, sums);
  for (intptr_t i = 0; i < num_sums; ++i)
    sn_op(&t.b, "memref.store", sums[i], sn_lookup(&t.map, partials[i]), t.index);
  sn_cpu_task_end(k, &t, tasks);

  zeros(b, &s, sums);
  for (intptr_t i = 0; i < num_sums; ++i) {
    SnLoop c = sn_for(b, sn_index(b, 0), tasks, sn_index(b, 1), sums[i]);
    MlirValue x = sn(b, "memref.load", partials[i], c.index, sn_type_of(sums[i]));
    x = sn(b, sn_is_float(sn_type_of(x)) ? "arith.addf" : "arith.addi", c.carried[0], x);
    sn_next(b, &c, x);
    sums[i] = sn_result(c.op, 0);
  }
  sn_steps_finish(b, &s, rows, operands, sums);
  free(operands);
  free(inside);
  return SN_OK;
}

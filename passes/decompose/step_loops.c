// step_loops.c: sinter.steps as plain loops.
//
//   %l = sinter.steps rows(0) ins(%x : T) values(%e : tensor<f32>) -> tensor<f32> {...}
// ->
//   %m = bufferization.to_buffer %x read_only
//   %s = scf.for %i = 0 to rows iter_args(%a = 0.0) {
//     ...the body, each step an scf.for over its lanes...
//   }
//   %l = bufferization.to_tensor of where the finish of %s is stored
//
// runs in: decompose    test: test/passes/decompose/step_loops.mlir

#include "lowering/rows/rowsteps.h"
#include "passes/decompose/decompose.h"

static MlirType memory(MlirType t) { return sn_memref_like(t, sn_element(t)); }

static MlirValue allocate(SnBuilder *b, MlirType t, intptr_t n, const MlirValue *sizes) {
  int32_t segments[] = {(int32_t)n, 0};
  return sn(b, "memref.alloc", sn_values(n, sizes), t,
            sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b->ctx, 2, segments)));
}

static MlirValue destination(SnBuilder *b, MlirValue tensor) {
  MlirValue sizes[SN_MAX_DIMS];
  intptr_t n = 0;
  for (intptr_t i = 0; i < sn_rank(sn_type_of(tensor)); ++i)
    if (sn_dim(sn_type_of(tensor), i) == SN_DYNAMIC)
      sizes[n++] = sn(b, "tensor.dim", tensor, sn_index(b, i), sn_index_type(b->ctx));
  return allocate(b, memory(sn_type_of(tensor)), n, sizes);
}

// What stays of a destination in place is what it held.
static MlirValue copied(SnBuilder *b, MlirValue tensor) {
  const int32_t segments[] = {0, 1, 0};
  MlirValue copy = sn(b, "bufferization.alloc_tensor", sn_type_of(tensor), tensor,
                      sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b->ctx, 3, segments)));
  return sn(b, "bufferization.to_buffer", copy, memory(sn_type_of(tensor)));
}

static MlirValue scratch(SnBuilder *b, const SnSteps *s, const MlirValue *operands, MlirOperation alloca) {
  MlirType t = sn_type_of(sn_result(alloca, 0));
  MlirValue sizes[SN_MAX_DIMS];
  int64_t shape[SN_MAX_DIMS];
  for (intptr_t i = 0; i < sn_rank(t); ++i) {
    sizes[i] = sn_steps_scratch_size(b, s, operands, alloca, i);
    shape[i] = SN_DYNAMIC;
  }
  return allocate(b, sn_memref(sn_element(t), sn_rank(t), shape), sn_rank(t), sizes);
}

static void run_step(MlirOperation op) {
  SnLanes lanes = sn_step_read(op);
  SnBuilder b = sn_before(op);
  MlirValue init[SN_MAX_ACCUMULATORS], combined[SN_MAX_ACCUMULATORS];
  for (intptr_t i = 0; i < lanes.n; ++i)
    init[i] = sn_step_init(&lanes, i);
  sn_step_loop(&b, &lanes, lanes.from, lanes.by, init, combined);
  sn_step_become(&lanes, combined);
}

void sn_decompose_steps(MlirOperation op) {
  SnSteps s = sn_steps_read(op);
  SnBuilder b = sn_before(op);
  SnOpVec arrays = sn_steps_scratch(&s), steps = {0};
  SnValueVec operands = {0}, work = {0};
  MlirValue sums[SN_MAX_ACCUMULATORS], yields[SN_MAX_ACCUMULATORS];
  intptr_t n = 0;
  for (intptr_t k = 0; k < sn_num_operands(op); ++k) {
    MlirValue v = sn_operand(op, k);
    if (k < s.inputs)
      sn_push(&operands,
              sn(&b, "bufferization.to_buffer", v, memory(sn_type_of(v)), sn_attr("read_only", sn_unit(b.ctx))));
    else
      sn_push(&operands, sn_get_attr(op, "in_place").ptr ? copied(&b, v) : destination(&b, v));
  }
  for (size_t k = 0; k < arrays.size; ++k)
    sn_push(&work, scratch(&b, &s, operands.data, arrays.data[k]));
  for (intptr_t k = 0; k < s.values; ++k)
    if (sn_steps_is_sum(&s, k))
      sums[n++] = sn_zero(&b, sn_element(sn_type_of(sn_steps_value(&s, k))));
  MlirValue rows = sn_dim_of(&b, operands.data[0], s.rows);
  SnLoop row = sn_for_values(&b, sn_index(&b, 0), rows, sn_index(&b, 1), sn_values(n, sums));
  sn_steps_copy(&b, &s, row.index, operands.data, work.data, yields, &steps);
  for (intptr_t k = 0, at = 0; k < s.values; ++k) {
    if (sn_steps_is_sum(&s, k)) {
      sums[at] = sn(&b, sn_is_float(sn_type_of(yields[k])) ? "arith.addf" : "arith.addi", row.carried[at], yields[k]);
      ++at;
    } else {
      sn_op(&b, "memref.store", yields[k], operands.data[s.inputs + s.outputs + k], row.index);
    }
  }
  for (size_t k = 0; k < steps.size; ++k)
    run_step(steps.data[k]);
  sn_next_values(&b, &row, sn_values(n, sums));
  for (intptr_t k = 0; k < n; ++k)
    sums[k] = sn_result(row.op, k);
  sn_steps_finish(&b, &s, rows, operands.data, sums);
  for (intptr_t k = 0; k < sn_num_results(op); ++k) {
    MlirValue made = sn(&b, "bufferization.to_tensor", operands.data[s.inputs + k], sn_type_of(sn_result(op, k)),
                        sn_attr("restrict", sn_unit(b.ctx)), sn_attr("writable", sn_unit(b.ctx)));
    mlirValueReplaceAllUsesOfWith(sn_result(op, k), made);
  }
  mlirOperationDestroy(op);
  sn_vec_free(&arrays);
  sn_vec_free(&steps);
  sn_vec_free(&operands);
  sn_vec_free(&work);
}

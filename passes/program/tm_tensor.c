// tm_tensor.c: torch-mlir's operations on tensors that depend on their neighbours, or go where an index says.
//
//   tm_tensor.scan      ->  sinter.steps along a dimension          scan.c
//   tm_tensor.sort      ->  sinter.steps: a merge sort              sort.c
//   tm_tensor.topk      ->  sinter.steps: the first k, in order     sort.c
//   tm_tensor.scatter   ->  sinter.steps: updates one by one        scatter.c
//
// Gradients are of tm_tensor's own words, so this runs behind sinter-differentiate.
//
// runs in: sinter-cpu, sinter-gpu, differentiate    test: test/passes/program/tm_tensor.mlir

#include "dialect/dialect.h"
#include "passes/program/tensor_steps.h"

static const struct {
  const char *op;
  MlirLogicalResult (*become)(MlirOperation op);
} all[] = {
    {"tm_tensor.scan", sn_scan_steps},
    {"tm_tensor.sort", sn_sort_steps},
    {"tm_tensor.topk", sn_topk_steps},
    {"tm_tensor.scatter", sn_scatter_steps},
};

MlirLogicalResult sn_tm_tensor_steps(MlirOperation root) {
  MlirLogicalResult result = SN_OK;
  for (size_t k = 0; k < sizeof all / sizeof *all; ++k) {
    SnOpVec found = sn_collect(root, all[k].op);
    for (size_t i = 0; i < found.size && !sn_failed(result); ++i)
      if (sn_shim_is_dead(found.data[i]))
        mlirOperationDestroy(found.data[i]);
      else
        result = all[k].become(found.data[i]);
    sn_vec_free(&found);
  }
  return result;
}

static MlirLogicalResult run(const SnRun *run, MlirOperation root) {
  (void)run;
  return sn_tm_tensor_steps(root);
}

MlirDialectHandle mlirGetDialectHandle__tensor__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__tensor__, mlirGetDialectHandle__sinter__,
                                                      NULL};

const SnPass sn_pass_tm_tensor = {
    .argument = "sinter-tm-tensor",
    .summary = "torch-mlir's cumulative sums, sorts and scatters become sinter.steps",
    .dialects = dialects,
    .run = run,
};

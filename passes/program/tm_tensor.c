// tm_tensor.c: torch-mlir's operations on tensors that depend on their neighbours, or go where an index says.
//
//   tm_tensor.scan      ->  sinter.steps along a dimension          scan.c
//   tm_tensor.sort      ->  sinter.steps: a merge sort              sort.c
//   tm_tensor.topk      ->  sinter.steps: the first k, in order     sort.c
//   tm_tensor.scatter   ->  sinter.steps: updates one by one        scatter.c
//
// Sizes that one operand says and another does not are known to all of them.
//
// Gradients are of tm_tensor's own words, so this runs behind sinter-differentiate.
//
// runs in: sinter-cpu, sinter-gpu, differentiate    test: test/passes/program/tm_tensor.mlir

#include "dialect/dialect.h"
#include "passes/program/tensor_steps.h"

static const struct {
  const char *op;
  MlirLogicalResult (*become)(MlirOperation op, int64_t counted);
} all[] = {
    {"tm_tensor.scan", sn_scan_steps},
    {"tm_tensor.sort", sn_sort_steps},
    {"tm_tensor.topk", sn_topk_steps},
    {"tm_tensor.scatter", sn_scatter_steps},
};

// ---- sizes that not all operands say ---------------------------------------------------------

// Dimension of the first operand that is as large as dimension d of operand k; that of how many are kept is behind all.
static intptr_t same_size(MlirOperation op, intptr_t k, intptr_t d) {
  int64_t dim = sn_int_attr(op, "dimension", 0);
  if (sn_is(op, "tm_tensor.scan") && k == 2) // without the dimension of the scan
    return d + (d >= dim);
  bool kept = sn_is(op, "tm_tensor.topk") && k >= sn_num_operands(op) - 2; // so many as are kept
  return kept && d == dim ? sn_rank(sn_type_of(sn_operand(op, 0))) : d;
}

// Casts operands to what is known of their sizes, and results back.
static void tell_sizes(MlirOperation op) {
  int64_t known[SN_MAX_DIMS + 1];
  intptr_t n = sn_num_operands(op), results = sn_num_results(op), rank = n ? sn_rank(sn_type_of(sn_operand(op, 0))) : 0;
  for (intptr_t c = 0; c <= SN_MAX_DIMS; ++c)
    known[c] = SN_DYNAMIC;
  for (int tells = 1; tells >= 0; --tells)
    for (intptr_t k = 0; k < n && rank <= SN_MAX_DIMS; ++k) {
      MlirType t = sn_type_of(sn_operand(op, k)), to = t;
      int64_t shape[SN_MAX_DIMS];
      bool fits = sn_rank(t) <= rank && n >= results;
      for (intptr_t d = 0; d < sn_rank(t) && fits; ++d) {
        intptr_t c = same_size(op, k, d);
        fits = c <= rank;
        if (fits && known[c] == SN_DYNAMIC)
          known[c] = sn_dim(t, d);
        shape[d] = fits && sn_dim(t, d) == SN_DYNAMIC ? known[c] : sn_dim(t, d);
      }
      if (tells || !fits || mlirTypeEqual(t, to = sn_tensor(sn_element(t), sn_rank(t), shape)))
        continue;
      SnBuilder b = sn_before(op), behind = sn_after(op);
      mlirOperationSetOperand(op, k, sn(&b, "tensor.cast", sn_operand(op, k), to));
      intptr_t r = k - (n - results);
      if (r < 0 || !mlirTypeEqual(sn_type_of(sn_result(op, r)), t))
        continue;
      MlirValue v = sn_result(op, r);
      mlirValueSetType(v, to);
      MlirValue back = sn(&behind, "tensor.cast", v, t);
      mlirValueReplaceAllUsesExcept(v, back, 1, (MlirOperation[]){sn_definer(back)});
    }
}

MlirLogicalResult sn_tm_tensor_steps(MlirOperation root, int64_t counted) {
  MlirLogicalResult result = SN_OK;
  for (size_t k = 0; k < sizeof all / sizeof *all; ++k) {
    SnOpVec found = sn_collect(root, all[k].op);
    for (size_t i = 0; i < found.size && !sn_failed(result); ++i)
      if (sn_shim_is_dead(found.data[i]))
        mlirOperationDestroy(found.data[i]);
      else {
        if (!sn_is(found.data[i], "tm_tensor.scatter"))
          tell_sizes(found.data[i]);
        result = all[k].become(found.data[i], counted);
      }
    sn_vec_free(&found);
  }
  return result;
}

typedef struct {
  int64_t counted;
} Options;
static const SnOption options[] = {
    {SN_OPTION_INT, "counted",
     "runs of a sort of so many elements at most are counted, 16 at once, before they are merged (on a CPU); 0: none",
     "0", NULL, offsetof(Options, counted)},
    {0},
};

static MlirLogicalResult run(const SnRun *run, MlirOperation root) {
  return sn_tm_tensor_steps(root, ((const Options *)run->options)->counted);
}

MlirDialectHandle mlirGetDialectHandle__tensor__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__tensor__, mlirGetDialectHandle__sinter__,
                                                      NULL};

const SnPass sn_pass_tm_tensor = {
    .argument = "sinter-tm-tensor",
    .summary = "torch-mlir's cumulative sums, sorts and scatters become sinter.steps",
    .options = options,
    .options_size = sizeof(Options),
    .dialects = dialects,
    .run = run,
};

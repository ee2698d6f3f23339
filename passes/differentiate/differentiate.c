// differentiate.c: a gradient becomes the kernel forms that compute it.
//
//   %l = sinter.rowwise ins(%x, %y) ...             %l = sinter.rowwise ins(%x, %y) ...
//   %dx = sinter.differentiate %l wrt(%x)    ->     %dx = sinter.rowwise ins(%x, %y) ...
//
// Reverse mode over tensors: from the loss back to what it is differentiated by, each form hands the gradients
// of its results to its inputs (differentiate/graph.c, differentiate/adjoint.c), inside of it each operation of the
// row program (differentiate/rules.c). Gradients of a value with several readers are added. What is emitted reads what
// the forward reads and says it in the same words, so that sinter-fuse makes one kernel of value and gradients. Loops
// and branches that carry tensors are gone through backwards (differentiate/control_gradients.c).
//
// With `wrt=0,2` the public function of a module gets the op first (differentiate/gradient_results.c). No sinter.detach
// is left behind.
//
// runs in: sinter-cpu, sinter-gpu    test: test/passes/differentiate/differentiate.mlir

#include "passes/differentiate/graph.h"
#include "dialect/dialect.h"
#include "passes/differentiate/reach.h"
#include "passes/program/elements.h"
#include "passes/raise/raise.h"
#include "passes/split/split.h"

static MlirLogicalResult differentiate(MlirOperation op) {
  SnGraph g = {.b = sn_before(op)};
  MlirAttribute segments = sn_get_attr(op, "operandSegmentSizes");
  intptr_t given = mlirDenseI32ArrayGetElement(segments, 1), n = mlirDenseI32ArrayGetElement(segments, 2);
  MlirValue loss = sn_operand(op, 0);
  // The op in front may be a loop that is made again.
  MlirType none = sn_index_type(g.b.ctx);
  MlirOperation begin = sn_op(&g.b, "builtin.unrealized_conversion_cast", sn_values(0, NULL), sn_types(1, &none));
  sn_push(&g.of, loss);
  for (intptr_t k = 0; k < n; ++k)
    sn_table_put(&g.is_wrt, sn_operand(op, 1 + given + k).ptr, 1);
  bool ok = sn_graph_reach(&g, 1, &loss);
  if (ok && sn_graph_depends(&g, loss))
    sn_graph_add(&g, loss, (SnGradient){true, given ? sn_operand(op, 1) : (MlirValue){0}});
  ok = ok && sn_graph_reverse(&g);
  g.b.loc = mlirOperationGetLocation(op);
  for (intptr_t k = 0; k < n && ok; ++k) {
    MlirValue x = sn_operand(op, 1 + given + k);
    MlirValue d = sn_graph_value(&g, x, sn_element(sn_type_of(x)), sn_graph_sum(&g, x));
    mlirValueReplaceAllUsesOfWith(sn_result(op, k), d);
  }
  if (ok) {
    sn_tapes_keep(&g);
    MlirOperation end = mlirOperationGetNextInBlock(op);
    mlirOperationDestroy(op);
    sn_graph_tidy(end, begin);
    mlirOperationDestroy(begin);
  }
  sn_graph_free(&g);
  return ok ? SN_OK : SN_FAIL;
}

// ---- the pass ------------------------------------------------------------------------------------

typedef SnGradientOptions Options;
static const SnOption options[] = {
    {SN_OPTION_STRING, "wrt",
     "arguments of the public function that it is differentiated by, counted from 0 or by name (sinter.name, or the "
     "location's), with commas; it returns their gradients behind its results",
     "", NULL, offsetof(Options, wrt)},
    {SN_OPTION_INT, "result", "which of its results is differentiated", "0", NULL, offsetof(Options, result)},
    {SN_OPTION_BOOL, "upstream", "it takes the gradient with respect to that result as one more argument", "false",
     NULL, offsetof(Options, upstream)},
    {0},
};

// What the host does, as forms, loops and branches: arith on tensors and numbers, and what it does in parallel.
static MlirLogicalResult take_host_code(MlirOperation func) {
  MlirLogicalResult result = sn_arith_to_linalg(func);
  if (!sn_failed(result))
    result = sn_raise(func);
  if (sn_failed(result))
    return result;
  sn_take_foralls(func);
  if (!sn_take_numbers(func))
    return SN_OK;
  result = sn_arith_to_linalg(func);
  return sn_failed(result) ? result : sn_raise(func);
}

static MlirLogicalResult differentiate_function(MlirOperation func, void *user) {
  SnOpVec all = sn_collect(func, "sinter.differentiate");
  if (all.size)
    sn_corners(func); // of what is not raised yet
  MlirLogicalResult result = all.size ? take_host_code(func) : SN_OK;
  if (all.size && !sn_failed(result)) // gradients are of plain forms; sinter-fuse makes one of theirs again
    result = sn_split_forms(func, (SnSplit){0});
  if (all.size && !sn_failed(result)) {
    sn_turn_maxima(func);
    sn_take_arguments_apart(func);
  }
  for (size_t k = 0; k < all.size && !sn_failed(result); ++k)
    result = differentiate(all.data[k]);
  if (all.size && !sn_failed(result))
    result = sn_raise(func); // reshapes of gradients, into what reads them
  sn_vec_free(&all);
  return result;
}

static MlirLogicalResult run(const SnRun *run, MlirOperation root) {
  const Options *o = run->options;
  MlirLogicalResult result = SN_OK;
  if (*o->wrt)
    result = sn_add_gradients(root, o);
  if (!sn_failed(result))
    result = sn_each_function(root, differentiate_function, NULL);
  sn_drop_detach(root);
  sn_drop_unused_steps(root);
  return result;
}

MlirDialectHandle mlirGetDialectHandle__arith__(void);
MlirDialectHandle mlirGetDialectHandle__linalg__(void);
MlirDialectHandle mlirGetDialectHandle__math__(void);
MlirDialectHandle mlirGetDialectHandle__memref__(void);
MlirDialectHandle mlirGetDialectHandle__scf__(void);
MlirDialectHandle mlirGetDialectHandle__sinter__(void);
MlirDialectHandle mlirGetDialectHandle__tensor__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__arith__,
                                                      mlirGetDialectHandle__linalg__,
                                                      mlirGetDialectHandle__math__,
                                                      mlirGetDialectHandle__memref__,
                                                      mlirGetDialectHandle__scf__,
                                                      mlirGetDialectHandle__sinter__,
                                                      mlirGetDialectHandle__tensor__,
                                                      NULL};

const SnPass sn_pass_differentiate = {
    .argument = "sinter-differentiate",
    .summary = "gradients become the kernel forms that compute them",
    .options = options,
    .options_size = sizeof(Options),
    .dialects = dialects,
    .run = run,
};

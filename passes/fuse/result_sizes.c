// result_sizes.c: the size of what a form gives is that of its destination.
//
//   %e = tensor.empty(%n)   %y = rowwise ... outs(%e[i])   %m = tensor.dim %y, %c0   ->   %n
//
// Who asks a result for its size waits for it. Gradients ask so for the memory of theirs: a loss with a gradient of
// `?` rows would be two kernels, the second of which waits for the first only to know how many rows there are.
//
// runs in: fuse    test: test/passes/fuse/result_sizes.mlir

#include "dialect/dialect.h"
#include "passes/fuse/fuse.h"

// What the form of a result writes into.
static MlirValue destination_of(MlirValue v) {
  MlirOperation op = sn_definer(v);
  intptr_t results = sn_num_results(op), first = sn_num_operands(op) - results;
  for (intptr_t k = 0; k < results; ++k)
    if (sn_same(sn_result(op, k), v))
      return sn_operand(op, first + k);
  return v;
}

static bool is_of_form(MlirValue v) {
  MlirOperation op = sn_definer(v);
  return !sn_null(op) && sn_is_form(op);
}

// The operand of tensor.empty that says dimension i.
static MlirValue size_of_empty(MlirOperation empty, intptr_t i) {
  MlirType t = sn_type_of(sn_result(empty, 0));
  intptr_t at = 0;
  for (intptr_t d = 0; d < i; ++d)
    at += sn_dim(t, d) == SN_DYNAMIC;
  return sn_dim(t, i) == SN_DYNAMIC && at < sn_num_operands(empty) ? sn_operand(empty, at) : (MlirValue){0};
}

static MlirWalkResult take_size(MlirOperation op, void *unused) {
  intptr_t i = 0;
  if (!sn_is(op, "tensor.dim") || !is_of_form(sn_operand(op, 0)) || !sn_known_dim(op, &i))
    return MlirWalkResultAdvance;
  MlirValue v = sn_operand(op, 0);
  while (is_of_form(v))
    v = destination_of(v);
  MlirOperation empty = sn_def(v, "tensor.empty");
  MlirValue size = sn_null(empty) ? (MlirValue){0} : size_of_empty(empty, i);
  if (sn_none(size))
    mlirOperationSetOperand(op, 0, v);
  else
    mlirValueReplaceAllUsesOfWith(sn_result(op, 0), size);
  return MlirWalkResultAdvance;
}

void sn_fuse_result_sizes(MlirOperation root) { mlirOperationWalk(root, take_size, NULL, MlirWalkPreOrder); }

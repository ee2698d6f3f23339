// broadcast_sizes.c: a size `?` that is broadcast to itself is itself.
//
//   %m = arith.maxsi %n, %c1              %n, wherever it says %m
//   %e = tensor.empty(%m)
//   linalg.generic outs(%e) {
//     %one = arith.cmpi eq, %n, %c1
//     %at = arith.select %one, %c0, %i
//     %v = tensor.extract %x[%at]         of %x, which has %n elements there
//
// torch-mlir takes sizes of 1 to be broadcast, and so broadcasts what an index_add or an index_put is given to as many
// as there are, but one at least. Of none the loop would read an element of nothing, so there are some, or it is
// PyTorch's size that is meant. Left alone the two sizes are never one, and every gather is a kernel of its own.
//
// runs in: sinter-known-sizes    test: test/passes/program/known_sizes.mlir, test/run/equal_kernels.test

#include "mlir-c/Dialect/Linalg.h"
#include "passes/edit/size_terms.h"
#include "passes/program/known_sizes.h"

// The operand of a maximum with 1; null if v is none.
static MlirValue at_least_one(MlirValue v) {
  MlirOperation cast = sn_def(v, "arith.index_cast");
  MlirOperation max = sn_def(sn_null(cast) ? v : sn_operand(cast, 0), "arith.maxsi");
  for (intptr_t k = 0; !sn_null(max) && k < 2; ++k)
    if (sn_is_constant(sn_operand(max, k), 1))
      return sn_operand(max, 1 - k);
  return (MlirValue){0};
}

// The size that the generic's destination is made with along its loop; null: it is no destination's alone.
static MlirValue made_with(MlirOperation generic, intptr_t loop) {
  intptr_t inputs = mlirDenseI32ArrayGetElement(sn_get_attr(generic, "operandSegmentSizes"), 0);
  MlirAttribute maps = mlirLinalgGetIndexingMapsAttribute(generic);
  MlirValue found = {0};
  for (intptr_t k = inputs; k < sn_num_operands(generic); ++k) {
    MlirAffineMap map = mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(maps, k));
    MlirOperation empty = sn_def(sn_operand(generic, k), "tensor.empty");
    MlirType t = sn_type_of(sn_operand(generic, k));
    for (intptr_t p = 0, at = 0; !sn_null(empty) && p < sn_rank(t); ++p) {
      if (sn_map_dim(map, p) == loop && sn_dim(t, p) == SN_DYNAMIC)
        found = sn_operand(empty, at);
      at += sn_dim(t, p) == SN_DYNAMIC;
    }
  }
  return found;
}

// The tensor has so many elements where it is read at this place.
static bool reads_of(SnSizeReader *r, MlirOperation extract, MlirValue place, const SnSize *n) {
  bool is = false;
  for (intptr_t i = 1; i < sn_num_operands(extract) && !is; ++i) {
    SnSize size = sn_size_of_dim(r, sn_operand(extract, 0), i - 1);
    is = sn_same(sn_operand(extract, i), place) && sn_size_equal(&size, n);
  }
  return is;
}

static MlirWalkResult look(MlirOperation op, void *user) {
  if (sn_is(op, "tensor.extract"))
    sn_push((SnOpVec *)user, op);
  return MlirWalkResultAdvance;
}

static void drop_maximum(MlirOperation extract, MlirValue place) {
  MlirOperation select = sn_def(place, "arith.select"), generic = mlirOperationGetParentOperation(extract);
  MlirOperation compare = sn_null(select) ? select : sn_def(sn_operand(select, 0), "arith.cmpi");
  MlirOperation index = sn_null(select) ? select : sn_def(sn_operand(select, 2), "linalg.index");
  if (sn_null(compare) || sn_null(index) || !sn_is(generic, "linalg.generic") ||
      !mlirOperationEqual(mlirOperationGetParentOperation(index), generic) ||
      sn_int_attr(compare, "predicate", -1) != SN_EQUAL || !sn_is_constant(sn_operand(compare, 1), 1) ||
      !sn_is_constant(sn_operand(select, 1), 0))
    return;
  MlirValue size = made_with(generic, (intptr_t)sn_int_attr(index, "dim", -1)),
            own = sn_none(size) ? size : at_least_one(size);
  SnSizeReader r = {.forgets = true};
  SnSize asked = sn_size_of_value(&r, sn_operand(compare, 0)), n = {0};
  if (!sn_none(own))
    n = sn_size_of_value(&r, own);
  if (sn_size_equal(&asked, &n) && reads_of(&r, extract, place, &n)) {
    MlirOperation cast = sn_def(size, "arith.index_cast");
    mlirValueReplaceAllUsesOfWith(sn_null(cast) ? size : sn_operand(cast, 0), own);
  }
  sn_size_reader_free(&r);
}

void sn_drop_broadcast_sizes(MlirOperation func) {
  SnOpVec extracts = {0};
  mlirOperationWalk(func, look, &extracts, MlirWalkPreOrder);
  for (size_t k = 0; k < extracts.size; ++k)
    for (intptr_t i = 1; i < sn_num_operands(extracts.data[k]); ++i)
      drop_maximum(extracts.data[k], sn_operand(extracts.data[k], i));
  sn_vec_free(&extracts);
}

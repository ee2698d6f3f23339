// foralls.c: a scf.forall or scf.parallel that is differentiated becomes loops.
//
//   %y = scf.forall (%i, %j) in (4, 8) shared_outs(%o = %e) {     %y = scf.for %i iter_args(%p = %e) {
//     ... reads %o                                                  %z = scf.for %j iter_args(%q = %p) {
//     scf.forall.in_parallel {                              ->        ... reads %e
//       tensor.parallel_insert_slice %t into %o[%i, %j]               %r = tensor.insert_slice %t into %q[%i, %j]
//     }                                                               scf.yield %r
//   }                                                             ...
//
//   %y = scf.parallel (%i) init(%z) {                              %y = scf.for %i iter_args(%a = %z) {
//     scf.reduce(%v) { ^(%p, %q): scf.reduce.return f(%p, %q) }  ->     scf.yield f(%a, %v)
//
// A turn reads what was there before all turns, whatever others have written.
//
// runs in: differentiate    test: test/passes/differentiate/host_numbers.mlir, test/run/number_gradients.test

#include "passes/differentiate/graph.h"
#include "passes/differentiate/reach.h"

typedef struct {
  MlirOperation op;
  MlirBlock body;
  intptr_t dims, outs;
  SnValueVec ends[3]; // where each dimension begins and ends, and its steps
  SnMap map;          // of the body, to what stands in the loops
} Forall;

static void read_parallel_ends(Forall *f) {
  for (intptr_t k = 0; k < 3 * f->dims; ++k)
    sn_push(&f->ends[k / f->dims], sn_operand(f->op, k));
}

// A number of the op for each dimension, or its next operand.
static void read_ends(Forall *f, SnBuilder *b) {
  static const char *const names[] = {"staticLowerBound", "staticUpperBound", "staticStep"};
  intptr_t operand = 0;
  for (int k = 0; k < 3; ++k)
    for (intptr_t d = 0; d < f->dims; ++d) {
      int64_t n = mlirDenseI64ArrayGetElement(sn_get_attr(f->op, names[k]), d);
      sn_push(&f->ends[k], n == SN_DYNAMIC ? sn_operand(f->op, operand++) : sn_index(b, n));
    }
}

// What ends a turn becomes slices into what the innermost loop carries.
static void put_slices(Forall *f, SnBuilder *b, MlirValue *carried) {
  MlirBlock puts = sn_control_block(mlirBlockGetTerminator(f->body), 0);
  for (MlirOperation put = mlirBlockGetFirstOperation(puts); !sn_null(put); put = mlirOperationGetNextInBlock(put)) {
    SnValueVec operands = {0};
    for (intptr_t k = 0; k < sn_num_operands(put); ++k)
      sn_push(&operands, sn_lookup(&f->map, sn_operand(put, k)));
    intptr_t of = mlirBlockArgumentGetArgNumber(sn_operand(put, 1)) - f->dims;
    operands.data[1] = carried[of];
    b->loc = mlirOperationGetLocation(put);
    carried[of] = sn(b, "tensor.insert_slice", sn_values((intptr_t)operands.size, operands.data),
                     sn_type_of(carried[of]), sn_attr("static_offsets", sn_get_attr(put, "static_offsets")),
                     sn_attr("static_sizes", sn_get_attr(put, "static_sizes")),
                     sn_attr("static_strides", sn_get_attr(put, "static_strides")),
                     sn_attr("operandSegmentSizes", sn_get_attr(put, "operandSegmentSizes")));
    sn_vec_free(&operands);
  }
}

// What ends a turn is combined with what the innermost loop carries, each by its region.
static void reduce(Forall *f, SnBuilder *b, MlirValue *carried) {
  MlirOperation end = mlirBlockGetTerminator(f->body);
  for (intptr_t k = 0; k < f->outs; ++k) {
    MlirBlock by = sn_control_block(end, k);
    sn_map(&f->map, mlirBlockGetArgument(by, 0), carried[k]);
    sn_map(&f->map, mlirBlockGetArgument(by, 1), sn_lookup(&f->map, sn_operand(end, k)));
    sn_copy_ops(b, by, &f->map);
    carried[k] = sn_lookup(&f->map, sn_operand(mlirBlockGetTerminator(by), 0));
  }
}

// The loops from dimension d on: what is carried becomes what they give.
static void nest(Forall *f, SnBuilder *b, intptr_t d, SnValueVec *carried) {
  if (d == f->dims) {
    sn_copy_ops(b, f->body, &f->map);
    (sn_is(f->op, "scf.forall") ? put_slices : reduce)(f, b, carried->data);
    return;
  }
  MlirOperation loop = sn_carrying_loop(b, f->ends[0].data[d], f->ends[1].data[d], f->ends[2].data[d], carried);
  MlirBlock block = sn_control_block(loop, 0);
  SnBuilder in = sn_at_end(block, b->loc);
  sn_map(&f->map, mlirBlockGetArgument(f->body, d), mlirBlockGetArgument(block, 0));
  for (intptr_t k = 0; k < f->outs; ++k)
    carried->data[k] = mlirBlockGetArgument(block, 1 + k);
  nest(f, &in, d + 1, carried);
  sn_op(&in, "scf.yield", sn_values(f->outs, carried->data), sn_types(0, NULL));
  for (intptr_t k = 0; k < f->outs; ++k)
    carried->data[k] = sn_result(loop, k);
}

static void become_loops(MlirOperation op) {
  Forall f = {.op = op, .body = sn_control_block(op, 0), .outs = sn_num_results(op)};
  SnBuilder b = sn_before(op);
  SnValueVec carried = {0};
  bool parallel = sn_is(op, "scf.parallel");
  f.dims = mlirBlockGetNumArguments(f.body) - (parallel ? 0 : f.outs);
  if (parallel)
    read_parallel_ends(&f);
  else
    read_ends(&f, &b);
  for (intptr_t k = 0; k < f.outs; ++k) {
    sn_push(&carried, sn_operand(op, sn_num_operands(op) - f.outs + k));
    if (!parallel)
      sn_map(&f.map, mlirBlockGetArgument(f.body, f.dims + k), carried.data[k]);
  }
  nest(&f, &b, 0, &carried);
  for (intptr_t k = 0; k < f.outs; ++k)
    mlirValueReplaceAllUsesOfWith(sn_result(op, k), carried.data[k]);
  mlirOperationDestroy(op);
  sn_map_free(&f.map);
  sn_vec_free(&carried);
  for (int k = 0; k < 3; ++k)
    sn_vec_free(&f.ends[k]);
}

static MlirWalkResult look(MlirOperation op, void *user) {
  if (sn_is(op, "scf.forall") || sn_is(op, "scf.parallel"))
    sn_push((SnOpVec *)user, op);
  return MlirWalkResultAdvance;
}

void sn_take_foralls(MlirOperation func) {
  SnOpVec all = {0};
  mlirOperationWalk(func, look, &all, MlirWalkPreOrder);
  SnReach r = all.size ? sn_reach_of(func) : (SnReach){0};
  for (size_t k = all.size; k-- > 0;) { // what stands in another one first
    bool any = false;
    for (intptr_t i = 0; i < sn_num_results(all.data[k]); ++i)
      any |= sn_is_reached(&r, sn_result(all.data[k], i));
    if (any)
      become_loops(all.data[k]);
  }
  sn_table_free(&r.values);
  sn_vec_free(&all);
}

// guard.c: what stays linalg reads nothing outside of a tensor either.
//
//   %v = tensor.extract %x[%i]   ->   %in = arith.cmpi ult, %i, 5
//                                     %v = scf.if %in { tensor.extract %x[%i] } else { 0 }
//
// Exporters load an element first and select afterwards: `x[label]` is read also
// where the label is one that is ignored. A kernel form gives 0 there
// (raise/lookups.c), and so does this road. A subscript that is known to stay
// inside is left alone; asserts are, too. What a function itself reads by a subscript is asserted (guard/indices.c),
// and so is that no integer is divided by zero (guard/divisions.c).
//
// runs in: sinter-cpu, sinter-gpu    test: test/passes/guard/guard.mlir

#include "passes/guard/guard.h"

static void guard(MlirOperation extract) {
  SnBuilder b = sn_before(extract);
  MlirValue table = sn_operand(extract, 0), inside = {0};
  MlirType t = sn_type_of(table), element = sn_element(t);
  SnValueVec at = {0};
  for (intptr_t i = 0; i + 1 < sn_num_operands(extract); ++i) {
    sn_push(&at, sn_operand(extract, i + 1));
    MlirValue size =
        sn_dim(t, i) == SN_DYNAMIC ? sn(&b, "tensor.dim", table, sn_index(&b, i)) : sn_index(&b, sn_dim(t, i));
    MlirValue in = sn(&b, "arith.cmpi", at.data[i], size,
                      sn_attr("predicate", sn_i64(b.ctx, 6))); // ult: a negative one is beyond every size
    inside = i ? sn(&b, "arith.andi", inside, in) : in;
  }
  SnIf there = sn_if(&b, inside, element);
  sn_else(&b, &there, sn(&b, "tensor.extract", table, sn_values((intptr_t)at.size, at.data), element));
  sn_end_if(&b, &there, sn_zero(&b, element));
  mlirValueReplaceAllUsesOfWith(sn_result(extract, 0), sn_result(there.op, 0));
  mlirOperationDestroy(extract);
  sn_vec_free(&at);
}

// In the body of a linalg op, a subscript may be known from the loops.
static bool is_known(MlirOperation extract) {
  SnRaise r = {0};
  bool known = sn_raise_open(&r, mlirOperationGetParentOperation(extract)) && sn_raise_is_access(&r, extract);
  sn_raise_close(&r);
  return known;
}

static MlirLogicalResult guard_function(MlirOperation func, void *user) {
  SnOpVec all = sn_collect(func, "tensor.extract");
  for (size_t k = 0; k < all.size; ++k) {
    MlirOperation op = all.data[k], parent = mlirOperationGetParentOperation(op);
    MlirType element = sn_element(sn_type_of(sn_operand(op, 0)));
    intptr_t rank = sn_num_operands(op) - 1;
    // What stands in an scf.if is guarded by its program.
    if (sn_in_dialect(parent, "linalg") && rank && (sn_is_float(element) || sn_is_int(element)) && !is_known(op))
      guard(op);
  }
  sn_vec_free(&all);
  MlirLogicalResult result = sn_guard_divisors(func); // those of slices' own guards are none of the program's
  sn_guard_indices(func);
  return result;
}

static MlirLogicalResult run(const SnRun *run, MlirOperation op) { return sn_each_function(op, guard_function, NULL); }

MlirDialectHandle mlirGetDialectHandle__arith__(void);
MlirDialectHandle mlirGetDialectHandle__cf__(void);
MlirDialectHandle mlirGetDialectHandle__scf__(void);
MlirDialectHandle mlirGetDialectHandle__tensor__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__arith__, mlirGetDialectHandle__cf__,
                                                      mlirGetDialectHandle__scf__, mlirGetDialectHandle__tensor__,
                                                      NULL};

const SnPass sn_pass_guard = {
    .argument = "sinter-guard",
    .summary = "a tensor.extract of linalg gives 0 where a subscript is outside; elsewhere the call fails, as it does "
               "of a division by zero",
    .dialects = dialects,
    .run = run,
};

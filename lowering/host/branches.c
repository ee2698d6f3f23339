// branches.c: what both branches of an scf.if allocate alike is allocated in front of it.
//
//   %y = scf.if %c {                                        %y = memref.alloc(%n)
//     %a = memref.alloc(%n)   call @one(%x, %a)       ->    scf.if %c {
//     scf.yield %a                                            call @one(%x, %y)
//   } else {                                                } else {
//     %b = memref.alloc(%n)   call @other(%x, %b)             call @other(%x, %y)
//     scf.yield %b                                          }
//   }
//   return %y                                               return %y
//
// A result of the function is a caller's memory where it is one allocation (buffer-results-to-out-params); what a
// branch hands on would be copied there.
//
// runs in: sinter-cpu, sinter-gpu    test: test/lowering/host_branches.mlir

#include "lowering/host/host.h"

// Stands outside of the scf.if, in front of it.
static bool is_before(MlirValue v, MlirOperation branch) {
  MlirBlock block =
      mlirValueIsABlockArgument(v) ? mlirBlockArgumentGetOwner(v) : mlirOperationGetBlock(mlirOpResultGetOwner(v));
  for (MlirOperation op = branch; !sn_null(op); op = mlirOperationGetParentOperation(op))
    if (mlirBlockEqual(mlirOperationGetBlock(op), block))
      return true;
  return false;
}

static bool same_number(MlirValue a, MlirValue b) {
  MlirOperation x = sn_def(a, "arith.constant"), y = sn_def(b, "arith.constant");
  return !sn_null(x) && !sn_null(y) && mlirAttributeEqual(sn_get_attr(x, "value"), sn_get_attr(y, "value"));
}

// Both sizes are one that is known in front of the scf.if: a value, a number, or the size of what stands there.
static bool same_size(MlirValue a, MlirValue b, MlirOperation branch) {
  MlirOperation x = sn_def(a, "memref.dim"), y = sn_def(b, "memref.dim");
  if (sn_same(a, b) || same_number(a, b))
    return is_before(a, branch) || same_number(a, a);
  return !sn_null(x) && !sn_null(y) && sn_same(sn_operand(x, 0), sn_operand(y, 0)) &&
         is_before(sn_operand(x, 0), branch) && same_number(sn_operand(x, 1), sn_operand(y, 1));
}

// What the branch gives, if it allocates that itself.
static MlirOperation allocated(MlirOperation branch, intptr_t region, intptr_t result) {
  MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(branch, region));
  MlirOperation alloc = sn_def(sn_operand(mlirBlockGetTerminator(block), result), "memref.alloc");
  return !sn_null(alloc) && mlirBlockEqual(mlirOperationGetBlock(alloc), block) ? alloc : (MlirOperation){0};
}

static bool are_alike(MlirOperation a, MlirOperation b, MlirOperation branch) {
  bool alike = !sn_null(a) && !sn_null(b) && mlirTypeEqual(sn_type_of(sn_result(a, 0)), sn_type_of(sn_result(b, 0))) &&
               sn_num_operands(a) == sn_num_operands(b);
  for (intptr_t k = 0; alike && k < sn_num_operands(a); ++k)
    alike = same_size(sn_operand(a, k), sn_operand(b, k), branch);
  return alike;
}

static MlirValue size_before(SnBuilder *b, MlirValue size, MlirOperation branch) {
  MlirOperation dim = sn_def(size, "memref.dim");
  int64_t place;
  if (is_before(size, branch))
    return size;
  if (sn_null(dim))
    return sn_index(b, mlirIntegerAttrGetValueInt(sn_get_attr(sn_definer(size), "value")));
  place = mlirIntegerAttrGetValueInt(sn_get_attr(sn_definer(sn_operand(dim, 1)), "value"));
  return sn(b, "memref.dim", sn_operand(dim, 0), sn_index(b, place), sn_index_type(b->ctx));
}

// The inner ones come first: what they give is an allocation of the branch around them then.
static MlirWalkResult each(MlirOperation op, void *user) {
  (void)user;
  if (!sn_is(op, "scf.if"))
    return MlirWalkResultAdvance;
  for (intptr_t k = 0; k < sn_num_results(op); ++k) {
    MlirOperation a = allocated(op, 0, k), b = allocated(op, 1, k);
    if (!are_alike(a, b, op))
      continue;
    SnBuilder at = sn_before(op);
    SnValueVec sizes = {0};
    for (intptr_t d = 0; d < sn_num_operands(a); ++d)
      sn_push(&sizes, size_before(&at, sn_operand(a, d), op));
    MlirAttribute alignment = sn_get_attr(a, "alignment");
    MlirValue y =
        sn(&at, "memref.alloc", sn_values((intptr_t)sizes.size, sizes.data), sn_type_of(sn_result(a, 0)),
           sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(at.ctx, 2, (const int32_t[]){(int32_t)sizes.size, 0})));
    if (alignment.ptr)
      sn_set_attr(sn_definer(y), "alignment", alignment);
    mlirValueReplaceAllUsesOfWith(sn_result(a, 0), y);
    mlirValueReplaceAllUsesOfWith(sn_result(b, 0), y);
    mlirValueReplaceAllUsesOfWith(sn_result(op, k), y);
    mlirOperationDestroy(a);
    mlirOperationDestroy(b);
    sn_vec_free(&sizes);
  }
  return MlirWalkResultAdvance;
}

static MlirLogicalResult run(const SnRun *run, MlirOperation module) {
  (void)run;
  mlirOperationWalk(module, each, NULL, MlirWalkPostOrder);
  return SN_OK;
}

MlirDialectHandle mlirGetDialectHandle__arith__(void);
MlirDialectHandle mlirGetDialectHandle__memref__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__arith__, mlirGetDialectHandle__memref__,
                                                      NULL};

const SnPass sn_pass_host_branches = {
    .argument = "sinter-branches",
    .summary = "what both branches of an scf.if allocate alike is allocated in front of it",
    .anchor = "builtin.module",
    .dialects = dialects,
    .run = run,
};

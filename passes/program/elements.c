// elements.c: arith on whole tensors, as linalg.
//
//   %r = arith.xori %x, %y : tensor<4x?xi32>   ->   linalg.generic on tensors of %x's sizes
//   %s = tensor.splat %v : tensor<4x8xf32>   ->   linalg.fill ins(%v) outs(%empty)
//   %c = arith.select %p, %a, %b : complex<f32>   ->   complex.create of a select of their parts
//   %u = ub.poison : f32             ->   0: upstream's folders end the process at a tensor of it
//   %n = tensor.dim %x, %c7 : tensor<?xf32>         an error: there is no dimension 7
//   %s = arith.truncf %x : f32 to f8E8M0FNU         an error: no such float is lowered
//
// linalg is what is raised, differentiated and fused. Upstream's own pass takes rows of forms for tensors, too; and
// before it runs, upstream folds x ^ x with a size `?` to a constant whose size nobody knows any more.
//
// decides: what becomes of a program around its forms: sizes, ranges, reshapes, scans.
//
// runs in: sinter-cpu, sinter-gpu, sinter-prepare    test: test/passes/program/elements.mlir

#include "capi/shim.h"
#include "mlir-c/Dialect/Linalg.h"
#include "passes/program/elements.h"

static bool is_tensor(MlirValue v) { return mlirTypeIsARankedTensor(sn_type_of(v)); }

// A tensor that is not one number throughout.
static bool is_read(MlirValue v) { return is_tensor(v) && !sn_constant_of(v).ptr; }

// One that stands in a function or in control flow: what is in a row program or in a body is on rows and elements.
static bool is_whole(MlirOperation op) {
  MlirOperation parent = mlirOperationGetParentOperation(op);
  return sn_num_results(op) && is_tensor(sn_result(op, 0)) && sn_shim_is_elementwise(op) && sn_num_operands(op) &&
         (sn_in_dialect(parent, "func") || sn_in_dialect(parent, "scf"));
}

static MlirValue like(SnBuilder *b, MlirValue x, MlirType t) {
  SnValueVec sizes = {0};
  for (intptr_t i = 0; i < sn_rank(t); ++i)
    if (sn_dim(t, i) == SN_DYNAMIC)
      sn_push(&sizes, sn(b, "tensor.dim", x, sn_index(b, i), sn_index_type(b->ctx)));
  MlirValue empty = sn(b, "tensor.empty", sn_values((intptr_t)sizes.size, sizes.data), t);
  sn_vec_free(&sizes);
  return empty;
}

static MlirValue first_tensor(MlirOperation op) {
  intptr_t k = 0;
  while (!is_tensor(sn_operand(op, k)))
    ++k;
  return sn_operand(op, k);
}

static void on_elements(MlirOperation op) {
  SnBuilder b = sn_before(op);
  MlirType t = sn_type_of(sn_result(op, 0));
  intptr_t n = sn_num_operands(op), results = sn_num_results(op), inputs = 0, rank = sn_rank(t);
  SN_VEC(MlirType) wholes = {0}, made_types = {0};
  SnValueVec operands = {0};
  SN_VEC(MlirType) types = {0};
  SN_VEC(MlirLocation) locs = {0};
  SN_VEC(MlirAttribute) maps = {0}, kinds = {0};
  for (intptr_t k = 0; k < n; ++k)
    if (is_read(sn_operand(op, k)))
      sn_push(&operands, sn_operand(op, k));
  inputs = (intptr_t)operands.size;
  for (intptr_t k = 0; k < results; ++k) {
    sn_push(&wholes, sn_type_of(sn_result(op, k)));
    sn_push(&made_types, sn_element(wholes.data[k]));
    sn_push(&operands, like(&b, first_tensor(op), wholes.data[k]));
  }
  for (size_t k = 0; k < operands.size; ++k) {
    sn_push(&types, sn_element(sn_type_of(operands.data[k])));
    sn_push(&locs, b.loc);
    sn_push(&maps, mlirAffineMapAttrGet(mlirAffineMapMultiDimIdentityGet(b.ctx, rank)));
  }
  for (intptr_t d = 0; d < rank; ++d)
    sn_push(&kinds, sn_parse_attr(b.ctx, "#linalg.iterator_type<parallel>"));
  MlirRegion region = mlirRegionCreate();
  MlirBlock block = mlirBlockCreate((intptr_t)types.size, types.data, locs.data);
  mlirRegionAppendOwnedBlock(region, block);
  SnBuilder in = sn_at_end(block, b.loc);
  SnValueVec elements = {0};
  for (intptr_t k = 0, at = 0; k < n; ++k)
    sn_push(&elements, is_read(sn_operand(op, k))     ? mlirBlockGetArgument(block, at++)
                       : is_tensor(sn_operand(op, k)) ? sn_constant(&in, sn_constant_of(sn_operand(op, k)))
                                                      : sn_operand(op, k));
  MlirOperation copy = sn_clone_as(&in, op, sn_values(n, elements.data), sn_types(results, made_types.data));
  SnValueVec yielded = {0};
  for (intptr_t k = 0; k < results; ++k)
    sn_push(&yielded, sn_result(copy, k));
  sn_op(&in, "linalg.yield", sn_values(results, yielded.data), sn_types(0, NULL));
  int32_t segments[] = {(int32_t)inputs, (int32_t)results};
  MlirOperation made =
      sn_op(&b, "linalg.generic", sn_values((intptr_t)operands.size, operands.data), sn_types(results, wholes.data),
            region, sn_attr("indexing_maps", mlirArrayAttrGet(b.ctx, (intptr_t)maps.size, maps.data)),
            sn_attr("iterator_types", mlirArrayAttrGet(b.ctx, rank, kinds.data)),
            sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b.ctx, 2, segments)));
  for (intptr_t k = 0; k < results; ++k)
    mlirValueReplaceAllUsesOfWith(sn_result(op, k), sn_result(made, k));
  mlirOperationDestroy(op);
  sn_vec_free(&wholes);
  sn_vec_free(&made_types);
  sn_vec_free(&yielded);
  sn_vec_free(&operands);
  sn_vec_free(&types);
  sn_vec_free(&locs);
  sn_vec_free(&maps);
  sn_vec_free(&kinds);
  sn_vec_free(&elements);
}

static void as_fill(MlirOperation splat) {
  SnBuilder b = sn_before(splat);
  MlirType t = sn_type_of(sn_result(splat, 0));
  SnValueVec sizes = {0};
  for (intptr_t k = 1; k < sn_num_operands(splat); ++k)
    sn_push(&sizes, sn_operand(splat, k));
  MlirValue empty = sn(&b, "tensor.empty", sn_values((intptr_t)sizes.size, sizes.data), t);
  const int32_t segments[] = {1, 1};
  MlirOperation fill = sn_op(&b, "linalg.fill", sn_operand(splat, 0), empty, t, mlirRegionCreate(),
                             sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b.ctx, 2, segments)));
  mlirLinalgFillBuiltinNamedOpRegion(fill);
  mlirValueReplaceAllUsesOfWith(sn_result(splat, 0), sn_result(fill, 0));
  mlirOperationDestroy(splat);
  sn_vec_free(&sizes);
}

// convert-complex-to-standard leaves choices of complex numbers, which no kernel holds.
static void as_parts(MlirOperation select) {
  SnBuilder b = sn_before(select);
  MlirType part = mlirComplexTypeGetElementType(sn_type_of(sn_result(select, 0)));
  MlirValue parts[2];
  for (int k = 0; k < 2; ++k) {
    const char *of = k ? "complex.im" : "complex.re";
    MlirValue yes = sn(&b, of, sn_operand(select, 1), part), no = sn(&b, of, sn_operand(select, 2), part);
    parts[k] = sn(&b, "arith.select", sn_operand(select, 0), yes, no, part);
  }
  MlirValue made = sn(&b, "complex.create", sn_values(2, parts), sn_type_of(sn_result(select, 0)));
  mlirValueReplaceAllUsesOfWith(sn_result(select, 0), made);
  mlirOperationDestroy(select);
}

static void as_zero(MlirOperation poison) {
  SnBuilder b = sn_before(poison);
  mlirValueReplaceAllUsesOfWith(sn_result(poison, 0), sn_zero(&b, sn_type_of(sn_result(poison, 0))));
  mlirOperationDestroy(poison);
}

typedef struct {
  SnOpVec whole, splats, complexes, poisons;
  MlirLogicalResult result;
} Found;

// The first float of 8 bits or less that is not lowered, or of 19, among operands and results; null if there is none.
static MlirType short_float(MlirOperation op) {
  intptr_t n = sn_num_operands(op);
  for (intptr_t k = 0; k < n + sn_num_results(op); ++k) {
    MlirType t = sn_element(sn_type_of(k < n ? sn_operand(op, k) : sn_result(op, k - n)));
    if (sn_is_float(t) && (mlirTypeIsATF32(t) || (sn_bits(t) <= 8 && !sn_is_float8(t))))
      return t;
  }
  return (MlirType){NULL};
}

static MlirWalkResult look(MlirOperation op, void *user) {
  Found *found = user;
  intptr_t d;
  MlirType refused = short_float(op);
  if (refused.ptr) {
    char *text = sn_type_text(refused);
    found->result = sn_error(op,
                             "has elements of %s, which this compiler does not lower to machine code; expected "
                             "f8E4M3FN, f8E5M2, f16, bf16, f32 or f64: convert them outside of the program",
                             text);
    free(text);
    return MlirWalkResultInterrupt;
  }
  if (is_whole(op))
    sn_push(&found->whole, op);
  if (sn_is(op, "tensor.splat") && is_tensor(sn_result(op, 0)))
    sn_push(&found->splats, op);
  if (sn_is(op, "arith.select") && mlirTypeIsAComplex(sn_type_of(sn_result(op, 0))))
    sn_push(&found->complexes, op);
  if (sn_is(op, "ub.poison") && (sn_is_float(sn_type_of(sn_result(op, 0))) || sn_is_int(sn_type_of(sn_result(op, 0)))))
    sn_push(&found->poisons, op);
  MlirAttribute at =
      sn_is(op, "tensor.dim") || sn_is(op, "memref.dim") ? sn_constant_of(sn_operand(op, 1)) : mlirAttributeGetNull();
  if (at.ptr && mlirShapedTypeHasRank(sn_type_of(sn_operand(op, 0))) && !sn_known_dim(op, &d))
    found->result =
        sn_error(op, "asks for the size of dimension %lld, and its operand has %lld dimension%s, from 0 on",
                 (long long)mlirIntegerAttrGetValueInt(at), (long long)sn_rank(sn_type_of(sn_operand(op, 0))),
                 sn_rank(sn_type_of(sn_operand(op, 0))) == 1 ? "" : "s");
  return MlirWalkResultAdvance;
}

MlirLogicalResult sn_arith_to_linalg(MlirOperation func) {
  Found found = {.result = SN_OK};
  mlirOperationWalk(func, look, &found, MlirWalkPreOrder);
  for (size_t i = 0; i < found.whole.size && !sn_failed(found.result); ++i)
    on_elements(found.whole.data[i]);
  for (size_t i = 0; i < found.splats.size && !sn_failed(found.result); ++i)
    as_fill(found.splats.data[i]);
  for (size_t i = 0; i < found.complexes.size && !sn_failed(found.result); ++i)
    as_parts(found.complexes.data[i]);
  for (size_t i = 0; i < found.poisons.size && !sn_failed(found.result); ++i)
    as_zero(found.poisons.data[i]);
  sn_vec_free(&found.whole);
  sn_vec_free(&found.splats);
  sn_vec_free(&found.complexes);
  sn_vec_free(&found.poisons);
  return found.result;
}

static MlirLogicalResult run_function(MlirOperation func, void *user) { return sn_arith_to_linalg(func); }

static MlirLogicalResult run(const SnRun *run, MlirOperation op) { return sn_each_function(op, run_function, NULL); }

MlirDialectHandle mlirGetDialectHandle__arith__(void);
MlirDialectHandle mlirGetDialectHandle__complex__(void);
MlirDialectHandle mlirGetDialectHandle__linalg__(void);
MlirDialectHandle mlirGetDialectHandle__tensor__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__arith__, mlirGetDialectHandle__complex__,
                                                      mlirGetDialectHandle__linalg__, mlirGetDialectHandle__tensor__,
                                                      NULL};

const SnPass sn_pass_elements = {
    .argument = "sinter-elements",
    .summary = "arith on whole tensors as linalg, before upstream folds it to constants of unknown sizes",
    .dialects = dialects,
    .run = run,
};

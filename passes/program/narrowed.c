// narrowed.c: a large constant that a program rounds to a shorter type is one of that type.
//
//   %w = arith.constant dense_resource<w> : tensor<512x512xf32>
//   %n = linalg.generic ins(%w) outs(%e : tensor<512x512xbf16>) { arith.truncf }
// ->
//   %n = arith.constant dense_resource<narrowed> : tensor<512x512xbf16>
//
// Exporters have no arrays of bf16 or of floats of 8 bits, and write them so. Each call would round them, tables of
// embeddings as a whole, and weights would not be packed before the program runs: BERT in bf16, of 384 channels, took
// 10.5 ms so and takes 5.4 (one thread of a Xeon with AMX; eager PyTorch 11.7), DLRM 15.2 and 10.9.
//
// runs in: sinter-constants    test: test/passes/program/narrowed.mlir, test/run/narrowed.test

#include "passes/program/constants.h"
#include "runtime/float8.h"

// The block of an elementwise linalg.generic of one input and one result, of which element d of the one is of the
// other; null: it is nothing of the kind.
static MlirBlock body_of(MlirOperation op) {
  MlirBlock none = {0};
  if (!sn_is(op, "linalg.generic") || sn_num_operands(op) != 2 || sn_num_results(op) != 1)
    return none;
  MlirAttribute maps = sn_get_attr(op, "indexing_maps");
  for (intptr_t k = 0; k < 2; ++k)
    if (!mlirAffineMapIsIdentity(mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(maps, k))))
      return none;
  return mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
}

static bool is_short(MlirType t) { return mlirTypeIsABF16(t) || sn_is_float8(t); }

// It rounds its input, an f32, to the nearest, and does nothing else.
static bool rounds(MlirOperation op) {
  MlirBlock body = body_of(op);
  if (mlirBlockIsNull(body))
    return false;
  MlirOperation cast = sn_def(sn_operand(mlirBlockGetTerminator(body), 0), "arith.truncf");
  return !sn_null(cast) && !sn_get_attr(cast, "roundingmode").ptr &&
         sn_same(sn_operand(cast, 0), mlirBlockGetArgument(body, 0)) &&
         mlirTypeIsAF32(sn_type_of(sn_operand(cast, 0))) && is_short(sn_element(sn_type_of(sn_result(op, 0))));
}

// To nearest even. A NaN stays one.
static uint16_t bf16_of(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  if (isnan(x))
    return (uint16_t)(bits >> 16 | 0x40);
  return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static void give_back(void *user, const void *data, size_t size) { free(user); }

static MlirAttribute narrowed(SnResource r, MlirType to) {
  MlirType element = sn_element(to);
  DLDataType byte = {mlirTypeIsAFloat8E5M2(element) ? SINTER_DL_FLOAT8_E5M2 : SINTER_DL_FLOAT8_E4M3FN, 8, 1};
  size_t n = r.size / sizeof(float), each = sn_bits(element) / 8;
  char *bytes = sn_alloc(n * each);
  for (size_t i = 0; i < n; ++i) {
    float x;
    memcpy(&x, r.data + i * sizeof x, sizeof x);
    if (each == 1) {
      bytes[i] = (char)sinter_float8_of(byte, x);
      continue;
    }
    uint16_t half = bf16_of(x);
    memcpy(bytes + i * each, &half, each);
  }
  return sn_shim_new_resource(to, SN_STR("narrowed"), bytes, n * each, give_back, bytes);
}

static void narrow(MlirOperation constant) {
  MlirAttribute value = sn_get_attr(constant, "value");
  MlirValue v = sn_result(constant, 0);
  if (!mlirAttributeIsADenseResourceElements(value) || !sn_shim_resource(value).known ||
      !mlirTypeIsAF32(sn_element(sn_type_of(v))))
    return;
  SnOpVec found = {0}, made = {0}; // one constant for all that round it to one type
  for (MlirOpOperand use = mlirValueGetFirstUse(v); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    if (mlirOpOperandGetOperandNumber(use) == 0 && rounds(mlirOpOperandGetOwner(use)))
      sn_push(&found, mlirOpOperandGetOwner(use));
  for (size_t k = 0; k < found.size; ++k) {
    MlirType to = sn_type_of(sn_result(found.data[k], 0));
    MlirOperation one = {0};
    for (size_t i = 0; i < made.size; ++i)
      if (mlirTypeEqual(sn_type_of(sn_result(made.data[i], 0)), to))
        one = made.data[i];
    if (sn_null(one)) {
      SnBuilder b = sn_before(constant);
      one = sn_definer(sn_constant(&b, narrowed(sn_shim_resource(value), to)));
      sn_push(&made, one);
    }
    mlirValueReplaceAllUsesOfWith(sn_result(found.data[k], 0), sn_result(one, 0));
    mlirOperationDestroy(found.data[k]);
  }
  sn_vec_free(&found);
  sn_vec_free(&made);
  if (mlirOpOperandIsNull(mlirValueGetFirstUse(v)))
    mlirOperationDestroy(constant);
}

void sn_narrow_constants(MlirOperation root) {
  SnOpVec constants = sn_collect(root, "arith.constant");
  for (size_t k = 0; k < constants.size; ++k)
    if (mlirTypeIsARankedTensor(sn_type_of(sn_result(constants.data[k], 0))))
      narrow(constants.data[k]);
  sn_vec_free(&constants);
}

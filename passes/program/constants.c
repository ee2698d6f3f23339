// constants.c: large constants are bytes that no pass reads, small ones are elements that any may fold.
//
//   %w = arith.constant dense_resource<w> : tensor<512x512xf32>     its bytes in the program, or in DIR/w.npy
//   ->
//   the same with its bytes, which are pages of the file
//
//   %w = arith.constant dense<"0x3F80..."> : tensor<512x512xf32>    ->   dense_resource<constant>
//   %w = arith.constant dense_resource<ones> : tensor<512xf32>      ->   dense<1.0>, as all are equal
//   %w = arith.constant dense_resource<few> : tensor<2xi64>         ->   dense<[3, 5]>
//
// Upstream folds, prints, compares and copies the elements of a `dense`, and hashes all of them for each that it makes.
// A `dense_resource` is a name and a type to it. So from here on a large constant is written once, by
// lowering/serialise.c, whatever passes do.
//
// relies on: nothing in front of it: no pass meets a name without bytes, or with others than its type has
// runs in: sinter-cpu, sinter-gpu    test: test/passes/program/constants.mlir, test/tools/constants.test

#include "passes/program/constants.h"
#include "runtime/describe.h"
#include "runtime/npy.h"
#include <stdio.h>

// Bytes of what may be folded.
enum { FEW = 1024 };

typedef struct {
  const char *from;
} Options;

static const struct {
  const char *op, *attr;
} holders[] = {{"arith.constant", "value"}, {"tosa.const", "values"}, {"memref.global", "initial_value"}};

// ---- types ----------------------------------------------------------------------

// In memory, where an i1 is a byte; no bits of what has no such place.
static DLDataType type_in_memory(MlirType element) {
  if (mlirTypeIsABF16(element))
    return (DLDataType){kDLBfloat, 16, 1};
  if (mlirTypeIsAF16(element) || mlirTypeIsAF32(element) || mlirTypeIsAF64(element))
    return (DLDataType){kDLFloat, (uint8_t)sn_bits(element), 1};
  if (sn_is_float8(element))
    return (DLDataType){mlirTypeIsAFloat8E5M2(element) ? SINTER_DL_FLOAT8_E5M2 : SINTER_DL_FLOAT8_E4M3FN, 8, 1};
  unsigned bits = sn_is_int(element) ? sn_bits(element) : 0;
  if (bits == 1)
    return (DLDataType){SINTER_DL_BOOL, 8, 1};
  return (DLDataType){kDLInt, bits == 8 || bits == 16 || bits == 32 || bits == 64 ? (uint8_t)bits : 0, 1};
}

// Numbers of a file that are those of the type, bit by bit: NumPy has no bfloat16 or float8, and MLIR no sign.
static bool same_bits(DLDataType file, DLDataType wanted) {
  bool bits = wanted.code == kDLBfloat || wanted.code == kDLInt || sinter_is_float8(wanted);
  return sinter_same_type(file, wanted) || (bits && file.code == kDLUInt && file.bits == wanted.bits);
}

// Of a static shape; 2^60 where there are more.
static int64_t elements_of(MlirType type) {
  int64_t n = 1;
  for (intptr_t i = 0; i < sn_rank(type); ++i)
    n = sn_dim(type, i) ? sn_times(n, sn_dim(type, i)) : 0;
  return n;
}

static SinterWord shape_text(MlirType type) {
  int64_t shape[SINTER_MAX_RANK];
  intptr_t rank = sn_rank(type) < SINTER_MAX_RANK ? sn_rank(type) : SINTER_MAX_RANK;
  for (intptr_t i = 0; i < rank; ++i)
    shape[i] = sn_dim(type, i);
  return sinter_describe_shape((int32_t)rank, shape);
}

static bool same_shape(const SinterArray *array, MlirType type) {
  bool same = array->ndim == sn_rank(type);
  for (int32_t d = 0; d < array->ndim && same; ++d)
    same = array->shape[d] == sn_dim(type, d);
  return same;
}

// ---- names without bytes ----------------------------------------------------------

static void unmap(void *user, const void *data, size_t size) { sinter_npy_unmap(data, size); }

static MlirLogicalResult check_array(MlirOperation op, const char *path, const SinterArray *array, MlirType type) {
  DLDataType wanted = type_in_memory(sn_element(type));
  if (!same_bits(array->dtype, wanted))
    return sn_error(op, "%s: its dtype is %s, but the constant's elements are %s%s", path,
                    sinter_describe_type(array->dtype).text, sinter_describe_type(wanted).text,
                    wanted.code == kDLBfloat   ? ": write their bits as uint16"
                    : sinter_is_float8(wanted) ? ": write their bits as uint8"
                                               : "");
  if (!same_shape(array, type))
    return sn_error(op, "%s: its shape is %s, but the constant's is %s", path,
                    sinter_describe_shape(array->ndim, array->shape).text, shape_text(type).text);
  return SN_OK;
}

// Gives a name the elements of DIR/NAME.npy.
static MlirLogicalResult find(MlirOperation op, MlirAttribute value, const char *from) {
  MlirStringRef name = sn_shim_resource(value).name;
  int n = (int)name.length;
  if (!from || !*from)
    return sn_error(op,
                    "dense_resource<%.*s> has no bytes in the program: name the folder of %.*s.npy by --constants=DIR",
                    n, name.data, n, name.data);
  if (memchr(name.data, '/', name.length) || memchr(name.data, 0, name.length))
    return sn_error(op,
                    "dense_resource<%.*s> is looked for in a folder, and its name holds a slash or a zero: rename it",
                    n, name.data);
  size_t size = strlen(from) + name.length + sizeof "/.npy";
  char *path = sn_alloc(size);
  snprintf(path, size, "%s/%.*s.npy", from, n, name.data);
  SinterArray array;
  SinterMessage message = {""};
  MlirLogicalResult result = sinter_npy_map(path, &array, &message)
                                 ? check_array(op, path, &array, mlirAttributeGetType(value))
                                 : sn_error(op, "%s", message.text);
  if (sn_failed(result))
    sinter_npy_unmap(array.data, (size_t)array.bytes);
  else
    sn_shim_set_resource(value, array.data, (size_t)array.bytes, unmap, NULL);
  free(path);
  return result;
}

// ---- one form for each constant ---------------------------------------------------

// Elements as a `dense`; `n` of them, 1 for all.
static MlirAttribute as_elements(MlirType type, const char *bytes, int64_t n, size_t each) {
  if (sn_bits(sn_element(type)) != 1)
    return mlirDenseElementsAttrRawBufferGet(type, (size_t)n * each, bytes);
  if (n == 1)
    return mlirDenseElementsAttrBoolSplatGet(type, *bytes);
  int *bits = sn_alloc((size_t)n * sizeof *bits);
  for (int64_t i = 0; i < n; ++i)
    bits[i] = bytes[i];
  MlirAttribute all = mlirDenseElementsAttrBoolGet(type, (intptr_t)n, bits);
  free(bits);
  return all;
}

static MlirAttribute no_elements(MlirType type) { return mlirDenseElementsAttrGet(type, 0, NULL); }

static MlirLogicalResult check_bytes(MlirOperation op, SnResource r, MlirType type, size_t each) {
  bool boolean = sn_bits(sn_element(type)) == 1;
  size_t wanted = 0;
  if (__builtin_mul_overflow((size_t)elements_of(type), each, &wanted) || r.size != wanted)
    return sn_error(op, "dense_resource<%.*s> has %zu bytes, but %s elements of %s are %zu", (int)r.name.length,
                    r.name.data, r.size, shape_text(type).text,
                    sinter_describe_type(type_in_memory(sn_element(type))).text, wanted);
  for (size_t i = 0; boolean && i < r.size; ++i)
    if ((unsigned char)r.data[i] > 1)
      return sn_error(op, "dense_resource<%.*s> has the byte %d at %zu, but an i1 is a byte of 0 or 1",
                      (int)r.name.length, r.name.data, (unsigned char)r.data[i], i);
  return SN_OK;
}

static MlirLogicalResult resource(MlirOperation op, MlirAttribute value, const char *from, MlirAttribute *to) {
  MlirType type = mlirAttributeGetType(value);
  size_t each = type_in_memory(sn_element(type)).bits / 8;
  if (!each)
    return sn_error(op, "a dense_resource has elements of f64, f32, f16, bf16, i64, i32, i16, i8, i1 or index");
  if (!sn_shim_resource(value).known && sn_failed(find(op, value, from)))
    return SN_FAIL;
  SnResource r = sn_shim_resource(value);
  if (sn_failed(check_bytes(op, r, type, each)))
    return SN_FAIL;
  int64_t n = elements_of(type);
  if (!n)
    *to = no_elements(type);
  else if (!memcmp(r.data, r.data + each, r.size - each))
    *to = as_elements(type, r.data, 1, each);
  else if (r.size <= FEW)
    *to = as_elements(type, r.data, n, each);
  return SN_OK;
}

static void give_back(void *user, const void *data, size_t size) { free(user); }

// Its bytes are the context's, as long as there is one; those of i1 are packed there.
static void elements(MlirAttribute value, MlirAttribute *to) {
  MlirType type = mlirAttributeGetType(value);
  size_t each = type_in_memory(sn_element(type)).bits / 8, size = (size_t)sn_times(elements_of(type), (int64_t)each);
  if (!each || size <= FEW || mlirDenseElementsAttrIsSplat(value))
    return;
  char *bytes = (char *)(uintptr_t)mlirDenseElementsAttrGetRawData(value), *own = NULL;
  if (sn_bits(sn_element(type)) == 1) {
    bytes = own = sn_alloc(size);
    for (size_t i = 0; i < size; ++i)
      own[i] = mlirDenseElementsAttrGetBoolValue(value, (intptr_t)i);
  }
  *to = sn_shim_new_resource(type, SN_STR("constant"), bytes, size, give_back, own);
}

// ---- the pass ---------------------------------------------------------------------

typedef struct {
  const char *from;
  MlirLogicalResult result;
} State;

static MlirWalkResult visit(MlirOperation op, void *user) {
  State *s = user;
  for (size_t i = 0; i < sizeof holders / sizeof *holders; ++i) {
    MlirAttribute value = sn_is(op, holders[i].op) ? sn_get_attr(op, holders[i].attr) : mlirAttributeGetNull(),
                  to = mlirAttributeGetNull();
    if (!value.ptr || !mlirTypeIsARankedTensor(mlirAttributeGetType(value)))
      continue;
    if (mlirAttributeIsADenseResourceElements(value)) {
      if (sn_failed(resource(op, value, s->from, &to)))
        s->result = SN_FAIL;
    } else if (mlirAttributeIsADenseElements(value)) {
      elements(value, &to);
    }
    if (to.ptr)
      sn_set_attr(op, holders[i].attr, to);
  }
  return MlirWalkResultAdvance;
}

MlirLogicalResult sn_keep_constants(MlirOperation root, const char *from) {
  State s = {from, SN_OK};
  mlirOperationWalk(root, visit, &s, MlirWalkPreOrder);
  if (!sn_failed(s.result))
    sn_narrow_constants(root);
  return s.result;
}

static MlirLogicalResult run(const SnRun *run, MlirOperation op) {
  return sn_keep_constants(op, ((const Options *)run->options)->from);
}

static const SnOption options[] = {
    {SN_OPTION_STRING, "from", "a folder: dense_resource<w> that has no bytes in the program is in w.npy", "", NULL,
     offsetof(Options, from)},
    {0},
};

const SnPass sn_pass_constants = {
    .argument = "sinter-constants",
    .summary = "large constants are bytes that no pass reads, found in .npy files where the program only names them",
    .options = options,
    .options_size = sizeof(Options),
    .run = run,
};

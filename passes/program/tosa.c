// tosa.c: what TOSA has that upstream's lowerings leave: arithmetic on shapes.
//
//   %p = tosa.const_shape [1, 4]   %q = tosa.dim %x {axis = 0}   ->   %s = tosa.const_shape [3, 4]
//   %s = tosa.mul_shape %p, %q
//
//   tosa.reshape %x, %s, where %s has sizes `?`                  ->   tensor.reshape %x(tensor.from_elements ...)
//
//   tosa.variable @state                                         ->   an error: a function keeps nothing between calls
//
// Upstream takes a shape only where it stands as a constant.
//
// runs in: sinter-prepare    test: test/passes/program/tosa.mlir, test/run/every_op.test

#include "passes/edit/rewrite.h"

typedef struct {
  intptr_t n;
  int64_t at[2 * SN_MAX_DIMS];
} Sizes;

// ---- constants ---------------------------------------------------------------------------------

static int64_t sum(int64_t x, int64_t y) { return x + y; }
static int64_t difference(int64_t x, int64_t y) { return x - y; }
static int64_t product(int64_t x, int64_t y) { return sn_times(x, y); }
static int64_t ceiling(int64_t x, int64_t y) { return y ? sn_pieces(x, y) : 0; }
static int64_t quotient(int64_t x, int64_t y) { return y ? x / y : 0; }
static int64_t rest(int64_t x, int64_t y) { return y ? x % y : 0; }
static int64_t most(int64_t x, int64_t y) { return x > y ? x : y; }
static int64_t least(int64_t x, int64_t y) { return x < y ? x : y; }

static int64_t power(int64_t x, int64_t unused) { return x >= 0 && x < 62 ? (int64_t)1 << x : 0; }
static int64_t log_down(int64_t x, int64_t unused) {
  int64_t n = 0;
  while (x >>= 1)
    ++n;
  return n;
}
static int64_t log_up(int64_t x, int64_t unused) {
  int64_t n = log_down(x, 0);
  return n + (((int64_t)1 << n) < x);
}

static const struct {
  const char *op;
  int64_t (*of)(int64_t x, int64_t y);
  const char *arith; // of sizes that come later; null: not known
} on_sizes[] = {
    {"tosa.add_shape", sum, "arith.addi"},
    {"tosa.sub_shape", difference, "arith.subi"},
    {"tosa.mul_shape", product, "arith.muli"},
    {"tosa.div_ceil_shape", ceiling, "arith.ceildivui"},
    {"tosa.div_floor_shape", quotient, "arith.divui"},
    {"tosa.mod_shape", rest, "arith.remui"},
    {"tosa.max_shape", most, "arith.maxsi"},
    {"tosa.min_shape", least, "arith.minsi"},
    {"tosa.exp2_shape", power, NULL},
    {"tosa.log2_ceil_shape", log_up, NULL},
    {"tosa.log2_floor_shape", log_down, NULL},
};
enum { ON_SIZES = sizeof on_sizes / sizeof *on_sizes };

static int row_of(MlirOperation op) {
  int k = 0;
  while (k < ON_SIZES && !sn_is(op, on_sizes[k].op))
    ++k;
  return k;
}

static bool constant_shape(MlirValue shape, Sizes *sizes) {
  MlirOperation op = sn_def(shape, "tosa.const_shape");
  if (sn_null(op))
    return false;
  MlirAttribute values = sn_get_attr(op, "values");
  sizes->n = mlirElementsAttrGetNumElements(values);
  if (sizes->n > 2 * SN_MAX_DIMS)
    return false;
  for (intptr_t k = 0; k < sizes->n; ++k)
    sizes->at[k] = mlirDenseElementsAttrIsSplat(values) ? mlirDenseElementsAttrGetInt64SplatValue(values)
                                                        : mlirDenseElementsAttrGetInt64Value(values, k);
  return true;
}

static bool to_constant(SnRewriter *rw, MlirOperation op, const Sizes *sizes) {
  MlirType index = sn_index_type(rw->b->ctx);
  int64_t n = sizes->n;
  MlirAttribute elements[2 * SN_MAX_DIMS];
  for (intptr_t k = 0; k < n; ++k)
    elements[k] = mlirIntegerAttrGet(index, sizes->at[k]);
  MlirAttribute values = mlirDenseElementsAttrGet(sn_tensor(index, 1, &n), n, elements);
  sn_replace(rw, op, sn(rw->b, "tosa.const_shape", sn_type_of(sn_result(op, 0)), sn_attr("values", values)));
  return true;
}

static bool by_size(SnRewriter *rw, MlirOperation op) {
  Sizes x, y = {0};
  if (!constant_shape(sn_operand(op, 0), &x) || (sn_num_operands(op) > 1 && !constant_shape(sn_operand(op, 1), &y)))
    return false;
  for (intptr_t k = 0; k < x.n; ++k)
    x.at[k] = on_sizes[row_of(op)].of(x.at[k], sn_num_operands(op) > 1 ? y.at[k] : 0);
  return to_constant(rw, op, &x);
}

static bool joined(SnRewriter *rw, MlirOperation op) {
  Sizes all = {0}, part;
  for (intptr_t k = 0; k < sn_num_operands(op); ++k) {
    if (!constant_shape(sn_operand(op, k), &part) || all.n + part.n > 2 * SN_MAX_DIMS)
      return false;
    for (intptr_t i = 0; i < part.n; ++i)
      all.at[all.n++] = part.at[i];
  }
  return to_constant(rw, op, &all);
}

// A number that is known, of a tensor of one.
static bool known_number(MlirValue v, int64_t *n) {
  MlirOperation op = sn_definer(v);
  MlirAttribute values = sn_null(op) ? mlirAttributeGetNull() : sn_get_attr(op, "values");
  if (!values.ptr || !mlirAttributeIsADenseElements(values) || !mlirDenseElementsAttrIsSplat(values))
    return false;
  *n = mlirDenseElementsAttrGetInt32SplatValue(values);
  return true;
}

static bool part(SnRewriter *rw, MlirOperation op) {
  Sizes all, some = {0};
  int64_t from, n;
  if (!constant_shape(sn_operand(op, 0), &all) || !known_number(sn_operand(op, 1), &from) ||
      !known_number(sn_operand(op, 2), &n) || from < 0 || n < 0 || from + n > all.n)
    return false;
  for (; some.n < n; ++some.n)
    some.at[some.n] = all.at[from + some.n];
  return to_constant(rw, op, &some);
}

static bool dimension(SnRewriter *rw, MlirOperation op) {
  MlirType t = sn_type_of(sn_operand(op, 0));
  int64_t axis = sn_int_attr(op, "axis", 0);
  if (!mlirTypeIsARankedTensor(t) || sn_dim(t, axis) == SN_DYNAMIC)
    return false;
  return to_constant(rw, op, &(Sizes){1, {sn_dim(t, axis)}});
}

// ---- sizes that come later -----------------------------------------------------------------------

static intptr_t rank_of(MlirValue shape) {
  Sizes sizes;
  MlirOperation op = sn_definer(shape);
  if (sn_null(op))
    return 0;
  if (constant_shape(shape, &sizes))
    return sizes.n;
  if (sn_is(op, "tosa.dim"))
    return 1;
  intptr_t rank = 0, parts = sn_is(op, "tosa.concat_shape") ? sn_num_operands(op) : row_of(op) < ON_SIZES;
  for (intptr_t k = 0; k < parts; ++k)
    rank += rank_of(sn_operand(op, k));
  return rank;
}

// Size k of a shape, as a number of the program; null where it is not known how.
static MlirValue size_at(SnBuilder *b, MlirValue shape, intptr_t k) {
  Sizes sizes;
  MlirOperation op = sn_definer(shape);
  MlirType index = sn_index_type(b->ctx);
  if (sn_null(op))
    return (MlirValue){0};
  if (constant_shape(shape, &sizes))
    return sn_index(b, sizes.at[k]);
  if (sn_is(op, "tosa.dim"))
    return sn(b, "tensor.dim", sn_operand(op, 0), sn_index(b, sn_int_attr(op, "axis", 0)), index);
  if (sn_is(op, "tosa.concat_shape"))
    for (intptr_t i = 0; i < sn_num_operands(op); ++i) {
      intptr_t rank = rank_of(sn_operand(op, i));
      if (k < rank)
        return size_at(b, sn_operand(op, i), k);
      k -= rank;
    }
  int row = row_of(op);
  if (row == ON_SIZES || !on_sizes[row].arith)
    return (MlirValue){0};
  MlirValue x = size_at(b, sn_operand(op, 0), k), y = size_at(b, sn_operand(op, 1), k);
  return sn_none(x) || sn_none(y) ? x : sn(b, on_sizes[row].arith, x, y);
}

static bool reshape(SnRewriter *rw, MlirOperation op) {
  Sizes constant;
  MlirType t = sn_type_of(sn_result(op, 0)), index = sn_index_type(rw->b->ctx);
  if (constant_shape(sn_operand(op, 1), &constant) || !mlirTypeIsARankedTensor(t) || sn_rank(t) > SN_MAX_DIMS)
    return false;
  int64_t n = sn_rank(t);
  MlirValue sizes[SN_MAX_DIMS];
  for (intptr_t k = 0; k < n; ++k)
    if (sn_none(sizes[k] = size_at(rw->b, sn_operand(op, 1), k)))
      return false;
  MlirValue shape = sn(rw->b, "tensor.from_elements", sn_values(n, sizes), sn_tensor(index, 1, &n));
  sn_replace(rw, op, sn(rw->b, "tensor.reshape", sn_operand(op, 0), shape, t));
  return true;
}

static const SnRule rules[] = {
    {"tosa.add_shape", by_size},
    {"tosa.sub_shape", by_size},
    {"tosa.mul_shape", by_size},
    {"tosa.div_ceil_shape", by_size},
    {"tosa.div_floor_shape", by_size},
    {"tosa.mod_shape", by_size},
    {"tosa.max_shape", by_size},
    {"tosa.min_shape", by_size},
    {"tosa.exp2_shape", by_size},
    {"tosa.log2_ceil_shape", by_size},
    {"tosa.log2_floor_shape", by_size},
    {"tosa.concat_shape", joined},
    {"tosa.slice_shape", part},
    {"tosa.dim", dimension},
    {0},
};
static const SnRule later[] = {{"tosa.reshape", reshape}, {0}};

// A library's functions run on many threads at once, and have no memory of their own.
static MlirLogicalResult refuse_variables(MlirOperation root) {
  SnOpVec all = sn_collect(root, "tosa.variable");
  MlirLogicalResult result = !all.size ? SN_OK
                                       : sn_error(all.data[0], "keeps a value between calls, and functions keep none; "
                                                               "take it as an argument, and return what is written");
  sn_vec_free(&all);
  return result;
}

static MlirLogicalResult run(const SnRun *run, MlirOperation root) {
  if (sn_failed(refuse_variables(root)))
    return SN_FAIL;
  MlirLogicalResult result = sn_apply_rules(root, (const SnRule *const[]){rules, NULL});
  return sn_failed(result) ? result : sn_apply_rules(root, (const SnRule *const[]){later, NULL});
}

MlirDialectHandle mlirGetDialectHandle__arith__(void);
MlirDialectHandle mlirGetDialectHandle__tensor__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__arith__, mlirGetDialectHandle__tensor__,
                                                      NULL};

const SnPass sn_pass_tosa = {
    .argument = "sinter-tosa",
    .summary = "TOSA's arithmetic on shapes as constants, or as numbers of the program",
    .dialects = dialects,
    .run = run,
};

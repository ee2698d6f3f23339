// verify_structure.c: whether a form's attributes can be read at all.
//
// The generic form `"sinter.rowwise"(...) <{...}>` lets anybody write lists that
// disagree. Everything that sn_form_read and the printer rely on is checked here,
// on attributes alone; the printer falls back to the generic form where it fails.
//
// test: test/dialect/generic-broken.mlir

#include "dialect/verify.h"
#include <stdarg.h>
#include <stdio.h>

typedef struct {
  char *text;
  size_t size;
} Why;

static bool no(Why *why, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool no(Why *why, const char *format, ...) {
  va_list ap;
  va_start(ap, format);
  if (why->size)
    vsnprintf(why->text, why->size, format, ap);
  va_end(ap);
  return false;
}

static intptr_t length(MlirAttribute array) { return array.ptr ? mlirArrayAttrGetNumElements(array) : 0; }

// `attr` is an array of `n` elements of one kind.
static bool is_list(Why *why, MlirAttribute attr, const char *name, bool (*kind)(MlirAttribute), const char *kinds,
                    intptr_t n, const char *of) {
  if (!attr.ptr || !mlirAttributeIsAArray(attr))
    return no(why, "needs an array `%s`", name); // F17
  for (intptr_t i = 0; i < length(attr); ++i)
    if (!kind(mlirArrayAttrGetElement(attr, i)))
      return no(why, "element %td of `%s` is not %s", i, name, kinds); // F17
  if (length(attr) != n)
    return no(why, "has %td elements in `%s` and %td %s; give one for each", length(attr), name, n, of); // F17
  return true;
}

static bool any(MlirAttribute attr) { return true; }

static bool ints(Why *why, MlirOperation op, const char *name, intptr_t n, const char *of, MlirAttribute *found) {
  *found = sn_get_attr(op, name);
  if (!found->ptr || !mlirAttributeIsADenseI64Array(*found))
    return no(why, "needs an array of i64 `%s`", name); // F17
  if (mlirDenseArrayGetNumElements(*found) != n)
    return no(why, "has %td elements in `%s` and %td %s; give one for each", mlirDenseArrayGetNumElements(*found), name,
              n, of); // F17
  return true;
}

static bool count(Why *why, MlirOperation op, const char *name, int64_t *found) {
  MlirAttribute attr = sn_get_attr(op, name);
  if (!attr.ptr || !mlirAttributeIsAInteger(attr))
    return no(why, "needs an integer `%s`", name); // F17
  *found = mlirIntegerAttrGetValueInt(attr);
  if (*found < 0)
    return no(why, "`%s` is %lld, which is negative", name, (long long)*found); // F17
  return true;
}

typedef struct {
  intptr_t dims, inputs, indices, outputs;
  intptr_t sides; // 2 for each product, 1 for each matrix
} Sizes;

static bool segments(Why *why, MlirOperation op, Sizes *s) {
  MlirAttribute attr = sn_get_attr(op, "operandSegmentSizes");
  if (!attr.ptr || !mlirAttributeIsADenseI32Array(attr) || mlirDenseArrayGetNumElements(attr) != 3)
    return no(why, "needs three sizes in `operandSegmentSizes`: inputs, index tensors, destinations"); // F17
  intptr_t *parts[] = {&s->inputs, &s->indices, &s->outputs}, sum = 0;
  for (int i = 0; i < 3; ++i) {
    *parts[i] = mlirDenseI32ArrayGetElement(attr, i);
    if (*parts[i] < 0)
      return no(why, "`operandSegmentSizes` holds %td, which is negative", *parts[i]); // F17
    sum += *parts[i];
  }
  if (sum != sn_num_operands(op))
    return no(why, "has %td operands, and `operandSegmentSizes` adds up to %td", sn_num_operands(op), sum); // F17
  return true;
}

// An array of i64 that may be missing, and then has no elements.
static bool optional_ints(Why *why, MlirOperation op, const char *name, MlirAttribute *found) {
  *found = sn_get_attr(op, name);
  if (found->ptr && !mlirAttributeIsADenseI64Array(*found))
    return no(why, "needs an array of i64 `%s`", name); // F17
  return true;
}

// The groups make up the columns, and matrices go from group to group.
static bool groups(Why *why, MlirOperation op, Sizes *s, int64_t cols) {
  MlirAttribute list, matrices;
  if (!optional_ints(why, op, "groups", &list) || !optional_ints(why, op, "matrices", &matrices))
    return false;
  intptr_t n = list.ptr ? mlirDenseArrayGetNumElements(list) : 1;
  int64_t sum = list.ptr ? 0 : cols;
  for (intptr_t g = 0; list.ptr && g < n; ++g) {
    int64_t size = mlirDenseI64ArrayGetElement(list, g);
    if (size < 0 || __builtin_add_overflow(sum, size, &sum))
      return no(why, "group %td has %lld columns", g, (long long)size); // F17
  }
  if (sum != cols)
    return no(why, "has %lld columns, and its groups %lld", (long long)cols, (long long)sum); // F17
  intptr_t ends = matrices.ptr ? mlirDenseArrayGetNumElements(matrices) : 0;
  if (ends % 2)
    return no(why, "has %td elements in `matrices`; give two groups for each", ends); // F17
  for (intptr_t i = 0; i < ends; ++i) {
    int64_t g = mlirDenseI64ArrayGetElement(matrices, i);
    if (g < 0 || g >= n)
      return no(why, "matrix %td goes by group %lld of %td", i / 2, (long long)g, n); // F17
  }
  s->sides += ends / 2;
  return true;
}

// Each side has its inputs and a region, or all of them one input and none.
static bool sides(Why *why, MlirOperation op, const Sizes *s) {
  MlirAttribute list;
  if (!optional_ints(why, op, "side_sizes", &list))
    return false;
  intptr_t regions = mlirOperationGetNumRegions(op) - 2, n = list.ptr ? mlirDenseArrayGetNumElements(list) : s->sides;
  int64_t inputs = list.ptr ? 0 : n;
  if (n != s->sides || regions != (list.ptr ? n : 0))
    return no(why,
              "has %td sides, %td elements in `side_sizes` and %td regions for them; give one for each, or neither",
              s->sides, list.ptr ? n : (intptr_t)0, regions); // F17
  for (intptr_t i = 0; list.ptr && i < n; ++i) {
    int64_t count = mlirDenseI64ArrayGetElement(list, i);
    bool program = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 2 + i)).ptr != NULL;
    if (count < 1 || (count > 1 && !program) || __builtin_add_overflow(inputs, count, &inputs))
      return no(why, "side %td has %lld inputs and %s program; one without a program has 1", i, (long long)count,
                program ? "a" : "no"); // F17
  }
  if (inputs > s->inputs)
    return no(why, "has %td inputs, and its %td sides need %lld", s->inputs, s->sides, (long long)inputs); // F17
  return true;
}

static bool dimensions(Why *why, MlirOperation op, Sizes *s) {
  MlirAttribute dims = sn_get_attr(op, "dims"), sizes, own;
  int64_t rows, cols, sum;
  if (!is_list(why, dims, "dims", mlirAttributeIsAString, "a string",
               length(dims.ptr && mlirAttributeIsAArray(dims) ? dims : mlirAttributeGetNull()), ""))
    return false;
  s->dims = length(dims);
  if (!ints(why, op, "sizes", s->dims, "dimensions", &sizes) || !count(why, op, "num_rows", &rows) ||
      !count(why, op, "num_cols", &cols))
    return false;
  bool fits = !__builtin_add_overflow(rows, cols, &sum);
  if (sn_is(op, "sinter.contract")) {
    MlirAttribute types = sn_get_attr(op, "product_types");
    intptr_t products = types.ptr && mlirAttributeIsAArray(types) ? length(types) : 0;
    if (!is_list(why, types, "product_types", mlirAttributeIsAType, "a type", products, "") ||
        !ints(why, op, "product_dims", products, "products", &own))
      return false;
    for (intptr_t p = 0; p < products; ++p) {
      int64_t n = mlirDenseI64ArrayGetElement(own, p);
      if (n < 0)
        return no(why, "product %td has %lld dimensions of its own", p, (long long)n); // F17
      fits &= !__builtin_add_overflow(sum, n, &sum);
    }
    s->sides = 2 * products;
  }
  if (!fits || sum != s->dims)
    return no(why, "names %td dimensions, and its rows, columns and products have %lld", s->dims,
              fits ? (long long)sum : -1LL); // F17
  return groups(why, op, s, cols) && sides(why, op, s);
}

// Subscript k is symbol k, and no index tensor is given for it.
static bool is_table(MlirAffineMap map, intptr_t index_tensors) {
  intptr_t n = mlirAffineMapGetNumResults(map);
  bool is = !index_tensors && mlirAffineMapGetNumSymbols(map) == n;
  for (intptr_t i = 0; i < n && is; ++i) {
    MlirAffineExpr e = mlirAffineMapGetResult(map, i);
    is = mlirAffineExprIsASymbol(e) && mlirAffineSymbolExprGetPosition(e) == i;
  }
  return is;
}

static bool maps(Why *why, MlirOperation op, const Sizes *s) {
  MlirAttribute list = sn_get_attr(op, "maps"), indirect = sn_get_attr(op, "indirect"),
                fills = sn_get_attr(op, "fills");
  if (!is_list(why, list, "maps", mlirAttributeIsAAffineMap, "an affine map", sn_num_operands(op), "operands"))
    return false;
  if (fills.ptr && !is_list(why, fills, "fills", any, "", s->inputs, "inputs"))
    return false;
  if (indirect.ptr &&
      !is_list(why, indirect, "indirect", mlirAttributeIsADenseI64Array, "an array of i64", s->inputs, "inputs"))
    return false;
  for (intptr_t k = 0; k < sn_num_operands(op); ++k) {
    MlirAffineMap map = mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(list, k));
    if (mlirAffineMapGetNumDims(map) != s->dims)
      return no(why, "map %td is over %td dimensions, and the form has %td", k, mlirAffineMapGetNumDims(map),
                s->dims); // F3
    MlirAttribute through =
        indirect.ptr && k < s->inputs ? mlirArrayAttrGetElement(indirect, k) : mlirAttributeGetNull();
    intptr_t symbols = through.ptr ? mlirDenseArrayGetNumElements(through) : 0;
    if (mlirAffineMapGetNumSymbols(map) != symbols && !(k < s->inputs && is_table(map, symbols)))
      return no(why, "map %td has %td symbols, and its operand has %td indirect subscripts", k,
                mlirAffineMapGetNumSymbols(map), symbols); // F6
    for (intptr_t i = 0; i < symbols; ++i) {
      int64_t index = mlirDenseI64ArrayGetElement(through, i);
      if (index < 0 || index >= s->indices)
        return no(why, "input %td goes through index tensor %lld of %td", k, (long long)index, s->indices); // F6
    }
  }
  return true;
}

static bool accumulators(Why *why, MlirOperation op, const Sizes *s) {
  MlirAttribute kinds = sn_get_attr(op, "accumulators"), list = sn_get_attr(op, "accumulator_maps");
  intptr_t n = kinds.ptr && mlirAttributeIsAArray(kinds) ? length(kinds) : 0;
  if (!is_list(why, kinds, "accumulators", mlirAttributeIsAString, "a string", n, "") ||
      !is_list(why, list, "accumulator_maps", mlirAttributeIsAAffineMap, "an affine map", n, "accumulators") ||
      !is_list(why, sn_get_attr(op, "accumulator_types"), "accumulator_types", mlirAttributeIsAType, "a type", n,
               "accumulators"))
    return false;
  for (intptr_t k = 0; k < n; ++k) {
    MlirAffineMap map = mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(list, k));
    if (mlirAffineMapGetNumDims(map) != s->dims || mlirAffineMapGetNumSymbols(map))
      return no(why,
                "the map of accumulator %td is over %td dimensions and %td symbols, and the form has %td dimensions", k,
                mlirAffineMapGetNumDims(map), mlirAffineMapGetNumSymbols(map), s->dims); // F9
  }
  return true;
}

bool sn_form_is_readable(MlirOperation op, char *text, size_t size) {
  Why why = {text, size};
  Sizes s = {0};
  if (mlirOperationGetNumRegions(op) < 2)
    return no(&why, "needs two regions, the body and finish, and has %td", mlirOperationGetNumRegions(op)); // F17
  return segments(&why, op, &s) && dimensions(&why, op, &s) && maps(&why, op, &s) && accumulators(&why, op, &s);
}

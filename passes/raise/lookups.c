// lookups.c: tensor.extract and cf.assert in the body of a linalg op.
//
//   x[2 - i, j]                an access     %x[2 - i, j]
//   x[i, t] of each row i      a pick        sinter.pick %row[%t] else 0, %row of %x[i, j]
//   e[t, j], e[f(i), g(j)]     a gather      sinter.gather %e[%t, %j] else 0, %e a table
//   x[i, g[j]], g = [0, 0, 1]  an access     %x[i, j floordiv 2]
//   x[i / 8 % 4, i % 8]        a reshape     tensor.collapse_shape %x, of all of it in order
//
// Exporters spell flips, label look-ups, embeddings and every kind of advanced
// indexing so. Where a subscript is known to stay inside, it becomes part of the
// access. Any other may be outside at run time (an ignored label, which a select
// drops later): what is picked or gathered there is 0, and no memory is read.
// The program's asserts come along, and report.
//
// runs in: raise    test: test/passes/raise/lookups.mlir

#include "passes/edit/size_terms.h"
#include "passes/raise/raise.h"

static bool is_inside(const SnRaise *r, MlirValue v) {
  return mlirValueIsABlockArgument(v) ? mlirBlockEqual(mlirBlockArgumentGetOwner(v), r->body)
                                      : mlirBlockEqual(mlirOperationGetBlock(sn_definer(v)), r->body);
}

// ---- subscripts that are affine in the loops -------------------------------------------

// An expression over the loops, between low and high; null if the value is anything else.
typedef struct {
  MlirAffineExpr e;
  int64_t low, high;
} Affine;

enum { SLT = 2 };        // arith's number for it
enum { MOST = 1 << 30 }; // of any number on the way, so that none overflows

static Affine bounded(MlirAffineExpr e, int64_t low, int64_t high) {
  bool small = low >= -(int64_t)MOST && high <= MOST;
  return small ? (Affine){e, low, high} : (Affine){0};
}

typedef enum { ADD, SUBTRACT, MULTIPLY, DIVIDE, REMAINDER, OTHER } Arithmetic;

static Affine combined(MlirContext ctx, Arithmetic by, Affine x, Affine y) {
  bool constant = y.low == y.high;
  if (by == ADD)
    return bounded(mlirAffineAddExprGet(x.e, y.e), x.low + y.low, x.high + y.high);
  if (by == SUBTRACT)
    return bounded(mlirAffineAddExprGet(x.e, mlirAffineMulExprGet(y.e, mlirAffineConstantExprGet(ctx, -1))),
                   x.low - y.high, x.high - y.low);
  if (by == MULTIPLY && !constant && x.low == x.high)
    return combined(ctx, by, y, x);
  if (by == MULTIPLY && constant) {
    int64_t p = x.low * y.low, q = x.high * y.low;
    return bounded(mlirAffineMulExprGet(x.e, y.e), p < q ? p : q, p < q ? q : p);
  }
  if (!constant || y.low < 1 || x.low < 0)
    return (Affine){0};
  if (by == DIVIDE)
    return bounded(mlirAffineFloorDivExprGet(x.e, y.e), x.low / y.low, x.high / y.low);
  if (by == REMAINDER)
    return bounded(mlirAffineModExprGet(x.e, y.e), 0, y.low - 1);
  return (Affine){0};
}

static Arithmetic arithmetic_of(MlirOperation op) {
  static const struct {
    const char *name;
    Arithmetic is;
  } known[] = {{"arith.addi", ADD},        {"arith.subi", SUBTRACT},  {"arith.muli", MULTIPLY},
               {"arith.divsi", DIVIDE},    {"arith.divui", DIVIDE},   {"arith.floordivsi", DIVIDE},
               {"arith.remsi", REMAINDER}, {"arith.remui", REMAINDER}};
  for (size_t k = 0; k < sizeof known / sizeof *known; ++k)
    if (sn_is(op, known[k].name))
      return known[k].is;
  return OTHER;
}

static Affine affine(const SnRaise *r, MlirValue v);

// An expression over the operands of an affine.apply.
static Affine applied(const SnRaise *r, MlirOperation op, MlirAffineExpr e) {
  if (mlirAffineExprIsAConstant(e))
    return bounded(e, mlirAffineConstantExprGetValue(e), mlirAffineConstantExprGetValue(e));
  if (!mlirAffineExprIsABinary(e))
    return affine(r, sn_operand(op, sn_applied_operand(op, e)));
  Affine x = applied(r, op, mlirAffineBinaryOpExprGetLHS(e)), y = applied(r, op, mlirAffineBinaryOpExprGetRHS(e));
  Arithmetic by = mlirAffineExprIsAAdd(e)        ? ADD
                  : mlirAffineExprIsAMul(e)      ? MULTIPLY
                  : mlirAffineExprIsAFloorDiv(e) ? DIVIDE
                  : mlirAffineExprIsAMod(e)      ? REMAINDER
                                                 : OTHER;
  return x.e.ptr && y.e.ptr ? combined(r->ctx, by, x, y) : (Affine){0};
}

// The element of a tensor of integers that is written out, in its order.
static bool written(MlirAttribute elements, intptr_t at, int64_t *value) {
  bool dense = mlirAttributeIsADenseIntElements(elements);
  MlirType t = sn_element(mlirAttributeGetType(elements));
  if (!sn_is_int(t) || sn_bits(t) != 64 || (!dense && !mlirAttributeIsADenseResourceElements(elements)))
    return false;
  *value = dense ? mlirDenseElementsAttrGetInt64Value(elements, at)
                 : mlirDenseInt64ResourceElementsAttrGetValue(elements, at);
  return true;
}

// All elements are a digit of one subscript, (i_d floordiv by) mod modulus: of which, and by what. Of one number alone
// the modulus is 1.
typedef struct {
  intptr_t d;
  int64_t by, modulus;
} Digit;

static bool find_digit(MlirAttribute elements, MlirType t, Digit *digit) {
  intptr_t rank = sn_rank(t), count = 1, stride = 1, step = 1, period = 1;
  int64_t v;
  for (intptr_t i = 0; i < rank; ++i)
    count *= (intptr_t)sn_dim(t, i);
  *digit = (Digit){.by = 1, .modulus = 1};
  if (!mlirShapedTypeHasStaticShape(t) || count < 1 || !written(elements, 0, &v) || v)
    return false;
  for (intptr_t i = rank; i-- > 0; stride *= (intptr_t)sn_dim(t, i))
    for (intptr_t k = 1; k < sn_dim(t, i) && digit->modulus == 1; ++k)
      if (written(elements, k * stride, &v) && v) {
        *digit = (Digit){.d = i, .by = k, .modulus = 2};
        step = stride;
        period = (intptr_t)sn_dim(t, i);
      }
  for (intptr_t k = 0; k < period && digit->modulus > 1; ++k)
    if (written(elements, k * step, &v) && v >= digit->modulus)
      digit->modulus = v + 1;
  for (intptr_t at = 0; at < count; ++at)
    if (!written(elements, at, &v) || v != at / step % period / digit->by % digit->modulus)
      return false;
  return true;
}

// An operand that is written out, where that is arithmetic: exporters write a group's number so for each channel.
static Affine of_constant(const SnRaise *r, MlirValue argument) {
  intptr_t k = mlirBlockArgumentGetArgNumber(argument);
  MlirOperation op = k < r->num_inputs ? sn_def(sn_operand(r->op, k), "arith.constant") : (MlirOperation){0};
  Digit digit;
  if (sn_null(op) || !mlirTypeIsARankedTensor(sn_type_of(sn_result(op, 0))) ||
      !find_digit(sn_get_attr(op, "value"), sn_type_of(sn_result(op, 0)), &digit))
    return (Affine){0};
  MlirAffineExpr e = mlirAffineMapGetResult(sn_raise_map(r, k), digit.d);
  int64_t size = sn_dim(sn_type_of(sn_result(op, 0)), digit.d), whole = sn_times(digit.by, digit.modulus);
  if (digit.by > 1)
    e = mlirAffineFloorDivExprGet(e, mlirAffineConstantExprGet(r->ctx, digit.by));
  if (whole < size) // it begins again
    e = mlirAffineModExprGet(e, mlirAffineConstantExprGet(r->ctx, digit.modulus));
  return bounded(digit.modulus > 1 ? e : mlirAffineConstantExprGet(r->ctx, 0), 0, digit.modulus - 1);
}

// The side of a select whose condition says the same everywhere.
static Affine selected(const SnRaise *r, MlirOperation select) {
  enum { SLT = 2, SGE = 5 };
  MlirOperation compare = sn_def(sn_operand(select, 0), "arith.cmpi");
  int64_t predicate = sn_null(compare) ? -1 : sn_int_attr(compare, "predicate", -1);
  if (predicate != SLT && predicate != SGE)
    return (Affine){0};
  Affine x = affine(r, sn_operand(compare, 0)), y = x.e.ptr ? affine(r, sn_operand(compare, 1)) : x;
  bool less = y.e.ptr && x.high < y.low, not_less = y.e.ptr && x.low >= y.high;
  if (!less && !not_less)
    return (Affine){0};
  return affine(r, sn_operand(select, less == (predicate == SLT) ? 1 : 2));
}

static Affine affine(const SnRaise *r, MlirValue v) {
  MlirAttribute constant = sn_constant_of(v);
  double number;
  if (constant.ptr && mlirAttributeIsAInteger(constant) && sn_attr_number(constant, &number)) {
    int64_t n = mlirIntegerAttrGetValueInt(constant);
    return bounded(mlirAffineConstantExprGet(r->ctx, n), n, n);
  }
  if (mlirValueIsABlockArgument(v) && is_inside(r, v))
    return of_constant(r, v);
  if (mlirValueIsABlockArgument(v) || !is_inside(r, v))
    return (Affine){0};
  MlirOperation op = sn_definer(v);
  if (sn_is(op, "arith.select"))
    return selected(r, op);
  if (sn_is(op, "linalg.index")) {
    intptr_t d = sn_int_attr(op, "dim", 0);
    return r->sizes[d] == SN_DYNAMIC
               ? (Affine){0}
               : bounded(mlirAffineDimExprGet(r->ctx, d), 0, r->sizes[d] > 0 ? r->sizes[d] - 1 : 0);
  }
  if (sn_is(op, "arith.index_cast")) { // back and forth: numbers are small
    unsigned bits = sn_bits(sn_type_of(v));
    return bits >= 32 ? affine(r, sn_operand(op, 0)) : (Affine){0};
  }
  if (sn_is(op, "affine.apply"))
    return applied(r, op, sn_applied_expr(op));
  if (!sn_in_dialect(op, "arith") || sn_num_operands(op) != 2 || sn_num_results(op) != 1 || !sn_is_int(sn_type_of(v)) ||
      sn_bits(sn_type_of(v)) < 32)
    return (Affine){0};
  Affine x = affine(r, sn_operand(op, 0)), y = x.e.ptr ? affine(r, sn_operand(op, 1)) : x;
  return y.e.ptr ? combined(r->ctx, arithmetic_of(op), x, y) : (Affine){0};
}

// The loop that a subscript is, or -1: as it stands, or `i < 0 ? i + n : i`, cast to 64 bits or back.
static intptr_t loop_of(const SnRaise *r, MlirValue subscript) {
  if (mlirValueIsABlockArgument(subscript) || !is_inside(r, subscript))
    return -1;
  MlirOperation op = sn_definer(subscript);
  if (sn_is(op, "arith.index_cast")) {
    MlirType from = sn_type_of(sn_operand(op, 0)), integer = mlirTypeIsAIndex(from) ? sn_type_of(subscript) : from;
    return sn_bits(integer) == 64 ? loop_of(r, sn_operand(op, 0)) : -1;
  }
  if (sn_is(op, "arith.select")) {
    MlirValue x = sn_operand(op, 2);
    MlirOperation below = sn_def(sn_operand(op, 0), "arith.cmpi");
    bool never = !sn_null(below) && sn_int_attr(below, "predicate", -1) == SLT && sn_same(sn_operand(below, 0), x) &&
                 sn_is_constant(sn_operand(below, 1), 0);
    return never ? loop_of(r, x) : -1;
  }
  return sn_is(op, "linalg.index") ? sn_int_attr(op, "dim", 0) : -1;
}

// Loop d, of a size `?`, ends where dimension i of the tensor does. If its size is that of some tensor, what else could
// the program mean; one that is computed (the shorter of two, a part of a sum) has to be the same.
static bool ends_with(const SnRaise *r, intptr_t d, MlirValue tensor, intptr_t i) {
  SnSizeReader reader = {0};
  SnSize size = sn_size_of_dim(&reader, tensor, i);
  bool fits = false, computed = false;
  for (intptr_t k = 0; k < r->num_inputs + r->num_outputs && !fits; ++k) {
    MlirAffineMap map = sn_raise_map(r, k);
    for (intptr_t p = 0; p < mlirAffineMapGetNumResults(map); ++p) {
      if (sn_map_dim(map, p) != d)
        continue;
      SnSize is = sn_size_of_dim(&reader, sn_operand(r->op, k), p);
      fits |= sn_size_equal(&is, &size);
      computed |= is.known && !(is.n == 1 && is.terms[0].n == 1 && is.terms[0].factor == 1 &&
                                reader.atoms.data[is.terms[0].atoms[0]].dim >= 0);
    }
  }
  sn_size_reader_free(&reader);
  return fits || !computed;
}

// Subscript i of the tensor is loop d as it stands, to the end of both.
static bool is_plain(const SnRaise *r, intptr_t d, MlirValue tensor, intptr_t i) {
  int64_t size = sn_dim(sn_type_of(tensor), i);
  return d >= 0 && r->sizes[d] == size && (size != SN_DYNAMIC || ends_with(r, d, tensor, i));
}

// Subscript i of the tensor as an expression over the loops that stays inside; else null.
static MlirAffineExpr subscript(const SnRaise *r, MlirValue v, MlirValue tensor, intptr_t i) {
  int64_t size = sn_dim(sn_type_of(tensor), i);
  intptr_t d = loop_of(r, v);
  if (is_plain(r, d, tensor, i))
    return mlirAffineDimExprGet(r->ctx, d);
  Affine a = affine(r, v);
  return a.e.ptr && size != SN_DYNAMIC && a.low >= 0 && a.high < size ? a.e : (MlirAffineExpr){0};
}

// The map of an extract whose subscripts are all known; null if one is computed from data.
static MlirAffineMap known_map(const SnRaise *r, MlirOperation extract) {
  MlirAffineExpr at[SN_MAX_DIMS];
  intptr_t rank = sn_num_operands(extract) - 1;
  if (rank > SN_MAX_DIMS)
    return (MlirAffineMap){0};
  for (intptr_t i = 0; i < rank; ++i) {
    at[i] = subscript(r, sn_operand(extract, i + 1), sn_operand(extract, 0), i);
    if (!at[i].ptr)
      return (MlirAffineMap){0};
  }
  return mlirAffineMapGet(r->ctx, r->num_loops, 0, rank, at);
}

bool sn_raise_is_access(const SnRaise *r, MlirOperation op) {
  return sn_is(op, "tensor.extract") && !is_inside(r, sn_operand(op, 0)) && known_map(r, op).ptr;
}

SnView sn_raise_extracted(const SnRaise *r, MlirOperation extract) {
  return sn_raise_view(sn_operand(extract, 0), known_map(r, extract));
}

// ---- reshapes: every element, in order --------------------------------------------------

// The map counts the loop d0, of n turns, through all elements of t in order.
static bool is_in_order(MlirAffineMap map, MlirType t, int64_t n) {
  MlirContext ctx = mlirAffineMapGetContext(map);
  MlirAffineExpr left = mlirAffineDimExprGet(ctx, 0);
  for (intptr_t i = sn_rank(t); i-- > 0;) {
    int64_t size = sn_dim(t, i);
    if (size == SN_DYNAMIC || n % size != 0)
      return false;
    MlirAffineExpr at = mlirAffineMapGetResult(map, i), by = mlirAffineConstantExprGet(ctx, size);
    bool first = i == 0 && mlirAffineExprEqual(at, left);
    if (!first && !mlirAffineExprEqual(at, mlirAffineModExprGet(left, by)))
      return false;
    left = mlirAffineFloorDivExprGet(left, by);
    n /= size;
  }
  return n == 1;
}

// v is the loop d0 divided by a product of sizes.
static bool is_quotient(const SnRaise *r, SnSizeReader *reader, MlirValue v, SnSize *by) {
  if (loop_of(r, v) == 0) {
    *by = sn_size_number(1);
    return true;
  }
  if (mlirValueIsABlockArgument(v) || !is_inside(r, v) || arithmetic_of(sn_definer(v)) != DIVIDE)
    return false;
  MlirValue divisor = sn_operand(sn_definer(v), 1);
  if (is_inside(r, divisor) && !sn_constant_of(divisor).ptr)
    return false;
  SnSize left, right = sn_size_of_value(reader, divisor);
  if (!is_quotient(r, reader, sn_operand(sn_definer(v), 0), &left))
    return false;
  *by = sn_size_product(&left, &right);
  return true;
}

// The same of sizes that are `?`, by what they are computed from. Loops and divisors that are sizes of tensors or
// products of them are not negative; where one is 0, there is no turn.
static bool is_in_order_of_sizes(const SnRaise *r, SnSizeReader *reader, MlirOperation extract) {
  MlirValue x = sn_operand(extract, 0);
  SnSize all = sn_size_number(1), by;
  for (intptr_t i = sn_rank(sn_type_of(x)); i-- > 0;) {
    SnSize size = sn_size_of_dim(reader, x, i);
    MlirValue v = sn_operand(extract, i + 1);
    MlirOperation op = mlirValueIsABlockArgument(v) ? (MlirOperation){0} : sn_definer(v);
    if (sn_dim(sn_type_of(x), i) == 1 && sn_is_constant(v, 0))
      continue;
    if (!sn_null(op) && is_inside(r, v) && arithmetic_of(op) == REMAINDER) {
      SnSize turns = sn_size_of_value(reader, sn_operand(op, 1));
      if (!sn_size_equal(&turns, &size))
        return false;
      v = sn_operand(op, 0);
    } else if (i) {
      return false;
    }
    if (!is_quotient(r, reader, v, &by) || !sn_size_equal(&by, &all))
      return false;
    all = sn_size_product(&all, &size);
  }
  SnSize n = sn_size_of_dim(reader, sn_operand(r->op, r->num_inputs), 0);
  return sn_size_equal(&n, &all) && sn_size_of_tensors(reader, &n);
}

// Every element of the tensor that is read, one after the other.
static bool reads_in_order(const SnRaise *r, MlirOperation extract) {
  MlirType t = sn_type_of(sn_operand(extract, 0));
  if (mlirShapedTypeHasStaticShape(t))
    return sn_raise_is_access(r, extract) && is_in_order(known_map(r, extract), t, r->sizes[0]);
  if (r->sizes[0] != SN_DYNAMIC || is_inside(r, sn_operand(extract, 0)))
    return false;
  SnSizeReader reader = {0};
  bool is = is_in_order_of_sizes(r, &reader, extract);
  sn_size_reader_free(&reader);
  return is;
}

// Result u is x[i / 16, i / 8 % 2, i % 8] of a whole x: collapsed, it is that.
static MlirValue collapsed(const SnRaise *r, intptr_t u) {
  MlirValue result = sn_result(r->op, u);
  MlirOperation extract = sn_def(sn_operand(r->yield, u), "tensor.extract");
  if (sn_null(extract) || sn_rank(sn_type_of(result)) != 1)
    return (MlirValue){0};
  MlirValue x = sn_operand(extract, 0);
  intptr_t rank = sn_rank(sn_type_of(x));
  if (rank < 2 || rank > SN_MAX_DIMS || !reads_in_order(r, extract))
    return (MlirValue){0};
  SnBuilder b = sn_before(r->op);
  MlirAttribute dims[SN_MAX_DIMS];
  for (intptr_t i = 0; i < rank; ++i)
    dims[i] = sn_i64(r->ctx, i);
  MlirAttribute group = mlirArrayAttrGet(r->ctx, rank, dims);
  return sn(&b, "tensor.collapse_shape", x, sn_type_of(result),
            sn_attr("reassociation", mlirArrayAttrGet(r->ctx, 1, &group)));
}

bool sn_raise_reshapes(const SnRaise *r) {
  bool found = false;
  for (intptr_t u = 0; u < r->num_used && r->num_loops == 1 && !sn_raise_has_asserts(r); ++u) {
    MlirValue is = collapsed(r, r->used[u]);
    if (!sn_none(is))
      mlirValueReplaceAllUsesOfWith(sn_result(r->op, r->used[u]), is);
    found |= !sn_none(is);
  }
  return found;
}

// ---- picks: one element of each row ------------------------------------------------------

// The subscript that is computed, where the others are all the loops, each once; else -1.
static intptr_t picked(const SnRaise *r, MlirOperation extract) {
  intptr_t rank = sn_num_operands(extract) - 1, found = -1;
  bool seen[SN_MAX_DIMS] = {0};
  if (rank != r->num_loops + 1 || r->num_parallel != r->num_loops)
    return -1;
  for (intptr_t i = 0; i < rank; ++i) {
    intptr_t d = loop_of(r, sn_operand(extract, i + 1));
    bool plain = is_plain(r, d, sn_operand(extract, 0), i) && !seen[d];
    if (!plain && found >= 0)
      return -1;
    if (plain)
      seen[d] = true;
    else
      found = i;
  }
  return found;
}

// Of this extract the row is an input, over the column that sn_raise_pick_column gave the form.
static bool is_pick(const SnRaise *r, MlirOperation extract) {
  intptr_t i = picked(r, extract);
  return r->picks && i >= 0 && sn_dim(sn_type_of(sn_operand(extract, 0)), i) == r->sizes[r->num_loops];
}

bool sn_raise_pick_column(SnRaise *r) {
  for (size_t k = 0; k < r->needed.size && r->num_loops < SN_MAX_DIMS; ++k) {
    MlirOperation op = r->needed.data[k];
    intptr_t i = sn_is(op, "tensor.extract") ? picked(r, op) : -1;
    if (i < 0)
      continue;
    r->sizes[r->num_loops] = sn_dim(sn_type_of(sn_operand(op, 0)), i);
    return r->picks = true;
  }
  return false;
}

// ---- inputs ---------------------------------------------------------------------------------

bool sn_raise_want_extract(SnRaise *r, MlirOperation extract) {
  if (is_inside(r, sn_operand(extract, 0)))
    return sn_no(r->op, "its body reads a tensor that it makes");
  if (sn_num_operands(extract) > SN_MAX_DIMS)
    return sn_no(r->op, "its body reads a tensor of rank %ld", (long)(sn_num_operands(extract) - 1));
  for (intptr_t i = 1; i < sn_num_operands(extract); ++i)
    if (!sn_raise_want(r, sn_operand(extract, i)))
      return false;
  sn_push(&r->needed, extract);
  return true;
}

static size_t table(SnRaise *r, MlirValue value) {
  SnForm *f = &r->form;
  for (size_t k = sn_first_input(f); k < f->inputs.size; ++k)
    if (sn_same(f->inputs.data[k].value, value) && sn_is_table(&f->inputs.data[k]))
      return k;
  sn_push(&f->inputs,
          (SnAccess){.value = value, .map = sn_table_map(r->ctx, (intptr_t)f->dims.size, sn_rank(sn_type_of(value)))});
  return f->inputs.size - 1;
}

// x[i, j], j the column.
static size_t row(SnRaise *r, SnBuilder *b, MlirOperation extract) {
  MlirAffineExpr at[SN_MAX_DIMS];
  intptr_t rank = sn_num_operands(extract) - 1, column = picked(r, extract);
  for (intptr_t i = 0; i < rank; ++i)
    at[i] = mlirAffineDimExprGet(r->ctx, i == column ? r->num_loops : loop_of(r, sn_operand(extract, i + 1)));
  return sn_raise_input(r, b,
                        sn_raise_view(sn_operand(extract, 0), mlirAffineMapGet(r->ctx, r->num_loops + 1, 0, rank, at)));
}

void sn_raise_tables(SnRaise *r, SnBuilder *b) {
  for (size_t k = 0; k < r->needed.size; ++k) {
    MlirOperation op = r->needed.data[k];
    if (sn_is(op, "tensor.extract"))
      sn_push(&r->tables, is_pick(r, op) ? row(r, b, op) : table(r, sn_operand(op, 0)));
  }
}

// ---- the row program ----------------------------------------------------------------------------

MlirValue sn_raise_gather(SnRaise *r, SnBuilder *b, MlirOperation extract) {
  size_t n = 0;
  for (size_t k = 0; !mlirOperationEqual(r->needed.data[k], extract); ++k)
    n += sn_is(r->needed.data[k], "tensor.extract");
  MlirValue from = sn_input_argument(&r->form, r->tables.data[n]), at[SN_MAX_DIMS];
  MlirType y = sn_type_of(sn_result(extract, 0));
  MlirValue zero = sn_zero(b, y);
  if (is_pick(r, extract)) {
    // All of the row may be one element: what repeats it is read through.
    MlirValue row = sn_is_row(from) ? from : sn(b, "sinter.broadcast", from, sn_row_type(&r->form, y));
    return sn(b, "sinter.pick", row, sn_raise_value(r, sn_operand(extract, picked(r, extract) + 1)), zero);
  }
  intptr_t rank = sn_num_operands(extract) - 1;
  bool is_row = false;
  for (intptr_t i = 0; i < rank; ++i) {
    at[i] = sn_raise_value(r, sn_operand(extract, i + 1));
    is_row |= sn_is_row(at[i]);
  }
  return sn(b, "sinter.gather", from, sn_values(rank, at), zero, is_row ? sn_row_type(&r->form, y) : y);
}

// ---- asserts ----------------------------------------------------------------------------------------

bool sn_raise_has_asserts(const SnRaise *r) {
  for (MlirOperation op = mlirBlockGetFirstOperation(r->body); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    if (sn_is(op, "cf.assert"))
      return true;
  return false;
}

bool sn_raise_want_asserts(SnRaise *r) {
  for (MlirOperation op = mlirBlockGetFirstOperation(r->body); !sn_null(op); op = mlirOperationGetNextInBlock(op)) {
    if (!sn_is(op, "cf.assert"))
      continue;
    if (!sn_raise_want(r, sn_operand(op, 0)))
      return false;
    sn_push(&r->needed, op);
  }
  return true;
}

static bool depends(const SnRaise *r, MlirValue v, intptr_t loop) {
  if (!is_inside(r, v))
    return false;
  if (mlirValueIsABlockArgument(v))
    return sn_map_uses(sn_raise_map(r, mlirBlockArgumentGetArgNumber(v)), loop);
  MlirOperation op = sn_definer(v);
  bool found = sn_is(op, "linalg.index") && sn_int_attr(op, "dim", 0) == loop;
  for (intptr_t i = 0; i < sn_num_operands(op); ++i)
    found |= depends(r, sn_operand(op, i), loop);
  return found;
}

bool sn_raise_asserts_over(const SnRaise *r, intptr_t loop) {
  for (size_t k = 0; k < r->needed.size; ++k)
    if (sn_is(r->needed.data[k], "cf.assert") && depends(r, sn_operand(r->needed.data[k], 0), loop))
      return true;
  return false;
}

void sn_raise_assert(SnRaise *r, SnBuilder *b, MlirOperation op) {
  sn_row_assert(b, sn_raise_value(r, sn_operand(op, 0)), sn_get_attr(op, "msg"));
}

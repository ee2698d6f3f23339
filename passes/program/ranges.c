// ranges.c: what random values of an argument should be, for runs without data.
//
//   func.func @main(%x: tensor<37x1003xf32>, %t: tensor<37xi64>, %v: tensor<8xf32>) {
//     ... ins(%x[i, j], %t[i]) { ^row(%a, %l): sinter.pick %a[%l] ... }      t is a column: 0 <= t < 1003
//     ... ins(%v[i]) { ^row(%b): %s = math.sqrt %b   cf.assert %s != 0 ... }  v is above 0
//   ->
//   func.func @main(%x, %t {sinter.range = array<f64: 0, 1003, -1, 0>}, %v {sinter.range = array<f64: 0.1, 1.1, -1,
//   0>})
//
// From where a number is needed (a subscript, a comparison with a column's index, an assert, a divisor, a logarithm or
// a root) back to the argument that it is, through reshapes, conversions and kernels that hand it on. The third and the
// fourth number name the size that ends the range where it is `?`: an argument and its dimension. It is a guess that
// nothing but default data is made from: what is not followed is left as it was.
//
// runs in: sinter-cpu, sinter-gpu    test: test/passes/program/ranges.mlir

#include "capi/pass.h"
#include "dialect/attributes.h"
#include "dialect/row_ops.h"
#include "mlir-c/Dialect/Func.h"
#include "mlir-c/Dialect/Linalg.h"
#include <math.h>

// Of one argument: integers in [low, high), where high may be a size; floats between both.
typedef struct {
  bool lower, upper; // whether anything says so
  double low, high;
  intptr_t input, dim; // of the size that high is; -1: none
} Range;

typedef struct {
  MlirBlock body; // of the function
  Range *ranges;
  int budget; // steps back that are left for one number
} Ranges;

// ---- sizes -----------------------------------------------------------------------------

typedef struct {
  int64_t n; // 0: not known
  intptr_t input, dim;
} Size;

static MlirValue init_of(MlirOperation op, MlirValue result);

static Size size_of(const Ranges *r, MlirValue v, intptr_t d) {
  MlirType t = sn_type_of(v);
  Size none = {0, -1, 0};
  if (!mlirTypeIsAShaped(t) || d >= sn_rank(t))
    return none;
  if (sn_dim(t, d) != SN_DYNAMIC)
    return (Size){sn_dim(t, d), -1, 0};
  if (mlirValueIsABlockArgument(v))
    return mlirBlockEqual(mlirBlockArgumentGetOwner(v), r->body) ? (Size){0, mlirBlockArgumentGetArgNumber(v), d}
                                                                 : none;
  MlirOperation op = sn_definer(v);
  if (sn_is(op, "tensor.empty")) {
    intptr_t at = 0;
    for (intptr_t k = 0; k < d; ++k)
      at += sn_dim(t, k) == SN_DYNAMIC;
    MlirOperation dim = sn_def(sn_operand(op, at), "tensor.dim");
    MlirAttribute i = sn_null(dim) ? mlirAttributeGetNull() : sn_constant_of(sn_operand(dim, 1));
    return i.ptr ? size_of(r, sn_operand(dim, 0), (intptr_t)mlirIntegerAttrGetValueInt(i)) : none;
  }
  MlirValue init = init_of(op, v);
  return sn_none(init) ? none : size_of(r, init, d);
}

// The size of a dimension of a form, or of a loop of linalg, by an operand that has it.
static Size size_of_loop(const Ranges *r, MlirOperation op, intptr_t d) {
  Size none = {0, -1, 0}, size = none;
  if (sn_is_form(op)) {
    SnForm f = sn_form_read(op);
    if (d < (intptr_t)f.dims.size && f.dims.data[d].size != SN_DYNAMIC)
      size.n = f.dims.data[d].size;
    for (size_t k = 0; k < f.inputs.size && !size.n && size.input < 0; ++k)
      for (intptr_t i = 0; i < mlirAffineMapGetNumResults(f.inputs.data[k].map); ++i)
        if (sn_map_dim(f.inputs.data[k].map, i) == d && !f.inputs.data[k].fill.ptr)
          size = size_of(r, f.inputs.data[k].value, i);
    sn_form_free(&f);
    return size;
  }
  MlirAttribute maps = sn_in_dialect(op, "linalg") ? mlirLinalgGetIndexingMapsAttribute(op) : mlirAttributeGetNull();
  for (intptr_t k = 0; maps.ptr && k < mlirArrayAttrGetNumElements(maps) && !size.n && size.input < 0; ++k) {
    MlirAffineMap map = mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(maps, k));
    for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map); ++i)
      if (sn_map_dim(map, i) == d)
        size = size_of(r, sn_operand(op, k), i);
  }
  return size;
}

// ---- one step back -------------------------------------------------------------------------

static MlirOperation owner_of(MlirValue argument) {
  return mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(argument));
}

// What an argument of a body stands for outside of it; null if that is no operand.
static MlirValue outside(MlirValue argument) {
  MlirOperation op = owner_of(argument);
  intptr_t k = mlirBlockArgumentGetArgNumber(argument);
  MlirValue v = {0};
  if (sn_is(op, "linalg.generic"))
    return k < sn_num_operands(op) ? sn_operand(op, k) : v;
  if (!sn_is_form(op))
    return v;
  SnForm f = sn_form_read(op);
  for (size_t i = sn_first_input(&f); i < f.inputs.size; ++i)
    if (sn_same(sn_input_argument(&f, i), argument))
      v = f.inputs.data[i].value;
  for (size_t s = 0; s < f.sides.size; ++s)
    if (f.sides.data[s].program.ptr && mlirBlockEqual(mlirBlockArgumentGetOwner(argument), f.sides.data[s].program))
      v = f.inputs.data[f.sides.data[s].first + (size_t)k].value;
  sn_form_free(&f);
  return v;
}

static MlirValue init_of(MlirOperation op, MlirValue result) {
  intptr_t n = sn_num_results(op);
  for (intptr_t k = 0; k < n; ++k)
    if (sn_same(sn_result(op, k), result) && (sn_in_dialect(op, "linalg") || sn_is_form(op)) &&
        sn_num_operands(op) >= n)
      return sn_operand(op, sn_num_operands(op) - n + k);
  return (MlirValue){0};
}

// What the body gives for each element of a result; null if it is combined from several.
static MlirValue yielded(MlirOperation op, MlirValue result) {
  MlirValue none = {0};
  intptr_t k = 0;
  while (k < sn_num_results(op) && !sn_same(sn_result(op, k), result))
    ++k;
  if (sn_is(op, "linalg.generic"))
    return sn_operand(mlirBlockGetTerminator(mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0))), k);
  if (!sn_is_form(op))
    return none;
  SnForm f = sn_form_read(op);
  MlirOperation end = mlirBlockGetTerminator(f.body);
  if (!sn_is_reduced(&f, (size_t)k))
    none = sn_operand(end, (intptr_t)sn_output_position(&f, (size_t)k));
  sn_form_free(&f);
  return none;
}

// Operations that hand on the elements of operand 0.
static bool hands_on(MlirOperation op) {
  static const char *const names[] = {"tensor.collapse_shape",
                                      "tensor.expand_shape",
                                      "tensor.cast",
                                      "tensor.extract_slice",
                                      "tensor.reshape",
                                      "tensor.extract",
                                      "tensor.pad",
                                      "linalg.transpose",
                                      "linalg.broadcast",
                                      "tensor.from_elements",
                                      "arith.extf",
                                      "arith.truncf",
                                      "arith.extsi",
                                      "arith.extui",
                                      "arith.trunci",
                                      "arith.index_cast",
                                      "arith.index_castui",
                                      "bufferization.alloc_tensor",
                                      "tensor.splat",
                                      NULL};
  for (const char *const *name = names; *name; ++name)
    if (sn_is(op, *name))
      return sn_num_operands(op) > 0;
  const SnRowOp *line = sn_row_op_of(op); // of a scalar a row
  return line && line->cost == SN_COST_NONE && line->first == SN_READS_COLUMN;
}

// One step back that changes no number; null if there is none.
static MlirValue before(MlirValue v) {
  MlirOperation op = sn_definer(v);
  if (sn_null(op))
    return outside(v);
  return hands_on(op) ? sn_operand(op, 0) : yielded(op, v);
}

static Range *argument_of(const Ranges *r, MlirValue v) {
  bool is = mlirValueIsABlockArgument(v) && mlirBlockEqual(mlirBlockArgumentGetOwner(v), r->body);
  return is ? &r->ranges[mlirBlockArgumentGetArgNumber(v)] : NULL;
}

// ---- integers -------------------------------------------------------------------------------

static void integer(Ranges *r, MlirValue v, const Range *within) {
  Range *a = argument_of(r, v);
  MlirOperation op = sn_definer(v);
  if (a) {
    if (within->lower && (!a->lower || within->low > a->low))
      a->lower = true, a->low = within->low;
    if (within->upper && (!a->upper || (a->input < 0 && within->input < 0 && within->high < a->high)))
      a->upper = true, a->high = within->high, a->input = within->input, a->dim = within->dim;
  } else if (--r->budget < 0) {
    return;
  } else if (sn_is(op, "arith.select")) { // t < 0 ? t + n : t
    integer(r, sn_operand(op, 1), within);
    integer(r, sn_operand(op, 2), within);
  } else if ((sn_is(op, "arith.addi") || sn_is(op, "arith.maxsi") || sn_is(op, "arith.minsi")) &&
             sn_constant_of(sn_operand(op, 1)).ptr) {
    integer(r, sn_operand(op, 0), within);
  } else {
    MlirValue x = before(v);
    if (!sn_none(x))
      integer(r, x, within);
  }
}

static void subscript(Ranges *r, MlirValue v, Size size) {
  Range within = {.lower = true,
                  .upper = size.n > 0 || size.input >= 0,
                  .high = (double)size.n,
                  .input = size.input,
                  .dim = size.dim};
  r->budget = 200;
  integer(r, v, &within);
}

// The size of the dimension of its form that an operation names.
static Size size_of_named(const Ranges *r, MlirOperation op) {
  MlirOperation form = mlirOperationGetParentOperation(op);
  Size size = {0, -1, 0};
  if (!sn_is_form(form))
    return size;
  SnForm f = sn_form_read(form);
  for (size_t d = 0; d < f.dims.size; ++d)
    if (sn_row_op_names(op, f.dims.data[d].name))
      size = size_of_loop(r, form, (intptr_t)d);
  sn_form_free(&f);
  return size;
}

// The size of the dimension that a number counts; none if it is no index.
static Size counted(const Ranges *r, MlirValue v) {
  for (int steps = 0; steps < 32 && !sn_none(v); ++steps, v = before(v)) {
    MlirOperation op = sn_definer(v);
    if (sn_is(op, "linalg.index"))
      return size_of_loop(r, mlirOperationGetParentOperation(op), (intptr_t)sn_int_attr(op, "dim", -1));
    if (!sn_null(op) && sn_row_op_of(op) && sn_row_op_of(op)->names_dim)
      return size_of_named(r, op);
  }
  return (Size){0, -1, 0};
}

static bool number(MlirValue v, double *x) {
  MlirOperation op = sn_definer(v);
  if (sn_is(op, "arith.truncf") || sn_is(op, "arith.extf") || sn_is(op, "arith.index_cast"))
    return number(sn_operand(op, 0), x);
  MlirAttribute c = sn_constant_of(v);
  return c.ptr && sn_attr_number(c, x);
}

// ---- floats ----------------------------------------------------------------------------------

// That sign * v + offset is above 0.
static void positive(Ranges *r, MlirValue v, double sign, double offset) {
  Range *a = argument_of(r, v);
  MlirOperation op = sn_definer(v);
  double c;
  if (a) {
    if (sign > 0)
      a->lower = true;
    else if (offset > 0 && (!a->upper || offset < a->high))
      a->upper = true, a->high = offset;
  } else if (--r->budget < 0) {
    return;
  } else if (sn_is(op, "arith.addf") && number(sn_operand(op, 1), &c)) {
    positive(r, sn_operand(op, 0), sign, offset + sign * c);
  } else if (sn_is(op, "arith.addf") && number(sn_operand(op, 0), &c)) {
    positive(r, sn_operand(op, 1), sign, offset + sign * c);
  } else if (sn_is(op, "arith.subf") && number(sn_operand(op, 1), &c)) {
    positive(r, sn_operand(op, 0), sign, offset - sign * c);
  } else if (sn_is(op, "arith.subf") && number(sn_operand(op, 0), &c)) {
    positive(r, sn_operand(op, 1), -sign, offset + sign * c);
  } else if (sn_is(op, "arith.negf")) {
    positive(r, sn_operand(op, 0), -sign, offset);
  } else if ((sn_is(op, "math.sqrt") || sn_is(op, "math.rsqrt")) && sign > 0) {
    positive(r, sn_operand(op, 0), 1, 0);
  } else {
    MlirValue x = before(v);
    if (!sn_none(x))
      positive(r, x, sign, offset);
  }
}

static void above_zero(Ranges *r, MlirValue v, double offset) {
  r->budget = 200;
  positive(r, v, 1, offset);
}

// ---- what asks for a range ----------------------------------------------------------------------

// What an assert says of a number.
static void asserted(Ranges *r, MlirValue condition) {
  enum { EQ, NE, SLT, SLE, SGT, SGE, ULT, ULE, UGT, UGE }; // of arith.cmpi
  enum { OGT = 2, OGE = 3, ONE = 6, UNE = 13 };            // of arith.cmpf
  MlirOperation op = sn_definer(condition);
  double c;
  if (sn_is(op, "arith.andi")) {
    asserted(r, sn_operand(op, 0));
    asserted(r, sn_operand(op, 1));
  } else if (sn_is(op, "arith.cmpi") && number(sn_operand(op, 1), &c)) {
    int64_t p = sn_int_attr(op, "predicate", -1);
    Range within = {.input = -1};
    within.upper = p == SLT || p == SLE || p == ULT || p == ULE;
    within.lower = p == SGT || p == SGE || p == ULT || p == ULE;
    within.high = c + (p == SLE || p == ULE);
    within.low = p == SGT ? c + 1 : p == SGE ? c : 0;
    r->budget = 200;
    integer(r, sn_operand(op, 0), &within);
  } else if (sn_is(op, "arith.cmpf") && number(sn_operand(op, 1), &c) && c >= 0) {
    int64_t p = sn_int_attr(op, "predicate", -1);
    if (p == OGT || p == OGE || p == ONE || p == UNE)
      above_zero(r, sn_operand(op, 0), 0);
  }
}

static void subscripts_of_form(Ranges *r, MlirOperation op) {
  SnForm f = sn_form_read(op);
  for (size_t k = 0; k < f.inputs.size; ++k) {
    const SnAccess *a = &f.inputs.data[k];
    for (intptr_t i = 0; a->through.ptr && i < mlirAffineMapGetNumResults(a->map); ++i) {
      MlirAffineExpr e = mlirAffineMapGetResult(a->map, i);
      if (mlirAffineExprIsASymbol(e))
        subscript(r, f.indices.data[mlirDenseI64ArrayGetElement(a->through, mlirAffineSymbolExprGetPosition(e))].value,
                  size_of(r, a->value, i));
    }
  }
  sn_form_free(&f);
}

// The length of a row inside a body: of its only column dimension.
static Size row_length(const Ranges *r, MlirOperation op, MlirType row) {
  if (sn_dim(row, 0) != SN_DYNAMIC)
    return (Size){sn_dim(row, 0), -1, 0};
  MlirOperation form = mlirOperationGetParentOperation(op);
  SnForm f = sn_form_read(form);
  intptr_t d = f.num_cols == 1 ? f.num_rows : -1;
  sn_form_free(&f);
  return d < 0 ? (Size){0, -1, 0} : size_of_loop(r, form, d);
}

static MlirWalkResult visit(MlirOperation op, void *user) {
  Ranges *r = user;
  if (sn_is(op, "sinter.steps"))
    return MlirWalkResultSkip; // on memory
  if (sn_is(op, "tensor.extract"))
    for (intptr_t i = 1; i < sn_num_operands(op); ++i)
      subscript(r, sn_operand(op, i), size_of(r, sn_operand(op, 0), i - 1));
  const SnRowOp *line = sn_is_form(mlirOperationGetParentOperation(op)) ? sn_row_op_of(op) : NULL;
  if (line && line->first == SN_READS_TABLE && mlirValueIsABlockArgument(sn_operand(op, 0)))
    for (intptr_t i = 1; i + 1 < sn_num_operands(op); ++i)
      subscript(r, sn_operand(op, i), size_of(r, outside(sn_operand(op, 0)), i - 1));
  for (intptr_t i = 1; line && line->first == SN_READS_ONE && i + 1 < sn_num_operands(op); ++i)
    subscript(r, sn_operand(op, i), row_length(r, op, sn_type_of(sn_operand(op, 0))));
  if (sn_is_form(op))
    subscripts_of_form(r, op);
  if (sn_is(op, "arith.cmpi") && sn_int_attr(op, "predicate", -1) == 0)
    for (int k = 0; k < 2; ++k) { // eq: one of them counts columns
      Size size = counted(r, sn_operand(op, k));
      if (size.n || size.input >= 0)
        subscript(r, sn_operand(op, 1 - k), size);
    }
  if (sn_is(op, "cf.assert"))
    asserted(r, sn_operand(op, 0));
  if (sn_is(op, "arith.divf"))
    above_zero(r, sn_operand(op, 1), 0);
  if (sn_is(op, "math.log") || sn_is(op, "math.log2") || sn_is(op, "math.log10") || sn_is(op, "math.sqrt") ||
      sn_is(op, "math.rsqrt"))
    above_zero(r, sn_operand(op, 0), 0);
  if (sn_is(op, "math.log1p"))
    above_zero(r, sn_operand(op, 0), 1);
  if (sn_divides_integers(op)) {
    Range within = {.lower = true, .low = 1, .input = -1};
    r->budget = 200;
    integer(r, sn_operand(op, 1), &within);
  }
  return MlirWalkResultAdvance;
}

// ---- the pass ----------------------------------------------------------------------------------

// The numbers of SinterRange; false if there is nothing to say.
static bool numbers_of(const Range *r, MlirType type, double *x) {
  bool integers = sn_is_int(sn_element(type)), of_size = integers && r->input >= 0;
  if (!r->lower && !r->upper)
    return false;
  x[2] = of_size ? (double)r->input : -1;
  x[3] = of_size ? (double)r->dim : 0;
  if (integers) {
    x[0] = r->lower ? r->low : 0;
    x[1] = r->upper ? r->high : x[0] + 8;
    return of_size || x[1] > x[0];
  }
  x[0] = r->upper ? 0.05 * r->high : 0.1;
  x[1] = r->upper ? 0.95 * r->high : 1.1;
  return true;
}

static MlirLogicalResult function(MlirOperation module, MlirOperation func) {
  MlirContext ctx = mlirOperationGetContext(func);
  Ranges r = {.body = sn_function_body(func)};
  intptr_t n = mlirBlockGetNumArguments(r.body);
  r.ranges = sn_alloc((size_t)(n + 1) * sizeof *r.ranges);
  for (intptr_t k = 0; k < n; ++k)
    r.ranges[k].input = -1;
  mlirOperationWalk(func, visit, &r, MlirWalkPreOrder);
  for (intptr_t k = 0; k < n; ++k) {
    double x[4];
    MlirType type = sn_type_of(mlirBlockGetArgument(r.body, k));
    bool travels = sn_is_float(sn_element(type)) || (sn_is_int(sn_element(type)) && sn_bits(sn_element(type)) > 1);
    if (travels && numbers_of(&r.ranges[k], type, x))
      mlirFuncSetArgAttr(func, k, SN_STR(SN_RANGE), mlirDenseF64ArrayGet(ctx, 4, x));
  }
  free(r.ranges);
  return SN_OK;
}

static MlirLogicalResult run(const SnRun *run, MlirOperation module) { return sn_each_public(module, function); }

const SnPass sn_pass_ranges = {
    .argument = "sinter-ranges",
    .summary = "arguments say which random values the program can take",
    .anchor = "builtin.module",
    .run = run,
};

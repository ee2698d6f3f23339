// check_sizes.c: sizes that have to agree are compared when the program runs.
//
//   %y = sinter.rowwise (i = ?) by (j = 9) ins(%a[i, j] : tensor<?x9xf32>, %b[i, j] : tensor<?x9xf32>) ...
// ->
//   %m = tensor.dim %b, %c0                     at the start of the function
//   %n = tensor.dim %a, %c0
//   %r = call @sinter_rt_same_size(%m, %n, ...)  notes both sizes, and whose they are
//   %ok = arith.cmpi ne, %r, 0
//   cf.assert %ok, "model.mlir:4:8: sizes of operands differ"     and ": the size of input 1 in dimension 0 is 5, ..."
//
// Loops run over one size for each dimension, so an operand of another one
// would be read beyond its end. Sizes that are the same by how they were made
// are not compared. A subscript that is no plain dimension has to stay inside:
// its ends are computed and compared. So is what a tensor.cast says, and a
// tensor.reshape has as many elements as its operand.
//
// relies on: forms and linalg are on tensors
// runs in: sinter-cpu    test: test/lowering/check_sizes.mlir, test/run/dynamic_linear.mlir

#include "lowering/host/host.h"
#include "lowering/host/host_sizes.h"
#include "mlir-c/Dialect/Linalg.h"

typedef struct {
  MlirValue a, b;
  size_t next; // the one of the same hash that was found before it, plus 1; 0: none
} Pair;

typedef struct {
  MlirOperation module;
  SnSizes sizes; // of arguments, at the start of the function
  SN_VEC(Pair) checked;
  SnTable by_hash; // the last of checked
  SnTable hashes;  // of sizes
} Check;

// ---- comparing two sizes ---------------------------------------------------------

static MlirValue argument_size(SnSizes *s, MlirValue argument, intptr_t dim) {
  return sn(&s->b, "tensor.dim", argument, sn_index(&s->b, dim), sn_index_type(s->b.ctx));
}

static void where_from(const Check *c, MlirValue size, intptr_t *argument, intptr_t *dim) {
  const SnArgumentSize *known = sn_size_argument(&c->sizes, size);
  *argument = *dim = sn_constant_of(size).ptr ? -1 : -2;
  if (known) {
    *argument = known->argument;
    *dim = known->dim;
  }
}

static MlirOperation same_size(SnBuilder *b, const Check *c, const MlirValue *arguments) {
  MlirType i64 = mlirIntegerTypeGet(b->ctx, 64), i32 = mlirIntegerTypeGet(b->ctx, 32),
           types[] = {i64, i64, i32, i32, i32, i32};
  const char *name = "sinter_rt_same_size";
  if (sn_take_symbol(c->module, name)) {
    SnBuilder top =
        sn_at_start(mlirModuleGetBody(mlirModuleFromOperation(c->module)), mlirOperationGetLocation(c->module));
    sn_op(&top, "func.func", sn_attr("sym_name", sn_string(b->ctx, name)),
          sn_attr("sym_visibility", sn_string(b->ctx, "private")),
          sn_attr("function_type", mlirTypeAttrGet(mlirFunctionTypeGet(b->ctx, 6, types, 1, &i64))),
          mlirRegionCreate());
  }
  return sn_op(b, "func.call", sn_values(6, arguments), i64,
               sn_attr("callee", mlirFlatSymbolRefAttrGet(b->ctx, SN_STR(name))));
}

static void fail_unless(SnBuilder *b, MlirValue condition, const char *message) {
  sn_op(b, "cf.assert", condition, sn_types(0, NULL), sn_attr("msg", sn_located_message(b->loc, message)));
}

// Whether these were compared before; from now on they were.
static bool were_compared(Check *c, MlirValue a, MlirValue b) {
  const void *hash = (const void *)((sn_size_hash(&c->hashes, a) + sn_size_hash(&c->hashes, b)) | 1);
  uintptr_t last = 0;
  sn_table_get(&c->by_hash, hash, &last);
  for (size_t k = last; k; k = c->checked.data[k - 1].next) {
    const Pair *p = &c->checked.data[k - 1];
    if ((sn_size_same(p->a, a) && sn_size_same(p->b, b)) || (sn_size_same(p->a, b) && sn_size_same(p->b, a)))
      return true;
  }
  sn_push(&c->checked, (Pair){a, b, last});
  sn_table_put(&c->by_hash, hash, c->checked.size);
  return false;
}

// `b` stands where both are known.
static void compare(Check *c, SnBuilder *b, MlirValue got, MlirValue want) {
  if (sn_size_same(got, want) || were_compared(c, got, want))
    return;
  intptr_t from[4], other[2];
  where_from(c, got, &from[0], &from[1]);
  where_from(c, want, &other[0], &other[1]);
  bool swap = from[0] < other[0]; // first the one that can be named best, and of two arguments the later one
  memcpy(from + 2, swap ? from : other, sizeof other);
  if (swap) {
    MlirValue first = got;
    memcpy(from, other, sizeof other);
    got = want;
    want = first;
  }
  MlirType i64 = mlirIntegerTypeGet(b->ctx, 64), i32 = mlirIntegerTypeGet(b->ctx, 32);
  MlirValue arguments[6] = {sn(b, "arith.index_cast", got, i64), sn(b, "arith.index_cast", want, i64)};
  for (int k = 0; k < 4; ++k)
    arguments[2 + k] = sn_int(b, i32, from[k]);
  MlirValue same = sn_result(same_size(b, c, arguments), 0);
  fail_unless(b, sn(b, "arith.cmpi", same, sn_int(b, i64, 0), sn_attr("predicate", sn_i64(b->ctx, 1))),
              "sizes of operands differ");
}

// ---- one op --------------------------------------------------------------------------

// What an op reads and writes, and by which subscripts of its dimensions.
typedef struct {
  MlirOperation op;
  intptr_t dims;
  SN_VEC(SnAccess) accesses;
  MlirValue *sizes; // of each dimension
  bool *everywhere; // it is known at the start of the function
} Loops;

// After l->dims is known.
static void begin_loops(Loops *l) {
  l->sizes = sn_alloc((size_t)l->dims * sizeof *l->sizes);
  l->everywhere = sn_alloc((size_t)l->dims * sizeof *l->everywhere);
}
static void end_loops(Loops *l) {
  free(l->sizes);
  free(l->everywhere);
  sn_vec_free(&l->accesses);
}

static MlirValue operand_size(Check *c, const Loops *l, MlirValue tensor, intptr_t i, bool *everywhere) {
  MlirValue size = sn_size_of(&c->sizes, tensor, i);
  *everywhere = !sn_none(size);
  SnBuilder b = sn_before(l->op);
  return *everywhere ? size : sn(&b, "tensor.dim", tensor, sn_index(&b, i), sn_index_type(b.ctx));
}

// A size that is written first, then that of an operand which is read.
static void find_sizes(Check *c, Loops *l) {
  for (int pass = 0; pass < 2; ++pass)
    for (size_t k = 0; k < l->accesses.size; ++k) {
      const SnAccess *a = &l->accesses.data[k];
      MlirType t = sn_type_of(a->value);
      for (intptr_t i = 0; i < mlirAffineMapGetNumResults(a->map) && !a->fill.ptr; ++i) {
        intptr_t d = sn_map_dim(a->map, i);
        if (d >= 0 && sn_none(l->sizes[d]) && (pass || sn_dim(t, i) != SN_DYNAMIC))
          l->sizes[d] = operand_size(c, l, a->value, i, &l->everywhere[d]);
      }
    }
}

static void check_plain(Check *c, Loops *l, const SnAccess *a, intptr_t i, intptr_t d) {
  if (sn_dim(sn_type_of(a->value), i) != SN_DYNAMIC && sn_constant_of(l->sizes[d]).ptr)
    return; // the verifier has seen both: a dimension may end before its operand does
  bool everywhere;
  MlirValue got = operand_size(c, l, a->value, i, &everywhere);
  SnBuilder here = sn_before(l->op);
  compare(c, everywhere && l->everywhere[d] ? &c->sizes.b : &here, got, l->sizes[d]);
}

typedef struct {
  MlirValue low, high; // both included
} Range;

enum { EQ = 0, SLT = 2, SGE = 5 };
static MlirValue compared(SnBuilder *b, int predicate, MlirValue x, MlirValue y) {
  return sn(b, "arith.cmpi", x, y, sn_attr("predicate", sn_i64(b->ctx, predicate)));
}

static Range range_of(SnBuilder *b, const Loops *l, MlirAffineExpr e) {
  if (mlirAffineExprIsAConstant(e)) {
    MlirValue n = sn_index(b, mlirAffineConstantExprGetValue(e));
    return (Range){n, n};
  }
  if (mlirAffineExprIsADim(e))
    return (Range){sn_index(b, 0), sn(b, "arith.subi", l->sizes[mlirAffineDimExprGetPosition(e)], sn_index(b, 1))};
  Range x = range_of(b, l, mlirAffineBinaryOpExprGetLHS(e)), y = range_of(b, l, mlirAffineBinaryOpExprGetRHS(e));
  if (mlirAffineExprIsAAdd(e))
    return (Range){sn(b, "arith.addi", x.low, y.low), sn(b, "arith.addi", x.high, y.high)};
  if (mlirAffineExprIsAMod(e)) { // of what is not negative no more than that
    MlirValue zero = sn_index(b, 0), most = sn(b, "arith.subi", y.high, sn_index(b, 1)),
              less = sn(b, "arith.minsi", x.high, most);
    return (Range){zero, sn(b, "arith.select", compared(b, SGE, x.low, zero), less, most)};
  }
  const char *op = mlirAffineExprIsAMul(e)        ? "arith.muli"
                   : mlirAffineExprIsAFloorDiv(e) ? "arith.floordivsi"
                                                  : "arith.ceildivsi";
  Range r = {sn(b, op, x.low, y.low), sn(b, op, x.high, y.high)};
  double factor;
  if (sn_attr_number(sn_constant_of(y.low), &factor) && factor < 0)
    return (Range){r.high, r.low};
  return r;
}

static bool uses_unknown(const Loops *l, MlirAffineExpr e) {
  for (intptr_t d = 0; d < l->dims; ++d)
    if (mlirAffineExprIsFunctionOfDim(e, d) && !sn_constant_of(l->sizes[d]).ptr)
      return true;
  return false;
}

// The ends of a remainder are known; those of a difference that is one are further apart.
static MlirAffineExpr with_remainders(const Loops *l, MlirAffineExpr e) {
  SN_VEC(int64_t) sizes = {0};
  for (intptr_t d = 0; d < l->dims; ++d) {
    double n;
    sn_push(&sizes, sn_attr_number(sn_constant_of(l->sizes[d]), &n) ? (int64_t)n : SN_DYNAMIC);
  }
  sn_push(&sizes, SN_DYNAMIC); // never empty
  e = sn_affine_remainders(e, sizes.data);
  sn_vec_free(&sizes);
  return e;
}

// Where no dimension is empty, the ends of the subscript are inside.
static void check_ends(Check *c, Loops *l, const SnAccess *a, intptr_t i) {
  MlirAffineExpr e = mlirAffineMapGetResult(a->map, i);
  if (mlirAffineExprIsASymbol(e) || (sn_dim(sn_type_of(a->value), i) != SN_DYNAMIC && !uses_unknown(l, e)))
    return;
  bool everywhere;
  MlirValue size = operand_size(c, l, a->value, i, &everywhere);
  SnBuilder here = sn_before(l->op), *b = &here;
  MlirValue zero = sn_index(b, 0), ok;
  Range r = range_of(b, l, with_remainders(l, e));
  ok = sn(b, "arith.andi", compared(b, SGE, r.low, zero), compared(b, SLT, r.high, size));
  for (intptr_t d = 0; d < l->dims; ++d)
    ok = sn(b, "arith.ori", ok, compared(b, EQ, l->sizes[d], zero));
  fail_unless(b, ok, "a subscript is outside of the tensor that it reads: sizes of arguments do not fit each other");
}

static void check_loops(Check *c, Loops *l) {
  find_sizes(c, l);
  for (intptr_t d = 0; d < l->dims; ++d)
    if (sn_none(l->sizes[d]))
      return; // what has no size is refused elsewhere
  for (size_t k = 0; k < l->accesses.size; ++k) {
    const SnAccess *a = &l->accesses.data[k];
    for (intptr_t i = 0; i < mlirAffineMapGetNumResults(a->map) && !a->fill.ptr; ++i) {
      intptr_t d = sn_map_dim(a->map, i);
      if (d >= 0)
        check_plain(c, l, a, i, d);
      else
        check_ends(c, l, a, i);
    }
  }
}

static bool has_fixed_size(MlirValue v) {
  MlirType t = sn_type_of(v);
  return !mlirTypeIsARankedTensor(t) || mlirShapedTypeHasStaticShape(t);
}

static bool is_fixed(MlirOperation op) {
  for (intptr_t k = 0; k < sn_num_operands(op); ++k)
    if (!has_fixed_size(sn_operand(op, k)))
      return false;
  for (intptr_t k = 0; k < mlirOperationGetNumResults(op); ++k)
    if (!has_fixed_size(sn_result(op, k)))
      return false;
  return true;
}

static void check_form(Check *c, MlirOperation op) {
  SnForm f = sn_form_read(op);
  Loops l = {.op = op, .dims = (intptr_t)f.dims.size};
  SnBuilder *b = &c->sizes.b;
  begin_loops(&l);
  for (size_t d = 0; d < f.dims.size; ++d)
    if (f.dims.data[d].size != SN_DYNAMIC) {
      l.sizes[d] = sn_index(b, f.dims.data[d].size);
      l.everywhere[d] = true;
    }
  for (size_t k = 0; k < f.inputs.size; ++k)
    sn_push(&l.accesses, f.inputs.data[k]);
  for (size_t k = 0; k < f.indices.size; ++k)
    sn_push(&l.accesses, f.indices.data[k]);
  for (size_t k = 0; k < f.outputs.size; ++k)
    sn_push(&l.accesses, f.outputs.data[k]);
  check_loops(c, &l);
  end_loops(&l);
  sn_form_free(&f);
}

static void check_linalg(Check *c, MlirOperation op) {
  MlirAttribute maps = mlirLinalgGetIndexingMapsAttribute(op);
  Loops l = {.op = op};
  if (!maps.ptr || mlirArrayAttrGetNumElements(maps) != sn_num_operands(op))
    return;
  for (intptr_t k = 0; k < sn_num_operands(op); ++k) {
    SnAccess a = {.value = sn_operand(op, k), .map = mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(maps, k))};
    l.dims = mlirAffineMapGetNumDims(a.map);
    if (mlirTypeIsARankedTensor(sn_type_of(a.value)))
      sn_push(&l.accesses, a);
  }
  begin_loops(&l);
  check_loops(c, &l);
  end_loops(&l);
}

// tensor.cast of `?` to a number.
static void check_cast(Check *c, MlirOperation op) {
  MlirValue x = sn_operand(op, 0);
  MlirType to = sn_type_of(sn_result(op, 0));
  Loops l = {.op = op};
  for (intptr_t i = 0; mlirTypeIsARankedTensor(to) && mlirTypeIsARankedTensor(sn_type_of(x)) && i < sn_rank(to); ++i) {
    if (sn_dim(to, i) == SN_DYNAMIC || sn_dim(sn_type_of(x), i) != SN_DYNAMIC)
      continue;
    bool everywhere;
    MlirValue got = operand_size(c, &l, x, i, &everywhere);
    SnBuilder here = sn_before(op), *b = everywhere ? &c->sizes.b : &here;
    compare(c, b, got, sn_index(b, sn_dim(to, i)));
  }
}

// tensor.reshape: more elements than its operand has would be read beyond its end.
static void check_reshape(Check *c, MlirOperation op) {
  MlirValue x = sn_operand(op, 0), shape = sn_operand(op, 1);
  MlirType from = sn_type_of(x), to = sn_type_of(sn_result(op, 0)), index = sn_index_type(c->sizes.b.ctx);
  if (!mlirTypeIsARankedTensor(from) || !mlirTypeIsARankedTensor(to))
    return;
  SnBuilder here = sn_before(op), *b = &here;
  MlirValue got = sn_index(b, 1), want = got;
  for (intptr_t i = 0; i < sn_rank(from); ++i) {
    bool everywhere;
    got = sn(b, "arith.muli", got, operand_size(c, &(Loops){.op = op}, x, i, &everywhere));
  }
  for (intptr_t i = 0; i < sn_rank(to); ++i) {
    MlirValue size = sn_index(b, sn_dim(to, i) == SN_DYNAMIC ? i : sn_dim(to, i));
    if (sn_dim(to, i) == SN_DYNAMIC) {
      size = sn(b, "tensor.extract", shape, size, sn_element(sn_type_of(shape)));
      size = mlirTypeIsAIndex(sn_type_of(size)) ? size : sn(b, "arith.index_cast", size, index);
    }
    want = sn(b, "arith.muli", want, size);
  }
  fail_unless(b, compared(b, 0, got, want),
              "a reshape has another number of elements than its operand: the program's sizes do not fit each other");
}

// ---- the pass ----------------------------------------------------------------------------

static MlirWalkResult find(MlirOperation op, void *found) {
  if (sn_is_form(op) || sn_in_dialect(op, "linalg") || sn_is(op, "tensor.cast") || sn_is(op, "tensor.reshape"))
    sn_push((SnOpVec *)found, op);
  return MlirWalkResultAdvance;
}

static MlirLogicalResult check(MlirOperation func, void *module) {
  MlirBlock body = sn_function_body(func);
  if (!body.ptr || sn_get_attr(func, SN_KERNEL).ptr)
    return SN_OK;
  SnOpVec ops = {0};
  mlirOperationWalk(func, find, &ops, MlirWalkPreOrder);
  Check c = {.module = *(MlirOperation *)module,
             .sizes = {.b = sn_at_start(body, mlirOperationGetLocation(func)), .argument = argument_size}};
  for (size_t k = 0; k < ops.size; ++k) {
    MlirOperation op = ops.data[k];
    if (is_fixed(op))
      continue;
    c.sizes.b.loc = mlirOperationGetLocation(op);
    if (sn_is_form(op))
      check_form(&c, op);
    else if (sn_is(op, "tensor.cast"))
      check_cast(&c, op);
    else if (sn_is(op, "tensor.reshape"))
      check_reshape(&c, op);
    else
      check_linalg(&c, op);
  }
  sn_sizes_free(&c.sizes);
  sn_table_free(&c.by_hash);
  sn_table_free(&c.hashes);
  sn_vec_free(&c.checked);
  sn_vec_free(&ops);
  return SN_OK;
}

static MlirLogicalResult run(const SnRun *run, MlirOperation module) {
  return sn_each_function(module, check, &module);
}

MlirDialectHandle mlirGetDialectHandle__arith__(void);
MlirDialectHandle mlirGetDialectHandle__cf__(void);
MlirDialectHandle mlirGetDialectHandle__func__(void);
MlirDialectHandle mlirGetDialectHandle__tensor__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__arith__, mlirGetDialectHandle__cf__,
                                                      mlirGetDialectHandle__func__, mlirGetDialectHandle__tensor__,
                                                      NULL};

const SnPass sn_pass_check_sizes = {
    .argument = "sinter-sizes",
    .summary = "sizes of operands that have to agree are compared at run time",
    .anchor = "builtin.module",
    .dialects = dialects,
    .run = run,
};

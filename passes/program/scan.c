// scan.c: cumulative sums and their like become steps.
//
//   %y:2 = tm_tensor.scan dimension(1) inclusive(true)    ->    %y = sinter.steps rows(0) ins(%x : tensor<4x9x5xf32>)
//   outs(%e : tensor<4x9x5xf32>) {
//       ins(%x : tensor<4x9x5xf32>) outs(%e, %z : ...) {        ^row(%i: index, %a: memref<4x9x5xf32>, %b:
//       memref<4x9x5xf32>):
//   ^bb0(%p: f32, %v: f32):                                       scf.parallel (%j) ... { b[i, 0, j] = a[i, 0, j] }
//     %s = arith.addf %p, %v : f32                                scf.for %t = 1 to 9 {
//     tm_tensor.yield %s : f32                                      scf.parallel (%j) ... { b[i, t, j] = b[i, t - 1, j]
//     + a[i, t, j] }
//   }                                                             }
//
// Exporters have no linalg for what depends on its neighbour along a dimension. Dimensions before the one that is
// scanned are collapsed into rows, those behind it into lanes; without lanes the row keeps what it has so far in a
// register.
//
// runs in: sinter-prepare    test: test/passes/program/scan.mlir

#include "capi/pass.h"
#include "dialect/dialect.h"


static bool known_above(MlirType t, intptr_t d, int64_t n) { return sn_dim(t, d) > n; }

// ---- three dimensions of many ------------------------------------------------------------

static MlirAttribute members(MlirContext ctx, intptr_t from, intptr_t to) {
  MlirAttribute all[SN_MAX_DIMS];
  for (intptr_t d = from; d < to; ++d)
    all[d - from] = sn_i64(ctx, d);
  return mlirArrayAttrGet(ctx, to - from, all);
}

static int64_t product(MlirType t, intptr_t from, intptr_t to) {
  int64_t n = 1;
  for (intptr_t d = from; d < to; ++d)
    n = n == SN_DYNAMIC || sn_dim(t, d) == SN_DYNAMIC ? SN_DYNAMIC : n * sn_dim(t, d);
  return n;
}

typedef struct {
  MlirType wide, narrow;  // the tensor, and rows x scanned (x lanes)
  MlirAttribute groups;   // of what is collapsed
  bool lifted, collapsed; // a row is added in front; dimensions are collapsed
  intptr_t dim;
} Layout;

static Layout lay_out(MlirContext ctx, MlirType t, intptr_t dim) {
  intptr_t rank = sn_rank(t), n = 0;
  Layout l = {.wide = t, .lifted = !dim, .collapsed = dim > 1 || rank - dim > 2, .dim = dim};
  MlirAttribute groups[3];
  int64_t shape[3];
  intptr_t ends[] = {0, dim, dim + 1, rank};
  for (int k = 0; k < 3; ++k) {
    if (k == 0 && l.lifted)
      shape[n++] = 1;
    if (ends[k] == ends[k + 1])
      continue;
    groups[n - l.lifted] = members(ctx, ends[k], ends[k + 1]);
    shape[n++] = product(t, ends[k], ends[k + 1]);
  }
  l.groups = mlirArrayAttrGet(ctx, n - l.lifted, groups);
  l.narrow = sn_tensor(sn_element(t), n, shape);
  return l;
}

// Without the row that was added.
static MlirType without_row(const Layout *l) {
  int64_t shape[3];
  intptr_t rank = sn_rank(l->narrow) - l->lifted;
  for (intptr_t d = 0; d < rank; ++d)
    shape[d] = sn_dim(l->narrow, d + l->lifted);
  return sn_tensor(sn_element(l->narrow), rank, shape);
}

static MlirAttribute row_groups(MlirContext ctx, intptr_t rank) {
  MlirAttribute groups[] = {members(ctx, 0, 2), members(ctx, 2, 3)};
  return mlirArrayAttrGet(ctx, rank - 1, groups);
}

// As t, which is v with dimensions split by `groups`; `?` are those of `like` at `from` on.
static MlirValue expand(SnBuilder *b, MlirValue v, MlirType t, MlirAttribute groups, MlirValue like, intptr_t from) {
  int64_t shape[SN_MAX_DIMS];
  MlirValue sizes[SN_MAX_DIMS];
  intptr_t n = 0;
  for (intptr_t d = 0; d < sn_rank(t); ++d)
    if ((shape[d] = sn_dim(t, d)) == SN_DYNAMIC)
      sizes[n++] = sn(b, "tensor.dim", like, sn_index(b, d - from), sn_index_type(b->ctx));
  return sn(b, "tensor.expand_shape", v, sn_values(n, sizes), t, sn_attr("reassociation", groups),
            sn_attr("static_output_shape", mlirDenseI64ArrayGet(b->ctx, sn_rank(t), shape)));
}

static MlirValue narrowed(SnBuilder *b, const Layout *l, MlirValue v) {
  if (l->collapsed)
    v = sn(b, "tensor.collapse_shape", v, without_row(l), sn_attr("reassociation", l->groups));
  return l->lifted ? expand(b, v, l->narrow, row_groups(b->ctx, sn_rank(l->narrow)), v, 1) : v;
}

static MlirValue widened(SnBuilder *b, const Layout *l, MlirValue v, MlirValue like) {
  if (l->lifted)
    v = sn(b, "tensor.collapse_shape", v, without_row(l),
           sn_attr("reassociation", row_groups(b->ctx, sn_rank(l->narrow))));
  return l->collapsed ? expand(b, v, l->wide, l->groups, like, 0) : v;
}

static MlirValue empty_like(SnBuilder *b, MlirValue v) {
  MlirType t = sn_type_of(v);
  int64_t shape[3];
  MlirValue sizes[3];
  intptr_t n = 0;
  for (intptr_t d = 0; d < sn_rank(t); ++d)
    if ((shape[d] = sn_dim(t, d)) == SN_DYNAMIC)
      sizes[n++] = sn(b, "tensor.dim", v, sn_index(b, d), sn_index_type(b->ctx));
  return sn(b, "tensor.empty", sn_values(n, sizes), sn_tensor(sn_element(t), sn_rank(t), shape));
}

// ---- the body ------------------------------------------------------------------------------

static MlirType memory(MlirType t) {
  int64_t shape[3];
  for (intptr_t d = 0; d < sn_rank(t); ++d)
    shape[d] = sn_dim(t, d);
  return sn_memref(sn_element(t), sn_rank(t), shape);
}

typedef struct {
  MlirOperation op;
  MlirValue row, x, y;
  intptr_t lanes; // 1 if there is a dimension of them
  bool inclusive;
} Body;

static MlirValue load(SnBuilder *b, const Body *s, MlirValue from, MlirValue t, MlirValue j) {
  MlirValue at[] = {s->row, t, j};
  return sn(b, "memref.load", from, sn_values(2 + s->lanes, at), sn_element(sn_type_of(from)));
}

static void store(SnBuilder *b, const Body *s, MlirValue v, MlirValue t, MlirValue j) {
  MlirValue at[] = {s->row, t, j};
  sn_op(b, "memref.store", v, s->y, sn_values(2 + s->lanes, at));
}

// The scan's own region on these two, with the constants that it takes from outside.
static MlirValue combine(SnBuilder *b, const Body *s, MlirValue before, MlirValue v) {
  MlirBlock region = mlirRegionGetFirstBlock(mlirOperationGetRegion(s->op, 0));
  MlirOperation end = mlirBlockGetTerminator(region);
  SnMap map = {0};
  sn_map(&map, mlirBlockGetArgument(region, 0), before);
  sn_map(&map, mlirBlockGetArgument(region, 1), v);
  for (MlirOperation op = mlirBlockGetFirstOperation(region); !mlirOperationEqual(op, end);
       op = mlirOperationGetNextInBlock(op)) {
    for (intptr_t k = 0; k < sn_num_operands(op); ++k)
      if (sn_none(sn_mapped(&map, sn_operand(op, k))))
        sn_map(&map, sn_operand(op, k), sn_constant(b, sn_constant_of(sn_operand(op, k))));
    sn_clone(b, op, &map);
  }
  MlirValue last = sn_operand(end, 0), made = sn_mapped(&map, last);
  made = sn_none(made) ? sn_constant(b, sn_constant_of(last)) : made;
  sn_map_free(&map);
  return made;
}

// A step over [0, n): the builder stands in it until the step ends.
static SnBuilder begin_step(SnBuilder *b, MlirValue n, MlirValue *lane) {
  MlirType index = sn_index_type(b->ctx);
  MlirBlock block = mlirBlockCreate(1, &index, &b->loc);
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, block);
  sn_op(b, "scf.parallel", sn_index(b, 0), n, sn_index(b, 1), region, sn_types(0, NULL),
        sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b->ctx, 4, (int32_t[]){1, 1, 1, 0})));
  *lane = mlirBlockGetArgument(block, 0);
  return sn_at_end(block, b->loc);
}

static void end_step(SnBuilder *in) { sn_op(in, "scf.reduce", sn_types(0, NULL)); }

static MlirValue first(SnBuilder *b, const Body *s, MlirValue init, MlirValue j) {
  MlirValue zero = sn_index(b, 0), at[] = {s->row, j};
  MlirValue v = s->inclusive ? load(b, s, s->x, zero, j)
                             : sn(b, "memref.load", init, sn_values(1 + s->lanes, at), sn_element(sn_type_of(init)));
  store(b, s, v, zero, j);
  return v;
}

static MlirValue next(SnBuilder *b, const Body *s, MlirValue before, MlirValue t, MlirValue j) {
  MlirValue from = s->inclusive ? t : sn(b, "arith.subi", t, sn_index(b, 1));
  MlirValue v = combine(b, s, before, load(b, s, s->x, from, j));
  store(b, s, v, t, j);
  return v;
}

static void make_body(SnBuilder *b, const Body *s, MlirValue init) {
  MlirType t = sn_type_of(s->x), index = sn_index_type(b->ctx);
  MlirValue one = sn_index(b, 1), n = sn(b, "memref.dim", s->x, one, index), j;
  MlirValue lanes = s->lanes ? sn(b, "memref.dim", s->x, sn_index(b, 2), index) : one;
  if (!known_above(t, 1, 0)) { // nothing to scan has no first element
    MlirValue none = sn_index(b, 0);
    lanes = sn(b, "arith.select", sn(b, "arith.cmpi", n, none, sn_attr("predicate", sn_i64(b->ctx, 0))), none, lanes);
  }
  SnBuilder in = begin_step(b, lanes, &j);
  MlirValue v = first(&in, s, init, j);
  if (!s->lanes) {
    SnLoop loop = sn_for(&in, one, n, one, v);
    MlirValue made = next(&in, s, loop.carried[0], loop.index, j);
    sn_next(&in, &loop, made);
    end_step(&in);
  } else {
    end_step(&in);
    SnLoop loop = sn_for(b, one, n, one);
    in = begin_step(b, lanes, &j);
    MlirValue before = load(&in, s, s->y, sn(&in, "arith.subi", loop.index, one), j);
    next(&in, s, before, loop.index, j);
    end_step(&in);
    sn_next(b, &loop);
  }
  sn_op(b, "sinter.yield", sn_types(0, NULL));
}

// ---- one scan ---------------------------------------------------------------------------------

static MlirLogicalResult check_region(MlirOperation op, MlirType element) {
  MlirBlock region = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  MlirOperation end = mlirBlockGetTerminator(region);
  if (mlirBlockGetNumArguments(region) != 2 || sn_null(end) || sn_num_operands(end) != 1)
    return sn_error(op, "has a region of %ld arguments; expected two, and one number that it yields",
                    (long)mlirBlockGetNumArguments(region));
  MlirValue scalars[] = {mlirBlockGetArgument(region, 0), mlirBlockGetArgument(region, 1), sn_operand(end, 0)};
  for (int k = 0; k < 3; ++k)
    if (!mlirTypeEqual(sn_type_of(scalars[k]), element))
      return sn_error(op, "has a region on other types than its tensors hold");
  for (MlirOperation in = mlirBlockGetFirstOperation(region); !sn_null(in); in = mlirOperationGetNextInBlock(in)) {
    if (!mlirOperationEqual(in, end) && !sn_in_dialect(in, "arith") && !sn_in_dialect(in, "math"))
      return sn_error(in, "is in a scan, which holds arith and math alone");
    for (intptr_t k = 0; k < sn_num_operands(in); ++k) {
      MlirValue v = sn_operand(in, k);
      MlirOperation from = sn_definer(v);
      bool inside = sn_null(from) ? mlirBlockEqual(mlirBlockArgumentGetOwner(v), region)
                                  : mlirBlockEqual(mlirOperationGetBlock(from), region);
      if (!inside && !sn_constant_of(v).ptr)
        return sn_error(in, "in a scan takes a value from outside that is no constant");
    }
  }
  return SN_OK;
}

static MlirLogicalResult check(MlirOperation op) {
  if (sn_num_operands(op) != 3 || sn_num_results(op) != 2 ||
      mlirDenseI32ArrayGetElement(sn_get_attr(op, "operandSegmentSizes"), 0) != 1)
    return sn_error(op, "has %ld operands and %ld results; expected one input, two destinations, two results",
                    (long)sn_num_operands(op), (long)sn_num_results(op));
  MlirType t = sn_type_of(sn_operand(op, 0)), init = sn_type_of(sn_operand(op, 2));
  int64_t dim = sn_int_attr(op, "dimension", 0);
  if (dim < 0 || dim >= sn_rank(t))
    return sn_error(op, "scans dimension %ld of %ld", (long)dim, (long)sn_rank(t));
  if (sn_rank(t) > SN_MAX_DIMS)
    return sn_error(op, "has %ld dimensions; at most %d are known", (long)sn_rank(t), SN_MAX_DIMS);
  if (!sn_is_float(sn_element(t)) && !sn_is_int(sn_element(t)))
    return sn_error(op, "scans what are no numbers");
  if (!mlirTypeEqual(sn_type_of(sn_operand(op, 1)), t) || !mlirTypeEqual(sn_type_of(sn_result(op, 0)), t))
    return sn_error(op, "has an input, a destination and a result of different types");
  bool fits = sn_rank(init) == sn_rank(t) - 1 && mlirTypeEqual(sn_element(init), sn_element(t));
  for (intptr_t d = 0; fits && d < sn_rank(init); ++d)
    fits = sn_dim(init, d) == sn_dim(t, d + (d >= dim));
  if (!fits)
    return sn_error(op, "keeps its last values in a tensor that is not the input without dimension %ld", (long)dim);
  if (!mlirOpOperandIsNull(mlirValueGetFirstUse(sn_result(op, 1))))
    return sn_error(op, "has a second result that is used; take it from the first one, at the end of dimension %ld",
                    (long)dim);
  return check_region(op, sn_element(t));
}

// What an exclusive scan begins with, as rows (x lanes).
static MlirValue narrowed_init(SnBuilder *b, const Layout *l, MlirValue v) {
  MlirType t = sn_type_of(v);
  MlirAttribute groups[2];
  intptr_t rank = sn_rank(t), n = 0, out = sn_rank(l->narrow) - 1;
  int64_t shape[2];
  if (!l->lifted)
    groups[n++] = members(b->ctx, 0, l->dim);
  if (rank > l->dim)
    groups[n++] = members(b->ctx, l->dim, rank);
  for (intptr_t d = 0; d < out; ++d)
    shape[d] = sn_dim(l->narrow, d ? 2 : 0);
  if (rank > n)
    v = sn(b, "tensor.collapse_shape", v, sn_tensor(sn_element(t), n, shape + l->lifted),
           sn_attr("reassociation", mlirArrayAttrGet(b->ctx, n, groups)));
  if (!l->lifted)
    return v;
  MlirAttribute pair = members(b->ctx, 0, 2);
  return expand(b, v, sn_tensor(sn_element(t), out, shape), mlirArrayAttrGet(b->ctx, n ? 1 : 0, &pair), v, 1);
}

static MlirLogicalResult replace(MlirOperation op) {
  if (sn_failed(check(op)))
    return SN_FAIL;
  SnBuilder b = sn_before(op);
  MlirValue input = sn_operand(op, 0);
  Layout l = lay_out(b.ctx, sn_type_of(input), sn_int_attr(op, "dimension", 0));
  Body s = {.op = op, .lanes = sn_rank(l.narrow) - 2, .inclusive = mlirBoolAttrGetValue(sn_get_attr(op, "inclusive"))};
  MlirValue operands[3];
  int32_t segments[] = {0, 1, 0};
  operands[segments[0]++] = narrowed(&b, &l, input);
  if (!s.inclusive)
    operands[segments[0]++] = narrowed_init(&b, &l, sn_operand(op, 2));
  operands[segments[0]] = empty_like(&b, operands[0]);
  intptr_t n = segments[0] + 1;

  MlirType arguments[4] = {sn_index_type(b.ctx)};
  MlirLocation locs[] = {b.loc, b.loc, b.loc, b.loc};
  for (intptr_t k = 0; k < n; ++k)
    arguments[1 + k] = memory(sn_type_of(operands[k]));
  MlirBlock block = mlirBlockCreate(1 + n, arguments, locs);
  MlirRegion body = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(body, block);
  s.row = mlirBlockGetArgument(block, 0);
  s.x = mlirBlockGetArgument(block, 1);
  s.y = mlirBlockGetArgument(block, n);
  SnBuilder in = sn_at_end(block, b.loc);
  make_body(&in, &s, mlirBlockGetArgument(block, 2));
  MlirValue made =
      sn(&b, "sinter.steps", sn_values(n, operands), l.narrow, sn_attr("rows", sn_i64(b.ctx, 0)),
         sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b.ctx, 3, segments)), body, mlirRegionCreate());
  mlirValueReplaceAllUsesOfWith(sn_result(op, 0), widened(&b, &l, made, input));
  mlirOperationDestroy(op);
  return SN_OK;
}

static MlirLogicalResult run(const SnRun *run, MlirOperation root) {
  (void)run;
  SnOpVec all = sn_collect(root, "tm_tensor.scan");
  MlirLogicalResult result = SN_OK;
  for (size_t k = 0; k < all.size && !sn_failed(result); ++k)
    result = replace(all.data[k]);
  sn_vec_free(&all);
  return result;
}

MlirDialectHandle mlirGetDialectHandle__tensor__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__tensor__, mlirGetDialectHandle__sinter__,
                                                      NULL};

const SnPass sn_pass_scan = {
    .argument = "sinter-scan",
    .summary = "tm_tensor.scan, torch-mlir's cumulative sums and products, becomes sinter.steps",
    .dialects = dialects,
    .run = run,
};

// ordinary.c: ops that stand for others, and windows that upstream would misread, as ordinary linalg.
//
//   linalg.softmax                 ->  maximum, exponentials, their sum, quotients: linalg.generic
//   linalg.pack, linalg.unpack     ->  tensor.pad, tensor.expand_shape, linalg.transpose, tensor.extract_slice; tiles
//                                      whose sizes are computed: computed_tiles.c
//   linalg.winograd_*              ->  scf.for over tiles, linalg.matmul
//   tensor.gather                  ->  tensor.extract in a linalg.generic: gather.c
//   tensor.scatter                 ->  tm_tensor.scatter: tensor_scatter.c
//   tensor.pad %x low[-1] high[2]  ->  tensor.pad (tensor.extract_slice %x[1]) low[0] high[2]: upstream writes outside
//   tm_tensor.attention            ->  attention.c
//   tensor.generate, index.*, pad  ->  linalg.generic, arith, numbers: ordinary_ops.c
//
//   generic of %x[h * 2 + k]           generic of (tensor.extract_slice %x[0] [2])[h * 2 + k]
//   h = 1, k = 2, %x : tensor<3>   ->
//
// TOSA in a program that is read as linalg is an error, with the option that reads it; so is what misplaced.c finds.
// The last one above is a window that leaves some of its input over. Upstream drops h, and then takes k to be as long
// as %x.
//
// runs in: sinter-prepare    test: test/passes/program/ordinary.mlir, test/run/tm_tensor.test

#include "dialect/dialect.h"
#include "passes/edit/rewrite.h"
#include "passes/program/tensor_steps.h"

static bool aggregate(SnRewriter *rw, MlirOperation op) { return sn_shim_decompose_aggregate(rw->base, op); }
static bool relayout(SnRewriter *rw, MlirOperation op) {
  return sn_shim_lower_pack(rw->base, op) || (sn_is(op, "linalg.pack") && sn_computed_tiles(rw->b, rw->base, op));
}

// ---- windows ---------------------------------------------------------------------------------

static MlirAffineMap map_of(MlirOperation op, intptr_t k) {
  return mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(sn_get_attr(op, "indexing_maps"), k));
}

// How long the loops are, by the operands that have one as a subscript; SN_DYNAMIC where none says.
static bool loop_sizes(MlirOperation op, int64_t *sizes) {
  intptr_t loops = mlirAffineMapGetNumDims(map_of(op, 0));
  if (loops > SN_MAX_DIMS)
    return false;
  for (intptr_t d = 0; d < loops; ++d)
    sizes[d] = SN_DYNAMIC;
  // Backwards: a destination has no windows, so its sizes count.
  for (intptr_t k = sn_num_operands(op); k-- > 0;) {
    MlirAffineMap map = map_of(op, k);
    for (intptr_t p = 0; p < mlirAffineMapGetNumResults(map); ++p) {
      intptr_t d = sn_map_dim(map, p);
      if (d >= 0 && sizes[d] == SN_DYNAMIC)
        sizes[d] = sn_dim(sn_type_of(sn_operand(op, k)), p);
    }
  }
  return true;
}

// Without dimensions of size 1 the subscript is one dimension: its size, else -1.
static int64_t size_left(MlirContext ctx, MlirAffineExpr e, intptr_t loops, const int64_t *sizes) {
  MlirAffineExpr dims[SN_MAX_DIMS];
  for (intptr_t d = 0; d < loops; ++d)
    dims[d] = sizes[d] == 1 ? mlirAffineConstantExprGet(ctx, 0) : mlirAffineDimExprGet(ctx, d);
  MlirAffineMap left = sn_map_replace(mlirAffineMapGet(ctx, loops, 0, 1, &e), loops, dims);
  intptr_t d = sn_map_dim(left, 0);
  return d < 0 ? -1 : sizes[d];
}

// x without so many elements in front of and behind those that stay, in each dimension.
static MlirValue inner_of(SnBuilder *b, MlirValue x, const int64_t *before, const int64_t *behind) {
  MlirType t = sn_type_of(x);
  intptr_t rank = sn_rank(t);
  int64_t sizes[SN_MAX_DIMS], strides[SN_MAX_DIMS];
  SnValueVec operands = {0};
  sn_push(&operands, x);
  for (intptr_t d = 0; d < rank; ++d) {
    int64_t cut = before[d] + behind[d];
    strides[d] = 1;
    sizes[d] = sn_dim(t, d) == SN_DYNAMIC ? SN_DYNAMIC : sn_dim(t, d) - cut;
    if (sizes[d] != SN_DYNAMIC)
      continue;
    MlirValue size = sn(b, "tensor.dim", x, sn_index(b, d), sn_index_type(b->ctx));
    sn_push(&operands, cut ? sn(b, "arith.subi", size, sn_index(b, cut)) : size);
  }
  int32_t segments[] = {1, 0, (int32_t)operands.size - 1, 0};
  MlirValue v =
      sn(b, "tensor.extract_slice", sn_values((intptr_t)operands.size, operands.data),
         sn_tensor(sn_element(t), rank, sizes), sn_attr("static_offsets", mlirDenseI64ArrayGet(b->ctx, rank, before)),
         sn_attr("static_sizes", mlirDenseI64ArrayGet(b->ctx, rank, sizes)),
         sn_attr("static_strides", mlirDenseI64ArrayGet(b->ctx, rank, strides)),
         sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b->ctx, 4, segments)));
  sn_vec_free(&operands);
  return v;
}

static MlirValue first_of(SnBuilder *b, MlirValue x, intptr_t dim, int64_t size) {
  int64_t before[SN_MAX_DIMS] = {0}, behind[SN_MAX_DIMS] = {0};
  behind[dim] = sn_dim(sn_type_of(x), dim) - size;
  return inner_of(b, x, before, behind);
}

static bool leftover(SnRewriter *rw, MlirOperation op) {
  int64_t sizes[SN_MAX_DIMS];
  if (!sn_num_operands(op) || !loop_sizes(op, sizes))
    return false;
  bool changed = false;
  for (intptr_t k = 0; k < sn_num_operands(op); ++k) {
    MlirAffineMap map = map_of(op, k);
    MlirType t = sn_type_of(sn_operand(op, k));
    if (!mlirTypeIsARankedTensor(t) || sn_rank(t) > SN_MAX_DIMS)
      continue;
    for (intptr_t p = 0; p < sn_rank(t); ++p) {
      int64_t left = sn_map_dim(map, p) >= 0
                         ? -1
                         : size_left(rw->b->ctx, mlirAffineMapGetResult(map, p), mlirAffineMapGetNumDims(map), sizes);
      if (left <= 0 || sn_dim(t, p) == SN_DYNAMIC || sn_dim(t, p) <= left)
        continue;
      mlirOperationSetOperand(op, k, first_of(rw->b, sn_operand(op, k), p, left));
      t = sn_type_of(sn_operand(op, k));
      changed = true;
    }
  }
  return changed;
}

// ---- paddings --------------------------------------------------------------------------------

// How much a pad's attribute takes away in each dimension: what is below 0.
static bool taken(MlirOperation pad, const char *name, int64_t *taken) {
  MlirAttribute all = sn_get_attr(pad, name);
  bool any = false;
  for (intptr_t d = 0; d < mlirDenseArrayGetNumElements(all); ++d) {
    int64_t n = mlirDenseI64ArrayGetElement(all, d);
    taken[d] = n != SN_DYNAMIC && n < 0 ? -n : 0;
    any |= taken[d] > 0;
  }
  return any;
}

static void add_back(SnBuilder *b, MlirOperation pad, const char *name, const int64_t *taken) {
  MlirAttribute all = sn_get_attr(pad, name);
  int64_t left[SN_MAX_DIMS];
  for (intptr_t d = 0; d < mlirDenseArrayGetNumElements(all); ++d)
    left[d] = taken[d] ? 0 : mlirDenseI64ArrayGetElement(all, d);
  sn_set_attr(pad, name, mlirDenseI64ArrayGet(b->ctx, mlirDenseArrayGetNumElements(all), left));
}

static bool crop(SnRewriter *rw, MlirOperation op) {
  MlirType t = sn_type_of(sn_operand(op, 0));
  int64_t low[SN_MAX_DIMS], high[SN_MAX_DIMS];
  if (sn_rank(t) > SN_MAX_DIMS)
    return false;
  bool front = taken(op, "static_low", low), back = taken(op, "static_high", high), fits = front || back;
  for (intptr_t d = 0; d < sn_rank(t) && fits; ++d)
    fits = sn_dim(t, d) == SN_DYNAMIC || low[d] + high[d] <= sn_dim(t, d);
  if (!fits)
    return false;
  mlirOperationSetOperand(op, 0, inner_of(rw->b, sn_operand(op, 0), low, high));
  add_back(rw->b, op, "static_low", low);
  add_back(rw->b, op, "static_high", high);
  return true;
}

static bool attention(SnRewriter *rw, MlirOperation op) { return sn_attention_linalg(rw->b, rw->base, op); }

static bool gather(SnRewriter *rw, MlirOperation op) { return sn_gather_linalg(rw->b, rw->base, op); }

static bool scatter(SnRewriter *rw, MlirOperation op) { return sn_tensor_scatter(rw->b, rw->base, op); }

static bool generate(SnRewriter *rw, MlirOperation op) { return sn_generate_linalg(rw->b, rw->base, op); }

static bool pad(SnRewriter *rw, MlirOperation op) {
  return sn_fixed_pad(rw->b, op) || crop(rw, op) || sn_computed_pad(rw->b, rw->base, op);
}

static bool on_index(SnRewriter *rw, MlirOperation op) { return sn_index_arith(rw->b, rw->base, op); }

static const SnRule rules[] = {
    {"linalg.softmax", aggregate},      {"linalg.pack", relayout},
    {"linalg.unpack", relayout},        {"linalg.generic", leftover},
    {"tm_tensor.attention", attention}, {"tensor.gather", gather},
    {"tensor.scatter", scatter},        {"tensor.generate", generate},
    {"tensor.pad", pad},
    {"index.add", on_index},            {"index.sub", on_index},
    {"index.mul", on_index},            {"index.divs", on_index},
    {"index.divu", on_index},           {"index.rems", on_index},
    {"index.remu", on_index},           {"index.ceildivs", on_index},
    {"index.ceildivu", on_index},       {"index.floordivs", on_index},
    {"index.maxs", on_index},           {"index.maxu", on_index},
    {"index.mins", on_index},           {"index.minu", on_index},
    {"index.and", on_index},            {"index.or", on_index},
    {"index.xor", on_index},            {"index.shl", on_index},
    {"index.shrs", on_index},           {"index.shru", on_index},
    {0},
};

// ---- the pass ---------------------------------------------------------------------------------

static MlirWalkResult refuse_tosa(MlirOperation op, void *user) {
  MlirLogicalResult *result = user;
  bool shape =
      sn_num_results(op) == 1 && !mlirTypeIsAShaped(sn_type_of(sn_result(op, 0))); // of what is lowered, left over
  if (!sn_in_dialect(op, "tosa") || shape)
    return MlirWalkResultAdvance;
  *result =
      sn_error(op, "is TOSA's, and the program is read as linalg; --input-dialect=tosa reads TOSA (of a pipeline: "
                   "input=tosa)");
  return MlirWalkResultInterrupt;
}

static MlirLogicalResult run(const SnRun *run, MlirOperation root) {
  SnOpVec all = sn_collect(root, "tm_tensor.attention");
  MlirLogicalResult result = SN_OK;
  mlirOperationWalk(root, refuse_tosa, &result, MlirWalkPreOrder);
  if (!sn_failed(result))
    result = sn_check_places(root);
  for (size_t k = 0; k < all.size && !sn_failed(result); ++k)
    result = sn_check_attention(all.data[k]);
  sn_vec_free(&all);
  if (sn_failed(result))
    return result;
  MlirRewritePatternSet set = mlirRewritePatternSetCreate(run->ctx);
  sn_add_rules(run->ctx, set, rules);
  sn_shim_add_winograd(set);
  return sn_apply_patterns(root, set);
}

MlirDialectHandle mlirGetDialectHandle__arith__(void);
MlirDialectHandle mlirGetDialectHandle__linalg__(void);
MlirDialectHandle mlirGetDialectHandle__math__(void);
MlirDialectHandle mlirGetDialectHandle__scf__(void);
MlirDialectHandle mlirGetDialectHandle__tensor__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__arith__,
                                                      mlirGetDialectHandle__linalg__,
                                                      mlirGetDialectHandle__math__,
                                                      mlirGetDialectHandle__scf__,
                                                      mlirGetDialectHandle__sinter__,
                                                      mlirGetDialectHandle__tensor__,
                                                      NULL};

const SnPass sn_pass_ordinary = {
    .argument = "sinter-ordinary",
    .summary = "softmax, packing, Winograd's transforms, torch-mlir's attention as ordinary linalg",
    .dialects = dialects,
    .run = run,
};

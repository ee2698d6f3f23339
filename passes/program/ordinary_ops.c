// ordinary_ops.c: operations on indices and tensors made index by index, as arith and linalg.
//
//   %k = index.mul %i, %j                    ->   %k = arith.muli %i, %j
//   %t = tensor.generate %n { yield %v }     ->   linalg.generic outs(%e) { %v of linalg.index }
//
//   tensor.pad %x low[%c1] high[%n]          ->   tensor.pad %x low[1] high[%n]
//   tensor.pad %x low[1] { yield %v }        ->   tensor.insert_slice %x into (tensor.generate { yield %v })[1]
//
// No form and no kernel holds the first: TOSA's Fourier transforms are written in it. The second is a loop over
// elements that nothing else fuses with; so is an edge that is computed.
//
// runs in: sinter-prepare    test: test/passes/program/ordinary.mlir, test/run/every_op.test

#include "capi/shim.h"
#include "passes/program/tensor_steps.h"

bool sn_index_arith(SnBuilder *b, MlirRewriterBase base, MlirOperation op) {
  static const char *const names[][2] = {{"index.add", "arith.addi"},           {"index.sub", "arith.subi"},
                                         {"index.mul", "arith.muli"},           {"index.divs", "arith.divsi"},
                                         {"index.divu", "arith.divui"},         {"index.rems", "arith.remsi"},
                                         {"index.remu", "arith.remui"},         {"index.ceildivs", "arith.ceildivsi"},
                                         {"index.ceildivu", "arith.ceildivui"}, {"index.floordivs", "arith.floordivsi"},
                                         {"index.maxs", "arith.maxsi"},         {"index.maxu", "arith.maxui"},
                                         {"index.mins", "arith.minsi"},         {"index.minu", "arith.minui"},
                                         {"index.and", "arith.andi"},           {"index.or", "arith.ori"},
                                         {"index.xor", "arith.xori"},           {"index.shl", "arith.shli"},
                                         {"index.shrs", "arith.shrsi"},         {"index.shru", "arith.shrui"}};
  for (size_t k = 0; k < sizeof names / sizeof *names; ++k)
    if (sn_is(op, names[k][0])) {
      MlirValue made = sn(b, names[k][1], sn_operand(op, 0), sn_operand(op, 1));
      mlirRewriterBaseReplaceOpWithValues(base, op, 1, &made);
      return true;
    }
  return sn_no(op, "no operation of arith is this");
}

// Straight code, whose values from outside are tensors and constants.
static bool is_straight(MlirBlock body) {
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !sn_null(op); op = mlirOperationGetNextInBlock(op)) {
    bool known = sn_in_dialect(op, "arith") || sn_shim_is_elementwise(op) || sn_is(op, "tensor.extract") ||
                 sn_is(op, "tensor.yield");
    if (!known || mlirOperationGetNumRegions(op))
      return sn_no(op, "stands in a tensor.generate, and is no element's");
  }
  return true;
}

bool sn_generate_linalg(SnBuilder *b, MlirRewriterBase base, MlirOperation op) {
  MlirRegion region = mlirOperationGetRegion(op, 0), made_region = mlirRegionCreate();
  MlirBlock body = mlirRegionGetFirstBlock(region);
  MlirType t = sn_type_of(sn_result(op, 0)), element = sn_element(t), index = sn_index_type(b->ctx);
  intptr_t rank = sn_rank(t);
  if (rank > SN_MAX_DIMS || !is_straight(body)) {
    mlirRegionDestroy(made_region);
    return false;
  }
  SnValueVec sizes = {0};
  for (intptr_t k = 0; k < sn_num_operands(op); ++k)
    sn_push(&sizes, sn_operand(op, k));
  MlirValue empty = sn(b, "tensor.empty", sn_values((intptr_t)sizes.size, sizes.data), t);
  sn_vec_free(&sizes);
  MlirBlock block = mlirBlockCreate(1, &element, &b->loc);
  mlirRegionAppendOwnedBlock(made_region, block);
  SnBuilder in = sn_at_end(block, b->loc);
  SnMap map = {0};
  MlirAttribute kinds[SN_MAX_DIMS], identity = mlirAffineMapAttrGet(mlirAffineMapMultiDimIdentityGet(b->ctx, rank));
  for (intptr_t d = 0; d < rank; ++d) {
    kinds[d] = sn_parse_attr(b->ctx, "#linalg.iterator_type<parallel>");
    sn_map(&map, mlirBlockGetArgument(body, d), sn(&in, "linalg.index", index, sn_attr("dim", sn_i64(b->ctx, d))));
  }
  MlirOperation end = mlirBlockGetTerminator(body);
  for (MlirOperation inner = mlirBlockGetFirstOperation(body); !mlirOperationEqual(inner, end);
       inner = mlirOperationGetNextInBlock(inner))
    sn_clone(&in, inner, &map);
  MlirValue yielded = sn_mapped(&map, sn_operand(end, 0));
  sn_op(&in, "linalg.yield", sn_none(yielded) ? sn_operand(end, 0) : yielded, sn_types(0, NULL));
  sn_map_free(&map);
  MlirValue made =
      sn(b, "linalg.generic", empty, t, made_region, sn_attr("indexing_maps", mlirArrayAttrGet(b->ctx, 1, &identity)),
         sn_attr("iterator_types", mlirArrayAttrGet(b->ctx, rank, kinds)),
         sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b->ctx, 2, (int32_t[]){0, 1})));
  mlirRewriterBaseReplaceOpWithValues(base, op, 1, &made);
  return true;
}

static MlirValue edge_of(SnBuilder *b, MlirOperation pad, const char *name, intptr_t d, intptr_t *next) {
  int64_t known = mlirDenseI64ArrayGetElement(sn_get_attr(pad, name), d);
  return known == SN_DYNAMIC ? sn_operand(pad, (*next)++) : sn_index(b, known);
}

bool sn_computed_pad(SnBuilder *b, MlirRewriterBase base, MlirOperation pad) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(pad, 0));
  MlirValue x = sn_operand(pad, 0), low[SN_MAX_DIMS], size[SN_MAX_DIMS];
  MlirType t = sn_type_of(sn_result(pad, 0));
  intptr_t rank = sn_rank(t), next = 1;
  if (rank > SN_MAX_DIMS || sn_constant_of(sn_operand(mlirBlockGetTerminator(body), 0)).ptr)
    return sn_no(pad, "its edge is one number");
  SnValueVec whole = {0}, slice = {0};
  int64_t at[SN_MAX_DIMS], sizes[SN_MAX_DIMS], steps[SN_MAX_DIMS];
  sn_push(&slice, x);
  for (intptr_t d = 0; d < rank; ++d) {
    low[d] = edge_of(b, pad, "static_low", d, &next);
    size[d] = sn(b, "tensor.dim", x, sn_index(b, d), sn_index_type(b->ctx));
    at[d] = mlirDenseI64ArrayGetElement(sn_get_attr(pad, "static_low"), d);
    sizes[d] = sn_dim(sn_type_of(x), d);
    steps[d] = 1;
  }
  for (intptr_t d = 0; d < rank; ++d) {
    MlirValue high = edge_of(b, pad, "static_high", d, &next);
    if (sn_dim(t, d) == SN_DYNAMIC)
      sn_push(&whole, sn(b, "arith.addi", sn(b, "arith.addi", low[d], size[d]), high));
  }
  MlirRegion region = mlirRegionCreate();
  mlirRegionTakeBody(region, mlirOperationGetRegion(pad, 0));
  MlirValue edges = sn(b, "tensor.generate", sn_values((intptr_t)whole.size, whole.data), t, region);
  sn_push(&slice, edges);
  for (intptr_t d = 0; d < rank; ++d)
    if (at[d] == SN_DYNAMIC)
      sn_push(&slice, low[d]);
  int32_t offsets = (int32_t)slice.size - 2;
  for (intptr_t d = 0; d < rank; ++d)
    if (sizes[d] == SN_DYNAMIC)
      sn_push(&slice, size[d]);
  const int32_t segments[] = {1, 1, offsets, (int32_t)slice.size - 2 - offsets, 0};
  MlirValue made = sn(b, "tensor.insert_slice", sn_values((intptr_t)slice.size, slice.data), t,
                      sn_attr("static_offsets", mlirDenseI64ArrayGet(b->ctx, rank, at)),
                      sn_attr("static_sizes", mlirDenseI64ArrayGet(b->ctx, rank, sizes)),
                      sn_attr("static_strides", mlirDenseI64ArrayGet(b->ctx, rank, steps)),
                      sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b->ctx, 5, segments)));
  sn_vec_free(&whole);
  sn_vec_free(&slice);
  mlirRewriterBaseReplaceOpWithValues(base, pad, 1, &made);
  return true;
}

// What edges are numbers, behind which the operands that were none are left.
static void take_numbers(SnBuilder *b, MlirOperation pad, const char *name, intptr_t *next, SnValueVec *left) {
  MlirAttribute edges = sn_get_attr(pad, name);
  intptr_t n = mlirDenseArrayGetNumElements(edges);
  int64_t made[SN_MAX_DIMS];
  for (intptr_t d = 0; d < n; ++d) {
    made[d] = mlirDenseI64ArrayGetElement(edges, d);
    if (made[d] != SN_DYNAMIC)
      continue;
    MlirValue v = sn_operand(pad, (*next)++);
    MlirAttribute number = sn_constant_of(v);
    if (number.ptr)
      made[d] = mlirIntegerAttrGetValueInt(number);
    else
      sn_push(left, v);
  }
  sn_set_attr(pad, name, mlirDenseI64ArrayGet(b->ctx, n, made));
}

bool sn_fixed_pad(SnBuilder *b, MlirOperation pad) {
  bool any = false;
  for (intptr_t k = 1; k < sn_num_operands(pad); ++k)
    any |= sn_constant_of(sn_operand(pad, k)).ptr != NULL;
  if (!any || sn_rank(sn_type_of(sn_result(pad, 0))) > SN_MAX_DIMS)
    return sn_no(pad, "no edge that is a value is a number");
  SnValueVec left = {0};
  intptr_t next = 1;
  sn_push(&left, sn_operand(pad, 0));
  take_numbers(b, pad, "static_low", &next, &left);
  int32_t low = (int32_t)left.size - 1;
  take_numbers(b, pad, "static_high", &next, &left);
  mlirOperationSetOperands(pad, (intptr_t)left.size, left.data);
  sn_set_attr(pad, "operandSegmentSizes",
              mlirDenseI32ArrayGet(b->ctx, 3, (int32_t[]){1, low, (int32_t)left.size - 1 - low}));
  sn_vec_free(&left);
  return true;
}

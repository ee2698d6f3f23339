// tapes.c: what a loop carried in each of its turns, kept for its gradient.
//
//   %y = scf.for %i = %l to %u step %s         ->    %y, %all = scf.for ... iter_args(%a = %x, %t = %e) {
//       iter_args(%a = %x) {                           %t' = tensor.insert_slice %a into %t[(%i - %l) / %s, ...]
//     ...                                              ...
//     scf.yield %b                                     scf.yield %b, %t'
//   }                                                }
//
// One tensor more for each value that the reverse reads, as long as there are turns, whose number is known in front
// of a scf.for. Of a scf.while turns are counted. Slices of a tape have one size: that a tensor of a size `?` keeps it
// from turn to turn is asserted, where it is not seen.
//
// runs in: differentiate    test: test/passes/differentiate/loop_gradients.mlir, test/run/loop_gradients.test

#include "capi/size_parts.h"
#include "passes/differentiate/graph.h"

// ---- how often a loop turns ------------------------------------------------------------

// A bound of 200 : i8 is -56, unless the loop compares without signs.
static bool is_known(MlirValue v, bool is_unsigned, int64_t *n) {
  MlirAttribute a = sn_constant_of(v);
  if (!a.ptr || !mlirAttributeIsAInteger(a))
    return false;
  unsigned bits = mlirTypeIsAIndex(sn_type_of(v)) ? 64 : sn_bits(sn_type_of(v));
  *n = mlirIntegerAttrGetValueInt(a);
  if (is_unsigned && bits < 64)
    *n &= ((int64_t)1 << bits) - 1;
  return !is_unsigned || *n >= 0;
}

static MlirValue as_index(SnBuilder *b, MlirValue v, bool is_unsigned) {
  MlirType index = sn_index_type(b->ctx);
  int64_t n;
  if (is_known(v, is_unsigned, &n))
    return sn_index(b, n);
  return mlirTypeIsAIndex(sn_type_of(v)) ? v
                                         : sn(b, is_unsigned ? "arith.index_castui" : "arith.index_cast", v, index);
}

SnTurns sn_turns_of(MlirOperation loop) {
  SnBuilder b = sn_before(loop);
  bool is_unsigned = sn_get_attr(loop, "unsignedCmp").ptr != NULL;
  SnTurns t = {.type = sn_type_of(sn_operand(loop, 0)), .known = SN_DYNAMIC};
  int64_t low, high, step, most = (int64_t)1 << 40;
  bool known = is_known(sn_operand(loop, 0), is_unsigned, &low) && is_known(sn_operand(loop, 1), is_unsigned, &high) &&
               is_known(sn_operand(loop, 2), is_unsigned, &step);
  t.low = as_index(&b, sn_operand(loop, 0), is_unsigned);
  t.step = as_index(&b, sn_operand(loop, 2), is_unsigned);
  if (known && step > 0 && low >= -most && low <= most && high >= -most && high <= most) {
    t.known = high > low ? sn_pieces(high - low, step) : 0;
    t.turns = sn_index(&b, t.known);
    return t;
  }
  MlirValue end = as_index(&b, sn_operand(loop, 1), is_unsigned);
  const char *more = is_unsigned ? "arith.maxui" : "arith.maxsi";
  MlirValue length = sn(&b, "arith.subi", sn(&b, more, end, t.low), t.low);
  t.turns = sn_is_constant(t.step, 1) ? length : sn(&b, "arith.ceildivui", length, t.step);
  return t;
}

// ---- a tape ----------------------------------------------------------------------------

MlirType sn_tape_type(MlirType one, int64_t turns) {
  int64_t shape[SN_MAX_DIMS + 1] = {turns};
  bool tensor = mlirTypeIsATensor(one);
  intptr_t rank = tensor ? sn_rank(one) : 0;
  for (intptr_t p = 0; p < rank; ++p)
    shape[p + 1] = sn_dim(one, p);
  return sn_tensor(sn_element(one), rank + 1, shape);
}

// Where turn k is: operands behind so many tensors, and the attributes.
typedef struct {
  SnValueVec values;
  MlirAttribute offsets, sizes, steps, segments;
} Slot;

static Slot slot_of(SnBuilder *b, int32_t tensors, MlirValue k, MlirType one, MlirValue like) {
  intptr_t rank = sn_rank(one);
  int64_t offsets[SN_MAX_DIMS + 1] = {SN_DYNAMIC}, sizes[SN_MAX_DIMS + 1] = {1}, steps[SN_MAX_DIMS + 1] = {1};
  Slot s = {0};
  sn_push(&s.values, k);
  for (intptr_t p = 0; p < rank; ++p) {
    offsets[p + 1] = 0;
    steps[p + 1] = 1;
    sizes[p + 1] = sn_dim(one, p);
    if (sizes[p + 1] == SN_DYNAMIC)
      sn_push(&s.values, sn_emit_size(b, like, p));
  }
  int32_t segments[] = {1, 1, 1, (int32_t)s.values.size - 1, 0};
  s.segments = mlirDenseI32ArrayGet(b->ctx, 3 + tensors, segments + 2 - tensors);
  s.offsets = mlirDenseI64ArrayGet(b->ctx, rank + 1, offsets);
  s.sizes = mlirDenseI64ArrayGet(b->ctx, rank + 1, sizes);
  s.steps = mlirDenseI64ArrayGet(b->ctx, rank + 1, steps);
  return s;
}

MlirValue sn_tape_read(SnBuilder *b, MlirValue tape, MlirValue k, MlirType one, MlirValue like) {
  if (!mlirTypeIsATensor(one))
    return sn(b, "tensor.extract", tape, k, one);
  Slot s = slot_of(b, 1, k, one, like);
  MlirValue made = sn(b, "tensor.extract_slice", tape, sn_values((intptr_t)s.values.size, s.values.data), one,
                      sn_attr("static_offsets", s.offsets), sn_attr("static_sizes", s.sizes),
                      sn_attr("static_strides", s.steps),
                      sn_attr("operandSegmentSizes", s.segments));
  sn_vec_free(&s.values);
  return made;
}

static MlirValue write_turn(SnBuilder *b, MlirValue tape, MlirValue k, MlirValue v, MlirValue like) {
  MlirType t = sn_type_of(tape);
  if (!mlirTypeIsATensor(sn_type_of(v)))
    return sn(b, "tensor.insert", v, tape, k, t);
  Slot s = slot_of(b, 2, k, sn_type_of(v), like);
  MlirValue made = sn(b, "tensor.insert_slice", v, tape, sn_values((intptr_t)s.values.size, s.values.data), t,
                      sn_attr("static_offsets", s.offsets), sn_attr("static_sizes", s.sizes),
                      sn_attr("static_strides", s.steps),
                      sn_attr("operandSegmentSizes", s.segments));
  sn_vec_free(&s.values);
  return made;
}

// In front of the loop: a tape without values.
static MlirValue empty_tape(SnBuilder *b, const SnTurns *t, MlirValue init) {
  SnValueVec sizes = {0};
  MlirType one = sn_type_of(init);
  if (t->known == SN_DYNAMIC)
    sn_push(&sizes, t->turns);
  for (intptr_t p = 0; mlirTypeIsATensor(one) && p < sn_rank(one); ++p)
    if (sn_dim(one, p) == SN_DYNAMIC)
      sn_push(&sizes, sn_emit_size(b, init, p));
  MlirValue made =
      sn(b, "tensor.empty", sn_values((intptr_t)sizes.size, sizes.data), sn_tape_type(one, t->known));
  sn_vec_free(&sizes);
  return made;
}

static const char changes[] = "a loop that is differentiated changes the size of a tensor that it carries";

// The tensor that a loop goes on with has the sizes of the one that it began with.
static void assert_sizes(SnBuilder *b, MlirOperation loop, intptr_t carried, MlirValue next, MlirValue init) {
  MlirType t = sn_type_of(next);
  for (intptr_t p = 0; mlirTypeIsATensor(t) && p < sn_rank(t); ++p) {
    SnSizeParts known = sn_size_parts(sn_result(loop, carried), p);
    bool seen = sn_dim(t, p) != SN_DYNAMIC || known.parts.size;
    sn_vec_free(&known.parts);
    if (seen)
      continue;
    MlirValue same = sn(b, "arith.cmpi", sn_emit_size(b, next, p), sn_emit_size(b, init, p),
                        sn_attr("predicate", sn_i64(b->ctx, 0 /* eq */)));
    sn_op(b, "cf.assert", same,
          sn_attr("msg", sn_string(b->ctx, changes)), sn_types(0, NULL));
  }
}

// ---- loops that keep them --------------------------------------------------------------

// The loop with more carried values, its body moved there; its old results are replaced.
static MlirOperation with_more(MlirOperation loop, const SnValueVec *more) {
  SnBuilder b = sn_before(loop);
  SnValueVec operands = {0};
  SN_VEC(MlirType) types = {0};
  for (intptr_t k = 0; k < sn_num_operands(loop); ++k)
    sn_push(&operands, sn_operand(loop, k));
  for (intptr_t k = 0; k < sn_num_results(loop); ++k)
    sn_push(&types, sn_type_of(sn_result(loop, k)));
  MlirRegion regions[2] = {{0}};
  for (size_t k = 0; k < more->size; ++k) {
    sn_push(&operands, more->data[k]);
    sn_push(&types, sn_type_of(more->data[k]));
  }
  MlirOperationState state = mlirOperationStateGet(mlirIdentifierStr(mlirOperationGetName(loop)), b.loc);
  mlirOperationStateAddOperands(&state, (intptr_t)operands.size, operands.data);
  mlirOperationStateAddResults(&state, (intptr_t)types.size, types.data);
  for (intptr_t k = 0; k < mlirOperationGetNumAttributes(loop); ++k) {
    MlirNamedAttribute attr = mlirOperationGetAttribute(loop, k);
    mlirOperationStateAddAttributes(&state, 1, &attr);
  }
  intptr_t n = mlirOperationGetNumRegions(loop);
  for (intptr_t r = 0; r < n; ++r) {
    regions[r] = mlirRegionCreate();
    mlirRegionTakeBody(regions[r], mlirOperationGetRegion(loop, r));
    for (size_t k = 0; k < more->size; ++k)
      mlirBlockAddArgument(mlirRegionGetFirstBlock(regions[r]), sn_type_of(more->data[k]), b.loc);
  }
  mlirOperationStateAddOwnedRegions(&state, n, regions);
  MlirOperation made = mlirOperationCreate(&state);
  sn_insert(&b, made);
  sn_replace_results(loop, made);
  sn_vec_free(&operands);
  sn_vec_free(&types);
  return made;
}

// Values more that a block ends with.
static void yield_more(MlirBlock block, const SnValueVec *more) {
  MlirOperation end = mlirBlockGetTerminator(block);
  SnValueVec all = {0};
  for (intptr_t k = 0; k < sn_num_operands(end); ++k)
    sn_push(&all, sn_operand(end, k));
  for (size_t k = 0; k < more->size; ++k)
    sn_push(&all, more->data[k]);
  mlirOperationSetOperands(end, (intptr_t)all.size, all.data);
  sn_vec_free(&all);
}

static void keep_values(MlirOperation loop, size_t n, const SnTape *tapes) {
  SnTurns t = sn_turns_of(loop);
  SnBuilder b = sn_before(loop);
  SnValueVec empty = {0}, written = {0};
  intptr_t results = sn_num_results(loop);
  for (size_t k = 0; k < n; ++k)
    if (!sn_none(tapes[k].stands))
      sn_push(&empty, empty_tape(&b, &t, sn_operand(loop, 3 + tapes[k].carried)));
  MlirBlock body = sn_control_block(loop, 0);
  SnBuilder end = sn_before(mlirBlockGetTerminator(body));
  for (size_t k = 0; k < n; ++k)
    assert_sizes(&end, loop, tapes[k].carried, sn_operand(mlirBlockGetTerminator(body), tapes[k].carried),
                 sn_operand(loop, 3 + tapes[k].carried));
  MlirOperation made = with_more(loop, &empty);
  body = sn_control_block(made, 0);
  b = sn_at_start(body, mlirOperationGetLocation(loop));
  MlirValue turn = as_index(&b, mlirBlockGetArgument(body, 0), sn_get_attr(loop, "unsignedCmp").ptr != NULL);
  if (!sn_is_constant(t.low, 0))
    turn = sn(&b, "arith.subi", turn, t.low);
  if (!sn_is_constant(t.step, 1))
    turn = sn(&b, "arith.divui", turn, t.step);
  intptr_t tape = results;
  for (size_t k = 0; k < n; ++k) {
    MlirValue init = sn_operand(loop, 3 + tapes[k].carried);
    if (sn_none(tapes[k].stands))
      continue;
    sn_push(&written, write_turn(&b, mlirBlockGetArgument(body, 1 + tape), turn,
                                 mlirBlockGetArgument(body, 1 + tapes[k].carried), init));
    MlirOperation stood = sn_definer(tapes[k].stands);
    mlirValueReplaceAllUsesOfWith(tapes[k].stands, sn_result(made, tape++));
    mlirOperationDestroy(stood);
  }
  yield_more(body, &written);
  mlirOperationDestroy(loop);
  sn_vec_free(&empty);
  sn_vec_free(&written);
}

static void count_turns(MlirOperation loop, MlirValue stands) {
  SnBuilder b = sn_before(loop);
  SnValueVec more = {0}, next = {0};
  intptr_t results = sn_num_results(loop);
  sn_push(&more, sn_index(&b, 0));
  intptr_t inits = sn_num_operands(loop);
  // Another number of values goes in than comes out.
  MlirOperation made = with_more(loop, &more);
  MlirBlock before = sn_control_block(made, 0), after = sn_control_block(made, 1);
  sn_push(&next, mlirBlockGetArgument(before, inits));
  yield_more(before, &next);
  b = sn_before(mlirBlockGetTerminator(after));
  next.data[0] = sn(&b, "arith.addi", mlirBlockGetArgument(after, results), sn_index(&b, 1));
  yield_more(after, &next);
  MlirOperation stood = sn_definer(stands);
  mlirValueReplaceAllUsesOfWith(stands, sn_result(made, results));
  mlirOperationDestroy(stood);
  mlirOperationDestroy(loop);
  sn_vec_free(&more);
  sn_vec_free(&next);
}

void sn_tapes_keep(SnGraph *g) {
  for (size_t k = 0, n; k < g->tapes.size; k += n) {
    MlirOperation loop = g->tapes.data[k].loop;
    for (n = 1; k + n < g->tapes.size && mlirOperationEqual(g->tapes.data[k + n].loop, loop);)
      ++n;
    if (sn_is(loop, "scf.for"))
      keep_values(loop, n, g->tapes.data + k);
    else
      count_turns(loop, g->tapes.data[k].stands);
  }
  g->tapes.size = 0;
}

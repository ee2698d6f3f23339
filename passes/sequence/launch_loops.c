// launch_loops.c: which loops of the host may be loops of a launch.
//
//   %h = scf.for %t = %c0 to %c100 step %c1 iter_args(%x = %h0, %all = %e) -> (tensor<1x8xf32>, tensor<100x8xf32>) {
//     %u = tensor.extract_slice %inputs[%t, 0] [1, 8] [1, 1]
//     %y = sinter.contract ... (%x ..., %u ...) outs(%d[i, j])
//     %r = tensor.insert_slice %y into %all[%t, 0] [1, 8] [1, 1]
//     scf.yield %y, %r
//   }
//
// What it computes of nothing that a turn makes goes in front of it. What it yields is carried in the shape in which a
// form makes it: reshapes are around the loop, and at its begin. A form that makes what is put into a slice stores it
// there itself: its destination is the slice. Where it is needed elsewhere, too, or is carried twice, the form stores
// it twice.
//
// Steps of a recurrent network are such a loop, and layers whose weights are slices of one tensor.
//
// test: test/passes/sequence/loops.mlir

#include "passes/sequence/launch_loops.h"
#include "capi/form.h"
#include "dialect/steps.h"

enum {
  ALIGNED = 16,       // bytes that a kernel takes memory to begin at multiples of: loads of vectors
  MOST_CARRIED = 256, // tensors, each of three memories
};

bool sn_is_static(MlirOperation op) {
  for (intptr_t k = 0; k < sn_num_operands(op); ++k)
    if (!mlirTypeIsARankedTensor(sn_type_of(sn_operand(op, k))) ||
        !mlirShapedTypeHasStaticShape(sn_type_of(sn_operand(op, k))))
      return false;
  for (intptr_t k = 0; k < sn_num_results(op); ++k)
    if (!mlirShapedTypeHasStaticShape(sn_type_of(sn_result(op, k))))
      return false;
  return sn_num_results(op) > 0;
}

bool sn_is_joinable_form(MlirOperation op) { return (sn_is_form(op) || sn_is_steps(op)) && sn_is_static(op); }

static MlirBlock body_of(MlirOperation loop) { return mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0)); }

size_t sn_loop_kernels(MlirOperation op) {
  SnSequenceLoop loop;
  size_t n = 0;
  if (!sn_loop_read(op, &loop))
    return 0;
  for (MlirOperation o = mlirBlockGetFirstOperation(body_of(op)); !sn_null(o); o = mlirOperationGetNextInBlock(o))
    n += sn_is_form(o) || sn_is_steps(o);
  return n * (size_t)(loop.turns > 1 ? 2 : 1);
}

// ---- what can be in front ---------------------------------------------------------------------

static bool is_of_turn(MlirOperation op, MlirBlock body) {
  for (intptr_t k = 0; k < sn_num_operands(op); ++k) {
    MlirValue v = sn_operand(op, k);
    MlirBlock block =
        mlirValueIsABlockArgument(v) ? mlirBlockArgumentGetOwner(v) : mlirOperationGetBlock(mlirOpResultGetOwner(v));
    if (mlirBlockEqual(block, body))
      return true;
  }
  return false;
}

static void move_constants(MlirOperation loop) {
  SnBuilder b = sn_before(loop);
  SnMap none = {0};
  MlirBlock body = body_of(loop);
  for (MlirOperation op = mlirBlockGetFirstOperation(body), next; !sn_null(op); op = next) {
    next = mlirOperationGetNextInBlock(op);
    bool is = sn_is(op, "arith.constant") || sn_is(op, "tensor.empty") || sn_is(op, "tensor.dim");
    if (is && !is_of_turn(op, body))
      sn_move(&b, op, &none);
  }
  sn_map_free(&none);
}

// ---- what is carried in another shape -----------------------------------------------------------

static MlirValue reshape(SnBuilder *b, MlirOperation like, MlirValue v) {
  MlirType t = sn_type_of(sn_result(like, 0));
  SnAttr groups = sn_attr("reassociation", sn_get_attr(like, "reassociation"));
  return sn_is(like, "tensor.collapse_shape")
             ? sn(b, "tensor.collapse_shape", v, t, groups)
             : sn(b, "tensor.expand_shape", v, t, groups,
                  sn_attr("static_output_shape", sn_get_attr(like, "static_output_shape")));
}

static MlirValue reshape_back(SnBuilder *b, MlirOperation like, MlirValue v) {
  MlirType t = sn_type_of(sn_operand(like, 0));
  SnAttr groups = sn_attr("reassociation", sn_get_attr(like, "reassociation"));
  int64_t shape[SN_MAX_DIMS];
  for (intptr_t d = 0; d < sn_rank(t); ++d)
    shape[d] = sn_dim(t, d);
  return sn_is(like, "tensor.expand_shape")
             ? sn(b, "tensor.collapse_shape", v, t, groups)
             : sn(b, "tensor.expand_shape", v, t, groups,
                  sn_attr("static_output_shape", mlirDenseI64ArrayGet(b->ctx, sn_rank(t), shape)));
}

static void use_reshaped(MlirValue v, MlirOperation like, SnBuilder b) {
  MlirType made = sn_type_of(sn_operand(like, 0));
  mlirValueSetType(v, made);
  MlirValue as = reshape(&b, like, v);
  mlirValueReplaceAllUsesExcept(v, as, 1, (MlirOperation[]){sn_definer(as)});
}

static bool is_reshape(MlirOperation op) {
  return (sn_is(op, "tensor.expand_shape") || sn_is(op, "tensor.collapse_shape")) && sn_is_static(op) &&
         sn_rank(sn_type_of(sn_operand(op, 0))) <= SN_MAX_DIMS;
}

// %v: tensor<1x8xf32>, yielded as tensor.expand_shape of a form's tensor<8xf32>: that is carried.
static void carry_as_made(MlirOperation loop) {
  MlirBlock body = body_of(loop);
  MlirOperation yield = mlirBlockGetTerminator(body), view;
  for (intptr_t k = 0; k < sn_num_results(loop); ++k)
    while (view = sn_definer(sn_operand(yield, k)),
           is_reshape(view) && mlirBlockEqual(mlirOperationGetBlock(view), body)) {
      MlirValue begin = sn_operand(loop, 3 + k);
      MlirOperation made = sn_definer(begin);
      SnBuilder before = sn_null(made) ? sn_at_start(mlirBlockArgumentGetOwner(begin), mlirOperationGetLocation(loop))
                                       : sn_after(made);
      mlirOperationSetOperand(loop, 3 + k, reshape_back(&before, view, begin));
      mlirOperationSetOperand(yield, k, sn_operand(view, 0));
      use_reshaped(mlirBlockGetArgument(body, k + 1), view, sn_at_start(body, mlirOperationGetLocation(view)));
      use_reshaped(sn_result(loop, k), view, sn_after(loop));
    }
  sn_erase_dead(body);
}

// ---- slices that are stored -------------------------------------------------------------------

// The slice where it is put, as a destination in front of the form.
static MlirValue destination(MlirOperation form, MlirOperation insert) {
  SnBuilder b = sn_before(form);
  SnValueVec operands = {0};
  for (intptr_t k = 1; k < sn_num_operands(insert); ++k)
    sn_push(&operands, sn_operand(insert, k));
  static const char *const names[] = {"static_offsets", "static_sizes", "static_strides"};
  MlirValue slice = sn(&b, "tensor.extract_slice", sn_values((intptr_t)operands.size, operands.data),
                       sn_type_of(sn_operand(insert, 0)), sn_attr(names[0], sn_get_attr(insert, names[0])),
                       sn_attr(names[1], sn_get_attr(insert, names[1])),
                       sn_attr(names[2], sn_get_attr(insert, names[2])),
                       sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b.ctx, 4, (int32_t[]){1, 1, 0, 0})));
  sn_vec_free(&operands);
  return slice;
}

// The same form with a second destination for its result `r`, which is its last result. Null where no body yields it.
static MlirOperation store_twice(MlirOperation op, intptr_t r, MlirValue to) {
  SnForm f = sn_form_read(op);
  if (sn_is_reduced(&f, (size_t)r) || f.finish.ptr || f.accumulators.size) {
    sn_form_free(&f);
    return (MlirOperation){0};
  }
  MlirBlock old = f.body;
  MlirOperation yield = mlirBlockGetTerminator(old);
  SnAccess more = f.outputs.data[r];
  more.value = to;
  sn_push(&f.outputs, more);
  SnValueVec yields = {0};
  for (intptr_t k = 0; k < sn_num_operands(yield); ++k)
    sn_push(&yields, sn_operand(yield, k));
  sn_push(&yields, sn_operand(yield, (intptr_t)sn_output_position(&f, (size_t)r)));
  mlirOperationSetOperands(yield, (intptr_t)yields.size, yields.data);
  sn_vec_free(&yields);
  SnBuilder b = sn_before(op);
  MlirOperation form = sn_form_create(&b, &f, false);
  sn_move_block(old, f.body);
  sn_replace_results(op, form);
  mlirOperationDestroy(op);
  sn_form_free(&f);
  return form;
}

// Whoever reads a slice that the loop stores, or all of it, needs what was there before.
static bool is_carried_alone(MlirOperation insert) {
  MlirValue whole = sn_operand(insert, 1), result = sn_result(insert, 0);
  MlirBlock body = mlirOperationGetBlock(insert);
  MlirOperation yield = mlirBlockGetTerminator(body);
  if (!mlirValueIsABlockArgument(whole) || !mlirBlockEqual(mlirBlockArgumentGetOwner(whole), body) ||
      !sn_one_use(whole) || !sn_one_use(result))
    return false;
  intptr_t k = mlirBlockArgumentGetArgNumber(whole) - 1;
  return k >= 0 && k < sn_num_operands(yield) && sn_same(sn_operand(yield, k), result);
}

static void store_slices(MlirOperation op) {
  SnSequenceLoop loop;
  MlirBlock body = body_of(op);
  if (!sn_loop_read(op, &loop))
    return;
  for (MlirOperation o = mlirBlockGetFirstOperation(body), next; !sn_null(o); o = next) {
    next = mlirOperationGetNextInBlock(o);
    SnSlice slice;
    if (!sn_is(o, "tensor.insert_slice") || !sn_slice_read(o, &loop, &slice) || !is_carried_alone(o))
      continue;
    MlirValue made = sn_operand(o, 0);
    MlirOperation form = sn_definer(made);
    if (!sn_is_form(form) || !mlirBlockEqual(mlirOperationGetBlock(form), body))
      continue;
    intptr_t r = mlirOpResultGetResultNumber(made);
    if (sn_one_use(made)) {
      mlirOperationSetOperand(form, sn_num_operands(form) - sn_num_results(form) + r, destination(form, o));
      continue;
    }
    MlirOperation twice = store_twice(form, r, destination(form, o));
    if (!sn_null(twice))
      mlirOperationSetOperand(o, 0, sn_result(twice, sn_num_results(twice) - 1));
  }
  sn_erase_dead(body);
}

static bool is_one_of(MlirValue v, MlirOperation yield, intptr_t n) {
  for (intptr_t i = 0; i < n; ++i)
    if (sn_same(v, sn_operand(yield, i)))
      return true;
  return false;
}

// One value that is carried in two places has two memories, and so two destinations.
static void carry_once(MlirOperation loop) {
  MlirBlock body = body_of(loop);
  MlirOperation yield = mlirBlockGetTerminator(body);
  for (intptr_t k = 0; k < sn_num_results(loop); ++k) {
    MlirValue made = sn_operand(yield, k);
    MlirOperation form = sn_definer(made);
    if (!is_one_of(made, yield, k) || !sn_is_form(form) || !sn_is_static(form) ||
        !mlirBlockEqual(mlirOperationGetBlock(form), body))
      continue;
    MlirType t = sn_type_of(made);
    SnBuilder before = sn_before(loop);
    MlirOperation twice =
        store_twice(form, mlirOpResultGetResultNumber(made), sn(&before, "tensor.empty", sn_values(0, NULL), t));
    if (!sn_null(twice))
      mlirOperationSetOperand(yield, k, sn_result(twice, sn_num_results(twice) - 1));
  }
}

void sn_loop_prepare(MlirOperation loop) {
  move_constants(loop);
  carry_as_made(loop);
  carry_once(loop);
  store_slices(loop);
}

// ---- what can be joined -----------------------------------------------------------------------

static bool is_aligned(const SnSequenceLoop *loop, MlirOperation op) {
  SnSlice slice;
  MlirType t = sn_type_of(sn_operand(op, sn_is(op, "tensor.insert_slice")));
  if (!sn_slice_read(op, loop, &slice) || mlirTypeIsAIndex(sn_element(t)) || sn_bits(sn_element(t)) % 8)
    return false;
  int64_t bytes = sn_times(slice.inner, sn_bits(sn_element(t)) / 8);
  return sn_times(bytes, loop->step) % ALIGNED == 0 && sn_times(bytes, loop->from) % ALIGNED == 0;
}

// By the form itself: its destination is the slice.
static bool is_stored(MlirOperation insert) {
  MlirOperation form = sn_definer(sn_operand(insert, 0));
  return !sn_null(form) && (sn_is_form(form) || sn_is_steps(form)) &&
         mlirBlockEqual(mlirOperationGetBlock(form), mlirOperationGetBlock(insert)) &&
         !sn_null(sn_def(sn_destination(sn_operand(insert, 0)), "tensor.extract_slice"));
}

bool sn_loop_is_joinable(MlirOperation op, int64_t most, bool (*form)(MlirOperation op, const void *user),
                         const void *user) {
  SnSequenceLoop loop;
  if (!sn_is(op, "scf.for"))
    return false;
  if (!sn_loop_read(op, &loop))
    return sn_no(op, "is no loop of a launch: its bounds are not constants");
  if (sn_num_results(op) > MOST_CARRIED)
    return sn_no(op, "is no loop of a launch: it carries %td tensors, at most %d", sn_num_results(op), MOST_CARRIED);
  MlirBlock body = body_of(op);
  MlirOperation yield = mlirBlockGetTerminator(body);
  size_t forms = 0;
  for (intptr_t k = 0; k < sn_num_results(op); ++k) {
    MlirType t = sn_type_of(sn_result(op, k));
    MlirValue v = sn_operand(yield, k);
    MlirOperation made = sn_definer(v);
    bool is_form = !sn_null(made) && (sn_is_form(made) || sn_is_steps(made) || sn_is(made, "tensor.insert_slice")) &&
                   mlirBlockEqual(mlirOperationGetBlock(made), body);
    if (!mlirTypeIsARankedTensor(t) || !mlirShapedTypeHasStaticShape(t) || !is_form || is_one_of(v, yield, k))
      return sn_no(op, "is no loop of a launch: what it carries in place %td is no tensor of known sizes that a kernel "
                       "in it makes, or is carried twice", k);
  }
  for (MlirOperation o = mlirBlockGetFirstOperation(body); !mlirOperationEqual(o, yield);
       o = mlirOperationGetNextInBlock(o)) {
    bool works = sn_is_form(o) || sn_is_steps(o);
    if (works && (sn_is_in_place(o) || !form(o, user)))
      return sn_no(o, "keeps its loop from being one of a launch: its sizes are not known, it stores in place, or it "
                      "is a launch by itself");
    if (sn_is_slice(o) && !is_aligned(&loop, o))
      return sn_no(o, "keeps its loop from being one of a launch: it is not a turn's part of dimension 0, of whole "
                      "vectors of %d bytes", ALIGNED);
    if (sn_is(o, "tensor.insert_slice") && !is_stored(o))
      return sn_no(o, "keeps its loop from being one of a launch: no kernel can store there what it makes");
    if (!works && !sn_is_slice(o) && !(sn_is_view(o) && sn_is_static(o)))
      return sn_no(o, "keeps its loop from being one of a launch: it is the host's");
    forms += works;
  }
  if (sn_times(loop.turns, (int64_t)forms) > most)
    return sn_no(op, "is no loop of a launch: it begins %lld kernels, at most %lld",
                 (long long)sn_times(loop.turns, (int64_t)forms), (long long)most);
  return forms > 0;
}

// host_numbers.c: numbers of the host's code that are differentiated become tensors of rank 0.
//
//   %v = tensor.extract %x[%i]                        %v = tensor.extract_slice %x[%i] [1] [1] : ... to tensor<f32>
//   %q = math.exp %v : f32                            %q = math.exp %v : tensor<f32>
//   %y = scf.for ... iter_args(%a = %q) -> f32   ->   %y = scf.for ... iter_args(%a = %q) -> tensor<f32>
//   %t = tensor.insert %y into %z[%i]                 %t = tensor.insert_slice %y into %z[%i] [1] [1]
//
// Gradients go through tensors. A number that does not depend on what they are by stays what it is; what needs a number
// (a condition, a subscript) takes it out of the tensor.
//
// runs in: differentiate    test: test/passes/differentiate/host_numbers.mlir, test/run/number_gradients.test

#include "capi/shim.h"
#include "passes/differentiate/graph.h"
#include "passes/differentiate/reach.h"
#include "passes/program/elements.h"

static bool is_number(MlirType t) { return sn_is_float(t) || sn_is_int(t); }
static MlirType of_rank_0(MlirType number) { return sn_tensor(number, 0, NULL); }

// ---- the tensor of a number, and the number in a tensor ---------------------------------

static MlirValue tensor_of(SnBuilder *b, MlirValue number) {
  MlirAttribute constant = sn_constant_of(number);
  MlirOperation extract = sn_def(number, "tensor.extract");
  MlirType t = of_rank_0(sn_type_of(number));
  if (constant.ptr)
    return sn_splat(b, t, constant);
  if (!sn_null(extract) && !sn_rank(sn_type_of(sn_operand(extract, 0))))
    return sn_operand(extract, 0);
  return sn(b, "tensor.from_elements", number, t);
}

static MlirValue number_in(SnBuilder *b, MlirValue tensor) {
  return sn(b, "tensor.extract", tensor, sn_element(sn_type_of(tensor)));
}

void sn_become_tensor(SnBuilder b, MlirValue v) {
  mlirValueSetType(v, of_rank_0(sn_type_of(v)));
  MlirValue number = number_in(&b, v);
  MlirOperation extract = sn_definer(number);
  mlirValueReplaceAllUsesExcept(v, number, 1, &extract);
}

// A slice of one element: of x, or what goes into x, at subscripts.
static MlirValue one_element(SnBuilder *b, MlirValue put, MlirValue x, intptr_t rank, const MlirValue *at) {
  SnValueVec all = {0};
  int64_t offsets[SN_MAX_DIMS], ones[SN_MAX_DIMS];
  if (!sn_none(put))
    sn_push(&all, put);
  sn_push(&all, x);
  for (intptr_t p = 0; p < rank; ++p) {
    sn_push(&all, at[p]);
    offsets[p] = SN_DYNAMIC;
    ones[p] = 1;
  }
  int32_t segments[] = {1, 1, (int32_t)rank, 0, 0}, tensors = sn_none(put) ? 1 : 2;
  MlirType t = sn_type_of(x);
  MlirValue made =
      sn(b, sn_none(put) ? "tensor.extract_slice" : "tensor.insert_slice", sn_values((intptr_t)all.size, all.data),
         sn_none(put) ? of_rank_0(sn_element(t)) : t,
         sn_attr("static_offsets", mlirDenseI64ArrayGet(b->ctx, rank, offsets)),
         sn_attr("static_sizes", mlirDenseI64ArrayGet(b->ctx, rank, ones)),
         sn_attr("static_strides", mlirDenseI64ArrayGet(b->ctx, rank, ones)),
         sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b->ctx, 3 + tensors, segments + 2 - tensors)));
  sn_vec_free(&all);
  return made;
}

// ---- operations ------------------------------------------------------------------------

// The last `n` operands of an op, which are subscripts.
static const MlirValue *subscripts(MlirOperation op, intptr_t n, MlirValue *to) {
  for (intptr_t p = 0; p < n; ++p)
    to[p] = sn_operand(op, sn_num_operands(op) - n + p);
  return to;
}

static MlirValue extract(SnBuilder *b, MlirOperation op) {
  MlirValue x = sn_operand(op, 0), at[SN_MAX_DIMS];
  intptr_t rank = sn_rank(sn_type_of(x));
  return rank ? number_in(b, one_element(b, (MlirValue){0}, x, rank, subscripts(op, rank, at))) : (MlirValue){0};
}

static MlirValue insert(SnBuilder *b, MlirOperation op) {
  MlirValue v = tensor_of(b, sn_operand(op, 0)), x = sn_operand(op, 1), at[SN_MAX_DIMS];
  intptr_t rank = sn_rank(sn_type_of(x));
  return rank ? one_element(b, v, x, rank, subscripts(op, rank, at)) : v;
}

static MlirValue from_elements(SnBuilder *b, MlirOperation op) {
  MlirType t = sn_type_of(sn_result(op, 0));
  intptr_t rank = sn_rank(t);
  if (!rank)
    return tensor_of(b, sn_operand(op, 0));
  MlirValue made = sn(b, "tensor.empty", t), at[SN_MAX_DIMS];
  for (intptr_t k = 0; k < sn_num_operands(op); ++k) {
    int64_t left = k;
    for (intptr_t p = rank; p-- > 0; left /= sn_dim(t, p))
      at[p] = sn_index(b, left % sn_dim(t, p));
    made = one_element(b, tensor_of(b, sn_operand(op, k)), made, rank, at);
  }
  return made;
}

// On numbers alone, with a float or a condition for a result: the same on tensors.
static MlirValue elementwise(SnBuilder *b, MlirOperation op) {
  MlirType t = sn_type_of(sn_result(op, 0));
  if (sn_num_results(op) != 1 || !sn_shim_is_elementwise(op) || !is_number(t) || !(sn_is_float(t) || sn_bits(t) == 1))
    return (MlirValue){0};
  SnValueVec operands = {0};
  for (intptr_t k = 0; k < sn_num_operands(op); ++k)
    sn_push(&operands, tensor_of(b, sn_operand(op, k)));
  MlirType made = of_rank_0(t);
  MlirOperation copy = sn_clone_as(b, op, sn_values((intptr_t)operands.size, operands.data), sn_types(1, &made));
  sn_vec_free(&operands);
  return number_in(b, sn_result(copy, 0));
}

static void take(MlirOperation op) {
  SnBuilder b = sn_before(op);
  MlirValue made = sn_is(op, "tensor.extract")         ? extract(&b, op)
                   : sn_is(op, "tensor.insert")        ? insert(&b, op)
                   : sn_is(op, "tensor.from_elements") ? from_elements(&b, op)
                                                       : elementwise(&b, op);
  if (sn_none(made))
    return;
  mlirValueReplaceAllUsesOfWith(sn_result(op, 0), made);
  mlirOperationDestroy(op);
}

// ---- loops and branches ----------------------------------------------------------------

static void set_tensor(MlirOperation op, intptr_t operand) {
  SnBuilder b = sn_before(op);
  mlirOperationSetOperand(op, operand, tensor_of(&b, sn_operand(op, operand)));
}

static bool is_taken(const SnReach *r, MlirValue v) { return sn_is_float(sn_type_of(v)) && sn_is_reached(r, v); }

static void take_argument(const SnReach *r, MlirBlock block, intptr_t k, MlirLocation loc) {
  if (is_taken(r, mlirBlockGetArgument(block, k)))
    sn_become_tensor(sn_at_start(block, loc), mlirBlockGetArgument(block, k));
}

// Values that are reached go in and out as tensors.
static void take_control(const SnReach *r, MlirOperation op) {
  MlirLocation loc = mlirOperationGetLocation(op);
  bool loop = sn_is(op, "scf.for"), branch = sn_is(op, "scf.if");
  MlirBlock first = sn_control_block(op, 0), second = loop ? first : sn_control_block(op, 1);
  MlirOperation end = mlirBlockGetTerminator(first), other = mlirBlockGetTerminator(second);
  for (intptr_t k = 0; !loop && !branch && k < sn_num_operands(op); ++k)
    if (is_taken(r, mlirBlockGetArgument(first, k))) {
      set_tensor(op, k);
      set_tensor(other, k);
      take_argument(r, first, k, loc);
    }
  for (intptr_t k = 0; k < sn_num_results(op); ++k) {
    if (!is_taken(r, sn_result(op, k)))
      continue;
    set_tensor(end, !loop && !branch ? 1 + k : k);
    if (loop)
      set_tensor(op, 3 + k);
    else if (branch)
      set_tensor(other, k);
    if (!branch)
      take_argument(r, second, loop + k, loc);
    sn_become_tensor(sn_after(op), sn_result(op, k));
  }
}

// ---- a function ------------------------------------------------------------------------

typedef struct {
  SnReach r;
  SnOpVec control, others;
} Found;

static MlirWalkResult look(MlirOperation op, void *user) {
  Found *f = user;
  bool closed, any = false, number = false;
  intptr_t n = sn_graph_reads(op, &closed);
  for (intptr_t k = 0; k < n; ++k)
    any |= sn_is_reached(&f->r, sn_operand(op, k));
  for (intptr_t k = 0; k < n + sn_num_results(op); ++k)
    number |= is_number(sn_type_of(k < n ? sn_operand(op, k) : sn_result(op, k - n)));
  if (sn_is_control(op)) {
    sn_push(&f->control, op);
    return MlirWalkResultAdvance;
  }
  if (any && number && sn_num_results(op) && !closed && !mlirOperationGetNumRegions(op))
    sn_push(&f->others, op);
  // What other bodies compute with are no numbers of the host's.
  return sn_is(op, "func.func") ? MlirWalkResultAdvance : MlirWalkResultSkip;
}

static Found find(MlirOperation func) {
  Found f = {.r = sn_reach_of(func)};
  mlirOperationWalk(func, look, &f, MlirWalkPreOrder);
  return f;
}

static void found_free(Found *f) {
  sn_table_free(&f->r.values);
  sn_vec_free(&f->control);
  sn_vec_free(&f->others);
}

bool sn_take_numbers(MlirOperation func) {
  Found f = find(func);
  for (size_t k = 0; k < f.control.size; ++k)
    take_control(&f.r, f.control.data[k]);
  found_free(&f);
  f = find(func); // what loops and branches read is new
  bool any = f.others.size;
  for (size_t k = 0; k < f.others.size; ++k) // each behind what it reads
    take(f.others.data[k]);
  found_free(&f);
  return any;
}

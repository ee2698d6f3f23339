// destinations.c: what an operation of linalg writes is nobody else's, and what many read is read by each alone.
//
//   %e = tensor.empty() : tensor<4x8xf32>
//   %z = linalg.fill ins(%f0 : f32) outs(%e)
//   %a = linalg.matmul ins(%x, %y) outs(%z)
//   %b = linalg.matmul ins(%a, %y) outs(%z)
//   ->
//   %e0 = tensor.empty()   %z0 = linalg.fill ins(%f0) outs(%e0)   %a = linalg.matmul ins(%x, %y) outs(%z0)
//   %e1 = tensor.empty()   %z1 = linalg.fill ins(%f0) outs(%e1)   %b = linalg.matmul ins(%a, %y) outs(%z1)
//
// Exporters and CSE make one such value for all operations of a size. Bufferization then asks of each of them what it
// shares with all others, which takes more than the square of their number; and a copy of what was filled once costs
// more than filling again. Where the operation does not read what it was given to write, it gets an empty one.
//
//   %a = linalg.add ins(%x, %u) ...                %m = bufferization.to_buffer %u read_only
//   %b = linalg.add ins(%a, %u) ...      ->        %u0 = bufferization.to_tensor %m restrict
//   ...                                            %a = linalg.add ins(%x, %u0) ...    ...
//
// So are the readers of a tensor asked of one another. Where all that is done to it is reading, nobody writes its
// buffer, and each may know it alone; `restrict` says less than it should then, but it is about who writes.
//
//   scf.for ... iter_args(%a = %x) { ... scf.yield %n }
//   ->
//   scf.for ... iter_args(%a = %x) { ... %m = bufferization.materialize_in_destination %n in %a   scf.yield %m }
//
// What a loop hands on lies where it lay the time before, if it is as long: bufferization does not make it so.
//
// runs in: sinter-cpu, sinter-gpu    test: test/lowering/host_destinations.mlir, test/run/loops.mlir

#include "lowering/host/host.h"
#include "lowering/host/host_sizes.h"
#include "lowering/host/written_places.h"

static bool is_new(MlirOperation op) {
  return sn_is(op, "tensor.empty") || (sn_is(op, "linalg.fill") && sn_num_results(op) == 1 &&
                                       !sn_null(sn_def(sn_operand(op, sn_num_operands(op) - 1), "tensor.empty")));
}

static MlirValue made_again(SnBuilder *b, MlirOperation op) {
  SnMap none = {0};
  MlirOperation copy = sn_clone(b, op, &none);
  sn_map_free(&none);
  return sn_result(copy, 0);
}

// Whether an operation gives back what it writes: its last operands. linalg.index and others in bodies do not.
static bool gives_written(MlirOperation op) {
  intptr_t results = sn_in_dialect(op, "linalg") ? sn_num_results(op) : 0;
  return results && results <= sn_num_operands(op);
}
static intptr_t first_written(MlirOperation op) { return sn_num_operands(op) - sn_num_results(op); }

// Whether the payload may read operand k, which is written.
static bool reads_before(MlirOperation op, intptr_t k) {
  if (mlirOperationGetNumRegions(op) != 1)
    return true;
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  return !body.ptr || mlirBlockGetNumArguments(body) != sn_num_operands(op) ||
         !mlirOpOperandIsNull(mlirValueGetFirstUse(mlirBlockGetArgument(body, k)));
}

static MlirWalkResult own_destinations(MlirOperation op, void *user) {
  if (!gives_written(op))
    return MlirWalkResultAdvance;
  for (intptr_t k = first_written(op); k < sn_num_operands(op); ++k) {
    MlirValue v = sn_operand(op, k);
    MlirOperation maker = sn_definer(v);
    if (sn_null(maker) || sn_one_use(v) || !is_new(maker))
      continue;
    bool filled = sn_is(maker, "linalg.fill");
    MlirOperation empty = filled ? sn_definer(sn_operand(maker, sn_num_operands(maker) - 1)) : maker;
    SnBuilder b = sn_before(op);
    MlirValue own = made_again(&b, empty);
    if (filled && reads_before(op, k)) {
      MlirValue fill = made_again(&b, maker);
      mlirOperationSetOperand(sn_definer(fill), sn_num_operands(maker) - 1, own);
      own = fill;
    }
    mlirOperationSetOperand(op, k, own);
  }
  return MlirWalkResultAdvance;
}

// ---- readers ----------------------------------------------------------------------------------

enum { MANY = 16 }; // fewer readers are asked of one another in no time

// Whether more than MANY operations of linalg read a value, and nothing else is done to it.
static bool has_many_readers(MlirValue v) {
  int n = 0;
  for (MlirOpOperand use = mlirValueGetFirstUse(v); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    if (!gives_written(op) || mlirOpOperandGetOperandNumber(use) >= first_written(op))
      return false;
    ++n;
  }
  return n > MANY;
}

static void read_alone(SnBuilder *b, MlirValue v) {
  MlirType t = sn_type_of(v);
  if (!mlirTypeIsARankedTensor(t) || !has_many_readers(v))
    return;
  SN_VEC(MlirOpOperand) uses = {0};
  for (MlirOpOperand use = mlirValueGetFirstUse(v); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    sn_push(&uses, use);
  MlirAttribute yes = sn_unit(b->ctx);
  MlirValue buffer = sn(b, "bufferization.to_buffer", v, sn_memref_like(t, sn_element(t)), sn_attr("read_only", yes));
  for (size_t k = 0; k < uses.size; ++k) {
    MlirOperation op = mlirOpOperandGetOwner(uses.data[k]);
    SnBuilder reader = sn_before(op);
    MlirValue own = sn(&reader, "bufferization.to_tensor", buffer, t, sn_attr("restrict", yes));
    mlirOperationSetOperand(op, mlirOpOperandGetOperandNumber(uses.data[k]), own);
  }
  sn_vec_free(&uses);
}

// Arguments, and what operations of linalg write to memory of their own: no layout but the plain one.
static MlirWalkResult own_readings(MlirOperation op, void *user) {
  if (sn_is(op, "func.func") && sn_function_body(op).ptr) {
    MlirBlock body = sn_function_body(op);
    SnBuilder b = sn_at_start(body, mlirOperationGetLocation(op));
    for (intptr_t k = 0; k < mlirBlockGetNumArguments(body); ++k)
      read_alone(&b, mlirBlockGetArgument(body, k));
  } else if (gives_written(op)) {
    SnBuilder b = sn_after(op);
    for (intptr_t k = 0; k < sn_num_results(op); ++k) {
      MlirOperation destination = sn_definer(sn_operand(op, first_written(op) + k));
      if (!sn_null(destination) && is_new(destination))
        read_alone(&b, sn_result(op, k));
    }
  }
  return MlirWalkResultAdvance;
}

// ---- loops ------------------------------------------------------------------------------------

static MlirOperation end_of(MlirOperation op, intptr_t region) {
  return mlirBlockGetTerminator(mlirRegionGetFirstBlock(mlirOperationGetRegion(op, region)));
}

static MlirValue argument_size(SnSizes *s, MlirValue argument, intptr_t dim) {
  return sn(&s->b, "tensor.dim", argument, sn_index(&s->b, dim), sn_index_type(s->b.ctx));
}

// Both are as long as one another, whatever the arguments are.
static bool as_long(SnSizes *s, MlirValue v, MlirValue w) {
  MlirType t = sn_type_of(v);
  if (!mlirTypeEqual(t, sn_type_of(w)))
    return false;
  for (intptr_t d = 0; d < sn_rank(t); ++d) {
    MlirValue n = sn_size_of(s, v, d), m = sn_size_of(s, w, d);
    if (sn_none(n) || sn_none(m) || !sn_size_same(n, m))
      return false;
  }
  return true;
}

// What operations have made the value of, one writing where the one before did: an argument of a block. None: nothing
// that is known, or one thing by one branch and another by the other.
static MlirValue place_of(SnSizes *s, MlirValue v) {
  for (MlirOperation op; !sn_null(op = sn_definer(v));) {
    intptr_t k = mlirOpResultGetResultNumber(v);
    if (gives_written(op)) {
      v = sn_operand(op, first_written(op) + k);
    } else if (sn_is(op, "tensor.insert") || sn_is(op, "tensor.insert_slice")) {
      v = sn_operand(op, 1);
    } else if (sn_is(op, "scf.for") && as_long(s, sn_operand(op, 3 + k), v)) { // what it hands on lies where it began
      v = sn_operand(op, 3 + k);
    } else if (sn_is(op, "scf.while") && k < sn_num_operands(op) && as_long(s, sn_operand(op, k), v)) {
      v = sn_operand(op, k);
    } else if (sn_is(op, "scf.forall")) {
      v = sn_operand(op, sn_num_operands(op) - sn_num_results(op) + k);
    } else if (sn_is(op, "scf.if")) {
      MlirValue one = place_of(s, sn_operand(end_of(op, 0), k)), other = place_of(s, sn_operand(end_of(op, 1), k));
      return !sn_none(one) && !sn_none(other) && sn_same(one, other) ? one : (MlirValue){0};
    } else {
      return (MlirValue){0};
    }
  }
  return v;
}

// Which argument of the block that is; -1: none of its.
static intptr_t number_in(MlirBlock block, MlirValue place) {
  return !sn_none(place) && mlirBlockEqual(mlirBlockArgumentGetOwner(place), block)
             ? mlirBlockArgumentGetArgNumber(place)
             : -1;
}

// The value lies where another argument of the block did, which is handed on, too.
static bool lies_in_another(SnSizes *s, MlirValue v, MlirBlock block, intptr_t argument) {
  intptr_t number = number_in(block, place_of(s, v));
  return number >= 0 && number != argument;
}

static bool has_to_move(SnSizes *s, MlirValue v, MlirValue place) {
  if (!mlirTypeIsARankedTensor(sn_type_of(v)) || !as_long(s, v, place))
    return false;
  MlirValue there = place_of(s, v);
  return sn_none(there) || !sn_same(there, place);
}

// What is handed on as number `k` may lie where another one is written: what a branch gives is no copy, so it may lie
// where either has it.
static bool is_written_over(SnSizes *s, MlirValue v, MlirBlock block, intptr_t argument, intptr_t k, intptr_t n,
                            const bool *moves) {
  MlirOperation op = sn_definer(v);
  if (sn_null(op) || !(sn_is(op, "scf.if") || sn_is(op, "scf.index_switch") || sn_is(op, "scf.execute_region"))) {
    intptr_t w = number_in(block, place_of(s, v)) - argument;
    return w >= 0 && w < n && w != k && moves[w];
  }
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); ++r) {
    MlirOperation end = end_of(op, r);
    if (sn_is(end, "scf.yield") && is_written_over(s, sn_operand(end, mlirOpResultGetResultNumber(v)), block, argument,
                                                   k, n, moves))
      return true;
  }
  return false;
}

// Operands of a block's end, from `first` on, go where its arguments from `argument` on are: those that lie in others'
// places by a copy, before anything is written. So do operands that have no such place (scf.condition may hand on more
// than the loop began with), if what they lie in is written.
static void hand_on(SnSizes *s, MlirBlock block, intptr_t first, intptr_t argument) {
  MlirOperation end = mlirBlockGetTerminator(block);
  SnBuilder b = sn_before(end);
  intptr_t n = mlirBlockGetNumArguments(block) - argument, all = sn_num_operands(end) - first;
  n = n < all ? n : all;
  SN_VEC(bool) moves = {0};
  for (intptr_t k = 0; k < n; ++k)
    sn_push(&moves, has_to_move(s, sn_operand(end, first + k), mlirBlockGetArgument(block, argument + k)));
  for (intptr_t k = 0; k < all; ++k) {
    MlirValue v = sn_operand(end, first + k);
    int32_t segments[] = {0, 1, 0};
    if ((k < n && moves.data[k] && lies_in_another(s, v, block, argument + k)) ||
        (mlirTypeIsARankedTensor(sn_type_of(v)) && is_written_over(s, v, block, argument, k, n, moves.data)))
      mlirOperationSetOperand(end, first + k,
                              sn(&b, "bufferization.alloc_tensor", v, sn_type_of(v),
                                 sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b.ctx, 3, segments))));
  }
  for (intptr_t k = 0; k < n; ++k) {
    MlirValue v = sn_operand(end, first + k), place = mlirBlockGetArgument(block, argument + k);
    if (moves.data[k])
      mlirOperationSetOperand(end, first + k,
                              sn(&b, "bufferization.materialize_in_destination", v, place, sn_type_of(v)));
  }
  sn_vec_free(&moves);
}

static MlirWalkResult own_turns(MlirOperation op, void *user) {
  SnSizes *s = user;
  if (sn_is(op, "func.func") && sn_function_body(op).ptr) {
    sn_sizes_free(s);
    *s = (SnSizes){.b = sn_at_start(sn_function_body(op), mlirOperationGetLocation(op)), .argument = argument_size};
  }
  if (sn_is(op, "scf.for"))
    hand_on(s, mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0)), 0, 1);
  if (sn_is(op, "scf.while")) {
    hand_on(s, mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0)), 1, 0);
    hand_on(s, mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 1)), 0, 0);
  }
  return MlirWalkResultAdvance;
}

static MlirLogicalResult run(const SnRun *run, MlirOperation module) {
  SnSizes sizes = {0};
  mlirOperationWalk(module, own_turns, &sizes, MlirWalkPreOrder);
  sn_sizes_free(&sizes);
  mlirOperationWalk(module, own_destinations, NULL, MlirWalkPreOrder);
  mlirOperationWalk(module, own_readings, NULL, MlirWalkPreOrder);
  sn_written_places(module);
  return SN_OK;
}

MlirDialectHandle mlirGetDialectHandle__bufferization__(void);
MlirDialectHandle mlirGetDialectHandle__tensor__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__bufferization__,
                                                      mlirGetDialectHandle__tensor__, NULL};

const SnPass sn_pass_host_destinations = {
    .argument = "sinter-destinations",
    .summary = "what an operation of linalg writes is nobody else's, and what many read is read by each alone",
    .anchor = "builtin.module",
    .dialects = dialects,
    .run = run,
};

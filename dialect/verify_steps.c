// verify_steps.c: the rules of sinter.steps.
//
// Labels are those of the ODS description; each has a test of its name.
//
// test: test/dialect/invalid_steps.mlir, @s1.. to @s10

#include "dialect/steps.h"
#include "dialect/use_steps.h"
#include "dialect/verify.h"

MlirLogicalResult sinter_steps_verify(MlirOperation op);

// ---- what a body holds ----------------------------------------------------------------

typedef struct {
  MlirOperation owner;
  MlirBlock body;
  MlirLogicalResult result;
} Body;

static bool is_known(MlirOperation op) {
  static const char *const names[] = {"scf.for",     "scf.while",    "scf.condition", "scf.if",
                                      "scf.yield",   "scf.parallel", "scf.reduce",    "scf.reduce.return",
                                      "memref.load", "memref.store", "memref.dim",    "memref.alloca",
                                      "memref.cast", "cf.assert",    "sinter.yield"};
  for (size_t k = 0; k < sizeof names / sizeof *names; ++k)
    if (sn_is(op, names[k]))
      return true;
  return sn_in_dialect(op, "arith") || sn_in_dialect(op, "math");
}

static bool in_step(const Body *body, MlirOperation op) {
  for (MlirOperation p = mlirOperationGetParentOperation(op); !sn_null(p) && !mlirOperationEqual(p, body->owner);
       p = mlirOperationGetParentOperation(p))
    if (sn_is(p, "scf.parallel"))
      return true;
  return false;
}

// Made of sizes of arguments and constants.
static bool is_size(const Body *body, MlirValue v, int depth) {
  static const char *const names[] = {"arith.addi", "arith.subi", "arith.muli", "arith.minsi", "arith.maxsi"};
  MlirOperation op = sn_definer(v);
  if (sn_null(op) || !depth)
    return false;
  if (sn_is(op, "memref.dim")) {
    MlirValue of = sn_operand(op, 0);
    intptr_t i;
    return mlirValueIsABlockArgument(of) && mlirBlockEqual(mlirBlockArgumentGetOwner(of), body->body) &&
           sn_known_dim(op, &i);
  }
  if (sn_is(op, "arith.constant"))
    return true;
  if (sn_is(op, "arith.select")) { // by what the use says
    MlirValue c = sn_operand(op, 0);
    bool fixed = sn_constant_of(c).ptr || (sn_is(body->owner, "sinter.define_steps") && mlirValueIsABlockArgument(c));
    return fixed && is_size(body, sn_operand(op, 1), depth - 1) && is_size(body, sn_operand(op, 2), depth - 1);
  }
  for (size_t k = 0; k < sizeof names / sizeof *names; ++k)
    if (sn_is(op, names[k]))
      return is_size(body, sn_operand(op, 0), depth - 1) && is_size(body, sn_operand(op, 1), depth - 1);
  return false;
}

static MlirLogicalResult check_scratch(const Body *body, MlirOperation op) {
  if (!mlirBlockEqual(mlirOperationGetBlock(op), body->body)) // S8
    return sn_error(op, "stands inside of something; scratch memory is declared in the body itself");
  MlirType t = sn_type_of(sn_result(op, 0));
  if (sn_rank(t) > SN_MAX_DIMS || sn_rank(t) < 1 || !sn_is_scalar_type(sn_element(t))) // S8
    return sn_error(op, "is scratch memory of type %s; give numbers, and 1 to %d dimensions", sn_show_type(t).text,
                    SN_MAX_DIMS);
  for (intptr_t k = 0; k < sn_num_operands(op); ++k)
    if (!is_size(body, sn_operand(op, k), 16)) // S8
      return sn_error(
          op, "size %td is not made of constants and sizes of arguments, by addi, subi, muli, minsi, maxsi and select",
          k);
  return SN_OK;
}

static MlirLogicalResult check_step(const Body *body, MlirOperation op) {
  MlirAttribute segments = sn_get_attr(op, "operandSegmentSizes");
  if (mlirDenseI32ArrayGetElement(segments, 0) != 1) // S6
    return sn_error(op, "has %d dimensions; a step has one", (int)mlirDenseI32ArrayGetElement(segments, 0));
  if (in_step(body, op)) // S7
    return sn_error(op, "is a step in a step; write scf.for");
  SnLanes lanes = sn_step_read(op);
  if (lanes.n > SN_MAX_ACCUMULATORS) // S7
    return sn_error(op, "combines %td values, of which %d are possible", lanes.n, SN_MAX_ACCUMULATORS);
  for (intptr_t k = 0; k < lanes.n; ++k) {
    const SnCombiner *c = sn_step_combiner(&lanes, k);
    if (!c || !sn_combiner_fits(c, sn_type_of(sn_result(op, k)))) // S7
      return sn_error(op, "combines value %td by no named combiner, as add or maximumf of both", k);
  }
  return SN_OK;
}

static MlirWalkResult check_op(MlirOperation op, void *user) {
  Body *body = user;
  if (mlirOperationEqual(op, body->owner))
    return MlirWalkResultAdvance;
  if (!is_known(op)) // S6
    body->result = sn_error(op,
                            "is no operation of %s; it holds arith, math, scf's loops and branches, memref.load, "
                            "store, dim and alloca, and cf.assert",
                            sn_name(body->owner));
  else if (sn_is(op, "memref.alloca"))
    body->result = check_scratch(body, op);
  else if (sn_is(op, "scf.parallel"))
    body->result = check_step(body, op);
  else if (sn_is(op, "cf.assert") && !mlirBlockEqual(mlirOperationGetBlock(op), body->body)) // S7
    body->result = sn_error(op, "stands inside of something; asserts stand in the body itself");
  return sn_failed(body->result) ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

// Walks what stands in the block; a finish is looked at apart.
MlirLogicalResult sn_steps_check_body(MlirOperation owner, MlirBlock block) {
  Body body = {owner, block, SN_OK};
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !sn_null(op) && !sn_failed(body.result);
       op = mlirOperationGetNextInBlock(op))
    mlirOperationWalk(op, check_op, &body, MlirWalkPreOrder);
  return body.result;
}

// ---- operands -----------------------------------------------------------------------------

static MlirLogicalResult check_operands(const SnSteps *s) {
  intptr_t n = sn_num_operands(s->op), destinations = s->outputs + s->values;
  if (n > SN_MAX_OPERANDS) // S1
    return sn_error(s->op, "has %td operands, and at most %d are possible", n, SN_MAX_OPERANDS);
  bool tensors = n && mlirTypeIsARankedTensor(sn_type_of(sn_operand(s->op, 0)));
  for (intptr_t k = 0; k < n; ++k) {
    MlirType t = sn_type_of(sn_operand(s->op, k));
    if (tensors ? !mlirTypeIsARankedTensor(t) : !mlirTypeIsAMemRef(t)) // S1
      return sn_error(s->op, "operand %td has type %s, and operand 0 is a %s", k, sn_show_type(t).text,
                      tensors ? "tensor" : "memref");
    if (sn_rank(t) > SN_MAX_DIMS) // S1
      return sn_error(s->op, "operand %td has rank %lld, and at most %d is possible", k, (long long)sn_rank(t),
                      SN_MAX_DIMS);
    if (!sn_is_scalar_type(sn_element(t))) // S9
      return sn_error(s->op, "operand %td has type %s; give floats, signless integers or index", k,
                      sn_show_type(t).text);
  }
  if (sn_num_results(s->op) != (tensors ? destinations : 0)) // S1
    return sn_error(s->op, "has %td results, and %td are needed", sn_num_results(s->op), tensors ? destinations : 0);
  for (intptr_t k = 0; tensors && k < destinations; ++k) {
    MlirType is = sn_type_of(sn_result(s->op, k)), wanted = sn_type_of(sn_operand(s->op, s->inputs + k));
    if (!mlirTypeEqual(is, wanted)) // S1
      return sn_error(s->op, "result %td has type %s, and its destination %s", k, sn_show_type(is).text,
                      sn_show_type(wanted).text);
  }
  if (!s->inputs || s->rows < 0 || s->rows >= sn_rank(sn_type_of(sn_operand(s->op, 0)))) // S2
    return sn_error(s->op, "has rows in dimension %td of %s", s->rows,
                    s->inputs ? sn_show_type(sn_type_of(sn_operand(s->op, 0))).text : "no input");
  return SN_OK;
}

// Of two operations, neither in the other: the first stands in front of the second, wherever both are.
static bool is_before(MlirOperation first, MlirOperation second) {
  for (MlirOperation p = second; !sn_null(p); p = mlirOperationGetParentOperation(p))
    for (MlirOperation q = first; !sn_null(q); q = mlirOperationGetParentOperation(q))
      if (mlirOperationGetBlock(p).ptr && mlirBlockEqual(mlirOperationGetBlock(p), mlirOperationGetBlock(q)))
        return mlirOperationIsBeforeInBlock(q, p);
  return false;
}

static MlirLogicalResult check_in_place(const SnSteps *s) {
  if (!sn_get_attr(s->op, "in_place").ptr)
    return SN_OK;
  if (s->values || !s->outputs) // S10
    return sn_error(s->op, "is in place, and has %s", s->values ? "values" : "no outs");
  for (intptr_t k = s->inputs; k < s->inputs + s->outputs; ++k) {
    MlirValue v = sn_operand(s->op, k);
    for (intptr_t i = 0; i < k; ++i)
      if (sn_same(v, sn_operand(s->op, i))) // S10
        return sn_error(s->op, "is in place of operand %td, which is operand %td too", k, i);
    for (MlirOpOperand use = mlirValueGetFirstUse(v); mlirTypeIsARankedTensor(sn_type_of(v)) && use.ptr;
         use = mlirOpOperandGetNextUse(use)) {
      MlirOperation user = mlirOpOperandGetOwner(use);
      if (!mlirOperationEqual(user, s->op) && !is_before(user, s->op)) // S10
        return sn_error(s->op, "is in place of operand %td, which %s behind it has, too", k, sn_name(user));
    }
  }
  return SN_OK;
}

static MlirLogicalResult check_body(const SnSteps *s) {
  MlirContext ctx = mlirOperationGetContext(s->op);
  intptr_t memory = s->inputs + s->outputs;
  if (!s->body.ptr || mlirBlockGetNextInRegion(s->body).ptr ||
      !sn_is(mlirBlockGetTerminator(s->body), "sinter.yield")) // S4
    return sn_error(s->op, "has a body that is not one block which ends in sinter.yield");
  if (mlirBlockGetNumArguments(s->body) != memory + 1) // S3
    return sn_error(s->op, "the body has %td arguments, and %td are given to it", mlirBlockGetNumArguments(s->body),
                    memory + 1);
  for (intptr_t k = 0; k <= memory; ++k) {
    MlirType is = sn_type_of(mlirBlockGetArgument(s->body, k)), wanted = mlirIndexTypeGet(ctx);
    if (k) {
      MlirType t = sn_type_of(sn_operand(s->op, k - 1));
      wanted = sn_memref_like(t, sn_element(t));
    }
    if (!mlirTypeEqual(is, wanted)) // S3
      return sn_error(s->op, "argument %td of the body has type %s, and %s is given to it", k, sn_show_type(is).text,
                      sn_show_type(wanted).text);
  }
  MlirOperation yield = mlirBlockGetTerminator(s->body);
  if (sn_num_operands(yield) != s->values) // S4
    return sn_error(s->op, "the body yields %td values, and %td are needed", sn_num_operands(yield), s->values);
  MlirType first = sn_type_of(sn_operand(s->op, 0));
  for (intptr_t k = 0; k < s->values; ++k) {
    MlirValue v = sn_operand(yield, k);
    MlirType t = sn_type_of(sn_steps_value(s, k));
    int64_t rows = sn_dim(first, s->rows);
    bool sized = sn_rank(t) == 0 ||
                 (sn_rank(t) == 1 && (sn_dim(t, 0) == rows || sn_dim(t, 0) == SN_DYNAMIC || rows == SN_DYNAMIC));
    if (sn_none(v) || !mlirTypeEqual(sn_type_of(v), sn_element(t)) || !sized) // S4
      return sn_error(s->op, "value %td that the body yields has type %s, and goes to %s", k,
                      sn_none(v) ? "<null>" : sn_show_type(sn_type_of(v)).text, sn_show_type(t).text);
  }
  return sn_steps_check_body(s->op, s->body);
}

static MlirLogicalResult check_finish(const SnSteps *s) {
  if (!s->finish.ptr)
    return SN_OK;
  intptr_t sums = sn_steps_sums(s), at = 0;
  MlirOperation yield = mlirBlockGetTerminator(s->finish);
  if (mlirBlockGetNextInRegion(s->finish).ptr || !sn_is(yield, "sinter.yield") || !sums ||
      sn_num_operands(yield) != sums || mlirBlockGetNumArguments(s->finish) != sums + 1 ||
      !mlirTypeIsAIndex(sn_type_of(mlirBlockGetArgument(s->finish, 0)))) // S5
    return sn_error(s->op, "has a finish that is not one block of an index and %td sums which yields as many", sums);
  for (intptr_t k = 0; k < s->values; ++k) {
    if (!sn_steps_is_sum(s, k))
      continue;
    MlirType wanted = sn_element(sn_type_of(sn_steps_value(s, k))),
             is = sn_type_of(mlirBlockGetArgument(s->finish, ++at));
    MlirValue v = sn_operand(yield, at - 1);
    if (!mlirTypeEqual(is, wanted) || sn_none(v) || !mlirTypeEqual(sn_type_of(v), wanted)) // S5
      return sn_error(s->op, "sum %td of the finish has type %s, and its destination has elements of type %s", at - 1,
                      sn_show_type(is).text, sn_show_type(wanted).text);
  }
  for (MlirOperation op = mlirBlockGetFirstOperation(s->finish); !mlirOperationEqual(op, yield);
       op = mlirOperationGetNextInBlock(op))
    if (!sn_in_dialect(op, "arith") && !sn_in_dialect(op, "math")) // S6
      return sn_error(op, "stands in a finish, which holds arith and math only");
  return SN_OK;
}

MlirLogicalResult sinter_steps_verify(MlirOperation op) {
  SnSteps s = sn_steps_read(op);
  if (sn_failed(check_operands(&s)) || sn_failed(check_in_place(&s)) || sn_failed(check_body(&s)))
    return SN_FAIL;
  if (s.values > SN_MAX_ACCUMULATORS) // S4
    return sn_error(op, "has %td values, of which %d are possible", s.values, SN_MAX_ACCUMULATORS);
  return check_finish(&s);
}

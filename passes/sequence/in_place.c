// in_place.c: a result that lies where an argument does gets what is new, and nothing is copied.
//
//   func.func @step(%c: tensor<8x1024x64xf32>, ...) -> (tensor<8x1024x64xf32> {sinter.in_place_of = 0}) {
//     %y = sinter.rowwise (h = 8, p = 1024) by (e = 64)
//         ins(%c[h, p, e] : ..., %k[h, e] : tensor<8x64xf32>, %at[0] : tensor<1xi64>) outs(%e[h, p, e] : ...) {
//       ... sinter.yield select(p == at, k, c)
//     }
//     return %y
//   ->
//   func.func @step(%c: ...) -> (tensor<8x1024x64xf32> {sinter.shares = 0}) {
//     %y = sinter.steps rows(0) in_place ins(%k, %at) outs(%c) -> tensor<8x1024x64xf32> {
//     ^row(%h: index, ...):
//       each lane e: where 0 <= at < 1024: c[h, at, e] = k[h, e]
//     }
//     return %y
//
// The caller gives one memory for both (runtime/abi.h, SINTER_TENSOR_SHARES), so the cache of a step of a language
// model is appended to: 1 position of 1,024 is written, none is read for that. Who reads the argument does so before;
// who reads the result, behind (S10). Each element may have a position of its own, and what is put there may be
// computed. What is not of this kind is an error: a caller was promised that nothing else of the memory changes.
//
// decides: what a program may say of a result that shares an argument's memory.
//
// runs in: sinter-cpu, sinter-gpu    test: test/passes/sequence/in_place.mlir, test/run/in_place.test

#include "capi/form.h"
#include "capi/pass.h"
#include "dialect/attributes.h"
#include "dialect/sequence.h"
#include "dialect/verify.h"
#include "lowering/rows/rowmemory.h"
#include "lowering/rows/rowprogram.h"
#include "passes/edit/edit.h"
#include "passes/program/tensor_steps.h"

enum { EQUAL = 0 }; // of arith.cmpi

// Result `result` of form f is `old` but where a position in dimension `dim` is `at`; there it is `made`.
typedef struct {
  size_t result, old; // of f's: an output, an input
  int64_t dim;
  MlirValue at, made;
} Update;

// ---- what changes ---------------------------------------------------------------------------------

static int64_t bits_of(MlirValue v) {
  MlirType t = sn_element(sn_type_of(v));
  return mlirTypeIsAIndex(t) ? 64 : sn_bits(t);
}

// The number as it was before it got a type as wide or wider. `bits`: the fewest that it had, if not null.
static MlirValue under(MlirValue v, int64_t *bits) {
  for (;;) {
    MlirOperation op = sn_definer(v);
    bool cast = sn_is(op, "arith.index_cast") || sn_is(op, "arith.extsi");
    if (bits && *bits > bits_of(v))
      *bits = bits_of(v);
    if (!sn_is(op, "sinter.broadcast") && !(cast && (bits || bits_of(sn_operand(op, 0)) <= bits_of(v))))
      return v;
    v = sn_operand(op, 0);
  }
}

// The dimension that the value is the position in; -1: it is none, or one that its type has not all numbers of.
static int64_t position_in(const SnForm *f, MlirValue v) {
  int64_t bits = 64;
  MlirOperation op = sn_definer(under(v, &bits));
  int64_t d = sn_is(op, "sinter.index") ? sn_row_named_dim(f, op) : -1;
  return d < 0 || bits == 64 || f->dims.data[d].size <= (int64_t)1 << (bits - 1) ? d : -1;
}

static int64_t input_of(const SnForm *f, MlirValue v) {
  for (size_t k = sn_first_input(f); k < f->inputs.size; ++k)
    if (sn_same(sn_input_argument(f, k), v))
      return (int64_t)k;
  return -1;
}

// Whether a step's lane can compute it, without dimension `dim` where that is not -1, and without input `old`.
static bool can_make(const SnForm *f, MlirValue v, int64_t dim, size_t old) {
  if (mlirValueIsABlockArgument(v)) {
    int64_t k = input_of(f, v);
    if (k < 0 || (size_t)k == old)
      return false;
    const SnAccess *a = &f->inputs.data[k];
    return !a->through.ptr && !mlirAffineMapGetNumSymbols(a->map) && (dim < 0 || !sn_access_uses(f, a, dim));
  }
  MlirOperation op = sn_definer(v);
  if (sn_is(op, "sinter.index"))
    return sn_row_named_dim(f, op) != dim;
  if (!sn_is(op, "sinter.broadcast") && !sn_in_dialect(op, "arith") && !sn_in_dialect(op, "math"))
    return false;
  for (intptr_t k = 0; k < sn_num_operands(op); ++k)
    if (!can_make(f, sn_operand(op, k), dim, old))
      return false;
  return true;
}

// Whether it is the same at each element: computed of what is read at no position.
static bool stands_still(const SnForm *f, MlirValue v, size_t old) {
  for (int64_t d = -1; d < (int64_t)f->dims.size; ++d)
    if (!can_make(f, v, d, old))
      return false;
  return true;
}

// What the form asserts of an index is asserted by the steps, once a row.
static MlirOperation next_assert(MlirOperation op) {
  while (!sn_null(op) && !sn_is(op, "cf.assert"))
    op = mlirOperationGetNextInBlock(op);
  return op;
}

static MlirOperation first_assert(const SnForm *f) { return next_assert(mlirBlockGetFirstOperation(f->body)); }

static const char *find_update(const SnForm *f, size_t result, MlirValue argument, Update *u) {
  const SnAccess *out = &f->outputs.data[result];
  if (f->contract || sn_num_groups(f) > 1 || sn_is_reduced(f, result))
    return "it is made by more than choosing between an element and another";
  MlirOperation select = sn_definer(
      sn_operand(mlirBlockGetTerminator(f->body), (intptr_t)(f->accumulators.size + sn_output_position(f, result))));
  MlirOperation equal =
      sn_is(select, "arith.select") ? sn_definer(under(sn_operand(select, 0), NULL)) : (MlirOperation){0};
  if (!sn_is(equal, "arith.cmpi") || sn_int_attr(equal, "predicate", -1) != EQUAL)
    return "it is no choice by where an element stands: position == number ? new : old";
  int64_t old = input_of(f, sn_operand(select, 2));
  const SnAccess *from = old < 0 ? NULL : &f->inputs.data[old];
  if (!from || !sn_same(from->value, argument) || from->fill.ptr || !mlirAffineMapEqual(from->map, out->map))
    return "what it keeps is not the argument, each element where it was";
  int64_t left = position_in(f, sn_operand(equal, 0)), right = position_in(f, sn_operand(equal, 1));
  *u = (Update){.result = result,
                .old = (size_t)old,
                .dim = left >= 0 ? left : right,
                .at = under(sn_operand(equal, left >= 0 ? 1 : 0), NULL),
                .made = sn_operand(select, 1)};
  if (u->dim < 0 || (left >= 0 && right >= 0))
    return "it is no choice by where an element stands: position == number ? new : old";
  if (!can_make(f, u->at, u->dim, u->old) || !can_make(f, u->made, -1, u->old))
    return "what is new needs more than elements of other tensors and arithmetic on them";
  for (MlirOperation op = first_assert(f); !sn_null(op); op = next_assert(mlirOperationGetNextInBlock(op)))
    if (!stands_still(f, sn_operand(op, 0), u->old))
      return "something is asserted of each element";
  return NULL;
}

// ---- as steps -------------------------------------------------------------------------------------

typedef struct {
  const SnForm *f;
  SN_VEC(size_t) inputs;           // of f's that are read, in the order of the body's memory
  const MlirValue *memory;         // the body's
  MlirValue position[SN_MAX_DIMS]; // in each dimension of f; none of one that must not be asked for
  SnMap made;                      // by value of f's body
} Lane;

static void read_inputs(Lane *l, MlirValue v) {
  if (mlirValueIsABlockArgument(v)) {
    size_t k = (size_t)input_of(l->f, v);
    for (size_t i = 0; i < l->inputs.size; ++i)
      if (l->inputs.data[i] == k)
        return;
    sn_push(&l->inputs, k);
    return;
  }
  MlirOperation op = sn_definer(v);
  for (intptr_t k = 0; k < sn_num_operands(op); ++k)
    read_inputs(l, sn_operand(op, k));
}

static MlirValue compare(SnBuilder *b, int64_t predicate, MlirValue x, MlirValue y) {
  return sn(b, "arith.cmpi", x, y, sn_attr("predicate", sn_i64(b->ctx, predicate)));
}

// 0 <= i < size, one comparison of numbers without a sign.
static MlirValue inside(SnBuilder *b, MlirValue i, int64_t size) {
  return compare(b, 6 /* ult */, i, sn_index(b, size));
}

static MlirValue load(SnBuilder *b, Lane *l, size_t input) {
  const SnAccess *a = &l->f->inputs.data[input];
  size_t at = 0;
  while (l->inputs.data[at] != input)
    ++at;
  MlirValue subscripts[SN_MAX_DIMS], all = {0};
  intptr_t rank = mlirAffineMapGetNumResults(a->map);
  for (intptr_t i = 0; i < rank; ++i) {
    subscripts[i] = sn_affine(b, mlirAffineMapGetResult(a->map, i), l->position);
    if (!a->fill.ptr)
      continue;
    MlirValue is = inside(b, subscripts[i], sn_dim(sn_type_of(a->value), i));
    subscripts[i] = sn(b, "arith.select", is, subscripts[i], sn_index(b, 0));
    all = sn_none(all) ? is : sn(b, "arith.andi", all, is);
  }
  MlirValue v = sn(b, "memref.load", l->memory[at], sn_values(rank, subscripts));
  return sn_none(all) ? v : sn(b, "arith.select", all, v, sn_constant(b, a->fill));
}

static MlirValue make(SnBuilder *b, Lane *l, MlirValue v) {
  MlirValue had = sn_mapped(&l->made, v);
  if (!sn_none(had))
    return had;
  MlirOperation op = sn_definer(v);
  MlirAttribute number = sn_constant_of(v);
  MlirValue is;
  if (mlirValueIsABlockArgument(v)) {
    is = load(b, l, (size_t)input_of(l->f, v));
  } else if (number.ptr) {
    is = sn_constant(b, number);
  } else if (sn_is(op, "sinter.index")) {
    is = l->position[sn_row_named_dim(l->f, op)];
  } else if (sn_is(op, "sinter.broadcast")) {
    is = make(b, l, sn_operand(op, 0));
  } else {
    MlirValue operands[SN_MAX_DIMS];
    intptr_t n = sn_num_operands(op);
    for (intptr_t k = 0; k < n; ++k)
      operands[k] = make(b, l, sn_operand(op, k));
    MlirType t = sn_element(sn_type_of(v));
    is = sn_result(sn_clone_as(b, op, sn_values(n, operands), sn_types(1, &t)), 0);
  }
  sn_map(&l->made, v, is);
  return is;
}

// An input with a dimension that is a row dimension of f and none of the updates': its rows are the work's. Else one
// of one element. It becomes the first. -1: there is none.
static int64_t choose_rows(Lane *l, const Update *updates, size_t n, intptr_t *place) {
  for (int one = 0; one < 2; ++one)
    for (size_t i = 0; i < l->inputs.size; ++i) {
      const SnAccess *a = &l->f->inputs.data[l->inputs.data[i]];
      for (intptr_t q = 0; q < sn_rank(sn_type_of(a->value)); ++q) {
        int64_t size = sn_dim(sn_type_of(a->value), q), d = -1;
        MlirAffineExpr e = mlirAffineMapGetResult(a->map, q);
        if (mlirAffineExprIsADim(e))
          d = mlirAffineDimExprGetPosition(e);
        bool fits = one ? size == 1 : d >= 0 && size > 1 && size == l->f->dims.data[d].size;
        for (size_t k = 0; k < n && !one; ++k)
          fits &= d != updates[k].dim;
        if (!fits)
          continue;
        size_t first = l->inputs.data[0];
        l->inputs.data[0] = l->inputs.data[i];
        l->inputs.data[i] = first;
        *place = q;
        return one ? SN_MAX_DIMS : d;
      }
    }
  return -1;
}

// Where a lane stands: its number, in all dimensions but the rows' and the one that is written in one place.
static int64_t lanes_of(const SnForm *f, int64_t rows, int64_t dim) {
  int64_t n = 1;
  for (int64_t d = 0; d < (int64_t)f->dims.size; ++d)
    n = d == rows || d == dim ? n : sn_times(n, f->dims.data[d].size);
  return n;
}

static void stand(SnBuilder *b, Lane *l, MlirValue lane, int64_t rows, int64_t dim) {
  for (int64_t d = (int64_t)l->f->dims.size; d-- > 0;) {
    if (d == rows || d == dim)
      continue;
    MlirValue size = sn_index(b, l->f->dims.data[d].size);
    l->position[d] = sn(b, "arith.remui", lane, size);
    lane = sn(b, "arith.divui", lane, size);
  }
}

static void write_update(SnBuilder *b, Lane *l, const Update *u, MlirValue row, MlirValue to, int64_t rows) {
  MlirValue lane;
  SnBuilder in = sn_lanes_begin(b, sn_index(b, lanes_of(l->f, rows, u->dim)), &lane);
  sn_map_clear(&l->made);
  if (rows < SN_MAX_DIMS)
    l->position[rows] = row;
  stand(&in, l, lane, rows, u->dim);
  l->position[u->dim] = (MlirValue){0};
  MlirValue at = make(&in, l, u->at);
  if (!mlirTypeIsAIndex(sn_type_of(at)))
    at = sn(&in, "arith.index_cast", at, sn_index_type(b->ctx));
  l->position[u->dim] = at;
  SnIf there = sn_if(&in, inside(&in, at, l->f->dims.data[u->dim].size));
  MlirValue v = make(&in, l, u->made), subscripts[SN_MAX_DIMS];
  MlirAffineMap map = l->f->outputs.data[u->result].map;
  intptr_t rank = mlirAffineMapGetNumResults(map);
  for (intptr_t i = 0; i < rank; ++i)
    subscripts[i] = sn_affine(&in, mlirAffineMapGetResult(map, i), l->position);
  sn_op(&in, "memref.store", v, to, sn_values(rank, subscripts), sn_types(0, NULL));
  sn_end_if(&in, &there);
  sn_lanes_end(&in);
}

static void write_asserts(SnBuilder *b, Lane *l) {
  for (MlirOperation op = first_assert(l->f); !sn_null(op); op = next_assert(mlirOperationGetNextInBlock(op)))
    sn_op(b, "cf.assert", make(b, l, sn_operand(op, 0)), sn_attr("msg", sn_get_attr(op, "msg")), sn_types(0, NULL));
}

// The last operation of the form's block that reads what is written, or the form.
static MlirOperation behind_readers(const SnForm *f, const Update *updates, size_t n) {
  MlirOperation last = f->op;
  for (size_t k = 0; k < n; ++k) {
    MlirValue old = f->inputs.data[updates[k].old].value;
    for (MlirOpOperand use = mlirValueGetFirstUse(old); use.ptr; use = mlirOpOperandGetNextUse(use)) {
      MlirOperation op = mlirOpOperandGetOwner(use);
      while (!sn_null(op) && !mlirBlockEqual(mlirOperationGetBlock(op), mlirOperationGetBlock(f->op)))
        op = mlirOperationGetParentOperation(op);
      if (!sn_null(op) && mlirOperationIsBeforeInBlock(last, op))
        last = op;
    }
  }
  return last;
}

static bool reads_result(const SnForm *f, const Update *updates, size_t n, MlirOperation last) {
  for (size_t k = 0; k < n; ++k) {
    MlirValue v = sn_result(f->op, (intptr_t)updates[k].result);
    for (MlirOpOperand use = mlirValueGetFirstUse(v); use.ptr; use = mlirOpOperandGetNextUse(use)) {
      MlirOperation op = mlirOpOperandGetOwner(use);
      while (!sn_null(op) && !mlirBlockEqual(mlirOperationGetBlock(op), mlirOperationGetBlock(f->op)))
        op = mlirOperationGetParentOperation(op);
      if (sn_null(op) || mlirOperationEqual(op, last) || mlirOperationIsBeforeInBlock(op, last))
        return true;
    }
  }
  return false;
}

static const char *write(SnForm *f, const Update *updates, size_t n) {
  Lane l = {.f = f};
  for (size_t k = 0; k < n; ++k) {
    read_inputs(&l, updates[k].at);
    read_inputs(&l, updates[k].made);
  }
  for (MlirOperation op = first_assert(f); !sn_null(op); op = next_assert(mlirOperationGetNextInBlock(op)))
    read_inputs(&l, sn_operand(op, 0));
  intptr_t place = 0;
  int64_t rows = l.inputs.size ? choose_rows(&l, updates, n, &place) : -1;
  MlirOperation last = behind_readers(f, updates, n);
  const char *why = rows < 0 ? "none of what it is made of has a dimension to run along"
                    : !mlirOperationEqual(last, f->op) && reads_result(f, updates, n, last)
                        ? "the argument is read by what needs the result, or behind it"
                        : NULL;
  if (!why) {
    SnBuilder b = sn_after(last);
    b.loc = mlirOperationGetLocation(f->op);
    SnValueVec operands = {0};
    for (size_t i = 0; i < l.inputs.size; ++i)
      sn_push(&operands, f->inputs.data[l.inputs.data[i]].value);
    for (size_t k = 0; k < n; ++k)
      sn_push(&operands, f->inputs.data[updates[k].old].value);
    SnStepsBody body = sn_steps_begin(&b, (intptr_t)operands.size, operands.data);
    l.memory = body.memory;
    write_asserts(&body.in, &l);
    for (size_t k = 0; k < n; ++k)
      write_update(&body.in, &l, &updates[k], body.row, body.memory[l.inputs.size + k], rows);
    MlirOperation steps =
        sn_steps_end(&b, &body, place, (intptr_t)l.inputs.size, (intptr_t)operands.size, operands.data);
    sn_set_attr(steps, "in_place", sn_unit(b.ctx));
    for (size_t k = 0; k < n; ++k)
      mlirValueReplaceAllUsesOfWith(sn_result(f->op, (intptr_t)updates[k].result), sn_result(steps, (intptr_t)k));
    sn_vec_free(&operands);
  }
  sn_vec_free(&l.inputs);
  sn_map_free(&l.made);
  return why;
}

// ---- results that say so --------------------------------------------------------------------------

static MlirAttribute said_of(MlirOperation func, const char *word, intptr_t i) {
  MlirAttribute all = sn_get_attr(func, "res_attrs");
  return all.ptr ? mlirDictionaryAttrGetElementByName(mlirArrayAttrGetElement(all, i), SN_STR(word)) : all;
}

// Instead of one word of result i another one, with the same number.
static void say_shared(MlirOperation func, intptr_t i) {
  MlirContext ctx = mlirOperationGetContext(func);
  MlirAttribute all = sn_get_attr(func, "res_attrs");
  SN_VEC(MlirAttribute) each = {0};
  for (intptr_t k = 0; k < mlirArrayAttrGetNumElements(all); ++k) {
    MlirAttribute own = mlirArrayAttrGetElement(all, k);
    SN_VEC(MlirNamedAttribute) words = {0};
    for (intptr_t w = 0; w < mlirDictionaryAttrGetNumElements(own); ++w) {
      MlirNamedAttribute word = mlirDictionaryAttrGetElement(own, w);
      if (k == i && mlirStringRefEqual(mlirIdentifierStr(word.name), SN_STR(SN_IN_PLACE_OF)))
        word.name = mlirIdentifierGet(ctx, SN_STR(SN_SHARES));
      sn_push(&words, word);
    }
    sn_push(&each, mlirDictionaryAttrGet(ctx, (intptr_t)words.size, words.data));
    sn_vec_free(&words);
  }
  sn_set_attr(func, "res_attrs", mlirArrayAttrGet(ctx, (intptr_t)each.size, each.data));
  sn_vec_free(&each);
}

// The argument that result i is in place of, and whether it can be; an error if not.
static MlirLogicalResult check_word(MlirOperation func, MlirOperation ret, intptr_t i, MlirValue *argument) {
  MlirAttribute of = said_of(func, SN_IN_PLACE_OF, i);
  MlirBlock body = sn_function_body(func);
  int64_t n = mlirAttributeIsAInteger(of) ? mlirIntegerAttrGetValueInt(of) : -1;
  if (n < 0 || n >= mlirBlockGetNumArguments(body))
    return sn_error(func, "result %td has a " SN_IN_PLACE_OF " that is none of %td arguments", i,
                    mlirBlockGetNumArguments(body));
  *argument = mlirBlockGetArgument(body, n);
  MlirType t = sn_type_of(*argument);
  if (!mlirTypeEqual(t, sn_type_of(sn_operand(ret, i))))
    return sn_error(func, "result %td is %s, and argument %lld, that it is in place of, is %s", i,
                    sn_show_type(sn_type_of(sn_operand(ret, i))).text, (long long)n, sn_show_type(t).text);
  if (!mlirTypeIsARankedTensor(t) || !mlirShapedTypeHasStaticShape(t))
    return sn_error(func, "result %td is in place of argument %lld, whose sizes are not all known", i, (long long)n);
  for (intptr_t k = 0; k < i; ++k)
    if (said_of(func, SN_SHARES, k).ptr && mlirIntegerAttrGetValueInt(said_of(func, SN_SHARES, k)) == n)
      return sn_error(func, "results %td and %td are in place of argument %lld both", k, i, (long long)n);
  return SN_OK;
}

// All results of one form that are in place are made at once.
static MlirLogicalResult write_form(MlirOperation func, MlirOperation ret, MlirOperation op) {
  SnForm f = sn_form_read(op);
  SN_VEC(Update) updates = {0};
  MlirLogicalResult result = SN_OK;
  const char *why = NULL;
  intptr_t last = 0;
  for (intptr_t i = 0; i < sn_num_operands(ret) && !sn_failed(result) && !why; ++i) {
    MlirValue v = sn_operand(ret, i), argument;
    if (!said_of(func, SN_IN_PLACE_OF, i).ptr || !mlirOperationEqual(sn_definer(v), op))
      continue;
    Update u;
    last = i;
    result = check_word(func, ret, i, &argument);
    if (sn_failed(result))
      break;
    why = find_update(&f, (size_t)mlirOpResultGetResultNumber(v), argument, &u);
    sn_push(&updates, u);
    say_shared(func, i);
  }
  if (!sn_failed(result) && !why)
    why = write(&f, updates.data, updates.size);
  if (why)
    result = sn_error(op, "result %td is in place of an argument, and cannot be: %s", last, why);
  sn_vec_free(&updates);
  sn_form_free(&f);
  if (!sn_failed(result) && sn_unused(op))
    mlirOperationDestroy(op);
  else if (!sn_failed(result))
    sn_tidy(op);
  return result;
}

// ---- dimensions of one element ---------------------------------------------------------------------------

// The map of a destination as large as `to`, which has the dimensions of `from` in their order and others of size 1.
static bool with_ones(MlirAffineMap map, MlirType from, MlirType to, MlirAffineMap *wide) {
  MlirContext ctx = mlirAffineMapGetContext(map);
  MlirAffineExpr e[SN_MAX_DIMS];
  intptr_t at = 0, rank = sn_rank(from), n = sn_rank(to);
  if (n > SN_MAX_DIMS)
    return false;
  for (intptr_t i = 0; i < n; ++i) {
    bool one = sn_dim(to, i) == 1 && (at == rank || sn_dim(from, at) != 1);
    if (!one && (at == rank || sn_dim(from, at) != sn_dim(to, i)))
      return false;
    e[i] = one ? mlirAffineConstantExprGet(ctx, 0) : mlirAffineMapGetResult(map, at++);
  }
  *wide = mlirAffineMapGet(ctx, mlirAffineMapGetNumDims(map), 0, n, e);
  return at == rank;
}

// A cache of one batch: forms leave out dimensions of size 1, and what they store is unfolded behind them. The form
// that makes what `unfold` unfolds stores it unfolded; what else reads it folds it.
static void store_unfolded(MlirOperation unfold) {
  MlirValue narrow = sn_operand(unfold, 0), v = sn_result(unfold, 0);
  MlirOperation op = sn_definer(narrow);
  MlirType t = sn_type_of(v), was = sn_type_of(narrow);
  MlirAffineMap wide;
  if (!sn_is_form(op) || sn_in_sequence(op) || !mlirShapedTypeHasStaticShape(t))
    return;
  intptr_t k = mlirOpResultGetResultNumber(narrow);
  SnForm f = sn_form_read(op), to = sn_form_read(op);
  if (!f.schedule.ptr && with_ones(f.outputs.data[k].map, was, t, &wide)) {
    SnBuilder b = sn_before(op);
    to.outputs.data[k].map = wide;
    to.outputs.data[k].value = sn(&b, "tensor.empty", t);
    MlirValue made = sn_result(sn_with_other_sides(&b, &f, &to), k);
    SnBuilder behind = sn_after(sn_definer(made));
    MlirValue folded =
        sn(&behind, "tensor.collapse_shape", made, was, sn_attr("reassociation", sn_get_attr(unfold, "reassociation")));
    mlirValueReplaceAllUsesOfWith(made, folded);
    mlirOperationSetOperand(sn_definer(folded), 0, made);
    mlirValueReplaceAllUsesOfWith(v, made);
    mlirOperationDestroy(unfold);
    mlirOperationDestroy(op);
    if (sn_unused(sn_definer(folded)))
      mlirOperationDestroy(sn_definer(folded));
  }
  sn_form_free(&f);
  sn_form_free(&to);
}

static MlirLogicalResult function(MlirOperation func, void *user) {
  if (!sn_get_attr(func, "res_attrs").ptr || !sn_function_body(func).ptr)
    return SN_OK;
  MlirOperation ret = mlirBlockGetTerminator(sn_function_body(func));
  for (intptr_t i = 0; i < sn_num_operands(ret); ++i) {
    if (!said_of(func, SN_IN_PLACE_OF, i).ptr)
      continue;
    MlirOperation op = sn_definer(sn_operand(ret, i));
    MlirValue argument;
    if (sn_failed(check_word(func, ret, i, &argument)))
      return SN_FAIL;
    if (!sn_null(op) && sn_is(op, "tensor.expand_shape")) {
      store_unfolded(op);
      op = sn_definer(sn_operand(ret, i));
    }
    if (!sn_is_form(op) || sn_in_sequence(op))
      return sn_error(func,
                      "result %td is in place of an argument, and cannot be: no kernel of ours by itself makes it", i);
    if (sn_failed(write_form(func, ret, op)))
      return SN_FAIL;
  }
  return SN_OK;
}

static MlirLogicalResult run(const SnRun *run, MlirOperation op) { return sn_each_function(op, function, NULL); }

MlirDialectHandle mlirGetDialectHandle__scf__(void);
MlirDialectHandle mlirGetDialectHandle__memref__(void);
MlirDialectHandle mlirGetDialectHandle__arith__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__scf__, mlirGetDialectHandle__memref__,
                                                      mlirGetDialectHandle__arith__, NULL};

const SnPass sn_pass_in_place = {
    .argument = "sinter-in-place",
    .summary = "results that lie where arguments do get what is new, and nothing is copied",
    .dialects = dialects,
    .run = run,
};

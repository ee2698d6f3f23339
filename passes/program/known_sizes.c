// known_sizes.c: sizes `?` that are one are one value.
//
//   %m = affine.apply (s0 * 10)[%n]
//   %b = arith.divsi %m, %c10                             %n
//   %ok = arith.cmpi sge, %n, %c0                         true
//   %i = linalg.index 0                        ->
//   %one = arith.cmpi eq, %b, %c1
//   %at = arith.select %one, %c0, %i                      %i, of a loop of %b turns
//   %e = tensor.extract %x[%at, %j]                       an operand that is read at (d0, d1)
//   %r = arith.remsi %i, %b                               %i, of such a loop
//   %same = arith.cmpi eq, %m, %n   cf.assert %same       %n wherever it says %m, and the assert at the function's head
//   %s = tensor.insert_slice %y into %x[0] [%b] [1]       %y, if %x has %b
//   linalg.generic ins(%x, %w : tensor<?xf32>,            %x cast to tensor<9xf32> and back, at the function's head
//                      tensor<9xf32>)
//
// With a size `?`, torch-mlir folds and unfolds batches by arithmetic, asserts what cannot fail, and where the program
// broadcasts asks each element whether there was one of it; what it scatters it counts in one loop. A norm's columns
// are `?` where it adds them up, and a number where weights meet them. All of that hides that two ops have the same
// dimensions, and then they do not fuse.
//
// What differentiation makes asks for the sizes of each argument once more, so this runs behind it, too.
//
// runs in: sinter-prepare, sinter-cpu    test: test/passes/program/known_sizes.mlir

#include "mlir-c/Dialect/Linalg.h"
#include "passes/edit/size_terms.h"
#include "passes/program/known_sizes.h"

typedef struct {
  SnSizeReader reader;
  SnValueVec values; // of sizes that were met
  SnTable by_size;   // hashes of sizes and types -> 1 + where in values
  SnTable asserts;   // operations at the function's head that compare what is taken to be one since
} Known;

// ---- values of the function ----------------------------------------------------------------

static const void *hash(const SnSize *s, MlirType t) {
  uintptr_t h = (uintptr_t)t.ptr;
  for (int k = 0; k < s->n; ++k) {
    h = (h ^ (uintptr_t)s->terms[k].factor) * 1099511628211u;
    for (int a = 0; a < s->terms[k].n; ++a)
      h = (h ^ (uintptr_t)s->terms[k].atoms[a]) * 1099511628211u;
  }
  return (const void *)(h | 1);
}

// A number or an earlier value of the function itself takes the place of the result.
static void unify(Known *k, MlirOperation op, bool inside) {
  MlirValue v = sn_result(op, 0);
  MlirType t = sn_type_of(v);
  SnSize s = sn_size_of_value(&k->reader, v);
  int64_t number;
  uintptr_t at;
  if (!s.known || sn_is(op, "arith.constant"))
    return;
  if (sn_size_is_number(&s, &number)) {
    SnBuilder b = sn_before(op);
    mlirValueReplaceAllUsesOfWith(v, sn_int(&b, t, number));
    return;
  }
  if (!sn_table_get(&k->by_size, hash(&s, t), &at)) {
    if (inside)
      return;
    sn_push(&k->values, v);
    sn_table_put(&k->by_size, hash(&s, t), k->values.size);
    return;
  }
  MlirValue earlier = k->values.data[at - 1];
  SnSize same = sn_size_of_value(&k->reader, earlier);
  if (sn_size_equal(&s, &same) && mlirTypeEqual(sn_type_of(earlier), t))
    mlirValueReplaceAllUsesOfWith(v, earlier);
}

// ---- comparisons -----------------------------------------------------------------------------

static void decide(Known *k, MlirOperation compare) {
  int is = sn_size_decided(&k->reader, compare);
  if (is < 0)
    return;
  SnBuilder b = sn_before(compare);
  mlirValueReplaceAllUsesOfWith(sn_result(compare, 0), sn_int(&b, sn_type(b.ctx, "i1"), is));
}

// ---- broadcasts --------------------------------------------------------------------------------

static MlirAffineMap map_of(MlirOperation generic, intptr_t operand) {
  return mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(mlirLinalgGetIndexingMapsAttribute(generic), operand));
}

// Whether a loop of a linalg op has so many turns, by the operand that has its size.
static bool has_turns(Known *k, MlirOperation generic, intptr_t loop, const SnSize *turns) {
  for (intptr_t o = 0; o < sn_num_operands(generic); ++o) {
    MlirAffineMap map = map_of(generic, o);
    for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map); ++i)
      if (sn_map_dim(map, i) == loop) {
        SnSize s = sn_size_of_dim(&k->reader, sn_operand(generic, o), i);
        if (sn_size_equal(&s, turns))
          return true;
      }
  }
  return false;
}

// The loop that a value of the body counts, -1 if it is anything else.
static intptr_t loop_of(MlirOperation generic, MlirValue v) {
  MlirOperation op = sn_definer(v);
  bool here = sn_is(op, "linalg.index") && mlirOperationEqual(mlirOperationGetParentOperation(op), generic);
  return here ? (intptr_t)sn_int_attr(op, "dim", -1) : -1;
}

// %n == 1 ? 0 : i of a loop of %n turns is i.
static void drop_question(Known *k, MlirOperation generic, MlirOperation select) {
  enum { CONDITION, ZERO, INDEX };
  MlirOperation compare = sn_def(sn_operand(select, CONDITION), "arith.cmpi");
  intptr_t loop = loop_of(generic, sn_operand(select, INDEX));
  if (sn_null(compare) || sn_int_attr(compare, "predicate", -1) != SN_EQUAL || loop < 0 ||
      !sn_is_constant(sn_operand(select, ZERO), 0) || !sn_is_constant(sn_operand(compare, 1), 1))
    return;
  SnSize n = sn_size_of_value(&k->reader, sn_operand(compare, 0));
  if (has_turns(k, generic, loop, &n))
    mlirValueReplaceAllUsesOfWith(sn_result(select, 0), sn_operand(select, INDEX));
}

// What is extracted at the loops' own places becomes an operand.
static void read_as_operand(Known *k, MlirOperation generic, MlirOperation extract) {
  MlirValue x = sn_operand(extract, 0);
  MlirContext ctx = mlirOperationGetContext(generic);
  intptr_t rank = sn_rank(sn_type_of(x)),
           inputs = mlirDenseI32ArrayGetElement(sn_get_attr(generic, "operandSegmentSizes"), 0);
  MlirAffineExpr at[SN_MAX_DIMS];
  if (rank > SN_MAX_DIMS || !mlirTypeIsARankedTensor(sn_type_of(x)))
    return;
  for (intptr_t i = 0; i < rank; ++i) {
    MlirValue v = sn_operand(extract, i + 1);
    intptr_t loop = loop_of(generic, v);
    SnSize size = sn_size_of_dim(&k->reader, x, i);
    bool only = sn_is_constant(v, 0) && sn_dim(sn_type_of(x), i) == 1;
    if (!only && (loop < 0 || !has_turns(k, generic, loop, &size)))
      return;
    at[i] = only ? mlirAffineConstantExprGet(ctx, 0) : mlirAffineDimExprGet(ctx, loop);
  }
  SnValueVec operands = {0};
  SN_VEC(MlirAttribute) maps = {0};
  for (intptr_t o = 0; o <= sn_num_operands(generic); ++o) {
    MlirAffineMap first = map_of(generic, 0);
    intptr_t old = o > inputs ? o - 1 : o;
    sn_push(&operands, o == inputs ? x : sn_operand(generic, old));
    sn_push(&maps, mlirAffineMapAttrGet(o == inputs ? mlirAffineMapGet(ctx, mlirAffineMapGetNumDims(first), 0, rank, at)
                                                    : map_of(generic, old)));
  }
  mlirOperationSetOperands(generic, (intptr_t)operands.size, operands.data);
  sn_set_attr(generic, "indexing_maps", mlirArrayAttrGet(ctx, (intptr_t)maps.size, maps.data));
  int32_t segments[] = {(int32_t)inputs + 1, (int32_t)(sn_num_operands(generic) - inputs - 1)};
  sn_set_attr(generic, "operandSegmentSizes", mlirDenseI32ArrayGet(ctx, 2, segments));
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(generic, 0));
  MlirValue element =
      mlirBlockInsertArgument(body, inputs, sn_element(sn_type_of(x)), mlirOperationGetLocation(extract));
  mlirValueReplaceAllUsesOfWith(sn_result(extract, 0), element);
  sn_vec_free(&operands);
  sn_vec_free(&maps);
}

// ---- remainders ----------------------------------------------------------------------------------

// More than any value of the body that a loop counts, or a part of it; not known of any other.
static SnSize bound_of(Known *k, MlirOperation generic, MlirValue v) {
  const SnSize unknown = {0};
  intptr_t loop = loop_of(generic, v);
  MlirOperation op = sn_definer(v);
  for (intptr_t o = 0; loop >= 0 && o < sn_num_operands(generic); ++o) {
    MlirAffineMap map = map_of(generic, o);
    for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map); ++i)
      if (sn_map_dim(map, i) == loop)
        return sn_size_of_dim(&k->reader, sn_operand(generic, o), i);
  }
  bool quotient = sn_is(op, "arith.divsi") || sn_is(op, "arith.divui");
  if (!quotient && !sn_is(op, "arith.remsi") && !sn_is(op, "arith.remui"))
    return unknown;
  SnSize x = bound_of(k, generic, sn_operand(op, 0)), y = sn_size_of_value(&k->reader, sn_operand(op, 1));
  bool sizes = sn_size_of_tensors(&k->reader, &x) && sn_size_of_tensors(&k->reader, &y);
  return !sizes ? unknown : quotient ? sn_size_quotient(&x, &y) : y;
}

// i % n is i, where i is less than n.
static void drop_remainder(Known *k, MlirOperation generic, MlirOperation rest) {
  SnSize n = sn_size_of_value(&k->reader, sn_operand(rest, 1)), bound = bound_of(k, generic, sn_operand(rest, 0));
  if (sn_size_of_tensors(&k->reader, &n) && sn_size_equal(&bound, &n))
    mlirValueReplaceAllUsesOfWith(sn_result(rest, 0), sn_operand(rest, 0));
}

static void in_body(Known *k, MlirOperation generic) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(generic, 0));
  for (MlirOperation op = mlirBlockGetFirstOperation(body), next; !sn_null(op); op = next) {
    next = mlirOperationGetNextInBlock(op);
    if (sn_is(op, "arith.select"))
      drop_question(k, generic, op);
    else if (sn_is(op, "arith.remsi") || sn_is(op, "arith.remui"))
      drop_remainder(k, generic, op);
    else if (sn_is(op, "tensor.extract"))
      read_as_operand(k, generic, op);
  }
}

// ---- slices --------------------------------------------------------------------------------------

static bool all_are(MlirAttribute numbers, int64_t number) {
  bool all = true;
  for (intptr_t i = 0; i < mlirDenseArrayGetNumElements(numbers); ++i)
    all &= mlirDenseI64ArrayGetElement(numbers, i) == number;
  return all;
}

// A slice of all that is there is it; written over all that is there, it is all that is left.
static void drop_slice(Known *k, MlirOperation slice) {
  bool inserts = sn_is(slice, "tensor.insert_slice");
  MlirValue x = sn_operand(slice, 0), whole = sn_operand(slice, inserts);
  bool all = mlirTypeEqual(sn_type_of(x), sn_type_of(sn_result(slice, 0))) &&
             all_are(sn_get_attr(slice, "static_offsets"), 0) && all_are(sn_get_attr(slice, "static_strides"), 1);
  for (intptr_t i = 0; i < sn_rank(sn_type_of(whole)) && all; ++i) {
    SnSize has = sn_size_of_dim(&k->reader, whole, i),
           takes = sn_size_of_dim(&k->reader, inserts ? x : sn_result(slice, 0), i);
    all = sn_size_equal(&has, &takes);
  }
  if (all)
    mlirValueReplaceAllUsesOfWith(sn_result(slice, 0), x);
}

// ---- numbers ---------------------------------------------------------------------------------------

// The number of turns of a linalg op's loop; SN_DYNAMIC if no operand says it.
static int64_t number_of_turns(SnSizeReader *r, MlirOperation generic, intptr_t loop) {
  for (intptr_t o = 0; o < sn_num_operands(generic); ++o) {
    MlirAffineMap map = map_of(generic, o);
    for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map); ++i) {
      int64_t number;
      SnSize s = sn_map_dim(map, i) == loop ? sn_size_of_dim(r, sn_operand(generic, o), i) : (SnSize){0};
      if (sn_size_is_number(&s, &number))
        return number;
    }
  }
  return SN_DYNAMIC;
}

// An op of the function itself, which runs in any case, and whose result somebody asks for.
static bool says_sizes(MlirOperation op, MlirBlock body) {
  return sn_is(op, "linalg.generic") && sn_num_results(op) && mlirBlockEqual(mlirOperationGetBlock(op), body) &&
         !mlirOpOperandIsNull(mlirValueGetFirstUse(sn_result(op, 0)));
}

// The sizes of an argument that ops say by their other operands. False if its type says as much, or they disagree: then
// the program fails when it runs.
static bool numbers_of(SnSizeReader *r, MlirBlock body, MlirValue x, int64_t *sizes) {
  bool any = false;
  for (intptr_t i = 0; i < sn_rank(sn_type_of(x)); ++i)
    sizes[i] = sn_dim(sn_type_of(x), i);
  for (MlirOpOperand use = mlirValueGetFirstUse(x); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    if (!says_sizes(op, body))
      continue;
    MlirAffineMap map = map_of(op, (intptr_t)mlirOpOperandGetOperandNumber(use));
    for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map); ++i) {
      int64_t number = sn_map_dim(map, i) < 0 ? SN_DYNAMIC : number_of_turns(r, op, sn_map_dim(map, i));
      if (number != SN_DYNAMIC && sizes[i] != SN_DYNAMIC && number != sizes[i])
        return false;
      any |= number != sizes[i] && number != SN_DYNAMIC;
      sizes[i] = number == SN_DYNAMIC ? sizes[i] : number;
    }
  }
  return any;
}

// The cast is what is compared when the program runs (sinter-sizes); canonicalize hands it on to who can take it.
static void take_numbers(MlirOperation func) {
  MlirRegion region = mlirOperationGetRegion(func, 0);
  MlirBlock body = mlirRegionGetFirstBlock(region);
  SnSizeReader r = {0};
  if (mlirBlockIsNull(body) || !mlirBlockIsNull(mlirBlockGetNextInRegion(body)))
    return;
  SnBuilder head = sn_at_start(body, mlirOperationGetLocation(func));
  for (intptr_t k = 0; k < mlirBlockGetNumArguments(body); ++k) {
    MlirValue x = mlirBlockGetArgument(body, k);
    MlirType t = sn_type_of(x);
    int64_t sizes[SN_MAX_DIMS];
    if (!mlirTypeIsARankedTensor(t) || sn_rank(t) > SN_MAX_DIMS || !numbers_of(&r, body, x, sizes))
      continue;
    MlirType known = mlirRankedTensorTypeGet(sn_rank(t), sizes, sn_element(t), mlirRankedTensorTypeGetEncoding(t));
    MlirValue cast = sn(&head, "tensor.cast", x, known), back = sn(&head, "tensor.cast", cast, t);
    mlirValueReplaceAllUsesOfWith(x, back);
    mlirOperationSetOperand(sn_definer(cast), 0, x);
  }
  sn_size_reader_free(&r);
}

// ---- the pass -------------------------------------------------------------------------------------

typedef struct {
  Known known;
  MlirOperation func;
  SnOpVec generics, parts;
} Walk;

static MlirWalkResult look(MlirOperation op, void *user) {
  Walk *w = user;
  if (mlirOperationEqual(op, w->func))
    return MlirWalkResultAdvance;
  if (sn_in_dialect(op, "sinter") || sn_table_has(&w->known.asserts, op.ptr))
    return MlirWalkResultSkip;
  if (sn_is(op, "linalg.generic") && sn_num_results(op))
    sn_push(&w->generics, op);
  if (sn_is(op, "tensor.extract_slice") || sn_is(op, "tensor.insert_slice"))
    drop_slice(&w->known, op);
  if (sn_is(op, "tensor.extract_slice") || sn_is(op, "tensor.concat"))
    sn_push(&w->parts, op);
  if (sn_is(op, "arith.cmpi"))
    decide(&w->known, op);
  else if (sn_num_results(op) == 1)
    unify(&w->known, op, !mlirOperationEqual(mlirOperationGetParentOperation(op), w->func));
  return MlirWalkResultAdvance;
}

static MlirLogicalResult run_function(MlirOperation func, void *user) {
  const bool *differentiated = user;
  Walk w = {.func = func};
  sn_drop_broadcast_sizes(func);
  sn_take_asserted_sizes(func, &w.known.reader, &w.known.asserts);
  mlirOperationWalk(func, look, &w, MlirWalkPreOrder);
  for (size_t i = 0; i < w.generics.size; ++i)
    in_body(&w.known, w.generics.data[i]);
  for (size_t i = 0; i < w.parts.size; ++i)
    sn_unfold_equal_parts(&w.known.reader, w.parts.data[i]);
  if (!*differentiated)
    take_numbers(func);
  sn_vec_free(&w.generics);
  sn_vec_free(&w.parts);
  sn_vec_free(&w.known.values);
  sn_table_free(&w.known.by_size);
  sn_table_free(&w.known.asserts);
  sn_size_reader_free(&w.known.reader);
  return SN_OK;
}

typedef struct {
  const char *wrt;
} Options;
static const SnOption options[] = {
    {SN_OPTION_STRING, "wrt", "arguments that the program is differentiated by later", "", NULL,
     offsetof(Options, wrt)},
    {0},
};

// Gradients have the arguments' own types: parts of them that know more are kernels apart from those that do not.
static MlirLogicalResult run(const SnRun *run, MlirOperation op) {
  const Options *o = run->options;
  SnOpVec asked = sn_collect(op, "sinter.differentiate");
  bool differentiated = *o->wrt || asked.size;
  sn_vec_free(&asked);
  return sn_each_function(op, run_function, &differentiated);
}

MlirDialectHandle mlirGetDialectHandle__arith__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__arith__, NULL};

const SnPass sn_pass_known_sizes = {
    .argument = "sinter-known-sizes",
    .summary = "sizes ? that are one by how they are computed as one value, and broadcasts of them as plain operands",
    .dialects = dialects,
    .options = options,
    .options_size = sizeof(Options),
    .run = run,
};

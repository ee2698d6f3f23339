// step_uses.c: losses that are defined in steps become sinter.steps.
//
//   %l = sinter.multilabel_margin(%x, %t)     ->   %l = sinter.steps rows(0) ins(%x, %t : T, U) values(%e :
//   tensor<f32>) -> tensor<f32> {
//       : (T, U) -> tensor<f32>                    ^row(%n: index, %a: memref<4x8xf32>, %b: memref<4x8xi64>):
//                                                    ...the definition's body...
//                                                  } finish {
//                                                    ...divided by the number of rows...
//
// The definition is written in f32 and i64 on memory of any size: here it gets the shapes and types that are met.
// What is loaded of another type is converted behind the load, what is stored in front of the store. A gradient is
// the same body again, with what is under its `gradient` argument: so value and gradient are one kernel.
//
// runs in: sinter-expand    test: test/passes/expand/step_uses.mlir

#include "dialect/steps.h"
#include "passes/expand/step_uses.h"
#include <assert.h>
#include <stdio.h>

typedef struct {
  SnStepsDefinition definition;
  MlirOperation use;        // or the sinter.steps that was made of it: both say the attributes
  MlirAttribute attributes; // of the use, as a dictionary
  SnBuilder b;
  SnValueVec operands;      // with all dimensions
  MlirType real;
  SnReduction reduction;
  bool mean, wanted;
  MlirValue upstream;       // rank 0, or one element for each row; null: ones
} Expand;

// ---- operands with all dimensions -------------------------------------------------------

// Groups of [0] [1, 2]: the unit dimension `at` is in the group of a neighbour.
static MlirAttribute groups(MlirContext ctx, intptr_t rank, intptr_t at) {
  MlirAttribute *all = sn_alloc((size_t)rank * sizeof *all), members[2];
  intptr_t n = 0;
  for (intptr_t d = 0; d < rank && rank > 1; ++d) {
    bool pair = d == at ? d + 1 < rank : d + 1 == at && d + 2 == rank;
    members[0] = sn_i64(ctx, d);
    if (pair)
      members[1] = sn_i64(ctx, d + 1);
    all[n++] = mlirArrayAttrGet(ctx, pair ? 2 : 1, members);
    d += pair;
  }
  MlirAttribute made = mlirArrayAttrGet(ctx, n, all);
  free(all);
  return made;
}

// The tensor with a dimension of size 1 at `at`.
static MlirValue lift(SnBuilder *b, MlirValue v, intptr_t at) {
  MlirType t = sn_type_of(v);
  intptr_t rank = sn_rank(t) + 1;
  int64_t *shape = sn_alloc((size_t)rank * sizeof *shape);
  SnValueVec sizes = {0};
  for (intptr_t d = 0; d < rank; ++d) {
    shape[d] = d == at ? 1 : sn_dim(t, d - (d > at));
    if (shape[d] == SN_DYNAMIC)
      sn_push(&sizes, sn(b, "tensor.dim", v, sn_index(b, d - (d > at)), sn_index_type(b->ctx)));
  }
  MlirValue lifted = sn(b, "tensor.expand_shape", v, sn_values((intptr_t)sizes.size, sizes.data),
                        sn_tensor(sn_element(t), rank, shape), sn_attr("reassociation", groups(b->ctx, rank, at)),
                        sn_attr("static_output_shape", mlirDenseI64ArrayGet(b->ctx, rank, shape)));
  sn_vec_free(&sizes);
  free(shape);
  return lifted;
}

static MlirValue empty_like(SnBuilder *b, MlirValue v) {
  MlirType t = sn_type_of(v);
  SnValueVec sizes = {0};
  for (intptr_t i = 0; i < sn_rank(t); ++i)
    if (sn_dim(t, i) == SN_DYNAMIC)
      sn_push(&sizes, sn(b, "tensor.dim", v, sn_index(b, i), sn_index_type(b->ctx)));
  MlirValue empty =
      sn(b, "tensor.empty", sn_values((intptr_t)sizes.size, sizes.data), sn_tensor_like(t, sn_element(t)));
  sn_vec_free(&sizes);
  return empty;
}

// ---- the body ---------------------------------------------------------------------------------

static MlirValue converted(SnBuilder *b, MlirValue v, MlirType to) {
  MlirType from = sn_type_of(v);
  if (mlirTypeEqual(from, to))
    return v;
  if (sn_is_float(from))
    return sn(b, sn_bits(from) < sn_bits(to) ? "arith.extf" : "arith.truncf", v, to);
  return sn(b, sn_bits(from) < sn_bits(to) ? "arith.extsi" : "arith.trunci", v, to);
}

static MlirValue number(SnBuilder *b, MlirType t, MlirAttribute a) {
  double value = 0;
  if (mlirAttributeIsABool(a))
    return sn_int(b, t, mlirBoolAttrGetValue(a));
  return sn_attr_number(a, &value) && sn_is_float(t) ? sn_float(b, t, value)
                                                     : sn_int(b, t, mlirIntegerAttrGetValueInt(a));
}

// The gradient of the result with respect to what the body yields for its row.
static MlirValue upstream(Expand *x, SnBuilder *b, MlirValue memory, MlirValue row, MlirValue rows) {
  MlirType f32 = mlirF32TypeGet(b->ctx);
  MlirValue g = sn_float(b, f32, 1.0);
  if (!sn_none(memory)) {
    MlirType t = sn_type_of(memory);
    g = sn(b, "memref.load", memory, sn_values(sn_rank(t), &row), sn_element(t));
    g = converted(b, g, x->real);
  }
  if (!x->mean)
    return g;
  MlirValue n = sn(b, "arith.index_cast", rows, mlirIntegerTypeGet(b->ctx, 64));
  MlirType t = sn_type_of(g);
  return sn(b, "arith.divf", g, sn(b, "arith.sitofp", n, t));
}

static MlirWalkResult find_dead(MlirOperation op, void *found) {
  if (!sn_is(op, "scf.if") || sn_num_results(op))
    return MlirWalkResultAdvance;
  double condition;
  MlirAttribute constant = sn_constant_of(sn_operand(op, 0));
  if (!constant.ptr || !sn_attr_number(constant, &condition) || condition != 0)
    return MlirWalkResultAdvance;
  sn_push((SnOpVec *)found, op);
  return MlirWalkResultSkip;
}

static MlirType in_real(MlirType t, MlirType real) {
  MlirType e = sn_element(t);
  if (!sn_is_float(e) || sn_bits(e) != 32)
    return t;
  if (!mlirTypeIsAMemRef(t))
    return mlirTypeIsAShaped(t) ? t : real;
  return sn_memref_like(t, real);
}

// f32 -> f64, in place.
static MlirWalkResult make_real(MlirOperation op, void *user) {
  MlirType real = *(MlirType *)user;
  for (intptr_t k = 0; k < sn_num_results(op); ++k)
    mlirValueSetType(sn_result(op, k), in_real(sn_type_of(sn_result(op, k)), real));
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); ++r)
    for (MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r)); block.ptr;
         block = mlirBlockGetNextInRegion(block))
      for (intptr_t k = 0; k < mlirBlockGetNumArguments(block); ++k)
        mlirValueSetType(mlirBlockGetArgument(block, k), in_real(sn_type_of(mlirBlockGetArgument(block, k)), real));
  MlirAttribute value = sn_is(op, "arith.constant") ? sn_get_attr(op, "value") : mlirAttributeGetNull();
  if (value.ptr && mlirAttributeIsAFloat(value))
    sn_set_attr(op, "value",
                mlirFloatAttrDoubleGet(mlirOperationGetContext(op), sn_type_of(sn_result(op, 0)),
                                       mlirFloatAttrGetValueDouble(value)));
  return MlirWalkResultAdvance;
}

static MlirWalkResult find_typed(MlirOperation op, void *found) {
  if (sn_is(op, "memref.load") || sn_is(op, "memref.store") || sn_is(op, "arith.extf") || sn_is(op, "arith.truncf"))
    sn_push((SnOpVec *)found, op);
  return MlirWalkResultAdvance;
}

// Loads and stores of memory of other types, and conversions that are none any more.
static void fit_types(MlirOperation op) {
  if (sn_is(op, "memref.load")) {
    MlirType e = sn_element(sn_type_of(sn_operand(op, 0))), wanted = sn_type_of(sn_result(op, 0));
    if (mlirTypeEqual(e, wanted))
      return;
    MlirValue v = sn_result(op, 0);
    SnBuilder b = sn_before(op);
    SnMap none = {0};
    MlirOperation copy = sn_clone(&b, op, &none);
    sn_map_free(&none);
    mlirValueSetType(sn_result(copy, 0), e);
    mlirValueReplaceAllUsesOfWith(v, converted(&b, sn_result(copy, 0), wanted));
    mlirOperationDestroy(op);
  } else if (sn_is(op, "memref.store")) {
    SnBuilder b = sn_before(op);
    mlirOperationSetOperand(op, 0, converted(&b, sn_operand(op, 0), sn_element(sn_type_of(sn_operand(op, 1)))));
  } else if (mlirTypeEqual(sn_type_of(sn_operand(op, 0)), sn_type_of(sn_result(op, 0)))) {
    mlirValueReplaceAllUsesOfWith(sn_result(op, 0), sn_operand(op, 0));
    mlirOperationDestroy(op);
  }
}

// The definition's body into that of the form, whose arguments are the row, operands, then the upstream gradient and
// the place of the gradient.
static void make_body(Expand *x, MlirBlock body, MlirLocation loc) {
  const SnStepsDefinition *d = &x->definition;
  SnBuilder b = sn_at_end(body, loc);
  SnMap map = {0};
  MlirValue dummy = {0}, row = mlirBlockGetArgument(body, 0), first = mlirBlockGetArgument(body, 1);
  MlirType i1 = mlirIntegerTypeGet(b.ctx, 1);
  intptr_t next = 1, last = mlirBlockGetNumArguments(body) - 1;
  for (size_t k = 0; k < d->parameters.size; ++k) {
    const SnStepsParameter *p = &d->parameters.data[k];
    MlirValue v = {0}, was = mlirBlockGetArgument(d->body, (intptr_t)k);
    if (p->kind == SN_STEPS_ROW) {
      v = row;
    } else if (p->kind == SN_STEPS_OPERAND) {
      v = mlirBlockGetArgument(body, next++);
    } else if (p->kind == SN_STEPS_NUMBER) {
      char name[96];
      snprintf(name, sizeof name, "%.*s", (int)p->name.length, p->name.data);
      MlirAttribute written = mlirDictionaryAttrGetElementByName(x->attributes, p->name);
      v = number(&b, p->type, written.ptr ? written : p->otherwise);
    } else if (p->kind == SN_STEPS_MEAN) {
      v = sn_int(&b, i1, x->mean);
    } else if (p->kind == SN_STEPS_WANTED) {
      v = sn_int(&b, i1, x->wanted);
    } else if (p->kind == SN_STEPS_UPSTREAM) {
      intptr_t rows_dim = d->parameters.data[sn_steps_parameter(d, SN_STEPS_OPERAND)].rows;
      MlirValue memory =
          sn_none(x->upstream) ? (MlirValue){0} : mlirBlockGetArgument(body, (intptr_t)x->operands.size + 1);
      MlirValue rows = x->mean && x->wanted ? sn(&b, "memref.dim", first, sn_index(&b, rows_dim), sn_index_type(b.ctx))
                                            : (MlirValue){0};
      v = x->wanted ? upstream(x, &b, memory, row, rows) : sn_float(&b, p->type, 1.0);
    } else if (x->wanted) {
      v = mlirBlockGetArgument(body, last);
    } else { // no branch that stores there is left
      int64_t none[SN_MAX_DIMS] = {0};
      int32_t segments[] = {0, 0};
      v = dummy = sn(&b, "memref.alloca", sn_memref(sn_element(p->type), sn_rank(p->type), none),
                     sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b.ctx, 2, segments)));
    }
    sn_map(&map, was, v);
  }
  for (MlirOperation op = mlirBlockGetFirstOperation(d->body); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    sn_clone(&b, op, &map);
  sn_map_free(&map);

  SnOpVec dead = {0}, typed = {0};
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    mlirOperationWalk(op, find_dead, &dead, MlirWalkPreOrder);
  for (size_t k = 0; k < dead.size; ++k)
    mlirOperationDestroy(dead.data[k]);
  if (!sn_none(dummy))
    mlirOperationDestroy(sn_definer(dummy));
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !sn_null(op); op = mlirOperationGetNextInBlock(op)) {
    if (sn_bits(x->real) == 64)
      mlirOperationWalk(op, make_real, &x->real, MlirWalkPreOrder);
    mlirOperationWalk(op, find_typed, &typed, MlirWalkPreOrder);
  }
  for (size_t k = 0; k < typed.size; ++k)
    fit_types(typed.data[k]);
  sn_vec_free(&dead);
  sn_vec_free(&typed);
}

// sum / rows
static void make_finish(MlirBlock finish, MlirLocation loc) {
  SnBuilder b = sn_at_end(finish, loc);
  MlirValue sum = mlirBlockGetArgument(finish, 1);
  MlirValue n = sn(&b, "arith.index_cast", mlirBlockGetArgument(finish, 0), mlirIntegerTypeGet(b.ctx, 64));
  sn_op(&b, "sinter.yield", sn(&b, "arith.divf", sum, sn(&b, "arith.sitofp", n, sn_type_of(sum))), sn_types(0, NULL));
}

// ---- the form -----------------------------------------------------------------------------------

static MlirOperation make_steps(Expand *x) {
  SnBuilder *b = &x->b;
  const SnStepsDefinition *d = &x->definition;
  intptr_t rows_dim = d->parameters.data[sn_steps_parameter(d, SN_STEPS_OPERAND)].rows;
  bool each = x->reduction == SN_REDUCE_NONE;
  x->mean = x->reduction == SN_REDUCE_MEAN;
  SnValueVec operands = {0};
  SN_VEC(MlirType) arguments = {0};
  SN_VEC(MlirLocation) locs = {0};
  for (size_t k = 0; k < x->operands.size; ++k)
    sn_push(&operands, x->operands.data[k]);
  if (!sn_none(x->upstream))
    sn_push(&operands, x->upstream);
  int32_t segments[] = {(int32_t)operands.size, x->wanted, 1};
  if (x->wanted) {
    intptr_t of = d->parameters.data[sn_steps_parameter(d, SN_STEPS_GRADIENT)].of;
    sn_push(&operands, empty_like(b, x->operands.data[of - 1])); // operands follow the row
  }
  int64_t rows = sn_dim(sn_type_of(x->operands.data[0]), rows_dim);
  MlirValue unknown = each && rows == SN_DYNAMIC
                          ? sn(b, "tensor.dim", x->operands.data[0], sn_index(b, rows_dim), sn_index_type(b->ctx))
                          : (MlirValue){0};
  sn_push(&arguments, sn_index_type(b->ctx));
  for (size_t k = 0; k < operands.size; ++k)
    sn_push(&arguments, sn_memref_like(sn_type_of(operands.data[k]), sn_element(sn_type_of(operands.data[k]))));
  sn_push(&operands, sn(b, "tensor.empty", sn_values(!sn_none(unknown), &unknown), sn_tensor(x->real, each, &rows)));
  for (size_t k = 0; k < arguments.size; ++k)
    sn_push(&locs, b->loc);
  MlirRegion body = mlirRegionCreate(), finish = mlirRegionCreate();
  MlirBlock block = mlirBlockCreate((intptr_t)arguments.size, arguments.data, locs.data);
  mlirRegionAppendOwnedBlock(body, block);
  make_body(x, block, b->loc);
  if (x->mean) {
    MlirType types[] = {sn_index_type(b->ctx), x->real};
    MlirLocation two[] = {b->loc, b->loc};
    MlirBlock end = mlirBlockCreate(2, types, two);
    mlirRegionAppendOwnedBlock(finish, end);
    make_finish(end, b->loc);
  }
  SN_VEC(MlirType) results = {0};
  for (size_t k = (size_t)segments[0]; k < operands.size; ++k)
    sn_push(&results, sn_type_of(operands.data[k]));
  MlirOperation op =
      sn_op(b, "sinter.steps", sn_values((intptr_t)operands.size, operands.data),
            sn_types((intptr_t)results.size, results.data), sn_attr("rows", sn_i64(b->ctx, rows_dim)),
            sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b->ctx, 3, segments)),
            sn_attr("definition", sn_get_attr(d->op, "sym_name")), sn_attr("use", x->attributes), body, finish);
  sn_vec_free(&operands);
  sn_vec_free(&arguments);
  sn_vec_free(&locs);
  sn_vec_free(&results);
  return op;
}

// ---- uses -----------------------------------------------------------------------------------------

static MlirAttribute attributes_of(const SnStepsDefinition *d, MlirOperation use) {
  MlirContext ctx = mlirOperationGetContext(use);
  SN_VEC(MlirNamedAttribute) all = {0};
  for (intptr_t k = 0; k < mlirOperationGetNumAttributes(use); ++k) {
    MlirNamedAttribute a = mlirOperationGetAttribute(use, k);
    if (!mlirStringRefEqual(mlirIdentifierStr(a.name), SN_STR("callee")))
      sn_push(&all, a);
  }
  if (!sn_get_attr(use, "reduction").ptr)
    sn_push(&all, mlirNamedAttributeGet(mlirIdentifierGet(ctx, SN_STR("reduction")),
                                        mlirArrayAttrGetElement(d->reductions, 0)));
  MlirAttribute words = mlirDictionaryAttrGet(ctx, (intptr_t)all.size, all.data);
  sn_vec_free(&all);
  return words;
}

bool sn_is_steps_use(MlirOperation use) {
  SnFound found;
  bool is = sn_is_use(use) && !sn_null(sn_steps_definition(use, &found));
  if (sn_is_use(use))
    sn_found_free(&found);
  return is;
}

MlirLogicalResult sn_expand_steps(MlirOperation use) {
  SnFound found;
  MlirOperation definition = sn_steps_definition(use, &found);
  MlirLogicalResult result = sn_steps_check_use(use, definition);
  Expand x = {
      .definition = sn_steps_definition_read(definition), .use = use, .b = sn_before(use), .real = sn_steps_real(use)};
  if (!sn_failed(result)) {
    bool alone = sn_steps_alone(&x.definition, use);
    x.attributes = attributes_of(&x.definition, use);
    x.reduction = sn_steps_reduction(&x.definition, sn_get_attr(use, "reduction"));
    if (alone && x.reduction == SN_REDUCE_NONE)
      x.reduction = SN_REDUCE_SUM; // of one row
    for (size_t k = 0; k < x.definition.parameters.size; ++k) {
      const SnStepsParameter *p = &x.definition.parameters.data[k];
      if (p->kind != SN_STEPS_OPERAND)
        continue;
      MlirValue v = sn_operand(use, (intptr_t)x.operands.size);
      sn_push(&x.operands, sn_rank(sn_type_of(v)) < sn_rank(p->type) ? lift(&x.b, v, p->rows) : v);
    }
    MlirOperation steps = make_steps(&x);
    mlirValueReplaceAllUsesOfWith(sn_result(use, 0), sn_result(steps, 0));
    mlirOperationDestroy(use);
  }
  sn_steps_definition_free(&x.definition);
  sn_vec_free(&x.operands);
  sn_found_free(&found);
  return result;
}

// ---- gradients --------------------------------------------------------------------------------------

// The definition that a sinter.steps was made of, null if it has no gradient.
static MlirOperation with_gradient(MlirOperation steps, SnFound *found) {
  MlirOperation op = sn_steps_definition(steps, found);
  if (sn_null(op) || sn_steps_read(steps).outputs)
    return (MlirOperation){0};
  SnStepsDefinition d = sn_steps_definition_read(op);
  bool has = sn_steps_parameter(&d, SN_STEPS_GRADIENT) >= 0;
  sn_steps_definition_free(&d);
  return has ? op : (MlirOperation){0};
}

bool sn_steps_has_gradient(MlirOperation steps, intptr_t operand) {
  SnFound found;
  MlirOperation op = with_gradient(steps, &found);
  bool has = false;
  if (!sn_null(op)) {
    SnStepsDefinition d = sn_steps_definition_read(op);
    has = d.parameters.data[sn_steps_parameter(&d, SN_STEPS_GRADIENT)].of == operand + 1; // operands follow the row
    sn_steps_definition_free(&d);
  }
  sn_found_free(&found);
  return has;
}

MlirOperation sn_steps_gradient(SnBuilder at, MlirOperation steps, MlirValue upstream) {
  SnFound found;
  MlirOperation op = with_gradient(steps, &found);
  assert(!sn_null(op) && "asked before");
  SnSteps s = sn_steps_read(steps);
  bool each = !sn_steps_is_sum(&s, 0);
  Expand x = {.definition = sn_steps_definition_read(op),
              .use = steps,
              .attributes = sn_get_attr(steps, "use"),
              .b = at,
              .real = sn_element(sn_type_of(sn_steps_value(&s, 0))),
              .wanted = true,
              .upstream = upstream};
  SnReduction written = sn_reduction(mlirDictionaryAttrGetElementByName(x.attributes, SN_STR("reduction")));
  x.reduction = each ? SN_REDUCE_NONE : written == SN_REDUCE_NONE ? SN_REDUCE_SUM : written;
  for (intptr_t k = 0; k < s.inputs; ++k)
    sn_push(&x.operands, sn_operand(steps, k));
  x.b.loc = mlirOperationGetLocation(steps);
  MlirOperation made = make_steps(&x);
  sn_steps_definition_free(&x.definition);
  sn_vec_free(&x.operands);
  sn_found_free(&found);
  return made;
}

// expand.c: losses and row functions become kernel forms.
//
//   %l = sinter.mse(%x, %t)        ->   %l = sinter.rowwise (i = 4) by (j = 8)
//       : (T, T) -> tensor<f32>             ins(%x[i, j] : T, %t[i, j] : T) reduce(add [] : f32) outs(%e[] :
//       tensor<f32>) {
//                                       ^row(%a: tensor<8xf32>, %b: tensor<8xf32>):
//                                         ...the definition's body, and the sum of what it yields...
//                                       } finish {
//                                         ...divided by the number of elements...
//                                       }
//
// Rows run along the definition's column dimension; all other dimensions count rows.
// Definitions are gone afterwards.
//
// runs in: sinter-cpu, sinter-gpu    test: test/passes/expand/expand.mlir

#include "dialect/dialect.h"
#include "passes/expand/expand.h"
#include "passes/expand/step_uses.h"
#include <assert.h>
#include <stdio.h>

typedef struct {
  SnUse *use;
  SnForm form;
  SnBuilder b;                 // in front of the use
  SN_VEC(size_t) inputs;       // which operand parameter each input of the form is
  intptr_t count;              // input that is the number of what a mean is over; -1 if none
  int64_t number;              // the same where it is known
  intptr_t place[SN_MAX_DIMS]; // where each dimension of the use is in the form
} Expand;

// ---- dimensions and accesses ------------------------------------------------------------

static void make_dims(Expand *x) {
  static const char names[] = "ijklmnopqrstuvwx";
  const SnUse *u = x->use;
  MlirContext ctx = x->b.ctx;
  x->form.num_rows = u->rank - u->num_columns;
  x->form.num_cols = u->num_columns;
  intptr_t row = 0;
  for (intptr_t d = 0; d < u->rank; ++d)
    x->place[d] = sn_use_is_column(u, d) ? u->rank - u->num_columns + (d - u->column) : row++;
  for (intptr_t at = 0; at < u->rank; ++at)
    for (intptr_t d = 0; d < u->rank; ++d)
      if (x->place[d] == at) {
        char name[2] = {names[d], 0};
        sn_push(&x->form.dims, (SnDim){mlirIdentifierStr(mlirIdentifierGet(ctx, SN_STR(name))), u->shape[d]});
      }
}

static MlirAffineMap map_of(Expand *x, intptr_t n, const intptr_t *dims) {
  MlirContext ctx = x->b.ctx;
  MlirAffineExpr exprs[SN_MAX_DIMS];
  for (intptr_t i = 0; i < n; ++i)
    exprs[i] = dims[i] < 0 ? mlirAffineConstantExprGet(ctx, 0) : mlirAffineDimExprGet(ctx, x->place[dims[i]]);
  return mlirAffineMapGet(ctx, x->use->rank, 0, n, exprs);
}

static void make_inputs(Expand *x) {
  const SnUse *u = x->use;
  intptr_t dims[SN_MAX_DIMS], wrong;
  for (size_t k = 0; k < u->operands.size; ++k) {
    MlirValue v = u->operands.data[k];
    if (sn_none(v))
      continue;
    bool fits = sn_use_dims(u, k, dims, &wrong);
    assert(fits && "a use that verified");
    (void)fits;
    sn_push(&x->form.inputs, (SnAccess){.value = v, .map = map_of(x, sn_rank(sn_type_of(v)), dims)});
    sn_push(&x->inputs, k);
  }
}

// The size of dimension `d` of the use, as an index on the host.
static MlirValue size_of(Expand *x, intptr_t d) {
  const SnUse *u = x->use;
  if (u->shape[d] != SN_DYNAMIC)
    return sn_index(&x->b, u->shape[d]);
  intptr_t dims[SN_MAX_DIMS], wrong;
  for (size_t k = 0; k < u->operands.size; ++k) {
    MlirValue v = u->operands.data[k];
    if (sn_none(v) || !sn_use_dims(u, k, dims, &wrong))
      continue;
    for (intptr_t i = 0; i < sn_rank(sn_type_of(v)); ++i)
      if (dims[i] == d)
        return sn(&x->b, "tensor.dim", v, sn_index(&x->b, i));
  }
  assert(0 && "a dimension of unknown size is some operand's");
  return (MlirValue){0};
}

// A destination over these dimensions of the use, in order.
static void make_output(Expand *x, MlirType type, bool rows, bool column) {
  const SnUse *u = x->use;
  intptr_t dims[SN_MAX_DIMS], n = 0;
  SnValueVec sizes = {0};
  for (intptr_t d = 0; d < u->rank && !u->scalar; ++d)
    if (sn_use_is_column(u, d) ? column : rows) {
      dims[n++] = d;
      if (u->shape[d] == SN_DYNAMIC)
        sn_push(&sizes, size_of(x, d));
    }
  MlirValue empty = sn(&x->b, "tensor.empty", sn_values((intptr_t)sizes.size, sizes.data), type);
  sn_push(&x->form.outputs, (SnAccess){.value = empty, .map = map_of(x, n, dims)});
  sn_vec_free(&sizes);
}

// ---- means ----------------------------------------------------------------------------------

// What a mean divides by, where no weight says it: a number, or one more input.
static void make_count(Expand *x, bool of_elements) {
  const SnUse *u = x->use;
  x->number = 1;
  bool known = true;
  for (intptr_t d = 0; d < u->rank; ++d) {
    bool counts = u->reduction == SN_REDUCE_BATCHMEAN ? d == 0 : !sn_use_is_column(u, d) || of_elements;
    known &= !counts || u->shape[d] != SN_DYNAMIC;
    if (counts && known)
      x->number *= u->shape[d];
  }
  if (known)
    return;
  MlirValue n = sn_index(&x->b, 1);
  for (intptr_t d = 0; d < u->rank; ++d)
    if (u->reduction == SN_REDUCE_BATCHMEAN ? d == 0 : !sn_use_is_column(u, d) || of_elements)
      n = sn(&x->b, "arith.muli", n, size_of(x, d));
  MlirValue real = sn_convert_element(&x->b, n, u->real);
  MlirValue tensor = sn(&x->b, "tensor.from_elements", real, sn_tensor(u->real, 0, NULL));
  x->count = (intptr_t)x->form.inputs.size;
  sn_push(&x->form.inputs, (SnAccess){.value = tensor, .map = mlirAffineMapEmptyGet(x->b.ctx)});
  x->form.inputs.data[x->count].map = mlirAffineMapGet(x->b.ctx, u->rank, 0, 0, NULL);
}

// ---- the row program ---------------------------------------------------------------------------

static MlirValue summed(SnBuilder *b, MlirValue v) {
  if (!sn_is_row(v))
    return v;
  return sn_row_reduce(b, "add", v, sn_element(sn_type_of(v)));
}

static void yield(SnBuilder *b, const SnValueVec *values) {
  sn_op(b, "sinter.yield", sn_values((intptr_t)values->size, values->data), sn_types(0, NULL));
}

// What one row gives, from what the definition yields.
static void make_yield(Expand *x, SnBuilder *b, const SnValueVec *defined) {
  const SnUse *u = x->use;
  SnValueVec all = {0};
  bool loss = u->reduction != SN_NO_REDUCTION, reduced = loss && u->reduction != SN_REDUCE_NONE;
  if (!reduced) {
    for (size_t k = 0; k < (loss ? 1 : defined->size); ++k) {
      MlirType element = sn_element(sn_type_of(x->form.outputs.data[k].value));
      MlirValue v = sn_convert_element(b, defined->data[k], element);
      sn_push(&all, u->scalar ? summed(b, v) : v);
    }
  } else {
    sn_push(&all, summed(b, defined->data[0]));
    bool weighted = u->reduction == SN_REDUCE_MEAN && defined->size == 2;
    if (weighted) {
      // A weight that is one number for the row, beside a value for each column, counts for each of them.
      MlirValue weight =
          sn_is_row(defined->data[0])
              ? sn_as_row(b, defined->data[1], x->form.body.ptr ? sn_row_type(&x->form, u->real) : u->real)
              : defined->data[1];
      sn_push(&all, summed(b, weight));
    }
    if (!x->form.num_rows && u->reduction != SN_REDUCE_SUM) { // one row: there is no finish
      MlirValue by = weighted         ? all.data[1]
                     : x->count >= 0  ? sn_input_argument(&x->form, (size_t)x->count)
                                      : sn_float(b, u->real, (double)x->number);
      all.data[0] = sn(b, "arith.divf", all.data[0], by);
      all.size = 1;
    }
  }
  yield(b, &all);
  sn_vec_free(&all);
}

static void make_finish(Expand *x) {
  const SnUse *u = x->use;
  SnBuilder b = sn_at_end(x->form.finish, mlirOperationGetLocation(u->op));
  MlirValue by = {0};
  if (x->form.accumulators.size == 2) {
    by = mlirBlockGetArgument(x->form.finish, 1);
  } else if (x->count >= 0) { // uniform inputs follow the sums, the count is the last of them
    by = mlirBlockGetArgument(x->form.finish, mlirBlockGetNumArguments(x->form.finish) - 1);
  } else {
    by = sn_float(&b, u->real, (double)x->number);
  }
  SnValueVec mean = {0};
  sn_push(&mean, sn(&b, "arith.divf", mlirBlockGetArgument(x->form.finish, 0), by));
  yield(&b, &mean);
  sn_vec_free(&mean);
}

static void make_outputs(Expand *x) {
  const SnUse *u = x->use;
  MlirOperation yielded = sn_definition_yield(&u->definition);
  bool reduced = u->reduction != SN_NO_REDUCTION && u->reduction != SN_REDUCE_NONE;
  for (intptr_t k = 0; k < sn_num_results(u->op); ++k)
    make_output(x, sn_type_of(sn_result(u->op, k)), !reduced,
                !reduced && mlirTypeIsAShaped(sn_type_of(sn_operand(yielded, k))));
  if (!reduced)
    return;
  bool weighted = u->reduction == SN_REDUCE_MEAN && sn_num_operands(yielded) == 2;
  if (u->reduction != SN_REDUCE_SUM && !weighted)
    make_count(x, mlirTypeIsAShaped(sn_type_of(sn_operand(yielded, 0))));
  for (int k = 0; x->form.num_rows && k < 1 + weighted; ++k)
    sn_push(&x->form.accumulators, (SnAccumulator){mlirIdentifierStr(mlirIdentifierGet(x->b.ctx, SN_STR("add"))),
                                                   mlirAffineMapGet(x->b.ctx, u->rank, 0, 0, NULL), u->real});
}

static MlirLogicalResult expand(SnUse *u) {
  Expand x = {.use = u, .b = sn_before(u->op), .count = -1};
  make_dims(&x);
  make_inputs(&x);
  make_outputs(&x);
  bool finish = x.form.accumulators.size && u->reduction != SN_REDUCE_SUM;
  sn_form_create(&x.b, &x.form, finish);
  SnExpansion to = {.b = sn_at_end(x.form.body, mlirOperationGetLocation(u->op)),
                    .row = sn_row_type(&x.form, u->real),
                    .form = &x.form};
  SnValueVec arguments = {0}, yielded = {0};
  for (size_t k = 0; k < u->operands.size; ++k)
    sn_push(&arguments, (MlirValue){0});
  for (size_t k = 0; k < x.inputs.size; ++k)
    arguments.data[x.inputs.data[k]] = sn_input_argument(&x.form, k);
  MlirLogicalResult result = sn_expand_body(&to, u, arguments.data, &yielded);
  if (!sn_failed(result)) {
    make_yield(&x, &to.b, &yielded);
    if (finish)
      make_finish(&x);
    sn_replace_results(u->op, x.form.op);
    mlirOperationDestroy(u->op);
  }
  sn_vec_free(&arguments);
  sn_vec_free(&yielded);
  sn_vec_free(&x.inputs);
  sn_form_free(&x.form);
  return result;
}

// ---- the pass ---------------------------------------------------------------------------------------

static MlirWalkResult collect(MlirOperation op, void *uses) {
  if (sn_is(op, "sinter.define"))
    return MlirWalkResultSkip;
  if (sn_is_use(op) || sn_is(op, "sinter.loss"))
    sn_push((SnOpVec *)uses, op);
  return sn_is(op, "sinter.loss") ? MlirWalkResultSkip : MlirWalkResultAdvance;
}

static MlirLogicalResult expand_one(MlirOperation op) {
  if (sn_is_steps_use(op))
    return sn_expand_steps(op);
  if (sn_in_row_program(op))
    return sn_expand_in_place(op);
  SnUse use;
  SnFound found = {.library = {0}};
  MlirLogicalResult result;
  if (sn_is(op, "sinter.loss")) {
    result = sn_use_bind(op, op, &use);
  } else {
    found = sn_definition_find(op);
    result = sn_use_bind_found(op, &found, &use);
  }
  if (!sn_failed(result))
    result = expand(&use);
  sn_use_free(&use);
  sn_found_free(&found);
  return result;
}

static MlirLogicalResult run(const SnRun *run, MlirOperation op) {
  SnOpVec uses = {0};
  mlirOperationWalk(op, collect, &uses, MlirWalkPreOrder);
  MlirLogicalResult result = SN_OK;
  for (size_t k = 0; k < uses.size && !sn_failed(result); ++k)
    result = expand_one(uses.data[k]);
  sn_vec_free(&uses);
  SnOpVec forms = sn_collect(op, "sinter.rowwise");
  for (size_t k = 0; k < forms.size && !sn_failed(result); ++k)
    sn_cut_whole_rows(forms.data[k]);
  sn_vec_free(&forms);
  SnOpVec definitions = sn_collect(op, "sinter.define");
  for (size_t k = 0; k < definitions.size && !sn_failed(result); ++k)
    mlirOperationDestroy(definitions.data[k]);
  sn_vec_free(&definitions);
  return result;
}

MlirDialectHandle mlirGetDialectHandle__arith__(void);
MlirDialectHandle mlirGetDialectHandle__cf__(void);
MlirDialectHandle mlirGetDialectHandle__math__(void);
MlirDialectHandle mlirGetDialectHandle__memref__(void);
MlirDialectHandle mlirGetDialectHandle__scf__(void);
MlirDialectHandle mlirGetDialectHandle__tensor__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__arith__,  mlirGetDialectHandle__cf__,
                                                      mlirGetDialectHandle__math__,   mlirGetDialectHandle__memref__,
                                                      mlirGetDialectHandle__scf__,    mlirGetDialectHandle__tensor__,
                                                      mlirGetDialectHandle__sinter__, NULL};

const SnPass sn_pass_expand = {
    .argument = "sinter-expand",
    .summary = "losses and row functions become kernel forms, from their definitions",
    .anchor = "builtin.module",
    .dialects = dialects,
    .run = run,
};

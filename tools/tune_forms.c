// tune_forms.c: each form of a scheduled program, cut out of it.
//
//   func.func @main(%x, %w, %t) { %a = sinter.contract ...(%x, %w); %b = sinter.rowwise ins(%a, %t) outs(%e) ... }
// ->
//   func.func @main(%a, %t) { %e = tensor.empty(); %b = sinter.rowwise ins(%a, %t) outs(%e) ...; return %b }     kernel
//   func.func @main(%x, %w, %t) { %a = sinter.contract ...(%x, %w); return %a, %t } inputs
//
// The first is compiled with each candidate's schedule and timed; the second, on the CPU without our kernels, makes
// the numbers that it is timed on: those that it gets in the program. Sizes are computed again: an empty tensor is
// not an argument, the tensor that its size comes from is.
//
// runs in: sinter-tune    test: test/tools/sinter-tune.test

#include "passes/schedule/schedule.h"
#include "tools/tune_forms.h"
#include "mlir-c/BuiltinTypes.h"

// ---- what a form needs -------------------------------------------------------------------

typedef struct {
  SnBuilder to; // null block: only looks
  SnMap map;
  SnValueVec arguments; // tensors of the program, each once
} Cut;

static bool is_tensor(MlirValue v) { return mlirTypeIsATensor(sn_type_of(v)); }

// Computes sizes, or a tensor that holds nothing yet; can be made again anywhere.
static bool is_made_again(MlirOperation op) {
  if (sn_null(op) || mlirOperationGetNumRegions(op))
    return false;
  if (sn_is(op, "tensor.empty") || sn_is(op, "tensor.dim"))
    return true;
  bool scalars = sn_num_results(op) == 1 && !is_tensor(sn_result(op, 0));
  return scalars && (sn_in_dialect(op, "arith") || sn_in_dialect(op, "affine"));
}

// Whether a value can be made of tensors of the program, which become arguments.
static bool can_make(MlirValue v) {
  MlirOperation op = sn_definer(v);
  if (!is_made_again(op))
    return is_tensor(v);
  for (intptr_t i = 0; i < sn_num_operands(op); ++i)
    if (!can_make(sn_operand(op, i)))
      return is_tensor(v);
  return true;
}

static void find_arguments(Cut *c, MlirValue v) {
  MlirOperation op = sn_definer(v);
  bool again = is_made_again(op);
  for (intptr_t i = 0; again && i < sn_num_operands(op); ++i)
    again = can_make(sn_operand(op, i));
  if (again) {
    for (intptr_t i = 0; i < sn_num_operands(op); ++i)
      find_arguments(c, sn_operand(op, i));
    return;
  }
  for (size_t i = 0; i < c->arguments.size; ++i)
    if (sn_same(c->arguments.data[i], v))
      return;
  sn_push(&c->arguments, v);
}

// Copies what makes a value; arguments are in the map already.
static void make_again(Cut *c, MlirValue v) {
  if (!sn_none(sn_mapped(&c->map, v)))
    return;
  MlirOperation op = sn_definer(v);
  for (intptr_t i = 0; i < sn_num_operands(op); ++i)
    make_again(c, sn_operand(op, i));
  sn_clone(&c->to, op, &c->map);
}

// ---- the two modules --------------------------------------------------------------------------

static MlirType *types_of(const SnValueVec *values) {
  MlirType *types = sn_alloc((values->size + 1) * sizeof *types);
  for (size_t i = 0; i < values->size; ++i)
    types[i] = sn_type_of(values->data[i]);
  return types;
}

static MlirModule kernel_module(MlirOperation form, Cut *c) {
  MlirContext ctx = mlirOperationGetContext(form);
  MlirLocation loc = mlirOperationGetLocation(form);
  MlirModule module = mlirModuleCreateEmpty(loc);
  intptr_t n = (intptr_t)c->arguments.size, results = sn_num_results(form);
  MlirType *in = types_of(&c->arguments), *out = sn_alloc((size_t)(results + 1) * sizeof *out);
  MlirLocation *locs = sn_alloc((size_t)(n + 1) * sizeof *locs);
  MlirValue *returned = sn_alloc((size_t)(results + 1) * sizeof *returned);
  for (intptr_t i = 0; i < n; ++i)
    locs[i] = loc;
  for (intptr_t i = 0; i < results; ++i)
    out[i] = sn_type_of(sn_result(form, i));
  MlirBlock body = mlirBlockCreate(n, in, locs);
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, body);
  for (intptr_t i = 0; i < n; ++i)
    sn_map(&c->map, c->arguments.data[i], mlirBlockGetArgument(body, i));
  c->to = sn_at_end(body, loc);
  for (intptr_t i = 0; i < sn_num_operands(form); ++i)
    make_again(c, sn_operand(form, i));
  MlirOperation copy = sn_clone(&c->to, form, &c->map);
  for (intptr_t i = 0; i < results; ++i)
    returned[i] = sn_result(copy, i);
  sn_op(&c->to, "func.return", sn_values(results, returned), sn_types(0, NULL));
  SnBuilder top = sn_at_end(mlirModuleGetBody(module), loc);
  sn_op(&top, "func.func", sn_attr("sym_name", sn_string(ctx, "main")),
        sn_attr("function_type", mlirTypeAttrGet(mlirFunctionTypeGet(ctx, n, in, results, out))), region);
  free(in);
  free(out);
  free(locs);
  free(returned);
  return module;
}

// The function ends in front of what it does not need; the road drops the rest.
static MlirModule inputs_module(MlirModule scheduled, MlirOperation form, const SnValueVec *arguments) {
  MlirBlock block = mlirOperationGetBlock(form);
  MlirOperation f = mlirOperationGetParentOperation(form), end = mlirBlockGetTerminator(block);
  if (!sn_is(f, "func.func") || !sn_is(end, "func.return"))
    return (MlirModule){NULL};
  // The program is changed, copied, and put back as it was.
  MlirType old = mlirTypeAttrGetValue(sn_get_attr(f, "function_type"));
  MlirAttribute of_results = sn_get_attr(f, "res_attrs");
  intptr_t n = mlirBlockGetNumArguments(block);
  MlirType *in = sn_alloc((size_t)(n + 1) * sizeof *in), *out = types_of(arguments);
  for (intptr_t i = 0; i < n; ++i)
    in[i] = sn_type_of(mlirBlockGetArgument(block, i));
  MlirContext ctx = mlirOperationGetContext(f);
  SnBuilder b = sn_before(end);
  MlirOperation now =
      sn_op(&b, "func.return", sn_values((intptr_t)arguments->size, arguments->data), sn_types(0, NULL));
  mlirOperationRemoveFromParent(end);
  sn_set_attr(f, "function_type", mlirTypeAttrGet(mlirFunctionTypeGet(ctx, n, in, (intptr_t)arguments->size, out)));
  if (of_results.ptr)
    mlirOperationRemoveAttributeByName(f, SN_STR("res_attrs"));
  MlirModule copy = mlirModuleFromOperation(mlirOperationClone(mlirModuleGetOperation(scheduled)));
  sn_set_attr(f, "function_type", mlirTypeAttrGet(old));
  if (of_results.ptr)
    sn_set_attr(f, "res_attrs", of_results);
  mlirOperationDestroy(now);
  mlirBlockAppendOwnedOperation(block, end);
  free(in);
  free(out);
  return copy;
}

// ---- all of them ----------------------------------------------------------------------------------

MlirOperation tune_form_of(MlirModule kernel) {
  MlirOperation f = mlirBlockGetFirstOperation(mlirModuleGetBody(kernel));
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(f, 0));
  MlirOperation op = mlirBlockGetFirstOperation(body);
  while (!sn_null(op) && !sn_get_attr(op, "schedule").ptr)
    op = mlirOperationGetNextInBlock(op);
  return op;
}

static void add_forms(MlirModule scheduled, const char *name, TuneForms *forms) {
  SnOpVec ops = sn_collect(mlirModuleGetOperation(scheduled), name);
  for (size_t i = 0; i < ops.size; ++i) {
    // Weights that are packed before the program runs are not those that a form alone is given.
    if (!sn_get_attr(ops.data[i], "schedule").ptr || sn_schedule_is_packed(sn_get_attr(ops.data[i], "schedule")))
      continue;
    TuneForm form = {.form = sn_fingerprint(ops.data[i]), .op = ops.data[i]};
    bool known = false;
    for (size_t k = 0; k < forms->size && !known; ++k)
      known = !strcmp(forms->data[k].form.text, form.form.text);
    if (known)
      continue;
    Cut c = {0};
    for (intptr_t k = 0; k < sn_num_operands(form.op); ++k)
      find_arguments(&c, sn_operand(form.op, k));
    form.kernel = kernel_module(form.op, &c);
    form.inputs = inputs_module(scheduled, form.op, &c.arguments);
    sn_map_free(&c.map);
    sn_vec_free(&c.arguments);
    sn_push(forms, form);
  }
  sn_vec_free(&ops);
}

TuneForms tune_forms(MlirModule scheduled) {
  static const char *const names[] = {"sinter.rowwise", "sinter.contract", "sinter.steps"};
  TuneForms forms = {0};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    add_forms(scheduled, names[i], &forms);
  return forms;
}

void tune_forms_free(TuneForms *forms) {
  for (size_t i = 0; i < forms->size; ++i) {
    mlirModuleDestroy(forms->data[i].kernel);
    if (forms->data[i].inputs.ptr)
      mlirModuleDestroy(forms->data[i].inputs);
  }
  sn_vec_free(forms);
}

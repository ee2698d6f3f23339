// gradient_results.c: the public function of a module returns gradients, too.
//
//   func @main(%x, %w) -> %l        with wrt=1:        func @main(%x, %w) -> (%l, %dw {sinter.gradient_of = 1}) {
//                                                         %dw = sinter.differentiate %l wrt(%w)
//
// Arguments are asked for by number or by name. With `upstream` the gradient with respect to the result is one more
// argument.
//
// runs in: differentiate    test: test/passes/differentiate/function.mlir

#include "dialect/attributes.h"
#include "passes/differentiate/differentiate.h"
#include "passes/differentiate/reach.h"
#include <stdio.h>

// ---- the function ------------------------------------------------------------------------------

// The only public function with a body, or @main among several.
static MlirOperation entry_of(MlirOperation root) {
  MlirOperation found = {0};
  SnOpVec all = sn_collect(root, "func.func");
  size_t n = 0;
  for (size_t k = 0; k < all.size; ++k) {
    MlirAttribute visibility = sn_get_attr(all.data[k], "sym_visibility");
    bool hidden = visibility.ptr && !mlirStringRefEqual(mlirStringAttrGetValue(visibility), SN_STR("public"));
    if (hidden || !sn_function_body(all.data[k]).ptr)
      continue;
    bool is_main = mlirStringRefEqual(mlirStringAttrGetValue(sn_get_attr(all.data[k], "sym_name")), SN_STR("main"));
    if (!n++ || is_main)
      found = all.data[k];
    if (is_main)
      n = SIZE_MAX / 2; // whatever else there is
  }
  sn_vec_free(&all);
  if (n == 1 || n >= SIZE_MAX / 2)
    return found;
  sn_error(root,
           "has %zu public functions and no @main, and `wrt` is of one: choose it (--entry=NAME), or make the others "
           "private",
           n);
  return (MlirOperation){0};
}

// ---- what its attributes say -------------------------------------------------------------------

// `list` with a dictionary more for each number: {name = n}. Null lists have `before` empty ones.
static void say(MlirOperation func, const char *list, intptr_t before, const char *name, size_t num,
                const int64_t *numbers) {
  MlirContext ctx = mlirOperationGetContext(func);
  MlirAttribute old = sn_get_attr(func, list), *all = sn_alloc(((size_t)before + num + 1) * sizeof *all);
  for (intptr_t k = 0; k < before; ++k)
    all[k] = old.ptr ? mlirArrayAttrGetElement(old, k) : mlirDictionaryAttrGet(ctx, 0, NULL);
  for (size_t k = 0; k < num; ++k) {
    MlirNamedAttribute said = mlirNamedAttributeGet(mlirIdentifierGet(ctx, SN_STR(name)), sn_i64(ctx, numbers[k]));
    all[(size_t)before + k] = mlirDictionaryAttrGet(ctx, 1, &said);
  }
  if (num)
    sn_set_attr(func, list, mlirArrayAttrGet(ctx, before + (intptr_t)num, all));
  free(all);
}

// `list` without the entries of this name.
static void forget(MlirOperation func, const char *list, const char *name) {
  MlirContext ctx = mlirOperationGetContext(func);
  MlirAttribute old = sn_get_attr(func, list);
  intptr_t n = old.ptr ? mlirArrayAttrGetNumElements(old) : 0;
  SN_VEC(MlirAttribute) all = {0};
  for (intptr_t k = 0; k < n; ++k) {
    MlirAttribute one = mlirArrayAttrGetElement(old, k);
    SN_VEC(MlirNamedAttribute) kept = {0};
    for (intptr_t i = 0; i < mlirDictionaryAttrGetNumElements(one); ++i) {
      MlirNamedAttribute said = mlirDictionaryAttrGetElement(one, i);
      if (!mlirStringRefEqual(mlirIdentifierStr(said.name), SN_STR(name)))
        sn_push(&kept, said);
    }
    sn_push(&all, mlirDictionaryAttrGet(ctx, (intptr_t)kept.size, kept.data));
    sn_vec_free(&kept);
  }
  if (n)
    sn_set_attr(func, list, mlirArrayAttrGet(ctx, n, all.data));
  sn_vec_free(&all);
}

// A gradient that is differentiated again is a result like others: the table has gradients of one order.
static void forget_gradients(MlirOperation func, int64_t result) {
  MlirAttribute of = sn_get_attr(func, "res_attrs");
  if (!of.ptr || !mlirDictionaryAttrGetElementByName(mlirArrayAttrGetElement(of, result), SN_STR(SN_GRADIENT_OF)).ptr)
    return;
  forget(func, "res_attrs", SN_GRADIENT_OF);
  forget(func, "arg_attrs", SN_UPSTREAM_OF);
}

// ---- arguments by number or name ---------------------------------------------------------------

// What argument k is called: by sinter.name, else by its location. Empty: nothing.
static MlirStringRef argument_name(MlirOperation func, intptr_t k) {
  MlirAttribute all = sn_get_attr(func, "arg_attrs");
  if (all.ptr) {
    MlirAttribute name = mlirDictionaryAttrGetElementByName(mlirArrayAttrGetElement(all, k), SN_STR(SN_NAME));
    if (name.ptr && mlirAttributeIsAString(name))
      return mlirStringAttrGetValue(name);
  }
  MlirLocation at = mlirValueGetLocation(mlirBlockGetArgument(sn_function_body(func), k));
  return mlirLocationIsAName(at) ? mlirIdentifierStr(mlirLocationNameGetName(at)) : SN_STR("");
}

// "x, 1, w": each argument as it may be asked for.
static void spell_arguments(MlirOperation func, char *text, size_t size) {
  intptr_t n = mlirBlockGetNumArguments(sn_function_body(func));
  size_t length = 0;
  *text = 0;
  for (intptr_t k = 0; k < n && length < size; ++k) {
    MlirStringRef name = argument_name(func, k);
    const char *comma = k ? ", " : "";
    length +=
        (size_t)(name.length ? snprintf(text + length, size - length, "%s%.*s", comma, (int)name.length, name.data)
                             : snprintf(text + length, size - length, "%s%td", comma, k));
  }
}

// Of each name of an argument, a string attribute: 1 + which is called so, and of those that several have the second.
typedef struct {
  SnTable first, second;
} Names;

static Names names_of(MlirOperation func) {
  MlirContext ctx = mlirOperationGetContext(func);
  Names names = {0};
  for (intptr_t k = 0; k < mlirBlockGetNumArguments(sn_function_body(func)); ++k) {
    MlirStringRef word = argument_name(func, k);
    MlirAttribute name = mlirStringAttrGet(ctx, word);
    if (!word.length)
      continue;
    if (!sn_table_has(&names.first, name.ptr))
      sn_table_put(&names.first, name.ptr, (uintptr_t)k + 1);
    else if (!sn_table_has(&names.second, name.ptr))
      sn_table_put(&names.second, name.ptr, (uintptr_t)k + 1);
  }
  return names;
}

// The argument of that number or name; -1 after an error.
static intptr_t argument_of(MlirOperation func, const Names *names, MlirStringRef word) {
  intptr_t n = mlirBlockGetNumArguments(sn_function_body(func));
  if (word.length && strspn(word.data, "0123456789") >= word.length) {
    long k = strtol(word.data, NULL, 10);
    if (k < n)
      return k;
    sn_error(func, "is differentiated by argument %ld, and has %td", k, n);
    return -1;
  }
  uintptr_t first = 0, second = 0;
  MlirAttribute name = mlirStringAttrGet(mlirOperationGetContext(func), word);
  sn_table_get(&names->first, name.ptr, &first);
  sn_table_get(&names->second, name.ptr, &second);
  if (second) {
    sn_error(func, "is differentiated by '%.*s', and arguments %td and %td are called so: say the number",
             (int)word.length, word.data, (intptr_t)first - 1, (intptr_t)second - 1);
    return -1;
  }
  if (!first) {
    char all[512];
    spell_arguments(func, all, sizeof all);
    sn_error(func, "is differentiated by '%.*s', and its arguments are %s", (int)word.length, word.data, all);
  }
  return (intptr_t)first - 1;
}

// A tensor of floats, or one float: to callers a number is a tensor of rank 0 (lowering/host/boundary.c).
static bool holds_floats(MlirValue v) {
  MlirType t = sn_type_of(v);
  return sn_is_float(t) || (mlirTypeIsARankedTensor(t) && sn_is_float(sn_element(t)));
}

// Reads "0,w": which arguments; floats become tensors. False after an error.
static bool read_arguments(MlirOperation func, const char *text, SnValueVec *to) {
  Names names = names_of(func);
  bool ok = true;
  for (const char *s = text; *s && ok;) {
    size_t length = strcspn(s, ",");
    intptr_t k = argument_of(func, &names, mlirStringRefCreate(s, length));
    MlirValue x = k < 0 ? (MlirValue){0} : mlirBlockGetArgument(sn_function_body(func), k);
    ok = k >= 0 && holds_floats(x);
    if (!ok && k >= 0)
      sn_error(func, "is differentiated by argument %.*s, which is no tensor of floats", (int)length, s);
    if (ok && !mlirTypeIsARankedTensor(sn_type_of(x)))
      sn_become_tensor(sn_at_start(sn_function_body(func), mlirOperationGetLocation(func)), x);
    sn_push(to, x);
    s += length + (s[length] == ',');
  }
  sn_table_free(&names.first);
  sn_table_free(&names.second);
  return ok;
}

// ---- its results -------------------------------------------------------------------------------

// @main returns the gradients of a result too, by a sinter.differentiate in front of its return.
static MlirLogicalResult add_gradients(MlirOperation func, const SnGradientOptions *o) {
  MlirBlock body = sn_function_body(func);
  MlirOperation end = mlirBlockGetTerminator(body);
  intptr_t num_results = sn_num_operands(end), num_arguments = mlirBlockGetNumArguments(body);
  SnValueVec wrt = {0}, operands = {0}, results = {0};
  SN_VEC(MlirType) inputs = {0}, outputs = {0}, gradients = {0};
  SN_VEC(int64_t) of = {0};
  if (o->result < 0 || o->result >= num_results)
    return sn_error(func, "is differentiated at result %lld, and has %td", (long long)o->result, num_results);
  MlirValue loss = sn_operand(end, o->result);
  if (!holds_floats(loss))
    return sn_error(func, "is differentiated at result %lld, which is no tensor of floats", (long long)o->result);
  if (!mlirTypeIsARankedTensor(sn_type_of(loss))) {
    SnBuilder b = sn_before(end);
    loss = sn(&b, "tensor.from_elements", loss, sn_tensor(sn_type_of(loss), 0, NULL));
    mlirOperationSetOperand(end, o->result, loss);
  }
  bool ok = read_arguments(func, o->wrt, &wrt);
  if (ok) {
    SnBuilder b = sn_before(end);
    sn_push(&operands, loss);
    forget_gradients(func, o->result);
    if (o->upstream) {
      sn_push(&operands, mlirBlockAddArgument(body, sn_type_of(loss), mlirOperationGetLocation(func)));
      say(func, "arg_attrs", num_arguments, SN_UPSTREAM_OF, 1, &o->result);
    }
    for (intptr_t k = 0; k < mlirBlockGetNumArguments(body); ++k)
      sn_push(&inputs, sn_type_of(mlirBlockGetArgument(body, k)));
    for (intptr_t k = 0; k < num_results; ++k) {
      sn_push(&results, sn_operand(end, k));
      sn_push(&outputs, sn_type_of(sn_operand(end, k)));
    }
    for (size_t k = 0; k < wrt.size; ++k) {
      sn_push(&operands, wrt.data[k]);
      sn_push(&gradients, sn_type_of(wrt.data[k]));
      sn_push(&outputs, sn_type_of(wrt.data[k]));
      sn_push(&of, mlirBlockArgumentGetArgNumber(wrt.data[k]));
    }
    say(func, "res_attrs", num_results, SN_GRADIENT_OF, of.size, of.data);
    int32_t segments[] = {1, o->upstream, (int32_t)wrt.size};
    MlirOperation d = sn_op(&b, "sinter.differentiate", sn_values((intptr_t)operands.size, operands.data),
                            sn_types((intptr_t)gradients.size, gradients.data),
                            sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b.ctx, 3, segments)));
    for (size_t k = 0; k < wrt.size; ++k)
      sn_push(&results, sn_result(d, (intptr_t)k));
    mlirOperationSetOperands(end, (intptr_t)results.size, results.data);
    sn_set_attr(func, "function_type",
                mlirTypeAttrGet(mlirFunctionTypeGet(b.ctx, (intptr_t)inputs.size, inputs.data, (intptr_t)outputs.size,
                                                    outputs.data)));
  }
  sn_vec_free(&wrt);
  sn_vec_free(&operands);
  sn_vec_free(&results);
  sn_vec_free(&inputs);
  sn_vec_free(&outputs);
  sn_vec_free(&gradients);
  sn_vec_free(&of);
  return ok ? SN_OK : SN_FAIL;
}

MlirLogicalResult sn_add_gradients(MlirOperation root, const SnGradientOptions *o) {
  MlirOperation func = entry_of(root);
  return sn_null(func) ? SN_FAIL : add_gradients(func, o);
}

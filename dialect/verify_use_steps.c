// verify_use_steps.c: sinter.define_steps read into plain C, its rules, and those of its uses.
//
//   sinter.define_steps @ctc(%n: index {row}, %log_probs: memref<?x?x?xf32> {rows = 1}, ..., %blank: i64 {default = 0},
//   ...) %l = sinter.ctc(%x, %t, %m, %n) {blank = 3, reduction = "sum"} : (...) -> tensor<f32>
//
// test: test/dialect/invalid_steps.mlir, @e1.. and @u2..

#include "dialect/use_steps.h"
#include "dialect/verify.h"
#include <stdio.h>

MlirLogicalResult sinter_define_steps_verify(MlirOperation op);

#define TEXT(s) (int)(s).length, (s).data

// ---- reading ---------------------------------------------------------------------------

static MlirAttribute word_of(MlirAttribute words, const char *name) {
  return words.ptr && mlirAttributeIsADictionary(words) ? mlirDictionaryAttrGetElementByName(words, SN_STR(name))
                                                        : mlirAttributeGetNull();
}

static intptr_t named(const SnStepsDefinition *d, MlirStringRef name) {
  for (size_t k = 0; k < d->parameters.size; ++k)
    if (mlirStringRefEqual(d->parameters.data[k].name, name))
      return (intptr_t)k;
  return -1;
}

SnStepsDefinition sn_steps_definition_read(MlirOperation op) {
  SnStepsDefinition d = {.op = op,
                         .body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0)),
                         .reductions = sn_get_attr(op, "reductions")};
  MlirAttribute names = sn_get_attr(op, "names"), parameters = sn_get_attr(op, "parameters");
  for (intptr_t k = 0; k < mlirBlockGetNumArguments(d.body); ++k) {
    MlirAttribute words = mlirArrayAttrGetElement(parameters, k), rows = word_of(words, "rows"),
                  of = word_of(words, "gradient");
    SnStepsParameter p = {.name = mlirStringAttrGetValue(mlirArrayAttrGetElement(names, k)),
                          .type = sn_type_of(mlirBlockGetArgument(d.body, k)),
                          .of = -1};
    bool memory = mlirTypeIsAMemRef(p.type);
    p.packed = word_of(words, "packed").ptr;
    p.like = word_of(words, "like");
    p.otherwise = word_of(words, "default");
    p.rows = rows.ptr && mlirAttributeIsAInteger(rows) ? (intptr_t)mlirIntegerAttrGetValueInt(rows) : 0;
    if (of.ptr && mlirAttributeIsAString(of))
      p.of = named(&d, mlirStringAttrGetValue(of));
    p.kind = word_of(words, "row").ptr        ? SN_STEPS_ROW
             : word_of(words, "mean").ptr     ? SN_STEPS_MEAN
             : word_of(words, "upstream").ptr ? SN_STEPS_UPSTREAM
             : of.ptr                         ? (memory ? SN_STEPS_GRADIENT : SN_STEPS_WANTED)
             : memory                         ? SN_STEPS_OPERAND
                                              : SN_STEPS_NUMBER;
    sn_push(&d.parameters, p);
  }
  return d;
}

void sn_steps_definition_free(SnStepsDefinition *d) { sn_vec_free(&d->parameters); }

intptr_t sn_steps_parameter(const SnStepsDefinition *d, SnStepsKind kind) {
  for (size_t k = 0; k < d->parameters.size; ++k)
    if (d->parameters.data[k].kind == kind)
      return (intptr_t)k;
  return -1;
}

static MlirOperation find_in(MlirOperation module, MlirStringRef name) {
  MlirBlock block =
      mlirOperationGetNumRegions(module) ? mlirRegionGetFirstBlock(mlirOperationGetRegion(module, 0)) : (MlirBlock){0};
  for (MlirOperation op = block.ptr ? mlirBlockGetFirstOperation(block) : (MlirOperation){0}; !sn_null(op);
       op = mlirOperationGetNextInBlock(op))
    if (sn_is(op, "sinter.define_steps") &&
        mlirStringRefEqual(mlirStringAttrGetValue(sn_get_attr(op, "sym_name")), name))
      return op;
  return (MlirOperation){0};
}

MlirOperation sn_steps_definition(MlirOperation use, SnFound *found) {
  static const char prefix[] = "sinter.";
  MlirAttribute callee = sn_get_attr(use, "callee"),
                made_of = sn_is(use, "sinter.steps") ? sn_get_attr(use, "definition") : mlirAttributeGetNull();
  *found = (SnFound){.library = {0}};
  if (sn_is(use, "sinter.steps") && !made_of.ptr)
    return (MlirOperation){0};
  MlirStringRef name = callee.ptr    ? mlirFlatSymbolRefAttrGetValue(callee)
                       : made_of.ptr ? mlirStringAttrGetValue(made_of)
                                     : SN_STR(sn_name(use) + sizeof prefix - 1);
  for (MlirOperation parent = use; (callee.ptr || made_of.ptr) && !sn_null(parent);
       parent = mlirOperationGetParentOperation(parent)) {
    MlirOperation op = sn_is(parent, "builtin.module") ? find_in(parent, name) : (MlirOperation){0};
    if (!sn_null(op))
      return op;
  }
  for (const SnLibraryFile *f = sn_library; f->name; ++f)
    if (mlirStringRefEqual(name, SN_STR(f->name)) && strstr(f->text, "sinter.define_steps")) {
      *found = sn_definition_find_named(use, name);
      return mlirModuleIsNull(found->library) ? (MlirOperation){0}
                                              : find_in(mlirModuleGetOperation(found->library), name);
    }
  return (MlirOperation){0};
}

MlirAttribute sn_steps_number(const SnStepsDefinition *d, MlirOperation use, size_t k) {
  const SnStepsParameter *p = &d->parameters.data[k];
  char name[96];
  snprintf(name, sizeof name, "%.*s", TEXT(p->name));
  MlirAttribute written = sn_get_attr(use, name);
  return written.ptr ? written : p->otherwise;
}

SnReduction sn_steps_reduction(const SnStepsDefinition *d, MlirAttribute written) {
  if (!written.ptr)
    return sn_reduction(mlirArrayAttrGetElement(d->reductions, 0));
  for (intptr_t k = 0; k < mlirArrayAttrGetNumElements(d->reductions); ++k)
    if (mlirAttributeEqual(mlirArrayAttrGetElement(d->reductions, k), written))
      return sn_reduction(written);
  return SN_NO_REDUCTION;
}

MlirType sn_steps_real(MlirOperation use) {
  MlirContext ctx = mlirOperationGetContext(use);
  for (intptr_t k = 0; k < sn_num_operands(use); ++k) {
    MlirType e = sn_element(sn_type_of(sn_operand(use, k)));
    if (sn_is_float(e) && sn_bits(e) == 64)
      return mlirF64TypeGet(ctx);
  }
  return mlirF32TypeGet(ctx);
}

bool sn_steps_alone(const SnStepsDefinition *d, MlirOperation use) {
  return sn_rank(sn_type_of(sn_operand(use, 0))) <
         sn_rank(d->parameters.data[sn_steps_parameter(d, SN_STEPS_OPERAND)].type);
}

// Where no gradient is asked for nothing may be stored there.
static bool only_if_wanted(const SnStepsDefinition *d, size_t k) {
  MlirValue wanted = mlirBlockGetArgument(d->body, sn_steps_parameter(d, SN_STEPS_WANTED));
  for (MlirOpOperand use = mlirValueGetFirstUse(mlirBlockGetArgument(d->body, (intptr_t)k)); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    while (!mlirOperationEqual(op, d->op) &&
           !(sn_is(op, "scf.if") && !sn_num_results(op) && sn_same(sn_operand(op, 0), wanted)))
      op = mlirOperationGetParentOperation(op);
    if (mlirOperationEqual(op, d->op))
      return false;
  }
  return true;
}

// ---- the definition ------------------------------------------------------------------------

static MlirLogicalResult check_parameter(const SnStepsDefinition *d, size_t k) {
  const SnStepsParameter *p = &d->parameters.data[k];
  MlirOperation op = d->op;
  MlirType e = sn_element(p->type);
  bool memory = mlirTypeIsAMemRef(p->type);
  if (named(d, p->name) != (intptr_t)k) // E1
    return sn_error(op, "has two arguments '%.*s'", TEXT(p->name));
  if ((p->kind == SN_STEPS_ROW) != (k == 0) || (p->kind == SN_STEPS_ROW && !mlirTypeIsAIndex(p->type))) // E1
    return sn_error(op, "argument %zu is '%.*s'; the first one is the `row`, an index, and no other is", k,
                    TEXT(p->name));
  if (k && p->kind < d->parameters.data[k - 1].kind && d->parameters.data[k - 1].kind <= SN_STEPS_NUMBER) // E1
    return sn_error(op, "argument '%.*s' stands behind an attribute; operands come first", TEXT(p->name));
  if (memory) {
    bool open = sn_is_scalar_type(e) && !mlirTypeIsAIndex(e);
    for (intptr_t i = 0; i < sn_rank(p->type); ++i)
      open &= sn_dim(p->type, i) == SN_DYNAMIC;
    if (!open || (p->rows >= sn_rank(p->type))) // E2
      return sn_error(op, "argument '%.*s' has type %s; give floats or integers, sizes `?`, and a dimension of rows",
                      TEXT(p->name), sn_show_type(p->type).text);
    if (p->like.ptr && (!mlirAttributeIsAString(p->like) || named(d, mlirStringAttrGetValue(p->like)) >= (intptr_t)k ||
                        named(d, mlirStringAttrGetValue(p->like)) < 1)) // E2
      return sn_error(op, "argument '%.*s' is like no operand before it", TEXT(p->name));
  }
  if (p->kind == SN_STEPS_NUMBER) {
    bool bit = !sn_is_float(e) && sn_bits(e) == 1;
    bool fits = p->otherwise.ptr && (bit              ? mlirAttributeIsABool(p->otherwise)
                                     : sn_is_float(e) ? mlirAttributeIsAFloat(p->otherwise)
                                                      : mlirAttributeIsAInteger(p->otherwise) && sn_bits(e) == 64);
    if (!fits || (sn_is_float(e) && sn_bits(e) != 32)) // E2
      return sn_error(op,
                      "argument '%.*s' of type %s is an attribute; give an i64, f32 or i1 and a `default` of that kind",
                      TEXT(p->name), sn_show_type(p->type).text);
  }
  if (p->kind == SN_STEPS_WANTED || p->kind == SN_STEPS_GRADIENT) {
    bool operand = p->of >= 0 && d->parameters.data[p->of].kind == SN_STEPS_OPERAND;
    if (!operand ||
        (memory ? !mlirTypeEqual(p->type, d->parameters.data[p->of].type) : sn_is_float(e) || sn_bits(e) != 1)) // E3
      return sn_error(op,
                      "argument '%.*s' of type %s is about the gradient of an operand; give the operand's name, and an "
                      "i1 or its type",
                      TEXT(p->name), sn_show_type(p->type).text);
  }
  if (p->kind == SN_STEPS_MEAN && (sn_is_float(e) || sn_bits(e) != 1)) // E3
    return sn_error(op, "argument '%.*s' of type %s says whether the mean is asked for; give an i1", TEXT(p->name),
                    sn_show_type(p->type).text);
  if (p->kind == SN_STEPS_UPSTREAM && (!sn_is_float(e) || sn_bits(e) != 32 || memory)) // E3
    return sn_error(op, "argument '%.*s' of type %s is the upstream gradient; give an f32", TEXT(p->name),
                    sn_show_type(p->type).text);
  return SN_OK;
}

static MlirLogicalResult check_definition(const SnStepsDefinition *d) {
  size_t count[SN_STEPS_GRADIENT + 1] = {0};
  for (size_t k = 0; k < d->parameters.size; ++k) {
    if (sn_failed(check_parameter(d, k)))
      return SN_FAIL;
    ++count[d->parameters.data[k].kind];
  }
  if (!count[SN_STEPS_ROW] || !count[SN_STEPS_OPERAND]) // E1
    return sn_error(d->op, "has %zu operands and %zu rows; give at least one, and one", count[SN_STEPS_OPERAND],
                    count[SN_STEPS_ROW]);
  if (count[SN_STEPS_WANTED] != count[SN_STEPS_GRADIENT] || count[SN_STEPS_WANTED] > 1 ||
      count[SN_STEPS_UPSTREAM] != count[SN_STEPS_WANTED] || count[SN_STEPS_MEAN] > 1) // E3
    return sn_error(d->op,
                    "has %zu places for a gradient, and says %zu times whether one is asked for, and %zu upstream "
                    "gradients; give one of each, or none",
                    count[SN_STEPS_GRADIENT], count[SN_STEPS_WANTED], count[SN_STEPS_UPSTREAM]);
  for (size_t k = 0; k < d->parameters.size; ++k)
    if (d->parameters.data[k].kind == SN_STEPS_GRADIENT && !only_if_wanted(d, k)) // E3
      return sn_error(d->op, "stores to '%.*s' where no gradient may be asked for; write an scf.if around it",
                      TEXT(d->parameters.data[k].name));
  for (intptr_t k = 0; d->reductions.ptr && k < mlirArrayAttrGetNumElements(d->reductions); ++k) {
    SnReduction r = sn_reduction(mlirArrayAttrGetElement(d->reductions, k));
    if (r == SN_NO_REDUCTION || r == SN_REDUCE_BATCHMEAN) // E5
      return sn_error(d->op, "'reductions' are some of \"none\", \"sum\" and \"mean\"");
  }
  if (!d->reductions.ptr || !mlirArrayAttrGetNumElements(d->reductions)) // E5
    return sn_error(d->op, "has no 'reductions', some of \"none\", \"sum\" and \"mean\"");
  MlirOperation end = mlirBlockGetTerminator(d->body);
  if (!sn_is(end, "sinter.yield") || sn_num_operands(end) != 1 || sn_none(sn_operand(end, 0)) ||
      !mlirTypeEqual(sn_type_of(sn_operand(end, 0)), mlirF32TypeGet(mlirOperationGetContext(d->op)))) // E4
    return sn_error(d->op, "does not yield one f32, the loss of the row");
  return sn_steps_check_body(d->op, d->body); // E4
}

MlirLogicalResult sinter_define_steps_verify(MlirOperation op) {
  MlirRegion region = mlirOperationGetRegion(op, 0);
  MlirBlock body = mlirRegionGetFirstBlock(region);
  MlirAttribute names = sn_get_attr(op, "names"), parameters = sn_get_attr(op, "parameters");
  if (!body.ptr || mlirBlockGetNextInRegion(body).ptr ||
      mlirArrayAttrGetNumElements(names) != mlirBlockGetNumArguments(body) ||
      mlirArrayAttrGetNumElements(parameters) != mlirBlockGetNumArguments(body)) // E1
    return sn_error(op, "is not one block with a name and words for each argument");
  SnStepsDefinition d = sn_steps_definition_read(op);
  MlirLogicalResult result = check_definition(&d);
  sn_steps_definition_free(&d);
  return result;
}

// ---- its uses ----------------------------------------------------------------------------------

static MlirLogicalResult check_attributes(const SnStepsDefinition *d, MlirOperation use) {
  for (intptr_t k = 0; k < mlirOperationGetNumAttributes(use); ++k) {
    MlirStringRef name = mlirIdentifierStr(mlirOperationGetAttribute(use, k).name);
    if (mlirStringRefEqual(name, SN_STR("callee")) || mlirStringRefEqual(name, SN_STR("reduction")) ||
        memchr(name.data, '.', name.length))
      continue;
    intptr_t p = named(d, name);
    if (mlirStringRefEqual(name, SN_STR("optionals"))) // U2
      return sn_error(use, "has operands by name, and its definition has no optional ones");
    if (p < 0 || d->parameters.data[p].kind != SN_STEPS_NUMBER) // U4
      return sn_error(use, "has an attribute '%.*s', and its definition has none of this name", TEXT(name));
    MlirType t = d->parameters.data[p].type;
    MlirAttribute a = mlirOperationGetAttribute(use, k).attribute;
    bool bit = !sn_is_float(t) && sn_bits(t) == 1, is_bool = mlirAttributeIsABool(a);
    if (bit ? !is_bool : sn_is_float(t) ? !mlirAttributeIsAFloat(a) : !mlirAttributeIsAInteger(a) || is_bool) // U4
      return sn_error(use, "'%.*s' is %s", TEXT(name),
                      bit              ? "true or false"
                      : sn_is_float(t) ? "a number"
                                       : "an integer");
  }
  if (sn_steps_reduction(d, sn_get_attr(use, "reduction")) != SN_NO_REDUCTION)
    return SN_OK;
  SnShown all = {{0}};
  for (intptr_t k = 0; k < mlirArrayAttrGetNumElements(d->reductions); ++k) {
    size_t used = strlen(all.text);
    snprintf(all.text + used, sizeof all.text - used, "%s\"%.*s\"", k ? ", " : "",
             TEXT(mlirStringAttrGetValue(mlirArrayAttrGetElement(d->reductions, k))));
  }
  return sn_error(use, "'reduction' is one of %s", all.text); // U4
}

static bool agree(int64_t x, int64_t y) { return x == y || x == SN_DYNAMIC || y == SN_DYNAMIC; }

static MlirLogicalResult check_operand(const SnStepsDefinition *d, MlirOperation use, size_t k, intptr_t operand,
                                       bool alone, int64_t rows) {
  const SnStepsParameter *p = &d->parameters.data[k];
  MlirType t = sn_type_of(sn_operand(use, operand)), e = sn_element(t);
  if (!mlirTypeIsARankedTensor(t) || !sn_is_scalar_type(e)) // U3
    return sn_error(use, "operand '%.*s' has type %s; give a ranked tensor of numbers", TEXT(p->name),
                    sn_show_type(t).text);
  if (sn_is_float(sn_element(p->type)) != sn_is_float(e)) // U3
    return sn_error(use, "operand '%.*s' has elements of type %s; give %s", TEXT(p->name), sn_show_type(e).text,
                    sn_is_float(e) ? "integers" : "floats");
  intptr_t rank = sn_rank(p->type), is = sn_rank(t);
  bool lacks = is == rank - 1 && (alone || p->packed);
  if (is != rank && !lacks) // U3
    return sn_error(use, "operand '%.*s' has rank %td, and %td is needed", TEXT(p->name), is,
                    alone && !p->packed ? rank - 1 : rank);
  if (alone && !lacks) // U3
    return sn_error(use, "operand '%.*s' has rank %td, and %td is needed, as there is one row", TEXT(p->name), is,
                    rank - 1);
  if (!lacks && !agree(sn_dim(t, p->rows), rows)) // U3
    return sn_error(use, "operand '%.*s' has %lld rows in dimension %td, and there are %lld", TEXT(p->name),
                    (long long)sn_dim(t, p->rows), p->rows, (long long)rows);
  if (!p->like.ptr)
    return SN_OK;
  intptr_t other = named(d, mlirStringAttrGetValue(p->like));
  MlirType wanted = sn_type_of(sn_operand(use, other - 1)); // operands follow the row
  bool same = sn_rank(wanted) == is;
  for (intptr_t i = 0; i < is && same; ++i)
    same = agree(sn_dim(t, i), sn_dim(wanted, i));
  if (!same) // U3
    return sn_error(use, "operand '%.*s' has type %s, and is as large as '%.*s' of type %s", TEXT(p->name),
                    sn_show_type(t).text, TEXT(d->parameters.data[other].name), sn_show_type(wanted).text);
  return SN_OK;
}

typedef struct {
  const SnStepsDefinition *d;
  MlirOperation use;
} Use;

static MlirAttribute number_given(const void *user, intptr_t argument, intptr_t dim) {
  const Use *u = user;
  const SnStepsParameter *p = &u->d->parameters.data[argument];
  if (dim < 0)
    return p->kind == SN_STEPS_NUMBER ? sn_steps_number(u->d, u->use, (size_t)argument) : mlirAttributeGetNull();
  if (p->kind != SN_STEPS_OPERAND)
    return mlirAttributeGetNull();
  MlirType t = sn_type_of(sn_operand(u->use, argument - 1)); // operands follow the row
  intptr_t lacks = sn_rank(p->type) - sn_rank(t), at = lacks && dim >= p->rows ? dim - 1 : dim;
  if (lacks && dim == p->rows)
    return sn_i64(mlirOperationGetContext(u->use), 1);
  bool known = at >= 0 && at < sn_rank(t) && sn_dim(t, at) != SN_DYNAMIC;
  return known ? sn_i64(mlirOperationGetContext(u->use), sn_dim(t, at)) : mlirAttributeGetNull();
}

static MlirLogicalResult check_use(const SnStepsDefinition *d, MlirOperation use) {
  intptr_t needed = 0, is = sn_num_operands(use);
  for (size_t k = 0; k < d->parameters.size; ++k)
    needed += d->parameters.data[k].kind == SN_STEPS_OPERAND;
  if (is != needed) // U2
    return sn_error(use, "has %td operands, and %td are needed", is, needed);
  if (sn_in_row_program(use)) // U2
    return sn_error(use, "stands in a row program, and its definition is in steps: use it on whole tensors");
  if (sn_failed(check_attributes(d, use)))
    return SN_FAIL;
  intptr_t first = sn_steps_parameter(d, SN_STEPS_OPERAND), operand = 0;
  MlirType t = sn_type_of(sn_operand(use, 0));
  bool alone = mlirTypeIsARankedTensor(t) && sn_steps_alone(d, use);
  int64_t rows = alone || !mlirTypeIsARankedTensor(t) || sn_rank(t) <= d->parameters.data[first].rows
                     ? 1
                     : sn_dim(t, d->parameters.data[first].rows);
  for (size_t k = 0; k < d->parameters.size; ++k)
    if (d->parameters.data[k].kind == SN_STEPS_OPERAND && sn_failed(check_operand(d, use, k, operand++, alone, rows)))
      return SN_FAIL;
  bool each = sn_steps_reduction(d, sn_get_attr(use, "reduction")) == SN_REDUCE_NONE && !alone;
  MlirType wanted = sn_tensor(sn_steps_real(use), each, &rows);
  if (sn_num_results(use) != 1 || !mlirTypeEqual(sn_type_of(sn_result(use, 0)), wanted)) // U5
    return sn_error(use, "gives %td results%s%s, and its definition gives one of type %s", sn_num_results(use),
                    sn_num_results(use) ? ", the first of type " : "",
                    sn_num_results(use) ? sn_show_type(sn_type_of(sn_result(use, 0))).text : "",
                    sn_show_type(wanted).text);
  Use known = {d, use};
  return sn_use_check_asserts(use, d->body, number_given, &known); // U4
}

MlirLogicalResult sn_steps_check_use(MlirOperation use, MlirOperation definition) {
  SnStepsDefinition d = sn_steps_definition_read(definition);
  MlirLogicalResult result = check_use(&d, use);
  sn_steps_definition_free(&d);
  return result;
}

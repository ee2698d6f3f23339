// definition.c: sinter.define read into plain C, and found by name. See definition.h.

#include "dialect/definition.h"
#include "dialect/verify.h"
#include <stdio.h>

const char *const sn_reductions[] = {"none", "sum", "mean", "batchmean", NULL};

SnReduction sn_reduction(MlirAttribute word) {
  for (int k = 0; word.ptr && mlirAttributeIsAString(word) && sn_reductions[k]; ++k)
    if (mlirStringRefEqual(mlirStringAttrGetValue(word), SN_STR(sn_reductions[k])))
      return (SnReduction)k;
  return SN_NO_REDUCTION;
}

const SnLimit sn_limits[3] = {{"above", "above"}, {"at_least", "at least"}, {"at_most", "at most"}};

int sn_limit_broken(const SnParameter *p, double value, double *limit) {
  for (int k = 0; k < 3; ++k)
    if (p->limits[k].ptr && sn_attr_number(p->limits[k], limit) &&
        !(k == 0   ? value > *limit
          : k == 1 ? value >= *limit
                   : value <= *limit))
      return k;
  return -1;
}

static MlirAttribute word_of(MlirAttribute words, const char *name) {
  return words.ptr && mlirAttributeIsADictionary(words) ? mlirDictionaryAttrGetElementByName(words, SN_STR(name))
                                                        : mlirAttributeGetNull();
}

static bool are_strings(MlirAttribute list) {
  bool all = mlirAttributeIsAArray(list);
  for (intptr_t k = 0; all && k < mlirArrayAttrGetNumElements(list); ++k)
    all = mlirAttributeIsAString(mlirArrayAttrGetElement(list, k));
  return all;
}

// A dimension, or several that follow each other.
static bool are_dimensions(MlirAttribute columns) {
  if (mlirAttributeIsAInteger(columns))
    return true;
  bool fits = mlirAttributeIsAArray(columns) && mlirArrayAttrGetNumElements(columns) > 0;
  int64_t last = 0;
  for (intptr_t k = 0; fits && k < mlirArrayAttrGetNumElements(columns); ++k) {
    MlirAttribute d = mlirArrayAttrGetElement(columns, k);
    int64_t is = mlirAttributeIsAInteger(d) ? mlirIntegerAttrGetValueInt(d) : 0;
    fits = mlirAttributeIsAInteger(d) && (!k || (is == last + 1 && is != 0));
    last = is;
  }
  return fits;
}

// What uses read as strings is that.
static bool has_words(MlirAttribute parameter) {
  MlirAttribute values = word_of(parameter, "values"), like = word_of(parameter, "like");
  return (!values.ptr || are_strings(values)) && (!like.ptr || mlirAttributeIsAString(like));
}

bool sn_definition_is_whole(MlirOperation op) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  if (!body.ptr || mlirBlockGetNextInRegion(body).ptr || sn_null(mlirBlockGetFirstOperation(body)))
    return false;
  MlirOperation yield = mlirBlockGetTerminator(body);
  if (sn_null(yield) || !sn_is(yield, "sinter.yield"))
    return false;
  if (sn_is(op, "sinter.loss"))
    return true;
  MlirAttribute names = sn_get_attr(op, "names"), parameters = sn_get_attr(op, "parameters");
  intptr_t n = mlirBlockGetNumArguments(body);
  bool whole = mlirArrayAttrGetNumElements(names) == n && mlirArrayAttrGetNumElements(parameters) == n;
  for (intptr_t k = 0; k < n && whole; ++k)
    whole = mlirAttributeIsADictionary(mlirArrayAttrGetElement(parameters, k));
  return whole;
}

bool sn_definition_has_columns(MlirOperation op) {
  MlirAttribute columns = sn_get_attr(op, "columns");
  return !columns.ptr || are_dimensions(columns);
}

intptr_t sn_definition_columns(MlirOperation op) {
  MlirAttribute columns = sn_get_attr(op, "columns");
  bool several = columns.ptr && mlirAttributeIsAArray(columns) && are_dimensions(columns);
  return several ? mlirArrayAttrGetNumElements(columns) : 1;
}

bool sn_definition_is_usable(MlirOperation op) {
  MlirAttribute reductions = sn_get_attr(op, "reductions"), functions = sn_get_attr(op, "functions");
  bool usable = sn_definition_is_whole(op) && sn_definition_has_columns(op) &&
                (!reductions.ptr || are_strings(reductions)) &&
                (!functions.ptr || mlirAttributeIsADictionary(functions));
  MlirAttribute parameters =
      usable && !sn_is(op, "sinter.loss") ? sn_get_attr(op, "parameters") : mlirAttributeGetNull();
  for (intptr_t k = 0; parameters.ptr && k < mlirArrayAttrGetNumElements(parameters); ++k)
    usable &= has_words(mlirArrayAttrGetElement(parameters, k));
  return usable;
}

// Rank of the first operand that is a row of the loss in place; 0 if there is none.
static intptr_t rank_in_place(MlirOperation op, MlirBlock body) {
  for (intptr_t k = 0; k < mlirBlockGetNumArguments(body) && k < sn_num_operands(op); ++k)
    if (mlirTypeIsAShaped(sn_type_of(mlirBlockGetArgument(body, k))) &&
        mlirTypeIsARankedTensor(sn_type_of(sn_operand(op, k))))
      return sn_rank(sn_type_of(sn_operand(op, k)));
  return 0;
}

static bool is_of_numbers(const SnDefinition *d);

SnDefinition sn_definition_read(MlirOperation op) {
  bool in_place = sn_is(op, "sinter.loss");
  MlirContext ctx = mlirOperationGetContext(op);
  SnDefinition d = {.op = op, .body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0))};
  MlirAttribute names = sn_get_attr(op, "names"), parameters = sn_get_attr(op, "parameters");
  d.broadcast = sn_get_attr(op, "broadcast").ptr;
  d.same_rank = sn_get_attr(op, "same_rank").ptr;
  bool vectors =
      in_place && !d.broadcast && rank_in_place(op, d.body) > 1; // what has one dimension is a column operand
  for (intptr_t k = 0; k < mlirBlockGetNumArguments(d.body); ++k) {
    MlirType type = sn_type_of(mlirBlockGetArgument(d.body, k));
    MlirAttribute words = in_place ? mlirAttributeGetNull() : mlirArrayAttrGetElement(parameters, k);
    SnParameter p = {.type = sn_element(type), .row = mlirTypeIsAShaped(type)};
    if (!in_place)
      p.name = mlirStringAttrGetValue(mlirArrayAttrGetElement(names, k));
    MlirType operand =
        vectors && p.row && (intptr_t)k < sn_num_operands(op) ? sn_type_of(sn_operand(op, (intptr_t)k)) : (MlirType){0};
    p.column =
        operand.ptr ? mlirTypeIsARankedTensor(operand) && sn_rank(operand) == 1 : word_of(words, "column").ptr != NULL;
    p.leading = word_of(words, "leading").ptr;
    p.otherwise = word_of(words, "default");
    p.attribute = p.otherwise.ptr;
    if (!p.attribute)
      p.otherwise = word_of(words, "optional");
    p.words = word_of(words, "values");
    for (int i = 0; i < 3; ++i)
      p.limits[i] = word_of(words, sn_limits[i].word);
    p.like = word_of(words, "like");
    sn_push(&d.parameters, p);
  }
  d.reductions = in_place ? sn_parse_attr(ctx, "[\"mean\", \"sum\", \"none\"]") : sn_get_attr(op, "reductions");
  d.functions = sn_get_attr(op, "functions");
  MlirAttribute columns = sn_get_attr(op, "columns");
  bool several = columns.ptr && mlirAttributeIsAArray(columns);
  d.num_columns = sn_definition_columns(op);
  d.columns =
      several ? mlirIntegerAttrGetValueInt(mlirArrayAttrGetElement(columns, 0)) : sn_int_attr(op, "columns", -1);
  d.numbers = is_of_numbers(&d);
  if (d.numbers)
    d.num_columns = 0;
  return d;
}

// The first operand has to be given, and none is a row.
static bool is_of_numbers(const SnDefinition *d) {
  size_t n = sn_num_operand_parameters(d);
  for (size_t k = 0; k < n; ++k)
    if (d->parameters.data[k].row)
      return false;
  return n && !d->parameters.data[0].otherwise.ptr;
}

void sn_definition_free(SnDefinition *d) { sn_vec_free(&d->parameters); }

size_t sn_num_operand_parameters(const SnDefinition *d) {
  size_t n = 0;
  while (n < d->parameters.size && !d->parameters.data[n].attribute)
    ++n;
  return n;
}

intptr_t sn_dim_word(MlirStringRef word, const char *kind, intptr_t many) {
  size_t n = strlen(kind);
  if (word.length < n || memcmp(word.data, kind, n))
    return -1;
  if (word.length == n)
    return many == 1 ? 0 : -1;
  intptr_t number = 0;
  for (size_t i = n; i < word.length; ++i)
    number = word.data[i] >= '0' && word.data[i] <= '9' && number < many ? number * 10 + word.data[i] - '0' : many;
  return number < many ? number : -1;
}

MlirOperation sn_definition_yield(const SnDefinition *d) { return mlirBlockGetTerminator(d->body); }

MlirOperation sn_program_around(MlirOperation op) {
  MlirOperation parent = mlirOperationGetParentOperation(op);
  while (sn_is(parent, "scf.for"))
    parent = mlirOperationGetParentOperation(parent);
  return parent;
}

bool sn_in_row_program(MlirOperation op) {
  MlirOperation parent = sn_program_around(op);
  return !sn_null(parent) && (sn_is_form(parent) || sn_is(parent, "sinter.define") || sn_is(parent, "sinter.loss"));
}

// ---- finding --------------------------------------------------------------------------

static const SnLibraryFile *library_file(MlirStringRef name) {
  for (const SnLibraryFile *f = sn_library; f->name; ++f)
    if (mlirStringRefEqual(name, SN_STR(f->name)))
      return f;
  return NULL;
}

bool sn_is_use(MlirOperation op) {
  static const char prefix[] = "sinter.";
  const char *name = sn_name(op);
  return sn_is(op, "sinter.apply") ||
         (!strncmp(name, prefix, sizeof prefix - 1) && library_file(SN_STR(name + sizeof prefix - 1)));
}

// NAME itself or NAME.anything.
static bool means(MlirStringRef symbol, MlirStringRef name) {
  return symbol.length >= name.length && !memcmp(symbol.data, name.data, name.length) &&
         (symbol.length == name.length || symbol.data[name.length] == '.');
}

static void find_in(MlirOperation module, MlirStringRef name, SnOpVec *found) {
  if (mlirOperationGetNumRegions(module) < 1 || !mlirRegionGetFirstBlock(mlirOperationGetRegion(module, 0)).ptr)
    return;
  MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(module, 0));
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    if (sn_is(op, "sinter.define") && means(mlirStringAttrGetValue(sn_get_attr(op, "sym_name")), name))
      sn_push(found, op);
}

// The module of a file of the library; locations in it name the file. Null after an error.
static MlirModule library_module(MlirContext ctx, const SnLibraryFile *file) {
  static const char head[] = "module {", foot[] = "\n}"; // no line more in front: lines stay the file's
  size_t size = strlen(file->text) + sizeof head + sizeof foot;
  char *text = sn_alloc(size), name[128];
  snprintf(text, size, "%s%s%s", head, file->text, foot);
  snprintf(name, sizeof name, "library/%s.mlir", file->name);
  MlirOperation module = mlirOperationCreateParse(ctx, SN_STR(text), SN_STR(name));
  free(text);
  return sn_null(module) ? (MlirModule){NULL} : mlirModuleFromOperation(module);
}

SnFound sn_definition_find_named(MlirOperation scope, MlirStringRef name) {
  SnFound found = {.library = {0}};
  for (MlirOperation parent = scope; !sn_null(parent) && !found.candidates.size;
       parent = mlirOperationGetParentOperation(parent))
    if (sn_is(parent, "builtin.module"))
      find_in(parent, name, &found.candidates);
  const SnLibraryFile *file = found.candidates.size ? NULL : library_file(name);
  if (file) {
    found.library = library_module(mlirOperationGetContext(scope), file);
    if (!mlirModuleIsNull(found.library))
      find_in(mlirModuleGetOperation(found.library), name, &found.candidates);
  }
  return found;
}

MlirStringRef sn_use_name(MlirOperation use) {
  MlirAttribute callee = sn_get_attr(use, "callee");
  return callee.ptr ? mlirFlatSymbolRefAttrGetValue(callee) : SN_STR(sn_name(use) + strlen("sinter."));
}

SnFound sn_definition_find(MlirOperation use) {
  MlirStringRef name = sn_use_name(use);
  MlirOperation parent = sn_program_around(use);
  MlirAttribute functions =
      !sn_null(parent) && sn_is(parent, "sinter.define") ? sn_get_attr(parent, "functions") : mlirAttributeGetNull();
  MlirAttribute stands_for =
      functions.ptr ? mlirDictionaryAttrGetElementByName(functions, name) : mlirAttributeGetNull();
  if (stands_for.ptr && mlirAttributeIsAFlatSymbolRef(stands_for))
    name = mlirFlatSymbolRefAttrGetValue(stands_for);
  if (sn_is(use, "sinter.apply"))
    return sn_definition_find_named(use, name);
  MlirModule empty =
      mlirModuleCreateEmpty(mlirOperationGetLocation(use)); // a named op is the library's, whatever the user defines
  SnFound found = sn_definition_find_named(mlirModuleGetOperation(empty), name);
  mlirModuleDestroy(empty);
  return found;
}

void sn_found_free(SnFound *found) {
  sn_vec_free(&found->candidates);
  if (!mlirModuleIsNull(found->library))
    mlirModuleDestroy(found->library);
}

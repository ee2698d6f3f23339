// verify_define.c: the rules of sinter.define, and of its uses.
//
// test: test/dialect/invalid_definitions.mlir, @d1.. @u1.. @l1..

#include "dialect/definition.h"
#include "dialect/row_ops.h"
#include "dialect/use_steps.h"
#include "dialect/verify.h"

MlirLogicalResult sinter_define_verify(MlirOperation op);
MlirLogicalResult sinter_use_verify(MlirOperation op);
MlirLogicalResult sinter_loss_verify(MlirOperation op);

#define TEXT(s) (int)(s).length, (s).data

// ---- words that nobody knows ---------------------------------------------------------

static bool is_one_of(MlirStringRef name, const char *const *words) {
  for (; *words; ++words)
    if (mlirStringRefEqual(name, SN_STR(*words)))
      return true;
  return memchr(name.data, '.', name.length) != NULL; // of another dialect
}

// A word that is misspelt would change what is computed, so it is an error.
static MlirLogicalResult check_spelling(MlirOperation op, MlirAttribute parameters, MlirAttribute names) {
  static const char *const of_op[] = {"sym_name",  "names",     "parameters", "reductions", "columns", "broadcast",
                                      "same_rank", "functions", "summary",    "formula",    NULL};
  static const char *const of_argument[] = {"optional", "default", "column",   "leading", "like",
                                            "values",   "above",   "at_least", "at_most", NULL};
  for (intptr_t k = 0; k < mlirOperationGetNumAttributes(op); ++k) {
    MlirStringRef name = mlirIdentifierStr(mlirOperationGetAttribute(op, k).name);
    if (!is_one_of(name, of_op)) // D4
      return sn_error(op,
                      "has an attribute '%.*s'; a definition has reductions, columns, broadcast, same_rank, functions, "
                      "summary and formula",
                      TEXT(name));
  }
  for (intptr_t k = 0; k < mlirArrayAttrGetNumElements(parameters); ++k) {
    MlirAttribute words = mlirArrayAttrGetElement(parameters, k);
    for (intptr_t w = 0; w < mlirDictionaryAttrGetNumElements(words); ++w) {
      MlirStringRef word = mlirIdentifierStr(mlirDictionaryAttrGetElement(words, w).name);
      if (!is_one_of(word, of_argument)) // D3
        return sn_error(op,
                        "argument '%.*s' has the word '%.*s'; there are optional, default, column, leading, like, "
                        "values, above, at_least and at_most",
                        TEXT(mlirStringAttrGetValue(mlirArrayAttrGetElement(names, k))), TEXT(word));
    }
  }
  return SN_OK;
}

static bool is_number(MlirAttribute a) { return mlirAttributeIsAFloat(a) || mlirAttributeIsAInteger(a); }

// ---- one argument ------------------------------------------------------------------

static MlirLogicalResult check_words(MlirOperation op, MlirStringRef name, const SnParameter *p) {
  if (p->words.ptr) {
    bool among = false, all = mlirAttributeIsAArray(p->words);
    for (intptr_t k = 0; all && k < mlirArrayAttrGetNumElements(p->words); ++k) {
      all = mlirAttributeIsAString(mlirArrayAttrGetElement(p->words, k));
      among |= mlirAttributeEqual(mlirArrayAttrGetElement(p->words, k), p->otherwise);
    }
    if (!all || !among || sn_is_float(p->type)) // D3
      return sn_error(op,
                      "argument '%.*s' has `values`; give a list of words, of which `default` is one, to an integer",
                      TEXT(name));
    return SN_OK;
  }
  const MlirAttribute numbers[] = {p->otherwise, p->limits[0], p->limits[1], p->limits[2]};
  for (size_t k = 0; k < 4; ++k)
    if (numbers[k].ptr && !is_number(numbers[k])) // D3
      return sn_error(op, "argument '%.*s' has an `optional`, a `default` or a limit that is no number", TEXT(name));
  double value, limit;
  if (p->attribute && sn_attr_number(p->otherwise, &value) && sn_limit_broken(p, value, &limit) >= 0) // D3
    return sn_error(op, "argument '%.*s' is %g by default, and its limit is %g", TEXT(name), value, limit);
  return SN_OK;
}

static MlirLogicalResult check_argument(MlirOperation op, MlirStringRef name, const SnParameter *p, MlirType t) {
  bool row = sn_is_row_type(t) && sn_dim(t, 0) == SN_DYNAMIC;
  if (!row && !sn_is_scalar_type(t)) // D2
    return sn_error(op, "argument '%.*s' has type %s; give a scalar or a row of any length, tensor<?x...>", TEXT(name),
                    sn_show_type(t).text);
  if ((p->column || p->leading) && !row) // D2
    return sn_error(op, "argument '%.*s' is `column` or `leading`, which is of rows", TEXT(name));
  if (p->attribute && row) // D2
    return sn_error(op, "argument '%.*s' is an attribute, and a row; give a scalar", TEXT(name));
  if (p->like.ptr && (!row || p->column || p->leading || !mlirAttributeIsAString(p->like))) // D2
    return sn_error(op, "argument '%.*s' is `like` another, which is of rows and gives its name", TEXT(name));
  return check_words(op, name, p);
}

// The operand that a parameter is like.
static MlirLogicalResult check_like(MlirOperation op, const SnDefinition *d, size_t k) {
  MlirAttribute like = d->parameters.data[k].like;
  for (size_t i = 0; like.ptr && i < k; ++i) {
    const SnParameter *p = &d->parameters.data[i];
    if (mlirStringRefEqual(p->name, mlirStringAttrGetValue(like)) && p->row && !p->column && !p->leading &&
        !p->otherwise.ptr)
      return SN_OK;
  }
  if (like.ptr) // D2
    return sn_error(op, "argument '%.*s' is like '%.*s', which is no row operand before it",
                    TEXT(d->parameters.data[k].name), TEXT(mlirStringAttrGetValue(like)));
  return SN_OK;
}

// ---- the body --------------------------------------------------------------------------

static MlirLogicalResult check_ops(const SnDefinition *d, MlirBlock block);

static MlirAttribute default_of(const void *user, intptr_t argument, intptr_t dim) {
  const SnParameter *p = &((const SnDefinition *)user)->parameters.data[argument];
  return p->words.ptr || !p->attribute ? mlirAttributeGetNull() : p->otherwise;
}

static MlirLogicalResult check_loop(const SnDefinition *d, MlirOperation loop) {
  for (intptr_t k = 0; k < 3; ++k)
    if (!sn_is_decided_by(d->body, sn_operand(loop, k), default_of, d)) // D7
      return sn_error(loop, "runs from, to or by a number that is not made of constants and attributes; a definition's "
                            "loop is written out where it is used");
  return check_ops(d, mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0)));
}

static MlirLogicalResult check_ops(const SnDefinition *d, MlirBlock block) {
  MlirOperation end = mlirBlockGetTerminator(block);
  MlirLogicalResult result = SN_OK;
  for (MlirOperation inner = mlirBlockGetFirstOperation(block); !mlirOperationEqual(inner, end) && !sn_failed(result);
       inner = mlirOperationGetNextInBlock(inner)) {
    bool loop = sn_is(inner, "scf.for");
    if (!sn_row_op_of(inner) && !sn_is_use(inner) && !sn_is_whole_rows(inner) && !loop) // D5
      return sn_error(inner, "is no operation of a definition, which holds arith, math, cf.assert, sinter's row "
                             "operations, scf.for and uses of definitions");
    if (sn_row_op_has(inner, SN_READS_TABLE)) // D5
      return sn_error(inner, "reads a table, which is an operand of a form; a definition has rows and scalars: write "
                             "it in a sinter.rowwise");
    for (intptr_t k = 0; k < sn_num_results(inner); ++k) {
      MlirType t = sn_type_of(sn_result(inner, k));
      if (!sn_is_scalar_type(t) && !(sn_is_row_type(t) && sn_dim(t, 0) == SN_DYNAMIC)) // D5
        return sn_error(inner, "gives %s; values of a definition are scalars, or rows of any length, tensor<?x...>",
                        sn_show_type(t).text);
    }
    if (loop)
      result = check_loop(d, inner);
  }
  return result;
}

static MlirLogicalResult check_body(MlirOperation op, const SnDefinition *d) {
  MlirOperation yield = sn_definition_yield(d);
  if (sn_failed(check_ops(d, d->body)))
    return SN_FAIL;
  intptr_t n = sn_num_operands(yield);
  bool floats = true;
  for (intptr_t k = 0; k < n; ++k)
    floats &= !sn_none(sn_operand(yield, k)) && sn_is_float(sn_element(sn_type_of(sn_operand(yield, k))));
  if (d->reductions.ptr && (n < 1 || n > 2 || !floats)) // D6
    return sn_error(yield, "gives a loss %td values%s%s; give its value, or its value and weight, of a float type", n,
                    n ? ", the first of type " : "",
                    n && !sn_none(sn_operand(yield, 0)) ? sn_show_type(sn_type_of(sn_operand(yield, 0))).text : "");
  if (n < 1) // D6
    return sn_error(op, "yields nothing");
  return SN_OK;
}

static MlirLogicalResult check_rows(MlirOperation op, const SnDefinition *d) {
  if (d->numbers)
    return sn_get_attr(op, "columns").ptr
               ? sn_error(op, "has `columns`, and no operand that is a row: it works number by number") // D4
               : SN_OK;
  for (size_t k = 0; k < sn_num_operand_parameters(d); ++k)
    if (d->parameters.data[k].row && !d->parameters.data[k].column && !d->parameters.data[k].leading &&
        !d->parameters.data[k].otherwise.ptr)
      return SN_OK;
  return sn_error(op, // D2
                  "has no operand that is a row, which its shape comes from: give one the type tensor<?xf32>");
}

static bool has_block(MlirOperation op) { return mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0)).ptr; }

static MlirLogicalResult check_whole(MlirOperation op) {
  if (!sn_definition_is_whole(op)) // D5
    return sn_error(op, "has a body that is not one block ending in sinter.yield");
  return SN_OK;
}

MlirLogicalResult sinter_define_verify(MlirOperation op) {
  MlirAttribute names = sn_get_attr(op, "names"), parameters = sn_get_attr(op, "parameters");
  intptr_t n = mlirArrayAttrGetNumElements(names);
  if (!has_block(op)) // D5
    return sn_error(op, "has a body that is not one block ending in sinter.yield");
  if (mlirArrayAttrGetNumElements(parameters) != n ||
      mlirBlockGetNumArguments(mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0))) != n) // D1
    return sn_error(op, "has %td names of arguments, and another number of arguments", n);
  for (intptr_t k = 0; k < n; ++k)
    if (!mlirAttributeIsADictionary(mlirArrayAttrGetElement(parameters, k))) // D1
      return sn_error(op, "has no words for argument %td", k);
  if (sn_failed(check_whole(op)) || sn_failed(check_spelling(op, parameters, names)))
    return SN_FAIL;
  if (!sn_definition_has_columns(op)) // D4
    return sn_error(op, "has `columns` that are neither a dimension nor a list of dimensions that follow each other");
  SnDefinition d = sn_definition_read(op);
  MlirLogicalResult result = SN_OK;
  for (intptr_t k = 0, last = 0; k < n && !sn_failed(result); ++k) {
    const SnParameter *p = &d.parameters.data[k];
    intptr_t kind = p->attribute ? 2 : p->otherwise.ptr ? 1 : 0;
    if (kind < last) // D1
      result = sn_error(
          op, "argument '%.*s' stands behind optional ones or attributes; operands come first, attributes last",
          TEXT(p->name));
    last = kind;
    for (intptr_t i = 0; i < k && !sn_failed(result); ++i)
      if (mlirStringRefEqual(d.parameters.data[i].name, p->name)) // D1
        result = sn_error(op, "has two arguments '%.*s'", TEXT(p->name));
    if (!sn_failed(result))
      result = check_argument(op, p->name, p, sn_type_of(mlirBlockGetArgument(d.body, k)));
    if (!sn_failed(result))
      result = check_like(op, &d, (size_t)k);
  }
  for (intptr_t k = 0; d.reductions.ptr && k < mlirArrayAttrGetNumElements(d.reductions) && !sn_failed(result); ++k)
    if (sn_reduction(mlirArrayAttrGetElement(d.reductions, k)) == SN_NO_REDUCTION) // D4
      result = sn_error(op, "has a reduction that is none of \"mean\", \"sum\", \"none\" and \"batchmean\"");
  if (!sn_failed(result) && d.reductions.ptr && !mlirArrayAttrGetNumElements(d.reductions)) // D4
    result = sn_error(op, "has no reduction in `reductions`; leave it out where the definition is no loss");
  if (!sn_failed(result))
    result = check_rows(op, &d);
  if (!sn_failed(result))
    result = check_body(op, &d);
  sn_definition_free(&d);
  return result;
}

// ---- uses ------------------------------------------------------------------------------------

MlirLogicalResult sinter_use_verify(MlirOperation op) {
  SnFound in_steps;
  MlirOperation definition = sn_steps_definition(op, &in_steps);
  if (!sn_null(definition)) {
    MlirLogicalResult is = sn_steps_check_use(op, definition);
    sn_found_free(&in_steps);
    return is;
  }
  SnFound found = sn_definition_find(op);
  SnUse use;
  MlirLogicalResult result = sn_use_bind_found(op, &found, &use);
  sn_use_free(&use);
  sn_found_free(&found);
  return result;
}

MlirLogicalResult sinter_loss_verify(MlirOperation op) {
  if (sn_failed(check_whole(op)))
    return SN_FAIL;
  SnDefinition d = sn_definition_read(op);
  MlirLogicalResult result = SN_OK;
  for (size_t k = 0; k < d.parameters.size && !sn_failed(result); ++k)
    result = check_argument(op, SN_STR("of the body"), &d.parameters.data[k],
                            sn_type_of(mlirBlockGetArgument(d.body, (intptr_t)k)));
  if (!sn_failed(result))
    result = check_rows(op, &d);
  if (!sn_failed(result))
    result = check_body(op, &d);
  sn_definition_free(&d);
  if (sn_failed(result))
    return result;
  SnUse use;
  result = sn_use_bind(op, op, &use);
  sn_use_free(&use);
  return result;
}

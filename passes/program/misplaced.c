// misplaced.c: what a program says where nobody reads it is an error.
//
//   %s = sinter.row_reduce add %x                  in a function, outside of every form and definition
//   func.func @main(%w: ... {sinter.pak})          a word that is none
//   func.func @main(...) -> (... {sinter.pack})    one of arguments, on a result
//
// runs in: sinter-prepare    test: test/passes/program/misplaced.mlir

#include "dialect/attributes.h"
#include "dialect/row_ops.h"
#include "passes/program/tensor_steps.h"

// ---- operations ------------------------------------------------------------------------------

static MlirWalkResult find_row_op(MlirOperation op, void *user) {
  if (!sn_in_dialect(op, "sinter") || sn_is(op, "sinter.random")) // a number by its position, of any program
    return MlirWalkResultAdvance;
  bool of_row = (sn_row_op_of(op) || sn_is_whole_rows(op)) && !sn_is(op, "sinter.detach"); // of any tensor
  if (of_row) {
    *(MlirLogicalResult *)user = sn_error(
        op,
        "works on a row of a form, and stands in none: it goes into the body of a sinter.rowwise, a sinter.contract "
        "or a sinter.define");
    return MlirWalkResultInterrupt;
  }
  return MlirWalkResultSkip; // in its regions rows are
}

// ---- words on arguments and results -----------------------------------------------------------

typedef struct {
  const char *word;
  bool argument, result;
} Word;
static const Word words[] = {
    {SN_NAME, true, true},         {SN_PACK, true, false},  {SN_UPSTREAM_OF, true, false},
    {SN_GRADIENT_OF, false, true}, {SN_RANGE, true, false}, {SN_IN_PLACE_OF, false, true},
    {SN_SHARES, false, true},
};

static const Word *word_of(MlirStringRef name) {
  for (size_t k = 0; k < sizeof words / sizeof *words; ++k)
    if (mlirStringRefEqual(name, mlirStringRefCreateFromCString(words[k].word)))
      return &words[k];
  return NULL;
}

static MlirLogicalResult check_words(MlirOperation func, const char *list, bool argument) {
  static const char prefix[] = "sinter.";
  MlirAttribute all = sn_get_attr(func, list);
  for (intptr_t i = 0; all.ptr && i < mlirArrayAttrGetNumElements(all); ++i) {
    MlirAttribute own = mlirArrayAttrGetElement(all, i);
    for (intptr_t k = 0; k < mlirDictionaryAttrGetNumElements(own); ++k) {
      MlirStringRef name = mlirIdentifierStr(mlirDictionaryAttrGetElement(own, k).name);
      const char *what = argument ? "argument" : "result";
      if (name.length < sizeof prefix - 1 || memcmp(name.data, prefix, sizeof prefix - 1))
        continue;
      const Word *word = word_of(name);
      if (!word)
        return sn_error(func,
                        "%s %ld says %.*s, and there is no such word: an argument may say " SN_NAME ", " SN_PACK
                        " and " SN_UPSTREAM_OF ", a result " SN_NAME ", " SN_GRADIENT_OF " and " SN_IN_PLACE_OF,
                        what, (long)i, (int)name.length, name.data);
      if (!(argument ? word->argument : word->result))
        return sn_error(func, "%s %ld says %s, which is of %ss", what, (long)i, word->word,
                        argument ? "result" : "argument");
    }
  }
  return SN_OK;
}

MlirLogicalResult sn_check_places(MlirOperation root) {
  MlirLogicalResult result = SN_OK;
  mlirOperationWalk(root, find_row_op, &result, MlirWalkPreOrder);
  SnOpVec functions = sn_collect(root, "func.func");
  for (size_t k = 0; k < functions.size && !sn_failed(result); ++k) {
    result = check_words(functions.data[k], "arg_attrs", true);
    if (!sn_failed(result))
      result = check_words(functions.data[k], "res_attrs", false);
  }
  sn_vec_free(&functions);
  return result;
}

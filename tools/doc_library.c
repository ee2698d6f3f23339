// doc_library.c: the page of losses and row functions, from their definitions.

#include "dialect/definition.h"
#include "dialect/dialect.h"
#include "dialect/use_steps.h"
#include "tools/doc.h"
#include <stdio.h>

static void print_string(MlirOperation op, const char *name, const char *before, const char *after) {
  MlirAttribute a = sn_get_attr(op, name);
  if (a.ptr)
    printf("%s%.*s%s", before, (int)mlirStringAttrGetValue(a).length, mlirStringAttrGetValue(a).data, after);
}

static void to_stdout(MlirStringRef text, void *user) { printf("%.*s", (int)text.length, text.data); }

static void print_number(MlirAttribute a) {
  double value;
  if (mlirAttributeIsABool(a))
    printf(mlirBoolAttrGetValue(a) ? "true" : "false");
  else if (sn_attr_number(a, &value))
    printf("%.10g", value);
  else
    mlirAttributePrint(a, to_stdout, NULL);
}

static const char *kind(const SnParameter *p) {
  if (p->attribute)
    return p->words.ptr            ? "one of these words"
           : !sn_is_float(p->type) ? sn_bits(p->type) == 1 ? "true or false" : "an integer"
                                   : "a number";
  if (p->column)
    return "one element for each column";
  if (p->leading)
    return "a tensor, or one element for each row";
  return p->row ? "a tensor" : "one element for each row";
}

static void print_parameter(const SnParameter *p) {
  printf("| `%.*s` | %s%s", (int)p->name.length, p->name.data, kind(p),
         p->attribute           ? ""
         : sn_is_float(p->type) ? ", of floats"
                                : ", of integers");
  for (intptr_t k = 0; p->words.ptr && k < mlirArrayAttrGetNumElements(p->words); ++k) {
    printf(k ? ", " : ": ");
    mlirAttributePrint(mlirArrayAttrGetElement(p->words, k), to_stdout, NULL);
  }
  if (p->like.ptr) {
    MlirStringRef other = mlirStringAttrGetValue(p->like);
    printf(", of the shape of `%.*s`", (int)other.length, other.data);
  }
  for (int k = 0; k < 3; ++k)
    if (p->limits[k].ptr) {
      printf(", %s ", sn_limits[k].text);
      print_number(p->limits[k]);
    }
  printf(" | ");
  if (p->otherwise.ptr) {
    printf("%s", p->attribute ? "" : "absent: ");
    print_number(p->otherwise);
  }
  printf(" |\n");
}

static void print_reductions(MlirAttribute words) {
  printf("| `reduction` | one of these words: ");
  for (intptr_t k = 0; k < mlirArrayAttrGetNumElements(words); ++k) {
    printf(k ? ", " : "");
    mlirAttributePrint(mlirArrayAttrGetElement(words, k), to_stdout, NULL);
  }
  printf(" | ");
  mlirAttributePrint(mlirArrayAttrGetElement(words, 0), to_stdout, NULL);
  printf(" |\n");
}

static void print_definition(MlirOperation op, const char *file) {
  SnDefinition d = sn_definition_read(op);
  MlirStringRef symbol = mlirStringAttrGetValue(sn_get_attr(op, "sym_name"));
  printf("\n### `sinter.%s`%s\n\n", file, symbol.length > strlen(file) ? ", another kind of operands" : "");
  print_string(op, "summary", "", ".\n\n");
  print_string(op, "formula", "```\n", "\n```\n\n");
  printf("| | | default |\n| --- | --- | --- |\n");
  for (size_t k = 0; k < d.parameters.size; ++k)
    print_parameter(&d.parameters.data[k]);
  for (intptr_t k = 0; d.functions.ptr && k < mlirDictionaryAttrGetNumElements(d.functions); ++k) {
    MlirNamedAttribute f = mlirDictionaryAttrGetElement(d.functions, k);
    MlirStringRef name = mlirIdentifierStr(f.name);
    printf("| `%.*s` | a definition | ", (int)name.length, name.data);
    mlirAttributePrint(f.attribute, to_stdout, NULL);
    printf(" |\n");
  }
  if (d.reductions.ptr)
    print_reductions(d.reductions);
  printf("\nRows run along ");
  if (d.num_columns > 1)
    printf("%td dimensions, from %td%s on", d.num_columns, (intptr_t)(d.columns < 0 ? -d.columns : d.columns),
           d.columns < 0 ? " before the end" : "");
  else if (d.columns < 0)
    printf("the last dimension");
  else
    printf("dimension %td%s", (intptr_t)d.columns, d.columns ? ", or 0 of a tensor of rank 1" : "");
  printf(".%s\n", d.broadcast ? " Shapes are broadcast as NumPy does." : "");
  sn_definition_free(&d);
}

static void print_steps(MlirOperation op, const char *file) {
  SnStepsDefinition d = sn_steps_definition_read(op);
  printf("\n### `sinter.%s`\n\n", file);
  print_string(op, "summary", "", ", in steps.\n\n");
  print_string(op, "formula", "```\n", "\n```\n\n");
  printf("| | | default |\n| --- | --- | --- |\n");
  for (size_t k = 0; k < d.parameters.size; ++k) {
    const SnStepsParameter *p = &d.parameters.data[k];
    bool is_float = sn_is_float(sn_element(p->type));
    if (p->kind == SN_STEPS_OPERAND) {
      printf("| `%.*s` | a tensor of rank %lld, of %s; rows are dimension %td |  |\n", (int)p->name.length,
             p->name.data, (long long)sn_rank(p->type), is_float ? "floats" : "integers", p->rows);
    } else if (p->kind == SN_STEPS_NUMBER) {
      printf("| `%.*s` | %s | ", (int)p->name.length, p->name.data,
             is_float                ? "a number"
             : sn_bits(p->type) == 1 ? "true or false"
                                     : "an integer");
      print_number(p->otherwise);
      printf(" |\n");
    }
  }
  print_reductions(d.reductions);
  sn_steps_definition_free(&d);
}

int sn_print_library(void) {
  MlirContext ctx = mlirContextCreate();
  mlirDialectHandleLoadDialect(mlirGetDialectHandle__sinter__(), ctx);
  int failed = 0;
  printf("# Losses and row functions\n\nGenerated by sinter-doc from `dialect/library`. Operands come first, optional "
         "ones by name; then attributes:\n\n"
         "```mlir\n%%l = sinter.cross_entropy(%%x, %%t, weight = %%w) {label_smoothing = 0.1} : (T, L, W) -> "
         "tensor<f32>\n```\n");
  for (int losses = 1; losses >= 0; --losses) {
    printf(losses ? "\n## Losses\n" : "\n## Row functions\n");
    for (const SnLibraryFile *f = sn_library; f->name; ++f) {
      MlirModule module = mlirModuleCreateParse(ctx, SN_STR(f->text));
      if (mlirModuleIsNull(module)) {
        failed = 1;
        continue;
      }
      SnOpVec definitions = sn_collect(mlirModuleGetOperation(module), "sinter.define");
      for (size_t k = 0; k < definitions.size; ++k)
        if ((sn_get_attr(definitions.data[k], "reductions").ptr != NULL) == losses)
          print_definition(definitions.data[k], f->name);
      sn_vec_free(&definitions);
      definitions = sn_collect(mlirModuleGetOperation(module), "sinter.define_steps");
      for (size_t k = 0; k < definitions.size && losses; ++k)
        print_steps(definitions.data[k], f->name);
      sn_vec_free(&definitions);
      mlirModuleDestroy(module);
    }
  }
  mlirContextDestroy(ctx);
  return failed;
}

// module.c: modules made by mlir-c, in a context of the caller's with threads: forms and schedules made and read, rungs
// run in place, the module compiled and called.

#include "check.h"
#include "mlir-c/AffineMap.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"
#include "mlir-c/Pass.h"
#include <math.h>

#define STR(text) mlirStringRefCreateFromCString(text)

static Told told;
static SinterCompiler *compiler;

static void append(MlirStringRef part, void *user) { strncat(user, part.data, part.length); }

static MlirOperation make(MlirLocation loc, MlirBlock block, const char *name, intptr_t n, MlirValue *operands,
                          intptr_t results, MlirType *types) {
  MlirOperationState state = mlirOperationStateGet(STR(name), loc);
  mlirOperationStateAddOperands(&state, n, operands);
  mlirOperationStateAddResults(&state, results, types);
  MlirOperation op = mlirOperationCreate(&state);
  mlirBlockAppendOwnedOperation(block, op);
  return op;
}

// func.func @main(%x: tensor<7x13xf32>, %y: tensor<7x13xf32>) -> tensor<7x13xf32>, with an empty body.
static MlirBlock make_function(MlirContext ctx, MlirModule module, const char *type) {
  MlirLocation loc = mlirLocationFileLineColGet(ctx, STR("made.c"), 1, 1);
  MlirType function = mlirTypeParseGet(ctx, STR("(tensor<7x13xf32>, tensor<7x13xf32>) -> tensor<7x13xf32>"));
  MlirType tensor_type = mlirTypeParseGet(ctx, STR(type)), arguments[] = {tensor_type, tensor_type};
  MlirLocation places[] = {loc, loc};
  MlirBlock body = mlirBlockCreate(2, arguments, places);
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, body);
  MlirNamedAttribute attributes[] = {
      mlirNamedAttributeGet(mlirIdentifierGet(ctx, STR("sym_name")), mlirStringAttrGet(ctx, STR("main"))),
      mlirNamedAttributeGet(mlirIdentifierGet(ctx, STR("function_type")), mlirTypeAttrGet(function))};
  MlirOperationState state = mlirOperationStateGet(STR("func.func"), loc);
  mlirOperationStateAddAttributes(&state, 2, attributes);
  mlirOperationStateAddOwnedRegions(&state, 1, &region);
  mlirBlockAppendOwnedOperation(mlirModuleGetBody(module), mlirOperationCreate(&state));
  return body;
}

// x * (x - max of its row) + y, row by row.
static MlirOperation make_form(MlirContext ctx, MlirBlock block, MlirValue destination) {
  MlirLocation loc = mlirLocationFileLineColGet(ctx, STR("made.c"), 2, 1);
  MlirAffineMap whole = mlirAffineMapMultiDimIdentityGet(ctx, 2);
  MlirAttribute none = {NULL};
  MlirOperation op;
  SinterForm *form = sinter_form_create();
  sinter_form_add_row(form, STR("i"), 7);
  sinter_form_add_column(form, STR("j"), 13);
  sinter_form_add_access(form, SINTER_FORM_INPUTS, mlirBlockGetArgument(block, 0), whole, none, none);
  sinter_form_add_access(form, SINTER_FORM_INPUTS, mlirBlockGetArgument(block, 1), whole, none, none);
  sinter_form_add_access(form, SINTER_FORM_OUTPUTS, destination, whole, none, none);
  CHECK(sinter_form_build(compiler, form, loc, block, (MlirOperation){NULL}, false, &op) == SINTER_COMPILER_OK);
  MlirBlock body = sinter_form_body(form);
  CHECK(mlirBlockGetNumArguments(body) == 2 && mlirBlockIsNull(sinter_form_finish(form)));
  MlirValue x = mlirBlockGetArgument(body, 0), y = mlirBlockGetArgument(body, 1);
  MlirType f32 = mlirF32TypeGet(ctx), row = mlirValueGetType(x);
  MlirOperationState reduce = mlirOperationStateGet(STR("sinter.row_reduce"), loc);
  MlirNamedAttribute kind =
      mlirNamedAttributeGet(mlirIdentifierGet(ctx, STR("kind")), mlirStringAttrGet(ctx, STR("maximumf")));
  MlirRegion empty = mlirRegionCreate();
  mlirOperationStateAddAttributes(&reduce, 1, &kind);
  mlirOperationStateAddOperands(&reduce, 1, &x);
  mlirOperationStateAddResults(&reduce, 1, &f32);
  mlirOperationStateAddOwnedRegions(&reduce, 1, &empty);
  MlirOperation reduced = mlirOperationCreate(&reduce);
  CHECK(!mlirOperationIsNull(reduced));
  mlirBlockAppendOwnedOperation(body, reduced);
  MlirValue m = mlirOperationGetResult(reduced, 0);
  MlirValue wide = mlirOperationGetResult(make(loc, body, "sinter.broadcast", 1, &m, 1, &row), 0);
  MlirValue d = mlirOperationGetResult(make(loc, body, "arith.subf", 2, (MlirValue[]){x, wide}, 1, &row), 0);
  MlirValue p = mlirOperationGetResult(make(loc, body, "arith.mulf", 2, (MlirValue[]){x, d}, 1, &row), 0);
  MlirValue s = mlirOperationGetResult(make(loc, body, "arith.addf", 2, (MlirValue[]){p, y}, 1, &row), 0);
  make(loc, body, "sinter.yield", 1, &s, 0, NULL);
  // It is built, and not built again.
  int before = told.errors;
  MlirOperation again;
  CHECK(sinter_form_build(compiler, form, loc, block, (MlirOperation){NULL}, false, &again) ==
        SINTER_COMPILER_BAD_INPUT);
  CHECK(told.errors == before + 1 && mlirOperationIsNull(again));
  sinter_form_destroy(form);
  return op;
}

static MlirModule make_module(MlirContext ctx) {
  MlirLocation loc = mlirLocationUnknownGet(ctx);
  MlirModule module = mlirModuleCreateEmpty(loc);
  MlirBlock block = make_function(ctx, module, "tensor<7x13xf32>");
  MlirType type = mlirTypeParseGet(ctx, STR("tensor<7x13xf32>"));
  MlirValue destination = mlirOperationGetResult(make(loc, block, "tensor.empty", 0, NULL, 1, &type), 0);
  MlirValue result = mlirOperationGetResult(make_form(ctx, block, destination), 0);
  make(loc, block, "func.return", 1, &result, 0, NULL);
  CHECK(mlirOperationVerify(mlirModuleGetOperation(module)));
  return module;
}

static MlirOperation find_in(MlirBlock block, const char *name) {
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    if (mlirStringRefEqual(mlirIdentifierStr(mlirOperationGetName(op)), STR(name)))
      return op;
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); ++r) {
      MlirBlock inner = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r));
      MlirOperation found = mlirBlockIsNull(inner) ? (MlirOperation){NULL} : find_in(inner, name);
      if (!mlirOperationIsNull(found))
        return found;
    }
  }
  return (MlirOperation){NULL};
}

static void read_form(MlirOperation op) {
  SinterForm *form = sinter_form_read(op);
  MlirStringRef name;
  MlirValue value;
  MlirAffineMap map;
  MlirAttribute fill, through;
  MlirType type;
  intptr_t n;
  int64_t size;
  CHECK(form);
  CHECK(sinter_form_count(form, SINTER_FORM_ROWS) == 1 && sinter_form_count(form, SINTER_FORM_COLUMNS) == 1);
  CHECK(sinter_form_count(form, SINTER_FORM_INPUTS) == 2 && sinter_form_count(form, SINTER_FORM_OUTPUTS) == 1);
  CHECK(sinter_form_count(form, SINTER_FORM_PRODUCTS) == 0 && sinter_form_count(form, SINTER_FORM_INDICES) == 0);
  CHECK(sinter_form_count(form, SINTER_FORM_GROUPS) == 1 && sinter_form_count(form, 99) == -1);
  CHECK(sinter_form_dimension(form, 1, &name, &size) && mlirStringRefEqual(name, STR("j")) && size == 13);
  CHECK(!sinter_form_dimension(form, 2, &name, &size) && !sinter_form_dimension(form, -1, &name, &size));
  CHECK(sinter_form_access(form, SINTER_FORM_INPUTS, 1, &value, &map, &fill, &through));
  CHECK(mlirValueIsABlockArgument(value) && mlirAffineMapIsIdentity(map));
  CHECK(mlirAttributeIsNull(fill) && mlirAttributeIsNull(through));
  CHECK(!sinter_form_access(form, SINTER_FORM_INPUTS, 2, &value, &map, &fill, &through));
  CHECK(!sinter_form_access(form, SINTER_FORM_ROWS, 0, &value, &map, &fill, &through));
  CHECK(!sinter_form_product(form, 0, &n, &type));
  CHECK(mlirBlockGetNumArguments(sinter_form_body(form)) == 2);
  sinter_form_destroy(form);
  CHECK(!sinter_form_read(mlirOperationGetParentOperation(op)));
}

static void check_numbers(MlirModule module) {
  _Alignas(SINTER_ALIGNMENT) static float x[91], y[91], z[91];
  SinterProgram *program;
  const SinterLibrary *library;
  CHECK(sinter_compiler_compile(compiler, module, &program) == SINTER_COMPILER_OK);
  CHECK(sinter_program_load(compiler, program, &library) == SINTER_COMPILER_OK);
  for (int i = 0; i < 91; ++i)
    x[i] = (float)((i * 37) % 91) / 8, y[i] = (float)i;
  DLTensor tensors[] = {tensor(x, 2, (int64_t[]){7, 13}), tensor(y, 2, (int64_t[]){7, 13}),
                        tensor(z, 2, (int64_t[]){7, 13})};
  DLTensor *inputs[] = {&tensors[0], &tensors[1]}, *outputs[] = {&tensors[2]};
  CHECK(sinter_library_function(library, "main")->call(inputs, outputs, NULL, NULL) == SINTER_OK);
  for (int i = 0; i < 7; ++i) {
    float m = -INFINITY;
    for (int j = 0; j < 13; ++j)
      m = fmaxf(m, x[13 * i + j]);
    for (int j = 0; j < 13; ++j)
      CHECK(fabsf(z[13 * i + j] - (x[13 * i + j] * (x[13 * i + j] - m) + y[13 * i + j])) < 1e-4f);
  }
  sinter_program_destroy(program);
}

// Down the road in two steps, with a schedule of the caller's between.
static void change_schedule(MlirContext ctx, MlirModule module) {
  CHECK(sinter_compiler_run(compiler, module, NULL, "fused") == SINTER_COMPILER_OK);
  MlirOperation op = find_in(mlirModuleGetBody(module), "sinter.rowwise");
  read_form(op);
  MlirAttribute some = mlirAttributeParseGet(ctx, STR("{chunk = 3 : i64, lanes = 8 : i64}")), schedule;
  MlirLocation loc = mlirOperationGetLocation(op);
  CHECK(sinter_schedule_create(compiler, loc, "rows", some, &schedule) == SINTER_COMPILER_OK);
  CHECK(!strcmp(sinter_schedule_kind(schedule), "rows"));
  MlirAttribute chunk = mlirDictionaryAttrGetElementByName(sinter_schedule_dictionary(schedule), STR("chunk"));
  CHECK(mlirIntegerAttrGetValueInt(chunk) == 3);
  CHECK(!sinter_schedule_kind(some) && mlirAttributeIsNull(sinter_schedule_dictionary(some)));
  CHECK(sinter_schedule_set(compiler, op, schedule) == SINTER_COMPILER_OK);

  // What is wrong is said, and changes nothing.
  const char *const wrong[] = {"{chunk = 0 : i64}", "{colour = 1 : i64}", "{lanes = 3 : i64}"};
  for (int i = 0; i < 3; ++i) {
    MlirAttribute bad;
    memset(&told, 0, sizeof told);
    CHECK(sinter_schedule_create(compiler, loc, "rows", mlirAttributeParseGet(ctx, STR(wrong[i])), &bad) ==
          SINTER_COMPILER_BAD_INPUT);
    CHECK(told.errors == 1 && mlirAttributeIsNull(bad));
  }
  memset(&told, 0, sizeof told);
  MlirAttribute bad;
  CHECK(sinter_schedule_create(compiler, loc, "nothing", some, &bad) == SINTER_COMPILER_BAD_INPUT && told.errors == 1);
  memset(&told, 0, sizeof told);
  CHECK(sinter_schedule_set(compiler, op, some) == SINTER_COMPILER_BAD_INPUT && told.errors == 1);
  memset(&told, 0, sizeof told);
  CHECK(sinter_schedule_set(compiler, mlirModuleGetOperation(module), schedule) == SINTER_COMPILER_BAD_INPUT);
  CHECK(told.errors == 1);
  memset(&told, 0, sizeof told);

  CHECK(sinter_compiler_run(compiler, module, "fused", "scheduled") == SINTER_COMPILER_OK);
  SinterForm *form = sinter_form_read(find_in(mlirModuleGetBody(module), "sinter.rowwise"));
  CHECK(mlirAttributeEqual(sinter_form_schedule(form), schedule)); // kept
  sinter_form_destroy(form);
  CHECK(told.errors == 0);
}

// Forms whose parts do not fit each other are an error, not an operation.
static void refuse_forms(MlirContext ctx) {
  MlirLocation loc = mlirLocationUnknownGet(ctx);
  MlirModule module = mlirModuleCreateEmpty(loc);
  MlirBlock block = make_function(ctx, module, "tensor<7x13xf32>");
  MlirValue x = mlirBlockGetArgument(block, 0);
  MlirAttribute none = {NULL};
  for (int i = 0; i < 6; ++i) {
    SinterForm *form = sinter_form_create();
    MlirOperation op;
    memset(&told, 0, sizeof told);
    if (i == 0)
      sinter_form_add_column(form, STR("j"), 13);
    sinter_form_add_row(form, STR("i"), 7);
    if (i == 1)
      sinter_form_add_product_dimension(form, STR("k"), 3);
    if (i == 2)
      sinter_form_add_access(form, SINTER_FORM_INPUTS, x, mlirAffineMapMultiDimIdentityGet(ctx, 3), none, none);
    if (i == 3)
      sinter_form_add_access(form, SINTER_FORM_ROWS, x, mlirAffineMapMultiDimIdentityGet(ctx, 1), none, none);
    if (i == 4)
      sinter_form_add_product(form, mlirF32TypeGet(ctx));
    if (i == 5)
      sinter_form_add_access(form, SINTER_FORM_INPUTS, x, mlirAffineMapMultiDimIdentityGet(ctx, 1), none, none);
    CHECK(sinter_form_build(compiler, form, loc, block, (MlirOperation){NULL}, false, &op) ==
          SINTER_COMPILER_BAD_INPUT);
    CHECK(told.errors == 1 && mlirOperationIsNull(op) && strstr(told.first, "the form cannot be built"));
    sinter_form_destroy(form);
  }
  CHECK(mlirOperationIsNull(mlirBlockGetFirstOperation(block)));
  mlirModuleDestroy(module);
}

// Every rung is a module that MLIR accepts, and from every rung the rest gives the same numbers.
static void walk(MlirContext ctx) {
  static const char *const rungs[] = {"expanded", "prepared",  "raised",   "differentiated",
                                      "fused",    "scheduled", "outlined", "lowered"};
  enum { N = sizeof rungs / sizeof *rungs };
  for (int i = 0; i < N; ++i) {
    MlirModule module = make_module(ctx);
    memset(&told, 0, sizeof told);
    CHECK(sinter_compiler_run(compiler, module, NULL, rungs[i]) == SINTER_COMPILER_OK);
    CHECK(mlirOperationVerify(mlirModuleGetOperation(module)));
    CHECK(sinter_compiler_set(compiler, "after", rungs[i]) == SINTER_COMPILER_OK);
    if (i < N - 1)
      check_numbers(module);
    CHECK(told.errors == 0);
    mlirModuleDestroy(module);
    sinter_compiler_destroy(compiler);
    compiler = sinter_compiler_create();
    sinter_compiler_set_handler(compiler, count, &told);
  }
  MlirModule module = make_module(ctx);
  memset(&told, 0, sizeof told);
  CHECK(sinter_compiler_run(compiler, module, NULL, "cellar") == SINTER_COMPILER_BAD_INPUT && told.errors == 1);
  CHECK(sinter_compiler_run(compiler, module, "fused", "raised") == SINTER_COMPILER_BAD_INPUT && told.errors == 2);
  CHECK(sinter_compiler_run(compiler, (MlirModule){NULL}, NULL, NULL) == SINTER_COMPILER_BAD_INPUT);
  CHECK(told.errors == 3);
  mlirModuleDestroy(module);
}

// A pipeline in text, with the dialect's handle in a registry that has nothing else.
static void own_pipeline(void) {
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  mlirDialectHandleInsertDialect(mlirGetDialectHandle__sinter__(), registry);
  sinter_register_dialects(registry);
  MlirContext ctx = mlirContextCreateWithRegistry(registry, true);
  mlirDialectRegistryDestroy(registry);
  sinter_register_passes();
  sinter_register_passes(); // once is enough
  static const char text[] =
      "func.func @main(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {\n"
      "  %e = tensor.empty() : tensor<8x16xf32>\n"
      "  %y = linalg.tanh ins(%x : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>\n"
      "  return %y : tensor<8x16xf32>\n"
      "}\n";
  MlirModule module = mlirModuleCreateParse(ctx, STR(text));
  MlirPassManager pm = mlirPassManagerCreate(ctx);
  static char why[4096];
  CHECK(mlirLogicalResultIsSuccess(mlirOpPassManagerAddPipeline(mlirPassManagerGetAsOpPassManager(pm),
                                                                STR("sinter-prepare,sinter-raise"), append, why)));
  CHECK(mlirLogicalResultIsSuccess(mlirPassManagerRunOnOp(pm, mlirModuleGetOperation(module))));
  CHECK(!mlirOperationIsNull(find_in(mlirModuleGetBody(module), "sinter.rowwise")));
  mlirPassManagerDestroy(pm);
  mlirModuleDestroy(module);
  mlirContextDestroy(ctx);
}

int main(void) {
  compiler = sinter_compiler_create();
  sinter_compiler_set_handler(compiler, count, &told);
  own_pipeline();
  MlirContext ctx = mlirContextCreate(); // with threads, and nothing loaded
  sinter_prepare_context(ctx);
  mlirContextLoadAllAvailableDialects(ctx);
  MlirModule module = make_module(ctx);
  static char before[16384], after[16384];
  mlirOperationPrint(mlirModuleGetOperation(module), append, before);
  memset(&told, 0, sizeof told);
  check_numbers(module);
  mlirOperationPrint(mlirModuleGetOperation(module), append, after);
  CHECK(*before && !strcmp(before, after)); // the caller's stays as it is
  change_schedule(ctx, module);
  mlirModuleDestroy(module);
  refuse_forms(ctx);
  walk(ctx);
  mlirContextDestroy(ctx);
  sinter_compiler_destroy(compiler);
  printf("modules\n");
  return 0;
}

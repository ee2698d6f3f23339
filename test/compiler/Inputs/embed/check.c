// check.c: programs in text: each option's and each function's mistakes, files, memory that is given back.

#include "check.h"
#include <dlfcn.h>
#include <math.h>

static const char linear[] =
    "func.func @main(%x: tensor<3x5xf32>, %w: tensor<5x2xf32>) -> tensor<3x2xf32> {\n"
    "  %zero = arith.constant 0.0 : f32\n"
    "  %e = tensor.empty() : tensor<3x2xf32>\n"
    "  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<3x2xf32>) -> tensor<3x2xf32>\n"
    "  %p = linalg.matmul ins(%x, %w : tensor<3x5xf32>, tensor<5x2xf32>) outs(%c : tensor<3x2xf32>)"
    " -> tensor<3x2xf32>\n"
    "  %y = linalg.tanh ins(%p : tensor<3x2xf32>) outs(%e : tensor<3x2xf32>) -> tensor<3x2xf32>\n"
    "  return %y : tensor<3x2xf32>\n"
    "}\n";

// What the program says, in C.
static void check_call(const SinterFunction *f, float seed) {
  _Alignas(SINTER_ALIGNMENT) float x[15], w[10], y[6];
  for (int i = 0; i < 15; ++i)
    x[i] = seed + 0.01f * (float)i;
  for (int i = 0; i < 10; ++i)
    w[i] = 0.1f * (float)(i % 4) - seed;
  DLTensor tensors[] = {tensor(x, 2, (int64_t[]){3, 5}), tensor(w, 2, (int64_t[]){5, 2}),
                        tensor(y, 2, (int64_t[]){3, 2})};
  DLTensor *inputs[] = {&tensors[0], &tensors[1]}, *outputs[] = {&tensors[2]};
  CHECK(f->call(inputs, outputs, NULL, NULL) == SINTER_OK);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 2; ++j) {
      double sum = 0;
      for (int k = 0; k < 5; ++k)
        sum += (double)x[5 * i + k] * (double)w[2 * k + j];
      CHECK(fabs((double)y[2 * i + j] - tanh(sum)) < 1e-6);
    }
}

static SinterProgram *compile(const SinterCompiler *compiler, const char *text, int32_t want) {
  SinterProgram *program = (SinterProgram *)1;
  int32_t status = sinter_compiler_compile_text(compiler, text, strlen(text), "here.mlir", &program);
  CHECK(status == want);
  CHECK((program != NULL) == (want == SINTER_COMPILER_OK));
  return program;
}

static const SinterFunction *load(const SinterCompiler *compiler, SinterProgram *program) {
  const SinterLibrary *library = NULL;
  CHECK(sinter_program_load(compiler, program, &library) == SINTER_COMPILER_OK);
  CHECK(library && library->abi_version == SINTER_ABI_VERSION);
  CHECK(!sinter_library_function(library, "none"));
  return sinter_library_function(library, "main");
}

static void runs(void) {
  Told told = {0};
  SinterCompiler *compiler = sinter_compiler_create();
  sinter_compiler_set_handler(compiler, count, &told);
  const char *const policies[] = {"disabled", "medium", "aggressive"};
  for (int i = 0; i < 3; ++i) {
    CHECK(sinter_compiler_set(compiler, "policy", policies[i]) == SINTER_COMPILER_OK);
    SinterProgram *program = compile(compiler, linear, SINTER_COMPILER_OK);
    const SinterFunction *f = load(compiler, program);
    CHECK(f && f == load(compiler, program)); // the same library each time
    check_call(f, (float)i);
    CHECK(!sinter_program_was_cached(program));
    sinter_program_destroy(program);
  }
  // A program needs no compiler once it is loaded; two have runtimes of their own.
  SinterProgram *a = compile(compiler, linear, SINTER_COMPILER_OK), *b = compile(compiler, linear, SINTER_COMPILER_OK);
  const SinterLibrary *first, *second;
  CHECK(!sinter_program_load(compiler, a, &first) && !sinter_program_load(compiler, b, &second));
  sinter_compiler_destroy(compiler);
  SinterStats x, y;
  check_call(&first->functions[0], 1);
  first->stats(&x);
  second->stats(&y);
  CHECK(x.kernels > 0 && y.kernels == 0);
  sinter_program_destroy(a);
  check_call(&second->functions[0], 1);
  sinter_program_destroy(b);
  CHECK(told.errors == 0);
  printf("runs\n");
}

// Each mistake is one error, said once, with the place where there is one; the next compilation is right.
static void mistakes(void) {
  static const struct {
    const char *option, *value, *why;
  } options[] = {
      {"colour", "red", "there is no option colour"},
      {"policy", "most", "policy: 'most' is not a policy"},
      {"policy", NULL, "policy takes a value, WORD"},
      {"upstream", "yes", "upstream takes no value"},
      {"target", "tpu", "target: 'tpu' is not a target"},
      {"cpu", "abacus", "cpu: 'abacus' is not a processor"},
      {"chip", "90", "chip: '90' is not an architecture"},
      {"wrt", "x y", "wrt: 'x y' holds a quote, a brace or a space"},
      {"tuning", "a'b", "tuning: 'a'b' holds a quote"},
      {"input-dialect", "onnx", "input-dialect: 'onnx' is not a dialect"},
      {"cache-size", "1g", "cache-size: '1g' is not a number of bytes"},
      {"cache-size", "-1", "cache-size: '-1' is not a number of bytes"},
      {NULL, NULL, "there is no option (null)"},
  };
  Told told = {0};
  SinterCompiler *compiler = sinter_compiler_create();
  sinter_compiler_set_handler(compiler, count, &told);
  for (size_t i = 0; i < sizeof options / sizeof *options; ++i) {
    memset(&told, 0, sizeof told);
    CHECK(sinter_compiler_set(compiler, options[i].option, options[i].value) == SINTER_COMPILER_BAD_INPUT);
    CHECK(told.errors == 1);
    if (!strstr(told.first, options[i].why))
      printf("%s, and not: %s\n", told.first, options[i].why), exit(1);
  }
  static const struct {
    const char *text, *why;
    int32_t status;
  } programs[] = {
      {"func.func @main(", "here.mlir:1:16: expected", SINTER_COMPILER_NOT_COMPILED},
      {"", "has no public function with a body", SINTER_COMPILER_NOT_COMPILED},
      {"func.func private @f()", "has no public function with a body", SINTER_COMPILER_NOT_COMPILED},
      {"\nfunc.func @main(%x: tensor<2xf32>) -> tensor<3xf32> {\n  return %x : tensor<2xf32>\n}",
       "here.mlir:3:3: type of return operand", SINTER_COMPILER_NOT_COMPILED},
      {"func.func @exp() { return } func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n  %y = foo.bar %x\n}",
       "here.mlir:2:8:", SINTER_COMPILER_NOT_COMPILED},
      {"func.func private @far(tensor<2xf32>) -> tensor<2xf32>\n"
       "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
       "  %y = func.call @far(%x) : (tensor<2xf32>) -> tensor<2xf32>\n  return %y : tensor<2xf32>\n}",
       "here.mlir:1:1: 'func.func' op is declared, and nothing defines it", SINTER_COMPILER_NOT_COMPILED},
      {"func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
       "  llvm.inline_asm has_side_effects \"no_such_instruction\", \"\" : () -> ()\n"
       "  return %x : tensor<2xf32>\n}",
       "no_such_instruction", SINTER_COMPILER_NOT_COMPILED},
      {"func.func @main(%x: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {\n"
       "  return %x : tensor<2xcomplex<f32>>\n}",
       "complex", SINTER_COMPILER_NOT_COMPILED},
  };
  for (size_t i = 0; i < sizeof programs / sizeof *programs; ++i) {
    memset(&told, 0, sizeof told);
    compile(compiler, programs[i].text, programs[i].status);
    CHECK(told.errors == 1);
    if (!strstr(told.first, programs[i].why))
      printf("%s, and not: %s\n", told.first, programs[i].why), exit(1);
  }
  memset(&told, 0, sizeof told);
  SinterProgram *program = compile(compiler, linear, SINTER_COMPILER_OK);
  check_call(load(compiler, program), 1);
  CHECK(told.errors == 0);
  static const struct {
    const char *path, *why;
  } files[] = {{"/nowhere/here.so", "cannot write /nowhere/here.so"},
               {"/nowhere/here.o", "cannot write /nowhere/here.o"},
               {"here.exe", "here.exe: expected a name that ends in"},
               {".so", ".so: expected"}};
  for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
    memset(&told, 0, sizeof told);
    CHECK(sinter_program_write(compiler, program, files[i].path) == SINTER_COMPILER_BAD_INPUT);
    CHECK(told.errors == 1);
    if (!strstr(told.first, files[i].why))
      printf("%s, and not: %s\n", told.first, files[i].why), exit(1);
  }
  sinter_program_destroy(program);
  // Options that do not go together.
  memset(&told, 0, sizeof told);
  CHECK(!sinter_compiler_set(compiler, "upstream", NULL));
  compile(compiler, linear, SINTER_COMPILER_BAD_INPUT);
  CHECK(told.errors == 1 && strstr(told.first, "upstream takes effect with wrt=N"));
  sinter_compiler_destroy(compiler);
  // Nobody is told.
  compiler = sinter_compiler_create();
  compile(compiler, "nonsense", SINTER_COMPILER_NOT_COMPILED);
  sinter_compiler_destroy(compiler);
  sinter_compiler_destroy(NULL);
  sinter_program_destroy(NULL);
  printf("mistakes\n");
}

// A file says what memory says.
static void files(const char *folder) {
  Told told = {0};
  char path[4096];
  SinterCompiler *compiler = sinter_compiler_create();
  sinter_compiler_set_handler(compiler, count, &told);
  CHECK(!sinter_compiler_set(compiler, "name", "mine"));
  SinterProgram *program = compile(compiler, linear, SINTER_COMPILER_OK);
  const char *const names[] = {"mine.so", "mine.a", "mine.o", "mine.h"};
  for (int i = 0; i < 4; ++i) {
    snprintf(path, sizeof path, "%s/%s", folder, names[i]);
    CHECK(sinter_program_write(compiler, program, path) == SINTER_COMPILER_OK);
  }
  snprintf(path, sizeof path, "%s/mine.so", folder);
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  CHECK(handle);
  const SinterLibrary *library = dlsym(handle, "sinter_library");
  CHECK(library && library == dlsym(handle, "mine_library") && dlsym(handle, "mine_main"));
  check_call(sinter_library_function(library, "main"), 2);
  dlclose(handle);
  sinter_program_destroy(program);
  sinter_compiler_destroy(compiler);
  CHECK(told.errors == 0);
  printf("files\n");
}

// Each option is described.
static void options(void) {
  const char *name, *argument, *help;
  size_t n = 0;
  for (; sinter_compiler_option(n, &name, &argument, &help); ++n)
    CHECK(*name && *help);
  CHECK(n > 10);
  CHECK(sinter_compiler_api() == SINTER_COMPILER_API);
  printf("%zu options, version %s\n", n, sinter_compiler_version());
}

int main(int argc, char **argv) {
  options();
  runs();
  mistakes();
  if (argc > 1)
    files(argv[1]);
  return 0;
}

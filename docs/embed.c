// embed.c: a program that compiles a loss with its gradient, and calls it. docs/c-api.md is the page.
//
//   cc embed.c $(pkg-config --cflags --libs sinter-compiler) -Wl,-rpath,$(pkg-config --variable=libdir sinter-compiler)

#include <sinter/compiler.h>
#include <stdio.h>
#include <string.h>

static const char text[] = "func.func @main(%x: tensor<4x3xf32>, %y: tensor<4x3xf32>) -> tensor<f32> {\n"
                           "  %loss = sinter.mse(%x, %y) : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<f32>\n"
                           "  return %loss : tensor<f32>\n"
                           "}\n";

static void print(void *user, const SinterDiagnostic *d) {
  static const char *const words[] = {"error", "warning", "remark", "note"};
  fprintf(stderr, "%s:%d:%d: %s: %s\n", d->file, d->line, d->column, words[d->severity], d->message);
}

static DLTensor tensor(void *data, int32_t rank, int64_t *shape) {
  return (DLTensor){.data = data, .device = {kDLCPU, 0}, .ndim = rank, .dtype = {kDLFloat, 32, 1}, .shape = shape};
}

static int run(const SinterLibrary *library) {
  _Alignas(SINTER_ALIGNMENT) float x[12], y[12], loss, dx[12];
  for (int i = 0; i < 12; ++i)
    x[i] = (float)i, y[i] = 1;
  int64_t shape[] = {4, 3};
  DLTensor tensors[] = {tensor(x, 2, shape), tensor(y, 2, shape), tensor(&loss, 0, NULL), tensor(dx, 2, shape)};
  DLTensor *inputs[] = {&tensors[0], &tensors[1]}, *outputs[] = {&tensors[2], &tensors[3]};
  const SinterFunction *main_function = sinter_library_function(library, "main");
  int32_t status = main_function->call(inputs, outputs, NULL, NULL);
  if (status != SINTER_OK)
    fprintf(stderr, "%s\n", library->last_error());
  else
    printf("loss %g, gradient of x[3][2] %g\n", loss, dx[11]);
  return status;
}

int main(int argc, char **argv) {
  SinterCompiler *compiler = sinter_compiler_create();
  SinterProgram *program = NULL;
  const SinterLibrary *library = NULL;
  sinter_compiler_set_handler(compiler, print, NULL);
  int32_t status = sinter_compiler_set(compiler, "wrt", "0");
  if (status == SINTER_COMPILER_OK && argc > 1) // a folder: what was compiled before is there
    status = sinter_compiler_set(compiler, "cache", argv[1]);
  if (status == SINTER_COMPILER_OK)
    status = sinter_compiler_compile_text(compiler, text, strlen(text), "loss.mlir", &program);
  if (status == SINTER_COMPILER_OK)
    status = sinter_program_load(compiler, program, &library);
  if (status == SINTER_COMPILER_OK)
    status = run(library);
  if (program && sinter_program_was_cached(program))
    printf("from the cache\n");
  sinter_program_destroy(program);
  sinter_compiler_destroy(compiler);
  return status;
}

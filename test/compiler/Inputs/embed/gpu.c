// gpu.c: a program for a GPU, compiled to PTX, in memory and in a file; the driver is test/runtime/Inputs/libcuda.c.

#include "check.h"

static const char text[] =
    "func.func @main(%x: tensor<6x33xf32>) -> tensor<6x33xf32> {\n"
    "  %e = tensor.empty() : tensor<6x33xf32>\n"
    "  %y = linalg.exp ins(%x : tensor<6x33xf32>) outs(%e : tensor<6x33xf32>) -> tensor<6x33xf32>\n"
    "  return %y : tensor<6x33xf32>\n"
    "}\n";

int main(int argc, char **argv) {
  Told told = {0};
  SinterProgram *program;
  const SinterLibrary *library;
  SinterCompiler *compiler = sinter_compiler_create();
  sinter_compiler_set_handler(compiler, count, &told);
  CHECK(!sinter_compiler_set(compiler, "ptx", NULL));
  CHECK(sinter_compiler_compile_text(compiler, text, strlen(text), "gpu.mlir", &program) == SINTER_COMPILER_BAD_INPUT);
  CHECK(told.errors == 1 && strstr(told.first, "ptx is of a GPU: add target=gpu"));
  CHECK(!sinter_compiler_set(compiler, "target", "gpu") && !sinter_compiler_set(compiler, "chip", "sm_80"));
  for (int turn = 0; turn < 2; ++turn) { // the second in a runtime that knows nothing of the first
    CHECK(!sinter_compiler_compile_text(compiler, text, strlen(text), "gpu.mlir", &program));
    CHECK(!sinter_program_load(compiler, program, &library));
    const SinterFunction *f = sinter_library_function(library, "main");
    CHECK(f->device == kDLCUDA && library->extension && !library->set_threads);
    _Alignas(64) static float x[198], y[198];
    DLTensor tensors[] = {tensor(x, 2, (int64_t[]){6, 33}), tensor(y, 2, (int64_t[]){6, 33})};
    DLTensor *input = &tensors[0], *output = &tensors[1];
    CHECK(f->call(&input, &output, NULL, NULL) == SINTER_BAD_ARGUMENT); // on the CPU
    tensors[0].device.device_type = tensors[1].device.device_type = kDLCUDA;
    int32_t status = f->call(&input, &output, NULL, NULL);
    printf("status %d: %s\n", status, library->last_error());
    if (turn && argc > 1)
      CHECK(!sinter_program_write(compiler, program, argv[1]));
    sinter_program_destroy(program);
  }
  sinter_compiler_destroy(compiler);
  return 0;
}

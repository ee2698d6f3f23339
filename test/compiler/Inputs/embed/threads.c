// threads.c: one compiler in several threads: text, each with a context of its own, and a cache that all share.

#include "check.h"
#include <math.h>
#include <pthread.h>

enum { THREADS = 4, TURNS = 3, SIZES = 3 };
static SinterCompiler *compiler;
static Told told;

// y = x * k + k, of n numbers.
static void turn(int n, float k) {
  char text[1024];
  snprintf(text, sizeof text,
           "func.func @main(%%x: tensor<%dxf32>) -> tensor<%dxf32> {\n"
           "  %%k = arith.constant dense<%f> : tensor<%dxf32>\n"
           "  %%p = arith.mulf %%x, %%k : tensor<%dxf32>\n"
           "  %%y = arith.addf %%p, %%k : tensor<%dxf32>\n"
           "  return %%y : tensor<%dxf32>\n}\n",
           n, n, (double)k, n, n, n, n);
  SinterProgram *program;
  const SinterLibrary *library;
  CHECK(sinter_compiler_compile_text(compiler, text, strlen(text), "thread.mlir", &program) == SINTER_COMPILER_OK);
  CHECK(sinter_program_load(compiler, program, &library) == SINTER_COMPILER_OK);
  _Alignas(SINTER_ALIGNMENT) float x[64], y[64];
  for (int i = 0; i < n; ++i)
    x[i] = (float)i;
  DLTensor tensors[] = {tensor(x, 1, (int64_t[]){n}), tensor(y, 1, (int64_t[]){n})};
  DLTensor *input = &tensors[0], *output = &tensors[1];
  CHECK(sinter_library_function(library, "main")->call(&input, &output, NULL, NULL) == SINTER_OK);
  for (int i = 0; i < n; ++i)
    CHECK(fabsf(y[i] - ((float)i * k + k)) < 1e-4f);
  sinter_program_destroy(program);
}

static void *run(void *number) {
  for (int i = 0; i < TURNS; ++i)
    for (int s = 0; s < SIZES; ++s)
      turn(17 + 5 * s, 2 + (float)((*(int *)number + s) % SIZES));
  return NULL;
}

int main(int argc, char **argv) {
  pthread_t threads[THREADS];
  int numbers[THREADS];
  compiler = sinter_compiler_create();
  sinter_compiler_set_handler(compiler, count, &told);
  if (argc > 1)
    CHECK(sinter_compiler_set(compiler, "cache", argv[1]) == SINTER_COMPILER_OK);
  for (int i = 0; i < THREADS; ++i) {
    numbers[i] = i;
    CHECK(!pthread_create(&threads[i], NULL, run, &numbers[i]));
  }
  for (int i = 0; i < THREADS; ++i)
    pthread_join(threads[i], NULL);
  sinter_compiler_destroy(compiler);
  CHECK(told.errors == 0 && told.others == 0);
  printf("threads\n");
  return 0;
}

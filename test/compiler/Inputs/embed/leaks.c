// leaks.c: what is compiled, refused, loaded and called again and again leaves no memory, file or mapping behind.

#include "check.h"
#include <dirent.h>
#include <malloc.h>

static const char right[] =
    "func.func @main(%x: tensor<?x5xf32>, %w: tensor<5x2xf32>, %b: tensor<?x2xf32>) -> tensor<?x2xf32> {\n"
    "  %p = linalg.matmul ins(%x, %w : tensor<?x5xf32>, tensor<5x2xf32>) outs(%b : tensor<?x2xf32>)"
    " -> tensor<?x2xf32>\n"
    "  %y = math.exp %p : tensor<?x2xf32>\n"
    "  return %y : tensor<?x2xf32>\n"
    "}\n";
static const char *const wrong[] = {"func.func @main(", "func.func private @f()",
                                    "func.func private @far(tensor<2xf32>) -> tensor<2xf32>\n"
                                    "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
                                    "  %y = func.call @far(%x) : (tensor<2xf32>) -> tensor<2xf32>\n"
                                    "  return %y : tensor<2xf32>\n}"};

static size_t lines_of(const char *path) {
  size_t n = 0;
  FILE *file = fopen(path, "r");
  for (int c; file && (c = getc(file)) != EOF;)
    n += c == '\n';
  if (file)
    fclose(file);
  return n;
}

static size_t files(void) {
  size_t n = 0;
  DIR *dir = opendir("/proc/self/fd");
  while (dir && readdir(dir))
    ++n;
  closedir(dir);
  return n;
}

static void turn(Told *told, const char *cache) {
  SinterCompiler *compiler = sinter_compiler_create();
  SinterProgram *program;
  const SinterLibrary *library;
  sinter_compiler_set_handler(compiler, count, told);
  sinter_compiler_set(compiler, "colour", "red");
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i)
    CHECK(sinter_compiler_compile_text(compiler, wrong[i], strlen(wrong[i]), "wrong.mlir", &program));
  for (int cached = 0; cached < 2; ++cached) { // the first of both fills the cache
    if (cached)
      CHECK(!sinter_compiler_set(compiler, "cache", cache));
    CHECK(!sinter_compiler_compile_text(compiler, right, strlen(right), "right.mlir", &program));
    CHECK(!sinter_program_load(compiler, program, &library));
    _Alignas(SINTER_ALIGNMENT) float x[15] = {1}, w[10] = {1}, b[6] = {1}, y[6];
    DLTensor tensors[] = {tensor(x, 2, (int64_t[]){3, 5}), tensor(w, 2, (int64_t[]){5, 2}),
                          tensor(b, 2, (int64_t[]){3, 2}), tensor(y, 2, (int64_t[]){3, 2})};
    DLTensor *inputs[] = {&tensors[0], &tensors[1], &tensors[2]}, *output = &tensors[3];
    library->set_threads(2);
    CHECK(library->functions[0].call(inputs, &output, NULL, NULL) == SINTER_OK);
    tensors[0].ndim = 1;
    CHECK(library->functions[0].call(inputs, &output, NULL, NULL) == SINTER_BAD_ARGUMENT);
    sinter_program_destroy(program);
  }
  sinter_compiler_destroy(compiler);
}

int main(int argc, char **argv) {
  enum { WARM = 8, TURNS = 24 };
  Told told = {0};
  for (int i = 0; i < WARM; ++i)
    turn(&told, argv[1]);
  size_t bytes = mallinfo2().uordblks, open = files(), maps = lines_of("/proc/self/maps"),
         threads = lines_of("/proc/self/status");
  for (int i = 0; i < TURNS; ++i)
    turn(&told, argv[1]);
  long grown = (long)mallinfo2().uordblks - (long)bytes, mapped = (long)lines_of("/proc/self/maps") - (long)maps;
  CHECK(told.errors == (WARM + TURNS) * 4);
  CHECK(files() == open && lines_of("/proc/self/status") == threads);
  if (grown > TURNS * 1536 || mapped > 8) {
    printf("%ld bytes and %ld mappings more after %d turns\n", grown, mapped, TURNS);
    return 1;
  }
  printf("nothing is left\n");
  return 0;
}

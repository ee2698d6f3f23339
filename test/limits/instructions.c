// instructions.c: the passes' work on several programs, for valgrind to count.
//
//   valgrind --tool=cachegrind --cache-sim=no test-instructions WARM PROGRAM ...
//
// The first program is compiled in this process, each other one in a process of its own, which begins as a copy: what
// valgrind has translated for the first one it need not translate again, so many programs take little longer than one.
// Valgrind writes the instructions of each process when it ends, those in front of the copy among them; one process
// does nothing, which says how many these are. Here is written which process was which, "PID PROGRAM" for each that
// compiled its program.
//
// A program's first line may give options: "// target=gpu wrt=0,1 until=kernels". Passes alone run, up to the rung that
// is named, and nothing of LLVM for a CPU; with "until=library" a whole library is made, in memory.
//
// test: test/limits/instructions.test

#include "compiler/compiler.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void say(void *user, const SinterDiagnostic *d) {
  (void)user;
  fprintf(stderr, "%s:%d: %s\n", d->file, d->line, d->message);
}

static char *read_file(const char *path, size_t *size) {
  FILE *from = fopen(path, "rb");
  char *text = NULL;
  if (!from) {
    perror(path);
    exit(2);
  }
  FILE *to = open_memstream(&text, size);
  for (int c; (c = fgetc(from)) != EOF;)
    fputc(c, to);
  fclose(from);
  fclose(to);
  return text;
}

// Those of the first line. *until: the rung that is named, to be freed.
static bool set_options(SinterCompiler *compiler, const char *text, char **until) {
  if (strncmp(text, "// ", 3))
    return true;
  char *line = strndup(text + 3, strcspn(text + 3, "\n")), *rest = NULL;
  bool known = true;
  for (char *word = strtok_r(line, " ", &rest); word && known; word = strtok_r(NULL, " ", &rest)) {
    char *value = strchr(word, '=');
    if (value)
      *value++ = 0;
    if (!strcmp(word, "until") && value && !*until)
      *until = strdup(value);
    else
      known = sinter_compiler_set(compiler, word, value) == SINTER_COMPILER_OK;
  }
  free(line);
  return known;
}

static bool compile(const char *path) {
  SinterCompiler *compiler = sinter_compiler_create();
  MlirContext context = mlirContextCreateWithThreading(false);
  MlirModule module;
  size_t size;
  char *text = read_file(path, &size), *until = NULL;
  sinter_compiler_set_handler(compiler, say, NULL);
  bool ok = set_options(compiler, text, &until) &&
            sinter_compiler_parse(compiler, context, text, size, path, &module) == SINTER_COMPILER_OK;
  if (ok) {
    SinterProgram *program = NULL;
    bool whole = until && !strcmp(until, "library");
    ok = (whole ? sinter_compiler_compile(compiler, module, &program)
                : sinter_compiler_run(compiler, module, NULL, until)) == SINTER_COMPILER_OK;
    sinter_program_destroy(program);
    mlirModuleDestroy(module);
  }
  mlirContextDestroy(context);
  sinter_compiler_destroy(compiler);
  free(text);
  free(until);
  return ok;
}

// Its own process; whether that ends well.
static bool compile_apart(const char *path) {
  fflush(NULL);
  pid_t child = fork();
  if (!child) {
    bool ok = !path || compile(path);
    if (ok)
      printf("%ld %s\n", (long)getpid(), path ? path : "-");
    exit(!ok);
  }
  int status;
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && !WEXITSTATUS(status);
}

int main(int argc, char **argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: test-instructions WARM PROGRAM ...\n");
    return 2;
  }
  bool ok = compile(argv[1]) && compile_apart(NULL);
  for (int i = 2; i < argc; ++i)
    ok &= compile_apart(argv[i]);
  return !ok;
}

// common.c: what sinter-run and sinter-cc share: a file, a context, and who speaks.

#include "tools/common.h"
#include "runtime/file.h"
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>

static void speak(void *user, const SinterDiagnostic *diagnostic) {
  static const char *const words[] = {"error", "warning", "remark", "note"};
  fflush(stdout);
  fprintf(stderr, "%s: %s: %s\n", (const char *)user, words[diagnostic->severity], diagnostic->message);
}

Tool tool_open(const char *name, const char *file, SinterCompiler *compiler) {
  static SnJob job;
  signal(SIGXFSZ, SIG_IGN); // a limit on files is an error of a write, as a full disk is
  Tool tool = {name, file, mlirContextCreateWithThreading(false), NULL, &job};
  sinter_prepare_context(tool.ctx);
  compiler->handler = speak;
  compiler->user = (void *)name;
  compiler->configure = tool_apply_options;
  job = (SnJob){.compiler = compiler, .file = file};
  return tool;
}

SinterExit tool_close(Tool *tool, SinterExit code) {
  tool_source_free(tool->source);
  mlirContextDestroy(tool->ctx);
  return sinter_stdout_finish(tool->name) || code != SINTER_EXIT_OK ? code : SINTER_EXIT_BAD_INPUT;
}

SinterExit tool_error(const Tool *tool, SinterExit code, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fflush(stdout);
  fprintf(stderr, "%s: error: ", tool->name);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  return code;
}

SinterExit tool_exit(int32_t status) {
  static const SinterExit exits[] = {[SINTER_COMPILER_OK] = SINTER_EXIT_OK,
                                     [SINTER_COMPILER_BAD_INPUT] = SINTER_EXIT_BAD_INPUT,
                                     [SINTER_COMPILER_NOT_COMPILED] = SINTER_EXIT_COMPILE};
  return exits[status];
}

SinterExit tool_read(Tool *tool, MlirModule *module) {
  *module = (MlirModule){NULL};
  tool->source = tool_source_parse(tool->ctx, tool->file, sn_wants_names(tool->job->compiler), module);
  if (!tool->source)
    return tool_error(tool, SINTER_EXIT_BAD_INPUT, "%s: %s", tool->file, strerror(errno));
  if (mlirModuleIsNull(*module))
    return tool_error(tool, SINTER_EXIT_COMPILE, "%s is not a program in MLIR", tool->file);
  return SINTER_EXIT_OK;
}

static void to_stdout(MlirStringRef text, void *user) { fwrite(text.data, 1, text.length, stdout); }

void tool_print(MlirModule module) {
  mlirOperationPrint(mlirModuleGetOperation(module), to_stdout, NULL);
  putchar('\n');
}

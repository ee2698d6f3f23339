// common.h: what sinter-run and sinter-cc share: options, files, roads.
//
// decides: what users type, and what they are told.

#ifndef SINTER_TOOLS_COMMON_H
#define SINTER_TOOLS_COMMON_H

#include "compiler/job.h"
#include "runtime/driver.h"
#include "runtime/options.h"
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- options (tools/common_options.cpp) -----------------------------------------

// Tables of options with what they fill, ends with a table of NULL.
typedef struct ToolOptions {
  const SinterOption *table;
  void *to;
} ToolOptions;

// Reads the command line of a tool that takes one file: the rows of the tables, and
// MLIR's own options (printing IR, timing, crash reproducers). Prints help or
// what is wrong and ends the process then. Answers the file.
const char *tool_options(int argc, char **argv, const char *overview, const ToolOptions *options);

// MLIR's own options take effect on a pass manager. False if they are wrong.
bool tool_apply_options(MlirPassManager pm);

// ---- text (tools/common_source.cpp) ----------------------------------------------

// Parses a file (-: stdin) of MLIR's text or bytecode into a module, which is null if it is none; NULL with errno if it
// cannot be read. Until the answer is freed, diagnostics of the context go to stderr with the lines of the text, and
// constants may be bytes of the file. `names`: as of sn_shim_parse.
void *tool_source_parse(MlirContext ctx, const char *path, bool names, MlirModule *module);
void tool_source_free(void *source);

// ---- programs ---------------------------------------------------------------------

typedef struct Tool {
  const char *name; // who speaks: "sinter-run"
  const char *file;
  MlirContext ctx;
  void *source; // the file's text, for errors
  SnJob *job;   // what the compiler is asked for; it speaks as the tool does
} Tool;

// Makes a context that knows every dialect and translation. Close it: the answer is what main answers, `code`
// or, where what was printed did not go out, an error. The compiler has the tool's options.
Tool tool_open(const char *name, const char *file, SinterCompiler *compiler);
SinterExit tool_close(Tool *tool, SinterExit code);

// `NAME: error: ...` on stderr; answers code.
SinterExit tool_error(const Tool *tool, SinterExit code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// What a tool exits with where the compiler answers a status.
SinterExit tool_exit(int32_t status);

// Parses the tool's file, once. The caller destroys the module.
SinterExit tool_read(Tool *tool, MlirModule *module);

void tool_print(MlirModule module); // to stdout

#ifdef __cplusplus
}
#endif

#endif

// common.h: what sinter-run and sinter-cc share: options, files, roads.
//
// decides: what users type, and what they are told.

#ifndef SINTER_TOOLS_COMMON_H
#define SINTER_TOOLS_COMMON_H

#include "mlir-c/IR.h"
#include "mlir-c/Pass.h"
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

// All passes and pipelines, so that options can name them; called by tool_options.
void tool_register(void);

// Reads the command line of a tool that takes one file: the rows of the tables, and
// MLIR's own options (printing IR, timing, crash reproducers). Prints help or
// what is wrong and ends the process then. Answers the file.
const char *tool_options(int argc, char **argv, const char *overview, const ToolOptions *options);

// Whether LLVM knows a processor for this machine's architecture by this name.
bool tool_knows_cpu(const char *cpu);
// What is wrong with an option's text, or NULL: a file that goes into a pipeline's text; numbers with commas.
const char *tool_wrong_file(const char *value);
const char *tool_wrong_list(const char *value);
// Options of the pipeline sinter-cpu that go with a processor, this machine's if `cpu` is null: how f32 is rounded to
// bf16, how exp is computed.
const char *tool_bf16(const char *cpu);
const char *tool_exp(const char *cpu);
const char *tool_registers(const char *cpu); // of vectors
const char *tool_features(const char *cpu);  // those that the table of micro-kernels asks for, with commas
const char *tool_prefetch(const char *cpu); // bytes

// MLIR's own options take effect on a pass manager. False if they are wrong.
bool tool_apply_options(MlirPassManager pm);

// ---- text (tools/common_source.cpp) ----------------------------------------------

// Parses a module, which is null if the text is none. Until the answer is freed,
// diagnostics of the context go to stderr with the lines of the text.
void *tool_source_parse(MlirContext ctx, const char *path, const char *text, size_t size,
                        MlirModule *module);
void tool_source_free(void *source);

// ---- programs ---------------------------------------------------------------------

typedef struct Tool {
  const char *name; // who speaks: "sinter-run"
  const char *file;
  MlirContext ctx;
  void *source; // the file's text, for errors
} Tool;

// Makes a context that knows every dialect and translation. Close it: the answer is what main answers, `code`
// or, where what was printed did not go out, an error.
Tool tool_open(const char *name, const char *file);
SinterExit tool_close(Tool *tool, SinterExit code);

// `NAME: error: ...` on stderr; answers code.
SinterExit tool_error(const Tool *tool, SinterExit code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// All of a file (-: of stdin), with a 0 behind it; NULL with errno. Free with free.
char *tool_read_all(const char *path, size_t *size);

// Parses the tool's file, once. The caller destroys the module.
SinterExit tool_read(Tool *tool, MlirModule *module);

// Makes every other function private, so that the road drops it.
SinterExit tool_select(const Tool *tool, MlirModule module, const char *entry);

// An option of a road; lists end with a name of NULL, and what is not there has its default.
typedef struct ToolSetting {
  const char *name, *value;
} ToolSetting;

// Runs the road so named, up to a rung (NULL: all of it).
SinterExit tool_run(const Tool *tool, MlirModule module, const char *road,
                    const ToolSetting *settings, const char *until);

// As tool_run, of a module that is on a rung of the road already: what comes behind it.
SinterExit tool_run_after(const Tool *tool, MlirModule module, const char *road, const ToolSetting *settings,
                          const char *after, const char *until);

void tool_print(MlirModule module); // to stdout

#ifdef __cplusplus
}
#endif

#endif

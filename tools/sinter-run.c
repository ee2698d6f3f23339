// sinter-run: compiles a program for this machine's CPU and runs it at once.
//
//   sinter-run model.mlir --input=x.npy --output=y.npy --verify --stats
//
// The same object that sinter-cc writes is linked into this process, with this
// process's own copy of the runtime, and driven by runtime/driver.c as
// sinter-exec drives a library.

#include "runtime/progress.h"
#include "runtime/symbols.h"
#include "tools/common.h"
#include <stdio.h>

// ---- options -------------------------------------------------------------------------

typedef struct {
  const char *emit, *explain;
  bool verify;
} Options;

static const char *set_target(void *to, const char *value) {
  if (!strcmp(value, "gpu"))
    return "does not run from here: compile with sinter-cc --target=gpu, run with sinter-exec";
  return strcmp(value, "cpu") ? "is not a target: cpu" : NULL;
}

static const char *set_explain(void *to, const char *value) {
  ((Options *)to)->explain = value ? value : "-";
  return value ? sn_wrong_file(value) : NULL;
}

static const char *set_emit(void *to, const char *value) {
  static const char *const words[] = {"expanded", "prepared",  "raised",   "differentiated",
                                      "fused",    "scheduled", "outlined", "lowered"};
  ((Options *)to)->emit = value;
  for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
    if (!strcmp(value, words[i]))
      return NULL;
  return "is not a rung: expanded, prepared, raised, differentiated, fused, scheduled, outlined or lowered";
}

static const char *set_verify(void *to, const char *value) {
  ((Options *)to)->verify = true;
  return NULL;
}

static const SinterOption table[] = {
    {"target", "cpu", "where the program runs (default: cpu)", set_target},
    {"verify", NULL, "compare with the decomposed program, with sums in float64", set_verify},
    {"emit", "RUNG",
     "print the IR at expanded|prepared|raised|differentiated|fused|scheduled|outlined|lowered, run nothing", set_emit},
    {"explain", "[FILE]", "say what fused with what, and why not more, run nothing; a page if FILE ends in .html",
     set_explain},
    {0},
};

#define RUN                                                                                        \
  "verify benchmark stats json profile quiet list input output expect tolerance element-tolerance " \
  "shape random seed low high threads"
static const SinterOptionRule rules[] = {
    {"upstream", SINTER_OPTION_NEEDS, "wrt", "no gradient is taken"},
    {"result", SINTER_OPTION_NEEDS, "wrt", "no gradient is taken"},
    {"emit", SINTER_OPTION_EXCLUDES, "explain " RUN, "it prints IR, and runs nothing"},
    {"explain", SINTER_OPTION_EXCLUDES, "without " RUN, "it says what fuses, and runs nothing"},
    {"list", SINTER_OPTION_EXCLUDES, "verify", "it prints the functions, and runs nothing"},
    {0},
};

// What happened when, for the summary and --profile.
static struct {
  SinterPhase all[16];
  int32_t n;
} phases;

static void phase(const SinterDriverOptions *driver, const char *name) {
  double now = sinter_driver_now();
  if (phases.n)
    phases.all[phases.n - 1].end = now;
  if (name)
    phases.all[phases.n++] = (SinterPhase){name, now, now};
  if (name && !driver->quiet)
    sinter_progress(driver->program, name);
}

static SinterExit compile(const Tool *tool, const SinterDriverOptions *driver, MlirModule module, bool reference,
                          SinterProgram *program) {
  SinterCompiler c = *tool->job->compiler;
  c.policy = reference ? "disabled" : c.policy;
  c.sums = reference ? "wide" : "same";
  SnJob job = {.compiler = &c, .file = tool->file};
  phase(driver, reference ? "compiling the unfused program" : "compiling: passes");
  int32_t status = sn_road(&job, module, NULL, NULL);
  if (status != SINTER_COMPILER_OK)
    return tool_exit(status);
  phase(driver, reference ? "machine code of the unfused program" : "compiling: machine code");
  status = sn_program_fill(&job, module, program);
  if (status != SINTER_COMPILER_OK)
    return tool_exit(status);
  phase(driver, reference ? "linking the unfused program" : "linking");
  return tool_exit(sn_program_load(&job, program, sinter_rt_symbols));
}

// ---- the tool ------------------------------------------------------------------------------

static SinterExit run(const Tool *tool, const Options *options, SinterDriverOptions *driver, MlirModule module,
                      MlirModule copy) {
  SinterProgram *program = sn_program_new(), *reference = sn_program_new();
  SinterExit code = compile(tool, driver, module, false, program);
  if (code == SINTER_EXIT_OK && options->verify)
    code = compile(tool, driver, copy, true, reference);
  phase(driver, NULL);
  driver->reference = reference->library;
  driver->phases = phases.all;
  driver->num_phases = phases.n;
  if (code == SINTER_EXIT_OK)
    code = sinter_driver_main(program->library, driver);
  sinter_program_destroy(reference);
  sinter_program_destroy(program);
  return code;
}

// A road for no processor in particular, with settings in front of the compiler's.
static SinterExit anywhere(const Tool *tool, MlirModule module, const SnSetting *first, const char *until) {
  const SinterCompiler *c = tool->job->compiler;
  SnSetting settings[18] = {{"policy", c->policy},
                            {"input", c->input_dialect},
                            {"wrt", c->wrt},
                            {"result", c->result},
                            {"upstream", c->upstream ? "true" : "false"},
                            {"tuning", c->tuning},
                            {"without", c->without},
                            {"constants", c->constants},
                            {"weights", c->half_weights ? "half" : "parts"},
                            {"launches", c->launches}};
  for (size_t n = 10; first && first->name; ++first)
    settings[n++] = *first;
  return tool_exit(sn_road_run(tool->job, module, "sinter-cpu", settings, NULL, until));
}

static SinterExit program(Tool *tool, const Options *options, SinterDriverOptions *driver) {
  MlirModule module;
  phase(driver, "reading");
  SinterExit code = tool_read(tool, &module);
  if (code != SINTER_EXIT_OK)
    return code;
  code = tool_exit(sn_select(tool->job, module, driver->entry));
  MlirModule copy = mlirModuleFromOperation(mlirOperationClone(mlirModuleGetOperation(module)));
  if (code == SINTER_EXIT_OK && options->explain) {
    const SnSetting explain[] = {{"explain", "true"}, {"explain-file", options->explain}, {NULL, NULL}};
    bool joined = strcmp(tool->job->compiler->launches, "separate") != 0;
    code = anywhere(tool, module, explain, joined ? "joined" : "explained");
  } else if (code == SINTER_EXIT_OK && options->emit) {
    code = tool->job->compiler->cpu ? tool_exit(sn_road(tool->job, module, NULL, options->emit))
                                    : anywhere(tool, module, NULL, options->emit);
    if (code == SINTER_EXIT_OK)
      tool_print(module);
  } else if (code == SINTER_EXIT_OK) {
    code = run(tool, options, driver, module, copy);
  }
  mlirModuleDestroy(copy);
  mlirModuleDestroy(module);
  return code;
}

int main(int argc, char **argv) {
  Options options = {0};
  SinterCompiler compiler = SN_COMPILER_DEFAULTS;
  SinterDriverOptions driver = SINTER_DRIVER_DEFAULTS;
  driver.program = "sinter-run";
  ToolOptions tables[] = {{table, &options},
                          {sn_road_options, &compiler},
                          {sn_without_options, &compiler},
                          {sinter_driver_options, &driver},
                          {NULL, NULL}};
  const char *file = tool_options(
      argc, argv, "Sinter: compiles a program in MLIR for the CPU, and runs it\n", tables);
  if (!sinter_options_check(rules, driver.program) || !sinter_options_check(sinter_driver_rules, driver.program))
    return SINTER_EXIT_BAD_INPUT;
  char wrong[256];
  if (sn_wrong_options(&compiler, wrong, sizeof wrong)) {
    fprintf(stderr, "%s: error: %s\n", driver.program, wrong);
    return SINTER_EXIT_BAD_INPUT;
  }
  Tool tool = tool_open("sinter-run", file, &compiler);
  SinterExit code = program(&tool, &options, &driver);
  sinter_progress_end();
  return tool_close(&tool, code);
}

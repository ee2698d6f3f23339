// sinter-run: compiles a program for this machine's CPU and runs it at once.
//
//   sinter-run model.mlir --input=x.npy --output=y.npy --verify --stats
//
// The same object that sinter-cc writes is linked into this process, with this
// process's own copy of the runtime, and driven by runtime/driver.c as
// sinter-exec drives a library.

#include "llvm-c/Core.h"
#include "llvm-c/Error.h"
#include "llvm-c/LLJIT.h"
#include "llvm-c/Orc.h"
#include "llvm-c/Target.h"
#include "lowering/serialise.h"
#include "pipelines/pipelines.h"
#include "runtime/progress.h"
#include "runtime/symbols.h"
#include "tools/common.h"
#include <stdio.h>

// ---- options -------------------------------------------------------------------------

typedef struct {
  const char *target, *policy, *emit, *cpu, *input_dialect, *explain, *wrt, *tuning, *without;
  bool verify, upstream;
} Options;

static const char *one_of(const char *value, const char *const *words, const char *why,
                          const char **to) {
  for (; *words; ++words)
    if (!strcmp(value, *words)) {
      *to = value;
      return NULL;
    }
  return why;
}

static const char *set_target(void *to, const char *value) {
  if (!strcmp(value, "gpu"))
    return "does not run from here: compile with sinter-cc --target=gpu, run with sinter-exec";
  static const char *const words[] = {"cpu", NULL};
  return one_of(value, words, "is not a target: cpu", &((Options *)to)->target);
}

static const char *set_policy(void *to, const char *value) {
  static const char *const words[] = {"disabled", "medium", "aggressive", NULL};
  return one_of(value, words, "is not a policy: disabled, medium or aggressive", &((Options *)to)->policy);
}

static const char *set_without(void *to, const char *value) {
  static const char *const words[] = {"chains", "sides", NULL};
  return one_of(value, words, "is not what fusion may leave apart: chains or sides", &((Options *)to)->without);
}

static const char *set_input_dialect(void *to, const char *value) {
  static const char *const words[] = {"linalg", "tosa", NULL};
  return one_of(value, words, "is not a dialect of programs: linalg or tosa", &((Options *)to)->input_dialect);
}

static const char *set_explain(void *to, const char *value) {
  ((Options *)to)->explain = value ? value : "-";
  return value ? tool_wrong_file(value) : NULL;
}

static const char *set_emit(void *to, const char *value) {
  static const char *const words[] = {"expanded", "prepared", "raised", "differentiated", "fused", "scheduled",
                                      "outlined", "lowered",  NULL};
  return one_of(value, words,
                "is not a rung: expanded, prepared, raised, differentiated, fused, scheduled, outlined or lowered",
                &((Options *)to)->emit);
}

static const char *set_cpu(void *to, const char *value) {
  ((Options *)to)->cpu = value;
  return tool_knows_cpu(value) ? NULL : "is not a processor that LLVM knows";
}

static const char *set_tuning(void *to, const char *value) {
  ((Options *)to)->tuning = value;
  return tool_wrong_file(value);
}

static const char *set_wrt(void *to, const char *value) {
  ((Options *)to)->wrt = value;
  return tool_wrong_list(value);
}

static const char *set_upstream(void *to, const char *value) {
  ((Options *)to)->upstream = true;
  return NULL;
}

static const char *set_verify(void *to, const char *value) {
  ((Options *)to)->verify = true;
  return NULL;
}

// Settings of every road.
#define PROCESSOR(options)                                                                                             \
  {"bf16", tool_bf16((options)->cpu)}, {"exp", tool_exp((options)->cpu)},                                              \
      {"registers", tool_registers((options)->cpu)}, {"features", tool_features((options)->cpu)}, {                    \
    "prefetch", tool_prefetch((options)->cpu)                                                                          \
  }
#define SHARED(options)                                                                                                \
  {"wrt", (options)->wrt}, {"upstream", (options)->upstream ? "true" : "false"}, {"tuning", (options)->tuning}, {      \
    "without", (options)->without                                                                                      \
  }

static const SinterOption table[] = {
    {"target", "cpu", "where the program runs (default: cpu)", set_target},
    {"policy", "WORD",
     "disabled: no kernels of ours; medium: where that is better (default); aggressive: all that can be", set_policy},
    {"without", "WORD", "leave apart, to compare: chains of products, or sides, what is computed in front of a product",
     set_without},
    {"input-dialect", "NAME", "what the program is written in: linalg (default) or tosa", set_input_dialect},
    {"cpu", "NAME", "LLVM's name of a processor to compile for (default: this one)", set_cpu},
    {"wrt", "N,N", "return gradients of the first result too, by these arguments", set_wrt},
    {"upstream", NULL, "with --wrt: take the gradient by that result as one more argument", set_upstream},
    {"tuning", "FILE", "take the schedules that sinter-tune measured", set_tuning},
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
    {"emit", SINTER_OPTION_EXCLUDES, "explain " RUN, "it prints IR, and runs nothing"},
    {"explain", SINTER_OPTION_EXCLUDES, "without " RUN, "it says what fuses, and runs nothing"},
    {"list", SINTER_OPTION_EXCLUDES, "verify", "it prints the functions, and runs nothing"},
    {0},
};

// What a value of an option makes of others.
static const char *ineffective(const Options *options) {
  if (!strcmp(options->policy, "disabled") && *options->tuning)
    return "--tuning has no effect with --policy=disabled: no form is scheduled";
  if (!strcmp(options->policy, "disabled") && strcmp(options->without, "nothing") != 0)
    return "--without has no effect with --policy=disabled: nothing is fused";
  return NULL;
}

// ---- code in this process --------------------------------------------------------------

static SinterExit llvm_error(const Tool *tool, const char *what, LLVMErrorRef error) {
  char *text = LLVMGetErrorMessage(error);
  SinterExit code = tool_error(tool, SINTER_EXIT_COMPILE, "%s: %s", what, text);
  LLVMDisposeErrorMessage(text);
  return code;
}

// What compiled code may call: the runtime, then whatever this process has (libm).
static LLVMErrorRef define_symbols(LLVMOrcLLJITRef jit) {
  LLVMOrcJITDylibRef code = LLVMOrcLLJITGetMainJITDylib(jit);
  SN_VEC(LLVMOrcCSymbolMapPair) symbols = {0};
  for (const SinterRtSymbol *s = sinter_rt_symbols; s->name; ++s) {
    LLVMJITEvaluatedSymbol address = {
        (LLVMOrcJITTargetAddress)(uintptr_t)s->address,
        {LLVMJITSymbolGenericFlagsExported | LLVMJITSymbolGenericFlagsCallable, 0}};
    sn_push(&symbols, (LLVMOrcCSymbolMapPair){LLVMOrcLLJITMangleAndIntern(jit, s->name), address});
  }
  LLVMErrorRef error =
      LLVMOrcJITDylibDefine(code, LLVMOrcAbsoluteSymbols(symbols.data, symbols.size));
  sn_vec_free(&symbols);
  if (error)
    return error;
  LLVMOrcDefinitionGeneratorRef process;
  error = LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess(
      &process, LLVMOrcLLJITGetGlobalPrefix(jit), NULL, NULL);
  if (!error)
    LLVMOrcJITDylibAddGenerator(code, process);
  return error;
}

// Takes object.
static SinterExit link_object(const Tool *tool, LLVMMemoryBufferRef object, LLVMOrcLLJITRef *jit,
                              const SinterLibrary **library) {
  LLVMErrorRef error = LLVMOrcCreateLLJIT(jit, LLVMOrcCreateLLJITBuilder());
  if (error) {
    LLVMDisposeMemoryBuffer(object);
    *jit = NULL;
    return llvm_error(tool, "LLVM's JIT does not start", error);
  }
  LLVMOrcExecutorAddress address = 0;
  error = define_symbols(*jit);
  if (error)
    LLVMDisposeMemoryBuffer(object);
  else
    error = LLVMOrcLLJITAddObjectFile(*jit, LLVMOrcLLJITGetMainJITDylib(*jit), object);
  if (!error)
    error = LLVMOrcLLJITLookup(*jit, &address, "sinter_library");
  if (error)
    return llvm_error(tool, "the compiled program does not link", error);
  *library = (const SinterLibrary *)(uintptr_t)address;
  return SINTER_EXIT_OK;
}

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

static SinterExit compile(const Tool *tool, const Options *options, const SinterDriverOptions *driver,
                          MlirModule module, const char *policy, const char *sums, LLVMOrcLLJITRef *jit,
                          const SinterLibrary **library) {
  bool reference = !strcmp(sums, "wide");
  phase(driver, reference ? "compiling the unfused program" : "compiling: passes");
  ToolSetting settings[] = {{"policy", policy}, {"sums", sums}, PROCESSOR(options), {"input", options->input_dialect},
                            SHARED(options),    {NULL, NULL}};
  SinterExit code = tool_run(tool, module, "sinter-cpu", settings, NULL);
  if (code != SINTER_EXIT_OK)
    return code;
  phase(driver, reference ? "machine code of the unfused program" : "compiling: machine code");
  SnSerialise how = {.cpu = options->cpu, .parallel = true};
  LLVMMemoryBufferRef object = NULL;
  if (sn_failed(sn_serialise(mlirModuleGetOperation(module), &how, &object)))
    return tool_error(tool, SINTER_EXIT_COMPILE, "%s was not compiled", tool->file);
  phase(driver, reference ? "linking the unfused program" : "linking");
  return link_object(tool, object, jit, library);
}

// ---- the tool ------------------------------------------------------------------------------

static SinterExit run(const Tool *tool, const Options *options, SinterDriverOptions *driver,
                      MlirModule module, MlirModule copy, LLVMOrcLLJITRef *jit) {
  const SinterLibrary *library = NULL;
  SinterExit code = compile(tool, options, driver, module, options->policy, "same", &jit[0], &library);
  if (code == SINTER_EXIT_OK && options->verify)
    code = compile(tool, options, driver, copy, "disabled", "wide", &jit[1], &driver->reference);
  phase(driver, NULL);
  driver->phases = phases.all;
  driver->num_phases = phases.n;
  return code == SINTER_EXIT_OK ? sinter_driver_main(library, driver) : code;
}

static SinterExit program(Tool *tool, const Options *options, SinterDriverOptions *driver) {
  MlirModule module;
  phase(driver, "reading");
  SinterExit code = tool_read(tool, &module);
  if (code != SINTER_EXIT_OK)
    return code;
  code = tool_select(tool, module, driver->entry);
  MlirModule copy = mlirModuleFromOperation(mlirOperationClone(mlirModuleGetOperation(module)));
  if (code == SINTER_EXIT_OK && options->explain) {
    ToolSetting settings[] = {{"policy", options->policy}, {"input", options->input_dialect},  SHARED(options),
                              {"explain", "true"},         {"explain-file", options->explain}, {NULL, NULL}};
    code = tool_run(tool, module, "sinter-cpu", settings, "explained");
  } else if (code == SINTER_EXIT_OK && options->emit) {
    // For no processor in particular, unless one is named.
    ToolSetting settings[] = {
        {"policy", options->policy}, {"input", options->input_dialect}, SHARED(options), {NULL, NULL}};
    ToolSetting named[] = {{"policy", options->policy},
                           PROCESSOR(options),
                           {"input", options->input_dialect},
                           SHARED(options),
                           {NULL, NULL}};
    code = tool_run(tool, module, "sinter-cpu", options->cpu ? named : settings, options->emit);
    if (code == SINTER_EXIT_OK)
      tool_print(module);
  } else if (code == SINTER_EXIT_OK) {
    LLVMOrcLLJITRef jit[2] = {NULL, NULL};
    code = run(tool, options, driver, module, copy, jit);
    for (int i = 0; i < 2; ++i)
      if (jit[i])
        LLVMConsumeError(LLVMOrcDisposeLLJIT(jit[i]));
  }
  mlirModuleDestroy(copy);
  mlirModuleDestroy(module);
  return code;
}

int main(int argc, char **argv) {
  Options options = {
      .target = "cpu", .policy = "medium", .input_dialect = "linalg", .wrt = "", .tuning = "", .without = "nothing"};
  SinterDriverOptions driver = SINTER_DRIVER_DEFAULTS;
  driver.program = "sinter-run";
  ToolOptions tables[] = {{table, &options}, {sinter_driver_options, &driver}, {NULL, NULL}};
  const char *file = tool_options(
      argc, argv, "Sinter: compiles a program in MLIR for the CPU, and runs it\n", tables);
  if (!sinter_options_check(rules, driver.program) || !sinter_options_check(sinter_driver_rules, driver.program))
    return SINTER_EXIT_BAD_INPUT;
  const char *wrong = ineffective(&options);
  if (wrong) {
    fprintf(stderr, "%s: error: %s\n", driver.program, wrong);
    return SINTER_EXIT_BAD_INPUT;
  }
  LLVMInitializeNativeTarget();
  LLVMInitializeNativeAsmPrinter();
  Tool tool = tool_open("sinter-run", file);
  SinterExit code = program(&tool, &options, &driver);
  sinter_progress_end();
  return tool_close(&tool, code);
}

// common.c: what sinter-run and sinter-cc share: files and roads.

#include "capi/shim.h"
#include "dialect/dialect.h"
#include "llvm-c/Core.h"
#include "llvm-c/Target.h"
#include "llvm-c/TargetMachine.h"
#include "mlir-c/RegisterEverything.h"
#include "pipelines/pipelines.h"
#include "runtime/file.h"
#include "target/microkernels.h"
#include "tools/common.h"
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>

void tool_register(void) {
  mlirRegisterAllPasses();
  sn_register_all();
}

Tool tool_open(const char *name, const char *file) {
  signal(SIGXFSZ, SIG_IGN); // a limit on files is an error of a write, as a full disk is
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  mlirRegisterAllDialects(registry);
  sn_register_dialects(registry);
  Tool tool = {name, file, mlirContextCreateWithRegistry(registry, false), NULL};
  mlirDialectRegistryDestroy(registry);
  mlirRegisterAllLLVMTranslations(tool.ctx);
  return tool;
}

// "+name" is one of the words of "+avx2,-xop,...".
static bool has_word(const char *features, const char *word) {
  size_t n = strlen(word);
  for (const char *at = features; (at = strstr(at, word)); at += n)
    if (at[n] == 0 || at[n] == ',')
      return true;
  return false;
}

// The processor of this name, or this machine's if it is NULL, has the feature.
static bool has_feature(const char *cpu, const char *feature) {
  static char *host; // CPUID takes microseconds on a virtual machine
  if (!cpu) {
    host = host ? host : LLVMGetHostCPUFeatures();
    return host && has_word(host, feature);
  }
  char *triple = LLVMGetDefaultTargetTriple(), *why = NULL;
  LLVMTargetRef target;
  bool found = false;
  LLVMInitializeNativeTarget();
  if (!LLVMGetTargetFromTriple(triple, &target, &why)) {
    LLVMTargetMachineRef machine =
        LLVMCreateTargetMachine(target, triple, cpu, "", LLVMCodeGenLevelDefault, LLVMRelocPIC, LLVMCodeModelDefault);
    found = machine && sn_shim_machine_has(machine, feature);
    LLVMDisposeTargetMachine(machine);
  }
  LLVMDisposeMessage(why);
  LLVMDisposeMessage(triple);
  return found;
}

const char *tool_bf16(const char *cpu) { return has_feature(cpu, "+avx512bf16") ? "native" : "integers"; }
// Intel's processors since Broadwell: AMD's have SSE4a. On a Xeon with AMX a loop over two bf16 operands takes 4.1
// to 4.9 ms in place of 5.5 to 6.5 where it asks ahead; on a Zen 4 it takes 4.1 in place of 3.1.
const char *tool_prefetch(const char *cpu) {
  return has_feature(cpu, "+adx") && !has_feature(cpu, "+sse4a") ? "8192" : "0";
}
const char *tool_registers(const char *cpu) { return has_feature(cpu, "+avx512f") ? "32" : "16"; }
const char *tool_features(const char *cpu) {
  static char all[128];
  char word[32];
  all[0] = 0;
  for (const SnMicroKernel *line = sn_micro_kernels; line->name; ++line) {
    const char *at = line->target == SN_TARGET_CPU ? line->needs : "";
    for (; *at; at += strcspn(at, " "), at += *at == ' ') {
      snprintf(word, sizeof word, "+%.*s", (int)strcspn(at, " "), at);
      if (!has_word(all, word + 1) && has_feature(cpu, word))
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", *all ? "," : "", word + 1);
    }
  }
  return all;
}
const char *tool_exp(const char *cpu) { return has_feature(cpu, "+avx512f") ? "avx512" : "polynomial"; }

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

char *tool_read_all(const char *path, size_t *size) {
  FILE *file = strcmp(path, "-") ? fopen(path, "rb") : stdin;
  if (!file)
    return NULL;
  SN_VEC(char) text = {0};
  for (int c; (c = getc(file)) != EOF;)
    sn_push(&text, (char)c);
  int error = ferror(file) ? errno : 0; // a folder opens, and does not read
  if (file != stdin)
    fclose(file);
  *size = text.size;
  sn_push(&text, 0);
  if (error) {
    sn_vec_free(&text);
    errno = error;
  }
  return text.data;
}

SinterExit tool_read(Tool *tool, MlirModule *module) {
  *module = (MlirModule){NULL};
  size_t size = 0;
  char *text = tool_read_all(tool->file, &size);
  if (!text)
    return tool_error(tool, SINTER_EXIT_BAD_INPUT, "%s: %s", tool->file, strerror(errno));
  tool->source = tool_source_parse(tool->ctx, tool->file, text, size, module);
  free(text);
  if (mlirModuleIsNull(*module))
    return tool_error(tool, SINTER_EXIT_COMPILE, "%s is not a program in MLIR", tool->file);
  return SINTER_EXIT_OK;
}

static bool is_public(MlirOperation func) {
  MlirAttribute visibility = sn_get_attr(func, "sym_visibility");
  return !visibility.ptr ||
         mlirStringRefEqual(mlirStringAttrGetValue(visibility), SN_STR("public"));
}

SinterExit tool_select(const Tool *tool, MlirModule module, const char *entry) {
  MlirOperation op = mlirModuleGetOperation(module);
  SnOpVec functions = sn_collect(op, "func.func");
  MlirOperation chosen = {0};
  char names[512] = "";
  size_t length = 0, candidates = 0;
  for (size_t i = 0; i < functions.size; ++i) {
    MlirOperation func = functions.data[i];
    if (!is_public(func) || !sn_function_body(func).ptr)
      continue;
    MlirStringRef name = mlirStringAttrGetValue(sn_get_attr(func, "sym_name"));
    if (entry && mlirStringRefEqual(name, SN_STR(entry)))
      chosen = func;
    if (length < sizeof names)
      length += (size_t)snprintf(names + length, sizeof names - length, "%s%.*s",
                                 candidates ? ", " : "", (int)name.length, name.data);
    ++candidates;
  }
  SinterExit code = SINTER_EXIT_OK;
  if (!candidates)
    code =
        tool_error(tool, SINTER_EXIT_COMPILE, "%s has no public function with a body", tool->file);
  else if (entry && sn_null(chosen))
    code = tool_error(tool, SINTER_EXIT_BAD_INPUT, "%s has no function %s; it has: %s", tool->file,
                      entry, names);
  for (size_t i = 0; i < functions.size && !sn_null(chosen); ++i)
    if (!mlirOperationEqual(functions.data[i], chosen))
      sn_set_attr(functions.data[i], "sym_visibility", sn_string(tool->ctx, "private"));
  sn_vec_free(&functions);
  return code;
}

// ---- roads ---------------------------------------------------------------------------

typedef struct {
  const SnPipeline *road;
  const ToolSetting *settings;
} Settings;

static const char *setting(void *user, const char *name) {
  const Settings *s = user;
  for (const ToolSetting *t = s->settings; t && t->name; ++t)
    if (!strcmp(t->name, name))
      return t->value;
  for (const SnOption *o = s->road->options; o && o->name; ++o)
    if (!strcmp(o->name, name))
      return o->otherwise;
  return "";
}

static void report(MlirStringRef text, void *user) {
  fprintf(stderr, "%.*s", (int)text.length, text.data);
}

SinterExit tool_run(const Tool *tool, MlirModule module, const char *road,
                    const ToolSetting *settings, const char *until) {
  return tool_run_after(tool, module, road, settings, NULL, until);
}

SinterExit tool_run_after(const Tool *tool, MlirModule module, const char *road, const ToolSetting *settings,
                          const char *after, const char *until) {
  Settings all = {sn_pipeline(road), settings};
  if (!all.road)
    return tool_error(tool, SINTER_EXIT_COMPILE, "this build has no road %s", road);
  char *steps = sn_pipeline_text(all.road, setting, &all, until);
  if (!steps)
    return tool_error(tool, SINTER_EXIT_BAD_INPUT, "%s has no rung %s", road, until);
  char *done = after ? sn_pipeline_text(all.road, setting, &all, after) : NULL; // what `steps` begins with
  const char *rest = done ? steps + strlen(done) + 1 : steps;
  free(done);
  MlirPassManager pm = mlirPassManagerCreate(tool->ctx);
  MlirOpPassManager passes = mlirPassManagerGetAsOpPassManager(pm);
  SinterExit code = SINTER_EXIT_OK;
  if (sn_failed(mlirOpPassManagerAddPipeline(passes, SN_STR(rest), report, NULL)))
    code = tool_error(tool, SINTER_EXIT_COMPILE, "the road %s does not parse: %s", road, rest);
  else if (!tool_apply_options(pm))
    code = SINTER_EXIT_BAD_INPUT; // said by MLIR
  else if (sn_failed(mlirPassManagerRunOnOp(pm, mlirModuleGetOperation(module))))
    code = tool_error(tool, SINTER_EXIT_COMPILE, "%s was not compiled", tool->file);
  mlirPassManagerDestroy(pm);
  free(steps);
  return code;
}

static void to_stdout(MlirStringRef text, void *user) { fwrite(text.data, 1, text.length, stdout); }

void tool_print(MlirModule module) {
  mlirOperationPrint(mlirModuleGetOperation(module), to_stdout, NULL);
  putchar('\n');
}

const char *tool_wrong_file(const char *value) { return strpbrk(value, "'}") ? "holds a quote or a brace" : NULL; }
const char *tool_wrong_list(const char *value) {
  return value[strspn(value, "0123456789,")] ? "is no list of arguments: 0,2" : NULL;
}

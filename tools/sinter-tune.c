// sinter-tune: finds the schedules that are fastest on a machine.
//
//   sinter-tune loss.mlir --tuning=loss.tuning                      here, on the CPU or on a GPU
//   sinter-tune loss.mlir --target=gpu --emit=DIR                   compiles alone;
//   DIR/sinter-tune-run DIR --tuning=loss.tuning                    the rest, where the GPU is and no compiler
//   sinter-cc loss.mlir --target=gpu --tuning=loss.tuning -o loss.so
//
// A form is cut out of the program and compiled alone, once with each candidate's schedule: what is timed is the
// kernel. Candidates that become the same code are compiled once.

#include "compiler/processor.h"
#include "mlir-c/Diagnostics.h"
#include "passes/schedule/schedule.h"
#include "target/chips.h"
#include "tools/common.h"
#include "tools/tune.h"
#include "tools/tune_candidates.h"
#include "tools/tune_forms.h"
#include "llvm-c/Core.h"
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// ---- options --------------------------------------------------------------------------

typedef struct {
  const char *policy, *cpu, *chip, *input_dialect, *wrt, *result, *constants, *emit;
  bool gpu, ptx, upstream;
  int64_t most;
} Options;

static const char *set_target(void *to, const char *value) {
  ((Options *)to)->gpu = !strcmp(value, "gpu");
  return !strcmp(value, "gpu") || !strcmp(value, "cpu") ? NULL : "is not a target: cpu or gpu";
}
static const char *set_policy(void *to, const char *value) {
  ((Options *)to)->policy = value;
  return !strcmp(value, "medium") || !strcmp(value, "aggressive")
             ? NULL
             : "is not a policy that makes kernels: medium or aggressive";
}
static const char *set_cpu(void *to, const char *value) {
  ((Options *)to)->cpu = value;
  return sn_knows_cpu(value) ? NULL : "is not a processor that LLVM knows";
}
static const char *set_chip(void *to, const char *value) {
  ((Options *)to)->chip = value;
  return strncmp(value, "sm_", 3) ? "is not an architecture, such as sm_90a" : NULL;
}
static const char *set_input_dialect(void *to, const char *value) {
  ((Options *)to)->input_dialect = value;
  return !strcmp(value, "linalg") || !strcmp(value, "tosa") ? NULL : "is not a dialect of programs: linalg or tosa";
}
static const char *set_wrt(void *to, const char *value) {
  ((Options *)to)->wrt = value;
  return sn_wrong_wrt(value);
}
static const char *set_result(void *to, const char *value) {
  ((Options *)to)->result = value;
  return sn_wrong_result(value);
}
static const char *set_constants(void *to, const char *value) {
  ((Options *)to)->constants = value;
  return sn_wrong_file(value);
}
static const char *set_upstream(void *to, const char *value) {
  (void)value;
  ((Options *)to)->upstream = true;
  return NULL;
}
static const char *set_ptx(void *to, const char *value) {
  (void)value;
  ((Options *)to)->ptx = true;
  return NULL;
}
static const char *set_emit(void *to, const char *value) {
  ((Options *)to)->emit = value;
  return !*value ? "is no folder" : sn_wrong_file(value);
}
static const char *set_most(void *to, const char *value) {
  char *end;
  ((Options *)to)->most = strtoll(value, &end, 10);
  return *end || ((Options *)to)->most < 1 ? "is not a number, 1 or more" : NULL;
}

static const SinterOption table[] = {
    {"target", "cpu|gpu", "where it runs (default: cpu)", set_target},
    {"emit", "DIR", "compile into DIR, and run nothing: DIR/sinter-tune-run does that elsewhere", set_emit},
    {"most", "N", "candidates of a form (default: 40)", set_most},
    {"policy", "WORD", "medium (default) or aggressive, as of sinter-cc", set_policy},
    {"wrt", "N,NAME", "return gradients of a result too, by these arguments, by number or by name", set_wrt},
    {"result", "N", "with --wrt: of this result (default: 0)", set_result},
    {"upstream", NULL, "with --wrt: take the gradient by that result as one more argument", set_upstream},
    {"constants", "DIR", "take dense_resource<w> that the program has no bytes of from DIR/w.npy", set_constants},
    {"input-dialect", "NAME", "what the program is written in: linalg (default) or tosa", set_input_dialect},
    {"cpu", "NAME", "LLVM's name of the host's processor (default: this one; with --emit for a GPU: x86-64-v2)",
     set_cpu},
    {"chip", "NAME", "the GPU's architecture (default: sm_90a)", set_chip},
    {"ptx", NULL, "embed PTX in place of a cubin: needs no ptxas", set_ptx},
    {0},
};

static const SinterOptionRule rules[] = {
    {"upstream", SINTER_OPTION_NEEDS, "wrt", "no gradient is taken"},
    {"result", SINTER_OPTION_NEEDS, "wrt", "no gradient is taken"},
    {"emit", SINTER_OPTION_EXCLUDES, "tuning seconds limit " TUNE_RUNS_WITH, "it compiles, and runs nothing"},
    {0},
};

// What a value of an option makes of others.
static const char *ineffective(const Options *o) {
  if (!o->gpu && (o->ptx || sinter_option_given("chip")))
    return o->ptx ? "--ptx has no effect without --target=gpu" : "--chip has no effect without --target=gpu";
  return NULL;
}

// ---- compiling ---------------------------------------------------------------------------

static uint64_t hash_of(const char *bytes, size_t size) {
  uint64_t sum = 0xcbf29ce484222325;
  for (size_t i = 0; i < size; ++i)
    sum = (sum ^ (unsigned char)bytes[i]) * 0x100000001b3;
  return sum;
}

// What is asked of the road: the program is differentiated once, its forms are programs without that.
typedef struct {
  const char *policy, *wrt, *result, *sums, *after, *until;
  bool upstream, gpu;
} Road;

// A road on a copy of a module. The copy is the caller's.
static SinterExit lower(const Tool *tool, const Options *o, Road r, MlirModule module, MlirModule *copy) {
  SinterCompiler c = *tool->job->compiler;
  c.gpu = r.gpu;
  c.policy = r.policy;
  c.wrt = r.wrt;
  c.result = r.result;
  c.sums = r.sums;
  c.upstream = r.upstream;
  c.input_dialect = o->input_dialect;
  c.constants = o->constants;
  c.cpu = o->cpu;
  c.chip = o->chip;
  c.ptx = o->ptx;
  SnJob job = {.compiler = &c, .file = tool->file};
  *copy = mlirModuleFromOperation(mlirOperationClone(mlirModuleGetOperation(module)));
  return tool_exit(sn_road(&job, *copy, r.after, r.until));
}

// Links what has been lowered, unless `seen` has its code: 0 in *hash then.
static SinterExit link_lowered(const Tool *tool, const SnSerialise *how, MlirModule lowered, const char *path,
                               const uint64_t *seen, size_t n, uint64_t *hash) {
  LLVMMemoryBufferRef object = NULL;
  if (sn_failed(sn_serialise(mlirModuleGetOperation(lowered), how, &object)))
    return SINTER_EXIT_COMPILE;
  SinterProgram *p = sn_program_new();
  p->gpu = how->gpu;
  sn_program_take(p, lowered, object);
  LLVMDisposeMemoryBuffer(object);
  *hash = hash_of(p->object, p->object_size);
  for (size_t i = 0; i < n && *hash; ++i)
    *hash = seen[i] == *hash ? 0 : *hash;
  SinterExit code = *hash ? tool_exit(sn_link(tool->job, path, p, false)) : SINTER_EXIT_OK;
  sinter_program_destroy(p);
  return code;
}

// A program without our kernels, on the CPU.
static SinterExit compile_plain(const Tool *tool, const Options *o, MlirModule module, const char *sums,
                                const char *path) {
  MlirModule lowered;
  SinterExit code =
      lower(tool, o, (Road){.policy = "disabled", .wrt = "", .result = "0", .sums = sums}, module, &lowered);
  SnSerialise how = {.cpu = o->cpu};
  uint64_t hash;
  if (code == SINTER_EXIT_OK)
    code = link_lowered(tool, &how, lowered, path, NULL, 0, &hash);
  mlirModuleDestroy(lowered);
  return code;
}

// ---- candidates ----------------------------------------------------------------------------

static void put(MlirStringRef text, void *user) { fprintf(user, "%.*s", (int)text.length, text.data); }

// Keeps the first error of a candidate, in place of printing it.
static MlirLogicalResult keep_error(MlirDiagnostic diagnostic, void *user) {
  char *why = NULL;
  size_t size = 0;
  FILE *to = open_memstream(&why, &size);
  mlirDiagnosticPrint(diagnostic, put, to);
  fclose(to);
  char *kept = user;
  if (mlirDiagnosticGetSeverity(diagnostic) == MlirDiagnosticError && !*kept)
    snprintf(kept, 300, "%.*s", (int)strcspn(why, "\n\t"), why);
  free(why);
  return SN_OK;
}

typedef struct {
  Tool *tool;
  const Options *options;
  const char *folder;
  FILE *list;
  SN_VEC(uint64_t) seen; // code of the form's candidates
  size_t count;          // libraries of all forms
} Work;

// What a process that compiled a candidate has to say.
typedef struct {
  uint64_t hash; // 0: another candidate is the same
  SinterExit code;
  char why[300];
} Compiled;

static Compiled compile_here(const Work *w, MlirModule kernel, const char *path) {
  Compiled c = {.hash = 1};
  const Options *o = w->options;
  mlirContextAttachDiagnosticHandler(w->tool->ctx, keep_error, c.why, NULL);
  MlirModule lowered;
  c.code = lower(w->tool, o,
                 (Road){.policy = o->policy, .wrt = "", .result = "0", .sums = "same", .after = "fused", .gpu = o->gpu},
                 kernel, &lowered);
  SnSerialise how = {.cpu = o->cpu, .gpu = o->gpu, .parallel = !o->gpu};
  if (c.code == SINTER_EXIT_OK)
    c.code = link_lowered(w->tool, &how, lowered, path, w->seen.data, w->seen.size, &c.hash);
  return c;
}

// A schedule that nobody has tried may end the compiler: it ends a process of its own.
static Compiled compile_there(const Work *w, MlirModule kernel, const char *path) {
  Compiled c = {.hash = 1, .code = SINTER_EXIT_COMPILE, .why = "the compiler does not stand it"};
  int ends[2];
  fflush(NULL);
  if (pipe(ends))
    return c;
  pid_t child = fork();
  if (!child) {
    static const int signals[] = {SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGFPE};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; ++i)
      signal(signals[i], SIG_DFL); // LLVM's handlers print a stack
    bool quiet = freopen("/dev/null", "w", stderr) != NULL;
    c.why[0] = 0;
    c = compile_here(w, kernel, path);
    _exit(!quiet || write(ends[1], &c, sizeof c) != (ssize_t)sizeof c);
  }
  close(ends[1]);
  Compiled said;
  if (child > 0 && read(ends[0], &said, sizeof said) == (ssize_t)sizeof said)
    c = said;
  close(ends[0]);
  while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
    ;
  return c;
}

static void compile_candidate(Work *w, size_t index, const TuneForm *form, MlirAttribute schedule) {
  char path[PATH_MAX + 32];
  snprintf(path, sizeof path, "%s/%zu.so", w->folder, w->count);
  sn_set_attr(tune_form_of(form->kernel), "schedule", schedule);
  Compiled c = compile_there(w, form->kernel, path);
  if (!c.hash)
    return;
  fprintf(w->list, "%zu\t%s\t", index, form->form.text);
  mlirAttributePrint(schedule, put, w->list);
  if (c.code != SINTER_EXIT_OK) {
    fprintf(w->list, "\t-\t%s\n", *c.why ? c.why : "it was not compiled");
    return;
  }
  fprintf(w->list, "\t%zu.so\n", w->count++);
  sn_push(&w->seen, c.hash);
}

// The road takes a form that was cut out as it is: what is timed is what the program runs.
static SinterExit check_cut(const Work *w, const TuneForm *form) {
  const Options *o = w->options;
  MlirModule scheduled;
  Road road = {.policy = o->policy,
               .wrt = "",
               .result = "0",
               .sums = "same",
               .after = "fused",
               .until = "scheduled",
               .gpu = o->gpu};
  SinterExit code = lower(w->tool, o, road, form->kernel, &scheduled);
  MlirOperation again = code == SINTER_EXIT_OK ? tune_form_of(scheduled) : (MlirOperation){NULL};
  if (code == SINTER_EXIT_OK && (sn_null(again) || strcmp(sn_fingerprint(again).text, form->form.text)))
    code = tool_error(w->tool, SINTER_EXIT_COMPILE, "%s becomes another form where it stands alone", form->form.text);
  mlirModuleDestroy(scheduled);
  return code;
}

static SinterExit compile_form(Work *w, size_t index, const TuneForm *form) {
  const Options *o = w->options;
  char path[PATH_MAX + 64];
  SinterExit code = check_cut(w, form);
  snprintf(path, sizeof path, "%s/form%zu-reference.so", w->folder, index);
  if (code == SINTER_EXIT_OK)
    code = compile_plain(w->tool, o, form->kernel, "wide", path);
  snprintf(path, sizeof path, "%s/form%zu-inputs.so", w->folder, index);
  if (code == SINTER_EXIT_OK && form->inputs.ptr)
    code = compile_plain(w->tool, o, form->inputs, "same", path);
  w->seen.size = 0;
  SnProcessor processor = sn_processor(o->cpu);
  SnScheduleOptions options = {
      .target = o->gpu ? "gpu" : "cpu", .chip = o->chip, .vector_bits = 512, .features = processor.features};
  TuneSchedules schedules = tune_candidates(form->op, &options, (size_t)o->most);
  for (size_t k = 0; k < schedules.size && code == SINTER_EXIT_OK; ++k)
    compile_candidate(w, index, form, schedules.data[k]);
  sn_vec_free(&schedules);
  return code;
}

// ---- the folder ------------------------------------------------------------------------------

static void remove_folder(const char *folder, size_t count, size_t forms) {
  char path[PATH_MAX + 64];
  for (size_t i = 0; i < forms; ++i) {
    snprintf(path, sizeof path, "%s/form%zu-inputs.so", folder, i);
    unlink(path);
    snprintf(path, sizeof path, "%s/form%zu-reference.so", folder, i);
    unlink(path);
  }
  for (size_t i = 0; i < count; ++i) {
    snprintf(path, sizeof path, "%s/%zu.so", folder, i);
    unlink(path);
  }
  snprintf(path, sizeof path, "%s/candidates", folder);
  unlink(path);
  rmdir(folder);
}

// sinter-tune-run lies beside this program.
static SinterExit copy_runner(const Tool *tool, const char *folder) {
  char self[PATH_MAX], path[PATH_MAX * 2];
  ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
  self[n < 0 ? 0 : n] = 0;
  snprintf(path, sizeof path, "%s-run", self);
  FILE *from = fopen(path, "rb");
  if (!from)
    return tool_error(tool, SINTER_EXIT_BAD_INPUT, "cannot read %s: %s", path, strerror(errno));
  SN_VEC(char) bytes = {0};
  for (int c; (c = getc(from)) != EOF;)
    sn_push(&bytes, (char)c);
  fclose(from);
  snprintf(path, sizeof path, "%s/sinter-tune-run", folder);
  SinterExit code = tool_exit(sn_write(tool->job, path, bytes.data, bytes.size, true));
  sn_vec_free(&bytes);
  return code;
}

static SinterExit tune(Tool *tool, const Options *o, const TuneOptions *run, const TuneForms *forms) {
  char made[PATH_MAX] = "", path[PATH_MAX + 32];
  const char *tmp = getenv("TMPDIR"), *folder = o->emit ? o->emit : made;
  snprintf(made, sizeof made, "%s/sinter-tune-XXXXXX", tmp && *tmp ? tmp : "/tmp");
  if (o->emit ? mkdir(folder, 0777) && errno != EEXIST : !mkdtemp(made))
    return tool_error(tool, SINTER_EXIT_BAD_INPUT, "cannot make the folder %s: %s", folder, strerror(errno));
  snprintf(path, sizeof path, "%s/candidates", folder);
  Work w = {.tool = tool, .options = o, .folder = folder, .list = fopen(path, "w")};
  if (!w.list)
    return tool_error(tool, SINTER_EXIT_BAD_INPUT, "cannot write %s: %s", path, strerror(errno));
  fprintf(w.list, "target %s\n", o->gpu ? "gpu" : "cpu");
  SinterExit code = SINTER_EXIT_OK;
  for (size_t i = 0; i < forms->size && code == SINTER_EXIT_OK; ++i)
    if (strstr(forms->data[i].form.text, run->form))
      code = compile_form(&w, i, &forms->data[i]);
  bool written = !ferror(w.list);
  if ((fclose(w.list) || !written) && code == SINTER_EXIT_OK)
    code = tool_error(tool, SINTER_EXIT_BAD_INPUT, "cannot write %s: %s", path, strerror(errno));
  if (code == SINTER_EXIT_OK && o->emit)
    code = copy_runner(tool, folder);
  if (code == SINTER_EXIT_OK && o->emit)
    printf("%zu candidate%s of %zu form%s: %s/sinter-tune-run %s\n", w.count, w.count == 1 ? "" : "s", forms->size,
           forms->size == 1 ? "" : "s", folder, folder);
  else if (code == SINTER_EXIT_OK)
    code = tune_run(folder, run);
  if (!o->emit)
    remove_folder(folder, w.count, forms->size);
  sn_vec_free(&w.seen);
  return code;
}

static SinterExit check_forms(const Tool *tool, const TuneOptions *run, const TuneForms *forms) {
  if (!forms->size)
    return tool_error(tool, SINTER_EXIT_COMPILE,
                      "%s has no form that is scheduled and takes its weights as they are given", tool->file);
  for (size_t i = 0; i < forms->size; ++i)
    if (strstr(forms->data[i].form.text, run->form))
      return SINTER_EXIT_OK;
  return tool_error(tool, SINTER_EXIT_BAD_INPUT, "--form=%s is in the name of none of %zu forms, such as %s", run->form,
                    forms->size, forms->data[0].form.text);
}

static SinterExit program(Tool *tool, Options *o, TuneOptions *run) {
  MlirModule module, scheduled;
  SinterExit code = tool_read(tool, &module);
  if (code != SINTER_EXIT_OK)
    return code;
  if (o->gpu && o->emit && !o->cpu)
    o->cpu = "x86-64-v2"; // the other machine's is not known
  code = tool_exit(sn_select(tool->job, module, run->driver.entry));
  if (code == SINTER_EXIT_OK) {
    Road road = {.policy = o->policy,
                 .wrt = o->wrt,
                 .result = o->result,
                 .sums = "same",
                 .until = "scheduled",
                 .upstream = o->upstream,
                 .gpu = o->gpu};
    code = lower(tool, o, road, module, &scheduled);
    TuneForms forms = {0};
    if (code == SINTER_EXIT_OK) {
      forms = tune_forms(scheduled);
      o->input_dialect = "linalg"; // what was cut out is
      code = check_forms(tool, run, &forms);
    }
    if (code == SINTER_EXIT_OK)
      code = tune(tool, o, run, &forms);
    tune_forms_free(&forms);
    mlirModuleDestroy(scheduled);
  }
  mlirModuleDestroy(module);
  return code;
}

int main(int argc, char **argv) {
  Options options = {.policy = "medium",
                     .chip = SN_GPU_CHIP_DEFAULT,
                     .input_dialect = "linalg",
                     .wrt = "",
                     .result = "0",
                     .constants = "",
                     .most = 40};
  TuneOptions run = TUNE_DEFAULTS;
  run.driver.program = "sinter-tune";
  ToolOptions tables[] = {{table, &options}, {tune_options, &run}, {tune_driver_options(), &run.driver}, {NULL, NULL}};
  const char *file = tool_options(argc, argv, "Sinter: finds the schedules that are fastest on a machine\n", tables);
  if (!sinter_options_check(rules, run.driver.program))
    return SINTER_EXIT_BAD_INPUT;
  SinterCompiler compiler = SN_COMPILER_DEFAULTS;
  compiler.wrt = options.wrt; // how the file is read
  Tool tool = tool_open("sinter-tune", file, &compiler);
  const char *wrong = ineffective(&options);
  SinterExit code = wrong ? tool_error(&tool, SINTER_EXIT_BAD_INPUT, "%s", wrong) : program(&tool, &options, &run);
  return tool_close(&tool, code);
}

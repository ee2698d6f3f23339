// sinter-cc: compiles a program into a library, an object, PTX or a cubin.
//
//   sinter-cc model.mlir --target=gpu -o model.so -h model.h
//
// What is written follows from the suffix of -o. A library needs nothing of
// LLVM's; how to call it is in the header, and in runtime/abi.h.

#include "llvm-c/Core.h"
#include "lowering/host/names.h"
#include "lowering/serialise.h"
#include "mlir-c/Dialect/GPU.h"
#include "pipelines/pipelines.h"
#include "target/chips.h"
#include "tools/common_link.h"
#include <stdio.h>
#include <sys/stat.h>

// ---- options --------------------------------------------------------------------------

typedef struct {
  const char *out, *header, *name, *policy, *cpu, *chip, *entry, *input_dialect, *wrt, *tuning;
  bool gpu, ptx, upstream;
} Options;

static const char *set_out(void *to, const char *value) {
  ((Options *)to)->out = value;
  return *value ? NULL : "is no file";
}
static const char *set_header(void *to, const char *value) {
  ((Options *)to)->header = value;
  return *value ? NULL : "is no file";
}
static const char *set_name(void *to, const char *value) {
  ((Options *)to)->name = value;
  return sn_wrong_program_name(value);
}
static const char *set_target(void *to, const char *value) {
  ((Options *)to)->gpu = !strcmp(value, "gpu");
  return !strcmp(value, "gpu") || !strcmp(value, "cpu") ? NULL : "is not a target: cpu or gpu";
}
static const char *set_policy(void *to, const char *value) {
  ((Options *)to)->policy = value;
  return !strcmp(value, "disabled") || !strcmp(value, "medium") || !strcmp(value, "aggressive")
             ? NULL
             : "is not a policy: disabled, medium or aggressive";
}
static const char *set_cpu(void *to, const char *value) {
  ((Options *)to)->cpu = value;
  return tool_knows_cpu(value) ? NULL : "is not a processor that LLVM knows";
}
static const char *set_chip(void *to, const char *value) {
  ((Options *)to)->chip = value;
  return strncmp(value, "sm_", 3) ? "is not an architecture, such as sm_90a" : NULL;
}
static const char *set_entry(void *to, const char *value) {
  ((Options *)to)->entry = value;
  return NULL;
}
static const char *set_input_dialect(void *to, const char *value) {
  ((Options *)to)->input_dialect = value;
  return !strcmp(value, "linalg") || !strcmp(value, "tosa") ? NULL : "is not a dialect of programs: linalg or tosa";
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
static const char *set_ptx(void *to, const char *value) {
  ((Options *)to)->ptx = true;
  return NULL;
}

static const SinterOption table[] = {
    {"o", "FILE", "what to write, by its suffix: .so, .a, .o, .ptx or .cubin", set_out},
    {"h", "FILE.h", "write a C header that says how to call it", set_header},
    {"name", "NAME", "of the program in C: functions are NAME_FUNCTION, their table NAME_library (default: the file's)",
     set_name},
    {"target", "cpu|gpu", "where it runs (default: cpu)", set_target},
    {"policy", "WORD",
     "disabled: no kernels of ours; medium: where that is better (default); aggressive: all that can be", set_policy},
    {"wrt", "N,N", "return gradients of the first result too, by these arguments", set_wrt},
    {"upstream", NULL, "with --wrt: take the gradient by that result as one more argument", set_upstream},
    {"tuning", "FILE", "take the schedules that sinter-tune measured", set_tuning},
    {"input-dialect", "NAME", "what the program is written in: linalg (default) or tosa", set_input_dialect},
    {"entry", "NAME", "the function to compile (default: all public ones)", set_entry},
    {"cpu", "NAME", "LLVM's name of the host's processor (default: this one)", set_cpu},
    {"chip", "NAME", "the GPU's architecture (default: sm_90a)", set_chip},
    {"ptx", NULL, "embed PTX, which the driver compiles, in place of a cubin: needs no ptxas", set_ptx},
    {0},
};

typedef enum { LIBRARY, ARCHIVE, OBJECT, PTX, CUBIN } Kind;

static const struct {
  const char *suffix;
  Kind kind;
  bool gpu_only;
} kinds[] = {
    {".so", LIBRARY, false}, {".a", ARCHIVE, false}, {".o", OBJECT, false},
    {".ptx", PTX, true},     {".cubin", CUBIN, true}};

static SinterExit kind_of(const Tool *tool, const Options *options, Kind *kind) {
  size_t n = strlen(options->out);
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
    size_t m = strlen(kinds[i].suffix);
    if (n <= m || strcmp(options->out + n - m, kinds[i].suffix))
      continue;
    *kind = kinds[i].kind;
    if (kinds[i].gpu_only && !options->gpu)
      return tool_error(tool, SINTER_EXIT_BAD_INPUT,
                        "-o %s: a %s file is for a GPU, add --target=gpu", options->out,
                        kinds[i].suffix);
    return SINTER_EXIT_OK;
  }
  return tool_error(tool, SINTER_EXIT_BAD_INPUT,
                    "-o %s: expected a name that ends in .so, .a, .o, .ptx or .cubin", options->out);
}

// ---- the GPU's code ----------------------------------------------------------------------

// The bytes of the one gpu.binary of a module.
static SinterExit write_binary(const Tool *tool, const Options *options, MlirModule module) {
  SnOpVec binaries = sn_collect(mlirModuleGetOperation(module), "gpu.binary");
  SinterExit code;
  if (binaries.size != 1) {
    code = tool_error(tool, SINTER_EXIT_COMPILE, "%s becomes %zu binaries for the GPU: %s",
                      tool->file, binaries.size,
                      binaries.size ? "a file holds one, -o NAME.so holds all"
                                    : "no kernel was made of it");
  } else {
    MlirAttribute object = mlirArrayAttrGetElement(sn_get_attr(binaries.data[0], "objects"), 0);
    MlirStringRef bytes = mlirGPUObjectAttrGetObject(object);
    size_t size = bytes.length;
    while (options->ptx && size && !bytes.data[size - 1]) // PTX in memory ends in 0
      --size;
    code = tool_write(tool, options->out, bytes.data, size, false);
  }
  sn_vec_free(&binaries);
  return code;
}

// ---- the tool ---------------------------------------------------------------------------------

static SinterExit lower(const Tool *tool, const Options *options, MlirModule module,
                        const char *until) {
  const char *upstream = options->upstream ? "true" : "false";
  ToolSetting gpu[] = {{"policy", options->policy},
                       {"wrt", options->wrt},
                       {"tuning", options->tuning},
                       {"upstream", upstream},
                       {"input", options->input_dialect},
                       {"chip", options->chip},
                       {"format", options->ptx ? "isa" : "bin"},
                       {NULL, NULL}};
  ToolSetting cpu[] = {{"policy", options->policy},
                       {"bf16", tool_bf16(options->cpu)},
                       {"exp", tool_exp(options->cpu)},
                       {"registers", tool_registers(options->cpu)},
                       {"features", tool_features(options->cpu)},
                       {"prefetch", tool_prefetch(options->cpu)},
                       {"wrt", options->wrt},
                       {"upstream", upstream},
                       {"tuning", options->tuning},
                       {"input", options->input_dialect},
                       {NULL, NULL}};
  return options->gpu ? tool_run(tool, module, "sinter-gpu", gpu, until)
                      : tool_run(tool, module, "sinter-cpu", cpu, until);
}

static SinterExit host_code(const Tool *tool, const Options *options, MlirModule module,
                            Kind kind) {
  SnSerialise how = {.name = options->name, .cpu = options->cpu, .gpu = options->gpu, .parallel = !options->gpu};
  LLVMMemoryBufferRef object = NULL;
  if (sn_failed(sn_serialise(mlirModuleGetOperation(module), &how, &object)))
    return tool_error(tool, SINTER_EXIT_COMPILE, "%s was not compiled", tool->file);
  const char *bytes = LLVMGetBufferStart(object);
  size_t size = LLVMGetBufferSize(object);
  SinterExit code = kind == OBJECT
                        ? tool_write(tool, options->out, bytes, size, false)
                        : tool_link(tool, options->out, bytes, size, kind == ARCHIVE ? options->name : NULL,
                                    options->gpu);
  LLVMDisposeMemoryBuffer(object);
  return code;
}

static SinterExit compile(const Tool *tool, const Options *options, MlirModule module, Kind kind) {
  bool device_only = options->out && (kind == PTX || kind == CUBIN);
  SinterExit code = tool_select(tool, module, options->entry);
  if (code == SINTER_EXIT_OK)
    code = lower(tool, options, module, device_only ? "binary" : NULL);
  if (code == SINTER_EXIT_OK && device_only)
    return write_binary(tool, options, module);
  if (code == SINTER_EXIT_OK && sn_failed(sn_check_c_names(mlirModuleGetOperation(module), options->name)))
    code = tool_error(tool, SINTER_EXIT_COMPILE, "%s was not compiled", tool->file);
  if (code == SINTER_EXIT_OK && options->out)
    code = host_code(tool, options, module, kind);
  if (code == SINTER_EXIT_OK && options->header)
    code = tool_header(tool, options->header, module, options->name, options->gpu);
  return code;
}

// An option that changes nothing is a mistake.
static SinterExit check_effects(const Tool *tool, const Options *o, Kind kind) {
  bool device_only = o->out && (kind == PTX || kind == CUBIN), decomposed = !strcmp(o->policy, "disabled") && !o->gpu;
  const struct {
    bool given, wrong;
    const char *option, *why;
  } rows[] = {
      {o->upstream, !*o->wrt, "--upstream", "takes effect with --wrt=N"},
      {o->chip, !o->gpu, "--chip", "is of a GPU: add --target=gpu"},
      {o->ptx, !o->gpu, "--ptx", "is of a GPU: add --target=gpu"},
      {o->ptx, kind == CUBIN, "--ptx", "makes no cubin"},
      {o->ptx, kind == PTX, "--ptx", "is for a library: a .ptx file is PTX anyway"},
      {o->cpu, device_only, "--cpu", "is of the host's code, and this file has none"},
      {o->name, device_only, "--name", "is of the host's code, and this file has none"},
      {o->header, device_only, "-h", "says how to call the host's code, and this file has none"},
      {*o->tuning, decomposed, "--tuning", "is of our kernels, and --policy=disabled makes none"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
    if (rows[i].given && rows[i].wrong)
      return tool_error(tool, SINTER_EXIT_BAD_INPUT, "%s %s", rows[i].option, rows[i].why);
  return SINTER_EXIT_OK;
}

static bool same_file(const char *a, const char *b) {
  struct stat x, y;
  return !strcmp(a, b) ||
         (!stat(a, &x) && !stat(b, &y) && S_ISREG(x.st_mode) && x.st_dev == y.st_dev && x.st_ino == y.st_ino);
}

// No output takes the place of the program, or of the other output.
static SinterExit check_files(const Tool *tool, const Options *o) {
  const char *files[] = {tool->file, o->out, o->header};
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < i; ++k)
      if (files[i] && files[k] && same_file(files[i], files[k]))
        return tool_error(tool, SINTER_EXIT_BAD_INPUT, "%s %s: it would take the place of %s", i == 1 ? "-o" : "-h",
                          files[i], k ? "what -o writes" : "the program");
  return SINTER_EXIT_OK;
}

static SinterExit program(Tool *tool, Options *options) {
  Kind kind = LIBRARY;
  if (!options->out && !options->header)
    return tool_error(tool, SINTER_EXIT_BAD_INPUT,
                      "nothing to write: give -o FILE, -h FILE.h, or both");
  if ((options->out && kind_of(tool, options, &kind) != SINTER_EXIT_OK) ||
      check_effects(tool, options, kind) != SINTER_EXIT_OK || check_files(tool, options) != SINTER_EXIT_OK)
    return SINTER_EXIT_BAD_INPUT;
  options->ptx = options->ptx || kind == PTX;
  options->chip = options->chip ? options->chip : SN_GPU_CHIP_DEFAULT;
  char *name = sn_program_name(tool->file);
  options->name = options->name ? options->name : name;
  MlirModule module;
  SinterExit code = tool_read(tool, &module);
  if (code == SINTER_EXIT_OK) {
    code = compile(tool, options, module, kind);
    mlirModuleDestroy(module);
  }
  free(name);
  return code;
}

int main(int argc, char **argv) {
  Options options = {.policy = "medium", .input_dialect = "linalg", .wrt = "", .tuning = ""};
  ToolOptions tables[] = {{table, &options}, {NULL, NULL}};
  const char *file =
      tool_options(argc, argv, "Sinter: compiles a program in MLIR into a library\n", tables);
  Tool tool = tool_open("sinter-cc", file);
  SinterExit code = program(&tool, &options);
  return tool_close(&tool, code);
}

// sinter-cc: compiles a program into a library, an object, PTX or a cubin.
//
//   sinter-cc model.mlir --target=gpu -o model.so -h model.h
//
// What is written follows from the suffix of -o. A library needs nothing of
// LLVM's; how to call it is in the header, and in runtime/abi.h.

#include "lowering/host/names.h"
#include "mlir-c/Dialect/GPU.h"
#include "tools/common.h"
#include <stdio.h>
#include <sys/stat.h>

// ---- options --------------------------------------------------------------------------

typedef struct {
  const char *out, *header;
} Options;

static const char *set_out(void *to, const char *value) {
  ((Options *)to)->out = value;
  return *value ? NULL : "is no file";
}
static const char *set_header(void *to, const char *value) {
  ((Options *)to)->header = value;
  return *value ? NULL : "is no file";
}

static const SinterOption table[] = {
    {"o", "FILE", "what to write, by its suffix: .so, .a, .o, .ptx or .cubin", set_out},
    {"h", "FILE.h", "write a C header that says how to call it", set_header},
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
    if (kinds[i].gpu_only && !tool->job->compiler->gpu)
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
    while (tool->job->compiler->ptx && size && !bytes.data[size - 1]) // PTX in memory ends in 0
      --size;
    code = tool_exit(sn_write(tool->job, options->out, bytes.data, size, false));
  }
  sn_vec_free(&binaries);
  return code;
}

// ---- the tool ---------------------------------------------------------------------------------

static SinterExit compile(const Tool *tool, const Options *options, MlirModule module, Kind kind) {
  const SinterCompiler *c = tool->job->compiler;
  if (options->out && (kind == PTX || kind == CUBIN)) {
    int32_t status = sn_select(tool->job, module, c->entry);
    if (status == SINTER_COMPILER_OK)
      status = sn_road(tool->job, module, c->after, "binary");
    return status == SINTER_COMPILER_OK ? write_binary(tool, options, module) : tool_exit(status);
  }
  SinterProgram *program = NULL;
  int32_t status = sn_compile_cached(tool->job, module, options->out, &program);
  if (status == SINTER_COMPILER_OK && options->out)
    status = sn_program_write(tool->job, program, options->out);
  if (status == SINTER_COMPILER_OK && options->header)
    status = sn_write(tool->job, options->header, program->header, program->header_size, false);
  sinter_program_destroy(program);
  return tool_exit(status);
}

// An option that changes nothing is a mistake.
static SinterExit check_effects(const Tool *tool, const Options *o, Kind kind) {
  const SinterCompiler *c = tool->job->compiler;
  bool device_only = o->out && (kind == PTX || kind == CUBIN);
  const struct {
    bool given, wrong;
    const char *option, *why;
  } rows[] = {
      {c->ptx, kind == CUBIN, "--ptx", "makes no cubin"},
      {c->ptx, kind == PTX, "--ptx", "is for a library: a .ptx file is PTX anyway"},
      {c->cpu, device_only, "--cpu", "is of the host's code, and this file has none"},
      {c->name, device_only, "--name", "is of the host's code, and this file has none"},
      {c->cache, device_only, "--cache", "is of libraries, and this file is none"},
      {o->header, device_only, "-h", "says how to call the host's code, and this file has none"},
  };
  char text[256];
  if (sn_wrong_options(c, text, sizeof text))
    return tool_error(tool, SINTER_EXIT_BAD_INPUT, "%s", text);
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

static SinterExit program(Tool *tool, const Options *options, SinterCompiler *compiler) {
  Kind kind = LIBRARY;
  if (!options->out && !options->header)
    return tool_error(tool, SINTER_EXIT_BAD_INPUT,
                      "nothing to write: give -o FILE, -h FILE.h, or both");
  if ((options->out && kind_of(tool, options, &kind) != SINTER_EXIT_OK) ||
      check_effects(tool, options, kind) != SINTER_EXIT_OK || check_files(tool, options) != SINTER_EXIT_OK)
    return SINTER_EXIT_BAD_INPUT;
  compiler->ptx = compiler->ptx || kind == PTX;
  MlirModule module;
  SinterExit code = tool_read(tool, &module);
  if (code == SINTER_EXIT_OK) {
    code = compile(tool, options, module, kind);
    mlirModuleDestroy(module);
  }
  return code;
}

int main(int argc, char **argv) {
  Options options = {0};
  SinterCompiler compiler = SN_COMPILER_DEFAULTS;
  ToolOptions tables[] = {{table, &options},
                          {sn_library_options, &compiler},
                          {sn_road_options, &compiler},
                          {sn_cache_options, &compiler},
                          {NULL, NULL}};
  const char *file =
      tool_options(argc, argv, "Sinter: compiles a program in MLIR into a library\n", tables);
  Tool tool = tool_open("sinter-cc", file, &compiler);
  SinterExit code = program(&tool, &options, &compiler);
  return tool_close(&tool, code);
}

// sinter-cc: compiles a program into a library, an object, PTX or a cubin.
//
//   sinter-cc model.mlir --target=gpu -o model.so -h model.h
//
// What is written follows from the suffix of -o. A library needs nothing of
// LLVM's; how to call it is in the header, and in runtime/abi.h.

#include "lowering/host/names.h"
#include "mlir-c/Dialect/GPU.h"
#include "runtime/file.h"
#include "tools/common.h"
#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <sys/stat.h>

// ---- options --------------------------------------------------------------------------

typedef struct {
  const char *out, *header, *constants_file;
} Options;

static const char *set_out(void *to, const char *value) {
  ((Options *)to)->out = value;
  return *value ? NULL : "is no file";
}
static const char *set_header(void *to, const char *value) {
  ((Options *)to)->header = value;
  return *value ? NULL : "is no file";
}
static const char *set_constants_file(void *to, const char *value) {
  ((Options *)to)->constants_file = value;
  return *value ? NULL : "is no file";
}

static const SinterOption table[] = {
    {"o", "FILE", "what to write, by its suffix: .so, .a, .o, .ptx or .cubin", set_out},
    {"h", "FILE.h", "write a C header that says how to call it", set_header},
    {"constants-file", "FILE", "write large constants there, where the library maps them, not into the library",
     set_constants_file},
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

// Where the library finds its constants: from its own folder where they are in it, else by their whole path. NULL with
// errno; free with free.
static char *path_from_library(const Options *options) {
  char *out = strdup(options->out), *file = strdup(options->constants_file);
  char *home = realpath(dirname(out), NULL), *folder = home ? realpath(dirname(file), NULL) : NULL, *path = NULL;
  const char *slash = strrchr(options->constants_file, '/'), *name = slash ? slash + 1 : options->constants_file;
  size_t n = home ? strlen(home) : 0;
  n -= n == 1; // the root
  if (folder) {
    bool inside = !strncmp(folder, home, n) && (!folder[n] || folder[n] == '/');
    const char *from = inside ? folder + n + (folder[n] == '/') : folder;
    size_t size = strlen(from) + strlen(name) + 2;
    path = sn_alloc(size);
    snprintf(path, size, "%s%s%s", from, *from ? "/" : "", name);
  }
  free(folder);
  free(home);
  free(file);
  free(out);
  return path;
}

// Both appear, or neither does.
static SinterExit write_with_constants(const Tool *tool, const Options *options, const SinterProgram *p) {
  if (!p->constants_size)
    return tool_error(tool, SINTER_EXIT_BAD_INPUT, "--constants-file has no effect: %s has no large constants",
                      tool->file);
  SinterFile file;
  bool ok = sinter_file_create(&file, options->constants_file, false);
  SinterExit code = SINTER_EXIT_OK;
  if (ok) {
    ok = fwrite(p->constants, 1, p->constants_size, file.to) == p->constants_size && !fflush(file.to);
    code = ok ? tool_exit(sn_program_write(tool->job, p, options->out)) : SINTER_EXIT_BAD_INPUT;
    if (code == SINTER_EXIT_OK)
      ok = sinter_file_finish(&file);
    else
      sinter_file_abandon(&file);
  }
  return ok ? code
            : tool_error(tool, SINTER_EXIT_BAD_INPUT, "cannot write %s: %s", options->constants_file, strerror(errno));
}

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
  SinterExit code = tool_exit(status);
  if (code == SINTER_EXIT_OK && options->constants_file)
    code = write_with_constants(tool, options, program);
  else if (code == SINTER_EXIT_OK && options->out)
    code = tool_exit(sn_program_write(tool->job, program, options->out));
  if (code == SINTER_EXIT_OK && options->header)
    code = tool_exit(sn_write(tool->job, options->header, program->header, program->header_size, false));
  sinter_program_destroy(program);
  return code;
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
      {o->constants_file, c->gpu, "--constants-file",
       "is of libraries for a CPU: a GPU's kernels read no constants there"},
      {o->constants_file, !o->out, "--constants-file", "goes with a library: add -o FILE"},
      {o->constants_file, c->cache, "--constants-file",
       "keeps apart what --cache keeps with the library: leave one out"},
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

// No output takes the place of the program, or of another output.
static SinterExit check_files(const Tool *tool, const Options *o) {
  const struct {
    const char *file, *option, *what;
  } rows[] = {{tool->file, "", "the program"},
              {o->out, "-o", "what -o writes"},
              {o->header, "-h", "what -h writes"},
              {o->constants_file, "--constants-file", ""}};
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < i; ++k)
      if (rows[i].file && rows[k].file && same_file(rows[i].file, rows[k].file))
        return tool_error(tool, SINTER_EXIT_BAD_INPUT, "%s %s: it would take the place of %s", rows[i].option,
                          rows[i].file, rows[k].what);
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
  char *path = options->constants_file ? path_from_library(options) : NULL;
  if (options->constants_file && !path)
    return tool_error(tool, SINTER_EXIT_BAD_INPUT, "cannot write %s beside %s: %s", options->constants_file,
                      options->out, strerror(errno));
  compiler->constants_path = path;
  MlirModule module;
  SinterExit code = tool_read(tool, &module);
  if (code == SINTER_EXIT_OK) {
    code = compile(tool, options, module, kind);
    mlirModuleDestroy(module);
  }
  free(path);
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

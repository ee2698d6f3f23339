// program.c: a module becomes a program: machine code in memory, and in files.

#include "capi/shim.h"
#include "compiler/job.h"
#include "dialect/attributes.h"
#include "lowering/host/names.h"
#include "lowering/object_constants.h"
#include "passes/program/constants.h"
#include "llvm-c/Core.h"
#include <errno.h>

SinterProgram *sn_program_new(void) {
  SinterProgram *p = sn_alloc(sizeof *p);
  pthread_mutex_init(&p->lock, NULL);
  return p;
}

void sinter_program_destroy(SinterProgram *p) {
  if (!p)
    return;
  sn_program_unload(p);
  pthread_mutex_destroy(&p->lock);
  free(p->object);
  free(p->constants);
  free(p->header);
  free(p->name);
  free(p);
}

bool sinter_program_was_cached(const SinterProgram *p) { return p->cached; }

const SinterFunction *sinter_library_function(const SinterLibrary *library, const char *name) {
  for (int32_t i = 0; i < library->num_functions; ++i)
    if (!strcmp(library->functions[i].name, name))
      return &library->functions[i];
  return NULL;
}

// ---- compiling -------------------------------------------------------------------------------

// Where MLIR has told nothing, somebody does.
static int32_t not_compiled(SnJob *job, int errors_before) {
  return job->errors == errors_before
             ? sn_job_error(job, SINTER_COMPILER_NOT_COMPILED, "%s was not compiled", job->file)
             : SINTER_COMPILER_NOT_COMPILED;
}

void sn_program_room(SinterProgram *p, size_t constants) {
  p->constants_size = constants;
  p->constants = constants ? aligned_alloc(SN_CONSTANT_ALIGNMENT, constants) : NULL;
  if (constants && !p->constants)
    abort(); // no memory, as sn_alloc
}

void sn_program_take(SinterProgram *p, MlirModule module, LLVMMemoryBufferRef object) {
  p->object_size = LLVMGetBufferSize(object);
  p->object = sn_alloc(p->object_size);
  memcpy(p->object, LLVMGetBufferStart(object), p->object_size);
  sn_program_room(p, (size_t)sn_constants_bytes(mlirModuleGetOperation(module)));
  if (p->constants)
    sn_constants_copy(mlirModuleGetOperation(module), p->constants);
}

int32_t sn_program_fill(SnJob *job, MlirModule module, SinterProgram *p) {
  const SinterCompiler *c = job->compiler;
  SnSerialise how = {
      .name = p->name, .cpu = c->cpu, .gpu = c->gpu, .parallel = !c->gpu, .constants = c->constants_path};
  LLVMMemoryBufferRef object = NULL;
  int before = job->errors;
  if (sn_failed(sn_serialise(mlirModuleGetOperation(module), &how, &object)))
    return not_compiled(job, before);
  sn_program_take(p, module, object);
  p->constants_apart = c->constants_path != NULL;
  LLVMDisposeMemoryBuffer(object);
  return SINTER_COMPILER_OK;
}

static void make_header(const SnJob *job, MlirModule module, SinterProgram *p) {
  FILE *to = open_memstream(&p->header, &p->header_size);
  if (!to)
    abort(); // no memory, as sn_alloc
  sn_header(to, job->file, module, p->name, p->gpu);
  fclose(to);
}

// An option that changes nothing is a mistake: no kernel that was scheduled here has phases.
static int32_t check_clocks(SnJob *job, MlirModule module) {
  if (!job->compiler->clocks || sn_get_attr(mlirModuleGetOperation(module), SN_KERNEL_CLOCKS).ptr)
    return SINTER_COMPILER_OK;
  return sn_job_error(job, SINTER_COMPILER_BAD_INPUT,
                      "--clocks has no effect: no kernel of %s has phases; those of a sinter.sequence have, which "
                      "--launches=one makes of kernels that follow each other",
                      job->file);
}

static int32_t compile(SnJob *job, MlirModule module, bool code, SinterProgram **program) {
  const SinterCompiler *c = job->compiler;
  SinterProgram *p = sn_program_new();
  p->gpu = c->gpu;
  p->name = c->name ? strdup(c->name) : sn_program_name(job->file);
  bool on_the_road = c->after && !c->entry; // far down functions are LLVM's
  int32_t status = on_the_road ? SINTER_COMPILER_OK : sn_select(job, module, c->entry);
  if (status == SINTER_COMPILER_OK)
    status = sn_road(job, module, c->after, NULL);
  if (status == SINTER_COMPILER_OK)
    status = check_clocks(job, module);
  int before = job->errors;
  if (status == SINTER_COMPILER_OK && sn_failed(sn_check_c_names(mlirModuleGetOperation(module), p->name)))
    status = not_compiled(job, before);
  if (status == SINTER_COMPILER_OK)
    make_header(job, module, p); // names of functions are left in machine code's way
  if (status == SINTER_COMPILER_OK && code)
    status = sn_program_fill(job, module, p);
  if (status != SINTER_COMPILER_OK) {
    sinter_program_destroy(p);
    p = NULL;
  }
  *program = p;
  return status;
}

int32_t sn_compile_cached(SnJob *job, MlirModule module, bool code, SinterProgram **program) {
  SnCacheKey key;
  // What constants are is known before it is asked for: a key is made of their bytes.
  int before = job->errors;
  if (job->compiler->cache && sn_failed(sn_keep_constants(mlirModuleGetOperation(module), job->compiler->constants)))
    return not_compiled(job, before);
  bool cached = code && sn_cache_key(job, module, &key);
  *program = cached ? sn_cache_find(job, &key) : NULL;
  if (*program)
    return SINTER_COMPILER_OK;
  int32_t status = compile(job, module, code, program);
  if (status == SINTER_COMPILER_OK && cached)
    sn_cache_keep(job, &key, *program);
  return status;
}

// ---- files -----------------------------------------------------------------------------------

static bool ends(const char *path, const char *suffix) {
  size_t n = strlen(path), m = strlen(suffix);
  return n > m && !strcmp(path + n - m, suffix);
}

int32_t sn_program_write(SnJob *job, const SinterProgram *p, const char *path) {
  if (ends(path, ".h"))
    return sn_write(job, path, p->header, p->header_size, false);
  if (ends(path, ".o"))
    return sn_write_object(job, path, p);
  if (ends(path, ".so"))
    return sn_link(job, path, p, false);
  if (ends(path, ".a"))
    return sn_link(job, path, p, true);
  return sn_job_error(job, SINTER_COMPILER_BAD_INPUT, "%s: expected a name that ends in .so, .a, .o or .h", path);
}

// ---- the C API -------------------------------------------------------------------------------

// A name for messages that nobody gave.
static const char *file_of(const char *name) { return name && *name ? name : "program"; }

static int32_t check_options(SnJob *job) {
  char text[256], api[256], *to = api;
  if (!sn_wrong_options(job->compiler, text, sizeof text))
    return SINTER_COMPILER_OK;
  for (const char *at = text; *at; ++at) // options have no dashes here
    if (strncmp(at, "--", 2))
      *to++ = *at;
    else
      ++at;
  *to = 0;
  return sn_job_error(job, SINTER_COMPILER_BAD_INPUT, "%s", api);
}

int32_t sinter_compiler_parse(const SinterCompiler *compiler, MlirContext ctx, const char *text, size_t size,
                              const char *name, MlirModule *module) {
  SnJob job = {.compiler = compiler, .file = file_of(name)};
  sinter_prepare_context(ctx);
  MlirDiagnosticHandlerID id = sn_job_begin(&job, ctx);
  *module = sn_shim_parse(ctx, text, size, job.file, sn_wants_names(compiler));
  int32_t status = SINTER_COMPILER_OK;
  if (mlirModuleIsNull(*module))
    status = job.errors ? SINTER_COMPILER_NOT_COMPILED
                        : sn_job_error(&job, SINTER_COMPILER_NOT_COMPILED, "%s is not a program in MLIR", job.file);
  sn_job_end(ctx, id);
  return status;
}

// Work on a module of the caller's, with diagnostics of its context told: options and module are checked, passes and
// dialects are there.
typedef struct {
  SnJob job;
  int32_t status; // the work is done only where this is SINTER_COMPILER_OK
  MlirContext ctx;
  MlirDiagnosticHandlerID handler;
} Work;

static Work begin(const SinterCompiler *compiler, MlirModule module, const char *name) {
  Work w = {.job = {.compiler = compiler, .file = name}};
  w.status = check_options(&w.job);
  if (w.status == SINTER_COMPILER_OK && mlirModuleIsNull(module))
    w.status = sn_job_error(&w.job, SINTER_COMPILER_BAD_INPUT, "the module is null");
  if (w.status != SINTER_COMPILER_OK)
    return w;
  w.ctx = mlirModuleGetContext(module);
  sinter_register_passes();
  sinter_prepare_context(w.ctx);
  w.handler = sn_job_begin(&w.job, w.ctx);
  int before = w.job.errors;
  if (!mlirOperationVerify(mlirModuleGetOperation(module)))
    w.status = not_compiled(&w.job, before);
  return w;
}

static int32_t end(Work *w) {
  if (!mlirContextIsNull(w->ctx))
    sn_job_end(w->ctx, w->handler);
  return w->status;
}

int32_t sinter_compiler_run(const SinterCompiler *compiler, MlirModule module, const char *after, const char *until) {
  Work w = begin(compiler, module, "the module");
  if (w.status == SINTER_COMPILER_OK)
    w.status = sn_road(&w.job, module, after, until);
  return end(&w);
}

int32_t sinter_compiler_compile(const SinterCompiler *compiler, MlirModule module, SinterProgram **program) {
  *program = NULL;
  Work w = begin(compiler, module, "program");
  if (w.status == SINTER_COMPILER_OK) {
    MlirModule copy = mlirModuleFromOperation(mlirOperationClone(mlirModuleGetOperation(module)));
    w.status = sn_compile_cached(&w.job, copy, true, program);
    mlirModuleDestroy(copy);
  }
  return end(&w);
}

int32_t sinter_compiler_compile_text(const SinterCompiler *compiler, const char *text, size_t size, const char *name,
                                     SinterProgram **program) {
  SnJob job = {.compiler = compiler, .file = file_of(name)};
  MlirModule module;
  *program = NULL;
  int32_t status = check_options(&job);
  if (status != SINTER_COMPILER_OK)
    return status;
  sinter_register_passes();
  MlirContext ctx = mlirContextCreateWithThreading(false);
  status = sinter_compiler_parse(compiler, ctx, text, size, name, &module);
  if (status == SINTER_COMPILER_OK) {
    MlirDiagnosticHandlerID id = sn_job_begin(&job, ctx);
    status = sn_compile_cached(&job, module, true, program);
    sn_job_end(ctx, id);
    mlirModuleDestroy(module);
  }
  mlirContextDestroy(ctx);
  return status;
}

int32_t sinter_program_load(const SinterCompiler *compiler, SinterProgram *program, const SinterLibrary **library) {
  SnJob job = {.compiler = compiler, .file = program->name};
  pthread_mutex_lock(&program->lock);
  int32_t status = program->library ? SINTER_COMPILER_OK : sn_program_load(&job, program, NULL);
  pthread_mutex_unlock(&program->lock);
  *library = program->library;
  return status;
}

int32_t sinter_program_write(const SinterCompiler *compiler, const SinterProgram *program, const char *path) {
  SnJob job = {.compiler = compiler, .file = program->name};
  return sn_program_write(&job, program, path);
}

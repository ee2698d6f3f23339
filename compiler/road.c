// road.c: a module down a road of the ladder.

#include "capi/pass.h"
#include "compiler/job.h"
#include "compiler/processor.h"
#include "pipelines/pipelines.h"
#include "target/chips.h"

#ifdef NDEBUG
#define VERIFY_EACH false // the road's list says where (passes/program/legal.c)
#else
#define VERIFY_EACH true
#endif

typedef struct {
  const SnPipeline *road;
  const SnSetting *settings;
} Settings;

static const char *setting(void *user, const char *name) {
  const Settings *s = user;
  for (const SnSetting *t = s->settings; t && t->name; ++t)
    if (!strcmp(t->name, name))
      return t->value;
  for (const SnOption *o = s->road->options; o && o->name; ++o)
    if (!strcmp(o->name, name))
      return o->otherwise;
  return "";
}

static void collect(MlirStringRef text, void *user) { fwrite(text.data, 1, text.length, user); }

// Pipelines that are wrong say so in words.
static int32_t add_passes(SnJob *job, MlirOpPassManager passes, const char *text) {
  char *why = NULL;
  size_t size = 0;
  FILE *to = open_memstream(&why, &size);
  bool wrong = sn_failed(mlirOpPassManagerAddPipeline(passes, SN_STR(text), collect, to));
  fclose(to);
  int32_t status = SINTER_COMPILER_OK;
  if (wrong)
    status = sn_job_error(job, SINTER_COMPILER_NOT_COMPILED, "the road does not parse: %s: %s", why, text);
  free(why);
  return status;
}

int32_t sn_road_run(SnJob *job, MlirModule module, const char *road, const SnSetting *settings, const char *after,
                    const char *until) {
  Settings all = {sn_pipeline(road), settings};
  char *steps = sn_pipeline_text(all.road, setting, &all, until);
  char *done = after ? sn_pipeline_text(all.road, setting, &all, after) : NULL; // what `steps` begins with
  int32_t status = SINTER_COMPILER_OK;
  if (!steps || (after && !done))
    status = sn_job_error(job, SINTER_COMPILER_BAD_INPUT, "%s has no rung %s", road, steps ? after : until);
  else if (done && (strncmp(steps, done, strlen(done)) || !steps[strlen(done)]))
    status = sn_job_error(job, SINTER_COMPILER_BAD_INPUT, "%s: the rung %s does not come before %s", road, after,
                          until ? until : "the end");
  if (status == SINTER_COMPILER_OK) {
    MlirPassManager pm = mlirPassManagerCreate(mlirModuleGetContext(module));
    mlirPassManagerEnableVerifier(pm, VERIFY_EACH || job->compiler->verify_each);
    int before = job->errors;
    status = add_passes(job, mlirPassManagerGetAsOpPassManager(pm), done ? steps + strlen(done) + 1 : steps);
    if (status == SINTER_COMPILER_OK && job->compiler->configure && !job->compiler->configure(pm))
      status = SINTER_COMPILER_BAD_INPUT;
    else if (status == SINTER_COMPILER_OK && (sn_failed(mlirPassManagerRunOnOp(pm, mlirModuleGetOperation(module))) ||
                                              !mlirOperationVerify(mlirModuleGetOperation(module))))
      status = before == job->errors ? sn_job_error(job, SINTER_COMPILER_NOT_COMPILED, "%s was not compiled", job->file)
                                     : SINTER_COMPILER_NOT_COMPILED;
    mlirPassManagerDestroy(pm);
  }
  free(done);
  free(steps);
  return status;
}

int32_t sn_road(SnJob *job, MlirModule module, const char *after, const char *until) {
  const SinterCompiler *c = job->compiler;
  SnProcessor p = sn_processor(c->cpu);
  // A road takes those that it has.
  const SnSetting settings[] = {{"policy", c->policy},
                                {"without", c->without},
                                {"sums", c->sums},
                                {"wrt", c->wrt},
                                {"result", c->result},
                                {"upstream", c->upstream ? "true" : "false"},
                                {"tuning", c->tuning},
                                {"constants", c->constants},
                                {"input", c->input_dialect},
                                {"bf16", p.bf16},
                                {"exp", p.exp},
                                {"registers", p.registers},
                                {"features", p.features},
                                {"prefetch", p.prefetch},
                                {"f32-parts", c->f32_parts ? "true" : "false"},
                                {"weights", c->half_weights ? "half" : "parts"},
                                {"launches", c->launches},
                                {NULL, NULL}};
  const SnSetting gpu[] = {{"policy", c->policy},
                           {"wrt", c->wrt},
                           {"result", c->result},
                           {"upstream", c->upstream ? "true" : "false"},
                           {"tuning", c->tuning},
                           {"constants", c->constants},
                           {"input", c->input_dialect},
                           {"allow-tf32", c->allow_tf32 ? "true" : "false"},
                           {"f32-parts", c->f32_parts ? "true" : "false"},
                           {"weights", c->half_weights ? "half" : "parts"},
                           {"launches", c->launches},
                           {"clocks", c->clocks ? "true" : "false"},
                           {"chip", c->chip ? c->chip : SN_GPU_CHIP_DEFAULT},
                           {"again", c->again ? c->again : SN_GPU_AGAIN_DEFAULT},
                           {"parts-from", c->parts_from ? c->parts_from : SN_GPU_PARTS_FROM_DEFAULT},
                           {"format", c->ptx ? "isa" : "bin"},
                           {NULL, NULL}};
  return sn_road_run(job, module, c->gpu ? "sinter-gpu" : "sinter-cpu", c->gpu ? gpu : settings, after, until);
}

int32_t sn_select(SnJob *job, MlirModule module, const char *entry) {
  MlirOperation op = mlirModuleGetOperation(module);
  SnOpVec functions = sn_collect(op, "func.func");
  MlirOperation chosen = {0};
  char names[512] = "";
  size_t length = 0, candidates = 0;
  for (size_t i = 0; i < functions.size; ++i) {
    MlirOperation func = functions.data[i];
    if (!sn_is_public(func) || !sn_function_body(func).ptr)
      continue;
    MlirStringRef name = mlirStringAttrGetValue(sn_get_attr(func, "sym_name"));
    if (entry && mlirStringRefEqual(name, SN_STR(entry)))
      chosen = func;
    if (length < sizeof names)
      length += (size_t)snprintf(names + length, sizeof names - length, "%s%.*s", candidates ? ", " : "",
                                 (int)name.length, name.data);
    ++candidates;
  }
  int32_t status = SINTER_COMPILER_OK;
  if (!candidates)
    status = sn_job_error(job, SINTER_COMPILER_NOT_COMPILED, "%s has no public function with a body", job->file);
  else if (entry && sn_null(chosen))
    status = sn_job_error(job, SINTER_COMPILER_BAD_INPUT, "%s has no function %s; it has: %s", job->file, entry, names);
  for (size_t i = 0; i < functions.size && !sn_null(chosen); ++i)
    if (!mlirOperationEqual(functions.data[i], chosen))
      sn_set_attr(functions.data[i], "sym_visibility", sn_string(mlirModuleGetContext(module), "private"));
  sn_vec_free(&functions);
  return status;
}

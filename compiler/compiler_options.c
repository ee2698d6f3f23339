// compiler_options.c: the options of compiling, one table for the C API and the tools.

#include "compiler/job.h"
#include "compiler/processor.h"
#include "lowering/host/names.h"
#include "sinter_config.h"
#include "target/chips.h"
#include <errno.h>

static const char *one_of(const char *value, const char *const *words, const char *why, const char **to) {
  for (; *words; ++words)
    if (!strcmp(value, *words)) {
      *to = *words;
      return NULL;
    }
  return why;
}

const char *sn_wrong_file(const char *value) { return strpbrk(value, "'}") ? "holds a quote or a brace" : NULL; }
const char *sn_wrong_wrt(const char *value) {
  return strpbrk(value, "'\"{} ") ? "holds a quote, a brace or a space: say that argument's number" : NULL;
}
const char *sn_wrong_result(const char *value) {
  return *value && !value[strspn(value, "0123456789")] && strlen(value) < 10 ? NULL : "is no number of a result";
}

#define CHOICE(option, field, why, ...)                                                                                \
  static const char *set_##option(void *to, const char *value) {                                                       \
    static const char *const words[] = {__VA_ARGS__, NULL};                                                            \
    return one_of(value, words, why, &((SinterCompiler *)to)->field);                                                  \
  }
CHOICE(policy, policy, "is not a policy: disabled, medium or aggressive", "disabled", "medium", "aggressive")
CHOICE(launches, launches, "is not how kernels are launched: separate, one or worth", "separate", "one", "worth")
CHOICE(without, without, "is not what fusion may leave apart: chains or sides", "chains", "sides")
CHOICE(input_dialect, input_dialect, "is not a dialect of programs: linalg or tosa", "linalg", "tosa")

static const char *set_target(void *to, const char *value) {
  ((SinterCompiler *)to)->gpu = !strcmp(value, "gpu");
  return !strcmp(value, "gpu") || !strcmp(value, "cpu") ? NULL : "is not a target: cpu or gpu";
}
static const char *set_wrt(void *to, const char *value) {
  ((SinterCompiler *)to)->wrt = value;
  return sn_wrong_wrt(value);
}
static const char *set_result(void *to, const char *value) {
  ((SinterCompiler *)to)->result = value;
  return sn_wrong_result(value);
}
static const char *set_upstream(void *to, const char *value) {
  ((SinterCompiler *)to)->upstream = true;
  return NULL;
}
static const char *set_verify_each(void *to, const char *value) {
  ((SinterCompiler *)to)->verify_each = true;
  return NULL;
}
static const char *set_tuning(void *to, const char *value) {
  ((SinterCompiler *)to)->tuning = value;
  return sn_wrong_file(value);
}
static const char *set_constants(void *to, const char *value) {
  ((SinterCompiler *)to)->constants = value;
  return sn_wrong_file(value);
}
static const char *set_cpu(void *to, const char *value) {
  ((SinterCompiler *)to)->cpu = value;
  return sn_knows_cpu(value) ? NULL : "is not a processor that LLVM knows";
}
static const char *set_chip(void *to, const char *value) {
  ((SinterCompiler *)to)->chip = value;
  return strncmp(value, "sm_", 3) ? "is not an architecture, such as sm_90a" : NULL;
}
static const char *set_allow_tf32(void *to, const char *value) {
  ((SinterCompiler *)to)->allow_tf32 = true;
  return NULL;
}
static const char *set_half_weights(void *to, const char *value) {
  ((SinterCompiler *)to)->half_weights = true;
  return NULL;
}
static const char *set_f32_parts(void *to, const char *value) {
  ((SinterCompiler *)to)->f32_parts = true;
  return NULL;
}
static const char *set_clocks(void *to, const char *value) {
  ((SinterCompiler *)to)->clocks = true;
  return NULL;
}
static const char *wrong_bytes(const char *value, long long least) {
  char *end;
  errno = 0;
  return strtoll(value, &end, 10) >= least && *value && !*end && !errno ? NULL : "is not a number of bytes";
}
static const char *set_again(void *to, const char *value) {
  ((SinterCompiler *)to)->again = value;
  return wrong_bytes(value, 1);
}
static const char *set_parts_from(void *to, const char *value) {
  ((SinterCompiler *)to)->parts_from = value;
  return wrong_bytes(value, 0);
}
static const char *set_ptx(void *to, const char *value) {
  ((SinterCompiler *)to)->ptx = true;
  return NULL;
}
static const char *set_entry(void *to, const char *value) {
  ((SinterCompiler *)to)->entry = value;
  return NULL;
}
static const char *set_after(void *to, const char *value) { // the road knows its rungs
  ((SinterCompiler *)to)->after = value;
  return *value ? NULL : "is no rung";
}
static const char *set_name(void *to, const char *value) {
  ((SinterCompiler *)to)->name = value;
  return sn_wrong_program_name(value);
}
static const char *set_cache(void *to, const char *value) {
  ((SinterCompiler *)to)->cache = value;
  return *value ? NULL : "is no folder";
}
static const char *set_cache_size(void *to, const char *value) {
  char *end;
  errno = 0;
  long long bytes = strtoll(value, &end, 10);
  ((SinterCompiler *)to)->cache_bytes = bytes;
  return *value && !*end && !errno && bytes >= 0 ? NULL : "is not a number of bytes";
}

const SinterOption sn_road_options[] = {
    {"policy", "WORD",
     "disabled: no kernels of ours; medium: where that is better (default); aggressive: all that can be", set_policy},
    {"wrt", "N,NAME", "return gradients of a result too, by these arguments, by number or by name", set_wrt},
    {"result", "N", "with --wrt: of this result (default: 0)", set_result},
    {"upstream", NULL, "with --wrt: take the gradient by that result as one more argument", set_upstream},
    {"half-weights", NULL,
     "rows in f32 that a bf16 or f16 matrix multiplies, as attention's weights, may be rounded to it",
     set_half_weights},
    {"tuning", "FILE", "take the schedules that sinter-tune measured", set_tuning},
    {"constants", "DIR", "take dense_resource<w> that the program has no bytes of from DIR/w.npy", set_constants},
    {"input-dialect", "NAME", "what the program is written in: linalg (default) or tosa", set_input_dialect},
    {"cpu", "NAME", "LLVM's name of the host's processor (default: this one)", set_cpu},
    {"launches", "WORD",
     "of kernels: separate, one each; one: those that follow each other share one, on a CPU a parallel region; worth: "
     "the same, where that is worth it (default: on a GPU as the program's sinter.sequence says, on a CPU "
     "separate but for small tables of arguments)",
     set_launches},
    {"verify-each", NULL, "verify the program behind each pass, not once for a few of them", set_verify_each},
    {0},
};
const SinterOption sn_without_options[] = {
    {"without", "WORD", "leave apart, to compare: chains of products, or sides, what is computed in front of a product",
     set_without},
    {0},
};
const SinterOption sn_library_options[] = {
    {"target", "cpu|gpu", "where it runs (default: cpu)", set_target},
    {"name", "NAME", "of the program in C: functions are NAME_FUNCTION, their table NAME_library (default: the file's)",
     set_name},
    {"entry", "NAME", "the function to compile (default: all public ones)", set_entry},
    {"after", "RUNG", "the program is on this rung of the road already, and goes on from there", set_after},
    {"chip", "NAME", "the GPU's architecture (default: " SN_GPU_CHIP_DEFAULT ")", set_chip},
    {"allow-tf32", NULL, "products in f32 may round what they multiply to 10 bits (tf32), for a GPU's tensor cores",
     set_allow_tf32},
    {"f32-parts", NULL,
     "products in f32 may multiply sums of three bf16, by a GPU's tensor cores or AMX; on a GPU infinities give NaN",
     set_f32_parts},
    {"parts-from", "BYTES",
     "on a GPU rows of products in f32 of so many bytes that are multiplied again, as attention's, are so multiplied, "
     "and not stored (default: " SN_GPU_PARTS_FROM_DEFAULT ")",
     set_parts_from},
    {"clocks", NULL, "a GPU's kernels that have phases keep when their blocks began and ended them, for --profile",
     set_clocks},
    {"again", "BYTES",
     "on a GPU a product, and what its rows give to others, of so many bytes are made again a part at a time, and not "
     "stored (default: " SN_GPU_AGAIN_DEFAULT ")",
     set_again},
    {"ptx", NULL, "embed PTX, which the driver compiles, in place of a cubin: needs no ptxas", set_ptx},
    {0},
};
const SinterOption sn_cache_options[] = {
    {"cache", "FOLDER", "keep what is compiled there, and take it from there", set_cache},
    {"cache-size", "BYTES", "of the folder; what was not used for longest goes (default: 1073741824)", set_cache_size},
    {0},
};

bool sn_wants_names(const SinterCompiler *c) { return c->wrt[strspn(c->wrt, "0123456789,")]; }

const char *sn_wrong_options(const SinterCompiler *c, char *text, size_t size) {
  bool plain = !strcmp(c->policy, "disabled");
  const struct {
    bool given, wrong;
    const char *option, *why;
  } rows[] = {
      {c->upstream, !*c->wrt, "--upstream", "takes effect with --wrt=N"},
      {strcmp(c->result, "0") != 0, !*c->wrt || !c->upstream, "--result",
       "takes effect with --wrt=N --upstream: by its upstream a host knows which result has gradients"},
      {c->chip, !c->gpu, "--chip", "is of a GPU: add --target=gpu"},
      {c->allow_tf32, !c->gpu, "--allow-tf32", "is of a GPU: add --target=gpu"},
      {c->half_weights, plain && !c->gpu, "--half-weights", "is of our kernels, and --policy=disabled makes none"},
      {c->clocks, !c->gpu, "--clocks", "is of a GPU: add --target=gpu"},
      {c->again, !c->gpu, "--again", "is of a GPU: add --target=gpu"},
      {c->parts_from, !c->gpu, "--parts-from", "is of a GPU: add --target=gpu"},
      {c->ptx, !c->gpu, "--ptx", "is of a GPU: add --target=gpu"},
      {*c->tuning, plain && !c->gpu, "--tuning", "is of our kernels, and --policy=disabled makes none"},
      {strcmp(c->without, "nothing") != 0, plain, "--without",
       "has no effect with --policy=disabled: nothing is fused"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
    if (rows[i].given && rows[i].wrong) {
      snprintf(text, size, "%s %s", rows[i].option, rows[i].why);
      return text;
    }
  return NULL;
}

// ---- the C API ------------------------------------------------------------------------------

static const SinterOption *const tables[] = {sn_library_options, sn_road_options, sn_without_options, sn_cache_options};

static const SinterOption *option_at(size_t i) {
  for (size_t t = 0; t < sizeof tables / sizeof *tables; ++t)
    for (const SinterOption *row = tables[t]; row->name; ++row)
      if (!i--)
        return row;
  return NULL;
}

int32_t sinter_compiler_api(void) { return SINTER_COMPILER_API; }
const char *sinter_compiler_version(void) { return SINTER_VERSION; }

SinterCompiler *sinter_compiler_create(void) {
  SinterCompiler *c = malloc(sizeof *c);
  if (c)
    *c = (SinterCompiler)SN_COMPILER_DEFAULTS;
  return c;
}

void sinter_compiler_destroy(SinterCompiler *c) {
  for (size_t i = 0; c && i < c->texts.size; ++i)
    free(c->texts.data[i]);
  if (c)
    sn_vec_free(&c->texts);
  free(c);
}

void sinter_compiler_set_handler(SinterCompiler *c, SinterDiagnosticHandler handler, void *user) {
  c->handler = handler;
  c->user = user;
}

bool sinter_compiler_option(size_t i, const char **name, const char **argument, const char **help) {
  const SinterOption *row = option_at(i);
  if (row) {
    *name = row->name;
    *argument = row->argument;
    *help = row->help;
  }
  return row != NULL;
}

int32_t sinter_compiler_set(SinterCompiler *c, const char *option, const char *value) {
  SnJob job = {.compiler = c};
  const SinterOption *row = NULL;
  for (size_t i = 0; (row = option_at(i)); ++i)
    if (option && !strcmp(row->name, option))
      break;
  if (!row)
    return sn_job_error(&job, SINTER_COMPILER_BAD_INPUT, "there is no option %s", option ? option : "(null)");
  if (row->argument && !value)
    return sn_job_error(&job, SINTER_COMPILER_BAD_INPUT, "%s takes a value, %s", option, row->argument);
  if (!row->argument && value)
    return sn_job_error(&job, SINTER_COMPILER_BAD_INPUT, "%s takes no value, and was given '%s'", option, value);
  char *kept = value ? strdup(value) : NULL;
  if (value && !kept)
    return sn_job_error(&job, SINTER_COMPILER_BAD_INPUT, "not enough memory for the value of %s", option);
  if (kept)
    sn_push(&c->texts, kept);
  SinterCompiler before = *c;
  const char *wrong = row->set(c, kept);
  if (!wrong)
    return SINTER_COMPILER_OK;
  *c = before; // as it was
  return sn_job_error(&job, SINTER_COMPILER_BAD_INPUT, "%s: '%s' %s", option, value, wrong);
}

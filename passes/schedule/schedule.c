// schedule.c: how each kernel runs, as an attribute that can be read and changed.
//
//   sinter.rowwise (i = 37) by (j = 1003) ... {
// ->
//   sinter.rowwise (i = 37) by (j = 1003) ...
//       schedule(#sinter.rows<chunk = 16, lanes = 16, unroll = 4, residency = "reread">) {
//
// Lowerings read the attribute and choose nothing themselves. A form that has a
// schedule keeps it; one that the tuning file knows gets what was measured.
//
// runs in: sinter-cpu, sinter-gpu    test: test/passes/schedule/schedule.mlir

#include "dialect/row_groups.h"
#include "dialect/schedules.h"
#include "dialect/sequence.h"
#include "lowering/facts/gpu_chains.h"
#include "lowering/facts/gpu_layers.h"
#include "lowering/facts/product_sides.h"
#include "passes/schedule/chain_families.h"
#include "target/chips.h"

typedef MlirAttribute (*Scheduler)(const SnForm *form, const SnScheduleOptions *options);

static const struct {
  const char *target, *form;
  Scheduler scheduler;  // NULL: this target leaves the form alone
  const char *mnemonic; // of its schedules
} schedulers[] = {
    {"cpu", "sinter.rowwise", sn_schedule_cpu_rows, "rows"},
    {"cpu", "sinter.contract", sn_schedule_brgemm, "brgemm"},
    {"cpu", "sinter.steps", NULL, "rows"},
    {"gpu", "sinter.rowwise", sn_schedule_gpu_rows, "gpu_rows"},
    {"gpu", "sinter.contract", sn_schedule_gpu_products, "mma"},
    {"gpu", "sinter.steps", NULL, "gpu_rows"},
};

// A CPU computes sides while it packs them, and both take rows through several products.
static bool can_run(const SnForm *f, const SnScheduleOptions *options) {
  if (sn_is_plain(f))
    return true;
  return strcmp(options->target, "cpu")
             ? !sn_gpu_not_products(f) || !sn_gpu_not_chain_by_warps(f, sn_parts_from(options)) || !sn_gpu_not_layers(f)
             : sn_has_one_group(f) || sn_cpu_can_run_chain(f);
}

static MlirAttribute choose(MlirOperation op, const SnScheduleOptions *options, Scheduler scheduler) {
  if (sn_is(op, "sinter.steps"))
    return sn_schedule_steps(op, options);
  SnForm form = sn_form_read(op);
  if (!form.contract && form.matrices.size)
    scheduler = sn_schedule_brgemm;
  if (sn_is_chain(&form))
    scheduler = sn_schedule_chain;
  MlirAttribute found = can_run(&form, options) ? scheduler(&form, options) : mlirAttributeGetNull();
  sn_form_free(&form);
  return found;
}

// No kernel of a CPU multiplies columns by columns: such a form is split before it is scheduled.
static MlirLogicalResult check_sides(MlirOperation op, const SnScheduleOptions *options) {
  if (strcmp(options->target, "cpu") || !sn_is(op, "sinter.contract"))
    return SN_OK;
  SnForm form = sn_form_read(op);
  MlirLogicalResult result = SN_OK;
  for (size_t k = 0; k < form.products.size && sn_has_one_group(&form) && !sn_failed(result); ++k)
    if (!sn_cpu_has_side_of_rows(&form, k))
      result = sn_cpu_wants_split(&form, k);
  sn_form_free(&form);
  return result;
}

// The name of a line that the chip does not have, or NULL.
static const char *not_of_chip(const SnForm *f, const char *kernel, const char *chip) {
  SnMultiplied m;
  for (size_t i = 0; sn_multiplied(f, i, &m); ++i) {
    const SnMicroKernel *line = sn_micro_kernel(kernel, m.a, m.b, m.sum);
    if (line && !sn_gpu_chip_has(chip, line->needs))
      return line->needs;
  }
  return NULL;
}

static MlirLogicalResult check_gpu_kernel(MlirOperation op, const SnScheduleOptions *options, MlirAttribute found) {
  SnForm form = sn_form_read(op);
  const char *kernel = sn_schedule_word(found, "kernel"), *needs = not_of_chip(&form, kernel, options->chip);
  sn_form_free(&form);
  return needs ? sn_error(op, "has a schedule with kernel = \"%s\", which needs %s, and the chip is %s", kernel, needs,
                          options->chip)
               : SN_OK;
}

// A schedule that somebody else wrote is for some processor, perhaps not for this one.
static MlirLogicalResult check_kernel(MlirOperation op, const SnScheduleOptions *options, MlirAttribute found) {
  const char *mnemonic = sn_schedule_mnemonic(found);
  if (!strcmp(options->target, "gpu") && mnemonic && !strcmp(mnemonic, "mma"))
    return check_gpu_kernel(op, options, found);
  if (strcmp(options->target, "cpu") || !mnemonic || strcmp(mnemonic, "brgemm"))
    return SN_OK;
  SnForm form = sn_form_read(op);
  const char *kernel = sn_schedule_word(found, "kernel");
  MlirLogicalResult result = SN_OK;
  if (!sn_schedule_kernel_runs(&form, kernel, options->features))
    result = sn_error(op,
                      "has a schedule with kernel = \"%s\", which a processor with the features '%s' does not run "
                      "for these types",
                      kernel, options->features);
  sn_form_free(&form);
  return result;
}

static MlirLogicalResult schedule(MlirOperation op, const SnScheduleOptions *options, const SnTuning *tuning) {
  size_t i = 0;
  while (strcmp(schedulers[i].target, options->target) || !sn_is(op, schedulers[i].form))
    ++i;
  const char *mnemonic = schedulers[i].mnemonic;
  if (sn_get_attr(op, "schedule").ptr)
    return check_kernel(op, options, sn_get_attr(op, "schedule"));
  if (!mnemonic) {
    sn_remark(op, "has no schedule on target %s yet", options->target);
    return SN_OK;
  }
  if (sn_failed(check_sides(op, options)))
    return SN_FAIL;
  MlirAttribute chosen = choose(op, options, schedulers[i].scheduler);
  // What was measured are weights as they are given.
  MlirAttribute found = sn_schedule_is_packed(chosen) ? chosen : sn_tuned(tuning, options->target, op);
  if (found.ptr && strcmp(sn_schedule_mnemonic(found), mnemonic))
    return sn_error(op, "%s has a #sinter.%s for this form, and target %s takes a #sinter.%s", options->tuning,
                    sn_schedule_mnemonic(found), options->target, mnemonic);
  if (found.ptr && sn_failed(check_kernel(op, options, found)))
    return SN_FAIL;
  if (!found.ptr)
    found = chosen;
  if (found.ptr)
    sn_set_attr(op, "schedule", found);
  return SN_OK;
}

static MlirLogicalResult run(const SnRun *run, MlirOperation op) {
  static const char *const forms[] = {"sinter.rowwise", "sinter.contract", "sinter.steps"};
  SnTable given = {0}, chosen = {0};
  SnScheduleOptions own = *(const SnScheduleOptions *)run->options, *options = &own;
  own.given = &given;
  if (!strcmp(options->target, "gpu") && !sn_gpu_chip(options->chip))
    return sn_error(op, SN_GPU_CHIP_ERROR, options->chip);
  SnTuning tuning = {0};
  MlirLogicalResult result = *options->tuning ? sn_tuning_read(run->ctx, options->tuning, &tuning) : SN_OK;
  do
    for (size_t i = 0; i < sizeof forms / sizeof *forms; ++i) {
      SnOpVec ops = sn_collect(op, forms[i]);
      for (size_t k = 0; k < ops.size && !sn_failed(result); ++k) {
        if (!sn_get_attr(ops.data[k], "schedule").ptr)
          sn_table_put(&chosen, ops.data[k].ptr, 1);
        result = schedule(ops.data[k], options, &tuning);
      }
      sn_vec_free(&ops);
    }
  while (!sn_failed(result) && !strcmp(options->target, "cpu") && sn_schedule_give_up_packing(op, &chosen, &given));
  SnOpVec sequences = sn_collect(op, "sinter.sequence");
  for (size_t k = 0; k < sequences.size && !sn_failed(result); ++k) {
    if (strcmp(options->target, "gpu"))
      sn_schedule_cpu_sequence(sequences.data[k]);
    else if (!sn_get_attr(sequences.data[k], "schedule").ptr) {
      sn_schedule_gpu_repeated(sequences.data[k]);
      sn_set_attr(sequences.data[k], "schedule", sn_schedule_gpu_sequence(sequences.data[k], options));
    }
  }
  sn_vec_free(&sequences);
  sn_vec_free(&tuning);
  sn_table_free(&given);
  sn_table_free(&chosen);
  return result;
}

static const char *const targets[] = {"cpu", "gpu", NULL};
static const SnOption options[] = {
    {SN_OPTION_STRING, "target", "what the kernels run on", "cpu", targets, offsetof(SnScheduleOptions, target)},
    {SN_OPTION_STRING, "chip", "the GPU's architecture, as ptxas names it", SN_GPU_CHIP_DEFAULT, NULL,
     offsetof(SnScheduleOptions, chip)},
    {SN_OPTION_INT, "vector-bits", "bits of a CPU's vector register: 512, 256 or 128", "512", NULL,
     offsetof(SnScheduleOptions, vector_bits)},
    {SN_OPTION_INT, "registers", "how many of these a CPU has", "32", NULL, offsetof(SnScheduleOptions, registers)},
    {SN_OPTION_STRING, "features",
     "instructions that a CPU has beyond its architecture's, by LLVM's names, with commas: 'avx2,fma'",
     "avx2,fma,avx512f", NULL, offsetof(SnScheduleOptions, features)},
    {SN_OPTION_INT, "prefetch",
     "bytes ahead that a CPU's loops over long operands ask memory for; 0: the processor looks ahead by itself", "0",
     NULL, offsetof(SnScheduleOptions, prefetch)},
    {SN_OPTION_BOOL, "allow-tf32", "a GPU may round what products in f32 multiply to 10 bits behind the point (tf32)",
     "false", NULL, offsetof(SnScheduleOptions, allow_tf32)},
    {SN_OPTION_BOOL, "f32-parts", "f32 may be multiplied as sums of three bf16, which on a GPU have no infinities",
     "false", NULL, offsetof(SnScheduleOptions, f32_parts)},
    {SN_OPTION_INT, "parts-from",
     "bytes of products in f32 from which on rows that are multiplied again are multiplied so, and never stored",
     SN_GPU_PARTS_FROM_DEFAULT, NULL, offsetof(SnScheduleOptions, parts_from)},
    {SN_OPTION_BOOL, "clocks", "kernels of a GPU that have phases keep when each block began and ended them", "false",
     NULL, offsetof(SnScheduleOptions, clocks)},
    {SN_OPTION_STRING, "tuning",
     "a file of measured schedules, which sinter-tune writes; they are taken where it has the form", "", NULL,
     offsetof(SnScheduleOptions, tuning)},
    {0},
};

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__sinter__, NULL};

const SnPass sn_pass_schedule = {
    .argument = "sinter-schedule",
    .summary = "how each kernel form runs on a target, as an attribute",
    .options = options,
    .options_size = sizeof(SnScheduleOptions),
    .dialects = dialects,
    .run = run,
};

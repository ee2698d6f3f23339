// schedule.c: how each kernel runs, as an attribute that can be read and changed.
//
//   sinter.rowwise (i = 37) by (j = 1003) ... {
// ->
//   sinter.rowwise (i = 37) by (j = 1003) ...
//       schedule(#sinter.rows<chunk = 16, lanes = 16, unroll = 4, residency = "reread">) {
//
// Lowerings read the attribute and choose nothing themselves. A form that has a
// schedule keeps it.
//
// runs in: sinter-cpu, sinter-gpu    test: test/passes/schedule.mlir

#include "passes/schedule.h"

typedef MlirAttribute (*Scheduler)(const SnForm *form, const SnScheduleOptions *options);

static const struct {
  const char *target, *form;
  Scheduler scheduler; // NULL: this target leaves the form alone
} schedulers[] = {
    {"cpu", "sinter.rowwise", sn_schedule_cpu_rows},
    {"cpu", "sinter.contract", sn_schedule_brgemm},
    {"gpu", "sinter.rowwise", sn_schedule_gpu_rows},
    {"gpu", "sinter.contract", NULL},
};

static void schedule(MlirOperation op, const SnScheduleOptions *options) {
  if (sn_get_attr(op, "schedule").ptr)
    return;
  for (size_t i = 0; i < sizeof schedulers / sizeof *schedulers; ++i) {
    if (strcmp(schedulers[i].target, options->target) || !sn_is(op, schedulers[i].form))
      continue;
    if (!schedulers[i].scheduler) {
      sn_remark(op, "has no schedule on target %s yet", options->target);
      return;
    }
    SnForm form = sn_form_read(op);
    MlirAttribute found = schedulers[i].scheduler(&form, options);
    sn_form_free(&form);
    if (found.ptr)
      sn_set_attr(op, "schedule", found);
  }
}

static MlirLogicalResult run(const SnRun *run, MlirOperation op) {
  static const char *const forms[] = {"sinter.rowwise", "sinter.contract"};
  for (size_t i = 0; i < 2; ++i) {
    SnOpVec ops = sn_collect(op, forms[i]);
    for (size_t k = 0; k < ops.size; ++k)
      schedule(ops.data[k], run->options);
    sn_vec_free(&ops);
  }
  SnOpVec steps = sn_collect(op, "sinter.steps");
  for (size_t k = 0; k < steps.size; ++k)
    if (!sn_get_attr(steps.data[k], "schedule").ptr)
      sn_set_attr(steps.data[k], "schedule", sn_schedule_steps(steps.data[k], run->options));
  sn_vec_free(&steps);
  return SN_OK;
}

static const char *const targets[] = {"cpu", "gpu", NULL};
static const SnOption options[] = {
    {SN_OPTION_STRING, "target", "what the kernels run on", "cpu", targets, offsetof(SnScheduleOptions, target)},
    {SN_OPTION_INT, "vector-bits", "bits of a CPU's vector register: 512, 256 or 128", "512", NULL, offsetof(SnScheduleOptions, vector_bits)},
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

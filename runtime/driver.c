// driver.c: running one function of a library on files or random numbers.
//
// Its parts: driver_options.c and driver_rules.c (what is asked for), driver_inputs.c, driver_costs.c (counts without a
// run), driver_run.c, driver_compare.c, driver_benchmark.c, driver_profile.c and driver_trace.c (kernels),
// driver_ceilings.c (the machine), driver_report.c (what is printed).

#include "describe.h"
#include "driver_parts.h"
#include "progress.h"
#include "file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

SinterExit sinter_driver_fail(SinterMessage *message, SinterExit code, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message->text, sizeof message->text, format, arguments);
  va_end(arguments);
  return code;
}

const SinterFunction *sinter_driver_find(const SinterLibrary *library, const char *entry,
                                         SinterMessage *message) {
  if (!entry)
    entry = library->num_functions == 1 ? library->functions[0].name : "main";
  for (int32_t i = 0; i < library->num_functions; i++)
    if (strcmp(library->functions[i].name, entry) == 0)
      return &library->functions[i];
  size_t length = 0;
  char names[512] = "none";
  for (int32_t i = 0; i < library->num_functions && length < sizeof names; i++)
    length += (size_t)snprintf(names + length, sizeof names - length, "%s%s", i ? ", " : "",
                               library->functions[i].name);
  sinter_driver_fail(message, SINTER_EXIT_BAD_INPUT, "there is no function %.200s; there are: %s",
                     entry, names);
  return NULL;
}

static void list_tensors(bool inputs, int32_t count, const SinterTensor *tensors) {
  for (int32_t i = 0; i < count; i++) {
    const SinterTensor *t = &tensors[i];
    printf("  %s %d: %s %s", inputs ? "input" : "output", i,
           sinter_describe_type(sinter_tensor_type(t)).text,
           sinter_describe_shape(t->ndim, t->shape).text);
    if (t->name && t->name[0])
      printf(" %s", t->name);
    if (t->gradient_of >= 0)
      printf(inputs ? ", upstream of output %d" : ", gradient of input %d", t->gradient_of);
    if (t->flags & SINTER_TENSOR_SHARES)
      printf(", in the memory of input %d", t->flags >> SINTER_SHARES_SHIFT);
    printf("\n");
  }
}

static void list(const SinterLibrary *library) {
  for (int32_t i = 0; i < library->num_functions; i++) {
    const SinterFunction *f = &library->functions[i];
    printf("%s on %s, workspace of %lld bytes\n", f->name, f->device == kDLCUDA ? "CUDA" : "CPU",
           (long long)f->workspace_bytes);
    list_tensors(true, f->num_inputs, f->inputs);
    list_tensors(false, f->num_outputs, f->outputs);
  }
}

// The message is of the first that differs.
static SinterExit compare(SinterReport *r, int32_t count, const SinterArray *got, const SinterArray *want,
                          const char *who, SinterMessage *message) {
  const SinterDriverOptions *options = r->options;
  SinterExit code = SINTER_EXIT_OK;
  bool each = options->relative > 0 || options->absolute > 0;
  for (int32_t i = 0; i < count; i++) {
    struct SinterAgreement *a = &r->agreements[r->num_agreements];
    *a = (struct SinterAgreement){.output = i, .who = who};
    a->agrees = each ? sinter_array_close(&got[i], &want[i], options->relative, options->absolute, &a->error, &a->why)
                     : sinter_array_compare(&got[i], &want[i], options->tolerance, &a->error, &a->why);
    sinter_report_agreement(r, r->num_agreements++);
    if (!a->agrees && code == SINTER_EXIT_OK)
      code = sinter_driver_fail(message, SINTER_EXIT_DIFFERENT, "output %d of %.200s %.500s (%s)", i, r->f->name,
                                a->why.text, who);
  }
  return code;
}

static SinterExit expect(SinterReport *r, const SinterArray *outputs, SinterMessage *message) {
  const SinterDriverOptions *options = r->options;
  SinterExit code = SINTER_EXIT_OK;
  SinterArray *want = calloc((size_t)options->num_expects, sizeof *want);
  if (!want)
    return sinter_driver_fail(message, SINTER_EXIT_RUN,
                              "not enough memory for the expected results");
  for (int32_t i = 0; i < options->num_expects && code == SINTER_EXIT_OK; i++)
    if (!sinter_npy_read(options->expects[i], &want[i], message))
      code = SINTER_EXIT_BAD_INPUT;
  if (code == SINTER_EXIT_OK)
    code = compare(r, options->num_expects, outputs, want, "what was expected", message);
  sinter_arrays_free(want, options->num_expects);
  free(want);
  return code;
}

// ---- a run -------------------------------------------------------------------------------

// Both runs stay open, so that they can be timed in turns.
typedef struct Runs {
  SinterRun own, reference;
  bool has_reference;
  SinterArray *want; // of the reference
  int32_t num_want;
} Runs;

static SinterExit open_reference(SinterReport *r, Runs *runs, const SinterArray *inputs, const SinterArray *outputs,
                                 SinterMessage *message) {
  const SinterDriverOptions *options = r->options;
  const SinterFunction *f = r->f, *g = sinter_driver_find(options->reference, f->name, message);
  if (!g)
    return SINTER_EXIT_BAD_INPUT;
  if (g->num_inputs != f->num_inputs || g->num_outputs != f->num_outputs)
    return sinter_driver_fail(message, SINTER_EXIT_BAD_INPUT,
                              "%s has %d inputs and %d outputs, its reference %d and %d", f->name,
                              f->num_inputs, f->num_outputs, g->num_inputs, g->num_outputs);
  for (int32_t i = 0; i < f->num_inputs; i++)
    if (g->inputs[i].ndim != f->inputs[i].ndim) // a product's second side, in panels
      return sinter_driver_fail(message, SINTER_EXIT_BAD_INPUT,
                                "%s takes input %d packed (sinter.pack), and its reference as it is written: nothing "
                                "can be compared",
                                f->name, i);
  runs->want = calloc((size_t)g->num_outputs + 1, sizeof *runs->want);
  if (!runs->want)
    return sinter_driver_fail(message, SINTER_EXIT_RUN, "not enough memory for %d outputs",
                              g->num_outputs);
  runs->num_want = g->num_outputs;
  runs->has_reference = true;
  SinterMeasurement ignored;
  if (!sinter_run_open(&runs->reference, options->reference, g, options, inputs, runs->want, message) ||
      !sinter_run_once(&runs->reference, runs->want, &ignored))
    return runs->reference.code;
  return compare(r, g->num_outputs, outputs, runs->want, "the decomposed program", message);
}

// Times of calls and kernels, and of the machine.
static SinterExit benchmark(SinterReport *r, Runs *runs) {
  const SinterDriverOptions *options = r->options;
  if (!sinter_run_benchmark(&runs->own, runs->has_reference ? &runs->reference : NULL, options->benchmark, &r->m))
    return runs->own.code != SINTER_EXIT_OK ? runs->own.code : runs->reference.code;
  double some = options->benchmark < 1 ? options->benchmark / 2 : 0.5;
  if (r->details && !(r->kernel_seconds = sinter_profile_kernels(&runs->own, some)))
    return runs->own.code;
  if (!sinter_run_on_device(&runs->own))
    r->ceilings = sinter_driver_ceilings(options->threads, r->m.bytes_in + r->m.bytes_out + r->costs.bytes_temporary);
  else if (r->m.copy_median > 0)
    r->ceilings.copy = 2 * (double)r->m.copy_bytes / r->m.copy_median, r->ceilings.bytes = 2 * r->m.copy_bytes;
  return SINTER_EXIT_OK;
}

static SinterExit write_outputs(const SinterReport *r, const SinterArray *outputs, SinterMessage *message) {
  for (int32_t i = 0; i < r->options->num_outputs; i++)
    if (!sinter_npy_write(r->options->outputs[i], &outputs[i], message))
      return SINTER_EXIT_RUN;
  return SINTER_EXIT_OK;
}

// An input that nobody gave may be one that the program does not take.
static void hint(const SinterReport *r, SinterMessage *message) {
  size_t n = strlen(message->text);
  if (r->options->num_inputs == 0 && r->f->num_inputs > 0)
    snprintf(message->text + n, sizeof message->text - n,
             " (its inputs are random: --input=FILE.npy gives others, --high and --random say what they are)");
}

static void progress(const SinterDriverOptions *options, const char *what) {
  if (!options->quiet)
    sinter_progress(options->program, what);
}

static SinterExit run(SinterReport *r, Runs *runs, const SinterArray *inputs, SinterArray *outputs,
                      SinterMessage *message) {
  const SinterDriverOptions *options = r->options;
  SinterExit code = SINTER_EXIT_OK;
  double start = 0;
  progress(options, "running the program");
  if (!sinter_run_open(&runs->own, r->library, r->f, options, inputs, outputs, message))
    return runs->own.code;
  start = sinter_driver_now();
  if (!sinter_run_once(&runs->own, outputs, &r->m)) {
    if (runs->own.asserted)
      hint(r, message);
    return runs->own.code;
  }
  r->first = sinter_driver_now() - start;
  r->ran = true;
  code = write_outputs(r, outputs, message);
  if (code == SINTER_EXIT_OK && options->num_expects > 0)
    code = expect(r, outputs, message);
  if (code == SINTER_EXIT_OK && options->reference) {
    progress(options, "running the unfused program");
    code = open_reference(r, runs, inputs, outputs, message);
  }
  if (code == SINTER_EXIT_OK && options->benchmark > 0) {
    progress(options, "timing");
    code = benchmark(r, runs);
  }
  if (code == SINTER_EXIT_OK && options->profile)
    code = sinter_driver_trace(&runs->own, options, &r->costs, message);
  return code;
}

static void count_bytes(SinterReport *r, const SinterArray *inputs, const SinterArray *outputs) {
  r->m.bytes_in = r->m.bytes_out = 0;
  for (int32_t i = 0; i < r->f->num_inputs; i++)
    r->m.bytes_in += sinter_array_bytes(&inputs[i]);
  for (int32_t i = 0; i < r->f->num_outputs; i++)
    r->m.bytes_out += sinter_array_bytes(&outputs[i]);
}

// Counts alone: no input is made, nothing runs.
static SinterExit count(SinterReport *r, const SinterArray *inputs, SinterArray *outputs, SinterMessage *message) {
  SinterExit code = SINTER_EXIT_OK;
  for (int32_t i = 0; i < r->f->num_outputs && code == SINTER_EXIT_OK; i++)
    code = sinter_driver_output(r->f, i, r->options, inputs, &outputs[i], message);
  return code;
}

static SinterExit everything(SinterReport *r, SinterArray *inputs, SinterArray *outputs, SinterMessage *message) {
  const SinterDriverOptions *options = r->options;
  SinterExit code = sinter_driver_check(r->library, r->f, options, message);
  if (code == SINTER_EXIT_OK)
    code = sinter_driver_shapes(r->f, options, inputs, message);
  if (code == SINTER_EXIT_OK)
    code = sinter_driver_costs(r->library, r->f, options, inputs, &r->costs, &r->has_costs, message);
  if (code == SINTER_EXIT_OK && r->has_costs && !sinter_driver_runs(options)) {
    code = count(r, inputs, outputs, message);
    count_bytes(r, inputs, outputs);
  } else if (code == SINTER_EXIT_OK) {
    Runs runs = {.has_reference = false};
    code = sinter_driver_fill(r->library, r->f, options, inputs, message);
    if (code == SINTER_EXIT_OK)
      code = run(r, &runs, inputs, outputs, message);
    count_bytes(r, inputs, outputs);
    sinter_run_close(&runs.own);
    if (runs.has_reference)
      sinter_run_close(&runs.reference);
    sinter_arrays_free(runs.want, runs.num_want);
    free(runs.want);
  }
  sinter_progress_end();
  if (code == SINTER_EXIT_OK || (code == SINTER_EXIT_DIFFERENT && options->json))
    sinter_report(r);
  return code;
}

static SinterExit with_arrays(const SinterLibrary *library, const SinterFunction *f, const SinterDriverOptions *options,
                              SinterMessage *message) {
  SinterReport r = {.options = options, .library = library, .f = f, .details = sinter_driver_details(library, f)};
  SinterArray *inputs = calloc((size_t)f->num_inputs + 1, sizeof *inputs);
  SinterArray *outputs = calloc((size_t)f->num_outputs + 1, sizeof *outputs);
  r.agreements = calloc(2 * (size_t)f->num_outputs + 1, sizeof *r.agreements); // with files, and with the reference
  SinterExit code;
  if (inputs && outputs && r.agreements) {
    code = everything(&r, inputs, outputs, message);
    sinter_arrays_free(inputs, f->num_inputs);
    sinter_arrays_free(outputs, f->num_outputs);
  } else {
    code = sinter_driver_fail(message, SINTER_EXIT_RUN, "not enough memory for the arrays");
  }
  free(inputs);
  free(outputs);
  free(r.agreements);
  free(r.costs.kernels);
  free(r.kernel_seconds);
  return code;
}

SinterExit sinter_driver_main(const SinterLibrary *library, const SinterDriverOptions *options) {
  SinterMessage message = {""};
  SinterExit code;
  const SinterFunction *f = NULL;
  if (library->abi_version != SINTER_ABI_VERSION) {
    code = sinter_driver_fail(&message, SINTER_EXIT_BAD_INPUT,
                              "the library has ABI version %d, expected %d: compile it again",
                              library->abi_version, SINTER_ABI_VERSION);
  } else if (options->list) {
    list(library);
    code = SINTER_EXIT_OK;
  } else if (!(f = sinter_driver_find(library, options->entry, &message))) {
    code = SINTER_EXIT_BAD_INPUT;
  } else if (options->num_outputs > f->num_outputs) {
    code =
        sinter_driver_fail(&message, SINTER_EXIT_BAD_INPUT, "%d outputs are given, but %s has %d",
                           options->num_outputs, f->name, f->num_outputs);
  } else if (options->num_expects > f->num_outputs) {
    code = sinter_driver_fail(&message, SINTER_EXIT_BAD_INPUT,
                              "%d results are expected, but %s has %d", options->num_expects,
                              f->name, f->num_outputs);
  } else {
    code = with_arrays(library, f, options, &message);
  }
  bool printed = sinter_stdout_finish(options->program); // first what was found, then what is wrong
  if (code != SINTER_EXIT_OK)
    fprintf(stderr, "%s: error: %s\n", options->program, message.text);
  return printed || code != SINTER_EXIT_OK ? code : SINTER_EXIT_RUN;
}

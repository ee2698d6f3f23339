// driver.c: running one function of a library on files or random numbers.
//
// Its parts: driver_options.c, driver_inputs.c, driver_run.c, driver_benchmark.c, driver_compare.c.

#include "describe.h"
#include "driver_parts.h"
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

static void print(const SinterDriverOptions *options, const SinterMeasurement *m) {
  if (options->benchmark > 0) {
    printf("median %.3f us, minimum %.3f us, %lld calls, %.3f us of processor time each\n", m->median * 1e6,
           m->minimum * 1e6, (long long)m->calls, m->processor * 1e6);
    if (m->copy_bytes > 0 && m->copy_median > 0 && m->median > 0) {
      double copy = 2 * (double)m->copy_bytes / m->copy_median;
      double own = (double)(m->bytes_in + m->bytes_out) / m->median;
      printf(
          "%lld bytes in and out, %.1f GB/s, %.1f%% of a copy of %lld bytes at %.1f GB/s on %s\n",
          (long long)(m->bytes_in + m->bytes_out), own * 1e-9, 100 * own / copy,
          (long long)m->copy_bytes, copy * 1e-9, m->device);
    }
  }
  if (options->stats)
    printf("{\"kernels\": %lld, \"library_calls\": %lld, \"bytes_in\": %lld, \"bytes_out\": %lld, "
           "\"bytes_temporary\": %lld}\n",
           (long long)m->stats.kernels, (long long)m->stats.library_calls, (long long)m->bytes_in,
           (long long)m->bytes_out, (long long)m->stats.bytes_temporary);
}

// Prints a line for each result; the message is of the first that differs.
static SinterExit compare(const SinterFunction *f, const SinterDriverOptions *options,
                          int32_t count, const SinterArray *got, const SinterArray *want,
                          const char *who, SinterMessage *message) {
  SinterExit code = SINTER_EXIT_OK;
  for (int32_t i = 0; i < count; i++) {
    SinterMessage why;
    double error;
    bool each = options->relative > 0 || options->absolute > 0;
    bool same = each ? sinter_array_close(&got[i], &want[i], options->relative, options->absolute,
                                          &error, &why)
                     : sinter_array_compare(&got[i], &want[i], options->tolerance, &error, &why);
    if (same && each)
      printf("output %d of %s agrees with %s: error %.2g of what is allowed\n", i, f->name, who,
             error);
    else if (same)
      printf("output %d of %s agrees with %s: relative error %.1e\n", i, f->name, who, error);
    else
      printf("output %d of %s %s\n", i, f->name, why.text);
    if (!same && code == SINTER_EXIT_OK)
      code = sinter_driver_fail(message, SINTER_EXIT_DIFFERENT, "output %d of %.200s %.500s (%s)",
                                i, f->name, why.text, who);
  }
  return code;
}

static SinterExit expect(const SinterFunction *f, const SinterDriverOptions *options,
                         const SinterArray *outputs, SinterMessage *message) {
  SinterExit code = SINTER_EXIT_OK;
  SinterArray *want = calloc((size_t)options->num_expects, sizeof *want);
  if (!want)
    return sinter_driver_fail(message, SINTER_EXIT_RUN,
                              "not enough memory for the expected results");
  for (int32_t i = 0; i < options->num_expects && code == SINTER_EXIT_OK; i++)
    if (!sinter_npy_read(options->expects[i], &want[i], message))
      code = SINTER_EXIT_BAD_INPUT;
  if (code == SINTER_EXIT_OK)
    code = compare(f, options, options->num_expects, outputs, want, "what was expected", message);
  sinter_arrays_free(want, options->num_expects);
  free(want);
  return code;
}

static SinterExit verify(const SinterFunction *f, const SinterDriverOptions *options,
                         const SinterArray *inputs, const SinterArray *outputs,
                         SinterMessage *message) {
  const SinterFunction *g = sinter_driver_find(options->reference, f->name, message);
  if (!g)
    return SINTER_EXIT_BAD_INPUT;
  if (g->num_inputs != f->num_inputs || g->num_outputs != f->num_outputs)
    return sinter_driver_fail(message, SINTER_EXIT_BAD_INPUT,
                              "%s has %d inputs and %d outputs, its reference %d and %d", f->name,
                              f->num_inputs, f->num_outputs, g->num_inputs, g->num_outputs);
  SinterArray *want = calloc((size_t)g->num_outputs + 1, sizeof *want);
  if (!want)
    return sinter_driver_fail(message, SINTER_EXIT_RUN, "not enough memory for %d outputs",
                              g->num_outputs);
  SinterDriverOptions once = *options;
  once.benchmark = 0;
  SinterMeasurement ignored;
  SinterExit code =
      sinter_driver_run(options->reference, g, &once, inputs, want, &ignored, message);
  if (code == SINTER_EXIT_OK)
    code = compare(f, options, g->num_outputs, outputs, want, "the decomposed program", message);
  sinter_arrays_free(want, g->num_outputs);
  free(want);
  return code;
}

static SinterExit everything(const SinterLibrary *library, const SinterFunction *f,
                             const SinterDriverOptions *options, SinterArray *inputs,
                             SinterArray *outputs, SinterMessage *message) {
  SinterMeasurement m;
  SinterExit code = sinter_driver_inputs(f, options, inputs, message);
  if (code != SINTER_EXIT_OK)
    return code;
  code = sinter_driver_run(library, f, options, inputs, outputs, &m, message);
  for (int32_t i = 0; i < options->num_outputs && code == SINTER_EXIT_OK; i++)
    if (!sinter_npy_write(options->outputs[i], &outputs[i], message))
      code = SINTER_EXIT_RUN;
  if (code == SINTER_EXIT_OK && options->num_expects > 0)
    code = expect(f, options, outputs, message);
  if (code == SINTER_EXIT_OK && options->reference)
    code = verify(f, options, inputs, outputs, message);
  if (code == SINTER_EXIT_OK)
    print(options, &m);
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
    SinterArray *inputs = calloc((size_t)f->num_inputs + 1, sizeof *inputs);
    SinterArray *outputs = calloc((size_t)f->num_outputs + 1, sizeof *outputs);
    if (inputs && outputs) {
      code = everything(library, f, options, inputs, outputs, &message);
      sinter_arrays_free(inputs, f->num_inputs);
      sinter_arrays_free(outputs, f->num_outputs);
    } else {
      code = sinter_driver_fail(&message, SINTER_EXIT_RUN, "not enough memory for the arrays");
    }
    free(inputs);
    free(outputs);
  }
  bool printed = sinter_stdout_finish(options->program); // first what was found, then what is wrong
  if (code != SINTER_EXIT_OK)
    fprintf(stderr, "%s: error: %s\n", options->program, message.text);
  return printed || code != SINTER_EXIT_OK ? code : SINTER_EXIT_RUN;
}

// driver_run.c: one function on arrays, on the CPU or on CUDA.

#include "cuda.h"
#include "describe.h"
#include "driver_parts.h"

#include <stdlib.h>
#include <string.h>

static SinterExit exit_of(int32_t status) {
  switch (status) {
  case SINTER_OK:
    return SINTER_EXIT_OK;
  case SINTER_BAD_ARGUMENT:
    return SINTER_EXIT_BAD_INPUT;
  case SINTER_NO_DEVICE:
    return SINTER_EXIT_NO_DEVICE;
  default:
    return SINTER_EXIT_RUN;
  }
}

bool sinter_run_cuda_ok(SinterRun *r, int32_t status) {
  if (status == SINTER_OK)
    return true;
  const char *separator = status == SINTER_NO_DEVICE ? "" : ": ";
  const char *who = status == SINTER_NO_DEVICE ? "" : r->f->name;
  r->code = sinter_driver_fail(r->message, exit_of(status), "%s%s%s", who, separator,
                               sinter_cuda_error());
  return false;
}

bool sinter_run_call(SinterRun *r) {
  int32_t status = r->f->call(r->pointers, r->pointers + r->f->num_inputs, r->stream, r->workspace);
  if (status != SINTER_OK)
    r->code = sinter_driver_fail(r->message, exit_of(status), "%s", r->library->last_error());
  r->asserted = status == SINTER_ASSERT_FAILED;
  return status == SINTER_OK;
}

bool sinter_run_on_device(const SinterRun *r) { return r->f->device == kDLCUDA; }

static void describe_tensor(SinterRun *r, int32_t slot, const SinterArray *a) {
  DLTensor *t = &r->tensors[slot];
  *t = (DLTensor){.data = a->data,
                  .device = {(DLDeviceType)r->f->device, 0},
                  .ndim = a->ndim,
                  .dtype = a->dtype,
                  .shape = (int64_t *)a->shape};
  if (t->dtype.code == SINTER_DL_BOOL)
    t->dtype.code = kDLUInt;
  r->pointers[slot] = t;
}

// Sizes of the output i, computed from those of the inputs; sizes has room for all of both.
static void compute_sizes(const SinterFunction *f, int32_t i, const SinterArray *inputs,
                          int64_t *sizes, SinterArray *a) {
  int64_t *to = sizes;
  for (int32_t k = 0; k < f->num_inputs; k++)
    for (int32_t d = 0; d < inputs[k].ndim; d++)
      *to++ = inputs[k].shape[d];
  f->extension->shapes(sizes, to);
  for (int32_t k = 0; k < i; k++)
    to += f->outputs[k].ndim;
  for (int32_t d = 0; d < a->ndim; d++)
    a->shape[d] = to[d];
}

// Sizes of output i that depend on data: those of the option whose turn it is.
static SinterExit given_sizes(const SinterFunction *f, int32_t i, const SinterDriverOptions *options, SinterArray *a,
                              SinterMessage *message) {
  SinterArray given = *a;
  int32_t n = options->num_output_shapes;
  if (!n)
    return sinter_driver_fail(message, SINTER_EXIT_BAD_INPUT,
                              "output %d of %s has sizes that depend on data: give them with --output-shape", i,
                              f->name);
  const char *text = options->output_shapes[i < n ? i : n - 1];
  bool same = sinter_driver_read_shape(text, &given);
  for (int32_t d = 0; same && d < a->ndim; d++)
    same = a->shape[d] == SINTER_SIZE_OF_DATA || a->shape[d] == given.shape[d];
  *a = given;
  return same ? SINTER_EXIT_OK
              : sinter_driver_fail(message, SINTER_EXIT_BAD_INPUT,
                                   "--output-shape=%.100s is no shape of output %d of %s", text, i, f->name);
}

SinterExit sinter_driver_output(const SinterFunction *f, int32_t i, const SinterDriverOptions *options,
                                const SinterArray *inputs, SinterArray *a, SinterMessage *message) {
  const SinterTensor *t = &f->outputs[i];
  if (t->ndim > SINTER_MAX_RANK)
    return sinter_driver_fail(message, SINTER_EXIT_BAD_INPUT,
                              "output %d of %s has more than %d dimensions", i, f->name,
                              SINTER_MAX_RANK);
  if (sinter_driver_shape_of(t, a))
    return SINTER_EXIT_OK;
  *a = (SinterArray){.dtype = sinter_tensor_type(t), .ndim = t->ndim};
  size_t count = 1;
  for (int32_t k = 0; k < f->num_inputs; k++)
    count += (size_t)f->inputs[k].ndim;
  for (int32_t k = 0; k < f->num_outputs; k++)
    count += (size_t)f->outputs[k].ndim;
  int64_t *sizes = calloc(count, sizeof *sizes);
  if (!sizes)
    return sinter_driver_fail(message, SINTER_EXIT_RUN, "not enough memory for %zu sizes", count);
  bool possible = f->extension && f->extension->shapes;
  if (possible)
    compute_sizes(f, i, inputs, sizes, a);
  bool of_data = false;
  for (int32_t d = 0; d < a->ndim; d++) {
    of_data |= a->shape[d] == SINTER_SIZE_OF_DATA;
    possible &= a->shape[d] >= 0 || a->shape[d] == SINTER_SIZE_OF_DATA;
  }
  free(sizes);
  if (possible && of_data)
    return given_sizes(f, i, options, a, message);
  if (!possible)
    return sinter_driver_fail(message, SINTER_EXIT_BAD_INPUT, "output %d of %s would have shape %s",
                              i, f->name, sinter_describe_shape(a->ndim, a->shape).text);
  return SINTER_EXIT_OK;
}

// The input whose memory output i shares; -1: it has its own.
static int32_t shared_by(const SinterFunction *f, int32_t i) {
  return f->outputs[i].flags & SINTER_TENSOR_SHARES ? f->outputs[i].flags >> SINTER_SHARES_SHIFT : -1;
}

// Inputs are not ours to change: an output that shares one's memory is a copy, which the call has for both.
static void share(SinterRun *r, const SinterArray *inputs, SinterArray *outputs) {
  const SinterFunction *f = r->f;
  for (int32_t i = 0; i < f->num_outputs; i++)
    if (shared_by(f, i) >= 0)
      memcpy(outputs[i].data, inputs[shared_by(f, i)].data, (size_t)outputs[i].bytes);
}

static void point_shared(SinterRun *r) {
  const SinterFunction *f = r->f;
  for (int32_t i = 0; i < f->num_outputs; i++)
    if (shared_by(f, i) >= 0)
      r->tensors[shared_by(f, i)].data = r->tensors[f->num_inputs + i].data;
}

static bool prepare(SinterRun *r, const SinterDriverOptions *options, const SinterArray *inputs, SinterArray *outputs) {
  const SinterFunction *f = r->f;
  int32_t count = f->num_inputs + f->num_outputs;
  for (int32_t i = 0; i < f->num_outputs; i++) {
    r->code = sinter_driver_output(f, i, options, inputs, &outputs[i], r->message);
    if (r->code != SINTER_EXIT_OK)
      return false;
    if (!sinter_array_allocate(&outputs[i], r->message)) {
      r->code = SINTER_EXIT_RUN;
      return false;
    }
    memset(outputs[i].data, 0xff, (size_t)outputs[i].bytes);
  }
  share(r, inputs, outputs);
  for (int32_t i = 0; i < count; i++)
    describe_tensor(r, i, i < f->num_inputs ? &inputs[i] : &outputs[i - f->num_inputs]);
  if (!sinter_run_on_device(r)) {
    point_shared(r);
    return true; // a CPU function allocates its workspace
  }
  // Whatever is made below, release frees: start from nothing.
  for (int32_t i = 0; i < count; i++)
    r->tensors[i].data = NULL;
  if (!sinter_run_cuda_ok(r, sinter_cuda_open(0)) ||
      !sinter_run_cuda_ok(r, sinter_cuda_stream_create(&r->stream)) ||
      !sinter_run_cuda_ok(r, sinter_cuda_allocate(&r->workspace, f->workspace_bytes)))
    return false;
  for (int32_t i = 0; i < count; i++) {
    const SinterArray *a = i < f->num_inputs ? &inputs[i] : &outputs[i - f->num_inputs];
    if (!sinter_run_cuda_ok(r, sinter_cuda_allocate(&r->tensors[i].data, a->bytes)) ||
        !sinter_run_cuda_ok(r, sinter_cuda_to_device(r->tensors[i].data, a->data, a->bytes)))
      return false;
  }
  for (int32_t i = 0; i < f->num_outputs; i++)
    if (shared_by(f, i) >= 0) {
      sinter_cuda_free(r->tensors[shared_by(f, i)].data);
      r->tensors[shared_by(f, i)].data = NULL;
    }
  point_shared(r);
  return true;
}

bool sinter_run_once(SinterRun *r, SinterArray *outputs, SinterMeasurement *m) {
  SinterStats before, after;
  r->library->stats(&before);
  if (!sinter_run_call(r))
    return false;
  r->library->stats(&after);
  m->stats.kernels = after.kernels - before.kernels;
  m->stats.library_calls = after.library_calls - before.library_calls;
  m->stats.bytes_temporary = after.bytes_temporary - before.bytes_temporary;
  if (!sinter_run_on_device(r))
    return true;
  if (!sinter_run_cuda_ok(r, sinter_cuda_stream_wait(r->stream)))
    return false;
  const char *message = "";
  int32_t status = r->library->extension ? r->library->extension->device_status(&message) : SINTER_OK;
  if (status != SINTER_OK) { // an assert in a kernel
    r->asserted = status == SINTER_ASSERT_FAILED;
    r->code = sinter_driver_fail(r->message, exit_of(status), "%s: %s", r->f->name, message);
    return false;
  }
  const DLTensor *tensors = r->tensors + r->f->num_inputs;
  for (int32_t i = 0; i < r->f->num_outputs; i++)
    if (!sinter_run_cuda_ok(
            r, sinter_cuda_from_device(outputs[i].data, tensors[i].data, outputs[i].bytes)))
      return false;
  return true;
}

void sinter_run_close(SinterRun *r) {
  if (r->f && sinter_run_on_device(r) && r->stream) {
    for (int32_t i = 0; i < r->f->num_outputs; i++) // freed with the output
      if (shared_by(r->f, i) >= 0 && r->tensors[r->f->num_inputs + i].data)
        r->tensors[shared_by(r->f, i)].data = NULL;
    for (int32_t i = 0; i < r->f->num_inputs + r->f->num_outputs; i++)
      sinter_cuda_free(r->tensors[i].data);
    sinter_cuda_free(r->workspace);
    sinter_cuda_stream_destroy(r->stream);
  }
  free(r->tensors);
  free(r->pointers);
}

bool sinter_run_open(SinterRun *r, const SinterLibrary *library, const SinterFunction *f,
                     const SinterDriverOptions *options, const SinterArray *inputs, SinterArray *outputs,
                     SinterMessage *message) {
  size_t count = (size_t)f->num_inputs + (size_t)f->num_outputs;
  for (int32_t i = 0; i < f->num_outputs; i++)
    outputs[i] = (SinterArray){.data = NULL};
  *r = (SinterRun){.library = library, .f = f, .message = message, .code = SINTER_EXIT_OK};
  r->tensors = calloc(count + 1, sizeof *r->tensors);
  r->pointers = calloc(count + 1, sizeof *r->pointers);
  if (!r->tensors || !r->pointers)
    r->code =
        sinter_driver_fail(message, SINTER_EXIT_RUN, "not enough memory for %zu tensors", count);
  if (library->set_threads)
    library->set_threads(options->threads);
  return r->code == SINTER_EXIT_OK && prepare(r, options, inputs, outputs);
}

SinterExit sinter_driver_run(const SinterLibrary *library, const SinterFunction *f,
                             const SinterDriverOptions *options, const SinterArray *inputs,
                             SinterArray *outputs, SinterMeasurement *m, SinterMessage *message) {
  *m = (SinterMeasurement){.calls = 0};
  SinterRun r;
  if (sinter_run_open(&r, library, f, options, inputs, outputs, message) && sinter_run_once(&r, outputs, m)) {
    for (int32_t i = 0; i < f->num_inputs; i++)
      m->bytes_in += inputs[i].bytes;
    for (int32_t i = 0; i < f->num_outputs; i++)
      m->bytes_out += outputs[i].bytes;
    if (options->benchmark > 0)
      sinter_run_benchmark(&r, NULL, options->benchmark, m);
  }
  sinter_run_close(&r);
  return r.code;
}

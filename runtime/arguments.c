// arguments.c: refuses what a host may not pass to a call.

#include "call.h"
#include "describe.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Where a tensor, or the workspace, lies; what has no elements is nowhere.
typedef struct Place {
  uintptr_t start, end;
  int32_t i;
  enum { INPUT, OUTPUT, WORKSPACE } kind;
} Place;

enum { FEW_PLACES = 64 }; // are kept on the stack

static bool device_is_right(int32_t device, int32_t type) {
  if (device == kDLCUDA)
    return type == kDLCUDA || type == kDLCUDAManaged;
  return type == kDLCPU || type == kDLCUDAHost;
}

// Bytes of a tensor from its first element on, a size of 0 taken for 1, so that no stride is more than they
// are; false if memory cannot address them.
static bool bytes_of(const DLTensor *t, int64_t *bytes) {
  *bytes = sinter_type_bytes(t->dtype);
  for (int32_t d = 0; d < t->ndim; d++)
    if (__builtin_mul_overflow(*bytes, t->shape[d] ? t->shape[d] : 1, bytes))
      return false;
  return true;
}

static bool is_empty(const DLTensor *t) {
  for (int32_t d = 0; d < t->ndim; d++)
    if (t->shape[d] == 0)
      return true;
  return false;
}

static bool refuse_shape(const char *what, int32_t i, const SinterTensor *want, const DLTensor *t) {
  enum { READABLE = 64 }; // more is a number that never was one of dimensions
  char got[64];
  snprintf(got, sizeof got, "of %d dimensions", t->ndim);
  bool readable = t->ndim == 0 || (t->shape && t->ndim > 0 && t->ndim <= READABLE);
  sinter_rt_error(SINTER_BAD_ARGUMENT, "%s %d has shape %s, expected %s", what, i,
                  readable                      ? sinter_describe_shape(t->ndim, t->shape).text
                  : t->ndim > 0 && !t->shape ? "NULL"
                                                : got,
                  sinter_describe_shape(want->ndim, want->shape).text);
  return false;
}

// Row-major, and all of it at addresses that there are: sets where it lies.
static bool check_layout(const char *what, int32_t i, const DLTensor *t, Place *place) {
  int64_t bytes, stride = 1;
  if (!bytes_of(t, &bytes)) {
    sinter_rt_error(SINTER_BAD_ARGUMENT, "%s %d has shape %s of %lld bytes each: more than memory can address",
                    what, i, sinter_describe_shape(t->ndim, t->shape).text,
                    (long long)sinter_type_bytes(t->dtype));
    return false;
  }
  if (is_empty(t))
    return true;
  for (int32_t d = t->ndim; d-- > 0 && t->strides;) {
    if (t->shape[d] != 1 && t->strides[d] != stride) {
      sinter_rt_error(SINTER_BAD_ARGUMENT,
                      "%s %d has stride %lld in dimension %d, expected %lld: it must be row-major "
                      "and contiguous",
                      what, i, (long long)t->strides[d], d, (long long)stride);
      return false;
    }
    stride *= t->shape[d];
  }
  if (!t->data) {
    sinter_rt_error(SINTER_BAD_ARGUMENT, "%s %d has no data", what, i);
    return false;
  }
  uintptr_t address, end, alignment = SINTER_ALIGNMENT;
  if (__builtin_add_overflow((uintptr_t)t->data, t->byte_offset, &address) ||
      __builtin_add_overflow(address, (uintptr_t)bytes, &end) || end > INTPTR_MAX) {
    sinter_rt_error(SINTER_BAD_ARGUMENT,
                    "%s %d has %lld bytes from %p + %llu on: more than memory can address", what, i,
                    (long long)bytes, t->data, (unsigned long long)t->byte_offset);
    return false;
  }
  place->start = address;
  place->end = end;
  if (bytes == sinter_type_bytes(t->dtype))
    alignment = (uintptr_t)bytes; // one element
  if (address % alignment != 0) {
    sinter_rt_error(SINTER_BAD_ARGUMENT, "%s %d starts at %p, which is not a multiple of %d bytes",
                    what, i, (void *)address, (int)alignment);
    return false;
  }
  return true;
}

// Refuses a tensor that the table does not allow; what is "input" or "output".
static bool check(const SinterFunction *f, const char *what, int32_t i, const SinterTensor *want,
                  const DLTensor *t, int32_t device_id, Place *place) {
  if (!t) {
    sinter_rt_error(SINTER_BAD_ARGUMENT, "%s %d is NULL", what, i);
    return false;
  }
  if (!device_is_right(f->device, (int32_t)t->device.device_type)) {
    sinter_rt_error(SINTER_BAD_ARGUMENT, "%s %d is on a device of type %d, expected %s (%d)", what,
                    i, (int)t->device.device_type, f->device == kDLCUDA ? "CUDA" : "the CPU",
                    f->device);
    return false;
  }
  if (f->device == kDLCUDA && t->device.device_id != device_id) {
    sinter_rt_error(SINTER_BAD_ARGUMENT, "%s %d is on device %d, the first tensor on %d", what, i,
                    t->device.device_id, device_id);
    return false;
  }
  DLDataType plain = t->dtype;
  if ((want->flags & SINTER_TENSOR_BOOL) && plain.code == SINTER_DL_BOOL)
    plain.code = kDLUInt;
  if (!sinter_same_type(plain, want->dtype)) {
    sinter_rt_error(SINTER_BAD_ARGUMENT, "%s %d is %s, expected %s", what, i,
                    sinter_describe_type(t->dtype).text,
                    sinter_describe_type(sinter_tensor_type(want)).text);
    return false;
  }
  bool same = t->ndim == want->ndim && (t->ndim == 0 || t->shape);
  for (int32_t d = 0; same && d < want->ndim; d++)
    same = t->shape[d] >= 0 && (want->shape[d] == -1 || want->shape[d] == t->shape[d]);
  return same ? check_layout(what, i, t, place) : refuse_shape(what, i, want, t);
}

// ---- overlaps ----------------------------------------------------------------------

static const char *name_of(const Place *p, char *text, size_t size) {
  if (p->kind == WORKSPACE)
    return "the workspace";
  snprintf(text, size, "%s %d", p->kind == INPUT ? "input" : "output", p->i);
  return text;
}

static bool refuse_overlap(const Place *x, const Place *y) {
  // The one that has to be alone is named first.
  bool swap = x->kind == INPUT || (y->kind == OUTPUT && (x->kind == WORKSPACE || x->i < y->i));
  char one[32], other[32];
  sinter_rt_error(SINTER_BAD_ARGUMENT, "%s overlaps %s: outputs and the workspace have memory of their own",
                  name_of(swap ? y : x, one, sizeof one), name_of(swap ? x : y, other, sizeof other));
  return false;
}

static int by_start(const void *a, const void *b) {
  uintptr_t x = ((const Place *)a)->start, y = ((const Place *)b)->start;
  return (x > y) - (x < y);
}

static void sort(Place *places, int64_t n) {
  if (n > FEW_PLACES) {
    qsort(places, (size_t)n, sizeof *places, by_start);
    return;
  }
  for (int64_t i = 1; i < n; i++) {
    Place p = places[i];
    int64_t k = i;
    for (; k > 0 && places[k - 1].start > p.start; k--)
      places[k] = places[k - 1];
    places[k] = p;
  }
}

// Outputs, and the workspace, overlap nothing. Inputs may be one another.
static bool check_overlaps(Place *places, int64_t n) {
  sort(places, n);
  const Place *any = NULL, *alone = NULL; // that end last, of all and of those that must be alone
  for (int64_t i = 0; i < n; i++) {
    const Place *p = &places[i], *before = p->kind == INPUT ? alone : any;
    if (before && p->start < before->end)
      return refuse_overlap(before, p);
    if (!any || p->end > any->end)
      any = p;
    if (p->kind != INPUT && (!alone || p->end > alone->end))
      alone = p;
  }
  return true;
}

// ---- shapes ------------------------------------------------------------------------

// Sizes of tensors, one after another; answers where the next one goes.
static int64_t *sizes_of(int64_t *to, int32_t count, DLTensor *const *tensors) {
  for (int32_t i = 0; i < count; i++)
    for (int32_t d = 0; d < tensors[i]->ndim; d++)
      *to++ = tensors[i]->shape[d];
  return to;
}

// Outputs have the sizes that the program computes for them.
static bool check_shapes(const SinterFunction *f, DLTensor *const *inputs,
                         DLTensor *const *outputs) {
  if (!f->extension || !f->extension->shapes)
    return true;
  size_t count = 1;
  for (int32_t i = 0; i < f->num_inputs; i++)
    count += (size_t)f->inputs[i].ndim;
  for (int32_t i = 0; i < f->num_outputs; i++)
    count += (size_t)f->outputs[i].ndim;
  int64_t local[128], *memory = count <= 128 ? local : malloc(count * sizeof *memory);
  bool same = memory;
  if (!memory) {
    sinter_rt_error(SINTER_OUT_OF_MEMORY, "not enough memory for %zu sizes", count);
  } else {
    int64_t *want = sizes_of(memory, f->num_inputs, inputs);
    f->extension->shapes(memory, want);
    for (int32_t i = 0; i < f->num_outputs && same; want += outputs[i++]->ndim) {
      for (int32_t d = 0; d < outputs[i]->ndim; d++)
        if (want[d] == SINTER_SIZE_OF_DATA) // the function compares it with what it has made
          want[d] = outputs[i]->shape[d];
      size_t bytes = (size_t)outputs[i]->ndim * sizeof *want;
      same = !bytes || memcmp(outputs[i]->shape, want, bytes) == 0;
      if (!same)
        sinter_rt_error(SINTER_BAD_ARGUMENT, "output %d has shape %s, expected %s for these inputs",
                        i, sinter_describe_shape(outputs[i]->ndim, outputs[i]->shape).text,
                        sinter_describe_shape(outputs[i]->ndim, want).text);
    }
  }
  if (memory != local)
    free(memory);
  return same;
}

// An output that shares an input's memory is that input.
static bool check_shared(const SinterFunction *f, int32_t i, DLTensor *const *inputs, const DLTensor *output) {
  int32_t of = f->outputs[i].flags >> SINTER_SHARES_SHIFT;
  if ((char *)inputs[of]->data + inputs[of]->byte_offset == (char *)output->data + output->byte_offset)
    return true;
  sinter_rt_error(SINTER_BAD_ARGUMENT, "output %d lies where input %d does, and was given memory of its own", i, of);
  return false;
}

// Each tensor by itself, and then where all of them lie. The array has room for each, and for the workspace.
static bool check_tensors(const SinterCall *call, DLTensor *const *inputs, DLTensor *const *outputs,
                          void *workspace, Place *places) {
  const SinterFunction *f = call->function;
  int64_t n = 0;
  for (int32_t i = 0; i < f->num_inputs; i++) {
    Place p = {0, 0, i, INPUT};
    if (!check(f, "input", i, &f->inputs[i], inputs[i], call->device_id, &p))
      return false;
    if (p.start < p.end)
      places[n++] = p;
  }
  for (int32_t i = 0; i < f->num_outputs; i++) {
    Place p = {0, 0, i, OUTPUT};
    if (!check(f, "output", i, &f->outputs[i], outputs[i], call->device_id, &p))
      return false;
    bool shares = f->outputs[i].flags & SINTER_TENSOR_SHARES;
    if (shares && !check_shared(f, i, inputs, outputs[i]))
      return false;
    for (int64_t k = 0; k < n && shares; k++) // which has a place already, alone from now on
      if (places[k].kind == INPUT && places[k].i == f->outputs[i].flags >> SINTER_SHARES_SHIFT)
        places[k].kind = OUTPUT, places[k].i = i;
    if (p.start < p.end && !shares)
      places[n++] = p;
  }
  if (workspace && f->workspace_bytes > 0)
    places[n++] = (Place){(uintptr_t)workspace, (uintptr_t)workspace + (uintptr_t)f->workspace_bytes, 0, WORKSPACE};
  return check_shapes(f, inputs, outputs) && check_overlaps(places, n);
}

bool sinter_rt_check(const SinterCall *call, DLTensor *const *inputs, DLTensor *const *outputs,
                      void *workspace) {
  const SinterFunction *f = call->function;
  if ((f->num_inputs > 0 && !inputs) || (f->num_outputs > 0 && !outputs)) {
    sinter_rt_error(SINTER_BAD_ARGUMENT, "the array of %s is NULL",
                    f->num_inputs > 0 && !inputs ? "inputs" : "outputs");
    return false;
  }
  size_t count = (size_t)f->num_inputs + (size_t)f->num_outputs + 1;
  Place few[FEW_PLACES], *places = count <= FEW_PLACES ? few : malloc(count * sizeof *places);
  if (!places) {
    sinter_rt_error(SINTER_OUT_OF_MEMORY, "not enough memory to check %zu tensors", count - 1);
    return false;
  }
  bool right = check_tensors(call, inputs, outputs, workspace, places);
  if (places != few)
    free(places);
  if (!right)
    return false;
  if ((uintptr_t)workspace % SINTER_WORKSPACE_ALIGNMENT != 0) {
    sinter_rt_error(SINTER_BAD_ARGUMENT,
                    "the workspace starts at %p, which is not a multiple of %d", workspace,
                    SINTER_WORKSPACE_ALIGNMENT);
    return false;
  }
  if (!workspace && f->workspace_bytes > 0 && f->device == kDLCUDA && !call->prepare) {
    sinter_rt_error(SINTER_BAD_ARGUMENT, "the workspace is NULL, expected %lld bytes on the device",
                    (long long)f->workspace_bytes);
    return false;
  }
  return true;
}

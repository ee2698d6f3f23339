// call.c: one call of a compiled function: checks, descriptors, status.

#include "call.h"
#include "describe.h"
#include "thread.h"

#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The compiler writes these structs field by field.
static_assert(sizeof(SinterTensor) == 32 && offsetof(SinterTensor, shape) == 24, "abi.h");
static_assert(sizeof(SinterFunction) == 72 && offsetof(SinterFunction, inputs) == 24 &&
                  offsetof(SinterFunction, packed) == 48 && offsetof(SinterFunction, call) == 56,
              "abi.h");
static_assert(sizeof(SinterLibrary) == 56 && offsetof(SinterLibrary, functions) == 8 &&
                  offsetof(SinterLibrary, last_error) == 16,
              "abi.h");

static SinterCall *call_of(SinterThread *t) {
  return t ? atomic_load_explicit(&t->call, memory_order_relaxed) : NULL;
}

// t works for call from now on; answers what it worked for before.
static SinterCall *enter(SinterThread *t, SinterCall *call) {
  SinterCall *before = call_of(t);
  atomic_store_explicit(&t->call, call, memory_order_relaxed);
  return before;
}

SinterCall *sinter_rt_current(void) { return call_of(sinter_rt_known_thread()); }

const char *sinter_rt_last_error(void) {
  SinterThread *t = sinter_rt_known_thread();
  if (t)
    return t->last_error;
  return sinter_rt_thread_failed() ? "not enough memory for what is kept of a thread" : "";
}

int32_t sinter_rt_status(void) {
  SinterCall *call = sinter_rt_current();
  return call ? atomic_load_explicit(&call->status, memory_order_relaxed) : SINTER_OK;
}

static void fail_call(SinterCall *call, int32_t status, const char *format, va_list arguments) {
  // The message is read when every thread of the call is done with it.
  int32_t ok = SINTER_OK;
  if (atomic_compare_exchange_strong(&call->status, &ok, status))
    vsnprintf(call->message, sizeof call->message, format, arguments);
}

__attribute__((format(printf, 3, 4))) static void fail(SinterCall *call, int32_t status,
                                                       const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fail_call(call, status, format, arguments);
  va_end(arguments);
}

void sinter_rt_error(int32_t status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  SinterThread *t = sinter_rt_thread();
  SinterCall *call = call_of(t);
  if (call)
    fail_call(call, status, format, arguments);
  else if (t)
    vsnprintf(t->last_error, sizeof t->last_error, format, arguments);
  va_end(arguments);
}

int64_t sinter_rt_same_size(int64_t got, int64_t want, int32_t input, int32_t dim,
                            int32_t other_input, int32_t other_dim) {
  if (got == want)
    return 1;
  char who[64] = "a computed size", other[64] = "";
  if (input >= 0)
    snprintf(who, sizeof who, "the size of input %d in dimension %d", input, dim);
  if (other_input >= 0)
    snprintf(other, sizeof other, ", that of input %d in dimension %d", other_input, other_dim);
  sinter_rt_error(SINTER_BAD_ARGUMENT, "%s is %lld, expected %lld%s", who, (long long)got,
                  (long long)want, other);
  return 0;
}

// Memory

typedef struct SinterBlock {
  SinterCall *call; // whose list it is in; NULL outside of calls
  struct SinterBlock *next, **to_this;
} SinterBlock;

// Held for a few instructions, so threads that meet here spin.
static void lock_memory(SinterCall *call) {
  while (atomic_flag_test_and_set_explicit(&call->memory_lock, memory_order_acquire))
    ;
}
static void unlock_memory(SinterCall *call) {
  atomic_flag_clear_explicit(&call->memory_lock, memory_order_release);
}

// A block's header lies in front of what is given out.
enum { HEADER = SINTER_WORKSPACE_ALIGNMENT };
static_assert(sizeof(SinterBlock) <= HEADER, "a header is one line");

void *sinter_rt_allocate(int64_t bytes) {
  SinterBlock *block = NULL;
  if (bytes >= 0 && bytes < INT64_MAX - 4 * HEADER)
    block = aligned_alloc(HEADER, ((size_t)bytes + 2 * HEADER - 1) / HEADER * HEADER);
  if (!block) {
    sinter_rt_error(SINTER_OUT_OF_MEMORY, "not enough memory for %lld bytes", (long long)bytes);
    SinterThread *t = sinter_rt_known_thread();
    if (t && t->out_of_memory)
      longjmp(*t->out_of_memory, 1); // never on another thread's stack
    abort(); // compiled code is always run by sinter_rt_run
  }
  SinterCall *call = sinter_rt_current();
  *block = (SinterBlock){call, NULL, NULL};
  if (call) {
    lock_memory(call);
    block->next = call->memory;
    block->to_this = &call->memory;
    if (block->next)
      block->next->to_this = &block->next;
    call->memory = block;
    unlock_memory(call);
  }
  return (char *)block + HEADER;
}

void sinter_rt_release(void *memory) {
  if (!memory)
    return;
  SinterBlock *block = (SinterBlock *)((char *)memory - HEADER);
  if (block->call) {
    lock_memory(block->call);
    *block->to_this = block->next;
    if (block->next)
      block->next->to_this = block->to_this;
    unlock_memory(block->call);
  }
  free(block);
}

void sinter_rt_run(SinterCall *call, void (*code)(void *, int64_t), void *context, int64_t index) {
  SinterThread *t = sinter_rt_thread();
  if (!t) { // an embedder's thread that works for us for the first time
    if (call)
      fail(call, SINTER_OUT_OF_MEMORY, "not enough memory for what is kept of a thread");
    return;
  }
  jmp_buf end, *outer = t->out_of_memory;
  SinterCall *before = enter(t, call);
  t->out_of_memory = &end;
  if (setjmp(end) == 0)
    code(context, index);
  // None has changed since setjmp, so all are what they were.
  t->out_of_memory = outer;
  enter(t, before);
}

void sinter_rt_fail(const char *message) { sinter_rt_error(SINTER_ASSERT_FAILED, "%s", message); }

static bool device_is_right(int32_t device, int32_t type) {
  if (device == kDLCUDA)
    return type == kDLCUDA || type == kDLCUDAManaged;
  return type == kDLCPU || type == kDLCUDAHost;
}

// Refuses a tensor that the table does not allow; what is "input" or "output".
static bool check(const SinterFunction *f, const char *what, int32_t i, const SinterTensor *want,
                  const DLTensor *t, int32_t device_id) {
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
  if (!same) {
    sinter_rt_error(SINTER_BAD_ARGUMENT, "%s %d has shape %s, expected %s", what, i,
                    t->ndim > 0 && !t->shape ? "NULL"
                                             : sinter_describe_shape(t->ndim, t->shape).text,
                    sinter_describe_shape(want->ndim, want->shape).text);
    return false;
  }
  int64_t elements = 1;
  for (int32_t d = t->ndim; d-- > 0;)
    elements *= t->shape[d];
  if (elements == 0)
    return true;
  int64_t stride = 1;
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
  uintptr_t address = (uintptr_t)t->data + t->byte_offset;
  uintptr_t alignment = elements == 1 ? (uintptr_t)sinter_type_bytes(t->dtype) : SINTER_ALIGNMENT;
  if (address % alignment != 0) {
    sinter_rt_error(SINTER_BAD_ARGUMENT, "%s %d starts at %p, which is not a multiple of %d bytes",
                    what, i, (void *)address, (int)alignment);
    return false;
  }
  return true;
}

// Writes the descriptor of a row-major tensor; answers where the next one goes.
static int64_t *describe(int64_t *to, void *data, int32_t ndim, const int64_t *shape) {
  to[0] = to[1] = (int64_t)(uintptr_t)data;
  to[2] = 0;
  int64_t stride = 1;
  for (int32_t d = ndim; d-- > 0;) {
    to[3 + d] = shape[d];
    to[3 + ndim + d] = stride;
    stride *= shape[d];
  }
  return to + 3 + 2 * ndim;
}

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
  if (!f->extension)
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

static bool check_all(const SinterCall *call, DLTensor *const *inputs, DLTensor *const *outputs,
                      void *workspace) {
  const SinterFunction *f = call->function;
  if ((f->num_inputs > 0 && !inputs) || (f->num_outputs > 0 && !outputs)) {
    sinter_rt_error(SINTER_BAD_ARGUMENT, "the array of %s is NULL",
                    f->num_inputs > 0 && !inputs ? "inputs" : "outputs");
    return false;
  }
  for (int32_t i = 0; i < f->num_inputs; i++)
    if (!check(f, "input", i, &f->inputs[i], inputs[i], call->device_id))
      return false;
  for (int32_t i = 0; i < f->num_outputs; i++)
    if (!check(f, "output", i, &f->outputs[i], outputs[i], call->device_id))
      return false;
  if (!check_shapes(f, inputs, outputs))
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

typedef struct {
  const SinterFunction *f;
  void **descriptors;
} Code;

static void run_packed(void *context, int64_t index) {
  const Code *code = context;
  (void)index;
  code->f->packed(code->descriptors);
}

static void run(SinterCall *call, DLTensor *const *inputs, DLTensor *const *outputs,
                void *workspace) {
  const SinterFunction *f = call->function;
  int32_t count = f->num_inputs + f->num_outputs + 1;
  size_t words = (size_t)count + 5;
  for (int32_t i = 0; i < f->num_inputs; i++)
    words += 3 + 2 * (size_t)f->inputs[i].ndim;
  for (int32_t i = 0; i < f->num_outputs; i++)
    words += 3 + 2 * (size_t)f->outputs[i].ndim;

  // First the pointers, then what they point to.
  int64_t local[256];
  int64_t *memory = words <= 256 ? local : malloc(words * sizeof *memory);
  void *own = NULL;
  bool needs_own = !workspace && f->workspace_bytes > 0 && f->device != kDLCUDA;
  if (memory && needs_own) {
    size_t unit = SINTER_WORKSPACE_ALIGNMENT;
    own = workspace = aligned_alloc(unit, ((size_t)f->workspace_bytes + unit - 1) / unit * unit);
  }
  if (!memory || (needs_own && !own)) {
    sinter_rt_error(SINTER_OUT_OF_MEMORY, "not enough memory for a workspace of %lld bytes",
                    (long long)f->workspace_bytes);
  } else {
    void **descriptors = (void **)memory;
    int64_t *to = memory + count;
    for (int32_t i = 0; i < count - 1; i++) {
      const DLTensor *t = i < f->num_inputs ? inputs[i] : outputs[i - f->num_inputs];
      descriptors[i] = to;
      to = describe(to, (void *)((uintptr_t)t->data + t->byte_offset), t->ndim, t->shape);
    }
    descriptors[count - 1] = to;
    describe(to, workspace, 1, &f->workspace_bytes);
    Code code = {f, descriptors};
    sinter_rt_run(call, run_packed, &code, 0);
    while (call->memory) // left by code that a failing assert or missing memory ended
      sinter_rt_release((char *)call->memory + HEADER);
  }
  free(own);
  if (memory != local)
    free(memory);
}

static int32_t enter_and_run(const SinterFunction *f, DLTensor *const *inputs,
                             DLTensor *const *outputs, void *stream, void *workspace,
                             bool prepare) {
  SinterThread *t = sinter_rt_thread();
  if (!t)
    return SINTER_OUT_OF_MEMORY; // last_error knows
  SinterCall call;
  call.function = f;
  call.stream = stream;
  call.prepare = prepare;
  call.device_id = 0;
  if (f->num_inputs > 0 && inputs && inputs[0])
    call.device_id = inputs[0]->device.device_id;
  else if (f->num_outputs > 0 && outputs && outputs[0])
    call.device_id = outputs[0]->device.device_id;
  call.memory = NULL;
  atomic_flag_clear(&call.memory_lock);
  atomic_init(&call.status, SINTER_OK);

  SinterCall *before = enter(t, &call);
  if (check_all(&call, inputs, outputs, workspace))
    run(&call, inputs, outputs, workspace);
  enter(t, before);

  int32_t status = atomic_load(&call.status);
  t->last_error[0] = 0;
  if (status != SINTER_OK)
    snprintf(t->last_error, sizeof t->last_error, "%s: %s", f->name, call.message);
  return status;
}

int32_t sinter_rt_call(const SinterFunction *f, DLTensor *const *inputs, DLTensor *const *outputs,
                       void *stream, void *workspace) {
  return enter_and_run(f, inputs, outputs, stream, workspace, false);
}

int32_t sinter_rt_prepare(const SinterFunction *f, DLTensor *const *inputs,
                          DLTensor *const *outputs) {
  if (f->device == kDLCUDA)
    return enter_and_run(f, inputs, outputs, NULL, NULL, true);
  SinterThread *t = sinter_rt_known_thread();
  if (t)
    t->last_error[0] = 0; // nothing of a CPU function is loaded later
  return SINTER_OK;
}

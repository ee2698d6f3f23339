// call.c: one call of a compiled function: memory, descriptors, status.

#include "call.h"
#include "cpu.h"
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
static_assert(sizeof(SinterLibrary) == 64 && offsetof(SinterLibrary, functions) == 8 &&
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
  SinterThread *t = sinter_rt_thread();
  if (t)
    snprintf(t->sizes, sizeof t->sizes, "%s is %lld, expected %lld%s", who, (long long)got, (long long)want, other);
  return 0;
}

// Memory

typedef struct SinterBlock {
  SinterCall *call; // whose list it is in; NULL outside of calls
  struct SinterBlock *next, **to_this;
  size_t bytes; // with this header
} SinterBlock;

// A block's header lies in front of what is given out.
enum { HEADER = SINTER_WORKSPACE_ALIGNMENT };
static_assert(sizeof(SinterBlock) <= HEADER, "a header is one line");

void sinter_rt_end_code(void) {
  SinterThread *t = sinter_rt_known_thread();
  if (t && t->end)
    longjmp(*t->end, 1); // never on another thread's stack
  abort();               // compiled code is always run by sinter_rt_run
}

int64_t sinter_rt_bytes(int64_t bytes, int64_t size) {
  int64_t product = bytes;
  if (size >= 0 && !__builtin_mul_overflow(bytes, size ? size : 1, &product))
    return product;
  sinter_rt_error(SINTER_BAD_ARGUMENT,
                  "it would need a buffer of %lld times %lld bytes for these inputs", (long long)size,
                  (long long)bytes);
  sinter_rt_end_code();
}

void *sinter_rt_allocate(int64_t bytes) {
  SinterThread *t = sinter_rt_known_thread();
  SinterBlock *block = NULL;
  size_t whole = 0;
  if (bytes >= 0 && bytes < INT64_MAX - 4 * HEADER) {
    whole = ((size_t)bytes + 2 * HEADER - 1) / HEADER * HEADER;
    block = sinter_rt_kept_allocate(t ? &t->kept : NULL, HEADER, &whole);
  }
  if (!block) {
    sinter_rt_error(SINTER_OUT_OF_MEMORY, "not enough memory for %lld bytes", (long long)bytes);
    sinter_rt_end_code();
  }
  SinterCall *call = call_of(t);
  *block = (SinterBlock){call, NULL, NULL, whole};
  if (call) {
    pthread_mutex_lock(&call->memory_lock);
    block->next = call->memory;
    block->to_this = &call->memory;
    if (block->next)
      block->next->to_this = &block->next;
    call->memory = block;
    pthread_mutex_unlock(&call->memory_lock);
  }
  return (char *)block + HEADER;
}

void sinter_rt_release(void *memory) {
  if (!memory)
    return;
  SinterBlock *block = (SinterBlock *)((char *)memory - HEADER);
  if (block->call) {
    pthread_mutex_lock(&block->call->memory_lock);
    *block->to_this = block->next;
    if (block->next)
      block->next->to_this = block->to_this;
    pthread_mutex_unlock(&block->call->memory_lock);
  }
  SinterThread *t = sinter_rt_known_thread();
  if (t)
    sinter_rt_kept_give(&t->kept, block, block->bytes);
  else
    free(block);
}

void sinter_rt_run(SinterCall *call, void (*code)(void *, int64_t), void *context, int64_t index) {
  SinterThread *t = sinter_rt_thread();
  if (!t) { // an embedder's thread that works for us for the first time
    if (call)
      fail(call, SINTER_OUT_OF_MEMORY, "not enough memory for what is kept of a thread");
    return;
  }
  jmp_buf end, *outer = t->end;
  SinterCall *before = enter(t, call);
  t->end = &end;
  if (setjmp(end) == 0)
    code(context, index);
  // None has changed since setjmp, so all are what they were.
  t->end = outer;
  enter(t, before);
}

void sinter_rt_fail(const char *message) {
  SinterThread *t = sinter_rt_known_thread();
  if (t && *t->sizes)
    sinter_rt_error(SINTER_BAD_ARGUMENT, "%s: %s", message, t->sizes);
  else
    sinter_rt_error(SINTER_ASSERT_FAILED, "%s", message);
  if (t)
    *t->sizes = 0;
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
  size_t unit = SINTER_WORKSPACE_ALIGNMENT, bytes = ((size_t)f->workspace_bytes + unit - 1) / unit * unit;
  SinterThread *t = sinter_rt_thread();
  bool needs_own = !workspace && f->workspace_bytes > 0 && f->device != kDLCUDA;
  if (memory && needs_own) // what the last call had is mapped already
    own = workspace = sinter_rt_kept_allocate(t ? &t->kept : NULL, unit, &bytes);
  if (!memory || (needs_own && !own)) {
    sinter_rt_error(SINTER_OUT_OF_MEMORY, "not enough memory for a workspace of %lld bytes",
                    (long long)f->workspace_bytes);
  } else {
    void **descriptors = (void **)memory;
    int64_t *to = memory + count;
    for (int32_t i = 0; i < count - 1; i++) {
      const DLTensor *x = i < f->num_inputs ? inputs[i] : outputs[i - f->num_inputs];
      descriptors[i] = to;
      to = describe(to, (void *)((uintptr_t)x->data + x->byte_offset), x->ndim, x->shape);
    }
    descriptors[count - 1] = to;
    describe(to, workspace, 1, &f->workspace_bytes);
    Code code = {f, descriptors};
    sinter_rt_run(call, run_packed, &code, 0);
    while (call->memory) // left by code that a failing assert or missing memory ended
      sinter_rt_release((char *)call->memory + HEADER);
    if (call->device_memory)
      call->release_device(call);
  }
  if (own && t)
    sinter_rt_kept_give(&t->kept, own, bytes);
  else
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
  call.device_memory = NULL;
  pthread_mutex_init(&call.memory_lock, NULL);
  atomic_init(&call.status, SINTER_OK);

  SinterCall *before = enter(t, &call);
  if (sinter_rt_check(&call, inputs, outputs, workspace))
    run(&call, inputs, outputs, workspace);
  enter(t, before);
  pthread_mutex_destroy(&call.memory_lock);

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

int32_t sinter_rt_call_on(const SinterFunction *f, DLTensor *const *inputs,
                          DLTensor *const *outputs, void *stream, void *workspace,
                          uint64_t features) {
  uint64_t missing = sinter_cpu_missing(features);
  if (!missing)
    return sinter_rt_call(f, inputs, outputs, stream, workspace);
  SinterThread *t = sinter_rt_thread();
  if (!t)
    return SINTER_OUT_OF_MEMORY;
  char names[256];
  sinter_cpu_names(missing, names, sizeof names);
  snprintf(t->last_error, sizeof t->last_error,
           "%s: this CPU has no %s, which the library was compiled for: compile it on this machine, or "
           "for an older processor with --cpu",
           f->name, names);
  return SINTER_UNSUPPORTED;
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

// count.c: what calls have done so far, what they do right now, and what they will cost.

#include "call.h"

#include <stdatomic.h>

static _Atomic int64_t counters[3];

void sinter_rt_count(int32_t what, int64_t n) {
  SinterCall *call = sinter_rt_current();
  if (call && call->prepare)
    return;
  atomic_fetch_add_explicit(&counters[what], n, memory_order_relaxed);
}

void sinter_rt_stats(SinterStats *out) {
  out->kernels = atomic_load_explicit(&counters[SINTER_COUNT_KERNEL], memory_order_relaxed);
  out->library_calls =
      atomic_load_explicit(&counters[SINTER_COUNT_LIBRARY_CALL], memory_order_relaxed);
  out->bytes_temporary =
      atomic_load_explicit(&counters[SINTER_COUNT_TEMPORARY_BYTES], memory_order_relaxed);
}

static _Atomic(const SinterProfiler *) profiler;

const SinterProfiler *sinter_rt_profiler(void) { return atomic_load_explicit(&profiler, memory_order_acquire); }

void sinter_rt_set_profiler(const SinterProfiler *p) { atomic_store_explicit(&profiler, p, memory_order_release); }

static void tell(int32_t kernel, bool begins) {
  const SinterProfiler *p = sinter_rt_profiler();
  SinterCall *call = p ? sinter_rt_current() : NULL; // most calls are not watched
  if (call && !call->prepare)
    (begins ? p->begin : p->end)(p->user, call->function, kernel);
}

void sinter_rt_begin(int32_t kernel) { tell(kernel, true); }

void sinter_rt_end(int32_t kernel) { tell(kernel, false); }

static void add(int64_t *to, int64_t n) {
  if (__builtin_add_overflow(*to, n, to))
    *to = INT64_MAX;
}

void sinter_rt_cost(SinterCosts *costs, int64_t what, int64_t n, int64_t read, int64_t written, int64_t flops) {
  if (what == SINTER_COST_LIBRARY_CALLS) {
    costs->library_calls += n;
  } else if (what == SINTER_COST_TEMPORARY_BYTES) {
    costs->bytes_temporary += n;
  } else {
    SinterKernelCost *k = &costs->kernels[what];
    k->runs++;
    k->launches += n;
    add(&k->bytes_read, read); // what is not known is negative, and stays so
    add(&k->bytes_written, written);
    add(&k->flops, flops);
  }
}

void sinter_rt_cost_table(SinterCosts *costs, const int64_t *rows, int64_t n) {
  for (const int64_t *row = rows; row < rows + 5 * n; row += 5)
    sinter_rt_cost(costs, row[0], row[1], row[2], row[3], row[4]);
}

typedef struct Account {
  const SinterFunctionDetails *details;
  void **descriptors;
  SinterCosts *costs;
} Account;

static void account(void *context, int64_t index) {
  (void)index;
  const Account *a = context;
  a->details->costs(a->descriptors, a->costs);
}

// A call of its own, so that the first of its errors is the one that is told.
int32_t sinter_rt_costs(const SinterFunction *f, const SinterFunctionDetails *details, void **descriptors,
                        SinterCosts *costs) {
  SinterCall call = {.function = f};
  pthread_mutex_init(&call.memory_lock, NULL);
  atomic_init(&call.status, SINTER_OK);
  sinter_rt_run(&call, account, &(Account){details, descriptors, costs}, 0);
  pthread_mutex_destroy(&call.memory_lock);
  int32_t status = atomic_load(&call.status);
  if (status != SINTER_OK)
    sinter_rt_error(status, "%s: %s", f->name, call.message);
  return status;
}

// parallel.c: a parallel region on a pool of threads.
//
// The pool is made when the first region needs it and destroyed when the
// library is unloaded, since its threads would otherwise run code that is gone.

#define _GNU_SOURCE // sched_getaffinity

#include "call.h"
#include "pool.h"
#include "thread.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>

// Readers run regions; the writer changes what they run on.
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static bool ready; // the three below have been decided
static SinterPool *pool;
static SinterParallel replacement;
static void *replacement_pool;
static int32_t wanted_threads;

typedef struct Region {
  SinterTask task;
  void *context;
  SinterCall *call;
} Region;

// On any thread: the task works for the call that started the region.
static void run_one(void *argument, int64_t index) {
  const Region *r = argument;
  SinterThread *t = sinter_rt_thread(); // NULL is the call's error in sinter_rt_run
  bool was_in_task = t && t->in_task;
  if (t)
    t->in_task = true;
  const SinterProfiler *profiler = sinter_rt_profiler();
  if (profiler)
    profiler->task(profiler->user, true);
  sinter_rt_run(r->call, r->task, r->context, index);
  if (profiler)
    profiler->task(profiler->user, false);
  atomic_thread_fence(memory_order_seq_cst); // stores past the caches are ordered by nothing else
  if (t)
    t->in_task = was_in_task;
}

static size_t allowed_cpus(void) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    return (size_t)CPU_COUNT(&set);
  long online = sysconf(_SC_NPROCESSORS_ONLN); // more CPUs than a cpu_set_t holds
  return online > 0 ? (size_t)online : 1;
}

// A forked child has the pool but none of its threads.
static void forget_pool(void) {
  pool = NULL;
  ready = false;
  SinterThread *t = sinter_rt_known_thread();
  if (t)
    t->in_task = false;
  pthread_rwlock_init(&lock, NULL);
}

static void make_pool(void) {
  static bool registered;
  pthread_rwlock_wrlock(&lock);
  if (!registered)
    registered = pthread_atfork(NULL, NULL, forget_pool) == 0;
  if (!ready) {
    size_t threads = wanted_threads > 0 ? (size_t)wanted_threads : allowed_cpus();
    // No pool, if there are no threads to be had, is one thread. So is one that a fork would break.
    pool = registered && !replacement ? sinter_pool_make(threads) : NULL;
    ready = true;
  }
  pthread_rwlock_unlock(&lock);
}

static void drop_pool(void) {
  sinter_pool_free(pool);
  pool = NULL;
  ready = false;
}

// A region that still runs when the process ends keeps its pool.
__attribute__((destructor)) static void unload(void) {
  if (pthread_rwlock_trywrlock(&lock) != 0)
    return;
  drop_pool();
  pthread_rwlock_unlock(&lock);
}

static bool in_task(void) {
  const SinterThread *t = sinter_rt_known_thread();
  return t && t->in_task;
}

void sinter_rt_set_threads(int32_t threads) {
  if (in_task())
    return;
  pthread_rwlock_wrlock(&lock);
  if (threads != wanted_threads)
    drop_pool();
  wanted_threads = threads;
  pthread_rwlock_unlock(&lock);
}

void sinter_rt_set_parallel(SinterParallel parallel, void *context) {
  if (in_task())
    return;
  pthread_rwlock_wrlock(&lock);
  drop_pool();
  replacement = parallel;
  replacement_pool = context;
  pthread_rwlock_unlock(&lock);
}

static void lock_ready(void) {
  pthread_rwlock_rdlock(&lock);
  while (!ready) {
    pthread_rwlock_unlock(&lock);
    make_pool();
    pthread_rwlock_rdlock(&lock);
  }
}

int64_t sinter_rt_threads(void) {
  if (in_task() || !sinter_rt_thread())
    return 1;
  lock_ready();
  int64_t threads = pool ? (int64_t)sinter_pool_threads(pool) : 1;
  if (replacement)
    threads = wanted_threads > 0 ? wanted_threads : (int64_t)allowed_cpus();
  pthread_rwlock_unlock(&lock);
  return threads;
}

void sinter_rt_parallel(SinterTask task, void *context, int64_t count) {
  // A thread that nothing can be kept of stays by itself: its regions would not know that they are nested.
  if (count == 1 || in_task() || !sinter_rt_thread()) {
    for (int64_t i = 0; i < count; i++)
      task(context, i);
    return;
  }
  if (count <= 0)
    return;
  Region region = {task, context, sinter_rt_current()};
  lock_ready();
  if (replacement)
    replacement(replacement_pool, run_one, &region, count);
  else if (pool)
    sinter_pool_run(pool, run_one, &region, count);
  else
    for (int64_t i = 0; i < count; i++)
      run_one(&region, i);
  pthread_rwlock_unlock(&lock);
}

int64_t sinter_rt_take_slot(int64_t *taken) {
  uint64_t *all = (uint64_t *)taken, seen = __atomic_load_n(all, __ATOMIC_RELAXED);
  for (;;) {
    int64_t slot = ~seen ? __builtin_ctzll(~seen) : 0; // a region has no more tasks than there are numbers
    if (__atomic_compare_exchange_n(all, &seen, seen | (uint64_t)1 << slot, true, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
      return slot;
  }
}

void sinter_rt_give_slot(int64_t *taken, int64_t slot) {
  __atomic_fetch_and((uint64_t *)taken, ~((uint64_t)1 << slot), __ATOMIC_RELEASE);
}

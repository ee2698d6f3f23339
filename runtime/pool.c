// pool.c: threads that run tasks.
//
//   caller   open ------ tasks ------ close -- wait until nobody is inside
//   worker      sleeps, wakes, enter -- tasks -- leave
//
// A region ends when all of its tasks have run. A worker that comes later finds it closed,
// so on a loaded machine nobody waits for a thread that has not started. Each thread begins with
// the same share of the tasks in each region, in order, so that what a task wrote is in
// the cache of the thread that reads it next; one that is done takes from the ends of others' shares.
//
// Threads that wait look again and again for a few microseconds, then let others run
// in between, then sleep.
//
// test: test/runtime/parallel.test

#define _GNU_SOURCE // syscall

#include "helgrind.h"
#include "pool.h"
#include "thread.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifdef __SSE2__
#include <immintrin.h>
static unsigned rounding(void) { return _mm_getcsr(); }
static void set_rounding(unsigned mode) { _mm_setcsr(mode); }
static void pause_a_little(void) { _mm_pause(); }
#else
#include <fenv.h>
static unsigned rounding(void) { return (unsigned)fegetround(); }
static void set_rounding(unsigned mode) { fesetround((int)mode); }
static void pause_a_little(void) {}
#endif

// The tasks [first, end) of a thread. Whoever makes `left` one less may take one: its
// owner the first, others the last.
typedef struct Share {
  _Alignas(64) _Atomic int64_t left;
  _Atomic int64_t end;
  int64_t first;
} Share;

typedef struct Worker {
  SinterPool *pool;
  size_t number; // the caller is 0
  pthread_t thread;
} Worker;

struct SinterPool {
  pthread_mutex_t busy; // held by the caller whose region runs
  void (*task)(void *, int64_t);
  void *context;
  unsigned mode;                  // how the caller rounds
  _Alignas(64) _Atomic uint32_t inside; // workers inside of the region, OPEN, CALLER_SLEEPS
  _Alignas(64) _Atomic uint32_t regions; // opened so far; workers sleep on it
  _Atomic int32_t sleepers;
  _Atomic bool ends;
  size_t threads; // with the caller
  Worker *workers;
  Share *shares;
};

static const uint32_t OPEN = 1u << 31, CALLER_SLEEPS = 1u << 30, COUNT = (1u << 30) - 1;

// ---- waiting -----------------------------------------------------------------------

void sinter_pool_sleep_on(_Atomic uint32_t *word, uint32_t value) {
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

void sinter_pool_wake(_Atomic uint32_t *word, int threads) {
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, threads, NULL, NULL, 0);
}

static int64_t nanoseconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

// Waking a thread takes some 50 us: to spin for longer than that is waste.
enum { SPIN_NANOSECONDS = 10000, YIELD_NANOSECONDS = 60000 };

// Until (*word & mask) is no longer value; false if that took too long.
bool sinter_pool_changes_soon(_Atomic uint32_t *word, uint32_t mask, uint32_t value) {
  int64_t start = 0, now = 0;
  do {
    for (int i = 0; i < 32; i++) {
      if ((atomic_load_explicit(word, memory_order_acquire) & mask) != value)
        return true;
      pause_a_little();
    }
    now = nanoseconds();
    start = start ? start : now;
    if (now - start > SPIN_NANOSECONDS)
      sched_yield();
  } while (now - start < SPIN_NANOSECONDS + YIELD_NANOSECONDS);
  return false;
}

// ---- a region -----------------------------------------------------------------------

static bool may_take(Share *s) {
  int64_t left = atomic_load_explicit(&s->left, memory_order_relaxed);
  while (left > 0)
    if (atomic_compare_exchange_weak_explicit(&s->left, &left, left - 1, memory_order_relaxed,
                                              memory_order_relaxed))
      return true;
  return false;
}

static void run_tasks(SinterPool *pool, size_t number) {
  Share *own = &pool->shares[number];
  while (may_take(own))
    pool->task(pool->context, own->first++);
  for (size_t k = 1; k < pool->threads; k++) {
    Share *other = &pool->shares[(number + k) % pool->threads];
    while (may_take(other))
      pool->task(pool->context,
                 atomic_fetch_sub_explicit(&other->end, 1, memory_order_relaxed) - 1);
  }
}

static bool enter(SinterPool *pool) {
  uint32_t inside = atomic_load_explicit(&pool->inside, memory_order_relaxed);
  while (inside & OPEN)
    if (atomic_compare_exchange_weak_explicit(&pool->inside, &inside, inside + 1,
                                              memory_order_acquire, memory_order_relaxed))
      return true;
  return false;
}

static void leave(SinterPool *pool) {
  ANNOTATE_HAPPENS_BEFORE(&pool->inside);
  if (atomic_fetch_sub_explicit(&pool->inside, 1, memory_order_release) == (CALLER_SLEEPS | 1))
    sinter_pool_wake(&pool->inside, 1);
}

// Waits until no worker is inside, with the region closed.
static void wait_for_workers(SinterPool *pool) {
  uint32_t inside = atomic_fetch_and_explicit(&pool->inside, ~OPEN, memory_order_acquire);
  while (inside & COUNT) {
    if (!sinter_pool_changes_soon(&pool->inside, COUNT, inside & COUNT)) {
      atomic_fetch_or(&pool->inside, CALLER_SLEEPS);
      while ((inside = atomic_load(&pool->inside)) & COUNT) // the last that leaves wakes us
        sinter_pool_sleep_on(&pool->inside, inside);
    }
    inside = atomic_load_explicit(&pool->inside, memory_order_acquire);
  }
  atomic_store_explicit(&pool->inside, 0, memory_order_relaxed);
  ANNOTATE_HAPPENS_AFTER(&pool->inside);
}

void sinter_pool_run(SinterPool *pool, void (*task)(void *, int64_t), void *context,
                     int64_t count) {
  pthread_mutex_lock(&pool->busy);
  pool->task = task;
  pool->context = context;
  pool->mode = rounding();
  int64_t threads = (int64_t)pool->threads, each = count / threads, more = count % threads;
  for (int64_t i = 0, first = 0; i < threads; i++) {
    Share *s = &pool->shares[i];
    int64_t size = each + (i < more);
    s->first = first;
    first += size;
    atomic_store_explicit(&s->end, first, memory_order_relaxed);
    atomic_store_explicit(&s->left, size, memory_order_relaxed);
  }
  ANNOTATE_HAPPENS_BEFORE(&pool->regions);
  atomic_store_explicit(&pool->inside, OPEN, memory_order_release);
  // Either a worker that is about to sleep sees the new number, or we see it among the sleepers.
  atomic_fetch_add(&pool->regions, 1);
  int64_t sleepers = atomic_load(&pool->sleepers);
  if (sleepers > 0)
    sinter_pool_wake(&pool->regions, (int)(sleepers < count - 1 ? sleepers : count - 1));
  run_tasks(pool, 0);
  wait_for_workers(pool);
  pthread_mutex_unlock(&pool->busy);
}

static void wait_for_region(SinterPool *pool, uint32_t seen) {
  if (sinter_pool_changes_soon(&pool->regions, UINT32_MAX, seen))
    return;
  atomic_fetch_add(&pool->sleepers, 1);
  while (atomic_load(&pool->regions) == seen && !atomic_load(&pool->ends))
    sinter_pool_sleep_on(&pool->regions, seen);
  atomic_fetch_sub(&pool->sleepers, 1);
}

static void *work(void *argument) {
  Worker *w = argument;
  SinterPool *pool = w->pool;
  if (!sinter_rt_thread()) // no memory: a region does without this thread
    return NULL;
  while (!atomic_load(&pool->ends)) {
    uint32_t seen = atomic_load_explicit(&pool->regions, memory_order_acquire);
    if (enter(pool)) {
      ANNOTATE_HAPPENS_AFTER(&pool->regions);
      set_rounding(pool->mode);
      run_tasks(pool, w->number);
      leave(pool);
    }
    wait_for_region(pool, seen);
  }
  return NULL;
}

// ---- a pool --------------------------------------------------------------------------

// Starts workers until the system has no more. Signals are for the embedder's own threads.
static void start(SinterPool *pool, size_t threads) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  size_t started = 1;
  for (; started < threads; started++) {
    Worker *w = &pool->workers[started];
    *w = (Worker){pool, started, 0};
    if (pthread_create(&w->thread, NULL, work, w) != 0)
      break;
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  // Workers read it in a region only, and none has been opened.
  pool->threads = started;
}

SinterPool *sinter_pool_make(size_t threads) {
  if (threads < 2)
    return NULL;
  SinterPool *pool = aligned_alloc(_Alignof(SinterPool), sizeof *pool);
  Worker *workers = calloc(threads, sizeof *workers);
  Share *shares = aligned_alloc(_Alignof(Share), threads * sizeof *shares);
  bool made = pool && workers && shares;
  if (made) {
    *pool = (SinterPool){.threads = threads, .workers = workers, .shares = shares};
    pthread_mutex_init(&pool->busy, NULL);
    start(pool, threads);
    made = pool->threads > 1;
  }
  if (!made) {
    free(pool);
    free(workers);
    free(shares);
  }
  return made ? pool : NULL;
}

size_t sinter_pool_threads(const SinterPool *pool) { return pool->threads; }

void sinter_pool_free(SinterPool *pool) {
  if (!pool)
    return;
  atomic_store(&pool->ends, true);
  atomic_fetch_add(&pool->regions, 1);
  sinter_pool_wake(&pool->regions, INT32_MAX);
  for (size_t i = 1; i < pool->threads; i++)
    pthread_join(pool->workers[i].thread, NULL);
  pthread_mutex_destroy(&pool->busy);
  free(pool->workers);
  free(pool->shares);
  free(pool);
}

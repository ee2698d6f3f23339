// thread.c: a record for each thread that calls, or works for a call.
//
// A thread-local variable of a library that was opened at run time is allocated when
// a thread first touches it, and glibc ends the process if that fails. A key of
// pthread says so instead. Its destructor gives the record of a thread that ends to the next
// new one; all are freed when the library is unloaded.

#include "thread.h"

#include <pthread.h>
#include <stdlib.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static atomic_bool has_key;
static SinterThread *_Atomic all;
static atomic_bool failed;

static void give_back(void *thread) {
  SinterThread *t = thread;
  t->last_error[0] = t->cuda_error[0] = 0;
  sinter_rt_kept_free(&t->kept);
  atomic_store(&t->taken, false);
}

static void make_key(void) { atomic_store(&has_key, pthread_key_create(&key, give_back) == 0); }

// A record that no thread has, or a new one.
static SinterThread *take(void) {
  for (SinterThread *t = atomic_load(&all); t; t = t->next) {
    bool taken = false;
    if (atomic_compare_exchange_strong(&t->taken, &taken, true))
      return t;
  }
  SinterThread *t = calloc(1, sizeof *t);
  if (!t)
    return NULL;
  atomic_init(&t->taken, true);
  t->next = atomic_load(&all);
  while (!atomic_compare_exchange_weak(&all, &t->next, t))
    ;
  return t;
}

SinterThread *sinter_rt_known_thread(void) {
  if (!atomic_load_explicit(&has_key, memory_order_acquire))
    pthread_once(&once, make_key);
  return has_key ? pthread_getspecific(key) : NULL;
}

SinterThread *sinter_rt_thread(void) {
  SinterThread *t = sinter_rt_known_thread();
  if (t)
    return t;
  t = has_key ? take() : NULL;
  if (t && pthread_setspecific(key, t) != 0) {
    give_back(t);
    t = NULL;
  }
  if (!t)
    atomic_store(&failed, true);
  return t;
}

bool sinter_rt_thread_failed(void) { return atomic_load(&failed); }

bool sinter_rt_busy(void) {
  for (SinterThread *t = atomic_load(&all); t; t = t->next)
    if (atomic_load(&t->call))
      return true;
  return false;
}

// Priority 101: after the destructors without one, whose threads have records. Where the process
// ends while a thread is in a call, the thread keeps what it has.
__attribute__((destructor(101))) static void unload(void) {
  if (sinter_rt_busy())
    return;
  if (has_key)
    pthread_key_delete(key);
  has_key = false;
  for (SinterThread *t = atomic_exchange(&all, NULL), *next; t; t = next) {
    next = t->next;
    sinter_rt_kept_free(&t->kept);
    free(t);
  }
}

// pool.h: threads that run tasks.

#ifndef SINTER_RUNTIME_POOL_H
#define SINTER_RUNTIME_POOL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

typedef struct SinterPool SinterPool;

// So many threads, the caller of a region among them; fewer if the system has no more.
// NULL if it has only the caller's.
SinterPool *sinter_pool_make(size_t threads);

// So many, the caller among them.
size_t sinter_pool_threads(const SinterPool *pool);

// Not while a region runs.
void sinter_pool_free(SinterPool *pool);

// Runs task(context, i) for every i in [0, count) on the pool's threads and this one, with
// this one's rounding mode, and returns when all have run. Regions of several threads
// take turns. A task starts no region of this pool.
void sinter_pool_run(SinterPool *pool, void (*task)(void *context, int64_t index), void *context,
                     int64_t count);

// Waiting as the pool does. Until (*word & mask) is no longer value: true, or false if that took too long; then to
// sleep until somebody wakes who waits on the word, or at once if it is not the value.
bool sinter_pool_changes_soon(_Atomic uint32_t *word, uint32_t mask, uint32_t value);
void sinter_pool_sleep_on(_Atomic uint32_t *word, uint32_t value);
void sinter_pool_wake(_Atomic uint32_t *word, int threads);

#pragma GCC visibility pop

#endif

// pool.h: threads that run tasks.

#ifndef SINTER_RUNTIME_POOL_H
#define SINTER_RUNTIME_POOL_H

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

typedef struct SinterPool SinterPool;

// So many threads, the caller of a region among them; fewer if the system has no more.
// NULL if it has only the caller's.
SinterPool *sinter_pool_make(size_t threads);

// Not while a region runs.
void sinter_pool_free(SinterPool *pool);

// Runs task(context, i) for every i in [0, count) on the pool's threads and this one, with
// this one's rounding mode, and returns when all have run. Regions of several threads
// take turns. A task starts no region of this pool.
void sinter_pool_run(SinterPool *pool, void (*task)(void *context, int64_t index), void *context,
                     int64_t count);

#pragma GCC visibility pop

#endif

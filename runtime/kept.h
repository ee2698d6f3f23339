// kept.h: memory that a thread released, for the next who asks on that thread.

#ifndef SINTER_RUNTIME_KEPT_H
#define SINTER_RUNTIME_KEPT_H

#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)

// Smaller ones malloc answers fast; of all together a thread keeps no more than the most.
enum { SINTER_KEPT_PIECES = 32, SINTER_KEPT_LEAST = 1 << 12, SINTER_KEPT_MOST = 1 << 28 };

// The one that was released first comes first.
typedef struct {
  struct {
    void *memory;
    size_t bytes;
  } pieces[SINTER_KEPT_PIECES];
  int count;
  size_t bytes;
} SinterKept;

// Memory of bytes or more, at most twice as many; *bytes becomes how many. NULL if none is kept.
void *sinter_rt_kept_take(SinterKept *kept, size_t *bytes);

// The same, or new memory, of bytes that are a multiple of the alignment. What is kept is freed where there would be no
// memory with it. kept may be NULL, and so is the result where there is no memory.
void *sinter_rt_kept_allocate(SinterKept *kept, size_t alignment, size_t *bytes);

// Keeps what is aligned_alloc's, or frees it. What was released first goes where there is no room.
void sinter_rt_kept_give(SinterKept *kept, void *memory, size_t bytes);

void sinter_rt_kept_free(SinterKept *kept);

#pragma GCC visibility pop

#endif

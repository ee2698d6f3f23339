// kept.c: memory that a thread released, for the next who asks on that thread.
//
// A call with sizes `?` takes its buffers one by one, and has released all of them at its end. malloc gives pages that
// are free at the top of its memory back to the system, so the next call would touch new ones: in a call of half a
// millisecond a page fault for each takes a fifth of the time.
//
// test: test/runtime/memory.c

#include "kept.h"

#include <stdlib.h>
#include <string.h>

static void forget(SinterKept *kept, int at) {
  kept->bytes -= kept->pieces[at].bytes;
  kept->count--;
  memmove(&kept->pieces[at], &kept->pieces[at + 1], (size_t)(kept->count - at) * sizeof kept->pieces[0]);
}

static void free_first(SinterKept *kept) {
  free(kept->pieces[0].memory);
  forget(kept, 0);
}

// Of those that hold bytes, and at most twice as many, the smallest; -1 if there is none.
static int fit(const SinterKept *kept, size_t bytes) {
  int best = -1;
  for (int at = 0; at < kept->count; at++) {
    size_t has = kept->pieces[at].bytes;
    if (has >= bytes && has / 2 <= bytes && (best < 0 || has < kept->pieces[best].bytes))
      best = at;
  }
  return best;
}

void *sinter_rt_kept_take(SinterKept *kept, size_t *bytes) {
  int at = fit(kept, *bytes);
  if (at < 0)
    return NULL;
  void *memory = kept->pieces[at].memory;
  *bytes = kept->pieces[at].bytes;
  forget(kept, at);
  return memory;
}

void *sinter_rt_kept_allocate(SinterKept *kept, size_t alignment, size_t *bytes) {
  void *memory = kept ? sinter_rt_kept_take(kept, bytes) : NULL;
  if (!memory)
    memory = aligned_alloc(alignment, *bytes);
  if (memory || !kept || !kept->count)
    return memory;
  sinter_rt_kept_free(kept);
  return aligned_alloc(alignment, *bytes);
}

void sinter_rt_kept_give(SinterKept *kept, void *memory, size_t bytes) {
  if (bytes < SINTER_KEPT_LEAST || bytes > SINTER_KEPT_MOST) {
    free(memory);
    return;
  }
  while (kept->count == SINTER_KEPT_PIECES || kept->bytes + bytes > SINTER_KEPT_MOST)
    free_first(kept);
  kept->pieces[kept->count].memory = memory;
  kept->pieces[kept->count++].bytes = bytes;
  kept->bytes += bytes;
}

void sinter_rt_kept_free(SinterKept *kept) {
  while (kept->count)
    free_first(kept);
}

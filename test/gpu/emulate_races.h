// emulate_races.h: who touched shared memory last, and whether a barrier stands between; part of emulate.c.
//
// clang instruments the kernels' loads and stores as for ThreadSanitizer; the functions that it calls are here. Two
// threads that touch one address, one of them writing, must have met in between: at a barrier of the block or the
// cluster, in a shuffle or barrier of one warp, or because the first one signalled (an mbarrier, a counter, a barrier
// of some threads) before a wait of the second one ended. Of signals any counts: which one was waited for is not
// followed.

enum { NOBODY = -1 };
typedef struct { // one access: the thread, and how often it had met others by then
  int32_t thread, warp, block, cluster, signals;
} Stamp;
typedef struct {
  int32_t run; // of which cluster this is: older ones count as untouched
  Stamp write, read[2];
} Cell;
static Cell *cells; // one for each byte
static int32_t cluster_run;
static int64_t now;

static void signalled(void) {
  if (me->num_signals == me->most_signals) {
    me->most_signals = me->most_signals ? 2 * me->most_signals : 64;
    me->signals = realloc(me->signals, (size_t)me->most_signals * sizeof *me->signals);
  }
  me->signals[me->num_signals++] = ++now;
}
static void waited(void) { me->last_wait = ++now; }

static Stamp stamp(void) {
  return (Stamp){(int32_t)(me - threads), (int32_t)me->shuffles, (int32_t)me->barriers, (int32_t)me->cluster_barriers,
                 (int32_t)me->num_signals};
}
static int met(const Stamp *s) {
  const Thread *t = &threads[s->thread];
  return t == me || (s->thread / 32 == (me - threads) / 32 && s->warp < me->shuffles) ||
         (t->block == me->block && s->block < me->barriers) ||
         s->cluster < me->cluster_barriers || (s->signals < t->num_signals && t->signals[s->signals] < me->last_wait);
}
static void race(const Stamp *s, uintptr_t offset, const char *first, const char *second) {
  if (failure[0])
    return;
  const Thread *t = &threads[s->thread];
  snprintf(failure, sizeof failure,
           "%s: a race: thread %lld of block %lld %s byte %llu of shared memory, thread %lld of block %lld %s it, and "
           "no barrier stands between",
           kernel->name, (long long)t->thread, (long long)t->block, first, (unsigned long long)offset,
           (long long)me->thread, (long long)me->block, second);
}

static void touch(const void *p, int64_t bytes, int writes) {
  uintptr_t from = (uintptr_t)p - (uintptr_t)shared;
  if ((uintptr_t)p < (uintptr_t)shared || from >= (uintptr_t)(shared_stride * cluster_size))
    return;
  for (uintptr_t i = from; i < from + (uintptr_t)bytes; i += bytes == 1 ? 1 : 2) {
    Cell *c = &cells[i];
    if (c->run != cluster_run)
      *c = (Cell){cluster_run, {.thread = NOBODY}, {{.thread = NOBODY}, {.thread = NOBODY}}};
    if (c->write.thread != NOBODY && !met(&c->write))
      race(&c->write, i, "wrote", writes ? "writes" : "reads");
    if (!writes) {
      if (c->read[0].thread != me - threads)
        c->read[1] = c->read[0];
      c->read[0] = stamp();
      continue;
    }
    for (int r = 0; r < 2; ++r)
      if (c->read[r].thread != NOBODY && !met(&c->read[r]))
        race(&c->read[r], i, "read", "writes");
    c->write = stamp();
    c->read[0].thread = c->read[1].thread = NOBODY;
  }
}

// What the kernel says is aligned to its size; of 16 bytes, at least to 8. A GPU stops where it is not.
static void aligned(const void *p, uintptr_t bytes, const char *does) {
  if ((uintptr_t)p % (bytes > 8 ? 8 : bytes) && !failure[0])
    snprintf(failure, sizeof failure,
             "%s: thread %lld of block %lld %s %llu bytes from a place that is no multiple of it", kernel->name,
             (long long)me->thread, (long long)me->block, does, (unsigned long long)bytes);
}

#define ACCESS(n) \
  void __tsan_read##n(void *p) { aligned(p, n, "reads"), touch(p, n, 0); } \
  void __tsan_write##n(void *p) { aligned(p, n, "writes"), touch(p, n, 1); } \
  void __tsan_read_write##n(void *p) { touch(p, n, 0), touch(p, n, 1); } \
  void __tsan_unaligned_read##n(void *p) { touch(p, n, 0); } \
  void __tsan_unaligned_write##n(void *p) { touch(p, n, 1); } \
  void __tsan_unaligned_read_write##n(void *p) { touch(p, n, 0), touch(p, n, 1); }
ACCESS(1)
ACCESS(2)
ACCESS(4)
ACCESS(8)
ACCESS(16)
void __tsan_init(void) {}
void __tsan_func_entry(void *pc) { (void)pc; }
void __tsan_func_exit(void) {}
void *__tsan_memset(void *p, int x, size_t n) { return touch(p, (int64_t)n, 1), memset(p, x, n); }
void *__tsan_memcpy(void *to, const void *from, size_t n) {
  return touch(from, (int64_t)n, 0), touch(to, (int64_t)n, 1), memcpy(to, from, n);
}
void *__tsan_memmove(void *to, const void *from, size_t n) {
  return touch(from, (int64_t)n, 0), touch(to, (int64_t)n, 1), memmove(to, from, n);
}

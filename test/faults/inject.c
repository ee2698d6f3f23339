// inject.c: memory and threads that run out when a test says so.
//
// Linked into a program, or preloaded into one (libsinter-inject.so), it stands before malloc and its kin, mmap,
// mprotect and pthread_create. Preloaded, it is armed from the start by
//
//   SINTER_INJECT=memory:7      the 7th request of memory is refused
//   SINTER_INJECT=memory:7+     and all behind it
//   SINTER_INJECT=threads:1+    no threads

#define _GNU_SOURCE

#include "test/faults/inject.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#pragma GCC visibility push(default) // to stand before those of libraries

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *memory);

static _Atomic int armed;
static atomic_bool all_behind;
static atomic_long left, refused, live;

void inject_arm(InjectKind kind, long n, bool from_here) {
  atomic_store(&left, n);
  atomic_store(&refused, 0);
  atomic_store(&all_behind, from_here);
  atomic_store(&armed, kind);
}

long inject_disarm(void) {
  atomic_store(&armed, INJECT_NOTHING);
  return atomic_load(&refused);
}

long inject_live(void) { return atomic_load(&live); }

static bool refuse(InjectKind kind) {
  if (atomic_load_explicit(&armed, memory_order_relaxed) != (int)kind)
    return false;
  long now = atomic_fetch_sub(&left, 1) - 1;
  bool yes = now == 0 || (now < 0 && atomic_load(&all_behind));
  if (yes)
    atomic_fetch_add(&refused, 1);
  return yes;
}

static void *counted(void *memory) {
  if (memory)
    atomic_fetch_add_explicit(&live, 1, memory_order_relaxed);
  return memory;
}

static void *no_memory(void) {
  errno = ENOMEM;
  return NULL;
}

void *malloc(size_t size) { return refuse(INJECT_MEMORY) ? no_memory() : counted(__libc_malloc(size)); }
void *calloc(size_t count, size_t size) {
  return refuse(INJECT_MEMORY) ? no_memory() : counted(__libc_calloc(count, size));
}
void *memalign(size_t alignment, size_t size) {
  return refuse(INJECT_MEMORY) ? no_memory() : counted(__libc_memalign(alignment, size));
}
void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }
int posix_memalign(void **memory, size_t alignment, size_t size) {
  void *made = memalign(alignment, size);
  if (made)
    *memory = made;
  return made ? 0 : ENOMEM;
}
void *realloc(void *memory, size_t size) {
  if (refuse(INJECT_MEMORY))
    return no_memory();
  void *made = __libc_realloc(memory, size);
  return memory ? made : counted(made);
}
void free(void *memory) {
  if (memory)
    atomic_fetch_sub_explicit(&live, 1, memory_order_relaxed);
  __libc_free(memory);
}

// The functions behind these; found before anything is armed.
static void *(*next_mmap)(void *, size_t, int, int, int, off_t);
static int (*next_mprotect)(void *, size_t, int);
static int (*next_create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

static void find(void *function, const char *name) {
  void *next = dlsym(RTLD_NEXT, name);
  memcpy(function, &next, sizeof next);
}

void *mmap(void *address, size_t size, int protection, int flags, int file, off_t offset) {
  if (!next_mmap)
    find(&next_mmap, "mmap");
  if (!refuse(INJECT_MEMORY))
    return next_mmap(address, size, protection, flags, file, offset);
  errno = ENOMEM;
  return MAP_FAILED;
}

int mprotect(void *address, size_t size, int protection) {
  if (!next_mprotect)
    find(&next_mprotect, "mprotect");
  if (!refuse(INJECT_MEMORY))
    return next_mprotect(address, size, protection);
  errno = ENOMEM;
  return -1;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument) {
  if (!next_create)
    find(&next_create, "pthread_create");
  return refuse(INJECT_THREADS) ? EAGAIN : next_create(thread, attributes, start, argument);
}

__attribute__((constructor)) static void read_environment(void) {
  find(&next_mmap, "mmap");
  find(&next_mprotect, "mprotect");
  find(&next_create, "pthread_create");
  const char *said = getenv("SINTER_INJECT");
  const char *number = said ? strchr(said, ':') : NULL;
  if (!number)
    return;
  char *end;
  long n = strtol(number + 1, &end, 10);
  inject_arm(strncmp(said, "threads", 7) == 0 ? INJECT_THREADS : INJECT_MEMORY, n, *end == '+');
}

// map_constants.c: constants in a file of their own, mapped when the first call needs them.
//
// The file is found from where the library lies now, not from where it was compiled: both can be moved together. All of
// it is read once to be compared with its fingerprint; after that its pages are the system's to drop and read again.

#define _GNU_SOURCE // getline

#include "fingerprint.h"
#include "runtime.h"
#include "thread.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static SinterConstants *mapped; // all that are

// Absolute, or "" if the system does not say: the dynamic linker has only what a host opened it by, which may be
// relative to a folder that is no longer the current one.
static void file_of(const void *address, char *path, size_t size) {
  FILE *maps = fopen("/proc/self/maps", "r");
  char *line = NULL;
  size_t room = 0;
  *path = 0;
  while (maps && getline(&line, &room, maps) > 0) {
    uintptr_t low, high;
    int at = 0;
    if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %*s %*s %*s %*s %n", &low, &high, &at) < 2 ||
        (uintptr_t)address < low || (uintptr_t)address >= high)
      continue;
    line[strcspn(line, "\n")] = 0;
    if (at && line[at] == '/')
      snprintf(path, size, "%s", line + at);
    break;
  }
  free(line);
  if (maps)
    fclose(maps);
}

static void find(const SinterConstants *c, char *path, size_t size) {
  char library[PATH_MAX];
  library[0] = 0;
  if (c->path[0] != '/')
    file_of(c, library, sizeof library);
  char *slash = strrchr(library, '/');
  snprintf(path, size, "%.*s%s", slash ? (int)(slash - library) + 1 : 0, library, c->path);
}

// False with what is wrong; else *data is the file.
static bool map(const SinterConstants *c, const char *path, const void **data, char *why, size_t size) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  struct stat status;
  if (file < 0 || fstat(file, &status) != 0) {
    snprintf(why, size, "cannot be opened: %s; it belongs beside the library", strerror(errno));
    if (file >= 0)
      close(file);
    return false;
  }
  bool whole = S_ISREG(status.st_mode) && status.st_size == c->bytes;
  void *pages = whole ? mmap(NULL, (size_t)c->bytes, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
  int reason = errno;
  close(file);
  if (pages == MAP_FAILED) {
    if (whole)
      snprintf(why, size, "cannot be mapped: %s", strerror(reason));
    else
      snprintf(why, size, "has %lld bytes, but the library was compiled with %lld: it is cut off, or another's",
               (long long)status.st_size, (long long)c->bytes);
    return false;
  }
  SinterFingerprint f = sinter_fingerprint_begin();
  sinter_fingerprint_add(&f, pages, (size_t)c->bytes);
  uint64_t is = sinter_fingerprint_end(&f);
  if (is == c->fingerprint) {
    *data = pages;
    return true;
  }
  munmap(pages, (size_t)c->bytes);
  snprintf(why, size,
           "has the fingerprint %016" PRIx64 ", but the library was compiled with %016" PRIx64
           ": it was changed, or is another's",
           is, c->fingerprint);
  return false;
}

int32_t sinter_rt_call_mapped(const SinterFunction *f, DLTensor *const *inputs, DLTensor *const *outputs, void *stream,
                              void *workspace, uint64_t features, SinterConstants *constants) {
  if (!__atomic_load_n(constants->first, __ATOMIC_ACQUIRE)) {
    char path[PATH_MAX * 2] = "", why[256] = "";
    const void *data = NULL;
    pthread_mutex_lock(&lock);
    bool ready = *constants->first != NULL;
    if (!ready) {
      find(constants, path, sizeof path);
      ready = map(constants, path, &data, why, sizeof why);
    }
    if (data) {
      constants->next = mapped;
      mapped = constants;
      __atomic_store_n(constants->first, data, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&lock);
    if (!ready) {
      SinterThread *t = sinter_rt_thread();
      if (t)
        snprintf(t->last_error, sizeof t->last_error, "%.100s: the file of constants %.280s %s", f->name, path, why);
      return t ? SINTER_NO_CONSTANTS : SINTER_OUT_OF_MEMORY;
    }
  }
  return sinter_rt_call_on(f, inputs, outputs, stream, workspace, features);
}

// The library is unloaded.
__attribute__((destructor)) static void unmap(void) {
  for (SinterConstants *c = mapped; c; c = c->next) {
    munmap((void *)(uintptr_t)*c->first, (size_t)c->bytes);
    *c->first = NULL;
  }
  mapped = NULL;
}

// faults.c: a compiled library while memory and threads run out.
//
//   test-faults [--threads=4] [--limit=N] LIBRARY.so...
//   test-faults --cycles=100 LIBRARY.so...        opens, calls and closes each so often, with enough memory
//
// For each library, with 1 thread and with several, and for each n: the n-th request of memory is refused, or all
// from the n-th on; so are threads. Each case is a process of its own with ten seconds. It opens the library, calls
// its first function twice, a third time when nothing is refused any more, and closes it. Right is: SINTER_OK with the
// bits of a call without faults, or SINTER_OUT_OF_MEMORY with a message; the third time SINTER_OK; no memory left
// behind.
//
// After thirty cycles the process must not grow: neither blocks nor, by more than some pages, memory.
//
// The last line is `N tried, N failed`; exit code 1 if any failed, or none was tried.

#include "test/faults/inject.h"
#include "runtime/abi.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SIZE = 137 }; // of dimensions that may have any

typedef struct {
  const char *path;
  void *handle;
  const SinterLibrary *library;
  const SinterFunction *f;
  int32_t count; // of tensors, inputs first
  DLTensor *tensors, **pointers;
  int64_t *bytes;
  char **want; // of outputs: what a call without faults wrote
} Program;

static void *need(void *memory) {
  if (!memory)
    exit(fprintf(stderr, "test-faults: not enough memory\n"));
  return memory;
}

static bool open_library(Program *p) {
  p->handle = dlopen(p->path, RTLD_NOW | RTLD_LOCAL);
  p->library = p->handle ? dlsym(p->handle, "sinter_library") : NULL;
  if (!p->library) {
    fprintf(stderr, "test-faults: %s is no library of sinter-cc\n", p->path);
    return false;
  }
  p->f = &p->library->functions[0];
  return true;
}

static void close_library(Program *p) { dlclose(p->handle); }

static void fill(void *data, int64_t bytes, DLDataType type, int32_t which) {
  uint32_t state = 12345u + (uint32_t)which;
  int64_t size = type.bits / 8, n = bytes / size;
  for (int64_t i = 0; i < n; i++) {
    state = state * 1664525u + 1013904223u;
    float x = (float)(state >> 8) * 0x1p-24f;
    double d = x;
    uint64_t number = state >> 8 & 1;
    uint16_t half = (uint16_t)(0x3c00 + (state >> 24)); // a number of a half type near 1
    const void *from = type.code != kDLFloat && type.code != kDLBfloat ? (void *)&number
                       : size == 8                                     ? (void *)&d
                       : size == 4                                     ? (void *)&x
                                                                       : (void *)&half;
    memcpy((char *)data + i * size, from, (size_t)size);
  }
}

// Tensors of the function, with inputs filled in.
static void make_tensors(Program *p) {
  const SinterFunction *f = p->f;
  p->count = f->num_inputs + f->num_outputs;
  p->tensors = need(calloc((size_t)p->count, sizeof *p->tensors));
  p->pointers = need(calloc((size_t)p->count, sizeof *p->pointers));
  p->bytes = need(calloc((size_t)p->count, sizeof *p->bytes));
  p->want = need(calloc((size_t)p->count, sizeof *p->want));
  int64_t *sizes = need(calloc((size_t)p->count * 32, sizeof *sizes)), *to = sizes, *computed = NULL;
  for (int32_t i = 0; i < p->count; i++) {
    bool input = i < f->num_inputs;
    const SinterTensor *t = input ? &f->inputs[i] : &f->outputs[i - f->num_inputs];
    if (i == f->num_inputs && f->extension && f->extension->shapes) {
      computed = to;
      f->extension->shapes(sizes, computed);
    }
    int64_t *shape = to, bytes = t->dtype.bits / 8;
    for (int32_t d = 0; d < t->ndim; d++) {
      *to = !input && computed ? *to : t->shape[d] < 0 ? SIZE : t->shape[d];
      bytes *= *to++;
    }
    p->bytes[i] = bytes;
    void *data = need(aligned_alloc(64, (size_t)(bytes + 64) / 64 * 64 + 64));
    fill(data, bytes, t->dtype, i);
    p->tensors[i] = (DLTensor){data, {kDLCPU, 0}, t->ndim, t->dtype, shape, NULL, 0};
    p->pointers[i] = &p->tensors[i];
  }
}

static int32_t call(Program *p) {
  for (int32_t i = p->f->num_inputs; i < p->count; i++)
    memset(p->tensors[i].data, 0xff, (size_t)p->bytes[i]);
  return p->f->call(p->pointers, p->pointers + p->f->num_inputs, NULL, NULL);
}

static bool right(const Program *p) {
  for (int32_t i = p->f->num_inputs; i < p->count; i++)
    if (memcmp(p->tensors[i].data, p->want[i], (size_t)p->bytes[i]) != 0)
      return false;
  return true;
}

// A case's process exits with one of these.
enum { FINE = 0, NOT_REACHED = 40, WRONG, STATUS, NO_MESSAGE, NOT_AFTER, LEAK };
static const char *const words[] = {"was not reached",
                                    "answers OK with other numbers",
                                    "answers neither OK nor out of memory",
                                    "has no message",
                                    "fails when there is memory again",
                                    "leaves memory behind"};

static int run_case(Program *p, int32_t threads, InjectKind kind, long n, bool from_here, long normal) {
  alarm(10);
  long before = inject_live();
  if (!open_library(p))
    return STATUS;
  inject_arm(kind, n, from_here);
  p->library->set_threads(threads);
  for (int i = 0; i < 2; i++) {
    int32_t status = call(p);
    bool message = p->library->last_error()[0] != 0;
    if (status == SINTER_OK ? !right(p) : status != SINTER_OUT_OF_MEMORY)
      return status == SINTER_OK ? WRONG : STATUS;
    if (message != (status != SINTER_OK))
      return NO_MESSAGE;
  }
  long refused = inject_disarm();
  if (call(p) != SINTER_OK || !right(p))
    return NOT_AFTER;
  close_library(p);
  if (inject_live() - before > normal)
    return LEAK;
  return refused ? FINE : NOT_REACHED;
}

static long tried, bad;

// Whether there is an n-th request at all.
static bool try_case(Program *p, int32_t threads, InjectKind kind, long n, bool from_here, long normal) {
  fflush(NULL);
  pid_t child = fork();
  if (child == 0)
    _exit(run_case(p, threads, kind, n, from_here, normal));
  int status = 0;
  waitpid(child, &status, 0);
  int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  if (code == NOT_REACHED)
    return false;
  tried++;
  if (code == FINE)
    return true;
  bad++;
  printf("%s, %d threads, %s %ld%s: ", p->path, threads, kind == INJECT_MEMORY ? "memory" : "thread", n,
         from_here ? " and all behind it" : "");
  if (code > NOT_REACHED)
    printf("%s\n", words[code - NOT_REACHED]);
  else if (WIFSIGNALED(status))
    printf("%s\n", WTERMSIG(status) == SIGALRM ? "hangs" : strsignal(WTERMSIG(status)));
  else
    printf("exit code %d\n", code);
  return true;
}

// Blocks that opening, calling and closing leave behind without faults, which are glibc's.
static long normally(Program *p, int32_t threads) {
  long before = 0;
  for (int i = 0; i < 3; i++) {
    before = inject_live();
    if (!open_library(p))
      return 0;
    p->library->set_threads(threads);
    call(p);
    close_library(p);
  }
  return inject_live() - before;
}

// Pages that the process has in memory.
static long resident(void) {
  long all = 0, in_memory = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%ld %ld", &all, &in_memory) != 2)
    exit(fprintf(stderr, "test-faults: cannot read /proc/self/statm\n"));
  fclose(file);
  return in_memory;
}

static bool cycle(const char *path, int32_t several, int cycles) {
  enum { FIRST = 30, PAGES = 64 }; // stacks of threads, arenas and a heap in pieces settle in the first
  Program p = {.path = path};
  if (!open_library(&p))
    return false;
  make_tensors(&p);
  close_library(&p);
  bool same = true;
  const int32_t threads[] = {1, several};
  for (int t = 0; t < 2; t++) {
    long blocks = 0, pages = 0;
    for (int i = 0; i < cycles; i++) {
      if (!open_library(&p))
        return false;
      p.library->set_threads(threads[t]);
      if (call(&p) != SINTER_OK)
        return false;
      close_library(&p);
      if (i == FIRST) {
        blocks = inject_live();
        pages = resident();
      }
    }
    tried++;
    long more = inject_live() - blocks, more_pages = resident() - pages;
    if (more > 0 || more_pages > PAGES) {
      printf("%s, %d threads: %ld blocks and %ld pages more after %d cycles than after %d\n", path, threads[t], more,
             more_pages, cycles, FIRST + 1);
      same = false;
    }
  }
  return same;
}

static bool torture(const char *path, int32_t several, long limit) {
  Program p = {.path = path};
  if (!open_library(&p))
    return false;
  make_tensors(&p);
  p.library->set_threads(1);
  int32_t status = call(&p);
  if (status != SINTER_OK) {
    fprintf(stderr, "test-faults: %s\n", p.library->last_error());
    return false;
  }
  for (int32_t i = p.f->num_inputs; i < p.count; i++) {
    p.want[i] = need(malloc((size_t)p.bytes[i] + 1));
    memcpy(p.want[i], p.tensors[i].data, (size_t)p.bytes[i]);
  }
  close_library(&p);
  const int32_t threads[] = {1, several};
  for (int t = 0; t < 2; t++) {
    long normal = normally(&p, threads[t]);
    for (InjectKind kind = INJECT_MEMORY; kind <= INJECT_THREADS; kind++)
      for (int from_here = 0; from_here < 2; from_here++)
        for (long n = 1; n <= limit && try_case(&p, threads[t], kind, n, from_here, normal);)
          n++;
  }
  return true;
}

int main(int argc, char **argv) {
  int32_t threads = 4;
  long limit = 1000;
  int cycles = 0;
  for (int i = 1; i < argc; i++) {
    if (strncmp(argv[i], "--threads=", 10) == 0)
      threads = atoi(argv[i] + 10);
    else if (strncmp(argv[i], "--limit=", 8) == 0)
      limit = atol(argv[i] + 8);
    else if (strncmp(argv[i], "--cycles=", 9) == 0)
      cycles = atoi(argv[i] + 9);
    else if (!(cycles ? cycle(argv[i], threads, cycles) : torture(argv[i], threads, limit)))
      bad++;
  }
  printf("%ld tried, %ld failed\n", tried, bad);
  return bad || !tried;
}

// decode.c: generates tokens by a compiled step of a language model, on a CPU or a GPU: which one, the library says.
//
//   export.py MODEL --shape=gpt2                                         PyTorch: the step and its weights
//   sinter-cc MODEL/decode.mlir -o cpu.so                                a library for this CPU
//   sinter-cc MODEL/decode.mlir --target=gpu --launches=one -o gpu.so    or for a GPU: one launch a token
//   cc -O2 decode.c $(pkg-config --cflags sinter-compiler) -ldl -o decode
//   ./decode gpu.so MODEL 64 3                                           64 tokens behind token 3
//
// The step is main(token, position, cache, weights...) -> (next token, what the cache holds at the position).
// Every step reads its token where the one before has written it, so on a GPU nobody waits until all are there.

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sinter/abi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { TOKEN, POSITION, CACHE, FIRST_WEIGHT, MOST_ARGUMENTS = 1024, STRIDE = SINTER_ALIGNMENT }; // of one number

#define FAIL(...) (fprintf(stderr, "decode: " __VA_ARGS__), fputc('\n', stderr), exit(1))

// ---- memory of the host or of the device -------------------------------------------------------

// The CUDA driver, opened when a library asks for it: this program needs no toolkit.
static struct {
  int (*init)(unsigned), (*device)(int *, int), (*retain)(void **, int), (*current)(void *);
  int (*allocate)(uint64_t *, size_t), (*copy)(uint64_t, uint64_t, size_t), (*fill)(uint64_t, unsigned char, size_t);
  int (*wait)(void);
} cuda;
static int32_t device = kDLCPU;

static void must(int status, const char *what) {
  if (status)
    FAIL("CUDA: %s: error %d", what, status);
}

static void open_cuda(void) {
  static const char *const names[] = {"cuInit",          "cuDeviceGet",     "cuDevicePrimaryCtxRetain",
                                      "cuCtxSetCurrent", "cuMemAlloc_v2",   "cuMemcpy",
                                      "cuMemsetD8_v2",   "cuCtxSynchronize"};
  void *driver = dlopen("libcuda.so.1", RTLD_NOW), *context;
  int number;
  if (!driver)
    FAIL("the library is for a GPU, and there is no CUDA driver: %s", dlerror());
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!(((void **)&cuda)[i] = dlsym(driver, names[i])))
      FAIL("the CUDA driver has no %s", names[i]);
  must(cuda.init(0), "cuInit");
  must(cuda.device(&number, 0), "cuDeviceGet");
  must(cuda.retain(&context, number), "cuDevicePrimaryCtxRetain");
  must(cuda.current(context), "cuCtxSetCurrent");
}

static void *allocate(size_t bytes) { // filled with zeros
  size_t whole = (bytes + SINTER_WORKSPACE_ALIGNMENT) / SINTER_WORKSPACE_ALIGNMENT * SINTER_WORKSPACE_ALIGNMENT;
  uint64_t address = 0;
  if (device == kDLCPU) {
    void *memory = aligned_alloc(SINTER_WORKSPACE_ALIGNMENT, whole);
    return memory ? memset(memory, 0, whole) : (FAIL("not enough memory for %zu bytes", bytes), memory);
  }
  must(cuda.allocate(&address, whole), "cuMemAlloc");
  must(cuda.fill(address, 0, whole), "cuMemsetD8");
  return (void *)(uintptr_t)address;
}

// From or to the device, or there: behind what runs already. Nobody waits but for what the host gets.
static void copy(void *to, const void *from, size_t bytes) {
  if (device == kDLCPU)
    memcpy(to, from, bytes);
  else
    must(cuda.copy((uintptr_t)to, (uintptr_t)from, bytes), "cuMemcpy");
}

// ---- tensors -----------------------------------------------------------------------------------

static size_t bytes_of(const SinterTensor *t) {
  size_t bytes = (size_t)t->dtype.bits / 8;
  for (int32_t i = 0; i < t->ndim; i++)
    bytes *= (size_t)t->shape[i];
  return bytes;
}

static DLTensor tensor(const SinterTensor *t, void *data) {
  DLTensor made = {.data = data, .device = {(DLDeviceType)device, 0}, .ndim = t->ndim, .dtype = t->dtype};
  made.shape = (int64_t *)t->shape;
  return made;
}

// The elements of FOLDER/N.npy. The format: numpy.lib.format in NumPy's manual.
static void *load(const char *folder, int n, size_t bytes) {
  char path[4096];
  struct stat about;
  snprintf(path, sizeof path, "%s/%d.npy", folder, n);
  int file = open(path, O_RDONLY);
  if (file < 0 || fstat(file, &about))
    FAIL("cannot read %s", path);
  size_t size = (size_t)about.st_size;
  const unsigned char *b = size ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
  if (b == MAP_FAILED || size < 12 || memcmp(b, "\x93NUMPY", 6))
    FAIL("%s is no file of numpy", path);
  size_t header = b[6] == 1 ? 10 + b[8] + 256u * b[9] : 12 + (b[8] | b[9] << 8 | b[10] << 16 | (size_t)b[11] << 24);
  if (header > size || size - header != bytes)
    FAIL("%s has %zu bytes, and the model's weight %d takes %zu", path, size - header, n, bytes);
  void *memory = allocate(bytes);
  copy(memory, b + header, bytes);
  munmap((void *)b, size);
  close(file);
  return memory;
}

static const SinterLibrary *open_library(const char *path) {
  char place[4096];
  snprintf(place, sizeof place, "%s%s", strchr(path, '/') ? "" : "./", path);
  void *handle = dlopen(place, RTLD_NOW);
  const SinterLibrary *library = handle ? dlsym(handle, "sinter_library") : NULL;
  if (!library)
    FAIL("%s is no library that sinter-cc wrote: %s", path, dlerror());
  if (library->abi_version != SINTER_ABI_VERSION || library->num_functions != 1)
    FAIL("%s: one function of ABI %d is expected", path, SINTER_ABI_VERSION);
  return library;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int64_t number(const char *text) {
  char *end;
  errno = 0;
  int64_t n = strtoll(text, &end, 10);
  if (end == text || *end || errno)
    FAIL("%s is no number", text);
  return n;
}

int main(int argc, char **argv) {
  if (argc != 5)
    FAIL("usage: decode LIBRARY.so FOLDER TOKENS FIRST-TOKEN");
  const SinterLibrary *library = open_library(argv[1]);
  const SinterFunction *step = library->functions;
  int64_t count = number(argv[3]), first = number(argv[4]);
  if (step->num_inputs <= FIRST_WEIGHT || step->num_inputs > MOST_ARGUMENTS || step->num_outputs != 2)
    FAIL("%s: main(token, position, cache, weights...) -> (token, rows) is expected", argv[1]);
  int64_t held = step->inputs[CACHE].shape[0], words = step->inputs[FIRST_WEIGHT].shape[0];
  if (count < 1 || count > held)
    FAIL("from 1 to %lld tokens fit into the cache", (long long)held);
  if (first < 0 || first >= words) // a row of the first weight, the embedding
    FAIL("tokens are from 0 to %lld", (long long)words - 1);
  int64_t *numbers = calloc((size_t)count + 2, STRIDE);
  if (!numbers)
    FAIL("not enough memory for %lld tokens", (long long)count);
  device = step->device;
  if (device == kDLCUDA)
    open_cuda();

  DLTensor tensors[MOST_ARGUMENTS + 2], *inputs[MOST_ARGUMENTS], *outputs[2];
  for (int32_t i = 0; i < step->num_inputs; i++) {
    size_t bytes = bytes_of(&step->inputs[i]);
    void *memory = i < CACHE ? NULL : i == CACHE ? allocate(bytes) : load(argv[2], i, bytes);
    tensors[i] = tensor(&step->inputs[i], memory);
    inputs[i] = &tensors[i];
  }
  size_t row = bytes_of(&step->outputs[1]);
  char *tokens = allocate((size_t)(count + 1) * STRIDE), *positions = allocate((size_t)count * STRIDE),
       *cache = tensors[CACHE].data, *rows = allocate(row), *workspace = allocate((size_t)step->workspace_bytes);
  for (int64_t i = 0; i < count; i++)
    numbers[i * STRIDE / 8] = i;
  copy(positions, numbers, (size_t)count * STRIDE);
  copy(tokens, &first, sizeof first);

  double begin = now();
  for (int64_t i = 0; i < count; i++) {
    if (i == 1) // the first call loads the kernel
      begin = (device == kDLCUDA ? must(cuda.wait(), "cuCtxSynchronize") : (void)0, now());
    tensors[TOKEN].data = tokens + i * STRIDE;
    tensors[POSITION].data = positions + i * STRIDE;
    DLTensor next = tensor(&step->outputs[0], tokens + (i + 1) * STRIDE), made = tensor(&step->outputs[1], rows);
    outputs[0] = &next;
    outputs[1] = &made;
    if (step->call(inputs, outputs, NULL, workspace) != SINTER_OK)
      FAIL("%s", library->last_error());
    copy(cache + (size_t)i * row, rows, row);
  }
  copy(numbers, tokens, (size_t)(count + 1) * STRIDE);
  double seconds = now() - begin;
  for (int64_t i = 1; i <= count; i++)
    printf("%lld%c", (long long)numbers[i * STRIDE / 8], i == count ? '\n' : ' ');
  if (count > 1)
    fprintf(stderr, "%.1f tokens a second\n", (double)(count - 1) / seconds);
  return 0;
}

// runtime.h: what compiled code calls. Its addresses are in symbols.c.
//
// For the code generators, which declare these functions in the IR that they
// make, and for tests; a host reads abi.h. Every library holds its own copy,
// so nothing here is visible outside of it. The functions are grouped by the
// file that holds them; a file refers only to call.c, so that a library for a
// GPU holds no micro-kernels and no thread pool.
//
// decides: how compiled code runs: threads and tasks, memory, errors, the CUDA driver.

#ifndef SINTER_RUNTIME_RUNTIME_H
#define SINTER_RUNTIME_RUNTIME_H

#include "abi.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(hidden)

// call.c

// Checks inputs, outputs and workspace against f, makes a memref descriptor
//   {void *allocated, *aligned; int64_t offset, sizes[n], strides[n];}
// of each tensor and of the workspace (memref<?xi8>, workspace_bytes long), and
// runs f->packed on pointers to them: inputs, outputs, workspace. Answers a
// SinterStatus. Calls nest. f->call and NAME are tail calls of this.
int32_t sinter_rt_call(const SinterFunction *f, DLTensor *const *inputs, DLTensor *const *outputs,
                       void *stream, void *workspace);

// The same on a CPU that has all of these features (bits of cpu_features.h); SINTER_UNSUPPORTED with the names of
// those that it has not, before any other instruction of the library's own.
int32_t sinter_rt_call_on(const SinterFunction *f, DLTensor *const *inputs, DLTensor *const *outputs,
                          void *stream, void *workspace, uint64_t features);

// map_constants.c

// A file of constants that a library reads: one for each program, written by the compiler.
typedef struct SinterConstants {
  const char *path;             // absolute, or from the folder of the file that this struct was loaded from
  int64_t bytes;                // of the file
  uint64_t fingerprint;         // of all of them (fingerprint.h)
  const void **first;           // where compiled code finds their address, once they are mapped
  struct SinterConstants *next; // that was mapped before it
} SinterConstants;

// sinter_rt_call_on, once the file is mapped: the first call does that, and reads it all. SINTER_NO_CONSTANTS where it
// is not there, or is not the one that the library was compiled with; a later call looks again.
int32_t sinter_rt_call_mapped(const SinterFunction *f, DLTensor *const *inputs, DLTensor *const *outputs, void *stream,
                              void *workspace, uint64_t features, SinterConstants *constants);

// call.c

// The same as sinter_rt_call without its launches: see SinterLibraryExtension.
int32_t sinter_rt_prepare(const SinterFunction *f, DLTensor *const *inputs,
                          DLTensor *const *outputs);

// The running call failed an assert: it will answer SINTER_ASSERT_FAILED with
// this message, or with that of the first assert that failed. Behind sizes that differ (sinter_rt_same_size)
// the message says which, and the answer is SINTER_BAD_ARGUMENT. From any thread
// of sinter_rt_parallel. The code goes on: what would touch memory out of
// bounds must be skipped.
void sinter_rt_fail(const char *message);

// Whether two sizes are the same; if not, the answer is 0, and the assert that follows fails the running call with
// SINTER_BAD_ARGUMENT: its message has the place in the program, and both sizes. Each is
// of an input in a dimension; an input of -1: a number of the program, -2: computed.
int64_t sinter_rt_same_size(int64_t got, int64_t want, int32_t input, int32_t dim,
                            int32_t other_input, int32_t other_dim);

// Memory of the running call, for the thread that made it: aligned to 64 bytes, freed when the
// call ends if not before. Does not return if there is none: the call ends with
// SINTER_OUT_OF_MEMORY. What is released a thread keeps, up to a bound (kept.h), for the next who asks. Compiled code
// has them in place of malloc and free.
void *sinter_rt_allocate(int64_t bytes);
void sinter_rt_release(void *memory);

// bytes * size, or bytes if size is 0. Where size is negative or the product passes 2^63, it does not return: the call
// ends with SINTER_BAD_ARGUMENT. Compiled code has it in front of an allocation whose size is computed.
int64_t sinter_rt_bytes(int64_t bytes, int64_t size);

// The status of the running call so far.
int32_t sinter_rt_status(void);

// SinterLibrary.last_error.
const char *sinter_rt_last_error(void);

// count.c

enum SinterCount {
  SINTER_COUNT_KERNEL = 0,
  SINTER_COUNT_LIBRARY_CALL = 1,
  SINTER_COUNT_TEMPORARY_BYTES = 2,
};

// Adds n to a counter of SinterStats. Compiled code counts; the functions
// below do not.
void sinter_rt_count(int32_t what, int64_t n);

// The kernels of this index in SinterFunctionDetails begin and end, on the thread that made the call: the profiler is
// told.
void sinter_rt_begin(int32_t kernel);
void sinter_rt_end(int32_t kernel);

// From SinterFunctionDetails.costs: kernel `what` ran once, as n launches. Or n calls of a library, or n bytes.
enum { SINTER_COST_LIBRARY_CALLS = -1, SINTER_COST_TEMPORARY_BYTES = -2 };
void sinter_rt_cost(SinterCosts *costs, int64_t what, int64_t n, int64_t read, int64_t written, int64_t flops);
void sinter_rt_cost_table(SinterCosts *costs, const int64_t *rows, int64_t n); // n rows of its five numbers

// SinterLibraryDetails.costs.
int32_t sinter_rt_costs(const SinterFunction *f, const SinterFunctionDetails *details, void **descriptors,
                        SinterCosts *costs);

// SinterLibrary.stats.
void sinter_rt_stats(SinterStats *out);

// SinterLibraryDetails.set_profiler.
void sinter_rt_set_profiler(const SinterProfiler *profiler);

// parallel.c

// task(context, i) for every i in [0, count), on the pool; inline if count is
// 1, if there is one thread, or inside another task. The caller decides how
// work is split, so results do not depend on the number of threads.
void sinter_rt_parallel(SinterTask task, void *context, int64_t count);

// How many threads a region of the caller would have at most; 1 inside of a task. An embedder's own: as many as
// set_threads said.
int64_t sinter_rt_threads(void);

// stages.c

// Tasks of many kernels in one region. *sequence is memory of the call, 64-aligned, of SINTER_SEQUENCE_HEADER bytes and
// SINTER_SEQUENCE_STAGE for each stage. Between _begin and _run compiled code says what there is to do: forms in order,
// each of which begins when so many first ones have ended; of each its stages, one behind the other: task(context, i)
// for every i in [0, count), count < 2^31. What a stage's context points to stays until _run has returned.
enum { SINTER_SEQUENCE_HEADER = 64, SINTER_SEQUENCE_STAGE = 128 };
void sinter_rt_sequence_begin(void *sequence);
void sinter_rt_sequence_form(void *sequence, int64_t waits);
void sinter_rt_sequence_stage(SinterTask task, void *context, int64_t count, void *sequence);
void sinter_rt_sequence_run(void *sequence);

// parallel.c

// The least of 64 numbers that no running task has, for a task that keeps things of its own in the caller's memory:
// with few threads they are few, and what one task leaves in the caches the next one uses. *taken is 0 when the region
// begins. A task that does not return keeps its number.
int64_t sinter_rt_take_slot(int64_t *taken);
void sinter_rt_give_slot(int64_t *taken, int64_t slot);

// SinterLibrary.set_threads and .set_parallel. Ignored inside a task.
void sinter_rt_set_threads(int32_t threads);
void sinter_rt_set_parallel(SinterParallel parallel, void *pool);

// brgemm.c

// c[m, n] = a[m, k] . b[k, n], or += if accumulate is not 0. Row-major; lda,
// ldb and ldc are the distances of rows in elements. Sizes >= 0.
void sinter_rt_brgemm_f32(const float *a, const float *b, float *c, int64_t m, int64_t n, int64_t k,
                          int64_t lda, int64_t ldb, int64_t ldc, int64_t accumulate);

// copy.c

// What upstream lowers a memref.copy between layouts to. The arguments are
// unranked descriptors {int64_t rank; void *descriptor;} of equal sizes;
// element_bytes is the size of one element.
void memrefCopy(int64_t element_bytes, void *source, void *target);

// cuda.c

// Queues a kernel of image (a cubin, fatbin or PTX that ends in 0, which stays
// where it is and as it is) on the running call's stream. grid and block in
// blocks and threads, shared_bytes of dynamic shared memory; args as
// cuLaunchKernel has them. An empty grid launches nothing. After an error,
// which is the call's then, later launches of the call do nothing.
void sinter_rt_launch(const void *image, int64_t image_bytes, const char *kernel, int64_t grid_x,
                      int64_t grid_y, int64_t grid_z, int64_t block_x, int64_t block_y,
                      int64_t block_z, int64_t shared_bytes, void **args);

// The same for blocks that wait for each other: they all run at once, or none does, and
// SINTER_UNSUPPORTED says how many the device holds.
void sinter_rt_launch_together(const void *image, int64_t image_bytes, const char *kernel, int64_t grid_x,
                               int64_t grid_y, int64_t grid_z, int64_t block_x, int64_t block_y,
                               int64_t block_z, int64_t shared_bytes, void **args);

// The same for as many blocks as the device holds at once, `each` on a multiprocessor, but not more than `most`. Where
// it holds fewer than `least`, SINTER_UNSUPPORTED says how many.
void sinter_rt_launch_filling(const void *image, int64_t image_bytes, const char *kernel, int64_t most, int64_t least,
                              int64_t each, int64_t threads, int64_t shared_bytes, void **args);

// SinterLibraryDetails.read_clocks.
int32_t sinter_rt_clocks(const SinterKernelClocks *clocks, int64_t *to);

// map: 128 bytes, 64-aligned: becomes the CUtensorMap of a tensor in memory of the device, lines of a box being 128
// bytes, swizzled. numbers: of each of 1 to 5 dimensions, the fastest first, elements, bytes from one to the next, and
// elements of a box. After an error, which is the call's then, and where there are no elements, it is all zeros.
void sinter_rt_tensor_map(void *map, int64_t tf32, void *memory, int64_t rank, const int64_t *numbers);
// The same of windows of an image (im2col), of 3 to 5 dimensions: channels, those of the image, images. The second
// one's elements of a box are points of a copy. Behind the numbers of all dimensions, for each of the image: places
// from one point to the next, the first point's place, and the last one's beside the last place.
void sinter_rt_image_map(void *map, int64_t tf32, void *memory, int64_t rank, const int64_t *numbers);

// Waits for what runs on devices, and gives back what the runtime had there, before it is closed; no call runs.
void sinter_rt_close(void);

// cuda_memory.c

// to: where a constant of the library is in memory of the running call's device; it is copied there when it is first
// asked for, or when the call is prepared. NULL after an error, which is the call's then, and for no bytes.
void sinter_rt_device_constant(const void *host, int64_t bytes, const void **to);

// The address of the status word of the running call's context, in terms of the device; NULL after an error.
// messages: all messages of the library's asserts, each with a 0 behind it.
void sinter_rt_status_word(const char *messages, void **word);

// SinterLibraryExtension.device_status.
int32_t sinter_rt_device_status(const char **message);

// Queues a copy from device to device on the running call's stream. After an error it does nothing.
void sinter_rt_copy(void *to, const void *from, int64_t bytes);
// Queues a store of one number, of 1, 2, 4 or 8 bytes, in memory of the device on the same stream.
void sinter_rt_put(void *to, int64_t bits, int64_t bytes);

// One element of 1, 2, 4 or 8 bytes for host code: waits for what the call queued before it, kernels included. Does not
// return where the call is prepared only, its stream is being captured, or something failed, an assert of a kernel too.
void sinter_rt_read(void *to, const void *from, int64_t bytes);

// Memory of the device for the running call, in the order of its stream, and freed when the call ends if not before.
// Does not return if there is none. Nothing is allocated where the call is prepared only.
void sinter_rt_device_allocate(int64_t bytes, void **to);
void sinter_rt_device_release(void *memory);

// bfloat.c

// To bf16 and f16, rounded to nearest even: LLVM's names, called where the CPU has no instruction.
__bf16 __truncsfbf2(float x);
__bf16 __truncdfbf2(double x);
_Float16 __truncdfhf2(double x);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif

// abi.h: how a host calls a compiled library. Installed as <sinter/abi.h>.
//
// For whoever loads a library written by sinter-cc, from C or C++; needs
// DLPack's header and nothing else. A library exports
//
//   const SinterLibrary sinter_library;        the table of its functions
//
// for a host that opens it, and for one that is linked with it the same table as
// PROGRAM_library, and for every entry point, where NAME is PROGRAM_FUNCTION
// (docs/host-abi.md),
//
//   int32_t NAME(DLTensor *const *inputs, DLTensor *const *outputs,
//                void *stream, void *workspace);
//   int64_t NAME_workspace(void);              bytes of workspace
//   void NAME_shapes(const int64_t *inputs, int64_t *outputs);
//                        only where an output has a size -1 in the table
//
// A call
//
// * inputs and outputs hold one DLTensor per argument and per result, in the
//   order of the table. The caller allocates the outputs; a call overwrites
//   all of their elements. Where the table has a size of -1, an input may have
//   any; an output has what NAME_shapes computes from the sizes of the inputs
//   (both: of all tensors, one after another), or, where that is
//   SINTER_SIZE_OF_DATA, what the program makes of the inputs' elements, which
//   the caller has to know. Inputs whose sizes do not fit
//   each other, and outputs of other sizes, are SINTER_BAD_ARGUMENT. An output overlaps no other tensor of the call,
//   nor the workspace; but one with SINTER_TENSOR_SHARES is exactly the input that it names, and of its elements a call
//   writes those that change.
// * Tensors are row-major and contiguous: strides is NULL or says so (a
//   dimension of size 1 may have any stride). byte_offset counts.
// * data + byte_offset is a multiple of SINTER_ALIGNMENT; a tensor of one
//   element needs only the alignment of its element; an empty one may be
//   NULL.
// * A CPU function takes kDLCPU or kDLCUDAHost, a CUDA function kDLCUDA or
//   kDLCUDAManaged, all of one device_id.
// * bool is one byte that holds 0 or 1: kDLUInt of 8 bits, as in DLPack 0.6,
//   or SINTER_DL_BOOL, as in DLPack 1.0; the table has the former with
//   SINTER_TENSOR_BOOL in flags.
// * workspace holds workspace_bytes bytes, aligned to
//   SINTER_WORKSPACE_ALIGNMENT, on the device of the function; the call uses
//   it until it is complete. NULL: a CPU function allocates it for the call, a
//   CUDA function with workspace_bytes > 0 answers SINTER_BAD_ARGUMENT.
// * stream is a CUstream (NULL: the default stream) of the device of the
//   tensors. A CUDA function queues its kernels there and returns without
//   waiting. A CPU function ignores it, and is complete when it returns.
// * A CUDA function neither allocates memory of the device nor waits for it. The
//   first call on a device loads its kernels, later ones only launch them, and may
//   be captured into a graph; a first call on a stream that is being captured is
//   SINTER_DEVICE_ERROR. So before a capture: one call, or the library's prepare.
//   A thread's current context is the same after a call as before it; one that
//   has none gets the device's primary one.
// * Functions may be called from several threads at once, with outputs and
//   workspaces of their own.
// * The answer is a SinterStatus. After one other than SINTER_OK, the library's
//   last_error has the reason in words, and the outputs hold anything.

#ifndef SINTER_ABI_H
#define SINTER_ABI_H

#include <dlpack/dlpack.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Changes whenever a host or a library built before the change would break.
#define SINTER_ABI_VERSION 2

// Of a tensor's first element and of the workspace, in bytes.
#define SINTER_ALIGNMENT 16
#define SINTER_WORKSPACE_ALIGNMENT 64

// kDLBool of DLPack 1.0: a byte that holds 0 or 1.
#define SINTER_DL_BOOL 6
// kDLFloat8_e4m3fn and kDLFloat8_e5m2 of DLPack 1.1, of 8 bits.
#define SINTER_DL_FLOAT8_E4M3FN 10
#define SINTER_DL_FLOAT8_E5M2 12

enum SinterStatus {
  SINTER_OK = 0,
  SINTER_ASSERT_FAILED = 1, // an assert of the program
  SINTER_BAD_ARGUMENT = 2,  // a tensor that the table does not allow
  SINTER_NO_DEVICE = 3,     // no driver, or no device
  SINTER_OUT_OF_MEMORY = 4,
  SINTER_DEVICE_ERROR = 5, // the driver refused a module or a launch
  SINTER_UNSUPPORTED = 6,  // right, but not on this machine: its CPU or device lacks something
  SINTER_NO_CONSTANTS = 7, // the library's file of constants is not there, or is another
};

// Of SinterTensor.flags.
enum SinterTensorFlags {
  SINTER_TENSOR_BOOL = 1,   // kDLUInt of 8 bits that holds only 0 and 1
  SINTER_TENSOR_SHARES = 2, // a result: it lies where the input does whose number is in the bits from
                            // SINTER_SHARES_SHIFT on. The caller gives both one memory
};
#define SINTER_SHARES_SHIFT 8

// The tables are constants that the compiler writes: the fields of each struct
// lie in this order, with no padding but what is spelled out. Offsets are of
// 64-bit targets.

// An argument or a result. 32 bytes.
typedef struct SinterTensor {
  const char *name;     //  0: "" if the program gave none
  DLDataType dtype;     //  8
  int32_t ndim;         // 12
  int32_t gradient_of;  // 16: a result: the index of the input that it is
                        //     the gradient of. An input: the index of the
                        //     result whose upstream gradient it is. -1: of none
  int32_t flags;        // 20: SinterTensorFlags
  const int64_t *shape; // 24: ndim sizes, -1: any
} SinterTensor;

#define SINTER_SIZE_OF_DATA INT64_MIN // of NAME_shapes: the size depends on elements of inputs

// What else there is to say of an entry point.
typedef struct SinterExtension {
  void (*shapes)(const int64_t *inputs, int64_t *outputs); // NAME_shapes; it trusts its arguments
} SinterExtension;

// An entry point. 72 bytes.
typedef struct SinterFunction {
  const char *name;            //  0
  int32_t device;              //  8: kDLCPU or kDLCUDA
  int32_t num_inputs;          // 12
  int32_t num_outputs;         // 16
  int32_t reserved;            // 20: 0
  const SinterTensor *inputs;  // 24
  const SinterTensor *outputs; // 32
  int64_t workspace_bytes;     // 40
  // The code itself, for the library's own runtime: takes pointers to
  // descriptors of the inputs, the outputs, then the workspace, and checks
  // nothing.
  void (*packed)(void **descriptors); // 48
  // What NAME does.
  int32_t (*call)(DLTensor *const *inputs, DLTensor *const *outputs, void *stream,
                  void *workspace); // 56
  const SinterExtension *extension; // 64: NULL where the sizes of all outputs are in the table
} SinterFunction;

// Counted since the library was loaded, over all of its functions and threads.
typedef struct SinterStats {
  int64_t kernels;         // launches, or parallel regions started from host code,
                           // copies and fills included
  int64_t library_calls;   // calls of a library from host code
  int64_t bytes_temporary; // allocated or taken from the workspace between kernels
} SinterStats;

typedef void (*SinterTask)(void *context, int64_t index);

// Runs task(context, i) for every i in [0, count), in any order, on any
// threads, and returns when all have run. pool is the embedder's own.
typedef void (*SinterParallel)(void *pool, SinterTask task, void *context, int64_t count);

// What else there is to say of a library for CUDA.
typedef struct SinterLibraryExtension {
  // Does what f->call does before its first launch on a device, and launches
  // nothing: the arguments are checked, and the kernels that such a call needs
  // are loaded into the context that it would run in. Afterwards a call of f with
  // tensors of these sizes only launches, so that it may be captured into a graph.
  int32_t (*prepare)(const SinterFunction *f, DLTensor *const *inputs, DLTensor *const *outputs);
  // What asserts in the library's kernels, of all calls, have found since it was last asked: SINTER_OK, or
  // SINTER_ASSERT_FAILED and the message of one that failed, which is forgotten then. It waits for nothing: kernels
  // that have not run are not in it, so a host that wants to know of a call waits for the stream first. Outputs of a
  // call that failed hold anything; no memory outside of its tensors was touched.
  int32_t (*device_status)(const char **message);
} SinterLibraryExtension;

// A place in a function that runs kernels.
typedef struct SinterKernel {
  const char *name; // of the compiler's function, "main_kernel0", or of the operation that stayed, "linalg.fill"
  const char *kind; // "rowwise", "contract" or "steps"; "" of what is none of the compiler's forms
} SinterKernel;

// What one of them costs in a call. Bytes are those of the elements that its accesses name, each operand's at most
// once; flops are two for each multiplication of a product, and one for each operation on a float and each step of a
// reduction. Negative: not known.
typedef struct SinterKernelCost {
  int64_t runs;     // how often the place is reached
  int64_t launches; // what it adds to SinterStats.kernels
  int64_t bytes_read, bytes_written, flops;
} SinterKernelCost;

typedef struct SinterCosts {
  int64_t library_calls, bytes_temporary;
  SinterKernelCost *kernels; // num_kernels of them
} SinterCosts;

// What random values of an input should be: the elements that the program's gathers and asserts allow, its logarithms
// and divisions like. low and high are both 0 where it says nothing. Integers are in [low, high), floats between both.
// Where input is not -1, high is the size of that input in dimension dim.
typedef struct SinterRange {
  double low, high;
  int32_t input, dim;
} SinterRange;

// What tools want to know of an entry point, and a call does not need.
typedef struct SinterFunctionDetails {
  int32_t num_kernels;
  int32_t clocked;             // 1: SinterLibraryDetails has clocks; else it may be of a compiler that knew of none
  const SinterKernel *kernels; // num_kernels
  const SinterRange *ranges;   // num_inputs
  // The code of SinterLibraryDetails.costs. NULL where what a call costs depends on data.
  void (*costs)(void **descriptors, SinterCosts *costs);
} SinterFunctionDetails;

// Told of what a library does, while it is set. begin and end stand around the kernels of an index, on the thread that
// made the call (on CUDA around their launches); task around each task of a parallel region, on the thread that runs
// it.
typedef struct SinterProfiler {
  void *user;
  void (*begin)(void *user, const SinterFunction *f, int32_t kernel);
  void (*end)(void *user, const SinterFunction *f, int32_t kernel);
  void (*task)(void *user, int begins);
} SinterProfiler;

// A kernel of several phases, between which its blocks wait for each other, that keeps the time (sinter-cc --clocks).
typedef struct SinterKernelClocks {
  const char *kernel, *symbol; // the name in SinterKernel; of the device's memory
  int32_t blocks, num_phases;
  const char *const *phases; // what each of them does: "rowwise (i = 8) by (k = 1024)"
} SinterKernelClocks;

typedef struct SinterLibraryDetails {
  const SinterFunctionDetails *functions; // num_functions
  // All calls from now on tell this one; NULL: nobody. It lives until it is replaced, which is not while a call runs.
  void (*set_profiler)(const SinterProfiler *profiler);
  // Adds what a call of f costs to costs, which the caller set to 0; f's details have costs. descriptors points to
  // memref descriptors of the inputs and outputs, {void *allocated, *aligned; int64_t offset, sizes[n], strides[n];},
  // whose sizes alone are read. A SinterStatus: sizes may not go together.
  int32_t (*costs)(const SinterFunction *f, const SinterFunctionDetails *details, void **descriptors,
                   SinterCosts *costs);
  // Where the address of the program's large constants is. For a host that links an object itself, and puts them
  // anywhere before the first call; it is set in a library from a file. NULL where there are none.
  const void **constants;
  // Where a function's details say that it is clocked:
  int64_t num_clocks;
  const SinterKernelClocks *clocks; // num_clocks
  // When each block began and ended each phase in the last launch on the current device, in nanoseconds of its timer:
  // to[blocks][num_phases][2]. The caller waited for the stream. A SinterStatus.
  int32_t (*read_clocks)(const SinterKernelClocks *clocks, int64_t *to);
} SinterLibraryDetails;

// A library. 64 bytes.
typedef struct SinterLibrary {
  int32_t abi_version;             //  0: SINTER_ABI_VERSION of the compiler
  int32_t num_functions;           //  4
  const SinterFunction *functions; //  8
  // Why the last call on this thread failed; "" if it did not. Valid until the
  // next call on this thread.
  const char *(*last_error)(void); // 16
  void (*stats)(SinterStats *out); // 24
  // Threads of the library's own pool; 0, which is the default: as many as
  // there are CPUs that the process may run on. Results do not depend on it.
  // NULL where the library runs nothing on the host.
  void (*set_threads)(int32_t threads); // 32
  // Runs parallel regions on the embedder's threads instead; NULL: on the
  // library's own again. Not while a call runs. NULL as set_threads is.
  void (*set_parallel)(SinterParallel parallel, void *pool); // 40
  const SinterLibraryExtension *extension;                   // 48: NULL for the CPU
  const SinterLibraryDetails *details; // 56: for profilers; never NULL where the compiler wrote it
} SinterLibrary;

#ifdef __cplusplus
}
#endif

#endif

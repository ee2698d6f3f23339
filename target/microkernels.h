// microkernels.h: the table of instructions and library kernels that multiply small matrices.
//
//   c[m][n] += a[m][k] . b[k][n]
//
// The scheduler asks which lines a processor and a product can have and writes a line's name into the schedule
// (kernel = "fma512"). The verifier, the packer and the emitter read the line of that name. Nothing else decides by
// types or by names of instructions.

#ifndef SINTER_TARGET_MICROKERNELS_H
#define SINTER_TARGET_MICROKERNELS_H

#include "mlir-c/IR.h"
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  SN_ANY, // the accumulator's type, whatever it is
  SN_F64,
  SN_F32,
  SN_TF32,
  SN_PARTS, // f32 as a sum of three bf16
  SN_F16,
  SN_BF16,
  SN_F8E4M3,
  SN_F8E5M2,
  SN_I32,
  SN_I16,
  SN_I8,
} SnElement;

typedef enum { SN_TARGET_CPU, SN_TARGET_GPU } SnMicroTarget;

// How a side is packed for the kernel, or lies in memory where it is read in place.
typedef enum {
  SN_PACK_ROWS,      // [m][k] of a, [k][n] of b
  SN_PACK_COLUMNS,   // of b: [n][k], where it lies in memory and of its own type; it is never copied. Tiles of a are
                     // packed as groups then
  SN_PACK_GROUPS,    // of b: [k / group][n][group], zeros behind the last of k; a is in rows, with zeros likewise
  SN_PACK_SWIZZLED,  // rows of 128 bytes in shared memory, units of 16 bytes exchanged by the row's last three bits
  SN_PACK_FRAGMENTS, // in registers of a warp's lanes, as mma.sync has them
} SnMicroPack;

// Where the sums are while k goes on.
typedef enum {
  SN_SUMS_IN_MEMORY,        // [m][n]
  SN_SUMS_IN_VECTORS,       // m rows of vectors along n, in registers
  SN_SUMS_ALONG_K,          // a vector for each of m x n, whose lanes are summed at the end
  SN_SUMS_IN_TILES,         // tile registers of 16 rows of 64 bytes
  SN_SUMS_IN_THREADS,       // rectangles in registers of the threads of a block
  SN_SUMS_IN_PAIRS_OF_LANES // a thread has pairs of neighbouring columns in two rows, 8 rows apart
} SnMicroSums;

// Which emitter writes it. A line without one is a fact that nobody chooses yet.
typedef enum {
  SN_WRITTEN_NOT_YET,
  SN_WRITTEN_AS_CALL,         // of the runtime's function `instruction`
  SN_WRITTEN_AS_FMA,          // math.fma on vectors
  SN_WRITTEN_AS_MULTIPLY_ADD, // arith's multiplication and addition on vectors, or scalars
  SN_WRITTEN_AS_DOT,          // sum = instruction(sum, a, b) on vectors; groups of a are on all lanes
  SN_WRITTEN_AS_DOT_ADD,      // sum = sum + instruction(a, b)
  SN_WRITTEN_AS_DOT_UNSIGNED, // the same, of a + 128 without a sign; 128 times the sums of b are taken off at the end
  SN_WRITTEN_BY_THREADS,      // scalars of each thread: math.fma, or arith's multiplication and addition
  SN_WRITTEN_BY_WINDOWS,      // the same of convolutions, whose windows threads load from where they lie
  SN_WRITTEN_BY_WARPS,        // mma.sync of fragments that ldmatrix takes from shared memory
  SN_WRITTEN_BY_STREAMS,      // mma.sync of fragments that lanes make of memory's own bytes, in registers
  SN_WRITTEN_BY_WARPGROUPS,   // wgmma on lines of shared memory, which copies of tiles fill
  SN_WRITTEN_AS_TILES,        // LLVM's intrinsics of AMX; `instruction` is the one that multiplies
  SN_WRITTEN_COUNT
} SnMicroWritten;

typedef struct {
  const char *name; // as schedules have it; lines of other types may have the same
  SnMicroTarget target;
  const char *needs;   // what the processor must have, as LLVM names it, spaces between; "": nothing
  const char *unless;  // where the processor has this, other lines are faster
  SnElement a, b, sum; // of the packed sides and of the accumulator; a narrower side is widened while it is packed
  int m, n, k;         // of one instruction, or of the sums that registers hold over the loop along k; 0: any
  int bits;            // of a vector register; 0: there are none
  int group;           // consecutive elements of k that one lane of b holds
  SnMicroPack pack_a, pack_b;
  SnMicroSums sums;
  SnMicroWritten written;
  const char
      *instruction; // as its emitter names it: an intrinsic of LLVM, a function of the runtime; of GPUs, side a's
  int parts;        // bf16 whose sum a packed element is; 0: it is one number, of the line's type
} SnMicroKernel;

extern const SnMicroKernel sn_micro_kernels[];    // ends with a NULL name; the first that fits is the best
extern const char *const sn_micro_kernel_names[]; // of a CPU's that have an emitter, each once; ends with NULL
extern const char *const sn_micro_gpu_names[];    // of a GPU's
enum { SN_MICRO_KERNEL_DEFAULT = 16 };            // place among the names of "any128", which every product can have

SnElement sn_element_kind(MlirType element); // SN_ANY where the table has no word for it

// The line takes sides of these element types, widened where they are narrower, and sums in `sum`.
bool sn_micro_kernel_fits(const SnMicroKernel *line, MlirType a, MlirType b, MlirType sum);
// The first line of this name that has an emitter and fits; NULL if none does.
const SnMicroKernel *sn_micro_kernel(const char *name, MlirType a, MlirType b, MlirType sum);
// The processor has what the line needs; that and nothing that makes others faster. `features` are LLVM's names with
// commas between.
bool sn_micro_kernel_runs(const SnMicroKernel *line, const char *features);
bool sn_micro_kernel_pays(const SnMicroKernel *line, const char *features);
// What elements of a packed side are: the line's, or the accumulator's where it takes any.
MlirType sn_micro_packed(SnElement of_line, MlirType sum);
// And of the memory that it is packed to: the same, or bf16 where the line has parts.
MlirType sn_micro_memory(const SnMicroKernel *line, SnElement of_line, MlirType sum);
// The number of tiles, or of rows of groups, for one of the side's.
int64_t sn_micro_parts(const SnMicroKernel *line);
// Elements of the accumulator in one register; 1 where there are no registers of vectors of it.
int64_t sn_micro_lanes(const SnMicroKernel *line, MlirType sum);
// Panels in scratch memory have room for whole multiples: of columns of b and c, of rows of a and c, of k.
int64_t sn_micro_column_unit(const SnMicroKernel *line, MlirType sum);
int64_t sn_micro_row_unit(const SnMicroKernel *line);
int64_t sn_micro_k_unit(const SnMicroKernel *line);
// Registers of one row of the line's sums, which are as wide as its n elements.
int64_t sn_micro_vectors(const SnMicroKernel *line);

#ifdef __cplusplus
}
#endif
#endif

// gpu_slots.h: how a side of a product comes into the slots of shared memory that wgmma reads.
//
//   %a[i, k]         lines of 4096 elements   by copies     the copy engine, whole boxes (gpu_tensor_maps.h)
//   %a[i, k]         lines of 4100 elements   by pieces     threads, by cp.async, 8 bytes each
//   %a[n, h + r, w + s, c] else 0.0           by pieces     the same, 16 bytes each, zeros beside the image
//   %a[i, k] : f8E4M3FN beside bf16           by vectors    threads, through registers: 16 bytes loaded, converted
//   %a[n, c, h + r, w + s] else 0.0           by elements   threads, through registers, converted where that is asked
//
// A slot has lines of 128 bytes along the sum, or along rows or columns. Copies, pieces and vectors leave
// neighbours of memory neighbours. What goes by elements is turned: neighbouring threads read neighbours, and each of
// them packs its elements of the other direction into 16 bytes. No IR is made here.

#ifndef SINTER_LOWERING_FACTS_GPU_SLOTS_H
#define SINTER_LOWERING_FACTS_GPU_SLOTS_H

#include "lowering/facts/gpu_tensor_maps.h"

// Columns of an instruction whose operands fit the 128 registers that a thread of 512 has at a launch.
enum { SN_GPU_MANY_FETCHERS_COLUMNS = 128 };

// Cycles of one of 128 threads that fetch, as measured on an H200 (docs/gpu-products.md): for a piece; for an element,
// which nothing else hides where sums are short. For a vector, of up to 16 elements, they are counted in its
// instructions, and not measured.
enum { SN_GPU_PIECE_CYCLES = 40, SN_GPU_VECTOR_CYCLES = 100, SN_GPU_ELEMENT_CYCLES = 400 };

typedef enum { SN_GPU_BY_COPIES, SN_GPU_BY_PIECES, SN_GPU_BY_VECTORS, SN_GPU_BY_ELEMENTS } SnGpuSlotFetch;

typedef struct {
  SnGpuSlotFetch fetch;
  SnGpuSideMap map; // by copies
  bool along_sum;   // lines of the slot are
  bool from_sum;    // neighbouring threads read neighbours of the sum
  int64_t lanes;    // elements that a thread has at once: what it copies, loads as a vector, or packs
} SnGpuSlot;

// Of a side of which a block has `extent` rows or columns at a time. False, where wgmma cannot have it: `why` says so.
bool sn_gpu_slot(const SnForm *form, const SnGpuPoints *points, const SnGpuProduct *product, bool is_a, int64_t extent,
                 SnGpuSlot *to, const char **why);
// Few rows, or columns, beside a side that has to be read by elements: so many are a tile's of mma.sync, each element
// is read once, and there are tiles for many multiprocessors, or for all where windows go beside an image (an H200,
// convolutions of 3 to 8 filters: 0.73 of the time with channels moved to the end first).
bool sn_gpu_reads_once(const SnForm *form, const SnGpuPoints *points, bool few_rows);
// So has a product of long sums, of up to 16 rows, in so many parts at most, of 16 slots each; 1: its sums are short,
// or of windows. (An H200, weights [k, j] of odd lines, over writing them: 2 x 5057 of 14,442 in f16 in 13 parts 0.48,
// in 8 0.62; 8 x 3001 of 8000 in bf16 in 13 0.76; 14 x 2001 of 6000 in f16 in 13 0.71; of too few tiles 16 x 1501 of
// 4000 1.27.)
int64_t sn_gpu_parts_read_once(const SnForm *form);
// Threads that fetch the sides of a tile so wide: more of them where it is threads that move them, as long as wgmma's
// sums leave them registers.
int64_t sn_gpu_fetchers(const SnForm *form, const SnGpuPoints *points, int64_t m, int64_t n);

#endif

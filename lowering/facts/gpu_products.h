// gpu_products.h: how a form with products runs on a GPU: its schedule, decoded, and which dimensions a tile has.
//
// A #sinter.mma is read here and nowhere else. The scheduler asks before it chooses, the lowering when it writes the
// kernel. No IR is made here.

#ifndef SINTER_LOWERING_FACTS_GPU_PRODUCTS_H
#define SINTER_LOWERING_FACTS_GPU_PRODUCTS_H

#include "capi/form.h"
#include "lowering/facts/gpu_launch.h"
#include "target/layouts.h"

// Elements, or words, behind each line of a side in shared memory, so that neighbours of different lines meet in no
// bank: of f64 along the sum, of which lanes take pairs; of f32 along the sum, of which they take pairs, and along rows
// or columns, of which they take one each; of all others.
enum { SN_GPU_PADDED_DOUBLES = 16, SN_GPU_PADDED_WORDS = 8, SN_GPU_PADDED = 4 };

// Dimensions of a form in its order, counted as one; the last is the fastest.
typedef struct {
  size_t n;
  int64_t dims[SN_MAX_DIMS];
} SnGpuDims;

// What each product sums for all points of rows by columns, once for each point of the batch. All dimensions of rows
// and columns of the form are in one of the three.
typedef struct {
  SnGpuDims batch;   // both sides of a product use them
  SnGpuDims rows;    // sides a use them, or columns of the form do not
  SnGpuDims columns; // sides b use them, or nobody does and they are columns of the form
  int64_t patch;     // 0: a tile has columns that follow each other; else so many of the last dimension's, of as many
                     // of the one in front of it as make a tile
} SnGpuPoints;

// Product p of the form: its sides, a without columns of the form where there is one.
typedef struct {
  size_t a, b; // sides
  SnGroup summed;
  MlirType type; // of its sums
  const SnMicroKernel *line;
  bool any_sum; // how much is summed need not be known
} SnGpuProduct;

typedef struct {
  SnGpuLaunch launch;
  SnGpuPoints points;
  int64_t m, n, k;    // rows and columns of a block's tile; what is summed at a time
  bool tickets;       // tiles go to the block that is done first
  bool by_turns;      // each warpgroup has whole tiles; else some rows of each
  int64_t stages;     // pieces of k summed elements in shared memory, of wgmma
  int64_t split;      // blocks that share the sum of a tile
  int64_t cluster;    // 2: blocks with tiles below each other copy half of side b each, for both
  int64_t group;      // tiles below each other that come before the next column of tiles
  const char *kernel; // a name of sn_micro_gpu_names
  bool together;      // products are summed in one loop
  bool whole_rows;    // the row program needs its rows whole, and a tile has them so
  int64_t warps_down; // of the warps of a block: so many have parts of the tile one below the other
  SnLayout sums;      // of a tile, over the threads of a block; of wgmma, of 64 of its rows over a warpgroup
} SnGpuProductPlan;

enum { SN_GPU_WARPGROUP = 128, SN_GPU_WARPGROUP_ROWS = 64 };
// Of a tile of wgmma: rows that one warpgroup has, columns of its sums that a warp has in shared memory at a time on
// their way to the row program, and the length of such a line.
int64_t sn_gpu_warpgroup_rows(const SnGpuProductPlan *plan);
enum { SN_GPU_STORED_COLUMNS = 32, SN_GPU_STORED_LINE = 40 };
// Columns of rows that a tile has whole: all kernels have tiles of the first, those of half types and of 8 bits of the
// second.
enum { SN_GPU_PIECE = 128, SN_GPU_WIDE_PIECE = 192 };

// Why a GPU cannot run the form as one kernel of products, NULL if it can: each element of a result is a function of
// one element of each product, or tiles have whole rows.
const char *sn_gpu_not_products(const SnForm *form);
SnGpuPoints sn_gpu_points(const SnForm *form);
// Why two blocks with tiles of m rows by n columns below each other cannot copy half of the columns' sides each, NULL
// if they can.
const char *sn_gpu_not_paired(const SnForm *form, const SnGpuPoints *points, const char *kernel, int64_t m, int64_t n);
// So many columns has a tile, where the row program needs its rows whole; 0: any number.
int64_t sn_gpu_tile_columns(const SnForm *form);
SnGpuProduct sn_gpu_product(const SnForm *form, size_t product, const char *kernel);
// Product `product` reads its side a where product 0 does, and as much of it.
bool sn_gpu_same_rows(const SnForm *form, size_t product);
// All products of a form are summed in one loop: their rows are the same, and a thread has room for all of their sums.
bool sn_gpu_sums_together(const SnForm *form, const char *kernel, int64_t m, int64_t n, int64_t threads);
// Their product; SN_DYNAMIC where one is.
int64_t sn_gpu_dims_size(const SnForm *form, const SnGpuDims *dims);
// Bytes of shared memory that a side takes where a block has so many of its rows or columns, and k summed elements; and
// what a tile takes in all. `kernel`: a name of sn_micro_gpu_names.
int64_t sn_gpu_side_bytes(const SnGpuProduct *product, int64_t extent, int64_t k);
int64_t sn_gpu_tile_bytes(const SnForm *form, const char *kernel, int64_t m, int64_t n, int64_t k, int64_t threads);
// The same of wgmma with so many stages, and so many threads that have sums; and of the slots of one stage.
int64_t sn_gpu_staged_bytes(const SnForm *form, int64_t m, int64_t n, int64_t stages, int64_t threads);
int64_t sn_gpu_stage_bytes(int64_t m, int64_t n);
// Of a line of a side along so many rows or columns, for mma.sync; along k.
int64_t sn_gpu_turned_words(const SnGpuProduct *product, int64_t extent);
int64_t sn_gpu_line_words(const SnGpuProduct *product, int64_t k);
// How threads read a side: neighbours of the last of these dimensions that is not 1 lie together; every `lanes`
// elements along them are an aligned vector of memory, all of which is where a fill value is read or none.
bool sn_gpu_is_along(const SnForm *form, const SnAccess *access, const SnGpuDims *dims);
bool sn_gpu_are_vectors(const SnForm *form, const SnAccess *access, const SnGpuDims *dims, int64_t lanes);
// The name of a schedule's kernel is one of those that warpgroups multiply by.
bool sn_gpu_by_warpgroups(const char *kernel);
// All products have a line of this name.
bool sn_gpu_has_kernel(const SnForm *form, const char *kernel);
// Tiles of a form whose sizes are known; SN_DYNAMIC where they are not. Of patches: so many of the last dimension, of
// the one in front of it, and of all others.
int64_t sn_gpu_num_tiles(const SnForm *form, const SnGpuPoints *points, int64_t m, int64_t n);
void sn_gpu_num_patches(const SnForm *form, const SnGpuPoints *points, int64_t n, int64_t *across, int64_t *down,
                        int64_t *others);
// Sums of half types so short that a product is little more than storing it: small tiles of mma.sync, whose sides need
// not lie in lines that copies take (an H200, 26 drawn products of at most 32: 0.81 of the time by wgmma). But what is
// large, and stored by vectors, wgmma has: its copies ask for more at a time.
bool sn_gpu_sums_are_short(const SnForm *form);
// Of the row program, for an element: simple operations, and as many for a division or a function as these take.
enum { SN_GPU_FUNCTION_WEIGHT = 10 };
int64_t sn_gpu_program_weight(const SnForm *form);
// Pieces of k elements that the product sums, in all and by one of `split` blocks; the last may have fewer, none has 0.
int64_t sn_gpu_pieces(const SnForm *form, size_t product, int64_t k, int64_t split);
// An error if the form has no #sinter.mma, or `why`, if it is not NULL, says that it cannot become a kernel.
MlirLogicalResult sn_gpu_check_mma(const SnForm *form, const char *why);
// An error if the form has no #sinter.mma, or one whose numbers do not fit each other.
MlirLogicalResult sn_gpu_plan_products(const SnForm *form, SnGpuProductPlan *plan);

#endif

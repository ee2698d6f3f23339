// contract.h: what the files of the contract lowering share.

#ifndef SINTER_LOWERING_CPU_CONTRACT_H
#define SINTER_LOWERING_CPU_CONTRACT_H

#include "lowering/cpu/lower_cpu.h"
#include "lowering/cpu/micro_block.h"
#include "lowering/facts/product_sides.h"

typedef SnCpuProduct Product;

typedef struct {
  SnKernel *kernel;
  SnForm f; // in the task: the segment that is emitted
  SnTask t;
  int64_t m, n, k, lanes;
  int64_t strip;         // rows of a block whose columns are made at a time; m: all
  int64_t columns;       // of one block; 0: all
  bool reads_windows;    // rows are runs that begin where tables say
  bool packs_rows;       // also where they could be read in place
  bool shares_rows;      // by all tasks, which begin when they are copied
  bool shares_weights;   // the same of weights that are copied
  int64_t ahead;         // rows of weights that memory is asked for before they are read
  bool widens;           // narrower weights as it reads them, and copies none
  MlirValue row_block;   // the block's number among those of rows, of all batch indices
  int64_t panels;        // of b that are packed together
  int64_t sums;          // columns of a block of which sums are kept while k goes on; 0: n
  int64_t k_unit;        // what k0 is a multiple of; 0: it is 0
  int64_t together;      // how many of the last row dimensions count as one
  MlirValue rows, row_blocks; // of one batch index
  MlirValue all_row_blocks;   // of all batch indices
  MlirValue blocks, share, tasks; // all blocks, those of one task, and how many tasks that makes
  MlirValue slot;        // of the task in scratch memory
  MlirValue pieces;      // of a row, `columns` wide
  MlirValue i0, mm;      // first row of the block, or of a strip of it, and its count of rows
  MlirValue kept_from;   // the stream's column where panels that are kept for strips begin
  MlirValue r0;          // of a strip: its first row in the block; null: it is the block
  MlirValue batch;       // its batch index, and the indices of each dimension
  MlirValue dims[SN_MAX_DIMS];
} Contract;

// What it sums.
MlirValue sn_cpu_sum_of(SnBuilder *b, const SnForm *f, const Product *p);
// Columns n0 .. n0 + nn of a product of the block, to columns of c from `column` on.
void sn_cpu_product(Contract *c, Product *p, MlirValue n0, MlirValue nn, MlirValue column);
// The same of summed elements `from` .. `to` alone, added to c unless `from` is where they begin; and of none: zeros.
void sn_cpu_product_part(Contract *c, Product *p, MlirValue from, MlirValue to, MlirValue n0, MlirValue nn,
                         MlirValue column);
// The weights of this, copied to where products with all strips find them.
void sn_cpu_keep_panels(Contract *c, Product *p, MlirValue from, MlirValue to, MlirValue n0, MlirValue nn);
void sn_cpu_product_zero(Contract *c, Product *p, MlirValue nn, MlirValue column);
// Where each row of the block begins in an image under windows, and once for all blocks where each run does.
void sn_cpu_window_rows(Contract *c, const Product *p);
void sn_cpu_window_runs(SnBuilder *b, const SnForm *f, const Product *p);
// The next point of these dimensions, the last fastest; behind the last one the first. In pack_runs.c.
void sn_cpu_advance(SnBuilder *b, const SnForm *f, int64_t first, int64_t n, MlirValue *dims);
// size, or what is left of `whole` at `at`, which is a multiple of the block.
MlirValue sn_cpu_smaller(SnBuilder *b, MlirValue size, int64_t block, MlirValue at, MlirValue whole);
// Row r of the task's slot of a scratch memref that has `rows` rows for each.
MlirValue sn_cpu_scratch_row(Contract *c, int64_t rows, MlirValue r);
// The same of row r of the strip, in memory for rows of a block.
MlirValue sn_cpu_block_row(Contract *c, MlirValue r);
// And in a product's c.
MlirValue sn_cpu_sums_row(Contract *c, const Product *p, MlirValue r);
// All dimensions at row i of those that count as one (null: none), flattened column j (null: none) and flattened sum
// index s.
void sn_cpu_point(Contract *c, const Product *p, MlirValue i, MlirValue j, MlirValue s, MlirValue *dims);

// ---- sides with programs: pack_programs.c ---------------------------------------------------------

// A side's program over n of the contract's dimensions, along which vectors of it run.
typedef struct {
  SnForm form;             // elementwise; its columns are those dimensions, its rows all others
  int64_t at[SN_MAX_DIMS]; // where each dimension of the contract is in it
  MlirRegion region;       // that its body stands in
  SnRowProgram program;
} SnSideProgram;

// Stays where it is until sn_cpu_side_program_free.
void sn_cpu_side_program(Contract *c, size_t side, int64_t first, int64_t n, SnSideProgram *to);
void sn_cpu_side_program_free(SnSideProgram *p);
// Its scalars, at these dimensions of the contract; those that it runs along may be null.
void sn_cpu_side_row(SnBuilder *b, SnSideProgram *p, const MlirValue *dims);
// `width` elements from `at` on in the flattened dimensions that it runs along.
MlirValue sn_cpu_side_element(SnBuilder *b, SnSideProgram *p, MlirValue at, int64_t width);
// How many of the n dimensions stand in front of the last ones that every access of the side takes as one: it is the
// same in all of them, or its elements are neighbours. At least the last dimension is one.
int64_t sn_cpu_side_outer(const SnForm *f, size_t side, int64_t first, int64_t n);
// Accesses that vectors along these dimensions load element by element.
int64_t sn_cpu_side_scattered(const SnForm *f, size_t side, int64_t first, int64_t n);
// Of the last dimensions that no access uses `inner` elements are alike; in front of them neighbours along `dim` are
// neighbours in memory, or the same.
typedef struct {
  int64_t dim, inner;
} SnSideLanes;
// Whether `width` elements of the flattened dimensions, from a multiple of it on, are width / inner neighbours along
// one dimension, `inner` times each: weights with a number for each group of them, or of 4 bits that lie in pairs.
bool sn_cpu_side_lanes(const SnForm *f, size_t side, int64_t first, int64_t n, int64_t width, SnSideLanes *lanes);
// Neighbours in dimension d are neighbours in memory. In pack_runs.c.
bool sn_cpu_next_to_itself(MlirAffineMap map, MlirType t, int64_t d);

// ---- what packs both: pack.c -----------------------------------------------------------------

// x rounded up to a multiple of the unit.
MlirValue sn_cpu_whole(SnBuilder *b, MlirValue x, int64_t unit);

// Rows of b_pack for each task: summed elements of a block, or groups of them, with room for whole units of the line;
// those of each tile of columns where tiles multiply them.
MlirValue sn_cpu_b_panel(Contract *c, const Product *p, MlirValue column); // the row where that column's panel begins
int64_t sn_cpu_b_groups(const Contract *c, const Product *p);
int64_t sn_cpu_b_rows(const Contract *c, const Product *p);
int64_t sn_cpu_b_kept_rows(const Contract *c, const Product *p); // of all panels that it keeps
int64_t sn_cpu_b_whole_rows(const Contract *c, const Product *p); // of b_whole

// A packed block of rows is in panels of k summed elements, [sum / k][m][k]: how many, and where that of k0 begins in
// the rows of a_pack. Rows that are as far apart as the whole sum share few places of a cache. Where tiles multiply
// them it is [sum / k][m / 16][k / 32][16][32], so that a tile is one piece of memory.
int64_t sn_cpu_a_panels(const Contract *c, const Product *p);
int64_t sn_cpu_a_tiles(const Contract *c, const Product *p); // along a panel; 0: its rows are not in tiles
int64_t sn_cpu_a_rows(const Contract *c, const Product *p);  // of a_pack for each task
MlirValue sn_cpu_a_row(Contract *c, const Product *p, MlirValue k0);
// Row r of the block's a_pack.
MlirValue sn_cpu_a_scratch_row(Contract *c, const Product *p, MlirValue r);
// pack.c: a_pack[r][s] = A[i0 + r, s] for the whole block; zeros behind the last s, up to a unit of the line.
void sn_cpu_pack_a(Contract *c, Product *p);
// The same of panel `panel` alone, if there is one.
void sn_cpu_pack_a_panel(Contract *c, Product *p, MlirValue panel);
// b_pack[s][j] = B[k0 + s, n0 + j]; zeros behind row kk and column nn, up to units of the line. Panels of columns
// follow one another from row `first` of b_pack on (null: where the task's memory begins).
void sn_cpu_pack_b(Contract *c, Product *p, MlirValue k0, MlirValue kk, MlirValue n0, MlirValue nn, MlirValue first);

// ---- what all tasks share: chain_shared.c ------------------------------------------------------

// Rows of b_pack that hold all weights of a product, [batch][sum / k][columns / n][b_rows], and where those of the
// block's batch index begin that stand at k0 and n0.
MlirValue sn_cpu_shared_rows(const Contract *c, SnBuilder *b, const SnForm *f, const Product *p);
MlirValue sn_cpu_shared_row(Contract *c, const Product *p, MlirValue k0, MlirValue n0);

#endif

// micro_block.h: one block of a product, by a line of the table of micro-kernels.
//
//   c[0 .. m][0 .. n] (+)= a[0 .. m][0 .. k] . b[0 .. k][0 .. n]
//
// Whoever has two blocks as the line wants them and a place for the sums calls sn_cpu_micro_kernel: a contract's
// blocks, a chain's, attention's. How a line is written is nobody else's business.

#ifndef SINTER_LOWERING_CPU_MICRO_BLOCK_H
#define SINTER_LOWERING_CPU_MICRO_BLOCK_H

#include "lowering/cpu/lower_cpu.h"
#include "target/microkernels.h"

// Rows of a block in memory.
typedef struct {
  MlirValue memory;   // a memref of one dimension
  MlirValue offset;   // of the first element
  MlirValue distance; // of rows, or of b's groups of rows, in elements
  // Of lines that multiply tiles: how far the next tile of rows of a or columns of b is, and the next one along k.
  MlirValue across, along;
  // Of a, where `run` says so: tables of i64 that say where rows and runs begin behind `offset`, and which of their
  // numbers are the first row's and the first run's.
  MlirValue rows, runs, first_row, first_run;
} SnPanel;

typedef struct {
  const SnMicroKernel *line;
  MlirType sum;      // of the accumulator
  SnPanel a, b, c;   // of the line's types and layouts, c of `sum`; b may be narrower where vectors of it are loaded
  MlirValue m, n, k; // how many there are; 0 is right
  MlirValue again;   // i1: added to what is in c; else c is written only
  // a has zeros behind column k, and b behind row k, up to a multiple of sn_micro_k_unit. Rows of a may be read, and
  // rows of c written, up to a multiple of sn_micro_row_unit, whatever they hold.
  // Rows of b may be read, and rows of c read and written, up to a multiple of sn_micro_column_unit: what is there
  // behind column n is not used.
  bool b_has_room, c_has_room;
  bool a_is_near; // in a cache: a copy that was just made, or an image that windows read again and again
  // Elements of a's runs: k is so many of them, and a's panel has tables. Groups of b are those of each run, filled up
  // with zeros. 0: a's rows are `distance` apart, and k is one run.
  int64_t run;
  int64_t apart; // rows of b, of lines that read it where it lies: so many elements; 0: they have a distance alone
  // Of tiles: lines of memory that are asked for meanwhile, into the second cache: every four tiles of sums ask for
  // `asked` rows of `next`, a line of each in a step along k. 0: none.
  SnPanel next;
  int64_t asked;
  int64_t ahead; // rows of b, of vectors along n: so far ahead memory is asked for what is read; 0: it is not asked
} SnMicroBlock;

void sn_cpu_micro_kernel(SnKernel *k, SnBuilder *b, const SnMicroBlock *block);

// The panel that begins at [row, column] of a memref of two dimensions, and at an element of one of any rank whose
// rows are `distance` apart.
SnPanel sn_cpu_panel(SnBuilder *b, MlirValue memref, MlirValue row, MlirValue column);
SnPanel sn_cpu_panel_at(SnBuilder *b, MlirValue memref, const MlirValue *at, MlirValue distance);

// ---- the emitters ----------------------------------------------------------------------

typedef void (*SnMicroEmit)(SnKernel *k, SnBuilder *b, const SnMicroBlock *block);
void sn_cpu_micro_call(SnKernel *k, SnBuilder *b, const SnMicroBlock *block);    // micro_block.c
void sn_cpu_micro_vectors(SnKernel *k, SnBuilder *b, const SnMicroBlock *block); // microkernels_vectors.c
void sn_cpu_micro_inner(SnKernel *k, SnBuilder *b, const SnMicroBlock *block);   // microkernels_inner.c
void sn_cpu_micro_tiles(SnKernel *k, SnBuilder *b, const SnMicroBlock *block);   // microkernels_tiles.c

// What they share. A call of the module's function for blocks of this line, type and kind, which `emit` writes; for
// blocks of just so many columns, if `columns` is not 0.
void sn_cpu_micro_shared(SnKernel *k, SnBuilder *b, const SnMicroBlock *block, const char *kind, int64_t columns,
                         SnMicroEmit emit);
// x + a . b or x + a * b, as the line says.
MlirValue sn_cpu_micro_step(SnKernel *k, SnBuilder *b, const SnMicroKernel *line, MlirValue x, MlirValue y,
                            MlirValue sum);
// Where row `row` of a begins.
MlirValue sn_cpu_micro_row(SnBuilder *b, const SnMicroBlock *block, MlirValue row);
// And run number `run`, behind that.
MlirValue sn_cpu_micro_run(SnBuilder *b, const SnMicroBlock *block, MlirValue run);
// Asks memory for the line of an element, which is not loaded: 3, into the first cache; 2, into the second.
void sn_cpu_micro_prefetch(SnBuilder *b, MlirValue memory, MlirValue offset, int locality);
// The first `count` of so many lanes.
MlirValue sn_cpu_micro_mask(SnBuilder *b, int64_t lanes, MlirValue count);
// The address of an element, as an !llvm.ptr.
MlirValue sn_cpu_address(SnBuilder *b, MlirValue memory, MlirValue offset);

#endif

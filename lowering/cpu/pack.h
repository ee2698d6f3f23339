// pack.h: what the files that pack a product's sides take from each other.

#ifndef SINTER_LOWERING_CPU_PACK_H
#define SINTER_LOWERING_CPU_PACK_H

#include "lowering/cpu/contract.h"

// A side as an array [rows][columns] of its packed form: A is [i][s], B is [s][j].
typedef struct {
  Contract *c;
  Product *p;
  bool is_a;
  int64_t lanes;           // of the vectors that copy it
  MlirValue row0, column0; // of the block in the side
  MlirValue pack;
  int64_t pack_rows; // of the pack, for each task
  MlirValue pack_row0;    // where the block begins in these; null: 0
  MlirValue first;        // row of the pack that they are counted from, of all tasks; null: the task's own first one
  int64_t k_tiles;        // of rows in tiles: how many each of its rows crosses; else 0
  MlirValue whole0; // the first row of `pack` where its rows follow each other, as in what is split later; null: above
  int64_t row_unit; // what row0 is a multiple of; 0: it is 0
  SnSideProgram *columns; // of a side with a program: along the packed rows, once a column was asked for
} SnPackBlock;

// The side's access; null where it has a program. Its number among the contract's sides, and the packed type.
const SnAccess *sn_pack_side(const SnPackBlock *k);
size_t sn_pack_side_number(const SnPackBlock *k);
MlirType sn_pack_type(const SnPackBlock *k);
// The contract's dimensions that rows and columns of the packed form are.
SnGroup sn_pack_row_group(const SnPackBlock *k);
SnGroup sn_pack_column_group(const SnPackBlock *k);
// Dimensions of the contract at a row and a column of the block.
void sn_pack_point(SnPackBlock *k, MlirValue row, MlirValue column, MlirValue *dims);
// The row of the pack that row r of the block goes to.
MlirValue sn_pack_row(const SnPackBlock *k, MlirValue r);
// pack_runs.c: elements of the rows and columns, converted, to the same place of the pack; and zeros.
void sn_pack_elements(SnPackBlock *k, MlirValue rows_from, MlirValue rows_to, MlirValue columns_from,
                      MlirValue columns_to);
void sn_pack_zeros(SnPackBlock *k, MlirValue rows_from, MlirValue rows_to, MlirValue columns_from,
                   MlirValue columns_to);
// Consecutive rows of the packed form are consecutive elements in memory. Then: n of them as a vector, converted, from
// a row of the block that is a multiple of n.
bool sn_pack_lies_transposed(const SnPackBlock *k, int64_t n);
bool sn_pack_lies_in_rows(const SnPackBlock *k); // consecutive columns are, and nothing bounds them
MlirValue sn_pack_load_row(SnPackBlock *k, MlirValue row, MlirValue column, int64_t n);
MlirValue sn_pack_load_column(SnPackBlock *k, MlirValue row, MlirValue column, int64_t n);
// n vectors of n lanes: element [i][j] to [j][i].
void sn_pack_transpose(SnBuilder *b, int64_t n, MlirValue *v);

// pack_images.c: lines of an image follow each other over the columns of all rows, which are shifted against it. Then
// the same as sn_pack_elements.
bool sn_pack_lies_as_image(const SnPackBlock *k);
void sn_pack_image(SnPackBlock *k, MlirValue rows_from, MlirValue rows_to, MlirValue columns_from,
                   MlirValue columns_to);

// The block to `pack`, without zeros.
void sn_pack_block(SnPackBlock *k, MlirValue rows, MlirValue columns);

// pack_parts.c: sums of parts, of lines that multiply these. So many columns of all rows of the block, in tiles; so
// many rows and columns, in groups. Zeros up to whole tiles.
void sn_pack_parts_of_rows(SnPackBlock *k, MlirValue columns);
void sn_pack_parts_of_columns(SnPackBlock *k, MlirValue rows, MlirValue columns);

// pack_groups.c: [rows / group][columns][group], with zeros up to whole groups and whole vectors of columns.
void sn_pack_groups(SnPackBlock *k, MlirValue rows, MlirValue columns);

#endif

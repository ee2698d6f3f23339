// contract.h: what the files of the contract lowering share.

#ifndef SINTER_LOWERING_CPU_CONTRACT_H
#define SINTER_LOWERING_CPU_CONTRACT_H

#include "lowering/cpu/lower_cpu.h"
#include "lowering/cpu/micro_block.h"

#define AT_RUN_TIME (-1)

// One product, and where its parts are.
typedef struct {
  size_t a_side, b_side; // of the form: rows x sum, sum x columns
  const SnAccess *a, *b; // their accesses; null: the side has a program
  MlirType type;
  int64_t first_dim, num_dims; // its own dimensions
  size_t group;                // of the columns of its row
  SnGroup columns;
  int64_t sum;                 // their product; SN_DYNAMIC where it is known at run time
  const SnMicroKernel *line;        // what makes it
  MlirType a_type, b_type;          // of the elements of its packed sides
  int64_t lda, ldb; // distances of rows where a side is read in place, else 0; AT_RUN_TIME: its last size
  bool streamed;     // its rows are written to a_pack as they are made, some of what is summed at a time
  MlirValue a_from;  // and the first of these; null: 0
  MlirValue c, a_pack, b_pack;      // scratch: [tasks * m][width], [tasks * m][sum], [tasks * k][n in whole vectors]
  MlirValue b_rows;                 // scratch: [tasks * group][n in whole vectors], where b is packed in groups
} Product;

typedef struct {
  SnKernel *kernel;
  SnForm f; // in the task: the segment that is emitted
  SnTask t;
  int64_t m, n, k, lanes;
  int64_t columns;       // of one block; 0: all
  int64_t together;      // how many of the last row dimensions count as one
  MlirValue rows, row_blocks; // of one batch index
  MlirValue blocks, share, tasks; // all blocks, those of one task, and how many tasks that makes
  MlirValue slot;        // of the task in scratch memory
  MlirValue pieces;      // of a row, `columns` wide
  MlirValue i0, mm;      // first row of the block and its count of rows
  MlirValue dims[SN_MAX_DIMS];    // batch indices
} Contract;

// Product k of the form, where `together` row dimensions count as one; without memory of its own.
MlirLogicalResult sn_cpu_read_product(const SnForm *f, size_t k, int64_t together, const char *kernel, Product *p);
// What it sums.
MlirValue sn_cpu_sum_of(SnBuilder *b, const SnForm *f, const Product *p);
// Columns n0 .. n0 + nn of a product of the block, to columns of c from `column` on.
void sn_cpu_product(Contract *c, Product *p, MlirValue n0, MlirValue nn, MlirValue column);
// The same of summed elements `from` .. `to` alone, added to c unless `from` is 0; and of none: zeros.
void sn_cpu_product_part(Contract *c, Product *p, MlirValue from, MlirValue to, MlirValue n0, MlirValue nn,
                         MlirValue column);
void sn_cpu_product_zero(Contract *c, Product *p, MlirValue nn, MlirValue column);
// size, or what is left of `whole` at `at`, which is a multiple of the block.
MlirValue sn_cpu_smaller(SnBuilder *b, MlirValue size, int64_t block, MlirValue at, MlirValue whole);
// How many of the last row dimensions count as one, if this kernel makes the products.
int64_t sn_cpu_rows_together(const SnForm *f, const char *kernel);
// Rows of a block are copied for this kernel before they are multiplied, once for each task that has columns of it.
bool sn_cpu_packs_rows(const SnForm *f, const char *kernel);
// The row program sees one column at a time, so it can run on parts of a row.
bool sn_cpu_by_columns(const SnForm *f);
// Row r of the task's slot of a scratch memref that has `rows` rows for each.
MlirValue sn_cpu_scratch_row(Contract *c, int64_t rows, MlirValue r);
// Distance of consecutive points of the flattened dimensions first .. first + n, in elements; 0 if there is not one.
int64_t sn_cpu_stride(const SnForm *f, const int64_t *factors, int64_t first, int64_t n);
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
// Neighbours in dimension d are neighbours in memory. In pack.c.
bool sn_cpu_next_to_itself(MlirAffineMap map, MlirType t, int64_t d);

// ---- what packs both: pack.c -----------------------------------------------------------------

// x rounded up to a multiple of the unit.
MlirValue sn_cpu_whole(SnBuilder *b, MlirValue x, int64_t unit);

// Rows of b_pack for each task: summed elements of a block, or groups of them, with room for whole units of the line.
int64_t sn_cpu_b_rows(const Contract *c, const Product *p);

// pack.c: a_pack[r][s] = A[i0 + r, s] for the whole block; zeros behind the last s, up to a unit of the line.
void sn_cpu_pack_a(Contract *c, Product *p);
// b_pack[s][j] = B[k0 + s, n0 + j]; zeros behind row kk and column nn, up to units of the line.
void sn_cpu_pack_b(Contract *c, Product *p, MlirValue k0, MlirValue kk, MlirValue n0, MlirValue nn);

#endif

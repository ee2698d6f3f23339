// product_sides.h: one product of a form on a CPU: which line of the table makes it, and where its sides are.
//
// The scheduler asks before it chooses, the lowering when it writes the kernel. No IR is made here.

#ifndef SINTER_LOWERING_FACTS_PRODUCT_SIDES_H
#define SINTER_LOWERING_FACTS_PRODUCT_SIDES_H

#include "dialect/row_groups.h"
#include "lowering/rows/rowprogram.h"
#include "target/microkernels.h"

#define SN_AT_RUN_TIME (-1)
#define SN_BY_TABLES (-2)

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
  MlirType a_type, b_type;          // of the elements of its packed sides; of a line with parts: before they are split
  // a's and b's elements are narrower than the line's: in place, they are widened in registers. b's may be whole
  // numbers that its side's program converts.
  bool widens_a, widens;
  // Distances of rows where a side is read in place, else 0; SN_AT_RUN_TIME: its last size. SN_BY_TABLES, of a, which
  // the lowering sets: wherever tables say that rows and runs begin.
  int64_t lda, ldb;
  // Of a: what is summed are runs of so many neighbours in memory, as those of an image whose channels are last under a
  // window. Rows and runs may begin anywhere. 0: the line or the side cannot be read so.
  int64_t run;
  // Set by the lowering.
  int64_t room;      // columns of b_pack
  int64_t panel;     // columns of b that are packed at a time; 0: all that are asked for
  bool packed;       // b lies as the line wants it (packed_weights.h)
  bool streamed;     // its rows are written to a_pack as they are made, some of what is summed at a time
  int64_t rows;      // of c and, where it is streamed, of a_pack, that a task has: those of a block, or of a strip
  int64_t across;    // panels of `wide` columns that b_pack keeps beside each other for all strips; 0: it holds one
  int64_t wide, kept; // and how many panels it keeps in all
  MlirValue a_from;  // and the first of these; null: 0
  MlirValue first;   // what is summed of them begins there; null: 0
  MlirValue next_k, next_n; // the panel that is multiplied next, about
  MlirValue c, a_pack, b_pack;      // scratch: [tasks * m][width], [tasks * m][sum], [tasks * k][n in whole vectors]
  MlirValue b_rows;                 // scratch: [tasks * group][n in whole vectors], where b is packed in groups
  MlirValue a_rows, a_runs;   // scratch, of lda = SN_BY_TABLES: [tasks * m] and [sum / run], where each begins
  MlirValue a_whole, b_whole; // scratch, of lines with parts: a tile of rows and a panel of b before they are split
} SnCpuProduct;

// Product k of the form, where `together` row dimensions count as one; without memory of its own.
MlirLogicalResult sn_cpu_read_product(const SnForm *f, size_t k, int64_t together, const char *kernel, SnCpuProduct *p);
// One side of product k is without columns: its rows are those of a block.
bool sn_cpu_has_side_of_rows(const SnForm *f, size_t k);
// The error about product k, of which that is not so.
MlirLogicalResult sn_cpu_wants_split(const SnForm *f, size_t k);
// How many of the last row dimensions count as one, if this kernel makes the products.
int64_t sn_cpu_rows_together(const SnForm *f, const char *kernel);
// Rows of a block are copied for this kernel before they are multiplied, once for each task that has columns of it.
bool sn_cpu_packs_rows(const SnForm *f, const char *kernel);
// Weights of a product are copied for this kernel, once for each block of rows.
bool sn_cpu_packs_weights(const SnForm *f, const char *kernel);
// Columns of the first product's weights are lines, as those of an image under a window, whose ends are no neighbours
// of the next line: how many a line has. 0: they are not, or nobody knows.
int64_t sn_cpu_line_of_columns(const SnForm *f, const char *kernel);
// Why these cannot be copied once for all blocks; NULL: they can.
const char *sn_cpu_cannot_share(const SnForm *f, const SnCpuProduct *p);
// The second side of each product is read where it lies, by this kernel; widened, where it is narrower.
bool sn_cpu_reads_weights(const SnForm *f, const char *kernel);
// And the first one, too.
bool sn_cpu_reads_both(const SnForm *f, const char *kernel);
// The first side of each product is runs that a kernel can read by tables, wherever they begin, and it does not lie in
// rows of one distance: how long they are, of the first product. 0: it is not.
int64_t sn_cpu_reads_windows(const SnForm *f, const char *kernel);
// Groups of the line that so many summed elements are, those of each run by themselves.
int64_t sn_cpu_groups_of(const SnCpuProduct *p, int64_t summed);
// Columns of the products' second sides are neighbours in memory: weights [k, j].
bool sn_cpu_weights_in_rows(const SnForm *f, const char *kernel);
// Weights [j, k] of the first product, which a kernel copies: how far columns are apart in memory, in elements; 0: they
// are not so, or nobody knows.
int64_t sn_cpu_lines_apart(const SnForm *f, const char *kernel);
int64_t sn_cpu_lines_of(const SnForm *f, const SnCpuProduct *p); // of one product
// The row program sees one column at a time, so it can run on parts of a row.
bool sn_cpu_by_columns(const SnForm *f);
// Distance of consecutive points of the flattened dimensions first .. first + n, in elements; 0 if there is not one.
int64_t sn_cpu_stride(const SnForm *f, const int64_t *factors, int64_t first, int64_t n);

#endif

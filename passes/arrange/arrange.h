// arrange.h: what the files of sinter-arrange take from each other.

#ifndef SINTER_PASSES_ARRANGE_H
#define SINTER_PASSES_ARRANGE_H

#include "passes/edit/edit.h"

// The form on tensors with summed dimensions that lie behind one another in both sides as one; itself, if none do.
MlirOperation sn_merge_sums(MlirOperation form);
// Of a convolution of few filters the product of its image by all taps, windows of which a rowwise in the form's place
// adds up; itself, if that is not less (lowering/facts/gpu_taps.h).
MlirOperation sn_multiply_taps(MlirOperation form);

// The rowwise form on tensors with columns as one that lie behind one another in all that it reads.
MlirOperation sn_merge_columns(MlirOperation form);
// The same of rows, where all that is made of them is reduced.
MlirOperation sn_merge_rows(MlirOperation form);
// A rowwise form of few rows whose columns have nothing to do with each other: its columns are rows. Itself, if it is
// none, or has more elements than a few for each thread of a GPU.
MlirOperation sn_spread_columns(MlirOperation form);
// A rowwise form without columns that does nothing but reduce over its rows: the last of them are columns.
MlirOperation sn_one_row(MlirOperation form);
// A rowwise form of elements that have nothing to do with each other, whose columns lie side by side.
MlirOperation sn_order_columns(MlirOperation form);
// A rowwise form whose rows follow each other as its first result has them in memory.
MlirOperation sn_order_rows(MlirOperation form);
// The same, but of long rows the last dimension is the one that all that they read has last.
MlirOperation sn_order_rows_as_read(MlirOperation form);
// A rowwise form of elements that have nothing to do with each other, whose short rows go on in memory where they end,
// in all that it reads and writes: rows of several dimensions.
MlirOperation sn_longer_rows(MlirOperation form);
// A form whose result a reshape takes dimensions of 1 from, which stores it without them.
MlirOperation sn_store_without_units(MlirOperation form);
// A product of an image with channels last, whose columns are places of it: they are what lies last in the result.
void sn_columns_as_stored(MlirOperation form);
// A product of columns that are less than a vector, which has row dimensions of the same side as columns, too.
MlirOperation sn_more_columns(MlirOperation form);

// A result that forms read, without what is repeated in it, in the order of dimensions in which what it is made of
// lies. The form in op's place.
MlirOperation sn_share_side(MlirOperation op, intptr_t result);
// A product's result that rowwise forms alone read, with its columns side by side. The form in op's place.
MlirOperation sn_lie_by_columns(MlirOperation op, intptr_t result);

// half_sides.c: products of the form whose sides are halves, as they lie; with `floats` of f32, too.
void sn_bare_sides(MlirOperation op, bool floats);
// Rows in f32 that are read by nothing but products with halves are stored as such. The form in op's place.
MlirOperation sn_round_stored(MlirOperation op, intptr_t result);
// The form in op's place stores the halves of a result that is such times a number, if nothing but products of halves
// reads it.
MlirOperation sn_share_halves(MlirOperation op, intptr_t result);
// Results of products that have nothing to do with each other, made of the same rows, are forms of their own.
void sn_part_sides(MlirOperation op, bool floats);

// What a value has between zeros: all elements of another one. Dimension p of the value is dimension from[p] of that
// one; the first element is at first[p], and they are step[p] from each other.
typedef struct {
  MlirValue value;
  intptr_t from[SN_MAX_DIMS];
  int64_t first[SN_MAX_DIMS], step[SN_MAX_DIMS];
} SnSpaced;
// False where a form does not make v so, or no step is more than 1.
bool sn_find_spaced(MlirValue v, SnSpaced *to);

// A rowwise form that sums products of two of its inputs, as rows of a product would be.
typedef struct {
  MlirOperation sum;
  MlirValue sides[2]; // arguments: a, which each row has its own of, and b
  size_t inputs[2];
  int num_sides;
  double factor; // that the sum is times
  // Row dimension `shared` of a is `shared` floordiv n in b, or is not there: n is 1. b has the row dimension
  // `columns`.
  int64_t shared, n, columns;
} SnRowProduct;
// False where it is none. `alone`: also where rows share no side, and of two types; then `shared` may be -1.
bool sn_find_row_product(const SnForm *form, SnRowProduct *product, bool alone);
// The contract, in op's place.
MlirOperation sn_multiply_rows(MlirOperation op, const SnForm *form, const SnRowProduct *product);

// The row is of a contract's products, and something of each row is above -inf, whatever the products are, as long as
// they are finite: what is masked is said by positions alone.
bool sn_row_lives(MlirValue row);

// written_sides.c: a side of a product with dimension `moved` as its last one, which is `length` long then, zeros
// behind what there was; of others, where it was not the last one before, each steps[i]-th alone. And the result of a
// form that computes one element from others, in lines so long.
enum { SN_LINE_BYTES = 16 }; // that copies want lines to be multiples of
MlirValue sn_write_arranged(SnBuilder *b, MlirValue from, intptr_t moved, int64_t length, const int64_t *steps);
MlirValue sn_compute_longer(MlirValue from, int64_t length);

#endif

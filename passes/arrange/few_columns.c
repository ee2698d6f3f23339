// few_columns.c: a product of few columns has those of other images, too.
//
//   contract (i = 16, j = 512) by (y = 2, x = 2) product (c, r, s) (%w[j, c, r, s], %x[i, c, y + r - 1, x + s - 1])
// ->
//   contract (j = 512) by (i = 16, y = 2, x = 2), the same
//
// Columns are the lanes of a CPU's vectors: of an image of four places they are a quarter of one, and all weights are
// read for each image. A row dimension that the other side has nothing of is as good a column. (The last layers of a
// ResNet: 16 images of one place by 512 filters 3x3 of 512 channels took 29.6 ms, and take 0.8.) Where nobody knows how
// many images there are, one is as long a row as before.
//
// runs in: sinter-thin-products    test: test/passes/arrange/few_columns.mlir, test/run/few_columns.test

#include "passes/arrange/arrange.h"
#include "passes/merge/merge.h"

enum {
  LANES = 16,     // of a vector of f32
  LEAST_SUM = 64, // elements: less is no work beside columns that are stored apart
};

static bool sums_much(const SnForm *f) {
  int64_t sum = 1;
  for (intptr_t d = (intptr_t)(f->num_rows + f->num_cols); d < (intptr_t)f->dims.size; ++d)
    sum = f->dims.data[d].size == SN_DYNAMIC ? SN_DYNAMIC : sn_times(sum, f->dims.data[d].size);
  return sum >= LEAST_SUM;
}

static bool has_columns(const SnForm *f, size_t side) {
  for (intptr_t d = f->num_rows; d < f->num_rows + f->num_cols; ++d)
    if (sn_side_uses(f, side, d))
      return true;
  return false;
}

// The sides with columns have the dimension, and no others.
static bool is_of_columns(const SnForm *f, intptr_t row) {
  for (size_t s = 0; s < 2 * f->products.size; ++s)
    if (sn_side_uses(f, s, row) != has_columns(f, s))
      return false;
  return true;
}

MlirOperation sn_more_columns(MlirOperation op) {
  SnForm f = sn_form_read(op);
  bool is_column[SN_MAX_DIMS] = {false};
  int64_t columns = sn_row_length(&f), rows = f.num_rows, before = columns;
  bool few = columns > 0 && columns < LANES && f.products.size && sums_much(&f);
  for (intptr_t d = 0; d < f.num_rows + f.num_cols; ++d)
    is_column[d] = d >= f.num_rows;
  for (intptr_t d = f.num_rows; few && d-- > 0 && columns != SN_DYNAMIC && columns < LANES;) {
    int64_t size = f.dims.data[d].size;
    if (rows > 1 && (size == SN_DYNAMIC || size > 1) && is_of_columns(&f, d)) {
      is_column[d] = true;
      columns = size == SN_DYNAMIC ? SN_DYNAMIC : sn_times(columns, size);
      --rows;
    }
  }
  if (columns != before && sn_can_resplit(&f, is_column))
    op = sn_resplit(op, is_column);
  sn_form_free(&f);
  return op;
}

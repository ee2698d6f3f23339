// stored_columns.c: a product of an image with channels last has channels as columns.
//
//   contract (n, o) by (y, x) product (c) (%w[o, c], %x[n, y, x, c]) outs(%y[n, y, x, o])
// ->
//   contract (n, y, x) by (o) product (c) (%w[o, c], %x[n, y, x, c]) outs(%y[n, y, x, o])
//
// Exporters have places as columns. Rows of the image are then read where they lie, and results are vectors. Of a
// window of several taps nothing is changed: its image is copied as it is for either.
//
// runs in: sinter-channel-order    test: test/passes/arrange/channel_order.mlir, test/run/channel_order.test

#include "lowering/rows/rowmemory.h"
#include "passes/arrange/arrange.h"
#include "passes/merge/merge.h"

enum { LEAST_COLUMNS = 8 }; // fewer are empty lanes

// The row dimension that is last in the result; -1: there is none.
static intptr_t stored_last(const SnForm *f) {
  const SnAccess *a = &f->outputs.data[0];
  intptr_t n = mlirAffineMapGetNumResults(a->map), d = n ? sn_map_dim(a->map, n - 1) : -1;
  return d >= 0 && d < (intptr_t)f->num_rows ? d : -1;
}

// The side with columns has a summed dimension as its last subscript, and every other one is of one element.
static bool is_image_of_channels(const SnForm *f) {
  const SnAccess *image = &f->inputs.data[sn_uses_cols(f, f->inputs.data[0].map) ? 0 : 1];
  intptr_t n = mlirAffineMapGetNumResults(image->map), first = (intptr_t)(f->num_rows + f->num_cols),
           channel = n ? sn_map_dim(image->map, n - 1) : -1;
  bool is = channel >= first && !image->fill.ptr;
  for (intptr_t d = first; d < (intptr_t)f->dims.size && is; ++d)
    is = d == channel || f->dims.data[d].size == 1;
  return is;
}

void sn_columns_as_stored(MlirOperation op) {
  SnForm f = sn_form_read(op);
  bool is_column[SN_MAX_DIMS] = {false};
  intptr_t last = f.contract && !f.schedule.ptr && sn_is_plain(&f) && f.products.size == 1 && f.outputs.size == 1 &&
                          !f.accumulators.size && f.num_cols > 0
                      ? stored_last(&f)
                      : -1;
  if (last >= 0 && (f.dims.data[last].size == SN_DYNAMIC || f.dims.data[last].size >= LEAST_COLUMNS) &&
      is_image_of_channels(&f)) {
    is_column[last] = true;
    if (sn_can_resplit(&f, is_column))
      sn_resplit(op, is_column);
  }
  sn_form_free(&f);
}

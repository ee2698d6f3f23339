// spread.c: few rows whose columns have nothing to do with each other have their columns as rows.
//
//   rowwise () by (i = 1024) ins(%g[i], ...) { sigmoid(%g) * ... }
// ->
//   rowwise (i = 1024) by () ins(%g[i], ...) { sigmoid(%g) * ... }
//
// A row is a block's, and one row's exponentials keep one multiprocessor busy while the others wait. Rows of one
// element are a thread's. Where all elements lie alike in all that is read, the flat family shares them anyway, in
// vectors.
//
// test: test/passes/arrange/spread.mlir

#include "lowering/facts/gpu_forms.h"
#include "passes/arrange/arrange.h"
#include "passes/split/pieces.h"

enum {
  MOST_ROWS = 64,          // that leave most multiprocessors without one
  MOST_ELEMENTS = 1 << 17, // one for each thread that a GPU has at once
};

static bool is_small(const SnForm *f) {
  int64_t rows = sn_num_rows(f), length = sn_row_length(f);
  return rows != SN_DYNAMIC && length != SN_DYNAMIC && rows <= MOST_ROWS && length > 1 &&
         sn_times(rows, length) <= MOST_ELEMENTS;
}

MlirOperation sn_spread_columns(MlirOperation op) {
  SnForm f = sn_form_read(op);
  bool can = sn_is_plain(&f) && !f.contract && sn_num_results(op) && !f.schedule.ptr && !f.accumulators.size &&
             !f.finish.ptr && f.num_cols && is_small(&f) && sn_goes_by_elements(&f) && sn_gpu_not_flat(&f);
  for (size_t k = 0; k < f.inputs.size && can; ++k)
    can = !sn_is_table(&f.inputs.data[k]);
  for (size_t k = 0; k < f.outputs.size && can; ++k) // a destination that misses a row would be reduced
    for (int64_t d = 0; d < f.num_rows + f.num_cols; ++d)
      can &= sn_map_uses(f.outputs.data[k].map, d);
  if (!can) {
    sn_form_free(&f);
    return op;
  }
  SnBuilder b = sn_before(op);
  SnForm to = sn_form_read(op);
  to.num_rows = f.num_rows + f.num_cols;
  to.num_cols = 0;
  MlirOperation made = sn_form_create(&b, &to, false);
  SnBuilder in = sn_at_end(to.body, b.loc);
  sn_copy_body_by_elements(&in, &f, &to, NULL);
  sn_replace_results(op, made);
  mlirOperationDestroy(op);
  sn_form_free(&to);
  sn_form_free(&f);
  return made;
}

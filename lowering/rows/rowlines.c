// rowlines.c: what a line of the last column dimension reads where it is in no one piece.
//
//   rows (c, r, s) by (n, h, w)
//   %x[n, c, h + r - 1, w + s - 1] else 0.0    ->   vector.maskedload of the lanes inside
//   %x[n, c, h * 2 + r, w * 2 + s]             ->   a vector.maskedload of 15 neighbours, every second of them
//
// Such is the gradient of a depthwise convolution's weights. A line's other subscripts are known once for all of it,
// and no column's number is divided.
//
// test: test/lowering/cpu/lines.mlir, test/run/lines.test

#include "lowering/rows/rowmemory.h"

static int64_t last_column(const SnForm *f) { return f->num_rows + f->num_cols - 1; }

// How far apart its columns lie in such a line; 0: it is none.
static int64_t step_of(const SnForm *f, const SnAccess *a, int64_t lanes) {
  MlirType element = sn_element(sn_type_of(a->value));
  bool may = f->num_cols > 1 && sn_uses_cols(f, a->map) && !a->through.ptr && !sn_is_table(a) &&
             sn_fills_bytes(element);
  return !may ? 0 : sn_unit_stride(a->map, last_column(f)) ? 1 : sn_row_step(f, a, last_column(f), lanes);
}

bool sn_row_goes_by_lines(const SnForm *f, const SnAccess *a, int64_t line) {
  return sn_row_in_lines(f, a, line) || (line == 1 && step_of(f, a, 1) > 0);
}

// Lanes one by one.
static MlirValue load_apart(SnBuilder *b, const SnForm *f, const SnAccess *a, MlirValue *dims, int64_t lanes) {
  MlirValue lane[SN_MAX_LANES], first = dims[last_column(f)];
  for (int64_t l = 0; l < lanes; ++l) {
    dims[last_column(f)] = l ? sn(b, "arith.addi", first, sn_index(b, l)) : first;
    lane[l] = sn_row_load(b, f, a, dims);
  }
  return sn(b, "vector.from_elements", sn_values(lanes, lane), sn_vector(sn_element(sn_type_of(a->value)), lanes));
}

bool sn_row_load_of_line(SnBuilder *b, SnRowProgram *p, SnFragment *c, const SnAccess *a, MlirValue *x) {
  const SnForm *f = p->form;
  int64_t last = last_column(f), lanes = sn_fragment_lanes(c);
  bool is = p->line == 1 && c->columns && sn_map_uses(a->map, last) && step_of(f, a, 1) > 0;
  if (!is)
    return false;
  int64_t step = step_of(f, a, lanes);
  MlirValue dims[SN_MAX_DIMS];
  memcpy(dims, p->dims, (size_t)f->num_rows * sizeof *dims);
  memcpy(dims + f->num_rows, p->outer, (size_t)(f->num_cols - 1) * sizeof *dims);
  dims[last] = sn(b, "arith.subi", c->column, p->line_begin);
  bool masks = !p->selects && step && (step == 1 ? a->fill.ptr != NULL : p->steps_together);
  *x = lanes == 1 ? sn_row_load(b, f, a, dims)
       : !masks   ? load_apart(b, f, a, dims, lanes)
       : step > 1 ? sn_row_load_stepping(b, f, a, dims, lanes, step)
                  : sn_row_load_masked(b, f, a, dims, lanes);
  return true;
}

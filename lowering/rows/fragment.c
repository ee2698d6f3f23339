// fragment.c: what a fragment's lanes are. See fragment.h.
//
//   index of j at columns j .. j + 3         ->   broadcast(j) + (0, 1, 2, 3)
//   columns j .. j + 7 that are t            ->   (0, 1, .., 7) == broadcast(t - j)       in 32 bits
//
// test: test/lowering/cpu/one_hot.mlir, test/lowering/gpu/label.mlir

#include "lowering/rows/rowmemory.h"
#include <assert.h>

SnFragment sn_fragment(MlirValue column, int64_t columns) {
  return (SnFragment){.rows = 1, .columns = columns, .column = column};
}
SnFragment sn_fragment_of_rows(MlirValue column, int64_t rows) {
  return (SnFragment){.rows = rows, .columns = 1, .column = column};
}
void sn_fragment_free(SnFragment *c) { sn_map_free(&c->made); }

void sn_fragment_give(SnFragment *c, MlirValue v, MlirValue made) { sn_map(&c->made, v, made); }

MlirType sn_fragment_type(const SnFragment *c, MlirType element) { return sn_lanes_of(element, sn_fragment_lanes(c)); }

MlirValue sn_fragment_spread(SnBuilder *b, const SnFragment *c, MlirValue scalar) {
  return sn_lanes_broadcast(b, scalar, sn_fragment_lanes(c));
}

static MlirValue numbers(SnBuilder *b, int64_t lanes) {
  return sn(b, "vector.step", sn_vector(sn_index_type(b->ctx), lanes));
}

MlirValue sn_fragment_index(SnBuilder *b, const SnFragment *c, const SnForm *f, const MlirValue *dims, int64_t d) {
  int64_t lanes = sn_fragment_lanes(c);
  MlirValue columns[SN_MAX_DIMS], v;
  if (d < f->num_rows) {
    v = sn_lanes_broadcast(b, dims[d], lanes);
    return c->rows > 1 && d == f->num_rows - 1 ? sn(b, "arith.addi", v, numbers(b, lanes)) : v;
  }
  assert(c->columns && "a column's index is asked for at a column");
  v = sn_lanes_broadcast(b, c->column, lanes);
  if (c->columns > 1)
    v = sn(b, "arith.addi", v, numbers(b, lanes));
  sn_form_point(b, f, f->num_rows, f->num_cols, v, columns);
  return columns[d - f->num_rows];
}

// By the distance of lane 0 from the column. Indices of 64 bits would take two registers of a vector and their
// comparison four times as long, so it has 32, in which a column that is far away, or none of the row's, is no lane.
MlirValue sn_fragment_at(SnBuilder *b, const SnFragment *c, const SnForm *f, MlirValue column, int64_t predicate) {
  MlirType i32 = mlirIntegerTypeGet(b->ctx, 32);
  int64_t n = sn_row_length(f);
  MlirValue lane;
  if (c->columns < 2)
    return (MlirValue){0};
  if (c->no_label)
    return sn_fragment_spread(b, c, sn_int(b, mlirIntegerTypeGet(b->ctx, 1), predicate));
  if (n != SN_DYNAMIC && n < (int64_t)1 << 29) {
    MlirValue inside = sn_row_below(b, column, sn_index(b, n)), far = sn_int(b, i32, -((int64_t)1 << 30));
    MlirValue near = sn(b, "arith.select", inside, sn(b, "arith.index_cast", column, i32), far);
    lane = sn(b, "arith.subi", near, sn(b, "arith.index_cast", c->column, i32));
  } else {
    MlirValue far = sn(b, "arith.subi", column, c->column);
    lane = sn(b, "arith.index_cast", sn(b, "arith.minui", far, sn_index(b, 255)), i32);
  }
  MlirValue lanes = sn(b, "arith.index_cast", numbers(b, c->columns), sn_vector(i32, c->columns));
  return sn(b, "arith.cmpi", lanes, sn_fragment_spread(b, c, lane), sn_attr("predicate", sn_i64(b->ctx, predicate)));
}

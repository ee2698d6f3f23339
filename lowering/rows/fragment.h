// fragment.h: where the elements are that a row program's emitter works on.
//
//   columns j .. j + 7 of one row          {rows = 1, columns = 8, column = j}       a vector of 8 lanes
//   column j of rows i .. i + 7            {rows = 8, columns = 1, column = j}       the same, lanes are rows
//   what is one for each row               {rows = 1, columns = 0}                   a scalar, or a lane for each row
//
// A fragment is the lanes of one value: which element of which row each of them is, and what has been made of these
// elements. The emitter asks it for indices, masks and types; it does not know loops, threads or instructions. Who
// has which fragments of a larger tile, registers of matrix instructions for one, is a layout's to say
// (target/layouts.h).
//
// Elements come from memory by an access, from scratch memory, or are given: of a slot of shared memory, or of an
// accumulator, by who has them (sn_fragment_give).

#ifndef SINTER_LOWERING_FRAGMENT_H
#define SINTER_LOWERING_FRAGMENT_H

#include "capi/form.h"

#ifdef __cplusplus
extern "C" {
#endif

// rowpairs.c: two fragments of equal width that share vectors of a half type.
typedef struct {
  const SnAccess *access;
  MlirValue value;
} SnHalves;
typedef struct {
  MlirValue column; // of lane 0 of both
  bool by_parity;   // columns j, j + 2, ... and j + 1, j + 3, ...; else one vector behind the other
  SN_VEC(SnHalves) words, stored;
} SnRowPair;

#define SN_MOST_NEAR 8
typedef struct {
  int64_t rows;     // that lanes are of: those that follow each other in the last row dimension
  int64_t columns;  // that lanes are at, one behind the other; rows or columns are 1; 0: nothing of a column
  MlirValue column; // flattened: an index, of lane 0; or a vector, of each lane where rows have columns of their own
  SnMap made;       // values of the region -> what they are on these lanes
  int64_t from, to; // all lanes are columns from .. to, as far as is known when it is compiled; to 0: that is not known
  bool keeps;       // this is where kept values are stored, if this is their phase
  bool no_label;    // columns that are compared with a label are not it: who has its element stores that again
  // rowplace.c, else null: columns that begin where memory is aligned, not where the row does; `column` may be negative
  // then.
  MlirValue place;             // index of lane 0 in a whole operand, row after row
  MlirValue whole, in;         // i1, vector of i1: all lanes are in the row, which are; null: all of them
  MlirValue readable;          // i1: the operand goes on for all lanes; null: it does
  MlirValue dims[SN_MAX_DIMS]; // each column dimension's index of lane 0, when asked for
  // Of a thread that has several fragments of a row: `column` is `past` behind `near`, an index that all of them have.
  // Null: nothing is known of that. At most SN_MOST_NEAR lanes then.
  MlirValue near;
  int64_t past;
  SnRowPair *pair;             // or null
  int part;                    // of the pair: 0, then 1
} SnFragment;

// So many columns of one row; one column of so many rows, or each its own where `column` is a vector. Free them.
SnFragment sn_fragment(MlirValue column, int64_t columns);
SnFragment sn_fragment_of_rows(MlirValue column, int64_t rows);
void sn_fragment_free(SnFragment *c);

// v, a value of the region, is `made` on these lanes.
void sn_fragment_give(SnFragment *c, MlirValue v, MlirValue made);

static inline int64_t sn_fragment_lanes(const SnFragment *c) { return c->columns > 1 ? c->columns : c->rows; }
// T, or a vector of T for more than one lane.
MlirType sn_fragment_type(const SnFragment *c, MlirType element);
// The scalar on every lane; a vector as it is.
MlirValue sn_fragment_spread(SnBuilder *b, const SnFragment *c, MlirValue scalar);
// The index of dimension d on each lane; `dims` has those of the rows, of lane 0.
MlirValue sn_fragment_index(SnBuilder *b, const SnFragment *c, const SnForm *form, const MlirValue *dims, int64_t d);
// Which lanes are at the column, an index, by the predicate eq (0) or ne (1) of arith.cmpi. Null where lanes are no
// columns of a row one behind the other.
MlirValue sn_fragment_at(SnBuilder *b, const SnFragment *c, const SnForm *form, MlirValue column, int64_t predicate);

#ifdef __cplusplus
}
#endif
#endif

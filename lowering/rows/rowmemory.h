// rowmemory.h: what rowprogram.c, rowemit.c and rowmemory.c take from each other beside rowprogram.h.

#ifndef SINTER_LOWERING_ROWMEMORY_H
#define SINTER_LOWERING_ROWMEMORY_H

#include "dialect/row_ops.h"
#include "lowering/rows/rowprogram.h"

// T, or vector<width x T>.
MlirType sn_lanes_of(MlirType element, int64_t width);
// The scalar on every lane; a vector as it is.
MlirValue sn_lanes_broadcast(SnBuilder *b, MlirValue v, int64_t width);
MlirValue sn_lane(SnBuilder *b, MlirValue vector, int64_t l);
// All dimensions of the form: rows, and columns at lane `lane` of `c` where it has some.
void sn_row_dims(SnBuilder *b, SnRowProgram *p, SnFragment *c, int64_t lane, MlirValue *dims);
// The lanes of an access, or of a row of such elements in scratch memory.
MlirValue sn_row_load_lanes(SnBuilder *b, SnRowProgram *p, SnFragment *c, const SnAccess *a);
MlirValue sn_row_load_scratch(SnBuilder *b, SnFragment *c, const SnRowSource *s, MlirType element);
// Columns from a multiple of the width on are consecutive elements, as many as that.
bool sn_row_has_vectors(const SnForm *form, const SnAccess *access, int64_t width);
// Consecutive columns are consecutive elements, of those that differ in the last `line` column dimensions alone.
bool sn_row_in_lines(const SnForm *form, const SnAccess *a, int64_t line);
// rowlines.c: the same, or lines of the last column dimension that bounds cut, with a fill value, or whose columns are
// a few elements apart. The lanes of such an access, of a program that goes by lines of one dimension; false: it is
// none.
bool sn_row_goes_by_lines(const SnForm *form, const SnAccess *a, int64_t line);
bool sn_row_load_of_line(SnBuilder *b, SnRowProgram *p, SnFragment *c, const SnAccess *a, MlirValue *x);
// One element for each of the last column dimensions, in one piece, for all rows: a row has it again and again.
bool sn_row_is_repeated(const SnForm *form, const SnAccess *a);
// Consecutive columns are consecutive elements of the access, and no index tensor or fill value is in the way.
bool sn_row_in_one_piece(const SnForm *form, const SnAccess *a);
// Asks for the element at the column, which may be beyond the operand's end, by sn_row_in_one_piece's access.
// `locality`: 3 into the first cache, 2 into the second.
void sn_row_prefetch(SnBuilder *b, SnRowProgram *p, SnFragment *c, const SnAccess *a, int locality);
// rowaligned.c: a vector of what is not there outside of the operand is inside as a whole, or not at all: it begins at
// multiples of its lanes in lines of such a length, as those of two halves that are turned about. Its load, by a GPU.
bool sn_row_is_whole_or_none(const SnForm *f, const SnAccess *a, int64_t lanes);
MlirValue sn_row_load_whole_or_none(SnBuilder *b, const SnForm *f, const SnAccess *a, const MlirValue *dims,
                                    int64_t lanes);
// rowaligned.c: the alignment of a vector of an operand, where there is one that is known; else no attribute.
SnAttr sn_row_alignment(SnBuilder *b, const SnRowProgram *p, const SnAccess *a, int64_t lanes);
// rowlanes.c: of a program whose lanes are rows: an access on the lanes of `c`, and its store.
MlirValue sn_row_load_rows(SnBuilder *b, SnRowProgram *p, SnFragment *c, const SnAccess *a);
void sn_row_store_rows(SnBuilder *b, SnRowProgram *p, SnFragment *c, MlirValue element, const SnAccess *a);
// Neighbours in dimension d at `dims` from an access with a fill value: one load of the lanes that are inside.
// Which of the lanes first, first + 1, ... are below `end`; negative ones are beyond it. Narrow: all of these are less
// than 2^30 away from 0, and masks of 32 bits take a quarter of the work.
#define SN_NARROW_MOST ((int64_t)1 << 30)
MlirValue sn_row_lanes_below(SnBuilder *b, MlirValue first, MlirValue end, int64_t width, bool narrow);
// The same, and none where the condition `inside` (null: none) does not hold. It is not spread over lanes and combined
// with them: of 16 lanes with AVX2, LLVM 22 loads and stores the half whole of which constants say that it is off.
MlirValue sn_row_lanes_inside(SnBuilder *b, MlirValue first, MlirValue end, int64_t width, bool narrow,
                              MlirValue inside);
// The same of neighbours that are `step` elements apart: all between them is loaded, by a mask.
MlirValue sn_row_load_stepping(SnBuilder *b, const SnForm *f, const SnAccess *a, const MlirValue *dims, int64_t rows,
                               int64_t step);
MlirValue sn_row_load_masked(SnBuilder *b, const SnForm *f, const SnAccess *a, const MlirValue *dims, int64_t width);
// rowseam.c: columns are consecutive elements, or have one together, in pieces of so many; vectors of `lanes` lie in
// two pieces at most, and the processor masks them. 0: that is not so. The lanes of such an access, and its store.
int64_t sn_row_seam(const SnForm *f, const SnAccess *a, int64_t lanes);
MlirValue sn_row_load_seam(SnBuilder *b, SnRowProgram *p, SnFragment *c, const SnAccess *a);
void sn_row_store_seam(SnBuilder *b, SnRowProgram *p, SnFragment *c, MlirValue x, const SnAccess *a);
// rowplace.c: by vectors at `c->place`.
MlirValue sn_row_load_place(SnBuilder *b, SnRowProgram *p, SnFragment *c, const SnAccess *a);
void sn_row_store_place(SnBuilder *b, SnRowProgram *p, SnFragment *c, MlirValue element, const SnAccess *a);
// rowpairs.c: columns of a pair by parity. What both halves of a pair store, once the second one comes; null before.
MlirValue sn_row_load_half(SnBuilder *b, SnRowProgram *p, SnFragment *c, const SnAccess *a);
MlirValue sn_row_whole_of_halves(SnBuilder *b, SnFragment *c, MlirValue x, const SnAccess *a);
// Where the column is in the access's memref as one dimension, which is in `whole`.
MlirValue sn_row_offset(SnBuilder *b, SnRowProgram *p, SnFragment *c, const SnAccess *a, MlirValue *whole);
// memref[at...], or `otherwise` where a subscript is outside; nothing outside is read. Changes `at`.
MlirValue sn_row_load_guarded(SnBuilder *b, MlirValue memref, intptr_t n, MlirValue *at, MlirValue otherwise);
// The subscripts of an access at these dimensions, to at[]: how many. `inside`, i1: all are in the memref; null where
// it has no fill value.
intptr_t sn_row_subscripts(SnBuilder *b, const SnForm *f, const SnAccess *a, const MlirValue *dims, MlirValue *at,
                           MlirValue *inside);
// i < n, and i >= 0. An integer, or a vector of integers, as index.
MlirValue sn_row_below(SnBuilder *b, MlirValue i, MlirValue n);
MlirValue sn_row_as_index(SnBuilder *b, MlirValue t);
// Neighbours in dimension d are neighbours in memory, whatever the sizes.
bool sn_unit_stride(MlirAffineMap map, intptr_t d);
// Adds each dimension's factor in an expression to `factors`; false if it is not linear.
bool sn_affine_factors(MlirAffineExpr e, int64_t *factors);

// rowphases.c: finds the program's phases, and which values are known when.
void sn_row_cut(SnRowProgram *p);
// rowemit.c: what an operation gives on the lanes of `c`, added to c->made.
void sn_row_emit(SnBuilder *b, SnRowProgram *p, SnFragment *c, MlirOperation op);
// A copy of an elementwise op on so many lanes: `operands` are emitted, results are given lanes.
MlirOperation sn_row_on_lanes(SnBuilder *b, MlirOperation op, const MlirValue *operands, int64_t width);
// rowsteady.c: what a conversion gives of whole numbers that grow from column to column by as much; null: it is none.
MlirValue sn_row_steady(SnBuilder *b, SnRowProgram *p, const SnFragment *c, MlirOperation op);
// rowranges.c, of a fragment with from and to. Whether its lanes are inside of an operand that has a fill value: 1, all
// are; -1, none is; 0, that is not known. And what a select takes in all of its lanes; null: that is not known.
int sn_row_inside(const SnForm *f, const SnFragment *c, const SnAccess *a);
MlirValue sn_row_chosen(const SnForm *f, const SnFragment *c, MlirOperation op);
// rowgather.c: what a sinter.gather gives on the lanes of `c`.
MlirValue sn_row_gather(SnBuilder *b, SnRowProgram *p, SnFragment *c, MlirOperation op);
// Neighbours in the last row dimension find theirs beside each other: the last subscript is that dimension, and the
// others are the same for all of them.
bool sn_row_gathers_rows(const SnForm *form, MlirOperation gather);
// The dimension that a sinter.index is of.
intptr_t sn_row_named_dim(const SnForm *f, MlirOperation index);

#endif

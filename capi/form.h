// form.h: a kernel form read into plain C, changed there, and written back.
//
// sinter.rowwise and sinter.contract share everything but products, so every
// pass sees one struct. Dimensions are numbered rows first, then columns by their groups,
// then each product's own, as in the op's maps.
//
// A *plain* form has one group of columns, no matrices, and sides that are one access each: most are.
// Its `groups`, `sides` and `matrices` are empty, and who makes one leaves them so; who reads any form asks sn_group
// and sn_side. Who cannot do with others asks sn_is_plain first; sinter-split makes plain ones of all.
//
// decides: how C reads, makes and changes IR, and how large a form may be.

#ifndef SINTER_CAPI_FORM_H
#define SINTER_CAPI_FORM_H

#include "capi/sn.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  MlirStringRef name; // owned by the context
  int64_t size;       // SN_DYNAMIC where `?`
} SnDim;

// One operand: `value[map]`, map over all dimensions; symbol k of the map is the
// index tensor form.operands[form.inputs.. + indirect[k]]. Symbols without index tensors
// are a table's: the body gives its subscripts (sinter.gather).
typedef struct {
  MlirValue value;
  MlirAffineMap map;
  MlirAttribute fill;   // read where a subscript is out of range; null if none
  MlirAttribute through; // DenseI64Array: which index operand each symbol is; null if none
} SnAccess;

typedef struct {
  int64_t num_dims; // dimensions that only this product has
  MlirType type;    // of its accumulator
} SnProduct;

// Columns of one row: dimensions first .. first + num_dims of the form.
typedef struct {
  int64_t first, num_dims;
} SnGroup;

// A side of a product, or a matrix: inputs first .. first + count of the form.
typedef struct {
  size_t first, count;
  MlirBlock program; // a row program on them over what is summed; null: the side is its one access
} SnSide;

// What sinter.row_product multiplies a row of group `from` by, to get a row of group `to`.
typedef struct {
  int64_t from, to;
} SnMatrix;

typedef struct {
  MlirStringRef kind; // a name of sn_combiners
  MlirAffineMap map;  // no subscripts, or all columns of one group in order
  MlirType type;
} SnAccumulator;

typedef struct {
  MlirOperation op; // null while it is being made
  bool contract;
  int64_t num_rows, num_cols;
  SN_VEC(SnDim) dims;
  SN_VEC(SnProduct) products;
  SN_VEC(SnGroup) groups;     // empty: all columns are one
  SN_VEC(SnMatrix) matrices;
  SN_VEC(SnSide) sides;       // 2 for each product, 1 for each matrix; empty: each is one access
  SN_VEC(SnAccess) inputs;  // those of the sides, then the others
  SN_VEC(SnAccess) indices; // index tensors of indirect accesses
  SN_VEC(SnAccess) outputs; // destinations
  SN_VEC(SnAccumulator) accumulators;
  MlirAttribute schedule;   // null before sinter-schedule
  MlirBlock body, finish;   // finish is null where there is none
} SnForm;

bool sn_is_form(MlirOperation op);
// Reads a verified form. Free with sn_form_free.
SnForm sn_form_read(MlirOperation op);
void sn_form_free(SnForm *form);
// Makes the op from everything but `op`, `body` and `finish`, with empty blocks that have
// the right arguments: form->op, form->body and, if with_finish, form->finish are set.
// Results are the types of the destinations when these are tensors. Where a side has a program, the new op gets a copy
// of it, rows as long as its own; form->sides' programs are then the copies.
MlirOperation sn_form_create(SnBuilder *b, SnForm *form, bool with_finish);

// ---- what a form's parts mean ---------------------------------------------------

static inline bool sn_is_row_dim(const SnForm *f, intptr_t d) { return d < f->num_rows; }
static inline bool sn_is_col_dim(const SnForm *f, intptr_t d) {
  return d >= f->num_rows && d < f->num_rows + f->num_cols;
}
bool sn_uses_rows(const SnForm *f, MlirAffineMap map);
bool sn_uses_cols(const SnForm *f, MlirAffineMap map);
bool sn_uses_all_rows(const SnForm *f, MlirAffineMap map);
// Destination k misses a row dimension: it comes from accumulators through finish.
bool sn_is_reduced(const SnForm *f, size_t output);
size_t sn_num_reduced(const SnForm *f);
// Its place among the body's yields (not reduced) or among finish's (reduced; without
// finish, among the accumulators).
size_t sn_output_position(const SnForm *f, size_t output);
// The same of all results in a loop, in their order: `seen` is 0 and 0 in front of it.
size_t sn_next_position(const SnForm *f, size_t output, size_t seen[2]);
int64_t sn_row_length(const SnForm *f);  // of the first group: product of its sizes; SN_DYNAMIC if any is
int64_t sn_num_rows(const SnForm *f);    // product of row sizes; SN_DYNAMIC if any is
MlirType sn_row_type(const SnForm *f, MlirType element); // a row of the first group
// One group of columns, no matrices, no programs in sides.
static inline bool sn_is_plain(const SnForm *f) { return f->groups.size < 2 && !f->matrices.size && !f->sides.size; }
// The same, but sides may have programs.
static inline bool sn_has_one_group(const SnForm *f) { return f->groups.size < 2 && !f->matrices.size; }
// Something is made of all rows, or stands behind them.
static inline bool sn_joins_rows(const SnForm *f) { return f->accumulators.size || f->finish.ptr; }
// Rows are made of products, or multiplied by matrices.
static inline bool sn_multiplies(const SnForm *f) { return f->products.size || f->matrices.size; }
static inline size_t sn_num_groups(const SnForm *f) { return f->groups.size ? f->groups.size : 1; }
SnGroup sn_group(const SnForm *f, size_t group);
int64_t sn_group_length(const SnForm *f, size_t group);
MlirType sn_group_type(const SnForm *f, size_t group, MlirType element); // a row of it
int64_t sn_group_of_dim(const SnForm *f, int64_t d);  // the one that column d is of; -1 for other dimensions
// The group whose columns the map uses; -1 if none, -2 if several. With `a`, what its index tensors use counts too.
enum { SN_NO_GROUP = -1, SN_SEVERAL_GROUPS = -2 };
int64_t sn_group_of_map(const SnForm *f, MlirAffineMap map);
int64_t sn_group_of_access(const SnForm *f, const SnAccess *a);
// The group of the row that product p gives: the one that its sides use, the first if they use none.
int64_t sn_group_of_product(const SnForm *f, size_t product);
// Operand `k` of the op: an input, an index tensor or a destination.
const SnAccess *sn_form_access(const SnForm *f, size_t k);
// The access uses the dimension, itself or through an index tensor.
bool sn_access_uses(const SnForm *f, const SnAccess *a, int64_t d);
// The access is the whole of its value, for sinter.gather to read from.
static inline bool sn_is_table(const SnAccess *a) { return !a->through.ptr && mlirAffineMapGetNumSymbols(a->map) > 0; }
// A plain subscript of the access, without bounds, is dimension d: its operand says how large that is (F7).
bool sn_gives_size(const SnAccess *a, int64_t d);
// The map of a table of this rank in a form of so many dimensions.
MlirAffineMap sn_table_map(MlirContext ctx, intptr_t dims, intptr_t rank);
// What the body sees of an access: a row or a scalar of the value's element type; of a table a memref.
MlirType sn_access_type(const SnForm *f, const SnAccess *a);
// Sides: 2p and 2p + 1 are those of product p; the matrices' stand behind.
static inline size_t sn_num_sides(const SnForm *f) { return 2 * f->products.size + f->matrices.size; }
SnSide sn_side(const SnForm *f, size_t side);
// The first dimension of product p's own.
int64_t sn_first_own(const SnForm *f, size_t product);
// What is summed where the side is used: a product's own dimensions, the group that a matrix comes from.
SnGroup sn_side_summed(const SnForm *f, size_t side);
// One of the side's accesses uses the dimension, or its program names it and reads that.
bool sn_side_uses(const SnForm *f, size_t side, int64_t d);
// The side by itself: an elementwise form without destinations, its columns what is summed, its rows all other
// dimensions in order, its body the side's program (null if it has none). `dims`, one for each dimension of f, becomes
// where that dimension is. Free it with sn_form_free.
SnForm sn_side_form(const SnForm *f, size_t side, int64_t *dims);
// The type of a side's elements.
MlirType sn_side_element(const SnForm *f, size_t side);
// Gives each side an entry in f->sides, where they are all plain; so that one can get a program.
void sn_spell_sides(SnForm *f);
// Inputs before this one belong to sides.
size_t sn_first_input(const SnForm *f);
// The body's argument for input k (k >= sn_first_input), for product p, and for matrix m: a tensor of two dimensions,
// the elements of group `from` by those of group `to`.
MlirValue sn_input_argument(const SnForm *f, size_t input);
MlirValue sn_product_argument(const SnForm *f, size_t product);
MlirValue sn_matrix_argument(const SnForm *f, size_t matrix);
MlirType sn_matrix_type(const SnForm *f, size_t matrix);
// Whether input k is also an argument of finish (its map uses no dimension).
bool sn_is_uniform(const SnForm *f, size_t input);
// A name no dimension of the form has, made from `like`.
MlirStringRef sn_fresh_name(MlirContext ctx, const SnForm *f, const char *like);

// ---- row programs ------------------------------------------------------------------

bool sn_is_row(MlirValue v); // a one-dimensional tensor
// The row itself, or a broadcast of the scalar to `row`.
MlirValue sn_as_row(SnBuilder *b, MlirValue v, MlirType row);
// The scalar under a broadcast (or a row's splat constant); else the value itself.
MlirValue sn_under_broadcast(SnBuilder *b, MlirValue v);
// The scalar that the value is a sinter.broadcast of; null if it is none.
MlirValue sn_broadcast_of(MlirValue v);
// A sinter.row_reduce by the combiner of that name, in type `to`.
MlirValue sn_row_reduce(SnBuilder *b, const char *kind, MlirValue row, MlirType to);
// A sinter.row_product: the row times the matrix, a row of type `to`.
MlirValue sn_row_product(SnBuilder *b, MlirValue row, MlirValue matrix, MlirType to);
// The op, or the one that gives the value, is a sinter.row_reduce by the combiner of that name (NULL: by any, a region
// too).
bool sn_is_reduce(MlirOperation op, const char *kind);
MlirOperation sn_reduce_of(MlirValue v, const char *kind); // null if it is not
// The position in dimension d of the form, a row of them where it is a column dimension.
MlirValue sn_position(SnBuilder *b, const SnForm *f, intptr_t d);
// A copy of the elementwise op `like` on other operands: rows and scalars may be mixed, scalars
// are broadcast where a row stands beside them (but not the condition of a select), and the result is a row if
// any operand is.
MlirValue sn_elementwise(SnBuilder *b, MlirOperation like, intptr_t n, const MlirValue *operands);
// The same by name, with result element type `element` (null: inferred).
MlirValue sn_row_op(SnBuilder *b, const char *name, MlirType element, intptr_t n, const MlirValue *operands);

// cf.assert of a scalar, or of all elements of a row.
void sn_row_assert(SnBuilder *b, MlirValue condition, MlirAttribute message);

// ---- combiners: one row each -----------------------------------------------------------

typedef struct {
  const char *kind;      // as written in sinter.row_reduce and reduce(...)
  const char *float_op;  // arith op that combines two floats; NULL if not for floats
  const char *int_op;    // the same for integers
  double identity;       // of floats; of integers see sn_combiner_identity
} SnCombiner;

extern const SnCombiner sn_combiners[]; // ends with a NULL kind
const SnCombiner *sn_combiner(MlirStringRef kind);               // NULL if unknown
// The combiner that this op is, or NULL: "arith.addf" -> add.
const SnCombiner *sn_combiner_of_op(MlirOperation op);
bool sn_combiner_fits(const SnCombiner *c, MlirType element);
MlirAttribute sn_combiner_identity(const SnCombiner *c, MlirType element);
// acc combined with x, of one scalar or vector type.
MlirValue sn_combine(SnBuilder *b, const SnCombiner *c, MlirValue acc, MlirValue x);

#ifdef __cplusplus
}
#endif
#endif

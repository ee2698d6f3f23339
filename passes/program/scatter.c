// scatter.c: what goes where an index says becomes steps.
//
//   %y = tm_tensor.scatter {dimension_map = [0]}     ->    sinter.steps rows(1) ins(%u, %t, %x) outs(%e) {
//   ins(%u, %t : tensor<7x64xf32>, tensor<7x1xi64>)        ^row(%i, ...):
//   outs(%x : tensor<9x64xf32>) {                            assert t[n, 0] is in 0 .. 8, for all n
//   ^bb0(%p: f32, %q: f32):                                  y[:, piece i] = x[:, piece i]
//     %s = arith.addf %q, %p                                 scf.for %n = 0 to 7
//     tm_tensor.yield %s                                       scf.parallel: y[t[n, 0], j] += u[n, j]
//   }                                                      }
//
// An original or updates that are one number everywhere (the edges of each node of a graph are ones, added up) are that
// number in the steps, and nothing reads them.
//
// Updates of one place are combined in their order, each time and with any number of threads. What the index does not
// choose is shared among rows: a dimension, or pieces of the last one. A tensor that no cache holds is cut into ranges
// of a dimension that the index chooses: each looks at all indices, and takes the updates of its own places. Where many
// single numbers are added to few places, each of eight chunks of them adds its own to a part of its own, and the parts
// are added to the tensor in their order. Else there is one row. Numbers of which no two have one place
// (unique_indices) are lanes of one step there.
//
// runs in: sinter-tm-tensor    test: test/passes/program/tm_tensor.mlir, test/run/tm_tensor.test

#include "passes/program/tensor_steps.h"

#define PIECE 32 // elements of the last dimension in one row: two lines of a cache of f32

#define MOST_RANGES 8 // of a last dimension whose size is `?`
#define LEAST_RANGE 128
#define OUTSIDE_CACHE 1000000 // elements; a look at an index is quicker than an update of such a tensor
#define BLOCK 256             // indices that a range looks at before it takes what is its own
#define CHUNKS 8              // of updates at most
#define LEAST_CHUNK 4096   // updates, and no fewer than there are places: each place of a part is written and read too
#define MOST_PLACES 131072 // of a part

typedef enum { ONE_ROW, ROW_IS_DIMENSION, ROW_IS_PIECE, ROW_IS_RANGE, ROW_IS_CHUNK } Rows;

// Dimension d of the original is update dimension d - offset + 1, if that is 1 or more; `map[k]` gets what the index
// says in column k in addition.
typedef struct {
  MlirOperation op;
  MlirValue from[3];    // updates, indices, original
  MlirAttribute filled;  // the number that the original holds everywhere; null: it is read
  MlirAttribute updated; // the number that each update is; null: they are read
  MlirType updates, original;
  intptr_t depth, offset, rank;
  int64_t map[SN_MAX_DIMS];
  bool unique; // no two updates have one place
  Rows rows;
  intptr_t row_dim, lane_dim;    // of the original; lane_dim -1 if no update has a dimension
  int64_t ranges;                // ROW_IS_RANGE: how many there are of row_dim; ROW_IS_CHUNK: chunks
  MlirValue begin, end;          // of the row's range, or of the chunk's updates
  MlirValue row, u, t, x, y;     // memory; no x of a number
  MlirValue size[SN_MAX_DIMS];   // of the original
  MlirValue extent[SN_MAX_DIMS]; // of an update, in the original's dimensions; null where it has none
} Scatter;

static bool has_extent(const Scatter *s, intptr_t d) { return d >= s->offset; }

static bool is_indexed(const Scatter *s, intptr_t d) {
  for (intptr_t k = 0; k < s->depth; ++k)
    if (s->map[k] == d)
      return true;
  return false;
}

// Rows are ranges of places, and each looks for the updates that are its own.
static bool looks(const Scatter *s) { return s->rows == ROW_IS_RANGE && is_indexed(s, s->row_dim); }

static void take_operands(Scatter *s, MlirOperation op, MlirValue updates, MlirValue indices, MlirValue original) {
  s->op = op;
  s->from[0] = updates;
  s->from[1] = indices;
  s->from[2] = original;
  s->updates = sn_type_of(updates);
  s->original = sn_type_of(original);
  s->rank = sn_rank(s->original);
  s->offset = s->rank - (sn_rank(s->updates) - 1);
  s->depth = sn_rank(sn_type_of(indices)) == 2 ? sn_dim(sn_type_of(indices), 1) : 0;
  MlirAttribute unique = sn_get_attr(op, "unique_indices");
  s->unique = unique.ptr && mlirAttributeIsABool(unique) && mlirBoolAttrGetValue(unique);
}

static MlirLogicalResult check(MlirOperation op, Scatter *s) {
  if (sn_num_operands(op) != 3 || sn_num_results(op) != 1 ||
      mlirDenseI32ArrayGetElement(sn_get_attr(op, "operandSegmentSizes"), 0) != 2)
    return sn_error(op, "has %td operands and %td results; expected updates, indices, one destination, one result",
                    sn_num_operands(op), sn_num_results(op));
  MlirType t = sn_type_of(sn_operand(op, 1));
  take_operands(s, op, sn_operand(op, 0), sn_operand(op, 1), sn_operand(op, 2));
  MlirAttribute map = sn_get_attr(op, "dimension_map");
  if (sn_rank(t) != 2 || sn_dim(t, 1) == SN_DYNAMIC || !(sn_is_int(sn_element(t)) || mlirTypeIsAIndex(sn_element(t))) ||
      mlirDenseArrayGetNumElements(map) != sn_dim(t, 1))
    return sn_error(op, "has indices that are no matrix of integers with a column for each of %td mapped dimensions",
                    mlirDenseArrayGetNumElements(map));
  if (sn_rank(s->updates) < 1 || s->offset < 0 || s->rank > SN_MAX_DIMS - 1)
    return sn_error(op, "has updates of %ld dimensions for a tensor of %ld, of which %d are known",
                    (long)sn_rank(s->updates) - 1, (long)s->rank, SN_MAX_DIMS - 1);
  for (intptr_t k = 0; k < s->depth; ++k) {
    s->map[k] = mlirDenseI64ArrayGetElement(map, k);
    if (mlirDenseI64ArrayGetElement(map, k) < 0 || mlirDenseI64ArrayGetElement(map, k) >= s->rank)
      return sn_error(op, "maps column %td of its indices to dimension %ld of %ld", k,
                      (long)mlirDenseI64ArrayGetElement(map, k), (long)s->rank);
  }
  for (intptr_t d = 0; d < s->offset; ++d)
    if (!is_indexed(s, d))
      return sn_error(op, "says nowhere where updates go in dimension %td", d);
  if (!mlirTypeEqual(sn_type_of(sn_result(op, 0)), s->original))
    return sn_error(op, "has a result of another type than its destination");
  MlirType two[] = {sn_element(s->updates), sn_element(s->original)};
  return sn_check_combiner(op, 2, two, two[1]);
}

// ---- rows ----------------------------------------------------------------------------------

// The longest dimension that an update has one place in; `?` is longer than all. -1: none.
static intptr_t cut_dim(const Scatter *s) {
  intptr_t longest = -1;
  for (intptr_t k = 0; k < s->depth; ++k) {
    intptr_t d = s->map[k];
    int64_t size = sn_dim(s->original, d);
    bool single = !has_extent(s, d) || sn_dim(s->updates, d - s->offset + 1) == 1;
    if (single && size != 1 && longest >= 0 && sn_dim(s->original, longest) == SN_DYNAMIC)
      break;
    if (single && size != 1 && (longest < 0 || size == SN_DYNAMIC || size > sn_dim(s->original, longest)))
      longest = d;
  }
  return longest;
}

static int64_t elements(MlirType t) {
  int64_t n = 1;
  for (intptr_t d = 0; d < sn_rank(t); ++d)
    n = n == SN_DYNAMIC || sn_dim(t, d) == SN_DYNAMIC ? SN_DYNAMIC : sn_times(n, sn_dim(t, d));
  return n;
}

// Each range costs a look at every index, so there are more where updates are long.
static int64_t looking_ranges(const Scatter *s) {
  int64_t length = sn_dim(s->updates, sn_rank(s->updates) - 1);
  return sn_rank(s->updates) < 2 || length < 64 ? 4 : length < 256 ? 8 : 16;
}

static void cut_ranges(Scatter *s, intptr_t d, int64_t ranges) {
  s->rows = ROW_IS_RANGE;
  s->row_dim = d;
  s->ranges = ranges;
}

// The region adds the update to what is there.
static bool is_sum(const Scatter *s) {
  MlirBlock region = mlirRegionGetFirstBlock(mlirOperationGetRegion(s->op, 0));
  MlirOperation add = mlirBlockGetFirstOperation(region), end = mlirBlockGetTerminator(region);
  if ((!sn_is(add, "arith.addf") && !sn_is(add, "arith.addi")) ||
      !mlirTypeEqual(sn_element(s->updates), sn_element(s->original)))
    return false;
  MlirValue p = mlirBlockGetArgument(region, 0), q = mlirBlockGetArgument(region, 1);
  bool straight = mlirValueEqual(sn_operand(add, 0), p) && mlirValueEqual(sn_operand(add, 1), q);
  bool turned = mlirValueEqual(sn_operand(add, 0), q) && mlirValueEqual(sn_operand(add, 1), p);
  return (straight || turned) && mlirValueEqual(sn_operand(end, 0), sn_result(add, 0));
}

// More updates than two chunks have, each of one number, are added to places of which parts fit into a cache.
static bool are_chunks(const Scatter *s) {
  int64_t places = elements(s->original), updates = sn_dim(s->updates, 0);
  int64_t least = places > LEAST_CHUNK ? places : LEAST_CHUNK;
  return s->rank && s->offset == s->rank && !s->unique && places != SN_DYNAMIC && places <= MOST_PLACES &&
         (updates == SN_DYNAMIC || updates >= 2 * least) && is_sum(s);
}

static void choose_rows(Scatter *s) {
  intptr_t free_dims = 0, first = -1, cut = cut_dim(s);
  s->lane_dim = s->offset < s->rank ? s->rank - 1 : -1;
  for (intptr_t d = s->offset; d < s->rank; ++d)
    if (!is_indexed(s, d)) {
      first = free_dims++ ? first : d;
    }
  int64_t last = sn_dim(s->updates, sn_rank(s->updates) - 1);
  bool last_is_free = s->lane_dim >= 0 && !is_indexed(s, s->lane_dim);
  s->row_dim = -1;
  if (free_dims > 1) {
    s->rows = ROW_IS_DIMENSION;
    s->row_dim = first;
  } else if (cut >= 0 && elements(s->original) >= OUTSIDE_CACHE) {
    cut_ranges(s, cut, looking_ranges(s));
  } else if (cut >= 0 && are_chunks(s)) {
    s->rows = ROW_IS_CHUNK;
    s->row_dim = cut;
    s->ranges = CHUNKS;
  } else if (last_is_free && last >= 2 * PIECE && last % PIECE == 0 && last == sn_dim(s->original, s->rank - 1)) {
    s->rows = ROW_IS_PIECE;
    s->row_dim = s->lane_dim;
  } else if (last_is_free && last == SN_DYNAMIC) {
    cut_ranges(s, s->lane_dim, MOST_RANGES);
  }
}

// The updates with a dimension that is the rows; which one it is.
static MlirValue with_rows(SnBuilder *b, const Scatter *s, intptr_t *rows) {
  MlirValue u = s->from[0];
  intptr_t rank = sn_rank(s->updates), n = 0;
  *rows = s->rows == ROW_IS_DIMENSION ? s->row_dim - s->offset + 1 : s->rows == ROW_IS_PIECE ? rank - 1 : 0;
  if (s->rows == ROW_IS_DIMENSION)
    return u;
  int64_t shape[SN_MAX_DIMS];
  MlirAttribute groups[SN_MAX_DIMS];
  SnValueVec sizes = {0};
  for (intptr_t d = 0; d < rank; ++d) {
    if (d == *rows)
      shape[n++] = s->rows == ONE_ROW ? 1 : sn_dim(s->updates, d) / PIECE;
    groups[d] = sn_members(b->ctx, d == *rows ? n - 1 : n, n + 1);
    shape[n++] = s->rows == ROW_IS_PIECE && d == *rows ? PIECE : sn_dim(s->updates, d);
    if (sn_dim(s->updates, d) == SN_DYNAMIC)
      sn_push(&sizes, sn(b, "tensor.dim", u, sn_index(b, d), sn_index_type(b->ctx)));
  }
  MlirValue v =
      sn(b, "tensor.expand_shape", u, sn_values((intptr_t)sizes.size, sizes.data),
         sn_tensor(sn_element(s->updates), n, shape), sn_attr("reassociation", mlirArrayAttrGet(b->ctx, rank, groups)),
         sn_attr("static_output_shape", mlirDenseI64ArrayGet(b->ctx, n, shape)));
  sn_vec_free(&sizes);
  return v;
}

// ---- loops over what a row has of the original, or of an update --------------------------------

typedef struct {
  SnLoop loops[SN_MAX_DIMS];
  intptr_t n;
  SnBuilder lanes; // where the innermost code goes, if there are lanes
  bool has_lanes;
  MlirValue at[SN_MAX_DIMS]; // in each dimension of the original; null where there is no loop
} Nest;

static MlirValue in_piece(SnBuilder *b, const Scatter *s, MlirValue j) {
  return sn(b, "arith.addi", sn(b, "arith.muli", s->row, sn_index(b, PIECE)), j);
}

// Places of the row's range, of so many.
static MlirValue end_of_range(SnBuilder *b, const Scatter *s, MlirValue size) {
  return sn(b, "arith.maxui", sn(b, "arith.minui", s->end, size), s->begin);
}

static MlirValue in_range(SnBuilder *b, const Scatter *s, MlirValue j) { return sn(b, "arith.addi", s->begin, j); }

// Over all dimensions that `sizes` has, but that of the row; the last one is the lanes. Of a row's range, over that.
static Nest begin_nest(SnBuilder *b, const Scatter *s, const MlirValue *sizes) {
  Nest nest = {.has_lanes = sizes[s->rank - 1].ptr && !(s->rows == ROW_IS_DIMENSION && s->row_dim == s->rank - 1)};
  MlirValue zero = sn_index(b, 0), one = sn_index(b, 1), j;
  for (intptr_t d = 0; d < s->rank; ++d) {
    bool cut = s->rows == ROW_IS_RANGE && d == s->row_dim;
    if (s->rows == ROW_IS_DIMENSION && d == s->row_dim) {
      nest.at[d] = s->row;
    } else if (sizes[d].ptr && (d < s->rank - 1 || !nest.has_lanes)) {
      nest.loops[nest.n] = sn_for(b, cut ? s->begin : zero, cut ? end_of_range(b, s, sizes[d]) : sizes[d], one);
      nest.at[d] = nest.loops[nest.n++].index;
    }
  }
  if (nest.has_lanes) {
    bool here = s->row_dim == s->rank - 1, piece = here && s->rows == ROW_IS_PIECE,
         range = here && s->rows == ROW_IS_RANGE;
    MlirValue n = piece   ? sn_index(b, PIECE)
                  : range ? sn(b, "arith.subi", end_of_range(b, s, sizes[s->rank - 1]), s->begin)
                          : sizes[s->rank - 1];
    nest.lanes = sn_lanes_begin(b, n, &j);
    nest.at[s->rank - 1] = piece ? in_piece(&nest.lanes, s, j) : range ? in_range(&nest.lanes, s, j) : j;
  }
  return nest;
}

static void end_nest(SnBuilder *b, Nest *nest) {
  if (nest->has_lanes)
    sn_lanes_end(&nest->lanes);
  while (nest->n)
    sn_next(b, &nest->loops[--nest->n]);
}

// ---- the body --------------------------------------------------------------------------------

static MlirValue index_at(SnBuilder *b, const Scatter *s, MlirValue n, intptr_t column) {
  MlirValue at[] = {n, sn_index(b, column)};
  MlirValue v = sn(b, "memref.load", s->t, sn_values(2, at), sn_element(sn_type_of(s->t)));
  MlirType index = sn_index_type(b->ctx);
  return mlirTypeEqual(sn_type_of(v), index) ? v : sn(b, "arith.index_cast", v, index);
}

// Update n lies inside of the original.
static MlirValue is_inside(SnBuilder *b, MlirValue n, void *user) {
  const Scatter *s = user;
  MlirValue all = sn_int(b, mlirIntegerTypeGet(b->ctx, 1), 1), zero = sn_index(b, 0), one = sn_index(b, 1);
  for (intptr_t k = 0; k < s->depth; ++k) {
    intptr_t d = s->map[k];
    MlirValue from = index_at(b, s, n, k),
              most = sn(b, "arith.subi", s->size[d], s->extent[d].ptr ? s->extent[d] : one);
    MlirValue low = sn(b, "arith.cmpi", from, zero, sn_attr("predicate", sn_i64(b->ctx, 5 /* sge */)));
    MlirValue high = sn(b, "arith.cmpi", from, most, sn_attr("predicate", sn_i64(b->ctx, 3 /* sle */)));
    all = sn(b, "arith.andi", all, sn(b, "arith.andi", low, high));
  }
  return all;
}

// What the row writes at a place: a part's are behind one another.
static SnValues written(const Scatter *s, const MlirValue *at, MlirValue *place) {
  intptr_t n = 0;
  if (s->rows == ROW_IS_CHUNK)
    place[n++] = s->row;
  for (intptr_t d = 0; d < s->rank; ++d)
    place[n++] = at[d];
  return sn_values(n, place);
}

static void copy_original(SnBuilder *b, const Scatter *s) {
  MlirValue number = s->filled.ptr ? sn_constant(b, s->filled) : (MlirValue){0};
  Nest nest = begin_nest(b, s, s->size);
  SnBuilder *in = nest.has_lanes ? &nest.lanes : b;
  MlirValue v =
      s->filled.ptr ? number : sn(in, "memref.load", s->x, sn_values(s->rank, nest.at), sn_element(s->original));
  sn_op(in, "memref.store", v, s->y, sn_values(s->rank, nest.at));
  end_nest(b, &nest);
}

static MlirValue load_update(SnBuilder *b, const Scatter *s, const Nest *nest, MlirValue n) {
  if (s->updated.ptr)
    return sn_constant(b, s->updated);
  MlirValue at[SN_MAX_DIMS];
  intptr_t k = 0;
  if (s->rows == ONE_ROW)
    at[k++] = s->row;
  at[k++] = n;
  for (intptr_t d = s->offset; d < s->rank; ++d) {
    if (s->rows == ROW_IS_PIECE && d == s->row_dim)
      at[k++] = s->row;
    MlirValue j = nest->at[d];
    if (s->rows == ROW_IS_PIECE && d == s->row_dim)
      j = sn(b, "arith.subi", j, sn(b, "arith.muli", s->row, sn_index(b, PIECE)));
    at[k++] = j;
  }
  return sn(b, "memref.load", s->u, sn_values(k, at), sn_element(s->updates));
}

static void apply_update(SnBuilder *b, const Scatter *s, MlirValue n) {
  MlirValue from[SN_MAX_DIMS] = {{0}};
  for (intptr_t k = 0; k < s->depth; ++k)
    from[s->map[k]] = index_at(b, s, n, k);
  // An update has one place in a dimension that rows choose by the index.
  MlirValue extent[SN_MAX_DIMS];
  memcpy(extent, s->extent, sizeof extent);
  if (looks(s))
    extent[s->row_dim] = (MlirValue){0};
  Nest nest = begin_nest(b, s, extent);
  SnBuilder *in = nest.has_lanes ? &nest.lanes : b;
  MlirValue at[SN_MAX_DIMS], u = load_update(in, s, &nest, n);
  for (intptr_t d = 0; d < s->rank; ++d)
    at[d] = sn_none(nest.at[d]) ? from[d] : sn_none(from[d]) ? nest.at[d] : sn(in, "arith.addi", from[d], nest.at[d]);
  MlirValue place[SN_MAX_DIMS];
  SnValues to = written(s, at, place);
  MlirValue both[] = {u, sn(in, "memref.load", s->y, to, sn_element(s->original))};
  MlirValue made = sn_inline_combiner(in, s->op, both);
  sn_op(in, "memref.store", made, s->y, to);
  end_nest(b, &nest);
}

// Each update is one number, and has a place of its own: they may be lanes of one step.
static bool are_lanes(const Scatter *s) { return s->unique && s->offset == s->rank; }

static void apply_updates(SnBuilder *b, const Scatter *s, MlirValue count) {
  if (are_lanes(s)) {
    MlirValue n;
    SnBuilder in = sn_lanes_begin(b, count, &n);
    apply_update(&in, s, n);
    sn_lanes_end(&in);
    return;
  }
  bool chunk = s->rows == ROW_IS_CHUNK;
  SnLoop n = sn_for(b, chunk ? s->begin : sn_index(b, 0), chunk ? s->end : count, sn_index(b, 1));
  apply_update(b, s, n.index);
  sn_next(b, &n);
}

static MlirValue part(SnBuilder *b, MlirValue all, MlirValue k, int64_t parts) {
  return sn(b, "arith.divui", sn(b, "arith.muli", all, k), sn_index(b, parts));
}

// Places from `begin` on, before `end`: a part of them all, but no less than is worth a row.
static void take_range(SnBuilder *b, Scatter *s) {
  MlirValue size = s->size[s->row_dim], last = sn_index(b, s->ranges - 1), ranges = sn_index(b, s->ranges);
  MlirValue length = sn(b, "arith.divui", sn(b, "arith.addi", size, last), ranges);
  length = sn(b, "arith.maxui", length, sn_index(b, looks(s) ? 1 : LEAST_RANGE));
  s->begin = sn(b, "arith.minui", sn(b, "arith.muli", s->row, length), size);
  s->end = sn(b, "arith.minui", sn(b, "arith.addi", s->begin, length), size);
}

// Whether update n goes to the row's range, and to no place outside of the original.
static MlirValue is_own(SnBuilder *b, Scatter *s, MlirValue n) {
  intptr_t column = 0;
  while (s->map[column] != s->row_dim)
    ++column;
  MlirValue from = sn(b, "arith.subi", index_at(b, s, n, column), s->begin);
  MlirValue own = sn(b, "arith.cmpi", from, sn(b, "arith.subi", s->end, s->begin),
                     sn_attr("predicate", sn_i64(b->ctx, 6 /* ult */)));
  return s->depth == 1 ? own : sn(b, "arith.andi", own, is_inside(b, n, s));
}

// The row's own updates, in order: first the numbers of those in a block, without a branch.
static void apply_own(SnBuilder *b, Scatter *s, MlirValue count, MlirValue own) {
  MlirValue zero = sn_index(b, 0), one = sn_index(b, 1);
  MlirType index = sn_index_type(b->ctx);
  SnLoop block = sn_for(b, zero, count, sn_index(b, BLOCK));
  MlirValue end = sn(b, "arith.minui", sn(b, "arith.addi", block.index, sn_index(b, BLOCK)), count);
  SnLoop n = sn_for(b, block.index, end, one, zero);
  sn_op(b, "memref.store", n.index, own, n.carried[0]);
  MlirValue more = sn(b, "arith.index_castui", is_own(b, s, n.index), index);
  sn_next(b, &n, sn(b, "arith.addi", n.carried[0], more));
  SnLoop k = sn_for(b, zero, sn_result(n.op, 0), one);
  apply_update(b, s, sn(b, "memref.load", own, k.index, index));
  sn_next(b, &k);
  sn_next(b, &block);
}

// Of ranges each looks whether a part of the indices is right, from the first on, so that all are looked at once.
typedef struct {
  const Scatter *s;
  MlirValue from;
} Checked;

static MlirValue is_checked(SnBuilder *b, MlirValue lane, void *user) {
  const Checked *c = user;
  return is_inside(b, c->from.ptr ? sn(b, "arith.addi", c->from, lane) : lane, (void *)c->s);
}

static void check_indices(SnBuilder *b, const Scatter *s, MlirValue count) {
  Checked c = {.s = s};
  if (s->rows == ROW_IS_CHUNK) {
    c.from = s->begin;
    count = sn(b, "arith.subi", s->end, s->begin);
  } else if (looks(s)) {
    c.from = part(b, count, s->row, s->ranges);
    count = part(b, count, sn(b, "arith.addi", s->row, sn_index(b, 1)), s->ranges);
    count = sn(b, "arith.subi", count, c.from);
  }
  MlirValue inside = sn_all_lanes(b, count, is_checked, &c);
  sn_op(b, "cf.assert", inside, sn_attr("msg", sn_string(b->ctx, "an index of a scatter is out of range")),
        sn_types(0, NULL));
}

// ---- chunks -----------------------------------------------------------------------------------

// Updates of each chunk but the last.
static MlirValue chunk_length(SnBuilder *b, const Scatter *s, MlirValue count) {
  int64_t places = elements(s->original);
  MlirValue all = sn(b, "arith.addi", count, sn_index(b, s->ranges - 1));
  return sn(b, "arith.maxui", sn(b, "arith.divui", all, sn_index(b, s->ranges)),
            sn_index(b, places > LEAST_CHUNK ? places : LEAST_CHUNK));
}

static void take_chunk(SnBuilder *b, Scatter *s, MlirValue count) {
  MlirValue length = chunk_length(b, s, count);
  s->begin = sn(b, "arith.minui", sn(b, "arith.muli", s->row, length), count);
  s->end = sn(b, "arith.minui", sn(b, "arith.addi", s->begin, length), count);
}

// A part begins with what adds nothing, if its chunk has any update; -0 + 0 is 0, and -0 + -0 is -0.
static void begin_part(SnBuilder *b, const Scatter *s) {
  MlirType t = sn_element(s->original);
  MlirValue any = sn(b, "arith.cmpi", s->begin, s->end, sn_attr("predicate", sn_i64(b->ctx, 6 /* ult */)));
  MlirValue sizes[SN_MAX_DIMS], place[SN_MAX_DIMS], nothing = sn_is_float(t) ? sn_float(b, t, -0.0) : sn_int(b, t, 0);
  memcpy(sizes, s->size, sizeof sizes);
  sizes[0] = sn(b, "arith.select", any, s->size[0], sn_index(b, 0));
  Nest nest = begin_nest(b, s, sizes);
  SnBuilder *in = nest.has_lanes ? &nest.lanes : b;
  sn_op(in, "memref.store", nothing, s->y, written(s, nest.at, place));
  end_nest(b, &nest);
}

static MlirValue empty_parts(SnBuilder *b, const Scatter *s) {
  int64_t shape[SN_MAX_DIMS] = {s->ranges};
  for (intptr_t d = 0; d < s->rank; ++d)
    shape[d + 1] = sn_dim(s->original, d);
  return sn(b, "tensor.empty", sn_tensor(sn_element(s->original), s->rank + 1, shape));
}

// y = x, and each part that there is, in their order. Rows are ranges of places.
static void add_part(SnBuilder *b, const Scatter *s, MlirValue parts, MlirValue k) {
  Nest nest = begin_nest(b, s, s->size);
  SnBuilder *in = nest.has_lanes ? &nest.lanes : b;
  MlirValue place[SN_MAX_DIMS] = {k};
  memcpy(place + 1, nest.at, (size_t)s->rank * sizeof *place);
  MlirType t = sn_element(s->original);
  MlirValue both[] = {sn(in, "memref.load", parts, sn_values(s->rank + 1, place), t),
                      sn(in, "memref.load", s->y, sn_values(s->rank, nest.at), t)};
  sn_op(in, "memref.store", sn_inline_combiner(in, s->op, both), s->y, sn_values(s->rank, nest.at));
  end_nest(b, &nest);
}

// Of ranges, and where updates are a number: a tensor that nobody reads, whose size says how many rows there are.
static MlirValue empty_rows(SnBuilder *b, const Scatter *s) {
  int64_t rows = s->rows == ONE_ROW ? 1 : s->ranges;
  return sn(b, "tensor.empty", sn_tensor(mlirIntegerTypeGet(b->ctx, 8), 1, &rows));
}

static MlirValue add_parts(SnBuilder *b, const Scatter *chunks, MlirValue parts) {
  Scatter s = *chunks;
  s.rows = ROW_IS_RANGE;
  s.depth = 0; // no range looks at indices any more
  MlirValue operands[5] = {empty_rows(b, &s), s.from[1], parts};
  intptr_t n = 3;
  if (!s.filled.ptr)
    operands[n++] = s.from[2];
  operands[n++] = sn_layout_empty(b, s.from[2]);
  SnStepsBody body = sn_steps_begin(b, n, operands);
  SnBuilder *in = &body.in;
  MlirType index = sn_index_type(b->ctx);
  MlirValue memory = body.memory[2];
  s.row = body.row;
  s.x = body.memory[n - 2]; // unless it is a number
  s.y = body.memory[n - 1];
  for (intptr_t d = 0; d < s.rank; ++d)
    s.size[d] = sn(in, "memref.dim", s.y, sn_index(in, d), index);
  MlirValue count = sn(in, "memref.dim", body.memory[1], sn_index(in, 0), index), length = chunk_length(in, &s, count);
  take_range(in, &s);
  copy_original(in, &s);
  SnLoop k = sn_for(in, sn_index(in, 0), sn(in, "arith.ceildivui", count, length), sn_index(in, 1));
  add_part(in, &s, memory, k.index);
  sn_next(in, &k);
  return sn_result(sn_steps_end(b, &body, 0, n - 1, n, operands), 0);
}

static MlirValue steps(SnBuilder *b, Scatter *s) {
  choose_rows(s);
  bool chunks = s->rows == ROW_IS_CHUNK, ranges = s->rows == ROW_IS_RANGE || chunks, own_only = looks(s);
  intptr_t rows = 0, n = 0;
  MlirValue operands[5], own;
  s->filled = sn_filled_with(s->from[2]);
  if (s->offset == s->rank) // else how large they are is read of them
    s->updated = sn_filled_with(s->from[0]);
  bool reads = !s->updated.ptr, counts = ranges || !reads;
  if (counts)
    operands[n++] = empty_rows(b, s);
  if (reads)
    operands[n++] = ranges ? s->from[0] : with_rows(b, s, &rows);
  operands[n++] = s->from[1];
  if (!chunks && !s->filled.ptr)
    operands[n++] = s->from[2];
  operands[n++] = chunks ? empty_parts(b, s) : sn_layout_empty(b, s->from[2]);
  SnStepsBody body = sn_steps_begin(b, n, operands);
  SnBuilder *in = &body.in;
  MlirType index = sn_index_type(b->ctx);
  int64_t block[] = {BLOCK};
  int32_t segments[] = {0, 0};
  if (own_only)
    own = sn(in, "memref.alloca", sn_memref(index, 1, block),
             sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b->ctx, 2, segments)));
  s->row = body.row;
  s->u = body.memory[counts]; // unless they are a number
  s->t = body.memory[counts + reads];
  s->x = body.memory[n - 2]; // unless it is a number
  s->y = body.memory[n - 1];
  intptr_t first = s->rows == ONE_ROW; // of the updates, in memory
  for (intptr_t d = 0; d < s->rank; ++d) {
    s->size[d] = sn(in, "memref.dim", s->y, sn_index(in, d + chunks), index);
    if (has_extent(s, d))
      s->extent[d] = sn(in, "memref.dim", s->u, sn_index(in, first + 1 + d - s->offset), index);
  }
  MlirValue count = sn(in, "memref.dim", s->t, sn_index(in, 0), index);
  if (chunks)
    take_chunk(in, s, count);
  check_indices(in, s, count);
  if (s->rows == ROW_IS_RANGE)
    take_range(in, s);
  if (chunks)
    begin_part(in, s);
  else
    copy_original(in, s);
  if (own_only)
    apply_own(in, s, count, own);
  else
    apply_updates(in, s, count);
  MlirValue made = sn_result(sn_steps_end(b, &body, rows, n - 1, n, operands), 0);
  return chunks ? add_parts(b, s, made) : made;
}

MlirLogicalResult sn_scatter_steps(MlirOperation op, int64_t counted) {
  (void)counted;
  Scatter s = {0};
  if (sn_failed(check(op, &s)))
    return SN_FAIL;
  SnBuilder b = sn_before(op);
  mlirValueReplaceAllUsesOfWith(sn_result(op, 0), steps(&b, &s));
  mlirOperationDestroy(op);
  return SN_OK;
}

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
// Updates come one after the other, so those of one place are combined in their order, each time. What the index does
// not choose is shared among rows: a dimension, or pieces of the last one. If there is nothing such, there is one row.
//
// runs in: sinter-tm-tensor    test: test/passes/program/tm_tensor.mlir, test/run/tm_tensor.test

#include "passes/program/tensor_steps.h"

#define PIECE 32 // elements of the last dimension in one row: two lines of a cache of f32

typedef enum { ONE_ROW, ROW_IS_DIMENSION, ROW_IS_PIECE } Rows;

// Dimension d of the original is update dimension d - offset + 1, if that is 1 or more; `map[k]` gets what the index
// says in column k in addition.
typedef struct {
  MlirOperation op;
  MlirValue from[3]; // updates, indices, original
  MlirType updates, original;
  intptr_t depth, offset, rank;
  int64_t map[SN_MAX_DIMS];
  Rows rows;
  intptr_t row_dim, lane_dim;    // of the original; lane_dim -1 if no update has a dimension
  MlirValue row, u, t, x, y;     // memory
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

static void choose_rows(Scatter *s) {
  intptr_t free_dims = 0, first = -1;
  s->lane_dim = s->offset < s->rank ? s->rank - 1 : -1;
  for (intptr_t d = s->offset; d < s->rank; ++d)
    if (!is_indexed(s, d)) {
      first = free_dims++ ? first : d;
    }
  int64_t last = sn_dim(s->updates, sn_rank(s->updates) - 1);
  bool last_is_free = s->lane_dim >= 0 && !is_indexed(s, s->lane_dim);
  if (free_dims > 1) {
    s->rows = ROW_IS_DIMENSION;
    s->row_dim = first;
  } else if (last_is_free && last >= 2 * PIECE && last % PIECE == 0 && last == sn_dim(s->original, s->rank - 1)) {
    s->rows = ROW_IS_PIECE;
    s->row_dim = s->lane_dim;
  } else {
    s->rows = ONE_ROW;
    s->row_dim = -1;
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

// Over all dimensions that `sizes` has, but that of the row; the last one is the lanes.
static Nest begin_nest(SnBuilder *b, const Scatter *s, const MlirValue *sizes) {
  Nest nest = {.has_lanes = sizes[s->rank - 1].ptr && !(s->rows == ROW_IS_DIMENSION && s->row_dim == s->rank - 1)};
  MlirValue zero = sn_index(b, 0), one = sn_index(b, 1), j;
  for (intptr_t d = 0; d < s->rank; ++d) {
    if (s->rows == ROW_IS_DIMENSION && d == s->row_dim) {
      nest.at[d] = s->row;
    } else if (sizes[d].ptr && (d < s->rank - 1 || !nest.has_lanes)) {
      nest.loops[nest.n] = sn_for(b, zero, sizes[d], one);
      nest.at[d] = nest.loops[nest.n++].index;
    }
  }
  if (nest.has_lanes) {
    bool piece = s->rows == ROW_IS_PIECE;
    nest.lanes = sn_lanes_begin(b, piece ? sn_index(b, PIECE) : sizes[s->rank - 1], &j);
    nest.at[s->rank - 1] = piece ? in_piece(&nest.lanes, s, j) : j;
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

static void copy_original(SnBuilder *b, const Scatter *s) {
  Nest nest = begin_nest(b, s, s->size);
  SnBuilder *in = nest.has_lanes ? &nest.lanes : b;
  MlirValue v = sn(in, "memref.load", s->x, sn_values(s->rank, nest.at), sn_element(s->original));
  sn_op(in, "memref.store", v, s->y, sn_values(s->rank, nest.at));
  end_nest(b, &nest);
}

static MlirValue load_update(SnBuilder *b, const Scatter *s, const Nest *nest, MlirValue n) {
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

static void apply_updates(SnBuilder *b, const Scatter *s, MlirValue count) {
  SnLoop n = sn_for(b, sn_index(b, 0), count, sn_index(b, 1));
  MlirValue from[SN_MAX_DIMS] = {{0}};
  for (intptr_t k = 0; k < s->depth; ++k)
    from[s->map[k]] = index_at(b, s, n.index, k);
  Nest nest = begin_nest(b, s, s->extent);
  SnBuilder *in = nest.has_lanes ? &nest.lanes : b;
  MlirValue at[SN_MAX_DIMS], u = load_update(in, s, &nest, n.index);
  for (intptr_t d = 0; d < s->rank; ++d)
    at[d] = sn_none(nest.at[d]) ? from[d] : sn_none(from[d]) ? nest.at[d] : sn(in, "arith.addi", from[d], nest.at[d]);
  MlirValue both[] = {u, sn(in, "memref.load", s->y, sn_values(s->rank, at), sn_element(s->original))};
  MlirValue made = sn_inline_combiner(in, s->op, both);
  sn_op(in, "memref.store", made, s->y, sn_values(s->rank, at));
  end_nest(b, &nest);
  sn_next(b, &n);
}

static MlirValue steps(SnBuilder *b, Scatter *s) {
  intptr_t rows;
  choose_rows(s);
  MlirValue operands[4] = {with_rows(b, s, &rows), s->from[1], s->from[2], sn_layout_empty(b, s->from[2])};
  SnStepsBody body = sn_steps_begin(b, 4, operands);
  SnBuilder *in = &body.in;
  MlirType index = sn_index_type(b->ctx);
  s->row = body.row;
  s->u = body.memory[0];
  s->t = body.memory[1];
  s->x = body.memory[2];
  s->y = body.memory[3];
  intptr_t first = s->rows == ONE_ROW; // of the updates, in memory
  for (intptr_t d = 0; d < s->rank; ++d) {
    s->size[d] = sn(in, "memref.dim", s->x, sn_index(in, d), index);
    if (has_extent(s, d))
      s->extent[d] = sn(in, "memref.dim", s->u, sn_index(in, first + 1 + d - s->offset), index);
  }
  MlirValue count = sn(in, "memref.dim", s->t, sn_index(in, 0), index);
  MlirValue inside = sn_all_lanes(in, count, is_inside, s);
  sn_op(in, "cf.assert", inside, sn_attr("msg", sn_string(b->ctx, "an index of a scatter is out of range")),
        sn_types(0, NULL));
  copy_original(in, s);
  apply_updates(in, s, count);
  return sn_result(sn_steps_end(b, &body, rows, 3, 4, operands), 0);
}

MlirLogicalResult sn_scatter_steps(MlirOperation op) {
  Scatter s = {0};
  if (sn_failed(check(op, &s)))
    return SN_FAIL;
  SnBuilder b = sn_before(op);
  mlirValueReplaceAllUsesOfWith(sn_result(op, 0), steps(&b, &s));
  mlirOperationDestroy(op);
  return SN_OK;
}

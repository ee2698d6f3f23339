// match.c: can two kernels be one?
//
//   a: (i) by (j)  max -> [i]      b: (p, q)  x[p, q] - max[p]
//   i = p from the value that flows, j = q from the operand that both read
//
// Legality is data flow. The dimensions of the two are matched: first through what
// one hands to the other, then through what both read, then columns by their
// order. A form that reduces or picks fixes what a row is; an elementwise one takes on any.
//
// new way to fuse: when two forms may be one in this way.
//
// runs in: fuse    test: test/passes/fuse/fuse.mlir

#include "dialect/row_ops.h"
#include "passes/merge/merge.h"

// ---- what a form is ------------------------------------------------------------

// It takes an element from elsewhere in a row, or a number that differs from row to row and has to stay one (what a
// gather gives outside).
static bool needs_row(MlirOperation op) {
  return sn_row_op_has(op, SN_READS_ONE) || sn_row_op_has(op, SN_READS_SCALAR);
}

bool sn_is_elementwise_body(MlirBlock body) {
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    if (sn_row_op_has(op, SN_READS_ALL) || needs_row(op))
      return false;
  return true;
}

bool sn_is_elementwise_form(const SnForm *f) {
  return !f->contract && !f->accumulators.size && sn_is_plain(f) && sn_is_elementwise_body(f->body);
}

bool sn_is_total(const SnForm *f) {
  if (f->contract || !sn_is_plain(f) || !f->accumulators.size || sn_num_reduced(f) != f->outputs.size)
    return false;
  MlirOperation yield = mlirBlockGetTerminator(f->body);
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !sn_null(op); op = mlirOperationGetNextInBlock(op)) {
    if (needs_row(op))
      return false;
    if (sn_row_op_has(op, SN_READS_ALL) &&
        !(sn_one_use(sn_result(op, 0)) &&
          mlirOperationEqual(mlirOpOperandGetOwner(mlirValueGetFirstUse(sn_result(op, 0))), yield)))
      return false;
  }
  for (size_t k = 0; k < f->accumulators.size; ++k) {
    const SnAccumulator *acc = &f->accumulators.data[k];
    MlirOperation reduce = sn_reduce_of(sn_operand(yield, (intptr_t)k), NULL);
    MlirAttribute kind = sn_null(reduce) ? mlirAttributeGetNull() : sn_get_attr(reduce, "kind");
    if (sn_uses_cols(f, acc->map) || (f->num_cols && sn_null(reduce)))
      return false;
    // A sum of sums is one sum; a sum of maxima is not.
    if (!sn_null(reduce) &&
        (!kind.ptr || !mlirStringRefEqual(mlirStringAttrGetValue(kind), acc->kind) ||
         !mlirTypeEqual(sn_type_of(sn_operand(yield, (intptr_t)k)), sn_element(sn_type_of(sn_operand(reduce, 0))))))
      return false;
  }
  return true;
}

// A product whose row program makes each element of what stands at its place. With these columns one side of each
// product has columns, and the other none.
static bool is_free_product(const SnForm *f, const bool *is_column) {
  bool is = f->contract && sn_has_one_group(f) && !f->accumulators.size && !f->finish.ptr && sn_is_plain(f) &&
            sn_is_elementwise_body(f->body);
  for (size_t p = 0; p < f->products.size && is; ++p) {
    bool uses[2] = {false};
    for (int side = 0; side < 2; ++side)
      for (intptr_t d = 0; d < f->num_rows + f->num_cols; ++d)
        uses[side] |= is_column[d] && sn_side_uses(f, 2 * p + (size_t)side, d);
    is = uses[0] != uses[1];
  }
  return is;
}

bool sn_can_resplit(const SnForm *f, const bool *is_column) {
  if (!sn_is_elementwise_form(f) && !sn_is_total(f) && !is_free_product(f, is_column))
    return false;
  size_t rows = 0, cols = 0;
  for (intptr_t d = 0; d < f->num_rows + f->num_cols; ++d)
    *(is_column[d] ? &cols : &rows) += 1;
  for (size_t k = 0; k < f->outputs.size; ++k) {
    size_t used_rows = 0, used_cols = 0;
    for (intptr_t d = 0; d < f->num_rows + f->num_cols; ++d)
      if (sn_map_uses(f->outputs.data[k].map, d))
        *(is_column[d] ? &used_cols : &used_rows) += 1;
    if ((used_cols && used_cols != cols) || (used_rows != rows && !sn_is_reduced(f, k)))
      return false;
  }
  return true;
}

// Its rows and columns are only a way to walk its dimensions.
static bool is_free(const SnForm *f) { return sn_is_elementwise_form(f) || sn_is_total(f); }

// Some operation speaks of a dimension.
static bool has_index(const SnForm *f) {
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !sn_null(op); op = mlirOperationGetNextInBlock(op)) {
    const SnRowOp *line = sn_row_op_of(op);
    if (line && line->names_dim)
      return true;
  }
  return false;
}

MlirOperation sn_producer(const SnForm *f, size_t input, size_t *result) {
  MlirOperation op = sn_definer(f->inputs.data[input].value);
  if (sn_null(op) || !sn_is_form(op))
    return (MlirOperation){0};
  *result = (size_t)mlirOpResultGetResultNumber(f->inputs.data[input].value);
  return op;
}

// ---- matching dimensions ----------------------------------------------------------

typedef struct {
  const SnForm *a, *b;
  intptr_t *to_b;          // dimension of a -> dimension of b, or -1
  intptr_t *to_a;          // the other way
  MlirAffineExpr *through; // dimension of a -> expression over b's, where not one dimension; else null
} Match;

static int64_t size_of(const SnForm *f, intptr_t d) { return f->dims.data[d].size; }

static bool pair(Match *m, intptr_t a, intptr_t b) {
  if (m->to_b[a] == b)
    return true;
  if (m->to_b[a] >= 0 || m->to_a[b] >= 0 || m->through[a].ptr || size_of(m->a, a) != size_of(m->b, b))
    return false;
  m->to_b[a] = b;
  m->to_a[b] = a;
  return true;
}

// Every subscript is a number in the form's body.
static bool has_values(const SnForm *f, MlirAffineMap map) {
  bool all = true;
  for (intptr_t p = 0; p < mlirAffineMapGetNumResults(map); ++p)
    all &= sn_has_affine_value(f, mlirAffineMapGetResult(map, p));
  return all;
}

// b reads result `result` of a by `read`: every subscript gives an equation.
static bool match_flow(Match *m, size_t result, const SnAccess *read) {
  MlirAffineMap written = m->a->outputs.data[result].map;
  if (read->through.ptr || sn_is_table(read))
    return sn_refuse(m->b->op, SN_WHY_THROUGH);
  if (read->fill.ptr && (!sn_is_elementwise_form(m->a) || !has_values(m->b, read->map)))
    return sn_refuse(m->b->op, SN_WHY_BOUNDS);
  for (intptr_t p = 0; p < mlirAffineMapGetNumResults(written); ++p) {
    intptr_t a = sn_map_dim(written, p), b = sn_map_dim(read->map, p);
    if (a < 0)
      continue; // a subscript 0 of a dimension of size 1
    MlirAffineExpr expr = mlirAffineMapGetResult(read->map, p);
    if (b >= 0 && pair(m, a, b))
      continue;
    if (m->to_b[a] >= 0 || (m->through[a].ptr && !mlirAffineExprEqual(m->through[a], expr)))
      return sn_refuse(m->b->op, SN_WHY_TWO_PLACES);
    m->through[a] = expr;
  }
  return true;
}

// Two subscripts that are the same but for their dimensions' names: those may be one. `whole`: one that stands alone
// goes through all that there is.
static void match_exprs(Match *m, MlirAffineExpr x, MlirAffineExpr y, bool any_split, bool whole) {
  if (mlirAffineExprIsABinary(x) && mlirAffineExprIsABinary(y)) {
    if (mlirAffineExprIsAAdd(x) == mlirAffineExprIsAAdd(y) && mlirAffineExprIsAMul(x) == mlirAffineExprIsAMul(y)) {
      match_exprs(m, mlirAffineBinaryOpExprGetLHS(x), mlirAffineBinaryOpExprGetLHS(y), any_split, false);
      match_exprs(m, mlirAffineBinaryOpExprGetRHS(x), mlirAffineBinaryOpExprGetRHS(y), any_split, false);
    }
    return;
  }
  if (!mlirAffineExprIsADim(x) || !mlirAffineExprIsADim(y))
    return;
  intptr_t a = mlirAffineDimExprGetPosition(x), b = mlirAffineDimExprGetPosition(y);
  if (a >= m->a->num_rows + m->a->num_cols || b >= m->b->num_rows + m->b->num_cols)
    return;
  // Of x[i - 1], or of x[i] with bounds, there may be as many as one likes.
  if (!whole && size_of(m->a, a) == SN_DYNAMIC && !sn_same_size(m->a, a, m->b, b))
    return;
  if (m->to_b[a] < 0 && m->to_a[b] < 0 && !m->through[a].ptr &&
      (any_split || sn_is_row_dim(m->a, a) == sn_is_row_dim(m->b, b)))
    pair(m, a, b);
}

// Both read one value: what stands at the same place of a subscript may be one dimension. Only a
// hint. Where both forms fix their rows, a row dimension can only be a row dimension.
static void match_shared(Match *m, const SnAccess *x, const SnAccess *y, bool any_split) {
  bool whole = !x->fill.ptr && !y->fill.ptr;
  for (intptr_t p = 0; p < mlirAffineMapGetNumResults(x->map); ++p)
    match_exprs(m, mlirAffineMapGetResult(x->map, p), mlirAffineMapGetResult(y->map, p), any_split, whole);
}

// Every dimension of a has its place: nothing that both read says more. (Products have dimensions of their own.)
static bool is_matched(const Match *m) {
  for (intptr_t d = 0; d < m->a->num_rows + m->a->num_cols; ++d)
    if (m->to_b[d] < 0 && !m->through[d].ptr)
      return false;
  return true;
}

// Columns (or rows) that nothing matched, in order, where the sizes agree.
static void match_rest(Match *m, bool rows) {
  intptr_t b = rows ? 0 : m->b->num_rows, b_end = rows ? m->b->num_rows : m->b->num_rows + m->b->num_cols;
  intptr_t a = rows ? 0 : m->a->num_rows, a_end = rows ? m->a->num_rows : m->a->num_rows + m->a->num_cols;
  for (; a < a_end; ++a) {
    if (m->to_b[a] >= 0 || m->through[a].ptr)
      continue;
    while (b < b_end && m->to_a[b] >= 0)
      ++b;
    // Two sizes that nobody knows need not be one.
    if (b < b_end && sn_same_size(m->a, a, m->b, b))
      pair(m, a, b);
  }
}

// Columns of the one that are rows of the other, where nothing says what belongs together.
static void match_columns_with_rows(Match *m) {
  for (intptr_t b = m->b->num_rows; b < m->b->num_rows + m->b->num_cols; ++b)
    for (intptr_t a = 0; a < m->a->num_rows && m->to_a[b] < 0; ++a)
      if (m->to_b[a] < 0 && !m->through[a].ptr && sn_same_size(m->a, a, m->b, b))
        pair(m, a, b);
}

bool sn_flows(const SnMerge *m, size_t input, size_t *result) {
  if (sn_null(m->a.op) || !mlirOperationEqual(sn_producer(&m->b, input, result), m->a.op))
    return false;
  if (!m->duplicate || input == m->served)
    return true;
  const SnAccess *a = &m->b.inputs.data[input], *first = &m->b.inputs.data[m->served];
  return sn_same(a->value, first->value) && mlirAffineMapEqual(a->map, first->map) &&
         mlirAttributeEqual(a->fill, first->fill) && !a->through.ptr;
}

// ---- the merged domain --------------------------------------------------------------

// Rows of the form that decides are all rows of the other's image; columns stay in order.
static bool same_split(const SnForm *f, const SnForm *host, const intptr_t *to_host) {
  for (intptr_t d = 0; d < f->num_rows; ++d)
    if (to_host[d] < 0 || !sn_is_row_dim(host, to_host[d]))
      return sn_refuse(f->op, SN_WHY_ROWS);
  if (f->num_rows != host->num_rows)
    return sn_refuse(f->op, SN_WHY_ROW_DIMS, (long)f->num_rows, (long)host->num_rows);
  intptr_t last = -1;
  for (intptr_t d = f->num_rows; d < f->num_rows + f->num_cols; ++d) {
    if (to_host[d] <= last || !sn_is_col_dim(host, to_host[d]))
      return sn_refuse(f->op, SN_WHY_COLUMNS);
    last = to_host[d];
  }
  if (f->num_cols && f->num_cols != host->num_cols)
    return sn_refuse(f->op, SN_WHY_LENGTHS);
  return true;
}

static MlirAffineExpr dim(SnMerge *m, intptr_t d) { return mlirAffineDimExprGet(mlirOperationGetContext(m->a.op), d); }

// The products of f, and their own dimensions behind all others.
static void add_products(SnMerge *m, const SnForm *f, MlirAffineExpr *dims) {
  for (size_t p = 0; p < f->products.size; ++p)
    sn_push(&m->merged.products, f->products.data[p]);
  m->merged.contract |= f->contract;
  for (intptr_t d = f->num_rows + f->num_cols; d < (intptr_t)f->dims.size; ++d) {
    SnDim own = f->dims.data[d];
    own.name = sn_fresh_name(mlirOperationGetContext(f->op), &m->merged, own.name.data);
    dims[d] = dim(m, (intptr_t)m->merged.dims.size);
    sn_push(&m->merged.dims, own);
  }
}

// Sets the merged dimensions to those of `host` (columns of `other` where it has none), and the
// expressions of both. to_host: other's dimensions -> host's, or -1; through may be null.
static bool set_domain(SnMerge *m, const SnForm *host, const SnForm *other, const intptr_t *to_host,
                       const MlirAffineExpr *through) {
  MlirContext ctx = mlirOperationGetContext(m->a.op);
  SnForm *f = &m->merged;
  bool take_columns = !host->num_cols && other->num_cols;
  f->num_rows = host->num_rows;
  f->num_cols = host->num_cols; // and those of `other` that are nothing of the host's
  MlirAffineExpr **host_dims = host == &m->a ? &m->a_dims : &m->b_dims,
                 **other_dims = host == &m->a ? &m->b_dims : &m->a_dims;
  *host_dims = sn_alloc((host->dims.size + 1) * sizeof **host_dims);
  *other_dims = sn_alloc((other->dims.size + 1) * sizeof **other_dims);
  for (intptr_t d = 0; d < host->num_rows + host->num_cols; ++d) {
    (*host_dims)[d] = dim(m, (intptr_t)f->dims.size);
    sn_push(&f->dims, host->dims.data[d]);
  }
  for (intptr_t d = 0; d < other->num_rows + other->num_cols; ++d) {
    if (to_host[d] >= 0) {
      (*other_dims)[d] = (*host_dims)[to_host[d]];
    } else if (through && through[d].ptr) {
      (*other_dims)[d] = through[d]; // already over host's dimensions, in their places
    } else if (take_columns && sn_is_col_dim(other, d)) {
      SnDim fresh = other->dims.data[d];
      fresh.name = sn_fresh_name(ctx, f, fresh.name.data);
      (*other_dims)[d] = dim(m, (intptr_t)f->dims.size);
      sn_push(&f->dims, fresh);
      ++f->num_cols;
    } else {
      return sn_refuse(other->op, SN_WHY_NO_PLACE, (int)other->dims.data[d].name.length, other->dims.data[d].name.data);
    }
  }
  add_products(m, &m->a, m->a_dims);
  add_products(m, &m->b, m->b_dims);
  return true;
}

// ---- legality ---------------------------------------------------------------------------

// A total visits each of its points once: every merged row is one of its dimensions, and of the
// columns it has all or none.
static bool totals_fit(SnMerge *m, const SnForm *f, const MlirAffineExpr *dims, bool *columns) {
  if (!sn_is_total(f))
    return true;
  bool hit[SN_MAX_DIMS] = {false};
  int64_t rows = 0, cols = 0;
  for (size_t d = 0; d < f->dims.size; ++d) {
    if (!mlirAffineExprIsADim(dims[d]))
      return sn_refuse(f->op, SN_WHY_TOTAL_EXPRESSION);
    intptr_t to = mlirAffineDimExprGetPosition(dims[d]);
    if (hit[to])
      return sn_refuse(f->op, SN_WHY_TOTAL_TWICE);
    hit[to] = true;
    rows += sn_is_row_dim(&m->merged, to);
    cols += sn_is_col_dim(&m->merged, to);
  }
  *columns = cols > 0;
  if (rows != m->merged.num_rows || (cols && cols != m->merged.num_cols))
    return sn_refuse(f->op, SN_WHY_TOTAL_PART);
  return true;
}

// b as part of a's finish: it reads only what a reduced, and uniform values.
static bool can_finish(SnMerge *m, Match *match) {
  if (!sn_is_elementwise_form(&m->b) || has_index(&m->b))
    return sn_refuse(m->b.op, SN_WHY_GRID);
  for (size_t k = 0; k < m->b.inputs.size; ++k) {
    size_t result;
    bool flows = sn_flows(m, k, &result);
    if (flows ? !sn_is_reduced(&m->a, result) : !sn_is_uniform(&m->b, k))
      return sn_refuse(m->b.op, SN_WHY_FINISH_MORE);
    if (flows && sn_uses_cols(&m->a, m->a.outputs.data[result].map) && !m->b.dims.size)
      return sn_refuse(m->b.op, SN_WHY_ELEMENT);
  }
  intptr_t columns = 0;
  for (intptr_t d = 0; d < (intptr_t)m->b.dims.size; ++d) {
    if (match->to_a[d] < 0 || !sn_is_col_dim(&m->a, match->to_a[d]) || (d && match->to_a[d] < match->to_a[d - 1]))
      return sn_refuse(m->b.op, SN_WHY_FINISH_DIMS);
    ++columns;
  }
  if (columns && columns != m->a.num_cols)
    return sn_refuse(m->b.op, SN_WHY_FINISH_PART);
  for (size_t k = 0; k < m->b.outputs.size; ++k)
    for (intptr_t p = 0; p < mlirAffineMapGetNumResults(m->b.outputs.data[k].map); ++p)
      if (columns > 1 && sn_map_dim(m->b.outputs.data[k].map, p) != p)
        return sn_refuse(m->b.op, SN_WHY_FINISH_ORDER);
  m->into_finish = true;
  return set_domain(m, &m->a, &m->b, match->to_a, NULL) && totals_fit(m, &m->a, m->a_dims, &m->a_columns);
}

// A destination is written whole: at dimension `was` (-1: its subscript is 0) of f, which subscript e of the merged
// form walks now. A dimension that became one element (x[2]) or fewer (x[0:2]) leaves the rest of it unwritten.
static bool writes_whole(const SnMerge *m, const SnForm *f, intptr_t was, MlirAffineExpr e) {
  if (mlirAffineExprIsADim(e))
    return was >= 0 && m->merged.dims.data[mlirAffineDimExprGetPosition(e)].size == size_of(f, was);
  return mlirAffineExprIsAConstant(e) && mlirAffineConstantExprGetValue(e) == 0 && (was < 0 || size_of(f, was) == 1);
}

// What a still gives to others must be a destination that the merged form can have.
static bool outputs_fit(SnMerge *m, const SnForm *f, const MlirAffineExpr *dims) {
  intptr_t n = (intptr_t)m->merged.dims.size;
  for (size_t k = 0; k < f->outputs.size; ++k) {
    if (f == &m->a && !m->keep[k])
      continue;
    MlirAffineMap map = sn_map_replace(f->outputs.data[k].map, n, dims);
    bool reduced = sn_is_reduced(f, k);
    int64_t columns = 0;
    for (intptr_t p = 0; p < mlirAffineMapGetNumResults(map); ++p) {
      intptr_t d = sn_map_dim(map, p);
      if (!writes_whole(m, f, sn_map_dim(f->outputs.data[k].map, p), mlirAffineMapGetResult(map, p)))
        return sn_refuse(f->op, SN_WHY_ORDER);
      columns += d >= 0 && sn_is_col_dim(&m->merged, d);
    }
    if (columns && columns != m->merged.num_cols)
      return sn_refuse(f->op, SN_WHY_KEEPS_PART);
    if (reduced && !m->merged.num_rows)
      return sn_refuse(f->op, SN_WHY_NO_ROWS);
    if (!reduced && !sn_uses_all_rows(&m->merged, map))
      return sn_refuse(f->op, SN_WHY_WRITTEN_AGAIN);
  }
  return true;
}

// What flows is read where it is written, once both are one kernel.
static bool flows_fit(SnMerge *m) {
  intptr_t n = (intptr_t)m->merged.dims.size;
  for (size_t k = 0; k < m->b.inputs.size; ++k) {
    size_t result;
    if (!sn_flows(m, k, &result))
      continue;
    if (sn_is_reduced(&m->a, result))
      return sn_refuse(m->b.op, SN_WHY_GRID);
    MlirAffineMap written = sn_map_replace(m->a.outputs.data[result].map, n, m->a_dims);
    MlirAffineMap read = sn_map_replace(m->b.inputs.data[k].map, n, m->b_dims);
    if (!mlirAffineMapEqual(written, read))
      return sn_refuse(m->b.op, SN_WHY_OTHER_PLACE);
  }
  for (size_t k = 0; k < m->b.indices.size; ++k)
    if (mlirOperationEqual(sn_definer(m->b.indices.data[k].value), m->a.op))
      return sn_refuse(m->b.op, SN_WHY_INDEX);
  return true;
}

// b's finish reads a uniform value that a makes: then a can be computed there too.
static bool finish_fits(SnMerge *m) {
  intptr_t argument = (intptr_t)m->b.accumulators.size;
  for (size_t k = sn_first_input(&m->b); m->b.finish.ptr && k < m->b.inputs.size; ++k) {
    size_t result;
    if (!sn_is_uniform(&m->b, k))
      continue;
    bool used = mlirValueGetFirstUse(mlirBlockGetArgument(m->b.finish, argument++)).ptr;
    if (!used || !sn_flows(m, k, &result))
      continue;
    for (size_t i = 0; i < m->a.inputs.size; ++i)
      if (!sn_is_uniform(&m->a, i))
        return sn_refuse(m->b.op, SN_WHY_FINISH_ROWS);
    if (!sn_is_elementwise_form(&m->a) || has_index(&m->a))
      return sn_refuse(m->b.op, SN_WHY_FINISH_REDUCES);
  }
  return true;
}

static bool gives_size(const SnMerge *m, const SnAccess *a, const MlirAffineExpr *dims, intptr_t d) {
  MlirAffineMap map = sn_map_replace(a->map, (intptr_t)m->merged.dims.size, dims);
  for (intptr_t p = 0; p < mlirAffineMapGetNumResults(map) && !a->fill.ptr; ++p)
    if (sn_map_dim(map, p) == d)
      return true;
  return false;
}

// A size `?` comes from an operand that stays, or from what a wrote to.
static bool sizes_known(const SnMerge *m) {
  for (intptr_t d = 0; d < (intptr_t)m->merged.dims.size; ++d) {
    size_t result;
    bool found = m->merged.dims.data[d].size != SN_DYNAMIC;
    for (size_t k = 0; k < m->a.inputs.size && !m->guard; ++k)
      found = found || gives_size(m, &m->a.inputs.data[k], m->a_dims, d);
    for (size_t k = 0; k < m->a.outputs.size; ++k)
      found = found || (m->keep[k] && gives_size(m, &m->a.outputs.data[k], m->a_dims, d));
    for (size_t k = 0; k < m->b.inputs.size; ++k)
      found = found || (!sn_flows(m, k, &result) && gives_size(m, &m->b.inputs.data[k], m->b_dims, d));
    for (size_t k = 0; k < m->b.outputs.size; ++k)
      found = found || gives_size(m, &m->b.outputs.data[k], m->b_dims, d);
    for (size_t k = 0; k < m->a.outputs.size && !m->guard; ++k) // sn_merge adds an input for it
      found = found || gives_size(m, &m->a.outputs.data[k], m->a_dims, d);
    if (!found)
      return sn_refuse(m->b.op, SN_WHY_UNKNOWN_SIZE);
  }
  return true;
}

// A dimension that ends before what it reads keeps its size: one that is `?` reads to the end.
static bool ends_kept(const SnMerge *m, const SnForm *f, const MlirAffineExpr *dims) {
  for (size_t k = 0; k < f->inputs.size + f->indices.size; ++k) {
    const SnAccess *a = sn_form_access(f, k);
    for (intptr_t p = 0; p < mlirAffineMapGetNumResults(a->map) && !a->fill.ptr; ++p) {
      intptr_t d = sn_map_dim(a->map, p);
      int64_t read = sn_dim(sn_type_of(a->value), p);
      if (d < 0 || !mlirAffineExprIsADim(dims[d]) || read == SN_DYNAMIC || size_of(f, d) == SN_DYNAMIC)
        continue;
      int64_t now = m->merged.dims.data[mlirAffineDimExprGetPosition(dims[d])].size;
      if (size_of(f, d) < read && now == SN_DYNAMIC)
        return sn_refuse(f->op, SN_WHY_UNKNOWN_SIZE);
    }
  }
  return true;
}

static bool decide(SnMerge *m, Match *match) {
  const SnForm *a = &m->a, *b = &m->b;
  bool flows = false;
  for (size_t k = 0; k < b->inputs.size; ++k) {
    size_t result;
    if (!sn_flows(m, k, &result))
      continue;
    flows = true;
    if (k < sn_first_input(b))
      return a->contract ? sn_refuse(b->op, SN_WHY_SIDE_PRODUCT)
                         : sn_refuse_silently(b->op, SN_WHY_SIDE); // merge/into_sides.c says more
    if (!match_flow(match, result, &b->inputs.data[k]))
      return false;
  }
  if (!sn_find_guard(m))
    return false;
  for (size_t k = 0; flows && !m->duplicate && k < b->inputs.size; ++k) {
    size_t result;
    if (sn_flows(m, k, &result) && sn_is_reduced(a, result))
      return can_finish(m, match);
  }
  bool a_free = is_free(a), b_free = is_free(b), shared = false;
  if (m->duplicate && !sn_is_elementwise_form(a))
    return sn_refuse(a->op, SN_WHY_TWICE);
  for (size_t i = 0; i < a->inputs.size && !is_matched(match); ++i)
    for (size_t k = 0; k < b->inputs.size && !is_matched(match); ++k)
      if (sn_same(a->inputs.data[i].value, b->inputs.data[k].value)) {
        match_shared(match, &a->inputs.data[i], &b->inputs.data[k], a_free || b_free);
        shared = true;
      }
  match_rest(match, false);
  if (!a_free || !b_free || (!flows && !shared))
    match_rest(match, true);
  if (a_free && b_free && !flows && !shared)
    match_columns_with_rows(match);

  bool through = false; // what is read of a is at a place of its own: a diagonal
  for (size_t d = 0; d < a->dims.size; ++d)
    through |= match->through[d].ptr != NULL;
  bool a_decides = !m->duplicate && !m->guard && !through && (a_free ? b_free && a->dims.size > b->dims.size : b_free);
  // What reduces over rows needs some, which one that walks columns alone does not have.
  if (a_free && b_free && !m->duplicate && !m->guard && (a_decides ? b : a)->accumulators.size &&
      !(a_decides ? a : b)->num_rows)
    a_decides = !a_decides;
  if (!a_free && !b_free) {
    // Both fix their rows; the one with columns decides what they are.
    a_decides = a->num_cols && !b->num_cols;
    if (!(a_decides ? same_split(b, a, match->to_a) : same_split(a, b, match->to_b)))
      return false;
  }
  if (!a_decides && !sn_is_elementwise_form(a))
    for (intptr_t d = 0; d < (intptr_t)a->dims.size; ++d)
      if (match->through[d].ptr)
        return sn_refuse(b->op, SN_WHY_OTHER_PLACE);
  if (a_decides ? !set_domain(m, a, b, match->to_a, NULL) : !set_domain(m, b, a, match->to_b, match->through))
    return false;
  if (a_free && has_index(a))
    for (intptr_t d = 0; d < (intptr_t)a->dims.size; ++d)
      if (!sn_affine_is_linear(m->a_dims[d]))
        return sn_refuse(a->op, SN_WHY_INDEX_EXPRESSION);
  if (!totals_fit(m, a, m->a_dims, &m->a_columns) || !totals_fit(m, b, m->b_dims, &m->b_columns))
    return false;
  return flows_fit(m) && finish_fits(m) && (m->duplicate || outputs_fit(m, a, m->a_dims)) &&
         outputs_fit(m, b, m->b_dims) && sizes_known(m) && ends_kept(m, a, m->a_dims) && ends_kept(m, b, m->b_dims);
}

bool sn_can_merge(MlirOperation a, MlirOperation b, SnMerge *m) { return sn_can_serve(a, b, SIZE_MAX, m); }

bool sn_can_serve(MlirOperation a, MlirOperation b, size_t input, SnMerge *m) {
  bool duplicate = input != SIZE_MAX;
  *m = (SnMerge){.a = sn_form_read(a), .b = sn_form_read(b), .duplicate = duplicate, .served = input};
  if (m->a.schedule.ptr || m->b.schedule.ptr)
    return sn_refuse(m->a.schedule.ptr ? a : b, SN_WHY_SCHEDULED);
  if (!sn_has_one_group(&m->a) || !sn_has_one_group(&m->b))
    return sn_refuse(sn_has_one_group(&m->a) ? b : a, SN_WHY_SEVERAL);
  size_t na = m->a.dims.size + 1, nb = m->b.dims.size + 1;
  Match match = {&m->a, &m->b, sn_alloc(na * sizeof(intptr_t)), sn_alloc(nb * sizeof(intptr_t)),
                 sn_alloc(na * sizeof(MlirAffineExpr))};
  memset(match.to_b, -1, na * sizeof(intptr_t));
  memset(match.to_a, -1, nb * sizeof(intptr_t));
  m->keep = sn_alloc(m->a.outputs.size + 1);
  for (size_t k = 0; k < m->a.outputs.size && !duplicate; ++k) {
    MlirOpOperand use = mlirValueGetFirstUse(sn_result(a, (intptr_t)k));
    for (; !mlirOpOperandIsNull(use) && !m->keep[k]; use = mlirOpOperandGetNextUse(use))
      m->keep[k] = !mlirOperationEqual(mlirOpOperandGetOwner(use), b);
  }
  bool ok = decide(m, &match) && sn_fits(m);
  free(match.to_b);
  free(match.to_a);
  free(match.through);
  return ok;
}

void sn_merge_free(SnMerge *m) {
  sn_form_free(&m->a);
  sn_form_free(&m->b);
  sn_form_free(&m->merged);
  free(m->a_dims);
  free(m->b_dims);
  free(m->keep);
  free(m->zeros);
}

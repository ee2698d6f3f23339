// chain_match.c: can a product go on from the rows of another form?
//
//   a: (i) by (j) ... -> h[i, j]     b: (p) by (e) product (k) (h[p, k], w[e, k])
//   p = i, k = j: the whole row of h is there once a has run for row i
//     ->  (i) by (j) by (e) ... matrix (j) to (e) (w[e, j])    row_product %h, %w
//
// A row of b is a row of a, and what its product sums over are all columns of a in that row. Whatever else b reads of a
// is of the same row. Then a block of rows goes through both, and h is stored only if others read it. A side with a
// program is a program on that row.
//
// runs in: fuse, explain    test: test/passes/fuse/chains.mlir

#include "dialect/row_groups.h"
#include "dialect/row_ops.h"
#include "passes/merge/merge.h"

static bool makes(const SnChain *c, size_t input) {
  MlirOperation op = sn_definer(c->b.inputs.data[input].value);
  return !sn_null(op) && mlirOperationEqual(op, c->a.op);
}
static size_t result_of(const SnChain *c, size_t input) {
  return (size_t)mlirOpResultGetResultNumber(c->b.inputs.data[input].value);
}

// Whether a makes one of the side's accesses.
static bool makes_side(const SnChain *c, size_t number) {
  SnSide side = sn_side(&c->b, number);
  for (size_t k = side.first; k < side.first + side.count; ++k)
    if (makes(c, k))
      return true;
  return false;
}

bool sn_is_multiplied(MlirOperation a, MlirOperation b) {
  SnForm f = sn_form_read(b);
  bool found = false;
  for (size_t s = 0; s < 2 * f.products.size && !found; ++s) {
    SnSide side = sn_side(&f, s);
    for (size_t k = side.first; k < side.first + side.count; ++k)
      found |= mlirOperationEqual(sn_definer(f.inputs.data[k].value), a);
  }
  sn_form_free(&f);
  return found;
}

// ---- matching dimensions ----------------------------------------------------------

// Which dimension of a each one of b is; -1: none.
typedef struct {
  SnChain *c;
  intptr_t *to_a;
} Match;

static bool is_one(const SnForm *f, intptr_t d) { return f->dims.data[d].size == 1; }

// b reads a's result by input k: each subscript says which dimension is which.
static bool match_read(Match *m, size_t k, SnWhy why) {
  const SnChain *c = m->c;
  const SnAccess *read = &c->b.inputs.data[k];
  if (sn_is_reduced(&c->a, result_of(c, k)))
    return sn_refuse(c->b.op, SN_WHY_GRID);
  if (read->through.ptr || sn_is_table(read))
    return sn_refuse(c->b.op, SN_WHY_THROUGH);
  if (read->fill.ptr)
    return sn_refuse(c->b.op, SN_WHY_BOUNDS);
  MlirAffineMap written = c->a.outputs.data[result_of(c, k)].map;
  if (k >= sn_first_input(&c->b) && sn_group_of_map(&c->a, written) >= 0 && sn_group_of_map(&c->b, read->map) < 0)
    return sn_refuse(c->b.op, SN_WHY_CHAIN_COLUMNS); // a number of b's rows, and a row of one element of a's
  for (intptr_t p = 0; p < mlirAffineMapGetNumResults(written); ++p) {
    intptr_t a = sn_map_dim(written, p), b = sn_map_dim(read->map, p);
    if (a < 0 || (b < 0 && is_one(&c->a, a)))
      continue; // one element
    if (b < 0 || c->a.dims.data[a].size != c->b.dims.data[b].size)
      return sn_refuse(c->b.op, why);
    if (m->to_a[b] >= 0 && m->to_a[b] != a)
      return sn_refuse(c->b.op, why == SN_WHY_CHAIN_COLUMNS ? SN_WHY_CHAIN_LOOP : why);
    m->to_a[b] = a;
  }
  return true;
}

// Rows of b are rows of a, each once, but for those of size 1.
static bool rows_fit(const Match *m) {
  const SnForm *a = &m->c->a, *b = &m->c->b;
  bool hit[SN_MAX_DIMS] = {false};
  for (intptr_t d = 0; d < b->num_rows; ++d) {
    intptr_t to = m->to_a[d];
    if (to < 0 ? !is_one(b, d) : !sn_is_row_dim(a, to) || hit[to])
      return sn_refuse(b->op, SN_WHY_ROWS);
    if (to >= 0)
      hit[to] = true;
  }
  for (intptr_t d = 0; d < a->num_rows; ++d)
    if (!hit[d] && !is_one(a, d))
      return sn_refuse(b->op, SN_WHY_ROWS);
  return true;
}

// What the product sums over are the columns of one group of a, each once; sets which group. A side's program sees
// them in their order.
static bool sums_fit(const Match *m, size_t product, intptr_t *group) {
  const SnForm *a = &m->c->a, *b = &m->c->b;
  int64_t first = sn_first_own(b, product), n = b->products.data[product].num_dims, last = -1;
  bool hit[SN_MAX_DIMS] = {false}, ordered = true;
  *group = -1;
  for (int64_t d = first; d < first + n; ++d) {
    intptr_t to = m->to_a[d];
    if (to < 0 && is_one(b, d))
      continue;
    if (to < 0 || hit[to])
      return sn_refuse(b->op, SN_WHY_CHAIN_PART);
    if (sn_is_row_dim(a, to))
      return sn_refuse(b->op, SN_WHY_CHAIN_OTHERS);
    if (*group >= 0 && sn_group_of_dim(a, to) != *group)
      return sn_refuse(b->op, SN_WHY_CHAIN_PART);
    *group = (intptr_t)sn_group_of_dim(a, to);
    hit[to] = true;
    ordered &= to > last;
    last = to;
  }
  if (*group < 0)
    return sn_refuse(b->op, SN_WHY_CHAIN_PART);
  SnGroup g = sn_group(a, (size_t)*group);
  for (int64_t d = g.first; d < g.first + g.num_dims; ++d)
    if (!hit[d] && !is_one(a, d))
      return sn_refuse(b->op, SN_WHY_CHAIN_PART);
  if (!ordered && sn_side(b, 2 * product + (size_t)m->c->side[product]).program.ptr)
    return sn_refuse(b->op, SN_WHY_CHAIN_PART);
  return true;
}

// The side is a row for each row: none of its accesses uses b's columns, and one is a whole row of a.
static bool side_fits(const Match *m, size_t product, intptr_t group) {
  const SnChain *c = m->c;
  SnSide side = sn_side(&c->b, 2 * product + (size_t)c->side[product]);
  bool whole = false;
  for (size_t k = side.first; k < side.first + side.count; ++k) {
    if (sn_group_of_access(&c->b, &c->b.inputs.data[k]) != SN_NO_GROUP)
      return sn_refuse(c->b.op, SN_WHY_CHAIN_OTHERS);
    whole |= makes(c, k) && sn_group_of_map(&c->a, c->a.outputs.data[result_of(c, k)].map) == group;
  }
  return whole || sn_refuse(c->b.op, SN_WHY_CHAIN_PART);
}

// ---- groups of columns ------------------------------------------------------------------

// Which group of a each group of b is; -1: a new one. A row of a that b reads beside its products has b's columns, all
// of them in their order.
static bool groups_fit(const Match *m, intptr_t *to_group) {
  const SnForm *a = &m->c->a, *b = &m->c->b;
  bool taken[SN_MAX_DIMS] = {false};
  for (size_t h = 0; h < sn_num_groups(b); ++h) {
    SnGroup from = sn_group(b, h);
    to_group[h] = -1;
    int64_t known = 0;
    for (int64_t d = from.first; d < from.first + from.num_dims; ++d)
      known += m->to_a[d] >= 0;
    if (!known)
      continue;
    intptr_t g = m->to_a[from.first] < 0 ? -1 : (intptr_t)sn_group_of_dim(a, m->to_a[from.first]);
    SnGroup to = g < 0 ? (SnGroup){0} : sn_group(a, (size_t)g);
    if (g < 0 || taken[g] || to.num_dims != from.num_dims)
      return sn_refuse(b->op, SN_WHY_CHAIN_COLUMNS);
    for (int64_t d = 0; d < to.num_dims; ++d)
      if (m->to_a[from.first + d] != to.first + d)
        return sn_refuse(b->op, SN_WHY_CHAIN_COLUMNS);
    to_group[h] = g;
    taken[g] = true;
  }
  return true;
}

// Both read one value at one place if b's group h is a's group g.
static bool reads_alike(const Match *m, const SnAccess *x, const SnAccess *y, SnGroup g, SnGroup h) {
  const SnForm *a = &m->c->a, *b = &m->c->b;
  if (!sn_same(x->value, y->value) || x->through.ptr || y->through.ptr || sn_is_table(x) || sn_is_table(y) ||
      !mlirAttributeEqual(x->fill, y->fill) || sn_group_of_map(b, y->map) < 0)
    return false;
  for (intptr_t p = 0; p < mlirAffineMapGetNumResults(x->map); ++p) {
    intptr_t d = sn_map_dim(x->map, p), e = sn_map_dim(y->map, p);
    bool column = d >= g.first && d < g.first + g.num_dims;
    if (d < 0 || e < 0 || (column ? e - h.first != d - g.first : sn_is_col_dim(a, d) || m->to_a[e] != d))
      return false;
  }
  return true;
}

// A chain of many products has hundreds of inputs: each one is looked for once.
static bool share_input(const SnForm *a, const SnForm *b) {
  SnTable read = {0};
  bool shared = false;
  for (size_t i = sn_first_input(a); i < a->inputs.size; ++i)
    sn_table_put(&read, a->inputs.data[i].value.ptr, 1);
  for (size_t k = sn_first_input(b); k < b->inputs.size && !shared; ++k)
    shared = sn_table_has(&read, b->inputs.data[k].value.ptr);
  sn_table_free(&read);
  return shared;
}

// A group of a that a new one of b may be: as long, nothing goes from it to b's, and both read something at one place
// (the input that a norm begins with is added at the end).
static void share_group(Match *m, size_t h, intptr_t *to_group, const intptr_t *from_group) {
  const SnForm *a = &m->c->a, *b = &m->c->b;
  SnGroup to = sn_group(b, h);
  if (!share_input(a, b))
    return;
  for (size_t g = 0; g < sn_num_groups(a); ++g) {
    SnGroup from = sn_group(a, g);
    bool fits = from.num_dims == to.num_dims, alike = false;
    for (int64_t d = 0; d < to.num_dims && fits; ++d)
      fits = sn_same_size(a, from.first + d, b, to.first + d);
    for (size_t other = 0; other < sn_num_groups(b); ++other)
      fits &= to_group[other] != (intptr_t)g;
    for (size_t p = 0; p < b->products.size; ++p)
      fits &= from_group[p] != (intptr_t)g || sn_group_of_product(b, p) != (int64_t)h;
    for (size_t i = sn_first_input(a); i < a->inputs.size && fits && !alike; ++i)
      for (size_t k = sn_first_input(b); k < b->inputs.size && !alike; ++k)
        alike = reads_alike(m, &a->inputs.data[i], &b->inputs.data[k], from, to);
    if (!fits || !alike)
      continue;
    to_group[h] = (intptr_t)g;
    for (int64_t d = 0; d < to.num_dims; ++d)
      m->to_a[to.first + d] = from.first + d;
    return;
  }
}

// ---- the merged form -----------------------------------------------------------------------

static void push_dim(SnChain *c, const SnForm *f, int64_t d, MlirStringRef name, MlirAffineExpr *dims) {
  SnDim dim = f->dims.data[d];
  dim.name = name;
  dims[d] = mlirAffineDimExprGet(mlirOperationGetContext(f->op), (intptr_t)c->merged.dims.size);
  sn_push(&c->merged.dims, dim);
}

static void set_dims(const Match *m, const intptr_t *to_group) {
  SnChain *c = m->c;
  const SnForm *a = &c->a, *b = &c->b;
  SnForm *f = &c->merged, names = {0}; // a's names, then b's that a does not have
  MlirContext ctx = mlirOperationGetContext(a->op);
  bool matched[SN_MAX_DIMS] = {false};
  for (size_t d = 0; d < a->dims.size; ++d) {
    sn_push(&names.dims, a->dims.data[d]);
    c->a_dims[d] = mlirAffineConstantExprGet(ctx, 0);
  }
  for (size_t d = 0; d < b->dims.size; ++d) {
    c->b_dims[d] = mlirAffineConstantExprGet(ctx, 0);
    if (m->to_a[d] >= 0)
      matched[m->to_a[d]] = true;
  }
  for (int64_t d = 0; d < a->num_rows; ++d)
    if (matched[d])
      push_dim(c, a, d, a->dims.data[d].name, c->a_dims);
  f->num_rows = (int64_t)f->dims.size;
  for (size_t g = 0; g < sn_num_groups(a); ++g) {
    SnGroup from = sn_group(a, g), to = {(int64_t)f->dims.size, from.num_dims};
    for (int64_t d = from.first; d < from.first + from.num_dims; ++d)
      push_dim(c, a, d, a->dims.data[d].name, c->a_dims);
    sn_push(&f->groups, to);
  }
  for (size_t d = 0; d < b->dims.size; ++d)
    if (m->to_a[d] >= 0)
      c->b_dims[d] = c->a_dims[m->to_a[d]];
  for (size_t g = 0; g < sn_num_groups(b); ++g) {
    SnGroup from = sn_group(b, g), to = {(int64_t)f->dims.size, from.num_dims};
    for (int64_t d = from.first; d < from.first + from.num_dims && to_group[g] < 0; ++d) {
      SnDim dim = b->dims.data[d];
      dim.name = sn_fresh_name(ctx, &names, dim.name.data);
      sn_push(&names.dims, dim);
      push_dim(c, b, d, dim.name, c->b_dims);
    }
    if (to_group[g] < 0)
      sn_push(&f->groups, to);
  }
  f->num_cols = (int64_t)f->dims.size - f->num_rows;
  for (int64_t d = a->num_rows + a->num_cols; d < (int64_t)a->dims.size; ++d)
    push_dim(c, a, d, a->dims.data[d].name, c->a_dims);
  for (size_t p = 0; p < b->products.size; ++p) {
    int64_t first = sn_first_own(b, p);
    for (int64_t d = first; d < first + b->products.data[p].num_dims && c->side[p] < 0; ++d) {
      SnDim dim = b->dims.data[d];
      dim.name = sn_fresh_name(ctx, &names, dim.name.data);
      sn_push(&names.dims, dim);
      push_dim(c, b, d, dim.name, c->b_dims);
    }
  }
  sn_form_free(&names);
}

static SnAccess moved(const SnChain *c, const SnForm *f, SnAccess access) {
  const MlirAffineExpr *dims = f == &c->a ? c->a_dims : c->b_dims;
  size_t base = f == &c->a ? 0 : c->a.indices.size;
  access.map = sn_map_replace(access.map, (intptr_t)c->merged.dims.size, dims);
  if (access.through.ptr && base) {
    int64_t through[SN_MAX_DIMS];
    intptr_t n = mlirDenseArrayGetNumElements(access.through);
    for (intptr_t s = 0; s < n; ++s)
      through[s] = mlirDenseI64ArrayGetElement(access.through, s) + (int64_t)base;
    access.through = mlirDenseI64ArrayGet(mlirAttributeGetContext(access.through), n, through);
  }
  return access;
}

static void push_input(SnChain *c, const SnForm *f, size_t k) {
  (f == &c->a ? c->a_place : c->b_place)[k] = (intptr_t)c->merged.inputs.size;
  sn_push(&c->merged.inputs, moved(c, f, f->inputs.data[k]));
}

static void push_side(SnChain *c, const SnForm *f, size_t number) {
  SnSide side = sn_side(f, number);
  sn_push(&c->merged.sides, ((SnSide){c->merged.inputs.size, side.count, side.program}));
  for (size_t k = side.first; k < side.first + side.count; ++k)
    push_input(c, f, k);
}

// Which group of the merged form each group of b is.
static void place_groups(const SnChain *c, const intptr_t *to_group, int64_t *place) {
  int64_t next = (int64_t)sn_num_groups(&c->a);
  for (size_t h = 0; h < sn_num_groups(&c->b); ++h)
    place[h] = to_group[h] >= 0 ? to_group[h] : next++;
}

// The sides of products, those of matrices, and what else the two read.
static void set_inputs(SnChain *c, const int64_t *place, const intptr_t *from_group) {
  const SnForm *a = &c->a, *b = &c->b;
  SnForm *f = &c->merged;
  for (size_t k = 0; k < b->inputs.size; ++k)
    c->b_place[k] = -1;
  for (size_t p = 0; p < a->products.size; ++p)
    sn_push(&f->products, a->products.data[p]);
  for (size_t p = 0; p < b->products.size; ++p)
    if (c->side[p] < 0)
      sn_push(&f->products, b->products.data[p]);
  f->contract = f->products.size > 0;
  for (size_t m = 0; m < a->matrices.size; ++m)
    sn_push(&f->matrices, a->matrices.data[m]);
  for (size_t p = 0; p < b->products.size; ++p)
    if (c->side[p] >= 0)
      sn_push(&f->matrices, ((SnMatrix){from_group[p], place[sn_group_of_product(b, p)]}));
  for (size_t m = 0; m < b->matrices.size; ++m)
    sn_push(&f->matrices, ((SnMatrix){place[b->matrices.data[m].from], place[b->matrices.data[m].to]}));

  for (size_t s = 0; s < 2 * a->products.size; ++s)
    push_side(c, a, s);
  for (size_t s = 0; s < 2 * b->products.size; ++s)
    if (c->side[s / 2] < 0)
      push_side(c, b, s);
  for (size_t m = 0; m < a->matrices.size; ++m)
    push_side(c, a, 2 * a->products.size + m);
  for (size_t p = 0; p < b->products.size; ++p)
    if (c->side[p] >= 0)
      push_side(c, b, 2 * p + !c->side[p]);
  for (size_t m = 0; m < b->matrices.size; ++m)
    push_side(c, b, 2 * b->products.size + m);
  bool programs = false;
  for (size_t s = 0; s < f->sides.size; ++s)
    programs |= f->sides.data[s].program.ptr != NULL;
  if (!programs)
    sn_vec_free(&f->sides);
  for (size_t k = sn_first_input(a); k < a->inputs.size; ++k)
    push_input(c, a, k);
  for (size_t k = 0; k < b->inputs.size; ++k)
    if (c->b_place[k] < 0 && !makes(c, k))
      push_input(c, b, k);
  for (size_t k = 0; k < a->indices.size; ++k)
    sn_push(&f->indices, moved(c, a, a->indices.data[k]));
  for (size_t k = 0; k < b->indices.size; ++k)
    sn_push(&f->indices, moved(c, b, b->indices.data[k]));
}

// Accumulators that are destinations themselves stay together, and a finish that asserts runs.
static void keep_reduced(SnChain *c) {
  bool any = false;
  for (MlirOperation op = c->a.finish.ptr ? mlirBlockGetFirstOperation(c->a.finish) : (MlirOperation){0};
       !sn_null(op) && !any; op = mlirOperationGetNextInBlock(op))
    any = sn_is(op, "cf.assert");
  for (size_t k = 0; k < c->a.outputs.size && !c->a.finish.ptr; ++k)
    any |= c->keep[k] && sn_is_reduced(&c->a, k);
  for (size_t k = 0; k < c->a.outputs.size; ++k)
    c->keep[k] |= any && sn_is_reduced(&c->a, k);
}

static void set_outputs(SnChain *c) {
  const SnForm *a = &c->a, *b = &c->b;
  SnForm *f = &c->merged;
  bool reduces = false; // a, something that is read
  for (size_t k = 0; k < a->outputs.size; ++k) {
    if (c->keep[k])
      sn_push(&f->outputs, moved(c, a, a->outputs.data[k]));
    reduces |= c->keep[k] && sn_is_reduced(a, k);
  }
  for (size_t k = 0; k < b->outputs.size; ++k)
    sn_push(&f->outputs, moved(c, b, b->outputs.data[k]));
  for (size_t k = 0; k < a->accumulators.size && reduces; ++k) {
    SnAccumulator acc = a->accumulators.data[k];
    acc.map = sn_map_replace(acc.map, (intptr_t)f->dims.size, c->a_dims);
    sn_push(&f->accumulators, acc);
  }
  for (size_t k = 0; k < b->accumulators.size; ++k) {
    SnAccumulator acc = b->accumulators.data[k];
    acc.map = sn_map_replace(acc.map, (intptr_t)f->dims.size, c->b_dims);
    sn_push(&f->accumulators, acc);
  }
}

// ---- what the merged form has to keep ---------------------------------------------------------

// The map with what is one element as subscript 0.
static MlirAffineMap without_ones(const SnForm *f, MlirAffineMap map) {
  MlirAffineExpr dims[SN_MAX_DIMS];
  MlirContext ctx = mlirAffineMapGetContext(map);
  for (size_t d = 0; d < f->dims.size; ++d)
    dims[d] = is_one(f, (intptr_t)d) ? mlirAffineConstantExprGet(ctx, 0) : mlirAffineDimExprGet(ctx, (intptr_t)d);
  return sn_map_replace(map, (intptr_t)f->dims.size, dims);
}

// What a makes is read in the row, and at the column, where it is made.
static bool reads_fit(const SnChain *c) {
  intptr_t n = (intptr_t)c->merged.dims.size;
  for (size_t k = 0; k < c->b.inputs.size; ++k) {
    if (!makes(c, k))
      continue;
    MlirAffineMap written = sn_map_replace(c->a.outputs.data[result_of(c, k)].map, n, c->a_dims),
                  read = sn_map_replace(c->b.inputs.data[k].map, n, c->b_dims);
    if (!mlirAffineMapEqual(without_ones(&c->merged, written), without_ones(&c->merged, read)))
      return sn_refuse(c->b.op, SN_WHY_OTHER_PLACE);
  }
  return true;
}

// A product of b that stays one is of b's group: without columns in its sides it would be of a's first one.
static bool products_fit(const SnChain *c, const int64_t *place) {
  size_t next = c->a.products.size;
  for (size_t p = 0; p < c->b.products.size; ++p)
    if (c->side[p] < 0 && sn_group_of_product(&c->merged, next++) != place[sn_group_of_product(&c->b, p)])
      return sn_refuse(c->b.op, SN_WHY_CHAIN_GROUP);
  return true;
}

// Nothing of the block names a dimension that is gone.
static bool names_fit(const SnForm *f, const MlirAffineExpr *dims, MlirBlock block) {
  for (MlirOperation op = block.ptr ? mlirBlockGetFirstOperation(block) : (MlirOperation){0}; !sn_null(op);
       op = mlirOperationGetNextInBlock(op))
    for (size_t d = 0; d < f->dims.size; ++d)
      if (!mlirAffineExprIsADim(dims[d]) && sn_row_op_names(op, f->dims.data[d].name))
        return sn_refuse(f->op, SN_WHY_CHAIN_UNIT);
  return true;
}
static bool all_names_fit(const SnForm *f, const MlirAffineExpr *dims) {
  bool fit = names_fit(f, dims, f->body);
  for (size_t s = 0; s < f->sides.size && fit; ++s)
    fit = names_fit(f, dims, f->sides.data[s].program);
  return fit;
}

// F22: nothing counts the elements of a row that may be of either group.
static bool counts_loose_row(const SnForm *f, bool finish) {
  SnRowGroups groups;
  int64_t one, other;
  sn_row_groups(f, finish, &groups, &one, &other);
  bool found = !sn_null(sn_loose_and_counted(f, finish, &groups));
  sn_row_groups_free(&groups);
  return found;
}

static bool rows_are_tied(const SnChain *c) {
  size_t unknown = 0;
  for (size_t g = 0; g < sn_num_groups(&c->merged); ++g)
    unknown += sn_group_length(&c->merged, g) == SN_DYNAMIC;
  const SnForm *forms[] = {&c->a, &c->b};
  for (int k = 0; k < 4 && unknown > 1; ++k) {
    const SnForm *f = forms[k / 2];
    if ((k % 2 == 0 || f->finish.ptr) && counts_loose_row(f, k % 2))
      return sn_refuse(f->op, SN_WHY_CHAIN_LOOSE, (long)unknown);
  }
  return true;
}

// ---- the question ------------------------------------------------------------------------------------

// Which side of each product a makes. Matrices and index tensors of b have to be there before.
static bool find_sides(SnChain *c) {
  const SnForm *b = &c->b;
  bool any = false;
  for (size_t p = 0; p < b->products.size; ++p) {
    bool one = makes_side(c, 2 * p), other = makes_side(c, 2 * p + 1);
    if (one && other)
      return sn_refuse(b->op, SN_WHY_CHAIN_BOTH);
    c->side[p] = one ? 0 : other ? 1 : -1;
    any |= one || other;
  }
  for (size_t m = 0; m < b->matrices.size; ++m)
    if (makes_side(c, 2 * b->products.size + m))
      return sn_refuse(b->op, SN_WHY_CHAIN_OTHERS);
  for (size_t k = 0; k < b->indices.size; ++k)
    if (mlirOperationEqual(sn_definer(b->indices.data[k].value), c->a.op))
      return sn_refuse(b->op, SN_WHY_INDEX);
  return any || sn_refuse(b->op, SN_WHY_CHAIN_PART);
}

static bool decide(SnChain *c, Match *m, intptr_t *to_group, intptr_t *from_group) {
  const SnForm *a = &c->a, *b = &c->b;
  if (!find_sides(c))
    return false;
  for (size_t g = 0; g < sn_num_groups(b); ++g)
    if (!sn_group(b, g).num_dims)
      return sn_refuse(b->op, SN_WHY_COLUMNS);
  for (int products = 1; products >= 0; --products) // they say what is which
    for (size_t k = 0; k < b->inputs.size; ++k)
      if (makes(c, k) && (k < sn_first_input(b)) == products &&
          !match_read(m, k, products ? SN_WHY_CHAIN_PART : SN_WHY_CHAIN_COLUMNS))
        return false;
  for (size_t p = 0; p < b->products.size; ++p) {
    from_group[p] = -1;
    if (c->side[p] >= 0 && (!sums_fit(m, p, &from_group[p]) || !side_fits(m, p, from_group[p])))
      return false;
  }
  if (!rows_fit(m) || !groups_fit(m, to_group))
    return false;
  for (size_t p = 0; p < b->products.size; ++p)
    if (c->side[p] >= 0 && to_group[sn_group_of_product(b, p)] == from_group[p])
      return sn_refuse(b->op, SN_WHY_CHAIN_LOOP);
  for (size_t h = 0; h < sn_num_groups(b); ++h)
    if (to_group[h] < 0)
      share_group(m, h, to_group, from_group);
  int64_t place[SN_MAX_DIMS];
  place_groups(c, to_group, place);
  set_dims(m, to_group);
  set_inputs(c, place, from_group);
  set_outputs(c);
  if (!c->merged.num_rows && (a->accumulators.size || b->accumulators.size || sn_num_reduced(a) || sn_num_reduced(b)))
    return sn_refuse(b->op, SN_WHY_NO_ROWS);
  return products_fit(c, place) && reads_fit(c) && all_names_fit(a, c->a_dims) && all_names_fit(b, c->b_dims) &&
         (sn_sizes_known(&c->merged) || sn_refuse(b->op, SN_WHY_UNKNOWN_SIZE)) && rows_are_tied(c) && sn_chain_fits(c);
}

bool sn_can_chain(MlirOperation a, MlirOperation b, SnChain *c) {
  *c = (SnChain){.a = sn_form_read(a), .b = sn_form_read(b)};
  size_t na = c->a.dims.size + 1, nb = c->b.dims.size + 1, products = c->b.products.size + 1;
  c->a_dims = sn_alloc(na * sizeof *c->a_dims);
  c->b_dims = sn_alloc(nb * sizeof *c->b_dims);
  c->a_place = sn_alloc((c->a.inputs.size + 1) * sizeof *c->a_place);
  c->b_place = sn_alloc((c->b.inputs.size + 1) * sizeof *c->b_place);
  c->side = sn_alloc(products * sizeof *c->side);
  c->keep = sn_alloc(c->a.outputs.size + 1);
  if (c->a.schedule.ptr || c->b.schedule.ptr)
    return sn_refuse(c->a.schedule.ptr ? a : b, SN_WHY_SCHEDULED);
  for (size_t k = 0; k < c->a.outputs.size; ++k)
    for (MlirOpOperand use = mlirValueGetFirstUse(sn_result(a, (intptr_t)k)); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use))
      c->keep[k] |= !mlirOperationEqual(mlirOpOperandGetOwner(use), b);
  keep_reduced(c);
  Match m = {c, sn_alloc(nb * sizeof *m.to_a)};
  memset(m.to_a, -1, nb * sizeof *m.to_a);
  intptr_t *to_group = sn_alloc((sn_num_groups(&c->b) + 1) * sizeof *to_group),
           *from_group = sn_alloc(products * sizeof *from_group);
  bool ok = decide(c, &m, to_group, from_group);
  free(m.to_a);
  free(to_group);
  free(from_group);
  return ok;
}

void sn_chain_free(SnChain *c) {
  sn_form_free(&c->a);
  sn_form_free(&c->b);
  sn_form_free(&c->merged);
  free(c->a_dims);
  free(c->b_dims);
  free(c->a_place);
  free(c->b_place);
  free(c->side);
  free(c->keep);
}

// side_gradients.c: the gradient of one side of a product is a product itself.
//
//   %c[i, j] = sum over k of %a[i, k] * %w[j, k]
//     %da[i, k] = sum over j of %dc[i, j] * %w[j, k]
//
// The dimensions of the side are those of the result; what else the contract runs over is summed. A side that is
// read by windows is solved for the place of the window:
//
//   %c[n, o, y] = sum over c, k of %w[o, c, k] * %x[n, c, y * 2 + k - 1] else 0
//     %e[n, o, p] = %dc[n, o, p / 2] where 2 divides p, else 0                    only for a step other than 1
//     %dx[n, c, q] = sum over o, k of %w[o, c, k] * %e[n, o, q + 1 - k] else 0
//
//   %c[h, i, j] = sum over d of %q[h, i, d] * %k[h floordiv 4, j, d]        h is counted as g * 4 + h1 there
//     %dk[g, j, d] = sum over h1, i of %dc[g * 4 + h1, i, j] * %q[g * 4 + h1, i, d]
//
// Where the other side is read by groups, too, it does not know h1: %dc is summed over that first.
//
// What counts two dimensions (groups of channels) stays two, and is collapsed in the end. Columns are what one factor
// alone has, the last row dimension what the other one has: so products are lowered. Where one has nothing alone (a
// single channel, or one for each group) the sum is a row program. A side that is read in another way has a tensor made
// of it first (side_views.c).
//
// runs in: differentiate    test: test/passes/differentiate/adjoint_products.mlir, differentiate/window.mlir

#include "passes/differentiate/differentiate.h"

#define MANY SN_SIDE_DIMS

typedef struct {
  SnBuilder *b;
  const SnForm *f;
  size_t side;
  MlirType type;              // of the side's tensor
  MlirValue factors[2];       // the gradient with respect to the product, the other side
  MlirAffineMap maps[2];      // how the contract reads them
  MlirAttribute fills[2];
  intptr_t points;            // rows and columns of the contract
  intptr_t n;                 // dimensions of the result
  intptr_t of[MANY];          // the contract's dimension that each is, -1 a place in the side
  int64_t sizes[MANY];
  intptr_t subscript[MANY];   // of the side, that each came from
  MlirAffineExpr
      exprs[MANY]; // the contract's dimension over those of the result, then those that are summed; null if not solved
  intptr_t summed[MANY], sums;
  // Each dimension of the contract is in one subscript of the side at most: which (-1: none), and its factor there.
  intptr_t in[MANY];
  int64_t factor[MANY];
  // A dimension that a window is solved for: the place in the result, what is added in the subscript.
  bool solved[MANY];
  intptr_t place[MANY];
  int64_t offset[MANY];
} Side;

static void keep(Side *s, intptr_t p, intptr_t of, int64_t size) {
  s->of[s->n] = of;
  s->sizes[s->n] = size;
  s->subscript[s->n] = p;
  if (of >= 0)
    s->exprs[of] = mlirAffineDimExprGet(s->b->ctx, s->n);
  ++s->n;
}

// The dimensions of a subscript that counts them all, the slowest first: factors 12, 4, 1 of sizes ?, 3, 4. Those of
// size 1 come anywhere.
static bool digits(const Side *s, intptr_t p, int64_t offset, intptr_t *order, intptr_t *n) {
  int64_t below = 1, size = sn_dim(s->type, p);
  intptr_t all = 0;
  *n = 0;
  for (intptr_t d = 0; d < (intptr_t)s->f->dims.size; ++d) {
    all += s->in[d] == p;
    if (s->in[d] == p && s->f->dims.data[d].size == 1 && size != 1)
      order[(*n)++] = d;
  }
  for (bool more = true; more && *n < MANY;) {
    more = false;
    for (intptr_t d = 0; d < (intptr_t)s->f->dims.size && !more; ++d) {
      bool used = false;
      for (intptr_t i = 0; i < *n; ++i)
        used |= order[i] == d;
      if (used || s->in[d] != p || s->factor[d] != below)
        continue;
      order[(*n)++] = d;
      more = true;
      below = s->f->dims.data[d].size == SN_DYNAMIC ? 0 : below * s->f->dims.data[d].size;
    }
  }
  for (intptr_t i = 0; i < *n / 2; ++i) {
    intptr_t swap = order[i];
    order[i] = order[*n - 1 - i];
    order[*n - 1 - i] = swap;
  }
  bool one = *n == 1 && (size == SN_DYNAMIC || s->f->dims.data[order[0]].size == SN_DYNAMIC);
  return *n && all == *n && !offset && (one || below == size);
}

// A window: one dimension follows from the place and the others. The largest of rows and columns, which the gradient
// has; where that is of size 1, or there is none, one that the other side is read by.
static bool solve(Side *s, intptr_t p, int64_t offset) {
  intptr_t found = -1;
  for (intptr_t d = 0; d < (intptr_t)s->f->dims.size; ++d) {
    if (s->in[d] != p)
      continue;
    int64_t size = s->f->dims.data[d].size, most = found < 0 ? -1 : s->f->dims.data[found].size;
    bool fits = d < s->points || s->factor[d] == 1 || s->factor[d] == -1;
    bool point = d < s->points && size != 1, was = found >= 0 && found < s->points && most != 1;
    if (fits &&
        (found < 0 || (point && !was) || (point == was && (size == SN_DYNAMIC || (most != SN_DYNAMIC && size > most)))))
      found = d;
  }
  if (found < 0 || s->factor[found] < -1)
    return false;
  s->solved[found] = true;
  s->place[found] = s->n;
  s->offset[found] = offset;
  keep(s, p, -1, sn_dim(s->type, p));
  return true;
}

// Whether places that differ in the dimensions of subscript p differ in it, and there are two or more: as in h * 4 + k
// + 8, where k is less than 4. A window would sum over all h where one is met.
static bool one_to_one(const Side *s, intptr_t p) {
  int64_t next = 1, n = 0;
  bool taken[MANY] = {false};
  for (bool more = true; more;) {
    intptr_t least = -1;
    for (intptr_t d = 0; d < (intptr_t)s->f->dims.size; ++d)
      if (s->in[d] == p && !taken[d] && s->f->dims.data[d].size != 1 && (least < 0 || s->factor[d] < s->factor[least]))
        least = d;
    more = least >= 0;
    if (!more)
      break;
    if (s->factor[least] < next)
      return false;
    taken[least] = true;
    ++n;
    int64_t size = s->f->dims.data[least].size;
    next = size == SN_DYNAMIC ? INT64_MAX : sn_times(s->factor[least], size);
  }
  return n > 1;
}

static bool read_side(Side *s) {
  const SnAccess *a = &s->f->inputs.data[s->side];
  for (size_t d = 0; d < s->f->dims.size; ++d)
    s->in[d] = -1;
  for (intptr_t p = 0; p < sn_rank(s->type); ++p) {
    int64_t offset = 0, factors[MANY] = {0};
    intptr_t order[MANY], n = 0;
    if (!sn_read_linear(mlirAffineMapGetResult(a->map, p), 1, &offset, factors))
      return false;
    for (size_t d = 0; d < s->f->dims.size; ++d) {
      if (factors[d] && s->in[d] >= 0)
        return false;
      if (!factors[d])
        continue;
      s->in[d] = p;
      s->factor[d] = factors[d];
    }
    bool constant = true;
    for (size_t d = 0; d < s->f->dims.size; ++d)
      constant &= !factors[d];
    if (constant && !offset && sn_dim(s->type, p) == 1)
      keep(s, p, -1, 1);
    else if (digits(s, p, offset, order, &n))
      for (intptr_t i = 0; i < n; ++i)
        keep(s, p, order[i], s->f->dims.data[order[i]].size);
    else if (one_to_one(s, p) || !solve(s, p, offset))
      return false;
  }
  return true;
}

// The gradient with zeros between its elements, as far apart as they were read.
static bool spread(Side *s) {
  SnBuilder *b = s->b;
  MlirType is = sn_type_of(s->factors[0]);
  intptr_t rank = sn_rank(is);
  SnForm g = {.num_rows = rank - 1, .num_cols = 1};
  MlirAffineExpr from[MANY], all[MANY];
  int64_t shape[MANY], steps[MANY];
  bool far = false;
  for (intptr_t d = 0; d < rank; ++d) {
    steps[d] = s->solved[d] && s->factor[d] > 1 && sn_dim(is, d) != 1 ? s->factor[d] : 1; // one element has no next
    far |= steps[d] > 1;
  }
  if (!far)
    return true;
  for (intptr_t d = 0; d < rank; ++d) {
    if (steps[d] > 1 && sn_dim(is, d) == SN_DYNAMIC)
      return false;
    shape[d] = steps[d] > 1 ? (sn_dim(is, d) - 1) * steps[d] + 1 : sn_dim(is, d);
    SnDim dim = {s->f->dims.data[d].name, shape[d] < 0 && steps[d] > 1 ? 0 : shape[d]};
    shape[d] = dim.size;
    sn_push(&g.dims, dim);
    all[d] = from[d] = mlirAffineDimExprGet(b->ctx, d);
    if (steps[d] > 1)
      from[d] = mlirAffineFloorDivExprGet(from[d], mlirAffineConstantExprGet(b->ctx, steps[d]));
  }
  SnValueVec sizes = {0};
  for (intptr_t d = 0; d < rank; ++d)
    if (shape[d] == SN_DYNAMIC)
      sn_push(&sizes, sn(b, "tensor.dim", s->factors[0], sn_index(b, d)));
  MlirType element = sn_element(is);
  SnAccess in = {.value = s->factors[0], .map = mlirAffineMapGet(b->ctx, rank, 0, rank, from)};
  SnAccess out = {
      .value = sn(b, "tensor.empty", sn_tensor(element, rank, shape), sn_values((intptr_t)sizes.size, sizes.data)),
      .map = mlirAffineMapGet(b->ctx, rank, 0, rank, all)};
  sn_push(&g.inputs, in);
  sn_push(&g.outputs, out);
  MlirOperation made = sn_form_create(b, &g, false);
  SnBuilder body = sn_at_end(g.body, b->loc);
  MlirValue v = sn_as_row(&body, sn_input_argument(&g, 0), sn_row_type(&g, element));
  for (intptr_t d = 0; d < rank; ++d) {
    if (steps[d] < 2)
      continue;
    MlirValue at[] = {sn_affine_value(&body, &g, all[d]), sn_index(&body, steps[d])}, zero = sn_index(&body, 0);
    MlirValue rest = sn_row_op(&body, "arith.remui", (MlirType){0}, 2, at);
    if (sn_is_row(rest))
      zero = sn_as_row(&body, zero, sn_type_of(rest));
    MlirValue divides = sn(&body, "arith.cmpi", rest, zero, sn_attr("predicate", sn_i64(b->ctx, 0 /* eq */)));
    MlirValue chosen[] = {divides, v, sn_float(&body, element, 0)};
    v = sn_row_op(&body, "arith.select", (MlirType){0}, 3, chosen);
  }
  sn_op(&body, "sinter.yield", sn_as_row(&body, v, sn_row_type(&g, element)), sn_types(0, NULL));
  s->factors[0] = sn_result(made, 0);
  sn_vec_free(&sizes);
  sn_form_free(&g);
  return true;
}

// A dimension of the product that a window is solved for goes past its ends. Where it does, the gradient, which lacks
// it, is no zero: the other side has to be, or the window takes all of the dimension.
static bool ends_seen(const Side *s, intptr_t d) {
  int64_t size = s->f->dims.data[d].size;
  if (d < s->points ||
      (s->factor[d] == -1 && size != SN_DYNAMIC && s->offset[d] == size - 1 && sn_dim(s->type, s->in[d]) == size))
    return true;
  for (intptr_t p = 0; p < mlirAffineMapGetNumResults(s->maps[1]); ++p) {
    bool uses = mlirAffineExprIsFunctionOfDim(mlirAffineMapGetResult(s->maps[1], p), d);
    if (uses && (sn_map_dim(s->maps[1], p) != d || size == SN_DYNAMIC || sn_dim(sn_type_of(s->factors[1]), p) != size ||
                 s->fills[1].ptr))
      return false;
  }
  return true;
}

// A dimension that a window steps by is the place divided by the step. The gradient is spread, with zeros where that
// divides nothing (spread, below); the other side is not, and may not be read by it.
static bool divides(const Side *s, intptr_t d) {
  return (s->factor[d] >= -1 && s->factor[d] <= 1) || !sn_map_uses(s->maps[1], d);
}

// What is neither of the result nor solved is summed.
static bool find_sums(Side *s) {
  MlirContext ctx = s->b->ctx;
  intptr_t dims = (intptr_t)s->f->dims.size;
  for (intptr_t d = 0; d < dims; ++d) {
    bool used = sn_map_uses(s->maps[0], d) || sn_map_uses(s->maps[1], d);
    if (s->exprs[d].ptr || s->solved[d] || !used || (d < s->points && s->f->dims.data[d].size == 1))
      continue; // the only element of a dimension is 0
    s->summed[s->sums] = d;
    s->exprs[d] = mlirAffineDimExprGet(ctx, s->n + s->sums++);
  }
  intptr_t total = s->n + s->sums;
  for (intptr_t d = 0; d < dims; ++d) {
    if (s->solved[d] && (!ends_seen(s, d) || !divides(s, d)))
      return false;
    if (!s->exprs[d].ptr)
      s->exprs[d] = mlirAffineConstantExprGet(ctx, 0);
  }
  for (intptr_t d = 0; d < dims; ++d) {
    MlirAffineExpr e = s->exprs[d];
    if (s->solved[d]) { // what else the subscript holds is summed
      e = mlirAffineAddExprGet(mlirAffineDimExprGet(ctx, s->place[d]), mlirAffineConstantExprGet(ctx, -s->offset[d]));
      for (intptr_t o = 0; o < dims; ++o)
        if (o != d && s->in[o] == s->in[d])
          e = mlirAffineAddExprGet(e, mlirAffineMulExprGet(s->exprs[o], mlirAffineConstantExprGet(ctx, -s->factor[o])));
      if (s->factor[d] < 0)
        e = mlirAffineMulExprGet(e, mlirAffineConstantExprGet(ctx, -1));
    }
    s->exprs[d] = e;
  }
  for (int k = 0; k < 2; ++k) {
    MlirAffineMap before = s->maps[k];
    s->maps[k] = sn_map_replace(before, total, s->exprs);
    bool solved = false;
    for (intptr_t d = 0; d < dims; ++d)
      solved |= s->solved[d] && sn_map_uses(before, d);
    if (!solved || s->fills[k].ptr)
      continue;
    // Outside of what a solved dimension counts, nothing was read: its factor says so.
    s->fills[k] = mlirFloatAttrDoubleGet(ctx, sn_element(sn_type_of(s->factors[k])), 0);
  }
  return true;
}

// Whether dimension r of the result is factor k's alone. One of size 1 is nobody's.
static bool alone(const Side *s, intptr_t r, int k) {
  return s->sizes[r] != 1 && sn_map_uses(s->maps[k], r) && !sn_map_uses(s->maps[1 - k], r);
}

// Whether both factors have dimensions alone, or all that count are one's, and what is summed is both's.
static bool is_product(const Side *s) {
  intptr_t of[2] = {0, 0}, shared = 0;
  bool both = true; // read what is summed
  for (intptr_t r = 0; r < s->n; ++r) {
    of[0] += alone(s, r, 0);
    of[1] += alone(s, r, 1);
    shared += s->sizes[r] != 1 && !alone(s, r, 0) && !alone(s, r, 1);
  }
  for (intptr_t i = 0; i < s->sums; ++i)
    both &= sn_map_uses(s->maps[0], s->n + i) && sn_map_uses(s->maps[1], s->n + i);
  return s->sums && both && (of[0] || of[1]) && ((of[0] && of[1]) || !shared);
}

// The order of the result's dimensions: rows, then columns. Tells how many are rows.
static intptr_t walk(const Side *s, intptr_t *order) {
  intptr_t last = s->n, first, rows = 0;
  while (last > 0 && !alone(s, last - 1, 0) && !alone(s, last - 1, 1))
    --last;
  int factor = last > 0 && alone(s, last - 1, 1); // whose columns they are
  first = last;
  while (first > 0 && alone(s, first - 1, factor))
    --first;
  if (first == last) // nothing is one factor's alone
    first = (last = s->n) ? s->n - 1 : 0;
  intptr_t end = -1; // the last row dimension
  for (intptr_t r = 0; r < s->n; ++r)
    if ((r < first || r >= last) && alone(s, r, 1 - factor))
      end = r;
  if (end < 0 && s->sums) // all that counts is a column
    first = 0, last = s->n;
  for (intptr_t r = 0; r < s->n; ++r)
    if ((r < first || r >= last) && r != end)
      order[rows++] = r;
  if (end >= 0)
    order[rows++] = end;
  for (intptr_t r = first; r < last; ++r)
    order[rows + r - first] = r;
  return rows;
}

static MlirValue result(Side *s, MlirType element, MlirType type) {
  SnBuilder *b = s->b;
  bool product_form = is_product(s), reduces = s->sums && !product_form;
  intptr_t order[MANY], rows = s->n, total = s->n + s->sums;
  for (intptr_t r = 0; r < s->n; ++r)
    order[r] = r;
  if (!reduces)
    rows = walk(s, order);
  SnForm to = {.num_rows = rows, .num_cols = total - rows - (product_form ? s->sums : 0), .contract = product_form};
  MlirAffineExpr moved[MANY], all[MANY];
  int64_t shape[MANY];
  SnValueVec sizes = {0};
  for (intptr_t i = 0; i < s->n; ++i) {
    intptr_t r = order[i];
    SnDim d = {s->of[r] >= 0 ? s->f->dims.data[s->of[r]].name : sn_fresh_name(b->ctx, s->f, "at"), s->sizes[r]};
    for (size_t k = 0; k < to.dims.size; ++k)
      if (mlirStringRefEqual(to.dims.data[k].name, d.name))
        d.name = sn_fresh_name(b->ctx, &to, "at");
    sn_push(&to.dims, d);
    moved[r] = mlirAffineDimExprGet(b->ctx, i);
  }
  SnProduct product = {.type = type, .num_dims = (intptr_t)s->sums};
  for (intptr_t i = 0; i < s->sums; ++i) {
    SnDim d = s->f->dims.data[s->summed[i]];
    for (size_t k = 0; k < to.dims.size; ++k)
      if (mlirStringRefEqual(to.dims.data[k].name, d.name))
        d.name = sn_fresh_name(b->ctx, &to, "k");
    sn_push(&to.dims, d);
    moved[s->n + i] = mlirAffineDimExprGet(b->ctx, s->n + i);
  }
  if (product_form)
    sn_push(&to.products, product);
  for (intptr_t r = 0; r < s->n; ++r) {
    shape[r] = s->sizes[r];
    all[r] = moved[r];
    if (shape[r] == SN_DYNAMIC)
      sn_push(&sizes, s->of[r] >= 0
                          ? sn_size_value(b, s->f, s->of[r])
                          : sn(b, "tensor.dim", s->f->inputs.data[s->side].value, sn_index(b, s->subscript[r])));
  }
  bool second = s->n > rows && sn_map_uses(s->maps[1], order[s->n - 1]); // rows first, as products are written
  for (int k = 0; k < 2; ++k) {
    int from = second ? k : 1 - k;
    SnAccess in = {
        .value = s->factors[from], .map = sn_map_replace(s->maps[from], total, moved), .fill = s->fills[from]};
    sn_push(&to.inputs, in);
  }
  SnAccess out = {
      .value = sn(b, "tensor.empty", sn_tensor(element, s->n, shape), sn_values((intptr_t)sizes.size, sizes.data)),
      .map = mlirAffineMapGet(b->ctx, total, 0, s->n, all)};
  sn_push(&to.outputs, out);
  MlirOperation made = sn_form_create(b, &to, false);
  SnBuilder in = sn_at_end(to.body, b->loc);
  MlirValue v;
  if (product_form) {
    v = sn_product_argument(&to, 0);
  } else {
    MlirValue both[] = {sn_to_float(&in, sn_input_argument(&to, 0), type),
                        sn_to_float(&in, sn_input_argument(&to, 1), type)};
    v = sn_row_op(&in, "arith.mulf", (MlirType){0}, 2, both);
  }
  if (reduces)
    v = sn_row_reduce(&in, "add", sn_as_row(&in, v, sn_row_type(&to, type)), type);
  v = sn_to_float(&in, v, element);
  sn_op(&in, "sinter.yield", to.num_cols && !reduces ? sn_as_row(&in, v, sn_row_type(&to, element)) : v,
        sn_types(0, NULL));
  sn_vec_free(&sizes);
  sn_form_free(&to);
  return sn_result(made, 0);
}

// Dimensions that one subscript counts become one again.
static MlirValue collapsed(const Side *s, MlirValue v) {
  intptr_t rank = sn_rank(s->type), at = 0;
  int64_t shape[MANY];
  MlirAttribute groups[MANY];
  if (s->n == rank)
    return v;
  for (intptr_t p = 0; p < rank; ++p) {
    MlirAttribute places[MANY];
    intptr_t first = at;
    for (; at < s->n && s->subscript[at] == p; ++at)
      places[at - first] = sn_i64(s->b->ctx, at);
    groups[p] = mlirArrayAttrGet(s->b->ctx, at - first, places);
    shape[p] = sn_dim(s->type, p);
  }
  return sn(s->b, "tensor.collapse_shape", v, sn_tensor(sn_element(sn_type_of(v)), rank, shape),
            sn_attr("reassociation", mlirArrayAttrGet(s->b->ctx, rank, groups)));
}

// What is outside of a factor is 0.
static void bound(Side *s, int k) {
  MlirType e = sn_element(sn_type_of(s->factors[k]));
  if (!s->fills[k].ptr)
    s->fills[k] = sn_is_float(e) ? mlirFloatAttrDoubleGet(s->b->ctx, e, 0) : mlirIntegerAttrGet(e, 0);
}

// What is summed over has a size that a factor says: a known one, or that of a factor without a fill value.
static bool sums_are_known(const Side *s) {
  bool known = true;
  for (intptr_t i = 0; i < s->sums; ++i) {
    bool said = s->f->dims.data[s->summed[i]].size != SN_DYNAMIC;
    for (int k = 0; k < 2; ++k)
      for (intptr_t p = 0; p < mlirAffineMapGetNumResults(s->maps[k]); ++p)
        said |= !s->fills[k].ptr && sn_map_dim(s->maps[k], p) == s->n + i;
    known &= said;
  }
  return known;
}

// Dimension d of the result or of the sum.
static SnDim dim_of(const Side *s, intptr_t d, const SnForm *to) {
  intptr_t of = d < s->n ? s->of[d] : s->summed[d - s->n];
  SnDim dim = {of >= 0 ? s->f->dims.data[of].name : sn_fresh_name(s->b->ctx, s->f, "at"),
               d < s->n ? s->sizes[d] : s->f->dims.data[of].size};
  for (size_t k = 0; k < to->dims.size; ++k)
    if (mlirStringRefEqual(to->dims.data[k].name, dim.name))
      dim.name = sn_fresh_name(s->b->ctx, to, "at");
  return dim;
}

static MlirValue size_of(const Side *s, intptr_t d) {
  intptr_t of = d < s->n ? s->of[d] : s->summed[d - s->n];
  return of >= 0 ? sn_size_value(s->b, s->f, of)
                 : sn(s->b, "tensor.dim", s->f->inputs.data[s->side].value, sn_index(s->b, s->subscript[d]));
}

// Factor k summed over the dimensions of the sum that it alone is read by, in the type of sums.
static void sum_factor(Side *s, int k, const bool *alone, MlirType type) {
  SnBuilder *b = s->b;
  intptr_t total = s->n + s->sums;
  SnForm g = {0};
  MlirAffineExpr to[MANY], in[MANY], all[MANY];
  int64_t shape[MANY];
  SnValueVec sizes = {0};
  for (intptr_t d = 0; d < total; ++d) {
    to[d] = mlirAffineConstantExprGet(b->ctx, 0);
    if (alone[d] || !sn_map_uses(s->maps[k], d))
      continue;
    SnDim dim = dim_of(s, d, &g);
    shape[g.num_rows] = dim.size;
    if (dim.size == SN_DYNAMIC)
      sn_push(&sizes, size_of(s, d));
    in[g.num_rows] = mlirAffineDimExprGet(b->ctx, d);
    to[d] = all[g.num_rows] = mlirAffineDimExprGet(b->ctx, g.num_rows);
    ++g.num_rows;
    sn_push(&g.dims, dim);
  }
  for (intptr_t d = s->n; d < total; ++d)
    if (alone[d]) {
      to[d] = mlirAffineDimExprGet(b->ctx, g.num_rows + g.num_cols++);
      sn_push(&g.dims, dim_of(s, d, &g));
    }
  intptr_t dims = g.num_rows + g.num_cols;
  sn_push(&g.inputs, ((SnAccess){.value = s->factors[k], .map = sn_map_replace(s->maps[k], dims, to)}));
  sn_push(&g.outputs,
          ((SnAccess){.value = sn(b, "tensor.empty", sn_tensor(type, g.num_rows, shape),
                                  sn_values((intptr_t)sizes.size, sizes.data)),
                      .map = mlirAffineMapGet(b->ctx, dims, 0, g.num_rows, all)}));
  MlirOperation made = sn_form_create(b, &g, false);
  SnBuilder body = sn_at_end(g.body, b->loc);
  MlirValue v = sn_to_float(&body, sn_input_argument(&g, 0), type);
  sn_op(&body, "sinter.yield", sn_row_reduce(&body, "add", sn_as_row(&body, v, sn_row_type(&g, type)), type),
        sn_types(0, NULL));
  s->factors[k] = sn_result(made, 0);
  s->maps[k] = mlirAffineMapGet(b->ctx, total, 0, g.num_rows, in);
  sn_vec_free(&sizes);
  sn_form_free(&g);
}

// A product sums over what both of its sides are read by: where heads in groups are of both sides, the other one does
// not know the gradient's heads of a group, and they are summed in front of it.
static void sum_alone(Side *s, MlirType type) {
  intptr_t total = s->n + s->sums, sums = 0;
  bool gone[MANY] = {false};
  for (int k = 0; k < 2; ++k) {
    bool alone[MANY] = {false}, some = false;
    for (intptr_t d = s->n; d < total && !s->fills[k].ptr; ++d)
      some |= alone[d] = sn_map_uses(s->maps[k], d) && !sn_map_uses(s->maps[1 - k], d);
    if (some)
      sum_factor(s, k, alone, type);
    for (intptr_t d = s->n; d < total; ++d)
      gone[d] |= alone[d];
  }
  MlirAffineExpr to[MANY];
  for (intptr_t d = 0; d < total; ++d) {
    to[d] = mlirAffineDimExprGet(s->b->ctx, d < s->n ? d : s->n + sums);
    if (d >= s->n && !gone[d])
      s->summed[sums++] = s->summed[d - s->n];
  }
  s->sums = sums;
  for (int k = 0; k < 2; ++k)
    s->maps[k] = sn_map_replace(s->maps[k], s->n + sums, to);
}

bool sn_plain_side_gradient(SnBuilder *b, SnForm *f, size_t side, MlirValue gradient, MlirAffineMap points,
                            MlirType element, MlirValue *made) {
  bool past = false;
  if (f->inputs.data[side].through.ptr)
    return false;
  while (sn_split_digit(f, side, b->ctx, &points, &past))
    ;
  const SnAccess *other = &f->inputs.data[side ^ 1];
  Side s = {.b = b,
            .f = f,
            .side = side,
            .type = sn_type_of(f->inputs.data[side].value),
            .points = (intptr_t)(f->num_rows + f->num_cols),
            .factors = {gradient, other->value},
            .maps = {points, other->map},
            .fills = {{0}, other->fill}};
  if (f->dims.size + (size_t)sn_rank(s.type) > MANY)
    return false;
  for (size_t d = 0; d < f->dims.size && past; ++d)
    if (f->dims.data[d].size == SN_DYNAMIC) // nobody without a fill value would say it
      return false;
  for (int k = 0; k < 2 && past; ++k)
    bound(&s, k);
  if (!read_side(&s) || !find_sums(&s) || !spread(&s) || !sums_are_known(&s))
    return false;
  MlirType type = sn_wide_type(f->products.data[side / 2].type);
  sum_alone(&s, type);
  *made = collapsed(&s, result(&s, element, type));
  return true;
}

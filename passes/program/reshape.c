// reshape.c: reshapes between linalg ops move to the ends of the function.
//
//   %c = tensor.collapse_shape %x [[0, 1], [2]]        %m = linalg.generic (d0, d1, d2, d3)
//   %m = linalg.matmul %c, %w                    ->        ins(%x[d0, d1, d3], %w[d3, d2])
//   %e = tensor.expand_shape %m [[0, 1], [2]]              outs(%d[d0, d1, d2])
//
// Exporters fold batch dimensions before a linear layer and unfold them behind
// it. A reshape is free as a view of memory, but stands between a producer and its
// reader; written over the unfolded dimensions, the ops on both sides fuse. Most
// patterns are upstream's; those here let an expansion move further up: through a
// slice that does not cut what it unfolds, through a collapse of other groups, and past
// what its sizes `?` were asked of. A transpose of dimensions of size 1 is a reshape, too.
// A dimension of size 1 that is unfolded to be folded away again, as a batch of one image
// in front of its groups, is none.
// What is left at the arguments and results costs nothing. Convolutions and
// poolings, whose subscripts are sums, stay as they are, and the reshape of an image in front of them (images.c).
//
// runs in: sinter-prepare    test: test/passes/program/reshape.mlir

#include "passes/edit/rewrite.h"
#include "passes/edit/size_terms.h"
#include "passes/program/reshape.h"

// ---- groups of dimensions -------------------------------------------------------

typedef struct {
  int64_t first[SN_MAX_DIMS + 1]; // group g: members first[g] .. first[g + 1]
  intptr_t n;
} Groups;

static bool read_groups(MlirOperation reshape, Groups *groups) {
  MlirAttribute all = sn_get_attr(reshape, "reassociation");
  groups->n = mlirArrayAttrGetNumElements(all);
  if (groups->n > SN_MAX_DIMS)
    return false;
  groups->first[0] = 0;
  for (intptr_t g = 0; g < groups->n; ++g)
    groups->first[g + 1] = groups->first[g] + mlirArrayAttrGetNumElements(mlirArrayAttrGetElement(all, g));
  return groups->first[groups->n] <= SN_MAX_DIMS;
}

static MlirAttribute groups_attr(MlirContext ctx, const Groups *groups) {
  MlirAttribute all[SN_MAX_DIMS], members[SN_MAX_DIMS];
  for (intptr_t g = 0; g < groups->n; ++g) {
    intptr_t n = 0;
    for (int64_t d = groups->first[g]; d < groups->first[g + 1]; ++d)
      members[n++] = sn_i64(ctx, d);
    all[g] = mlirArrayAttrGet(ctx, n, members);
  }
  return mlirArrayAttrGet(ctx, groups->n, all);
}

static MlirValue expand(SnBuilder *b, MlirValue x, const Groups *groups, const int64_t *shape, SnValues sizes) {
  intptr_t rank = (intptr_t)groups->first[groups->n];
  if (rank == groups->n)
    return x;
  return sn(b, "tensor.expand_shape", x, sizes, sn_tensor(sn_element(sn_type_of(x)), rank, shape),
            sn_attr("reassociation", groups_attr(b->ctx, groups)),
            sn_attr("static_output_shape", mlirDenseI64ArrayGet(b->ctx, rank, shape)));
}

static MlirValue cast(SnBuilder *b, MlirValue x, MlirType t) {
  return mlirTypeEqual(sn_type_of(x), t) ? x : sn(b, "tensor.cast", x, t);
}

static MlirValue collapse(SnBuilder *b, MlirValue x, const Groups *groups) {
  if (groups->first[groups->n] == groups->n)
    return x;
  int64_t shape[SN_MAX_DIMS];
  for (intptr_t g = 0; g < groups->n; ++g) {
    shape[g] = 1;
    for (int64_t d = groups->first[g]; d < groups->first[g + 1]; ++d) {
      int64_t n = sn_dim(sn_type_of(x), (intptr_t)d);
      shape[g] = shape[g] == SN_DYNAMIC || n == SN_DYNAMIC ? SN_DYNAMIC : shape[g] * n;
    }
  }
  return sn(b, "tensor.collapse_shape", x, sn_tensor(sn_element(sn_type_of(x)), groups->n, shape),
            sn_attr("reassociation", groups_attr(b->ctx, groups)));
}

// ---- one shape as another ------------------------------------------------------------

// The dimensions that both shapes are made of, and how each is.
typedef struct {
  SnSizeReader reader;
  SnSize sizes[SN_MAX_DIMS];
  intptr_t rank;
  Groups from, to;
  Groups kept_from, kept_to; // the dimensions of both shapes without those of size 1 that end a group of one alone
} Common;

static bool is_one(const SnSize *s) {
  int64_t n;
  return sn_size_is_number(s, &n) && n == 1;
}

// The sizes a[..] and b[..] of one group as products of common factors, outermost first:
// (8, 9, 7) and (4, 126) of (4, 2, 9, 7), (n, 64) and (n * 4, 16) of (n, 4, 16). Appends to what is common.
static bool refine(const SnSize *a, int64_t na, const SnSize *b, int64_t nb, Common *c) {
  const SnSize one = sn_size_number(1);
  int64_t i = 0, j = 0;
  SnSize x = na ? a[0] : one, y = nb ? b[0] : one;
  while (i < na && j < nb) {
    SnSize more = sn_size_quotient(&x, &y), less = sn_size_quotient(&y, &x);
    if (!(more.known && more.n) && !(less.known && less.n))
      return false;
    SnSize common = less.known && less.n ? x : y;
    if (c->rank == SN_MAX_DIMS)
      return false;
    c->sizes[c->rank++] = common;
    x = sn_size_quotient(&x, &common);
    y = sn_size_quotient(&y, &common);
    if (is_one(&x)) {
      c->from.first[++c->from.n] = c->rank;
      x = ++i < na ? a[i] : one;
    }
    if (is_one(&y)) {
      c->to.first[++c->to.n] = c->rank;
      y = ++j < nb ? b[j] : one;
    }
  }
  return i == na && j == nb;
}

static int64_t ones_behind(const SnSize *a, int64_t n) {
  int64_t ones = 0;
  while (ones + 1 < n && is_one(&a[n - 1 - ones]))
    ++ones;
  return ones;
}

// n dimensions, of which the last holds so many of size 1 behind it.
static void keep(Groups *g, int64_t n, int64_t ones) {
  for (int64_t i = 0; i < n - ones; ++i, ++g->n)
    g->first[g->n + 1] = g->first[g->n] + 1;
  g->first[g->n] += ones;
}

// refine, where dimensions of size 1 may end one of them: those are dropped before and added behind. What is common
// would have them otherwise, and all that it is written over.
static bool refine_group(const SnSize *a, int64_t na, const SnSize *b, int64_t nb, Common *c) {
  int64_t more = ones_behind(a, na) - ones_behind(b, nb), of_a = more > 0 ? more : 0, of_b = more < 0 ? -more : 0;
  keep(&c->kept_from, na, of_a);
  keep(&c->kept_to, nb, of_b);
  return refine(a, na - of_a, b, nb - of_b, c);
}

// x, without 1s at its end, unfolded to what is common, and folded to the other shape.
static MlirValue reshaped_kept(SnBuilder *b, MlirValue x, const Common *c, MlirType to) {
  MlirType from = sn_type_of(x);
  int64_t shape[SN_MAX_DIMS], whole[SN_MAX_DIMS];
  MlirValue sizes[SN_MAX_DIMS];
  intptr_t n = 0;
  bool unfolds = c->rank > c->from.n;
  for (intptr_t d = 0; d < c->rank; ++d)
    if (!sn_size_is_number(&c->sizes[d], &shape[d])) {
      shape[d] = SN_DYNAMIC;
      if (unfolds)
        sizes[n++] = sn_size_emit(&c->reader, b, &c->sizes[d]);
    }
  for (intptr_t g = 0; g < c->from.n; ++g) {
    whole[g] = 1;
    for (int64_t d = c->from.first[g]; d < c->from.first[g + 1]; ++d)
      whole[g] = whole[g] == SN_DYNAMIC || shape[d] == SN_DYNAMIC ? SN_DYNAMIC : whole[g] * shape[d];
  }
  x = cast(b, x, sn_tensor(sn_element(from), sn_rank(from), whole)); // a size may be known that its type does not say
  return cast(b, collapse(b, expand(b, x, &c->from, shape, sn_values(n, sizes)), &c->to), to);
}

// x as `to`, whose sizes are given.
static MlirValue reshaped(SnBuilder *b, MlirValue x, const Common *c, MlirType to, const SnSize *sizes) {
  int64_t shape[SN_MAX_DIMS], kept[SN_MAX_DIMS];
  MlirValue values[SN_MAX_DIMS];
  intptr_t n = 0;
  bool adds = c->kept_to.first[c->kept_to.n] > c->kept_to.n;
  for (intptr_t g = 0; g < c->kept_to.n; ++g)
    kept[g] = sn_dim(to, c->kept_to.first[g]);
  MlirValue y = reshaped_kept(b, collapse(b, x, &c->kept_from), c, sn_tensor(sn_element(to), c->kept_to.n, kept));
  for (intptr_t d = 0; d < sn_rank(to); ++d) {
    shape[d] = sn_dim(to, d);
    if (adds && shape[d] == SN_DYNAMIC)
      values[n++] = sn_size_emit(&c->reader, b, &sizes[d]);
  }
  return expand(b, y, &c->kept_to, shape, sn_values(n, values));
}

static bool too_many(MlirOperation op) { return sn_no(op, "more than %d dimensions", SN_MAX_DIMS); }

static void read_sizes(SnSizeReader *r, MlirValue x, SnSize *sizes) {
  for (intptr_t i = 0; i < sn_rank(sn_type_of(x)); ++i)
    sizes[i] = sn_size_of_dim(r, x, i);
}

// ---- expand(collapse(x)) of groups that differ ---------------------------------------

// What becomes of an expand(collapse(x)) is not one again.
static bool is_other(const Common *c) {
  bool unfolds = c->rank > c->from.n, folds = c->rank > c->to.n, drops = c->kept_from.first[c->kept_from.n] > c->from.n,
       adds = c->kept_to.first[c->kept_to.n] > c->to.n;
  return (unfolds || !adds) && (folds || !drops);
}

static bool expand_of_collapse(SnRewriter *rw, MlirOperation op) {
  MlirOperation inner = sn_def(sn_operand(op, 0), "tensor.collapse_shape");
  if (sn_null(inner))
    return false;
  MlirValue x = sn_operand(inner, 0), y = sn_result(op, 0);
  Groups wide, narrow;
  Common c = {.reader.forgets = true};
  if (sn_rank(sn_type_of(x)) > SN_MAX_DIMS || sn_rank(sn_type_of(y)) > SN_MAX_DIMS || !read_groups(inner, &wide) ||
      !read_groups(op, &narrow))
    return too_many(op);
  SnSize a[SN_MAX_DIMS], b[SN_MAX_DIMS];
  read_sizes(&c.reader, x, a);
  read_sizes(&c.reader, y, b);
  bool common = true;
  for (intptr_t g = 0; g < wide.n && common; ++g)
    common = refine_group(a + wide.first[g], wide.first[g + 1] - wide.first[g], b + narrow.first[g],
                          narrow.first[g + 1] - narrow.first[g], &c);
  bool other = common && is_other(&c);
  if (other)
    sn_replace(rw, op, reshaped(rw->b, x, &c, sn_type_of(y), b));
  sn_size_reader_free(&c.reader);
  return other || sn_no(op, common ? "it only adds dimensions of size 1 to what is folded, or what it unfolds has them"
                                   : "sizes of the two reshapes that have no common factors");
}

// ---- collapse(expand(x)) with dimensions of size 1 ------------------------------------

// x as it is folded by one reshape or several, and the groups of all; null: by none.
static MlirOperation through_collapses(MlirOperation op, Groups *groups) {
  MlirOperation inner = sn_def(sn_operand(op, 0), "tensor.collapse_shape");
  Groups wide;
  for (; !sn_null(inner); inner = sn_def(sn_operand(op, 0), "tensor.collapse_shape")) {
    if (!read_groups(inner, &wide))
      break;
    for (intptr_t g = 0; g <= groups->n; ++g)
      groups->first[g] = wide.first[groups->first[g]];
    op = inner;
  }
  return op;
}
static MlirOperation through_expands(MlirOperation op, Groups *groups) {
  MlirOperation inner = sn_def(sn_operand(op, 0), "tensor.expand_shape");
  Groups narrow;
  for (; !sn_null(inner); inner = sn_def(sn_operand(op, 0), "tensor.expand_shape")) {
    if (!read_groups(inner, &narrow))
      break;
    for (intptr_t g = 0; g <= narrow.n; ++g)
      narrow.first[g] = groups->first[narrow.first[g]];
    *groups = narrow;
    op = inner;
  }
  return op;
}

// The groups without these members.
static Groups without(const Groups *all, const bool *drop) {
  Groups kept = {.n = all->n};
  for (intptr_t g = 0; g < all->n; ++g) {
    kept.first[g + 1] = kept.first[g];
    for (int64_t d = all->first[g]; d < all->first[g + 1]; ++d)
      kept.first[g + 1] += !drop[d];
  }
  return kept;
}

// 32 -> 1 x 8 x 4 -> 8 x 4: a dimension of size 1 that the groups of both have beside others.
static bool drops_ones(SnRewriter *rw, MlirOperation op) {
  Groups to, from;
  if (!read_groups(op, &to))
    return too_many(op);
  MlirOperation expands = sn_def(sn_operand(through_collapses(op, &to), 0), "tensor.expand_shape");
  if (sn_null(expands))
    return false;
  if (!read_groups(expands, &from))
    return too_many(op);
  if (!to.n || !from.n) // a number
    return false;
  MlirValue x = sn_operand(through_expands(expands, &from), 0), sizes[SN_MAX_DIMS];
  MlirType wide = sn_type_of(sn_result(expands, 0));
  bool drop[SN_MAX_DIMS] = {0}, any = false;
  int64_t shape[SN_MAX_DIMS], left_from[SN_MAX_DIMS], left_to[SN_MAX_DIMS], kept = 0, num_sizes = 0;
  for (intptr_t g = 0; g < from.n; ++g)
    left_from[g] = from.first[g + 1] - from.first[g];
  for (intptr_t g = 0; g < to.n; ++g)
    left_to[g] = to.first[g + 1] - to.first[g];
  for (intptr_t d = 0, g = 0, h = 0; d < sn_rank(wide); ++d) {
    while (from.first[g + 1] <= d)
      ++g;
    while (to.first[h + 1] <= d)
      ++h;
    drop[d] = sn_dim(wide, d) == 1 && left_from[g] > 1 && left_to[h] > 1;
    any |= drop[d];
    left_from[g] -= drop[d];
    left_to[h] -= drop[d];
    if (!drop[d])
      shape[kept++] = sn_dim(wide, d);
  }
  if (!any)
    return false;
  for (intptr_t k = 1; k < sn_num_operands(expands); ++k)
    sizes[num_sizes++] = sn_operand(expands, k);
  from = without(&from, drop);
  to = without(&to, drop);
  sn_replace(rw, op, cast(rw->b, collapse(rw->b, expand(rw->b, x, &from, shape, sn_values(num_sizes, sizes)), &to),
                          sn_type_of(sn_result(op, 0))));
  return true;
}

// ---- reshape(x) to sizes that are listed -----------------------------------------------

static bool reshape_to_list(SnRewriter *rw, MlirOperation op) {
  MlirOperation list = sn_def(sn_operand(op, 1), "tensor.from_elements");
  MlirValue x = sn_operand(op, 0);
  MlirType from = sn_type_of(x), to = sn_type_of(sn_result(op, 0));
  if (sn_null(list) || !mlirShapedTypeHasRank(from) || !mlirShapedTypeHasRank(to))
    return sn_no(op, "its shape is no list of sizes");
  if (sn_rank(from) > SN_MAX_DIMS || sn_rank(to) > SN_MAX_DIMS)
    return too_many(op);
  Common c = {.reader.forgets = true};
  SnSize a[SN_MAX_DIMS], b[SN_MAX_DIMS];
  read_sizes(&c.reader, x, a);
  for (intptr_t i = 0; i < sn_rank(to); ++i)
    b[i] =
        sn_dim(to, i) == SN_DYNAMIC ? sn_size_of_value(&c.reader, sn_operand(list, i)) : sn_size_number(sn_dim(to, i));
  bool common = sn_rank(from) && sn_rank(to) && refine_group(a, sn_rank(from), b, sn_rank(to), &c);
  if (common)
    sn_replace(rw, op, reshaped(rw->b, x, &c, to, b));
  sn_size_reader_free(&c.reader);
  return common || sn_no(op, "sizes that have no common factors");
}

// ---- expand(slice(x)) ---------------------------------------------------------------------

// A dimension that stays one may be of any size, sliced anywhere; those that are unfolded are known.
static bool expand_of_slice(SnRewriter *rw, MlirOperation op) {
  MlirOperation slice = sn_def(sn_operand(op, 0), "tensor.extract_slice");
  if (sn_null(slice))
    return false;
  MlirValue x = sn_operand(slice, 0), moved[SN_MAX_DIMS], operands[3 * SN_MAX_DIMS];
  MlirType from = sn_type_of(x), to = sn_type_of(sn_result(op, 0));
  Groups groups;
  intptr_t rank = sn_rank(to), dynamic = 0, num_operands = 0;
  if (sn_rank(from) != sn_rank(sn_type_of(sn_result(slice, 0))))
    return sn_no(op, "a slice that drops dimensions");
  if (rank > SN_MAX_DIMS || !read_groups(op, &groups))
    return sn_no(op, "more than %d dimensions", SN_MAX_DIMS);
  MlirAttribute offsets = sn_get_attr(slice, "static_offsets"), strides = sn_get_attr(slice, "static_strides"),
                sizes = sn_get_attr(slice, "static_sizes");
  int64_t shape[SN_MAX_DIMS], offset[SN_MAX_DIMS], size[SN_MAX_DIMS], stride[SN_MAX_DIMS];
  for (intptr_t g = 0; g < groups.n; ++g) {
    int64_t first = groups.first[g], inner = 1, at = mlirDenseI64ArrayGetElement(offsets, g),
            step = mlirDenseI64ArrayGetElement(strides, g), taken = mlirDenseI64ArrayGetElement(sizes, g);
    bool whole = groups.first[g + 1] == first + 1, known = sn_dim(from, g) != SN_DYNAMIC && at != SN_DYNAMIC;
    for (int64_t d = first; d < groups.first[g + 1]; ++d) {
      shape[d] = size[d] = sn_dim(to, d);
      offset[d] = 0;
      stride[d] = 1;
      known &= shape[d] != SN_DYNAMIC;
      inner = d > first && known ? sn_times(inner, shape[d]) : inner;
    }
    if (whole ? taken != sn_dim(to, first) : !known)
      return sn_no(op, "a slice whose place is not known");
    if (!whole && step != 1)
      return sn_no(op, "unfolds what the slice takes with a stride of %ld", (long)step);
    if (!whole && (!inner || at % inner || sn_dim(from, g) % inner))
      return sn_no(op, "the slice cuts through the unfolded dimensions: offset %ld of size %ld, %ld in each", (long)at,
                   (long)sn_dim(from, g), (long)inner);
    shape[first] = sn_dim(from, g) / inner;
    offset[first] = at / inner;
    stride[first] = step;
  }
  for (intptr_t g = 0; g < groups.n; ++g)
    if (sn_dim(from, g) == SN_DYNAMIC)
      moved[dynamic++] = sn(rw->b, "tensor.dim", x, sn_index(rw->b, g), sn_index_type(rw->b->ctx));
  for (intptr_t k = 1; k < sn_num_operands(slice); ++k) // of dimensions that stay one, in their order
    operands[num_operands++] = sn_operand(slice, k);
  MlirContext ctx = rw->b->ctx;
  MlirValue wide = expand(rw->b, x, &groups, shape, sn_values(dynamic, moved));
  sn_replace(rw, op,
             sn(rw->b, "tensor.extract_slice", wide, sn_values(num_operands, operands), to,
                sn_attr("static_offsets", mlirDenseI64ArrayGet(ctx, rank, offset)),
                sn_attr("static_sizes", mlirDenseI64ArrayGet(ctx, rank, size)),
                sn_attr("static_strides", mlirDenseI64ArrayGet(ctx, rank, stride)),
                sn_attr("operandSegmentSizes", sn_get_attr(slice, "operandSegmentSizes"))));
  return true;
}

// ---- reshape(constant) ------------------------------------------------------------------

// Upstream does it with elements; a constant of bytes (constants.c) has the other type at no cost.
static bool of_constant(SnRewriter *rw, MlirOperation op) {
  MlirOperation constant = sn_def(sn_operand(op, 0), "arith.constant");
  MlirAttribute value = sn_null(constant) ? mlirAttributeGetNull() : sn_get_attr(constant, "value");
  MlirType to = sn_type_of(sn_result(op, 0));
  if (!value.ptr || !mlirAttributeIsADenseResourceElements(value) || !mlirShapedTypeHasStaticShape(to))
    return false;
  sn_replace(rw, op, sn_constant(rw->b, sn_shim_resource_as(value, to)));
  return true;
}

// ---- a size where it is first known -----------------------------------------------------

// An unfolding moves up no further than the sizes that it is given: a size that is asked of what stands in between is
// asked of what that has it from.
static bool from_origin(SnRewriter *rw, MlirOperation op) {
  SnSizeReader r = {.forgets = true};
  SnSize s = sn_size_of_value(&r, sn_result(op, 0));
  bool single = s.known && s.n == 1 && s.terms[0].factor == 1 && s.terms[0].n == 1;
  SnSizeAtom a = single ? r.atoms.data[s.terms[0].atoms[0]] : (SnSizeAtom){0};
  single &= a.dim != SN_SIZE_PART;
  sn_size_reader_free(&r);
  if (!single || (a.dim >= 0 ? sn_is(op, "tensor.dim") && sn_same(sn_operand(op, 0), a.value)
                             : !mlirTypeIsAIndex(sn_type_of(a.value)) || sn_same(sn_result(op, 0), a.value)))
    return false;
  MlirOperation maker = sn_definer(a.value);
  SnBuilder b =
      sn_null(maker) ? sn_at_start(mlirBlockArgumentGetOwner(a.value), mlirOperationGetLocation(op)) : sn_after(maker);
  sn_replace(rw, op, a.dim < 0 ? a.value : sn(&b, "tensor.dim", a.value, sn_index(&b, a.dim), sn_index_type(b.ctx)));
  return true;
}

// The groups of a shape that are one dimension of another size than 1 each, with those of 1 behind it, or, the first,
// in front of it.
static Groups without_ones(MlirType t) {
  Groups g = {.n = 0};
  bool seen = false;
  for (intptr_t d = 0; d < sn_rank(t); ++d) {
    bool real = sn_dim(t, d) != 1;
    if (!d || (real && seen))
      g.first[g.n++] = d;
    seen |= real;
  }
  g.first[g.n] = sn_rank(t);
  return g;
}

// A transpose that moves nothing but dimensions of size 1 moves no element.
static bool transpose_of_ones(SnRewriter *rw, MlirOperation op) {
  MlirValue x = sn_operand(op, 0), sizes[SN_MAX_DIMS], kept[SN_MAX_DIMS];
  MlirType from = sn_type_of(x), to = sn_type_of(sn_result(op, 0));
  MlirAttribute order = sn_get_attr(op, "permutation");
  intptr_t rank = sn_rank(from), n = 0;
  int64_t last = -1, shape[SN_MAX_DIMS];
  bool moved = false;
  if (rank > SN_MAX_DIMS || rank == 0)
    return false;
  for (intptr_t d = 0; d < rank; ++d) {
    int64_t at = mlirDenseI64ArrayGetElement(order, d);
    shape[d] = sn_dim(to, d);
    moved |= at != d;
    if (sn_dim(from, (intptr_t)at) == 1)
      continue;
    if (at < last)
      return sn_no(op, "a transpose of more than dimensions of size 1");
    last = at;
  }
  if (!moved)
    return false;
  Groups g = without_ones(from), h = without_ones(to);
  for (intptr_t d = 0, real = 0; d < rank; ++d)
    if (sn_dim(from, d) != 1)
      kept[real++] = sn_dim(from, d) == SN_DYNAMIC
                         ? sn(rw->b, "tensor.dim", x, sn_index(rw->b, d), sn_index_type(rw->b->ctx))
                         : (MlirValue){0};
  for (intptr_t d = 0, real = 0; d < rank; ++d)
    if (shape[d] != 1 && !sn_none(kept[real++]))
      sizes[n++] = kept[real - 1];
  sn_replace(rw, op, expand(rw->b, collapse(rw->b, x, &g), &h, shape, sn_values(n, sizes)));
  return true;
}

static const SnRule rules[] = {
    {"tensor.dim", from_origin},
    {"affine.apply", from_origin},
    {"tensor.expand_shape", of_constant},
    {"tensor.collapse_shape", of_constant},
    {"tensor.collapse_shape", drops_ones},
    {"tensor.expand_shape", expand_of_collapse},
    {"tensor.expand_shape", expand_of_slice},
    {"tensor.reshape", reshape_to_list},
    {"linalg.transpose", transpose_of_ones},
    {0},
};

// An op is not written over dimensions of size 1 that a reshape only adds or drops: reading through those is
// raising's own affair, and they would come back through the whole program.
static bool wanted(MlirOperation reshape) {
  bool up = sn_is(reshape, "tensor.expand_shape");
  MlirType wide = sn_type_of(up ? sn_result(reshape, 0) : sn_operand(reshape, 0));
  Groups groups;
  if (sn_rank(wide) > SN_MAX_DIMS || !read_groups(reshape, &groups))
    return false;
  for (intptr_t g = 0; g < groups.n; ++g) {
    int real = 0;
    for (int64_t d = groups.first[g]; d < groups.first[g + 1]; ++d)
      real += sn_dim(wide, d) != 1;
    if (real > 1)
      return !up || !sn_is_image(sn_result(reshape, 0)) || sn_no(reshape, "a convolution reads its image through it");
  }
  return sn_no(reshape, "only adds or drops dimensions of size 1");
}

// ---- the pass -----------------------------------------------------------------------------------

typedef struct {
  bool remarks;
} Options;
static const SnOption options[] = {
    {SN_OPTION_BOOL, "remarks", "say at each reshape that stays why it does", "false", NULL,
     offsetof(Options, remarks)},
    {0},
};

static MlirLogicalResult run(const SnRun *run, MlirOperation op) {
  MlirRewritePatternSet set = mlirRewritePatternSetCreate(run->ctx);
  sn_add_rules(run->ctx, set, rules);
  sn_shim_add_reshapes(set, wanted);
  sn_show_refusals(((const Options *)run->options)->remarks);
  MlirLogicalResult result = sn_apply_patterns(op, set);
  sn_show_refusals(false);
  return result;
}

MlirDialectHandle mlirGetDialectHandle__linalg__(void);
MlirDialectHandle mlirGetDialectHandle__tensor__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__linalg__, mlirGetDialectHandle__tensor__,
                                                      NULL};

const SnPass sn_pass_reshape = {
    .argument = "sinter-reshape",
    .summary = "linalg over the dimensions that reshapes fold, so that reshapes end up at arguments and results",
    .options = options,
    .options_size = sizeof(Options),
    .dialects = dialects,
    .run = run,
};

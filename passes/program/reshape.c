// reshape.c: reshapes between linalg ops move to the ends of the function.
//
//   %c = tensor.collapse_shape %x [[0, 1], [2]]        %m = linalg.generic (d0, d1, d2, d3)
//   %m = linalg.matmul %c, %w                    ->        ins(%x[d0, d1, d3], %w[d3, d2])
//   %e = tensor.expand_shape %m [[0, 1], [2]]              outs(%d[d0, d1, d2])
//
// Exporters fold batch dimensions before a linear layer and unfold them behind
// it. A reshape is free as a view of memory, but stands between a producer and its
// reader; written over the unfolded dimensions, the ops on both sides fuse. Most
// patterns are upstream's; the two here let an expansion move further up: through a
// slice that does not cut what it unfolds, and through a collapse of other groups.
// What is left at the arguments and results costs nothing. Convolutions and
// poolings, whose subscripts are sums, stay as they are.
//
// runs in: sinter-prepare    test: test/passes/program/reshape.mlir

#include "passes/edit/rewrite.h"


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

static MlirValue expand(SnBuilder *b, MlirValue x, const Groups *groups, const int64_t *shape) {
  intptr_t rank = (intptr_t)groups->first[groups->n];
  if (rank == groups->n)
    return x;
  return sn(b, "tensor.expand_shape", x, sn_tensor(sn_element(sn_type_of(x)), rank, shape),
            sn_attr("reassociation", groups_attr(b->ctx, groups)),
            sn_attr("static_output_shape", mlirDenseI64ArrayGet(b->ctx, rank, shape)));
}

static MlirValue collapse(SnBuilder *b, MlirValue x, const Groups *groups, MlirType result) {
  if (groups->first[groups->n] == groups->n)
    return x;
  return sn(b, "tensor.collapse_shape", x, result, sn_attr("reassociation", groups_attr(b->ctx, groups)));
}

// ---- expand(collapse(x)) of groups that differ ---------------------------------------

// The sizes a[..] and b[..] of one group as products of common factors, outermost first:
// (8, 9, 7) and (4, 126) of (4, 2, 9, 7). Appends to shape and to both groupings.
static bool refine(const int64_t *a, int64_t na, const int64_t *b, int64_t nb, int64_t *shape, intptr_t *rank,
                   Groups *ga, Groups *gb) {
  int64_t i = 0, j = 0, x = na ? a[0] : 1, y = nb ? b[0] : 1;
  while (i < na && j < nb) {
    int64_t common = x < y ? x : y;
    if (common <= 0 || x % common || y % common || *rank == SN_MAX_DIMS)
      return false;
    shape[(*rank)++] = common;
    x /= common;
    y /= common;
    if (x == 1) {
      ga->first[++ga->n] = *rank;
      x = ++i < na ? a[i] : 1;
    }
    if (y == 1) {
      gb->first[++gb->n] = *rank;
      y = ++j < nb ? b[j] : 1;
    }
  }
  return i == na && j == nb;
}

static bool expand_of_collapse(SnRewriter *rw, MlirOperation op) {
  MlirOperation inner = sn_def(sn_operand(op, 0), "tensor.collapse_shape");
  if (sn_null(inner))
    return false;
  MlirValue x = sn_operand(inner, 0);
  MlirType from = sn_type_of(x), to = sn_type_of(sn_result(op, 0));
  Groups wide, narrow, ga = {.n = 0}, gb = {.n = 0};
  if (!mlirShapedTypeHasStaticShape(from) || !mlirShapedTypeHasStaticShape(to))
    return sn_no(op, "a reshape of unknown sizes");
  if (sn_rank(from) > SN_MAX_DIMS || sn_rank(to) > SN_MAX_DIMS || !read_groups(inner, &wide) ||
      !read_groups(op, &narrow))
    return sn_no(op, "more than %d dimensions", SN_MAX_DIMS);
  int64_t shape[SN_MAX_DIMS], a[SN_MAX_DIMS], b[SN_MAX_DIMS];
  intptr_t rank = 0;
  for (intptr_t i = 0; i < sn_rank(from); ++i)
    a[i] = sn_dim(from, i);
  for (intptr_t i = 0; i < sn_rank(to); ++i)
    b[i] = sn_dim(to, i);
  for (intptr_t g = 0; g < wide.n; ++g)
    if (!refine(a + wide.first[g], wide.first[g + 1] - wide.first[g], b + narrow.first[g],
                narrow.first[g + 1] - narrow.first[g], shape, &rank, &ga, &gb))
      return sn_no(op, "sizes of the two reshapes that have no common factors");
  sn_replace(rw, op, collapse(rw->b, expand(rw->b, x, &ga, shape), &gb, to));
  return true;
}

// ---- expand(slice(x)) ---------------------------------------------------------------------

static bool expand_of_slice(SnRewriter *rw, MlirOperation op) {
  MlirOperation slice = sn_def(sn_operand(op, 0), "tensor.extract_slice");
  if (sn_null(slice))
    return false;
  MlirValue x = sn_operand(slice, 0);
  MlirType from = sn_type_of(x), to = sn_type_of(sn_result(op, 0));
  Groups groups;
  if (sn_num_operands(slice) != 1 || !mlirShapedTypeHasStaticShape(from) || !mlirShapedTypeHasStaticShape(to))
    return sn_no(op, "a slice whose place is not known");
  if (sn_rank(from) != sn_rank(sn_type_of(sn_result(slice, 0))))
    return sn_no(op, "a slice that drops dimensions");
  if (sn_rank(to) > SN_MAX_DIMS || !read_groups(op, &groups))
    return sn_no(op, "more than %d dimensions", SN_MAX_DIMS);
  MlirAttribute offsets = sn_get_attr(slice, "static_offsets"), strides = sn_get_attr(slice, "static_strides");
  int64_t shape[SN_MAX_DIMS], offset[SN_MAX_DIMS], size[SN_MAX_DIMS], stride[SN_MAX_DIMS];
  for (intptr_t g = 0; g < groups.n; ++g) {
    int64_t first = groups.first[g], inner = 1, at = mlirDenseI64ArrayGetElement(offsets, g),
            step = mlirDenseI64ArrayGetElement(strides, g);
    for (int64_t d = first; d < groups.first[g + 1]; ++d) {
      shape[d] = size[d] = sn_dim(to, d);
      offset[d] = 0;
      stride[d] = 1;
      inner = sn_times(inner, d > first ? shape[d] : 1);
    }
    bool whole = groups.first[g + 1] == first + 1;
    if (!whole && step != 1)
      return sn_no(op, "unfolds what the slice takes with a stride of %ld", (long)step);
    if (!inner || at % inner || sn_dim(from, g) % inner)
      return sn_no(op, "the slice cuts through the unfolded dimensions: offset %ld of size %ld, %ld in each", (long)at,
                   (long)sn_dim(from, g), (long)inner);
    shape[first] = sn_dim(from, g) / inner;
    offset[first] = at / inner;
    stride[first] = step;
  }
  intptr_t rank = sn_rank(to);
  MlirContext ctx = rw->b->ctx;
  int32_t segments[] = {1, 0, 0, 0};
  MlirValue wide = expand(rw->b, x, &groups, shape);
  sn_replace(rw, op,
             sn(rw->b, "tensor.extract_slice", wide, to,
                sn_attr("static_offsets", mlirDenseI64ArrayGet(ctx, rank, offset)),
                sn_attr("static_sizes", mlirDenseI64ArrayGet(ctx, rank, size)),
                sn_attr("static_strides", mlirDenseI64ArrayGet(ctx, rank, stride)),
                sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(ctx, 4, segments))));
  return true;
}

static const SnRule rules[] = {
    {"tensor.expand_shape", expand_of_collapse},
    {"tensor.expand_shape", expand_of_slice},
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
      return true;
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

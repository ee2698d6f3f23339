// argument_tables.c: small kernels of arguments alone, of the same sizes, are one.
//
//   %r = rowwise (i = 512) by () ins(%variance[i]) { 1 / sqrt }       first of the block
//   ...                                                         ->  one form that gives both, where the first stood
//   %s = rowwise (i = 512) by () ins(%deviation[i]) { 1 / sqrt }
//
// What weights alone give is stored where rows of an unknown number would make it again: a model with many norms has
// many such tables, of a few numbers each, which take less to make than a kernel takes to begin. They share nothing, so
// pairs do not find them. All they wait for is there from the block's beginning; kernels of a program that is
// compiled for few rows have hardly any. A size `?` counts as some number, and equals one that is made the same way.
//
// runs in: fuse    test: test/passes/fuse/argument_tables.mlir

#include "passes/edit/edit.h"
#include "passes/fuse/fuse.h"

// Points of a table: more take longer to make than a kernel to begin. What a size `?` counts as, so that there is one
// at most, beside few numbers. And how many sizes back are looked at.
enum { SMALL = 1 << 13, UNKNOWN = 1 << 7, MOST_KINDS = 64 };

static bool is_table(MlirOperation op, MlirBlock block) {
  if (!sn_is(op, "sinter.rowwise") || !sn_num_results(op))
    return false;
  bool is = true;
  for (intptr_t k = 0; k < sn_num_operands(op) && is; ++k)
    is = sn_is_there(sn_operand(op, k), block);
  if (!is)
    return false;
  SnForm f = sn_form_read(op);
  double points = 1;
  is = sn_is_elementwise_form(&f) && !f.schedule.ptr && f.dims.size > 0;
  for (size_t d = 0; d < f.dims.size; ++d)
    points *= f.dims.data[d].size == SN_DYNAMIC ? UNKNOWN : (double)f.dims.data[d].size;
  sn_form_free(&f);
  return is && points <= SMALL;
}

typedef struct {
  MlirOperation last; // of these sizes, with all before it that fit
  intptr_t num_rows;
  size_t num_dims;
  int64_t sizes[SN_MAX_DIMS];
  bool reads_nothing;
} Kind;
typedef SN_VEC(Kind) Kinds;

static Kind kind_of(MlirOperation op) {
  SnForm f = sn_form_read(op);
  Kind kind = {.last = op, .num_rows = f.num_rows, .num_dims = f.dims.size, .reads_nothing = !f.inputs.size};
  for (size_t d = 0; d < f.dims.size; ++d)
    kind.sizes[d] = f.dims.data[d].size;
  sn_form_free(&f);
  return kind;
}

// b's dimensions are a's, or a's rows, where b reads nothing: numbers that are written beside each row.
static bool same_sizes(const Kind *a, const Kind *b) {
  bool alike = a->num_rows == b->num_rows && a->num_dims == b->num_dims,
       of_rows = b->reads_nothing && a->num_rows == (intptr_t)b->num_dims;
  if (!alike && !of_rows)
    return false;
  SnForm f = sn_form_read(a->last), g = sn_form_read(b->last);
  bool same = true;
  for (size_t d = 0; d < b->num_dims && same; ++d)
    same = a->sizes[d] == b->sizes[d] && sn_same_size(&f, (intptr_t)d, &g, (intptr_t)d);
  sn_form_free(&g);
  sn_form_free(&f);
  return same;
}

static Kind *known(Kinds *kinds, const Kind *kind) {
  for (size_t i = kinds->size, looked_at = 0; i-- > 0 && looked_at < MOST_KINDS; ++looked_at) {
    if (same_sizes(&kinds->data[i], kind))
      return &kinds->data[i];
  }
  return NULL;
}

// b right behind a, at its place, and what it needs in front of a.
static void move_up(SnOrder *order, MlirOperation a, MlirOperation b) {
  sn_move_needed(&order->places, a, b);
  mlirOperationMoveAfter(b, a);
}

bool sn_fuse_tables(MlirBlock block) {
  Kinds kinds = {0};
  SnOrder order = {0};
  bool changed = false;
  for (MlirOperation op = mlirBlockGetFirstOperation(block), next; !sn_null(op); op = next) {
    next = mlirOperationGetNextInBlock(op);
    if (!is_table(op, block))
      continue;
    Kind kind = kind_of(op), *same = known(&kinds, &kind);
    if (!same) {
      sn_push(&kinds, kind);
      continue;
    }
    SnMerge m = {0};
    if (sn_may_fit(same->last, op) && sn_can_merge(same->last, op, &m)) {
      if (!order.places.size)
        order = sn_order(block);
      uintptr_t place = sn_order_place(&order, same->last);
      move_up(&order, same->last, op);
      MlirOperation merged = sn_merge(&m);
      sn_order_put(&order, merged, place);
      same->last = merged;
      changed = true;
    } else if (same->num_dims == kind.num_dims) {
      *same = kind; // the next ones go on from here
    } else {
      sn_push(&kinds, kind);
    }
    sn_merge_free(&m);
  }
  sn_order_free(&order);
  sn_vec_free(&kinds);
  return changed;
}

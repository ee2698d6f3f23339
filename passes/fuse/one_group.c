// one_group.c: groups of columns of the same sizes, of which nothing but results are made, are one.
//
//   (j) by (i) by (e = 64) by (k = 64)   matrix (i) to (e) (%g)   matrix (i) to (k) (%q)
//     ->  (j) by (i) by (e = 64)         matrix (i) to (e) (%g)   matrix (i) to (e) (%q)
//
// Two products that go on from the rows of one kernel bring a group each. Kernels whose sums grow in registers have
// one.
//
// runs in: fuse    test: test/passes/fuse/dots.mlir

#include "passes/edit/edit.h"
#include "passes/fuse/fuse.h"

static bool same_sizes(const SnForm *f, SnGroup a, SnGroup b) {
  bool same = a.num_dims == b.num_dims;
  for (int64_t d = 0; d < a.num_dims && same; ++d) {
    int64_t size = f->dims.data[a.first + d].size;
    same = size != SN_DYNAMIC && size == f->dims.data[b.first + d].size;
  }
  return same;
}

// Rows of the group come from matrices alone.
static bool is_of_matrices(const SnForm *f, int64_t group) {
  bool is = true;
  for (size_t p = 0; p < f->products.size; ++p)
    is &= sn_group_of_product(f, p) != group;
  for (size_t m = 0; m < f->matrices.size; ++m)
    is &= f->matrices.data[m].from != group;
  return is;
}

// Without group `gone`, whose columns are those of group `kept`.
static void join(SnForm *f, int64_t kept, int64_t gone) {
  MlirContext ctx = mlirOperationGetContext(f->op);
  SnGroup from = f->groups.data[gone], to = f->groups.data[kept];
  MlirAffineExpr dims[SN_MAX_DIMS];
  SnForm made = *f;
  intptr_t n = (intptr_t)(f->dims.size - (size_t)from.num_dims), at = 0;
  memset(&made.dims, 0, sizeof made.dims);
  memset(&made.groups, 0, sizeof made.groups);
  for (int64_t d = 0; d < (int64_t)f->dims.size; ++d) {
    if (d >= from.first && d < from.first + from.num_dims)
      continue;
    sn_push(&made.dims, f->dims.data[d]);
    dims[d] = mlirAffineDimExprGet(ctx, at++);
  }
  for (int64_t d = 0; d < from.num_dims; ++d)
    dims[from.first + d] = dims[to.first + d];
  for (int64_t g = 0; g < (int64_t)f->groups.size; ++g)
    if (g != gone) {
      SnGroup is = f->groups.data[g];
      is.first -= is.first > from.first ? from.num_dims : 0;
      sn_push(&made.groups, is);
    }
  made.num_cols -= from.num_dims;
  for (size_t m = 0; m < f->matrices.size; ++m) {
    int64_t *is = &made.matrices.data[m].to, *of = &made.matrices.data[m].from;
    *is = *is == gone ? kept : *is;
    *is -= *is > gone;
    *of -= *of > gone;
  }
  for (size_t k = 0; k < f->inputs.size; ++k)
    made.inputs.data[k].map = sn_map_replace(made.inputs.data[k].map, n, dims);
  for (size_t k = 0; k < f->indices.size; ++k)
    made.indices.data[k].map = sn_map_replace(made.indices.data[k].map, n, dims);
  for (size_t k = 0; k < f->outputs.size; ++k)
    made.outputs.data[k].map = sn_map_replace(made.outputs.data[k].map, n, dims);
  SnBuilder b = sn_before(f->op);
  MlirOperation op = sn_form_create(&b, &made, false);
  SnMap map = {0};
  for (intptr_t k = 0; k < mlirBlockGetNumArguments(f->body); ++k)
    sn_map(&map, mlirBlockGetArgument(f->body, k), mlirBlockGetArgument(made.body, k));
  SnBuilder in = sn_at_end(made.body, b.loc);
  sn_copy_block(&in, f->body, &map);
  sn_replace_results(f->op, op);
  mlirOperationDestroy(f->op);
  sn_map_free(&map);
  sn_vec_free(&made.dims);
  sn_vec_free(&made.groups);
}

// The body names no position in it.
static bool is_nameless(const SnForm *f, SnGroup group) {
  bool is = true;
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !sn_null(op); op = mlirOperationGetNextInBlock(op)) {
    MlirAttribute name = sn_get_attr(op, "dim");
    for (int64_t d = group.first; d < group.first + group.num_dims && name.ptr; ++d)
      is &= !mlirStringRefEqual(mlirStringAttrGetValue(name), f->dims.data[d].name);
  }
  return is;
}

static bool is_free(const SnForm *f) {
  bool is = f->contract && sn_num_groups(f) > 2 && !f->accumulators.size && !f->finish.ptr && !f->schedule.ptr;
  for (size_t s = 0; s < sn_num_sides(f) && is; ++s)
    is = !sn_side(f, s).program.ptr;
  return is;
}

static bool join_groups(MlirOperation op) {
  SnForm f = sn_form_read(op);
  bool joined = false;
  for (int64_t a = 1; is_free(&f) && a < (int64_t)f.groups.size && !joined; ++a)
    for (int64_t b = a + 1; b < (int64_t)f.groups.size && !joined; ++b)
      if (same_sizes(&f, sn_group(&f, (size_t)a), sn_group(&f, (size_t)b)) && is_of_matrices(&f, a) &&
          is_of_matrices(&f, b) && is_nameless(&f, sn_group(&f, (size_t)b))) {
        join(&f, a, b);
        joined = true;
      }
  sn_form_free(&f);
  return joined;
}

bool sn_fuse_groups(MlirBlock block, const SnPolicy *policy) {
  bool changed = false;
  for (MlirOperation op = mlirBlockGetFirstOperation(block), next; !sn_null(op); op = next) {
    bool joined = policy->tensor_cores && sn_is(op, "sinter.contract") && sn_num_results(op) && join_groups(op);
    changed |= joined;
    next = joined ? mlirBlockGetFirstOperation(block) : mlirOperationGetNextInBlock(op);
  }
  return changed;
}

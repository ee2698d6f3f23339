// image_sums.c: what a product gives, summed over some of its rows whole, is summed row by row where it is made.
//
//   %y = contract (i = 4, j = 8) by (k = 5, l = 5) ...
//   %b = rowwise (j = 8) by (i = 4, k = 5, l = 5) ins(%y[i, j, k, l]) { row_reduce add }
// ->
//   %y, %s = contract (i = 4, j = 8) by (k = 5, l = 5) ...  { row_reduce add }
//   %b = rowwise (i = 4) by (j = 8) ins(%s[i, j]) reduce(add [j])
//
// The gradient of a convolution's bias is a sum over images and places. Where what it sums comes from a row program,
// both are one kernel (differentiate/own_rows.c); a product's rows are those of one image, and as many kernels as there
// are read all of %y but once. Behind the pairs, which might have found another kernel for the sum. A GPU reads %y
// sooner than it would begin a kernel for few numbers.
//
// runs in: fuse    test: test/passes/fuse/image_sums.mlir

#include "dialect/row_ops.h"
#include "passes/edit/edit.h"
#include "passes/fuse/fuse.h"

// f is the sum of c's one input, the result `result` of f.
typedef struct {
  SnForm f, c;
  size_t result;
  intptr_t row_of[SN_MAX_DIMS]; // of f's row d, the row of c; -1: c sums over it
} Sum;

// A body that adds up a row of the result's own type, and nothing more.
static bool is_bare_sum(const SnForm *c) {
  bool bare = !c->contract && sn_is_plain(c) && !c->schedule.ptr && c->inputs.size == 1 && c->outputs.size == 1 &&
              !c->indices.size && !c->accumulators.size && !c->finish.ptr && c->num_rows && c->num_cols;
  MlirOperation sum = bare ? sn_reduce_of(sn_operand(mlirBlockGetTerminator(c->body), 0), "add") : (MlirOperation){0};
  const SnAccess *x = &c->inputs.data[0];
  return !sn_null(sum) && sn_same(sn_operand(sum, 0), sn_input_argument(c, 0)) && !x->fill.ptr && !x->through.ptr &&
         !sn_is_table(x) && sn_is_float(sn_type_of(sn_result(sum, 0))) &&
         mlirTypeEqual(sn_type_of(sn_result(sum, 0)), sn_element(sn_type_of(x->value))) &&
         mlirTypeEqual(sn_type_of(sn_result(sum, 0)), sn_element(sn_type_of(c->outputs.data[0].value)));
}

// Each dimension of c is one of f's rows and columns, as a whole, and of rows at least one is summed.
static bool matches(Sum *s) {
  const SnForm *f = &s->f, *c = &s->c;
  MlirAffineMap written = f->outputs.data[s->result].map, read = c->inputs.data[0].map;
  bool seen[SN_MAX_DIMS] = {false}, ok = true, some = false;
  int64_t n = 0;
  for (intptr_t p = 0; p < mlirAffineMapGetNumResults(written) && ok; ++p) {
    intptr_t d = sn_map_dim(written, p), e = sn_map_dim(read, p);
    if (d < 0 && e < 0) { // of size 1
      ok = sn_dim(sn_type_of(c->inputs.data[0].value), p) == 1;
      continue;
    }
    ok = d >= 0 && e >= 0 && !seen[e] && (sn_is_row_dim(f, d) || sn_is_col_dim(c, e)) &&
         f->dims.data[d].size == c->dims.data[e].size;
    if (!ok)
      break;
    seen[e] = true;
    n += 1;
    if (sn_is_row_dim(f, d)) {
      s->row_of[d] = sn_is_row_dim(c, e) ? e : -1;
      some |= s->row_of[d] < 0;
    }
  }
  return ok && some && n == c->num_rows + c->num_cols && n == f->num_rows + f->num_cols;
}

// Over f's rows and columns alone: the sums of its rows, of which there is no more yet than a form that reads them.
static MlirOperation sum_rows(const Sum *s) {
  const SnForm *f = &s->f;
  SnForm to = {.num_rows = f->num_rows, .num_cols = f->num_cols};
  SnBuilder front = sn_before(f->op), b = sn_after(f->op);
  MlirAffineExpr dims[SN_MAX_DIMS], rows[SN_MAX_DIMS];
  intptr_t points = (intptr_t)(f->num_rows + f->num_cols);
  for (intptr_t d = 0; d < (intptr_t)f->dims.size; ++d) {
    dims[d] = d < points ? mlirAffineDimExprGet(b.ctx, d) : mlirAffineConstantExprGet(b.ctx, 0);
    if (d < points)
      sn_push(&to.dims, f->dims.data[d]);
    if (d < f->num_rows)
      rows[d] = mlirAffineDimExprGet(b.ctx, d);
  }
  MlirType t = sn_element(sn_type_of(s->c.inputs.data[0].value));
  MlirAffineMap all = mlirAffineMapGet(b.ctx, (intptr_t)f->dims.size, 0, f->num_rows, rows);
  SnAccess out = {.value = sn_empty_at(&front, f, all, t), .map = sn_map_replace(all, points, dims)};
  SnAccess in = {.value = sn_result(f->op, (intptr_t)s->result),
                 .map = sn_map_replace(f->outputs.data[s->result].map, points, dims)};
  sn_push(&to.inputs, in);
  sn_push(&to.outputs, out);
  b.loc = mlirOperationGetLocation(s->c.op);
  MlirOperation made = sn_form_create(&b, &to, false);
  SnBuilder body = sn_at_end(to.body, b.loc);
  MlirValue sum = sn_row_reduce(&body, "add", sn_input_argument(&to, 0), t);
  sn_op(&body, "sinter.yield", sn_values(1, &sum), sn_types(0, NULL));
  sn_form_free(&to);
  return made;
}

// In place of c, the sum of those.
static void add_up(const Sum *s, MlirValue sums) {
  const SnForm *f = &s->f, *c = &s->c;
  SnForm to = {.num_cols = c->num_rows};
  SnBuilder b = sn_before(c->op);
  MlirAffineExpr from[SN_MAX_DIMS], kept[SN_MAX_DIMS];
  for (intptr_t d = 0; d < f->num_rows; ++d)
    if (s->row_of[d] < 0) {
      from[d] = mlirAffineDimExprGet(b.ctx, to.num_rows++);
      sn_push(&to.dims, f->dims.data[d]);
    }
  for (intptr_t e = 0; e < (intptr_t)c->dims.size; ++e)
    kept[e] = sn_is_row_dim(c, e) ? mlirAffineDimExprGet(b.ctx, to.num_rows + e) : mlirAffineConstantExprGet(b.ctx, 0);
  for (intptr_t e = 0; e < c->num_rows; ++e)
    for (intptr_t d = 0; d < f->num_rows; ++d)
      if (s->row_of[d] == e) { // by f's names, which c may have for others
        from[d] = kept[e];
        sn_push(&to.dims, f->dims.data[d]);
      }
  SnAccess in = {.value = sums, .map = mlirAffineMapGet(b.ctx, (intptr_t)to.dims.size, 0, f->num_rows, from)};
  SnAccess out = c->outputs.data[0];
  out.map = sn_map_replace(out.map, (intptr_t)to.dims.size, kept);
  MlirType t = sn_element(sn_type_of(sums));
  SnAccumulator add = {SN_STR("add"), mlirAffineMapGet(b.ctx, (intptr_t)to.dims.size, 0, to.num_cols, kept), t};
  sn_push(&to.inputs, in);
  sn_push(&to.outputs, out);
  sn_push(&to.accumulators, add);
  MlirOperation made = sn_form_create(&b, &to, false);
  SnBuilder body = sn_at_end(to.body, b.loc);
  MlirValue x = sn_input_argument(&to, 0);
  sn_op(&body, "sinter.yield", sn_values(1, &x), sn_types(0, NULL));
  sn_replace_results(c->op, made);
  sn_form_free(&to);
}

static bool is_image_sum(MlirOperation op) {
  Sum s = {.c = sn_form_read(op)};
  MlirOperation product = is_bare_sum(&s.c) ? sn_producer(&s.c, 0, &s.result) : (MlirOperation){0};
  bool is = !sn_null(product) && sn_is(product, "sinter.contract");
  if (is) {
    s.f = sn_form_read(product);
    is = sn_is_plain(&s.f) && !s.f.schedule.ptr && !sn_is_reduced(&s.f, s.result) && matches(&s);
  }
  if (is) {
    MlirOperation sums = sum_rows(&s);
    SnMerge m;
    is = sn_can_merge(product, sums, &m);
    if (is) {
      add_up(&s, sn_result(sums, 0));
      mlirOperationDestroy(op);
      sn_tidy(sn_merge(&m));
    } else {
      mlirOperationDestroy(sums);
    }
    sn_merge_free(&m);
  }
  sn_form_free(&s.f);
  sn_form_free(&s.c);
  return is;
}

bool sn_fuse_image_sums(MlirBlock block, const SnPolicy *policy) {
  bool changed = false;
  for (MlirOperation op = mlirBlockGetFirstOperation(block), next; !sn_null(op); op = next) {
    next = mlirOperationGetNextInBlock(op);
    changed |= !policy->tensor_cores && sn_is(op, "sinter.rowwise") && sn_num_results(op) && is_image_sum(op);
  }
  return changed;
}

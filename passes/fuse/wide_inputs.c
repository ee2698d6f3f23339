// wide_inputs.c: what is made of wider elements than it has is made once, where many heads would each read those.
//
//   %m[i, j] = select(%kept[i, j] : i64 > 0, %bias[i, j] : bf16, -inf)         10 bytes for 2
//   contract (h = 32, i) by (j) { %s + %m[i, j] }          ->    %m is stored, and its 32 readers read that
//
// The bytes come from a cache, but a score of attention has a few operations for each of them: a mask of i64 beside a
// bias was read for as long as both products took. What is made of positions is never stored: it says which blocks of
// columns a mask leaves out.
//
// runs in: fuse, explain    test: test/passes/fuse/wide_inputs.mlir

#include "dialect/row_ops.h"
#include "passes/fuse/fuse.h"

// So many more bytes a GPU's second cache gives in the time of two launches, which storing takes.
static const double OF_LAUNCHES = 1 << 24;

// It has an element of its own at each point of the form.
static bool is_of_points(const SnForm *f, const SnAccess *a) {
  bool all = !a->through.ptr;
  for (intptr_t d = 0; d < f->num_rows + f->num_cols; ++d)
    all &= f->dims.data[d].size == 1 || sn_access_uses(f, a, d);
  return all;
}

static double bytes_of_point(const SnForm *f, const SnAccess *accesses, size_t from, size_t to) {
  double n = 0;
  for (size_t k = from; k < to; ++k)
    if (is_of_points(f, &accesses[k])) {
      unsigned bits = sn_bits(sn_element(sn_type_of(accesses[k].value)));
      n += bits < 8 ? 1 : bits / 8;
    }
  return n;
}

static bool names_positions(const SnForm *f) {
  bool names = false;
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    names |= sn_row_op_of(op) && sn_row_op_of(op)->names_dim;
  return names;
}

bool sn_reads_wide_again(const SnMerge *m, const SnPolicy *policy) {
  if (!policy->tensor_cores || m->into_finish || !sn_is_elementwise_form(&m->a) ||
      names_positions(&m->a))
    return false;
  double read = bytes_of_point(&m->a, m->a.inputs.data, sn_first_input(&m->a), m->a.inputs.size),
         written = bytes_of_point(&m->a, m->a.outputs.data, 0, m->a.outputs.size);
  return sn_points(&m->a) * ((read - written) * sn_rows_alike(m) - (read + written)) > OF_LAUNCHES;
}

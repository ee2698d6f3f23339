// equal_sizes.c: whether two sizes `?` are one, by how they were made.
//
//   %n = tensor.dim %x, %c0
//   %e = tensor.empty(%n)
//   sinter.rowwise (i = ?) ... outs(%e[i])       i is dimension 0 of %x
//
// Two sizes that nobody knows need not be equal; those that lead to one dimension of one value are.
//
// runs in: fuse    test: test/passes/fuse/fuse.mlir

#include "passes/merge/merge.h"

// Where the size of v in dimension i comes from: v and i become that.
static void follow(MlirValue *v, intptr_t *i) {
  for (MlirOperation op = sn_definer(*v); !sn_null(op); op = sn_definer(*v)) {
    if (sn_is_form(op)) {
      *v = sn_operand(op, sn_num_operands(op) - sn_num_results(op) + mlirOpResultGetResultNumber(*v));
    } else if (sn_is(op, "tensor.empty")) {
      intptr_t operand = 0;
      for (intptr_t d = 0; d < *i; ++d)
        operand += sn_dim(sn_type_of(*v), d) == SN_DYNAMIC;
      MlirOperation dim =
          sn_dim(sn_type_of(*v), *i) == SN_DYNAMIC ? sn_def(sn_operand(op, operand), "tensor.dim") : (MlirOperation){0};
      if (!sn_known_dim(dim, i))
        return;
      *v = sn_operand(dim, 0);
    } else {
      return;
    }
  }
}

// The k-th operand of f that has dimension d as a plain subscript gives its size.
static bool giver(const SnForm *f, size_t k, intptr_t d, MlirValue *v, intptr_t *i) {
  const SnAccess *a = k < f->inputs.size ? &f->inputs.data[k] : &f->outputs.data[k - f->inputs.size];
  for (*i = 0; *i < mlirAffineMapGetNumResults(a->map) && !a->fill.ptr; ++*i)
    if (sn_map_dim(a->map, *i) == d) {
      *v = a->value;
      follow(v, i);
      return true;
    }
  return false;
}

bool sn_same_size(const SnForm *f, intptr_t d, const SnForm *g, intptr_t e) {
  if (f->dims.data[d].size != SN_DYNAMIC || g->dims.data[e].size != SN_DYNAMIC)
    return f->dims.data[d].size == g->dims.data[e].size;
  MlirValue x, y;
  intptr_t i, j;
  for (size_t k = 0; k < f->inputs.size + f->outputs.size; ++k)
    for (size_t l = 0; giver(f, k, d, &x, &i) && l < g->inputs.size + g->outputs.size; ++l)
      if (giver(g, l, e, &y, &j) && sn_same(x, y) && i == j)
        return true;
  return false;
}

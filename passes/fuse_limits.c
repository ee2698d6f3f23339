// fuse_limits.c: kernels do not grow without end.
//
//   17 losses of one tensor   ->   a kernel of 16, and one
//
// Two forms that are one already share what both read, so their numbers add up without it. The numbers and their
// reasons are in capi/limits.h.
//
// runs in: fuse, explain    test: test/passes/fuse_limits.mlir

#include "passes/fuse.h"

typedef struct {
  size_t operations, reductions;
} Size;

static Size size_of(MlirBlock block) {
  Size s = {0};
  for (MlirOperation op = block.ptr ? mlirBlockGetFirstOperation(block) : (MlirOperation){0}; !sn_null(op); op = mlirOperationGetNextInBlock(op)) {
    ++s.operations;
    s.reductions += sn_is(op, "sinter.row_reduce");
  }
  return s;
}

static bool at_most(const SnMerge *m, size_t n, long most, const char *what) { return n <= (size_t)most || sn_refuse(m->b.op, SN_WHY_MANY, (long)n, what, most); }

// What the merged form reads and writes. An input of both is one.
static size_t count_operands(const SnMerge *m) {
  size_t result, n = m->a.inputs.size + m->a.indices.size + m->b.indices.size + m->b.outputs.size;
  for (size_t k = 0; k < m->a.outputs.size; ++k)
    n += m->keep[k];
  for (size_t k = 0; k < m->b.inputs.size; ++k) {
    bool known = sn_flows(m, k, &result);
    for (size_t i = 0; i < m->a.inputs.size && !known; ++i)
      known = sn_same(m->a.inputs.data[i].value, m->b.inputs.data[k].value);
    n += !known;
  }
  return n;
}

static size_t count_accumulators(const SnMerge *m) {
  bool needed = m->into_finish;
  for (size_t k = 0; k < m->a.outputs.size; ++k)
    needed |= m->keep[k] && sn_is_reduced(&m->a, k);
  return (needed ? m->a.accumulators.size : 0) + m->b.accumulators.size;
}

static bool subscripts_fit(const SnMerge *m, const SnForm *f, const MlirAffineExpr *dims) {
  bool fit = true;
  for (size_t k = 0; k < f->inputs.size && fit; ++k)
    fit = sn_map_fits_with(f->inputs.data[k].map, dims);
  for (size_t k = 0; k < f->indices.size && fit; ++k)
    fit = sn_map_fits_with(f->indices.data[k].map, dims);
  return fit || sn_refuse(f->op, SN_WHY_LONG_SUBSCRIPT, (long)SN_MAX_SUBSCRIPT_PARTS);
}

bool sn_fits(const SnMerge *m) {
  Size a = size_of(m->a.body), b = size_of(m->b.body), a_end = size_of(m->a.finish), b_end = size_of(m->b.finish);
  Size body = {a.operations + b.operations, a.reductions + b.reductions};
  Size finish = {a_end.operations + b_end.operations, a_end.reductions + b_end.reductions};
  if (m->into_finish) { // b's body goes there
    body = a;
    finish.operations += b.operations;
    finish.reductions += b.reductions;
  }
  return at_most(m, m->merged.dims.size, SN_FUSED_DIMS, "dimensions") && at_most(m, m->merged.products.size, SN_FUSED_PRODUCTS, "products") &&
         at_most(m, count_accumulators(m), SN_FUSED_ACCUMULATORS, "accumulators") && at_most(m, count_operands(m), SN_FUSED_OPERANDS, "operands") &&
         at_most(m, body.reductions, SN_FUSED_REDUCTIONS, "reductions along its rows") &&
         at_most(m, finish.reductions, SN_FUSED_REDUCTIONS, "reductions in its finish") &&
         at_most(m, body.operations, SN_FUSED_OPERATIONS, "operations") &&
         at_most(m, finish.operations, SN_FUSED_OPERATIONS, "operations in its finish") && subscripts_fit(m, &m->a, m->a_dims) &&
         subscripts_fit(m, &m->b, m->b_dims);
}

// growth.c: kernels do not grow without end.
//
//   17 losses of one tensor   ->   a kernel of 16, and one
//
// Two forms that are one already share what both read, so their numbers add up without it. The numbers and their
// reasons are in capi/limits.h.
//
// runs in: fuse, explain    test: test/passes/fuse/growth.mlir

#include "dialect/row_ops.h"
#include "passes/merge/merge.h"

static void count(MlirOperation form, intptr_t region, SnGrowth *s) {
  MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(form, region));
  for (MlirOperation op = block.ptr ? mlirBlockGetFirstOperation(block) : (MlirOperation){0}; !sn_null(op);
       op = mlirOperationGetNextInBlock(op)) {
    ++s->operations;
    s->reductions += sn_row_op_has(op, SN_READS_ALL);
  }
}

static size_t length(MlirOperation form, const char *attr) {
  MlirAttribute list = sn_get_attr(form, attr);
  return list.ptr ? (size_t)mlirArrayAttrGetNumElements(list) : 0;
}

static bool at_most(MlirOperation op, size_t n, long most, const char *what) {
  return n <= (size_t)most || sn_refuse(op, SN_WHY_MANY, (long)n, what, most);
}

SnGrowth sn_growth(MlirOperation form) {
  SnGrowth s = {.accumulators = length(form, "accumulators"), .products = length(form, "product_types")};
  for (intptr_t region = 0; region < mlirOperationGetNumRegions(form); ++region)
    count(form, region, &s);
  return s;
}

bool sn_growths_fit(MlirOperation b, const SnGrowth *x, const SnGrowth *y) {
  return at_most(b, x->accumulators + y->accumulators, SN_FUSED_ACCUMULATORS, "accumulators") &&
         at_most(b, x->products + y->products, SN_FUSED_PRODUCTS, "products") &&
         at_most(b, x->reductions + y->reductions, SN_FUSED_REDUCTIONS, "reductions along its rows") &&
         at_most(b, x->operations + y->operations, SN_FUSED_OPERATIONS, "operations");
}

bool sn_may_fit(MlirOperation a, MlirOperation b) {
  SnGrowth x = sn_growth(a), y = sn_growth(b);
  return sn_growths_fit(b, &x, &y);
}

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

static bool subscripts_fit(const SnMerge *m, const SnForm *f, const MlirAffineExpr *dims) {
  bool fit = true;
  for (size_t k = 0; k < f->inputs.size && fit; ++k)
    fit = sn_map_fits_with(f->inputs.data[k].map, dims);
  for (size_t k = 0; k < f->indices.size && fit; ++k)
    fit = sn_map_fits_with(f->indices.data[k].map, dims);
  return fit || sn_refuse(f->op, SN_WHY_LONG_SUBSCRIPT, (long)SN_MAX_SUBSCRIPT_PARTS);
}

bool sn_fits(const SnMerge *m) {
  return sn_may_fit(m->a.op, m->b.op) && at_most(m->b.op, m->merged.dims.size, SN_FUSED_DIMS, "dimensions") &&
         at_most(m->b.op, count_operands(m), SN_FUSED_OPERANDS, "operands") && subscripts_fit(m, &m->a, m->a_dims) &&
         subscripts_fit(m, &m->b, m->b_dims);
}

bool sn_chain_fits(const SnChain *c) {
  const SnForm *f = &c->merged;
  return sn_may_fit(c->a.op, c->b.op) &&
         at_most(c->b.op, f->products.size + f->matrices.size, SN_FUSED_PRODUCTS, "products") &&
         at_most(c->b.op, f->dims.size, SN_FUSED_DIMS, "dimensions") &&
         at_most(c->b.op, f->inputs.size + f->indices.size + f->outputs.size, SN_FUSED_OPERANDS, "operands");
}

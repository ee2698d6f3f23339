// equal_sizes.c: whether two sizes `?` are one, by how they were made.
//
//   %n = tensor.dim %x, %c0
//   %e = tensor.empty(%n)
//   sinter.rowwise (i = ?) ... outs(%e[i])       i is dimension 0 of %x
//
// Two sizes that nobody knows need not be equal; those that lead to one dimension of one value are. So a value that is
// read with bounds may be read inside of them alone.
//
// runs in: fuse    test: test/passes/fuse/fuse.mlir

#include "passes/edit/size_terms.h"
#include "passes/merge/merge.h"

// The k-th operand of f that has dimension d as a plain subscript gives its size.
static SnSize given(SnSizeReader *r, const SnForm *f, size_t k, intptr_t d) {
  const SnAccess *a = k < f->inputs.size ? &f->inputs.data[k] : &f->outputs.data[k - f->inputs.size];
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(a->map) && !a->fill.ptr; ++i)
    if (sn_map_dim(a->map, i) == d)
      return sn_size_of_dim(r, a->value, i);
  return (SnSize){0};
}

static bool has_size(SnSizeReader *r, const SnForm *f, intptr_t d, const SnSize *size) {
  for (size_t k = 0; k < f->inputs.size + f->outputs.size; ++k) {
    SnSize is = given(r, f, k, d);
    if (sn_size_equal(&is, size))
      return true;
  }
  return false;
}

bool sn_same_size(const SnForm *f, intptr_t d, const SnForm *g, intptr_t e) {
  if (f->dims.data[d].size != SN_DYNAMIC || g->dims.data[e].size != SN_DYNAMIC)
    return f->dims.data[d].size == g->dims.data[e].size;
  SnSizeReader r = {.forgets = true};
  bool same = false;
  for (size_t k = 0; k < f->inputs.size + f->outputs.size && !same; ++k) {
    SnSize size = given(&r, f, k, d);
    same = size.known && has_size(&r, g, e, &size);
  }
  sn_size_reader_free(&r);
  return same;
}

bool sn_inside_of_unknown(const SnForm *f, const SnAccess *read) {
  SnSizeReader r = {.forgets = true};
  bool inside = true;
  for (intptr_t p = 0; p < mlirAffineMapGetNumResults(read->map) && inside; ++p) {
    intptr_t d = sn_map_dim(read->map, p);
    SnSize size = sn_size_of_dim(&r, read->value, p);
    inside = sn_dim(sn_type_of(read->value), p) != SN_DYNAMIC || (d >= 0 && has_size(&r, f, d, &size));
  }
  sn_size_reader_free(&r);
  return inside;
}

bool sn_always_inside(const SnForm *f, const SnAccess *read) {
  int64_t sizes[SN_MAX_DIMS], low, high;
  bool inside = !read->through.ptr && sn_inside_of_unknown(f, read);
  for (size_t d = 0; d < f->dims.size; ++d)
    sizes[d] = f->dims.data[d].size;
  for (intptr_t p = 0; p < mlirAffineMapGetNumResults(read->map) && inside; ++p) {
    int64_t size = sn_dim(sn_type_of(read->value), p);
    inside = size == SN_DYNAMIC || (sn_affine_range(mlirAffineMapGetResult(read->map, p), sizes, &low, &high) &&
                                    low >= 0 && high < size);
  }
  return inside;
}

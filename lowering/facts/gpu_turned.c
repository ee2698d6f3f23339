// gpu_turned.c: operands whose neighbours in memory are rows, where the others have columns there.
//
//   (i = 64) by (j = 64) ins(%x[i, j], %y[j, i]) outs(%z[i, j])    ->    operand 1 is turned, in dimension i
//
// test: test/lowering/gpu/turned.mlir, test/passes/schedule/gpu_turned.mlir

#include "dialect/row_ops.h"
#include "lowering/facts/gpu_forms.h"
#include "lowering/rows/rowmemory.h"

static const SnAccess *operand(const SnForm *f, size_t o) {
  return o < f->inputs.size ? &f->inputs.data[o] : &f->outputs.data[o - f->inputs.size];
}

static bool is_turned(const SnForm *f, const SnAccess *a, intptr_t row) {
  intptr_t inner = (intptr_t)(f->num_rows + f->num_cols - 1);
  return !sn_is_table(a) && !a->through.ptr && sn_uses_cols(f, a->map) && sn_unit_stride(a->map, row) &&
         !sn_unit_stride(a->map, inner) &&
         mlirAffineExprIsADim(mlirAffineMapGetResult(a->map, mlirAffineMapGetNumResults(a->map) - 1));
}

intptr_t sn_gpu_turned_row(const SnForm *f) {
  for (size_t o = 0; f->num_cols && o < f->inputs.size + f->outputs.size; ++o)
    for (intptr_t d = 0; d < (intptr_t)f->num_rows; ++d)
      if (is_turned(f, operand(f, o), d))
        return d;
  return -1;
}

// Rows that lie together by the first operand that is turned: of the dimension, and of those in front of it that go on
// in memory where it ends.
int64_t sn_gpu_turned_extent(const SnForm *f) {
  intptr_t row = sn_gpu_turned_row(f);
  size_t o = 0;
  int64_t factors[SN_MAX_DIMS], extent = f->dims.data[row].size;
  while (!is_turned(f, operand(f, o), row))
    ++o;
  if (extent == SN_DYNAMIC || !sn_linear_factors(operand(f, o)->map, sn_type_of(operand(f, o)->value), factors))
    return SN_DYNAMIC;
  for (intptr_t d = (intptr_t)f->num_rows; d-- > 0;)
    if (d != row) {
      if (factors[d] != extent || f->dims.data[d].size == SN_DYNAMIC)
        break;
      extent = sn_times(extent, f->dims.data[d].size);
    }
  return extent;
}

static size_t turned_operands(const SnForm *f, intptr_t row, size_t *operands) {
  size_t n = 0;
  for (size_t o = 0; o < f->inputs.size + f->outputs.size; ++o)
    if (is_turned(f, operand(f, o), row)) {
      if (n < SN_GPU_MOST_TURNED)
        operands[n] = o;
      ++n;
    }
  return n;
}

const char *sn_gpu_not_turned(const SnForm *f) {
  size_t operands[SN_GPU_MOST_TURNED];
  if (!f->num_cols || f->indices.size || sn_joins_rows(f))
    return "it has no columns, or index tensors, or reduces over rows";
  intptr_t row = sn_gpu_turned_row(f);
  if (row < 0)
    return "no operand has neighbours in a row dimension";
  if (turned_operands(f, row, operands) > SN_GPU_MOST_TURNED)
    return "too many operands have neighbours in a row dimension";
  for (size_t k = 0; k < f->outputs.size; ++k)
    if (!sn_uses_cols(f, f->outputs.data[k].map))
      return "a result is one for each row";
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    if (sn_row_op_has(op, SN_READS_ALL) || sn_row_op_has(op, SN_READS_ONE) || sn_is(op, "cf.assert"))
      return "something is reduced over a row, or picked from it, or asserted";
  return NULL;
}

SnGpuTurned sn_gpu_turned(const SnForm *f, int64_t rows, int64_t columns) {
  SnGpuTurned t = {.row = sn_gpu_turned_row(f), .rows = rows, .columns = columns, .together = rows};
  int64_t extent = sn_gpu_turned_extent(f);
  if (extent > 0 && extent < rows && rows % extent == 0)
    t.together = extent;
  t.n = turned_operands(f, t.row, t.operands);
  for (size_t i = 0; i < t.n; ++i) {
    int64_t bytes = sn_bits(sn_element(sn_type_of(operand(f, t.operands[i])->value))) / 8;
    bytes = bytes < 1 ? 1 : bytes;
    int64_t words = sn_pieces(rows * bytes, 4); // an odd number of words, of 8 bytes too
    t.pitch[i] = bytes > 4 ? rows + (rows % 2 == 0) : (words + (words % 2 == 0)) * 4 / bytes;
    t.bytes += columns * t.pitch[i] * bytes;
  }
  return t;
}

// store.c: what crosses from piece to piece lies in memory, and so does a side that is no access.
//
//                                                         %n = rowwise (i) by (k) { ... }
//   product (k) (side(%x[i, k], %r[i]) { ... }, %w)   ->    product (k) (%n[i, k], %w)
//
// runs in: split    test: test/passes/split/split.mlir

#include "passes/split/pieces.h"

// ---- sizes and destinations ----------------------------------------------------------------

// A destination over these dimensions of the form, an empty tensor or a memref, and the map of its elements.
SnAccess sn_piece_place(SnCut *s, MlirType element, const int64_t *dims, intptr_t n, bool total) {
  int64_t shape[SN_MAX_DIMS];
  MlirValue sizes[SN_MAX_DIMS], v;
  MlirAffineExpr exprs[SN_MAX_DIMS];
  intptr_t dynamic = 0;
  for (intptr_t i = 0; i < n; ++i) {
    shape[i] = s->f.dims.data[dims[i]].size;
    if (shape[i] == SN_DYNAMIC && !s->crossing)
      sizes[dynamic++] = sn_size_value(&s->b, &s->f, dims[i]);
    exprs[i] = mlirAffineDimExprGet(s->b.ctx, dims[i]);
  }
  if (s->crossing)
    v = s->crossing->place(&s->b, &s->f, element, dims, n, total || s->ending, s->crossing->user);
  else
    v = sn(&s->b, "tensor.empty", sn_values(dynamic, sizes), sn_tensor(element, n, shape));
  return (SnAccess){.value = v, .map = mlirAffineMapGet(s->b.ctx, (intptr_t)s->f.dims.size, 0, n, exprs)};
}

// The columns of a group, if there is one.
intptr_t sn_columns_of_group(const SnForm *f, int64_t group, int64_t *dims) {
  SnGroup g = group >= 0 ? sn_group(f, (size_t)group) : (SnGroup){0};
  for (int64_t d = 0; d < g.num_dims; ++d)
    dims[d] = g.first + d;
  return (intptr_t)g.num_dims;
}

// Rows, and the columns of a group if there is one.
intptr_t sn_rows_and_columns(const SnForm *f, int64_t group, int64_t *dims) {
  for (int64_t d = 0; d < f->num_rows; ++d)
    dims[d] = d;
  return (intptr_t)f->num_rows + sn_columns_of_group(f, group, dims + f->num_rows);
}

// ---- sides that are no access that a product takes ------------------------------------------------

static bool is_in(SnGroup g, int64_t d) { return d >= g.first && d < g.first + g.num_dims; }

// The dimensions that accesses and program use, those that are summed last.
static intptr_t used_dims(const SnForm *f, SnSide side, SnGroup summed, const SnAccess *accesses, int64_t *used) {
  intptr_t n = 0;
  for (int own = 0; own < 2; ++own)
    for (int64_t d = 0; d < (int64_t)f->dims.size; ++d) {
      bool uses = is_in(summed, d);
      for (size_t k = 0; k < side.count && !uses; ++k)
        uses = sn_access_uses(f, &accesses[k], d);
      MlirOperation op = side.program.ptr ? mlirBlockGetFirstOperation(side.program) : (MlirOperation){0};
      for (; !sn_null(op) && !uses; op = mlirOperationGetNextInBlock(op))
        uses = sn_row_op_names(op, f->dims.data[d].name);
      if (uses && is_in(summed, d) == own)
        used[n++] = d;
    }
  return n;
}

// Of the n dimensions, in front of `rows` not summed: the one that walks along the memory of what the side reads most
// of, or -1 where that is summed, or nobody knows. A GPU's tensor cores take sides of two bytes either way.
static intptr_t along_memory(const SnCut *s, SnSide side, const SnAccess *accesses, const int64_t *used, intptr_t rows,
                             MlirType element) {
  if (!s->how.target || strcmp(s->how.target, "gpu") || sn_bits(element) != 16)
    return -1;
  double most = 0;
  intptr_t found = -1;
  for (size_t k = 0; k < side.count; ++k) {
    MlirType t = sn_type_of(accesses[k].value);
    intptr_t rank = mlirAffineMapGetNumResults(accesses[k].map);
    double elements = 1;
    for (intptr_t p = 0; p < rank; ++p)
      elements *= sn_dim(t, p) == SN_DYNAMIC ? 1e9 : (double)sn_dim(t, p);
    if (!rank || elements < most)
      continue;
    most = elements, found = -1;
    for (intptr_t i = 0; i < rows; ++i)
      if (sn_map_dim(accesses[k].map, rank - 1) == used[i])
        found = i;
  }
  return found;
}

// The elements of a side by a form of their own: its program over what it uses and what is summed. Without a program
// it is what its one access reads. They lie as what they are made of does, or else what is summed side by side.
static SnAccess stored_side(SnCut *s, SnSide side, SnGroup summed, const SnAccess *accesses, MlirType element) {
  SnForm *f = &s->f;
  int64_t used[SN_MAX_DIMS];
  intptr_t n = used_dims(f, side, summed, accesses, used);
  MlirAffineExpr dims[SN_MAX_DIMS];
  SnForm to = {.num_rows = n - summed.num_dims, .num_cols = summed.num_dims};
  for (size_t d = 0; d < f->dims.size; ++d)
    dims[d] = mlirAffineConstantExprGet(s->b.ctx, 0);
  for (intptr_t i = 0; i < n; ++i) {
    dims[used[i]] = mlirAffineDimExprGet(s->b.ctx, i);
    sn_push(&to.dims, f->dims.data[used[i]]);
  }
  intptr_t last = along_memory(s, side, accesses, used, to.num_rows, element), num_placed = 0;
  int64_t placed[SN_MAX_DIMS];
  MlirAffineExpr written[SN_MAX_DIMS];
  for (intptr_t i = 0; i < n; ++i)
    if (i != last)
      written[num_placed] = dims[used[i]], placed[num_placed++] = used[i];
  if (last >= 0)
    written[num_placed] = dims[used[last]], placed[num_placed] = used[last];
  SnAccess made = sn_piece_place(s, element, placed, n, false);
  for (size_t k = 0; k < side.count; ++k) {
    SnAccess a = accesses[k];
    a.map = sn_map_replace(a.map, n, dims);
    if (a.through.ptr) {
      int64_t through[SN_MAX_DIMS];
      intptr_t symbols = mlirDenseArrayGetNumElements(a.through);
      for (intptr_t i = 0; i < symbols; ++i) {
        SnAccess index = f->indices.data[mlirDenseI64ArrayGetElement(a.through, i)];
        index.map = sn_map_replace(index.map, n, dims);
        through[i] = (int64_t)to.indices.size;
        sn_push(&to.indices, index);
      }
      a.through = mlirDenseI64ArrayGet(s->b.ctx, symbols, through);
    }
    sn_push(&to.inputs, a);
  }
  sn_push(&to.outputs, ((SnAccess){.value = made.value, .map = mlirAffineMapGet(s->b.ctx, n, 0, n, written)}));
  MlirOperation form = sn_form_create(&s->b, &to, false);
  SnBuilder in = sn_at_end(to.body, s->b.loc);
  if (side.program.ptr) {
    SnMap map = {0};
    for (size_t k = 0; k < to.inputs.size; ++k)
      sn_map(&map, mlirBlockGetArgument(side.program, (intptr_t)k), sn_input_argument(&to, k));
    sn_copy_block(&in, side.program, &map);
    sn_map_free(&map);
  } else {
    MlirValue v = sn_as_row(&in, sn_input_argument(&to, 0), sn_row_type(&to, element));
    sn_op(&in, "sinter.yield", v, sn_types(0, NULL));
  }
  made.value = sn_result(form, 0);
  sn_form_free(&to);
  return made;
}

// One access in the side's place.
void sn_store_side(SnCut *s, size_t number) {
  SnForm *f = &s->f;
  sn_spell_sides(f);
  SnSide side = sn_side(f, number);
  SnAccess made =
      stored_side(s, side, sn_side_summed(f, number), &f->inputs.data[side.first], sn_side_element(f, number));
  SN_VEC(SnAccess) inputs = {0};
  for (size_t k = 0; k < f->inputs.size; ++k)
    if (k == side.first)
      sn_push(&inputs, made);
    else if (k < side.first || k >= side.first + side.count)
      sn_push(&inputs, f->inputs.data[k]);
  free(f->inputs.data);
  memcpy(&f->inputs, &inputs, sizeof inputs);
  for (size_t i = number + 1; i < f->sides.size; ++i)
    f->sides.data[i].first -= side.count - 1;
  f->sides.data[number] = (SnSide){.first = side.first, .count = 1};
}

// A product uses in each side all that it sums (P2).
bool sn_side_uses_all(const SnForm *f, size_t side, SnGroup summed) {
  for (int64_t d = summed.first; d < summed.first + summed.num_dims; ++d)
    if (!sn_side_uses(f, side, d))
      return false;
  return true;
}

// A size `?` that no operand of the new form says (F7) comes in by an input without elements of its own: an empty
// tensor as large, which nobody reads. `from`: which dimension of the form each dimension is.
void sn_add_sizes(SnCut *s, SnForm *to, const int64_t *from) {
  for (int64_t d = 0; d < to->num_rows + to->num_cols; ++d) {
    bool known = to->dims.data[d].size != SN_DYNAMIC;
    for (size_t k = 0; k < to->inputs.size + to->indices.size + to->outputs.size && !known; ++k)
      known = sn_gives_size(sn_form_access(to, k), d);
    if (known)
      continue;
    SnAccess a = sn_piece_place(s, mlirIntegerTypeGet(s->b.ctx, 1), &from[d], 1, false);
    MlirAffineExpr e = mlirAffineDimExprGet(s->b.ctx, (intptr_t)d);
    a.map = mlirAffineMapGet(s->b.ctx, (intptr_t)to->dims.size, 0, 1, &e);
    sn_push(&to->inputs, a);
  }
}

bool sn_any_program(const SnForm *f) {
  for (size_t s = 0; s < f->sides.size; ++s)
    if (f->sides.data[s].program.ptr)
      return true;
  return false;
}

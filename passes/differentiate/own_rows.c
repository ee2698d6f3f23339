// own_rows.c: a form that is free to say what a row is takes the rows of what it is differentiated by.
//
//   %y = rowwise (i, j, k) by (l) ins(%x[i, j, k, l], %m[i, j]) { x - m }
//   ->
//   %dx = ... the reverse, as it stands
//   %dm = rowwise (i, j) by (k, l) ins(...) { the reverse; row_reduce add }
//
// %m is the same for all columns and for some of the rows. Summed over columns first, its gradient would be an (i, j,
// k) tensor and a form of its own would sum the rest, in rows that nobody else has: the gradient of a group's mean was
// three kernels. In the rows of the group, it fuses with what computed the mean. So does the gradient of a
// convolution's bias, which is the same for all images and all places.
//
// runs in: differentiate    test: test/passes/differentiate/own_rows.mlir

#include "passes/differentiate/differentiate.h"
#include "passes/merge/merge.h"

// Sets which dimensions input k lacks; false where its gradient needs no rows of its own.
static bool lacks(const SnForm *f, size_t k, bool *lacking) {
  const SnAccess *a = &f->inputs.data[k];
  bool row = false, column = false, some = false;
  if (a->fill.ptr || a->through.ptr || sn_is_table(a))
    return false;
  for (intptr_t d = 0; d < (intptr_t)f->dims.size; ++d) {
    lacking[d] = !sn_map_uses(a->map, d);
    row |= lacking[d] && sn_is_row_dim(f, d);
    column |= lacking[d] && sn_is_col_dim(f, d);
    some |= !lacking[d];
  }
  return row && column && some; // of columns alone, the reverse sums as it stands; of rows alone, an accumulator does
}

// The form with these columns, beside it; null where its inputs are not the same then.
static MlirOperation split(MlirOperation form, const bool *columns) {
  SnBuilder b = sn_before(form);
  SnMap none = {0};
  MlirOperation made = sn_resplit(sn_clone(&b, form, &none), columns);
  SnForm was = sn_form_read(form), is = sn_form_read(made);
  bool same = was.inputs.size == is.inputs.size;
  for (size_t k = 0; k < was.inputs.size && same; ++k)
    same = sn_same(was.inputs.data[k].value, is.inputs.data[k].value);
  sn_form_free(&was);
  sn_form_free(&is);
  sn_map_free(&none);
  if (same)
    return made;
  mlirOperationDestroy(made);
  return (MlirOperation){0};
}

bool sn_differentiate_split(SnBuilder *b, MlirOperation form, const SnGradient *upstream, bool *active,
                            const MlirType *elements, SnGive give, void *user) {
  SnForm f = sn_form_read(form);
  bool ok = true, lacking[SN_MAX_DIMS], other[SN_MAX_DIMS], *together = sn_alloc(f.inputs.size + 1);
  for (size_t k = 0; k < f.inputs.size && ok && f.dims.size <= 64 && sn_is_elementwise_form(&f); ++k) {
    if (!active[k] || !lacks(&f, k, lacking))
      continue;
    for (size_t i = 0; i < f.inputs.size; ++i)
      together[i] = active[i] && lacks(&f, i, other) && !memcmp(lacking, other, f.dims.size);
    MlirOperation own = sn_can_resplit(&f, lacking) ? split(form, lacking) : (MlirOperation){0};
    if (sn_null(own))
      continue;
    ok = sn_differentiate_form(b, own, upstream, together, elements, give, user);
    for (size_t i = 0; i < f.inputs.size; ++i)
      active[i] &= !together[i];
    mlirOperationDestroy(own);
  }
  free(together);
  sn_form_free(&f);
  return ok;
}

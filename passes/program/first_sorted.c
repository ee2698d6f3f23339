// first_sorted.c: sorts of which only the first k are read, and those that only bring places back.
//
//   %v:2 = tm_tensor.sort %x, %n      of which forms and slices read the first 6 of a row
//   ->
//   sinter.steps: each element is let into a list of 6 that is in order, from behind; most go no further than its end
//
//   %p, %dx = tm_tensor.sort %places, %g {sinter.places = 6}      ->      %dx[%places[t]] = %g[t], t < 6, else 0
//
// torch.topk comes as a sort and a slice, and its gradient as a sort by places, which are all different. A whole row of
// 41 takes six rounds of merging, a list of 6 some 55 comparisons. Equal elements stay in order, as in a merge.
//
// runs in: sinter-tm-tensor    test: test/passes/program/first_sorted.mlir, test/run/tm_tensor.test

#include "capi/form.h"
#include "dialect/attributes.h"
#include "passes/program/sorted.h"

// ---- how many are read ----------------------------------------------------------------------------------

// One more than the last place along the dimension that a form reads of operand k.
static int64_t read_by_form(MlirOperation op, size_t k, intptr_t dim) {
  SnForm f = sn_form_read(op);
  int64_t sizes[SN_MAX_DIMS], low, high, n = SN_DYNAMIC;
  for (size_t d = 0; d < f.dims.size; ++d)
    sizes[d] = f.dims.data[d].size;
  const SnAccess *a = k < f.inputs.size ? &f.inputs.data[k] : NULL;
  if (a && !a->through.ptr && !sn_is_table(a) && !mlirAffineMapGetNumSymbols(a->map) &&
      sn_affine_range(mlirAffineMapGetResult(a->map, dim), sizes, &low, &high))
    n = high + 1;
  sn_form_free(&f);
  return n;
}

static int64_t read_by_slice(MlirOperation op, intptr_t dim) {
  MlirAttribute offsets = sn_get_attr(op, "static_offsets"), sizes = sn_get_attr(op, "static_sizes"),
                strides = sn_get_attr(op, "static_strides");
  int64_t from = mlirDenseI64ArrayGetElement(offsets, dim), n = mlirDenseI64ArrayGetElement(sizes, dim),
          step = mlirDenseI64ArrayGetElement(strides, dim);
  return from == SN_DYNAMIC || n == SN_DYNAMIC || step == SN_DYNAMIC || from < 0 || n < 1 || step < 1
             ? SN_DYNAMIC
             : from + (n - 1) * step + 1;
}

static int64_t read_by(MlirOpOperand use, intptr_t dim) {
  MlirOperation op = mlirOpOperandGetOwner(use);
  intptr_t k = (intptr_t)mlirOpOperandGetOperandNumber(use);
  if (sn_is_form(op))
    return read_by_form(op, (size_t)k, dim);
  if (sn_is(op, "tensor.extract_slice") && k == 0)
    return read_by_slice(op, dim);
  return sn_is(op, "tm_tensor.sort") && k == 0 && sn_sort_places(op) >= 0 ? sn_sort_places(op) : SN_DYNAMIC;
}

int64_t sn_first_read(MlirOperation op) {
  int64_t all = 0, dim = sn_int_attr(op, "dimension", 0);
  for (intptr_t r = 0; r < sn_num_results(op) && all != SN_DYNAMIC; ++r)
    for (MlirOpOperand use = mlirValueGetFirstUse(sn_result(op, r)); !mlirOpOperandIsNull(use) && all != SN_DYNAMIC;
         use = mlirOpOperandGetNextUse(use)) {
      int64_t n = read_by(use, (intptr_t)dim);
      all = n == SN_DYNAMIC || n > all ? n : all;
    }
  return all;
}

int64_t sn_sort_places(MlirOperation op) { return sn_int_attr(op, SN_PLACES, SN_DYNAMIC); }

bool sn_sorts_first(MlirOperation op, int64_t *kept) {
  *kept = sn_first_read(op);
  int64_t size = sn_dim(sn_type_of(sn_operand(op, 0)), (intptr_t)sn_int_attr(op, "dimension", 0));
  return *kept != SN_DYNAMIC && *kept > 0 && *kept <= SN_MOST_FIRST && (size == SN_DYNAMIC || *kept < size);
}

bool sn_sorts_places(MlirOperation op) {
  return sn_sort_places(op) != SN_DYNAMIC && !mlirValueGetFirstUse(sn_result(op, 0)).ptr;
}

// ---- a list of the first ----------------------------------------------------------------------------------

// The elements go before those that are at place t of the list, which came earlier.
static MlirValue goes_before(SnBuilder *b, const SnSort *s, const MlirValue *elements, MlirValue t) {
  MlirValue *forth = sn_alloc((size_t)(2 * s->n) * sizeof *forth), *back = sn_alloc((size_t)(2 * s->n) * sizeof *back);
  for (intptr_t k = 0; k < s->n; ++k) {
    back[2 * k + 1] = forth[2 * k] = elements[k];
    back[2 * k] = forth[2 * k + 1] = sn_place_load(b, &s->at, s->data[k], t);
  }
  MlirType i1 = mlirIntegerTypeGet(b->ctx, 1);
  MlirValue before = sn_inline_combiner(b, s->at.op, forth), behind = sn_inline_combiner(b, s->at.op, back);
  free(forth);
  free(back);
  return sn(b, "arith.andi", before, sn(b, "arith.xori", behind, sn_int(b, i1, 1)));
}

// What is at place p - 1, and all behind it up to `last`, makes room, until the elements fit: where they go.
static MlirValue make_room(SnBuilder *b, const SnSort *s, const MlirValue *elements, MlirValue last) {
  SnBuilder before, after;
  MlirValue p, q;
  MlirRegion until = sn_on_index(b, &before, &p), body = sn_on_index(b, &after, &q);
  MlirValue zero = sn_index(&before, 0), in_front = sn(&before, "arith.subi", p, sn_index(&before, 1));
  MlirValue some = sn(&before, "arith.cmpi", p, zero, sn_attr("predicate", sn_i64(b->ctx, 4 /* sgt */)));
  in_front = sn(&before, "arith.maxsi", in_front, zero); // it is not asked then
  MlirValue goes = sn(&before, "arith.andi", some, goes_before(&before, s, elements, in_front));
  sn_op(&before, "scf.condition", goes, p, sn_types(0, NULL));
  MlirValue to = sn(&after, "arith.subi", q, sn_index(&after, 1));
  for (intptr_t k = 0; k < s->n; ++k)
    sn_place_store(&after, &s->at, sn_place_load(&after, &s->at, s->data[k], to), s->data[k], q);
  sn_op(&after, "scf.yield", to, sn_types(0, NULL));
  return sn_result(sn_op(b, "scf.while", last, sn_index_type(b->ctx), until, body), 0);
}

void sn_sort_first(SnBuilder *b, const SnSort *s, MlirValue *from, int64_t kept) {
  MlirValue last = sn_index(b, kept - 1);
  SnLoop t = sn_for(b, sn_index(b, 0), s->size, sn_index(b, 1));
  MlirValue *elements = sn_alloc((size_t)s->n * sizeof *elements);
  for (intptr_t k = 0; k < s->n; ++k)
    elements[k] = sn_place_load(b, &s->at, from[k], t.index);
  MlirValue p = sn(b, "arith.minsi", t.index, last);
  MlirValue room = sn(b, "arith.cmpi", t.index, last, sn_attr("predicate", sn_i64(b->ctx, 3 /* sle */)));
  SnIf goes = sn_if(b, sn(b, "arith.ori", room, goes_before(b, s, elements, p)));
  {
    MlirValue at = make_room(b, s, elements, p);
    for (intptr_t k = 0; k < s->n; ++k)
      sn_place_store(b, &s->at, elements[k], s->data[k], at);
  }
  sn_end_if(b, &goes);
  sn_next(b, &t);
  free(elements);
}

// ---- back to where they came from ---------------------------------------------------------------------------

void sn_sort_back(SnBuilder *b, const SnSort *s, MlirValue *from, int64_t kept) {
  MlirValue zero = sn_index(b, 0), one = sn_index(b, 1), end = s->size;
  if (kept >= 0) {
    SnLoop all = sn_for(b, zero, s->size, one);
    for (intptr_t k = 1; k < s->n; ++k)
      sn_place_store(b, &s->at, sn_zero(b, sn_element(sn_type_of(s->data[k]))), s->data[k], all.index);
    sn_next(b, &all);
    end = sn(b, "arith.minsi", sn_index(b, kept), end);
  }
  SnLoop t = sn_for(b, zero, end, one);
  MlirValue to = sn(b, "arith.index_cast", sn_place_load(b, &s->at, from[0], t.index), sn_index_type(b->ctx));
  for (intptr_t k = 1; k < s->n; ++k)
    sn_place_store(b, &s->at, sn_place_load(b, &s->at, from[k], t.index), s->data[k], to);
  sn_next(b, &t);
}

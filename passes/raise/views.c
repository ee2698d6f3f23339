// views.c: values that are other values read at another place.
//
//   %e = tensor.expand_shape %x [[0], [1, 2]]
//   %s = tensor.extract_slice %e[0, 4, 0] [9, 4, 8]      ->    ins(%x[j, 8 * i + k + 32])
//   %t = linalg.transpose %s permutation = [1, 0, 2]
//
// An operand is read through transposes, broadcasts, slices, reshapes and casts, and
// one padding at the bottom, which becomes the access's fill value. A reshape that
// leaves a quotient or a remainder in a subscript is read through only if a real copy
// below it goes away with it: alone it is free, and the quotient is not.
//
// What is no view of one value is a row program of its own: a concatenation reads each
// input with bounds and selects by the index; so does an insertion into a tensor. A
// slice or a padding that something else than a form reads is a copy.
//
// runs in: raise    test: test/passes/raise/views.mlir

#include "capi/size_parts.h"
#include "mlir-c/Dialect/Linalg.h"
#include "passes/edit/inside.h"
#include "passes/edit/size_terms.h"
#include "passes/raise/slice_views.h"
#include <assert.h>

// ---- one step --------------------------------------------------------------------

static MlirAffineMap map_of(MlirOperation op, intptr_t operand) {
  return mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(mlirLinalgGetIndexingMapsAttribute(op), operand));
}

MlirAttribute sn_view_zero(MlirType e) {
  return sn_is_float(e) ? mlirFloatAttrDoubleGet(mlirTypeGetContext(e), e, 0) : mlirIntegerAttrGet(e, 0);
}

void sn_view_go_to(SnView *v, MlirValue source, intptr_t rank, MlirAffineExpr *at) {
  v->map = mlirAffineMapGet(mlirAffineMapGetContext(v->map), mlirAffineMapGetNumDims(v->map), 0, rank, at);
  v->value = source;
}

// A structured op that hands one of its inputs on unchanged: transpose,
// broadcast, fill, and generics that are one of these.
static bool through_copy(SnView *v) {
  MlirOperation op = sn_definer(v->value);
  MlirBlock body;
  intptr_t inputs = sn_null(op) || sn_num_results(op) != 1 ? -1 : sn_raise_inputs(op, &body);
  if (inputs < 0 || !mlirOperationEqual(mlirBlockGetFirstOperation(body), mlirBlockGetTerminator(body)))
    return false;
  intptr_t from = -1;
  for (intptr_t k = 0; k < inputs; ++k)
    if (sn_same(sn_operand(mlirBlockGetTerminator(body), 0), mlirBlockGetArgument(body, k)))
      from = k;
  if (from < 0)
    return false;
  // Each loop has to be one subscript of the result: then the result's
  // subscripts say where the loops stand.
  MlirAffineMap out = map_of(op, inputs);
  intptr_t loops = mlirAffineMapGetNumDims(out);
  if (loops > SN_MAX_DIMS || mlirAffineMapGetNumResults(out) != loops)
    return false;
  MlirAffineExpr at[SN_MAX_DIMS] = {0};
  for (intptr_t i = 0; i < loops; ++i) {
    intptr_t d = sn_map_dim(out, i);
    if (d < 0 || at[d].ptr)
      return false;
    at[d] = mlirAffineMapGetResult(v->map, i);
  }
  v->map = sn_map_replace(map_of(op, from), mlirAffineMapGetNumDims(v->map), at);
  v->value = sn_operand(op, from);
  return true;
}

// tensor.expand_shape: the source's subscript is the group's members, linear. tensor.collapse_shape: a member is
// a quotient and remainder of the result's subscript, unless the group has only one that is not of size 1.
static bool through_reshape(SnView *v) {
  MlirOperation op = sn_definer(v->value);
  bool expand = sn_is(op, "tensor.expand_shape");
  if (!expand && !sn_is(op, "tensor.collapse_shape"))
    return false;
  MlirType source = sn_type_of(sn_operand(op, 0)), wide = expand ? sn_type_of(v->value) : source;
  MlirAttribute groups = sn_get_attr(op, "reassociation");
  MlirContext ctx = mlirOperationGetContext(op);
  intptr_t rank = sn_rank(source), n = mlirArrayAttrGetNumElements(groups);
  if (rank > SN_MAX_DIMS || sn_rank(wide) > SN_MAX_DIMS)
    return false;
  MlirAffineExpr zero = mlirAffineConstantExprGet(ctx, 0), at[SN_MAX_DIMS];
  for (intptr_t i = 0; i < rank; ++i)
    at[i] = zero;
  for (intptr_t g = 0; g < n; ++g) {
    MlirAttribute group = mlirArrayAttrGetElement(groups, g);
    intptr_t member[SN_MAX_DIMS], m = 0; // those that are not of size 1
    for (intptr_t i = 0; i < mlirArrayAttrGetNumElements(group); ++i) {
      intptr_t d = mlirIntegerAttrGetValueInt(mlirArrayAttrGetElement(group, i));
      if (sn_dim(wide, d) != 1)
        member[m++] = d;
    }
    int64_t inner = 1;
    for (intptr_t i = m; i-- > 0;) {
      MlirAffineExpr step = mlirAffineConstantExprGet(ctx, inner);
      if (expand) {
        at[g] = mlirAffineAddExprGet(at[g], mlirAffineMulExprGet(mlirAffineMapGetResult(v->map, member[i]), step));
      } else {
        MlirAffineExpr e = mlirAffineMapGetResult(v->map, g);
        e = inner > 1 ? mlirAffineFloorDivExprGet(e, step) : e;
        at[member[i]] = i ? mlirAffineModExprGet(e, mlirAffineConstantExprGet(ctx, sn_dim(wide, member[i]))) : e;
      }
      if (i && sn_dim(wide, member[i]) <= 0)
        return false; // `?`, or nothing to divide by
      inner = sn_times(inner, i ? sn_dim(wide, member[i]) : 1);
    }
  }
  sn_view_go_to(v, sn_operand(op, 0), rank, at);
  return true;
}

// The constant that a padding adds; null if it is none.
static MlirAttribute padding(MlirOperation pad) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(pad, 0));
  MlirOperation yield = mlirBlockGetTerminator(body);
  return sn_is(yield, "tensor.yield") ? sn_constant_of(sn_operand(yield, 0)) : mlirAttributeGetNull();
}

static bool through_pad(SnView *v) {
  MlirOperation op = sn_def(v->value, "tensor.pad");
  if (sn_null(op) || !sn_slice_is_static(op, "static_low") || !padding(op).ptr)
    return false;
  MlirType source = sn_type_of(sn_operand(op, 0));
  intptr_t rank = sn_rank(source);
  MlirAffineExpr at[SN_MAX_DIMS];
  if (rank > SN_MAX_DIMS)
    return false;
  for (intptr_t d = 0; d < rank; ++d)
    at[d] = mlirAffineAddExprGet(
        mlirAffineMapGetResult(v->map, d),
        mlirAffineConstantExprGet(mlirOperationGetContext(op), -sn_slice_number(op, "static_low", d)));
  v->fill = padding(op);
  sn_view_go_to(v, sn_operand(op, 0), rank, at);
  return true;
}

static bool through_cast(SnView *v) {
  MlirOperation op = sn_def(v->value, "tensor.cast");
  if (sn_null(op) || !mlirTypeIsARankedTensor(sn_type_of(sn_operand(op, 0))))
    return false;
  v->value = sn_operand(op, 0);
  return true;
}

// ---- all of them ---------------------------------------------------------------------

// sizes: of the map's dimensions, as far as they are known.
static SnView view(MlirValue value, MlirAffineMap map, const int64_t *sizes) {
  SnView v = {.value = value, .map = map}, best = v;
  bool divided = false; // best is above a reshape, behind which nothing but reshapes followed
  for (;;) {
    bool linear = sn_map_is_linear(v.map), reshape = through_reshape(&v);
    if (!reshape && !through_copy(&v) && !sn_view_slice(&v) && !through_cast(&v) && !through_pad(&v))
      break;
    if (!sn_map_fits(v.map))
      break;
    if (mlirTypeIsARankedTensor(sn_type_of(v.value)))
      v.map = sn_map_simplify(v.map, sizes);
    divided = reshape && (divided || linear) && !sn_map_is_linear(v.map);
    if (!divided)
      best = v;
    if (v.fill.ptr)
      break; // what is below is read with bounds, which only this map states
  }
  v = best;
  v.constant = sn_constant_of(v.value);
  v.unwritten = !v.fill.ptr && !sn_null(sn_def(v.value, "tensor.empty"));
  if (v.constant.ptr && v.fill.ptr && !mlirAttributeEqual(v.constant, v.fill))
    v.constant = mlirAttributeGetNull();
  // A scalar that was read from a tensor of rank 0 is that tensor.
  MlirOperation extract = sn_def(v.value, "tensor.extract");
  if (!sn_null(extract) && sn_num_operands(extract) == 1)
    v.value = sn_operand(extract, 0);
  return v;
}

SnView sn_raise_view(MlirValue value, MlirAffineMap map) {
  int64_t sizes[SN_MAX_DIMS];
  MlirType t = sn_type_of(value);
  for (intptr_t d = 0; d < SN_MAX_DIMS; ++d)
    sizes[d] = SN_DYNAMIC;
  assert(mlirAffineMapGetNumDims(map) <= SN_MAX_DIMS && "few dimensions");
  // A subscript that is a dimension has the dimension's size.
  for (intptr_t i = 0; mlirTypeIsARankedTensor(t) && i < mlirAffineMapGetNumResults(map); ++i)
    if (sn_map_dim(map, i) >= 0)
      sizes[sn_map_dim(map, i)] = sn_dim(t, i);
  return view(value, map, sizes);
}

// ---- row programs that only move ----------------------------------------------------------

// The form's dimensions are the result's.
static bool lay_out(SnRaise *r, MlirOperation op) {
  MlirType t = sn_type_of(sn_result(op, 0));
  *r = (SnRaise){.op = op, .ctx = mlirOperationGetContext(op), .num_outputs = 1, .num_used = 1};
  r->num_loops = sn_rank(t);
  if (r->num_loops > SN_MAX_DIMS || !r->num_loops)
    return sn_no(op, "%ld dimensions of 1 to %d", (long)r->num_loops, SN_MAX_DIMS);
  if (!sn_is_float(sn_element(t)) && !sn_is_int(sn_element(t)))
    return sn_no(op, "an operand that does not hold numbers");
  for (intptr_t d = 0; d < r->num_loops; ++d) {
    r->sizes[d] = sn_dim(t, d);
    r->order[d] = d;
  }
  return true;
}

typedef struct {
  SnView view;
  size_t input;
  bool whole; // it stands everywhere
  // to is SN_DYNAMIC where it is the end of a dimension whose size is not known.
  int64_t from[SN_MAX_DIMS], to[SN_MAX_DIMS], step[SN_MAX_DIMS]; // where in the result it stands
} Part;

// v at the places of the part, zero or the fill value around: for a select to choose from.
static void read_part(SnRaise *r, MlirValue v, MlirAffineMap map, Part *p) {
  p->view = view(v, map, r->sizes);
  if (p->view.fill.ptr || (mlirTypeIsARankedTensor(sn_type_of(p->view.value)) && !p->view.constant.ptr)) {
    if (p->view.fill.ptr && !p->whole) // a place outside of the part may be inside of what is padded
      p->view = (SnView){.value = v, .map = map};
    if (!p->whole)
      p->view.fill = sn_view_zero(sn_element(sn_type_of(v)));
  }
}

// y as x is: a position, or a row of them.
static MlirValue number_like(SnBuilder *b, MlirValue x, int64_t y) {
  MlirType t = sn_type_of(x);
  if (mlirTypeIsAShaped(t) && !mlirShapedTypeHasStaticShape(t))
    return sn_as_row(b, sn_index(b, y), t);
  return sn_splat(b, t, mlirIntegerAttrGet(sn_index_type(b->ctx), y));
}

static MlirValue compare(SnBuilder *b, int64_t predicate, MlirValue x, int64_t y) {
  return sn(b, "arith.cmpi", x, number_like(b, x, y), sn_attr("predicate", sn_i64(b->ctx, predicate)));
}

static MlirValue both(SnBuilder *b, MlirValue x, MlirValue y) {
  MlirValue v[] = {x, y};
  return sn_none(x) ? y : sn_none(y) ? x : sn_row_op(b, "arith.andi", (MlirType){0}, 2, v);
}

static bool ends_before(const SnRaise *r, const Part *p, intptr_t d) {
  return r->sizes[d] == SN_DYNAMIC ? p->to[d] != SN_DYNAMIC : p->to[d] < r->sizes[d];
}

// Whether the place is one of the part's; null if every place is.
static MlirValue inside(const SnRaise *r, SnBuilder *b, const Part *p) {
  enum { EQUAL = 0, BELOW = 6, FROM = 5 };
  MlirValue all = {0};
  for (intptr_t d = 0; d < r->num_loops && !p->whole; ++d) {
    if (!p->from[d] && !ends_before(r, p, d) && p->step[d] == 1)
      continue;
    MlirValue at = sn_position(b, &r->form, d);
    if (p->from[d])
      all = both(b, all, compare(b, FROM, at, p->from[d]));
    if (ends_before(r, p, d))
      all = both(b, all, compare(b, BELOW, at, p->to[d]));
    if (p->step[d] > 1) {
      MlirValue far = sn(b, "arith.addi", at, number_like(b, at, p->step[d] - p->from[d] % p->step[d]));
      MlirValue rest = sn(b, "arith.remui", far, number_like(b, at, p->step[d]));
      all = both(b, all, compare(b, EQUAL, rest, 0));
    }
  }
  return all;
}

// The first part that a place belongs to gives the element; the last one all that is left.
static bool make(SnRaise *r, Part *parts, intptr_t n) {
  SnBuilder b = sn_before(r->op);
  MlirType t = sn_type_of(sn_result(r->op, 0));
  SnForm *f = &r->form;
  sn_raise_layout(r, r->num_loops - 1, r->order, 1, r->order + r->num_loops - 1, 0, NULL);
  for (intptr_t k = 0; k < n; ++k)
    if (!parts[k].view.constant.ptr)
      parts[k].input = sn_raise_input(r, &b, parts[k].view);
  MlirAffineMap all = mlirAffineMapMultiDimIdentityGet(r->ctx, r->num_loops);
  sn_push(&f->outputs, ((SnAccess){.value = sn_raise_empty(&b, sn_result(r->op, 0)), .map = all}));
  if (!sn_raise_sized(r))
    return false;
  sn_form_create(&b, f, false);

  SnBuilder in = sn_at_end(f->body, b.loc);
  MlirValue v = {0};
  for (intptr_t k = n; k-- > 0;) {
    MlirValue x =
        parts[k].view.constant.ptr ? sn_constant(&in, parts[k].view.constant) : sn_input_argument(f, parts[k].input);
    MlirValue here = sn_none(v) ? (MlirValue){0} : inside(r, &in, &parts[k]);
    MlirValue operands[] = {here, x, v};
    v = sn_none(here) ? x : sn_row_op(&in, "arith.select", (MlirType){0}, 3, operands);
  }
  sn_op(&in, "sinter.yield", sn_as_row(&in, v, sn_row_type(f, sn_element(t))), sn_types(0, NULL));
  sn_raise_replace(r);
  return true;
}

// The size of a part; exporters cast them to `?` for tensor.concat. Negative if nothing says it.
static int64_t part_size(MlirValue part, intptr_t dim) {
  for (MlirOperation cast; sn_dim(sn_type_of(part), dim) == SN_DYNAMIC; part = sn_operand(cast, 0)) {
    cast = sn_def(part, "tensor.cast");
    if (sn_null(cast) || !mlirTypeIsARankedTensor(sn_type_of(sn_operand(cast, 0))))
      return -1;
  }
  return sn_dim(sn_type_of(part), dim);
}

// A part that is shorter than the result in a dimension that both have is the program's error; bounds would hide it.
static void assert_size(SnRaise *r, MlirValue part, intptr_t i, MlirValue whole, intptr_t j) {
  SnSizeReader sizes = {.forgets = true};
  SnSize x = sn_size_of_dim(&sizes, part, i), y = sn_size_of_dim(&sizes, whole, j);
  SnBuilder b = sn_before(r->op);
  if (!sn_size_equal(&x, &y)) {
    MlirValue same = sn(&b, "arith.cmpi", sn_emit_size(&b, part, i), sn_emit_size(&b, whole, j),
                        sn_attr("predicate", sn_i64(r->ctx, 0)));
    sn_op(&b, "cf.assert", same, sn_types(0, NULL),
          sn_attr("msg", sn_located_message(b.loc, "a tensor has another size than what it is put into or beside")));
  }
  sn_size_reader_free(&sizes);
}

static bool raise_concat(SnRaise *r) {
  intptr_t n = sn_num_operands(r->op), dim = sn_int_attr(r->op, "dim", 0);
  for (intptr_t k = 0; k < n; ++k)
    if (part_size(sn_operand(r->op, k), dim) < 0 && k + 1 < n)
      return sn_no(r->op, "the size of operand %ld is not known", (long)k);
  if (n > SN_FUSED_OPERANDS)
    return sn_no(r->op, "%ld parts, of which each element would be selected; a form has at most %d", (long)n,
                 SN_FUSED_OPERANDS);
  Part *parts = sn_alloc((size_t)n * sizeof *parts);
  int64_t at = 0;
  for (intptr_t k = 0; k < n; ++k) {
    Part *p = &parts[k];
    MlirAffineExpr subscripts[SN_MAX_DIMS];
    for (intptr_t d = 0; d < r->num_loops; ++d) {
      subscripts[d] = mlirAffineDimExprGet(r->ctx, d);
      p->step[d] = 1;
      p->to[d] = r->sizes[d];
    }
    subscripts[dim] = mlirAffineAddExprGet(subscripts[dim], mlirAffineConstantExprGet(r->ctx, -at));
    at += part_size(sn_operand(r->op, k), dim);
    p->to[dim] = k + 1 < n ? at : r->sizes[dim]; // what is before belongs to the parts before
    p->whole = n == 1;
    for (intptr_t d = 0; d < r->num_loops; ++d)
      if (k && d != dim && r->sizes[d] == SN_DYNAMIC)
        assert_size(r, sn_operand(r->op, k), d, sn_operand(r->op, 0), d);
    read_part(r, sn_operand(r->op, k), mlirAffineMapGet(r->ctx, r->num_loops, 0, r->num_loops, subscripts), p);
  }
  bool made = make(r, parts, n);
  free(parts);
  return made;
}

static bool raise_insert(SnRaise *r) {
  MlirOperation op = r->op;
  MlirType small = sn_type_of(sn_operand(op, 0)), big = sn_type_of(sn_result(op, 0));
  intptr_t dims[SN_MAX_DIMS];
  if (!sn_slice_is_static(op, "static_strides"))
    return sn_no(op, "inserts at a place that is not known");
  if (!sn_slice_dims(op, small, big, dims))
    return sn_no(op, "inserts a tensor of other sizes than it says");
  Part parts[2] = {0};
  MlirAffineExpr subscripts[SN_MAX_DIMS];
  bool ends = true, plain = true, inside = true;
  for (intptr_t d = 0; d < r->num_loops; ++d) {
    parts[0].from[d] = sn_slice_begins(op, sn_operand(op, 1), d);
    if (parts[0].from[d] == SN_DYNAMIC)
      return sn_no(op, "inserts at a place that is not known");
    parts[0].step[d] = sn_slice_number(op, "static_strides", d);
    int64_t size = sn_slice_number(op, "static_sizes", d);
    bool all = !parts[0].from[d] && parts[0].step[d] == 1 && sn_slice_takes_all(op, sn_operand(op, 1), d);
    ends &= all || size != SN_DYNAMIC;
    plain &= dims[d] >= 0 && parts[0].step[d] == 1;
    parts[0].to[d] = all || size == SN_DYNAMIC ? r->sizes[d] : parts[0].from[d] + (size - 1) * parts[0].step[d] + 1;
    if (!size || parts[0].step[d] < 1)
      return sn_no(op, "inserts nothing, or backwards");
    if (size == SN_DYNAMIC && all)
      assert_size(r, sn_operand(op, 0), dims[d], sn_operand(op, 1), d);
    MlirAffineExpr e =
        mlirAffineAddExprGet(mlirAffineDimExprGet(r->ctx, d), mlirAffineConstantExprGet(r->ctx, -parts[0].from[d]));
    if (dims[d] >= 0)
      subscripts[dims[d]] = mlirAffineFloorDivExprGet(e, mlirAffineConstantExprGet(r->ctx, parts[0].step[d]));
  }
  for (intptr_t d = 0; d < r->num_loops; ++d)
    inside &= sn_slice_ends_inside(op, sn_operand(op, 1), d);
  if (!inside) // behind it, what is beyond the end would be left out
    sn_guard_slice(op, sn_operand(op, 1), 2);
  parts[1].whole = true;
  MlirAffineMap places = mlirAffineMapGet(r->ctx, r->num_loops, 0, sn_rank(small), subscripts);
  if (!ends) { // what surrounds the part is what is read outside of it
    MlirAffineMap all = mlirAffineMapMultiDimIdentityGet(r->ctx, r->num_loops);
    MlirAttribute around = sn_raise_view(sn_operand(op, 1), all).constant;
    if (!plain || !around.ptr)
      return sn_no(op, "inserts at a place that is not known");
    parts[0].view = (SnView){.value = sn_operand(op, 0), .map = places, .fill = around};
    return make(r, parts, 1);
  }
  read_part(r, sn_operand(op, 0), places, &parts[0]);
  read_part(r, sn_operand(op, 1), mlirAffineMapMultiDimIdentityGet(r->ctx, r->num_loops), &parts[1]);
  if (parts[1].view.unwritten) // anything may stand there
    parts[1].view.constant = sn_view_zero(sn_element(big));
  return make(r, parts, 2);
}

// Linalg that stays reads a slice in place.
static bool stays_linalg(MlirOperation op) {
  for (MlirOpOperand use = mlirValueGetFirstUse(sn_result(op, 0)); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use))
    if (!sn_in_dialect(mlirOpOperandGetOwner(use), "linalg"))
      return false;
  return true;
}

static bool raise_copy(SnRaise *r) {
  Part part = {.whole = true};
  part.view = sn_raise_view(sn_result(r->op, 0), mlirAffineMapMultiDimIdentityGet(r->ctx, r->num_loops));
  if (!part.view.constant.ptr && sn_same(part.view.value, sn_result(r->op, 0)))
    return sn_no(r->op, "its offsets, strides, sizes or fill value are not known");
  return make(r, &part, 1);
}

bool sn_raise_move(MlirOperation op) {
  bool concat = sn_is(op, "tensor.concat"), insert = sn_is(op, "tensor.insert_slice"),
       slice = sn_is(op, "tensor.extract_slice");
  if (!concat && !insert && !slice && !sn_is(op, "tensor.pad"))
    return false;
  if (slice && stays_linalg(op))
    return sn_no(op, "is read in place by linalg that stays");
  SnRaise r;
  bool made = lay_out(&r, op) && (concat ? raise_concat(&r) : insert ? raise_insert(&r) : raise_copy(&r));
  sn_raise_close(&r);
  return made;
}

// edit.c: parts of forms, made and compared. See edit.h.
//
//   %a = arith.mulf %x, %y; %b = arith.mulf %y, %x   ->  one of them
//   x[i floordiv 4, j] at a place                    ->  operations on positions
//
// runs in: simplify, fuse    test: test/passes/simplify/form.mlir

#include "passes/edit/edit.h"
#include "dialect/row_ops.h"
#include <assert.h>

void sn_copy_ops(SnBuilder *to, MlirBlock from, SnMap *map) {
  MlirOperation end = mlirBlockGetTerminator(from);
  for (MlirOperation op = mlirBlockGetFirstOperation(from); !mlirOperationEqual(op, end);
       op = mlirOperationGetNextInBlock(op))
    sn_clone(to, op, map);
}

void sn_copy_block(SnBuilder *to, MlirBlock from, SnMap *map) {
  sn_copy_ops(to, from, map);
  sn_clone(to, mlirBlockGetTerminator(from), map);
}

// Never less than 0.
static bool is_natural(const SnForm *f, MlirAffineExpr e) {
  int64_t sizes[SN_MAX_DIMS], low, high;
  for (size_t d = 0; d < f->dims.size; ++d)
    sizes[d] = f->dims.data[d].size;
  return sn_affine_range(e, sizes, &low, &high) && low >= 0;
}

MlirValue sn_affine_value(SnBuilder *b, const SnForm *f, MlirAffineExpr e) {
  if (mlirAffineExprIsAConstant(e))
    return sn_index(b, mlirAffineConstantExprGetValue(e));
  if (mlirAffineExprIsADim(e))
    return sn_position(b, f, mlirAffineDimExprGetPosition(e));
  MlirValue sides[2];
  sides[0] = sn_affine_value(b, f, mlirAffineBinaryOpExprGetLHS(e));
  sides[1] = sn_affine_value(b, f, mlirAffineBinaryOpExprGetRHS(e));
  if (mlirAffineExprIsAAdd(e) || mlirAffineExprIsAMul(e))
    return sn_row_op(b, mlirAffineExprIsAAdd(e) ? "arith.addi" : "arith.muli", (MlirType){0}, 2, sides);
  bool mod = mlirAffineExprIsAMod(e);
  if (is_natural(f, mlirAffineBinaryOpExprGetLHS(e)))
    return sn_row_op(b, mod ? "arith.remui" : "arith.divui", (MlirType){0}, 2, sides);
  MlirValue quotient = sn_row_op(b, "arith.floordivsi", (MlirType){0}, 2, sides);
  MlirValue whole[] = {quotient, sides[1]};
  MlirValue rest[] = {sides[0], mod ? sn_row_op(b, "arith.muli", (MlirType){0}, 2, whole) : quotient};
  return mod ? sn_row_op(b, "arith.subi", (MlirType){0}, 2, rest) : quotient;
}

bool sn_has_affine_value(const SnForm *f, MlirAffineExpr e) {
  if (!mlirAffineExprIsABinary(e))
    return mlirAffineExprIsADim(e) || mlirAffineExprIsAConstant(e);
  MlirAffineExpr x = mlirAffineBinaryOpExprGetLHS(e), y = mlirAffineBinaryOpExprGetRHS(e);
  bool ok = sn_has_affine_value(f, x) && sn_has_affine_value(f, y);
  if (mlirAffineExprIsAAdd(e) || mlirAffineExprIsAMul(e) || !ok)
    return ok;
  return !mlirAffineExprIsACeilDiv(e) && mlirAffineExprIsAConstant(y) && mlirAffineConstantExprGetValue(y) > 0;
}

MlirValue sn_size_value(SnBuilder *b, const SnForm *f, intptr_t d) {
  if (f->dims.data[d].size != SN_DYNAMIC)
    return sn_index(b, f->dims.data[d].size);
  for (size_t k = 0; k < f->inputs.size + f->indices.size + f->outputs.size; ++k) {
    const SnAccess *a = sn_form_access(f, k);
    for (intptr_t p = 0; p < mlirAffineMapGetNumResults(a->map) && !a->fill.ptr; ++p)
      if (sn_map_dim(a->map, p) == d)
        return sn(b, "tensor.dim", a->value, sn_index(b, p));
  }
  assert(false && "F7: an operand gives the size");
  return (MlirValue){0};
}

MlirValue sn_empty_at(SnBuilder *b, const SnForm *f, MlirAffineMap map, MlirType element) {
  int64_t shape[SN_MAX_DIMS];
  SnValueVec sizes = {0};
  intptr_t n = mlirAffineMapGetNumResults(map);
  for (intptr_t p = 0; p < n; ++p) {
    intptr_t d = sn_map_dim(map, p);
    if ((shape[p] = f->dims.data[d].size) == SN_DYNAMIC)
      sn_push(&sizes, sn_size_value(b, f, d));
  }
  MlirValue e = sn(b, "tensor.empty", sn_tensor(element, n, shape), sn_values((intptr_t)sizes.size, sizes.data));
  sn_vec_free(&sizes);
  return e;
}

bool sn_sizes_known(const SnForm *f) {
  for (int64_t d = 0; d < (int64_t)f->dims.size; ++d) {
    bool known = f->dims.data[d].size != SN_DYNAMIC;
    for (size_t k = 0; k < f->inputs.size + f->indices.size + f->outputs.size && !known; ++k)
      known = sn_gives_size(sn_form_access(f, k), d);
    if (!known)
      return false;
  }
  return true;
}

SnAccess sn_with_own_indices(const SnForm *from, SnAccess a, SnForm *to) {
  if (!a.through.ptr)
    return a;
  int64_t through[SN_MAX_DIMS];
  intptr_t n = mlirDenseArrayGetNumElements(a.through);
  for (intptr_t s = 0; s < n; ++s) {
    through[s] = (int64_t)to->indices.size;
    sn_push(&to->indices, from->indices.data[mlirDenseI64ArrayGetElement(a.through, s)]);
  }
  a.through = mlirDenseI64ArrayGet(mlirAttributeGetContext(a.through), n, through);
  return a;
}

MlirOperation sn_with_other_sides(SnBuilder *b, const SnForm *from, SnForm *to) {
  MlirBlock was[] = {from->body, from->finish};
  MlirOperation made = sn_form_create(b, to, from->finish.ptr != NULL);
  MlirBlock is[] = {to->body, to->finish};
  for (int i = 0; i < 2 && was[i].ptr; ++i) {
    SnMap map = {0};
    for (intptr_t k = 0; k < mlirBlockGetNumArguments(was[i]); ++k)
      sn_map(&map, mlirBlockGetArgument(was[i], k), mlirBlockGetArgument(is[i], k));
    SnBuilder in = sn_at_end(is[i], b->loc);
    sn_copy_block(&in, was[i], &map);
    sn_map_free(&map);
  }
  sn_replace_results(from->op, made);
  return made;
}

void sn_set_element(MlirOperation op, const char *name, intptr_t n, intptr_t k, MlirAttribute to) {
  MlirAttribute old = sn_get_attr(op, name), *all = sn_alloc((size_t)n * sizeof *all);
  for (intptr_t i = 0; i < n; ++i)
    all[i] = i == k ? to : old.ptr ? mlirArrayAttrGetElement(old, i) : mlirUnitAttrGet(mlirOperationGetContext(op));
  sn_set_attr(op, name, mlirArrayAttrGet(mlirOperationGetContext(op), n, all));
  free(all);
}

// ---- common subexpressions -------------------------------------------------------

static bool is_commutative(MlirOperation op) {
  static const char *const names[] = {"arith.addf", "arith.mulf", "arith.addi", "arith.muli",
                                      "arith.andi", "arith.ori",  "arith.xori", NULL};
  for (int i = 0; names[i]; ++i)
    if (sn_is(op, names[i]))
      return true;
  return false;
}

static bool same_op(MlirOperation a, MlirOperation b) {
  if (!mlirIdentifierEqual(mlirOperationGetName(a), mlirOperationGetName(b)) ||
      sn_num_operands(a) != sn_num_operands(b) || sn_num_results(a) != sn_num_results(b))
    return false;
  bool turned =
      is_commutative(a) && sn_same(sn_operand(a, 0), sn_operand(b, 1)) && sn_same(sn_operand(a, 1), sn_operand(b, 0));
  for (intptr_t i = 0; i < sn_num_operands(a) && !turned; ++i)
    if (!sn_same(sn_operand(a, i), sn_operand(b, i)))
      return false;
  for (intptr_t i = 0; i < sn_num_results(a); ++i)
    if (!mlirTypeEqual(sn_type_of(sn_result(a, i)), sn_type_of(sn_result(b, i))))
      return false;
  intptr_t attributes = mlirOperationGetNumAttributes(a); // last: upstream makes a dictionary to count them
  if (attributes != mlirOperationGetNumAttributes(b))
    return false;
  for (intptr_t i = 0; i < attributes; ++i) {
    MlirNamedAttribute attr = mlirOperationGetAttribute(a, i);
    MlirAttribute other = mlirOperationGetAttributeByName(b, mlirIdentifierStr(attr.name));
    if (!other.ptr || !mlirAttributeEqual(attr.attribute, other))
      return false;
  }
  return true;
}

static bool has_region(MlirOperation op) {
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); ++r)
    if (mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r)).ptr)
      return true;
  return false;
}

// Equal for operations that are the same.
static size_t hash_of(MlirOperation op) {
  uintptr_t h = (uintptr_t)mlirOperationGetName(op).ptr, operands = 0;
  for (intptr_t i = 0; i < sn_num_operands(op); ++i)
    operands += (uintptr_t)sn_operand(op, i).ptr * 0x9e3779b97f4a7c15u; // in any order: some commute
  if (!sn_num_operands(op))
    operands = (uintptr_t)sn_get_attr(op, "value").ptr;
  return (h ^ operands) * 0x9e3779b97f4a7c15u >> 16;
}

bool sn_cse_block(MlirBlock block) {
  bool changed = false;
  size_t n = 0, size = 32;
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    ++n;
  while (size < 2 * n)
    size *= 2;
  MlirOperation *seen = sn_alloc(size * sizeof *seen); // by hash; the next free place if it is taken
  for (MlirOperation b = mlirBlockGetFirstOperation(block), next; !sn_null(b); b = next) {
    next = mlirOperationGetNextInBlock(b);
    bool asserts = sn_is(b, "cf.assert"); // what held once holds
    if (!asserts && (!sn_num_results(b) || has_region(b) || !sn_shim_is_pure(b)))
      continue;
    size_t i = hash_of(b) & (size - 1);
    while (!sn_null(seen[i]) && !same_op(seen[i], b))
      i = (i + 1) & (size - 1);
    if (sn_null(seen[i])) {
      seen[i] = b;
      continue;
    }
    for (intptr_t k = 0; k < sn_num_results(b); ++k)
      mlirValueReplaceAllUsesOfWith(sn_result(b, k), sn_result(seen[i], k));
    mlirOperationSetLocation(seen[i], sn_fuse_loc(mlirOperationGetLocation(seen[i]), mlirOperationGetLocation(b)));
    mlirOperationDestroy(b);
    changed = true;
  }
  free(seen);
  return changed;
}

bool sn_names_dims(MlirBlock body) {
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !sn_null(op); op = mlirOperationGetNextInBlock(op)) {
    const SnRowOp *line = sn_row_op_of(op);
    if (line && (line->names_dim || line->position))
      return true;
  }
  return false;
}

static bool has_op(const SnForm *f, bool (*is)(MlirOperation)) {
  MlirBlock blocks[] = {f->body, f->finish};
  for (int i = 0; i < 2 && blocks[i].ptr; ++i)
    for (MlirOperation op = mlirBlockGetFirstOperation(blocks[i]); !sn_null(op); op = mlirOperationGetNextInBlock(op))
      if (is(op))
        return true;
  return false;
}

static bool asserts(MlirOperation op) { return sn_is(op, "cf.assert"); }
static bool may_fail(MlirOperation op) { return asserts(op) || sn_may_trap(op); }

bool sn_form_asserts(const SnForm *f) { return has_op(f, asserts); }
bool sn_form_may_fail(const SnForm *f) { return has_op(f, may_fail); }

// ---- accesses ------------------------------------------------------------------------

bool sn_same_access(const SnForm *fa, const SnAccess *a, const SnForm *fb, const SnAccess *b) {
  if (!sn_same(a->value, b->value) || !mlirAffineMapEqual(a->map, b->map) || !mlirAttributeEqual(a->fill, b->fill) ||
      !a->through.ptr != !b->through.ptr)
    return false;
  if (!a->through.ptr)
    return true;
  intptr_t n = mlirDenseArrayGetNumElements(a->through);
  if (n != mlirDenseArrayGetNumElements(b->through))
    return false;
  for (intptr_t s = 0; s < n; ++s)
    if (!sn_same_access(fa, &fa->indices.data[mlirDenseI64ArrayGetElement(a->through, s)], fb,
                        &fb->indices.data[mlirDenseI64ArrayGetElement(b->through, s)]))
      return false;
  return true;
}

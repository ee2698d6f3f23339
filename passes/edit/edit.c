// edit.c: forms taken apart and made anew. See edit.h.
//
//   outs(%e[] : f32, %d[i, j] : T), %d never read    ->  outs(%e[] : f32)
//   ins(%x[i, j], %x[i, j])                          ->  ins(%x[i, j])
//   (i = 37) by (j = 1003), no value uses j          ->  (i = 37) by ()
//   side(%x[i, k]) {^side(%v): yield extf %v}        ->  %x[i, k], which the product widens
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
    sn_copy_ops(&in, was[i], &map);
    sn_clone(&in, mlirBlockGetTerminator(was[i]), &map);
    sn_map_free(&map);
  }
  for (intptr_t k = 0; k < sn_num_results(made); ++k)
    mlirValueReplaceAllUsesOfWith(sn_result(from->op, k), sn_result(made, k));
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

bool sn_form_asserts(const SnForm *f) {
  MlirBlock blocks[] = {f->body, f->finish};
  for (int i = 0; i < 2 && blocks[i].ptr; ++i)
    for (MlirOperation op = mlirBlockGetFirstOperation(blocks[i]); !sn_null(op); op = mlirOperationGetNextInBlock(op))
      if (sn_is(op, "cf.assert"))
        return true;
  return false;
}

// ---- pruning -------------------------------------------------------------------------

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

static bool used(MlirBlock block, intptr_t argument) {
  return mlirValueGetFirstUse(mlirBlockGetArgument(block, argument)).ptr != NULL;
}

// The program of a side gives what its only access reads.
static bool is_identity(MlirBlock program) {
  MlirValue v = sn_operand(mlirBlockGetTerminator(program), 0);
  return sn_null(sn_definer(v)) && mlirBlockArgumentGetArgNumber(v) == 0 && mlirBlockGetNumArguments(program) == 1;
}

// The argument of finish for input k, or -1.
static intptr_t finish_argument(const SnForm *f, size_t input) {
  if (!sn_is_uniform(f, input))
    return -1;
  intptr_t place = (intptr_t)f->accumulators.size;
  for (size_t k = sn_first_input(f); k < input; ++k)
    place += sn_is_uniform(f, k);
  return place;
}

// Yields of `block` for outputs that are not kept become one of its own arguments' or
// another yield's place: they are left out of the new terminator, and what fed them dies.
static void drop_yields(MlirBlock block, const bool *keep, intptr_t n) {
  MlirOperation yield = mlirBlockGetTerminator(block);
  SnValueVec kept = {0};
  for (intptr_t i = 0; i < n; ++i)
    if (keep[i])
      sn_push(&kept, sn_operand(yield, i));
  mlirOperationSetOperands(yield, (intptr_t)kept.size, kept.data);
  sn_vec_free(&kept);
  sn_erase_dead(block);
}

static MlirAffineMap without_columns(const SnForm *f, MlirAffineMap map) {
  MlirContext ctx = mlirAffineMapGetContext(map);
  MlirAffineExpr exprs[SN_MAX_DIMS];
  intptr_t n = (intptr_t)f->dims.size, to = 0;
  for (intptr_t d = 0; d < n; ++d)
    exprs[d] = sn_is_col_dim(f, d) ? mlirAffineConstantExprGet(ctx, 0) : mlirAffineDimExprGet(ctx, to++);
  return sn_map_replace(map, to, exprs);
}

// The side that an input belongs to; sn_num_sides(f) for other inputs.
static size_t side_of(const SnForm *f, size_t input) {
  size_t s = 0;
  while (s < sn_num_sides(f) && input >= sn_side(f, s).first + sn_side(f, s).count)
    ++s;
  return s;
}

// A side has to use what is summed, by this access or another one that its program reads, or by a position in it.
static bool keeps_side_summed(const SnForm *f, size_t side, size_t input) {
  SnSide s = sn_side(f, side);
  SnGroup summed = sn_side_summed(f, side);
  for (int64_t d = summed.first; d < summed.first + summed.num_dims; ++d) {
    bool others = false;
    for (size_t k = s.first; k < s.first + s.count; ++k)
      others |= k != input && sn_access_uses(f, &f->inputs.data[k], d) &&
                (k < input || mlirValueGetFirstUse(mlirBlockGetArgument(s.program, (intptr_t)(k - s.first))).ptr);
    for (MlirOperation op = mlirBlockGetFirstOperation(s.program); !sn_null(op); op = mlirOperationGetNextInBlock(op))
      others |= sn_row_op_names(op, f->dims.data[d].name);
    if (!others && sn_access_uses(f, &f->inputs.data[input], d))
      return true;
  }
  return false;
}

static bool is_read_in_program(const SnForm *f, SnSide s, size_t input) {
  return !s.program.ptr || mlirValueGetFirstUse(mlirBlockGetArgument(s.program, (intptr_t)(input - s.first))).ptr;
}

static bool uses_group(const SnForm *f, size_t input, SnGroup g) {
  bool uses = false;
  for (int64_t d = g.first; d < g.first + g.num_dims; ++d)
    uses |= sn_access_uses(f, &f->inputs.data[input], d);
  return uses;
}

// A product is of the group whose columns its sides use, and of the first one if they use none.
static bool keeps_group(const SnForm *f, size_t side, size_t input) {
  int64_t number = side < 2 * f->products.size ? sn_group_of_product(f, side / 2) : 0;
  SnGroup g = sn_group(f, (size_t)number);
  if (!number || !uses_group(f, input, g))
    return false;
  bool others = false;
  for (size_t i = side / 2 * 2; i < side / 2 * 2 + 2; ++i) {
    SnSide s = sn_side(f, i);
    for (size_t k = s.first; k < s.first + s.count; ++k)
      others |= k != input && uses_group(f, k, g) && (k < input || is_read_in_program(f, s, k));
    MlirOperation op = s.program.ptr ? mlirBlockGetFirstOperation(s.program) : (MlirOperation){0};
    for (; !sn_null(op); op = mlirOperationGetNextInBlock(op))
      for (int64_t d = g.first; d < g.first + g.num_dims; ++d)
        others |= sn_row_op_names(op, f->dims.data[d].name);
  }
  return !others;
}

static bool is_read_by_side(const SnForm *f, size_t input) {
  size_t side = side_of(f, input), last = sn_side(f, side).first + sn_side(f, side).count - 1;
  SnSide s = sn_side(f, side);
  if (is_read_in_program(f, s, input) || keeps_side_summed(f, side, input) || keeps_group(f, side, input))
    return true;
  bool others = input < last; // a side has one input at least
  for (size_t k = s.first; k < last && !others; ++k)
    others = is_read_by_side(f, k);
  return !others;
}

static bool is_read(const SnForm *f, size_t input) {
  if (input < sn_first_input(f))
    return is_read_by_side(f, input);
  intptr_t argument = finish_argument(f, input);
  return mlirValueGetFirstUse(sn_input_argument(f, input)).ptr ||
         (f->finish.ptr && argument >= 0 && used(f->finish, argument));
}

// The access, or an index tensor that it goes through.
static bool gives_size(const SnForm *f, const SnAccess *a, intptr_t d) {
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(a->map) && !a->fill.ptr; ++i)
    if (sn_map_dim(a->map, i) == d)
      return true;
  for (intptr_t i = 0; a->through.ptr && i < mlirDenseArrayGetNumElements(a->through); ++i)
    if (gives_size(f, &f->indices.data[mlirDenseI64ArrayGetElement(a->through, i)], d))
      return true;
  return false;
}

// An input that is not read stays where a dimension of size `?` has its size from nothing else.
static bool is_needed(const SnForm *f, size_t input, SnPrune what) {
  bool needed = is_read(f, input);
  for (intptr_t d = 0; d < (intptr_t)f->dims.size && !needed; ++d) {
    if (f->dims.data[d].size != SN_DYNAMIC || (what.drop_columns && sn_is_col_dim(f, d)) ||
        !gives_size(f, &f->inputs.data[input], d))
      continue;
    needed = true;
    for (size_t k = 0; k < f->inputs.size && needed; ++k)
      needed = k == input || !gives_size(f, &f->inputs.data[k], d) || (k > input && !is_read(f, k));
    for (size_t k = 0; k < f->outputs.size && needed; ++k)
      needed = !what.keep_output[k] || !gives_size(f, &f->outputs.data[k], d);
  }
  return needed;
}

// With its place in the program.
static void map_argument(SnMap *map, MlirValue from, MlirValue to) {
  sn_map(map, from, to);
  mlirBlockArgumentSetLocation(to, mlirValueGetLocation(from));
}

// The programs get the arguments that are left; one that gives its only access is none.
static void prune_sides(SnForm *f, SnForm *to, const intptr_t *place) {
  bool any = false;
  for (size_t s = 0; s < to->sides.size; ++s) {
    SnSide was = f->sides.data[s], *is = &to->sides.data[s];
    for (size_t k = was.count; was.program.ptr && k-- > 0;) {
      intptr_t at = place[was.first + k];
      bool again = false;
      for (size_t e = 0; e < k && at >= 0 && !again; ++e)
        if (place[was.first + e] == at) {
          mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(was.program, (intptr_t)k),
                                        mlirBlockGetArgument(was.program, (intptr_t)e));
          again = true;
        }
      if (at < 0 || again)
        mlirBlockEraseArgument(was.program, (unsigned)k);
    }
    if (was.program.ptr && is_identity(was.program) && is->count == 1)
      is->program = (MlirBlock){0};
    any |= is->program.ptr != NULL;
  }
  if (!any)
    sn_vec_free(&to->sides);
}

// All operations of a block that is gone soon, the terminator too.
static void move_ops(SnBuilder *to, MlirBlock from, SnMap *map) {
  for (MlirOperation op; op = mlirBlockGetFirstOperation(from), !sn_null(op);)
    sn_move(to, op, map);
}

MlirOperation sn_prune(MlirOperation op, SnPrune what) {
  SnForm f = sn_form_read(op);
  size_t num_out = f.outputs.size, num_acc = f.accumulators.size;
  bool *keep = sn_alloc(num_out + 1), *keep_acc = sn_alloc(num_acc + 1), *yields = sn_alloc(num_out + num_acc + 1);
  memcpy(keep, what.keep_output, num_out);

  // Which accumulators do what is kept need?
  if (f.finish.ptr) {
    bool *finish_yields = sn_alloc(num_out + 1);
    size_t reduced = 0;
    for (size_t k = 0; k < num_out; ++k)
      if (sn_is_reduced(&f, k))
        finish_yields[reduced++] = keep[k];
    drop_yields(f.finish, finish_yields, (intptr_t)reduced);
    free(finish_yields);
    for (size_t a = 0; a < num_acc; ++a)
      keep_acc[a] = used(f.finish, (intptr_t)a);
  } else {
    for (size_t k = 0; k < num_out; ++k)
      if (sn_is_reduced(&f, k))
        keep_acc[sn_output_position(&f, k)] = keep[k];
  }
  memcpy(yields, keep_acc, num_acc);
  for (size_t k = 0; k < num_out; ++k)
    if (!sn_is_reduced(&f, k))
      yields[sn_output_position(&f, k)] = keep[k];
  drop_yields(f.body, yields, sn_num_operands(mlirBlockGetTerminator(f.body)));

  // The new form's parts.
  SnForm to = {.contract = f.contract,
               .num_rows = f.num_rows,
               .num_cols = what.drop_columns ? 0 : f.num_cols,
               .schedule = f.schedule};
#define MAP(map) (what.drop_columns ? without_columns(&f, (map)) : (map))
  for (size_t d = 0; d < f.dims.size; ++d)
    if (!what.drop_columns || !sn_is_col_dim(&f, (intptr_t)d))
      sn_push(&to.dims, f.dims.data[d]);
  for (size_t p = 0; p < f.products.size; ++p)
    sn_push(&to.products, f.products.data[p]);
  for (size_t g = 0; g < f.groups.size && !what.drop_columns; ++g)
    sn_push(&to.groups, f.groups.data[g]);
  for (size_t m = 0; m < f.matrices.size; ++m)
    sn_push(&to.matrices, f.matrices.data[m]);
  intptr_t *place = sn_alloc((f.inputs.size + 1) * sizeof *place),
           *index_place = sn_alloc((f.indices.size + 1) * sizeof *index_place);
  for (size_t k = 0; k < f.indices.size; ++k)
    index_place[k] = -1;
  for (size_t k = 0; k < f.inputs.size; ++k) {
    SnAccess a = f.inputs.data[k];
    place[k] = -1;
    size_t first = sn_first_input(&f);
    if (k < first) {
      SnSide side = sn_side(&f, side_of(&f, k));
      if (k == side.first && f.sides.size)
        sn_push(&to.sides, ((SnSide){to.inputs.size, 0, side.program}));
      first = side.program.ptr ? side.first : k;
    }
    if (!is_needed(&f, k, what))
      continue;
    for (size_t e = first; e < k && place[k] < 0; ++e)
      if (place[e] >= 0 && sn_same_access(&f, &f.inputs.data[e], &f, &a))
        place[k] = place[e];
    if (place[k] >= 0)
      continue;
    if (k < sn_first_input(&f) && f.sides.size)
      ++to.sides.data[to.sides.size - 1].count;
    if (a.through.ptr) {
      int64_t through[SN_MAX_DIMS];
      intptr_t n = mlirDenseArrayGetNumElements(a.through);
      for (intptr_t s = 0; s < n; ++s) {
        int64_t old = mlirDenseI64ArrayGetElement(a.through, s);
        if (index_place[old] < 0) {
          index_place[old] = (intptr_t)to.indices.size;
          SnAccess index = f.indices.data[old];
          index.map = MAP(index.map);
          sn_push(&to.indices, index);
        }
        through[s] = index_place[old];
      }
      a.through = mlirDenseI64ArrayGet(mlirOperationGetContext(op), n, through);
    }
    a.map = MAP(a.map);
    place[k] = (intptr_t)to.inputs.size;
    sn_push(&to.inputs, a);
  }
  prune_sides(&f, &to, place);
  for (size_t k = 0; k < num_out; ++k)
    if (keep[k]) {
      SnAccess a = f.outputs.data[k];
      a.map = MAP(a.map);
      sn_push(&to.outputs, a);
    }
  for (size_t a = 0; a < num_acc; ++a)
    if (keep_acc[a]) {
      SnAccumulator acc = f.accumulators.data[a];
      acc.map = MAP(acc.map);
      sn_push(&to.accumulators, acc);
    }

  MlirOperation made = {0};
  if (to.outputs.size) {
    SnBuilder b = sn_before(op);
    made = sn_form_create(&b, &to, f.finish.ptr && sn_num_reduced(&to));
    SnMap map = {0};
    for (size_t p = 0; p < f.products.size; ++p)
      map_argument(&map, sn_product_argument(&f, p), sn_product_argument(&to, p));
    for (size_t m = 0; m < f.matrices.size; ++m)
      map_argument(&map, sn_matrix_argument(&f, m), sn_matrix_argument(&to, m));
    for (size_t k = f.inputs.size; k-- > sn_first_input(&f);) // the first of several sets the place
      if (place[k] >= 0)
        map_argument(&map, sn_input_argument(&f, k), sn_input_argument(&to, (size_t)place[k]));
    SnBuilder body = sn_at_end(to.body, b.loc);
    move_ops(&body, f.body, &map);
    if (to.finish.ptr) {
      intptr_t next = 0;
      for (size_t a = 0; a < num_acc; ++a)
        if (keep_acc[a])
          sn_map(&map, mlirBlockGetArgument(f.finish, (intptr_t)a), mlirBlockGetArgument(to.finish, next++));
      for (size_t k = sn_first_input(&f); k < f.inputs.size; ++k)
        if (place[k] >= 0 && sn_is_uniform(&f, k))
          sn_map(&map, mlirBlockGetArgument(f.finish, finish_argument(&f, k)),
                 mlirBlockGetArgument(to.finish, finish_argument(&to, (size_t)place[k])));
      SnBuilder finish = sn_at_end(to.finish, b.loc);
      move_ops(&finish, f.finish, &map);
    }
    sn_map_free(&map);
    for (size_t k = 0, next = 0; k < num_out; ++k)
      if (keep[k])
        mlirValueReplaceAllUsesOfWith(sn_result(op, (intptr_t)k), sn_result(made, (intptr_t)next++));
  }
  mlirOperationDestroy(op);
  free(keep);
  free(keep_acc);
  free(yields);
  free(place);
  free(index_place);
  sn_form_free(&f);
  sn_form_free(&to);
  return made;
#undef MAP
}

static bool has_rows(MlirBlock block) {
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); ++i)
    if (sn_is_row(mlirBlockGetArgument(block, i)))
      return true;
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    for (intptr_t i = 0; i < sn_num_results(op); ++i)
      if (sn_is_row(sn_result(op, i)))
        return true;
  return false;
}

// finish only hands its accumulators on, one for each reduced result, in order.
static bool finish_is_identity(const SnForm *f) {
  MlirOperation yield = f->finish.ptr ? mlirBlockGetTerminator(f->finish) : (MlirOperation){0};
  if (sn_null(yield) || (size_t)sn_num_operands(yield) != f->accumulators.size)
    return false;
  for (size_t a = 0; a < f->accumulators.size; ++a)
    if (!sn_same(sn_operand(yield, (intptr_t)a), mlirBlockGetArgument(f->finish, (intptr_t)a)))
      return false;
  return true;
}

// One value for equal ones in the programs of sides, and none that is widened last: the product does it. Tells whether
// the form has to be made anew for it.
static bool tidy_sides(const SnForm *f) {
  bool change = false;
  for (size_t s = 0; s < f->sides.size; ++s) {
    MlirBlock program = f->sides.data[s].program;
    if (!program.ptr)
      continue;
    sn_cse_block(program);
    MlirOperation yield = mlirBlockGetTerminator(program);
    for (;;) {
      MlirOperation op = sn_definer(sn_operand(yield, 0));
      bool bools = !sn_null(op) && sn_num_operands(op) && sn_bits(sn_element(sn_type_of(sn_operand(op, 0)))) == 1;
      if (!sn_is(op, "arith.extf") && (!sn_is(op, "arith.extsi") || bools)) // of a bool the product makes 0 or 1
        break;
      mlirOperationSetOperand(yield, 0, sn_operand(op, 0));
      change |= s >= 2 * f->products.size; // the body has the matrix's type
    }
    sn_erase_dead(program);
    change |= is_identity(program);
    for (size_t k = f->sides.data[s].first; k < f->sides.data[s].first + f->sides.data[s].count; ++k)
      for (size_t e = f->sides.data[s].first; e < k; ++e)
        change |= sn_same_access(f, &f->inputs.data[e], f, &f->inputs.data[k]);
  }
  return change;
}

// Equal operations of the block become one; those without uses go.
static void tidy_block(MlirBlock block) {
  sn_cse_block(block);
  sn_erase_dead(block);
}

// A result that nobody reads stays where a dimension of size `?` has its size from nothing else.
static void keep_sizes(const SnForm *f, bool *keep) {
  for (intptr_t d = 0; d < (intptr_t)f->dims.size; ++d) {
    bool given = f->dims.data[d].size != SN_DYNAMIC;
    for (size_t k = 0; k < f->inputs.size && !given; ++k)
      given = gives_size(f, &f->inputs.data[k], d);
    for (size_t k = 0; k < f->outputs.size && !given; ++k)
      given = keep[k] && gives_size(f, &f->outputs.data[k], d);
    for (size_t k = 0; k < f->outputs.size && !given; ++k)
      keep[k] |= given = gives_size(f, &f->outputs.data[k], d);
  }
}

MlirOperation sn_tidy(MlirOperation op) {
  SnForm f = sn_form_read(op);
  tidy_block(f.body);
  if (f.finish.ptr) {
    tidy_block(f.finish);
    if (finish_is_identity(&f)) {
      mlirBlockDetach(f.finish);
      mlirBlockDestroy(f.finish);
      f.finish = (MlirBlock){0};
    }
  }
  bool *keep = sn_alloc(f.outputs.size + 1), change = tidy_sides(&f), any = false;
  for (size_t k = 0; k < f.outputs.size; ++k)
    any |= keep[k] = !sn_num_results(op) || mlirValueGetFirstUse(sn_result(op, (intptr_t)k)).ptr;
  if (!any && sn_form_asserts(&f))
    keep[0] = true; // nobody reads it, but it runs
  if (any || sn_form_asserts(&f))
    keep_sizes(&f, keep);
  for (size_t k = 0; k < f.outputs.size; ++k)
    change |= !keep[k];
  bool narrow =
      !f.contract && sn_is_plain(&f) && f.num_cols && !has_rows(f.body) && !(f.finish.ptr && has_rows(f.finish));
  for (size_t a = 0; a < f.accumulators.size; ++a)
    narrow &= !sn_uses_cols(&f, f.accumulators.data[a].map);
  for (size_t k = 0; k < f.inputs.size; ++k) {
    change |= !is_needed(&f, k, (SnPrune){keep, narrow});
    for (size_t e = sn_first_input(&f); e < k; ++e)
      change |= sn_same_access(&f, &f.inputs.data[e], &f, &f.inputs.data[k]);
  }
  for (size_t a = 0; a < f.accumulators.size && f.finish.ptr; ++a)
    change |= !used(f.finish, (intptr_t)a);
  if ((change || narrow) && sn_num_results(op))
    op = sn_prune(op, (SnPrune){keep, narrow});
  free(keep);
  sn_form_free(&f);
  return op;
}

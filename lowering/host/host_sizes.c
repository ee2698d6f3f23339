// host_sizes.c: sizes of host code's tensors, from those of its arguments.
//
//   %n = tensor.dim %x, %c0 : tensor<?x9xf32>
//   %e = tensor.empty(%n) : tensor<?x5xf32>
//   %y = linalg.matmul ... outs(%e)
//
// Dimension 0 of %y is dimension 0 of %x: destinations are followed to where their sizes come from, through loops that
// keep them and branches that agree.
// A size that depends on data is not followed.
//
// test: test/lowering/host_boundary.mlir

#include "lowering/host/host_sizes.h"
#include "capi/size_parts.h"

static const MlirValue none = {0};

static MlirValue index_of(SnSizes *s, MlirValue v);

static MlirValue of_part(SnSizes *s, const SnSizePart *p) {
  if (sn_none(p->value))
    return sn_index(&s->b, p->number);
  return p->dim < 0 ? index_of(s, p->value) : sn_size_of(s, p->value, p->dim);
}

// ---- control flow ---------------------------------------------------------------------------

static MlirBlock block_of(MlirOperation op, intptr_t region) {
  return mlirRegionGetFirstBlock(mlirOperationGetRegion(op, region));
}

// What the block's end hands on as number k.
static MlirValue handed_on(MlirBlock block, intptr_t k) { return sn_operand(mlirBlockGetTerminator(block), k); }

// The size of an argument of a loop's block: what it is in front of the loop, if a turn keeps it.
static MlirValue carried(SnSizes *s, MlirValue place, MlirValue before, MlirValue handed, intptr_t i) {
  for (size_t k = 0; k < s->carried.size; ++k)
    if (sn_same(s->carried.data[k].place, place) && s->carried.data[k].dim == i)
      return s->carried.data[k].size;
  size_t at = s->carried.size;
  SnCarriedSize size = {place, i, sn_size_of(s, before, i)};
  sn_push(&s->carried, size);
  if (sn_none(size.size))
    return none;
  MlirValue next = sn_size_of(s, handed, i); // if this one is what it was
  if (!sn_none(next) && sn_size_same(next, size.size))
    return size.size;
  s->carried.data[at].size = none;
  sn_map_free(&s->made); // what was made of the size before it was known to change
  return none;
}

static MlirValue of_region_argument(SnSizes *s, MlirOperation op, MlirBlock block, intptr_t k, intptr_t i) {
  MlirValue place = mlirBlockGetArgument(block, k);
  if (sn_is(op, "scf.for") && k)
    return carried(s, place, sn_operand(op, 2 + k), handed_on(block, k - 1), i);
  if (sn_is(op, "scf.while") && mlirBlockEqual(block, block_of(op, 0)))
    return carried(s, place, sn_operand(op, k), handed_on(block_of(op, 1), k), i);
  if (sn_is(op, "scf.while"))
    return sn_size_of(s, handed_on(block_of(op, 0), k + 1), i);
  intptr_t shared = mlirBlockGetNumArguments(block) - sn_num_results(op);
  if (sn_is(op, "scf.forall") && k >= shared)
    return sn_size_of(s, sn_operand(op, sn_num_operands(op) - sn_num_results(op) + k - shared), i);
  return none;
}

// The same whichever region runs; what nobody reads (ub.poison) says nothing.
static MlirValue of_branches(SnSizes *s, MlirOperation op, intptr_t k, intptr_t i) {
  MlirValue size = none;
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); ++r) {
    MlirValue v = handed_on(block_of(op, r), k);
    if (!sn_null(sn_def(v, "ub.poison")))
      continue;
    MlirValue n = sn_size_of(s, v, i);
    if (sn_none(n) || (!sn_none(size) && !sn_size_same(size, n)))
      return none;
    size = n;
  }
  return size;
}

static MlirValue of_control(SnSizes *s, MlirOperation op, intptr_t k, intptr_t i) {
  if (sn_is(op, "scf.if") || sn_is(op, "scf.index_switch") || sn_is(op, "scf.execute_region"))
    return of_branches(s, op, k, i);
  if (sn_is(op, "scf.while"))
    return sn_size_of(s, handed_on(block_of(op, 0), k + 1), i);
  if (sn_is(op, "scf.for"))
    return of_region_argument(s, op, block_of(op, 0), k + 1, i);
  if (sn_is(op, "scf.forall"))
    return sn_size_of(s, sn_operand(op, sn_num_operands(op) - sn_num_results(op) + k), i);
  return none;
}

// ---- values -----------------------------------------------------------------------------------

// Of tensor.reshape: the number that is written there.
static MlirValue of_reshape(SnSizes *s, MlirOperation reshape, intptr_t i) {
  MlirOperation shape = sn_def(sn_operand(reshape, 1), "tensor.from_elements");
  MlirValue n = sn_null(shape) ? none : index_of(s, sn_operand(shape, i));
  bool index = sn_none(n) || mlirTypeIsAIndex(sn_type_of(n));
  return index ? n : sn(&s->b, "arith.index_cast", n, sn_index_type(s->b.ctx));
}

static MlirValue of_result(SnSizes *s, MlirValue v, intptr_t i) {
  if (sn_in_dialect(sn_definer(v), "scf"))
    return of_control(s, sn_definer(v), mlirOpResultGetResultNumber(v), i);
  if (sn_is(sn_definer(v), "tensor.reshape"))
    return of_reshape(s, sn_definer(v), i);
  SnSizeParts all = sn_size_parts(v, i);
  MlirValue size = none;
  for (size_t k = 0; k < all.parts.size; ++k) {
    MlirValue part = of_part(s, &all.parts.data[k]);
    bool known = !sn_none(part) && (!k || !sn_none(size));
    size = !known ? none : k ? sn(&s->b, all.product ? "arith.muli" : "arith.addi", size, part) : part;
    if (!known)
      break;
  }
  sn_vec_free(&all.parts);
  return size;
}

static MlirValue of_argument(SnSizes *s, MlirValue v, intptr_t i) {
  intptr_t argument = mlirBlockArgumentGetArgNumber(v);
  MlirBlock block = mlirBlockArgumentGetOwner(v);
  MlirOperation parent = mlirBlockGetParentOperation(block);
  if (!sn_is(parent, "func.func"))
    return of_region_argument(s, parent, block, argument, i);
  const void *place = (const void *)((uintptr_t)v.ptr * 64 + (uintptr_t)i);
  uintptr_t at;
  if (sn_table_get(&s->by_place, place, &at))
    return s->known.data[at].value;
  SnArgumentSize size = {argument, i, s->argument(s, v, i)};
  sn_table_put(&s->by_place, place, s->known.size);
  if (!sn_none(size.value))
    sn_table_put(&s->by_value, size.value.ptr, s->known.size);
  sn_push(&s->known, size);
  return size.value;
}

const SnArgumentSize *sn_size_argument(const SnSizes *s, MlirValue size) {
  uintptr_t at;
  return sn_table_get(&s->by_value, size.ptr, &at) ? &s->known.data[at] : NULL;
}

MlirValue sn_size_of(SnSizes *s, MlirValue v, intptr_t i) {
  MlirType t = sn_type_of(v);
  if (!mlirTypeIsAShaped(t) || !mlirShapedTypeHasRank(t))
    return none;
  if (sn_dim(t, i) != SN_DYNAMIC)
    return sn_index(&s->b, sn_dim(t, i));
  return mlirValueIsABlockArgument(v) ? of_argument(s, v, i) : of_result(s, v, i);
}

// Arithmetic on sizes, again on what was emitted for its operands.
static MlirValue again(SnSizes *s, MlirOperation op) {
  MlirValue operands[8];
  bool arithmetic = sn_in_dialect(op, "arith") || sn_in_dialect(op, "math") || sn_is(op, "affine.apply") ||
                    sn_is(op, "affine.min") || sn_is(op, "affine.max");
  intptr_t n = sn_num_operands(op);
  MlirType t = sn_type_of(sn_result(op, 0));
  if (!arithmetic || n > 8 || mlirTypeIsAShaped(t))
    return none;
  for (intptr_t k = 0; k < n; ++k) {
    operands[k] = index_of(s, sn_operand(op, k));
    if (sn_none(operands[k]))
      return none;
  }
  return sn_result(sn_clone_as(&s->b, op, sn_values(n, operands), sn_types(1, &t)), 0);
}

static MlirValue index_of(SnSizes *s, MlirValue v) {
  MlirValue made = sn_mapped(&s->made, v);
  MlirOperation op = sn_definer(v);
  if (!sn_none(made) || sn_null(op))
    return made;
  if (sn_is(op, "tensor.dim") || sn_is(op, "memref.dim")) {
    intptr_t i;
    made = sn_known_dim(op, &i) ? sn_size_of(s, sn_operand(op, 0), i) : none;
  } else {
    made = again(s, op);
  }
  if (!sn_none(made))
    sn_map(&s->made, v, made);
  return made;
}

bool sn_size_same(MlirValue a, MlirValue b) {
  if (sn_same(a, b))
    return true;
  MlirOperation x = sn_definer(a), y = sn_definer(b);
  if (sn_null(x) || sn_null(y) || !sn_is(x, sn_name(y)) || sn_num_operands(x) != sn_num_operands(y) ||
      sn_is(x, "tensor.dim"))
    return false;
  if (sn_is(x, "arith.constant"))
    return mlirAttributeEqual(sn_get_attr(x, "value"), sn_get_attr(y, "value"));
  for (intptr_t k = 0; k < sn_num_operands(x); ++k)
    if (!sn_size_same(sn_operand(x, k), sn_operand(y, k)))
      return false;
  return sn_in_dialect(x, "arith") && !sn_is(x, "arith.cmpi");
}

uintptr_t sn_size_hash(SnTable *known, MlirValue size) {
  MlirOperation op = sn_definer(size);
  uintptr_t hash = (uintptr_t)size.ptr;
  if (sn_null(op) || !sn_in_dialect(op, "arith") || sn_is(op, "arith.cmpi"))
    return hash;
  if (sn_is(op, "arith.constant"))
    return (uintptr_t)sn_get_attr(op, "value").ptr;
  if (sn_table_get(known, size.ptr, &hash))
    return hash;
  hash = (uintptr_t)mlirIdentifierStr(mlirOperationGetName(op)).data;
  for (intptr_t k = 0; k < sn_num_operands(op); ++k)
    hash = hash * 31 + sn_size_hash(known, sn_operand(op, k));
  sn_table_put(known, size.ptr, hash);
  return hash;
}

void sn_sizes_free(SnSizes *s) {
  sn_table_free(&s->by_place);
  sn_table_free(&s->by_value);
  sn_vec_free(&s->known);
  sn_vec_free(&s->carried);
  sn_map_free(&s->made);
}

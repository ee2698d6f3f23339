// written_places.c: what is made of a tensor that must stay is made of a copy, where bufferization would not see it.
//
//   scf.while (%a = ...) {
//     %n = linalg.fill ins(%f) outs(%x)                %e = tensor.empty()
//     %y = scf.if %c { yield %n } else { yield %a }    %n = linalg.fill ins(%f) outs(%e)
//     materialize_in_destination %y in %a        ->    ...
//   }                                     ... or       %z = bufferization.alloc_tensor() copy(%x)
//   %m = tensor.insert %f into %x                      %m = tensor.insert %f into %z
//
// What a branch gives lies where one of its values does, and what materialize_in_destination writes is written there:
// neither is bufferization's to decide. If %n lay where %x does, a turn would write %x, which the next one reads. So it
// must not, and bufferization would copy; but it asks first whether what must be in place is in order, takes %n for %x
// there, and stops: "cannot avoid RaW conflict".
//
// runs in: sinter-destinations    test: test/lowering/host_written_places.mlir, test/fuzz/fuzz.test

#include "lowering/host/written_places.h"

typedef struct {
  SnTable places;        // of a tensor, its place in `parents`, plus one
  SN_VEC(size_t) parents; // another of the same class, or itself
  SN_VEC(MlirValue) values;
  SnTable writes;        // of a class's first place, plus one: the operations that write it, as a list in `all`
  SN_VEC(MlirOperation) all;
  SN_VEC(uintptr_t) next;
  SnTable members;       // the same of the values of a class
  SN_VEC(uintptr_t) next_member;
  SnOpVec made;          // operations that may be put elsewhere
} Places;

static size_t root(Places *p, size_t i) {
  while (p->parents.data[i] != i)
    i = p->parents.data[i] = p->parents.data[p->parents.data[i]];
  return i;
}

static size_t place(Places *p, MlirValue v) {
  uintptr_t i;
  if (sn_table_get(&p->places, v.ptr, &i))
    return root(p, i - 1);
  sn_push(&p->parents, p->parents.size);
  sn_push(&p->values, v);
  sn_table_put(&p->places, v.ptr, p->parents.size);
  return p->parents.size - 1;
}

static bool is_tensor(MlirValue v) { return mlirTypeIsATensor(sn_type_of(v)); }

static void are_one(Places *p, MlirValue v, MlirValue w) {
  if (!is_tensor(v))
    return;
  size_t i = place(p, v), k = place(p, w); // which may move the array
  p->parents.data[i] = k;
}

// The operand that lies where the result does, if bufferization wants; -1 if none is, or others than it decide.
static intptr_t made_of(MlirOperation op) {
  if (sn_is(op, "tensor.insert") || sn_is(op, "tensor.insert_slice"))
    return 1;
  if (sn_in_dialect(op, "linalg") && sn_num_results(op) == 1 && is_tensor(sn_result(op, 0)))
    return sn_num_operands(op) - 1;
  return -1;
}

static MlirWalkResult note(MlirOperation op, void *user) {
  Places *p = user;
  MlirOperation parent = mlirOperationGetParentOperation(op);
  if (sn_is(op, "scf.yield") && (sn_is(parent, "scf.if") || sn_is(parent, "scf.execute_region")))
    for (intptr_t k = 0; k < sn_num_operands(op); ++k)
      are_one(p, sn_operand(op, k), sn_result(parent, k));
  if (sn_is(op, "bufferization.materialize_in_destination") && sn_num_results(op)) {
    are_one(p, sn_operand(op, 1), sn_result(op, 0));
    sn_push(&p->all, op);
  }
  if (made_of(op) >= 0)
    sn_push(&p->made, op);
  return MlirWalkResultAdvance;
}

// Behind the walk: classes are known.
static void list(Places *p) {
  for (size_t k = 0; k < p->all.size; ++k) {
    const void *class = p->values.data[place(p, sn_operand(p->all.data[k], 1))].ptr;
    uintptr_t first = 0;
    sn_table_get(&p->writes, class, &first);
    sn_push(&p->next, first);
    sn_table_put(&p->writes, class, k + 1);
  }
  for (size_t k = 0; k < p->values.size; ++k) {
    const void *class = p->values.data[root(p, k)].ptr;
    uintptr_t first = 0;
    sn_table_get(&p->members, class, &first);
    sn_push(&p->next_member, first);
    sn_table_put(&p->members, class, k + 1);
  }
}

static uintptr_t first_of(const SnTable *t, const void *class) {
  uintptr_t first = 0;
  sn_table_get(t, class, &first);
  return first;
}

static const void *class_of(Places *p, MlirValue v) {
  uintptr_t i;
  return sn_table_get(&p->places, v.ptr, &i) ? p->values.data[root(p, i - 1)].ptr : v.ptr;
}

// ---- what is read when ------------------------------------------------------------------------------

// The payload of an operation of linalg may read what it was given to write.
static bool reads_before(MlirOperation op, intptr_t k) {
  if (mlirOperationGetNumRegions(op) != 1)
    return true;
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  return !body.ptr || mlirBlockGetNumArguments(body) != sn_num_operands(op) ||
         !mlirOpOperandIsNull(mlirValueGetFirstUse(mlirBlockGetArgument(body, k)));
}

static bool reads(MlirOpOperand use) {
  MlirOperation op = mlirOpOperandGetOwner(use);
  intptr_t k = mlirOpOperandGetOperandNumber(use);
  if (sn_is(op, "tensor.dim") || (sn_is(op, "bufferization.materialize_in_destination") && k == 1))
    return false;
  return !sn_in_dialect(op, "linalg") || k != made_of(op) || reads_before(op, k);
}

// The operation of the block that has this one in it; null if none has.
static MlirOperation in_block(MlirOperation op, MlirBlock block) {
  while (!sn_null(op) && !mlirBlockEqual(mlirOperationGetBlock(op), block))
    op = mlirOperationGetParentOperation(op);
  return op;
}

static bool is_inside(MlirValue v, MlirBlock block) {
  if (!mlirValueIsABlockArgument(v))
    return !sn_null(in_block(sn_definer(v), block));
  MlirBlock home = mlirBlockArgumentGetOwner(v);
  return mlirBlockEqual(home, block) || !sn_null(in_block(mlirBlockGetParentOperation(home), block));
}

// A use of the value may come behind the write: in the same turn, or in the next one, if the value was there before.
static bool is_read_behind(MlirValue v, MlirOperation write) {
  MlirBlock block = mlirOperationGetBlock(write);
  bool stays = !is_inside(v, block);
  for (MlirOpOperand use = mlirValueGetFirstUse(v); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation at = in_block(mlirOpOperandGetOwner(use), block);
    if (reads(use) && !mlirOperationEqual(mlirOpOperandGetOwner(use), write) &&
        (stays || (!sn_null(at) && mlirOperationIsBeforeInBlock(write, at))))
      return true;
  }
  return false;
}

// Something of the one class is read behind a write to the other.
static bool disagree(Places *p, MlirValue read, MlirValue written) {
  for (uintptr_t w = first_of(&p->writes, class_of(p, written)); w; w = p->next.data[w - 1]) {
    uintptr_t k = first_of(&p->members, class_of(p, read));
    bool behind = !k && is_read_behind(read, p->all.data[w - 1]);
    for (; k && !behind; k = p->next_member.data[k - 1])
      behind = is_read_behind(p->values.data[k - 1], p->all.data[w - 1]);
    if (behind)
      return true;
  }
  return false;
}

// ---- copies ---------------------------------------------------------------------------------------------

static MlirValue empty_like(SnBuilder *b, MlirValue x) {
  MlirType t = sn_type_of(x);
  SnValueVec sizes = {0};
  for (intptr_t d = 0; d < sn_rank(t); ++d)
    if (sn_dim(t, d) == SN_DYNAMIC)
      sn_push(&sizes, sn(b, "tensor.dim", x, sn_index(b, d), sn_index_type(b->ctx)));
  MlirValue e = sn(b, "tensor.empty", sn_values((intptr_t)sizes.size, sizes.data), t);
  sn_vec_free(&sizes);
  return e;
}

static void put_elsewhere(MlirOperation op, intptr_t k) {
  SnBuilder b = sn_before(op);
  MlirValue x = sn_operand(op, k);
  int32_t segments[] = {0, 1, 0};
  bool whole = !sn_in_dialect(op, "linalg") || reads_before(op, k);
  mlirOperationSetOperand(op, k,
                          whole ? sn(&b, "bufferization.alloc_tensor", x, sn_type_of(x),
                                     sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b.ctx, 3, segments)))
                                : empty_like(&b, x));
}

void sn_written_places(MlirOperation module) {
  Places p = {0};
  mlirOperationWalk(module, note, &p, MlirWalkPreOrder);
  list(&p);
  for (size_t i = 0; p.all.size && i < p.made.size; ++i) {
    MlirOperation op = p.made.data[i];
    MlirValue x = sn_operand(op, made_of(op)), y = sn_result(op, 0);
    if (class_of(&p, x) != class_of(&p, y) && (disagree(&p, x, y) || disagree(&p, y, x)))
      put_elsewhere(op, made_of(op));
  }
  sn_table_free(&p.places);
  sn_table_free(&p.writes);
  sn_table_free(&p.members);
  sn_vec_free(&p.parents);
  sn_vec_free(&p.values);
  sn_vec_free(&p.all);
  sn_vec_free(&p.next);
  sn_vec_free(&p.next_member);
  sn_vec_free(&p.made);
}

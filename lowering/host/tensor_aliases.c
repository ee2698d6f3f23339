// tensor_aliases.c: which tensors of a function may lie in one buffer, before there are buffers.
//
//   %y = tensor.insert %s into %x[%i]                 y ~ x
//   %z = scf.for ... iter_args(%a = %y) {             z ~ a ~ y
//     scf.yield %n                                    n ~ a
//   }
//   %w = linalg.exp ins(%z) outs(%e)                  w ~ e
//
// Bufferization decides which of these share memory; classes here are what it may decide at most.
//
// runs in: sinter-cut-chains    test: test/lowering/host_cut_chains.mlir

#include "lowering/host/tensor_aliases.h"

// ---- classes ------------------------------------------------------------------------------------

static size_t root(SnAliases *a, size_t i) {
  while (a->all.data[i].parent != i) {
    a->all.data[i].parent = a->all.data[a->all.data[i].parent].parent;
    i = a->all.data[i].parent;
  }
  return i;
}

static size_t place(SnAliases *a, MlirValue v) {
  uintptr_t i;
  if (sn_table_get(&a->places, v.ptr, &i))
    return root(a, i);
  i = a->all.size;
  sn_push(&a->all, (SnAliasPlace){.parent = i});
  sn_table_put(&a->places, v.ptr, i);
  return i;
}

static void unite(SnAliases *a, MlirValue v, MlirValue w) {
  size_t i = place(a, v), k = place(a, w);
  if (i == k)
    return;
  if (a->all.data[i].uses < a->all.data[k].uses) {
    size_t swap = i;
    i = k, k = swap;
  }
  a->all.data[k].parent = i;
  a->all.data[i].uses += a->all.data[k].uses;
}

size_t sn_alias_class(SnAliases *a, MlirValue v) {
  uintptr_t i;
  return sn_table_get(&a->places, v.ptr, &i) ? root(a, i) + 1 : 0;
}

int64_t sn_alias_uses(SnAliases *a, MlirValue v) {
  size_t i = sn_alias_class(a, v);
  return i ? a->all.data[i - 1].uses : 0;
}

bool sn_is_strided(const SnAliases *a, MlirValue v) { return sn_table_has(&a->strided, v.ptr); }

void sn_alias_stands_for(SnAliases *a, MlirValue v, MlirValue old) {
  size_t i = sn_alias_class(a, old);
  if (i)
    sn_table_put(&a->places, v.ptr, i - 1);
}

void sn_aliases_free(SnAliases *a) {
  sn_table_free(&a->places);
  sn_table_free(&a->strided);
  sn_vec_free(&a->all);
}

// ---- what an operation hands on -------------------------------------------------------------------

static bool is_tensor(MlirValue v) { return mlirTypeIsATensor(sn_type_of(v)); }

static bool is_one_of(MlirOperation op, const char *const *names) {
  for (; *names; ++names)
    if (sn_is(op, *names))
      return true;
  return false;
}

// Read an operand, and give nothing that lies where it does.
static const char *const readers[] = {
    "tensor.extract",        "tensor.dim",    "tensor.rank", "tensor.concat", "tensor.pad",  "tensor.gather",
    "bufferization.alloc_tensor", "bufferization.to_buffer", "func.return",   "shape.shape_of", NULL};
// Give what they are given, or a part of it.
static const char *const views[] = {"tensor.cast",           "tensor.extract_slice", "tensor.expand_shape",
                                    "tensor.collapse_shape", "tensor.reshape",       "arith.select",
                                    NULL};
// Give back what they write, operand 1.
static const char *const writers[] = {"tensor.insert", "tensor.insert_slice", "tensor.parallel_insert_slice",
                                      "tensor.scatter", "bufferization.materialize_in_destination", NULL};
// Branches, of which one gives the results, and what has blocks of scalars.
static const char *const branches[] = {"scf.if", "scf.index_switch", "scf.execute_region", NULL};
static const char *const of_scalars[] = {"tensor.generate", "tensor.pad", NULL};

static MlirValue argument(MlirOperation op, intptr_t region, intptr_t k) {
  return mlirBlockGetArgument(mlirRegionGetFirstBlock(mlirOperationGetRegion(op, region)), k);
}

// At most two values may lie where operand k of an operation does; -1: it is not known which.
static int handed_on(MlirOperation op, intptr_t k, MlirValue to[2]) {
  MlirOperation parent = mlirOperationGetParentOperation(op);
  intptr_t results = sn_num_results(op), operands = sn_num_operands(op);
  int n = 0;
  if (sn_in_dialect(op, "linalg")) {
    if (results && k >= operands - results)
      to[n++] = sn_result(op, k - (operands - results));
  } else if (sn_is(op, "scf.for")) {
    to[n++] = sn_result(op, k - 3);
    to[n++] = argument(op, 0, k - 2);
  } else if (sn_is(op, "scf.forall")) {
    to[n++] = sn_result(op, k - (operands - results));
    intptr_t arguments = mlirBlockGetNumArguments(mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0)));
    to[n++] = argument(op, 0, arguments - (operands - k));
  } else if (sn_is(op, "scf.while")) {
    to[n++] = argument(op, 0, k);
  } else if (sn_is(op, "scf.condition")) {
    to[n++] = sn_result(parent, k - 1);
    to[n++] = argument(parent, 1, k - 1);
  } else if (sn_is(op, "scf.yield") && sn_is(parent, "scf.for")) {
    to[n++] = sn_result(parent, k);
    to[n++] = argument(parent, 0, k + 1);
  } else if (sn_is(op, "scf.yield") && sn_is(parent, "scf.while")) {
    to[n++] = argument(parent, 0, k);
  } else if (sn_is(op, "scf.yield") && is_one_of(parent, branches)) {
    to[n++] = sn_result(parent, k);
  } else if (is_one_of(op, views)) {
    to[n++] = sn_result(op, 0);
  } else if (is_one_of(op, writers)) {
    if (k == 1 && results)
      to[n++] = sn_result(op, 0);
  } else if (!is_one_of(op, readers)) {
    n = -1;
  }
  return n;
}

// ---- the function ---------------------------------------------------------------------------------

typedef struct {
  SnAliases *a;
  SnValueVec parts; // strided tensors whose uses have not been looked at
} Walk;

static void is_part(Walk *w, MlirValue v) {
  if (sn_is_strided(w->a, v))
    return;
  sn_table_put(&w->a->strided, v.ptr, 1);
  sn_push(&w->parts, v);
}

// A view of memory that has another layout than its tensor would have alone.
static bool gives_part(MlirOperation op) {
  if (sn_is(op, "tensor.extract_slice"))
    return true;
  MlirType t = sn_is(op, "bufferization.to_tensor") ? sn_type_of(sn_operand(op, 0)) : (MlirType){0};
  return t.ptr && (!mlirTypeIsAMemRef(t) || !mlirAffineMapIsIdentity(mlirMemRefTypeGetAffineMap(t)));
}

static bool has_tensor_results(MlirOperation op) {
  for (intptr_t k = 0; k < sn_num_results(op); ++k)
    if (is_tensor(sn_result(op, k)))
      return true;
  return false;
}

static MlirWalkResult note(MlirOperation op, void *user) {
  Walk *w = user;
  bool tensors = has_tensor_results(op);
  for (intptr_t k = 0; k < sn_num_operands(op); ++k) {
    MlirValue v = sn_operand(op, k), to[2];
    if (!is_tensor(v))
      continue;
    tensors = true;
    size_t i = place(w->a, v);
    w->a->all.data[i].uses++;
    int n = handed_on(op, k, to);
    w->a->unknown |= n < 0;
    for (int i = 0; i < n; ++i)
      unite(w->a, v, to[i]);
  }
  if (!tensors)
    return MlirWalkResultAdvance;
  for (intptr_t k = 0; k < sn_num_results(op); ++k)
    place(w->a, sn_result(op, k));
  if (mlirOperationGetNumRegions(op) && !sn_in_dialect(op, "linalg") && !is_one_of(op, branches) &&
      !is_one_of(op, of_scalars))
    w->a->unknown |= !sn_is(op, "scf.for") && !sn_is(op, "scf.while") && !sn_is(op, "scf.forall");
  w->a->unknown |= mlirOperationGetNumSuccessors(op) > 0;
  if (gives_part(op))
    is_part(w, sn_result(op, 0));
  return w->a->unknown ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

static void spread(Walk *w) {
  for (size_t i = 0; i < w->parts.size; ++i)
    for (MlirOpOperand use = mlirValueGetFirstUse(w->parts.data[i]); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use)) {
      MlirValue to[2];
      int n = handed_on(mlirOpOperandGetOwner(use), mlirOpOperandGetOperandNumber(use), to);
      for (int k = 0; k < n; ++k)
        is_part(w, to[k]);
    }
}

SnAliases sn_aliases(MlirOperation func) {
  SnAliases a = {0};
  Walk w = {.a = &a};
  mlirOperationWalk(func, note, &w, MlirWalkPreOrder);
  if (!a.unknown)
    spread(&w);
  sn_vec_free(&w.parts);
  return a;
}

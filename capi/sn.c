// sn.c: the layer over mlir-c. See sn.h.

#include "capi/sn.h"
#include "capi/shim.h"
#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

// ---- growing arrays -----------------------------------------------------------

static void *checked(void *data, size_t bytes) {
  if (data || !bytes)
    return data;
  fprintf(stderr, "sinter: out of memory: %zu bytes\n", bytes);
  abort();
}

void *sn_alloc(size_t bytes) { return checked(calloc(1, bytes ? bytes : 1), bytes); }

void *sn_grow(void *data, size_t size, size_t *capacity, size_t item) {
  if (size < *capacity)
    return data;
  *capacity = *capacity ? 2 * *capacity : 8;
  return checked(realloc(data, *capacity * item), *capacity * item);
}

// ---- tables by address ----------------------------------------------------------

static size_t slot_of(const SnTable *t, const void *key) {
  size_t i = ((uintptr_t)key >> 3) * 0x9e3779b97f4a7c15u >> 20 & (t->capacity - 1);
  while (t->keys[i] && t->keys[i] != key)
    i = (i + 1) & (t->capacity - 1);
  return i;
}

void sn_table_put(SnTable *t, const void *key, uintptr_t value) {
  assert(key);
  if (t->size * 2 >= t->capacity) {
    SnTable old = *t;
    *t = (SnTable){.capacity = old.capacity ? old.capacity * 2 : 16};
    t->keys = sn_alloc(t->capacity * sizeof *t->keys);
    t->values = sn_alloc(t->capacity * sizeof *t->values);
    for (size_t i = 0; i < old.capacity; ++i)
      if (old.keys[i])
        sn_table_put(t, old.keys[i], old.values[i]);
    sn_table_free(&old);
  }
  size_t i = slot_of(t, key);
  t->size += !t->keys[i];
  t->keys[i] = key;
  t->values[i] = value;
}

bool sn_table_get(const SnTable *t, const void *key, uintptr_t *value) {
  size_t i = t->size && key ? slot_of(t, key) : 0;
  bool found = t->size && key && t->keys[i];
  if (found)
    *value = t->values[i];
  return found;
}

// In time that its numbers take, not what it had room for once.
void sn_table_clear(SnTable *t) {
  if (t->capacity > 64 + 8 * t->size)
    sn_table_free(t);
  else if (t->size)
    memset(t->keys, 0, t->capacity * sizeof *t->keys);
  t->size = 0;
}

void sn_table_free(SnTable *t) {
  free(t->keys);
  free(t->values);
  *t = (SnTable){0};
}

// ---- where the next operation goes ----------------------------------------------

SnBuilder sn_before(MlirOperation op) {
  return (SnBuilder){.ctx = mlirOperationGetContext(op),
                     .loc = mlirOperationGetLocation(op),
                     .block = mlirOperationGetBlock(op),
                     .before = op};
}
SnBuilder sn_after(MlirOperation op) {
  SnBuilder b = sn_before(op);
  b.before = mlirOperationGetNextInBlock(op);
  return b;
}
SnBuilder sn_at_end(MlirBlock block, MlirLocation loc) {
  return (SnBuilder){.ctx = mlirLocationGetContext(loc), .loc = loc, .block = block};
}
SnBuilder sn_at_start(MlirBlock block, MlirLocation loc) {
  SnBuilder b = sn_at_end(block, loc);
  b.before = mlirBlockGetFirstOperation(block);
  return b;
}

void sn_insert(SnBuilder *b, MlirOperation op) {
  if (b->rw.ptr) {
    if (sn_null(b->before))
      mlirRewriterBaseSetInsertionPointToEnd(b->rw, b->block);
    else
      mlirRewriterBaseSetInsertionPointBefore(b->rw, b->before);
    mlirRewriterBaseInsert(b->rw, op);
  } else if (sn_null(b->before)) {
    mlirBlockAppendOwnedOperation(b->block, op);
  } else {
    mlirBlockInsertOwnedOperationBefore(b->block, b->before, op);
  }
}

// ---- building operations --------------------------------------------------------------

MlirOperation sn_build(SnBuilder *b, const char *name, const SnArg *args) {
  MlirOperationState state = mlirOperationStateGet(SN_STR(name), b->loc);
  bool typed = false;
  for (; args->kind != SN_END; ++args) {
    switch (args->kind) {
    case SN_END:
      break;
    case SN_VALUE:
      assert(args->value.ptr && "an operand is missing");
      mlirOperationStateAddOperands(&state, 1, &args->value);
      break;
    case SN_VALUES:
      mlirOperationStateAddOperands(&state, args->values.n, args->values.data);
      break;
    case SN_TYPE:
      mlirOperationStateAddResults(&state, 1, &args->type);
      typed = true;
      break;
    case SN_TYPES:
      mlirOperationStateAddResults(&state, args->types.n, args->types.data);
      typed = true;
      break;
    case SN_ATTR: {
      MlirNamedAttribute attr =
          mlirNamedAttributeGet(mlirIdentifierGet(b->ctx, SN_STR(args->attr.name)), args->attr.attr);
      if (args->attr.attr.ptr)
        mlirOperationStateAddAttributes(&state, 1, &attr);
      break;
    }
    case SN_REGION:
      mlirOperationStateAddOwnedRegions(&state, 1, &args->region);
      break;
    case SN_BLOCK:
      mlirOperationStateAddSuccessors(&state, 1, &args->block);
      break;
    }
  }
  if (!typed && mlirOperationImplementsInterfaceStatic(SN_STR(name), b->ctx, mlirInferTypeOpInterfaceTypeID()))
    mlirOperationStateEnableResultTypeInference(&state);
  MlirOperation op = mlirOperationCreate(&state);
  if (sn_null(op)) { // inference refused: our bug, never the user's
    fprintf(stderr, "sinter: cannot build '%s'\n", name);
    abort();
  }
  sn_insert(b, op);
  return op;
}

// ---- types ---------------------------------------------------------------------------------

#define FORMATTED(text)                                                                            \
  char text[2048];                                                                                 \
  do {                                                                                             \
    va_list ap;                                                                                    \
    va_start(ap, format);                                                                          \
    vsnprintf(text, sizeof text, format, ap);                                                      \
    va_end(ap);                                                                                    \
  } while (0)

MlirType sn_type(MlirContext ctx, const char *format, ...) {
  FORMATTED(text);
  MlirType t = mlirTypeParseGet(ctx, SN_STR(text));
  assert(t.ptr && "the text is a type");
  return t;
}
MlirType sn_tensor(MlirType element, intptr_t rank, const int64_t *shape) {
  return mlirRankedTensorTypeGet(rank, shape, element, mlirAttributeGetNull());
}
MlirType sn_memref(MlirType element, intptr_t rank, const int64_t *shape) {
  return mlirMemRefTypeContiguousGet(element, rank, shape, mlirAttributeGetNull());
}
static MlirType like(MlirType shaped, MlirType element, MlirType (*make)(MlirType, intptr_t, const int64_t *)) {
  int64_t rank = sn_rank(shaped), *shape = sn_alloc((size_t)rank * sizeof *shape);
  for (int64_t i = 0; i < rank; ++i)
    shape[i] = sn_dim(shaped, i);
  MlirType t = make(element, rank, shape);
  free(shape);
  return t;
}
MlirType sn_tensor_like(MlirType shaped, MlirType element) { return like(shaped, element, sn_tensor); }
MlirType sn_memref_like(MlirType shaped, MlirType element) { return like(shaped, element, sn_memref); }
MlirType sn_vector(MlirType element, int64_t lanes) { return mlirVectorTypeGet(1, &lanes, element); }
MlirType sn_index_type(MlirContext ctx) { return mlirIndexTypeGet(ctx); }
MlirType sn_type_of(MlirValue v) { return mlirValueGetType(v); }
MlirType sn_element(MlirType t) { return mlirTypeIsAShaped(t) ? mlirShapedTypeGetElementType(t) : t; }
bool sn_is_float(MlirType t) { return mlirTypeIsAFloat(t); }
bool sn_is_float8(MlirType t) { return mlirTypeIsAFloat8E4M3FN(t) || mlirTypeIsAFloat8E5M2(t); }
bool sn_is_int(MlirType t) { return mlirTypeIsAInteger(t) || mlirTypeIsAIndex(t); }
unsigned sn_bits(MlirType t) {
  if (mlirTypeIsAComplex(t))
    return 2 * sn_bits(mlirComplexTypeGetElementType(t));
  return mlirTypeIsAIndex(t)     ? 64
         : mlirTypeIsAInteger(t) ? mlirIntegerTypeGetWidth(t)
         : mlirTypeIsAFloat(t)   ? mlirFloatTypeGetWidth(t)
                                 : 0;
}
unsigned sn_range(MlirType t) {
  enum { F128 = 16384, F64 = 1024, F32 = 128, F16 = 16 }; // floats of 8 bits are within f16, but for exponents alone
  bool small = mlirTypeIsAF16(t) || (sn_bits(t) < 16 && !mlirTypeIsAFloat8E8M0FNU(t));
  return !sn_is_float(t) ? sn_bits(t) : sn_bits(t) > 64 ? F128 : mlirTypeIsAF64(t) ? F64 : small ? F16 : F32;
}
int64_t sn_rank(MlirType shaped) { return mlirShapedTypeGetRank(shaped); }
int64_t sn_dim(MlirType shaped, intptr_t i) { return mlirShapedTypeGetDimSize(shaped, i); }

typedef struct {
  char *text;
  size_t size;
} Text;

static void append(MlirStringRef piece, void *user) {
  Text *t = user;
  char *longer = sn_alloc(t->size + piece.length + 1);
  if (t->text)
    memcpy(longer, t->text, t->size);
  memcpy(longer + t->size, piece.data, piece.length);
  free(t->text);
  t->text = longer;
  t->size += piece.length;
}

char *sn_type_text(MlirType type) {
  Text t = {0};
  mlirTypePrint(type, append, &t);
  return t.text;
}

SnText sn_text_in(char *buffer, size_t size) {
  *buffer = 0;
  return (SnText){buffer, buffer + size - 1};
}

void sn_text_add(MlirStringRef text, void *user) {
  SnText *t = user;
  size_t room = (size_t)(t->end - t->at), n = text.length < room ? text.length : room;
  memcpy(t->at, text.data, n);
  t->at += n;
  *t->at = 0;
}

// ---- attributes and constants --------------------------------------------------------------------

MlirAttribute sn_parse_attr(MlirContext ctx, const char *format, ...) {
  FORMATTED(text);
  MlirAttribute a = mlirAttributeParseGet(ctx, SN_STR(text));
  assert(a.ptr && "the text is an attribute");
  return a;
}
MlirAttribute sn_string(MlirContext ctx, const char *text) { return mlirStringAttrGet(ctx, SN_STR(text)); }
MlirAttribute sn_i64(MlirContext ctx, int64_t v) {
  return mlirIntegerAttrGet(mlirIntegerTypeGet(ctx, 64), v);
}
MlirAttribute sn_unit(MlirContext ctx) { return mlirUnitAttrGet(ctx); }
MlirAttribute sn_get_attr(MlirOperation op, const char *name) {
  return mlirOperationGetAttributeByName(op, SN_STR(name));
}
void sn_set_attr(MlirOperation op, const char *name, MlirAttribute attr) {
  mlirOperationSetAttributeByName(op, SN_STR(name), attr);
}
int64_t sn_int_attr(MlirOperation op, const char *name, int64_t otherwise) {
  MlirAttribute a = sn_get_attr(op, name);
  return a.ptr && mlirAttributeIsAInteger(a) ? mlirIntegerAttrGetValueInt(a) : otherwise;
}

MlirValue sn_constant(SnBuilder *b, MlirAttribute typed) {
  return sn(b, "arith.constant", mlirAttributeGetType(typed), sn_attr("value", typed));
}
MlirValue sn_index(SnBuilder *b, int64_t v) {
  return sn_constant(b, mlirIntegerAttrGet(mlirIndexTypeGet(b->ctx), v));
}
MlirValue sn_int(SnBuilder *b, MlirType t, int64_t v) { return sn_constant(b, mlirIntegerAttrGet(t, v)); }
MlirValue sn_float(SnBuilder *b, MlirType t, double v) {
  return sn_constant(b, mlirFloatAttrDoubleGet(b->ctx, t, v));
}
MlirValue sn_splat(SnBuilder *b, MlirType t, MlirAttribute scalar) {
  return sn_constant(b, mlirTypeIsAShaped(t) ? mlirDenseElementsAttrSplatGet(t, scalar) : scalar);
}
MlirValue sn_zero(SnBuilder *b, MlirType t) {
  MlirType e = sn_element(t);
  return sn_splat(b, t, sn_is_float(e) ? mlirFloatAttrDoubleGet(b->ctx, e, 0) : mlirIntegerAttrGet(e, 0));
}

MlirAttribute sn_constant_of(MlirValue v) {
  MlirOperation broadcast = sn_def(v, "sinter.broadcast");
  MlirOperation op = sn_def(sn_null(broadcast) ? v : sn_operand(broadcast, 0), "arith.constant");
  if (sn_null(op))
    return mlirAttributeGetNull();
  MlirAttribute value = sn_get_attr(op, "value");
  if (!mlirAttributeIsADenseElements(value))
    return mlirAttributeIsAElements(value) ? mlirAttributeGetNull() : value;
  return mlirDenseElementsAttrIsSplat(value) ? mlirDenseElementsAttrGetSplatValue(value) : mlirAttributeGetNull();
}
bool sn_attr_number(MlirAttribute scalar, double *number) {
  if (!scalar.ptr)
    return false;
  if (mlirAttributeIsAFloat(scalar))
    *number = mlirFloatAttrGetValueDouble(scalar);
  else if (mlirAttributeIsAInteger(scalar))
    *number = (double)mlirIntegerAttrGetValueInt(scalar);
  else
    return false;
  return true;
}
bool sn_is_constant(MlirValue v, double number) {
  double found;
  return sn_attr_number(sn_constant_of(v), &found) && found == number;
}

// ---- structured control flow --------------------------------------------------------------------------

SnLoop sn_for_values(SnBuilder *b, MlirValue lo, MlirValue hi, MlirValue step, SnValues init) {
  SnLoop loop = {.n = init.n, .outside = *b};
  if (init.n > SN_CARRIED) {
    fprintf(stderr, "sinter: a loop carries %td values, of at most %d\n", init.n, SN_CARRIED);
    abort();
  }
  MlirType types[SN_CARRIED + 1] = {mlirIndexTypeGet(b->ctx)};
  MlirLocation locs[SN_CARRIED + 1];
  for (intptr_t k = 0; k <= init.n; ++k) {
    locs[k] = b->loc;
    if (k)
      types[k] = mlirValueGetType(init.data[k - 1]);
  }
  MlirRegion region = mlirRegionCreate();
  MlirBlock block = mlirBlockCreate(init.n + 1, types, locs);
  mlirRegionAppendOwnedBlock(region, block);
  loop.op = sn_op(b, "scf.for", lo, hi, step, init, sn_types(init.n, types + 1), region);
  loop.index = mlirBlockGetArgument(block, 0);
  for (intptr_t k = 0; k < init.n; ++k)
    loop.carried[k] = mlirBlockGetArgument(block, k + 1);
  *b = sn_at_end(block, b->loc);
  b->rw = loop.outside.rw;
  return loop;
}
void sn_next_values(SnBuilder *b, SnLoop *loop, SnValues next) {
  assert(next.n == loop->n && "a loop is given as many values as it carries");
  sn_op(b, "scf.yield", next, sn_types(0, NULL));
  *b = loop->outside;
}

SnIf sn_if_types(SnBuilder *b, MlirValue condition, SnTypes results) {
  SnIf branch = {.outside = *b};
  MlirRegion regions[2] = {mlirRegionCreate(), mlirRegionCreate()};
  MlirBlock block = mlirBlockCreate(0, NULL, NULL);
  mlirRegionAppendOwnedBlock(regions[0], block);
  branch.op = sn_op(b, "scf.if", condition, results, regions[0], regions[1]);
  *b = sn_at_end(block, b->loc);
  b->rw = branch.outside.rw;
  return branch;
}
void sn_else_values(SnBuilder *b, SnIf *branch, SnValues yielded) {
  sn_op(b, "scf.yield", yielded, sn_types(0, NULL));
  MlirBlock block = mlirBlockCreate(0, NULL, NULL);
  mlirRegionAppendOwnedBlock(mlirOperationGetRegion(branch->op, 1), block);
  b->block = block;
  b->before = (MlirOperation){0};
}
void sn_end_if_values(SnBuilder *b, SnIf *branch, SnValues yielded) {
  sn_op(b, "scf.yield", yielded, sn_types(0, NULL));
  *b = branch->outside;
}

// ---- reading IR ---------------------------------------------------------------------------------------------

const char *sn_name(MlirOperation op) {
  // Identifiers are uniqued strings of the context and end in NUL.
  return mlirIdentifierStr(mlirOperationGetName(op)).data;
}
bool sn_in_dialect(MlirOperation op, const char *dialect) {
  size_t n = strlen(dialect);
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  return name.length > n && !memcmp(name.data, dialect, n) && name.data[n] == '.';
}
MlirOperation sn_definer(MlirValue v) {
  return v.ptr && mlirValueIsAOpResult(v) ? mlirOpResultGetOwner(v) : (MlirOperation){0};
}
MlirOperation sn_def(MlirValue v, const char *name) {
  MlirOperation op = sn_definer(v);
  return sn_is(op, name) ? op : (MlirOperation){0};
}
intptr_t sn_num_operands(MlirOperation op) { return mlirOperationGetNumOperands(op); }
intptr_t sn_num_results(MlirOperation op) { return mlirOperationGetNumResults(op); }
bool sn_unused(MlirOperation op) {
  for (intptr_t i = 0; i < sn_num_results(op); ++i)
    if (mlirValueGetFirstUse(sn_result(op, i)).ptr)
      return false;
  return true;
}
bool sn_one_use(MlirValue v) {
  MlirOpOperand use = mlirValueGetFirstUse(v);
  return use.ptr && mlirOpOperandIsNull(mlirOpOperandGetNextUse(use));
}
void sn_replace_results(MlirOperation op, MlirOperation by) {
  for (intptr_t k = 0; k < sn_num_results(op); ++k)
    mlirValueReplaceAllUsesOfWith(sn_result(op, k), sn_result(by, k));
}
MlirOperation sn_symbol(MlirOperation module, const char *name) { return sn_shim_symbol(module, SN_STR(name)); }

bool sn_known_dim(MlirOperation dim, intptr_t *i) {
  MlirAttribute at = sn_null(dim) ? mlirAttributeGetNull() : sn_constant_of(sn_operand(dim, 1));
  if (!at.ptr || !mlirShapedTypeHasRank(sn_type_of(sn_operand(dim, 0))))
    return false;
  int64_t d = mlirIntegerAttrGetValueInt(at);
  if (d < 0 || d >= sn_rank(sn_type_of(sn_operand(dim, 0))))
    return false;
  *i = d;
  return true;
}

typedef struct {
  SnOpVec *found;
  const char *name;
} Collect;
static MlirWalkResult collect(MlirOperation op, void *user) {
  Collect *c = user;
  if (sn_is(op, c->name))
    sn_push(c->found, op);
  return MlirWalkResultAdvance;
}
SnOpVec sn_collect(MlirOperation root, const char *name) {
  SnOpVec found = {0};
  Collect c = {&found, name};
  mlirOperationWalk(root, collect, &c, MlirWalkPreOrder);
  return found;
}

void sn_erase_dead(MlirBlock block) {
  bool changed = true;
  while (changed) {
    changed = false;
    MlirOperation op = mlirBlockGetTerminator(block);
    if (sn_null(op))
      return;
    SnOpVec ops = {0};
    for (op = mlirBlockGetFirstOperation(block); !sn_null(op); op = mlirOperationGetNextInBlock(op))
      sn_push(&ops, op);
    for (size_t i = ops.size; i-- > 0;)
      if (sn_shim_is_dead(ops.data[i])) {
        mlirOperationDestroy(ops.data[i]);
        changed = true;
      }
    sn_vec_free(&ops);
  }
}

// ---- copying -----------------------------------------------------------------------------------------------------

void sn_map(SnMap *map, MlirValue from, MlirValue to) { sn_table_put(&map->to, from.ptr, (uintptr_t)to.ptr); }
MlirValue sn_mapped(const SnMap *map, MlirValue v) {
  uintptr_t to = 0;
  sn_table_get(&map->to, v.ptr, &to);
  return (MlirValue){(const void *)to};
}
MlirValue sn_lookup(const SnMap *map, MlirValue v) {
  MlirValue to = sn_mapped(map, v);
  return sn_none(to) ? v : to;
}
void sn_map_clear(SnMap *map) { sn_table_clear(&map->to); }
void sn_map_free(SnMap *map) { sn_table_free(&map->to); }

static MlirWalkResult remap(MlirOperation op, void *map) {
  for (intptr_t i = 0; i < sn_num_operands(op); ++i) {
    MlirValue to = sn_mapped(map, sn_operand(op, i));
    if (!sn_none(to))
      mlirOperationSetOperand(op, i, to);
  }
  return MlirWalkResultAdvance;
}
MlirOperation sn_clone(SnBuilder *b, MlirOperation op, SnMap *map) {
  MlirOperation copy = mlirOperationClone(op);
  mlirOperationWalk(copy, remap, map, MlirWalkPreOrder);
  sn_insert(b, copy);
  for (intptr_t i = 0; i < sn_num_results(op); ++i)
    sn_map(map, sn_result(op, i), sn_result(copy, i));
  return copy;
}
void sn_move(SnBuilder *b, MlirOperation op, SnMap *map) {
  mlirOperationWalk(op, remap, map, MlirWalkPreOrder);
  mlirOperationRemoveFromParent(op);
  sn_insert(b, op);
}

void sn_move_block(MlirBlock from, MlirBlock to) {
  for (intptr_t k = 0; k < mlirBlockGetNumArguments(from); ++k)
    mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(from, k), mlirBlockGetArgument(to, k));
  for (MlirOperation op = mlirBlockGetFirstOperation(from), next; !sn_null(op); op = next) {
    next = mlirOperationGetNextInBlock(op);
    mlirOperationRemoveFromParent(op);
    mlirBlockAppendOwnedOperation(to, op);
  }
}
MlirOperation sn_clone_as(SnBuilder *b, MlirOperation op, SnValues operands, SnTypes results) {
  if (!mlirOperationGetNumRegions(op) && operands.n == sn_num_operands(op) && results.n == sn_num_results(op)) {
    MlirOperation copy = mlirOperationClone(op); // attributes one by one are made into dictionaries first
    for (intptr_t i = 0; i < operands.n; ++i)
      mlirOperationSetOperand(copy, i, operands.data[i]);
    for (intptr_t i = 0; i < results.n; ++i)
      mlirValueSetType(sn_result(copy, i), results.data[i]);
    sn_insert(b, copy);
    return copy;
  }
  MlirOperationState state =
      mlirOperationStateGet(mlirIdentifierStr(mlirOperationGetName(op)), mlirOperationGetLocation(op));
  mlirOperationStateAddOperands(&state, operands.n, operands.data);
  mlirOperationStateAddResults(&state, results.n, results.data);
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(op); ++i) {
    MlirNamedAttribute attr = mlirOperationGetAttribute(op, i);
    mlirOperationStateAddAttributes(&state, 1, &attr);
  }
  MlirOperation copy = mlirOperationCreate(&state);
  assert(!sn_null(copy));
  sn_insert(b, copy);
  return copy;
}
MlirLocation sn_fuse_loc(MlirLocation a, MlirLocation b) {
  if (mlirLocationEqual(a, b))
    return a;
  MlirLocation both[] = {a, b};
  return mlirLocationFusedGet(mlirLocationGetContext(a), 2, both, mlirAttributeGetNull());
}

// ---- affine maps --------------------------------------------------------------------------------------------------

MlirAffineMap sn_map_replace(MlirAffineMap map, intptr_t dims, const MlirAffineExpr *exprs) {
  MlirContext ctx = mlirAffineMapGetContext(map);
  intptr_t n = mlirAffineMapGetNumDims(map), m = mlirAffineMapGetNumResults(map), s = mlirAffineMapGetNumSymbols(map);
  MlirAffineExpr *through = sn_alloc((size_t)(n + m) * sizeof *through), *results = through + n;
  memcpy(through, exprs, (size_t)n * sizeof *through);
  MlirAffineMap substitution = mlirAffineMapGet(ctx, dims, 0, n, through);
  for (intptr_t i = 0; i < m; ++i)
    results[i] = mlirSimplifyAffineExpr(mlirAffineExprCompose(mlirAffineMapGetResult(map, i), substitution),
                                        (uint32_t)dims, (uint32_t)s);
  MlirAffineMap replaced = mlirAffineMapGet(ctx, dims, s, m, results);
  free(through);
  return replaced;
}
bool sn_map_uses(MlirAffineMap map, intptr_t dim) {
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map); ++i)
    if (mlirAffineExprIsFunctionOfDim(mlirAffineMapGetResult(map, i), dim))
      return true;
  return false;
}
intptr_t sn_map_dim(MlirAffineMap map, intptr_t i) {
  if (i >= mlirAffineMapGetNumResults(map))
    return -1;
  MlirAffineExpr e = mlirAffineMapGetResult(map, i);
  return mlirAffineExprIsADim(e) ? mlirAffineDimExprGetPosition(e) : -1;
}

// ---- the three voices of an error -----------------------------------------------------------------------------------

static _Thread_local bool show_refusals, keep_refusals;
void sn_show_refusals(bool show) { show_refusals = show; }
void sn_keep_refusals(bool keep) { keep_refusals = keep; }

bool sn_no(MlirOperation op, const char *format, ...) {
  if (!show_refusals && !keep_refusals)
    return false;
  FORMATTED(text);
  if (keep_refusals)
    sn_set_attr(op, "sinter.why", sn_string(mlirOperationGetContext(op), text));
  if (show_refusals)
    sn_shim_remark(op, text);
  return false;
}
MlirLogicalResult sn_error(MlirOperation op, const char *format, ...) {
  FORMATTED(text);
  sn_shim_error(op, text);
  return SN_FAIL;
}
void sn_remark(MlirOperation op, const char *format, ...) {
  FORMATTED(text);
  sn_shim_remark(op, text);
}

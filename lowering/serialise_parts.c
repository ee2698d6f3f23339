// serialise_parts.c: a lowered module as several, whose code is generated side by side.
//
//   module { @main_host: calls @kernel0   @kernel0: address of @kernel0_task   @kernel0_task: exp   @exp_of_ours }
//   ->
//   module { @main_host  @kernel0  @kernel0_task declared }      module { @kernel0_task  @exp_of_ours }
//
// A function stays with those that it calls, which may be inlined, and with the globals that it refers to; not with
// those whose address it takes. What nothing refers to by symbol stays in the program's own module. The rest is dealt
// out by size, the largest first. Functions that are not optimised (lowering/host/entry.c) stay with nothing: all of
// them are a module, whose code is generated as fast as LLVM can.
//
// test: test/tools/parts.test

#include "lowering/serialise_parts.h"
#include "lowering/host/host.h"
#include "lowering/serialise_code.h"

// A part is worth a thread from so many operations on; more parts than threads share the work out evenly.
enum { PART = 2500, MOST_PARTS = SN_MOST_CODES - 2 };

typedef struct {
  MlirOperation op;
  MlirStringRef name;
  size_t operations;  // inside of a function
  size_t group;       // of those that stay together, the first; by find()
  bool is_function, defined, referred;
  bool plain;         // a function that is not optimised
  size_t part;        // 0: the program's own module
} Symbol;

typedef struct {
  MlirStringRef name;
  size_t symbol;
} Name;

typedef struct {
  size_t from, to;
} Reference;

typedef struct {
  SN_VEC(Symbol) symbols;    // in their order
  SN_VEC(Name) by_name;
  SN_VEC(Reference) references;
  size_t from;               // the symbol whose operations are looked at
} Cut;

static size_t find(Cut *c, size_t i) {
  while (c->symbols.data[i].group != i)
    i = c->symbols.data[i].group = c->symbols.data[c->symbols.data[i].group].group;
  return i;
}

// The first of both stands for all.
static void join(Cut *c, size_t a, size_t b) {
  a = find(c, a);
  b = find(c, b);
  c->symbols.data[a > b ? a : b].group = a > b ? b : a;
}

static int compare(MlirStringRef a, MlirStringRef b) {
  int order = memcmp(a.data, b.data, a.length < b.length ? a.length : b.length);
  return order ? order : (a.length > b.length) - (a.length < b.length);
}

static int compare_names(const void *a, const void *b) {
  return compare(((const Name *)a)->name, ((const Name *)b)->name);
}

static const Symbol *find_name(const Cut *c, MlirStringRef name) {
  size_t low = 0, high = c->by_name.size;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    int order = compare(name, c->by_name.data[middle].name);
    if (!order)
      return &c->symbols.data[c->by_name.data[middle].symbol];
    if (order < 0)
      high = middle;
    else
      low = middle + 1;
  }
  return NULL;
}

static MlirWalkResult look(MlirOperation op, void *user) {
  Cut *c = user;
  MlirStringRef kind = mlirIdentifierStr(mlirOperationGetName(op));
  bool is_call = mlirStringRefEqual(kind, SN_STR("llvm.call"));
  ++c->symbols.data[c->from].operations;
  if (!is_call && !mlirStringRefEqual(kind, SN_STR("llvm.mlir.addressof")))
    return MlirWalkResultAdvance;
  MlirAttribute to = sn_get_attr(op, is_call ? "callee" : "global_name");
  const Symbol *s = to.ptr ? find_name(c, mlirFlatSymbolRefAttrGetValue(to)) : NULL;
  if (!s)
    return MlirWalkResultAdvance; // a call of a pointer
  size_t i = (size_t)(s - c->symbols.data);
  c->symbols.data[i].referred |= i != c->from;
  sn_push(&c->references, (Reference){c->from, i});
  bool may_be_inlined = is_call && s->defined && !s->plain;
  if (!c->symbols.data[c->from].plain && (!s->is_function || may_be_inlined))
    join(c, c->from, i);
  return MlirWalkResultAdvance;
}

static bool is_optimised(MlirOperation func) {
  MlirAttribute all = sn_get_attr(func, "passthrough");
  for (intptr_t i = 0; all.ptr && i < mlirArrayAttrGetNumElements(all); ++i) {
    MlirAttribute one = mlirArrayAttrGetElement(all, i);
    if (mlirAttributeIsAString(one) && mlirStringRefEqual(mlirStringAttrGetValue(one), SN_STR("optnone")))
      return false;
  }
  return true;
}

static void read_symbols(Cut *c, MlirBlock body) {
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !sn_null(op); op = mlirOperationGetNextInBlock(op)) {
    MlirAttribute name = sn_get_attr(op, "sym_name");
    if (!name.ptr)
      continue;
    bool is_function = sn_is(op, "llvm.func");
    bool defined = !is_function || mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0)).ptr;
    size_t i = c->symbols.size;
    sn_push(&c->by_name, (Name){mlirStringAttrGetValue(name), i});
    sn_push(&c->symbols, (Symbol){.op = op, .name = mlirStringAttrGetValue(name), .group = i,
                                  .is_function = is_function, .defined = defined,
                                  .plain = is_function && defined && !is_optimised(op)});
  }
  if (c->by_name.size)
    qsort(c->by_name.data, c->by_name.size, sizeof *c->by_name.data, compare_names);
  for (c->from = 0; c->from < c->symbols.size; ++c->from) {
    const Symbol *s = &c->symbols.data[c->from];
    if (s->defined)
      mlirOperationWalk(s->op, look, c, MlirWalkPreOrder);
  }
}

// ---- dealing out -------------------------------------------------------------------

typedef struct {
  size_t first, operations;
} Group;

static int larger_first(const void *a, const void *b) {
  const Group *x = a, *y = b;
  return x->operations != y->operations ? (x->operations < y->operations ? 1 : -1) : x->first < y->first ? -1 : 1;
}

// The constants' pointer is defined beside the table of functions.
static bool may_move(const Symbol *global) {
  return sn_is(global->op, "llvm.mlir.global") && !mlirStringRefEqual(global->name, SN_STR(SN_CONSTANTS_POINTER));
}

// Sets each symbol's part; how many there are beside the program's own module. *plain: the last is not optimised.
static size_t deal(Cut *c, bool *plain) {
  size_t n = c->symbols.size, all = 0, parts;
  bool *stays = sn_alloc(n + 1);
  size_t *size = sn_alloc((n + 1) * sizeof *size), load[MOST_PARTS] = {0};
  SN_VEC(Group) groups = {0};
  for (size_t i = 0; i < n; ++i) {
    const Symbol *s = &c->symbols.data[i];
    size[find(c, i)] += s->operations;
    stays[find(c, i)] |= s->is_function ? s->defined && !s->referred : !may_move(s);
  }
  for (size_t i = 0; i < n; ++i)
    if (find(c, i) == i && size[i] && !stays[i] && !c->symbols.data[i].plain) {
      sn_push(&groups, (Group){i, size[i]});
      all += size[i];
    }
  parts = all / PART < MOST_PARTS ? all / PART : MOST_PARTS;
  if (groups.size)
    qsort(groups.data, groups.size, sizeof *groups.data, larger_first);
  for (size_t k = 0; k < groups.size && parts; ++k) {
    size_t least = 0;
    for (size_t p = 1; p < parts; ++p)
      least = load[p] < load[least] ? p : least;
    load[least] += groups.data[k].operations;
    c->symbols.data[groups.data[k].first].part = least + 1;
  }
  for (size_t i = 0; i < n; ++i) {
    Symbol *s = &c->symbols.data[i];
    bool moves = s->plain && !stays[i];
    *plain |= moves;
    s->part = moves ? parts + 1 : c->symbols.data[find(c, i)].part;
  }
  sn_vec_free(&groups);
  free(stays);
  free(size);
  return parts + *plain;
}

// ---- moving ------------------------------------------------------------------------

static MlirOperation declared_global(MlirOperation global) {
  static const char *const kept[] = {"sym_name", "global_type", "addr_space", "alignment"};
  MlirContext ctx = mlirOperationGetContext(global);
  MlirOperationState state = mlirOperationStateGet(SN_STR("llvm.mlir.global"), mlirOperationGetLocation(global));
  MlirNamedAttribute a[5] = {mlirNamedAttributeGet(mlirIdentifierGet(ctx, SN_STR("linkage")),
                                                   sn_parse_attr(ctx, "#llvm.linkage<external>"))};
  intptr_t n = 1;
  for (int i = 0; i < 4; ++i)
    if (sn_get_attr(global, kept[i]).ptr)
      a[n++] = mlirNamedAttributeGet(mlirIdentifierGet(ctx, SN_STR(kept[i])), sn_get_attr(global, kept[i]));
  MlirRegion none = mlirRegionCreate();
  mlirOperationStateAddAttributes(&state, n, a);
  mlirOperationStateAddOwnedRegions(&state, 1, &none);
  return mlirOperationCreate(&state);
}

static MlirOperation declaration(const Symbol *s) {
  if (!s->defined)
    return mlirOperationClone(s->op);
  if (!s->is_function)
    return declared_global(s->op);
  MlirContext ctx = mlirOperationGetContext(s->op);
  MlirOperationState state = mlirOperationStateGet(SN_STR("llvm.func"), mlirOperationGetLocation(s->op));
  MlirNamedAttribute attributes[2];
  static const char *const names[2] = {"sym_name", "function_type"};
  for (int i = 0; i < 2; ++i)
    attributes[i] = mlirNamedAttributeGet(mlirIdentifierGet(ctx, SN_STR(names[i])), sn_get_attr(s->op, names[i]));
  MlirRegion none = mlirRegionCreate();
  mlirOperationStateAddAttributes(&state, 2, attributes);
  mlirOperationStateAddOwnedRegions(&state, 1, &none);
  return mlirOperationCreate(&state);
}

static void declare(Cut *c, SnParts *parts, MlirOperation module) {
  size_t count = parts->modules.size + 1;
  bool *done = sn_alloc(c->symbols.size * count + 1), *shared = sn_alloc(c->symbols.size + 1);
  for (size_t r = 0; r < c->references.size; ++r) {
    size_t to = c->references.data[r].to, in = c->symbols.data[c->references.data[r].from].part;
    const Symbol *s = &c->symbols.data[to];
    if (in == s->part || done[to * count + in])
      continue;
    done[to * count + in] = true;
    MlirOperation d = declaration(s);
    MlirBlock own = mlirRegionGetFirstBlock(mlirOperationGetRegion(module, 0));
    mlirBlockAppendOwnedOperation(in ? mlirModuleGetBody(parts->modules.data[in - 1]) : own, d);
    if (!in)
      sn_push(&parts->declared, d);
    if (s->defined && !shared[to])
      sn_push(&parts->shared, s->name);
    shared[to] |= s->defined;
  }
  free(done);
  free(shared);
}

SnParts sn_parts_cut(MlirOperation module) {
  SnParts parts = {0};
  Cut c = {0};
  read_symbols(&c, mlirRegionGetFirstBlock(mlirOperationGetRegion(module, 0)));
  size_t count = deal(&c, &parts.last_is_plain);
  for (size_t p = 0; p < count; ++p)
    sn_push(&parts.modules, mlirModuleCreateEmpty(mlirOperationGetLocation(module)));
  for (size_t i = 0; i < c.symbols.size; ++i) {
    const Symbol *s = &c.symbols.data[i];
    if (!s->part)
      continue;
    sn_push(&parts.moved, (SnMoved){s->op, mlirOperationGetNextInBlock(s->op)});
    mlirOperationRemoveFromParent(s->op);
    mlirBlockAppendOwnedOperation(mlirModuleGetBody(parts.modules.data[s->part - 1]), s->op);
  }
  if (count)
    declare(&c, &parts, module);
  sn_vec_free(&c.symbols);
  sn_vec_free(&c.by_name);
  sn_vec_free(&c.references);
  return parts;
}

void sn_parts_join(SnParts *parts, MlirOperation module) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(module, 0));
  for (size_t i = 0; i < parts->declared.size; ++i)
    mlirOperationDestroy(parts->declared.data[i]);
  for (size_t i = parts->moved.size; i-- > 0;) {
    MlirOperation op = parts->moved.data[i].op, next = parts->moved.data[i].next;
    mlirOperationRemoveFromParent(op);
    if (sn_null(next))
      mlirBlockAppendOwnedOperation(body, op);
    else
      mlirBlockInsertOwnedOperationBefore(body, next, op);
  }
  for (size_t p = 0; p < parts->modules.size; ++p)
    mlirModuleDestroy(parts->modules.data[p]);
  sn_vec_free(&parts->modules);
  sn_vec_free(&parts->shared);
  sn_vec_free(&parts->moved);
  sn_vec_free(&parts->declared);
}

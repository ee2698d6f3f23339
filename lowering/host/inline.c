// inline.c: a call of a function of the program is what that function does.
//
//   func.func @main(%x) { %y = call @f(%x) }   func.func private @f(%a) { %b = call @g(%a)  return %b }
//   ->
//   func.func @main(%x) { what @g does with %x }
//
// Each function is gone through once from its first operation to its last: where it calls another one, that one's body
// is copied there, and gone through as well. So an operation is made once for each place where it ends up, however many
// calls lead there, and its location names that call, whose own names the next. Upstream's inliner copies what
// functions hold into those that call them, one level after the other: of n functions of which each calls the next it
// makes n^2 copies, and a location n levels deep for each of them.
//
// A function stays that says `no_inline`, that has several blocks, or that may come to call itself.
//
// runs in: sinter-cpu, sinter-gpu    test: test/lowering/host_inline.mlir, test/run/calls.mlir, test/limits/growth.test

#include "lowering/host/host.h"

typedef struct {
  size_t from, to;         // functions
  size_t next_by, next_of; // another call by the same function, and of the same one, plus one; 0: there is none
} Call;
typedef struct {
  MlirOperation op;
  size_t calls, callers;       // that are not gone yet
  size_t first_by, first_of;   // call by it, and of it, plus one
  bool gone;                   // it is on no circle of calls
  bool kept;                   // somebody calls it who is kept, or it is public
} Function;
typedef struct {
  SN_VEC(Function) functions;
  SN_VEC(Call) calls;
  SnTable places;          // of an operation that is a function, its place in `functions`, plus one
  MlirSymbolTable symbols;
  size_t at;               // the function whose operations are looked at
  SN_VEC(size_t) kept;     // functions that are called still
} Graph;

// The function with a body that is called; null if there is none.
static Function *callee_of(const Graph *g, MlirOperation call) {
  uintptr_t place = 0;
  MlirOperation f = mlirSymbolTableLookup(g->symbols, mlirFlatSymbolRefAttrGetValue(sn_get_attr(call, "callee")));
  return !sn_null(f) && sn_table_get(&g->places, f.ptr, &place) ? &g->functions.data[place - 1] : NULL;
}

static MlirWalkResult add_call(MlirOperation op, void *user) {
  Graph *g = user;
  Function *from = &g->functions.data[g->at], *to = sn_is(op, "func.call") ? callee_of(g, op) : NULL;
  if (!to)
    return MlirWalkResultAdvance;
  sn_push(&g->calls, (Call){g->at, (size_t)(to - g->functions.data), from->first_by, to->first_of});
  from->first_by = to->first_of = g->calls.size;
  ++from->calls;
  ++to->callers;
  return MlirWalkResultAdvance;
}

static bool is_end(const Function *f) { return !f->gone && (!f->calls || !f->callers); }

// What calls nothing, or is called by nothing, is on no circle of calls; nor is it where that is left out, and so on.
// What stays may come to call itself.
static void drop_ends(Graph *g) {
  SN_VEC(size_t) ends = {0};
  for (size_t k = 0; k < g->functions.size; ++k)
    if (is_end(&g->functions.data[k]))
      sn_push(&ends, k);
  while (ends.size) {
    Function *f = &g->functions.data[ends.data[--ends.size]];
    if (f->gone)
      continue;
    f->gone = true;
    for (size_t k = f->first_by; k; k = g->calls.data[k - 1].next_by) {
      size_t to = g->calls.data[k - 1].to;
      --g->functions.data[to].callers;
      if (is_end(&g->functions.data[to]))
        sn_push(&ends, to);
    }
    for (size_t k = f->first_of; k; k = g->calls.data[k - 1].next_of) {
      size_t from = g->calls.data[k - 1].from;
      --g->functions.data[from].calls;
      if (is_end(&g->functions.data[from]))
        sn_push(&ends, from);
    }
  }
  sn_vec_free(&ends);
}

static Graph graph_of(MlirOperation module) {
  Graph g = {.symbols = mlirSymbolTableCreate(module)};
  SnOpVec all = sn_collect(module, "func.func");
  for (size_t k = 0; k < all.size; ++k)
    if (sn_function_body(all.data[k]).ptr) {
      sn_push(&g.functions, (Function){.op = all.data[k]});
      sn_table_put(&g.places, all.data[k].ptr, g.functions.size);
    }
  sn_vec_free(&all);
  for (g.at = 0; g.at < g.functions.size; ++g.at)
    mlirOperationWalk(g.functions.data[g.at].op, add_call, &g, MlirWalkPreOrder);
  drop_ends(&g);
  return g;
}

static void graph_free(Graph *g) {
  sn_vec_free(&g->functions);
  sn_vec_free(&g->calls);
  sn_vec_free(&g->kept);
  sn_table_free(&g->places);
  mlirSymbolTableDestroy(g->symbols);
}

// ---- copies -----------------------------------------------------------------------------------------

static bool can_inline(const Function *f, MlirOperation call) {
  return f->gone && !sn_get_attr(call, "no_inline").ptr && !sn_get_attr(f->op, "no_inline").ptr &&
         mlirBlockIsNull(mlirBlockGetNextInRegion(sn_function_body(f->op)));
}

static MlirWalkResult add_location(MlirOperation op, void *user) {
  MlirOperation call = {user};
  mlirOperationSetLocation(op, mlirLocationCallSiteGet(mlirOperationGetLocation(op), mlirOperationGetLocation(call)));
  return MlirWalkResultAdvance;
}

// The first operation that stands in the call's place, or behind it where nothing does.
static MlirOperation inline_call(MlirOperation call, MlirOperation func) {
  MlirBlock body = sn_function_body(func);
  MlirOperation end = mlirBlockGetTerminator(body), first = {NULL};
  SnBuilder b = sn_before(call);
  SnMap map = {0};
  for (intptr_t k = 0; k < mlirBlockGetNumArguments(body); ++k)
    sn_map(&map, mlirBlockGetArgument(body, k), sn_operand(call, k));
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationEqual(op, end);
       op = mlirOperationGetNextInBlock(op)) {
    MlirOperation copy = sn_clone(&b, op, &map);
    mlirOperationWalk(copy, add_location, call.ptr, MlirWalkPreOrder);
    if (sn_null(first))
      first = copy;
  }
  for (intptr_t k = 0; k < sn_num_results(call); ++k)
    mlirValueReplaceAllUsesOfWith(sn_result(call, k), sn_mapped(&map, sn_operand(end, k)));
  if (sn_null(first))
    first = mlirOperationGetNextInBlock(call);
  mlirOperationDestroy(call);
  sn_map_free(&map);
  return first;
}

static void keep(Graph *g, Function *f) {
  if (!f->kept)
    sn_push(&g->kept, (size_t)(f - g->functions.data));
  f->kept = true;
}

static void inline_in(Graph *g, MlirOperation root) {
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(root); ++r)
    for (MlirBlock b = mlirRegionGetFirstBlock(mlirOperationGetRegion(root, r)); b.ptr; b = mlirBlockGetNextInRegion(b))
      for (MlirOperation op = mlirBlockGetFirstOperation(b); !sn_null(op);) {
        Function *f = sn_is(op, "func.call") ? callee_of(g, op) : NULL;
        if (f && can_inline(f, op)) {
          op = inline_call(op, f->op);
          continue;
        }
        if (f)
          keep(g, f);
        inline_in(g, op);
        op = mlirOperationGetNextInBlock(op);
      }
}

// What nobody calls any more is left as it was (symbol-dce).
static MlirLogicalResult run(const SnRun *run, MlirOperation module) {
  Graph g = graph_of(module);
  for (size_t k = 0; g.calls.size && k < g.functions.size; ++k)
    if (sn_is_public(g.functions.data[k].op))
      keep(&g, &g.functions.data[k]);
  for (size_t k = 0; k < g.kept.size; ++k) // which grows meanwhile
    inline_in(&g, g.functions.data[g.kept.data[k]].op);
  graph_free(&g);
  return SN_OK;
}

const SnPass sn_pass_host_inline = {
    .argument = "sinter-inline",
    .summary = "calls between the program's functions are what these functions do",
    .anchor = "builtin.module",
    .run = run,
};

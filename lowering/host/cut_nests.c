// cut_nests.c: branches and loops that are deep in each other are cut into functions with a few levels of them each.
//
//   scf.if %c0 {                            scf.if %c0 {
//     scf.if %c1 {                            scf.if %c1 {
//       scf.if %c2 {                            %y = call @main_nest0(%c2, %c3, %x)
//         scf.if %c3 { f(%x) }       ->       }
//       }                                   }
//     }                                     func.func private @main_nest0(%c2, %c3, %x) {
//   }                                         scf.if %c2 { scf.if %c3 { f(%x) } }
//
// Upstream asks each branch whether all that it holds has effects, in each of its greedy rewrites, and drops what it
// holds once for each level when it is destroyed: n levels take time with n^2. A switch of n cases is n branches in
// each other, too. So no function has more than a few levels, from its program's inlining on.
//
// What is captured becomes arguments; constants and empty tensors are made again. A nest stays where it captures
// memory, or what is no tensor or number, and where it gives a tensor of a size `?`: upstream's
// buffer-results-to-out-params has no memory to give a function for that.
//
// runs in: sinter-cpu, sinter-gpu    test: test/lowering/host_cut_nests.mlir, test/run/nests.test

#include "lowering/host/host.h"
#include "lowering/host/made_functions.h"

typedef struct {
  const char *most; // of a function
} Options;
typedef struct {
  int64_t most; // levels of a function
  MlirOperation host;
  SnMadeFunctions names;
  MlirOperation last; // what the next function stands behind
  int n;              // of its name
} Cut;

static bool is_level(MlirOperation op) {
  return sn_is(op, "scf.if") || sn_is(op, "scf.for") || sn_is(op, "scf.while") || sn_is(op, "scf.index_switch") ||
         sn_is(op, "scf.execute_region");
}

// ---- what a nest takes from around it ---------------------------------------------------------------

typedef struct {
  SnTable inside; // values that are made in it, and those that are listed below
  SnValueVec taken;
  SnOpVec again; // constants and empty tensors, which are made again
} Nest;

static void nest_free(Nest *n) {
  sn_table_free(&n->inside);
  sn_vec_free(&n->taken);
  sn_vec_free(&n->again);
}

static void take(Nest *n, MlirValue v) {
  if (sn_table_has(&n->inside, v.ptr))
    return;
  sn_table_put(&n->inside, v.ptr, 1);
  MlirOperation made = sn_definer(v);
  if (!sn_is(made, "arith.constant") && !sn_is(made, "tensor.empty")) {
    sn_push(&n->taken, v);
    return;
  }
  for (intptr_t k = 0; k < sn_num_operands(made); ++k)
    take(n, sn_operand(made, k));
  sn_push(&n->again, made);
}

static MlirWalkResult visit(MlirOperation op, void *user) {
  Nest *n = user;
  for (intptr_t k = 0; k < sn_num_operands(op); ++k)
    take(n, sn_operand(op, k));
  for (intptr_t k = 0; k < sn_num_results(op); ++k)
    sn_table_put(&n->inside, sn_result(op, k).ptr, 1);
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); ++r)
    for (MlirBlock b = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r)); b.ptr; b = mlirBlockGetNextInRegion(b))
      for (intptr_t k = 0; k < mlirBlockGetNumArguments(b); ++k)
        sn_table_put(&n->inside, mlirBlockGetArgument(b, k).ptr, 1);
  return MlirWalkResultAdvance;
}

static bool can_cross(MlirValue v) {
  MlirType t = sn_type_of(v);
  return mlirTypeIsARankedTensor(t) || mlirTypeIsAIndex(t) || mlirTypeIsAInteger(t) || sn_is_float(t);
}

static bool has_known_sizes(MlirValue v) {
  MlirType t = sn_type_of(v);
  return !mlirTypeIsARankedTensor(t) || mlirShapedTypeHasStaticShape(t);
}

static bool fits(const Nest *n, MlirOperation op) {
  bool fits = true;
  for (size_t k = 0; fits && k < n->taken.size; ++k)
    fits = can_cross(n->taken.data[k]);
  for (intptr_t k = 0; fits && k < sn_num_results(op); ++k)
    fits = can_cross(sn_result(op, k)) && has_known_sizes(sn_result(op, k));
  return fits;
}

// ---- the function -----------------------------------------------------------------------------------

static MlirOperation make_function(Cut *c, const Nest *n, MlirOperation op, MlirBlock *body) {
  SnBuilder b = sn_after(c->last);
  SN_VEC(MlirType) takes = {0}, gives = {0};
  SN_VEC(MlirLocation) locs = {0};
  b.loc = mlirOperationGetLocation(op);
  for (size_t k = 0; k < n->taken.size; ++k) {
    sn_push(&takes, sn_type_of(n->taken.data[k]));
    sn_push(&locs, b.loc);
  }
  for (intptr_t k = 0; k < sn_num_results(op); ++k)
    sn_push(&gives, sn_type_of(sn_result(op, k)));
  MlirRegion region = mlirRegionCreate();
  *body = mlirBlockCreate((intptr_t)takes.size, takes.data, locs.data);
  mlirRegionAppendOwnedBlock(region, *body);
  MlirType type = mlirFunctionTypeGet(b.ctx, (intptr_t)takes.size, takes.data, (intptr_t)gives.size, gives.data);
  char name[160];
  sn_made_name(&c->names, c->host, "nest", &c->n, name, sizeof name);
  c->last = sn_op(&b, "func.func", region, sn_attr("sym_name", sn_string(b.ctx, name)),
                  sn_attr("function_type", mlirTypeAttrGet(type)),
                  sn_attr("sym_visibility", sn_string(b.ctx, "private")));
  sn_vec_free(&takes);
  sn_vec_free(&gives);
  sn_vec_free(&locs);
  mlirSymbolTableInsert(c->names.symbols, c->last);
  return c->last;
}

static MlirOperation make_call(MlirOperation func, const Nest *n, MlirOperation op) {
  SnBuilder b = sn_before(op);
  SN_VEC(MlirType) types = {0};
  for (intptr_t k = 0; k < sn_num_results(op); ++k)
    sn_push(&types, sn_type_of(sn_result(op, k)));
  MlirOperation call =
      sn_op(&b, "func.call", sn_values((intptr_t)n->taken.size, n->taken.data),
            sn_types((intptr_t)types.size, types.data),
            sn_attr("callee", mlirFlatSymbolRefAttrGet(b.ctx, mlirStringAttrGetValue(sn_get_attr(func, "sym_name")))));
  sn_vec_free(&types);
  return call;
}

static MlirWalkResult rename_operands(MlirOperation op, void *user) {
  for (intptr_t k = 0; k < sn_num_operands(op); ++k) {
    MlirValue v = sn_mapped(user, sn_operand(op, k));
    if (!sn_none(v))
      mlirOperationSetOperand(op, k, v);
  }
  return MlirWalkResultAdvance;
}

static void move(Cut *c, const Nest *n, MlirOperation op) {
  MlirBlock body;
  MlirOperation func = make_function(c, n, op, &body), call = make_call(func, n, op);
  SnBuilder b = sn_at_end(body, mlirOperationGetLocation(op));
  SnMap map = {0};
  SnValueVec given = {0};
  for (size_t k = 0; k < n->taken.size; ++k)
    sn_map(&map, n->taken.data[k], mlirBlockGetArgument(body, (intptr_t)k));
  for (size_t k = 0; k < n->again.size; ++k)
    sn_clone(&b, n->again.data[k], &map);
  for (intptr_t k = 0; k < sn_num_results(op); ++k) {
    mlirValueReplaceAllUsesOfWith(sn_result(op, k), sn_result(call, k));
    sn_push(&given, sn_result(op, k));
  }
  MlirOperation end = sn_op(&b, "func.return", sn_values((intptr_t)given.size, given.data), sn_types(0, NULL));
  mlirOperationMoveBefore(op, end);
  mlirOperationWalk(op, rename_operands, &map, MlirWalkPreOrder);
  sn_vec_free(&given);
  sn_map_free(&map);
}

// ---- where it is cut ----------------------------------------------------------------------------------

// A function that holds it, if it can be one.
static void outline(Cut *c, MlirOperation op) {
  Nest n = {0};
  mlirOperationWalk(op, visit, &n, MlirWalkPreOrder);
  if (fits(&n, op))
    move(c, &n, op);
  nest_free(&n);
}

static int64_t cut_inside(Cut *c, MlirOperation op);

// Levels of a branch or loop, its own one among them. Where these are as many as a function has, and there are more
// around them, they are cut off: none are left.
static int64_t cut(Cut *c, MlirOperation op, bool outermost) {
  int64_t levels = is_level(op) ? 1 + cut_inside(c, op) : 0;
  if (levels < c->most || outermost)
    return levels;
  outline(c, op);
  return 0;
}

static int64_t cut_inside(Cut *c, MlirOperation op) {
  int64_t most = 0;
  bool outermost = !is_level(op);
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); ++r)
    for (MlirBlock b = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r)); b.ptr; b = mlirBlockGetNextInRegion(b))
      for (MlirOperation in = mlirBlockGetFirstOperation(b); !sn_null(in);) {
        MlirOperation next = mlirOperationGetNextInBlock(in);
        int64_t levels = cut(c, in, outermost);
        most = levels > most ? levels : most;
        in = next;
      }
  return most;
}

static MlirLogicalResult run(const SnRun *run, MlirOperation module) {
  const Options *o = run->options;
  SnOpVec functions = sn_host_functions(module);
  SnMadeFunctions names = sn_made_begin(module);
  for (size_t k = 0; k < functions.size; ++k) {
    Cut c = {.most = atoll(o->most), .host = functions.data[k], .names = names, .last = functions.data[k]};
    cut_inside(&c, c.host);
  }
  sn_made_end(&names);
  sn_vec_free(&functions);
  return SN_OK;
}

static const SnOption options[] = {
    {SN_OPTION_STRING, "most", "levels of branches and loops in each other that a function has", "8", NULL,
     offsetof(Options, most)},
    {0},
};

MlirDialectHandle mlirGetDialectHandle__func__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__func__, NULL};

const SnPass sn_pass_host_cut_nests = {
    .argument = "sinter-cut-nests",
    .summary = "branches and loops deep in each other are cut into functions with a few levels of them each",
    .anchor = "builtin.module",
    .options = options,
    .options_size = sizeof(Options),
    .dialects = dialects,
    .run = run,
};

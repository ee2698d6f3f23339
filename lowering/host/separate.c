// separate.c: each operation of linalg in host code is a function of its own.
//
//   linalg.matmul ins(%x, %y : memref<4x8xf32>, memref<8x8xf32>) outs(%z : memref<4x8xf32>)
//   ->
//   call @main_part0(%x, %y, %z)
//
//   func.func private @main_part0(%x: memref<4x8xf32>, %y: memref<8x8xf32>, %z: memref<4x8xf32>) {
//     linalg.matmul ins(%x, %y ...) outs(%z ...)
//     return
//   }
//
// Loops of a whole program in one function take LLVM more than the square of their number: its analyses ask of each
// access what it shares with all others. Operations that do the same to operands of the same types share one function.
// What has no loops stays, and so does what an assert may end: that ends the host's function.
//
// relies on: tensors are buffers
// runs in: sinter-cpu    test: test/lowering/host_separate.mlir

#include "lowering/host/host.h"
#include "lowering/host/made_functions.h"
#include "lowering/host/names.h"

typedef struct {
  SnMadeFunctions made;
  MlirOperation host, last; // whose operations are taken; what the next function stands behind
  int n;                    // of its names
} Separate;

static bool has_loops(MlirOperation op) {
  for (intptr_t k = 0; k < sn_num_operands(op); ++k) {
    MlirType t = sn_type_of(sn_operand(op, k));
    if (mlirTypeIsAMemRef(t) && sn_rank(t))
      return true;
  }
  return false;
}

static MlirWalkResult find_operations(MlirOperation op, void *found) {
  if (!sn_in_dialect(op, "linalg"))
    return MlirWalkResultAdvance;
  SnOpVec asserts = sn_collect(op, "cf.assert");
  if (!sn_num_results(op) && has_loops(op) && !asserts.size)
    sn_push((SnOpVec *)found, op);
  sn_vec_free(&asserts);
  return MlirWalkResultSkip;
}

// ---- what an operation takes from the host --------------------------------------------------

typedef struct {
  MlirOperation op;
  SnValueVec values; // each once
  SnTable known;
} Outside;

static bool is_inside(MlirOperation op, MlirValue v) {
  MlirOperation at = mlirValueIsABlockArgument(v) ? mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(v))
                                                  : mlirOperationGetParentOperation(sn_definer(v));
  while (!sn_null(at) && !mlirOperationEqual(at, op))
    at = mlirOperationGetParentOperation(at);
  return !sn_null(at);
}

static MlirWalkResult note_operands(MlirOperation inner, void *user) {
  Outside *o = user;
  for (intptr_t k = 0; k < sn_num_operands(inner); ++k) {
    MlirValue v = sn_operand(inner, k);
    if (sn_table_has(&o->known, v.ptr) || is_inside(o->op, v))
      continue;
    sn_table_put(&o->known, v.ptr, 1);
    sn_push(&o->values, v);
  }
  return MlirWalkResultAdvance;
}

// ---- the function -----------------------------------------------------------------------------

static MlirOperation make_function(SnBuilder *b, const SnValueVec *arguments, MlirBlock *body) {
  intptr_t n = (intptr_t)arguments->size;
  MlirType *types = sn_alloc(((size_t)n + 1) * sizeof *types);
  MlirLocation *locs = sn_alloc(((size_t)n + 1) * sizeof *locs);
  for (intptr_t k = 0; k < n; ++k) {
    types[k] = sn_type_of(arguments->data[k]);
    locs[k] = b->loc;
  }
  MlirRegion region = mlirRegionCreate();
  *body = mlirBlockCreate(n, types, locs);
  mlirRegionAppendOwnedBlock(region, *body);
  MlirType type = mlirFunctionTypeGet(b->ctx, n, types, 0, NULL);
  free(types);
  free(locs);
  return sn_op(b, "func.func", region, sn_attr("sym_name", sn_string(b->ctx, "part")), // until it is known to be needed
               sn_attr("function_type", mlirTypeAttrGet(type)), sn_attr("sym_visibility", sn_string(b->ctx, "private")),
               sn_attr(SN_PART, sn_unit(b->ctx)), sn_attr("passthrough", sn_parse_attr(b->ctx, "[\"noinline\"]")));
}

static void separate(Separate *s, MlirOperation op) {
  Outside outside = {.op = op};
  mlirOperationWalk(op, note_operands, &outside, MlirWalkPreOrder);
  SnValueVec arguments = {0}, constants = {0};
  for (size_t k = 0; k < outside.values.size; ++k) {
    MlirValue v = outside.values.data[k];
    sn_push(sn_null(sn_def(v, "arith.constant")) ? &arguments : &constants, v);
  }
  SnBuilder host = sn_before(op), after = sn_after(s->last);
  after.loc = host.loc;
  MlirBlock block;
  MlirOperation func = make_function(&after, &arguments, &block);
  SnBuilder b = sn_at_end(block, host.loc);
  SnMap map = {0};
  for (size_t k = 0; k < arguments.size; ++k)
    sn_map(&map, arguments.data[k], mlirBlockGetArgument(block, (intptr_t)k));
  for (size_t k = 0; k < constants.size; ++k)
    sn_clone(&b, sn_definer(constants.data[k]), &map);
  sn_clone(&b, op, &map);
  sn_op(&b, "func.return", sn_values(0, NULL));

  char name[160];
  int before = s->n;
  sn_made_name(&s->made, s->host, "part", &s->n, name, sizeof name);
  MlirOperation callee = sn_made_add(&s->made, func, name);
  if (mlirOperationEqual(callee, func))
    s->last = func;
  else
    s->n = before;
  sn_op(&host, "func.call", sn_values((intptr_t)arguments.size, arguments.data), sn_types(0, NULL),
        sn_attr("callee", mlirFlatSymbolRefAttrGet(host.ctx, mlirStringAttrGetValue(sn_get_attr(callee, "sym_name")))));
  mlirOperationDestroy(op);
  sn_map_free(&map);
  sn_vec_free(&arguments);
  sn_vec_free(&constants);
  sn_vec_free(&outside.values);
  sn_table_free(&outside.known);
}

static MlirLogicalResult run(const SnRun *run, MlirOperation module) {
  Separate s = {.made = sn_made_begin(module)};
  SnOpVec functions = sn_host_functions(module);
  for (size_t i = 0; i < functions.size; ++i) {
    s.host = s.last = functions.data[i];
    s.n = 0;
    SnOpVec found = {0};
    mlirOperationWalk(s.host, find_operations, &found, MlirWalkPreOrder);
    for (size_t k = 0; k < found.size; ++k)
      separate(&s, found.data[k]);
    sn_vec_free(&found);
  }
  sn_vec_free(&functions);
  sn_made_end(&s.made);
  return SN_OK;
}

MlirDialectHandle mlirGetDialectHandle__func__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__func__, NULL};

const SnPass sn_pass_host_separate = {
    .argument = "sinter-separate",
    .summary = "each operation of linalg in host code in a function of its own",
    .anchor = "builtin.module",
    .dialects = dialects,
    .run = run,
};

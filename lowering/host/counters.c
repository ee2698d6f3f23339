// counters.c: what --stats and --benchmark report is told by the program itself.
//
//   linalg.fill ins(%z : f32) outs(%m : memref<4x8xf32>)
//   linalg.fill ins(%z : f32) outs(%n : memref<4x8xf32>)
//   ->
//   func.call @sinter_rt_count(%kernel, %two) : (i32, i64) -> ()
//   func.call @sinter_rt_begin(%0) : (i32) -> ()
//   linalg.fill ins(%z : f32) outs(%m : memref<4x8xf32>)
//   func.call @sinter_rt_end(%0) : (i32) -> ()
//   func.call @sinter_rt_begin(%1) : (i32) -> ()
//   ...
//
// Counted in the block where it happens, so that loops count right: a block's known numbers are one sum, told in front
// of the first of them, so that a program of many layers does not grow by a call for each. One rule, for both
// targets and all policies: a kernel is a launch or a parallel region started
// from host code, and so is every linalg op, copy and fill that is left there; a
// kernel function is as many as it starts, at least one. A call of anything
// else outside of the module is a library call. A buffer that lies
// between kernels is temporary; scratch inside of one kernel
// (sinter.workspace) is not, nor are inputs and outputs.
//
// Each place of a public function that runs kernels has a number, its index in the function's
// sinter.kernels: where a library is asked to, it says when that one begins and ends. What a call will count is
// computed without a run by the function sinter.costs (host/call_costs.c).
//
// relies on: results are out arguments already, ops on linalg are not loops yet; sinter-cost
// runs in: sinter-cpu, sinter-gpu    test: test/lowering/host_count.mlir

#include "lowering/host/cost.h"
#include "lowering/host/host.h"

// SinterCount of runtime/runtime.h, which this compiles no code of.
enum { KERNEL = 0, LIBRARY_CALL = 1, TEMPORARY_BYTES = 2, KINDS };

// What a block does each time that it runs.
typedef struct {
  MlirOperation calls[KINDS]; // that tell it, in front of the first that is counted; null: there is none
  int64_t n[KINDS];
} Sums;

typedef struct {
  SnHost *host;
  MlirBlock body;
  bool numbered; // a public function: its kernels are numbered
  SN_VEC(MlirAttribute) names;
  SN_VEC(Sums) blocks;
  SnTable sums;      // of a block, which of them
  SnTable constants; // of an attribute, its value in the body
} Counting;

// One for all that use it, in front of them.
static MlirValue constant(Counting *c, const char *type, int64_t n) {
  MlirContext ctx = mlirOperationGetContext(mlirBlockGetParentOperation(c->body));
  const void *key = mlirIntegerAttrGet(sn_type(ctx, "%s", type), n).ptr;
  uintptr_t known;
  if (sn_table_get(&c->constants, key, &known))
    return (MlirValue){(void *)known};
  SnBuilder b = sn_at_start(c->body, mlirOperationGetLocation(mlirBlockGetParentOperation(c->body)));
  MlirValue v = sn_int(&b, sn_type(ctx, "%s", type), n);
  sn_table_put(&c->constants, key, (uintptr_t)v.ptr);
  return v;
}

static MlirOperation tell(Counting *c, MlirOperation op, int what, MlirValue n) {
  SnBuilder b = sn_before(op);
  MlirValue arguments[2] = {constant(c, "i32", what), n};
  return sn_call_runtime(&b, c->host->module, "sinter_rt_count", sn_values(2, arguments));
}

static void count(Counting *c, MlirOperation op, int what, int64_t n) {
  MlirBlock block = mlirOperationGetBlock(op);
  uintptr_t k;
  if (!sn_table_get(&c->sums, block.ptr, &k)) {
    sn_table_put(&c->sums, block.ptr, k = c->blocks.size);
    sn_push(&c->blocks, (Sums){0});
  }
  Sums *s = &c->blocks.data[k];
  if (sn_null(s->calls[what]))
    s->calls[what] = tell(c, op, what, constant(c, "i64", 0));
  if (__builtin_add_overflow(s->n[what], n, &s->n[what]))
    s->n[what] = INT64_MAX;
}

static void set_sums(Counting *c) {
  for (size_t k = 0; k < c->blocks.size; ++k)
    for (int what = 0; what < KINDS; ++what)
      if (!sn_null(c->blocks.data[k].calls[what]))
        mlirOperationSetOperand(c->blocks.data[k].calls[what], 1, constant(c, "i64", c->blocks.data[k].n[what]));
}

// Bytes of an alloc: n for each element, times its sizes.
static void count_bytes(Counting *c, MlirOperation alloc, int64_t n) {
  MlirType type = sn_type_of(sn_result(alloc, 0));
  intptr_t next = 0;
  for (intptr_t i = 0; i < sn_rank(type); ++i)
    if (__builtin_mul_overflow(n, sn_dim(type, i) == SN_DYNAMIC ? 1 : sn_dim(type, i), &n))
      n = 0; // sinter-allocations refuses it
  if (mlirShapedTypeHasStaticShape(type)) {
    count(c, alloc, TEMPORARY_BYTES, n);
    return;
  }
  SnBuilder b = sn_before(alloc);
  MlirValue bytes = constant(c, "i64", n);
  for (intptr_t i = 0; i < sn_rank(type); ++i)
    if (sn_dim(type, i) == SN_DYNAMIC)
      bytes = sn(&b, "arith.muli", bytes, sn(&b, "arith.index_cast", sn_type(b.ctx, "i64"), sn_operand(alloc, next++)));
  tell(c, alloc, TEMPORARY_BYTES, bytes);
}

static bool starts_with(MlirStringRef s, const char *prefix) {
  size_t n = strlen(prefix);
  return s.length >= n && !memcmp(s.data, prefix, n);
}

// Parallel regions and launches in a kernel function, at least one.
static int64_t kernels_in(MlirOperation func) {
  SnOpVec launches = sn_collect(func, "gpu.launch_func");
  SnOpVec calls = sn_collect(func, "func.call");
  int64_t n = (int64_t)launches.size;
  for (size_t i = 0; i < calls.size; ++i)
    if (starts_with(mlirFlatSymbolRefAttrGetValue(sn_get_attr(calls.data[i], "callee")),
                    "sinter_rt_parallel"))
      ++n;
  sn_vec_free(&launches);
  sn_vec_free(&calls);
  return n ? n : 1;
}

SnHost sn_host_begin(MlirOperation module) { return (SnHost){module, mlirSymbolTableCreate(module)}; }

void sn_host_end(SnHost *host) {
  mlirSymbolTableDestroy(host->symbols);
  sn_table_free(&host->kernels);
}

SnHostWork sn_host_work(SnHost *host, MlirOperation op) {
  SnHostWork work = {.what = SN_HOST_NOTHING};
  if (sn_is(op, "func.call")) {
    MlirStringRef callee = mlirFlatSymbolRefAttrGetValue(sn_get_attr(op, "callee"));
    MlirOperation func = mlirSymbolTableLookup(host->symbols, callee);
    uintptr_t kernels;
    if (sn_null(func))
      return work;
    if (!mlirAttributeIsNull(sn_get_attr(func, SN_KERNEL))) {
      if (!sn_table_get(&host->kernels, func.ptr, &kernels))
        sn_table_put(&host->kernels, func.ptr, kernels = (uintptr_t)kernels_in(func));
      work = (SnHostWork){SN_HOST_KERNEL, (int64_t)kernels, func};
    }
    else if (starts_with(callee, "sinter_rt_parallel"))
      work = (SnHostWork){SN_HOST_KERNEL, 1};
    else if (!sn_function_body(func).ptr &&
             (!starts_with(callee, "sinter_rt_") || starts_with(callee, "sinter_rt_brgemm")))
      work = (SnHostWork){SN_HOST_LIBRARY, 1};
  } else if (sn_is(op, "memref.alloc")) {
    if (mlirAttributeIsNull(sn_get_attr(op, SN_WORKSPACE)))
      work = (SnHostWork){SN_HOST_MEMORY, (sn_bits(sn_element(sn_type_of(sn_result(op, 0)))) + 7) / 8};
  } else if (sn_in_dialect(op, "linalg") || sn_is(op, "memref.copy") ||
             sn_is(op, "gpu.launch_func") || sn_is(op, "gpu.launch") || sn_is(op, "scf.parallel") ||
             sn_is(op, "scf.forall")) {
    work = (SnHostWork){SN_HOST_KERNEL, 1};
  }
  return work;
}

// What a kernel is called in reports: its function, or the operation. A function that stands for several forms has a
// name for each of its calls, which sinter-outline left in the location.
static MlirAttribute name_of(MlirOperation op, const SnHostWork *work) {
  MlirContext ctx = mlirOperationGetContext(op);
  MlirLocation loc = mlirOperationGetLocation(op);
  MlirAttribute name = mlirLocationIsAFused(loc) ? mlirLocationFusedGetMetadata(loc) : mlirAttributeGetNull();
  if (sn_null(work->kernel))
    name = sn_string(ctx, sn_name(op));
  else if (!name.ptr || !mlirAttributeIsAString(name))
    name = sn_get_attr(work->kernel, "sym_name");
  MlirAttribute cost = sn_null(work->kernel) ? mlirAttributeGetNull() : sn_get_attr(work->kernel, SN_COST);
  MlirNamedAttribute facts[] = {
      mlirNamedAttributeGet(mlirIdentifierGet(ctx, SN_STR("kind")),
                            cost.ptr ? mlirDictionaryAttrGetElementByName(cost, SN_STR("kind")) : sn_string(ctx, "")),
      mlirNamedAttributeGet(mlirIdentifierGet(ctx, SN_STR("name")), name)};
  return mlirDictionaryAttrGet(ctx, 2, facts);
}

static void say(Counting *c, SnBuilder b, const char *what, size_t number) {
  MlirValue index = constant(c, "i32", (int64_t)number);
  sn_call_runtime(&b, c->host->module, what, sn_values(1, &index));
}

static MlirWalkResult visit(MlirOperation op, void *user) {
  Counting *c = user;
  SnHostWork work = sn_host_work(c->host, op);
  if (work.what == SN_HOST_MEMORY)
    count_bytes(c, op, work.n);
  if (work.what == SN_HOST_LIBRARY)
    count(c, op, LIBRARY_CALL, work.n);
  if (work.what != SN_HOST_KERNEL)
    return MlirWalkResultAdvance;
  count(c, op, KERNEL, work.n);
  if (c->numbered)
    say(c, sn_before(op), "sinter_rt_begin", c->names.size);
  if (c->numbered) {
    say(c, sn_after(op), "sinter_rt_end", c->names.size);
    sn_push(&c->names, name_of(op, &work));
  }
  return MlirWalkResultSkip; // its body is the kernel's
}

static MlirLogicalResult run(const SnRun *run, MlirOperation module) {
  MlirContext ctx = mlirOperationGetContext(module);
  SnOpVec functions = sn_host_functions(module);
  SnHost host = sn_host_begin(module);
  for (size_t i = 0; i < functions.size; ++i) {
    Counting c = {
        .host = &host, .body = sn_function_body(functions.data[i]), .numbered = sn_is_public(functions.data[i])};
    if (c.numbered)
      sn_host_costs(&host, functions.data[i]);
    mlirOperationWalk(functions.data[i], visit, &c, MlirWalkPreOrder);
    set_sums(&c);
    if (c.names.size)
      sn_set_attr(functions.data[i], SN_KERNELS, mlirArrayAttrGet(ctx, (intptr_t)c.names.size, c.names.data));
    sn_vec_free(&c.names);
    sn_vec_free(&c.blocks);
    sn_table_free(&c.sums);
    sn_table_free(&c.constants);
  }
  sn_host_end(&host);
  sn_vec_free(&functions);
  return SN_OK;
}

MlirDialectHandle mlirGetDialectHandle__arith__(void);
MlirDialectHandle mlirGetDialectHandle__func__(void);
MlirDialectHandle mlirGetDialectHandle__llvm__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__arith__,
                                                      mlirGetDialectHandle__func__,
                                                      mlirGetDialectHandle__llvm__, NULL};

const SnPass sn_pass_host_count = {
    .argument = "sinter-count",
    .summary = "host code counts its kernels, library calls and temporary bytes",
    .anchor = "builtin.module",
    .dialects = dialects,
    .run = run,
};

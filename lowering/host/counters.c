// counters.c: what --stats and --benchmark report is told by the program itself.
//
//   linalg.fill ins(%z : f32) outs(%m : memref<4x8xf32>)
//   ->
//   func.call @sinter_rt_begin(%0) : (i32) -> ()
//   func.call @sinter_rt_count(%kernel, %one) : (i32, i64) -> ()
//   linalg.fill ins(%z : f32) outs(%m : memref<4x8xf32>)
//   func.call @sinter_rt_end(%0) : (i32) -> ()
//
// Counted where it happens, so that loops count right. One rule, for both
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
enum { KERNEL = 0, LIBRARY_CALL = 1, TEMPORARY_BYTES = 2 };

typedef struct {
  SnHost *host;
  bool numbered; // a public function: its kernels are numbered
  SN_VEC(MlirAttribute) names;
} Counting;

static void count(const Counting *c, MlirOperation op, int what,
                  MlirValue (*amount)(SnBuilder *, MlirOperation, int64_t), int64_t n) {
  SnBuilder b = sn_before(op);
  MlirValue arguments[2] = {sn_int(&b, sn_type(b.ctx, "i32"), what), amount(&b, op, n)};
  sn_call_runtime(&b, c->host->module, "sinter_rt_count", sn_values(2, arguments));
}

static MlirValue number(SnBuilder *b, MlirOperation op, int64_t n) {
  return sn_int(b, sn_type(b->ctx, "i64"), n);
}

// Bytes of an alloc: n for each element, times its sizes.
static MlirValue bytes_of(SnBuilder *b, MlirOperation alloc, int64_t n) {
  MlirType type = sn_type_of(sn_result(alloc, 0));
  MlirType i64 = sn_type(b->ctx, "i64");
  intptr_t next = 0;
  MlirValue bytes = {0};
  for (intptr_t i = 0; i < sn_rank(type); ++i)
    if (__builtin_mul_overflow(n, sn_dim(type, i) == SN_DYNAMIC ? 1 : sn_dim(type, i), &n))
      n = 0; // sinter-allocations refuses it
  bytes = sn_int(b, i64, n);
  for (intptr_t i = 0; i < sn_rank(type); ++i)
    if (sn_dim(type, i) == SN_DYNAMIC)
      bytes = sn(b, "arith.muli", bytes, sn(b, "arith.index_cast", i64, sn_operand(alloc, next++)));
  return bytes;
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

static void say(const Counting *c, SnBuilder b, const char *what, size_t number) {
  MlirValue index = sn_int(&b, sn_type(b.ctx, "i32"), (int64_t)number);
  sn_call_runtime(&b, c->host->module, what, sn_values(1, &index));
}

static MlirWalkResult visit(MlirOperation op, void *user) {
  Counting *c = user;
  SnHostWork work = sn_host_work(c->host, op);
  if (work.what == SN_HOST_MEMORY)
    count(c, op, TEMPORARY_BYTES, bytes_of, work.n);
  if (work.what == SN_HOST_LIBRARY)
    count(c, op, LIBRARY_CALL, number, work.n);
  if (work.what != SN_HOST_KERNEL)
    return MlirWalkResultAdvance;
  if (c->numbered)
    say(c, sn_before(op), "sinter_rt_begin", c->names.size);
  count(c, op, KERNEL, number, work.n);
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
    Counting c = {.host = &host, .numbered = sn_is_public(functions.data[i])};
    if (c.numbered)
      sn_host_costs(&host, functions.data[i]);
    mlirOperationWalk(functions.data[i], visit, &c, MlirWalkPreOrder);
    if (c.names.size)
      sn_set_attr(functions.data[i], SN_KERNELS, mlirArrayAttrGet(ctx, (intptr_t)c.names.size, c.names.data));
    sn_vec_free(&c.names);
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

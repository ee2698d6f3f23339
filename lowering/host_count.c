// host_count.c: what --stats reports is counted by the program itself.
//
//   linalg.fill ins(%z : f32) outs(%m : memref<4x8xf32>)
//   ->
//   func.call @sinter_rt_count(%kernel, %one) : (i32, i64) -> ()
//   linalg.fill ins(%z : f32) outs(%m : memref<4x8xf32>)
//
// Counted where it happens, so that loops count right. One rule, for both
// targets and all policies: a kernel is a launch or a parallel region started
// from host code, and so is every linalg op, copy and fill that is left there; a
// kernel function is as many as it starts, at least one. A call of anything
// else outside of the module is a library call. A buffer that lies
// between kernels is temporary; scratch inside of one kernel
// (sinter.workspace) is not, nor are inputs and outputs.
//
// relies on: results are out arguments already, ops on linalg are not loops yet
// runs in: sinter-cpu, sinter-gpu    test: test/lowering/host_count.mlir

#include "lowering/host.h"

// SinterCount of runtime/runtime.h, which this compiles no code of.
enum { KERNEL = 0, LIBRARY_CALL = 1, TEMPORARY_BYTES = 2 };

typedef struct {
  MlirOperation module;
} Host;

static void count(const Host *host, MlirOperation op, int what,
                  MlirValue (*amount)(SnBuilder *, MlirOperation, int64_t), int64_t n) {
  SnBuilder b = sn_before(op);
  MlirValue arguments[2] = {sn_int(&b, sn_type(b.ctx, "i32"), what), amount(&b, op, n)};
  sn_call_runtime(&b, host->module, "sinter_rt_count", sn_values(2, arguments));
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

static void count_call(const Host *host, MlirOperation call) {
  MlirStringRef callee = mlirFlatSymbolRefAttrGetValue(sn_get_attr(call, "callee"));
  MlirOperation func = sn_symbol(host->module, callee.data);
  if (sn_null(func))
    return;
  if (!mlirAttributeIsNull(sn_get_attr(func, SN_KERNEL)))
    count(host, call, KERNEL, number, kernels_in(func));
  else if (starts_with(callee, "sinter_rt_parallel"))
    count(host, call, KERNEL, number, 1);
  else if (!sn_function_body(func).ptr &&
           (!starts_with(callee, "sinter_rt_") || starts_with(callee, "sinter_rt_brgemm")))
    count(host, call, LIBRARY_CALL, number, 1);
}

static MlirWalkResult visit(MlirOperation op, void *user) {
  const Host *host = user;
  if (sn_is(op, "func.call")) {
    count_call(host, op);
  } else if (sn_is(op, "memref.alloc")) {
    MlirType element = sn_element(sn_type_of(sn_result(op, 0)));
    if (mlirAttributeIsNull(sn_get_attr(op, SN_WORKSPACE)))
      count(host, op, TEMPORARY_BYTES, bytes_of, (sn_bits(element) + 7) / 8);
  } else if (sn_in_dialect(op, "linalg") || sn_is(op, "memref.copy") ||
             sn_is(op, "gpu.launch_func") || sn_is(op, "gpu.launch") || sn_is(op, "scf.parallel") ||
             sn_is(op, "scf.forall")) {
    count(host, op, KERNEL, number, 1);
    return MlirWalkResultSkip; // its body is the kernel's
  }
  return MlirWalkResultAdvance;
}

static MlirLogicalResult run(const SnRun *run, MlirOperation module) {
  Host host = {module};
  SnOpVec functions = sn_host_functions(module);
  for (size_t i = 0; i < functions.size; ++i)
    mlirOperationWalk(functions.data[i], visit, &host, MlirWalkPreOrder);
  sn_vec_free(&functions);
  return SN_OK;
}

MlirDialectHandle mlirGetDialectHandle__arith__(void);
MlirDialectHandle mlirGetDialectHandle__func__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__arith__,
                                                      mlirGetDialectHandle__func__, NULL};

const SnPass sn_pass_host_count = {
    .argument = "sinter-count",
    .summary = "host code counts its kernels, library calls and temporary bytes",
    .anchor = "builtin.module",
    .dialects = dialects,
    .run = run,
};

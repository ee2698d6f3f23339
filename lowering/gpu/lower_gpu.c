// lower_gpu.c: each kernel function becomes a gpu.func and its launch.
//
//   func.func private @main_kernel0(%x: memref<4x8xf32>, %y: memref<f32>) attributes {sinter.kernel} {
//     sinter.rowwise ... schedule(#sinter.gpu_rows<threads = 256, ...>) {...}
//   ->
//   gpu.module @kernels { gpu.func @main_kernel0(%x: memref<4x8xf32>, ...) kernel {...} }
//   func.func private @main_kernel0(%x: memref<4x8xf32>, %y: memref<f32>, %scratch: memref<320xi8>) {
//     call @sinter_rt_launch(image, bytes, "main_kernel0", blocks, 1, 1, threads, 1, 1, 0, pointers to arguments)
//
// The gpu.func takes one memref for each operand of the form, then their sizes that are `?`; where blocks have to meet,
// scratch memory, a piece of the caller's workspace, its address once more as a number, and the launch's tag (grid.c);
// where there are asserts, the address of the status word (status.c). On the device a memref is a bare pointer (where a
// kernel copies in bulk, with its address once more as a number); one with sizes `?` or 0 is of one element, and seen
// anew with its sizes. The image's bytes and their number are globals that sinter-embed-gpu fills.
//
// What stays in host code would run on the CPU on memory of the GPU, so
// anything but shapes, allocations and calls of kernels is refused there.
//
// runs in: sinter-gpu    test: test/lowering/gpu/lower_gpu.mlir, refused.mlir

#include "dialect/dialect.h"
#include "dialect/schedules.h"
#include "lowering/gpu/gpu.h"
#include "lowering/rows/rowsteps.h"
#include <stdio.h>

#define MODULE "kernels"

// ---- small things of the LLVM dialect ----------------------------------------------

static MlirValue pointer_to(SnBuilder *b, const char *global) {
  return sn(b, "llvm.mlir.addressof", sn_type(b->ctx, "!llvm.ptr"),
            sn_attr("global_name", mlirFlatSymbolRefAttrGet(b->ctx, SN_STR(global))));
}

static MlirValue i64_of(SnBuilder *b, int64_t v) { return sn_int(b, mlirIntegerTypeGet(b->ctx, 64), v); }

static MlirValue allocate(SnBuilder *b, MlirType type, int64_t count) {
  return sn(b, "llvm.alloca", i64_of(b, count), sn_type(b->ctx, "!llvm.ptr"),
            sn_attr("elem_type", mlirTypeAttrGet(type)));
}

static void global(MlirOperation module, const char *name, MlirType type, MlirAttribute value, const char *linkage,
                   bool constant) {
  if (!sn_null(sn_symbol(module, name)))
    return;
  SnBuilder b = sn_at_start(mlirModuleGetBody(mlirModuleFromOperation(module)), mlirOperationGetLocation(module));
  sn_op(&b, "llvm.mlir.global", sn_types(0, NULL), sn_attr("sym_name", sn_string(b.ctx, name)),
        sn_attr("global_type", mlirTypeAttrGet(type)),
        sn_attr("linkage", sn_parse_attr(b.ctx, "#llvm.linkage<%s>", linkage)), sn_attr("value", value),
        sn_attr("constant", constant ? sn_unit(b.ctx) : mlirAttributeGetNull()), mlirRegionCreate());
}

MlirValue sn_gpu_launch_tag(SnBuilder *b, MlirOperation module) {
  static const char name[] = "sinter_launches";
  MlirType i64 = mlirIntegerTypeGet(b->ctx, 64), number = sn_memref(i64, 0, NULL);
  if (sn_null(sn_symbol(module, name))) {
    SnBuilder top = sn_at_start(mlirModuleGetBody(mlirModuleFromOperation(module)), mlirOperationGetLocation(module));
    // Odd, so that the lower half of a number is never 0.
    sn_op(&top, "memref.global", sn_types(0, NULL), sn_attr("sym_name", sn_string(b->ctx, name)),
          sn_attr("sym_visibility", sn_string(b->ctx, "private")), sn_attr("type", mlirTypeAttrGet(number)),
          sn_attr("initial_value", sn_parse_attr(b->ctx, "dense<0x53494e55> : tensor<i64>")));
  }
  MlirValue counter =
      sn(b, "memref.get_global", number, sn_attr("name", mlirFlatSymbolRefAttrGet(b->ctx, SN_STR(name))));
  MlirValue old =
      sn(b, "memref.atomic_rmw", i64_of(b, 2), counter, i64, sn_attr("kind", sn_parse_attr(b->ctx, "1 : i64")));
  return sn(b, "arith.shli", old, i64_of(b, 32));
}

// ---- the schedule --------------------------------------------------------------------

static MlirLogicalResult read_schedule(const SnForm *f, SnGpuRows *s) {
  const char *mnemonic = sn_schedule_mnemonic(f->schedule);
  if (!mnemonic || strcmp(mnemonic, "gpu_rows"))
    return sn_error(f->op, "has no #sinter.gpu_rows schedule: run sinter-schedule{target=gpu} before sinter-lower-gpu");
  *s = (SnGpuRows){.threads = sn_schedule_number(f->schedule, "threads"),
                   .blocks = sn_schedule_number(f->schedule, "blocks"),
                   .occupancy = sn_schedule_number(f->schedule, "occupancy"),
                   .vector = sn_schedule_number(f->schedule, "vector"),
                   .unroll = sn_schedule_number(f->schedule, "unroll"),
                   .registers = sn_schedule_word_is(f->schedule, "residency", "registers"),
                   .shared = sn_schedule_word_is(f->schedule, "residency", "shared"),
                   .cluster = sn_schedule_number(f->schedule, "cluster"),
                   .team = sn_schedule_number(f->schedule, "team"),
                   .ahead = sn_schedule_number(f->schedule, "ahead"),
                   .remake = sn_schedule_number(f->schedule, "remake")};
  s->flat = sn_schedule_word_is(f->schedule, "shape", "flat");
  s->tile = sn_schedule_word_is(f->schedule, "shape", "tile");
  s->grid = sn_schedule_word_is(f->schedule, "shape", "grid");
  if (s->grid) {
    s->cluster = sn_schedule_number(f->schedule, "group");
    s->depth = sn_schedule_number(f->schedule, "depth");
    s->slots = sn_schedule_number(f->schedule, "slots");
  }
  if (s->tile)
    s->team = s->threads / 32;
  if (s->tile && (!s->registers || s->vector > 1 || s->cluster > 1 || s->threads < 64))
    return sn_error(f->op,
                    "shape = \"tile\" needs residency = \"registers\", vector = 1, cluster = 1 and 64 threads or more");
  if (s->team > s->threads)
    s->team = s->threads;
  if (s->team > 32 && s->team < s->threads)
    return sn_error(
        f->op,
        "team = %lld of %lld threads: a row is shared by up to 32 threads, which is a warp, or by all of the block",
        (long long)s->team, (long long)s->threads);
  if (s->occupancy * s->threads > 2048)
    return sn_error(f->op, "occupancy = %lld with threads = %lld: a multiprocessor holds 2048 threads",
                    (long long)s->occupancy, (long long)s->threads);
  return SN_OK;
}

// ---- the device side -------------------------------------------------------------------

static MlirOperation device_module(MlirOperation module) {
  MlirOperation found = sn_symbol(module, MODULE);
  if (!sn_null(found))
    return found;
  MlirContext ctx = mlirOperationGetContext(module);
  SnBuilder b = sn_at_end(mlirModuleGetBody(mlirModuleFromOperation(module)), mlirOperationGetLocation(module));
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, mlirBlockCreate(0, NULL, NULL));
  return sn_op(&b, "gpu.module", sn_types(0, NULL), sn_attr("sym_name", sn_string(ctx, MODULE)), region);
}

// The element offset of an access where all dimensions are 0; false if it is not a constant.
static bool constant_offset(MlirAffineMap map, MlirType memref, int64_t *offset) {
  MlirContext ctx = mlirAffineMapGetContext(map);
  MlirAffineExpr zeros[SN_MAX_DIMS];
  for (intptr_t d = 0; d < mlirAffineMapGetNumDims(map); ++d)
    zeros[d] = mlirAffineConstantExprGet(ctx, 0);
  MlirAffineMap at_zero = sn_map_replace(map, 0, zeros);
  int64_t stride = 1;
  *offset = 0;
  for (intptr_t i = sn_rank(memref); i-- > 0; stride = sn_times(stride, sn_dim(memref, i))) {
    MlirAffineExpr e = mlirAffineMapGetResult(at_zero, i);
    if (!mlirAffineExprIsAConstant(e))
      return false;
    *offset += stride * mlirAffineConstantExprGetValue(e);
  }
  return true;
}

// Every vector of this operand begins at a multiple of its size from the operand's begin.
static bool is_aligned(const SnForm *f, const SnAccess *a, int64_t lanes) {
  int64_t factors[SN_MAX_DIMS], offset;
  MlirType t = sn_type_of(a->value);
  if (!sn_linear_factors(a->map, t, factors) || !constant_offset(a->map, t, &offset) || offset % lanes)
    return false;
  for (int64_t d = 0; d < f->num_rows; ++d)
    if (f->dims.data[d].size > 1 && factors[d] % lanes)
      return false;
  bool together = true; // with the inner ones
  int64_t inner = 1;
  for (int64_t d = f->num_rows + f->num_cols; d-- > f->num_rows;) {
    together &= f->dims.data[d].size == 1 || factors[d] == inner;
    if (!together && f->dims.data[d].size > 1 && factors[d] % lanes)
      return false;
    inner = sn_times(inner, f->dims.data[d].size);
  }
  return true;
}

// A vector access without this is split into elements: memory of f32 is only known to be aligned to 4 bytes.
// Tensors and workspace are aligned to 16 by the ABI.
static void align(const SnGpuKernel *k, const SnForm *f, const char *name, intptr_t memref) {
  SnOpVec found = sn_collect(k->func, name);
  for (size_t i = 0; i < found.size; ++i) {
    MlirValue m = sn_operand(found.data[i], memref);
    size_t o = 0, inputs = f->inputs.size, indices = f->indices.size;
    while (o < k->num_operands && !sn_same(k->operands[o], m))
      ++o;
    MlirOperation cast = sn_def(m, "memref.reinterpret_cast");
    if (o == k->num_operands && !sn_null(cast)) // of several columns as one
      for (o = 0, m = sn_operand(cast, 0); o < k->num_operands && !sn_same(k->operands[o], m);)
        ++o;
    if (o == k->num_operands)
      continue;
    const SnAccess *a = o < inputs             ? &f->inputs.data[o]
                        : o < inputs + indices ? &f->indices.data[o - inputs]
                                               : &f->outputs.data[o - inputs - indices];
    MlirType vector = sn_type_of(memref ? sn_operand(found.data[i], 0) : sn_result(found.data[i], 0));
    int64_t lanes = sn_dim(vector, 0), bytes = lanes * sn_bits(sn_element(vector)) / 8;
    if (is_aligned(f, a, lanes))
      sn_set_attr(found.data[i], "alignment", sn_i64(mlirOperationGetContext(k->func), bytes < 16 ? bytes : 16));
  }
  sn_vec_free(&found);
}

MlirValue sn_gpu_view(SnBuilder *b, MlirValue memref, MlirType t, const MlirValue *dynamic_sizes) {
  int64_t rank = sn_rank(t), shape[SN_MAX_DIMS + 1], stride[SN_MAX_DIMS + 1], zero = 0, next = 1;
  MlirValue of[SN_MAX_DIMS + 1], all = sn_index(b, 1);
  intptr_t n = 0;
  SnValueVec operands = {0};
  sn_push(&operands, memref);
  for (int64_t i = 0; i < rank; ++i) {
    shape[i] = sn_dim(t, i);
    of[i] = shape[i] == SN_DYNAMIC ? dynamic_sizes[n++] : sn_index(b, shape[i]);
    if (shape[i] == SN_DYNAMIC)
      sn_push(&operands, of[i]);
  }
  MlirValue strides[SN_MAX_DIMS + 1];
  for (int64_t i = rank; i-- > 0;
       next = next == SN_DYNAMIC || shape[i] == SN_DYNAMIC || !shape[i] ? SN_DYNAMIC : next * shape[i]) {
    stride[i] = next; // as the type has it: `?` behind a `?` or a 0, whatever is known
    strides[i] = all;
    all = sn_size_mul(b, all, of[i]);
  }
  int32_t segments[] = {1, 0, (int32_t)n, 0};
  for (int64_t i = 0; i < rank; ++i)
    if (stride[i] == SN_DYNAMIC) {
      sn_push(&operands, strides[i]);
      ++segments[3];
    }
  MlirValue whole = sn(b, "memref.reinterpret_cast", sn_values((intptr_t)operands.size, operands.data), t,
                       sn_attr("static_offsets", mlirDenseI64ArrayGet(b->ctx, 1, &zero)),
                       sn_attr("static_sizes", mlirDenseI64ArrayGet(b->ctx, rank, shape)),
                       sn_attr("static_strides", mlirDenseI64ArrayGet(b->ctx, rank, stride)),
                       sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b->ctx, 4, segments)));
  sn_vec_free(&operands);
  return whole;
}

// Whether a bare pointer says all of it. With a size of 0 a stride counts as unknown, as with `?`.
static bool is_bare(MlirType t) {
  bool bare = mlirShapedTypeHasStaticShape(t);
  for (int64_t i = 0; i < sn_rank(t); ++i)
    bare &= sn_dim(t, i) != 0;
  return bare;
}

// The form's operand as the device sees it.
static MlirValue operand(SnBuilder *b, MlirType t, MlirValue given, MlirBlock entry, intptr_t *next) {
  MlirValue sizes[SN_MAX_DIMS + 1];
  intptr_t n = 0;
  if (is_bare(t))
    return given;
  for (int64_t i = 0; i < sn_rank(t); ++i)
    if (sn_dim(t, i) == SN_DYNAMIC)
      sizes[n++] = sn(b, "arith.index_cast", mlirBlockGetArgument(entry, (*next)++), sn_index_type(b->ctx));
  return sn_gpu_view(b, given, t, sizes);
}

// What the host passes for it.
static MlirType passed(MlirType t) {
  int64_t one = 1;
  return is_bare(t) ? t : sn_memref(sn_element(t), 1, &one);
}

static void number_threads(SnBuilder *b, SnGpuKernel *k) {
  MlirAttribute x = sn_parse_attr(b->ctx, "#gpu<dim x>"), equal = sn_i64(b->ctx, 0);
  MlirValue zero = sn_index(b, 0);
  k->block = sn(b, "gpu.block_id", sn_index_type(b->ctx), sn_attr("dimension", x));
  k->thread = sn(b, "gpu.thread_id", sn_index_type(b->ctx), sn_attr("dimension", x));
  k->first = sn(b, "arith.cmpi", k->thread, zero, mlirIntegerTypeGet(b->ctx, 1), sn_attr("predicate", equal));
  k->group = k->block;
  k->first_of_group = k->first;
  k->member = k->team == 1 ? zero : k->thread;
  if (k->cluster > 1) {
    if (k->grid) {
      k->group = sn(b, "arith.divui", k->block, sn_index(b, k->cluster));
      k->rank = sn(b, "arith.remui", k->block, sn_index(b, k->cluster));
      k->first_of_group =
          sn(b, "arith.andi", k->first,
             sn(b, "arith.cmpi", k->rank, zero, mlirIntegerTypeGet(b->ctx, 1), sn_attr("predicate", equal)));
    } else {
      sn_gpu_enter_cluster(b, k);
    }
    k->team = k->cluster * k->threads;
    k->member = sn(b, "arith.addi", sn(b, "arith.muli", k->rank, sn_index(b, k->threads)), k->thread);
  }
  if (k->team > 1 && k->team < k->threads) {
    k->member = sn(b, k->tile ? "arith.divui" : "arith.remui", k->thread, sn_index(b, k->tile ? 32 : k->team));
    k->first_of_group =
        sn(b, "arith.cmpi", k->member, zero, mlirIntegerTypeGet(b->ctx, 1), sn_attr("predicate", equal));
  }
}

// Of a block, those that have no part of a row too.
static int64_t threads_of(const SnGpuRows *s) { return s->threads + (s->grid ? 32 * SN_GPU_GRID_WARPS : 0); }

static void device_function(MlirOperation module, const char *name, MlirOperation host, const SnGpuBody *body) {
  MlirOperation holder = device_module(module);
  const SnGpuRows *s = body->schedule;
  int64_t scratch = body->scratch;
  bool asserts = body->asserts;
  SnBuilder b = sn_at_end(mlirRegionGetFirstBlock(mlirOperationGetRegion(holder, 0)), mlirOperationGetLocation(host));
  SN_VEC(MlirType) types = {0};
  SN_VEC(MlirLocation) locs = {0};
  SN_VEC(MlirAttribute) attrs = {0};
  MlirAttribute none = sn_parse_attr(b.ctx, "{}"), alone = sn_parse_attr(b.ctx, "{llvm.noalias}");
  MlirType i64 = mlirIntegerTypeGet(b.ctx, 64);
  intptr_t given = sn_num_operands(host), sizes = given;
  for (intptr_t k = 0; k < given; ++k) {
    sn_push(&types, passed(sn_type_of(sn_operand(host, k))));
    sn_push(&attrs, alone);
  }
  for (intptr_t k = 0; k < given; ++k) {
    MlirType t = sn_type_of(sn_operand(host, k));
    for (intptr_t i = 0; i < sn_rank(t); ++i)
      if (sn_dim(t, i) == SN_DYNAMIC)
        sn_push(&types, i64);
  }
  for (intptr_t k = 0; k < given && body->addresses; ++k)
    sn_push(&types, i64);
  if (scratch) {
    sn_push(&types, sn_memref(mlirIntegerTypeGet(b.ctx, 8), 1, &scratch));
    sn_push(&types, i64);
    sn_push(&types, i64);
  }
  if (asserts)
    sn_push(&types, i64);
  for (size_t k = 0; k < types.size; ++k)
    sn_push(&locs, b.loc);
  while (attrs.size < types.size)
    sn_push(&attrs, none);
  MlirRegion region = mlirRegionCreate();
  MlirBlock entry = mlirBlockCreate((intptr_t)types.size, types.data, locs.data);
  mlirRegionAppendOwnedBlock(region, entry);
  int32_t threads = (int32_t)threads_of(s);
  int32_t block_size[] = {threads, 1, 1};
  int32_t cluster = s->grid ? 1 : (int32_t)s->cluster;
  MlirValue *operands = sn_alloc((size_t)(given + 1) * sizeof *operands);
  SnGpuKernel k = {.entry = entry,
                   .threads = s->threads,
                   .warps = s->threads / 32,
                   .blocks = body->blocks,
                   .cluster = s->cluster,
                   .team = body->team,
                   .tile = s->tile,
                   .grid = s->grid,
                   .operands = operands,
                   .num_operands = (size_t)given};
  intptr_t last = (intptr_t)types.size;
  if (asserts)
    k.status = mlirBlockGetArgument(entry, --last);
  if (scratch) {
    k.tag = mlirBlockGetArgument(entry, --last);
    k.scratch_address = mlirBlockGetArgument(entry, --last);
    k.scratch = mlirBlockGetArgument(entry, --last);
  }
  MlirValue *addresses = sn_alloc((size_t)(given + 1) * sizeof *addresses);
  for (intptr_t o = given; o-- > 0 && body->addresses;)
    addresses[o] = mlirBlockGetArgument(entry, --last);
  k.addresses = addresses;
  k.func = sn_op(
      &b, "gpu.func", sn_types(0, NULL), sn_attr("sym_name", sn_string(b.ctx, name)),
      sn_attr("function_type", mlirTypeAttrGet(mlirFunctionTypeGet(b.ctx, (intptr_t)types.size, types.data, 0, NULL))),
      sn_attr("arg_attrs", mlirArrayAttrGet(b.ctx, (intptr_t)attrs.size, attrs.data)),
      sn_attr("gpu.kernel", sn_unit(b.ctx)),
      sn_attr("gpu.known_block_size", mlirDenseI32ArrayGet(b.ctx, 3, block_size)),
      sn_attr("nvvm.reqntid", mlirDenseI32ArrayGet(b.ctx, 1, &threads)),
      sn_attr("nvvm.minctasm", mlirIntegerAttrGet(mlirIntegerTypeGet(b.ctx, 32), s->occupancy)),
      sn_attr("nvvm.cluster_dim", cluster > 1 ? mlirDenseI32ArrayGet(b.ctx, 1, &cluster) : mlirAttributeGetNull()),
      region);
  SnBuilder in = sn_at_end(entry, b.loc);
  for (intptr_t o = 0; o < given; ++o)
    operands[o] = operand(&in, sn_type_of(sn_operand(host, o)), mlirBlockGetArgument(entry, o), entry, &sizes);
  number_threads(&in, &k);
  body->emit(&in, &k, body->user);
  sn_op(&in, "gpu.return", sn_types(0, NULL));
  sn_gpu_math(k.func);
  if (asserts)
    sn_gpu_lower_asserts(&k, module);
  free(operands);
  free(addresses);
  sn_vec_free(&types);
  sn_vec_free(&locs);
  sn_vec_free(&attrs);
}

typedef struct {
  const SnForm *host;
  const SnGpuRows *schedule;
} Rowwise;

static void emit_rowwise(SnBuilder *b, SnGpuKernel *k, const void *user) {
  const Rowwise *r = user;
  SnForm f = sn_form_read(r->host->op);
  MlirValue *operands = (MlirValue *)k->operands;
  for (size_t o = 0; o < k->num_operands; ++o) {
    size_t inputs = f.inputs.size, indices = f.indices.size;
    (o < inputs             ? &f.inputs.data[o]
     : o < inputs + indices ? &f.indices.data[o - inputs]
                            : &f.outputs.data[o - inputs - indices])
        ->value = operands[o];
  }
  if (r->schedule->flat) {
    sn_gpu_flatten(b, &f, operands);
    k->team = k->blocks * k->threads;
    k->member = sn(b, "arith.addi", sn(b, "arith.muli", k->block, sn_index(b, k->threads)), k->thread);
  }
  sn_gpu_rowwise(b, k, &f, r->schedule);
  align(k, &f, "vector.load", 0);
  align(k, &f, "vector.store", 1);
  sn_form_free(&f);
}

// ---- the host side ----------------------------------------------------------------------

// Scratch memory as one more argument of the kernel function, allocated where it is called.
static MlirValue add_scratch(MlirOperation module, MlirOperation func, MlirStringRef name, int64_t bytes) {
  MlirContext ctx = mlirOperationGetContext(func);
  MlirType type = sn_memref(mlirIntegerTypeGet(ctx, 8), 1, &bytes);
  MlirType old = mlirTypeAttrGetValue(sn_get_attr(func, "function_type"));
  SN_VEC(MlirType) types = {0};
  for (intptr_t i = 0; i < mlirFunctionTypeGetNumInputs(old); ++i)
    sn_push(&types, mlirFunctionTypeGetInput(old, i));
  sn_push(&types, type);
  sn_set_attr(func, "function_type",
              mlirTypeAttrGet(mlirFunctionTypeGet(ctx, (intptr_t)types.size, types.data, 0, NULL)));
  sn_vec_free(&types);
  mlirOperationRemoveAttributeByName(func, SN_STR("arg_attrs"));
  SnOpVec calls = sn_collect(module, "func.call");
  for (size_t i = 0; i < calls.size; ++i) {
    MlirOperation call = calls.data[i];
    if (!mlirStringRefEqual(mlirFlatSymbolRefAttrGetValue(sn_get_attr(call, "callee")), name))
      continue;
    SnBuilder b = sn_before(call);
    SnValueVec operands = {0};
    for (intptr_t k = 0; k < sn_num_operands(call); ++k)
      sn_push(&operands, sn_operand(call, k));
    sn_push(&operands, sn(&b, "memref.alloc", type,
                          sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(ctx, 2, (int32_t[]){0, 0})),
                          sn_attr(SN_WORKSPACE, sn_unit(ctx))));
    sn_clone_as(&b, call, sn_values((intptr_t)operands.size, operands.data), sn_types(0, NULL));
    mlirOperationDestroy(call);
    sn_vec_free(&operands);
  }
  sn_vec_free(&calls);
  return mlirBlockAddArgument(sn_function_body(func), type, mlirOperationGetLocation(func));
}

// A kernel's arguments: each is the address of a place that holds it.
typedef SN_VEC(MlirValue) Places;
static void pass(SnBuilder *b, Places *places, MlirValue i64_value) {
  MlirValue place = allocate(b, mlirIntegerTypeGet(b->ctx, 64), 1);
  sn_op(b, "llvm.store", i64_value, place, sn_types(0, NULL));
  sn_push(places, place);
}
static void pass_memref(SnBuilder *b, Places *places, MlirValue memref) {
  MlirValue address = sn(b, "memref.extract_aligned_pointer_as_index", memref, sn_index_type(b->ctx));
  pass(b, places, sn(b, "arith.index_cast", address, mlirIntegerTypeGet(b->ctx, 64)));
}

static void launch(SnBuilder *b, MlirOperation module, const char *name, const Places *places, int64_t blocks,
                   int64_t threads, int64_t shared, const char *how) {
  MlirType pointer = sn_type(b->ctx, "!llvm.ptr"), i64 = mlirIntegerTypeGet(b->ctx, 64);
  MlirValue list = allocate(b, pointer, places->size ? (int64_t)places->size : 1);
  for (size_t k = 0; k < places->size; ++k) {
    MlirValue entry = sn(b, "llvm.getelementptr", list, pointer, sn_attr("elem_type", mlirTypeAttrGet(pointer)),
                         sn_attr("rawConstantIndices", mlirDenseI32ArrayGet(b->ctx, 1, (int32_t[]){(int32_t)k})));
    sn_op(b, "llvm.store", places->data[k], entry, sn_types(0, NULL));
  }
  char symbol[300], text[300];
  snprintf(symbol, sizeof symbol, "%s_name", name);
  size_t length = (size_t)snprintf(text, sizeof text, "%s", name) + 1; // with its NUL
  global(module, symbol, sn_type(b->ctx, "!llvm.array<%zu x i8>", length),
         mlirStringAttrGet(b->ctx, mlirStringRefCreate(text, length)), "internal", true);
  global(module, MODULE "_image", sn_type(b->ctx, "!llvm.array<0 x i8>"), mlirAttributeGetNull(), "external", true);
  global(module, MODULE "_bytes", i64, mlirAttributeGetNull(), "external", true);
  MlirValue one = i64_of(b, 1);
  MlirValue arguments[] = {pointer_to(b, MODULE "_image"),
                           sn(b, "llvm.load", pointer_to(b, MODULE "_bytes"), i64),
                           pointer_to(b, symbol),
                           i64_of(b, blocks),
                           one,
                           one,
                           i64_of(b, threads),
                           one,
                           one,
                           i64_of(b, shared),
                           list};
  sn_call_runtime(b, module, how, sn_values(11, arguments));
}

void sn_gpu_make_kernel(MlirOperation module, MlirOperation func, MlirOperation op, const SnGpuBody *body) {
  MlirStringRef name = mlirStringAttrGetValue(sn_get_attr(func, "sym_name"));
  device_function(module, name.data, op, body);
  SnBuilder b = sn_before(op);
  Places places = {0};
  MlirType i64 = mlirIntegerTypeGet(b.ctx, 64);
  intptr_t given = sn_num_operands(op);
  for (intptr_t k = 0; k < given; ++k)
    pass_memref(&b, &places, sn_operand(op, k));
  for (intptr_t k = 0; k < given; ++k)
    for (intptr_t i = 0; i < sn_rank(sn_type_of(sn_operand(op, k))); ++i)
      if (sn_dim(sn_type_of(sn_operand(op, k)), i) == SN_DYNAMIC)
        pass(&b, &places, sn(&b, "arith.index_cast", sn_dim_of(&b, sn_operand(op, k), i), i64));
  for (intptr_t k = 0; k < given && body->addresses; ++k)
    pass_memref(&b, &places, sn_operand(op, k));
  if (body->scratch) {
    MlirValue scratch = add_scratch(module, func, name, body->scratch);
    pass_memref(&b, &places, scratch);
    pass_memref(&b, &places, scratch); // its address as a number
    pass(&b, &places, sn_gpu_launch_tag(&b, module));
  }
  if (body->asserts)
    sn_push(&places, sn_gpu_status_word(&b, module));
  const char *how = body->schedule->grid ? "sinter_rt_launch_together" : "sinter_rt_launch";
  launch(&b, module, name.data, &places, body->blocks, threads_of(body->schedule), body->shared, how);
  sn_vec_free(&places);
}

static MlirLogicalResult lower_kernel(MlirOperation module, MlirOperation func) {
  MlirOperation form = {0};
  for (MlirOperation op = mlirBlockGetFirstOperation(sn_function_body(func)); !sn_null(op);
       op = mlirOperationGetNextInBlock(op)) {
    if ((sn_is_form(op) || sn_is_steps(op)) && sn_null(form))
      form = op;
    else if (!sn_is(op, "func.return"))
      return sn_error(op, "stands beside the form in a kernel function: run sinter-outline before sinter-lower-gpu");
  }
  if (sn_null(form))
    return SN_OK; // lowered before
  if (sn_is_steps(form))
    return sn_gpu_lower_steps(module, func, form);
  SnForm f = sn_form_read(form);
  SnGpuRows s;
  if (!sn_is_plain(&f)) {
    sn_form_free(&f);
    return sn_error(form, "has several groups of columns, or a side that is computed: run sinter-split first");
  }
  MlirLogicalResult result = f.contract ? SN_OK : read_schedule(&f, &s);
  if (!sn_failed(result))
    result = sn_gpu_rowwise_check(&f, &s);
  if (!sn_failed(result)) {
    Rowwise user = {&f, &s};
    SnGpuBody body = {.schedule = &s,
                      .blocks = sn_gpu_rowwise_blocks(&f, &s),
                      .team = sn_gpu_rowwise_team(&f, &s),
                      .scratch = sn_gpu_rowwise_scratch(&f, &s),
                      .shared =
                          sn_gpu_ahead_bytes(&f, &s) + sn_gpu_slot_bytes(&f, &s) + sn_gpu_shared_row_bytes(&f, &s),
                      .addresses = sn_gpu_slot_bytes(&f, &s) || s.shared,
                      .asserts = sn_gpu_has_asserts(&f),
                      .emit = emit_rowwise,
                      .user = &user};
    sn_gpu_make_kernel(module, func, form, &body);
  }
  sn_form_free(&f);
  if (!sn_failed(result))
    mlirOperationDestroy(form);
  return result;
}

// Shapes and addresses only, and asserts about them; nothing that reads or writes an element.
static bool may_stay(MlirOperation op) {
  static const char *const names[] = {"cf.assert",
                                      "func.func",
                                      "func.call",
                                      "func.return",
                                      "tensor.empty",
                                      "tensor.cast",
                                      "tensor.dim",
                                      "tensor.collapse_shape",
                                      "tensor.expand_shape",
                                      "bufferization.to_buffer",
                                      "bufferization.to_tensor",
                                      "bufferization.alloc_tensor",
                                      "memref.alloc",
                                      "memref.dealloc",
                                      "memref.cast",
                                      "memref.dim",
                                      "memref.collapse_shape",
                                      "memref.expand_shape"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (sn_is(op, names[i]))
      return true;
  return sn_in_dialect(op, "llvm") ||
         (sn_in_dialect(op, "arith") && !(sn_num_results(op) && mlirTypeIsAShaped(sn_type_of(sn_result(op, 0)))));
}

static MlirWalkResult check_host(MlirOperation op, void *result) {
  if (may_stay(op))
    return MlirWalkResultAdvance;
  if (sn_is(op, "arith.constant"))
    sn_error(op, "a constant tensor lies in memory of the host, where no GPU kernel reads it: pass it as an argument");
  else
    sn_error(op, "stays outside of every kernel, and a program for a GPU runs nothing else: raise and fuse it into a "
                 "form, or compile with --target=cpu");
  *(MlirLogicalResult *)result = SN_FAIL;
  return MlirWalkResultSkip;
}

static MlirLogicalResult run(const SnRun *run, MlirOperation module) {
  MlirLogicalResult result = SN_OK;
  SnOpVec host = sn_host_functions(module);
  for (size_t i = 0; i < host.size; ++i)
    mlirOperationWalk(host.data[i], check_host, &result, MlirWalkPreOrder);
  sn_vec_free(&host);
  SnOpVec functions = sn_collect(module, "func.func");
  for (size_t i = 0; i < functions.size; ++i)
    if (sn_get_attr(functions.data[i], SN_KERNEL).ptr && sn_function_body(functions.data[i]).ptr &&
        sn_failed(lower_kernel(module, functions.data[i])))
      result = SN_FAIL;
  sn_vec_free(&functions);
  MlirOperation kernels = sn_symbol(module, MODULE);
  if (!sn_failed(result) && !sn_null(kernels))
    sn_gpu_narrow(kernels);
  return result;
}

MlirDialectHandle mlirGetDialectHandle__arith__(void);
MlirDialectHandle mlirGetDialectHandle__dlti__(void);
MlirDialectHandle mlirGetDialectHandle__func__(void);
MlirDialectHandle mlirGetDialectHandle__gpu__(void);
MlirDialectHandle mlirGetDialectHandle__llvm__(void);
MlirDialectHandle mlirGetDialectHandle__math__(void);
MlirDialectHandle mlirGetDialectHandle__memref__(void);
MlirDialectHandle mlirGetDialectHandle__nvvm__(void);
MlirDialectHandle mlirGetDialectHandle__scf__(void);
MlirDialectHandle mlirGetDialectHandle__vector__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__arith__,
                                                      mlirGetDialectHandle__dlti__,
                                                      mlirGetDialectHandle__func__,
                                                      mlirGetDialectHandle__gpu__,
                                                      mlirGetDialectHandle__llvm__,
                                                      mlirGetDialectHandle__math__,
                                                      mlirGetDialectHandle__memref__,
                                                      mlirGetDialectHandle__nvvm__,
                                                      mlirGetDialectHandle__scf__,
                                                      mlirGetDialectHandle__vector__,
                                                      NULL};

const SnPass sn_pass_lower_gpu = {
    .argument = "sinter-lower-gpu",
    .summary = "each kernel function -> a gpu.func and its launch",
    .anchor = "builtin.module",
    .dialects = dialects,
    .run = run,
};

// gpu_kernel.c: an op on memrefs becomes a gpu.func.
//
//   gpu.module @kernels {
//     gpu.func @main_kernel0(%x: memref<4x8xf32>, ...) workgroup(%slots: memref<8xf32, ...>) kernel {
//       threads, blocks and teams by their names       teams.c
//       what the body writes
//
// Functions of math and asserts are replaced when all of it is there.
//
// test: test/lowering/gpu/lower_gpu.mlir

#include "lowering/gpu/math/gpu_math.h"
#include "lowering/gpu/shell/kernel_arguments.h"
#include "lowering/gpu/shell/launch.h"
#include "lowering/rows/rowprogram.h"
#include <assert.h>
#include <stdio.h>

MlirOperation sn_gpu_module(MlirOperation module) { return sn_symbol(module, SN_GPU_MODULE); }

static MlirOperation make_module(MlirOperation module) {
  MlirOperation found = sn_gpu_module(module);
  if (!sn_null(found))
    return found;
  MlirContext ctx = mlirOperationGetContext(module);
  SnBuilder b = sn_at_end(mlirModuleGetBody(mlirModuleFromOperation(module)), mlirOperationGetLocation(module));
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, mlirBlockCreate(0, NULL, NULL));
  return sn_op(&b, "gpu.module", sn_types(0, NULL), sn_attr("sym_name", sn_string(ctx, SN_GPU_MODULE)), region);
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

// A size `?` of an operand whose dimension of the form is known: the host has compared them (sinter-sizes), and rows of
// a known length begin at multiples of it, so that vectors are aligned.
static MlirType known_sizes(const SnForm *f, MlirValue value, MlirType t) {
  int64_t shape[SN_MAX_DIMS + 1];
  intptr_t rank = sn_rank(t);
  for (intptr_t i = 0; i < rank; ++i)
    shape[i] = sn_dim(t, i);
  for (size_t k = 0; k < f->inputs.size + f->outputs.size; ++k) {
    const SnAccess *a = k < f->inputs.size ? &f->inputs.data[k] : &f->outputs.data[k - f->inputs.size];
    if (!sn_same(a->value, value) || a->fill.ptr || a->through.ptr || sn_is_table(a))
      continue;
    for (intptr_t i = 0; i < rank && i < mlirAffineMapGetNumResults(a->map); ++i) {
      intptr_t d = sn_map_dim(a->map, i);
      if (shape[i] == SN_DYNAMIC && d >= 0 && f->dims.data[d].size > 0)
        shape[i] = f->dims.data[d].size;
    }
  }
  return sn_memref(sn_element(t), rank, shape);
}

// The first input that is the same: what is read of one tensor at neighbouring places is loaded once, which LLVM sees
// where there is one pointer. (An H200's L1 was what three shifts of bf16 waited for.)
static intptr_t first_input(const SnForm *f, MlirOperation op, intptr_t o) {
  intptr_t first = 0;
  while (first < o && !(o < (intptr_t)f->inputs.size && sn_same(sn_operand(op, first), sn_operand(op, o))))
    ++first;
  return first;
}

// The op's operand as the device sees it, of type t on the host; `size` counts the sizes that were passed.
static MlirValue operand(SnBuilder *b, MlirType t, MlirType as, MlirValue given, MlirBlock entry, intptr_t *size) {
  MlirValue sizes[SN_MAX_DIMS + 1];
  intptr_t n = 0;
  if (!mlirTypeIsAMemRef(sn_type_of(given))) { // numbers.c
    MlirValue own =
        sn(b, "memref.alloca", t, sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b->ctx, 2, (int32_t[]){0, 0})));
    sn_op(b, "memref.store", given, own);
    return own;
  }
  if (sn_gpu_is_bare(t))
    return given;
  for (int64_t i = 0; i < sn_rank(t); ++i) {
    if (sn_dim(t, i) != SN_DYNAMIC)
      continue;
    MlirValue passed = mlirBlockGetArgument(entry, (*size)++);
    if (sn_dim(as, i) == SN_DYNAMIC)
      sizes[n++] = sn(b, "arith.index_cast", passed, sn_index_type(b->ctx));
  }
  return sn_gpu_view(b, given, as, sizes);
}

MlirOperation sn_gpu_ptx(SnBuilder *b, const char *text, const char *constraints, SnValues operands, MlirType result) {
  return sn_op(b, "llvm.inline_asm", operands, sn_types(result.ptr != NULL, &result),
               sn_attr("asm_string", sn_string(b->ctx, text)), sn_attr("constraints", sn_string(b->ctx, constraints)),
               sn_attr("has_side_effects", sn_unit(b->ctx)));
}

MlirValue sn_gpu_load_inside(SnBuilder *b, intptr_t words, const MlirValue *operands) {
  static const char *const constraints[] = {"=f,l", "=&f,l,r", "=&f,l,r,r", "=&f,l,r,r,r", "=&f,l,r,r,r,r"};
  char text[400] = "ld.global.nc.f32 $0, [$1];";
  assert(words < (intptr_t)(sizeof constraints / sizeof *constraints) && "so many subscripts have a window");
  if (words) {
    int n = snprintf(text, sizeof text,
                     "{\n\t.reg .pred inside%d;\n\t.reg .b32 word;\n\tmov.b32 word, $2;\n\t", (int)words);
    for (intptr_t i = 1; i < words; ++i)
      n += snprintf(text + n, sizeof text - (size_t)n, "and.b32 word, word, $%d;\n\t", (int)i + 2);
    snprintf(text + n, sizeof text - (size_t)n,
             "setp.ne.b32 inside%d, word, 0;\n\tmov.f32 $0, 0f00000000;\n\t"
             "@inside%d ld.global.nc.f32 $0, [$1];\n\t}",
             (int)words, (int)words);
  }
  return sn_result(sn_gpu_ptx(b, text, constraints[words], sn_values(1 + words, operands), mlirF32TypeGet(b->ctx)), 0);
}

static MlirOperation make_function(SnBuilder *b, const char *name, MlirOperation op, const SnGpuBody *body,
                                   const SnGpuArguments *arguments, MlirBlock *entry) {
  const SnGpuLaunch *l = body->launch;
  SN_VEC(MlirType) types = {0};
  SN_VEC(MlirLocation) locs = {0};
  SN_VEC(MlirAttribute) attrs = {0};
  for (size_t i = 0; i < arguments->size; ++i) {
    sn_push(&types, sn_gpu_argument_type(op, body, &arguments->data[i]));
    sn_push(&attrs, sn_gpu_argument_attributes(b->ctx, body, &arguments->data[i]));
    sn_push(&locs, b->loc);
  }
  MlirRegion region = mlirRegionCreate();
  *entry = mlirBlockCreate((intptr_t)types.size, types.data, locs.data);
  mlirRegionAppendOwnedBlock(region, *entry);
  int32_t threads = (int32_t)sn_gpu_block_threads(l), block_size[] = {threads, 1, 1},
          cluster = l->teams == SN_GPU_CLUSTER ? (int32_t)l->cluster : 1;
  MlirOperation func = sn_op(
      b, "gpu.func", sn_types(0, NULL), sn_attr("sym_name", sn_string(b->ctx, name)),
      sn_attr("function_type", mlirTypeAttrGet(mlirFunctionTypeGet(b->ctx, (intptr_t)types.size, types.data, 0, NULL))),
      sn_attr("arg_attrs", mlirArrayAttrGet(b->ctx, (intptr_t)attrs.size, attrs.data)),
      sn_attr("gpu.kernel", sn_unit(b->ctx)),
      sn_attr("gpu.known_block_size", mlirDenseI32ArrayGet(b->ctx, 3, block_size)),
      sn_attr("nvvm.reqntid", mlirDenseI32ArrayGet(b->ctx, 1, &threads)),
      sn_attr("nvvm.minctasm", mlirIntegerAttrGet(mlirIntegerTypeGet(b->ctx, 32), l->occupancy)),
      sn_attr("nvvm.cluster_dim", cluster > 1 ? mlirDenseI32ArrayGet(b->ctx, 1, &cluster) : mlirAttributeGetNull()),
      region);
  sn_vec_free(&types);
  sn_vec_free(&locs);
  sn_vec_free(&attrs);
  return func;
}

static MlirValue argument(MlirBlock entry, const SnGpuArguments *arguments, SnGpuArgumentKind kind) {
  intptr_t i = sn_gpu_find_argument(arguments, kind);
  return i < 0 ? (MlirValue){0} : mlirBlockGetArgument(entry, i);
}

static void write_function(MlirOperation module, const char *name, MlirOperation op, const SnGpuBody *body,
                           const SnGpuArguments *arguments, SnGpuArena *arena) {
  const SnGpuLaunch *l = body->launch;
  SnBuilder b =
      sn_at_end(mlirRegionGetFirstBlock(mlirOperationGetRegion(make_module(module), 0)), mlirOperationGetLocation(op));
  MlirBlock entry;
  SnGpuBarriers barriers = {0};
  intptr_t given = sn_gpu_num_operands(op, body), size = sn_gpu_find_argument(arguments, SN_GPU_SIZE),
           address = sn_gpu_find_argument(arguments, SN_GPU_ADDRESS);
  MlirOperation func = make_function(&b, name, op, body, arguments, &entry);
  if (body->num_maps)
    sn_set_attr(func, SN_GPU_MAPS, sn_i64(b.ctx, (int64_t)body->num_maps));
  MlirValue *operands = sn_alloc((size_t)(given + 1) * sizeof *operands),
            *addresses = sn_alloc((size_t)(given + 1) * sizeof *addresses),
            *maps = sn_alloc((body->num_maps + 1) * sizeof *maps);
  intptr_t map = sn_gpu_find_argument(arguments, SN_GPU_TENSOR_MAP);
  for (size_t i = 0; i < body->num_maps; ++i)
    maps[i] = mlirBlockGetArgument(entry, map + (intptr_t)i);
  SnGpuKernel k = {.func = func,
                   .entry = entry,
                   .arena = arena,
                   .barriers = &barriers,
                   .threads = l->threads,
                   .warps = l->threads / 32,
                   .blocks = l->blocks,
                   .cluster = l->cluster,
                   .teams = l->teams,
                   .team = l->team,
                   .operands = operands,
                   .addresses = addresses,
                   .num_operands = (size_t)given,
                   .scratch = argument(entry, arguments, SN_GPU_SCRATCH),
                   .scratch_address = argument(entry, arguments, SN_GPU_SCRATCH_ADDRESS),
                   .tag = argument(entry, arguments, SN_GPU_TAG),
                   .status = argument(entry, arguments, SN_GPU_STATUS),
                   .maps = maps};
  SnBuilder in = sn_at_end(entry, b.loc);
  bool rows = sn_is(op, "sinter.rowwise") && !body->operands.n;
  SnForm f = rows ? sn_form_read(op) : (SnForm){0};
  for (intptr_t o = 0; o < given; ++o) {
    MlirType t = sn_gpu_operand_type(op, body, o),
             as = rows && !sn_gpu_is_bare(t) ? known_sizes(&f, sn_operand(op, o), t) : t;
    operands[o] = operand(&in, t, as, mlirBlockGetArgument(entry, o), entry, &size);
    if (rows)
      operands[o] = operands[first_input(&f, op, o)];
    if (address >= 0)
      addresses[o] = mlirBlockGetArgument(entry, address + o);
  }
  if (rows)
    sn_form_free(&f);
  sn_gpu_number_threads(&in, &k);
  if (l->fitted || l->filling)
    k.grid = sn(&in, "gpu.grid_dim", sn_index_type(in.ctx), sn_attr("dimension", sn_parse_attr(in.ctx, "#gpu<dim x>")));
  body->emit(&in, &k, body->user);
  sn_op(&in, "gpu.return", sn_types(0, NULL));
  sn_gpu_math(func);
  if (body->asserts)
    sn_gpu_lower_asserts(&k, module);
  free(operands);
  free(addresses);
  free(maps);
}

MlirLogicalResult sn_gpu_make_kernel(const SnGpuHost *host, MlirOperation op, const SnGpuBody *body) {
  const char *name = sn_gpu_kernel_name(host->func, body);
  SnGpuArguments arguments = sn_gpu_arguments(op, body);
  SnGpuArena arena = {.launched_aligned = SN_GPU_FOR_COPIES};
  write_function(host->module, name, op, body, &arguments, &arena);
  if (arena.most_bytes > arena.launched_bytes)
    arena.launched_bytes = arena.most_bytes;
  sn_gpu_launch(host, op, body, &arguments, arena.launched_bytes);
  MlirLogicalResult result = sn_gpu_check_arena(&arena, op);
  sn_vec_free(&arguments);
  sn_vec_free(&arena.pieces);
  return result;
}

// arena.c: shared memory, dealt out in one place.
//
//   sn_gpu_shared(k, "warps' values", 1, {8}, f32, 16)              -> workgroup(%s : memref<8xf32> {llvm.align = 16})
//   sn_gpu_launched_shared(b, k, "slots", 2, {512, 4}, f32, 128)    -> memref.view of workgroup(%l : memref<8192xi8>)
//   the next of those                                               -> memref.view at 8192, and %l : memref<16384xi8>
//   one of each block that runs side by side with others            -> memref.view at 8192 + tenant * bytes
//
// Pieces whose size is compiled in are arrays of the kernel's own; all that the launch gives is one array, and the
// arena counts its bytes, which the host's call passes on. The gpu.func says which that is: sinter-gpu-target declares
// it without a size.
//
// test: test/lowering/gpu/ahead.mlir, gpu_target.mlir, refused.mlir

#include "lowering/gpu/shell/shell.h"
#include <assert.h>
#include <stdio.h>

#define OWN_BYTES (48 << 10)       // that a kernel has without asking
#define LAUNCHED_BYTES (227 << 10) // that it gets at most, with its own, on any chip

static int64_t bytes_of(intptr_t rank, const int64_t *shape, MlirType element) {
  int64_t bytes = mlirTypeIsAIndex(element) ? 8 : (sn_bits(element) + 7) / 8;
  for (intptr_t i = 0; i < rank; ++i)
    bytes = sn_times(bytes, shape[i]);
  return bytes;
}

static int64_t rounded(int64_t bytes, int64_t alignment) { return (bytes + alignment - 1) / alignment * alignment; }

// One more array of the kernel. LLVM takes it to be aligned so.
static MlirValue attribution(SnGpuKernel *k, MlirType type, int64_t alignment) {
  MlirContext ctx = mlirOperationGetContext(k->func);
  int64_t before = sn_int_attr(k->func, "workgroup_attributions", 0);
  MlirAttribute *attrs = sn_alloc((size_t)(before + 1) * sizeof *attrs),
                old = sn_get_attr(k->func, "workgroup_attrib_attrs");
  for (int64_t i = 0; i < before; ++i)
    attrs[i] = mlirArrayAttrGetElement(old, i);
  attrs[before] = sn_parse_attr(ctx, "{llvm.align = %lld : i64}", (long long)alignment);
  sn_set_attr(k->func, "workgroup_attributions", sn_i64(ctx, before + 1));
  sn_set_attr(k->func, "workgroup_attrib_attrs", mlirArrayAttrGet(ctx, (intptr_t)before + 1, attrs));
  free(attrs);
  return mlirBlockAddArgument(k->entry, type, mlirOperationGetLocation(k->func));
}

// The launch's memory begins at multiples of that from now on.
static void align_launched(SnGpuKernel *k, int64_t alignment) {
  SnGpuArena *a = k->arena;
  MlirAttribute all = sn_get_attr(k->func, "workgroup_attrib_attrs");
  intptr_t n = mlirArrayAttrGetNumElements(all);
  MlirAttribute *attrs = sn_alloc((size_t)n * sizeof *attrs);
  for (intptr_t i = 0; i < n; ++i)
    attrs[i] = mlirArrayAttrGetElement(all, i);
  a->launched_aligned = alignment;
  attrs[sn_int_attr(k->func, SN_GPU_LAUNCHED, 0)] =
      sn_parse_attr(mlirOperationGetContext(k->func), "{llvm.align = %lld : i64}", (long long)alignment);
  sn_set_attr(k->func, "workgroup_attrib_attrs", mlirArrayAttrGet(mlirOperationGetContext(k->func), n, attrs));
  free(attrs);
}

static MlirType shared_type(SnGpuKernel *k, intptr_t rank, const int64_t *shape, MlirType element) {
  MlirAttribute space = sn_parse_attr(mlirOperationGetContext(k->func), "#gpu.address_space<workgroup>");
  return mlirMemRefTypeContiguousGet(element, rank, shape, space);
}

void sn_gpu_new_tenants(SnGpuArena *a, int64_t tenants, MlirValue tenant) {
  a->most_bytes = a->launched_bytes > a->most_bytes ? a->launched_bytes : a->most_bytes;
  if (!a->tenants)
    a->kept_bytes = a->launched_bytes;
  a->launched_bytes = a->kept_bytes;
  a->tenants = tenants;
  a->tenant = tenant;
}

MlirValue sn_gpu_shared(SnGpuKernel *k, const char *name, intptr_t rank, const int64_t *shape, MlirType element,
                        int64_t alignment) {
  SnGpuArena *a = k->arena;
  if (a->tenants) {
    SnBuilder top = sn_after(sn_definer(k->first));
    return sn_gpu_launched_shared(&top, k, name, rank, shape, element, alignment);
  }
  int64_t bytes = bytes_of(rank, shape, element);
  sn_push(&a->pieces, (SnGpuPiece){.name = name, .bytes = bytes, .alignment = alignment, .offset = -1});
  a->own_bytes = rounded(a->own_bytes, alignment) + bytes;
  return attribution(k, shared_type(k, rank, shape, element), alignment);
}

MlirValue sn_gpu_launched_shared(SnBuilder *b, SnGpuKernel *k, const char *name, intptr_t rank, const int64_t *shape,
                                 MlirType element, int64_t alignment) {
  SnGpuArena *a = k->arena;
  int64_t bytes = bytes_of(rank, shape, element), offset = rounded(a->launched_bytes, alignment),
          each = rounded(bytes, alignment);
  sn_push(&a->pieces, (SnGpuPiece){.name = name, .bytes = bytes, .alignment = alignment, .offset = offset});
  a->launched_bytes = offset + (sn_none(a->tenant) ? bytes : each * a->tenants);
  int64_t most = a->launched_bytes > a->most_bytes ? a->launched_bytes : a->most_bytes;
  MlirType all = shared_type(k, 1, &most, mlirIntegerTypeGet(b->ctx, 8));
  if (sn_none(a->launched)) {
    sn_set_attr(k->func, SN_GPU_LAUNCHED, sn_i64(b->ctx, sn_int_attr(k->func, "workgroup_attributions", 0)));
    a->launched = attribution(k, all, a->launched_aligned);
  } else {
    mlirValueSetType(a->launched, all);
  }
  if (alignment > a->launched_aligned)
    align_launched(k, alignment);
  MlirValue at = sn_index(b, offset);
  if (!sn_none(a->tenant))
    at = sn(b, "arith.addi", at, sn(b, "arith.muli", a->tenant, sn_index(b, each)));
  return sn(b, "memref.view", a->launched, at, shared_type(k, rank, shape, element));
}

// What pieces are for and their bytes, the largest first.
static void list(const SnGpuArena *a, bool launched, char *text, size_t size) {
  SN_VEC(SnGpuPiece) all = {0};
  size_t at = 0;
  for (size_t i = 0; i < a->pieces.size; ++i) {
    const SnGpuPiece *p = &a->pieces.data[i];
    size_t same = 0;
    while (same < all.size && strcmp(all.data[same].name, p->name))
      ++same;
    if (same < all.size)
      all.data[same].bytes += p->bytes;
    else if (launched || p->offset < 0)
      sn_push(&all, *p);
  }
  for (int64_t last = INT64_MAX, most = 0; at < size; last = most, most = 0) {
    for (size_t i = 0; i < all.size; ++i)
      most = all.data[i].bytes < last && all.data[i].bytes > most ? all.data[i].bytes : most;
    for (size_t i = 0; i < all.size && at < size; ++i)
      if (most && all.data[i].bytes == most)
        at += (size_t)snprintf(text + at, size - at, "%s%s %lld", at ? ", " : "", all.data[i].name, (long long)most);
    if (!most)
      break;
  }
  sn_vec_free(&all);
}

MlirLogicalResult sn_gpu_check_arena(const SnGpuArena *a, MlirOperation op) {
  char text[300] = "";
  int64_t all = rounded(a->own_bytes, a->launched_aligned) + a->launched_bytes;
  if (a->own_bytes <= OWN_BYTES && all <= LAUNCHED_BYTES)
    return SN_OK;
  bool launched = a->own_bytes <= OWN_BYTES;
  list(a, launched, text, sizeof text);
  return sn_error(op, "needs %lld bytes of shared memory%s, of %d that a block has: %s",
                  (long long)(launched ? all : a->own_bytes), launched ? "" : " of its own",
                  launched ? LAUNCHED_BYTES : OWN_BYTES, text);
}

MlirValue sn_gpu_shared_address(SnBuilder *b, MlirValue memref) {
  MlirValue address = sn(b, "memref.extract_aligned_pointer_as_index", memref, sn_index_type(b->ctx));
  return sn(b, "arith.index_cast", address, mlirIntegerTypeGet(b->ctx, 32));
}

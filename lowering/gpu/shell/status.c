// status.c: asserts in a kernel.
//
//   cf.assert %ok, "label out of range"
//   ->
//   scf.if (not %ok) { if status word is 0: status word = number of the message }
//
// The word is the library's own, one for each context; the runtime gives its address for each launch, and
// a host reads it when it likes (SinterLibraryExtension.device_status): nothing waits
// for a kernel. The first number stays (of asserts that fail at one time, any). The word lies in memory of the host,
// where atomic operations of a device need not be any. The kernel goes on behind a failing assert, so what an assert
// guards is not read all the same: a subscript that is outside is replaced by 0 (rowmemory.c), and what a pick or a
// gather reads is guarded by itself.
//
// That all elements of a row are as they should be (`row_reduce and`) is no one's to know: each thread keeps whether
// its own were, without a branch, and asserts that behind its loop.
//
// The number is 1 more than where the message begins in one text of all messages, each with a 0 behind it.
//
// test: test/lowering/gpu/status.mlir

#include "lowering/gpu/shell/shell.h"

#define MESSAGES "sinter_messages"

static MlirOperation table(MlirOperation module) {
  MlirOperation found = sn_symbol(module, MESSAGES);
  if (!sn_null(found))
    return found;
  SnBuilder b = sn_at_start(mlirModuleGetBody(mlirModuleFromOperation(module)), mlirOperationGetLocation(module));
  return sn_op(&b, "llvm.mlir.global", sn_types(0, NULL), sn_attr("sym_name", sn_string(b.ctx, MESSAGES)),
               sn_attr("global_type", mlirTypeAttrGet(sn_type(b.ctx, "!llvm.array<0 x i8>"))),
               sn_attr("linkage", sn_parse_attr(b.ctx, "#llvm.linkage<internal>")), sn_attr("constant", sn_unit(b.ctx)),
               sn_attr("value", sn_string(b.ctx, "")), mlirRegionCreate());
}

// Where the message begins in the text, at its end if it was not there.
static int64_t place_of(MlirOperation module, MlirStringRef message) {
  MlirOperation global = table(module);
  MlirStringRef all = mlirStringAttrGetValue(sn_get_attr(global, "value"));
  for (size_t at = 0; at < all.length; at += strlen(all.data + at) + 1)
    if (strlen(all.data + at) == message.length && !memcmp(all.data + at, message.data, message.length))
      return (int64_t)at;
  size_t size = all.length + message.length + 1, at = all.length;
  char *text = sn_alloc(size);
  if (all.length)
    memcpy(text, all.data, all.length);
  if (message.length)
    memcpy(text + at, message.data, message.length);
  text[size - 1] = 0;
  MlirContext ctx = mlirOperationGetContext(module);
  sn_set_attr(global, "value", mlirStringAttrGet(ctx, mlirStringRefCreate(text, size)));
  sn_set_attr(global, "global_type", mlirTypeAttrGet(sn_type(ctx, "!llvm.array<%zu x i8>", size)));
  free(text);
  return (int64_t)at;
}

void sn_gpu_lower_asserts(SnGpuKernel *k, MlirOperation module) {
  SnOpVec asserts = sn_collect(k->func, "cf.assert");
  for (size_t i = 0; i < asserts.size; ++i) {
    SnBuilder b = sn_before(asserts.data[i]);
    MlirType i1 = mlirIntegerTypeGet(b.ctx, 1), i32 = mlirIntegerTypeGet(b.ctx, 32);
    int64_t number = 1 + place_of(module, mlirStringAttrGetValue(sn_get_attr(asserts.data[i], "msg")));
    SnIf failed = sn_if(&b, sn(&b, "arith.xori", sn_operand(asserts.data[i], 0), sn_int(&b, i1, 1)));
    MlirValue word = sn_result(
        sn_gpu_ptx(&b, "ld.relaxed.sys.global.b32 $0, [$1];", "=r,l,~{memory}", sn_values(1, &k->status), i32), 0);
    SnIf first = sn_if(&b, sn(&b, "arith.cmpi", word, sn_int(&b, i32, 0), sn_attr("predicate", sn_i64(b.ctx, 0))));
    MlirValue operands[] = {k->status, sn_int(&b, i32, number)};
    sn_gpu_ptx(&b, "st.relaxed.sys.global.b32 [$0], $1;", "l,r,~{memory}", sn_values(2, operands), (MlirType){0});
    sn_end_if(&b, &first);
    sn_end_if(&b, &failed);
    mlirOperationDestroy(asserts.data[i]);
  }
  sn_vec_free(&asserts);
}

MlirValue sn_gpu_status_word(SnBuilder *b, MlirOperation module) {
  MlirType pointer = sn_type(b->ctx, "!llvm.ptr"), i64 = mlirIntegerTypeGet(b->ctx, 64);
  table(module);
  MlirValue place = sn(b, "llvm.alloca", sn_int(b, i64, 1), pointer, sn_attr("elem_type", mlirTypeAttrGet(pointer)));
  MlirValue messages =
      sn(b, "llvm.mlir.addressof", pointer, sn_attr("global_name", mlirFlatSymbolRefAttrGet(b->ctx, SN_STR(MESSAGES))));
  sn_call_runtime(b, module, "sinter_rt_status_word", sn_values(2, (MlirValue[]){messages, place}));
  return place;
}

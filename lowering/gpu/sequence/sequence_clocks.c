// sequence_clocks.c: when each block began and ended each phase, for --profile.
//
// test: test/lowering/gpu/sequence.mlir

#include "dialect/attributes.h"
#include "lowering/gpu/sequence/sequence_gpu.h"
#include "lowering/rows/rowprogram.h"
#include <stdio.h>

enum { SYMBOL_BYTES = 300 };
static void clocks_symbol(MlirOperation kernel, char name[SYMBOL_BYTES]) {
  snprintf(name, SYMBOL_BYTES, "%s_clocks", mlirStringAttrGetValue(sn_get_attr(kernel, "sym_name")).data);
}

// clocks[block][phase][began, ended], in nanoseconds of the device's timer, by thread 0. The host finds the memory by
// the kernel's name, and what phases do in SN_KERNEL_CLOCKS.
void sn_gpu_make_clocks(SnBuilder *b, const SnGpuKernel *k, SnGpuSequence *q) {
  MlirOperation module = mlirOperationGetParentOperation(k->func);
  SnBuilder at = sn_at_start(mlirRegionGetFirstBlock(mlirOperationGetRegion(module, 0)), b->loc);
  int64_t n = 2 * k->blocks * sn_sequence_all_phases(&q->s);
  MlirType i64 = mlirIntegerTypeGet(b->ctx, 64), pointer = sn_type(b->ctx, "!llvm.ptr<1>");
  char name[SYMBOL_BYTES];
  clocks_symbol(k->func, name);
  MlirAttribute zeros =
      mlirDenseElementsAttrInt64SplatGet(mlirRankedTensorTypeGet(1, &n, i64, mlirAttributeGetNull()), 0);
  sn_op(&at, "llvm.mlir.global", sn_types(0, NULL), sn_attr("sym_name", sn_string(b->ctx, name)),
        sn_attr("global_type", mlirTypeAttrGet(sn_type(b->ctx, "!llvm.array<%lld x i64>", (long long)n))),
        sn_attr("linkage", sn_parse_attr(b->ctx, "#llvm.linkage<external>")), sn_attr("value", zeros),
        sn_attr("addr_space", mlirIntegerAttrGet(mlirIntegerTypeGet(b->ctx, 32), 1)),
        sn_attr("alignment", sn_i64(b->ctx, 8)), mlirRegionCreate());
  MlirValue memory =
      sn(b, "llvm.mlir.addressof", pointer, sn_attr("global_name", mlirFlatSymbolRefAttrGet(b->ctx, SN_STR(name))));
  q->clocks = sn(b, "llvm.ptrtoint", memory, i64);
}

// The phase begins, or the one before it has ended; so many there were (i64).
void sn_gpu_keep_time(SnBuilder *b, SnGpuKernel *k, const SnGpuSequence *q, MlirValue phase, bool ended) {
  if (!q->plan.clocks)
    return;
  int64_t known;
  MlirType i64 = mlirIntegerTypeGet(b->ctx, 64);
  SnIf first = sn_if(b, k->first);
  MlirValue of_block = sn(b, "arith.muli", sn(b, "arith.index_cast", k->block, i64),
                          sn_int(b, i64, 16 * sn_sequence_all_phases(&q->s))),
            base = sn(b, "arith.addi", q->clocks, of_block), of_phase;
  if (sn_known(phase, &known))
    of_phase = sn_int(b, i64, 16 * known - 8 * ended);
  else
    of_phase = sn(b, "arith.addi", sn(b, "arith.muli", phase, sn_int(b, i64, 16)), sn_int(b, i64, -8 * ended));
  MlirValue at = sn(b, "arith.addi", base, of_phase);
  sn_gpu_ptx(b, "{ .reg .u64 t; mov.u64 t, %globaltimer; st.global.u64 [$0], t; }", "l,~{memory}", sn_values(1, &at),
             (MlirType){0});
  sn_end_if(b, &first);
}

// "rowwise (i = 8, j = 64) by (k = 1024)": what a form is, for who reads a trace.
static void add_form(char *text, size_t size, MlirOperation op) {
  size_t at = strlen(text);
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  at += (size_t)snprintf(text + at, size - at, "%s%.*s", at ? "; " : "", (int)(name.length - 7), name.data + 7);
  if (!sn_is_form(op) || at >= size)
    return;
  SnForm f = sn_form_read(op);
  for (int64_t d = 0; d < (int64_t)f.dims.size && at < size; ++d) {
    MlirStringRef dim = f.dims.data[d].name;
    at += (size_t)snprintf(text + at, size - at, "%s%.*s = %lld%s",
                           !d                ? " ("
                           : d == f.num_rows ? " by ("
                                             : ", ",
                           (int)dim.length, dim.data, (long long)f.dims.data[d].size,
                           d + 1 == f.num_rows || d + 1 == (int64_t)f.dims.size ? ")" : "");
  }
  sn_form_free(&f);
}

typedef SN_VEC(MlirAttribute) Attributes;

// That which begins with form m, if one does.
static void note_phase(Attributes *phases, const SnGpuSequence *q, size_t m) {
  char text[400] = "";
  int64_t phase = q->s.phase.data[m];
  if (m && q->s.phase.data[m - 1] == phase)
    return;
  for (; m < q->members.size && q->s.phase.data[m] == phase; ++m)
    add_form(text, sizeof text, q->members.data[m].op);
  sn_push(phases, sn_string(mlirOperationGetContext(q->s.op), text));
}

// On the program: {kernel = "main_kernel0", symbol = "main_kernel0_clocks", blocks = 132, phases = ["rowwise (i = 64)
// by (j = 8)", ...]}, of each.
void sn_gpu_note_clocks(MlirOperation op, const SnGpuSequence *q) {
  MlirContext ctx = mlirOperationGetContext(op);
  MlirOperation func = op, module;
  while (!sn_is(func, "func.func"))
    func = mlirOperationGetParentOperation(func);
  module = mlirOperationGetParentOperation(func);
  Attributes all = {0}, phases = {0};
  MlirAttribute before = sn_get_attr(module, SN_KERNEL_CLOCKS);
  for (intptr_t i = 0; before.ptr && i < mlirArrayAttrGetNumElements(before); ++i)
    sn_push(&all, mlirArrayAttrGetElement(before, i));
  for (size_t m = 0; m < q->members.size; ++m) {
    const SnSequenceLoop *loop = sn_sequence_loop(&q->s, m);
    if (loop && m != loop->first)
      continue; // noted
    if (!loop)
      note_phase(&phases, q, m);
    for (int64_t turn = 0; loop && turn < loop->turns; ++turn)
      for (size_t i = 0; i < loop->forms; ++i)
        note_phase(&phases, q, loop->first + i);
  }
  char symbol[SYMBOL_BYTES];
  clocks_symbol(func, symbol);
  MlirNamedAttribute entries[] = {
      mlirNamedAttributeGet(mlirIdentifierGet(ctx, SN_STR("kernel")), sn_get_attr(func, "sym_name")),
      mlirNamedAttributeGet(mlirIdentifierGet(ctx, SN_STR("symbol")), sn_string(ctx, symbol)),
      mlirNamedAttributeGet(mlirIdentifierGet(ctx, SN_STR("blocks")), sn_i64(ctx, q->plan.blocks)),
      mlirNamedAttributeGet(mlirIdentifierGet(ctx, SN_STR("phases")),
                            mlirArrayAttrGet(ctx, (intptr_t)phases.size, phases.data))};
  sn_push(&all, mlirDictionaryAttrGet(ctx, 4, entries));
  sn_set_attr(module, SN_KERNEL_CLOCKS, mlirArrayAttrGet(ctx, (intptr_t)all.size, all.data));
  sn_vec_free(&phases);
  sn_vec_free(&all);
}

// microkernels.c: a block of a product goes to the emitter that its line of the table names.
//
//   {"libxsmm", ..., SN_WRITTEN_AS_CALL, "sinter_rt_brgemm_f32"}
// ->
//   call @sinter_rt_brgemm_f32(a, b, c, m, n, k, lda, ldb, ldc, again)

#include "lowering/cpu/microkernels.h"
#include "mlir-c/Dialect/LLVM.h"
#include <assert.h>

typedef void (*Emitter)(SnKernel *k, SnBuilder *b, const SnMicroBlock *block);
static const Emitter emitters[SN_WRITTEN_COUNT] = {
    [SN_WRITTEN_AS_CALL] = sn_cpu_micro_call,
    [SN_WRITTEN_AS_FMA] = sn_cpu_micro_vectors,
    [SN_WRITTEN_AS_MULTIPLY_ADD] = sn_cpu_micro_vectors,
    [SN_WRITTEN_AS_DOT] = sn_cpu_micro_vectors,
    [SN_WRITTEN_AS_DOT_ADD] = sn_cpu_micro_vectors,
};

void sn_cpu_micro_kernel(SnKernel *k, SnBuilder *b, const SnMicroBlock *block) {
  assert(emitters[block->line->written] && "sn_micro_kernel gives lines that can be written");
  emitters[block->line->written](k, b, block);
}

// ---- panels ------------------------------------------------------------------------------

SnPanel sn_cpu_panel_at(SnBuilder *b, MlirValue memref, const MlirValue *at, MlirValue distance) {
  SnPanel p = {.distance = distance};
  p.memory = sn_row_flat(b, memref, at, &p.offset);
  return p;
}

SnPanel sn_cpu_panel(SnBuilder *b, MlirValue memref, MlirValue row, MlirValue column) {
  MlirValue at[] = {row, column};
  return sn_cpu_panel_at(b, memref, at, sn_dim_of(b, memref, 1));
}

int64_t sn_cpu_micro_columns(const SnMicroKernel *line, MlirType sum, int64_t columns) {
  int64_t lanes = sn_micro_lanes(line, sum);
  return sn_pieces(columns, lanes) * lanes;
}

// ---- a library's function ------------------------------------------------------------------

static MlirValue as_i64(SnBuilder *b, MlirValue v) {
  int64_t known;
  MlirType i64 = mlirIntegerTypeGet(b->ctx, 64);
  return sn_known(v, &known) ? sn_int(b, i64, known) : sn(b, "arith.index_cast", v, i64);
}

static MlirValue address(SnBuilder *b, const SnPanel *p) {
  int64_t bytes = sn_bits(sn_element(sn_type_of(p->memory))) / 8;
  MlirValue base = sn(b, "memref.extract_aligned_pointer_as_index", p->memory, sn_index_type(b->ctx));
  MlirValue at = sn(b, "arith.addi", base, sn(b, "arith.muli", p->offset, sn_index(b, bytes)));
  return sn(b, "llvm.inttoptr", as_i64(b, at), mlirLLVMPointerTypeGet(b->ctx, 0));
}

void sn_cpu_micro_call(SnKernel *k, SnBuilder *b, const SnMicroBlock *block) {
  MlirType i64 = mlirIntegerTypeGet(b->ctx, 64), ptr = mlirLLVMPointerTypeGet(b->ctx, 0);
  MlirType types[] = {ptr, ptr, ptr, i64, i64, i64, i64, i64, i64, i64};
  MlirValue operands[] = {address(b, &block->a),        address(b, &block->b),
                          address(b, &block->c),        as_i64(b, block->m),
                          as_i64(b, block->n),          as_i64(b, block->k),
                          as_i64(b, block->a.distance), as_i64(b, block->b.distance),
                          as_i64(b, block->c.distance), sn(b, "arith.extui", block->again, i64)};
  const char *name = block->line->instruction;
  sn_cpu_declare(k, name, 10, types);
  sn_op(b, "func.call", sn_values(10, operands), sn_types(0, NULL),
        sn_attr("callee", mlirFlatSymbolRefAttrGet(b->ctx, SN_STR(name))));
}

MlirValue sn_cpu_intrinsic(SnKernel *k, SnBuilder *b, const char *name, SnValues operands, MlirType result) {
  MlirType types[8];
  assert(operands.n <= 8);
  for (intptr_t i = 0; i < operands.n; ++i)
    types[i] = sn_type_of(operands.data[i]);
  if (sn_null(sn_symbol(k->module, name))) {
    SnBuilder end = sn_at_end(mlirRegionGetFirstBlock(mlirOperationGetRegion(k->module, 0)), k->b.loc);
    sn_op(&end, "func.func", sn_attr("sym_name", sn_string(b->ctx, name)),
          sn_attr("function_type", mlirTypeAttrGet(mlirFunctionTypeGet(b->ctx, operands.n, types, 1, &result))),
          sn_attr("sym_visibility", sn_string(b->ctx, "private")), sn_attr("sinter.intrinsic", sn_unit(b->ctx)),
          mlirRegionCreate());
  }
  return sn(b, "func.call", operands, result, sn_attr("callee", mlirFlatSymbolRefAttrGet(b->ctx, SN_STR(name))));
}

// read_once.c: what a launch reads once leaves the second cache first.
//
//   vector.load %w[%i, %j] : memref<2048x2048xbf16>, vector<8xbf16>
//   ->
//   ld.global.L1::no_allocate.L2::cache_hint.v4.b32, with an evict_first policy
//
// No .nc: what is read in front of a wait (sequence_kernel.c) would be moved behind it by ptxas.
//
// Weights of more than that cache holds otherwise push out what forms leave each other, and lines of other weights that
// come (an H200, four layers of Llama-3.2-1B's shape: 217 us in place of 235).
//
// test: test/lowering/gpu/read_once.mlir, test/gpu/sequences.test

#include "lowering/gpu/sequence/sequence_gpu.h"

enum { LOADED_BYTES = 16 };

static MlirValue index_of(SnBuilder *b, MlirOperation load, MlirType memref) {
  MlirValue linear = {0};
  for (intptr_t d = 0; d < sn_rank(memref); ++d) {
    MlirValue at = sn_operand(load, 1 + d);
    linear = d ? sn(b, "arith.addi", sn(b, "arith.muli", linear, sn_index(b, sn_dim(memref, d))), at) : at;
  }
  return linear;
}

// The same 16 bytes, of the memory that begins at `address`.
static void load_once(MlirOperation load, MlirValue address, MlirValue policy) {
  SnBuilder at = sn_before(load), *b = &at;
  MlirType i32 = mlirIntegerTypeGet(b->ctx, 32), i64 = mlirIntegerTypeGet(b->ctx, 64),
           memref = sn_type_of(sn_operand(load, 0)), vector = sn_type_of(sn_result(load, 0)),
           words = sn_type(b->ctx, "!llvm.struct<(i32, i32, i32, i32)>");
  MlirValue bytes = sn(b, "arith.muli", sn(b, "arith.index_cast", index_of(b, load, memref), i64),
                       sn_int(b, i64, sn_bits(sn_element(memref)) / 8)),
            operands[] = {sn(b, "arith.addi", address, bytes), policy}, word[4];
  MlirValue all = sn_result(sn_gpu_ptx(b,
                                       "ld.global.L1::no_allocate.L2::cache_hint.v4.b32 {$0, $1, $2, $3}, [$4], $5;",
                                       "=r,=r,=r,=r,l,l", sn_values(2, operands), words),
                            0);
  for (int64_t i = 0; i < 4; ++i)
    word[i] = sn(b, "llvm.extractvalue", all, i32, sn_attr("position", mlirDenseI64ArrayGet(b->ctx, 1, &i)));
  MlirValue x = sn(b, "vector.bitcast", sn(b, "vector.from_elements", sn_values(4, word), sn_vector(i32, 4)), vector);
  mlirValueReplaceAllUsesOfWith(sn_result(load, 0), x);
  mlirOperationDestroy(load);
}

// The memory from its beginning, in another shape.
static bool is_same_memory(MlirOperation op) {
  static const char *const names[] = {"memref.collapse_shape", "memref.expand_shape", "memref.reinterpret_cast"};
  MlirAttribute offsets = sn_get_attr(op, "static_offsets");
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (sn_is(op, names[i]))
      return i < 2 || (sn_num_operands(op) == 1 && !mlirDenseI64ArrayGetElement(offsets, 0));
  return false;
}

static void find_loads(MlirValue memref, SnOpVec *loads) {
  for (MlirOpOperand use = mlirValueGetFirstUse(memref); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    if (is_same_memory(op)) {
      find_loads(sn_result(op, 0), loads);
    } else if (sn_is(op, "vector.load") && mlirShapedTypeHasStaticShape(sn_type_of(memref))) {
      MlirType t = sn_type_of(sn_result(op, 0));
      if (sn_dim(t, sn_rank(t) - 1) * sn_bits(sn_element(t)) == LOADED_BYTES * 8 && sn_rank(t) == 1)
        sn_push(loads, op);
    }
  }
}

void sn_gpu_read_once(SnBuilder *b, const SnGpuKernel *k, const SnGpuSequence *q) {
  MlirValue policy = {0};
  for (size_t i = 0; i < q->operands.size && q->plan.once; ++i) {
    SnOpVec loads = {0};
    if (!q->written.data[i] && sn_gpu_is_read_once(&q->s, q->operands.data[i]))
      find_loads(k->operands[i], &loads);
    if (loads.size && sn_none(policy))
      policy = sn_result(sn_gpu_ptx(b, "createpolicy.fractional.L2::evict_first.b64 $0, 1.0;", "=l", sn_values(0, NULL),
                                    mlirIntegerTypeGet(b->ctx, 64)),
                         0);
    for (size_t l = 0; l < loads.size; ++l)
      load_once(loads.data[l], k->addresses[i], policy);
    sn_vec_free(&loads);
  }
}

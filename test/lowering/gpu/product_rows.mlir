// RUN: sinter-opt --sinter-schedule=target=gpu --sinter-outline --sinter-lower-gpu %s | FileCheck %s

// A tile of warpgroups has whole pieces of rows: four threads share each, so a reduction ends in two butterflies. The
// element of the label is looked for where some row of the warp has it. No sums go through shared memory.

// CHECK-LABEL: gpu.func @pieces_kernel0
//       CHECK:   nvvm.wgmma.mma_async
//   CHECK-NOT:   gpu.address_space<workgroup>>, vector
//       CHECK:   arith.maximumf
//       CHECK:   gpu.shuffle xor
//       CHECK:   gpu.shuffle xor
//   CHECK-NOT:   gpu.shuffle xor
//       CHECK:   llvm.nvvm.ex2.approx.ftz
//       CHECK:   gpu.shuffle xor
//       CHECK:   gpu.shuffle xor
//   CHECK-NOT:   gpu.shuffle xor
//       CHECK:   %[[ANY:.+]] = nvvm.vote.sync any
//       CHECK:   scf.if %[[ANY]] -> (f32) {
//       CHECK:     arith.cmpi eq
//       CHECK:     gpu.shuffle xor
//       CHECK:   memref.store
func.func @pieces(%x: tensor<700x64xbf16>, %w: tensor<576x64xbf16>, %t: tensor<700xi64>, %e: tensor<3x700xf32>) -> (tensor<3x700xf32>, tensor<3x700xf32>, tensor<3x700xf32>) {
  %0:3 = sinter.contract (i = 700, p = 3) by (c = 192)
      product (k = 64) (%x[i, k] : tensor<700x64xbf16>, %w[p * 192 + c, k] : tensor<576x64xbf16>) : f32
      ins(%t[i] : tensor<700xi64>)
      outs(%e[p, i] : tensor<3x700xf32>, %e[p, i] : tensor<3x700xf32>, %e[p, i] : tensor<3x700xf32>) {
  ^row(%a: tensor<192xf32>, %l: i64):
    %zero = arith.constant 0.0 : f32
    %m = sinter.row_reduce maximumf %a : tensor<192xf32> -> f32
    %b = sinter.broadcast %m : f32 -> tensor<192xf32>
    %d = arith.subf %a, %b : tensor<192xf32>
    %q = math.exp %d {sinter.not_positive, sinter.under_maximum} : tensor<192xf32>
    %s = sinter.row_reduce add %q : tensor<192xf32> -> f32
    %g = arith.truncf %s : f32 to bf16
    %u = arith.extf %g : bf16 to f32
    %v = arith.fptosi %u : f32 to i64
    %y = arith.addi %l, %v : i64
    %p_ = sinter.pick %a[%y] else %zero : tensor<192xf32>, i64
    sinter.yield %m, %s, %p_ : f32, f32, f32
  }
  return %0#0, %0#1, %0#2 : tensor<3x700xf32>, tensor<3x700xf32>, tensor<3x700xf32>
}

// RUN: sinter-opt --sinter-gpu="explain=true format=isa" %s -o /dev/null 2>&1 | FileCheck %s

// Of a GPU's kernels, too, it is said what was cut and why: nobody knows how to add up a row's variance in pieces.

// CHECK:      kernel 0: sinter.contract (i = 4096) by (j = 32000) over (k = 64)
// CHECK:      kernel 1: sinter.rowwise (i = 4096) by (j = 32000)
// CHECK:      kernel 0 -> kernel 1
// CHECK-NEXT: could be one: a reduction waits for another, and is no sum under its maximum
func.func @main(%h: tensor<4096x64xbf16>, %w: tensor<32000x64xbf16>) -> tensor<4096xf32> {
  %empty = tensor.empty() : tensor<4096xf32>
  %y = sinter.contract (i = 4096) by (j = 32000)
      product (k = 64) (%h[i, k] : tensor<4096x64xbf16>, %w[j, k] : tensor<32000x64xbf16>) : f32
      outs(%empty[i] : tensor<4096xf32>) {
  ^row(%x: tensor<32000xf32>):
    %n = arith.constant 3.2e4 : f32
    %sum = sinter.row_reduce add %x : tensor<32000xf32> -> f32
    %mean = arith.divf %sum, %n : f32
    %means = sinter.broadcast %mean : f32 -> tensor<32000xf32>
    %off = arith.subf %x, %means : tensor<32000xf32>
    %square = arith.mulf %off, %off : tensor<32000xf32>
    %squares = sinter.row_reduce add %square : tensor<32000xf32> -> f32
    sinter.yield %squares : f32
  }
  return %y : tensor<4096xf32>
}

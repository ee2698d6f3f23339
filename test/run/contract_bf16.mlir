// RUN: sinter-run %s --verify --high=9 --threads=1 --output=%t1.npy | FileCheck %s --implicit-check-not=differs
// RUN: sinter-run %s --high=9 --threads=3 --output=%t3.npy
// RUN: cmp %t1.npy %t3.npy

// CHECK: output 0 of main agrees

module {
func.func @main(%x: tensor<40x33xbf16>, %w: tensor<19x33xbf16>, %n: tensor<40xi32>) -> (tensor<40x19xbf16>, tensor<40xf32>) {
  %e = tensor.empty() : tensor<40x19xbf16>
  %f = tensor.empty() : tensor<40xf32>
  %y:2 = sinter.contract (i = 40) by (j = 19)
      product (k = 33) (%x[i, k] : tensor<40x33xbf16>, %w[j, k] : tensor<19x33xbf16>) : f32
      ins(%n[i] : tensor<40xi32>)
      outs(%e[i, j] : tensor<40x19xbf16>, %f[i] : tensor<40xf32>) {
  ^row(%p: tensor<19xf32>, %k: i32):
    %z = arith.constant 0.0 : f32
    %pk = sinter.pick %p[%k] else %z : tensor<19xf32>, i32
    %t = arith.truncf %p : tensor<19xf32> to tensor<19xbf16>
    %s = sinter.row_reduce add %t : tensor<19xbf16> -> f32
    %u = arith.addf %s, %pk : f32
    sinter.yield %t, %u : tensor<19xbf16>, f32
  }
  return %y#0, %y#1 : tensor<40x19xbf16>, tensor<40xf32>
}
}

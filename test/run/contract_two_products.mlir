// RUN: sinter-run %s --verify --threads=1 --output=%t1.npy | FileCheck %s --implicit-check-not=differs
// RUN: sinter-run %s --threads=3 --output=%t3.npy
// RUN: cmp %t1.npy %t3.npy

// CHECK: output 0 of main agrees

module {
func.func @main(%x: tensor<130x300xf32>, %w: tensor<257x300xf32>, %v: tensor<300x257xf32>) -> (tensor<130x257xf32>, tensor<130x257xf32>) {
  %e = tensor.empty() : tensor<130x257xf32>
  %y:2 = sinter.contract (i = 130) by (j = 257)
      product (k = 300) (%x[i, k] : tensor<130x300xf32>, %w[j, k] : tensor<257x300xf32>) : f32
      product (l = 300) (%x[i, l] : tensor<130x300xf32>, %v[l, j] : tensor<300x257xf32>) : f32
      outs(%e[i, j] : tensor<130x257xf32>, %e[i, j] : tensor<130x257xf32>) {
  ^row(%p: tensor<257xf32>, %q: tensor<257xf32>):
    %s = arith.subf %p, %q : tensor<257xf32>
    sinter.yield %s, %q : tensor<257xf32>, tensor<257xf32>
  }
  return %y#0, %y#1 : tensor<130x257xf32>, tensor<130x257xf32>
}
}

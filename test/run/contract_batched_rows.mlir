// RUN: sinter-run %s --verify --threads=1 --output=%t1.npy --output=%t2.npy | FileCheck %s --implicit-check-not=differs
// RUN: sinter-run %s --threads=3 --output=%t3.npy --output=%t4.npy
// RUN: cmp %t1.npy %t3.npy
// RUN: cmp %t2.npy %t4.npy

// Both sides use the last row dimension: each row is a product of its own, in place, and with a side that is computed.

// CHECK-COUNT-2: agrees

func.func @main(%x: tensor<5x7x37xf32>, %w: tensor<5x7x19x37xf32>, %u: tensor<7x37x19xf32>)
    -> (tensor<5x7x19xf32>, tensor<7x19xf32>) {
  %e = tensor.empty() : tensor<5x7x19xf32>
  %f = tensor.empty() : tensor<7x19xf32>
  %y = sinter.contract (b = 5, i = 7) by (j = 19)
      product (k = 37) (%x[b, i, k] : tensor<5x7x37xf32>, %w[b, i, j, k] : tensor<5x7x19x37xf32>) : f32
      outs(%e[b, i, j] : tensor<5x7x19xf32>) {
  ^row(%p: tensor<19xf32>):
    sinter.yield %p : tensor<19xf32>
  }
  %z = sinter.contract (i = 7) by (j = 19)
      product (k = 37) (%x[2, i, k] : tensor<5x7x37xf32>, side(%u[i, k, j] : tensor<7x37x19xf32>) {
      ^side(%a: tensor<37xf32>):
        %b = math.absf %a : tensor<37xf32>
        sinter.yield %b : tensor<37xf32>
      }) : f32
      outs(%f[i, j] : tensor<7x19xf32>) {
  ^row(%p: tensor<19xf32>):
    sinter.yield %p : tensor<19xf32>
  }
  return %y, %z : tensor<5x7x19xf32>, tensor<7x19xf32>
}

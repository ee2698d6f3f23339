// RUN: sinter-run %s --verify --shape=7x129 --shape=7x37 | FileCheck %s --implicit-check-not=differs
// RUN: sinter-run %s --verify --shape=7x5 --shape=7x37 | FileCheck %s --implicit-check-not=differs

// The first operand has a value for what is outside, and fewer columns than there are, or more: no size comes from it.

// CHECK-COUNT-2: agrees

func.func @main(%p: tensor<7x?xf32>, %x: tensor<7x?xf32>) -> (tensor<7xf32>, tensor<7x5xf32>) {
  %e = tensor.empty() : tensor<7xf32>
  %f = tensor.empty() : tensor<7x5xf32>
  %y = sinter.rowwise (i = 7) by (j = ?)
      ins(%p[i, j] : tensor<7x?xf32> else 0.5, %x[i, j] : tensor<7x?xf32>) outs(%e[i] : tensor<7xf32>) {
  ^row(%a: tensor<?xf32>, %b: tensor<?xf32>):
    %s = arith.mulf %a, %b : tensor<?xf32>
    %t = sinter.row_reduce add %s : tensor<?xf32> -> f32
    sinter.yield %t : f32
  }
  %z = sinter.contract (i = 7) by (j = 5)
      product (k = ?) (%p[i, k] : tensor<7x?xf32> else 0.5, %x[j, k] : tensor<7x?xf32>) : f32
      outs(%f[i, j] : tensor<7x5xf32>) {
  ^row(%a: tensor<5xf32>):
    sinter.yield %a : tensor<5xf32>
  }
  return %y, %z : tensor<7xf32>, tensor<7x5xf32>
}

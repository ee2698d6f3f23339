// RUN: sinter-opt --sinter-fuse=without=chains %s | FileCheck %s

// Rows that are multiplied again are no side's program: what makes them is a product, too.

// CHECK-LABEL: func @multiplied_again
//       CHECK:   %[[Y:.+]] = sinter.rowwise (i = 7) by (j = 5) by (k = 4)
//       CHECK:   sinter.contract
//       CHECK:   product (k = 4) (%[[Y]][i, k]
func.func @multiplied_again(%x: tensor<7x5xf32>, %w: tensor<4x5xf32>, %v: tensor<3x4xf32>, %e: tensor<7x4xf32>, %f: tensor<7x3xf32>) -> (tensor<7x4xf32>, tensor<7x3xf32>) {
  %y = sinter.rowwise (i = 7) by (j = 5) by (k = 4)
      matrix (j) to (k) (%w[k, j] : tensor<4x5xf32>)
      ins(%x[i, j] : tensor<7x5xf32>)
      outs(%e[i, k] : tensor<7x4xf32>) {
  ^row(%m: tensor<5x4xf32>, %a: tensor<5xf32>):
    %t = math.absf %a : tensor<5xf32>
    %p = sinter.row_product %t, %m : tensor<5xf32>, tensor<5x4xf32> -> tensor<4xf32>
    sinter.yield %p : tensor<4xf32>
  }
  %z = sinter.contract (i = 7) by (j = 3) product (k = 4) (%y[i, k] : tensor<7x4xf32>, %v[j, k] : tensor<3x4xf32>) : f32 outs(%f[i, j] : tensor<7x3xf32>) {
  ^row(%acc: tensor<3xf32>):
    sinter.yield %acc : tensor<3xf32>
  }
  return %y, %z : tensor<7x4xf32>, tensor<7x3xf32>
}

// RUN: sinter-run %s --verify --seed=1 | FileCheck %s --implicit-check-not=differs

// Nothing to sum is the identity: no rows, no columns, no elements of a product.

// CHECK-COUNT-5: agrees

module {
  func.func @main(%x: tensor<0x9xf32>, %y: tensor<3x0xf32>, %z: tensor<0x5xf32>) -> (tensor<f32>, tensor<9xf32>, tensor<3xf32>, tensor<3x5xf32>, tensor<f32>) {
    %e = tensor.empty() : tensor<f32>
    %c = tensor.empty() : tensor<9xf32>
    %r = tensor.empty() : tensor<3xf32>
    %m = tensor.empty() : tensor<3x5xf32>
    %a:2 = sinter.rowwise (i = 0) by (j = 9) ins(%x[i, j] : tensor<0x9xf32>) reduce(add [] : f32, maximumf [j] : f32)
        outs(%e[] : tensor<f32>, %c[j] : tensor<9xf32>) {
    ^row(%v: tensor<9xf32>):
      %s = sinter.row_reduce add %v : tensor<9xf32> -> f32
      sinter.yield %s, %v : f32, tensor<9xf32>
    }
    %b = sinter.rowwise (i = 3) by (j = 0) ins(%y[i, j] : tensor<3x0xf32>) outs(%r[i] : tensor<3xf32>) {
    ^row(%v: tensor<0xf32>):
      %s = sinter.row_reduce add %v : tensor<0xf32> -> f32
      sinter.yield %s : f32
    }
    %d:2 = sinter.contract (i = 3) by (j = 5) product (k = 0) (%y[i, k] : tensor<3x0xf32>, %z[k, j] : tensor<0x5xf32>) : f32
        reduce(add [] : f32)
        outs(%m[i, j] : tensor<3x5xf32>, %e[] : tensor<f32>) {
    ^row(%v: tensor<5xf32>):
      %s = sinter.row_reduce add %v : tensor<5xf32> -> f32
      sinter.yield %s, %v : f32, tensor<5xf32>
    }
    return %a#0, %a#1, %b, %d#0, %d#1 : tensor<f32>, tensor<9xf32>, tensor<3xf32>, tensor<3x5xf32>, tensor<f32>
  }
}

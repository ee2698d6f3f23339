// RUN: sinter-opt --sinter-fuse=policy=aggressive --split-input-file %s | FileCheck %s

// What a chain keeps of the forms that it is made of.

// A finish that needs no accumulator gives its result all the same.
// CHECK-LABEL: func @finish_of_nothing
//       CHECK:   %[[R:.+]]:2 = sinter.contract (i = 7) by (j = 5) by (e = 3)
//       CHECK:     sinter.row_product
//       CHECK:   } finish {
//       CHECK:     arith.constant 6.0
func.func @finish_of_nothing(%x: tensor<7x6xf32>, %w: tensor<5x6xf32>, %v: tensor<3x5xf32>) -> (tensor<f32>, tensor<7x3xf32>) {
  %e5 = tensor.empty() : tensor<7x5xf32>
  %e3 = tensor.empty() : tensor<7x3xf32>
  %e = tensor.empty() : tensor<f32>
  %h:2 = sinter.contract (i = 7) by (j = 5)
      product (k = 6) (%x[i, k] : tensor<7x6xf32>, %w[j, k] : tensor<5x6xf32>) : f32
      reduce(add [] : f32)
      outs(%e5[i, j] : tensor<7x5xf32>, %e[] : tensor<f32>) {
  ^row(%p: tensor<5xf32>):
    %t = math.tanh %p : tensor<5xf32>
    %s = sinter.row_reduce add %t : tensor<5xf32> -> f32
    sinter.yield %s, %t : f32, tensor<5xf32>
  } finish {
  ^done(%s: f32):
    %c = arith.constant 6.0 : f32
    sinter.yield %c : f32
  }
  %y = sinter.contract (i = 7) by (e = 3)
      product (j = 5) (%h#0[i, j] : tensor<7x5xf32>, %v[e, j] : tensor<3x5xf32>) : f32
      outs(%e3[i, e] : tensor<7x3xf32>) {
  ^row(%p: tensor<3xf32>):
    sinter.yield %p : tensor<3xf32>
  }
  return %h#1, %y : tensor<f32>, tensor<7x3xf32>
}

// -----

// Two products whose sides go through index tensors, beside each other: each side has its own.
// CHECK-LABEL: func @indices
//       CHECK:   sinter.contract (i = 7) by (j = 5)
//  CHECK-NEXT:     product (k = 6) (%{{.+}}[i, k] : tensor<7x6xf32>, %[[W:.+]][%[[T:.+]][j] : tensor<5xi64>, k]
//  CHECK-NEXT:     product (k1 = 6) (%{{.+}}[i, k1] : tensor<7x6xf32>, %[[W]][%[[T]][j] : tensor<5xi64>, k1]
func.func @indices(%x: tensor<7x6xf32>, %y: tensor<7x6xf32>, %w: tensor<9x6xf32>, %t: tensor<5xi64>) -> tensor<7x5xf32> {
  %e5 = tensor.empty() : tensor<7x5xf32>
  %a = sinter.contract (i = 7) by (j = 5)
      product (k = 6) (%x[i, k] : tensor<7x6xf32>, %w[%t[j] : tensor<5xi64>, k] : tensor<9x6xf32>) : f32
      outs(%e5[i, j] : tensor<7x5xf32>) {
  ^row(%p: tensor<5xf32>):
    %h = math.tanh %p : tensor<5xf32>
    sinter.yield %h : tensor<5xf32>
  }
  %b = sinter.contract (i = 7) by (j = 5)
      product (k = 6) (%y[i, k] : tensor<7x6xf32>, %w[%t[j] : tensor<5xi64>, k] : tensor<9x6xf32>) : f32
      ins(%a[i, j] : tensor<7x5xf32>)
      outs(%e5[i, j] : tensor<7x5xf32>) {
  ^row(%p: tensor<5xf32>, %q: tensor<5xf32>):
    %h = arith.addf %p, %q : tensor<5xf32>
    sinter.yield %h : tensor<5xf32>
  }
  return %b : tensor<7x5xf32>
}

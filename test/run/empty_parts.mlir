// RUN: sinter-run %s --verify --shape=0x3 | FileCheck %s --implicit-check-not=differs
// RUN: sinter-run %s --policy=disabled --shape=0x3 --output=%t0.npy --output=%t1.npy --output=%t2.npy --output=%t3.npy
// RUN: cmp %t0.npy %t1.npy
// RUN: cmp %t2.npy %t3.npy

// What is put beside nothing stays as it is, and nothing is padded with something, on both roads.

// CHECK-COUNT-5: agrees
func.func @main(%x: tensor<4x0xf32>, %y: tensor<4x3xf32>, %z: tensor<?x3xf32>)
    -> (tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<?x3xf32>) {
  %e = tensor.empty() : tensor<4x0xf32>
  %v = linalg.exp ins(%x : tensor<4x0xf32>) outs(%e : tensor<4x0xf32>) -> tensor<4x0xf32>
  %c = tensor.concat dim(1) %v, %y, %v : (tensor<4x0xf32>, tensor<4x3xf32>, tensor<4x0xf32>) -> tensor<4x3xf32>
  %seven = arith.constant 7.0 : f32
  %p = tensor.pad %v low[0, 2] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %seven : f32
  } : tensor<4x0xf32> to tensor<4x2xf32>
  %s = arith.constant dense<7.0> : tensor<4x2xf32>
  %d = tensor.concat dim(0) %z, %y : (tensor<?x3xf32>, tensor<4x3xf32>) -> tensor<?x3xf32>
  return %c, %y, %p, %s, %d : tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<?x3xf32>
}

// RUN: sinter-opt --sinter-destinations --split-input-file %s | FileCheck %s

// Each operation writes a place of its own, filled again where what was there counts.

// CHECK-LABEL: func @shared
//       CHECK:   %[[Z:.+]] = arith.constant 0.0
//  CHECK-NEXT:   %[[E0:.+]] = tensor.empty() : tensor<4x4xf32>
//  CHECK-NEXT:   %[[E1:.+]] = tensor.empty() : tensor<4x4xf32>
//  CHECK-NEXT:   %[[F1:.+]] = linalg.fill ins(%[[Z]] : f32) outs(%[[E1]] : tensor<4x4xf32>)
//  CHECK-NEXT:   %[[E2:.+]] = tensor.empty() : tensor<4x4xf32>
//  CHECK-NEXT:   %[[F2:.+]] = linalg.fill ins(%[[Z]] : f32) outs(%[[E2]] : tensor<4x4xf32>)
//  CHECK-NEXT:   %[[A:.+]] = linalg.matmul {{.+}} outs(%[[F2]] : tensor<4x4xf32>)
//  CHECK-NEXT:   linalg.transpose ins(%[[A]] : tensor<4x4xf32>) outs(%[[E0]] : tensor<4x4xf32>)
//  CHECK-NEXT:   linalg.matmul {{.+}} outs(%[[F1]] : tensor<4x4xf32>)
//  CHECK-NEXT:   return
func.func @shared(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %f0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x4xf32>
  %z = linalg.fill ins(%f0 : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %a = linalg.matmul ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%z : tensor<4x4xf32>) -> tensor<4x4xf32>
  %t = linalg.transpose ins(%a : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) permutation = [1, 0]
  %b = linalg.matmul ins(%t, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%z : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %a, %b : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// What is computed is not computed again, and what only one writes stays where it is.

// CHECK-LABEL: func @once
//       CHECK:   tensor.empty
//   CHECK-NOT:   tensor.empty
//       CHECK:   %[[C:.+]] = linalg.matmul {{.+}} outs(%[[X:.+]] : tensor<4x4xf32>)
//  CHECK-NEXT:   %[[D:.+]] = linalg.matmul {{.+}} outs(%[[C]] : tensor<4x4xf32>)
//  CHECK-NEXT:   linalg.matmul {{.+}} outs(%[[C]] : tensor<4x4xf32>)
func.func @once(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %e = tensor.empty() : tensor<4x4xf32>
  %t = linalg.transpose ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) permutation = [1, 0]
  %c = linalg.matmul ins(%x, %t : tensor<4x4xf32>, tensor<4x4xf32>) outs(%x : tensor<4x4xf32>) -> tensor<4x4xf32>
  %d = linalg.matmul ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  %f = linalg.matmul ins(%t, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %d, %f : tensor<4x4xf32>, tensor<4x4xf32>
}

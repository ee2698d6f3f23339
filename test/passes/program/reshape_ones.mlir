// RUN: sinter-opt --pass-pipeline='builtin.module(sinter-reshape,canonicalize,cse)' %s | FileCheck %s

// A size of 1 that the one has behind others and the other has not: it is dropped before, or added behind, and what is
// common does not have it.

// CHECK-LABEL: func @one_behind
//  CHECK-SAME:   (%[[X:.+]]: tensor<12x?x8x4x1xf32>)
//       CHECK:   %[[C:.+]] = tensor.collapse_shape %[[X]] {{\[\[}}0], [1], [2], [3, 4]] : tensor<12x?x8x4x1xf32> into tensor<12x?x8x4xf32>
//       CHECK:   %[[E:.+]] = tensor.expand_shape %[[C]] {{\[\[}}0, 1], [2], [3], [4]] output_shape [1, 12, %{{.+}}, 8, 4]
//       CHECK:   %[[Y:.+]] = tensor.collapse_shape %[[E]] {{\[\[}}0], [1], [2], [3, 4]] : tensor<1x12x?x8x4xf32> into tensor<1x12x?x32xf32>
//       CHECK:   return %[[Y]]
func.func @one_behind(%x: tensor<12x?x8x4x1xf32>) -> tensor<1x12x?x32xf32> {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<12x?x8x4x1xf32>
  %c = tensor.collapse_shape %x [[0, 1], [2, 3, 4]] : tensor<12x?x8x4x1xf32> into tensor<?x32xf32>
  %y = tensor.expand_shape %c [[0, 1, 2], [3]] output_shape [1, 12, %n, 32] : tensor<?x32xf32> into tensor<1x12x?x32xf32>
  return %y : tensor<1x12x?x32xf32>
}

// CHECK-LABEL: func @ones_listed
//  CHECK-SAME:   (%[[X:.+]]: tensor<?x?x6x1x1xf32>)
//       CHECK:   %[[C:.+]] = tensor.collapse_shape %[[X]] {{\[\[}}0], [1], [2, 3, 4]] : tensor<?x?x6x1x1xf32> into tensor<?x?x6xf32>
//       CHECK:   %[[E:.+]] = tensor.expand_shape %[[C]] {{\[\[}}0], [1], [2, 3]] output_shape [%{{.+}}, %{{.+}}, 2, 3]
//       CHECK:   return %[[E]]
func.func @ones_listed(%x: tensor<?x?x6x1x1xf32>) -> tensor<?x?x2x3xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant 2 : i64
  %three = arith.constant 3 : i64
  %m = tensor.dim %x, %c0 : tensor<?x?x6x1x1xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?x6x1x1xf32>
  %m64 = arith.index_cast %m : index to i64
  %n64 = arith.index_cast %n : index to i64
  %shape = tensor.from_elements %m64, %n64, %two, %three : tensor<4xi64>
  %y = tensor.reshape %x(%shape) : (tensor<?x?x6x1x1xf32>, tensor<4xi64>) -> tensor<?x?x2x3xf32>
  return %y : tensor<?x?x2x3xf32>
}

// What would be the same two reshapes again stays.

// CHECK-LABEL: func @only_adds
//       CHECK:   tensor.collapse_shape
//       CHECK:   tensor.expand_shape
func.func @only_adds(%x: tensor<4x?xf32>) -> tensor<?x1xf32> {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %n = tensor.dim %x, %c1 : tensor<4x?xf32>
  %all = arith.muli %n, %c4 : index
  %c = tensor.collapse_shape %x [[0, 1]] : tensor<4x?xf32> into tensor<?xf32>
  %y = tensor.expand_shape %c [[0, 1]] output_shape [%all, 1] : tensor<?xf32> into tensor<?x1xf32>
  return %y : tensor<?x1xf32>
}

// CHECK-LABEL: func @only_drops
//       CHECK:   tensor.collapse_shape
//       CHECK:   tensor.expand_shape
func.func @only_drops(%x: tensor<12x1xf32>) -> tensor<4x3xf32> {
  %c = tensor.collapse_shape %x [[0, 1]] : tensor<12x1xf32> into tensor<12xf32>
  %y = tensor.expand_shape %c [[0, 1]] output_shape [4, 3] : tensor<12xf32> into tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}

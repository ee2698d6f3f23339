// RUN: sinter-opt %s --pass-pipeline='builtin.module(func.func(sinter-ordinary))' --split-input-file | FileCheck %s

// A scatter of tensor's is tm_tensor's: an update gets a dimension for the one that its index says.

// CHECK-LABEL: func @scatter
//  CHECK-SAME:   (%[[U:.+]]: tensor<2x2x3xf32>, %[[T:.+]]: tensor<2x2x1xi64>, %[[X:.+]]: tensor<3x8xf32>)
//       CHECK:   %[[F:.+]] = tensor.collapse_shape %[[U]] {{.+}} into tensor<4x3xf32>
//       CHECK:   %[[V:.+]] = tensor.expand_shape %[[F]] {{.+}} into tensor<4x3x1xf32>
//       CHECK:   %[[I:.+]] = tensor.collapse_shape %[[T]] {{.+}} into tensor<4x1xi64>
//       CHECK:   tm_tensor.scatter {dimension_map = array<i64: 1>} unique_indices(true)
//  CHECK-SAME:     ins(%[[V]], %[[I]] : {{.+}}) outs(%[[X]] : tensor<3x8xf32>)
func.func @scatter(%u: tensor<2x2x3xf32>, %t: tensor<2x2x1xi64>, %x: tensor<3x8xf32>) -> tensor<3x8xf32> {
  %y = tensor.scatter %u into %x[%t] scatter_dims([1]) unique : (tensor<2x2x3xf32>, tensor<3x8xf32>, tensor<2x2x1xi64>) -> tensor<3x8xf32>
  return %y : tensor<3x8xf32>
}

// -----

// Two dimensions that the index says, and none of the updates' own: they get two.

// CHECK-LABEL: func @points
//       CHECK:   tm_tensor.scatter {dimension_map = array<i64: 0, 1>} unique_indices(true)
//  CHECK-SAME:     tensor<5x1x1xf32>, tensor<5x2xi64>
func.func @points(%u: tensor<5xf32>, %t: tensor<5x2xi64>, %x: tensor<3x8xf32>) -> tensor<3x8xf32> {
  %y = tensor.scatter %u into %x[%t] scatter_dims([0, 1]) unique : (tensor<5xf32>, tensor<3x8xf32>, tensor<5x2xi64>) -> tensor<3x8xf32>
  return %y : tensor<3x8xf32>
}

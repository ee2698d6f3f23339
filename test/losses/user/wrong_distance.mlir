// RUN: not sinter-opt --sinter-expand %s 2>&1 | FileCheck %s

// A definition that does not fit where the library applies it: the library's line says why, the user's where.

// CHECK: library/triplet_margin_with_distance.mlir:[[#]]:[[#]]: error: 'sinter.apply' op result 0 has type 'f32', and its definition gives 'tensor<?xf32>'
// CHECK: wrong_distance.mlir:[[#@LINE+7]]:8: error: 'sinter.triplet_margin_with_distance' op gives @no_distance for 'distance', which it does not fit

sinter.define @no_distance(%x: tensor<?xf32>, %y: tensor<?xf32>) {
  sinter.yield %x : tensor<?xf32>
}

func.func @distance(%x: tensor<4x8xf32>) -> tensor<f32> {
  %l = sinter.triplet_margin_with_distance(%x, %x, %x) {distance = @no_distance} : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<f32>
  return %l : tensor<f32>
}

// RUN: sinter-opt --sinter-control %s | FileCheck %s

// Loops and branches of affine become scf's, where tensors become memory.

// CHECK-LABEL: func @loop
//       CHECK:   scf.for {{.*}} iter_args(%[[T:.+]] = %{{.+}}) -> (tensor<4xf32>) {
//       CHECK:     scf.yield
//   CHECK-NOT:   affine.for
func.func @loop(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = affine.for %i = 0 to 3 iter_args(%t = %x) -> (tensor<4xf32>) {
    %n = arith.addf %t, %x : tensor<4xf32>
    affine.yield %n : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// CHECK-LABEL: func @branch
//       CHECK:   scf.if
//   CHECK-NOT:   affine.if
func.func @branch(%x: tensor<4xf32>, %y: tensor<4xf32>, %i: index) -> tensor<4xf32> {
  %z = affine.if affine_set<(d) : (d - 3 >= 0)>(%i) -> tensor<4xf32> {
    affine.yield %x : tensor<4xf32>
  } else {
    affine.yield %y : tensor<4xf32>
  }
  return %z : tensor<4xf32>
}

// Sizes that one type knows and the other does not.

// CHECK-LABEL: func @bits
//       CHECK:   %[[B:.+]] = arith.bitcast %{{.+}} : tensor<4xf32> to tensor<4xi32>
//       CHECK:   tensor.cast %[[B]] : tensor<4xi32> to tensor<?xi32>
func.func @bits(%x: tensor<4xf32>) -> tensor<?xi32> {
  %y = tensor.bitcast %x : tensor<4xf32> to tensor<?xi32>
  return %y : tensor<?xi32>
}

// arith has no integers with signs.

// CHECK-LABEL: func @signed
//       CHECK:   tensor.bitcast
func.func @signed(%x: tensor<4xi32>) -> tensor<4xui32> {
  %y = tensor.bitcast %x : tensor<4xi32> to tensor<4xui32>
  return %y : tensor<4xui32>
}

// What says positions stays as it is.

// CHECK-LABEL: func @position
//       CHECK:   affine.apply
func.func @position(%i: index) -> index {
  %j = affine.apply affine_map<(d) -> (d * 2)>(%i)
  return %j : index
}

// RUN: sinter-opt --sinter-raise --sinter-differentiate --split-input-file %s | FileCheck %s
// RUN: sinter-opt --sinter-raise --sinter-differentiate --sinter-fuse --split-input-file %s | FileCheck %s --check-prefix=FUSED

// Each piece of a concatenation gets the part of the gradient where it is, as wide as the piece; no form has a result
// for each of them.

// CHECK-LABEL: func.func @columns(
//       CHECK:   ins(%[[G:.+]][d, d1] : tensor<3x9xf32>)
//  CHECK-NEXT:   outs(%{{.+}}[d, d1] : tensor<3x2xf32>)
//       CHECK:   ins(%[[G]][d, d1 + 2] : tensor<3x9xf32>)
//  CHECK-NEXT:   outs(%{{.+}}[d, d1] : tensor<3x3xf32>)
//       CHECK:   ins(%[[G]][d, d1 + 5] : tensor<3x9xf32>)
//  CHECK-NEXT:   outs(%{{.+}}[d, d1] : tensor<3x4xf32>)
//   CHECK-NOT:   arith.select
//       CHECK:   return
// FUSED-LABEL: func.func @columns(
//   FUSED-NOT:   arith.select
//       FUSED:   return
func.func @columns(%x: tensor<3x2xf32>, %y: tensor<3x3xf32>, %z: tensor<3x4xf32>, %g: tensor<3x9xf32>) -> (tensor<3x2xf32>, tensor<3x3xf32>, tensor<3x4xf32>) {
  %c = tensor.concat dim(1) %x, %y, %z : (tensor<3x2xf32>, tensor<3x3xf32>, tensor<3x4xf32>) -> tensor<3x9xf32>
  %dx, %dy, %dz = sinter.differentiate %c upstream(%g) wrt(%x, %y, %z) : (tensor<3x9xf32>, tensor<3x9xf32>, tensor<3x2xf32>, tensor<3x3xf32>, tensor<3x4xf32>)
      -> (tensor<3x2xf32>, tensor<3x3xf32>, tensor<3x4xf32>)
  return %dx, %dy, %dz : tensor<3x2xf32>, tensor<3x3xf32>, tensor<3x4xf32>
}

// -----

// Along rows, with other rows of a size `?`; one of the pieces is not asked for.

// CHECK-LABEL: func.func @rows(
//       CHECK:   ins(%{{.+}}[d, d1 + 5, d2] : tensor<?x7x3xf32>)
//  CHECK-NEXT:   outs(%{{.+}}[d, d1, d2] : tensor<?x2x3xf32>)
//   CHECK-NOT:   arith.select
//       CHECK:   return
func.func @rows(%x: tensor<?x5x3xf32>, %y: tensor<?x2x3xf32>, %g: tensor<?x7x3xf32>) -> tensor<?x2x3xf32> {
  %c = tensor.concat dim(1) %x, %y : (tensor<?x5x3xf32>, tensor<?x2x3xf32>) -> tensor<?x7x3xf32>
  %dy = sinter.differentiate %c upstream(%g) wrt(%y) : (tensor<?x7x3xf32>, tensor<?x7x3xf32>, tensor<?x2x3xf32>) -> tensor<?x2x3xf32>
  return %dy : tensor<?x2x3xf32>
}

// -----

// A piece that is read turned, and twice: the sum of both parts.

// CHECK-LABEL: func.func @turned(
//       CHECK:   ins(%{{.+}}[d, d1] : tensor<3x8xf32>)
//  CHECK-NEXT:   outs(%{{.+}}[d, d1] : tensor<3x4xf32>)
//       CHECK:   ins(%{{.+}}[d, d1 + 4] : tensor<3x8xf32>)
//  CHECK-NEXT:   outs(%{{.+}}[d, d1] : tensor<3x4xf32>)
//       CHECK:   arith.addf
//       CHECK:   return
func.func @turned(%x: tensor<4x3xf32>, %g: tensor<3x8xf32>) -> tensor<4x3xf32> {
  %e = tensor.empty() : tensor<3x4xf32>
  %t = linalg.transpose ins(%x : tensor<4x3xf32>) outs(%e : tensor<3x4xf32>) permutation = [1, 0]
  %c = tensor.concat dim(1) %t, %t : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x8xf32>
  %dx = sinter.differentiate %c upstream(%g) wrt(%x) : (tensor<3x8xf32>, tensor<3x8xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  return %dx : tensor<4x3xf32>
}

// RUN: sinter-opt --split-input-file --verify-diagnostics --sinter-differentiate %s | FileCheck %s

// The gradient of a convolution by its input is a product over the other channels and the window, that by its weights
// one over all places. Columns are what one factor alone has, the last row dimension what the other one has.

// CHECK-LABEL: func.func @convolution(
//       CHECK:   %[[DW:.+]] = sinter.contract (o = 4) by (c = 3, k = 5)
//  CHECK-NEXT:       product (n = 2, y = 8) (%{{.+}}[n, o, y] : tensor<2x4x8xf32>, %{{.+}}[n, c, k + y - 2] : tensor<2x3x8xf32> else 0.0{{.*}}) : f32
//  CHECK-NEXT:       outs(%{{.+}}[o, c, k] : tensor<4x3x5xf32>)
//       CHECK:   %[[DX:.+]] = sinter.contract (n = 2, c = 3) by (at = 8)
//  CHECK-NEXT:       product (o = 4, k = 5) (%{{.+}}[o, c, k] : tensor<4x3x5xf32>, %{{.+}}[n, o, at - k + 2] : tensor<2x4x8xf32> else 0.0{{.*}}) : f32
//  CHECK-NEXT:       outs(%{{.+}}[n, c, at] : tensor<2x3x8xf32>)
//       CHECK:   return %[[DX]], %[[DW]]
func.func @convolution(%x: tensor<2x3x8xf32>, %w: tensor<4x3x5xf32>, %g: tensor<2x4x8xf32>) -> (tensor<2x3x8xf32>, tensor<4x3x5xf32>) {
  %e = tensor.empty() : tensor<2x4x8xf32>
  %y = sinter.contract (n = 2, o = 4) by (y = 8)
      product (c = 3, k = 5) (%w[o, c, k] : tensor<4x3x5xf32>, %x[n, c, y + k - 2] : tensor<2x3x8xf32> else 0.0) : f32 outs(%e[n, o, y] : tensor<2x4x8xf32>) {
  ^row(%acc: tensor<8xf32>):
    sinter.yield %acc : tensor<8xf32>
  }
  %dx, %dw = sinter.differentiate %y upstream(%g) wrt(%x, %w) : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x3x8xf32>, tensor<4x3x5xf32>)
      -> (tensor<2x3x8xf32>, tensor<4x3x5xf32>)
  return %dx, %dw : tensor<2x3x8xf32>, tensor<4x3x5xf32>
}

// -----

// Steps of 2: zeros between the elements of the gradient.

// CHECK-LABEL: func.func @steps(
//       CHECK:   %[[E:.+]] = sinter.rowwise (i = 1) by (j = 7)
//  CHECK-NEXT:       ins(%{{.+}}[i, j floordiv 2] : tensor<1x4xf32>)
//       CHECK:     arith.remui
//       CHECK:     arith.select
//       CHECK:   sinter.contract () by (i = 1, at = 9)
//  CHECK-NEXT:       product (k = 3) (%{{.+}}[k] : tensor<3xf32>, %[[E]][i, at - k] : tensor<1x7xf32> else 0.0
func.func @steps(%x: tensor<1x9xf32>, %w: tensor<3xf32>, %g: tensor<1x4xf32>) -> tensor<1x9xf32> {
  %e = tensor.empty() : tensor<1x4xf32>
  %y = sinter.contract (i = 1) by (j = 4) product (k = 3) (%w[k] : tensor<3xf32>, %x[i, j * 2 + k] : tensor<1x9xf32>) : f32 outs(%e[i, j] : tensor<1x4xf32>) {
  ^row(%acc: tensor<4xf32>):
    sinter.yield %acc : tensor<4xf32>
  }
  %d = sinter.differentiate %y upstream(%g) wrt(%x) : (tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x9xf32>) -> tensor<1x9xf32>
  return %d : tensor<1x9xf32>
}

// -----

// Groups of channels stay two dimensions, and are collapsed in the end.

// CHECK-LABEL: func.func @groups(
//       CHECK:   %[[T:.+]] = sinter.contract {{.*}}
//       CHECK:       outs(%{{.+}}[n, g, c, at] : tensor<2x3x4x8xf32>)
//       CHECK:   tensor.collapse_shape %[[T]] {{\[\[}}0], [1, 2], [3]] : tensor<2x3x4x8xf32> into tensor<2x12x8xf32>
func.func @groups(%x: tensor<2x12x8xf32>, %w: tensor<3x5x4x3xf32>, %u: tensor<2x3x5x6xf32>) -> tensor<2x12x8xf32> {
  %e = tensor.empty() : tensor<2x3x5x6xf32>
  %y = sinter.contract (n = 2, g = 3, o = 5) by (y = 6)
      product (c = 4, k = 3) (%w[g, o, c, k] : tensor<3x5x4x3xf32>, %x[n, g * 4 + c, y + k] : tensor<2x12x8xf32>) : f32 outs(%e[n, g, o, y] : tensor<2x3x5x6xf32>) {
  ^row(%acc: tensor<6xf32>):
    sinter.yield %acc : tensor<6xf32>
  }
  %d = sinter.differentiate %y upstream(%u) wrt(%x) : (tensor<2x3x5x6xf32>, tensor<2x3x5x6xf32>, tensor<2x12x8xf32>) -> tensor<2x12x8xf32>
  return %d : tensor<2x12x8xf32>
}

// -----

// Weights that are read from their end.

// CHECK-LABEL: func.func @flipped(
//       CHECK:   sinter.contract (i = 2) by (at = 3)
//  CHECK-NEXT:       product (j = 8) (%{{.+}}[i, j] : tensor<2x8xf32>, %{{.+}}[2 - at + j] : tensor<10xf32> else 0.0
func.func @flipped(%x: tensor<10xf32>, %w: tensor<2x3xf32>, %g: tensor<2x8xf32>) -> tensor<2x3xf32> {
  %e = tensor.empty() : tensor<2x8xf32>
  %y = sinter.contract (i = 2) by (j = 8) product (k = 3) (%w[i, 2 - k] : tensor<2x3xf32>, %x[j + k] : tensor<10xf32>) : f32 outs(%e[i, j] : tensor<2x8xf32>) {
  ^row(%acc: tensor<8xf32>):
    sinter.yield %acc : tensor<8xf32>
  }
  %d = sinter.differentiate %y upstream(%g) wrt(%w) : (tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %d : tensor<2x3xf32>
}

// -----

// A single channel: the weights have nothing of the input alone, all that counts is a column.

// CHECK-LABEL: func.func @channel(
//       CHECK:   sinter.contract (at = 1, o = 4) by (k = 3)
//       CHECK:   sinter.contract () by (n = 2, at = 1, at{{.+}} = 8)
func.func @channel(%x: tensor<2x1x8xf32>, %w: tensor<4x1x3xf32>, %g: tensor<2x4x6xf32>) -> (tensor<2x1x8xf32>, tensor<4x1x3xf32>) {
  %e = tensor.empty() : tensor<2x4x6xf32>
  %y = sinter.contract (n = 2, o = 4) by (y = 6) product (k = 3) (%w[o, 0, k] : tensor<4x1x3xf32>, %x[n, 0, y + k] : tensor<2x1x8xf32>) : f32 outs(%e[n, o, y] : tensor<2x4x6xf32>) {
  ^row(%acc: tensor<6xf32>):
    sinter.yield %acc : tensor<6xf32>
  }
  %dx, %dw = sinter.differentiate %y upstream(%g) wrt(%x, %w) : (tensor<2x4x6xf32>, tensor<2x4x6xf32>, tensor<2x1x8xf32>, tensor<4x1x3xf32>)
      -> (tensor<2x1x8xf32>, tensor<4x1x3xf32>)
  return %dx, %dw : tensor<2x1x8xf32>, tensor<4x1x3xf32>
}

// -----

// One channel in each group: that is no product of two factors, but a row program that sums.

// CHECK-LABEL: func.func @depthwise(
//       CHECK:   sinter.rowwise (n = 2, g = 3, at = 8) by (o = 4, k = 3)
//       CHECK:     sinter.row_reduce add
func.func @depthwise(%x: tensor<2x3x8xf32>, %w: tensor<3x4x3xf32>, %g: tensor<2x3x4x6xf32>) -> tensor<2x3x8xf32> {
  %e = tensor.empty() : tensor<2x3x4x6xf32>
  %y = sinter.contract (n = 2, g = 3, o = 4) by (y = 6) product (k = 3) (%w[g, o, k] : tensor<3x4x3xf32>, %x[n, g, y + k] : tensor<2x3x8xf32>) : f32
      outs(%e[n, g, o, y] : tensor<2x3x4x6xf32>) {
  ^row(%acc: tensor<6xf32>):
    sinter.yield %acc : tensor<6xf32>
  }
  %dx = sinter.differentiate %y upstream(%g) wrt(%x) : (tensor<2x3x4x6xf32>, tensor<2x3x4x6xf32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  return %dx : tensor<2x3x8xf32>
}

// -----

// One place, whose steps lead nowhere: nothing stands between.

// CHECK-LABEL: func.func @one_place(
//   CHECK-NOT:   sinter.rowwise
//       CHECK:   sinter.contract (n = 2, c = 3) by (at = 2, at1 = 2)
//  CHECK-NEXT:       product (o = 4, k = 1, l = 1) (%{{.+}}[o, c, k, l] : tensor<4x3x1x1xf32>, %{{.+}}[n, o, at - k, at1 - l] : tensor<2x4x1x1xf32> else 0.0
func.func @one_place(%x: tensor<2x3x2x2xf32>, %w: tensor<4x3x1x1xf32>, %g: tensor<2x4x1x1xf32>)
    -> tensor<2x3x2x2xf32> {
  %e = tensor.empty() : tensor<2x4x1x1xf32>
  %y = sinter.contract (n = 2, o = 4) by (y = 1, z = 1)
      product (c = 3, k = 1, l = 1) (%w[o, c, k, l] : tensor<4x3x1x1xf32>, %x[n, c, y * 2 + k, z * 2 + l] : tensor<2x3x2x2xf32> else 0.0) : f32
      outs(%e[n, o, y, z] : tensor<2x4x1x1xf32>) {
  ^row(%acc: tensor<1xf32>):
    sinter.yield %acc : tensor<1xf32>
  }
  %dx = sinter.differentiate %y upstream(%g) wrt(%x) : (tensor<2x4x1x1xf32>, tensor<2x4x1x1xf32>, tensor<2x3x2x2xf32>) -> tensor<2x3x2x2xf32>
  return %dx : tensor<2x3x2x2xf32>
}

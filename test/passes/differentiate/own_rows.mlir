// RUN: sinter-opt --sinter-differentiate --split-input-file %s | FileCheck %s
// RUN: sinter-opt --sinter-differentiate --sinter-fuse --split-input-file %s | FileCheck %s --check-prefix=FUSED

// A value that all columns and some of the rows share gets its gradient in rows of its own, so that the sum is one
// reduction.

// CHECK-LABEL: func.func @shared(
//       CHECK:   %[[DM:.+]] = sinter.rowwise (i = 3, j = 4) by (k = 5, l = 7)
//  CHECK-NEXT:     ins(%{{.+}}[i, j, k, l] : tensor<3x4x5x7xf32>)
//  CHECK-NEXT:     outs(%{{.+}}[i, j] : tensor<3x4xf32>)
//       CHECK:     sinter.row_reduce add %{{.+}} : tensor<35xf32> -> f32
//       CHECK:   %[[DX:.+]] = sinter.rowwise (i = 3, j = 4, k = 5) by (l = 7)
//       CHECK:   return %[[DX]], %[[DM]]
func.func @shared(%x: tensor<3x4x5x7xf32>, %m: tensor<3x4xf32>, %g: tensor<3x4x5x7xf32>) -> (tensor<3x4x5x7xf32>, tensor<3x4xf32>) {
  %e = tensor.empty() : tensor<3x4x5x7xf32>
  %y = sinter.rowwise (i = 3, j = 4, k = 5) by (l = 7) ins(%x[i, j, k, l] : tensor<3x4x5x7xf32>, %m[i, j] : tensor<3x4xf32>)
      outs(%e[i, j, k, l] : tensor<3x4x5x7xf32>) {
  ^row(%a: tensor<7xf32>, %b: f32):
    %bs = sinter.broadcast %b : f32 -> tensor<7xf32>
    %s = arith.addf %a, %bs : tensor<7xf32>
    sinter.yield %s : tensor<7xf32>
  }
  %dx, %dm = sinter.differentiate %y upstream(%g) wrt(%x, %m) : (tensor<3x4x5x7xf32>, tensor<3x4x5x7xf32>, tensor<3x4x5x7xf32>, tensor<3x4xf32>)
      -> (tensor<3x4x5x7xf32>, tensor<3x4xf32>)
  return %dx, %dm : tensor<3x4x5x7xf32>, tensor<3x4xf32>
}

// -----

// So it is where a subscript counts two of the rows; the result is the same numbers in another shape.

// CHECK-LABEL: func.func @digits(
//       CHECK:   %[[T:.+]] = sinter.rowwise (j = 4, k = 2) by (i = 3, l = 7)
//       CHECK:     outs(%{{.+}}[j, k] : tensor<4x2xf32>)
//       CHECK:   %[[DW:.+]] = tensor.collapse_shape %[[T]] {{.*}} : tensor<4x2xf32> into tensor<8xf32>
//       CHECK:   return %[[DW]]
func.func @digits(%x: tensor<3x4x2x7xf32>, %w: tensor<8xf32>, %g: tensor<3x4x2x7xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<3x4x2x7xf32>
  %y = sinter.rowwise (i = 3, j = 4, k = 2) by (l = 7) ins(%x[i, j, k, l] : tensor<3x4x2x7xf32>, %w[j * 2 + k] : tensor<8xf32>)
      outs(%e[i, j, k, l] : tensor<3x4x2x7xf32>) {
  ^row(%a: tensor<7xf32>, %b: f32):
    %bs = sinter.broadcast %b : f32 -> tensor<7xf32>
    %d = arith.mulf %a, %bs : tensor<7xf32>
    sinter.yield %d : tensor<7xf32>
  }
  %dw = sinter.differentiate %y upstream(%g) wrt(%w) : (tensor<3x4x2x7xf32>, tensor<3x4x2x7xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %dw : tensor<8xf32>
}

// -----

// So it is with the bias of a convolution, behind its product.

// CHECK-LABEL: func.func @bias(
//       CHECK:   %[[DB:.+]] = sinter.rowwise (j = 8) by (i = 4, k = 5, l = 6)
//       CHECK:     outs(%{{.+}}[j] : tensor<8xf32>)
//       CHECK:     sinter.row_reduce add %{{.+}} : tensor<120xf32> -> f32
//   CHECK-NOT:   sinter.rowwise
//       CHECK:   return %[[DB]]
func.func @bias(%x: tensor<4x3x7x8xf32>, %w: tensor<8x3x3x3xf32>, %b: tensor<8xf32>, %g: tensor<4x8x5x6xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<4x8x5x6xf32>
  %y = sinter.contract (i = 4, j = 8) by (k = 5, l = 6)
      product (m = 3, n = 3, o = 3) (%w[j, m, n, o] : tensor<8x3x3x3xf32>, %x[i, m, k + n, l + o] : tensor<4x3x7x8xf32>) : f32
      ins(%b[j] : tensor<8xf32>) outs(%e[i, j, k, l] : tensor<4x8x5x6xf32>) {
  ^row(%acc: tensor<30xf32>, %c: f32):
    %cs = sinter.broadcast %c : f32 -> tensor<30xf32>
    %s = arith.addf %acc, %cs : tensor<30xf32>
    sinter.yield %s : tensor<30xf32>
  }
  %db = sinter.differentiate %y upstream(%g) wrt(%b) : (tensor<4x8x5x6xf32>, tensor<4x8x5x6xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %db : tensor<8xf32>
}

// -----

// What is shared by all rows, or by all columns of each row, is summed where it stands.

// CHECK-LABEL: func.func @as_it_stands(
//       CHECK:   sinter.rowwise (i = 3, j = 4) by (k = 5)
//       CHECK:     outs(%{{.+}}[i, j] : tensor<3x4xf32>, %{{.+}}[k] : tensor<5xf32>)
//   CHECK-NOT:   sinter.rowwise
func.func @as_it_stands(%x: tensor<3x4x5xf32>, %m: tensor<3x4xf32>, %b: tensor<5xf32>, %g: tensor<3x4x5xf32>) -> (tensor<3x4xf32>, tensor<5xf32>) {
  %e = tensor.empty() : tensor<3x4x5xf32>
  %y = sinter.rowwise (i = 3, j = 4) by (k = 5) ins(%x[i, j, k] : tensor<3x4x5xf32>, %m[i, j] : tensor<3x4xf32>, %b[k] : tensor<5xf32>)
      outs(%e[i, j, k] : tensor<3x4x5xf32>) {
  ^row(%a: tensor<5xf32>, %s: f32, %c: tensor<5xf32>):
    %ss = sinter.broadcast %s : f32 -> tensor<5xf32>
    %d = arith.mulf %a, %ss : tensor<5xf32>
    %f = arith.addf %d, %c : tensor<5xf32>
    sinter.yield %f : tensor<5xf32>
  }
  %dm, %db = sinter.differentiate %y upstream(%g) wrt(%m, %b) : (tensor<3x4x5xf32>, tensor<3x4x5xf32>, tensor<3x4xf32>, tensor<5xf32>) -> (tensor<3x4xf32>, tensor<5xf32>)
  return %dm, %db : tensor<3x4xf32>, tensor<5xf32>
}

// -----

// Two readers of one input in groups: their gradients are added before the shape becomes the input's. So value and
// gradient are one kernel.

// CHECK-LABEL: func.func @group(
//       CHECK:   tensor.collapse_shape {{.*}} : tensor<3x4x2x7xf32> into tensor<3x8x7xf32>
//   CHECK-NOT:   tensor.collapse_shape {{.*}} : tensor<3x4x2x7xf32> into tensor<3x8x7xf32>
// FUSED-LABEL: func.func @group(
//       FUSED:   sinter.rowwise (i = 3, j = 4) by (k = 2, l = 7)
//   FUSED-NOT:   sinter.rowwise
func.func @group(%x: tensor<3x8x7xf32>, %g: tensor<3x4x2x7xf32>) -> (tensor<3x4x2x7xf32>, tensor<3x8x7xf32>) {
  %e0 = tensor.empty() : tensor<3x4xf32>
  %m = sinter.rowwise (i = 3, j = 4) by (k = 2, l = 7) ins(%x[i, j * 2 + k, l] : tensor<3x8x7xf32>) outs(%e0[i, j] : tensor<3x4xf32>) {
  ^row(%a: tensor<14xf32>):
    %s = sinter.row_reduce add %a : tensor<14xf32> -> f32
    sinter.yield %s : f32
  }
  %e = tensor.empty() : tensor<3x4x2x7xf32>
  %y = sinter.rowwise (i = 3, j = 4, k = 2) by (l = 7) ins(%x[i, j * 2 + k, l] : tensor<3x8x7xf32>, %m[i, j] : tensor<3x4xf32>)
      outs(%e[i, j, k, l] : tensor<3x4x2x7xf32>) {
  ^row(%a: tensor<7xf32>, %b: f32):
    %bs = sinter.broadcast %b : f32 -> tensor<7xf32>
    %d = arith.subf %a, %bs : tensor<7xf32>
    %q = arith.mulf %d, %d : tensor<7xf32>
    sinter.yield %q : tensor<7xf32>
  }
  %dx = sinter.differentiate %y upstream(%g) wrt(%x) : (tensor<3x4x2x7xf32>, tensor<3x4x2x7xf32>, tensor<3x8x7xf32>) -> tensor<3x8x7xf32>
  return %y, %dx : tensor<3x4x2x7xf32>, tensor<3x8x7xf32>
}

// RUN: sinter-opt --sinter-thin-products --split-input-file %s | FileCheck %s

// Places of all images are columns; a number of each image is one of each column then.

// CHECK-LABEL: func @images
//       CHECK:   sinter.contract (j = 32) by (i = 16, y = 2, x = 2)
//  CHECK-NEXT:     product (c = 40, r = 3, s = 3) (%{{.+}}[j, c, r, s] : {{.+}}, %{{.+}}[i, c, y + r - 1, x + s - 1] : {{.+}} else
//  CHECK-NEXT:     ins(%{{.+}}[i] : tensor<16xf32>)
//  CHECK-NEXT:     outs(%{{.+}}[i, j, y, x] : tensor<16x32x2x2xf32>)
//  CHECK-NEXT:   ^row(%[[P:.+]]: tensor<64xf32>, %[[Q:.+]]: tensor<64xf32>):
//  CHECK-NEXT:     arith.mulf %[[P]], %[[Q]] : tensor<64xf32>
func.func @images(%w: tensor<32x40x3x3xf32>, %x: tensor<16x40x2x2xf32>, %q: tensor<16xf32>, %e: tensor<16x32x2x2xf32>) -> tensor<16x32x2x2xf32> {
  %y = sinter.contract (i = 16, j = 32) by (y = 2, x = 2)
      product (c = 40, r = 3, s = 3) (%w[j, c, r, s] : tensor<32x40x3x3xf32>, %x[i, c, y + r - 1, x + s - 1] : tensor<16x40x2x2xf32> else 0.0) : f32
      ins(%q[i] : tensor<16xf32>) outs(%e[i, j, y, x] : tensor<16x32x2x2xf32>) {
  ^row(%p: tensor<4xf32>, %n: f32):
    %b = sinter.broadcast %n : f32 -> tensor<4xf32>
    %t = arith.mulf %p, %b : tensor<4xf32>
    sinter.yield %t : tensor<4xf32>
  }
  return %y : tensor<16x32x2x2xf32>
}

// -----

// So are they where nobody knows how many images there are.

// CHECK-LABEL: func @any_images
//       CHECK:   sinter.contract (j = 32) by (i = ?, y = 2, x = 2)
func.func @any_images(%w: tensor<32x40x3x3xf32>, %x: tensor<?x40x2x2xf32>, %e: tensor<?x32x2x2xf32>) -> tensor<?x32x2x2xf32> {
  %y = sinter.contract (i = ?, j = 32) by (y = 2, x = 2)
      product (c = 40, r = 3, s = 3) (%w[j, c, r, s] : tensor<32x40x3x3xf32>, %x[i, c, y + r - 1, x + s - 1] : tensor<?x40x2x2xf32> else 0.0) : f32
      outs(%e[i, j, y, x] : tensor<?x32x2x2xf32>) {
  ^row(%p: tensor<4xf32>):
    sinter.yield %p : tensor<4xf32>
  }
  return %y : tensor<?x32x2x2xf32>
}

// -----

// A row that is reduced is a row of a form of its own, on sums that are columns; not where they are little work. A row
// program may say which of a form's rows and columns it is at.

// CHECK-LABEL: func @summed
//       CHECK:   %[[E:.+]] = tensor.empty(%{{.+}}) : tensor<?x32x2x2xf32>
//       CHECK:   %[[Z:.+]] = sinter.contract (j = 32) by (i = ?, y = 2, x = 2)
//       CHECK:     outs(%[[E]][i, j, y, x] : tensor<?x32x2x2xf32>)
//       CHECK:   %{{.+}} = sinter.rowwise (i = ?, j = 32) by (y = 2, x = 2)
//  CHECK-NEXT:     ins(%[[Z]][i, j, y, x] : tensor<?x32x2x2xf32>, %{{.+}}[j] : tensor<32xf32>)
//       CHECK:     sinter.index j : index
//       CHECK:     sinter.row_reduce add
// CHECK-LABEL: func @little_work
//       CHECK:   sinter.contract (i = 16, j = 10) by (y = 2, x = 2)
//   CHECK-NOT:   sinter.rowwise
func.func @summed(%w: tensor<32x64x3x3xf32>, %x: tensor<?x64x2x2xf32>, %b: tensor<32xf32>, %e: tensor<?x32xf32>) -> tensor<?x32xf32> {
  %y = sinter.contract (i = ?, j = 32) by (y = 2, x = 2)
      product (c = 64, r = 3, s = 3) (%w[j, c, r, s] : tensor<32x64x3x3xf32>, %x[i, c, y + r - 1, x + s - 1] : tensor<?x64x2x2xf32> else 0.0) : f32
      ins(%b[j] : tensor<32xf32>) outs(%e[i, j] : tensor<?x32xf32>) {
  ^row(%p: tensor<4xf32>, %c: f32):
    %j = sinter.index j : index
    %k = arith.index_cast %j : index to i32
    %f = arith.sitofp %k : i32 to f32
    %s = sinter.row_reduce add %p : tensor<4xf32> -> f32
    %t = arith.addf %s, %c : f32
    %u = arith.addf %t, %f : f32
    sinter.yield %u : f32
  }
  return %y : tensor<?x32xf32>
}
func.func @little_work(%w: tensor<10x40x3x3xf32>, %x: tensor<16x40x2x2xf32>, %e: tensor<16x10xf32>) -> tensor<16x10xf32> {
  %y = sinter.contract (i = 16, j = 10) by (y = 2, x = 2)
      product (c = 40, r = 3, s = 3) (%w[j, c, r, s] : tensor<10x40x3x3xf32>, %x[i, c, y + r - 1, x + s - 1] : tensor<16x40x2x2xf32> else 0.0) : f32
      outs(%e[i, j] : tensor<16x10xf32>) {
  ^row(%p: tensor<4xf32>):
    %s = sinter.row_reduce add %p : tensor<4xf32> -> f32
    sinter.yield %s : f32
  }
  return %y : tensor<16x10xf32>
}

// -----

// A vector of places stays.

// CHECK-LABEL: func @stay
//       CHECK:   sinter.contract (i = 16, j = 32) by (y = 4, x = 4)
func.func @stay(%w: tensor<32x40x3x3xf32>, %x: tensor<16x40x4x4xf32>, %e: tensor<16x32x4x4xf32>) -> tensor<16x32x4x4xf32> {
  %y = sinter.contract (i = 16, j = 32) by (y = 4, x = 4)
      product (c = 40, r = 3, s = 3) (%w[j, c, r, s] : tensor<32x40x3x3xf32>, %x[i, c, y + r - 1, x + s - 1] : tensor<16x40x4x4xf32> else 0.0) : f32
      outs(%e[i, j, y, x] : tensor<16x32x4x4xf32>) {
  ^row(%p: tensor<16xf32>):
    sinter.yield %p : tensor<16xf32>
  }
  return %y : tensor<16x32x4x4xf32>
}

// -----

// A row dimension of both sides, and one of the other side alone; a short sum.

// CHECK-LABEL: func @others
//       CHECK:   sinter.contract (b = 4, i = 32) by (j = 5)
//       CHECK:   sinter.contract (b = 4, i = 32) by (j = 5)
func.func @others(%x: tensor<4x32x80xf32>, %w: tensor<4x80x5xf32>, %v: tensor<4x9x5xf32>, %u: tensor<32x9xf32>, %e: tensor<4x32x5xf32>) -> (tensor<4x32x5xf32>, tensor<4x32x5xf32>) {
  %y = sinter.contract (b = 4, i = 32) by (j = 5)
      product (k = 80) (%x[b, i, k] : tensor<4x32x80xf32>, %w[b, k, j] : tensor<4x80x5xf32>) : f32
      outs(%e[b, i, j] : tensor<4x32x5xf32>) {
  ^row(%p: tensor<5xf32>):
    sinter.yield %p : tensor<5xf32>
  }
  %z = sinter.contract (b = 4, i = 32) by (j = 5)
      product (k = 9) (%u[i, k] : tensor<32x9xf32>, %v[b, k, j] : tensor<4x9x5xf32>) : f32
      outs(%e[b, i, j] : tensor<4x32x5xf32>) {
  ^row(%p: tensor<5xf32>):
    sinter.yield %p : tensor<5xf32>
  }
  return %y, %z : tensor<4x32x5xf32>, tensor<4x32x5xf32>
}

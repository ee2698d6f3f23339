// RUN: sinter-opt --sinter-fuse --split-input-file %s | FileCheck %s
// RUN: sinter-opt --pass-pipeline='builtin.module(sinter-fuse{target=gpu})' --split-input-file %s | FileCheck %s --check-prefix=GPU

// A sum over images and places of what a product gives is a sum of its rows' sums, which it makes.

// CHECK-LABEL: func @bias(
//       CHECK:   %[[Y:.+]]:2 = sinter.contract (i = ?, j = 8) by (k = 5, l = 6)
//       CHECK:     outs(%{{.+}}[i, j, k, l] : tensor<?x8x5x6xf32>, %{{.+}}[i, j] : tensor<?x8xf32>)
//       CHECK:     %[[S:.+]] = sinter.row_reduce add %[[R:.+]] : tensor<30xf32> -> f32
//       CHECK:     sinter.yield %[[R]], %[[S]]
//       CHECK:   %[[B:.+]] = sinter.rowwise (i = ?) by (j = 8)
//  CHECK-NEXT:     ins(%[[Y]]#1[i, j] : tensor<?x8xf32>)
//  CHECK-NEXT:     reduce(add [j] : f32)
//  CHECK-NEXT:     outs(%{{.+}}[j] : tensor<8xf32>)
//       CHECK:   return %[[Y]]#0, %[[B]]
//   GPU-LABEL: func @bias(
//         GPU:   sinter.contract (i = ?, j = 8) by (k = 5, l = 6)
//         GPU:   sinter.rowwise (j = 8) by (i = ?, k = 5, l = 6)
func.func @bias(%x: tensor<?x3x7x8xf32>, %w: tensor<8x3x3x3xf32>, %e: tensor<?x8x5x6xf32>) -> (tensor<?x8x5x6xf32>, tensor<8xf32>) {
  %y = sinter.contract (i = ?, j = 8) by (k = 5, l = 6)
      product (m = 3, n = 3, o = 3) (%w[j, m, n, o] : tensor<8x3x3x3xf32>, %x[i, m, k + n, l + o] : tensor<?x3x7x8xf32>) : f32
      outs(%e[i, j, k, l] : tensor<?x8x5x6xf32>) {
  ^row(%acc: tensor<30xf32>):
    sinter.yield %acc : tensor<30xf32>
  }
  %eb = tensor.empty() : tensor<8xf32>
  %b = sinter.rowwise (j = 8) by (i = ?, k = 5, l = 6) ins(%y[i, j, k, l] : tensor<?x8x5x6xf32>) outs(%eb[j] : tensor<8xf32>) {
  ^row(%r: tensor<?xf32>):
    %s = sinter.row_reduce add %r : tensor<?xf32> -> f32
    sinter.yield %s : f32
  }
  return %y, %b : tensor<?x8x5x6xf32>, tensor<8xf32>
}

// -----

// Two of three row dimensions are summed; the one that stays is in the middle, whatever its name is where it is summed.

// CHECK-LABEL: func @middle(
//       CHECK:   %[[Y:.+]]:2 = sinter.contract (i = 2, j = 3, k = 4) by (l = 5)
//       CHECK:   sinter.rowwise (i = 2, k = 4) by (j = 3)
//  CHECK-NEXT:     ins(%[[Y]]#1[i, j, k] : tensor<2x3x4xf32>)
//  CHECK-NEXT:     reduce(add [j] : f32)
func.func @middle(%x: tensor<2x3x4x6xf32>, %w: tensor<6x5xf32>) -> (tensor<2x3x4x5xf32>, tensor<3xf32>) {
  %e = tensor.empty() : tensor<2x3x4x5xf32>
  %y = sinter.contract (i = 2, j = 3, k = 4) by (l = 5)
      product (m = 6) (%x[i, j, k, m] : tensor<2x3x4x6xf32>, %w[m, l] : tensor<6x5xf32>) : f32
      outs(%e[i, j, k, l] : tensor<2x3x4x5xf32>) {
  ^row(%acc: tensor<5xf32>):
    sinter.yield %acc : tensor<5xf32>
  }
  %eb = tensor.empty() : tensor<3xf32>
  %b = sinter.rowwise (i = 3) by (l = 2, k = 4, j = 5) ins(%y[l, i, k, j] : tensor<2x3x4x5xf32>) outs(%eb[i] : tensor<3xf32>) {
  ^row(%r: tensor<40xf32>):
    %s = sinter.row_reduce add %r : tensor<40xf32> -> f32
    sinter.yield %s : f32
  }
  return %y, %b : tensor<2x3x4x5xf32>, tensor<3xf32>
}

// -----

// A sum of columns alone goes along what the product has apart, and a greatest element is no sum.

// CHECK-LABEL: func @along_columns(
//       CHECK:   sinter.rowwise (j = 3, l = 5) by (i = 4)
//       CHECK:   sinter.row_reduce maximumf
func.func @along_columns(%x: tensor<4x3x6xf32>, %w: tensor<6x5xf32>) -> (tensor<4x3x5xf32>, tensor<3x5xf32>, tensor<3xf32>) {
  %e = tensor.empty() : tensor<4x3x5xf32>
  %y = sinter.contract (i = 4, j = 3) by (l = 5)
      product (m = 6) (%x[i, j, m] : tensor<4x3x6xf32>, %w[m, l] : tensor<6x5xf32>) : f32
      outs(%e[i, j, l] : tensor<4x3x5xf32>) {
  ^row(%acc: tensor<5xf32>):
    sinter.yield %acc : tensor<5xf32>
  }
  %eb = tensor.empty() : tensor<3x5xf32>
  %b = sinter.rowwise (j = 3, l = 5) by (i = 4) ins(%y[i, j, l] : tensor<4x3x5xf32>) outs(%eb[j, l] : tensor<3x5xf32>) {
  ^row(%r: tensor<4xf32>):
    %s = sinter.row_reduce add %r : tensor<4xf32> -> f32
    sinter.yield %s : f32
  }
  %ec = tensor.empty() : tensor<3xf32>
  %c = sinter.rowwise (j = 3) by (i = 4, l = 5) ins(%y[i, j, l] : tensor<4x3x5xf32>) outs(%ec[j] : tensor<3xf32>) {
  ^row(%r: tensor<20xf32>):
    %s = sinter.row_reduce maximumf %r : tensor<20xf32> -> f32
    sinter.yield %s : f32
  }
  return %y, %b, %c : tensor<4x3x5xf32>, tensor<3x5xf32>, tensor<3xf32>
}

// -----

// A sum of a part of what the product makes, as of an image's inner places, is no sum of whole rows.

// CHECK-LABEL: func @part(
//       CHECK:   sinter.rowwise (i = 3) by (l = 2, k = 3, j = 4)
func.func @part(%x: tensor<2x4x6x5xf32>, %w: tensor<3x6xf32>) -> (tensor<2x3x4x5xf32>, tensor<3xf32>) {
  %e = tensor.empty() : tensor<2x3x4x5xf32>
  %y = sinter.contract (l = 2, i = 3, k = 4) by (j = 5)
      product (m = 6) (%w[i, m] : tensor<3x6xf32>, %x[l, k, m, j] : tensor<2x4x6x5xf32>) : f32
      outs(%e[l, i, k, j] : tensor<2x3x4x5xf32>) {
  ^row(%acc: tensor<5xf32>):
    sinter.yield %acc : tensor<5xf32>
  }
  %eb = tensor.empty() : tensor<3xf32>
  %b = sinter.rowwise (i = 3) by (l = 2, k = 3, j = 4) ins(%y[l, i, k, j] : tensor<2x3x4x5xf32>) outs(%eb[i] : tensor<3xf32>) {
  ^row(%r: tensor<24xf32>):
    %s = sinter.row_reduce add %r : tensor<24xf32> -> f32
    sinter.yield %s : f32
  }
  return %y, %b : tensor<2x3x4x5xf32>, tensor<3xf32>
}

// RUN: sinter-opt --sinter-raise --sinter-fuse --split-input-file %s | FileCheck %s

// Sides that are only widened in front of the product stay narrow in memory: the product converts them.

// CHECK-LABEL: func @widened
//  CHECK-SAME:   %[[X:.+]]: tensor<8x16xbf16>, %[[W:.+]]: tensor<4x16xbf16>
//   CHECK-NOT:   sinter.rowwise
//       CHECK:   sinter.contract (i = 8) by (j = 4)
//  CHECK-NEXT:     product (k = 16) (%[[X]][i, k] : tensor<8x16xbf16>, %[[W]][j, k] : tensor<4x16xbf16>) : f32
func.func @widened(%x: tensor<8x16xbf16>, %w: tensor<4x16xbf16>) -> tensor<8x4xf32> {
  %f = arith.constant dense<0.0> : tensor<8x4xf32>
  %ex = tensor.empty() : tensor<8x16xf32>
  %wx = linalg.map { arith.extf } ins(%x : tensor<8x16xbf16>) outs(%ex : tensor<8x16xf32>)
  %et = tensor.empty() : tensor<16x4xbf16>
  %t = linalg.transpose ins(%w : tensor<4x16xbf16>) outs(%et : tensor<16x4xbf16>) permutation = [1, 0]
  %ew = tensor.empty() : tensor<16x4xf32>
  %ww = linalg.map { arith.extf } ins(%t : tensor<16x4xbf16>) outs(%ew : tensor<16x4xf32>)
  %y = linalg.matmul ins(%wx, %ww : tensor<8x16xf32>, tensor<16x4xf32>) outs(%f : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// -----

// A side that is rounded on the way is not what the product would read: it has a program.

// CHECK-LABEL: func @rounded
//  CHECK-SAME:   %[[X:.+]]: tensor<8x16xf32>
//       CHECK:   sinter.contract
//  CHECK-NEXT:     product (k = 16) (side(%[[X]][i, k] : tensor<8x16xf32>) {
//       CHECK:     arith.truncf
func.func @rounded(%x: tensor<8x16xf32>, %w: tensor<16x4xbf16>) -> tensor<8x4xf32> {
  %f = arith.constant dense<0.0> : tensor<8x4xf32>
  %ex = tensor.empty() : tensor<8x16xbf16>
  %wx = linalg.map { arith.truncf } ins(%x : tensor<8x16xf32>) outs(%ex : tensor<8x16xbf16>)
  %y = linalg.matmul ins(%wx, %w : tensor<8x16xbf16>, tensor<16x4xbf16>) outs(%f : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// -----

// Unsigned numbers are not what the product would make of the narrow ones.

// CHECK-LABEL: func @unsigned
//  CHECK-SAME:   %[[X:.+]]: tensor<8x16xi8>
//       CHECK:   sinter.contract
//  CHECK-NEXT:     product (k = 16) (side(%[[X]][i, k] : tensor<8x16xi8>) {
//       CHECK:     arith.extui
func.func @unsigned(%x: tensor<8x16xi8>, %w: tensor<16x4xi32>) -> tensor<8x4xi32> {
  %f = arith.constant dense<0> : tensor<8x4xi32>
  %ex = tensor.empty() : tensor<8x16xi32>
  %wx = linalg.map { arith.extui } ins(%x : tensor<8x16xi8>) outs(%ex : tensor<8x16xi32>)
  %y = linalg.matmul ins(%wx, %w : tensor<8x16xi32>, tensor<16x4xi32>) outs(%f : tensor<8x4xi32>) -> tensor<8x4xi32>
  return %y : tensor<8x4xi32>
}

// -----

// A product takes a bool as 0 or 1: one that is made 0 or -1 is another number.

// CHECK-LABEL: func @bools
//       CHECK:     %[[R:.+]] = arith.extsi
//  CHECK-NEXT:     sinter.yield %[[R]] : tensor<16xi32>
func.func @bools(%x: tensor<8x16xi1>, %w: tensor<16x4xi32>) -> tensor<8x4xi32> {
  %f = arith.constant dense<0> : tensor<8x4xi32>
  %ex = tensor.empty() : tensor<8x16xi32>
  %wx = linalg.map { arith.extsi } ins(%x : tensor<8x16xi1>) outs(%ex : tensor<8x16xi32>)
  %y = linalg.matmul ins(%wx, %w : tensor<8x16xi32>, tensor<16x4xi32>) outs(%f : tensor<8x4xi32>) -> tensor<8x4xi32>
  return %y : tensor<8x4xi32>
}

// -----

// A vector as long as the result, at each k: the product would not use what it sums.

// CHECK-LABEL: func @misses_what_is_summed
//       CHECK:     %[[R:.+]] = sinter.broadcast
//  CHECK-NEXT:     sinter.row_product %[[R]],
func.func @misses_what_is_summed(%x: tensor<8xf32>, %w: tensor<4x16xf32>) -> tensor<8x4xf32> {
  %ex = tensor.empty() : tensor<8x16xf32>
  %wx = linalg.broadcast ins(%x : tensor<8xf32>) outs(%ex : tensor<8x16xf32>) dimensions = [1]
  %e = tensor.empty() : tensor<8x4xf32>
  %y = sinter.contract (i = 8) by (j = 4)
      product (k = 16) (%wx[i, k] : tensor<8x16xf32>, %w[j, k] : tensor<4x16xf32>) : f32
      outs(%e[i, j] : tensor<8x4xf32>) {
  ^row(%p: tensor<4xf32>):
    sinter.yield %p : tensor<4xf32>
  }
  return %y : tensor<8x4xf32>
}

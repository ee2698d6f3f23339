// RUN: sinter-opt --sinter-arrange --split-input-file %s | FileCheck %s

// Rows follow each other as in what is stored, so that neighbours are neighbours in memory.

// CHECK-LABEL: func @pool
//       CHECK:   sinter.rowwise (n = 2, c = 3, h = 4, w = 5) by (u = 2, v = 2)
//  CHECK-NEXT:     ins(%{{.+}}[n, c, h * 2 + u, w * 2 + v] : tensor<2x3x8x10xf32>, %{{.+}}[c] : tensor<3xf32>)
//  CHECK-NEXT:     outs(%{{.+}}[n, c, h, w] : tensor<2x3x4x5xf32>)
//       CHECK:     sinter.index h
func.func @pool(%x: tensor<2x3x8x10xf32>, %b: tensor<3xf32>, %e: tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32> {
  %y = sinter.rowwise (n = 2, h = 4, w = 5, c = 3) by (u = 2, v = 2)
      ins(%x[n, c, h * 2 + u, w * 2 + v] : tensor<2x3x8x10xf32>, %b[c] : tensor<3xf32>)
      outs(%e[n, c, h, w] : tensor<2x3x4x5xf32>) {
  ^row(%a: tensor<4xf32>, %c: f32):
    %s = sinter.row_reduce add %a : tensor<4xf32> -> f32
    %i = sinter.index h : index
    %j = arith.index_cast %i : index to i32
    %f = arith.sitofp %j : i32 to f32
    %t = arith.addf %s, %f : f32
    %u = arith.addf %t, %c : f32
    sinter.yield %u : f32
  }
  return %y : tensor<2x3x4x5xf32>
}

// -----

// What is reduced over rows keeps its order, and so does what has its order already.

// CHECK-LABEL: func @reduced
//       CHECK:   sinter.rowwise (i = 4, k = 6) by (j = 8)
func.func @reduced(%x: tensor<6x4x8xf32>, %e: tensor<f32>, %d: tensor<6x4xf32>) -> (tensor<f32>, tensor<6x4xf32>) {
  %y, %z = sinter.rowwise (i = 4, k = 6) by (j = 8) ins(%x[k, i, j] : tensor<6x4x8xf32>) reduce(add [] : f32)
      outs(%e[] : tensor<f32>, %d[k, i] : tensor<6x4xf32>) {
  ^row(%a: tensor<8xf32>):
    %s = sinter.row_reduce add %a : tensor<8xf32> -> f32
    sinter.yield %s, %s : f32, f32
  }
  return %y, %z : tensor<f32>, tensor<6x4xf32>
}

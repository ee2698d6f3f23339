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

// -----

// Columns of elements are what lies side by side in what is stored, and in all that is read by columns.

// CHECK-LABEL: func @columns
//       CHECK:   sinter.rowwise (i = 4, j = 90) by (e = 32)
//  CHECK-NEXT:     ins(%{{.+}}[i, j, e] : tensor<4x89x32xbf16> else 0.000000e+00, %{{.+}}[i, j - 89, e] : tensor<4x1x32xbf16> else 0.000000e+00)
//  CHECK-NEXT:     outs(%{{.+}}[i, j, e] : tensor<4x90x32xbf16>)
//       CHECK:     sinter.index j : index
func.func @columns(%x: tensor<4x89x32xbf16>, %n: tensor<4x1x32xbf16>, %o: tensor<4x90x32xbf16>) -> tensor<4x90x32xbf16> {
  %y = sinter.rowwise (i = 4, e = 32) by (j = 90)
      ins(%x[i, j, e] : tensor<4x89x32xbf16> else 0.0, %n[i, j - 89, e] : tensor<4x1x32xbf16> else 0.0)
      outs(%o[i, j, e] : tensor<4x90x32xbf16>) {
  ^row(%a: tensor<90xbf16>, %b: tensor<90xbf16>):
    %j = sinter.index j : tensor<90xindex>
    %c = arith.constant 89 : index
    %cs = sinter.broadcast %c : index -> tensor<90xindex>
    %old = arith.cmpi ult, %j, %cs : tensor<90xindex>
    %v = arith.select %old, %a, %b : tensor<90xi1>, tensor<90xbf16>
    sinter.yield %v : tensor<90xbf16>
  }
  return %y : tensor<4x90x32xbf16>
}

// -----

// What reads along its columns keeps them (a transpose), and so does what reduces them.

// CHECK-LABEL: func @transpose
//       CHECK:   sinter.rowwise (e = 3300) by (j = 9000)
// CHECK-LABEL: func @reduces
//       CHECK:   sinter.rowwise (e = 33) by (j = 90)
func.func @transpose(%x: tensor<3300x9000xf32>, %o: tensor<9000x3300xf32>) -> tensor<9000x3300xf32> {
  %y = sinter.rowwise (e = 3300) by (j = 9000) ins(%x[e, j] : tensor<3300x9000xf32>) outs(%o[j, e] : tensor<9000x3300xf32>) {
  ^row(%a: tensor<9000xf32>):
    sinter.yield %a : tensor<9000xf32>
  }
  return %y : tensor<9000x3300xf32>
}
func.func @reduces(%x: tensor<90x33xf32>, %o: tensor<90x33xf32>) -> tensor<90x33xf32> {
  %y = sinter.rowwise (e = 33) by (j = 90) ins(%x[j, e] : tensor<90x33xf32>) outs(%o[j, e] : tensor<90x33xf32>) {
  ^row(%a: tensor<90xf32>):
    %s = sinter.row_reduce add %a : tensor<90xf32> -> f32
    %r = sinter.broadcast %s : f32 -> tensor<90xf32>
    %d = arith.divf %a, %r : tensor<90xf32>
    sinter.yield %d : tensor<90xf32>
  }
  return %y : tensor<90x33xf32>
}

// -----

// So does what has other neighbours in one operand than in another.

// CHECK-LABEL: func @neighbours
//       CHECK:   sinter.rowwise (i = 40, e = 3300) by (j = 900)
func.func @neighbours(%x: tensor<40x900x3300xf32>, %z: tensor<3300x900x40xf32>, %o: tensor<40x900x3300xf32>) -> tensor<40x900x3300xf32> {
  %y = sinter.rowwise (i = 40, e = 3300) by (j = 900)
      ins(%x[i, j, e] : tensor<40x900x3300xf32>, %z[e, j, i] : tensor<3300x900x40xf32>)
      outs(%o[i, j, e] : tensor<40x900x3300xf32>) {
  ^row(%a: tensor<900xf32>, %b: tensor<900xf32>):
    %s = arith.addf %a, %b : tensor<900xf32>
    sinter.yield %s : tensor<900xf32>
  }
  return %y : tensor<40x900x3300xf32>
}

// RUN: sinter-opt --sinter-schedule --split-input-file %s | FileCheck %s

// A channel's columns are in one piece for each image: each of these has vectors of its own.

// CHECK-LABEL: func @channels
//       CHECK: schedule(#sinter.rows<chunk = 1, lanes = 16, line = 2,
// CHECK-LABEL: func @any_size
//       CHECK: schedule(#sinter.rows<chunk = 1, elements = 16384, lanes = 16, line = 2,
func.func @channels(%x: tensor<7x3x50x49xf32>, %e: tensor<3xf32>) -> tensor<3xf32> {
  %0 = sinter.rowwise (c = 3) by (n = 7, h = 50, w = 49) ins(%x[n, c, h, w] : tensor<7x3x50x49xf32>) outs(%e[c] : tensor<3xf32>) {
  ^row(%a: tensor<17150xf32>):
    %s = sinter.row_reduce add %a : tensor<17150xf32> -> f32
    sinter.yield %s : f32
  }
  return %0 : tensor<3xf32>
}
func.func @any_size(%x: tensor<?x?x?x?xf32>, %e: tensor<?xf32>) -> tensor<?xf32> {
  %0 = sinter.rowwise (c = ?) by (n = ?, h = ?, w = ?) ins(%x[n, c, h, w] : tensor<?x?x?x?xf32>) outs(%e[c] : tensor<?xf32>) {
  ^row(%a: tensor<?xf32>):
    %s = sinter.row_reduce add %a : tensor<?xf32> -> f32
    sinter.yield %s : f32
  }
  return %0 : tensor<?xf32>
}

// -----

// Where all of a row is one piece, or lines have three elements, there are none.

// CHECK-LABEL: func @whole
//   CHECK-NOT: line =
// CHECK-LABEL: func @short
//   CHECK-NOT: line =
func.func @whole(%x: tensor<3x7x50x49xf32>, %e: tensor<3xf32>) -> tensor<3xf32> {
  %0 = sinter.rowwise (c = 3) by (n = 7, h = 50, w = 49) ins(%x[c, n, h, w] : tensor<3x7x50x49xf32>) outs(%e[c] : tensor<3xf32>) {
  ^row(%a: tensor<17150xf32>):
    %s = sinter.row_reduce add %a : tensor<17150xf32> -> f32
    sinter.yield %s : f32
  }
  return %0 : tensor<3xf32>
}
func.func @short(%x: tensor<70x5x3xf32>, %e: tensor<5xf32>) -> tensor<5xf32> {
  %0 = sinter.rowwise (c = 5) by (n = 70, w = 3) ins(%x[n, c, w] : tensor<70x5x3xf32>) outs(%e[c] : tensor<5xf32>) {
  ^row(%a: tensor<210xf32>):
    %s = sinter.row_reduce add %a : tensor<210xf32> -> f32
    sinter.yield %s : f32
  }
  return %0 : tensor<5xf32>
}

// -----

// A bias of 5 columns begins again in a vector's middle, one of 16 does not; one of `?` columns makes no lines either.

// CHECK-LABEL: func @any_bias
//   CHECK-NOT: line =
//       CHECK: repeats = "stored"
// CHECK-LABEL: func @bias
//   CHECK-NOT: line =
//       CHECK: repeats = "stored"
// CHECK-LABEL: func @whole_vectors
//   CHECK-NOT: repeats
func.func @any_bias(%x: tensor<?x?x?xf32>, %w: tensor<?xf32>, %e: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %0 = sinter.rowwise (i = ?) by (j = ?, k = ?) ins(%x[i, j, k] : tensor<?x?x?xf32>, %w[k] : tensor<?xf32>) outs(%e[i, j, k] : tensor<?x?x?xf32>) {
  ^row(%a: tensor<?xf32>, %b: tensor<?xf32>):
    %s = arith.addf %a, %b : tensor<?xf32>
    sinter.yield %s : tensor<?xf32>
  }
  return %0 : tensor<?x?x?xf32>
}
func.func @bias(%x: tensor<40x5xf32>, %w: tensor<5xf32>, %e: tensor<40x5xf32>) -> tensor<40x5xf32> {
  %0 = sinter.rowwise () by (i = 40, j = 5) ins(%x[i, j] : tensor<40x5xf32>, %w[j] : tensor<5xf32>) outs(%e[i, j] : tensor<40x5xf32>) {
  ^row(%a: tensor<200xf32>, %b: tensor<200xf32>):
    %s = arith.addf %a, %b : tensor<200xf32>
    sinter.yield %s : tensor<200xf32>
  }
  return %0 : tensor<40x5xf32>
}
func.func @whole_vectors(%x: tensor<40x16xf32>, %w: tensor<16xf32>, %e: tensor<40x16xf32>) -> tensor<40x16xf32> {
  %0 = sinter.rowwise () by (i = 40, j = 16) ins(%x[i, j] : tensor<40x16xf32>, %w[j] : tensor<16xf32>) outs(%e[i, j] : tensor<40x16xf32>) {
  ^row(%a: tensor<640xf32>, %b: tensor<640xf32>):
    %s = arith.addf %a, %b : tensor<640xf32>
    sinter.yield %s : tensor<640xf32>
  }
  return %0 : tensor<40x16xf32>
}

// -----

// Lines of an image that bounds cut have vectors of their own, too, of known sizes and others: counted through, each of
// their elements has to find its place.

// CHECK-LABEL: func @taps
//       CHECK: schedule(#sinter.rows<chunk = 16, lanes = 16, line = 1, residency
// CHECK-LABEL: func @any_taps
//       CHECK: schedule(#sinter.rows<chunk = 1, elements = 16384, lanes = 16, line = 1,
func.func @taps(%x: tensor<2x20x23x23xf32>, %g: tensor<2x20x23x23xf32>, %e: tensor<20x3x3xf32>) -> tensor<20x3x3xf32> {
  %0 = sinter.rowwise (c = 20, r = 3, s = 3) by (n = 2, h = 23, w = 23)
      ins(%x[n, c, h + r - 1, w + s - 1] : tensor<2x20x23x23xf32> else 0.0, %g[n, c, h, w] : tensor<2x20x23x23xf32>)
      outs(%e[c, r, s] : tensor<20x3x3xf32>) {
  ^row(%a: tensor<1058xf32>, %b: tensor<1058xf32>):
    %p = arith.mulf %a, %b : tensor<1058xf32>
    %s = sinter.row_reduce add %p : tensor<1058xf32> -> f32
    sinter.yield %s : f32
  }
  return %0 : tensor<20x3x3xf32>
}
func.func @any_taps(%x: tensor<?x?x?x?xf32>, %g: tensor<?x?x?x?xf32>, %e: tensor<?x3x3xf32>) -> tensor<?x3x3xf32> {
  %0 = sinter.rowwise (c = ?, r = 3, s = 3) by (n = ?, h = ?, w = ?)
      ins(%x[n, c, h + r - 1, w + s - 1] : tensor<?x?x?x?xf32> else 0.0, %g[n, c, h, w] : tensor<?x?x?x?xf32>)
      outs(%e[c, r, s] : tensor<?x3x3xf32>) {
  ^row(%a: tensor<?xf32>, %b: tensor<?xf32>):
    %p = arith.mulf %a, %b : tensor<?xf32>
    %s = sinter.row_reduce add %p : tensor<?xf32> -> f32
    sinter.yield %s : f32
  }
  return %0 : tensor<?x3x3xf32>
}

// RUN: sinter-opt --sinter-split="target=gpu reasons stored=0" --split-input-file %s | FileCheck %s
// RUN: sinter-opt --sinter-split=target=gpu --split-input-file %s | FileCheck %s --check-prefix=SMALL

// Rows of a product that are nothing but reduced are so a piece of their columns at a time. The last piece goes on
// behind the row's end: what is there does not count. The element of the label is its piece's.

// CHECK-LABEL: func @cross_entropy
//   CHECK-NOT:   x1000xf32>
//       CHECK:   %[[P:.+]]:3 = sinter.contract (i = 70, p = 6) by (j = 192)
//  CHECK-NEXT:       product (k = 16) (%{{.+}}[i, k] : tensor<70x16xbf16>, %{{.+}}[p * 192 + j, k] : tensor<1000x16xbf16> else 0.000000e+00) : f32
//  CHECK-NEXT:       ins(%{{.+}}[i] : tensor<70xi64>)
//  CHECK-NEXT:       outs(%{{.+}}[p, i] : tensor<6x70xf32>, %{{.+}}[p, i] : tensor<6x70xf32>, %{{.+}}[p, i] : tensor<6x70xf32>)
//  CHECK-SAME:       sinter.cut = [{{.*}}"its rows are reduced a tile's columns at a time, and never stored"]
//       CHECK:     arith.cmpi ult
//       CHECK:     %[[V:.+]] = arith.select
//       CHECK:     %[[M:.+]] = sinter.row_reduce maximumf %[[V]]
//       CHECK:     %[[L:.+]] = arith.cmpf oeq, %[[M]]
//       CHECK:     %[[R:.+]] = arith.select %[[L]], %{{.+}}, %[[M]]
//       CHECK:     %[[B:.+]] = sinter.broadcast %[[R]]
//       CHECK:     %[[D:.+]] = arith.subf %{{.+}}, %[[B]]
//       CHECK:     math.exp %[[D]] {sinter.not_positive, sinter.under_maximum}
//       CHECK:     sinter.row_reduce add
//       CHECK:     sinter.pick
//       CHECK:   sinter.rowwise (i = 70) by (p = 6)
//  CHECK-NEXT:       ins(%{{.+}}[i] : tensor<70xi64>, %[[P]]#0[p, i] : tensor<6x70xf32>, %[[P]]#1[p, i] : tensor<6x70xf32>, %[[P]]#2[p, i] : tensor<6x70xf32>)
//  CHECK-NEXT:       reduce(add [] : f32)
//       CHECK:   ^row(%[[T:.+]]: i64, %[[MS:.+]]: tensor<6xf32>, %[[SS:.+]]: tensor<6xf32>, %[[X:.+]]: tensor<6xf32>):
//       CHECK:     %[[ALL:.+]] = sinter.row_reduce maximumf %[[MS]]
//       CHECK:     %[[E:.+]] = math.exp
//       CHECK:     arith.mulf %[[SS]], %[[E]]
//       CHECK:     sinter.row_reduce add
//       CHECK:     arith.divui %[[T]]
//       CHECK:     sinter.pick %[[X]]
//       CHECK:   } finish {
func.func @cross_entropy(%x: tensor<70x16xbf16>, %w: tensor<1000x16xbf16>, %t: tensor<70xi64>, %e: tensor<f32>) -> tensor<f32> {
  %0 = sinter.contract (i = 70) by (j = 1000)
      product (k = 16) (%x[i, k] : tensor<70x16xbf16>, %w[j, k] : tensor<1000x16xbf16>) : f32
      ins(%t[i] : tensor<70xi64>) reduce(add [] : f32) outs(%e[] : tensor<f32>) {
  ^row(%acc: tensor<1000xf32>, %l: i64):
    %zero = arith.constant 0.0 : f32
    %m = sinter.row_reduce maximumf %acc : tensor<1000xf32> -> f32
    %b = sinter.broadcast %m : f32 -> tensor<1000xf32>
    %d = arith.subf %acc, %b : tensor<1000xf32>
    %q = math.exp %d : tensor<1000xf32>
    %s = sinter.row_reduce add %q : tensor<1000xf32> -> f32
    %n = math.log %s : f32
    %p = sinter.pick %d[%l] else %zero : tensor<1000xf32>, i64
    %r = arith.subf %n, %p : f32
    sinter.yield %r : f32
  } finish {
  ^done(%s: f32):
    %n = arith.constant 70.0 : f32
    %m = arith.divf %s, %n : f32
    sinter.yield %m : f32
  }
  return %0 : tensor<f32>
}

// -----

// Of f32, and where there are few rows, a piece has 128 columns. A sum of differences from the maximum is of those from
// each piece's, so many columns times how far that is from the row's.

// CHECK-LABEL: func @differences
//       CHECK:   %[[P:.+]]:2 = sinter.contract (i = ?, p = 2) by (j = 128)
//       CHECK:       outs(%{{.+}}[p, i] : tensor<2x?xf32>, %{{.+}}[p, i] : tensor<2x?xf32>)
//   CHECK-NOT:     arith.cmpi
//       CHECK:   sinter.rowwise (i = ?) by (p = 2)
//       CHECK:     %[[N:.+]] = arith.constant 1.280000e+02 : f32
//       CHECK:     sinter.broadcast %[[N]]
//       CHECK:     arith.mulf
//       CHECK:     arith.addf
//       CHECK:     sinter.row_reduce add
func.func @differences(%x: tensor<?x16xf32>, %w: tensor<256x16xf32>, %e: tensor<?xf32>) -> tensor<?xf32> {
  %0 = sinter.contract (i = ?) by (j = 256)
      product (k = 16) (%x[i, k] : tensor<?x16xf32>, %w[j, k] : tensor<256x16xf32>) : f32 outs(%e[i] : tensor<?xf32>) {
  ^row(%acc: tensor<256xf32>):
    %m = sinter.row_reduce maximumf %acc : tensor<256xf32> -> f32
    %b = sinter.broadcast %m : f32 -> tensor<256xf32>
    %d = arith.subf %acc, %b : tensor<256xf32>
    %s = sinter.row_reduce add %d : tensor<256xf32> -> f32
    sinter.yield %s : f32
  }
  return %0 : tensor<?xf32>
}

// -----

// Squares about a mean wait for it, and are no sum under a maximum: the product is stored.

// CHECK-LABEL: func @variance
//       CHECK:   sinter.contract (i = 4) by (j = 256)
//       CHECK:     outs(%{{.+}}[i, j] : tensor<4x256xf32>)
//       CHECK:   sinter.cut = [{{.*}}"a reduction waits for another, and is no sum under its maximum"]
func.func @variance(%x: tensor<4x16xf32>, %w: tensor<256x16xf32>, %e: tensor<4xf32>) -> tensor<4xf32> {
  %0 = sinter.contract (i = 4) by (j = 256)
      product (k = 16) (%x[i, k] : tensor<4x16xf32>, %w[j, k] : tensor<256x16xf32>) : f32 outs(%e[i] : tensor<4xf32>) {
  ^row(%acc: tensor<256xf32>):
    %n = arith.constant 256.0 : f32
    %m = sinter.row_reduce add %acc : tensor<256xf32> -> f32
    %a = arith.divf %m, %n : f32
    %b = sinter.broadcast %a : f32 -> tensor<256xf32>
    %d = arith.subf %acc, %b : tensor<256xf32>
    %q = arith.mulf %d, %d : tensor<256xf32>
    %s = sinter.row_reduce add %q : tensor<256xf32> -> f32
    sinter.yield %s : f32
  }
  return %0 : tensor<4xf32>
}

// -----

// So is a row that is a result.

// CHECK-LABEL: func @softmax
//       CHECK:   sinter.contract (i = 4) by (j = 256)
//       CHECK:     outs(%{{.+}}[i, j] : tensor<4x256xf32>)
//       CHECK:   sinter.cut = [{{.*}}"its rows are needed whole, or it gives a number for a row"]
func.func @softmax(%x: tensor<4x16xf32>, %w: tensor<256x16xf32>, %e: tensor<4x256xf32>) -> tensor<4x256xf32> {
  %0 = sinter.contract (i = 4) by (j = 256)
      product (k = 16) (%x[i, k] : tensor<4x16xf32>, %w[j, k] : tensor<256x16xf32>) : f32 outs(%e[i, j] : tensor<4x256xf32>) {
  ^row(%acc: tensor<256xf32>):
    %m = sinter.row_reduce maximumf %acc : tensor<256xf32> -> f32
    %b = sinter.broadcast %m : f32 -> tensor<256xf32>
    %d = arith.subf %acc, %b : tensor<256xf32>
    sinter.yield %d : tensor<256xf32>
  }
  return %0 : tensor<4x256xf32>
}

// -----

// Two pieces at least: a row of one piece, or of a number of columns that is not known, is stored.

// CHECK-LABEL: func @short
//       CHECK:   outs(%{{.+}}[i, j] : tensor<4x128xf32>)
//       CHECK:   outs(%{{.+}}[i, j] : tensor<4x?xf32>)
func.func @short(%x: tensor<4x16xf32>, %w: tensor<128x16xf32>, %u: tensor<?x16xf32>, %e: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = sinter.contract (i = 4) by (j = 128)
      product (k = 16) (%x[i, k] : tensor<4x16xf32>, %w[j, k] : tensor<128x16xf32>) : f32 outs(%e[i] : tensor<4xf32>) {
  ^row(%acc: tensor<128xf32>):
    %m = sinter.row_reduce maximumf %acc : tensor<128xf32> -> f32
    sinter.yield %m : f32
  }
  %1 = sinter.contract (i = 4) by (j = ?)
      product (k = 16) (%x[i, k] : tensor<4x16xf32>, %u[j, k] : tensor<?x16xf32>) : f32 outs(%e[i] : tensor<4xf32>) {
  ^row(%acc: tensor<?xf32>):
    %m = sinter.row_reduce maximumf %acc : tensor<?xf32> -> f32
    sinter.yield %m : f32
  }
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// What is picked by what a reduction gives could be of any piece.

// CHECK-LABEL: func @picked_by_maximum
//       CHECK:   sinter.cut = [{{.*}}"an element is picked by what a reduction gives, or of a row that is no function of its column"]
func.func @picked_by_maximum(%x: tensor<4x16xf32>, %w: tensor<256x16xf32>, %e: tensor<4xf32>) -> tensor<4xf32> {
  %0 = sinter.contract (i = 4) by (j = 256)
      product (k = 16) (%x[i, k] : tensor<4x16xf32>, %w[j, k] : tensor<256x16xf32>) : f32 outs(%e[i] : tensor<4xf32>) {
  ^row(%acc: tensor<256xf32>):
    %zero = arith.constant 0.0 : f32
    %m = sinter.row_reduce maximumf %acc : tensor<256xf32> -> f32
    %i = arith.fptosi %m : f32 to i64
    %p = sinter.pick %acc[%i] else %zero : tensor<256xf32>, i64
    sinter.yield %p : f32
  }
  return %0 : tensor<4xf32>
}

// -----

// A small product is stored, whatever becomes of its rows; one whose rows may be many is not.

// SMALL-LABEL: func @small
//       SMALL:   outs(%{{.+}}[i, j] : tensor<70x1000xf32>)
//       SMALL:   sinter.contract (i = ?, p = 6) by (j = 192)
func.func @small(%x: tensor<70x16xbf16>, %u: tensor<?x16xbf16>, %w: tensor<1000x16xbf16>, %e: tensor<70xf32>, %f: tensor<?xf32>) -> (tensor<70xf32>, tensor<?xf32>) {
  %0 = sinter.contract (i = 70) by (j = 1000)
      product (k = 16) (%x[i, k] : tensor<70x16xbf16>, %w[j, k] : tensor<1000x16xbf16>) : f32 outs(%e[i] : tensor<70xf32>) {
  ^row(%acc: tensor<1000xf32>):
    %m = sinter.row_reduce maximumf %acc : tensor<1000xf32> -> f32
    sinter.yield %m : f32
  }
  %1 = sinter.contract (i = ?) by (j = 1000)
      product (k = 16) (%u[i, k] : tensor<?x16xbf16>, %w[j, k] : tensor<1000x16xbf16>) : f32 outs(%f[i] : tensor<?xf32>) {
  ^row(%acc: tensor<1000xf32>):
    %m = sinter.row_reduce maximumf %acc : tensor<1000xf32> -> f32
    sinter.yield %m : f32
  }
  return %0, %1 : tensor<70xf32>, tensor<?xf32>
}

// -----

// Of f32 products of up to 16 MB are stored: pieces have a tile's 128 columns, which leaves multiprocessors without
// one.

// SMALL-LABEL: func @stored_f32
//       SMALL:   sinter.contract (i = 1056) by (j = 1216)
//       SMALL:   sinter.rowwise (i = 1056) by (j = 1216)
// SMALL-LABEL: func @pieces_f16
//       SMALL:   sinter.contract (i = 1056, p = 7) by (j = 192)
func.func @stored_f32(%x: tensor<1056x208xf32>, %w: tensor<1216x208xf32>, %e: tensor<1056xf32>) -> tensor<1056xf32> {
  %0 = sinter.contract (i = 1056) by (j = 1216)
      product (k = 208) (%x[i, k] : tensor<1056x208xf32>, %w[j, k] : tensor<1216x208xf32>) : f32
      outs(%e[i] : tensor<1056xf32>) {
  ^row(%acc: tensor<1216xf32>):
    %m = sinter.row_reduce maximumf %acc : tensor<1216xf32> -> f32
    sinter.yield %m : f32
  }
  return %0 : tensor<1056xf32>
}
func.func @pieces_f16(%x: tensor<1056x208xf16>, %w: tensor<1216x208xf16>, %e: tensor<1056xf32>) -> tensor<1056xf32> {
  %0 = sinter.contract (i = 1056) by (j = 1216)
      product (k = 208) (%x[i, k] : tensor<1056x208xf16>, %w[j, k] : tensor<1216x208xf16>) : f32
      outs(%e[i] : tensor<1056xf32>) {
  ^row(%acc: tensor<1216xf32>):
    %m = sinter.row_reduce maximumf %acc : tensor<1216xf32> -> f32
    sinter.yield %m : f32
  }
  return %0 : tensor<1056xf32>
}

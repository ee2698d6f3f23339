// RUN: sinter-opt --sinter-simplify --split-input-file %s | FileCheck %s

// What is the same along the sum of a product leaves its side; what is left of the side is tidied.

// A scale for each row and one for each column, one of them a quotient, behind a conversion that the product makes.

// CHECK-LABEL: func @scales
//  CHECK-SAME:   (%[[X:.+]]: tensor<8x16xf16>, %[[R:.+]]: tensor<8xf32>, %[[W:.+]]: tensor<4x16xf16>, %[[Q:.+]]: tensor<4xf32>)
//       CHECK:   product (k = 16) (%[[X]][i, k] : tensor<8x16xf16>, %[[W]][j, k] : tensor<4x16xf16>) : f32
//  CHECK-NEXT:   ins(%[[R]][i] : tensor<8xf32>, %[[Q]][j] : tensor<4xf32>)
//       CHECK:   ^row(%[[P:.+]]: tensor<4xf32>, %[[A:.+]]: f32, %[[B:.+]]: tensor<4xf32>):
//       CHECK:     %[[D:.+]] = arith.divf %[[P]], %[[B]] : tensor<4xf32>
//       CHECK:     %[[AB:.+]] = sinter.broadcast %[[A]]
//       CHECK:     %[[M:.+]] = arith.mulf %[[D]], %[[AB]]
//       CHECK:     sinter.yield %[[M]]
func.func @scales(%x: tensor<8x16xf16>, %r: tensor<8xf32>, %w: tensor<4x16xf16>, %q: tensor<4xf32>) -> tensor<8x4xf32> {
  %f = tensor.empty() : tensor<8x4xf32>
  %y = sinter.contract (i = 8) by (j = 4)
      product (k = 16) (side(%x[i, k] : tensor<8x16xf16>, %r[i] : tensor<8xf32>) {
      ^side(%a: tensor<16xf16>, %s: f32):
        %b = arith.extf %a : tensor<16xf16> to tensor<16xf32>
        %t = sinter.broadcast %s : f32 -> tensor<16xf32>
        %c = arith.mulf %t, %b : tensor<16xf32>
        sinter.yield %c : tensor<16xf32>
      }, side(%w[j, k] : tensor<4x16xf16>, %q[j] : tensor<4xf32>) {
      ^side(%a: tensor<16xf16>, %s: f32):
        %b = arith.extf %a : tensor<16xf16> to tensor<16xf32>
        %t = sinter.broadcast %s : f32 -> tensor<16xf32>
        %c = arith.divf %b, %t : tensor<16xf32>
        sinter.yield %c : tensor<16xf32>
      }) : f32
      outs(%f[i, j] : tensor<8x4xf32>) {
  ^row(%p: tensor<4xf32>):
    sinter.yield %p : tensor<4xf32>
  }
  return %y : tensor<8x4xf32>
}

// -----

// One that is computed, by an index tensor and the position of the row; what varies along the sum stays.

// CHECK-LABEL: func @computed_scale
//       CHECK:   product (k = 16) (side(%{{.+}}[i, k] : tensor<8x16xf32>, %{{.+}}[k] : tensor<16xf32>) {
//       CHECK:     arith.mulf
//   CHECK-NOT:     arith.mulf
//       CHECK:   ins(%{{.+}}[%{{.+}}[i] : tensor<8xi64>] : tensor<50xf32>)
//       CHECK:   ^row(%[[P:.+]]: tensor<4xf64>, %[[A:.+]]: f32):
//       CHECK:     sinter.index i : index
//       CHECK:     %[[S:.+]] = arith.addf %[[A]],
//       CHECK:     %[[W:.+]] = arith.extf %[[S]]
//       CHECK:     %[[B:.+]] = sinter.broadcast %[[W]]
//       CHECK:     arith.mulf %[[P]], %[[B]]
func.func @computed_scale(%x: tensor<8x16xf32>, %g: tensor<16xf32>, %e: tensor<50xf32>, %t: tensor<8xi64>, %w: tensor<4x16xf32>)
    -> tensor<8x4xf64> {
  %f = tensor.empty() : tensor<8x4xf64>
  %y = sinter.contract (i = 8) by (j = 4)
      product (k = 16) (side(%x[i, k] : tensor<8x16xf32>, %g[k] : tensor<16xf32>, %e[%t[i] : tensor<8xi64>] : tensor<50xf32>) {
      ^side(%a: tensor<16xf32>, %b: tensor<16xf32>, %s: f32):
        %i = sinter.index i : index
        %n = arith.index_cast %i : index to i32
        %v = arith.sitofp %n : i32 to f32
        %u = arith.addf %s, %v : f32
        %r = sinter.broadcast %u : f32 -> tensor<16xf32>
        %c = arith.mulf %a, %r : tensor<16xf32>
        %d = arith.mulf %c, %b : tensor<16xf32>
        sinter.yield %d : tensor<16xf32>
      }, %w[j, k] : tensor<4x16xf32>) : f64
      outs(%f[i, j] : tensor<8x4xf64>) {
  ^row(%p: tensor<4xf64>):
    sinter.yield %p : tensor<4xf64>
  }
  return %y : tensor<8x4xf64>
}

// -----

// A factor may be all that keeps the sum of large numbers in its type's range; one that is infinite, times a sum of
// nothing, would be NaN.

// CHECK-LABEL: func @too_large
//   CHECK-NOT:   ins(
//       CHECK:   ^row(%[[P:.+]]: tensor<4xf32>):
//  CHECK-NEXT:     sinter.yield %[[P]]
func.func @too_large(%x: tensor<8x16xbf16>, %r: tensor<8xf32>, %w: tensor<4x16xf16>) -> tensor<8x4xf32> {
  %f = tensor.empty() : tensor<8x4xf32>
  %y = sinter.contract (i = 8) by (j = 4)
      product (k = 16) (side(%x[i, k] : tensor<8x16xbf16>, %r[i] : tensor<8xf32>) {
      ^side(%a: tensor<16xbf16>, %s: f32):
        %b = arith.extf %a : tensor<16xbf16> to tensor<16xf32>
        %t = sinter.broadcast %s : f32 -> tensor<16xf32>
        %c = arith.mulf %b, %t : tensor<16xf32>
        sinter.yield %c : tensor<16xf32>
      }, %w[j, k] : tensor<4x16xf16>) : f32
      outs(%f[i, j] : tensor<8x4xf32>) {
  ^row(%p: tensor<4xf32>):
    sinter.yield %p : tensor<4xf32>
  }
  return %y : tensor<8x4xf32>
}

// -----

// A factor may be all that keeps the sum of large numbers in its type's range; one that is infinite, times a sum of
// nothing, would be NaN.

// CHECK-LABEL: func @other_side_too_large
//   CHECK-NOT:   ins(
//       CHECK:   ^row(%[[P:.+]]: tensor<4xf32>):
//  CHECK-NEXT:     sinter.yield %[[P]]
func.func @other_side_too_large(%x: tensor<8x16xf16>, %r: tensor<8xf32>, %w: tensor<4x16xf32>) -> tensor<8x4xf32> {
  %f = tensor.empty() : tensor<8x4xf32>
  %y = sinter.contract (i = 8) by (j = 4)
      product (k = 16) (side(%x[i, k] : tensor<8x16xf16>, %r[i] : tensor<8xf32>) {
      ^side(%a: tensor<16xf16>, %s: f32):
        %b = arith.extf %a : tensor<16xf16> to tensor<16xf32>
        %t = sinter.broadcast %s : f32 -> tensor<16xf32>
        %c = arith.mulf %b, %t : tensor<16xf32>
        sinter.yield %c : tensor<16xf32>
      }, %w[j, k] : tensor<4x16xf32>) : f32
      outs(%f[i, j] : tensor<8x4xf32>) {
  ^row(%p: tensor<4xf32>):
    sinter.yield %p : tensor<4xf32>
  }
  return %y : tensor<8x4xf32>
}

// -----

// A factor may be all that keeps the sum of large numbers in its type's range; one that is infinite, times a sum of
// nothing, would be NaN.

// CHECK-LABEL: func @no_elements
//   CHECK-NOT:   ins(
//       CHECK:   ^row(%[[P:.+]]: tensor<4xf32>):
//  CHECK-NEXT:     sinter.yield %[[P]]
func.func @no_elements(%x: tensor<8x?xf16>, %r: tensor<8xf32>, %w: tensor<4x?xf16>) -> tensor<8x4xf32> {
  %f = tensor.empty() : tensor<8x4xf32>
  %y = sinter.contract (i = 8) by (j = 4)
      product (k = ?) (side(%x[i, k] : tensor<8x?xf16>, %r[i] : tensor<8xf32>) {
      ^side(%a: tensor<?xf16>, %s: f32):
        %b = arith.extf %a : tensor<?xf16> to tensor<?xf32>
        %t = sinter.broadcast %s : f32 -> tensor<?xf32>
        %c = arith.mulf %b, %t : tensor<?xf32>
        sinter.yield %c : tensor<?xf32>
      }, %w[j, k] : tensor<4x?xf16>) : f32
      outs(%f[i, j] : tensor<8x4xf32>) {
  ^row(%p: tensor<4xf32>):
    sinter.yield %p : tensor<4xf32>
  }
  return %y : tensor<8x4xf32>
}

// -----

// A dividend is no factor, and neither is what is selected.

// CHECK-LABEL: func @no_factors
//   CHECK-NOT:   ins(
//       CHECK:   ^row(%[[P:.+]]: tensor<4xf32>):
//  CHECK-NEXT:     sinter.yield %[[P]]
func.func @no_factors(%x: tensor<8x16xf32>, %r: tensor<8xf32>, %w: tensor<4x16xf32>) -> tensor<8x4xf32> {
  %f = tensor.empty() : tensor<8x4xf32>
  %y = sinter.contract (i = 8) by (j = 4)
      product (k = 16) (side(%x[i, k] : tensor<8x16xf32>, %r[i] : tensor<8xf32>) {
      ^side(%a: tensor<16xf32>, %s: f32):
        %t = sinter.broadcast %s : f32 -> tensor<16xf32>
        %c = arith.divf %t, %a : tensor<16xf32>
        sinter.yield %c : tensor<16xf32>
      }, side(%w[j, k] : tensor<4x16xf32>, %r[j] : tensor<8xf32>) {
      ^side(%a: tensor<16xf32>, %s: f32):
        %t = sinter.broadcast %s : f32 -> tensor<16xf32>
        %b = arith.cmpf ogt, %a, %t : tensor<16xf32>
        %c = arith.select %b, %a, %t : tensor<16xi1>, tensor<16xf32>
        sinter.yield %c : tensor<16xf32>
      }) : f32
      outs(%f[i, j] : tensor<8x4xf32>) {
  ^row(%p: tensor<4xf32>):
    sinter.yield %p : tensor<4xf32>
  }
  return %y : tensor<8x4xf32>
}

// -----

// Results that are many more than what is summed: the few elements of the side are scaled.

// CHECK-LABEL: func @many_results
//       CHECK:   product (k = 2) (side(
//   CHECK-NOT:   ins(
func.func @many_results(%x: tensor<8x2xf32>, %g: tensor<2xf32>, %r: tensor<8xf32>, %w: tensor<400x2xf32>) -> tensor<8x400xf64> {
  %f = tensor.empty() : tensor<8x400xf64>
  %y = sinter.contract (i = 8) by (j = 400)
      product (k = 2) (side(%x[i, k] : tensor<8x2xf32>, %g[k] : tensor<2xf32>, %r[i] : tensor<8xf32>) {
      ^side(%a: tensor<2xf32>, %b: tensor<2xf32>, %s: f32):
        %t = sinter.broadcast %s : f32 -> tensor<2xf32>
        %c = arith.mulf %a, %t : tensor<2xf32>
        %d = arith.mulf %c, %b : tensor<2xf32>
        sinter.yield %d : tensor<2xf32>
      }, %w[j, k] : tensor<400x2xf32>) : f64
      outs(%f[i, j] : tensor<8x400xf64>) {
  ^row(%p: tensor<400xf64>):
    sinter.yield %p : tensor<400xf64>
  }
  return %y : tensor<8x400xf64>
}

// -----

// Accesses that the program does not read go, equal ones are one, and a program of nothing but its access is none. One
// stays that the side needs for what is summed.

// CHECK-LABEL: func @tidied
//       CHECK:   product (k = 16) (side(%{{.+}}[i, k] : tensor<8x16xf32>) {
//  CHECK-NEXT:   ^side(%[[A:.+]]: tensor<16xf32>):
//  CHECK-NEXT:     %[[C:.+]] = arith.addf %[[A]], %[[A]]
//  CHECK-NEXT:     sinter.yield %[[C]]
//  CHECK-NEXT:   }, %{{.+}}[j, k] : tensor<4x16xf32>) : f32
//       CHECK:   product (k1 = 3) (%{{.+}}[i, k1] : tensor<8x3xf32>, side(%{{.+}}[k1] : tensor<3xf32>, %{{.+}}[j] : tensor<4xf32>) {
func.func @tidied(%x: tensor<8x16xf32>, %r: tensor<8xf32>, %w: tensor<4x16xf32>, %u: tensor<8x3xf32>, %v: tensor<3xf32>, %s: tensor<4xf32>)
    -> tensor<8x4xf32> {
  %f = tensor.empty() : tensor<8x4xf32>
  %y = sinter.contract (i = 8) by (j = 4)
      product (k = 16) (side(%x[i, k] : tensor<8x16xf32>, %r[i] : tensor<8xf32>, %x[i, k] : tensor<8x16xf32>) {
      ^side(%a: tensor<16xf32>, %b: f32, %c: tensor<16xf32>):
        %d = arith.addf %a, %c : tensor<16xf32>
        sinter.yield %d : tensor<16xf32>
      }, side(%w[j, k] : tensor<4x16xf32>) {
      ^side(%a: tensor<16xf32>):
        sinter.yield %a : tensor<16xf32>
      }) : f32
      product (k1 = 3) (%u[i, k1] : tensor<8x3xf32>, side(%v[k1] : tensor<3xf32>, %s[j] : tensor<4xf32>) {
      ^side(%a: tensor<3xf32>, %b: f32):
        %c = sinter.broadcast %b : f32 -> tensor<3xf32>
        sinter.yield %c : tensor<3xf32>
      }) : f32
      outs(%f[i, j] : tensor<8x4xf32>) {
  ^row(%p: tensor<4xf32>, %q: tensor<4xf32>):
    %t = arith.addf %p, %q : tensor<4xf32>
    sinter.yield %t : tensor<4xf32>
  }
  return %y : tensor<8x4xf32>
}

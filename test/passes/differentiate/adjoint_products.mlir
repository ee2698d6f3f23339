// RUN: sinter-opt --split-input-file --verify-diagnostics --sinter-differentiate %s | FileCheck %s

// A gradient of a product is a product over the dimensions that the side does not have.

// CHECK-LABEL: func.func @linear
// CHECK:       %[[DY:.*]] = sinter.rowwise (i = 4) by (j = 8)
// CHECK:         arith.select
// CHECK:       sinter.contract (i = 4) by (k = 16)
// CHECK-NEXT:    product (j = 8) (%[[DY]][i, j] : tensor<4x8xf32>, %arg1[j, k] : tensor<8x16xf32>) : f32
// CHECK:       sinter.contract (j = 8) by (k = 16)
// CHECK-NEXT:    product (i = 4) (%[[DY]][i, j] : tensor<4x8xf32>, %arg0[i, k] : tensor<4x16xf32>) : f32
func.func @linear(%x: tensor<4x16xf32>, %w: tensor<8x16xf32>, %g: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x16xf32>, tensor<8x16xf32>) {
  %e = tensor.empty() : tensor<4x8xf32>
  %y = sinter.contract (i = 4) by (j = 8)
      product (k = 16) (%x[i, k] : tensor<4x16xf32>, %w[j, k] : tensor<8x16xf32>) : f32
      outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%acc: tensor<8xf32>):
    %zero = arith.constant 0.0 : f32
    %zeros = sinter.broadcast %zero : f32 -> tensor<8xf32>
    %p = arith.cmpf ogt, %acc, %zeros : tensor<8xf32>
    %r = arith.select %p, %acc, %zeros : tensor<8xi1>, tensor<8xf32>
    sinter.yield %r : tensor<8xf32>
  }
  %d:2 = sinter.differentiate %y upstream(%g) wrt(%x, %w) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x16xf32>, tensor<8x16xf32>) -> (tensor<4x16xf32>, tensor<8x16xf32>)
  return %y, %d#0, %d#1 : tensor<4x8xf32>, tensor<4x16xf32>, tensor<8x16xf32>
}

// -----

// A row program that is linear in the product needs it no second time; a batch stays a row.

// CHECK-LABEL: func.func @batched
// CHECK-COUNT-1: sinter.contract (b = 3, i = 4) by (j = 8)
// CHECK:       sinter.contract (b = 3, i = 4) by (k = 16)
// CHECK-NEXT:    product (j = 8) (%arg2[b, i, j] : tensor<3x4x8xf32>, %arg1[b, k, j] : tensor<3x16x8xf32>) : f32
func.func @batched(%x: tensor<3x4x16xf32>, %w: tensor<3x16x8xf32>, %g: tensor<3x4x8xf32>) -> (tensor<3x4x8xf32>, tensor<3x4x16xf32>) {
  %e = tensor.empty() : tensor<3x4x8xf32>
  %y = sinter.contract (b = 3, i = 4) by (j = 8)
      product (k = 16) (%x[b, i, k] : tensor<3x4x16xf32>, %w[b, k, j] : tensor<3x16x8xf32>) : f32
      outs(%e[b, i, j] : tensor<3x4x8xf32>) {
  ^row(%acc: tensor<8xf32>):
    sinter.yield %acc : tensor<8xf32>
  }
  %d = sinter.differentiate %y upstream(%g) wrt(%x) : (tensor<3x4x8xf32>, tensor<3x4x8xf32>, tensor<3x4x16xf32>) -> tensor<3x4x16xf32>
  return %y, %d : tensor<3x4x8xf32>, tensor<3x4x16xf32>
}

// -----

// Nothing is left to sum over: the gradient of a matrix that multiplies a vector is an outer product.

// CHECK-LABEL: func.func @outer
// CHECK:       sinter.rowwise (i = 4) by (k = 16)
// CHECK-NEXT:    ins(%{{.*}}[i] : tensor<4xf32>, %arg1[k] : tensor<16xf32>)
// CHECK:         arith.mulf
func.func @outer(%x: tensor<4x16xf32>, %v: tensor<16xf32>, %g: tensor<4xf32>) -> tensor<4x16xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %y = sinter.contract (i = 4) by ()
      product (k = 16) (%x[i, k] : tensor<4x16xf32>, %v[k] : tensor<16xf32>) : f32
      outs(%e[i] : tensor<4xf32>) {
  ^row(%acc: tensor<1xf32>):
    %s = sinter.row_reduce add %acc : tensor<1xf32> -> f32
    sinter.yield %s : f32
  }
  %d = sinter.differentiate %y upstream(%g) wrt(%x) : (tensor<4xf32>, tensor<4xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
  return %d : tensor<4x16xf32>
}

// -----

// Heads that share keys: a head is counted as four times its group and a rest, which the gradient by the keys sums
// over; where the last group has fewer heads, what would be past them is 0.

// CHECK-LABEL: func.func @shared_keys
// CHECK:       sinter.contract (h = 2, j = 9) by (d = 16)
// CHECK-NEXT:    product (k = 4, i = 5) (%arg2[h * 4 + k, i, j] : tensor<8x5x9xf32>, %arg0[h * 4 + k, i, d] : tensor<8x5x16xf32>) : f32
// CHECK-NEXT:    outs(%{{.*}}[h, j, d] : tensor<2x9x16xf32>)
func.func @shared_keys(%q: tensor<8x5x16xf32>, %k: tensor<2x9x16xf32>, %g: tensor<8x5x9xf32>) -> tensor<2x9x16xf32> {
  %e = tensor.empty() : tensor<8x5x9xf32>
  %y = sinter.contract (h = 8, i = 5) by (j = 9)
      product (d = 16) (%q[h, i, d] : tensor<8x5x16xf32>, %k[h floordiv 4, j, d] : tensor<2x9x16xf32>) : f32
      outs(%e[h, i, j] : tensor<8x5x9xf32>) {
  ^row(%acc: tensor<9xf32>):
    sinter.yield %acc : tensor<9xf32>
  }
  %d = sinter.differentiate %y upstream(%g) wrt(%k) : (tensor<8x5x9xf32>, tensor<8x5x9xf32>, tensor<2x9x16xf32>) -> tensor<2x9x16xf32>
  return %d : tensor<2x9x16xf32>
}

// Both sides are read by groups: the heads of one are summed before the product, which could not sum over what only
// one of its sides knows.

// CHECK-LABEL: func.func @groups_of_both
// CHECK:       %[[SUM:.+]] = sinter.rowwise (h = 2, j = 9, i = 5) by (k = 4)
// CHECK-NEXT:    ins(%arg2[h * 4 + k, i, j] : tensor<8x5x9xf32>)
// CHECK:         sinter.row_reduce add
// CHECK:       sinter.contract (h = 2, j = 9) by (d = 16)
// CHECK-NEXT:    product (i = 5) (%[[SUM]][h, j, i] : tensor<2x9x5xf32>, %arg0[h, i, d] : tensor<2x5x16xf32>) : f32
func.func @groups_of_both(%q: tensor<2x5x16xf32>, %k: tensor<2x9x16xf32>, %g: tensor<8x5x9xf32>) -> tensor<2x9x16xf32> {
  %e = tensor.empty() : tensor<8x5x9xf32>
  %y = sinter.contract (h = 8, i = 5) by (j = 9)
      product (d = 16) (%q[h floordiv 4, i, d] : tensor<2x5x16xf32>, %k[h floordiv 4, j, d] : tensor<2x9x16xf32>) : f32
      outs(%e[h, i, j] : tensor<8x5x9xf32>) {
  ^row(%acc: tensor<9xf32>):
    sinter.yield %acc : tensor<9xf32>
  }
  %d = sinter.differentiate %y upstream(%g) wrt(%k) : (tensor<8x5x9xf32>, tensor<8x5x9xf32>, tensor<2x9x16xf32>) -> tensor<2x9x16xf32>
  return %d : tensor<2x9x16xf32>
}

// CHECK-LABEL: func.func @fewer_heads
// CHECK:       sinter.contract (h = 2, j = 9) by (d = 16)
// CHECK-NEXT:    product (k = 4, i = 5) (%arg2[h * 4 + k, i, j] : tensor<7x5x9xf32> else 0.000000e+00, %arg0[h * 4 + k, i, d] : tensor<7x5x16xf32> else 0.000000e+00) : f32
func.func @fewer_heads(%q: tensor<7x5x16xf32>, %k: tensor<2x9x16xf32>, %g: tensor<7x5x9xf32>) -> tensor<2x9x16xf32> {
  %e = tensor.empty() : tensor<7x5x9xf32>
  %y = sinter.contract (h = 7, i = 5) by (j = 9)
      product (d = 16) (%q[h, i, d] : tensor<7x5x16xf32>, %k[h floordiv 4, j, d] : tensor<2x9x16xf32>) : f32
      outs(%e[h, i, j] : tensor<7x5x9xf32>) {
  ^row(%acc: tensor<9xf32>):
    sinter.yield %acc : tensor<9xf32>
  }
  %d = sinter.differentiate %y upstream(%g) wrt(%k) : (tensor<7x5x9xf32>, tensor<7x5x9xf32>, tensor<2x9x16xf32>) -> tensor<2x9x16xf32>
  return %d : tensor<2x9x16xf32>
}

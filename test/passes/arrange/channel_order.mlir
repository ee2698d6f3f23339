// RUN: sinter-opt --sinter-channel-order --split-input-file %s | FileCheck %s

// What a window reads and a product gives have channels last: so has what lies between, and the product has channels
// for columns.

// CHECK-LABEL: func @between
//       CHECK:   %[[H:.+]] = sinter.rowwise (n = 2, c = 20, y = 9, x = 8) by (r = 3, s = 3)
//       CHECK:       outs(%{{.+}}[n, y, x, c] : tensor<2x9x8x20xf32>)
//       CHECK:   sinter.contract (n = 2, y = 9, x = 8) by (o = 48)
//  CHECK-NEXT:       product (c = 20, r = 1, s = 1) (%arg2[o, c, r, s] : tensor<48x20x1x1xf32>, %[[H]][n, y + r, x + s, c] : tensor<2x9x8x20xf32>) : f32
//  CHECK-NEXT:       ins(%arg3[o] : tensor<48xf32>)
//  CHECK-NEXT:       outs(%arg4[n, y, x, o] : tensor<2x9x8x48xf32>)
//  CHECK-NEXT:   ^row(%[[P:.+]]: tensor<48xf32>, %[[B:.+]]: tensor<48xf32>):
//  CHECK-NEXT:     arith.addf %[[P]], %[[B]] : tensor<48xf32>
func.func @between(%x: tensor<2x11x10x20xf32>, %v: tensor<20x3x3xf32>, %w: tensor<48x20x1x1xf32>, %b: tensor<48xf32>, %e: tensor<2x9x8x48xf32>)
    -> tensor<2x9x8x48xf32> {
  %d = tensor.empty() : tensor<2x20x9x8xf32>
  %h = sinter.rowwise (n = 2, c = 20, y = 9, x = 8) by (r = 3, s = 3)
      ins(%x[n, y + r, x + s, c] : tensor<2x11x10x20xf32>, %v[c, r, s] : tensor<20x3x3xf32>) outs(%d[n, c, y, x] : tensor<2x20x9x8xf32>) {
  ^row(%a: tensor<9xf32>, %k: tensor<9xf32>):
    %p = arith.mulf %a, %k : tensor<9xf32>
    %t = sinter.row_reduce add %p : tensor<9xf32> -> f32
    sinter.yield %t : f32
  }
  %y = sinter.contract (n = 2, o = 48) by (y = 9, x = 8)
      product (c = 20, r = 1, s = 1) (%w[o, c, r, s] : tensor<48x20x1x1xf32>, %h[n, c, y + r, x + s] : tensor<2x20x9x8xf32>) : f32
      ins(%b[o] : tensor<48xf32>) outs(%e[n, y, x, o] : tensor<2x9x8x48xf32>) {
  ^row(%p: tensor<72xf32>, %c: f32):
    %q = sinter.broadcast %c : f32 -> tensor<72xf32>
    %r = arith.addf %p, %q : tensor<72xf32>
    sinter.yield %r : tensor<72xf32>
  }
  return %y : tensor<2x9x8x48xf32>
}

// -----

// What a window makes goes on: a product of the image that is turned gives one with its own channels last, which the
// next window reads. The sum of places is of no image.

// CHECK-LABEL: func @goes_on
//       CHECK:   %[[G:.+]] = sinter.contract (n = 2, y = 11, x = 10) by (o = 16)
//       CHECK:       outs(%{{.+}}[n, y, x, o] : tensor<2x11x10x16xf32>)
//       CHECK:   %[[H:.+]] = sinter.rowwise (n = 2, o = 16, y = 9, x = 8) by (r = 3, s = 3)
//  CHECK-NEXT:       ins(%[[G]][n, y + r, x + s, o] : tensor<2x11x10x16xf32>
//  CHECK-NEXT:       outs(%{{.+}}[n, y, x, o] : tensor<2x9x8x16xf32>)
//       CHECK:   ins(%[[H]][n, y, x, o] : tensor<2x9x8x16xf32>)
func.func @goes_on(%x: tensor<2x11x10x20xf32>, %w: tensor<16x20xf32>, %v: tensor<16x3x3xf32>, %m: tensor<2x16xf32>) -> tensor<2x16xf32> {
  %d = tensor.empty() : tensor<2x16x11x10xf32>
  %f = tensor.empty() : tensor<2x16x9x8xf32>
  %g = sinter.contract (n = 2, o = 16) by (y = 11, x = 10)
      product (c = 20) (%w[o, c] : tensor<16x20xf32>, %x[n, y, x, c] : tensor<2x11x10x20xf32>) : f32
      outs(%d[n, o, y, x] : tensor<2x16x11x10xf32>) {
  ^row(%p: tensor<110xf32>):
    sinter.yield %p : tensor<110xf32>
  }
  %h = sinter.rowwise (n = 2, o = 16, y = 9, x = 8) by (r = 3, s = 3)
      ins(%g[n, o, y + r, x + s] : tensor<2x16x11x10xf32>, %v[o, r, s] : tensor<16x3x3xf32>) outs(%f[n, o, y, x] : tensor<2x16x9x8xf32>) {
  ^row(%a: tensor<9xf32>, %k: tensor<9xf32>):
    %p = arith.mulf %a, %k : tensor<9xf32>
    %t = sinter.row_reduce add %p : tensor<9xf32> -> f32
    sinter.yield %t : f32
  }
  %z = sinter.rowwise (n = 2, o = 16) by (y = 9, x = 8) ins(%h[n, o, y, x] : tensor<2x16x9x8xf32>) outs(%m[n, o] : tensor<2x16xf32>) {
  ^row(%a: tensor<72xf32>):
    %t = sinter.row_reduce add %a : tensor<72xf32> -> f32
    sinter.yield %t : f32
  }
  return %z : tensor<2x16xf32>
}

// -----

// Dimensions of 1 that a reshape takes away are not stored, so that the gradient is turned as any other.

// CHECK-LABEL: func @units
//       CHECK:   %[[G:.+]] = sinter.contract (n = 2, y = 9, x = 8) by (c = 20)
//       CHECK:       outs(%{{.+}}[n, y, x, c] : tensor<2x9x8x20xf32>)
//   CHECK-NOT:   collapse_shape
//       CHECK:       ins(%arg0[n, y + r, x + s, c] : tensor<2x11x10x20xf32>, %[[G]][n, y, x, c] : tensor<2x9x8x20xf32>)
func.func @units(%x: tensor<2x11x10x20xf32>, %g: tensor<2x9x8x48xf32>, %w: tensor<48x20xf32>, %e: tensor<2x9x8x20xf32>) -> tensor<2x9x8x20xf32> {
  %d = tensor.empty() : tensor<2x20x9x1x8x1xf32>
  %t = sinter.contract (n = 2, y = 9, c = 20) by (x = 8)
      product (o = 48) (%w[o, c] : tensor<48x20xf32>, %g[n, y, x, o] : tensor<2x9x8x48xf32>) : f32
      outs(%d[n, c, y, 0, x, 0] : tensor<2x20x9x1x8x1xf32>) {
  ^row(%p: tensor<8xf32>):
    sinter.yield %p : tensor<8xf32>
  }
  %u = tensor.collapse_shape %t [[0], [1], [2, 3], [4, 5]] : tensor<2x20x9x1x8x1xf32> into tensor<2x20x9x8xf32>
  %y = sinter.rowwise (n = 2, y = 9, x = 8, c = 20) by (r = 3, s = 3)
      ins(%x[n, y + r, x + s, c] : tensor<2x11x10x20xf32>, %u[n, c, y, x] : tensor<2x20x9x8xf32>) outs(%e[n, y, x, c] : tensor<2x9x8x20xf32>) {
  ^row(%a: tensor<9xf32>, %b: f32):
    %s = sinter.row_reduce add %a : tensor<9xf32> -> f32
    %p = arith.mulf %s, %b : f32
    sinter.yield %p : f32
  }
  return %y : tensor<2x9x8x20xf32>
}

// -----

// Where both sides disagree an image stays, and so does one that is given back, or that no window has to do with.

// CHECK-LABEL: func @disagree
//       CHECK:   outs(%{{.+}}[n, c, y, x] : tensor<2x20x9x8xf32>)
//       CHECK:   ins(%{{.+}}[n, c, y, x] : tensor<2x20x9x8xf32>, %arg1[n, c, y, x]
func.func @disagree(%x: tensor<2x11x10x20xf32>, %z: tensor<2x20x9x8xf32>, %e: tensor<2x9x8x20xf32>) -> tensor<2x9x8x20xf32> {
  %d = tensor.empty() : tensor<2x20x9x8xf32>
  %h = sinter.rowwise (n = 2, c = 20, y = 9, x = 8) by (r = 3, s = 3)
      ins(%x[n, y + r, x + s, c] : tensor<2x11x10x20xf32>) outs(%d[n, c, y, x] : tensor<2x20x9x8xf32>) {
  ^row(%a: tensor<9xf32>):
    %t = sinter.row_reduce maximumf %a : tensor<9xf32> -> f32
    sinter.yield %t : f32
  }
  %y = sinter.rowwise (n = 2, c = 20, y = 9) by (x = 8)
      ins(%h[n, c, y, x] : tensor<2x20x9x8xf32>, %z[n, c, y, x] : tensor<2x20x9x8xf32>) outs(%e[n, y, x, c] : tensor<2x9x8x20xf32>) {
  ^row(%a: tensor<8xf32>, %b: tensor<8xf32>):
    %s = arith.mulf %a, %b : tensor<8xf32>
    sinter.yield %s : tensor<8xf32>
  }
  return %y : tensor<2x9x8x20xf32>
}

// -----

// CHECK-LABEL: func @given_back
//       CHECK:   outs(%{{.+}}[n, c, y, x] : tensor<2x20x9x8xf32>)
//  CHECK-NEXT:   ^row
func.func @given_back(%x: tensor<2x11x10x20xf32>) -> tensor<2x20x9x8xf32> {
  %d = tensor.empty() : tensor<2x20x9x8xf32>
  %h = sinter.rowwise (n = 2, c = 20, y = 9, x = 8) by (r = 3, s = 3)
      ins(%x[n, y + r, x + s, c] : tensor<2x11x10x20xf32>) outs(%d[n, c, y, x] : tensor<2x20x9x8xf32>) {
  ^row(%a: tensor<9xf32>):
    %t = sinter.row_reduce maximumf %a : tensor<9xf32> -> f32
    sinter.yield %t : f32
  }
  return %h : tensor<2x20x9x8xf32>
}

// -----

// A product of several taps reads the image as it is.

// CHECK-LABEL: func @taps
//       CHECK:   outs(%{{.+}}[n, c, y, x] : tensor<2x20x9x8xf32>)
//       CHECK:   sinter.contract (n = 2, o = 3) by (y = 7, x = 6)
func.func @taps(%x: tensor<2x11x10x20xf32>, %w: tensor<3x20x3x3xf32>, %e: tensor<2x7x6x3xf32>) -> tensor<2x7x6x3xf32> {
  %d = tensor.empty() : tensor<2x20x9x8xf32>
  %h = sinter.rowwise (n = 2, c = 20, y = 9, x = 8) by (r = 3, s = 3)
      ins(%x[n, y + r, x + s, c] : tensor<2x11x10x20xf32>) outs(%d[n, c, y, x] : tensor<2x20x9x8xf32>) {
  ^row(%a: tensor<9xf32>):
    %t = sinter.row_reduce maximumf %a : tensor<9xf32> -> f32
    sinter.yield %t : f32
  }
  %y = sinter.contract (n = 2, o = 3) by (y = 7, x = 6)
      product (c = 20, r = 3, s = 3) (%w[o, c, r, s] : tensor<3x20x3x3xf32>, %h[n, c, y + r, x + s] : tensor<2x20x9x8xf32>) : f32
      outs(%e[n, y, x, o] : tensor<2x7x6x3xf32>) {
  ^row(%p: tensor<42xf32>):
    sinter.yield %p : tensor<42xf32>
  }
  return %y : tensor<2x7x6x3xf32>
}

// -----

// A row program that needs all places of a channel keeps them as columns.

// CHECK-LABEL: func @sums
//       CHECK:   sinter.contract (n = 2, o = 48) by (y = 9, x = 8)
func.func @sums(%x: tensor<2x9x8x20xf32>, %w: tensor<48x20xf32>, %e: tensor<2x9x8x48xf32>) -> tensor<2x9x8x48xf32> {
  %y = sinter.contract (n = 2, o = 48) by (y = 9, x = 8)
      product (c = 20) (%w[o, c] : tensor<48x20xf32>, %x[n, y, x, c] : tensor<2x9x8x20xf32>) : f32
      outs(%e[n, y, x, o] : tensor<2x9x8x48xf32>) {
  ^row(%p: tensor<72xf32>):
    %s = sinter.row_reduce add %p : tensor<72xf32> -> f32
    %t = sinter.broadcast %s : f32 -> tensor<72xf32>
    %d = arith.divf %p, %t : tensor<72xf32>
    sinter.yield %d : tensor<72xf32>
  }
  return %y : tensor<2x9x8x48xf32>
}

// -----

// A norm of channels between a window and a product, both of which have lines last, stores its numbers line by line;
// the exporter has its channels last.

// CHECK-LABEL: func @norm
//       CHECK:   %[[N:.+]] = sinter.rowwise (i = 24, j = 25) by (k = 40)
//       CHECK:       outs(%{{.+}}[i, k, j] : tensor<24x40x25xf32>)
//       CHECK:   sinter.contract (j = 16) by (k = 24, l = 25)
//  CHECK-NEXT:       product (m = 40) (%{{.+}}[j, m] : tensor<16x40xf32>, %[[N]][k, m, l] : tensor<24x40x25xf32>) : f32
func.func @norm(%x: tensor<40x24x25xf32>, %w: tensor<40x3x3xf32>, %v: tensor<16x40xf32>) -> tensor<16x24x25xf32> {
  %e = tensor.empty() : tensor<40x24x25xf32>
  %f = tensor.empty() : tensor<24x25x40xf32>
  %g = tensor.empty() : tensor<16x24x25xf32>
  %h = sinter.rowwise (j = 40, k = 24, l = 25) by (m = 3, n = 3)
      ins(%x[j, k + m - 1, l + n - 1] : tensor<40x24x25xf32> else 0.0, %w[j, m, n] : tensor<40x3x3xf32>)
      outs(%e[j, k, l] : tensor<40x24x25xf32>) {
  ^row(%a: tensor<9xf32>, %b: tensor<9xf32>):
    %p = arith.mulf %a, %b : tensor<9xf32>
    %s = sinter.row_reduce add %p : tensor<9xf32> -> f32
    sinter.yield %s : f32
  }
  %n = sinter.rowwise (i = 24, j = 25) by (k = 40)
      ins(%h[k, i, j] : tensor<40x24x25xf32>) outs(%f[i, j, k] : tensor<24x25x40xf32>) {
  ^row(%a: tensor<40xf32>):
    %p = arith.mulf %a, %a : tensor<40xf32>
    %s = sinter.row_reduce add %p : tensor<40xf32> -> f32
    %r = math.rsqrt %s : f32
    %b = sinter.broadcast %r : f32 -> tensor<40xf32>
    %y = arith.mulf %a, %b : tensor<40xf32>
    sinter.yield %y : tensor<40xf32>
  }
  %y = sinter.contract (j = 16) by (k = 24, l = 25)
      product (m = 40) (%v[j, m] : tensor<16x40xf32>, %n[k, l, m] : tensor<24x25x40xf32>) : f32
      outs(%g[j, k, l] : tensor<16x24x25xf32>) {
  ^row(%a: tensor<600xf32>):
    sinter.yield %a : tensor<600xf32>
  }
  return %y : tensor<16x24x25xf32>
}

// -----

// The product has its channels last: its reader and its maker disagree, and the norm's result stays.

// CHECK-LABEL: func @stays
//       CHECK:   sinter.rowwise (i = 24, j = 25) by (k = 40)
//       CHECK:       outs(%{{.+}}[i, j, k] : tensor<24x25x40xf32>)
func.func @stays(%x: tensor<40x24x25xf32>, %w: tensor<40x3x3xf32>, %v: tensor<16x40xf32>) -> tensor<24x25x16xf32> {
  %e = tensor.empty() : tensor<40x24x25xf32>
  %f = tensor.empty() : tensor<24x25x40xf32>
  %g = tensor.empty() : tensor<24x25x16xf32>
  %h = sinter.rowwise (j = 40, k = 24, l = 25) by (m = 3, n = 3)
      ins(%x[j, k + m - 1, l + n - 1] : tensor<40x24x25xf32> else 0.0, %w[j, m, n] : tensor<40x3x3xf32>)
      outs(%e[j, k, l] : tensor<40x24x25xf32>) {
  ^row(%a: tensor<9xf32>, %b: tensor<9xf32>):
    %p = arith.mulf %a, %b : tensor<9xf32>
    %s = sinter.row_reduce add %p : tensor<9xf32> -> f32
    sinter.yield %s : f32
  }
  %n = sinter.rowwise (i = 24, j = 25) by (k = 40)
      ins(%h[k, i, j] : tensor<40x24x25xf32>) outs(%f[i, j, k] : tensor<24x25x40xf32>) {
  ^row(%a: tensor<40xf32>):
    %p = arith.mulf %a, %a : tensor<40xf32>
    %s = sinter.row_reduce add %p : tensor<40xf32> -> f32
    %r = math.rsqrt %s : f32
    %b = sinter.broadcast %r : f32 -> tensor<40xf32>
    %y = arith.mulf %a, %b : tensor<40xf32>
    sinter.yield %y : tensor<40xf32>
  }
  %y = sinter.contract (k = 24, l = 25) by (j = 16)
      product (m = 40) (%n[k, l, m] : tensor<24x25x40xf32>, %v[j, m] : tensor<16x40xf32>) : f32
      outs(%g[k, l, j] : tensor<24x25x16xf32>) {
  ^row(%a: tensor<16xf32>):
    sinter.yield %a : tensor<16xf32>
  }
  return %y : tensor<24x25x16xf32>
}

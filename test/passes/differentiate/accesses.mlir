// RUN: sinter-opt --sinter-differentiate --split-input-file %s | FileCheck %s

// An input that all rows share is summed over them.

// CHECK-LABEL: func @bias
//       CHECK:   sinter.rowwise (i = 4) by (j = 8)
//       CHECK:       reduce(add [j] : f32)
//  CHECK-NEXT:       outs(%{{.+}}[j] : tensor<8xf32>)
func.func @bias(%b: tensor<8xf32>, %g: tensor<4x8xf32>, %e: tensor<4x8xf32>) -> tensor<8xf32> {
  %y = sinter.rowwise (i = 4) by (j = 8) ins(%b[j] : tensor<8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%a: tensor<8xf32>):
    sinter.yield %a : tensor<8xf32>
  }
  %d = sinter.differentiate %y upstream(%g) wrt(%b) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %d : tensor<8xf32>
}

// -----

// A column of size 1 is a number for each row.

// CHECK-LABEL: func @column
//       CHECK:       outs(%{{.+}}[i, 0] : tensor<4x1xf32>)
//       CHECK:     %[[S:.+]] = sinter.row_reduce add
//  CHECK-NEXT:     sinter.yield %[[S]]
func.func @column(%b: tensor<4x1xf32>, %g: tensor<4x8xf32>, %e: tensor<4x8xf32>) -> tensor<4x1xf32> {
  %y = sinter.rowwise (i = 4) by (j = 8) ins(%b[i, 0] : tensor<4x1xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%a: f32):
    %r = sinter.broadcast %a : f32 -> tensor<8xf32>
    sinter.yield %r : tensor<8xf32>
  }
  %d = sinter.differentiate %y upstream(%g) wrt(%b) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x1xf32>
  return %d : tensor<4x1xf32>
}

// -----

// A slice: nothing goes to what is outside of it.

// CHECK-LABEL: func @slice
//       CHECK:   %[[T:.+]] = sinter.rowwise (i = 4) by (j = 5)
//       CHECK:   sinter.rowwise (d = 4) by (d1 = 8)
//  CHECK-NEXT:       ins(%[[T]][d, d1 - 3] : tensor<4x5xf32> else 0.0
//  CHECK-NEXT:       outs(%{{.+}}[d, d1] : tensor<4x8xf32>)
func.func @slice(%x: tensor<4x8xf32>, %g: tensor<4x5xf32>, %e: tensor<4x5xf32>) -> tensor<4x8xf32> {
  %y = sinter.rowwise (i = 4) by (j = 5) ins(%x[i, j + 3] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x5xf32>) {
  ^row(%a: tensor<5xf32>):
    %r = math.exp %a : tensor<5xf32>
    sinter.yield %r : tensor<5xf32>
  }
  %d = sinter.differentiate %y upstream(%g) wrt(%x) : (tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %d : tensor<4x8xf32>
}

// -----

// Dimensions that the input does not have are summed over: leading ones as rows, others as columns of a form in the
// input's rows.

// CHECK-LABEL: func @partial
//       CHECK:   sinter.rowwise (g = 2, c = 4) by (b = 3, k = 5)
//  CHECK-NEXT:       ins(%{{.+}}[b, g, c, k] : tensor<3x2x4x5xf32>)
//  CHECK-NEXT:       outs(%{{.+}}[g, c] : tensor<2x4xf32>)
//       CHECK:     sinter.row_reduce add
//       CHECK:   sinter.rowwise (d = 3) by (d1 = 2, d2 = 4, d3 = 5)
//       CHECK:       reduce(add [d1, d2, d3] : f32)
func.func @partial(%s: tensor<2x4xf32>, %p: tensor<2x4x5xf32>, %g: tensor<3x2x4x5xf32>, %e: tensor<3x2x4x5xf32>) -> (tensor<2x4xf32>, tensor<2x4x5xf32>) {
  %y = sinter.rowwise (b = 3, g = 2) by (c = 4, k = 5) ins(%s[g, c] : tensor<2x4xf32>, %p[g, c, k] : tensor<2x4x5xf32>) outs(%e[b, g, c, k] : tensor<3x2x4x5xf32>) {
  ^row(%a: tensor<20xf32>, %b: tensor<20xf32>):
    %r = arith.addf %a, %b : tensor<20xf32>
    sinter.yield %r : tensor<20xf32>
  }
  %d, %dp = sinter.differentiate %y upstream(%g) wrt(%s, %p)
      : (tensor<3x2x4x5xf32>, tensor<3x2x4x5xf32>, tensor<2x4xf32>, tensor<2x4x5xf32>) -> (tensor<2x4xf32>, tensor<2x4x5xf32>)
  return %d, %dp : tensor<2x4xf32>, tensor<2x4x5xf32>
}

// -----

// Splits and joins are undone: what was split is the same in another shape.

// CHECK-LABEL: func @digits
//       CHECK:   tensor.collapse_shape %{{.+}} {{\[\[}}0, 1]] : tensor<2x4xf32> into tensor<8xf32>
//       CHECK:   ins(%{{.+}}[d * 4 + d1] : tensor<8xf32>
func.func @digits(%x: tensor<8xf32>, %z: tensor<2x4xf32>, %e: tensor<2x4xf32>, %f: tensor<8xf32>) -> (tensor<8xf32>, tensor<2x4xf32>) {
  %y = sinter.rowwise (g = 2) by (c = 4) ins(%x[g * 4 + c] : tensor<8xf32>) outs(%e[g, c] : tensor<2x4xf32>) {
  ^row(%a: tensor<4xf32>):
    %r = math.exp %a : tensor<4xf32>
    sinter.yield %r : tensor<4xf32>
  }
  %d = sinter.differentiate %y wrt(%x) : (tensor<2x4xf32>, tensor<8xf32>) -> tensor<8xf32>
  %w = sinter.rowwise () by (j = 8) ins(%z[j floordiv 4, j mod 4] : tensor<2x4xf32>) outs(%f[j] : tensor<8xf32>) {
  ^row(%a: tensor<8xf32>):
    %r = math.exp %a : tensor<8xf32>
    sinter.yield %r : tensor<8xf32>
  }
  %dz = sinter.differentiate %w wrt(%z) : (tensor<8xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %d, %dz : tensor<8xf32>, tensor<2x4xf32>
}

// -----

// The same of images of a batch of any size, where what is split is made by a form.

// CHECK-LABEL: func @digits_of_any
//       CHECK:   %[[D:.+]] = tensor.collapse_shape %{{.+}} {{\[\[}}0], [1, 2], [3]] : tensor<?x2x4x3xf32> into tensor<?x8x3xf32>
//       CHECK:   ins(%{{.+}}[n, h, j] : tensor<?x8x3xf32>, %[[D]][n, h, j] : tensor<?x8x3xf32>)
func.func @digits_of_any(%x: tensor<?x8x3xf32>, %f: tensor<?x8x3xf32>, %e: tensor<?x2x4x3xf32>) -> tensor<?x8x3xf32> {
  %s = sinter.rowwise (n = ?, h = 8) by (j = 3) ins(%x[n, h, j] : tensor<?x8x3xf32>)
      outs(%f[n, h, j] : tensor<?x8x3xf32>) {
  ^row(%a: tensor<3xf32>):
    %r = math.exp %a : tensor<3xf32>
    sinter.yield %r : tensor<3xf32>
  }
  %y = sinter.rowwise (n = ?, g = 2, c = 4) by (j = 3) ins(%s[n, g * 4 + c, j] : tensor<?x8x3xf32>)
      outs(%e[n, g, c, j] : tensor<?x2x4x3xf32>) {
  ^row(%a: tensor<3xf32>):
    %r = math.exp %a : tensor<3xf32>
    sinter.yield %r : tensor<3xf32>
  }
  %d = sinter.differentiate %y wrt(%x) : (tensor<?x2x4x3xf32>, tensor<?x8x3xf32>) -> tensor<?x8x3xf32>
  return %d : tensor<?x8x3xf32>
}

// -----

// A window with a stride of 2: only every second tap is at a place, so two of three are summed. One that is behind the
// last reads outside.

// CHECK-LABEL: func @window
//       CHECK:   sinter.rowwise (d = 9) by (d1 = 2)
//  CHECK-NEXT:       ins(%{{.+}}[d1 * -1 + (d + 1) floordiv 2, d + d1 * 2 - ((d + 1) floordiv 2) * 2 + 1] : tensor<4x3xf32> else 0.0
//   CHECK-NOT:     arith.remsi
//       CHECK:     sinter.row_reduce add
func.func @window(%x: tensor<9xf32>, %g: tensor<4xf32>, %e: tensor<4xf32>) -> tensor<9xf32> {
  %y = sinter.rowwise (j = 4) by (k = 3) ins(%x[j * 2 + k - 1] : tensor<9xf32> else 0.0) outs(%e[j] : tensor<4xf32>) {
  ^row(%a: tensor<3xf32>):
    %s = sinter.row_reduce add %a : tensor<3xf32> -> f32
    sinter.yield %s : f32
  }
  %d = sinter.differentiate %y upstream(%g) wrt(%x) : (tensor<4xf32>, tensor<4xf32>, tensor<9xf32>) -> tensor<9xf32>
  return %d : tensor<9xf32>
}

// -----

// Taps that are apart too: an element belongs to each place whose distance the stride divides.

// CHECK-LABEL: func @window_apart
//       CHECK:   sinter.rowwise (d = 12) by (d1 = 2)
//  CHECK-NEXT:       ins(%{{.+}}[(d - d1 * 3) floordiv 2, d1] : tensor<4x2xf32> else 0.0
//       CHECK:     arith.remsi
//       CHECK:     arith.select
//       CHECK:     sinter.row_reduce add
func.func @window_apart(%x: tensor<12xf32>, %g: tensor<4xf32>, %e: tensor<4xf32>) -> tensor<12xf32> {
  %y = sinter.rowwise (j = 4) by (k = 2) ins(%x[j * 2 + k * 3] : tensor<12xf32>) outs(%e[j] : tensor<4xf32>) {
  ^row(%a: tensor<2xf32>):
    %s = sinter.row_reduce add %a : tensor<2xf32> -> f32
    sinter.yield %s : f32
  }
  %d = sinter.differentiate %y upstream(%g) wrt(%x) : (tensor<4xf32>, tensor<4xf32>, tensor<12xf32>) -> tensor<12xf32>
  return %d : tensor<12xf32>
}

// -----

// A size that the operand's type does not say and another's does: it is the same one, and the gradient is written as it
// stands.

// CHECK-LABEL: func.func @partly_known
// CHECK:       sinter.rowwise (i = ?) by (j = 5)
// CHECK-NEXT:    ins(%arg0[i, j] : tensor<?x?xf32>, %arg1[i, j] : tensor<?x5xf32>
// CHECK-NEXT:    outs(%{{.*}}[i, j] : tensor<?x?xf32>)
// CHECK-NOT:   sinter.rowwise
func.func @partly_known(%x: tensor<?x?xf32>, %y: tensor<?x5xf32>) -> tensor<?x?xf32> {
  %e = tensor.empty() : tensor<f32>
  %l = sinter.rowwise (i = ?) by (j = 5) ins(%x[i, j] : tensor<?x?xf32>, %y[i, j] : tensor<?x5xf32>) reduce(add [] : f32) outs(%e[] : tensor<f32>) {
  ^row(%a: tensor<5xf32>, %b: tensor<5xf32>):
    %p = arith.mulf %a, %a : tensor<5xf32>
    %q = arith.mulf %p, %b : tensor<5xf32>
    %s = sinter.row_reduce add %q : tensor<5xf32> -> f32
    sinter.yield %s : f32
  }
  %dx = sinter.differentiate %l wrt(%x) : (tensor<f32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %dx : tensor<?x?xf32>
}

// -----

// So is what is summed over rows of unknown number, whose size only the sum's operand has: it is read without a fill.

// CHECK-LABEL: func.func @partly_known_sum
// CHECK:       sinter.rowwise (d = ?) by (d1 = 3, d2 = 5)
// CHECK-NEXT:    ins(%{{.+}}[d, d1, d2] : tensor<?x3x5xf32>)
// CHECK-NEXT:    reduce(add [d1, d2] : f32)
// CHECK-NEXT:    outs(%{{.+}}[d1, d2] : tensor<?x?xf32>)
func.func @partly_known_sum(%x: tensor<?x5xf32>, %w: tensor<?x?xf32>, %g: tensor<?x3xf32>, %n: index) -> tensor<?x?xf32> {
  %e = tensor.empty(%n) : tensor<?x3xf32>
  %y = sinter.rowwise (i = ?, m = 3) by (k = 5) ins(%x[i, k] : tensor<?x5xf32>, %w[m, k] : tensor<?x?xf32>) outs(%e[i, m] : tensor<?x3xf32>) {
  ^row(%a: tensor<5xf32>, %b: tensor<5xf32>):
    %p = arith.mulf %a, %b : tensor<5xf32>
    %s = sinter.row_reduce add %p : tensor<5xf32> -> f32
    sinter.yield %s : f32
  }
  %dw = sinter.differentiate %y upstream(%g) wrt(%w) : (tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %dw : tensor<?x?xf32>
}

// -----

// The other way about: the input's sizes are known, and the form's are not.

// CHECK-LABEL: func.func @known_input_sum
// CHECK:       sinter.rowwise (d = ?) by (d1 = 3, d2 = 5)
// CHECK-NEXT:    ins(%{{.+}}[d, d1, d2] : tensor<?x?x?xf32>)
// CHECK-NEXT:    reduce(add [d1, d2] : f32)
func.func @known_input_sum(%x: tensor<?x?xf32>, %w: tensor<3x5xf32>, %g: tensor<?x?xf32>, %n: index) -> tensor<3x5xf32> {
  %e = tensor.empty(%n, %n) : tensor<?x?xf32>
  %y = sinter.rowwise (i = ?, m = ?) by (k = ?) ins(%x[i, k] : tensor<?x?xf32>, %w[m, k] : tensor<3x5xf32>) outs(%e[i, m] : tensor<?x?xf32>) {
  ^row(%a: tensor<?xf32>, %b: tensor<?xf32>):
    %p = arith.mulf %a, %b : tensor<?xf32>
    %s = sinter.row_reduce add %p : tensor<?xf32> -> f32
    sinter.yield %s : f32
  }
  %dw = sinter.differentiate %y upstream(%g) wrt(%w) : (tensor<?x?xf32>, tensor<?x?xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  return %dw : tensor<3x5xf32>
}

// -----

// What was read from one place on, in steps: the places are counted from there.

// CHECK-LABEL: func @digits_from
// CHECK:       sinter.rowwise (d = 3) by (d1 = 4)
// CHECK-NEXT:    ins(%{{.+}}[d * 4 + d1 + 1] : tensor<12xf32> else 0.000000e+00)
// CHECK:         sinter.row_reduce add
func.func @digits_from(%s: tensor<3xf32>, %g: tensor<12xf32>) -> tensor<3xf32> {
  %e = tensor.empty() : tensor<12xf32>
  %y = sinter.rowwise () by (j = 12) ins(%s[(j - 1) floordiv 4] : tensor<3xf32> else 0.0) outs(%e[j] : tensor<12xf32>) {
  ^row(%b: tensor<12xf32>):
    %p = arith.mulf %b, %b : tensor<12xf32>
    sinter.yield %p : tensor<12xf32>
  }
  %d = sinter.differentiate %y upstream(%g) wrt(%s) : (tensor<12xf32>, tensor<12xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %d : tensor<3xf32>
}

// -----

// A scale for each four columns, of which the columns' other digit is summed; and the other way about, where what would
// be past the end is 0.

// CHECK-LABEL: func @digits
// CHECK:       sinter.rowwise (d = 3) by (d1 = 4)
// CHECK-NEXT:    ins(%{{.+}}[d * 4 + d1] : tensor<12xf32>)
// CHECK:         sinter.row_reduce add
// CHECK:       sinter.rowwise (d = 5) by (d1 = 3)
// CHECK-NEXT:    ins(%{{.+}}[d + d1 * 5] : tensor<12xf32> else 0.000000e+00)
// CHECK:         sinter.row_reduce add
func.func @digits(%x: tensor<12xf32>, %s: tensor<3xf32>, %t: tensor<5xf32>, %g: tensor<12xf32>) -> (tensor<3xf32>, tensor<5xf32>) {
  %e = tensor.empty() : tensor<12xf32>
  %y = sinter.rowwise () by (j = 12) ins(%x[j] : tensor<12xf32>, %s[j floordiv 4] : tensor<3xf32>, %t[j mod 5] : tensor<5xf32>) outs(%e[j] : tensor<12xf32>) {
  ^row(%a: tensor<12xf32>, %b: tensor<12xf32>, %c: tensor<12xf32>):
    %p = arith.mulf %a, %b : tensor<12xf32>
    %q = arith.mulf %p, %c : tensor<12xf32>
    sinter.yield %q : tensor<12xf32>
  }
  %d:2 = sinter.differentiate %y upstream(%g) wrt(%s, %t) : (tensor<12xf32>, tensor<12xf32>, tensor<3xf32>, tensor<5xf32>) -> (tensor<3xf32>, tensor<5xf32>)
  return %d#0, %d#1 : tensor<3xf32>, tensor<5xf32>
}

// -----

// A diagonal: what is beside it was not read.

// CHECK-LABEL: func @diagonal
//       CHECK:   sinter.rowwise (d = 5) by (d1 = 7)
//  CHECK-NEXT:       ins(%{{.+}}[d] : tensor<5xf32>)
//       CHECK:     arith.cmpi eq, %{{.+}}, %{{.+}} : tensor<7xindex>
//       CHECK:     arith.select
//   CHECK-NOT:   sinter.steps
func.func @diagonal(%x: tensor<5x7xf32>, %g: tensor<5xf32>, %e: tensor<5xf32>) -> tensor<5x7xf32> {
  %y = sinter.rowwise (i = 5) by () ins(%x[i, i + 1] : tensor<5x7xf32>) outs(%e[i] : tensor<5xf32>) {
  ^row(%a: f32):
    %r = math.exp %a : f32
    sinter.yield %r : f32
  }
  %d = sinter.differentiate %y upstream(%g) wrt(%x) : (tensor<5xf32>, tensor<5xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
  return %d : tensor<5x7xf32>
}

// -----

// Heads that are columns of one matrix, each of which a group of others reads: what comes back is summed over the
// group, and is not put in its place one by one.

// CHECK-LABEL: func @heads_of_groups
//       CHECK:   %[[S:.+]] = sinter.contract (h = 2, j = 6) by (k = 16)
//  CHECK-NEXT:     product (k1 = 4, i = 5) (%{{.+}}[h * 4 + k1, i, j] : tensor<8x5x6xf32>
//  CHECK-NEXT:     outs(%{{.+}}[j, h, k] : tensor<6x2x16xf32>)
//       CHECK:   tensor.collapse_shape %[[S]] {{\[}}[0], [1, 2]]
func.func @heads_of_groups(%w: tensor<8x5x16xf32>, %x: tensor<6x32xf32>, %g: tensor<8x5x6xf32>,
                           %e: tensor<8x5x6xf32>) -> tensor<6x32xf32> {
  %y = sinter.contract (h = 8, i = 5) by (j = 6)
      product (k = 16) (%w[h, i, k] : tensor<8x5x16xf32>, %x[j, (h floordiv 4) * 16 + k] : tensor<6x32xf32>) : f32
      outs(%e[h, i, j] : tensor<8x5x6xf32>) {
  ^row(%p: tensor<6xf32>):
    sinter.yield %p : tensor<6xf32>
  }
  %d = sinter.differentiate %y upstream(%g) wrt(%x)
      : (tensor<8x5x6xf32>, tensor<8x5x6xf32>, tensor<6x32xf32>) -> tensor<6x32xf32>
  return %d : tensor<6x32xf32>
}

// -----

// A part of a row that a dimension of size `?` shares: nobody who may read outside of a part says how many are summed,
// so they are summed first.

// CHECK-LABEL: func @part_for_all
//       CHECK:   %[[S:.+]] = sinter.rowwise (d = ?, d1 = 5) by (d2 = ?)
//  CHECK-NEXT:       ins(%{{.+}}[d, d2, d1] : tensor<?x?x5xf32>)
//       CHECK:   sinter.rowwise (d = ?) by (d1 = 8)
//  CHECK-NEXT:       ins(%[[S]][d, d1 - 3] : tensor<?x5xf32> else 0.0
func.func @part_for_all(%z: tensor<?x8xf32>, %x: tensor<?x?x5xf32>, %g: tensor<?x?x5xf32>,
                        %e: tensor<?x?x5xf32>) -> tensor<?x8xf32> {
  %y = sinter.rowwise (i = ?, j = ?) by (k = 5)
      ins(%z[i, k + 3] : tensor<?x8xf32>, %x[i, j, k] : tensor<?x?x5xf32>) outs(%e[i, j, k] : tensor<?x?x5xf32>) {
  ^row(%a: tensor<5xf32>, %b: tensor<5xf32>):
    %r = arith.mulf %a, %b : tensor<5xf32>
    sinter.yield %r : tensor<5xf32>
  }
  %d = sinter.differentiate %y upstream(%g) wrt(%z)
      : (tensor<?x?x5xf32>, tensor<?x?x5xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  return %d : tensor<?x8xf32>
}

// -----

// Two parts side by side are read with bounds, which say nothing where a part is as long as all: its gradient is the
// part of the whole's, without bounds. (A bound hides who says the size, and keeps kernels apart.)

// CHECK-LABEL: func @bounds_of_equal
//       CHECK:   %[[T:.+]]:2 = sinter.rowwise (i = 2, j = ?) by (k = 5)
//       CHECK:   sinter.rowwise (d = 2) by (d1 = ?, d2 = 5)
//  CHECK-NEXT:       ins(%[[T]]#0[d, d1, d2] : tensor<2x?x5xf32>)
//       CHECK:   sinter.rowwise (d = 2) by (d1 = ?, d2 = 5)
//  CHECK-NEXT:       ins(%[[T]]#1[d, d1, d2] : tensor<2x?x5xf32>)
func.func @bounds_of_equal(%s: tensor<?xf32>, %g: tensor<2x?x5xf32>) -> (tensor<?x5xf32>, tensor<?x5xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %s, %c0 : tensor<?xf32>
  %o = tensor.empty(%n) : tensor<?x5xf32>
  %x = sinter.rowwise (i = ?) by (j = 5) ins(%s[i] : tensor<?xf32>) outs(%o[i, j] : tensor<?x5xf32>) {
  ^row(%a: f32):
    %r = sinter.broadcast %a : f32 -> tensor<5xf32>
    sinter.yield %r : tensor<5xf32>
  }
  %y = sinter.rowwise (i = ?) by (j = 5) ins(%s[i] : tensor<?xf32>) outs(%o[i, j] : tensor<?x5xf32>) {
  ^row(%a: f32):
    %e = math.exp %a : f32
    %r = sinter.broadcast %e : f32 -> tensor<5xf32>
    sinter.yield %r : tensor<5xf32>
  }
  %e = tensor.empty(%n) : tensor<2x?x5xf32>
  %z = sinter.rowwise (i = 2, j = ?) by (k = 5)
      ins(%x[j, k] : tensor<?x5xf32> else 0.0, %y[j, k] : tensor<?x5xf32> else 0.0)
      outs(%e[i, j, k] : tensor<2x?x5xf32>) {
  ^row(%a: tensor<5xf32>, %b: tensor<5xf32>):
    %i = sinter.index i : index
    %c1 = arith.constant 1 : index
    %first = arith.cmpi slt, %i, %c1 : index
    %r = arith.select %first, %a, %b : tensor<5xf32>
    sinter.yield %r : tensor<5xf32>
  }
  %dx, %dy = sinter.differentiate %z upstream(%g) wrt(%x, %y)
      : (tensor<2x?x5xf32>, tensor<2x?x5xf32>, tensor<?x5xf32>, tensor<?x5xf32>) -> (tensor<?x5xf32>, tensor<?x5xf32>)
  return %dx, %dy : tensor<?x5xf32>, tensor<?x5xf32>
}

// -----

// Of a size that nobody knows to be the whole's, there may be less.

// CHECK-LABEL: func @bounds_of_shorter
//       CHECK:   sinter.rowwise (d = 2) by (d1 = ?, d2 = 5)
//  CHECK-NEXT:       ins(%{{.+}}[d, d1, d2] : tensor<2x?x5xf32> else 0.0
func.func @bounds_of_shorter(%x: tensor<?x5xf32>, %g: tensor<2x?x5xf32>, %e: tensor<2x?x5xf32>) -> tensor<?x5xf32> {
  %z = sinter.rowwise (i = 2, j = ?) by (k = 5)
      ins(%x[j, k] : tensor<?x5xf32> else 0.0) outs(%e[i, j, k] : tensor<2x?x5xf32>) {
  ^row(%a: tensor<5xf32>):
    sinter.yield %a : tensor<5xf32>
  }
  %dx = sinter.differentiate %z upstream(%g) wrt(%x)
      : (tensor<2x?x5xf32>, tensor<2x?x5xf32>, tensor<?x5xf32>) -> tensor<?x5xf32>
  return %dx : tensor<?x5xf32>
}

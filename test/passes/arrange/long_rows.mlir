// RUN: sinter-opt --sinter-long-rows --split-input-file %s | FileCheck %s

// All dimensions that what has columns has in one piece are columns; what has none of them is one number for each row.

// CHECK-LABEL: func @pieces
//       CHECK:   sinter.rowwise (i = 14) by (j = 13, k = 7, l = 2)
//  CHECK-NEXT:     ins(%{{.+}}[i, j, k, l] : tensor<14x13x7x2xf16>, %{{.+}}[i] : tensor<14xf16>)
//  CHECK-NEXT:     outs(%{{.+}}[i, j, k, l] : tensor<14x13x7x2xf16>)
//       CHECK:   ^row(%{{.+}}: tensor<182xf16>, %{{.+}}: f16):
func.func @pieces(%x: tensor<14x13x7x2xf16>, %a: tensor<14xf16>, %e: tensor<14x13x7x2xf16>) -> tensor<14x13x7x2xf16> {
  %y = sinter.rowwise (i = 14, j = 13, k = 7) by (l = 2)
      ins(%x[i, j, k, l] : tensor<14x13x7x2xf16>, %a[i] : tensor<14xf16>) outs(%e[i, j, k, l] : tensor<14x13x7x2xf16>) {
  ^row(%v: tensor<2xf16>, %s: f16):
    %b = sinter.broadcast %s : f16 -> tensor<2xf16>
    %t = arith.mulf %v, %b : tensor<2xf16>
    sinter.yield %t : tensor<2xf16>
  }
  return %y : tensor<14x13x7x2xf16>
}

// -----

// Sizes `?` are as good; a number for each of the last columns is read again and again.

// CHECK-LABEL: func @repeated
//       CHECK:   sinter.rowwise () by (i = ?, j = ?)
//  CHECK-NEXT:     ins(%{{.+}}[i, j] : tensor<?x?xf32>, %{{.+}}[j] : tensor<?xf32>)
func.func @repeated(%x: tensor<?x?xf32>, %w: tensor<?xf32>, %e: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %y = sinter.rowwise (i = ?) by (j = ?) ins(%x[i, j] : tensor<?x?xf32>, %w[j] : tensor<?xf32>)
      outs(%e[i, j] : tensor<?x?xf32>) {
  ^row(%v: tensor<?xf32>, %b: tensor<?xf32>):
    %t = arith.addf %v, %b : tensor<?xf32>
    sinter.yield %t : tensor<?xf32>
  }
  return %y : tensor<?x?xf32>
}

// -----

// Of 128 it stays a row's own.

// CHECK-LABEL: func @long_period
//       CHECK:   sinter.rowwise (i = 9) by (j = 128)
// CHECK-LABEL: func @short_period
//       CHECK:   sinter.rowwise () by (i = 9, j = 127)
func.func @long_period(%x: tensor<9x128xf32>, %w: tensor<128xf32>, %e: tensor<9x128xf32>) -> tensor<9x128xf32> {
  %y = sinter.rowwise (i = 9) by (j = 128) ins(%x[i, j] : tensor<9x128xf32>, %w[j] : tensor<128xf32>)
      outs(%e[i, j] : tensor<9x128xf32>) {
  ^row(%v: tensor<128xf32>, %b: tensor<128xf32>):
    %t = arith.addf %v, %b : tensor<128xf32>
    sinter.yield %t : tensor<128xf32>
  }
  return %y : tensor<9x128xf32>
}
func.func @short_period(%x: tensor<9x127xf32>, %w: tensor<127xf32>, %e: tensor<9x127xf32>) -> tensor<9x127xf32> {
  %y = sinter.rowwise (i = 9) by (j = 127) ins(%x[i, j] : tensor<9x127xf32>, %w[j] : tensor<127xf32>)
      outs(%e[i, j] : tensor<9x127xf32>) {
  ^row(%v: tensor<127xf32>, %b: tensor<127xf32>):
    %t = arith.addf %v, %b : tensor<127xf32>
    sinter.yield %t : tensor<127xf32>
  }
  return %y : tensor<9x127xf32>
}

// -----

// Rows of 4096 are long enough; those of half of an operand's columns do not lie together.

// CHECK-LABEL: func @long
//       CHECK:   sinter.rowwise (i = 3) by (j = 4096)
// CHECK-LABEL: func @parts
//       CHECK:   sinter.rowwise (i = 3) by (j = 4)
func.func @long(%x: tensor<3x4096xf32>, %e: tensor<3x4096xf32>) -> tensor<3x4096xf32> {
  %y = sinter.rowwise (i = 3) by (j = 4096) ins(%x[i, j] : tensor<3x4096xf32>) outs(%e[i, j] : tensor<3x4096xf32>) {
  ^row(%v: tensor<4096xf32>):
    %t = arith.negf %v : tensor<4096xf32>
    sinter.yield %t : tensor<4096xf32>
  }
  return %y : tensor<3x4096xf32>
}
func.func @parts(%x: tensor<3x8xf32>, %e: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %y = sinter.rowwise (i = 3) by (j = 4) ins(%x[i, j + 4] : tensor<3x8xf32>) outs(%e[i, j] : tensor<3x4xf32>) {
  ^row(%v: tensor<4xf32>):
    %t = arith.negf %v : tensor<4xf32>
    sinter.yield %t : tensor<4xf32>
  }
  return %y : tensor<3x4xf32>
}

// -----

// A row's sum is of its own columns, and what knows where it is would have to divide.

// CHECK-LABEL: func @reduces
//       CHECK:   sinter.rowwise (i = 3) by (j = 8)
// CHECK-LABEL: func @where
//       CHECK:   sinter.rowwise (i = 3) by (j = 8)
func.func @reduces(%x: tensor<3x8xf32>, %e: tensor<3x8xf32>) -> tensor<3x8xf32> {
  %y = sinter.rowwise (i = 3) by (j = 8) ins(%x[i, j] : tensor<3x8xf32>) outs(%e[i, j] : tensor<3x8xf32>) {
  ^row(%v: tensor<8xf32>):
    %s = sinter.row_reduce add %v : tensor<8xf32> -> f32
    %b = sinter.broadcast %s : f32 -> tensor<8xf32>
    %t = arith.subf %v, %b : tensor<8xf32>
    sinter.yield %t : tensor<8xf32>
  }
  return %y : tensor<3x8xf32>
}
func.func @where(%x: tensor<3x8xi64>, %e: tensor<3x8xi64>) -> tensor<3x8xi64> {
  %y = sinter.rowwise (i = 3) by (j = 8) ins(%x[i, j] : tensor<3x8xi64>) outs(%e[i, j] : tensor<3x8xi64>) {
  ^row(%v: tensor<8xi64>):
    %j = sinter.index j : tensor<8xindex>
    %k = arith.index_cast %j : tensor<8xindex> to tensor<8xi64>
    %t = arith.addi %v, %k : tensor<8xi64>
    sinter.yield %t : tensor<8xi64>
  }
  return %y : tensor<3x8xi64>
}

// -----

// Rows that are reduced follow each other as what they store does, so that neighbours of a window are neighbours.

// CHECK-LABEL: func @order
//       CHECK:   sinter.rowwise (i = 2, k = 3, j = 8) by (u = 5)
//  CHECK-NEXT:     ins(%{{.+}}[i, k, j + u] : tensor<2x3x12xf32>)
//  CHECK-NEXT:     outs(%{{.+}}[i, k, j] : tensor<2x3x8xf32>)
func.func @order(%x: tensor<2x3x12xf32>, %e: tensor<2x3x8xf32>) -> tensor<2x3x8xf32> {
  %y = sinter.rowwise (i = 2, j = 8, k = 3) by (u = 5) ins(%x[i, k, j + u] : tensor<2x3x12xf32>)
      outs(%e[i, k, j] : tensor<2x3x8xf32>) {
  ^row(%a: tensor<5xf32>):
    %s = sinter.row_reduce add %a : tensor<5xf32> -> f32
    sinter.yield %s : f32
  }
  return %y : tensor<2x3x8xf32>
}

// -----

// What is reduced over rows of one element: one row, where their number is `?`. Of a known number they are lanes.

// CHECK-LABEL: func @one_row
//       CHECK:   sinter.rowwise (one = 1) by (i = ?)
//       CHECK:   ^row(%[[A:.+]]: tensor<?xf32>):
//       CHECK:     sinter.row_reduce add
//       CHECK:   sinter.rowwise (i = 700) by ()
//       CHECK:   sinter.rowwise (i = 7) by (j = ?)
func.func @one_row(%x: tensor<?xf32>, %y: tensor<700xf32>, %z: tensor<7x?xf32>, %o: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %0 = sinter.rowwise (i = ?) by () ins(%x[i] : tensor<?xf32>) reduce(add [] : f32) outs(%o[] : tensor<f32>) {
  ^row(%a: f32):
    %e = math.exp %a : f32
    sinter.yield %e : f32
  }
  %1 = sinter.rowwise (i = 700) by () ins(%y[i] : tensor<700xf32>) reduce(add [] : f32) outs(%o[] : tensor<f32>) {
  ^row(%a: f32):
    sinter.yield %a : f32
  }
  %2 = sinter.rowwise (i = 7, j = ?) by () ins(%z[i, j] : tensor<7x?xf32>) reduce(add [] : f32) outs(%o[] : tensor<f32>) {
  ^row(%a: f32):
    sinter.yield %a : f32
  }
  return %0, %1, %2 : tensor<f32>, tensor<f32>, tensor<f32>
}

// -----

// Long rows follow each other as what they read does, whatever order their results have.

// CHECK-LABEL: func @as_read
//       CHECK:   sinter.rowwise (r = 3, s = 3, c = 20) by (n = 2, y = 9, x = 8)
//       CHECK:       outs(%{{.+}}[c, r, s] : tensor<20x3x3xf32>)
func.func @as_read(%x: tensor<2x11x10x20xf32>, %g: tensor<2x9x8x20xf32>, %e: tensor<20x3x3xf32>) -> tensor<20x3x3xf32> {
  %y = sinter.rowwise (c = 20, r = 3, s = 3) by (n = 2, y = 9, x = 8)
      ins(%x[n, y + r, x + s, c] : tensor<2x11x10x20xf32>, %g[n, y, x, c] : tensor<2x9x8x20xf32>) outs(%e[c, r, s] : tensor<20x3x3xf32>) {
  ^row(%a: tensor<144xf32>, %b: tensor<144xf32>):
    %p = arith.mulf %a, %b : tensor<144xf32>
    %t = sinter.row_reduce add %p : tensor<144xf32> -> f32
    sinter.yield %t : f32
  }
  return %y : tensor<20x3x3xf32>
}

// -----

// Short ones are stored as often as they are read, and where inputs disagree nothing says more than the result.

// CHECK-LABEL: func @short_rows
//       CHECK:   sinter.rowwise (c = 20, r = 3) by (x = 8)
func.func @short_rows(%x: tensor<10x20xf32>, %e: tensor<20x3xf32>) -> tensor<20x3xf32> {
  %y = sinter.rowwise (c = 20, r = 3) by (x = 8) ins(%x[x + r, c] : tensor<10x20xf32>) outs(%e[c, r] : tensor<20x3xf32>) {
  ^row(%a: tensor<8xf32>):
    %t = sinter.row_reduce add %a : tensor<8xf32> -> f32
    sinter.yield %t : f32
  }
  return %y : tensor<20x3xf32>
}

// -----

// CHECK-LABEL: func @inputs_disagree
//       CHECK:   sinter.rowwise (c = 20, d = 30) by (x = 80)
func.func @inputs_disagree(%x: tensor<80x20xf32>, %g: tensor<80x30xf32>, %e: tensor<20x30xf32>) -> tensor<20x30xf32> {
  %y = sinter.rowwise (c = 20, d = 30) by (x = 80)
      ins(%x[x, c] : tensor<80x20xf32>, %g[x, d] : tensor<80x30xf32>) outs(%e[c, d] : tensor<20x30xf32>) {
  ^row(%a: tensor<80xf32>, %b: tensor<80xf32>):
    %m = arith.maximumf %a, %b : tensor<80xf32>
    %t = sinter.row_reduce add %m : tensor<80xf32> -> f32
    sinter.yield %t : f32
  }
  return %y : tensor<20x30xf32>
}

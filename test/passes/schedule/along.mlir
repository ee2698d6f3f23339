// RUN: sinter-opt --sinter-schedule --split-input-file %s | FileCheck %s
// RUN: sinter-opt --sinter-schedule=vector-bits=256 --split-input-file %s | FileCheck %s --check-prefix=AVX2

// Neighbours in memory are rows: four vectors of them at once where there is room.

// CHECK-LABEL: func @middle
//       CHECK: schedule(#sinter.rows<along = "rows", chunk = 335, lanes = 64,
//  AVX2-LABEL: func @middle
//        AVX2: schedule(#sinter.rows<along = "rows", chunk = 335, lanes = 32,
func.func @middle(%x: tensor<5x37x67xf32>, %e: tensor<5x67xf32>) -> tensor<5x67xf32> {
  %0 = sinter.rowwise (i = 5, j = 67) by (k = 37) ins(%x[i, k, j] : tensor<5x37x67xf32>) outs(%e[i, j] : tensor<5x67xf32>) {
  ^row(%a: tensor<37xf32>):
    %s = sinter.row_reduce add %a : tensor<37xf32> -> f32
    sinter.yield %s : f32
  }
  return %0 : tensor<5x67xf32>
}

// -----

// A magnitude is one instruction, not a function: the schedule is that of a sum.

// CHECK-LABEL: func @magnitudes
//       CHECK: schedule(#sinter.rows<along = "rows", chunk = 335, lanes = 64,
func.func @magnitudes(%x: tensor<5x37x67xf32>, %e: tensor<5x67xf32>) -> tensor<5x67xf32> {
  %0 = sinter.rowwise (i = 5, j = 67) by (k = 37) ins(%x[i, k, j] : tensor<5x37x67xf32>) outs(%e[i, j] : tensor<5x67xf32>) {
  ^row(%a: tensor<37xf32>):
    %m = math.absf %a : tensor<37xf32>
    %s = sinter.row_reduce add %m : tensor<37xf32> -> f32
    sinter.yield %s : f32
  }
  return %0 : tensor<5x67xf32>
}

// -----

// Neighbours in memory are columns.

// CHECK-LABEL: func @last
//   CHECK-NOT: along
//  AVX2-LABEL: func @last
func.func @last(%x: tensor<5x67x37xf32>, %e: tensor<5x67xf32>) -> tensor<5x67xf32> {
  %0 = sinter.rowwise (i = 5, j = 67) by (k = 37) ins(%x[i, j, k] : tensor<5x67x37xf32>) outs(%e[i, j] : tensor<5x67xf32>) {
  ^row(%a: tensor<37xf32>):
    %s = sinter.row_reduce add %a : tensor<37xf32> -> f32
    sinter.yield %s : f32
  }
  return %0 : tensor<5x67xf32>
}

// -----

// A window of nine is shorter than a vector.

// CHECK-LABEL: func @window
//       CHECK: schedule(#sinter.rows<along = "rows", chunk = {{[0-9]+}}, lanes = 8,
//  AVX2-LABEL: func @window
func.func @window(%x: tensor<2x8x13x11xf32>, %w: tensor<8x3x3xf32>, %e: tensor<2x8x13x11xf32>) -> tensor<2x8x13x11xf32> {
  %0 = sinter.rowwise (i = 2, j = 8, k = 13, l = 11) by (m = 3, n = 3)
      ins(%x[i, j, k + m - 1, l + n - 1] : tensor<2x8x13x11xf32> else 0.0, %w[j, m, n] : tensor<8x3x3xf32>)
      outs(%e[i, j, k, l] : tensor<2x8x13x11xf32>) {
  ^row(%a: tensor<9xf32>, %b: tensor<9xf32>):
    %p = arith.mulf %a, %b : tensor<9xf32>
    %s = sinter.row_reduce add %p : tensor<9xf32> -> f32
    sinter.yield %s : f32
  }
  return %0 : tensor<2x8x13x11xf32>
}

// -----

// What is kept for each column would be combined across lanes.

// CHECK-LABEL: func @keeps_columns
//   CHECK-NOT: along
//  AVX2-LABEL: func @keeps_columns
func.func @keeps_columns(%x: tensor<37x67xf32>, %e: tensor<37xf32>) -> tensor<37xf32> {
  %0 = sinter.rowwise (i = 67) by (j = 37) ins(%x[j, i] : tensor<37x67xf32>) reduce(add [j] : f32) outs(%e[j] : tensor<37xf32>) {
  ^row(%a: tensor<37xf32>):
    sinter.yield %a : tensor<37xf32>
  }
  return %0 : tensor<37xf32>
}

// -----

// An exponential that two phases need is kept in a buffer.

// CHECK-LABEL: func @softmax
//       CHECK: residency = "buffer"
//  AVX2-LABEL: func @softmax
func.func @softmax(%x: tensor<5x67xf32>, %e: tensor<5x67xf32>) -> tensor<5x67xf32> {
  %0 = sinter.rowwise (i = 5) by (j = 67) ins(%x[i, j] : tensor<5x67xf32>) outs(%e[i, j] : tensor<5x67xf32>) {
  ^row(%a: tensor<67xf32>):
    %x0 = math.exp %a : tensor<67xf32>
    %s = sinter.row_reduce add %x0 : tensor<67xf32> -> f32
    %sb = sinter.broadcast %s : f32 -> tensor<67xf32>
    %p = arith.divf %x0, %sb : tensor<67xf32>
    sinter.yield %p : tensor<67xf32>
  }
  return %0 : tensor<5x67xf32>
}

// -----

// One long row is shared in pieces, a sum over it too.

// CHECK-LABEL: func @one_row
//       CHECK: schedule(#sinter.rows<chunk = 1, columns = 16384, lanes = 16,
//       CHECK: schedule(#sinter.rows<chunk = 1, columns = 16384, lanes = 16, {{.*}}unroll = 4
//  AVX2-LABEL: func @one_row
func.func @one_row(%x: tensor<100000xf32>, %e: tensor<100000xf32>, %z: tensor<f32>) -> (tensor<100000xf32>, tensor<f32>) {
  %0 = sinter.rowwise () by (j = 100000) ins(%x[j] : tensor<100000xf32>) outs(%e[j] : tensor<100000xf32>) {
  ^row(%a: tensor<100000xf32>):
    %n = arith.negf %a : tensor<100000xf32>
    sinter.yield %n : tensor<100000xf32>
  }
  %1 = sinter.rowwise () by (j = 100000) ins(%x[j] : tensor<100000xf32>) outs(%z[] : tensor<f32>) {
  ^row(%a: tensor<100000xf32>):
    %s = sinter.row_reduce add %a : tensor<100000xf32> -> f32
    sinter.yield %s : f32
  }
  return %0, %1 : tensor<100000xf32>, tensor<f32>
}

// -----

// A channel's images are apart, and each lies in one piece: lines of columns. Rows would be a chain of additions for
// each channel, as inexact as it is slow.

// CHECK-LABEL: func @channels
//       CHECK: schedule(#sinter.rows<chunk = 1, lanes = 16, line = 2, residency = "reread", unroll = 4>)
//       CHECK: schedule(#sinter.rows<chunk = 5, lanes = 16, line = 2, residency = "reread", unroll = 4>)
//       CHECK: schedule(#sinter.rows<chunk = 48, lanes = 16, line = 2, residency = "reread", unroll = 4>)
func.func @channels(%x: tensor<4x48x64x64xf32>, %y: tensor<4x5x6x6xf32>, %z: tensor<4x48x7x7xf32>, %e: tensor<48xf32>, %d: tensor<5xf32>) -> (tensor<48xf32>, tensor<5xf32>, tensor<48xf32>) {
  %0 = sinter.rowwise (j = 48) by (i = 4, k = 64, l = 64) ins(%x[i, j, k, l] : tensor<4x48x64x64xf32>) outs(%e[j] : tensor<48xf32>) {
  ^row(%a: tensor<16384xf32>):
    %s = sinter.row_reduce add %a : tensor<16384xf32> -> f32
    sinter.yield %s : f32
  }
  %1 = sinter.rowwise (j = 5) by (i = 4, k = 6, l = 6) ins(%y[i, j, k, l] : tensor<4x5x6x6xf32>) outs(%d[j] : tensor<5xf32>) {
  ^row(%a: tensor<144xf32>):
    %s = sinter.row_reduce add %a : tensor<144xf32> -> f32
    sinter.yield %s : f32
  }
  %2 = sinter.rowwise (j = 48) by (i = 4, k = 7, l = 7) ins(%z[i, j, k, l] : tensor<4x48x7x7xf32>) outs(%e[j] : tensor<48xf32>) {
  ^row(%a: tensor<196xf32>):
    %s = sinter.row_reduce add %a : tensor<196xf32> -> f32
    sinter.yield %s : f32
  }
  return %0, %1, %2 : tensor<48xf32>, tensor<5xf32>, tensor<48xf32>
}

// -----

// A long window: a line of it is written out, of two dimensions where they are short, with four sums.

// CHECK-LABEL: func @long_windows
//       CHECK: schedule(#sinter.rows<along = "rows", chunk = 132, lanes = 16, line = 1, residency = "reread", unroll = 4>)
//       CHECK: schedule(#sinter.rows<along = "rows", chunk = {{[0-9]+}}, lanes = 16, line = 2, residency = "reread", unroll = 4>)
func.func @long_windows(%x: tensor<4x8x16x20xf32>, %y: tensor<4x7x15x19xf32>, %e: tensor<4x4x12x16xf32>) -> (tensor<4x4x12x16xf32>, tensor<4x4x12x16xf32>) {
  %0 = sinter.rowwise (i = 4, j = 4, k = 12, l = 16) by (u = 5, v = 5, w = 5) ins(%x[i, j + u, k + v, l + w] : tensor<4x8x16x20xf32>) outs(%e[i, j, k, l] : tensor<4x4x12x16xf32>) {
  ^row(%a: tensor<125xf32>):
    %s = sinter.row_reduce add %a : tensor<125xf32> -> f32
    sinter.yield %s : f32
  }
  %1 = sinter.rowwise (i = 4, j = 4, k = 12, l = 16) by (u = 4, v = 4, w = 4) ins(%y[i, j + u, k + v, l + w] : tensor<4x7x15x19xf32>) outs(%e[i, j, k, l] : tensor<4x4x12x16xf32>) {
  ^row(%a: tensor<64xf32>):
    %s = sinter.row_reduce add %a : tensor<64xf32> -> f32
    sinter.yield %s : f32
  }
  return %0, %1 : tensor<4x4x12x16xf32>, tensor<4x4x12x16xf32>
}

// -----

// The gradient of a window's weights: a line of an image is written out up to 64 columns. Of more than a cache holds,
// strips of rows are as long as all rows together, or equal parts of whole vectors.

// CHECK-LABEL: func @lines_of_images
//       CHECK: schedule(#sinter.rows<along = "rows", chunk = {{[0-9]+}}, lanes = 16, line = 1, residency = "reread", unroll = 4>)
// CHECK-LABEL: func @too_long_lines
//       CHECK: schedule(#sinter.rows<along = "rows",
//   CHECK-NOT: line = 1
// CHECK-LABEL: func @strip_of_all
//       CHECK: strip = 48
// CHECK-LABEL: func @equal_strips
//       CHECK: strip = 256
func.func @lines_of_images(%x: tensor<8x23x23x20xf32>, %g: tensor<8x23x23x20xf32>) -> tensor<20x1x3x3xf32> {
  %e = tensor.empty() : tensor<20x1x3x3xf32>
  %y = sinter.rowwise (d2 = 3, d3 = 3, d = 20) by (d4 = 8, d5 = 23, d6 = 23)
        ins(%x[d4, d2 + d5 - 1, d3 + d6 - 1, d] : tensor<8x23x23x20xf32> else 0.000000e+00, %g[d4, d5, d6, d] : tensor<8x23x23x20xf32>)
        outs(%e[d, 0, d2, d3] : tensor<20x1x3x3xf32>) {
    ^row(%a: tensor<4232xf32>, %b: tensor<4232xf32>):
      %m = arith.mulf %a, %b : tensor<4232xf32>
      %s = sinter.row_reduce add %m : tensor<4232xf32> -> f32
      sinter.yield %s : f32
  }
  return %y : tensor<20x1x3x3xf32>
}

func.func @too_long_lines(%x: tensor<2x65x65x20xf32>, %g: tensor<2x65x65x20xf32>) -> tensor<20x1x3x3xf32> {
  %e = tensor.empty() : tensor<20x1x3x3xf32>
  %y = sinter.rowwise (d2 = 3, d3 = 3, d = 20) by (d4 = 2, d5 = 65, d6 = 65)
        ins(%x[d4, d2 + d5 - 1, d3 + d6 - 1, d] : tensor<2x65x65x20xf32> else 0.000000e+00, %g[d4, d5, d6, d] : tensor<2x65x65x20xf32>)
        outs(%e[d, 0, d2, d3] : tensor<20x1x3x3xf32>) {
    ^row(%a: tensor<8450xf32>, %b: tensor<8450xf32>):
      %m = arith.mulf %a, %b : tensor<8450xf32>
      %s = sinter.row_reduce add %m : tensor<8450xf32> -> f32
      sinter.yield %s : f32
  }
  return %y : tensor<20x1x3x3xf32>
}

func.func @strip_of_all(%x: tensor<4x28x28x48xf32>, %g: tensor<4x28x28x48xf32>) -> tensor<48x1x3x3xf32> {
  %e = tensor.empty() : tensor<48x1x3x3xf32>
  %y = sinter.rowwise (d2 = 3, d3 = 3, d = 48) by (d4 = 4, d5 = 28, d6 = 28)
        ins(%x[d4, d2 + d5 - 1, d3 + d6 - 1, d] : tensor<4x28x28x48xf32> else 0.000000e+00, %g[d4, d5, d6, d] : tensor<4x28x28x48xf32>)
        outs(%e[d, 0, d2, d3] : tensor<48x1x3x3xf32>) {
    ^row(%a: tensor<3136xf32>, %b: tensor<3136xf32>):
      %m = arith.mulf %a, %b : tensor<3136xf32>
      %s = sinter.row_reduce add %m : tensor<3136xf32> -> f32
      sinter.yield %s : f32
  }
  return %y : tensor<48x1x3x3xf32>
}

func.func @equal_strips(%x: tensor<4x14x14x768xf32>, %g: tensor<4x14x14x768xf32>) -> tensor<768x1x3x3xf32> {
  %e = tensor.empty() : tensor<768x1x3x3xf32>
  %y = sinter.rowwise (d2 = 3, d3 = 3, d = 768) by (d4 = 4, d5 = 14, d6 = 14)
        ins(%x[d4, d2 + d5 - 1, d3 + d6 - 1, d] : tensor<4x14x14x768xf32> else 0.000000e+00, %g[d4, d5, d6, d] : tensor<4x14x14x768xf32>)
        outs(%e[d, 0, d2, d3] : tensor<768x1x3x3xf32>) {
    ^row(%a: tensor<784xf32>, %b: tensor<784xf32>):
      %m = arith.mulf %a, %b : tensor<784xf32>
      %s = sinter.row_reduce add %m : tensor<784xf32> -> f32
      sinter.yield %s : f32
  }
  return %y : tensor<768x1x3x3xf32>
}

// -----

// Four places of a window that share its weights, or elements, are one behind the other, two of a window of more than
// 16 columns. Of fewer places there are none, nor where windows lie beside each other.

// CHECK-LABEL: func @places
//       CHECK: schedule(#sinter.rows<along = "rows", chunk = {{[0-9]+}}, lanes = 16, places = 4,
//  AVX2-LABEL: func @places
//        AVX2: schedule(#sinter.rows<along = "rows", chunk = {{[0-9]+}}, lanes = 8, places = 4,
// CHECK-LABEL: func @long_places
//       CHECK: schedule(#sinter.rows<along = "rows", chunk = {{[0-9]+}}, lanes = 16, places = 2,
// CHECK-LABEL: func @few_places
//   CHECK-NOT: places
// CHECK-LABEL: func @lanes_of_places
//       CHECK: lanes = 16, places = 4,
// CHECK-LABEL: func @pooled
//       CHECK: lanes = 16, places = 4,
// CHECK-LABEL: func @beside_each_other
//   CHECK-NOT: places
func.func @places(%x: tensor<2x23x23x32xf32>, %w: tensor<32x1x3x3xf32>) -> tensor<2x23x23x32xf32> {
  %e = tensor.empty() : tensor<2x23x23x32xf32>
  %y = sinter.rowwise (i = 2, k = 23, l = 23, j = 32) by (m = 3, n = 3)
        ins(%x[i, k + m - 1, l + n - 1, j] : tensor<2x23x23x32xf32> else 0.000000e+00, %w[j, 0, m, n] : tensor<32x1x3x3xf32>)
        outs(%e[i, k, l, j] : tensor<2x23x23x32xf32>) {
    ^row(%a: tensor<9xf32>, %b: tensor<9xf32>):
      %m = arith.mulf %a, %b : tensor<9xf32>
      %s = sinter.row_reduce add %m : tensor<9xf32> -> f32
      sinter.yield %s : f32
  }
  return %y : tensor<2x23x23x32xf32>
}

func.func @long_places(%x: tensor<2x14x14x96xf32>, %w: tensor<96x1x5x5xf32>) -> tensor<2x14x14x96xf32> {
  %e = tensor.empty() : tensor<2x14x14x96xf32>
  %y = sinter.rowwise (i = 2, k = 14, l = 14, j = 96) by (m = 5, n = 5)
        ins(%x[i, k + m - 2, l + n - 2, j] : tensor<2x14x14x96xf32> else 0.000000e+00, %w[j, 0, m, n] : tensor<96x1x5x5xf32>)
        outs(%e[i, k, l, j] : tensor<2x14x14x96xf32>) {
    ^row(%a: tensor<25xf32>, %b: tensor<25xf32>):
      %m = arith.mulf %a, %b : tensor<25xf32>
      %s = sinter.row_reduce add %m : tensor<25xf32> -> f32
      sinter.yield %s : f32
  }
  return %y : tensor<2x14x14x96xf32>
}

func.func @few_places(%x: tensor<9x3x3x64xf32>, %w: tensor<64x1x3x3xf32>) -> tensor<9x3x3x64xf32> {
  %e = tensor.empty() : tensor<9x3x3x64xf32>
  %y = sinter.rowwise (i = 9, k = 3, l = 3, j = 64) by (m = 3, n = 3)
        ins(%x[i, k + m - 1, l + n - 1, j] : tensor<9x3x3x64xf32> else 0.000000e+00, %w[j, 0, m, n] : tensor<64x1x3x3xf32>)
        outs(%e[i, k, l, j] : tensor<9x3x3x64xf32>) {
    ^row(%a: tensor<9xf32>, %b: tensor<9xf32>):
      %m = arith.mulf %a, %b : tensor<9xf32>
      %s = sinter.row_reduce add %m : tensor<9xf32> -> f32
      sinter.yield %s : f32
  }
  return %y : tensor<9x3x3x64xf32>
}

func.func @lanes_of_places(%x: tensor<2x8x13x32xf32>, %w: tensor<8x3x3xf32>, %e: tensor<2x8x13x32xf32>) -> tensor<2x8x13x32xf32> {
  %0 = sinter.rowwise (i = 2, j = 8, k = 13, l = 32) by (m = 3, n = 3)
      ins(%x[i, j, k + m - 1, l + n - 1] : tensor<2x8x13x32xf32> else 0.0, %w[j, m, n] : tensor<8x3x3xf32>)
      outs(%e[i, j, k, l] : tensor<2x8x13x32xf32>) {
  ^row(%a: tensor<9xf32>, %b: tensor<9xf32>):
    %m = arith.mulf %a, %b : tensor<9xf32>
    %s = sinter.row_reduce add %m : tensor<9xf32> -> f32
    sinter.yield %s : f32
  }
  return %0 : tensor<2x8x13x32xf32>
}

func.func @pooled(%x: tensor<2x8x34x34xf32>, %e: tensor<2x8x33x33xf32>) -> tensor<2x8x33x33xf32> {
  %0 = sinter.rowwise (i = 2, j = 8, k = 33, l = 33) by (m = 2, n = 2)
      ins(%x[i, j, k * 1 + m, l * 1 + n] : tensor<2x8x34x34xf32>) outs(%e[i, j, k, l] : tensor<2x8x33x33xf32>) {
  ^row(%a: tensor<4xf32>):
    %s = sinter.row_reduce maximumf %a : tensor<4xf32> -> f32
    sinter.yield %s : f32
  }
  return %0 : tensor<2x8x33x33xf32>
}

func.func @beside_each_other(%x: tensor<2x8x34x34xf32>, %e: tensor<2x8x17x17xf32>) -> tensor<2x8x17x17xf32> {
  %0 = sinter.rowwise (i = 2, j = 8, k = 17, l = 17) by (m = 2, n = 2)
      ins(%x[i, j, k * 2 + m, l * 2 + n] : tensor<2x8x34x34xf32>) outs(%e[i, j, k, l] : tensor<2x8x17x17xf32>) {
  ^row(%a: tensor<4xf32>):
    %s = sinter.row_reduce maximumf %a : tensor<4xf32> -> f32
    sinter.yield %s : f32
  }
  return %0 : tensor<2x8x17x17xf32>
}

// -----

// So it is of a softmax of columns that lie apart: a step touches the pages of all of them.

// CHECK-LABEL: func @functions
//       CHECK: schedule(#sinter.rows<along = "rows", chunk = {{[0-9]+}}, lanes = 64,
//  AVX2-LABEL: func @functions
//        AVX2: schedule(#sinter.rows<along = "rows", chunk = {{[0-9]+}}, lanes = 32,
func.func @functions(%x: tensor<5x20x256xf32>, %e: tensor<5x20x256xf32>) -> tensor<5x20x256xf32> {
  %0 = sinter.rowwise (i = 5, j = 256) by (k = 20) ins(%x[i, k, j] : tensor<5x20x256xf32>) outs(%e[i, k, j] : tensor<5x20x256xf32>) {
  ^row(%a: tensor<20xf32>):
    %m = sinter.row_reduce maximumf %a : tensor<20xf32> -> f32
    %b = sinter.broadcast %m : f32 -> tensor<20xf32>
    %d = arith.subf %a, %b : tensor<20xf32>
    %p = math.exp %d : tensor<20xf32>
    %s = sinter.row_reduce add %p : tensor<20xf32> -> f32
    %t = sinter.broadcast %s : f32 -> tensor<20xf32>
    %y = arith.divf %p, %t : tensor<20xf32>
    sinter.yield %y : tensor<20xf32>
  }
  return %0 : tensor<5x20x256xf32>
}

// -----

// 200 rows are four vectors of 64, of which 56 would be computed twice: two at once are seven of 32.

// CHECK-LABEL: func @overlapping
//       CHECK: schedule(#sinter.rows<along = "rows", chunk = {{[0-9]+}}, lanes = 32,
func.func @overlapping(%x: tensor<5x20x200xf32>, %e: tensor<5x20x200xf32>) -> tensor<5x20x200xf32> {
  %0 = sinter.rowwise (i = 5, j = 200) by (k = 20) ins(%x[i, k, j] : tensor<5x20x200xf32>) outs(%e[i, k, j] : tensor<5x20x200xf32>) {
  ^row(%a: tensor<20xf32>):
    %m = sinter.row_reduce maximumf %a : tensor<20xf32> -> f32
    %b = sinter.broadcast %m : f32 -> tensor<20xf32>
    %d = arith.subf %a, %b : tensor<20xf32>
    %p = math.exp %d : tensor<20xf32>
    %s = sinter.row_reduce add %p : tensor<20xf32> -> f32
    %t = sinter.broadcast %s : f32 -> tensor<20xf32>
    %y = arith.divf %p, %t : tensor<20xf32>
    sinter.yield %y : tensor<20xf32>
  }
  return %0 : tensor<5x20x200xf32>
}

// -----

// Five inputs that lie together along rows.

// CHECK-LABEL: func @five
//       CHECK: schedule(#sinter.rows<along = "rows", chunk = {{[0-9]+}}, lanes = 64,
func.func @five(%a: tensor<5x30x256xf32>, %b: tensor<5x30x256xf32>, %c: tensor<5x30x256xf32>, %d: tensor<5x30x256xf32>, %g: tensor<5x30x256xf32>, %e: tensor<5x256xf32>) -> tensor<5x256xf32> {
  %0 = sinter.rowwise (i = 5, j = 256) by (k = 30)
      ins(%a[i, k, j] : tensor<5x30x256xf32>, %b[i, k, j] : tensor<5x30x256xf32>, %c[i, k, j] : tensor<5x30x256xf32>, %d[i, k, j] : tensor<5x30x256xf32>, %g[i, k, j] : tensor<5x30x256xf32>)
      outs(%e[i, j] : tensor<5x256xf32>) {
  ^row(%x: tensor<30xf32>, %y: tensor<30xf32>, %z: tensor<30xf32>, %u: tensor<30xf32>, %v: tensor<30xf32>):
    %1 = arith.mulf %x, %y : tensor<30xf32>
    %2 = arith.addf %1, %z : tensor<30xf32>
    %3 = arith.mulf %2, %u : tensor<30xf32>
    %4 = arith.subf %3, %v : tensor<30xf32>
    %s = sinter.row_reduce add %4 : tensor<30xf32> -> f32
    sinter.yield %s : f32
  }
  return %0 : tensor<5x256xf32>
}

// RUN: sinter-opt --sinter-arrange --split-input-file %s | FileCheck %s

// Short rows that go on where they end, in what is turned and in what is not: rows of two dimensions, or of three.

// CHECK-LABEL: func @turned
//       CHECK:   sinter.rowwise (i = 7, j = 168) by (k = 30, l = 27)
//  CHECK-NEXT:     ins(%{{.+}}[i, k, l, j] : tensor<7x30x27x168xf32>, %{{.+}}[j] : tensor<168xf32>)
//  CHECK-NEXT:     outs(%{{.+}}[i, j, k, l] : tensor<7x168x30x27xf32>)
//       CHECK:   ^row(%{{.+}}: tensor<810xf32>, %{{.+}}: f32):
func.func @turned(%x: tensor<7x30x27x168xf32>, %w: tensor<168xf32>, %e: tensor<7x168x30x27xf32>) -> tensor<7x168x30x27xf32> {
  %y = sinter.rowwise (i = 7, j = 168, k = 30) by (l = 27)
      ins(%x[i, k, l, j] : tensor<7x30x27x168xf32>, %w[j] : tensor<168xf32>) outs(%e[i, j, k, l] : tensor<7x168x30x27xf32>) {
  ^row(%v: tensor<27xf32>, %s: f32):
    %b = sinter.broadcast %s : f32 -> tensor<27xf32>
    %t = arith.mulf %v, %b : tensor<27xf32>
    sinter.yield %t : tensor<27xf32>
  }
  return %y : tensor<7x168x30x27xf32>
}

// -----

// A number for each of two dimensions ends it, and so does a row that is long enough.

// CHECK-LABEL: func @numbers
//       CHECK:   sinter.rowwise (i = 14, j = 13) by (k = 7, l = 2)
// CHECK-LABEL: func @long
//       CHECK:   sinter.rowwise (i = 14, j = 13) by (k = 256)
func.func @numbers(%x: tensor<14x13x7x2xf16>, %a: tensor<14x13xf16>, %e: tensor<14x13x7x2xf16>) -> tensor<14x13x7x2xf16> {
  %y = sinter.rowwise (i = 14, j = 13, k = 7) by (l = 2)
      ins(%x[i, j, k, l] : tensor<14x13x7x2xf16>, %a[i, j] : tensor<14x13xf16>) outs(%e[i, j, k, l] : tensor<14x13x7x2xf16>) {
  ^row(%v: tensor<2xf16>, %s: f16):
    %b = sinter.broadcast %s : f16 -> tensor<2xf16>
    %t = arith.mulf %v, %b : tensor<2xf16>
    sinter.yield %t : tensor<2xf16>
  }
  return %y : tensor<14x13x7x2xf16>
}
func.func @long(%x: tensor<14x13x256xf16>, %a: tensor<14xf16>, %e: tensor<14x13x256xf16>) -> tensor<14x13x256xf16> {
  %y = sinter.rowwise (i = 14, j = 13) by (k = 256)
      ins(%x[i, j, k] : tensor<14x13x256xf16>, %a[i] : tensor<14xf16>) outs(%e[i, j, k] : tensor<14x13x256xf16>) {
  ^row(%v: tensor<256xf16>, %s: f16):
    %b = sinter.broadcast %s : f16 -> tensor<256xf16>
    %t = arith.mulf %v, %b : tensor<256xf16>
    sinter.yield %t : tensor<256xf16>
  }
  return %y : tensor<14x13x256xf16>
}

// -----

// Not where an operand has the row again; nor where columns are asked for, or summed. Short lines that begin anywhere
// are in one row with the gaps between them: not those that vectors are loaded of, longer ones, nor where each has a
// number.

// CHECK-LABEL: func @window
//       CHECK:   sinter.rowwise (i = 90000) by (j = 4, k = 10)
// CHECK-LABEL: func @window_aligned
//       CHECK:   sinter.rowwise (i = 90000, j = 4) by (k = 8)
// CHECK-LABEL: func @window_long
//       CHECK:   sinter.rowwise (i = 9000, j = 4) by (k = 64)
// CHECK-LABEL: func @window_scaled
//       CHECK:   sinter.rowwise (i = 90000, j = 4) by (k = 10)
// CHECK-LABEL: func @repeated
//       CHECK:   sinter.rowwise (i = 90000, j = 4) by (k = 12)
// CHECK-LABEL: func @asked
//       CHECK:   sinter.rowwise (i = 90000, j = 4) by (k = 12)
// CHECK-LABEL: func @summed
//       CHECK:   sinter.rowwise (i = 90000, j = 4) by (k = 12)
func.func @window(%x: tensor<90000x4x12xf32>, %e: tensor<90000x4x10xf32>) -> tensor<90000x4x10xf32> {
  %y = sinter.rowwise (i = 90000, j = 4) by (k = 10) ins(%x[i, j, k + 1] : tensor<90000x4x12xf32>) outs(%e[i, j, k] : tensor<90000x4x10xf32>) {
  ^row(%v: tensor<10xf32>):
    %t = math.tanh %v : tensor<10xf32>
    sinter.yield %t : tensor<10xf32>
  }
  return %y : tensor<90000x4x10xf32>
}
func.func @window_aligned(%x: tensor<90000x4x12xf32>, %e: tensor<90000x4x8xf32>) -> tensor<90000x4x8xf32> {
  %y = sinter.rowwise (i = 90000, j = 4) by (k = 8) ins(%x[i, j, k + 4] : tensor<90000x4x12xf32>) outs(%e[i, j, k] : tensor<90000x4x8xf32>) {
  ^row(%v: tensor<8xf32>):
    %t = math.tanh %v : tensor<8xf32>
    sinter.yield %t : tensor<8xf32>
  }
  return %y : tensor<90000x4x8xf32>
}
func.func @window_long(%x: tensor<9000x4x67xf32>, %e: tensor<9000x4x64xf32>) -> tensor<9000x4x64xf32> {
  %y = sinter.rowwise (i = 9000, j = 4) by (k = 64) ins(%x[i, j, k + 1] : tensor<9000x4x67xf32>) outs(%e[i, j, k] : tensor<9000x4x64xf32>) {
  ^row(%v: tensor<64xf32>):
    %t = math.tanh %v : tensor<64xf32>
    sinter.yield %t : tensor<64xf32>
  }
  return %y : tensor<9000x4x64xf32>
}
func.func @window_scaled(%x: tensor<90000x4x12xf32>, %s: tensor<90000xf32>, %e: tensor<90000x4x10xf32>) -> tensor<90000x4x10xf32> {
  %y = sinter.rowwise (i = 90000, j = 4) by (k = 10) ins(%x[i, j, k + 1] : tensor<90000x4x12xf32>, %s[i] : tensor<90000xf32>)
      outs(%e[i, j, k] : tensor<90000x4x10xf32>) {
  ^row(%v: tensor<10xf32>, %n: f32):
    %b = sinter.broadcast %n : f32 -> tensor<10xf32>
    %t = arith.mulf %v, %b : tensor<10xf32>
    sinter.yield %t : tensor<10xf32>
  }
  return %y : tensor<90000x4x10xf32>
}
func.func @repeated(%x: tensor<90000x4x12xf32>, %w: tensor<12xf32>, %e: tensor<90000x4x12xf32>) -> tensor<90000x4x12xf32> {
  %y = sinter.rowwise (i = 90000, j = 4) by (k = 12) ins(%x[i, j, k] : tensor<90000x4x12xf32>, %w[k] : tensor<12xf32>)
      outs(%e[i, j, k] : tensor<90000x4x12xf32>) {
  ^row(%v: tensor<12xf32>, %b: tensor<12xf32>):
    %t = arith.mulf %v, %b : tensor<12xf32>
    sinter.yield %t : tensor<12xf32>
  }
  return %y : tensor<90000x4x12xf32>
}
func.func @asked(%x: tensor<90000x4x12xf32>, %a: tensor<90000xf32>, %e: tensor<90000x4x12xi64>) -> tensor<90000x4x12xi64> {
  %y = sinter.rowwise (i = 90000, j = 4) by (k = 12) ins(%a[i] : tensor<90000xf32>) outs(%e[i, j, k] : tensor<90000x4x12xi64>) {
  ^row(%s: f32):
    %n = sinter.index k : tensor<12xindex>
    %t = arith.index_cast %n : tensor<12xindex> to tensor<12xi64>
    sinter.yield %t : tensor<12xi64>
  }
  return %y : tensor<90000x4x12xi64>
}
func.func @summed(%x: tensor<90000x4x12xf32>, %e: tensor<90000x4x12xf32>) -> tensor<90000x4x12xf32> {
  %y = sinter.rowwise (i = 90000, j = 4) by (k = 12) ins(%x[i, j, k] : tensor<90000x4x12xf32>) outs(%e[i, j, k] : tensor<90000x4x12xf32>) {
  ^row(%v: tensor<12xf32>):
    %s = sinter.row_reduce add %v : tensor<12xf32> -> f32
    %b = sinter.broadcast %s : f32 -> tensor<12xf32>
    sinter.yield %b : tensor<12xf32>
  }
  return %y : tensor<90000x4x12xf32>
}

// -----

// Sizes `?`: dimensions that lie behind one another in all that has them are columns of one row. Not where the last of
// them alone is read again.

// CHECK-LABEL: func @open
//       CHECK:   sinter.rowwise (i = ?) by (j = ?, k = ?)
// CHECK-LABEL: func @open_repeated
//       CHECK:   sinter.rowwise (i = ?, j = ?) by (k = ?)
func.func @open(%x: tensor<?x?x?xbf16>, %a: tensor<?xbf16>, %e: tensor<?x?x?xbf16>) -> tensor<?x?x?xbf16> {
  %y = sinter.rowwise (i = ?, j = ?) by (k = ?) ins(%x[i, j, k] : tensor<?x?x?xbf16>, %a[i] : tensor<?xbf16>)
      outs(%e[i, j, k] : tensor<?x?x?xbf16>) {
  ^row(%v: tensor<?xbf16>, %n: bf16):
    %b = sinter.broadcast %n : bf16 -> tensor<?xbf16>
    %t = arith.mulf %v, %b : tensor<?xbf16>
    sinter.yield %t : tensor<?xbf16>
  }
  return %y : tensor<?x?x?xbf16>
}
func.func @open_repeated(%x: tensor<?x?x?xbf16>, %a: tensor<?xbf16>, %w: tensor<?xbf16>, %e: tensor<?x?x?xbf16>) -> tensor<?x?x?xbf16> {
  %y = sinter.rowwise (i = ?, j = ?) by (k = ?)
      ins(%x[i, j, k] : tensor<?x?x?xbf16>, %a[i] : tensor<?xbf16>, %w[k] : tensor<?xbf16>)
      outs(%e[i, j, k] : tensor<?x?x?xbf16>) {
  ^row(%v: tensor<?xbf16>, %n: bf16, %u: tensor<?xbf16>):
    %b = sinter.broadcast %n : bf16 -> tensor<?xbf16>
    %s = arith.mulf %v, %b : tensor<?xbf16>
    %t = arith.mulf %s, %u : tensor<?xbf16>
    sinter.yield %t : tensor<?xbf16>
  }
  return %y : tensor<?x?x?xbf16>
}

// -----

// Many elements without columns: those of the last dimension are columns. Fewer have a thread each.

// CHECK-LABEL: func @elements
//       CHECK:   sinter.rowwise (i = 95, j = 17) by (k = 1273)
//  CHECK-NEXT:     ins(%{{.+}}[i, j, k floordiv 2] : tensor<95x17x636xbf16> else 0.000000e+00)
//       CHECK:   ^row(%{{.+}}: tensor<1273xbf16>):
// CHECK-LABEL: func @few_elements
//       CHECK:   sinter.rowwise (i = 9, j = 17, k = 273) by ()
func.func @elements(%x: tensor<95x17x636xbf16>, %e: tensor<95x17x1273xbf16>) -> tensor<95x17x1273xbf16> {
  %y = sinter.rowwise (i = 95, j = 17, k = 1273) by ()
      ins(%x[i, j, k floordiv 2] : tensor<95x17x636xbf16> else 0.0) outs(%e[i, j, k] : tensor<95x17x1273xbf16>) {
  ^row(%v: bf16):
    %t = arith.addf %v, %v : bf16
    sinter.yield %t : bf16
  }
  return %y : tensor<95x17x1273xbf16>
}
func.func @few_elements(%x: tensor<9x17x136xbf16>, %e: tensor<9x17x273xbf16>) -> tensor<9x17x273xbf16> {
  %y = sinter.rowwise (i = 9, j = 17, k = 273) by ()
      ins(%x[i, j, k floordiv 2] : tensor<9x17x136xbf16> else 0.0) outs(%e[i, j, k] : tensor<9x17x273xbf16>) {
  ^row(%v: bf16):
    %t = arith.addf %v, %v : bf16
    sinter.yield %t : bf16
  }
  return %y : tensor<9x17x273xbf16>
}

// -----

// Rows that do not begin with vectors become a block's, which have some. Not where they begin with vectors anyway,
// where those rows would be few, or where a block has not as much.

// CHECK-LABEL: func @beginning_anywhere
//       CHECK:   sinter.rowwise (i = 16, j = 158) by (k = 77, l = 91)
// CHECK-LABEL: func @beginning_with_vectors
//       CHECK:   sinter.rowwise (i = 16, j = 158, k = 77) by (l = 96)
// CHECK-LABEL: func @few_blocks
//       CHECK:   sinter.rowwise (i = 16, j = 58, k = 77) by (l = 91)
// CHECK-LABEL: func @more_than_a_block
//       CHECK:   sinter.rowwise (i = 16, j = 158, k = 207) by (l = 91)
func.func @beginning_anywhere(%x: tensor<16x158x77x91xf16>, %a: tensor<16xf16>, %e: tensor<16x158x77x91xf16>) -> tensor<16x158x77x91xf16> {
  %y = sinter.rowwise (i = 16, j = 158, k = 77) by (l = 91)
      ins(%x[i, j, k, l] : tensor<16x158x77x91xf16>, %a[i] : tensor<16xf16>)
      outs(%e[i, j, k, l] : tensor<16x158x77x91xf16>) {
  ^row(%v: tensor<91xf16>, %n: f16):
    %b = sinter.broadcast %n : f16 -> tensor<91xf16>
    %t = arith.mulf %v, %b : tensor<91xf16>
    sinter.yield %t : tensor<91xf16>
  }
  return %y : tensor<16x158x77x91xf16>
}
func.func @beginning_with_vectors(%x: tensor<16x158x77x96xf16>, %a: tensor<16xf16>, %e: tensor<16x158x77x96xf16>) -> tensor<16x158x77x96xf16> {
  %y = sinter.rowwise (i = 16, j = 158, k = 77) by (l = 96)
      ins(%x[i, j, k, l] : tensor<16x158x77x96xf16>, %a[i] : tensor<16xf16>)
      outs(%e[i, j, k, l] : tensor<16x158x77x96xf16>) {
  ^row(%v: tensor<96xf16>, %n: f16):
    %b = sinter.broadcast %n : f16 -> tensor<96xf16>
    %t = arith.mulf %v, %b : tensor<96xf16>
    sinter.yield %t : tensor<96xf16>
  }
  return %y : tensor<16x158x77x96xf16>
}
func.func @few_blocks(%x: tensor<16x58x77x91xf16>, %a: tensor<16xf16>, %e: tensor<16x58x77x91xf16>) -> tensor<16x58x77x91xf16> {
  %y = sinter.rowwise (i = 16, j = 58, k = 77) by (l = 91)
      ins(%x[i, j, k, l] : tensor<16x58x77x91xf16>, %a[i] : tensor<16xf16>)
      outs(%e[i, j, k, l] : tensor<16x58x77x91xf16>) {
  ^row(%v: tensor<91xf16>, %n: f16):
    %b = sinter.broadcast %n : f16 -> tensor<91xf16>
    %t = arith.mulf %v, %b : tensor<91xf16>
    sinter.yield %t : tensor<91xf16>
  }
  return %y : tensor<16x58x77x91xf16>
}
func.func @more_than_a_block(%x: tensor<16x158x207x91xf16>, %a: tensor<16xf16>, %e: tensor<16x158x207x91xf16>) -> tensor<16x158x207x91xf16> {
  %y = sinter.rowwise (i = 16, j = 158, k = 207) by (l = 91)
      ins(%x[i, j, k, l] : tensor<16x158x207x91xf16>, %a[i] : tensor<16xf16>)
      outs(%e[i, j, k, l] : tensor<16x158x207x91xf16>) {
  ^row(%v: tensor<91xf16>, %n: f16):
    %b = sinter.broadcast %n : f16 -> tensor<91xf16>
    %t = arith.mulf %v, %b : tensor<91xf16>
    sinter.yield %t : tensor<91xf16>
  }
  return %y : tensor<16x158x207x91xf16>
}

// RUN: sinter-opt --sinter-schedule=target=gpu --split-input-file %s | FileCheck %s

// Rows of 37 vectors, too few to fill the device and too many for a block each: parts of warps have them, wherever they
// begin. Few rows have a block each, and so do many.

// CHECK-LABEL: @sums
//       CHECK: #sinter.gpu_rows<blocks = 264, occupancy = 8, residency = "registers", team = 16, threads = 128, vector = 8>
//       CHECK: #sinter.gpu_rows<blocks = 250, occupancy = 8, residency = "registers", team = 16, threads = 128, vector = 4>
//       CHECK: #sinter.gpu_rows<blocks = 250, occupancy = 8, residency = "registers", team = 32, threads = 128, vector = 4>
//       CHECK: #sinter.gpu_rows<blocks = 527, {{.*}}threads = 64, vector = 8>
func.func @sums(%x: tensor<2112x295xbf16>, %y: tensor<2000x152xf32>, %z: tensor<1000x501xf32>, %w: tensor<527x295xbf16>, %d: tensor<2112xbf16>, %e: tensor<2000xf32>, %f: tensor<1000xf32>, %g: tensor<527xbf16>) -> (tensor<2112xbf16>, tensor<2000xf32>, tensor<1000xf32>, tensor<527xbf16>) {
  %0 = sinter.rowwise (i = 2112) by (j = 295) ins(%x[i, j] : tensor<2112x295xbf16>) outs(%d[i] : tensor<2112xbf16>) {
  ^row(%a: tensor<295xbf16>):
    %s = sinter.row_reduce add %a : tensor<295xbf16> -> bf16
    sinter.yield %s : bf16
  }
  %1 = sinter.rowwise (i = 2000) by (j = 152) ins(%y[i, j] : tensor<2000x152xf32>) outs(%e[i] : tensor<2000xf32>) {
  ^row(%a: tensor<152xf32>):
    %s = sinter.row_reduce add %a : tensor<152xf32> -> f32
    sinter.yield %s : f32
  }
  %2 = sinter.rowwise (i = 1000) by (j = 501) ins(%z[i, j] : tensor<1000x501xf32>) outs(%f[i] : tensor<1000xf32>) {
  ^row(%a: tensor<501xf32>):
    %s = sinter.row_reduce add %a : tensor<501xf32> -> f32
    sinter.yield %s : f32
  }
  %3 = sinter.rowwise (i = 527) by (j = 295) ins(%w[i, j] : tensor<527x295xbf16>) outs(%g[i] : tensor<527xbf16>) {
  ^row(%a: tensor<295xbf16>):
    %s = sinter.row_reduce add %a : tensor<295xbf16> -> bf16
    sinter.yield %s : bf16
  }
  return %0, %1, %2, %3 : tensor<2112xbf16>, tensor<2000xf32>, tensor<1000xf32>, tensor<527xbf16>
}

// -----

// 208 windows of 64 taps: 16 threads have four each.

// CHECK-LABEL: @window
//       CHECK: #sinter.gpu_rows<blocks = 26, occupancy = 8, residency = "registers", team = 16, threads = 128, vector = 1>
func.func @window(%x: tensor<26x4x4x4xf16>, %e: tensor<26x2x2x2xf16>) -> tensor<26x2x2x2xf16> {
  %0 = sinter.rowwise (m = 26, j = 2, k = 2, l = 2) by (n = 4, o = 4, p = 4)
      ins(%x[m, j * 4 + n - 2, k * 4 + o - 2, l * 4 + p - 2] : tensor<26x4x4x4xf16> else 0.0)
      outs(%e[m, j, k, l] : tensor<26x2x2x2xf16>) {
  ^row(%a: tensor<64xf16>):
    %s = sinter.row_reduce add %a : tensor<64xf16> -> f16
    sinter.yield %s : f16
  }
  return %0 : tensor<26x2x2x2xf16>
}

// -----

// A reduction over the first dimension that something waits for, of few columns: a block each, not five tiles of 32. Of
// short columns, of many, and of half types, tiles.

// CHECK-LABEL: @columns
//       CHECK: #sinter.gpu_rows<blocks = 129, occupancy = 4, residency = "reread", threads = 256, unroll = 8, vector = 1>
//       CHECK: shape = "tile"
//       CHECK: shape = "tile"
//       CHECK: shape = "tile"
func.func @columns(%x: tensor<5814x129xf32>, %y: tensor<2047x129xf32>, %z: tensor<5814x529xf32>, %w: tensor<5814x257xf16>, %d: tensor<129xf32>, %e: tensor<529xf32>, %f: tensor<257xf16>) -> (tensor<129xf32>, tensor<129xf32>, tensor<529xf32>, tensor<257xf16>) {
  %0 = sinter.rowwise (i = 129) by (j = 5814) ins(%x[j, i] : tensor<5814x129xf32>) outs(%d[i] : tensor<129xf32>) {
  ^row(%a: tensor<5814xf32>):
    %s = sinter.row_reduce minimumf %a : tensor<5814xf32> -> f32
    sinter.yield %s : f32
  }
  %1 = sinter.rowwise (i = 129) by (j = 2047) ins(%y[j, i] : tensor<2047x129xf32>) outs(%d[i] : tensor<129xf32>) {
  ^row(%a: tensor<2047xf32>):
    %s = sinter.row_reduce minimumf %a : tensor<2047xf32> -> f32
    sinter.yield %s : f32
  }
  %2 = sinter.rowwise (i = 529) by (j = 5814) ins(%z[j, i] : tensor<5814x529xf32>) outs(%e[i] : tensor<529xf32>) {
  ^row(%a: tensor<5814xf32>):
    %s = sinter.row_reduce minimumf %a : tensor<5814xf32> -> f32
    sinter.yield %s : f32
  }
  %3 = sinter.rowwise (i = 257) by (j = 5814) ins(%w[j, i] : tensor<5814x257xf16>) outs(%f[i] : tensor<257xf16>) {
  ^row(%a: tensor<5814xf16>):
    %s = sinter.row_reduce minimumf %a : tensor<5814xf16> -> f16
    sinter.yield %s : f16
  }
  return %0, %1, %2, %3 : tensor<129xf32>, tensor<129xf32>, tensor<529xf32>, tensor<257xf16>
}

// -----

// Pairs that lie apart where they are read and side by side where they are written: a thread has neighbouring pairs.

// CHECK-LABEL: @shuffle
//       CHECK: #sinter.gpu_rows<{{.*}}residency = "reread", rows = 2, team = 1, threads = 256, unroll = 2, vector = 1>
func.func @shuffle(%x: tensor<6x512x405x402xbf16>, %e: tensor<6x128x405x2x402x2xbf16>) -> tensor<6x128x405x2x402x2xbf16> {
  %0 = sinter.rowwise (i = 6, j = 128, k = 405, l = 2, m = 402) by (n = 2)
      ins(%x[i, j * 4 + l * 2 + n, k, m] : tensor<6x512x405x402xbf16>)
      outs(%e[i, j, k, l, m, n] : tensor<6x128x405x2x402x2xbf16>) {
  ^row(%a: tensor<2xbf16>):
    sinter.yield %a : tensor<2xbf16>
  }
  return %0 : tensor<6x128x405x2x402x2xbf16>
}

// -----

// Elements without vectors: eight threads load 16 bytes of a row of bf16 together. 20 vectors of a row are three of
// each of eight threads.

// CHECK-LABEL: @alike
//       CHECK: residency = "registers", team = 8, threads = 128, vector = 1>
//       CHECK: residency = "registers", team = 8, threads = 128, vector = 4>
func.func @alike(%x: tensor<57x29x29x26xbf16>, %e: tensor<57x29x28x25xbf16>, %y: tensor<16x14x53x80xf32>, %f: tensor<16x53x14x80xf32>) -> (tensor<57x29x28x25xbf16>, tensor<16x53x14x80xf32>) {
  %0 = sinter.rowwise (i = 57, j = 29, k = 28) by (l = 25)
      ins(%x[i, j, k + 1, l] : tensor<57x29x29x26xbf16>, %x[i, j, k, l + 1] : tensor<57x29x29x26xbf16>)
      outs(%e[i, j, k, l] : tensor<57x29x28x25xbf16>) {
  ^row(%a: tensor<25xbf16>, %b: tensor<25xbf16>):
    %s = arith.subf %a, %b : tensor<25xbf16>
    sinter.yield %s : tensor<25xbf16>
  }
  %1 = sinter.rowwise (i = 16, j = 53, k = 14) by (l = 80)
      ins(%y[i, k, j, l] : tensor<16x14x53x80xf32>) outs(%f[i, j, k, l] : tensor<16x53x14x80xf32>) {
  ^row(%a: tensor<80xf32>):
    %s = arith.addf %a, %a : tensor<80xf32>
    sinter.yield %s : tensor<80xf32>
  }
  return %0, %1 : tensor<57x29x28x25xbf16>, tensor<16x53x14x80xf32>
}

// -----

// The groups of a norm whose channels are one dimension of the operand: all elements in order, so that blocks which
// share a row fetch the next one in bulk.

// CHECK-LABEL: @groups
//       CHECK: #sinter.gpu_rows<ahead = 1, {{.*}}shape = "grid"
func.func @groups(%x: tensor<34x64x229x230xf32>, %e: tensor<34x4x16x229x230xf32>) -> tensor<34x4x16x229x230xf32> {
  %0 = sinter.rowwise (i = 34, j = 4) by (k = 16, l = 229, m = 230)
      ins(%x[i, j * 16 + k, l, m] : tensor<34x64x229x230xf32>) outs(%e[i, j, k, l, m] : tensor<34x4x16x229x230xf32>) {
  ^row(%a: tensor<842720xf32>):
    %s = sinter.row_reduce add %a : tensor<842720xf32> -> f32
    %b = sinter.broadcast %s : f32 -> tensor<842720xf32>
    %d = arith.subf %a, %b : tensor<842720xf32>
    sinter.yield %d : tensor<842720xf32>
  }
  return %0 : tensor<34x4x16x229x230xf32>
}

// -----

// Two columns that stand side by side where they are written. A thread has four neighbouring rows where those are read
// together, and none where they are read far apart: threads share a row then.

// CHECK-LABEL: func @read_together
//       CHECK:   schedule(#sinter.gpu_rows<{{.*}}rows = 4, team = 1,
func.func @read_together(%x: tensor<512x2x640xbf16>, %e: tensor<512x640x2xbf16>) -> tensor<512x640x2xbf16> {
  %y = sinter.rowwise (i = 512, k = 640) by (j = 2) ins(%x[i, j, k] : tensor<512x2x640xbf16>)
      outs(%e[i, k, j] : tensor<512x640x2xbf16>) {
  ^row(%a: tensor<2xbf16>):
    %n = arith.negf %a : tensor<2xbf16>
    sinter.yield %n : tensor<2xbf16>
  }
  return %y : tensor<512x640x2xbf16>
}

// -----

// CHECK-LABEL: func @read_apart
//   CHECK-NOT:   rows = 4
//       CHECK:   schedule(#sinter.gpu_rows<{{.*}}team = 1,
func.func @read_apart(%x: tensor<640x2x512xbf16>, %e: tensor<512x640x2xbf16>) -> tensor<512x640x2xbf16> {
  %y = sinter.rowwise (i = 512, k = 640) by (j = 2) ins(%x[k, j, i] : tensor<640x2x512xbf16>)
      outs(%e[i, k, j] : tensor<512x640x2xbf16>) {
  ^row(%a: tensor<2xbf16>):
    %n = arith.negf %a : tensor<2xbf16>
    sinter.yield %n : tensor<2xbf16>
  }
  return %y : tensor<512x640x2xbf16>
}

// -----

// Windows whose neighbours are stored near each other, a channel of few: all taps are loaded at once. Of many channels
// they are rows that lie together, as any.

// CHECK-LABEL: func @windows_of_five
//       CHECK:   schedule(#sinter.gpu_rows<{{.*}}rows = 4, team = 1, threads = 256, unroll = 9,
func.func @windows_of_five(%x: tensor<5x3x3x33x56x56xf32>, %e: tensor<33x56x56x5xbf16>) -> tensor<33x56x56x5xbf16> {
  %y = sinter.rowwise (o = 5, n = 33, y = 56, x = 56) by (r = 3, s = 3)
      ins(%x[o, r, s, n, y + r - 1, x + s - 1] : tensor<5x3x3x33x56x56xf32> else 0.0)
      outs(%e[n, y, x, o] : tensor<33x56x56x5xbf16>) {
  ^row(%a: tensor<9xf32>):
    %s = sinter.row_reduce add %a : tensor<9xf32> -> f32
    %h = arith.truncf %s : f32 to bf16
    sinter.yield %h : bf16
  }
  return %y : tensor<33x56x56x5xbf16>
}

// CHECK-LABEL: func @windows_of_forty
//       CHECK:   schedule(#sinter.gpu_rows<{{.*}}rows = 4, team = 1, threads = 256, unroll = 4,
func.func @windows_of_forty(%x: tensor<40x3x3x3x56x56xf32>, %e: tensor<3x56x56x40xbf16>) -> tensor<3x56x56x40xbf16> {
  %y = sinter.rowwise (o = 40, n = 3, y = 56, x = 56) by (r = 3, s = 3)
      ins(%x[o, r, s, n, y + r - 1, x + s - 1] : tensor<40x3x3x3x56x56xf32> else 0.0)
      outs(%e[n, y, x, o] : tensor<3x56x56x40xbf16>) {
  ^row(%a: tensor<9xf32>):
    %s = sinter.row_reduce add %a : tensor<9xf32> -> f32
    %h = arith.truncf %s : f32 to bf16
    sinter.yield %h : bf16
  }
  return %y : tensor<3x56x56x40xbf16>
}

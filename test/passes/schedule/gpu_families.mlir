// RUN: sinter-opt --sinter-schedule=target=gpu --split-input-file %s | FileCheck %s
// RUN: sinter-opt --sinter-schedule='target=gpu chip=sm_80' --split-input-file %s | FileCheck %s --check-prefix=SM80

// All elements are alike: they are one row of the whole grid, which is what runs at once.

// CHECK-LABEL: func @flat
//       CHECK: #sinter.gpu_rows<blocks = 264, occupancy = 2, shape = "flat", threads = 512, unroll = 4, vector = 4>
func.func @flat(%x: tensor<32768x8192xf32>, %e: tensor<f32>) -> tensor<f32> {
  %0 = sinter.rowwise (i = 32768) by (j = 8192) ins(%x[i, j] : tensor<32768x8192xf32>) reduce(add [] : f32) outs(%e[] : tensor<f32>) {
  ^row(%a: tensor<8192xf32>):
    %s = sinter.row_reduce add %a : tensor<8192xf32> -> f32
    sinter.yield %s : f32
  }
  return %0 : tensor<f32>
}

// -----

// Nothing waits for a reduction: rows stream through, a block takes them in turns.

// CHECK-LABEL: func @stream
//       CHECK: #sinter.gpu_rows<blocks = 528, occupancy = 4, residency = "reread", threads = 256, unroll = 4, vector = 4>
func.func @stream(%x: tensor<32768x8192xf32>, %e: tensor<32768xf32>) -> tensor<32768xf32> {
  %0 = sinter.rowwise (i = 32768) by (j = 8192) ins(%x[i, j] : tensor<32768x8192xf32>) outs(%e[i] : tensor<32768xf32>) {
  ^row(%a: tensor<8192xf32>):
    %s = sinter.row_reduce add %a : tensor<8192xf32> -> f32
    sinter.yield %s : f32
  }
  return %0 : tensor<32768xf32>
}

// -----

// Few columns: 8 threads have a row, with 16 bytes each; without whole vectors, an element at a time.

// CHECK-LABEL: func @short
//       CHECK: #sinter.gpu_rows<blocks = 65536, occupancy = 8, residency = "registers", team = 8, threads = 128, vector = 4>
//       CHECK: #sinter.gpu_rows<blocks = 65536, occupancy = 8, residency = "registers", team = 8, threads = 128, vector = 1>
func.func @short(%x: tensor<1048576x32xf32>, %e: tensor<1048576x32xf32>, %y: tensor<1048576x29xf32>, %f: tensor<1048576x29xf32>) -> (tensor<1048576x32xf32>, tensor<1048576x29xf32>) {
  %0 = sinter.rowwise (i = 1048576) by (j = 32) ins(%x[i, j] : tensor<1048576x32xf32>) outs(%e[i, j] : tensor<1048576x32xf32>) {
  ^row(%a: tensor<32xf32>):
    %s = sinter.row_reduce add %a : tensor<32xf32> -> f32
    %b = sinter.broadcast %s : f32 -> tensor<32xf32>
    %q = arith.divf %a, %b : tensor<32xf32>
    sinter.yield %q : tensor<32xf32>
  }
  %1 = sinter.rowwise (i = 1048576) by (j = 29) ins(%y[i, j] : tensor<1048576x29xf32>) outs(%f[i, j] : tensor<1048576x29xf32>) {
  ^row(%a: tensor<29xf32>):
    %s = sinter.row_reduce add %a : tensor<29xf32> -> f32
    %b = sinter.broadcast %s : f32 -> tensor<29xf32>
    %q = arith.divf %a, %b : tensor<29xf32>
    sinter.yield %q : tensor<29xf32>
  }
  return %0, %1 : tensor<1048576x32xf32>, tensor<1048576x29xf32>
}

// -----

// Those who shuffle have the maximum in a phase of its own; a block brings sums under another one together.

// CHECK-LABEL: func @shuffled
//       CHECK: #sinter.gpu_rows<blocks = {{[0-9]+}}, maximum = "before", {{.*}}team = 8,
//       CHECK: #sinter.gpu_rows<blocks = {{[0-9]+}}, occupancy
func.func @shuffled(%x: tensor<1048576x32xf32>, %y: tensor<32768x4096xf32>, %e: tensor<1048576x32xf32>, %f: tensor<32768x4096xf32>) -> (tensor<1048576x32xf32>, tensor<32768x4096xf32>) {
  %0 = sinter.rowwise (i = 1048576) by (j = 32) ins(%x[i, j] : tensor<1048576x32xf32>) outs(%e[i, j] : tensor<1048576x32xf32>) {
  ^row(%a: tensor<32xf32>):
    %m = sinter.row_reduce maximumf %a : tensor<32xf32> -> f32
    %mb = sinter.broadcast %m : f32 -> tensor<32xf32>
    %d = arith.subf %a, %mb : tensor<32xf32>
    %p = math.exp %d : tensor<32xf32>
    %s = sinter.row_reduce add %p : tensor<32xf32> -> f32
    %sb = sinter.broadcast %s : f32 -> tensor<32xf32>
    %q = arith.divf %p, %sb : tensor<32xf32>
    sinter.yield %q : tensor<32xf32>
  }
  %1 = sinter.rowwise (i = 32768) by (j = 4096) ins(%y[i, j] : tensor<32768x4096xf32>) outs(%f[i, j] : tensor<32768x4096xf32>) {
  ^row(%a: tensor<4096xf32>):
    %m = sinter.row_reduce maximumf %a : tensor<4096xf32> -> f32
    %mb = sinter.broadcast %m : f32 -> tensor<4096xf32>
    %d = arith.subf %a, %mb : tensor<4096xf32>
    %p = math.exp %d : tensor<4096xf32>
    %s = sinter.row_reduce add %p : tensor<4096xf32> -> f32
    %sb = sinter.broadcast %s : f32 -> tensor<4096xf32>
    %q = arith.divf %p, %sb : tensor<4096xf32>
    sinter.yield %q : tensor<4096xf32>
  }
  return %0, %1 : tensor<1048576x32xf32>, tensor<32768x4096xf32>
}

// -----

// Classes in dimension 1: a thread has four pixels', neighbouring threads neighbouring pixels'.

// CHECK-LABEL: func @pixels
//       CHECK: #sinter.gpu_rows<blocks = 1024, occupancy = 4, residency = "reread", rows = 4, team = 1, threads = 256, unroll = 4, vector = 1>
func.func @pixels(%x: tensor<16x150x65536xf32>, %e: tensor<16x65536xf32>) -> tensor<16x65536xf32> {
  %0 = sinter.rowwise (i = 16, k = 65536) by (j = 150) ins(%x[i, j, k] : tensor<16x150x65536xf32>) outs(%e[i, k] : tensor<16x65536xf32>) {
  ^row(%a: tensor<150xf32>):
    %s = sinter.row_reduce add %a : tensor<150xf32> -> f32
    sinter.yield %s : f32
  }
  return %0 : tensor<16x65536xf32>
}

// -----

// Classes in dimension 1 that are needed again: a block has 32 pixels in registers, each warp a few of the classes.

// CHECK-LABEL: func @tile
//       CHECK: #sinter.gpu_rows<blocks = 528, occupancy = 4, residency = "registers", shape = "tile", threads = 256, vector = 1>
func.func @tile(%x: tensor<16x150x65536xf32>, %e: tensor<16x150x65536xf32>) -> tensor<16x150x65536xf32> {
  %0 = sinter.rowwise (i = 16, k = 65536) by (j = 150) ins(%x[i, j, k] : tensor<16x150x65536xf32>) outs(%e[i, j, k] : tensor<16x150x65536xf32>) {
  ^row(%a: tensor<150xf32>):
    %s = sinter.row_reduce add %a : tensor<150xf32> -> f32
    %b = sinter.broadcast %s : f32 -> tensor<150xf32>
    %q = arith.divf %a, %b : tensor<150xf32>
    sinter.yield %q : tensor<150xf32>
  }
  return %0 : tensor<16x150x65536xf32>
}

// -----

// What warps leave each other has places of its own for each sum: nine have room in a block of 32 warps, ten do not,
// and rows are read again.

// CHECK-LABEL: func @nine_sums
//       CHECK: residency = "registers", shape = "tile", threads = 1024,
func.func @nine_sums(%x: tensor<600x8192xf32>, %e: tensor<600x8192xf32>) -> tensor<600x8192xf32> {
  %0 = sinter.rowwise (k = 8192) by (j = 600) ins(%x[j, k] : tensor<600x8192xf32>) outs(%e[j, k] : tensor<600x8192xf32>) {
  ^row(%a0: tensor<600xf32>):
    %s0 = sinter.row_reduce add %a0 : tensor<600xf32> -> f32
    %b0 = sinter.broadcast %s0 : f32 -> tensor<600xf32>
    %a1 = arith.divf %a0, %b0 : tensor<600xf32>
    %s1 = sinter.row_reduce add %a1 : tensor<600xf32> -> f32
    %b1 = sinter.broadcast %s1 : f32 -> tensor<600xf32>
    %a2 = arith.divf %a1, %b1 : tensor<600xf32>
    %s2 = sinter.row_reduce add %a2 : tensor<600xf32> -> f32
    %b2 = sinter.broadcast %s2 : f32 -> tensor<600xf32>
    %a3 = arith.divf %a2, %b2 : tensor<600xf32>
    %s3 = sinter.row_reduce add %a3 : tensor<600xf32> -> f32
    %b3 = sinter.broadcast %s3 : f32 -> tensor<600xf32>
    %a4 = arith.divf %a3, %b3 : tensor<600xf32>
    %s4 = sinter.row_reduce add %a4 : tensor<600xf32> -> f32
    %b4 = sinter.broadcast %s4 : f32 -> tensor<600xf32>
    %a5 = arith.divf %a4, %b4 : tensor<600xf32>
    %s5 = sinter.row_reduce add %a5 : tensor<600xf32> -> f32
    %b5 = sinter.broadcast %s5 : f32 -> tensor<600xf32>
    %a6 = arith.divf %a5, %b5 : tensor<600xf32>
    %s6 = sinter.row_reduce add %a6 : tensor<600xf32> -> f32
    %b6 = sinter.broadcast %s6 : f32 -> tensor<600xf32>
    %a7 = arith.divf %a6, %b6 : tensor<600xf32>
    %s7 = sinter.row_reduce add %a7 : tensor<600xf32> -> f32
    %b7 = sinter.broadcast %s7 : f32 -> tensor<600xf32>
    %a8 = arith.divf %a7, %b7 : tensor<600xf32>
    %s8 = sinter.row_reduce add %a8 : tensor<600xf32> -> f32
    %b8 = sinter.broadcast %s8 : f32 -> tensor<600xf32>
    %a9 = arith.divf %a8, %b8 : tensor<600xf32>
    sinter.yield %a9 : tensor<600xf32>
  }
  return %0 : tensor<600x8192xf32>
}

// -----

// CHECK-LABEL: func @ten_sums
//       CHECK: residency = "reread", shape = "tile", threads = 512,
func.func @ten_sums(%x: tensor<600x8192xf32>, %e: tensor<600x8192xf32>) -> tensor<600x8192xf32> {
  %0 = sinter.rowwise (k = 8192) by (j = 600) ins(%x[j, k] : tensor<600x8192xf32>) outs(%e[j, k] : tensor<600x8192xf32>) {
  ^row(%a0: tensor<600xf32>):
    %s0 = sinter.row_reduce add %a0 : tensor<600xf32> -> f32
    %b0 = sinter.broadcast %s0 : f32 -> tensor<600xf32>
    %a1 = arith.divf %a0, %b0 : tensor<600xf32>
    %s1 = sinter.row_reduce add %a1 : tensor<600xf32> -> f32
    %b1 = sinter.broadcast %s1 : f32 -> tensor<600xf32>
    %a2 = arith.divf %a1, %b1 : tensor<600xf32>
    %s2 = sinter.row_reduce add %a2 : tensor<600xf32> -> f32
    %b2 = sinter.broadcast %s2 : f32 -> tensor<600xf32>
    %a3 = arith.divf %a2, %b2 : tensor<600xf32>
    %s3 = sinter.row_reduce add %a3 : tensor<600xf32> -> f32
    %b3 = sinter.broadcast %s3 : f32 -> tensor<600xf32>
    %a4 = arith.divf %a3, %b3 : tensor<600xf32>
    %s4 = sinter.row_reduce add %a4 : tensor<600xf32> -> f32
    %b4 = sinter.broadcast %s4 : f32 -> tensor<600xf32>
    %a5 = arith.divf %a4, %b4 : tensor<600xf32>
    %s5 = sinter.row_reduce add %a5 : tensor<600xf32> -> f32
    %b5 = sinter.broadcast %s5 : f32 -> tensor<600xf32>
    %a6 = arith.divf %a5, %b5 : tensor<600xf32>
    %s6 = sinter.row_reduce add %a6 : tensor<600xf32> -> f32
    %b6 = sinter.broadcast %s6 : f32 -> tensor<600xf32>
    %a7 = arith.divf %a6, %b6 : tensor<600xf32>
    %s7 = sinter.row_reduce add %a7 : tensor<600xf32> -> f32
    %b7 = sinter.broadcast %s7 : f32 -> tensor<600xf32>
    %a8 = arith.divf %a7, %b7 : tensor<600xf32>
    %s8 = sinter.row_reduce add %a8 : tensor<600xf32> -> f32
    %b8 = sinter.broadcast %s8 : f32 -> tensor<600xf32>
    %a9 = arith.divf %a8, %b8 : tensor<600xf32>
    %s9 = sinter.row_reduce add %a9 : tensor<600xf32> -> f32
    %b9 = sinter.broadcast %s9 : f32 -> tensor<600xf32>
    %a10 = arith.divf %a9, %b9 : tensor<600xf32>
    sinter.yield %a10 : tensor<600xf32>
  }
  return %0 : tensor<600x8192xf32>
}

// -----

// Rows that are no multiple of a vector, in registers: by vectors all the same.

// CHECK-LABEL: func @peeled
//       CHECK: #sinter.gpu_rows<blocks = 16384, cluster = 4, occupancy = 4, residency = "registers", threads = 256, vector = 4>
func.func @peeled(%x: tensor<4096x32003xf32>, %e: tensor<4096x32003xf32>) -> tensor<4096x32003xf32> {
  %0 = sinter.rowwise (i = 4096) by (j = 32003) ins(%x[i, j] : tensor<4096x32003xf32>) outs(%e[i, j] : tensor<4096x32003xf32>) {
  ^row(%a: tensor<32003xf32>):
    %s = sinter.row_reduce add %a : tensor<32003xf32> -> f32
    %b = sinter.broadcast %s : f32 -> tensor<32003xf32>
    %q = arith.divf %a, %b : tensor<32003xf32>
    sinter.yield %q : tensor<32003xf32>
  }
  return %0 : tensor<4096x32003xf32>
}

// -----

// Sums of columns are carried from row to row: half the threads on a multiprocessor, with twice the registers. The next
// row is on its way meanwhile.

// CHECK-LABEL: func @columns
//       CHECK: #sinter.gpu_rows<ahead = 1, blocks = 528, occupancy = 4, residency = "registers", threads = 128, vector = 4>
func.func @columns(%x: tensor<8192x4096xf32>, %e: tensor<4096xf32>) -> tensor<4096xf32> {
  %0 = sinter.rowwise (i = 8192) by (j = 4096) ins(%x[i, j] : tensor<8192x4096xf32>) reduce(add [j] : f32) outs(%e[j] : tensor<4096xf32>) {
  ^row(%a: tensor<4096xf32>):
    %s = sinter.row_reduce add %a : tensor<4096xf32> -> f32
    %b = sinter.broadcast %s : f32 -> tensor<4096xf32>
    %q = arith.divf %a, %b : tensor<4096xf32>
    sinter.yield %q : tensor<4096xf32>
  }
  return %0 : tensor<4096xf32>
}

// -----

// An output waits for a sum: the row stays in registers, of four blocks on a multiprocessor. Each row has its own
// cluster.

// CHECK-LABEL: func @stays
//       CHECK: #sinter.gpu_rows<blocks = 32768, cluster = 8, occupancy = 4, residency = "registers", threads = 256, vector = 4>
func.func @stays(%x: tensor<4096x65536xf32>, %e: tensor<4096x65536xf32>) -> tensor<4096x65536xf32> {
  %0 = sinter.rowwise (i = 4096) by (j = 65536) ins(%x[i, j] : tensor<4096x65536xf32>) outs(%e[i, j] : tensor<4096x65536xf32>) {
  ^row(%a: tensor<65536xf32>):
    %s = sinter.row_reduce add %a : tensor<65536xf32> -> f32
    %b = sinter.broadcast %s : f32 -> tensor<65536xf32>
    %q = arith.divf %a, %b : tensor<65536xf32>
    sinter.yield %q : tensor<65536xf32>
  }
  return %0 : tensor<4096x65536xf32>
}

// -----

// With a sum over rows too.

// CHECK-LABEL: func @stays_and_sums
//       CHECK: #sinter.gpu_rows<blocks = 65536, cluster = 8, occupancy = 2, residency = "registers", threads = 256, vector = 4>
func.func @stays_and_sums(%x: tensor<8192x128256xf32>, %e: tensor<8192x128256xf32>, %t: tensor<f32>) -> (tensor<8192x128256xf32>, tensor<f32>) {
  %0:2 = sinter.rowwise (i = 8192) by (j = 128256) ins(%x[i, j] : tensor<8192x128256xf32>) reduce(add [] : f32)
      outs(%e[i, j] : tensor<8192x128256xf32>, %t[] : tensor<f32>) {
  ^row(%a: tensor<128256xf32>):
    %s = sinter.row_reduce add %a : tensor<128256xf32> -> f32
    %b = sinter.broadcast %s : f32 -> tensor<128256xf32>
    %q = arith.divf %a, %b : tensor<128256xf32>
    sinter.yield %s, %q : f32, tensor<128256xf32>
  }
  return %0#0, %0#1 : tensor<8192x128256xf32>, tensor<f32>
}

// -----

// Too long for registers, and sums of columns, which no grid has (schedule/gpu_grid.mlir): read again, by one large
// block on each multiprocessor, so that L2 holds the rows at work. Few such rows are shared by clusters.

// CHECK-LABEL: func @too_long
//       CHECK: #sinter.gpu_rows<blocks = 132, cluster = 2, occupancy = 1, residency = "reread", threads = 1024, unroll = 4, vector = 4>
func.func @too_long(%x: tensor<64x1048576xf32>, %e: tensor<1048576xf32>) -> tensor<1048576xf32> {
  %0 = sinter.rowwise (i = 64) by (j = 1048576) ins(%x[i, j] : tensor<64x1048576xf32>) reduce(add [j] : f32) outs(%e[j] : tensor<1048576xf32>) {
  ^row(%a: tensor<1048576xf32>):
    %s = sinter.row_reduce add %a : tensor<1048576xf32> -> f32
    %b = sinter.broadcast %s : f32 -> tensor<1048576xf32>
    %q = arith.divf %a, %b : tensor<1048576xf32>
    sinter.yield %q : tensor<1048576xf32>
  }
  return %0 : tensor<1048576xf32>
}

// -----

// 16 bytes of the widest row in memory; a few elements are a thread's each.

// CHECK-LABEL: func @bf16
//       CHECK: vector = 8>
// CHECK-LABEL: func @odd
//       CHECK: vector = 1>
func.func @bf16(%x: tensor<512x1024xbf16>, %e: tensor<512x1024xbf16>) -> tensor<512x1024xbf16> {
  %0 = sinter.rowwise (i = 512) by (j = 1024) ins(%x[i, j] : tensor<512x1024xbf16>) outs(%e[i, j] : tensor<512x1024xbf16>) {
  ^row(%a: tensor<1024xbf16>):
    %n = arith.negf %a : tensor<1024xbf16>
    sinter.yield %n : tensor<1024xbf16>
  }
  return %0 : tensor<512x1024xbf16>
}
func.func @odd(%x: tensor<5x7xf32>, %e: tensor<5x7xf32>) -> tensor<5x7xf32> {
  %0 = sinter.rowwise (i = 5) by (j = 7) ins(%x[i, j] : tensor<5x7xf32>) outs(%e[i, j] : tensor<5x7xf32>) {
  ^row(%a: tensor<7xf32>):
    %n = arith.negf %a : tensor<7xf32>
    sinter.yield %n : tensor<7xf32>
  }
  return %0 : tensor<5x7xf32>
}

// -----

// Without columns a thread runs a row.

// CHECK-LABEL: func @labels
//       CHECK: #sinter.gpu_rows<blocks = 32, occupancy = 4, residency = "reread", team = 1, threads = 256, vector = 1>
func.func @labels(%t: tensor<8192xi64>, %e: tensor<i64>) -> tensor<i64> {
  %0 = sinter.rowwise (i = 8192) by () ins(%t[i] : tensor<8192xi64>) reduce(add [] : i64) outs(%e[] : tensor<i64>) {
  ^row(%l: i64):
    sinter.yield %l : i64
  }
  return %0 : tensor<i64>
}

// -----

// Outputs of a window are the lanes, one of a thread in steps of 2 of f32, so that threads load 8 bytes apart, and its
// taps no loop; few outputs have a thread each, in blocks of a warp.

// CHECK-LABEL: @pooling
//       CHECK: #sinter.gpu_rows<blocks = 32768, occupancy = 4, residency = "reread", team = 1, threads = 256, unroll = 9, vector = 1>
//       CHECK: #sinter.gpu_rows<blocks = 11, occupancy = 32, residency = "reread", team = 1, threads = 32, unroll = 9, vector = 1>
func.func @pooling(%x: tensor<32x64x128x128xf32>, %y: tensor<32x64x64x64xf32>, %z: tensor<3x9x13xf32>, %e: tensor<3x9x13xf32>) -> (tensor<32x64x64x64xf32>, tensor<3x9x13xf32>) {
  %0 = sinter.rowwise (n = 32, c = 64, i = 64, j = 64) by (r = 3, s = 3)
      ins(%x[n, c, i * 2 + r - 1, j * 2 + s - 1] : tensor<32x64x128x128xf32> else 0xFF800000)
      outs(%y[n, c, i, j] : tensor<32x64x64x64xf32>) {
  ^row(%a: tensor<9xf32>):
    %m = sinter.row_reduce maximumf %a : tensor<9xf32> -> f32
    sinter.yield %m : f32
  }
  %1 = sinter.rowwise (n = 3, i = 9, j = 13) by (r = 3, s = 3) ins(%z[n, i + r - 1, j + s - 1] : tensor<3x9x13xf32> else 0.0)
      outs(%e[n, i, j] : tensor<3x9x13xf32>) {
  ^row(%a: tensor<9xf32>):
    %m = sinter.row_reduce add %a : tensor<9xf32> -> f32
    sinter.yield %m : f32
  }
  return %0, %1 : tensor<32x64x64x64xf32>, tensor<3x9x13xf32>
}

// -----

// Two operands of 49 taps are no loop either.

// CHECK-LABEL: @depthwise
//       CHECK: #sinter.gpu_rows<blocks = 26240, occupancy = 4, residency = "reread", rows = 2, team = 1, threads = 256, unroll = 49, vector = 1>
func.func @depthwise(%x: tensor<128x64x80x77xf32>, %w: tensor<64x7x7xf32>, %y: tensor<128x64x41x40xf32>) -> tensor<128x64x41x40xf32> {
  %0 = sinter.rowwise (n = 128, c = 64, i = 41, j = 40) by (r = 7, s = 7)
      ins(%x[n, c, i * 2 + r - 3, j * 2 + s - 3] : tensor<128x64x80x77xf32> else 0.0, %w[c, r, s] : tensor<64x7x7xf32>)
      outs(%y[n, c, i, j] : tensor<128x64x41x40xf32>) {
  ^row(%a: tensor<49xf32>, %b: tensor<49xf32>):
    %p = arith.mulf %a, %b : tensor<49xf32>
    %m = sinter.row_reduce add %p : tensor<49xf32> -> f32
    sinter.yield %m : f32
  }
  return %0 : tensor<128x64x41x40xf32>
}

// -----

// The gradient of a window reads quotients: its elements are the lanes too.

// CHECK-LABEL: @pooling_gradient
//       CHECK: #sinter.gpu_rows<blocks = {{[0-9]+}}, occupancy = 4, residency = "reread", rows = 4, team = 1, threads = 256, unroll = 25, vector = 1>
func.func @pooling_gradient(%g: tensor<32x64x43x43x5x5xf32>, %e: tensor<32x64x128x128xf32>) -> tensor<32x64x128x128xf32> {
  %0 = sinter.rowwise (n = 32, c = 64, i = 128, j = 128) by (r = 5, s = 5)
      ins(%g[n, c, (i - r + 1) floordiv 3, (j - s + 1) floordiv 3, r, s] : tensor<32x64x43x43x5x5xf32> else 0.0)
      outs(%e[n, c, i, j] : tensor<32x64x128x128xf32>) {
  ^row(%a: tensor<25xf32>):
    %m = sinter.row_reduce add %a : tensor<25xf32> -> f32
    sinter.yield %m : f32
  }
  return %0 : tensor<32x64x128x128xf32>
}

// -----

// Rows of any length: a kernel for each of some lengths at most, whose rows stay in registers of a warp, a block, a
// cluster; the longest are read again by clusters. Those of a multiple of 4 have vectors, and few rows more threads
// each than many.

// CHECK-LABEL: func @any_length
//       CHECK:   schedule(#sinter.gpu_rows<{{[a-z0-9 =,]*}}cluster = 8, even = #sinter.gpu_rows<
//  CHECK-SAME:     cluster = 8, deal = "each", most = 131072, multiple = 4, occupancy = 2,
//  CHECK-SAME:     cluster = 8, deal = "each", most = 65536, multiple = 4, occupancy = 4,
//  CHECK-SAME:     cluster = 4, deal = "each", most = 32768,
//  CHECK-SAME:     cluster = 2, deal = "each", most = 16384,
//  CHECK-SAME:     deal = "each", most = 8192,
//  CHECK-SAME:     many = #sinter.gpu_rows<blocks = 1056, deal = "each", least = 1056, most = 4096, multiple = 4, occupancy = 8, residency = "registers", threads = 128, vector = 4>, most = 4096,
//  CHECK-SAME:     many = #sinter.gpu_rows<blocks = 2112, deal = "each", least = 2112, most = 2048, multiple = 4, occupancy = 16, residency = "registers", threads = 64, vector = 4>, most = 2048,
//  CHECK-SAME:     most = 1024, multiple = 4, occupancy = 16,
//  CHECK-SAME:     most = 512,
//  CHECK-SAME:     most = 128,
//  CHECK-SAME:     most = 64,
//  CHECK-SAME:     most = 32,
//  CHECK-SAME:     most = 16, {{[a-z0-9 =,"]*}}team = 2, threads = 128, vector = 4>, team = 4, threads = 128, vector = 4>
//  CHECK-SAME:     residency = "reread", shorter = #sinter.gpu_rows<
//  CHECK-SAME:     cluster = 8, deal = "each", most = 40960, occupancy = 2, residency = "registers", shorter = #sinter.gpu_rows<
//  CHECK-SAME:     cluster = 4, deal = "each", most = 20480, occupancy = 2,
//  CHECK-SAME:     cluster = 2, deal = "each", most = 10240, occupancy = 2,
//  CHECK-SAME:     most = 5120, occupancy = 2,
//  CHECK-SAME:     cluster = 2, deal = "each", most = 4096, occupancy = 4,
//  CHECK-SAME:     most = 2048,
//  CHECK-SAME:     most = 1024,
//  CHECK-SAME:     most = 640,
//  CHECK-SAME:     most = 512,
//  CHECK-SAME:     most = 256,
//  CHECK-SAME:     most = 128,
//  CHECK-SAME:     most = 64,
//  CHECK-SAME:     {{[a-z0-9 =,"]*}}maximum = "before", most = 16, {{[a-z0-9 =,"]*}}team = 4, threads = 128, vector = 1>
//  CHECK-SAME:     team = 16, threads = 128, vector = 1>, team = 32, threads = 128, vector = 1>
//  CHECK-SAME:     team = 32, threads = 128, vector = 1>, team = 32, threads = 128, vector = 1>, threads = 64, vector = 1>
//  CHECK-SAME:     threads = 128, vector = 1>, threads = 256,

// Without clusters a block of 512 has the longest of them.

// SM80-LABEL: func @any_length(
//       SM80:   residency = "reread", shorter = #sinter.gpu_rows<
//  SM80-SAME:     most = 10240, occupancy = 1, residency = "registers", shorter = #sinter.gpu_rows<
//  SM80-SAME:     most = 5120, occupancy = 2, residency = "registers", shorter = #sinter.gpu_rows<
//  SM80-SAME:     most = 2048,
func.func @any_length(%x: tensor<?x?xf32>, %e: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %y = sinter.rowwise (i = ?) by (j = ?) ins(%x[i, j] : tensor<?x?xf32>) outs(%e[i, j] : tensor<?x?xf32>) {
  ^row(%a: tensor<?xf32>):
    %m = sinter.row_reduce maximumf %a : tensor<?xf32> -> f32
    %b = sinter.broadcast %m : f32 -> tensor<?xf32>
    %d = arith.subf %a, %b : tensor<?xf32>
    %p = math.exp %d : tensor<?xf32>
    %s = sinter.row_reduce add %p : tensor<?xf32> -> f32
    %t = sinter.broadcast %s : f32 -> tensor<?xf32>
    %q = arith.divf %p, %t : tensor<?xf32>
    sinter.yield %q : tensor<?xf32>
  }
  return %y : tensor<?x?xf32>
}

// -----

// An element with many values leaves no registers for four blocks on a multiprocessor: there is no kernel of those.

// CHECK-LABEL: func @any_length_many_values
//       CHECK:   cluster = 2, deal = "each", most = 6656, occupancy = 2,
//  CHECK-SAME:     shorter = #sinter.gpu_rows<blocks = 264, deal = "each", most = 3328, occupancy = 2,
//  CHECK-SAME:     shorter = #sinter.gpu_rows<blocks = 264, deal = "each", most = 2048, occupancy = 2,
func.func @any_length_many_values(%x: tensor<?x?xf32>, %w: tensor<?xf32>, %b: tensor<?xf32>, %e: tensor<?x?xf32>)
    -> tensor<?x?xf32> {
  %y = sinter.rowwise (i = ?) by (j = ?)
      ins(%x[i, j] : tensor<?x?xf32>, %w[j] : tensor<?xf32>, %b[j] : tensor<?xf32>)
      outs(%e[i, j] : tensor<?x?xf32>) {
  ^row(%a: tensor<?xf32>, %by: tensor<?xf32>, %to: tensor<?xf32>):
    %d = arith.extf %a : tensor<?xf32> to tensor<?xf64>
    %m = sinter.row_reduce add %d : tensor<?xf64> -> f64
    %n = sinter.broadcast %m : f64 -> tensor<?xf64>
    %c = arith.subf %d, %n : tensor<?xf64>
    %q = arith.mulf %c, %c : tensor<?xf64>
    %s = sinter.row_reduce add %q : tensor<?xf64> -> f64
    %f = arith.truncf %s : f64 to f32
    %r = sinter.broadcast %f : f32 -> tensor<?xf32>
    %u = arith.mulf %a, %r : tensor<?xf32>
    %v = arith.mulf %u, %by : tensor<?xf32>
    %z = arith.addf %v, %to : tensor<?xf32>
    sinter.yield %z : tensor<?xf32>
  }
  return %y : tensor<?x?xf32>
}

// -----

// Rows that are read once: the shortest by part of a warp, short ones by a warp each, others by a block, the longest by
// clusters. Where their length is a multiple of 4, by vectors.

// CHECK-LABEL: func @any_length_once
//       CHECK:   schedule(#sinter.gpu_rows<{{[a-z0-9 =,]*}}cluster = 8, even = #sinter.gpu_rows<
//  CHECK-SAME:     most = 2048, multiple = 4, {{[a-z0-9 =,"]*}}
//  CHECK-SAME:     most = 256, multiple = 4, occupancy = 8,
//  CHECK-SAME:     most = 128, multiple = 4, occupancy = 8,
//  CHECK-SAME:     most = 64, multiple = 4, occupancy = 8,
//  CHECK-SAME:     most = 32, multiple = 4, occupancy = 8,
//  CHECK-SAME:     most = 16, multiple = 4, {{[a-z0-9 =,"]*}}team = 1, threads = 128, unroll = 4, vector = 4>
//  CHECK-SAME:     team = 2, threads = 128, unroll = 4, vector = 4>, team = 4, threads = 128, unroll = 4, vector = 4>
//  CHECK-SAME:     team = 8, threads = 128, unroll = 4, vector = 4>, team = 16, threads = 128, unroll = 4, vector = 4>
//  CHECK-SAME:     threads = 128, unroll = 4, vector = 4>
//  CHECK-SAME:     most = 65536,
//  CHECK-SAME:     most = 1024,
//  CHECK-SAME:     many = #sinter.gpu_rows<blocks = 1056, least = 8448, most = 64, {{[a-z0-9 =,"]*}}team = 8, threads = 128, unroll = 8, vector = 1>
//  CHECK-SAME:     most = 16, {{[a-z0-9 =,"]*}}team = 4, threads = 128, unroll = 4, vector = 1>, team = 32, threads = 128, unroll = 2, vector = 1>
func.func @any_length_once(%x: tensor<?x?xf32>, %e: tensor<?xf32>) -> tensor<?xf32> {
  %y = sinter.rowwise (i = ?) by (j = ?) ins(%x[i, j] : tensor<?x?xf32>) outs(%e[i] : tensor<?xf32>) {
  ^row(%a: tensor<?xf32>):
    %s = sinter.row_reduce add %a : tensor<?xf32> -> f32
    sinter.yield %s : f32
  }
  return %y : tensor<?xf32>
}

// -----

// Elements of 64 bits: a thread has twice as much of a row, and of a long one four times.

// CHECK-LABEL: func @any_length_wide
//       CHECK:   most = 256, multiple = 4,
//  CHECK-SAME:   most = 128, multiple = 4,
//  CHECK-SAME:   team = 4, threads = 128, unroll = 8, vector = 4>, team = 4, threads = 128, unroll = 4, vector = 4>
func.func @any_length_wide(%x: tensor<?x?xf32>, %e: tensor<?xf64>) -> tensor<?xf64> {
  %y = sinter.rowwise (i = ?) by (j = ?) ins(%x[i, j] : tensor<?x?xf32>) outs(%e[i] : tensor<?xf64>) {
  ^row(%a: tensor<?xf32>):
    %w = arith.extf %a : tensor<?xf32> to tensor<?xf64>
    %s = sinter.row_reduce add %w : tensor<?xf64> -> f64
    sinter.yield %s : f64
  }
  return %y : tensor<?xf64>
}

// -----

// Rows of a known length whose number is `?`: few have a block of 256 threads each, many one of 64; where a sum goes
// over all rows blocks go from row to row.

// CHECK-LABEL: func @any_number
//       CHECK:   schedule(#sinter.gpu_rows<blocks = 528, deal = "each", many = #sinter.gpu_rows<blocks = 2112, deal = "each", least = 2112, occupancy = 16, residency = "registers", threads = 64, vector = 4>, occupancy = 4, residency = "registers", threads = 256, vector = 4>)
//       CHECK:   schedule(#sinter.gpu_rows<blocks = 528, many = #sinter.gpu_rows<
//   CHECK-NOT:     deal
//       CHECK: return
func.func @any_number(%x: tensor<?x2000xf32>, %e: tensor<?x2000xf32>, %t: tensor<f32>)
    -> (tensor<?x2000xf32>, tensor<?x2000xf32>, tensor<f32>) {
  %y = sinter.rowwise (i = ?) by (j = 2000) ins(%x[i, j] : tensor<?x2000xf32>) outs(%e[i, j] : tensor<?x2000xf32>) {
  ^row(%a: tensor<2000xf32>):
    %m = sinter.row_reduce maximumf %a : tensor<2000xf32> -> f32
    %b = sinter.broadcast %m : f32 -> tensor<2000xf32>
    %d = arith.subf %a, %b : tensor<2000xf32>
    sinter.yield %d : tensor<2000xf32>
  }
  %z:2 = sinter.rowwise (i = ?) by (j = 2000) ins(%x[i, j] : tensor<?x2000xf32>) reduce(add [] : f32)
      outs(%e[i, j] : tensor<?x2000xf32>, %t[] : tensor<f32>) {
  ^row(%a: tensor<2000xf32>):
    %m = sinter.row_reduce maximumf %a : tensor<2000xf32> -> f32
    %b = sinter.broadcast %m : f32 -> tensor<2000xf32>
    %d = arith.subf %a, %b : tensor<2000xf32>
    sinter.yield %m, %d : f32, tensor<2000xf32>
  }
  return %y, %z#0, %z#1 : tensor<?x2000xf32>, tensor<?x2000xf32>, tensor<f32>
}

// -----

// The same beside sums of columns: few rows have a block each, many a warp of one.

// CHECK-LABEL: func @any_number_of_columns
//       CHECK:   blocks = 264, many = #sinter.gpu_rows<blocks = 264, least = 4224, occupancy = 2, residency = "registers", team = 32, threads = 512, vector = 2>
//  CHECK-SAME:   threads = 256, vector = 2>
func.func @any_number_of_columns(%x: tensor<?x366xf32>, %e: tensor<?x366xf32>, %c: tensor<366xf32>) -> (tensor<366xf32>, tensor<?x366xf32>) {
  %y:2 = sinter.rowwise (i = ?) by (j = 366) ins(%x[i, j] : tensor<?x366xf32>) reduce(add [j] : f32)
      outs(%c[j] : tensor<366xf32>, %e[i, j] : tensor<?x366xf32>) {
  ^row(%a: tensor<366xf32>):
    %m = sinter.row_reduce maximumf %a : tensor<366xf32> -> f32
    %b = sinter.broadcast %m : f32 -> tensor<366xf32>
    %d = arith.subf %a, %b : tensor<366xf32>
    sinter.yield %d, %d : tensor<366xf32>, tensor<366xf32>
  }
  return %y#0, %y#1 : tensor<366xf32>, tensor<?x366xf32>
}

// -----

// Fewer rows than threads, whose columns are apart: warps share the columns of 32 neighbouring rows, so many that each
// has enough of them.

// CHECK-LABEL: func @warps
//       CHECK:   schedule(#sinter.gpu_rows<blocks = 252, occupancy = 4, residency = "reread", shape = "tile", threads = 256, unroll = 8, vector = 1>)
func.func @warps(%x: tensor<67x8064xf32>, %e: tensor<8064xf32>) -> tensor<8064xf32> {
  %y = sinter.rowwise (j = 8064) by (i = 67) ins(%x[i, j] : tensor<67x8064xf32>) outs(%e[j] : tensor<8064xf32>) {
  ^row(%a: tensor<67xf32>):
    %s = sinter.row_reduce minimumf %a : tensor<67xf32> -> f32
    sinter.yield %s : f32
  }
  return %y : tensor<8064xf32>
}

// -----

// The same of any length: few columns by a thread, then by few warps; of rows that are read again, as many as registers
// hold. Where rows are as many as threads, and a multiple of 4, a thread has 4.

// CHECK-LABEL: func @any_warps
//       CHECK:   schedule(#sinter.gpu_rows<blocks = 132, even = #sinter.gpu_rows<blocks = 528, least = 270336, multiple = 4,
//  CHECK-SAME:     rows = 4, team = 1, threads = 256, unroll = 4, vector = 1>
//  CHECK-SAME:     residency = "reread", shape = "tile", shorter = #sinter.gpu_rows<
//  CHECK-SAME:     most = 1024, {{[a-z0-9 =,"]*}}shape = "tile", shorter = #sinter.gpu_rows<
//  CHECK-SAME:     most = 64, {{[a-z0-9 =,"]*}}team = 1, threads = 256, unroll = 8, vector = 1>, threads = 256
func.func @any_warps(%x: tensor<?x?xf32>, %e: tensor<?xf32>) -> tensor<?xf32> {
  %y = sinter.rowwise (j = ?) by (i = ?) ins(%x[i, j] : tensor<?x?xf32>) outs(%e[j] : tensor<?xf32>) {
  ^row(%a: tensor<?xf32>):
    %s = sinter.row_reduce minimumf %a : tensor<?xf32> -> f32
    sinter.yield %s : f32
  }
  return %y : tensor<?xf32>
}

// What is summed over rows, too, and what is read again have no rows beside each other.

// CHECK-LABEL: func @any_sums
//   CHECK-NOT:   even
//       CHECK:   return
func.func @any_sums(%x: tensor<?x?xf32>, %e: tensor<?xf32>, %f: tensor<f32>)
    -> (tensor<?xf32>, tensor<f32>) {
  %y, %z = sinter.rowwise (j = ?) by (i = ?) ins(%x[i, j] : tensor<?x?xf32>) reduce(add [] : f32)
      outs(%e[j] : tensor<?xf32>, %f[] : tensor<f32>) {
  ^row(%a: tensor<?xf32>):
    %s = sinter.row_reduce minimumf %a : tensor<?xf32> -> f32
    sinter.yield %s, %s : f32, f32
  }
  return %y, %z : tensor<?xf32>, tensor<f32>
}

// CHECK-LABEL: func @any_again
//   CHECK-NOT:   even
//       CHECK:   return
func.func @any_again(%x: tensor<8x?xf32>, %e: tensor<8x?xf32>) -> tensor<8x?xf32> {
  %y = sinter.rowwise (j = ?) by (i = 8) ins(%x[i, j] : tensor<8x?xf32>) outs(%e[i, j] : tensor<8x?xf32>) {
  ^row(%a: tensor<8xf32>):
    %s = sinter.row_reduce maximumf %a : tensor<8xf32> -> f32
    %b = sinter.broadcast %s : f32 -> tensor<8xf32>
    %q = arith.subf %a, %b : tensor<8xf32>
    sinter.yield %q : tensor<8xf32>
  }
  return %y : tensor<8x?xf32>
}

// CHECK-LABEL: func @any_tile
//       CHECK:   schedule(#sinter.gpu_rows<{{.*}}residency = "reread", shape = "tile", shorter = #sinter.gpu_rows<
//  CHECK-SAME:     most = 256, occupancy = 1, residency = "registers", shape = "tile",
//  CHECK-SAME:     most = 160, occupancy = 2,
//  CHECK-SAME:     most = 128,
//  CHECK-SAME:     most = 32, {{[a-z0-9 =,]*}}residency = "registers", shape = "tile", threads = 128, vector = 1>, threads = 512, vector = 1>, threads = 512, vector = 1>, threads = 512, vector = 1>, threads = 1024
func.func @any_tile(%x: tensor<?x?xf32>, %e: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %y = sinter.rowwise (j = ?) by (i = ?) ins(%x[i, j] : tensor<?x?xf32>) outs(%e[i, j] : tensor<?x?xf32>) {
  ^row(%a: tensor<?xf32>):
    %s = sinter.row_reduce maximumf %a : tensor<?xf32> -> f32
    %b = sinter.broadcast %s : f32 -> tensor<?xf32>
    %q = arith.subf %a, %b : tensor<?xf32>
    sinter.yield %q : tensor<?xf32>
  }
  return %y : tensor<?x?xf32>
}

// -----

// Neighbours are those of the last row dimensions, which follow each other in memory: the last has 10.

// CHECK-LABEL: func @short_inner
//       CHECK:   schedule(#sinter.gpu_rows<{{.*}}residency = "registers", shape = "tile", threads = 256, vector = 1>)
func.func @short_inner(%x: tensor<108x192x74x10xf32>, %e: tensor<108x192x74x10xf32>) -> tensor<108x192x74x10xf32> {
  %y = sinter.rowwise (i = 108, j = 74, k = 10) by (l = 192) ins(%x[i, l, j, k] : tensor<108x192x74x10xf32>)
      outs(%e[i, l, j, k] : tensor<108x192x74x10xf32>) {
  ^row(%a: tensor<192xf32>):
    %s = sinter.row_reduce maximumf %a : tensor<192xf32> -> f32
    %b = sinter.broadcast %s : f32 -> tensor<192xf32>
    %q = arith.subf %a, %b : tensor<192xf32>
    sinter.yield %q : tensor<192xf32>
  }
  return %y : tensor<108x192x74x10xf32>
}

// -----

// Few elements, whose sum is one block's: no others are met.

// CHECK-LABEL: func @one_block
//       CHECK:   schedule(#sinter.gpu_rows<blocks = 1, occupancy = 1, shape = "flat", threads = 1024, vector = 4>)
func.func @one_block(%x: tensor<24x131xf32>, %e: tensor<f32>) -> tensor<f32> {
  %y = sinter.rowwise (i = 24) by (j = 131) ins(%x[i, j] : tensor<24x131xf32>) reduce(add [] : f32) outs(%e[] : tensor<f32>) {
  ^row(%a: tensor<131xf32>):
    %s = sinter.row_reduce add %a : tensor<131xf32> -> f32
    sinter.yield %s : f32
  }
  return %y : tensor<f32>
}

// -----

// Few short rows: a warp has one, as no thread of a block would have more of it.

// CHECK-LABEL: func @few_short
//       CHECK:   schedule(#sinter.gpu_rows<blocks = 75, {{.*}}residency = "registers", team = 32, threads = 128, vector = 4>)
func.func @few_short(%x: tensor<300x128xf32>, %e: tensor<300x128xf32>) -> tensor<300x128xf32> {
  %y = sinter.rowwise (i = 300) by (j = 128) ins(%x[i, j] : tensor<300x128xf32>) outs(%e[i, j] : tensor<300x128xf32>) {
  ^row(%a: tensor<128xf32>):
    %s = sinter.row_reduce add %a : tensor<128xf32> -> f32
    %b = sinter.broadcast %s : f32 -> tensor<128xf32>
    %d = arith.subf %a, %b : tensor<128xf32>
    sinter.yield %d : tensor<128xf32>
  }
  return %y : tensor<300x128xf32>
}

// -----

// Three vectors of a row: one thread has them, where of two one would have half a share; no more blocks than have rows.

// CHECK-LABEL: func @columns_of_short
//       CHECK: #sinter.gpu_rows<blocks = 78, occupancy = 4, residency = "registers", team = 1, threads = 256, vector = 4>
func.func @columns_of_short(%x: tensor<19968x12xbf16>, %e: tensor<12xf32>) -> tensor<12xf32> {
  %0 = sinter.rowwise (i = 19968) by (j = 12) ins(%x[i, j] : tensor<19968x12xbf16>) reduce(add [j] : f32)
      outs(%e[j] : tensor<12xf32>) {
  ^row(%a: tensor<12xbf16>):
    %b = arith.extf %a : tensor<12xbf16> to tensor<12xf32>
    sinter.yield %b : tensor<12xf32>
  }
  return %0 : tensor<12xf32>
}

// -----

// 21 vectors of a row: 8 threads have 3 each. Of few rows as many threads as there are.

// CHECK-LABEL: func @busy
//       CHECK: #sinter.gpu_rows<{{.*}}team = 8, threads = 128, vector = 8>
//       CHECK: #sinter.gpu_rows<{{.*}}team = 32, threads = 128, vector = 8>
func.func @busy(%x: tensor<76950x168xf16>, %w: tensor<168xf16>, %e: tensor<76950x168xf16>, %y: tensor<999x168xf16>, %f: tensor<999x168xf16>) -> (tensor<76950x168xf16>, tensor<999x168xf16>) {
  %0 = sinter.rowwise (i = 76950) by (j = 168) ins(%x[i, j] : tensor<76950x168xf16>, %w[j] : tensor<168xf16>)
      outs(%e[i, j] : tensor<76950x168xf16>) {
  ^row(%a: tensor<168xf16>, %b: tensor<168xf16>):
    %c = arith.mulf %a, %b : tensor<168xf16>
    sinter.yield %c : tensor<168xf16>
  }
  %1 = sinter.rowwise (i = 999) by (j = 168) ins(%y[i, j] : tensor<999x168xf16>, %w[j] : tensor<168xf16>)
      outs(%f[i, j] : tensor<999x168xf16>) {
  ^row(%a: tensor<168xf16>, %b: tensor<168xf16>):
    %c = arith.mulf %a, %b : tensor<168xf16>
    sinter.yield %c : tensor<168xf16>
  }
  return %0, %1 : tensor<76950x168xf16>, tensor<999x168xf16>
}

// -----

// Where nothing meets, any number of blocks shares each of few rows, of which each thread has all at once: four
// elements, or one vector where there are fewer.

// CHECK-LABEL: func @few_alike
//       CHECK: #sinter.gpu_rows<blocks = 768, cluster = 6, occupancy = 4, residency = "reread", threads = 256, unroll = 4, vector = 1>
// CHECK-LABEL: func @fewer_alike
//       CHECK: #sinter.gpu_rows<blocks = 576, cluster = 18, occupancy = 4, residency = "reread", threads = 256, vector = 8>
func.func @few_alike(%x: tensor<128x12226xf32>, %e: tensor<128x6113xf32>) -> tensor<128x6113xf32> {
  %0 = sinter.rowwise (i = 128) by (j = 6113)
      ins(%x[i, j] : tensor<128x12226xf32>, %x[i, j + 6113] : tensor<128x12226xf32>) outs(%e[i, j] : tensor<128x6113xf32>) {
  ^row(%a: tensor<6113xf32>, %b: tensor<6113xf32>):
    %c = arith.mulf %a, %b : tensor<6113xf32>
    sinter.yield %c : tensor<6113xf32>
  }
  return %0 : tensor<128x6113xf32>
}
func.func @fewer_alike(%x: tensor<32x73472xf16>, %e: tensor<32x36736xf16>) -> tensor<32x36736xf16> {
  %0 = sinter.rowwise (i = 32) by (j = 36736)
      ins(%x[i, j] : tensor<32x73472xf16>, %x[i, j + 36736] : tensor<32x73472xf16>) outs(%e[i, j] : tensor<32x36736xf16>) {
  ^row(%a: tensor<36736xf16>, %b: tensor<36736xf16>):
    %c = arith.mulf %a, %b : tensor<36736xf16>
    sinter.yield %c : tensor<36736xf16>
  }
  return %0 : tensor<32x36736xf16>
}

// -----

// A number of one row that is read once: a vector of each thread.

// CHECK-LABEL: func @one_read_once
//       CHECK: #sinter.gpu_rows<{{.*}}residency = "reread", threads = 512, vector = 8>
func.func @one_read_once(%x: tensor<3392xf16>, %e: tensor<f16>) -> tensor<f16> {
  %0 = sinter.rowwise () by (i = 3392) ins(%x[i] : tensor<3392xf16>) outs(%e[] : tensor<f16>) {
  ^row(%a: tensor<3392xf16>):
    %m = sinter.row_reduce maximumf %a : tensor<3392xf16> -> f16
    sinter.yield %m : f16
  }
  return %0 : tensor<f16>
}

// -----

// Sums of columns leave 12 elements of a thread, by vectors of half the size, where whole ones would be 16.

// CHECK-LABEL: func @narrower
//       CHECK: #sinter.gpu_rows<ahead = 1, blocks = 120, cluster = 8, occupancy = 1, remake = 1, residency = "registers", threads = 512, vector = 4>
func.func @narrower(%x: tensor<1624x43648xbf16>, %z: tensor<1624x43648xbf16>, %g: tensor<1624x43648xbf16>, %w: tensor<43648xbf16>, %e: tensor<1624x43648xbf16>, %f: tensor<43648xf32>) -> (tensor<1624x43648xbf16>, tensor<43648xf32>, tensor<43648xf32>) {
  %0:3 = sinter.rowwise (i = 1624) by (j = 43648)
      ins(%x[i, j] : tensor<1624x43648xbf16>, %z[i, j] : tensor<1624x43648xbf16>, %g[i, j] : tensor<1624x43648xbf16>, %w[j] : tensor<43648xbf16>)
      reduce(add [j] : f32, add [j] : f32)
      outs(%e[i, j] : tensor<1624x43648xbf16>, %f[j] : tensor<43648xf32>, %f[j] : tensor<43648xf32>) {
  ^row(%a: tensor<43648xbf16>, %b: tensor<43648xbf16>, %c: tensor<43648xbf16>, %d: tensor<43648xbf16>):
    %s = arith.addf %a, %b : tensor<43648xbf16>
    %u = arith.extf %s : tensor<43648xbf16> to tensor<43648xf32>
    %v = arith.extf %c : tensor<43648xbf16> to tensor<43648xf32>
    %h = arith.extf %d : tensor<43648xbf16> to tensor<43648xf32>
    %p = arith.mulf %v, %h : tensor<43648xf32>
    %q = arith.mulf %p, %u : tensor<43648xf32>
    %r = sinter.row_reduce add %q : tensor<43648xf32> -> f32
    %rb = sinter.broadcast %r : f32 -> tensor<43648xf32>
    %y = arith.mulf %rb, %u : tensor<43648xf32>
    %o = arith.subf %p, %y : tensor<43648xf32>
    %t = arith.truncf %o : tensor<43648xf32> to tensor<43648xbf16>
    %k = arith.mulf %v, %y : tensor<43648xf32>
    sinter.yield %v, %k, %t : tensor<43648xf32>, tensor<43648xf32>, tensor<43648xbf16>
  }
  return %0#0, %0#1, %0#2 : tensor<1624x43648xbf16>, tensor<43648xf32>, tensor<43648xf32>
}

// -----

// Steps of 3 of an odd number of f16: two neighbours of a thread, 12 bytes apart from the next thread's.

// CHECK-LABEL: @odd_steps
//       CHECK: rows = 2, team = 1, threads = 256, unroll = 3
func.func @odd_steps(%x: tensor<6x148x18628xf16>) -> tensor<6x148x6209xf16> {
  %0 = tensor.empty() : tensor<6x148x6209xf16>
  %1 = sinter.rowwise (i = 6, j = 148, l = 6209) by (n = 3) ins(%x[i, j, l * 3 + n] : tensor<6x148x18628xf16>)
      outs(%0[i, j, l] : tensor<6x148x6209xf16>) {
  ^row(%a: tensor<3xf16>):
    %2 = sinter.row_reduce maximumf %a : tensor<3xf16> -> f16
    sinter.yield %2 : f16
  }
  return %1 : tensor<6x148x6209xf16>
}

// -----

// A depthwise 7x7 of half types: four neighbours of a thread, of lines that they do not divide, too.

// CHECK-LABEL: @many_taps
//       CHECK: occupancy = 4, residency = "reread", rows = 4, team = 1, threads = 256, unroll = 49
func.func @many_taps(%x: tensor<89x132x37x38xbf16>, %w: tensor<132x7x7xbf16>) -> tensor<89x132x37x38xbf16> {
  %0 = tensor.empty() : tensor<89x132x37x38xbf16>
  %1 = sinter.rowwise (i = 89, j = 132, k = 37, l = 38) by (m = 7, n = 7)
      ins(%x[i, j, k + m - 3, l + n - 3] : tensor<89x132x37x38xbf16> else 0.0, %w[j, m, n] : tensor<132x7x7xbf16>)
      outs(%0[i, j, k, l] : tensor<89x132x37x38xbf16>) {
  ^row(%a: tensor<49xbf16>, %b: tensor<49xbf16>):
    %c = arith.mulf %a, %b : tensor<49xbf16>
    %d = sinter.row_reduce add %c : tensor<49xbf16> -> bf16
    sinter.yield %d : bf16
  }
  return %1 : tensor<89x132x37x38xbf16>
}

// -----

// Lines of an odd length: a thread has four neighbours of bf16 as of an even one.

// CHECK-LABEL: @odd_window
//       CHECK: rows = 4, team = 1, threads = 256, unroll = 3
func.func @odd_window(%x: tensor<87x5x233x233xbf16>) -> tensor<87x5x233x231xbf16> {
  %0 = tensor.empty() : tensor<87x5x233x231xbf16>
  %1 = sinter.rowwise (i = 87, j = 5, k = 233, l = 231) by (m = 3) ins(%x[i, j, k, l + m] : tensor<87x5x233x233xbf16>)
      outs(%0[i, j, k, l] : tensor<87x5x233x231xbf16>) {
  ^row(%a: tensor<3xbf16>):
    %m = sinter.row_reduce maximumf %a : tensor<3xbf16> -> bf16
    sinter.yield %m : bf16
  }
  return %1 : tensor<87x5x233x231xbf16>
}

// -----

// Shifts, which have no aligned vectors: of 8 bytes, since each element is loaded by itself.

// CHECK-LABEL: @shifts
//       CHECK: residency = "registers", team = 8, threads = 128, vector = 4>
func.func @shifts(%x: tensor<331194x98xbf16>) -> tensor<331194x96xbf16> {
  %0 = tensor.empty() : tensor<331194x96xbf16>
  %1 = sinter.rowwise (i = 331194) by (l = 96)
      ins(%x[i, l + 1] : tensor<331194x98xbf16>, %x[i, l + 2] : tensor<331194x98xbf16>)
      outs(%0[i, l] : tensor<331194x96xbf16>) {
  ^row(%a: tensor<96xbf16>, %b: tensor<96xbf16>):
    %s = arith.addf %a, %b : tensor<96xbf16>
    sinter.yield %s : tensor<96xbf16>
  }
  return %1 : tensor<331194x96xbf16>
}

// -----

// Channels to the end: 13 are 13 stores of a thread, each of them sectors by itself, and go through a tile.

// CHECK-LABEL: @channels_to_the_end
//       CHECK: shape = "turned"
func.func @channels_to_the_end(%x: tensor<230x13x7830xbf16>) -> tensor<230x7830x13xbf16> {
  %0 = tensor.empty() : tensor<230x7830x13xbf16>
  %1 = sinter.rowwise (n = 230, i = 7830) by (c = 13) ins(%x[n, c, i] : tensor<230x13x7830xbf16>)
      outs(%0[n, i, c] : tensor<230x7830x13xbf16>) {
  ^row(%a: tensor<13xbf16>):
    %s = arith.negf %a : tensor<13xbf16>
    sinter.yield %s : tensor<13xbf16>
  }
  return %1 : tensor<230x7830x13xbf16>
}

// -----

// Columns of which each thread would have one, and which are too few for that: warps share them, by blocks that take
// all in the fewest turns.

// CHECK-LABEL: func @maxima_of_some_columns
//       CHECK:   blocks = 623, occupancy = 1, residency = "reread", shape = "tile", threads = 1024, unroll = 8
// CHECK-LABEL: func @maxima_of_many_columns
//       CHECK:   team = 1
func.func @maxima_of_some_columns(%x: tensor<4278x19926xf32>, %e: tensor<19926xf32>) -> tensor<19926xf32> {
  %0 = sinter.rowwise (i = 19926) by (j = 4278) ins(%x[j, i] : tensor<4278x19926xf32>) outs(%e[i] : tensor<19926xf32>) {
  ^row(%a: tensor<4278xf32>):
    %m = sinter.row_reduce maximumf %a : tensor<4278xf32> -> f32
    sinter.yield %m : f32
  }
  return %0 : tensor<19926xf32>
}
func.func @maxima_of_many_columns(%x: tensor<4278x67616xf32>, %e: tensor<67616xf32>) -> tensor<67616xf32> {
  %0 = sinter.rowwise (i = 67616) by (j = 4278) ins(%x[j, i] : tensor<4278x67616xf32>) outs(%e[i] : tensor<67616xf32>) {
  ^row(%a: tensor<4278xf32>):
    %m = sinter.row_reduce maximumf %a : tensor<4278xf32> -> f32
    sinter.yield %m : f32
  }
  return %0 : tensor<67616xf32>
}

// -----

// Few rows that are read once have larger blocks; more rows than multiprocessors have not. Where rows begin anywhere
// they are read by vectors of registers.

// CHECK-LABEL: func @few_rows_once
//       CHECK:   residency = "reread", threads = 512, unroll = 4, vector = 4
// CHECK-LABEL: func @rows_once
//       CHECK:   residency = "reread", threads = 256, unroll = 4, vector = 4
// CHECK-LABEL: func @odd_rows_once
//       CHECK:   residency = "registers", threads = 256, vector = 4
func.func @few_rows_once(%x: tensor<96x8192xf32>, %e: tensor<96xf32>) -> tensor<96xf32> {
  %0 = sinter.rowwise (i = 96) by (j = 8192) ins(%x[i, j] : tensor<96x8192xf32>) outs(%e[i] : tensor<96xf32>) {
  ^row(%a: tensor<8192xf32>):
    %m = sinter.row_reduce add %a : tensor<8192xf32> -> f32
    sinter.yield %m : f32
  }
  return %0 : tensor<96xf32>
}
func.func @rows_once(%x: tensor<9600x8192xf32>, %e: tensor<9600xf32>) -> tensor<9600xf32> {
  %0 = sinter.rowwise (i = 9600) by (j = 8192) ins(%x[i, j] : tensor<9600x8192xf32>) outs(%e[i] : tensor<9600xf32>) {
  ^row(%a: tensor<8192xf32>):
    %m = sinter.row_reduce add %a : tensor<8192xf32> -> f32
    sinter.yield %m : f32
  }
  return %0 : tensor<9600xf32>
}
func.func @odd_rows_once(%x: tensor<9600x4745xf32>, %e: tensor<9600xf32>) -> tensor<9600xf32> {
  %0 = sinter.rowwise (i = 9600) by (j = 4745) ins(%x[i, j] : tensor<9600x4745xf32>) outs(%e[i] : tensor<9600xf32>) {
  ^row(%a: tensor<4745xf32>):
    %m = sinter.row_reduce add %a : tensor<4745xf32> -> f32
    sinter.yield %m : f32
  }
  return %0 : tensor<9600xf32>
}

// -----

// One row of any length that is added up: a block by itself where it is short.

// CHECK-LABEL: func @one_row_any
//       CHECK:   shape = "flat", shorter = #sinter.gpu_rows<blocks = 1, most = 8192, occupancy = 1, shape = "flat", threads = 1024, vector = 4>
func.func @one_row_any(%x: tensor<1x?xf32>, %e: tensor<f32>) -> tensor<f32> {
  %0 = sinter.rowwise (i = 1) by (j = ?) ins(%x[i, j] : tensor<1x?xf32>) reduce(add [] : f32) outs(%e[] : tensor<f32>) {
  ^row(%a: tensor<?xf32>):
    %m = sinter.row_reduce add %a : tensor<?xf32> -> f32
    sinter.yield %m : f32
  }
  return %0 : tensor<f32>
}

// -----

// The same of elements of several rows: what is few is said of all of them.

// CHECK-LABEL: func @rows_any
//       CHECK:   shape = "flat", shorter = #sinter.gpu_rows<blocks = 1, most = 8192, occupancy = 1, shape = "flat", threads = 1024, vector = 4>
func.func @rows_any(%x: tensor<?x?xf32>, %e: tensor<f32>) -> tensor<f32> {
  %0 = sinter.rowwise (i = ?) by (j = ?) ins(%x[i, j] : tensor<?x?xf32>) reduce(add [] : f32) outs(%e[] : tensor<f32>) {
  ^row(%a: tensor<?xf32>):
    %m = sinter.row_reduce add %a : tensor<?xf32> -> f32
    sinter.yield %m : f32
  }
  return %0 : tensor<f32>
}

// -----

// Rows of any length that are read once, under their own maximum, for a sum of all: as long as threads have them at
// once they are in registers, and there is no loop that what else is read would wait for. Up to 1024 columns are a
// warp's, which goes from row to row.

// CHECK-LABEL: func @at_once
//       CHECK:   residency = "reread", shorter = #sinter.gpu_rows<{{[a-z0-9 =,]*}}most = 4096, multiple = 4, occupancy = 4, residency = "registers", shorter = #sinter.gpu_rows<{{[a-z0-9 =,]*}}most = 2048, multiple = 4, occupancy = 8, residency = "registers", shorter = #sinter.gpu_rows<{{[a-z0-9 =,]*}}maximum = "before", most = 1024, multiple = 4, occupancy = 4, residency = "registers", shorter
//  CHECK-SAME:   vector = 4>, occupancy = 4, residency = "reread", shorter = #sinter.gpu_rows<{{[a-z0-9 =,]*}}residency = "reread"
func.func @at_once(%x: tensor<?x?xf32>, %e: tensor<f32>) -> tensor<f32> {
  %0 = sinter.rowwise (i = ?) by (j = ?) ins(%x[i, j] : tensor<?x?xf32>) reduce(add [] : f32) outs(%e[] : tensor<f32>) {
  ^row(%a: tensor<?xf32>):
    %m = sinter.row_reduce maximumf %a : tensor<?xf32> -> f32
    %b = sinter.broadcast %m : f32 -> tensor<?xf32>
    %d = arith.subf %a, %b : tensor<?xf32>
    %f = math.exp %d : tensor<?xf32>
    %s = sinter.row_reduce add %f : tensor<?xf32> -> f32
    %l = math.log %s : f32
    sinter.yield %l : f32
  }
  return %0 : tensor<f32>
}

// -----

// A long row whose elements are widened to f64: what was read waits, and it is made again. Halves stay two in a
// register.

// CHECK-LABEL: func @long_norm
//       CHECK:   cluster = 4, occupancy = 4, remake = 1, residency = "registers", threads = 256, vector = 4
// CHECK-LABEL: func @long_norm_of_halves
//       CHECK:   blocks = 1984, occupancy = 2, remake = 1, residency = "registers", threads = 256, vector = 8
func.func @long_norm(%x: tensor<1984x26200xf32>, %w: tensor<26200xf32>, %e: tensor<1984x26200xf32>) -> tensor<1984x26200xf32> {
  %y = sinter.rowwise (i = 1984) by (j = 26200) ins(%x[i, j] : tensor<1984x26200xf32>, %w[j] : tensor<26200xf32>)
      outs(%e[i, j] : tensor<1984x26200xf32>) {
  ^row(%a: tensor<26200xf32>, %g: tensor<26200xf32>):
    %d = arith.extf %a : tensor<26200xf32> to tensor<26200xf64>
    %m = sinter.row_reduce add %d : tensor<26200xf64> -> f64
    %n = sinter.broadcast %m : f64 -> tensor<26200xf64>
    %c = arith.subf %d, %n : tensor<26200xf64>
    %q = arith.mulf %c, %c : tensor<26200xf64>
    %s = sinter.row_reduce add %q : tensor<26200xf64> -> f64
    %f = arith.truncf %s : f64 to f32
    %r = sinter.broadcast %f : f32 -> tensor<26200xf32>
    %u = arith.mulf %a, %r : tensor<26200xf32>
    %v = arith.mulf %u, %g : tensor<26200xf32>
    sinter.yield %v : tensor<26200xf32>
  }
  return %y : tensor<1984x26200xf32>
}
func.func @long_norm_of_halves(%x: tensor<1984x32768xf16>, %e: tensor<1984x32768xf16>) -> tensor<1984x32768xf16> {
  %y = sinter.rowwise (i = 1984) by (j = 32768) ins(%x[i, j] : tensor<1984x32768xf16>) outs(%e[i, j] : tensor<1984x32768xf16>) {
  ^row(%a: tensor<32768xf16>):
    %d = arith.extf %a : tensor<32768xf16> to tensor<32768xf32>
    %m = sinter.row_reduce add %d : tensor<32768xf32> -> f32
    %n = sinter.broadcast %m : f32 -> tensor<32768xf32>
    %c = arith.mulf %d, %n : tensor<32768xf32>
    %v = arith.truncf %c : tensor<32768xf32> to tensor<32768xf16>
    sinter.yield %v : tensor<32768xf16>
  }
  return %y : tensor<1984x32768xf16>
}

// -----

// Elements of `?` rows that cost more than to be read: one vector at a time, since those behind the end of a short row
// would be made as well. Where a thread has one element at a time, four.

// CHECK-LABEL: func @any_expensive
//       CHECK:   most = 16, multiple = 4, occupancy = 12, residency = "reread", team = 2, threads = 128, vector = 4>
//  CHECK-SAME:   team = 8, threads = 128, vector = 4>
//  CHECK-SAME:   >, occupancy = 4, residency = "reread", shorter
//  CHECK-SAME:   most = 64, occupancy = 8, residency = "reread", team = 8, threads = 128, unroll = 4, vector = 1>
//  CHECK-SAME:   threads = 256, unroll = 4, vector = 1>)
func.func @any_expensive(%x: tensor<?x?xf32>, %w: tensor<?xf32>, %e: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = sinter.rowwise (i = ?) by (j = ?) ins(%x[i, j] : tensor<?x?xf32>, %w[j] : tensor<?xf32>)
      outs(%e[i, j] : tensor<?x?xf32>) {
  ^row(%a: tensor<?xf32>, %b: tensor<?xf32>):
    %p = math.exp %a : tensor<?xf32>
    %q = arith.mulf %p, %b : tensor<?xf32>
    sinter.yield %q : tensor<?xf32>
  }
  return %0 : tensor<?x?xf32>
}

// -----

// Short rows that are read once, beside each other: a part of a warp has one, and no thread of it more vectors than
// another. Few of them have blocks of their own.

// CHECK-LABEL: func @parts
//       CHECK:   schedule(#sinter.gpu_rows<blocks = 376, occupancy = 8, residency = "reread", team = 16, threads = 128, unroll = 3, vector = 4>)
//       CHECK:   schedule(#sinter.gpu_rows<blocks = 200, cluster = 2, occupancy = 8, residency = "reread", threads = 128, vector = 1>)
func.func @parts(%x: tensor<3006x384xf32>, %e: tensor<3006x192xf32>, %f: tensor<100x192xf32>) -> (tensor<3006x192xf32>, tensor<100x192xf32>) {
  %0 = sinter.rowwise (i = 3006) by (j = 192) ins(%x[i, j] : tensor<3006x384xf32>, %x[i, j + 192] : tensor<3006x384xf32>)
      outs(%e[i, j] : tensor<3006x192xf32>) {
  ^row(%a: tensor<192xf32>, %b: tensor<192xf32>):
    %m = arith.mulf %a, %b : tensor<192xf32>
    sinter.yield %m : tensor<192xf32>
  }
  %1 = sinter.rowwise (i = 100) by (j = 192) ins(%x[i, j] : tensor<3006x384xf32>, %x[i, j + 192] : tensor<3006x384xf32>)
      outs(%f[i, j] : tensor<100x192xf32>) {
  ^row(%a: tensor<192xf32>, %b: tensor<192xf32>):
    %m = arith.mulf %a, %b : tensor<192xf32>
    sinter.yield %m : tensor<192xf32>
  }
  return %0, %1 : tensor<3006x192xf32>, tensor<100x192xf32>
}

// -----

// Rows that a warp holds, whose columns are summed over all rows: four of a block, where each warp has one.

// CHECK-LABEL: func @warps_of_block
//       CHECK:   schedule(#sinter.gpu_rows<blocks = 528, occupancy = 4, {{.*}}team = 32, threads = 128, vector = 2>)
func.func @warps_of_block(%arg0: tensor<5840x246xf32>, %arg1: tensor<5840x246xf32>, %arg2: tensor<246xf32>, %arg3: tensor<246xf32>, %arg4: tensor<5840x246xf32> ) -> (tensor<5840x246xf32>, tensor<5840x246xf32>, tensor<5840x246xf32>, tensor<246xf32>, tensor<246xf32>) {
  %0 = tensor.empty() : tensor<5840x246xf32>
  %1 = tensor.empty() : tensor<246xf32>
  %2 = tensor.empty() : tensor<246xf32>
  %3 = tensor.empty() : tensor<5840x246xf32>
  %4 = tensor.empty() : tensor<5840x246xf32>
  %5:5 = sinter.rowwise (i = 5840) by (j = 246)
      ins(%arg0[i, j] : tensor<5840x246xf32>, %arg1[i, j] : tensor<5840x246xf32>, %arg4[i, j] : tensor<5840x246xf32>, %arg2[j] : tensor<246xf32>, %arg3[j] : tensor<246xf32>)
      reduce(add [j] : f32, add [j] : f32)
      outs(%1[j] : tensor<246xf32>, %2[j] : tensor<246xf32>, %0[i, j] : tensor<5840x246xf32>, %3[i, j] : tensor<5840x246xf32>, %4[i, j] : tensor<5840x246xf32>)  {
  ^row(%arg5: tensor<246xf32>, %arg6: tensor<246xf32>, %arg7: tensor<246xf32>, %arg8: tensor<246xf32>, %arg9: tensor<246xf32>):
    %cst = arith.constant -5.000000e-01 : f32
    %cst_0 = arith.constant 9.99999974E-6 : f32
    %cst_1 = arith.constant 0.0040650405 : f32
    %cst_2 = arith.constant 0.0040650406504065045 : f64
    %6 = arith.addf %arg5, %arg6 : tensor<246xf32>
    %7 = arith.extf %6 : tensor<246xf32> to tensor<246xf64>
    %8 = sinter.row_reduce add %7 : tensor<246xf64> -> f64
    %9 = arith.truncf %8 : f64 to f32
    %10 = arith.mulf %8, %cst_2 : f64
    %11 = sinter.broadcast %10 : f64 -> tensor<246xf64>
    %12 = arith.subf %7, %11 : tensor<246xf64>
    %13 = arith.mulf %12, %12 : tensor<246xf64>
    %14 = sinter.row_reduce add %13 : tensor<246xf64> -> f64
    %15 = arith.mulf %14, %cst_2 : f64
    %16 = arith.truncf %15 : f64 to f32
    %17 = arith.mulf %9, %cst_1 : f32
    %18 = arith.addf %16, %cst_0 : f32
    %19 = math.rsqrt %18 : f32
    %20 = sinter.broadcast %17 : f32 -> tensor<246xf32>
    %21 = arith.subf %6, %20 : tensor<246xf32>
    %22 = sinter.broadcast %19 : f32 -> tensor<246xf32>
    %23 = arith.mulf %21, %22 : tensor<246xf32>
    %24 = arith.mulf %arg7, %arg8 : tensor<246xf32>
    %25 = arith.mulf %arg7, %23 : tensor<246xf32>
    %26 = arith.mulf %24, %22 : tensor<246xf32>
    %27 = arith.mulf %24, %21 : tensor<246xf32>
    %28 = sinter.row_reduce add %27 : tensor<246xf32> -> f32
    %29 = arith.mulf %23, %arg8 : tensor<246xf32>
    %30 = arith.addf %29, %arg9 : tensor<246xf32>
    %31 = arith.negf %26 : tensor<246xf32>
    %32 = sinter.row_reduce add %31 : tensor<246xf32> -> f32
    %33 = arith.mulf %28, %cst : f32
    %34 = arith.mulf %19, %19 : f32
    %35 = arith.mulf %19, %34 : f32
    %36 = arith.mulf %33, %35 : f32
    %37 = arith.mulf %32, %cst_1 : f32
    %38 = arith.extf %36 : f32 to f64
    %39 = arith.mulf %38, %cst_2 : f64
    %40 = sinter.broadcast %39 : f64 -> tensor<246xf64>
    %41 = arith.mulf %40, %12 : tensor<246xf64>
    %42 = arith.addf %41, %41 : tensor<246xf64>
    %43 = arith.negf %42 : tensor<246xf64>
    %44 = sinter.row_reduce add %43 : tensor<246xf64> -> f64
    %45 = arith.mulf %44, %cst_2 : f64
    %46 = sinter.broadcast %45 : f64 -> tensor<246xf64>
    %47 = arith.addf %42, %46 : tensor<246xf64>
    %48 = arith.truncf %47 : tensor<246xf64> to tensor<246xf32>
    %49 = arith.addf %48, %26 : tensor<246xf32>
    %50 = sinter.broadcast %37 : f32 -> tensor<246xf32>
    %51 = arith.addf %49, %50 : tensor<246xf32>
    sinter.yield %arg7, %25, %30, %51, %51 : tensor<246xf32>, tensor<246xf32>, tensor<246xf32>, tensor<246xf32>, tensor<246xf32>
  }
  return %5#2, %5#3, %5#4, %5#1, %5#0 : tensor<5840x246xf32>, tensor<5840x246xf32>, tensor<5840x246xf32>, tensor<246xf32>, tensor<246xf32>
}

// -----

// Rows without vectors of which nothing meets: a block of four warps for each, that has all of it under way.

// CHECK-LABEL: func @odd_elements
//       CHECK:   schedule(#sinter.gpu_rows<blocks = 16150, occupancy = 8, residency = "reread", threads = 128, unroll = 10, vector = 1>)
func.func @odd_elements(%x: tensor<16150x636xbf16>, %e: tensor<16150x1273xbf16>) -> tensor<16150x1273xbf16> {
  %y = sinter.rowwise (i = 16150) by (j = 1273)
      ins(%x[i, j floordiv 2] : tensor<16150x636xbf16> else 0.0) outs(%e[i, j] : tensor<16150x1273xbf16>) {
  ^row(%a: tensor<1273xbf16>):
    %t = arith.addf %a, %a : tensor<1273xbf16>
    sinter.yield %t : tensor<1273xbf16>
  }
  return %y : tensor<16150x1273xbf16>
}

// -----

// Few elements that are added up: four warps of one block.

// CHECK-LABEL: func @few_summed
//       CHECK:   schedule(#sinter.gpu_rows<blocks = 1, occupancy = 8, shape = "flat", threads = 128, unroll = 4, vector = 8>)
// CHECK-LABEL: func @more_summed
//       CHECK:   schedule(#sinter.gpu_rows<blocks = 1, occupancy = 1, shape = "flat", threads = 1024, vector = 8>)
func.func @few_summed(%x: tensor<4x1024xbf16>, %e: tensor<f32>) -> tensor<f32> {
  %y = sinter.rowwise (i = 4) by (j = 1024) ins(%x[i, j] : tensor<4x1024xbf16>) reduce(add [] : f32) outs(%e[] : tensor<f32>) {
  ^row(%a: tensor<1024xbf16>):
    %w = arith.extf %a : tensor<1024xbf16> to tensor<1024xf32>
    %s = sinter.row_reduce add %w : tensor<1024xf32> -> f32
    sinter.yield %s : f32
  }
  return %y : tensor<f32>
}
func.func @more_summed(%x: tensor<4x1032xbf16>, %e: tensor<f32>) -> tensor<f32> {
  %y = sinter.rowwise (i = 4) by (j = 1032) ins(%x[i, j] : tensor<4x1032xbf16>) reduce(add [] : f32) outs(%e[] : tensor<f32>) {
  ^row(%a: tensor<1032xbf16>):
    %w = arith.extf %a : tensor<1032xbf16> to tensor<1032xf32>
    %s = sinter.row_reduce add %w : tensor<1032xf32> -> f32
    sinter.yield %s : f32
  }
  return %y : tensor<f32>
}

// -----

// Windows in steps: two outputs of a thread, where four would leave threads without work; of neighbours four; of few
// taps two at least.

// CHECK-LABEL: func @in_large_steps
//       CHECK:   rows = 2, team = 1
// CHECK-LABEL: func @many_taps_in_large_steps
//   CHECK-NOT:   rows =
// CHECK-LABEL: func @in_steps
//       CHECK:   rows = 2, team = 1
// CHECK-LABEL: func @one_by_one
//       CHECK:   rows = 4, team = 1
func.func @in_large_steps(%x: tensor<7344x12091xf32>, %e: tensor<7344x4030xf32>) -> tensor<7344x4030xf32> {
  %y = sinter.rowwise (i = 7344, l = 4030) by (n = 3) ins(%x[i, l * 3 + n] : tensor<7344x12091xf32>) outs(%e[i, l] : tensor<7344x4030xf32>) {
  ^row(%a: tensor<3xf32>):
    %m = sinter.row_reduce maximumf %a : tensor<3xf32> -> f32
    sinter.yield %m : f32
  }
  return %y : tensor<7344x4030xf32>
}
func.func @many_taps_in_large_steps(%x: tensor<7344x12091xf32>, %e: tensor<7344x4029xf32>) -> tensor<7344x4029xf32> {
  %y = sinter.rowwise (i = 7344, l = 4029) by (n = 5) ins(%x[i, l * 3 + n] : tensor<7344x12091xf32>) outs(%e[i, l] : tensor<7344x4029xf32>) {
  ^row(%a: tensor<5xf32>):
    %m = sinter.row_reduce maximumf %a : tensor<5xf32> -> f32
    sinter.yield %m : f32
  }
  return %y : tensor<7344x4029xf32>
}
func.func @in_steps(%x: tensor<64x8678xbf16>, %e: tensor<64x4338xbf16>) -> tensor<64x4338xbf16> {
  %y = sinter.rowwise (i = 64, l = 4338) by (n = 3) ins(%x[i, l * 2 + n] : tensor<64x8678xbf16>) outs(%e[i, l] : tensor<64x4338xbf16>) {
  ^row(%a: tensor<3xbf16>):
    %m = sinter.row_reduce maximumf %a : tensor<3xbf16> -> bf16
    sinter.yield %m : bf16
  }
  return %y : tensor<64x4338xbf16>
}
func.func @one_by_one(%x: tensor<64x4340xbf16>, %e: tensor<64x4338xbf16>) -> tensor<64x4338xbf16> {
  %y = sinter.rowwise (i = 64, l = 4338) by (n = 3) ins(%x[i, l + n] : tensor<64x4340xbf16>) outs(%e[i, l] : tensor<64x4338xbf16>) {
  ^row(%a: tensor<3xbf16>):
    %m = sinter.row_reduce maximumf %a : tensor<3xbf16> -> bf16
    sinter.yield %m : bf16
  }
  return %y : tensor<64x4338xbf16>
}

// -----

// Neighbouring rows of a length `?` that are read again: a thread has two loads under way, since each has a place that
// it is stored to.

// CHECK-LABEL: func @any_tile_stored
//       CHECK:   schedule(#sinter.gpu_rows<blocks = 132, occupancy = 1, residency = "reread", shape = "tile", shorter = #sinter.gpu_rows<
//  CHECK-SAME:     most = 32, {{[a-z0-9 =,"]*}}residency = "registers", shape = "tile"
//  CHECK-SAME:     threads = 1024, unroll = 2, vector = 1>)
func.func @any_tile_stored(%x: tensor<?x?x16xf16>, %e: tensor<?x?x16xf16>) -> tensor<?x?x16xf16> {
  %y = sinter.rowwise (j = ?, k = 16) by (i = ?) ins(%x[i, j, k] : tensor<?x?x16xf16>) outs(%e[i, j, k] : tensor<?x?x16xf16>) {
  ^row(%a: tensor<?xf16>):
    %m = sinter.row_reduce maximumf %a : tensor<?xf16> -> f16
    %b = sinter.broadcast %m : f16 -> tensor<?xf16>
    %d = arith.subf %a, %b : tensor<?xf16>
    sinter.yield %d : tensor<?xf16>
  }
  return %y : tensor<?x?x16xf16>
}

// -----

// Rows of an odd length of which nothing meets: vectors wherever they begin, of as many blocks as hold a row. No turn
// for what is left behind the last one that is full.

// CHECK-LABEL: func @odd_long_elements
//       CHECK:   schedule(#sinter.gpu_rows<blocks = 3648, cluster = 4, occupancy = 4, residency = "registers", threads = 256, vector = 4>)
// CHECK-LABEL: func @last_turn
//       CHECK:   schedule(#sinter.gpu_rows<blocks = 1056, occupancy = 8, residency = "reread", threads = 128, unroll = 5, vector = 4>)
func.func @odd_long_elements(%x: tensor<912x21797xf32>, %s: tensor<912xf32>, %e: tensor<912x21797xf32>) -> tensor<912x21797xf32> {
  %y = sinter.rowwise (i = 912) by (j = 21797) ins(%x[i, j] : tensor<912x21797xf32>, %s[i] : tensor<912xf32>) outs(%e[i, j] : tensor<912x21797xf32>) {
  ^row(%a: tensor<21797xf32>, %m: f32):
    %b = sinter.broadcast %m : f32 -> tensor<21797xf32>
    %t = arith.mulf %a, %b : tensor<21797xf32>
    sinter.yield %t : tensor<21797xf32>
  }
  return %y : tensor<912x21797xf32>
}
func.func @last_turn(%x: tensor<20000x2312xf32>, %e: tensor<20000xf32>) -> tensor<20000xf32> {
  %y = sinter.rowwise (i = 20000) by (j = 2312) ins(%x[i, j] : tensor<20000x2312xf32>) outs(%e[i] : tensor<20000xf32>) {
  ^row(%a: tensor<2312xf32>):
    %m = sinter.row_reduce maximumf %a : tensor<2312xf32> -> f32
    sinter.yield %m : f32
  }
  return %y : tensor<20000xf32>
}

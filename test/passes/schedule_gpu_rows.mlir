// RUN: sinter-opt --sinter-schedule=target=gpu --split-input-file %s | FileCheck %s

// Nothing waits for a reduction: rows stream through, a block takes them in turns, the grid is what runs at once.

// CHECK-LABEL: func @stream
//       CHECK: #sinter.gpu_rows<blocks = 264, occupancy = 2, residency = "reread", threads = 512, unroll = 4, vector = 4>
func.func @stream(%x: tensor<32768x8192xf32>, %e: tensor<f32>) -> tensor<f32> {
  %0 = sinter.rowwise (i = 32768) by (j = 8192) ins(%x[i, j] : tensor<32768x8192xf32>) reduce(add [] : f32) outs(%e[] : tensor<f32>) {
  ^row(%a: tensor<8192xf32>):
    %s = sinter.row_reduce add %a : tensor<8192xf32> -> f32
    sinter.yield %s : f32
  }
  return %0 : tensor<f32>
}

// -----

// An output waits for a sum: the row stays in registers of as few blocks as hold it. Nothing is reduced over
// rows, so each row has its own cluster.

// CHECK-LABEL: func @stays
//       CHECK: #sinter.gpu_rows<blocks = 16384, cluster = 4, occupancy = 2, residency = "registers", threads = 512, vector = 4>
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

// With a sum over rows the grid is 15 clusters of 8 for each block on a multiprocessor.

// CHECK-LABEL: func @stays_and_sums
//       CHECK: #sinter.gpu_rows<blocks = 240, cluster = 8, occupancy = 2, residency = "registers", threads = 512, vector = 4>
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

// Too long for registers: read again, by one large block on each multiprocessor, so that L2 holds the rows at work.

// CHECK-LABEL: func @too_long
//       CHECK: #sinter.gpu_rows<blocks = 132, occupancy = 1, residency = "reread", threads = 1024, unroll = 4, vector = 4>
func.func @too_long(%x: tensor<64x262144xf32>, %e: tensor<64x262144xf32>) -> tensor<64x262144xf32> {
  %0 = sinter.rowwise (i = 64) by (j = 262144) ins(%x[i, j] : tensor<64x262144xf32>) outs(%e[i, j] : tensor<64x262144xf32>) {
  ^row(%a: tensor<262144xf32>):
    %s = sinter.row_reduce add %a : tensor<262144xf32> -> f32
    %b = sinter.broadcast %s : f32 -> tensor<262144xf32>
    %q = arith.divf %a, %b : tensor<262144xf32>
    sinter.yield %q : tensor<262144xf32>
  }
  return %0 : tensor<64x262144xf32>
}

// -----

// 16 bytes of the widest row in memory; rows of 7 columns begin anywhere.

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
//       CHECK: #sinter.gpu_rows<blocks = 528, occupancy = 4, residency = "reread", threads = 256, unroll = 1, vector = 1>
func.func @labels(%t: tensor<8192xi64>, %e: tensor<i64>) -> tensor<i64> {
  %0 = sinter.rowwise (i = 8192) by () ins(%t[i] : tensor<8192xi64>) reduce(add [] : i64) outs(%e[] : tensor<i64>) {
  ^row(%l: i64):
    sinter.yield %l : i64
  }
  return %0 : tensor<i64>
}

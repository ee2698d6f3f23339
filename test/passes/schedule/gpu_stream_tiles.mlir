// RUN: sinter-opt --sinter-schedule=target=gpu --split-input-file %s | FileCheck %s

// Columns, and parts of sums, that cost least: blocks for all multiprocessors, and no more parts than that. Four groups
// of two warps share the sum of 32 columns.

// CHECK-LABEL: func @sixteen_rows
//       CHECK: #sinter.mma<k = 256, kernel = "mma.stream", m = 16, n = 32, occupancy = 2, split = 1, stages = 4, threads = 256>
func.func @sixteen_rows(%x: tensor<16x4096xbf16>, %w: tensor<4096x4096xbf16>, %e: tensor<16x4096xf32>) -> tensor<16x4096xf32> {
  %y = sinter.contract (i = 16) by (j = 4096) product (k = 4096) (%x[i, k] : tensor<16x4096xbf16>, %w[j, k] : tensor<4096x4096xbf16>) : f32
      outs(%e[i, j] : tensor<16x4096xf32>) {
  ^row(%p: tensor<4096xf32>):
    sinter.yield %p : tensor<4096xf32>
  }
  return %y : tensor<16x4096xf32>
}

// -----

// CHECK-LABEL: func @few_columns
//       CHECK: #sinter.mma<k = 256, kernel = "mma.stream", m = 16, n = 32, occupancy = 2, split = 5, stages = 4, threads = 256>
func.func @few_columns(%x: tensor<14x5768xbf16>, %w: tensor<728x5768xbf16>, %e: tensor<14x728xf32>) -> tensor<14x728xf32> {
  %y = sinter.contract (i = 14) by (j = 728) product (k = 5768) (%x[i, k] : tensor<14x5768xbf16>, %w[j, k] : tensor<728x5768xbf16>) : f32
      outs(%e[i, j] : tensor<14x728xf32>) {
  ^row(%p: tensor<728xf32>):
    sinter.yield %p : tensor<728xf32>
  }
  return %y : tensor<14x728xf32>
}

// -----

// Of more rows wgmma is faster, and so it is where sums are short.

// CHECK-LABEL: func @thirty_three_rows
//       CHECK: kernel = "wgmma"
func.func @thirty_three_rows(%x: tensor<33x4096xbf16>, %w: tensor<4096x4096xbf16>, %e: tensor<33x4096xf32>) -> tensor<33x4096xf32> {
  %y = sinter.contract (i = 33) by (j = 4096) product (k = 4096) (%x[i, k] : tensor<33x4096xbf16>, %w[j, k] : tensor<4096x4096xbf16>) : f32
      outs(%e[i, j] : tensor<33x4096xf32>) {
  ^row(%p: tensor<4096xf32>):
    sinter.yield %p : tensor<4096xf32>
  }
  return %y : tensor<33x4096xf32>
}

// -----

// CHECK-LABEL: func @short_sums
//   CHECK-NOT: kernel = "mma.stream"
//       CHECK: return
func.func @short_sums(%x: tensor<16x1016xbf16>, %w: tensor<4096x1016xbf16>, %e: tensor<16x4096xf32>) -> tensor<16x4096xf32> {
  %y = sinter.contract (i = 16) by (j = 4096) product (k = 1016) (%x[i, k] : tensor<16x1016xbf16>, %w[j, k] : tensor<4096x1016xbf16>) : f32
      outs(%e[i, j] : tensor<16x4096xf32>) {
  ^row(%p: tensor<4096xf32>):
    sinter.yield %p : tensor<4096xf32>
  }
  return %y : tensor<16x4096xf32>
}

// -----

// What a program makes of bytes has no other kernel. As many slots as 64 rows leave memory for.

// CHECK-LABEL: func @computed
//       CHECK: kernel = "mma.stream", m = 64, n = 128, occupancy = 1, split = {{[0-9]+}}, stages = 4, threads = 256>
func.func @computed(%x: tensor<64x4096xbf16>, %w: tensor<4096x4096xi8>, %s: tensor<4096x32xf32>, %e: tensor<64x4096xf32>) -> tensor<64x4096xf32> {
  %y = sinter.contract (i = 64) by (j = 4096) product (k = 32, l = 128) (%x[i, k * 128 + l] : tensor<64x4096xbf16>,
      side(%w[j, k * 128 + l] : tensor<4096x4096xi8>, %s[j, k] : tensor<4096x32xf32>) {
  ^side(%q: tensor<4096xi8>, %g: tensor<4096xf32>):
    %f = arith.sitofp %q : tensor<4096xi8> to tensor<4096xf32>
    %d = arith.mulf %f, %g : tensor<4096xf32>
    %t = arith.truncf %d : tensor<4096xf32> to tensor<4096xbf16>
    sinter.yield %t : tensor<4096xbf16>
  }) : f32
      outs(%e[i, j] : tensor<64x4096xf32>) {
  ^row(%p: tensor<4096xf32>):
    sinter.yield %p : tensor<4096xf32>
  }
  return %y : tensor<64x4096xf32>
}

// -----

// A gate of few rows: both products are one stream; of other rows they are tiles of wgmma.

// CHECK-LABEL: func @gate
//       CHECK: kernel = "mma.stream", m = 32, n = 32, occupancy = 1, split = 1,
func.func @gate(%x: tensor<20x2080xf16>, %u: tensor<3776x2080xf16>, %v: tensor<3776x2080xf16>, %e: tensor<20x3776xf32>) -> tensor<20x3776xf32> {
  %y = sinter.contract (i = 20) by (j = 3776)
      product (k = 2080) (%x[i, k] : tensor<20x2080xf16>, %u[j, k] : tensor<3776x2080xf16>) : f32
      product (l = 2080) (%x[i, l] : tensor<20x2080xf16>, %v[j, l] : tensor<3776x2080xf16>) : f32
      outs(%e[i, j] : tensor<20x3776xf32>) {
  ^row(%p: tensor<3776xf32>, %q: tensor<3776xf32>):
    %r = arith.mulf %p, %q : tensor<3776xf32>
    sinter.yield %r : tensor<3776xf32>
  }
  return %y : tensor<20x3776xf32>
}

// -----

// CHECK-LABEL: func @other_rows
//       CHECK: kernel = "wgmma"
func.func @other_rows(%x: tensor<20x2080xf16>, %z: tensor<20x2080xf16>, %u: tensor<3776x2080xf16>, %v: tensor<3776x2080xf16>, %e: tensor<20x3776xf32>) -> tensor<20x3776xf32> {
  %y = sinter.contract (i = 20) by (j = 3776)
      product (k = 2080) (%x[i, k] : tensor<20x2080xf16>, %u[j, k] : tensor<3776x2080xf16>) : f32
      product (l = 2080) (%z[i, l] : tensor<20x2080xf16>, %v[j, l] : tensor<3776x2080xf16>) : f32
      outs(%e[i, j] : tensor<20x3776xf32>) {
  ^row(%p: tensor<3776xf32>, %q: tensor<3776xf32>):
    %r = arith.mulf %p, %q : tensor<3776xf32>
    sinter.yield %r : tensor<3776xf32>
  }
  return %y : tensor<20x3776xf32>
}

// -----

// Sums below 1024 have it where weights are many bytes. Four groups of warps share tiles of 32 columns where that is
// one for a multiprocessor, two of them tiles of 64 where there are more columns.

// CHECK-LABEL: func @many_short
//       CHECK: kernel = "mma.stream", m = 32, n = 128,
// CHECK-LABEL: func @fewer_short
//       CHECK: kernel = "wgmma"
// CHECK-LABEL: func @four_groups
//       CHECK: k = 256, kernel = "mma.stream", m = 16, n = 32, occupancy = 2, split = 1, stages = 4, threads = 256
// CHECK-LABEL: func @two_groups
//       CHECK: k = 128, kernel = "mma.stream", m = 16, n = 64, occupancy = 2, split = 1, stages = 4, threads = 256
func.func @many_short(%x: tensor<20x704xbf16>, %w: tensor<10808x704xbf16>, %e: tensor<20x10808xf32>) -> tensor<20x10808xf32> {
  %0 = sinter.contract (i = 20) by (j = 10808) product (k = 704) (%x[i, k] : tensor<20x704xbf16>, %w[j, k] : tensor<10808x704xbf16>) : f32
      outs(%e[i, j] : tensor<20x10808xf32>) {
  ^row(%acc: tensor<10808xf32>):
    sinter.yield %acc : tensor<10808xf32>
  }
  return %0 : tensor<20x10808xf32>
}
func.func @fewer_short(%x: tensor<20x704xbf16>, %w: tensor<4096x704xbf16>, %e: tensor<20x4096xf32>) -> tensor<20x4096xf32> {
  %0 = sinter.contract (i = 20) by (j = 4096) product (k = 704) (%x[i, k] : tensor<20x704xbf16>, %w[j, k] : tensor<4096x704xbf16>) : f32
      outs(%e[i, j] : tensor<20x4096xf32>) {
  ^row(%acc: tensor<4096xf32>):
    sinter.yield %acc : tensor<4096xf32>
  }
  return %0 : tensor<20x4096xf32>
}
func.func @four_groups(%x: tensor<16x1024xbf16>, %w: tensor<4096x1024xbf16>, %e: tensor<16x4096xf32>) -> tensor<16x4096xf32> {
  %0 = sinter.contract (i = 16) by (j = 4096) product (k = 1024) (%x[i, k] : tensor<16x1024xbf16>, %w[j, k] : tensor<4096x1024xbf16>) : f32
      outs(%e[i, j] : tensor<16x4096xf32>) {
  ^row(%acc: tensor<4096xf32>):
    sinter.yield %acc : tensor<4096xf32>
  }
  return %0 : tensor<16x4096xf32>
}
func.func @two_groups(%x: tensor<16x1000xbf16>, %w: tensor<8192x1000xbf16>, %e: tensor<16x8192xf32>) -> tensor<16x8192xf32> {
  %0 = sinter.contract (i = 16) by (j = 8192) product (k = 1000) (%x[i, k] : tensor<16x1000xbf16>, %w[j, k] : tensor<8192x1000xbf16>) : f32
      outs(%e[i, j] : tensor<16x8192xf32>) {
  ^row(%acc: tensor<8192xf32>):
    sinter.yield %acc : tensor<8192xf32>
  }
  return %0 : tensor<16x8192xf32>
}

// -----

// Lines that begin anywhere, of which other kernels would read element by element: they are streamed from 256 summed
// elements on, of up to 64 rows. Few columns by many rows are turned.

// CHECK-LABEL: func @odd_lines
//       CHECK: k = 128, kernel = "mma.stream", m = 8, n = 64, occupancy = 2, split = 1, stages = 4, threads = 256
// CHECK-LABEL: func @odd_rows_by_few_columns
//       CHECK: k = 64, kernel = "mma.stream", m = 128, n = 8, occupancy = 2, split = 3, stages = 4, threads = 256
// CHECK-LABEL: func @whole_rows_by_few_columns
//       CHECK: kernel = "mma.stream", m = 64, n = 16,
// CHECK-LABEL: func @odd_and_short
//   CHECK-NOT: mma.stream
// CHECK-LABEL: func @some_rows
//       CHECK: k = 256, kernel = "mma.stream", m = 64, n = 32,
// CHECK-LABEL: func @some_whole_rows
//   CHECK-NOT: mma.stream
// CHECK-LABEL: func @some_rows_of_pieces
//   CHECK-NOT: mma.stream
// CHECK-LABEL: func @some_made_weights
//   CHECK-NOT: mma.stream
// CHECK-LABEL: func @many_columns
//   CHECK-NOT: mma.stream
func.func @odd_lines(%x: tensor<3x6402xf16>, %w: tensor<7080x6402xf16>, %e: tensor<3x7080xf32>) -> tensor<3x7080xf32> {
  %0 = sinter.contract (i = 3) by (j = 7080) product (k = 6402) (%x[i, k] : tensor<3x6402xf16>, %w[j, k] : tensor<7080x6402xf16>) : f32
      outs(%e[i, j] : tensor<3x7080xf32>) {
  ^row(%acc: tensor<7080xf32>):
    sinter.yield %acc : tensor<7080xf32>
  }
  return %0 : tensor<3x7080xf32>
}
func.func @odd_rows_by_few_columns(%x: tensor<5030x5477xf16>, %w: tensor<3x5477xf16>, %e: tensor<5030x3xf32>) -> tensor<5030x3xf32> {
  %0 = sinter.contract (i = 5030) by (j = 3) product (k = 5477) (%x[i, k] : tensor<5030x5477xf16>, %w[j, k] : tensor<3x5477xf16>) : f32
      outs(%e[i, j] : tensor<5030x3xf32>) {
  ^row(%acc: tensor<3xf32>):
    sinter.yield %acc : tensor<3xf32>
  }
  return %0 : tensor<5030x3xf32>
}
func.func @whole_rows_by_few_columns(%x: tensor<5659x2368xf16>, %w: tensor<10x2368xf16>, %e: tensor<5659x10xf32>) -> tensor<5659x10xf32> {
  %0 = sinter.contract (i = 5659) by (j = 10) product (k = 2368) (%x[i, k] : tensor<5659x2368xf16>, %w[j, k] : tensor<10x2368xf16>) : f32
      outs(%e[i, j] : tensor<5659x10xf32>) {
  ^row(%acc: tensor<10xf32>):
    sinter.yield %acc : tensor<10xf32>
  }
  return %0 : tensor<5659x10xf32>
}
func.func @odd_and_short(%x: tensor<3x255xf16>, %w: tensor<708x255xf16>, %e: tensor<3x708xf32>) -> tensor<3x708xf32> {
  %0 = sinter.contract (i = 3) by (j = 708) product (k = 255) (%x[i, k] : tensor<3x255xf16>, %w[j, k] : tensor<708x255xf16>) : f32
      outs(%e[i, j] : tensor<3x708xf32>) {
  ^row(%acc: tensor<708xf32>):
    sinter.yield %acc : tensor<708xf32>
  }
  return %0 : tensor<3x708xf32>
}
func.func @some_rows(%x: tensor<40x1001xbf16>, %w: tensor<4096x1001xbf16>, %e: tensor<40x4096xf32>) -> tensor<40x4096xf32> {
  %0 = sinter.contract (i = 40) by (j = 4096) product (k = 1001) (%x[i, k] : tensor<40x1001xbf16>, %w[j, k] : tensor<4096x1001xbf16>) : f32
      outs(%e[i, j] : tensor<40x4096xf32>) {
  ^row(%acc: tensor<4096xf32>):
    sinter.yield %acc : tensor<4096xf32>
  }
  return %0 : tensor<40x4096xf32>
}
func.func @some_whole_rows(%x: tensor<40x1024xbf16>, %w: tensor<4096x1024xbf16>, %e: tensor<40x4096xf32>) -> tensor<40x4096xf32> {
  %0 = sinter.contract (i = 40) by (j = 4096) product (k = 1024) (%x[i, k] : tensor<40x1024xbf16>, %w[j, k] : tensor<4096x1024xbf16>) : f32
      outs(%e[i, j] : tensor<40x4096xf32>) {
  ^row(%acc: tensor<4096xf32>):
    sinter.yield %acc : tensor<4096xf32>
  }
  return %0 : tensor<40x4096xf32>
}
func.func @some_rows_of_pieces(%x: tensor<50x380xbf16>, %w: tensor<7203x380xbf16>, %e: tensor<50x7203xf32>) -> tensor<50x7203xf32> {
  %0 = sinter.contract (i = 50) by (j = 7203) product (k = 380) (%x[i, k] : tensor<50x380xbf16>, %w[j, k] : tensor<7203x380xbf16>) : f32
      outs(%e[i, j] : tensor<50x7203xf32>) {
  ^row(%acc: tensor<7203xf32>):
    sinter.yield %acc : tensor<7203xf32>
  }
  return %0 : tensor<50x7203xf32>
}
func.func @some_made_weights(%x: tensor<40x1001xbf16>, %w: tensor<4096x1001xbf16>, %g: tensor<1001xbf16>, %m: tensor<4096x1001xbf16>, %e: tensor<40x4096xf32>) -> tensor<40x4096xf32> {
  %v = sinter.rowwise (j = 4096) by (k = 1001) ins(%w[j, k] : tensor<4096x1001xbf16>, %g[k] : tensor<1001xbf16>) outs(%m[j, k] : tensor<4096x1001xbf16>) {
  ^row(%a: tensor<1001xbf16>, %b: tensor<1001xbf16>):
    %p = arith.mulf %a, %b : tensor<1001xbf16>
    sinter.yield %p : tensor<1001xbf16>
  }
  %0 = sinter.contract (i = 40) by (j = 4096) product (k = 1001) (%x[i, k] : tensor<40x1001xbf16>, %v[j, k] : tensor<4096x1001xbf16>) : f32
      outs(%e[i, j] : tensor<40x4096xf32>) {
  ^row(%acc: tensor<4096xf32>):
    sinter.yield %acc : tensor<4096xf32>
  }
  return %0 : tensor<40x4096xf32>
}
func.func @many_columns(%x: tensor<5030x5477xf16>, %w: tensor<65x5477xf16>, %e: tensor<5030x65xf32>) -> tensor<5030x65xf32> {
  %0 = sinter.contract (i = 5030) by (j = 65) product (k = 5477) (%x[i, k] : tensor<5030x5477xf16>, %w[j, k] : tensor<65x5477xf16>) : f32
      outs(%e[i, j] : tensor<5030x65xf32>) {
  ^row(%acc: tensor<65xf32>):
    sinter.yield %acc : tensor<65xf32>
  }
  return %0 : tensor<5030x65xf32>
}

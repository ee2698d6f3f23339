// RUN: sinter-opt --sinter-schedule=target=gpu --split-input-file %s | FileCheck %s
// RUN: sinter-opt --sinter-schedule="target=gpu chip=sm_90" --split-input-file %s | FileCheck %s --check-prefix=SYNC
// RUN: sinter-opt --sinter-schedule="target=gpu chip=sm_86" --split-input-file %s | FileCheck %s --check-prefix=SM86
// RUN: sinter-opt --sinter-schedule="target=gpu allow-tf32" --split-input-file %s | FileCheck %s --check-prefix=TF32
// RUN: sinter-opt --sinter-schedule="target=gpu f32-parts" --split-input-file %s | FileCheck %s --check-prefix=PARTS

// Tiles of 128 by 128 where there is one for each multiprocessor.

// CHECK-LABEL: func @large
//       CHECK: #sinter.mma<k = 8, kernel = "fma", m = 128, n = 128, occupancy = 2, threads = 256>
// SM86-LABEL:  func @large
//       SM86:  #sinter.mma<k = 8, kernel = "fma", m = 64, n = 64, occupancy = 4, threads = 256>
// PARTS-LABEL: func @large
//       PARTS: #sinter.mma<k = 16, kernel = "mma.parts", m = 128, n = 128, occupancy = 1, threads = 256>
// TF32-LABEL:  func @large
//       TF32:  #sinter.mma<blocks = 132, group = 12, k = 32, kernel = "wgmma.tf32", m = 128, n = 256, share = "tile", stages = 4, threads = 256>
func.func @large(%x: tensor<4096x512xf32>, %w: tensor<4096x512xf32>, %e: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  %0 = sinter.contract (i = 4096) by (j = 4096) product (k = 512) (%x[i, k] : tensor<4096x512xf32>, %w[j, k] : tensor<4096x512xf32>) : f32
      outs(%e[i, j] : tensor<4096x4096xf32>) {
  ^row(%acc: tensor<4096xf32>):
    sinter.yield %acc : tensor<4096xf32>
  }
  return %0 : tensor<4096x4096xf32>
}

// -----

// wgmma takes sides of tf32 along the sum alone.

// CHECK-LABEL: func @by_columns
//       CHECK: #sinter.mma<k = 16, kernel = "fma", m = 128, n = 128, occupancy = 2, threads = 128>
// TF32-LABEL:  func @by_columns
//       TF32:  #sinter.mma<k = 16, kernel = "mma.tf32", m = 128, n = 128, occupancy = 2, threads = 256>
func.func @by_columns(%x: tensor<4096x512xf32>, %w: tensor<512x4096xf32>, %e: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  %0 = sinter.contract (i = 4096) by (j = 4096) product (k = 512) (%x[i, k] : tensor<4096x512xf32>, %w[k, j] : tensor<512x4096xf32>) : f32
      outs(%e[i, j] : tensor<4096x4096xf32>) {
  ^row(%acc: tensor<4096xf32>):
    sinter.yield %acc : tensor<4096xf32>
  }
  return %0 : tensor<4096x4096xf32>
}

// -----

// One row: threads have columns beside each other.

// CHECK-LABEL: func @row
//       CHECK: #sinter.mma<k = 32, kernel = "fma", m = 4, n = 128, occupancy = 4, threads = 128>
func.func @row(%x: tensor<512xf32>, %w: tensor<512x32768xf32>, %e: tensor<32768xf32>) -> tensor<32768xf32> {
  %0 = sinter.contract () by (j = 32768) product (k = 512) (%x[k] : tensor<512xf32>, %w[k, j] : tensor<512x32768xf32>) : f32
      outs(%e[j] : tensor<32768xf32>) {
  ^row(%acc: tensor<32768xf32>):
    sinter.yield %acc : tensor<32768xf32>
  }
  return %0 : tensor<32768xf32>
}

// -----

// Few rows.

// CHECK-LABEL: func @rows
//       CHECK: #sinter.mma<k = 16, kernel = "fma", m = 16, n = 128, occupancy = 4, threads = 128>
func.func @rows(%x: tensor<9x512xf32>, %w: tensor<32768x512xf32>, %e: tensor<9x32768xf32>) -> tensor<9x32768xf32> {
  %0 = sinter.contract (i = 9) by (j = 32768) product (k = 512) (%x[i, k] : tensor<9x512xf32>, %w[j, k] : tensor<32768x512xf32>) : f32
      outs(%e[i, j] : tensor<9x32768xf32>) {
  ^row(%acc: tensor<32768xf32>):
    sinter.yield %acc : tensor<32768xf32>
  }
  return %0 : tensor<9x32768xf32>
}

// -----

// Sums of 64 bits take two registers each; tensor cores have two instructions for them.

// CHECK-LABEL: func @double
//       CHECK: #sinter.mma<k = 16, kernel = "mma.f64", m = 128, n = 128, occupancy = 1, threads = 256>
// SM86-LABEL:  func @double
//       SM86:  #sinter.mma<k = 16, kernel = "mma.f64.small", m = 32, n = 32, occupancy = 5, threads = 64>
func.func @double(%x: tensor<4096x512xf64>, %w: tensor<4096x512xf64>, %e: tensor<4096x4096xf64>) -> tensor<4096x4096xf64> {
  %0 = sinter.contract (i = 4096) by (j = 4096) product (k = 512) (%x[i, k] : tensor<4096x512xf64>, %w[j, k] : tensor<4096x512xf64>) : f64
      outs(%e[i, j] : tensor<4096x4096xf64>) {
  ^row(%acc: tensor<4096xf64>):
    sinter.yield %acc : tensor<4096xf64>
  }
  return %0 : tensor<4096x4096xf64>
}

// -----

// Little to do: the smallest.

// CHECK-LABEL: func @small
//       CHECK: #sinter.mma<k = 16, kernel = "fma", m = 16, n = 16, occupancy = 8, threads = 64>
func.func @small(%x: tensor<40x16xf32>, %w: tensor<40x16xf32>, %e: tensor<40x40xf32>) -> tensor<40x40xf32> {
  %0 = sinter.contract (i = 40) by (j = 40) product (k = 16) (%x[i, k] : tensor<40x16xf32>, %w[j, k] : tensor<40x16xf32>) : f32
      outs(%e[i, j] : tensor<40x40xf32>) {
  ^row(%acc: tensor<40xf32>):
    sinter.yield %acc : tensor<40xf32>
  }
  return %0 : tensor<40x40xf32>
}

// -----

// Tensor cores, where the types have them: wgmma where the chip has it.

// CHECK-LABEL: func @half
//       CHECK: #sinter.mma<blocks = 132, cluster = 2, group = 12, k = 64, kernel = "wgmma", m = 128, n = 192, share = "turns", stages = 4, threads = 256>
// TF32-LABEL:  func @half
//       TF32:  kernel = "wgmma",
// SYNC-LABEL:  func @half
//       SYNC:  #sinter.mma<k = 32, kernel = "mma.sync", m = 128, n = 128, occupancy = 2, threads = 256>
func.func @half(%x: tensor<4096x512xbf16>, %w: tensor<4096x512xbf16>, %e: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  %0 = sinter.contract (i = 4096) by (j = 4096) product (k = 512) (%x[i, k] : tensor<4096x512xbf16>, %w[j, k] : tensor<4096x512xbf16>) : f32
      outs(%e[i, j] : tensor<4096x4096xf32>) {
  ^row(%acc: tensor<4096xf32>):
    sinter.yield %acc : tensor<4096xf32>
  }
  return %0 : tensor<4096x4096xf32>
}

// -----

// CHECK-LABEL: func @few_of_bytes
//       CHECK: #sinter.mma<blocks = 132, group = 16, k = 128, kernel = "wgmma", m = 64, n = 32, share = "turns", stages = 16, threads = 256>
// SYNC-LABEL:  func @few_of_bytes
//       SYNC:  #sinter.mma<k = 32, kernel = "mma.sync", m = 32, n = 32, occupancy = 8, threads = 64>
func.func @few_of_bytes(%x: tensor<40x16xi8>, %w: tensor<40x16xi8>, %e: tensor<40x40xi32>) -> tensor<40x40xi32> {
  %0 = sinter.contract (i = 40) by (j = 40) product (k = 16) (%x[i, k] : tensor<40x16xi8>, %w[j, k] : tensor<40x16xi8>) : i32
      outs(%e[i, j] : tensor<40x40xi32>) {
  ^row(%acc: tensor<40xi32>):
    sinter.yield %acc : tensor<40xi32>
  }
  return %0 : tensor<40x40xi32>
}

// -----

// Floats of 8 bits are wgmma's own, of either format on either side; elsewhere they are widened to bf16, which has them
// all. So they are beside a side of bf16.

// CHECK-LABEL: func @float8
//       CHECK: #sinter.mma<blocks = 132, group = 12, k = 128, kernel = "wgmma", m = 128, n = 192, share = "turns", stages = 4, threads = 256>
// SYNC-LABEL:  func @float8
//       SYNC:  #sinter.mma<k = 32, kernel = "mma.sync"
func.func @float8(%x: tensor<8192x8192xf8E4M3FN>, %w: tensor<8192x8192xf8E5M2>, %e: tensor<8192x8192xf32>) -> tensor<8192x8192xf32> {
  %0 = sinter.contract (i = 8192) by (j = 8192) product (k = 8192) (%x[i, k] : tensor<8192x8192xf8E4M3FN>, %w[j, k] : tensor<8192x8192xf8E5M2>) : f32
      outs(%e[i, j] : tensor<8192x8192xf32>) {
  ^row(%acc: tensor<8192xf32>):
    sinter.yield %acc : tensor<8192xf32>
  }
  return %0 : tensor<8192x8192xf32>
}

// CHECK-LABEL: func @float8_widened
//       CHECK: #sinter.mma<{{.*}}k = 64, kernel = "wgmma"
// SYNC-LABEL:  func @float8_widened
//       SYNC:  #sinter.mma<k = 32, kernel = "mma.sync"
func.func @float8_widened(%x: tensor<512x512xbf16>, %w: tensor<512x512xf8E4M3FN>, %e: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %0 = sinter.contract (i = 512) by (j = 512) product (k = 512) (%x[i, k] : tensor<512x512xbf16>, %w[j, k] : tensor<512x512xf8E4M3FN>) : f32
      outs(%e[i, j] : tensor<512x512xf32>) {
  ^row(%acc: tensor<512xf32>):
    sinter.yield %acc : tensor<512xf32>
  }
  return %0 : tensor<512x512xf32>
}

// -----

// Sizes that are known later: as many blocks as run at once, which go from tile to tile.

// CHECK-LABEL: func @counted_later
//       CHECK: #sinter.mma<blocks = 396, k = 8, kernel = "fma", m = 128, n = 64, occupancy = 3, threads = 128>
func.func @counted_later(%x: tensor<?x16xf32>, %w: tensor<40x16xf32>, %e: tensor<?x40xf32>) -> tensor<?x40xf32> {
  %0 = sinter.contract (i = ?) by (j = 40) product (k = 16) (%x[i, k] : tensor<?x16xf32>, %w[j, k] : tensor<40x16xf32>) : f32
      outs(%e[i, j] : tensor<?x40xf32>) {
  ^row(%acc: tensor<40xf32>):
    sinter.yield %acc : tensor<40xf32>
  }
  return %0 : tensor<?x40xf32>
}

// -----

// Few tiles and long sums: blocks share the sum of a tile.

// CHECK-LABEL: func @shared
//       CHECK: #sinter.mma<k = 16, kernel = "fma", m = 64, n = 32, occupancy = 4, split = 10, threads = 128>
func.func @shared(%x: tensor<40x4096xf32>, %w: tensor<400x4096xf32>, %e: tensor<40x400xf32>) -> tensor<40x400xf32> {
  %0 = sinter.contract (i = 40) by (j = 400) product (k = 4096) (%x[i, k] : tensor<40x4096xf32>, %w[j, k] : tensor<400x4096xf32>) : f32
      outs(%e[i, j] : tensor<40x400xf32>) {
  ^row(%acc: tensor<400xf32>):
    sinter.yield %acc : tensor<400xf32>
  }
  return %0 : tensor<40x400xf32>
}

// -----

// Of f32 the tile and the parts that cost least, as an H200 was measured; where one multiplies little, or a side is a
// window, the first tile of the table that fits.

// CHECK-LABEL: func @narrow
//       CHECK: #sinter.mma<k = 16, kernel = "fma", m = 64, n = 128, occupancy = 3, split = 4, threads = 128>
// SM86-LABEL:  func @narrow
//       SM86:  #sinter.mma<k = 8, kernel = "fma", m = 64, n = 64,
func.func @narrow(%x: tensor<2048x512xf32>, %w: tensor<128x512xf32>, %e: tensor<2048x128xf32>) -> tensor<2048x128xf32> {
  %0 = sinter.contract (i = 2048) by (j = 128) product (k = 512) (%x[i, k] : tensor<2048x512xf32>, %w[j, k] : tensor<128x512xf32>) : f32
      outs(%e[i, j] : tensor<2048x128xf32>) {
  ^row(%acc: tensor<128xf32>):
    sinter.yield %acc : tensor<128xf32>
  }
  return %0 : tensor<2048x128xf32>
}

// -----

// Few columns: parts of a tile of as few, and no more of them than multiprocessors are kept busy by.

// CHECK-LABEL: func @few_columns
//       CHECK: #sinter.mma<k = 8, kernel = "fma", m = 64, n = 64, occupancy = 4, split = 5, threads = 128>
func.func @few_columns(%x: tensor<3237x1000xf32>, %w: tensor<36x1000xf32>, %e: tensor<3237x36xf32>) -> tensor<3237x36xf32> {
  %0 = sinter.contract (i = 3237) by (j = 36) product (k = 1000) (%x[i, k] : tensor<3237x1000xf32>, %w[j, k] : tensor<36x1000xf32>) : f32
      outs(%e[i, j] : tensor<3237x36xf32>) {
  ^row(%acc: tensor<36xf32>):
    sinter.yield %acc : tensor<36xf32>
  }
  return %0 : tensor<3237x36xf32>
}

// -----

// CHECK-LABEL: func @window
//       CHECK: #sinter.mma<k = 8, kernel = "fma", m = 128, n = 128, occupancy = 2, threads = 256>
func.func @window(%x: tensor<8192x512xf32>, %w: tensor<4096x512xf32>, %e: tensor<8192x4096xf32>) -> tensor<8192x4096xf32> {
  %0 = sinter.contract (i = 8192) by (j = 4096) product (k = 512) (%x[i - 1, k] : tensor<8192x512xf32> else 0.0, %w[j, k] : tensor<4096x512xf32>) : f32
      outs(%e[i, j] : tensor<8192x4096xf32>) {
  ^row(%acc: tensor<4096xf32>):
    sinter.yield %acc : tensor<4096xf32>
  }
  return %0 : tensor<8192x4096xf32>
}

// -----

// CHECK-LABEL: func @shared_by_copies
//       CHECK: #sinter.mma<blocks = 132, group = 16, k = 64, kernel = "wgmma", m = 64, n = 32, share = "turns", split = 8, stages = 16, threads = 256>
func.func @shared_by_copies(%x: tensor<64x8192xbf16>, %w: tensor<512x8192xbf16>, %e: tensor<64x512xf32>) -> tensor<64x512xf32> {
  %0 = sinter.contract (i = 64) by (j = 512) product (k = 8192) (%x[i, k] : tensor<64x8192xbf16>, %w[j, k] : tensor<512x8192xbf16>) : f32
      outs(%e[i, j] : tensor<64x512xf32>) {
  ^row(%acc: tensor<512xf32>):
    sinter.yield %acc : tensor<512xf32>
  }
  return %0 : tensor<64x512xf32>
}

// -----

// Lines that the copy engine cannot copy are wgmma's, too: threads fetch them, and tiles are those that they feed.

// Blocks meet at each of their tiles: parts that leave a block four tiles are no help.

// CHECK-LABEL: func @parts_of_waves
//       CHECK: kernel = "wgmma", m = 128, n = 256, share = "tile", split = 3,
func.func @parts_of_waves(%x: tensor<104x11584xbf16>, %w: tensor<8696x11584xbf16>, %e: tensor<104x8696xf32>) -> tensor<104x8696xf32> {
  %0 = sinter.contract (i = 104) by (j = 8696) product (k = 11584) (%x[i, k] : tensor<104x11584xbf16>, %w[j, k] : tensor<8696x11584xbf16>) : f32
      outs(%e[i, j] : tensor<104x8696xf32>) {
  ^row(%acc: tensor<8696xf32>):
    sinter.yield %acc : tensor<8696xf32>
  }
  return %0 : tensor<104x8696xf32>
}

// -----

// CHECK-LABEL: func @filled_by_threads
//       CHECK: #sinter.mma<blocks = 132, group = 12, k = 64, kernel = "wgmma", m = 128, n = 128, share = "turns", stages = 6, threads = 256>
func.func @filled_by_threads(%x: tensor<4096x1002xbf16>, %w: tensor<4096x1002xbf16>, %e: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  %0 = sinter.contract (i = 4096) by (j = 4096) product (k = 1002) (%x[i, k] : tensor<4096x1002xbf16>, %w[j, k] : tensor<4096x1002xbf16>) : f32
      outs(%e[i, j] : tensor<4096x4096xf32>) {
  ^row(%acc: tensor<4096xf32>):
    sinter.yield %acc : tensor<4096xf32>
  }
  return %0 : tensor<4096x4096xf32>
}

// -----

// Two products of one tile by wgmma: fewer slots, where the sums of both are beside them.

// CHECK-LABEL: func @two
//       CHECK: #sinter.mma<blocks = 132, cluster = 2, group = 12, k = 64, kernel = "wgmma", m = 128, n = 128, share = "tile", stages = 5, threads = 256>
func.func @two(%x: tensor<4096x1024xbf16>, %v: tensor<4096x1024xbf16>, %w: tensor<4096x1024xbf16>,
               %e: tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16> {
  %0 = sinter.contract (i = 4096) by (j = 4096)
      product (k = 1024) (%x[i, k] : tensor<4096x1024xbf16>, %v[j, k] : tensor<4096x1024xbf16>) : f32
      product (l = 1024) (%x[i, l] : tensor<4096x1024xbf16>, %w[j, l] : tensor<4096x1024xbf16>) : f32
      outs(%e[i, j] : tensor<4096x4096xbf16>) {
  ^row(%a: tensor<4096xf32>, %b: tensor<4096xf32>):
    %m = arith.mulf %a, %b : tensor<4096xf32>
    %t = arith.truncf %m : tensor<4096xf32> to tensor<4096xbf16>
    sinter.yield %t : tensor<4096xbf16>
  }
  return %0 : tensor<4096x4096xbf16>
}

// -----

// A tile has as many columns as a piece of a row that is reduced: of half types 192, of f32 128.

// CHECK-LABEL: func @pieces
//       CHECK:   kernel = "wgmma", m = 128, n = 192, {{.*}}share = "turns"
//       CHECK:   kernel = "fma", m = {{[0-9]+}}, n = 128
func.func @pieces(%x: tensor<4096x64xbf16>, %w: tensor<1920x64xbf16>, %u: tensor<4096x64xf32>, %v: tensor<1280x64xf32>, %e: tensor<10x4096xf32>) -> (tensor<10x4096xf32>, tensor<10x4096xf32>) {
  %0 = sinter.contract (i = 4096, p = 10) by (c = 192)
      product (k = 64) (%x[i, k] : tensor<4096x64xbf16>, %w[p * 192 + c, k] : tensor<1920x64xbf16>) : f32
      outs(%e[p, i] : tensor<10x4096xf32>) {
  ^row(%a: tensor<192xf32>):
    %m = sinter.row_reduce maximumf %a : tensor<192xf32> -> f32
    sinter.yield %m : f32
  }
  %1 = sinter.contract (i = 4096, p = 10) by (c = 128)
      product (k = 64) (%u[i, k] : tensor<4096x64xf32>, %v[p * 128 + c, k] : tensor<1280x64xf32>) : f32
      outs(%e[p, i] : tensor<10x4096xf32>) {
  ^row(%a: tensor<128xf32>):
    %m = sinter.row_reduce maximumf %a : tensor<128xf32> -> f32
    sinter.yield %m : f32
  }
  return %0, %1 : tensor<10x4096xf32>, tensor<10x4096xf32>
}

// -----

// Where there are many tiles blocks share none: their parts would not fit the workspace, and be met for each tile.

// CHECK-LABEL: func @many_tiles
//       CHECK:   #sinter.mma<k = 8, kernel = "fma", m = 128, n = 128, occupancy = 2, threads = 256>
func.func @many_tiles(%x: tensor<8192x512xf32>, %w: tensor<4352x512xf32>, %e: tensor<8192x4352xf32>) -> tensor<8192x4352xf32> {
  %0 = sinter.contract (i = 8192) by (j = 4352)
      product (k = 512) (%x[i, k] : tensor<8192x512xf32>, %w[j, k] : tensor<4352x512xf32>) : f32
      outs(%e[i, j] : tensor<8192x4352xf32>) {
  ^row(%a: tensor<4352xf32>):
    sinter.yield %a : tensor<4352xf32>
  }
  return %0 : tensor<8192x4352xf32>
}

// -----

// Weights of odd lines, which threads move an element at a time: that costs ten times what a piece does. So tiles are
// large, for which each element is moved less often, and blocks share what is summed.

// CHECK-LABEL: func @odd_lines
//       CHECK:   kernel = "wgmma", m = 128, n = 64, share = "tile", split = 4,
func.func @odd_lines(%x: tensor<512x512xf16>, %w: tensor<512x511xf16>, %e: tensor<512x511xf32>) -> tensor<512x511xf32> {
  %0 = sinter.contract (i = 512) by (j = 511)
      product (k = 512) (%x[i, k] : tensor<512x512xf16>, %w[k, j] : tensor<512x511xf16>) : f32
      outs(%e[i, j] : tensor<512x511xf32>) {
  ^row(%acc: tensor<511xf32>):
    sinter.yield %acc : tensor<511xf32>
  }
  return %0 : tensor<512x511xf32>
}

// -----

// A gate of f32: a thread has the sums of both products, so a tile has half the columns.

// CHECK-LABEL: func @f32_gate
//       CHECK: #sinter.mma<k = 8, kernel = "fma", m = 128, n = 64, occupancy = 2, threads = 256>
func.func @f32_gate(%x: tensor<8184x320xf32>, %u: tensor<504x320xf32>, %v: tensor<504x320xf32>, %e: tensor<8184x504xf32>) -> tensor<8184x504xf32> {
  %y = sinter.contract (i = 8184) by (j = 504)
      product (k = 320) (%x[i, k] : tensor<8184x320xf32>, %u[j, k] : tensor<504x320xf32>) : f32
      product (l = 320) (%x[i, l] : tensor<8184x320xf32>, %v[j, l] : tensor<504x320xf32>) : f32
      outs(%e[i, j] : tensor<8184x504xf32>) {
  ^row(%p: tensor<504xf32>, %q: tensor<504xf32>):
    %r = arith.mulf %p, %q : tensor<504xf32>
    sinter.yield %r : tensor<504xf32>
  }
  return %y : tensor<8184x504xf32>
}

// -----

// All rows and columns are a small tile, sums are long, and one side goes by elements: a tile of wgmma would ask for
// four times as many. One column more is another tile; short sums end too soon for that.

// CHECK-LABEL: func @small_by_elements
//       CHECK: kernel = "mma.sync", m = 32, n = 32, occupancy = 8, split = 19,
// CHECK-LABEL: func @more_by_elements
//       CHECK: kernel = "wgmma"
// CHECK-LABEL: func @short_by_elements
//       CHECK: kernel = "wgmma"
func.func @small_by_elements(%x: tensor<4096x11xf16>, %w: tensor<4096x32xf16>, %e: tensor<11x32xf32>) -> tensor<11x32xf32> {
  %0 = sinter.contract (i = 11) by (j = 32) product (k = 4096) (%x[k, i] : tensor<4096x11xf16>, %w[k, j] : tensor<4096x32xf16>) : f32
      outs(%e[i, j] : tensor<11x32xf32>) {
  ^row(%acc: tensor<32xf32>):
    sinter.yield %acc : tensor<32xf32>
  }
  return %0 : tensor<11x32xf32>
}
func.func @more_by_elements(%x: tensor<4096x11xf16>, %w: tensor<4096x33xf16>, %e: tensor<11x33xf32>) -> tensor<11x33xf32> {
  %0 = sinter.contract (i = 11) by (j = 33) product (k = 4096) (%x[k, i] : tensor<4096x11xf16>, %w[k, j] : tensor<4096x33xf16>) : f32
      outs(%e[i, j] : tensor<11x33xf32>) {
  ^row(%acc: tensor<33xf32>):
    sinter.yield %acc : tensor<33xf32>
  }
  return %0 : tensor<11x33xf32>
}
func.func @short_by_elements(%x: tensor<239x11xf16>, %w: tensor<239x32xf16>, %e: tensor<11x32xf32>) -> tensor<11x32xf32> {
  %0 = sinter.contract (i = 11) by (j = 32) product (k = 239) (%x[k, i] : tensor<239x11xf16>, %w[k, j] : tensor<239x32xf16>) : f32
      outs(%e[i, j] : tensor<11x32xf32>) {
  ^row(%acc: tensor<32xf32>):
    sinter.yield %acc : tensor<32xf32>
  }
  return %0 : tensor<11x32xf32>
}

// -----

// A flat tile may leave a tenth of all multiprocessors without one: what is left are tiles of 16 by 16. A fifth is too
// much.

// CHECK-LABEL: func @flat
//       CHECK: kernel = "fma", m = 128, n = 16, occupancy = 4, split = 7,
// CHECK-LABEL: func @less_flat
//       CHECK: kernel = "fma", m = 16, n = 16,
func.func @flat(%x: tensor<2228x704xf32>, %w: tensor<15x704xf32>, %e: tensor<2228x15xf32>) -> tensor<2228x15xf32> {
  %0 = sinter.contract (i = 2228) by (j = 15) product (k = 704) (%x[i, k] : tensor<2228x704xf32>, %w[j, k] : tensor<15x704xf32>) : f32
      outs(%e[i, j] : tensor<2228x15xf32>) {
  ^row(%acc: tensor<15xf32>):
    sinter.yield %acc : tensor<15xf32>
  }
  return %0 : tensor<2228x15xf32>
}
func.func @less_flat(%x: tensor<1000x704xf32>, %w: tensor<15x704xf32>, %e: tensor<1000x15xf32>) -> tensor<1000x15xf32> {
  %0 = sinter.contract (i = 1000) by (j = 15) product (k = 704) (%x[i, k] : tensor<1000x704xf32>, %w[j, k] : tensor<15x704xf32>) : f32
      outs(%e[i, j] : tensor<1000x15xf32>) {
  ^row(%acc: tensor<15xf32>):
    sinter.yield %acc : tensor<15xf32>
  }
  return %0 : tensor<1000x15xf32>
}

// -----

// One wave whose sums are short: two warpgroups store a tile of 192 columns sooner than one, or than 256.

// CHECK-LABEL: func @one_short_wave
//       CHECK: kernel = "wgmma", m = 128, n = 192, share = "tile"
func.func @one_short_wave(%x: tensor<406x480xbf16>, %w: tensor<6144x480xbf16>, %e: tensor<406x6144xf32>) -> tensor<406x6144xf32> {
  %0 = sinter.contract (i = 406) by (j = 6144) product (k = 480) (%x[i, k] : tensor<406x480xbf16>, %w[j, k] : tensor<6144x480xbf16>) : f32
      outs(%e[i, j] : tensor<406x6144xf32>) {
  ^row(%acc: tensor<6144xf32>):
    sinter.yield %acc : tensor<6144xf32>
  }
  return %0 : tensor<406x6144xf32>
}

// -----

// 96 rows of f32 fill three tiles of 32, and leave a quarter of one of 128.

// CHECK-LABEL: func @three_times_32
//       CHECK: kernel = "fma", m = 32, n = 128, occupancy = 4
func.func @three_times_32(%x: tensor<96x10250xf32>, %w: tensor<10250x13604xf32>, %e: tensor<96x13604xf32>) -> tensor<96x13604xf32> {
  %0 = sinter.contract (i = 96) by (j = 13604) product (k = 10250) (%x[i, k] : tensor<96x10250xf32>, %w[k, j] : tensor<10250x13604xf32>) : f32
      outs(%e[i, j] : tensor<96x13604xf32>) {
  ^row(%acc: tensor<13604xf32>):
    sinter.yield %acc : tensor<13604xf32>
  }
  return %0 : tensor<96x13604xf32>
}

// -----

// Pieces of windows: what a slot reads is its price, so wide tiles have fewer slots to read. Few filters beside them
// have narrow ones: what is wider is zeros.

// CHECK-LABEL: func @windows
//       CHECK: kernel = "wgmma", m = 128, n = 256,
// CHECK-LABEL: func @windows_of_few
//       CHECK: kernel = "wgmma", m = 64, n = 32,
func.func @windows(%x: tensor<4x72x72x344xf16>, %w: tensor<426x3x3x344xf16>, %e: tensor<4x72x72x426xf32>) -> tensor<4x72x72x426xf32> {
  %0 = sinter.contract (n = 4, y = 72, x = 72) by (o = 426) product (r = 3, s = 3, c = 344) (%x[n, y + r - 1, x + s - 1, c] : tensor<4x72x72x344xf16> else 0.0, %w[o, r, s, c] : tensor<426x3x3x344xf16>) : f32
      outs(%e[n, y, x, o] : tensor<4x72x72x426xf32>) {
  ^row(%acc: tensor<426xf32>):
    sinter.yield %acc : tensor<426xf32>
  }
  return %0 : tensor<4x72x72x426xf32>
}
func.func @windows_of_few(%x: tensor<16x102x102x136xbf16>, %w: tensor<14x5x5x136xbf16>, %e: tensor<16x51x51x14xf32>) -> tensor<16x51x51x14xf32> {
  %0 = sinter.contract (n = 16, y = 51, x = 51) by (o = 14) product (r = 5, s = 5, c = 136) (%x[n, y * 2 + r - 2, x * 2 + s - 2, c] : tensor<16x102x102x136xbf16> else 0.0, %w[o, r, s, c] : tensor<14x5x5x136xbf16>) : f32
      outs(%e[n, y, x, o] : tensor<16x51x51x14xf32>) {
  ^row(%acc: tensor<14xf32>):
    sinter.yield %acc : tensor<14xf32>
  }
  return %0 : tensor<16x51x51x14xf32>
}

// -----

// Windows by copies: as other sides, but where all multiprocessors ask for them each gets less of the second cache.
// Pairs are those of many tiles that are wide.

// CHECK-LABEL: func @images
//       CHECK: cluster = 2,{{.*}} m = 128, n = 192, share = "turns"
// CHECK-LABEL: func @images_of_few
//   CHECK-NOT: cluster
//       CHECK: m = 128, n = 64,
//   CHECK-NOT: cluster
// CHECK-LABEL: func @small_images
//   CHECK-NOT: cluster
//       CHECK: m = 128, n = 96, share = "tile",
//   CHECK-NOT: split
func.func @images(%x: tensor<48x24x24x512xf16>, %w: tensor<192x3x3x512xf16>, %e: tensor<48x24x24x192xf32>) -> tensor<48x24x24x192xf32> {
  %0 = sinter.contract (n = 48, y = 24, x = 24) by (o = 192) product (r = 3, s = 3, c = 512) (%x[n, y + r - 1, x + s - 1, c] : tensor<48x24x24x512xf16> else 0.0, %w[o, r, s, c] : tensor<192x3x3x512xf16>) : f32
      outs(%e[n, y, x, o] : tensor<48x24x24x192xf32>) {
  ^row(%acc: tensor<192xf32>):
    sinter.yield %acc : tensor<192xf32>
  }
  return %0 : tensor<48x24x24x192xf32>
}
func.func @images_of_few(%x: tensor<32x56x56x64xf16>, %w: tensor<64x3x3x64xf16>, %e: tensor<32x56x56x64xf32>) -> tensor<32x56x56x64xf32> {
  %0 = sinter.contract (n = 32, y = 56, x = 56) by (o = 64) product (r = 3, s = 3, c = 64) (%x[n, y + r - 1, x + s - 1, c] : tensor<32x56x56x64xf16> else 0.0, %w[o, r, s, c] : tensor<64x3x3x64xf16>) : f32
      outs(%e[n, y, x, o] : tensor<32x56x56x64xf32>) {
  ^row(%acc: tensor<64xf32>):
    sinter.yield %acc : tensor<64xf32>
  }
  return %0 : tensor<32x56x56x64xf32>
}
func.func @small_images(%x: tensor<45x8x8x192xf16>, %w: tensor<384x5x5x192xf16>, %e: tensor<45x8x8x384xf32>) -> tensor<45x8x8x384xf32> {
  %0 = sinter.contract (n = 45, y = 8, x = 8) by (o = 384) product (r = 5, s = 5, c = 192) (%x[n, y + r - 2, x + s - 2, c] : tensor<45x8x8x192xf16> else 0.0, %w[o, r, s, c] : tensor<384x5x5x192xf16>) : f32
      outs(%e[n, y, x, o] : tensor<45x8x8x384xf32>) {
  ^row(%acc: tensor<384xf32>):
    sinter.yield %acc : tensor<384xf32>
  }
  return %0 : tensor<45x8x8x384xf32>
}

// -----

// Short sums of many rows and columns that are stored by vectors: fewer, larger tiles.

// CHECK-LABEL: func @short_sums
//       CHECK: kernel = "mma.sync", m = 64, n = 64, occupancy = 4
func.func @short_sums(%x: tensor<4x1573x24xf16>, %w: tensor<4x24x240xf16>, %e: tensor<4x1573x240xf16>) -> tensor<4x1573x240xf16> {
  %0 = sinter.contract (h = 4, i = 1573) by (j = 240) product (k = 24) (%x[h, i, k] : tensor<4x1573x24xf16>, %w[h, k, j] : tensor<4x24x240xf16>) : f32
      outs(%e[h, i, j] : tensor<4x1573x240xf16>) {
  ^row(%acc: tensor<240xf32>):
    %t = arith.truncf %acc : tensor<240xf32> to tensor<240xf16>
    sinter.yield %t : tensor<240xf16>
  }
  return %0 : tensor<4x1573x240xf16>
}

// -----

// Windows beside 16 filters, the rows: half of a tile of 128 would be empty.

// CHECK-LABEL: func @few_filters_are_rows
//       CHECK: kernel = "wgmma", m = 64,
func.func @few_filters_are_rows(%x: tensor<32x37x37x440xf16>, %w: tensor<16x3x3x440xf16>, %e: tensor<32x16x37x37xf32>) -> tensor<32x16x37x37xf32> {
  %0 = sinter.contract (n = 32, o = 16) by (y = 37, x = 37) product (r = 3, s = 3, c = 440) (%w[o, r, s, c] : tensor<16x3x3x440xf16>, %x[n, y + r - 1, x + s - 1, c] : tensor<32x37x37x440xf16> else 0.0) : f32
      outs(%e[n, o, y, x] : tensor<32x16x37x37xf32>) {
  ^row(%acc: tensor<1369xf32>):
    sinter.yield %acc : tensor<1369xf32>
  }
  return %0 : tensor<32x16x37x37xf32>
}

// -----

// Up to 96 columns: a tile of 128 reads zeros for the rest.

// CHECK-LABEL: func @columns_80
//       CHECK: #sinter.mma<blocks = 132, group = 12, k = 64, kernel = "wgmma", m = 128, n = 96, share = "tile", stages = 7, threads = 256>
func.func @columns_80(%x: tensor<64x160x1392xbf16>, %w: tensor<64x80x1392xbf16>, %e: tensor<64x160x80xf32>) -> tensor<64x160x80xf32> {
  %0 = sinter.contract (h = 64, i = 160) by (j = 80)
      product (k = 1392) (%x[h, i, k] : tensor<64x160x1392xbf16>, %w[h, j, k] : tensor<64x80x1392xbf16>) : f32
      outs(%e[h, i, j] : tensor<64x160x80xf32>) {
  ^row(%acc: tensor<80xf32>):
    sinter.yield %acc : tensor<80xf32>
  }
  return %0 : tensor<64x160x80xf32>
}

// -----

// Few columns of long sums: all blocks read the same lines of the columns' side, half of them as pairs.

// CHECK-LABEL: func @narrow_pairs
//       CHECK: cluster = 2, group = 12, k = 64, kernel = "wgmma", m = 128, n = 64,
func.func @narrow_pairs(%x: tensor<14336x3584xf16>, %w: tensor<3584x40xf16>, %e: tensor<14336x40xf32>) -> tensor<14336x40xf32> {
  %0 = sinter.contract (i = 14336) by (j = 40)
      product (k = 3584) (%x[i, k] : tensor<14336x3584xf16>, %w[k, j] : tensor<3584x40xf16>) : f32
      outs(%e[i, j] : tensor<14336x40xf32>) {
  ^row(%acc: tensor<40xf32>):
    sinter.yield %acc : tensor<40xf32>
  }
  return %0 : tensor<14336x40xf32>
}

// -----

// Two tiles of 64 rows that are all rows read the columns' side once between them; of more rows, or fewer, there are no
// pairs.

// CHECK-LABEL: func @two_of_64
//       CHECK: cluster = 2, group = 16, k = 64, kernel = "wgmma", m = 64, n = 128, share = "turns",
// CHECK-LABEL: func @three_of_64
//   CHECK-NOT: cluster = 2{{.*}} m = 64,
// CHECK-LABEL: func @one_of_64
//   CHECK-NOT: cluster = 2
func.func @two_of_64(%x: tensor<85x920xf16>, %w: tensor<6064x920xf16>, %e: tensor<85x6064xf32>) -> tensor<85x6064xf32> {
  %0 = sinter.contract (i = 85) by (j = 6064) product (k = 920) (%x[i, k] : tensor<85x920xf16>, %w[j, k] : tensor<6064x920xf16>) : f32
      outs(%e[i, j] : tensor<85x6064xf32>) {
  ^row(%acc: tensor<6064xf32>):
    sinter.yield %acc : tensor<6064xf32>
  }
  return %0 : tensor<85x6064xf32>
}
func.func @three_of_64(%x: tensor<150x920xf16>, %w: tensor<6064x920xf16>, %e: tensor<150x6064xf32>) -> tensor<150x6064xf32> {
  %0 = sinter.contract (i = 150) by (j = 6064) product (k = 920) (%x[i, k] : tensor<150x920xf16>, %w[j, k] : tensor<6064x920xf16>) : f32
      outs(%e[i, j] : tensor<150x6064xf32>) {
  ^row(%acc: tensor<6064xf32>):
    sinter.yield %acc : tensor<6064xf32>
  }
  return %0 : tensor<150x6064xf32>
}
func.func @one_of_64(%x: tensor<64x920xf16>, %w: tensor<6064x920xf16>, %e: tensor<64x6064xf32>) -> tensor<64x6064xf32> {
  %0 = sinter.contract (i = 64) by (j = 6064) product (k = 920) (%x[i, k] : tensor<64x920xf16>, %w[j, k] : tensor<6064x920xf16>) : f32
      outs(%e[i, j] : tensor<64x6064xf32>) {
  ^row(%acc: tensor<6064xf32>):
    sinter.yield %acc : tensor<6064xf32>
  }
  return %0 : tensor<64x6064xf32>
}

// -----

// Nine waves of pairs take less than eight without.

// CHECK-LABEL: func @a_wave_more
//       CHECK: cluster = 2, group = 12, k = 64, kernel = "wgmma", m = 128, n = 192,
func.func @a_wave_more(%x: tensor<5680x744xbf16>, %u: tensor<4400x744xbf16>, %v: tensor<4400x744xbf16>, %e: tensor<5680x4400xf32>) -> tensor<5680x4400xf32> {
  %0 = sinter.contract (i = 5680) by (j = 4400)
      product (k = 744) (%x[i, k] : tensor<5680x744xbf16>, %u[j, k] : tensor<4400x744xbf16>) : f32
      product (l = 744) (%x[i, l] : tensor<5680x744xbf16>, %v[j, l] : tensor<4400x744xbf16>) : f32
      outs(%e[i, j] : tensor<5680x4400xf32>) {
  ^row(%p: tensor<4400xf32>, %q: tensor<4400xf32>):
    %y = arith.mulf %p, %q : tensor<4400xf32>
    sinter.yield %y : tensor<4400xf32>
  }
  return %0 : tensor<5680x4400xf32>
}

// -----

// Of a product that power limits another wave would be for nothing.

// CHECK-LABEL: func @power
//   CHECK-NOT: cluster
//       CHECK: return
func.func @power(%x: tensor<14144x15936xf16>, %w: tensor<2392x15936xf16>, %e: tensor<14144x2392xf32>) -> tensor<14144x2392xf32> {
  %0 = sinter.contract (i = 14144) by (j = 2392)
      product (k = 15936) (%x[i, k] : tensor<14144x15936xf16>, %w[j, k] : tensor<2392x15936xf16>) : f32
      outs(%e[i, j] : tensor<14144x2392xf32>) {
  ^row(%acc: tensor<2392xf32>):
    sinter.yield %acc : tensor<2392xf32>
  }
  return %0 : tensor<14144x2392xf32>
}

// -----

// The second block of a pair would have three rows.

// CHECK-LABEL: func @half_a_pair
//   CHECK-NOT: cluster
//       CHECK: return
func.func @half_a_pair(%x: tensor<131x7472xbf16>, %w: tensor<9816x7472xbf16>, %e: tensor<131x9816xf32>) -> tensor<131x9816xf32> {
  %0 = sinter.contract (i = 131) by (j = 9816)
      product (k = 7472) (%x[i, k] : tensor<131x7472xbf16>, %w[j, k] : tensor<9816x7472xbf16>) : f32
      outs(%e[i, j] : tensor<131x9816xf32>) {
  ^row(%acc: tensor<9816xf32>):
    sinter.yield %acc : tensor<9816xf32>
  }
  return %0 : tensor<131x9816xf32>
}

// -----

// Sides of f32 by elements: not by the largest tiles.

// CHECK-LABEL: func @f32_by_elements
//       CHECK: #sinter.mma<k = 16, kernel = "fma", m = 64, n = 128, occupancy = 3, threads = 128>
func.func @f32_by_elements(%x: tensor<15216x358xf32>, %w: tensor<358x109xf32>, %e: tensor<15216x109xf32>) -> tensor<15216x109xf32> {
  %0 = sinter.contract (i = 15216) by (j = 109)
      product (k = 358) (%x[i, k] : tensor<15216x358xf32>, %w[k, j] : tensor<358x109xf32>) : f32
      outs(%e[i, j] : tensor<15216x109xf32>) {
  ^row(%acc: tensor<109xf32>):
    sinter.yield %acc : tensor<109xf32>
  }
  return %0 : tensor<15216x109xf32>
}

// -----

// Short sums, and a function of each element: small tiles by turns, of which both warpgroups compute at a time. Where
// the sum is long, or there are no functions, large ones.

// CHECK-LABEL: func @short_functions
//       CHECK:   kernel = "wgmma", m = 64, n = 128, share = "turns",
// CHECK-LABEL: func @long_functions
//       CHECK:   kernel = "wgmma", m = 128, n = 192, share = "turns",
// CHECK-LABEL: func @no_functions
//       CHECK:   kernel = "wgmma", m = 128, n = 256, share = "tile",
func.func @short_functions(%x: tensor<256x574xbf16>, %w: tensor<14905x256xbf16>, %e: tensor<574x14905xf32>) -> tensor<574x14905xf32> {
  %0 = sinter.contract (i = 574) by (j = 14905) product (k = 256) (%x[k, i] : tensor<256x574xbf16>, %w[j, k] : tensor<14905x256xbf16>) : f32
      outs(%e[i, j] : tensor<574x14905xf32>) {
  ^row(%acc: tensor<14905xf32>):
    %one = arith.constant dense<1.0> : tensor<14905xf32>
    %f = math.erf %acc : tensor<14905xf32>
    %g = arith.addf %f, %one : tensor<14905xf32>
    %h = arith.mulf %g, %acc : tensor<14905xf32>
    sinter.yield %h : tensor<14905xf32>
  }
  return %0 : tensor<574x14905xf32>
}
func.func @long_functions(%x: tensor<574x2560xbf16>, %w: tensor<14904x2560xbf16>, %e: tensor<574x14904xf32>) -> tensor<574x14904xf32> {
  %0 = sinter.contract (i = 574) by (j = 14904) product (k = 2560) (%x[i, k] : tensor<574x2560xbf16>, %w[j, k] : tensor<14904x2560xbf16>) : f32
      outs(%e[i, j] : tensor<574x14904xf32>) {
  ^row(%acc: tensor<14904xf32>):
    %f = math.erf %acc : tensor<14904xf32>
    sinter.yield %f : tensor<14904xf32>
  }
  return %0 : tensor<574x14904xf32>
}
func.func @no_functions(%x: tensor<256x574xbf16>, %w: tensor<14905x256xbf16>, %e: tensor<574x14905xf32>) -> tensor<574x14905xf32> {
  %0 = sinter.contract (i = 574) by (j = 14905) product (k = 256) (%x[k, i] : tensor<256x574xbf16>, %w[j, k] : tensor<14905x256xbf16>) : f32
      outs(%e[i, j] : tensor<574x14905xf32>) {
  ^row(%acc: tensor<14905xf32>):
    sinter.yield %acc : tensor<14905xf32>
  }
  return %0 : tensor<574x14905xf32>
}

// -----

// 185 rows are one tile of 192, not two of 128. Three pieces that threads bring by elements are no parts.

// CHECK-LABEL: func @high
//       CHECK:   kernel = "wgmma", m = 192, n = 128, share = "turns",
// CHECK-LABEL: func @few_pieces
//   CHECK-NOT:   split
//       CHECK:   kernel = "wgmma", m = 64, n = 32, share = "turns",
//   CHECK-NOT:   split
func.func @high(%x: tensor<185x336xf16>, %w: tensor<16184x336xf16>, %e: tensor<185x16184xf32>) -> tensor<185x16184xf32> {
  %0 = sinter.contract (i = 185) by (j = 16184) product (k = 336) (%x[i, k] : tensor<185x336xf16>, %w[j, k] : tensor<16184x336xf16>) : f32
      outs(%e[i, j] : tensor<185x16184xf32>) {
  ^row(%acc: tensor<16184xf32>):
    sinter.yield %acc : tensor<16184xf32>
  }
  return %0 : tensor<185x16184xf32>
}
func.func @few_pieces(%x: tensor<8x16x137xbf16>, %w: tensor<8x124x137xbf16>, %e: tensor<8x16x124xf32>) -> tensor<8x16x124xf32> {
  %0 = sinter.contract (h = 8, i = 16) by (j = 124) product (k = 137) (%x[h, i, k] : tensor<8x16x137xbf16>, %w[h, j, k] : tensor<8x124x137xbf16>) : f32
      outs(%e[h, i, j] : tensor<8x16x124xf32>) {
  ^row(%acc: tensor<124xf32>):
    sinter.yield %acc : tensor<124xf32>
  }
  return %0 : tensor<8x16x124xf32>
}

// -----

// 129 columns are not two flat tiles of 128, where rows are many of them; 12 rows are. Few multiplications of lines
// that are loaded by elements have 64 of each row under way.

// CHECK-LABEL: func @flat_ends
//       CHECK:   #sinter.mma<k = 64, kernel = "fma", m = 16, n = 16, occupancy = 8, threads = 64>
// CHECK-LABEL: func @flat_rows
//       CHECK:   kernel = "fma", m = 16, n = 128,
func.func @flat_ends(%x: tensor<551x181xf32>, %w: tensor<129x181xf32>, %e: tensor<551x129xf32>) -> tensor<551x129xf32> {
  %0 = sinter.contract (i = 551) by (j = 129) product (k = 181) (%x[i, k] : tensor<551x181xf32>, %w[j, k] : tensor<129x181xf32>) : f32
      outs(%e[i, j] : tensor<551x129xf32>) {
  ^row(%acc: tensor<129xf32>):
    sinter.yield %acc : tensor<129xf32>
  }
  return %0 : tensor<551x129xf32>
}
func.func @flat_rows(%x: tensor<70x12x181xf32>, %w: tensor<70x129x181xf32>, %e: tensor<70x12x129xf32>) -> tensor<70x12x129xf32> {
  %0 = sinter.contract (h = 70, i = 12) by (j = 129) product (k = 181) (%x[h, i, k] : tensor<70x12x181xf32>, %w[h, j, k] : tensor<70x129x181xf32>) : f32
      outs(%e[h, i, j] : tensor<70x12x129xf32>) {
  ^row(%acc: tensor<129xf32>):
    sinter.yield %acc : tensor<129xf32>
  }
  return %0 : tensor<70x12x129xf32>
}

// -----

// Few multiplications of f32. Tiles of 64 x 64 that leave most multiprocessors one block are not taken, those that
// leave each two are; tiles of 32 x 32 share no sums where smaller ones fill all multiprocessors, and do where these
// do not.

// CHECK-LABEL: func @one_block_each
//       CHECK:   #sinter.mma<k = 16, kernel = "fma", m = 32, n = 32, occupancy = 8, threads = 64>
// CHECK-LABEL: func @several_blocks_each
//       CHECK:   kernel = "fma", m = 128, n = 64, occupancy = 3, threads = 128>
// CHECK-LABEL: func @no_sums_to_share
//       CHECK:   #sinter.mma<k = 16, kernel = "fma", m = 16, n = 16, occupancy = 8, threads = 64>
// CHECK-LABEL: func @sums_to_share
//       CHECK:   kernel = "fma", m = 32, n = 32, occupancy = 8, split = 9, threads = 64>
func.func @one_block_each(%x: tensor<1073x17xf32>, %w: tensor<461x17xf32>, %e: tensor<1073x461xf32>) -> tensor<1073x461xf32> {
  %0 = sinter.contract (i = 1073) by (j = 461) product (k = 17) (%x[i, k] : tensor<1073x17xf32>, %w[j, k] : tensor<461x17xf32>) : f32
      outs(%e[i, j] : tensor<1073x461xf32>) {
  ^row(%acc: tensor<461xf32>):
    sinter.yield %acc : tensor<461xf32>
  }
  return %0 : tensor<1073x461xf32>
}
func.func @several_blocks_each(%x: tensor<4096x3xf32>, %w: tensor<1024x3xf32>, %e: tensor<4096x1024xf32>) -> tensor<4096x1024xf32> {
  %0 = sinter.contract (i = 4096) by (j = 1024) product (k = 3) (%x[i, k] : tensor<4096x3xf32>, %w[j, k] : tensor<1024x3xf32>) : f32
      outs(%e[i, j] : tensor<4096x1024xf32>) {
  ^row(%acc: tensor<1024xf32>):
    sinter.yield %acc : tensor<1024xf32>
  }
  return %0 : tensor<4096x1024xf32>
}
func.func @no_sums_to_share(%x: tensor<300x200xf32>, %w: tensor<200x200xf32>, %e: tensor<300x200xf32>) -> tensor<300x200xf32> {
  %0 = sinter.contract (i = 300) by (j = 200) product (k = 200) (%x[i, k] : tensor<300x200xf32>, %w[j, k] : tensor<200x200xf32>) : f32
      outs(%e[i, j] : tensor<300x200xf32>) {
  ^row(%acc: tensor<200xf32>):
    sinter.yield %acc : tensor<200xf32>
  }
  return %0 : tensor<300x200xf32>
}
func.func @sums_to_share(%x: tensor<100x1000xf32>, %w: tensor<100x1000xf32>, %e: tensor<100x100xf32>) -> tensor<100x100xf32> {
  %0 = sinter.contract (i = 100) by (j = 100) product (k = 1000) (%x[i, k] : tensor<100x1000xf32>, %w[j, k] : tensor<100x1000xf32>) : f32
      outs(%e[i, j] : tensor<100x100xf32>) {
  ^row(%acc: tensor<100xf32>):
    sinter.yield %acc : tensor<100xf32>
  }
  return %0 : tensor<100x100xf32>
}

// -----

// Of a tile of 32 x 128 the columns' side tells whether sides lie along the sum: tiles of 64 rows are better then.

// CHECK-LABEL: func @wide_side_along
//       CHECK:   kernel = "fma", m = 64, n = 128,
// CHECK-LABEL: func @wide_side_across
//       CHECK:   kernel = "fma", m = 32, n = 128,
func.func @wide_side_along(%x: tensor<7480x149xf32>, %w: tensor<10034x7480xf32>, %e: tensor<149x10034xf32>) -> tensor<149x10034xf32> {
  %0 = sinter.contract (i = 149) by (j = 10034) product (k = 7480) (%x[k, i] : tensor<7480x149xf32>, %w[j, k] : tensor<10034x7480xf32>) : f32
      outs(%e[i, j] : tensor<149x10034xf32>) {
  ^row(%acc: tensor<10034xf32>):
    sinter.yield %acc : tensor<10034xf32>
  }
  return %0 : tensor<149x10034xf32>
}
func.func @wide_side_across(%x: tensor<149x7480xf32>, %w: tensor<7480x10036xf32>, %e: tensor<149x10036xf32>) -> tensor<149x10036xf32> {
  %0 = sinter.contract (i = 149) by (j = 10036) product (k = 7480) (%x[i, k] : tensor<149x7480xf32>, %w[k, j] : tensor<7480x10036xf32>) : f32
      outs(%e[i, j] : tensor<149x10036xf32>) {
  ^row(%acc: tensor<10036xf32>):
    sinter.yield %acc : tensor<10036xf32>
  }
  return %0 : tensor<149x10036xf32>
}

// -----

// Lines of pairs of f32 leave large tiles more of their rate than lines of single elements.

// CHECK-LABEL: func @lines_of_pairs
//       CHECK:   #sinter.mma<k = 8, kernel = "fma", m = 128, n = 128, occupancy = 2, split = 3, threads = 256>
// CHECK-LABEL: func @lines_of_elements
//       CHECK:   #sinter.mma<k = 16, kernel = "fma", m = 64, n = 128, occupancy = 3, split = 3, threads = 128>
func.func @lines_of_pairs(%x: tensor<335x1542xf32>, %w: tensor<2944x1542xf32>, %e: tensor<335x2944xf32>) -> tensor<335x2944xf32> {
  %0 = sinter.contract (i = 335) by (j = 2944) product (k = 1542) (%x[i, k] : tensor<335x1542xf32>, %w[j, k] : tensor<2944x1542xf32>) : f32
      outs(%e[i, j] : tensor<335x2944xf32>) {
  ^row(%acc: tensor<2944xf32>):
    sinter.yield %acc : tensor<2944xf32>
  }
  return %0 : tensor<335x2944xf32>
}
func.func @lines_of_elements(%x: tensor<335x1541xf32>, %w: tensor<2944x1541xf32>, %e: tensor<335x2944xf32>) -> tensor<335x2944xf32> {
  %0 = sinter.contract (i = 335) by (j = 2944) product (k = 1541) (%x[i, k] : tensor<335x1541xf32>, %w[j, k] : tensor<2944x1541xf32>) : f32
      outs(%e[i, j] : tensor<335x2944xf32>) {
  ^row(%acc: tensor<2944xf32>):
    sinter.yield %acc : tensor<2944xf32>
  }
  return %0 : tensor<335x2944xf32>
}

// -----

// Few rows by weights [k, j] of odd lines and long sums: each element is read once, in as many parts as blocks have
// room; of short sums, or of few columns, tiles of wgmma have them.

// CHECK-LABEL: func @few_rows_of_long_sums
//       CHECK:   #sinter.mma<k = 32, kernel = "mma.sync", m = 16, n = 128, occupancy = 4, split = 13, threads = 128>
// CHECK-LABEL: func @some_rows_of_long_sums
//       CHECK:   kernel = "mma.sync", m = 16, n = 128, occupancy = 4, split = 11, threads = 128>
// CHECK-LABEL: func @few_rows_of_short_sums
//       CHECK:   kernel = "wgmma",
// CHECK-LABEL: func @few_rows_of_few_columns
//       CHECK:   kernel = "wgmma",
func.func @few_rows_of_long_sums(%x: tensor<2x14442xf16>, %w: tensor<14442x5057xf16>, %e: tensor<2x5057xf32>) -> tensor<2x5057xf32> {
  %0 = sinter.contract (i = 2) by (j = 5057) product (k = 14442) (%x[i, k] : tensor<2x14442xf16>, %w[k, j] : tensor<14442x5057xf16>) : f32
      outs(%e[i, j] : tensor<2x5057xf32>) {
  ^row(%acc: tensor<5057xf32>):
    sinter.yield %acc : tensor<5057xf32>
  }
  return %0 : tensor<2x5057xf32>
}
func.func @some_rows_of_long_sums(%x: tensor<14x6000xf16>, %w: tensor<6000x2001xf16>, %e: tensor<14x2001xf32>) -> tensor<14x2001xf32> {
  %0 = sinter.contract (i = 14) by (j = 2001) product (k = 6000) (%x[i, k] : tensor<14x6000xf16>, %w[k, j] : tensor<6000x2001xf16>) : f32
      outs(%e[i, j] : tensor<14x2001xf32>) {
  ^row(%acc: tensor<2001xf32>):
    sinter.yield %acc : tensor<2001xf32>
  }
  return %0 : tensor<14x2001xf32>
}
func.func @few_rows_of_short_sums(%x: tensor<2x1000xf16>, %w: tensor<1000x5057xf16>, %e: tensor<2x5057xf32>) -> tensor<2x5057xf32> {
  %0 = sinter.contract (i = 2) by (j = 5057) product (k = 1000) (%x[i, k] : tensor<2x1000xf16>, %w[k, j] : tensor<1000x5057xf16>) : f32
      outs(%e[i, j] : tensor<2x5057xf32>) {
  ^row(%acc: tensor<5057xf32>):
    sinter.yield %acc : tensor<5057xf32>
  }
  return %0 : tensor<2x5057xf32>
}
func.func @few_rows_of_few_columns(%x: tensor<3x9001xf16>, %w: tensor<9001x201xf16>, %e: tensor<3x201xf32>) -> tensor<3x201xf32> {
  %0 = sinter.contract (i = 3) by (j = 201) product (k = 9001) (%x[i, k] : tensor<3x9001xf16>, %w[k, j] : tensor<9001x201xf16>) : f32
      outs(%e[i, j] : tensor<3x201xf32>) {
  ^row(%acc: tensor<201xf32>):
    sinter.yield %acc : tensor<201xf32>
  }
  return %0 : tensor<3x201xf32>
}

// -----

// Four filters read an image once: blocks have four slots of a sum, and three of them share it.

// CHECK-LABEL: func @few_filters
//       CHECK:   #sinter.mma<k = 32, kernel = "mma.sync", m = 16, n = 128, occupancy = 4, split = 3, threads = 128>
func.func @few_filters(%w: tensor<4x448x1x1xf16>, %x: tensor<22x448x22x22xf16>, %e: tensor<22x4x22x22xf16>) -> tensor<22x4x22x22xf16> {
  %0 = sinter.contract (n = 22, o = 4) by (y = 22, x = 22)
      product (c = 448, r = 1, s = 1) (%w[o, c, r, s] : tensor<4x448x1x1xf16>, %x[n, c, y + r, x + s] : tensor<22x448x22x22xf16>) : f32
      outs(%e[n, o, y, x] : tensor<22x4x22x22xf16>) {
  ^row(%acc: tensor<484xf32>):
    %y = arith.truncf %acc : tensor<484xf32> to tensor<484xf16>
    sinter.yield %y : tensor<484xf16>
  }
  return %0 : tensor<22x4x22x22xf16>
}

// -----

// Two waves of narrow tiles with functions: of sums of more than a few slots wider ones are taken, in one.

// CHECK-LABEL: func @waves_of_functions
//       CHECK:   m = 64, n = 64,
// CHECK-LABEL: func @waves_of_short_sums
//       CHECK:   m = 64, n = 32,
func.func @waves_of_functions(%x: tensor<33x464xbf16>, %w: tensor<6034x464xbf16>, %e: tensor<33x6034xbf16>) -> tensor<33x6034xbf16> {
  %0 = sinter.contract (i = 33) by (j = 6034) product (k = 464) (%x[i, k] : tensor<33x464xbf16>, %w[j, k] : tensor<6034x464xbf16>) : f32
      outs(%e[i, j] : tensor<33x6034xbf16>) {
  ^row(%acc: tensor<6034xf32>):
    %s = arith.constant dense<0.70710678> : tensor<6034xf32>
    %q = arith.mulf %acc, %s : tensor<6034xf32>
    %f = math.erf %q : tensor<6034xf32>
    %o = arith.constant dense<1.0> : tensor<6034xf32>
    %g = arith.addf %f, %o : tensor<6034xf32>
    %h = arith.constant dense<0.5> : tensor<6034xf32>
    %v = arith.mulf %acc, %h : tensor<6034xf32>
    %u = arith.mulf %v, %g : tensor<6034xf32>
    %y = arith.truncf %u : tensor<6034xf32> to tensor<6034xbf16>
    sinter.yield %y : tensor<6034xbf16>
  }
  return %0 : tensor<33x6034xbf16>
}
func.func @waves_of_short_sums(%x: tensor<33x128xbf16>, %w: tensor<6034x128xbf16>, %e: tensor<33x6034xbf16>) -> tensor<33x6034xbf16> {
  %0 = sinter.contract (i = 33) by (j = 6034) product (k = 128) (%x[i, k] : tensor<33x128xbf16>, %w[j, k] : tensor<6034x128xbf16>) : f32
      outs(%e[i, j] : tensor<33x6034xbf16>) {
  ^row(%acc: tensor<6034xf32>):
    %s = arith.constant dense<0.70710678> : tensor<6034xf32>
    %q = arith.mulf %acc, %s : tensor<6034xf32>
    %f = math.erf %q : tensor<6034xf32>
    %o = arith.constant dense<1.0> : tensor<6034xf32>
    %g = arith.addf %f, %o : tensor<6034xf32>
    %h = arith.constant dense<0.5> : tensor<6034xf32>
    %v = arith.mulf %acc, %h : tensor<6034xf32>
    %u = arith.mulf %v, %g : tensor<6034xf32>
    %y = arith.truncf %u : tensor<6034xf32> to tensor<6034xbf16>
    sinter.yield %y : tensor<6034xbf16>
  }
  return %0 : tensor<33x6034xbf16>
}

// -----

// Pairs of 128 by 128 wait for the second cache where all multiprocessors have one: two waves of twice as many columns
// are taken for four, but not four waves of half as many more for five.

// CHECK-LABEL: func @crowded
//       CHECK:   cluster = 2, {{.*}} m = 128, n = 256,
// CHECK-LABEL: func @less_crowded
//       CHECK:   cluster = 2, {{.*}} m = 128, n = 128,
func.func @crowded(%x: tensor<2880x4488xbf16>, %w: tensor<2366x4488xbf16>, %e: tensor<2880x2366xbf16>) -> tensor<2880x2366xbf16> {
  %0 = sinter.contract (i = 2880) by (j = 2366) product (k = 4488) (%x[i, k] : tensor<2880x4488xbf16>, %w[j, k] : tensor<2366x4488xbf16>) : f32
      outs(%e[i, j] : tensor<2880x2366xbf16>) {
  ^row(%acc: tensor<2366xf32>):
    %y = arith.truncf %acc : tensor<2366xf32> to tensor<2366xbf16>
    sinter.yield %y : tensor<2366xbf16>
  }
  return %0 : tensor<2880x2366xbf16>
}
func.func @less_crowded(%x: tensor<5000x2048xbf16>, %w: tensor<2000x2048xbf16>, %e: tensor<5000x2000xbf16>) -> tensor<5000x2000xbf16> {
  %0 = sinter.contract (i = 5000) by (j = 2000) product (k = 2048) (%x[i, k] : tensor<5000x2048xbf16>, %w[j, k] : tensor<2000x2048xbf16>) : f32
      outs(%e[i, j] : tensor<5000x2000xbf16>) {
  ^row(%acc: tensor<2000xf32>):
    %y = arith.truncf %acc : tensor<2000xf32> to tensor<2000xbf16>
    sinter.yield %y : tensor<2000xbf16>
  }
  return %0 : tensor<5000x2000xbf16>
}

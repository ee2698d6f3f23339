// RUN: sinter-opt --sinter-schedule=features=avx2,fma,avx512f --split-input-file %s | FileCheck %s
// RUN: sinter-opt --sinter-schedule=features=avx2,fma,avx512f,avx512bf16,amx-bf16 --split-input-file %s \
// RUN: | FileCheck %s --check-prefix=TILES
// RUN: sinter-opt --sinter-schedule=target=gpu --split-input-file %s | FileCheck %s --check-prefix=GPU

// A form of several products has one schedule for all: a line of the table that each product can have, blocks as wide
// as the widest row. Rows of the first group are multiplied again 256 columns at a time where that is enough.

// CHECK-LABEL: func.func @mlp
//       CHECK:   schedule(#sinter.brgemm<k = 256, kernel = "libxsmm", lanes = 16, m = 256, n = 64, stream = 256,
//  CHECK-SAME:   tasks = 64, unroll = 1>)
//   GPU-LABEL: func.func @mlp
//     GPU-NOT:   schedule
//   GPU-LABEL: func.func @no_rows
//         GPU:   schedule(#sinter.mma<{{.*}}kernel = "fma", m = 8,
//   GPU-LABEL: func.func @tiles
//         GPU:   schedule(#sinter.mma<{{.*}}kernel = "wgmma", m = 64, n = 128,
//   GPU-LABEL: func.func @not_whole
//     GPU-NOT:   schedule
func.func @mlp(%x: tensor<4096x100xf32>, %w: tensor<4096x100xf32>, %v: tensor<10x4096xf32>, %e: tensor<4096x10xf32>) -> tensor<4096x10xf32> {
  %0 = sinter.contract (i = 4096) by (j = 4096) by (o = 10)
      product (k = 100) (%x[i, k] : tensor<4096x100xf32>, %w[j, k] : tensor<4096x100xf32>) : f32
      matrix (j) to (o) (%v[o, j] : tensor<10x4096xf32>)
      outs(%e[i, o] : tensor<4096x10xf32>) {
  ^row(%a: tensor<4096xf32>, %m: tensor<4096x10xf32>):
    %h = math.tanh %a : tensor<4096xf32>
    %o = sinter.row_product %h, %m : tensor<4096xf32>, tensor<4096x10xf32> -> tensor<10xf32>
    sinter.yield %o : tensor<10xf32>
  }
  return %0 : tensor<4096x10xf32>
}

// -----

// Where rows are needed whole, a block has as many as stay in a cache with all that they become: 8192 floats here.

// CHECK-LABEL: func.func @norm
//       CHECK:   schedule(#sinter.brgemm<k = 256, kernel = "libxsmm", lanes = 16, m = 64, n = 64, tasks = 64, unroll = 4>)
func.func @norm(%x: tensor<4096x100xf32>, %w: tensor<4096x100xf32>, %v: tensor<10x4096xf32>, %e: tensor<4096x10xf32>) -> tensor<4096x10xf32> {
  %0 = sinter.contract (i = 4096) by (j = 4096) by (o = 10)
      product (k = 100) (%x[i, k] : tensor<4096x100xf32>, %w[j, k] : tensor<4096x100xf32>) : f32
      matrix (j) to (o) (%v[o, j] : tensor<10x4096xf32>)
      outs(%e[i, o] : tensor<4096x10xf32>) {
  ^row(%a: tensor<4096xf32>, %m: tensor<4096x10xf32>):
    %s = sinter.row_reduce add %a : tensor<4096xf32> -> f32
    %b = sinter.broadcast %s : f32 -> tensor<4096xf32>
    %h = arith.subf %a, %b : tensor<4096xf32>
    %o = sinter.row_product %h, %m : tensor<4096xf32>, tensor<4096x10xf32> -> tensor<10xf32>
    sinter.yield %o : tensor<10xf32>
  }
  return %0 : tensor<4096x10xf32>
}

// -----

// Rows from memory that are multiplied are a product's schedule too. Whole numbers and floats share a line, and do not
// take a row in one type.

// CHECK-LABEL: func.func @rows
//       CHECK:   sinter.rowwise
//       CHECK:   schedule(#sinter.brgemm<k = 9, kernel = "any512", lanes = 8, m = 7, n = 12, tasks = 1, unroll = 1>)
func.func @rows(%x: tensor<7x9xf32>, %w: tensor<9x12xf32>, %v: tensor<9x12xi16>, %e: tensor<7x12xf32>, %f: tensor<7x12xi32>) -> (tensor<7x12xf32>, tensor<7x12xi32>) {
  %0:2 = sinter.rowwise (i = 7) by (j = 9) by (o = 12)
      matrix (j) to (o) (%w[j, o] : tensor<9x12xf32>)
      matrix (j) to (o) (%v[j, o] : tensor<9x12xi16>)
      ins(%x[i, j] : tensor<7x9xf32>)
      outs(%e[i, o] : tensor<7x12xf32>, %f[i, o] : tensor<7x12xi32>) {
  ^row(%m: tensor<9x12xf32>, %n: tensor<9x12xi16>, %a: tensor<9xf32>):
    %o = sinter.row_product %a, %m : tensor<9xf32>, tensor<9x12xf32> -> tensor<12xf32>
    %t = arith.fptosi %a : tensor<9xf32> to tensor<9xi16>
    %p = sinter.row_product %t, %n : tensor<9xi16>, tensor<9x12xi16> -> tensor<12xi32>
    sinter.yield %o, %p : tensor<12xf32>, tensor<12xi32>
  }
  return %0#0, %0#1 : tensor<7x12xf32>, tensor<7x12xi32>
}

// -----

// Weights of each row's own: a CPU has no kernel for them, and the form no schedule.

// CHECK-LABEL: func.func @not_yet
//   CHECK-NOT:   schedule
func.func @not_yet(%x: tensor<7x9xf32>, %w: tensor<7x9x12xf32>, %e: tensor<7x12xf32>) -> tensor<7x12xf32> {
  %0 = sinter.rowwise (i = 7) by (j = 9) by (o = 12)
      matrix (j) to (o) (%w[i, j, o] : tensor<7x9x12xf32>)
      ins(%x[i, j] : tensor<7x9xf32>)
      outs(%e[i, o] : tensor<7x12xf32>) {
  ^row(%m: tensor<9x12xf32>, %a: tensor<9xf32>):
    %o = sinter.row_product %a, %m : tensor<9xf32>, tensor<9x12xf32> -> tensor<12xf32>
    sinter.yield %o : tensor<12xf32>
  }
  return %0 : tensor<7x12xf32>
}

// -----

// No rows at all have blocks all the same.

// CHECK-LABEL: func.func @no_rows
//       CHECK:   schedule(#sinter.brgemm<k = 8, kernel = "libxsmm", lanes = 8, m = 1, n = 8, stream = 8, tasks = 1,
func.func @no_rows(%x: tensor<0x4xf32>, %w: tensor<8x4xf32>, %v: tensor<8x5xf32>, %e: tensor<0x5xf32>) -> tensor<0x5xf32> {
  %0 = sinter.contract (i = 0) by (j = 8) by (o = 5)
      product (k = 4) (%x[i, k] : tensor<0x4xf32>, %w[j, k] : tensor<8x4xf32>) : f32
      matrix (j) to (o) (%v[j, o] : tensor<8x5xf32>)
      outs(%e[i, o] : tensor<0x5xf32>) {
  ^row(%a: tensor<8xf32>, %m: tensor<8x5xf32>):
    %h = math.tanh %a : tensor<8xf32>
    %o = sinter.row_product %h, %m : tensor<8xf32>, tensor<8x5xf32> -> tensor<5xf32>
    sinter.yield %o : tensor<5xf32>
  }
  return %0 : tensor<0x5xf32>
}

// -----

// Tiles multiply so fast that a matrix is packed for more rows, and scores of some rows stay in the first cache.

// TILES-LABEL: func.func @tiles
//       TILES:   schedule(#sinter.brgemm<k = 256, kernel = "amx", lanes = 16, m = 512, n = 256, stream = 256, strip = 32,
func.func @tiles(%x: tensor<4096x128xbf16>, %w: tensor<4096x128xbf16>, %v: tensor<4096x64xbf16>, %e: tensor<4096x64xf32>) -> tensor<4096x64xf32> {
  %0 = sinter.contract (i = 4096) by (j = 4096) by (o = 64)
      product (k = 128) (%x[i, k] : tensor<4096x128xbf16>, %w[j, k] : tensor<4096x128xbf16>) : f32
      matrix (j) to (o) (%v[j, o] : tensor<4096x64xbf16>)
      outs(%e[i, o] : tensor<4096x64xf32>) {
  ^row(%a: tensor<4096xf32>, %m: tensor<4096x64xbf16>):
    %h = math.tanh %a : tensor<4096xf32>
    %t = arith.truncf %h : tensor<4096xf32> to tensor<4096xbf16>
    %o = sinter.row_product %t, %m : tensor<4096xbf16>, tensor<4096x64xbf16> -> tensor<64xf32>
    sinter.yield %o : tensor<64xf32>
  }
  return %0 : tensor<4096x64xf32>
}

// -----

// Weights that are the same for each x: a product's side would not say all that is summed.

// CHECK-LABEL: func.func @not_whole
//   CHECK-NOT:   schedule
func.func @not_whole(%x: tensor<7x9x2xf32>, %w: tensor<9x12xf32>, %e: tensor<7x12xf32>) -> tensor<7x12xf32> {
  %0 = sinter.rowwise (i = 7) by (j = 9, x = 2) by (o = 12)
      matrix (j, x) to (o) (%w[j, o] : tensor<9x12xf32>)
      ins(%x[i, j, x] : tensor<7x9x2xf32>)
      outs(%e[i, o] : tensor<7x12xf32>) {
  ^row(%m: tensor<18x12xf32>, %a: tensor<18xf32>):
    %o = sinter.row_product %a, %m : tensor<18xf32>, tensor<18x12xf32> -> tensor<12xf32>
    sinter.yield %o : tensor<12xf32>
  }
  return %0 : tensor<7x12xf32>
}

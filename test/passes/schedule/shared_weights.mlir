// RUN: sinter-opt --sinter-schedule='target=cpu features=avx2,fma,avx512f,avx512bw,avx512bf16' --split-input-file %s | FileCheck %s
// RUN: sinter-opt --sinter-schedule='target=cpu features=avx2,fma,avx512f,avx512bw,avx512bf16,amx-bf16,amx-int8' --split-input-file %s | FileCheck %s --check-prefix=TILES

// Twelve blocks of pixels would each copy the weights of a convolution: they are copied once.

// CHECK-LABEL: func @convolution
//       CHECK: schedule(#sinter.brgemm<k = 256, kernel = "dot512", lanes = 16, m = 127, n = 25, tasks = 64, unroll = 1, weights = "shared">)
func.func @convolution(%x: tensor<1x39x39x192xbf16>, %w: tensor<25x3x3x192xbf16>) -> tensor<1x39x39x25xf32> {
  %e = tensor.empty() : tensor<1x39x39x25xf32>
  %y = sinter.contract (n = 1, y = 39, x = 39) by (o = 25)
      product (r = 3, s = 3, c = 192) (%x[n, y + r - 1, x + s - 1, c] : tensor<1x39x39x192xbf16> else 0.0,
                                       %w[o, r, s, c] : tensor<25x3x3x192xbf16>) : f32
      outs(%e[n, y, x, o] : tensor<1x39x39x25xf32>) {
  ^row(%a: tensor<25xf32>):
    sinter.yield %a : tensor<25xf32>
  }
  return %y : tensor<1x39x39x25xf32>
}

// -----

// Not for two blocks, nor where the copy leaves the second cache: it would be written and read again by way of memory.

// CHECK-LABEL: func @two_blocks
//   CHECK-NOT: weights =
func.func @two_blocks(%x: tensor<512x1024xbf16>, %w: tensor<256x1024xbf16>) -> tensor<512x256xf32> {
  %e = tensor.empty() : tensor<512x256xf32>
  %y = sinter.contract (i = 512) by (j = 256) product (k = 1024) (%x[i, k] : tensor<512x1024xbf16>, %w[j, k] : tensor<256x1024xbf16>) : f32
      outs(%e[i, j] : tensor<512x256xf32>) {
  ^row(%a: tensor<256xf32>):
    sinter.yield %a : tensor<256xf32>
  }
  return %y : tensor<512x256xf32>
}

// -----

// CHECK-LABEL: func @large
//   CHECK-NOT: weights =
func.func @large(%x: tensor<1024x1024xbf16>, %w: tensor<1024x1024xbf16>) -> tensor<1024x1024xf32> {
  %e = tensor.empty() : tensor<1024x1024xf32>
  %y = sinter.contract (i = 1024) by (j = 1024) product (k = 1024) (%x[i, k] : tensor<1024x1024xbf16>, %w[j, k] : tensor<1024x1024xbf16>) : f32
      outs(%e[i, j] : tensor<1024x1024xf32>) {
  ^row(%a: tensor<1024xf32>):
    sinter.yield %a : tensor<1024xf32>
  }
  return %y : tensor<1024x1024xf32>
}

// -----

// Weights that are read where they lie are not copied.

// CHECK-LABEL: func @in_place
//   CHECK-NOT: weights =
func.func @in_place(%x: tensor<1024x512xf32>, %w: tensor<512x128xf32>) -> tensor<1024x128xf32> {
  %e = tensor.empty() : tensor<1024x128xf32>
  %y = sinter.contract (i = 1024) by (j = 128) product (k = 512) (%x[i, k] : tensor<1024x512xf32>, %w[k, j] : tensor<512x128xf32>) : f32
      outs(%e[i, j] : tensor<1024x128xf32>) {
  ^row(%a: tensor<128xf32>):
    sinter.yield %a : tensor<128xf32>
  }
  return %y : tensor<1024x128xf32>
}

// -----

// Rows [k, i] are copied by each task that has columns of them: a task has 128, not 64.

// CHECK-LABEL: func @copied_rows
//   CHECK-NOT: columns
//       CHECK: schedule(#sinter.brgemm<k = 256, kernel = "dot512", lanes = 16, m = 244, n = 64, tasks = 64
func.func @copied_rows(%x: tensor<2160x976xbf16>, %w: tensor<104x2160xbf16>) -> tensor<976x104xf32> {
  %e = tensor.empty() : tensor<976x104xf32>
  %y = sinter.contract (i = 976) by (j = 104) product (k = 2160) (%x[k, i] : tensor<2160x976xbf16>, %w[j, k] : tensor<104x2160xbf16>) : f32
      outs(%e[i, j] : tensor<976x104xf32>) {
  ^row(%a: tensor<104xf32>):
    sinter.yield %a : tensor<104xf32>
  }
  return %y : tensor<976x104xf32>
}

// -----

// Few rows by weights [j, k]: to sum up vectors takes as long for 2 elements as for 16, and there are no vectors of 2.

// CHECK-LABEL: func @short_sum
//       CHECK: kernel = "libxsmm"
func.func @short_sum(%x: tensor<16x2xf32>, %w: tensor<768x2xf32>) -> tensor<16x768xf32> {
  %e = tensor.empty() : tensor<16x768xf32>
  %y = sinter.contract (i = 16) by (j = 768) product (k = 2) (%x[i, k] : tensor<16x2xf32>, %w[j, k] : tensor<768x2xf32>) : f32
      outs(%e[i, j] : tensor<16x768xf32>) {
  ^row(%a: tensor<768xf32>):
    sinter.yield %a : tensor<768xf32>
  }
  return %y : tensor<16x768xf32>
}

// -----

// CHECK-LABEL: func @long_sum
//       CHECK: kernel = "inner512"
func.func @long_sum(%x: tensor<16x128xf32>, %w: tensor<768x128xf32>) -> tensor<16x768xf32> {
  %e = tensor.empty() : tensor<16x768xf32>
  %y = sinter.contract (i = 16) by (j = 768) product (k = 128) (%x[i, k] : tensor<16x128xf32>, %w[j, k] : tensor<768x128xf32>) : f32
      outs(%e[i, j] : tensor<16x768xf32>) {
  ^row(%a: tensor<768xf32>):
    sinter.yield %a : tensor<768xf32>
  }
  return %y : tensor<16x768xf32>
}

// -----

// Sums of three products each are stored almost as often as they are added to: a block's stay in the first cache.

// CHECK-LABEL: func @few_summed
//       CHECK: kernel = "libxsmm", {{.*}}m = 94, n = 64
func.func @few_summed(%x: tensor<1024x3xf32>, %w: tensor<970x3xf32>) -> tensor<1024x970xf32> {
  %e = tensor.empty() : tensor<1024x970xf32>
  %y = sinter.contract (i = 1024) by (j = 970) product (k = 3) (%x[i, k] : tensor<1024x3xf32>, %w[j, k] : tensor<970x3xf32>) : f32
      outs(%e[i, j] : tensor<1024x970xf32>) {
  ^row(%a: tensor<970xf32>):
    sinter.yield %a : tensor<970xf32>
  }
  return %y : tensor<1024x970xf32>
}

// -----

// Tiles read a block's rows once, for all columns, where a line of k is long; a short one takes no longer than to go
// through its sums, which stay in the first cache. Few columns have more rows. A line of up to 512 bf16 is one panel.

// TILES-LABEL: func @long_line
//       TILES: #sinter.brgemm<k = 512, kernel = "amx", lanes = 16, m = 32, n = 304, tasks = 64, unroll = 1, weights = "shared">
func.func @long_line(%x: tensor<704x512xbf16>, %w: tensor<304x512xbf16>) -> tensor<704x304xf32> {
  %e = tensor.empty() : tensor<704x304xf32>
  %y = sinter.contract (i = 704) by (j = 304) product (k = 512) (%x[i, k] : tensor<704x512xbf16>, %w[j, k] : tensor<304x512xbf16>) : f32
      outs(%e[i, j] : tensor<704x304xf32>) {
  ^row(%a: tensor<304xf32>):
    sinter.yield %a : tensor<304xf32>
  }
  return %y : tensor<704x304xf32>
}

// -----

// TILES-LABEL: func @short_line
//       TILES: #sinter.brgemm<k = 64, kernel = "amx", lanes = 16, m = 32, n = 208, {{.*}}weights = "shared">
func.func @short_line(%x: tensor<704x64xbf16>, %w: tensor<64x600xbf16>) -> tensor<704x600xf32> {
  %e = tensor.empty() : tensor<704x600xf32>
  %y = sinter.contract (i = 704) by (j = 600) product (k = 64) (%x[i, k] : tensor<704x64xbf16>, %w[k, j] : tensor<64x600xbf16>) : f32
      outs(%e[i, j] : tensor<704x600xf32>) {
  ^row(%a: tensor<600xf32>):
    sinter.yield %a : tensor<600xf32>
  }
  return %y : tensor<704x600xf32>
}

// -----

// TILES-LABEL: func @few_columns
//       TILES: kernel = "amx", lanes = 16, m = 128, n = 36, {{.*}}weights = "shared"
func.func @few_columns(%x: tensor<2000x300xbf16>, %w: tensor<36x300xbf16>) -> tensor<2000x36xf32> {
  %e = tensor.empty() : tensor<2000x36xf32>
  %y = sinter.contract (i = 2000) by (j = 36) product (k = 300) (%x[i, k] : tensor<2000x300xbf16>, %w[j, k] : tensor<36x300xbf16>) : f32
      outs(%e[i, j] : tensor<2000x36xf32>) {
  ^row(%a: tensor<36xf32>):
    sinter.yield %a : tensor<36xf32>
  }
  return %y : tensor<2000x36xf32>
}

// -----

// Weights that a tile's blocks would copy to the third cache are copied block by block, for as many rows as before.

// TILES-LABEL: func @large_for_tiles
//       TILES: kernel = "amx", lanes = 16, m = 512, n = 64,
//   TILES-NOT: weights =
func.func @large_for_tiles(%x: tensor<1024x1024xbf16>, %w: tensor<1024x1024xbf16>) -> tensor<1024x1024xf32> {
  %e = tensor.empty() : tensor<1024x1024xf32>
  %y = sinter.contract (i = 1024) by (j = 1024) product (k = 1024) (%x[i, k] : tensor<1024x1024xbf16>, %w[j, k] : tensor<1024x1024xbf16>) : f32
      outs(%e[i, j] : tensor<1024x1024xf32>) {
  ^row(%a: tensor<1024xf32>):
    sinter.yield %a : tensor<1024xf32>
  }
  return %y : tensor<1024x1024xf32>
}

// -----

// 15 elements fill less than half of a tile's 32: vectors multiply as fast, in blocks whose sums stay in the first
// cache.

// TILES-LABEL: func @half_empty
//       TILES: kernel = "libxsmm", lanes = 16, m = 95, n = 64,
//       TILES: kernel = "amx"
func.func @half_empty(%x: tensor<1600x15xbf16>, %w: tensor<176x15xbf16>, %u: tensor<1600x16xbf16>, %v: tensor<176x16xbf16>)
    -> (tensor<1600x176xf32>, tensor<1600x176xf32>) {
  %e = tensor.empty() : tensor<1600x176xf32>
  %y = sinter.contract (i = 1600) by (j = 176) product (k = 15) (%x[i, k] : tensor<1600x15xbf16>, %w[j, k] : tensor<176x15xbf16>) : f32
      outs(%e[i, j] : tensor<1600x176xf32>) {
  ^row(%a: tensor<176xf32>):
    sinter.yield %a : tensor<176xf32>
  }
  %z = sinter.contract (i = 1600) by (j = 176) product (k = 16) (%u[i, k] : tensor<1600x16xbf16>, %v[j, k] : tensor<176x16xbf16>) : f32
      outs(%e[i, j] : tensor<1600x176xf32>) {
  ^row(%a: tensor<176xf32>):
    sinter.yield %a : tensor<176xf32>
  }
  return %y, %z : tensor<1600x176xf32>, tensor<1600x176xf32>
}

// RUN: sinter-opt --sinter-schedule='target=cpu features=avx2,fma,avx512f,avx512bw' --split-input-file %s | FileCheck %s

// Weights that few rows read where they lie are read by several tasks: what these take is reading.

// Four parts: 1 MB, which second caches hold.

// CHECK-LABEL: func @near
//       CHECK: schedule(#sinter.brgemm<ahead = 64, columns = 256, k = 64, kernel = "fma512", lanes = 16, m = 1, n = 256, tasks = 32,
func.func @near(%x: tensor<1x256xf32>, %w: tensor<256x1024xf32>) -> tensor<1x1024xf32> {
  %e = tensor.empty() : tensor<1x1024xf32>
  %y = sinter.contract (i = 1) by (j = 1024) product (k = 256) (%x[i, k] : tensor<1x256xf32>, %w[k, j] : tensor<256x1024xf32>) : f32
      outs(%e[i, j] : tensor<1x1024xf32>) {
  ^row(%a: tensor<1024xf32>):
    sinter.yield %a : tensor<1024xf32>
  }
  return %y : tensor<1x1024xf32>
}

// -----

// Two: a part is some microseconds.

// CHECK-LABEL: func @short
//       CHECK: schedule(#sinter.brgemm<ahead = 64, columns = 256, k = 64, kernel = "fma512", lanes = 16, m = 1, n = 256, tasks = 8,
func.func @short(%x: tensor<1x128xf32>, %w: tensor<128x512xf32>) -> tensor<1x512xf32> {
  %e = tensor.empty() : tensor<1x512xf32>
  %y = sinter.contract (i = 1) by (j = 512) product (k = 128) (%x[i, k] : tensor<1x128xf32>, %w[k, j] : tensor<128x512xf32>) : f32
      outs(%e[i, j] : tensor<1x512xf32>) {
  ^row(%a: tensor<512xf32>):
    sinter.yield %a : tensor<512xf32>
  }
  return %y : tensor<1x512xf32>
}

// -----

// One.

// CHECK-LABEL: func @shorter
//       CHECK: schedule(#sinter.brgemm<ahead = 64, k = 64, kernel = "fma512", lanes = 16, m = 1, n = 256, tasks = 4,
func.func @shorter(%x: tensor<1x128xf32>, %w: tensor<128x256xf32>) -> tensor<1x256xf32> {
  %e = tensor.empty() : tensor<1x256xf32>
  %y = sinter.contract (i = 1) by (j = 256) product (k = 128) (%x[i, k] : tensor<1x128xf32>, %w[k, j] : tensor<128x256xf32>) : f32
      outs(%e[i, j] : tensor<1x256xf32>) {
  ^row(%a: tensor<256xf32>):
    sinter.yield %a : tensor<256xf32>
  }
  return %y : tensor<1x256xf32>
}

// -----

// Of more than second caches hold 2 KB of a row at once.

// CHECK-LABEL: func @far
//       CHECK: schedule(#sinter.brgemm<ahead = 32, columns = 512, k = 32, kernel = "fma512", lanes = 16, m = 4, n = 512, tasks = 64,
func.func @far(%x: tensor<4x1024xf32>, %w: tensor<1024x1024xf32>) -> tensor<4x1024xf32> {
  %e = tensor.empty() : tensor<4x1024xf32>
  %y = sinter.contract (i = 4) by (j = 1024) product (k = 1024) (%x[i, k] : tensor<4x1024xf32>, %w[k, j] : tensor<1024x1024xf32>) : f32
      outs(%e[i, j] : tensor<4x1024xf32>) {
  ^row(%a: tensor<1024xf32>):
    sinter.yield %a : tensor<1024xf32>
  }
  return %y : tensor<4x1024xf32>
}

// -----

// Numbers of half the size are read twice as fast, and 2 MB are near.

// CHECK-LABEL: func @halves
//       CHECK: schedule(#sinter.brgemm<ahead = 64, columns = 256, k = 64, kernel = "fma512", lanes = 16, m = 4, n = 256, tasks = 64,
func.func @halves(%x: tensor<4x1024xbf16>, %w: tensor<1024x1024xbf16>) -> tensor<4x1024xf32> {
  %e = tensor.empty() : tensor<4x1024xf32>
  %y = sinter.contract (i = 4) by (j = 1024) product (k = 1024) (%x[i, k] : tensor<4x1024xbf16>, %w[k, j] : tensor<1024x1024xbf16>) : f32
      outs(%e[i, j] : tensor<4x1024xf32>) {
  ^row(%a: tensor<1024xf32>):
    sinter.yield %a : tensor<1024xf32>
  }
  return %y : tensor<4x1024xf32>
}

// -----

// As many columns as sums stay of, where that leaves two tasks.

// CHECK-LABEL: func @wide
//       CHECK: schedule(#sinter.brgemm<ahead = 8, columns = 2048, k = 8, kernel = "fma512", lanes = 16, m = 1, n = 2048, tasks = 64,
func.func @wide(%x: tensor<1x1024xf32>, %w: tensor<1024x4096xf32>) -> tensor<1x4096xf32> {
  %e = tensor.empty() : tensor<1x4096xf32>
  %y = sinter.contract (i = 1) by (j = 4096) product (k = 1024) (%x[i, k] : tensor<1x1024xf32>, %w[k, j] : tensor<1024x4096xf32>) : f32
      outs(%e[i, j] : tensor<1x4096xf32>) {
  ^row(%a: tensor<4096xf32>):
    sinter.yield %a : tensor<4096xf32>
  }
  return %y : tensor<1x4096xf32>
}

// -----

// Weights [j, k].

// CHECK-LABEL: func @columns
//       CHECK: schedule(#sinter.brgemm<columns = 64, k = 512, kernel = "inner512", lanes = 16, m = 2, n = 64, tasks = 32,
func.func @columns(%x: tensor<2x512xf32>, %w: tensor<512x512xf32>) -> tensor<2x512xf32> {
  %e = tensor.empty() : tensor<2x512xf32>
  %y = sinter.contract (i = 2) by (j = 512) product (k = 512) (%x[i, k] : tensor<2x512xf32>, %w[j, k] : tensor<512x512xf32>) : f32
      outs(%e[i, j] : tensor<2x512xf32>) {
  ^row(%a: tensor<512xf32>):
    sinter.yield %a : tensor<512xf32>
  }
  return %y : tensor<2x512xf32>
}

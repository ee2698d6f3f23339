// RUN: sinter-opt --sinter-schedule='target=cpu features=avx2,fma,avx512f,avx512bw' --split-input-file %s | FileCheck %s --check-prefixes=CHECK,VECTORS
// RUN: sinter-opt --sinter-schedule='target=cpu features=avx2,fma,avx512f,avx512bw,avx512bf16' --split-input-file %s | FileCheck %s --check-prefixes=CHECK,PAIRS
// RUN: sinter-opt --sinter-schedule='target=cpu features=avx2,fma,avx512f,avx512bw,avx512bf16,amx-bf16' --split-input-file %s | FileCheck %s --check-prefixes=CHECK,TILES

// Few results of an image whose channels are last: vectors run along what is summed, of rows that are copied. Where
// there are tiles, these take them.

// CHECK-LABEL: func @few
//     VECTORS:   kernel = "inner512", {{.*}}widen = "reading"
//       PAIRS:   kernel = "inner.dot512"
//   PAIRS-NOT:   widen
//       TILES:   kernel = "amx"
func.func @few(%x: tensor<2x40x40x21xbf16>, %w: tensor<8x3x3x21xbf16>, %e: tensor<2x40x40x8xf32>) -> tensor<2x40x40x8xf32> {
  %y = sinter.contract (n = 2, y = 40, x = 40) by (o = 8) product (r = 3, s = 3, c = 21)
      (%x[n, y + r - 1, x + s - 1, c] : tensor<2x40x40x21xbf16> else 0.0, %w[o, r, s, c] : tensor<8x3x3x21xbf16>) : f32
      outs(%e[n, y, x, o] : tensor<2x40x40x8xf32>) {
  ^row(%p: tensor<8xf32>):
    sinter.yield %p : tensor<8xf32>
  }
  return %y : tensor<2x40x40x8xf32>
}

// -----

// CHECK-LABEL: func @nine
//       CHECK:   kernel = "libxsmm"
func.func @nine(%x: tensor<2x40x40x21xf32>, %w: tensor<9x3x3x21xf32>, %e: tensor<2x40x40x9xf32>) -> tensor<2x40x40x9xf32> {
  %y = sinter.contract (n = 2, y = 40, x = 40) by (o = 9) product (r = 3, s = 3, c = 21)
      (%x[n, y + r - 1, x + s - 1, c] : tensor<2x40x40x21xf32> else 0.0, %w[o, r, s, c] : tensor<9x3x3x21xf32>) : f32
      outs(%e[n, y, x, o] : tensor<2x40x40x9xf32>) {
  ^row(%p: tensor<9xf32>):
    sinter.yield %p : tensor<9xf32>
  }
  return %y : tensor<2x40x40x9xf32>
}

// -----

// 63 summed elements: to add lanes up takes as long.

// CHECK-LABEL: func @short
//       CHECK:   kernel = "libxsmm"
func.func @short(%x: tensor<2x40x40x7xf32>, %w: tensor<2x3x3x7xf32>, %e: tensor<2x40x40x2xf32>) -> tensor<2x40x40x2xf32> {
  %y = sinter.contract (n = 2, y = 40, x = 40) by (o = 2) product (r = 3, s = 3, c = 7)
      (%x[n, y + r - 1, x + s - 1, c] : tensor<2x40x40x7xf32> else 0.0, %w[o, r, s, c] : tensor<2x3x3x7xf32>) : f32
      outs(%e[n, y, x, o] : tensor<2x40x40x2xf32>) {
  ^row(%p: tensor<2xf32>):
    sinter.yield %p : tensor<2xf32>
  }
  return %y : tensor<2x40x40x2xf32>
}

// -----

// Weights that are converted are not pairs of bf16 as they lie.

// CHECK-LABEL: func @converted
//     VECTORS:   kernel = "inner512"
//       PAIRS:   kernel = "inner512"
func.func @converted(%x: tensor<2x512xbf16>, %w: tensor<300x512xi8>, %e: tensor<2x300xf32>) -> tensor<2x300xf32> {
  %y = sinter.contract (i = 2) by (j = 300)
      product (k = 512) (%x[i, k] : tensor<2x512xbf16>, side(%w[j, k] : tensor<300x512xi8>) {
      ^side(%q: tensor<512xi8>):
        %f = arith.sitofp %q : tensor<512xi8> to tensor<512xbf16>
        sinter.yield %f : tensor<512xbf16>
      }) : f32 outs(%e[i, j] : tensor<2x300xf32>) {
  ^row(%a: tensor<300xf32>):
    sinter.yield %a : tensor<300xf32>
  }
  return %y : tensor<2x300xf32>
}

// -----

// A window of 70,000 taps is more than a block of k, which holds windows whole.

// CHECK-LABEL: func @long_window
//       CHECK:   #sinter.brgemm<
//   CHECK-NOT:   pack = "windows"
//       CHECK:   sinter.yield
func.func @long_window(%x: tensor<70100xf32>, %w: tensor<4x70000xf32>, %e: tensor<101x4xf32>) -> tensor<101x4xf32> {
  %y = sinter.contract (i = 101) by (j = 4)
      product (k = 70000) (%x[i + k] : tensor<70100xf32>, %w[j, k] : tensor<4x70000xf32>) : f32
      outs(%e[i, j] : tensor<101x4xf32>) {
  ^row(%a: tensor<4xf32>):
    sinter.yield %a : tensor<4xf32>
  }
  return %y : tensor<101x4xf32>
}

// -----

// Rows that are computed are written to be read once: a block's stay in the second cache. Rows that are read where they
// lie are not.

// CHECK-LABEL: func @computed
//       CHECK:   kernel = "inner512"{{.*}} m = 58,
func.func @computed(%x: tensor<2723x2200xf16>, %g: tensor<2200xf16>, %w: tensor<1x2200xf16>, %e: tensor<2723x1xf32>) -> tensor<2723x1xf32> {
  %y = sinter.contract (i = 2723) by (j = 1)
      product (k = 2200) (side(%x[i, k] : tensor<2723x2200xf16>, %g[k] : tensor<2200xf16>) {
  ^side(%a: tensor<2200xf16>, %b: tensor<2200xf16>):
    %c = arith.mulf %a, %b : tensor<2200xf16>
    sinter.yield %c : tensor<2200xf16>
  }, %w[j, k] : tensor<1x2200xf16>) : f32
      outs(%e[i, j] : tensor<2723x1xf32>) {
  ^row(%p: tensor<1xf32>):
    sinter.yield %p : tensor<1xf32>
  }
  return %y : tensor<2723x1xf32>
}

// CHECK-LABEL: func @read
//       CHECK:   kernel = "inner512"{{.*}} m = 248,
func.func @read(%x: tensor<2723x2200xf16>, %w: tensor<1x2200xf16>, %e: tensor<2723x1xf32>) -> tensor<2723x1xf32> {
  %y = sinter.contract (i = 2723) by (j = 1)
      product (k = 2200) (%x[i, k] : tensor<2723x2200xf16>, %w[j, k] : tensor<1x2200xf16>) : f32
      outs(%e[i, j] : tensor<2723x1xf32>) {
  ^row(%p: tensor<1xf32>):
    sinter.yield %p : tensor<1xf32>
  }
  return %y : tensor<2723x1xf32>
}

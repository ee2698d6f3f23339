// RUN: sinter-opt --sinter-padded-windows='least-work=0 features=avx2,fma,avx512f,avx512bw,avx512bf16' --split-input-file %s | FileCheck %s
// RUN: sinter-opt --sinter-padded-windows='least-work=0 features=avx2,fma,avx512f,avx512bw,avx512bf16' --sinter-schedule='features=avx2,fma,avx512f,avx512bw,avx512bf16' --split-input-file %s | FileCheck %s --check-prefix=SCHEDULE
// RUN: sinter-opt --sinter-padded-windows='features=avx2,fma,avx512f,avx512bw,avx512bf16' --split-input-file %s | FileCheck %s --check-prefix=WORTH
// RUN: sinter-opt --sinter-padded-windows='least-work=0 features=avx2,fma' --sinter-schedule='features=avx2,fma' --split-input-file %s | FileCheck %s --check-prefix=NARROW
// RUN: sinter-opt --sinter-padded-windows='least-work=0 features=avx2,fma,avx512f,avx512bw,avx512bf16,amx-bf16' --sinter-schedule='features=avx2,fma,avx512f,avx512bw,avx512bf16,amx-bf16' --split-input-file %s | FileCheck %s --check-prefix=TILES

// An image under 5 x 5 windows is written once with two zeros around it: lines and channels as one, of which 2 * 21
// elements come in front. Windows are runs of 5 * 21 neighbours.

// CHECK-LABEL: func @padded
//       CHECK:   %[[FLAT:.+]] = tensor.collapse_shape %arg0 {{\[}}[0], [1], [2, 3]] : tensor<4x18x18x21xbf16> into tensor<4x18x378xbf16>
//       CHECK:   %[[ROWS:.+]] = sinter.rowwise (d0 = 4, d1 = 22) by (d2 = 462)
//  CHECK-NEXT:       ins(%[[FLAT]][d0, d1 - 2, d2 - 42] : tensor<4x18x378xbf16> else 0.000000e+00)
//       CHECK:   %[[IMAGE:.+]] = tensor.expand_shape %[[ROWS]] {{\[}}[0], [1], [2, 3]] output_shape [4, 22, 22, 21]
//       CHECK:   product (r = 5, s = 5, c = 21) (%[[IMAGE]][n, y + r, x + s, c] : tensor<4x22x22x21xbf16>, %arg1[o, r, s, c] :
// SCHEDULE-LABEL: func @padded
//       SCHEDULE: #sinter.brgemm<k = 525, kernel = "inner.dot512", {{.*}}n = 9, pack = "windows",
func.func @padded(%x: tensor<4x18x18x21xbf16>, %w: tensor<9x5x5x21xbf16>) -> tensor<4x18x18x9xf32> {
  %e = tensor.empty() : tensor<4x18x18x9xf32>
  %y = sinter.contract (n = 4, y = 18, x = 18) by (o = 9)
      product (r = 5, s = 5, c = 21) (%x[n, y + r - 2, x + s - 2, c] : tensor<4x18x18x21xbf16> else 0.0, %w[o, r, s, c] : tensor<9x5x5x21xbf16>) : f32
      outs(%e[n, y, x, o] : tensor<4x18x18x9xf32>) {
  ^row(%a: tensor<9xf32>):
    sinter.yield %a : tensor<9xf32>
  }
  return %y : tensor<4x18x18x9xf32>
}

// -----

// Strides, dilation and two sides of a window that do not reach as far: what is written ends where windows do. For so
// little work a kernel more is not worth it.

// WORTH-LABEL: func @strided
//   WORTH-NOT:   sinter.rowwise
// WORTH-LABEL: func @wide

// CHECK-LABEL: func @strided
//       CHECK:   sinter.rowwise (d0 = 2, d1 = 23) by (d2 = 184)
//  CHECK-NEXT:       ins(%{{.+}}[d0, d1 - 3, d2 - 24] :
//       CHECK:   (%{{.+}}[n, y * 2 + r * 2, x * 2 + s * 2, c] : tensor<2x23x23x8xbf16>,
func.func @strided(%x: tensor<2x20x20x8xbf16>, %w: tensor<24x3x3x8xbf16>) -> tensor<2x10x10x24xf32> {
  %e = tensor.empty() : tensor<2x10x10x24xf32>
  %y = sinter.contract (n = 2, y = 10, x = 10) by (o = 24)
      product (r = 3, s = 3, c = 8) (%x[n, y * 2 + r * 2 - 3, x * 2 + s * 2 - 3, c] : tensor<2x20x20x8xbf16> else 0.0, %w[o, r, s, c] : tensor<24x3x3x8xbf16>) : f32
      outs(%e[n, y, x, o] : tensor<2x10x10x24xf32>) {
  ^row(%a: tensor<24xf32>):
    sinter.yield %a : tensor<24xf32>
  }
  return %y : tensor<2x10x10x24xf32>
}

// -----

// 64 columns are vectors of their own: groups of windows are broadcast, and blocks of k are whole runs. Tiles have rows
// copied, of an image that has its edges, too: nothing is compared with them for each tap.

// CHECK-LABEL: func @wide
//       CHECK:   sinter.rowwise
// TILES-LABEL: func @wide
//       TILES:   sinter.rowwise (d0 = 4, d1 = 20) by (d2 = 1280)
//       TILES:   (%{{.+}}[n, y + r, x + s, c] : tensor<4x20x20x64xbf16>, %arg1
//       TILES:   kernel = "amx"
//   TILES-NOT:   windows
// SCHEDULE-LABEL: func @wide
//       SCHEDULE: #sinter.brgemm<k = 192, kernel = "dot512", {{.*}}n = 64, pack = "windows",
func.func @wide(%x: tensor<4x18x18x64xbf16>, %w: tensor<64x3x3x64xbf16>) -> tensor<4x18x18x64xf32> {
  %e = tensor.empty() : tensor<4x18x18x64xf32>
  %y = sinter.contract (n = 4, y = 18, x = 18) by (o = 64)
      product (r = 3, s = 3, c = 64) (%x[n, y + r - 1, x + s - 1, c] : tensor<4x18x18x64xbf16> else 0.0, %w[o, r, s, c] : tensor<64x3x3x64xbf16>) : f32
      outs(%e[n, y, x, o] : tensor<4x18x18x64xf32>) {
  ^row(%a: tensor<64xf32>):
    sinter.yield %a : tensor<64xf32>
  }
  return %y : tensor<4x18x18x64xf32>
}

// -----

// Not read often enough: each element once or twice.

// TILES-LABEL: func @read_once
//   TILES-NOT:   sinter.rowwise
// CHECK-LABEL: func @read_once
//   CHECK-NOT:   sinter.rowwise
func.func @read_once(%x: tensor<4x18x18x64xbf16>, %w: tensor<8x64xbf16>) -> tensor<4x20x20x8xf32> {
  %e = tensor.empty() : tensor<4x20x20x8xf32>
  %y = sinter.contract (n = 4, y = 20, x = 20) by (o = 8)
      product (c = 64) (%x[n, y - 1, x - 1, c] : tensor<4x18x18x64xbf16> else 0.0, %w[o, c] : tensor<8x64xbf16>) : f32
      outs(%e[n, y, x, o] : tensor<4x20x20x8xf32>) {
  ^row(%a: tensor<8xf32>):
    sinter.yield %a : tensor<8xf32>
  }
  return %y : tensor<4x20x20x8xf32>
}

// -----

// Channels that are first are columns of a line; runs of one channel are short.

// TILES-LABEL: func @channels_first
// CHECK-LABEL: func @channels_first
//   CHECK-NOT:   sinter.rowwise
func.func @channels_first(%x: tensor<4x21x18x18xbf16>, %w: tensor<9x21x3x3xbf16>) -> tensor<4x18x18x9xf32> {
  %e = tensor.empty() : tensor<4x18x18x9xf32>
  %y = sinter.contract (n = 4, y = 18, x = 18) by (o = 9)
      product (c = 21, r = 3, s = 3) (%x[n, c, y + r - 1, x + s - 1] : tensor<4x21x18x18xbf16> else 0.0, %w[o, c, r, s] : tensor<9x21x3x3xbf16>) : f32
      outs(%e[n, y, x, o] : tensor<4x18x18x9xf32>) {
  ^row(%a: tensor<9xf32>):
    sinter.yield %a : tensor<9xf32>
  }
  return %y : tensor<4x18x18x9xf32>
}

// -----

// One filter takes few multiplications, and as long to copy windows as many would: its image is written once, too.

// WORTH-LABEL: func @one_filter
//       WORTH:   sinter.rowwise (d0 = 1, d1 = 106) by (d2 = 318)
// CHECK-LABEL: func @one_filter
// SCHEDULE-LABEL: func @one_filter
//       SCHEDULE: kernel = "inner.dot512", {{.*}}pack = "windows",
func.func @one_filter(%x: tensor<1x104x104x3xbf16>, %w: tensor<1x3x3x3xbf16>) -> tensor<1x104x104x1xf32> {
  %e = tensor.empty() : tensor<1x104x104x1xf32>
  %y = sinter.contract (n = 1, y = 104, x = 104) by (o = 1)
      product (r = 3, s = 3, c = 3) (%x[n, y + r - 1, x + s - 1, c] : tensor<1x104x104x3xbf16> else 0.0, %w[o, r, s, c] : tensor<1x3x3x3xbf16>) : f32
      outs(%e[n, y, x, o] : tensor<1x104x104x1xf32>) {
  ^row(%a: tensor<1xf32>):
    sinter.yield %a : tensor<1xf32>
  }
  return %y : tensor<1x104x104x1xf32>
}

// -----

// Windows of f32 are read where they lie by wide vectors; with narrow ones a library's kernel has them copied.

// CHECK-LABEL: func @floats
//       CHECK:   sinter.rowwise (d0 = 1, d1 = 49) by (d2 = 784)
// SCHEDULE-LABEL: func @floats
//       SCHEDULE: #sinter.brgemm<k = 256, kernel = "fma512", {{.*}}n = 48, pack = "windows",
// NARROW-LABEL: func @floats
//   NARROW-NOT:   sinter.rowwise
//       NARROW:   kernel = "libxsmm"
//   NARROW-NOT:   windows
func.func @floats(%x: tensor<1x37x37x16xf32>, %w: tensor<48x7x7x16xf32>) -> tensor<1x19x19x48xf32> {
  %e = tensor.empty() : tensor<1x19x19x48xf32>
  %y = sinter.contract (n = 1, y = 19, x = 19) by (o = 48)
      product (r = 7, s = 7, c = 16) (%x[n, y * 2 + r * 2 - 6, x * 2 + s * 2 - 6, c] : tensor<1x37x37x16xf32> else 0.0, %w[o, r, s, c] : tensor<48x7x7x16xf32>) : f32
      outs(%e[n, y, x, o] : tensor<1x19x19x48xf32>) {
  ^row(%a: tensor<48xf32>):
    sinter.yield %a : tensor<48xf32>
  }
  return %y : tensor<1x19x19x48xf32>
}

// RUN: sinter-opt --sinter-channels-last='features=avx2,fma,avx512f,avx512bw,avx512bf16' --split-input-file %s | FileCheck %s
// RUN: sinter-opt --sinter-channels-last=least-work=100000000000 --split-input-file %s | FileCheck %s --check-prefix=WORTH

// More kernels are not worth it for so little work.

// WORTH-NOT: (d0 =

// Lines of 8 results: the image and the weights have their channels last, places are rows of the product, whose windows
// are read where they lie; the row program runs where what is made is turned back.

// CHECK-LABEL: func @short_lines
//       CHECK:   %[[X:.+]] = sinter.rowwise (d0 = 29, d1 = 256) by (d2 = 64)
//  CHECK-NEXT:       ins(%{{.+}}[d0, d2, d1] : tensor<29x64x256xbf16>)
//       CHECK:   sinter.rowwise (d0 = 36, d1 = 9) by (d2 = 64)
//  CHECK-NEXT:       ins(%{{.+}}[d0, d2, d1] : tensor<36x64x9xbf16>)
//       CHECK:   %[[Z:.+]] = sinter.contract (n = 29, y = 8, x = 8) by (o = 36)
//  CHECK-NEXT:       product (r = 3, s = 3, c = 64) (%{{.+}}[n, y * 2 + r - 1, x * 2 + s - 1, c] : tensor<29x16x16x64xbf16> else 0.000000e+00, %{{.+}}[o, r, s, c] : tensor<36x3x3x64xbf16>) : f32
//  CHECK-NEXT:       outs(%{{.+}}[n, y, x, o] : tensor<29x8x8x36xf32>)
//       CHECK:   sinter.rowwise (n = 29, o = 36) by (y = 8, x = 8)
//  CHECK-NEXT:       ins(%[[Z]][n, y, x, o] : tensor<29x8x8x36xf32>, %{{.+}}[o] : tensor<36xf32>)
//  CHECK-NEXT:       outs(%{{.+}}[n, o, y, x] : tensor<29x36x8x8xbf16>)
//       CHECK:     arith.truncf
func.func @short_lines(%x: tensor<29x64x16x16xbf16>, %w: tensor<36x64x3x3xbf16>, %b: tensor<36xf32>) -> tensor<29x36x8x8xbf16> {
  %e = tensor.empty() : tensor<29x36x8x8xbf16>
  %y = sinter.contract (n = 29, o = 36) by (y = 8, x = 8)
      product (c = 64, r = 3, s = 3) (%w[o, c, r, s] : tensor<36x64x3x3xbf16>, %x[n, c, y * 2 + r - 1, x * 2 + s - 1] : tensor<29x64x16x16xbf16> else 0.0) : f32
      ins(%b[o] : tensor<36xf32>)
      outs(%e[n, o, y, x] : tensor<29x36x8x8xbf16>) {
  ^row(%p: tensor<64xf32>, %bias: f32):
    %s = sinter.broadcast %bias : f32 -> tensor<64xf32>
    %v = arith.addf %p, %s : tensor<64xf32>
    %t = arith.truncf %v : tensor<64xf32> to tensor<64xbf16>
    sinter.yield %t : tensor<64xbf16>
  }
  return %y : tensor<29x36x8x8xbf16>
}

// -----

// Groups are rows of both sides. Many filters of f32 are lanes: their windows are copied, in pieces of 3 x 128.

// CHECK-LABEL: func @groups
//       CHECK:   sinter.contract (g = 2, n = 4, y = 5, x = 5) by (o = 96)
//  CHECK-NEXT:       product (r = 3, s = 3, c = 128) (%{{.+}}[n, g, y * 2 + r - 1, x * 2 + s - 1, c] : tensor<4x2x10x10x128xf32> else 0.000000e+00, %{{.+}}[g, o, r, s, c] : tensor<2x96x3x3x128xf32>) : f32
//  CHECK-NEXT:       outs(%{{.+}}[g, n, y, x, o] : tensor<2x4x5x5x96xf32>)
//       CHECK:   sinter.rowwise (n = 4, g = 2, o = 96) by (y = 5, x = 5)
//  CHECK-NEXT:       ins(%{{.+}}[g, n, y, x, o] : tensor<2x4x5x5x96xf32>)
func.func @groups(%x: tensor<4x2x128x10x10xf32>, %w: tensor<2x96x128x3x3xf32>) -> tensor<4x2x96x5x5xf32> {
  %e = tensor.empty() : tensor<4x2x96x5x5xf32>
  %y = sinter.contract (n = 4, g = 2, o = 96) by (y = 5, x = 5)
      product (c = 128, r = 3, s = 3) (%w[g, o, c, r, s] : tensor<2x96x128x3x3xf32>, %x[n, g, c, y * 2 + r - 1, x * 2 + s - 1] : tensor<4x2x128x10x10xf32> else 0.0) : f32
      outs(%e[n, g, o, y, x] : tensor<4x2x96x5x5xf32>) {
  ^row(%p: tensor<25xf32>):
    sinter.yield %p : tensor<25xf32>
  }
  return %y : tensor<4x2x96x5x5xf32>
}

// -----

// Lines of 40 results, whose windows are as long as the image's: they are copied as one piece each.

// CHECK-LABEL: func @as_image
//   CHECK-NOT:   d0
//       CHECK:   sinter.contract (n = 1, o = 32) by (y = 40, x = 40)
func.func @as_image(%x: tensor<1x64x40x40xf32>, %w: tensor<32x64x3x3xf32>) -> tensor<1x32x40x40xf32> {
  %e = tensor.empty() : tensor<1x32x40x40xf32>
  %y = sinter.contract (n = 1, o = 32) by (y = 40, x = 40)
      product (c = 64, r = 3, s = 3) (%w[o, c, r, s] : tensor<32x64x3x3xf32>, %x[n, c, y + r - 1, x + s - 1] : tensor<1x64x40x40xf32> else 0.0) : f32
      outs(%e[n, o, y, x] : tensor<1x32x40x40xf32>) {
  ^row(%p: tensor<1600xf32>):
    sinter.yield %p : tensor<1600xf32>
  }
  return %y : tensor<1x32x40x40xf32>
}

// -----

// Three channels: 3 x 3 elements under a line of taps are less than a vector.

// CHECK-LABEL: func @few_channels
//   CHECK-NOT:   d0
//       CHECK:   sinter.contract (n = 29, o = 36) by (y = 8, x = 8)
func.func @few_channels(%x: tensor<29x3x16x16xbf16>, %w: tensor<36x3x3x3xbf16>) -> tensor<29x36x8x8xf32> {
  %e = tensor.empty() : tensor<29x36x8x8xf32>
  %y = sinter.contract (n = 29, o = 36) by (y = 8, x = 8)
      product (c = 3, r = 3, s = 3) (%w[o, c, r, s] : tensor<36x3x3x3xbf16>, %x[n, c, y * 2 + r - 1, x * 2 + s - 1] : tensor<29x3x16x16xbf16> else 0.0) : f32
      outs(%e[n, o, y, x] : tensor<29x36x8x8xf32>) {
  ^row(%p: tensor<64xf32>):
    sinter.yield %p : tensor<64xf32>
  }
  return %y : tensor<29x36x8x8xf32>
}

// -----

// Of a number `?` of images nobody knows what it takes. Of single taps nothing is copied,
// written with dimensions of one place or without.

// CHECK-LABEL: func @any_images
//   CHECK-NOT:   d0
//       CHECK:   sinter.contract (n = ?, o = 36) by (y = 8, x = 8)
//       CHECK:   sinter.contract (n = 29, o = 36) by (y = 8, x = 8)
//       CHECK:   sinter.contract (n = 29, o = 36) by (y = 8, x = 8)
func.func @any_images(%x: tensor<?x64x16x16xbf16>, %w: tensor<36x64x3x3xbf16>, %e: tensor<?x36x8x8xf32>,
                      %u: tensor<29x64x16x16xbf16>, %v: tensor<36x64xbf16>,
                      %k: tensor<36x64x1x1xbf16>) -> (tensor<?x36x8x8xf32>, tensor<29x36x8x8xf32>, tensor<29x36x8x8xf32>) {
  %y = sinter.contract (n = ?, o = 36) by (y = 8, x = 8)
      product (c = 64, r = 3, s = 3) (%w[o, c, r, s] : tensor<36x64x3x3xbf16>, %x[n, c, y * 2 + r - 1, x * 2 + s - 1] : tensor<?x64x16x16xbf16> else 0.0) : f32
      outs(%e[n, o, y, x] : tensor<?x36x8x8xf32>) {
  ^row(%p: tensor<64xf32>):
    sinter.yield %p : tensor<64xf32>
  }
  %f = tensor.empty() : tensor<29x36x8x8xf32>
  %z = sinter.contract (n = 29, o = 36) by (y = 8, x = 8)
      product (c = 64) (%v[o, c] : tensor<36x64xbf16>, %u[n, c, y * 2, x * 2] : tensor<29x64x16x16xbf16>) : f32
      outs(%f[n, o, y, x] : tensor<29x36x8x8xf32>) {
  ^row(%p: tensor<64xf32>):
    sinter.yield %p : tensor<64xf32>
  }
  %t = sinter.contract (n = 29, o = 36) by (y = 8, x = 8)
      product (c = 64, r = 1, s = 1) (%k[o, c, r, s] : tensor<36x64x1x1xbf16>, %u[n, c, y * 2 + r, x * 2 + s] : tensor<29x64x16x16xbf16>) : f32
      outs(%f[n, o, y, x] : tensor<29x36x8x8xf32>) {
  ^row(%p: tensor<64xf32>):
    sinter.yield %p : tensor<64xf32>
  }
  return %y, %z, %t : tensor<?x36x8x8xf32>, tensor<29x36x8x8xf32>, tensor<29x36x8x8xf32>
}

// -----

// The gradient of weights sums over images and places, and its columns are taps: images are last.

// CHECK-LABEL: func @weights
//       CHECK:   sinter.contract (c = 8, r = 3, s = 3) by (o = 8)
//  CHECK-NEXT:       product (y = 12, x = 12, n = 20) (%{{.+}}[c, r + y - 1, s + x - 1, n] : tensor<8x12x12x20xf32> else 0.000000e+00, %{{.+}}[o, y, x, n] : tensor<8x12x12x20xf32>) : f32
func.func @weights(%x: tensor<20x8x12x12xf32>, %d: tensor<20x8x12x12xf32>) -> tensor<8x8x3x3xf32> {
  %e = tensor.empty() : tensor<8x8x3x3xf32>
  %y = sinter.contract (o = 8, c = 8) by (r = 3, s = 3)
      product (n = 20, y = 12, x = 12) (%d[n, o, y, x] : tensor<20x8x12x12xf32>, %x[n, c, y + r - 1, x + s - 1] : tensor<20x8x12x12xf32> else 0.0) : f32
      outs(%e[o, c, r, s] : tensor<8x8x3x3xf32>) {
  ^row(%p: tensor<9xf32>):
    sinter.yield %p : tensor<9xf32>
  }
  return %y : tensor<8x8x3x3xf32>
}

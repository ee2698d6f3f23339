// RUN: sinter-opt --sinter-arrange --split-input-file %s | FileCheck %s
// RUN: sinter-opt --sinter-arrange=chip=sm_80 --split-input-file %s | FileCheck %s --check-prefix=OTHER
// OTHER-NOT: sinter.rowwise

// A convolution of few filters is a product of its image by all taps; what that gives is added up. Neighbouring rows of
// the sum are neighbours in the product. The row program is behind the sum, and what it reads by columns is a number.

// CHECK-LABEL: func @few
//  CHECK-SAME:   (%[[X:.+]]: tensor<32x38x36x440xf16>, %[[W:.+]]: tensor<16x3x5x440xf16>, %[[B:.+]]: tensor<16xf32>, %[[E:.+]]: tensor<32x36x34x16xf32>)
//       CHECK:   %[[T:.+]] = sinter.contract (d0 = 16, d1 = 3, d2 = 5) by (d3 = 32, d4 = 38, d5 = 36)
//  CHECK-NEXT:     product (d6 = 440) (%[[W]][d0, d1, d2, d6] : tensor<16x3x5x440xf16>, %[[X]][d3, d4, d5, d6] : tensor<32x38x36x440xf16>) : f32
//  CHECK-NEXT:     outs(%{{.+}}[d0, d1, d2, d3, d4, d5] : tensor<16x3x5x32x38x36xf32>) {
//  CHECK-NEXT:   ^row(%[[P:.+]]: tensor<43776xf32>):
//  CHECK-NEXT:     sinter.yield %[[P]] : tensor<43776xf32>
//       CHECK:   sinter.rowwise (o = 16, n = 32, y = 36, x = 34) by (r = 3, s = 5)
//  CHECK-NEXT:     ins(%[[T]][o, r, s, n, y + r, x + s - 1] : tensor<16x3x5x32x38x36xf32> else 0.000000e+00, %[[B]][o] : tensor<16xf32>)
//  CHECK-NEXT:     outs(%[[E]][n, y, x, o] : tensor<32x36x34x16xf32>) {
//  CHECK-NEXT:   ^row(%[[A:.+]]: tensor<15xf32>, %[[C:.+]]: f32):
//  CHECK-NEXT:     %[[S:.+]] = sinter.row_reduce add %[[A]] : tensor<15xf32> -> f32
//  CHECK-NEXT:     %[[V:.+]] = arith.addf %[[S]], %[[C]] : f32
//  CHECK-NEXT:     sinter.yield %[[V]] : f32
func.func @few(%x: tensor<32x38x36x440xf16>, %w: tensor<16x3x5x440xf16>, %b: tensor<16xf32>, %e: tensor<32x36x34x16xf32>) -> tensor<32x36x34x16xf32> {
  %0 = sinter.contract (n = 32, y = 36, x = 34) by (o = 16)
      product (r = 3, s = 5, c = 440) (%x[n, y + r, x + s - 1, c] : tensor<32x38x36x440xf16> else 0.0, %w[o, r, s, c] : tensor<16x3x5x440xf16>) : f32
      ins(%b[o] : tensor<16xf32>)
      outs(%e[n, y, x, o] : tensor<32x36x34x16xf32>) {
  ^row(%acc: tensor<16xf32>, %bias: tensor<16xf32>):
    %v = arith.addf %acc, %bias : tensor<16xf32>
    sinter.yield %v : tensor<16xf32>
  }
  return %0 : tensor<32x36x34x16xf32>
}

// -----

// Channels in front: they become the last ones of the product's sides, as those of any.

// CHECK-LABEL: func @channels_first
//       CHECK:   sinter.contract (d0 = 8, d1 = 7) by (d2 = 24, d3 = 3584)
//  CHECK-NEXT:     product (d4 = 400) (%{{.+}}[d0, d1, d4] : tensor<8x7x400xbf16>, %{{.+}}[d2, d3, d4] : tensor<24x3584x400xbf16>) : f32
//       CHECK:   sinter.rowwise (o = 8, n = 24, x = 1789) by (r = 7)
//  CHECK-NEXT:     ins(%{{.+}}[o, r, n, x * 2 + r] : tensor<8x7x24x3584xf32>)
func.func @channels_first(%x: tensor<24x396x3584xbf16>, %w: tensor<8x396x7xbf16>, %e: tensor<24x8x1789xf32>) -> tensor<24x8x1789xf32> {
  %0 = sinter.contract (n = 24, o = 8) by (x = 1789)
      product (c = 396, r = 7) (%w[o, c, r] : tensor<8x396x7xbf16>, %x[n, c, x * 2 + r] : tensor<24x396x3584xbf16>) : f32
      outs(%e[n, o, x] : tensor<24x8x1789xf32>) {
  ^row(%acc: tensor<1789xf32>):
    sinter.yield %acc : tensor<1789xf32>
  }
  return %0 : tensor<24x8x1789xf32>
}

// -----

// One filter, of which a subscript is a number, and one image.

// CHECK-LABEL: func @one_filter
//       CHECK:   sinter.contract (d0 = 7, d1 = 7) by (d2 = 1, d3 = 64, d4 = 640)
//  CHECK-NEXT:     product (d5 = 416) (%{{.+}}[0, d0, d1, d5] : tensor<1x7x7x416xbf16>, %{{.+}}[d2, d3, d4, d5] : tensor<1x64x640x416xbf16>) : f32
//       CHECK:   sinter.rowwise (y = 58, x = 634) by (r = 7, s = 7)
//  CHECK-NEXT:     ins(%{{.+}}[r, s, 0, y + r, x + s] : tensor<7x7x1x64x640xf32>)
func.func @one_filter(%x: tensor<1x64x640x416xbf16>, %w: tensor<1x7x7x416xbf16>, %e: tensor<58x634xf32>) -> tensor<58x634xf32> {
  %0 = sinter.contract () by (y = 58, x = 634)
      product (r = 7, s = 7, c = 416) (%w[0, r, s, c] : tensor<1x7x7x416xbf16>, %x[0, y + r, x + s, c] : tensor<1x64x640x416xbf16>) : f32
      outs(%e[y, x] : tensor<58x634xf32>) {
  ^row(%acc: tensor<36772xf32>):
    sinter.yield %acc : tensor<36772xf32>
  }
  return %0 : tensor<58x634xf32>
}

// -----

// Few channels are less than what each pixel would give, a small image is not worth a launch, many filters are a tile;
// one filter is rows, which are read faster; f32 is multiplied by ordinary arithmetic.

// CHECK-LABEL: func @few_channels
//       CHECK:   product (r = 5, s = 5, c = 24)
func.func @few_channels(%x: tensor<58x53x53x24xf16>, %w: tensor<6x5x5x24xf16>, %e: tensor<58x49x49x6xf32>) -> tensor<58x49x49x6xf32> {
  %0 = sinter.contract (n = 58, y = 49, x = 49) by (o = 6)
      product (r = 5, s = 5, c = 24) (%x[n, y + r, x + s, c] : tensor<58x53x53x24xf16>, %w[o, r, s, c] : tensor<6x5x5x24xf16>) : f32
      outs(%e[n, y, x, o] : tensor<58x49x49x6xf32>) {
  ^row(%acc: tensor<6xf32>):
    sinter.yield %acc : tensor<6xf32>
  }
  return %0 : tensor<58x49x49x6xf32>
}

// CHECK-LABEL: func @small
//       CHECK:   product (r = 3, s = 3, c = 264)
func.func @small(%x: tensor<4x33x33x264xf16>, %w: tensor<6x3x3x264xf16>, %e: tensor<4x31x31x6xf32>) -> tensor<4x31x31x6xf32> {
  %0 = sinter.contract (n = 4, y = 31, x = 31) by (o = 6)
      product (r = 3, s = 3, c = 264) (%x[n, y + r, x + s, c] : tensor<4x33x33x264xf16>, %w[o, r, s, c] : tensor<6x3x3x264xf16>) : f32
      outs(%e[n, y, x, o] : tensor<4x31x31x6xf32>) {
  ^row(%acc: tensor<6xf32>):
    sinter.yield %acc : tensor<6xf32>
  }
  return %0 : tensor<4x31x31x6xf32>
}

// CHECK-LABEL: func @many
//       CHECK:   product (r = 3, s = 3, c = 512)
func.func @many(%x: tensor<32x66x66x512xf16>, %w: tensor<33x3x3x512xf16>, %e: tensor<32x64x64x33xf32>) -> tensor<32x64x64x33xf32> {
  %0 = sinter.contract (n = 32, y = 64, x = 64) by (o = 33)
      product (r = 3, s = 3, c = 512) (%x[n, y + r, x + s, c] : tensor<32x66x66x512xf16>, %w[o, r, s, c] : tensor<33x3x3x512xf16>) : f32
      outs(%e[n, y, x, o] : tensor<32x64x64x33xf32>) {
  ^row(%acc: tensor<33xf32>):
    sinter.yield %acc : tensor<33xf32>
  }
  return %0 : tensor<32x64x64x33xf32>
}

// CHECK-LABEL: func @f32
//       CHECK:   product (r = 3, s = 3, c = 440)
func.func @f32(%x: tensor<32x38x38x440xf32>, %w: tensor<16x3x3x440xf32>, %e: tensor<32x36x36x16xf32>) -> tensor<32x36x36x16xf32> {
  %0 = sinter.contract (n = 32, y = 36, x = 36) by (o = 16)
      product (r = 3, s = 3, c = 440) (%x[n, y + r, x + s, c] : tensor<32x38x38x440xf32>, %w[o, r, s, c] : tensor<16x3x3x440xf32>) : f32
      outs(%e[n, y, x, o] : tensor<32x36x36x16xf32>) {
  ^row(%acc: tensor<16xf32>):
    sinter.yield %acc : tensor<16xf32>
  }
  return %0 : tensor<32x36x36x16xf32>
}

// Groups of channels have filters of their own: no product of all of an image.

// CHECK-LABEL: func @groups
//       CHECK:   product (r = 3, s = 3, c = 224)
func.func @groups(%x: tensor<32x66x66x2x224xf16>, %w: tensor<2x8x3x3x224xf16>, %e: tensor<32x64x64x2x8xf32>) -> tensor<32x64x64x2x8xf32> {
  %0 = sinter.contract (n = 32, y = 64, x = 64, g = 2) by (o = 8)
      product (r = 3, s = 3, c = 224) (%x[n, y + r, x + s, g, c] : tensor<32x66x66x2x224xf16>, %w[g, o, r, s, c] : tensor<2x8x3x3x224xf16>) : f32
      outs(%e[n, y, x, g, o] : tensor<32x64x64x2x8xf32>) {
  ^row(%acc: tensor<8xf32>):
    sinter.yield %acc : tensor<8xf32>
  }
  return %0 : tensor<32x64x64x2x8xf32>
}

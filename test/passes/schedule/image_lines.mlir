// RUN: sinter-opt --sinter-schedule='target=cpu features=avx2,fma,avx512f,avx512bw,avx512bf16' --split-input-file %s | FileCheck %s

// Columns are lines of 40 pixels, every second one of an image: a block has eight whole lines.

// CHECK-LABEL: func @strided
//       CHECK: kernel = "dot512", {{.*}}n = 320,
func.func @strided(%x: tensor<1x125x80x80xbf16>, %w: tensor<2x125x3x3xbf16>) -> tensor<1x2x40x40xf32> {
  %e = tensor.empty() : tensor<1x2x40x40xf32>
  %y = sinter.contract (n = 1, o = 2) by (y = 40, x = 40)
      product (c = 125, r = 3, s = 3) (%w[o, c, r, s] : tensor<2x125x3x3xbf16>,
                                       %x[n, c, y * 2 + r * 2 - 2, x * 2 + s * 2 - 2] : tensor<1x125x80x80xbf16> else 0.0) : f32
      outs(%e[n, o, y, x] : tensor<1x2x40x40xf32>) {
  ^row(%a: tensor<1600xf32>):
    sinter.yield %a : tensor<1600xf32>
  }
  return %y : tensor<1x2x40x40xf32>
}

// -----

// Of a small image there are blocks for four tasks: a fourth of 28 lines is seven.

// CHECK-LABEL: func @small
//       CHECK: kernel = "dot512", {{.*}}n = 98,
func.func @small(%x: tensor<1x64x30x16xbf16>, %w: tensor<24x64x3x3xbf16>) -> tensor<1x24x28x14xf32> {
  %e = tensor.empty() : tensor<1x24x28x14xf32>
  %y = sinter.contract (n = 1, o = 24) by (y = 28, x = 14)
      product (c = 64, r = 3, s = 3) (%w[o, c, r, s] : tensor<24x64x3x3xbf16>,
                                      %x[n, c, y + r, x + s] : tensor<1x64x30x16xbf16>) : f32
      outs(%e[n, o, y, x] : tensor<1x24x28x14xf32>) {
  ^row(%a: tensor<392xf32>):
    sinter.yield %a : tensor<392xf32>
  }
  return %y : tensor<1x24x28x14xf32>
}

// -----

// Lines that lie as those of the image are one run. Single numbers of f32 copy no faster by whole lines.

// CHECK-LABEL: func @as_image
//       CHECK: kernel = "dot512", {{.*}}n = 64,
func.func @as_image(%x: tensor<1x64x40x40xbf16>, %w: tensor<8x64x3x3xbf16>) -> tensor<1x8x40x40xf32> {
  %e = tensor.empty() : tensor<1x8x40x40xf32>
  %y = sinter.contract (n = 1, o = 8) by (y = 40, x = 40)
      product (c = 64, r = 3, s = 3) (%w[o, c, r, s] : tensor<8x64x3x3xbf16>,
                                      %x[n, c, y + r - 1, x + s - 1] : tensor<1x64x40x40xbf16> else 0.0) : f32
      outs(%e[n, o, y, x] : tensor<1x8x40x40xf32>) {
  ^row(%a: tensor<1600xf32>):
    sinter.yield %a : tensor<1600xf32>
  }
  return %y : tensor<1x8x40x40xf32>
}

// -----

// CHECK-LABEL: func @singles
//       CHECK: kernel = "libxsmm", {{.*}}n = 64,
func.func @singles(%x: tensor<1x64x40x40xf32>, %w: tensor<8x64x3x3xf32>) -> tensor<1x8x38x38xf32> {
  %e = tensor.empty() : tensor<1x8x38x38xf32>
  %y = sinter.contract (n = 1, o = 8) by (y = 38, x = 38)
      product (c = 64, r = 3, s = 3) (%w[o, c, r, s] : tensor<8x64x3x3xf32>,
                                      %x[n, c, y + r, x + s] : tensor<1x64x40x40xf32>) : f32
      outs(%e[n, o, y, x] : tensor<1x8x38x38xf32>) {
  ^row(%a: tensor<1444xf32>):
    sinter.yield %a : tensor<1444xf32>
  }
  return %y : tensor<1x8x38x38xf32>
}

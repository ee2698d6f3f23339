// RUN: sinter-run %s --verify --policy=aggressive --threads=1 --output=%t1.npy | FileCheck %s --implicit-check-not=differs
// RUN: sinter-run %s --verify --policy=aggressive --cpu=haswell | FileCheck %s --implicit-check-not=differs
// RUN: sinter-run %s --policy=aggressive --threads=3 --output=%t3.npy
// RUN: cmp %t1.npy %t3.npy

// Windows of each channel alone whose channels are put side by side: with strides and without, with edges and without,
// of images smaller than a window; of channels that are no multiple of 16.

// CHECK-COUNT-6: agrees

module {
  func.func @main(%x0: tensor<16x32x17x17xbf16>, %w0: tensor<32x7x7xbf16>,
                  %x1: tensor<24x16x12x12xf32>, %w1: tensor<16x5x5xf32>,
                  %x2: tensor<32x48x7x7xf16>, %w2: tensor<48x3x3xf16>,
                  %x3: tensor<9x16x9x9xf32>, %w3: tensor<16x7x7xf32>,
                  %x4: tensor<11x29x12x12xbf16>, %w4: tensor<29x5x5xbf16>, %x5: tensor<13x63x9x9xf32>,
                  %w5: tensor<63x7x7xf32>)
      -> (tensor<16x32x9x9xbf16>, tensor<24x16x8x8xf32>, tensor<32x48x7x7xf16>, tensor<9x16x9x9xf32>,
          tensor<11x29x10x10xbf16>, tensor<13x63x9x9xf32>) {
    %e0 = tensor.empty() : tensor<16x32x9x9xbf16>
    %0 = sinter.rowwise (n = 16, c = 32, y = 9, x = 9) by (r = 7, s = 7)
        ins(%x0[n, c, y * 2 + r - 3, x * 2 + s - 3] : tensor<16x32x17x17xbf16> else 0.0, %w0[c, r, s] : tensor<32x7x7xbf16>)
        outs(%e0[n, c, y, x] : tensor<16x32x9x9xbf16>) {
    ^row(%a: tensor<49xbf16>, %b: tensor<49xbf16>):
      %u = arith.extf %a : tensor<49xbf16> to tensor<49xf32>
      %v = arith.extf %b : tensor<49xbf16> to tensor<49xf32>
      %p = arith.mulf %u, %v : tensor<49xf32>
      %t = sinter.row_reduce add %p : tensor<49xf32> -> f32
      %q = arith.truncf %t : f32 to bf16
      sinter.yield %q : bf16
    }
    %e1 = tensor.empty() : tensor<24x16x8x8xf32>
    %1 = sinter.rowwise (n = 24, c = 16, y = 8, x = 8) by (r = 5, s = 5)
        ins(%x1[n, c, y + r, x + s] : tensor<24x16x12x12xf32>, %w1[c, r, s] : tensor<16x5x5xf32>)
        outs(%e1[n, c, y, x] : tensor<24x16x8x8xf32>) {
    ^row(%a: tensor<25xf32>, %b: tensor<25xf32>):
      %p = arith.mulf %a, %b : tensor<25xf32>
      %t = sinter.row_reduce add %p : tensor<25xf32> -> f32
      sinter.yield %t : f32
    }
    %e2 = tensor.empty() : tensor<32x48x7x7xf16>
    %2 = sinter.rowwise (n = 32, c = 48, y = 7, x = 7) by (r = 3, s = 3)
        ins(%x2[n, c, y + r - 1, x + s - 1] : tensor<32x48x7x7xf16> else 0.0, %w2[c, r, s] : tensor<48x3x3xf16>)
        outs(%e2[n, c, y, x] : tensor<32x48x7x7xf16>) {
    ^row(%a: tensor<9xf16>, %b: tensor<9xf16>):
      %u = arith.extf %a : tensor<9xf16> to tensor<9xf32>
      %v = arith.extf %b : tensor<9xf16> to tensor<9xf32>
      %p = arith.mulf %u, %v : tensor<9xf32>
      %t = sinter.row_reduce add %p : tensor<9xf32> -> f32
      %q = arith.truncf %t : f32 to f16
      sinter.yield %q : f16
    }
    %e3 = tensor.empty() : tensor<9x16x9x9xf32>
    %3 = sinter.rowwise (n = 9, c = 16, y = 9, x = 9) by (r = 7, s = 7)
        ins(%x3[n, c, y + r - 3, x + s - 3] : tensor<9x16x9x9xf32> else 0.0, %w3[c, r, s] : tensor<16x7x7xf32>)
        outs(%e3[n, c, y, x] : tensor<9x16x9x9xf32>) {
    ^row(%a: tensor<49xf32>, %b: tensor<49xf32>):
      %p = arith.mulf %a, %b : tensor<49xf32>
      %t = sinter.row_reduce add %p : tensor<49xf32> -> f32
      sinter.yield %t : f32
    }
    %e4 = tensor.empty() : tensor<11x29x10x10xbf16>
    %4 = sinter.rowwise (n = 11, c = 29, y = 10, x = 10) by (r = 5, s = 5)
        ins(%x4[n, c, y + r - 1, x + s - 1] : tensor<11x29x12x12xbf16> else 0.0, %w4[c, r, s] : tensor<29x5x5xbf16>)
        outs(%e4[n, c, y, x] : tensor<11x29x10x10xbf16>) {
    ^row(%a: tensor<25xbf16>, %b: tensor<25xbf16>):
      %u = arith.extf %a : tensor<25xbf16> to tensor<25xf32>
      %v = arith.extf %b : tensor<25xbf16> to tensor<25xf32>
      %p = arith.mulf %u, %v : tensor<25xf32>
      %t = sinter.row_reduce add %p : tensor<25xf32> -> f32
      %q = arith.truncf %t : f32 to bf16
      sinter.yield %q : bf16
    }
    %e5 = tensor.empty() : tensor<13x63x9x9xf32>
    %5 = sinter.rowwise (n = 13, c = 63, y = 9, x = 9) by (r = 7, s = 7)
        ins(%x5[n, c, y + r - 3, x + s - 3] : tensor<13x63x9x9xf32> else 0.0, %w5[c, r, s] : tensor<63x7x7xf32>)
        outs(%e5[n, c, y, x] : tensor<13x63x9x9xf32>) {
    ^row(%a: tensor<49xf32>, %b: tensor<49xf32>):
      %p = arith.mulf %a, %b : tensor<49xf32>
      %t = sinter.row_reduce add %p : tensor<49xf32> -> f32
      sinter.yield %t : f32
    }
    return %0, %1, %2, %3, %4, %5 : tensor<16x32x9x9xbf16>, tensor<24x16x8x8xf32>, tensor<32x48x7x7xf16>,
        tensor<9x16x9x9xf32>, tensor<11x29x10x10xbf16>, tensor<13x63x9x9xf32>
  }
}

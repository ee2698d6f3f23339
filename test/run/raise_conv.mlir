// RUN: sinter-run %s --verify --threads=1 --output=%t1.npy | FileCheck %s --implicit-check-not=differs
// RUN: sinter-run %s --threads=3 --output=%t3.npy
// RUN: cmp %t1.npy %t3.npy
// RUN: sinter-run %s --stats | FileCheck %s --check-prefix=STATS

// Convolutions in the layouts that exporters write, each one kernel.

// CHECK-COUNT-10: of main agrees
// STATS: "kernels": 10

#same = affine_map<(n, f, y, x) -> (n, f, y, x)>
module {
func.func @main(%x: tensor<2x6x11x13xf32>, %w: tensor<5x6x3x2xf32>, %b: tensor<5xf32>, %xc: tensor<2x11x13x6xf32>, %wc: tensor<3x2x6x5xf32>,
                %x1: tensor<2x6x40xf32>, %w1: tensor<5x6x4xf32>, %x3: tensor<2x3x7x6x5xf32>, %w3: tensor<4x3x2x3x2xf32>,
                %xg: tensor<2x3x4x9x8xf32>, %wg: tensor<3x5x4x3x3xf32>, %wd: tensor<6x3x3xf32>, %wdc: tensor<3x2x6x2xf32>,
                %xh: tensor<2x6x11x13xbf16>, %wh: tensor<5x6x3x2xbf16>, %x8: tensor<2x11x13x6xi8>, %w8: tensor<3x2x6x5xi8>)
    -> (tensor<2x5x9x12xf32>, tensor<2x5x5x5xf32>, tensor<2x5x6x5xf32>, tensor<2x5x11xf32>, tensor<2x4x6x2x4xf32>,
        tensor<2x3x5x4x3xf32>, tensor<2x6x9x11xf32>, tensor<2x9x12x6x2xf32>, tensor<2x5x9x12xbf16>, tensor<2x9x12x5xi32>) {
  %zero = arith.constant 0.0 : f32
  %zeroh = arith.constant 0.0 : bf16
  %zeroi = arith.constant 0 : i32
  // NCHW with a bias.
  %e0 = tensor.empty() : tensor<2x5x9x12xf32>
  %i0 = linalg.broadcast ins(%b : tensor<5xf32>) outs(%e0 : tensor<2x5x9x12xf32>) dimensions = [0, 2, 3]
  %r0 = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<2x6x11x13xf32>, tensor<5x6x3x2xf32>) outs(%i0 : tensor<2x5x9x12xf32>) -> tensor<2x5x9x12xf32>
  // Strided and dilated.
  %e1 = tensor.empty() : tensor<2x5x5x5xf32>
  %i1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<2x5x5x5xf32>) -> tensor<2x5x5x5xf32>
  %r1 = linalg.conv_2d_nchw_fchw {strides = dense<2> : tensor<2xi64>, dilations = dense<[1, 3]> : tensor<2xi64>} ins(%x, %w : tensor<2x6x11x13xf32>, tensor<5x6x3x2xf32>) outs(%i1 : tensor<2x5x5x5xf32>) -> tensor<2x5x5x5xf32>
  // NHWC to NCHW: a generic with the result transposed.
  %e2 = tensor.empty() : tensor<2x5x6x5xf32>
  %i2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<2x5x6x5xf32>) -> tensor<2x5x6x5xf32>
  %r2 = linalg.generic {indexing_maps = [affine_map<(n, y, x, f, p, q, c) -> (n, y * 2 + p, x * 2 + q, c)>, affine_map<(n, y, x, f, p, q, c) -> (p, q, c, f)>, affine_map<(n, y, x, f, p, q, c) -> (n, f, x, y)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%xc, %wc : tensor<2x11x13x6xf32>, tensor<3x2x6x5xf32>) outs(%i2 : tensor<2x5x6x5xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %0 = arith.mulf %a, %c : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x5x6x5xf32>
  // One and three dimensions.
  %e3 = tensor.empty() : tensor<2x5x11xf32>
  %i3 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<2x5x11xf32>) -> tensor<2x5x11xf32>
  %r3 = linalg.conv_1d_ncw_fcw {strides = dense<3> : tensor<1xi64>, dilations = dense<2> : tensor<1xi64>} ins(%x1, %w1 : tensor<2x6x40xf32>, tensor<5x6x4xf32>) outs(%i3 : tensor<2x5x11xf32>) -> tensor<2x5x11xf32>
  %e4 = tensor.empty() : tensor<2x4x6x2x4xf32>
  %i4 = linalg.fill ins(%zero : f32) outs(%e4 : tensor<2x4x6x2x4xf32>) -> tensor<2x4x6x2x4xf32>
  %r4 = linalg.conv_3d_ncdhw_fcdhw {strides = dense<[1, 2, 1]> : tensor<3xi64>, dilations = dense<1> : tensor<3xi64>} ins(%x3, %w3 : tensor<2x3x7x6x5xf32>, tensor<4x3x2x3x2xf32>) outs(%i4 : tensor<2x4x6x2x4xf32>) -> tensor<2x4x6x2x4xf32>
  // Grouped.
  %e5 = tensor.empty() : tensor<2x3x5x4x3xf32>
  %i5 = linalg.fill ins(%zero : f32) outs(%e5 : tensor<2x3x5x4x3xf32>) -> tensor<2x3x5x4x3xf32>
  %r5 = linalg.conv_2d_ngchw_gfchw {strides = dense<2> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>} ins(%xg, %wg : tensor<2x3x4x9x8xf32>, tensor<3x5x4x3x3xf32>) outs(%i5 : tensor<2x3x5x4x3xf32>) -> tensor<2x3x5x4x3xf32>
  // Depthwise.
  %e6 = tensor.empty() : tensor<2x6x9x11xf32>
  %i6 = linalg.fill ins(%zero : f32) outs(%e6 : tensor<2x6x9x11xf32>) -> tensor<2x6x9x11xf32>
  %r6 = linalg.depthwise_conv_2d_nchw_chw ins(%x, %wd : tensor<2x6x11x13xf32>, tensor<6x3x3xf32>) outs(%i6 : tensor<2x6x9x11xf32>) -> tensor<2x6x9x11xf32>
  %e7 = tensor.empty() : tensor<2x9x12x6x2xf32>
  %i7 = linalg.fill ins(%zero : f32) outs(%e7 : tensor<2x9x12x6x2xf32>) -> tensor<2x9x12x6x2xf32>
  %r7 = linalg.depthwise_conv_2d_nhwc_hwcm ins(%xc, %wdc : tensor<2x11x13x6xf32>, tensor<3x2x6x2xf32>) outs(%i7 : tensor<2x9x12x6x2xf32>) -> tensor<2x9x12x6x2xf32>
  // Narrow types.
  %e8 = tensor.empty() : tensor<2x5x9x12xbf16>
  %i8 = linalg.fill ins(%zeroh : bf16) outs(%e8 : tensor<2x5x9x12xbf16>) -> tensor<2x5x9x12xbf16>
  %r8 = linalg.conv_2d_nchw_fchw ins(%xh, %wh : tensor<2x6x11x13xbf16>, tensor<5x6x3x2xbf16>) outs(%i8 : tensor<2x5x9x12xbf16>) -> tensor<2x5x9x12xbf16>
  %e9 = tensor.empty() : tensor<2x9x12x5xi32>
  %i9 = linalg.fill ins(%zeroi : i32) outs(%e9 : tensor<2x9x12x5xi32>) -> tensor<2x9x12x5xi32>
  %r9 = linalg.conv_2d_nhwc_hwcf ins(%x8, %w8 : tensor<2x11x13x6xi8>, tensor<3x2x6x5xi8>) outs(%i9 : tensor<2x9x12x5xi32>) -> tensor<2x9x12x5xi32>
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9 : tensor<2x5x9x12xf32>, tensor<2x5x5x5xf32>, tensor<2x5x6x5xf32>, tensor<2x5x11xf32>, tensor<2x4x6x2x4xf32>,
        tensor<2x3x5x4x3xf32>, tensor<2x6x9x11xf32>, tensor<2x9x12x6x2xf32>, tensor<2x5x9x12xbf16>, tensor<2x9x12x5xi32>
}
}

// RUN: sinter-opt --sinter-turned-taps='least-work=0 features=avx2,fma,avx512f,avx512bw,avx512bf16' --split-input-file %s | FileCheck %s
// RUN: sinter-opt --sinter-turned-taps='least-work=0 vector-bits=256 registers=16 features=avx2,fma' --split-input-file %s | FileCheck %s
// RUN: sinter-opt --sinter-turned-taps --split-input-file %s | FileCheck %s --check-prefix=WORTH

// Channels are lanes: their weights are turned. Nine taps do not pay for an image with edges.

// CHECK-LABEL: func @channels_last
//       CHECK:   %[[T:.+]] = sinter.rowwise (d0 = 3, d1 = 3) by (d2 = 20)
//  CHECK-NEXT:       ins(%arg1[d2, d0, d1] : tensor<20x3x3xf32>)
//  CHECK-NEXT:       outs(%{{.+}}[d0, d1, d2] : tensor<3x3x20xf32>)
//       CHECK:   sinter.rowwise (n = 2, y = 23, x = 23, c = 20) by (r = 3, s = 3)
//  CHECK-NEXT:       ins(%arg0[n, y + r - 1, x + s - 1, c] : tensor<2x23x23x20xf32> else 0.000000e+00, %[[T]][r, s, c] : tensor<3x3x20xf32>)
// WORTH-LABEL: func @channels_last
//       WORTH:   ins(%arg1[d2, d0, d1] : tensor<20x3x3xf32>)
func.func @channels_last(%x: tensor<2x23x23x20xf32>, %w: tensor<20x3x3xf32>) -> tensor<2x23x23x20xf32> {
  %e = tensor.empty() : tensor<2x23x23x20xf32>
  %y = sinter.rowwise (n = 2, y = 23, x = 23, c = 20) by (r = 3, s = 3)
      ins(%x[n, y + r - 1, x + s - 1, c] : tensor<2x23x23x20xf32> else 0.0, %w[c, r, s] : tensor<20x3x3xf32>)
      outs(%e[n, y, x, c] : tensor<2x23x23x20xf32>) {
  ^row(%a: tensor<9xf32>, %b: tensor<9xf32>):
    %p = arith.mulf %a, %b : tensor<9xf32>
    %t = sinter.row_reduce add %p : tensor<9xf32> -> f32
    sinter.yield %t : f32
  }
  return %y : tensor<2x23x23x20xf32>
}

// -----

// Weights of a half type are widened once, a number among their subscripts stays outside, and 49 taps are worth an
// image with edges, where there is as much work as two kernels take.

// CHECK-LABEL: func @many_taps
//       CHECK:   %[[T:.+]] = sinter.rowwise (d0 = 7, d1 = 7) by (d2 = 32)
//  CHECK-NEXT:       ins(%arg1[d2, 1, d0, d1] : tensor<32x2x7x7xbf16>)
//  CHECK-NEXT:       outs(%{{.+}}[d0, d1, d2] : tensor<7x7x32xf32>)
//       CHECK:     arith.extf %{{.+}} : tensor<32xbf16> to tensor<32xf32>
//       CHECK:   %[[P:.+]] = tensor.expand_shape %{{.+}} into tensor<1x20x20x32xbf16>
//       CHECK:   ins(%[[P]][n, y + r, x + s, c] : tensor<1x20x20x32xbf16>, %[[T]][r, s, c] : tensor<7x7x32xf32>)
//       CHECK:     arith.extf %{{.+}} : tensor<49xbf16> to tensor<49xf32>
//   CHECK-NOT:     arith.extf
//       CHECK:     arith.mulf
// WORTH-LABEL: func @many_taps
//       WORTH:   ins(%arg0[n, y + r - 3, x + s - 3, c] : tensor<1x14x14x32xbf16> else 0.000000e+00, %{{.+}}[r, s, c]
func.func @many_taps(%x: tensor<1x14x14x32xbf16>, %w: tensor<32x2x7x7xbf16>) -> tensor<1x14x14x32xf32> {
  %e = tensor.empty() : tensor<1x14x14x32xf32>
  %y = sinter.rowwise (n = 1, y = 14, x = 14, c = 32) by (r = 7, s = 7)
      ins(%x[n, y + r - 3, x + s - 3, c] : tensor<1x14x14x32xbf16> else 0.0, %w[c, 1, r, s] : tensor<32x2x7x7xbf16>)
      outs(%e[n, y, x, c] : tensor<1x14x14x32xf32>) {
  ^row(%a: tensor<49xbf16>, %b: tensor<49xbf16>):
    %u = arith.extf %a : tensor<49xbf16> to tensor<49xf32>
    %v = arith.extf %b : tensor<49xbf16> to tensor<49xf32>
    %p = arith.mulf %u, %v : tensor<49xf32>
    %t = sinter.row_reduce add %p : tensor<49xf32> -> f32
    sinter.yield %t : f32
  }
  return %y : tensor<1x14x14x32xf32>
}

// -----

// Something else reads these as they are.

// CHECK-LABEL: func @as_they_are
//       CHECK:   outs(%{{.+}}[d0, d1, d2] : tensor<3x3x32xbf16>)
func.func @as_they_are(%x: tensor<1x16x16x32xbf16>, %w: tensor<32x3x3xbf16>, %e: tensor<1x14x14x32xf32>, %g: tensor<1x14x14x32xbf16>)
    -> (tensor<1x14x14x32xf32>, tensor<1x14x14x32xbf16>) {
  %y:2 = sinter.rowwise (n = 1, y = 14, x = 14, c = 32) by (r = 3, s = 3)
      ins(%x[n, y + r, x + s, c] : tensor<1x16x16x32xbf16>, %w[c, r, s] : tensor<32x3x3xbf16>)
      outs(%e[n, y, x, c] : tensor<1x14x14x32xf32>, %g[n, y, x, c] : tensor<1x14x14x32xbf16>) {
  ^row(%a: tensor<9xbf16>, %b: tensor<9xbf16>):
    %u = arith.extf %a : tensor<9xbf16> to tensor<9xf32>
    %v = arith.extf %b : tensor<9xbf16> to tensor<9xf32>
    %p = arith.mulf %u, %v : tensor<9xf32>
    %t = sinter.row_reduce add %p : tensor<9xf32> -> f32
    %m = sinter.row_reduce maximumf %b : tensor<9xbf16> -> bf16
    sinter.yield %t, %m : f32, bf16
  }
  return %y#0, %y#1 : tensor<1x14x14x32xf32>, tensor<1x14x14x32xbf16>
}

// -----

// A maximum of many places has edges of its own, and no weights.

// CHECK-LABEL: func @pool
//       CHECK:   ins(%{{.+}}[d0, d1 - 2, d2 - 32] : tensor<1x14x224xf32> else 0xFF800000)
//       CHECK:   ins(%{{.+}}[n, y + r, x + s, c] : tensor<1x18x18x16xf32>)
func.func @pool(%x: tensor<1x14x14x16xf32>) -> tensor<1x14x14x16xf32> {
  %e = tensor.empty() : tensor<1x14x14x16xf32>
  %y = sinter.rowwise (n = 1, y = 14, x = 14, c = 16) by (r = 5, s = 5)
      ins(%x[n, y + r - 2, x + s - 2, c] : tensor<1x14x14x16xf32> else 0xFF800000) outs(%e[n, y, x, c] : tensor<1x14x14x16xf32>) {
  ^row(%a: tensor<25xf32>):
    %t = sinter.row_reduce maximumf %a : tensor<25xf32> -> f32
    sinter.yield %t : f32
  }
  return %y : tensor<1x14x14x16xf32>
}

// -----

// Weights that are in the order of channels, lines whose lanes are places, weights of few places and subscripts that
// are more than a dimension stay as they are.

// CHECK-LABEL: func @in_order
//   CHECK-NOT:   d0
func.func @in_order(%x: tensor<2x23x23x20xf32>, %w: tensor<3x3x20xf32>, %e: tensor<2x21x21x20xf32>) -> tensor<2x21x21x20xf32> {
  %y = sinter.rowwise (n = 2, y = 21, x = 21, c = 20) by (r = 3, s = 3)
      ins(%x[n, y + r, x + s, c] : tensor<2x23x23x20xf32>, %w[r, s, c] : tensor<3x3x20xf32>)
      outs(%e[n, y, x, c] : tensor<2x21x21x20xf32>) {
  ^row(%a: tensor<9xf32>, %b: tensor<9xf32>):
    %p = arith.mulf %a, %b : tensor<9xf32>
    %t = sinter.row_reduce add %p : tensor<9xf32> -> f32
    sinter.yield %t : f32
  }
  return %y : tensor<2x21x21x20xf32>
}

// -----

// CHECK-LABEL: func @lines
//   CHECK-NOT:   d0
func.func @lines(%x: tensor<2x20x23x23xf32>, %w: tensor<20x3x3xf32>, %e: tensor<2x20x21x21xf32>) -> tensor<2x20x21x21xf32> {
  %y = sinter.rowwise (n = 2, c = 20, y = 21, x = 21) by (r = 3, s = 3)
      ins(%x[n, c, y + r, x + s] : tensor<2x20x23x23xf32>, %w[c, r, s] : tensor<20x3x3xf32>)
      outs(%e[n, c, y, x] : tensor<2x20x21x21xf32>) {
  ^row(%a: tensor<9xf32>, %b: tensor<9xf32>):
    %p = arith.mulf %a, %b : tensor<9xf32>
    %t = sinter.row_reduce add %p : tensor<9xf32> -> f32
    sinter.yield %t : f32
  }
  return %y : tensor<2x20x21x21xf32>
}

// -----

// CHECK-LABEL: func @few_places
//   CHECK-NOT:   d0
func.func @few_places(%x: tensor<1x3x5x20xf32>, %w: tensor<20x3x3xf32>, %e: tensor<1x1x3x20xf32>) -> tensor<1x1x3x20xf32> {
  %y = sinter.rowwise (n = 1, y = 1, x = 3, c = 20) by (r = 3, s = 3)
      ins(%x[n, y + r, x + s, c] : tensor<1x3x5x20xf32>, %w[c, r, s] : tensor<20x3x3xf32>)
      outs(%e[n, y, x, c] : tensor<1x1x3x20xf32>) {
  ^row(%a: tensor<9xf32>, %b: tensor<9xf32>):
    %p = arith.mulf %a, %b : tensor<9xf32>
    %t = sinter.row_reduce add %p : tensor<9xf32> -> f32
    sinter.yield %t : f32
  }
  return %y : tensor<1x1x3x20xf32>
}

// -----

// CHECK-LABEL: func @part
//   CHECK-NOT:   d0
func.func @part(%x: tensor<2x23x23x20xf32>, %w: tensor<24x3x3xf32>, %e: tensor<2x21x21x20xf32>) -> tensor<2x21x21x20xf32> {
  %y = sinter.rowwise (n = 2, y = 21, x = 21, c = 20) by (r = 3, s = 3)
      ins(%x[n, y + r, x + s, c] : tensor<2x23x23x20xf32>, %w[c + 4, r, s] : tensor<24x3x3xf32>)
      outs(%e[n, y, x, c] : tensor<2x21x21x20xf32>) {
  ^row(%a: tensor<9xf32>, %b: tensor<9xf32>):
    %p = arith.mulf %a, %b : tensor<9xf32>
    %t = sinter.row_reduce add %p : tensor<9xf32> -> f32
    sinter.yield %t : f32
  }
  return %y : tensor<2x21x21x20xf32>
}

// RUN: sinter-opt --sinter-channel-lanes=least-work=0 --split-input-file %s | FileCheck %s
// RUN: sinter-opt --sinter-channel-lanes --split-input-file %s | FileCheck %s --check-prefix=WORTH

// More kernels are not worth it for so little work.

// WORTH-NOT: lane =

// 32 channels of lines of 9 results are two vectors of 16: image and taps are turned, the image gets its edges, and
// what is made is turned back. Taps are widened once, not for each place.

// CHECK-LABEL: func @short_lines
//       CHECK:   %[[X:.+]] = sinter.rowwise (d0 = 2, d1 = 289) by (d2 = 16)
//  CHECK-NEXT:       ins(%{{.+}}[d0, d2, d1] : tensor<2x16x289xbf16>)
//  CHECK-NEXT:       outs(%{{.+}}[d0, d1, d2] : tensor<2x289x16xbf16>)
//       CHECK:   %[[P:.+]] = sinter.rowwise (d0 = 1, d1 = 2, d2 = 23) by (d3 = 368)
//  CHECK-NEXT:       ins(%{{.+}}[d0, d1, d2 - 3, d3 - 48] : tensor<1x2x17x272xbf16> else 0.000000e+00)
//       CHECK:   sinter.rowwise (d0 = 2, d1 = 49) by (d2 = 16)
//       CHECK:     arith.extf %{{.+}} : tensor<16xbf16> to tensor<16xf32>
//       CHECK:   sinter.rowwise (n = 1, c = 2, y = 9, x = 9, lane = 16) by (r = 7, s = 7)
//  CHECK-NEXT:       ins(%{{.+}}[n, c, y * 2 + r, x * 2 + s, lane] : tensor<1x2x23x23x16xbf16>, %{{.+}}[c, r, s, lane] : tensor<2x7x7x16xf32>)
//  CHECK-NEXT:       outs(%{{.+}}[n, c, y, x, lane] : tensor<1x2x9x9x16xf32>)
//       CHECK:   sinter.rowwise (d0 = 2, d1 = 16) by (d2 = 81)
//  CHECK-NEXT:       ins(%{{.+}}[d0, d2, d1] : tensor<2x81x16xf32>)
//       CHECK:   tensor.expand_shape {{.*}} into tensor<1x32x9x9xf32>
func.func @short_lines(%x: tensor<1x32x17x17xbf16>, %w: tensor<32x7x7xbf16>) -> tensor<1x32x9x9xf32> {
  %e = tensor.empty() : tensor<1x32x9x9xf32>
  %y = sinter.rowwise (n = 1, c = 32, y = 9, x = 9) by (r = 7, s = 7)
      ins(%x[n, c, y * 2 + r - 3, x * 2 + s - 3] : tensor<1x32x17x17xbf16> else 0.0, %w[c, r, s] : tensor<32x7x7xbf16>)
      outs(%e[n, c, y, x] : tensor<1x32x9x9xf32>) {
  ^row(%a: tensor<49xbf16>, %b: tensor<49xbf16>):
    %u = arith.extf %a : tensor<49xbf16> to tensor<49xf32>
    %v = arith.extf %b : tensor<49xbf16> to tensor<49xf32>
    %p = arith.mulf %u, %v : tensor<49xf32>
    %t = sinter.row_reduce add %p : tensor<49xf32> -> f32
    sinter.yield %t : f32
  }
  return %y : tensor<1x32x9x9xf32>
}

// -----

// A maximum of windows has no taps.

// CHECK-LABEL: func @pool
//       CHECK:   sinter.rowwise (n = 2, c = 1, y = 7, x = 7, lane = 16) by (r = 3, s = 3)
func.func @pool(%x: tensor<2x16x7x7xf32>) -> tensor<2x16x7x7xf32> {
  %e = tensor.empty() : tensor<2x16x7x7xf32>
  %y = sinter.rowwise (n = 2, c = 16, y = 7, x = 7) by (r = 3, s = 3)
      ins(%x[n, c, y + r - 1, x + s - 1] : tensor<2x16x7x7xf32> else 0xFF800000)
      outs(%e[n, c, y, x] : tensor<2x16x7x7xf32>) {
  ^row(%a: tensor<9xf32>):
    %t = sinter.row_reduce maximumf %a : tensor<9xf32> -> f32
    sinter.yield %t : f32
  }
  return %y : tensor<2x16x7x7xf32>
}

// -----

// 24 channels are no whole vectors: of two, every fourth lane would be empty, and lines are no worse then.

// CHECK-LABEL: func @few_channels
//   CHECK-NOT:   lane
func.func @few_channels(%x: tensor<2x24x7x7xf32>) -> tensor<2x24x7x7xf32> {
  %e = tensor.empty() : tensor<2x24x7x7xf32>
  %y = sinter.rowwise (n = 2, c = 24, y = 7, x = 7) by (r = 3, s = 3)
      ins(%x[n, c, y + r - 1, x + s - 1] : tensor<2x24x7x7xf32> else 0.0) outs(%e[n, c, y, x] : tensor<2x24x7x7xf32>) {
  ^row(%a: tensor<9xf32>):
    %t = sinter.row_reduce maximumf %a : tensor<9xf32> -> f32
    sinter.yield %t : f32
  }
  return %y : tensor<2x24x7x7xf32>
}

// -----

// CHECK-LABEL: func @whole_lines
//   CHECK-NOT:   lane
func.func @whole_lines(%x: tensor<2x16x16x16xf32>) -> tensor<2x16x16x16xf32> {
  %e = tensor.empty() : tensor<2x16x16x16xf32>
  %y = sinter.rowwise (n = 2, c = 16, y = 16, x = 16) by (r = 5, s = 5)
      ins(%x[n, c, y + r - 2, x + s - 2] : tensor<2x16x16x16xf32> else 0.0) outs(%e[n, c, y, x] : tensor<2x16x16x16xf32>) {
  ^row(%a: tensor<25xf32>):
    %t = sinter.row_reduce maximumf %a : tensor<25xf32> -> f32
    sinter.yield %t : f32
  }
  return %y : tensor<2x16x16x16xf32>
}

// -----

// 3 x 3 windows of lines of 14: an element is turned for 9 multiplications.

// CHECK-LABEL: func @few_taps
//   CHECK-NOT:   lane
func.func @few_taps(%x: tensor<2x16x14x14xf32>) -> tensor<2x16x14x14xf32> {
  %e = tensor.empty() : tensor<2x16x14x14xf32>
  %y = sinter.rowwise (n = 2, c = 16, y = 14, x = 14) by (r = 3, s = 3)
      ins(%x[n, c, y + r - 1, x + s - 1] : tensor<2x16x14x14xf32> else 0.0) outs(%e[n, c, y, x] : tensor<2x16x14x14xf32>) {
  ^row(%a: tensor<9xf32>):
    %t = sinter.row_reduce maximumf %a : tensor<9xf32> -> f32
    sinter.yield %t : f32
  }
  return %y : tensor<2x16x14x14xf32>
}

// -----

// 31 channels are two vectors with one lane of zeros, which is not read back.

// CHECK-LABEL: func @odd_channels
//       CHECK:   sinter.rowwise (d0 = 3, d1 = 2, d2 = 16) by (d3 = 121)
//  CHECK-NEXT:       ins(%{{.+}}[d0, d1 * 16 + d2, d3] : tensor<3x31x121xf32> else 0.000000e+00)
//  CHECK-NEXT:       outs(%{{.+}}[d0, d1, d3, d2] : tensor<3x2x121x16xf32>)
//       CHECK:   sinter.rowwise (n = 3, c = 2, y = 7, x = 7, lane = 16) by (r = 5, s = 5)
//  CHECK-NEXT:       ins(%{{.+}}[n, c, y + r, x + s, lane] : tensor<3x2x11x11x16xf32>)
//       CHECK:   sinter.rowwise (d0 = 3, d1 = 31) by (d2 = 49)
//  CHECK-NEXT:       ins(%{{.+}}[d0, d1 floordiv 16, d2, d1 mod 16] : tensor<3x2x49x16xf32>)
func.func @odd_channels(%x: tensor<3x31x11x11xf32>) -> tensor<3x31x7x7xf32> {
  %e = tensor.empty() : tensor<3x31x7x7xf32>
  %y = sinter.rowwise (n = 3, c = 31, y = 7, x = 7) by (r = 5, s = 5)
      ins(%x[n, c, y + r, x + s] : tensor<3x31x11x11xf32>)
      outs(%e[n, c, y, x] : tensor<3x31x7x7xf32>) {
  ^row(%a: tensor<25xf32>):
    %t = sinter.row_reduce maximumf %a : tensor<25xf32> -> f32
    sinter.yield %t : f32
  }
  return %y : tensor<3x31x7x7xf32>
}

// -----

// A channel that is not there would be divided by 0.

// CHECK-LABEL: func @odd_channels_divided
//   CHECK-NOT:   lane
func.func @odd_channels_divided(%x: tensor<3x31x11x11xi32>, %q: tensor<31xi32>) -> tensor<3x31x7x7xi32> {
  %e = tensor.empty() : tensor<3x31x7x7xi32>
  %y = sinter.rowwise (n = 3, c = 31, y = 7, x = 7) by (r = 5, s = 5)
      ins(%x[n, c, y + r, x + s] : tensor<3x31x11x11xi32>, %q[c] : tensor<31xi32>)
      outs(%e[n, c, y, x] : tensor<3x31x7x7xi32>) {
  ^row(%a: tensor<25xi32>, %d: i32):
    %t = sinter.row_reduce add %a : tensor<25xi32> -> i32
    %z = arith.divsi %t, %d : i32
    sinter.yield %z : i32
  }
  return %y : tensor<3x31x7x7xi32>
}

// -----

// Nor does an assertion hold of it. Of whole vectors there is no such channel.

// CHECK-LABEL: func @odd_channels_asserted
//   CHECK-NOT:   lane
//       CHECK: func @whole_channels_asserted
//       CHECK:   lane = 16
func.func @odd_channels_asserted(%x: tensor<3x31x11x11xf32>, %q: tensor<31xi1>) -> tensor<3x31x7x7xf32> {
  %e = tensor.empty() : tensor<3x31x7x7xf32>
  %y = sinter.rowwise (n = 3, c = 31, y = 7, x = 7) by (r = 5, s = 5)
      ins(%x[n, c, y + r, x + s] : tensor<3x31x11x11xf32>, %q[c] : tensor<31xi1>)
      outs(%e[n, c, y, x] : tensor<3x31x7x7xf32>) {
  ^row(%a: tensor<25xf32>, %holds: i1):
    cf.assert %holds, "a channel that there is"
    %t = sinter.row_reduce add %a : tensor<25xf32> -> f32
    sinter.yield %t : f32
  }
  return %y : tensor<3x31x7x7xf32>
}
func.func @whole_channels_asserted(%x: tensor<3x32x11x11xf32>, %q: tensor<32xi1>) -> tensor<3x32x7x7xf32> {
  %e = tensor.empty() : tensor<3x32x7x7xf32>
  %y = sinter.rowwise (n = 3, c = 32, y = 7, x = 7) by (r = 5, s = 5)
      ins(%x[n, c, y + r, x + s] : tensor<3x32x11x11xf32>, %q[c] : tensor<32xi1>)
      outs(%e[n, c, y, x] : tensor<3x32x7x7xf32>) {
  ^row(%a: tensor<25xf32>, %holds: i1):
    cf.assert %holds, "a channel that there is"
    %t = sinter.row_reduce add %a : tensor<25xf32> -> f32
    sinter.yield %t : f32
  }
  return %y : tensor<3x32x7x7xf32>
}

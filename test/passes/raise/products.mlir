// RUN: sinter-opt --sinter-raise --split-input-file %s | FileCheck %s
// RUN: sinter-opt --pass-pipeline='builtin.module(sinter-raise{remarks=true})' --split-input-file --verify-diagnostics %s -o /dev/null

// The transpose of a weight is a subscript, and zeros are not added.

// CHECK-LABEL: func @linear
//  CHECK-SAME:   %[[X:.+]]: tensor<8x16xf32>, %[[W:.+]]: tensor<4x16xf32>
//       CHECK:   sinter.contract (i = 8) by (j = 4)
//  CHECK-NEXT:     product (k = 16) (%[[X]][i, k] : tensor<8x16xf32>, %[[W]][j, k] : tensor<4x16xf32>) : f32
//  CHECK-NEXT:     outs(%{{.+}}[i, j] : tensor<8x4xf32>)
//  CHECK-NEXT:   ^row(%[[A:.+]]: tensor<4xf32>):
//  CHECK-NEXT:     sinter.yield %[[A]]
//   CHECK-NOT:   linalg
func.func @linear(%x: tensor<8x16xf32>, %w: tensor<4x16xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %et = tensor.empty() : tensor<16x4xf32>
  %t = linalg.transpose ins(%w : tensor<4x16xf32>) outs(%et : tensor<16x4xf32>) permutation = [1, 0]
  %e = tensor.empty() : tensor<8x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  %y = linalg.matmul ins(%x, %t : tensor<8x16xf32>, tensor<16x4xf32>) outs(%f : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// -----

// What is there already is added in the body.

// CHECK-LABEL: func @accumulates
//       CHECK:     ins(%{{.+}}[i, j] : tensor<8x4xf32>)
//       CHECK:   ^row(%[[A:.+]]: tensor<4xf32>, %[[C:.+]]: tensor<4xf32>):
//  CHECK-NEXT:     arith.addf %[[C]], %[[A]] : tensor<4xf32>
func.func @accumulates(%x: tensor<8x16xf32>, %w: tensor<16x4xf32>, %c: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %y = linalg.matmul ins(%x, %w : tensor<8x16xf32>, tensor<16x4xf32>) outs(%c : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// -----

// A batch is a row dimension of both sides; a broadcast weight is not one of its own.

// CHECK-LABEL: func @batch
//       CHECK:   sinter.contract (i = 2, j = 8) by (k = 4)
//  CHECK-NEXT:     product (l = 16) (%{{.+}}[i, j, l] : tensor<2x8x16xf32>, %{{.+}}[l, k] : tensor<16x4xf32>) : f32
func.func @batch(%x: tensor<2x8x16xf32>, %w: tensor<16x4xf32>) -> tensor<2x8x4xf32> {
  %f = arith.constant dense<0.0> : tensor<2x8x4xf32>
  %e = tensor.empty() : tensor<2x16x4xf32>
  %b = linalg.broadcast ins(%w : tensor<16x4xf32>) outs(%e : tensor<2x16x4xf32>) dimensions = [0]
  %y = linalg.batch_matmul ins(%x, %b : tensor<2x8x16xf32>, tensor<2x16x4xf32>) outs(%f : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %y : tensor<2x8x4xf32>
}

// -----

// A transposed result has the left side's dimension last: the sides change places.

// CHECK-LABEL: func @transposed_result
//  CHECK-SAME:   %[[X:.+]]: tensor<8x16xf32>, %[[W:.+]]: tensor<16x4xf32>
//       CHECK:   sinter.contract (i = 4) by (j = 8)
//  CHECK-NEXT:     product (k = 16) (%[[W]][k, i] : tensor<16x4xf32>, %[[X]][j, k] : tensor<8x16xf32>) : f32
//  CHECK-NEXT:     outs(%{{.+}}[i, j] : tensor<4x8xf32>)
func.func @transposed_result(%x: tensor<8x16xf32>, %w: tensor<16x4xf32>) -> tensor<4x8xf32> {
  %f = arith.constant dense<0.0> : tensor<4x8xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (n, m)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<8x16xf32>, tensor<16x4xf32>) outs(%f : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.mulf %b, %a : f32
    %1 = arith.addf %0, %out : f32
    linalg.yield %1 : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// A matrix times a vector is a reduction.

// CHECK-LABEL: func @matvec
//       CHECK:   sinter.rowwise (i = 8) by (j = 16)
//       CHECK:     sinter.row_reduce add
func.func @matvec(%x: tensor<8x16xf32>, %v: tensor<16xf32>) -> tensor<8xf32> {
  %f = arith.constant dense<0.0> : tensor<8xf32>
  %y = linalg.matvec ins(%x, %v : tensor<8x16xf32>, tensor<16xf32>) outs(%f : tensor<8xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

// Half types are summed in f32; what is there already is added before the result is narrow again.

// CHECK-LABEL: func @half
//       CHECK:     product (k = 16) (%{{.+}}[i, k] : tensor<8x16xbf16>, %{{.+}}[k, j] : tensor<16x4xbf16>) : f32
//       CHECK:   ^row(%[[A:.+]]: tensor<4xf32>, %[[C:.+]]: tensor<4xbf16>):
//  CHECK-NEXT:     %[[W:.+]] = arith.extf %[[C]] : tensor<4xbf16> to tensor<4xf32>
//  CHECK-NEXT:     %[[S:.+]] = arith.addf %[[W]], %[[A]] : tensor<4xf32>
//  CHECK-NEXT:     %[[T:.+]] = arith.truncf %[[S]] : tensor<4xf32> to tensor<4xbf16>
//  CHECK-NEXT:     sinter.yield %[[T]]
func.func @half(%x: tensor<8x16xbf16>, %w: tensor<16x4xbf16>, %c: tensor<8x4xbf16>) -> tensor<8x4xbf16> {
  %y = linalg.matmul ins(%x, %w : tensor<8x16xbf16>, tensor<16x4xbf16>) outs(%c : tensor<8x4xbf16>) -> tensor<8x4xbf16>
  return %y : tensor<8x4xbf16>
}

// -----

// Sides that the body widens stay narrow.

// CHECK-LABEL: func @widened
//       CHECK:     product (k = 16) (%{{.+}}[i, k] : tensor<8x16xi8>, %{{.+}}[k, j] : tensor<16x4xi8>) : i32
//       CHECK:   ^row(%[[A:.+]]: tensor<4xi32>):
//  CHECK-NEXT:     sinter.yield %[[A]]
func.func @widened(%x: tensor<8x16xi8>, %w: tensor<16x4xi8>) -> tensor<8x4xi32> {
  %f = arith.constant dense<0> : tensor<8x4xi32>
  %y = linalg.matmul ins(%x, %w : tensor<8x16xi8>, tensor<16x4xi8>) outs(%f : tensor<8x4xi32>) -> tensor<8x4xi32>
  return %y : tensor<8x4xi32>
}

// -----

// Unsigned sides are no product of ours, but a reduction.

// CHECK-LABEL: func @unsigned
//       CHECK:   sinter.rowwise (i = 8, j = 4) by (k = 16)
//       CHECK:     arith.extui
//       CHECK:     sinter.row_reduce add
func.func @unsigned(%x: tensor<8x16xi8>, %w: tensor<16x4xi8>) -> tensor<8x4xi32> {
  %f = arith.constant dense<0> : tensor<8x4xi32>
  %y = linalg.matmul {cast = #linalg.type_fn<cast_unsigned>} ins(%x, %w : tensor<8x16xi8>, tensor<16x4xi8>) outs(%f : tensor<8x4xi32>) -> tensor<8x4xi32>
  return %y : tensor<8x4xi32>
}

// -----

// So is one with zero points.

// CHECK-LABEL: func @zero_points
//       CHECK:   sinter.rowwise (i = 8, j = 4) by (k = 16)
//       CHECK:     sinter.row_reduce add
func.func @zero_points(%x: tensor<8x16xi8>, %w: tensor<16x4xi8>, %p: i32, %q: i32) -> tensor<8x4xi32> {
  %f = arith.constant dense<0> : tensor<8x4xi32>
  %y = linalg.quantized_matmul ins(%x, %w, %p, %q : tensor<8x16xi8>, tensor<16x4xi8>, i32, i32) outs(%f : tensor<8x4xi32>) -> tensor<8x4xi32>
  return %y : tensor<8x4xi32>
}

// -----

// A convolution with channels in dimension 1: columns are the pixels, and a bias is one number a row.

// CHECK-LABEL: func @conv_nchw
//  CHECK-SAME:   %[[X:.+]]: tensor<2x6x11x13xf32>, %[[W:.+]]: tensor<5x6x3x2xf32>, %[[B:.+]]: tensor<5xf32>
//       CHECK:   sinter.contract (i = 2, j = 5) by (k = 5, l = 4)
//  CHECK-NEXT:     product (m = 6, n = 3, o = 2) (%[[W]][j, m, n, o] : tensor<5x6x3x2xf32>, %[[X]][i, m, k * 2 + n, l * 3 + o * 2] : tensor<2x6x11x13xf32>) : f32
//  CHECK-NEXT:     ins(%[[B]][j] : tensor<5xf32>)
//  CHECK-NEXT:     outs(%{{.+}}[i, j, k, l] : tensor<2x5x5x4xf32>)
func.func @conv_nchw(%x: tensor<2x6x11x13xf32>, %w: tensor<5x6x3x2xf32>, %b: tensor<5xf32>) -> tensor<2x5x5x4xf32> {
  %e = tensor.empty() : tensor<2x5x5x4xf32>
  %i = linalg.broadcast ins(%b : tensor<5xf32>) outs(%e : tensor<2x5x5x4xf32>) dimensions = [0, 2, 3]
  %y = linalg.conv_2d_nchw_fchw {strides = dense<[2, 3]> : tensor<2xi64>, dilations = dense<[1, 2]> : tensor<2xi64>}
      ins(%x, %w : tensor<2x6x11x13xf32>, tensor<5x6x3x2xf32>) outs(%i : tensor<2x5x5x4xf32>) -> tensor<2x5x5x4xf32>
  return %y : tensor<2x5x5x4xf32>
}

// -----

// With channels last these are the columns.

// CHECK-LABEL: func @conv_nhwc
//       CHECK:   sinter.contract (i = 2, j = 9, k = 12) by (l = 5)
//  CHECK-NEXT:     product (m = 3, n = 2, o = 6) (%{{.+}}[i, j + m, k + n, o] : tensor<2x11x13x6xf32>, %{{.+}}[m, n, o, l] : tensor<3x2x6x5xf32>) : f32
func.func @conv_nhwc(%x: tensor<2x11x13x6xf32>, %w: tensor<3x2x6x5xf32>) -> tensor<2x9x12x5xf32> {
  %f = arith.constant dense<0.0> : tensor<2x9x12x5xf32>
  %y = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<2x11x13x6xf32>, tensor<3x2x6x5xf32>) outs(%f : tensor<2x9x12x5xf32>) -> tensor<2x9x12x5xf32>
  return %y : tensor<2x9x12x5xf32>
}

// -----

// A group is a row dimension of both sides.

// CHECK-LABEL: func @conv_grouped
//       CHECK:   sinter.contract (i = 2, j = 3, k = 5) by (l = 7, m = 6)
//  CHECK-NEXT:     product (n = 4, o = 3, p = 3) (%{{.+}}[j, k, n, o, p] : tensor<3x5x4x3x3xf32>, %{{.+}}[i, j, n, l + o, m + p] : tensor<2x3x4x9x8xf32>) : f32
func.func @conv_grouped(%x: tensor<2x3x4x9x8xf32>, %w: tensor<3x5x4x3x3xf32>) -> tensor<2x3x5x7x6xf32> {
  %f = arith.constant dense<0.0> : tensor<2x3x5x7x6xf32>
  %y = linalg.conv_2d_ngchw_gfchw ins(%x, %w : tensor<2x3x4x9x8xf32>, tensor<3x5x4x3x3xf32>) outs(%f : tensor<2x3x5x7x6xf32>) -> tensor<2x3x5x7x6xf32>
  return %y : tensor<2x3x5x7x6xf32>
}

// -----

// Images of one pixel have no columns in them: columns are the channels, of each group.

// CHECK-LABEL: func @conv_one_pixel
//       CHECK:   sinter.contract (i = 2, j = 1, k = 1) by (l = 5)
//  CHECK-NEXT:     product (m = 6, n = 3, o = 3) (%{{.+}}[i, m, j * 2 + n, k * 2 + o] : tensor<2x6x3x4xf32>, %{{.+}}[l, m, n, o] : tensor<5x6x3x3xf32>) : f32
func.func @conv_one_pixel(%x: tensor<2x6x3x4xf32>, %w: tensor<5x6x3x3xf32>) -> tensor<2x5x1x1xf32> {
  %f = arith.constant dense<0.0> : tensor<2x5x1x1xf32>
  %y = linalg.conv_2d_nchw_fchw {strides = dense<2> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%x, %w : tensor<2x6x3x4xf32>, tensor<5x6x3x3xf32>) outs(%f : tensor<2x5x1x1xf32>) -> tensor<2x5x1x1xf32>
  return %y : tensor<2x5x1x1xf32>
}

// CHECK-LABEL: func @conv_grouped_one_pixel
//       CHECK:   sinter.contract (i = 3, j = ?, k = 1, l = 1) by (m = 5)
//  CHECK-NEXT:     product (n = 4, o = 3, p = 3) (%{{.+}}[j, i, n, k + o, l + p] : tensor<?x3x4x3x3xf32>, %{{.+}}[i, m, n, o, p] : tensor<3x5x4x3x3xf32>) : f32
func.func @conv_grouped_one_pixel(%x: tensor<?x3x4x3x3xf32>, %w: tensor<3x5x4x3x3xf32>, %f: tensor<?x3x5x1x1xf32>) -> tensor<?x3x5x1x1xf32> {
  %y = linalg.conv_2d_ngchw_gfchw ins(%x, %w : tensor<?x3x4x3x3xf32>, tensor<3x5x4x3x3xf32>) outs(%f : tensor<?x3x5x1x1xf32>) -> tensor<?x3x5x1x1xf32>
  return %y : tensor<?x3x5x1x1xf32>
}

// -----

// Of a single image of one pixel nothing but the channels has rows of its own: a vector times a matrix stays.

// CHECK-LABEL: func @conv_single_pixel
//       CHECK:   sinter.contract (i = 1, j = 5) by (k = 1, l = 1)
func.func @conv_single_pixel(%x: tensor<1x6x3x3xf32>, %w: tensor<5x6x3x3xf32>) -> tensor<1x5x1x1xf32> {
  %f = arith.constant dense<0.0> : tensor<1x5x1x1xf32>
  %y = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x6x3x3xf32>, tensor<5x6x3x3xf32>) outs(%f : tensor<1x5x1x1xf32>) -> tensor<1x5x1x1xf32>
  return %y : tensor<1x5x1x1xf32>
}

// CHECK-LABEL: func @one_column
//       CHECK:   sinter.contract (i = 8) by (j = 1)
func.func @one_column(%x: tensor<8x16xf32>, %w: tensor<16x1xf32>) -> tensor<8x1xf32> {
  %f = arith.constant dense<0.0> : tensor<8x1xf32>
  %y = linalg.matmul ins(%x, %w : tensor<8x16xf32>, tensor<16x1xf32>) outs(%f : tensor<8x1xf32>) -> tensor<8x1xf32>
  return %y : tensor<8x1xf32>
}

// -----

// Where each channel has its own window, no dimension is the weight's alone: a reduction.

// CHECK-LABEL: func @conv_depthwise
//       CHECK:   sinter.rowwise (i = 2, j = 6, k = 9, l = 11) by (m = 3, n = 3)
//  CHECK-NEXT:     ins(%{{.+}}[i, j, k + m, l + n] : tensor<2x6x11x13xf32>, %{{.+}}[j, m, n] : tensor<6x3x3xf32>)
func.func @conv_depthwise(%x: tensor<2x6x11x13xf32>, %w: tensor<6x3x3xf32>) -> tensor<2x6x9x11xf32> {
  %f = arith.constant dense<0.0> : tensor<2x6x9x11xf32>
  %y = linalg.depthwise_conv_2d_nchw_chw ins(%x, %w : tensor<2x6x11x13xf32>, tensor<6x3x3xf32>) outs(%f : tensor<2x6x9x11xf32>) -> tensor<2x6x9x11xf32>
  return %y : tensor<2x6x9x11xf32>
}

// -----

// Where the batch is the result's last dimension, columns are those in front of it, and rows
// that the columns' side does not have come last.

// CHECK-LABEL: func @batch_last
//       CHECK:   sinter.contract (i = 2, j = 8) by (k = 4)
//  CHECK-NEXT:     product (l = 16) (%{{.+}}[i, j, l] : tensor<2x8x16xf32>, %{{.+}}[i, l, k] : tensor<2x16x4xf32>) : f32
//  CHECK-NEXT:     ins(%{{.+}}[j, k, i] : tensor<8x4x2xf32>)
//  CHECK-NEXT:     outs(%{{.+}}[j, k, i] : tensor<8x4x2xf32>)
func.func @batch_last(%x: tensor<2x8x16xf32>, %w: tensor<2x16x4xf32>, %c: tensor<8x4x2xf32>) -> tensor<8x4x2xf32> {
  %y = linalg.generic {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, k, n)>, affine_map<(b, m, n, k) -> (m, n, b)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<2x8x16xf32>, tensor<2x16x4xf32>) outs(%c : tensor<8x4x2xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<8x4x2xf32>
  return %y : tensor<8x4x2xf32>
}

// -----

// Three factors are a reduction.

// CHECK-LABEL: func @three_factors
//       CHECK:   sinter.rowwise (i = 8, j = 4) by (k = 16)
func.func @three_factors(%x: tensor<8x16xf32>, %s: tensor<16xf32>, %w: tensor<16x4xf32>) -> tensor<8x4xf32> {
  %f = arith.constant dense<0.0> : tensor<8x4xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %s, %w : tensor<8x16xf32>, tensor<16xf32>, tensor<16x4xf32>) outs(%f : tensor<8x4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %out: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.mulf %0, %c : f32
    %2 = arith.addf %out, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// -----

// CHECK-LABEL: func @one_side
//       CHECK:   sinter.rowwise (i = 8, j = 4) by (k = 16, l = 3)
func.func @one_side(%x: tensor<8x16x3xf32>, %w: tensor<16x4xf32>, %c: tensor<8x4xf32>) -> tensor<8x4xf32> {
  // expected-remark @+1 {{dimension 3 is on one side of the product alone, or on none}}
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, k, l) -> (m, k, l)>, affine_map<(m, n, k, l) -> (k, n)>, affine_map<(m, n, k, l) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : tensor<8x16x3xf32>, tensor<16x4xf32>) outs(%c : tensor<8x4xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// -----

func.func @unwritten(%x: tensor<8x16xf32>, %w: tensor<16x4xf32>) -> tensor<8x4xf32> {
  %e = tensor.empty() : tensor<8x4xf32>
  // expected-remark @+2 {{adds to a destination that nothing has written}}
  // expected-remark @+1 {{reduces into a destination that nothing has written}}
  %y = linalg.matmul ins(%x, %w : tensor<8x16xf32>, tensor<16x4xf32>) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// -----

// CHECK-LABEL: func @strided_side
//       CHECK:     product (k = 16) (%{{.+}}[i, k * 2] : tensor<8x32xf32>, %{{.+}}[k, j] : tensor<16x4xf32>) : f32
func.func @strided_side(%x: tensor<8x32xf32>, %w: tensor<16x4xf32>, %c: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k * 2)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<8x32xf32>, tensor<16x4xf32>) outs(%c : tensor<8x4xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// -----

// A batch of one that a transpose hides from both sides is a row of the result, and no reason against a product.

// CHECK-LABEL: func @hidden_batch
//       CHECK:   sinter.contract (i = 1, j = 8) by (k = 4)
//  CHECK-NEXT:     product (l = 2, m = 16)
//   CHECK-NOT:   sinter.rowwise
func.func @hidden_batch(%x: tensor<2x8x16xf32>, %w: tensor<4x32xf32>) -> tensor<1x8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %v = tensor.expand_shape %x [[0, 1], [2], [3]] output_shape [1, 2, 8, 16] : tensor<2x8x16xf32> into tensor<1x2x8x16xf32>
  %u = tensor.expand_shape %w [[0], [1, 2]] output_shape [4, 2, 16] : tensor<4x32xf32> into tensor<4x2x16xf32>
  %e = tensor.empty() : tensor<1x8x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x8x4xf32>) -> tensor<1x8x4xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(b, i, j, l, m) -> (b, l, i, m)>,
                                        affine_map<(b, i, j, l, m) -> (j, l, m)>,
                                        affine_map<(b, i, j, l, m) -> (b, i, j)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%v, %u : tensor<1x2x8x16xf32>, tensor<4x2x16xf32>) outs(%f : tensor<1x8x4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<1x8x4xf32>
  return %y : tensor<1x8x4xf32>
}

// -----

// A weight of one column that was transposed is a reshape of itself: the product's column is its dimension of size 1.

// CHECK-LABEL: func @one_column
//       CHECK:   sinter.contract (i = 4) by (j = 1)
//  CHECK-NEXT:       product (k = 16) (%arg0[i, k] : tensor<4x16xf32>, %arg1[j, k] : tensor<1x16xf32>) : f32
func.func @one_column(%x: tensor<4x16xf32>, %w: tensor<1x16xf32>, %out: tensor<4x1xf32>) -> tensor<4x1xf32> {
  %c = tensor.collapse_shape %w [[0, 1]] : tensor<1x16xf32> into tensor<16xf32>
  %e = tensor.expand_shape %c [[0, 1]] output_shape [16, 1] : tensor<16xf32> into tensor<16x1xf32>
  %y = linalg.matmul ins(%x, %e : tensor<4x16xf32>, tensor<16x1xf32>) outs(%out : tensor<4x1xf32>) -> tensor<4x1xf32>
  return %y : tensor<4x1xf32>
}

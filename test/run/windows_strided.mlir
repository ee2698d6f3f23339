// RUN: %python %source/test/fuzz/run --bin=%build/bin --every-road --file=%s | FileCheck %s
// REQUIRES: numpy

// Windows that step by 2 and 3 and begin and end in the padding, against NumPy: what is copied of a row begins at the
// first step inside of it, which is rounded up.

// CHECK: {{^right}}

// inputs: normal 1
func.func @main(%x0: tensor<1x9x11x5xf32>, %w0: tensor<3x3x5x7xf32>, %x1: tensor<2x5x11x9xf32>, %w1: tensor<7x5x3x3xf32>, %x2: tensor<1x3x13x12xf32>, %w2: tensor<6x3x5x4xf32>, %x3: tensor<2x4x8x17xf32>, %w3: tensor<5x4x3x3xf32>, %x4: tensor<2x7x10x3xf32>, %w4: tensor<4x3x3x6xf32>)
    -> (tensor<1x5x6x7xf32>, tensor<2x7x6x5xf32>, tensor<1x6x4x4xf32>, tensor<2x5x4x8xf32>, tensor<2x3x4x6xf32>) {
  %zero = arith.constant 0.0 : f32
  // nhwc_hwcf, stride 2, 1 in front of and 1 behind each row and column.
  %p0 = tensor.pad %x0 low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%a0: index, %b0: index, %c0: index, %d0: index):
    tensor.yield %zero : f32
  } : tensor<1x9x11x5xf32> to tensor<1x11x13x5xf32>
  %e0 = tensor.empty() : tensor<1x5x6x7xf32>
  %i0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<1x5x6x7xf32>) -> tensor<1x5x6x7xf32>
  %y0 = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>} ins(%p0, %w0 : tensor<1x11x13x5xf32>, tensor<3x3x5x7xf32>) outs(%i0 : tensor<1x5x6x7xf32>) -> tensor<1x5x6x7xf32>
  // nchw_fchw, stride 2, 1 in front of and 1 behind each row and column.
  %p1 = tensor.pad %x1 low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a1: index, %b1: index, %c1: index, %d1: index):
    tensor.yield %zero : f32
  } : tensor<2x5x11x9xf32> to tensor<2x5x13x11xf32>
  %e1 = tensor.empty() : tensor<2x7x6x5xf32>
  %i1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<2x7x6x5xf32>) -> tensor<2x7x6x5xf32>
  %y1 = linalg.conv_2d_nchw_fchw {strides = dense<2> : tensor<2xi64>} ins(%p1, %w1 : tensor<2x5x13x11xf32>, tensor<7x5x3x3xf32>) outs(%i1 : tensor<2x7x6x5xf32>) -> tensor<2x7x6x5xf32>
  // nchw_fchw, stride 3, 2 in front of and 1 behind each row and column.
  %p2 = tensor.pad %x2 low[0, 0, 2, 2] high[0, 0, 1, 1] {
  ^bb0(%a2: index, %b2: index, %c2: index, %d2: index):
    tensor.yield %zero : f32
  } : tensor<1x3x13x12xf32> to tensor<1x3x16x15xf32>
  %e2 = tensor.empty() : tensor<1x6x4x4xf32>
  %i2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<1x6x4x4xf32>) -> tensor<1x6x4x4xf32>
  %y2 = linalg.conv_2d_nchw_fchw {strides = dense<3> : tensor<2xi64>} ins(%p2, %w2 : tensor<1x3x16x15xf32>, tensor<6x3x5x4xf32>) outs(%i2 : tensor<1x6x4x4xf32>) -> tensor<1x6x4x4xf32>
  // nchw_fchw, stride 2, 1 in front of and 0 behind each row and column.
  %p3 = tensor.pad %x3 low[0, 0, 1, 1] high[0, 0, 0, 0] {
  ^bb0(%a3: index, %b3: index, %c3: index, %d3: index):
    tensor.yield %zero : f32
  } : tensor<2x4x8x17xf32> to tensor<2x4x9x18xf32>
  %e3 = tensor.empty() : tensor<2x5x4x8xf32>
  %i3 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<2x5x4x8xf32>) -> tensor<2x5x4x8xf32>
  %y3 = linalg.conv_2d_nchw_fchw {strides = dense<2> : tensor<2xi64>} ins(%p3, %w3 : tensor<2x4x9x18xf32>, tensor<5x4x3x3xf32>) outs(%i3 : tensor<2x5x4x8xf32>) -> tensor<2x5x4x8xf32>
  // nhwc_hwcf, stride 3, 1 in front of and 2 behind each row and column.
  %p4 = tensor.pad %x4 low[0, 1, 1, 0] high[0, 2, 2, 0] {
  ^bb0(%a4: index, %b4: index, %c4: index, %d4: index):
    tensor.yield %zero : f32
  } : tensor<2x7x10x3xf32> to tensor<2x10x13x3xf32>
  %e4 = tensor.empty() : tensor<2x3x4x6xf32>
  %i4 = linalg.fill ins(%zero : f32) outs(%e4 : tensor<2x3x4x6xf32>) -> tensor<2x3x4x6xf32>
  %y4 = linalg.conv_2d_nhwc_hwcf {strides = dense<3> : tensor<2xi64>} ins(%p4, %w4 : tensor<2x10x13x3xf32>, tensor<4x3x3x6xf32>) outs(%i4 : tensor<2x3x4x6xf32>) -> tensor<2x3x4x6xf32>
  return %y0, %y1, %y2, %y3, %y4 : tensor<1x5x6x7xf32>, tensor<2x7x6x5xf32>, tensor<1x6x4x4xf32>, tensor<2x5x4x8xf32>, tensor<2x3x4x6xf32>
}

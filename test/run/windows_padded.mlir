// RUN: %python %source/test/fuzz/run --bin=%build/bin --every-road --file=%s | FileCheck %s
// REQUIRES: numpy

// Windows of single channels with padding on all sides, against NumPy: lines of one vector and a part of another, of
// less than one, and steps of 2. A line's vectors are written out one behind the other, the last one overlaps.

// CHECK: {{^right}}

// inputs: normal 1
func.func @main(%x0: tensor<2x3x18x18xf32>, %w0: tensor<3x7x7xf32>, %x1: tensor<1x5x7x7xf32>, %w1: tensor<5x5x5xf32>, %x2: tensor<2x4x28x29xf32>, %w2: tensor<4x5x5xf32>)
    -> (tensor<2x3x18x18xf32>, tensor<1x5x7x7xf32>, tensor<2x4x14x15xf32>) {
  %zero = arith.constant 0.0 : f32
  %p0 = tensor.pad %x0 low[0, 0, 3, 3] high[0, 0, 3, 3] {
  ^bb0(%a0: index, %b0: index, %c0: index, %d0: index):
    tensor.yield %zero : f32
  } : tensor<2x3x18x18xf32> to tensor<2x3x24x24xf32>
  %e0 = tensor.empty() : tensor<2x3x18x18xf32>
  %i0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<2x3x18x18xf32>) -> tensor<2x3x18x18xf32>
  %y0 = linalg.depthwise_conv_2d_nchw_chw ins(%p0, %w0 : tensor<2x3x24x24xf32>, tensor<3x7x7xf32>) outs(%i0 : tensor<2x3x18x18xf32>) -> tensor<2x3x18x18xf32>
  %p1 = tensor.pad %x1 low[0, 0, 2, 2] high[0, 0, 2, 2] {
  ^bb0(%a1: index, %b1: index, %c1: index, %d1: index):
    tensor.yield %zero : f32
  } : tensor<1x5x7x7xf32> to tensor<1x5x11x11xf32>
  %e1 = tensor.empty() : tensor<1x5x7x7xf32>
  %i1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<1x5x7x7xf32>) -> tensor<1x5x7x7xf32>
  %y1 = linalg.depthwise_conv_2d_nchw_chw ins(%p1, %w1 : tensor<1x5x11x11xf32>, tensor<5x5x5xf32>) outs(%i1 : tensor<1x5x7x7xf32>) -> tensor<1x5x7x7xf32>
  %p2 = tensor.pad %x2 low[0, 0, 2, 2] high[0, 0, 2, 2] {
  ^bb0(%a2: index, %b2: index, %c2: index, %d2: index):
    tensor.yield %zero : f32
  } : tensor<2x4x28x29xf32> to tensor<2x4x32x33xf32>
  %e2 = tensor.empty() : tensor<2x4x14x15xf32>
  %i2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<2x4x14x15xf32>) -> tensor<2x4x14x15xf32>
  %y2 = linalg.depthwise_conv_2d_nchw_chw {strides = dense<2> : tensor<2xi64>} ins(%p2, %w2 : tensor<2x4x32x33xf32>, tensor<4x5x5xf32>) outs(%i2 : tensor<2x4x14x15xf32>) -> tensor<2x4x14x15xf32>
  return %y0, %y1, %y2 : tensor<2x3x18x18xf32>, tensor<1x5x7x7xf32>, tensor<2x4x14x15xf32>
}

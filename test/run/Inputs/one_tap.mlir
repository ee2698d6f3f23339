func.func @taps(%x: tensor<2x5x6x7xf32>, %w: tensor<4x5xf32>) -> tensor<2x4x6x7xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x4x6x7xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2x4x6x7xf32>) -> tensor<2x4x6x7xf32>
  %v = tensor.expand_shape %w [[0], [1, 2, 3]] output_shape [4, 5, 1, 1] : tensor<4x5xf32> into tensor<4x5x1x1xf32>
  %y = linalg.conv_2d_nchw_fchw ins(%x, %v : tensor<2x5x6x7xf32>, tensor<4x5x1x1xf32>) outs(%f : tensor<2x4x6x7xf32>) -> tensor<2x4x6x7xf32>
  return %y : tensor<2x4x6x7xf32>
}

func.func @one_channel(%x: tensor<2x1x6x7xf32>, %w: tensor<4xf32>) -> tensor<2x4x6x7xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x4x6x7xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2x4x6x7xf32>) -> tensor<2x4x6x7xf32>
  %v = tensor.expand_shape %w [[0, 1, 2, 3]] output_shape [4, 1, 1, 1] : tensor<4xf32> into tensor<4x1x1x1xf32>
  %y = linalg.conv_2d_nchw_fchw ins(%x, %v : tensor<2x1x6x7xf32>, tensor<4x1x1x1xf32>) outs(%f : tensor<2x4x6x7xf32>) -> tensor<2x4x6x7xf32>
  return %y : tensor<2x4x6x7xf32>
}

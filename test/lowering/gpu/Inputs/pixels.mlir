func.func @pixels(%arg0: tensor<19x32x512x512xf32>) -> tensor<19x8x1024x1024xf32> {
  %expanded = tensor.expand_shape %arg0 [[0], [1, 2, 3], [4], [5]] output_shape [19, 8, 2, 2, 512, 512] : tensor<19x32x512x512xf32> into tensor<19x8x2x2x512x512xf32>
  %0 = tensor.empty() : tensor<19x8x512x2x512x2xf32>
  %transposed = linalg.transpose ins(%expanded : tensor<19x8x2x2x512x512xf32>) outs(%0 : tensor<19x8x512x2x512x2xf32>) permutation = [0, 1, 4, 2, 5, 3] 
  %collapsed = tensor.collapse_shape %transposed [[0], [1], [2, 3], [4, 5]] : tensor<19x8x512x2x512x2xf32> into tensor<19x8x1024x1024xf32>
  return %collapsed : tensor<19x8x1024x1024xf32>
}

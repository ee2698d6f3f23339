func.func @main(%x: tensor<8x16xf32>, %w: tensor<16x32xf32>, %v: tensor<32x5xf32>) -> tensor<8x5xf32> {
  %d = tensor.empty() : tensor<8x16xf32>
  %a = linalg.exp ins(%x : tensor<8x16xf32>) outs(%d : tensor<8x16xf32>) -> tensor<8x16xf32>
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x32xf32>
  %e0 = linalg.fill ins(%z : f32) outs(%e : tensor<8x32xf32>) -> tensor<8x32xf32>
  %p = linalg.matmul ins(%a, %w : tensor<8x16xf32>, tensor<16x32xf32>) outs(%e0 : tensor<8x32xf32>) -> tensor<8x32xf32>
  %h = linalg.tanh ins(%p : tensor<8x32xf32>) outs(%e : tensor<8x32xf32>) -> tensor<8x32xf32>
  %f = tensor.empty() : tensor<8x5xf32>
  %f0 = linalg.fill ins(%z : f32) outs(%f : tensor<8x5xf32>) -> tensor<8x5xf32>
  %y = linalg.matmul ins(%h, %v : tensor<8x32xf32>, tensor<32x5xf32>) outs(%f0 : tensor<8x5xf32>) -> tensor<8x5xf32>
  return %y : tensor<8x5xf32>
}

func.func @main(%x: tensor<1x256xf32>, %w: tensor<64x256xf32>, %v: tensor<32x64xf32>, %u: tensor<8x32xf32>) -> tensor<1x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x64xf32>) -> tensor<1x64xf32>
  %a = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>,
                                      affine_map<(i, j, k) -> (i, j)>]
       ins(%x, %w : tensor<1x256xf32>, tensor<64x256xf32>) outs(%f : tensor<1x64xf32>) -> tensor<1x64xf32>
  %e1 = tensor.empty() : tensor<1x32xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<1x32xf32>) -> tensor<1x32xf32>
  %b = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>,
                                      affine_map<(i, j, k) -> (i, j)>]
       ins(%a, %v : tensor<1x64xf32>, tensor<32x64xf32>) outs(%f1 : tensor<1x32xf32>) -> tensor<1x32xf32>
  %e2 = tensor.empty() : tensor<1x8xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<1x8xf32>) -> tensor<1x8xf32>
  %c = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>,
                                      affine_map<(i, j, k) -> (i, j)>]
       ins(%b, %u : tensor<1x32xf32>, tensor<8x32xf32>) outs(%f2 : tensor<1x8xf32>) -> tensor<1x8xf32>
  return %c : tensor<1x8xf32>
}

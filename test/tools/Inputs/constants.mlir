#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %w = arith.constant dense_resource<w> : tensor<8x64xf32>
  %v = arith.constant dense_resource<v> : tensor<8x64xf32>
  %ones = arith.constant dense_resource<ones> : tensor<32x32xf32>
  %part = tensor.extract_slice %ones[0, 0] [8, 32] [1, 1] : tensor<32x32xf32> to tensor<8x32xf32>
  %wide = tensor.concat dim(1) %part, %part : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x64xf32>
  %e = tensor.empty() : tensor<8x64xf32>
  %r = linalg.generic {indexing_maps = [#id, #id, #id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %w, %v, %wide : tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x64xf32>)
      outs(%e : tensor<8x64xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32, %o: f32):
    %p = arith.mulf %c, %d : f32
    %s = arith.addf %b, %p : f32
    %t = arith.addf %a, %s : f32
    linalg.yield %t : f32
  } -> tensor<8x64xf32>
  return %r : tensor<8x64xf32>
}

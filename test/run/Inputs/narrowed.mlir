#same = affine_map<(i, j) -> (i, j)>
func.func @half() -> tensor<20x33xbf16> {
  %w = arith.constant dense_resource<w> : tensor<20x33xf32>
  %e = tensor.empty() : tensor<20x33xbf16>
  %a = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<20x33xf32>) outs(%e : tensor<20x33xbf16>) {
  ^bb0(%x: f32, %y: bf16):
    %n = arith.truncf %x : f32 to bf16
    linalg.yield %n : bf16
  } -> tensor<20x33xbf16>
  return %a : tensor<20x33xbf16>
}

func.func @byte() -> tensor<20x33xf8E5M2> {
  %w = arith.constant dense_resource<w> : tensor<20x33xf32>
  %e = tensor.empty() : tensor<20x33xf8E5M2>
  %a = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<20x33xf32>) outs(%e : tensor<20x33xf8E5M2>) {
  ^bb0(%x: f32, %y: f8E5M2):
    %n = arith.truncf %x : f32 to f8E5M2
    linalg.yield %n : f8E5M2
  } -> tensor<20x33xf8E5M2>
  return %a : tensor<20x33xf8E5M2>
}

// Half the sum of squares of each row.
func.func @energy(%x: tensor<2x3xf32>) -> tensor<2xf32> {
  %half = arith.constant 0.5 : f32
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<2x3xf32>) outs(%f : tensor<2xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %q = arith.mulf %a, %a : f32
    %h = arith.mulf %q, %half : f32
    %t = arith.addf %acc, %h : f32
    linalg.yield %t : f32
  } -> tensor<2xf32>
  return %s : tensor<2xf32>
}

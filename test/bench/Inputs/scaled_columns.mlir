// An exponential for each column, which is no matter of a cache: aggressive computes it for each of the rows.
func.func @main(%x: tensor<9x300000xf32>, %b: tensor<300000xf32>) -> tensor<9x300000xf32> {
  %e = tensor.empty() : tensor<300000xf32>
  %d = tensor.empty() : tensor<9x300000xf32>
  %s = linalg.exp ins(%b : tensor<300000xf32>) outs(%e : tensor<300000xf32>) -> tensor<300000xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<9x300000xf32>, tensor<300000xf32>) outs(%d : tensor<9x300000xf32>) {
  ^bb0(%r: f32, %q: f32, %o: f32):
    %c = arith.mulf %r, %q : f32
    linalg.yield %c : f32
  } -> tensor<9x300000xf32>
  return %y : tensor<9x300000xf32>
}

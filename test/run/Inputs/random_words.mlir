// Random words and numbers by position, written in linalg; and words at positions that are given.
#row = affine_map<(i, j) -> (i, j)>
#none = affine_map<(i, j) -> ()>
#one = affine_map<(i) -> (i)>
func.func @main(%seed: tensor<i64>, %s: tensor<6xi64>, %i: tensor<6xi64>, %j: tensor<6xi64>)
    -> (tensor<5x203xi32>, tensor<5x203xf32>, tensor<6xi32>) {
  %e = tensor.empty() : tensor<5x203xi32>
  %words = linalg.generic {indexing_maps = [#none, #row], iterator_types = ["parallel", "parallel"]}
      ins(%seed : tensor<i64>) outs(%e : tensor<5x203xi32>) {
  ^bb0(%a: i64, %out: i32):
    %r = linalg.index 0 : index
    %c = linalg.index 1 : index
    %w = sinter.random %a[%r, %c] : i64, index, index -> i32
    linalg.yield %w : i32
  } -> tensor<5x203xi32>
  %f = tensor.empty() : tensor<5x203xf32>
  %units = linalg.generic {indexing_maps = [#none, #row], iterator_types = ["parallel", "parallel"]}
      ins(%seed : tensor<i64>) outs(%f : tensor<5x203xf32>) {
  ^bb0(%a: i64, %out: f32):
    %r = linalg.index 0 : index
    %c = linalg.index 1 : index
    %u = sinter.random %a[%r, %c] : i64, index, index -> f32
    linalg.yield %u : f32
  } -> tensor<5x203xf32>
  %g = tensor.empty() : tensor<6xi32>
  %given = linalg.generic {indexing_maps = [#one, #one, #one, #one], iterator_types = ["parallel"]}
      ins(%s, %i, %j : tensor<6xi64>, tensor<6xi64>, tensor<6xi64>) outs(%g : tensor<6xi32>) {
  ^bb0(%a: i64, %r: i64, %c: i64, %out: i32):
    %w = sinter.random %a[%r, %c] : i64, i64, i64 -> i32
    linalg.yield %w : i32
  } -> tensor<6xi32>
  return %words, %units, %given : tensor<5x203xi32>, tensor<5x203xf32>, tensor<6xi32>
}

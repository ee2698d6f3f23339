func.func @main(%at: tensor<1xi64>, %c: tensor<2x32x16xf32>, %k: tensor<2x16xf32>) -> (tensor<2x16xf32>, tensor<2x32x16xf32> {sinter.in_place_of = 1 : i64}) {
  %e = tensor.empty() : tensor<2x32x16xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(h, p, d) -> (0)>, affine_map<(h, p, d) -> (h, p, d)>, affine_map<(h, p, d) -> (h, d)>, affine_map<(h, p, d) -> (h, p, d)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%at, %c, %k : tensor<1xi64>, tensor<2x32x16xf32>, tensor<2x16xf32>) outs(%e : tensor<2x32x16xf32>) {
  ^bb0(%a: i64, %o: f32, %n: f32, %u: f32):
    %p = linalg.index 1 : index
    %i = arith.index_cast %p : index to i64
    %is = arith.cmpi eq, %i, %a : i64
    %m = arith.mulf %n, %n : f32
    %s = arith.select %is, %m, %o : f32
    linalg.yield %s : f32
  } -> tensor<2x32x16xf32>
  %z = tensor.empty() : tensor<2x16xf32>
  %f0 = arith.constant 0.0 : f32
  %f = linalg.fill ins(%f0 : f32) outs(%z : tensor<2x16xf32>) -> tensor<2x16xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(h, d, p) -> (h, p, d)>, affine_map<(h, d, p) -> (h, d)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%y : tensor<2x32x16xf32>) outs(%f : tensor<2x16xf32>) {
  ^bb0(%v: f32, %acc: f32):
    %w = arith.addf %acc, %v : f32
    linalg.yield %w : f32
  } -> tensor<2x16xf32>
  return %sum, %y : tensor<2x16xf32>, tensor<2x32x16xf32>
}

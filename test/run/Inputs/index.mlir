func.func @main(%a: tensor<?x6xindex>, %n: index, %x: tensor<9x4xf32>, %k: tensor<5xindex>) -> (tensor<?x6xindex>, tensor<?xindex>, index, tensor<5x4xf32>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant -1000 : index
  %m = tensor.dim %a, %c0 : tensor<?x6xindex>
  %sp = tensor.splat %n[%m] : tensor<?x6xindex>
  %y = arith.addi %a, %sp : tensor<?x6xindex>
  %q = arith.muli %y, %a : tensor<?x6xindex>
  %e = tensor.empty(%m) : tensor<?xindex>
  %f = linalg.fill ins(%z : index) outs(%e : tensor<?xindex>) -> tensor<?xindex>
  %r = linalg.reduce { arith.maxsi } ins(%q : tensor<?x6xindex>) outs(%f : tensor<?xindex>) dimensions = [1]
  %g0 = tensor.empty() : tensor<5x4xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%k : tensor<5xindex>) outs(%g0 : tensor<5x4xf32>) {
  ^bb0(%i: index, %o: f32):
    %j = linalg.index 1 : index
    %v = tensor.extract %x[%i, %j] : tensor<9x4xf32>
    linalg.yield %v : f32
  } -> tensor<5x4xf32>
  return %q, %r, %n, %g : tensor<?x6xindex>, tensor<?xindex>, index, tensor<5x4xf32>
}

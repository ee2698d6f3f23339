// 16 layers of 2048, one row, whose weights are slices of one tensor: bench/one_launch_loops.

func.func @main(%x: tensor<1x2048xf32>, %w0: tensor<2048x2048xf32>, %w: tensor<16x2048x2048xf32>, %b: tensor<16x2048xf32>, %wh: tensor<2048x2048xf32>) -> (tensor<1x2048xf32>, tensor<1xf32>) {
  %z = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x2048xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x2048xf32>) -> tensor<1x2048xf32>
  %p = linalg.matmul ins(%x, %w0 : tensor<1x2048xf32>, tensor<2048x2048xf32>) outs(%f : tensor<1x2048xf32>) -> tensor<1x2048xf32>
  %y = scf.for %t = %z to %n step %one iter_args(%v = %p) -> (tensor<1x2048xf32>) {
    %wt = tensor.extract_slice %w[%t, 0, 0] [1, 2048, 2048] [1, 1, 1] : tensor<16x2048x2048xf32> to tensor<2048x2048xf32>
    %bt = tensor.extract_slice %b[%t, 0] [1, 2048] [1, 1] : tensor<16x2048xf32> to tensor<2048xf32>
    %es = tensor.empty() : tensor<1xf32>
    %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<1xf32>) -> tensor<1xf32>
    %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%v : tensor<1x2048xf32>) outs(%fs : tensor<1xf32>) {
    ^bb0(%a: f32, %o: f32):
      %1 = arith.mulf %a, %a : f32
      %2 = arith.addf %1, %o : f32
      linalg.yield %2 : f32
    } -> tensor<1xf32>
    %e1 = tensor.empty() : tensor<1x2048xf32>
    %nv = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%v, %s : tensor<1x2048xf32>, tensor<1xf32>) outs(%e1 : tensor<1x2048xf32>) {
    ^bb0(%a: f32, %q: f32, %o: f32):
      %c = arith.constant 0.00048828125 : f32
      %1 = arith.mulf %q, %c : f32
      %2 = math.rsqrt %1 : f32
      %3 = arith.mulf %a, %2 : f32
      linalg.yield %3 : f32
    } -> tensor<1x2048xf32>
    %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<1x2048xf32>) -> tensor<1x2048xf32>
    %u = linalg.matmul ins(%nv, %wt : tensor<1x2048xf32>, tensor<2048x2048xf32>) outs(%f1 : tensor<1x2048xf32>) -> tensor<1x2048xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%u, %v, %bt : tensor<1x2048xf32>, tensor<1x2048xf32>, tensor<2048xf32>) outs(%e1 : tensor<1x2048xf32>) {
    ^bb0(%a: f32, %q: f32, %c: f32, %o: f32):
      %1 = arith.addf %a, %c : f32
      %2 = math.tanh %1 : f32
      %3 = arith.addf %2, %q : f32
      linalg.yield %3 : f32
    } -> tensor<1x2048xf32>
    scf.yield %r : tensor<1x2048xf32>
  }
  %h = linalg.matmul ins(%y, %wh : tensor<1x2048xf32>, tensor<2048x2048xf32>) outs(%f : tensor<1x2048xf32>) -> tensor<1x2048xf32>
  %es = tensor.empty() : tensor<1xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<1xf32>) -> tensor<1xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%h, %p : tensor<1x2048xf32>, tensor<1x2048xf32>) outs(%fs : tensor<1xf32>) {
    ^bb0(%a: f32, %b1: f32, %o: f32):
      %1 = arith.mulf %a, %b1 : f32
      %2 = arith.addf %1, %o : f32
      linalg.yield %2 : f32
    } -> tensor<1xf32>
  return %h, %s : tensor<1x2048xf32>, tensor<1xf32>
}

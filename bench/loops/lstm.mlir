// 100 steps of an LSTM of 1024, one row, as a loop over slices: bench/one_launch_loops.

func.func @main(%x: tensor<100x1x1024xf32>, %wx: tensor<1024x4096xf32>, %wh: tensor<1024x4096xf32>, %b: tensor<4096xf32>, %h0: tensor<1x1024xf32>, %c0: tensor<1x1024xf32>) -> (tensor<100x1x1024xf32>, tensor<1x1024xf32>, tensor<1x1024xf32>) {
  %z = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant 100 : index
  %f1 = arith.constant 1.0 : f32
  %all0 = tensor.empty() : tensor<100x1x1024xf32>
  %h, %c, %all = scf.for %t = %z to %n step %one iter_args(%hh = %h0, %cc = %c0, %ys = %all0) -> (tensor<1x1024xf32>, tensor<1x1024xf32>, tensor<100x1x1024xf32>) {
    %xt = tensor.extract_slice %x[%t, 0, 0] [1, 1, 1024] [1, 1, 1] : tensor<100x1x1024xf32> to tensor<1x1024xf32>
    %e = tensor.empty() : tensor<1x4096xf32>
    %bb = linalg.broadcast ins(%b : tensor<4096xf32>) outs(%e : tensor<1x4096xf32>) dimensions = [0]
    %p = linalg.matmul ins(%xt, %wx : tensor<1x1024xf32>, tensor<1024x4096xf32>) outs(%bb : tensor<1x4096xf32>) -> tensor<1x4096xf32>
    %q = linalg.matmul ins(%hh, %wh : tensor<1x1024xf32>, tensor<1024x4096xf32>) outs(%p : tensor<1x4096xf32>) -> tensor<1x4096xf32>
    %gi = tensor.extract_slice %q[0, 0] [1, 1024] [1, 1] : tensor<1x4096xf32> to tensor<1x1024xf32>
    %gf = tensor.extract_slice %q[0, 1024] [1, 1024] [1, 1] : tensor<1x4096xf32> to tensor<1x1024xf32>
    %gg = tensor.extract_slice %q[0, 2048] [1, 1024] [1, 1] : tensor<1x4096xf32> to tensor<1x1024xf32>
    %go = tensor.extract_slice %q[0, 3072] [1, 1024] [1, 1] : tensor<1x4096xf32> to tensor<1x1024xf32>
    %e2 = tensor.empty() : tensor<1x1024xf32>
    %cn, %hn = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%gi, %gf, %gg, %go, %cc : tensor<1x1024xf32>, tensor<1x1024xf32>, tensor<1x1024xf32>, tensor<1x1024xf32>, tensor<1x1024xf32>) outs(%e2, %e2 : tensor<1x1024xf32>, tensor<1x1024xf32>) {
    ^bb0(%i: f32, %f: f32, %g: f32, %o: f32, %cv: f32, %o1: f32, %o2: f32):
      %i0 = arith.negf %i : f32
      %i1 = math.exp %i0 : f32
      %i2 = arith.addf %i1, %f1 : f32
      %i3 = arith.divf %f1, %i2 : f32
      %k0 = arith.negf %f : f32
      %k1 = math.exp %k0 : f32
      %k2 = arith.addf %k1, %f1 : f32
      %k3 = arith.divf %f1, %k2 : f32
      %q0 = arith.negf %o : f32
      %q1 = math.exp %q0 : f32
      %q2 = arith.addf %q1, %f1 : f32
      %q3 = arith.divf %f1, %q2 : f32
      %1 = math.tanh %g : f32
      %2 = arith.mulf %i3, %1 : f32
      %3 = arith.mulf %k3, %cv : f32
      %4 = arith.addf %2, %3 : f32
      %5 = math.tanh %4 : f32
      %6 = arith.mulf %q3, %5 : f32
      linalg.yield %4, %6 : f32, f32
    } -> (tensor<1x1024xf32>, tensor<1x1024xf32>)
    %ys2 = tensor.insert_slice %hn into %ys[%t, 0, 0] [1, 1, 1024] [1, 1, 1] : tensor<1x1024xf32> into tensor<100x1x1024xf32>
    scf.yield %hn, %cn, %ys2 : tensor<1x1024xf32>, tensor<1x1024xf32>, tensor<100x1x1024xf32>
  }
  return %all, %h, %c : tensor<100x1x1024xf32>, tensor<1x1024xf32>, tensor<1x1024xf32>
}


// A mean over sizes that the call knows, whose count is a number of the host's; differences of those elements, in
// vectors of one row; and rows of `?` columns that meet 64 weights.
func.func @main(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %z: tensor<?x?xf32>, %w: tensor<64xf32>) -> (tensor<f32>, tensor<?x?xf32>, tensor<?x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %k = tensor.dim %z, %c0 : tensor<?x?xf32>
  %l = sinter.mse(%x, %y) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<f32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %d = linalg.sub ins(%x, %y : tensor<?x?xf32>, tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %f = tensor.empty(%k) : tensor<?x64xf32>
  %r = sinter.rowwise (i = ?) by (j = 64) ins(%z[i, j] : tensor<?x?xf32>, %w[j] : tensor<64xf32>)
      outs(%f[i, j] : tensor<?x64xf32>) {
  ^row(%a: tensor<64xf32>, %b: tensor<64xf32>):
    %s = sinter.row_reduce maximumf %a : tensor<64xf32> -> f32
    %t = sinter.broadcast %s : f32 -> tensor<64xf32>
    %u = arith.subf %a, %t : tensor<64xf32>
    %v = arith.mulf %u, %b : tensor<64xf32>
    sinter.yield %v : tensor<64xf32>
  }
  return %l, %d, %r : tensor<f32>, tensor<?x?xf32>, tensor<?x64xf32>
}

// Rows by weights whose columns are no whole panel, in f32, and weights [j, k].
func.func @main(%x: tensor<20x100xf32>, %w: tensor<100x70xf32> {sinter.pack, sinter.name = "w"},
                %v: tensor<67x100xf32> {sinter.pack, sinter.name = "v"}) -> (tensor<20x70xf32>, tensor<20x67xf32>) {
  %e = tensor.empty() : tensor<20x70xf32>
  %f = tensor.empty() : tensor<20x67xf32>
  %y = sinter.contract (i = 20) by (j = 70)
      product (k = 100) (%x[i, k] : tensor<20x100xf32>, %w[k, j] : tensor<100x70xf32>) : f32
      outs(%e[i, j] : tensor<20x70xf32>) {
  ^row(%p: tensor<70xf32>):
    sinter.yield %p : tensor<70xf32>
  }
  %z = sinter.contract (i = 20) by (j = 67)
      product (k = 100) (%x[i, k] : tensor<20x100xf32>, %v[j, k] : tensor<67x100xf32>) : f32
      outs(%f[i, j] : tensor<20x67xf32>) {
  ^row(%p: tensor<67xf32>):
    sinter.yield %p : tensor<67xf32>
  }
  return %y, %z : tensor<20x70xf32>, tensor<20x67xf32>
}

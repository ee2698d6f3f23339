func.func @f(%q: tensor<4x3xf32>, %k: tensor<5x3xf32>, %v: tensor<5x2xf32>, %y: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %o = sinter.contract (i = 4) by (j = 5) by (e = 2)
      product (d = 3) (side(%q[i, d] : tensor<4x3xf32>) {
      ^side(%a: tensor<3xf32>):
        %b = math.tanh %a : tensor<3xf32>
        sinter.yield %b : tensor<3xf32>
      }, %k[j, d] : tensor<5x3xf32>) : f32
      matrix (j) to (e) (%v[j, e] : tensor<5x2xf32>)
      outs(%y[i, e] : tensor<4x2xf32>) {
  ^row(%s: tensor<5xf32>, %m: tensor<5x2xf32>):
    %u = sinter.row_product %s, %m : tensor<5xf32>, tensor<5x2xf32> -> tensor<2xf32>
    sinter.yield %u : tensor<2xf32>
  }
  return %o : tensor<4x2xf32>
}

// tanh(x U) V for few rows, as one kernel of a GPU.
func.func @main(%x: tensor<64x16xf32>, %u: tensor<96x16xf32>, %v: tensor<40x96xf32>) -> tensor<64x40xf32> {
  %y = tensor.empty() : tensor<64x40xf32>
  %0 = sinter.contract (i = 64) by (j = 96) by (e = 40)
      product (k = 16) (%x[i, k] : tensor<64x16xf32>, %u[j, k] : tensor<96x16xf32>) : f32
      matrix (j) to (e) (%v[e, j] : tensor<40x96xf32>)
      outs(%y[i, e] : tensor<64x40xf32>)
      schedule(#sinter.mma<kernel = "fma", m = 8, n = 32, k = 32, threads = 128>) {
  ^row(%p: tensor<96xf32>, %m: tensor<96x40xf32>):
    %t = math.tanh %p : tensor<96xf32>
    %q = sinter.row_product %t, %m : tensor<96xf32>, tensor<96x40xf32> -> tensor<40xf32>
    sinter.yield %q : tensor<40xf32>
  }
  return %0 : tensor<64x40xf32>
}

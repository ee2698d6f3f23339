// a . b in f64
func.func @main(%a: tensor<4096x4096xf64>, %b: tensor<4096x4096xf64>) -> tensor<4096x4096xf64> {
  %e = tensor.empty() : tensor<4096x4096xf64>
  %y = sinter.contract (i = 4096) by (j = 4096)
      product (k = 4096) (%a[i, k] : tensor<4096x4096xf64>, %b[k, j] : tensor<4096x4096xf64>) : f64
      outs(%e[i, j] : tensor<4096x4096xf64>) {
  ^row(%p: tensor<4096xf64>):
    sinter.yield %p : tensor<4096xf64>
  }
  return %y : tensor<4096x4096xf64>
}

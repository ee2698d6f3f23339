// linear, bias, gelu in f32
func.func @main(%x: tensor<2048x2048xf32>, %w: tensor<2048x2048xf32>, %c: tensor<2048xf32>) -> tensor<2048x2048xf32> {
  %e = tensor.empty() : tensor<2048x2048xf32>
  %y = sinter.contract (i = 2048) by (j = 2048) product (k = 2048) (%x[k, i] : tensor<2048x2048xf32>, %w[k, j] : tensor<2048x2048xf32>) : f32
      ins(%c[j] : tensor<2048xf32>) outs(%e[i, j] : tensor<2048x2048xf32>) {
  ^row(%p: tensor<2048xf32>, %b: tensor<2048xf32>):
    %v = arith.addf %p, %b : tensor<2048xf32>
    %h = arith.constant dense<0.5> : tensor<2048xf32>
    %one = arith.constant dense<1.0> : tensor<2048xf32>
    %q = arith.constant dense<0.70710678118654752> : tensor<2048xf32>
    %s = arith.mulf %v, %q : tensor<2048xf32>
    %erf = math.erf %s : tensor<2048xf32>
    %t = arith.addf %erf, %one : tensor<2048xf32>
    %u = arith.mulf %v, %h : tensor<2048xf32>
    %g = arith.mulf %u, %t : tensor<2048xf32>
    sinter.yield %g : tensor<2048xf32>
  }
  return %y : tensor<2048x2048xf32>
}

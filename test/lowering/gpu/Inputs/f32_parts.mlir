// linear, bias, gelu in f32
func.func @main(%x: tensor<14784x800xf32>, %w: tensor<104x14784xf32>, %c: tensor<104xf32>) -> tensor<800x104xf32> {
  %e = tensor.empty() : tensor<800x104xf32>
  %y = sinter.contract (i = 800) by (j = 104) product (k = 14784) (%x[k, i] : tensor<14784x800xf32>, %w[j, k] : tensor<104x14784xf32>) : f32
      ins(%c[j] : tensor<104xf32>) outs(%e[i, j] : tensor<800x104xf32>) {
  ^row(%p: tensor<104xf32>, %b: tensor<104xf32>):
    %v = arith.addf %p, %b : tensor<104xf32>
    %h = arith.constant dense<0.5> : tensor<104xf32>
    %one = arith.constant dense<1.0> : tensor<104xf32>
    %q = arith.constant dense<0.70710678118654752> : tensor<104xf32>
    %s = arith.mulf %v, %q : tensor<104xf32>
    %erf = math.erf %s : tensor<104xf32>
    %t = arith.addf %erf, %one : tensor<104xf32>
    %u = arith.mulf %v, %h : tensor<104xf32>
    %g = arith.mulf %u, %t : tensor<104xf32>
    sinter.yield %g : tensor<104xf32>
  }
  return %y : tensor<800x104xf32>
}

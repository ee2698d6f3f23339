// linear, bias, gelu in bf16
func.func @main(%x: tensor<4096x4096xbf16>, %w: tensor<4096x4096xbf16>, %c: tensor<4096xbf16>) -> tensor<4096x4096xbf16> {
  %e = tensor.empty() : tensor<4096x4096xbf16>
  %y = sinter.contract (i = 4096) by (j = 4096)
      product (k = 4096) (%x[i, k] : tensor<4096x4096xbf16>, %w[j, k] : tensor<4096x4096xbf16>) : f32
      ins(%c[j] : tensor<4096xbf16>) outs(%e[i, j] : tensor<4096x4096xbf16>) {
  ^row(%p: tensor<4096xf32>, %b: tensor<4096xbf16>):
    %wide = arith.extf %b : tensor<4096xbf16> to tensor<4096xf32>
    %v = arith.addf %p, %wide : tensor<4096xf32>
    %h = arith.constant dense<0.5> : tensor<4096xf32>
    %one = arith.constant dense<1.0> : tensor<4096xf32>
    %q = arith.constant dense<0.70710678118654752> : tensor<4096xf32>
    %s = arith.mulf %v, %q : tensor<4096xf32>
    %erf = math.erf %s : tensor<4096xf32>
    %t = arith.addf %erf, %one : tensor<4096xf32>
    %u = arith.mulf %v, %h : tensor<4096xf32>
    %g = arith.mulf %u, %t : tensor<4096xf32>
    %r = arith.truncf %g : tensor<4096xf32> to tensor<4096xbf16>
    sinter.yield %r : tensor<4096xbf16>
  }
  return %y : tensor<4096x4096xbf16>
}

func.func @main(%x: tensor<8192x8192xbf16>, %w: tensor<8192x8192xbf16>) -> tensor<8192x8192xbf16> {
  %e = tensor.empty() : tensor<8192x8192xbf16>
  %y = sinter.contract (i = 8192) by (j = 8192)
      product (k = 8192) (%x[i, k] : tensor<8192x8192xbf16>, %w[j, k] : tensor<8192x8192xbf16>) : f32
      outs(%e[i, j] : tensor<8192x8192xbf16>) {
  ^row(%p: tensor<8192xf32>):
    %r = arith.truncf %p : tensor<8192xf32> to tensor<8192xbf16>
    sinter.yield %r : tensor<8192xbf16>
  }
  return %y : tensor<8192x8192xbf16>
}

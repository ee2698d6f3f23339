func.func @main(%x: tensor<4096x4096xf8E4M3FN>, %w: tensor<4096x4096xf8E5M2>, %v: tensor<4096x4096xf8E4M3FN>, %b: tensor<4096x4096xbf16>, %r: tensor<4096xf32>, %c: tensor<4096xf32>) -> (tensor<4096x4096xf8E4M3FN>, tensor<4096x4096xbf16>) {
  %e = tensor.empty() : tensor<4096x4096xf8E4M3FN>
  %y = sinter.contract (i = 4096) by (j = 4096)
      product (k = 4096) (%x[i, k] : tensor<4096x4096xf8E4M3FN>, %w[j, k] : tensor<4096x4096xf8E5M2>) : f32
      ins(%r[i] : tensor<4096xf32>, %c[j] : tensor<4096xf32>) outs(%e[i, j] : tensor<4096x4096xf8E4M3FN>) {
  ^row(%p: tensor<4096xf32>, %s: f32, %t: tensor<4096xf32>):
    %a = sinter.broadcast %s : f32 -> tensor<4096xf32>
    %u = arith.mulf %p, %a : tensor<4096xf32>
    %q = arith.mulf %u, %t : tensor<4096xf32>
    %o = arith.truncf %q : tensor<4096xf32> to tensor<4096xf8E4M3FN>
    sinter.yield %o : tensor<4096xf8E4M3FN>
  }
  %f = tensor.empty() : tensor<4096x4096xbf16>
  %z = sinter.contract (i = 4096) by (j = 4096)
      product (k = 4096) (%b[i, k] : tensor<4096x4096xbf16>, %v[j, k] : tensor<4096x4096xf8E4M3FN>) : f32
      outs(%f[i, j] : tensor<4096x4096xbf16>) {
  ^row(%p: tensor<4096xf32>):
    %o = arith.truncf %p : tensor<4096xf32> to tensor<4096xbf16>
    sinter.yield %o : tensor<4096xbf16>
  }
  return %y, %z : tensor<4096x4096xf8E4M3FN>, tensor<4096x4096xbf16>
}

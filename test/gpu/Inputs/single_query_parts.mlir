// One query of each of four heads, 320 keys: scores, a softmax in f32, values.
func.func @main(%q: tensor<4x1x32xbf16>, %k: tensor<4x320x32xbf16>, %v: tensor<4x320x32xbf16>) -> tensor<4x1x32xf32> {
  %a = tensor.empty() : tensor<4x1x320xf32>
  %b = tensor.empty() : tensor<4x320xbf16>
  %c = tensor.empty() : tensor<4x1x32xf32>
  %s = sinter.contract (i = 4, j = 1) by (k = 320)
      product (l = 32) (%q[i, j, l] : tensor<4x1x32xbf16>, %k[i, k, l] : tensor<4x320x32xbf16>) : f32
      outs(%a[i, j, k] : tensor<4x1x320xf32>) {
  ^row(%x: tensor<320xf32>):
    sinter.yield %x : tensor<320xf32>
  }
  %w = sinter.rowwise (i = 4) by (k = 320) ins(%s[i, 0, k] : tensor<4x1x320xf32>) outs(%b[i, k] : tensor<4x320xbf16>) {
  ^row(%x: tensor<320xf32>):
    %max = sinter.row_reduce maximumf %x : tensor<320xf32> -> f32
    %maxs = sinter.broadcast %max : f32 -> tensor<320xf32>
    %less = arith.subf %x, %maxs : tensor<320xf32>
    %e = math.exp %less : tensor<320xf32>
    %sum = sinter.row_reduce add %e : tensor<320xf32> -> f32
    %sums = sinter.broadcast %sum : f32 -> tensor<320xf32>
    %y = arith.divf %e, %sums : tensor<320xf32>
    %z = arith.truncf %y : tensor<320xf32> to tensor<320xbf16>
    sinter.yield %z : tensor<320xbf16>
  }
  %o = sinter.rowwise (i = 4, j = 1, e = 32) by (k = 320)
      ins(%w[i, k] : tensor<4x320xbf16>, %v[i, k, e] : tensor<4x320x32xbf16>) outs(%c[i, j, e] : tensor<4x1x32xf32>) {
  ^row(%x: tensor<320xbf16>, %y: tensor<320xbf16>):
    %xf = arith.extf %x : tensor<320xbf16> to tensor<320xf32>
    %yf = arith.extf %y : tensor<320xbf16> to tensor<320xf32>
    %p = arith.mulf %xf, %yf : tensor<320xf32>
    %t = sinter.row_reduce add %p : tensor<320xf32> -> f32
    sinter.yield %t : f32
  }
  return %o : tensor<4x1x32xf32>
}

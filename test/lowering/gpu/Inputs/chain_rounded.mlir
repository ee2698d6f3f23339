func.func @main(%q: tensor<2x301x64xf16>, %k: tensor<2x301x64xf16>, %v: tensor<2x301x64xf16>) -> tensor<2x301x64xf16> {
  %e = tensor.empty() : tensor<2x301x64xf16>
  %y = sinter.contract (h = 2, i = 301) by (j = 301) by (e = 64)
      product (k = 64) (%q[h, i, k] : tensor<2x301x64xf16>, %k[h, j, k] : tensor<2x301x64xf16>) : f32
      matrix (j) to (e) (%v[h, j, e] : tensor<2x301x64xf16>)
      outs(%e[h, i, e] : tensor<2x301x64xf16>) {
  ^row(%p: tensor<301xf32>, %m: tensor<301x64xf16>):
    %one = arith.constant 1.0 : f32
    %scale = arith.constant 0.125 : f16
    %scales = sinter.broadcast %scale : f16 -> tensor<301xf16>
    %rounded = arith.truncf %p : tensor<301xf32> to tensor<301xf16>
    %s = arith.mulf %rounded, %scales : tensor<301xf16>
    %x = arith.extf %s : tensor<301xf16> to tensor<301xf32>
    %max = sinter.row_reduce maximumf %x : tensor<301xf32> -> f32
    %maxs = sinter.broadcast %max : f32 -> tensor<301xf32>
    %less = arith.subf %x, %maxs : tensor<301xf32>
    %ex = math.exp %less : tensor<301xf32>
    %sum = sinter.row_reduce add %ex : tensor<301xf32> -> f32
    %by = arith.divf %one, %sum : f32
    %bys = sinter.broadcast %by : f32 -> tensor<301xf32>
    %w = arith.mulf %ex, %bys : tensor<301xf32>
    %h = arith.truncf %w : tensor<301xf32> to tensor<301xf16>
    %u = sinter.row_product %h, %m : tensor<301xf16>, tensor<301x64xf16> -> tensor<64xf32>
    %r = arith.truncf %u : tensor<64xf32> to tensor<64xf16>
    sinter.yield %r : tensor<64xf16>
  }
  return %y : tensor<2x301x64xf16>
}

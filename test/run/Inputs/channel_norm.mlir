func.func @norm(%x: tensor<40x24x25xf32>, %w: tensor<40x3x3xf32>, %v: tensor<16x40xf32>) -> tensor<16x24x25xf32> {
  %e = tensor.empty() : tensor<40x24x25xf32>
  %f = tensor.empty() : tensor<24x25x40xf32>
  %g = tensor.empty() : tensor<16x24x25xf32>
  %h = sinter.rowwise (j = 40, k = 24, l = 25) by (m = 3, n = 3)
      ins(%x[j, k + m - 1, l + n - 1] : tensor<40x24x25xf32> else 0.0, %w[j, m, n] : tensor<40x3x3xf32>)
      outs(%e[j, k, l] : tensor<40x24x25xf32>) {
  ^row(%a: tensor<9xf32>, %b: tensor<9xf32>):
    %p = arith.mulf %a, %b : tensor<9xf32>
    %s = sinter.row_reduce add %p : tensor<9xf32> -> f32
    sinter.yield %s : f32
  }
  %n = sinter.rowwise (i = 24, j = 25) by (k = 40)
      ins(%h[k, i, j] : tensor<40x24x25xf32>) outs(%f[i, j, k] : tensor<24x25x40xf32>) {
  ^row(%a: tensor<40xf32>):
    %p = arith.mulf %a, %a : tensor<40xf32>
    %s = sinter.row_reduce add %p : tensor<40xf32> -> f32
    %r = math.rsqrt %s : f32
    %b = sinter.broadcast %r : f32 -> tensor<40xf32>
    %y = arith.mulf %a, %b : tensor<40xf32>
    sinter.yield %y : tensor<40xf32>
  }
  %y = sinter.contract (j = 16) by (k = 24, l = 25)
      product (m = 40) (%v[j, m] : tensor<16x40xf32>, %n[k, l, m] : tensor<24x25x40xf32>) : f32
      outs(%g[j, k, l] : tensor<16x24x25xf32>) {
  ^row(%a: tensor<600xf32>):
    sinter.yield %a : tensor<600xf32>
  }
  return %y : tensor<16x24x25xf32>
}

func.func @main(%a: tensor<200x3x3x64xbf16>, %b: tensor<3x9x14x64xbf16>) -> (tensor<200x3x9x6xf32>) {
  %empty_y = tensor.empty() : tensor<200x3x9x6xf32>
  %y = sinter.contract (o = 200) by (n = 3, y = 9, x = 6)
      product (r = 3, s = 3, c = 64) (%a[o, r, s, c] : tensor<200x3x3x64xbf16>, %b[n, y * 1 + r * 1 - 1, x * 2 + s * 1 - 0, c] : tensor<3x9x14x64xbf16> else 0.0) : f32
      outs(%empty_y[o, n, y, x] : tensor<200x3x9x6xf32>) schedule(#sinter.mma<kernel = "wgmma", m = 64, n = 128, k = 64, threads = 256, stages = 3, share = "turns", blocks = 4, group = 2, cluster = 2>) {
  ^row(%p: tensor<162xf32>):
    sinter.yield %p : tensor<162xf32>
  }
  return %y : tensor<200x3x9x6xf32>
}

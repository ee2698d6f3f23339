func.func @main(%x: tensor<128xf32>, %w: tensor<8x128xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<128xf32>
  %f = tensor.empty() : tensor<8x1x16xf32>
  %g = tensor.empty() : tensor<8xf32>
  %z = sinter.sequence phases [0, 1, 2] schedule(#sinter.gpu_sequence<threads = 512, blocks = 4>) -> tensor<8xf32> {
    %a = sinter.rowwise (i = 128) by () ins(%x[i] : tensor<128xf32>) outs(%e[i] : tensor<128xf32>)
        schedule(#sinter.gpu_rows<blocks = 4, occupancy = 4, threads = 32>) {
    ^row(%p: f32):
      %1 = arith.addf %p, %p : f32
      sinter.yield %1 : f32
    }
    %b = sinter.rowwise (i = 8) by (k = 16) ins(%a[i * 16 + k] : tensor<128xf32>) outs(%f[i, 0, k] : tensor<8x1x16xf32>)
        schedule(#sinter.gpu_rows<blocks = 1, occupancy = 4, repeated = 1, residency = "registers", team = 16, threads = 128, vector = 1>) {
    ^row(%p: tensor<16xf32>):
      %1 = arith.mulf %p, %p : tensor<16xf32>
      sinter.yield %1 : tensor<16xf32>
    }
    %y = sinter.rowwise (j = 8) by (k = 8, l = 16) ins(%b[k, 0, l] : tensor<8x1x16xf32>, %w[j, k * 16 + l] : tensor<8x128xf32>) outs(%g[j] : tensor<8xf32>)
        schedule(#sinter.gpu_rows<blocks = 8, occupancy = 16, residency = "registers", threads = 32, vector = 4>) {
    ^row(%p: tensor<128xf32>, %q: tensor<128xf32>):
      %1 = arith.mulf %p, %q : tensor<128xf32>
      %2 = sinter.row_reduce add %1 : tensor<128xf32> -> f32
      sinter.yield %2 : f32
    }
    sinter.yield %y : tensor<8xf32>
  }
  return %z : tensor<8xf32>
}

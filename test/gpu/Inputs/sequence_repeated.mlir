// test/gpu/sequence_repeated.test
func.func @main(%x: tensor<1x64xf32>, %w: tensor<96x64xf32>, %v: tensor<64x96xf32>) -> tensor<1x64xf32> {
  %e = tensor.empty() : tensor<64xf32>
  %g = tensor.empty() : tensor<96xf32>
  %z = sinter.sequence phases [0, 1, 2, 3, 4] schedule(#sinter.gpu_sequence<threads = 128, blocks = 4>) -> tensor<64xf32> {
    %n = sinter.rowwise () by (i = 64) ins(%x[0, i] : tensor<1x64xf32>) outs(%e[i] : tensor<64xf32>)
        schedule(#sinter.gpu_rows<blocks = 1, occupancy = 4, repeated = 1, residency = "registers", threads = 64, vector = 1>) {
    ^row(%a: tensor<64xf32>):
      %c = arith.mulf %a, %a : tensor<64xf32>
      %s = sinter.row_reduce add %c : tensor<64xf32> -> f32
      %b = sinter.broadcast %s : f32 -> tensor<64xf32>
      %d = arith.divf %a, %b : tensor<64xf32>
      sinter.yield %d : tensor<64xf32>
    }
    %p = sinter.rowwise (j = 96) by (i = 64) ins(%n[i] : tensor<64xf32>, %w[j, i] : tensor<96x64xf32>) outs(%g[j] : tensor<96xf32>)
        schedule(#sinter.gpu_rows<blocks = 96, occupancy = 32, residency = "registers", threads = 32, vector = 2>) {
    ^row(%a: tensor<64xf32>, %b: tensor<64xf32>):
      %c = arith.mulf %a, %b : tensor<64xf32>
      %s = sinter.row_reduce add %c : tensor<64xf32> -> f32
      sinter.yield %s : f32
    }
    %q = sinter.rowwise (j = 64) by (i = 96) ins(%p[i] : tensor<96xf32>, %v[j, i] : tensor<64x96xf32>, %n[j] : tensor<64xf32>) outs(%e[j] : tensor<64xf32>)
        schedule(#sinter.gpu_rows<blocks = 64, occupancy = 32, residency = "reread", threads = 32, vector = 1>) {
    ^row(%a: tensor<96xf32>, %b: tensor<96xf32>, %r: f32):
      %c = arith.mulf %a, %b : tensor<96xf32>
      %s = sinter.row_reduce add %c : tensor<96xf32> -> f32
      %t = arith.addf %s, %r : f32
      sinter.yield %t : f32
    }
    %m = sinter.rowwise () by (i = 64) ins(%q[i] : tensor<64xf32>) outs(%e[i] : tensor<64xf32>)
        schedule(#sinter.gpu_rows<blocks = 1, occupancy = 4, repeated = 1, residency = "registers", threads = 64, vector = 1>) {
    ^row(%a: tensor<64xf32>):
      %c = arith.mulf %a, %a : tensor<64xf32>
      %s = sinter.row_reduce add %c : tensor<64xf32> -> f32
      %b = sinter.broadcast %s : f32 -> tensor<64xf32>
      %d = arith.divf %a, %b : tensor<64xf32>
      sinter.yield %d : tensor<64xf32>
    }
    %y = sinter.rowwise (j = 64) by () ins(%m[j] : tensor<64xf32>, %q[j] : tensor<64xf32>) outs(%e[j] : tensor<64xf32>)
        schedule(#sinter.gpu_rows<blocks = 2, occupancy = 32, team = 1, threads = 32>) {
    ^row(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      sinter.yield %c : f32
    }
    sinter.yield %y : tensor<64xf32>
  }
  %r = tensor.expand_shape %z [[0, 1]] output_shape [1, 64] : tensor<64xf32> into tensor<1x64xf32>
  return %r : tensor<1x64xf32>
}

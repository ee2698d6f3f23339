// test/gpu/sequence_held.test
func.func @main(%x: tensor<64xf32>, %w: tensor<64x64xf32>, %v: tensor<48x64xf32>, %u: tensor<64x48xf32>) -> tensor<64xf32> {
  %e = tensor.empty() : tensor<64xf32>
  %f = tensor.empty() : tensor<48xf32>
  %z = sinter.sequence phases [0, 1, 1, 2] schedule(#sinter.gpu_sequence<threads = 512, blocks = 4, once = 1>) -> tensor<64xf32> {
    %a = sinter.rowwise (i = 64) by (k = 64) ins(%x[k] : tensor<64xf32>, %w[i, k] : tensor<64x64xf32>) outs(%e[i] : tensor<64xf32>)
        schedule(#sinter.gpu_rows<blocks = 64, held = 1, occupancy = 16, residency = "registers", threads = 32, vector = 2>) {
    ^row(%p: tensor<64xf32>, %q: tensor<64xf32>):
      %1 = arith.mulf %p, %q : tensor<64xf32>
      %2 = sinter.row_reduce add %1 : tensor<64xf32> -> f32
      sinter.yield %2 : f32
    }
    %b = sinter.rowwise (i = 48) by (k = 64) ins(%a[k] : tensor<64xf32>, %v[i, k] : tensor<48x64xf32>) outs(%f[i] : tensor<48xf32>)
        schedule(#sinter.gpu_rows<blocks = 48, held = 1, occupancy = 16, residency = "registers", threads = 32, vector = 2>) {
    ^row(%p: tensor<64xf32>, %q: tensor<64xf32>):
      %1 = arith.mulf %p, %q : tensor<64xf32>
      %2 = sinter.row_reduce add %1 : tensor<64xf32> -> f32
      sinter.yield %2 : f32
    }
    %d = sinter.rowwise (i = 64) by (k = 64) ins(%a[k] : tensor<64xf32>, %w[i, k] : tensor<64x64xf32>) outs(%e[i] : tensor<64xf32>)
        schedule(#sinter.gpu_rows<blocks = 16, occupancy = 4, residency = "reread", threads = 128, vector = 1>) {
    ^row(%p: tensor<64xf32>, %q: tensor<64xf32>):
      %1 = arith.mulf %p, %q : tensor<64xf32>
      %2 = sinter.row_reduce add %1 : tensor<64xf32> -> f32
      sinter.yield %2 : f32
    }
    %c = sinter.rowwise (i = 64) by (k = 48) ins(%b[k] : tensor<48xf32>, %u[i, k] : tensor<64x48xf32>, %d[i] : tensor<64xf32>) outs(%e[i] : tensor<64xf32>)
        schedule(#sinter.gpu_rows<blocks = 16, occupancy = 16, residency = "reread", threads = 32, vector = 4>) {
    ^row(%p: tensor<48xf32>, %q: tensor<48xf32>, %r: f32):
      %1 = arith.mulf %p, %q : tensor<48xf32>
      %2 = sinter.row_reduce add %1 : tensor<48xf32> -> f32
      %3 = arith.addf %2, %r : f32
      sinter.yield %3 : f32
    }
    sinter.yield %c : tensor<64xf32>
  }
  return %z : tensor<64xf32>
}

// Rows in registers of a cluster, by hand.

func.func @main(%x: tensor<64x4096xf32>) -> tensor<64x4096xf32> {
  %e = tensor.empty() : tensor<64x4096xf32>
  // What the error points at:
  %0 = sinter.rowwise (i = 64) by (j = 4096) ins(%x[i, j] : tensor<64x4096xf32>) outs(%e[i, j] : tensor<64x4096xf32>)
      schedule(#sinter.gpu_rows<threads = 64, blocks = 256, occupancy = 4, vector = 4, residency = "registers", cluster = 4>) {
  ^row(%a: tensor<4096xf32>):
    %s = sinter.row_reduce add %a : tensor<4096xf32> -> f32
    %b = sinter.broadcast %s : f32 -> tensor<4096xf32>
    %y = arith.divf %a, %b : tensor<4096xf32>
    sinter.yield %y : tensor<4096xf32>
  }
  return %0 : tensor<64x4096xf32>
}

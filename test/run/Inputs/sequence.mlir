func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %z = sinter.sequence phases [0, 1] -> tensor<4x8xf32> {
    %y = sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
    ^row(%a: tensor<8xf32>):
      %s = sinter.row_reduce add %a : tensor<8xf32> -> f32
      %b = sinter.broadcast %s : f32 -> tensor<8xf32>
      sinter.yield %b : tensor<8xf32>
    }
    %w = sinter.rowwise (i = 4) by (j = 8) ins(%y[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
    ^row(%a: tensor<8xf32>):
      %b = arith.mulf %a, %a : tensor<8xf32>
      sinter.yield %b : tensor<8xf32>
    }
    sinter.yield %w : tensor<4x8xf32>
  }
  return %z : tensor<4x8xf32>
}

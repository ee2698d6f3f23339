func.func private @other(%x: tensor<5xf32>) -> tensor<5xf32> {
  %y = math.tanh %x : tensor<5xf32>
  return %y : tensor<5xf32>
}
func.func @main(%x: tensor<3x5xf32>) -> tensor<3xf32> {
  %d = tensor.empty() : tensor<3x5xf32>
  %e = tensor.empty() : tensor<3xf32>
  %a = sinter.rowwise (i = 3) by (j = 5) ins(%x[i, j] : tensor<3x5xf32>) outs(%d[i, j] : tensor<3x5xf32>) {
  ^row(%r: tensor<5xf32>):
    %c = math.exp %r : tensor<5xf32>
    sinter.yield %c : tensor<5xf32>
  }
  %u = sinter.rowwise (i = 3) by (j = 5) ins(%a[i, j] : tensor<3x5xf32>) outs(%d[i, j] : tensor<3x5xf32>) {
  ^row(%r: tensor<5xf32>):
    %c = math.tanh %r : tensor<5xf32>
    sinter.yield %c : tensor<5xf32>
  }
  %b = sinter.rowwise (i = 3) by (j = 5) ins(%a[i, j] : tensor<3x5xf32>) outs(%e[i] : tensor<3xf32>) {
  ^row(%r: tensor<5xf32>):
    %s = sinter.row_reduce add %r : tensor<5xf32> -> f32
    sinter.yield %s : f32
  }
  return %b : tensor<3xf32>
}

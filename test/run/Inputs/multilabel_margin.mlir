// Targets that are one too large: 10 of 10 classes.
func.func @main(%x: tensor<12x10xf32>, %t: tensor<12x10xi64>) -> tensor<f32> {
  %e = tensor.empty() : tensor<12x10xi64>
  %u = sinter.rowwise (i = 12) by (j = 10) ins(%t[i, j] : tensor<12x10xi64>) outs(%e[i, j] : tensor<12x10xi64>) {
  ^row(%a: tensor<10xi64>):
    %c = arith.constant dense<10> : tensor<10xi64>
    %b = arith.addi %a, %c : tensor<10xi64>
    sinter.yield %b : tensor<10xi64>
  }
  %l = sinter.multilabel_margin(%x, %u) : (tensor<12x10xf32>, tensor<12x10xi64>) -> tensor<f32>
  return %l : tensor<f32>
}

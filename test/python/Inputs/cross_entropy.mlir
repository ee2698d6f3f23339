func.func @main(%x: tensor<?x13xf32> {sinter.name = "input"}, %t: tensor<?xi64> {sinter.name = "target"}, %w: tensor<13xf32>) -> tensor<f32> {
  %l = sinter.cross_entropy(%x, %t, weight = %w) {label_smoothing = 0.1} : (tensor<?x13xf32>, tensor<?xi64>, tensor<13xf32>) -> tensor<f32>
  return %l : tensor<f32>
}

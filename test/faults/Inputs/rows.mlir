// Rows in parallel, two results, no memory of the program's own.
func.func @main(%x: tensor<128x1003xf32>, %t: tensor<128xi64>) -> (tensor<f32>, tensor<128x1003xf32>) {
  %l = sinter.cross_entropy(%x, %t) : (tensor<128x1003xf32>, tensor<128xi64>) -> tensor<f32>
  %d = sinter.differentiate %l wrt(%x) : (tensor<f32>, tensor<128x1003xf32>) -> tensor<128x1003xf32>
  return %l, %d : tensor<f32>, tensor<128x1003xf32>
}

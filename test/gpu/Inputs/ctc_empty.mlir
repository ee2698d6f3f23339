func.func @main(%x: tensor<7x3x5xbf16>, %t: tensor<3x0xi64>, %n: tensor<3xi64>, %m: tensor<3xi64>) -> tensor<f32> {
  %l = sinter.ctc(%x, %t, %n, %m) : (tensor<7x3x5xbf16>, tensor<3x0xi64>, tensor<3xi64>, tensor<3xi64>) -> tensor<f32>
  return %l : tensor<f32>
}

func.func @main(%x: tensor<20x4x9xf32>, %t: tensor<4x6xi64>, %m: tensor<4xi64>, %n: tensor<4xi64>) -> (tensor<f32>, tensor<20x4x9xf32>) {
  %l = sinter.ctc(%x, %t, %m, %n) {blank = 9} : (tensor<20x4x9xf32>, tensor<4x6xi64>, tensor<4xi64>, tensor<4xi64>) -> tensor<f32>
  %d = sinter.differentiate %l wrt(%x) : (tensor<f32>, tensor<20x4x9xf32>) -> tensor<20x4x9xf32>
  return %l, %d : tensor<f32>, tensor<20x4x9xf32>
}

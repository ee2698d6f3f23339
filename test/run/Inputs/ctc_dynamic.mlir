func.func @main(%x: tensor<?x?x?xf32>, %t: tensor<?x?xi64>, %m: tensor<?xi64>, %n: tensor<?xi64>) -> (tensor<f32>, tensor<?x?x?xf32>) {
  %l = sinter.ctc(%x, %t, %m, %n) : (tensor<?x?x?xf32>, tensor<?x?xi64>, tensor<?xi64>, tensor<?xi64>) -> tensor<f32>
  %d = sinter.differentiate %l wrt(%x) : (tensor<f32>, tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %l, %d : tensor<f32>, tensor<?x?x?xf32>
}

// A loss in steps, whose rows keep what they computed for the way back.
func.func @main(%x: tensor<40x8x9xf32>, %t: tensor<8x6xi64>, %m: tensor<8xi64>, %n: tensor<8xi64>) -> (tensor<f32>, tensor<40x8x9xf32>) {
  %l = sinter.ctc(%x, %t, %m, %n) {blank = 3 : i64} : (tensor<40x8x9xf32>, tensor<8x6xi64>, tensor<8xi64>, tensor<8xi64>) -> tensor<f32>
  %d = sinter.differentiate %l wrt(%x) : (tensor<f32>, tensor<40x8x9xf32>) -> tensor<40x8x9xf32>
  return %l, %d : tensor<f32>, tensor<40x8x9xf32>
}

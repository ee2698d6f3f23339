// The number 0 that the definition asserts against, known when the use is compiled.
sinter.define @barron(%x: tensor<?xf32>, %alpha: f32 {at_most = 2.0, default = 1.0}) attributes {reductions = ["mean"]} {
  %zero = arith.constant 0.0 : f32
  %two = arith.constant 2.0 : f32
  %below = arith.cmpf one, %alpha, %zero : f32
  %above = arith.cmpf one, %alpha, %two : f32
  %ok = arith.andi %below, %above : i1
  cf.assert %ok, "alpha is 0 or 2, which are losses of their own"
  sinter.yield %x : tensor<?xf32>
}
func.func @main(%x: tensor<4x8xf32>) -> tensor<f32> {
  %l = sinter.apply @barron(%x) {alpha = 0.0} : (tensor<4x8xf32>) -> tensor<f32>
  return %l : tensor<f32>
}

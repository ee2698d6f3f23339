// Twice x, by a @main of its own, and an @energy that is not model.mlir's.
func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %y = arith.addf %x, %x : tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}
func.func @energy(%x: tensor<2x3xf32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %s = linalg.reduce {arith.addf} ins(%x : tensor<2x3xf32>) outs(%f : tensor<f32>) dimensions = [0, 1]
  return %s : tensor<f32>
}

// The sum of x, and its gradient times an upstream.
func.func @loss(%x: tensor<?xf32> {sinter.name = "x"}, %g: tensor<f32> {sinter.upstream_of = 0}) -> (tensor<f32>, tensor<?xf32> {sinter.gradient_of = 0}) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %s = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%zero : f32) outs(%s : tensor<f32>) -> tensor<f32>
  %l = linalg.reduce {arith.addf} ins(%x : tensor<?xf32>) outs(%f : tensor<f32>) dimensions = [0]
  %e = tensor.empty(%n) : tensor<?xf32>
  %d = linalg.broadcast ins(%g : tensor<f32>) outs(%e : tensor<?xf32>) dimensions = [0]
  return %l, %d : tensor<f32>, tensor<?xf32>
}

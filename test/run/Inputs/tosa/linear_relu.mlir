// A product, a bias, a clamp, as a front end for TOSA writes them.
func.func @main(%x: tensor<1x7x6xf32>, %w: tensor<1x6x5xf32>, %b: tensor<1x1x5xf32>) -> tensor<1x7x5xf32> {
  %zero = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %p = tosa.matmul %x, %w, %zero, %zero : (tensor<1x7x6xf32>, tensor<1x6x5xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x7x5xf32>
  %s = tosa.add %p, %b : (tensor<1x7x5xf32>, tensor<1x1x5xf32>) -> tensor<1x7x5xf32>
  %y = tosa.clamp %s {min_val = 0.0 : f32, max_val = 1.0 : f32} : (tensor<1x7x5xf32>) -> tensor<1x7x5xf32>
  return %y : tensor<1x7x5xf32>
}

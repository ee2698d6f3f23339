// Two functions, one of which calls the other; numbers in and out.
func.func @double(%x: tensor<3xf32>) -> tensor<3xf32> {
  %y = arith.addf %x, %x : tensor<3xf32>
  return %y : tensor<3xf32>
}
func.func @scale(%x: tensor<3xf32>, %a: f32) -> (tensor<3xf32>, f32) {
  %y = func.call @double(%x) : (tensor<3xf32>) -> tensor<3xf32>
  %s = tensor.splat %a : tensor<3xf32>
  %z = arith.mulf %y, %s : tensor<3xf32>
  %b = arith.addf %a, %a : f32
  return %z, %b : tensor<3xf32>, f32
}

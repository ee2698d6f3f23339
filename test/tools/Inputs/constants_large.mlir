func.func @main(%x: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %w = arith.constant dense_resource<large> : tensor<512x512xf32>
  %y = arith.addf %x, %w : tensor<512x512xf32>
  return %y : tensor<512x512xf32>
}

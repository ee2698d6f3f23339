// layer_norm: mean 0 and variance 1 along a row, torch.nn.functional.layer_norm.
//
//   y = (x - mean(x)) / sqrt(mean((x - mean(x))^2) + eps) weight + bias
sinter.define @layer_norm(%x: tensor<?xf32>, %weight: tensor<?xf32> {column, optional = 1.0}, %bias: tensor<?xf32> {column, optional = 0.0}, %eps: f32 {at_least = 0.0, default = 1.0e-5})
    attributes {summary = "mean 0 and variance 1 along a row", formula = "y = (x - mean(x)) / sqrt(mean((x - mean(x))^2) + eps) weight + bias"} {
  %one = arith.constant 1.0 : f32
  %ones = sinter.broadcast %one : f32 -> tensor<?xf32>
  %count = sinter.row_reduce add %ones : tensor<?xf32> -> f32
  %sum = sinter.row_reduce add %x : tensor<?xf32> -> f32
  %mean = arith.divf %sum, %count : f32
  %means = sinter.broadcast %mean : f32 -> tensor<?xf32>
  %d = arith.subf %x, %means : tensor<?xf32>
  %dd = arith.mulf %d, %d : tensor<?xf32>
  %squares = sinter.row_reduce add %dd : tensor<?xf32> -> f32
  %variance = arith.divf %squares, %count : f32
  %v = arith.addf %variance, %eps : f32
  %r = math.rsqrt %v : f32
  %rs = sinter.broadcast %r : f32 -> tensor<?xf32>
  %normal = arith.mulf %d, %rs : tensor<?xf32>
  %scaled = arith.mulf %normal, %weight : tensor<?xf32>
  %y = arith.addf %scaled, %bias : tensor<?xf32>
  sinter.yield %y : tensor<?xf32>
}

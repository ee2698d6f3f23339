// rms_norm: a mean square of 1 along a row, torch.nn.functional.rms_norm.
//
//   y = x / sqrt(mean(x^2) + eps) weight
//
// Without eps PyTorch takes the type's own; the default here is that of f32.
sinter.define @rms_norm(%x: tensor<?xf32>, %weight: tensor<?xf32> {column, optional = 1.0}, %eps: f32 {at_least = 0.0, default = 1.1920928955078125e-07})
    attributes {summary = "a mean square of 1 along a row", formula = "y = x / sqrt(mean(x^2) + eps) weight"} {
  %one = arith.constant 1.0 : f32
  %ones = sinter.broadcast %one : f32 -> tensor<?xf32>
  %count = sinter.row_reduce add %ones : tensor<?xf32> -> f32
  %xx = arith.mulf %x, %x : tensor<?xf32>
  %squares = sinter.row_reduce add %xx : tensor<?xf32> -> f32
  %mean = arith.divf %squares, %count : f32
  %v = arith.addf %mean, %eps : f32
  %r = math.rsqrt %v : f32
  %rs = sinter.broadcast %r : f32 -> tensor<?xf32>
  %normal = arith.mulf %x, %rs : tensor<?xf32>
  %y = arith.mulf %normal, %weight : tensor<?xf32>
  sinter.yield %y : tensor<?xf32>
}

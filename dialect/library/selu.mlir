// selu: elu with constants that keep mean 0 and variance 1, torch.nn.functional.selu.
//
//   y = 1.0507009873554805 x                                  where x > 0
//       1.0507009873554805 1.6732632423543772 (exp(x) - 1)    elsewhere
sinter.define @selu(%x: tensor<?xf32>)
    attributes {summary = "elu that keeps mean 0 and variance 1", formula = "y = scale x where x > 0, scale alpha (exp(x) - 1) elsewhere; alpha = 1.6732632423543772, scale = 1.0507009873554805"} {
  %zero = arith.constant 0.0 : f32
  %scale_exact = arith.constant 1.0507009873554805 : f64
  %scale = arith.truncf %scale_exact : f64 to f32
  %low_scale_exact = arith.constant 1.7580993408473766 : f64
  %low_scale = arith.truncf %low_scale_exact : f64 to f32
  %zeros = sinter.broadcast %zero : f32 -> tensor<?xf32>
  %scales = sinter.broadcast %scale : f32 -> tensor<?xf32>
  %low_scales = sinter.broadcast %low_scale : f32 -> tensor<?xf32>
  // Above 0 the exponential may overflow; it is not taken there.
  %on = arith.cmpf ogt, %x, %zeros : tensor<?xf32>
  %n = arith.select %on, %zeros, %x : tensor<?xi1>, tensor<?xf32>
  %e = math.expm1 %n : tensor<?xf32>
  %low = arith.mulf %low_scales, %e : tensor<?xf32>
  %high = arith.mulf %scales, %x : tensor<?xf32>
  %y = arith.select %on, %high, %low : tensor<?xi1>, tensor<?xf32>
  sinter.yield %y : tensor<?xf32>
}

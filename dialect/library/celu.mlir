// celu: elu with a slope of 1 at 0, torch.nn.functional.celu.
//
//   y = x                         where x > 0
//       alpha (exp(x / alpha) - 1)  elsewhere
sinter.define @celu(%x: tensor<?xf32>, %alpha: f32 {above = 0.0, default = 1.0})
    attributes {summary = "elu with a slope of 1 at 0", formula = "y = x where x > 0, alpha (exp(x / alpha) - 1) elsewhere"} {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %inverse = arith.divf %one, %alpha : f32
  %zeros = sinter.broadcast %zero : f32 -> tensor<?xf32>
  %alphas = sinter.broadcast %alpha : f32 -> tensor<?xf32>
  %inverses = sinter.broadcast %inverse : f32 -> tensor<?xf32>
  // Above 0 the exponential may overflow; it is not taken there.
  %on = arith.cmpf ogt, %x, %zeros : tensor<?xf32>
  %n = arith.select %on, %zeros, %x : tensor<?xi1>, tensor<?xf32>
  %scaled = arith.mulf %n, %inverses : tensor<?xf32>
  %e = math.expm1 %scaled : tensor<?xf32>
  %low = arith.mulf %alphas, %e : tensor<?xf32>
  %y = arith.select %on, %x, %low : tensor<?xi1>, tensor<?xf32>
  sinter.yield %y : tensor<?xf32>
}

// elu: an exponential below 0, torch.nn.functional.elu.
//
//   y = x                   where x > 0
//       alpha (exp(x) - 1)  elsewhere
sinter.define @elu(%x: tensor<?xf32>, %alpha: f32 {default = 1.0})
    attributes {summary = "an exponential below 0", formula = "y = x where x > 0, alpha (exp(x) - 1) elsewhere"} {
  %zero = arith.constant 0.0 : f32
  %zeros = sinter.broadcast %zero : f32 -> tensor<?xf32>
  %alphas = sinter.broadcast %alpha : f32 -> tensor<?xf32>
  // Above 0 the exponential may overflow; it is not taken there.
  %on = arith.cmpf ogt, %x, %zeros : tensor<?xf32>
  %n = arith.select %on, %zeros, %x : tensor<?xi1>, tensor<?xf32>
  %e = math.expm1 %n : tensor<?xf32>
  %low = arith.mulf %alphas, %e : tensor<?xf32>
  %y = arith.select %on, %x, %low : tensor<?xi1>, tensor<?xf32>
  sinter.yield %y : tensor<?xf32>
}

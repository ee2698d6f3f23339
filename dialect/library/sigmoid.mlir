// sigmoid: the logistic function, torch.sigmoid.
//
//   y = 1 / (1 + exp(-x))
//
// e = exp(-|x|) never overflows.
sinter.define @sigmoid(%x: tensor<?xf32>)
    attributes {summary = "logistic function", formula = "y = 1 / (1 + exp(-x))"} {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %zeros = sinter.broadcast %zero : f32 -> tensor<?xf32>
  %ones = sinter.broadcast %one : f32 -> tensor<?xf32>
  %negative = arith.cmpf olt, %x, %zeros : tensor<?xf32>
  %minus = arith.negf %x : tensor<?xf32>
  %down = arith.select %negative, %x, %minus : tensor<?xi1>, tensor<?xf32>
  %e = math.exp %down : tensor<?xf32>
  %e1 = arith.addf %ones, %e : tensor<?xf32>
  %top = arith.select %negative, %e, %ones : tensor<?xi1>, tensor<?xf32>
  %y = arith.divf %top, %e1 : tensor<?xf32>
  sinter.yield %y : tensor<?xf32>
}

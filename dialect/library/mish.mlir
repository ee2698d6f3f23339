// mish: x times the tanh of its softplus, torch.nn.functional.mish.
//
//   y = x tanh(log(1 + exp(x)))
//
// With e = exp(-|x|), which never overflows, the tanh is
//
//   (1 + 2 e) / (1 + 2 e + 2 e^2)            where x >= 0
//   (2 e + e^2) / (2 + 2 e + e^2)            elsewhere
sinter.define @mish(%x: tensor<?xf32>)
    attributes {summary = "x times the tanh of its softplus", formula = "y = x tanh(log(1 + exp(x)))"} {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %zeros = sinter.broadcast %zero : f32 -> tensor<?xf32>
  %ones = sinter.broadcast %one : f32 -> tensor<?xf32>
  %twos = sinter.broadcast %two : f32 -> tensor<?xf32>
  %negative = arith.cmpf olt, %x, %zeros : tensor<?xf32>
  %minus = arith.negf %x : tensor<?xf32>
  %down = arith.select %negative, %x, %minus : tensor<?xi1>, tensor<?xf32>
  %e = math.exp %down : tensor<?xf32>
  %e2 = arith.mulf %e, %twos : tensor<?xf32>
  %ee = arith.mulf %e, %e : tensor<?xf32>
  %high = arith.addf %ones, %e2 : tensor<?xf32>
  %low = arith.addf %e2, %ee : tensor<?xf32>
  %ee2 = arith.mulf %ee, %twos : tensor<?xf32>
  %top = arith.select %negative, %low, %high : tensor<?xi1>, tensor<?xf32>
  %rest = arith.select %negative, %twos, %ee2 : tensor<?xi1>, tensor<?xf32>
  %bottom = arith.addf %top, %rest : tensor<?xf32>
  %t = arith.divf %top, %bottom : tensor<?xf32>
  %y = arith.mulf %x, %t : tensor<?xf32>
  sinter.yield %y : tensor<?xf32>
}

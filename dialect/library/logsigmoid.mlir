// logsigmoid: the logarithm of the sigmoid, torch.nn.functional.logsigmoid.
//
//   y = -log(1 + exp(-x))
//
// e = exp(-|x|) never overflows.
sinter.define @logsigmoid(%x: tensor<?xf32>)
    attributes {summary = "logarithm of the sigmoid", formula = "y = -log(1 + exp(-x))"} {
  %zero = arith.constant 0.0 : f32
  %zeros = sinter.broadcast %zero : f32 -> tensor<?xf32>
  %negative = arith.cmpf olt, %x, %zeros : tensor<?xf32>
  %minus = arith.negf %x : tensor<?xf32>
  %down = arith.select %negative, %x, %minus : tensor<?xi1>, tensor<?xf32>
  %e = math.exp %down : tensor<?xf32>
  %line = arith.select %negative, %x, %zeros : tensor<?xi1>, tensor<?xf32>
  %log = math.log1p %e : tensor<?xf32>
  %y = arith.subf %line, %log : tensor<?xf32>
  sinter.yield %y : tensor<?xf32>
}

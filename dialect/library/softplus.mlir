// softplus: a smooth relu, torch.nn.functional.softplus.
//
//   y = log(1 + exp(beta x)) / beta     x where beta x > threshold
sinter.define @softplus(%x: tensor<?xf32>, %beta: f32 {above = 0.0, default = 1.0}, %threshold: f32 {default = 20.0})
    attributes {summary = "a smooth relu", formula = "y = log(1 + exp(beta x)) / beta, x where beta x > threshold"} {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %inverse = arith.divf %one, %beta : f32
  %zeros = sinter.broadcast %zero : f32 -> tensor<?xf32>
  %betas = sinter.broadcast %beta : f32 -> tensor<?xf32>
  %inverses = sinter.broadcast %inverse : f32 -> tensor<?xf32>
  %limit = sinter.broadcast %threshold : f32 -> tensor<?xf32>
  %b = arith.mulf %betas, %x : tensor<?xf32>
  %negative = arith.cmpf olt, %b, %zeros : tensor<?xf32>
  %minus = arith.negf %b : tensor<?xf32>
  %down = arith.select %negative, %b, %minus : tensor<?xi1>, tensor<?xf32>
  %line = arith.select %negative, %zeros, %b : tensor<?xi1>, tensor<?xf32>
  %e = math.exp %down : tensor<?xf32>
  %log = math.log1p %e : tensor<?xf32>
  %sum = arith.addf %line, %log : tensor<?xf32>
  %bend = arith.mulf %sum, %inverses : tensor<?xf32>
  %far = arith.cmpf ogt, %b, %limit : tensor<?xf32>
  %y = arith.select %far, %x, %bend : tensor<?xi1>, tensor<?xf32>
  sinter.yield %y : tensor<?xf32>
}

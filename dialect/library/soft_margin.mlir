// soft_margin: the logistic loss of a signed target, torch.nn.functional.soft_margin_loss.
//
//   l = log(1 + exp(-target input))
//
// PyTorch's exp overflows where target input < -88; with e = exp(-|z|) nothing does.
sinter.define @soft_margin(%input: tensor<?xf32>, %target: tensor<?xf32>)
    attributes {reductions = ["mean", "sum", "none"], broadcast, summary = "logistic loss of a signed target",
                formula = "l = log(1 + exp(-target input))"} {
  %zero = arith.constant 0.0 : f32
  %zeros = sinter.broadcast %zero : f32 -> tensor<?xf32>
  %z = arith.mulf %target, %input : tensor<?xf32>
  %minus = arith.negf %z : tensor<?xf32>
  %negative = arith.cmpf olt, %z, %zeros : tensor<?xf32>
  %line = arith.select %negative, %minus, %zeros : tensor<?xi1>, tensor<?xf32>
  %down = arith.select %negative, %z, %minus : tensor<?xi1>, tensor<?xf32>
  %e = math.exp %down : tensor<?xf32>
  %log = math.log1p %e : tensor<?xf32>
  %l = arith.addf %line, %log : tensor<?xf32>
  sinter.yield %l : tensor<?xf32>
}

// mse: the squared difference, torch.nn.functional.mse_loss.
//
//   l = (input - target)^2
//
// With `weight` the mean is a weighted one: sum(weight l) / sum(weight).
sinter.define @mse(%input: tensor<?xf32>, %target: tensor<?xf32>)
    attributes {reductions = ["mean", "sum", "none"], broadcast, summary = "mean squared error",
                formula = "l = (input - target)^2"} {
  %d = arith.subf %input, %target : tensor<?xf32>
  %l = arith.mulf %d, %d : tensor<?xf32>
  sinter.yield %l : tensor<?xf32>
}
sinter.define @mse.weighted(%input: tensor<?xf32>, %target: tensor<?xf32>, %weight: tensor<?xf32> {optional = 1.0})
    attributes {reductions = ["mean", "sum", "none"], broadcast, summary = "weighted mean squared error",
                formula = "l = weight (input - target)^2"} {
  %d = arith.subf %input, %target : tensor<?xf32>
  %s = arith.mulf %d, %d : tensor<?xf32>
  %l = arith.mulf %s, %weight : tensor<?xf32>
  sinter.yield %l, %weight : tensor<?xf32>, tensor<?xf32>
}

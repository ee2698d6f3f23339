// l1: the absolute difference, torch.nn.functional.l1_loss.
//
//   l = |input - target|
//
// With `weight` the mean is a weighted one: sum(weight l) / sum(weight).
sinter.define @l1(%input: tensor<?xf32>, %target: tensor<?xf32>)
    attributes {reductions = ["mean", "sum", "none"], broadcast, summary = "mean absolute error",
                formula = "l = |input - target|"} {
  %d = arith.subf %input, %target : tensor<?xf32>
  %l = math.absf %d : tensor<?xf32>
  sinter.yield %l : tensor<?xf32>
}
sinter.define @l1.weighted(%input: tensor<?xf32>, %target: tensor<?xf32>, %weight: tensor<?xf32> {optional = 1.0})
    attributes {reductions = ["mean", "sum", "none"], broadcast, summary = "weighted mean absolute error",
                formula = "l = weight |input - target|"} {
  %d = arith.subf %input, %target : tensor<?xf32>
  %a = math.absf %d : tensor<?xf32>
  %l = arith.mulf %a, %weight : tensor<?xf32>
  sinter.yield %l, %weight : tensor<?xf32>, tensor<?xf32>
}

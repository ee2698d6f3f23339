// margin_ranking: which of two is larger, torch.nn.functional.margin_ranking_loss.
//
//   l = max(0, -target (input1 - input2) + margin)
sinter.define @margin_ranking(%input1: tensor<?xf32>, %input2: tensor<?xf32>, %target: tensor<?xf32>,
                              %margin: f32 {default = 0.0})
    attributes {reductions = ["mean", "sum", "none"], broadcast, same_rank, summary = "hinge of a difference that should have the target's sign",
                formula = "l = max(0, -target (input1 - input2) + margin)"} {
  %zero = arith.constant 0.0 : f32
  %zeros = sinter.broadcast %zero : f32 -> tensor<?xf32>
  %margins = sinter.broadcast %margin : f32 -> tensor<?xf32>
  %d = arith.subf %input1, %input2 : tensor<?xf32>
  %td = arith.mulf %target, %d : tensor<?xf32>
  %v = arith.subf %margins, %td : tensor<?xf32>
  %enough = arith.cmpf olt, %v, %zeros : tensor<?xf32>
  %l = arith.select %enough, %zeros, %v : tensor<?xi1>, tensor<?xf32>
  sinter.yield %l : tensor<?xf32>
}

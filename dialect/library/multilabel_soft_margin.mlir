// multilabel_soft_margin: bce_with_logits, the mean over classes, torch.nn.functional.multilabel_soft_margin_loss.
//
//   l = -mean over classes of weight (target log(sigmoid(input)) + (1 - target) log(sigmoid(-input)))
sinter.define @multilabel_soft_margin(%input: tensor<?xf32>, %target: tensor<?xf32>, %weight: tensor<?xf32> {optional = 1.0})
    attributes {reductions = ["mean", "sum", "none"], broadcast, summary = "binary cross entropy of logits, the mean over classes",
                formula = "l = -sum(weight (target log(sigmoid(input)) + (1 - target) log(sigmoid(-input)))) / C"} {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %inf = arith.constant 0xFF800000 : f32
  %zeros = sinter.broadcast %zero : f32 -> tensor<?xf32>
  %ones = sinter.broadcast %one : f32 -> tensor<?xf32>
  %lowest = sinter.broadcast %inf : f32 -> tensor<?xf32>
  %no = arith.subf %ones, %target : tensor<?xf32>
  %less = arith.negf %target : tensor<?xf32>
  %minus = arith.negf %input : tensor<?xf32>
  %negative = arith.cmpf olt, %input, %zeros : tensor<?xf32>
  %slope = arith.select %negative, %less, %no : tensor<?xi1>, tensor<?xf32>
  %down = arith.select %negative, %input, %minus : tensor<?xi1>, tensor<?xf32>
  %e = math.exp %down : tensor<?xf32>
  %log = math.log1p %e : tensor<?xf32>
  // An infinite logit of the right sign costs nothing: 0, not 0 * inf.
  %infinite = arith.cmpf oeq, %down, %lowest : tensor<?xf32>
  %flat = arith.cmpf oeq, %slope, %zeros : tensor<?xf32>
  %free = arith.andi %infinite, %flat : tensor<?xi1>
  %product = arith.mulf %slope, %input : tensor<?xf32>
  %line = arith.select %free, %zeros, %product : tensor<?xi1>, tensor<?xf32>
  %v = arith.addf %line, %log : tensor<?xf32>
  %wv = arith.mulf %v, %weight : tensor<?xf32>
  %s = sinter.row_reduce add %wv : tensor<?xf32> -> f32
  %c = sinter.row_reduce add %ones : tensor<?xf32> -> f32
  %l = arith.divf %s, %c : f32
  sinter.yield %l : f32
}

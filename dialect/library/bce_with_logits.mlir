// bce_with_logits: cross entropy of logits of two classes, torch.nn.functional.binary_cross_entropy_with_logits.
//
//   l = -weight (pos_weight target log(sigmoid(input)) + (1 - target) log(sigmoid(-input)))
//
// With e = exp(-|input|), which never overflows, and k = pos_weight target + 1 - target it is
//
//   weight ((1 - target) input + k log(1 + e))         where input >= 0
//   weight (-pos_weight target input + k log(1 + e))   elsewhere
//
// PyTorch gives NaN where input is infinite and right (inf with target 1, -inf with 0); 0 here.
sinter.define @bce_with_logits(%input: tensor<?xf32>, %target: tensor<?xf32> {like = "input"}, %weight: tensor<?xf32> {optional = 1.0},
                               %pos_weight: tensor<?xf32> {optional = 1.0})
    attributes {reductions = ["mean", "sum", "none"], broadcast, summary = "binary cross entropy of logits",
                formula = "l = -weight (pos_weight target log(sigmoid(input)) + (1 - target) log(sigmoid(-input)))"} {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %inf = arith.constant 0xFF800000 : f32
  %zeros = sinter.broadcast %zero : f32 -> tensor<?xf32>
  %ones = sinter.broadcast %one : f32 -> tensor<?xf32>
  %lowest = sinter.broadcast %inf : f32 -> tensor<?xf32>

  %yes = arith.mulf %pos_weight, %target : tensor<?xf32>
  %no = arith.subf %ones, %target : tensor<?xf32>
  %k = arith.addf %yes, %no : tensor<?xf32>
  %less = arith.negf %yes : tensor<?xf32>
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
  %bend = arith.mulf %k, %log : tensor<?xf32>
  %v = arith.addf %line, %bend : tensor<?xf32>
  %l = arith.mulf %v, %weight : tensor<?xf32>
  sinter.yield %l : tensor<?xf32>
}

// smooth_l1: l1 with a parabola around 0, torch.nn.functional.smooth_l1_loss.
//
//   d = |input - target|
//   l = d^2 / (2 beta)   where d < beta
//       d - beta / 2     elsewhere
//
// With beta = 0 it is l1.
sinter.define @smooth_l1(%input: tensor<?xf32>, %target: tensor<?xf32>, %beta: f32 {at_least = 0.0, default = 1.0})
    attributes {reductions = ["mean", "sum", "none"], broadcast, summary = "l1 with a parabola around 0",
                formula = "l = d^2 / (2 beta) where d = |input - target| < beta, d - beta / 2 elsewhere"} {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %half = arith.constant 0.5 : f32
  // The parabola of beta = 0 is read by nobody, but its gradient is multiplied by 0.
  %curved = arith.cmpf ogt, %beta, %zero : f32
  %divisor = arith.select %curved, %beta, %one : f32
  %a = arith.divf %half, %divisor : f32
  %h = arith.mulf %half, %beta : f32
  %zeros = sinter.broadcast %zero : f32 -> tensor<?xf32>
  %factor = sinter.broadcast %a : f32 -> tensor<?xf32>
  %offset = sinter.broadcast %h : f32 -> tensor<?xf32>
  %limit = sinter.broadcast %beta : f32 -> tensor<?xf32>

  %d = arith.subf %input, %target : tensor<?xf32>
  %abs = math.absf %d : tensor<?xf32>
  // NaN is near, and so is its gradient; with beta = 0 it is 0, as that of l1.
  %less = arith.cmpf olt, %abs, %limit : tensor<?xf32>
  %not_more = arith.cmpf ult, %abs, %limit : tensor<?xf32>
  %near = arith.select %curved, %not_more, %less : tensor<?xi1>
  // Far away the parabola may overflow; it is not taken there.
  %small = arith.select %near, %d, %zeros : tensor<?xi1>, tensor<?xf32>
  %square = arith.mulf %small, %small : tensor<?xf32>
  %parabola = arith.mulf %square, %factor : tensor<?xf32>
  %line = arith.subf %abs, %offset : tensor<?xf32>
  %l = arith.select %near, %parabola, %line : tensor<?xi1>, tensor<?xf32>
  sinter.yield %l : tensor<?xf32>
}

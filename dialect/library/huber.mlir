// huber: a parabola around 0, lines elsewhere, torch.nn.functional.huber_loss.
//
//   d = |input - target|
//   l = d^2 / 2                  where d < delta
//       delta (d - delta / 2)    elsewhere
sinter.define @huber(%input: tensor<?xf32>, %target: tensor<?xf32>, %weight: tensor<?xf32> {optional = 1.0},
                     %delta: f32 {above = 0.0, default = 1.0})
    attributes {reductions = ["mean", "sum", "none"], broadcast, summary = "a parabola around 0, lines elsewhere",
                formula = "l = weight (d^2 / 2 where d = |input - target| < delta, delta (d - delta / 2) elsewhere)"} {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %h = arith.mulf %half, %delta : f32
  %zeros = sinter.broadcast %zero : f32 -> tensor<?xf32>
  %halves = sinter.broadcast %half : f32 -> tensor<?xf32>
  %offset = sinter.broadcast %h : f32 -> tensor<?xf32>
  %limit = sinter.broadcast %delta : f32 -> tensor<?xf32>

  %d = arith.subf %input, %target : tensor<?xf32>
  %abs = math.absf %d : tensor<?xf32>
  %near = arith.cmpf ult, %abs, %limit : tensor<?xf32> // NaN is near, so its gradient is NaN
  // Far away the parabola may overflow; it is not taken there.
  %small = arith.select %near, %d, %zeros : tensor<?xi1>, tensor<?xf32>
  %square = arith.mulf %small, %small : tensor<?xf32>
  %parabola = arith.mulf %square, %halves : tensor<?xf32>
  %above = arith.subf %abs, %offset : tensor<?xf32>
  %line = arith.mulf %limit, %above : tensor<?xf32>
  %v = arith.select %near, %parabola, %line : tensor<?xi1>, tensor<?xf32>
  %l = arith.mulf %v, %weight : tensor<?xf32>
  sinter.yield %l : tensor<?xf32>
}

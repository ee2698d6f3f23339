// hinge_embedding: a distance, or its hinge, by the sign of the target, torch.nn.functional.hinge_embedding_loss.
//
//   l = input                    where target is 1
//       max(0, margin - input)   where target is -1
//       their sum                elsewhere, as in PyTorch
sinter.define @hinge_embedding(%input: tensor<?xf32>, %target: tensor<?xf32>, %margin: f32 {default = 1.0})
    attributes {reductions = ["mean", "sum", "none"], broadcast, summary = "a distance where target is 1, its hinge where it is -1",
                formula = "l = input where target is 1, max(0, margin - input) where target is -1"} {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %minus = arith.constant -1.0 : f32
  %zeros = sinter.broadcast %zero : f32 -> tensor<?xf32>
  %ones = sinter.broadcast %one : f32 -> tensor<?xf32>
  %minuses = sinter.broadcast %minus : f32 -> tensor<?xf32>
  %margins = sinter.broadcast %margin : f32 -> tensor<?xf32>

  %d = arith.subf %margins, %input : tensor<?xf32>
  %far = arith.cmpf olt, %d, %zeros : tensor<?xf32>
  %hinge = arith.select %far, %zeros, %d : tensor<?xi1>, tensor<?xf32>
  %similar = arith.cmpf oeq, %target, %ones : tensor<?xf32>
  %different = arith.cmpf oeq, %target, %minuses : tensor<?xf32>
  %a = arith.select %similar, %zeros, %hinge : tensor<?xi1>, tensor<?xf32>
  %b = arith.select %different, %zeros, %input : tensor<?xi1>, tensor<?xf32>
  %l = arith.addf %a, %b : tensor<?xf32>
  sinter.yield %l : tensor<?xf32>
}

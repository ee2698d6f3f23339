// cosine_embedding: the cosine of two vectors by the target's sign, torch.nn.functional.cosine_embedding_loss.
//
//   cos = input1 . input2 / sqrt((|input1|^2 + 1e-12) (|input2|^2 + 1e-12))
//   l = 1 - cos                  where target is 1
//       max(0, cos - margin)     where target is -1
//       0                        elsewhere
//
// The root is taken of each square: their product overflows earlier.
sinter.define @cosine_embedding(%input1: tensor<?xf32>, %input2: tensor<?xf32>, %target: f32, %margin: f32 {default = 0.0})
    attributes {reductions = ["mean", "sum", "none"], broadcast, same_rank, summary = "1 - cosine where target is 1, its hinge where it is -1",
                formula = "l = 1 - cos(input1, input2) where target is 1, max(0, cos(input1, input2) - margin) where target is -1"} {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %minus = arith.constant -1.0 : f32
  %eps = arith.constant 1.0e-12 : f32
  %xy = arith.mulf %input1, %input2 : tensor<?xf32>
  %xx = arith.mulf %input1, %input1 : tensor<?xf32>
  %yy = arith.mulf %input2, %input2 : tensor<?xf32>
  %dot = sinter.row_reduce add %xy : tensor<?xf32> -> f32
  %sx = sinter.row_reduce add %xx : tensor<?xf32> -> f32
  %sy = sinter.row_reduce add %yy : tensor<?xf32> -> f32
  %mx = arith.addf %sx, %eps : f32
  %my = arith.addf %sy, %eps : f32
  %nx = math.sqrt %mx : f32
  %ny = math.sqrt %my : f32
  %half = arith.divf %dot, %nx : f32
  %cos = arith.divf %half, %ny : f32

  %pos = arith.subf %one, %cos : f32
  %d = arith.subf %cos, %margin : f32
  %far = arith.cmpf olt, %d, %zero : f32
  %neg = arith.select %far, %zero, %d : f32
  %similar = arith.cmpf oeq, %target, %one : f32
  %different = arith.cmpf oeq, %target, %minus : f32
  %a = arith.select %similar, %pos, %zero : f32
  %b = arith.select %different, %neg, %zero : f32
  %l = arith.addf %a, %b : f32
  sinter.yield %l : f32
}

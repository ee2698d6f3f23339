// cosine_similarity: the cosine of the angle of two vectors, torch.nn.functional.cosine_similarity.
//
//   y = x1 . x2 / (max(|x1|, eps) max(|x2|, eps))
//
// As in PyTorch the gradient passes the clamps unchanged.
sinter.define @cosine_similarity(%x1: tensor<?xf32>, %x2: tensor<?xf32>, %eps: f32 {at_least = 0.0, default = 1.0e-8})
    attributes {broadcast, summary = "cosine of the angle of two vectors",
                formula = "y = x1 . x2 / (max(|x1|, eps) max(|x2|, eps))"} {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %xy = arith.mulf %x1, %x2 : tensor<?xf32>
  %xx = arith.mulf %x1, %x1 : tensor<?xf32>
  %yy = arith.mulf %x2, %x2 : tensor<?xf32>
  %dot = sinter.row_reduce add %xy : tensor<?xf32> -> f32
  %sx = sinter.row_reduce add %xx : tensor<?xf32> -> f32
  %sy = sinter.row_reduce add %yy : tensor<?xf32> -> f32

  // A root has no slope at 0: the vector's gradient is 0 there, and nothing is multiplied by infinity.
  %zx = arith.cmpf oeq, %sx, %zero : f32
  %zy = arith.cmpf oeq, %sy, %zero : f32
  %safex = arith.select %zx, %one, %sx : f32
  %safey = arith.select %zy, %one, %sy : f32
  %rootx = math.sqrt %safex : f32
  %rooty = math.sqrt %safey : f32
  %nx = arith.select %zx, %zero, %rootx : f32
  %ny = arith.select %zy, %zero, %rooty : f32

  %knownx = sinter.detach %nx : f32
  %knowny = sinter.detach %ny : f32
  %clampedx = arith.maximumf %knownx, %eps : f32
  %clampedy = arith.maximumf %knowny, %eps : f32
  %nothingx = arith.subf %nx, %knownx : f32
  %nothingy = arith.subf %ny, %knowny : f32
  %cx = arith.addf %clampedx, %nothingx : f32
  %cy = arith.addf %clampedy, %nothingy : f32
  %half = arith.divf %dot, %cx : f32
  %y = arith.divf %half, %cy : f32
  sinter.yield %y : f32
}

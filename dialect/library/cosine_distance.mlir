// cosine_distance: 1 - cosine_similarity, a distance for triplet_margin_with_distance.
//
//   y = 1 - x1 . x2 / (max(|x1|, eps) max(|x2|, eps))
sinter.define @cosine_distance(%x1: tensor<?xf32>, %x2: tensor<?xf32>, %eps: f32 {at_least = 0.0, default = 1.0e-8})
    attributes {broadcast, summary = "1 - the cosine of the angle of two vectors",
                formula = "y = 1 - x1 . x2 / (max(|x1|, eps) max(|x2|, eps))"} {
  %one = arith.constant 1.0 : f32
  %cos = sinter.apply @cosine_similarity(%x1, %x2, eps = %eps) : (tensor<?xf32>, tensor<?xf32>, f32) -> f32
  %y = arith.subf %one, %cos : f32
  sinter.yield %y : f32
}

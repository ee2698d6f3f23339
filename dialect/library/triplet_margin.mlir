// triplet_margin: the anchor is nearer to the positive than to the negative, torch.nn.functional.triplet_margin_loss.
//
//   d(x, y) = (sum |x - y + eps|^p)^(1/p)
//   l = max(0, margin + d(anchor, positive) - d(anchor, negative))
//
// With `swap` the last distance is the smaller one of it and d(positive, negative).
sinter.define @triplet_margin(%anchor: tensor<?xf32>, %positive: tensor<?xf32>, %negative: tensor<?xf32>,
                              %margin: f32 {above = 0.0, default = 1.0}, %p: f32 {at_least = 0.0, default = 2.0},
                              %eps: f32 {default = 1.0e-6}, %swap: i1 {default = false})
    attributes {reductions = ["mean", "sum", "none"], broadcast, same_rank, summary = "hinge of two distances from an anchor",
                formula = "l = max(0, margin + d(anchor, positive) - d(anchor, negative)), d(x, y) = (sum |x - y + eps|^p)^(1/p)"} {
  %zero = arith.constant 0.0 : f32
  %dp = sinter.apply @pairwise_distance(%anchor, %positive, p = %p, eps = %eps) : (tensor<?xf32>, tensor<?xf32>, f32, f32) -> f32
  %dn = sinter.apply @pairwise_distance(%anchor, %negative, p = %p, eps = %eps) : (tensor<?xf32>, tensor<?xf32>, f32, f32) -> f32
  %ds = sinter.apply @pairwise_distance(%positive, %negative, p = %p, eps = %eps) : (tensor<?xf32>, tensor<?xf32>, f32, f32) -> f32
  %nearer = arith.minimumf %dn, %ds : f32
  %far = arith.select %swap, %nearer, %dn : f32
  %over = arith.addf %margin, %dp : f32
  %v = arith.subf %over, %far : f32
  %enough = arith.cmpf olt, %v, %zero : f32
  %l = arith.select %enough, %zero, %v : f32
  sinter.yield %l : f32
}

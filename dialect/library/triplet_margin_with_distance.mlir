// triplet_margin_with_distance: triplet_margin with a distance of one's own,
// torch.nn.functional.triplet_margin_with_distance_loss.
//
//   l = max(0, margin + distance(anchor, positive) - distance(anchor, negative))
//
// With `swap` the last distance is the smaller one of it and distance(positive, negative). The attribute
// `distance` names a definition of two rows that yields a number: @pairwise_distance, @cosine_distance or the user's.
sinter.define @triplet_margin_with_distance(%anchor: tensor<?xf32>, %positive: tensor<?xf32>, %negative: tensor<?xf32>,
                              %margin: f32 {above = 0.0, default = 1.0}, %swap: i1 {default = false})
    attributes {reductions = ["mean", "sum", "none"], broadcast, same_rank, functions = {distance = @pairwise_distance},
                summary = "hinge of two distances from an anchor, by a definition of the distance",
                formula = "l = max(0, margin + distance(anchor, positive) - distance(anchor, negative))"} {
  %zero = arith.constant 0.0 : f32
  %dp = sinter.apply @distance(%anchor, %positive) : (tensor<?xf32>, tensor<?xf32>) -> f32
  %dn = sinter.apply @distance(%anchor, %negative) : (tensor<?xf32>, tensor<?xf32>) -> f32
  %ds = sinter.apply @distance(%positive, %negative) : (tensor<?xf32>, tensor<?xf32>) -> f32
  %nearer = arith.minimumf %dn, %ds : f32
  %far = arith.select %swap, %nearer, %dn : f32
  %over = arith.addf %margin, %dp : f32
  %v = arith.subf %over, %far : f32
  %enough = arith.cmpf olt, %v, %zero : f32
  %l = arith.select %enough, %zero, %v : f32
  sinter.yield %l : f32
}

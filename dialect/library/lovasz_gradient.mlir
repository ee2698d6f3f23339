// lovasz_gradient: what the Jaccard loss grows by with each element, by which Lovasz losses weigh their sorted errors
// (Berman, Triki, Blaschko 2018: lovasz_grad of their code).
//
//   y_j = J_j - J_{j-1}      J_j = 1 - (sum g - sum_{i <= j} g_i) / (sum g + sum_{i <= j} (1 - g_i)), J_{-1} = 0
//
// `target` is 1 where an element belongs to the set, else 0, in the order of the errors from the largest on. Written as
// one quotient, it loses no digits. No gradient goes through it.
sinter.define @lovasz_gradient(%target: tensor<?xf32>)
    attributes {summary = "how the Jaccard loss grows with each element",
                formula = "y_j = J_j - J_{j-1}, J_j = 1 - (sum g - sum_{i <= j} g_i) / (sum g + sum_{i <= j} (1 - g_i)), g = target"} {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %zeros = sinter.broadcast %zero : f32 -> tensor<?xf32>
  %ones = sinter.broadcast %one : f32 -> tensor<?xf32>
  %hits = sinter.row_scan add %target : tensor<?xf32>
  %all = sinter.row_reduce add %target : tensor<?xf32> -> f32
  %alls = sinter.broadcast %all : f32 -> tensor<?xf32>
  %column = sinter.index column : tensor<?xindex>
  %j = arith.index_cast %column : tensor<?xindex> to tensor<?xi64>
  %before = arith.sitofp %j : tensor<?xi64> to tensor<?xf32>
  %seen = arith.addf %before, %ones : tensor<?xf32>
  %misses = arith.subf %seen, %hits : tensor<?xf32>
  %miss = arith.subf %ones, %target : tensor<?xf32>
  %i = arith.subf %alls, %hits : tensor<?xf32>
  %u = arith.addf %alls, %misses : tensor<?xf32>
  %u1 = arith.subf %u, %miss : tensor<?xf32>
  %gu = arith.mulf %target, %u : tensor<?xf32>
  %im = arith.mulf %i, %miss : tensor<?xf32>
  %top = arith.addf %gu, %im : tensor<?xf32>
  %bottom = arith.mulf %u, %u1 : tensor<?xf32>
  %first = arith.cmpf oeq, %u1, %zeros : tensor<?xf32>
  %quotient = arith.divf %top, %bottom : tensor<?xf32>
  %step = arith.select %first, %ones, %quotient : tensor<?xi1>, tensor<?xf32>
  %y = sinter.detach %step : tensor<?xf32>
  sinter.yield %y : tensor<?xf32>
}

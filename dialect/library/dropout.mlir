// dropout: each element is 0 with probability p, and 1 / (1 - p) of what it was elsewhere, torch.nn.functional.dropout.
//
//   y = x mask,  mask = 1 / (1 - p)   where random(seed, row, column) >= p
//                       0             elsewhere
//
// `seed` is an operand, so that each call has another one. The same seed gives the same elements, in the gradient too,
// which makes the numbers again; so two uses on the same data take two seeds. With p = 0 nothing is 0, with p = 1 all
// is. An infinity times 0 is NaN, as in PyTorch.
sinter.define @dropout(%x: tensor<?xf32>, %seed: tensor<?xi64>, %p: f32 {at_least = 0.0, at_most = 1.0, default = 0.5})
    attributes {broadcast, summary = "elements at random are 0",
                formula = "y = x / (1 - p) where random(seed, row, column) >= p, x 0 elsewhere"} {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %zeros = sinter.broadcast %zero : f32 -> tensor<?xf32>
  %row = sinter.index row : index
  %column = sinter.index column : tensor<?xindex>
  %rows = sinter.broadcast %row : index -> tensor<?xindex>
  %u = sinter.random %seed[%rows, %column] : tensor<?xi64>, tensor<?xindex>, tensor<?xindex> -> tensor<?xf32>
  %ps = sinter.broadcast %p : f32 -> tensor<?xf32>
  %kept = arith.cmpf oge, %u, %ps : tensor<?xf32>

  %rest = arith.subf %one, %p : f32
  %all = arith.cmpf oeq, %rest, %zero : f32
  %divisor = arith.select %all, %one, %rest : f32
  %scale = arith.divf %one, %divisor : f32
  %scales = sinter.broadcast %scale : f32 -> tensor<?xf32>
  %mask = arith.select %kept, %scales, %zeros : tensor<?xi1>, tensor<?xf32>
  %y = arith.mulf %x, %mask : tensor<?xf32>
  sinter.yield %y : tensor<?xf32>
}

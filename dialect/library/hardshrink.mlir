// hardshrink: 0 near 0, torch.nn.functional.hardshrink.
//
//   y = 0 where -lambd <= x <= lambd, x elsewhere
sinter.define @hardshrink(%x: tensor<?xf32>, %lambd: f32 {at_least = 0.0, default = 0.5})
    attributes {summary = "0 near 0", formula = "y = 0 where -lambd <= x <= lambd, x elsewhere"} {
  %zero = arith.constant 0.0 : f32
  %minus = arith.negf %lambd : f32
  %zeros = sinter.broadcast %zero : f32 -> tensor<?xf32>
  %most = sinter.broadcast %lambd : f32 -> tensor<?xf32>
  %least = sinter.broadcast %minus : f32 -> tensor<?xf32>
  %under = arith.cmpf ole, %x, %most : tensor<?xf32>
  %over = arith.cmpf oge, %x, %least : tensor<?xf32>
  %inside = arith.andi %under, %over : tensor<?xi1>
  %y = arith.select %inside, %zeros, %x : tensor<?xi1>, tensor<?xf32>
  sinter.yield %y : tensor<?xf32>
}

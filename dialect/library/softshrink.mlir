// softshrink: x moved to 0 by lambd, torch.nn.functional.softshrink.
//
//   y = x - lambd   where x > lambd
//       x + lambd   where x < -lambd
//       0           elsewhere
sinter.define @softshrink(%x: tensor<?xf32>, %lambd: f32 {at_least = 0.0, default = 0.5})
    attributes {summary = "x moved to 0 by lambd", formula = "y = x - lambd where x > lambd, x + lambd where x < -lambd, 0 elsewhere"} {
  %zero = arith.constant 0.0 : f32
  %minus = arith.negf %lambd : f32
  %zeros = sinter.broadcast %zero : f32 -> tensor<?xf32>
  %most = sinter.broadcast %lambd : f32 -> tensor<?xf32>
  %least = sinter.broadcast %minus : f32 -> tensor<?xf32>
  %down = arith.subf %x, %most : tensor<?xf32>
  %up = arith.addf %x, %most : tensor<?xf32>
  %under = arith.cmpf ole, %x, %most : tensor<?xf32>
  %over = arith.cmpf oge, %x, %least : tensor<?xf32>
  %inside = arith.andi %under, %over : tensor<?xi1>
  %negative = arith.cmpf olt, %x, %zeros : tensor<?xf32>
  %moved = arith.select %negative, %up, %down : tensor<?xi1>, tensor<?xf32>
  %y = arith.select %inside, %zeros, %moved : tensor<?xi1>, tensor<?xf32>
  sinter.yield %y : tensor<?xf32>
}

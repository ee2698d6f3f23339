// hardtanh: x between two limits, torch.nn.functional.hardtanh.
//
//   y = min(max(x, min_val), max_val)
//
// The gradient is 0 at the limits.
sinter.define @hardtanh(%x: tensor<?xf32>, %min_val: f32 {default = -1.0}, %max_val: f32 {default = 1.0})
    attributes {summary = "x between two limits", formula = "y = min(max(x, min_val), max_val)"} {
  %least = sinter.broadcast %min_val : f32 -> tensor<?xf32>
  %most = sinter.broadcast %max_val : f32 -> tensor<?xf32>
  %low = arith.cmpf ole, %x, %least : tensor<?xf32>
  %high = arith.cmpf oge, %x, %most : tensor<?xf32>
  %c = arith.select %low, %least, %x : tensor<?xi1>, tensor<?xf32>
  %y = arith.select %high, %most, %c : tensor<?xi1>, tensor<?xf32>
  sinter.yield %y : tensor<?xf32>
}

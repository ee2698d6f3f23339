// threshold: a value below a threshold, torch.nn.functional.threshold.
//
//   y = x where x > threshold, value elsewhere
sinter.define @threshold(%x: tensor<?xf32>, %threshold: f32 {default = 0.0}, %value: f32 {default = 0.0})
    attributes {summary = "a value below a threshold", formula = "y = x where x > threshold, value elsewhere"} {
  %limit = sinter.broadcast %threshold : f32 -> tensor<?xf32>
  %values = sinter.broadcast %value : f32 -> tensor<?xf32>
  %off = arith.cmpf ole, %x, %limit : tensor<?xf32>
  %y = arith.select %off, %values, %x : tensor<?xi1>, tensor<?xf32>
  sinter.yield %y : tensor<?xf32>
}

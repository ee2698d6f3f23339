// relu: the positive part, torch.nn.functional.relu.
//
//   y = max(0, x)
sinter.define @relu(%x: tensor<?xf32>)
    attributes {summary = "positive part", formula = "y = max(0, x)"} {
  %zero = arith.constant 0.0 : f32
  %zeros = sinter.broadcast %zero : f32 -> tensor<?xf32>
  %off = arith.cmpf ole, %x, %zeros : tensor<?xf32>
  %y = arith.select %off, %zeros, %x : tensor<?xi1>, tensor<?xf32>
  sinter.yield %y : tensor<?xf32>
}

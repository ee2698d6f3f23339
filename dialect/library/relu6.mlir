// relu6: x between 0 and 6, torch.nn.functional.relu6.
//
//   y = min(max(x, 0), 6)
sinter.define @relu6(%x: tensor<?xf32>)
    attributes {summary = "x between 0 and 6", formula = "y = min(max(x, 0), 6)"} {
  %zero = arith.constant 0.0 : f32
  %six = arith.constant 6.0 : f32
  %least = sinter.broadcast %zero : f32 -> tensor<?xf32>
  %most = sinter.broadcast %six : f32 -> tensor<?xf32>
  %low = arith.cmpf ole, %x, %least : tensor<?xf32>
  %high = arith.cmpf oge, %x, %most : tensor<?xf32>
  %c = arith.select %low, %least, %x : tensor<?xi1>, tensor<?xf32>
  %y = arith.select %high, %most, %c : tensor<?xi1>, tensor<?xf32>
  sinter.yield %y : tensor<?xf32>
}

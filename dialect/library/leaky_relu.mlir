// leaky_relu: a smaller slope below 0, torch.nn.functional.leaky_relu.
//
//   y = x                  where x > 0
//       negative_slope x   elsewhere
sinter.define @leaky_relu(%x: tensor<?xf32>, %negative_slope: f32 {default = 0.01})
    attributes {summary = "a smaller slope below 0", formula = "y = x where x > 0, negative_slope x elsewhere"} {
  %zero = arith.constant 0.0 : f32
  %zeros = sinter.broadcast %zero : f32 -> tensor<?xf32>
  %slope = sinter.broadcast %negative_slope : f32 -> tensor<?xf32>
  %low = arith.mulf %x, %slope : tensor<?xf32>
  %on = arith.cmpf ogt, %x, %zeros : tensor<?xf32>
  %y = arith.select %on, %x, %low : tensor<?xi1>, tensor<?xf32>
  sinter.yield %y : tensor<?xf32>
}

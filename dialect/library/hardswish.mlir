// hardswish: silu by a parabola, torch.nn.functional.hardswish.
//
//   y = 0                 where x <= -3
//       x                 where x >= 3
//       x (x + 3) / 6     elsewhere
sinter.define @hardswish(%x: tensor<?xf32>)
    attributes {summary = "silu by a parabola", formula = "y = x min(max(x + 3, 0), 6) / 6"} {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %three = arith.constant 3.0 : f32
  %minus = arith.constant -3.0 : f32
  %sixth_exact = arith.constant 0.16666666666666667 : f64
  %sixth = arith.truncf %sixth_exact : f64 to f32
  %zeros = sinter.broadcast %zero : f32 -> tensor<?xf32>
  %halves = sinter.broadcast %half : f32 -> tensor<?xf32>
  %threes = sinter.broadcast %three : f32 -> tensor<?xf32>
  %minuses = sinter.broadcast %minus : f32 -> tensor<?xf32>
  %sixths = sinter.broadcast %sixth : f32 -> tensor<?xf32>
  %s = arith.mulf %x, %sixths : tensor<?xf32>
  %line = arith.addf %s, %halves : tensor<?xf32>
  %bend = arith.mulf %x, %line : tensor<?xf32>
  %low = arith.cmpf ole, %x, %minuses : tensor<?xf32>
  %high = arith.cmpf oge, %x, %threes : tensor<?xf32>
  %c = arith.select %low, %zeros, %bend : tensor<?xi1>, tensor<?xf32>
  %y = arith.select %high, %x, %c : tensor<?xi1>, tensor<?xf32>
  sinter.yield %y : tensor<?xf32>
}

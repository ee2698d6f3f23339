// quantize: the nearest of 256 steps, torch.quantize_per_tensor with torch.qint8.
//
//   y = min(max(round(x / scale + zero_point), -128), 127)
//
// Halves are rounded to the even step.
sinter.define @quantize(%x: tensor<?xf32>, %scale: f32 {above = 0.0, default = 1.0}, %zero_point: i64 {default = 0})
    attributes {summary = "the nearest of 256 steps", formula = "y = min(max(round(x / scale + zero_point), -128), 127)"} {
  %one = arith.constant 1.0 : f32
  %least = arith.constant -128.0 : f32
  %most = arith.constant 127.0 : f32
  %inverse = arith.divf %one, %scale : f32
  %zp = arith.sitofp %zero_point : i64 to f32
  %low = sinter.broadcast %least : f32 -> tensor<?xf32>
  %high = sinter.broadcast %most : f32 -> tensor<?xf32>
  %zps = sinter.broadcast %zp : f32 -> tensor<?xf32>
  %inverses = sinter.broadcast %inverse : f32 -> tensor<?xf32>
  %steps = arith.mulf %x, %inverses : tensor<?xf32>
  %moved = arith.addf %steps, %zps : tensor<?xf32>
  %whole = math.roundeven %moved : tensor<?xf32>
  %above = arith.maximumf %whole, %low : tensor<?xf32>
  %q = arith.minimumf %above, %high : tensor<?xf32>
  %y = arith.fptosi %q : tensor<?xf32> to tensor<?xi8>
  sinter.yield %y : tensor<?xi8>
}

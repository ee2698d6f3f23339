// dequantize: what a quantised number stands for, torch.dequantize.
//
//   y = (x - zero_point) scale
sinter.define @dequantize(%x: tensor<?xi8>, %scale: f32 {above = 0.0, default = 1.0}, %zero_point: i64 {default = 0})
    attributes {summary = "what a quantised number stands for", formula = "y = (x - zero_point) scale"} {
  %zp = arith.sitofp %zero_point : i64 to f32
  %zps = sinter.broadcast %zp : f32 -> tensor<?xf32>
  %scales = sinter.broadcast %scale : f32 -> tensor<?xf32>
  %f = arith.sitofp %x : tensor<?xi8> to tensor<?xf32>
  %steps = arith.subf %f, %zps : tensor<?xf32>
  %y = arith.mulf %steps, %scales : tensor<?xf32>
  sinter.yield %y : tensor<?xf32>
}

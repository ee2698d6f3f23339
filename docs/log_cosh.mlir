// log_cosh: a smooth absolute value.
//
//   l = log(cosh(scale (input - target))) / scale
//     = |d| + (log(1 + exp(-2 scale |d|)) - log 2) / scale,  d = input - target, which never overflows
sinter.define @log_cosh(%input: tensor<?xf32>, %target: tensor<?xf32>, %scale: f32 {above = 0.0, default = 1.0})
    attributes {reductions = ["mean", "sum", "none"], broadcast, summary = "a smooth absolute value",
                formula = "l = log(cosh(scale (input - target))) / scale"} {
  %minus_two = arith.constant -2.0 : f32
  %two = arith.constant 2.0 : f32
  %log_two = math.log %two : f32
  %slope = arith.mulf %minus_two, %scale : f32
  %slopes = sinter.broadcast %slope : f32 -> tensor<?xf32>
  %offset = sinter.broadcast %log_two : f32 -> tensor<?xf32>
  %scales = sinter.broadcast %scale : f32 -> tensor<?xf32>

  %d = arith.subf %input, %target : tensor<?xf32>
  %abs = math.absf %d : tensor<?xf32>
  %down = arith.mulf %abs, %slopes : tensor<?xf32>
  %e = math.exp %down : tensor<?xf32>
  %log = math.log1p %e : tensor<?xf32>
  %bend = arith.subf %log, %offset : tensor<?xf32>
  %b = arith.divf %bend, %scales : tensor<?xf32>
  %l = arith.addf %abs, %b : tensor<?xf32>
  sinter.yield %l : tensor<?xf32>
}

func.func @main(%x: tensor<8x16xf32>, %t: tensor<16xf32>) -> (tensor<f32>, tensor<8x16xf32>) {
  %l = sinter.apply @log_cosh(%x, %t) {scale = 3.0} : (tensor<8x16xf32>, tensor<16xf32>) -> tensor<f32>
  %dx = sinter.differentiate %l wrt(%x) : (tensor<f32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  return %l, %dx : tensor<f32>, tensor<8x16xf32>
}

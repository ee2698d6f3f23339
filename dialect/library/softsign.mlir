// softsign: x over 1 + |x|, torch.nn.functional.softsign.
//
//   y = x / (1 + |x|)
sinter.define @softsign(%x: tensor<?xf32>)
    attributes {summary = "x over 1 + |x|", formula = "y = x / (1 + |x|)"} {
  %one = arith.constant 1.0 : f32
  %ones = sinter.broadcast %one : f32 -> tensor<?xf32>
  %a = math.absf %x : tensor<?xf32>
  %d = arith.addf %ones, %a : tensor<?xf32>
  %y = arith.divf %x, %d : tensor<?xf32>
  sinter.yield %y : tensor<?xf32>
}

// tanhshrink: what tanh takes away, torch.nn.functional.tanhshrink.
//
//   y = x - tanh(x)
sinter.define @tanhshrink(%x: tensor<?xf32>)
    attributes {summary = "what tanh takes away", formula = "y = x - tanh(x)"} {
  %t = math.tanh %x : tensor<?xf32>
  %y = arith.subf %x, %t : tensor<?xf32>
  sinter.yield %y : tensor<?xf32>
}

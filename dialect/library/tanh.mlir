// tanh: the hyperbolic tangent, torch.tanh.
//
//   y = tanh(x)
sinter.define @tanh(%x: tensor<?xf32>)
    attributes {summary = "hyperbolic tangent", formula = "y = tanh(x)"} {
  %y = math.tanh %x : tensor<?xf32>
  sinter.yield %y : tensor<?xf32>
}

// softmax: exponentials that sum to 1, torch.softmax.
//
//   y = exp(x) / sum(exp(x))
sinter.define @softmax(%x: tensor<?xf32>)
    attributes {summary = "exponentials that sum to 1", formula = "y = exp(x) / sum(exp(x))"} {
  %top = sinter.row_reduce maximumf %x : tensor<?xf32> -> f32
  %max = sinter.detach %top : f32
  %maxes = sinter.broadcast %max : f32 -> tensor<?xf32>
  %z = arith.subf %x, %maxes : tensor<?xf32>
  %e = math.exp %z : tensor<?xf32>
  %s = sinter.row_reduce add %e : tensor<?xf32> -> f32
  %sums = sinter.broadcast %s : f32 -> tensor<?xf32>
  %y = arith.divf %e, %sums : tensor<?xf32>
  sinter.yield %y : tensor<?xf32>
}

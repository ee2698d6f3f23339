// log_softmax: the logarithm of softmax, torch.log_softmax.
//
//   y = x - log(sum(exp(x)))
sinter.define @log_softmax(%x: tensor<?xf32>)
    attributes {summary = "logarithm of softmax", formula = "y = x - log(sum(exp(x)))"} {
  %top = sinter.row_reduce maximumf %x : tensor<?xf32> -> f32
  %max = sinter.detach %top : f32
  %maxes = sinter.broadcast %max : f32 -> tensor<?xf32>
  %z = arith.subf %x, %maxes : tensor<?xf32>
  %e = math.exp %z : tensor<?xf32>
  %s = sinter.row_reduce add %e : tensor<?xf32> -> f32
  %log = math.log %s : f32
  %logs = sinter.broadcast %log : f32 -> tensor<?xf32>
  %y = arith.subf %z, %logs : tensor<?xf32>
  sinter.yield %y : tensor<?xf32>
}

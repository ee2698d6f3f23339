// kl_div: the Kullback-Leibler divergence of a logarithm of probabilities, torch.nn.functional.kl_div.
//
//   l = target (log target - input)        0 where target is 0
//   l = exp(target) (target - input)       with log_target; 0 where exp(target) is 0
//
// PyTorch gives NaN where target is 0 and input -inf; 0 here.
sinter.define @kl_div(%input: tensor<?xf32>, %target: tensor<?xf32>, %log_target: i1 {default = false})
    attributes {reductions = ["mean", "sum", "none", "batchmean"], broadcast, summary = "Kullback-Leibler divergence",
                formula = "l = target (log target - input), or exp(target) (target - input) with log_target"} {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %zeros = sinter.broadcast %zero : f32 -> tensor<?xf32>
  %ones = sinter.broadcast %one : f32 -> tensor<?xf32>

  %exp = math.exp %target : tensor<?xf32>
  %p = arith.select %log_target, %exp, %target : tensor<?xf32>
  %none = arith.cmpf oeq, %p, %zeros : tensor<?xf32>
  %some = arith.select %none, %ones, %target : tensor<?xi1>, tensor<?xf32>
  %log = math.log %some : tensor<?xf32>
  %logp = arith.select %log_target, %target, %log : tensor<?xf32>
  %d = arith.subf %logp, %input : tensor<?xf32>
  %known = arith.select %none, %zeros, %d : tensor<?xi1>, tensor<?xf32>
  %l = arith.mulf %p, %known : tensor<?xf32>
  sinter.yield %l : tensor<?xf32>
}

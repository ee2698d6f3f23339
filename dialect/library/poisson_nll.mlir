// poisson_nll: the negative log likelihood of a Poisson distribution, torch.nn.functional.poisson_nll_loss.
//
//   l = exp(input) - target input                 with log_input
//   l = input - target log(input + eps)           without
//
// `full` adds Stirling's log(target!) where target > 1:
//
//   target log(target) - target + log(2 pi target) / 2
sinter.define @poisson_nll(%input: tensor<?xf32>, %target: tensor<?xf32>, %log_input: i1 {default = true},
                           %full: i1 {default = false}, %eps: f32 {default = 1.0e-8})
    attributes {reductions = ["mean", "sum", "none"], broadcast, summary = "negative log likelihood of a Poisson distribution",
                formula = "l = exp(input) - target input, or input - target log(input + eps) without log_input; full: + log(target!) by Stirling where target > 1"} {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %half = arith.constant 0.5 : f32
  %log_2pi_half_exact = arith.constant 0.91893853320467274 : f64
  %log_2pi_half = arith.truncf %log_2pi_half_exact : f64 to f32
  %zeros = sinter.broadcast %zero : f32 -> tensor<?xf32>
  %ones = sinter.broadcast %one : f32 -> tensor<?xf32>
  %halves = sinter.broadcast %half : f32 -> tensor<?xf32>
  %constant = sinter.broadcast %log_2pi_half : f32 -> tensor<?xf32>
  %little = sinter.broadcast %eps : f32 -> tensor<?xf32>

  %e = math.exp %input : tensor<?xf32>
  %more = arith.addf %input, %little : tensor<?xf32>
  %log = math.log %more : tensor<?xf32>
  %rate = arith.select %log_input, %e, %input : tensor<?xf32>
  %lograte = arith.select %log_input, %input, %log : tensor<?xf32>
  %tl = arith.mulf %target, %lograte : tensor<?xf32>
  %v = arith.subf %rate, %tl : tensor<?xf32>

  %many = arith.cmpf ogt, %target, %ones : tensor<?xf32>
  %t = arith.select %many, %target, %ones : tensor<?xi1>, tensor<?xf32>
  %logt = math.log %t : tensor<?xf32>
  %k = arith.addf %t, %halves : tensor<?xf32>
  %kl = arith.mulf %k, %logt : tensor<?xf32>
  %klt = arith.subf %kl, %t : tensor<?xf32>
  %stirling = arith.addf %klt, %constant : tensor<?xf32>
  %term = arith.select %many, %stirling, %zeros : tensor<?xi1>, tensor<?xf32>
  %both = arith.addf %v, %term : tensor<?xf32>
  %l = arith.select %full, %both, %v : tensor<?xf32>
  sinter.yield %l : tensor<?xf32>
}

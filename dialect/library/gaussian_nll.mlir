// gaussian_nll: the negative log likelihood of a normal distribution, torch.nn.functional.gaussian_nll_loss.
//
//   v = max(var, eps)
//   l = (log v + (input - target)^2 / v) / 2       `full` adds log(2 pi) / 2
//
// As in PyTorch the gradient with respect to var passes the clamp unchanged: below eps it is the one at eps.
sinter.define @gaussian_nll(%input: tensor<?xf32>, %target: tensor<?xf32>, %var: tensor<?xf32> {leading},
                            %full: i1 {default = false}, %eps: f32 {at_least = 0.0, default = 1.0e-6})
    attributes {reductions = ["mean", "sum", "none"], broadcast, summary = "negative log likelihood of a normal distribution",
                formula = "l = (log v + (input - target)^2 / v) / 2, v = max(var, eps); full: + log(2 pi) / 2"} {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %log_2pi_half_exact = arith.constant 0.91893853320467274 : f64
  %log_2pi_half = arith.truncf %log_2pi_half_exact : f64 to f32
  %zeros = sinter.broadcast %zero : f32 -> tensor<?xf32>
  %halves = sinter.broadcast %half : f32 -> tensor<?xf32>
  %constant = sinter.broadcast %log_2pi_half : f32 -> tensor<?xf32>
  %least = sinter.broadcast %eps : f32 -> tensor<?xf32>

  // A NaN is not negative.
  %positive = arith.cmpf uge, %var, %zeros : tensor<?xf32>
  %ok = sinter.row_reduce and %positive : tensor<?xi1> -> i1
  cf.assert %ok, "gaussian_nll: var has negative entries"

  %known = sinter.detach %var : tensor<?xf32>
  %clamped = arith.maximumf %known, %least : tensor<?xf32>
  %nothing = arith.subf %var, %known : tensor<?xf32>
  %v = arith.addf %clamped, %nothing : tensor<?xf32>
  %log = math.log %v : tensor<?xf32>
  %d = arith.subf %input, %target : tensor<?xf32>
  %square = arith.mulf %d, %d : tensor<?xf32>
  %q = arith.divf %square, %v : tensor<?xf32>
  %sum = arith.addf %log, %q : tensor<?xf32>
  %short = arith.mulf %halves, %sum : tensor<?xf32>
  %long = arith.addf %short, %constant : tensor<?xf32>
  %l = arith.select %full, %long, %short : tensor<?xf32>
  sinter.yield %l : tensor<?xf32>
}

// sinkhorn: the cost of moving one distribution to another, smoothed by entropy (Cuturi 2013), in a fixed count.
//
//   f_i = -log n - logsumexp_j (g_j - cost[i, j] / epsilon)
//   g_j = -log m - logsumexp_i (f_i - cost[i, j] / epsilon)      `iterations` times, from g = 0
//   l = sum_ij cost[i, j] exp(f_i + g_j - cost[i, j] / epsilon)
//
// `cost` is n x m in its last two dimensions; both distributions are even. Gradients go through all turns.
sinter.define @sinkhorn(%cost: tensor<?xf32>, %epsilon: f32 {above = 0.0, default = 0.1},
                        %iterations: i64 {at_least = 1, at_most = 500, default = 10})
    attributes {reductions = ["mean", "sum", "none"], columns = [-2, -1], summary = "optimal transport, smoothed by entropy",
                formula = "l = sum_ij cost[i, j] exp(f_i + g_j - cost[i, j] / epsilon), f and g scale the plan's lines to 1 / n and 1 / m in turns"} {
  %first = arith.constant 0 : i64
  %by = arith.constant 1 : i64
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %zeros = sinter.broadcast %zero : f32 -> tensor<?xf32>
  %ones = sinter.broadcast %one : f32 -> tensor<?xf32>
  %n = sinter.row_fold add %ones along column0 : tensor<?xf32>
  %m = sinter.row_fold add %ones along column1 : tensor<?xf32>
  %logn = math.log %n : tensor<?xf32>
  %logm = math.log %m : tensor<?xf32>
  %epsilons = sinter.broadcast %epsilon : f32 -> tensor<?xf32>
  %c = arith.divf %cost, %epsilons : tensor<?xf32>
  %f, %g = scf.for %turn = %first to %iterations step %by iter_args(%f0 = %zeros, %g0 = %zeros)
      -> (tensor<?xf32>, tensor<?xf32>) : i64 {
    %x = arith.subf %g0, %c : tensor<?xf32>
    %xtop = sinter.row_fold maximumf %x along column1 : tensor<?xf32>
    %xmax = sinter.detach %xtop : tensor<?xf32>
    %xd = arith.subf %x, %xmax : tensor<?xf32>
    %xe = math.exp %xd : tensor<?xf32>
    %xs = sinter.row_fold add %xe along column1 : tensor<?xf32>
    %xl = math.log %xs : tensor<?xf32>
    %xlse = arith.addf %xl, %xmax : tensor<?xf32>
    %xn = arith.addf %xlse, %logn : tensor<?xf32>
    %f1 = arith.subf %zeros, %xn : tensor<?xf32>

    %y = arith.subf %f1, %c : tensor<?xf32>
    %ytop = sinter.row_fold maximumf %y along column0 : tensor<?xf32>
    %ymax = sinter.detach %ytop : tensor<?xf32>
    %yd = arith.subf %y, %ymax : tensor<?xf32>
    %ye = math.exp %yd : tensor<?xf32>
    %ys = sinter.row_fold add %ye along column0 : tensor<?xf32>
    %yl = math.log %ys : tensor<?xf32>
    %ylse = arith.addf %yl, %ymax : tensor<?xf32>
    %yn = arith.addf %ylse, %logm : tensor<?xf32>
    %g1 = arith.subf %zeros, %yn : tensor<?xf32>
    scf.yield %f1, %g1 : tensor<?xf32>, tensor<?xf32>
  }
  %fg = arith.addf %f, %g : tensor<?xf32>
  %p = arith.subf %fg, %c : tensor<?xf32>
  %plan = math.exp %p : tensor<?xf32>
  %v = arith.mulf %plan, %cost : tensor<?xf32>
  %l = sinter.row_reduce add %v : tensor<?xf32> -> f32
  sinter.yield %l : f32
}

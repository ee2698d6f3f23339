// nll: the negative log probability of a label, torch.nn.functional.nll_loss.
//
//   l = -weight[target] input[target]     0 where target is ignore_index
//
// The mean is sum(l) / sum(weight[target]) over the rows that are not ignored; NaN if all are.
sinter.define @nll(%input: tensor<?xf32>, %target: i64, %weight: tensor<?xf32> {column, optional = 1.0},
                   %ignore_index: i64 {default = -100})
    attributes {reductions = ["mean", "sum", "none"], columns = 1, summary = "negative log likelihood of labels",
                formula = "l = -weight[target] input[target], 0 where target is ignore_index"} {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %each = arith.constant 1 : i64
  %eaches = sinter.broadcast %each : i64 -> tensor<?xi64>
  %classes = sinter.row_reduce add %eaches : tensor<?xi64> -> i64
  %ignored = arith.cmpi eq, %target, %ignore_index : i64
  %inside = arith.cmpi ult, %target, %classes : i64
  %ok = arith.ori %ignored, %inside : i1
  cf.assert %ok, "nll: target is out of bounds"

  %x = sinter.pick %input[%target] else %zero : tensor<?xf32>, i64
  %w = sinter.pick %weight[%target] else %one : tensor<?xf32>, i64
  %wx = arith.mulf %w, %x : f32
  %v = arith.negf %wx : f32
  %l = arith.select %ignored, %zero, %v : f32
  %n = arith.select %ignored, %zero, %w : f32
  sinter.yield %l, %n : f32, f32
}

// cross_entropy: the negative log probability of a label, of logits, torch.nn.functional.cross_entropy.
//
//   log p = input - log(sum exp(input))
//   l = -(1 - label_smoothing) weight[target] log p[target] - label_smoothing / C sum(weight log p)
//
// and 0 where target is ignore_index. The mean is sum(l) / sum(weight[target]) over the rows that are not
// ignored; NaN if all are.
sinter.define @cross_entropy(%input: tensor<?xf32>, %target: i64, %weight: tensor<?xf32> {column, optional = 1.0},
                             %ignore_index: i64 {default = -100}, %label_smoothing: f32 {at_least = 0.0, at_most = 1.0, default = 0.0})
    attributes {reductions = ["mean", "sum", "none"], columns = 1, summary = "cross entropy of logits with labels",
                formula = "l = -(1 - label_smoothing) weight[target] log p[target] - label_smoothing / C sum(weight log p), p = softmax(input); 0 where target is ignore_index"} {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %each = arith.constant 1 : i64
  %eaches = sinter.broadcast %each : i64 -> tensor<?xi64>
  %classes = sinter.row_reduce add %eaches : tensor<?xi64> -> i64
  %ignored = arith.cmpi eq, %target, %ignore_index : i64
  %inside = arith.cmpi ult, %target, %classes : i64
  %ok = arith.ori %ignored, %inside : i1
  cf.assert %ok, "cross_entropy: target is out of bounds"

  %top = sinter.row_reduce maximumf %input : tensor<?xf32> -> f32
  %max = sinter.detach %top : f32
  %maxes = sinter.broadcast %max : f32 -> tensor<?xf32>
  %z = arith.subf %input, %maxes : tensor<?xf32>
  %e = math.exp %z : tensor<?xf32>
  %s = sinter.row_reduce add %e : tensor<?xf32> -> f32
  %log = math.log %s : f32

  %zt = sinter.pick %z[%target] else %zero : tensor<?xf32>, i64
  %w = sinter.pick %weight[%target] else %one : tensor<?xf32>, i64
  %lt = arith.subf %log, %zt : f32
  %hard = arith.mulf %w, %lt : f32

  // Without smoothing a logit of -inf is no matter: nothing is multiplied by it.
  %logs = sinter.broadcast %log : f32 -> tensor<?xf32>
  %ls = arith.subf %logs, %z : tensor<?xf32>
  %wl = arith.mulf %weight, %ls : tensor<?xf32>
  %all = sinter.row_reduce add %wl : tensor<?xf32> -> f32
  %count = arith.sitofp %classes : i64 to f32
  %share = arith.divf %label_smoothing, %count : f32
  %rest = arith.subf %one, %label_smoothing : f32
  %most = arith.mulf %rest, %hard : f32
  %little = arith.mulf %share, %all : f32
  %soft = arith.addf %most, %little : f32
  %smooth = arith.cmpf ogt, %label_smoothing, %zero : f32
  %v = arith.select %smooth, %soft, %hard : f32

  %l = arith.select %ignored, %zero, %v : f32
  %n = arith.select %ignored, %zero, %w : f32
  sinter.yield %l, %n : f32, f32
}

// cross_entropy of probabilities: the target is a row as well.
//
//   t = (1 - label_smoothing) target + label_smoothing / C
//   l = -sum(weight t log p)
//
// PyTorch gives NaN where t is 0 and a logit -inf; 0 here.
sinter.define @cross_entropy.probabilities(%input: tensor<?xf32>, %target: tensor<?xf32>,
                             %weight: tensor<?xf32> {column, optional = 1.0},
                             %ignore_index: i64 {default = -100}, %label_smoothing: f32 {at_least = 0.0, at_most = 1.0, default = 0.0})
    attributes {reductions = ["mean", "sum", "none"], columns = 1, summary = "cross entropy of logits with probabilities",
                formula = "l = -sum(weight t log p), t = (1 - label_smoothing) target + label_smoothing / C, p = softmax(input)"} {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %none = arith.constant 0 : i64
  %each = arith.constant 1 : i64
  %inf = arith.constant 0xFF800000 : f32
  %absent = arith.cmpi slt, %ignore_index, %none : i64
  cf.assert %absent, "cross_entropy: ignore_index is not supported with probabilities as target"
  %eaches = sinter.broadcast %each : i64 -> tensor<?xi64>
  %classes = sinter.row_reduce add %eaches : tensor<?xi64> -> i64
  %count = arith.sitofp %classes : i64 to f32
  %zeros = sinter.broadcast %zero : f32 -> tensor<?xf32>
  %lowest = sinter.broadcast %inf : f32 -> tensor<?xf32>

  %share = arith.divf %label_smoothing, %count : f32
  %rest = arith.subf %one, %label_smoothing : f32
  %shares = sinter.broadcast %share : f32 -> tensor<?xf32>
  %rests = sinter.broadcast %rest : f32 -> tensor<?xf32>
  %scaled = arith.mulf %rests, %target : tensor<?xf32>
  %mixed = arith.addf %scaled, %shares : tensor<?xf32>
  %smooth = arith.cmpf ogt, %label_smoothing, %zero : f32
  %t = arith.select %smooth, %mixed, %target : tensor<?xf32>

  %top = sinter.row_reduce maximumf %input : tensor<?xf32> -> f32
  %max = sinter.detach %top : f32
  %maxes = sinter.broadcast %max : f32 -> tensor<?xf32>
  %z = arith.subf %input, %maxes : tensor<?xf32>
  %e = math.exp %z : tensor<?xf32>
  %s = sinter.row_reduce add %e : tensor<?xf32> -> f32
  %log = math.log %s : f32
  %logs = sinter.broadcast %log : f32 -> tensor<?xf32>

  %impossible = arith.cmpf oeq, %z, %lowest : tensor<?xf32>
  %unasked = arith.cmpf oeq, %t, %zeros : tensor<?xf32>
  %moot = arith.andi %impossible, %unasked : tensor<?xi1>
  %zs = arith.select %moot, %zeros, %z : tensor<?xi1>, tensor<?xf32>
  %ls = arith.subf %logs, %zs : tensor<?xf32>
  %wt = arith.mulf %weight, %t : tensor<?xf32>
  %wl = arith.mulf %wt, %ls : tensor<?xf32>
  %l = sinter.row_reduce add %wl : tensor<?xf32> -> f32
  sinter.yield %l : f32
}

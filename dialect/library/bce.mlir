// bce: cross entropy of probabilities of two classes, torch.nn.functional.binary_cross_entropy.
//
//   l = -weight (target max(log input, -100) + (1 - target) max(log(1 - input), -100))
//
// The gradient with respect to input is PyTorch's, finite at 0 and 1, and not what the clamped logarithms give:
//
//   weight (input - target) / max(input (1 - input), 1e-12)
sinter.define @bce(%input: tensor<?xf32>, %target: tensor<?xf32> {like = "input"}, %weight: tensor<?xf32> {optional = 1.0})
    attributes {reductions = ["mean", "sum", "none"], broadcast, summary = "binary cross entropy of probabilities",
                formula = "l = -weight (target max(log input, -100) + (1 - target) max(log(1 - input), -100))"} {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %low = arith.constant -100.0 : f32
  %tiny = arith.constant 1.0e-12 : f32
  %zeros = sinter.broadcast %zero : f32 -> tensor<?xf32>
  %ones = sinter.broadcast %one : f32 -> tensor<?xf32>
  %floor = sinter.broadcast %low : f32 -> tensor<?xf32>
  %least = sinter.broadcast %tiny : f32 -> tensor<?xf32>

  %over = arith.cmpf oge, %input, %zeros : tensor<?xf32>
  %under = arith.cmpf ole, %input, %ones : tensor<?xf32>
  %inside = arith.andi %over, %under : tensor<?xi1>
  %ok = sinter.row_reduce and %inside : tensor<?xi1> -> i1
  cf.assert %ok, "bce: all elements of input should be between 0 and 1"

  // The value does not see where it came from ...
  %p = sinter.detach %input : tensor<?xf32>
  %n = arith.negf %p : tensor<?xf32>
  %logp = math.log %p : tensor<?xf32>
  %logq = math.log1p %n : tensor<?xf32>
  %a = arith.maximumf %logp, %floor : tensor<?xf32>
  %b = arith.maximumf %logq, %floor : tensor<?xf32>
  %other = arith.subf %target, %ones : tensor<?xf32>
  %no = arith.mulf %other, %b : tensor<?xf32>
  %yes = arith.mulf %target, %a : tensor<?xf32>
  %value = arith.subf %no, %yes : tensor<?xf32>

  // ... and a zero with this slope stands beside it.
  %q = arith.subf %ones, %p : tensor<?xf32>
  %pq = arith.mulf %q, %p : tensor<?xf32>
  %divisor = arith.maximumf %pq, %least : tensor<?xf32>
  %difference = arith.subf %p, %target : tensor<?xf32>
  %s = arith.divf %difference, %divisor : tensor<?xf32>
  %slope = sinter.detach %s : tensor<?xf32>
  %nothing = arith.subf %input, %p : tensor<?xf32>
  %tangent = arith.mulf %slope, %nothing : tensor<?xf32>
  %v = arith.addf %value, %tangent : tensor<?xf32>
  %l = arith.mulf %v, %weight : tensor<?xf32>
  sinter.yield %l : tensor<?xf32>
}

// Functions as sinter_torch sees them: a scalar loss with its gradient, one with an upstream, values per
// element with a function for their backward, and functions without gradients.

#full = affine_map<(i, j) -> (i, j)>
#none = affine_map<(i, j) -> ()>
#row = affine_map<(i, j) -> (i)>

// sum((x - y)^2), and 2 (x - y): for an upstream of 1, as there is no other.
func.func @squares(%x: tensor<?x?xf64> {sinter.name = "x"}, %y: tensor<?x?xf64> {sinter.name = "y"})
    -> (tensor<f64>, tensor<?x?xf64> {sinter.gradient_of = 0}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %m = tensor.dim %x, %c0 : tensor<?x?xf64>
  %n = tensor.dim %x, %c1 : tensor<?x?xf64>
  %e = tensor.empty(%m, %n) : tensor<?x?xf64>
  %s = tensor.empty() : tensor<f64>
  %f = linalg.fill ins(%zero : f64) outs(%s : tensor<f64>) -> tensor<f64>
  %d = linalg.sub ins(%x, %y : tensor<?x?xf64>, tensor<?x?xf64>) outs(%e : tensor<?x?xf64>) -> tensor<?x?xf64>
  %g = linalg.add ins(%d, %d : tensor<?x?xf64>, tensor<?x?xf64>) outs(%e : tensor<?x?xf64>) -> tensor<?x?xf64>
  %l = linalg.generic {indexing_maps = [#full, #none], iterator_types = ["reduction", "reduction"]} ins(%d : tensor<?x?xf64>) outs(%f : tensor<f64>) {
  ^bb0(%a: f64, %o: f64):
    %q = arith.mulf %a, %a : f64
    %r = arith.addf %o, %q : f64
    linalg.yield %r : f64
  } -> tensor<f64>
  return %l, %g : tensor<f64>, tensor<?x?xf64>
}

// The same with both gradients, times an upstream of the value.
func.func @weighted(%x: tensor<3x5xf64>, %y: tensor<3x5xf64>, %g: tensor<f64> {sinter.upstream_of = 1})
    -> (tensor<3x5xf64> {sinter.gradient_of = 1}, tensor<f64>, tensor<3x5xf64> {sinter.gradient_of = 0}) {
  %zero = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<3x5xf64>
  %s = tensor.empty() : tensor<f64>
  %f = linalg.fill ins(%zero : f64) outs(%s : tensor<f64>) -> tensor<f64>
  %l = linalg.generic {indexing_maps = [#full, #full, #none], iterator_types = ["reduction", "reduction"]} ins(%x, %y : tensor<3x5xf64>, tensor<3x5xf64>) outs(%f : tensor<f64>) {
  ^bb0(%a: f64, %b: f64, %o: f64):
    %d = arith.subf %a, %b : f64
    %q = arith.mulf %d, %d : f64
    %r = arith.addf %o, %q : f64
    linalg.yield %r : f64
  } -> tensor<f64>
  %dx = linalg.generic {indexing_maps = [#full, #full, #none, #full], iterator_types = ["parallel", "parallel"]} ins(%x, %y, %g : tensor<3x5xf64>, tensor<3x5xf64>, tensor<f64>) outs(%e : tensor<3x5xf64>) {
  ^bb0(%a: f64, %b: f64, %u: f64, %o: f64):
    %d = arith.subf %a, %b : f64
    %t = arith.addf %d, %d : f64
    %r = arith.mulf %t, %u : f64
    linalg.yield %r : f64
  } -> tensor<3x5xf64>
  %dy = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]} ins(%dx : tensor<3x5xf64>) outs(%e : tensor<3x5xf64>) {
  ^bb0(%a: f64, %o: f64):
    %r = arith.negf %a : f64
    linalg.yield %r : f64
  } -> tensor<3x5xf64>
  return %dy, %l, %dx : tensor<3x5xf64>, tensor<f64>, tensor<3x5xf64>
}

// Values per element, and their backward beside them.
func.func @sigmoid(%x: tensor<?x4xf64> {sinter.name = "x"}) -> tensor<?x4xf64> {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f64
  %m = tensor.dim %x, %c0 : tensor<?x4xf64>
  %e = tensor.empty(%m) : tensor<?x4xf64>
  %y = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x4xf64>) outs(%e : tensor<?x4xf64>) {
  ^bb0(%a: f64, %o: f64):
    %n = arith.negf %a : f64
    %q = math.exp %n : f64
    %d = arith.addf %q, %one : f64
    %r = arith.divf %one, %d : f64
    linalg.yield %r : f64
  } -> tensor<?x4xf64>
  return %y : tensor<?x4xf64>
}
func.func @sigmoid_backward(%g: tensor<?x4xf64> {sinter.upstream_of = 0}, %x: tensor<?x4xf64>) -> (tensor<?x4xf64> {sinter.gradient_of = 1}) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f64
  %m = tensor.dim %x, %c0 : tensor<?x4xf64>
  %e = tensor.empty(%m) : tensor<?x4xf64>
  %y = linalg.generic {indexing_maps = [#full, #full, #full], iterator_types = ["parallel", "parallel"]} ins(%x, %g : tensor<?x4xf64>, tensor<?x4xf64>) outs(%e : tensor<?x4xf64>) {
  ^bb0(%a: f64, %u: f64, %o: f64):
    %n = arith.negf %a : f64
    %q = math.exp %n : f64
    %d = arith.addf %q, %one : f64
    %s = arith.divf %one, %d : f64
    %t = arith.mulf %s, %s : f64
    %p = arith.mulf %t, %q : f64
    %r = arith.mulf %p, %u : f64
    linalg.yield %r : f64
  } -> tensor<?x4xf64>
  return %y : tensor<?x4xf64>
}

// Sums of the rows of x where mask holds, and how many those are; without gradients.
func.func @masked(%x: tensor<?x8xf32> {sinter.name = "x"}, %mask: tensor<?x8xi1> {sinter.name = "mask"})
    -> (tensor<?xf32> {sinter.name = "sums"}, tensor<?xi64>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0 : i64
  %m = tensor.dim %x, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%m) : tensor<?xf32>
  %c = tensor.empty(%m) : tensor<?xi64>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %i = linalg.fill ins(%none : i64) outs(%c : tensor<?xi64>) -> tensor<?xi64>
  %y:2 = linalg.generic {indexing_maps = [#full, #full, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%x, %mask : tensor<?x8xf32>, tensor<?x8xi1>) outs(%f, %i : tensor<?xf32>, tensor<?xi64>) {
  ^bb0(%a: f32, %b: i1, %o: f32, %p: i64):
    %k = arith.select %b, %a, %zero : f32
    %r = arith.addf %o, %k : f32
    %w = arith.extui %b : i1 to i64
    %q = arith.addi %p, %w : i64
    linalg.yield %r, %q : f32, i64
  } -> (tensor<?xf32>, tensor<?xi64>)
  return %y#0, %y#1 : tensor<?xf32>, tensor<?xi64>
}

// Asserts that t is not negative.
func.func @checked(%t: tensor<i64>) -> tensor<i64> {
  %zero = arith.constant 0 : i64
  %n = tensor.extract %t[] : tensor<i64>
  %ok = arith.cmpi sge, %n, %zero : i64
  cf.assert %ok, "t is negative"
  return %t : tensor<i64>
}

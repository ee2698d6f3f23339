// Definitions whose operands are all scalars.
sinter.define @squared_gap(%a: f32, %b: f32, %s: f32 {optional = 2.0}, %p: f32 {default = 3.0})
    attributes {reductions = ["mean", "sum", "none"], broadcast, summary = "scaled squared gaps",
                formula = "s p (a - b)^2"} {
  %d = arith.subf %a, %b : f32
  %q = arith.mulf %d, %d : f32
  %t = arith.mulf %q, %s : f32
  %r = arith.mulf %t, %p : f32
  sinter.yield %r : f32
}
sinter.define @mixed(%a: f32, %b: f32) attributes {summary = "two numbers", formula = "a b, a + b"} {
  %d = arith.mulf %a, %b : f32
  %e = arith.addf %a, %b : f32
  sinter.yield %d, %e : f32, f32
}
// In the body of another one, on numbers of its rows.
sinter.define @centred(%x: tensor<?xf32>, %m: f32) attributes {reductions = ["sum"], summary = "sums, squared and scaled",
                                                               formula = "2 (sum x - m)^2"} {
  %s = sinter.row_reduce add %x : tensor<?xf32> -> f32
  %g = sinter.apply @squared_gap(%s, %m) {p = 1.0} : (f32, f32) -> f32
  sinter.yield %g : f32
}
func.func @main(%a: tensor<4x5xf32>, %b: tensor<5xf32>, %x: tensor<f32>, %y: tensor<f32>, %u: tensor<?x3xf32>,
                %v: tensor<?x3xf32>, %w: tensor<4xf32>)
    -> (tensor<f32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<5xf32>, tensor<f32>, tensor<f32>, tensor<?x3xf32>,
        tensor<?x3xf32>, tensor<f32>, tensor<f32>) {
  %l = sinter.apply @squared_gap(%a, %b) : (tensor<4x5xf32>, tensor<5xf32>) -> tensor<f32>
  %n = sinter.apply @squared_gap(%a, %b) {reduction = "none", p = 0.5}
      : (tensor<4x5xf32>, tensor<5xf32>) -> tensor<4x5xf32>
  %da, %db = sinter.differentiate %l wrt(%a, %b)
      : (tensor<f32>, tensor<4x5xf32>, tensor<5xf32>) -> (tensor<4x5xf32>, tensor<5xf32>)
  %m:2 = sinter.apply @mixed(%x, %y) : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  %k:2 = sinter.apply @mixed(%u, %v) : (tensor<?x3xf32>, tensor<?x3xf32>) -> (tensor<?x3xf32>, tensor<?x3xf32>)
  %z = sinter.apply @squared_gap(%u, %v) {reduction = "mean"} : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<f32>
  %c = sinter.apply @centred(%a, %w) : (tensor<4x5xf32>, tensor<4xf32>) -> tensor<f32>
  return %l, %n, %da, %db, %m#0, %m#1, %k#0, %k#1, %z, %c
      : tensor<f32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<5xf32>, tensor<f32>, tensor<f32>, tensor<?x3xf32>,
        tensor<?x3xf32>, tensor<f32>, tensor<f32>
}

// gelu: x times the normal distribution, torch.nn.functional.gelu.
//
//   y = x (1 + erf(x / sqrt(2))) / 2                                  approximate = "none"
//       x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2             approximate = "tanh"
sinter.define @gelu(%x: tensor<?xf32>, %approximate: i1 {values = ["none", "tanh"], default = "none"})
    attributes {summary = "x times the normal distribution", formula = "y = x (1 + erf(x / sqrt(2))) / 2, or x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2"} {
  %one = arith.constant 1.0 : f32
  %half = arith.constant 0.5 : f32
  %root_half_exact = arith.constant 0.70710678118654752 : f64
  %root_half = arith.truncf %root_half_exact : f64 to f32
  %root_exact = arith.constant 0.79788456080286536 : f64
  %root = arith.truncf %root_exact : f64 to f32
  %cubic_exact = arith.constant 0.044715 : f64
  %cubic = arith.truncf %cubic_exact : f64 to f32
  %ones = sinter.broadcast %one : f32 -> tensor<?xf32>
  %halves = sinter.broadcast %half : f32 -> tensor<?xf32>
  %root_halves = sinter.broadcast %root_half : f32 -> tensor<?xf32>
  %roots = sinter.broadcast %root : f32 -> tensor<?xf32>
  %cubics = sinter.broadcast %cubic : f32 -> tensor<?xf32>
  %scaled = arith.mulf %x, %root_halves : tensor<?xf32>
  %erf = math.erf %scaled : tensor<?xf32>
  %square = arith.mulf %x, %x : tensor<?xf32>
  %cs = arith.mulf %cubics, %square : tensor<?xf32>
  %c1 = arith.addf %ones, %cs : tensor<?xf32>
  %xc = arith.mulf %x, %c1 : tensor<?xf32>
  %inner = arith.mulf %roots, %xc : tensor<?xf32>
  %tanh = math.tanh %inner : tensor<?xf32>
  %s = arith.select %approximate, %tanh, %erf : tensor<?xf32>
  %s1 = arith.addf %ones, %s : tensor<?xf32>
  %h = arith.mulf %halves, %x : tensor<?xf32>
  %y = arith.mulf %h, %s1 : tensor<?xf32>
  sinter.yield %y : tensor<?xf32>
}

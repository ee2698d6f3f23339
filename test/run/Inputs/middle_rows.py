"""middle_rows.py NAME: programs on 3 x 21 x N, their input, and what NumPy makes of it in float64."""
import sys

import numpy as np

PROGRAM = """func.func @softmax(%x: tensor<3x21xNxf32>) -> tensor<3x21xNxf32> {
  %e = tensor.empty() : tensor<3x21xNxf32>
  %0 = sinter.rowwise (i = 3, j = N) by (k = 21)
      ins(%x[i, k, j] : tensor<3x21xNxf32>) outs(%e[i, k, j] : tensor<3x21xNxf32>) {
  ^row(%a: tensor<21xf32>):
    %m = sinter.row_reduce maximumf %a : tensor<21xf32> -> f32
    %b = sinter.broadcast %m : f32 -> tensor<21xf32>
    %d = arith.subf %a, %b : tensor<21xf32>
    %p = math.exp %d : tensor<21xf32>
    %s = sinter.row_reduce add %p : tensor<21xf32> -> f32
    %t = sinter.broadcast %s : f32 -> tensor<21xf32>
    %y = arith.divf %p, %t : tensor<21xf32>
    sinter.yield %y : tensor<21xf32>
  }
  return %0 : tensor<3x21xNxf32>
}

func.func @norm(%x: tensor<3x21xNxf32>) -> tensor<3x21xNxf32> {
  %e = tensor.empty() : tensor<3x21xNxf32>
  %1 = sinter.rowwise (i = 3, j = N) by (k = 21)
      ins(%x[i, k, j] : tensor<3x21xNxf32>) outs(%e[i, k, j] : tensor<3x21xNxf32>) {
  ^row(%a: tensor<21xf32>):
    %n = arith.constant 21.0 : f64
    %w = arith.extf %a : tensor<21xf32> to tensor<21xf64>
    %s = sinter.row_reduce add %w : tensor<21xf64> -> f64
    %m = arith.divf %s, %n : f64
    %b = sinter.broadcast %m : f64 -> tensor<21xf64>
    %d = arith.subf %w, %b : tensor<21xf64>
    %q = arith.mulf %d, %d : tensor<21xf64>
    %v = sinter.row_reduce add %q : tensor<21xf64> -> f64
    %u = arith.divf %v, %n : f64
    %f = arith.truncf %u : f64 to f32
    %r = math.rsqrt %f : f32
    %c = arith.truncf %m : f64 to f32
    %h = sinter.broadcast %c : f32 -> tensor<21xf32>
    %o = arith.subf %a, %h : tensor<21xf32>
    %g = sinter.broadcast %r : f32 -> tensor<21xf32>
    %y = arith.mulf %o, %g : tensor<21xf32>
    sinter.yield %y : tensor<21xf32>
  }
  return %1 : tensor<3x21xNxf32>
}
"""

for n in (256, 257, 200, 63):
    name = f"{sys.argv[1]}.{n}"
    x = (2 * np.random.default_rng(n).standard_normal((3, 21, n))).astype(np.float32)
    w = x.astype(np.float64)
    p = np.exp(w - w.max(1, keepdims=True))
    open(f"{name}.mlir", "w").write(PROGRAM.replace("N", str(n)))
    np.save(f"{name}.x.npy", x)
    np.save(f"{name}.y.npy", (p / p.sum(1, keepdims=True)).astype(np.float32))
    np.save(f"{name}.z.npy", ((w - w.mean(1, keepdims=True)) / w.std(1, keepdims=True)).astype(np.float32))

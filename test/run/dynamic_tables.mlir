// RUN: sinter-run %s --shape=7x16 --verify --stats | FileCheck %s
// RUN: sinter-run %s --shape=0x16 --verify
// RUN: sinter-run %s --policy=aggressive --shape=7x16 --verify

// Two rows of weights alone, for `?` rows, are made by one kernel in front of the others.

// CHECK: "kernels": 3,
func.func @main(%x: tensor<?x16xf32>, %v: tensor<16xf32>, %w: tensor<16xf32>)
    -> (tensor<?x16xf32>, tensor<?x16xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x16xf32>
  %e = tensor.empty() : tensor<16xf32>
  %f = tensor.empty(%n) : tensor<?x16xf32>
  %r = sinter.rowwise (i = 16) by () ins(%v[i] : tensor<16xf32>) outs(%e[i] : tensor<16xf32>) {
  ^row(%a: f32):
    %p = math.exp %a : f32
    sinter.yield %p : f32
  }
  %y = sinter.rowwise (i = ?) by (j = 16)
      ins(%x[i, j] : tensor<?x16xf32>, %r[j] : tensor<16xf32>)
      outs(%f[i, j] : tensor<?x16xf32>) {
  ^row(%a: tensor<16xf32>, %b: tensor<16xf32>):
    %p = arith.mulf %a, %b : tensor<16xf32>
    %m = sinter.row_reduce maximumf %p : tensor<16xf32> -> f32
    %q = sinter.broadcast %m : f32 -> tensor<16xf32>
    %d = arith.subf %p, %q : tensor<16xf32>
    sinter.yield %d : tensor<16xf32>
  }
  %g = tensor.empty() : tensor<16xf32>
  %s = sinter.rowwise (i = 16) by () ins(%w[15 - i] : tensor<16xf32>) outs(%g[i] : tensor<16xf32>) {
  ^row(%a: f32):
    %p = math.tanh %a : f32
    sinter.yield %p : f32
  }
  %z = sinter.rowwise (i = ?) by (j = 16)
      ins(%y[i, 15 - j] : tensor<?x16xf32>, %s[j] : tensor<16xf32>)
      outs(%f[i, j] : tensor<?x16xf32>) {
  ^row(%a: tensor<16xf32>, %b: tensor<16xf32>):
    %p = arith.mulf %a, %b : tensor<16xf32>
    %m = sinter.row_reduce maximumf %p : tensor<16xf32> -> f32
    %q = sinter.broadcast %m : f32 -> tensor<16xf32>
    %d = arith.subf %p, %q : tensor<16xf32>
    sinter.yield %d : tensor<16xf32>
  }
  return %y, %z : tensor<?x16xf32>, tensor<?x16xf32>
}

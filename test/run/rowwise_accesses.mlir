// RUN: sinter-run %s --verify --high=9 --threads=1 --output=%t1.npy | FileCheck %s --implicit-check-not=differs
// RUN: sinter-run %s --high=9 --threads=3 --output=%t3.npy
// RUN: cmp %t1.npy %t3.npy

// CHECK: output 0 of main agrees

module {
// rank-4, several columns, permuted destination, reversed and padded access, combiner region, pick, index
func.func @main(%x: tensor<3x5x4x7xf32>, %g: tensor<5xf32>, %t: tensor<3xi64>) -> (tensor<3xf32>, tensor<3x7x5x4xf32>, tensor<5x4x7xf32>, tensor<3xf32>) {
  %e = tensor.empty() : tensor<3xf32>
  %d = tensor.empty() : tensor<3x7x5x4xf32>
  %c = tensor.empty() : tensor<5x4x7xf32>
  %r:4 = sinter.rowwise (n = 3) by (c = 5, h = 4, w = 7)
      ins(%x[n, c, h, w] : tensor<3x5x4x7xf32>, %x[n, c, h, 6 - w] : tensor<3x5x4x7xf32>, %x[n, c, h - 1, w * 2 - 1] : tensor<3x5x4x7xf32> else 0.5, %g[c] : tensor<5xf32>, %t[n] : tensor<3xi64>)
      reduce(add [c, h, w] : f32)
      outs(%e[n] : tensor<3xf32>, %d[n, w, c, h] : tensor<3x7x5x4xf32>, %c[c, h, w] : tensor<5x4x7xf32>, %e[n] : tensor<3xf32>) {
  ^row(%a: tensor<140xf32>, %b: tensor<140xf32>, %p: tensor<140xf32>, %s: tensor<140xf32>, %l: i64):
    %q = arith.mulf %a, %b : tensor<140xf32>
    %q2 = arith.addf %q, %p : tensor<140xf32>
    %q3 = arith.mulf %q2, %s : tensor<140xf32>
    %one = arith.constant 1.0 : f32
    %m = sinter.row_reduce maximumf %q3 : tensor<140xf32> -> f32
    %mb = sinter.broadcast %m : f32 -> tensor<140xf32>
    %u = arith.subf %q3, %mb : tensor<140xf32>
    %ex = math.exp %u : tensor<140xf32>
    %su = sinter.row_reduce %ex init(%one : f32) : tensor<140xf32> -> f32 {
    ^bb0(%a1: f32, %b1: f32):
      %k = arith.constant 1.0 : f32
      %b2 = arith.addf %b1, %k : f32
      %lg = math.absf %b1 : f32
      %aa = math.absf %a1 : f32
      %c1 = arith.maximumf %aa, %lg : f32
      sinter.yield %c1 : f32
    }
    %h = sinter.index h : tensor<140xindex>
    %hi = arith.index_cast %h : tensor<140xindex> to tensor<140xi64>
    %hf = arith.sitofp %hi : tensor<140xi64> to tensor<140xf32>
    %o = arith.addf %ex, %hf : tensor<140xf32>
    %pk = sinter.pick %o[%l] else %one : tensor<140xf32>, i64
    sinter.yield %o, %su, %o, %pk : tensor<140xf32>, f32, tensor<140xf32>, f32
  }
  return %r#0, %r#1, %r#2, %r#3 : tensor<3xf32>, tensor<3x7x5x4xf32>, tensor<5x4x7xf32>, tensor<3xf32>
}
}

// RUN: sinter-run %s --verify --threads=1 --output=%t1.npy | FileCheck %s --implicit-check-not=differs
// RUN: sinter-run %s --threads=3 --output=%t3.npy
// RUN: cmp %t1.npy %t3.npy

// CHECK: output 0 of main agrees

module {
func.func @main(%x: tensor<3x21x17xf64>, %w: tensor<3x11x17xf64>, %v: tensor<17x11xf64>, %b: tensor<11xf64>) -> (tensor<3x21x11xf64>, tensor<11xf64>, tensor<f64>) {
  %e = tensor.empty() : tensor<3x21x11xf64>
  %c = tensor.empty() : tensor<11xf64>
  %z = tensor.empty() : tensor<f64>
  %y:3 = sinter.contract (b = 3, i = 21) by (j = 11)
      product (k = 17) (%x[b, i, k] : tensor<3x21x17xf64>, %w[b, j, k] : tensor<3x11x17xf64>) : f64
      product (l = 17) (%v[l, j] : tensor<17x11xf64>, %x[b, 20 - i, l] : tensor<3x21x17xf64>) : f64
      ins(%b[j] : tensor<11xf64>)
      reduce(add [j] : f64, maximumf [] : f64)
      outs(%e[b, i, j] : tensor<3x21x11xf64>, %c[j] : tensor<11xf64>, %z[] : tensor<f64>) {
  ^row(%p: tensor<11xf64>, %q: tensor<11xf64>, %bias: tensor<11xf64>):
    %s = arith.addf %p, %bias : tensor<11xf64>
    %r = arith.mulf %s, %q : tensor<11xf64>
    %m = sinter.row_reduce maximumf %r : tensor<11xf64> -> f64
    %mm = sinter.broadcast %m : f64 -> tensor<11xf64>
    %o = arith.subf %r, %mm : tensor<11xf64>
    sinter.yield %r, %m, %o : tensor<11xf64>, f64, tensor<11xf64>
  } finish {
  ^done(%r: tensor<11xf64>, %m: f64):
    %s = sinter.row_reduce add %r : tensor<11xf64> -> f64
    %sb = sinter.broadcast %s : f64 -> tensor<11xf64>
    %d = arith.divf %r, %sb : tensor<11xf64>
    %n = arith.negf %m : f64
    sinter.yield %d, %n : tensor<11xf64>, f64
  }
  return %y#0, %y#1, %y#2 : tensor<3x21x11xf64>, tensor<11xf64>, tensor<f64>
}
}

// RUN: sinter-run %s --verify --high=9 --threads=1 --output=%t1.npy | FileCheck %s --implicit-check-not=differs
// RUN: sinter-run %s --high=9 --threads=3 --output=%t3.npy
// RUN: cmp %t1.npy %t3.npy

// CHECK: output 0 of main agrees

module {
func.func @main(%x: tensor<5x33xi32>, %w: tensor<33x9xi32>, %m: tensor<5x9xi1>) -> (tensor<5x9xi32>, tensor<i64>, tensor<5x9xi1>) {
  %e = tensor.empty() : tensor<5x9xi32>
  %c = tensor.empty() : tensor<i64>
  %o = tensor.empty() : tensor<5x9xi1>
  %y:3 = sinter.contract (i = 5) by (j = 9)
      product (k = 33) (%x[i, k] : tensor<5x33xi32>, %w[k, j] : tensor<33x9xi32>) : i32
      ins(%m[i, j] : tensor<5x9xi1>)
      reduce(add [] : i64)
      outs(%e[i, j] : tensor<5x9xi32>, %c[] : tensor<i64>, %o[i, j] : tensor<5x9xi1>) {
  ^row(%p: tensor<9xi32>, %k: tensor<9xi1>):
    %z = arith.constant dense<3> : tensor<9xi32>
    %q = arith.select %k, %p, %z : tensor<9xi1>, tensor<9xi32>
    %g = arith.cmpi sgt, %p, %z : tensor<9xi32>
    %kk = arith.extui %k : tensor<9xi1> to tensor<9xi64>
    %s = sinter.row_reduce add %kk : tensor<9xi64> -> i64
    sinter.yield %s, %q, %g : i64, tensor<9xi32>, tensor<9xi1>
  }
  return %y#0, %y#1, %y#2 : tensor<5x9xi32>, tensor<i64>, tensor<5x9xi1>
}
}

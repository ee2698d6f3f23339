// RUN: sinter-run %s --verify | FileCheck %s --implicit-check-not=differs
// RUN: sinter-run %s --verify --cpu=haswell | FileCheck %s --implicit-check-not=differs

// Blocks of 20 columns by 8 lanes: the last vector of each block begins in front of what is left of it, in the second
// block as in the first.

// CHECK-COUNT-2: agrees

func.func @main(%x: tensor<7x40xf32>, %v: tensor<40x5xf32>, %w: tensor<40x9xf32>, %y: tensor<7x9xf32>) -> (tensor<7x5xf32>, tensor<7x5xf32>) {
  %e = tensor.empty() : tensor<7x5xf32>
  %0 = sinter.rowwise (i = 7) by (j = 40) by (e = 5)
      matrix (j) to (e) (%v[j, e] : tensor<40x5xf32>)
      ins(%x[i, j] : tensor<7x40xf32>)
      outs(%e[i, e] : tensor<7x5xf32>)
      schedule(#sinter.brgemm<m = 4, n = 4, k = 20, lanes = 8, stream = 20, tasks = 2>) {
  ^row(%m: tensor<40x5xf32>, %a: tensor<40xf32>):
    %mx = sinter.row_reduce maximumf %a : tensor<40xf32> -> f32
    %mb = sinter.broadcast %mx : f32 -> tensor<40xf32>
    %d = arith.subf %a, %mb : tensor<40xf32>
    %p = math.exp %d : tensor<40xf32>
    %z = sinter.row_reduce add %p : tensor<40xf32> -> f32
    %o = sinter.row_product %p, %m : tensor<40xf32>, tensor<40x5xf32> -> tensor<5xf32>
    %zb = sinter.broadcast %z : f32 -> tensor<5xf32>
    %t = arith.divf %o, %zb : tensor<5xf32>
    sinter.yield %t : tensor<5xf32>
  }
  %1 = sinter.contract (i = 7) by (j = 40) by (e = 5)
      product (d = 9) (%y[i, d] : tensor<7x9xf32>, %w[j, d] : tensor<40x9xf32>) : f32
      matrix (j) to (e) (%v[j, e] : tensor<40x5xf32>)
      outs(%e[i, e] : tensor<7x5xf32>)
      schedule(#sinter.brgemm<m = 4, n = 4, k = 20, lanes = 8, stream = 20, tasks = 2>) {
  ^row(%s: tensor<40xf32>, %m: tensor<40x5xf32>):
    %t = math.tanh %s : tensor<40xf32>
    %o = sinter.row_product %t, %m : tensor<40xf32>, tensor<40x5xf32> -> tensor<5xf32>
    sinter.yield %o : tensor<5xf32>
  }
  return %0, %1 : tensor<7x5xf32>, tensor<7x5xf32>
}

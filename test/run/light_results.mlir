// RUN: sinter-run %s --verify --shape=7x5 --shape=7x8 | FileCheck %s --implicit-check-not=differs
// RUN: sinter-run %s --verify --shape=1x5 --shape=1x8 | FileCheck %s --implicit-check-not=differs
// RUN: sinter-run %s --verify --shape=0x5 --shape=0x8 | FileCheck %s --implicit-check-not=differs
// RUN: sinter-run %s --emit=fused | FileCheck %s --check-prefix=FUSED

// Parts of a rotated row, which are made where they are read: outside of it they are 0, whatever the row and its sine
// would be there; and a number of a row, read one row further.

// CHECK-COUNT-2: agrees
// FUSED: contract (i = ?) by (j = 8)
// FUSED: outs(%{{.+}}[i, j] : tensor<?x8xf32>, %{{.+}}[i] : tensor<?xf32>) {

func.func @main(%a: tensor<?x5xf32>, %w: tensor<5x8xf32>, %s: tensor<?x8xf32>) -> (tensor<?x8xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?x5xf32>
  %e = tensor.empty(%n) : tensor<?x8xf32>
  %g = tensor.empty(%n) : tensor<?xf32>
  %x:5 = sinter.contract (i = ?) by (j = 8) product (k = 5) (%a[i, k] : tensor<?x5xf32>, %w[k, j] : tensor<5x8xf32>) : f32
      ins(%s[i, j] : tensor<?x8xf32>)
      outs(%e[i, j] : tensor<?x8xf32>, %e[i, j] : tensor<?x8xf32>, %e[i, j] : tensor<?x8xf32>, %g[i] : tensor<?xf32>, %g[i] : tensor<?xf32>) {
  ^row(%acc: tensor<8xf32>, %sin: tensor<8xf32>):
    %c4 = arith.constant dense<4> : tensor<8xindex>
    %z = arith.constant dense<0.0> : tensor<8xf32>
    %one = arith.constant 1.0 : f32
    %t = math.tanh %acc : tensor<8xf32>
    %m = arith.mulf %t, %sin : tensor<8xf32>
    %j = sinter.index j : tensor<8xindex>
    %low = arith.cmpi ult, %j, %c4 : tensor<8xindex>
    %p = arith.select %low, %m, %z : tensor<8xi1>, tensor<8xf32>
    %q = arith.select %low, %z, %m : tensor<8xi1>, tensor<8xf32>
    %u = sinter.row_reduce add %t : tensor<8xf32> -> f32
    %v = arith.addf %u, %one : f32
    sinter.yield %t, %p, %q, %u, %v : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, f32, f32
  }
  %y = sinter.rowwise (i = ?) by (j = 8)
      ins(%x#0[i, j] : tensor<?x8xf32>, %x#1[i, j - 4] : tensor<?x8xf32> else 0.0, %x#2[i, j + 4] : tensor<?x8xf32> else 0.0)
      outs(%e[i, j] : tensor<?x8xf32>) {
  ^row(%b: tensor<8xf32>, %p: tensor<8xf32>, %q: tensor<8xf32>):
    %c = arith.subf %q, %p : tensor<8xf32>
    %d = arith.addf %b, %c : tensor<8xf32>
    sinter.yield %d : tensor<8xf32>
  }
  %h = sinter.rowwise () by (i = ?)
      ins(%x#3[i] : tensor<?xf32>, %x#4[i - 1] : tensor<?xf32> else 0.0) outs(%g[i] : tensor<?xf32>) {
  ^row(%b: tensor<?xf32>, %p: tensor<?xf32>):
    %c = arith.mulf %b, %p : tensor<?xf32>
    sinter.yield %c : tensor<?xf32>
  }
  return %y, %h : tensor<?x8xf32>, tensor<?xf32>
}

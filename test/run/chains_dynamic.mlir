// RUN: sinter-run %s --verify --shape=7x9 --shape=5x9 --shape=5x3 --shape=9 --shape=7x3 | FileCheck %s --implicit-check-not=differs
// RUN: sinter-run %s --verify --policy=aggressive --shape=33x31 --shape=65x31 --shape=65x17 --shape=31 --shape=33x17 | FileCheck %s --implicit-check-not=differs
// RUN: sinter-run %s --verify --shape=0x9 --shape=5x9 --shape=5x3 --shape=9 --shape=0x3 | FileCheck %s --implicit-check-not=differs
// RUN: sinter-run %s --verify --shape=7x9 --shape=0x9 --shape=0x3 --shape=9 --shape=7x3 | FileCheck %s --implicit-check-not=differs
// RUN: sinter-run %s --verify --shape=7x9 --shape=5x9 --shape=5x0 --shape=9 --shape=7x0 | FileCheck %s --implicit-check-not=differs
// RUN: sinter-run %s --verify --shape=7x0 --shape=5x0 --shape=5x3 --shape=0 --shape=7x3 | FileCheck %s --implicit-check-not=differs
// RUN: sinter-run %s --verify --policy=aggressive --shape=7x0 --shape=0x0 --shape=0x3 --shape=0 --shape=7x3 | FileCheck %s --implicit-check-not=differs

// Rows, both groups of columns and what is summed have sizes that are known at run time, and may be 0; sides have
// programs.

// CHECK-COUNT-2: agrees

func.func @main(%x: tensor<?x?xf32>, %w: tensor<?x?xf32>, %v: tensor<?x?xf32>, %g: tensor<?xf32>, %y: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %m = tensor.dim %v, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%n, %m) : tensor<?x?xf32>
  %f = tensor.empty(%n) : tensor<?xf32>
  %r:2 = sinter.contract (i = ?) by (j = ?) by (e = ?)
      product (d = ?) (side(%x[i, d] : tensor<?x?xf32>, %g[d] : tensor<?xf32>) {
      ^side(%a: tensor<?xf32>, %b: tensor<?xf32>):
        %c = arith.mulf %a, %b : tensor<?xf32>
        sinter.yield %c : tensor<?xf32>
      }, %w[j, d] : tensor<?x?xf32>) : f32
      matrix (j) to (e) (side(%v[j, e] : tensor<?x?xf32>) {
      ^side(%a: tensor<?xf32>):
        %c = math.absf %a : tensor<?xf32>
        sinter.yield %c : tensor<?xf32>
      })
      ins(%y[i, e] : tensor<?x?xf32>)
      outs(%e[i, e] : tensor<?x?xf32>, %f[i] : tensor<?xf32>) {
  ^row(%s: tensor<?xf32>, %mm: tensor<?x?xf32>, %z: tensor<?xf32>):
    %t = math.tanh %s : tensor<?xf32>
    %o = sinter.row_product %t, %mm : tensor<?xf32>, tensor<?x?xf32> -> tensor<?xf32>
    %q = arith.addf %o, %z : tensor<?xf32>
    %k = sinter.row_reduce add %q : tensor<?xf32> -> f32
    sinter.yield %q, %k : tensor<?xf32>, f32
  }
  return %r#0, %r#1 : tensor<?x?xf32>, tensor<?xf32>
}

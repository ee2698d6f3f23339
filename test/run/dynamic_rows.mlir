// RUN: sinter-run %s --shape=5x1 --verify && sinter-run %s --shape=5x3 --verify && sinter-run %s --shape=5x0 --verify
// RUN: sinter-run %s --shape=5x8 --verify && sinter-run %s --shape=5x9 --verify && sinter-run %s --shape=5x15 --verify
// RUN: sinter-run %s --shape=5x16 --verify && sinter-run %s --shape=5x17 --verify && sinter-run %s --shape=37x31 --verify
// RUN: sinter-run %s --shape=3x129 --verify && sinter-run %s --shape=3x511 --verify && sinter-run %s --shape=3x512 --verify
// RUN: sinter-run %s --shape=3x513 --verify && sinter-run %s --shape=3x1003 --verify --cpu=haswell
// RUN: sinter-run %s --shape=3x70001 --verify | FileCheck %s

// What is left behind the vectors of a row of `?` columns is one more vector, of which some lanes were seen before:
// sums and maxima, in the same loop and apart, sums over rows, and what is stored.

// CHECK-COUNT-4: agrees
func.func @main(%x: tensor<?x?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?x?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %r = tensor.empty(%b) : tensor<?xf32>
  %c = tensor.empty(%n) : tensor<?xf32>
  %e = tensor.empty(%b, %n) : tensor<?x?xf32>
  %l = sinter.rowwise (i = ?) by (j = ?) ins(%x[i, j] : tensor<?x?xf32>) outs(%r[i] : tensor<?xf32>) {
  ^row(%a: tensor<?xf32>):
    %m = sinter.row_reduce maximumf %a : tensor<?xf32> -> f32
    %w = sinter.broadcast %m : f32 -> tensor<?xf32>
    %d = arith.subf %a, %w : tensor<?xf32>
    %p = math.exp %d : tensor<?xf32>
    %s = sinter.row_reduce add %p : tensor<?xf32> -> f32
    %q = math.log %s : f32
    %y = arith.addf %q, %m : f32
    sinter.yield %y : f32
  }
  %s = sinter.rowwise (i = ?) by (j = ?) ins(%x[i, j] : tensor<?x?xf32>) outs(%r[i] : tensor<?xf32>) {
  ^row(%a: tensor<?xf32>):
    %q = sinter.row_reduce add %a : tensor<?xf32> -> f32
    %h = sinter.row_reduce minimumf %a : tensor<?xf32> -> f32
    %y = arith.addf %q, %h : f32
    sinter.yield %y : f32
  }
  %o:2 = sinter.rowwise (i = ?) by (j = ?) ins(%x[i, j] : tensor<?x?xf32>) reduce(add [j] : f32)
      outs(%e[i, j] : tensor<?x?xf32>, %c[j] : tensor<?xf32>) {
  ^row(%a: tensor<?xf32>):
    %y = math.tanh %a : tensor<?xf32>
    sinter.yield %a, %y : tensor<?xf32>, tensor<?xf32>
  }
  return %l, %s, %o#0, %o#1 : tensor<?xf32>, tensor<?xf32>, tensor<?x?xf32>, tensor<?xf32>
}

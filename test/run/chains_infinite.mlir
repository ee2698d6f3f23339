// RUN: sinter-run %s --verify --seed=3 | FileCheck %s --implicit-check-not=differs

// A stream whose blocks of columns are no whole vectors: an infinity in a row makes no column of the next block NaN.

// CHECK-COUNT-1: agrees

func.func @main(%v: tensor<7x6xf32>) -> tensor<2x7xf32> {
  %x = arith.constant dense<[[1.0, 0xFF800000, 2.0, 3.0, 4.0, 0.5],
                               [0.5, 1.0, 2.0, 0x7F800000, 1.0, 0.25]]> : tensor<2x6xf32>
  %e = tensor.empty() : tensor<2x7xf32>
  %0 = sinter.rowwise (i = 2) by (j = 6) by (o = 7)
      matrix (j) to (o) (%v[o, j] : tensor<7x6xf32>)
      ins(%x[i, j] : tensor<2x6xf32>)
      outs(%e[i, o] : tensor<2x7xf32>)
      schedule(#sinter.brgemm<kernel = "any128", m = 2, n = 1, k = 8, stream = 1, lanes = 4>) {
  ^row(%m: tensor<6x7xf32>, %r: tensor<6xf32>):
    %n = arith.negf %r : tensor<6xf32>
    %o = sinter.row_product %n, %m : tensor<6xf32>, tensor<6x7xf32> -> tensor<7xf32>
    sinter.yield %o : tensor<7xf32>
  }
  return %0 : tensor<2x7xf32>
}

// RUN: sinter-run %s --verify
// RUN: sinter-run %s --verify --policy=aggressive

// The columns of a form of several groups are as many as those of another form, whose one group they are: what that
// sums up has each element twice. It is no mean of the first group's rows, and deviations from it add up to something.

func.func @main(%x: tensor<3x4xf64>, %v: tensor<4x2xf64>) -> (tensor<3x4xf64>, tensor<3x2xf64>, tensor<3xf64>) {
  %e = tensor.empty() : tensor<3x4xf64>
  %o = tensor.empty() : tensor<3x2xf64>
  %n = tensor.empty() : tensor<3xf64>
  %mean = sinter.rowwise (i = 3) by (j = 4, k = 2) ins(%x[i, j] : tensor<3x4xf64>) outs(%n[i] : tensor<3xf64>) {
  ^row(%r: tensor<8xf64>):
    %part = arith.constant 0.25 : f64
    %sum = sinter.row_reduce add %r : tensor<8xf64> -> f64
    %m = arith.mulf %sum, %part : f64
    sinter.yield %m : f64
  }
  %y, %u = sinter.rowwise (i = 3) by (j = 4) by (k = 2) matrix (j) to (k) (%v[j, k] : tensor<4x2xf64>)
     ins(%x[i, j] : tensor<3x4xf64>, %mean[i] : tensor<3xf64>) outs(%e[i, j] : tensor<3x4xf64>, %o[i, k] : tensor<3x2xf64>) {
  ^row(%mat: tensor<4x2xf64>, %r: tensor<4xf64>, %m: f64):
    %mb = sinter.broadcast %m : f64 -> tensor<4xf64>
    %d = arith.subf %r, %mb : tensor<4xf64>
    %t = sinter.row_reduce add %d : tensor<4xf64> -> f64
    %ub = sinter.broadcast %t : f64 -> tensor<4xf64>
    %dx = arith.addf %d, %ub : tensor<4xf64>
    %p = sinter.row_product %dx, %mat : tensor<4xf64>, tensor<4x2xf64> -> tensor<2xf64>
    sinter.yield %dx, %p : tensor<4xf64>, tensor<2xf64>
  }
  return %y, %u, %mean : tensor<3x4xf64>, tensor<3x2xf64>, tensor<3xf64>
}

// DEFINE: %{arguments} = --input=%S/Inputs/differentiate/f64_in0.npy --input=%S/Inputs/differentiate/f64_in1.npy --input=%S/Inputs/differentiate/f64_in2.npy --input=%S/Inputs/differentiate/f64_in3.npy --expect=%S/Inputs/differentiate/f64_out0.npy --expect=%S/Inputs/differentiate/f64_out1.npy
// RUN: sinter-run %s %{arguments} --stats | FileCheck %s
// RUN: sinter-run %s %{arguments} --policy=disabled

// The same in float64, to its own tolerance. The numbers are PyTorch's, in float64.

// CHECK: {"kernels": 2, {{.*}}"bytes_temporary": 8}

func.func @main(%x: tensor<6x9xf64>, %t: tensor<6xi64>, %w: tensor<9xf64>, %g: tensor<f64>) -> (tensor<f64>, tensor<6x9xf64>) {
  %e = tensor.empty() : tensor<f64>
  %loss = sinter.rowwise (i = 6) by (j = 9) ins(%x[i, j] : tensor<6x9xf64>, %t[i] : tensor<6xi64>, %w[j] : tensor<9xf64>) reduce(add [] : f64, add [] : f64) outs(%e[] : tensor<f64>) {
  ^row(%a: tensor<9xf64>, %y: i64, %u: tensor<9xf64>):
    
    %z = arith.constant 0.0 : f64
    %ign = arith.constant -100 : i64
    %valid = arith.cmpi ne, %y, %ign : i64
    %m0 = sinter.row_reduce maximumf %a : tensor<9xf64> -> f64
    %m = sinter.detach %m0 : f64
    %mr = sinter.broadcast %m : f64 -> tensor<9xf64>
    %d = arith.subf %a, %mr : tensor<9xf64>
    %p = math.exp %d : tensor<9xf64>
    %s = sinter.row_reduce add %p : tensor<9xf64> -> f64
    %ls = math.log %s : f64
    %pk = sinter.pick %d[%y] else %z : tensor<9xf64>, i64
    %wt = sinter.pick %u[%y] else %z : tensor<9xf64>, i64
    %nl = arith.subf %ls, %pk : f64
    %v = arith.mulf %nl, %wt : f64
    %vv = arith.select %valid, %v, %z : f64
    sinter.yield %vv, %wt : f64, f64
  } finish {
  ^done(%s: f64, %n: f64):
    %mean = arith.divf %s, %n : f64
    sinter.yield %mean : f64
  }
  %dx = sinter.differentiate %loss upstream(%g) wrt(%x) : (tensor<f64>, tensor<f64>, tensor<6x9xf64>) -> tensor<6x9xf64>
  return %loss, %dx : tensor<f64>, tensor<6x9xf64>
}

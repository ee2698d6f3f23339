// DEFINE: %{arguments} = --input=%S/Inputs/differentiate/dynamic_in0.npy --input=%S/Inputs/differentiate/dynamic_in1.npy --input=%S/Inputs/differentiate/dynamic_in2.npy --input=%S/Inputs/differentiate/dynamic_in3.npy --expect=%S/Inputs/differentiate/dynamic_out0.npy --expect=%S/Inputs/differentiate/dynamic_out1.npy
// RUN: sinter-run %s %{arguments} --stats | FileCheck %s
// RUN: sinter-run %s %{arguments} --policy=disabled

// The same with sizes that the arguments bring. The numbers are PyTorch's, in float64.

// CHECK: {"kernels": 2, {{.*}}"bytes_temporary": 4}

func.func @main(%x: tensor<?x?xf32>, %t: tensor<?xi64>, %w: tensor<?xf32>, %g: tensor<f32>) -> (tensor<f32>, tensor<?x?xf32>) {
  %e = tensor.empty() : tensor<f32>
  %loss = sinter.rowwise (i = ?) by (j = ?) ins(%x[i, j] : tensor<?x?xf32>, %t[i] : tensor<?xi64>, %w[j] : tensor<?xf32>) reduce(add [] : f32, add [] : f32) outs(%e[] : tensor<f32>) {
  ^row(%a: tensor<?xf32>, %y: i64, %u: tensor<?xf32>):
    
    %z = arith.constant 0.0 : f32
    %ign = arith.constant -100 : i64
    %valid = arith.cmpi ne, %y, %ign : i64
    %m0 = sinter.row_reduce maximumf %a : tensor<?xf32> -> f32
    %m = sinter.detach %m0 : f32
    %mr = sinter.broadcast %m : f32 -> tensor<?xf32>
    %d = arith.subf %a, %mr : tensor<?xf32>
    %p = math.exp %d : tensor<?xf32>
    %s = sinter.row_reduce add %p : tensor<?xf32> -> f32
    %ls = math.log %s : f32
    %pk = sinter.pick %d[%y] else %z : tensor<?xf32>, i64
    %wt = sinter.pick %u[%y] else %z : tensor<?xf32>, i64
    %nl = arith.subf %ls, %pk : f32
    %v = arith.mulf %nl, %wt : f32
    %vv = arith.select %valid, %v, %z : f32
    sinter.yield %vv, %wt : f32, f32
  } finish {
  ^done(%s: f32, %n: f32):
    %mean = arith.divf %s, %n : f32
    sinter.yield %mean : f32
  }
  %dx = sinter.differentiate %loss upstream(%g) wrt(%x) : (tensor<f32>, tensor<f32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %loss, %dx : tensor<f32>, tensor<?x?xf32>
}

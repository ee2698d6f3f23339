// DEFINE: %{arguments} = --input=%S/Inputs/differentiate/dice_in0.npy --input=%S/Inputs/differentiate/dice_in1.npy --expect=%S/Inputs/differentiate/dice_out0.npy --expect=%S/Inputs/differentiate/dice_out1.npy --expect=%S/Inputs/differentiate/dice_out2.npy
// RUN: sinter-run %s %{arguments} --stats | FileCheck %s
// RUN: sinter-run %s %{arguments} --policy=disabled

// A quotient of sums over everything: its gradient needs all of them, so the inputs are read twice, by two kernels. The
// numbers are PyTorch's, in float64.

// CHECK: {"kernels": 2, {{.*}}"bytes_temporary": 12}

func.func @main(%x: tensor<4x8xf32>, %t: tensor<4x8xf32>) -> (tensor<f32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %e = tensor.empty() : tensor<f32>
  %l = sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : tensor<4x8xf32>, %t[i, j] : tensor<4x8xf32>) reduce(add [] : f32, add [] : f32, add [] : f32) outs(%e[] : tensor<f32>) {
  ^row(%a: tensor<8xf32>, %b: tensor<8xf32>):
    %ab = arith.mulf %a, %b : tensor<8xf32>
    %aa = arith.mulf %a, %a : tensor<8xf32>
    %s0 = sinter.row_reduce add %ab : tensor<8xf32> -> f32
    %s1 = sinter.row_reduce add %aa : tensor<8xf32> -> f32
    %s2 = sinter.row_reduce add %b : tensor<8xf32> -> f32
    sinter.yield %s0, %s1, %s2 : f32, f32, f32
  } finish {
  ^done(%s0: f32, %s1: f32, %s2: f32):
    %one = arith.constant 1.0 : f32
    %two = arith.constant 2.0 : f32
    %n0 = arith.mulf %s0, %two : f32
    %n = arith.addf %n0, %one : f32
    %d0 = arith.addf %s1, %s2 : f32
    %d = arith.addf %d0, %one : f32
    %q = arith.divf %n, %d : f32
    %r = arith.subf %one, %q : f32
    sinter.yield %r : f32
  }
  %dx, %dt = sinter.differentiate %l wrt(%x, %t) : (tensor<f32>, tensor<4x8xf32>, tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>)
  return %l, %dx, %dt : tensor<f32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// DEFINE: %{arguments} = --input=%S/Inputs/differentiate/uniform_in0.npy --input=%S/Inputs/differentiate/uniform_in1.npy --expect=%S/Inputs/differentiate/uniform_out0.npy --expect=%S/Inputs/differentiate/uniform_out1.npy --expect=%S/Inputs/differentiate/uniform_out2.npy
// RUN: sinter-run %s %{arguments} --stats | FileCheck %s
// RUN: sinter-run %s %{arguments} --policy=disabled

// A number that is read by each row and by finish: its gradient has a part from each. The numbers are PyTorch's, in
// float64.

// CHECK: {"kernels": 1, {{.*}}"bytes_temporary": 0}

func.func @main(%x: tensor<4x8xf32>, %u: tensor<f32>) -> (tensor<f32>, tensor<4x8xf32>, tensor<f32>) {
  %e = tensor.empty() : tensor<f32>
  %l = sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : tensor<4x8xf32>, %u[] : tensor<f32>) reduce(add [] : f32) outs(%e[] : tensor<f32>) {
  ^row(%a: tensor<8xf32>, %t: f32):
    %tr = sinter.broadcast %t : f32 -> tensor<8xf32>
    %ab = arith.mulf %a, %tr : tensor<8xf32>
    %ex = math.exp %ab : tensor<8xf32>
    %s0 = sinter.row_reduce add %ex : tensor<8xf32> -> f32
    sinter.yield %s0 : f32
  } finish {
  ^done(%s0: f32, %t: f32):
    %t2 = arith.mulf %t, %t : f32
    %r = arith.mulf %s0, %t2 : f32
    sinter.yield %r : f32
  }
  %dx, %dt = sinter.differentiate %l wrt(%x, %u) : (tensor<f32>, tensor<4x8xf32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<f32>)
  return %l, %dx, %dt : tensor<f32>, tensor<4x8xf32>, tensor<f32>
}

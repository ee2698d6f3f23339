// DEFINE: %{arguments} = --input=%S/Inputs/differentiate/second_order_in0.npy --expect=%S/Inputs/differentiate/second_order_out0.npy --expect=%S/Inputs/differentiate/second_order_out1.npy
// RUN: sinter-run %s %{arguments} --stats | FileCheck %s
// RUN: sinter-run %s %{arguments} --policy=disabled

// The gradient of a gradient. The numbers are PyTorch's, in float64.

// CHECK: {"kernels": 1, {{.*}}"bytes_temporary": 0}

func.func @main(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %e = tensor.empty() : tensor<f32>
  %l = sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : tensor<4x8xf32>) reduce(add [] : f32) outs(%e[] : tensor<f32>) {
  ^row(%a: tensor<8xf32>):
    %ex = math.exp %a : tensor<8xf32>
    %q = arith.mulf %a, %ex : tensor<8xf32>
    %s = sinter.row_reduce add %q : tensor<8xf32> -> f32
    sinter.yield %s : f32
  }
  %d = sinter.differentiate %l wrt(%x) : (tensor<f32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %p = sinter.rowwise (i = 4) by (j = 8) ins(%d[i, j] : tensor<4x8xf32>) reduce(add [] : f32) outs(%e[] : tensor<f32>) {
  ^row(%a: tensor<8xf32>):
    %q = arith.mulf %a, %a : tensor<8xf32>
    %s = sinter.row_reduce add %q : tensor<8xf32> -> f32
    sinter.yield %s : f32
  }
  %dd = sinter.differentiate %p wrt(%x) : (tensor<f32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %d, %dd : tensor<4x8xf32>, tensor<4x8xf32>
}

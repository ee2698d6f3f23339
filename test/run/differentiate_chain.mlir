// DEFINE: %{arguments} = --input=%S/Inputs/differentiate/chain_in0.npy --input=%S/Inputs/differentiate/chain_in1.npy --expect=%S/Inputs/differentiate/chain_out0.npy --expect=%S/Inputs/differentiate/chain_out1.npy --expect=%S/Inputs/differentiate/chain_out2.npy --expect=%S/Inputs/differentiate/chain_out3.npy
// RUN: sinter-run %s %{arguments} --stats | FileCheck %s
// RUN: sinter-run %s %{arguments} --policy=disabled

// Two forms with a reshape between them, a value with two readers, one that is an argument of the op itself, and one
// that the loss does not depend on. The numbers are PyTorch's, in float64.

// CHECK: {"kernels": {{[0-9]+}}, {{.*}}"bytes_temporary": {{[0-9]+}}}

func.func @main(%x: tensor<4x8xf32>, %z: tensor<3xf32>) -> (tensor<f32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<3xf32>) {
  %e = tensor.empty() : tensor<4x8xf32>
  %h = sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%a: tensor<8xf32>):
    %q = math.tanh %a : tensor<8xf32>
    sinter.yield %q : tensor<8xf32>
  }
  %hc = tensor.collapse_shape %h [[0, 1]] : tensor<4x8xf32> into tensor<32xf32>
  %xc = tensor.collapse_shape %x [[0, 1]] : tensor<4x8xf32> into tensor<32xf32>
  %e0 = tensor.empty() : tensor<f32>
  %l = sinter.rowwise (k = 32) by () ins(%hc[k] : tensor<32xf32>, %xc[k] : tensor<32xf32>) reduce(add [] : f32) outs(%e0[] : tensor<f32>) {
  ^row(%a: f32, %b: f32):
    %a2 = arith.mulf %a, %a : f32
    %a3 = arith.mulf %a2, %a : f32
    %ex = math.exp %b : f32
    %s = arith.mulf %a3, %ex : f32
    sinter.yield %s : f32
  }
  %dx, %dh, %dz = sinter.differentiate %l wrt(%x, %h, %z) : (tensor<f32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<3xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<3xf32>)
  return %l, %dx, %dh, %dz : tensor<f32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<3xf32>
}

// DEFINE: %{arguments} = --input=%S/Inputs/differentiate/split_in0.npy --input=%S/Inputs/differentiate/split_in1.npy --input=%S/Inputs/differentiate/split_in2.npy --expect=%S/Inputs/differentiate/split_out0.npy --expect=%S/Inputs/differentiate/split_out1.npy
// RUN: sinter-run %s %{arguments} --stats | FileCheck %s
// RUN: sinter-run %s %{arguments} --policy=disabled

// Rows that are split into groups, as a group norm reads them. The numbers are PyTorch's, in float64.

// CHECK: {"kernels": {{[0-9]+}}, {{.*}}"bytes_temporary": {{[0-9]+}}}

func.func @main(%x: tensor<3x8x5xf32>, %s: tensor<8xf32>, %g: tensor<3x2x4x5xf32>) -> (tensor<3x8x5xf32>, tensor<8xf32>) {
  %e = tensor.empty() : tensor<3x2x4x5xf32>
  %y = sinter.rowwise (b = 3, g = 2) by (c = 4, k = 5) ins(%x[b, g * 4 + c, k] : tensor<3x8x5xf32>, %s[g * 4 + c] : tensor<8xf32>) outs(%e[b, g, c, k] : tensor<3x2x4x5xf32>) {
  ^row(%a: tensor<20xf32>, %t: tensor<20xf32>):
    %q = arith.mulf %a, %a : tensor<20xf32>
    %l = arith.mulf %q, %t : tensor<20xf32>
    sinter.yield %l : tensor<20xf32>
  }
  %dx, %ds = sinter.differentiate %y upstream(%g) wrt(%x, %s) : (tensor<3x2x4x5xf32>, tensor<3x2x4x5xf32>, tensor<3x8x5xf32>, tensor<8xf32>) -> (tensor<3x8x5xf32>, tensor<8xf32>)
  return %dx, %ds : tensor<3x8x5xf32>, tensor<8xf32>
}

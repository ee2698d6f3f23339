// DEFINE: %{arguments} = --input=%S/Inputs/differentiate/join_in0.npy --input=%S/Inputs/differentiate/join_in1.npy --expect=%S/Inputs/differentiate/join_out0.npy
// RUN: sinter-run %s %{arguments} --stats | FileCheck %s
// RUN: sinter-run %s %{arguments} --policy=disabled

// A matrix that is read as one row. The numbers are PyTorch's, in float64.

// CHECK: {"kernels": 1, {{.*}}"bytes_temporary": 0}

func.func @main(%x: tensor<3x4xf32>, %g: tensor<12xf32>) -> (tensor<3x4xf32>) {
  %e = tensor.empty() : tensor<12xf32>
  %y = sinter.rowwise () by (j = 12) ins(%x[j floordiv 4, j mod 4] : tensor<3x4xf32>) outs(%e[j] : tensor<12xf32>) {
  ^row(%a: tensor<12xf32>):
    %l = math.exp %a : tensor<12xf32>
    sinter.yield %l : tensor<12xf32>
  }
  %dx = sinter.differentiate %y upstream(%g) wrt(%x) : (tensor<12xf32>, tensor<12xf32>, tensor<3x4xf32>) -> (tensor<3x4xf32>)
  return %dx : tensor<3x4xf32>
}

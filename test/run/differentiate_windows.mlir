// DEFINE: %{arguments} = --input=%S/Inputs/differentiate/windows_in0.npy --input=%S/Inputs/differentiate/windows_in1.npy --expect=%S/Inputs/differentiate/windows_out0.npy
// RUN: sinter-run %s %{arguments} --stats | FileCheck %s
// RUN: sinter-run %s %{arguments} --policy=disabled

// Windows with a stride and padding, a strided slice, one row for all: gradients of what is read several times are
// added. The numbers are PyTorch's, in float64.

// CHECK: {"kernels": {{[0-9]+}}, {{.*}}"bytes_temporary": {{[0-9]+}}}

func.func @main(%x: tensor<4x9xf32>, %g: tensor<4x4xf32>) -> (tensor<4x9xf32>) {
  %e = tensor.empty() : tensor<4x4xf32>
  %y = sinter.rowwise (i = 4, j = 4) by (k = 3) ins(%x[i, j * 2 + k - 1] : tensor<4x9xf32> else 0.0, %x[i, j * 2 + 1] : tensor<4x9xf32>, %x[2, j] : tensor<4x9xf32>) outs(%e[i, j] : tensor<4x4xf32>) {
  ^row(%a: tensor<3xf32>, %b: f32, %c: f32):
    %l = math.exp %a : tensor<3xf32>
    %s = sinter.row_reduce add %l : tensor<3xf32> -> f32
    %m = arith.mulf %s, %b : f32
    %n = arith.mulf %m, %c : f32
    sinter.yield %n : f32
  }
  %dx = sinter.differentiate %y upstream(%g) wrt(%x) : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x9xf32>) -> (tensor<4x9xf32>)
  return %dx : tensor<4x9xf32>
}

// DEFINE: %{arguments} = --input=%S/Inputs/differentiate/views_in0.npy --input=%S/Inputs/differentiate/views_in1.npy --input=%S/Inputs/differentiate/views_in2.npy --expect=%S/Inputs/differentiate/views_out0.npy --expect=%S/Inputs/differentiate/views_out1.npy
// RUN: sinter-run %s %{arguments} --stats | FileCheck %s
// RUN: sinter-run %s %{arguments} --policy=disabled

// Slices, a flip, padding, one row for all, a column: gradients go back to where each element was read. The numbers are
// PyTorch's, in float64.

// CHECK: {"kernels": 2, {{.*}}"bytes_temporary": {{[0-9]+}}}

func.func @main(%x: tensor<4x8xf32>, %m: tensor<4x1xf32>, %g: tensor<4x5xf32>) -> (tensor<4x8xf32>, tensor<4x1xf32>) {
  %e = tensor.empty() : tensor<4x5xf32>
  %y = sinter.rowwise (i = 4) by (j = 5) ins(%x[i, j + 3] : tensor<4x8xf32>, %x[i, 7 - j] : tensor<4x8xf32>, %x[i, j - 1] : tensor<4x8xf32> else 0.0, %m[i, 0] : tensor<4x1xf32>, %x[1, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x5xf32>) {
  ^row(%a: tensor<5xf32>, %b: tensor<5xf32>, %c: tensor<5xf32>, %n: f32, %o: tensor<5xf32>):
    %q = arith.mulf %a, %b : tensor<5xf32>
    %l = arith.mulf %q, %c : tensor<5xf32>
    %r = sinter.broadcast %n : f32 -> tensor<5xf32>
    %p = arith.mulf %l, %r : tensor<5xf32>
    %z = arith.mulf %p, %o : tensor<5xf32>
    sinter.yield %z : tensor<5xf32>
  }
  %dx, %ds = sinter.differentiate %y upstream(%g) wrt(%x, %m) : (tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x8xf32>, tensor<4x1xf32>) -> (tensor<4x8xf32>, tensor<4x1xf32>)
  return %dx, %ds : tensor<4x8xf32>, tensor<4x1xf32>
}

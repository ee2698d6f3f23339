// DEFINE: %{arguments} = --input=%S/Inputs/differentiate/softmax_in0.npy --input=%S/Inputs/differentiate/softmax_in1.npy --expect=%S/Inputs/differentiate/softmax_out0.npy --expect=%S/Inputs/differentiate/softmax_out1.npy
// RUN: sinter-run %s %{arguments} --stats | FileCheck %s
// RUN: sinter-run %s %{arguments} --policy=disabled

// Softmax by its own formula, the maximum differentiated too: one kernel, one read of each input. The numbers are
// PyTorch's, in float64.

// CHECK: {"kernels": 1, {{.*}}"bytes_temporary": 0}

func.func @main(%x: tensor<4x8xf32>, %g: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %e = tensor.empty() : tensor<4x8xf32>
  %y = sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%a: tensor<8xf32>):
    %m = sinter.row_reduce maximumf %a : tensor<8xf32> -> f32
    
    %mr = sinter.broadcast %m : f32 -> tensor<8xf32>
    %d = arith.subf %a, %mr : tensor<8xf32>
    %p = math.exp %d : tensor<8xf32>
    %s = sinter.row_reduce add %p : tensor<8xf32> -> f32
    %sr = sinter.broadcast %s : f32 -> tensor<8xf32>
    %q = arith.divf %p, %sr : tensor<8xf32>
    sinter.yield %q : tensor<8xf32>
  }
  %dx = sinter.differentiate %y upstream(%g) wrt(%x) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %y, %dx : tensor<4x8xf32>, tensor<4x8xf32>
}

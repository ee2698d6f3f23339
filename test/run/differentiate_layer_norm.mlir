// DEFINE: %{arguments} = --input=%S/Inputs/differentiate/layer_norm_in0.npy --input=%S/Inputs/differentiate/layer_norm_in1.npy --input=%S/Inputs/differentiate/layer_norm_in2.npy --input=%S/Inputs/differentiate/layer_norm_in3.npy --expect=%S/Inputs/differentiate/layer_norm_out0.npy --expect=%S/Inputs/differentiate/layer_norm_out1.npy --expect=%S/Inputs/differentiate/layer_norm_out2.npy --expect=%S/Inputs/differentiate/layer_norm_out3.npy
// RUN: sinter-run %s %{arguments} --stats | FileCheck %s
// RUN: sinter-run %s %{arguments} --policy=disabled

// Layer norm with all three gradients: that of the weight and of the bias are sums over the rows, in the kernel that
// gives the value. The numbers are PyTorch's, in float64.

// CHECK: {"kernels": 1, {{.*}}"bytes_temporary": 0}

func.func @main(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>, %g: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %e = tensor.empty() : tensor<4x8xf32>
  %y = sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : tensor<4x8xf32>, %w[j] : tensor<8xf32>, %b[j] : tensor<8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%a: tensor<8xf32>, %u: tensor<8xf32>, %v: tensor<8xf32>):
    %n = arith.constant 8.0 : f32
    %eps = arith.constant 1.0e-5 : f32
    %s = sinter.row_reduce add %a : tensor<8xf32> -> f32
    %mean = arith.divf %s, %n : f32
    %mr = sinter.broadcast %mean : f32 -> tensor<8xf32>
    %c = arith.subf %a, %mr : tensor<8xf32>
    %q = arith.mulf %c, %c : tensor<8xf32>
    %s2 = sinter.row_reduce add %q : tensor<8xf32> -> f32
    %var = arith.divf %s2, %n : f32
    %ve = arith.addf %var, %eps : f32
    %r = math.rsqrt %ve : f32
    %rr = sinter.broadcast %r : f32 -> tensor<8xf32>
    %h = arith.mulf %c, %rr : tensor<8xf32>
    %hw = arith.mulf %h, %u : tensor<8xf32>
    %o = arith.addf %hw, %v : tensor<8xf32>
    sinter.yield %o : tensor<8xf32>
  }
  %dx, %dw, %db = sinter.differentiate %y upstream(%g) wrt(%x, %w, %b) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>)
  return %y, %dx, %dw, %db : tensor<4x8xf32>, tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>
}

// DEFINE: %{arguments} = --input=%S/Inputs/differentiate/bf16_in0.npy --input=%S/Inputs/differentiate/bf16_in1.npy --input=%S/Inputs/differentiate/bf16_in2.npy --expect=%S/Inputs/differentiate/bf16_out0.npy --expect=%S/Inputs/differentiate/bf16_out1.npy
// RUN: sinter-run %s %{arguments} --tolerance=4e-3 --stats | FileCheck %s
// RUN: sinter-run %s %{arguments} --tolerance=4e-3 --policy=disabled

// A row program in bf16: its gradients are computed and added over 300 rows in f32 and rounded once, at the end; added
// in bf16 they would be off by more than a tenth. The numbers are PyTorch's, in float64 on the same inputs.

// CHECK: {"kernels": 1, {{.*}}"bytes_temporary": 0}

func.func @main(%x: tensor<300x8xbf16>, %w: tensor<8xbf16>, %g: tensor<300x8xbf16>) -> (tensor<300x8xbf16>, tensor<8xbf16>) {
  %e = tensor.empty() : tensor<300x8xbf16>
  %y = sinter.rowwise (i = 300) by (j = 8) ins(%x[i, j] : tensor<300x8xbf16>, %w[j] : tensor<8xbf16>) outs(%e[i, j] : tensor<300x8xbf16>) {
  ^row(%a: tensor<8xbf16>, %u: tensor<8xbf16>):
    %t = math.tanh %a : tensor<8xbf16>
    %o = arith.mulf %t, %u : tensor<8xbf16>
    sinter.yield %o : tensor<8xbf16>
  }
  %dx, %dw = sinter.differentiate %y upstream(%g) wrt(%x, %w)
      : (tensor<300x8xbf16>, tensor<300x8xbf16>, tensor<300x8xbf16>, tensor<8xbf16>) -> (tensor<300x8xbf16>, tensor<8xbf16>)
  return %dx, %dw : tensor<300x8xbf16>, tensor<8xbf16>
}

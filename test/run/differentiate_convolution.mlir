// DEFINE: %{in} = --input=%S/Inputs/differentiate/convolution_in0.npy --input=%S/Inputs/differentiate/convolution_in1.npy --input=%S/Inputs/differentiate/convolution_in2.npy
// DEFINE: %{want} = --expect=%S/Inputs/differentiate/convolution_out0.npy --expect=%S/Inputs/differentiate/convolution_out1.npy
// RUN: sinter-run %s %{in} %{want} --element-tolerance=1e-5,1e-5
// RUN: sinter-run %s %{in} %{want} --element-tolerance=1e-5,1e-5 --policy=disabled

// A convolution with steps of 2, holes of 1, a margin of 3 and two groups, and its sigmoid: gradients by its input and
// by its weights. The numbers are PyTorch's, in float64.

func.func @main(%x: tensor<3x8x29xf32>, %w: tensor<10x4x5xf32>, %g: tensor<3x2x5x14xf32>) -> (tensor<3x8x29xf32>, tensor<10x4x5xf32>) {
  %e = tensor.empty() : tensor<3x2x5x14xf32>
  %y = sinter.contract (n = 3, g = 2, o = 5) by (y = 14)
      product (c = 4, k = 5) (%w[g * 5 + o, c, k] : tensor<10x4x5xf32>, %x[n, g * 4 + c, y * 2 + k * 2 - 3] : tensor<3x8x29xf32> else 0.0) : f32
      outs(%e[n, g, o, y] : tensor<3x2x5x14xf32>) {
  ^row(%acc: tensor<14xf32>):
    %s = sinter.sigmoid(%acc) : (tensor<14xf32>) -> tensor<14xf32>
    sinter.yield %s : tensor<14xf32>
  }
  %dx, %dw = sinter.differentiate %y upstream(%g) wrt(%x, %w) : (tensor<3x2x5x14xf32>, tensor<3x2x5x14xf32>, tensor<3x8x29xf32>, tensor<10x4x5xf32>)
      -> (tensor<3x8x29xf32>, tensor<10x4x5xf32>)
  return %dx, %dw : tensor<3x8x29xf32>, tensor<10x4x5xf32>
}

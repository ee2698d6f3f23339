// DEFINE: %{in} = --input=%S/Inputs/differentiate/places_in0.npy --input=%S/Inputs/differentiate/places_in1.npy
// DEFINE: %{in2} = --input=%S/Inputs/differentiate/places_in2.npy --input=%S/Inputs/differentiate/places_in3.npy
// DEFINE: %{up} = --input=%S/Inputs/differentiate/places_in4.npy --input=%S/Inputs/differentiate/places_in5.npy
// DEFINE: %{expect} = --expect=%S/Inputs/differentiate/places_out0.npy --expect=%S/Inputs/differentiate/places_out1.npy
// RUN: sinter-run %s %{in} %{in2} %{up} %{expect} --stats | FileCheck %s
// RUN: sinter-run %s %{in} %{in2} %{up} %{expect} --policy=disabled

// What a subscript multiplies by a step, both sides are read by: heads that are some of a matrix's columns, and windows
// that overlap, each with weights of its own. The place in the gradient is divided by the step for the other side, too.
// The numbers are PyTorch's, in float64.

// CHECK: {"kernels": {{[0-9]+}}, {{.*}}"bytes_temporary": {{[0-9]+}}}

func.func @main(%q: tensor<1x5x2x4xf32>, %kv: tensor<6x16xf32>, %x: tensor<3x9xf32>, %w: tensor<5x4x3xf32>,
                %g: tensor<2x5x6xf32>, %h: tensor<3x5x4xf32>) -> (tensor<6x16xf32>, tensor<3x9xf32>) {
  %e = tensor.empty() : tensor<2x5x6xf32>
  %s = sinter.contract (i = 2, j = 5) by (k = 6)
      product (l = 4) (%q[0, j, i, l] : tensor<1x5x2x4xf32>, %kv[k, i * 4 + l + 5] : tensor<6x16xf32>) : f32
      outs(%e[i, j, k] : tensor<2x5x6xf32>) {
  ^row(%acc: tensor<6xf32>):
    sinter.yield %acc : tensor<6xf32>
  }
  %f = tensor.empty() : tensor<3x5x4xf32>
  %y = sinter.contract (b = 3, i = 5) by (o = 4)
      product (k = 3) (%x[b, i * 2 + k - 1] : tensor<3x9xf32> else 0.0, %w[i, o, k] : tensor<5x4x3xf32>) : f32
      outs(%f[b, i, o] : tensor<3x5x4xf32>) {
  ^row(%acc: tensor<4xf32>):
    sinter.yield %acc : tensor<4xf32>
  }
  %dkv = sinter.differentiate %s upstream(%g) wrt(%kv) : (tensor<2x5x6xf32>, tensor<2x5x6xf32>, tensor<6x16xf32>) -> tensor<6x16xf32>
  %dx = sinter.differentiate %y upstream(%h) wrt(%x) : (tensor<3x5x4xf32>, tensor<3x5x4xf32>, tensor<3x9xf32>) -> tensor<3x9xf32>
  return %dkv, %dx : tensor<6x16xf32>, tensor<3x9xf32>
}

// RUN: sinter-run %s --input=%S/Inputs/steps.npy --expect=%S/Inputs/quantized.npy --expect=%S/Inputs/dequantized.npy --element-tolerance=1e-6,1e-7 --stats | FileCheck %s

// Halves go to the even step, what is outside to the last one; both are PyTorch's numbers, in one kernel.

// CHECK: output 0 of main agrees
// CHECK: output 1 of main agrees
// CHECK: "kernels": 1,

func.func @main(%x: tensor<3x4xf32>) -> (tensor<3x4xi8>, tensor<3x4xf32>) {
  %q = sinter.quantize(%x) {scale = 0.5, zero_point = 3} : (tensor<3x4xf32>) -> tensor<3x4xi8>
  %y = sinter.dequantize(%q) {scale = 0.5, zero_point = 3} : (tensor<3x4xi8>) -> tensor<3x4xf32>
  return %q, %y : tensor<3x4xi8>, tensor<3x4xf32>
}

// RUN: not sinter-run %s --entry=cross_entropy --input=%S/Inputs/logits.npy --input=%S/Inputs/label_outside.npy 2>&1 | FileCheck %s --check-prefix=CE
// RUN: not sinter-run %s --entry=nll --input=%S/Inputs/logits.npy --input=%S/Inputs/label_outside.npy 2>&1 | FileCheck %s --check-prefix=NLL
// RUN: not sinter-run %s --entry=multi_margin --input=%S/Inputs/logits.npy --input=%S/Inputs/label_outside.npy 2>&1 | FileCheck %s --check-prefix=MARGIN
// RUN: sinter-run %s --entry=ignored --input=%S/Inputs/logits.npy --input=%S/Inputs/label_outside.npy --stats | FileCheck %s --check-prefix=IGNORED
// RUN: not sinter-run %s --entry=bce --input=%S/Inputs/logits.npy --input=%S/Inputs/logits.npy 2>&1 | FileCheck %s --check-prefix=BCE
// RUN: not sinter-run %s --entry=gaussian_nll --input=%S/Inputs/logits.npy 2>&1 | FileCheck %s --check-prefix=GAUSS

// What PyTorch refuses as it runs is an error of the call, also where gradients are computed; an ignored label may be
// any number.

// CE: error: {{.*}}cross_entropy: target is out of bounds
// NLL: error: {{.*}}nll: target is out of bounds
// MARGIN: error: {{.*}}multi_margin: target is out of range
// IGNORED: "kernels"
// BCE: error: {{.*}}bce: all elements of input should be between 0 and 1
// GAUSS: error: {{.*}}gaussian_nll: var has negative entries

func.func @cross_entropy(%x: tensor<3x4xf32>, %t: tensor<3xi64>) -> (tensor<f32>, tensor<3x4xf32>) {
  %l = sinter.cross_entropy(%x, %t) : (tensor<3x4xf32>, tensor<3xi64>) -> tensor<f32>
  %dx = sinter.differentiate %l wrt(%x) : (tensor<f32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return %l, %dx : tensor<f32>, tensor<3x4xf32>
}

func.func @nll(%x: tensor<3x4xf32>, %t: tensor<3xi64>) -> tensor<f32> {
  %l = sinter.nll(%x, %t) : (tensor<3x4xf32>, tensor<3xi64>) -> tensor<f32>
  return %l : tensor<f32>
}

func.func @multi_margin(%x: tensor<3x4xf32>, %t: tensor<3xi64>) -> tensor<f32> {
  %l = sinter.multi_margin(%x, %t) : (tensor<3x4xf32>, tensor<3xi64>) -> tensor<f32>
  return %l : tensor<f32>
}

func.func @ignored(%x: tensor<3x4xf32>, %t: tensor<3xi64>) -> tensor<f32> {
  %l = sinter.cross_entropy(%x, %t) {ignore_index = 4} : (tensor<3x4xf32>, tensor<3xi64>) -> tensor<f32>
  return %l : tensor<f32>
}

func.func @bce(%x: tensor<3x4xf32>, %t: tensor<3x4xf32>) -> tensor<f32> {
  %l = sinter.bce(%x, %t) : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<f32>
  return %l : tensor<f32>
}

func.func @gaussian_nll(%x: tensor<3x4xf32>) -> tensor<f32> {
  %l = sinter.gaussian_nll(%x, %x, %x) : (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<f32>
  return %l : tensor<f32>
}

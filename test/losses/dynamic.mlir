// RUN: sinter-run %s --verify --stats --shape=37x13 --shape=37 | FileCheck %s
// RUN: sinter-run %s --verify --stats --shape=1x1 --shape=1 --high=1 | FileCheck %s
// RUN: sinter-run %s --entry=elementwise --verify --stats --shape=3x1x5 --shape=4x5 | FileCheck %s --check-prefix=ONE

// Sizes that are known when the program runs; the divisor of the mean too.

// CHECK: output 0 of main agrees
// CHECK: output 1 of main agrees
// CHECK: "kernels": 2,
func.func @main(%x: tensor<?x?xf32>, %t: tensor<?xi64>) -> (tensor<f32>, tensor<?x?xf32>) {
  %l = sinter.cross_entropy(%x, %t) {label_smoothing = 0.1} : (tensor<?x?xf32>, tensor<?xi64>) -> tensor<f32>
  %dx = sinter.differentiate %l wrt(%x) : (tensor<f32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %l, %dx : tensor<f32>, tensor<?x?xf32>
}

// ONE: output 0 of elementwise agrees
// ONE: "kernels": 1,
func.func @elementwise(%x: tensor<?x1x?xf32>, %t: tensor<?x?xf32>) -> tensor<f32> {
  %l = sinter.huber(%x, %t) {delta = 0.5} : (tensor<?x1x?xf32>, tensor<?x?xf32>) -> tensor<f32>
  return %l : tensor<f32>
}

// RUN: sinter-run %s --shape=1x70 --verify --quiet | FileCheck %s
// RUN: sinter-run %s --shape=7x70 --verify --quiet | FileCheck %s
// RUN: sinter-run %s --shape=16x70 --verify --quiet | FileCheck %s
// RUN: sinter-run %s --shape=17x70 --verify --quiet | FileCheck %s
// RUN: sinter-run %s --shape=300x70 --verify --quiet | FileCheck %s
// RUN: sinter-run %s --shape=0x70 --verify --quiet | FileCheck %s
// RUN: sinter-run %s --shape=5x70 --stats | FileCheck %s --check-prefix=ONE

// Few rows of `?` that go through two layers have a kernel of their own; one of the two runs.

// CHECK: output 0 of main agrees with the decomposed program
//   ONE: "kernels": 1,
func.func @main(%x: tensor<?x70xf32>, %w: tensor<70x290xf32>, %v: tensor<290x70xf32>) -> tensor<?x70xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x70xf32>
  %e = tensor.empty(%n) : tensor<?x290xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x290xf32>) -> tensor<?x290xf32>
  %y = linalg.matmul ins(%x, %w : tensor<?x70xf32>, tensor<70x290xf32>) outs(%f : tensor<?x290xf32>) -> tensor<?x290xf32>
  %r = linalg.tanh ins(%y : tensor<?x290xf32>) outs(%e : tensor<?x290xf32>) -> tensor<?x290xf32>
  %d = tensor.empty(%n) : tensor<?x70xf32>
  %g = linalg.fill ins(%zero : f32) outs(%d : tensor<?x70xf32>) -> tensor<?x70xf32>
  %z = linalg.matmul ins(%r, %v : tensor<?x290xf32>, tensor<290x70xf32>) outs(%g : tensor<?x70xf32>) -> tensor<?x70xf32>
  return %z : tensor<?x70xf32>
}

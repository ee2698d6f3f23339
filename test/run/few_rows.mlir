// RUN: sinter-run %s --shape=1x70 --verify --quiet | FileCheck %s
// RUN: sinter-run %s --shape=3x70 --verify --quiet | FileCheck %s
// RUN: sinter-run %s --shape=7x70 --verify --quiet | FileCheck %s
// RUN: sinter-run %s --shape=16x70 --verify --quiet | FileCheck %s
// RUN: sinter-run %s --shape=17x70 --verify --quiet | FileCheck %s
// RUN: sinter-run %s --shape=0x70 --verify --quiet | FileCheck %s
// RUN: sinter-run %s --shape=5x70 --stats | FileCheck %s --check-prefix=ONE

// Few rows of `?` have a kernel of their own, whose weights may lie in columns or in rows; one of the two runs.

// CHECK: output 0 of main agrees with the decomposed program
// CHECK: output 1 of main agrees with the decomposed program
//   ONE: "kernels": 2,
func.func @main(%x: tensor<?x70xf32>, %w: tensor<130x70xf32>, %v: tensor<70x131xf32>) -> (tensor<?x130xf32>, tensor<?x131xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x70xf32>
  %e = tensor.empty(%n) : tensor<?x130xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x130xf32>) -> tensor<?x130xf32>
  %t = tensor.empty() : tensor<70x130xf32>
  %wt = linalg.transpose ins(%w : tensor<130x70xf32>) outs(%t : tensor<70x130xf32>) permutation = [1, 0]
  %y = linalg.matmul ins(%x, %wt : tensor<?x70xf32>, tensor<70x130xf32>) outs(%f : tensor<?x130xf32>) -> tensor<?x130xf32>
  %r = linalg.tanh ins(%y : tensor<?x130xf32>) outs(%e : tensor<?x130xf32>) -> tensor<?x130xf32>
  %e2 = tensor.empty(%n) : tensor<?x131xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<?x131xf32>) -> tensor<?x131xf32>
  %z = linalg.matmul ins(%x, %v : tensor<?x70xf32>, tensor<70x131xf32>) outs(%f2 : tensor<?x131xf32>) -> tensor<?x131xf32>
  return %r, %z : tensor<?x130xf32>, tensor<?x131xf32>
}

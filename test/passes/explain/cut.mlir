// RUN: sinter-opt %s --pass-pipeline='builtin.module(sinter-explain{record=true},sinter-fuse,sinter-split{target=gpu reasons=true},sinter-explain{output=-})' -o %t | FileCheck %s
// RUN: FileCheck %s --check-prefix=CLEAN < %t

// What was one form and is cut for the target says so, and each piece knows what it was made of.

// CHECK: main: 3 operations become 2 kernels
// CHECK: kernel 0: sinter.contract (i = 7) by (j = 5) over (k = 6), {{.+}} made of
// CHECK-NEXT: cut.mlir:18:8
// CHECK-NOT:  cut.mlir:2
// CHECK: kernel 1: sinter.contract (i = 7) by (j1 = 4) over (j = 5), {{.+}} made of
// CHECK-NEXT: cut.mlir:23:8
// CHECK-NEXT: cut.mlir:27:8
// CHECK: kernel 0 -> kernel 1, 280 B:
// CHECK-NEXT: cut.mlir:23:8: could be one: tensor cores do not multiply its types with sums in f32
// CLEAN-NOT: sinter.cut
func.func @main(%x: tensor<7x6xf64>, %u: tensor<5x6xf64>, %w: tensor<4x5xf64>) -> tensor<7x4xf64> {
  %e = tensor.empty() : tensor<7x5xf64>
  %h = sinter.contract (i = 7) by (j = 5) product (k = 6) (%x[i, k] : tensor<7x6xf64>, %u[j, k] : tensor<5x6xf64>) : f64 outs(%e[i, j] : tensor<7x5xf64>) {
  ^row(%acc: tensor<5xf64>):
    sinter.yield %acc : tensor<5xf64>
  }
  %f = tensor.empty() : tensor<7x4xf64>
  %p = sinter.contract (i = 7) by (j = 4) product (k = 5) (%h[i, k] : tensor<7x5xf64>, %w[j, k] : tensor<4x5xf64>) : f64 outs(%f[i, j] : tensor<7x4xf64>) {
  ^row(%acc: tensor<4xf64>):
    sinter.yield %acc : tensor<4xf64>
  }
  %y = sinter.rowwise (i = 7) by (j = 4) ins(%p[i, j] : tensor<7x4xf64>) outs(%f[i, j] : tensor<7x4xf64>) {
  ^row(%r: tensor<4xf64>):
    %t = math.tanh %r : tensor<4xf64>
    sinter.yield %t : tensor<4xf64>
  }
  return %y : tensor<7x4xf64>
}

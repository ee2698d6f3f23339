// RUN: sinter-run %s --verify --shape=13x3 | FileCheck %s --implicit-check-not=differs
// RUN: sinter-run %s --verify --shape=0x3 | FileCheck %s --implicit-check-not=differs
// RUN: sinter-run %s --stats --shape=13x3 | FileCheck %s --check-prefix=KERNELS

// A segment of a chain of which no operand says how many rows there are: it only adds up.

// CHECK-COUNT-2: agrees
// KERNELS: "kernels": 1,

func.func @main(%x: tensor<2xf32>, %w: tensor<4x2xf32>, %v: tensor<3x4xf32>, %a: tensor<?x3xf32>)
    -> (tensor<f32>, tensor<?x4xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?x3xf32>
  %e = tensor.empty() : tensor<f32>
  %d = tensor.empty(%n) : tensor<?x4xf32>
  %r:2 = sinter.contract (i = ?) by (j = 3) by (o = 4)
      product (k = 2) (%x[k] : tensor<2xf32>, %w[o, k] : tensor<4x2xf32>) : f32
      matrix (j) to (o) (%v[j, o] : tensor<3x4xf32>)
      ins(%a[i, j] : tensor<?x3xf32>)
      reduce(add [] : f32)
      outs(%e[] : tensor<f32>, %d[i, o] : tensor<?x4xf32>)
      schedule(#sinter.brgemm<m = 5, n = 4, k = 2, lanes = 4, tasks = 2>) {
  ^row(%p: tensor<4xf32>, %m: tensor<3x4xf32>, %y: tensor<3xf32>):
    %s = sinter.row_reduce add %p : tensor<4xf32> -> f32
    %t = math.tanh %y : tensor<3xf32>
    %u = sinter.row_product %t, %m : tensor<3xf32>, tensor<3x4xf32> -> tensor<4xf32>
    sinter.yield %s, %u : f32, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<f32>, tensor<?x4xf32>
}

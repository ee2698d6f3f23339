// RUN: sinter-opt --sinter-arrange %s | FileCheck %s

// One row whose columns have nothing to do with each other: they are rows, and what was a broadcast is the number.

// CHECK-LABEL: func.func @gates
// CHECK: sinter.rowwise (i = 1024) by ()
// CHECK-NEXT: ins(%{{.*}}[i + 1024] : tensor<2048xf32>, %{{.*}}[i] : tensor<2048xf32>, %{{.*}}[] : tensor<f32>)
// CHECK: ^row(%[[A:.*]]: f32, %[[B:.*]]: f32, %[[C:.*]]: f32):
// CHECK: %[[E:.*]] = math.exp %[[A]] : f32
// CHECK: %[[M:.*]] = arith.mulf %[[E]], %[[B]] : f32
// CHECK: arith.addf %[[M]], %[[C]] : f32
func.func @gates(%g: tensor<2048xf32>, %c: tensor<f32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %y = sinter.rowwise () by (i = 1024)
      ins(%g[i + 1024] : tensor<2048xf32>, %g[i] : tensor<2048xf32>, %c[] : tensor<f32>)
      outs(%e[i] : tensor<1024xf32>) {
  ^row(%a: tensor<1024xf32>, %b: tensor<1024xf32>, %s: f32):
    %x = math.exp %a : tensor<1024xf32>
    %m = arith.mulf %x, %b : tensor<1024xf32>
    %t = sinter.broadcast %s : f32 -> tensor<1024xf32>
    %z = arith.addf %m, %t : tensor<1024xf32>
    sinter.yield %z : tensor<1024xf32>
  }
  return %y : tensor<1024xf32>
}

// A row that is reduced stays one; so do many rows, and elements that lie alike everywhere.

// CHECK-LABEL: func.func @others
// CHECK: sinter.rowwise () by (i = 1024)
// CHECK: sinter.rowwise (i = 1000) by (j = 8)
// CHECK: sinter.rowwise (i = 4) by (j = 8)
func.func @others(%g: tensor<2048xf32>, %x: tensor<1000x16xf32>, %f: tensor<4x8xf32>)
    -> (tensor<1024xf32>, tensor<1000x8xf32>, tensor<4x8xf32>) {
  %e = tensor.empty() : tensor<1024xf32>
  %y = sinter.rowwise () by (i = 1024) ins(%g[i + 1024] : tensor<2048xf32>) outs(%e[i] : tensor<1024xf32>) {
  ^row(%a: tensor<1024xf32>):
    %s = sinter.row_reduce add %a : tensor<1024xf32> -> f32
    %b = sinter.broadcast %s : f32 -> tensor<1024xf32>
    sinter.yield %b : tensor<1024xf32>
  }
  %d = tensor.empty() : tensor<1000x8xf32>
  %z = sinter.rowwise (i = 1000) by (j = 8) ins(%x[i, j + 8] : tensor<1000x16xf32>)
      outs(%d[i, j] : tensor<1000x8xf32>) {
  ^row(%a: tensor<8xf32>):
    %b = math.exp %a : tensor<8xf32>
    sinter.yield %b : tensor<8xf32>
  }
  %h = tensor.empty() : tensor<4x8xf32>
  %w = sinter.rowwise (i = 4) by (j = 8) ins(%f[i, j] : tensor<4x8xf32>) outs(%h[i, j] : tensor<4x8xf32>) {
  ^row(%a: tensor<8xf32>):
    %b = math.exp %a : tensor<8xf32>
    sinter.yield %b : tensor<8xf32>
  }
  return %y, %z, %w : tensor<1024xf32>, tensor<1000x8xf32>, tensor<4x8xf32>
}

// Nor do columns become rows where a result lacks them.

// CHECK-LABEL: func.func @number
// CHECK: sinter.rowwise () by (i = 8)
func.func @number(%x: tensor<16xf32>) -> (tensor<8xf32>, tensor<f32>) {
  %e = tensor.empty() : tensor<8xf32>
  %n = tensor.empty() : tensor<f32>
  %y:2 = sinter.rowwise () by (i = 8) ins(%x[i + 8] : tensor<16xf32>)
      outs(%e[i] : tensor<8xf32>, %n[] : tensor<f32>) {
  ^row(%a: tensor<8xf32>):
    %b = math.exp %a : tensor<8xf32>
    %c = arith.constant 1.0 : f32
    sinter.yield %b, %c : tensor<8xf32>, f32
  }
  return %y#0, %y#1 : tensor<8xf32>, tensor<f32>
}

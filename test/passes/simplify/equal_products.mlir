// RUN: sinter-opt --sinter-simplify %s | FileCheck %s

// One product for two that are equal, whatever their dimension is called and in whichever order their sides stand.

// CHECK-LABEL: func.func @equal
// CHECK:      sinter.contract (i = 4) by (j = 8)
// CHECK-NEXT:   product (k = 16) (%arg0[i, k] : tensor<4x16xf32>, %arg1[j, k] : tensor<8x16xf32>) : f32
// CHECK-NEXT:   product (m = 5) (%arg2[i, m] : tensor<4x5xf32>, %arg3[j, m] : tensor<8x5xf32>) : f32
// CHECK-NEXT:   outs
// CHECK-NEXT: ^row(%[[A:.*]]: tensor<8xf32>, %[[B:.*]]: tensor<8xf32>):
// CHECK-NEXT:   arith.subf %[[A]], %[[B]]
// CHECK-NEXT:   arith.mulf %[[A]], %{{.*}}
// CHECK-NEXT:   arith.addf %{{.*}}, %[[A]]
func.func @equal(%x: tensor<4x16xf32>, %w: tensor<8x16xf32>, %y: tensor<4x5xf32>, %v: tensor<8x5xf32>, %e: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %o = sinter.contract (i = 4) by (j = 8)
      product (k = 16) (%x[i, k] : tensor<4x16xf32>, %w[j, k] : tensor<8x16xf32>) : f32
      product (l = 16) (%w[j, l] : tensor<8x16xf32>, %x[i, l] : tensor<4x16xf32>) : f32
      product (m = 5) (%y[i, m] : tensor<4x5xf32>, %v[j, m] : tensor<8x5xf32>) : f32
      product (n = 16) (%x[i, n] : tensor<4x16xf32>, %w[j, n] : tensor<8x16xf32>) : f32
      outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%a: tensor<8xf32>, %b: tensor<8xf32>, %c: tensor<8xf32>, %d: tensor<8xf32>):
    %p = arith.subf %a, %c : tensor<8xf32>
    %q = arith.mulf %b, %p : tensor<8xf32>
    %r = arith.addf %q, %d : tensor<8xf32>
    sinter.yield %r : tensor<8xf32>
  }
  return %o : tensor<4x8xf32>
}

// Nobody reads the second, whose gather goes too; sizes `?` are still said. The third goes to another matrix.

// CHECK-LABEL: func.func @unread
// CHECK:      sinter.contract (i = ?) by (j = ?) by (o = 3)
// CHECK-NEXT:   product (k = 16) (%arg0[i, k] : tensor<?x16xf32>, %arg1[j, k] : tensor<?x16xf32>) : f32
// CHECK-NEXT:   product (m = 16) (%arg0[i, m] : tensor<?x16xf32>, %arg5[j, m] : tensor<?x16xf32>) : f32
// CHECK-NEXT:   matrix (j) to (o) (%arg2[j, o] : tensor<?x3xf32>)
func.func @unread(%x: tensor<?x16xf32>, %w: tensor<?x16xf32>, %m: tensor<?x3xf32>, %t: tensor<16xi64>, %e: tensor<?x3xf32>, %u: tensor<?x16xf32>) -> tensor<?x3xf32> {
  %o = sinter.contract (i = ?) by (j = ?) by (o = 3)
      product (k = 16) (%x[i, k] : tensor<?x16xf32>, %w[j, k] : tensor<?x16xf32>) : f32
      product (l = 16) (%x[i, l] : tensor<?x16xf32>, %w[%t[l] : tensor<16xi64>, l] : tensor<?x16xf32>) : f32
      product (m = 16) (%x[i, m] : tensor<?x16xf32>, %u[j, m] : tensor<?x16xf32>) : f32
      matrix (j) to (o) (%m[j, o] : tensor<?x3xf32>)
      outs(%e[i, o] : tensor<?x3xf32>) {
  ^row(%a: tensor<?xf32>, %b: tensor<?xf32>, %c: tensor<?xf32>, %n: tensor<?x3xf32>):
    %p = arith.mulf %a, %c : tensor<?xf32>
    %q = sinter.row_product %p, %n : tensor<?xf32>, tensor<?x3xf32> -> tensor<3xf32>
    sinter.yield %q : tensor<3xf32>
  }
  return %o : tensor<?x3xf32>
}

// Other types, other elements, another fill value.

// CHECK-LABEL: func.func @different
// CHECK-COUNT-4: product (
func.func @different(%x: tensor<4x16xf32>, %w: tensor<8x16xf32>, %e: tensor<4x8xf64>) -> tensor<4x8xf64> {
  %o = sinter.contract (i = 4) by (j = 8)
      product (k = 16) (%x[i, k] : tensor<4x16xf32>, %w[j, k] : tensor<8x16xf32>) : f32
      product (l = 16) (%x[i, l] : tensor<4x16xf32>, %w[j, l] : tensor<8x16xf32>) : f64
      product (m = 16) (%x[i, m] : tensor<4x16xf32>, %w[7 - j, m] : tensor<8x16xf32>) : f32
      product (n = 16) (%x[i, n - 1] : tensor<4x16xf32> else 0.0, %w[j, n] : tensor<8x16xf32>) : f32
      outs(%e[i, j] : tensor<4x8xf64>) {
  ^row(%a: tensor<8xf32>, %b: tensor<8xf64>, %c: tensor<8xf32>, %d: tensor<8xf32>):
    %p = arith.subf %a, %c : tensor<8xf32>
    %q = arith.mulf %p, %d : tensor<8xf32>
    %r = arith.extf %q : tensor<8xf32> to tensor<8xf64>
    %s = arith.addf %r, %b : tensor<8xf64>
    sinter.yield %s : tensor<8xf64>
  }
  return %o : tensor<4x8xf64>
}

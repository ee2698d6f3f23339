// RUN: sinter-run %s --wrt=0,1,2 --upstream --policy=aggressive --emit=fused | FileCheck %s

// What docs/differentiation.md shows of a network of two layers is what comes out: three forms, each product once.

// CHECK:      %[[F:.*]]:4 = sinter.contract (i = 8) by (j = 5) by (o1 = 3) by (k1 = 6)
// CHECK-NEXT:   product (k = 6) (%arg0[i, k] : tensor<8x6xf32>, %arg1[j, k] : tensor<5x6xf32>) : f32
// CHECK-NEXT:   product (o = 3) (%arg3[i, o] : tensor<8x3xf32>, %arg2[j, o] : tensor<5x3xf32>) : f32
// CHECK-NEXT:   matrix (j) to (o1) (%arg2[j, o1] : tensor<5x3xf32>)
// CHECK-NEXT:   matrix (j) to (k1) (%arg1[j, k1] : tensor<5x6xf32>)
// CHECK-NEXT:   outs
// CHECK-NEXT: ^row
// CHECK-COUNT-1: math.tanh
// CHECK-NOT:    math.tanh
// CHECK:        sinter.yield
// CHECK:      %[[DV:.*]] = sinter.contract (j = 5) by (o = 3)
// CHECK-NEXT:   product (i = 8) (%[[F]]#0[i, j] : tensor<8x5xf32>, %arg3[i, o] : tensor<8x3xf32>) : f32
// CHECK:      %[[DW:.*]] = sinter.contract (j = 5) by (k = 6)
// CHECK-NEXT:   product (i = 8) (%[[F]]#1[i, j] : tensor<8x5xf32>, %arg0[i, k] : tensor<8x6xf32>) : f32
// CHECK-NOT:  sinter.contract
// CHECK:      return %[[F]]#2, %[[F]]#3, %[[DW]], %[[DV]]

func.func @main(%x: tensor<8x6xf32>, %w: tensor<5x6xf32>, %v: tensor<5x3xf32>) -> tensor<8x3xf32> {
  %e = tensor.empty() : tensor<8x3xf32>
  %y = sinter.contract (i = 8) by (j = 5) by (o = 3)
      product (k = 6) (%x[i, k] : tensor<8x6xf32>, %w[j, k] : tensor<5x6xf32>) : f32
      matrix (j) to (o) (%v[j, o] : tensor<5x3xf32>)
      outs(%e[i, o] : tensor<8x3xf32>) {
  ^row(%a: tensor<5xf32>, %m: tensor<5x3xf32>):
    %h = math.tanh %a : tensor<5xf32>
    %o = sinter.row_product %h, %m : tensor<5xf32>, tensor<5x3xf32> -> tensor<3xf32>
    sinter.yield %o : tensor<3xf32>
  }
  return %y : tensor<8x3xf32>
}

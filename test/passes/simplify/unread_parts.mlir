// RUN: sinter-opt --sinter-simplify %s | FileCheck %s
// RUN: sinter-run %s --entry=matrix --verify
// RUN: sinter-run %s --entry=last_product --verify

// The matrix that nobody reads goes, then the group that it alone went to, and what is left is a plain form.

// CHECK-LABEL: func.func @matrix
// CHECK:      sinter.contract (i = 4) by (j = 8)
// CHECK-NEXT:   product (k = 16) (%arg0[i, k] : tensor<4x16xf32>, %arg1[j, k] : tensor<8x16xf32>) : f32
// CHECK-NEXT:   outs(%{{.+}}[i, j] : tensor<4x8xf32>) {
func.func @matrix(%x: tensor<4x16xf32>, %w: tensor<8x16xf32>, %v: tensor<8x3xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %o = sinter.contract (i = 4) by (j = 8) by (e = 3)
      product (k = 16) (%x[i, k] : tensor<4x16xf32>, %w[j, k] : tensor<8x16xf32>) : f32
      matrix (j) to (e) (%v[j, e] : tensor<8x3xf32>)
      outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%a: tensor<8xf32>, %m: tensor<8x3xf32>):
    %n = arith.negf %a : tensor<8xf32>
    sinter.yield %n : tensor<8xf32>
  }
  return %o : tensor<4x8xf32>
}

// A group in front of others goes; those behind it keep their matrices, and a side its program.

// CHECK-LABEL: func.func @first_group
// CHECK:      sinter.contract (i = 4) by (j = 8) by (e = 3)
// CHECK-NEXT:   product (k = 16) (side(%arg0[i, k] : tensor<4x16xf32>) {
// CHECK:        matrix (j) to (e) (%arg2[j, e] : tensor<8x3xf32>)
// CHECK-NEXT:   outs(%{{.+}}[i, e] : tensor<4x3xf32>) {
// CHECK-NEXT: ^row(%[[A:.+]]: tensor<8xf32>, %[[M:.+]]: tensor<8x3xf32>):
// CHECK-NEXT:   sinter.row_product %[[A]], %[[M]]
func.func @first_group(%x: tensor<4x16xf32>, %w: tensor<8x16xf32>, %v: tensor<8x3xf32>, %e: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %o = sinter.contract (i = 4) by (u = 5) by (j = 8) by (e = 3)
      product (k = 16) (side(%x[i, k] : tensor<4x16xf32>) {
      ^side(%s: tensor<16xf32>):
        %t = math.exp %s : tensor<16xf32>
        sinter.yield %t : tensor<16xf32>
      }, %w[j, k] : tensor<8x16xf32>) : f32
      matrix (j) to (e) (%v[j, e] : tensor<8x3xf32>)
      outs(%e[i, e] : tensor<4x3xf32>) {
  ^row(%a: tensor<8xf32>, %m: tensor<8x3xf32>):
    %n = sinter.row_product %a, %m : tensor<8xf32>, tensor<8x3xf32> -> tensor<3xf32>
    sinter.yield %n : tensor<3xf32>
  }
  return %o : tensor<4x3xf32>
}

// Without products it is a rowwise.

// CHECK-LABEL: func.func @last_product
// CHECK-NOT:  sinter.contract
// CHECK:      sinter.rowwise (i = 4) by (j = 8)
// CHECK-NEXT:   ins(%arg2[i, j] : tensor<4x8xf32>)
func.func @last_product(%x: tensor<4x16xf32>, %w: tensor<8x16xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %o = sinter.contract (i = 4) by (j = 8)
      product (k = 16) (%x[i, k] : tensor<4x16xf32>, %w[j, k] : tensor<8x16xf32>) : f32
      ins(%y[i, j] : tensor<4x8xf32>)
      outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%a: tensor<8xf32>, %b: tensor<8xf32>):
    %n = arith.negf %b : tensor<8xf32>
    sinter.yield %n : tensor<8xf32>
  }
  return %o : tensor<4x8xf32>
}

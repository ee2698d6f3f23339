// RUN: sinter-opt --sinter-differentiate %s | FileCheck %s

// A side that is read through an index has the gradient of a tensor with its elements, which is added up where they
// were read; nothing is gathered for it.

// CHECK-LABEL: func.func @through
// CHECK:       sinter.contract (j = 6) by (k = 3)
// CHECK-NEXT:    product (i = 4) (%arg3[i, j] : tensor<4x6xf32>, %arg2[i, k] : tensor<4x3xf32>) : f32
// CHECK-NEXT:    outs(%{{.*}}[j, k] : tensor<6x3xf32>)
// CHECK-NOT:     ins(%arg0[
// CHECK:       tm_tensor.scatter
func.func @through(%x: tensor<16x3xf32>, %t: tensor<6xi64>, %w: tensor<4x3xf32>, %g: tensor<4x6xf32>) -> tensor<16x3xf32> {
  %e = tensor.empty() : tensor<4x6xf32>
  %y = sinter.contract (i = 4) by (j = 6) product (k = 3) (%w[i, k] : tensor<4x3xf32>, %x[%t[j] : tensor<6xi64>, k] : tensor<16x3xf32>) : f32 outs(%e[i, j] : tensor<4x6xf32>) {
  ^row(%acc: tensor<6xf32>):
    sinter.yield %acc : tensor<6xf32>
  }
  %d = sinter.differentiate %y upstream(%g) wrt(%x) : (tensor<4x6xf32>, tensor<4x6xf32>, tensor<16x3xf32>) -> tensor<16x3xf32>
  return %d : tensor<16x3xf32>
}

// Packed weights: the gradient of the part, and 0 in the other parts.

// CHECK-LABEL: func.func @packed
// CHECK:       %[[PART:.+]] = sinter.contract (j = 6) by (k = 3)
// CHECK:       sinter.rowwise (d = 3, d1 = 6) by (d2 = 3)
// CHECK-NEXT:    ins(%[[PART]][d1, d2] : tensor<6x3xf32>)
// CHECK:         sinter.index d
// CHECK:         arith.select
func.func @packed(%x: tensor<3x6x3xf32>, %w: tensor<4x3xf32>, %g: tensor<4x6xf32>) -> tensor<3x6x3xf32> {
  %e = tensor.empty() : tensor<4x6xf32>
  %y = sinter.contract (i = 4) by (j = 6) product (k = 3) (%w[i, k] : tensor<4x3xf32>, %x[2, j, k] : tensor<3x6x3xf32>) : f32 outs(%e[i, j] : tensor<4x6xf32>) {
  ^row(%acc: tensor<6xf32>):
    sinter.yield %acc : tensor<6xf32>
  }
  %d = sinter.differentiate %y upstream(%g) wrt(%x) : (tensor<4x6xf32>, tensor<4x6xf32>, tensor<3x6x3xf32>) -> tensor<3x6x3xf32>
  return %d : tensor<3x6x3xf32>
}

// What no side uses is summed first.

// CHECK-LABEL: func.func @unused
// CHECK:       %[[SUM:.+]] = sinter.rowwise (j = 8) by (i = 4)
// CHECK:         sinter.row_reduce add
// CHECK:       sinter.contract
// CHECK-NEXT:    product (j = 8) (%[[SUM]][j]
func.func @unused(%x: tensor<16xf32>, %w: tensor<8x16xf32>, %g: tensor<4x8xf32>) -> tensor<16xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %y = sinter.contract (i = 4) by (j = 8)
      product (k = 16) (%x[k] : tensor<16xf32>, %w[j, k] : tensor<8x16xf32>) : f32
      outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%acc: tensor<8xf32>):
    sinter.yield %acc : tensor<8xf32>
  }
  %d = sinter.differentiate %y upstream(%g) wrt(%x) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<16xf32>) -> tensor<16xf32>
  return %d : tensor<16xf32>
}
// Heads that are some columns of a matrix: the gradient of the heads, which is a product each, put where they were.

// CHECK-LABEL: func.func @some_columns
// CHECK:       %[[HEADS:.+]] = sinter.contract (i = 2, k = 6) by (l = 4)
// CHECK-NEXT:    product (j = 5) (%arg2[i, j, k] : {{.*}}, %arg0[0, j, i, l] : tensor<1x5x2x4xf32>) : f32
// CHECK:       sinter.rowwise (d = 6) by (d1 = 16)
// CHECK-NEXT:    ins(%[[HEADS]][(d1 - 5) floordiv 4, d, d1 - ((d1 - 5) floordiv 4) * 4 - 5] : {{.*}} else 0.0
func.func @some_columns(%q: tensor<1x5x2x4xf32>, %kv: tensor<6x16xf32>, %g: tensor<2x5x6xf32>) -> tensor<6x16xf32> {
  %e = tensor.empty() : tensor<2x5x6xf32>
  %s = sinter.contract (i = 2, j = 5) by (k = 6)
      product (l = 4) (%q[0, j, i, l] : tensor<1x5x2x4xf32>, %kv[k, i * 4 + l + 5] : tensor<6x16xf32>) : f32
      outs(%e[i, j, k] : tensor<2x5x6xf32>) {
  ^row(%acc: tensor<6xf32>):
    sinter.yield %acc : tensor<6xf32>
  }
  %d = sinter.differentiate %s upstream(%g) wrt(%kv) : (tensor<2x5x6xf32>, tensor<2x5x6xf32>, tensor<6x16xf32>) -> tensor<6x16xf32>
  return %d : tensor<6x16xf32>
}

// RUN: sinter-opt --sinter-arrange %s | FileCheck %s
// RUN: sinter-opt --sinter-arrange=chip=sm_80 %s | FileCheck %s

// Groups of a sum: what is two dimensions in one side and one subscript in the other is one of both.

// CHECK-LABEL: func @groups
//       CHECK:   %[[W:.+]] = tensor.collapse_shape %arg1 {{\[\[}}0], [1, 2]] : tensor<24x3x8xbf16> into tensor<24x24xbf16>
//       CHECK:   sinter.contract (i = 16) by (j = 24)
//  CHECK-NEXT:     product (l = 24) (%arg0[i, l] : tensor<16x24xbf16>, %[[W]][j, l] : tensor<24x24xbf16>) : f32
func.func @groups(%x: tensor<16x24xbf16>, %w: tensor<24x3x8xbf16>, %e: tensor<16x24xf32>) -> tensor<16x24xf32> {
  %0 = sinter.contract (i = 16) by (j = 24)
      product (k = 3, l = 8) (%x[i, k * 8 + l] : tensor<16x24xbf16>, %w[j, k, l] : tensor<24x3x8xbf16>) : f32
      outs(%e[i, j] : tensor<16x24xf32>) {
  ^row(%acc: tensor<24xf32>):
    sinter.yield %acc : tensor<24xf32>
  }
  return %0 : tensor<16x24xf32>
}

// Numbers of four bits, two to a byte: three are one.

// CHECK-LABEL: func @nibbles
//       CHECK:   product (m = 48) (%arg0[i, m] : tensor<16x48xbf16>, %{{.+}}[j, m] : tensor<24x48xbf16>) : f32
func.func @nibbles(%x: tensor<16x48xbf16>, %w: tensor<24x3x8x2xbf16>, %e: tensor<16x24xf32>) -> tensor<16x24xf32> {
  %0 = sinter.contract (i = 16) by (j = 24)
      product (k = 3, l = 8, m = 2)
        (%x[i, k * 16 + l * 2 + m] : tensor<16x48xbf16>, %w[j, k, l, m] : tensor<24x3x8x2xbf16>) : f32
      outs(%e[i, j] : tensor<16x24xf32>) {
  ^row(%acc: tensor<24xf32>):
    sinter.yield %acc : tensor<24xf32>
  }
  return %0 : tensor<16x24xf32>
}

// In another order, a part of a dimension, a step between: they stay.

// CHECK-LABEL: func @stay
//       CHECK:   product (k = 3, l = 8) (%arg0[i, l, k]
//       CHECK:   product (k = 3, l = 8) (%arg2[i, k * 9 + l]
//       CHECK:   product (k = 3, l = 7) (%arg2[i, k * 7 + l]
func.func @stay(%x: tensor<16x8x3xbf16>, %w: tensor<24x3x8xbf16>, %y: tensor<16x30xbf16>, %e: tensor<16x24xf32>) -> (tensor<16x24xf32>, tensor<16x24xf32>, tensor<16x24xf32>) {
  %0 = sinter.contract (i = 16) by (j = 24)
      product (k = 3, l = 8) (%x[i, l, k] : tensor<16x8x3xbf16>, %w[j, k, l] : tensor<24x3x8xbf16>) : f32
      outs(%e[i, j] : tensor<16x24xf32>) {
  ^row(%acc: tensor<24xf32>):
    sinter.yield %acc : tensor<24xf32>
  }
  %1 = sinter.contract (i = 16) by (j = 24)
      product (k = 3, l = 8) (%y[i, k * 9 + l] : tensor<16x30xbf16>, %w[j, k, l] : tensor<24x3x8xbf16>) : f32
      outs(%e[i, j] : tensor<16x24xf32>) {
  ^row(%acc: tensor<24xf32>):
    sinter.yield %acc : tensor<24xf32>
  }
  %2 = sinter.contract (i = 16) by (j = 24)
      product (k = 3, l = 7) (%y[i, k * 7 + l] : tensor<16x30xbf16>, %w[j, k, l] : tensor<24x3x8xbf16>) : f32
      outs(%e[i, j] : tensor<16x24xf32>) {
  ^row(%acc: tensor<24xf32>):
    sinter.yield %acc : tensor<24xf32>
  }
  return %0, %1, %2 : tensor<16x24xf32>, tensor<16x24xf32>, tensor<16x24xf32>
}

// Columns of rows that are summed: one, where they lie behind one another in all that is read. An operation that names
// a dimension keeps them apart, and so does a result that has them.

// CHECK-LABEL: func.func @columns
// CHECK: %[[H:.*]] = tensor.collapse_shape %{{.*}} {{\[\[}}0], [1, 2]]
// CHECK: %[[X:.*]] = tensor.collapse_shape %[[H]] {{\[\[}}0, 1]]
// CHECK: sinter.rowwise (j = 16) by (m = 64)
// CHECK-NEXT: ins(%[[X]][m] : tensor<64xf32>, %{{.*}}[j, m] : tensor<16x64xf32>)
// CHECK: sinter.rowwise (j = 16) by (k = 8, l = 8)
func.func @columns(%x: tensor<2x4x8xf32>, %w: tensor<16x64xf32>, %v: tensor<8x8xf32>)
    -> (tensor<16xf32>, tensor<16x8x8xf32>) {
  %e = tensor.empty() : tensor<16xf32>
  %y = sinter.rowwise (j = 16) by (k = 2, l = 4, m = 8)
      ins(%x[k, l, m] : tensor<2x4x8xf32>, %w[j, k * 32 + l * 8 + m] : tensor<16x64xf32>) outs(%e[j] : tensor<16xf32>) {
  ^row(%a: tensor<64xf32>, %b: tensor<64xf32>):
    %p = arith.mulf %a, %b : tensor<64xf32>
    %s = sinter.row_reduce add %p : tensor<64xf32> -> f32
    sinter.yield %s : f32
  }
  %d = tensor.empty() : tensor<16x8x8xf32>
  %z = sinter.rowwise (j = 16) by (k = 8, l = 8) ins(%v[k, l] : tensor<8x8xf32>, %y[j] : tensor<16xf32>)
      outs(%d[j, k, l] : tensor<16x8x8xf32>) {
  ^row(%a: tensor<64xf32>, %t: f32):
    %s = sinter.row_reduce add %a : tensor<64xf32> -> f32
    %u = arith.addf %s, %t : f32
    %b = sinter.broadcast %u : f32 -> tensor<64xf32>
    sinter.yield %b : tensor<64xf32>
  }
  return %y, %z : tensor<16xf32>, tensor<16x8x8xf32>
}

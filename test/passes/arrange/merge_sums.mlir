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

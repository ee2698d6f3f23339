// RUN: sinter-run %s --emit=scheduled | FileCheck %s

// A product by weights that are to be packed stays one, as it is: neither is a sum of each row made of it where it has
// one column, nor are phases of its taps where its image has zeros between the elements.

// CHECK-LABEL: func.func @column
// CHECK:         sinter.contract
// CHECK-LABEL: func.func @taps
// CHECK:         sinter.contract
// CHECK-NEXT:      product (m = 4, n = 4, o = 8)
func.func @column(%x: tensor<3x40xf32>, %w: tensor<40x1xf32> {sinter.pack}) -> tensor<3x1xf32> {
  %zero = arith.constant 0.0 : f32
  %o = tensor.empty() : tensor<3x1xf32>
  %z = linalg.fill ins(%zero : f32) outs(%o : tensor<3x1xf32>) -> tensor<3x1xf32>
  %y = linalg.matmul ins(%x, %w : tensor<3x40xf32>, tensor<40x1xf32>) outs(%z : tensor<3x1xf32>) -> tensor<3x1xf32>
  return %y : tensor<3x1xf32>
}

func.func @taps(%x: tensor<2x7x7x8xf32>, %w: tensor<4x4x8x16xf32> {sinter.pack}) -> tensor<2x14x14x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x17x17x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x17x17x8xf32>) -> tensor<2x17x17x8xf32>
  %s = tensor.insert_slice %x into %f[0, 2, 2, 0] [2, 7, 7, 8] [1, 2, 2, 1] : tensor<2x7x7x8xf32> into tensor<2x17x17x8xf32>
  %o = tensor.empty() : tensor<2x14x14x16xf32>
  %z = linalg.fill ins(%zero : f32) outs(%o : tensor<2x14x14x16xf32>) -> tensor<2x14x14x16xf32>
  %y = linalg.conv_2d_nhwc_hwcf ins(%s, %w : tensor<2x17x17x8xf32>, tensor<4x4x8x16xf32>) outs(%z : tensor<2x14x14x16xf32>) -> tensor<2x14x14x16xf32>
  return %y : tensor<2x14x14x16xf32>
}

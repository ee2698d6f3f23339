// RUN: sinter-opt --sinter-split-groups --split-input-file %s | FileCheck %s
// RUN: sinter-opt --sinter-split-groups --sinter-fuse --split-input-file %s | FileCheck %s --check-prefix=FUSED

// A norm of groups: channels become groups of channels, whose number is the group's. Then it is one kernel.

// CHECK-LABEL: func @norm
//       CHECK:   %[[M:.+]] = sinter.rowwise (i = 3, j = 4) by (k = 2, l = 5)
//       CHECK:   %[[Y:.+]] = sinter.rowwise (i = 3, j = 4, c = 2) by (l = 5)
//  CHECK-NEXT:     ins(%{{.+}}[i, j * 2 + c, l] : tensor<3x8x5xf32>, %[[M]][i, j] : tensor<3x4xf32>, %{{.+}}[j * 2 + c] : tensor<8xf32>)
//  CHECK-NEXT:     outs(%{{.+}}[i, j, c, l] : tensor<3x4x2x5xf32>)
//       CHECK:   tensor.collapse_shape %[[Y]] {{\[\[}}0], [1, 2], [3]] : tensor<3x4x2x5xf32> into tensor<3x8x5xf32>
// FUSED-LABEL: func @norm
//       FUSED:   sinter.rowwise (i = 3, j = 4) by (k = 2, l = 5)
//   FUSED-NOT:   sinter.rowwise
//       FUSED:   tensor.collapse_shape
func.func @norm(%x: tensor<3x8x5xf32>, %w: tensor<8xf32>, %e: tensor<3x4xf32>) -> tensor<3x8x5xf32> {
  %m = sinter.rowwise (i = 3, j = 4) by (k = 2, l = 5) ins(%x[i, j * 2 + k, l] : tensor<3x8x5xf32>) outs(%e[i, j] : tensor<3x4xf32>) {
  ^row(%a: tensor<10xf32>):
    %s = sinter.row_reduce add %a : tensor<10xf32> -> f32
    sinter.yield %s : f32
  }
  %f = tensor.empty() : tensor<3x8x5xf32>
  %y = sinter.rowwise (i = 3, j = 8) by (l = 5)
      ins(%x[i, j, l] : tensor<3x8x5xf32>, %m[i, j floordiv 2] : tensor<3x4xf32>, %w[j] : tensor<8xf32>)
      outs(%f[i, j, l] : tensor<3x8x5xf32>) {
  ^row(%a: tensor<5xf32>, %b: f32, %c: f32):
    %q = arith.mulf %b, %c : f32
    %d = sinter.broadcast %q : f32 -> tensor<5xf32>
    %s = arith.subf %a, %d : tensor<5xf32>
    sinter.yield %s : tensor<5xf32>
  }
  return %y : tensor<3x8x5xf32>
}

// -----

// An argument's numbers of groups: nothing would fuse.

// CHECK-LABEL: func @argument
//       CHECK:   sinter.rowwise (i = 3, j = 8) by (l = 5)
func.func @argument(%x: tensor<3x8x5xf32>, %m: tensor<3x4xf32>) -> tensor<3x8x5xf32> {
  %f = tensor.empty() : tensor<3x8x5xf32>
  %y = sinter.rowwise (i = 3, j = 8) by (l = 5) ins(%x[i, j, l] : tensor<3x8x5xf32>, %m[i, j floordiv 2] : tensor<3x4xf32>)
      outs(%f[i, j, l] : tensor<3x8x5xf32>) {
  ^row(%a: tensor<5xf32>, %b: f32):
    %d = sinter.broadcast %b : f32 -> tensor<5xf32>
    %s = arith.subf %a, %d : tensor<5xf32>
    sinter.yield %s : tensor<5xf32>
  }
  return %y : tensor<3x8x5xf32>
}

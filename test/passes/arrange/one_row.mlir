// RUN: sinter-opt --sinter-arrange --split-input-file %s | FileCheck %s

// Rows of one element become one row, whose elements are combined before it is.

// CHECK-LABEL: func @one
//  CHECK-SAME:   (%[[X:.+]]: tensor<4099xf16>, %[[N:[a-z0-9]+]]: tensor<f32>
//       CHECK:   %[[Y:.+]] = tensor.expand_shape %[[X]] {{\[\[}}0, 1]] output_shape [1, 4099]
//       CHECK:   sinter.rowwise (one = 1) by (i = 4099)
//  CHECK-NEXT:     ins(%[[Y]][one, i] : tensor<1x4099xf16>, %[[N]][] : tensor<f32>)
//  CHECK-NEXT:     reduce(add [] : f32)
//       CHECK:   ^row(%[[A:.+]]: tensor<4099xf16>, %{{.+}}: f32):
//       CHECK:     %[[W:.+]] = arith.extf %[[A]] : tensor<4099xf16> to tensor<4099xf32>
//       CHECK:     %[[S:.+]] = sinter.row_reduce add %[[W]]
//       CHECK:     sinter.yield %[[S]] : f32
//       CHECK:   ^done(%[[T:.+]]: f32, %[[M:.+]]: f32):
//       CHECK:     arith.divf %[[T]], %[[M]]
func.func @one(%x: tensor<4099xf16>, %n: tensor<f32>, %e: tensor<f32>) -> tensor<f32> {
  %y = sinter.rowwise (i = 4099) by () ins(%x[i] : tensor<4099xf16>, %n[] : tensor<f32>) reduce(add [] : f32) outs(%e[] : tensor<f32>) {
  ^row(%a: f16, %b: f32):
    %w = arith.extf %a : f16 to f32
    sinter.yield %w : f32
  } finish {
  ^done(%s: f32, %m: f32):
    %q = arith.divf %s, %m : f32
    sinter.yield %q : f32
  }
  return %y : tensor<f32>
}

// -----

// Of several dimensions the last one is columns; sizes `?` are asked for.

// CHECK-LABEL: func @several
//       CHECK:   sinter.rowwise (i = ?) by (j = ?)
//  CHECK-NEXT:     ins(%{{.+}}[i, j] : tensor<?x?xf32>)
//       CHECK:     sinter.row_reduce maximumf
func.func @several(%x: tensor<?x?xf32>, %e: tensor<f32>) -> tensor<f32> {
  %y = sinter.rowwise (i = ?, j = ?) by () ins(%x[i, j] : tensor<?x?xf32>) reduce(maximumf [] : f32) outs(%e[] : tensor<f32>) {
  ^row(%a: f32):
    sinter.yield %a : f32
  }
  return %y : tensor<f32>
}

// CHECK-LABEL: func @open
//       CHECK:   %[[N:.+]] = tensor.dim
//       CHECK:   tensor.expand_shape %{{.+}} output_shape [1, %[[N]]]
//       CHECK:   sinter.rowwise (one = 1) by (i = ?)
func.func @open(%x: tensor<?xf32>, %e: tensor<f32>) -> tensor<f32> {
  %y = sinter.rowwise (i = ?) by () ins(%x[i] : tensor<?xf32>) reduce(maximumf [] : f32) outs(%e[] : tensor<f32>) {
  ^row(%a: f32):
    sinter.yield %a : f32
  }
  return %y : tensor<f32>
}

// -----

// What knows its row, or stores something of it, stays.

// CHECK-LABEL: func @index
//       CHECK:   sinter.rowwise (i = 64) by ()
func.func @index(%x: tensor<64xindex>, %e: tensor<index>) -> tensor<index> {
  %y = sinter.rowwise (i = 64) by () ins(%x[i] : tensor<64xindex>) reduce(add [] : index) outs(%e[] : tensor<index>) {
  ^row(%a: index):
    %i = sinter.index i : index
    %b = arith.muli %a, %i : index
    sinter.yield %b : index
  }
  return %y : tensor<index>
}

// CHECK-LABEL: func @stored
//       CHECK:   sinter.rowwise (i = 64) by ()
func.func @stored(%x: tensor<64xf32>, %e: tensor<f32>, %d: tensor<64xf32>) -> (tensor<f32>, tensor<64xf32>) {
  %y, %z = sinter.rowwise (i = 64) by () ins(%x[i] : tensor<64xf32>) reduce(add [] : f32) outs(%e[] : tensor<f32>, %d[i] : tensor<64xf32>) {
  ^row(%a: f32):
    %b = arith.addf %a, %a : f32
    sinter.yield %a, %b : f32, f32
  }
  return %y, %z : tensor<f32>, tensor<64xf32>
}

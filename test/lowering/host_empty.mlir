// RUN: sinter-opt --sinter-empty --split-input-file %s | FileCheck %s

// An empty part is left out; where one part is left, nothing is put together.

// CHECK-LABEL: func @parts
//  CHECK-SAME:   (%[[X:.+]]: tensor<4x0xf32>, %[[Y:.+]]: tensor<4x3xf32>, %[[Z:.+]]: tensor<4x?xf32>)
//       CHECK:   %[[C:.+]] = tensor.concat dim(1) %[[Y]], %[[Z]] : (tensor<4x3xf32>, tensor<4x?xf32>) -> tensor<4x?xf32>
//       CHECK:   %[[W:.+]] = tensor.cast %[[Y]] : tensor<4x3xf32> to tensor<4x?xf32>
//       CHECK:   return %[[Y]], %[[C]], %[[W]]
func.func @parts(%x: tensor<4x0xf32>, %y: tensor<4x3xf32>, %z: tensor<4x?xf32>) -> (tensor<4x3xf32>, tensor<4x?xf32>, tensor<4x?xf32>) {
  %a = tensor.concat dim(1) %x, %y, %x : (tensor<4x0xf32>, tensor<4x3xf32>, tensor<4x0xf32>) -> tensor<4x3xf32>
  %b = tensor.concat dim(1) %y, %x, %z : (tensor<4x3xf32>, tensor<4x0xf32>, tensor<4x?xf32>) -> tensor<4x?xf32>
  %c = tensor.concat dim(1) %y, %x : (tensor<4x3xf32>, tensor<4x0xf32>) -> tensor<4x?xf32>
  return %a, %b, %c : tensor<4x3xf32>, tensor<4x?xf32>, tensor<4x?xf32>
}

// -----

// Parts of no element have a size still.

// CHECK-LABEL: func @no_element
//  CHECK-SAME:   (%[[X:.+]]: tensor<?x0xf32>, %[[Y:.+]]: tensor<3x0xf32>)
//   CHECK-NOT:   tensor.concat
//       CHECK:   %[[M:.+]] = tensor.dim %[[X]], %{{.+}} : tensor<?x0xf32>
//       CHECK:   %[[N:.+]] = tensor.dim %[[Y]], %{{.+}} : tensor<3x0xf32>
//       CHECK:   %[[S:.+]] = arith.addi %[[M]], %[[N]]
//       CHECK:   %[[E:.+]] = tensor.empty(%[[S]]) : tensor<?x0xf32>
//       CHECK:   return %[[E]]
func.func @no_element(%x: tensor<?x0xf32>, %y: tensor<3x0xf32>) -> tensor<?x0xf32> {
  %c = tensor.concat dim(0) %x, %y : (tensor<?x0xf32>, tensor<3x0xf32>) -> tensor<?x0xf32>
  return %c : tensor<?x0xf32>
}

// -----

// Around nothing there is only what it is padded with.

// CHECK-LABEL: func @padded
//  CHECK-SAME:   (%[[X:.+]]: tensor<?x0xf32>, %[[A:.+]]: f32, %[[L:.+]]: index)
//   CHECK-NOT:   tensor.pad
//       CHECK:   %[[M:.+]] = tensor.dim %[[X]]
//       CHECK:   %[[P:.+]] = arith.addi %[[M]], %{{.+}}
//       CHECK:   %[[S:.+]] = arith.addi %[[P]], %[[L]]
//       CHECK:   tensor.generate %[[S]]
//  CHECK-NEXT:   ^bb0(%{{.+}}: index, %{{.+}}: index):
//  CHECK-NEXT:     tensor.yield %[[A]] : f32
func.func @padded(%x: tensor<?x0xf32>, %a: f32, %l: index) -> tensor<?x2xf32> {
  %p = tensor.pad %x low[1, 2] high[%l, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %a : f32
  } : tensor<?x0xf32> to tensor<?x2xf32>
  return %p : tensor<?x2xf32>
}

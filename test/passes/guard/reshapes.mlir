// RUN: sinter-opt --sinter-guard-reshapes --split-input-file %s | FileCheck %s

// A size that the operand has to be divided by: it is the quotient, and nothing is left over.

// CHECK-LABEL: func @quotient
//  CHECK-SAME:   (%[[X:.+]]: tensor<2x?xf32>, %[[M:.+]]: index)
//       CHECK:   %[[N:.+]] = tensor.dim %[[X]]
//       CHECK:   %[[Q:.+]] = arith.divsi %[[N]], %[[C12:.+]] : index
//       CHECK:   %[[ONE:.+]] = arith.cmpi eq, %[[M]], %[[Q]]
//       CHECK:   %[[R:.+]] = arith.remsi %[[N]], %[[C12]] : index
//       CHECK:   %[[NONE:.+]] = arith.cmpi eq, %[[R]], %{{.+}}
//       CHECK:   %[[OK:.+]] = arith.andi %[[ONE]], %[[NONE]]
//       CHECK:   cf.assert %[[OK]], "{{.*}}:{{[0-9]+}}:8: a reshape has another number of elements than its operand"
//       CHECK:   tensor.expand_shape
func.func @quotient(%x: tensor<2x?xf32>, %m: index) -> tensor<2x3x?x4xf32> {
  %y = tensor.expand_shape %x [[0], [1, 2, 3]] output_shape [2, 3, %m, 4] : tensor<2x?xf32> into tensor<2x3x?x4xf32>
  return %y : tensor<2x3x?x4xf32>
}

// -----

// Two of them: none is negative, and they multiply to the operand's.

// CHECK-LABEL: func @product
//  CHECK-SAME:   (%{{.+}}: tensor<?xf32>, %[[M:.+]]: index, %[[N:.+]]: index)
//       CHECK:   arith.cmpi sge, %[[M]], %[[ZERO:.+]] : index
//       CHECK:   arith.cmpi sge, %[[N]], %[[ZERO]] : index
//       CHECK:   cf.assert
func.func @product(%x: tensor<?xf32>, %m: index, %n: index) -> tensor<?x?xf32> {
  %y = tensor.expand_shape %x [[0, 1]] output_shape [%m, %n] : tensor<?xf32> into tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// -----

// What follows from how the sizes are computed is not asserted; nor are sizes that are numbers.

// CHECK-LABEL: func @known
//   CHECK-NOT:   cf.assert
//       CHECK:   return
func.func @known(%x: tensor<?x6xf32>, %z: tensor<12xf32>) -> (tensor<2x?x3xf32>, tensor<3x4xf32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c12 = arith.constant 12 : index
  %n = tensor.dim %x, %c0 : tensor<?x6xf32>
  %flat = tensor.collapse_shape %x [[0, 1]] : tensor<?x6xf32> into tensor<?xf32>
  %m = arith.muli %n, %c12 : index
  %h = arith.divsi %m, %c12 : index
  %y = tensor.expand_shape %flat [[0, 1, 2]] output_shape [2, %h, 3] : tensor<?xf32> into tensor<2x?x3xf32>
  %w = tensor.expand_shape %z [[0, 1]] output_shape [3, 4] : tensor<12xf32> into tensor<3x4xf32>
  return %y, %w : tensor<2x?x3xf32>, tensor<3x4xf32>
}

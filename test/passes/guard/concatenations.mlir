// RUN: sinter-opt --sinter-guard-reshapes --split-input-file %s | FileCheck %s

// Parts have one size in every other dimension.

// CHECK-LABEL: func @rows
//  CHECK-SAME:   (%[[X:.+]]: tensor<?x?xf32>, %[[Y:.+]]: tensor<?x?xf32>)
//       CHECK:   %[[N:.+]] = tensor.dim %[[Y]], %c0
//       CHECK:   %[[M:.+]] = tensor.dim %[[X]], %c0
//       CHECK:   %[[OK:.+]] = arith.cmpi eq, %[[N]], %[[M]]
//       CHECK:   cf.assert %[[OK]], "{{.*}}:{{[0-9]+}}:8: parts of a concatenation have other sizes than the whole"
//       CHECK:   tensor.concat
func.func @rows(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %z = tensor.concat dim(1) %x, %y : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %z : tensor<?x?xf32>
}

// -----

// A number in one of them is that of all.

// CHECK-LABEL: func @number
//  CHECK-SAME:   (%[[X:.+]]: tensor<?x2xf32>, %[[Y:.+]]: tensor<5x3xf32>, %[[Z:.+]]: tensor<?x2xf32>)
//       CHECK:   %[[N:.+]] = tensor.dim %[[X]]
//       CHECK:   %[[ONE:.+]] = arith.cmpi eq, %[[N]], %c5
//       CHECK:   %[[M:.+]] = tensor.dim %[[Z]]
//       CHECK:   %[[TWO:.+]] = arith.cmpi eq, %[[M]], %c5
//       CHECK:   arith.andi %[[ONE]], %[[TWO]]
//  CHECK-NEXT:   cf.assert
//   CHECK-NOT:   cf.assert
func.func @number(%x: tensor<?x2xf32>, %y: tensor<5x3xf32>, %z: tensor<?x2xf32>) -> tensor<?x7xf32> {
  %r = tensor.concat dim(1) %x, %y, %z : (tensor<?x2xf32>, tensor<5x3xf32>, tensor<?x2xf32>) -> tensor<?x7xf32>
  return %r : tensor<?x7xf32>
}

// -----

// So is the number of elements that the whole has along the dimension.

// CHECK-LABEL: func @sum
//       CHECK:   %[[SUM:.+]] = arith.addi
//       CHECK:   %[[OK:.+]] = arith.cmpi eq, %[[SUM]], %c8
//       CHECK:   cf.assert %[[OK]]
func.func @sum(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<8xf32> {
  %r = tensor.concat dim(0) %x, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

// What follows from how the sizes are computed is not asserted.

// CHECK-LABEL: func @known
//   CHECK-NOT:   cf.assert
//       CHECK:   return
func.func @known(%x: tensor<?x6xf32>, %y: tensor<2x6xf32>) -> (tensor<?x12xf32>, tensor<?x6xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x6xf32>
  %e = tensor.empty(%n) : tensor<?x6xf32>
  %a = linalg.exp ins(%x : tensor<?x6xf32>) outs(%e : tensor<?x6xf32>) -> tensor<?x6xf32>
  %r = tensor.concat dim(1) %x, %a : (tensor<?x6xf32>, tensor<?x6xf32>) -> tensor<?x12xf32>
  %s = tensor.concat dim(0) %x, %y : (tensor<?x6xf32>, tensor<2x6xf32>) -> tensor<?x6xf32>
  return %r, %s : tensor<?x12xf32>, tensor<?x6xf32>
}

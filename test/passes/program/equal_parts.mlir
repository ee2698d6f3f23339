// RUN: sinter-opt --pass-pipeline='builtin.module(sinter-known-sizes,canonicalize,cse)' --split-input-file %s | FileCheck %s

// Equal parts that are put side by side are a dimension of their own; folded and unfolded, the reshapes cancel.

// CHECK-LABEL: func @beside
//  CHECK-SAME:   (%[[X:.+]]: tensor<4x?x9xf32>, %[[Y:.+]]: tensor<4x?x9xf32>)
//       CHECK:   %[[N:.+]] = tensor.dim %[[X]]
//       CHECK:   cf.assert
//   CHECK-DAG:   %[[X1:.+]] = tensor.expand_shape %[[X]] {{\[\[}}0], [1, 2], [3]] output_shape [4, 1, %[[N]], 9]
//   CHECK-DAG:   %[[Y1:.+]] = tensor.expand_shape %[[Y]] {{\[\[}}0], [1, 2], [3]] output_shape [4, 1, %[[N]], 9]
//       CHECK:   %[[C:.+]] = tensor.concat dim(1) %[[X1]], %[[Y1]] : {{.*}} -> tensor<4x2x?x9xf32>
//       CHECK:   %[[R:.+]] = tensor.collapse_shape %[[C]] {{\[\[}}0], [1, 2], [3]]
//       CHECK:   return %[[R]]
func.func @beside(%x: tensor<4x?x9xf32>, %y: tensor<4x?x9xf32>) -> tensor<4x?x9xf32> {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<4x?x9xf32>
  %m = tensor.dim %y, %c1 : tensor<4x?x9xf32>
  %ok = arith.cmpi eq, %n, %m : index
  cf.assert %ok, "as many"
  %c = tensor.concat dim(1) %x, %y : (tensor<4x?x9xf32>, tensor<4x?x9xf32>) -> tensor<4x?x9xf32>
  return %c : tensor<4x?x9xf32>
}

// -----

// Parts of which nobody knows that they are equal are put side by side as they are, and so are known ones.

// CHECK-LABEL: func @unequal
//       CHECK:   tensor.concat dim(0) %arg0, %arg1 :
//       CHECK:   tensor.concat dim(0) %arg2, %arg2 :
//   CHECK-NOT:   expand_shape
func.func @unequal(%x: tensor<?x9xf32>, %y: tensor<?x9xf32>, %z: tensor<4x?xf32>) -> (tensor<?x9xf32>, tensor<8x?xf32>) {
  %c = tensor.concat dim(0) %x, %y : (tensor<?x9xf32>, tensor<?x9xf32>) -> tensor<?x9xf32>
  %d = tensor.concat dim(0) %z, %z : (tensor<4x?xf32>, tensor<4x?xf32>) -> tensor<8x?xf32>
  return %c, %d : tensor<?x9xf32>, tensor<8x?xf32>
}

// -----

// One of the equal parts that a size is made of is taken by its number, other dimensions as they were.

// CHECK-LABEL: func @parts
//  CHECK-SAME:   (%[[X:.+]]: tensor<?x?xf32>, %[[FROM:[^:]+]]: index)
//       CHECK:   cf.assert
//       CHECK:   %[[P:.+]] = arith.divsi
//       CHECK:   %[[E:.+]] = tensor.expand_shape %[[X]] {{\[\[}}0, 1], [2]] output_shape [3, %[[P]], %{{.+}}]
//       CHECK:   %[[A:.+]] = tensor.extract_slice %[[E]][0, 0, %[[FROM]]] [1, %[[P]], 7] [1, 1, 2]
//       CHECK:   tensor.collapse_shape %[[A]] {{\[\[}}0, 1], [2]]
//       CHECK:   %[[B:.+]] = tensor.extract_slice %[[E]][2, 0, 0] [1, %[[P]], %[[FROM]]] [1, 1, 1]
//       CHECK:   tensor.collapse_shape %[[B]] {{\[\[}}0, 1], [2]]
func.func @parts(%x: tensor<?x?xf32>, %from: index) -> (tensor<?x7xf32>, tensor<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %r = arith.remsi %n, %c3 : index
  %ok = arith.cmpi eq, %r, %c0 : index
  cf.assert %ok, "three parts"
  %p = arith.divsi %n, %c3 : index
  %a = tensor.extract_slice %x[0, %from] [%p, 7] [1, 2] : tensor<?x?xf32> to tensor<?x7xf32>
  %at = arith.muli %p, %c2 : index
  %b = tensor.extract_slice %x[%at, 0] [%p, %from] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
  return %a, %b : tensor<?x7xf32>, tensor<?x?xf32>
}

// -----

// Not where the last part may be shorter, where it begins beside one, with a stride, or a number of rows.

// CHECK-LABEL: func @others
//   CHECK-NOT:   expand_shape
func.func @others(%x: tensor<?x9xf32>, %y: tensor<?x9xf32>) -> (tensor<?x9xf32>, tensor<?x9xf32>, tensor<?x9xf32>, tensor<2x9xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %m = tensor.dim %y, %c0 : tensor<?x9xf32>
  %q = arith.divsi %m, %c2 : index
  %a = tensor.extract_slice %y[%q, 0] [%q, 9] [1, 1] : tensor<?x9xf32> to tensor<?x9xf32>
  %n = tensor.dim %x, %c0 : tensor<?x9xf32>
  %r = arith.remsi %n, %c2 : index
  %ok = arith.cmpi eq, %r, %c0 : index
  cf.assert %ok, "two parts"
  %p = arith.divsi %n, %c2 : index
  %b = tensor.extract_slice %x[%c1, 0] [%p, 9] [1, 1] : tensor<?x9xf32> to tensor<?x9xf32>
  %c = tensor.extract_slice %x[0, 0] [%p, 9] [2, 1] : tensor<?x9xf32> to tensor<?x9xf32>
  %d = tensor.extract_slice %x[%p, 0] [2, 9] [1, 1] : tensor<?x9xf32> to tensor<2x9xf32>
  return %a, %b, %c, %d : tensor<?x9xf32>, tensor<?x9xf32>, tensor<?x9xf32>, tensor<2x9xf32>
}

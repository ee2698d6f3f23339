// RUN: sinter-opt --sinter-outline --split-input-file %s | FileCheck %s

// A destination whose size is known at run time is allocated with it.

// CHECK-LABEL: func @dynamic
//  CHECK-SAME:   (%[[X:.+]]: tensor<?x9xf32>, %[[E:.+]]: tensor<?x9xf32>)
//       CHECK:   %[[N:.+]] = tensor.dim %[[E]], %{{.+}} : tensor<?x9xf32>
//       CHECK:   memref.alloc(%[[N]]) : memref<?x9xf32>
//       CHECK:   call @dynamic_kernel0
func.func @dynamic(%x: tensor<?x9xf32>, %e: tensor<?x9xf32>) -> tensor<?x9xf32> {
  %y = sinter.rowwise (i = ?) by (j = 9) ins(%x[i, j] : tensor<?x9xf32>) outs(%e[i, j] : tensor<?x9xf32>) {
  ^row(%a: tensor<9xf32>):
    %n = arith.negf %a : tensor<9xf32>
    sinter.yield %n : tensor<9xf32>
  }
  return %y : tensor<?x9xf32>
}

// -----

// A result that is only reshaped and returned is allocated as it is returned, also in sizes that follow from its own.

// CHECK-LABEL: func @folded
//  CHECK-SAME:   (%[[X:.+]]: tensor<?x9xf32>
//       CHECK:   %[[ALL:.+]] = arith.muli %{{.+}}, %{{.+}} : index
//       CHECK:   %[[E:.+]] = tensor.empty(%[[ALL]]) : tensor<?xf32>
//       CHECK:   %[[D:.+]] = tensor.dim %[[E]]
//       CHECK:   %[[R:.+]] = memref.alloc(%[[D]]) : memref<?xf32>
//       CHECK:   %[[ROWS:.+]] = memref.expand_shape %[[R]] {{\[\[}}0, 1]] output_shape [%{{.+}}, 9] : memref<?xf32> into memref<?x9xf32>
//       CHECK:   call @folded_kernel0(%{{.+}}, %[[ROWS]])
//   CHECK-NOT:   tensor.collapse_shape
//       CHECK:   return %{{.+}} : tensor<?xf32>
func.func @folded(%x: tensor<?x9xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x9xf32>
  %e = tensor.empty(%n) : tensor<?x9xf32>
  %y = sinter.rowwise (i = ?) by (j = 9) ins(%x[i, j] : tensor<?x9xf32>) outs(%e[i, j] : tensor<?x9xf32>) {
  ^row(%a: tensor<9xf32>):
    %b = math.exp %a : tensor<9xf32>
    sinter.yield %b : tensor<9xf32>
  }
  %c = tensor.collapse_shape %y [[0, 1]] : tensor<?x9xf32> into tensor<?xf32>
  return %c : tensor<?xf32>
}

// -----

// CHECK-LABEL: func @unfolded
//       CHECK:   %[[R:.+]] = memref.alloc(%{{.+}}) : memref<?x1x9xf32>
//       CHECK:   %[[ROWS:.+]] = memref.collapse_shape %[[R]] {{\[\[}}0, 1], [2]] : memref<?x1x9xf32> into memref<?x9xf32>
//       CHECK:   call @unfolded_kernel0(%{{.+}}, %[[ROWS]])
//   CHECK-NOT:   tensor.expand_shape
func.func @unfolded(%x: tensor<?x9xf32>) -> tensor<?x1x9xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x9xf32>
  %e = tensor.empty(%n) : tensor<?x9xf32>
  %y = sinter.rowwise (i = ?) by (j = 9) ins(%x[i, j] : tensor<?x9xf32>) outs(%e[i, j] : tensor<?x9xf32>) {
  ^row(%a: tensor<9xf32>):
    %b = math.exp %a : tensor<9xf32>
    sinter.yield %b : tensor<9xf32>
  }
  %m = tensor.dim %x, %c0 : tensor<?x9xf32>
  %c = tensor.expand_shape %y [[0, 1], [2]] output_shape [%m, 1, 9] : tensor<?x9xf32> into tensor<?x1x9xf32>
  return %c : tensor<?x1x9xf32>
}

// -----

// Sizes that somebody gives may have another number of elements, which is asserted behind the kernel.

// CHECK-LABEL: func @given
//       CHECK:   memref.alloc(%{{.+}}) : memref<?x9xf32>
//       CHECK:   tensor.expand_shape
func.func @given(%x: tensor<?x9xf32>, %m: index) -> tensor<?x1x9xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x9xf32>
  %e = tensor.empty(%n) : tensor<?x9xf32>
  %y = sinter.rowwise (i = ?) by (j = 9) ins(%x[i, j] : tensor<?x9xf32>) outs(%e[i, j] : tensor<?x9xf32>) {
  ^row(%a: tensor<9xf32>):
    %b = math.exp %a : tensor<9xf32>
    sinter.yield %b : tensor<9xf32>
  }
  %c = tensor.expand_shape %y [[0, 1], [2]] output_shape [%m, 1, 9] : tensor<?x9xf32> into tensor<?x1x9xf32>
  return %c : tensor<?x1x9xf32>
}

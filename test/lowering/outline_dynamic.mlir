// RUN: sinter-opt --sinter-outline %s | FileCheck %s

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

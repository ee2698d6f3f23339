// RUN: sinter-opt --sinter-lower-gpu --split-input-file %s | FileCheck %s

// Rows that follow each other in all operands are counted by their last dimension: nothing is divided, whatever their
// sizes are.

// CHECK-LABEL: gpu.func @follow
//   CHECK-NOT:   arith.remui
//       CHECK:   scf.for %[[ROW:.+]] = %{{.+}} to
//       CHECK:   memref.load %{{.+}}[%[[ZERO:c0[_0-9]*]], %[[ROW]], %{{.+}}] : memref<?x?x?xf32>
//   CHECK-NOT:   arith.remui
//       CHECK:   memref.store %{{.+}}, %{{.+}}[%[[ZERO]], %[[ROW]], %{{.+}}] : memref<?x?x?xf32>
//       CHECK:   gpu.return
func.func private @follow(%x: memref<?x?x?xf32>, %w: memref<?xf32>, %y: memref<?x?x?xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = ?, j = ?) by (k = ?) ins(%x[i, j, k] : memref<?x?x?xf32>, %w[k] : memref<?xf32>)
      outs(%y[i, j, k] : memref<?x?x?xf32>) schedule(#sinter.gpu_rows<threads = 32, blocks = 6>) {
  ^row(%a: tensor<?xf32>, %b: tensor<?xf32>):
    %s = arith.addf %a, %b : tensor<?xf32>
    sinter.yield %s : tensor<?xf32>
  }
  return
}

// -----

// One operand has some of the rows' dimensions alone.

// CHECK-LABEL: gpu.func @some
//       CHECK:   arith.remui
//       CHECK:   gpu.return
func.func private @some(%x: memref<?x?x?xf32>, %w: memref<?xf32>, %y: memref<?x?x?xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = ?, j = ?) by (k = ?) ins(%x[i, j, k] : memref<?x?x?xf32>, %w[i] : memref<?xf32>)
      outs(%y[i, j, k] : memref<?x?x?xf32>) schedule(#sinter.gpu_rows<threads = 32, blocks = 6>) {
  ^row(%a: tensor<?xf32>, %b: f32):
    %c = sinter.broadcast %b : f32 -> tensor<?xf32>
    %s = arith.addf %a, %c : tensor<?xf32>
    sinter.yield %s : tensor<?xf32>
  }
  return
}

// -----

// One has them in another order.

// CHECK-LABEL: gpu.func @order
//       CHECK:   arith.remui
//       CHECK:   gpu.return
func.func private @order(%x: memref<3x5x7xf32>, %y: memref<5x3x7xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 3, j = 5) by (k = 7) ins(%x[i, j, k] : memref<3x5x7xf32>) outs(%y[j, i, k] : memref<5x3x7xf32>)
      schedule(#sinter.gpu_rows<threads = 32, blocks = 6>) {
  ^row(%a: tensor<7xf32>):
    sinter.yield %a : tensor<7xf32>
  }
  return
}

// -----

// One has more than the rows in a dimension.

// CHECK-LABEL: gpu.func @part
//       CHECK:   arith.remui
//       CHECK:   gpu.return
func.func private @part(%x: memref<3x6x7xf32>, %y: memref<3x5x7xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 3, j = 5) by (k = 7) ins(%x[i, j, k] : memref<3x6x7xf32>) outs(%y[i, j, k] : memref<3x5x7xf32>)
      schedule(#sinter.gpu_rows<threads = 32, blocks = 6>) {
  ^row(%a: tensor<7xf32>):
    sinter.yield %a : tensor<7xf32>
  }
  return
}

// -----

// The program asks for one of them.

// CHECK-LABEL: gpu.func @asked
//       CHECK:   arith.remui
//       CHECK:   gpu.return
func.func private @asked(%x: memref<3x5x7xf32>, %y: memref<3x5x7xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 3, j = 5) by (k = 7) ins(%x[i, j, k] : memref<3x5x7xf32>) outs(%y[i, j, k] : memref<3x5x7xf32>)
      schedule(#sinter.gpu_rows<threads = 32, blocks = 6>) {
  ^row(%a: tensor<7xf32>):
    %n = sinter.index j : index
    %i = arith.index_cast %n : index to i64
    %f = arith.sitofp %i : i64 to f32
    %c = sinter.broadcast %f : f32 -> tensor<7xf32>
    %s = arith.addf %a, %c : tensor<7xf32>
    sinter.yield %s : tensor<7xf32>
  }
  return
}

// -----

// One has them from the last to the first.

// CHECK-LABEL: gpu.func @backwards
//       CHECK:   arith.remui
//       CHECK:   gpu.return
func.func private @backwards(%x: memref<3x5x7xf32>, %y: memref<3x5x7xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 3, j = 5) by (k = 7) ins(%x[i, 4 - j, k] : memref<3x5x7xf32>) outs(%y[i, j, k] : memref<3x5x7xf32>)
      schedule(#sinter.gpu_rows<threads = 32, blocks = 6>) {
  ^row(%a: tensor<7xf32>):
    sinter.yield %a : tensor<7xf32>
  }
  return
}

// RUN: sinter-opt --sinter-lower-gpu %s | FileCheck %s

// Sizes `?` are arguments of the kernel behind its memory; the grid is as many blocks as have work, as large as the
// schedule says at most, and one block at least.

//       CHECK: func.func private @dynamic(%[[X:.+]]: memref<?x?xf32>
//       CHECK:   %[[ALL:.+]] = memref.dim %[[X]], %c0
//       CHECK:   %[[BLOCKS:.+]] = arith.ceildivui %[[ALL]], %c1
//       CHECK:   %[[FEW:.+]] = arith.minui %[[BLOCKS]], %c6
//       CHECK:   %[[ONE:.+]] = arith.maxsi %[[FEW]], %c1
//       CHECK:   %[[N:.+]] = memref.dim %[[X]], %c1
//       CHECK:   %[[GRID:.+]] = arith.index_cast %[[ONE]] : index to i64
//       CHECK:   call @sinter_rt_launch(%{{.+}}, %{{.+}}, %{{.+}}, %[[GRID]],
//       CHECK: gpu.func @dynamic(%[[X:[^:]+]]: memref<1xf32> {llvm.noalias}, %[[Y:[^:]+]]: memref<1xf32> {llvm.noalias}, %[[M:.+]]: i64, %[[N:.+]]: i64, %{{.+}}: i64)
//   CHECK-DAG:   %[[ROWS:.+]] = arith.index_cast %[[M]]
//   CHECK-DAG:   %[[COLUMNS:.+]] = arith.index_cast %[[N]]
//       CHECK:   memref.reinterpret_cast %[[X]] to offset: [0], sizes: [%[[ROWS]], %[[COLUMNS]]], strides: [%[[COLUMNS]], 1]
func.func private @dynamic(%x: memref<?x?xf32>, %y: memref<?xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = ?) by (j = ?) ins(%x[i, j] : memref<?x?xf32>) outs(%y[i] : memref<?xf32>)
      schedule(#sinter.gpu_rows<threads = 32, blocks = 6>) {
  ^row(%a: tensor<?xf32>):
    %s = sinter.row_reduce add %a : tensor<?xf32> -> f32
    sinter.yield %s : f32
  }
  return
}

// Rows of a known length, of an operand that says `?`: what the form knows is known, and vectors are aligned.

//       CHECK: gpu.func @known_length(%[[X:[^:]+]]: memref<1xf32>
//       CHECK:   memref.reinterpret_cast %[[X]] to offset: [0], sizes: [%{{.+}}, 64], strides: [64, 1] : memref<1xf32> to memref<?x64xf32>
//       CHECK:   vector.load %{{.+}} {alignment = 16 : i64} : memref<?x64xf32>, vector<4xf32>
func.func private @known_length(%x: memref<?x?xf32>, %y: memref<?xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = ?) by (j = 64) ins(%x[i, j] : memref<?x?xf32>) outs(%y[i] : memref<?xf32>)
      schedule(#sinter.gpu_rows<threads = 32, blocks = 6, vector = 4>) {
  ^row(%a: tensor<64xf32>):
    %s = sinter.row_reduce add %a : tensor<64xf32> -> f32
    sinter.yield %s : f32
  }
  return
}

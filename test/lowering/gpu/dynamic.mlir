// RUN: sinter-opt --sinter-lower-gpu %s | FileCheck %s

// Sizes `?` are arguments of the kernel behind its memory; the grid is as large as the schedule says, whatever they
// are.

//       CHECK: func.func private @dynamic(%[[X:.+]]: memref<?x?xf32>
//       CHECK:   %[[N:.+]] = memref.dim %[[X]], %c1
//       CHECK:   call @sinter_rt_launch({{.*}}%c6_i64
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

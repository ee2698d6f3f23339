// RUN: sinter-opt --sinter-lower-gpu --split-input-file %s | FileCheck %s

// 8 of a block's 64 threads have a row, so sums meet by shuffles of 4, 2 and 1 and no shared memory. A block has 8
// rows; where there are no more, the last one is computed again, and not stored.

// CHECK-LABEL: gpu.func @warp
//   CHECK-NOT:   workgroup(
//       CHECK:   %[[MEMBER:.+]] = arith.remui %thread_id_x, %c8
//       CHECK:   scf.for %[[FIRST:.+]] = %{{.+}} to %c37{{.*}} step %c16
//       CHECK:     %[[TEAM:.+]] = arith.divui %thread_id_x, %c8
//       CHECK:     %[[ROW:.+]] = arith.addi %[[FIRST]]
//       CHECK:     %[[VALID:.+]] = arith.cmpi ult, %[[ROW]], %c37
//       CHECK:     arith.minui
//   CHECK-NOT:     gpu.barrier
// CHECK-COUNT-3:   gpu.shuffle xor
//   CHECK-NOT:     gpu.shuffle
//       CHECK:     scf.if %[[VALID]]
//       CHECK:       vector.store
func.func private @warp(%x: memref<37x32xf32>, %y: memref<37x32xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 37) by (j = 32) ins(%x[i, j] : memref<37x32xf32>) outs(%y[i, j] : memref<37x32xf32>)
      schedule(#sinter.gpu_rows<threads = 64, blocks = 2, vector = 4, residency = "registers", team = 8>) {
  ^row(%a: tensor<32xf32>):
    %s = sinter.row_reduce add %a : tensor<32xf32> -> f32
    %sb = sinter.broadcast %s : f32 -> tensor<32xf32>
    %q = arith.subf %a, %sb : tensor<32xf32>
    sinter.yield %q : tensor<32xf32>
  }
  return
}

// -----

// A thread has a row whose columns are far apart: neighbouring threads read neighbours.

//       CHECK: gpu.func @thread(
//  CHECK-SAME:   %[[X:[^:]+]]: memref<3x5x100xf32>
//       CHECK:   scf.for %[[ROW:.+]] =
//       CHECK:     %[[K:.+]] = arith.remui %[[ROW]], %c100
//       CHECK:     scf.for %[[J:.+]] = %{{.+}} to %c5{{.*}} step %c1
//       CHECK:       memref.load %[[X]][%{{.+}}, %[[J]], %[[K]]]
//   CHECK-NOT:     gpu.shuffle
//       CHECK:   gpu.return
func.func private @thread(%x: memref<3x5x100xf32>, %y: memref<3x100xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 3, k = 100) by (j = 5) ins(%x[i, j, k] : memref<3x5x100xf32>) outs(%y[i, k] : memref<3x100xf32>)
      schedule(#sinter.gpu_rows<threads = 64, blocks = 2, team = 1>) {
  ^row(%a: tensor<5xf32>):
    %s = sinter.row_reduce add %a : tensor<5xf32> -> f32
    sinter.yield %s : f32
  }
  return
}

// -----

// Blocks of a cluster share a row that each phase reads again: 2 x 64 threads, a column each.

// CHECK-LABEL: gpu.func @cluster
//       CHECK:   %[[BEGIN:.+]] = arith.muli %{{.+}}, %c64
//       CHECK:   %[[MEMBER:.+]] = arith.addi %[[BEGIN]], %thread_id_x
//       CHECK:   scf.for
// CHECK-COUNT-2:   step %c128
func.func private @cluster(%x: memref<5x1003xf32>, %y: memref<5x1003xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 5) by (j = 1003) ins(%x[i, j] : memref<5x1003xf32>) outs(%y[i, j] : memref<5x1003xf32>)
      schedule(#sinter.gpu_rows<threads = 64, blocks = 4, cluster = 2>) {
  ^row(%a: tensor<1003xf32>):
    %s = sinter.row_reduce add %a : tensor<1003xf32> -> f32
    %sb = sinter.broadcast %s : f32 -> tensor<1003xf32>
    %q = arith.subf %a, %sb : tensor<1003xf32>
    sinter.yield %q : tensor<1003xf32>
  }
  return
}

// Where nothing of a row meets, any number of blocks shares it, and they are no cluster.

// CHECK-LABEL: gpu.func @beside
//   CHECK-NOT:   nvvm.cluster
//       CHECK:   %[[BLOCK:.+]] = gpu.block_id
//       CHECK:   arith.divui %[[BLOCK]], %c5
//       CHECK:   arith.remui %[[BLOCK]], %c5
//   CHECK-NOT:   nvvm.cluster
//       CHECK:   gpu.return
func.func private @beside(%x: memref<5x1003xf32>, %y: memref<5x1003xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 5) by (j = 1003) ins(%x[i, j] : memref<5x1003xf32>) outs(%y[i, j] : memref<5x1003xf32>)
      schedule(#sinter.gpu_rows<threads = 64, blocks = 25, cluster = 5>) {
  ^row(%a: tensor<1003xf32>):
    %t = math.tanh %a : tensor<1003xf32>
    sinter.yield %t : tensor<1003xf32>
  }
  return
}

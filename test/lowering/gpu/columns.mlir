// RUN: sinter-opt --sinter-lower-gpu --split-input-file %s | FileCheck %s

// Sums of columns: a thread carries those of its columns from row to row and leaves them in its block's row of scratch
// memory. Then the last block of a bunch of 8 combines the bunch's rows, and of the bunches' last blocks the last
// those.

// CHECK-LABEL: gpu.func @registers
//       CHECK:   %[[ROWS:.+]] = memref.view %{{.+}} : memref<{{.*}}xi8> to memref<20x64xf32>
//       CHECK:   %[[SUM:.+]] = scf.for {{.*}} iter_args(%[[CARRIED:.+]] = %{{.+}}) -> (vector<4xf32>)
//       CHECK:     arith.addf %[[CARRIED]]
//   CHECK-NOT:   gpu.barrier
//       CHECK:   vector.store %[[SUM]], %[[ROWS]][%block_id_x
//       CHECK:   arith.divui %block_id_x, %c8
//       CHECK:   gpu.barrier
//       CHECK:   atom.acq_rel.gpu.global.add
//       CHECK:   gpu.barrier
//       CHECK:   scf.if
//       CHECK:     scf.for
//       CHECK:       scf.for
//       CHECK:     atom.acq_rel.gpu.global.add
//       CHECK:     scf.if
//       CHECK:       scf.for
//       CHECK:         scf.for {{.*}} step %c8
//       CHECK:       gpu.barrier
//       CHECK:       scf.for
func.func private @registers(%x: memref<100x64xf32>, %y: memref<64xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 100) by (j = 64) ins(%x[i, j] : memref<100x64xf32>) reduce(add [j] : f32) outs(%y[j] : memref<64xf32>)
      schedule(#sinter.gpu_rows<threads = 32, blocks = 20, vector = 4, residency = "registers">) {
  ^row(%a: tensor<64xf32>):
    sinter.yield %a : tensor<64xf32>
  }
  return
}
func.func @main(%x: memref<100x64xf32>, %y: memref<64xf32>) {
  call @registers(%x, %y) : (memref<100x64xf32>, memref<64xf32>) -> ()
  return
}

// -----

// Or it adds to its block's row of scratch memory, in which it has set its columns to 0 before.

// CHECK-LABEL: gpu.func @memory
//       CHECK:   %[[ROWS:.+]] = memref.view
//       CHECK:   scf.for
//       CHECK:     vector.store %{{.+}}, %[[ROWS]]
//       CHECK:   scf.for %{{.+}} to %c100
//       CHECK:     scf.for
//       CHECK:       %[[SUM:.+]] = vector.load %[[ROWS]]
//       CHECK:       %[[NEXT:.+]] = arith.addf %[[SUM]]
//       CHECK:       vector.store %[[NEXT]], %[[ROWS]]
func.func private @memory(%x: memref<100x64xf32>, %y: memref<64xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 100) by (j = 64) ins(%x[i, j] : memref<100x64xf32>) reduce(add [j] : f32) outs(%y[j] : memref<64xf32>)
      schedule(#sinter.gpu_rows<threads = 32, blocks = 20, vector = 4>) {
  ^row(%a: tensor<64xf32>):
    sinter.yield %a : tensor<64xf32>
  }
  return
}
func.func @main(%x: memref<100x64xf32>, %y: memref<64xf32>) {
  call @memory(%x, %y) : (memref<100x64xf32>, memref<64xf32>) -> ()
  return
}

// -----

// Teams of a warp meet by shuffles, warps of a block in shared memory, in their order.

// CHECK-LABEL: gpu.func @teams
//  CHECK-SAME:   workgroup(%[[SHARED:.+]] : memref<2x32xf32, #gpu.address_space<workgroup>>
//       CHECK:   gpu.shuffle xor %{{.+}}, %c16_i32
//       CHECK:   gpu.shuffle xor %{{.+}}, %c8_i32
//   CHECK-NOT:   gpu.shuffle xor %{{.+}}, %c4_i32
//       CHECK:   vector.store %{{.+}}, %[[SHARED]]
//       CHECK:   gpu.barrier
//       CHECK:   scf.for %[[J:.+]] = %thread_id_x to %c32
//       CHECK:     scf.for %[[T:.+]] = %c0{{.*}} to %c2
//       CHECK:       memref.load %[[SHARED]][%[[T]], %[[J]]]
func.func private @teams(%x: memref<100x32xf32>, %y: memref<32xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 100) by (j = 32) ins(%x[i, j] : memref<100x32xf32>) reduce(add [j] : f32) outs(%y[j] : memref<32xf32>)
      schedule(#sinter.gpu_rows<threads = 64, blocks = 3, vector = 4, residency = "registers", team = 8>) {
  ^row(%a: tensor<32xf32>):
    sinter.yield %a : tensor<32xf32>
  }
  return
}
func.func @main(%x: memref<100x32xf32>, %y: memref<32xf32>) {
  call @teams(%x, %y) : (memref<100x32xf32>, memref<32xf32>) -> ()
  return
}

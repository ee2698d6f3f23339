// RUN: sinter-opt --sinter-lower-gpu --canonicalize --cse --split-input-file --verify-diagnostics %s | FileCheck %s

// Three blocks have parts of a tile's sum, 40 of k each at most; the one that comes last adds them, the first part
// first, and has the row program. Counters are in front of the parts in the workspace.

// CHECK-LABEL: gpu.func @parts
//  CHECK-SAME:   memref<6208xi8>
//       CHECK:   %[[PART:.+]] = arith.remui %block_id_x, %c3 : index
//       CHECK:   %[[TILE:.+]] = arith.divui %block_id_x, %c3 : index
//       CHECK:   %[[FIRST:.+]] = arith.muli %[[PART]], %c40 : index
//       CHECK:   %[[BEHIND:.+]] = arith.addi %[[FIRST]], %c40 : index
//       CHECK:   %[[END:.+]] = arith.minui %[[BEHIND]], %c100 : index
//       CHECK:   scf.for %{{.+}} = %[[FIRST]] to %[[END]] step %c8
//       CHECK:   %[[PARTS:.+]] = memref.view %{{.+}} : memref<6208xi8> to memref<6x1x256xf32>
//       CHECK:   vector.store %{{.+}}, %[[PARTS]]
//       CHECK:   gpu.barrier
//       CHECK:   atom.acq_rel.gpu.global.add.u64
//       CHECK:   gpu.barrier
//       CHECK:   scf.if
//       CHECK:     %[[X:.+]] = vector.load %[[PARTS]]
//       CHECK:     %[[Y:.+]] = vector.load %[[PARTS]]
//       CHECK:     %[[Z:.+]] = vector.load %[[PARTS]]
//       CHECK:     %[[TWO:.+]] = arith.addf %[[X]], %[[Y]]
//       CHECK:     arith.addf %[[TWO]], %[[Z]]
//       CHECK:     gpu.barrier
//       CHECK:     vector.store %{{.+}}, %arg2
func.func private @parts(%x: memref<16x100xf32>, %w: memref<32x100xf32>, %y: memref<16x32xf32>) attributes {sinter.kernel} {
  sinter.contract (i = 16) by (j = 32) product (k = 100) (%x[i, k] : memref<16x100xf32>, %w[j, k] : memref<32x100xf32>) : f32
      outs(%y[i, j] : memref<16x32xf32>) schedule(#sinter.mma<m = 16, n = 16, k = 8, threads = 64, split = 3>) {
  ^row(%acc: tensor<32xf32>):
    sinter.yield %acc : tensor<32xf32>
  }
  return
}

// -----

// Of fewer rows than a tile has, those are moved that there are: 4 rows of 16 are 16 vectors, not 64.

// CHECK-LABEL: gpu.func @few_rows
//       CHECK:   scf.for %{{.+}} = %{{.+}} to %c16{{.*}} step %c64
//       CHECK:     vector.store
//       CHECK:   atom.acq_rel.gpu.global.add.u64
//       CHECK:   scf.if
//       CHECK:     scf.for %{{.+}} = %{{.+}} to %c16{{.*}} step %c64
//       CHECK:       vector.load %{{.+}} : memref<3x1x256xf32>
func.func private @few_rows(%x: memref<4x100xf32>, %w: memref<16x100xf32>, %y: memref<4x16xf32>) attributes {sinter.kernel} {
  sinter.contract (i = 4) by (j = 16) product (k = 100) (%x[i, k] : memref<4x100xf32>, %w[j, k] : memref<16x100xf32>) : f32
      outs(%y[i, j] : memref<4x16xf32>) schedule(#sinter.mma<m = 16, n = 16, k = 8, threads = 64, split = 3>) {
  ^row(%acc: tensor<16xf32>):
    sinter.yield %acc : tensor<16xf32>
  }
  return
}

// -----

// Of many parts as many are asked for at once as a thread has registers for; what is left comes behind them.

// CHECK-LABEL: gpu.func @many_parts
//       CHECK:   atom.acq_rel.gpu.global.add.u64
//       CHECK:     %[[X:.+]] = vector.load
//       CHECK:     %[[S:.+]] = scf.for %{{.+}} = %c1 to %c33 step %c16 iter_args(%[[SUM:.+]] = %[[X]])
// CHECK-COUNT-16:    vector.load
//       CHECK:       arith.addf %[[SUM]]
// CHECK-COUNT-15:    arith.addf
//       CHECK:       scf.yield
//       CHECK:     vector.load
//       CHECK:     %[[Y:.+]] = vector.load
//       CHECK:     arith.addf %[[S]]
//       CHECK:     arith.addf %{{.+}}, %[[Y]]
func.func private @many_parts(%x: memref<16x280xf32>, %w: memref<32x280xf32>, %y: memref<16x32xf32>) attributes {sinter.kernel} {
  sinter.contract (i = 16) by (j = 32) product (k = 280) (%x[i, k] : memref<16x280xf32>, %w[j, k] : memref<32x280xf32>) : f32
      outs(%y[i, j] : memref<16x32xf32>) schedule(#sinter.mma<m = 16, n = 16, k = 8, threads = 64, split = 35>) {
  ^row(%acc: tensor<32xf32>):
    sinter.yield %acc : tensor<32xf32>
  }
  return
}

// -----

func.func private @too_many(%x: memref<16x24xf32>, %w: memref<32x24xf32>, %y: memref<16x32xf32>) attributes {sinter.kernel} {
  // expected-error @below {{has a schedule with split = 4, and product 0 does not have a part for each}}
  sinter.contract (i = 16) by (j = 32) product (k = 24) (%x[i, k] : memref<16x24xf32>, %w[j, k] : memref<32x24xf32>) : f32
      outs(%y[i, j] : memref<16x32xf32>) schedule(#sinter.mma<m = 16, n = 16, k = 8, threads = 64, split = 4>) {
  ^row(%acc: tensor<32xf32>):
    sinter.yield %acc : tensor<32xf32>
  }
  return
}

// -----

func.func private @unknown(%x: memref<?x24xf32>, %w: memref<32x24xf32>, %y: memref<?x32xf32>) attributes {sinter.kernel} {
  // expected-error @below {{has a schedule with split = 2, where the number of tiles is not known}}
  sinter.contract (i = ?) by (j = 32) product (k = 24) (%x[i, k] : memref<?x24xf32>, %w[j, k] : memref<32x24xf32>) : f32
      outs(%y[i, j] : memref<?x32xf32>) schedule(#sinter.mma<m = 16, n = 16, k = 8, threads = 64, split = 2>) {
  ^row(%acc: tensor<32xf32>):
    sinter.yield %acc : tensor<32xf32>
  }
  return
}

// -----

func.func private @tickets(%x: memref<16x24xf32>, %w: memref<32x24xf32>, %y: memref<16x32xf32>) attributes {sinter.kernel} {
  // expected-error @below {{has a schedule with split = 2, where tiles are dealt by ticket}}
  sinter.contract (i = 16) by (j = 32) product (k = 24) (%x[i, k] : memref<16x24xf32>, %w[j, k] : memref<32x24xf32>) : f32
      outs(%y[i, j] : memref<16x32xf32>)
      schedule(#sinter.mma<m = 16, n = 16, k = 8, threads = 64, split = 2, deal = "ticket">) {
  ^row(%acc: tensor<32xf32>):
    sinter.yield %acc : tensor<32xf32>
  }
  return
}

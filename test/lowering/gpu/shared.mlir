// RUN: sinter-opt --sinter-lower-gpu --split-input-file %s | FileCheck %s

// A thread asks for all pieces of the row, each on a mbarrier of its own; phase 0 waits for each, and later ones read
// them again. Behind the last all threads meet before the next row is asked for. The launch gives 3 pieces of 32
// vectors.

// CHECK-LABEL: func.func private @rows
//       CHECK: call @sinter_rt_launch({{.*}}%c1536_i64
//       CHECK: gpu.func @rows
//  CHECK-SAME:   memref<1536xi8, #gpu.address_space<workgroup>> {llvm.align = 128 : i64}
// CHECK-COUNT-3: "mbarrier.init.shared::cta.b64 [$0], $1;"
//       CHECK:   "fence.mbarrier_init.release.cluster;"
//       CHECK:   gpu.barrier
//       CHECK:   scf.for
//       CHECK:     scf.if
// CHECK-COUNT-2:     "mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], $1;"
//       CHECK:       "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [$0], [$1], $2, [$3];"
//       CHECK:       "mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], $1;"
//       CHECK:       scf.if
//       CHECK:         "cp.async.bulk.shared::cluster.global
//       CHECK:     mbarrier.try_wait
//       CHECK:     vector.load %{{.+}} {alignment = 16 : i64} : memref<96x4xf32, #gpu.address_space<workgroup>>
//       CHECK:     mbarrier.try_wait
//       CHECK:     vector.load
//       CHECK:     mbarrier.try_wait
//       CHECK:     vector.load
//       CHECK:     gpu.shuffle
//   CHECK-NOT:     mbarrier.try_wait
// CHECK-COUNT-3:   vector.load %{{.+}} {alignment = 16 : i64} : memref<96x4xf32, #gpu.address_space<workgroup>>
//       CHECK:     vector.store
//       CHECK:     "fence.proxy.async.shared::cta;"
//  CHECK-NEXT:     gpu.barrier
//  CHECK-NEXT:   }
func.func private @rows(%x: memref<5x380xf32>, %y: memref<5x380xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 5) by (j = 380) ins(%x[i, j] : memref<5x380xf32>) outs(%y[i, j] : memref<5x380xf32>)
      schedule(#sinter.gpu_rows<threads = 32, blocks = 3, vector = 4, residency = "shared">) {
  ^row(%a: tensor<380xf32>):
    %s = sinter.row_reduce add %a : tensor<380xf32> -> f32
    %sb = sinter.broadcast %s : f32 -> tensor<380xf32>
    %q = arith.subf %a, %sb : tensor<380xf32>
    sinter.yield %q : tensor<380xf32>
  }
  return
}

// -----

// One row for each block: it is asked for once, and nothing comes behind it.

// CHECK-LABEL: gpu.func @one
//   CHECK-NOT:   scf.for
//       CHECK:   cp.async.bulk
//       CHECK:   vector.store
//   CHECK-NOT:   fence.proxy
func.func private @one(%x: memref<5x380xf32>, %y: memref<5x380xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 5) by (j = 380) ins(%x[i, j] : memref<5x380xf32>) outs(%y[i, j] : memref<5x380xf32>)
      schedule(#sinter.gpu_rows<threads = 32, blocks = 5, vector = 4, residency = "shared">) {
  ^row(%a: tensor<380xf32>):
    %s = sinter.row_reduce add %a : tensor<380xf32> -> f32
    %sb = sinter.broadcast %s : f32 -> tensor<380xf32>
    %q = arith.subf %a, %sb : tensor<380xf32>
    sinter.yield %q : tensor<380xf32>
  }
  return
}

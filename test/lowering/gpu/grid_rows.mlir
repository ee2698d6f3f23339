// RUN: sinter-opt --sinter-lower-gpu --split-input-file %s | FileCheck %s

// Threads of the row take statistics of the first row from shared memory; then of each row, its vectors to registers,
// the next row's statistics, this row's mean and squares as all blocks have them (one exchange for both), and results.
// One warp of a block exchanges, one fetches. The launch runs all blocks at once; 64 threads have 64 more beside them.

// CHECK-LABEL: func.func private @ahead
//       CHECK: call @sinter_rt_launch_together({{.*}}%c6_i64{{.*}}%c128_i64{{.*}}%c4096_i64
//       CHECK: gpu.func @ahead
//  CHECK-SAME:   memref<4096xi8, #gpu.address_space<workgroup>> {llvm.align = 128 : i64}
//       CHECK:   "fence.mbarrier_init.release.cluster;"
//       CHECK:   gpu.barrier
//       CHECK:   scf.if
//       CHECK:     scf.if
// CHECK-COUNT-3:     vector.load %{{.+}} {alignment = 16 : i64} : memref<256x4xf32, #gpu.address_space<workgroup>>
// CHECK-COUNT-15:    gpu.shuffle
//       CHECK:       "mbarrier.arrive.shared::cta.b64 _, [$0];"
//       CHECK:     scf.for
// CHECK-COUNT-3:     "fence.proxy.async.shared::cta;"
//       CHECK:       scf.if
// CHECK-COUNT-3:       vector.load %{{.+}} : memref<256x4xf32, #gpu.address_space<workgroup>>
// CHECK-COUNT-15:      gpu.shuffle
//       CHECK:       mbarrier.try_wait
// CHECK-COUNT-3:     vector.store
//       CHECK:   } else {
//       CHECK:     "atom.relaxed.gpu.global.cas.b64
//       CHECK:     scf.for
//       CHECK:       mbarrier.try_wait
// CHECK-COUNT-3:       "st.relaxed.gpu.global.b64 [$0], $1;"
//       CHECK:         "red.release.gpu.global.add.u64 [$0], $1;"
//       CHECK:         ld.acquire.gpu.global.u64 count, [$0];
// CHECK-COUNT-3:     "ld.relaxed.gpu.global.b64 $0, [$1];"
//       CHECK:       "mbarrier.arrive.shared::cta.b64 _, [$0];"
//       CHECK:     "atom.acq_rel.gpu.global.add.u64
//       CHECK:   } else {
//       CHECK:     scf.for
//       CHECK:       scf.for
//       CHECK:         mbarrier.try_wait
//       CHECK:         arith.cmpi uge, %{{.+}}, %c2_i32
//       CHECK:         mbarrier.try_wait
//       CHECK:         "mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], $1;"
//       CHECK:         "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [$0], [$1], $2, [$3];"
//   CHECK-NOT: gpu.barrier
func.func private @ahead(%x: memref<5x2000xf32>, %y: memref<5x2000xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 5) by (j = 2000) ins(%x[i, j] : memref<5x2000xf32>) outs(%y[i, j] : memref<5x2000xf32>)
      schedule(#sinter.gpu_rows<shape = "grid", threads = 64, blocks = 6, group = 3, vector = 4, residency = "registers", ahead = 1, slots = 4, depth = 2>) {
  ^row(%a: tensor<2000xf32>):
    %n = arith.constant 2000.0 : f32
    %s = sinter.row_reduce add %a : tensor<2000xf32> -> f32
    %mean = arith.divf %s, %n : f32
    %meanb = sinter.broadcast %mean : f32 -> tensor<2000xf32>
    %d = arith.subf %a, %meanb : tensor<2000xf32>
    %q = arith.mulf %d, %d : tensor<2000xf32>
    %v = sinter.row_reduce add %q : tensor<2000xf32> -> f32
    %vb = sinter.broadcast %v : f32 -> tensor<2000xf32>
    %h = arith.mulf %d, %vb : tensor<2000xf32>
    sinter.yield %h : tensor<2000xf32>
  }
  return
}

// -----

// Read again: each phase goes over the row, and what it reduces meets behind it. A sum over all rows is combined by the
// threads of the row alone, at a barrier of their own.

// CHECK-LABEL: func.func private @reread
//       CHECK: call @sinter_rt_launch_together
//       CHECK: gpu.func @reread
//       CHECK:   scf.for
//       CHECK:     scf.for
//       CHECK:       vector.load %{{.+}} : memref<5x2000xf32>
//       CHECK:     "mbarrier.arrive.shared::cta.b64 _, [$0];"
//       CHECK:     mbarrier.try_wait
//       CHECK:     scf.for
//       CHECK:       vector.load %{{.+}} : memref<5x2000xf32>
//       CHECK:       vector.store
//   CHECK-NOT:   gpu.barrier
//       CHECK:   nvvm.barrier id = %c1_i32{{.*}} number_of_threads = %c64_i32
//   CHECK-NOT:   gpu.barrier
//   CHECK-NOT:   cp.async
func.func private @reread(%x: memref<5x2000xf32>, %y: memref<5x2000xf32>, %t: memref<f32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 5) by (j = 2000) ins(%x[i, j] : memref<5x2000xf32>) reduce(add [] : f32) outs(%y[i, j] : memref<5x2000xf32>, %t[] : memref<f32>)
      schedule(#sinter.gpu_rows<shape = "grid", threads = 64, blocks = 4, group = 2, vector = 4>) {
  ^row(%a: tensor<2000xf32>):
    %s = sinter.row_reduce add %a : tensor<2000xf32> -> f32
    %sb = sinter.broadcast %s : f32 -> tensor<2000xf32>
    %q = arith.subf %a, %sb : tensor<2000xf32>
    %r = arith.mulf %a, %a : tensor<2000xf32>
    %u = sinter.row_reduce add %r : tensor<2000xf32> -> f32
    sinter.yield %u, %q : f32, tensor<2000xf32>
  }
  return
}

// -----

// Rows leave nothing: the first warp of the first block makes the result, and there is no workspace.

// CHECK-LABEL: func.func private @nothing_left
//       CHECK:   call @sinter_rt_launch(
//       CHECK: gpu.func @nothing_left(%{{[^:]+}}: memref<i8> {llvm.noalias}, %{{[^:]+}}: memref<8xi8> {llvm.noalias}) kernel
//   CHECK-NOT:   atom
//       CHECK:   %[[BLOCK:.+]] = arith.cmpi eq, %block_id_x, %{{.+}} : index
//       CHECK:   %[[WARP:.+]] = arith.cmpi eq
//       CHECK:   %[[FIRST:.+]] = arith.andi %[[BLOCK]], %[[WARP]]
//       CHECK:   scf.if %[[FIRST]]
//   CHECK-NOT:   atom
//       CHECK:   gpu.return
func.func private @nothing_left(%x: memref<i8>, %y: memref<8xi8>) attributes {sinter.kernel} {
  sinter.rowwise (i = 8, j = 11) by (k = 8) ins(%x[] : memref<i8>) outs(%y[k] : memref<8xi8>)
      schedule(#sinter.gpu_rows<threads = 128, blocks = 6, vector = 1, residency = "registers", team = 8>) {
  ^row(%a: i8):
    sinter.yield
  } finish {
  ^done(%a: i8):
    %r = sinter.broadcast %a : i8 -> tensor<8xi8>
    sinter.yield %r : tensor<8xi8>
  }
  return
}

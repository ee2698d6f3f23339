// RUN: sinter-opt --sinter-lower-gpu --split-input-file %s | FileCheck %s

// A block on each row in turn; its threads on columns in turn; warps meet by shuffles, then in shared memory;
// a pick is one load. The host hands addresses to one launch.

// CHECK-LABEL: func.func private @row_sum(%{{.+}}: memref<5x8xf32>, %{{.+}}: memref<5xf32>) attributes {sinter.kernel}
//   CHECK-DAG:   %[[IMAGE:.+]] = llvm.mlir.addressof @kernels_image
//   CHECK-DAG:   %[[NAME:.+]] = llvm.mlir.addressof @row_sum_name
//       CHECK:   call @sinter_rt_launch(%[[IMAGE]], %{{.+}}, %[[NAME]], %c3_i64
//   CHECK-NOT:   sinter.rowwise
//       CHECK: gpu.module @kernels
//       CHECK:   gpu.func @row_sum(%[[X:.+]]: memref<5x8xf32> {llvm.noalias}, %[[Y:.+]]: memref<5xf32> {llvm.noalias})
//  CHECK-SAME:     kernel attributes
//  CHECK-SAME:     nvvm.minctasm = 2 : i32, nvvm.reqntid = array<i32: 64>
//       CHECK:   %[[BLOCK:.+]] = gpu.block_id x
//       CHECK:   %[[THREAD:.+]] = gpu.thread_id x
//       CHECK:   scf.for %[[I:.+]] = %[[BLOCK]] to %c5
//       CHECK:     %[[J0:.+]] = arith.muli %[[THREAD]], %c4
//       CHECK:     scf.for %[[J:.+]] = %[[J0]] to %c8{{.*}} step %c256{{.*}} iter_args(%{{.+}} = %{{.+}}) -> (vector<4xf32>)
//       CHECK:       vector.load %[[X]][%[[I]], %[[J]]] {alignment = 16 : i64}
//       CHECK:       arith.addf
// CHECK-COUNT-5:   gpu.shuffle xor
//       CHECK:     memref.store
//       CHECK:     gpu.barrier
//       CHECK:     memref.load
//       CHECK:     gpu.shuffle xor
//       CHECK:     scf.if
//       CHECK:       memref.store %{{.+}}, %[[Y]][%[[I]]]
func.func private @row_sum(%x: memref<5x8xf32>, %y: memref<5xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 5) by (j = 8) ins(%x[i, j] : memref<5x8xf32>) outs(%y[i] : memref<5xf32>)
      schedule(#sinter.gpu_rows<threads = 64, blocks = 3, occupancy = 2, vector = 4>) {
  ^row(%a: tensor<8xf32>):
    %s = sinter.row_reduce add %a : tensor<8xf32> -> f32
    sinter.yield %s : f32
  }
  return
}

// -----

// A sum that only feeds a sum over rows meets once, at the end, not row by row: no shuffle in the loop. Then blocks
// leave their parts in scratch memory, which the caller of the kernel function provides, and the last one finishes.
// The counter at which they meet is asked for in front of all that, and again only where it was another's.

// CHECK-LABEL: func.func private @total(
//  CHECK-SAME:   %[[SCRATCH:.+]]: memref<128xi8>) attributes {sinter.kernel}
//       CHECK:   memref.atomic_rmw addi
//       CHECK:   arith.shli
// CHECK-LABEL: func.func @main
//       CHECK:   %[[S:.+]] = memref.alloc() {sinter.workspace} : memref<128xi8>
//       CHECK:   call @total(%{{.+}}, %{{.+}}, %[[S]])
//       CHECK: gpu.func @total(%{{.+}}, %[[S:[a-z0-9]+]]: memref<128xi8>, %{{[a-z0-9]+}}: i64, %[[TAG:[a-z0-9]+]]: i64)
//       CHECK:   %[[FOUND:.+]] = scf.if
//       CHECK:     llvm.inline_asm has_side_effects "atom.relaxed.gpu.global.cas{{.+}} %c0_i64, %[[TAG]] :
//       CHECK:   %[[PART:.+]] = scf.for
//   CHECK-NOT:   gpu.shuffle
//   CHECK-NOT:   inline_asm
//       CHECK:     scf.yield
//       CHECK:   gpu.shuffle xor
//       CHECK:   memref.view %[[S]]
//       CHECK:   arith.cmpi ne, %[[FOUND]], %c0_i64
//       CHECK:   scf.if
//       CHECK:     llvm.inline_asm has_side_effects "ld.relaxed.gpu
//       CHECK:     llvm.inline_asm has_side_effects "atom.relaxed.gpu.global.cas
//       CHECK:   llvm.inline_asm has_side_effects "atom.acq_rel.gpu.global.add
//       CHECK:   nvvm.bar.warp.sync
//       CHECK:   scf.if
//       CHECK:     arith.divf
//       CHECK:     memref.store
func.func private @total(%x: memref<5x8xf32>, %y: memref<f32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 5) by (j = 8) ins(%x[i, j] : memref<5x8xf32>) reduce(add [] : f32) outs(%y[] : memref<f32>)
      schedule(#sinter.gpu_rows<threads = 32, blocks = 3>) {
  ^row(%a: tensor<8xf32>):
    %s = sinter.row_reduce add %a : tensor<8xf32> -> f32
    sinter.yield %s : f32
  } finish {
  ^done(%s: f32):
    %n = arith.constant 4.0e+01 : f32
    %m = arith.divf %s, %n : f32
    sinter.yield %m : f32
  }
  return
}
func.func @main(%x: tensor<5x8xf32>) -> tensor<f32> {
  %b = bufferization.to_buffer %x read_only : tensor<5x8xf32> to memref<5x8xf32>
  %y = memref.alloc() : memref<f32>
  call @total(%b, %y) : (memref<5x8xf32>, memref<f32>) -> ()
  %r = bufferization.to_tensor %y restrict writable : memref<f32> to tensor<f32>
  return %r : tensor<f32>
}

// -----

// One block is the whole grid: no scratch memory, no counter.

// CHECK-LABEL: func.func private @one_row(%{{.+}}: memref<8xf32>, %{{.+}}: memref<f32>) attributes
//   CHECK-NOT: inline_asm
func.func private @one_row(%x: memref<8xf32>, %y: memref<f32>) attributes {sinter.kernel} {
  sinter.rowwise () by (j = 8) ins(%x[j] : memref<8xf32>) outs(%y[] : memref<f32>) schedule(#sinter.gpu_rows<threads = 32>) {
  ^row(%a: tensor<8xf32>):
    %s = sinter.row_reduce maxnumf %a : tensor<8xf32> -> f32
    sinter.yield %s : f32
  }
  return
}

// -----

// Without columns each thread has a row of its own: consecutive threads, consecutive rows.

// CHECK-LABEL: gpu.func @count
//       CHECK:   %[[FIRST:.+]] = arith.muli %{{.+}}, %c64
//       CHECK:   %[[ROW:.+]] = arith.addi %[[FIRST]]
//       CHECK:   scf.for %[[I:.+]] = %[[ROW]] to %c1000{{.*}} step %c192
//       CHECK:     memref.load %{{.+}}[%[[I]]]
func.func private @count(%t: memref<1000xi64>, %n: memref<i64>) attributes {sinter.kernel} {
  sinter.rowwise (i = 1000) by () ins(%t[i] : memref<1000xi64>) reduce(add [] : i64) outs(%n[] : memref<i64>)
      schedule(#sinter.gpu_rows<threads = 64, blocks = 3>) {
  ^row(%l: i64):
    sinter.yield %l : i64
  }
  return
}

// -----

// Two vectors are read before the first is stored; what is left over goes one by one. Rows of 9 columns begin
// anywhere: no alignment is promised.

// CHECK-LABEL: gpu.func @twice
//       CHECK:   scf.for
//       CHECK:   scf.for %[[J:.+]] = %{{.+}} to %c64{{.*}} step %c64
//       CHECK:     memref.load
//       CHECK:     memref.load
//       CHECK:     memref.store
//       CHECK:     memref.store
//       CHECK:   scf.for %[[J:.+]] = %{{.+}} to %c73
//       CHECK:     memref.load
//       CHECK:     memref.store
//   CHECK-NOT:   alignment
func.func private @twice(%x: memref<5x73xf32>, %y: memref<5x73xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 5) by (j = 73) ins(%x[i, j] : memref<5x73xf32>) outs(%y[i, j] : memref<5x73xf32>)
      schedule(#sinter.gpu_rows<blocks = 3, threads = 32, unroll = 2>) {
  ^row(%a: tensor<73xf32>):
    %s = arith.addf %a, %a : tensor<73xf32>
    sinter.yield %s : tensor<73xf32>
  }
  return
}

// -----

// A vector that begins at column 1 is not aligned, though rows are.

// CHECK-LABEL: gpu.func @shifted
//       CHECK:   vector.load %{{.+}}[%{{.+}}, %{{.+}}] :
//       CHECK:   vector.store %{{.+}} {alignment = 16 : i64}
func.func private @shifted(%x: memref<5x12xf32>, %y: memref<5x8xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 5) by (j = 8) ins(%x[i, j + 1] : memref<5x12xf32>) outs(%y[i, j] : memref<5x8xf32>)
      schedule(#sinter.gpu_rows<threads = 32, vector = 4>) {
  ^row(%a: tensor<8xf32>):
    %s = arith.addf %a, %a : tensor<8xf32>
    sinter.yield %s : tensor<8xf32>
  }
  return
}

// -----

// What is read of one tensor at two places is read by one pointer.

// CHECK-LABEL: gpu.func @shifted
//       CHECK:   gpu.block_id
//   CHECK-NOT:   %arg1
//       CHECK:   gpu.return
func.func private @shifted(%x: memref<8x34xf32>, %y: memref<8x32xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 8) by (j = 32) ins(%x[i, j] : memref<8x34xf32>, %x[i, j + 2] : memref<8x34xf32>)
      outs(%y[i, j] : memref<8x32xf32>)
      schedule(#sinter.gpu_rows<threads = 64, blocks = 1, vector = 1>) {
  ^row(%a: tensor<32xf32>, %b: tensor<32xf32>):
    %s = arith.addf %a, %b : tensor<32xf32>
    sinter.yield %s : tensor<32xf32>
  }
  return
}

// RUN: sinter-opt --sinter-lower-gpu %s | FileCheck %s
// RUN: sed "s/gpu_sequence</&clocks = 1, /" %s | sinter-opt --sinter-lower-gpu | FileCheck %s --check-prefix=CLOCKS

// Each block keeps when it began and ended each of its two phases, where the host finds it by name.
// CLOCKS: sinter.kernel_clocks = [{blocks = 2 : i64, kernel = "main_kernel0",
// CLOCKS-SAME: phases = ["rowwise (i = 4) by (j = 8)", "rowwise (i = 4) by (j = 8)"], symbol = "main_kernel0_clocks"}
// CLOCKS: llvm.mlir.global external @main_kernel0_clocks(dense<0> : tensor<8xi64>) {addr_space = 1 : i32
// CLOCKS: gpu.func @main_kernel0
// CLOCKS: arith.muli %{{.*}}, %c32_i64
// CLOCKS: %[[AT:.*]] = arith.addi %{{.*}}, %c0_i64
// CLOCKS-NEXT: mov.u64 t, %globaltimer;{{.*}} %[[AT]] :
// CLOCKS: gpu.barrier
// CLOCKS-NEXT: scf.if
// CLOCKS: arith.muli %{{.*}}, %c32_i64
// CLOCKS: %[[AT:.*]] = arith.addi %{{.*}}, %c8_i64
// CLOCKS-NEXT: mov.u64 t, %globaltimer;{{.*}} %[[AT]] :
// CLOCKS: arith.muli %{{.*}}, %c32_i64
// CLOCKS: %[[AT:.*]] = arith.addi %{{.*}}, %c16_i64
// CLOCKS-NEXT: mov.u64 t, %globaltimer;{{.*}} %[[AT]] :
// CLOCKS: memref.store %{{.*}} : memref<4x8xf32>
// CLOCKS: gpu.barrier
// CLOCKS: scf.if
// CLOCKS-NEXT: {{.*}}arith.index_cast
// CLOCKS: %[[AT:.*]] = arith.addi %{{.*}}, %c24_i64
// CLOCKS-NEXT: {{.*}}mov.u64 t, %globaltimer;{{.*}} %[[AT]] :
// CLOCKS-NOT: globaltimer
// CLOCKS: gpu.return

// A sequence is one kernel. Two blocks of 64 threads stand beside each other in one of 128: each has its own part of
// shared memory and meets at a barrier of its own. Between phases a block counts itself and waits for all.

// CHECK-LABEL: func.func private @main_kernel0
// The runtime launches as many as the device holds, at most 2, at least 1 of them.
// CHECK: call @sinter_rt_launch_filling(%{{.*}}, %{{.*}}, %{{.*}}, %c2_i64{{[_0-9]*}}, %c1_i64{{[_0-9]*}}, %c1_i64{{[_0-9]*}}, %c128_i64, %c48_i64,
// CHECK: gpu.func @main_kernel0(%[[X:.*]]: memref<4x8xf32> {llvm.noalias}, %[[Y:.*]]: memref<4x8xf32>, %[[Z:.*]]: memref<4x8xf32>,
// CHECK-SAME: nvvm.reqntid = array<i32: 128>
// A zero that nobody knows keeps what forms compute of it apart.
// CHECK: ld.volatile.shared.b32
// CHECK: %[[AT_ONCE:.*]] = arith.muli %{{.*}}, %c2{{.*}} : index
// CHECK: %[[TENANT:.*]] = arith.divui %{{.*}}, %c64
// CHECK: scf.for %[[BLOCK:.*]] = %{{.*}} to %c4{{.*}} step %[[AT_ONCE]]
// CHECK: %[[ID:.*]] = arith.addi %c1_i32{{.*}}, %{{.*}} : i32
// CHECK: arith.muli %[[TENANT]], %c16
// CHECK: memref.load %[[X]]
// CHECK: nvvm.barrier id = %[[ID]] number_of_threads = %c64_i32
// CHECK: memref.store %{{.*}}, %[[Y]]
// Where another block of the form comes its threads meet, for its shared memory is the same.
// CHECK: %[[NEXT:.*]] = arith.addi %[[BLOCK]], %[[AT_ONCE]]
// CHECK: %[[MORE:.*]] = arith.cmpi ult, %[[NEXT]], %c4
// CHECK-NEXT: scf.if %[[MORE]] {
// CHECK: nvvm.barrier id = %[[ID]] number_of_threads = %c64_i32
// CHECK: gpu.barrier
// CHECK-NEXT: scf.if
// CHECK: red.release.gpu.global.add.u64
// CHECK: arith.index_cast %grid_dim_x : index to i64
// CHECK: ld.acquire.gpu.global.u64
// CHECK: gpu.barrier
// One block of 128 threads at a time: all of them meet.
// CHECK: memref.load %[[Y]]
// CHECK: gpu.barrier
// CHECK: memref.store %{{.*}}, %[[Z]]
// The last block leaves the counter as it was.
// CHECK: atom.acq_rel.gpu.global.add.u64
// CHECK: atom.relaxed.gpu.global.exch.b64
// CHECK: gpu.return
func.func private @main_kernel0(%x: memref<4x8xf32>, %y: memref<4x8xf32>, %z: memref<4x8xf32>)
    attributes {sinter.kernel} {
  sinter.sequence phases [0, 1] schedule(#sinter.gpu_sequence<threads = 128, blocks = 2>) {
    sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : memref<4x8xf32>) outs(%y[i, j] : memref<4x8xf32>)
        schedule(#sinter.gpu_rows<threads = 64, blocks = 4, occupancy = 2>) {
    ^row(%a: tensor<8xf32>):
      %m = sinter.row_reduce add %a : tensor<8xf32> -> f32
      %b = sinter.broadcast %m : f32 -> tensor<8xf32>
      sinter.yield %b : tensor<8xf32>
    }
    sinter.rowwise (i = 4) by (j = 8) ins(%y[i, j] : memref<4x8xf32>) outs(%z[i, j] : memref<4x8xf32>)
        schedule(#sinter.gpu_rows<threads = 128, blocks = 2>) {
    ^row(%a: tensor<8xf32>):
      %m = sinter.row_reduce add %a : tensor<8xf32> -> f32
      %b = sinter.broadcast %m : f32 -> tensor<8xf32>
      sinter.yield %b : tensor<8xf32>
    }
    sinter.yield
  }
  return
}

// What no form writes is asked for before its phase: pieces of 16 KiB, dealt to the blocks.

// CHECK: gpu.func @ahead
// CHECK: red.release.gpu.global.add.u64
// CHECK: %[[STEP:.*]] = arith.muli %grid_dim_x, %c16384
// CHECK: scf.for %{{.*}} = %{{.*}} to %c32768{{.*}} step %[[STEP]]
// CHECK: cp.async.bulk.prefetch.L2.global
// CHECK: ld.acquire.gpu.global.u64
func.func private @ahead(%x: memref<4x8xf32>, %y: memref<4x8xf32>, %w: memref<1024x8xf32>, %z: memref<1024x8xf32>)
    attributes {sinter.kernel} {
  sinter.sequence phases [0, 1, 2] schedule(#sinter.gpu_sequence<threads = 128, blocks = 2, ahead = 65536>) {
    sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : memref<4x8xf32>) outs(%y[i, j] : memref<4x8xf32>)
        schedule(#sinter.gpu_rows<threads = 64, blocks = 4, occupancy = 2>) {
    ^row(%a: tensor<8xf32>):
      %m = sinter.row_reduce add %a : tensor<8xf32> -> f32
      %b = sinter.broadcast %m : f32 -> tensor<8xf32>
      sinter.yield %b : tensor<8xf32>
    }
    sinter.rowwise (i = 4) by (j = 8) ins(%y[i, j] : memref<4x8xf32>) outs(%x[i, j] : memref<4x8xf32>)
        schedule(#sinter.gpu_rows<threads = 64, blocks = 4, occupancy = 2>) {
    ^row(%a: tensor<8xf32>):
      %m = sinter.row_reduce add %a : tensor<8xf32> -> f32
      %b = sinter.broadcast %m : f32 -> tensor<8xf32>
      sinter.yield %b : tensor<8xf32>
    }
    sinter.rowwise (i = 1024) by (j = 8) ins(%w[i, j] : memref<1024x8xf32>) outs(%z[i, j] : memref<1024x8xf32>)
        schedule(#sinter.gpu_rows<threads = 128, blocks = 2>) {
    ^row(%a: tensor<8xf32>):
      %m = sinter.row_reduce add %a : tensor<8xf32> -> f32
      %b = sinter.broadcast %m : f32 -> tensor<8xf32>
      sinter.yield %b : tensor<8xf32>
    }
    sinter.yield
  }
  return
}

// What each block computes stays in its shared memory, and is followed by no wait for others: only the threads of the
// block meet. The first block stores it, for a form of a later phase. One of the two borders is counted.

// CHECK-LABEL: gpu.func @repeated(
// CHECK-SAME: %[[Y:[a-z0-9]+]]: memref<4x8xf32>, %{{.*}}: memref<4x8xf32>, %{{.*}}: memref<4x8xf32>
// CHECK: %[[OWN:.*]] = memref.view {{.*}} to memref<4x8xf32, #gpu.address_space<workgroup>>
// CHECK: %[[ZERO:.*]] = arith.index_cast %{{.*}} : i32 to index
// CHECK: %[[ALL:.*]] = arith.muli %c1{{.*}}, %c1{{.*}} : index
// CHECK: scf.for %{{.*}} = %[[ZERO]] to %c1{{.*}} step %[[ALL]]
// CHECK: memref.store %{{.*}}, %[[OWN]]
// CHECK: gpu.barrier
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %block_id_x, %c0
// CHECK-NEXT: scf.if %[[FIRST]]
// CHECK: %[[N:.*]] = memref.load %[[OWN]]
// CHECK-NEXT: memref.store %[[N]], %[[Y]]
// CHECK-NOT: red.release
// CHECK: memref.load %[[OWN]]
// CHECK: memref.store
// CHECK: red.release.gpu.global.add.u64
// CHECK: %[[BEFORE:.*]] = arith.subi %c2_i64{{.*}}, %c1_i64
// CHECK: arith.muli %[[BEFORE]]
// CHECK: ld.acquire.gpu.global.u64
// CHECK: memref.load %[[Y]]
// CHECK: arith.muli %c2_i64
// CHECK: atom.acq_rel.gpu.global.add.u64
func.func private @repeated(%x: memref<4x8xf32>, %y: memref<4x8xf32>, %z: memref<4x8xf32>, %u: memref<4x8xf32>)
    attributes {sinter.kernel} {
  sinter.sequence phases [0, 1, 2] schedule(#sinter.gpu_sequence<threads = 128, blocks = 2>) {
    sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : memref<4x8xf32>) outs(%y[i, j] : memref<4x8xf32>)
        schedule(#sinter.gpu_rows<threads = 128, blocks = 1, repeated = 1>) {
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }
    sinter.rowwise (i = 4) by (j = 8) ins(%y[i, j] : memref<4x8xf32>) outs(%z[i, j] : memref<4x8xf32>)
        schedule(#sinter.gpu_rows<threads = 128, blocks = 4>) {
    ^row(%a: tensor<8xf32>):
      sinter.yield %a : tensor<8xf32>
    }
    sinter.rowwise (i = 4) by (j = 8) ins(%z[i, j] : memref<4x8xf32>, %y[i, j] : memref<4x8xf32>) outs(%u[i, j] : memref<4x8xf32>)
        schedule(#sinter.gpu_rows<threads = 128, blocks = 4>) {
    ^row(%a: tensor<8xf32>, %b: tensor<8xf32>):
      %c = arith.addf %b, %a : tensor<8xf32>
      sinter.yield %c : tensor<8xf32>
    }
    sinter.yield
  }
  return
}

// RUN: sinter-opt --sinter-lower-gpu --split-input-file --verify-diagnostics %s | FileCheck %s

// A row is read once: three vectors for each of 32 threads. The third is past the end for some: they read the row's
// last place, add nothing and store nothing.

// CHECK-LABEL: gpu.func @one_block
//  CHECK-SAME:   (%[[X:[^:]+]]: memref<5x76xf32>
//       CHECK:   scf.for
//   CHECK-NOT:     scf.for
//       CHECK:     %[[IN:.+]] = arith.cmpi ult
//       CHECK:     arith.minui
//       CHECK:     vector.load %[[X]]
//       CHECK:     arith.select %[[IN]]
//   CHECK-NOT:     vector.load %[[X]]
//       CHECK:     gpu.shuffle
//   CHECK-NOT:     vector.load %[[X]]
//       CHECK:     scf.if %[[IN]]
//       CHECK:       vector.store
//       CHECK:   gpu.return
func.func private @one_block(%x: memref<5x76xf32>, %y: memref<5x76xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 5) by (j = 76) ins(%x[i, j] : memref<5x76xf32>) outs(%y[i, j] : memref<5x76xf32>)
      schedule(#sinter.gpu_rows<threads = 32, blocks = 3, vector = 4, residency = "registers">) {
  ^row(%a: tensor<76xf32>):
    %s = sinter.row_reduce add %a : tensor<76xf32> -> f32
    %sb = sinter.broadcast %s : f32 -> tensor<76xf32>
    %q = arith.divf %a, %sb : tensor<76xf32>
    sinter.yield %q : tensor<76xf32>
  }
  return
}

// -----

// Two blocks share a row: each leaves its sum in the other's shared memory and waits for the other's. The pair is
// the unit of the grid. The row has one sum only: two mbarriers by turns keep the next row's out of it.

// CHECK-LABEL: func.func private @cluster
//       CHECK:   call @sinter_rt_launch({{.*}}%c6_i64
//       CHECK: gpu.func @cluster
//  CHECK-SAME:   nvvm.cluster_dim = array<i32: 2>
//       CHECK:   %[[GROUP:.+]] = arith.divui %block_id_x, %c2
//       CHECK:   %[[RANK:.+]] = arith.remui %block_id_x, %c2
//       CHECK:   "mbarrier.init
//       CHECK:   "mbarrier.init
//       CHECK:   nvvm.cluster.arrive.relaxed {aligned}
//       CHECK:   nvvm.cluster.wait {aligned}
//       CHECK:   scf.for %[[ROW:.+]] = %[[GROUP]] to %c5{{.*}} step %c3
//       CHECK:     %[[COUNT:.+]] = arith.divui %[[ROW]], %c3
//       CHECK:     arith.remui %[[COUNT]], %c2
//   CHECK-NOT:     nvvm.cluster
//       CHECK:     "mbarrier.arrive.expect_tx{{.*}}%c8_i32
//       CHECK:     "st.async{{.*}}.b32
//       CHECK:     mbarrier.try_wait.parity.acquire.cluster
func.func private @cluster(%x: memref<5x76xf32>, %y: memref<5x76xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 5) by (j = 76) ins(%x[i, j] : memref<5x76xf32>) outs(%y[i, j] : memref<5x76xf32>)
      schedule(#sinter.gpu_rows<threads = 32, blocks = 7, vector = 4, residency = "registers", cluster = 2>) {
  ^row(%a: tensor<76xf32>):
    %s = sinter.row_reduce add %a : tensor<76xf32> -> f32
    %sb = sinter.broadcast %s : f32 -> tensor<76xf32>
    %q = arith.divf %a, %sb : tensor<76xf32>
    sinter.yield %q : tensor<76xf32>
  }
  return
}

// -----

func.func private @too_long(%x: memref<5x2000xf32>, %y: memref<5xf32>) attributes {sinter.kernel} {
  // expected-error @+1 {{rows of 2000 columns are 63 vectors for each thread: registers hold 32; more threads or a larger cluster are needed}}
  sinter.rowwise (i = 5) by (j = 2000) ins(%x[i, j] : memref<5x2000xf32>) outs(%y[i] : memref<5xf32>)
      schedule(#sinter.gpu_rows<threads = 32, residency = "registers">) {
  ^row(%a: tensor<2000xf32>):
    %s = sinter.row_reduce add %a : tensor<2000xf32> -> f32
    sinter.yield %s : f32
  }
  return
}

// -----

func.func private @shared_by_a_team(%x: memref<5x8xf32>, %y: memref<5xf32>) attributes {sinter.kernel} {
  // expected-error @+1 {{cluster = 2 needs columns and no team}}
  sinter.rowwise (i = 5) by (j = 8) ins(%x[i, j] : memref<5x8xf32>) outs(%y[i] : memref<5xf32>)
      schedule(#sinter.gpu_rows<threads = 32, team = 8, cluster = 2>) {
  ^row(%a: tensor<8xf32>):
    %s = sinter.row_reduce add %a : tensor<8xf32> -> f32
    sinter.yield %s : f32
  }
  return
}

// RUN: sinter-opt --sinter-lower-gpu %s | FileCheck %s

// Where a launch reads more than the second cache holds (once = 1), 16 bytes of what one form reads once come with a
// policy of their own. What two forms read (%v), and what one has written (%y), do not.

// CHECK: gpu.func @main_kernel0(%{{.*}}: memref<8xf32>{{.*}}, %[[V:.*]]: memref<16x8xf32>{{.*}}, %[[W:.*]]: memref<64x8xf32>
// CHECK: %[[P:.*]] = llvm.inline_asm has_side_effects "createpolicy.fractional.L2::evict_first.b64 $0, 1.0;"
// CHECK: vector.load %[[V]]
// CHECK: red.release.gpu
// The third form's weights are on their way before the wait for its phase is over: what it holds of them.
// CHECK: llvm.inline_asm has_side_effects "ld.global.L1::no_allocate.L2::cache_hint.v4.b32 {$0, $1, $2, $3}, [$4], $5;"
// CHECK-SAME: "=r,=r,=r,=r,l,l" %{{.*}}, %[[P]]
// CHECK: ld.acquire.gpu
// Of one phase, and without shared memory: its threads do not meet between the second form and the third.
// CHECK: gpu.barrier
// CHECK: vector.load %[[V]]
// CHECK-NOT: gpu.barrier
// CHECK-NOT: vector.load %[[W]]
// CHECK: gpu.return
func.func private @main_kernel0(%x: memref<8xf32>, %v: memref<16x8xf32>, %w: memref<64x8xf32>, %y: memref<16xf32>,
    %z: memref<16xf32>, %u: memref<64xf32>) attributes {sinter.kernel} {
  sinter.sequence phases [0, 1, 1] schedule(#sinter.gpu_sequence<threads = 128, blocks = 32, once = 1>) {
    sinter.rowwise (i = 16) by (j = 8) ins(%x[j] : memref<8xf32>, %v[i, j] : memref<16x8xf32>)
        outs(%y[i] : memref<16xf32>) schedule(#sinter.gpu_rows<threads = 32, blocks = 16, team = 1, vector = 4>) {
    ^row(%a: tensor<8xf32>, %b: tensor<8xf32>):
      %m = arith.mulf %a, %b : tensor<8xf32>
      %s = sinter.row_reduce add %m : tensor<8xf32> -> f32
      sinter.yield %s : f32
    }
    sinter.rowwise (i = 16) by (j = 8) ins(%y[i] : memref<16xf32>, %v[i, j] : memref<16x8xf32>)
        outs(%z[i] : memref<16xf32>) schedule(#sinter.gpu_rows<threads = 32, blocks = 16, team = 1, vector = 4>) {
    ^row(%a: f32, %b: tensor<8xf32>):
      %s = sinter.row_reduce add %b : tensor<8xf32> -> f32
      %t = arith.addf %s, %a : f32
      sinter.yield %t : f32
    }
    sinter.rowwise (i = 64) by (j = 8) ins(%y[0] : memref<16xf32>, %w[i, j] : memref<64x8xf32>)
        outs(%u[i] : memref<64xf32>)
        schedule(#sinter.gpu_rows<threads = 32, blocks = 64, held = 1, occupancy = 16, residency = "registers", vector = 4>) {
    ^row(%a: f32, %b: tensor<8xf32>):
      %s = sinter.row_reduce add %b : tensor<8xf32> -> f32
      %t = arith.addf %s, %a : f32
      sinter.yield %t : f32
    }
    sinter.yield
  }
  return
}

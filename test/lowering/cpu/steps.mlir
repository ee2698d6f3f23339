// RUN: sinter-opt --pass-pipeline='builtin.module(sinter-schedule,sinter-outline,sinter-lower-cpu)' %s | FileCheck %s
// RUN: not sinter-opt --sinter-outline --sinter-lower-cpu %s 2>&1 | FileCheck %s --check-prefix=NONE

// A task has a row: its scratch memory, then each step as a loop. Rows' values are added in the order of tasks.

// CHECK-LABEL: func.func private @sum_kernel0(
//  CHECK-SAME:     %{{.+}}: memref<4x8xf32>, %[[E:.+]]: memref<f32>) attributes {sinter.kernel}
//       CHECK:   %[[P:.+]] = memref.alloca() {alignment = 64 : i64} : memref<4xf32>
//       CHECK:   call @sinter_rt_parallel(%{{.+}}, %{{.+}}, %c4_i64)
//       CHECK:   %[[S:.+]] = scf.for
//       CHECK:     memref.load %[[P]]
//       CHECK:   memref.store %[[S]], %[[E]][]
// CHECK-LABEL: func.func private @sum_kernel0_task
//       CHECK:   %[[M:.+]] = memref.alloca() {alignment = 64 : i64} : memref<8xf32>
//       CHECK:   scf.for %[[I:[^ ]+]] =
//       CHECK:     scf.for %[[J:[^ ]+]] =
//       CHECK:       memref.load %{{.+}}[%[[I]], %[[J]]]
//       CHECK:       memref.store %{{.+}}, %[[M]][%[[J]]]
//       CHECK:     scf.for {{.*}} -> (f32)
//       CHECK:       memref.load %[[M]]
//       CHECK:       arith.maximumf
//   CHECK-NOT:   scf.parallel
//   CHECK-NOT:   sinter.steps

// NONE: error: 'sinter.steps' op has no schedule #sinter.rows: run sinter-schedule{target=cpu} first
func.func @sum(%x: tensor<4x8xf32>) -> tensor<f32> {
  %0 = tensor.empty() : tensor<f32>
  %e = sinter.steps rows(0) ins(%x : tensor<4x8xf32>) values(%0 : tensor<f32>) -> tensor<f32> {
  ^row(%i: index, %a: memref<4x8xf32>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %z = arith.constant 0.0 : f32
    %n = memref.dim %a, %c1 : memref<4x8xf32>
    %m = memref.alloca(%n) : memref<?xf32>
    scf.parallel (%j) = (%c0) to (%c8) step (%c1) {
      %v = memref.load %a[%i, %j] : memref<4x8xf32>
      memref.store %v, %m[%j] : memref<?xf32>
    }
    %s = scf.parallel (%j) = (%c0) to (%c8) step (%c1) init (%z) -> f32 {
      %v = memref.load %m[%j] : memref<?xf32>
      scf.reduce(%v : f32) {
      ^bb0(%p: f32, %q: f32):
        %r = arith.maximumf %p, %q : f32
        scf.reduce.return %r : f32
      }
    }
    sinter.yield %s : f32
  }
  return %e : tensor<f32>
}

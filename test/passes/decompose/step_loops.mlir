// RUN: sinter-opt --sinter-decompose %s | FileCheck %s

// Rows are a loop, steps are loops in it, scratch memory is allocated in front.

// CHECK-LABEL: func @sum
//   CHECK-DAG:   %[[X:.+]] = bufferization.to_buffer %{{.+}} read_only : tensor<4x8xf32> to memref<4x8xf32>
//   CHECK-DAG:   %[[M:.+]] = memref.alloc(%{{.+}}) : memref<?xf32>
//       CHECK:   %[[S:.+]] = scf.for %[[I:[^ ]+]] = %{{.+}} to %c4{{.*}} iter_args
//       CHECK:     scf.for %[[J:[^ ]+]] = {{.*}} to %c8
//       CHECK:       memref.load %[[X]][%[[I]], %[[J]]]
//       CHECK:       memref.store %{{.+}}, %[[M]][%[[J]]]
//       CHECK:     %[[R:.+]] = scf.for {{.*}} -> (f32)
//       CHECK:       arith.maximumf
//       CHECK:     arith.addf %{{.+}}, %[[R]]
//       CHECK:   memref.store %[[S]], %[[E:.+]][] : memref<f32>
//       CHECK:   bufferization.to_tensor %[[E]] restrict writable
//   CHECK-NOT:   sinter
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

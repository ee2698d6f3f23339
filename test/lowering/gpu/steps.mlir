// RUN: sinter-opt --pass-pipeline='builtin.module(sinter-schedule{target=gpu},sinter-outline,sinter-lower-gpu)' %s | FileCheck %s
// RUN: sinter-opt --sinter-gpu='format=isa' %s | FileCheck %s --check-prefix=PTX
// RUN: not sinter-opt --sinter-outline --sinter-lower-gpu %s 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not sinter-opt --pass-pipeline='builtin.module(sinter-schedule{target=gpu},sinter-outline,sinter-lower-gpu)' %S/Inputs/steps_dynamic.mlir 2>&1 | FileCheck %s --check-prefix=SIZE

// A block has a row, its threads the lanes of a step; scratch memory is shared memory. A barrier stands behind a step
// that stores; what a step combines is combined over the block, then over the grid.

// CHECK-LABEL: gpu.func @sum_kernel0(
//  CHECK-SAME:     %[[X:[^ ]+]]: memref<4x8xf32> {llvm.noalias}, %{{[^ ]+}}: memref<f32> {llvm.noalias}, %{{[^ ]+}}: memref<{{[0-9]+}}xi8>, %{{[^ ]+}}: i64, %{{[^ ]+}}: i64)
//  CHECK-SAME:     workgroup(%[[M:[^ ]+]] : memref<8xf32, #gpu.address_space<workgroup>>
//       CHECK:   scf.for %[[I:[^ ]+]] = %{{.+}} to %c4
//       CHECK:     scf.for %[[J:[^ ]+]] = %{{.+}} to %c8
//       CHECK:       memref.load %[[X]][%[[I]], %[[J]]]
//       CHECK:       memref.store %{{.+}}, %[[M]][%[[J]]]
//       CHECK:     gpu.barrier
//       CHECK:     scf.for {{.*}} -> (f32)
//       CHECK:       memref.load %[[M]]
//       CHECK:       arith.maximumf
//       CHECK:     gpu.shuffle
//       CHECK:     gpu.barrier
//       CHECK:   atom.acq_rel
//   CHECK-NOT:   scf.parallel

// PTX: .visible .entry sum_kernel0
// PTX: bar.sync

// NONE: error: 'sinter.steps' op has no #sinter.gpu_rows schedule: run sinter-schedule{target=gpu} before sinter-lower-gpu

// SIZE: error: 'memref.alloca' op has a size that is known only when it runs, and a GPU's scratch memory is allocated before: make the sizes static
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

// A store outside of steps is one thread's, between barriers that all threads come to. No memory is of no bytes: a
// GPU's kernel gets one element for an argument of size 0, and has one for scratch memory that has none.

// CHECK-LABEL: gpu.func @alone_kernel0(
//  CHECK-SAME:     memref<4x8xf32> {llvm.noalias}, %[[T:[^ ]+]]: memref<1xi64> {llvm.noalias}
//  CHECK-SAME:     workgroup(%[[M:[^ ]+]] : memref<1xf32, #gpu.address_space<workgroup>>
//       CHECK:   memref.reinterpret_cast %[[T]] to offset: [0], sizes: [4, 0], strides: [%{{.+}}, 1] : memref<1xi64> to memref<4x0xi64>
//       CHECK:   memref.reinterpret_cast %[[M]] to offset: [0], sizes: [0], strides: [1]
//       CHECK:     gpu.barrier
//  CHECK-NEXT:     scf.if %{{.+}} {
//  CHECK-NEXT:       memref.store %{{.+}}, %{{.+}} : memref<4xf32>
//  CHECK-NEXT:     }
//  CHECK-NEXT:     gpu.barrier

// PTX: .visible .entry alone_kernel0
func.func @alone(%x: tensor<4x8xf32>, %t: tensor<4x0xi64>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = tensor.empty() : tensor<4xf32>
  %e:2 = sinter.steps rows(0) ins(%x, %t : tensor<4x8xf32>, tensor<4x0xi64>) outs(%0 : tensor<4xf32>) values(%0 : tensor<4xf32>) -> tensor<4xf32>, tensor<4xf32> {
  ^row(%i: index, %a: memref<4x8xf32>, %b: memref<4x0xi64>, %d: memref<4xf32>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = memref.dim %b, %c1 : memref<4x0xi64>
    %m = memref.alloca(%n) : memref<?xf32>
    %v = memref.load %a[%i, %c0] : memref<4x8xf32>
    memref.store %v, %d[%i] : memref<4xf32>
    scf.parallel (%j) = (%c0) to (%n) step (%c1) {
      memref.store %v, %m[%j] : memref<?xf32>
    }
    sinter.yield %v : f32
  }
  return %e#0, %e#1 : tensor<4xf32>, tensor<4xf32>
}

// RUN: sinter-opt --sinter-lower-gpu --split-input-file --verify-diagnostics %s | FileCheck %s

// What no turn makes is read in front of the loop: of its two vectors of 64 columns a thread has both. In a turn only
// what is carried is read, and what is stored in the loop is not held, though it is from outside.

// CHECK-LABEL: gpu.func @k(
//       CHECK:   memref.load %{{.+}} : memref<64x64xf32>
//       CHECK:   memref.load %{{.+}} : memref<64x64xf32>
//   CHECK-NOT:   memref.load
//       CHECK:   scf.for %{{.+}} = %c0{{.*}} to %c5{{.*}} iter_args
//   CHECK-NOT:   memref<64x64xf32>
//       CHECK:   memref.load %{{.+}} : memref<64xf32>
//       CHECK:   memref.load %{{.+}} : memref<64xf32>
//       CHECK:   memref.load %{{.+}} : memref<64xf32>
//       CHECK:   memref.load %{{.+}} : memref<64xf32>
//   CHECK-NOT:   memref<64x64xf32>
//       CHECK:   gpu.return
func.func private @k(%x: memref<64xf32>, %a: memref<64xf32>, %b: memref<64xf32>, %w: memref<64x64xf32>, %v: memref<64xf32>) attributes {sinter.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  sinter.sequence phases [0, 1] schedule(#sinter.gpu_sequence<blocks = 64, threads = 64>) {
    %r:3 = scf.for %t = %c0 to %c5 step %c1 iter_args(%from = %x, %to = %a, %next = %b) -> (memref<64xf32>, memref<64xf32>, memref<64xf32>) {
      sinter.rowwise (i = 64) by (k = 64) ins(%from[k] : memref<64xf32>, %w[k, i] : memref<64x64xf32>, %v[k] : memref<64xf32>) outs(%to[i] : memref<64xf32>)
          schedule(#sinter.gpu_rows<threads = 32, blocks = 64, occupancy = 32, residency = "registers", held = 1>) {
      ^row(%u: tensor<64xf32>, %c: tensor<64xf32>, %d: tensor<64xf32>):
        %m = arith.mulf %u, %c : tensor<64xf32>
        %n = arith.mulf %m, %d : tensor<64xf32>
        %s = sinter.row_reduce add %n : tensor<64xf32> -> f32
        sinter.yield %s : f32
      }
      sinter.rowwise (i = 64) by () ins(%to[i] : memref<64xf32>) outs(%v[i] : memref<64xf32>) schedule(#sinter.gpu_rows<threads = 32, blocks = 2>) {
      ^row(%u: f32):
        %n = arith.addf %u, %u : f32
        sinter.yield %n : f32
      }
      scf.yield %to, %next, %to : memref<64xf32>, memref<64xf32>, memref<64xf32>
    }
    sinter.yield
  }
  return
}

// -----

func.func private @too_many(%x: memref<64xf32>, %a: memref<64xf32>, %b: memref<64xf32>, %w: memref<64x64xf32>) attributes {sinter.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  sinter.sequence phases [0] schedule(#sinter.gpu_sequence<blocks = 2, threads = 64>) {
    %r:3 = scf.for %t = %c0 to %c5 step %c1 iter_args(%from = %x, %to = %a, %next = %b) -> (memref<64xf32>, memref<64xf32>, memref<64xf32>) {
      // expected-error @below {{holds what it reads over turns in 64 blocks, in a sequence that runs 4 of them at once}}
      sinter.rowwise (i = 64) by (k = 64) ins(%from[k] : memref<64xf32>, %w[k, i] : memref<64x64xf32>) outs(%to[i] : memref<64xf32>)
          schedule(#sinter.gpu_rows<threads = 32, blocks = 64, occupancy = 2, residency = "registers", held = 1>) {
      ^row(%u: tensor<64xf32>, %c: tensor<64xf32>):
        %m = arith.mulf %u, %c : tensor<64xf32>
        %s = sinter.row_reduce add %m : tensor<64xf32> -> f32
        sinter.yield %s : f32
      }
      scf.yield %to, %next, %to : memref<64xf32>, memref<64xf32>, memref<64xf32>
    }
    sinter.yield
  }
  return
}

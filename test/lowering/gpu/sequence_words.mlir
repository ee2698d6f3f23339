// RUN: sinter-opt --sinter-lower-gpu --split-input-file --verify-diagnostics %s | FileCheck %s

// Words of two turns are cleared in front of the first phase. A turn waits at no counter: it polls the words of its own
// number into shared memory, behind a number of the row, and its rows store those of the next turn. So of three blocks
// two barriers are counted, each turn for nothing.

// CHECK-LABEL: gpu.func @k(
//       CHECK:   %[[CLEAR:.+]] = arith.constant 0 : i64
//       CHECK:   llvm.inline_asm {{.*}}"st.relaxed.gpu.global.b64 [$0], $1;"{{.*}} %{{.+}}, %c0_i64
//       CHECK:   red.release.gpu.global.add.u64
//       CHECK:   scf.for %[[T:.+]] = %c0{{.*}} to %c5{{.*}} iter_args
//   CHECK-NOT:   red.release
//       CHECK:     gpu.barrier
//       CHECK:     memref.load %{{.+}} : memref<64xf32>
//       CHECK:     %[[TAG:.+]] = arith.index_cast %[[T]] : index to i32
//       CHECK:     scf.if
//       CHECK:       ld.relaxed.gpu.global.v2.b64 {{.*}}, %[[TAG]] :
//       CHECK:       memref.store {{.*}} : memref<64xf32, #gpu.address_space<workgroup>>
//       CHECK:       memref.store {{.*}} : memref<64xf32, #gpu.address_space<workgroup>>
//       CHECK:     } else {
//       CHECK:     gpu.barrier
//       CHECK:     memref.load {{.*}} : memref<64xf32, #gpu.address_space<workgroup>>
//       CHECK:     memref.store {{.*}} : memref<64xf32>
//       CHECK:     %[[WORD:.+]] = arith.ori
//       CHECK:     st.relaxed.gpu.global.b64 {{.*}}, %[[WORD]] :
//   CHECK-NOT:   red.release
//       CHECK:   %[[ALL:.+]] = arith.muli %c2_i64{{.*}}, %{{.+}} : i64
//       CHECK:   atom.acq_rel.gpu.global.add.u64
func.func private @k(%x: memref<64xf32>, %a: memref<64xf32>, %b: memref<64xf32>, %w: memref<64x64xf32>, %v: memref<64xf32>) attributes {sinter.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  sinter.sequence phases [0, 1] schedule(#sinter.gpu_sequence<blocks = 64, threads = 64, words = 1>) {
    sinter.rowwise (i = 64) by () ins(%v[i] : memref<64xf32>) outs(%x[i] : memref<64xf32>) schedule(#sinter.gpu_rows<threads = 32, blocks = 2, occupancy = 4>) {
    ^row(%u: f32):
      %n = arith.addf %u, %u : f32
      sinter.yield %n : f32
    }
    %r:3 = scf.for %t = %c0 to %c5 step %c1 iter_args(%from = %x, %to = %a, %next = %b) -> (memref<64xf32>, memref<64xf32>, memref<64xf32>) {
      sinter.rowwise (i = 64) by (k = 64) ins(%from[k] : memref<64xf32>, %w[k, i] : memref<64x64xf32>, %v[i] : memref<64xf32>) outs(%to[i] : memref<64xf32>)
          schedule(#sinter.gpu_rows<threads = 32, blocks = 64, occupancy = 32, residency = "registers", held = 1>) {
      ^row(%u: tensor<64xf32>, %c: tensor<64xf32>, %d: f32):
        %m = arith.mulf %u, %c : tensor<64xf32>
        %s = sinter.row_reduce add %m : tensor<64xf32> -> f32
        %z = arith.addf %s, %d : f32
        sinter.yield %z : f32
      }
      scf.yield %to, %next, %to : memref<64xf32>, memref<64xf32>, memref<64xf32>
    }
    sinter.yield
  }
  return
}

// -----

// Rows of another turn's memory that are read elsewhere, and no words: each turn would have to wait for all.

func.func private @no_words(%x: memref<64xf32>, %a: memref<64xf32>, %b: memref<64xf32>, %w: memref<64x64xf32>, %v: memref<64xf32>) attributes {sinter.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  // expected-error @below {{has a schedule with words = 1, and no loop whose turns can hand each other words}}
  sinter.sequence phases [0] schedule(#sinter.gpu_sequence<blocks = 64, threads = 64, words = 1>) {
    %r:3 = scf.for %t = %c0 to %c5 step %c1 iter_args(%from = %x, %to = %a, %next = %b) -> (memref<64xf32>, memref<64xf32>, memref<64xf32>) {
      sinter.rowwise (i = 64) by (k = 64) ins(%from[k] : memref<64xf32>, %w[k, i] : memref<64x64xf32>) outs(%to[i] : memref<64xf32>)
          schedule(#sinter.gpu_rows<threads = 32, blocks = 64, occupancy = 32, residency = "registers", held = 1>) {
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

// RUN: sinter-opt --sinter-lower-cpu --canonicalize --cse --split-input-file --verify-diagnostics %s | FileCheck %s

// An exponential is computed once: the phase that sums it stores it, the next loads it.

// CHECK-LABEL: func.func private @softmax_task(
//       CHECK:   %[[B:.+]] = memref.alloca() {alignment = 64 : i64} : memref<12xf32>
//       CHECK:   scf.for
//       CHECK:     scf.for
//       CHECK:       arith.maximumf
//       CHECK:     scf.for %[[J:.+]] = %c0 to %c12
//       CHECK:       %[[E:.+]] = math.exp
//       CHECK:       vector.store %[[E]], %[[B]][%[[J]]]
//       CHECK:     scf.for %[[J:.+]] = %c0 to %c12
//   CHECK-NOT:       math.exp
//       CHECK:       %[[E:.+]] = vector.load %[[B]][%[[J]]]
//       CHECK:       arith.divf %[[E]]
func.func private @softmax(%x: memref<5x12xf32>, %y: memref<5x12xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 5) by (j = 12) ins(%x[i, j] : memref<5x12xf32>) outs(%y[i, j] : memref<5x12xf32>)
      schedule(#sinter.rows<chunk = 2, lanes = 4, residency = "buffer">) {
  ^row(%a: tensor<12xf32>):
    %m = sinter.row_reduce maximumf %a : tensor<12xf32> -> f32
    %mb = sinter.broadcast %m : f32 -> tensor<12xf32>
    %d = arith.subf %a, %mb : tensor<12xf32>
    %e = math.exp %d : tensor<12xf32>
    %s = sinter.row_reduce add %e : tensor<12xf32> -> f32
    %sb = sinter.broadcast %s : f32 -> tensor<12xf32>
    %p = arith.divf %e, %sb : tensor<12xf32>
    sinter.yield %p : tensor<12xf32>
  }
  return
}

// -----

// A long row is allocated.

// CHECK-LABEL: func.func private @long_task(
//       CHECK:   memref.alloc() {alignment = 64 : i64} : memref<8192xf32>
func.func private @long(%x: memref<5x8192xf32>, %y: memref<5x8192xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 5) by (j = 8192) ins(%x[i, j] : memref<5x8192xf32>) outs(%y[i, j] : memref<5x8192xf32>)
      schedule(#sinter.rows<chunk = 2, lanes = 16, residency = "buffer">) {
  ^row(%a: tensor<8192xf32>):
    %e = math.exp %a : tensor<8192xf32>
    %s = sinter.row_reduce add %e : tensor<8192xf32> -> f32
    %sb = sinter.broadcast %s : f32 -> tensor<8192xf32>
    %p = arith.divf %e, %sb : tensor<8192xf32>
    sinter.yield %p : tensor<8192xf32>
  }
  return
}

// -----

// One phase has nothing to keep.

// CHECK-LABEL: func.func private @one_phase_task(
//   CHECK-NOT:   memref.alloc
func.func private @one_phase(%x: memref<5x12xf32>, %y: memref<5x12xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 5) by (j = 12) ins(%x[i, j] : memref<5x12xf32>) outs(%y[i, j] : memref<5x12xf32>)
      schedule(#sinter.rows<chunk = 2, lanes = 4, residency = "buffer">) {
  ^row(%a: tensor<12xf32>):
    %e = math.exp %a : tensor<12xf32>
    sinter.yield %e : tensor<12xf32>
  }
  return
}

// -----

func.func private @unknown_length(%x: memref<4x?xf32>, %y: memref<4x?xf32>) attributes {sinter.kernel} {
  // expected-error @below {{a row of unknown length has a buffer of a known size: schedule with buffer_to}}
  sinter.rowwise (i = 4) by (j = ?) ins(%x[i, j] : memref<4x?xf32>) outs(%y[i, j] : memref<4x?xf32>)
      schedule(#sinter.rows<chunk = 1, lanes = 4, residency = "buffer">) {
  ^row(%a: tensor<?xf32>):
    sinter.yield %a : tensor<?xf32>
  }
  return
}

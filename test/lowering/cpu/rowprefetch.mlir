// RUN: sinter-opt --sinter-lower-cpu --canonicalize --cse --split-input-file %s | FileCheck %s

// The first loop asks for what it will read 256 bytes later; the last one for the next row. A line of 64 bytes is asked
// for once, a vector of 8 bytes is less than one.

// CHECK-LABEL: func.func private @both_task(
//       CHECK:   scf.for %[[I:.+]] =
//       CHECK:     %[[NEXT:.+]] = arith.addi %[[I]], %c1
//       CHECK:     scf.for %[[J:.+]] = %c0 to %c80 step %c16
//       CHECK:       %[[A:.+]] = arith.addi %[[J]], %c64
//       CHECK:       memref.prefetch %[[X:.+]][%[[I]], %[[A]]], read, locality<3>, data
//   CHECK-NOT:       memref.prefetch
//       CHECK:       vector.load %[[X]]
//       CHECK:     scf.for %[[J:.+]] = %c0 to %c80
//       CHECK:       memref.prefetch %[[X]][%[[NEXT]], %[[J]]]
//   CHECK-NOT:       memref.prefetch
//       CHECK:       vector.store
func.func private @both(%x: memref<5x80xf32>, %b: memref<80xf32>, %y: memref<5x80xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 5) by (j = 80) ins(%x[i, j] : memref<5x80xf32>, %b[j] : memref<80xf32>) outs(%y[i, j] : memref<5x80xf32>)
      schedule(#sinter.rows<chunk = 2, lanes = 4, unroll = 4, prefetch = 256, next = "early">) {
  ^row(%a: tensor<80xf32>, %c: tensor<80xf32>):
    %s = sinter.row_reduce add %a : tensor<80xf32> -> f32
    %sb = sinter.broadcast %s : f32 -> tensor<80xf32>
    %q = arith.divf %a, %sb : tensor<80xf32>
    %r = arith.addf %q, %c : tensor<80xf32>
    sinter.yield %r : tensor<80xf32>
  }
  return
}

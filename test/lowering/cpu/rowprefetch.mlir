// RUN: sinter-opt --sinter-lower-cpu --canonicalize --cse --split-input-file %s | FileCheck %s

// The first loop asks for what it will read 256 bytes later, and for the next row; the last one, which stores, for
// nothing. A line of 64 bytes is asked for once, a vector of 8 bytes is less than one.

// CHECK-LABEL: func.func private @both_task(
//       CHECK:   scf.for %[[I:.+]] =
//       CHECK:     %[[NEXT:.+]] = arith.addi %[[I]], %c1
//       CHECK:     scf.for %[[J:.+]] = %c0 to %c80 step %c16
//       CHECK:       %[[A:.+]] = arith.addi %[[J]], %c64
//       CHECK:       memref.prefetch %[[X:.+]][%[[I]], %[[A]]], read, locality<3>, data
//       CHECK:       memref.prefetch %[[X]][%[[NEXT]], %[[J]]], read, locality<2>, data
//   CHECK-NOT:       memref.prefetch
//       CHECK:       vector.load %[[X]]
//       CHECK:     scf.for %{{.+}} = %c0 to %c80
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

// -----

// Farther than 2048 bytes, the second cache is asked.

// CHECK-LABEL: func.func private @far_task(
//       CHECK:     scf.for %[[J:.+]] = %c0 to %c4096 step %c64
//       CHECK:       %[[FAR:.+]] = arith.addi %[[J]], %c2048
//       CHECK:       memref.prefetch %{{.+}}[%{{.+}}, %[[FAR]]], read, locality<2>, data
// CHECK-COUNT-3:       memref.prefetch {{.*}} locality<2>
//       CHECK:       %[[NEAR:.+]] = arith.addi %[[J]], %c512
//       CHECK:       memref.prefetch %{{.+}}[%{{.+}}, %[[NEAR]]], read, locality<3>, data
func.func private @far(%x: memref<5x4096xf32>, %y: memref<5xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 5) by (j = 4096) ins(%x[i, j] : memref<5x4096xf32>) outs(%y[i] : memref<5xf32>)
      schedule(#sinter.rows<chunk = 2, lanes = 16, unroll = 4, prefetch = 8192>) {
  ^row(%a: tensor<4096xf32>):
    %s = sinter.row_reduce add %a : tensor<4096xf32> -> f32
    sinter.yield %s : f32
  }
  return
}

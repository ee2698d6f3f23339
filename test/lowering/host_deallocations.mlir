// RUN: sinter-opt --sinter-deallocations --split-input-file %s | FileCheck %s

// What is allocated is freed.

// CHECK-LABEL: func.func @allocates
//       CHECK:   %[[M:.+]] = memref.alloc
//       CHECK:   memref.copy
//       CHECK:   memref.dealloc %[[M]]
//  CHECK-NEXT:   return
func.func @allocates(%x: memref<?xf32>, %n: index) {
  %m = memref.alloc(%n) : memref<?xf32>
  memref.copy %x, %m : memref<?xf32> to memref<?xf32>
  return
}

// -----

// A loop that hands on a buffer frees the others.

// CHECK-LABEL: func.func @hands_on
//       CHECK:   scf.for
//       CHECK:     memref.dealloc
//       CHECK:   memref.copy
//       CHECK:   memref.dealloc
//       CHECK:   return
func.func @hands_on(%x: memref<4xf32>, %y: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %m = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> memref<4xf32> {
    %n = memref.alloc() : memref<4xf32>
    memref.copy %a, %n : memref<4xf32> to memref<4xf32>
    scf.yield %n : memref<4xf32>
  }
  memref.copy %m, %y : memref<4xf32> to memref<4xf32>
  return
}

// -----

// Parts of the workspace are nobody's to free: what is left is cleaned up, and nothing is cloned or freed.

// CHECK-LABEL: func.func @none(
//  CHECK-SAME:     %[[X:.+]]: memref<4xf32>, %[[W:.+]]: memref<?xi8>)
//       CHECK:   %[[V:.+]] = memref.view %[[W]]
//  CHECK-NEXT:   memref.copy %[[X]], %[[V]]
//  CHECK-NEXT:   return
func.func @none(%x: memref<4xf32>, %w: memref<?xi8>) {
  %c0 = arith.constant 0 : index
  %also = arith.constant 0 : index
  %v = memref.view %w[%c0][] : memref<?xi8> to memref<4xf32>
  %same = memref.view %w[%also][] : memref<?xi8> to memref<4xf32>
  memref.copy %x, %same : memref<4xf32> to memref<4xf32>
  return
}

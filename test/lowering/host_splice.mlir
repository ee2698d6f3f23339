// RUN: sinter-opt --sinter-splice %s | FileCheck %s

// Operations of functions that were cut are where the functions are called, in one that was cut itself, too.

// CHECK-LABEL: func @main
//  CHECK-SAME:   %[[X:.+]]: memref<4xf32>, %[[F:.+]]: f32
//  CHECK-NEXT:   %[[C:.+]] = arith.constant 0
//  CHECK-NEXT:   memref.store %[[F]], %[[X]][%[[C]]]
//  CHECK-NEXT:   %[[V:.+]] = memref.load %[[X]][%[[C]]]
//  CHECK-NEXT:   call @other(%[[V]])
//  CHECK-NEXT:   return %[[V]]
//       CHECK: func.func private @other
//   CHECK-NOT: sinter.cut
func.func @main(%x: memref<4xf32>, %f: f32) -> f32 {
  %v:2 = call @main_cut1(%x, %f) : (memref<4xf32>, f32) -> (memref<4xf32>, f32)
  call @other(%v#1) : (f32) -> ()
  return %v#1 : f32
}
func.func private @main_cut1(%x: memref<4xf32>, %f: f32) -> (memref<4xf32>, f32) attributes {sinter.cut} {
  %c0 = arith.constant 0 : index
  %y = call @main_cut0(%x, %f, %c0) : (memref<4xf32>, f32, index) -> memref<4xf32>
  %v = memref.load %y[%c0] : memref<4xf32>
  return %y, %v : memref<4xf32>, f32
}
func.func private @main_cut0(%x: memref<4xf32>, %f: f32, %i: index) -> memref<4xf32> attributes {sinter.cut} {
  memref.store %f, %x[%i] : memref<4xf32>
  return %x : memref<4xf32>
}
func.func private @other(f32)

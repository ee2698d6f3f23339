// RUN: sinter-opt --sinter-workspace --split-input-file --verify-diagnostics %s | FileCheck %s

// Buffers that are alive at the same time lie side by side, at multiples of 256;
// one that comes after the last use of another takes its place.

// CHECK-LABEL: func @liveness
//  CHECK-SAME:   %[[W:[^:]+]]: memref<?xi8>) attributes {sinter.workspace_bytes = 396 : i64}
//       CHECK:   %[[A:.+]] = memref.view %[[W]][%c0{{.*}}][] : memref<?xi8> to memref<5x7xf32>
//       CHECK:   %[[O:.+]] = arith.constant 256 : index
//       CHECK:   %[[B:.+]] = memref.view %[[W]][%[[O]]][] : memref<?xi8> to memref<5x7xf32>
//       CHECK:   memref.copy %[[A]], %[[B]]
//       CHECK:   %[[C:.+]] = memref.view %[[W]][%c0{{.*}}][] : memref<?xi8> to memref<2xf32>
//   CHECK-NOT:   memref.{{(de)?}}alloc
func.func @liveness(%y: memref<5x7xf32>) {
  %z = arith.constant 0.0 : f32
  %c = arith.constant 0 : index
  %a = memref.alloc() : memref<5x7xf32>
  linalg.fill ins(%z : f32) outs(%a : memref<5x7xf32>)
  %b = memref.alloc() : memref<5x7xf32>
  memref.copy %a, %b : memref<5x7xf32> to memref<5x7xf32>
  %d = memref.alloc() : memref<2xf32>
  memref.store %z, %d[%c] : memref<2xf32>
  memref.copy %b, %y : memref<5x7xf32> to memref<5x7xf32>
  memref.dealloc %a : memref<5x7xf32>
  memref.dealloc %b : memref<5x7xf32>
  memref.dealloc %d : memref<2xf32>
  return
}

// -----

// A view keeps its buffer alive, and so does a use inside of a loop.

// CHECK-LABEL: func @views
//  CHECK-SAME:   sinter.workspace_bytes = 516 : i64
func.func @views(%y: memref<f32>) {
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<1x1xf32>
  %v = memref.collapse_shape %a [] : memref<1x1xf32> into memref<f32>
  %b = memref.alloc() : memref<f32>
  linalg.fill ins(%z : f32) outs(%b : memref<f32>)
  %c = memref.alloc() : memref<f32>
  linalg.fill ins(%z : f32) outs(%c : memref<f32>)
  scf.for %i = %c0 to %c1 step %c1 {
    memref.copy %b, %y : memref<f32> to memref<f32>
  }
  memref.copy %v, %y : memref<f32> to memref<f32>
  return
}

// -----

// A small one that comes first does not keep large ones from its place: the largest are placed first where that takes
// less. 512 + 256 bytes, not 256 + 512 + 256.

// CHECK-LABEL: func @largest_first
//  CHECK-SAME:   attributes {sinter.workspace_bytes = 768 : i64}
func.func private @use(%x: memref<64xf32>)
func.func private @use_both(%x: memref<128xf32>, %y: memref<64xf32>)
func.func @largest_first() {
  %a = memref.alloc() : memref<64xf32>
  call @use(%a) : (memref<64xf32>) -> ()
  %b = memref.alloc() : memref<64xf32>
  call @use(%a) : (memref<64xf32>) -> ()
  call @use(%b) : (memref<64xf32>) -> ()
  %c = memref.alloc() : memref<128xf32>
  call @use_both(%c, %b) : (memref<128xf32>, memref<64xf32>) -> ()
  memref.dealloc %a : memref<64xf32>
  memref.dealloc %b : memref<64xf32>
  memref.dealloc %c : memref<128xf32>
  return
}

// -----

// What a loop allocates, or is of a computed size, stays.

// CHECK-LABEL: func @stays
//  CHECK-SAME:   (%{{.+}}: index, %{{.+}}: memref<?xi8>) attributes {sinter.workspace_bytes = 0 : i64}
//       CHECK:   memref.alloc(%{{.+}}) : memref<?xf32>
//       CHECK:   scf.for
//  CHECK-NEXT:     memref.alloc() : memref<3xf32>
func.func @stays(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc(%n) : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %b = memref.alloc() : memref<3xf32>
    memref.dealloc %b : memref<3xf32>
  }
  memref.dealloc %a : memref<?xf32>
  return
}

// -----

// A kernel's own function has its buffers from its caller.

// CHECK-LABEL: func private @kernel
//  CHECK-SAME:   (%{{.+}}: memref<3xf32>) attributes {sinter.kernel}
func.func private @kernel(%x: memref<3xf32>) attributes {sinter.kernel} {
  return
}

// -----

// expected-error @+1 {{has 1 results: expected out arguments}}
func.func @results(%x: memref<3xf32>) -> memref<3xf32> {
  return %x : memref<3xf32>
}

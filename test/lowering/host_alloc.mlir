// RUN: sinter-opt --sinter-allocations --split-input-file --verify-diagnostics %s | FileCheck %s

// Sizes that come with the call are multiplied by the runtime, which looks; what is known is multiplied here.

// CHECK-LABEL: func.func @sizes
//  CHECK-SAME:   (%[[I:.+]]: index, %[[J:.+]]: index)
//       CHECK:   %[[M:.+]] = arith.index_cast %[[I]] : index to i64
//       CHECK:   %[[C:.+]] = arith.constant 32 : i64
//       CHECK:   %[[B:.+]] = call @sinter_rt_bytes(%[[C]], %[[M]]) : (i64, i64) -> i64
//       CHECK:   %[[N:.+]] = arith.index_cast %[[J]] : index to i64
//       CHECK:   call @sinter_rt_bytes(%[[B]], %[[N]])
//  CHECK-NEXT:   memref.alloc(%[[I]], %[[J]])
//   CHECK-NOT:   sinter_rt_bytes
//       CHECK:   memref.alloc() : memref<4x8xf32>
func.func @sizes(%i: index, %j: index) {
  %m = memref.alloc(%i, %j) : memref<?x8x?xf32>
  %k = memref.alloc() : memref<4x8xf32>
  return
}

// -----

// A size of 0 does not hide the others: strides are their products.
func.func @too_large() {
  // expected-error @+1 {{needs a buffer of memref<4294967296x0x4294967296xf32>: more bytes than memory can address}}
  %m = memref.alloc() : memref<4294967296x0x4294967296xf32>
  return
}

// -----

func.func @too_large_beside_unknown(%i: index) {
  // expected-error @+1 {{needs a buffer of memref<4294967296x?x4294967296xi8>: more bytes than memory can address}}
  %m = memref.alloc(%i) : memref<4294967296x?x4294967296xi8>
  return
}

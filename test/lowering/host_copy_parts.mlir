// RUN: sinter-opt --sinter-copy-parts %s | FileCheck %s

// The first columns of a buffer are not dense, and a cast that says so is a copy.

// CHECK-LABEL: func @columns
// CHECK-SAME:      %[[X:.*]]: memref<4x?xf32>, %[[N:.*]]: index
// CHECK:         %[[S:.*]] = memref.subview %[[X]]
// CHECK:         %[[D:.*]] = memref.dim %[[S]]
// CHECK:         %[[A:.*]] = memref.alloc(%[[D]]) : memref<4x?xf32>
// CHECK:         memref.copy %[[S]], %[[A]] : memref<4x?xf32, strided<[?, 1]>> to memref<4x?xf32>
// CHECK:         call @kernel(%[[A]])
// CHECK-NOT:     memref.cast
func.func private @kernel(memref<4x?xf32>)
func.func @columns(%x: memref<4x?xf32>, %n: index) {
  %s = memref.subview %x[0, 0] [4, %n] [1, 1] : memref<4x?xf32> to memref<4x?xf32, strided<[?, 1]>>
  %c = memref.cast %s : memref<4x?xf32, strided<[?, 1]>> to memref<4x?xf32>
  call @kernel(%c) : (memref<4x?xf32>) -> ()
  return
}

// A step that nobody knows may be that of a dense buffer as well; where the buffer has a layout, nobody knows its own.

// CHECK-LABEL: func @unknown
// CHECK:         memref.alloc
// CHECK:         memref.copy
// CHECK:         memref.alloc
// CHECK:         memref.copy
func.func @unknown(%x: memref<4x?xf32, strided<[?, 1]>>, %n: index, %m: index) -> (memref<4x?xf32>, memref<?x?xf32>) {
  %c = memref.cast %x : memref<4x?xf32, strided<[?, 1]>> to memref<4x?xf32>
  %s = memref.subview %x[0, 0] [%n, %m] [1, 1] : memref<4x?xf32, strided<[?, 1]>> to memref<?x?xf32, strided<[?, 1]>>
  %d = memref.cast %s : memref<?x?xf32, strided<[?, 1]>> to memref<?x?xf32>
  return %c, %d : memref<4x?xf32>, memref<?x?xf32>
}

// The first rows of an argument and of an allocation are dense; so are columns of a single row, and a cast to what has
// a layout is none of this pass's.

// CHECK-LABEL: func @rows
// CHECK-COUNT-4: memref.cast
// CHECK-NOT:     memref.copy
func.func @rows(%x: memref<?x?xf32>, %n: index, %m: index)
    -> (memref<?x?xf32>, memref<?x?xf32>, memref<1x?xf32>, memref<?x?xf32, strided<[?, ?]>>) {
  %c1 = arith.constant 1 : index
  %d = memref.dim %x, %c1 : memref<?x?xf32>
  %s = memref.subview %x[0, 0] [%n, %d] [1, 1] : memref<?x?xf32> to memref<?x?xf32, strided<[?, 1]>>
  %c = memref.cast %s : memref<?x?xf32, strided<[?, 1]>> to memref<?x?xf32>
  %a = memref.alloc(%n, %m) : memref<?x?xf32>
  %t = memref.subview %a[0, 0] [%n, %m] [1, 1] : memref<?x?xf32> to memref<?x?xf32, strided<[?, 1]>>
  %e = memref.cast %t : memref<?x?xf32, strided<[?, 1]>> to memref<?x?xf32>
  %u = memref.subview %x[0, 0] [1, %n] [1, 1] : memref<?x?xf32> to memref<1x?xf32, strided<[?, 1]>>
  %f = memref.cast %u : memref<1x?xf32, strided<[?, 1]>> to memref<1x?xf32>
  %g = memref.cast %s : memref<?x?xf32, strided<[?, 1]>> to memref<?x?xf32, strided<[?, ?]>>
  return %c, %e, %f, %g : memref<?x?xf32>, memref<?x?xf32>, memref<1x?xf32>, memref<?x?xf32, strided<[?, ?]>>
}

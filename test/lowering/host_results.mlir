// RUN: sinter-opt --sinter-results %s | FileCheck %s

// A result whose size depends on data goes where its caller said, if it is as long as that.

// CHECK-LABEL: func @made
//  CHECK-SAME:   %[[Y:.+]]: memref<?x4xf32>, %[[N:.+]]: memref<f32>, %[[OUT:.+]]: memref<?x4xf32>, %[[TO:.+]]: memref<f32>)
//       CHECK:   %[[MADE:.+]] = memref.dim %[[Y]]
//       CHECK:   %[[ROOM:.+]] = memref.dim %[[OUT]]
//       CHECK:   %[[SAME:.+]] = arith.cmpi eq, %[[MADE]], %[[ROOM]]
//       CHECK:   cf.assert %[[SAME]]
//       CHECK:   memref.copy %[[Y]], %[[OUT]]
//   CHECK-NOT:   cf.assert
//       CHECK:   memref.copy %[[N]], %[[TO]]
//  CHECK-NEXT:   return
func.func @made(%y: memref<?x4xf32>, %n: memref<f32>) -> (memref<?x4xf32>, memref<f32>)
    attributes {sinter.sizes_of_data} {
  return %y, %n : memref<?x4xf32>, memref<f32>
}

// RUN: sinter-opt --sinter-split-views %s | FileCheck %s

// A split in two sizes that are not known is the same memory; one size that is not known is left to upstream.

// CHECK-LABEL: func @split
// CHECK-SAME:      %[[X:.*]]: memref<?x?xf32>, %[[A:.*]]: index, %[[B:.*]]: index, %[[C:.*]]: index
// CHECK:         %[[M:.*]], %{{.*}}, %{{.*}}:2, %[[S:.*]]:2 = memref.extract_strided_metadata %[[X]]
// CHECK:         %[[P:.*]] = arith.muli %[[S]]#0, %[[B]] : index
// CHECK:         memref.reinterpret_cast %[[M]] to offset: [0], sizes: [%[[A]], %[[B]], %[[C]]], strides: [%[[P]], %[[S]]#0, 1]
// CHECK-SAME:        : memref<f32> to memref<?x?x?xf32>
func.func @split(%x: memref<?x?xf32>, %a: index, %b: index, %c: index) -> memref<?x?x?xf32> {
  %y = memref.expand_shape %x [[0, 1], [2]] output_shape [%a, %b, %c] : memref<?x?xf32> into memref<?x?x?xf32>
  return %y : memref<?x?x?xf32>
}

// Strides and an offset of its own, and a size between that is known.

// CHECK-LABEL: func @strided
// CHECK:         %[[M:.*]], %[[O:.*]], %{{.*}}, %[[S:.*]] = memref.extract_strided_metadata
// CHECK:         memref.reinterpret_cast %[[M]] to offset: [%[[O]]], sizes: [%{{.*}}, 4, %{{.*}}], strides: [%{{.*}}, %{{.*}}, %[[S]]]
func.func @strided(%x: memref<?xf32, strided<[?], offset: ?>>, %a: index, %b: index)
    -> memref<?x4x?xf32, strided<[?, ?, ?], offset: ?>> {
  %y = memref.expand_shape %x [[0, 1, 2]] output_shape [%a, 4, %b]
      : memref<?xf32, strided<[?], offset: ?>> into memref<?x4x?xf32, strided<[?, ?, ?], offset: ?>>
  return %y : memref<?x4x?xf32, strided<[?, ?, ?], offset: ?>>
}

// CHECK-LABEL: func @known
// CHECK:         memref.expand_shape
func.func @known(%x: memref<?xf32>, %a: index) -> memref<?x4xf32> {
  %y = memref.expand_shape %x [[0, 1]] output_shape [%a, 4] : memref<?xf32> into memref<?x4xf32>
  return %y : memref<?x4xf32>
}

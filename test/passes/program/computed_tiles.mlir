// RUN: sinter-opt %s --sinter-ordinary --canonicalize --cse | FileCheck %s

// Tiles whose size is computed: each element is read where it comes from, and what no element comes to is the padding.

// CHECK-LABEL: func @pack
//  CHECK-SAME:   (%[[X:.+]]: tensor<?x6xf32>, %[[N:.+]]: index, %[[P:.+]]: f32, %[[E:.+]]: tensor<6x?x?xf32>)
//       CHECK:   %[[D:.+]] = tensor.dim %[[X]], %[[ZERO:.+]] : tensor<?x6xf32>
//       CHECK:   linalg.generic {{.*}} outs(%{{.+}} : tensor<6x?x?xf32>)
//       CHECK:     %[[J:.+]] = linalg.index 0 : index
//       CHECK:     %[[O:.+]] = linalg.index 1 : index
//       CHECK:     %[[T:.+]] = linalg.index 2 : index
//       CHECK:     %[[M:.+]] = arith.muli %[[O]], %[[N]] : index
//       CHECK:     %[[I:.+]] = arith.addi %[[M]], %[[T]] : index
//       CHECK:     %[[IN:.+]] = arith.cmpi ult, %[[I]], %[[D]] : index
//       CHECK:     %[[AT:.+]] = arith.select %[[IN]], %[[I]], %[[ZERO]] : index
//       CHECK:     %[[V:.+]] = tensor.extract %[[X]][%[[AT]], %[[J]]] : tensor<?x6xf32>
//       CHECK:     %[[Y:.+]] = arith.select %[[IN]], %[[V]], %[[P]] : f32
//       CHECK:     linalg.yield %[[Y]] : f32
func.func @pack(%x: tensor<?x6xf32>, %n: index, %p: f32, %e: tensor<6x?x?xf32>) -> tensor<6x?x?xf32> {
  %y = linalg.pack %x padding_value(%p : f32) outer_dims_perm = [1, 0] inner_dims_pos = [0] inner_tiles = [%n]
      into %e : tensor<?x6xf32> -> tensor<6x?x?xf32>
  return %y : tensor<6x?x?xf32>
}

// Without a padding all tiles are whole.

// CHECK-LABEL: func @whole
//   CHECK-NOT:   arith.select
//       CHECK:   tensor.extract
func.func @whole(%x: tensor<?xf32>, %n: index, %e: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %y = linalg.pack %x inner_dims_pos = [0] inner_tiles = [%n] into %e : tensor<?xf32> -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// Tiles of known sizes are reshapes.

// CHECK-LABEL: func @known
//       CHECK:   tensor.expand_shape
//   CHECK-NOT:   tensor.extract
func.func @known(%x: tensor<8x6xf32>, %e: tensor<4x6x2xf32>) -> tensor<4x6x2xf32> {
  %y = linalg.pack %x inner_dims_pos = [0] inner_tiles = [2] into %e : tensor<8x6xf32> -> tensor<4x6x2xf32>
  return %y : tensor<4x6x2xf32>
}

// RUN: sinter-opt %s --pass-pipeline='builtin.module(func.func(sinter-ordinary))' --split-input-file --verify-diagnostics | FileCheck %s

// Ops that stand for others become those.

// CHECK-LABEL: func @softmax
//   CHECK-NOT:   linalg.softmax
//       CHECK:   math.exp
//       CHECK:   arith.divf
func.func @softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %r = linalg.softmax dimension(1) ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// CHECK-LABEL: func @pack
//       CHECK:   tensor.insert_slice %{{.+}} into %{{.+}}[0, 0] [5, 8] [1, 1] : tensor<5x8xf32> into tensor<6x8xf32>
//       CHECK:   tensor.expand_shape
//       CHECK:   linalg.transpose
//   CHECK-NOT:   linalg.pack
func.func @pack(%x: tensor<5x8xf32>, %z: f32) -> tensor<3x4x2x2xf32> {
  %e = tensor.empty() : tensor<3x4x2x2xf32>
  %r = linalg.pack %x padding_value(%z : f32) inner_dims_pos = [0, 1] inner_tiles = [2, 2] into %e : tensor<5x8xf32> -> tensor<3x4x2x2xf32>
  return %r : tensor<3x4x2x2xf32>
}

// -----

// A window that leaves input over where all else of its subscript is of size 1: what it reads is cut out. The other
// dimension has two windows, and stays.

// CHECK-LABEL: func @leftover
//       CHECK:   %[[S:.+]] = tensor.extract_slice %{{.+}}[0, 0, 0] [5, 2, 5] [1, 1, 1] : tensor<5x3x5xf32> to tensor<5x2x5xf32>
//       CHECK:   linalg.generic {{.*}} ins(%[[S]], %{{.+}} : tensor<5x2x5xf32>, tensor<2x2xf32>)
func.func @leftover(%x: tensor<5x3x5xf32>, %w: tensor<2x2xf32>, %i: tensor<5x1x2xf32>) -> tensor<5x1x2xf32> {
  %r = linalg.generic {
      indexing_maps = [affine_map<(n, h, w, a, b) -> (n, h * 2 + a, w * 2 + b)>, affine_map<(n, h, w, a, b) -> (a, b)>,
                       affine_map<(n, h, w, a, b) -> (n, h, w)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : tensor<5x3x5xf32>, tensor<2x2xf32>) outs(%i : tensor<5x1x2xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.addf %p, %o : f32
    linalg.yield %s : f32
  } -> tensor<5x1x2xf32>
  return %r : tensor<5x1x2xf32>
}

// -----

// A gather extracts: what it gathers is a column of the indices each, all else the position.

// CHECK-LABEL: func @gather
//       CHECK:   linalg.generic {{.*}} ins(%[[T:.+]], %[[T]] : tensor<7x2xindex>, tensor<7x2xindex>) outs(%{{.+}} : tensor<7x4xf32>)
//       CHECK:   ^bb0(%[[A:.+]]: index, %[[B:.+]]: index, %{{.+}}: f32):
//       CHECK:     %[[J:.+]] = linalg.index 1
//       CHECK:     tensor.extract %{{.+}}[%[[A]], %[[J]], %[[B]]]
func.func @gather(%x: tensor<3x4x5xf32>, %t: tensor<7x2xindex>) -> tensor<7x4xf32> {
  %y = tensor.gather %x[%t] gather_dims([0, 2]) unique : (tensor<3x4x5xf32>, tensor<7x2xindex>) -> tensor<7x4xf32>
  return %y : tensor<7x4xf32>
}

// -----

// Attention divides by the root of its depth; what is hidden altogether is 0.

// CHECK-LABEL: func @attention
//       CHECK:   arith.constant 2.000000e+00
//       CHECK:   math.exp
//       CHECK:   arith.cmpf oeq
//       CHECK:   -> tensor<2x5x6xf32>
//   CHECK-NOT:   tm_tensor
func.func @attention(%q: tensor<2x5x4xf32>, %k: tensor<2x7x4xf32>, %v: tensor<2x7x6xf32>, %m: tensor<2x5x7xi1>) -> tensor<2x5x6xf32> {
  %e = tensor.empty() : tensor<2x5x6xf32>
  %y = tm_tensor.attention ins(%q, %k, %v, %m : tensor<2x5x4xf32>, tensor<2x7x4xf32>, tensor<2x7x6xf32>, tensor<2x5x7xi1>) outs(%e : tensor<2x5x6xf32>) -> tensor<2x5x6xf32>
  return %y : tensor<2x5x6xf32>
}

// -----

// A padding below 0 takes elements away: those are no part of what is read, with bounds too.

// CHECK-LABEL: func @crop
//       CHECK:   %[[S:.+]] = tensor.extract_slice %{{.+}}[0, 1, 0] [2, 6, 5] [1, 1, 1] : tensor<2x7x7xf32> to tensor<2x6x5xf32>
//       CHECK:   tensor.pad %[[S]] low[0, 0, 3] high[0, 1, 0]
func.func @crop(%x: tensor<2x7x7xf32>) -> tensor<2x7x8xf32> {
  %c = arith.constant 0.0 : f32
  %y = tensor.pad %x low[0, -1, 3] high[0, 1, -2] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %c : f32
  } : tensor<2x7x7xf32> to tensor<2x7x8xf32>
  return %y : tensor<2x7x8xf32>
}

// CHECK-LABEL: func @crop_unknown
//       CHECK:   %[[N:.+]] = tensor.dim
//       CHECK:   %[[M:.+]] = arith.subi %[[N]], %{{.+}}
//       CHECK:   tensor.extract_slice %{{.+}}[0, 0] [%[[M]], 3] [1, 1] : tensor<?x3xf32> to tensor<?x3xf32>
func.func @crop_unknown(%x: tensor<?x3xf32>) -> tensor<?x5xf32> {
  %c = arith.constant 0.0 : f32
  %y = tensor.pad %x low[0, 0] high[-2, 2] {
  ^bb0(%i: index, %j: index):
    tensor.yield %c : f32
  } : tensor<?x3xf32> to tensor<?x5xf32>
  return %y : tensor<?x5xf32>
}

// -----

func.func @two(%q: tensor<2x5x4xf32>, %k: tensor<2x7x4xf32>) -> tensor<2x5x4xf32> {
  // expected-error @+1 {{has 2 inputs and 1 destinations; expected query, key, value, a mask or none, and one destination}}
  %y = tm_tensor.attention ins(%q, %k : tensor<2x5x4xf32>, tensor<2x7x4xf32>) outs(%q : tensor<2x5x4xf32>) -> tensor<2x5x4xf32>
  return %y : tensor<2x5x4xf32>
}

// -----

func.func @tosa(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{is TOSA's, and the program is read as linalg; --input-dialect=tosa reads TOSA}}
  %y = tosa.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// A tensor that is made index by index is a loop over its elements; arithmetic on indices is arith's; edges that are
// constants are numbers.

// CHECK-LABEL: func @generate
//   CHECK-NOT:   tensor.generate
//       CHECK:   linalg.generic {{.*}} outs(%{{.+}} : tensor<?x4xf32>)
//       CHECK:     %[[I:.+]] = linalg.index 0 : index
//       CHECK:     %[[J:.+]] = linalg.index 1 : index
//       CHECK:     %[[K:.+]] = arith.muli %[[I]], %[[J]] : index
//       CHECK:     tensor.extract %{{.+}}[%[[K]]]
func.func @generate(%x: tensor<?xf32>, %n: index) -> tensor<?x4xf32> {
  %t = tensor.generate %n {
  ^bb0(%i: index, %j: index):
    %k = arith.muli %i, %j : index
    %v = tensor.extract %x[%k] : tensor<?xf32>
    tensor.yield %v : f32
  } : tensor<?x4xf32>
  return %t : tensor<?x4xf32>
}

// CHECK-LABEL: func @indices
//   CHECK-NOT:   index.
//       CHECK:   %[[M:.+]] = arith.muli %{{.+}}, %{{.+}} : index
//       CHECK:   arith.remui %[[M]], %{{.+}} : index
func.func @indices(%i: index, %j: index) -> index {
  %m = index.mul %i, %j
  %r = index.remu %m, %j
  return %r : index
}

// CHECK-LABEL: func @pad
//  CHECK-SAME:   (%{{.+}}: tensor<3x8xf32>, %[[N:.+]]: index)
//       CHECK:   tensor.pad %{{.+}} low[1, %[[N]]] high[0, 3]
func.func @pad(%x: tensor<3x8xf32>, %n: index) -> tensor<4x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %z = arith.constant 1.5 : f32
  %y = tensor.pad %x low[%c1, %n] high[%c0, %c3] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : f32
  } : tensor<3x8xf32> to tensor<4x?xf32>
  return %y : tensor<4x?xf32>
}

// An edge that is computed is a tensor of its own, with the operand inserted; a size `?` is the sum of all three.

// CHECK-LABEL: func @computed_edge
//  CHECK-SAME:   (%[[X:.+]]: tensor<3x?xf32>, %[[N:.+]]: index)
//       CHECK:   %[[D:.+]] = tensor.dim %[[X]], %{{.+}} : tensor<3x?xf32>
//       CHECK:   %[[L:.+]] = arith.addi %[[D]], %{{.+}} : index
//       CHECK:   %[[W:.+]] = arith.addi %[[L]], %[[N]] : index
//       CHECK:   tensor.empty(%[[W]]) : tensor<4x?xf32>
//       CHECK:   %[[E:.+]] = linalg.generic
//       CHECK:     linalg.index 1 : index
//       CHECK:   tensor.insert_slice %[[X]] into %[[E]][0, 2] [3, %[[D]]] [1, 1]
func.func @computed_edge(%x: tensor<3x?xf32>, %n: index) -> tensor<4x?xf32> {
  %y = tensor.pad %x low[0, 2] high[1, %n] {
  ^bb0(%i: index, %j: index):
    %k = arith.index_cast %j : index to i32
    %v = arith.sitofp %k : i32 to f32
    tensor.yield %v : f32
  } : tensor<3x?xf32> to tensor<4x?xf32>
  return %y : tensor<4x?xf32>
}

// RUN: sinter-opt %s --pass-pipeline='builtin.module(sinter-tm-tensor)' --split-input-file --verify-diagnostics | FileCheck %s

// A sum along the last dimension: a row keeps it in a register. Constants in the region come along.

// CHECK-LABEL: func @last
//       CHECK:   sinter.steps rows(0) ins(%{{.+}} : tensor<4x9xf32>) outs(%{{.+}} : tensor<4x9xf32>) -> tensor<4x9xf32> {
//       CHECK:   ^{{.+}}(%[[I:.+]]: index, %[[X:.+]]: memref<4x9xf32>, %[[Y:.+]]: memref<4x9xf32>):
//       CHECK:     scf.parallel
//       CHECK:       %[[V:.+]] = memref.load %[[X]][%[[I]], %{{.+}}]
//       CHECK:       memref.store %[[V]], %[[Y]][%[[I]], %{{.+}}]
//       CHECK:       scf.for %[[T:.+]] = %{{.+}} iter_args(%[[P:.+]] = %[[V]]) -> (f32) {
//       CHECK:         %[[A:.+]] = memref.load %[[X]][%[[I]], %[[T]]]
//       CHECK:         %[[C:.+]] = arith.constant 5.000000e-01
//       CHECK:         %[[H:.+]] = arith.mulf %[[P]], %[[C]]
//       CHECK:         %[[S:.+]] = arith.addf %[[H]], %[[A]]
//       CHECK:         memref.store %[[S]], %[[Y]][%[[I]], %[[T]]]
//       CHECK:         scf.yield %[[S]]
//   CHECK-NOT:   tm_tensor
func.func @last(%x: tensor<4x9xf32>) -> tensor<4x9xf32> {
  %half = arith.constant 0.5 : f32
  %0 = tensor.empty() : tensor<4x9xf32>
  %1 = tensor.empty() : tensor<4xf32>
  %s:2 = tm_tensor.scan dimension(1) inclusive(true) ins(%x : tensor<4x9xf32>) outs(%0, %1 : tensor<4x9xf32>, tensor<4xf32>) {
  ^bb0(%p: f32, %v: f32):
    %2 = arith.mulf %p, %half : f32
    %3 = arith.addf %2, %v : f32
    tm_tensor.yield %3 : f32
  } -> tensor<4x9xf32>, tensor<4xf32>
  return %s#0 : tensor<4x9xf32>
}

// -----

// In the middle, exclusive, of an unknown size: dimensions in front are rows, those behind are lanes, and nothing is
// scanned where there is nothing.

// CHECK-LABEL: func @middle
//       CHECK:   tensor.collapse_shape %{{.+}} {{\[\[}}0, 1], [2], [3, 4]] : tensor<2x3x?x5x7xi32> into tensor<6x?x35xi32>
//       CHECK:   sinter.steps rows(0) ins(%{{.+}}, %{{.+}} : tensor<6x?x35xi32>, tensor<6x35xi32>) outs(%{{.+}} : tensor<6x?x35xi32>)
//       CHECK:     arith.select %{{.+}}, %{{.+}}, %{{.+}} : index
//       CHECK:     scf.parallel
//       CHECK:     scf.for
//       CHECK:       scf.parallel
//       CHECK:         arith.muli
//       CHECK:   tensor.expand_shape %{{.+}} {{\[\[}}0, 1], [2], [3, 4]]
func.func @middle(%x: tensor<2x3x?x5x7xi32>, %e: tensor<2x3x?x5x7xi32>, %one: tensor<2x3x5x7xi32>) -> tensor<2x3x?x5x7xi32> {
  %s:2 = tm_tensor.scan dimension(2) inclusive(false) ins(%x : tensor<2x3x?x5x7xi32>) outs(%e, %one : tensor<2x3x?x5x7xi32>, tensor<2x3x5x7xi32>) {
  ^bb0(%p: i32, %v: i32):
    %2 = arith.muli %p, %v : i32
    tm_tensor.yield %2 : i32
  } -> tensor<2x3x?x5x7xi32>, tensor<2x3x5x7xi32>
  return %s#0 : tensor<2x3x?x5x7xi32>
}

// -----

// The first dimension: one row is added.

// CHECK-LABEL: func @first
//       CHECK:   tensor.expand_shape %{{.+}} {{\[\[}}0, 1]] output_shape [1, 9] : tensor<9xi64> into tensor<1x9xi64>
//       CHECK:   sinter.steps rows(0) ins(%{{.+}} : tensor<1x9xi64>)
//       CHECK:   tensor.collapse_shape %{{.+}} {{\[\[}}0, 1]] : tensor<1x9xi64> into tensor<9xi64>
func.func @first(%x: tensor<9xi64>, %e: tensor<9xi64>, %z: tensor<i64>) -> tensor<9xi64> {
  %s:2 = tm_tensor.scan dimension(0) inclusive(true) ins(%x : tensor<9xi64>) outs(%e, %z : tensor<9xi64>, tensor<i64>) {
  ^bb0(%p: i64, %v: i64):
    %2 = arith.addi %p, %v : i64
    tm_tensor.yield %2 : i64
  } -> tensor<9xi64>, tensor<i64>
  return %s#0 : tensor<9xi64>
}

// -----

func.func @no_such_dimension(%x: tensor<9xf32>, %z: tensor<f32>) -> tensor<9xf32> {
  // expected-error@+1 {{scans dimension 1 of 1}}
  %s:2 = tm_tensor.scan dimension(1) inclusive(true) ins(%x : tensor<9xf32>) outs(%x, %z : tensor<9xf32>, tensor<f32>) {
  ^bb0(%p: f32, %v: f32):
    tm_tensor.yield %v : f32
  } -> tensor<9xf32>, tensor<f32>
  return %s#0 : tensor<9xf32>
}

// -----

// The second result is the last of the first; along a single element it is what there was before.

// CHECK-LABEL: func @last_values
//       CHECK:   %[[Y:.+]] = sinter.steps
//       CHECK:   %[[L:.+]] = tensor.extract_slice %[[Y]][0, 8] [4, 1] [1, 1] : tensor<4x9xf32> to tensor<4xf32>
//       CHECK:   return %[[L]]
func.func @last_values(%x: tensor<4x9xf32>, %z: tensor<4xf32>) -> tensor<4xf32> {
  %s:2 = tm_tensor.scan dimension(1) inclusive(true) ins(%x : tensor<4x9xf32>) outs(%x, %z : tensor<4x9xf32>, tensor<4xf32>) {
  ^bb0(%p: f32, %v: f32):
    tm_tensor.yield %v : f32
  } -> tensor<4x9xf32>, tensor<4xf32>
  return %s#1 : tensor<4xf32>
}

// -----

// Along a size that is not known, there may be no second element.

// CHECK-LABEL: func @last_of_some
//  CHECK-SAME:   %[[Z:[a-z0-9]+]]: tensor<4xf32>)
//       CHECK:   %[[Y:.+]] = sinter.steps
//       CHECK:   %[[N:.+]] = tensor.dim %[[Y]]
//       CHECK:   %[[P:.+]] = arith.cmpi sgt, %[[N]]
//       CHECK:   %[[L:.+]] = scf.if %[[P]]
//       CHECK:     %[[E:.+]] = tensor.extract_slice %[[Y]][0, %{{.+}}] [4, 1] [1, 1]
//       CHECK:     scf.yield %[[E]]
//       CHECK:     scf.yield %[[Z]]
//       CHECK:   return %[[L]]
func.func @last_of_some(%x: tensor<4x?xf32>, %z: tensor<4xf32>) -> tensor<4xf32> {
  %s:2 = tm_tensor.scan dimension(1) inclusive(true) ins(%x : tensor<4x?xf32>) outs(%x, %z : tensor<4x?xf32>, tensor<4xf32>) {
  ^bb0(%p: f32, %v: f32):
    tm_tensor.yield %v : f32
  } -> tensor<4x?xf32>, tensor<4xf32>
  return %s#1 : tensor<4xf32>
}

// -----

func.func @takes(%x: tensor<9xf32>, %z: tensor<f32>, %k: f32) -> tensor<9xf32> {
  %s:2 = tm_tensor.scan dimension(0) inclusive(true) ins(%x : tensor<9xf32>) outs(%x, %z : tensor<9xf32>, tensor<f32>) {
  ^bb0(%p: f32, %v: f32):
    // expected-error@+1 {{in the region of tm_tensor.scan takes a value from outside that is no constant}}
    %2 = arith.addf %p, %k : f32
    tm_tensor.yield %2 : f32
  } -> tensor<9xf32>, tensor<f32>
  return %s#0 : tensor<9xf32>
}

// RUN: sinter-opt --pass-pipeline='builtin.module(sinter-raise{remarks=true})' --split-input-file --verify-diagnostics %s | FileCheck %s

// What is read through, what disappears, and what stays linalg and why. The three
// rules have tests of their own: raise_elementwise, raise_reduce, raise_contract.

// A transpose becomes part of the access.

// CHECK-LABEL: func @transposed
//   CHECK-NOT:   linalg.transpose
//       CHECK:   sinter.rowwise (i = 16) by (j = 8)
//  CHECK-NEXT:     ins(%{{.+}}[j, i] : tensor<8x16xf32>)
func.func @transposed(%x: tensor<8x16xf32>) -> tensor<16x8xf32> {
  %e = tensor.empty() : tensor<16x8xf32>
  %t = linalg.transpose ins(%x : tensor<8x16xf32>) outs(%e : tensor<16x8xf32>) permutation = [1, 0]
  %y = linalg.exp ins(%t : tensor<16x8xf32>) outs(%e : tensor<16x8xf32>) -> tensor<16x8xf32>
  return %y : tensor<16x8xf32>
}

// -----

// A transpose that is a result is a copy.

// CHECK-LABEL: func @transpose_returned
//       CHECK:   sinter.rowwise (i = 16) by (j = 8)
//  CHECK-NEXT:     ins(%{{.+}}[j, i] : tensor<8x16xf32>)
//       CHECK:   ^row(%[[X:.+]]: tensor<8xf32>):
//  CHECK-NEXT:     sinter.yield %[[X]]
func.func @transpose_returned(%x: tensor<8x16xf32>) -> tensor<16x8xf32> {
  %e = tensor.empty() : tensor<16x8xf32>
  %t = linalg.transpose ins(%x : tensor<8x16xf32>) outs(%e : tensor<16x8xf32>) permutation = [1, 0]
  return %t : tensor<16x8xf32>
}

// -----

// Unit dimensions and a broadcast, one on the other.

// CHECK-LABEL: func @unit_dims
//  CHECK-SAME:   %[[X:.+]]: tensor<8x16xf32>, %[[B:.+]]: tensor<1x8x1xf32>
//   CHECK-NOT:   tensor.collapse_shape
//   CHECK-NOT:   linalg.broadcast
//       CHECK:   ins(%[[X]][i, j] : tensor<8x16xf32>, %[[B]][0, i, 0] : tensor<1x8x1xf32>)
func.func @unit_dims(%x: tensor<8x16xf32>, %b: tensor<1x8x1xf32>) -> tensor<8x16xf32> {
  %c = tensor.collapse_shape %b [[0, 1, 2]] : tensor<1x8x1xf32> into tensor<8xf32>
  %e = tensor.empty() : tensor<8x16xf32>
  %r = linalg.broadcast ins(%c : tensor<8xf32>) outs(%e : tensor<8x16xf32>) dimensions = [1]
  %y = linalg.add ins(%x, %r : tensor<8x16xf32>, tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %y : tensor<8x16xf32>
}

// -----

// A reshape that joins two real dimensions is no view: it stays, and is read.

// CHECK-LABEL: func @real_reshape
//       CHECK:   %[[C:.+]] = tensor.collapse_shape
//       CHECK:   ins(%[[C]][i] : tensor<32xf32>)
func.func @real_reshape(%x: tensor<8x4xf32>) -> tensor<32xf32> {
  %c = tensor.collapse_shape %x [[0, 1]] : tensor<8x4xf32> into tensor<32xf32>
  %e = tensor.empty() : tensor<32xf32>
  %y = linalg.exp ins(%c : tensor<32xf32>) outs(%e : tensor<32xf32>) -> tensor<32xf32>
  return %y : tensor<32xf32>
}

// -----

// A fill that is read is a constant in the body; one that is returned is a row program.

// CHECK-LABEL: func @fills
//       CHECK:   sinter.rowwise (i = 8) by (j = 4)
//  CHECK-NEXT:     outs(
//       CHECK:     %[[C:.+]] = arith.constant 2.000000e+00 : f32
//  CHECK-NEXT:     %[[R:.+]] = sinter.broadcast %[[C]]
//  CHECK-NEXT:     sinter.yield %[[R]]
//       CHECK:   sinter.rowwise
//  CHECK-NEXT:     ins(%{{.+}}[i, j] : tensor<8x4xf32>)
//  CHECK-NEXT:     outs(
//       CHECK:     arith.constant 2.000000e+00 : f32
func.func @fills(%x: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  %two = arith.constant 2.0 : f32
  %e = tensor.empty() : tensor<8x4xf32>
  %f = linalg.fill ins(%two : f32) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  %y = linalg.mul ins(%x, %f : tensor<8x4xf32>, tensor<8x4xf32>) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %f, %y : tensor<8x4xf32>, tensor<8x4xf32>
}

// -----

// Scalars from around the op: a constant is repeated inside, a tensor of rank 0 is an
// input, any other value is put into one.

// CHECK-LABEL: func @captured
//  CHECK-SAME:   %[[X:.+]]: tensor<8xf32>, %[[T:.+]]: tensor<f32>, %[[S:.+]]: f32
//       CHECK:   %[[F:.+]] = tensor.from_elements %[[S]] : tensor<f32>
//       CHECK:   ins(%[[X]][i] : tensor<8xf32>, %[[T]][] : tensor<f32>, %[[F]][] : tensor<f32>)
func.func @captured(%x: tensor<8xf32>, %t: tensor<f32>, %s: f32) -> tensor<8xf32> {
  %two = arith.constant 2.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %l = tensor.extract %t[] : tensor<f32>
    %0 = arith.mulf %l, %two : f32
    %1 = arith.mulf %in, %0 : f32
    %2 = arith.addf %1, %s : f32
    linalg.yield %2 : f32
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

// Sizes may be dynamic.

// CHECK-LABEL: func @dynamic
//       CHECK:   sinter.rowwise (i = ?) by (j = ?)
//  CHECK-NEXT:     ins(%{{.+}}[i, j] : tensor<?x?xf32>)
//  CHECK-NEXT:     outs(%{{.+}}[i, j] : tensor<?x?xf32>)
func.func @dynamic(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %y = linalg.exp ins(%x : tensor<?x?xf32>) outs(%x : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// -----

// A sum over a constant has lost the operand with its size.

func.func @lost_size(%x: tensor<?xf32>) -> tensor<f32> {
  %c = arith.constant dense<0.0> : tensor<f32>
  %one = arith.constant 1.0 : f32
  // expected-remark @+1 {{no operand that is left has the size of dimension 0}}
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
      ins(%x : tensor<?xf32>) outs(%c : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %out, %one : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  return %y : tensor<f32>
}

// -----

// A window that moves over its input, and one dimension of the result alone: a reduction over the window.

// CHECK-LABEL: func @window
//       CHECK:   sinter.rowwise (i = 8) by (j = 3)
//  CHECK-NEXT:     ins(%{{.+}}[i + j] : tensor<10xf32>, %{{.+}}[j] : tensor<3xf32>)
func.func @window(%x: tensor<10xf32>, %k: tensor<3xf32>) -> tensor<8xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0 + d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%x, %k : tensor<10xf32>, tensor<3xf32>) outs(%f : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

// Results over different dimensions are not one form.

func.func @two_shapes(%x: tensor<8x4xf32>, %r: tensor<8xf32>) -> (tensor<8x4xf32>, tensor<8xf32>) {
  %e = tensor.empty() : tensor<8x4xf32>
  // expected-remark @+1 {{results over different dimensions}}
  %y:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x4xf32>) outs(%e, %r : tensor<8x4xf32>, tensor<8xf32>) {
  ^bb0(%in: f32, %a: f32, %b: f32):
    %0 = arith.addf %in, %b : f32
    linalg.yield %0, %0 : f32, f32
  } -> (tensor<8x4xf32>, tensor<8xf32>)
  return %y#0, %y#1 : tensor<8x4xf32>, tensor<8xf32>
}

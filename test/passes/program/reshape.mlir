// RUN: sinter-opt --pass-pipeline='builtin.module(sinter-reshape{remarks=true},canonicalize,cse)' --split-input-file --verify-diagnostics %s | FileCheck %s

// A linear layer over folded batch dimensions is one over the dimensions themselves.

// CHECK-LABEL: func @linear
//   CHECK-NOT:   tensor.collapse_shape
//   CHECK-NOT:   linalg.matmul
//       CHECK:   linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "parallel", "reduction"]
//  CHECK-SAME:     ins(%{{.+}}, %{{.+}} : tensor<2x9x32xf32>, tensor<32x5xf32>)
//       CHECK:   -> tensor<2x9x5xf32>
//   CHECK-NOT:   tensor.expand_shape
//       CHECK:   return
func.func @linear(%x: tensor<2x9x32xf32>, %w: tensor<32x5xf32>, %o: tensor<18x5xf32>) -> tensor<2x9x5xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<18x5xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<18x5xf32>) -> tensor<18x5xf32>
  %c = tensor.collapse_shape %x [[0, 1], [2]] : tensor<2x9x32xf32> into tensor<18x32xf32>
  %m = linalg.matmul ins(%c, %w : tensor<18x32xf32>, tensor<32x5xf32>) outs(%f : tensor<18x5xf32>) -> tensor<18x5xf32>
  %y = tensor.expand_shape %m [[0, 1], [2]] output_shape [2, 9, 5] : tensor<18x5xf32> into tensor<2x9x5xf32>
  return %y : tensor<2x9x5xf32>
}

// -----

// Heads are unfolded before they are cut out: one reshape above three slices.

// CHECK-LABEL: func @heads
//  CHECK-SAME:   (%[[X:.+]]: tensor<9x96xf32>)
//       CHECK:   %[[E:.+]] = tensor.expand_shape %[[X]] {{\[\[}}0], [1, 2]] output_shape [9, 12, 8]
//   CHECK-DAG:   tensor.extract_slice %[[E]][0, 4, 0] [9, 4, 8] [1, 1, 1]
//   CHECK-DAG:   tensor.extract_slice %[[E]][0, 8, 0] [9, 4, 8] [1, 1, 1]
//   CHECK-NOT:   tensor.expand_shape
func.func @heads(%x: tensor<9x96xf32>) -> (tensor<9x4x8xf32>, tensor<9x4x8xf32>) {
  %k = tensor.extract_slice %x[0, 32] [9, 32] [1, 1] : tensor<9x96xf32> to tensor<9x32xf32>
  %v = tensor.extract_slice %x[0, 64] [9, 32] [1, 1] : tensor<9x96xf32> to tensor<9x32xf32>
  %kh = tensor.expand_shape %k [[0], [1, 2]] output_shape [9, 4, 8] : tensor<9x32xf32> into tensor<9x4x8xf32>
  %vh = tensor.expand_shape %v [[0], [1, 2]] output_shape [9, 4, 8] : tensor<9x32xf32> into tensor<9x4x8xf32>
  return %kh, %vh : tensor<9x4x8xf32>, tensor<9x4x8xf32>
}

// -----

// The same in a batch of any size, of which a part is taken: what stays one dimension may be cut anywhere.

// CHECK-LABEL: func @heads_of_any_batch
//  CHECK-SAME:   (%[[X:.+]]: tensor<?x96xf32>, %[[I:.+]]: index, %[[N:.+]]: index)
//       CHECK:   %[[D:.+]] = tensor.dim %[[X]], %c0
//       CHECK:   %[[E:.+]] = tensor.expand_shape %[[X]] {{\[\[}}0], [1, 2]] output_shape [%[[D]], 12, 8]
//   CHECK-DAG:   tensor.extract_slice %[[E]][%[[I]], 4, 0] [%[[N]], 4, 8] [2, 1, 1]
//   CHECK-DAG:   tensor.extract_slice %[[E]][%[[I]], 8, 0] [%[[N]], 4, 8] [1, 1, 1]
//   CHECK-NOT:   tensor.expand_shape
func.func @heads_of_any_batch(%x: tensor<?x96xf32>, %i: index, %n: index)
    -> (tensor<?x4x8xf32>, tensor<?x4x8xf32>) {
  %k = tensor.extract_slice %x[%i, 32] [%n, 32] [2, 1] : tensor<?x96xf32> to tensor<?x32xf32>
  %v = tensor.extract_slice %x[%i, 64] [%n, 32] [1, 1] : tensor<?x96xf32> to tensor<?x32xf32>
  %kh = tensor.expand_shape %k [[0], [1, 2]] output_shape [%n, 4, 8] : tensor<?x32xf32> into tensor<?x4x8xf32>
  %vh = tensor.expand_shape %v [[0], [1, 2]] output_shape [%n, 4, 8] : tensor<?x32xf32> into tensor<?x4x8xf32>
  return %kh, %vh : tensor<?x4x8xf32>, tensor<?x4x8xf32>
}

// What is unfolded has a known size.

// CHECK-LABEL: func @unfolds_any_size
//       CHECK:   tensor.extract_slice
//       CHECK:   tensor.expand_shape
func.func @unfolds_any_size(%x: tensor<?x96xf32>, %n: index, %m: index) -> tensor<?x4x96xf32> {
  %k = tensor.extract_slice %x[0, 0] [%n, 96] [1, 1] : tensor<?x96xf32> to tensor<?x96xf32>
  // expected-remark@+1 {{a slice whose place is not known}}
  %kh = tensor.expand_shape %k [[0, 1], [2]] output_shape [%m, 4, 96] : tensor<?x96xf32> into tensor<?x4x96xf32>
  return %kh : tensor<?x4x96xf32>
}

// -----

// A slice that cuts through what is unfolded keeps its place.

// CHECK-LABEL: func @cut
//       CHECK:   tensor.extract_slice
//       CHECK:   tensor.expand_shape
func.func @cut(%x: tensor<9x96xf32>) -> tensor<9x4x8xf32> {
  %k = tensor.extract_slice %x[0, 33] [9, 32] [1, 1] : tensor<9x96xf32> to tensor<9x32xf32>
  // expected-remark@+1 {{the slice cuts through the unfolded dimensions: offset 33 of size 96, 8 in each}}
  %kh = tensor.expand_shape %k [[0], [1, 2]] output_shape [9, 4, 8] : tensor<9x32xf32> into tensor<9x4x8xf32>
  return %kh : tensor<9x4x8xf32>
}

// -----

// So does one with a stride, ...

// CHECK-LABEL: func @stride
//       CHECK:   tensor.extract_slice
//       CHECK:   tensor.expand_shape
func.func @stride(%x: tensor<64xf32>) -> tensor<4x8xf32> {
  %k = tensor.extract_slice %x[0] [32] [2] : tensor<64xf32> to tensor<32xf32>
  // expected-remark@+1 {{unfolds what the slice takes with a stride of 2}}
  %kh = tensor.expand_shape %k [[0, 1]] output_shape [4, 8] : tensor<32xf32> into tensor<4x8xf32>
  return %kh : tensor<4x8xf32>
}

// -----

// ... one at a place that is not known, ...

// CHECK-LABEL: func @somewhere
//       CHECK:   tensor.extract_slice
//       CHECK:   tensor.expand_shape
func.func @somewhere(%x: tensor<64xf32>, %i: index) -> tensor<4x8xf32> {
  %k = tensor.extract_slice %x[%i] [32] [1] : tensor<64xf32> to tensor<32xf32>
  // expected-remark@+1 {{a slice whose place is not known}}
  %kh = tensor.expand_shape %k [[0, 1]] output_shape [4, 8] : tensor<32xf32> into tensor<4x8xf32>
  return %kh : tensor<4x8xf32>
}

// -----

// ... and one that drops a dimension.

// CHECK-LABEL: func @drops
//       CHECK:   tensor.extract_slice
//       CHECK:   tensor.expand_shape
func.func @drops(%x: tensor<3x32xf32>) -> tensor<4x8xf32> {
  %k = tensor.extract_slice %x[1, 0] [1, 32] [1, 1] : tensor<3x32xf32> to tensor<32xf32>
  // expected-remark@+1 {{a slice that drops dimensions}}
  %kh = tensor.expand_shape %k [[0, 1]] output_shape [4, 8] : tensor<32xf32> into tensor<4x8xf32>
  return %kh : tensor<4x8xf32>
}

// -----

// Groups of a group norm: channels and places unfold to common factors.

// CHECK-LABEL: func @groups
//  CHECK-SAME:   (%[[X:.+]]: tensor<3x8x9x7xf32>)
//       CHECK:   %[[E:.+]] = tensor.expand_shape %[[X]] {{\[\[}}0], [1, 2], [3], [4]] output_shape [3, 4, 2, 9, 7]
//       CHECK:   tensor.collapse_shape %[[E]] {{\[\[}}0], [1], [2, 3, 4]]
func.func @groups(%x: tensor<3x8x9x7xf32>) -> tensor<3x4x126xf32> {
  %c = tensor.collapse_shape %x [[0], [1, 2, 3]] : tensor<3x8x9x7xf32> into tensor<3x504xf32>
  %y = tensor.expand_shape %c [[0], [1, 2]] output_shape [3, 4, 126] : tensor<3x504xf32> into tensor<3x4x126xf32>
  return %y : tensor<3x4x126xf32>
}

// -----

// Sizes without common factors stay as they are.

// CHECK-LABEL: func @no_factors
//       CHECK:   tensor.collapse_shape
//       CHECK:   tensor.expand_shape
func.func @no_factors(%x: tensor<4x9xf32>) -> tensor<6x6xf32> {
  %c = tensor.collapse_shape %x [[0, 1]] : tensor<4x9xf32> into tensor<36xf32>
  // expected-remark@+1 {{sizes of the two reshapes that have no common factors}}
  %y = tensor.expand_shape %c [[0, 1]] output_shape [6, 6] : tensor<36xf32> into tensor<6x6xf32>
  return %y : tensor<6x6xf32>
}

// -----

// So do unknown ones that nobody says are made of the same.

// CHECK-LABEL: func @unknown
//       CHECK:   tensor.collapse_shape
//       CHECK:   tensor.expand_shape
func.func @unknown(%x: tensor<?x9xf32>, %n: index) -> tensor<?x6xf32> {
  %c = tensor.collapse_shape %x [[0, 1]] : tensor<?x9xf32> into tensor<?xf32>
  // expected-remark@+1 {{sizes of the two reshapes that have no common factors}}
  %y = tensor.expand_shape %c [[0, 1]] output_shape [%n, 6] : tensor<?xf32> into tensor<?x6xf32>
  return %y : tensor<?x6xf32>
}

// -----

// (n, 64) and (4 * n, 16) are made of n, 4 and 16.

// CHECK-LABEL: func @heads_of_batch
//       CHECK:   %[[N:.+]] = tensor.dim %{{.+}}, %c1 : tensor<10x?x64xf32>
//       CHECK:   %[[E:.+]] = tensor.expand_shape %{{.+}} {{\[\[}}0], [1], [2, 3]] output_shape [10, %[[N]], 4, 16]
//       CHECK:   tensor.collapse_shape %[[E]] {{\[\[}}0], [1, 2], [3]] : tensor<10x?x4x16xf32> into tensor<10x?x16xf32>
func.func @heads_of_batch(%x: tensor<10x?x64xf32>) -> tensor<10x?x16xf32> {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %n = tensor.dim %x, %c1 : tensor<10x?x64xf32>
  %h = arith.muli %n, %c4 : index
  %c = tensor.collapse_shape %x [[0], [1, 2]] : tensor<10x?x64xf32> into tensor<10x?xf32>
  %y = tensor.expand_shape %c [[0], [1, 2]] output_shape [10, %h, 16] : tensor<10x?xf32> into tensor<10x?x16xf32>
  return %y : tensor<10x?x16xf32>
}

// -----

// A reshape to listed sizes is the folds and unfolds that it does.

// CHECK-LABEL: func @listed
//       CHECK:   %[[N:.+]] = tensor.dim %{{.+}}, %c0
//       CHECK:   %[[E:.+]] = tensor.expand_shape %{{.+}} {{\[\[}}0], [1], [2, 3]] output_shape [%[[N]], 10, 4, 16]
//       CHECK:   return %[[E]]
func.func @listed(%x: tensor<?x10x64xf32>) -> tensor<?x10x4x16xf32> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : i64
  %c10 = arith.constant 10 : i64
  %c16 = arith.constant 16 : i64
  %n = tensor.dim %x, %c0 : tensor<?x10x64xf32>
  %m = arith.index_cast %n : index to i64
  %shape = tensor.from_elements %m, %c10, %c4, %c16 : tensor<4xi64>
  %y = tensor.reshape %x(%shape) : (tensor<?x10x64xf32>, tensor<4xi64>) -> tensor<?x10x4x16xf32>
  return %y : tensor<?x10x4x16xf32>
}

// -----

// One whose list comes from outside stays.

// CHECK-LABEL: func @unlisted
//       CHECK:   tensor.reshape
func.func @unlisted(%x: tensor<?x64xf32>, %shape: tensor<2xi64>) -> tensor<?x?xf32> {
  // expected-remark@+1 {{its shape is no list of sizes}}
  %y = tensor.reshape %x(%shape) : (tensor<?x64xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// -----

// An op is not written over a dimension of size 1 that a reshape adds.

// CHECK-LABEL: func @unit
//       CHECK:   linalg.exp
//  CHECK-SAME:     tensor<8xf32>
//       CHECK:   tensor.expand_shape
func.func @unit(%x: tensor<8xf32>) -> tensor<1x8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %y = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  // expected-remark@+1 {{only adds or drops dimensions of size 1}}
  %w = tensor.expand_shape %y [[0, 1]] output_shape [1, 8] : tensor<8xf32> into tensor<1x8xf32>
  return %w : tensor<1x8xf32>
}

// -----

// A convolution keeps its name: its subscripts are sums.

// CHECK-LABEL: func @convolution
//       CHECK:   linalg.conv_1d_nwc_wcf
func.func @convolution(%x: tensor<2x3x8x4xf32>, %w: tensor<3x4x5xf32>, %o: tensor<6x6x5xf32>) -> tensor<6x6x5xf32> {
  %c = tensor.collapse_shape %x [[0, 1], [2], [3]] : tensor<2x3x8x4xf32> into tensor<6x8x4xf32>
  %y = linalg.conv_1d_nwc_wcf ins(%c, %w : tensor<6x8x4xf32>, tensor<3x4x5xf32>) outs(%o : tensor<6x6x5xf32>) -> tensor<6x6x5xf32>
  return %y : tensor<6x6x5xf32>
}

// -----

// Sizes `?` of an unfolding that are asked of what stands behind the op that it moves over are asked of where that has
// them from.

// CHECK-LABEL: func @sizes_behind
//  CHECK-SAME:   (%[[X:.+]]: tensor<?x12x32xf32>
//       CHECK:   %[[N:.+]] = tensor.dim %[[X]]
//   CHECK-NOT:   tensor.dim
//       CHECK:   linalg.generic {{.*}} ins(%{{.+}} : tensor<?x12x4x4x2xf32>)
//   CHECK-NOT:   tensor.expand_shape
//       CHECK:   tensor.collapse_shape
//       CHECK:   tensor.concat
func.func @sizes_behind(%x: tensor<?x12x32xf32>) -> (tensor<?x12x4x4x2xf32>, tensor<?x12x64xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x12x32xf32>
  %e = tensor.empty(%n) : tensor<?x12x32xf32>
  %y = linalg.exp ins(%x : tensor<?x12x32xf32>) outs(%e : tensor<?x12x32xf32>) -> tensor<?x12x32xf32>
  %two = tensor.concat dim(2) %y, %y : (tensor<?x12x32xf32>, tensor<?x12x32xf32>) -> tensor<?x12x64xf32>
  %m = tensor.dim %two, %c0 : tensor<?x12x64xf32>
  %u = tensor.expand_shape %y [[0], [1], [2, 3, 4]] output_shape [%m, 12, 4, 4, 2] : tensor<?x12x32xf32> into tensor<?x12x4x4x2xf32>
  return %u, %two : tensor<?x12x4x4x2xf32>, tensor<?x12x64xf32>
}

// -----

// A transpose that moves nothing but dimensions of size 1 is a reshape.

// CHECK-LABEL: func @ones
//  CHECK-SAME:   (%[[X:.+]]: tensor<2x?x1x7xf32>
//   CHECK-NOT:   linalg.transpose
//       CHECK:   %[[C:.+]] = tensor.collapse_shape %[[X]] {{\[}}[0], [1, 2], [3]] : tensor<2x?x1x7xf32> into tensor<2x?x7xf32>
//       CHECK:   %[[E:.+]] = tensor.expand_shape %[[C]] {{\[}}[0], [1], [2, 3]] output_shape [2, %{{.+}}, 7, 1]
//       CHECK:   return %[[E]]
func.func @ones(%x: tensor<2x?x1x7xf32>, %o: tensor<2x?x7x1xf32>) -> tensor<2x?x7x1xf32> {
  // expected-remark@+1 {{it only adds dimensions of size 1 to what is folded, or what it unfolds has them}}
  %y = linalg.transpose ins(%x : tensor<2x?x1x7xf32>) outs(%o : tensor<2x?x7x1xf32>) permutation = [0, 1, 3, 2]
  return %y : tensor<2x?x7x1xf32>
}

// -----

// In front of all others, too.

// CHECK-LABEL: func @leading_one
//   CHECK-NOT:   linalg.transpose
//       CHECK:   return
func.func @leading_one(%x: tensor<5x1x7xf32>, %o: tensor<1x5x7xf32>) -> tensor<1x5x7xf32> {
  // expected-remark@+1 {{it only adds dimensions of size 1 to what is folded, or what it unfolds has them}}
  %y = linalg.transpose ins(%x : tensor<5x1x7xf32>) outs(%o : tensor<1x5x7xf32>) permutation = [1, 0, 2]
  return %y : tensor<1x5x7xf32>
}

// -----

// CHECK-LABEL: func @more_than_ones
//       CHECK:   linalg.transpose
func.func @more_than_ones(%x: tensor<5x1x7xf32>, %o: tensor<7x1x5xf32>) -> tensor<7x1x5xf32> {
  // expected-remark@+1 {{a transpose of more than dimensions of size 1}}
  %y = linalg.transpose ins(%x : tensor<5x1x7xf32>) outs(%o : tensor<7x1x5xf32>) permutation = [2, 1, 0]
  return %y : tensor<7x1x5xf32>
}

// -----

// Groups of one image: the batch of one that is unfolded and folded away again is none.

// CHECK-LABEL: func @one_image
//  CHECK-SAME:   (%[[X:.+]]: tensor<12x7x5xf32>
//       CHECK:   %[[E:.+]] = tensor.expand_shape %[[X]] {{\[\[}}0, 1], [2], [3]] output_shape [3, 4, 7, 5]
//       CHECK:   %[[Y:.+]] = tensor.collapse_shape %[[E]] {{\[\[}}0], [1], [2, 3]] : tensor<3x4x7x5xf32> into tensor<3x4x35xf32>
//       CHECK:   return %[[Y]]
func.func @one_image(%x: tensor<12x7x5xf32>) -> tensor<3x4x35xf32> {
  %e = tensor.expand_shape %x [[0, 1], [2], [3]] output_shape [1, 12, 7, 5] : tensor<12x7x5xf32> into tensor<1x12x7x5xf32>
  %c = tensor.collapse_shape %e [[0], [1], [2, 3]] : tensor<1x12x7x5xf32> into tensor<1x12x35xf32>
  %g = tensor.expand_shape %c [[0], [1, 2], [3]] output_shape [1, 3, 4, 35] : tensor<1x12x35xf32> into tensor<1x3x4x35xf32>
  %y = tensor.collapse_shape %g [[0, 1], [2], [3]] : tensor<1x3x4x35xf32> into tensor<3x4x35xf32>
  return %y : tensor<3x4x35xf32>
}

// -----

// One of two that is all that there is stays; a number has none; sizes `?` are those of what is left.

// CHECK-LABEL: func @all_ones
//  CHECK-SAME:   %[[N:[^:]+]]: index
//       CHECK:   tensor.expand_shape %{{.+}} {{\[\[}}0], [1, 2]] output_shape [1, %[[N]], 3]
//       CHECK:   tensor.collapse_shape %{{.+}} {{\[\[}}0, 1], [2]] : tensor<1x?x3xf32> into tensor<?x3xf32>
//       CHECK:   tensor.expand_shape %{{.+}} [] output_shape [1]
func.func @all_ones(%n: index, %x: tensor<1x?xf32>, %s: tensor<f32>) -> (tensor<?x3xf32>, tensor<1xf32>) {
  %e = tensor.expand_shape %x [[0, 1], [2, 3]] output_shape [1, 1, %n, 3] : tensor<1x?xf32> into tensor<1x1x?x3xf32>
  %y = tensor.collapse_shape %e [[0, 1, 2], [3]] : tensor<1x1x?x3xf32> into tensor<?x3xf32>
  %u = tensor.expand_shape %s [] output_shape [1, 1] : tensor<f32> into tensor<1x1xf32>
  %v = tensor.collapse_shape %u [[0, 1]] : tensor<1x1xf32> into tensor<1xf32>
  return %y, %v : tensor<?x3xf32>, tensor<1xf32>
}

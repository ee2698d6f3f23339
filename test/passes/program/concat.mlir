// RUN: sinter-opt --pass-pipeline='builtin.module(sinter-concat{remarks=true},canonicalize,cse)' --split-input-file --verify-diagnostics %s | FileCheck %s

// A slice within one piece is one of that piece; what takes all of it is it.

// CHECK-LABEL: func @piece
//  CHECK-SAME:   (%[[X:.+]]: tensor<4x3xf32>, %[[Y:.+]]: tensor<4x5xf32>)
//       CHECK:   %[[S:.+]] = tensor.extract_slice %[[Y]][1, 1] [3, 2] [1, 3] : tensor<4x5xf32> to tensor<3x2xf32>
//       CHECK:   return %[[S]], %[[X]]
func.func @piece(%x: tensor<4x3xf32>, %y: tensor<4x5xf32>) -> (tensor<3x2xf32>, tensor<4x3xf32>) {
  %c = tensor.concat dim(1) %x, %y : (tensor<4x3xf32>, tensor<4x5xf32>) -> tensor<4x8xf32>
  %s = tensor.extract_slice %c[1, 4] [3, 2] [1, 3] : tensor<4x8xf32> to tensor<3x2xf32>
  %t = tensor.extract_slice %c[0, 0] [4, 3] [1, 1] : tensor<4x8xf32> to tensor<4x3xf32>
  return %s, %t : tensor<3x2xf32>, tensor<4x3xf32>
}

// -----

// What a concatenation of concatenations is made of; another reader of the whole changes nothing for it. Its second row
// alone, at a place that nobody knows, stays there.

// CHECK-LABEL: func @deep
//  CHECK-SAME:   (%[[X:.+]]: tensor<4x3xf32>, %[[Y:.+]]: tensor<4x5xf32>, %[[I:.+]]: index)
//       CHECK:   %[[C:.+]] = tensor.concat dim(1) %[[X]], %[[Y]] :
//       CHECK:   %[[D:.+]] = tensor.concat dim(1) %[[C]], %[[X]] :
//       CHECK:   %[[S:.+]] = tensor.extract_slice %[[Y]][%[[I]], 2] [1, 3] [1, 1] : tensor<4x5xf32> to tensor<3xf32>
//       CHECK:   return %[[C]], %[[D]], %[[S]]
func.func @deep(%x: tensor<4x3xf32>, %y: tensor<4x5xf32>, %i: index) -> (tensor<4x8xf32>, tensor<4x11xf32>, tensor<3xf32>) {
  %c = tensor.concat dim(1) %x, %y : (tensor<4x3xf32>, tensor<4x5xf32>) -> tensor<4x8xf32>
  %d = tensor.concat dim(1) %c, %x : (tensor<4x8xf32>, tensor<4x3xf32>) -> tensor<4x11xf32>
  %s = tensor.extract_slice %d[%i, 5] [1, 3] [1, 1] : tensor<4x11xf32> to tensor<3xf32>
  return %c, %d, %s : tensor<4x8xf32>, tensor<4x11xf32>, tensor<3xf32>
}

// -----

// Pieces that are appended one by one are concatenated once, and the last of them is what was appended.

// CHECK-LABEL: func @appended
//  CHECK-SAME:   (%[[X:.+]]: tensor<4x3xf32>)
//       CHECK:   %[[A:.+]] = math.exp %[[X]]
//       CHECK:   %[[B:.+]] = math.exp %[[A]]
//       CHECK:   %[[C:.+]] = tensor.concat dim(1) %[[X]], %[[A]], %[[B]] : (tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x9xf32>
//       CHECK:   return %[[C]]
func.func @appended(%x: tensor<4x3xf32>) -> tensor<4x9xf32> {
  %a = math.exp %x : tensor<4x3xf32>
  %c = tensor.concat dim(1) %x, %a : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x6xf32>
  %l = tensor.extract_slice %c[0, 3] [4, 3] [1, 1] : tensor<4x6xf32> to tensor<4x3xf32>
  %b = math.exp %l : tensor<4x3xf32>
  %d = tensor.concat dim(1) %c, %b : (tensor<4x6xf32>, tensor<4x3xf32>) -> tensor<4x9xf32>
  return %d : tensor<4x9xf32>
}

// -----

// A concatenation along another dimension, or one that takes it twice, takes it as it is.

// CHECK-LABEL: func @other_dim
//       CHECK:   %[[C:.+]] = tensor.concat dim(1) %{{.+}}, %{{.+}} :
//       CHECK:   %[[D:.+]] = tensor.concat dim(0) %[[C]], %[[C]] :
//       CHECK:   tensor.concat dim(0) %[[D]], %[[D]] :
func.func @other_dim(%x: tensor<4x3xf32>) -> tensor<16x6xf32> {
  %c = tensor.concat dim(1) %x, %x : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x6xf32>
  %d = tensor.concat dim(0) %c, %c : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  %e = tensor.concat dim(0) %d, %d : (tensor<8x6xf32>, tensor<8x6xf32>) -> tensor<16x6xf32>
  return %e : tensor<16x6xf32>
}

// -----

// What cuts two pieces of four, one of them in a concatenation, is cut of those two.

// CHECK-LABEL: func @several
//  CHECK-SAME:   (%[[X:.+]]: tensor<4x3xf32>, %[[Y:.+]]: tensor<4x5xf32>)
//       CHECK:   %[[C:.+]] = tensor.concat dim(1) %[[Y]], %[[X]] : (tensor<4x5xf32>, tensor<4x3xf32>) -> tensor<4x8xf32>
//       CHECK:   %[[S:.+]] = tensor.extract_slice %[[C]][0, 2] [2, 4] [2, 1] : tensor<4x8xf32> to tensor<2x4xf32>
//       CHECK:   return %[[S]]
func.func @several(%x: tensor<4x3xf32>, %y: tensor<4x5xf32>) -> tensor<2x4xf32> {
  %c = tensor.concat dim(1) %x, %y : (tensor<4x3xf32>, tensor<4x5xf32>) -> tensor<4x8xf32>
  %d = tensor.concat dim(1) %c, %x, %y : (tensor<4x8xf32>, tensor<4x3xf32>, tensor<4x5xf32>) -> tensor<4x16xf32>
  %s = tensor.extract_slice %d[0, 5] [2, 4] [2, 1] : tensor<4x16xf32> to tensor<2x4xf32>
  return %s : tensor<2x4xf32>
}

// -----

// What is read as a whole is stored: slices of several pieces of it are read there.

// CHECK-LABEL: func @whole
//       CHECK:   %[[C:.+]] = tensor.concat dim(1) %{{.+}}, %{{.+}}, %{{.+}} :
//       CHECK:   %[[S:.+]] = tensor.extract_slice %[[C]][0, 1] [4, 6] [1, 1]
//       CHECK:   return %[[C]], %[[S]]
func.func @whole(%x: tensor<4x3xf32>, %y: tensor<4x5xf32>) -> (tensor<4x11xf32>, tensor<4x6xf32>) {
  %c = tensor.concat dim(1) %x, %y, %x : (tensor<4x3xf32>, tensor<4x5xf32>, tensor<4x3xf32>) -> tensor<4x11xf32>
  %s = tensor.extract_slice %c[0, 1] [4, 6] [1, 1] : tensor<4x11xf32> to tensor<4x6xf32>
  return %c, %s : tensor<4x11xf32>, tensor<4x6xf32>
}

// -----

// Sizes `?`: all behind the first piece, and the last row but one where the last piece has four.

// CHECK-LABEL: func @dynamic
//  CHECK-SAME:   (%[[X:.+]]: tensor<?x3xf32>, %[[Y:.+]]: tensor<?x3xf32>, %[[Z:.+]]: tensor<4x3xf32>)
//       CHECK:   %[[S:.+]] = tensor.extract_slice %[[Y]][0, 1] [%{{.+}}, 2] [1, 1] : tensor<?x3xf32> to tensor<?x2xf32>
//       CHECK:   %[[L:.+]] = tensor.extract_slice %[[Z]][2, 0] [1, 3] [1, 1] : tensor<4x3xf32> to tensor<1x3xf32>
//       CHECK:   return %[[S]], %[[L]]
func.func @dynamic(%x: tensor<?x3xf32>, %y: tensor<?x3xf32>, %z: tensor<4x3xf32>) -> (tensor<?x2xf32>, tensor<1x3xf32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c = tensor.concat dim(0) %x, %y, %z : (tensor<?x3xf32>, tensor<?x3xf32>, tensor<4x3xf32>) -> tensor<?x3xf32>
  %m = tensor.dim %x, %c0 : tensor<?x3xf32>
  %n = tensor.dim %y, %c0 : tensor<?x3xf32>
  %s = tensor.extract_slice %c[%m, 1] [%n, 2] [1, 1] : tensor<?x3xf32> to tensor<?x2xf32>
  %all = tensor.dim %c, %c0 : tensor<?x3xf32>
  %at = arith.subi %all, %c2 : index
  %l = tensor.extract_slice %c[%at, 0] [1, 3] [1, 1] : tensor<?x3xf32> to tensor<1x3xf32>
  return %s, %l : tensor<?x2xf32>, tensor<1x3xf32>
}

// -----

// The first four rows may be of more pieces than the first, and nobody knows where %i is.

// CHECK-LABEL: func @may_be
//       CHECK:   %[[C:.+]] = tensor.concat dim(0)
//       CHECK:   tensor.extract_slice %[[C]][0, 0]
//       CHECK:   tensor.extract_slice %[[C]][%{{.+}}, 0]
func.func @may_be(%x: tensor<?x3xf32>, %y: tensor<9x3xf32>, %i: index) -> (tensor<4x3xf32>, tensor<1x3xf32>) {
  %c = tensor.concat dim(0) %x, %y : (tensor<?x3xf32>, tensor<9x3xf32>) -> tensor<?x3xf32>
  %s = tensor.extract_slice %c[0, 0] [4, 3] [1, 1] : tensor<?x3xf32> to tensor<4x3xf32>
  %t = tensor.extract_slice %c[%i, 0] [1, 3] [1, 1] : tensor<?x3xf32> to tensor<1x3xf32>
  return %s, %t : tensor<4x3xf32>, tensor<1x3xf32>
}

// -----

// That %y has as many rows as %x is asked where they are put beside each other: it is not left out.

// CHECK-LABEL: func @rows
//       CHECK:   tensor.concat
//       CHECK:   tensor.extract_slice
func.func @rows(%x: tensor<?x3xf32>, %y: tensor<?x3xf32>) -> tensor<4x2xf32> {
  // expected-remark@+1 {{the size of operand 1 in dimension 0 is not known to be the whole's}}
  %c = tensor.concat dim(1) %x, %y : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x6xf32>
  %s = tensor.extract_slice %c[0, 3] [4, 2] [1, 1] : tensor<?x6xf32> to tensor<4x2xf32>
  return %s : tensor<4x2xf32>
}

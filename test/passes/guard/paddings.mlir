// RUN: sinter-opt --sinter-guard-reshapes --split-input-file %s | FileCheck %s

// The sizes of a padding are those of the tensor, and of what is put around it.

// CHECK-LABEL: func @known
//  CHECK-SAME:   (%[[X:.+]]: tensor<?x5xf32>, %[[HIGH:.+]]: index)
//       CHECK:   %[[N:.+]] = tensor.dim %[[X]], %c0
//       CHECK:   %[[SUM:.+]] = arith.addi
//       CHECK:   %[[OK:.+]] = arith.cmpi eq, %{{.+}}, %c8
//  CHECK-NEXT:   cf.assert %[[OK]], "{{.*}}:{{[0-9]+}}:8: a padding gives other sizes than it says"
//       CHECK:   tensor.pad
func.func @known(%x: tensor<?x5xf32>, %high: index) -> tensor<8x7xf32> {
  %z = arith.constant 0.0 : f32
  %r = tensor.pad %x low[1, 0] high[%high, 2] {
  ^at(%i: index, %j: index):
    tensor.yield %z : f32
  } : tensor<?x5xf32> to tensor<8x7xf32>
  return %r : tensor<8x7xf32>
}

// -----

// What follows is not asserted: here the padding is made to fit.

// CHECK-LABEL: func @follows
//   CHECK-NOT:   cf.assert
//       CHECK:   tensor.pad
//       CHECK:   tensor.pad
func.func @follows(%x: tensor<?xf32>, %high: index) -> (tensor<8xf32>, tensor<?xf32>) {
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %left = arith.subi %c8, %n : index
  %r = tensor.pad %x low[0] high[%left] {
  ^at(%i: index):
    tensor.yield %z : f32
  } : tensor<?xf32> to tensor<8xf32>
  %s = tensor.pad %x low[0] high[%high] {
  ^at(%i: index):
    tensor.yield %z : f32
  } : tensor<?xf32> to tensor<?xf32>
  return %r, %s : tensor<8xf32>, tensor<?xf32>
}

// -----

// Tiles hold what is packed, each whole: in other order than its dimensions are in, too.

// CHECK-LABEL: func @whole
//  CHECK-SAME:   (%[[X:.+]]: tensor<?x?xf32>
//       CHECK:   %[[ROWS:.+]] = tensor.dim %[[X]], %c0
//       CHECK:   %[[OK:.+]] = arith.andi
//  CHECK-NEXT:   cf.assert %[[OK]], "{{.*}}: tiles are no whole ones of what is packed, or more than it fills"
//       CHECK:   linalg.pack
func.func @whole(%x: tensor<?x?xf32>, %e: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %r = linalg.pack %x outer_dims_perm = [1, 0] inner_dims_pos = [0] inner_tiles = [4] into %e
      : tensor<?x?xf32> -> tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}

// -----

// With a padding the last tile lacks less than a tile.

// CHECK-LABEL: func @padded
//       CHECK:   %[[LEFT:.+]] = arith.{{addi|subi}}
//       CHECK:   %[[SOME:.+]] = arith.cmpi sge, %[[LEFT]], %c0
//       CHECK:   %[[LESS:.+]] = arith.cmpi slt, %[[LEFT]], %c4
//       CHECK:   %[[OK:.+]] = arith.andi %[[SOME]], %[[LESS]]
//  CHECK-NEXT:   cf.assert %[[OK]]
func.func @padded(%x: tensor<?xf32>, %e: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %z = arith.constant 0.0 : f32
  %r = linalg.pack %x padding_value(%z : f32) inner_dims_pos = [0] inner_tiles = [4] into %e
      : tensor<?xf32> -> tensor<2x4xf32>
  return %r : tensor<2x4xf32>
}

// -----

// CHECK-LABEL: func @verified
//   CHECK-NOT:   cf.assert
//       CHECK:   linalg.pack
func.func @verified(%x: tensor<7xf32>, %e: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %z = arith.constant 0.0 : f32
  %r = linalg.pack %x padding_value(%z : f32) inner_dims_pos = [0] inner_tiles = [4] into %e
      : tensor<7xf32> -> tensor<2x4xf32>
  return %r : tensor<2x4xf32>
}

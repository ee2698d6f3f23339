// RUN: sinter-run %s --policy=disabled --shape=5x2 --shape=5x7 --shape=5x9 --shape=5x3 --output=%t.c.npy --output=%t.p.npy --output=%t.s.npy
// RUN: sinter-run %s --shape=5x2 --shape=5x7 --shape=5x9 --shape=5x3 --expect=%t.c.npy --expect=%t.p.npy --expect=%t.s.npy --stats | FileCheck %s
// RUN: sinter-run %s --shape=0x2 --shape=0x0 --shape=1x9 --shape=1x3 --verify
// RUN: not sinter-run %s --shape=5x2 --shape=4x7 --shape=5x9 --shape=5x3 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: not sinter-run %s --shape=5x2 --shape=5x7 --shape=5x9 --shape=4x3 2>&1 | FileCheck %s --check-prefix=INPUT

// A concatenation, a padding and an insertion of any batch are row programs; parts that do not fit are reported.

// CHECK: "kernels": 3
// INPUT: sizes of operands differ: the size of input 3 in dimension 0 is 4, expected 5, that of input 2 in dimension 0
// SIZE: dynamic_moves.mlir:{{[0-9]+}}:8: parts of a concatenation have other sizes than the whole
func.func @main(%x: tensor<?x2xf32>, %y: tensor<?x?xf32>, %z: tensor<?x9xf32>, %w: tensor<?x3xf32>)
    -> (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x9xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %c = tensor.concat dim(1) %x, %y : (tensor<?x2xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = tensor.pad %c low[0, 1] high[0, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<?x?xf32> to tensor<?x?xf32>
  %n = tensor.dim %z, %c0 : tensor<?x9xf32>
  %s = tensor.insert_slice %w into %z[0, 2] [%n, 3] [1, 2] : tensor<?x3xf32> into tensor<?x9xf32>
  return %c, %p, %s : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x9xf32>
}

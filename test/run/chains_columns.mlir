// RUN: sinter-run %s --stats --shape=7x16 --shape=5x8 | FileCheck %s --check-prefix=ONE
// RUN: sinter-run %s --verify --shape=7x16 --shape=5x8 | FileCheck %s --implicit-check-not=differs
// RUN: sinter-run %s --verify --shape=1x16 --shape=1x8 | FileCheck %s --implicit-check-not=differs
// RUN: sinter-run %s --verify --shape=129x16 --shape=65x8 | FileCheck %s --implicit-check-not=differs
// RUN: sinter-run %s --verify --shape=300x16 --shape=1100x8 | FileCheck %s --implicit-check-not=differs
// RUN: sinter-run %s --verify --shape=33x16 --shape=0x8 | FileCheck %s --implicit-check-not=differs
// RUN: sinter-run %s --verify --shape=0x16 --shape=64x8 | FileCheck %s --implicit-check-not=differs

// Scores of `?` rows against `?` others, as a model of two towers has them: one kernel, whose last rows are `?` long
// and go a block of columns at a time.

//  CHECK: agree
//    ONE: "kernels": 1,

func.func @main(%x: tensor<?x16xf32>, %v: tensor<?x8xf32>, %w: tensor<8x16xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x16xf32>
  %m = tensor.dim %v, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%n) : tensor<?x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
  %h = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>]
      ins(%x, %w : tensor<?x16xf32>, tensor<8x16xf32>) outs(%f : tensor<?x8xf32>) -> tensor<?x8xf32>
  %t = linalg.tanh ins(%h : tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
  %g = tensor.empty(%n, %m) : tensor<?x?xf32>
  %o = linalg.fill ins(%zero : f32) outs(%g : tensor<?x?xf32>) -> tensor<?x?xf32>
  %s = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>]
      ins(%t, %v : tensor<?x8xf32>, tensor<?x8xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
  %y = linalg.abs ins(%s : tensor<?x?xf32>) outs(%g : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

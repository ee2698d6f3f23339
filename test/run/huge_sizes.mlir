// RUN: not sinter-run %s --shape=1099511627776x0 --shape=0x1099511627776 --shape=1099511627776x0 2>&1 | FileCheck %s
// RUN: not sinter-run %s --policy=disabled --shape=1099511627776x0 --shape=0x1099511627776 --shape=1099511627776x0 2>&1 | FileCheck %s
// RUN: not sinter-run %s --shape=1073741824x0 --shape=0x1073741824 --shape=1073741824x0 2>&1 | FileCheck %s --check-prefix=MEMORY
// RUN: sinter-run %s --shape=7x37 --shape=37x5 --shape=7x3 --verify
// RUN: sinter-run %s --shape=7x0 --shape=0x5 --shape=7x0 --verify
// RUN: sinter-run %S/Inputs/empty_chain.mlir --shape=1099511627776x0 --shape=0x1099511627776 --shape=1099511627776x0
// RUN: sinter-run %S/Inputs/empty_chain.mlir --shape=7x37 --shape=37x5 --shape=5x3 --verify

// Inputs of no elements make a buffer between the products of more bytes than there are numbers for, 2^82: no
// small buffer in its place. The second product sums over all rows of the first, so no kernel has both. 2^62 bytes
// have a number: they are asked for, and not there.

// CHECK: error: main: it would need a buffer of 1099511627776 times 4398046511104 bytes for these inputs
// MEMORY: error: main: not enough memory for 46116860184273{{[0-9]+}} bytes

func.func @main(%x: tensor<?x?xf32>, %v: tensor<?x?xf32>, %w: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %k = tensor.dim %v, %c1 : tensor<?x?xf32>
  %n = tensor.dim %w, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %k) : tensor<?x?xf32>
  %o = linalg.fill ins(%z : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %y = linalg.matmul ins(%x, %v : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
  %g = tensor.empty(%k, %n) : tensor<?x?xf32>
  %p = linalg.fill ins(%z : f32) outs(%g : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (k, j)>,
                                      affine_map<(i, j, k) -> (i, j)>]
      ins(%y, %w : tensor<?x?xf32>, tensor<?x?xf32>) outs(%p : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

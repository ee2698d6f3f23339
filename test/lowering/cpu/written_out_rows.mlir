// RUN: sinter-opt --sinter-lower-cpu %s | FileCheck %s

// Columns of a window that are written out, lanes along rows: what a product is added to goes on (passes/math/sums.c),
// and two vectors of a line, the second of which overlaps the first, have no loop.

// CHECK-LABEL: func.func private @window_task
//       CHECK:   scf.for
//   CHECK-NOT:   scf.for
// CHECK-COUNT-34:   arith.addf {{.+}} fastmath<contract> : vector<8xf32>
//   CHECK-NOT:   fastmath
func.func @window(%x: memref<4x29xf32>, %w: memref<17xf32>, %y: memref<4x13xf32>) attributes {sinter.kernel} {
  sinter.rowwise (i = 4, x = 13) by (s = 17)
      ins(%x[i, x + s] : memref<4x29xf32>, %w[s] : memref<17xf32>)
      outs(%y[i, x] : memref<4x13xf32>)
      schedule(#sinter.rows<along = "rows", chunk = 52, lanes = 8, residency = "reread", unroll = 1, written_out = 49>) {
  ^row(%a: tensor<17xf32>, %b: tensor<17xf32>):
    %p = arith.mulf %a, %b : tensor<17xf32>
    %t = sinter.row_reduce add %p : tensor<17xf32> -> f32
    sinter.yield %t : f32
  }
  return
}

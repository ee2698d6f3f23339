// RUN: sinter-run %s --shape=5x7x9 --verify && sinter-run %s --shape=5x4x8 --verify && sinter-run %s --shape=3x1x1 --verify
// RUN: sinter-run %s --shape=2x33x65 --verify && sinter-run %s --shape=4x0x3 --verify && sinter-run %s --shape=4x3x0 --verify
// RUN: sinter-run %s --shape=6x5x31 --verify --cpu=haswell | FileCheck %s
// RUN: sinter-opt --sinter-cpu %s --mlir-print-ir-after=sinter-lower-cpu 2>&1 | FileCheck %s --check-prefix=LOOP

// Rows of two dimensions `?`, in one piece: a column is counted from the row's beginning, by vectors and one by one,
// and nothing is divided for it. One input is read in another order, whose subscripts are.

// CHECK-COUNT-3: agrees

// The sum, in vectors and one by one:
// LOOP-LABEL: @main_kernel0_task
//       LOOP:   scf.for
//       LOOP:   scf.for
//   LOOP-NOT:     arith.divui
//   LOOP-NOT:     arith.remui
//       LOOP:     vector.load
//       LOOP:   vector.extract
//       LOOP:   memref.load
func.func @main(%x: tensor<?x?x?xf32>) -> (tensor<?xf32>, tensor<?x?x?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %a = tensor.dim %x, %c0 : tensor<?x?x?xf32>
  %b = tensor.dim %x, %c1 : tensor<?x?x?xf32>
  %c = tensor.dim %x, %c2 : tensor<?x?x?xf32>
  %r = tensor.empty(%a) : tensor<?xf32>
  %e = tensor.empty(%a, %b, %c) : tensor<?x?x?xf32>
  %t = tensor.empty(%c) : tensor<?xf32>
  %s = sinter.rowwise (i = ?) by (j = ?, k = ?) ins(%x[i, j, k] : tensor<?x?x?xf32>) outs(%r[i] : tensor<?xf32>) {
  ^row(%v: tensor<?xf32>):
    %q = sinter.row_reduce add %v : tensor<?xf32> -> f32
    sinter.yield %q : f32
  }
  %o = sinter.rowwise (i = ?) by (j = ?, k = ?) ins(%x[i, j, k] : tensor<?x?x?xf32>, %s[i] : tensor<?xf32>)
      outs(%e[i, j, k] : tensor<?x?x?xf32>) {
  ^row(%v: tensor<?xf32>, %n: f32):
    %w = sinter.broadcast %n : f32 -> tensor<?xf32>
    %d = arith.subf %v, %w : tensor<?xf32>
    sinter.yield %d : tensor<?xf32>
  }
  %u = sinter.rowwise (k = ?) by (i = ?, j = ?) ins(%x[i, j, k] : tensor<?x?x?xf32>) outs(%t[k] : tensor<?xf32>) {
  ^row(%v: tensor<?xf32>):
    %q = sinter.row_reduce maximumf %v : tensor<?xf32> -> f32
    %h = sinter.row_reduce add %v : tensor<?xf32> -> f32
    %y = arith.addf %q, %h : f32
    sinter.yield %y : f32
  }
  return %s, %o, %u : tensor<?xf32>, tensor<?x?x?xf32>, tensor<?xf32>
}

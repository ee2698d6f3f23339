// RUN: sinter-cc %s -o %t.o --cpu=znver4
// RUN: llvm-objdump -d %t.o > %t.s
// RUN: grep -c vdivps %t.s | FileCheck %s --check-prefix=VECTORS
// RUN: grep -c vdivss %t.s | FileCheck %s --check-prefix=SCALARS
// REQUIRES: avx2

// Columns `?` are a loop of vectors, one that ends with the row, and for rows that are shorter than one, scalars. LLVM
// makes no vectors of those.

// VECTORS: {{^}}2{{$}}
// SCALARS: {{^}}1{{$}}
func.func @main(%x: tensor<9x?xf32>, %y: tensor<9x?xf32>) -> tensor<9x?xf32> {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<9x?xf32>
  %e = tensor.empty(%n) : tensor<9x?xf32>
  %r = sinter.rowwise (i = 9) by (j = ?) ins(%x[i, j] : tensor<9x?xf32>, %y[i, j] : tensor<9x?xf32>) outs(%e[i, j] : tensor<9x?xf32>) {
  ^row(%a: tensor<?xf32>, %b: tensor<?xf32>):
    %d = arith.divf %a, %b : tensor<?xf32>
    sinter.yield %d : tensor<?xf32>
  }
  return %r : tensor<9x?xf32>
}

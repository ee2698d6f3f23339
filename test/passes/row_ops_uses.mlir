// RUN: not sinter-opt --sinter-fuse %s 2>&1 | FileCheck %s
// RUN: not sinter-opt --sinter-decompose %s 2>&1 | FileCheck %s
// RUN: not sinter-opt --sinter-schedule=target=cpu --sinter-outline --sinter-lower-cpu %s 2>&1 | FileCheck %s

// A use of a definition in a form is for sinter-expand; what stands behind that pass says so.

// CHECK: [[@LINE+9]]:10: error: 'sinter.apply' op stands in a row program, and is a use of a definition: run sinter-expand before
sinter.define @square(%x: tensor<?xf32>) {
  %y = arith.mulf %x, %x : tensor<?xf32>
  sinter.yield %y : tensor<?xf32>
}

func.func @use(%x: tensor<4x8xf32>, %e: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %y = sinter.rowwise (i = 4) by (j = 8) ins(%x[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%a: tensor<8xf32>):
    %b = sinter.apply @square(%a) : (tensor<8xf32>) -> tensor<8xf32>
    sinter.yield %b : tensor<8xf32>
  }
  return %y : tensor<4x8xf32>
}

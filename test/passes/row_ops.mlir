// RUN: sinter-opt --sinter-decompose --split-input-file %s | FileCheck %s --check-prefix=PLAIN
// RUN: sinter-opt --sinter-fuse="policy=aggressive" --split-input-file %s | FileCheck %s --check-prefix=FUSED
// RUN: sinter-opt --sinter-schedule=target=cpu --sinter-outline --sinter-lower-cpu --split-input-file %s | FileCheck %s --check-prefix=LOWERED

// What passes make of row operations that seldom reach them: sinter.detach is its operand. Where a number of each row
// becomes a row, so does what is made of it.

// PLAIN-LABEL: func.func @detach
//   PLAIN-NOT:   sinter.detach
//       PLAIN:   arith.mulf
//   PLAIN-NOT:   sinter.detach

// FUSED-LABEL: func.func @detach
//       FUSED:   ^row(%[[A:.+]]: tensor<8xf32>, %[[B:.+]]: tensor<8xf32>):
//       FUSED:     %[[D:.+]] = sinter.detach %[[A]] : tensor<8xf32>
//       FUSED:     arith.mulf %[[D]], %[[A]] : tensor<8xf32>

// LOWERED-LABEL: func.func private @detach
//   LOWERED-NOT:   sinter.detach
//       LOWERED:   arith.mulf
//   LOWERED-NOT:   sinter.detach

func.func @detach(%x: tensor<8xf32>, %y: tensor<4x8xf32>, %d: tensor<8xf32>, %e: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %s = sinter.rowwise (i = 8) by () ins(%x[i] : tensor<8xf32>) outs(%d[i] : tensor<8xf32>) {
  ^row(%a: f32):
    %k = sinter.detach %a : f32
    %q = arith.mulf %k, %a : f32
    sinter.yield %q : f32
  }
  %z = sinter.rowwise (i = 4) by (j = 8) ins(%s[j] : tensor<8xf32>, %y[i, j] : tensor<4x8xf32>) outs(%e[i, j] : tensor<4x8xf32>) {
  ^row(%a: tensor<8xf32>, %b: tensor<8xf32>):
    %k = sinter.detach %b : tensor<8xf32>
    %q = arith.addf %k, %a : tensor<8xf32>
    sinter.yield %q : tensor<8xf32>
  }
  return %z : tensor<4x8xf32>
}

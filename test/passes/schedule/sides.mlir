// RUN: sinter-opt --sinter-schedule --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: sinter-opt --sinter-split=target=cpu --sinter-schedule --split-input-file %s | FileCheck %s --check-prefix=SPLIT

// A product whose sides both have columns is no kernel of a CPU: said once, and no schedule is chosen. Behind the split
// that the message names it has one.

// SPLIT-LABEL: func @both_sides
//       SPLIT:   schedule(#sinter.brgemm<
func.func @both_sides(%x: tensor<5x3x7xf32>, %w: tensor<7x11x5xf32>, %e: tensor<3x11x5xf32>) -> tensor<3x11x5xf32> {
  // expected-error@below {{product 0 uses columns in both sides; sinter-split=target=cpu gives it rows}}
  %y = sinter.contract (i = 3) by (j = 11, h = 5) product (k = 7)
      (%x[h, i, k] : tensor<5x3x7xf32>, %w[k, j, h] : tensor<7x11x5xf32>) : f32
      outs(%e[i, j, h] : tensor<3x11x5xf32>) {
  ^row(%a: tensor<55xf32>):
    sinter.yield %a : tensor<55xf32>
  }
  return %y : tensor<3x11x5xf32>
}

// -----

// CHECK-LABEL: func @one_side
//       CHECK:   schedule(#sinter.brgemm<
func.func @one_side(%x: tensor<3x7xf32>, %w: tensor<7x11x5xf32>, %e: tensor<3x11x5xf32>) -> tensor<3x11x5xf32> {
  %y = sinter.contract (i = 3) by (j = 11, h = 5) product (k = 7)
      (%x[i, k] : tensor<3x7xf32>, %w[k, j, h] : tensor<7x11x5xf32>) : f32
      outs(%e[i, j, h] : tensor<3x11x5xf32>) {
  ^row(%a: tensor<55xf32>):
    sinter.yield %a : tensor<55xf32>
  }
  return %y : tensor<3x11x5xf32>
}

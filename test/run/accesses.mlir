// RUN: sinter-run %s --verify | FileCheck %s

// Offsets, strides, reversed order, windows and fill values read the same elements in a kernel as in plain linalg.

// CHECK: output 0 of main agrees with the decomposed program
// CHECK: output 1 of main agrees with the decomposed program
func.func @main(%a: tensor<4x10xf32>, %b: tensor<4x15xf32>, %c: tensor<4x8xf32>, %d: tensor<4x11xf32>, %g: tensor<4x10xf64>, %h: tensor<4x8xi32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  %o = tensor.empty() : tensor<4x8xf32>
  %o2 = tensor.empty() : tensor<4xf32>
  %y:2 = sinter.rowwise (i = 4) by (j = 8)
      ins(%a[i, j + 2] : tensor<4x10xf32>, %b[i, j * 2] : tensor<4x15xf32>, %c[i, 7 - j] : tensor<4x8xf32>, %d[-i + 3, 10 - j - i] : tensor<4x11xf32>,
          %c[i, j - 3] : tensor<4x8xf32> else 0.5, %c[i, 2 - j * 3] : tensor<4x8xf32> else 0.25,
          %g[i, (j + i) floordiv 2 + j ceildiv 2] : tensor<4x10xf64>, %h[i, (j floordiv 4) * 4 - (j mod 2) * 2] : tensor<4x8xi32> else -5)
      outs(%o[i, j] : tensor<4x8xf32>, %o2[i] : tensor<4xf32>) {
  ^row(%0: tensor<8xf32>, %1: tensor<8xf32>, %2: tensor<8xf32>, %3: tensor<8xf32>, %4: tensor<8xf32>, %5: tensor<8xf32>, %6: tensor<8xf64>, %7: tensor<8xi32>):
    %s0 = arith.addf %0, %1 : tensor<8xf32>
    %s1 = arith.mulf %2, %3 : tensor<8xf32>
    %s2 = arith.mulf %4, %5 : tensor<8xf32>
    %g1 = arith.truncf %6 : tensor<8xf64> to tensor<8xf32>
    %h1 = arith.sitofp %7 : tensor<8xi32> to tensor<8xf32>
    %s3 = arith.mulf %g1, %h1 : tensor<8xf32>
    %s4 = arith.addf %s0, %s1 : tensor<8xf32>
    %s5 = arith.addf %s4, %s2 : tensor<8xf32>
    %s6 = arith.addf %s5, %s3 : tensor<8xf32>
    %z = arith.constant 0.0 : f32
    %i = sinter.index i : index
    %p = sinter.pick %s6[%i] else %z : tensor<8xf32>, index
    sinter.yield %s6, %p : tensor<8xf32>, f32
  }
  return %y#0, %y#1 : tensor<4x8xf32>, tensor<4xf32>
}

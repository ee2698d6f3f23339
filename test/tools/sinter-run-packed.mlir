// RUN: not sinter-run %s --verify 2>&1 | FileCheck %s

// The unfused program takes weights as they are written, so what the packed ones give is compared with nothing.

// CHECK: sinter-run: error: main takes input 1 packed (sinter.pack), and its reference as it is written: nothing can be compared
func.func @main(%x: tensor<24x300xf32>, %w: tensor<300x333xf32> {sinter.pack}) -> tensor<24x333xf32> {
  %e = tensor.empty() : tensor<24x333xf32>
  %y = sinter.contract (i = 24) by (j = 333) product (k = 300) (%x[i, k] : tensor<24x300xf32>, %w[k, j] : tensor<300x333xf32>) : f32
      outs(%e[i, j] : tensor<24x333xf32>) {
  ^row(%a: tensor<333xf32>):
    sinter.yield %a : tensor<333xf32>
  }
  return %y : tensor<24x333xf32>
}

// RUN: sinter-run %s --verify --high=8 --threads=1 --output=%t1.npy | FileCheck %s --implicit-check-not=differs
// RUN: sinter-run %s --high=8 --threads=3 --output=%t3.npy
// RUN: cmp %t1.npy %t3.npy

// A side whose rows are found through an index is packed element by element, also where its k lies together in memory.

// CHECK: output 0 of main agrees

func.func @main(%x: tensor<19x37xf32>, %t: tensor<33xi64>, %w: tensor<8x37xf32>) -> tensor<19x33xf32> {
  %e = tensor.empty() : tensor<19x33xf32>
  %y = sinter.contract (i = 19) by (j = 33)
      product (k = 37) (%x[i, k] : tensor<19x37xf32>, %w[%t[j] : tensor<33xi64>, k] : tensor<8x37xf32>) : f32
      outs(%e[i, j] : tensor<19x33xf32>) {
  ^row(%p: tensor<33xf32>):
    sinter.yield %p : tensor<33xf32>
  }
  return %y : tensor<19x33xf32>
}

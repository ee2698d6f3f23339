// RUN: sinter-run %s --verify --threads=1 --output=%t1.npy | FileCheck %s --implicit-check-not=differs
// RUN: sinter-run %s --threads=3 --output=%t3.npy
// RUN: cmp %t1.npy %t3.npy

// CHECK: output 0 of main agrees

module {
func.func @main(%x: tensor<9x11xf32>, %s: tensor<f32>) -> (tensor<9x11xf32>, tensor<f32>) {
  %c = tensor.empty() : tensor<9x11xf32>
  %z = tensor.empty() : tensor<f32>
  %y:2 = sinter.rowwise () by (i = 9, j = 11) ins(%x[i, j] : tensor<9x11xf32>, %s[] : tensor<f32>)
      outs(%c[i, j] : tensor<9x11xf32>, %z[] : tensor<f32>) {
  ^row(%a: tensor<99xf32>, %k: f32):
    %m = sinter.row_reduce minimumf %a : tensor<99xf32> -> f32
    %n = arith.addf %m, %k : f32
    %b = sinter.broadcast %n : f32 -> tensor<99xf32>
    %q = arith.mulf %a, %b : tensor<99xf32>
    sinter.yield %q, %m : tensor<99xf32>, f32
  }
  return %y#0, %y#1 : tensor<9x11xf32>, tensor<f32>
}
}

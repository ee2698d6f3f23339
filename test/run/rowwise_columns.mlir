// RUN: sinter-run %s --verify --threads=1 --output=%t1.npy | FileCheck %s --implicit-check-not=differs
// RUN: sinter-run %s --threads=3 --output=%t3.npy
// RUN: cmp %t1.npy %t3.npy

// CHECK: output 0 of main agrees

module {
// many tasks, column accumulators in the workspace, no finish
func.func @main(%x: tensor<700x1003xf32>) -> (tensor<1003xf32>, tensor<1003xf32>, tensor<f32>) {
  %c = tensor.empty() : tensor<1003xf32>
  %z = tensor.empty() : tensor<f32>
  %y:3 = sinter.rowwise (i = 700) by (j = 1003) ins(%x[i, j] : tensor<700x1003xf32>)
      reduce(add [j] : f32, maximumf [j] : f32, add [] : f32)
      outs(%c[j] : tensor<1003xf32>, %c[j] : tensor<1003xf32>, %z[] : tensor<f32>) {
  ^row(%a: tensor<1003xf32>):
    %q = arith.mulf %a, %a : tensor<1003xf32>
    %s = sinter.row_reduce add %q : tensor<1003xf32> -> f32
    sinter.yield %q, %a, %s : tensor<1003xf32>, tensor<1003xf32>, f32
  }
  return %y#0, %y#1, %y#2 : tensor<1003xf32>, tensor<1003xf32>, tensor<f32>
}
}

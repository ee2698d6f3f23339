// RUN: sinter-run %s --verify --entry=line --threads=1 --output=%t1.npy | FileCheck %s --implicit-check-not=differs
// RUN: sinter-run %s --entry=line --threads=3 --output=%t3.npy
// RUN: cmp %t1.npy %t3.npy
// RUN: sinter-run %s --verify --entry=line --cpu=haswell | FileCheck %s --implicit-check-not=differs
// RUN: sinter-run %s --verify --entry=halves | FileCheck %s --implicit-check-not=differs
// RUN: sinter-run %s --verify --entry=long | FileCheck %s --implicit-check-not=differs
// RUN: sinter-run %s --verify --entry=strips | FileCheck %s --implicit-check-not=differs

// The gradient of a depthwise window's weights, channels last: lines of an image that are written out (23, 33), one
// that is too long for it (67), and strips of all 48 channels.

// CHECK: agrees

func.func @line(%x: tensor<2x23x23x20xf32>, %g: tensor<2x23x23x20xf32>) -> tensor<20x1x3x3xf32> {
  %e = tensor.empty() : tensor<20x1x3x3xf32>
  %y = sinter.rowwise (d2 = 3, d3 = 3, d = 20) by (d4 = 2, d5 = 23, d6 = 23)
        ins(%x[d4, d2 + d5 - 1, d3 + d6 - 1, d] : tensor<2x23x23x20xf32> else 0.000000e+00, %g[d4, d5, d6, d] : tensor<2x23x23x20xf32>)
        outs(%e[d, 0, d2, d3] : tensor<20x1x3x3xf32>) {
    ^row(%a: tensor<1058xf32>, %b: tensor<1058xf32>):
      %m = arith.mulf %a, %b : tensor<1058xf32>
      %s = sinter.row_reduce add %m : tensor<1058xf32> -> f32
      sinter.yield %s : f32
  }
  return %y : tensor<20x1x3x3xf32>
}

func.func @halves(%x: tensor<2x33x33x19xbf16>, %g: tensor<2x33x33x19xbf16>) -> tensor<19x1x5x5xbf16> {
  %e = tensor.empty() : tensor<19x1x5x5xbf16>
  %y = sinter.rowwise (d2 = 5, d3 = 5, d = 19) by (d4 = 2, d5 = 33, d6 = 33)
        ins(%x[d4, d2 + d5 - 2, d3 + d6 - 2, d] : tensor<2x33x33x19xbf16> else 0.000000e+00, %g[d4, d5, d6, d] : tensor<2x33x33x19xbf16>)
        outs(%e[d, 0, d2, d3] : tensor<19x1x5x5xbf16>) {
    ^row(%a: tensor<2178xbf16>, %b: tensor<2178xbf16>):
      %a1 = arith.extf %a : tensor<2178xbf16> to tensor<2178xf32>
      %b1 = arith.extf %b : tensor<2178xbf16> to tensor<2178xf32>
      %m = arith.mulf %a1, %b1 : tensor<2178xf32>
      %s = sinter.row_reduce add %m : tensor<2178xf32> -> f32
      %s1 = arith.truncf %s : f32 to bf16
      sinter.yield %s1 : bf16
  }
  return %y : tensor<19x1x5x5xbf16>
}

func.func @long(%x: tensor<1x67x67x20xf32>, %g: tensor<1x67x67x20xf32>) -> tensor<20x1x3x3xf32> {
  %e = tensor.empty() : tensor<20x1x3x3xf32>
  %y = sinter.rowwise (d2 = 3, d3 = 3, d = 20) by (d4 = 1, d5 = 67, d6 = 67)
        ins(%x[d4, d2 + d5 - 1, d3 + d6 - 1, d] : tensor<1x67x67x20xf32> else 0.000000e+00, %g[d4, d5, d6, d] : tensor<1x67x67x20xf32>)
        outs(%e[d, 0, d2, d3] : tensor<20x1x3x3xf32>) {
    ^row(%a: tensor<4489xf32>, %b: tensor<4489xf32>):
      %m = arith.mulf %a, %b : tensor<4489xf32>
      %s = sinter.row_reduce add %m : tensor<4489xf32> -> f32
      sinter.yield %s : f32
  }
  return %y : tensor<20x1x3x3xf32>
}

func.func @strips(%x: tensor<4x28x28x48xf32>, %g: tensor<4x28x28x48xf32>) -> tensor<48x1x3x3xf32> {
  %e = tensor.empty() : tensor<48x1x3x3xf32>
  %y = sinter.rowwise (d2 = 3, d3 = 3, d = 48) by (d4 = 4, d5 = 28, d6 = 28)
        ins(%x[d4, d2 + d5 - 1, d3 + d6 - 1, d] : tensor<4x28x28x48xf32> else 0.000000e+00, %g[d4, d5, d6, d] : tensor<4x28x28x48xf32>)
        outs(%e[d, 0, d2, d3] : tensor<48x1x3x3xf32>) {
    ^row(%a: tensor<3136xf32>, %b: tensor<3136xf32>):
      %m = arith.mulf %a, %b : tensor<3136xf32>
      %s = sinter.row_reduce add %m : tensor<3136xf32> -> f32
      sinter.yield %s : f32
  }
  return %y : tensor<48x1x3x3xf32>
}

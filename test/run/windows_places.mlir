// RUN: sinter-run %s --verify --entry=odd --threads=1 --output=%t1.npy | FileCheck %s --implicit-check-not=differs
// RUN: sinter-run %s --entry=odd --threads=3 --output=%t3.npy
// RUN: cmp %t1.npy %t3.npy
// RUN: sinter-run %s --verify --entry=odd --cpu=haswell | FileCheck %s --implicit-check-not=differs
// RUN: sinter-run %s --verify --entry=halves | FileCheck %s --implicit-check-not=differs
// RUN: sinter-run %s --verify --entry=in_front | FileCheck %s --implicit-check-not=differs
// RUN: sinter-run %s --verify --entry=added | FileCheck %s --implicit-check-not=differs

// Places of a window, channels last, one behind the other: 23 of them, which four do not divide; 11 of 5x5 in bf16; and
// results that are added to what is there, in a number of channels that vectors do not divide. Channels in front, and
// the largest of each window.

// CHECK: agrees

func.func @odd(%x: tensor<3x23x23x20xf32>, %w: tensor<20x1x3x3xf32>) -> tensor<3x23x23x20xf32> {
  %e = tensor.empty() : tensor<3x23x23x20xf32>
  %y = sinter.rowwise (i = 3, k = 23, l = 23, j = 20) by (m = 3, n = 3)
        ins(%x[i, k + m - 1, l + n - 1, j] : tensor<3x23x23x20xf32> else 0.000000e+00, %w[j, 0, m, n] : tensor<20x1x3x3xf32>)
        outs(%e[i, k, l, j] : tensor<3x23x23x20xf32>) {
    ^row(%a: tensor<9xf32>, %b: tensor<9xf32>):
      %m = arith.mulf %a, %b : tensor<9xf32>
      %s = sinter.row_reduce add %m : tensor<9xf32> -> f32
      sinter.yield %s : f32
  }
  return %y : tensor<3x23x23x20xf32>
}

func.func @halves(%x: tensor<2x11x11x48xbf16>, %w: tensor<48x1x5x5xbf16>) -> tensor<2x11x11x48xbf16> {
  %e = tensor.empty() : tensor<2x11x11x48xbf16>
  %y = sinter.rowwise (i = 2, k = 11, l = 11, j = 48) by (m = 5, n = 5)
        ins(%x[i, k + m - 2, l + n - 2, j] : tensor<2x11x11x48xbf16> else 0.000000e+00, %w[j, 0, m, n] : tensor<48x1x5x5xbf16>)
        outs(%e[i, k, l, j] : tensor<2x11x11x48xbf16>) {
    ^row(%a: tensor<25xbf16>, %b: tensor<25xbf16>):
      %a1 = arith.extf %a : tensor<25xbf16> to tensor<25xf32>
      %b1 = arith.extf %b : tensor<25xbf16> to tensor<25xf32>
      %m = arith.mulf %a1, %b1 : tensor<25xf32>
      %s = sinter.row_reduce add %m : tensor<25xf32> -> f32
      %s1 = arith.truncf %s : f32 to bf16
      sinter.yield %s1 : bf16
  }
  return %y : tensor<2x11x11x48xbf16>
}

func.func @added(%x: tensor<2x9x10x37xf32>, %w: tensor<3x3x37xf32>, %r: tensor<2x7x8x37xf32>, %o: tensor<37xf32>) -> tensor<2x7x8x37xf32> {
  %e = tensor.empty() : tensor<2x7x8x37xf32>
  %y = sinter.rowwise (i = 2, k = 7, l = 8, j = 37) by (m = 3, n = 3)
      ins(%x[i, k + m, l + n, j] : tensor<2x9x10x37xf32>, %w[m, n, j] : tensor<3x3x37xf32>, %r[i, k, l, j] : tensor<2x7x8x37xf32>, %o[j] : tensor<37xf32>)
      outs(%e[i, k, l, j] : tensor<2x7x8x37xf32>) {
  ^row(%a: tensor<9xf32>, %b: tensor<9xf32>, %c: f32, %d: f32):
    %m = arith.mulf %a, %b : tensor<9xf32>
    %s = sinter.row_reduce add %m : tensor<9xf32> -> f32
    %t = arith.addf %s, %c : f32
    %u = math.tanh %t : f32
    %v = arith.addf %u, %d : f32
    sinter.yield %v : f32
  }
  return %y : tensor<2x7x8x37xf32>
}

func.func @in_front(%x: tensor<2x5x13x29xf32>, %w: tensor<5x3x3xf32>) -> (tensor<2x5x13x29xf32>, tensor<2x5x11x27xf32>) {
  %e = tensor.empty() : tensor<2x5x13x29xf32>
  %f = tensor.empty() : tensor<2x5x11x27xf32>
  %y = sinter.rowwise (i = 2, j = 5, k = 13, l = 29) by (m = 3, n = 3)
      ins(%x[i, j, k + m - 1, l + n - 1] : tensor<2x5x13x29xf32> else 0.0, %w[j, m, n] : tensor<5x3x3xf32>)
      outs(%e[i, j, k, l] : tensor<2x5x13x29xf32>) {
  ^row(%a: tensor<9xf32>, %b: tensor<9xf32>):
    %m = arith.mulf %a, %b : tensor<9xf32>
    %s = sinter.row_reduce add %m : tensor<9xf32> -> f32
    sinter.yield %s : f32
  }
  %z = sinter.rowwise (i = 2, j = 5, k = 11, l = 27) by (m = 3, n = 3)
      ins(%x[i, j, k + m, l + n] : tensor<2x5x13x29xf32>) outs(%f[i, j, k, l] : tensor<2x5x11x27xf32>) {
  ^row(%a: tensor<9xf32>):
    %s = sinter.row_reduce maximumf %a : tensor<9xf32> -> f32
    sinter.yield %s : f32
  }
  return %y, %z : tensor<2x5x13x29xf32>, tensor<2x5x11x27xf32>
}

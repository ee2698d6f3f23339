// RUN: sinter-run %s --verify --threads=1 --output=%t1.npy | FileCheck %s --implicit-check-not=differs
// RUN: sinter-run %s --verify --cpu=haswell | FileCheck %s --implicit-check-not=differs
// RUN: sinter-run %s --threads=3 --output=%t3.npy
// RUN: cmp %t1.npy %t3.npy

// Products that sum one element, of bf16 and of integers, with what finishes their sum over rows; and products of one
// column, two of them in one body, of batches, of sums that are no whole number of vectors; of half types
// whose sums are several lines of memory. A side may be one number for all rows.

// CHECK-COUNT-8: agrees

module {
  func.func @main(%x: tensor<37x1xbf16>, %w: tensor<1x50xbf16>, %b: tensor<50xf32>, %p: tensor<7x1xi8>, %q: tensor<19x1xi8>,
                  %n: tensor<f32>, %h: tensor<3x29x35xf32>, %v: tensor<35x1xf32>, %u: tensor<1x35xf32>,
                  %f: tensor<1xf32>, %g: tensor<1x50xf32>, %o: tensor<37xf32>, %r: tensor<13x5x9xbf16>, %s: tensor<1x5x7xbf16>,
                  %y: tensor<13x3x2x9xf16>, %z: tensor<1x3x2x8xf16>)
      -> (tensor<37x50xf32>, tensor<7x19xi32>, tensor<50xf32>, tensor<3x29x1xf32>, tensor<3x29x1xf32>,
          tensor<50xf32>, tensor<13x1xbf16>, tensor<13x1xf32>) {
    %e0 = tensor.empty() : tensor<37x50xf32>
    %0 = sinter.contract (i = 37) by (j = 50)
        product (k = 1) (%x[i, k] : tensor<37x1xbf16>, %w[k, j] : tensor<1x50xbf16>) : f32
        ins(%b[j] : tensor<50xf32>) outs(%e0[i, j] : tensor<37x50xf32>) {
    ^row(%a: tensor<50xf32>, %c: tensor<50xf32>):
      %t = arith.addf %a, %c : tensor<50xf32>
      sinter.yield %t : tensor<50xf32>
    }
    %e1 = tensor.empty() : tensor<7x19xi32>
    %1 = sinter.contract (i = 7) by (j = 19)
        product (k = 1) (%p[i, k] : tensor<7x1xi8>, %q[j, k] : tensor<19x1xi8>) : i32 outs(%e1[i, j] : tensor<7x19xi32>) {
    ^row(%a: tensor<19xi32>):
      sinter.yield %a : tensor<19xi32>
    }
    %e2 = tensor.empty() : tensor<50xf32>
    %2 = sinter.contract (i = 37) by (j = 50)
        product (k = 1) (%x[i, k] : tensor<37x1xbf16>, %w[k, j] : tensor<1x50xbf16>) : f32
        ins(%n[] : tensor<f32>) reduce(add [j] : f32) outs(%e2[j] : tensor<50xf32>) {
    ^row(%a: tensor<50xf32>, %c: f32):
      %r = sinter.broadcast %c : f32 -> tensor<50xf32>
      %t = arith.mulf %a, %r : tensor<50xf32>
      sinter.yield %t : tensor<50xf32>
    } finish {
    ^done(%s: tensor<50xf32>, %c: f32):
      %r = sinter.broadcast %c : f32 -> tensor<50xf32>
      %t = arith.addf %s, %r : tensor<50xf32>
      sinter.yield %t : tensor<50xf32>
    }
    %e3 = tensor.empty() : tensor<3x29x1xf32>
    %3 = sinter.contract (b = 3, i = 29) by (j = 1)
        product (k = 35) (%h[b, i, k] : tensor<3x29x35xf32>, %v[k, j] : tensor<35x1xf32>) : f32
        outs(%e3[b, i, j] : tensor<3x29x1xf32>) {
    ^row(%a: tensor<1xf32>):
      %t = math.tanh %a : tensor<1xf32>
      sinter.yield %t : tensor<1xf32>
    }
    %4 = sinter.contract (b = 3, i = 29) by (j = 1)
        product (k = 35) (%h[b, i, k] : tensor<3x29x35xf32>, %v[k, j] : tensor<35x1xf32>) : f32
        product (m = 35) (%h[b, i, m] : tensor<3x29x35xf32>, %u[j, m] : tensor<1x35xf32>) : f32
        outs(%e3[b, i, j] : tensor<3x29x1xf32>) {
    ^row(%a: tensor<1xf32>, %c: tensor<1xf32>):
      %t = arith.mulf %a, %c : tensor<1xf32>
      sinter.yield %t : tensor<1xf32>
    }
    %5 = sinter.contract (i = 37) by (j = 50)
        product (k = 1) (%f[k] : tensor<1xf32>, %g[k, j] : tensor<1x50xf32>) : f32
        ins(%o[i] : tensor<37xf32>, %n[] : tensor<f32>) reduce(add [j] : f32) outs(%e2[j] : tensor<50xf32>) {
    ^row(%a: tensor<50xf32>, %c: f32, %d: f32):
      %r = sinter.broadcast %c : f32 -> tensor<50xf32>
      %t = arith.mulf %a, %r : tensor<50xf32>
      sinter.yield %t : tensor<50xf32>
    } finish {
    ^done(%s: tensor<50xf32>, %c: f32):
      %r = sinter.broadcast %c : f32 -> tensor<50xf32>
      %t = arith.addf %s, %r : tensor<50xf32>
      sinter.yield %t : tensor<50xf32>
    }
    %e6 = tensor.empty() : tensor<13x1xbf16>
    %6 = sinter.contract (i = 13) by (j = 1)
        product (k = 5, l = 7) (%r[i, k, l] : tensor<13x5x9xbf16>, %s[j, k, l] : tensor<1x5x7xbf16>) : f32
        outs(%e6[i, j] : tensor<13x1xbf16>) {
    ^row(%a: tensor<1xf32>):
      %t = arith.truncf %a : tensor<1xf32> to tensor<1xbf16>
      sinter.yield %t : tensor<1xbf16>
    }
    %e7 = tensor.empty() : tensor<13x1xf32>
    %7 = sinter.contract (i = 13) by (j = 1)
        product (k = 3, l = 2, m = 8) (%y[i, k, l, m + 1] : tensor<13x3x2x9xf16>, %z[j, k, l, m] : tensor<1x3x2x8xf16>) : f32
        outs(%e7[i, j] : tensor<13x1xf32>) {
    ^row(%a: tensor<1xf32>):
      sinter.yield %a : tensor<1xf32>
    }
    return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<37x50xf32>, tensor<7x19xi32>, tensor<50xf32>, tensor<3x29x1xf32>, tensor<3x29x1xf32>,
        tensor<50xf32>, tensor<13x1xbf16>, tensor<13x1xf32>
  }
}

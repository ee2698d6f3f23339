// RUN: sinter-run %s --verify --policy=aggressive --threads=1 --output=%t1.npy | FileCheck %s --implicit-check-not=differs
// RUN: sinter-run %s --verify --policy=aggressive --cpu=haswell | FileCheck %s --implicit-check-not=differs
// RUN: sinter-run %s --verify --policy=aggressive --cpu=x86-64 | FileCheck %s --implicit-check-not=differs
// RUN: sinter-run %s --policy=aggressive --threads=3 --output=%t3.npy
// RUN: cmp %t1.npy %t3.npy

// Images with channels last under windows: odd runs and even ones, dilated and strided, with and without edges; bf16,
// f16, f32 and whole numbers; 1, 9, 17 and 70 columns; sums in several blocks; several rows of tasks.

// CHECK-COUNT-8: agrees

module {
  func.func @main(%a: tensor<4x13x13x21xbf16>, %b: tensor<9x5x5x21xbf16>, %c: tensor<2x17x15x7xbf16>,
                  %d: tensor<17x3x3x7xbf16>, %g: tensor<3x20x20x9xf16>, %h: tensor<1x7x7x9xf16>,
                  %i: tensor<2x11x11x6xf32>, %j: tensor<3x3x3x6xf32>, %k: tensor<2x12x12x24xi8>,
                  %l: tensor<70x3x3x24xi8>, %m: tensor<5x40x10xbf16>, %n: tensor<70x9x10xbf16>,
                  %o: tensor<2x9x9x37xbf16>, %p: tensor<33x5x3x37xbf16>, %q: tensor<2x12x12x5xi8>,
                  %r: tensor<18x3x3x5xi8>)
      -> (tensor<4x13x13x9xf32>, tensor<2x7x6x17xbf16>, tensor<3x20x20x1xf16>, tensor<2x9x9x3xf32>,
          tensor<2x12x12x70xi32>, tensor<5x32x70xf32>, tensor<2x9x9x33xf32>, tensor<2x10x10x18xi32>) {
    %e0 = tensor.empty() : tensor<4x13x13x9xf32>
    %0 = sinter.contract (n = 4, y = 13, x = 13) by (f = 9)
        product (r = 5, s = 5, c = 21) (%a[n, y + r - 2, x + s - 2, c] : tensor<4x13x13x21xbf16> else 0.0, %b[f, r, s, c] : tensor<9x5x5x21xbf16>) : f32
        outs(%e0[n, y, x, f] : tensor<4x13x13x9xf32>) {
    ^row(%v: tensor<9xf32>):
      sinter.yield %v : tensor<9xf32>
    }
    %e1 = tensor.empty() : tensor<2x7x6x17xbf16>
    %1 = sinter.contract (n = 2, y = 7, x = 6) by (f = 17)
        product (r = 3, s = 3, c = 7) (%c[n, y * 2 + r * 2, x * 2 + s * 2, c] : tensor<2x17x15x7xbf16>, %d[f, r, s, c] : tensor<17x3x3x7xbf16>) : f32
        outs(%e1[n, y, x, f] : tensor<2x7x6x17xbf16>) {
    ^row(%v: tensor<17xf32>):
      %t = arith.truncf %v : tensor<17xf32> to tensor<17xbf16>
      sinter.yield %t : tensor<17xbf16>
    }
    %e2 = tensor.empty() : tensor<3x20x20x1xf16>
    %2 = sinter.contract (n = 3, y = 20, x = 20) by (f = 1)
        product (r = 7, s = 7, c = 9) (%g[n, y + r - 3, x + s - 3, c] : tensor<3x20x20x9xf16> else 0.0, %h[f, r, s, c] : tensor<1x7x7x9xf16>) : f32
        outs(%e2[n, y, x, f] : tensor<3x20x20x1xf16>) {
    ^row(%v: tensor<1xf32>):
      %t = arith.truncf %v : tensor<1xf32> to tensor<1xf16>
      sinter.yield %t : tensor<1xf16>
    }
    %e3 = tensor.empty() : tensor<2x9x9x3xf32>
    %3 = sinter.contract (n = 2, y = 9, x = 9) by (f = 3)
        product (r = 3, s = 3, c = 6) (%i[n, y + r, x + s, c] : tensor<2x11x11x6xf32>, %j[f, r, s, c] : tensor<3x3x3x6xf32>) : f32
        outs(%e3[n, y, x, f] : tensor<2x9x9x3xf32>) {
    ^row(%v: tensor<3xf32>):
      sinter.yield %v : tensor<3xf32>
    }
    %e4 = tensor.empty() : tensor<2x12x12x70xi32>
    %4 = sinter.contract (n = 2, y = 12, x = 12) by (f = 70)
        product (r = 3, s = 3, c = 24) (%k[n, y + r - 1, x + s - 1, c] : tensor<2x12x12x24xi8> else 0, %l[f, r, s, c] : tensor<70x3x3x24xi8>) : i32
        outs(%e4[n, y, x, f] : tensor<2x12x12x70xi32>) {
    ^row(%v: tensor<70xi32>):
      sinter.yield %v : tensor<70xi32>
    }
    %e5 = tensor.empty() : tensor<5x32x70xf32>
    %5 = sinter.contract (n = 5, x = 32) by (f = 70)
        product (s = 9, c = 10) (%m[n, x + s, c] : tensor<5x40x10xbf16>, %n[f, s, c] : tensor<70x9x10xbf16>) : f32
        outs(%e5[n, x, f] : tensor<5x32x70xf32>) {
    ^row(%v: tensor<70xf32>):
      sinter.yield %v : tensor<70xf32>
    }
    %e6 = tensor.empty() : tensor<2x9x9x33xf32>
    %6 = sinter.contract (n = 2, y = 9, x = 9) by (f = 33)
        product (r = 5, s = 3, c = 37) (%o[n, y + r - 2, x + s - 1, c] : tensor<2x9x9x37xbf16> else 0.0, %p[f, r, s, c] : tensor<33x5x3x37xbf16>) : f32
        outs(%e6[n, y, x, f] : tensor<2x9x9x33xf32>) {
    ^row(%v: tensor<33xf32>):
      sinter.yield %v : tensor<33xf32>
    }
    %e7 = tensor.empty() : tensor<2x10x10x18xi32>
    %7 = sinter.contract (n = 2, y = 10, x = 10) by (f = 18)
        product (r = 3, s = 3, c = 5) (%q[n, y + r, x + s, c] : tensor<2x12x12x5xi8>, %r[f, r, s, c] : tensor<18x3x3x5xi8>) : i32
        outs(%e7[n, y, x, f] : tensor<2x10x10x18xi32>) {
    ^row(%v: tensor<18xi32>):
      sinter.yield %v : tensor<18xi32>
    }
    return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<4x13x13x9xf32>, tensor<2x7x6x17xbf16>, tensor<3x20x20x1xf16>, tensor<2x9x9x3xf32>, tensor<2x12x12x70xi32>, tensor<5x32x70xf32>, tensor<2x9x9x33xf32>, tensor<2x10x10x18xi32>
  }
}

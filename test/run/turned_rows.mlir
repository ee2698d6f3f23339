// RUN: sinter-run %s --verify --policy=aggressive --threads=1 --shape=131x67 --shape=131x3 --shape=67x3 | FileCheck %s --implicit-check-not=differs
// RUN: sinter-run %s --verify --policy=aggressive --cpu=haswell --shape=5x9 --shape=5x3 --shape=9x3 | FileCheck %s --implicit-check-not=differs
// RUN: sinter-run %s --verify --policy=aggressive --threads=3 --shape=64x1 --shape=64x3 --shape=1x3 | FileCheck %s --implicit-check-not=differs

// Rows [k, i] of few columns are copied by vectors as wide as the kernel's: of every type, with rows and summed
// elements that are no whole vectors, fewer than one, and `?`.

// CHECK-COUNT-6: agrees

func.func @main(%x: tensor<?x?xf32>, %w: tensor<?x3xf32>, %d: tensor<?x3xf32>,
                %a: tensor<70x37xf16>, %b: tensor<2x70xf16>, %c: tensor<45x133xbf16>, %f: tensor<1x45xbf16>,
                %g: tensor<19x21xf64>, %h: tensor<19x3xf64>, %i: tensor<77x50xi8>, %j: tensor<5x77xi8>,
                %k: tensor<7x300xf32>, %l: tensor<4x7xf32>)
    -> (tensor<?x3xf32>, tensor<37x2xf32>, tensor<133x1xf32>, tensor<21x3xf64>, tensor<50x5xi32>, tensor<300x4xf32>) {
  %y0 = sinter.contract (i = ?) by (j = 3) product (k = ?) (%x[k, i] : tensor<?x?xf32>, %w[k, j] : tensor<?x3xf32>) : f32
      outs(%d[i, j] : tensor<?x3xf32>) {
  ^row(%p: tensor<3xf32>):
    sinter.yield %p : tensor<3xf32>
  }
  %e1 = tensor.empty() : tensor<37x2xf32>
  %y1 = sinter.contract (i = 37) by (j = 2) product (k = 70) (%a[k, i] : tensor<70x37xf16>, %b[j, k] : tensor<2x70xf16>) : f32
      outs(%e1[i, j] : tensor<37x2xf32>) {
  ^row(%p: tensor<2xf32>):
    sinter.yield %p : tensor<2xf32>
  }
  %e2 = tensor.empty() : tensor<133x1xf32>
  %y2 = sinter.contract (i = 133) by (j = 1) product (k = 45) (%c[k, i] : tensor<45x133xbf16>, %f[j, k] : tensor<1x45xbf16>) : f32
      outs(%e2[i, j] : tensor<133x1xf32>) {
  ^row(%p: tensor<1xf32>):
    sinter.yield %p : tensor<1xf32>
  }
  %e3 = tensor.empty() : tensor<21x3xf64>
  %y3 = sinter.contract (i = 21) by (j = 3) product (k = 19) (%g[k, i] : tensor<19x21xf64>, %h[k, j] : tensor<19x3xf64>) : f64
      outs(%e3[i, j] : tensor<21x3xf64>) {
  ^row(%p: tensor<3xf64>):
    sinter.yield %p : tensor<3xf64>
  }
  %e4 = tensor.empty() : tensor<50x5xi32>
  %y4 = sinter.contract (i = 50) by (j = 5) product (k = 77) (%i[k, i] : tensor<77x50xi8>, %j[j, k] : tensor<5x77xi8>) : i32
      outs(%e4[i, j] : tensor<50x5xi32>) {
  ^row(%p: tensor<5xi32>):
    sinter.yield %p : tensor<5xi32>
  }
  %e5 = tensor.empty() : tensor<300x4xf32>
  %y5 = sinter.contract (i = 300) by (j = 4) product (k = 7) (%k[k, i] : tensor<7x300xf32>, %l[j, k] : tensor<4x7xf32>) : f32
      outs(%e5[i, j] : tensor<300x4xf32>) {
  ^row(%p: tensor<4xf32>):
    sinter.yield %p : tensor<4xf32>
  }
  return %y0, %y1, %y2, %y3, %y4, %y5 : tensor<?x3xf32>, tensor<37x2xf32>, tensor<133x1xf32>, tensor<21x3xf64>, tensor<50x5xi32>, tensor<300x4xf32>
}

// RUN: sinter-run %s --verify --shape=4x0x3 --shape=0x4x2 | FileCheck %s --implicit-check-not=differs
// RUN: sinter-run %s --verify --shape=4x5x3 --shape=5x4x2 | FileCheck %s --implicit-check-not=differs

// Two dimensions are summed, the inner one of no elements, which nothing is divided by: as a product of one form, known
// or not, and of a chain.

// CHECK-COUNT-3: agrees

func.func @main(%x: tensor<4x?x3xf32>, %z: tensor<?x4x2xf32>, %u: tensor<4x0x3xf32>, %w: tensor<0x4x2xf32>, %v: tensor<2x7xf32>)
    -> (tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x7xf32>) {
  %e = tensor.empty() : tensor<3x2xf32>
  %d = tensor.empty() : tensor<3x7xf32>
  %0 = sinter.contract (b = 3) by (x = 2)
      product (g = 4, p = ?) (%x[g, p, b] : tensor<4x?x3xf32>, %z[p, g, x] : tensor<?x4x2xf32>) : f32
      outs(%e[b, x] : tensor<3x2xf32>) {
  ^row(%p: tensor<2xf32>):
    sinter.yield %p : tensor<2xf32>
  }
  %1 = sinter.contract (b = 3) by (x = 2)
      product (g = 4, p = 0) (%u[g, p, b] : tensor<4x0x3xf32>, %w[p, g, x] : tensor<0x4x2xf32>) : f32
      outs(%e[b, x] : tensor<3x2xf32>) {
  ^row(%p: tensor<2xf32>):
    sinter.yield %p : tensor<2xf32>
  }
  %2 = sinter.contract (b = 3) by (x = 2) by (o = 7)
      product (g = 4, p = ?) (%x[g, p, b] : tensor<4x?x3xf32>, %z[p, g, x] : tensor<?x4x2xf32>) : f32
      matrix (x) to (o) (%v[x, o] : tensor<2x7xf32>)
      outs(%d[b, o] : tensor<3x7xf32>)
      schedule(#sinter.brgemm<m = 2, n = 2, k = 4, lanes = 2>) {
  ^row(%p: tensor<2xf32>, %m: tensor<2x7xf32>):
    %q = math.exp %p : tensor<2xf32>
    %o = sinter.row_product %q, %m : tensor<2xf32>, tensor<2x7xf32> -> tensor<7xf32>
    sinter.yield %o : tensor<7xf32>
  }
  return %0, %1, %2 : tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x7xf32>
}

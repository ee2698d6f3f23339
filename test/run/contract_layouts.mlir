// RUN: sinter-run %s --verify --threads=1 --output=%t1.npy | FileCheck %s --implicit-check-not=differs
// RUN: sinter-run %s --threads=3 --output=%t3.npy
// RUN: cmp %t1.npy %t3.npy

// Every layout of the two sides: in place, transposed, reversed, padded, a side used twice, sums over two dimensions,
// sizes that are no multiple of a block.

// CHECK-COUNT-4: agrees

module {
  func.func @main(%x: tensor<70x45xf32>, %g: tensor<70x83xf32>, %s: tensor<2x3x40x9xf32>, %u: tensor<9x5x2x3xf32>)
      -> (tensor<45x83xf32>, tensor<70x70xf32>, tensor<83x45xf32>, tensor<40x5xf32>) {
    %e0 = tensor.empty() : tensor<45x83xf32>
    %e1 = tensor.empty() : tensor<70x70xf32>
    %e2 = tensor.empty() : tensor<83x45xf32>
    %e3 = tensor.empty() : tensor<40x5xf32>
    %0 = sinter.contract (i = 45) by (j = 83) product (k = 70) (%x[k, i] : tensor<70x45xf32>, %g[k, j] : tensor<70x83xf32>) : f32
        outs(%e0[i, j] : tensor<45x83xf32>) {
    ^row(%p: tensor<83xf32>):
      sinter.yield %p : tensor<83xf32>
    }
    %1 = sinter.contract (i = 70) by (j = 70) product (k = 45) (%x[i, 44 - k] : tensor<70x45xf32>, %x[j, k] : tensor<70x45xf32>) : f32
        outs(%e1[i, j] : tensor<70x70xf32>) {
    ^row(%p: tensor<70xf32>):
      sinter.yield %p : tensor<70xf32>
    }
    %2 = sinter.contract (j = 83) by (i = 45) product (k = 70) (%x[k - 1, i] : tensor<70x45xf32> else 2.0, %g[69 - k, j] : tensor<70x83xf32>) : f32
        outs(%e2[j, i] : tensor<83x45xf32>) {
    ^row(%p: tensor<45xf32>):
      sinter.yield %p : tensor<45xf32>
    }
    %3 = sinter.contract (i = 40) by (j = 5) product (a = 2, b = 3, c = 9) (%s[a, b, i, c] : tensor<2x3x40x9xf32>, %u[c, j, a, b] : tensor<9x5x2x3xf32>) : f32
        outs(%e3[i, j] : tensor<40x5xf32>) {
    ^row(%p: tensor<5xf32>):
      sinter.yield %p : tensor<5xf32>
    }
    return %0, %1, %2, %3 : tensor<45x83xf32>, tensor<70x70xf32>, tensor<83x45xf32>, tensor<40x5xf32>
  }
}

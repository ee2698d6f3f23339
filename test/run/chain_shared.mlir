// REQUIRES: avx2
// RUN: env LIBXSMM_TARGET=hsw sinter-run --cpu=haswell %s --verify --threads=2 --shape=3x21x70 --shape=3x70x33 | FileCheck %s --implicit-check-not=differs

// Weights that are copied once for all blocks: batches of them, whose number is known when the program runs; two
// products of a row, by columns; the pixels under a window that leaves the image; sides with a program.

// CHECK-COUNT-4: agrees with the decomposed program
func.func @main(%b: tensor<?x21x70xf32>, %m: tensor<?x70x33xbf16>, %x: tensor<40x33xbf16>, %u: tensor<50x33xbf16>,
                %v: tensor<50x33xbf16>, %p: tensor<1x9x9x6xf32>, %k: tensor<19x3x3x6xf32>, %s: tensor<33xbf16>)
    -> (tensor<?x21x33xf32>, tensor<40x50xf32>, tensor<1x9x9x19xf32>, tensor<40x50xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %b, %c0 : tensor<?x21x70xf32>
  %e0 = tensor.empty(%n) : tensor<?x21x33xf32>
  %0 = sinter.contract (h = ?, i = 21) by (j = 33)
      product (k = 70) (%b[h, i, k] : tensor<?x21x70xf32>, %m[h, k, j] : tensor<?x70x33xbf16>) : f32
      outs(%e0[h, i, j] : tensor<?x21x33xf32>)
      schedule(#sinter.brgemm<kernel = "fma256", m = 6, n = 16, k = 32, lanes = 8, weights = "shared", tasks = 3>) {
  ^row(%a: tensor<33xf32>):
    sinter.yield %a : tensor<33xf32>
  }
  %e1 = tensor.empty() : tensor<40x50xf32>
  %1 = sinter.contract (i = 40) by (j = 50)
      product (k = 33) (%x[i, k] : tensor<40x33xbf16>, %u[j, k] : tensor<50x33xbf16>) : f32
      product (k_ = 33) (%x[i, k_] : tensor<40x33xbf16>, %v[j, k_] : tensor<50x33xbf16>) : f32
      outs(%e1[i, j] : tensor<40x50xf32>)
      schedule(#sinter.brgemm<kernel = "fma256", m = 12, n = 16, k = 16, columns = 32, lanes = 8, weights = "shared">) {
  ^row(%a: tensor<50xf32>, %g: tensor<50xf32>):
    %r = arith.mulf %a, %g : tensor<50xf32>
    sinter.yield %r : tensor<50xf32>
  }
  %e2 = tensor.empty() : tensor<1x9x9x19xf32>
  %2 = sinter.contract (n = 1, y = 9, x = 9) by (o = 19)
      product (r = 3, s = 3, c = 6) (%p[n, y + r - 1, x + s - 1, c] : tensor<1x9x9x6xf32> else 0.0,
                                     %k[o, r, s, c] : tensor<19x3x3x6xf32>) : f32
      outs(%e2[n, y, x, o] : tensor<1x9x9x19xf32>)
      schedule(#sinter.brgemm<kernel = "libxsmm", m = 20, n = 16, k = 16, lanes = 8, pack = "shared", weights = "shared">) {
  ^row(%a: tensor<19xf32>):
    sinter.yield %a : tensor<19xf32>
  }
  %e3 = tensor.empty() : tensor<40x50xf32>
  %3 = sinter.contract (i = 40) by (j = 50)
      product (k = 33) (%x[i, k] : tensor<40x33xbf16>, side(%u[j, k] : tensor<50x33xbf16>, %s[k] : tensor<33xbf16>) {
      ^side(%w: tensor<33xbf16>, %g: tensor<33xbf16>):
        %q = arith.mulf %w, %g : tensor<33xbf16>
        sinter.yield %q : tensor<33xbf16>
      }) : f32
      outs(%e3[i, j] : tensor<40x50xf32>)
      schedule(#sinter.brgemm<kernel = "fma256", m = 12, n = 32, k = 32, lanes = 8, weights = "shared", tasks = 2>) {
  ^row(%a: tensor<50xf32>):
    sinter.yield %a : tensor<50xf32>
  }
  return %0, %1, %2, %3 : tensor<?x21x33xf32>, tensor<40x50xf32>, tensor<1x9x9x19xf32>, tensor<40x50xf32>
}

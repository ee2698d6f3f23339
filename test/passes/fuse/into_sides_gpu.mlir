// RUN: sinter-opt --sinter-fuse="policy=aggressive target=gpu" --split-input-file %s | FileCheck %s
// RUN: sinter-opt --sinter-fuse="policy=aggressive" --split-input-file %s | FileCheck %s --check-prefix=CPU

// Where tensor cores multiply, what two sides read is stored if one of their products has rows that are multiplied
// again. A CPU packs sides anyway, and computes it there.

// CHECK-LABEL: func @rotated
//       CHECK:   %[[R:.+]] = sinter.rowwise (i = 64) by (k = 16)
//       CHECK:   product (k = 16) (%[[R]][i, k] :
//       CHECK:   product {{.*}}%[[R]][
//   CPU-LABEL: func @rotated
//     CPU-NOT:   sinter.rowwise
func.func @rotated(%q: tensor<64x16xbf16>, %c: tensor<64x16xbf16>, %k: tensor<64x16xbf16>, %v: tensor<64x16xbf16>)
    -> (tensor<64x16xf32>, tensor<64x16xf32>) {
  %e = tensor.empty() : tensor<64x16xbf16>
  %f = tensor.empty() : tensor<64x64xbf16>
  %g = tensor.empty() : tensor<64x16xf32>
  %r = sinter.rowwise (i = 64) by (k = 16)
      ins(%q[i, k] : tensor<64x16xbf16>, %c[i, k] : tensor<64x16xbf16>) outs(%e[i, k] : tensor<64x16xbf16>) {
  ^row(%a: tensor<16xbf16>, %b: tensor<16xbf16>):
    %p = arith.mulf %a, %b : tensor<16xbf16>
    sinter.yield %p : tensor<16xbf16>
  }
  %s = sinter.contract (i = 64) by (j = 64)
      product (k = 16) (%r[i, k] : tensor<64x16xbf16>, %k[j, k] : tensor<64x16xbf16>) : f32
      outs(%f[i, j] : tensor<64x64xbf16>) {
  ^row(%p: tensor<64xf32>):
    %h = arith.truncf %p : tensor<64xf32> to tensor<64xbf16>
    sinter.yield %h : tensor<64xbf16>
  }
  %o = sinter.contract (i = 64) by (e = 16)
      product (j = 64) (%s[i, j] : tensor<64x64xbf16>, %v[j, e] : tensor<64x16xbf16>) : f32
      outs(%g[i, e] : tensor<64x16xf32>) {
  ^row(%p: tensor<16xf32>):
    sinter.yield %p : tensor<16xf32>
  }
  %d = sinter.contract (j = 64) by (k = 16)
      product (i = 64) (%s[i, j] : tensor<64x64xbf16>, %r[i, k] : tensor<64x16xbf16>) : f32
      outs(%g[j, k] : tensor<64x16xf32>) {
  ^row(%p: tensor<16xf32>):
    sinter.yield %p : tensor<16xf32>
  }
  return %o, %d : tensor<64x16xf32>, tensor<64x16xf32>
}

// RUN: sinter-opt --sinter-outline --sinter-lower-cpu --canonicalize --cse %s | FileCheck %s

// Five taps of three channels, six elements from each other, are 27 elements: two vectors, the second of which ends
// with the last tap, and a shuffle. A block of k that has a part of such a line copies it tap by tap.

// CHECK-LABEL: func private @main_kernel0
//       CHECK:   %[[A:.+]] = vector.bitcast %{{.+}} : vector<16xbf16> to vector<16xi16>
//       CHECK:   %[[B:.+]] = vector.bitcast %{{.+}} : vector<16xbf16> to vector<16xi16>
//       CHECK:   %[[S:.+]] = vector.shuffle %[[A]], %[[B]] [0, 1, 2, 6, 7, 8, 12, 13, 14, 23, 24, 25, 29, 30, 31] : vector<16xi16>, vector<16xi16>
//       CHECK:   %[[T:.+]] = vector.bitcast %[[S]] : vector<15xi16> to vector<15xbf16>
//       CHECK:   %[[F:.+]] = arith.extf %[[T]] : vector<15xbf16> to vector<15xf32>
//       CHECK:   vector.store %[[F]], %{{.+}}, vector<15xf32>
//       CHECK:   } else {
//       CHECK:     scf.for
//       CHECK:       vector.maskedload
func.func @main(%x: tensor<4x30x30x3xbf16>, %w: tensor<2x5x5x3xbf16>) -> tensor<4x22x22x2xf32> {
  %e = tensor.empty() : tensor<4x22x22x2xf32>
  %y = sinter.contract (n = 4, y = 22, x = 22) by (o = 2)
      product (r = 5, s = 5, c = 3) (%x[n, y + r * 2, x + s * 2, c] : tensor<4x30x30x3xbf16>, %w[o, r, s, c] : tensor<2x5x5x3xbf16>) : f32
      outs(%e[n, y, x, o] : tensor<4x22x22x2xf32>)
      schedule(#sinter.brgemm<k = 64, kernel = "inner512", lanes = 2, m = 249, n = 2, tasks = 9, unroll = 1, widen = "reading">) {
  ^row(%p: tensor<2xf32>):
    sinter.yield %p : tensor<2xf32>
  }
  return %y : tensor<4x22x22x2xf32>
}

// RUN: sinter-opt --sinter-outline --sinter-lower-cpu %s | FileCheck %s

// Rows [k, i] of two columns are copied by vectors of the kernel's lanes, 16 x 16 elements at once, though the row
// program has vectors of 2. Halves are exchanged as integers.

// CHECK-LABEL: func private @main_kernel0
//   CHECK-NOT:   vector<2xbf16>
//       CHECK:   vector.load {{.*}}, vector<16xbf16>
//       CHECK:   vector.bitcast %{{.+}} : vector<16xbf16> to vector<16xi16>
//       CHECK:   vector.shuffle %{{.+}}, %{{.+}} [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23] : vector<16xi16>, vector<16xi16>
//       CHECK:   vector.bitcast %{{.+}} : vector<16xi16> to vector<16xbf16>
//       CHECK:   vector.store %{{.+}}, vector<16xbf16>
func.func @main(%x: tensor<1612x500xbf16>, %w: tensor<2x1612xbf16>) -> tensor<500x2xf32> {
  %e = tensor.empty() : tensor<500x2xf32>
  %y = sinter.contract (i = 500) by (j = 2)
      product (k = 1612) (%x[k, i] : tensor<1612x500xbf16>, %w[j, k] : tensor<2x1612xbf16>) : f32
      outs(%e[i, j] : tensor<500x2xf32>)
      schedule(#sinter.brgemm<k = 1024, kernel = "inner.dot512", lanes = 2, m = 250, n = 2, tasks = 12, unroll = 1>) {
  ^row(%p: tensor<2xf32>):
    sinter.yield %p : tensor<2xf32>
  }
  return %y : tensor<500x2xf32>
}

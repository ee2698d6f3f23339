// RUN: sinter-opt --sinter-lower-cpu --canonicalize --cse --split-input-file --verify-diagnostics %s | FileCheck %s --implicit-check-not=sinter.contract

// Runs of 9 elements are 4 pairs and one that has a zero beside it, in weights that are packed run by run: 5 groups of
// each. A table says where each row of the block begins, another where each of 3 runs does, 6 * 3 elements apart.

// CHECK-LABEL: func.func private @odd_runs(
//       CHECK:   scf.for %[[U:.+]] = %c0 to %c3 step %c1 {
//       CHECK:     arith.muli %{{.+}}, %c18
//       CHECK:     memref.store %{{.+}}, %{{.+}}[%[[U]]] : memref<3xi64>
// CHECK-LABEL: func.func private @odd_runs_task(
//   CHECK-NOT:   memref<{{.*}}x27xbf16>
//       CHECK:   memref.store {{.*}} : memref<16xi64>
//       CHECK:   scf.for {{.*}} to %c3 step %c1 iter_args
//       CHECK:     memref.load {{.*}} : memref<3xi64>
//       CHECK:     scf.for {{.*}} to %c4 step %c1 iter_args
//       CHECK:       vector.load {{.*}} vector<2xbf16>
//       CHECK:     memref.load {{.*}} : memref<216xbf16>
//       CHECK:     arith.extui {{.*}} : i16 to i32
//       CHECK:     call @llvm.x86.avx512bf16.dpbf16ps.512
func.func private @odd_runs(%x: memref<2x6x6x3xbf16>, %w: memref<16x3x3x3xbf16>, %y: memref<2x4x4x16xf32>) attributes {sinter.kernel} {
  sinter.contract (n = 2, y = 4, x = 4) by (o = 16) product (r = 3, s = 3, c = 3) (%x[n, y + r, x + s, c] : memref<2x6x6x3xbf16>, %w[o, r, s, c] : memref<16x3x3x3xbf16>) : f32
      outs(%y[n, y, x, o] : memref<2x4x4x16xf32>) schedule(#sinter.brgemm<kernel = "dot512", m = 16, n = 16, k = 28, lanes = 16, pack = "windows", tasks = 1>) {
  ^row(%a: tensor<16xf32>):
    sinter.yield %a : tensor<16xf32>
  }
  return
}

// -----

// Vectors along the runs: 18 elements are one vector of 16 and two lanes of 8. Weights are read where they lie.

// CHECK-LABEL: func.func private @along_task(
//       CHECK:   scf.for {{.*}} to %c3 step %c1 iter_args
//       CHECK:     memref.load {{.*}} : memref<3xi64>
//       CHECK:     vector.load {{.*}} vector<16xf32>
//   CHECK-NOT:     memref.prefetch
//       CHECK:     vector.maskedload {{.*}} vector<8xf32>
//       CHECK:     vector.insert_strided_slice {{.*}} vector<8xf32> into vector<16xf32>
func.func private @along(%x: memref<2x6x6x6xf32>, %w: memref<2x3x3x6xf32>, %y: memref<2x4x4x2xf32>) attributes {sinter.kernel} {
  sinter.contract (n = 2, y = 4, x = 4) by (o = 2) product (r = 3, s = 3, c = 6) (%x[n, y + r, x + s, c] : memref<2x6x6x6xf32>, %w[o, r, s, c] : memref<2x3x3x6xf32>) : f32
      outs(%y[n, y, x, o] : memref<2x4x4x2xf32>) schedule(#sinter.brgemm<kernel = "inner512", m = 16, n = 2, k = 54, lanes = 2, pack = "windows", tasks = 1>) {
  ^row(%a: tensor<2xf32>):
    sinter.yield %a : tensor<2xf32>
  }
  return
}

// -----

func.func private @cut_runs(%x: memref<2x6x6x6xf32>, %w: memref<16x3x3x6xf32>, %y: memref<2x4x4x16xf32>) attributes {sinter.kernel} {
  // expected-error@below {{pack = "windows" and k = 20, but a multiple of product 0's runs of 18 is needed}}
  sinter.contract (n = 2, y = 4, x = 4) by (o = 16) product (r = 3, s = 3, c = 6) (%x[n, y + r, x + s, c] : memref<2x6x6x6xf32>, %w[o, r, s, c] : memref<16x3x3x6xf32>) : f32
      outs(%y[n, y, x, o] : memref<2x4x4x16xf32>) schedule(#sinter.brgemm<kernel = "fma512", m = 16, n = 16, k = 20, lanes = 16, pack = "windows", tasks = 1>) {
  ^row(%a: tensor<16xf32>):
    sinter.yield %a : tensor<16xf32>
  }
  return
}

// -----

func.func private @bounded(%x: memref<2x4x4x6xf32>, %w: memref<16x3x3x6xf32>, %y: memref<2x4x4x16xf32>) attributes {sinter.kernel} {
  // expected-error@below {{pack = "windows", but kernel = "fma512" cannot read rows of product 0 as runs: leave pack out}}
  sinter.contract (n = 2, y = 4, x = 4) by (o = 16) product (r = 3, s = 3, c = 6) (%x[n, y + r - 1, x + s - 1, c] : memref<2x4x4x6xf32> else 0.0, %w[o, r, s, c] : memref<16x3x3x6xf32>) : f32
      outs(%y[n, y, x, o] : memref<2x4x4x16xf32>) schedule(#sinter.brgemm<kernel = "fma512", m = 16, n = 16, k = 18, lanes = 16, pack = "windows", tasks = 1>) {
  ^row(%a: tensor<16xf32>):
    sinter.yield %a : tensor<16xf32>
  }
  return
}

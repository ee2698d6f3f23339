// RUN: sinter-opt --sinter-lower-cpu --canonicalize --cse --split-input-file --verify-diagnostics %s | FileCheck %s

// Weights that were packed before are multiplied where they lie: panel j0 / 64, step k0 / 32, and nothing is copied.

// CHECK-LABEL: func private @packed_task(
//       CHECK:   scf.for %[[J:.+]] = %c0 to %c100 step %c64 {
//       CHECK:     scf.for %[[K:.+]] = %c0 to %c60 step %c32 {
//   CHECK-NOT:       vector.store
//       CHECK:       %[[P:.+]] = arith.divui %[[J]], %c64
//       CHECK:       %[[Q:.+]] = arith.divui %[[K]], %c32
//       CHECK:       memref.reinterpret_cast %{{.+}} : memref<2x2x32x64xf32> to
//       CHECK:       func.call @sinter_fma512_f32(
func.func @packed(%x: memref<8x60xf32>, %w: memref<2x2x32x64xf32>, %y: memref<8x100xf32>) attributes {sinter.kernel} {
  sinter.contract (i = 8) by (j = 100) product (k = 60)
      (%x[i, k] : memref<8x60xf32>, %w[j floordiv 64, k floordiv 32, k mod 32, j mod 64] : memref<2x2x32x64xf32>) : f32
      outs(%y[i, j] : memref<8x100xf32>)
      schedule(#sinter.brgemm<kernel = "fma512", m = 8, n = 64, k = 32, tasks = 1, lanes = 16, weights = "packed">) {
  ^row(%a: tensor<100xf32>):
    sinter.yield %a : tensor<100xf32>
  }
  return
}

// -----

// Panels of another size are none of these.

func.func @other_panels(%x: memref<8x60xf32>, %w: memref<2x2x32x64xf32>, %y: memref<8x100xf32>) attributes {sinter.kernel} {
  // expected-error@below {{weights = "packed", but those of product 0 are not a tensor of 4x2x32x32 that is read as sinter-pack-weights writes it}}
  sinter.contract (i = 8) by (j = 100) product (k = 60)
      (%x[i, k] : memref<8x60xf32>, %w[j floordiv 64, k floordiv 32, k mod 32, j mod 64] : memref<2x2x32x64xf32>) : f32
      outs(%y[i, j] : memref<8x100xf32>)
      schedule(#sinter.brgemm<kernel = "fma512", m = 8, n = 32, k = 32, tasks = 1, lanes = 16, weights = "packed">) {
  ^row(%a: tensor<100xf32>):
    sinter.yield %a : tensor<100xf32>
  }
  return
}

// -----

// A kernel that reads weights where they lie packs none.

func.func @lines(%x: memref<8x60xf32>, %w: memref<100x60xf32>, %y: memref<8x100xf32>) attributes {sinter.kernel} {
  // expected-error@below {{weights = "packed", but those of product 0 cannot be for kernel = "inner512": leave weights out}}
  sinter.contract (i = 8) by (j = 100) product (k = 60) (%x[i, k] : memref<8x60xf32>, %w[j, k] : memref<100x60xf32>) : f32
      outs(%y[i, j] : memref<8x100xf32>)
      schedule(#sinter.brgemm<kernel = "inner512", m = 8, n = 64, k = 64, tasks = 1, lanes = 16, weights = "packed">) {
  ^row(%a: tensor<100xf32>):
    sinter.yield %a : tensor<100xf32>
  }
  return
}

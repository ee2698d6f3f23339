// REQUIRES: libdevice
// RUN: sinter-cc --target=gpu %s -o %t.ptx && FileCheck %s < %t.ptx

// What says how wgmma's lines lie is the high word of a descriptor, and no part of a 64-bit sum: ptxas 13.0 loses the
// high word of such a constant here, where each warpgroup has one tile, and all of the product is wrong.

// CHECK-LABEL: .entry main_kernel0
//   CHECK-NOT:   add{{[^;]*}}, 4611686
//       CHECK:   or.b64 {{[^;]*}}, 4611686293305294848;
//   CHECK-NOT:   add{{[^;]*}}, 4611686
//       CHECK:   st.global
func.func @main(%x: tensor<64x752xf16>, %w: tensor<1400x64xf16>) -> tensor<752x1400xf16> {
  %e = tensor.empty() : tensor<752x1400xf16>
  %y = sinter.contract (i = 752) by (j = 1400)
      product (k = 64) (%x[k, i] : tensor<64x752xf16>, %w[j, k] : tensor<1400x64xf16>) : f32
      outs(%e[i, j] : tensor<752x1400xf16>) {
  ^row(%p: tensor<1400xf32>):
    %r = arith.truncf %p : tensor<1400xf32> to tensor<1400xf16>
    sinter.yield %r : tensor<1400xf16>
  }
  return %y : tensor<752x1400xf16>
}

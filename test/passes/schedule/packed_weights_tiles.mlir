// RUN: sinter-opt --sinter-schedule='target=cpu features=avx2,fma,avx512f,avx512bw,amx-bf16' --sinter-pack-weights %s | FileCheck %s

// An argument that asks for it: its type is the packed one, and a function beside packs. 300 summed elements are two
// panels of 160, each 80 pairs; 70 columns are two of 48, three tiles of 16.

//       CHECK: func.func @main(%{{.+}}: tensor<700x300xbf16>, %{{.+}}: tensor<2x2x240x32xbf16> {sinter.name = "w"})
//       CHECK:   [j floordiv 48, k floordiv 160, ((j mod 48) floordiv 16) * 80 + (k mod 160) floordiv 2, (j mod 16) * 2 + k mod 2]
//       CHECK: func.func @main_pack_w(%[[W:.+]]: tensor<300x70xbf16>) -> tensor<2x2x240x32xbf16>
//       CHECK:   sinter.rowwise (panel = 2, step = 2, row = 240) by (column = 32)
//       CHECK:   ins(%[[W]][step * 160 + ((row mod 80) * 2 + column mod 2), panel * 48 + ((row floordiv 80) * 16 + column floordiv 2)] : {{.*}} else 0.000000e+00)
func.func @main(%x: tensor<700x300xbf16>, %w: tensor<300x70xbf16> {sinter.pack, sinter.name = "w"}) -> tensor<700x70xf32> {
  %e = tensor.empty() : tensor<700x70xf32>
  %y = sinter.contract (i = 700) by (j = 70) product (k = 300) (%x[i, k] : tensor<700x300xbf16>, %w[k, j] : tensor<300x70xbf16>) : f32
      outs(%e[i, j] : tensor<700x70xf32>) {
  ^row(%a: tensor<70xf32>):
    sinter.yield %a : tensor<70xf32>
  }
  return %y : tensor<700x70xf32>
}

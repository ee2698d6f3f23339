// RUN: sinter-opt --sinter-schedule='target=cpu features=avx2,fma,avx512f,avx512bf16,amx-bf16' --split-input-file %s | FileCheck %s --check-prefixes=CHECK,EXACT
// RUN: sinter-opt --sinter-schedule='target=cpu features=avx2,fma,avx512f,avx512bf16,amx-bf16 f32-parts' --split-input-file %s | FileCheck %s --check-prefixes=CHECK,PARTS
// RUN: sinter-opt --sinter-schedule='target=cpu features=avx2,fma,avx512f,avx512bf16 f32-parts' --split-input-file %s | FileCheck %s --check-prefix=NONE --implicit-check-not=amx

// f16 is multiplied as sums of two bf16 where there are tiles: every product is exact, so nobody has to ask. A panel is
// of 128 summed elements, of which all parts stay in the first cache.

// CHECK-LABEL: func @half
//       CHECK:   k = 128, kernel = "amx.f16", lanes = 16, m = 512, n = 64, pack = "shared", sums = 512
//  NONE-LABEL: func @half
//        NONE:   kernel = "libxsmm"
func.func @half(%x: tensor<512x4096xf16>, %w: tensor<4096x4096xf16>, %e: tensor<512x4096xf32>) -> tensor<512x4096xf32> {
  %y = sinter.contract (i = 512) by (j = 4096)
      product (k = 4096) (%x[i, k] : tensor<512x4096xf16>, %w[j, k] : tensor<4096x4096xf16>) : f32
      outs(%e[i, j] : tensor<512x4096xf32>) {
  ^row(%a: tensor<4096xf32>):
    sinter.yield %a : tensor<4096xf32>
  }
  return %y : tensor<512x4096xf32>
}

// -----

// f32 as three, where that is asked for: what is left out of a product is up to 2^-21 of it.

// CHECK-LABEL: func @single
//       EXACT:   kernel = "libxsmm"
//       PARTS:   columns = 64, k = 128, kernel = "amx.f32", lanes = 16, m = 128, n = 64, pack = "shared"
func.func @single(%x: tensor<256x512xf32>, %w: tensor<512x256xf32>, %e: tensor<256x256xf32>) -> tensor<256x256xf32> {
  %y = sinter.contract (i = 256) by (j = 256)
      product (k = 512) (%x[i, k] : tensor<256x512xf32>, %w[k, j] : tensor<512x256xf32>) : f32
      outs(%e[i, j] : tensor<256x256xf32>) {
  ^row(%a: tensor<256xf32>):
    sinter.yield %a : tensor<256xf32>
  }
  return %y : tensor<256x256xf32>
}

// -----

// 64 rows of f16 are enough, of f32 256: each panel of weights is split for them.

// CHECK-LABEL: func @few_singles
//       CHECK:   kernel = "libxsmm"
func.func @few_singles(%x: tensor<255x512xf32>, %w: tensor<512x256xf32>, %e: tensor<255x256xf32>) -> tensor<255x256xf32> {
  %y = sinter.contract (i = 255) by (j = 256)
      product (k = 512) (%x[i, k] : tensor<255x512xf32>, %w[k, j] : tensor<512x256xf32>) : f32
      outs(%e[i, j] : tensor<255x256xf32>) {
  ^row(%a: tensor<256xf32>):
    sinter.yield %a : tensor<256xf32>
  }
  return %y : tensor<255x256xf32>
}

// -----

// CHECK-LABEL: func @few_rows
//       CHECK:   kernel = "libxsmm"
func.func @few_rows(%x: tensor<63x512xf16>, %w: tensor<512x256xf16>, %e: tensor<63x256xf32>) -> tensor<63x256xf32> {
  %y = sinter.contract (i = 63) by (j = 256)
      product (k = 512) (%x[i, k] : tensor<63x512xf16>, %w[k, j] : tensor<512x256xf16>) : f32
      outs(%e[i, j] : tensor<63x256xf32>) {
  ^row(%a: tensor<256xf32>):
    sinter.yield %a : tensor<256xf32>
  }
  return %y : tensor<63x256xf32>
}

// -----

// CHECK-LABEL: func @least
//       CHECK:   kernel = "amx.f16"
func.func @least(%x: tensor<64x64xf16>, %w: tensor<64x64xf16>, %e: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %y = sinter.contract (i = 64) by (j = 64)
      product (k = 64) (%x[i, k] : tensor<64x64xf16>, %w[k, j] : tensor<64x64xf16>) : f32
      outs(%e[i, j] : tensor<64x64xf32>) {
  ^row(%a: tensor<64xf32>):
    sinter.yield %a : tensor<64xf32>
  }
  return %y : tensor<64x64xf32>
}

// -----

// CHECK-LABEL: func @few_columns
//       CHECK:   kernel = "libxsmm"
func.func @few_columns(%x: tensor<512x512xf16>, %w: tensor<512x63xf16>, %e: tensor<512x63xf32>) -> tensor<512x63xf32> {
  %y = sinter.contract (i = 512) by (j = 63)
      product (k = 512) (%x[i, k] : tensor<512x512xf16>, %w[k, j] : tensor<512x63xf16>) : f32
      outs(%e[i, j] : tensor<512x63xf32>) {
  ^row(%a: tensor<63xf32>):
    sinter.yield %a : tensor<63xf32>
  }
  return %y : tensor<512x63xf32>
}

// -----

// Panels of a sum `?` have no places that are known.

// CHECK-LABEL: func @unknown_sum
//       CHECK:   kernel = "libxsmm"
func.func @unknown_sum(%x: tensor<512x?xf16>, %w: tensor<?x256xf16>, %e: tensor<512x256xf32>) -> tensor<512x256xf32> {
  %y = sinter.contract (i = 512) by (j = 256)
      product (k = ?) (%x[i, k] : tensor<512x?xf16>, %w[k, j] : tensor<?x256xf16>) : f32
      outs(%e[i, j] : tensor<512x256xf32>) {
  ^row(%a: tensor<256xf32>):
    sinter.yield %a : tensor<256xf32>
  }
  return %y : tensor<512x256xf32>
}

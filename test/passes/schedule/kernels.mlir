// RUN: sinter-opt --sinter-schedule='target=cpu features=avx2,fma,avx512f,avx512bw' --split-input-file %s | FileCheck %s --check-prefixes=CHECK,AVX512
// RUN: sinter-opt --sinter-schedule='target=cpu features=avx2,fma' --split-input-file %s | FileCheck %s --check-prefixes=CHECK,AVX2
// RUN: sinter-opt --sinter-schedule='target=cpu features=avx2,fma,avx512f,avx512bf16' --split-input-file %s | FileCheck %s --check-prefixes=DOT
// RUN: sinter-opt --sinter-schedule='target=cpu features=avx2,fma,avx512f,avx512bf16,amx-bf16' --split-input-file %s | FileCheck %s --check-prefixes=AMX
// RUN: sinter-opt --sinter-schedule='target=cpu features=avx2,fma,avx512f,avx512bw,avx512vnni,avxvnni' --split-input-file %s | FileCheck %s --check-prefixes=VNNI512
// RUN: sinter-opt --sinter-schedule='target=cpu features=avx2,fma,avxvnni' --split-input-file %s | FileCheck %s --check-prefixes=VNNI256
// RUN: sinter-opt --sinter-schedule='target=cpu features=' --split-input-file %s | FileCheck %s --check-prefixes=CHECK,NONE

// The first line of the table of micro-kernels that the processor has, and that takes the product's types. Nothing
// that no emitter writes yet is chosen.

// CHECK-LABEL: func @singles
//       CHECK:   kernel = "libxsmm"
func.func @singles(%x: tensor<32x16xf32>, %w: tensor<16x8xf32>, %e: tensor<32x8xf32>) -> tensor<32x8xf32> {
  %y = sinter.contract (i = 32) by (j = 8) product (k = 16) (%x[i, k] : tensor<32x16xf32>, %w[k, j] : tensor<16x8xf32>) : f32
      outs(%e[i, j] : tensor<32x8xf32>) {
  ^row(%a: tensor<8xf32>):
    sinter.yield %a : tensor<8xf32>
  }
  return %y : tensor<32x8xf32>
}

// -----

// CHECK-LABEL: func @doubles
//      AVX512:   kernel = "fma512"
//        AVX2:   kernel = "fma256"
//        NONE:   kernel = "any128"
func.func @doubles(%x: tensor<32x16xf64>, %w: tensor<16x8xf64>, %e: tensor<32x8xf64>) -> tensor<32x8xf64> {
  %y = sinter.contract (i = 32) by (j = 8) product (k = 16) (%x[i, k] : tensor<32x16xf64>, %w[k, j] : tensor<16x8xf64>) : f64
      outs(%e[i, j] : tensor<32x8xf64>) {
  ^row(%a: tensor<8xf64>):
    sinter.yield %a : tensor<8xf64>
  }
  return %y : tensor<32x8xf64>
}

// -----

// CHECK-LABEL: func @integers
//      AVX512:   kernel = "any512"
//        AVX2:   kernel = "any256"
//        NONE:   kernel = "any128"
func.func @integers(%x: tensor<32x16xi64>, %w: tensor<16x8xi64>, %e: tensor<32x8xi64>) -> tensor<32x8xi64> {
  %y = sinter.contract (i = 32) by (j = 8) product (k = 16) (%x[i, k] : tensor<32x16xi64>, %w[k, j] : tensor<16x8xi64>) : i64
      outs(%e[i, j] : tensor<32x8xi64>) {
  ^row(%a: tensor<8xi64>):
    sinter.yield %a : tensor<8xi64>
  }
  return %y : tensor<32x8xi64>
}

// -----

// Two products of one form have one kernel: one that takes both.

// CHECK-LABEL: func @mixed
//      AVX512:   kernel = "fma512"
//        AVX2:   kernel = "fma256"
//        NONE:   kernel = "any128"
func.func @mixed(%x: tensor<32x16xf64>, %w: tensor<16x8xf64>, %s: tensor<32x16xf32>, %v: tensor<16x8xf32>, %e: tensor<32x8xf64>) -> tensor<32x8xf64> {
  %y = sinter.contract (i = 32) by (j = 8)
      product (k = 16) (%x[i, k] : tensor<32x16xf64>, %w[k, j] : tensor<16x8xf64>) : f64
      product (l = 16) (%s[i, l] : tensor<32x16xf32>, %v[l, j] : tensor<16x8xf32>) : f32
      outs(%e[i, j] : tensor<32x8xf64>) {
  ^row(%a: tensor<8xf64>, %b: tensor<8xf32>):
    %c = arith.extf %b : tensor<8xf32> to tensor<8xf64>
    %d = arith.addf %a, %c : tensor<8xf64>
    sinter.yield %d : tensor<8xf64>
  }
  return %y : tensor<32x8xf64>
}

// -----

// Tiles, or the instruction for pairs of bf16, which takes these rows where they lie: where they have to be copied,
// fewer tasks share them. Tiles have blocks of few rows and many columns, whose weights are copied once for all; their
// m and k are multiples of a tile.

// CHECK-LABEL: func @halves
//       CHECK:   columns = 256, k = 250, kernel = "libxsmm", lanes = 16, m = 256,
//   DOT-LABEL: func @halves
//         DOT:   columns = 128, k = 250, kernel = "dot512", lanes = 16, m = 256,
//   AMX-LABEL: func @halves
//         AMX:   k = 256, kernel = "amx", lanes = 16, m = 32, n = 512, {{.*}}weights = "shared">
func.func @halves(%x: tensor<1022x250xbf16>, %w: tensor<512x250xbf16>, %e: tensor<1022x512xf32>) -> tensor<1022x512xf32> {
  %y = sinter.contract (i = 1022) by (j = 512) product (k = 250) (%x[i, k] : tensor<1022x250xbf16>, %w[j, k] : tensor<512x250xbf16>) : f32
      outs(%e[i, j] : tensor<1022x512xf32>) {
  ^row(%a: tensor<512xf32>):
    sinter.yield %a : tensor<512xf32>
  }
  return %y : tensor<1022x512xf32>
}

// -----

// Not of a small product: to configure tiles takes longer.

// CHECK-LABEL: func @few_halves
//   AMX-LABEL: func @few_halves
//         AMX:   kernel = "libxsmm"
func.func @few_halves(%x: tensor<32x16xbf16>, %w: tensor<16x8xbf16>, %e: tensor<32x8xf32>) -> tensor<32x8xf32> {
  %y = sinter.contract (i = 32) by (j = 8) product (k = 16) (%x[i, k] : tensor<32x16xbf16>, %w[k, j] : tensor<16x8xbf16>) : f32
      outs(%e[i, j] : tensor<32x8xf32>) {
  ^row(%a: tensor<8xf32>):
    sinter.yield %a : tensor<8xf32>
  }
  return %y : tensor<32x8xf32>
}

// -----

// Sums of bytes by fours, or by pairs of 16 bits.

// CHECK-LABEL: func @bytes
// VNNI512-LABEL: func @bytes
//     VNNI512:   kernel = "vnni512"
// VNNI256-LABEL: func @bytes
//     VNNI256:   kernel = "vnni256"
//      AVX512:   kernel = "dot512"
//        AVX2:   kernel = "dot256"
//        NONE:   kernel = "any128"
func.func @bytes(%x: tensor<32x16xi8>, %w: tensor<16x8xi8>, %e: tensor<32x8xi32>) -> tensor<32x8xi32> {
  %y = sinter.contract (i = 32) by (j = 8) product (k = 16) (%x[i, k] : tensor<32x16xi8>, %w[k, j] : tensor<16x8xi8>) : i32
      outs(%e[i, j] : tensor<32x8xi32>) {
  ^row(%a: tensor<8xi32>):
    sinter.yield %a : tensor<8xi32>
  }
  return %y : tensor<32x8xi32>
}

// -----

// Rows of tiles that are 2 KB apart or more, more than 1 MB of a block, are packed once for all tasks. Sums of all
// columns of a task stay while k goes on. Of weights [k, j] panels are packed together.

//   AMX-LABEL: func @far_rows
//         AMX:   columns = 256, k = 256, kernel = "amx", lanes = 16, m = 512, n = 64, pack = "shared", panels = 4, sums = 256, tasks = 64
//   DOT-LABEL: func @far_rows
//         DOT:   kernel = "dot512"
//     DOT-NOT:   {{pack =|sums =|panels =}}
func.func @far_rows(%x: tensor<512x1088xbf16>, %w: tensor<1088x4096xbf16>, %e: tensor<512x4096xf32>) -> tensor<512x4096xf32> {
  %y = sinter.contract (i = 512) by (j = 4096) product (k = 1088) (%x[i, k] : tensor<512x1088xbf16>, %w[k, j] : tensor<1088x4096xbf16>) : f32
      outs(%e[i, j] : tensor<512x4096xf32>) {
  ^row(%a: tensor<4096xf32>):
    sinter.yield %a : tensor<4096xf32>
  }
  return %y : tensor<512x4096xf32>
}

// -----

// Of [j, k] each panel is read along k: not together.

//   AMX-LABEL: func @far_rows_transposed
//         AMX:   n = 64, pack = "shared", sums = 256, tasks = 64
func.func @far_rows_transposed(%x: tensor<512x1088xbf16>, %w: tensor<4096x1088xbf16>, %e: tensor<512x4096xf32>) -> tensor<512x4096xf32> {
  %y = sinter.contract (i = 512) by (j = 4096) product (k = 1088) (%x[i, k] : tensor<512x1088xbf16>, %w[j, k] : tensor<4096x1088xbf16>) : f32
      outs(%e[i, j] : tensor<512x4096xf32>) {
  ^row(%a: tensor<4096xf32>):
    sinter.yield %a : tensor<4096xf32>
  }
  return %y : tensor<512x4096xf32>
}

// -----

// Few rows by weights that tiles read where they lie, 32 of them or fewer: no copy, all of k at once. Of 4 or fewer
// vectors along k are as fast; of weights that lie in rows, or end within a tile along k, there is a copy.

//   AMX-LABEL: func @few_rows
//         AMX:   k = 256, kernel = "inner.amx", lanes = 16, m = 32, n = 64,
//         AMX:   kernel = "inner512", lanes = 16, m = 4,
//         AMX:   kernel = "amx", lanes = 16, m = 48,
//         AMX:   kernel = "amx", lanes = 16, m = 32,
//         AMX:   kernel = "amx", lanes = 16, m = 32,
func.func @few_rows(%x: tensor<32x256xbf16>, %w: tensor<96x256xbf16>, %v: tensor<256x96xbf16>, %z: tensor<48x256xbf16>, %s: tensor<32x250xbf16>, %u: tensor<96x250xbf16>,
    %e: tensor<32x96xf32>, %f: tensor<4x96xf32>, %g: tensor<48x96xf32>) -> (tensor<32x96xf32>, tensor<4x96xf32>, tensor<48x96xf32>, tensor<32x96xf32>, tensor<32x96xf32>) {
  %y0 = sinter.contract (i = 32) by (j = 96) product (k = 256) (%x[i, k] : tensor<32x256xbf16>, %w[j, k] : tensor<96x256xbf16>) : f32
      outs(%e[i, j] : tensor<32x96xf32>) {
  ^row(%a: tensor<96xf32>):
    sinter.yield %a : tensor<96xf32>
  }
  %y1 = sinter.contract (i = 4) by (j = 96) product (k = 256) (%x[i, k] : tensor<32x256xbf16>, %w[j, k] : tensor<96x256xbf16>) : f32
      outs(%f[i, j] : tensor<4x96xf32>) {
  ^row(%a: tensor<96xf32>):
    sinter.yield %a : tensor<96xf32>
  }
  %y2 = sinter.contract (i = 48) by (j = 96) product (k = 256) (%z[i, k] : tensor<48x256xbf16>, %w[j, k] : tensor<96x256xbf16>) : f32
      outs(%g[i, j] : tensor<48x96xf32>) {
  ^row(%a: tensor<96xf32>):
    sinter.yield %a : tensor<96xf32>
  }
  %y3 = sinter.contract (i = 32) by (j = 96) product (k = 256) (%x[i, k] : tensor<32x256xbf16>, %v[k, j] : tensor<256x96xbf16>) : f32
      outs(%e[i, j] : tensor<32x96xf32>) {
  ^row(%a: tensor<96xf32>):
    sinter.yield %a : tensor<96xf32>
  }
  %y4 = sinter.contract (i = 32) by (j = 96) product (k = 250) (%s[i, k] : tensor<32x250xbf16>, %u[j, k] : tensor<96x250xbf16>) : f32
      outs(%e[i, j] : tensor<32x96xf32>) {
  ^row(%a: tensor<96xf32>):
    sinter.yield %a : tensor<96xf32>
  }
  return %y0, %y1, %y2, %y3, %y4 : tensor<32x96xf32>, tensor<4x96xf32>, tensor<48x96xf32>, tensor<32x96xf32>, tensor<32x96xf32>
}

// -----

// Tiles ask for the weights that are copied next, where those are more than 4 MB and lie along k. Of far ones, which
// lie in rows, few rows have as many panels copied together as they keep sums of; 64 rows or fewer read far ones that
// lie along k where they lie.

//   AMX-LABEL: func @far_weights
//         AMX:   ahead = 64, columns = 256, k = 256, kernel = "amx", lanes = 16, m = 512, n = 64,
//         AMX:   columns = 512, k = 256, kernel = "amx", lanes = 16, m = 32, n = 64, panels = 8, sums = 512,
//         AMX:   kernel = "inner.amx", lanes = 16, m = 64,
func.func @far_weights(%x: tensor<512x1024xbf16>, %w: tensor<4096x1024xbf16>, %v: tensor<1024x4096xbf16>, %e: tensor<512x4096xf32>, %f: tensor<32x4096xf32>,
    %g: tensor<64x4096xf32>) -> (tensor<512x4096xf32>, tensor<32x4096xf32>, tensor<64x4096xf32>) {
  %y0 = sinter.contract (i = 512) by (j = 4096) product (k = 1024) (%x[i, k] : tensor<512x1024xbf16>, %w[j, k] : tensor<4096x1024xbf16>) : f32
      outs(%e[i, j] : tensor<512x4096xf32>) {
  ^row(%a: tensor<4096xf32>):
    sinter.yield %a : tensor<4096xf32>
  }
  %y1 = sinter.contract (i = 32) by (j = 4096) product (k = 1024) (%x[i, k] : tensor<512x1024xbf16>, %v[k, j] : tensor<1024x4096xbf16>) : f32
      outs(%f[i, j] : tensor<32x4096xf32>) {
  ^row(%a: tensor<4096xf32>):
    sinter.yield %a : tensor<4096xf32>
  }
  %y2 = sinter.contract (i = 64) by (j = 4096) product (k = 1024) (%x[i, k] : tensor<512x1024xbf16>, %w[j, k] : tensor<4096x1024xbf16>) : f32
      outs(%g[i, j] : tensor<64x4096xf32>) {
  ^row(%a: tensor<4096xf32>):
    sinter.yield %a : tensor<4096xf32>
  }
  return %y0, %y1, %y2 : tensor<512x4096xf32>, tensor<32x4096xf32>, tensor<64x4096xf32>
}

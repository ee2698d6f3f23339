// RUN: sinter-opt --sinter-schedule='target=cpu features=avx2,fma,avx512f,avx512bw,avx512bf16,amx-bf16,amx-int8' --split-input-file %s | FileCheck %s --check-prefixes=CHECK,TILES
// RUN: sinter-opt --sinter-schedule='target=cpu features=avx2,fma,avx512f,avx512bw,avx512bf16,avx512vnni' --split-input-file %s | FileCheck %s --check-prefixes=CHECK,WIDE
// RUN: sinter-opt --sinter-schedule='target=cpu features=avx2,fma' --split-input-file %s | FileCheck %s --check-prefixes=CHECK,AVX2

// Weights [j, k] are read where they lie, of their own type: 4096 of k, up to 4 rows of a.

// CHECK-LABEL: func @halves
//       TILES:   k = 4096, kernel = "inner512"
//        WIDE:   k = 4096, kernel = "inner512"
//        AVX2:   k = 1024, kernel = "inner256"
//   CHECK-NOT:   widen
func.func @halves(%x: tensor<4x5000xbf16>, %w: tensor<999x5000xbf16>, %e: tensor<4x999xf32>) -> tensor<4x999xf32> {
  %y = sinter.contract (i = 4) by (j = 999) product (k = 5000) (%x[i, k] : tensor<4x5000xbf16>, %w[j, k] : tensor<999x5000xbf16>) : f32
      outs(%e[i, j] : tensor<4x999xf32>) {
  ^row(%a: tensor<999xf32>):
    sinter.yield %a : tensor<999xf32>
  }
  return %y : tensor<4x999xf32>
}

// -----

// One row more: tiles are faster. Groups of pairs are from 9 rows on.

// CHECK-LABEL: func @halves_of_five
//       TILES:   kernel = "amx"
//        WIDE:   k = 1024, kernel = "inner512"
//        AVX2:   k = 1024, kernel = "inner256"
func.func @halves_of_five(%x: tensor<5x5000xbf16>, %w: tensor<999x5000xbf16>, %e: tensor<5x999xf32>) -> tensor<5x999xf32> {
  %y = sinter.contract (i = 5) by (j = 999) product (k = 5000) (%x[i, k] : tensor<5x5000xbf16>, %w[j, k] : tensor<999x5000xbf16>) : f32
      outs(%e[i, j] : tensor<5x999xf32>) {
  ^row(%a: tensor<999xf32>):
    sinter.yield %a : tensor<999xf32>
  }
  return %y : tensor<5x999xf32>
}

// -----

// Weights [k, j]: sums of 2048 columns, 8 rows of k at a time, the next 8 being asked for.

// CHECK-LABEL: func @singles
//       TILES:   ahead = 8, columns = 2048, k = 8, kernel = "fma512", {{.*}} m = 16, n = 2048
//        WIDE:   ahead = 8, columns = 2048, k = 8, kernel = "fma512", {{.*}} m = 16, n = 2048
//        AVX2:   ahead = 8, columns = 2048, k = 8, kernel = "fma256", {{.*}} m = 16, n = 2048
func.func @singles(%x: tensor<16x4096xf32>, %w: tensor<4096x4096xf32>, %e: tensor<16x4096xf32>) -> tensor<16x4096xf32> {
  %y = sinter.contract (i = 16) by (j = 4096) product (k = 4096) (%x[i, k] : tensor<16x4096xf32>, %w[k, j] : tensor<4096x4096xf32>) : f32
      outs(%e[i, j] : tensor<16x4096xf32>) {
  ^row(%a: tensor<4096xf32>):
    sinter.yield %a : tensor<4096xf32>
  }
  return %y : tensor<16x4096xf32>
}

// -----

// CHECK-LABEL: func @singles_of_more
//       CHECK:   kernel = "libxsmm"
func.func @singles_of_more(%x: tensor<17x4096xf32>, %w: tensor<4096x4096xf32>, %e: tensor<17x4096xf32>) -> tensor<17x4096xf32> {
  %y = sinter.contract (i = 17) by (j = 4096) product (k = 4096) (%x[i, k] : tensor<17x4096xf32>, %w[k, j] : tensor<4096x4096xf32>) : f32
      outs(%e[i, j] : tensor<17x4096xf32>) {
  ^row(%a: tensor<4096xf32>):
    sinter.yield %a : tensor<4096xf32>
  }
  return %y : tensor<17x4096xf32>
}

// -----

// Narrower ones are widened in registers. Shorter rows of weights are more at a time: 2048 x 16 elements, or all.

// CHECK-LABEL: func @bytes
//       TILES:   k = 77, kernel = "any512", {{.*}} widen = "reading"
//        AVX2:   k = 77, kernel = "any256", {{.*}} widen = "reading"
func.func @bytes(%x: tensor<3x77xi8>, %w: tensor<77x100xi8>, %e: tensor<3x100xi32>) -> tensor<3x100xi32> {
  %y = sinter.contract (i = 3) by (j = 100) product (k = 77) (%x[i, k] : tensor<3x77xi8>, %w[k, j] : tensor<77x100xi8>) : i32
      outs(%e[i, j] : tensor<3x100xi32>) {
  ^row(%a: tensor<100xi32>):
    sinter.yield %a : tensor<100xi32>
  }
  return %y : tensor<3x100xi32>
}

// -----

// A side that is computed is copied first: it is nowhere to be read.

// CHECK-LABEL: func @computed
//       CHECK:   kernel = "libxsmm"
func.func @computed(%x: tensor<2x77xf32>, %w: tensor<100x77xf32>, %e: tensor<2x100xf32>) -> tensor<2x100xf32> {
  %y = sinter.contract (i = 2) by (j = 100) product (k = 77) (%x[i, k] : tensor<2x77xf32>, side(%w[j, k] : tensor<100x77xf32>) {
      ^side(%b: tensor<77xf32>):
        %c = math.tanh %b : tensor<77xf32>
        sinter.yield %c : tensor<77xf32>
      }) : f32
      outs(%e[i, j] : tensor<2x100xf32>) {
  ^row(%a: tensor<100xf32>):
    sinter.yield %a : tensor<100xf32>
  }
  return %y : tensor<2x100xf32>
}

// -----

// Few columns: rows are what is read once, where they lie.

// CHECK-LABEL: func @few_columns
//       TILES:   kernel = "inner512", {{.*}} widen = "reading"
//        WIDE:   kernel = "inner512", {{.*}} widen = "reading"
//        AVX2:   kernel = "inner256", {{.*}} widen = "reading"
func.func @few_columns(%x: tensor<4096x4096xbf16>, %w: tensor<8x4096xbf16>, %e: tensor<4096x8xf32>) -> tensor<4096x8xf32> {
  %y = sinter.contract (i = 4096) by (j = 8) product (k = 4096) (%x[i, k] : tensor<4096x4096xbf16>, %w[j, k] : tensor<8x4096xbf16>) : f32
      outs(%e[i, j] : tensor<4096x8xf32>) {
  ^row(%a: tensor<8xf32>):
    sinter.yield %a : tensor<8xf32>
  }
  return %y : tensor<4096x8xf32>
}

// -----

// CHECK-LABEL: func @a_column_more
//   CHECK-NOT:   inner
//   CHECK-NOT:   widen
func.func @a_column_more(%x: tensor<4096x4096xbf16>, %w: tensor<9x4096xbf16>, %e: tensor<4096x9xf32>) -> tensor<4096x9xf32> {
  %y = sinter.contract (i = 4096) by (j = 9) product (k = 4096) (%x[i, k] : tensor<4096x4096xbf16>, %w[j, k] : tensor<9x4096xbf16>) : f32
      outs(%e[i, j] : tensor<4096x9xf32>) {
  ^row(%a: tensor<9xf32>):
    sinter.yield %a : tensor<9xf32>
  }
  return %y : tensor<4096x9xf32>
}

// RUN: sinter-opt --sinter-turned-weights='least-work=0 features=avx2,fma,avx512f,avx512bw,avx512bf16' --split-input-file %s | FileCheck %s
// RUN: sinter-opt --sinter-turned-weights='least-work=0 features=avx2,fma,avx512f,avx512bw,avx512bf16' --sinter-schedule='features=avx2,fma,avx512f,avx512bw,avx512bf16' --split-input-file %s | FileCheck %s --check-prefix=SCHEDULE
// RUN: sinter-opt --sinter-turned-weights='features=avx2,fma,avx512f,avx512bw,avx512bf16' --split-input-file %s | FileCheck %s --check-prefix=WORTH

// Five columns of weights [h, k, j] are written as [h, j, k], of each batch by itself.

// CHECK-LABEL: func @batch
//       CHECK:   %[[T:.+]] = sinter.rowwise (d0 = 4, d1 = 5) by (d2 = 1344)
//  CHECK-NEXT:       ins(%arg1[d0, d2, d1] : tensor<4x1344x5xbf16>)
//  CHECK-NEXT:       outs(%{{.+}}[d0, d1, d2] : tensor<4x5x1344xbf16>)
//       CHECK:   product (k = 1344) (%arg0[h, i, k] : tensor<4x136x1344xbf16>, %[[T]][h, j, k] : tensor<4x5x1344xbf16>)
// SCHEDULE-LABEL: func @batch
//       SCHEDULE: kernel = "inner.dot512"
// WORTH-LABEL: func @batch
//       WORTH:   sinter.rowwise
func.func @batch(%x: tensor<4x136x1344xbf16>, %w: tensor<4x1344x5xbf16>) -> tensor<4x136x5xf32> {
  %e = tensor.empty() : tensor<4x136x5xf32>
  %y = sinter.contract (h = 4, i = 136) by (j = 5)
      product (k = 1344) (%x[h, i, k] : tensor<4x136x1344xbf16>, %w[h, k, j] : tensor<4x1344x5xbf16>) : f32
      outs(%e[h, i, j] : tensor<4x136x5xf32>) {
  ^row(%a: tensor<5xf32>):
    sinter.yield %a : tensor<5xf32>
  }
  return %y : tensor<4x136x5xf32>
}

// -----

// Several dimensions are summed, and the weights stand first: what is summed has the order of the form.

// CHECK-LABEL: func @sums
//       CHECK:   %[[T:.+]] = sinter.rowwise (d0 = 3, d1 = 7) by (d2 = 30)
//  CHECK-NEXT:       ins(%arg1[d2, d1, d0] : tensor<30x7x3xf32>)
//       CHECK:   product (k = 7, l = 30) (%[[T]][j, k, l] : tensor<3x7x30xf32>, %arg0[i, k, l] : tensor<40x7x30xf32>)
// WORTH-LABEL: func @sums
//   WORTH-NOT:   sinter.rowwise
func.func @sums(%x: tensor<40x7x30xf32>, %w: tensor<30x7x3xf32>) -> tensor<40x3xf32> {
  %e = tensor.empty() : tensor<40x3xf32>
  %y = sinter.contract (i = 40) by (j = 3)
      product (k = 7, l = 30) (%w[l, k, j] : tensor<30x7x3xf32>, %x[i, k, l] : tensor<40x7x30xf32>) : f32
      outs(%e[i, j] : tensor<40x3xf32>) {
  ^row(%a: tensor<3xf32>):
    sinter.yield %a : tensor<3xf32>
  }
  return %y : tensor<40x3xf32>
}

// -----

// Nine columns, few rows, a short sum, rows [k, i], columns that begin elsewhere and sizes that nobody knows stay as
// they are.

// CHECK-LABEL: func @many_columns
//   CHECK-NOT:   sinter.rowwise
func.func @many_columns(%x: tensor<64x100xf32>, %w: tensor<100x9xf32>, %e: tensor<64x9xf32>) -> tensor<64x9xf32> {
  %y = sinter.contract (i = 64) by (j = 9) product (k = 100) (%x[i, k] : tensor<64x100xf32>, %w[k, j] : tensor<100x9xf32>) : f32
      outs(%e[i, j] : tensor<64x9xf32>) {
  ^row(%a: tensor<9xf32>):
    sinter.yield %a : tensor<9xf32>
  }
  return %y : tensor<64x9xf32>
}

// -----

// CHECK-LABEL: func @few_rows
//   CHECK-NOT:   sinter.rowwise
func.func @few_rows(%x: tensor<9x15x100xf32>, %w: tensor<9x100x5xf32>, %e: tensor<9x15x5xf32>) -> tensor<9x15x5xf32> {
  %y = sinter.contract (h = 9, i = 15) by (j = 5)
      product (k = 100) (%x[h, i, k] : tensor<9x15x100xf32>, %w[h, k, j] : tensor<9x100x5xf32>) : f32
      outs(%e[h, i, j] : tensor<9x15x5xf32>) {
  ^row(%a: tensor<5xf32>):
    sinter.yield %a : tensor<5xf32>
  }
  return %y : tensor<9x15x5xf32>
}

// -----

// CHECK-LABEL: func @short_sum
//   CHECK-NOT:   sinter.rowwise
func.func @short_sum(%x: tensor<64x63xf32>, %w: tensor<63x5xf32>, %e: tensor<64x5xf32>) -> tensor<64x5xf32> {
  %y = sinter.contract (i = 64) by (j = 5) product (k = 63) (%x[i, k] : tensor<64x63xf32>, %w[k, j] : tensor<63x5xf32>) : f32
      outs(%e[i, j] : tensor<64x5xf32>) {
  ^row(%a: tensor<5xf32>):
    sinter.yield %a : tensor<5xf32>
  }
  return %y : tensor<64x5xf32>
}

// -----

// CHECK-LABEL: func @other_rows
//   CHECK-NOT:   sinter.rowwise
func.func @other_rows(%x: tensor<100x64xf32>, %w: tensor<100x5xf32>, %e: tensor<64x5xf32>) -> tensor<64x5xf32> {
  %y = sinter.contract (i = 64) by (j = 5) product (k = 100) (%x[k, i] : tensor<100x64xf32>, %w[k, j] : tensor<100x5xf32>) : f32
      outs(%e[i, j] : tensor<64x5xf32>) {
  ^row(%a: tensor<5xf32>):
    sinter.yield %a : tensor<5xf32>
  }
  return %y : tensor<64x5xf32>
}

// -----

// CHECK-LABEL: func @part
//   CHECK-NOT:   sinter.rowwise
func.func @part(%x: tensor<64x100xf32>, %w: tensor<100x6xf32>, %e: tensor<64x5xf32>) -> tensor<64x5xf32> {
  %y = sinter.contract (i = 64) by (j = 5) product (k = 100) (%x[i, k] : tensor<64x100xf32>, %w[k, j + 1] : tensor<100x6xf32>) : f32
      outs(%e[i, j] : tensor<64x5xf32>) {
  ^row(%a: tensor<5xf32>):
    sinter.yield %a : tensor<5xf32>
  }
  return %y : tensor<64x5xf32>
}

// -----

// CHECK-LABEL: func @any_rows
//   CHECK-NOT:   sinter.rowwise
func.func @any_rows(%x: tensor<?x100xf32>, %w: tensor<100x5xf32>, %e: tensor<?x5xf32>) -> tensor<?x5xf32> {
  %y = sinter.contract (i = ?) by (j = 5) product (k = 100) (%x[i, k] : tensor<?x100xf32>, %w[k, j] : tensor<100x5xf32>) : f32
      outs(%e[i, j] : tensor<?x5xf32>) {
  ^row(%a: tensor<5xf32>):
    sinter.yield %a : tensor<5xf32>
  }
  return %y : tensor<?x5xf32>
}

// -----

// Of a larger tensor that is written which is read.

// CHECK-LABEL: func @beginning
//       CHECK:   sinter.rowwise (d0 = 5) by (d1 = 100)
//  CHECK-NEXT:       ins(%arg1[d1, 3, d0] : tensor<110x7x6xf32>)
func.func @beginning(%x: tensor<64x100xf32>, %w: tensor<110x7x6xf32>, %e: tensor<64x5xf32>) -> tensor<64x5xf32> {
  %y = sinter.contract (i = 64) by (j = 5) product (k = 100) (%x[i, k] : tensor<64x100xf32>, %w[k, 3, j] : tensor<110x7x6xf32>) : f32
      outs(%e[i, j] : tensor<64x5xf32>) {
  ^row(%a: tensor<5xf32>):
    sinter.yield %a : tensor<5xf32>
  }
  return %y : tensor<64x5xf32>
}

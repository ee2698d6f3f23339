// RUN: sinter-opt --sinter-schedule=target=cpu %s | FileCheck %s
// RUN: sinter-opt --sinter-cpu=policy=medium %s --mlir-disable-threading --mlir-print-ir-after=sinter-split-views \
// RUN:   -o /dev/null 2>&1 | FileCheck %s --check-prefix=SHARED

// Lanes are rows that lie apart in memory, and several tensors are read so: columns are a loop.

// CHECK-LABEL: func @far_apart
// CHECK: #sinter.rows<along = "rows",{{.*}} written_out = 0>
func.func @far_apart(%a: tensor<4x256x3x3xf32>, %b: tensor<4x256x3x3xf32>, %c: tensor<4x256x3x3xf32>,
                     %d: tensor<4x256x3x3xf32>) -> tensor<256xf32> {
  %e = tensor.empty() : tensor<256xf32>
  %y = sinter.rowwise (i = 256) by (j = 4, k = 3, l = 3)
      ins(%a[j, i, l, k] : tensor<4x256x3x3xf32>, %b[j, i, l, k] : tensor<4x256x3x3xf32>,
          %c[j, i, l, k] : tensor<4x256x3x3xf32>, %d[j, i, l, k] : tensor<4x256x3x3xf32>)
      outs(%e[i] : tensor<256xf32>) {
  ^row(%p: tensor<36xf32>, %q: tensor<36xf32>, %r: tensor<36xf32>, %s: tensor<36xf32>):
    %0 = arith.mulf %p, %q : tensor<36xf32>
    %1 = arith.mulf %r, %s : tensor<36xf32>
    %2 = arith.addf %0, %1 : tensor<36xf32>
    %3 = arith.maximumf %2, %p : tensor<36xf32>
    %4 = arith.subf %3, %q : tensor<36xf32>
    %5 = arith.divf %4, %r : tensor<36xf32>
    %6 = sinter.row_reduce add %5 : tensor<36xf32> -> f32
    sinter.yield %6 : f32
  }
  return %y : tensor<256xf32>
}

// Fewer are written out, and so are windows with bounds checks, however many: their subscripts become numbers. Two
// tensors that are read by the same subscripts have one set of them.

// CHECK-LABEL: func @windows
// CHECK: #sinter.rows<along = "rows"
// CHECK-NOT: written_out
// SHARED-LABEL: func.func private @windows_kernel0_task
//         SHARED-COUNT-9: arith.remsi
//         SHARED-NOT: arith.remsi
func.func @windows(%a: tensor<4x48x8x8x3x3xf32>, %b: tensor<4x48x8x8x3x3xf32>) -> tensor<4x48x16x16xf32> {
  %e = tensor.empty() : tensor<4x48x16x16xf32>
  %y = sinter.rowwise (d = 4, d1 = 48, d2 = 16, d3 = 16) by (d4 = 3, d5 = 3)
      ins(%a[d, d1, (d2 - d4 + 1) floordiv 2, (d3 - d5 + 1) floordiv 2, d4, d5] : tensor<4x48x8x8x3x3xf32> else 0.0,
          %b[d, d1, (d2 - d4 + 1) floordiv 2, (d3 - d5 + 1) floordiv 2, d4, d5] : tensor<4x48x8x8x3x3xf32> else 0.0)
      outs(%e[d, d1, d2, d3] : tensor<4x48x16x16xf32>) {
  ^row(%p: tensor<9xf32>, %q: tensor<9xf32>):
    %0 = arith.addf %p, %q : tensor<9xf32>
    %1 = sinter.row_reduce add %0 : tensor<9xf32> -> f32
    sinter.yield %1 : f32
  }
  return %y : tensor<4x48x16x16xf32>
}

// Windows of 5 x 5 are written out though they are more than 16 columns; of 9 x 9 not. They have four sums, as each
// step of one would wait for the step before.

// CHECK-LABEL: func @five
// CHECK: #sinter.rows<along = "rows",{{.*}} unroll = 4, written_out = 25>
func.func @five(%x: tensor<4x20x20xf16>, %w: tensor<5x5xf16>) -> tensor<4x16x16xf32> {
  %e = tensor.empty() : tensor<4x16x16xf32>
  %y = sinter.rowwise (i = 4, h = 16, v = 16) by (m = 5, n = 5)
      ins(%x[i, h + m, v + n] : tensor<4x20x20xf16>, %w[m, n] : tensor<5x5xf16>) outs(%e[i, h, v] : tensor<4x16x16xf32>) {
  ^row(%a: tensor<25xf16>, %b: tensor<25xf16>):
    %0 = arith.extf %a : tensor<25xf16> to tensor<25xf32>
    %1 = arith.extf %b : tensor<25xf16> to tensor<25xf32>
    %2 = arith.mulf %0, %1 : tensor<25xf32>
    %3 = sinter.row_reduce add %2 : tensor<25xf32> -> f32
    sinter.yield %3 : f32
  }
  return %y : tensor<4x16x16xf32>
}

// Elements of such a window that step by 2 are loaded one by one, with few bounds checks: sooner than a window's
// columns, which lie apart.

// CHECK-LABEL: func @strided
// CHECK: #sinter.rows<along = "rows",{{.*}} lanes = 8,{{.*}} written_out = 25>
func.func @strided(%x: tensor<4x96x28x28xf32>, %w: tensor<96x5x5xf32>) -> tensor<4x96x14x14xf32> {
  %e = tensor.empty() : tensor<4x96x14x14xf32>
  %y = sinter.rowwise (i = 4, j = 96, h = 14, v = 14) by (m = 5, n = 5)
      ins(%x[i, j, h * 2 + m - 2, v * 2 + n - 2] : tensor<4x96x28x28xf32> else 0.0, %w[j, m, n] : tensor<96x5x5xf32>)
      outs(%e[i, j, h, v] : tensor<4x96x14x14xf32>) {
  ^row(%a: tensor<25xf32>, %b: tensor<25xf32>):
    %0 = arith.mulf %a, %b : tensor<25xf32>
    %1 = sinter.row_reduce add %0 : tensor<25xf32> -> f32
    sinter.yield %1 : f32
  }
  return %y : tensor<4x96x14x14xf32>
}

// CHECK-LABEL: func @nine
// CHECK-NOT: written_out
// CHECK: return
func.func @nine(%x: tensor<4x24x24xf16>, %w: tensor<9x9xf16>) -> tensor<4x16x16xf32> {
  %e = tensor.empty() : tensor<4x16x16xf32>
  %y = sinter.rowwise (i = 4, h = 16, v = 16) by (m = 9, n = 9)
      ins(%x[i, h + m, v + n] : tensor<4x24x24xf16>, %w[m, n] : tensor<9x9xf16>) outs(%e[i, h, v] : tensor<4x16x16xf32>) {
  ^row(%a: tensor<81xf16>, %b: tensor<81xf16>):
    %0 = arith.extf %a : tensor<81xf16> to tensor<81xf32>
    %1 = arith.extf %b : tensor<81xf16> to tensor<81xf32>
    %2 = arith.mulf %0, %1 : tensor<81xf32>
    %3 = sinter.row_reduce add %2 : tensor<81xf32> -> f32
    sinter.yield %3 : f32
  }
  return %y : tensor<4x16x16xf32>
}

// 68 rows are five vectors of 16. Of 64 they would be two, and 60 rows computed twice.

// CHECK-LABEL: func @wide
// CHECK: #sinter.rows<along = "rows",{{.*}} lanes = 16,
func.func @wide(%x: tensor<4x72x72xf32>, %w: tensor<5x5xf32>) -> tensor<4x68x68xf32> {
  %e = tensor.empty() : tensor<4x68x68xf32>
  %y = sinter.rowwise (i = 4, h = 68, v = 68) by (m = 5, n = 5)
      ins(%x[i, h + m, v + n] : tensor<4x72x72xf32>, %w[m, n] : tensor<5x5xf32>) outs(%e[i, h, v] : tensor<4x68x68xf32>) {
  ^row(%a: tensor<25xf32>, %b: tensor<25xf32>):
    %0 = arith.mulf %a, %b : tensor<25xf32>
    %1 = sinter.row_reduce add %0 : tensor<25xf32> -> f32
    sinter.yield %1 : f32
  }
  return %y : tensor<4x68x68xf32>
}

// Of 128 rows, which four vectors at once divide, there is one at a time, too: two lines below each other share what
// they read.

// CHECK-LABEL: func @whole
// CHECK: #sinter.rows<along = "rows",{{.*}} lanes = 16, places = 2,
func.func @whole(%x: tensor<4x132x132xf32>, %w: tensor<5x5xf32>) -> tensor<4x128x128xf32> {
  %e = tensor.empty() : tensor<4x128x128xf32>
  %y = sinter.rowwise (i = 4, h = 128, v = 128) by (m = 5, n = 5)
      ins(%x[i, h + m, v + n] : tensor<4x132x132xf32>, %w[m, n] : tensor<5x5xf32>)
      outs(%e[i, h, v] : tensor<4x128x128xf32>) {
  ^row(%a: tensor<25xf32>, %b: tensor<25xf32>):
    %0 = arith.mulf %a, %b : tensor<25xf32>
    %1 = sinter.row_reduce add %0 : tensor<25xf32> -> f32
    sinter.yield %1 : f32
  }
  return %y : tensor<4x128x128xf32>
}

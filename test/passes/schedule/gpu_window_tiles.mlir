// RUN: sinter-opt --sinter-schedule=target=gpu --split-input-file %s | FileCheck %s
// RUN: sinter-opt --sinter-arrange --sinter-schedule=target=gpu --split-input-file %s | FileCheck %s --check-prefix=ARRANGED
// RUN: sinter-opt --sinter-split=target=gpu --split-input-file %s | FileCheck %s --check-prefix=SPLIT
// RUN: sinter-opt --sinter-schedule="target=gpu allow-tf32=true" --split-input-file %s | FileCheck %s --check-prefix=TF32

// Few filters: a patch is 16 wide, as 48 is three of them, and blocks share the sum so that multiprocessors have warps.

// CHECK-LABEL: func @two_filters
//       CHECK: #sinter.mma<k = 16, kernel = "fma.window", m = 2, n = 128, occupancy = 8, patch = 16, split = 5, threads = 64>
// TF32-LABEL: func @two_filters
//       TF32: "fma.window"
func.func @two_filters(%w: tensor<2x80x7x7xf32>, %x: tensor<10x80x48x48xf32>, %e: tensor<10x2x48x48xf32>) -> tensor<10x2x48x48xf32> {
  %y = sinter.contract (n = 10, o = 2) by (y = 48, x = 48)
      product (c = 80, r = 7, s = 7) (%w[o, c, r, s] : tensor<2x80x7x7xf32>, %x[n, c, y + r - 3, x + s - 3] : tensor<10x80x48x48xf32> else 0.0) : f32
      outs(%e[n, o, y, x] : tensor<10x2x48x48xf32>) {
  ^row(%p: tensor<2304xf32>):
    sinter.yield %p : tensor<2304xf32>
  }
  return %y : tensor<10x2x48x48xf32>
}

// -----

// One filter of as many outputs is no sum of each.

// SPLIT-LABEL: func @one_filter
//       SPLIT: sinter.contract
// CHECK-LABEL: func @one_filter
//       CHECK: kernel = "fma.window", m = 1,
func.func @one_filter(%w: tensor<1x80x7x7xf32>, %x: tensor<10x80x48x48xf32>, %e: tensor<10x1x48x48xf32>) -> tensor<10x1x48x48xf32> {
  %y = sinter.contract (n = 10, o = 1) by (y = 48, x = 48)
      product (c = 80, r = 7, s = 7) (%w[o, c, r, s] : tensor<1x80x7x7xf32>, %x[n, c, y + r - 3, x + s - 3] : tensor<10x80x48x48xf32> else 0.0) : f32
      outs(%e[n, o, y, x] : tensor<10x1x48x48xf32>) {
  ^row(%p: tensor<2304xf32>):
    sinter.yield %p : tensor<2304xf32>
  }
  return %y : tensor<10x1x48x48xf32>
}

// -----

// Many filters: 16 of a warp, and sides are not written. Where tensor cores may round, they are.

// CHECK-LABEL: func @many_filters
//       CHECK: kernel = "fma.window", m = 16, n = 128,
// ARRANGED-LABEL: func @many_filters
//   ARRANGED-NOT: sinter.rowwise
//       ARRANGED: "fma.window"
// TF32-LABEL: func @many_filters
//   TF32-NOT: "fma.window"
//       TF32: return
func.func @many_filters(%w: tensor<64x80x3x3xf32>, %x: tensor<59x80x47x47xf32>, %e: tensor<59x64x47x47xf32>) -> tensor<59x64x47x47xf32> {
  %y = sinter.contract (n = 59, o = 64) by (y = 47, x = 47)
      product (c = 80, r = 3, s = 3) (%w[o, c, r, s] : tensor<64x80x3x3xf32>, %x[n, c, y + r - 1, x + s - 1] : tensor<59x80x47x47xf32> else 0.0) : f32
      outs(%e[n, o, y, x] : tensor<59x64x47x47xf32>) {
  ^row(%p: tensor<2209xf32>):
    sinter.yield %p : tensor<2209xf32>
  }
  return %y : tensor<59x64x47x47xf32>
}

// -----

// Images of 19 by 19 leave too many lanes of a patch beside the end: sides are written.

// ARRANGED-LABEL: func @small_images
//       ARRANGED: sinter.rowwise
//       ARRANGED: kernel = "fma",
func.func @small_images(%w: tensor<113x392x5x5xf32>, %x: tensor<31x392x23x23xf32>, %e: tensor<31x113x19x19xf32>) -> tensor<31x113x19x19xf32> {
  %y = sinter.contract (n = 31, o = 113) by (y = 19, x = 19)
      product (c = 392, r = 5, s = 5) (%w[o, c, r, s] : tensor<113x392x5x5xf32>, %x[n, c, y + r, x + s] : tensor<31x392x23x23xf32>) : f32
      outs(%e[n, o, y, x] : tensor<31x113x19x19xf32>) {
  ^row(%p: tensor<361xf32>):
    sinter.yield %p : tensor<361xf32>
  }
  return %y : tensor<31x113x19x19xf32>
}

// -----

// Channels that lie last, points that are no windows, and quotients are a product of other kernels.

// CHECK-LABEL: func @channels_last
//   CHECK-NOT: "fma.window"
//       CHECK: return
func.func @channels_last(%w: tensor<2x7x7x80xf32>, %x: tensor<10x48x48x80xf32>, %e: tensor<10x48x48x2xf32>) -> tensor<10x48x48x2xf32> {
  %y = sinter.contract (n = 10, y = 48, x = 48) by (o = 2)
      product (r = 7, s = 7, c = 80) (%x[n, y + r - 3, x + s - 3, c] : tensor<10x48x48x80xf32> else 0.0, %w[o, r, s, c] : tensor<2x7x7x80xf32>) : f32
      outs(%e[n, y, x, o] : tensor<10x48x48x2xf32>) {
  ^row(%p: tensor<2xf32>):
    sinter.yield %p : tensor<2xf32>
  }
  return %y : tensor<10x48x48x2xf32>
}

// -----

// CHECK-LABEL: func @no_window
//   CHECK-NOT: "fma.window"
//       CHECK: return
func.func @no_window(%w: tensor<2x800xf32>, %x: tensor<10x800x2304xf32>, %e: tensor<10x2x2304xf32>) -> tensor<10x2x2304xf32> {
  %y = sinter.contract (n = 10, o = 2) by (x = 2304)
      product (c = 800) (%w[o, c] : tensor<2x800xf32>, %x[n, c, x] : tensor<10x800x2304xf32>) : f32
      outs(%e[n, o, x] : tensor<10x2x2304xf32>) {
  ^row(%p: tensor<2304xf32>):
    sinter.yield %p : tensor<2304xf32>
  }
  return %y : tensor<10x2x2304xf32>
}

// -----

// Beside a fill value that is not 0 nothing can be left out of the sum.

// CHECK-LABEL: func @filled
//   CHECK-NOT: "fma.window"
//       CHECK: return
func.func @filled(%w: tensor<2x80x7x7xf32>, %x: tensor<10x80x48x48xf32>, %e: tensor<10x2x48x48xf32>) -> tensor<10x2x48x48xf32> {
  %y = sinter.contract (n = 10, o = 2) by (y = 48, x = 48)
      product (c = 80, r = 7, s = 7) (%w[o, c, r, s] : tensor<2x80x7x7xf32>, %x[n, c, y + r - 3, x + s - 3] : tensor<10x80x48x48xf32> else 1.0) : f32
      outs(%e[n, o, y, x] : tensor<10x2x48x48xf32>) {
  ^row(%p: tensor<2304xf32>):
    sinter.yield %p : tensor<2304xf32>
  }
  return %y : tensor<10x2x48x48xf32>
}

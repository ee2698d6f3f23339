// RUN: sinter-opt --sinter-fuse --split-input-file %s | FileCheck %s --check-prefix=FUSED
// RUN: sinter-opt --sinter-fuse --sinter-split=target=cpu --split-input-file %s | FileCheck %s

// Rows that are multiplied by windows of an image are a chain; on a CPU the product is apart, which packs the windows
// once or reads them where they lie.

// FUSED-LABEL: func @windows(
//       FUSED:   sinter.rowwise (j = 8) by (i = 4, k = 5, l = 5) by (m = 3, n = 3, o = 3)
// CHECK-LABEL: func @windows(
//       CHECK:   %[[P:.+]] = sinter.rowwise (j = 8) by (i = 4, k = 5, l = 5)
//       CHECK:   sinter.contract (j = 8) by (m = 3, n = 3, o = 3)
//  CHECK-NEXT:     product (i = 4, k = 5, l = 5) (%[[P]][j, i, k, l] : tensor<8x4x5x5xf32>, %{{.+}}[i, m, n + k - 1, o + l - 1] : tensor<4x3x5x5xf32> else 0.000000e+00) : f32
func.func @windows(%g: tensor<4x8x5x5xf32>, %x: tensor<4x3x5x5xf32>) -> tensor<8x3x3x3xf32> {
  %e = tensor.empty() : tensor<4x8x5x5xf32>
  %p = sinter.rowwise (j = 8) by (i = 4, k = 5, l = 5) ins(%g[i, j, k, l] : tensor<4x8x5x5xf32>) outs(%e[i, j, k, l] : tensor<4x8x5x5xf32>) {
  ^row(%r: tensor<100xf32>):
    %s = sinter.row_reduce add %r : tensor<100xf32> -> f32
    %b = sinter.broadcast %s : f32 -> tensor<100xf32>
    %d = arith.subf %r, %b : tensor<100xf32>
    sinter.yield %d : tensor<100xf32>
  }
  %ew = tensor.empty() : tensor<8x3x3x3xf32>
  %w = sinter.contract (j = 8) by (m = 3, n = 3, o = 3)
      product (i = 4, k = 5, l = 5) (%p[i, j, k, l] : tensor<4x8x5x5xf32>, %x[i, m, n + k - 1, o + l - 1] : tensor<4x3x5x5xf32> else 0.0) : f32
      outs(%ew[j, m, n, o] : tensor<8x3x3x3xf32>) {
  ^row(%acc: tensor<27xf32>):
    sinter.yield %acc : tensor<27xf32>
  }
  return %w : tensor<8x3x3x3xf32>
}

// -----

// By an image whole they are one kernel.

// CHECK-LABEL: func @whole(
//       CHECK:   sinter.rowwise (j = 8) by (i = 4, k = 5, l = 5) by (m = 3)
func.func @whole(%g: tensor<4x8x5x5xf32>, %x: tensor<4x3x5x5xf32>) -> tensor<8x3xf32> {
  %e = tensor.empty() : tensor<4x8x5x5xf32>
  %p = sinter.rowwise (j = 8) by (i = 4, k = 5, l = 5) ins(%g[i, j, k, l] : tensor<4x8x5x5xf32>) outs(%e[i, j, k, l] : tensor<4x8x5x5xf32>) {
  ^row(%r: tensor<100xf32>):
    %s = sinter.row_reduce add %r : tensor<100xf32> -> f32
    %b = sinter.broadcast %s : f32 -> tensor<100xf32>
    %d = arith.subf %r, %b : tensor<100xf32>
    sinter.yield %d : tensor<100xf32>
  }
  %ew = tensor.empty() : tensor<8x3xf32>
  %w = sinter.contract (j = 8) by (m = 3)
      product (i = 4, k = 5, l = 5) (%p[i, j, k, l] : tensor<4x8x5x5xf32>, %x[i, m, k, l] : tensor<4x3x5x5xf32>) : f32
      outs(%ew[j, m] : tensor<8x3xf32>) {
  ^row(%acc: tensor<3xf32>):
    sinter.yield %acc : tensor<3xf32>
  }
  return %w : tensor<8x3xf32>
}

// -----

// A subscript that counts heads and their columns is no window.

// CHECK-LABEL: func @heads(
//       CHECK:   sinter.rowwise (i = 3, j = 8) by (k = 10) by (m = 4)
func.func @heads(%g: tensor<3x8x10xf32>, %x: tensor<10x12xf32>) -> tensor<3x8x4xf32> {
  %e = tensor.empty() : tensor<3x8x10xf32>
  %p = sinter.rowwise (i = 3, j = 8) by (k = 10) ins(%g[i, j, k] : tensor<3x8x10xf32>) outs(%e[i, j, k] : tensor<3x8x10xf32>) {
  ^row(%r: tensor<10xf32>):
    %s = sinter.row_reduce add %r : tensor<10xf32> -> f32
    %b = sinter.broadcast %s : f32 -> tensor<10xf32>
    %d = arith.subf %r, %b : tensor<10xf32>
    sinter.yield %d : tensor<10xf32>
  }
  %ew = tensor.empty() : tensor<3x8x4xf32>
  %w = sinter.contract (i = 3, j = 8) by (m = 4)
      product (k = 10) (%p[i, j, k] : tensor<3x8x10xf32>, %x[k, i * 4 + m] : tensor<10x12xf32>) : f32
      outs(%ew[i, j, m] : tensor<3x8x4xf32>) {
  ^row(%acc: tensor<4xf32>):
    sinter.yield %acc : tensor<4xf32>
  }
  return %w : tensor<3x8x4xf32>
}

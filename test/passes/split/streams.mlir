// RUN: sinter-opt --sinter-split=target=gpu --split-input-file %s | FileCheck %s
// RUN: sinter-opt --sinter-split="target=gpu launches=one" --split-input-file %s | FileCheck %s --check-prefix=ONE

// Weights of eight bits are multiplied as they lie where rows are few. In a shared launch they are stored first.

// CHECK-LABEL: func @few_rows
//   CHECK-NOT:   sinter.rowwise
//       CHECK:   sinter.contract (i = 64) by (j = 1024)
//       CHECK:   side(
//   ONE-LABEL: func @few_rows
//         ONE:   sinter.rowwise
//         ONE:   sinter.contract
func.func @few_rows(%x: tensor<64x4096xbf16>, %w: tensor<1024x4096xi8>, %s: tensor<1024x32xf32>, %e: tensor<64x1024xf32>) -> tensor<64x1024xf32> {
  %y = sinter.contract (i = 64) by (j = 1024) product (k = 32, l = 128) (%x[i, k * 128 + l] : tensor<64x4096xbf16>,
      side(%w[j, k * 128 + l] : tensor<1024x4096xi8>, %s[j, k] : tensor<1024x32xf32>) {
  ^side(%q: tensor<4096xi8>, %g: tensor<4096xf32>):
    %f = arith.sitofp %q : tensor<4096xi8> to tensor<4096xf32>
    %d = arith.mulf %f, %g : tensor<4096xf32>
    %t = arith.truncf %d : tensor<4096xf32> to tensor<4096xbf16>
    sinter.yield %t : tensor<4096xbf16>
  }) : f32
      outs(%e[i, j] : tensor<64x1024xf32>) {
  ^row(%p: tensor<1024xf32>):
    sinter.yield %p : tensor<1024xf32>
  }
  return %y : tensor<64x1024xf32>
}

// -----

// One row by many columns, too: rows of bytes come by small vectors.

// CHECK-LABEL: func @one_row
//   CHECK-NOT:   sinter.rowwise
//       CHECK:   side(
func.func @one_row(%x: tensor<1x4096xbf16>, %w: tensor<1024x4096xi8>, %s: tensor<1024x32xf32>, %e: tensor<1x1024xf32>) -> tensor<1x1024xf32> {
  %y = sinter.contract (i = 1) by (j = 1024) product (k = 32, l = 128) (%x[i, k * 128 + l] : tensor<1x4096xbf16>,
      side(%w[j, k * 128 + l] : tensor<1024x4096xi8>, %s[j, k] : tensor<1024x32xf32>) {
  ^side(%q: tensor<4096xi8>, %g: tensor<4096xf32>):
    %f = arith.sitofp %q : tensor<4096xi8> to tensor<4096xf32>
    %d = arith.mulf %f, %g : tensor<4096xf32>
    %t = arith.truncf %d : tensor<4096xf32> to tensor<4096xbf16>
    sinter.yield %t : tensor<4096xbf16>
  }) : f32
      outs(%e[i, j] : tensor<1x1024xf32>) {
  ^row(%p: tensor<1024xf32>):
    sinter.yield %p : tensor<1024xf32>
  }
  return %y : tensor<1x1024xf32>
}

// -----

// One row by few columns is a row's sum for each.

// CHECK-LABEL: func @few_columns
//       CHECK:   sinter.rowwise (i = 1, j = 511) by (k = 32, l = 128)
//   CHECK-NOT:   sinter.contract
func.func @few_columns(%x: tensor<1x4096xbf16>, %w: tensor<511x4096xi8>, %s: tensor<511x32xf32>, %e: tensor<1x511xf32>) -> tensor<1x511xf32> {
  %y = sinter.contract (i = 1) by (j = 511) product (k = 32, l = 128) (%x[i, k * 128 + l] : tensor<1x4096xbf16>,
      side(%w[j, k * 128 + l] : tensor<511x4096xi8>, %s[j, k] : tensor<511x32xf32>) {
  ^side(%q: tensor<4096xi8>, %g: tensor<4096xf32>):
    %f = arith.sitofp %q : tensor<4096xi8> to tensor<4096xf32>
    %d = arith.mulf %f, %g : tensor<4096xf32>
    %t = arith.truncf %d : tensor<4096xf32> to tensor<4096xbf16>
    sinter.yield %t : tensor<4096xbf16>
  }) : f32
      outs(%e[i, j] : tensor<1x511xf32>) {
  ^row(%p: tensor<511xf32>):
    sinter.yield %p : tensor<511xf32>
  }
  return %y : tensor<1x511xf32>
}

// -----

// Of 65 rows writing them once is less work.

// CHECK-LABEL: func @more_rows
//       CHECK:   sinter.rowwise
//   CHECK-NOT:   side(
func.func @more_rows(%x: tensor<65x4096xbf16>, %w: tensor<1024x4096xi8>, %s: tensor<1024x32xf32>, %e: tensor<65x1024xf32>) -> tensor<65x1024xf32> {
  %y = sinter.contract (i = 65) by (j = 1024) product (k = 32, l = 128) (%x[i, k * 128 + l] : tensor<65x4096xbf16>,
      side(%w[j, k * 128 + l] : tensor<1024x4096xi8>, %s[j, k] : tensor<1024x32xf32>) {
  ^side(%q: tensor<4096xi8>, %g: tensor<4096xf32>):
    %f = arith.sitofp %q : tensor<4096xi8> to tensor<4096xf32>
    %d = arith.mulf %f, %g : tensor<4096xf32>
    %t = arith.truncf %d : tensor<4096xf32> to tensor<4096xbf16>
    sinter.yield %t : tensor<4096xbf16>
  }) : f32
      outs(%e[i, j] : tensor<65x1024xf32>) {
  ^row(%p: tensor<1024xf32>):
    sinter.yield %p : tensor<1024xf32>
  }
  return %y : tensor<65x1024xf32>
}

// -----

// Neighbours in memory are columns.

// CHECK-LABEL: func @by_columns
//       CHECK:   sinter.rowwise
//   CHECK-NOT:   side(
func.func @by_columns(%x: tensor<8x4096xbf16>, %w: tensor<4096x1024xi8>, %s: tensor<1024x32xf32>, %e: tensor<8x1024xf32>) -> tensor<8x1024xf32> {
  %y = sinter.contract (i = 8) by (j = 1024) product (k = 32, l = 128) (%x[i, k * 128 + l] : tensor<8x4096xbf16>,
      side(%w[k * 128 + l, j] : tensor<4096x1024xi8>, %s[j, k] : tensor<1024x32xf32>) {
  ^side(%q: tensor<4096xi8>, %g: tensor<4096xf32>):
    %f = arith.sitofp %q : tensor<4096xi8> to tensor<4096xf32>
    %d = arith.mulf %f, %g : tensor<4096xf32>
    %t = arith.truncf %d : tensor<4096xf32> to tensor<4096xbf16>
    sinter.yield %t : tensor<4096xbf16>
  }) : f32
      outs(%e[i, j] : tensor<8x1024xf32>) {
  ^row(%p: tensor<1024xf32>):
    sinter.yield %p : tensor<1024xf32>
  }
  return %y : tensor<8x1024xf32>
}

// -----

// 16 bytes of weights have more than one scale.

// CHECK-LABEL: func @many_scales
//       CHECK:   sinter.rowwise
//   CHECK-NOT:   side(
func.func @many_scales(%x: tensor<8x4096xbf16>, %w: tensor<1024x4096xi8>, %s: tensor<1024x512xf32>, %e: tensor<8x1024xf32>) -> tensor<8x1024xf32> {
  %y = sinter.contract (i = 8) by (j = 1024) product (k = 512, l = 8) (%x[i, k * 8 + l] : tensor<8x4096xbf16>,
      side(%w[j, k * 8 + l] : tensor<1024x4096xi8>, %s[j, k] : tensor<1024x512xf32>) {
  ^side(%q: tensor<4096xi8>, %g: tensor<4096xf32>):
    %f = arith.sitofp %q : tensor<4096xi8> to tensor<4096xf32>
    %d = arith.mulf %f, %g : tensor<4096xf32>
    %t = arith.truncf %d : tensor<4096xf32> to tensor<4096xbf16>
    sinter.yield %t : tensor<4096xbf16>
  }) : f32
      outs(%e[i, j] : tensor<8x1024xf32>) {
  ^row(%p: tensor<1024xf32>):
    sinter.yield %p : tensor<1024xf32>
  }
  return %y : tensor<8x1024xf32>
}

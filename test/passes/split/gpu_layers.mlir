// RUN: sinter-opt --sinter-split="target=gpu reasons=true" --split-input-file %s | FileCheck %s

// Rows that go through several products whole stay one form where a block's shared memory holds them and it is no
// slower than several kernels. Others are cut, and say why.

// CHECK-LABEL: func.func @stays
//       CHECK:   sinter.contract (i = 128) by (j0 = 512) by (j1 = 256) by (j2 = 128)
//       CHECK:     matrix (j0) to (j1)
//       CHECK:     matrix (j1) to (j2)
//   CHECK-NOT:   sinter.contract
func.func @stays(%x: tensor<128x13xf32>, %w0: tensor<512x13xf32>, %w1: tensor<256x512xf32>, %w2: tensor<128x256xf32>, %y: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %0 = sinter.contract (i = 128) by (j0 = 512) by (j1 = 256) by (j2 = 128)
      product (k = 13) (%x[i, k] : tensor<128x13xf32>, %w0[j0, k] : tensor<512x13xf32>) : f32
      matrix (j0) to (j1) (%w1[j1, j0] : tensor<256x512xf32>)
      matrix (j1) to (j2) (%w2[j2, j1] : tensor<128x256xf32>)
      outs(%y[i, j2] : tensor<128x128xf32>) {
  ^row(%p: tensor<512xf32>, %m1: tensor<512x256xf32>, %m2: tensor<256x128xf32>):
    %t1 = math.tanh %p : tensor<512xf32>
    %p1 = sinter.row_product %t1, %m1 : tensor<512xf32>, tensor<512x256xf32> -> tensor<256xf32>
    %t2 = math.tanh %p1 : tensor<256xf32>
    %p2 = sinter.row_product %t2, %m2 : tensor<256xf32>, tensor<256x128xf32> -> tensor<128xf32>
    sinter.yield %p2 : tensor<128xf32>
  }
  return %0 : tensor<128x128xf32>
}

// -----

// Two groups of columns in f32, which warps do not multiply again.

// CHECK-LABEL: func.func @two
//       CHECK:   sinter.contract (i = 128) by (j0 = 40) by (j1 = 24)
//   CHECK-NOT:   sinter.contract
func.func @two(%x: tensor<128x13xf32>, %w0: tensor<40x13xf32>, %w1: tensor<24x40xf32>, %y: tensor<128x24xf32>) -> tensor<128x24xf32> {
  %0 = sinter.contract (i = 128) by (j0 = 40) by (j1 = 24)
      product (k = 13) (%x[i, k] : tensor<128x13xf32>, %w0[j0, k] : tensor<40x13xf32>) : f32
      matrix (j0) to (j1) (%w1[j1, j0] : tensor<24x40xf32>)
      outs(%y[i, j1] : tensor<128x24xf32>) {
  ^row(%p: tensor<40xf32>, %m1: tensor<40x24xf32>):
    %t1 = math.tanh %p : tensor<40xf32>
    %p1 = sinter.row_product %t1, %m1 : tensor<40xf32>, tensor<40x24xf32> -> tensor<24xf32>
    sinter.yield %p1 : tensor<24xf32>
  }
  return %0 : tensor<128x24xf32>
}

// -----

// Many rows of halves: memory takes longer than products of 128 columns.

// CHECK-LABEL: func.func @narrow
//       CHECK:   sinter.contract (i = 65536) by (j0 = 128) by (j1 = 128) by (j2 = 64)
//   CHECK-NOT:   sinter.contract
func.func @narrow(%x: tensor<65536x64xbf16>, %w0: tensor<128x64xbf16>, %w1: tensor<128x128xbf16>, %w2: tensor<64x128xbf16>, %y: tensor<65536x64xbf16>) -> tensor<65536x64xbf16> {
  %0 = sinter.contract (i = 65536) by (j0 = 128) by (j1 = 128) by (j2 = 64)
      product (k = 64) (%x[i, k] : tensor<65536x64xbf16>, %w0[j0, k] : tensor<128x64xbf16>) : f32
      matrix (j0) to (j1) (%w1[j1, j0] : tensor<128x128xbf16>)
      matrix (j1) to (j2) (%w2[j2, j1] : tensor<64x128xbf16>)
      outs(%y[i, j2] : tensor<65536x64xbf16>) {
  ^row(%p: tensor<128xf32>, %m1: tensor<128x128xbf16>, %m2: tensor<128x64xbf16>):
    %t1 = math.tanh %p : tensor<128xf32>
    %h1 = arith.truncf %t1 : tensor<128xf32> to tensor<128xbf16>
    %p1 = sinter.row_product %h1, %m1 : tensor<128xbf16>, tensor<128x128xbf16> -> tensor<128xf32>
    %t2 = math.tanh %p1 : tensor<128xf32>
    %h2 = arith.truncf %t2 : tensor<128xf32> to tensor<128xbf16>
    %p2 = sinter.row_product %h2, %m2 : tensor<128xbf16>, tensor<128x64xbf16> -> tensor<64xf32>
    %z = arith.truncf %p2 : tensor<64xf32> to tensor<64xbf16>
    sinter.yield %z : tensor<64xbf16>
  }
  return %0 : tensor<65536x64xbf16>
}

// -----

// CHECK-LABEL: func.func @wide
//       CHECK:   sinter.cut = [{{.*}}"products this wide take longer than memory does, and are faster one by one"]
func.func @wide(%x: tensor<65536x64xf32>, %w0: tensor<512x64xf32>, %w1: tensor<512x512xf32>, %w2: tensor<64x512xf32>, %y: tensor<65536x64xf32>) -> tensor<65536x64xf32> {
  %0 = sinter.contract (i = 65536) by (j0 = 512) by (j1 = 512) by (j2 = 64)
      product (k = 64) (%x[i, k] : tensor<65536x64xf32>, %w0[j0, k] : tensor<512x64xf32>) : f32
      matrix (j0) to (j1) (%w1[j1, j0] : tensor<512x512xf32>)
      matrix (j1) to (j2) (%w2[j2, j1] : tensor<64x512xf32>)
      outs(%y[i, j2] : tensor<65536x64xf32>) {
  ^row(%p: tensor<512xf32>, %m1: tensor<512x512xf32>, %m2: tensor<512x64xf32>):
    %t1 = math.tanh %p : tensor<512xf32>
    %p1 = sinter.row_product %t1, %m1 : tensor<512xf32>, tensor<512x512xf32> -> tensor<512xf32>
    %t2 = math.tanh %p1 : tensor<512xf32>
    %p2 = sinter.row_product %t2, %m2 : tensor<512xf32>, tensor<512x64xf32> -> tensor<64xf32>
    sinter.yield %p2 : tensor<64xf32>
  }
  return %0 : tensor<65536x64xf32>
}

// -----

// CHECK-LABEL: func.func @too_wide
//       CHECK:   sinter.cut = [{{.*}}"rows that cross from a product to the next do not fit a block's shared memory"]
func.func @too_wide(%x: tensor<128x64xf32>, %w0: tensor<1024x64xf32>, %w1: tensor<520x1024xf32>, %w2: tensor<64x520xf32>, %y: tensor<128x64xf32>) -> tensor<128x64xf32> {
  %0 = sinter.contract (i = 128) by (j0 = 1024) by (j1 = 520) by (j2 = 64)
      product (k = 64) (%x[i, k] : tensor<128x64xf32>, %w0[j0, k] : tensor<1024x64xf32>) : f32
      matrix (j0) to (j1) (%w1[j1, j0] : tensor<520x1024xf32>)
      matrix (j1) to (j2) (%w2[j2, j1] : tensor<64x520xf32>)
      outs(%y[i, j2] : tensor<128x64xf32>) {
  ^row(%p: tensor<1024xf32>, %m1: tensor<1024x520xf32>, %m2: tensor<520x64xf32>):
    %t1 = math.tanh %p : tensor<1024xf32>
    %p1 = sinter.row_product %t1, %m1 : tensor<1024xf32>, tensor<1024x520xf32> -> tensor<520xf32>
    %t2 = math.tanh %p1 : tensor<520xf32>
    %p2 = sinter.row_product %t2, %m2 : tensor<520xf32>, tensor<520x64xf32> -> tensor<64xf32>
    sinter.yield %p2 : tensor<64xf32>
  }
  return %0 : tensor<128x64xf32>
}

// -----

// Rows of 1024 and 512 numbers do: 16 of them are 96 KB.

// CHECK-LABEL: func.func @just_fits
//       CHECK:   sinter.contract (i = 128) by (j0 = 1024) by (j1 = 512) by (j2 = 64)
//   CHECK-NOT:   sinter.contract
func.func @just_fits(%x: tensor<128x64xf32>, %w0: tensor<1024x64xf32>, %w1: tensor<512x1024xf32>, %w2: tensor<64x512xf32>, %y: tensor<128x64xf32>) -> tensor<128x64xf32> {
  %0 = sinter.contract (i = 128) by (j0 = 1024) by (j1 = 512) by (j2 = 64)
      product (k = 64) (%x[i, k] : tensor<128x64xf32>, %w0[j0, k] : tensor<1024x64xf32>) : f32
      matrix (j0) to (j1) (%w1[j1, j0] : tensor<512x1024xf32>)
      matrix (j1) to (j2) (%w2[j2, j1] : tensor<64x512xf32>)
      outs(%y[i, j2] : tensor<128x64xf32>) {
  ^row(%p: tensor<1024xf32>, %m1: tensor<1024x512xf32>, %m2: tensor<512x64xf32>):
    %t1 = math.tanh %p : tensor<1024xf32>
    %p1 = sinter.row_product %t1, %m1 : tensor<1024xf32>, tensor<1024x512xf32> -> tensor<512xf32>
    %t2 = math.tanh %p1 : tensor<512xf32>
    %p2 = sinter.row_product %t2, %m2 : tensor<512xf32>, tensor<512x64xf32> -> tensor<64xf32>
    sinter.yield %p2 : tensor<64xf32>
  }
  return %0 : tensor<128x64xf32>
}

// -----

// CHECK-LABEL: func.func @whole
//       CHECK:   sinter.cut = [{{.*}}"its rows are needed whole"]
func.func @whole(%x: tensor<128x13xf32>, %w0: tensor<40x13xf32>, %w1: tensor<24x40xf32>, %w2: tensor<8x24xf32>, %y: tensor<128x8xf32>) -> tensor<128x8xf32> {
  %0 = sinter.contract (i = 128) by (j0 = 40) by (j1 = 24) by (j2 = 8)
      product (k = 13) (%x[i, k] : tensor<128x13xf32>, %w0[j0, k] : tensor<40x13xf32>) : f32
      matrix (j0) to (j1) (%w1[j1, j0] : tensor<24x40xf32>)
      matrix (j1) to (j2) (%w2[j2, j1] : tensor<8x24xf32>)
      outs(%y[i, j2] : tensor<128x8xf32>) {
  ^row(%p: tensor<40xf32>, %m1: tensor<40x24xf32>, %m2: tensor<24x8xf32>):
    %s = sinter.row_reduce add %p : tensor<40xf32> -> f32
    %ss = sinter.broadcast %s : f32 -> tensor<40xf32>
    %q = arith.mulf %p, %ss : tensor<40xf32>
    %t1 = math.tanh %q : tensor<40xf32>
    %p1 = sinter.row_product %t1, %m1 : tensor<40xf32>, tensor<40x24xf32> -> tensor<24xf32>
    %t2 = math.tanh %p1 : tensor<24xf32>
    %p2 = sinter.row_product %t2, %m2 : tensor<24xf32>, tensor<24x8xf32> -> tensor<8xf32>
    sinter.yield %p2 : tensor<8xf32>
  }
  return %0 : tensor<128x8xf32>
}

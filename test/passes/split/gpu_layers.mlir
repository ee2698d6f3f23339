// RUN: sinter-opt --sinter-split="target=gpu reasons=true" --split-input-file %s | FileCheck %s

// Rows that go through several products whole stay one form where somebody wrote its schedule. Others are cut, since
// larger tiles are faster, and say so; or that a block's shared memory does not hold them.

// CHECK-LABEL: func.func @stays
//       CHECK:   sinter.contract (i = 128) by (j0 = 512) by (j1 = 256) by (j2 = 128)
//   CHECK-NOT:   sinter.cut
func.func @stays(%x: tensor<128x13xf32>, %w0: tensor<512x13xf32>, %w1: tensor<256x512xf32>, %w2: tensor<128x256xf32>, %y: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %0 = sinter.contract (i = 128) by (j0 = 512) by (j1 = 256) by (j2 = 128)
      product (k = 13) (%x[i, k] : tensor<128x13xf32>, %w0[j0, k] : tensor<512x13xf32>) : f32
      matrix (j0) to (j1) (%w1[j1, j0] : tensor<256x512xf32>)
      matrix (j1) to (j2) (%w2[j2, j1] : tensor<128x256xf32>)
      outs(%y[i, j2] : tensor<128x128xf32>)
      schedule(#sinter.mma<kernel = "fma", m = 8, n = 32, k = 32, threads = 128, cluster = 8>) {
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

// CHECK-LABEL: func.func @could
//       CHECK:   sinter.cut = [{{.*}}"its products are faster one by one; a schedule keeps it whole"]
func.func @could(%x: tensor<128x13xf32>, %w0: tensor<512x13xf32>, %w1: tensor<256x512xf32>, %w2: tensor<128x256xf32>, %y: tensor<128x128xf32>) -> tensor<128x128xf32> {
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

// CHECK-LABEL: func.func @just_fits
//       CHECK:   sinter.cut = [{{.*}}"its products are faster one by one; a schedule keeps it whole"]
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

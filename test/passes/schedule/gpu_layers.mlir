// RUN: sinter-opt --sinter-schedule="target=gpu chip=sm_90a" %s | FileCheck %s
// RUN: sinter-opt --sinter-schedule="target=gpu chip=sm_80" %s | FileCheck %s --check-prefix=AMPERE

// Few rows are shared by blocks of a cluster, where the chip has one and lines are exchanged by words of 8 bytes; many
// are dealt to blocks that have as many as leave none without work.

// CHECK-LABEL: func.func @few
//       CHECK:   schedule(#sinter.mma<cluster = 8, k = {{[0-9]+}}, kernel = "fma", m = 8,
// AMPERE-LABEL: func.func @few
//   AMPERE-NOT: cluster
//       AMPERE:   kernel = "fma"
func.func @few(%x: tensor<128x13xf32>, %w0: tensor<512x13xf32>, %w1: tensor<256x512xf32>, %w2: tensor<128x256xf32>, %y: tensor<128x128xf32>) -> tensor<128x128xf32> {
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

// CHECK-LABEL: func.func @odd
//   CHECK-NOT:   cluster
//       CHECK:   kernel = "fma"
func.func @odd(%x: tensor<128x13xf32>, %w0: tensor<41x13xf32>, %w1: tensor<33x41xf32>, %w2: tensor<7x33xf32>, %y: tensor<128x7xf32>) -> tensor<128x7xf32> {
  %0 = sinter.contract (i = 128) by (j0 = 41) by (j1 = 33) by (j2 = 7)
      product (k = 13) (%x[i, k] : tensor<128x13xf32>, %w0[j0, k] : tensor<41x13xf32>) : f32
      matrix (j0) to (j1) (%w1[j1, j0] : tensor<33x41xf32>)
      matrix (j1) to (j2) (%w2[j2, j1] : tensor<7x33xf32>)
      outs(%y[i, j2] : tensor<128x7xf32>) {
  ^row(%p: tensor<41xf32>, %m1: tensor<41x33xf32>, %m2: tensor<33x7xf32>):
    %t1 = math.tanh %p : tensor<41xf32>
    %p1 = sinter.row_product %t1, %m1 : tensor<41xf32>, tensor<41x33xf32> -> tensor<33xf32>
    %t2 = math.tanh %p1 : tensor<33xf32>
    %p2 = sinter.row_product %t2, %m2 : tensor<33xf32>, tensor<33x7xf32> -> tensor<7xf32>
    sinter.yield %p2 : tensor<7xf32>
  }
  return %0 : tensor<128x7xf32>
}

// CHECK-LABEL: func.func @halves
//       CHECK:   schedule(#sinter.mma<cluster = 8, k = {{[0-9]+}}, kernel = "mma.sync", m = 16,
// AMPERE-LABEL: func.func @halves
//       AMPERE:   kernel = "mma.sync", m = 16,
func.func @halves(%x: tensor<128x16xbf16>, %w0: tensor<512x16xbf16>, %w1: tensor<256x512xbf16>, %w2: tensor<128x256xbf16>, %y: tensor<128x128xbf16>) -> tensor<128x128xbf16> {
  %0 = sinter.contract (i = 128) by (j0 = 512) by (j1 = 256) by (j2 = 128)
      product (k = 16) (%x[i, k] : tensor<128x16xbf16>, %w0[j0, k] : tensor<512x16xbf16>) : f32
      matrix (j0) to (j1) (%w1[j1, j0] : tensor<256x512xbf16>)
      matrix (j1) to (j2) (%w2[j2, j1] : tensor<128x256xbf16>)
      outs(%y[i, j2] : tensor<128x128xbf16>) {
  ^row(%p: tensor<512xf32>, %m1: tensor<512x256xbf16>, %m2: tensor<256x128xbf16>):
    %t1 = math.tanh %p : tensor<512xf32>
    %h1 = arith.truncf %t1 : tensor<512xf32> to tensor<512xbf16>
    %p1 = sinter.row_product %h1, %m1 : tensor<512xbf16>, tensor<512x256xbf16> -> tensor<256xf32>
    %t2 = math.tanh %p1 : tensor<256xf32>
    %h2 = arith.truncf %t2 : tensor<256xf32> to tensor<256xbf16>
    %p2 = sinter.row_product %h2, %m2 : tensor<256xbf16>, tensor<256x128xbf16> -> tensor<128xf32>
    %z = arith.truncf %p2 : tensor<128xf32> to tensor<128xbf16>
    sinter.yield %z : tensor<128xbf16>
  }
  return %0 : tensor<128x128xbf16>
}

// CHECK-LABEL: func.func @many
//   CHECK-NOT:   cluster
//       CHECK:   kernel = "mma.sync", m = {{64|128}},
func.func @many(%x: tensor<65536x64xbf16>, %w0: tensor<128x64xbf16>, %w1: tensor<128x128xbf16>, %w2: tensor<64x128xbf16>, %y: tensor<65536x64xbf16>) -> tensor<65536x64xbf16> {
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

// RUN: sinter-opt --sinter-arrange --split-input-file %s | FileCheck %s
// RUN: sinter-opt --sinter-arrange=chip=sm_80 --split-input-file %s | FileCheck %s --check-prefix=OTHER
// RUN: not sinter-opt --sinter-arrange=chip=sm_1 %s 2>&1 | FileCheck %s --check-prefix=CHIP
// OTHER-NOT: sinter.rowwise
// CHIP: error: {{.*}}sm_1

// A convolution in PyTorch's layout: channels become the last ones of both sides, and of the sum.

// CHECK-LABEL: func @channels
//  CHECK-SAME:   (%[[X:.+]]: tensor<32x64x56x56xbf16>, %[[W:.+]]: tensor<64x64x3x3xbf16>
//       CHECK:   %[[V:.+]] = sinter.rowwise (d0 = 64, d1 = 3, d2 = 3) by (d3 = 64)
//  CHECK-NEXT:     ins(%[[W]][d0, d3, d1, d2] : tensor<64x64x3x3xbf16>)
//  CHECK-NEXT:     outs(%{{.+}}[d0, d1, d2, d3] : tensor<64x3x3x64xbf16>)
//       CHECK:   %[[Y:.+]] = sinter.rowwise (d0 = 32, d1 = 56, d2 = 56) by (d3 = 64)
//  CHECK-NEXT:     ins(%[[X]][d0, d3, d1, d2] : tensor<32x64x56x56xbf16>)
//       CHECK:   sinter.contract (n = 32, o = 64) by (h = 56, w = 56)
//  CHECK-NEXT:     product (r = 3, s = 3, c = 64) (%[[V]][o, r, s, c] : tensor<64x3x3x64xbf16>, %[[Y]][n, h + r - 1, w + s - 1, c] : tensor<32x56x56x64xbf16> else 0.000000e+00) : f32
func.func @channels(%x: tensor<32x64x56x56xbf16>, %w: tensor<64x64x3x3xbf16>, %e: tensor<32x64x56x56xf32>) -> tensor<32x64x56x56xf32> {
  %0 = sinter.contract (n = 32, o = 64) by (h = 56, w = 56)
      product (c = 64, r = 3, s = 3) (%w[o, c, r, s] : tensor<64x64x3x3xbf16>, %x[n, c, h + r - 1, w + s - 1] : tensor<32x64x56x56xbf16> else 0.0) : f32
      outs(%e[n, o, h, w] : tensor<32x64x56x56xf32>) {
  ^row(%acc: tensor<3136xf32>):
    sinter.yield %acc : tensor<3136xf32>
  }
  return %0 : tensor<32x64x56x56xf32>
}

// -----

// Channels that are nearly whole lines of a slot become that, so that the copy engine takes the windows: 90 grow to
// 128. So do those of an image whose channels are last, where threads would fetch it in pieces of 16 bytes. Of 66 most
// would be zeros.

// CHECK-LABEL: func @whole_lines
//       CHECK:   product (r = 3, s = 3, c = 128) (%{{.+}}[o, r, s, c] : tensor<64x3x3x128xbf16>, %{{.+}}[n, h + r - 1, w + s - 1, c] : tensor<32x56x56x128xbf16> else 0.000000e+00) : f32
func.func @whole_lines(%x: tensor<32x90x56x56xbf16>, %w: tensor<64x90x3x3xbf16>, %e: tensor<32x64x56x56xf32>) -> tensor<32x64x56x56xf32> {
  %0 = sinter.contract (n = 32, o = 64) by (h = 56, w = 56)
      product (c = 90, r = 3, s = 3) (%w[o, c, r, s] : tensor<64x90x3x3xbf16>, %x[n, c, h + r - 1, w + s - 1] : tensor<32x90x56x56xbf16> else 0.0) : f32
      outs(%e[n, o, h, w] : tensor<32x64x56x56xf32>) {
  ^row(%acc: tensor<3136xf32>):
    sinter.yield %acc : tensor<3136xf32>
  }
  return %0 : tensor<32x64x56x56xf32>
}

// CHECK-LABEL: func @last_lines
//       CHECK:   product (r = 7, s = 7, c = 448) (%{{.+}}[n, h + r - 3, w + s - 3, c] : tensor<32x56x56x448xbf16> else 0.000000e+00, %{{.+}}[o, r, s, c] : tensor<192x7x7x448xbf16>) : f32
func.func @last_lines(%x: tensor<32x56x56x440xbf16>, %w: tensor<192x7x7x440xbf16>, %e: tensor<32x56x56x192xf32>) -> tensor<32x56x56x192xf32> {
  %0 = sinter.contract (n = 32, h = 56, w = 56) by (o = 192)
      product (r = 7, s = 7, c = 440) (%x[n, h + r - 3, w + s - 3, c] : tensor<32x56x56x440xbf16> else 0.0, %w[o, r, s, c] : tensor<192x7x7x440xbf16>) : f32
      outs(%e[n, h, w, o] : tensor<32x56x56x192xf32>) {
  ^row(%acc: tensor<192xf32>):
    sinter.yield %acc : tensor<192xf32>
  }
  return %0 : tensor<32x56x56x192xf32>
}

// CHECK-LABEL: func @many_zeros
//       CHECK:   product (r = 3, s = 3, c = 72)
func.func @many_zeros(%x: tensor<32x66x56x56xbf16>, %w: tensor<64x66x3x3xbf16>, %e: tensor<32x64x56x56xf32>) -> tensor<32x64x56x56xf32> {
  %0 = sinter.contract (n = 32, o = 64) by (h = 56, w = 56)
      product (c = 66, r = 3, s = 3) (%w[o, c, r, s] : tensor<64x66x3x3xbf16>, %x[n, c, h + r - 1, w + s - 1] : tensor<32x66x56x56xbf16> else 0.0) : f32
      outs(%e[n, o, h, w] : tensor<32x64x56x56xf32>) {
  ^row(%acc: tensor<3136xf32>):
    sinter.yield %acc : tensor<3136xf32>
  }
  return %0 : tensor<32x64x56x56xf32>
}

// -----

// Three channels become four in both sides: pieces of 8 bytes. Two convolutions of one image read the same copy.

// CHECK-LABEL: func @first_layer
//       CHECK:   product (r = 7, s = 7, c = 4) (%{{.+}}[o, r, s, c] : tensor<64x7x7x4xbf16>, %[[Y:.+]][n, h * 2 + r - 3, w * 2 + s - 3, c] : tensor<32x224x224x4xbf16> else 0.000000e+00) : f32
//       CHECK:   product (r = 7, s = 7, c = 4) (%{{.+}}[o, r, s, c] : tensor<64x7x7x4xbf16>, %[[Y]][n,
func.func @first_layer(%x: tensor<32x3x224x224xbf16>, %w: tensor<64x3x7x7xbf16>, %v: tensor<64x3x7x7xbf16>, %e: tensor<32x64x112x112xf32>) -> (tensor<32x64x112x112xf32>, tensor<32x64x112x112xf32>) {
  %0 = sinter.contract (n = 32, o = 64) by (h = 112, w = 112)
      product (c = 3, r = 7, s = 7) (%w[o, c, r, s] : tensor<64x3x7x7xbf16>, %x[n, c, h * 2 + r - 3, w * 2 + s - 3] : tensor<32x3x224x224xbf16> else 0.0) : f32
      outs(%e[n, o, h, w] : tensor<32x64x112x112xf32>) {
  ^row(%acc: tensor<12544xf32>):
    sinter.yield %acc : tensor<12544xf32>
  }
  %1 = sinter.contract (n = 32, o = 64) by (h = 112, w = 112)
      product (c = 3, r = 7, s = 7) (%v[o, c, r, s] : tensor<64x3x7x7xbf16>, %x[n, c, h * 2 + r - 3, w * 2 + s - 3] : tensor<32x3x224x224xbf16> else 0.0) : f32
      outs(%e[n, o, h, w] : tensor<32x64x112x112xf32>) {
  ^row(%acc: tensor<12544xf32>):
    sinter.yield %acc : tensor<12544xf32>
  }
  return %0, %1 : tensor<32x64x112x112xf32>, tensor<32x64x112x112xf32>
}

// -----

// Lines of odd lengths grow to multiples of 16 bytes. What is summed stays: the copy engine ends there.

// CHECK-LABEL: func @odd_lines
//       CHECK:   %[[A:.+]] = sinter.rowwise (d0 = 4096) by (d1 = 4104)
//  CHECK-NEXT:     ins(%arg0[d0, d1] : tensor<4096x4097xbf16> else 0.000000e+00)
//       CHECK:   product (k = 4097) (%[[A]][i, k] : tensor<4096x4104xbf16>, %arg1[k, j] : tensor<4097x4096xbf16>) : f32
func.func @odd_lines(%x: tensor<4096x4097xbf16>, %w: tensor<4097x4096xbf16>, %e: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  %0 = sinter.contract (i = 4096) by (j = 4096) product (k = 4097) (%x[i, k] : tensor<4096x4097xbf16>, %w[k, j] : tensor<4097x4096xbf16>) : f32
      outs(%e[i, j] : tensor<4096x4096xf32>) {
  ^row(%acc: tensor<4096xf32>):
    sinter.yield %acc : tensor<4096xf32>
  }
  return %0 : tensor<4096x4096xf32>
}

// -----

// Columns of odd lengths, which nobody sums.

// CHECK-LABEL: func @odd_columns
//       CHECK:   product (k = 4096) (%arg0[i, k] : tensor<4096x4096xbf16>, %{{.+}}[k, j] : tensor<4096x4104xbf16>) : f32
func.func @odd_columns(%x: tensor<4096x4096xbf16>, %w: tensor<4096x4097xbf16>, %e: tensor<4096x4097xf32>) -> tensor<4096x4097xf32> {
  %0 = sinter.contract (i = 4096) by (j = 4097) product (k = 4096) (%x[i, k] : tensor<4096x4096xbf16>, %w[k, j] : tensor<4096x4097xbf16>) : f32
      outs(%e[i, j] : tensor<4096x4097xf32>) {
  ^row(%acc: tensor<4097xf32>):
    sinter.yield %acc : tensor<4097xf32>
  }
  return %0 : tensor<4096x4097xf32>
}

// -----

// A window of 34 channels would come in pieces of 4 bytes, each found by itself: both sides have 40. Two
// images are too little for that.

// CHECK-LABEL: func @small_pieces
//       CHECK:   sinter.rowwise (d0 = 40, d1 = 19, d2 = 19) by (d3 = 40)
//  CHECK-NEXT:     ins(%arg0[d0, d1, d2, d3] : tensor<40x19x19x34xbf16> else 0.000000e+00)
//       CHECK:   sinter.rowwise (d0 = 168, d1 = 3, d2 = 3) by (d3 = 40)
//       CHECK:   product (r = 3, s = 3, c = 40) (%{{.+}}[n, y + r, x + s, c] : tensor<40x19x19x40xbf16>, %{{.+}}[o, r, s, c] : tensor<168x3x3x40xbf16>) : f32
//       CHECK:   product (r = 3, s = 3, c = 34) (%arg2[n, y + r, x + s, c] : tensor<2x19x19x34xbf16>, %arg1[o, r, s, c] : tensor<168x3x3x34xbf16>) : f32
func.func @small_pieces(%x: tensor<40x19x19x34xbf16>, %w: tensor<168x3x3x34xbf16>, %u: tensor<2x19x19x34xbf16>, %e: tensor<40x17x17x168xf32>, %f: tensor<2x17x17x168xf32>) -> (tensor<40x17x17x168xf32>, tensor<2x17x17x168xf32>) {
  %0 = sinter.contract (n = 40, y = 17, x = 17) by (o = 168)
      product (r = 3, s = 3, c = 34) (%x[n, y + r, x + s, c] : tensor<40x19x19x34xbf16>, %w[o, r, s, c] : tensor<168x3x3x34xbf16>) : f32
      outs(%e[n, y, x, o] : tensor<40x17x17x168xf32>) {
  ^row(%acc: tensor<168xf32>):
    sinter.yield %acc : tensor<168xf32>
  }
  %1 = sinter.contract (n = 2, y = 17, x = 17) by (o = 168)
      product (r = 3, s = 3, c = 34) (%u[n, y + r, x + s, c] : tensor<2x19x19x34xbf16>, %w[o, r, s, c] : tensor<168x3x3x34xbf16>) : f32
      outs(%f[n, y, x, o] : tensor<2x17x17x168xf32>) {
  ^row(%acc: tensor<168xf32>):
    sinter.yield %acc : tensor<168xf32>
  }
  return %0, %1 : tensor<40x17x17x168xf32>, tensor<2x17x17x168xf32>
}

// -----

// Lines that threads would copy by 8 bytes are written where many tiles read them again. Beside 128 columns rows are
// read once, and stay.

// CHECK-LABEL: func @large_lines
//       CHECK:   %[[X:.+]] = sinter.rowwise (d0 = 12800) by (d1 = 5416)
//       CHECK:   %[[W:.+]] = sinter.rowwise (d0 = 3520) by (d1 = 5416)
//       CHECK:   product (k = 5412) (%[[X]][i, k] : tensor<12800x5416xbf16>, %[[W]][j, k] : tensor<3520x5416xbf16>) : f32
//       CHECK:   %[[V:.+]] = sinter.rowwise (d0 = 128) by (d1 = 5416)
//       CHECK:   product (k = 5412) (%arg0[i, k] : tensor<12800x5412xbf16>, %[[V]][j, k] : tensor<128x5416xbf16>) : f32
func.func @large_lines(%x: tensor<12800x5412xbf16>, %w: tensor<3520x5412xbf16>, %v: tensor<128x5412xbf16>, %e: tensor<12800x3520xf32>, %d: tensor<12800x128xf32>) -> (tensor<12800x3520xf32>, tensor<12800x128xf32>) {
  %0 = sinter.contract (i = 12800) by (j = 3520) product (k = 5412) (%x[i, k] : tensor<12800x5412xbf16>, %w[j, k] : tensor<3520x5412xbf16>) : f32
      outs(%e[i, j] : tensor<12800x3520xf32>) {
  ^row(%acc: tensor<3520xf32>):
    sinter.yield %acc : tensor<3520xf32>
  }
  %1 = sinter.contract (i = 12800) by (j = 128) product (k = 5412) (%x[i, k] : tensor<12800x5412xbf16>, %v[j, k] : tensor<128x5412xbf16>) : f32
      outs(%d[i, j] : tensor<12800x128xf32>) {
  ^row(%acc: tensor<128xf32>):
    sinter.yield %acc : tensor<128xf32>
  }
  return %0, %1 : tensor<12800x3520xf32>, tensor<12800x128xf32>
}

// -----

// Little work, which one more launch would not pay for; lines that threads copy by 8 bytes; one channel; f32, which
// wgmma does not multiply; a size `?`.

// CHECK-LABEL: func @stay
//   CHECK-NOT:   sinter.rowwise
func.func @stay(%x: tensor<33x77xbf16>, %w: tensor<55x77xbf16>, %e: tensor<33x55xf32>, %p: tensor<512x4100xbf16>, %d: tensor<4096x4096xf32>, %g: tensor<512x512xf32>,
    %i: tensor<32x1x224x224xbf16>, %k: tensor<64x1x7x7xbf16>, %o: tensor<32x64x112x112xf32>, %f: tensor<4096x4097xf32>, %u: tensor<?x4097xbf16>, %v: tensor<?x4096xf32>)
    -> (tensor<33x55xf32>, tensor<512x512xf32>, tensor<32x64x112x112xf32>, tensor<4096x4096xf32>, tensor<?x4096xf32>) {
  %0 = sinter.contract (i = 33) by (j = 55) product (k = 77) (%x[i, k] : tensor<33x77xbf16>, %w[j, k] : tensor<55x77xbf16>) : f32
      outs(%e[i, j] : tensor<33x55xf32>) {
  ^row(%acc: tensor<55xf32>):
    sinter.yield %acc : tensor<55xf32>
  }
  %1 = sinter.contract (i = 512) by (j = 512) product (k = 4100) (%p[i, k] : tensor<512x4100xbf16>, %p[j, k] : tensor<512x4100xbf16>) : f32
      outs(%g[i, j] : tensor<512x512xf32>) {
  ^row(%acc: tensor<512xf32>):
    sinter.yield %acc : tensor<512xf32>
  }
  %2 = sinter.contract (n = 32, o = 64) by (h = 112, w = 112)
      product (c = 1, r = 7, s = 7) (%k[o, c, r, s] : tensor<64x1x7x7xbf16>, %i[n, c, h * 2 + r - 3, w * 2 + s - 3] : tensor<32x1x224x224xbf16> else 0.0) : f32
      outs(%o[n, o, h, w] : tensor<32x64x112x112xf32>) {
  ^row(%acc: tensor<12544xf32>):
    sinter.yield %acc : tensor<12544xf32>
  }
  %3 = sinter.contract (i = 4096) by (j = 4096) product (k = 4097) (%f[i, k] : tensor<4096x4097xf32>, %f[j, k] : tensor<4096x4097xf32>) : f32
      outs(%d[i, j] : tensor<4096x4096xf32>) {
  ^row(%acc: tensor<4096xf32>):
    sinter.yield %acc : tensor<4096xf32>
  }
  %4 = sinter.contract (i = ?) by (j = 4096) product (k = 4097) (%u[i, k] : tensor<?x4097xbf16>, %u[j, k] : tensor<?x4097xbf16>) : f32
      outs(%v[i, j] : tensor<?x4096xf32>) {
  ^row(%acc: tensor<4096xf32>):
    sinter.yield %acc : tensor<4096xf32>
  }
  return %0, %1, %2, %3, %4 : tensor<33x55xf32>, tensor<512x512xf32>, tensor<32x64x112x112xf32>, tensor<4096x4096xf32>, tensor<?x4096xf32>
}

// -----

// Windows of f32 are multiplied by ordinary arithmetic: channels become the last ones so that threads read vectors. A
// small one is not worth two launches, one whose threads read vectors stays.

// CHECK-LABEL: func @windows_f32
//       CHECK:   sinter.rowwise (d0 = 113, d1 = 5, d2 = 5) by (d3 = 392)
//       CHECK:   sinter.rowwise (d0 = 31, d1 = 23, d2 = 23) by (d3 = 392)
//       CHECK:   product (r = 5, s = 5, c = 392) (%{{.+}}[o, r, s, c] : tensor<113x5x5x392xf32>, %{{.+}}[n, h + r - 2, w + s - 2, c] : tensor<31x23x23x392xf32> else 0.000000e+00) : f32
// CHECK-LABEL: func @small_windows_f32
//   CHECK-NOT:   sinter.rowwise
// CHECK-LABEL: func @windows_of_vectors
//   CHECK-NOT:   sinter.rowwise
func.func @windows_f32(%x: tensor<31x392x23x23xf32>, %w: tensor<113x392x5x5xf32>, %e: tensor<31x113x23x23xf32>) -> tensor<31x113x23x23xf32> {
  %0 = sinter.contract (n = 31, o = 113) by (h = 23, w = 23)
      product (c = 392, r = 5, s = 5) (%w[o, c, r, s] : tensor<113x392x5x5xf32>, %x[n, c, h + r - 2, w + s - 2] : tensor<31x392x23x23xf32> else 0.0) : f32
      outs(%e[n, o, h, w] : tensor<31x113x23x23xf32>) {
  ^row(%acc: tensor<529xf32>):
    sinter.yield %acc : tensor<529xf32>
  }
  return %0 : tensor<31x113x23x23xf32>
}
func.func @small_windows_f32(%x: tensor<2x64x9x9xf32>, %w: tensor<32x64x3x3xf32>, %e: tensor<2x32x9x9xf32>) -> tensor<2x32x9x9xf32> {
  %0 = sinter.contract (n = 2, o = 32) by (h = 9, w = 9)
      product (c = 64, r = 3, s = 3) (%w[o, c, r, s] : tensor<32x64x3x3xf32>, %x[n, c, h + r - 1, w + s - 1] : tensor<2x64x9x9xf32> else 0.0) : f32
      outs(%e[n, o, h, w] : tensor<2x32x9x9xf32>) {
  ^row(%acc: tensor<81xf32>):
    sinter.yield %acc : tensor<81xf32>
  }
  return %0 : tensor<2x32x9x9xf32>
}
func.func @windows_of_vectors(%x: tensor<31x23x23x392xf32>, %w: tensor<113x5x5x392xf32>, %e: tensor<31x113x23x23xf32>) -> tensor<31x113x23x23xf32> {
  %0 = sinter.contract (n = 31, o = 113) by (h = 23, w = 23)
      product (r = 5, s = 5, c = 392) (%w[o, r, s, c] : tensor<113x5x5x392xf32>, %x[n, h + r - 2, w + s - 2, c] : tensor<31x23x23x392xf32> else 0.0) : f32
      outs(%e[n, o, h, w] : tensor<31x113x23x23xf32>) {
  ^row(%acc: tensor<529xf32>):
    sinter.yield %acc : tensor<529xf32>
  }
  return %0 : tensor<31x113x23x23xf32>
}

// -----

// So do lines of what is multiplied a piece of its columns at a time, and zeros behind their end are read as before.

// CHECK-LABEL: func @pieces
//       CHECK:   %[[W:.+]] = sinter.rowwise (d0 = 2272) by (d1 = 312)
//       CHECK:   product (k = 2272) (%{{.+}}[i, k] : tensor<700x2272xbf16>, %[[W]][k, p * 192 + j] : tensor<2272x312xbf16> else 0.000000e+00) : f32
func.func @pieces(%x: tensor<700x2272xbf16>, %w: tensor<2272x309xbf16>, %e: tensor<2x700xf32>) -> tensor<2x700xf32> {
  %0 = sinter.contract (i = 700, p = 2) by (j = 192)
      product (k = 2272) (%x[i, k] : tensor<700x2272xbf16>, %w[k, p * 192 + j] : tensor<2272x309xbf16> else 0.0) : f32
      outs(%e[p, i] : tensor<2x700xf32>) {
  ^row(%acc: tensor<192xf32>):
    %m = sinter.row_reduce maximumf %acc : tensor<192xf32> -> f32
    sinter.yield %m : f32
  }
  return %0 : tensor<2x700xf32>
}

// -----

// Few filters read each element once, by mma.sync. Where these are many and tiles few, writing the image first, and
// reading 16 bytes of its channels at a time, is less. A small image stays, and one that has many tiles.

// CHECK-LABEL: func @few_filters
//       CHECK:   sinter.rowwise (d0 = 8, d1 = 7, d2 = 7) by (d3 = 40)
//       CHECK:   sinter.rowwise (d0 = 2, d1 = 106, d2 = 106) by (d3 = 40)
//       CHECK:   product (r = 7, s = 7, c = 40)
// CHECK-LABEL: func @few_small_filters
//   CHECK-NOT:   sinter.rowwise
// CHECK-LABEL: func @few_filters_of_many_images
//   CHECK-NOT:   sinter.rowwise
func.func @few_filters(%x: tensor<2x40x106x106xbf16>, %w: tensor<8x40x7x7xbf16>, %e: tensor<2x8x100x100xf32>) -> tensor<2x8x100x100xf32> {
  %0 = sinter.contract (n = 2, o = 8) by (y = 100, x = 100)
      product (c = 40, r = 7, s = 7) (%w[o, c, r, s] : tensor<8x40x7x7xbf16>, %x[n, c, y + r, x + s] : tensor<2x40x106x106xbf16>) : f32
      outs(%e[n, o, y, x] : tensor<2x8x100x100xf32>) {
  ^row(%acc: tensor<10000xf32>):
    sinter.yield %acc : tensor<10000xf32>
  }
  return %0 : tensor<2x8x100x100xf32>
}
func.func @few_small_filters(%x: tensor<2x24x106x106xbf16>, %w: tensor<8x24x3x3xbf16>, %e: tensor<2x8x104x104xf32>) -> tensor<2x8x104x104xf32> {
  %0 = sinter.contract (n = 2, o = 8) by (y = 104, x = 104)
      product (c = 24, r = 3, s = 3) (%w[o, c, r, s] : tensor<8x24x3x3xbf16>, %x[n, c, y + r, x + s] : tensor<2x24x106x106xbf16>) : f32
      outs(%e[n, o, y, x] : tensor<2x8x104x104xf32>) {
  ^row(%acc: tensor<10816xf32>):
    sinter.yield %acc : tensor<10816xf32>
  }
  return %0 : tensor<2x8x104x104xf32>
}
func.func @few_filters_of_many_images(%x: tensor<8x40x106x106xbf16>, %w: tensor<8x40x7x7xbf16>, %e: tensor<8x8x100x100xf32>) -> tensor<8x8x100x100xf32> {
  %0 = sinter.contract (n = 8, o = 8) by (y = 100, x = 100)
      product (c = 40, r = 7, s = 7) (%w[o, c, r, s] : tensor<8x40x7x7xbf16>, %x[n, c, y + r, x + s] : tensor<8x40x106x106xbf16>) : f32
      outs(%e[n, o, y, x] : tensor<8x8x100x100xf32>) {
  ^row(%acc: tensor<10000xf32>):
    sinter.yield %acc : tensor<10000xf32>
  }
  return %0 : tensor<8x8x100x100xf32>
}

// -----

// Few rows by weights of odd lines: these are written once, as each element that a thread moves by itself takes long.

// CHECK-LABEL: func @few_rows
//       CHECK:   sinter.rowwise (d0 = 749) by (d1 = 6144)
//       CHECK:   sinter.contract (i = 34) by (j = 6143)
//  CHECK-NEXT:     tensor<749x6144xf16>
func.func @few_rows(%x: tensor<34x749xf16>, %w: tensor<749x6143xf16>, %e: tensor<34x6143xf32>) -> tensor<34x6143xf32> {
  %0 = sinter.contract (i = 34) by (j = 6143)
      product (k = 749) (%x[i, k] : tensor<34x749xf16>, %w[k, j] : tensor<749x6143xf16>) : f32
      outs(%e[i, j] : tensor<34x6143xf32>) {
  ^row(%acc: tensor<6143xf32>):
    sinter.yield %acc : tensor<6143xf32>
  }
  return %0 : tensor<34x6143xf32>
}

// -----

// Few rows by lines along the sum that begin anywhere: these are streamed as they lie (lowering/facts/gpu_streams.h).

// CHECK-LABEL: func @odd_lines_of_few_rows
//   CHECK-NOT:   sinter.rowwise
//       CHECK:   sinter.contract (i = 6) by (j = 2816)
func.func @odd_lines_of_few_rows(%x: tensor<6x7475xbf16>, %w: tensor<2816x7475xbf16>, %e: tensor<6x2816xf32>) -> tensor<6x2816xf32> {
  %0 = sinter.contract (i = 6) by (j = 2816)
      product (k = 7475) (%x[i, k] : tensor<6x7475xbf16>, %w[j, k] : tensor<2816x7475xbf16>) : f32
      outs(%e[i, j] : tensor<6x2816xf32>) {
  ^row(%acc: tensor<2816xf32>):
    sinter.yield %acc : tensor<2816xf32>
  }
  return %0 : tensor<6x2816xf32>
}

// -----

// A convolution in steps of two that reads every second line and column: the others are not written. Its taps are
// dilated by two as well, and one point that is not (r) stays in the subscript.

// CHECK-LABEL: func @every_second
//       CHECK:   sinter.rowwise (d0 = 8, d1 = 56, d2 = 41, d3 = 40) by (d4 = 8)
//  CHECK-NEXT:     ins(%{{.+}}[d0, d1 * 8 + d4, d2 * 2, d3 * 2] : tensor<8x448x81x80xbf16>)
//       CHECK:   tensor<8x41x40x448xbf16>
//       CHECK:   %{{.+}}[n, y + r, x + s - 1, c] : tensor<8x41x40x448xbf16> else
func.func @every_second(%x: tensor<8x448x81x80xbf16>, %w: tensor<158x448x1x3xbf16>, %e: tensor<8x158x41x40xf32>) -> tensor<8x158x41x40xf32> {
  %0 = sinter.contract (n = 8, o = 158) by (y = 41, x = 40)
      product (c = 448, r = 1, s = 3) (%w[o, c, r, s] : tensor<158x448x1x3xbf16>, %x[n, c, y * 2 + r, x * 2 + s * 2 - 2] : tensor<8x448x81x80xbf16> else 0.0) : f32
      outs(%e[n, o, y, x] : tensor<8x158x41x40xf32>) {
  ^row(%acc: tensor<1640xf32>):
    sinter.yield %acc : tensor<1640xf32>
  }
  return %0 : tensor<8x158x41x40xf32>
}

// -----

// Few rows [k, i] are written along the sum where that makes their weights a stream; not by few weights, nor many rows,
// nor where weights come in pieces of 8 bytes.

// CHECK-LABEL: func @few_rows_of_a_stream
//       CHECK:   %[[X:.+]] = sinter.rowwise (d0 = 3) by (d1 = 1376)
//  CHECK-NEXT:     ins(%{{.+}}[d1, d0] : tensor<1376x3xbf16>)
//       CHECK:   product (k = 1376) (%[[X]][i, k] : tensor<3x1376xbf16>, %{{.+}}[j, k] : tensor<5056x1376xbf16>) : f32
// CHECK-LABEL: func @few_rows_of_odd_lines
//       CHECK:   product (k = 1377) (%{{.+}}[i, k] : tensor<3x1377xbf16>, %{{.+}}[j, k] : tensor<5056x1377xbf16>) : f32
// CHECK-LABEL: func @few_rows_of_little
//   CHECK-NOT:   sinter.rowwise
//       CHECK:   product (k = 1376) (%{{.+}}[k, i] : tensor<1376x3xbf16>,
// CHECK-LABEL: func @more_rows
//       CHECK:   product (k = 1376) (%{{.+}}[i, k] : tensor<24x1376xbf16>,
// CHECK-LABEL: func @more_rows_of_pieces
//   CHECK-NOT:   sinter.rowwise
//       CHECK:   product (k = 1376) (%{{.+}}[k, i] : tensor<1376x30xbf16>,
// CHECK-LABEL: func @more_rows_of_odd_lines
//       CHECK:   product (k = 777) (%{{.+}}[i, k] : tensor<33x777xbf16>, %{{.+}}[j, k] : tensor<6000x777xbf16>) : f32
// CHECK-LABEL: func @copied_rows_of_odd_lines
//       CHECK:   product (k = 777) (%{{.+}}[k, i] : tensor<777x40xbf16>, %{{.+}}[j, k] : tensor<6000x784xbf16>) : f32
// CHECK-LABEL: func @few_rows_across
//   CHECK-NOT:   sinter.rowwise
//       CHECK:   product (k = 14442) (%{{.+}}[i, k] : tensor<2x14442xbf16>, %{{.+}}[k, j] : tensor<14442x5057xbf16>) : f32
// CHECK-LABEL: func @few_rows_of_pieces
//       CHECK:   product (k = 700) (%{{.+}}[k, i] : tensor<700x2xbf16>,
func.func @few_rows_of_a_stream(%x: tensor<1376x3xbf16>, %w: tensor<5056x1376xbf16>, %e: tensor<3x5056xbf16>) -> tensor<3x5056xbf16> {
  %0 = sinter.contract (i = 3) by (j = 5056) product (k = 1376) (%x[k, i] : tensor<1376x3xbf16>, %w[j, k] : tensor<5056x1376xbf16>) : f32
      outs(%e[i, j] : tensor<3x5056xbf16>) {
  ^row(%acc: tensor<5056xf32>):
    %y = arith.truncf %acc : tensor<5056xf32> to tensor<5056xbf16>
    sinter.yield %y : tensor<5056xbf16>
  }
  return %0 : tensor<3x5056xbf16>
}
func.func @few_rows_of_odd_lines(%x: tensor<1377x3xbf16>, %w: tensor<5056x1377xbf16>, %e: tensor<3x5056xbf16>) -> tensor<3x5056xbf16> {
  %0 = sinter.contract (i = 3) by (j = 5056) product (k = 1377) (%x[k, i] : tensor<1377x3xbf16>, %w[j, k] : tensor<5056x1377xbf16>) : f32
      outs(%e[i, j] : tensor<3x5056xbf16>) {
  ^row(%acc: tensor<5056xf32>):
    %y = arith.truncf %acc : tensor<5056xf32> to tensor<5056xbf16>
    sinter.yield %y : tensor<5056xbf16>
  }
  return %0 : tensor<3x5056xbf16>
}
func.func @few_rows_of_little(%x: tensor<1376x3xbf16>, %w: tensor<600x1376xbf16>, %e: tensor<3x600xbf16>) -> tensor<3x600xbf16> {
  %0 = sinter.contract (i = 3) by (j = 600) product (k = 1376) (%x[k, i] : tensor<1376x3xbf16>, %w[j, k] : tensor<600x1376xbf16>) : f32
      outs(%e[i, j] : tensor<3x600xbf16>) {
  ^row(%acc: tensor<600xf32>):
    %y = arith.truncf %acc : tensor<600xf32> to tensor<600xbf16>
    sinter.yield %y : tensor<600xbf16>
  }
  return %0 : tensor<3x600xbf16>
}
func.func @more_rows(%x: tensor<1376x24xbf16>, %w: tensor<5056x1376xbf16>, %e: tensor<24x5056xbf16>) -> tensor<24x5056xbf16> {
  %0 = sinter.contract (i = 24) by (j = 5056) product (k = 1376) (%x[k, i] : tensor<1376x24xbf16>, %w[j, k] : tensor<5056x1376xbf16>) : f32
      outs(%e[i, j] : tensor<24x5056xbf16>) {
  ^row(%acc: tensor<5056xf32>):
    %y = arith.truncf %acc : tensor<5056xf32> to tensor<5056xbf16>
    sinter.yield %y : tensor<5056xbf16>
  }
  return %0 : tensor<24x5056xbf16>
}
func.func @more_rows_of_pieces(%x: tensor<1376x30xbf16>, %w: tensor<5056x1376xbf16>, %e: tensor<30x5056xbf16>) -> tensor<30x5056xbf16> {
  %0 = sinter.contract (i = 30) by (j = 5056) product (k = 1376) (%x[k, i] : tensor<1376x30xbf16>, %w[j, k] : tensor<5056x1376xbf16>) : f32
      outs(%e[i, j] : tensor<30x5056xbf16>) {
  ^row(%acc: tensor<5056xf32>):
    %y = arith.truncf %acc : tensor<5056xf32> to tensor<5056xbf16>
    sinter.yield %y : tensor<5056xbf16>
  }
  return %0 : tensor<30x5056xbf16>
}
func.func @more_rows_of_odd_lines(%x: tensor<777x33xbf16>, %w: tensor<6000x777xbf16>, %e: tensor<33x6000xbf16>) -> tensor<33x6000xbf16> {
  %0 = sinter.contract (i = 33) by (j = 6000) product (k = 777) (%x[k, i] : tensor<777x33xbf16>, %w[j, k] : tensor<6000x777xbf16>) : f32
      outs(%e[i, j] : tensor<33x6000xbf16>) {
  ^row(%acc: tensor<6000xf32>):
    %y = arith.truncf %acc : tensor<6000xf32> to tensor<6000xbf16>
    sinter.yield %y : tensor<6000xbf16>
  }
  return %0 : tensor<33x6000xbf16>
}
func.func @copied_rows_of_odd_lines(%x: tensor<777x40xbf16>, %w: tensor<6000x777xbf16>, %e: tensor<40x6000xbf16>) -> tensor<40x6000xbf16> {
  %0 = sinter.contract (i = 40) by (j = 6000) product (k = 777) (%x[k, i] : tensor<777x40xbf16>, %w[j, k] : tensor<6000x777xbf16>) : f32
      outs(%e[i, j] : tensor<40x6000xbf16>) {
  ^row(%acc: tensor<6000xf32>):
    %y = arith.truncf %acc : tensor<6000xf32> to tensor<6000xbf16>
    sinter.yield %y : tensor<6000xbf16>
  }
  return %0 : tensor<40x6000xbf16>
}
func.func @few_rows_across(%x: tensor<2x14442xbf16>, %w: tensor<14442x5057xbf16>, %e: tensor<2x5057xbf16>) -> tensor<2x5057xbf16> {
  %0 = sinter.contract (i = 2) by (j = 5057) product (k = 14442) (%x[i, k] : tensor<2x14442xbf16>, %w[k, j] : tensor<14442x5057xbf16>) : f32
      outs(%e[i, j] : tensor<2x5057xbf16>) {
  ^row(%acc: tensor<5057xf32>):
    %y = arith.truncf %acc : tensor<5057xf32> to tensor<5057xbf16>
    sinter.yield %y : tensor<5057xbf16>
  }
  return %0 : tensor<2x5057xbf16>
}
func.func @few_rows_of_pieces(%x: tensor<700x2xbf16>, %w: tensor<9000x700xbf16>, %e: tensor<2x9000xbf16>) -> tensor<2x9000xbf16> {
  %0 = sinter.contract (i = 2) by (j = 9000) product (k = 700) (%x[k, i] : tensor<700x2xbf16>, %w[j, k] : tensor<9000x700xbf16>) : f32
      outs(%e[i, j] : tensor<2x9000xbf16>) {
  ^row(%acc: tensor<9000xf32>):
    %y = arith.truncf %acc : tensor<9000xf32> to tensor<9000xbf16>
    sinter.yield %y : tensor<9000xbf16>
  }
  return %0 : tensor<2x9000xbf16>
}

// RUN: sinter-opt --sinter-split=target=gpu --split-input-file %s | FileCheck %s

// Three long sums: rows have blocks of their own. What was a row of the product is a scalar; a side's program is part
// of the row's.

// CHECK-LABEL: func @gain
//   CHECK-NOT:   sinter.contract
//       CHECK:   sinter.rowwise (i = 3, j = 1) by (k = 6168)
//  CHECK-NEXT:     ins(%{{.+}}[i, k] : tensor<3x6168xf16>, %{{.+}}[k] : tensor<6168xf16>, %{{.+}}[k, j] : tensor<6168x1xf16>, %{{.+}}[j] : tensor<1xf32>)
//  CHECK-NEXT:     outs(%{{.+}}[i, j] : tensor<3x1xf16>)
//  CHECK-NEXT:   ^row(%[[X:.+]]: tensor<6168xf16>, %[[G:.+]]: tensor<6168xf16>, %[[W:.+]]: tensor<6168xf16>, %[[B:.+]]: f32):
//  CHECK-NEXT:     %[[M:.+]] = arith.mulf %[[X]], %[[G]] : tensor<6168xf16>
//  CHECK-NEXT:     %[[A:.+]] = arith.extf %[[M]]
//  CHECK-NEXT:     %[[V:.+]] = arith.extf %[[W]]
//  CHECK-NEXT:     %[[P:.+]] = arith.mulf %[[A]], %[[V]] : tensor<6168xf32>
//  CHECK-NEXT:     %[[S:.+]] = sinter.row_reduce add %[[P]] : tensor<6168xf32> -> f32
//       CHECK:     %[[Z:.+]] = arith.constant 0.000000e+00 : f32
//       CHECK:     %[[Y:.+]] = arith.addf %[[S]], %[[B]] : f32
//       CHECK:     %[[R:.+]] = arith.maximumf %[[Y]], %[[Z]] : f32
//       CHECK:     %[[J:.+]] = sinter.index j : index
//       CHECK:     %[[T:.+]] = arith.truncf
//       CHECK:     sinter.yield %[[T]] : f16
func.func @gain(%x: tensor<3x6168xf16>, %g: tensor<6168xf16>, %w: tensor<6168x1xf16>, %b: tensor<1xf32>, %e: tensor<3x1xf16>) -> tensor<3x1xf16> {
  %0 = sinter.contract (i = 3) by (j = 1)
      product (k = 6168) (side(%x[i, k] : tensor<3x6168xf16>, %g[k] : tensor<6168xf16>) {
  ^side(%v: tensor<6168xf16>, %s: tensor<6168xf16>):
    %m = arith.mulf %v, %s : tensor<6168xf16>
    sinter.yield %m : tensor<6168xf16>
  }, %w[k, j] : tensor<6168x1xf16>) : f32
      ins(%b[j] : tensor<1xf32>) outs(%e[i, j] : tensor<3x1xf16>) {
  ^row(%acc: tensor<1xf32>, %c: tensor<1xf32>):
    %zero = arith.constant 0.0 : f32
    %z = sinter.broadcast %zero : f32 -> tensor<1xf32>
    %y = arith.addf %acc, %c : tensor<1xf32>
    %r = arith.maximumf %y, %z : tensor<1xf32>
    %j = sinter.index j : tensor<1xindex>
    %i = arith.index_cast %j : tensor<1xindex> to tensor<1xi32>
    %f = arith.sitofp %i : tensor<1xi32> to tensor<1xf32>
    %q = arith.addf %r, %f : tensor<1xf32>
    %t = arith.truncf %q : tensor<1xf32> to tensor<1xf16>
    sinter.yield %t : tensor<1xf16>
  }
  return %0 : tensor<3x1xf16>
}

// -----

// CHECK-LABEL: func @columns
//       CHECK:   sinter.rowwise (i = 64, j = 8) by (k = 4096)
//       CHECK:   arith.extsi
//       CHECK:   arith.muli
//       CHECK:   sinter.row_reduce add %{{.+}} : tensor<4096xi32> -> i32
func.func @columns(%x: tensor<64x4096xi8>, %w: tensor<8x4096xi8>, %e: tensor<64x8xi32>) -> tensor<64x8xi32> {
  %0 = sinter.contract (i = 64) by (j = 8) product (k = 4096) (%x[i, k] : tensor<64x4096xi8>, %w[j, k] : tensor<8x4096xi8>) : i32
      outs(%e[i, j] : tensor<64x8xi32>) {
  ^row(%acc: tensor<8xi32>):
    sinter.yield %acc : tensor<8xi32>
  }
  return %0 : tensor<64x8xi32>
}

// -----

// One row by weights [k, j], whose lines of 2002 bytes no copy takes: neighbouring threads have columns.

// CHECK-LABEL: func @across
//   CHECK-NOT:   sinter.contract
//       CHECK:   sinter.rowwise (i = 1, j = 1001) by (k = 4096)
func.func @across(%x: tensor<1x4096xbf16>, %w: tensor<4096x1001xbf16>, %e: tensor<1x1001xf32>) -> tensor<1x1001xf32> {
  %0 = sinter.contract (i = 1) by (j = 1001) product (k = 4096) (%x[i, k] : tensor<1x4096xbf16>, %w[k, j] : tensor<4096x1001xbf16>) : f32
      outs(%e[i, j] : tensor<1x1001xf32>) {
  ^row(%acc: tensor<1001xf32>):
    sinter.yield %acc : tensor<1001xf32>
  }
  return %0 : tensor<1x1001xf32>
}

// -----

// One filter of a few taps: each element is a short sum, and no other reads the filter's line.

// CHECK-LABEL: func @filter
//   CHECK-NOT:   sinter.contract
//       CHECK:   sinter.rowwise (n = 31, o = 1, y = 1139) by (c = 1, r = 3)
func.func @filter(%x: tensor<31x1x1139xbf16>, %w: tensor<1x1x3xbf16>, %e: tensor<31x1x1139xf32>) -> tensor<31x1x1139xf32> {
  %0 = sinter.contract (n = 31, o = 1) by (y = 1139) product (c = 1, r = 3) (%w[o, c, r] : tensor<1x1x3xbf16>, %x[n, c, y + r - 1] : tensor<31x1x1139xbf16> else 0.0) : f32
      outs(%e[n, o, y] : tensor<31x1x1139xf32>) {
  ^row(%acc: tensor<1139xf32>):
    sinter.yield %acc : tensor<1139xf32>
  }
  return %0 : tensor<31x1x1139xf32>
}

// -----

// Too many elements, a short sum of several rows and columns, many of them, a side whose neighbours are not summed in
// lines that copies take, a window of many taps: they stay products.

// CHECK-LABEL: func @stay
// CHECK-COUNT-5: sinter.contract
//   CHECK-NOT:   sinter.rowwise
func.func @stay(%x: tensor<100x4096xbf16>, %w: tensor<8x4096xbf16>, %y: tensor<3x128xbf16>, %v: tensor<2x128xbf16>, %u: tensor<16x4096xbf16>, %t: tensor<4096x64xbf16>, %e: tensor<100x8xf32>, %f: tensor<3x2xf32>, %g: tensor<16x16xf32>, %h: tensor<1x64xf32>, %p: tensor<4x6x20x20xf32>, %q: tensor<6x5x5xf32>, %o: tensor<4x16x16xf32>)
    -> (tensor<100x8xf32>, tensor<3x2xf32>, tensor<16x16xf32>, tensor<1x64xf32>, tensor<4x16x16xf32>) {
  %0 = sinter.contract (i = 100) by (j = 8) product (k = 4096) (%x[i, k] : tensor<100x4096xbf16>, %w[j, k] : tensor<8x4096xbf16>) : f32
      outs(%e[i, j] : tensor<100x8xf32>) {
  ^row(%acc: tensor<8xf32>):
    sinter.yield %acc : tensor<8xf32>
  }
  %1 = sinter.contract (i = 3) by (j = 2) product (k = 128) (%y[i, k] : tensor<3x128xbf16>, %v[j, k] : tensor<2x128xbf16>) : f32
      outs(%f[i, j] : tensor<3x2xf32>) {
  ^row(%acc: tensor<2xf32>):
    sinter.yield %acc : tensor<2xf32>
  }
  %2 = sinter.contract (i = 16) by (j = 16) product (k = 4096) (%u[i, k] : tensor<16x4096xbf16>, %u[j, k] : tensor<16x4096xbf16>) : f32
      outs(%g[i, j] : tensor<16x16xf32>) {
  ^row(%acc: tensor<16xf32>):
    sinter.yield %acc : tensor<16xf32>
  }
  %3 = sinter.contract (i = 1) by (j = 64) product (k = 4096) (%w[i, k] : tensor<8x4096xbf16>, %t[k, j] : tensor<4096x64xbf16>) : f32
      outs(%h[i, j] : tensor<1x64xf32>) {
  ^row(%acc: tensor<64xf32>):
    sinter.yield %acc : tensor<64xf32>
  }
  %4 = sinter.contract (n = 4) by (y = 16, x = 16) product (c = 6, r = 5, s = 5) (%q[c, r, s] : tensor<6x5x5xf32>, %p[n, c, y + r, x + s] : tensor<4x6x20x20xf32>) : f32
      outs(%o[n, y, x] : tensor<4x16x16xf32>) {
  ^row(%acc: tensor<256xf32>):
    sinter.yield %acc : tensor<256xf32>
  }
  return %0, %1, %2, %3, %4 : tensor<100x8xf32>, tensor<3x2xf32>, tensor<16x16xf32>, tensor<1x64xf32>, tensor<4x16x16xf32>
}

// -----

// One filter of many taps along lines of an image of half types: a row's sum would read the image again for each tap.
// Where channels are last, of three taps, and of few elements, rows have sums.

// CHECK-LABEL: func @window
//       CHECK: sinter.contract
//   CHECK-NOT: sinter.rowwise
func.func @window(%x: tensor<7x31x40x40xbf16>, %w: tensor<31x7x7xbf16>, %e: tensor<7x34x34xf32>) -> tensor<7x34x34xf32> {
  %0 = sinter.contract (n = 7) by (y = 34, x = 34) product (c = 31, r = 7, s = 7) (%w[c, r, s] : tensor<31x7x7xbf16>, %x[n, c, y + r, x + s] : tensor<7x31x40x40xbf16>) : f32
      outs(%e[n, y, x] : tensor<7x34x34xf32>) {
  ^row(%acc: tensor<1156xf32>):
    sinter.yield %acc : tensor<1156xf32>
  }
  return %0 : tensor<7x34x34xf32>
}

// CHECK-LABEL: func @channels_last
//   CHECK-NOT: sinter.contract
//       CHECK: sinter.rowwise
func.func @channels_last(%x: tensor<7x40x40x31xbf16>, %w: tensor<7x7x31xbf16>, %e: tensor<7x34x34xf32>) -> tensor<7x34x34xf32> {
  %0 = sinter.contract (n = 7) by (y = 34, x = 34) product (r = 7, s = 7, c = 31) (%w[r, s, c] : tensor<7x7x31xbf16>, %x[n, y + r, x + s, c] : tensor<7x40x40x31xbf16>) : f32
      outs(%e[n, y, x] : tensor<7x34x34xf32>) {
  ^row(%acc: tensor<1156xf32>):
    sinter.yield %acc : tensor<1156xf32>
  }
  return %0 : tensor<7x34x34xf32>
}

// CHECK-LABEL: func @three_taps
//   CHECK-NOT: sinter.contract
//       CHECK: sinter.rowwise
func.func @three_taps(%x: tensor<38x256x512xbf16>, %w: tensor<256x3xbf16>, %e: tensor<38x510xf32>) -> tensor<38x510xf32> {
  %0 = sinter.contract (n = 38) by (x = 510) product (c = 256, s = 3) (%w[c, s] : tensor<256x3xbf16>, %x[n, c, x + s] : tensor<38x256x512xbf16>) : f32
      outs(%e[n, x] : tensor<38x510xf32>) {
  ^row(%acc: tensor<510xf32>):
    sinter.yield %acc : tensor<510xf32>
  }
  return %0 : tensor<38x510xf32>
}

// CHECK-LABEL: func @few_elements
//   CHECK-NOT: sinter.contract
//       CHECK: sinter.rowwise
func.func @few_elements(%x: tensor<8x88x13x13xbf16>, %w: tensor<88x5x5xbf16>, %e: tensor<8x9x9xf32>) -> tensor<8x9x9xf32> {
  %0 = sinter.contract (n = 8) by (y = 9, x = 9) product (c = 88, r = 5, s = 5) (%w[c, r, s] : tensor<88x5x5xbf16>, %x[n, c, y + r, x + s] : tensor<8x88x13x13xbf16>) : f32
      outs(%e[n, y, x] : tensor<8x9x9xf32>) {
  ^row(%acc: tensor<81xf32>):
    sinter.yield %acc : tensor<81xf32>
  }
  return %0 : tensor<8x9x9xf32>
}

// -----

// Two rows of f32 read weights [k, j] twice, from the second cache; not three, nor weights that it does not have.

// CHECK-LABEL: func @two_rows
//       CHECK:   sinter.rowwise (h = 33, i = 2, j = 192) by (k = 256)
func.func @two_rows(%x: tensor<33x2x256xf32>, %w: tensor<33x256x192xf32>, %e: tensor<33x2x192xf32>) -> tensor<33x2x192xf32> {
  %0 = sinter.contract (h = 33, i = 2) by (j = 192) product (k = 256) (%x[h, i, k] : tensor<33x2x256xf32>, %w[h, k, j] : tensor<33x256x192xf32>) : f32
      outs(%e[h, i, j] : tensor<33x2x192xf32>) {
  ^row(%acc: tensor<192xf32>):
    sinter.yield %acc : tensor<192xf32>
  }
  return %0 : tensor<33x2x192xf32>
}

// CHECK-LABEL: func @three_rows
//       CHECK:   sinter.contract (h = 33, i = 3)
func.func @three_rows(%x: tensor<33x3x256xf32>, %w: tensor<33x256x192xf32>, %e: tensor<33x3x192xf32>) -> tensor<33x3x192xf32> {
  %0 = sinter.contract (h = 33, i = 3) by (j = 192) product (k = 256) (%x[h, i, k] : tensor<33x3x256xf32>, %w[h, k, j] : tensor<33x256x192xf32>) : f32
      outs(%e[h, i, j] : tensor<33x3x192xf32>) {
  ^row(%acc: tensor<192xf32>):
    sinter.yield %acc : tensor<192xf32>
  }
  return %0 : tensor<33x3x192xf32>
}

// CHECK-LABEL: func @large_twice
//       CHECK:   sinter.contract (i = 2)
func.func @large_twice(%x: tensor<2x1024xf32>, %w: tensor<1024x8192xf32>, %e: tensor<2x8192xf32>) -> tensor<2x8192xf32> {
  %0 = sinter.contract (i = 2) by (j = 8192) product (k = 1024) (%x[i, k] : tensor<2x1024xf32>, %w[k, j] : tensor<1024x8192xf32>) : f32
      outs(%e[i, j] : tensor<2x8192xf32>) {
  ^row(%acc: tensor<8192xf32>):
    sinter.yield %acc : tensor<8192xf32>
  }
  return %0 : tensor<2x8192xf32>
}

// -----

// One column by rows that lie together, in lines that copies take: where that is little, it is rows.

// CHECK-LABEL: func @little_column
//       CHECK:   sinter.rowwise (i = 176, j = 1) by (k = 165)
func.func @little_column(%x: tensor<165x176xbf16>, %w: tensor<1x165xbf16>, %e: tensor<176x1xf32>) -> tensor<176x1xf32> {
  %0 = sinter.contract (i = 176) by (j = 1) product (k = 165) (%x[k, i] : tensor<165x176xbf16>, %w[j, k] : tensor<1x165xbf16>) : f32
      outs(%e[i, j] : tensor<176x1xf32>) {
  ^row(%acc: tensor<1xf32>):
    sinter.yield %acc : tensor<1xf32>
  }
  return %0 : tensor<176x1xf32>
}

// CHECK-LABEL: func @large_column
//       CHECK:   sinter.contract (i = 4096)
func.func @large_column(%x: tensor<1024x4096xbf16>, %w: tensor<1x1024xbf16>, %e: tensor<4096x1xf32>) -> tensor<4096x1xf32> {
  %0 = sinter.contract (i = 4096) by (j = 1) product (k = 1024) (%x[k, i] : tensor<1024x4096xbf16>, %w[j, k] : tensor<1x1024xbf16>) : f32
      outs(%e[i, j] : tensor<4096x1xf32>) {
  ^row(%acc: tensor<1xf32>):
    sinter.yield %acc : tensor<1xf32>
  }
  return %0 : tensor<4096x1xf32>
}

// -----

// Two products of one column (a gate) are two sums of each row; not of several columns, nor of sums that differ.

// CHECK-LABEL: func @gate_of_one_column
//       CHECK:   sinter.rowwise (i = 6161, j = 1) by (k = 273)
func.func @gate_of_one_column(%x: tensor<6161x273xf32>, %u: tensor<1x273xf32>, %v: tensor<1x273xf32>, %e: tensor<6161x1xf32>) -> tensor<6161x1xf32> {
  %0 = sinter.contract (i = 6161) by (j = 1)
      product (k = 273) (%x[i, k] : tensor<6161x273xf32>, %u[j, k] : tensor<1x273xf32>) : f32
      product (l = 273) (%x[i, l] : tensor<6161x273xf32>, %v[j, l] : tensor<1x273xf32>) : f32
      outs(%e[i, j] : tensor<6161x1xf32>) {
  ^row(%p: tensor<1xf32>, %q: tensor<1xf32>):
    %m = arith.mulf %p, %q : tensor<1xf32>
    sinter.yield %m : tensor<1xf32>
  }
  return %0 : tensor<6161x1xf32>
}

// CHECK-LABEL: func @gate_of_three_columns
//       CHECK:   sinter.contract (i = 161) by (j = 3)
func.func @gate_of_three_columns(%x: tensor<161x273xf32>, %u: tensor<3x273xf32>, %v: tensor<3x273xf32>, %e: tensor<161x3xf32>) -> tensor<161x3xf32> {
  %0 = sinter.contract (i = 161) by (j = 3)
      product (k = 273) (%x[i, k] : tensor<161x273xf32>, %u[j, k] : tensor<3x273xf32>) : f32
      product (l = 273) (%x[i, l] : tensor<161x273xf32>, %v[j, l] : tensor<3x273xf32>) : f32
      outs(%e[i, j] : tensor<161x3xf32>) {
  ^row(%p: tensor<3xf32>, %q: tensor<3xf32>):
    %m = arith.mulf %p, %q : tensor<3xf32>
    sinter.yield %m : tensor<3xf32>
  }
  return %0 : tensor<161x3xf32>
}

// CHECK-LABEL: func @gate_of_two_sums
//       CHECK:   sinter.contract (i = 6161) by (j = 1)
func.func @gate_of_two_sums(%x: tensor<6161x273xf32>, %u: tensor<1x273xf32>, %v: tensor<1x272xf32>, %e: tensor<6161x1xf32>) -> tensor<6161x1xf32> {
  %0 = sinter.contract (i = 6161) by (j = 1)
      product (k = 273) (%x[i, k] : tensor<6161x273xf32>, %u[j, k] : tensor<1x273xf32>) : f32
      product (l = 272) (%x[i, l] : tensor<6161x273xf32>, %v[j, l] : tensor<1x272xf32>) : f32
      outs(%e[i, j] : tensor<6161x1xf32>) {
  ^row(%p: tensor<1xf32>, %q: tensor<1xf32>):
    %m = arith.mulf %p, %q : tensor<1xf32>
    sinter.yield %m : tensor<1xf32>
  }
  return %0 : tensor<6161x1xf32>
}

// RUN: sinter-opt --sinter-split="target=gpu reasons=true" --split-input-file %s | FileCheck %s
// RUN: sinter-opt --sinter-split="target=gpu reasons=true launches=one" --split-input-file %s | FileCheck %s --check-prefix=SHARED
// RUN: sinter-opt --sinter-split="target=gpu f32-parts=true" --split-input-file %s | FileCheck %s --check-prefix=PARTS
// RUN: sinter-opt --sinter-split="target=gpu parts-from=98304" --split-input-file %s | FileCheck %s --check-prefix=FROM
// RUN: sinter-opt --sinter-split="target=gpu parts-from=98305" --split-input-file %s | FileCheck %s --check-prefix=BELOW
// RUN: sinter-opt --sinter-split --split-input-file %s | FileCheck %s --check-prefix=PLAIN

// Rows that a GPU makes a block of columns at a time, and multiplies again, stay one form. Others are cut, and say why.

// CHECK-LABEL: func.func @stays
//       CHECK:   sinter.contract (h = 4, i = 64) by (j = 96) by (e = 32)
//       CHECK:     matrix (j) to (e)
//   CHECK-NOT:   sinter.rowwise
// SHARED-LABEL: func.func @stays
//       SHARED:   sinter.contract (h = 4, i = 64, part = 6) by (j = 16) by (e = 32)
//       SHARED:   sinter.cut = [{{.*}}"it has few tiles, and in a shared launch its columns are in parts, a tile each"]
func.func @stays(%q: tensor<4x64x32xbf16>, %k: tensor<4x96x32xbf16>, %v: tensor<4x96x32xbf16>, %y: tensor<4x64x32xbf16>) -> tensor<4x64x32xbf16> {
  %0 = sinter.contract (h = 4, i = 64) by (j = 96) by (e = 32)
      product (k = 32) (%q[h, i, k] : tensor<4x64x32xbf16>, %k[h, j, k] : tensor<4x96x32xbf16>) : f32
      matrix (j) to (e) (%v[h, j, e] : tensor<4x96x32xbf16>)
      outs(%y[h, i, e] : tensor<4x64x32xbf16>) {
  ^row(%x: tensor<96xf32>, %m: tensor<96x32xbf16>):
    %max = sinter.row_reduce maximumf %x : tensor<96xf32> -> f32
    %maxs = sinter.broadcast %max : f32 -> tensor<96xf32>
    %less = arith.subf %x, %maxs : tensor<96xf32>
    %ex = math.exp %less : tensor<96xf32>
    %sum = sinter.row_reduce add %ex : tensor<96xf32> -> f32
    %one = arith.constant 1.0 : f32
    %by = arith.divf %one, %sum : f32
    %bys = sinter.broadcast %by : f32 -> tensor<96xf32>
    %w = arith.mulf %ex, %bys : tensor<96xf32>
    %r = arith.truncf %w : tensor<96xf32> to tensor<96xbf16>
    %u = sinter.row_product %r, %m : tensor<96xbf16>, tensor<96x32xbf16> -> tensor<32xf32>
    %z = arith.truncf %u : tensor<32xf32> to tensor<32xbf16>
    sinter.yield %z : tensor<32xbf16>
  }
  return %0 : tensor<4x64x32xbf16>
}

// -----

// CHECK-LABEL: func.func @types
//       CHECK:   sinter.cut = [{{.*}}"tensor cores multiply f32 in parts, unasked only to store no scores where they are many (parts-from)"]
// PARTS-LABEL: func.func @types
//       PARTS:   sinter.contract (h = 4, i = 64) by (j = 96) by (e = 32)
//       PARTS:     matrix (j) to (e)
//       PARTS:   return
// Unasked, f32 stays where its products are so many bytes: 4 * 64 * 96 numbers.
//  FROM-LABEL: func.func @types
//        FROM:     matrix (j) to (e)
// BELOW-LABEL: func.func @types
//   BELOW-NOT:     matrix
//       BELOW:   return
func.func @types(%q: tensor<4x64x32xf32>, %k: tensor<4x96x32xf32>, %v: tensor<4x96x32xf32>, %y: tensor<4x64x32xf32>) -> tensor<4x64x32xf32> {
  %0 = sinter.contract (h = 4, i = 64) by (j = 96) by (e = 32)
      product (k = 32) (%q[h, i, k] : tensor<4x64x32xf32>, %k[h, j, k] : tensor<4x96x32xf32>) : f32
      matrix (j) to (e) (%v[h, j, e] : tensor<4x96x32xf32>)
      outs(%y[h, i, e] : tensor<4x64x32xf32>) {
  ^row(%x: tensor<96xf32>, %m: tensor<96x32xf32>):
    %max = sinter.row_reduce maximumf %x : tensor<96xf32> -> f32
    %maxs = sinter.broadcast %max : f32 -> tensor<96xf32>
    %less = arith.subf %x, %maxs : tensor<96xf32>
    %ex = math.exp %less : tensor<96xf32>
    %sum = sinter.row_reduce add %ex : tensor<96xf32> -> f32
    %one = arith.constant 1.0 : f32
    %by = arith.divf %one, %sum : f32
    %bys = sinter.broadcast %by : f32 -> tensor<96xf32>
    %w = arith.mulf %ex, %bys : tensor<96xf32>
    %u = sinter.row_product %w, %m : tensor<96xf32>, tensor<96x32xf32> -> tensor<32xf32>
    sinter.yield %u : tensor<32xf32>
  }
  return %0 : tensor<4x64x32xf32>
}

// -----

// CHECK-LABEL: func.func @long_sum
//       CHECK:   sinter.cut = [{{.*}}"a product sums more than a block's shared memory holds, or `?` elements"]
func.func @long_sum(%q: tensor<4x64x320xbf16>, %k: tensor<4x96x320xbf16>, %v: tensor<4x96x32xbf16>, %y: tensor<4x64x32xbf16>) -> tensor<4x64x32xbf16> {
  %0 = sinter.contract (h = 4, i = 64) by (j = 96) by (e = 32)
      product (k = 320) (%q[h, i, k] : tensor<4x64x320xbf16>, %k[h, j, k] : tensor<4x96x320xbf16>) : f32
      matrix (j) to (e) (%v[h, j, e] : tensor<4x96x32xbf16>)
      outs(%y[h, i, e] : tensor<4x64x32xbf16>) {
  ^row(%x: tensor<96xf32>, %m: tensor<96x32xbf16>):
    %max = sinter.row_reduce maximumf %x : tensor<96xf32> -> f32
    %maxs = sinter.broadcast %max : f32 -> tensor<96xf32>
    %less = arith.subf %x, %maxs : tensor<96xf32>
    %ex = math.exp %less : tensor<96xf32>
    %sum = sinter.row_reduce add %ex : tensor<96xf32> -> f32
    %one = arith.constant 1.0 : f32
    %by = arith.divf %one, %sum : f32
    %bys = sinter.broadcast %by : f32 -> tensor<96xf32>
    %w = arith.mulf %ex, %bys : tensor<96xf32>
    %r = arith.truncf %w : tensor<96xf32> to tensor<96xbf16>
    %u = sinter.row_product %r, %m : tensor<96xbf16>, tensor<96x32xbf16> -> tensor<32xf32>
    %z = arith.truncf %u : tensor<32xf32> to tensor<32xbf16>
    sinter.yield %z : tensor<32xbf16>
  }
  return %0 : tensor<4x64x32xbf16>
}

// -----

// CHECK-LABEL: func.func @any_sum
//       CHECK:   sinter.cut = [{{.*}}"a product sums more than a block's shared memory holds, or `?` elements"]
func.func @any_sum(%q: tensor<4x64x?xbf16>, %k: tensor<4x96x?xbf16>, %v: tensor<4x96x32xbf16>, %y: tensor<4x64x32xbf16>) -> tensor<4x64x32xbf16> {
  %0 = sinter.contract (h = 4, i = 64) by (j = 96) by (e = 32)
      product (k = ?) (%q[h, i, k] : tensor<4x64x?xbf16>, %k[h, j, k] : tensor<4x96x?xbf16>) : f32
      matrix (j) to (e) (%v[h, j, e] : tensor<4x96x32xbf16>)
      outs(%y[h, i, e] : tensor<4x64x32xbf16>) {
  ^row(%x: tensor<96xf32>, %m: tensor<96x32xbf16>):
    %max = sinter.row_reduce maximumf %x : tensor<96xf32> -> f32
    %maxs = sinter.broadcast %max : f32 -> tensor<96xf32>
    %less = arith.subf %x, %maxs : tensor<96xf32>
    %ex = math.exp %less : tensor<96xf32>
    %sum = sinter.row_reduce add %ex : tensor<96xf32> -> f32
    %one = arith.constant 1.0 : f32
    %by = arith.divf %one, %sum : f32
    %bys = sinter.broadcast %by : f32 -> tensor<96xf32>
    %w = arith.mulf %ex, %bys : tensor<96xf32>
    %r = arith.truncf %w : tensor<96xf32> to tensor<96xbf16>
    %u = sinter.row_product %r, %m : tensor<96xbf16>, tensor<96x32xbf16> -> tensor<32xf32>
    %z = arith.truncf %u : tensor<32xf32> to tensor<32xbf16>
    sinter.yield %z : tensor<32xbf16>
  }
  return %0 : tensor<4x64x32xbf16>
}

// -----

// CHECK-LABEL: func.func @wide
//       CHECK:   sinter.cut = [{{.*}}"its results have more columns than a warp's registers hold, or `?`"]
func.func @wide(%q: tensor<4x64x32xbf16>, %k: tensor<4x96x32xbf16>, %v: tensor<4x96x264xbf16>, %y: tensor<4x64x264xbf16>) -> tensor<4x64x264xbf16> {
  %0 = sinter.contract (h = 4, i = 64) by (j = 96) by (e = 264)
      product (k = 32) (%q[h, i, k] : tensor<4x64x32xbf16>, %k[h, j, k] : tensor<4x96x32xbf16>) : f32
      matrix (j) to (e) (%v[h, j, e] : tensor<4x96x264xbf16>)
      outs(%y[h, i, e] : tensor<4x64x264xbf16>) {
  ^row(%x: tensor<96xf32>, %m: tensor<96x264xbf16>):
    %max = sinter.row_reduce maximumf %x : tensor<96xf32> -> f32
    %maxs = sinter.broadcast %max : f32 -> tensor<96xf32>
    %less = arith.subf %x, %maxs : tensor<96xf32>
    %ex = math.exp %less : tensor<96xf32>
    %sum = sinter.row_reduce add %ex : tensor<96xf32> -> f32
    %one = arith.constant 1.0 : f32
    %by = arith.divf %one, %sum : f32
    %bys = sinter.broadcast %by : f32 -> tensor<96xf32>
    %w = arith.mulf %ex, %bys : tensor<96xf32>
    %r = arith.truncf %w : tensor<96xf32> to tensor<96xbf16>
    %u = sinter.row_product %r, %m : tensor<96xbf16>, tensor<96x264xbf16> -> tensor<264xf32>
    %z = arith.truncf %u : tensor<264xf32> to tensor<264xbf16>
    sinter.yield %z : tensor<264xbf16>
  }
  return %0 : tensor<4x64x264xbf16>
}

// -----

// CHECK-LABEL: func.func @both
//       CHECK:   sinter.cut = [{{.*}}"a product has columns in both of its sides, or in none"]
func.func @both(%q: tensor<4x64x96x32xbf16>, %k: tensor<4x96x32xbf16>, %v: tensor<4x96x32xbf16>, %y: tensor<4x64x32xbf16>) -> tensor<4x64x32xbf16> {
  %0 = sinter.contract (h = 4, i = 64) by (j = 96) by (e = 32)
      product (k = 32) (%q[h, i, j, k] : tensor<4x64x96x32xbf16>, %k[h, j, k] : tensor<4x96x32xbf16>) : f32
      matrix (j) to (e) (%v[h, j, e] : tensor<4x96x32xbf16>)
      outs(%y[h, i, e] : tensor<4x64x32xbf16>) {
  ^row(%x: tensor<96xf32>, %m: tensor<96x32xbf16>):
    %max = sinter.row_reduce maximumf %x : tensor<96xf32> -> f32
    %maxs = sinter.broadcast %max : f32 -> tensor<96xf32>
    %less = arith.subf %x, %maxs : tensor<96xf32>
    %ex = math.exp %less : tensor<96xf32>
    %sum = sinter.row_reduce add %ex : tensor<96xf32> -> f32
    %one = arith.constant 1.0 : f32
    %by = arith.divf %one, %sum : f32
    %bys = sinter.broadcast %by : f32 -> tensor<96xf32>
    %w = arith.mulf %ex, %bys : tensor<96xf32>
    %r = arith.truncf %w : tensor<96xf32> to tensor<96xbf16>
    %u = sinter.row_product %r, %m : tensor<96xbf16>, tensor<96x32xbf16> -> tensor<32xf32>
    %z = arith.truncf %u : tensor<32xf32> to tensor<32xbf16>
    sinter.yield %z : tensor<32xbf16>
  }
  return %0 : tensor<4x64x32xbf16>
}

// -----

// CHECK-LABEL: func.func @whole
//       CHECK:   sinter.cut = [{{.*}}"rows that are multiplied again are needed whole"]
func.func @whole(%q: tensor<4x64x32xbf16>, %k: tensor<4x96x32xbf16>, %v: tensor<4x96x32xbf16>, %y: tensor<4x64x32xbf16>) -> tensor<4x64x32xbf16> {
  %0 = sinter.contract (h = 4, i = 64) by (j = 96) by (e = 32)
      product (k = 32) (%q[h, i, k] : tensor<4x64x32xbf16>, %k[h, j, k] : tensor<4x96x32xbf16>) : f32
      matrix (j) to (e) (%v[h, j, e] : tensor<4x96x32xbf16>)
      outs(%y[h, i, e] : tensor<4x64x32xbf16>) {
  ^row(%x: tensor<96xf32>, %m: tensor<96x32xbf16>):
    %s = sinter.row_reduce add %x : tensor<96xf32> -> f32
    %ss = sinter.broadcast %s : f32 -> tensor<96xf32>
    %w = arith.divf %x, %ss : tensor<96xf32>
    %r = arith.truncf %w : tensor<96xf32> to tensor<96xbf16>
    %u = sinter.row_product %r, %m : tensor<96xbf16>, tensor<96x32xbf16> -> tensor<32xf32>
    %z = arith.truncf %u : tensor<32xf32> to tensor<32xbf16>
    sinter.yield %z : tensor<32xbf16>
  }
  return %0 : tensor<4x64x32xbf16>
}

// -----

// A side that is computed is stored, and what multiplies it stays one kernel.

// CHECK-LABEL: func.func @rotated
//       CHECK:   %[[Q:.+]] = sinter.rowwise (i = 70) by (k = 16)
//       CHECK:   sinter.contract (i = 70) by (j = 90) by (e = 32)
//       CHECK:     product (k = 16) (%[[Q]][i, k] : tensor<70x16xbf16>, %{{.+}}[j, k] : tensor<90x16xbf16>) : f32
//       CHECK:     matrix (j) to (e)
func.func @rotated(%q: tensor<70x16xbf16>, %r: tensor<70x16xbf16>, %k: tensor<90x16xbf16>, %v: tensor<90x32xbf16>,
                   %e: tensor<70x32xbf16>) -> tensor<70x32xbf16> {
  %y = sinter.contract (i = 70) by (j = 90) by (e = 32)
      product (k = 16) (side(%q[i, k] : tensor<70x16xbf16>, %r[i, k] : tensor<70x16xbf16>) {
  ^side(%a: tensor<16xbf16>, %b: tensor<16xbf16>):
    %h = arith.mulf %a, %b : tensor<16xbf16>
    sinter.yield %h : tensor<16xbf16>
  }, %k[j, k] : tensor<90x16xbf16>) : f32
      matrix (j) to (e) (%v[j, e] : tensor<90x32xbf16>)
      outs(%e[i, e] : tensor<70x32xbf16>) {
  ^row(%x: tensor<90xf32>, %m: tensor<90x32xbf16>):
    %max = sinter.row_reduce maximumf %x : tensor<90xf32> -> f32
    %maxs = sinter.broadcast %max : f32 -> tensor<90xf32>
    %less = arith.subf %x, %maxs : tensor<90xf32>
    %ex = math.exp %less : tensor<90xf32>
    %sum = sinter.row_reduce add %ex : tensor<90xf32> -> f32
    %one = arith.constant 1.0 : f32
    %by = arith.divf %one, %sum : f32
    %bys = sinter.broadcast %by : f32 -> tensor<90xf32>
    %w = arith.mulf %ex, %bys : tensor<90xf32>
    %rd = arith.truncf %w : tensor<90xf32> to tensor<90xbf16>
    %u = sinter.row_product %rd, %m : tensor<90xbf16>, tensor<90x32xbf16> -> tensor<32xf32>
    %z = arith.truncf %u : tensor<32xf32> to tensor<32xbf16>
    sinter.yield %z : tensor<32xbf16>
  }
  return %y : tensor<70x32xbf16>
}

// -----

// A matrix that is computed lies as what it is made of does: copies go along memory. What is multiplied by tensor cores
// of two bytes may lie either way; f32 has what is summed side by side, and so has everything where no GPU is named.

// CHECK-LABEL: func.func @appended
//       CHECK:   %[[V:.+]] = sinter.rowwise (e = 32) by (j = 90)
//  CHECK-NEXT:     ins(%{{.+}}[j, e] : tensor<89x32xbf16> else 0.000000e+00, %{{.+}}[j - 89, e] : tensor<1x32xbf16> else 0.000000e+00)
//  CHECK-NEXT:     outs(%{{.+}}[j, e] : tensor<90x32xbf16>)
//       CHECK:   sinter.contract (i = 70) by (e = 32)
//       CHECK:     product (j = 90) (%{{.+}}[i, j] : tensor<70x90xbf16>, %[[V]][j, e] : tensor<90x32xbf16>) : f32
// PLAIN-LABEL: func.func @appended
//       PLAIN:   outs(%{{.+}}[e, j] : tensor<32x90xbf16>)
//       PLAIN:   product (j = 90) (%{{.+}}[i, j] : tensor<70x90xbf16>, %{{.+}}[e, j] : tensor<32x90xbf16>) : f32
func.func @appended(%w: tensor<70x90xbf16>, %v: tensor<89x32xbf16>, %new: tensor<1x32xbf16>, %o: tensor<70x32xf32>)
    -> tensor<70x32xf32> {
  %y = sinter.contract (i = 70) by (e = 32)
      product (j = 90) (%w[i, j] : tensor<70x90xbf16>, side(%v[j, e] : tensor<89x32xbf16> else 0.0,
                                                            %new[j - 89, e] : tensor<1x32xbf16> else 0.0) {
  ^side(%a: tensor<90xbf16>, %b: tensor<90xbf16>):
    %j = sinter.index j : tensor<90xindex>
    %n = arith.constant 89 : index
    %ns = sinter.broadcast %n : index -> tensor<90xindex>
    %old = arith.cmpi ult, %j, %ns : tensor<90xindex>
    %x = arith.select %old, %a, %b : tensor<90xi1>, tensor<90xbf16>
    sinter.yield %x : tensor<90xbf16>
  }) : f32
      outs(%o[i, e] : tensor<70x32xf32>) {
  ^row(%x: tensor<32xf32>):
    sinter.yield %x : tensor<32xf32>
  }
  return %y : tensor<70x32xf32>
}

// -----

// CHECK-LABEL: func.func @appended_f32
//       CHECK:   %[[V:.+]] = sinter.rowwise (e = 32) by (j = 90)
//       CHECK:     outs(%{{.+}}[e, j] : tensor<32x90xf32>)
//       CHECK:     product (j = 90) (%{{.+}}[i, j] : tensor<70x90xf32>, %[[V]][e, j] : tensor<32x90xf32>) : f32
func.func @appended_f32(%w: tensor<70x90xf32>, %v: tensor<90x32xf32>, %o: tensor<70x32xf32>) -> tensor<70x32xf32> {
  %y = sinter.contract (i = 70) by (e = 32)
      product (j = 90) (%w[i, j] : tensor<70x90xf32>, side(%v[j, e] : tensor<90x32xf32>) {
  ^side(%a: tensor<90xf32>):
    %x = math.absf %a : tensor<90xf32>
    sinter.yield %x : tensor<90xf32>
  }) : f32
      outs(%o[i, e] : tensor<70x32xf32>) {
  ^row(%x: tensor<32xf32>):
    sinter.yield %x : tensor<32xf32>
  }
  return %y : tensor<70x32xf32>
}

// -----

// What all heads share in front of rows that nothing reduces is a hidden layer: stored, unless somebody asks for parts.

//  FROM-LABEL: func.func @hidden
//    FROM-NOT:   matrix
//        FROM:   return
// PARTS-LABEL: func.func @hidden
//       PARTS:   matrix (j) to (e)
func.func @hidden(%x: tensor<512x32xf32>, %w: tensor<256x32xf32>, %v: tensor<256x32xf32>, %y: tensor<512x32xf32>) -> tensor<512x32xf32> {
  %0 = sinter.contract (i = 512) by (j = 256) by (e = 32)
      product (k = 32) (%x[i, k] : tensor<512x32xf32>, %w[j, k] : tensor<256x32xf32>) : f32
      matrix (j) to (e) (%v[j, e] : tensor<256x32xf32>)
      outs(%y[i, e] : tensor<512x32xf32>) {
  ^row(%h: tensor<256xf32>, %m: tensor<256x32xf32>):
    %t = math.tanh %h : tensor<256xf32>
    %u = sinter.row_product %t, %m : tensor<256xf32>, tensor<256x32xf32> -> tensor<32xf32>
    sinter.yield %u : tensor<32xf32>
  }
  return %0 : tensor<512x32xf32>
}

// -----

// Where many elements are summed for a score, FMA is faster: 129 of them make 128 times as many bytes few.

//  FROM-LABEL: func.func @large_heads
//    FROM-NOT:   matrix
//        FROM:   return
// PARTS-LABEL: func.func @large_heads
//       PARTS:   matrix (j) to (e)
func.func @large_heads(%q: tensor<4x64x129xf32>, %k: tensor<4x96x129xf32>, %v: tensor<4x96x32xf32>, %y: tensor<4x64x32xf32>) -> tensor<4x64x32xf32> {
  %0 = sinter.contract (h = 4, i = 64) by (j = 96) by (e = 32)
      product (k = 129) (%q[h, i, k] : tensor<4x64x129xf32>, %k[h, j, k] : tensor<4x96x129xf32>) : f32
      matrix (j) to (e) (%v[h, j, e] : tensor<4x96x32xf32>)
      outs(%y[h, i, e] : tensor<4x64x32xf32>) {
  ^row(%x: tensor<96xf32>, %m: tensor<96x32xf32>):
    %t = math.tanh %x : tensor<96xf32>
    %u = sinter.row_product %t, %m : tensor<96xf32>, tensor<96x32xf32> -> tensor<32xf32>
    sinter.yield %u : tensor<32xf32>
  }
  return %0 : tensor<4x64x32xf32>
}

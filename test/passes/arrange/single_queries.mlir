// RUN: sinter-opt --sinter-single-queries --split-input-file %s | FileCheck %s
// RUN: sinter-opt --sinter-single-queries=chip=sm_80 --split-input-file %s | FileCheck %s --check-prefix=OTHER

// Scores, a softmax and values of one query are products with the same rows, those of the values; what a mask says of
// columns stays. Elsewhere than where copies are nothing changes.

// CHECK-LABEL: func.func @groups
//       CHECK:   %[[S:.+]] = sinter.contract (h = 4, [[H:.+]] = 2) by (k = 4096)
//       CHECK:     product (l = 64) (%{{.+}}[h * 2 + [[H]], l] : tensor<8x64xbf16>, %{{.+}}[h, k, l] : tensor<4x4096x64xbf16>) : f32
//       CHECK:     outs(%{{.+}}[h, [[H]], k] : tensor<4x2x4096xf32>)
//       CHECK:     arith.cmpi slt
//       CHECK:   %[[W:.+]] = sinter.rowwise (h = 4, [[H]] = 2) by (j = 4096)
//       CHECK:     ins(%[[S]][h, [[H]], j] : tensor<4x2x4096xf32>)
//       CHECK:     outs(%{{.+}}[h, [[H]], j] : tensor<4x2x4096xbf16>)
//       CHECK:   sinter.contract (i = 4, g = 2) by (e = 64)
//       CHECK:     product (j = 4096) (%[[W]][i, g, j] : tensor<4x2x4096xbf16>, %{{.+}}[i, j, e] :
// OTHER-LABEL: func.func @groups
//       OTHER:   sinter.rowwise (i = 8, k = 4096) by (l = 64)
func.func @groups(%q: tensor<8x64xbf16>, %k: tensor<4x4096x64xbf16>, %v: tensor<4x4096x64xbf16>, %n: tensor<1xi64>) -> tensor<4x2x64xf32> {
  %e0 = tensor.empty() : tensor<8x1x4096xf32>
  %s = sinter.rowwise (i = 8, k = 4096) by (l = 64)
      ins(%q[i, l] : tensor<8x64xbf16>, %k[i floordiv 2, k, l] : tensor<4x4096x64xbf16>, %n[0] : tensor<1xi64>)
      outs(%e0[i, 0, k] : tensor<8x1x4096xf32>) {
  ^row(%a: tensor<64xbf16>, %b: tensor<64xbf16>, %length: i64):
    %x = arith.extf %a : tensor<64xbf16> to tensor<64xf32>
    %y = arith.extf %b : tensor<64xbf16> to tensor<64xf32>
    %xy = arith.mulf %x, %y : tensor<64xf32>
    %sum = sinter.row_reduce add %xy : tensor<64xf32> -> f32
    %at = sinter.index k : index
    %j = arith.index_cast %at : index to i64
    %seen = arith.cmpi slt, %j, %length : i64
    %least = arith.constant 0xFF800000 : f32
    %score = arith.select %seen, %sum, %least : f32
    sinter.yield %score : f32
  }
  %c = tensor.collapse_shape %s [[0], [1, 2]] : tensor<8x1x4096xf32> into tensor<8x4096xf32>
  %e1 = tensor.empty() : tensor<8x4096xbf16>
  %w = sinter.rowwise (i = 8) by (j = 4096) ins(%c[i, j] : tensor<8x4096xf32>) outs(%e1[i, j] : tensor<8x4096xbf16>) {
  ^row(%x: tensor<4096xf32>):
    %m = sinter.row_reduce maximumf %x : tensor<4096xf32> -> f32
    %ms = sinter.broadcast %m : f32 -> tensor<4096xf32>
    %d = arith.subf %x, %ms : tensor<4096xf32>
    %ex = math.exp %d : tensor<4096xf32>
    %r = arith.truncf %ex : tensor<4096xf32> to tensor<4096xbf16>
    sinter.yield %r : tensor<4096xbf16>
  }
  %e2 = tensor.empty() : tensor<4x2x64xf32>
  %u = sinter.contract (i = 4, g = 2) by (e = 64)
      product (j = 4096) (%w[i * 2 + g, j] : tensor<8x4096xbf16>, %v[i, j, e] : tensor<4x4096x64xbf16>) : f32
      outs(%e2[i, g, e] : tensor<4x2x64xf32>) {
  ^row(%x: tensor<64xf32>):
    sinter.yield %x : tensor<64xf32>
  }
  return %u : tensor<4x2x64xf32>
}

// -----

// Values that are rows, too.

// CHECK-LABEL: func.func @heads
//       CHECK:   sinter.contract (h = 8) by (k = 2048)
//       CHECK:   sinter.rowwise (h = 8) by (j = 2048)
//       CHECK:   sinter.contract (i = 8) by (e = 64)
//       CHECK:     product (j = 2048) (%{{.+}}[i, j] : tensor<8x2048xf32>, %{{.+}}[i, j, e] : tensor<8x2048x64xbf16>) : f32

// Few keys, keys in f32, a result that somebody else reads, and a product without heads stay rows.

// CHECK-LABEL: func.func @few
//   CHECK-NOT:   sinter.contract
// CHECK-LABEL: func.func @floats
//   CHECK-NOT:   sinter.contract
// CHECK-LABEL: func.func @read
//   CHECK-NOT:   sinter.contract
// CHECK-LABEL: func.func @no_heads
//   CHECK-NOT:   sinter.contract
func.func @heads(%q: tensor<8x64xbf16>, %k: tensor<8x2048x64xbf16>, %v: tensor<8x2048x64xbf16>) -> tensor<8x64xf32> {
  %e0 = tensor.empty() : tensor<8x2048xf32>
  %s = sinter.rowwise (i = 8, k = 2048) by (l = 64)
      ins(%q[i, l] : tensor<8x64xbf16>, %k[i, k, l] : tensor<8x2048x64xbf16>)
      outs(%e0[i, k] : tensor<8x2048xf32>) {
  ^row(%a: tensor<64xbf16>, %b: tensor<64xbf16>):
    %x = arith.extf %a : tensor<64xbf16> to tensor<64xf32>
    %y = arith.extf %b : tensor<64xbf16> to tensor<64xf32>
    %xy = arith.mulf %x, %y : tensor<64xf32>
    %sum = sinter.row_reduce add %xy : tensor<64xf32> -> f32
    sinter.yield %sum : f32
  }
  %w = sinter.rowwise (i = 8) by (j = 2048) ins(%s[i, j] : tensor<8x2048xf32>) outs(%e0[i, j] : tensor<8x2048xf32>) {
  ^row(%x: tensor<2048xf32>):
    %m = sinter.row_reduce maximumf %x : tensor<2048xf32> -> f32
    %ms = sinter.broadcast %m : f32 -> tensor<2048xf32>
    %d = arith.subf %x, %ms : tensor<2048xf32>
    %ex = math.exp %d : tensor<2048xf32>
    sinter.yield %ex : tensor<2048xf32>
  }
  %e2 = tensor.empty() : tensor<8x64xf32>
  %u = sinter.rowwise (i = 8, e = 64) by (j = 2048)
      ins(%w[i, j] : tensor<8x2048xf32>, %v[i, j, e] : tensor<8x2048x64xbf16>)
      outs(%e2[i, e] : tensor<8x64xf32>) {
  ^row(%a: tensor<2048xf32>, %b: tensor<2048xbf16>):
    %y = arith.extf %b : tensor<2048xbf16> to tensor<2048xf32>
    %xy = arith.mulf %a, %y : tensor<2048xf32>
    %sum = sinter.row_reduce add %xy : tensor<2048xf32> -> f32
    sinter.yield %sum : f32
  }
  return %u : tensor<8x64xf32>
}

func.func @few(%q: tensor<8x64xbf16>, %k: tensor<8x1000x64xbf16>, %v: tensor<8x1000x64xbf16>) -> tensor<8x64xf32> {
  %e0 = tensor.empty() : tensor<8x1000xf32>
  %s = sinter.rowwise (i = 8, k = 1000) by (l = 64)
      ins(%q[i, l] : tensor<8x64xbf16>, %k[i, k, l] : tensor<8x1000x64xbf16>)
      outs(%e0[i, k] : tensor<8x1000xf32>) {
  ^row(%a: tensor<64xbf16>, %b: tensor<64xbf16>):
    %x = arith.extf %a : tensor<64xbf16> to tensor<64xf32>
    %y = arith.extf %b : tensor<64xbf16> to tensor<64xf32>
    %xy = arith.mulf %x, %y : tensor<64xf32>
    %sum = sinter.row_reduce add %xy : tensor<64xf32> -> f32
    sinter.yield %sum : f32
  }
  %w = sinter.rowwise (i = 8) by (j = 1000) ins(%s[i, j] : tensor<8x1000xf32>) outs(%e0[i, j] : tensor<8x1000xf32>) {
  ^row(%x: tensor<1000xf32>):
    %m = sinter.row_reduce maximumf %x : tensor<1000xf32> -> f32
    %ms = sinter.broadcast %m : f32 -> tensor<1000xf32>
    %d = arith.subf %x, %ms : tensor<1000xf32>
    %ex = math.exp %d : tensor<1000xf32>
    sinter.yield %ex : tensor<1000xf32>
  }
  %e2 = tensor.empty() : tensor<8x64xf32>
  %u = sinter.rowwise (i = 8, e = 64) by (j = 1000)
      ins(%w[i, j] : tensor<8x1000xf32>, %v[i, j, e] : tensor<8x1000x64xbf16>)
      outs(%e2[i, e] : tensor<8x64xf32>) {
  ^row(%a: tensor<1000xf32>, %b: tensor<1000xbf16>):
    %y = arith.extf %b : tensor<1000xbf16> to tensor<1000xf32>
    %xy = arith.mulf %a, %y : tensor<1000xf32>
    %sum = sinter.row_reduce add %xy : tensor<1000xf32> -> f32
    sinter.yield %sum : f32
  }
  return %u : tensor<8x64xf32>
}

func.func @floats(%q: tensor<8x64xf32>, %k: tensor<8x2048x64xf32>, %v: tensor<8x2048x64xf32>) -> tensor<8x64xf32> {
  %e0 = tensor.empty() : tensor<8x2048xf32>
  %s = sinter.rowwise (i = 8, k = 2048) by (l = 64)
      ins(%q[i, l] : tensor<8x64xf32>, %k[i, k, l] : tensor<8x2048x64xf32>)
      outs(%e0[i, k] : tensor<8x2048xf32>) {
  ^row(%a: tensor<64xf32>, %b: tensor<64xf32>):
    %xy = arith.mulf %a, %b : tensor<64xf32>
    %sum = sinter.row_reduce add %xy : tensor<64xf32> -> f32
    sinter.yield %sum : f32
  }
  %w = sinter.rowwise (i = 8) by (j = 2048) ins(%s[i, j] : tensor<8x2048xf32>) outs(%e0[i, j] : tensor<8x2048xf32>) {
  ^row(%x: tensor<2048xf32>):
    %m = sinter.row_reduce maximumf %x : tensor<2048xf32> -> f32
    %ms = sinter.broadcast %m : f32 -> tensor<2048xf32>
    %d = arith.subf %x, %ms : tensor<2048xf32>
    %ex = math.exp %d : tensor<2048xf32>
    sinter.yield %ex : tensor<2048xf32>
  }
  %e2 = tensor.empty() : tensor<8x64xf32>
  %u = sinter.rowwise (i = 8, e = 64) by (j = 2048)
      ins(%w[i, j] : tensor<8x2048xf32>, %v[i, j, e] : tensor<8x2048x64xf32>)
      outs(%e2[i, e] : tensor<8x64xf32>) {
  ^row(%a: tensor<2048xf32>, %b: tensor<2048xf32>):
    %xy = arith.mulf %a, %b : tensor<2048xf32>
    %sum = sinter.row_reduce add %xy : tensor<2048xf32> -> f32
    sinter.yield %sum : f32
  }
  return %u : tensor<8x64xf32>
}

func.func @read(%q: tensor<8x64xbf16>, %k: tensor<8x2048x64xbf16>, %v: tensor<8x2048x64xbf16>) -> (tensor<8x64xf32>, tensor<8x2048xf32>) {
  %e0 = tensor.empty() : tensor<8x2048xf32>
  %s = sinter.rowwise (i = 8, k = 2048) by (l = 64)
      ins(%q[i, l] : tensor<8x64xbf16>, %k[i, k, l] : tensor<8x2048x64xbf16>)
      outs(%e0[i, k] : tensor<8x2048xf32>) {
  ^row(%a: tensor<64xbf16>, %b: tensor<64xbf16>):
    %x = arith.extf %a : tensor<64xbf16> to tensor<64xf32>
    %y = arith.extf %b : tensor<64xbf16> to tensor<64xf32>
    %xy = arith.mulf %x, %y : tensor<64xf32>
    %sum = sinter.row_reduce add %xy : tensor<64xf32> -> f32
    sinter.yield %sum : f32
  }
  %w = sinter.rowwise (i = 8) by (j = 2048) ins(%s[i, j] : tensor<8x2048xf32>) outs(%e0[i, j] : tensor<8x2048xf32>) {
  ^row(%x: tensor<2048xf32>):
    %m = sinter.row_reduce maximumf %x : tensor<2048xf32> -> f32
    %ms = sinter.broadcast %m : f32 -> tensor<2048xf32>
    %d = arith.subf %x, %ms : tensor<2048xf32>
    %ex = math.exp %d : tensor<2048xf32>
    sinter.yield %ex : tensor<2048xf32>
  }
  %e2 = tensor.empty() : tensor<8x64xf32>
  %u = sinter.rowwise (i = 8, e = 64) by (j = 2048)
      ins(%w[i, j] : tensor<8x2048xf32>, %v[i, j, e] : tensor<8x2048x64xbf16>)
      outs(%e2[i, e] : tensor<8x64xf32>) {
  ^row(%a: tensor<2048xf32>, %b: tensor<2048xbf16>):
    %y = arith.extf %b : tensor<2048xbf16> to tensor<2048xf32>
    %xy = arith.mulf %a, %y : tensor<2048xf32>
    %sum = sinter.row_reduce add %xy : tensor<2048xf32> -> f32
    sinter.yield %sum : f32
  }
  return %u, %s : tensor<8x64xf32>, tensor<8x2048xf32>
}

func.func @no_heads(%q: tensor<64xbf16>, %k: tensor<16384x64xbf16>, %v: tensor<16384x64xbf16>) -> tensor<64xf32> {
  %e0 = tensor.empty() : tensor<16384xf32>
  %s = sinter.rowwise (k = 16384) by (l = 64)
      ins(%q[l] : tensor<64xbf16>, %k[k, l] : tensor<16384x64xbf16>)
      outs(%e0[k] : tensor<16384xf32>) {
  ^row(%a: tensor<64xbf16>, %b: tensor<64xbf16>):
    %x = arith.extf %a : tensor<64xbf16> to tensor<64xf32>
    %y = arith.extf %b : tensor<64xbf16> to tensor<64xf32>
    %xy = arith.mulf %x, %y : tensor<64xf32>
    %sum = sinter.row_reduce add %xy : tensor<64xf32> -> f32
    sinter.yield %sum : f32
  }
  %w = sinter.rowwise () by (j = 16384) ins(%s[j] : tensor<16384xf32>) outs(%e0[j] : tensor<16384xf32>) {
  ^row(%x: tensor<16384xf32>):
    %m = sinter.row_reduce maximumf %x : tensor<16384xf32> -> f32
    %ms = sinter.broadcast %m : f32 -> tensor<16384xf32>
    %d = arith.subf %x, %ms : tensor<16384xf32>
    %ex = math.exp %d : tensor<16384xf32>
    sinter.yield %ex : tensor<16384xf32>
  }
  %e2 = tensor.empty() : tensor<64xf32>
  %u = sinter.rowwise (e = 64) by (j = 16384)
      ins(%w[j] : tensor<16384xf32>, %v[j, e] : tensor<16384x64xbf16>)
      outs(%e2[e] : tensor<64xf32>) {
  ^row(%a: tensor<16384xf32>, %b: tensor<16384xbf16>):
    %y = arith.extf %b : tensor<16384xbf16> to tensor<16384xf32>
    %xy = arith.mulf %a, %y : tensor<16384xf32>
    %sum = sinter.row_reduce add %xy : tensor<16384xf32> -> f32
    sinter.yield %sum : f32
  }
  return %u : tensor<64xf32>
}

// -----

// Values whose rows are in another order than the weights lie leave all as it is.

// CHECK-LABEL: func.func @turned
//       CHECK:   sinter.rowwise (i = 8, k = 4096) by (l = 64)
func.func @turned(%q: tensor<8x64xbf16>, %k: tensor<4x4096x64xbf16>, %v: tensor<4x4096x64xbf16>, %n: tensor<1xi64>) -> tensor<2x4x64xf32> {
  %e0 = tensor.empty() : tensor<8x1x4096xf32>
  %s = sinter.rowwise (i = 8, k = 4096) by (l = 64)
      ins(%q[i, l] : tensor<8x64xbf16>, %k[i floordiv 2, k, l] : tensor<4x4096x64xbf16>, %n[0] : tensor<1xi64>)
      outs(%e0[i, 0, k] : tensor<8x1x4096xf32>) {
  ^row(%a: tensor<64xbf16>, %b: tensor<64xbf16>, %length: i64):
    %x = arith.extf %a : tensor<64xbf16> to tensor<64xf32>
    %y = arith.extf %b : tensor<64xbf16> to tensor<64xf32>
    %xy = arith.mulf %x, %y : tensor<64xf32>
    %sum = sinter.row_reduce add %xy : tensor<64xf32> -> f32
    %at = sinter.index k : index
    %j = arith.index_cast %at : index to i64
    %seen = arith.cmpi slt, %j, %length : i64
    %least = arith.constant 0xFF800000 : f32
    %score = arith.select %seen, %sum, %least : f32
    sinter.yield %score : f32
  }
  %c = tensor.collapse_shape %s [[0], [1, 2]] : tensor<8x1x4096xf32> into tensor<8x4096xf32>
  %e1 = tensor.empty() : tensor<8x4096xbf16>
  %w = sinter.rowwise (i = 8) by (j = 4096) ins(%c[i, j] : tensor<8x4096xf32>) outs(%e1[i, j] : tensor<8x4096xbf16>) {
  ^row(%x: tensor<4096xf32>):
    %m = sinter.row_reduce maximumf %x : tensor<4096xf32> -> f32
    %ms = sinter.broadcast %m : f32 -> tensor<4096xf32>
    %d = arith.subf %x, %ms : tensor<4096xf32>
    %ex = math.exp %d : tensor<4096xf32>
    %r = arith.truncf %ex : tensor<4096xf32> to tensor<4096xbf16>
    sinter.yield %r : tensor<4096xbf16>
  }
  %e2 = tensor.empty() : tensor<2x4x64xf32>
  %u = sinter.contract (g = 2, i = 4) by (e = 64)
      product (j = 4096) (%w[i * 2 + g, j] : tensor<8x4096xbf16>, %v[i, j, e] : tensor<4x4096x64xbf16>) : f32
      outs(%e2[g, i, e] : tensor<2x4x64xf32>) {
  ^row(%x: tensor<64xf32>):
    sinter.yield %x : tensor<64xf32>
  }
  return %u : tensor<2x4x64xf32>
}

// -----

// Softmax and values of heads that all read the keys of a batch are one form already.

// CHECK-LABEL: func.func @joined
//       CHECK:   %[[S:.+]] = sinter.contract (h = 4, [[H:.+]] = 8) by (l = 1111)
//       CHECK:     product (m = 128) (%{{.+}}[h, [[H]], m] : tensor<4x8x128xf16>, %{{.+}}[h, l, m] : tensor<4x1111x128xf16>) : f32
//       CHECK:   %[[W:.+]] = sinter.rowwise (h = 4, [[H]] = 8) by (k = 1111)
//       CHECK:     ins(%[[S]][h, [[H]], k] : tensor<4x8x1111xf32>)
//       CHECK:   sinter.contract (i = 4, j = 8) by (e = 128)
//       CHECK:     product (k = 1111) (%[[W]][i, j, k] : tensor<4x8x1111xf16>, %{{.+}}[i, k, e] : tensor<4x1111x128xf16>) : f32
// OTHER-LABEL: func.func @joined
//   OTHER-NOT:   sinter.contract
func.func @joined(%q: tensor<4x8x128xf16>, %k: tensor<4x1111x128xf16>, %v: tensor<4x1111x128xf16>) -> tensor<4x8x128xf32> {
  %e0 = tensor.empty() : tensor<4x8x1111xf32>
  %s = sinter.rowwise (i = 4, j = 8, l = 1111) by (m = 128)
      ins(%q[i, j, m] : tensor<4x8x128xf16>, %k[i, l, m] : tensor<4x1111x128xf16>)
      outs(%e0[i, j, l] : tensor<4x8x1111xf32>) {
  ^row(%a: tensor<128xf16>, %b: tensor<128xf16>):
    %x = arith.extf %a : tensor<128xf16> to tensor<128xf32>
    %y = arith.extf %b : tensor<128xf16> to tensor<128xf32>
    %xy = arith.mulf %x, %y : tensor<128xf32>
    %sum = sinter.row_reduce add %xy : tensor<128xf32> -> f32
    sinter.yield %sum : f32
  }
  %e2 = tensor.empty() : tensor<4x8x128xf32>
  %u = sinter.rowwise (i = 4, j = 8) by (k = 1111) by (e = 128)
      matrix (k) to (e) (%v[i, k, e] : tensor<4x1111x128xf16>)
      ins(%s[i, j, k] : tensor<4x8x1111xf32>)
      outs(%e2[i, j, e] : tensor<4x8x128xf32>) {
  ^row(%m_: tensor<1111x128xf16>, %x: tensor<1111xf32>):
    %m = sinter.row_reduce maximumf %x : tensor<1111xf32> -> f32
    %ms = sinter.broadcast %m : f32 -> tensor<1111xf32>
    %d = arith.subf %x, %ms : tensor<1111xf32>
    %ex = math.exp %d : tensor<1111xf32>
    %r = arith.truncf %ex : tensor<1111xf32> to tensor<1111xf16>
    %y = sinter.row_product %r, %m_ : tensor<1111xf16>, tensor<1111x128xf16> -> tensor<128xf32>
    sinter.yield %y : tensor<128xf32>
  }
  return %u : tensor<4x8x128xf32>
}

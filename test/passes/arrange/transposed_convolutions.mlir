// RUN: sinter-opt --pass-pipeline='builtin.module(sinter-transposed-convolutions{remarks=true})' --split-input-file --verify-diagnostics %s | FileCheck %s

// Four taps and a stride of 2: each phase has two of them, and its own place in the image. What is read behind the
// product is read at the place.

// CHECK-LABEL: func @own_places
//   CHECK-NOT:   sinter.rowwise
//       CHECK:   sinter.contract (i = 3, p = 2, j = 6) by (k = 7)
//  CHECK-NEXT:     product (m = 5, n = 2) (%{{.+}}[m, j, p + n * 2] : tensor<5x6x4xf32>, %{{.+}}[i, m, k + n + p - 1] : tensor<3x5x7xf32> else 0.000000e+00) : f32
//  CHECK-NEXT:     ins(%{{.+}}[i, p + k * 2] : tensor<3x14xf32>)
//  CHECK-NEXT:     outs(%{{.+}}[i, j, k, p] : tensor<3x6x7x2xf32>)
//       CHECK:   ^row(%{{.+}}: tensor<7xf32>, %{{.+}}: tensor<7xf32>):
//       CHECK:   tensor.collapse_shape %{{.+}} {{\[\[}}0], [1], [2, 3]] : tensor<3x6x7x2xf32> into tensor<3x6x14xf32>
func.func @own_places(%x: tensor<3x5x7xf32>, %w: tensor<5x6x4xf32>, %b: tensor<3x14xf32>) -> tensor<3x6x14xf32> {
  %e = tensor.empty() : tensor<3x5x13xf32>
  %s = sinter.rowwise (i = 3, m = 5) by (k = 13) ins(%x[i, m, k floordiv 2] : tensor<3x5x7xf32>)
      outs(%e[i, m, k] : tensor<3x5x13xf32>) {
  ^row(%v: tensor<13xf32>):
    %zero = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %z = sinter.broadcast %zero : f32 -> tensor<13xf32>
    %z0 = sinter.broadcast %c0 : index -> tensor<13xindex>
    %z2 = sinter.broadcast %c2 : index -> tensor<13xindex>
    %k = sinter.index k : tensor<13xindex>
    %r = arith.remui %k, %z2 : tensor<13xindex>
    %is = arith.cmpi eq, %r, %z0 : tensor<13xindex>
    %y = arith.select %is, %v, %z : tensor<13xi1>, tensor<13xf32>
    sinter.yield %y : tensor<13xf32>
  }
  %d = tensor.empty() : tensor<3x6x14xf32>
  %y = sinter.contract (i = 3, j = 6) by (k = 14)
      product (m = 5, n = 4) (%w[m, j, n] : tensor<5x6x4xf32>, %s[i, m, k + n - 2] : tensor<3x5x13xf32> else 0.0) : f32
      ins(%b[i, k] : tensor<3x14xf32>)
      outs(%d[i, j, k] : tensor<3x6x14xf32>) {
  ^row(%v: tensor<14xf32>, %c: tensor<14xf32>):
    %t = arith.addf %v, %c : tensor<14xf32>
    sinter.yield %t : tensor<14xf32>
  }
  return %y : tensor<3x6x14xf32>
}

// -----

// The gradient of three taps: phases read the image alike and are rows of the weights, in front of the first tap, too.
// Positions of the body are those of places.

// CHECK-LABEL: func @alike
//   CHECK-NOT:   sinter.rowwise
//       CHECK:   sinter.contract (i = 3, j = 6, p = 2) by (k = 7)
//  CHECK-NEXT:     product (m = 5, n = 2) (%{{.+}}[m, j, p + n * 2 - 1] : tensor<5x6x3xf32> else 0.000000e+00, %{{.+}}[i, m, k - n + 1] : tensor<3x5x7xf32> else 0.000000e+00) : f32
//  CHECK-NEXT:     outs(%{{.+}}[i, j, k, p] : tensor<3x6x7x2xf32>)
//       CHECK:     sinter.index k : tensor<7xindex>
//       CHECK:     arith.muli
//       CHECK:     sinter.index p : index
func.func @alike(%x: tensor<3x5x7xf32>, %w: tensor<5x6x3xf32>) -> tensor<3x6x14xf32> {
  %e = tensor.empty() : tensor<3x5x13xf32>
  %s = sinter.rowwise (i = 3, m = 5) by (k = 13) ins(%x[i, m, k floordiv 2] : tensor<3x5x7xf32>)
      outs(%e[i, m, k] : tensor<3x5x13xf32>) {
  ^row(%v: tensor<13xf32>):
    %zero = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %z = sinter.broadcast %zero : f32 -> tensor<13xf32>
    %z0 = sinter.broadcast %c0 : index -> tensor<13xindex>
    %z2 = sinter.broadcast %c2 : index -> tensor<13xindex>
    %k = sinter.index k : tensor<13xindex>
    %r = arith.remui %k, %z2 : tensor<13xindex>
    %is = arith.cmpi eq, %r, %z0 : tensor<13xindex>
    %y = arith.select %is, %v, %z : tensor<13xi1>, tensor<13xf32>
    sinter.yield %y : tensor<13xf32>
  }
  %d = tensor.empty() : tensor<3x6x14xf32>
  %y = sinter.contract (i = 3, j = 6) by (k = 14)
      product (m = 5, n = 3) (%w[m, j, n] : tensor<5x6x3xf32>, %s[i, m, k - n + 1] : tensor<3x5x13xf32> else 0.0) : f32
      outs(%d[i, j, k] : tensor<3x6x14xf32>) {
  ^row(%v: tensor<14xf32>):
    %k = sinter.index k : tensor<14xindex>
    %ki = arith.index_cast %k : tensor<14xindex> to tensor<14xi32>
    %kf = arith.sitofp %ki : tensor<14xi32> to tensor<14xf32>
    %t = arith.addf %v, %kf : tensor<14xf32>
    sinter.yield %t : tensor<14xf32>
  }
  return %y : tensor<3x6x14xf32>
}

// -----

// Channels last: phases are columns of the weights, which lie in front of the channels. Zeros stand in front of the
// first element, too, and who else reads them still does. A tap for each phase is no dimension.

// CHECK-LABEL: func @columns
//       CHECK:   sinter.rowwise
//       CHECK:   sinter.contract (i = ?, k = 4) by (p = 3, j = 6)
//  CHECK-NEXT:     product (m = 5) (%{{.+}}[i, k, m] : tensor<?x4x5xf32>, %{{.+}}[m, j, 2 - p] : tensor<5x6x3xf32>) : f32
//  CHECK-NEXT:     outs(%{{.+}}[i, k, p, j] : tensor<?x4x3x6xf32>)
func.func @columns(%x: tensor<?x4x5xf32>, %w: tensor<5x6x3xf32>) -> (tensor<?x12x6xf32>, tensor<?x14x5xf32>) {
  %i0 = arith.constant 0 : index
  %n = tensor.dim %x, %i0 : tensor<?x4x5xf32>
  %e = tensor.empty(%n) : tensor<?x14x5xf32>
  %s = sinter.rowwise (i = ?, k = 14) by (m = 5)
      ins(%x[i, (k - 2) floordiv 3, m] : tensor<?x4x5xf32> else 0.0)
      outs(%e[i, k, m] : tensor<?x14x5xf32>) {
  ^row(%v: tensor<5xf32>):
    %zero = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c12 = arith.constant 12 : index
    %z = sinter.broadcast %zero : f32 -> tensor<5xf32>
    %k = sinter.index k : index
    %a = arith.addi %k, %c1 : index
    %r = arith.remui %a, %c3 : index
    %is = arith.cmpi eq, %r, %c0 : index
    %from = arith.cmpi sge, %k, %c2 : index
    %to = arith.cmpi ult, %k, %c12 : index
    %in = arith.andi %from, %to : i1
    %all = arith.andi %in, %is : i1
    %y = arith.select %all, %v, %z : tensor<5xf32>
    sinter.yield %y : tensor<5xf32>
  }
  %d = tensor.empty(%n) : tensor<?x12x6xf32>
  %y = sinter.contract (i = ?, k = 12) by (j = 6)
      product (m = 5, n = 3) (%s[i, k + n, m] : tensor<?x14x5xf32>, %w[m, j, n] : tensor<5x6x3xf32>) : f32
      outs(%d[i, k, j] : tensor<?x12x6xf32>) {
  ^row(%v: tensor<6xf32>):
    sinter.yield %v : tensor<6xf32>
  }
  return %y, %s : tensor<?x12x6xf32>, tensor<?x14x5xf32>
}

// -----

// 13 places are no whole number of phases of 2. With few channels a place more, which is cut off, takes as long as what
// is saved.

// CHECK-LABEL: func @odd_places_of_few
//       CHECK:   sinter.rowwise
//       CHECK:   sinter.contract (i = 3, j = 6) by (k = 13)
func.func @odd_places_of_few(%x: tensor<3x5x7xf32>, %w: tensor<5x6x3xf32>) -> tensor<3x6x13xf32> {
  %e = tensor.empty() : tensor<3x5x13xf32>
  %s = sinter.rowwise (i = 3, m = 5) by (k = 13) ins(%x[i, m, k floordiv 2] : tensor<3x5x7xf32>)
      outs(%e[i, m, k] : tensor<3x5x13xf32>) {
  ^row(%v: tensor<13xf32>):
    %zero = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %z = sinter.broadcast %zero : f32 -> tensor<13xf32>
    %z0 = sinter.broadcast %c0 : index -> tensor<13xindex>
    %z2 = sinter.broadcast %c2 : index -> tensor<13xindex>
    %k = sinter.index k : tensor<13xindex>
    %r = arith.remui %k, %z2 : tensor<13xindex>
    %is = arith.cmpi eq, %r, %z0 : tensor<13xindex>
    %y = arith.select %is, %v, %z : tensor<13xi1>, tensor<13xf32>
    sinter.yield %y : tensor<13xf32>
  }
  %d = tensor.empty() : tensor<3x6x13xf32>
  // expected-remark @below {{phases have as many taps as all of them}}
  %y = sinter.contract (i = 3, j = 6) by (k = 13)
      product (m = 5, n = 3) (%w[m, j, n] : tensor<5x6x3xf32>, %s[i, m, k - n + 1] : tensor<3x5x13xf32> else 0.0) : f32
      outs(%d[i, j, k] : tensor<3x6x13xf32>) {
  ^row(%v: tensor<13xf32>):
    sinter.yield %v : tensor<13xf32>
  }
  return %y : tensor<3x6x13xf32>
}

// -----

// With more of them phases have 7 places each, and the last one is cut off. What is read beside the product is not read
// there.

// CHECK-LABEL: func @odd_places
//       CHECK:   %[[P:.+]] = sinter.contract (i = 3, j = 6, p = 2) by (k = 7)
//  CHECK-NEXT:       product (m = 50, n = 2) (%{{.+}}[m, j, p + n * 2 - 1] : {{.*}} else 0.000000e+00, %{{.+}}[i, m, k - n + 1]
//  CHECK-NEXT:       ins(%{{.+}}[i, j, p + k * 2] : tensor<3x6x13xf32> else 0.000000e+00)
//  CHECK-NEXT:       outs(%{{.+}}[i, j, k, p] : tensor<3x6x7x2xf32>)
//       CHECK:   %[[C:.+]] = tensor.collapse_shape %[[P]] {{.*}} into tensor<3x6x14xf32>
//       CHECK:   sinter.rowwise (d0 = 3, d1 = 6) by (d2 = 13)
//  CHECK-NEXT:       ins(%[[C]][d0, d1, d2] : tensor<3x6x14xf32>)
//  CHECK-NEXT:       outs(%{{.+}}[d0, d1, d2] : tensor<3x6x13xf32>)
func.func @odd_places(%x: tensor<3x50x7xf32>, %w: tensor<50x6x3xf32>, %a: tensor<3x6x13xf32>) -> tensor<3x6x13xf32> {
  %e = tensor.empty() : tensor<3x50x13xf32>
  %s = sinter.rowwise (i = 3, m = 50) by (k = 13) ins(%x[i, m, k floordiv 2] : tensor<3x50x7xf32>)
      outs(%e[i, m, k] : tensor<3x50x13xf32>) {
  ^row(%v: tensor<13xf32>):
    %zero = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %z = sinter.broadcast %zero : f32 -> tensor<13xf32>
    %z0 = sinter.broadcast %c0 : index -> tensor<13xindex>
    %z2 = sinter.broadcast %c2 : index -> tensor<13xindex>
    %k = sinter.index k : tensor<13xindex>
    %r = arith.remui %k, %z2 : tensor<13xindex>
    %is = arith.cmpi eq, %r, %z0 : tensor<13xindex>
    %y = arith.select %is, %v, %z : tensor<13xi1>, tensor<13xf32>
    sinter.yield %y : tensor<13xf32>
  }
  %d = tensor.empty() : tensor<3x6x13xf32>
  %y = sinter.contract (i = 3, j = 6) by (k = 13)
      product (m = 50, n = 3) (%w[m, j, n] : tensor<50x6x3xf32>, %s[i, m, k - n + 1] : tensor<3x50x13xf32> else 0.0) : f32
      ins(%a[i, j, k] : tensor<3x6x13xf32>)
      outs(%d[i, j, k] : tensor<3x6x13xf32>) {
  ^row(%v: tensor<13xf32>, %b: tensor<13xf32>):
    %t = arith.addf %v, %b : tensor<13xf32>
    sinter.yield %t : tensor<13xf32>
  }
  return %y : tensor<3x6x13xf32>
}

// -----

// Nothing is divided by what nobody wrote.

// CHECK-LABEL: func @odd_places_divided
//       CHECK:   sinter.contract (i = 3, j = 6) by (k = 13)
func.func @odd_places_divided(%x: tensor<3x50x7xf32>, %w: tensor<50x6x3xf32>, %a: tensor<3x6x13xi32>) -> tensor<3x6x13xf32> {
  %e = tensor.empty() : tensor<3x50x13xf32>
  %s = sinter.rowwise (i = 3, m = 50) by (k = 13) ins(%x[i, m, k floordiv 2] : tensor<3x50x7xf32>)
      outs(%e[i, m, k] : tensor<3x50x13xf32>) {
  ^row(%v: tensor<13xf32>):
    %zero = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %z = sinter.broadcast %zero : f32 -> tensor<13xf32>
    %z0 = sinter.broadcast %c0 : index -> tensor<13xindex>
    %z2 = sinter.broadcast %c2 : index -> tensor<13xindex>
    %k = sinter.index k : tensor<13xindex>
    %r = arith.remui %k, %z2 : tensor<13xindex>
    %is = arith.cmpi eq, %r, %z0 : tensor<13xindex>
    %y = arith.select %is, %v, %z : tensor<13xi1>, tensor<13xf32>
    sinter.yield %y : tensor<13xf32>
  }
  %d = tensor.empty() : tensor<3x6x13xf32>
  // expected-remark @below {{places are no whole number of phases, and a row program may not run for more}}
  %y = sinter.contract (i = 3, j = 6) by (k = 13)
      product (m = 50, n = 3) (%w[m, j, n] : tensor<50x6x3xf32>, %s[i, m, k - n + 1] : tensor<3x50x13xf32> else 0.0) : f32
      ins(%a[i, j, k] : tensor<3x6x13xi32>)
      outs(%d[i, j, k] : tensor<3x6x13xf32>) {
  ^row(%v: tensor<13xf32>, %b: tensor<13xi32>):
    %c = arith.constant dense<60> : tensor<13xi32>
    %q = arith.divsi %c, %b : tensor<13xi32>
    %f = arith.sitofp %q : tensor<13xi32> to tensor<13xf32>
    %t = arith.addf %v, %f : tensor<13xf32>
    sinter.yield %t : tensor<13xf32>
  }
  return %y : tensor<3x6x13xf32>
}

// -----

// Of a number `?` of images the result is not cut.

// CHECK-LABEL: func @odd_places_of_any
//       CHECK:   sinter.contract (i = ?, j = 6) by (k = 13)
func.func @odd_places_of_any(%x: tensor<?x50x7xf32>, %w: tensor<50x6x3xf32>, %e: tensor<?x50x13xf32>, %d: tensor<?x6x13xf32>) -> tensor<?x6x13xf32> {
  %s = sinter.rowwise (i = ?, m = 50) by (k = 13) ins(%x[i, m, k floordiv 2] : tensor<?x50x7xf32>)
      outs(%e[i, m, k] : tensor<?x50x13xf32>) {
  ^row(%v: tensor<13xf32>):
    %zero = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %z = sinter.broadcast %zero : f32 -> tensor<13xf32>
    %z0 = sinter.broadcast %c0 : index -> tensor<13xindex>
    %z2 = sinter.broadcast %c2 : index -> tensor<13xindex>
    %k = sinter.index k : tensor<13xindex>
    %r = arith.remui %k, %z2 : tensor<13xindex>
    %is = arith.cmpi eq, %r, %z0 : tensor<13xindex>
    %y = arith.select %is, %v, %z : tensor<13xi1>, tensor<13xf32>
    sinter.yield %y : tensor<13xf32>
  }
  // expected-remark @below {{places are no whole number of phases, and a result of `?` is not cut}}
  %y = sinter.contract (i = ?, j = 6) by (k = 13)
      product (m = 50, n = 3) (%w[m, j, n] : tensor<50x6x3xf32>, %s[i, m, k - n + 1] : tensor<?x50x13xf32> else 0.0) : f32
      outs(%d[i, j, k] : tensor<?x6x13xf32>) {
  ^row(%v: tensor<13xf32>):
    sinter.yield %v : tensor<13xf32>
  }
  return %y : tensor<?x6x13xf32>
}

// -----

// Taps two apart meet elements at every second place, and all of them there.

// CHECK-LABEL: func @even_taps
//       CHECK:   sinter.rowwise
func.func @even_taps(%x: tensor<3x5x7xf32>, %w: tensor<5x6x3xf32>) -> tensor<3x6x14xf32> {
  %e = tensor.empty() : tensor<3x5x13xf32>
  %s = sinter.rowwise (i = 3, m = 5) by (k = 13) ins(%x[i, m, k floordiv 2] : tensor<3x5x7xf32>)
      outs(%e[i, m, k] : tensor<3x5x13xf32>) {
  ^row(%v: tensor<13xf32>):
    %zero = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %z = sinter.broadcast %zero : f32 -> tensor<13xf32>
    %z0 = sinter.broadcast %c0 : index -> tensor<13xindex>
    %z2 = sinter.broadcast %c2 : index -> tensor<13xindex>
    %k = sinter.index k : tensor<13xindex>
    %r = arith.remui %k, %z2 : tensor<13xindex>
    %is = arith.cmpi eq, %r, %z0 : tensor<13xindex>
    %y = arith.select %is, %v, %z : tensor<13xi1>, tensor<13xf32>
    sinter.yield %y : tensor<13xf32>
  }
  %d = tensor.empty() : tensor<3x6x14xf32>
  // expected-remark @below {{of taps -2 apart each phase of 2 has all or none}}
  %y = sinter.contract (i = 3, j = 6) by (k = 14)
      product (m = 5, n = 3) (%w[m, j, n] : tensor<5x6x3xf32>, %s[i, m, k - n * 2 + 1] : tensor<3x5x13xf32> else 0.0) : f32
      outs(%d[i, j, k] : tensor<3x6x14xf32>) {
  ^row(%v: tensor<14xf32>):
    sinter.yield %v : tensor<14xf32>
  }
  return %y : tensor<3x6x14xf32>
}

// -----

// A block's gradient goes back by three taps and by one: both products have the same phases, and nobody inserts zeros
// for the second one.

// CHECK-LABEL: func @two_products
//   CHECK-NOT:   sinter.rowwise
//       CHECK:   sinter.contract (i = 3, j = 6, p = 2) by (k = 7)
//  CHECK-NEXT:     product (m = 5, n = 2) (%{{.+}}[m, j, p + n * 2 - 1] : tensor<5x6x3xf32> else 0.000000e+00, %{{.+}}[i, m, k - n + 1] : tensor<3x5x7xf32> else 0.000000e+00) : f32
//  CHECK-NEXT:     product (m1 = 5) (%{{.+}}[m1, j, p] : tensor<5x6x1xf32> else 0.000000e+00, %{{.+}}[i, m1, k] : tensor<3x5x7xf32>) : f32
func.func @two_products(%x: tensor<3x5x7xf32>, %w: tensor<5x6x3xf32>, %u: tensor<5x6x1xf32>) -> tensor<3x6x14xf32> {
  %e = tensor.empty() : tensor<3x5x13xf32>
  %s = sinter.rowwise (i = 3, m = 5) by (k = 13) ins(%x[i, m, k floordiv 2] : tensor<3x5x7xf32>)
      outs(%e[i, m, k] : tensor<3x5x13xf32>) {
  ^row(%v: tensor<13xf32>):
    %zero = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %z = sinter.broadcast %zero : f32 -> tensor<13xf32>
    %z0 = sinter.broadcast %c0 : index -> tensor<13xindex>
    %z2 = sinter.broadcast %c2 : index -> tensor<13xindex>
    %k = sinter.index k : tensor<13xindex>
    %r = arith.remui %k, %z2 : tensor<13xindex>
    %is = arith.cmpi eq, %r, %z0 : tensor<13xindex>
    %y = arith.select %is, %v, %z : tensor<13xi1>, tensor<13xf32>
    sinter.yield %y : tensor<13xf32>
  }
  %d = tensor.empty() : tensor<3x6x14xf32>
  %y = sinter.contract (i = 3, j = 6) by (k = 14)
      product (m = 5, n = 3) (%w[m, j, n] : tensor<5x6x3xf32>, %s[i, m, k - n + 1] : tensor<3x5x13xf32> else 0.0) : f32
      product (m1 = 5, n1 = 1) (%u[m1, j, n1] : tensor<5x6x1xf32>, %s[i, m1, k - n1] : tensor<3x5x13xf32> else 0.0) : f32
      outs(%d[i, j, k] : tensor<3x6x14xf32>) {
  ^row(%v: tensor<14xf32>, %c: tensor<14xf32>):
    %t = arith.addf %v, %c : tensor<14xf32>
    sinter.yield %t : tensor<14xf32>
  }
  return %y : tensor<3x6x14xf32>
}

// -----

// Of one tap three places of four have nothing: nothing is multiplied less.

// CHECK-LABEL: func @one_tap
//       CHECK:   sinter.rowwise
func.func @one_tap(%x: tensor<3x5x7xf32>, %w: tensor<5x6x1xf32>) -> tensor<3x6x14xf32> {
  %e = tensor.empty() : tensor<3x5x13xf32>
  %s = sinter.rowwise (i = 3, m = 5) by (k = 13) ins(%x[i, m, k floordiv 2] : tensor<3x5x7xf32>)
      outs(%e[i, m, k] : tensor<3x5x13xf32>) {
  ^row(%v: tensor<13xf32>):
    %zero = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %z = sinter.broadcast %zero : f32 -> tensor<13xf32>
    %z0 = sinter.broadcast %c0 : index -> tensor<13xindex>
    %z2 = sinter.broadcast %c2 : index -> tensor<13xindex>
    %k = sinter.index k : tensor<13xindex>
    %r = arith.remui %k, %z2 : tensor<13xindex>
    %is = arith.cmpi eq, %r, %z0 : tensor<13xindex>
    %y = arith.select %is, %v, %z : tensor<13xi1>, tensor<13xf32>
    sinter.yield %y : tensor<13xf32>
  }
  %d = tensor.empty() : tensor<3x6x14xf32>
  // expected-remark @below {{phases have as many taps as all of them}}
  %y = sinter.contract (i = 3, j = 6) by (k = 14)
      product (m = 5, n = 1) (%w[m, j, n] : tensor<5x6x1xf32>, %s[i, m, k - n] : tensor<3x5x13xf32> else 0.0) : f32
      outs(%d[i, j, k] : tensor<3x6x14xf32>) {
  ^row(%v: tensor<14xf32>):
    sinter.yield %v : tensor<14xf32>
  }
  return %y : tensor<3x6x14xf32>
}

// -----

// Weights that go on behind the taps would be read there.

// CHECK-LABEL: func @more_weights
//       CHECK:   sinter.rowwise
func.func @more_weights(%x: tensor<3x5x7xf32>, %w: tensor<5x6x4xf32>) -> tensor<3x6x14xf32> {
  %e = tensor.empty() : tensor<3x5x13xf32>
  %s = sinter.rowwise (i = 3, m = 5) by (k = 13) ins(%x[i, m, k floordiv 2] : tensor<3x5x7xf32>)
      outs(%e[i, m, k] : tensor<3x5x13xf32>) {
  ^row(%v: tensor<13xf32>):
    %zero = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %z = sinter.broadcast %zero : f32 -> tensor<13xf32>
    %z0 = sinter.broadcast %c0 : index -> tensor<13xindex>
    %z2 = sinter.broadcast %c2 : index -> tensor<13xindex>
    %k = sinter.index k : tensor<13xindex>
    %r = arith.remui %k, %z2 : tensor<13xindex>
    %is = arith.cmpi eq, %r, %z0 : tensor<13xindex>
    %y = arith.select %is, %v, %z : tensor<13xi1>, tensor<13xf32>
    sinter.yield %y : tensor<13xf32>
  }
  %d = tensor.empty() : tensor<3x6x14xf32>
  // expected-remark @below {{weights do not have a dimension of 3 taps}}
  %y = sinter.contract (i = 3, j = 6) by (k = 14)
      product (m = 5, n = 3) (%w[m, j, n] : tensor<5x6x4xf32>, %s[i, m, k - n + 1] : tensor<3x5x13xf32> else 0.0) : f32
      outs(%d[i, j, k] : tensor<3x6x14xf32>) {
  ^row(%v: tensor<14xf32>):
    sinter.yield %v : tensor<14xf32>
  }
  return %y : tensor<3x6x14xf32>
}

// -----

// What stands between the elements is 1.

// CHECK-LABEL: func @ones
//       CHECK:   sinter.rowwise
//       CHECK:   sinter.contract (i = 3, j = 6) by (k = 14)
func.func @ones(%x: tensor<3x5x7xf32>, %w: tensor<5x6x3xf32>) -> tensor<3x6x14xf32> {
  %e = tensor.empty() : tensor<3x5x13xf32>
  %s = sinter.rowwise (i = 3, m = 5) by (k = 13) ins(%x[i, m, k floordiv 2] : tensor<3x5x7xf32>)
      outs(%e[i, m, k] : tensor<3x5x13xf32>) {
  ^row(%v: tensor<13xf32>):
    %one = arith.constant 1.0 : f32
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %z = sinter.broadcast %one : f32 -> tensor<13xf32>
    %z0 = sinter.broadcast %c0 : index -> tensor<13xindex>
    %z2 = sinter.broadcast %c2 : index -> tensor<13xindex>
    %k = sinter.index k : tensor<13xindex>
    %r = arith.remui %k, %z2 : tensor<13xindex>
    %is = arith.cmpi eq, %r, %z0 : tensor<13xindex>
    %y = arith.select %is, %v, %z : tensor<13xi1>, tensor<13xf32>
    sinter.yield %y : tensor<13xf32>
  }
  %d = tensor.empty() : tensor<3x6x14xf32>
  %y = sinter.contract (i = 3, j = 6) by (k = 14)
      product (m = 5, n = 3) (%w[m, j, n] : tensor<5x6x3xf32>, %s[i, m, k - n + 1] : tensor<3x5x13xf32> else 0.0) : f32
      outs(%d[i, j, k] : tensor<3x6x14xf32>) {
  ^row(%v: tensor<14xf32>):
    sinter.yield %v : tensor<14xf32>
  }
  return %y : tensor<3x6x14xf32>
}

// -----

// The last element is not there.

// CHECK-LABEL: func @left_out
//       CHECK:   sinter.rowwise
//       CHECK:   sinter.contract (i = 3, j = 6) by (k = 14)
func.func @left_out(%x: tensor<3x5x7xf32>, %w: tensor<5x6x3xf32>) -> tensor<3x6x14xf32> {
  %e = tensor.empty() : tensor<3x5x11xf32>
  %s = sinter.rowwise (i = 3, m = 5) by (k = 11) ins(%x[i, m, k floordiv 2] : tensor<3x5x7xf32>)
      outs(%e[i, m, k] : tensor<3x5x11xf32>) {
  ^row(%v: tensor<11xf32>):
    %zero = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %z = sinter.broadcast %zero : f32 -> tensor<11xf32>
    %z0 = sinter.broadcast %c0 : index -> tensor<11xindex>
    %z2 = sinter.broadcast %c2 : index -> tensor<11xindex>
    %k = sinter.index k : tensor<11xindex>
    %r = arith.remui %k, %z2 : tensor<11xindex>
    %is = arith.cmpi eq, %r, %z0 : tensor<11xindex>
    %y = arith.select %is, %v, %z : tensor<11xi1>, tensor<11xf32>
    sinter.yield %y : tensor<11xf32>
  }
  %d = tensor.empty() : tensor<3x6x14xf32>
  %y = sinter.contract (i = 3, j = 6) by (k = 14)
      product (m = 5, n = 3) (%w[m, j, n] : tensor<5x6x3xf32>, %s[i, m, k - n + 1] : tensor<3x5x11xf32> else 0.0) : f32
      outs(%d[i, j, k] : tensor<3x6x14xf32>) {
  ^row(%v: tensor<14xf32>):
    sinter.yield %v : tensor<14xf32>
  }
  return %y : tensor<3x6x14xf32>
}

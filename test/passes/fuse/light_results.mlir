// RUN: sinter-opt --sinter-fuse --split-input-file %s | FileCheck %s

// A result that is a light function of another one, which is stored anyway, is made where it is read. Here both halves
// of a rotation's gradient.

// CHECK-LABEL: func @rotation
//       CHECK:   %[[X:.+]] = sinter.contract (i = 7) by (j = 8)
//       CHECK:     outs(%{{.+}}[i, j] : tensor<7x8xf32>) {
//       CHECK:     sinter.yield %{{.+}} : tensor<8xf32>
//       CHECK:   sinter.rowwise (i = 7) by (j = 8)
//  CHECK-NEXT:     ins(%[[X]][i, j + 4] : tensor<7x8xf32> else 0.000000e+00, %{{.+}}[i, j + 4] : tensor<7x8xf32> else 0.000000e+00, %[[X]][i, j - 4]
func.func @rotation(%a: tensor<7x5xf32>, %w: tensor<5x8xf32>, %s: tensor<7x8xf32>) -> tensor<7x8xf32> {
  %e = tensor.empty() : tensor<7x8xf32>
  %x:3 = sinter.contract (i = 7) by (j = 8) product (k = 5) (%a[i, k] : tensor<7x5xf32>, %w[k, j] : tensor<5x8xf32>) : f32
      ins(%s[i, j] : tensor<7x8xf32>)
      outs(%e[i, j] : tensor<7x8xf32>, %e[i, j] : tensor<7x8xf32>, %e[i, j] : tensor<7x8xf32>) {
  ^row(%acc: tensor<8xf32>, %sin: tensor<8xf32>):
    %c4 = arith.constant dense<4> : tensor<8xindex>
    %z = arith.constant dense<0.0> : tensor<8xf32>
    %t = math.tanh %acc : tensor<8xf32>
    %m = arith.mulf %t, %sin : tensor<8xf32>
    %j = sinter.index j : tensor<8xindex>
    %low = arith.cmpi ult, %j, %c4 : tensor<8xindex>
    %p = arith.select %low, %m, %z : tensor<8xi1>, tensor<8xf32>
    %q = arith.select %low, %z, %m : tensor<8xi1>, tensor<8xf32>
    sinter.yield %t, %p, %q : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  }
  %y = sinter.rowwise (i = 7) by (j = 8)
      ins(%x#0[i, j] : tensor<7x8xf32>, %x#1[i, j - 4] : tensor<7x8xf32> else 0.0, %x#2[i, j + 4] : tensor<7x8xf32> else 0.0)
      outs(%e[i, j] : tensor<7x8xf32>) {
  ^row(%b: tensor<8xf32>, %p: tensor<8xf32>, %q: tensor<8xf32>):
    %c = arith.subf %q, %p : tensor<8xf32>
    %d = arith.addf %b, %c : tensor<8xf32>
    sinter.yield %d : tensor<8xf32>
  }
  return %y : tensor<7x8xf32>
}

// -----

// A number of a row, of a row that is only reduced: the form that makes it again has no columns.

// CHECK-LABEL: func @numbers
//       CHECK:   %[[S:.+]] = sinter.rowwise (i = 9) by (j = 5)
//       CHECK:     outs(%{{.+}}[i] : tensor<9xf32>) {
//       CHECK:   sinter.rowwise () by (i = 9)
//  CHECK-NEXT:     ins(%[[S]][i - 1] : tensor<9xf32> else 0.000000e+00, %[[S]][i] : tensor<9xf32>)
//       CHECK:     math.absf
func.func @numbers(%x: tensor<9x5xf32>) -> tensor<9xf32> {
  %e = tensor.empty() : tensor<9xf32>
  %s:2 = sinter.rowwise (i = 9) by (j = 5) ins(%x[i, j] : tensor<9x5xf32>)
      outs(%e[i] : tensor<9xf32>, %e[i] : tensor<9xf32>) {
  ^row(%r: tensor<5xf32>):
    %t = sinter.row_reduce add %r : tensor<5xf32> -> f32
    %u = math.absf %t : f32
    sinter.yield %t, %u : f32, f32
  }
  %y = sinter.rowwise () by (i = 9)
      ins(%s#0[i] : tensor<9xf32>, %s#1[i - 1] : tensor<9xf32> else 0.0) outs(%e[i] : tensor<9xf32>) {
  ^row(%a: tensor<9xf32>, %b: tensor<9xf32>):
    %c = arith.mulf %a, %b : tensor<9xf32>
    sinter.yield %c : tensor<9xf32>
  }
  return %y : tensor<9xf32>
}

// -----

// Not an exponential, nor what a window asks for nine times, nor what is not moved less.

// CHECK-LABEL: func @stored
//       CHECK:   %[[S:.+]]:4 = sinter.rowwise (i = 40) by (j = 30)
//       CHECK:     yield
//       CHECK:   ins(%[[S]]#0[i, j] : tensor<40x30xf32>, %[[S]]#1[i, j - 1] : tensor<40x30xf32> else 0.000000e+00)
//       CHECK:   ins(%[[S]]#2[i + k, j + l] : tensor<40x30xf32>)
//       CHECK:   ins(%[[S]]#3[i, j - 1] : tensor<40x30xf16> else 0.000000e+00)
func.func @stored(%x: tensor<40x30xf32>) -> (tensor<40x30xf32>, tensor<38x28xf32>, tensor<40x30xf16>) {
  %e = tensor.empty() : tensor<40x30xf32>
  %f = tensor.empty() : tensor<38x28xf32>
  %g = tensor.empty() : tensor<40x30xf16>
  %s:4 = sinter.rowwise (i = 40) by (j = 30) ins(%x[i, j] : tensor<40x30xf32>)
      outs(%e[i, j] : tensor<40x30xf32>, %e[i, j] : tensor<40x30xf32>, %e[i, j] : tensor<40x30xf32>, %g[i, j] : tensor<40x30xf16>) {
  ^row(%r: tensor<30xf32>):
    %m = sinter.row_reduce maximumf %r : tensor<30xf32> -> f32
    %b = sinter.broadcast %m : f32 -> tensor<30xf32>
    %t = arith.subf %r, %b : tensor<30xf32>
    %u = math.exp %t : tensor<30xf32>
    %v = math.absf %t : tensor<30xf32>
    %w = arith.truncf %t : tensor<30xf32> to tensor<30xf16>
    sinter.yield %t, %u, %v, %w : tensor<30xf32>, tensor<30xf32>, tensor<30xf32>, tensor<30xf16>
  }
  %y = sinter.rowwise (i = 40) by (j = 30)
      ins(%s#0[i, j] : tensor<40x30xf32>, %s#1[i, j - 1] : tensor<40x30xf32> else 0.0) outs(%e[i, j] : tensor<40x30xf32>) {
  ^row(%a: tensor<30xf32>, %b: tensor<30xf32>):
    %c = arith.mulf %a, %b : tensor<30xf32>
    sinter.yield %c : tensor<30xf32>
  }
  %z = sinter.rowwise (i = 38, j = 28) by (k = 3, l = 3) ins(%s#2[i + k, j + l] : tensor<40x30xf32>) outs(%f[i, j] : tensor<38x28xf32>) {
  ^row(%a: tensor<9xf32>):
    %c = sinter.row_reduce add %a : tensor<9xf32> -> f32
    sinter.yield %c : f32
  }
  %h = sinter.rowwise (i = 40) by (j = 30)
      ins(%s#3[i, j - 1] : tensor<40x30xf16> else 0.0) outs(%g[i, j] : tensor<40x30xf16>) {
  ^row(%a: tensor<30xf16>):
    %c = arith.negf %a : tensor<30xf16>
    sinter.yield %c : tensor<30xf16>
  }
  return %y, %z, %h : tensor<40x30xf32>, tensor<38x28xf32>, tensor<40x30xf16>
}

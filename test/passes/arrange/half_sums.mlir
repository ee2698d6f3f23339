// RUN: sinter-opt --sinter-half-sums --split-input-file %s | FileCheck %s

// Of f16, differences from a mean in f64 are taken in f32 from both of its parts, and added in f32 by vectors.

// CHECK-LABEL: func @variance
//       CHECK:   ^row(%[[X:.+]]: tensor<9xf16>):
//       CHECK:     %[[Y:.+]] = arith.extf %[[X]] : tensor<9xf16> to tensor<9xf32>
//       CHECK:     %[[S:.+]] = sinter.row_reduce add %[[Y]] {sinter.lanes_first} : tensor<9xf32> -> f64
//       CHECK:     %[[M:.+]] = arith.mulf %[[S]], %{{.+}} : f64
//       CHECK:     %[[HIGH:.+]] = arith.truncf %[[M]] : f64 to f32
//       CHECK:     %[[B:.+]] = sinter.broadcast %[[HIGH]]
//       CHECK:     %[[D:.+]] = arith.subf %[[Y]], %[[B]]
//       CHECK:     %[[BACK:.+]] = arith.extf %[[HIGH]] : f32 to f64
//       CHECK:     %[[LEFT:.+]] = arith.subf %[[M]], %[[BACK]]
//       CHECK:     %[[LOW:.+]] = arith.truncf %[[LEFT]]
//       CHECK:     %[[REST:.+]] = arith.select %{{.+}}, %[[LOW]], %{{.+}} : f32
//       CHECK:     %[[C:.+]] = sinter.broadcast %[[REST]]
//       CHECK:     %[[E:.+]] = arith.subf %[[D]], %[[C]]
//       CHECK:     %[[E2:.+]] = arith.mulf %[[E]], %[[E]]
//       CHECK:     sinter.row_reduce add %[[E2]] {sinter.lanes_first} : tensor<9xf32> -> f64
//   CHECK-NOT:     tensor<9xf64>
func.func @variance(%x: tensor<4x9xf16>, %e: tensor<4xf32>) -> tensor<4xf32> {
  %0 = sinter.rowwise (i = 4) by (j = 9) ins(%x[i, j] : tensor<4x9xf16>) outs(%e[i] : tensor<4xf32>) {
  ^row(%a: tensor<9xf16>):
    %over = arith.constant 0.125 : f64
    %w = arith.extf %a : tensor<9xf16> to tensor<9xf64>
    %s = sinter.row_reduce add %w : tensor<9xf64> -> f64
    %m = arith.mulf %s, %over : f64
    %b = sinter.broadcast %m : f64 -> tensor<9xf64>
    %d = arith.subf %w, %b : tensor<9xf64>
    %d2 = arith.mulf %d, %d : tensor<9xf64>
    %q = sinter.row_reduce add %d2 : tensor<9xf64> -> f64
    %r = arith.truncf %q : f64 to f32
    sinter.yield %r : f32
  }
  return %0 : tensor<4xf32>
}

// -----

// A number that f32 holds, as a half element is, is taken away as it is.

// CHECK-LABEL: func @about_an_element
//       CHECK:     %[[Y:.+]] = arith.extf %{{.+}} : tensor<9xbf16> to tensor<9xf32>
//       CHECK:     %[[P:.+]] = arith.truncf %{{.+}} : f64 to f32
//       CHECK:     %[[B:.+]] = sinter.broadcast %[[P]]
//       CHECK:     %[[D:.+]] = arith.subf %[[Y]], %[[B]]
//   CHECK-NOT:     arith.subf
//       CHECK:     sinter.row_reduce add %[[D]] {sinter.lanes_first}
func.func @about_an_element(%x: tensor<4x9xbf16>, %p: tensor<4xbf16>, %e: tensor<4xf64>) -> tensor<4xf64> {
  %0 = sinter.rowwise (i = 4) by (j = 9) ins(%x[i, j] : tensor<4x9xbf16>, %p[i] : tensor<4xbf16>) outs(%e[i] : tensor<4xf64>) {
  ^row(%a: tensor<9xbf16>, %c: bf16):
    %w = arith.extf %a : tensor<9xbf16> to tensor<9xf64>
    %f = arith.extf %c : bf16 to f64
    %b = sinter.broadcast %f : f64 -> tensor<9xf64>
    %d = arith.subf %w, %b : tensor<9xf64>
    %s = sinter.row_reduce add %d : tensor<9xf64> -> f64
    sinter.yield %s : f64
  }
  return %0 : tensor<4xf64>
}

// -----

// Elements of 32 bits, other combiners, and what is no difference, stay in f64.

// CHECK-LABEL: func @single
//   CHECK-NOT:   lanes_first
func.func @single(%x: tensor<4x9xf32>, %e: tensor<4xf64>) -> tensor<4xf64> {
  %0 = sinter.rowwise (i = 4) by (j = 9) ins(%x[i, j] : tensor<4x9xf32>) outs(%e[i] : tensor<4xf64>) {
  ^row(%a: tensor<9xf32>):
    %w = arith.extf %a : tensor<9xf32> to tensor<9xf64>
    %s = sinter.row_reduce add %w : tensor<9xf64> -> f64
    sinter.yield %s : f64
  }
  return %0 : tensor<4xf64>
}

// CHECK-LABEL: func @others
//   CHECK-NOT:   lanes_first
func.func @others(%x: tensor<4x9xf16>, %e: tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>) {
  %0:2 = sinter.rowwise (i = 4) by (j = 9) ins(%x[i, j] : tensor<4x9xf16>) outs(%e[i] : tensor<4xf64>, %e[i] : tensor<4xf64>) {
  ^row(%a: tensor<9xf16>):
    %w = arith.extf %a : tensor<9xf16> to tensor<9xf64>
    %s = sinter.row_reduce maximumf %w : tensor<9xf64> -> f64
    %r = math.exp %w : tensor<9xf64>
    %t = sinter.row_reduce add %r : tensor<9xf64> -> f64
    sinter.yield %s, %t : f64, f64
  }
  return %0#0, %0#1 : tensor<4xf64>, tensor<4xf64>
}

// -----

// A difference from a mean, times numbers within f32's range, is made in f32 where that is what it goes to.

// CHECK-LABEL: func @scaled_difference
//       CHECK:   ^row(%[[X:.+]]: tensor<9xf16>, %[[C:.+]]: f32, %[[M:.+]]: f64):
//   CHECK-DAG:     %[[Y:.+]] = arith.extf %[[X]] : tensor<9xf16> to tensor<9xf32>
//   CHECK-DAG:     %[[HIGH:.+]] = arith.truncf %[[M]] : f64 to f32
//       CHECK:     %[[D:.+]] = arith.subf %[[Y]], %{{.+}} : tensor<9xf32>
//       CHECK:     %[[E:.+]] = arith.subf %[[D]], %{{.+}} : tensor<9xf32>
//       CHECK:     %[[K:.+]] = arith.truncf %{{.+}} : f64 to f32
//       CHECK:     %[[KS:.+]] = sinter.broadcast %[[K]]
//       CHECK:     %[[S:.+]] = arith.mulf %[[E]], %[[KS]] : tensor<9xf32>
//       CHECK:     %[[T:.+]] = arith.addf %[[S]], %[[S]] : tensor<9xf32>
//   CHECK-NOT:     tensor<9xf64>
//       CHECK:     sinter.yield %[[T]]
func.func @scaled_difference(%x: tensor<4x9xf16>, %c: tensor<4xf32>, %m: tensor<4xf64>, %e: tensor<4x9xf32>) -> tensor<4x9xf32> {
  %0 = sinter.rowwise (i = 4) by (j = 9)
      ins(%x[i, j] : tensor<4x9xf16>, %c[i] : tensor<4xf32>, %m[i] : tensor<4xf64>) outs(%e[i, j] : tensor<4x9xf32>) {
  ^row(%a: tensor<9xf16>, %f: f32, %n: f64):
    %over = arith.constant 0.125 : f64
    %w = arith.extf %a : tensor<9xf16> to tensor<9xf64>
    %b = sinter.broadcast %n : f64 -> tensor<9xf64>
    %d = arith.subf %w, %b : tensor<9xf64>
    %g = arith.extf %f : f32 to f64
    %k = arith.mulf %g, %over : f64
    %ks = sinter.broadcast %k : f64 -> tensor<9xf64>
    %p = arith.mulf %ks, %d : tensor<9xf64>
    %q = arith.addf %p, %p : tensor<9xf64>
    %t = arith.truncf %q : tensor<9xf64> to tensor<9xf32>
    sinter.yield %t : tensor<9xf32>
  }
  return %0 : tensor<4x9xf32>
}

// -----

// A number of f64 may be beyond f32's range, and elements of f32 show more digits.

// CHECK-LABEL: func @any_number
//       CHECK:     arith.mulf %{{.+}}, %{{.+}} : tensor<9xf64>
func.func @any_number(%x: tensor<4x9xf16>, %m: tensor<4xf64>, %e: tensor<4x9xf32>) -> tensor<4x9xf32> {
  %0 = sinter.rowwise (i = 4) by (j = 9) ins(%x[i, j] : tensor<4x9xf16>, %m[i] : tensor<4xf64>) outs(%e[i, j] : tensor<4x9xf32>) {
  ^row(%a: tensor<9xf16>, %n: f64):
    %w = arith.extf %a : tensor<9xf16> to tensor<9xf64>
    %b = sinter.broadcast %n : f64 -> tensor<9xf64>
    %d = arith.subf %w, %b : tensor<9xf64>
    %p = arith.mulf %b, %d : tensor<9xf64>
    %t = arith.truncf %p : tensor<9xf64> to tensor<9xf32>
    sinter.yield %t : tensor<9xf32>
  }
  return %0 : tensor<4x9xf32>
}

// -----

// CHECK-LABEL: func @of_f32
//       CHECK:     arith.subf %{{.+}}, %{{.+}} : tensor<9xf64>
func.func @of_f32(%x: tensor<4x9xf32>, %m: tensor<4xf64>, %e: tensor<4x9xf32>) -> tensor<4x9xf32> {
  %0 = sinter.rowwise (i = 4) by (j = 9) ins(%x[i, j] : tensor<4x9xf32>, %m[i] : tensor<4xf64>) outs(%e[i, j] : tensor<4x9xf32>) {
  ^row(%a: tensor<9xf32>, %n: f64):
    %w = arith.extf %a : tensor<9xf32> to tensor<9xf64>
    %b = sinter.broadcast %n : f64 -> tensor<9xf64>
    %d = arith.subf %w, %b : tensor<9xf64>
    %t = arith.truncf %d : tensor<9xf64> to tensor<9xf32>
    sinter.yield %t : tensor<9xf32>
  }
  return %0 : tensor<4x9xf32>
}
